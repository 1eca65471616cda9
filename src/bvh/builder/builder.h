// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What both ways to build a tree share: ranges of triangles, and the points that these use.

#pragma once

#include "base/parallel.h"
#include "bvh/builder/fragments.h"
#include "bvh/builder/mesh_hash.h"
#include "bvh/builder/treelet.h"
#include "bvh/tree.h"

// 2 log2(2^30) + 8 levels as the split likes, then log2(2^30) by medians.
#define DBVHI_BUILD_DEPTH 100

typedef struct dbvhi_range {
	uint32_t node;  // its slot
	uint32_t block; // the first slot of its descendants
	uint32_t low, high;
	uint32_t points; // how many its triangles have
	uint32_t depth;  // the root has 1
	dbvhi_frame parent;
} dbvhi_range;

struct dbvhi_small_memory;

typedef struct dbvhi_builder {
	const dbvh_tree_options *options;
	dbvhi_build_triangle *triangles;
	uint32_t base;     // the first triangle that there is room for in these:
	double *points[2]; // by parity of the depth, triangle i owns nine places from 9 ( i - base ) on; see points_at()
	uint32_t *moved;   // where the points of a range have gone, likewise
	dbvhi_node *nodes;
	uint32_t free_depth; // from here on nodes are split at the median
	dbvhi_range *queue, *next;
	uint32_t *depth;                      // deepest seen, by range of the queue
	const dbvhi_builder_isa *builder_isa; // NULL for trees of other kinds than the default
	char *treelets;                       // its memory, for each thread
	struct dbvhi_small_memory *small;     // where there is no builder_isa, for each thread
	double factor;                        // what it writes nodes with
	double limit;                         // the largest double, in the builder's unit
	const dbvh_mesh_view *view;           // whose corners are hashed on the way
	size_t hash_count;
	uint64_t *hash;
	bool to_pack; // see dbvhi_build_plan
} dbvhi_builder;

// Small meshes are not worth waking threads for.
static inline uint32_t dbvhi_builder_threads( size_t count, uint32_t thread_count ) {
	return count < 4096 ? 1 : thread_count;
}

// By what fragments are off, and as much again for the rounding of these sums: extents are at most four times the
// largest coordinate, and a unit in their last place is a third of the error.
static inline double dbvhi_widening( double fragment_error ) {
	return 2.0 * fragment_error;
}

static inline void dbvhi_widen_node( dbvhi_node *node, double widening ) {
	for ( int k = 0; k < 3; ++k )
		node->half.v[k] += widening;
	node->radius += widening;
}

// For a mesh of so many triangles.
uint32_t dbvhi_builder_free_depth( size_t count );

// The triangles that are their own `first` (NULL: all), or the fragments (NULL: none), and the points they use, scaled;
// sets tree->largest. Returns the number of points. `moved` has room for all vertices. The number of a fragment is its
// place in the list.
uint32_t dbvhi_builder_load( dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *first,
                             const dbvhi_fragment *fragments, dbvhi_build_triangle *triangles, uint32_t *moved,
                             double *const points[3] );

// The reference tree over the triangles that are their own `first` (NULL: all), or over the fragments (NULL: none), and
// its triangles in leaf order.
dbvh_status dbvhi_build_reference( dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *first,
                                   const dbvhi_fragment *fragments );

// The unit that they are scaled to; 0 where that is not a normal number.
double dbvhi_builder_unit( const dbvh_tree *tree );

// Fits a range of more than DBVHI_TREELET triangles and divides it. `scratch` is aligned to two doubles and has eight a
// triangle.
void dbvhi_builder_divide( const dbvhi_builder *b, const dbvhi_range *at, double *scratch, dbvhi_range *left,
                           dbvhi_range *right );

// Builds a range of no more to its leaves, in those nodes, and returns how deep they are.
uint32_t dbvhi_builder_treelet( const dbvhi_builder *b, const dbvhi_range *at, struct dbvhi_treelet_memory *memory,
                                dbvhi_node *nodes );
