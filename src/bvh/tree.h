// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The inside of a tree, for the layers above. A leaf index is the position of a triangle, or fragment, in leaf order.

#pragma once

#include "base/alloc.h"
#include "base/assert.h"
#include "bvh/fragment.h"
#include "bvh/node.h"
#include "bvh/packed_block.h"
#include "bvh/twins.h"
#include "dualbvh/tree.h"
#include "mesh/topology.h"
#include "primitive/ellipsoid/ellipsoid.h"

#include <string.h>

// DBVHI_NO_ELLIPSOID marks a node without an ellipsoid in ellipsoid_at.
#define DBVHI_NO_ELLIPSOID UINT32_MAX

// 0 in builds without policies for reference trees besides DUAL, and without ellipsoids (CMake's DUALBVH_POLICIES):
// queries by another policy are answered by DUAL, and no tree is built with ellipsoids.
#ifndef DBVHI_POLICIES
#define DBVHI_POLICIES 1
#endif

// A block of memory that holds arrays of a tree side by side: the content of a file.
typedef struct dbvhi_backing {
	char *bytes; // NULL: each array has memory of its own
	size_t size;
	// Releases the block; NULL if it is the caller's.
	void ( *release )( const dbvh_allocator *allocator, char *bytes, size_t size );
} dbvhi_backing;

struct dbvh_tree {
	dbvh_allocator allocator;
	dbvhi_backing backing; // read-only; see dbvhi_tree_free()
	bool is_taken_over;    // the packed form and the vertices have been copied out of `backing`, to be written
	dbvh_tree_options options;
	size_t triangle_count; // triangles or fragments kept, one a leaf index: duplicates of a triangle (twins.h) are kept
	                       // once, each fragment has an index of its own
	size_t mesh_triangle_count; // triangles of the mesh
	size_t node_count;
	size_t leaf_count;
	uint32_t depth;    // nodes on the longest way down
	double largest;    // the largest |coordinate| of a corner
	uint64_t hash;     // content hash of the corners in file order
	uint64_t revision; // number of the refit that made it, by dbvhi_tree_refits(); 0: as built
	dbvhi_node root;
	// The reference tree: node_count nodes, the root first, children next to each other. NULL unless the options ask
	// for it: no query builds one.
	dbvhi_node *nodes;
	// The corners in leaf order, bit for bit as given: nine doubles a triangle if the reference tree is kept; otherwise
	// vertices in the order of first use by the leaves, and three vertex indices a triangle.
	double *corners;
	double *vertices;
	uint32_t *corner;
	size_t vertex_count;
	uint32_t *triangle;               // index in file order; of duplicates, the lowest
	uint32_t *fragment;               // path of the fragment (fragment.h) at this leaf index; NULL if all are whole
	double fragment_error;            // enlargement of volumes for rounded fragments; 0 if all are whole
	dbvhi_twins *twins;               // duplicates of each triangle; NULL if there are none
	size_t node_capacity;             // nodes allocated; 0 without a reference tree
	dbvhi_packed *packed;             // the packed form, NULL if there is none
	size_t packed_bytes;              // bytes of the packed form
	bool in_floats;                   // see dbvhi_tree_in_floats()
	dbvhi_node_ellipsoid *ellipsoids; // NULL where there are none
	uint32_t *ellipsoid_at;           // index into `ellipsoids` by node, or DBVHI_NO_ELLIPSOID
	uint64_t
	    *ellipsoid_wanted; // a bit a node: it has a chosen ellipsoid; kept apart because it stays in the nearest cache
	size_t ellipsoid_count, ellipsoid_capacity, ellipsoid_chosen, ellipsoid_packed;
	uint32_t ellipsoid_least; // no node of fewer triangles has a chosen ellipsoid
	bool keeps_order;         // the order of triangles is not what a build with these options would make
	uint32_t *leaf;           // with a topology: leaf index of each triangle in file order, or of its duplicate
	dbvhi_topology *topology; // in file order; NULL without the option
};

// Returns the number of refits so far, of any tree. A cache of results from trees checks revisions when it has changed.
uint64_t dbvhi_tree_refits( void );

// Frees an array of a tree, unless it lies in the tree's backing, which is released as a whole.
static inline void dbvhi_tree_free( const dbvh_tree *tree, void *array, size_t count, size_t size ) {
	const uintptr_t at = (uintptr_t)array, block = (uintptr_t)tree->backing.bytes;
	if ( tree->backing.bytes == NULL || at < block || at - block >= tree->backing.size )
		dbvhi_free( &tree->allocator, array, count, size );
}

// Returns the corners of the triangle at a leaf index: where they are stored, or copied to `room`.
static inline const double *dbvhi_tree_triangle( const dbvh_tree *tree, uint32_t leaf_index, double room[9] ) {
	DBVHI_ASSERT( leaf_index < tree->triangle_count );
	if ( tree->corners != NULL )
		return tree->corners + 9 * (size_t)leaf_index;
	const uint32_t *corner = tree->corner + 3 * (size_t)leaf_index;
	for ( int k = 0; k < 3; ++k )
		memcpy( room + 3 * k, tree->vertices + 3 * (size_t)corner[k], 3 * sizeof( double ) );
	return room;
}

// True if the triangle at a leaf index has fragments at others, too.
static inline bool dbvhi_tree_is_divided( const dbvh_tree *tree, uint32_t leaf_index ) {
	DBVHI_ASSERT( leaf_index < tree->triangle_count );
	return tree->fragment != NULL && tree->fragment[leaf_index] != DBVHI_WHOLE;
}

// Computes the corners of the triangle or fragment at a leaf index.
static inline void dbvhi_tree_fragment( const dbvh_tree *tree, uint32_t leaf_index, double corners_out[9] ) {
	double room[9];
	dbvhi_fragment_corners( dbvhi_tree_triangle( tree, leaf_index, room ),
	                        tree->fragment != NULL ? tree->fragment[leaf_index] : DBVHI_WHOLE, corners_out );
}

// Returns where the corners of the triangle at a leaf index are stored.
static inline void dbvhi_tree_corners( const dbvh_tree *tree, uint32_t leaf_index, const double *out[3] ) {
	DBVHI_ASSERT( leaf_index < tree->triangle_count );
	for ( size_t k = 0; k < 3; ++k )
		out[k] = tree->corners != NULL ? tree->corners + 9 * (size_t)leaf_index + 3 * k
		                               : tree->vertices + 3 * (size_t)tree->corner[3 * (size_t)leaf_index + k];
}

// Checks options; INVALID_ARGUMENT names the first invalid one.
dbvh_status dbvhi_tree_options_check( const dbvh_tree_options *options, dbvh_error *error );

// True if a tree with these options may have fragments.
bool dbvhi_options_may_divide( const dbvh_tree_options *options );

// True if an option needs the reference tree.
bool dbvhi_options_keep_reference( const dbvh_tree_options *options );

// True if the tree has its reference tree: by option, or for want of a packed form.
static inline bool dbvhi_tree_has_reference( const dbvh_tree *tree ) {
	return tree->nodes != NULL;
}

// True if the packed form is in the unit of the mesh, in which poses are given: kernels take such trees as they are.
static inline bool dbvhi_tree_in_floats( const dbvh_tree *tree ) {
	DBVHI_ASSERT( tree->in_floats == ( tree->packed != NULL && !dbvhi_packed_is_scaled( tree->packed ) ) );
	return tree->in_floats;
}

// Sets what a tree records of its packed form.
static inline void dbvhi_tree_set_packed( dbvh_tree *tree, dbvhi_packed *packed, size_t bytes ) {
	tree->packed = packed;
	tree->packed_bytes = bytes;
	tree->in_floats = packed != NULL && !dbvhi_packed_is_scaled( packed );
}

// True if the packed forms of two trees are in one unit.
static inline bool dbvhi_trees_share_unit( const dbvh_tree *a, const dbvh_tree *b ) {
	return a->packed != NULL && b->packed != NULL && a->packed->version == b->packed->version &&
	       a->packed->exponent == b->packed->exponent;
}

// Returns the nodes of an existing reference tree.
static inline const dbvhi_node *dbvhi_tree_nodes( const dbvh_tree *tree ) {
	return tree->nodes;
}

// Returns the root of the reference tree, where a traversal of its nodes begins. tree->root may differ: its box is
// aligned with the faces of the mesh if that makes it smaller.
static inline const dbvhi_node *dbvhi_tree_reference_root( const dbvh_tree *tree ) {
	DBVHI_ASSERT( dbvhi_tree_has_reference( tree ) );
	return &dbvhi_tree_nodes( tree )[0];
}

// Returns the volumes of the root, in the frame of the mesh.
static inline const dbvhi_node *dbvhi_tree_root( const dbvh_tree *tree ) {
	return &tree->root;
}

// Returns the triangles of the mesh that the one at a leaf index represents: indices in file order, ascending.
static inline const uint32_t *dbvhi_tree_twins( const dbvh_tree *tree, uint32_t leaf_index, uint32_t *count_out ) {
	DBVHI_ASSERT( leaf_index < tree->triangle_count );
	// note: duplicated triangles are never divided.
	if ( tree->twins == NULL || dbvhi_tree_is_divided( tree, leaf_index ) ) {
		*count_out = 1;
		return tree->triangle + leaf_index;
	}
	const uint32_t begin = tree->twins->begin[leaf_index];
	*count_out = tree->twins->begin[leaf_index + 1] - begin;
	return tree->twins->number + begin;
}
