// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fixture of the scene tests: a scene of small bodies, closed and open, with topology and without, in a room.

#pragma once

#include "dualbvh/scene.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

enum { TREES = 6, MOST = 200 };

typedef struct stage {
	shape shapes[TREES];
	dbvh_tree *trees[TREES];
	dbvh_scene *scene;
	uint32_t bodies[MOST];
	size_t count;
	double size; // edge of the room that bodies are in
} stage;

static inline void raise( stage *s, rng *r ) {
	memset( s, 0, sizeof *s );
	for ( int i = 0; i < TREES; ++i ) {
		switch ( i ) {
		case 0:
			shape_add_box( &s->shapes[i], 0.5, 0.5, 0.5, 1 );
			break;
		case 1:
			shape_add_box( &s->shapes[i], 3.0, 0.25, 1.0, 2 );
			break;
		case 2:
			shape_add_sphere( &s->shapes[i], 0.75, 8, 5 );
			break;
		case 3:
			shape_add_torus( &s->shapes[i], 1.0, 0.25, 9, 6 );
			break;
		case 4:
			shape_add_box( &s->shapes[i], 0.125, 0.125, 0.125, 1 );
			break;
		default: // an open one
			shape_add_box( &s->shapes[i], 1.5, 1.25, 1.5, 1 );
			s->shapes[i].triangle_count -= 2;
		}
		const dbvh_mesh_view view = shape_view( &s->shapes[i] );
		dbvh_tree_options options = dbvh_tree_options_default();
		options.topology = i != 3; // one without
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &s->trees[i], NULL ), DBVH_OK );
	}
	assert_int_equal( dbvh_scene_create( NULL, &s->scene, NULL ), DBVH_OK );
	s->size = rng_below( r, 3 ) == 0 ? 12.0 : 6.0;
}

static inline void strike( stage *s ) {
	dbvh_scene_destroy( s->scene );
	for ( int i = 0; i < TREES; ++i ) {
		dbvh_tree_destroy( s->trees[i] );
		shape_free( &s->shapes[i] );
	}
}

// A random pose, on a grid half of the time, so that bodies touch.
static inline dbvh_pose somewhere( const stage *s, rng *r ) {
	dbvh_pose pose = dbvh_pose_identity();
	if ( rng_below( r, 2 ) == 0 ) {
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = 0.25 * floor( 4.0 * rng_range( r, 0.0, s->size ) );
		return pose;
	}
	double xyzw[4], pos[3];
	for ( int k = 0; k < 4; ++k )
		xyzw[k] = rng_range( r, -1.0, 1.0 );
	for ( int k = 0; k < 3; ++k )
		pos[k] = rng_range( r, 0.0, s->size );
	return dbvh_pose_from_quaternion( xyzw, pos );
}

static inline void add_body( stage *s, rng *r ) {
	const dbvh_body_options options = { .group = (uint32_t)rng_below( r, 4 ),
	                                    .mask = rng_below( r, 3 ) == 0 ? (uint32_t)rng_below( r, 8 ) : 0,
	                                    .sag = rng_below( r, 5 ) == 0 ? 0.0625 : 0.0,
	                                    .user = s };
	dbvh_pose pose = somewhere( s, r );
	const dbvh_tree *tree = s->trees[rng_below( r, TREES )];
	if ( s->count > 0 && rng_below( r, 12 ) == 0 ) // one that is there already
		assert_true( dbvh_scene_get_body( s->scene, s->bodies[rng_below( r, s->count )], &tree, &pose, NULL ) );
	assert_int_equal( dbvh_scene_add_body( s->scene, tree, &pose, rng_below( r, 2 ) == 0 ? &options : NULL,
	                                       &s->bodies[s->count], NULL ),
	                  DBVH_OK );
	s->count += 1;
}
