// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Building the reference tree, top down.
//
// A range of n triangles owns a block of 2n - 1 node slots whatever happens elsewhere, so ranges can be built in any
// order and on any thread with the same result. The top of the tree is built level by level until there are enough
// ranges to keep the threads busy; then each range is built to its leaves.

#include "base/alloc.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/status.h"
#include "mesh/view.h"
#include "tree/fit.h"
#include "tree/split.h"
#include "tree/tree.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// 2 log2(2^30) + 8 levels as the split likes, then log2(2^30) by medians.
#define MAX_DEPTH 100

typedef struct range {
	uint32_t node;	// its slot
	uint32_t block; // the first slot of its descendants
	uint32_t low, high;
	uint32_t depth; // the root has 1
	dbvhi_frame parent;
} range;

typedef struct builder {
	const dbvh_tree_options *options;
	dbvhi_build_triangle *triangles;
	dbvhi_scratch scratch;
	dbvhi_node *nodes;
	uint32_t free_depth; // from here on nodes are split at the median
	range *front, *next;
	uint32_t *depth; // deepest seen, by range of the front
} builder;

dbvh_tree_options dbvh_tree_options_default( void ) {
	return ( dbvh_tree_options ){
		.leaf_size = 1,
		.sphere_fit = DBVH_SPHERE_SMALLEST,
		.box_fit = DBVH_BOX_BEST,
		.split = DBVH_SPLIT_COST,
		.thread_count = 0,
	};
}

// Fits and splits one range. Returns false if it has become a leaf.
static bool build_node( builder *b, const range *at, range *left, range *right ) {
	dbvhi_node *node = &b->nodes[at->node];
	dbvhi_build_triangle *triangles = b->triangles + at->low;
	const size_t count = at->high - at->low;
	// Scratch memory goes with the triangles: ranges on other threads use other parts.
	const dbvhi_scratch scratch = { b->scratch.x + 3 * (size_t)at->low, b->scratch.y + 3 * (size_t)at->low,
									b->scratch.z + 3 * (size_t)at->low };
	const dbvhi_fit fit = dbvhi_fit_node( node, triangles, count, &at->parent, b->options, scratch );
	if ( count <= b->options->leaf_size ) {
		node->first = at->low;
		node->count = (uint32_t)count;
		return false;
	}
	size_t split;
	if ( at->depth >= b->free_depth )
		split = dbvhi_split_median( triangles, count, &fit, (uint64_t *)scratch.x );
	else if ( b->options->split == DBVH_SPLIT_COST )
		split = dbvhi_split_cost( triangles, count, &fit, scratch );
	else
		split = dbvhi_split_mean( triangles, count, &fit );
	node->first = at->block;
	node->count = 0;
	const uint32_t middle = at->low + (uint32_t)split;
	*left = ( range ){ .node = at->block,
					   .block = at->block + 2,
					   .low = at->low,
					   .high = middle,
					   .depth = at->depth + 1,
					   .parent = fit.frame };
	*right = ( range ){ .node = at->block + 1,
						.block = at->block + 2 + 2 * ( (uint32_t)split - 1 ),
						.low = middle,
						.high = at->high,
						.depth = at->depth + 1,
						.parent = fit.frame };
	return true;
}

// One step of a level: range i becomes ranges 2i and 2i + 1 of the next, empty ones where it was a leaf.
static void split_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	builder *b = context;
	range *left = &b->next[2 * index], *right = &b->next[2 * index + 1];
	if ( !build_node( b, &b->front[index], left, right ) ) {
		left->low = left->high = 0;
		right->low = right->high = 0;
	}
	b->depth[index] = b->front[index].depth;
}

static void subtree_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	builder *b = context;
	range stack[MAX_DEPTH + 2];
	int top = 0;
	uint32_t deepest = 0;
	stack[top++] = b->front[index];
	while ( top > 0 ) {
		const range at = stack[--top];
		deepest = at.depth > deepest ? at.depth : deepest;
		range left, right;
		if ( build_node( b, &at, &left, &right ) ) {
			stack[top++] = right;
			stack[top++] = left;
		}
	}
	b->depth[index] = deepest;
}

static uint32_t deepest_of( const builder *b, size_t count, uint32_t depth ) {
	for ( size_t i = 0; i < count; ++i )
		depth = b->depth[i] > depth ? b->depth[i] : depth;
	return depth;
}

#define FRONT_CAPACITY 1024

static uint32_t build_all( builder *b, size_t count, uint32_t thread_count ) {
	uint32_t depth = 0;
	size_t front = 1;
	b->front[0] = ( range ){ .node = 0,
							 .block = 1,
							 .low = 0,
							 .high = (uint32_t)count,
							 .depth = 1,
							 .parent = dbvhi_frame_mesh() };
	// Small meshes are not worth waking threads for.
	const uint32_t threads = count < 4096 ? 1 : thread_count;
	const size_t enough = threads == 1 ? 1 : 16 * (size_t)threads;
	while ( front > 0 && front < enough && 2 * front <= FRONT_CAPACITY ) {
		dbvhi_parallel_for( front, 1, threads, split_task, b );
		depth = deepest_of( b, front, depth );
		size_t kept = 0;
		for ( size_t i = 0; i < 2 * front; ++i ) {
			if ( b->next[i].high > b->next[i].low )
				b->next[kept++] = b->next[i];
		}
		range *t = b->front;
		b->front = b->next;
		b->next = t;
		front = kept;
	}
	dbvhi_parallel_for( front, 1, threads, subtree_task, b );
	return deepest_of( b, front, depth );
}

static size_t count_nodes( const dbvhi_node *nodes ) {
	uint32_t stack[2 * MAX_DEPTH];
	size_t count = 0;
	int top = 0;
	stack[top++] = 0;
	while ( top > 0 ) {
		const dbvhi_node *node = &nodes[stack[--top]];
		count += 1;
		if ( !dbvhi_node_is_leaf( node ) ) {
			stack[top++] = node->first;
			stack[top++] = node->first + 1;
		}
	}
	return count;
}

// Leaves of more than one triangle leave slots unused; this closes the gaps. Returns the number of nodes.
static size_t compact( dbvhi_node *nodes, dbvhi_node *out ) {
	uint32_t used = 1;
	uint32_t stack_old[2 * MAX_DEPTH], stack_new[2 * MAX_DEPTH];
	int top = 0;
	out[0] = nodes[0];
	stack_old[top] = 0;
	stack_new[top++] = 0;
	while ( top > 0 ) {
		const uint32_t old = stack_old[--top], fresh = stack_new[top];
		if ( dbvhi_node_is_leaf( &nodes[old] ) )
			continue;
		out[fresh].first = used;
		for ( uint32_t i = 0; i < 2; ++i )
			out[used + i] = nodes[nodes[old].first + i];
		// The right child below the left one, so that the left one's descendants come first.
		for ( uint32_t i = 2; i-- > 0; ) {
			stack_old[top] = nodes[old].first + i;
			stack_new[top++] = used + i;
		}
		used += 2;
	}
	return used;
}

// The power of two that brings the largest coordinate near 1: fits square and multiply coordinates, and must not
// overflow or underflow where the mesh itself does not.
static int scale_exponent( double largest ) {
	int exponent = 0;
	if ( largest > 0.0 )
		frexp( largest, &exponent );
	return exponent;
}

// Back to the mesh's own unit, extents upwards.
static void unscale_node( dbvhi_node *node, int exponent ) {
	for ( int k = 0; k < 3; ++k ) {
		node->pos.v[k] = ldexp( node->pos.v[k], exponent );
		node->half.v[k] = ldexp( node->half.v[k], exponent ) + 0x1p-1074;
		node->sphere_outside.v[k] = ldexp( node->sphere_outside.v[k], exponent );
		node->sphere_inside.v[k] = ldexp( node->sphere_inside.v[k], exponent );
	}
	node->radius = ldexp( node->radius, exponent ) + 0x1p-1074;
}

static void load( dbvh_tree *tree, const dbvh_mesh_view *view, dbvhi_build_triangle *triangles ) {
	uint64_t hash = DBVHI_HASH_SEED;
	double largest = 0.0;
	for ( size_t i = 0; i < tree->triangle_count; ++i ) {
		uint32_t index[3];
		dbvhi_view_triangle( view, i, index );
		for ( int corner = 0; corner < 3; ++corner )
			dbvhi_view_vertex( view, index[corner], triangles[i].corners + 3 * corner );
		for ( int k = 0; k < 9; ++k ) {
			double c = triangles[i].corners[k] + 0.0; // -0 becomes 0
			largest = fmax( largest, fabs( c ) );
			uint64_t word;
			memcpy( &word, &c, sizeof word );
			hash = dbvhi_hash_word( hash, word );
		}
		triangles[i].number = (uint32_t)i;
		triangles[i].pad = 0;
	}
	tree->hash = hash;
	tree->largest = largest;
	const int exponent = scale_exponent( largest );
	if ( exponent != 0 ) {
		for ( size_t i = 0; i < tree->triangle_count; ++i ) {
			for ( int k = 0; k < 9; ++k )
				triangles[i].corners[k] = ldexp( triangles[i].corners[k], -exponent );
		}
	}
}

static void store( dbvh_tree *tree, const dbvh_mesh_view *view, const dbvhi_build_triangle *triangles ) {
	for ( size_t i = 0; i < tree->triangle_count; ++i ) {
		uint32_t index[3];
		tree->triangle[i] = triangles[i].number;
		dbvhi_view_triangle( view, triangles[i].number, index );
		for ( int corner = 0; corner < 3; ++corner )
			dbvhi_view_vertex( view, index[corner], tree->corners + 9 * i + 3 * corner );
	}
	size_t leaves = 0;
	const int exponent = scale_exponent( tree->largest );
	for ( size_t i = 0; i < tree->node_count; ++i ) {
		unscale_node( &tree->nodes[i], exponent );
		leaves += tree->nodes[i].count != 0;
	}
	tree->leaf_count = leaves;
}

// Everything that is needed only during the build.
typedef struct build_memory {
	dbvhi_build_triangle *triangles;
	double *scratch;
	range *ranges;
	uint32_t *depth;
	dbvhi_node *sparse; // nodes before their gaps are closed, where leaves may hold more than one triangle
} build_memory;

static void free_memory( const dbvh_allocator *allocator, build_memory *m, size_t count ) {
	dbvhi_free( allocator, m->triangles, count, sizeof( dbvhi_build_triangle ) );
	dbvhi_free( allocator, m->scratch, 9 * count, sizeof( double ) );
	dbvhi_free( allocator, m->ranges, 2 * FRONT_CAPACITY, sizeof( range ) );
	dbvhi_free( allocator, m->depth, FRONT_CAPACITY, sizeof( uint32_t ) );
	dbvhi_free( allocator, m->sparse, 2 * count - 1, sizeof( dbvhi_node ) );
}

static bool take_memory( const dbvh_allocator *allocator, build_memory *m, size_t count, bool sparse ) {
	m->triangles = dbvhi_alloc( allocator, count, sizeof( dbvhi_build_triangle ) );
	m->scratch = dbvhi_alloc( allocator, 9 * count, sizeof( double ) );
	m->ranges = dbvhi_alloc( allocator, 2 * FRONT_CAPACITY, sizeof( range ) );
	m->depth = dbvhi_alloc( allocator, FRONT_CAPACITY, sizeof( uint32_t ) );
	m->sparse = sparse ? dbvhi_alloc( allocator, 2 * count - 1, sizeof( dbvhi_node ) ) : NULL;
	return m->triangles != NULL && m->scratch != NULL && m->ranges != NULL && m->depth != NULL &&
		   ( !sparse || m->sparse != NULL );
}

static dbvh_status build( dbvh_tree *tree, const dbvh_mesh_view *view ) {
	const size_t count = tree->triangle_count;
	build_memory m = { 0 };
	tree->corners = dbvhi_alloc( &tree->allocator, 9 * count, sizeof( double ) );
	tree->triangle = dbvhi_alloc( &tree->allocator, count, sizeof( uint32_t ) );
	const bool sparse = tree->options.leaf_size > 1;
	if ( !take_memory( &tree->allocator, &m, count, sparse ) || tree->corners == NULL || tree->triangle == NULL ) {
		free_memory( &tree->allocator, &m, count );
		return DBVH_OUT_OF_MEMORY;
	}
	if ( !sparse ) {
		tree->node_capacity = 2 * count - 1;
		tree->nodes = dbvhi_alloc( &tree->allocator, tree->node_capacity, sizeof( dbvhi_node ) );
		if ( tree->nodes == NULL ) {
			free_memory( &tree->allocator, &m, count );
			return DBVH_OUT_OF_MEMORY;
		}
	}

	load( tree, view, m.triangles );
	uint32_t log2_count = 0;
	while ( ( (size_t)1 << log2_count ) < count )
		log2_count += 1;
	builder b = {
		.options = &tree->options,
		.triangles = m.triangles,
		.scratch = { m.scratch, m.scratch + 3 * count, m.scratch + 6 * count },
		.nodes = sparse ? m.sparse : tree->nodes,
		.free_depth = 2 * log2_count + 8,
		.front = m.ranges,
		.next = m.ranges + FRONT_CAPACITY,
		.depth = m.depth,
	};
	tree->depth = build_all( &b, count, dbvhi_thread_count( tree->options.thread_count ) );

	dbvh_status status = DBVH_OK;
	if ( sparse ) {
		// Counted first, so that the tree takes exactly what it needs.
		const size_t used = count_nodes( m.sparse );
		tree->node_capacity = used;
		tree->nodes = dbvhi_alloc( &tree->allocator, used, sizeof( dbvhi_node ) );
		if ( tree->nodes == NULL )
			status = DBVH_OUT_OF_MEMORY;
		else
			tree->node_count = compact( m.sparse, tree->nodes );
	} else {
		tree->node_count = tree->node_capacity;
	}
	if ( status == DBVH_OK )
		store( tree, view, m.triangles );
	free_memory( &tree->allocator, &m, count );
	return status == DBVH_OK ? dbvhi_pack( tree, &tree->packed ) : status;
}

void dbvh_tree_destroy( dbvh_tree *tree ) {
	if ( tree == NULL )
		return;
	const dbvh_allocator allocator = tree->allocator;
	if ( tree->packed != NULL )
		dbvhi_free( &allocator, tree->packed, tree->packed->bytes, 1 );
	dbvhi_free( &allocator, tree->nodes, tree->node_capacity, sizeof( dbvhi_node ) );
	dbvhi_free( &allocator, tree->corners, 9 * tree->triangle_count, sizeof( double ) );
	dbvhi_free( &allocator, tree->triangle, tree->triangle_count, sizeof( uint32_t ) );
	dbvhi_free( &allocator, tree, 1, sizeof *tree );
}

static bool options_are_valid( const dbvh_tree_options *options ) {
	return options->leaf_size >= 1 && options->leaf_size <= 64 &&
		   (unsigned)options->sphere_fit <= DBVH_SPHERE_BOX_CENTRE && (unsigned)options->box_fit <= DBVH_BOX_COVARIANCE &&
		   (unsigned)options->split <= DBVH_SPLIT_MEAN;
}

dbvh_status dbvh_tree_build( const dbvh_mesh_view *view, const dbvh_tree_options *options,
							 const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( tree_out == NULL )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "there is no place for the tree" );
	*tree_out = NULL;
	const dbvh_tree_options chosen = options != NULL ? *options : dbvh_tree_options_default();
	if ( !options_are_valid( &chosen ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "an option of the tree is outside its range" );
	dbvh_status status = dbvh_mesh_view_check( view, error );
	if ( status != DBVH_OK )
		return status;

	const dbvh_allocator a = dbvhi_allocator_or_default( allocator );
	dbvh_tree *tree = dbvhi_alloc( &a, 1, sizeof *tree );
	if ( tree == NULL )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	memset( tree, 0, sizeof *tree );
	tree->allocator = a;
	tree->options = chosen;
	tree->triangle_count = dbvhi_view_triangle_count( view );
	status = build( tree, view );
	if ( status != DBVH_OK ) {
		dbvh_tree_destroy( tree );
		return dbvhi_error_status( error, status );
	}
	*tree_out = tree;
	return DBVH_OK;
}
