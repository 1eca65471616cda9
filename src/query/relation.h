// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How dbvh_relate() finds out what two solids have in common.
//
// The surfaces of the two meshes cut space into regions; each is inside both, inside one, or inside neither. Which of
// the first three kinds exist decides the relation. Whatever exists shows where the surfaces meet, if they meet at all:
// near the corners of what they have in common. Corners are where a vertex lies on the other mesh, an edge crosses an
// edge, or an edge crosses a face; near each, regions are cones, one sample of each is taken infinitely close to the
// corner, and rays tell what it is inside of. A component that meets nothing is inside or outside as a whole.

#pragma once

#include "dualbvh/relation.h"
#include "query/inside.h"
#include "query/workspace.h"

// What is known to exist.
enum {
	DBVHI_BOTH = 1,       // a point inside both
	DBVHI_ONLY_FIXED = 2, // a point inside the fixed mesh (or of a sheet of it) outside the moved one
	DBVHI_ONLY_MOVED = 4,
	DBVHI_EVERYTHING = 7, // the relation cannot change any more
};

// A triangle at a corner, its angle there spanned by vectors.
typedef struct dbvhi_link_triangle {
	uint32_t leaf;
	uint8_t mesh;  // 0 fixed, 1 moved
	uint8_t sheet; // of a component that encloses nothing
	uint8_t odd;   // it stands for an odd number of triangles of the mesh: see tree/twins.h
	dbvhi_where feature;
	// At a corner: along both edges. On an edge: along it, back, and to the third corner. In the inside: all three
	// edges.
	dbvhi_vector vector[3];
	dbvhi_vector_limbs limbs[3];
} dbvhi_link_triangle;

// A pair of triangles that meet, by file order.
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
	uint8_t *met[2]; // per component: 1 if a triangle of it meets the other mesh
	size_t met_capacity[2];
} dbvhi_relation_memory;

typedef struct dbvhi_relating {
	dbvhi_placed mesh[2]; // fixed, moved
	const dbvh_pose *pose;
	bool solid[2]; // has an even component
	const dbvh_allocator *allocator;
	dbvhi_relation_memory *memory;
	size_t pair_count;
	unsigned known, enough; // `enough`: no more than that need be known
	bool held[2];           // a component of the mesh meets nothing and might be in a sheet of the other
} dbvhi_relating;

static inline bool dbvhi_relating_done( const dbvhi_relating *r ) {
	return ( r->known & r->enough ) == r->enough;
}

// The axis that rays follow.
#define DBVHI_RAY_AXIS 0

static inline bool dbvhi_relating_is_sheet( const dbvhi_relating *r, int mesh, uint32_t leaf ) {
	const dbvh_tree *tree = r->mesh[mesh].tree;
	return !tree->topology->even[tree->topology->component[tree->triangle[leaf]]];
}

// Looks at a probe that is on no surface: what is it inside of?
void dbvhi_relate_probe( dbvhi_relating *r, const dbvhi_probe *probe );

// Looks all round a corner: `spot`, where the link_count triangles of memory->link meet, each with leaf, mesh and
// feature.
void dbvhi_relate_link( dbvhi_relating *r, const dbvhi_spot *spot, size_t link_count );

// Looks at all pairs that meet, which memory->by_fixed and by_moved list; first at crossings, which are quick.
dbvh_status dbvhi_relate_pairs( dbvhi_relating *r );

// Looks at one pair alone, and only if the triangles cross.
void dbvhi_relate_crossing( dbvhi_relating *r, uint32_t leaf_fixed, uint32_t leaf_moved );

// Looks at components that have met nothing.
void dbvhi_relate_parts( dbvhi_relating *r );

// Is the point, in the frame of the query, in the bounding box of the mesh's sheets, which is one in its own frame?
bool dbvhi_among_sheets( const dbvhi_placed *mesh, dbvhi_corner point );

void dbvhi_relation_memory_free( dbvhi_relation_memory *memory, const dbvh_allocator *allocator );
