// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/self/groups.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

// Largest group: a question is to take less than a millisecond.
#define MOST_TRIANGLES 32768
// Least number of pairs for each triangle of the groups; fewer are compared as quickly.
#define FEWEST_PAIRS 3
// Cost of a look at a triangle in steps of a budget.
#define STEPS 1
// Directions that are tried in turn.
#define ATTEMPTS 3
// Stack of the walk below a node; groups that need more are not tested.
#define WALK_DEPTH 256

// ------------------------------------------------------------------------------------------------
// Groups

// The triangles below a node, or in a leaf, whose number is then ~ its own, as in boxes.
typedef struct group {
	const dbvh_tree *tree;
	const dbvhi_packed_spheres *spheres;
	const dbvhi_packed_box *boxes;
	const dbvhi_packed_leaf *leaves;
	int32_t root;
	uint32_t count;
} group;

// Iterator over the triangles of a group.
typedef struct walk {
	const group *group;
	int32_t stack[WALK_DEPTH];
	uint32_t top;
	uint32_t place, end; // in the leaf
	bool is_too_deep;
} walk;

static void begin( walk *w, const group *g ) {
	w->group = g;
	w->stack[0] = g->root;
	w->top = 1;
	w->place = w->end = 0;
	w->is_too_deep = false;
}

static void open_node( walk *w, uint32_t node ) {
	const group *g = w->group;
	if ( w->top + DBVHI_WIDTH > WALK_DEPTH ) {
		w->is_too_deep = true;
		return;
	}
	for ( uint32_t i = DBVHI_WIDTH; i-- > 0; ) {
		if ( g->spheres[node].radius[i] != DBVHI_NO_CHILD )
			w->stack[w->top++] = g->boxes[DBVHI_WIDTH * (size_t)node + i].child;
	}
}

// False where there is no further triangle.
static bool next( walk *w, uint32_t *place_out ) {
	while ( w->place == w->end ) {
		if ( w->top == 0 || w->is_too_deep )
			return false;
		const int32_t at = w->stack[--w->top];
		if ( at >= 0 ) {
			open_node( w, (uint32_t)at );
			continue;
		}
		const uint32_t first = w->group->leaves[~at].first_and_count;
		w->place = first >> 2;
		w->end = w->place + ( first & 3 ) + 1;
	}
	*place_out = w->place++;
	return true;
}

// Count the triangles of a group. False if there are too many.
static bool measure( group *g ) {
	walk w;
	uint32_t place;
	begin( &w, g );
	g->count = 0;
	while ( g->count <= MOST_TRIANGLES && next( &w, &place ) )
		g->count += 1;
	return g->count <= MOST_TRIANGLES && !w.is_too_deep;
}

static uint32_t first_of( const group *g ) {
	walk w;
	uint32_t place = 0;
	begin( &w, g );
	next( &w, &place );
	return place;
}

// ------------------------------------------------------------------------------------------------
// One plane

static double dot( const double a[3], const double b[3] ) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length_of( const double d[3] ) {
	return fabs( d[0] ) + fabs( d[1] ) + fabs( d[2] );
}

// A half space: side * normal . ( x - point ) above `margin`, or x at `point` itself if it may be touched. The normal
// is taken literally.
typedef struct half_space {
	double normal[3], point[3];
	double side, margin;
	bool may_touch;
} half_space;

// Result for the corners of a group: whether all are inside, and the one that is inside least.
typedef struct verdict {
	bool is_inside;
	double least;
	double corner[3]; // relative to `point`
} verdict;

// Height of a corner over the plane less its rounding. u = 2^-53: d, a difference of coordinates, is off by u |d|, a
// product by two more, the sums by two: together less than 5 u of the sum of the magnitudes, and what underflows is
// below 2^-1000.
static double height_above( const half_space *h, const double d[3] ) {
	double height = 0.0, size = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		height += h->normal[k] * d[k];
		size += fabs( h->normal[k] * d[k] );
	}
	return h->side * height - 0x1p-50 * size - h->margin;
}

static bool is_at( const double p[3], const double q[3] ) {
	return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// Compare the corners of a group; unless `all`, only up to the first one that is not inside.
static verdict ask( const group *g, const half_space *h, bool all ) {
	verdict v = { .is_inside = true, .least = INFINITY };
	walk w;
	uint32_t place;
	begin( &w, g );
	while ( ( all || v.is_inside ) && next( &w, &place ) ) {
		const double *p[3];
		dbvhi_tree_corners( g->tree, place, p );
		for ( int c = 0; c < 3; ++c ) {
			double d[3];
			if ( h->may_touch && is_at( p[c], h->point ) )
				continue;
			for ( int k = 0; k < 3; ++k )
				d[k] = p[c][k] - h->point[k];
			const double height = height_above( h, d );
			const double length = h->may_touch ? length_of( d ) : 1.0;
			v.is_inside = v.is_inside && height > 0.0;
			if ( height < v.least * length ) {
				v.least = height / length;
				for ( int k = 0; k < 3; ++k )
					v.corner[k] = d[k] / length;
			}
		}
	}
	v.is_inside = v.is_inside && !w.is_too_deep;
	return v;
}

// ------------------------------------------------------------------------------------------------
// A corner in common

// Find a corner that the first triangles of two groups of one mesh have in common.
static bool find_common( const group *a, const group *b, double out[3] ) {
	const double *p[3], *q[3];
	dbvhi_tree_corners( a->tree, first_of( a ), p );
	dbvhi_tree_corners( b->tree, first_of( b ), q );
	for ( int i = 0; i < 9; ++i ) {
		if ( is_at( p[i / 3], q[i % 3] ) ) {
			memcpy( out, p[i / 3], 3 * sizeof *out );
			return true;
		}
	}
	return false;
}

// Add up the directions from a point to the corners of a group.
static void add_directions( const group *g, const double from[3], double sign, double sum[3] ) {
	walk w;
	uint32_t place;
	begin( &w, g );
	while ( next( &w, &place ) ) {
		const double *p[3];
		dbvhi_tree_corners( g->tree, place, p );
		for ( int c = 0; c < 3; ++c ) {
			double d[3];
			for ( int k = 0; k < 3; ++k )
				d[k] = p[c][k] - from[k];
			const double length = length_of( d );
			for ( int k = 0; k < 3 && length > 0.0; ++k )
				sum[k] += sign * d[k] / length;
		}
	}
}

// Move x to the point of the segment from x to y that is nearest to 0 (Gilbert 1966).
static void come_nearer( double x[3], const double y[3] ) {
	double way[3];
	for ( int k = 0; k < 3; ++k )
		way[k] = y[k] - x[k];
	const double square = dot( way, way ), t = square > 0.0 ? -dot( x, way ) / square : 0.0;
	for ( int k = 0; k < 3; ++k )
		x[k] += fmin( fmax( t, 0.0 ), 1.0 ) * way[k];
}

// Is there a plane through a corner that has the rest of both groups strictly on either side?
static bool are_apart_around( const group *a, const group *b, const double corner[3], uint64_t *looked ) {
	half_space h = { .margin = 0x1p-1000, .may_touch = true };
	memcpy( h.point, corner, sizeof h.point );
	add_directions( a, corner, 1.0 / a->count, h.normal );
	add_directions( b, corner, -1.0 / b->count, h.normal );
	for ( int i = 0; i < ATTEMPTS; ++i ) {
		*looked += a->count + b->count;
		h.side = 1.0;
		const verdict of_a = ask( a, &h, true );
		h.side = -1.0;
		const verdict of_b = ask( b, &h, true );
		if ( of_a.is_inside && of_b.is_inside )
			return true;
		double worst[3];
		for ( int k = 0; k < 3; ++k )
			worst[k] = of_a.least < of_b.least ? of_a.corner[k] : -of_b.corner[k];
		come_nearer( h.normal, worst );
	}
	return false;
}

// ------------------------------------------------------------------------------------------------
// Nothing in common

static void normal_of( const group *g, double out[3] ) {
	const double *p[3];
	dbvhi_tree_corners( g->tree, first_of( g ), p );
	double u[3], v[3];
	for ( int k = 0; k < 3; ++k ) {
		u[k] = p[1][k] - p[0][k];
		v[k] = p[2][k] - p[0][k];
	}
	for ( int k = 0; k < 3; ++k )
		out[k] = u[( k + 1 ) % 3] * v[( k + 2 ) % 3] - u[( k + 2 ) % 3] * v[( k + 1 ) % 3];
}

static void centre_of( const group *g, double out[3] ) {
	walk w;
	uint32_t place;
	begin( &w, g );
	memset( out, 0, 3 * sizeof *out );
	while ( next( &w, &place ) ) {
		const double *p[3];
		dbvhi_tree_corners( g->tree, place, p );
		for ( int i = 0; i < 9; ++i )
			out[i % 3] += p[i / 3][i % 3] / ( 3.0 * g->count );
	}
}

// Is there a plane across this direction between the groups? It is tried through the corner of a that is farthest along
// it.
static bool are_apart_along( const group *a, const group *b, const double normal[3], uint64_t *looked ) {
	half_space h = { .side = -1.0 };
	memcpy( h.normal, normal, sizeof h.normal );
	*looked += a->count;
	const verdict of_a = ask( a, &h, true );
	if ( !( of_a.least > -INFINITY ) )
		return false;
	memcpy( h.point, of_a.corner, sizeof h.point );
	// note: no corner of a is beyond that one by more than rounding.
	h.margin = 0x1p-48 * length_of( normal ) * a->tree->largest + 0x1p-1000;
	h.side = 1.0;
	const verdict of_b = ask( b, &h, false );
	*looked += of_b.is_inside ? b->count : 1;
	return of_b.is_inside;
}

static bool are_apart( const group *a, const group *b, uint64_t *looked ) {
	double normal[3], centre[3], back[3];
	for ( int i = 0; i < 3; ++i ) {
		if ( i < 2 ) {
			normal_of( i == 0 ? a : b, normal );
		} else {
			*looked += a->count + b->count;
			centre_of( a, centre );
			centre_of( b, normal );
			for ( int k = 0; k < 3; ++k )
				normal[k] -= centre[k];
		}
		for ( int k = 0; k < 3; ++k )
			back[k] = -normal[k];
		if ( are_apart_along( a, b, normal, looked ) || are_apart_along( a, b, back, looked ) )
			return true;
	}
	return false;
}

// ------------------------------------------------------------------------------------------------

// Do questions still pay? Otherwise they stop until the search has gone on by as much again.
static bool is_worth_it( const dbvhi_packed_run *run ) {
	return run->group_spent < 2 * run->node_tests + 16 * run->leaf_tests + run->group_gained;
}

// The group that the lanes of a node stand for: one child, where the node has stayed behind, or the whole node.
static int32_t root_of( const dbvhi_packed_box *boxes, int32_t node, uint32_t lanes ) {
	DBVHI_ASSERT( lanes != 0 );
	return ( lanes & ( lanes - 1 ) ) == 0 ? boxes[DBVHI_WIDTH * node + __builtin_ctz( lanes )].child : node;
}

static uint32_t children_a( uint32_t lanes ) {
	return ( lanes | lanes >> 4 | lanes >> 8 | lanes >> 12 ) & 0xf;
}

static uint32_t children_b( uint32_t lanes ) {
	uint32_t out = 0;
	for ( uint32_t j = 0; j < DBVHI_WIDTH; ++j )
		out |= (uint32_t)( ( lanes >> 4 * j & 0xf ) != 0 ) << j;
	return out;
}

static int are_separated( dbvhi_packed_run *run, int32_t node_a, int32_t node_b, uint32_t lanes ) {
	const dbvhi_mesh_pair *m = run->context;
	// note: a node is never apart from itself.
	if ( node_a == node_b || !is_worth_it( run ) )
		return 0;
	group a = {
	    m->fixed, run->spheres_a, run->boxes_a, run->leaves_a, root_of( run->boxes_a, node_a, children_a( lanes ) ),
	    0 };
	group b = {
	    m->moved, run->spheres_b, run->boxes_b, run->leaves_b, root_of( run->boxes_b, node_b, children_b( lanes ) ),
	    0 };
	uint64_t looked = 0;
	double corner[3];
	const bool is_worth =
	    measure( &a ) && measure( &b ) && (uint64_t)a.count * b.count >= FEWEST_PAIRS * ( a.count + b.count );
	looked += a.count + b.count;
	const bool apart = is_worth && ( find_common( &a, &b, corner ) ? are_apart_around( &a, &b, corner, &looked )
	                                                               : are_apart( &a, &b, &looked ) );
	run->more_steps += STEPS * looked;
	// note: a budget is looked at after every question.
	if ( run->pause != UINT64_MAX )
		run->pause = run->node_tests;
	if ( apart )
		run->group_gained += looked + (uint64_t)a.count * b.count / 4;
	else
		run->group_spent += looked;
	return apart;
}

void dbvhi_packed_use_groups( dbvhi_packed_run *run, const dbvhi_mesh_pair *meshes ) {
	DBVHI_ASSERT( meshes->fixed == meshes->moved );
	run->groups_separated = are_separated;
	run->context = meshes;
}
