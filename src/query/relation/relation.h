// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How dbvh_relate() finds out what two solids have in common.
//
// The surfaces of the two meshes cut space into regions; each is inside both, inside one, or inside neither. Which of
// the first three kinds exist decides the relation. Whatever exists shows where the surfaces intersect, if they
// intersect at all: near the corners of what they have in common. Corners are where a vertex lies on the other mesh, an
// edge crosses an edge, or an edge crosses a face; near each, regions are cones, one sample of each is taken infinitely
// close to the corner, and rays tell what it is inside of. A component that intersects nothing is inside or outside as
// a whole.

#pragma once

#include "base/assert.h"
#include "base/budget.h"
#include "dualbvh/relation.h"
#include "query/common/workspace.h"
#include "query/relation/inside.h"

// What is known to exist.
enum {
	DBVHI_BOTH = 1,       // a point inside both
	DBVHI_ONLY_FIXED = 2, // a point inside the fixed mesh (or of a sheet of it) outside the moved one
	DBVHI_ONLY_MOVED = 4,
	DBVHI_EVERYTHING = 7, // the relation cannot change any more
};

// All is asked several times at once, of the same samples: of the meshes as their trees say what they enclose, of the
// fixed mesh by the other rule (dbvh_fill_rule), and of the moved one by the other rule. Where that changes nothing, it
// costs nothing.
enum { DBVHI_AS_ASKED, DBVHI_FIXED_OTHERWISE, DBVHI_MOVED_OTHERWISE, DBVHI_READINGS };

// A triangle at a corner, its angle there spanned by vectors.
typedef struct dbvhi_link_triangle {
	uint32_t leaf;
	uint8_t mesh;  // 0 fixed, 1 moved
	uint8_t sheet; // of a component that encloses nothing
	dbvhi_tri_feature feature;
	// At a corner: along both edges. On an edge: along it, back, and to the third corner. In the inside: all three
	// edges.
	dbvhi_vector vector[3];
	dbvhi_vector_limbs limbs[3];
} dbvhi_link_triangle;

// A pair of triangles that intersect, by file order.
typedef struct dbvhi_met {
	uint32_t fixed, moved;
} dbvhi_met;

// Memory that grows with the first queries.
typedef struct dbvhi_relation_memory {
	dbvh_pair *pairs;
	size_t pair_capacity;
	uint64_t *by_fixed, *by_moved; // the same pairs sorted by either, the one they are sorted by in the upper half
	size_t by_fixed_capacity, by_moved_capacity;
	dbvhi_link_triangle *link;
	size_t link_capacity;
	uint8_t *met[2]; // per component: see parts.c; 1 if a triangle of it intersects the other mesh
	size_t met_capacity[2];
} dbvhi_relation_memory;

typedef struct dbvhi_relating {
	dbvhi_placed mesh[2]; // fixed, moved
	const dbvh_pose *pose;
	bool solid[2]; // has an even component
	const dbvh_allocator *allocator;
	dbvhi_relation_memory *memory;
	size_t pair_count;
	bool murky[2]; // a surface was seen that its own mesh encloses on both sides or on none: more may show elsewhere
	bool listed;   // memory->by_fixed and by_moved list all pairs that intersect
	int reading_count; // the first so many readings are wanted
	unsigned known[DBVHI_READINGS];
	unsigned enough; // no more than that need be known
	dbvhi_meter *meter;
} dbvhi_relating;

static inline bool dbvhi_relating_done( const dbvhi_relating *r ) {
	for ( int k = 0; k < r->reading_count; ++k ) {
		if ( ( r->known[k] & r->enough ) != r->enough )
			return false;
	}
	return true;
}

// Charges so many steps, and those that long products of exact decisions have taken since. Returns false where the call
// has to end.
static inline bool dbvhi_relating_charge( const dbvhi_relating *r, uint64_t steps ) {
	return dbvhi_meter_charge( r->meter, steps + dbvhi_meter_long_steps( r->meter ) );
}

// What dbvhi_is_inside() says of a mesh, in one reading.
static inline bool dbvhi_reads( int reading, int mesh, unsigned inside ) {
	DBVHI_ASSERT( (unsigned)reading < DBVHI_READINGS && (unsigned)mesh < 2 );
	return ( inside & ( reading == DBVHI_FIXED_OTHERWISE + mesh ? DBVHI_ENCLOSED_OTHERWISE : DBVHI_ENCLOSED ) ) != 0;
}

// There is a point inside of what dbvhi_is_inside() says of either mesh.
static inline void dbvhi_relate_learn( dbvhi_relating *r, const unsigned inside[2] ) {
	DBVHI_ASSERT( r->reading_count >= 1 && r->reading_count <= DBVHI_READINGS );
	static const unsigned news[4] = { 0, DBVHI_ONLY_FIXED, DBVHI_ONLY_MOVED, DBVHI_BOTH };
	for ( int k = 0; k < r->reading_count; ++k )
		r->known[k] |= news[( dbvhi_reads( k, 0, inside[0] ) ? 1 : 0 ) + ( dbvhi_reads( k, 1, inside[1] ) ? 2 : 0 )];
}

// There is a point of a sheet of `mesh`, inside of what is said of the other on either side, and on the other's surface
// if `covered`. Where the sides differ it is in any case.
static inline void dbvhi_relate_learn_sheet( dbvhi_relating *r, int mesh, const unsigned inside[2], bool covered ) {
	for ( int k = 0; k < r->reading_count; ++k ) {
		const bool one = dbvhi_reads( k, !mesh, inside[0] ), two = dbvhi_reads( k, !mesh, inside[1] );
		if ( one && two )
			r->known[k] |= DBVHI_BOTH;
		else if ( !one && !two && !covered )
			r->known[k] |= mesh == 0 ? DBVHI_ONLY_FIXED : DBVHI_ONLY_MOVED;
	}
}

// Of such a point, would it be news that it is not on the other's surface?
static inline bool dbvhi_relate_is_news_of_sheet( const dbvhi_relating *r, int mesh, const unsigned inside[2] ) {
	const unsigned own_only = mesh == 0 ? DBVHI_ONLY_FIXED : DBVHI_ONLY_MOVED;
	for ( int k = 0; k < r->reading_count; ++k ) {
		if ( ( r->known[k] & own_only ) == 0 && !dbvhi_reads( k, !mesh, inside[0] ) &&
		     !dbvhi_reads( k, !mesh, inside[1] ) )
			return true;
	}
	return false;
}

// There is a point where sheets of the two cross.
static inline void dbvhi_relate_sheets_cross( dbvhi_relating *r ) {
	for ( int k = 0; k < r->reading_count; ++k )
		r->known[k] |= DBVHI_BOTH;
}

// Is it known of every reading that there is a point inside both?
static inline bool dbvhi_relate_knows_both( const dbvhi_relating *r ) {
	unsigned known = DBVHI_BOTH;
	for ( int k = 0; k < r->reading_count; ++k )
		known &= r->known[k];
	return known != 0;
}

// The axis that rays follow.
#define DBVHI_RAY_AXIS 0

static inline bool dbvhi_relating_is_sheet( const dbvhi_relating *r, int mesh, uint32_t leaf ) {
	DBVHI_ASSERT( (unsigned)mesh < 2 );
	DBVHI_ASSERT( leaf < r->mesh[mesh].tree->triangle_count );
	const dbvh_tree *tree = r->mesh[mesh].tree;
	return !dbvhi_is_solid( tree->topology, tree->triangle[leaf] );
}

// Of a perturbed point that is on no surface: is it inside a mesh? As dbvhi_is_inside().
unsigned dbvhi_relate_is_inside( const dbvhi_relating *r, int mesh, const dbvhi_perturbed_point *perturbed );

// Fills the vectors of a triangle of a link.
void dbvhi_link_make_vectors( dbvhi_link_triangle *triangle, const dbvhi_relating *r );

// Of the sheets among the first link_count triangles of memory->link, which have leaf, mesh and feature: do they cross
// about the direction u?
bool dbvhi_link_sheets_cross( const dbvhi_relating *r, size_t link_count, const dbvhi_vector *u );

// Does the triangle cover the half plane from the corner that begins with u and goes a little towards w?
bool dbvhi_link_covers( const dbvhi_link_triangle *triangle, const dbvhi_vector *u, const dbvhi_vector *w );

// A vector, or its opposite for a sign of -1. The limbs are shared.
static inline dbvhi_vector dbvhi_vector_signed( const dbvhi_vector *v, int sign ) {
	DBVHI_ASSERT( sign == 1 || sign == -1 );
	dbvhi_vector out = *v;
	for ( int k = 0; k < 3; ++k ) {
		out.near[k] *= sign;
		out.sign[k] *= sign;
	}
	return out;
}

// Looks all round a corner: `point`, where the link_count triangles of memory->link meet, each with leaf, mesh and
// feature.
void dbvhi_relate_link( dbvhi_relating *r, const dbvhi_exact_point *point, size_t link_count );

// Looks at all pairs that intersect, which memory->by_fixed and by_moved list; first at crossings, which are quick.
dbvh_status dbvhi_relate_pairs( dbvhi_relating *r );

// Looks at one pair alone, and only if the triangles cross. Of two sheets it learns less before all pairs are listed.
dbvh_status dbvhi_relate_crossing( dbvhi_relating *r, uint32_t leaf_fixed, uint32_t leaf_moved );

// All there is to know of a mesh and itself at the same place, if its components are closed surfaces that nowhere meet
// themselves or each other: every region is beside one of them, so both sides of one triangle of each tell.
void dbvhi_relate_itself( dbvhi_relating *r );

// Looks at components that have met nothing, and where a mesh is murky at all triangles of those that have.
void dbvhi_relate_parts( dbvhi_relating *r );

// After that: the first component of `mesh` that sheets of the other might hold, in one reading; SIZE_MAX if there is
// none.
size_t dbvhi_relate_doubt( dbvhi_relating *r, int mesh, int reading );

// Is the point, in the frame of the query, in the bounding box of the mesh's sheets, which is one in its own frame?
bool dbvhi_among_sheets( const dbvhi_placed *mesh, dbvhi_corner point );

// The trees and the query, but no poses.
dbvh_status dbvhi_check_relate( const dbvh_tree *a, const dbvh_tree *b, const dbvh_relate_query *query,
                                dbvh_error *error );

// dbvh_relate() once its arguments are checked, but for the poses, and charged to a meter.
dbvh_status dbvhi_relate( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                          const dbvh_relate_query *query, dbvh_workspace *workspace, dbvhi_meter *meter,
                          dbvh_relate_result *result );
