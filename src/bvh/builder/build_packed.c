// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Builds the packed form without the reference tree that it is made from.
//
// The top is grown first, in rounds: every packed node that still wants children names the binary nodes to divide, and
// these are divided in parallel. The remaining subtrees are pieces (pack_piece.h), which are built and packed on any
// thread, one after the other in the same memory, so that binary nodes exist only for the top and for one piece a
// thread. Only the calling thread allocates: pieces are packed into a pool of the usual size, and threads that find it
// empty wait for more.

#include "base/alloc.h"
#include "base/assert.h"
#include "base/parallel.h"
#include "bvh/builder/builder.h"
#include "bvh/packed/pack.h"
#include "mesh/view.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

// A binary node of the top; its index is that of its dbvhi_node.
typedef struct candidate {
	dbvhi_range at, left, right; // its range, and the halves if it is divided
	bool divided;
	dbvhi_frame above; // frame of its parent in the mesh
	// Results of a piece that has been built:
	char *block; // its spheres, boxes and leaves; NULL before
	uint32_t node_count, leaf_count, deepest;
	uint32_t depth; // depth of its binary nodes
	double extent;
} candidate;

// A packed node of the top that still wants children.
typedef struct opened {
	uint32_t total;
	uint32_t child[DBVHI_WIDTH];
	int count;
} opened;

// Memory to build a piece in, for each thread.
typedef struct piece_memory {
	dbvhi_node *nodes;
	double *corners;
	uint32_t *fragment; // paths, see dbvhi_packer; NULL if all triangles are whole
	double *points[2];  // points of the piece, see dbvhi_builder
	uint32_t *moved;
	dbvhi_pending *pending; // three entries a level
	candidate *stalled;     // piece that was built, but had no room to be packed
	size_t wanted;          // bytes it needs
} piece_memory;

#define MOST_POOLS 64
// HUGE_COUNT: from so many triangles on, memory is returned early at the cost of time.
#define HUGE_COUNT ( (size_t)1 << 24 )
// USUAL: bytes a triangle of the first pool.
#define USUAL 64

typedef struct pool {
	char *memory;
	size_t size;
} pool;

typedef struct packed_build {
	dbvh_tree *tree;
	dbvhi_builder b;
	const dbvh_mesh_view *view;
	const dbvhi_fragment *fragments; // NULL: none
	dbvhi_node *nodes;
	candidate *candidates;
	size_t node_count, node_capacity, candidate_capacity;
	opened *open;
	size_t open_count, open_capacity;
	uint32_t *to_divide; // candidates to divide in this round
	size_t divide_count, divide_capacity;
	uint32_t *pieces;
	size_t piece_count, piece_capacity;
	piece_memory *memory;
	dbvhi_packer packer; // settings shared by all pieces
	dbvhi_packed header; // version, unit and centre of the block
	pool pools[MOST_POOLS];
	int pool_count;
	atomic_size_t used; // bytes used of the last pool
	uint64_t hash;
	// State of assembling the pieces:
	dbvhi_top top;
	dbvhi_packed_arrays arrays;
	uint32_t thread_count;
} packed_build;

// Returns memory that will not be read again to the system, in huge builds; in smaller ones fresh pages would cost
// more.
static void forget( const packed_build *s, void *bytes, size_t count ) {
	if ( s->tree->triangle_count >= HUGE_COUNT )
		dbvhi_forget( &s->tree->allocator, bytes, count );
}

// Returns the memory of the points of a range at a depth.
static void forget_points( const packed_build *s, uint32_t depth, uint32_t low, uint32_t high ) {
	forget( s, s->b.points[depth % 2] + 9 * (size_t)low, 9 * (size_t)( high - low ) * sizeof( double ) );
}

// ------------------------------------------------------------------------------------------------
// The top

static void divide_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	packed_build *s = context;
	if ( index == s->divide_count ) { // beside the root's division, which takes as long
		s->hash = dbvhi_mesh_hash( s->view, s->tree->mesh_triangle_count );
		return;
	}
	const uint32_t i = s->to_divide[index];
	candidate *c = &s->candidates[i];
	dbvhi_builder b = s->b;
	b.nodes = &s->nodes[i];
	// Scratch memory: the points of the other parity, later those of its children.
	const uintptr_t room = (uintptr_t)( b.points[( c->at.depth + 1 ) % 2] + 9 * (size_t)c->at.low );
	dbvhi_builder_divide( &b, &c->at, (double *)( ( room + 15 ) / 16 * 16 ), &c->left, &c->right );
	c->divided = true;
	forget_points( s, c->at.depth, c->at.low, c->at.high );
}

// Adds a binary node of the top, to be divided if it is larger than a treelet.
static bool add_candidate( packed_build *s, const dbvhi_range *at, const dbvhi_frame *above ) {
	const dbvh_allocator *a = &s->tree->allocator;
	const size_t i = s->node_count;
	if ( !dbvhi_grow_array( a, &s->nodes, &s->node_capacity, i + 1, sizeof *s->nodes ) ||
	     !dbvhi_grow_array( a, &s->candidates, &s->candidate_capacity, i + 1, sizeof *s->candidates ) ||
	     !dbvhi_grow_array( a, &s->to_divide, &s->divide_capacity, s->divide_count + 1, sizeof *s->to_divide ) )
		return false;
	s->nodes[i] = ( dbvhi_node ){ .low = at->low, .total = at->high - at->low };
	s->candidates[i] = ( candidate ){ .at = *at, .above = *above };
	s->candidates[i].at.node = 0; // piece-local slots
	s->candidates[i].at.block = 1;
	if ( s->nodes[i].total > DBVHI_TREELET )
		s->to_divide[s->divide_count++] = (uint32_t)i;
	s->node_count += 1;
	return true;
}

// Opens a packed node, whose only child is its binary node at first.
static bool open_candidate( packed_build *s, uint32_t i ) {
	if ( !dbvhi_grow_array( &s->tree->allocator, &s->open, &s->open_capacity, s->open_count + 1, sizeof *s->open ) )
		return false;
	s->open[s->open_count++] = ( opened ){ .total = s->nodes[i].total, .child = { i }, .count = 1 };
	return true;
}

static bool close_opened( packed_build *s, const opened *o ) {
	for ( int k = 0; k < o->count; ++k ) {
		const uint32_t i = o->child[k];
		if ( s->nodes[i].total > DBVHI_PIECE ) {
			if ( !open_candidate( s, i ) )
				return false;
			continue;
		}
		if ( !dbvhi_grow_array( &s->tree->allocator, &s->pieces, &s->piece_capacity, s->piece_count + 1,
		                        sizeof *s->pieces ) )
			return false;
		s->pieces[s->piece_count++] = i;
	}
	return true;
}

// Replaces the next child of a packed node by its own two. False if there is no memory; *closed if no child is left to
// open.
static bool open_further( packed_build *s, opened *o, bool *closed ) {
	dbvhi_openable open[DBVHI_WIDTH];
	for ( int k = 0; k < o->count; ++k )
		open[k] = ( dbvhi_openable ){ s->nodes[o->child[k]].total, s->nodes[o->child[k]].radius + s->packer.widening };
	const int best = o->count < DBVHI_WIDTH ? dbvhi_next_to_open( o->total, open, o->count ) : -1;
	*closed = best < 0;
	if ( best < 0 )
		return true;
	const candidate c = s->candidates[o->child[best]];
	DBVHI_ASSERT( c.divided );
	const uint32_t first = (uint32_t)s->node_count;
	s->nodes[o->child[best]].first = first;
	s->nodes[o->child[best]].count = 0;
	const dbvhi_frame frame = dbvhi_frame_step( &c.above, &s->nodes[o->child[best]] );
	o->child[best] = first;
	o->child[o->count++] = first + 1;
	return add_candidate( s, &c.left, &frame ) && add_candidate( s, &c.right, &frame );
}

// One round: opens packed nodes further until each waits for a division or is closed.
static bool open_all( packed_build *s ) {
	size_t kept = 0;
	s->divide_count = 0;
	for ( size_t i = 0; i < s->open_count; ++i ) {
		opened o = s->open[i]; // a copy: the array may move
		bool closed;
		if ( !open_further( s, &o, &closed ) || ( closed && !close_opened( s, &o ) ) )
			return false;
		if ( !closed )
			s->open[kept++] = o;
	}
	s->open_count = kept;
	return true;
}

static bool grow_top( packed_build *s ) {
	while ( s->open_count > 0 ) {
		if ( !open_all( s ) )
			return false;
		dbvhi_parallel_for( s->divide_count, 1, s->thread_count, divide_task, s );
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Pieces

// Copies the points of a range into memory that stays in a near cache.
static void bring_points( const dbvhi_builder *from, const dbvhi_builder *to, const dbvhi_range *at ) {
	const size_t count = at->high - at->low;
	const double *old = from->points[at->depth % 2] + 9 * (size_t)( at->low - from->base );
	double *fresh = to->points[at->depth % 2] + 9 * (size_t)( at->low - to->base );
	for ( size_t k = 0; k < 3; ++k )
		memcpy( fresh + 3 * k * count, old + 3 * k * count, at->points * sizeof( double ) );
}

static uint32_t build_nodes( const packed_build *s, const candidate *c, const dbvhi_node *root, uint32_t thread ) {
	dbvhi_builder b = s->b;
	b.nodes = s->memory[thread].nodes;
	b.base = c->at.low;
	b.moved = s->memory[thread].moved;
	for ( int k = 0; k < 2; ++k )
		b.points[k] = s->memory[thread].points[k];
	struct dbvhi_treelet_memory *treelet =
	    (struct dbvhi_treelet_memory *)( b.treelets + thread * b.builder_isa->memory );
	if ( !c->divided )
		return dbvhi_builder_treelet( &s->b, &c->at, treelet, b.nodes );
	bring_points( &s->b, &b, &c->left );
	bring_points( &s->b, &b, &c->right );
	forget_points( s, c->left.depth, c->left.low, c->right.high );
	dbvhi_range stack[DBVHI_BUILD_DEPTH + 2];
	int top = 0;
	uint32_t deepest = 0;
	b.nodes[0] = *root;
	b.nodes[0].first = c->left.node;
	b.nodes[0].count = 0;
	stack[top++] = c->right;
	stack[top++] = c->left;
	while ( top > 0 ) {
		const dbvhi_range at = stack[--top];
		if ( at.high - at.low <= DBVHI_TREELET ) {
			const uint32_t depth = dbvhi_builder_treelet( &b, &at, treelet, b.nodes );
			deepest = depth > deepest ? depth : deepest;
			continue;
		}
		const uintptr_t room = (uintptr_t)( b.points[( at.depth + 1 ) % 2] + 9 * (size_t)( at.low - b.base ) );
		dbvhi_range left, right;
		dbvhi_builder_divide( &b, &at, (double *)( ( room + 15 ) / 16 * 16 ), &left, &right );
		stack[top++] = right;
		stack[top++] = left;
	}
	return deepest;
}

// Returns the triangle and fragment at a leaf index.
static dbvhi_fragment at_leaf_index( const packed_build *s, size_t leaf_index ) {
	const uint32_t number = s->b.triangles[leaf_index].number;
	return s->fragments != NULL ? s->fragments[number] : ( dbvhi_fragment ){ number, DBVHI_WHOLE };
}

static void gather_corners( const packed_build *s, const dbvhi_range *at, const piece_memory *m ) {
	for ( uint32_t i = at->low; i < at->high; ++i ) {
		uint32_t corner[3];
		const dbvhi_fragment fragment = at_leaf_index( s, i );
		dbvhi_view_triangle( s->view, fragment.triangle, corner );
		for ( int k = 0; k < 3; ++k )
			dbvhi_view_vertex( s->view, corner[k], m->corners + 9 * (size_t)( i - at->low ) + 3 * k );
		if ( m->fragment != NULL )
			m->fragment[i - at->low] = fragment.path;
	}
}

static size_t align_up( size_t x ) {
	return ( x + DBVHI_ALIGNMENT - 1 ) / DBVHI_ALIGNMENT * DBVHI_ALIGNMENT;
}

static size_t bytes_of( uint32_t node_count, uint32_t leaf_count ) {
	return align_up( (size_t)node_count *
	                     ( sizeof( dbvhi_packed_spheres ) + DBVHI_WIDTH * sizeof( dbvhi_packed_box ) ) +
	                 leaf_count * sizeof( dbvhi_packed_leaf ) );
}

static dbvhi_packed_arrays arrays_in( char *block, uint32_t node_count ) {
	dbvhi_packed_arrays out;
	out.spheres = (dbvhi_packed_spheres *)block;
	out.boxes = (dbvhi_packed_box *)( out.spheres + node_count );
	out.leaves = (dbvhi_packed_leaf *)( out.boxes + DBVHI_WIDTH * (size_t)node_count );
	return out;
}

static dbvhi_packer packer_in( const packed_build *s, const candidate *c, uint32_t thread ) {
	dbvhi_packer p = s->packer;
	p.nodes = s->memory[thread].nodes;
	p.corners = s->memory[thread].corners;
	p.fragment = s->memory[thread].fragment;
	p.low = c->at.low;
	return p;
}

// Packs a piece, whose nodes are still in the thread's memory.
static void pack_piece( const packed_build *s, candidate *c, char *block, uint32_t thread ) {
	const dbvhi_packer p = packer_in( s, c, thread );
	dbvhi_piece piece = { .root = { 0, c->at.depth, dbvhi_frame_step( &c->above, &p.nodes[0] ) } };
	const dbvhi_packed_arrays arrays = arrays_in( block, c->node_count );
	dbvhi_fill_piece( &p, &piece, &arrays, NULL, NULL, s->memory[thread].pending );
	c->extent = piece.extent;
	c->block = block;
}

// Takes bytes from the last pool; NULL if there are too few left.
static char *take_from_pool( packed_build *s, size_t bytes ) {
	const size_t at = atomic_fetch_add_explicit( &s->used, bytes, memory_order_relaxed );
	const pool *last = &s->pools[s->pool_count - 1];
	return at <= last->size && bytes <= last->size - at ? last->memory + at : NULL;
}

static bool add_pool( packed_build *s, size_t size ) {
	if ( s->pool_count == MOST_POOLS )
		return false;
	pool *next = &s->pools[s->pool_count];
	*next = ( pool ){ dbvhi_alloc( &s->tree->allocator, size, 1 ), size };
	if ( next->memory == NULL )
		return false;
	s->pool_count += 1;
	atomic_store_explicit( &s->used, 0, memory_order_relaxed );
	return true;
}

static void build_piece( packed_build *s, candidate *c, uint32_t thread ) {
	piece_memory *m = &s->memory[thread];
	const size_t i = (size_t)( c - s->candidates );
	c->depth = build_nodes( s, c, &s->nodes[i], thread );
	gather_corners( s, &c->at, m );
	const uint32_t first = s->nodes[i].first;
	s->nodes[i] = m->nodes[0];
	s->nodes[i].first = first;
}

// True for a piece that is only a leaf, which is packed with the top.
static bool is_leaf( const candidate *c ) {
	return c->at.high - c->at.low <= DBVHI_WIDTH;
}

static void piece_task( void *context, size_t index, uint32_t thread ) {
	packed_build *s = context;
	piece_memory *m = &s->memory[thread];
	candidate *c = &s->candidates[s->pieces[index]];
	if ( c->node_count > 0 || c->depth > 0 || m->stalled != NULL )
		return; // already built, or waiting for room
	build_piece( s, c, thread );
	if ( is_leaf( c ) )
		return;
	const dbvhi_packer p = packer_in( s, c, thread );
	dbvhi_piece piece = { .root = { .node = 0 } };
	dbvhi_count_piece( &p, &piece, m->pending );
	c->node_count = piece.node_count;
	c->leaf_count = piece.leaf_count;
	c->deepest = piece.deepest;
	m->wanted = bytes_of( c->node_count, c->leaf_count );
	char *block = take_from_pool( s, m->wanted );
	if ( block != NULL )
		pack_piece( s, c, block, thread );
	else
		m->stalled = c;
}

// Adds a pool, of the size that all remaining pieces should need, and packs the stalled pieces first.
static bool go_on( packed_build *s, bool *stalled ) {
	size_t wanted = 0, used = 0, done = 0;
	for ( uint32_t t = 0; t < s->thread_count; ++t )
		wanted += s->memory[t].stalled != NULL ? s->memory[t].wanted : 0;
	*stalled = wanted > 0;
	if ( wanted == 0 )
		return true;
	for ( size_t i = 0; i < s->piece_count; ++i ) {
		const candidate *c = &s->candidates[s->pieces[i]];
		used += c->node_count > 0 ? bytes_of( c->node_count, c->leaf_count ) : 0;
		done += c->node_count > 0 || c->depth > 0 ? c->at.high - c->at.low : 0;
	}
	const double each = (double)used / (double)done, left = (double)( s->tree->triangle_count - done );
	if ( !add_pool( s, wanted + (size_t)( 1.1 * each * left ) ) )
		return false;
	for ( uint32_t t = 0; t < s->thread_count; ++t ) {
		piece_memory *m = &s->memory[t];
		if ( m->stalled != NULL )
			pack_piece( s, m->stalled, take_from_pool( s, m->wanted ), t );
		m->stalled = NULL;
	}
	return true;
}

static bool build_pieces( packed_build *s ) {
	bool stalled = true;
	if ( !add_pool( s, align_up( USUAL * s->tree->triangle_count ) ) )
		return false;
	while ( stalled ) {
		dbvhi_parallel_for( s->piece_count, 1, s->thread_count, piece_task, s );
		if ( !go_on( s, &stalled ) )
			return false;
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Triangles and points

bool dbvhi_store_points( dbvh_tree *tree, const dbvh_mesh_view *view, uint32_t *moved ) {
	const uint32_t none = UINT32_MAX;
	for ( size_t i = 0; i < view->vertex_count; ++i )
		moved[i] = none;
	tree->corner = dbvhi_alloc( &tree->allocator, 3 * tree->triangle_count, sizeof *tree->corner );
	if ( tree->corner == NULL )
		return false;
	uint32_t count = 0;
	for ( size_t i = 0; i < tree->triangle_count; ++i ) {
		uint32_t from[3];
		dbvhi_view_triangle( view, tree->triangle[i], from );
		for ( int k = 0; k < 3; ++k ) {
			if ( moved[from[k]] == none )
				moved[from[k]] = count++;
			tree->corner[3 * i + (size_t)k] = moved[from[k]];
		}
	}
	tree->vertices = dbvhi_alloc( &tree->allocator, 3 * (size_t)count, sizeof *tree->vertices );
	if ( tree->vertices == NULL )
		return false;
	tree->vertex_count = count;
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		if ( moved[i] != none )
			dbvhi_view_vertex( view, i, tree->vertices + 3 * (size_t)moved[i] );
	}
	return true;
}

static bool store_triangles( packed_build *s ) {
	for ( size_t i = 0; i < s->tree->triangle_count; ++i ) {
		const dbvhi_fragment fragment = at_leaf_index( s, i );
		s->tree->triangle[i] = fragment.triangle;
		if ( s->fragments != NULL )
			s->tree->fragment[i] = fragment.path;
	}
	forget( s, s->b.triangles, s->tree->triangle_count * sizeof *s->b.triangles );
	return dbvhi_store_points( s->tree, s->view, s->b.moved );
}

// ------------------------------------------------------------------------------------------------
// Assembly

static void copy_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	packed_build *s = context;
	const dbvhi_piece *piece = &s->top.pieces[index];
	const candidate *c = &s->candidates[piece->root.node];
	const dbvhi_packed_arrays from = arrays_in( c->block, c->node_count );
	dbvhi_packed_box *boxes = s->arrays.boxes + DBVHI_WIDTH * (size_t)piece->first_node;
	memcpy( s->arrays.spheres + piece->first_node, from.spheres, c->node_count * sizeof *from.spheres );
	memcpy( s->arrays.leaves + piece->first_leaf, from.leaves, c->leaf_count * sizeof *from.leaves );
	for ( size_t i = 0; i < DBVHI_WIDTH * (size_t)c->node_count; ++i ) {
		boxes[i] = from.boxes[i];
		const bool used = s->arrays.spheres[piece->first_node + i / DBVHI_WIDTH].radius[i % DBVHI_WIDTH] > 0.0f;
		const int32_t child = boxes[i].child;
		if ( used )
			boxes[i].child = child < 0 ? child - (int32_t)piece->first_leaf : child + (int32_t)piece->first_node;
	}
	forget( s, c->block, bytes_of( c->node_count, c->leaf_count ) );
}

static dbvhi_packed header_of( const packed_build *s ) {
	dbvhi_packed header = s->header;
	header.content_hash = s->hash;
	return header;
}

// Packs a tree no larger than a piece.
static bool pack_whole( packed_build *s ) {
	candidate *c = &s->candidates[0];
	if ( c->depth == 0 )
		build_piece( s, c, 0 );
	s->tree->depth = c->depth;
	const dbvhi_packer p = packer_in( s, c, 0 );
	dbvhi_packed header = header_of( s );
	dbvhi_count_top( &p, &s->top, s->memory[0].pending );
	dbvhi_packed_place_pieces( &header, &s->top );
	char *block = dbvhi_packed_allocate( &header, &s->tree->allocator, &s->arrays );
	if ( block == NULL || !store_triangles( s ) ) {
		dbvhi_free( &s->tree->allocator, block, header.bytes, 1 );
		return false;
	}
	dbvhi_fill_top( &p, &s->top, &s->arrays, NULL, NULL, s->memory[0].pending );
	dbvhi_packed_finish( &header, &s->top, block );
	s->tree->packed = (dbvhi_packed *)block;
	return true;
}

static bool assemble( packed_build *s ) {
	const dbvh_allocator *a = &s->tree->allocator;
	dbvhi_packer p = s->packer;
	dbvhi_pending *stack = s->memory[0].pending;
	p.nodes = s->nodes;
	p.corners = NULL;
	p.fragment = s->tree->fragment;
	p.vertices = s->tree->vertices;
	p.corner = s->tree->corner;
	s->tree->depth = 0;
	for ( size_t i = 0; i < s->piece_count; ++i ) {
		const candidate *c = &s->candidates[s->pieces[i]];
		s->tree->depth = c->depth > s->tree->depth ? c->depth : s->tree->depth;
	}
	s->top.pieces = dbvhi_alloc( a, s->piece_count, sizeof *s->top.pieces );
	if ( s->top.pieces == NULL )
		return false;
	dbvhi_count_top( &p, &s->top, stack );
	for ( uint32_t i = 0; i < s->top.piece_count; ++i ) {
		dbvhi_piece *piece = &s->top.pieces[i];
		const candidate *c = &s->candidates[piece->root.node];
		piece->node_count = c->node_count;
		piece->leaf_count = c->leaf_count;
		piece->deepest = c->deepest;
		piece->extent = c->extent;
	}
	dbvhi_packed header = header_of( s );
	dbvhi_packed_place_pieces( &header, &s->top );
	char *block = dbvhi_packed_allocate( &header, a, &s->arrays );
	if ( block != NULL ) {
		dbvhi_fill_top( &p, &s->top, &s->arrays, NULL, NULL, stack );
		dbvhi_parallel_for( s->top.piece_count, 1, s->thread_count, copy_task, s );
		dbvhi_packed_finish( &header, &s->top, block );
		s->tree->packed = (dbvhi_packed *)block;
	}
	dbvhi_free( a, s->top.pieces, s->piece_count, sizeof *s->top.pieces );
	return block != NULL;
}

// Frees the points of ranges once the pieces exist.
static void free_points( packed_build *s ) {
	dbvh_tree *tree = s->tree;
	dbvhi_free( &tree->allocator, s->b.points[1], 9 * tree->triangle_count + 2, sizeof( double ) );
	dbvhi_free( &tree->allocator, tree->corners, 9 * tree->triangle_count, sizeof( double ) );
	tree->corners = NULL;
	s->b.points[0] = s->b.points[1] = NULL;
}

static bool build_all( packed_build *s ) {
	candidate *root = &s->candidates[0];
	dbvh_tree *tree = s->tree;
	if ( tree->triangle_count <= DBVHI_PIECE ) {
		if ( !pack_whole( s ) )
			return false;
		free_points( s );
		return true;
	}
	DBVHI_ASSERT( root->divided );
	(void)root;
	if ( !open_candidate( s, 0 ) || !grow_top( s ) || !build_pieces( s ) )
		return false;
	free_points( s );
	return store_triangles( s ) && assemble( s );
}

// ------------------------------------------------------------------------------------------------
// The unit of the block

// Gives the block a unit of its own, which nodes are written in from then on: that of the builder, in which the largest
// coordinate is 1/2 to 1, times 2^-DBVHI_SCALED_SIZE.
static void use_own_unit( packed_build *s ) {
	const dbvh_tree *tree = s->tree;
	dbvhi_packed_set_scale( &s->header, tree->largest );
	const dbvhi_power down = dbvhi_power_of_two( -s->header.exponent );
	s->b.factor = ldexp( 1.0, DBVHI_SCALED_SIZE );
	s->packer.fragment_error = dbvhi_times_power( down, tree->fragment_error );
	s->packer.widening = dbvhi_widening( s->packer.fragment_error );
}

// Multiplies all nodes below, and including, the first one.
static void scale_nodes( dbvhi_node *nodes, dbvhi_power by ) {
	uint32_t stack[DBVHI_BUILD_DEPTH + 2];
	int top = 0;
	stack[top++] = 0;
	while ( top > 0 ) {
		dbvhi_node *node = &nodes[stack[--top]];
		dbvhi_node_scale( node, by, 0.0 );
		if ( !dbvhi_node_is_leaf( node ) ) {
			stack[top++] = node->first + 1;
			stack[top++] = node->first;
		}
	}
}

// Chooses the unit of the mesh where that will do for certain, or its own where it will not. Between, the root's radius
// decides.
#define CERTAINLY_SMALL 0x1p-50

static void choose_unit( packed_build *s ) {
	const dbvh_tree *tree = s->tree;
	s->header = ( dbvhi_packed ){ .version = DBVHI_PACKED_VERSION };
	s->packer.fragment_error = tree->fragment_error;
	s->packer.widening = dbvhi_widening( tree->fragment_error );
	s->b.factor = 1.0;
	s->b.limit = ldexp( DBL_MAX, -dbvhi_builder_exponent( tree ) );
	if ( tree->largest > 0x1p40 || tree->largest < CERTAINLY_SMALL )
		use_own_unit( s );
	else
		s->b.factor = ldexp( 1.0, dbvhi_builder_exponent( tree ) );
}

// Sets tree->root in the unit of the mesh. In a scaled block, its position is rounded where it is subnormal.
static void set_root( packed_build *s ) {
	dbvh_tree *tree = s->tree;
	tree->root = s->nodes[0];
	if ( dbvhi_packed_is_scaled( &s->header ) )
		dbvhi_node_scale( &tree->root, dbvhi_power_of_two( s->header.exponent ), dbvhi_subnormal_margin( 1.0 ) );
	if ( s->fragments != NULL )
		dbvhi_widen_node( &tree->root, dbvhi_widening( tree->fragment_error ) );
}

// ------------------------------------------------------------------------------------------------

// Fits the root, which is divided if the mesh is larger than a treelet, else built.
static void fit_root( packed_build *s ) {
	dbvh_tree *tree = s->tree;
	if ( s->divide_count > 0 ) {
		dbvhi_parallel_for( 2, 1, s->thread_count, divide_task, s );
	} else {
		s->hash = dbvhi_mesh_hash( s->view, tree->mesh_triangle_count );
		build_piece( s, &s->candidates[0], 0 );
	}
	set_root( s );
	if ( !dbvhi_packed_is_scaled( &s->header ) && !dbvhi_packed_holds( tree->largest, tree->root.radius ) ) {
		const double unit = s->b.factor;
		use_own_unit( s );
		const dbvhi_power by = { s->b.factor / unit, 1.0 };
		if ( !s->candidates[0].divided )
			scale_nodes( s->memory[0].nodes, by );
		dbvhi_node_scale( &s->nodes[0], by, 0.0 );
		set_root( s );
	}
	tree->leaf_count = tree->triangle_count;
	tree->node_count = 2 * tree->triangle_count - 1;
	s->packer.root_radius = s->nodes[0].radius + s->packer.widening;
	dbvhi_packed_set_centre( &s->header, &s->packer, s->nodes[0].pos.v );
}

static size_t most_in_piece( const packed_build *s ) {
	return s->tree->triangle_count < DBVHI_PIECE ? s->tree->triangle_count : DBVHI_PIECE;
}

static size_t pending_room( const packed_build *s ) {
	const size_t depth = s->tree->triangle_count;
	return 3 * ( depth < DBVHI_BUILD_DEPTH ? depth : DBVHI_BUILD_DEPTH ) + 4;
}

static bool take_pieces( packed_build *s ) {
	const dbvh_allocator *a = &s->tree->allocator;
	bool taken = true;
	s->memory = dbvhi_alloc( a, s->thread_count, sizeof *s->memory );
	for ( uint32_t t = 0; t < s->thread_count && s->memory != NULL; ++t ) {
		piece_memory *m = &s->memory[t];
		*m = ( piece_memory ){ .nodes = dbvhi_alloc( a, 2 * most_in_piece( s ), sizeof *m->nodes ),
		                       .corners = dbvhi_alloc( a, 9 * most_in_piece( s ), sizeof *m->corners ),
		                       .moved = dbvhi_alloc( a, 3 * most_in_piece( s ), sizeof *m->moved ),
		                       .pending = dbvhi_alloc( a, pending_room( s ), sizeof *m->pending ) };
		if ( s->fragments != NULL )
			taken = ( m->fragment = dbvhi_alloc( a, most_in_piece( s ), sizeof *m->fragment ) ) != NULL && taken;
		for ( int k = 0; k < 2; ++k )
			taken = ( m->points[k] = dbvhi_alloc( a, 9 * most_in_piece( s ) + 2, sizeof( double ) ) ) != NULL && taken;
		taken = taken && m->nodes != NULL && m->moved != NULL && m->corners != NULL && m->pending != NULL;
	}
	return taken && s->memory != NULL;
}

static void free_build( packed_build *s, size_t treelet_bytes, size_t moved_room ) {
	const dbvh_allocator *a = &s->tree->allocator;
	for ( int i = 0; i < s->pool_count; ++i )
		dbvhi_free( a, s->pools[i].memory, s->pools[i].size, 1 );
	dbvhi_free( a, s->nodes, s->node_capacity, sizeof *s->nodes );
	dbvhi_free( a, s->candidates, s->candidate_capacity, sizeof *s->candidates );
	dbvhi_free( a, s->open, s->open_capacity, sizeof *s->open );
	dbvhi_free( a, s->to_divide, s->divide_capacity, sizeof *s->to_divide );
	dbvhi_free( a, s->pieces, s->piece_capacity, sizeof *s->pieces );
	for ( uint32_t t = 0; t < s->thread_count && s->memory != NULL; ++t ) {
		const piece_memory *m = &s->memory[t];
		dbvhi_free( a, m->nodes, 2 * most_in_piece( s ), sizeof *m->nodes );
		dbvhi_free( a, m->corners, 9 * most_in_piece( s ), sizeof *m->corners );
		dbvhi_free( a, m->fragment, most_in_piece( s ), sizeof *m->fragment );
		for ( int k = 0; k < 2; ++k )
			dbvhi_free( a, m->points[k], 9 * most_in_piece( s ) + 2, sizeof( double ) );
		dbvhi_free( a, m->moved, 3 * most_in_piece( s ), sizeof *m->moved );
		dbvhi_free( a, m->pending, pending_room( s ), sizeof *m->pending );
	}
	dbvhi_free( a, s->memory, s->thread_count, sizeof *s->memory );
	dbvhi_free( a, s->b.points[1], 9 * s->tree->triangle_count + 2, sizeof( double ) );
	dbvhi_free( a, s->b.triangles, s->tree->triangle_count, sizeof *s->b.triangles );
	dbvhi_free( a, s->b.moved, moved_room, sizeof *s->b.moved );
	dbvhi_free( a, s->b.treelets, treelet_bytes, 1 );
}

dbvh_status dbvhi_build_packed( dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *first,
                                const dbvhi_fragment *fragments ) {
	const size_t count = tree->triangle_count;
	const dbvh_allocator *a = &tree->allocator;
	packed_build s = { .tree = tree, .view = view, .fragments = fragments };
	s.thread_count = dbvhi_builder_threads( count, dbvhi_thread_count( tree->options.thread_count ) );
	s.b = ( dbvhi_builder ){ .options = &tree->options,
	                         .free_depth = dbvhi_builder_free_depth( count ),
	                         .builder_isa = dbvhi_builder_table[dbvhi_isa_level()],
	                         .to_pack = true };
	const size_t treelet_bytes = s.thread_count * s.b.builder_isa->memory;
	const size_t moved_room = view->vertex_count > 3 * count ? view->vertex_count : 3 * count;
	s.b.triangles = dbvhi_alloc( a, count, sizeof *s.b.triangles );
	s.b.moved = dbvhi_alloc( a, moved_room, sizeof *s.b.moved );
	s.b.treelets = dbvhi_alloc( a, treelet_bytes, 1 );
	s.b.points[0] = tree->corners;
	s.b.points[1] = dbvhi_alloc( a, 9 * count + 2, sizeof( double ) );
	const bool taken = take_pieces( &s );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( s.b.triangles != NULL && s.b.moved != NULL && s.b.treelets != NULL && s.b.points[1] != NULL && taken ) {
		dbvhi_range root = { .node = 0, .block = 1, .low = 0, .high = (uint32_t)count, .depth = 1 };
		const dbvhi_frame mesh = dbvhi_frame_mesh();
		double *rows[3] = { s.b.points[1], s.b.points[1] + 3 * count, s.b.points[1] + 6 * count };
		root.parent = mesh;
		root.points = dbvhi_builder_load( tree, view, first, fragments, s.b.triangles, s.b.moved, rows );
		tree->fragment_error = fragments != NULL ? dbvhi_fragment_error( tree->largest ) : 0.0;
		if ( !( tree->largest <= DBVHI_PACKED_LARGEST ) ) {
			status = DBVH_OK; // no packed form
		} else if ( add_candidate( &s, &root, &mesh ) ) {
			choose_unit( &s );
			fit_root( &s );
			status = build_all( &s ) ? DBVH_OK : DBVH_OUT_OF_MEMORY;
		}
		tree->hash = s.hash;
	}
	free_build( &s, treelet_bytes, moved_room );
	return status;
}
