// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "distance.h"

#include "support/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct vec {
	double x, y, z;
} vec;

static vec at( const double *p ) {
	return ( vec ){ p[0], p[1], p[2] };
}

static vec sub( vec a, vec b ) {
	return ( vec ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static vec along( vec a, double t, vec d ) {
	return ( vec ){ a.x + t * d.x, a.y + t * d.y, a.z + t * d.z };
}

static double dot( vec a, vec b ) {
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross( vec a, vec b ) {
	return ( vec ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static double clamp( double t ) {
	return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
}

static vec image( const dbvh_pose *pose, vec p ) {
	const double *r = &pose->rot[0][0];
	return ( vec ){ r[0] * p.x + r[1] * p.y + r[2] * p.z + pose->pos[0],
	                r[3] * p.x + r[4] * p.y + r[5] * p.z + pose->pos[1],
	                r[6] * p.x + r[7] * p.y + r[8] * p.z + pose->pos[2] };
}

// ------------------------------------------------------------------------------------------------
// Two triangles. All distances are squared here.

// From a point to a segment.
static double point_segment( vec p, vec a, vec d ) {
	const double length = dot( d, d );
	const double t = length > 0.0 ? clamp( dot( sub( p, a ), d ) / length ) : 0.0;
	const vec gap = sub( p, along( a, t, d ) );
	return dot( gap, gap );
}

// Between two segments: the nearest points of the lines where they lie inside both, else an end of one of them.
static double segment_segment( vec p, vec d, vec q, vec e ) {
	const vec w = sub( p, q );
	const double dd = dot( d, d ), ee = dot( e, e ), de = dot( d, e ), dw = dot( d, w ), ew = dot( e, w );
	const double determinant = dd * ee - de * de;
	double best = INFINITY;
	if ( determinant > 1e-14 * dd * ee ) {
		const double s = ( de * ew - ee * dw ) / determinant, t = ( dd * ew - de * dw ) / determinant;
		if ( s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0 ) {
			const vec gap = sub( along( p, s, d ), along( q, t, e ) );
			return dot( gap, gap );
		}
	}
	best = fmin( best, point_segment( p, q, e ) );
	best = fmin( best, point_segment( along( p, 1.0, d ), q, e ) );
	best = fmin( best, point_segment( q, p, d ) );
	return fmin( best, point_segment( along( q, 1.0, e ), p, d ) );
}

// From a point to the inside of a triangle; INFINITY where the foot of the perpendicular falls outside of it.
static double point_inside( vec p, const vec t[3], vec normal ) {
	const double length = dot( normal, normal );
	if ( !( length > 0.0 ) )
		return INFINITY;
	for ( int i = 0; i < 3; ++i )
		if ( dot( cross( sub( t[( i + 1 ) % 3], t[i] ), sub( p, t[i] ) ), normal ) < 0.0 )
			return INFINITY;
	const double height = dot( sub( p, t[0] ), normal );
	return height * height / length;
}

// Does a segment run through a triangle?
static bool pierces( vec p, vec q, const vec t[3], vec normal ) {
	const double hp = dot( sub( p, t[0] ), normal ), hq = dot( sub( q, t[0] ), normal );
	if ( ( hp > 0.0 ) == ( hq > 0.0 ) )
		return false;
	const vec x = along( p, hp / ( hp - hq ), sub( q, p ) );
	return point_inside( x, t, normal ) < INFINITY;
}

static double triangles_squared( const vec a[3], const vec b[3] ) {
	const vec na = cross( sub( a[1], a[0] ), sub( a[2], a[0] ) ), nb = cross( sub( b[1], b[0] ), sub( b[2], b[0] ) );
	double best = INFINITY;
	for ( int i = 0; i < 3; ++i ) {
		if ( pierces( a[i], a[( i + 1 ) % 3], b, nb ) || pierces( b[i], b[( i + 1 ) % 3], a, na ) )
			return 0.0;
		best = fmin( best, point_inside( a[i], b, nb ) );
		best = fmin( best, point_inside( b[i], a, na ) );
		for ( int j = 0; j < 3; ++j )
			best = fmin( best,
			             segment_segment( a[i], sub( a[( i + 1 ) % 3], a[i] ), b[j], sub( b[( j + 1 ) % 3], b[j] ) ) );
	}
	return best;
}

double distance_triangles( const double a[9], const double b[9] ) {
	const vec ta[3] = { at( a ), at( a + 3 ), at( a + 6 ) }, tb[3] = { at( b ), at( b + 3 ), at( b + 6 ) };
	return sqrt( triangles_squared( ta, tb ) );
}

// ------------------------------------------------------------------------------------------------
// The tree: a leaf is one triangle, every node a sphere round its triangles

typedef struct node {
	vec centre;
	double radius;
	uint32_t first, count; // of the triangles, in the tree's order
	uint32_t left, right;  // 0 in a leaf: the root is nobody's child
} node;

struct distance_tree {
	vec *corners; // three a triangle
	node *nodes;
	size_t count;
	uint32_t next; // while it is built
};

static const vec *triangle_of( const distance_tree *tree, uint32_t index ) {
	return tree->corners + 3 * (size_t)index;
}

static double component( vec v, int axis ) {
	return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static double centroid( const distance_tree *tree, uint32_t index, int axis ) {
	const vec *t = triangle_of( tree, index );
	return component( t[0], axis ) + component( t[1], axis ) + component( t[2], axis );
}

// The middle of the bounding box, and as large as it must be. `axis` is the longest side of the box.
static void enclose( const distance_tree *tree, node *n, int *axis ) {
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
	const vec *corners = triangle_of( tree, n->first );
	for ( size_t i = 0; i < 3 * (size_t)n->count; ++i )
		for ( int k = 0; k < 3; ++k ) {
			low[k] = fmin( low[k], component( corners[i], k ) );
			high[k] = fmax( high[k], component( corners[i], k ) );
		}
	n->centre = ( vec ){ 0.5 * ( low[0] + high[0] ), 0.5 * ( low[1] + high[1] ), 0.5 * ( low[2] + high[2] ) };
	double farthest = 0.0;
	for ( size_t i = 0; i < 3 * (size_t)n->count; ++i ) {
		const vec gap = sub( corners[i], n->centre );
		farthest = fmax( farthest, dot( gap, gap ) );
	}
	n->radius = sqrt( farthest );
	*axis = 0;
	for ( int k = 1; k < 3; ++k )
		if ( high[k] - low[k] > high[*axis] - low[*axis] )
			*axis = k;
}

static void swap_triangles( distance_tree *tree, uint32_t i, uint32_t j ) {
	vec keep[3];
	memcpy( keep, triangle_of( tree, i ), sizeof( keep ) );
	memcpy( tree->corners + 3 * (size_t)i, triangle_of( tree, j ), sizeof( keep ) );
	memcpy( tree->corners + 3 * (size_t)j, keep, sizeof( keep ) );
}

static uint32_t grow( distance_tree *tree, uint32_t first, uint32_t count ) {
	const uint32_t index = tree->next++;
	node n = { .first = first, .count = count };
	int axis;
	enclose( tree, &n, &axis );
	if ( count > 1 ) {
		double mean = 0.0;
		for ( uint32_t i = first; i < first + count; ++i )
			mean += centroid( tree, i, axis ) / count;
		uint32_t middle = first;
		for ( uint32_t i = first; i < first + count; ++i )
			if ( centroid( tree, i, axis ) < mean )
				swap_triangles( tree, i, middle++ );
		if ( middle == first || middle == first + count )
			middle = first + count / 2;
		n.left = grow( tree, first, middle - first );
		n.right = grow( tree, middle, first + count - middle );
	}
	tree->nodes[index] = n;
	return index;
}

distance_tree *distance_tree_make( const dbvh_mesh_view *view ) {
	distance_tree *tree = calloc( 1, sizeof( *tree ) );
	if ( tree != NULL ) {
		tree->count = view->triangle_count;
		tree->corners = malloc( tree->count * 3 * sizeof( vec ) );
		tree->nodes = malloc( 2 * tree->count * sizeof( node ) );
	}
	if ( tree == NULL || tree->corners == NULL || tree->nodes == NULL ) {
		fputs( "dualbvh-bench: out of memory\n", stderr );
		exit( 2 );
	}
	for ( size_t i = 0; i < tree->count; ++i ) {
		double corners[9];
		oracle_triangle( view, i, corners );
		for ( size_t k = 0; k < 3; ++k )
			tree->corners[3 * i + k] = at( corners + 3 * k );
	}
	grow( tree, 0, (uint32_t)tree->count );
	return tree;
}

void distance_tree_free( distance_tree *tree ) {
	if ( tree == NULL )
		return;
	free( tree->corners );
	free( tree->nodes );
	free( tree );
}

// ------------------------------------------------------------------------------------------------
// The search

typedef struct search {
	const distance_tree *a, *b;
	const dbvh_pose *pose;
	double best; // not squared
	distance_hint *hint;
} search;

static void compare_leaves( search *s, uint32_t a, uint32_t b ) {
	const vec *corners = triangle_of( s->b, b );
	const vec moved[3] = { image( s->pose, corners[0] ), image( s->pose, corners[1] ), image( s->pose, corners[2] ) };
	const double gap = sqrt( triangles_squared( triangle_of( s->a, a ), moved ) );
	if ( gap < s->best ) {
		s->best = gap;
		*s->hint = ( distance_hint ){ a, b };
	}
}

static double lower_bound( const node *a, const node *b, vec b_centre ) {
	const vec gap = sub( a->centre, b_centre );
	return sqrt( dot( gap, gap ) ) - a->radius - b->radius;
}

// `b_centre` is the place of b's centre in A's frame. The larger node is opened, the nearer child looked at first.
static void descend( search *s, const node *a, const node *b, vec b_centre ) {
	if ( a->left == 0 && b->left == 0 ) {
		compare_leaves( s, a->first, b->first );
		return;
	}
	const bool open_a = b->left == 0 || ( a->left != 0 && a->radius > b->radius );
	const node *a1 = a, *a2 = a, *b1 = b, *b2 = b;
	vec c1 = b_centre, c2 = b_centre;
	if ( open_a ) {
		a1 = &s->a->nodes[a->left];
		a2 = &s->a->nodes[a->right];
	} else {
		b1 = &s->b->nodes[b->left];
		b2 = &s->b->nodes[b->right];
		c1 = image( s->pose, b1->centre );
		c2 = image( s->pose, b2->centre );
	}
	const double d1 = lower_bound( a1, b1, c1 ), d2 = lower_bound( a2, b2, c2 );
	if ( d1 <= d2 ) {
		if ( d1 < s->best )
			descend( s, a1, b1, c1 );
		if ( d2 < s->best )
			descend( s, a2, b2, c2 );
	} else {
		if ( d2 < s->best )
			descend( s, a2, b2, c2 );
		if ( d1 < s->best )
			descend( s, a1, b1, c1 );
	}
}

double distance_meshes( const distance_tree *a, const distance_tree *b, const dbvh_pose *pose_b, double limit,
                        distance_hint *hint ) {
	search s = { a, b, pose_b, limit, hint };
	if ( hint->a < a->count && hint->b < b->count )
		compare_leaves( &s, hint->a, hint->b );
	const node *root_a = &a->nodes[0], *root_b = &b->nodes[0];
	const vec c = image( pose_b, root_b->centre );
	if ( s.best > 0.0 && lower_bound( root_a, root_b, c ) < s.best )
		descend( &s, root_a, root_b, c );
	return s.best;
}
