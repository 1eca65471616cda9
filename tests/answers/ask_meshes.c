// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries about one mesh.

#include "run.h"

enum { LINES = 12, HITS = 4096 };

static void ask_self( run *r, const dbvh_tree *tree ) {
	run_kind( r, ANSWERS_SELF );
	dbvh_collide_result result;
	const dbvh_collide_query all = {
	    .find = DBVH_FIND_ALL, .pairs = r->pairs, .pair_capacity = RUN_PAIRS, .thread_count = r->threads };
	ASK( r, dbvh_self_collide( tree, NULL, r->workspace, &result, NULL ) );
	put_verdict( r, result.verdict == DBVH_INTERSECTING );
	ASK( r, dbvh_self_collide( tree, &all, r->workspace, &result, NULL ) );
	put( r, result.pair_count );
	for ( size_t i = 0; i < result.pair_written; ++i )
		put_pair( r, r->pairs[i] );
}

static void put_hit( run *r, const dbvh_ray_hit *hit ) {
	put( r, hit->triangle );
	put_doubles( r, &hit->t, 1 );
}

static void ask_lines( run *r, const dbvh_tree *tree, const dbvh_pose *pose, bool on_grid ) {
	run_kind( r, ANSWERS_RAYCAST );
	static dbvh_ray_hit hits[HITS];
	dbvh_ray rays[LINES];
	dbvh_segment segments[LINES];
	dbvh_raycast_result result, results[LINES];
	const dbvh_raycast_query first = { .find = DBVH_FIND_CLOSEST };
	const dbvh_raycast_query all = { .find = DBVH_FIND_ALL, .hits = hits, .hit_capacity = HITS };
	const dbvh_batch_options batch = { .thread_count = r->threads, .grain = 1, .workspace = r->workspace };
	for ( int i = 0; i < LINES; ++i ) {
		input_point( &r->rng, 3, on_grid ? 8 : 977, rays[i].from );
		input_point( &r->rng, 3, on_grid ? 8 : 977, rays[i].direction );
		input_point( &r->rng, 1, on_grid ? 8 : 977, segments[i].to );
		for ( int k = 0; k < 3; ++k ) {
			segments[i].from[k] = rays[i].from[k];
			if ( i % 2 == 0 ) // towards the mesh
				rays[i].direction[k] = -rays[i].from[k];
		}
	}
	for ( int i = 0; i < LINES; i += 2 ) {
		ASK( r, dbvh_raycast( tree, pose, &rays[i], &all, r->workspace, &result, NULL ) );
		put_verdict( r, result.intersects );
		put( r, result.hit_count );
		for ( size_t k = 0; k < result.hit_written; ++k )
			put_hit( r, &hits[k] );
		ASK( r, dbvh_segment_cast( tree, pose, &segments[i], NULL, r->workspace, &result, NULL ) );
		put_verdict( r, result.intersects );
	}
	ASK( r, dbvh_raycast_batch( tree, pose, rays, LINES, &first, &batch, results, NULL ) );
	for ( int i = 0; i < LINES; ++i ) {
		put_verdict( r, results[i].intersects );
		put_hit( r, &results[i].first );
	}
	ASK( r, dbvh_segment_cast_batch( tree, pose, segments, LINES, &first, &batch, results, NULL ) );
	for ( int i = 0; i < LINES; ++i ) {
		put_verdict( r, results[i].intersects );
		put_hit( r, &results[i].first );
	}
	r->result->queries[r->kind] += 2 * ( LINES - 1 );
}

static void put_closest( run *r, const dbvh_closest_point_result *closest ) {
	put( r, closest->found );
	put( r, closest->triangle );
	put_doubles( r, &closest->distance, 1 );
	r->result->yes[r->kind] += closest->found && closest->distance == 0.0;
}

static void ask_points( run *r, int mesh, const dbvh_tree *tree, const dbvh_pose *pose, bool on_grid ) {
	double points[LINES][3];
	dbvh_closest_point_result result, results[LINES];
	const dbvh_closest_point_query near_by = { .limit = 0.5 };
	const dbvh_batch_options batch = { .thread_count = r->threads, .grain = 1, .workspace = r->workspace };
	for ( int i = 0; i < LINES; ++i )
		input_point( &r->rng, 1, on_grid ? 8 : 971, points[i] );
	run_kind( r, ANSWERS_CLOSEST_POINT );
	for ( int i = 0; i < LINES; i += 3 ) {
		ASK( r, dbvh_closest_point( tree, pose, points[i], NULL, r->workspace, &result, NULL ) );
		put_closest( r, &result );
	}
	ASK( r, dbvh_closest_point_batch( tree, pose, &points[0][0], LINES, &near_by, &batch, results, NULL ) );
	for ( int i = 0; i < LINES; ++i )
		put_closest( r, &results[i] );
	r->result->queries[r->kind] += LINES - 1;
	run_kind( r, ANSWERS_LOCATE );
	for ( int i = 0; i < LINES && r->meshes[mesh].is_solid; ++i ) {
		dbvh_location location = DBVH_LOCATION_OUTSIDE;
		ASK( r, dbvh_locate_point( r->solid[mesh], pose, points[i], &location, NULL ) );
		put( r, location );
		r->result->yes[r->kind] += location == DBVH_LOCATION_INSIDE;
	}
}

static void ask_shapes( run *r, const dbvh_tree *tree, const dbvh_pose *pose, bool on_grid ) {
	run_kind( r, ANSWERS_SHAPES );
	static uint32_t triangles[INPUT_TRIANGLES];
	dbvh_shape shapes[INPUT_SHAPES];
	dbvh_collide_shape_result result;
	const dbvh_collide_shape_query all = {
	    .find = DBVH_FIND_ALL, .triangles = triangles, .triangle_capacity = INPUT_TRIANGLES };
	input_shapes( &r->rng, on_grid, shapes );
	for ( int i = 0; i < INPUT_SHAPES; ++i ) {
		ASK( r, dbvh_collide_shape( tree, pose, &shapes[i], NULL, r->workspace, &result, NULL ) );
		put_verdict( r, result.intersects );
		ASK( r, dbvh_collide_shape( tree, pose, &shapes[i], &all, r->workspace, &result, NULL ) );
		put( r, result.triangle_count );
		for ( size_t k = 0; k < result.triangle_written; ++k )
			put( r, triangles[k] );
	}
}

void ask_meshes( run *r ) {
	for ( int i = 0; i < 2; ++i ) {
		const dbvh_tree *const tree = input_between( &r->rng, 0, 1 ) == 0 ? r->plain[i] : r->solid[i];
		const bool on_grid = input_between( &r->rng, 0, 1 ) == 0;
		const dbvh_pose pose = input_pose( &r->rng, on_grid, 1 );
		ask_self( r, tree );
		ask_lines( r, tree, &pose, on_grid );
		ask_points( r, i, tree, on_grid ? NULL : &pose, on_grid );
		ask_shapes( r, tree, &pose, on_grid );
	}
}
