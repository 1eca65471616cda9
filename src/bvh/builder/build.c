// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Builds the reference tree, top down.
//
// A range of n triangles owns a block of 2n - 1 node slots, so ranges can be built in any order and on any thread with
// the same result. The top is built level by level until there are enough ranges to keep the threads busy; then each
// range is built to its leaves.

#include "base/alloc.h"
#include "base/assert.h"
#include "base/parallel.h"
#include "bvh/builder/builder.h"
#include "bvh/builder/fit.h"
#include "bvh/builder/treelet.h"
#include "bvh/tree.h"
#include "mesh/view.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

typedef dbvhi_range range;

// SMALL: subtrees of so few triangles are built in memory of their own, which stays in the nearest cache.
#define SMALL 64

typedef struct dbvhi_small_memory {
	double points[2][9 * SMALL];
	uint32_t moved[3 * SMALL];
	dbvhi_fit_sample sample; // sample of nodes with more triangles
} small_memory;

typedef dbvhi_builder builder;

// Lists the points of a part's triangles anew and renumbers their corners. Returns the number of points. `moved` has
// room for the points of the part.
static uint32_t list_points( const dbvhi_part *part, uint32_t *moved, double *const out[3] ) {
	const uint32_t none = UINT32_MAX;
	for ( size_t i = 0; i < part->points.count; ++i )
		moved[i] = none;
	uint32_t count = 0;
	for ( size_t i = 0; i < part->count; ++i ) {
		for ( int corner = 0; corner < 3; ++corner ) {
			const uint32_t from = part->triangles[i].corner[corner];
			if ( moved[from] == none ) {
				out[0][count] = part->points.x[from];
				out[1][count] = part->points.y[from];
				out[2][count] = part->points.z[from];
				moved[from] = count++;
			}
			part->triangles[i].corner[corner] = moved[from];
		}
	}
	return count;
}

static size_t split_part( const builder *b, const dbvhi_part *part, const dbvhi_fit *fit, uint32_t depth ) {
	DBVHI_ASSERT( part->count >= 2 );
	if ( depth >= b->free_depth )
		return dbvhi_split_median( part, fit, (uint64_t *)fit->along[0] );
	switch ( b->options->split ) {
	case DBVH_SPLIT_COST:
		return dbvhi_split_cost( part, fit );
	case DBVH_SPLIT_VARIANCE:
		return dbvhi_split_variance( part, fit );
	default:
		return dbvhi_split_mean( part, fit );
	}
}

// Returns room for the points of a range, which are needed until its children have theirs; parities of the depth take
// turns. The memory is needed by the tree anyway: even depths use that of the range's corners, odd depths that of its
// descendants' nodes. A range of one triangle has no descendants but its own slot.
static double *room_at( const builder *b, const range *at ) {
	if ( at->depth % 2 == 0 || b->points[1] != NULL )
		return b->points[at->depth % 2] + 9 * (size_t)( at->low - b->base );
	return (double *)&b->nodes[at->high - at->low > 1 ? at->block : at->node];
}

static void points_at( const builder *b, const range *at, double *out[3] ) {
	DBVHI_ASSERT( at->low >= b->base && at->low < at->high );
	double *room = room_at( b, at );
	for ( size_t k = 0; k < 3; ++k )
		out[k] = room + 3 * k * ( at->high - at->low );
}

static dbvhi_part part_of( const builder *b, const range *at ) {
	DBVHI_ASSERT( at->low < at->high );
	double *points[3];
	points_at( b, at, points );
	return ( dbvhi_part ){ .triangles = b->triangles + at->low,
	                       .count = at->high - at->low,
	                       .points = { points[0], points[1], points[2], at->points } };
}

// Makes the two halves of a range whose first `split` triangles go left, with points of their own.
static void hand_on( const builder *b, const range *at, const dbvhi_part *part, const dbvhi_frame *frame,
                     uint32_t split, range *left, range *right ) {
	DBVHI_ASSERT( split > 0 && split < at->high - at->low );
	const uint32_t middle = at->low + split;
	*left = ( range ){ .node = at->block,
	                   .block = at->block + 2,
	                   .low = at->low,
	                   .high = middle,
	                   .depth = at->depth + 1,
	                   .parent = *frame };
	*right = ( range ){ .node = at->block + 1,
	                    .block = at->block + 2 + 2 * ( split - 1 ),
	                    .low = middle,
	                    .high = at->high,
	                    .depth = at->depth + 1,
	                    .parent = *frame };
	uint32_t *moved = b->moved + 3 * (size_t)( at->low - b->base );
	double *points[3];
	dbvhi_part half = *part;
	half.count = split;
	points_at( b, left, points );
	left->points = list_points( &half, moved, points );
	half.triangles += split;
	half.count = part->count - split;
	points_at( b, right, points );
	right->points = list_points( &half, moved, points );
}

// Fits and splits one range. Returns false if it became a leaf.
static bool build_node( const builder *b, const range *at, small_memory *memory, range *left, range *right ) {
	DBVHI_ASSERT( at->low < at->high && at->depth >= 1 );
	dbvhi_node *node = &b->nodes[at->node];
	double *other[3];
	const dbvhi_part part = part_of( b, at );
	range next = *at;
	next.depth += 1;
	points_at( b, &next, other ); // unused until the children have points
	const dbvhi_fit fit = dbvhi_fit_node( node, &part, &at->parent, b->options, b->limit, other, &memory->sample );
	node->low = at->low;
	node->total = (uint32_t)part.count;
	if ( part.count <= b->options->leaf_size ) {
		node->first = at->low;
		node->count = (uint32_t)part.count;
		return false;
	}
	const uint32_t split = (uint32_t)split_part( b, &part, &fit, at->depth );
	node->first = at->block;
	node->count = 0;
	hand_on( b, at, &part, &fit.frame, split, left, right );
	return true;
}

static dbvhi_fit_task task_of( const range *at ) {
	DBVHI_ASSERT( at->low < at->high );
	return ( dbvhi_fit_task ){ .node = at->node,
	                           .block = at->block,
	                           .low = at->low,
	                           .count = at->high - at->low,
	                           .depth = at->depth,
	                           .parent = at->parent };
}

static dbvhi_build_plan plan_of( const builder *b ) {
	return ( dbvhi_build_plan ){ .options = b->options,
	                             .nodes = b->nodes,
	                             .free_depth = b->free_depth,
	                             .factor = b->factor,
	                             .limit = b->limit,
	                             .to_pack = b->to_pack };
}

void dbvhi_builder_divide( const builder *b, const range *at, double *scratch, range *left, range *right ) {
	const dbvhi_build_plan plan = plan_of( b );
	const dbvhi_fit_task task = task_of( at );
	const dbvhi_part part = part_of( b, at );
	dbvhi_frame frame;
	const size_t split = b->builder_isa->divide( &plan, &task, &part, &frame, scratch,
	                                             (dbvhi_build_triangle *)( scratch + 6 * part.count ) );
	hand_on( b, at, &part, &frame, (uint32_t)split, left, right );
}

// Fits and splits a range larger than a treelet, in the default tree.
static void grow_node( const builder *b, const range *at, range *left, range *right ) {
	// note: the slots of the descendants have room for the points, two doubles for each, and a copy of the triangles.
	_Static_assert( 2 * sizeof( dbvhi_node ) * DBVHI_TREELET >=
	                    ( 9 + 6 + 2 ) * sizeof( double ) * ( DBVHI_TREELET + 1 ),
	                "a node's slots are enough" );
	dbvhi_builder_divide( b, at, (double *)&b->nodes[at->block] + 10 * (size_t)( at->high - at->low ), left, right );
}

uint32_t dbvhi_builder_treelet( const builder *b, const range *at, struct dbvhi_treelet_memory *memory,
                                dbvhi_node *nodes ) {
	DBVHI_ASSERT( b->builder_isa != NULL );
	dbvhi_build_plan plan = plan_of( b );
	plan.nodes = nodes;
	const dbvhi_fit_task task = task_of( at );
	const dbvhi_part part = part_of( b, at );
	return b->builder_isa->treelet( &plan, &task, &part, memory );
}

static uint32_t build_treelet( const builder *b, const range *at, uint32_t thread ) {
	return dbvhi_builder_treelet(
	    b, at, (struct dbvhi_treelet_memory *)( b->treelets + thread * b->builder_isa->memory ), b->nodes );
}

// Builds a range to its leaves and returns their largest depth.
static uint32_t build_subtree( const builder *b, const range *root, small_memory *memory ) {
	range stack[DBVHI_BUILD_DEPTH + 2];
	int top = 0;
	uint32_t deepest = 0;
	stack[top++] = *root;
	while ( top > 0 ) {
		const range at = stack[--top];
		deepest = at.depth > deepest ? at.depth : deepest;
		range left, right;
		if ( build_node( b, &at, memory, &left, &right ) ) {
			stack[top++] = right;
			stack[top++] = left;
		}
	}
	return deepest;
}

static uint32_t build_small( const builder *b, const range *root, small_memory *memory ) {
	DBVHI_ASSERT( root->high - root->low <= SMALL );
	builder small = *b;
	small.base = root->low;
	small.moved = memory->moved;
	small.points[0] = memory->points[0];
	small.points[1] = memory->points[1];
	double *from[3], *to[3];
	points_at( b, root, from );
	points_at( &small, root, to );
	for ( int k = 0; k < 3; ++k )
		memcpy( to[k], from[k], root->points * sizeof( double ) );
	return build_subtree( &small, root, memory );
}

// One step of a level: range i becomes ranges 2i and 2i + 1 of the next level, empty ones if it became a leaf.
static void split_task( void *context, size_t index, uint32_t thread ) {
	builder *b = context;
	range *left = &b->next[2 * index], *right = &b->next[2 * index + 1];
	const range *at = &b->queue[index];
	b->depth[index] = at->depth;
	const uint32_t small = b->builder_isa != NULL ? DBVHI_TREELET : SMALL;
	if ( at->high - at->low <= small ) {
		b->depth[index] =
		    b->builder_isa != NULL ? build_treelet( b, at, thread ) : build_small( b, at, &b->small[thread] );
		left->low = left->high = 0;
		right->low = right->high = 0;
	} else if ( b->builder_isa != NULL ) {
		grow_node( b, at, left, right );
	} else if ( !build_node( b, at, &b->small[thread], left, right ) ) {
		left->low = left->high = 0;
		right->low = right->high = 0;
	}
}

static void subtree_task( void *context, size_t index, uint32_t thread ) {
	builder *b = context;
	range stack[DBVHI_BUILD_DEPTH + 2];
	int top = 0;
	uint32_t deepest = 0;
	stack[top++] = b->queue[index];
	while ( top > 0 ) {
		const range at = stack[--top];
		range left, right;
		if ( b->builder_isa != NULL && at.high - at.low <= DBVHI_TREELET ) {
			const uint32_t depth = build_treelet( b, &at, thread );
			deepest = depth > deepest ? depth : deepest;
		} else if ( b->builder_isa != NULL ) {
			grow_node( b, &at, &left, &right );
			stack[top++] = right;
			stack[top++] = left;
		} else if ( at.high - at.low <= SMALL ) {
			const uint32_t depth = build_small( b, &at, &b->small[thread] );
			deepest = depth > deepest ? depth : deepest;
		} else if ( build_node( b, &at, &b->small[thread], &left, &right ) ) {
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

static void hash_corners( const builder *b ) {
	*b->hash = dbvhi_mesh_hash( b->view, b->hash_count );
}

// Splits the ranges of a level; the hash runs beside the first split, which has a thread to itself.
static void first_task( void *context, size_t index, uint32_t thread ) {
	if ( index == 0 )
		hash_corners( context );
	else
		split_task( context, index - 1, thread );
}

#define FRONT_CAPACITY 1024

static uint32_t build_all( builder *b, size_t count, uint32_t thread_count ) {
	DBVHI_ASSERT( count > 0 && thread_count >= 1 );
	uint32_t depth = 0;
	size_t queue = 1;
	const uint32_t threads = dbvhi_builder_threads( count, thread_count );
	const size_t enough = threads == 1 ? 2 : 16 * (size_t)threads;
	while ( queue > 0 && queue < enough && 2 * queue <= FRONT_CAPACITY ) {
		if ( queue == 1 )
			dbvhi_parallel_for( 2, 1, threads, first_task, b );
		else
			dbvhi_parallel_for( queue, 1, threads, split_task, b );
		depth = deepest_of( b, queue, depth );
		size_t kept = 0;
		for ( size_t i = 0; i < 2 * queue; ++i ) {
			if ( b->next[i].high > b->next[i].low )
				b->next[kept++] = b->next[i];
		}
		range *t = b->queue;
		b->queue = b->next;
		b->next = t;
		queue = kept;
	}
	dbvhi_parallel_for( queue, 1, threads, subtree_task, b );
	return deepest_of( b, queue, depth );
}

static size_t count_nodes( const dbvhi_node *nodes ) {
	DBVHI_ASSERT( nodes != NULL );
	uint32_t stack[2 * DBVHI_BUILD_DEPTH];
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

// Closes the gaps that leaves of more than one triangle leave between slots. Returns the number of nodes.
static size_t compact( dbvhi_node *nodes, dbvhi_node *out ) {
	DBVHI_ASSERT( nodes != NULL && out != NULL );
	uint32_t used = 1;
	uint32_t stack_old[2 * DBVHI_BUILD_DEPTH], stack_new[2 * DBVHI_BUILD_DEPTH];
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
		// note: the left child is popped first, so that its descendants come first.
		for ( uint32_t i = 2; i-- > 0; ) {
			stack_old[top] = nodes[old].first + i;
			stack_new[top++] = used + i;
		}
		used += 2;
	}
	return used;
}

int dbvhi_builder_exponent( const dbvh_tree *tree ) {
	int exponent = 0;
	if ( tree->largest > 0.0 )
		frexp( tree->largest, &exponent );
	return exponent;
}

// Returns which corner of a triangle a point is, trying `expected` first; -1 if none.
static int corner_of( const double whole[9], const double point[3], int expected ) {
	for ( int i = 0; i < 3; ++i ) {
		const int corner = ( expected + i ) % 3;
		if ( memcmp( whole + 3 * corner, point, 3 * sizeof( double ) ) == 0 )
			return corner;
	}
	return -1;
}

uint32_t dbvhi_builder_load( dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *first,
                             const dbvhi_fragment *fragments, dbvhi_build_triangle *triangles, uint32_t *moved,
                             double *const points[3] ) {
	const uint32_t none = UINT32_MAX;
	uint32_t count = 0;
	for ( size_t i = 0; i < view->vertex_count; ++i )
		moved[i] = none;
	tree->largest = 0.0;
	size_t next = 0;
	for ( size_t i = 0; i < tree->triangle_count; ++i, ++next ) {
		uint32_t index[3];
		double whole[9], corners[9];
		if ( fragments != NULL )
			next = fragments[i].triangle;
		while ( fragments == NULL && first != NULL && first[next] != next )
			next += 1;
		dbvhi_view_triangle( view, next, index );
		for ( int corner = 0; corner < 3; ++corner )
			dbvhi_view_vertex( view, index[corner], whole + 3 * corner );
		dbvhi_fragment_corners( whole, fragments != NULL ? fragments[i].path : DBVHI_WHOLE, corners );
		for ( int corner = 0; corner < 3; ++corner ) {
			// note: a corner of a fragment that is none of the triangle's is a point of its own.
			const int of = corner_of( whole, corners + 3 * corner, corner );
			uint32_t at = of >= 0 ? moved[index[of]] : none;
			if ( at == none ) {
				for ( int k = 0; k < 3; ++k )
					points[k][count] = corners[3 * corner + k];
				at = count++;
			}
			if ( of >= 0 )
				moved[index[of]] = at;
			triangles[i].corner[corner] = at;
		}
		triangles[i].number = (uint32_t)( fragments != NULL ? i : next );
		for ( int k = 0; k < 9; ++k )
			tree->largest = fabs( whole[k] ) > tree->largest ? fabs( whole[k] ) : tree->largest;
	}
	const dbvhi_power by = dbvhi_power_of_two( -dbvhi_builder_exponent( tree ) );
	for ( int k = 0; k < 3; ++k ) {
		for ( uint32_t i = 0; i < count; ++i )
			points[k][i] = dbvhi_times_power( by, points[k][i] );
	}
	return count;
}

uint32_t dbvhi_builder_free_depth( size_t count ) {
	uint32_t log2_count = 0;
	while ( ( (size_t)1 << log2_count ) < count )
		log2_count += 1;
	return 2 * log2_count + 8;
}

typedef struct storing {
	dbvh_tree *tree;
	const dbvh_mesh_view *view;
	const dbvhi_build_triangle *triangles;
	const dbvhi_fragment *fragments; // NULL: none
	bool unscaled;                   // the nodes are still in the builder's unit
	dbvhi_power by;
	double lost; // enlargement by dbvhi_node_scale()
} storing;

#define STORE_CHUNK 4096

// Stores a chunk of the triangles, and of the nodes.
static void store_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	const storing *s = context;
	dbvh_tree *tree = s->tree;
	const size_t first = index * STORE_CHUNK;
	for ( size_t i = first; i < first + STORE_CHUNK && i < tree->triangle_count; ++i ) {
		uint32_t corner[3], number = s->triangles[i].number;
		if ( s->fragments != NULL ) {
			tree->fragment[i] = s->fragments[number].path;
			number = s->fragments[number].triangle;
		}
		tree->triangle[i] = number;
		dbvhi_view_triangle( s->view, number, corner );
		for ( int k = 0; k < 3; ++k )
			dbvhi_view_vertex( s->view, corner[k], tree->corners + 9 * i + 3 * k );
	}
	for ( size_t i = 2 * first; i < 2 * ( first + STORE_CHUNK ) && i < tree->node_count; ++i ) {
		if ( s->unscaled )
			dbvhi_node_scale( &tree->nodes[i], s->by, s->lost );
		if ( s->fragments != NULL )
			dbvhi_widen_node( &tree->nodes[i], dbvhi_widening( tree->fragment_error ) );
	}
}

// Stores triangles in the order of the leaves, and nodes in the mesh's unit.
static void store( dbvh_tree *tree, const dbvh_mesh_view *view, const dbvhi_build_triangle *triangles,
                   const dbvhi_fragment *fragments, bool unscaled, uint32_t thread_count ) {
	const int exponent = dbvhi_builder_exponent( tree );
	storing s = { tree, view, triangles, fragments, unscaled, dbvhi_power_of_two( exponent ), 0x1p-1074 };
	// note: at 2^-1000 and above, the loss is far below the margin of each fit.
	if ( exponent < -1000 )
		s.lost = dbvhi_subnormal_margin( (double)tree->depth );
	tree->fragment_error = fragments != NULL ? dbvhi_fragment_error( tree->largest ) : 0.0;
	const size_t chunks = ( tree->triangle_count + STORE_CHUNK - 1 ) / STORE_CHUNK;
	dbvhi_parallel_for( chunks, 1, chunks > 1 ? thread_count : 1, store_task, &s );
	tree->leaf_count = ( tree->node_count + 1 ) / 2; // because every inner node has two children
	tree->root = tree->nodes[0];
}

// Memory that is needed only during the build.
typedef struct build_memory {
	dbvhi_build_triangle *triangles;
	uint32_t *moved; // room for the corners or the vertices, whichever are more
	size_t moved_room;
	char *treelets;
	size_t treelet_bytes; // 0 without treelets
	small_memory *small;
	size_t small_count; // 0 with treelets
	range *ranges;
	uint32_t *depth;
	dbvhi_node *sparse; // nodes before compact(), if leaves may hold more than one triangle
} build_memory;

static void free_memory( const dbvh_allocator *allocator, build_memory *m, size_t count ) {
	dbvhi_free( allocator, m->triangles, count, sizeof( dbvhi_build_triangle ) );
	dbvhi_free( allocator, m->moved, m->moved_room, sizeof( uint32_t ) );
	dbvhi_free( allocator, m->treelets, m->treelet_bytes, 1 );
	dbvhi_free( allocator, m->small, m->small_count, sizeof( small_memory ) );
	dbvhi_free( allocator, m->ranges, 2 * FRONT_CAPACITY, sizeof( range ) );
	dbvhi_free( allocator, m->depth, FRONT_CAPACITY, sizeof( uint32_t ) );
	dbvhi_free( allocator, m->sparse, 2 * count - 1, sizeof( dbvhi_node ) );
}

static bool take_memory( const dbvh_allocator *allocator, build_memory *m, size_t count, bool sparse ) {
	m->triangles = dbvhi_alloc( allocator, count, sizeof( dbvhi_build_triangle ) );
	m->moved = dbvhi_alloc( allocator, m->moved_room, sizeof( uint32_t ) );
	m->treelets = m->treelet_bytes > 0 ? dbvhi_alloc( allocator, m->treelet_bytes, 1 ) : NULL;
	m->small = m->small_count > 0 ? dbvhi_alloc( allocator, m->small_count, sizeof( small_memory ) ) : NULL;
	m->ranges = dbvhi_alloc( allocator, 2 * FRONT_CAPACITY, sizeof( range ) );
	m->depth = dbvhi_alloc( allocator, FRONT_CAPACITY, sizeof( uint32_t ) );
	m->sparse = sparse ? dbvhi_alloc( allocator, 2 * count - 1, sizeof( dbvhi_node ) ) : NULL;
	return ( m->treelet_bytes == 0 || m->treelets != NULL ) && ( m->small_count == 0 || m->small != NULL ) &&
	       m->triangles != NULL && m->moved != NULL && m->ranges != NULL && m->depth != NULL &&
	       ( !sparse || m->sparse != NULL );
}

dbvh_status dbvhi_build_reference( dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *twin_of,
                                   const dbvhi_fragment *fragments ) {
	const size_t count = tree->triangle_count;
	const uint32_t thread_count = dbvhi_thread_count( tree->options.thread_count );
	const bool usual = tree->options.box_fit == DBVH_BOX_FIT_BEST && tree->options.split == DBVH_SPLIT_COST &&
	                   tree->options.sphere_fit != DBVH_NODE_SPHERE_RITTER;
	const dbvhi_builder_isa *builder_isa = usual ? dbvhi_builder_table[dbvhi_isa_level()] : NULL;
	const uint32_t threads = dbvhi_builder_threads( count, thread_count );
	build_memory m = { .treelet_bytes = usual ? threads * builder_isa->memory : 0,
	                   .small_count = usual ? 0 : threads,
	                   .moved_room = view->vertex_count > 3 * count ? view->vertex_count : 3 * count };
	const bool sparse = tree->options.leaf_size > 1;
	if ( !take_memory( &tree->allocator, &m, count, sparse ) ) {
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

	builder b = {
	    .options = &tree->options,
	    .triangles = m.triangles,
	    .moved = m.moved,
	    .nodes = sparse ? m.sparse : tree->nodes,
	    .free_depth = dbvhi_builder_free_depth( count ),
	    .queue = m.ranges,
	    .next = m.ranges + FRONT_CAPACITY,
	    .depth = m.depth,
	    .builder_isa = builder_isa,
	    .treelets = m.treelets,
	    .small = m.small,
	    .view = view,
	    .hash_count = tree->mesh_triangle_count,
	    .hash = &tree->hash,
	};
	b.queue[0] = ( range ){ .node = 0, .block = 1, .low = 0, .high = (uint32_t)count, .depth = 1 };
	b.queue[0].parent = dbvhi_frame_mesh();
	b.points[0] = tree->corners; // holds the corners in the end
	double *first[3];
	points_at( &b, &b.queue[0], first );
	b.queue[0].points = dbvhi_builder_load( tree, view, twin_of, fragments, m.triangles, m.moved, first );
	// If the unit is not a normal number, nodes are rescaled after the build.
	const int exponent = dbvhi_builder_exponent( tree );
	const bool unscaled = builder_isa == NULL || exponent < -1000 || exponent > 1000;
	b.factor = unscaled ? 1.0 : ldexp( 1.0, exponent );
	b.limit = ldexp( DBL_MAX, -exponent );
	tree->depth = build_all( &b, count, thread_count );

	dbvh_status status = DBVH_OK;
	if ( sparse ) {
		// Count first, so that the tree takes exactly what it needs.
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
		store( tree, view, m.triangles, fragments, unscaled, thread_count );
	free_memory( &tree->allocator, &m, count );
	return status;
}
