// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries about a scene of the two meshes, each several times.

#include "run.h"

enum { BODIES = 6, PAIRS = BODIES * ( BODIES - 1 ) / 2, CONFIGURATIONS = 4 };

static void ask_lists( run *r, dbvh_scene *scene ) {
	dbvh_scene_result result;
	dbvh_body_pair pairs[PAIRS];
	dbvh_scene_collision collisions[PAIRS];
	dbvh_clash clashes[PAIRS];
	const dbvh_scene_query all = { .find = DBVH_FIND_ALL, .thread_count = r->threads };
	ASK( r, dbvh_scene_pairs( scene, pairs, PAIRS, &result, NULL ) );
	for ( size_t i = 0; i < result.written_count; ++i )
		put( r, (uint64_t)pairs[i].a << 32 | pairs[i].b );
	ASK( r, dbvh_scene_collide( scene, &all, collisions, PAIRS, &result, NULL ) );
	put_verdict( r, result.found_count > 0 );
	for ( size_t i = 0; i < result.written_count; ++i )
		put( r, (uint64_t)collisions[i].a << 32 | collisions[i].b );
	ASK( r, dbvh_scene_clashes( scene, &all, clashes, PAIRS, &result, NULL ) );
	for ( size_t i = 0; i < result.written_count; ++i ) {
		put( r, (uint64_t)clashes[i].a << 32 | clashes[i].b );
		put( r, clashes[i].kind );
		put( r, clashes[i].relation );
		put( r, clashes[i].exact );
		put_doubles( r, &clashes[i].distance, 1 );
	}
	dbvh_scene_distance_result nearest;
	const dbvh_scene_distance_query query = { .thread_count = r->threads };
	ASK( r, dbvh_scene_distance( scene, &query, &nearest, NULL ) );
	put( r, (uint64_t)nearest.a << 32 | nearest.b );
	put_doubles( r, &nearest.distance, 1 );
}

static void ask_probes( run *r, dbvh_scene *scene ) {
	for ( int i = 0; i < 4; ++i ) {
		dbvh_ray ray;
		dbvh_scene_hit hit;
		dbvh_scene_closest_point_result closest;
		dbvh_aabb box;
		uint32_t bodies[BODIES];
		size_t count;
		input_point( &r->rng, 4, 16, ray.from );
		input_point( &r->rng, 2, 16, ray.direction );
		ASK( r, dbvh_scene_raycast( scene, &ray, &hit, NULL ) );
		put_verdict( r, hit.body != DBVH_NO_BODY );
		put( r, hit.body );
		put( r, hit.hit.triangle );
		put_doubles( r, &hit.hit.t, 1 );
		ASK( r, dbvh_scene_closest_point( scene, ray.from, NULL, &closest, NULL ) );
		put( r, closest.body );
		put_doubles( r, &closest.closest.distance, 1 );
		for ( int k = 0; k < 3; ++k ) {
			box.min[k] = ray.from[k] / 4.0;
			box.max[k] = box.min[k] + 0.25;
		}
		ASK( r, dbvh_scene_overlap_aabb( scene, &box, bodies, BODIES, &count, NULL ) );
		put_verdict( r, count > 0 );
		for ( size_t k = 0; k < count; ++k )
			put( r, bodies[k] );
	}
}

static void ask_batches( run *r, dbvh_scene *scene ) {
	static const uint32_t moved[2] = { 0, 1 };
	dbvh_pose poses[CONFIGURATIONS][2];
	dbvh_configuration_result results[CONFIGURATIONS];
	dbvh_edge_result edges[CONFIGURATIONS - 1];
	for ( int i = 0; i < CONFIGURATIONS; ++i ) {
		for ( int k = 0; k < 2; ++k )
			poses[i][k] = input_pose( &r->rng, false, 4 );
	}
	const dbvh_configurations_query query = {
	    .find = DBVH_FIND_ALL, .bodies = moved, .body_count = 2, .max_distance = 1.0, .thread_count = r->threads };
	ASK( r, dbvh_scene_collide_batch( scene, &poses[0][0], CONFIGURATIONS, &query, results, NULL ) );
	for ( int i = 0; i < CONFIGURATIONS; ++i ) {
		put_verdict( r, results[i].verdict == DBVH_INTERSECTING );
		put( r, results[i].pair_count );
		put_doubles( r, &results[i].distance, 1 );
	}
	const dbvh_motions_query motions = {
	    .find = DBVH_FIND_CLOSEST, .bodies = moved, .body_count = 2, .thread_count = r->threads };
	ASK( r, dbvh_scene_motion_batch( scene, &poses[0][0], CONFIGURATIONS, &motions, edges, NULL ) );
	for ( int i = 0; i + 1 < CONFIGURATIONS; ++i )
		put_time( r, edges[i].verdict == DBVH_TOI_VERDICT_CLEAR, edges[i].time );
	r->result->queries[r->kind] += 2 * CONFIGURATIONS - 3;
}

void ask_scene( run *r ) {
	run_kind( r, ANSWERS_SCENES );
	const bool is_solid = r->meshes[0].is_solid && r->meshes[1].is_solid;
	const bool on_grid = input_between( &r->rng, 0, 1 ) == 0;
	const dbvh_pair_rule rule = { .clearance = (double)input_between( &r->rng, 0, 4 ) / 8.0 };
	dbvh_scene *scene = NULL;
	ASK( r, dbvh_scene_create( NULL, &scene, NULL ) );
	for ( int i = 0; i < BODIES; ++i ) {
		const dbvh_pose pose = input_pose( &r->rng, on_grid, 3 );
		uint32_t body;
		ASK( r, dbvh_scene_add_body( scene, is_solid ? r->solid[i % 2] : r->plain[i % 2], &pose, NULL, &body, NULL ) );
	}
	ASK( r, dbvh_scene_set_default_rule( scene, &rule, NULL ) );
	ask_lists( r, scene );
	ask_probes( r, scene );
	ask_batches( r, scene );
	dbvh_scene_destroy( scene );
}
