// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/inline.h"
#include "bvh/builder/builder.h"
#include "bvh/builder/fit.h"
#include "bvh/tree.h"
#include "primitive/fit/box_fit.h"

#include <math.h>

// SAMPLE triangles take part in the choice; the chosen box is measured on all.
#define SAMPLE 2048
#define CHOICES 4
// AS_GOOD: axes of faces are preferred to the tree's, which only approximate them, if their cost is within this factor.
#define AS_GOOD 1.001

typedef struct extent {
	double low[3], high[3];
} extent;

static const extent nothing = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static void add_point( extent *e, const dbvhi_mat *axes, dbvhi_vec p ) {
	for ( int k = 0; k < 3; ++k ) {
		const double along = axes->m[0][k] * p.v[0] + axes->m[1][k] * p.v[1] + axes->m[2][k] * p.v[2];
		e->low[k] = along < e->low[k] ? along : e->low[k];
		e->high[k] = along > e->high[k] ? along : e->high[k];
	}
}

static dbvhi_vec vec_of( const double *p ) {
	return ( dbvhi_vec ){ { p[0], p[1], p[2] } };
}

static extent extent_of( const dbvh_tree *tree, const dbvhi_mat *axes, dbvhi_vec from, size_t step ) {
	extent e = nothing;
	if ( tree->corners == NULL && step == 1 ) {
		for ( size_t i = 0; i < tree->vertex_count; ++i )
			add_point( &e, axes, dbvhi_sub( vec_of( tree->vertices + 3 * i ), from ) );
		return e;
	}
	for ( size_t i = 0; i < tree->triangle_count; i += step ) {
		const double *corner[3];
		dbvhi_tree_corners( tree, (uint32_t)i, corner );
		for ( int k = 0; k < 3; ++k )
			add_point( &e, axes, dbvhi_sub( vec_of( corner[k] ), from ) );
	}
	return e;
}

static double cost_of( const extent *e ) {
	dbvhi_vec half;
	for ( int k = 0; k < 3; ++k )
		half.v[k] = 0.5 * ( e->high[k] - e->low[k] );
	return dbvhi_box_cost( &half );
}

// Finds the principal axes of the surface's normals weighted by area, and the axes of its largest triangle: normal and
// longest edge. Coordinates are scaled near 1.
static void axes_of_faces( const dbvh_tree *tree, size_t step, dbvhi_mat *by_area, dbvhi_mat *largest ) {
	const double scale = 1.0 / tree->largest;
	double sum[6] = { 0 }, most = -1.0;
	dbvhi_vec along = { { 1, 0, 0 } }, beside = { { 0, 1, 0 } };
	for ( size_t i = 0; i < tree->triangle_count; i += step ) {
		const double *corner[3];
		dbvhi_vec edge[3];
		dbvhi_tree_corners( tree, (uint32_t)i, corner );
		for ( int k = 0; k < 3; ++k )
			edge[k] = dbvhi_scale( scale, dbvhi_sub( vec_of( corner[( k + 1 ) % 3] ), vec_of( corner[k] ) ) );
		const dbvhi_vec n = dbvhi_cross( edge[0], edge[1] );
		const double area = dbvhi_length( n );
		for ( int k = 0; k < 3 && area > 0.0; ++k ) {
			sum[k] += n.v[k] * n.v[k] / area;
			sum[3 + k] += n.v[k] * n.v[( k + 1 ) % 3] / area;
		}
		if ( area > most ) {
			most = area;
			int longest = 0;
			for ( int k = 1; k < 3; ++k )
				longest = dbvhi_dot( edge[k], edge[k] ) > dbvhi_dot( edge[longest], edge[longest] ) ? k : longest;
			along = edge[longest];
			beside = edge[( longest + 1 ) % 3];
		}
	}
	*by_area = dbvhi_eigenvectors( sum, 0x1p-52, NULL );
	*largest = dbvhi_frame_from( along, beside );
}

static dbvhi_mat choose_axes( const dbvh_tree *tree, size_t step ) {
	dbvhi_mat choice[CHOICES] = { tree->root.rot, { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
	axes_of_faces( tree, step, &choice[2], &choice[3] );
	int best = 0;
	double least = INFINITY;
	for ( int i = 0; i < CHOICES; ++i ) {
		choice[i] = dbvhi_frame_again( &choice[i] );
		const extent e = extent_of( tree, &choice[i], tree->root.pos, step );
		const double cost = cost_of( &e ) * ( i == 0 ? AS_GOOD : 1.0 );
		if ( cost < least ) {
			best = i;
			least = cost;
		}
	}
	return choice[best];
}

// Exchanges columns p and q and reverses one, so that the axes stay right-handed.
static void exchange( dbvhi_mat *axes, double half[3], int p, int q ) {
	const double h = half[p];
	half[p] = half[q];
	half[q] = h;
	for ( int i = 0; i < 3; ++i ) {
		const double x = axes->m[i][p];
		axes->m[i][p] = axes->m[i][q];
		axes->m[i][q] = -x;
	}
}

void dbvhi_root_box_align( dbvh_tree *tree ) {
	dbvhi_node *root = &tree->root;
	// note: outside these limits squares and products of three differences would overflow or underflow.
	if ( !( tree->largest > 0x1p-300 && tree->largest < 0x1p300 ) )
		return;
	const size_t step = ( tree->triangle_count + SAMPLE - 1 ) / SAMPLE;
	dbvhi_mat axes = choose_axes( tree, step );
	extent e = extent_of( tree, &axes, root->pos, 1 );
	dbvhi_vec middle;
	for ( int k = 0; k < 3; ++k )
		middle.v[k] = 0.5 * ( e.low[k] + e.high[k] );
	const dbvhi_vec centre = dbvhi_add( root->pos, dbvhi_mat_apply( &axes, middle ) );
	// Measure again from the rounded centre. No difference to it has a component above the sum; each of two
	// projections, and a later check of the box, may have that error.
	e = extent_of( tree, &axes, centre, 1 );
	double half[3], sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		half[k] = dbvhi_larger( -e.low[k], e.high[k] );
		sum += half[k];
	}
	// The error bound holds in the scale of the build and in that of the mesh: its smallest terms are normal numbers in
	// both.
	int exponent;
	frexp( tree->largest, &exponent );
	const double error = 6.0 * dbvhi_larger( ldexp( dbvhi_projection_error( ldexp( sum, -exponent ) ), exponent ),
	                                         dbvhi_projection_error( sum ) );
	for ( int k = 0; k < 3; ++k )
		half[k] += error + tree->fragment_error;
	if ( dbvhi_box_cost( &( dbvhi_vec ){ { half[0], half[1], half[2] } } ) > AS_GOOD * dbvhi_box_cost( &root->half ) )
		return;
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( int k = 0; k < 2; ++k ) {
			if ( half[k] > half[k + 1] )
				exchange( &axes, half, k, k + 1 );
		}
	}
	root->rot = axes;
	root->pos = centre;
	for ( int k = 0; k < 3; ++k )
		root->half.v[k] = half[k];
	root->sphere_inside = dbvhi_mat_apply_transposed( &axes, dbvhi_sub( root->sphere_outside, centre ) );
}
