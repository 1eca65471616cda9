// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Each child of a packed node is fitted to its own points, independently of its descendants: its box keeps its axes,
// and the centre of its sphere its relative position in the box. Points are stored in the order of first use by the
// leaves, so those of a subtree are a range, plus the few *borrowed* points that earlier leaves use, too. The borrowed
// points of a node are those of its children outside of its own range: in subtrees of up to DBVHI_PIECE triangles nodes
// are visited from the last, and each leaves a list to its parent. In larger nodes the corners are searched.
//
// Sixteen children are fitted at a time: work independent of the number of points is done in lanes of a batch.

#include "base/alloc.h"
#include "base/assert.h"
#include "base/inline.h"
#include "base/parallel.h"
#include "bvh/builder/builder.h"
#include "bvh/builder/refit.h"
#include "bvh/packed_volume.h"

#include <math.h>
#include <string.h>

#define LANES DBVHI_REFIT_LANES
#define NEAR 64        // up to so many triangles, the points of a subtree are copied into one array
#define NEAR_ROOM 4096 // points copied for a batch
#define NEAR_MOST 512  // points copied for a child
#define LIST_ROOM 16384
#define NO_LIST UINT32_MAX

// A child that is being fitted.
typedef struct fitted {
	dbvhi_packed_spheres *spheres;
	dbvhi_packed_box *box;
	int lane;
	dbvhi_packed_leaf *leaf; // NULL for a node
	uint32_t low, high;      // leaf indices of its triangles
	dbvhi_points own, near;  // its range of points, and the copied ones: borrowed, or all
	bool is_searched;        // borrowed points are searched: there is no list
} fitted;

// Memory of a thread.
typedef struct worker {
	dbvhi_refit_batch batch;
	fitted children[LANES];
	dbvhi_leaf_corners corners[LANES];
	int count;
	size_t near_count, list_count;
	double near[3][NEAR_ROOM];
	double found[3][NEAR_ROOM];
	uint32_t list[LIST_ROOM];
	double extent;
} worker;

// A run of nodes of one piece, visited from the last; or a single node above the pieces.
typedef struct section {
	uint32_t begin, end;
	bool is_above;
} section;

struct dbvhi_refit_memory {
	uint32_t *low, *high;            // by packed node: leaf indices of its triangles
	uint32_t *leaves;                // first_and_count by leaf: a copy, because other threads write the leaves
	uint32_t *list_begin, *list_end; // by node: its borrowed points in the thread's list
	section *sections;               // has room for one a node
	size_t section_count;
	worker *workers;
	const dbvhi_refit_isa *isa;
	const dbvhi_leaf_isa *leaf_isa;
	double centre_away;
};

static double length3( const double x[3] ) {
	return sqrt( x[0] * x[0] + x[1] * x[1] + x[2] * x[2] );
}

bool dbvhi_refit_nodes_take( dbvhi_refit_nodes *r ) {
	const dbvh_allocator *a = &r->tree->allocator;
	const uint32_t nodes = r->tree->packed->node_count;
	struct dbvhi_refit_memory *m = r->memory = dbvhi_alloc( a, 1, sizeof *m );
	if ( m == NULL )
		return false;
	m->low = dbvhi_alloc( a, nodes, sizeof *m->low );
	m->high = dbvhi_alloc( a, nodes, sizeof *m->high );
	m->leaves = dbvhi_alloc( a, r->tree->packed->leaf_count, sizeof *m->leaves );
	m->list_begin = dbvhi_alloc( a, nodes, sizeof *m->list_begin );
	m->list_end = dbvhi_alloc( a, nodes, sizeof *m->list_end );
	m->sections = dbvhi_alloc( a, nodes, sizeof *m->sections );
	m->workers = dbvhi_alloc( a, r->thread_count, sizeof *m->workers );
	m->isa = dbvhi_refit_table[dbvhi_isa_level()];
	m->leaf_isa = dbvhi_leaf_table[dbvhi_isa_level()];
	return m->low != NULL && m->high != NULL && m->leaves != NULL && m->list_begin != NULL && m->list_end != NULL &&
	       m->sections != NULL && m->workers != NULL;
}

void dbvhi_refit_nodes_free( dbvhi_refit_nodes *r ) {
	const dbvh_allocator *a = &r->tree->allocator;
	const uint32_t nodes = r->tree->packed->node_count;
	struct dbvhi_refit_memory *m = r->memory;
	if ( m == NULL )
		return;
	dbvhi_free( a, m->low, nodes, sizeof *m->low );
	dbvhi_free( a, m->high, nodes, sizeof *m->high );
	dbvhi_free( a, m->leaves, r->tree->packed->leaf_count, sizeof *m->leaves );
	dbvhi_free( a, m->list_begin, nodes, sizeof *m->list_begin );
	dbvhi_free( a, m->list_end, nodes, sizeof *m->list_end );
	dbvhi_free( a, m->sections, nodes, sizeof *m->sections );
	dbvhi_free( a, m->workers, r->thread_count, sizeof *m->workers );
	dbvhi_free( a, m, 1, sizeof *m );
	r->memory = NULL;
}

// ------------------------------------------------------------------------------------------------
// Ownership of points

static dbvhi_packed_spheres *spheres_at( const dbvhi_packed *packed, uint32_t node ) {
	return (dbvhi_packed_spheres *)( (char *)(uintptr_t)packed + packed->sphere_offset ) + node;
}

static dbvhi_packed_box *boxes_at( const dbvhi_packed *packed, uint32_t node ) {
	return (dbvhi_packed_box *)( (char *)(uintptr_t)packed + packed->box_offset ) + DBVHI_WIDTH * (size_t)node;
}

static dbvhi_packed_leaf *leaf_at( const dbvhi_packed *packed, int32_t child ) {
	return (dbvhi_packed_leaf *)( (char *)(uintptr_t)packed + packed->leaf_offset ) + ~child;
}

bool dbvhi_refit_nodes_find( dbvhi_refit_nodes *r ) {
	const dbvhi_packed *packed = r->tree->packed;
	const struct dbvhi_refit_memory *m = r->memory;
	for ( uint32_t i = 0; i < packed->leaf_count; ++i )
		m->leaves[i] = leaf_at( packed, ~(int32_t)i )->first_and_count;
	for ( uint32_t node = packed->node_count; node-- > 0; ) {
		const dbvhi_packed_spheres *spheres = spheres_at( packed, node );
		const dbvhi_packed_box *boxes = boxes_at( packed, node );
		uint32_t low = UINT32_MAX, high = 0;
		for ( int lane = 0; lane < DBVHI_WIDTH && spheres->radius[lane] > 0.0f; ++lane ) {
			const int32_t child = boxes[lane].child;
			if ( child >= 0 && (uint32_t)child <= node )
				return false;
			const uint32_t leaf = child < 0 ? m->leaves[~child] : 0;
			const uint32_t first = child < 0 ? leaf >> 2 : m->low[child];
			const uint32_t end = child < 0 ? first + ( leaf & 3 ) + 1 : m->high[child];
			low = first < low ? first : low;
			high = end > high ? end : high;
		}
		m->low[node] = low;
		m->high[node] = high;
	}
	return true;
}

static bool is_above( const dbvhi_refit_nodes *r, uint32_t node ) {
	return r->memory->high[node] - r->memory->low[node] > DBVHI_PIECE;
}

// Finds the sections. A piece begins at a node whose parent is above the pieces.
static void find_sections( dbvhi_refit_nodes *r ) {
	const dbvhi_packed *packed = r->tree->packed;
	struct dbvhi_refit_memory *m = r->memory;
	memset( m->list_begin, 0, packed->node_count * sizeof *m->list_begin );
	m->section_count = 0;
	for ( uint32_t node = 0; node < packed->node_count; ++node ) {
		const bool above = is_above( r, node );
		for ( int lane = 0; above && lane < DBVHI_WIDTH && spheres_at( packed, node )->radius[lane] > 0.0f; ++lane ) {
			const int32_t child = boxes_at( packed, node )[lane].child;
			if ( child >= 0 )
				m->list_begin[child] = 1;
		}
		if ( node == 0 || above || m->list_begin[node] == 1 || m->sections[m->section_count - 1].is_above )
			m->sections[m->section_count++] = ( section ){ node, node, above };
		m->sections[m->section_count - 1].end = node + 1;
	}
}

// ------------------------------------------------------------------------------------------------
// Borrowed points

// Lists the borrowed points of a node, if there is room.
static void list_borrowed( const dbvhi_refit_nodes *r, worker *w, uint32_t node, const section *s ) {
	const dbvhi_packed *packed = r->tree->packed;
	const struct dbvhi_refit_memory *m = r->memory;
	const uint32_t own = r->first_point[m->low[node]];
	uint32_t *list = w->list;
	size_t count = w->list_count;
	m->list_begin[node] = (uint32_t)count;
	m->list_end[node] = NO_LIST;
	for ( int lane = 0; lane < DBVHI_WIDTH && spheres_at( packed, node )->radius[lane] > 0.0f; ++lane ) {
		const int32_t child = boxes_at( packed, node )[lane].child;
		const uint32_t *from;
		size_t candidates;
		if ( child < 0 ) {
			const uint32_t leaf = m->leaves[~child];
			from = r->tree->corner + 3 * (size_t)( leaf >> 2 );
			candidates = 3 * ( ( leaf & 3 ) + 1 );
		} else if ( (uint32_t)child < s->end && m->list_end[child] != NO_LIST ) {
			from = list + m->list_begin[child];
			candidates = m->list_end[child] - m->list_begin[child];
		} else {
			return;
		}
		if ( count + candidates > LIST_ROOM )
			return;
		for ( size_t i = 0; i < candidates; ++i ) {
			list[count] = from[i];
			count += from[i] < own;
		}
	}
	m->list_end[node] = (uint32_t)count;
	w->list_count = count;
}

typedef void visit_points( const dbvhi_refit_nodes *r, worker *w, int i, const dbvhi_points *points );

// Searches the corners of a child without a list for borrowed points.
static void search_borrowed( const dbvhi_refit_nodes *r, worker *w, int i, visit_points *visit ) {
	const fitted *c = &w->children[i];
	const uint32_t *corner = r->tree->corner, own = r->first_point[c->low];
	size_t found = 0;
	for ( size_t leaf_index = c->low; leaf_index < c->high; ++leaf_index ) {
		if ( r->lowest[leaf_index / DBVHI_REFIT_GROUP] >= own ) {
			leaf_index |= DBVHI_REFIT_GROUP - 1; // skip the rest of the group
			continue;
		}
		for ( size_t k = 3 * leaf_index; k < 3 * leaf_index + 3; ++k ) {
			if ( corner[k] >= own )
				continue;
			for ( int j = 0; j < 3; ++j )
				w->found[j][found] = r->x[j][corner[k]];
			found += 1;
		}
		if ( found + 3 > NEAR_ROOM ) {
			visit( r, w, i, &( dbvhi_points ){ w->found[0], w->found[1], w->found[2], found } );
			found = 0;
		}
	}
	if ( found > 0 )
		visit( r, w, i, &( dbvhi_points ){ w->found[0], w->found[1], w->found[2], found } );
}

static void visit_all( const dbvhi_refit_nodes *r, worker *w, int i, visit_points *visit ) {
	const fitted *c = &w->children[i];
	if ( c->near.count > 0 )
		visit( r, w, i, &c->near );
	if ( c->own.count > 0 )
		visit( r, w, i, &c->own );
	if ( c->is_searched )
		search_borrowed( r, w, i, visit );
}

// ------------------------------------------------------------------------------------------------
// Sixteen children

static void reach_points( const dbvhi_refit_nodes *r, worker *w, int i, const dbvhi_points *points ) {
	static const double nowhere[3] = { 0.0, 0.0, 0.0 };
	dbvhi_refit_batch *b = &w->batch;
	double axes[3][3], low[3], high[3];
	for ( int k = 0; k < 9; ++k )
		axes[k / 3][k % 3] = b->axes[k][i];
	for ( int k = 0; k < 3; ++k ) {
		low[k] = b->low[k][i];
		high[k] = b->high[k][i];
	}
	if ( points != NULL )
		r->memory->isa->reach( points, (const double( * )[3])axes, nowhere, low, high );
	else
		r->memory->leaf_isa->reach( &w->corners[i], (const double( * )[3])axes, low, high );
	for ( int k = 0; k < 3; ++k ) {
		b->low[k][i] = low[k];
		b->high[k][i] = high[k];
	}
}

static void measure_points( const dbvhi_refit_nodes *r, worker *w, int i, const dbvhi_points *points ) {
	dbvhi_refit_batch *b = &w->batch;
	const double ball[3] = { b->ball[0][i], b->ball[1][i], b->ball[2][i] };
	b->square[i] = points != NULL ? r->memory->isa->farthest( points, ball, b->square[i] )
	                              : r->memory->leaf_isa->farthest( &w->corners[i], ball );
}

static void unpack_children( const dbvhi_refit_nodes *r, worker *w ) {
	dbvhi_refit_batch *b = &w->batch;
	for ( int i = 0; i < LANES; ++i ) {
		const dbvhi_packed_box *box = w->children[i < w->count ? i : 0].box;
		for ( int k = 0; k < 5; ++k )
			b->pair[k][i] = box->pair[k];
		b->square[i] = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			b->low[k][i] = i < w->count ? INFINITY : 0.0;
			b->high[k][i] = i < w->count ? -INFINITY : 0.0;
		}
	}
	r->memory->isa->unpack( b );
}

// True if extents are no longer ascending by more than a little: the axes have to be permuted.
static bool is_disordered( const dbvhi_refit_batch *b, int i ) {
	return b->half[0][i] > 1.02 * b->half[1][i] || b->half[1][i] > 1.02 * b->half[2][i];
}

static void pack_ordered( const dbvhi_refit_nodes *r, worker *w, int i ) {
	const dbvhi_refit_batch *b = &w->batch;
	const fitted *c = &w->children[i];
	int order[3] = { 0, 1, 2 };
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( int k = 0; k < 2; ++k ) {
			if ( b->half[order[k]][i] > b->half[order[k + 1]][i] ) {
				const int swapped = order[k];
				order[k] = order[k + 1];
				order[k + 1] = swapped;
			}
		}
	}
	const bool turned = ( order[1] + 3 - order[0] ) % 3 == 2; // after an odd permutation one axis is reversed
	dbvhi_node node = { .radius = b->reach[i] };
	dbvhi_frame frame;
	dbvhi_vec between;
	for ( int k = 0; k < 3; ++k ) {
		node.half.v[k] = b->half[order[k]][i];
		frame.origin.v[k] = b->box[k][i] + r->packer.centre[k];
		between.v[k] = b->ball[k][i] - b->box[k][i];
		for ( int j = 0; j < 3; ++j )
			frame.axes.m[j][k] = turned && k == 2 ? -b->axes[3 * j + order[k]][i] : b->axes[3 * j + order[k]][i];
	}
	node.sphere_inside = dbvhi_mat_apply_transposed( &frame.axes, between );
	const int32_t child = c->box->child;
	dbvhi_pack_child( &r->packer, &node, &frame, DBVHI_BUILD_DEPTH, c->spheres, c->box, c->lane, &w->extent );
	c->box->child = child;
}

static void store_child( const dbvhi_refit_nodes *r, worker *w, int i ) {
	const dbvhi_refit_batch *b = &w->batch;
	const fitted *c = &w->children[i];
	w->extent = dbvhi_larger( w->extent, b->away[i] );
	if ( is_disordered( b, i ) ) {
		pack_ordered( r, w, i );
	} else {
		for ( int k = 0; k < 3; ++k ) {
			c->spheres->centre[k][c->lane] = b->centre[k][i];
			c->box->pair[k] = b->pair[k][i];
		}
		c->spheres->radius[c->lane] = b->radius[i];
	}
	if ( c->leaf != NULL )
		dbvhi_pack_leaf( r->memory->leaf_isa, &w->corners[i], c->low, c->high - c->low, c->leaf, &w->extent );
}

static void fit_children( const dbvhi_refit_nodes *r, worker *w ) {
	unpack_children( r, w );
	for ( int i = 0; i < w->count; ++i ) {
		if ( w->children[i].leaf != NULL )
			reach_points( r, w, i, NULL );
		else
			visit_all( r, w, i, reach_points );
	}
	r->memory->isa->place( &w->batch );
	for ( int i = 0; i < w->count; ++i ) {
		if ( w->children[i].leaf != NULL )
			measure_points( r, w, i, NULL );
		else
			visit_all( r, w, i, measure_points );
	}
	r->memory->isa->pack( &w->batch, r->memory->centre_away );
	for ( int i = 0; i < w->count; ++i )
		store_child( r, w, i );
	w->count = 0;
	w->near_count = 0;
}

// ------------------------------------------------------------------------------------------------
// Filling a batch

// Copies the points of a child into one array: the borrowed ones, and for small children its own too. Padded to a
// multiple of eight.
static void bring_near( const dbvhi_refit_nodes *r, worker *w, fitted *c, const uint32_t *list, size_t listed ) {
	const size_t first = r->first_point[c->low], all = r->first_point[c->high] - first;
	const size_t own = c->high - c->low <= NEAR ? all : 0, count = own + listed, padded = ( count + 7 ) / 8 * 8;
	if ( padded > NEAR_MOST ) {
		c->is_searched = true;
	} else if ( padded > 0 ) {
		double *x[3];
		for ( int j = 0; j < 3; ++j ) {
			x[j] = w->near[j] + w->near_count;
			memcpy( x[j], r->x[j] + first, own * sizeof *x[j] );
		}
		for ( size_t i = 0; i < listed; ++i ) {
			for ( int j = 0; j < 3; ++j )
				x[j][own + i] = r->x[j][list[i]];
		}
		for ( size_t i = count; i < padded; ++i ) {
			for ( int j = 0; j < 3; ++j )
				x[j][i] = x[j][0];
		}
		c->near = ( dbvhi_points ){ x[0], x[1], x[2], padded };
		w->near_count += padded;
	}
	if ( own == 0 || c->is_searched )
		c->own = ( dbvhi_points ){ r->x[0] + first, r->x[1] + first, r->x[2] + first, all };
}

static void add_leaf( const dbvhi_refit_nodes *r, worker *w, fitted *c, int32_t child ) {
	c->leaf = leaf_at( r->tree->packed, child );
	const uint32_t triangles = r->memory->leaves[~child];
	c->low = triangles >> 2;
	c->high = c->low + ( triangles & 3 ) + 1;
	r->memory->leaf_isa->gather( r->tree->vertices, r->tree->corner + 3 * (size_t)c->low, c->high - c->low,
	                             r->packer.centre, &w->corners[w->count] );
}

static void add_node( const dbvhi_refit_nodes *r, worker *w, fitted *c, uint32_t child, const section *s ) {
	const struct dbvhi_refit_memory *m = r->memory;
	c->leaf = NULL;
	c->low = m->low[child];
	c->high = m->high[child];
	c->own.count = c->near.count = 0;
	c->is_searched = s->is_above || child >= s->end || m->list_end[child] == NO_LIST;
	const size_t listed = c->is_searched ? 0 : m->list_end[child] - m->list_begin[child];
	bring_near( r, w, c, w->list + ( listed > 0 ? m->list_begin[child] : 0 ), listed );
}

static void add_child( const dbvhi_refit_nodes *r, worker *w, uint32_t node, int lane, const section *s ) {
	// note: filled in place: copying a structure that was just written would stall on store forwarding.
	fitted *c = &w->children[w->count];
	c->spheres = spheres_at( r->tree->packed, node );
	c->box = &boxes_at( r->tree->packed, node )[lane];
	c->lane = lane;
	if ( c->box->child < 0 )
		add_leaf( r, w, c, c->box->child );
	else
		add_node( r, w, c, (uint32_t)c->box->child, s );
	w->count += 1;
	if ( w->count == LANES )
		fit_children( r, w );
}

static void section_task( void *context, size_t index, uint32_t thread ) {
	const dbvhi_refit_nodes *r = context;
	worker *w = &r->memory->workers[thread];
	const section *s = &r->memory->sections[index];
	w->list_count = 0;
	for ( uint32_t node = s->end; node-- > s->begin; ) {
		if ( w->near_count > NEAR_ROOM / 2 )
			fit_children( r, w );
		for ( int lane = 0; lane < DBVHI_WIDTH && spheres_at( r->tree->packed, node )->radius[lane] > 0.0f; ++lane )
			add_child( r, w, node, lane, s );
		if ( !s->is_above )
			list_borrowed( r, w, node, s );
	}
	if ( w->count > 0 )
		fit_children( r, w );
}

void dbvhi_refit_nodes_run( dbvhi_refit_nodes *r ) {
	struct dbvhi_refit_memory *m = r->memory;
	m->centre_away = length3( r->packer.centre );
	find_sections( r );
	for ( uint32_t t = 0; t < r->thread_count; ++t ) {
		worker *w = &m->workers[t];
		w->count = 0;
		w->near_count = 0;
		w->extent = 0.0;
	}
	dbvhi_parallel_for( m->section_count, 1, r->thread_count, section_task, r );
	r->extent = 0.0;
	for ( uint32_t t = 0; t < r->thread_count; ++t )
		r->extent = dbvhi_larger( r->extent, m->workers[t].extent );
}
