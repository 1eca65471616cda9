// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Scenes and robots.

#include "fpenv_answers.h"
#include "fpenv_calls.h"

void call_scenes( const call_scene *s, answers *out ) {
	dbvh_scene *scene = NULL;
	uint32_t bodies[3];
	if ( dbvh_scene_create( NULL, &scene, NULL ) != DBVH_OK )
		return;
	ASK( dbvh_scene_add_body( scene, s->trees[0], &s->pose_a, NULL, &bodies[0], NULL ) );
	ASK( dbvh_scene_add_body( scene, s->trees[1], &s->poses[0], NULL, &bodies[1], NULL ) );
	ASK( dbvh_scene_add_body( scene, s->trees[1], &s->poses[1], NULL, &bodies[2], NULL ) );
	const dbvh_pair_rule rule = { .clearance = s->reach };
	ASK( dbvh_scene_set_default_rule( scene, &rule, NULL ) );
	ASK( dbvh_scene_set_body_rule( scene, bodies[0], &rule, NULL ) );
	ASK( dbvh_scene_set_pair_rule( scene, bodies[0], bodies[1], &rule, NULL ) );
	dbvh_pair_rule known;
	ASK( dbvh_scene_get_rule( scene, 0, 1, &known ) );
	put_doubles( out, &known.clearance, 1 );
	dbvh_contacts *contacts = NULL;
	ASK( dbvh_contacts_create( NULL, &contacts, NULL ) );
	const dbvh_scene_query query = { .find = DBVH_FIND_ALL, .policy = s->policy, .thread_count = out->threads };
	dbvh_body_pair pairs[3];
	dbvh_scene_collision collisions[3];
	dbvh_clash clashes[3];
	dbvh_scene_result result;
	dbvh_scene_overlap overlaps[3];
	dbvh_scene_distance_result distance;
	dbvh_scene_hit hit;
	dbvh_scene_closest_point_result closest;
	for ( int step = 0; step < 2; ++step ) {
		const dbvh_budget ample = { .max_total = UINT64_C( 1 ) << 40 };
		ASK( dbvh_scene_set_budget( scene, step == 0 ? &ample : NULL, NULL ) );
		ASK( dbvh_scene_pairs( scene, pairs, 3, &result, NULL ) );
		put( out, result.pair_count );
		ASK( dbvh_scene_collide( scene, &query, collisions, 3, &result, NULL ) );
		put( out, result.found_count );
		ASK( dbvh_scene_clashes( scene, &query, clashes, 3, &result, NULL ) );
		for ( size_t i = 0; i < result.written_count; ++i ) {
			put( out, (uint64_t)clashes[i].kind << 8 | clashes[i].relation );
			put_doubles( out, &clashes[i].distance, 1 );
		}
		const dbvh_budget little = { .max_work = 20000 };
		dbvh_scene_query measured = query;
		measured.budget = &little;
		ASK( dbvh_scene_overlaps( scene, &measured, overlaps, 3, &result, NULL ) );
		for ( size_t i = 0; i < result.written_count; ++i )
			put_doubles( out, &overlaps[i].volume.lower, 2 );
		ASK( dbvh_scene_distance( scene, NULL, &distance, NULL ) );
		put_doubles( out, &distance.distance, 1 );
		dbvh_relate_result related;
		ASK( dbvh_scene_relate( scene, bodies[0], bodies[1], NULL, &related, NULL ) );
		put( out, (uint64_t)related.relation );
		dbvh_distance_result apart;
		ASK( dbvh_scene_pair_distance( scene, bodies[0], bodies[1], NULL, &apart, NULL ) );
		put_doubles( out, &apart.distance, 1 );
		ASK( dbvh_scene_contacts( scene, bodies[0], bodies[1], NULL, contacts, NULL ) );
		put( out, dbvh_contacts_get( contacts ).contact_count );
		ASK( dbvh_scene_raycast( scene, &s->ray, &hit, NULL ) );
		put( out, hit.body );
		put_doubles( out, &hit.hit.t, 1 );
		ASK( dbvh_scene_closest_point( scene, s->points[0], NULL, &closest, NULL ) );
		put_doubles( out, &closest.closest.distance, 1 );
		uint32_t in_box[3];
		size_t count = 0;
		ASK( dbvh_scene_overlap_aabb( scene, &s->aabb[0], in_box, 3, &count, NULL ) );
		put( out, count );
		ASK( dbvh_scene_set_pose( scene, bodies[0], &s->poses[2], NULL ) );
		ASK( dbvh_scene_set_poses( scene, bodies + 1, s->poses + 2, 2, NULL ) );
	}
	const dbvh_configurations_query of_two = {
	    .bodies = bodies, .body_count = 2, .max_distance = s->reach, .thread_count = out->threads };
	dbvh_configuration_result configurations[2];
	ASK( dbvh_scene_collide_batch( scene, s->poses, 2, &of_two, configurations, NULL ) );
	for ( int i = 0; i < 2; ++i ) {
		put( out, configurations[i].verdict );
		put_doubles( out, &configurations[i].distance, 1 );
	}
	const dbvh_motions_query ways = {
	    .find = DBVH_FIND_CLOSEST, .bodies = bodies, .body_count = 1, .thread_count = out->threads };
	dbvh_edge_result edges[2];
	ASK( dbvh_scene_motion_batch( scene, s->poses, 3, &ways, edges, NULL ) );
	for ( int i = 0; i < 2; ++i ) {
		put( out, (uint64_t)edges[i].verdict << 8 | edges[i].bodies.b );
		put_doubles( out, &edges[i].time, 1 );
	}
	dbvh_contacts_destroy( contacts );
	dbvh_scene *copy = NULL;
	ASK( dbvh_scene_clone( scene, NULL, &copy, NULL ) );
	dbvh_scene_destroy( copy );
	dbvh_scene_destroy( scene );
}

void call_robots( const call_scene *s, answers *out ) {
	dbvh_scene *scene = NULL;
	dbvh_robot *robot = NULL;
	uint32_t bodies[3], links[3];
	if ( dbvh_scene_create( NULL, &scene, NULL ) != DBVH_OK || dbvh_robot_create( NULL, &robot, NULL ) != DBVH_OK )
		return;
	double sine[2];
	ASK( dbvh_scene_add_body( scene, s->trees[0], NULL, NULL, &bodies[0], NULL ) );
	ASK( dbvh_scene_add_body( scene, s->trees[1], NULL, NULL, &bodies[1], NULL ) );
	ASK( dbvh_scene_add_body( scene, s->trees[1], &s->poses[1], NULL, &bodies[2], NULL ) );
	const double rpy[3] = { 0.3, 0.7, -2.1 };
	const dbvh_pose origin = dbvh_pose_from_rpy( rpy, s->poses[2].pos );
	put_doubles( out, (const double *)&origin, 12 );
	dbvh_sine_cosine( 0.7, &sine[0], &sine[1] );
	put_doubles( out, sine, 2 );
	const dbvh_joint turning = { .kind = DBVH_JOINT_KIND_CONTINUOUS, .axis = { 1, 2, 3 } };
	const dbvh_joint sliding = { .kind = DBVH_JOINT_KIND_PRISMATIC, .axis = { 0, 1, 1 } };
	ASK( dbvh_robot_add_link( robot, DBVH_NO_LINK, &s->pose_a, &turning, &links[0], NULL ) );
	ASK( dbvh_robot_add_link( robot, links[0], &origin, &sliding, &links[1], NULL ) );
	ASK( dbvh_robot_add_link( robot, links[1], NULL, &turning, &links[2], NULL ) );
	ASK( dbvh_robot_follow( robot, links[2], links[1], 0.5, 0.1, NULL ) );
	ASK( dbvh_robot_attach( robot, links[0], bodies[0], NULL, NULL ) );
	ASK( dbvh_robot_attach( robot, links[2], bodies[1], &s->poses[0], NULL ) );
	const double q[4] = { 0.2, -0.3, 4.0, 0.7 }, times[2] = { 0.25, 0.7 };
	double between[4];
	dbvh_pose placed[4];
	ASK( dbvh_robot_between( robot, DBVH_ROBOT_LAYOUT_ANGLES, q, q + 2, times, 2, between, NULL ) );
	put_doubles( out, between, 4 );
	ASK( dbvh_robot_place( robot, DBVH_ROBOT_LAYOUT_ANGLES, q, 2, NULL, placed, NULL ) );
	put_doubles( out, (const double *)placed, 48 );
	const dbvh_configurations_query query = { .max_distance = s->reach, .thread_count = out->threads };
	dbvh_configuration_result configurations[2];
	ASK( dbvh_robot_collide_batch( robot, scene, DBVH_ROBOT_LAYOUT_ANGLES, q, 2, &query, configurations, NULL ) );
	for ( int i = 0; i < 2; ++i ) {
		put( out, configurations[i].verdict );
		put_doubles( out, &configurations[i].distance, 1 );
	}
	const dbvh_robot_edges_query edges = { .find = DBVH_FIND_CLOSEST, .tolerance = 1e-3, .thread_count = out->threads };
	dbvh_robot_edge_result edge;
	ASK( dbvh_robot_edge_batch( robot, scene, q, 2, &edges, &edge, NULL ) );
	put( out, (uint64_t)edge.verdict << 8 | edge.bodies.b );
	put_doubles( out, &edge.free_until, 2 );
	const dbvh_robot_distances_query closest = { .find = DBVH_FIND_CLOSEST, .thread_count = out->threads };
	dbvh_robot_distances_result distances[2];
	ASK( dbvh_robot_distance_batch( robot, scene, q, 2, &closest, distances, NULL ) );
	for ( int i = 0; i < 2; ++i ) {
		put( out, distances[i].nearest.bodies.b );
		put_doubles( out, &distances[i].nearest.distance, 1 );
		put_doubles( out, distances[i].nearest.normal, 3 );
	}
	dbvh_robot_destroy( robot );
	dbvh_scene_destroy( scene );
}
