// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "paper/independent.h"

#include "support/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

// ------------------------------------------------------------------------------------------------
// Two triangles

static real dot( const real a[3], const real b[3] ) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void minus( const real a[3], const real b[3], real out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = a[k] - b[k];
}

static void cross( const real a[3], const real b[3], real out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = a[( k + 1 ) % 3] * b[( k + 2 ) % 3] - a[( k + 2 ) % 3] * b[( k + 1 ) % 3];
}

static real clamp( real x ) {
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

// Squared, of the point p from the segment from a to b.
static real point_segment( const real p[3], const real a[3], const real b[3] ) {
	real way[3], to[3];
	minus( b, a, way );
	minus( p, a, to );
	const real length = dot( way, way ), t = length > 0 ? clamp( dot( to, way ) / length ) : 0;
	for ( int k = 0; k < 3; ++k )
		to[k] -= t * way[k];
	return dot( to, to );
}

// Squared, of two segments: where the lines come nearest, if that is inside of both, and all four ends.
static real segments( const real p[3], const real q[3], const real r[3], const real s[3] ) {
	real least = fminl( fminl( point_segment( p, r, s ), point_segment( q, r, s ) ),
	                    fminl( point_segment( r, p, q ), point_segment( s, p, q ) ) );
	real u[3], v[3], w[3], n[3];
	minus( q, p, u );
	minus( s, r, v );
	minus( r, p, w );
	cross( u, v, n );
	const real nn = dot( n, n );
	if ( !( nn > 0 ) )
		return least;
	real wv[3], wu[3];
	cross( w, v, wv );
	cross( w, u, wu );
	const real x = dot( wv, n ) / nn, y = dot( wu, n ) / nn;
	if ( x >= 0 && x <= 1 && y >= 0 && y <= 1 ) {
		const real along = dot( w, n );
		least = fminl( least, along * along / nn );
	}
	return least;
}

// Is the point, or its foot in the plane, inside of the triangle with this normal?
static bool over( const real p[3], const real t[9], const real n[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		real edge[3], to[3], side[3];
		minus( &t[3 * ( ( k + 1 ) % 3 )], &t[3 * k], edge );
		minus( p, &t[3 * k], to );
		cross( edge, to, side );
		if ( dot( side, n ) < 0 )
			return false;
	}
	return true;
}

// Corners and edges of `other` against the face of `t`: squared distance, 0 where an edge goes through.
static real against_face( const real t[9], const real other[9] ) {
	real u[3], v[3], n[3], height[3], least = INFINITY;
	minus( &t[3], &t[0], u );
	minus( &t[6], &t[0], v );
	cross( u, v, n );
	const real nn = dot( n, n );
	if ( !( nn > 0 ) )
		return least;
	for ( int k = 0; k < 3; ++k ) {
		real to[3];
		minus( &other[3 * k], t, to );
		height[k] = dot( to, n );
		if ( over( &other[3 * k], t, n ) )
			least = fminl( least, height[k] * height[k] / nn );
	}
	for ( int k = 0; k < 3; ++k ) {
		const int l = ( k + 1 ) % 3;
		if ( ( height[k] > 0 ) == ( height[l] > 0 ) || height[k] == height[l] )
			continue;
		const real part = height[k] / ( height[k] - height[l] );
		real at[3];
		for ( int i = 0; i < 3; ++i )
			at[i] = other[3 * k + i] + part * ( other[3 * l + i] - other[3 * k + i] );
		if ( over( at, t, n ) )
			return 0;
	}
	return least;
}

real independent_triangles( const real a[9], const real b[9] ) {
	real least = fminl( against_face( a, b ), against_face( b, a ) );
	for ( int k = 0; k < 3; ++k )
		for ( int l = 0; l < 3; ++l )
			least =
			    fminl( least, segments( &a[3 * k], &a[3 * ( ( k + 1 ) % 3 )], &b[3 * l], &b[3 * ( ( l + 1 ) % 3 )] ) );
	return sqrtl( least );
}

// ------------------------------------------------------------------------------------------------
// The tree: halves by the median of the corners' means along the longest edge of the box, four triangles a leaf

typedef struct node {
	double lower[3], upper[3];
	double centre[3], radius; // sphere about the box
	size_t begin, end;        // triangles
	size_t child;             // the first of two; 0 in a leaf
} node;

struct independent_tree {
	double *corners; // nine each, in the order of the tree
	node *nodes;
	size_t count, node_count;
};

static int axis; // sort axis; building is single-threaded

static int compare( const void *x, const void *y ) {
	const double *a = x, *b = y;
	const double p = a[axis] + a[3 + axis] + a[6 + axis], q = b[axis] + b[3 + axis] + b[6 + axis];
	return ( p > q ) - ( p < q );
}

static void grow( independent_tree *t, size_t index ) {
	node *n = &t->nodes[index];
	double diagonal = 0.0;
	axis = 0;
	for ( int k = 0; k < 3; ++k ) {
		n->lower[k] = INFINITY;
		n->upper[k] = -INFINITY;
	}
	for ( size_t i = 9 * n->begin; i < 9 * n->end; ++i ) {
		n->lower[i % 3] = fmin( n->lower[i % 3], t->corners[i] );
		n->upper[i % 3] = fmax( n->upper[i % 3], t->corners[i] );
	}
	for ( int k = 0; k < 3; ++k ) {
		const double edge = n->upper[k] - n->lower[k];
		diagonal += edge * edge;
		n->centre[k] = 0.5 * ( n->lower[k] + n->upper[k] );
		if ( edge > n->upper[axis] - n->lower[axis] )
			axis = k;
	}
	n->radius = 0.5 * sqrt( diagonal ) * ( 1.0 + 1e-12 );
	if ( n->end - n->begin <= 4 )
		return;
	qsort( t->corners + 9 * n->begin, n->end - n->begin, 9 * sizeof( double ), compare );
	const size_t middle = ( n->begin + n->end ) / 2, child = t->node_count;
	n->child = child;
	t->node_count += 2;
	t->nodes[child] = ( node ){ .begin = n->begin, .end = middle };
	t->nodes[child + 1] = ( node ){ .begin = middle, .end = n->end };
	grow( t, child );
	grow( t, child + 1 );
}

independent_tree *independent_build( const dbvh_mesh_view *view ) {
	independent_tree *t = calloc( 1, sizeof( *t ) );
	if ( t == NULL )
		return NULL;
	t->count = view->triangle_count;
	t->corners = malloc( 9 * t->count * sizeof( double ) );
	t->nodes = malloc( 2 * t->count * sizeof( node ) );
	if ( t->corners == NULL || t->nodes == NULL ) {
		independent_destroy( t );
		return NULL;
	}
	for ( size_t i = 0; i < t->count; ++i )
		oracle_triangle( view, i, t->corners + 9 * i );
	t->nodes[0] = ( node ){ .end = t->count };
	t->node_count = 1;
	grow( t, 0 );
	return t;
}

void independent_destroy( independent_tree *tree ) {
	if ( tree == NULL )
		return;
	free( tree->corners );
	free( tree->nodes );
	free( tree );
}

// ------------------------------------------------------------------------------------------------

typedef struct search {
	const independent_tree *a, *b;
	const dbvh_pose *pose;
	real best;
} search;

static void place( const dbvh_pose *pose, const double in[3], real out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = (real)pose->rot[k][0] * in[0] + (real)pose->rot[k][1] * in[1] + (real)pose->rot[k][2] * in[2] +
		         pose->pos[k];
}

// The gap between the box of A's node and the sphere about B's.
static real bound( const search *s, const node *a, const node *b ) {
	real centre[3], sum = 0;
	place( s->pose, b->centre, centre );
	for ( int k = 0; k < 3; ++k ) {
		const real out = fmaxl( 0, fmaxl( a->lower[k] - centre[k], centre[k] - a->upper[k] ) );
		sum += out * out;
	}
	return sqrtl( sum ) - b->radius * ( 1 + 1e-9L ); // a pose may be off a rotation by rounding
}

static void leaves( search *s, const node *a, const node *b ) {
	for ( size_t j = b->begin; j < b->end; ++j ) {
		real placed[9], fixed[9];
		for ( int k = 0; k < 3; ++k )
			place( s->pose, s->b->corners + 9 * j + 3 * k, placed + 3 * k );
		for ( size_t i = a->begin; i < a->end; ++i ) {
			for ( int k = 0; k < 9; ++k )
				fixed[k] = s->a->corners[9 * i + (size_t)k];
			s->best = fminl( s->best, independent_triangles( fixed, placed ) );
		}
	}
}

static void descend( search *s, const node *a, const node *b ) {
	if ( a->child == 0 && b->child == 0 ) {
		leaves( s, a, b );
		return;
	}
	const bool split_a = b->child == 0 || ( a->child != 0 && a->radius > b->radius );
	const node *first[2], *second[2];
	real bounds[2];
	for ( size_t k = 0; k < 2; ++k ) {
		first[k] = split_a ? &s->a->nodes[a->child + k] : a;
		second[k] = split_a ? b : &s->b->nodes[b->child + k];
		bounds[k] = bound( s, first[k], second[k] );
	}
	const int nearer = bounds[1] < bounds[0];
	for ( int k = 0; k < 2; ++k ) {
		const int which = k == 0 ? nearer : !nearer;
		if ( bounds[which] < s->best )
			descend( s, first[which], second[which] );
	}
}

double independent_distance( const independent_tree *a, const independent_tree *b, const dbvh_pose *pose_b ) {
	search s = { a, b, pose_b, INFINITY };
	descend( &s, &a->nodes[0], &b->nodes[0] );
	return (double)s.best;
}
