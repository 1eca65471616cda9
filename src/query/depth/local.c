// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The local depth of one solid X in another, Y: the greatest distance d of a common point from the boundary of Y.
//
// It is attained on the surface of X, or at a local maximum of d inside both. So there are three kinds of items: nodes
// of X's tree, pieces of its triangles, and cells of the common space, in which only local maxima count. Each is within
// the convex hull of at most eight corners. Items are looked at in the order of an upper bound of d, the greatest
// first, divided in two, and dropped where they are outside of X or Y, or where the bound is no more than what is
// known.
//
// Upper bound. The distance from a triangle is a convex function, and so is any mean of the distances from several
// triangles: the greatest value within a hull is at a corner. d is at most the distance from any triangle of the
// boundary, and so at most any mean of these. Two opposite walls, for example, are half of their distance apart from
// the middle, and the mean of both says so at any corner. The planes of Y's bounding box serve as triangles, too:
// beyond them is nothing of Y.
//
// No local maximum. Let c be the middle of a cell, R its radius. What is nearest to a point p of the cell is within
// d(c) + 2 R of c. Let p be inside Y, and x nearest to it. No point of the outside is nearer, so p - x is a normal of
// the outside at x, and these are means of the inward normals of the triangles at x. If some direction u has a positive
// product with the inward normals of all triangles of the boundary within d(c) + 2 R of c, then with p - x, too, and d
// grows along u at p. Or, more simply: if all points within that distance are on one side of the cell, d grows away
// from them.

#include "base/alloc.h"
#include "base/assert.h"
#include "query/depth/boundary.h"
#include "query/depth/depth.h"

#include <math.h>
#include <string.h>

#define MOST_ITEMS ( (size_t)1 << 16 )
#define NEAREST 6 // triangles that bound an item

enum { NODE, PIECE, CELL };

typedef struct item {
	double corner[8][3];
	double bound;           // upper bound of d
	uint32_t near[NEAREST]; // triangles of Y, in leaf order
	uint8_t near_count, corner_count, kind;
	uint32_t number;   // the node; of a piece, its triangle in leaf order
	dbvhi_frame frame; // frame of the node in that of the pair
} item;

typedef struct search {
	const dbvhi_solid *x, *y;
	dbvhi_boundary boundary; // boundary of Y
	const dbvhi_solid_pair *pair;
	const dbvh_allocator *allocator;
	dbvhi_frame box; // frame of a box that holds Y, in that of the pair
	double half[3];  // half extents of that box
	item *heap;      // the greatest bound first
	size_t count, capacity;
	double width;   // wanted, relative
	double enough;  // items of no greater bound are not looked at
	double dropped; // the greatest bound of those
	bool full, no_memory;
	double best; // the greatest distance known
	double deepest[3];
	uint32_t nearest; // the triangle nearest to it
} search;

// ------------------------------------------------------------------------------------------------
// Items

static bool is_item_before( const item *a, const item *b ) {
	return a->bound > b->bound;
}

#define HEAP_ITEM item
#define HEAP_BEFORE is_item_before
#include "query/depth/heap.inl"

static void push_item( search *s, const item *it ) {
	if ( it->bound <= s->enough ) {
		s->dropped = fmax( s->dropped, it->bound );
		return;
	}
	s->full = s->full || s->count == MOST_ITEMS;
	s->no_memory =
	    s->no_memory || !dbvhi_grow_array( s->allocator, &s->heap, &s->capacity, s->count + 1, sizeof *s->heap );
	if ( s->full || s->no_memory ) {
		s->dropped = fmax( s->dropped, it->bound );
		return;
	}
	heap_push( s->heap, &s->count, it );
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

static inline double larger( double a, double b ) {
	return a > b ? a : b;
}

// The greatest column of the mean of two rows.
static inline double greatest( const double *p, const double *q, double part, int columns ) {
	double most = 0.0;
	for ( int k = 0; k < columns; ++k )
		most = larger( most, q[k] + part * ( p[k] - q[k] ) );
	return most * ( 1.0 + 0x1p-50 );
}

// The least value, over all means of two rows, of the greatest column, if it is below `best`: else some value that is
// not. A mean is nowhere less than the lesser of the two.
static double least_mean( const double *p, const double *q, double best, int columns ) {
	double lesser = 0.0;
	for ( int k = 0; k < columns; ++k )
		lesser = larger( lesser, p[k] < q[k] ? p[k] : q[k] );
	if ( !( lesser < best ) )
		return best;
	double low = 0.0, high = 1.0;
	for ( int step = 0; step < 12; ++step ) {
		const double one = low + 0.4 * ( high - low ), two = low + 0.6 * ( high - low );
		const double at_one = greatest( p, q, one, columns ), at_two = greatest( p, q, two, columns );
		const double lower = at_one < at_two ? at_one : at_two;
		best = lower < best ? lower : best;
		if ( at_one < at_two )
			high = two;
		else
			low = one;
	}
	const double half = greatest( p, q, 0.5, columns );
	return half < best ? half : best;
}

// The bound that the rows from `first` on bring, alone and with all others.
static double least_bound( const table *t, int first, double best ) {
	for ( int i = first; i < t->rows; ++i ) {
		const double alone = greatest( t->row[i], t->row[i], 1.0, t->columns );
		best = alone < best ? alone : best;
	}
	for ( int i = first; i < t->rows; ++i ) {
		for ( int j = 0; j < i; ++j )
			best = least_mean( t->row[i], t->row[j], best, t->columns );
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

// The coordinate of a point along an axis of Y's box, from its middle.
static double along_box( const search *s, int axis, const double x[3] ) {
	double at = 0.0;
	for ( int k = 0; k < 3; ++k )
		at += s->box.axes.m[k][axis] * ( x[k] - s->box.origin.v[k] );
	return at;
}

// Add the distances from the planes of Y's box: of a point beyond one, 0. The axes are of length 1 but for what the
// pose deviates from a rotation, which the box has been enlarged by, too.
static void add_planes( const search *s, const item *it, table *t ) {
	for ( int plane = 0; plane < 6; ++plane ) {
		for ( int i = 0; i < it->corner_count; ++i ) {
			const double at = along_box( s, plane % 3, it->corner[i] );
			t->row[t->rows][i] = larger( s->half[plane % 3] + ( plane < 3 ? at : -at ), 0.0 );
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
	if ( leaf == UINT32_MAX || it->near_count == NEAREST || dbvhi_boundary_side( &s->boundary, leaf ) == 0 )
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
	it->bound = least_bound( &t, 0, it->bound );
	const double wanted = fmax( s->enough, s->best * ( 1.0 + s->width ) );
	for ( int i = 0; i < it->corner_count && it->kind != NODE && it->bound > wanted && it->near_count < NEAREST; ++i ) {
		// note: no corner is farther from the triangle nearest to the middle.
		const dbvhi_near at = dbvhi_solid_near( s->y, it->corner[i], ( near->high + radius ) * ( 1.0 + 0x1p-20 ) );
		if ( add_near( s, it, at.leaf, &t ) )
			it->bound = least_bound( &t, t.rows - 1, it->bound );
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
	double c[9], ab[3], ac[3], n[3];
	dbvhi_solid_image( s->x, it->number, c );
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, n );
	const double length = dbvhi_length3( n );
	if ( !( length > 0.0 ) )
		return;
	for ( int i = 0; i <= it->corner_count; ++i ) {
		const double *from = i < it->corner_count ? it->corner[i] : middle;
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

enum { MOST_AROUND = 64 };

typedef struct around {
	dbvhi_visitor visitor; // note: must be the first member; visit_around() casts from it
	const dbvhi_solid *solid;
	const double *middle;
	double radius;  // radius of the ball in which triangles matter
	double way[3];  // a unit vector
	double most;    // at least the greatest way . ( x - middle ) of a point x of them
	double allowed; // for the simple case `most` must be below this
	uint32_t leaf[MOST_AROUND];
	double normal[MOST_AROUND][3]; // normals of length 1
	int count;
	bool too_many;
} around;

// Learn how far a triangle reaches along `way` within the ball, where its plane is a disc.
static void add_extent( around *a, const double c[9], const double n[3], bool is_thin ) {
	double corner = -INFINITY, height = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		double to[3];
		for ( int k = 0; k < 3; ++k )
			to[k] = c[3 * i + k] - a->middle[k];
		corner = fmax( corner, dbvhi_dot3( a->way, to ) );
		height = dbvhi_dot3( n, to );
	}
	if ( !is_thin ) {
		const double along = dbvhi_dot3( n, a->way ),
		             disc = sqrt( fmax( a->radius * a->radius - height * height, 0.0 ) );
		corner = fmin( corner, height * along + disc * sqrt( fmax( 1.0 - along * along, 0.0 ) ) );
	}
	a->most = fmax( a->most, corner );
}

static double visit_around( dbvhi_visitor *visitor, uint32_t leaf ) {
	around *a = (around *)visitor;
	double c[9], ab[3], ac[3], n[3];
	dbvhi_solid_image( a->solid, leaf, c );
	visitor->counters.triangle_tests += 1;
	if ( dbvhi_point_filter( c, a->middle, a->solid->placed.error ).low > a->radius )
		return visitor->reach;
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, n );
	const double length = dbvhi_length3( n );
	const bool is_thin = !( length > 0x1p-20 * dbvhi_length3( ab ) * dbvhi_length3( ac ) );
	for ( int k = 0; k < 3; ++k )
		n[k] /= is_thin ? 1.0 : length;
	add_extent( a, c, n, is_thin );
	a->too_many = a->too_many || a->count == MOST_AROUND || is_thin;
	if ( a->too_many )
		return a->most < a->allowed ? visitor->reach : -1.0;
	a->leaf[a->count] = leaf;
	memcpy( a->normal[a->count], n, sizeof n );
	a->count += 1;
	return visitor->reach;
}

// True if the inward normals of all triangles have a positive product with their mean. Normals are off by less than the
// margin: the coordinates of corners are off by 2^-48 of the size, and no triangle may be thinner than the rest allows.
#define LEAST_PRODUCT 0x1p-10

static bool has_common_side( search *s, around *a ) {
	double mean[3] = { 0.0, 0.0, 0.0 };
	for ( int i = 0; i < a->count; ++i ) {
		const int side = dbvhi_boundary_side( &s->boundary, a->leaf[i] );
		if ( side == 0 )
			return false;
		for ( int k = 0; k < 3; ++k ) {
			a->normal[i][k] *= side;
			mean[k] += a->normal[i][k];
		}
	}
	const double length = dbvhi_length3( mean );
	for ( int i = 0; i < a->count; ++i ) {
		if ( !( dbvhi_dot3( mean, a->normal[i] ) > LEAST_PRODUCT * length ) )
			return false;
	}
	return a->count > 0;
}

// True if d certainly has no local maximum in a cell. `near` is what is nearest to the middle, a triangle of the
// boundary.
static bool has_no_maximum( search *s, const double middle[3], double radius, const dbvhi_near *near ) {
	const double reach = ( near->high + 2.0 * radius ) * ( 1.0 + 0x1p-20 ) + s->pair->slack;
	around a;
	a.solid = s->y;
	a.middle = middle;
	a.radius = reach;
	a.most = -INFINITY;
	a.allowed = -radius - s->pair->slack - 0x1p-16 * reach;
	a.count = 0;
	a.too_many = false;
	dbvhi_solid_foot( s->y, near->leaf, middle, a.way );
	for ( int k = 0; k < 3; ++k )
		a.way[k] = middle[k] - a.way[k];
	const double length = dbvhi_length3( a.way );
	for ( int k = 0; k < 3; ++k )
		a.way[k] = length > 0.0 ? a.way[k] / length : 0.0;
	// note: a pose may stretch lengths by half its deviation.
	dbvhi_visitor_init( &a.visitor, visit_around, reach * ( 1.0 + 2.0 * s->y->placed.deviation ), s->pair->meter );
	double error;
	const dbvhi_vec local = dbvhi_placed_point( &s->y->placed, middle, &error );
	dbvhi_walk_point( s->y->placed.tree, local, error, s->y->workspace, &a.visitor );
	dbvhi_work_charge( &a.visitor.work, a.visitor.counters.box_tests / 4, &a.visitor.counters );
	return !a.visitor.is_cut_short && ( a.most < a.allowed || ( !a.too_many && has_common_side( s, &a ) ) );
}

// ------------------------------------------------------------------------------------------------
// Items that the surface of Y does not meet

typedef struct crossing {
	dbvhi_visitor visitor; // note: must be the first member; visit_crossing() casts from it
	const dbvhi_solid *solid;
	const item *it;
	double low[3], high[3]; // bounding box of the item, enlarged
	double normal[3], at;   // the plane of a piece, its normal of length 1; zero for others
	double margin;
	bool apart;
} crossing;

// True if the corners of a triangle or an item are all on one side of a plane, farther than a margin.
static bool is_beyond( const double points[][3], int count, const double n[3], double at, double margin ) {
	double low = INFINITY, high = -INFINITY;
	for ( int i = 0; i < count; ++i ) {
		const double along = dbvhi_dot3( n, points[i] ) - at;
		low = along < low ? along : low;
		high = along > high ? along : high;
	}
	return low > margin || high < -margin;
}

static double visit_crossing( dbvhi_visitor *visitor, uint32_t leaf ) {
	crossing *c = (crossing *)visitor;
	double image[9], t[3][3], ab[3], ac[3], n[3];
	dbvhi_solid_image( c->solid, leaf, image );
	memcpy( t, image, sizeof t );
	visitor->counters.triangle_tests += 1;
	for ( int k = 0; k < 3; ++k ) {
		const double low = fmin( t[0][k], fmin( t[1][k], t[2][k] ) ), high = fmax( t[0][k], fmax( t[1][k], t[2][k] ) );
		if ( low > c->high[k] || high < c->low[k] )
			return visitor->reach;
		ab[k] = t[1][k] - t[0][k];
		ac[k] = t[2][k] - t[0][k];
	}
	dbvhi_cross3( ab, ac, n );
	const double length = dbvhi_length3( n );
	const bool is_thin = !( length > 0x1p-8 * dbvhi_length3( ab ) * dbvhi_length3( ac ) );
	for ( int k = 0; k < 3; ++k )
		n[k] /= is_thin ? 1.0 : length;
	c->apart = ( !is_thin && is_beyond( c->it->corner, c->it->corner_count, n, dbvhi_dot3( n, t[0] ), c->margin ) ) ||
	           ( c->it->kind == PIECE && is_beyond( (const double( * )[3])t, 3, c->normal, c->at, c->margin ) );
	return c->apart ? visitor->reach : -1.0;
}

// True if no triangle of Y certainly meets an item. note: the normal of a triangle that is not thin is off by less than
// 2^-8 of the margin's 2^-42, over the item's size.
static bool is_apart( const search *s, const item *it, const double middle[3], double radius ) {
	crossing c = { .solid = s->y, .it = it, .margin = 4.0 * s->pair->slack, .apart = true };
	for ( int k = 0; k < 3; ++k ) {
		c.low[k] = INFINITY;
		c.high[k] = -INFINITY;
		for ( int i = 0; i < it->corner_count; ++i ) {
			c.low[k] = fmin( c.low[k], it->corner[i][k] - c.margin );
			c.high[k] = fmax( c.high[k], it->corner[i][k] + c.margin );
		}
	}
	if ( it->kind == PIECE ) {
		double t[9], ab[3], ac[3];
		dbvhi_solid_image( s->x, it->number, t );
		for ( int k = 0; k < 3; ++k ) {
			ab[k] = t[3 + k] - t[k];
			ac[k] = t[6 + k] - t[k];
		}
		dbvhi_cross3( ab, ac, c.normal );
		const double length = dbvhi_length3( c.normal );
		const bool is_thin = !( length > 0x1p-8 * dbvhi_length3( ab ) * dbvhi_length3( ac ) );
		for ( int k = 0; k < 3; ++k )
			c.normal[k] = is_thin ? 0.0 : c.normal[k] / length;
		c.at = dbvhi_dot3( c.normal, t );
	}
	dbvhi_visitor_init( &c.visitor, visit_crossing, radius * ( 1.0 + 2.0 * s->y->placed.deviation + 0x1p-20 ),
	                    s->pair->meter );
	double error;
	const dbvhi_vec local = dbvhi_placed_point( &s->y->placed, middle, &error );
	dbvhi_walk_point( s->y->placed.tree, local, error, s->y->workspace, &c.visitor );
	dbvhi_work_charge( &c.visitor.work, c.visitor.counters.box_tests / 4, &c.visitor.counters );
	return c.apart && !c.visitor.is_cut_short;
}

// ------------------------------------------------------------------------------------------------
// The search

// Look at an item that is new: drop it, or bound it and push it.
static void look_at_item( search *s, item *it ) {
	double middle[3];
	const double radius = middle_of( it, middle ) + s->pair->slack;
	const dbvhi_near near = dbvhi_solid_near( s->y, middle, INFINITY );
	const bool is_whole = near.low > radius;
	if ( ( is_whole || it->kind == PIECE ) && near.low > 0.0 && !dbvhi_solid_holds( s->y, middle ) &&
	     ( is_whole || is_apart( s, it, middle, radius ) ) )
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
	if ( it->kind == CELL && near.leaf != UINT32_MAX && dbvhi_boundary_side( &s->boundary, near.leaf ) != 0 &&
	     has_no_maximum( s, middle, radius, &near ) )
		return;
	if ( it->kind == PIECE )
		learn_piece( s, it, middle, radius );
	else if ( it->kind == CELL )
		learn_cell( s, middle, radius );
	push_item( s, it );
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

// Cut a polygon: keep the part where height is at least 0, given at the corners. Returns the number of its corners, at
// most one more than before.
static int cut( const double polygon[][3], const double *height, int count, double out[][3] ) {
	int left = 0;
	for ( int i = 0; i < count; ++i ) {
		const int j = ( i + 1 ) % count;
		if ( height[i] >= 0.0 )
			memcpy( out[left++], polygon[i], sizeof out[0] );
		if ( ( height[i] >= 0.0 ) == ( height[j] >= 0.0 ) )
			continue;
		const double part = height[i] / ( height[i] - height[j] );
		for ( int k = 0; k < 3; ++k )
			out[left][k] = polygon[i][k] + part * ( polygon[j][k] - polygon[i][k] );
		left += 1;
	}
	return left;
}

// Look at a convex polygon, in two parts if it has too many corners for an item.
static void look_at_polygon( search *s, const item *from, uint32_t leaf, const double polygon[][3], int count ) {
	if ( count < 3 )
		return;
	item part = *from;
	part.kind = PIECE;
	part.number = leaf;
	part.corner_count = (uint8_t)( count > 8 ? 6 : count );
	memcpy( part.corner, polygon, part.corner_count * sizeof part.corner[0] );
	look_at_item( s, &part );
	if ( count <= 8 )
		return;
	part = *from;
	part.kind = PIECE;
	part.number = leaf;
	part.corner_count = (uint8_t)( count - 4 );
	memcpy( part.corner, polygon + 5, (size_t)( count - 5 ) * sizeof part.corner[0] );
	memcpy( part.corner[count - 5], polygon[0], sizeof part.corner[0] );
	look_at_item( s, &part );
}

// Look at the part of a triangle of X within Y's box.
static void look_at_triangle( search *s, const item *node, uint32_t leaf ) {
	double c[9], polygon[2][12][3], height[12];
	int count = 3, at = 0;
	dbvhi_solid_image( s->x, leaf, c );
	memcpy( polygon[0], c, sizeof c );
	for ( int plane = 0; plane < 6 && count > 0; ++plane ) {
		for ( int i = 0; i < count; ++i ) {
			const double along = along_box( s, plane % 3, polygon[at][i] );
			height[i] = s->half[plane % 3] + ( plane < 3 ? along : -along );
		}
		count = cut( (const double( * )[3])polygon[at], height, count, polygon[!at] );
		at = !at;
	}
	look_at_polygon( s, node, leaf, (const double( * )[3])polygon[at], count );
}

static void divide_node( search *s, const item *it ) {
	const dbvhi_node *node = &dbvhi_tree_nodes( s->x->placed.tree )[it->number];
	for ( uint32_t i = 0; i < ( dbvhi_node_is_leaf( node ) ? node->count : 2 ); ++i ) {
		if ( dbvhi_node_is_leaf( node ) ) {
			look_at_triangle( s, it, node->first + i );
			continue;
		}
		item part = *it;
		set_node( s, &part, node->first + i, &it->frame );
		look_at_item( s, &part );
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
		look_at_item( s, &part );
	}
}

// The heights of a piece's corners above a plane through an edge of a triangle of Y, at a right angle to the triangle:
// through that edge that leaves most of the piece outside. False if none cuts the piece well.
static bool heights_above_edge( const search *s, const item *it, uint32_t leaf, double least, double height[8] ) {
	double c[9], n[3], most = 0.0;
	double ab[3], ac[3];
	dbvhi_solid_image( s->y, leaf, c );
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, n );
	for ( int i = 0; i < 3; ++i ) {
		double along[3], across[3], at[8], low = 0.0, high = 0.0;
		for ( int k = 0; k < 3; ++k )
			along[k] = c[3 * ( ( i + 1 ) % 3 ) + k] - c[3 * i + k];
		dbvhi_cross3( n, along, across );
		const double length = dbvhi_length3( across );
		if ( !( length > 0.0 ) )
			return false;
		for ( int j = 0; j < it->corner_count; ++j ) {
			at[j] = 0.0;
			for ( int k = 0; k < 3; ++k )
				at[j] += across[k] / length * ( it->corner[j][k] - c[3 * i + k] );
			low = fmin( low, at[j] );
			high = fmax( high, at[j] );
		}
		const double well = fmin( -low, high );
		if ( well > most && well > least ) {
			most = well;
			memcpy( height, at, sizeof at );
		}
	}
	return most > 0.0;
}

// The heights of a piece's corners above the plane through its middle at a right angle to its longest extent.
static void heights_above_middle( const item *it, const double middle[3], double height[8] ) {
	double way[3] = { 0.0, 0.0, 0.0 }, most = -1.0;
	for ( int i = 0; i < it->corner_count; ++i ) {
		for ( int j = 0; j < i; ++j ) {
			double along[3];
			for ( int k = 0; k < 3; ++k )
				along[k] = it->corner[i][k] - it->corner[j][k];
			const double length = dbvhi_length3( along );
			if ( length > most ) {
				most = length;
				memcpy( way, along, sizeof way );
			}
		}
	}
	for ( int i = 0; i < it->corner_count; ++i ) {
		height[i] = 0.0;
		for ( int k = 0; k < 3; ++k )
			height[i] += way[k] * ( it->corner[i][k] - middle[k] );
	}
}

// The heights of a piece's corners above the plane of a triangle of the boundary of Y, on its outer side, less a
// little. False if that does not cut the piece well.
static bool heights_above_plane( search *s, const item *it, uint32_t leaf, double size, double height[8] ) {
	double c[9], ab[3], ac[3], n[3], low = 0.0, high = 0.0;
	dbvhi_solid_image( s->y, leaf, c );
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, n );
	const double length = -dbvhi_boundary_side( &s->boundary, leaf ) * dbvhi_length3( n );
	if ( length == 0.0 )
		return false;
	for ( int j = 0; j < it->corner_count; ++j ) {
		height[j] = -8.0 * s->pair->slack;
		for ( int k = 0; k < 3; ++k )
			height[j] += n[k] / length * ( it->corner[j][k] - c[k] );
		low = fmin( low, height[j] );
		high = fmax( high, height[j] );
	}
	return fmin( -low, high ) > 0x1p-10 * size;
}

// Divide a piece: along an edge of the triangle that bounds it, where it reaches far beyond that edge; along the plane
// of that triangle; along an edge beyond which it reaches a little; or in the middle.
#define FAR_BEYOND 0.9 // parts of the radius of a piece
#define A_LITTLE 0.01
static void divide_piece( search *s, const item *it ) {
	double middle[3], height[8], part[12][3];
	const double radius = middle_of( it, middle );
	const uint32_t leaf = it->near[0];
	const bool is_cut = it->near_count > 0 && ( heights_above_edge( s, it, leaf, FAR_BEYOND * radius, height ) ||
	                                            heights_above_plane( s, it, leaf, radius, height ) ||
	                                            heights_above_edge( s, it, leaf, A_LITTLE * radius, height ) );
	if ( !is_cut )
		heights_above_middle( it, middle, height );
	for ( int side = 0; side < 2; ++side ) {
		const int count = cut( it->corner, height, it->corner_count, part );
		look_at_polygon( s, it, it->number, (const double( * )[3])part, count );
		for ( int i = 0; i < it->corner_count; ++i )
			height[i] = -height[i];
	}
}

static dbvhi_frame frame_of( const dbvhi_solid *solid ) {
	dbvhi_frame mesh = dbvhi_frame_mesh();
	if ( solid->placed.pose != NULL ) {
		memcpy( mesh.axes.m, solid->placed.pose->rot, sizeof mesh.axes.m );
		memcpy( mesh.origin.v, solid->placed.pose->pos, sizeof mesh.origin.v );
	}
	return mesh;
}

// The bounding box of a mesh in the frame of the pair, rounded outwards.
static void box_of( const dbvhi_solid_pair *pair, const dbvhi_solid *solid, double box[2][3] ) {
	const dbvhi_node *root = dbvhi_tree_root( solid->placed.tree );
	const dbvhi_frame mesh = frame_of( solid ), frame = dbvhi_frame_step( &mesh, root );
	for ( int k = 0; k < 3; ++k ) {
		double reach = 0x1p-34 * pair->size;
		for ( int axis = 0; axis < 3; ++axis )
			reach += fabs( frame.axes.m[k][axis] ) * root->half.v[axis];
		box[0][k] = frame.origin.v[k] - reach;
		box[1][k] = frame.origin.v[k] + reach;
	}
}

// Set the box that holds Y. A pose that deviates by d from a rotation moves a point of the box by up to 3 d of its
// size, as measured along axes that are not quite at right angles.
static void set_box_of_y( search *s ) {
	const dbvhi_node *root = dbvhi_tree_root( s->y->placed.tree );
	const dbvhi_frame mesh = frame_of( s->y );
	s->box = dbvhi_frame_step( &mesh, root );
	for ( int k = 0; k < 3; ++k )
		s->half[k] = root->half.v[k] + ( 0x1p-34 + 8.0 * s->pair->pair.deviation ) * s->pair->size;
}

static void begin_items( search *s ) {
	double own[2][3], other[2][3], low[3], high[3];
	box_of( s->pair, s->x, own );
	box_of( s->pair, s->y, other );
	set_box_of_y( s );
	const dbvhi_frame plain = dbvhi_frame_mesh(), mesh = frame_of( s->x );
	item it = { .bound = INFINITY };
	set_node( s, &it, 0, &mesh );
	look_at_item( s, &it );
	bool common = true;
	for ( int k = 0; k < 3; ++k ) {
		low[k] = fmax( own[0][k], other[0][k] );
		high[k] = fmin( own[1][k], other[1][k] );
		common = common && low[k] <= high[k];
	}
	if ( !common )
		return;
	it = ( item ){ .bound = INFINITY, .kind = CELL };
	set_box( &it, &plain, low, high );
	look_at_item( s, &it );
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
			const item it = heap_pop( s.heap, &s.count );
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
		status = find_side( pair, i, width, judging ? query->allowed_depth : 0.0,
		                    judging ? query->allowed_depth : INFINITY, side[which], &reached[i] );
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

dbvh_status dbvhi_local_depth( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                               const dbvh_local_depth_query *query, dbvh_workspace *workspace, dbvhi_meter *meter,
                               dbvh_local_depth_result *result ) {
	const dbvh_interval unknown = { 0.0, INFINITY };
	result->a_in_b.depth = result->b_in_a.depth = result->least = unknown;
	result->verdict = DBVH_FIT_VERDICT_UNDECIDED;
	dbvhi_solid_pair pair;
	dbvh_status status = dbvhi_solid_pair_init( &pair, a, pose_a, b, pose_b, workspace, meter );
	if ( status != DBVH_OK )
		return status;
	result->undecided = dbvhi_depth_open( a, b );
	status = dbvhi_solid_pair_relate( &pair, &result->relation );
	if ( status != DBVH_OK || result->undecided != DBVH_UNDECIDED_NOT )
		return status;
	if ( result->relation == DBVH_RELATION_DISJOINT || result->relation == DBVH_RELATION_TOUCHING ) {
		result->a_in_b.depth = result->b_in_a.depth = result->least = ( dbvh_interval ){ 0.0, 0.0 };
		result->verdict = DBVH_FIT_VERDICT_NONE;
		result->reached = true;
		return DBVH_OK;
	}
	status = find_sides( &pair, query, result );
	return status == DBVH_OK ? dbvhi_purse_status( meter->purse ) : status;
}
