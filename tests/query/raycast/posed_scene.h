// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A posed mesh, its tree, and its triangles as rationals where it is posed; and random ones, with points near them.

#pragma once

#include "support/rational.h"
#include "support/scene.h"
#include "support/unit.h"

#include <stdlib.h>
#include <string.h>

typedef struct scene {
	shape mesh;
	dbvh_tree *tree;
	bool posed;
	dbvh_pose pose;
	rational_triangle *triangles;
	double largest; // a bound of the coordinates of mesh and pose
} scene;

static inline double *corners_of( const shape *s, size_t i, double out[9] ) {
	for ( size_t k = 0; k < 9; ++k )
		out[k] = s->positions[3 * s->indices[3 * i + k / 3] + k % 3];
	return out;
}

static inline void scene_open( scene *s, const dbvh_tree_options *options ) {
	const dbvh_mesh_view view = shape_view( &s->mesh );
	assert_int_equal( dbvh_tree_build( &view, options, NULL, &s->tree, NULL ), DBVH_OK );
	s->triangles = malloc( s->mesh.triangle_count * sizeof *s->triangles );
	assert_true( s->triangles != NULL );
	s->largest = 0.0;
	for ( size_t i = 0; i < s->mesh.triangle_count; ++i ) {
		double corners[9];
		rational_triangle_init( &s->triangles[i] );
		rational_triangle_set( &s->triangles[i], corners_of( &s->mesh, i, corners ), s->posed ? &s->pose : NULL );
		for ( int k = 0; k < 9; ++k )
			s->largest = fmax( s->largest, fabs( corners[k] ) );
	}
	for ( int k = 0; k < 3 && s->posed; ++k )
		s->largest = fmax( s->largest, fabs( s->pose.pos[k] ) );
}

static inline void scene_close( scene *s ) {
	for ( size_t i = 0; i < s->mesh.triangle_count; ++i )
		rational_triangle_clear( &s->triangles[i] );
	free( s->triangles );
	dbvh_tree_destroy( s->tree );
	shape_free( &s->mesh );
}

static const dbvh_pose *pose_of( const scene *s ) {
	return s->posed ? &s->pose : NULL;
}

// ------------------------------------------------------------------------------------------------
// Random scenes

static inline void random_scene( scene *s, rng *r, size_t i, bool *grid_out ) {
	*s = ( scene ){ 0 };
	const bool grid = i % 2 == 0;
	switch ( rng_below( r, 4 ) ) {
	case 0:
		add_soup( &s->mesh, r, 1 + rng_below( r, 60 ), 0.4, 0.3, grid );
		break;
	case 1:
		add_grid( &s->mesh, 4 );
		break;
	case 2:
		shape_add_box( &s->mesh, 0.5, 0.75, 1.0, 1 + (uint32_t)rng_below( r, 3 ) );
		break;
	default:
		shape_add_sphere( &s->mesh, 1.0, 8, 5 );
		break;
	}
	switch ( i % 5 ) {
	case 0:
		break;
	case 1:
		s->pose = exact_pose( r, 1.0 );
		break;
	case 2:
		s->pose = random_pose( r, 1.0 );
		break;
	case 3:
		s->pose = six_digits( random_pose( r, 1.0 ) );
		break;
	default:
		s->pose = sheared( r, random_pose( r, 1.0 ), 1.8e-6 );
		break;
	}
	s->posed = i % 5 != 0;
	*grid_out = grid && i % 5 < 2;
}

static inline void scene_scale( scene *s, int exponent ) {
	shape scaled = scaled_copy( &s->mesh, exponent );
	shape_free( &s->mesh );
	s->mesh = scaled;
	for ( int k = 0; k < 3 && s->posed; ++k )
		s->pose.pos[k] = ldexp( s->pose.pos[k], exponent );
}

static inline double number( rng *r, bool grid ) {
	return grid ? 2.0 * coarse( r ) : rng_range( r, -2.0, 2.0 );
}

// A corner of the mesh where it is posed, rounded.
static inline void corner_point( const scene *s, rng *r, double out[3] ) {
	const double *p = s->mesh.positions + 3 * rng_below( r, s->mesh.vertex_count );
	for ( int k = 0; k < 3; ++k )
		out[k] = !s->posed
		             ? p[k]
		             : s->pose.rot[k][0] * p[0] + s->pose.rot[k][1] * p[1] + s->pose.rot[k][2] * p[2] + s->pose.pos[k];
}

static inline void random_point( const scene *s, rng *r, bool grid, int exponent, double out[3] ) {
	if ( rng_below( r, 4 ) == 0 ) {
		double other[3];
		corner_point( s, r, out );
		corner_point( s, r, other );
		for ( int k = 0; k < 3 && rng_below( r, 2 ) == 0; ++k )
			out[k] = 0.5 * ( out[k] + other[k] );
		return;
	}
	for ( int k = 0; k < 3; ++k )
		out[k] = ldexp( number( r, grid ), exponent );
}

// Each triangle as a mesh of its own: what a query finds without the help of boxes.
static inline dbvh_tree **trees_of_triangles( const shape *s ) {
	dbvh_tree **single = malloc( s->triangle_count * sizeof *single );
	assert_true( single != NULL );
	for ( size_t i = 0; i < s->triangle_count; ++i ) {
		shape one = { 0 };
		double c[9];
		corners_of( s, i, c );
		for ( int k = 0; k < 3; ++k )
			shape_vertex( &one, c[3 * k], c[3 * k + 1], c[3 * k + 2] );
		shape_triangle( &one, 0, 1, 2 );
		single[i] = tree_of( &one, NULL );
		shape_free( &one );
	}
	return single;
}

static inline void destroy_trees( dbvh_tree **trees, size_t count ) {
	for ( size_t i = 0; i < count; ++i )
		dbvh_tree_destroy( trees[i] );
	free( trees );
}
