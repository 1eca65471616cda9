// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file contact.h
/// The contacts of two posed meshes (contact points, intersection curves, contact regions), grouped into clusters; the
/// extent of the overlap of the solids along a direction; and a translation that separates them.
///
/// Conventions, the same for every function of this file:
///
/// | quantity | convention |
/// |---|---|
/// | frame | the mesh frame of A, in which A's vertices were given; pose_a takes it to the common frame |
/// | unit | the caller's, as measured in the mesh frame of A |
/// | position | the exact point, each coordinate rounded once to the nearest double (ties to even) |
/// | triangle | its number in file order; corner k is its k-th vertex, side k runs from corner k to the next |
/// | normal of a triangle | (corner 1 - corner 0) x (corner 2 - corner 0), of B after its pose |
/// | direction of a curve | along n_A x n_B: anticlockwise round what of A is inside B, seen from outside A |
/// | corners of a polygon | anticlockwise seen from the tip of n_A |
/// | a and b | A and B in the caller's order |
/// | separating translation | of B; A stays |
///
/// Why the frame of A: there a vertex of A is a point of contact bit for bit, and every other point is a mean of A's
/// own corners, so that positions are rounded once; in the common frame they would be rounded a second time. Swapping
/// A and B swaps a and b, gives positions in the other frame, turns curves and polygons round, and changes nothing
/// else but the numbering.
///
/// No number here is a "penetration depth of a triangle": a pair of triangles has none. What closed meshes have is the
/// extent of their overlap along a direction and translations that separate them, and both are given as such.
///
/// Exactness. Which triangles intersect, whether in a point, a segment or a polygon, which pieces share an end, which
/// of them form loops and clusters: all this is decided by exact signs, about the relative pose of collide.h, without a
/// tolerance. Two pieces share an end when it is the same corner, side or triangle of A and the same of B, never
/// because coordinates are alike. All of it is the same on every CPU and thread count. Lengths and areas are sums of
/// doubles over rounded positions.

#ifndef DUALBVH_CONTACT_H
#define DUALBVH_CONTACT_H

#include "dualbvh/collide.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------
// What is found

typedef enum dbvh_feature_kind {
	DBVH_FEATURE_KIND_VERTEX,   ///< a corner of a triangle
	DBVH_FEATURE_KIND_EDGE,     ///< a side without its ends
	DBVH_FEATURE_KIND_TRIANGLE, ///< a triangle without its sides
} dbvh_feature_kind;

/// A vertex, edge or triangle of a mesh. Corners with equal coordinates are one vertex, sides between the same vertices
/// one edge. A feature is named by the lowest triangle that has it among those that intersect the other mesh there.
typedef struct dbvh_feature {
	uint32_t triangle;
	dbvh_feature_kind kind;
	uint32_t index; ///< the corner or side of that triangle, 0 to 2; 0 for a triangle
} dbvh_feature;

/// A point where a feature of A intersects one of B and at least one of them ends: the end of a segment, the corner of
/// a polygon, or a contact in a single point. Of two features that touch in it, the smallest that hold it are named.
/// Points are different if their features are: where a mesh passes through itself two may have the same position.
typedef struct dbvh_contact_point {
	double position[3];
	dbvh_feature a, b;
	/// Number of steps of polylines that end here: 2 inside a curve, 0 for an isolated point or inside a region.
	uint32_t steps;
	uint32_t cluster; ///< index into `clusters`
} dbvh_contact_point;

typedef enum dbvh_contact_kind {
	DBVH_CONTACT_KIND_POINT,   ///< the triangles share one point
	DBVH_CONTACT_KIND_SEGMENT, ///< a segment
	DBVH_CONTACT_KIND_POLYGON, ///< they lie in one plane and share a convex polygon of 3 to 6 corners
} dbvh_contact_kind;

/// The intersection of two triangles.
typedef struct dbvh_contact {
	dbvh_pair pair;
	dbvh_contact_kind kind;
	uint32_t corner_count;
	size_t first_corner; ///< index into `corners`
	uint32_t cluster;    ///< index into `clusters`
} dbvh_contact;

typedef enum dbvh_polyline_kind {
	DBVH_POLYLINE_KIND_CURVE,    ///< surfaces cross, or touch along a line
	DBVH_POLYLINE_KIND_BOUNDARY, ///< part of the boundary of a flat region where the surfaces lie on each other
} dbvh_polyline_kind;

/// A chain of segments, each taken once however many pairs of triangles share it. A polyline continues where exactly
/// two segments share an end, and ends elsewhere.
typedef struct dbvh_polyline {
	size_t first;       ///< index into `path`
	size_t point_count; ///< at least 2. A closed polyline also has a step from its last point back to its first
	double length;
	dbvh_polyline_kind kind;
	uint32_t cluster;
	bool closed;
	/// Every step runs along n_A x n_B. If false (boundaries, touching, meshes that are not oriented) the direction
	/// means nothing; it is fixed by the points' numbers.
	bool directed;
} dbvh_polyline;

/// One entry of a polyline: a point, and the step from it to the next.
typedef struct dbvh_path_entry {
	uint32_t point;
	uint32_t contact; ///< the first pair of triangles that shares the step; UINT32_MAX for the last of an open polyline
} dbvh_path_entry;

/// A connected part of the contact: contacts joined through common points.
typedef struct dbvh_cluster {
	dbvh_aabb bounds; ///< bounding box of the exact points, each bound rounded to nearest
	double length;    ///< sum of the lengths of its polylines
	double area;      ///< sum of the areas of its polygons
	size_t first_polyline, polyline_count;
	size_t contact_count;
	size_t point_count;
	size_t triangle_count_a, triangle_count_b; ///< different triangles of A, and of B, in its contacts
} dbvh_cluster;

/// All contacts found, in arrays that belong to a dbvh_contacts.
typedef struct dbvh_contacts_view {
	const dbvh_contact *contacts; ///< one a pair that intersects, sorted by a, then b
	size_t contact_count;
	const uint32_t *corners; ///< indices into `points`
	size_t corner_count;
	const dbvh_contact_point *points; ///< numbered as `corners` first names them
	size_t point_count;
	const dbvh_polyline *polylines; ///< by cluster, then by the lowest contact of a step
	size_t polyline_count;
	const dbvh_path_entry *path;
	size_t path_count;
	const dbvh_cluster *clusters; ///< by their lowest contact
	size_t cluster_count;
} dbvh_contacts_view;

// ------------------------------------------------------------------------------------------------
// Finding it

/// Workspace and result of the queries below in one object. Make it once and use it for any number of pairs and poses:
/// it grows as needed and never shrinks, so that a repeated query allocates nothing. For one thread at a time.
typedef struct dbvh_contacts dbvh_contacts;

/// Makes an empty dbvh_contacts with memory of `allocator` (NULL: the C library's). Errors: INVALID_ARGUMENT,
/// OUT_OF_MEMORY; *contacts_out is NULL then. Any thread, constant time.
DBVH_API dbvh_status dbvh_contacts_create( const dbvh_allocator *allocator, dbvh_contacts **contacts_out,
                                           dbvh_error *error );

/// Frees contacts. NULL is allowed.
DBVH_API void dbvh_contacts_destroy( dbvh_contacts *contacts );

/// Options of the queries. All zero: on the calling thread, without a limit.
typedef struct dbvh_contacts_query {
	uint32_t thread_count; ///< the most threads, as in dbvh_collide_query; no answer depends on it
	/// A limit on the work of the call; NULL: none. Where it ends the call early there are no contacts, and results
	/// that are computed from them are all zero unless the declaration says otherwise.
	const dbvh_budget *budget;
} dbvh_contacts_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_contacts_query dbvh_contacts_query_default( void );

/// Finds all contacts of A at pose_a and B at pose_b: the pairs of dbvh_collide() with DBVH_FIND_ALL, and the
/// intersection of each. Poses as there. Both trees must have been built with dbvh_tree_options.topology. `query` may
/// be NULL. `contacts` is emptied first, and stays empty on error.
///
/// In general position (no corner of a mesh on the other, no two sides that cross) two closed meshes have closed
/// polylines only, all of them directed if the meshes are oriented. Open polylines come from open meshes, from
/// touching, and from points where more than two segments end. A flat region is given by its polygons, and its boundary
/// by polylines: sides that two polygons have in common are left out. A triangle without an area is the segment or
/// point it has shrunk to; its contact may be a segment of length 0 that joins the contacts of its neighbours.
///
/// Cost: that of dbvh_collide(), and one to two microseconds a pair (some more where triangles touch or lie in one
/// plane). Memory: 400 to 700 bytes a pair. Errors: those of dbvh_collide(), NO_TOPOLOGY, LIMIT (more than 2^32 - 2
/// pairs or points), and with a budget BUDGET_SPENT and CANCELLED. Thread safety: trees are only read; `contacts` must
/// not be shared.
DBVH_API dbvh_status dbvh_contacts_find( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                         const dbvh_pose *pose_b, const dbvh_contacts_query *query,
                                         dbvh_contacts *contacts, dbvh_error *error );

/// Returns the contacts that the last call found; all empty before the first call and after an error. Valid until the
/// next call with these contacts. Constant time.
DBVH_API dbvh_contacts_view dbvh_contacts_get( const dbvh_contacts *contacts );

// ------------------------------------------------------------------------------------------------
// Overlap

/// The interval of direction . x over all points x that A and B have in common.
typedef struct dbvh_extent {
	double min, max; ///< both 0 where there is no common point
} dbvh_extent;

/// Computes the extents of the common points of A and B along directions.
///
/// A mesh stands for its triangles and the points that its closed components enclose (relation.h), so this is the
/// extent of the overlapping solids where both are closed; touching meshes have an extent too. A triangle without an
/// area is the segment or point it has shrunk to, as in dbvh_contacts_find(), and is a part of its mesh: where such a
/// triangle lies inside the other mesh and intersects no triangle of it, its points are common points here, while
/// dbvh_relate(), for which such triangles count for contact and for nothing else, may call the meshes disjoint. The
/// extent along a unit direction has max - min as its length; a direction is used as given, in the frame of A, and need
/// not have unit length. The extent along one direction does not tell how far the meshes must be moved to separate
/// them: see dbvh_separating_translation().
///
/// Extents are computed from the points of contact and the vertices of each mesh inside the other, which are found
/// exactly. If neither mesh passes through itself their ends are those of the exact interval, but for rounding: 8 units
/// in the last place of sum |direction[k] x[k]|, x the farthest vertex or offset of the poses. Otherwise they may lie
/// inside it: a lower bound. `directions` are three doubles each. *common_out (may be NULL) tells whether there is any
/// common point. `contacts` gets those of dbvh_contacts_find(). Cost: that of dbvh_contacts_find(), time linear in both
/// meshes, and a ray for each group of vertices that no contact separates. Errors: those of dbvh_contacts_find();
/// INVALID_ARGUMENT and NOT_FINITE also for directions; all extents are 0 then, and `contacts` is empty.
DBVH_API dbvh_status dbvh_overlap_extents( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                           const dbvh_pose *pose_b, const double *directions, size_t direction_count,
                                           const dbvh_contacts_query *query, dbvh_contacts *contacts,
                                           dbvh_extent *extents_out, bool *common_out, dbvh_error *error );

typedef struct dbvh_separation {
	bool disjoint; ///< the meshes are disjoint as given: all lengths below are 0, and pose_b is the one given
	/// The translation of B that makes it disjoint from A, in the frame of A, rounded.
	double translation[3];
	double length; ///< its length: an upper bound on that of the shortest translation that separates, rounding aside
	/// The pose of B after the translation, in the frame of the poses given: dbvh_relate() says DISJOINT at exactly
	/// this pose.
	dbvh_pose pose_b;
} dbvh_separation;

/// Finds a translation of B that separates the meshes (minimum translation vector, penetration depth): after it they
/// have no common point, and neither is inside the other.
///
/// The directions tried are the axes of both meshes' boxes, the axis through their centres, the mean normals of the
/// largest loops of contact, and directions near the best of these. Along each a short translation is sought by
/// bisection, where every step is decided by dbvh_relate(). The result is a translation that separates, and so an
/// *upper bound* on the shortest one. It need not be the shortest. The way is not examined: meshes that are locked into
/// each other are separate at the end of a translation that passes through them. Cost: one or two hundred calls of
/// dbvh_relate(). Deterministic. `contacts` gets those of dbvh_contacts_find() at the poses given. `query` may be NULL.
/// Errors: those of dbvh_contacts_find(); LIMIT if no translation within the range of doubles was found;
/// *separation_out is all zero then. Where a budget ends the call, *separation_out has the shortest translation found
/// until then, with a length above 0, or is all zero if none was found.
DBVH_API dbvh_status dbvh_separating_translation( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                  const dbvh_pose *pose_b, const dbvh_contacts_query *query,
                                                  dbvh_contacts *contacts, dbvh_separation *separation_out,
                                                  dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_CONTACT_H
