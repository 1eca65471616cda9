// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Scenes: the broad phase over boxes that all move, over few that do, and over none; and a robot in many
// configurations.

#include "common/experiment.h"
#include "common/numbers.h"
#include "common/stats.h"
#include "dualbvh/scene.h"
#include "shapes/shapes.h"

#include <cglm/cglm.h>
#include <dualbvh/cglm.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void must( dbvh_status status, const dbvh_error *error ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", error->text );
	exit( 2 );
}

static dbvh_tree *tree_of( shape *mesh ) {
	const dbvh_mesh_view view = shape_view( mesh );
	dbvh_tree *tree;
	dbvh_error error;
	must( dbvh_tree_build( &view, NULL, NULL, &tree, &error ), &error );
	shape_free( mesh );
	return tree;
}

// ------------------------------------------------------------------------------------------------
// Boxes

enum { STEPS = 15 };

// A step of random motion in the unit cube: some of the cubes go anywhere within a tenth of their size.
static void wander( dbvh_pose *poses, size_t count, double step, uint64_t *state ) {
	for ( size_t i = 0; i < count; ++i ) {
		for ( int k = 0; k < 3; ++k )
			poses[i].pos[k] += step * ( next_number( state ) - 0.5 );
	}
}

// Microseconds for a ray, a point and a box of the size of a cube, anywhere among the bodies.
static void measure_points( dbvh_scene *scene, double room, double out[3] ) {
	enum { QUESTIONS = 2000 };
	dbvh_error error;
	uint64_t state = 2;
	for ( int kind = 0; kind < 3; ++kind ) {
		const double start = stats_thread_now();
		for ( int i = 0; i < QUESTIONS; ++i ) {
			dbvh_ray ray;
			dbvh_aabb box;
			for ( int k = 0; k < 3; ++k ) {
				ray.from[k] = box.min[k] = room * next_number( &state );
				ray.direction[k] = next_number( &state ) - 0.5;
				box.max[k] = box.min[k] + 1.0;
			}
			dbvh_scene_hit hit;
			dbvh_scene_closest_point_result closest;
			size_t found;
			must( kind == 0   ? dbvh_scene_raycast( scene, &ray, &hit, &error )
			      : kind == 1 ? dbvh_scene_closest_point( scene, ray.from, NULL, &closest, &error )
			                  : dbvh_scene_overlap_aabb( scene, &box, NULL, 0, &found, &error ),
			      &error );
		}
		out[kind] = 1e6 * ( stats_thread_now() - start ) / QUESTIONS;
	}
}

static void measure_boxes( size_t count, const dbvh_tree *cube ) {
	dbvh_scene *scene;
	dbvh_error error;
	dbvh_scene_result result;
	must( dbvh_scene_create( NULL, &scene, &error ), &error );
	uint64_t state = 1;
	dbvh_pose *poses = malloc( count * sizeof *poses );
	if ( poses == NULL )
		exit( 2 );
	// Cubes of side 1, so many to a volume that each overlaps about eight others.
	const double room = cbrt( (double)count );
	for ( size_t i = 0; i < count; ++i ) {
		uint32_t body;
		poses[i] = dbvh_pose_identity();
		for ( int k = 0; k < 3; ++k )
			poses[i].pos[k] = room * next_number( &state );
		must( dbvh_scene_add_body( scene, cube, &poses[i], NULL, &body, &error ), &error );
	}
	must( dbvh_scene_pairs( scene, NULL, 0, &result, &error ), &error );
	double all[STEPS], few[STEPS], none[STEPS];
	for ( int step = 0; step < STEPS; ++step ) {
		wander( poses, count, 0.1, &state );
		double start = stats_thread_now();
		must( dbvh_scene_set_poses( scene, NULL, poses, count, &error ), &error );
		must( dbvh_scene_pairs( scene, NULL, 0, &result, &error ), &error );
		all[step] = stats_thread_now() - start;
		wander( poses, count / 100, 0.1, &state );
		start = stats_thread_now();
		for ( uint32_t i = 0; i < count / 100; ++i )
			must( dbvh_scene_set_pose( scene, i, &poses[i], &error ), &error );
		must( dbvh_scene_pairs( scene, NULL, 0, &result, &error ), &error );
		few[step] = stats_thread_now() - start;
		start = stats_thread_now();
		must( dbvh_scene_pairs( scene, NULL, 0, &result, &error ), &error );
		none[step] = stats_thread_now() - start;
	}
	double points[3];
	measure_points( scene, room, points );
	printf( "%8zu %10zu %12.3f %12.3f %12.4f %8.2f %8.2f %8.2f\n", count, result.pair_count,
	        1e3 * stats_median( all, STEPS ), 1e3 * stats_median( few, STEPS ), 1e3 * stats_median( none, STEPS ),
	        points[0], points[1], points[2] );
	dbvh_scene_destroy( scene );
	free( poses );
}

// ------------------------------------------------------------------------------------------------
// A robot

enum { LINKS = 10, CONFIGURATIONS = 20000 };

// Edges from each configuration to the next, which is far: links turn by a radian or more.
static void measure_ways( dbvh_scene *scene, const dbvh_pose *poses ) {
	enum { WAYS = 500 };
	static dbvh_edge_result edges[WAYS];
	dbvh_error error;
	printf( "\n%8s %16s %12s %12s\n", "", "ways/s", "contacts", "not clear" );
	for ( int k = 0; k < 2; ++k ) {
		const dbvh_motions_query query = { .find = k == 0 ? DBVH_FIND_ANY : DBVH_FIND_CLOSEST, .thread_count = 1 };
		const double start = stats_thread_now();
		must( dbvh_scene_motion_batch( scene, poses, WAYS + 1, &query, edges, &error ), &error );
		const double seconds = stats_thread_now() - start;
		size_t contacts = 0, others = 0;
		for ( int i = 0; i < WAYS; ++i ) {
			contacts += edges[i].verdict == DBVH_TOI_VERDICT_CONTACT;
			others += edges[i].verdict != DBVH_TOI_VERDICT_CLEAR;
		}
		printf( "%8s %16.0f %12zu %12zu\n", k == 0 ? "any" : "first", WAYS / seconds, contacts, others );
	}
}

// An arm of ten links, each turned against the one before it about axes in turn; neighbours may collide.
static void measure_robot( void ) {
	dbvh_scene *scene;
	dbvh_error error;
	must( dbvh_scene_create( NULL, &scene, &error ), &error );
	shape mesh = { 0 };
	shape_add_sphere( &mesh, 1.0, 40, 20 );
	for ( size_t i = 0; i < mesh.vertex_count; ++i ) { // long and thin
		mesh.positions[3 * i] *= 0.6;
		mesh.positions[3 * i + 1] *= 0.15;
		mesh.positions[3 * i + 2] *= 0.15;
	}
	const size_t triangles = mesh.triangle_count;
	dbvh_tree *link = tree_of( &mesh );
	uint32_t bodies[LINKS];
	const dbvh_pair_rule allowed = { .may_collide = true };
	for ( int i = 0; i < LINKS; ++i )
		must( dbvh_scene_add_body( scene, link, NULL, NULL, &bodies[i], &error ), &error );
	for ( int i = 0; i + 1 < LINKS; ++i )
		must( dbvh_scene_set_pair_rule( scene, bodies[i], bodies[i + 1], &allowed, &error ), &error );
	dbvh_pose *poses = malloc( (size_t)CONFIGURATIONS * LINKS * sizeof *poses );
	dbvh_configuration_result *results = malloc( CONFIGURATIONS * sizeof *results );
	if ( poses == NULL || results == NULL )
		exit( 2 );
	uint64_t state = 1;
	for ( int c = 0; c < CONFIGURATIONS; ++c ) {
		mat4 at = GLM_MAT4_IDENTITY_INIT;
		for ( int i = 0; i < LINKS; ++i ) {
			// Move from the middle of a link to its end, turn, and move on to the middle of the next.
			glm_translate_x( at, 0.55f );
			glm_rotate_z( at, ( i % 2 == 0 ? 2.0f : -2.0f ) * (float)( next_number( &state ) - 0.5 ), at );
			glm_translate_x( at, 0.55f );
			dbvh_pose *pose = &poses[c * LINKS + i];
			*pose = dbvh_pose_from_glm( at );
			must( dbvh_pose_orthonormalise( pose, pose, NULL, &error ), &error );
		}
	}
	printf( "\n%zu triangles a link, %d configurations\n%8s %16s %12s\n", triangles, CONFIGURATIONS, "threads",
	        "configurations/s", "colliding" );
	for ( uint32_t threads = 1; threads <= 2; ++threads ) {
		double times[5];
		size_t colliding = 0;
		for ( int round = 0; round < 5; ++round ) {
			const dbvh_configurations_query query = { .thread_count = threads };
			const double start = threads == 1 ? stats_thread_now() : stats_now();
			must( dbvh_scene_collide_batch( scene, poses, CONFIGURATIONS, &query, results, &error ), &error );
			times[round] = ( threads == 1 ? stats_thread_now() : stats_now() ) - start;
			colliding = 0;
			for ( int c = 0; c < CONFIGURATIONS; ++c )
				colliding += results[c].verdict == DBVH_INTERSECTING;
		}
		printf( "%8u %16.0f %12zu\n", threads, CONFIGURATIONS / stats_median( times, 5 ), colliding );
	}
	measure_ways( scene, poses );
	dbvh_scene_destroy( scene );
	dbvh_tree_destroy( link );
	free( poses );
	free( results );
}

int bench_scenes( const bench_options *options ) {
	(void)options;
	stats_print_machine( stdout, "# " );
	shape mesh = { 0 };
	shape_add_box( &mesh, 0.5, 0.5, 0.5, 1 );
	dbvh_tree *cube = tree_of( &mesh );
	printf( "%8s %10s %12s %12s %12s %8s %8s %8s\n", "boxes", "pairs", "all, ms", "1 %, ms", "none, ms", "ray, us",
	        "point", "box" );
	measure_boxes( 10000, cube );
	measure_boxes( 100000, cube );
	measure_boxes( 1000000, cube );
	dbvh_tree_destroy( cube );
	measure_robot();
	return 0;
}
