// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How dbvh_overlap_find() finds the overlap of two solids.
//
// The exact contacts (query/contact) cut the triangles that take part into faces: the parts of a triangle between the
// segments and polygons that it shares with the other mesh. A face lies inside the other solid, outside of it, or on
// its boundary, as a whole; exact signs beside one segment of its outline tell which. What is inside spreads over
// triangles that are not cut, from neighbour to neighbour. A shell that no segment cuts is inside or outside as a
// whole, and one ray tells. The faces inside, and those that coincide with equal orientation, counted once, bound the
// overlap.
//
// Two faces bound the same part of the overlap if they bound the same wedge at a common edge: wedges are found by
// sorting the sheets around it. So components are sets of faces joined through wedges, and shells within shells.
//
// The first mesh is always the one that stays (math/pose.h), so that the caller's order changes nothing.

#pragma once

#include "base/alloc.h"
#include "base/assert.h"
#include "base/budget.h"
#include "base/inline.h"
#include "dualbvh/overlap.h"
#include "exact/number/dd.h"
#include "exact/number/dyadic.h"
#include "query/contact/contact.h"
#include "query/overlap/solid_sides.h"
#include "query/relation/inside.h"

#include <math.h>

#define DBVHI_NONE UINT32_MAX

// The relation of a face to the other solid.
typedef enum dbvhi_face_side {
	DBVHI_FACE_UNKNOWN,
	DBVHI_FACE_OUT,      // outside
	DBVHI_FACE_IN,       // inside
	DBVHI_FACE_SAME,     // on its boundary, both solids on one side
	DBVHI_FACE_OPPOSITE, // on its boundary, on different sides
} dbvhi_face_side;

// A node: a contact point that is the end of a segment, or any other vertex of a mesh. Contact points come first, then
// the vertices of the first mesh, then those of the second.
typedef uint32_t dbvhi_node_id;

// A segment of the contact of two triangles that both bound their solids.
typedef struct dbvhi_segment {
	uint32_t from, to;   // contact points, from < to
	dbvhi_part part[2];  // the parts that it lies in: edges or triangles
	uint32_t contact;    // the first contact that has it
	bool seam;           // faces of both meshes meet here round a wedge of the overlap
	int8_t turn;         // direction, where two triangles cross: 1 if from -> to runs along n_0 x n_1, else -1
	uint32_t outline[2]; // first of the two entries in `outline`, where the part is a triangle
} dbvhi_segment;

// A piece of an outline: from `node` to the next node, with the face on its left.
typedef struct dbvhi_outline {
	dbvhi_node_id node;
	uint32_t next; // the entry that follows round the face
	uint32_t face;
	uint32_t segment; // DBVHI_NONE: a piece of a side that is not on the other mesh
} dbvhi_outline;

// A triangle that has contacts. Its outline entries: first those along its sides, then two for each segment inside.
typedef struct dbvhi_cut {
	uint32_t triangle;
	uint32_t first;   // entries first .. first + count - 1
	uint32_t side[4]; // begin of the entries of each side, and end of the last
	uint32_t count;
	uint32_t first_face, face_count;
} dbvhi_cut;

// An outline of a face. Faces with holes have several outlines, which are joined in `parent`; so is everything of which
// it is known that it belongs together.
typedef struct dbvhi_face {
	uint32_t body, cut;
	uint32_t start; // an entry of its outline; DBVHI_NONE: a shell that is not cut
	uint32_t ring;  // the next outline of the same face, in a ring
	uint8_t side;   // dbvhi_face_side
	bool is_hole;   // the outline of a hole
} dbvhi_face;

// A triangle inside the other solid that is not cut.
typedef struct dbvhi_inner {
	uint32_t triangle;
	uint32_t face; // the face from which it was reached
} dbvhi_inner;

// A cluster of triangles inside the other solid, none of which is cut.
typedef struct dbvhi_unit {
	uint32_t cluster;
	uint32_t face;  // the face from which it was reached
	double outline; // length of its sides, in 1-norms, beside which corners are rounded
} dbvhi_unit;

// Keys in ascending order: kind << 63 | number << 31 | value, and where those of a kind and number begin.
typedef struct dbvhi_key_list {
	uint64_t *keys;
	size_t count, capacity;
	uint32_t *table; // a hash table of 1 + the first key of each kind and number; 0 is free
	size_t table_capacity, mask;
} dbvhi_key_list;

typedef struct dbvhi_overlap_body {
	const dbvh_tree *tree;
	const dbvhi_topology *topology;
	dbvhi_solid_sides *solid;
	dbvhi_placed placed;
	dbvhi_key_list points;   // contact points at vertices (kind 0) and on edges (1)
	dbvhi_key_list segments; // segments in edges (kind 0) and in triangles (1)
	dbvhi_cut *cuts;
	size_t cut_count, cut_capacity;
	dbvhi_outline *outline;
	size_t outline_count, outline_capacity;
	dbvhi_inner *inner;
	size_t inner_count, inner_capacity;
	uint32_t *where; // by triangle: an index into cuts, or cut_count + an index into inner, if that names the triangle
	size_t where_capacity;
	const dbvhi_clusters *clusters; // NULL: triangles are visited one by one
	uint32_t *touched;              // clusters with cut triangles
	size_t touched_count, touched_capacity;
	dbvhi_unit *units;
	size_t unit_count, unit_capacity;
	// By cluster: an index into touched, or touched_count + an index into units, if that names the cluster.
	uint32_t *cluster_where;
	size_t cluster_where_capacity;
	bool any_outside; // some part of its boundary is outside the other solid
	bool any_inside;  // some part of it is strictly inside
	bool any_same;
} dbvhi_overlap_body;

// Half of a plane at an edge: a triangle that ends there, or one side of a triangle that the edge crosses.
typedef struct dbvhi_sheet {
	uint32_t body, triangle, face;
	dbvhi_node_id witness; // a vertex in its half of the plane
	uint8_t sector;        // 0 where the first sheet is, 1 up to half a turn from it, 2 there, 3 beyond
	uint8_t flat;          // a bit a coordinate in which the witness is where the edge begins, both without rounding
	bool after;            // going round the edge anticlockwise, the solid begins here, else it ends
	double way[3];         // rounded: from the begin of the edge to the witness
	double normal[3];      // rounded: the edge's vector x way
	double size;           // the largest coordinate of `way` and of the edge's vector
} dbvhi_sheet;

// A corner of a polygon that is cut into triangles, in a ring.
typedef struct dbvhi_ring_corner {
	dbvhi_node_id node;
	uint32_t before, after;
} dbvhi_ring_corner;

// A face of the mesh that is made.
typedef struct dbvhi_draft {
	uint32_t component;
	dbvhi_node_id node[3]; // later vertices
	dbvh_overlap_source source;
} dbvhi_draft;

// A sum with a bound of its error.
typedef struct dbvhi_sum {
	dbvhi_dd value;
	double error;
} dbvhi_sum;

// Sums over the faces of a surface, in units of 2^o->exponent about o->origin.
typedef struct dbvhi_moments {
	dbvhi_sum volume;   // times 6
	dbvhi_sum first[3]; // integral of the coordinates, times 24
	dbvhi_sum area;
	// Areas and lengths of what is summed, and how many; and outlines of clusters times how far they are from the
	// origin. By these rounded corners matter.
	double flux, rim, count, outline;
	double box_min[3], box_max[3], box_error; // in the frame of A, and how far they may be off
	dbvhi_node_id node;                       // a corner
} dbvhi_moments;

enum { DBVHI_MOST_SOLIDS = 64 };

struct dbvh_overlap {
	dbvh_allocator allocator;
	dbvh_contacts *contacts;
	dbvh_workspace *workspace;
	dbvhi_solid_sides solids[DBVHI_MOST_SOLIDS];
	uint64_t clock;
	// The budget pays for what is learned about trees. In calls of many queries it does not: which of their threads
	// learns about a tree first would matter.
	bool charges_learning;

	dbvhi_overlap_body body[2];
	dbvhi_relative_pose relative; // relative pose of the first and the second body
	bool swapped;                 // the first body is the caller's B
	bool in_frame_of_pair;        // vertices of the mesh are in the frame of the first body, not in that of A
	dbvhi_meter *meter;
	double error; // bounds what coordinates of nodes are off
	double origin[3];
	int exponent;
	dbvh_contacts_view found;

	dbvhi_segment *segments;
	size_t segment_count, segment_capacity;
	uint32_t *table; // hash table of segments, and other scratch
	size_t table_capacity;
	dbvhi_face *faces;
	size_t face_count, face_capacity;
	uint32_t *patch;   // union-find over faces: connected parts of one boundary
	uint32_t *surface; // union-find over faces: connected parts of the boundary of the overlap
	size_t patch_capacity, surface_capacity;
	uint32_t *seam; // union-find over contact points: curves where the two boundaries meet
	size_t seam_capacity;
	uint64_t *scratch;
	size_t scratch_capacity;
	struct dbvhi_sheet *sheets;
	size_t sheet_capacity;
	uint32_t *queue;
	size_t queue_capacity;
	uint32_t *surface_of;   // by root of `surface`: its number
	uint32_t *component_of; // by surface
	size_t surface_of_capacity, component_of_capacity;
	size_t surface_count;
	dbvhi_moments *moments;
	size_t moments_capacity;

	uint32_t *vertex_at; // by node
	size_t vertex_at_capacity;
	dbvh_overlap_component *components;
	size_t component_capacity;
	dbvhi_ring_corner *corners;
	size_t corner_capacity;
	dbvhi_draft *drafts;
	size_t draft_capacity;
	double *vertices;
	size_t vertex_capacity;
	uint32_t *indices;
	size_t index_capacity;
	dbvh_overlap_source *sources;
	size_t source_capacity;
	dbvh_overlap_view view;
};

// The outcome of a step.
typedef enum dbvhi_overlap_outcome {
	DBVHI_OVERLAP_OK,
	DBVHI_OVERLAP_NO_MEMORY,
	DBVHI_OVERLAP_STOPPED,   // by the budget
	DBVHI_OVERLAP_UNDECIDED, // *result says why
} dbvhi_overlap_outcome;

static inline bool dbvhi_overlap_charge( dbvh_overlap *o, uint64_t steps ) {
	return dbvhi_meter_charge( o->meter, steps + dbvhi_meter_long_steps( o->meter ) );
}

#define DBVHI_ROOM( o, array, capacity, count )                                                                        \
	( ( ( count ) > 0 && ( capacity ) >= ( count ) ) ||                                                                \
	  dbvhi_grow_array( &( o )->allocator, &( array ), &( capacity ), ( count ) > 0 ? ( count ) : 1,                   \
	                    sizeof *( array ) ) )

// Nodes.
static inline dbvhi_node_id dbvhi_vertex_node( const dbvh_overlap *o, int body, uint32_t vertex ) {
	return (uint32_t)o->found.point_count + ( body == 1 ? (uint32_t)o->body[0].topology->point_count : 0 ) + vertex;
}

// node.c: coordinates, rounded to within o->error, and exact signs about them.
// Bounds of how far determinants of two and of three differences of such coordinates are off, differences being at most
// `size`; infinity where that is not known. They are those of exact/orient.c: a difference is off by eta = 2 error +
// u size. Two products of two differences: 4 size eta, and 3 u size^2 twice for the evaluation.
static inline bool dbvhi_size_is_safe( const dbvh_overlap *o, double size ) {
	return dbvhi_is_between( size, 0x1p300 ) && o->error < size * 0x1p-20;
}
static inline double dbvhi_error_of_2d( const dbvh_overlap *o, double size ) {
	return dbvhi_size_is_safe( o, size ) ? size * ( 9.0 * o->error + 12.0 * 0x1p-53 * size ) : INFINITY;
}
static inline double dbvhi_error_of_3d( const dbvh_overlap *o, double size ) {
	return dbvhi_size_is_safe( o, size ) ? size * size * ( 40.0 * o->error + 64.0 * 0x1p-53 * size ) : INFINITY;
}
void dbvhi_vertex_position( const dbvh_overlap *o, dbvhi_node_id node, double out[3] );
static inline void dbvhi_node_position( const dbvh_overlap *o, dbvhi_node_id node, double out[3] ) {
	if ( node >= o->found.point_count ) {
		dbvhi_vertex_position( o, node, out );
		return;
	}
	const double *at = o->found.points[node].position;
	for ( int k = 0; k < 3; ++k )
		out[k] = at[k];
}
// The same in the frame of A. Returns a bound of the error of each coordinate.
double dbvhi_node_in_a( const dbvh_overlap *o, dbvhi_node_id node, double out[3] );
// A bound of what a coordinate is off after the inverse of the relative pose, where coordinates and the pose's position
// are at most `size` together: the inverse of a matrix that is nearly orthonormal, by cofactors, and a product of three
// terms are less than 60 u of all that is summed.
static inline double dbvhi_inverse_error( const dbvh_overlap *o, double size ) {
	return 2.0 * o->error + 0x1p-46 * size + 0x1p-1040;
}
// The offset from o->origin in units of 2^o->exponent, within a relative 2^-96 of the largest of all coordinates.
void dbvhi_node_in_pairs( const dbvh_overlap *o, dbvhi_node_id node, dbvhi_dd out[3] );
// fraction 2^*exponent_out, the fraction in [1/2, 1] or 0, within a relative 2^-104.
dbvhi_dd dbvhi_leading_digits( const dbvhi_dyadic *x, int *exponent_out );
// True if coordinate `axis` of the node, which is a vertex, is known to be what dbvhi_node_position() says.
bool dbvhi_node_is_exact( const dbvh_overlap *o, int axis, dbvhi_node_id node );
// The sign of coordinate `axis` of p minus that of q.
int dbvhi_node_compare( const dbvh_overlap *o, int axis, dbvhi_node_id p, dbvhi_node_id q );
// The sign of the orientation of three nodes without coordinate `axis`.
int dbvhi_node_orient2d( const dbvh_overlap *o, int axis, dbvhi_node_id p, dbvhi_node_id q, dbvhi_node_id r );
// The same, or 0 where doubles are not sure.
int dbvhi_node_orient2d_filter( const dbvh_overlap *o, int axis, dbvhi_node_id p, dbvhi_node_id q, dbvhi_node_id r );
// The sign of det [q - p, r - p, s - p].
int dbvhi_node_orient3d( const dbvh_overlap *o, dbvhi_node_id p, dbvhi_node_id q, dbvhi_node_id r, dbvhi_node_id s );
// The largest component of a vector.
static inline int dbvhi_steepest( const double n[3] ) {
	const double x = fabs( n[0] ), y = fabs( n[1] ), z = fabs( n[2] );
	return x > y ? ( x > z ? 0 : 2 ) : ( y > z ? 1 : 2 );
}
static inline void dbvhi_cross_rounded( const double a[3], const double b[3], double out[3] ) {
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}
// An axis that leaves the triangle an area; *turn_out: its orientation there.
int dbvhi_node_projection( const dbvh_overlap *o, int body, uint32_t triangle, int *turn_out );

// cut.c: segments, and the outlines of cut triangles.
dbvhi_overlap_outcome dbvhi_overlap_cut( dbvh_overlap *o, dbvh_overlap_result *result );
// The cut of a triangle, or NULL.
static inline const dbvhi_cut *dbvhi_cut_of( const dbvhi_overlap_body *b, uint32_t triangle ) {
	const uint32_t at = b->where[triangle];
	return at < b->cut_count && b->cuts[at].triangle == triangle ? &b->cuts[at] : NULL;
}

static inline bool dbvhi_is_touched( const dbvhi_overlap_body *b, uint32_t cluster ) {
	const uint32_t at = b->cluster_where[cluster];
	return at < b->touched_count && b->touched[at] == cluster;
}

// nest.c: joins the outlines of faces with holes, of the cut that was made last.
dbvhi_overlap_outcome dbvhi_overlap_nest( dbvh_overlap *o, int body, const dbvhi_cut *cut );

// side.c: which faces are inside, and which bound the same wedge of the overlap.
dbvhi_overlap_outcome dbvhi_overlap_sides( dbvh_overlap *o );
// Joins the faces at a piece of an edge, inside the other solid, that bound the same wedge: those of the triangles at
// `edge` that bound their solid, in the order of the topology. False if there is no memory.
bool dbvhi_overlap_join_wedges( dbvh_overlap *o, int body, uint32_t edge, const uint32_t *faces );

// spread.c: from known faces over all that is inside.
dbvhi_overlap_outcome dbvhi_overlap_spread( dbvh_overlap *o, dbvh_overlap_result *result );

// Replace clusters by their triangles. False if there is no memory.
bool dbvhi_overlap_expand( dbvh_overlap *o );

// measure.c: numbers the surfaces of the overlap and sums over each of them, in doubles or in pairs of them.
dbvhi_overlap_outcome dbvhi_overlap_sum( dbvh_overlap *o, bool in_pairs );
void dbvhi_moments_join( dbvhi_moments *sum, const dbvhi_moments *m );
// Bounds how far `volume` is off.
double dbvhi_moments_volume_error( const dbvh_overlap *o, const dbvhi_moments *m, bool in_pairs );
void dbvhi_moments_close( const dbvh_overlap *o, const dbvhi_moments *m, bool in_pairs, dbvh_overlap_measure *out );

// crossed.c: the volume where triangles of a mesh cross others of it. Sets the volume, the centroid and bounds of the
// rest of *out where that can be done; leaves it alone otherwise.
dbvhi_overlap_outcome dbvhi_overlap_crossed( dbvh_overlap *o, dbvh_overlap_measure *out );

// component.c: components and their kinds.
dbvhi_overlap_outcome dbvhi_overlap_components( dbvh_overlap *o, double relative_width, dbvh_overlap_result *result );

// mesh.c
dbvhi_overlap_outcome dbvhi_overlap_mesh( dbvh_overlap *o );

// api.c: dbvh_overlap_find() after its arguments have been checked, but for the poses; and that check.
dbvh_status dbvhi_overlap_check( const dbvh_tree *a, const dbvh_tree *b, const dbvh_overlap_query *query,
                                 dbvh_error *error );
dbvh_status dbvhi_overlap_find( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                const dbvh_pose *pose_b, const dbvh_overlap_query *query, const dbvh_budget *budget,
                                dbvh_overlap *overlap, dbvh_overlap_result *result, dbvh_error *error );

// True if the face is part of the boundary of the overlap.
static inline bool dbvhi_face_bounds( const dbvhi_face *f ) {
	return f->side == DBVHI_FACE_IN || ( f->side == DBVHI_FACE_SAME && f->body == 0 );
}
