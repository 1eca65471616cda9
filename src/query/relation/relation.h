// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How dbvh_relate() finds the relation of two solids.
//
// The surfaces of the two meshes cut space into regions; each is inside both, inside one, or inside neither. Which of
// the first three kinds exist decides the relation. If the surfaces intersect, each kind that exists is also found near
// the corners of their intersection. A corner is a vertex on the other mesh, an edge that crosses an edge, or an edge
// that crosses a face. Near it, regions are cones; one sample of each is taken infinitely close to the corner, and rays
// tell whether it is inside. A component that intersects nothing is inside or outside as a whole.

#pragma once

#include "base/assert.h"
#include "base/budget.h"
#include "dualbvh/relation.h"
#include "query/common/workspace.h"
#include "query/relation/inside.h"

// Kinds of points that are known to exist.
enum {
	DBVHI_BOTH = 1,       // a point inside both
	DBVHI_ONLY_FIXED = 2, // a point inside the fixed mesh (or of a sheet of it) outside the moved one
	DBVHI_ONLY_MOVED = 4,
	DBVHI_EVERYTHING = 7, // all kinds: the relation cannot change any more
};

// Readings: the relation is found for several fill rules (dbvh_fill_rule) at once, from the same samples: for those of
// the trees, for the other rule of the fixed mesh, and for the other rule of the moved one. This shows whether the rule
// matters, at almost no cost.
enum { DBVHI_AS_ASKED, DBVHI_FIXED_OTHERWISE, DBVHI_MOVED_OTHERWISE, DBVHI_READINGS };

// A triangle of the link of a corner, its angle there spanned by vectors. The link is all triangles that contain the
// corner.
typedef struct dbvhi_link_triangle {
	uint32_t leaf;
	uint8_t mesh;  // 0 fixed, 1 moved
	uint8_t sheet; // 1: the component is a sheet, which encloses nothing
	dbvhi_tri_feature feature;
	// At a corner of the triangle: along both edges. On an edge: along it, back, and to the third corner. Inside the
	// face: all three edges.
	dbvhi_vector vector[3];
	dbvhi_vector_limbs limbs[3];
} dbvhi_link_triangle;

// A pair of triangles that intersect, in file order.
typedef struct dbvhi_met {
	uint32_t fixed, moved;
} dbvhi_met;

// Memory that grows with the first queries.
typedef struct dbvhi_relation_memory {
	dbvh_pair *pairs;
	size_t pair_capacity;
	uint64_t *by_fixed, *by_moved; // the pairs as keys, sorted; the fixed (moved) triangle is the upper half
	size_t by_fixed_capacity, by_moved_capacity;
	dbvhi_link_triangle *link;
	size_t link_capacity;
	uint8_t *met[2]; // flags of each component, see parts.c; 1: a triangle of it intersects the other mesh
	size_t met_capacity[2];
} dbvhi_relation_memory;

typedef struct dbvhi_relating {
	dbvhi_placed mesh[2]; // fixed, moved
	const dbvh_pose *pose;
	bool solid[2]; // has an even component
	const dbvh_allocator *allocator;
	dbvhi_relation_memory *memory;
	size_t pair_count;
	bool murky[2];     // a triangle was seen with its mesh on both sides or on none, so samples elsewhere may differ
	bool listed;       // memory->by_fixed and by_moved list all pairs that intersect
	int reading_count; // number of readings that are wanted, from the first
	unsigned known[DBVHI_READINGS]; // kinds of points found so far
	unsigned enough;                // kinds of points that matter: the search ends when all of them are known
	dbvhi_meter *meter;
} dbvhi_relating;

static inline bool dbvhi_relating_done( const dbvhi_relating *r ) {
	for ( int k = 0; k < r->reading_count; ++k ) {
		if ( ( r->known[k] & r->enough ) != r->enough )
			return false;
	}
	return true;
}

// Charge `steps`, and those that long products of exact decisions have taken since. Returns false if the budget is
// spent.
static inline bool dbvhi_relating_charge( const dbvhi_relating *r, uint64_t steps ) {
	return dbvhi_meter_charge( r->meter, steps + dbvhi_meter_long_steps( r->meter ) );
}

// Extract from the result of dbvhi_is_inside() for a mesh whether the point is inside in one reading.
static inline bool dbvhi_reads( int reading, int mesh, unsigned inside ) {
	DBVHI_ASSERT( (unsigned)reading < DBVHI_READINGS && (unsigned)mesh < 2 );
	return ( inside & ( reading == DBVHI_FIXED_OTHERWISE + mesh ? DBVHI_ENCLOSED_OTHERWISE : DBVHI_ENCLOSED ) ) != 0;
}

// Learn of a point for which dbvhi_is_inside() has returned `inside`, for each mesh.
static inline void dbvhi_relate_learn( dbvhi_relating *r, const unsigned inside[2] ) {
	DBVHI_ASSERT( r->reading_count >= 1 && r->reading_count <= DBVHI_READINGS );
	static const unsigned news[4] = { 0, DBVHI_ONLY_FIXED, DBVHI_ONLY_MOVED, DBVHI_BOTH };
	for ( int k = 0; k < r->reading_count; ++k )
		r->known[k] |= news[( dbvhi_reads( k, 0, inside[0] ) ? 1 : 0 ) + ( dbvhi_reads( k, 1, inside[1] ) ? 2 : 0 )];
}

// Learn of a point of a sheet of `mesh`. `inside` is the result of dbvhi_is_inside() for the other mesh on either side
// of the sheet, `covered` whether the point is on the other's surface. If the sides differ, it is on the surface
// anyway.
static inline void dbvhi_relate_learn_sheet( dbvhi_relating *r, int mesh, const unsigned inside[2], bool covered ) {
	for ( int k = 0; k < r->reading_count; ++k ) {
		const bool one = dbvhi_reads( k, !mesh, inside[0] ), two = dbvhi_reads( k, !mesh, inside[1] );
		if ( one && two )
			r->known[k] |= DBVHI_BOTH;
		else if ( !one && !two && !covered )
			r->known[k] |= mesh == 0 ? DBVHI_ONLY_FIXED : DBVHI_ONLY_MOVED;
	}
}

// True if dbvhi_relate_learn_sheet() would learn anything from a point that is not covered.
static inline bool dbvhi_relate_is_news_of_sheet( const dbvhi_relating *r, int mesh, const unsigned inside[2] ) {
	const unsigned own_only = mesh == 0 ? DBVHI_ONLY_FIXED : DBVHI_ONLY_MOVED;
	for ( int k = 0; k < r->reading_count; ++k ) {
		if ( ( r->known[k] & own_only ) == 0 && !dbvhi_reads( k, !mesh, inside[0] ) &&
		     !dbvhi_reads( k, !mesh, inside[1] ) )
			return true;
	}
	return false;
}

// Learn that a sheet of one mesh crosses a sheet of the other.
static inline void dbvhi_relate_sheets_cross( dbvhi_relating *r ) {
	for ( int k = 0; k < r->reading_count; ++k )
		r->known[k] |= DBVHI_BOTH;
}

// True if a point inside both is known in every reading.
static inline bool dbvhi_relate_knows_both( const dbvhi_relating *r ) {
	unsigned known = DBVHI_BOTH;
	for ( int k = 0; k < r->reading_count; ++k )
		known &= r->known[k];
	return known != 0;
}

// The axis along which rays go.
#define DBVHI_RAY_AXIS 0

static inline bool dbvhi_relating_is_sheet( const dbvhi_relating *r, int mesh, uint32_t leaf ) {
	DBVHI_ASSERT( (unsigned)mesh < 2 );
	DBVHI_ASSERT( leaf < r->mesh[mesh].tree->triangle_count );
	const dbvh_tree *tree = r->mesh[mesh].tree;
	return !dbvhi_is_solid( tree->topology, tree->triangle[leaf] );
}

// Ask dbvhi_is_inside() for a perturbed point that is on no surface; 0 if the mesh encloses nothing.
unsigned dbvhi_relate_is_inside( const dbvhi_relating *r, int mesh, const dbvhi_perturbed_point *perturbed );

// Set the vectors of a triangle of a link, whose leaf, mesh and feature are set.
void dbvhi_link_make_vectors( dbvhi_link_triangle *triangle, const dbvhi_relating *r );

// True if sheets of both meshes cross along the direction u from a corner. The link is the first link_count triangles
// of memory->link, with leaf, mesh and feature.
bool dbvhi_link_sheets_cross( const dbvhi_relating *r, size_t link_count, const dbvhi_vector *u );

// True if the triangle covers, near the corner, a thin wedge that begins at the direction u and opens towards w.
bool dbvhi_link_covers( const dbvhi_link_triangle *triangle, const dbvhi_vector *u, const dbvhi_vector *w );

// A vector times a sign, 1 or -1. The limbs are shared.
static inline dbvhi_vector dbvhi_vector_signed( const dbvhi_vector *v, int sign ) {
	DBVHI_ASSERT( sign == 1 || sign == -1 );
	dbvhi_vector out = *v;
	for ( int k = 0; k < 3; ++k ) {
		out.near[k] *= sign;
		out.sign[k] *= sign;
	}
	return out;
}

// Take samples all round a corner: `point`, in which the link_count triangles of memory->link meet, each with leaf,
// mesh and feature.
void dbvhi_relate_link( dbvhi_relating *r, const dbvhi_exact_point *point, size_t link_count );

// Take samples at all pairs that intersect, which memory->by_fixed and by_moved list; first at crossings, which are
// quick.
dbvh_status dbvhi_relate_pairs( dbvhi_relating *r );

// Take samples at one pair, if its triangles cross. Before all pairs are listed, less is learned from two sheets.
dbvh_status dbvhi_relate_crossing( dbvhi_relating *r, uint32_t leaf_fixed, uint32_t leaf_moved );

// Find the relation of a mesh with itself at the same place, if its components are closed surfaces that nowhere meet
// themselves or each other: every region is beside one of them, so samples on both sides of one triangle of each
// suffice.
void dbvhi_relate_itself( dbvhi_relating *r );

// Take samples at components that intersect nothing and, if a mesh is murky, at all triangles of the others.
void dbvhi_relate_parts( dbvhi_relating *r );

// The first component of `mesh` that sheets of the other mesh might enclose, in one reading; SIZE_MAX if there is none.
// To be called after dbvhi_relate_parts().
size_t dbvhi_relate_doubt( dbvhi_relating *r, int mesh, int reading );

// True if a point in the frame of the query is in the bounding box of the mesh's sheets; the box is in the mesh's
// frame.
bool dbvhi_among_sheets( const dbvhi_placed *mesh, dbvhi_corner point );

// Check the trees and the query, but no poses.
dbvh_status dbvhi_check_relate( const dbvh_tree *a, const dbvh_tree *b, const dbvh_relate_query *query,
                                dbvh_error *error );

// dbvh_relate() after all arguments but the poses have been checked, charged to a meter.
dbvh_status dbvhi_relate( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                          const dbvh_relate_query *query, dbvh_workspace *workspace, dbvhi_meter *meter,
                          dbvh_relate_result *result );

// Tell whether there is a point inside both meshes, without open components, and whether their surfaces have a common
// point, with a pair of triangles that has: as much of dbvhi_relate() as that takes.
dbvh_status dbvhi_relate_interiors( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                    const dbvh_pose *pose_b, dbvh_workspace *workspace, dbvhi_meter *meter,
                                    bool *common_out, bool *touching_out, dbvh_pair *first_out );
