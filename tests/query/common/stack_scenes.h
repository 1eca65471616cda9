// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The calls of scene.h for test_stack.c, which includes this among its own.

#pragma once

// Both meshes as bodies of a scene; `ask` is what is asked of them.
static void ask_scene( scene *s, dbvh_status ( *ask )( dbvh_scene *of, scene *s ) ) {
	dbvh_scene *made = NULL;
	uint32_t bodies[2];
	if ( dbvh_scene_create( NULL, &made, NULL ) != DBVH_OK )
		return;
	const dbvh_pair_rule rule = { .clearance = 0.1 };
	dbvh_body_options options = dbvh_body_options_default();
	dbvh_pose poses[2] = { dbvh_pose_identity(), dbvh_pose_identity() };
	const dbvh_tree *tree;
	bool is_in = dbvh_scene_add_body( made, s->at->a, s->pa, &options, &bodies[0], NULL ) == DBVH_OK;
	is_in = is_in && dbvh_scene_add_body( made, s->at->b, s->pb, NULL, &bodies[1], NULL ) == DBVH_OK;
	if ( is_in ) {
		dbvh_scene_set_default_rule( made, &rule, NULL );
		dbvh_scene_set_body_rule( made, 0, &rule, NULL );
		dbvh_scene_set_pair_rule( made, 0, 1, &rule, NULL );
		s->done += dbvh_scene_get_rule( made, 0, 1, NULL ) && dbvh_scene_get_body( made, 0, &tree, &poses[0], NULL ) &&
		           dbvh_scene_body_count( made ) == 2 && dbvh_scene_next_body( made, 1 ) == 1;
		s->done += ask( made, s ) == DBVH_OK;
		dbvh_scene_set_pose( made, 1, NULL, NULL );
		dbvh_scene_set_poses( made, NULL, poses, 2, NULL );
		s->done += ask( made, s ) == DBVH_OK;
		dbvh_scene_remove_body( made, 0, NULL );
	}
	dbvh_scene *copy;
	if ( dbvh_scene_clone( made, NULL, &copy, NULL ) == DBVH_OK )
		dbvh_scene_destroy( copy );
	dbvh_scene_destroy( made );
}
static dbvh_status ask_collide( dbvh_scene *of, scene *s ) {
	dbvh_scene_query q = dbvh_scene_query_default();
	q.policy = some_policy( s );
	q.thread_count = 1;
	dbvh_scene_result out;
	dbvh_scene_hit hit;
	uint32_t in_box[2];
	size_t count;
	dbvh_scene_raycast( of, &( dbvh_ray ){ { 0, 0, 0 }, { 1, 0.1, 0.2 } }, &hit, NULL );
	dbvh_scene_overlap_aabb( of, &( dbvh_aabb ){ { -1, -1, -1 }, { 1, 1, 1 } }, in_box, 2, &count, NULL );
	dbvh_scene_pairs( of, NULL, 0, &out, NULL );
	s->done += dbvh_clash_kind_name( DBVH_CLASH_KIND_HARD )[0] == 'H';
	return dbvh_scene_collide( of, &q, NULL, 0, &out, NULL );
}
static dbvh_status ask_clashes( dbvh_scene *of, scene *s ) {
	const dbvh_scene_query q = { .policy = some_policy( s ), .thread_count = 1 };
	dbvh_scene_result out;
	return dbvh_scene_clashes( of, &q, NULL, 0, &out, NULL );
}
static dbvh_status ask_overlaps( dbvh_scene *of, scene *s ) {
	const dbvh_scene_query q = { .policy = some_policy( s ), .thread_count = 1 };
	dbvh_scene_result out;
	return dbvh_scene_overlaps( of, &q, NULL, 0, &out, NULL );
}
static dbvh_status ask_pair( dbvh_scene *of, scene *s ) {
	const uint32_t a = dbvh_scene_next_body( of, 0 ), b = dbvh_scene_next_body( of, a + 1 );
	dbvh_relate_result related;
	dbvh_distance_result apart;
	dbvh_scene_relate( of, a, b, NULL, &related, NULL );
	dbvh_scene_pair_distance( of, a, b, NULL, &apart, NULL );
	return dbvh_scene_contacts( of, a, b, NULL, s->contacts, NULL );
}
static dbvh_status ask_distance( dbvh_scene *of, scene *s ) {
	dbvh_scene_distance_query q = dbvh_scene_distance_query_default();
	q.policy = some_policy( s );
	q.thread_count = 1;
	dbvh_scene_distance_result out;
	return dbvh_scene_distance( of, &q, &out, NULL );
}
static dbvh_status ask_closest_point( dbvh_scene *of, scene *s ) {
	dbvh_scene_closest_point_result out;
	return dbvh_scene_closest_point( of, s->point, NULL, &out, NULL );
}
static dbvh_status ask_configurations( dbvh_scene *of, scene *s ) {
	dbvh_configurations_query q = dbvh_configurations_query_default();
	const dbvh_pose poses[2] = { dbvh_pose_identity(), dbvh_pose_identity() };
	q.policy = some_policy( s );
	q.thread_count = 1;
	dbvh_configuration_result out;
	return dbvh_scene_collide_batch( of, poses, 1, &q, &out, NULL );
}
static dbvh_status ask_motions( dbvh_scene *of, scene *s ) {
	dbvh_motions_query q = dbvh_motions_query_default();
	dbvh_pose poses[4] = { dbvh_pose_identity(), dbvh_pose_identity(), dbvh_pose_identity(), dbvh_pose_identity() };
	poses[0].pos[0] = -4.0;
	poses[2].pos[0] = 4.0;
	q.policy = some_policy( s );
	q.find = s->done % 2 == 0 ? DBVH_FIND_ANY : DBVH_FIND_CLOSEST;
	q.thread_count = 1;
	dbvh_edge_result out;
	return dbvh_scene_motion_batch( of, poses, 2, &q, &out, NULL );
}
static dbvh_status ask_robot( dbvh_scene *of, scene *s ) {
	dbvh_robot *robot = NULL;
	const dbvh_joint joint = { .kind = DBVH_JOINT_KIND_FLOATING };
	const double q[14] = { -4.0, 0, 0, 0, 0, 0, 1, 4.0, 0, 0, 0.5, 0.5, 0.5, 0.5 }, time = 0.3;
	double between[7];
	dbvh_pose links[2];
	dbvh_configuration_result at[2];
	dbvh_robot_edge_result edge;
	uint32_t link = 0;
	dbvh_robot_create( NULL, &robot, NULL );
	dbvh_robot_add_link( robot, DBVH_NO_LINK, NULL, &joint, &link, NULL );
	dbvh_robot_follow( robot, link, link, 1.0, 0.0, NULL );
	dbvh_robot_attach( robot, link, 1, NULL, NULL );
	dbvh_robot_between( robot, DBVH_ROBOT_LAYOUT_ANGLES, q, q + 7, &time, 1, between, NULL );
	dbvh_robot_place( robot, DBVH_ROBOT_LAYOUT_ANGLES, q, 2, links, NULL, NULL );
	dbvh_robot_collide_batch( robot, of, DBVH_ROBOT_LAYOUT_ANGLES, q, 2, NULL, at, NULL );
	dbvh_robot_distances_query closest = dbvh_robot_distances_query_default();
	dbvh_robot_distances_result distances[2];
	closest.find = DBVH_FIND_CLOSEST;
	dbvh_robot_distance_batch( robot, of, q, 2, &closest, distances, NULL );
	dbvh_robot_edges_query query = dbvh_robot_edges_query_default();
	query.clearance = s->done % 2 == 0 ? 0.0 : 0.125;
	query.thread_count = 1;
	const dbvh_status status = dbvh_robot_edge_batch( robot, of, q, 2, &query, &edge, NULL );
	dbvh_robot_detach( robot, 1, NULL );
	dbvh_robot_destroy( robot );
	return status;
}
DOOR( robot_edge_batch ) {
	ask_scene( s, ask_robot );
}
#define call_robot_create call_robot_edge_batch
#define call_robot_destroy call_robot_edge_batch
#define call_robot_add_link call_robot_edge_batch
#define call_robot_follow call_robot_edge_batch
#define call_robot_attach call_robot_edge_batch
#define call_robot_detach call_robot_edge_batch
#define call_robot_between call_robot_edge_batch
#define call_robot_place call_robot_edge_batch
#define call_robot_collide_batch call_robot_edge_batch
#define call_robot_edges_query_default call_robot_edge_batch
#define call_robot_distances_query_default call_robot_edge_batch
#define call_robot_distance_batch call_robot_edge_batch
#define call_joint_default call_robot_edge_batch
#define call_robot_link_count call_robot_edge_batch
#define call_robot_get_link call_robot_edge_batch
#define call_robot_get_followed call_robot_edge_batch
#define call_robot_width call_robot_edge_batch
#define call_robot_column call_robot_edge_batch
#define call_robot_body_count call_robot_edge_batch
#define call_robot_get_body call_robot_edge_batch
#define call_sine_cosine call_robot_edge_batch
#define call_pose_from_rpy call_robot_edge_batch
DOOR( scene_collide ) {
	ask_scene( s, ask_collide );
}
DOOR( scene_clashes ) {
	ask_scene( s, ask_clashes );
}
DOOR( scene_overlaps ) {
	ask_scene( s, ask_overlaps );
}
DOOR( scene_contacts ) {
	ask_scene( s, ask_pair );
}
DOOR( scene_distance ) {
	ask_scene( s, ask_distance );
}
DOOR( scene_closest_point ) {
	ask_scene( s, ask_closest_point );
}
DOOR( scene_collide_batch ) {
	ask_scene( s, ask_configurations );
}
DOOR( scene_motion_batch ) {
	ask_scene( s, ask_motions );
}
#define call_scene_relate call_scene_contacts
#define call_scene_pair_distance call_scene_contacts
#define call_scene_create call_scene_collide
#define call_scene_destroy call_scene_collide
#define call_scene_clone call_scene_collide
#define call_body_options_default call_scene_collide
#define call_scene_add_body call_scene_collide
#define call_scene_remove_body call_scene_collide
#define call_scene_set_pose call_scene_collide
#define call_scene_set_poses call_scene_collide
#define call_scene_get_body call_scene_collide
#define call_scene_body_count call_scene_collide
#define call_scene_next_body call_scene_collide
#define call_pair_rule_default call_scene_collide
#define call_scene_set_default_rule call_scene_collide
#define call_scene_set_body_rule call_scene_collide
#define call_scene_set_pair_rule call_scene_collide
#define call_scene_get_rule call_scene_collide
#define call_scene_query_default call_scene_collide
#define call_scene_pairs call_scene_collide
#define call_clash_kind_name call_scene_collide
#define call_scene_distance_query_default call_scene_collide
#define call_configurations_query_default call_scene_collide
#define call_motions_query_default call_scene_motion_batch
#define call_scene_set_budget call_scene_collide
#define call_scene_raycast call_scene_collide
#define call_scene_overlap_aabb call_scene_collide
