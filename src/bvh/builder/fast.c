// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The fast build: triangles along a Hilbert curve, four consecutive ones a leaf, four consecutive leaves or nodes a
// node. The axes of a box are the principal ones of the surface below it, whose moments are sums of those of its
// children; volumes are fitted as those of a tree whose vertices have moved (refit.c).

#include "bvh/builder/fast.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/inline.h"
#include "base/parallel.h"
#include "bvh/builder/builder.h"
#include "bvh/builder/refit.h"
#include "bvh/packed/pack.h"
#include "mesh/view.h"

#include <math.h>
#include <string.h>

#define CHUNK 4096
#define AHEAD 24 // distance of prefetching, in triangles

typedef struct fast {
	dbvh_tree *tree;
	const dbvh_mesh_view *view;
	const uint32_t *first;
	const dbvhi_builder_isa *isa;
	dbvhi_curve_kernel *curve;
	dbvhi_arrange_kernel *arrange;
	uint32_t thread_count;
	uint64_t *keys, *spare; // index on the curve << 31 | triangle
	uint32_t *moved;
	void *own; // memory for keys and moments, if the tree's own is too small
	size_t own_bytes;
	double ( *bounds )[6]; // bounds of the corner sums, by chunk of triangles
	double low[3], scale, middle[3];
	dbvhi_surface_moments *leaf_moments, *node_moments;
	uint32_t leaf_count, node_count;
	dbvhi_packed header;
	char *block;
	dbvhi_packed_arrays arrays;
} fast;

// ------------------------------------------------------------------------------------------------
// The order

DBVHI_INLINE void corner_sums( const dbvh_mesh_view *view, size_t i, double sum[3] ) {
	uint32_t corner[3];
	dbvhi_view_triangle( view, i, corner );
	sum[0] = sum[1] = sum[2] = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		double p[3];
		dbvhi_view_vertex( view, corner[k], p );
		for ( int j = 0; j < 3; ++j )
			sum[j] += p[j];
	}
}

static bool is_own( const fast *f, size_t i ) {
	return f->first == NULL || f->first[i] == i;
}

// COMPILE_TASK compiles a task for plain views and for all others: see dbvhi_view_plain().
#define COMPILE_TASK( name )                                                                                           \
	static void name##_task( void *context, size_t index, uint32_t thread ) {                                          \
		(void)thread;                                                                                                  \
		const fast *f = context;                                                                                       \
		if ( dbvhi_view_is_plain( f->view ) ) {                                                                        \
			const dbvh_mesh_view plain = dbvhi_view_plain( f->view );                                                  \
			name( f, &plain, index );                                                                                  \
		} else {                                                                                                       \
			name( f, f->view, index );                                                                                 \
		}                                                                                                              \
	}

DBVHI_INLINE void find_bounds( const fast *f, const dbvh_mesh_view *view, size_t index ) {
	double *out = f->bounds[index];
	const size_t begin = index * CHUNK, count = f->tree->mesh_triangle_count;
	for ( int k = 0; k < 3; ++k ) {
		out[k] = INFINITY;
		out[3 + k] = -INFINITY;
	}
	for ( size_t i = begin; i < begin + CHUNK && i < count; ++i ) {
		double sum[3];
		corner_sums( view, i, sum );
		for ( int k = 0; k < 3; ++k ) {
			out[k] = sum[k] < out[k] ? sum[k] : out[k];
			out[3 + k] = sum[k] > out[3 + k] ? sum[k] : out[3 + k];
		}
	}
}

COMPILE_TASK( find_bounds )

// Sets the grid of cells. False if the mesh is too large for a packed form, or for sums.
static bool find_cells( fast *f, size_t chunks ) {
	double high[3], size = 0.0;
	dbvhi_parallel_for( chunks, 1, f->thread_count, find_bounds_task, f );
	for ( int k = 0; k < 3; ++k ) {
		f->low[k] = f->bounds[0][k];
		high[k] = f->bounds[0][3 + k];
		for ( size_t i = 1; i < chunks; ++i ) {
			f->low[k] = fmin( f->low[k], f->bounds[i][k] );
			high[k] = fmax( high[k], f->bounds[i][3 + k] );
		}
		f->middle[k] = ( f->low[k] + high[k] ) / 6.0;
		size = fmax( size, high[k] - f->low[k] );
	}
	f->scale = size > 0x1p-900 ? (double)( ( 1 << DBVHI_CURVE_BITS ) - 1 ) / size : 0.0;
	return size < 0x1p100;
}

DBVHI_INLINE void make_keys( const fast *f, const dbvh_mesh_view *view, size_t index ) {
	const size_t begin = index * CHUNK, count = f->tree->mesh_triangle_count;
	for ( size_t next = begin; next < begin + CHUNK && next < count; next += DBVHI_CURVE_LANES ) {
		uint32_t cell[3][DBVHI_CURVE_LANES] = { { 0 } };
		uint64_t place[DBVHI_CURVE_LANES];
		const size_t end = next + DBVHI_CURVE_LANES < count ? next + DBVHI_CURVE_LANES : count;
		for ( size_t i = next; i < end; ++i ) {
			double sum[3];
			corner_sums( view, i, sum );
			for ( int k = 0; k < 3; ++k )
				cell[k][i - next] = (uint32_t)( ( sum[k] - f->low[k] ) * f->scale );
		}
		f->curve( (const uint32_t( * )[DBVHI_CURVE_LANES])cell, place );
		for ( size_t i = next; i < end; ++i )
			f->keys[i] = place[i - next] << 31 | i;
	}
}

COMPILE_TASK( make_keys )

#define DIGIT 11 // bits of an index sorted in a pass
#define VALUES ( (size_t)1 << DIGIT )

_Static_assert( 3 * DBVHI_CURVE_BITS == 3 * DIGIT, "three passes do" );
_Static_assert( DBVH_MAX_ELEMENTS <= UINT32_C( 1 ) << 31, "numbers have 31 bits" );

// Sorts by index on the curve, stably (radix sort).
static void sort_keys( fast *f, size_t count ) {
	uint32_t begin[3][VALUES];
	memset( begin, 0, sizeof begin );
	for ( size_t i = 0; i < count; ++i ) {
		for ( int pass = 0; pass < 3; ++pass )
			begin[pass][f->keys[i] >> ( 31 + DIGIT * pass ) & ( VALUES - 1 )] += 1;
	}
	for ( int pass = 0; pass < 3; ++pass ) {
		uint32_t sum = 0;
		for ( size_t v = 0; v < VALUES; ++v ) {
			const uint32_t here = begin[pass][v];
			begin[pass][v] = sum;
			sum += here;
		}
		for ( size_t i = 0; i < count; ++i )
			f->spare[begin[pass][f->keys[i] >> ( 31 + DIGIT * pass ) & ( VALUES - 1 )]++] = f->keys[i];
		uint64_t *swapped = f->keys;
		f->keys = f->spare;
		f->spare = swapped;
	}
}

// ------------------------------------------------------------------------------------------------
// Groups. Neighbours on the curve are near each other, but its segments have ragged borders. So the triangles of a
// subtree of GROUP are arranged anew: halved along the longest axis recursively, down to the leaves.

#define GROUP DBVHI_CURVE_GROUP

DBVHI_INLINE void arrange_group( const fast *f, const dbvh_mesh_view *view, size_t index ) {
	uint32_t *number = f->tree->triangle + GROUP * index;
	const size_t left = f->tree->triangle_count - GROUP * index;
	const uint32_t count = (uint32_t)( left < GROUP ? left : GROUP );
	dbvhi_curve_member members[GROUP];
	double first[3] = { 0.0, 0.0, 0.0 };
	for ( uint32_t i = 0; i < count; ++i ) {
		double sum[3];
		if ( i + AHEAD < count ) { // only within the group: another thread may be rearranging the next one
			dbvhi_view_expect_triangle( view, number[i + AHEAD] );
			dbvhi_view_expect_vertices( view, number[i + AHEAD / 2] );
		}
		corner_sums( view, number[i], sum );
		members[i].number = number[i];
		for ( int k = 0; k < 3; ++k ) {
			first[k] = i == 0 ? sum[k] : first[k];
			members[i].at[k] = (float)( ( sum[k] - first[k] ) * f->scale );
		}
	}
	f->arrange( members, count );
	for ( uint32_t i = 0; i < count; ++i )
		number[i] = members[i].number;
}

COMPILE_TASK( arrange_group )

static void order_triangles( fast *f ) {
	dbvh_tree *tree = f->tree;
	const size_t all = tree->mesh_triangle_count, chunks = ( all + CHUNK - 1 ) / CHUNK;
	dbvhi_parallel_for( chunks, 1, f->thread_count, make_keys_task, f );
	size_t count = 0;
	for ( size_t i = 0; i < all; ++i ) {
		f->keys[count] = f->keys[i];
		count += is_own( f, i );
	}
	DBVHI_ASSERT( count == tree->triangle_count );
	sort_keys( f, count );
	for ( size_t i = 0; i < count; ++i )
		tree->triangle[i] = (uint32_t)( f->keys[i] & 0x7fffffffu );
	dbvhi_parallel_for( ( count + GROUP - 1 ) / GROUP, 1, f->thread_count, arrange_group_task, f );
}

// ------------------------------------------------------------------------------------------------
// Nodes

// Returns the leaves below each child but the last of a node of `leaves` leaves.
static uint32_t leaves_a_child( uint32_t leaves ) {
	uint32_t each = 1;
	while ( DBVHI_WIDTH * each < leaves )
		each *= DBVHI_WIDTH;
	return each;
}

static uint32_t nodes_of( uint32_t leaves ) {
	uint32_t count = 0;
	while ( leaves > 1 ) {
		const uint32_t each = leaves_a_child( leaves ), full = ( leaves - 1 ) / each;
		count += 1 + full * ( ( each - 1 ) / 3 ); // because all but the last child are full
		leaves -= full * each;
	}
	return count;
}

// Links a node and all below it, depth first; returns the next free node.
static uint32_t link_node( fast *f, uint32_t node, uint32_t leaf, uint32_t leaves, uint32_t depth ) {
	const uint32_t each = leaves_a_child( leaves );
	dbvhi_packed_spheres *spheres = &f->arrays.spheres[node];
	dbvhi_packed_box *boxes = &f->arrays.boxes[DBVHI_WIDTH * (size_t)node];
	uint32_t next = node + 1;
	f->header.depth = depth > f->header.depth ? depth : f->header.depth;
	dbvhi_clear_packed_node( spheres, boxes );
	for ( int lane = 0; leaves > 0; ++lane ) {
		const uint32_t here = each < leaves ? each : leaves;
		DBVHI_ASSERT( lane < DBVHI_WIDTH );
		spheres->radius[lane] = 1.0f; // marks a child; fitted later
		boxes[lane].child = here == 1 ? ~(int32_t)leaf : (int32_t)next;
		if ( here > 1 )
			next = link_node( f, next, leaf, here, depth + 1 );
		leaf += here;
		leaves -= here;
	}
	return next;
}

static void leaf_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	const fast *f = context;
	const dbvh_tree *tree = f->tree;
	const uint32_t begin = (uint32_t)( index * ( CHUNK / DBVHI_WIDTH ) );
	for ( uint32_t leaf = begin; leaf < begin + CHUNK / DBVHI_WIDTH && leaf < f->leaf_count; leaf += 2 ) {
		double corners[9][8];
		dbvhi_surface_moments out[8];
		for ( uint32_t l = 0; l < 8; ++l ) {
			const size_t leaf_index = DBVHI_WIDTH * (size_t)leaf + l;
			const uint32_t *corner = tree->corner + 3 * ( leaf_index < tree->triangle_count ? leaf_index : 0 );
			for ( int i = 0; i < 9; ++i ) // triangles beyond the last have no area
				corners[i][l] =
				    tree->vertices[3 * (size_t)corner[leaf_index < tree->triangle_count ? i / 3 : 0] + i % 3] -
				    f->middle[i % 3];
		}
		f->isa->moments( corners, out );
		for ( uint32_t k = 0; k < 2 && leaf + k < f->leaf_count; ++k ) {
			const uint32_t leaf_index = DBVHI_WIDTH * ( leaf + k ), left = (uint32_t)tree->triangle_count - leaf_index;
			for ( int i = 0; i < 10; ++i )
				f->leaf_moments[leaf + k].v[i] =
				    out[4 * k].v[i] + out[4 * k + 1].v[i] + out[4 * k + 2].v[i] + out[4 * k + 3].v[i];
			f->arrays.leaves[leaf + k].first_and_count =
			    leaf_index << 2 | ( ( left < DBVHI_WIDTH ? left : DBVHI_WIDTH ) - 1 );
		}
	}
}

static const dbvhi_surface_moments *moments_of_child( const fast *f, uint32_t node, int lane ) {
	const int32_t child = f->arrays.boxes[DBVHI_WIDTH * (size_t)node + (size_t)lane].child;
	return child < 0 ? &f->leaf_moments[~child] : &f->node_moments[child];
}

static void add_moments( fast *f ) {
	for ( uint32_t node = f->node_count; node-- > 0; ) {
		dbvhi_surface_moments sum = { { 0 } };
		for ( int lane = 0; lane < DBVHI_WIDTH && f->arrays.spheres[node].radius[lane] > 0.0f; ++lane ) {
			const dbvhi_surface_moments *child = moments_of_child( f, node, lane );
			for ( int i = 0; i < 10; ++i )
				sum.v[i] += child->v[i];
		}
		f->node_moments[node] = sum;
	}
}

#define NODES_AT_ONCE ( DBVHI_LANES / DBVHI_WIDTH )
#define NODE_CHUNK 256

// Sets the axes of the boxes of four nodes.
static void turn_boxes( const fast *f, uint32_t first ) {
	const dbvhi_surface_moments *of[DBVHI_LANES] = { &f->node_moments[first] };
	dbvhi_packed_box *boxes[DBVHI_LANES];
	dbvhi_mat axes[DBVHI_LANES];
	int count = 0;
	for ( uint32_t node = first; node < first + NODES_AT_ONCE && node < f->node_count; ++node ) {
		for ( int lane = 0; lane < DBVHI_WIDTH && f->arrays.spheres[node].radius[lane] > 0.0f; ++lane ) {
			of[count] = moments_of_child( f, node, lane );
			boxes[count++] = &f->arrays.boxes[DBVHI_WIDTH * (size_t)node + (size_t)lane];
		}
	}
	f->isa->axes( of, count, axes );
	for ( int i = 0; i < count; ++i ) {
		double rot[3][3];
		dbvhi_pack_turn( boxes[i], &axes[i], rot );
	}
}

static void turn_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	const fast *f = context;
	const uint32_t begin = (uint32_t)index * NODE_CHUNK;
	for ( uint32_t node = begin; node < begin + NODE_CHUNK && node < f->node_count; node += NODES_AT_ONCE )
		turn_boxes( f, node );
}

// Makes a block with links, triangles and axes, but no volumes.
static bool make_block( fast *f ) {
	dbvh_tree *tree = f->tree;
	f->header.node_count = f->node_count;
	f->header.leaf_count = f->leaf_count;
	f->header.version = DBVHI_PACKED_VERSION;
	f->block = dbvhi_packed_allocate( &f->header, &tree->allocator, &f->arrays );
	if ( f->block == NULL )
		return false;
	link_node( f, 0, 0, f->leaf_count, 1 );
	dbvhi_parallel_for( ( tree->triangle_count + CHUNK - 1 ) / CHUNK, 1, f->thread_count, leaf_task, f );
	add_moments( f );
	dbvhi_parallel_for( ( f->node_count + NODE_CHUNK - 1 ) / NODE_CHUNK, 1, f->thread_count, turn_task, f );
	const dbvhi_surface_moments *whole[DBVHI_LANES] = { &f->node_moments[0] };
	dbvhi_mat axes[DBVHI_LANES];
	f->isa->axes( whole, 1, axes );
	memset( &tree->root, 0, sizeof tree->root );
	tree->root.rot = axes[0];
	tree->root.total = (uint32_t)tree->triangle_count;
	memcpy( f->block, &f->header, sizeof f->header );
	return true;
}

// ------------------------------------------------------------------------------------------------

static uint32_t depth_of_halves( size_t count ) {
	uint32_t depth = 1;
	for ( size_t most = 1; most < count; most *= 2 )
		depth += 1;
	return depth;
}

// Takes memory. Nine doubles a triangle, which the tree has for corners, are enough for the keys and later the moments,
// unless most triangles have twins.
static bool take_memory( fast *f, size_t chunks ) {
	const dbvh_tree *tree = f->tree;
	const dbvh_allocator *a = &tree->allocator;
	const size_t keys = 2 * tree->mesh_triangle_count * sizeof *f->keys;
	const size_t moments = ( (size_t)f->leaf_count + f->node_count ) * sizeof *f->leaf_moments;
	const size_t wanted = keys > moments ? keys : moments, there = 9 * tree->triangle_count * sizeof( double );
	f->own_bytes = wanted > there ? wanted : 0;
	f->own = wanted > there ? dbvhi_alloc( a, wanted, 1 ) : NULL;
	f->moved = dbvhi_alloc( a, f->view->vertex_count, sizeof *f->moved );
	f->bounds = dbvhi_alloc( a, chunks, sizeof *f->bounds );
	void *memory = wanted > there ? f->own : tree->corners;
	if ( memory == NULL || f->moved == NULL || f->bounds == NULL )
		return false;
	f->keys = memory;
	f->spare = f->keys + tree->mesh_triangle_count;
	f->leaf_moments = memory;
	f->node_moments = f->leaf_moments + f->leaf_count;
	return true;
}

static void free_memory( fast *f, size_t chunks ) {
	const dbvh_tree *tree = f->tree;
	const dbvh_allocator *a = &tree->allocator;
	dbvhi_free( a, f->own, f->own_bytes, 1 );
	dbvhi_free( a, f->moved, f->view->vertex_count, sizeof *f->moved );
	dbvhi_free( a, f->bounds, chunks, sizeof *f->bounds );
}

// Restores the tree to its state without a packed form.
static void undo( dbvh_tree *tree ) {
	const dbvh_allocator *a = &tree->allocator;
	if ( tree->packed != NULL )
		dbvhi_free( a, tree->packed, tree->packed->bytes, 1 );
	dbvhi_free( a, tree->vertices, 3 * tree->vertex_count, sizeof *tree->vertices );
	dbvhi_free( a, tree->corner, 3 * tree->triangle_count, sizeof *tree->corner );
	tree->packed = NULL;
	tree->vertices = NULL;
	tree->corner = NULL;
	tree->vertex_count = 0;
	tree->keeps_order = false;
}

dbvh_status dbvhi_build_fast( dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *first ) {
	const size_t count = tree->triangle_count, chunks = ( tree->mesh_triangle_count + CHUNK - 1 ) / CHUNK;
	fast f = { .tree = tree,
	           .view = view,
	           .first = first,
	           .isa = dbvhi_builder_table[dbvhi_isa_level()],
	           .curve = dbvhi_curve_table[dbvhi_isa_level()],
	           .arrange = dbvhi_arrange_table[dbvhi_isa_level()],
	           .thread_count = dbvhi_builder_threads( count, dbvhi_thread_count( tree->options.thread_count ) ),
	           .leaf_count = (uint32_t)( ( count + DBVHI_WIDTH - 1 ) / DBVHI_WIDTH ) };
	f.node_count = f.leaf_count > 1 ? nodes_of( f.leaf_count ) : 1;
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( take_memory( &f, chunks ) ) {
		if ( !find_cells( &f, chunks ) ) {
			status = DBVH_LIMIT;
		} else {
			order_triangles( &f );
			if ( dbvhi_store_points( tree, view, f.moved ) && make_block( &f ) )
				status = DBVH_OK;
		}
	}
	free_memory( &f, chunks );
	tree->packed = (dbvhi_packed *)f.block;
	if ( status == DBVH_OK ) {
		dbvhi_free( &tree->allocator, tree->corners, 9 * count, sizeof( double ) );
		tree->corners = NULL;
		tree->leaf_count = count;
		tree->node_count = 2 * count - 1;
		tree->depth = depth_of_halves( count );
		status = dbvhi_refit_first( tree, view );
	}
	if ( status == DBVH_OK )
		return DBVH_OK;
	undo( tree );
	if ( status != DBVH_LIMIT )
		return status;
	// Floats would not do: the reference tree will be built, and needs its corners.
	if ( tree->corners == NULL )
		tree->corners = dbvhi_alloc( &tree->allocator, 9 * count, sizeof( double ) );
	return tree->corners != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}
