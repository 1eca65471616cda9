// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The local depth of one solid X in another, Y: the greatest distance d of a common point from the boundary of Y.
//
// It is attained on the surface of X, or at a local maximum of d inside both. So there are three kinds of items: nodes
// of X's tree, pieces of its triangles, and cells of the common space, in which only local maxima count. Each is within
// the convex hull of at most eight corners. Items are looked at in the order of an upper bound of d, the greatest first,
// divided in two, and dropped where they are outside of X or Y, or where the bound is no more than what is known.
//
// Upper bound. The distance from a triangle is a convex function, and so is any mean of the distances from several
// triangles: the greatest value within a hull is at a corner. d is at most the distance from any triangle of the
// boundary, and so at most any mean of these. Two opposite walls, for example, are half of their distance apart from the
// middle, and the mean of both says so at any corner. The planes of Y's bounding box serve as triangles, too: beyond them
// is nothing of Y.
//
// No local maximum. Let c be the middle of a cell, R its radius. What is nearest to a point of the cell is within
// d(c) + 2 R of c. If a direction u leads away from all of that, seen from any point of the cell, d grows along u there.

#include "base/alloc.h"
#include "base/assert.h"
#include "query/depth/boundary.h"
#include "query/depth/depth.h"
#include "query/relation/relation.h"

#include <math.h>
#include <string.h>

#define MOST_ITEMS ( (size_t)1 << 16 )
#define NEAREST 6 // triangles that bound an item

enum { NODE, PIECE, CELL };

typedef struct item {
	double corner[8][3];
	double bound; // of d
	uint32_t near[NEAREST]; // triangles of Y, in leaf order
	uint8_t near_count, corner_count, kind;
	uint32_t number;   // the node; of a piece, its triangle in leaf order
	dbvhi_frame frame; // of the node in the frame of the pair
} item;

typedef struct search {
	const dbvhi_solid *x, *y;
	dbvhi_boundary boundary; // of Y
	const dbvhi_solid_pair *pair;
	const dbvh_allocator *allocator;
	double box[2][3];    // lower and upper corner of Y's bounding box
	item *heap;          // the greatest bound first
	size_t count, capacity;
	double width;        // wanted, relative
	double enough;       // items of no greater bound are not looked at
	double dropped;      // the greatest bound of those
	bool full, no_memory;
	double best;         // the greatest distance known
	double deepest[3];
	uint32_t nearest;    // the triangle nearest to it
} search;

// ------------------------------------------------------------------------------------------------
// Items

static bool is_before( const item *a, const item *b ) {
	return a->bound > b->bound;
}

static void push( search *s, const item *it ) {
	if ( it->bound <= s->enough ) {
		s->dropped = fmax( s->dropped, it->bound );
		return;
	}
	s->full = s->full || s->count == MOST_ITEMS;
	s->no_memory = s->no_memory || !dbvhi_grow_array( s->allocator, &s->heap, &s->capacity, s->count + 1, sizeof *s->heap );
	if ( s->full || s->no_memory ) {
		s->dropped = fmax( s->dropped, it->bound );
		return;
	}
	size_t at = s->count++;
	for ( ; at > 0 && is_before( it, &s->heap[( at - 1 ) / 2] ); at = ( at - 1 ) / 2 )
		s->heap[at] = s->heap[( at - 1 ) / 2];
	s->heap[at] = *it;
}

static item pop( search *s ) {
	DBVHI_ASSERT( s->count > 0 );
	const item top = s->heap[0], last = s->heap[--s->count];
	size_t at = 0;
	for ( size_t child; ( child = 2 * at + 1 ) < s->count; at = child ) {
		child += child + 1 < s->count && is_before( &s->heap[child + 1], &s->heap[child] );
		if ( !is_before( &s->heap[child], &last ) )
			break;
		s->heap[at] = s->heap[child];
	}
	s->heap[at] = last;
	return top;
}

// The middle of an item and its radius about it, rounded up.
static double middle_of( const item *it, double middle[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		middle[k] = 0.0;
		for ( int i = 0; i < it->corner_count; ++i )
			middle[k] += it->corner[i][k] / it->corner_count;
	}
	double radius = 0.0;
	for ( int i = 0; i < it->corner_count; ++i ) {
		double to[3];
		for ( int k = 0; k < 3; ++k )
			to[k] = it->corner[i][k] - middle[k];
		radius = fmax( radius, dbvhi_length3_up( to ) );
	}
	return radius;
}

// ------------------------------------------------------------------------------------------------
// Upper bounds

// Distances of the corners of an item from triangles or planes: a row each.
typedef struct table {
	double row[NEAREST + 6][8];
	int rows, columns;
} table;

static double greatest( const table *t, int i, int j, double part ) {
	double most = 0.0;
	for ( int k = 0; k < t->columns; ++k )
		most = fmax( most, part * t->row[i][k] + ( 1.0 - part ) * t->row[j][k] );
	return most;
}

// The least value, over all means of two rows, of the greatest column.
static double least_mean( const table *t, int i, int j ) {
	double low = 0.0, high = 1.0, best = fmin( greatest( t, i, j, 0.5 ), fmin( greatest( t, i, j, 0.0 ), greatest( t, i, j, 1.0 ) ) );
	for ( int step = 0; step < 8; ++step ) {
		const double one = low + 0.4 * ( high - low ), two = low + 0.6 * ( high - low );
		const double at_one = greatest( t, i, j, one ), at_two = greatest( t, i, j, two );
		best = fmin( best, fmin( at_one, at_two ) );
		if ( at_one < at_two )
			high = two;
		else
			low = one;
	}
	return best;
}

static double least_bound( const table *t ) {
	double best = INFINITY;
	for ( int i = 0; i < t->rows; ++i ) {
		best = fmin( best, greatest( t, i, i, 1.0 ) );
		for ( int j = 0; j < i; ++j )
			best = fmin( best, least_mean( t, i, j ) );
	}
	return best;
}

static void add_row( const search *s, const item *it, uint32_t leaf, table *t ) {
	double image[9];
	dbvhi_solid_image( s->y, leaf, image );
	for ( int k = 0; k < it->corner_count; ++k ) {
		t->row[t->rows][k] = dbvhi_point_filter( image, it->corner[k], s->y->placed.error ).high;
		if ( !( t->row[t->rows][k] < INFINITY ) )
			return;
	}
	t->rows += 1;
}

// Add the distances from the planes of Y's bounding box: of a point beyond one, 0.
static void add_planes( const search *s, const item *it, table *t ) {
	for ( int plane = 0; plane < 6; ++plane ) {
		for ( int i = 0; i < it->corner_count; ++i ) {
			const double x = it->corner[i][plane % 3], end = s->box[plane / 3][plane % 3];
			t->row[t->rows][i] = fmax( plane < 3 ? x - end : end - x, 0.0 ) + s->pair->slack;
		}
		t->rows += 1;
	}
}

// Add a triangle to those that bound an item. False if it is there already, or is no part of the boundary.
static bool add_near( search *s, item *it, uint32_t leaf, table *t ) {
	for ( int i = 0; i < it->near_count; ++i ) {
		if ( it->near[i] == leaf )
			return false;
	}
	if ( leaf == UINT32_MAX || it->near_count == NEAREST || !dbvhi_boundary_has( &s->boundary, leaf ) )
		return false;
	it->near[it->near_count++] = leaf;
	add_row( s, it, leaf, t );
	return true;
}

// Bound an item by triangles of the item that it is a part of, by the one nearest to its middle and, while that is not
// enough, by those nearest to corners. `near` is that of the middle.
static void bound_item( search *s, item *it, const dbvhi_near *near, double radius ) {
	table t = { .columns = it->corner_count };
	item old = *it;
	it->near_count = 0;
	add_planes( s, it, &t );
	if ( add_near( s, it, near->leaf, &t ) )
		it->bound = fmin( it->bound, near->high + radius + s->pair->slack );
	for ( int i = 0; i < old.near_count && it->near_count < NEAREST - 2; ++i )
		add_near( s, it, old.near[i], &t );
	it->bound = fmin( it->bound, least_bound( &t ) );
	const double wanted = fmax( s->enough, s->best * ( 1.0 + s->width ) );
	for ( int i = 0; i < it->corner_count && it->kind != NODE && it->bound > wanted && it->near_count < NEAREST; ++i ) {
		const dbvhi_near at = dbvhi_solid_near( s->y, it->corner[i], INFINITY );
		if ( add_near( s, it, at.leaf, &t ) )
			it->bound = fmin( it->bound, least_bound( &t ) );
	}
	// note: dividing rounds corners, so that parts may not quite cover the whole.
	it->bound = it->bound * ( 1.0 + 0x1p-48 ) + s->pair->slack;
}

// ------------------------------------------------------------------------------------------------
// Lower bounds

// Learn of a point: if it is inside both, its distance counts.
static bool learn( search *s, const double p[3] ) {
	const dbvhi_near near = dbvhi_solid_near( s->y, p, INFINITY );
	if ( !( near.low > s->best ) || !dbvhi_solid_holds( s->y, p ) || !dbvhi_solid_holds( s->x, p ) )
		return false;
	s->best = near.low;
	s->nearest = near.leaf;
	memcpy( s->deepest, p, sizeof s->deepest );
	return true;
}

// Learn of points just inside X beside a corner and the middle of a piece of its surface.
static void learn_piece( search *s, const item *it, const double middle[3], double radius ) {
	double ab[3], ac[3], n[3];
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = it->corner[1][k] - it->corner[0][k];
		ac[k] = it->corner[2][k] - it->corner[0][k];
	}
	dbvhi_cross3( ab, ac, n );
	const double length = dbvhi_length3( n );
	if ( !( length > 0.0 ) )
		return;
	for ( int i = 0; i < 4; ++i ) {
		const double *from = i < 3 ? it->corner[i] : middle;
		const dbvhi_near near = dbvhi_solid_near( s->y, from, INFINITY );
		if ( !( near.low > s->best * ( 1.0 + 0x1p-40 ) ) )
			continue;
		bool done = false;
		for ( int level = 0; level < 3 && !done; ++level ) {
			const double part = level == 0 ? 0x1p-36 : level == 1 ? 0x1p-24 : 0x1p-12;
			for ( int side = 0; side < 2 && !done; ++side ) {
				const double off = ( side == 0 ? -0.0625 : 0.0625 ) * part * radius / length;
				double p[3];
				for ( int k = 0; k < 3; ++k )
					p[k] = from[k] + part * ( middle[k] - from[k] ) + off * n[k];
				done = learn( s, p );
			}
		}
	}
}

// Learn of the middle of a cell, and climb from there to a local maximum.
static void learn_cell( search *s, const double middle[3], double radius ) {
	double p[3] = { middle[0], middle[1], middle[2] }, step = radius;
	dbvhi_near near = dbvhi_solid_near( s->y, p, INFINITY );
	if ( !( near.low + 2.0 * radius > s->best ) || !dbvhi_solid_holds( s->y, p ) || !dbvhi_solid_holds( s->x, p ) )
		return;
	learn( s, p );
	for ( int i = 0; i < 12 && near.leaf != UINT32_MAX; ++i ) {
		double foot[3], next[3];
		dbvhi_solid_foot( s->y, near.leaf, p, foot );
		for ( int k = 0; k < 3; ++k )
			foot[k] = p[k] - foot[k];
		const double length = dbvhi_length3( foot );
		if ( !( length > 0.0 ) )
			return;
		for ( int k = 0; k < 3; ++k )
			next[k] = p[k] + step / length * foot[k];
		const dbvhi_near there = dbvhi_solid_near( s->y, next, INFINITY );
		if ( there.low > near.low && dbvhi_solid_holds( s->x, next ) ) {
			memcpy( p, next, sizeof p );
			near = there;
			learn( s, p );
		} else {
			step *= 0.5;
		}
	}
}

// ------------------------------------------------------------------------------------------------
// Cells without a local maximum

typedef struct around {
	dbvhi_visitor visitor; // note: must be the first member; visit_around() casts from it
	const dbvhi_solid *solid;
	const double *middle, *way; // a unit vector
	double radius;              // of the ball in which triangles matter
	double most;                // the greatest way . ( x - middle ) of a point of them, at least
} around;

static double visit_around( dbvhi_visitor *visitor, uint32_t leaf ) {
	around *a = (around *)visitor;
	double c[9], ab[3], ac[3], n[3], corner = -INFINITY;
	dbvhi_solid_image( a->solid, leaf, c );
	visitor->counters.triangle_tests += 1;
	for ( int i = 0; i < 9; ++i )
		c[i] -= a->middle[i % 3];
	for ( int i = 0; i < 3; ++i )
		corner = fmax( corner, dbvhi_dot3( a->way, c + 3 * i ) );
	// The part of the plane within the ball is a disc.
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, n );
	const double length = dbvhi_length3( n );
	if ( length > 0x1p-20 * dbvhi_length3( ab ) * dbvhi_length3( ac ) ) {
		for ( int k = 0; k < 3; ++k )
			n[k] /= length;
		const double height = dbvhi_dot3( n, c ), along = dbvhi_dot3( n, a->way );
		const double disc = sqrt( fmax( a->radius * a->radius - height * height, 0.0 ) );
		corner = fmin( corner, height * along + disc * sqrt( fmax( 1.0 - along * along, 0.0 ) ) );
	}
	a->most = fmax( a->most, corner );
	return a->most < 0.0 ? visitor->reach : -1.0;
}

// True if d certainly grows along one direction all over a cell. The nearest point of the boundary is at most `depth`
// from the middle.
static bool has_no_maximum( search *s, const double middle[3], double radius, double depth, uint32_t leaf ) {
	double way[3];
	dbvhi_solid_foot( s->y, leaf, middle, way );
	for ( int k = 0; k < 3; ++k )
		way[k] = middle[k] - way[k];
	const double length = dbvhi_length3( way );
	if ( !( length > radius ) )
		return false;
	for ( int k = 0; k < 3; ++k )
		way[k] /= length;
	const double margin = radius + s->pair->slack + 0x1p-16 * ( depth + radius );
	const double reach = ( depth + 2.0 * radius ) * ( 1.0 + 0x1p-20 ) + s->pair->slack;
	around a = { .solid = s->y, .middle = middle, .way = way, .radius = reach, .most = -INFINITY };
	dbvhi_visitor_init( &a.visitor, visit_around, reach, s->pair->meter );
	double error;
	const dbvhi_vec local = dbvhi_placed_point( &s->y->placed, middle, &error );
	// note: a pose may stretch lengths by half its deviation.
	a.visitor.reach = reach * ( 1.0 + 2.0 * s->y->placed.deviation );
	dbvhi_walk_point( s->y->placed.tree, local, error, s->y->workspace, &a.visitor );
	dbvhi_work_charge( &a.visitor.work, a.visitor.counters.box_tests / 4, &a.visitor.counters );
	return !a.visitor.is_cut_short && a.most < -margin;
}

// ------------------------------------------------------------------------------------------------
// The search

// Look at an item that is new: drop it, or bound it and push it.
static void look_at( search *s, item *it ) {
	double middle[3];
	const double radius = middle_of( it, middle ) + s->pair->slack;
	const dbvhi_near near = dbvhi_solid_near( s->y, middle, INFINITY );
	if ( near.low > radius && !dbvhi_solid_holds( s->y, middle ) )
		return;
	if ( it->kind == CELL ) {
		const dbvhi_near own = dbvhi_solid_near( s->x, middle, 2.0 * radius );
		if ( own.low > radius && !dbvhi_solid_holds( s->x, middle ) )
			return;
	}
	bound_item( s, it, &near, radius );
	if ( it->bound <= fmax( s->enough, s->best ) ) {
		s->dropped = fmax( s->dropped, fmin( it->bound, s->enough ) );
		return;
	}
	if ( it->kind == CELL && near.leaf != UINT32_MAX && dbvhi_boundary_has( &s->boundary, near.leaf ) &&
	     has_no_maximum( s, middle, radius, near.high, near.leaf ) )
		return;
	if ( it->kind == PIECE )
		learn_piece( s, it, middle, radius );
	else if ( it->kind == CELL )
		learn_cell( s, middle, radius );
	push( s, it );
}

static void set_box( item *it, const dbvhi_frame *frame, const double low[3], const double high[3] ) {
	it->corner_count = 8;
	for ( int i = 0; i < 8; ++i ) {
		dbvhi_vec x;
		for ( int k = 0; k < 3; ++k )
			x.v[k] = ( i >> k & 1 ) != 0 ? high[k] : low[k];
		x = dbvhi_frame_point( frame, x );
		memcpy( it->corner[i], x.v, sizeof it->corner[i] );
	}
}

// Set an item to a node. Its box is enlarged by more than all roundings on the way down (see relation/inside.c).
static void set_node( const search *s, item *it, uint32_t number, const dbvhi_frame *parent ) {
	const dbvhi_node *node = &dbvhi_tree_nodes( s->x->placed.tree )[number];
	it->kind = NODE;
	it->number = number;
	it->frame = dbvhi_frame_step( parent, node );
	double low[3], high[3];
	for ( int k = 0; k < 3; ++k ) {
		high[k] = node->half.v[k] + 0x1p-34 * s->pair->size;
		low[k] = -high[k];
	}
	set_box( it, &it->frame, low, high );
}

static void divide_node( search *s, const item *it ) {
	const dbvhi_node *node = &dbvhi_tree_nodes( s->x->placed.tree )[it->number];
	for ( uint32_t i = 0; i < ( dbvhi_node_is_leaf( node ) ? node->count : 2 ); ++i ) {
		item part = *it;
		if ( dbvhi_node_is_leaf( node ) ) {
			double c[9];
			part.kind = PIECE;
			part.number = node->first + i;
			part.corner_count = 3;
			dbvhi_solid_image( s->x, part.number, c );
			memcpy( part.corner, c, sizeof c );
		} else {
			set_node( s, &part, node->first + i, &it->frame );
		}
		look_at( s, &part );
	}
}

// The corners of a cell are numbered by bits; two items share the middle of the longest edge.
static void divide_cell( search *s, const item *it ) {
	int longest = 0;
	double lengths[3];
	for ( int axis = 0; axis < 3; ++axis ) {
		double along[3];
		for ( int k = 0; k < 3; ++k )
			along[k] = it->corner[1 << axis][k] - it->corner[0][k];
		lengths[axis] = dbvhi_length3( along );
		longest = lengths[axis] > lengths[longest] ? axis : longest;
	}
	for ( int half = 0; half < 2; ++half ) {
		item part = *it;
		for ( int i = 0; i < 8; ++i ) {
			const int other = i ^ 1 << longest;
			for ( int k = 0; k < 3 && ( i >> longest & 1 ) != half; ++k )
				part.corner[i][k] = 0.5 * ( it->corner[i][k] + it->corner[other][k] );
		}
		look_at( s, &part );
	}
}

static void divide_piece( search *s, const item *it ) {
	int longest = 0;
	double most = -1.0;
	for ( int i = 0; i < 3; ++i ) {
		double along[3];
		for ( int k = 0; k < 3; ++k )
			along[k] = it->corner[( i + 1 ) % 3][k] - it->corner[i][k];
		const double length = dbvhi_length3( along );
		longest = length > most ? i : longest;
		most = fmax( most, length );
	}
	const int next = ( longest + 1 ) % 3;
	for ( int half = 0; half < 2; ++half ) {
		item part = *it;
		for ( int k = 0; k < 3; ++k )
			part.corner[half == 0 ? longest : next][k] = 0.5 * ( it->corner[longest][k] + it->corner[next][k] );
		look_at( s, &part );
	}
}

// The bounding box of a mesh in the frame of the pair, rounded outwards.
static void box_of( const dbvhi_solid_pair *pair, const dbvhi_solid *solid, double box[2][3] ) {
	const dbvhi_node *root = dbvhi_tree_root( solid->placed.tree );
	dbvhi_frame mesh = dbvhi_frame_mesh();
	if ( solid->placed.pose != NULL ) {
		memcpy( mesh.axes.m, solid->placed.pose->rot, sizeof mesh.axes.m );
		memcpy( mesh.origin.v, solid->placed.pose->pos, sizeof mesh.origin.v );
	}
	const dbvhi_frame frame = dbvhi_frame_step( &mesh, root );
	for ( int k = 0; k < 3; ++k ) {
		double reach = 0x1p-34 * pair->size;
		for ( int axis = 0; axis < 3; ++axis )
			reach += fabs( frame.axes.m[k][axis] ) * root->half.v[axis];
		box[0][k] = frame.origin.v[k] - reach;
		box[1][k] = frame.origin.v[k] + reach;
	}
}

static void begin_items( search *s ) {
	double own[2][3], low[3], high[3];
	box_of( s->pair, s->x, own );
	box_of( s->pair, s->y, s->box );
	const dbvhi_frame plain = dbvhi_frame_mesh();
	dbvhi_frame mesh = plain;
	if ( s->x->placed.pose != NULL ) {
		memcpy( mesh.axes.m, s->x->placed.pose->rot, sizeof mesh.axes.m );
		memcpy( mesh.origin.v, s->x->placed.pose->pos, sizeof mesh.origin.v );
	}
	item it = { .bound = INFINITY };
	set_node( s, &it, 0, &mesh );
	look_at( s, &it );
	bool common = true;
	for ( int k = 0; k < 3; ++k ) {
		low[k] = fmax( own[0][k], s->box[0][k] );
		high[k] = fmin( own[1][k], s->box[1][k] );
		common = common && low[k] <= high[k];
	}
	if ( !common )
		return;
	it = ( item ){ .bound = INFINITY, .kind = CELL };
	set_box( &it, &plain, low, high );
	look_at( s, &it );
}

// Bound the depth of X in Y. Items of a bound up to `enough` are left out, and the search ends where a depth above
// `stop` is known.
static dbvh_status find_side( const dbvhi_solid_pair *pair, int x, double width, double enough, double stop,
                              dbvh_local_depth_side *out, bool *reached ) {
	search s = { .x = &pair->solid[x],
	             .y = &pair->solid[!x],
	             .pair = pair,
	             .allocator = &pair->workspace->allocator,
	             .width = width,
	             .enough = enough,
	             .nearest = UINT32_MAX };
	dbvh_status status = dbvhi_boundary_begin( &s.boundary, s.y );
	double upper = INFINITY;
	*reached = false;
	if ( status == DBVH_OK ) {
		begin_items( &s );
		bool goes_on = true;
		while ( goes_on && s.count > 0 && !s.full && !s.no_memory && s.heap[0].bound > s.best * ( 1.0 + width ) &&
		        !( s.best > stop ) ) {
			const item it = pop( &s );
			s.dropped = fmax( s.dropped, 0.0 );
			if ( it.kind == NODE )
				divide_node( &s, &it );
			else if ( it.kind == PIECE )
				divide_piece( &s, &it );
			else
				divide_cell( &s, &it );
			goes_on = dbvhi_meter_charge( pair->meter, 8 );
			if ( !goes_on || s.full )
				s.dropped = fmax( s.dropped, it.bound );
		}
		upper = fmax( fmax( s.best, s.dropped ), s.count > 0 ? s.heap[0].bound : 0.0 );
		*reached = s.best >= upper * ( 1.0 - 1.001 * width );
	}
	out->depth = ( dbvh_interval ){ s.best, upper };
	if ( s.nearest != UINT32_MAX ) {
		memcpy( out->deepest, s.deepest, sizeof s.deepest );
		dbvhi_solid_foot( s.y, s.nearest, s.deepest, out->nearest );
	}
	dbvhi_free( s.allocator, s.heap, s.capacity, sizeof *s.heap );
	dbvhi_boundary_end( &s.boundary );
	return s.no_memory ? DBVH_OUT_OF_MEMORY : status;
}

// Take a point of the frame of the pair into that of A.
static void to_frame_of_a( const dbvhi_solid_pair *pair, double x[3] ) {
	if ( !pair->pair.a_moves )
		return;
	double error;
	const dbvhi_vec own = dbvhi_placed_point( &pair->solid[1].placed, x, &error );
	memcpy( x, own.v, sizeof own.v );
}

static void finish_side( const dbvhi_solid_pair *pair, dbvh_local_depth_side *side ) {
	if ( !( side->depth.lower > 0.0 ) )
		return;
	to_frame_of_a( pair, side->deepest );
	to_frame_of_a( pair, side->nearest );
	for ( int k = 0; k < 3; ++k )
		side->direction[k] = side->nearest[k] - side->deepest[k];
	const double length = dbvhi_length3( side->direction );
	for ( int k = 0; k < 3; ++k )
		side->direction[k] = length > 0.0 ? side->direction[k] / length : 0.0;
}

static dbvh_fit_verdict judge( const dbvh_interval *least, double allowed ) {
	if ( least->upper <= allowed )
		return DBVH_FIT_VERDICT_FIT;
	return least->lower > allowed || !( allowed > 0.0 ) ? DBVH_FIT_VERDICT_CLASH : DBVH_FIT_VERDICT_UNDECIDED;
}

static dbvh_status find_sides( const dbvhi_solid_pair *pair, const dbvh_local_depth_query *query,
                               dbvh_local_depth_result *result ) {
	const double width = query->relative_width > 0.0 ? query->relative_width : 1e-3;
	const bool judging = query->verdict_only && query->allowed_depth > 0.0;
	dbvh_local_depth_side *side[2] = { &result->a_in_b, &result->b_in_a };
	bool reached[2] = { false, false };
	dbvh_status status = DBVH_OK;
	for ( int i = 0; i < 2 && status == DBVH_OK; ++i ) {
		// note: the fixed mesh first, so that swapping changes nothing.
		const int which = pair->pair.a_moves ? !i : i;
		status = find_side( pair, i, width, judging ? query->allowed_depth : 0.0, judging ? query->allowed_depth : INFINITY,
		                    side[which], &reached[i] );
		finish_side( pair, side[which] );
		if ( judging && side[which]->depth.upper <= query->allowed_depth )
			break;
	}
	result->least = ( dbvh_interval ){ fmin( side[0]->depth.lower, side[1]->depth.lower ),
		                               fmin( side[0]->depth.upper, side[1]->depth.upper ) };
	result->verdict = judge( &result->least, query->allowed_depth );
	result->reached = reached[0] && reached[1];
	return status;
}

dbvh_status dbvhi_local_depth( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                               const dbvh_pose *pose_b, const dbvh_local_depth_query *query, dbvh_workspace *workspace,
                               dbvhi_meter *meter, dbvh_local_depth_result *result ) {
	const dbvh_interval unknown = { 0.0, INFINITY };
	result->a_in_b.depth = result->b_in_a.depth = result->least = unknown;
	result->verdict = DBVH_FIT_VERDICT_UNDECIDED;
	dbvhi_solid_pair pair;
	dbvh_status status = dbvhi_solid_pair_init( &pair, a, pose_a, b, pose_b, workspace, meter );
	if ( status != DBVH_OK )
		return status;
	result->undecided = dbvhi_depth_open( a, b );
	dbvh_relate_result relation;
	const dbvh_relate_query exact = { .touch_gap = 0.0 };
	status = dbvhi_relate( a, pose_a, b, pose_b, &exact, workspace, meter, &relation );
	result->relation = relation.relation;
	if ( status != DBVH_OK || result->undecided != DBVH_UNDECIDED_NOT )
		return status;
	if ( relation.relation == DBVH_RELATION_DISJOINT || relation.relation == DBVH_RELATION_TOUCHING ) {
		result->a_in_b.depth = result->b_in_a.depth = result->least = ( dbvh_interval ){ 0.0, 0.0 };
		result->verdict = DBVH_FIT_VERDICT_NONE;
		result->reached = true;
		return DBVH_OK;
	}
	status = find_sides( &pair, query, result );
	return status == DBVH_OK ? dbvhi_purse_status( meter->purse ) : status;
}
