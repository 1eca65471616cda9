// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The inside of a tree, for the layers above.

#pragma once

#include "base/alloc.h"
#include "base/assert.h"
#include "bvh/fragment.h"
#include "bvh/node.h"
#include "bvh/packed/block.h"
#include "bvh/twins.h"
#include "dualbvh/tree.h"
#include "mesh/topology.h"
#include "primitive/ellipsoid/ellipsoid.h"

#include <string.h>

// In ellipsoid_at: a node without one.
#define DBVHI_NO_ELLIPSOID UINT32_MAX

// A block of memory that arrays of a tree lie in, side by side: what a file holds.
typedef struct dbvhi_backing {
	char *bytes; // NULL: each array has memory of its own
	size_t size;
	// Gives it back; NULL where it is the caller's.
	void ( *release )( const dbvh_allocator *allocator, char *bytes, size_t size );
} dbvhi_backing;

struct dbvh_tree {
	dbvh_allocator allocator;
	dbvhi_backing backing; // read-only; see dbvhi_tree_free()
	bool is_taken_over;    // the packed form and the vertices have left it, to be written
	dbvh_tree_options options;
	size_t triangle_count;      // that it keeps: of those that are the same, one (twins.h); of those that have become
	                            // fragments, each at a place of its own
	size_t mesh_triangle_count; // of the mesh
	size_t node_count;
	size_t leaf_count;
	uint32_t depth;    // nodes on the longest way down
	double largest;    // the largest |coordinate| of a corner
	uint64_t hash;     // of the corners in file order
	uint64_t revision; // the refit that made it what it is, by dbvhi_tree_refits(); 0: it is as it was built
	dbvhi_node root;
	// The reference tree: node_count nodes, the root first, children next to each other. NULL where the options did not
	// ask for it: no query makes one.
	dbvhi_node *nodes;
	// The corners in leaf order, bit for bit as given: nine doubles a triangle where the reference tree is kept; else
	// vertices, in the order in which the leaves first use them, and three of their numbers a triangle.
	double *corners;
	double *vertices;
	uint32_t *corner;
	size_t vertex_count;
	uint32_t *triangle;               // its number in file order; of those that are the same, the lowest
	uint32_t *fragment;               // which fragment of it (fragment.h) stands there; NULL where all are whole
	double fragment_error;            // by how much volumes are larger for that; 0 where all are whole
	dbvhi_twins *twins;               // what each stands for; NULL where no two are the same
	size_t node_capacity;             // as allocated; 0 without a reference tree
	dbvhi_packed *packed;             // the fast form, NULL where there is none
	size_t packed_bytes;              // of its block
	dbvhi_node_ellipsoid *ellipsoids; // NULL where there are none
	uint32_t *ellipsoid_at;           // of each node, its place there, or DBVHI_NO_ELLIPSOID
	uint64_t *ellipsoid_wanted; // a bit a node: it has one that is chosen; small enough to stay in the nearest cache
	size_t ellipsoid_count, ellipsoid_capacity, ellipsoid_chosen, ellipsoid_packed;
	uint32_t ellipsoid_least; // no node of fewer triangles has one that is chosen
	bool keeps_order;         // its order is not what a build with these options would make of it
	uint32_t *leaf; // with a topology: of each triangle in file order, its place in leaf order, or that of its twin
	dbvhi_topology *topology; // in file order; NULL without the option
};

// How many refits there have been, of any tree. Who keeps what follows from trees looks for a tree of another revision
// when this has changed.
uint64_t dbvhi_tree_refits( void );

// Takes back an array of a tree, unless it lies in the tree's block, which goes as a whole.
static inline void dbvhi_tree_free( const dbvh_tree *tree, void *array, size_t count, size_t size ) {
	const uintptr_t at = (uintptr_t)array, block = (uintptr_t)tree->backing.bytes;
	if ( tree->backing.bytes == NULL || at < block || at - block >= tree->backing.size )
		dbvhi_free( &tree->allocator, array, count, size );
}

// The corners of the triangle at a place in leaf order: where they are stored, or copied to `room`.
static inline const double *dbvhi_tree_triangle( const dbvh_tree *tree, uint32_t leaf_index, double room[9] ) {
	DBVHI_ASSERT( leaf_index < tree->triangle_count );
	if ( tree->corners != NULL )
		return tree->corners + 9 * (size_t)leaf_index;
	const uint32_t *corner = tree->corner + 3 * (size_t)leaf_index;
	for ( int k = 0; k < 3; ++k )
		memcpy( room + 3 * k, tree->vertices + 3 * (size_t)corner[k], 3 * sizeof( double ) );
	return room;
}

// Does a triangle stand at other places, too?
static inline bool dbvhi_tree_is_divided( const dbvh_tree *tree, uint32_t leaf_index ) {
	DBVHI_ASSERT( leaf_index < tree->triangle_count );
	return tree->fragment != NULL && tree->fragment[leaf_index] != DBVHI_WHOLE;
}

// The corners of what stands at a place: of the triangle, or its fragment.
static inline void dbvhi_tree_fragment( const dbvh_tree *tree, uint32_t leaf_index, double corners_out[9] ) {
	double room[9];
	dbvhi_fragment_corners( dbvhi_tree_triangle( tree, leaf_index, room ),
	                        tree->fragment != NULL ? tree->fragment[leaf_index] : DBVHI_WHOLE, corners_out );
}

// Where each of its corners is stored.
static inline void dbvhi_tree_corners( const dbvh_tree *tree, uint32_t leaf_index, const double *out[3] ) {
	DBVHI_ASSERT( leaf_index < tree->triangle_count );
	for ( size_t k = 0; k < 3; ++k )
		out[k] = tree->corners != NULL ? tree->corners + 9 * (size_t)leaf_index + 3 * k
		                               : tree->vertices + 3 * (size_t)tree->corner[3 * (size_t)leaf_index + k];
}

// Are these options that a tree can be built with? INVALID_ARGUMENT with the first that is none.
dbvh_status dbvhi_tree_options_check( const dbvh_tree_options *options, dbvh_error *error );

// May a tree with these options have fragments?
bool dbvhi_options_may_divide( const dbvh_tree_options *options );

// Does anything that was asked for need the reference tree from the start?
bool dbvhi_options_keep_reference( const dbvh_tree_options *options );

// Did the options ask for the reference tree, or is there no packed form?
static inline bool dbvhi_tree_has_reference( const dbvh_tree *tree ) {
	return tree->nodes != NULL;
}

// The nodes of a reference tree that is there.
static inline const dbvhi_node *dbvhi_tree_nodes( const dbvh_tree *tree ) {
	return tree->nodes;
}

// The root of the reference tree, where a traversal of its nodes begins. It may be another than that of the packed
// form, which is aligned with the mesh where that makes it smaller.
static inline const dbvhi_node *dbvhi_tree_reference_root( const dbvh_tree *tree ) {
	DBVHI_ASSERT( dbvhi_tree_has_reference( tree ) );
	return &dbvhi_tree_nodes( tree )[0];
}

// The root's volumes, in the frame of the mesh.
static inline const dbvhi_node *dbvhi_tree_root( const dbvh_tree *tree ) {
	return &tree->root;
}

// The triangles of the mesh that the one at a place in leaf order stands for: their numbers in file order, ascending.
static inline const uint32_t *dbvhi_tree_twins( const dbvh_tree *tree, uint32_t leaf_index, uint32_t *count_out ) {
	DBVHI_ASSERT( leaf_index < tree->triangle_count );
	// Triangles that are there twice are not divided.
	if ( tree->twins == NULL || dbvhi_tree_is_divided( tree, leaf_index ) ) {
		*count_out = 1;
		return tree->triangle + leaf_index;
	}
	const uint32_t begin = tree->twins->begin[leaf_index];
	*count_out = tree->twins->begin[leaf_index + 1] - begin;
	return tree->twins->number + begin;
}
