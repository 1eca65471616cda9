// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Parts of the builders: fragments, ranges of triangles and their points, the two builds, the box of the root.

#pragma once

#include "base/parallel.h"
#include "bvh/builder/mesh_hash.h"
#include "bvh/builder/treelet.h"
#include "bvh/fragment.h"
#include "bvh/tree.h"
#include "dualbvh/mesh.h"

// ------------------------------------------------------------------------------------------------
// Choice of triangles that become fragments (bvh/fragment.h) before a tree is built.

// A fragment of a triangle: the content of a leaf index.
typedef struct dbvhi_fragment {
	uint32_t triangle; // index in file order
	uint32_t path;
} dbvhi_fragment;

// Limits of the division.
typedef struct dbvhi_fragment_rule {
	double excess; // least excess of a part that is halved, in mean areas: see fragments.c
	double most;   // most fragments, as a multiple of the triangles
	double left;   // all stay whole if more than this part of the squared lengths would remain; 1: no limit
} dbvhi_fragment_rule;

// Lists the fragments of a mesh by triangle and path, for the triangles that are their own `first` (NULL: all), of
// which there are `distinct`. Triangles with twins stay whole. Sets *fragments_out to NULL if all stay whole; otherwise
// the caller frees *count_out fragments. Cost: O(n), and some thirty visits of each long triangle.
dbvh_status dbvhi_fragments_choose( const dbvh_mesh_view *view, const uint32_t *first, size_t distinct,
                                    dbvhi_fragment_rule rule, const dbvh_allocator *allocator,
                                    dbvhi_fragment **fragments_out, size_t *count_out );

// ------------------------------------------------------------------------------------------------
// Ranges and points

// DBVHI_BUILD_DEPTH: 2 log2(2^30) + 8 levels of free splits, then log2(2^30) by medians.
#define DBVHI_BUILD_DEPTH 100

typedef struct dbvhi_range {
	uint32_t node;  // slot of its node
	uint32_t block; // first slot of its descendants
	uint32_t low, high;
	uint32_t points; // number of points of its triangles
	uint32_t depth;  // the root has 1
	dbvhi_frame parent;
} dbvhi_range;

struct dbvhi_small_memory;

typedef struct dbvhi_builder {
	const dbvh_tree_options *options;
	dbvhi_build_triangle *triangles;
	uint32_t base;     // first triangle that these have room for:
	double *points[2]; // by parity of the depth; triangle i owns nine doubles from 9 ( i - base ) on; see room_at()
	uint32_t *moved;   // new indices of the points of a range, with room like `points`
	dbvhi_node *nodes;
	uint32_t free_depth; // from this depth on nodes are split at the median
	dbvhi_range *queue, *next;
	uint32_t *depth;                      // largest depth by range of the queue
	const dbvhi_builder_isa *builder_isa; // NULL unless the tree is the default one
	char *treelets;                       // treelet memory for each thread
	struct dbvhi_small_memory *small;     // memory for each thread without builder_isa
	double factor;                        // factor that stored nodes are scaled by
	double limit;                         // largest double, in the builder's unit
	const dbvh_mesh_view *view;           // mesh that is hashed on the way
	size_t hash_count;
	uint64_t *hash;
	bool to_pack; // see dbvhi_build_plan
} dbvhi_builder;

// Returns the number of threads; one for small meshes, for which waking threads costs more.
static inline uint32_t dbvhi_builder_threads( size_t count, uint32_t thread_count ) {
	return count < 4096 ? 1 : thread_count;
}

// Returns the enlargement of nodes for the error of fragments, doubled for the rounding of the sums: extents are at
// most four times the largest coordinate, and a unit in their last place is a third of the error.
static inline double dbvhi_widening( double fragment_error ) {
	return 2.0 * fragment_error;
}

static inline void dbvhi_widen_node( dbvhi_node *node, double widening ) {
	for ( int k = 0; k < 3; ++k )
		node->half.v[k] += widening;
	node->radius += widening;
}

// Returns the depth from which a build over `count` triangles splits at medians.
uint32_t dbvhi_builder_free_depth( size_t count );

// Loads the triangles that are their own `first` (NULL: all), or the fragments (NULL: none), and their points, scaled;
// sets tree->largest. Returns the number of points. `moved` has room for all vertices. The number of a fragment is its
// index in the list.
uint32_t dbvhi_builder_load( dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *first,
                             const dbvhi_fragment *fragments, dbvhi_build_triangle *triangles, uint32_t *moved,
                             double *const points[3] );

// Builds the reference tree over the triangles that are their own `first` (NULL: all), or over the fragments (NULL:
// none), and stores the triangles in leaf order.
dbvh_status dbvhi_build_reference( dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *first,
                                   const dbvhi_fragment *fragments );

// Returns the exponent of the unit that dbvhi_builder_load() scales to. The largest coordinate is near 1 then: fits
// square and multiply coordinates, and must not overflow or underflow where the mesh itself does not.
int dbvhi_builder_exponent( const dbvh_tree *tree );

// Fits a range of more than DBVHI_TREELET triangles and divides it. `scratch` is aligned to two doubles and has eight a
// triangle.
void dbvhi_builder_divide( const dbvhi_builder *b, const dbvhi_range *at, double *scratch, dbvhi_range *left,
                           dbvhi_range *right );

// Builds a range of at most DBVHI_TREELET triangles to its leaves in `nodes`, and returns their largest depth.
uint32_t dbvhi_builder_treelet( const dbvhi_builder *b, const dbvhi_range *at, struct dbvhi_treelet_memory *memory,
                                dbvhi_node *nodes );

// ------------------------------------------------------------------------------------------------
// Building the packed form alone: the binary nodes of a piece are discarded as soon as it is packed.

// Stores the vertices of a tree whose triangles are in leaf order, in the order of first use. `moved` has room for all
// vertices. False if there is no memory.
bool dbvhi_store_points( dbvh_tree *tree, const dbvh_mesh_view *view, uint32_t *moved );

// Builds the same packed form, byte for byte, and order of triangles as dbvhi_build_reference() and dbvhi_pack(), but
// keeps no reference tree. For the default fits and splits and leaves of one triangle. `first` holds the lowest twin of
// each triangle, or is NULL. tree->corners provides nine doubles a triangle and is freed. If the mesh has no packed
// form, leaves tree->packed NULL and tree->corners as it was, with DBVH_OK. With `fragments`, one a leaf index, their
// paths are stored at tree->fragment.
dbvh_status dbvhi_build_packed( dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *first,
                                const dbvhi_fragment *fragments );

// Turns the box of tree->root to where it is smaller, flush with faces of the mesh that have directions in common.
// Nodes and the packed form stay as they are: queries test this box first, in doubles, and it separates parts that rest
// on each other if its faces are theirs.
void dbvhi_root_box_align( dbvh_tree *tree );
