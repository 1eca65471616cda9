// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Rules of all queries: all zero is the default; a refusal is a sentence that names the argument and the rule, and
// leaves the result all zero.

#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

static dbvh_tree *solid, *plain; // two cubes of half side 1, one without topology
static dbvh_workspace *workspace;
static dbvh_contacts *contacts;
static dbvh_pose near_by, sheared_pose;
static dbvh_error error; // error of the last call

static int set_up( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 1 );
	solid = tree_with_topology( &s );
	plain = tree_of( &s, NULL );
	shape_free( &s );
	contacts = new_contacts();
	near_by = sheared_pose = dbvh_pose_identity();
	near_by.pos[0] = 2.5;
	sheared_pose.rot[0][1] = 0.5;
	return dbvh_workspace_create( NULL, &workspace, NULL ) == DBVH_OK ? 0 : 1;
}

static int tear_down( void **state ) {
	(void)state;
	dbvh_workspace_destroy( workspace );
	dbvh_contacts_destroy( contacts );
	dbvh_tree_destroy( solid );
	dbvh_tree_destroy( plain );
	return 0;
}

// ------------------------------------------------------------------------------------------------
// Defaults

static bool is_zero( const void *bytes, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		if ( ( (const unsigned char *)bytes )[i] != 0 )
			return false;
	}
	return true;
}

// Clear the padding of a struct, which may hold anything. A compiler without the builtin leaves its reads undetected.
#if defined( __has_builtin )
#if __has_builtin( __builtin_clear_padding )
#define CLEAR_PADDING( object ) __builtin_clear_padding( object )
#endif
#endif
#if !defined( CLEAR_PADDING )
#define CLEAR_PADDING( object ) memset( object, 0, sizeof *( object ) )
#endif

// The function returns all zero, and NULL, all zero and the default get the same answer.
#define SAME_ANSWER( type, result_type, call )                                                                         \
	do {                                                                                                               \
		const dbvh_##type given = dbvh_##type##_default();                                                             \
		const dbvh_##type zero = { 0 };                                                                                \
		dbvh_##type copy = given;                                                                                      \
		CLEAR_PADDING( &copy );                                                                                        \
		assert_true( is_zero( &copy, sizeof copy ) );                                                                  \
		result_type results[3];                                                                                        \
		memset( results, 0, sizeof results );                                                                          \
		for ( int i = 0; i < 3; ++i ) {                                                                                \
			const dbvh_##type *q = i == 0 ? NULL : i == 1 ? &zero : &given;                                            \
			result_type *out = &results[i];                                                                            \
			assert_int_equal( call, DBVH_OK );                                                                         \
			assert_true( error.status == DBVH_OK && error.text[0] == '\0' );                                           \
			assert_memory_equal( out, &results[0], sizeof *out );                                                      \
		}                                                                                                              \
	} while ( 0 )

static void defaults( void **state ) {
	(void)state;
	const dbvh_tree *a = solid;
	const dbvh_pose *at = &near_by;
	const double point[3] = { 3, 0.5, 0 };
	const dbvh_ray ray = { { -3, 0.25, 0.5 }, { 1, 0, 0 } };
	const dbvh_shape ball = { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 1, 0, 0 }, 0.5 } };
	const dbvh_motion motion = dbvh_motion_translation( at, ( const double[3] ){ -2, 0, 0 } );
	SAME_ANSWER( collide_query, dbvh_collide_result, dbvh_collide( a, NULL, a, at, q, workspace, out, &error ) );
	SAME_ANSWER( collide_query, dbvh_collide_result, dbvh_self_collide( a, q, workspace, out, &error ) );
	SAME_ANSWER( collide_query, dbvh_collide_result, dbvh_collide_batch( a, NULL, a, at, 1, q, NULL, out, &error ) );
	SAME_ANSWER( batch_options, dbvh_collide_result, dbvh_collide_batch( a, NULL, a, at, 1, NULL, q, out, &error ) );
	SAME_ANSWER( clearance_query, dbvh_clearance_result,
	             dbvh_check_clearance( a, NULL, a, at, q, workspace, out, &error ) );
	SAME_ANSWER( distance_query, dbvh_distance_result, dbvh_distance( a, NULL, a, at, q, workspace, out, &error ) );
	SAME_ANSWER( clearance_query, dbvh_clearance_result,
	             dbvh_check_clearance_batch( a, NULL, a, at, 1, q, NULL, out, &error ) );
	SAME_ANSWER( distance_query, dbvh_distance_result, dbvh_distance_batch( a, NULL, a, at, 1, q, NULL, out, &error ) );
	SAME_ANSWER( relate_query, dbvh_relate_result, dbvh_relate_batch( a, NULL, a, at, 1, q, NULL, out, &error ) );
	SAME_ANSWER( raycast_query, dbvh_raycast_result, dbvh_raycast( a, NULL, &ray, q, workspace, out, &error ) );
	SAME_ANSWER( closest_point_query, dbvh_closest_point_result,
	             dbvh_closest_point( a, NULL, point, q, workspace, out, &error ) );
	SAME_ANSWER( collide_shape_query, dbvh_collide_shape_result,
	             dbvh_collide_shape( a, NULL, &ball, q, workspace, out, &error ) );
	SAME_ANSWER( relate_query, dbvh_relate_result, dbvh_relate( a, NULL, a, at, q, workspace, out, &error ) );
	SAME_ANSWER( toi_query, dbvh_toi_result, dbvh_time_of_impact( a, NULL, a, &motion, q, workspace, out, &error ) );
	SAME_ANSWER( contacts_query, dbvh_separation,
	             dbvh_separating_translation( a, NULL, a, at, q, contacts, out, &error ) );
	dbvh_budget no_limit = dbvh_budget_default();
	CLEAR_PADDING( &no_limit );
	assert_true( is_zero( &no_limit, sizeof no_limit ) );
}

static void trees_by_default( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_sphere( &s, 1, 12, 8 );
	const dbvh_tree_options given = dbvh_tree_options_default(), one = { .leaf_size = 1 };
	dbvh_tree_options copy = given;
	CLEAR_PADDING( &copy );
	assert_true( is_zero( &copy, sizeof copy ) );
	dbvh_tree *trees[] = { tree_of( &s, NULL ), tree_of( &s, &given ), tree_of( &s, &one ) };
	for ( int i = 1; i < 3; ++i ) {
		const dbvh_tree_stats x = dbvh_tree_get_stats( trees[0] ), y = dbvh_tree_get_stats( trees[i] );
		assert_true( x.content_hash == y.content_hash && x.node_count == y.node_count && x.depth == y.depth );
	}
	for ( int i = 0; i < 3; ++i )
		dbvh_tree_destroy( trees[i] );
	shape_free( &s );
}

// ------------------------------------------------------------------------------------------------
// Sentences

// The call is refused with that status and that sentence, and the result is all zero.
#define REFUSED( result_type, call, expected, sentence )                                                               \
	do {                                                                                                               \
		result_type result;                                                                                            \
		result_type *out = &result;                                                                                    \
		memset( out, 0x55, sizeof result );                                                                            \
		assert_int_equal( call, expected );                                                                            \
		assert_int_equal( error.status, expected );                                                                    \
		assert_true( error.element == -1 && error.line == 0 && error.byte == -1 );                                     \
		if ( strncmp( error.text, sentence, strlen( sentence ) ) != 0 )                                                \
			fail_msg( "'%s' is not '%s'", error.text, sentence );                                                      \
		assert_true( is_zero( out, sizeof result ) );                                                                  \
	} while ( 0 )

#define BAD DBVH_INVALID_ARGUMENT
#define COLLIDE( ... )                                                                                                 \
	dbvh_collide( solid, NULL, solid, NULL, &( dbvh_collide_query ){ __VA_ARGS__ }, workspace, out, &error )
#define NEAR( ... )                                                                                                    \
	dbvh_check_clearance( solid, NULL, solid, NULL, &( dbvh_clearance_query ){ __VA_ARGS__ }, workspace, out, &error )
#define DISTANCE( ... )                                                                                                \
	dbvh_distance( solid, NULL, solid, NULL, &( dbvh_distance_query ){ __VA_ARGS__ }, workspace, out, &error )

static void sentences_of_pairs( void **state ) {
	(void)state;
	const size_t begin[2] = { 0, 0 };
	assert_int_equal( dbvh_collide( solid, NULL, solid, NULL, NULL, NULL, NULL, &error ), BAD );
	assert_string_equal( error.text, "result_out is NULL" );
	REFUSED( dbvh_collide_result, dbvh_collide( NULL, NULL, solid, NULL, NULL, NULL, out, &error ), BAD,
	         "tree a is NULL" );
	REFUSED( dbvh_collide_result, dbvh_collide( solid, NULL, NULL, NULL, NULL, NULL, out, &error ), BAD,
	         "tree b is NULL" );
	REFUSED( dbvh_collide_result, COLLIDE(.find = (dbvh_find)7 ), BAD, "query.find is 7, which is no dbvh_find" );
	REFUSED( dbvh_collide_result, COLLIDE(.find = DBVH_FIND_CLOSEST ), BAD,
	         "query.find is DBVH_FIND_CLOSEST, but these answers have no order" );
	REFUSED( dbvh_collide_result, COLLIDE(.policy = (dbvh_policy)99 ), BAD,
	         "query.policy is 99, which is no dbvh_policy" );
	REFUSED( dbvh_collide_result, COLLIDE(.find = DBVH_FIND_ALL, .pair_capacity = 12 ), BAD,
	         "query.pairs is NULL, but query.pair_capacity is 12" );
	REFUSED( dbvh_collide_result, COLLIDE(.pair_begin = begin ), BAD,
	         "query.pair_begin is given, but this is no batch" );
	REFUSED( dbvh_collide_result, dbvh_collide( solid, &sheared_pose, solid, NULL, NULL, NULL, out, &error ),
	         DBVH_NOT_RIGID, "pose_a: the 3x3 part R is not a rotation" );
	REFUSED( dbvh_collide_result, dbvh_collide( solid, &near_by, solid, &sheared_pose, NULL, NULL, out, &error ),
	         DBVH_NOT_RIGID, "pose_b: the 3x3 part R is not a rotation" );
	REFUSED( dbvh_collide_result,
	         dbvh_self_collide( solid, &( dbvh_collide_query ){ .find = DBVH_FIND_CLOSEST }, NULL, out, &error ), BAD,
	         "query.find is DBVH_FIND_CLOSEST" );
	REFUSED( dbvh_clearance_result, NEAR(.max_distance = -1 ), BAD,
	         "query.max_distance is -1; it must not be negative" );
	REFUSED( dbvh_clearance_result, NEAR(.max_distance = NAN ), BAD, "query.max_distance is NaN" );
	REFUSED( dbvh_clearance_result, NEAR(.find = DBVH_FIND_CLOSEST ), BAD, "query.find is DBVH_FIND_CLOSEST" );
	REFUSED( dbvh_distance_result, DISTANCE(.relative_error = 2 ), BAD,
	         "query.relative_error is 2; it must be between 0 and 1" );
	REFUSED( dbvh_distance_result, DISTANCE(.absolute_error = INFINITY ), BAD,
	         "query.absolute_error is inf; it must be finite" );
	REFUSED( dbvh_distance_result, DISTANCE(.limit = -3 ), BAD, "query.limit is -3; it must not be negative" );
	REFUSED( dbvh_relate_result, dbvh_relate( solid, NULL, plain, NULL, NULL, NULL, out, &error ), DBVH_NO_TOPOLOGY,
	         "tree b was built without dbvh_tree_options.topology" );
	REFUSED( dbvh_relate_result,
	         dbvh_relate( solid, NULL, solid, NULL, &( dbvh_relate_query ){ .touch_gap = -1 }, NULL, out, &error ), BAD,
	         "query.touch_gap is -1; it must not be negative" );
	REFUSED( dbvh_separation, dbvh_separating_translation( plain, NULL, solid, NULL, NULL, contacts, out, &error ),
	         DBVH_NO_TOPOLOGY, "tree a was built without dbvh_tree_options.topology" );
	assert_int_equal( dbvh_contacts_find( solid, NULL, solid, NULL, NULL, NULL, &error ), BAD );
	assert_string_equal( error.text, "contacts is NULL" );
	dbvh_motion motion = dbvh_motion_translation( NULL, ( const double[3] ){ 1, 0, 0 } );
	motion.shift[2] = NAN;
	REFUSED( dbvh_toi_result, dbvh_time_of_impact( solid, &motion, solid, NULL, NULL, NULL, out, &error ),
	         DBVH_NOT_FINITE, "motion_a.shift[2] is NaN" );
	motion.shift[2] = 0;
	motion.angle = 1;
	REFUSED( dbvh_toi_result, dbvh_time_of_impact( solid, NULL, solid, &motion, NULL, NULL, out, &error ), BAD,
	         "motion_b.axis is zero, but .angle is not" );
	motion.angle = 2000;
	REFUSED( dbvh_toi_result, dbvh_time_of_impact( solid, NULL, solid, &motion, NULL, NULL, out, &error ), BAD,
	         "motion_b.angle is 2000; its size must be at most 1024" );
	REFUSED( dbvh_toi_result,
	         dbvh_time_of_impact( solid, NULL, solid, NULL, &( dbvh_toi_query ){ .start = 1.5 }, NULL, out, &error ),
	         BAD, "query.start is 1.5; it must be between 0 and 1" );
	REFUSED( dbvh_motion, dbvh_motion_between( NULL, &sheared_pose, NULL, out, &error ), DBVH_NOT_RIGID,
	         "to: the 3x3 part R is not a rotation" );
}

static void sentences_of_one_mesh( void **state ) {
	(void)state;
	const dbvh_ray ray = { { 0, 0, 0 }, { 1, INFINITY, 0 } };
	const double point[3] = { 0, 0, NAN };
	dbvh_shape s = { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 0, 0, 0 }, -1 } };
	REFUSED( dbvh_raycast_result, dbvh_raycast( solid, NULL, NULL, NULL, NULL, out, &error ), BAD, "ray is NULL" );
	REFUSED( dbvh_raycast_result, dbvh_raycast( solid, NULL, &ray, NULL, NULL, out, &error ), DBVH_NOT_FINITE,
	         "ray.direction[1] is infinite" );
	REFUSED( dbvh_raycast_result, dbvh_segment_cast( solid, NULL, (const dbvh_segment *)&ray, NULL, NULL, out, &error ),
	         DBVH_NOT_FINITE, "segment.to[1] is infinite" );
	REFUSED( dbvh_raycast_result,
	         dbvh_raycast( solid, NULL, &ray, &( dbvh_raycast_query ){ .hit_capacity = 3 }, NULL, out, &error ), BAD,
	         "query.hits is NULL, but query.hit_capacity is 3" );
	REFUSED( dbvh_closest_point_result, dbvh_closest_point( solid, NULL, point, NULL, NULL, out, &error ),
	         DBVH_NOT_FINITE, "point[2] is NaN" );
	REFUSED( dbvh_closest_point_result, dbvh_closest_point( solid, &sheared_pose, ray.from, NULL, NULL, out, &error ),
	         DBVH_NOT_RIGID, "pose: the 3x3 part R is not a rotation" );
	REFUSED( dbvh_collide_shape_result, dbvh_collide_shape( solid, NULL, &s, NULL, NULL, out, &error ), BAD,
	         "shape.as.sphere: the radius is negative" );
	s.kind = (dbvh_shape_kind)42;
	REFUSED( dbvh_collide_shape_result, dbvh_collide_shape( solid, NULL, &s, NULL, NULL, out, &error ), BAD,
	         "shape.kind is 42, which is no dbvh_shape_kind" );
	s = ( dbvh_shape ){ .kind = DBVH_SHAPE_KIND_ELLIPSOID };
	REFUSED( dbvh_collide_shape_result, dbvh_collide_shape( solid, NULL, &s, NULL, NULL, out, &error ), BAD,
	         "shape.as.ellipsoid: half is not above 0" );
	dbvh_location location = DBVH_LOCATION_INSIDE;
	assert_int_equal( dbvh_locate_point( plain, NULL, ray.from, &location, &error ), DBVH_NO_TOPOLOGY );
	assert_string_equal( error.text, "tree was built without dbvh_tree_options.topology" );
	assert_int_equal( location, DBVH_LOCATION_OUTSIDE );
	size_t loops = 9;
	assert_int_equal( dbvh_tree_open_loops( solid, 4, NULL, 0, NULL, 0, &loops, NULL, &error ), BAD );
	assert_string_equal( error.text, "component is 4, but the mesh has 1 components" );
	assert_int_equal( loops, 0 );
	assert_int_equal( dbvh_isa_select( "abacus", &error ), BAD );
	assert_string_equal( error.text,
	                     "name is \"abacus\", which is no instruction set that this machine and build have" );
	const dbvh_allocator half = { 0 };
	dbvh_workspace *none = workspace;
	assert_int_equal( dbvh_workspace_create( &half, &none, &error ), BAD );
	assert_string_equal( error.text, "allocator.alloc is NULL" );
	assert_null( none );
	assert_int_equal( dbvh_workspace_reserve( workspace, solid, NULL, 0, &error ), BAD );
	assert_string_equal( error.text, "tree b is NULL" );
	dbvh_ellipsoid fitted;
	assert_int_equal( dbvh_ellipsoid_fit( point, 1, NULL, &fitted, &error ), DBVH_NOT_FINITE );
	assert_string_equal( error.text, "point 0 has a coordinate that is NaN or infinite" );
	assert_int_equal( error.element, 0 );
}

static void sentences_of_batches( void **state ) {
	(void)state;
	const dbvh_batch_options alone = { .thread_count = 1 };
	const dbvh_pose poses[3] = { near_by, sheared_pose, near_by };
	dbvh_collide_result results[3];
	assert_int_equal( dbvh_collide_batch( solid, NULL, solid, poses, 3, NULL, &alone, results, &error ),
	                  DBVH_NOT_RIGID );
	assert_int_equal( error.element, 1 );
	assert_memory_equal( error.text, "poses_b[1]: the 3x3 part R is not a rotation", 44 );
	assert_true( results[0].status == DBVH_OK && results[1].status == DBVH_NOT_RIGID && results[2].status == DBVH_OK );
	const dbvh_collide_query three = { .thread_count = 3 };
	assert_int_equal( dbvh_collide_batch( solid, NULL, solid, poses, 3, &three, &alone, results, &error ), BAD );
	assert_string_equal( error.text, "query.thread_count is 3, but the threads of a batch are options.thread_count" );
	dbvh_pair pairs[4];
	dbvh_collide_query parts = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 4 };
	assert_int_equal( dbvh_collide_batch( solid, NULL, solid, poses, 1, &parts, &alone, results, &error ), BAD );
	assert_string_equal( error.text,
	                     "query.pair_begin is NULL, but query.pair_capacity is 4: a batch divides its room" );
	parts.pair_begin = ( const size_t[] ){ 3, 1 };
	assert_int_equal( dbvh_collide_batch( solid, NULL, solid, poses, 1, &parts, &alone, results, &error ), BAD );
	assert_string_equal( error.text, "query.pair_begin[0] is 3, and the next is 1" );
	parts.pair_begin = ( const size_t[] ){ 0, 5 };
	assert_int_equal( dbvh_collide_batch( solid, NULL, solid, poses, 1, &parts, &alone, results, &error ), BAD );
	assert_string_equal( error.text, "query.pair_begin ends with 5, but query.pair_capacity is 4" );

	dbvh_distance_result distances[3];
	assert_int_equal( dbvh_distance_batch( solid, NULL, solid, poses, 3, NULL, &alone, distances, &error ),
	                  DBVH_NOT_RIGID );
	assert_memory_equal( error.text, "poses_b[1]: the 3x3 part R is not a rotation", 44 );
	assert_true( error.element == 1 && distances[0].found && !distances[1].found && distances[2].found );
	assert_int_equal( dbvh_distance_batch( solid, &poses[1], solid, poses, 1, NULL, &alone, distances, &error ),
	                  DBVH_NOT_RIGID );
	assert_memory_equal( error.text, "pose_a: the 3x3 part R is not a rotation", 40 );
	assert_true( error.element == -1 && !distances[0].found );
	dbvh_clearance_result clearances[3];
	assert_int_equal( dbvh_check_clearance_batch( solid, NULL, solid, poses, 3, NULL, &alone, clearances, &error ),
	                  DBVH_NOT_RIGID );
	assert_memory_equal( error.text, "poses_b[1]: the 3x3 part R is not a rotation", 44 );
	assert_int_equal( clearances[1].status, DBVH_NOT_RIGID );
	dbvh_clearance_query near_parts = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 4 };
	assert_int_equal(
	    dbvh_check_clearance_batch( solid, NULL, solid, poses, 1, &near_parts, &alone, clearances, &error ), BAD );
	assert_string_equal( error.text,
	                     "query.pair_begin is NULL, but query.pair_capacity is 4: a batch divides its room" );
	near_parts.pair_begin = ( const size_t[] ){ 0, 4 };
	assert_int_equal( dbvh_check_clearance( solid, NULL, solid, poses, &near_parts, workspace, clearances, &error ),
	                  BAD );
	dbvh_relate_result relations[3];
	assert_int_equal( dbvh_relate_batch( solid, NULL, solid, poses, 3, NULL, &alone, relations, &error ),
	                  DBVH_NOT_RIGID );
	assert_memory_equal( error.text, "poses_b[1]: the 3x3 part R is not a rotation", 44 );
	assert_int_equal( relations[1].status, DBVH_NOT_RIGID );

	const dbvh_ray rays[2] = { { { -3, 0, 0 }, { 1, 0, 0 } }, { { NAN, 0, 0 }, { 1, 0, 0 } } };
	dbvh_raycast_result casts[2];
	assert_int_equal( dbvh_raycast_batch( solid, NULL, rays, 2, NULL, &alone, casts, &error ), DBVH_NOT_FINITE );
	assert_string_equal( error.text, "rays[1].from[0] is NaN" );
	assert_true( error.element == 1 && casts[0].intersects && !casts[1].intersects );
	const double points[6] = { 1, 2, 3, 0, -INFINITY, 0 };
	dbvh_closest_point_result closest[2];
	assert_int_equal( dbvh_closest_point_batch( solid, NULL, points, 2, NULL, &alone, closest, &error ),
	                  DBVH_NOT_FINITE );
	assert_string_equal( error.text, "points[1][1] is infinite" );
	assert_true( error.element == 1 && closest[0].found );
	dbvh_motion motions[2] = { dbvh_motion_translation( &near_by, NULL ), dbvh_motion_translation( &near_by, NULL ) };
	motions[1].angle = 1;
	dbvh_toi_result moved[2];
	assert_int_equal( dbvh_time_of_impact_batch( solid, NULL, solid, motions, 2, NULL, &alone, moved, &error ), BAD );
	assert_string_equal( error.text, "motions_b[1].axis is zero, but .angle is not" );
	assert_true( error.element == 1 && moved[0].verdict == DBVH_TOI_VERDICT_CLEAR );

	const double x[2] = { 0, 1 }, radius[2] = { 1, -1 };
	const dbvh_sphere_array spheres = { { x, x, x }, radius, 2 };
	uint8_t touching[2];
	assert_int_equal( dbvh_sphere_sphere_intersect_batch( &spheres, &spheres, touching, &error ), BAD );
	assert_string_equal( error.text, "a[1]: the radius is negative" );
	assert_true( error.element == 1 && touching[0] == 1 && touching[1] == 0 );
	const dbvh_sphere_array one = { { x, x, x }, radius, 1 }, three_of_them = { { x, x, x }, radius, 3 };
	assert_int_equal( dbvh_sphere_sphere_intersect_batch( &one, &spheres, touching, &error ), BAD );
	assert_string_equal( error.text, "b[1]: the radius is negative" );
	assert_int_equal( dbvh_sphere_sphere_intersect_batch( &spheres, &three_of_them, touching, &error ), BAD );
	assert_string_equal( error.text, "a.count is 2 and b.count is 3, and neither is 1" );
}

// ------------------------------------------------------------------------------------------------
// In place

static void conversions_in_place( void **state ) {
	(void)state;
	union {
		dbvh_box box;
		dbvh_obb obb;
		dbvh_sphere sphere;
		dbvh_capsule capsule;
		dbvh_aabb aabb;
	} u;
	const dbvh_aabb expected = { { 0, 1, 2 }, { 2, 3, 4 } };
	u.box = ( dbvh_box ){ { 1, 2, 3 }, { 1, 1, 1 } };
	assert_int_equal( dbvh_box_to_aabb( &u.box, &u.aabb ), DBVH_OK );
	assert_memory_equal( &u.aabb, &expected, sizeof expected );
	u.obb = ( dbvh_obb ){ { 1, 2, 3 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 1, 1, 1 } };
	assert_int_equal( dbvh_obb_to_aabb( &u.obb, &u.aabb ), DBVH_OK );
	assert_memory_equal( &u.aabb, &expected, sizeof expected );
	u.sphere = ( dbvh_sphere ){ { 1, 2, 3 }, 1 };
	assert_int_equal( dbvh_sphere_to_aabb( &u.sphere, &u.aabb ), DBVH_OK );
	assert_memory_equal( &u.aabb, &expected, sizeof expected );
	u.capsule = ( dbvh_capsule ){ { 0.5, 1.5, 3 }, { 1.5, 2.5, 3 }, 0.5 };
	assert_int_equal( dbvh_capsule_to_aabb( &u.capsule, &u.aabb ), DBVH_OK );
	const dbvh_aabb round = { { 0, 1, 2.5 }, { 2, 3, 3.5 } };
	assert_memory_equal( &u.aabb, &round, sizeof round );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown( defaults, set_up, tear_down ),
	    cmocka_unit_test( trees_by_default ),
	    cmocka_unit_test_setup_teardown( sentences_of_pairs, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( sentences_of_one_mesh, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( sentences_of_batches, set_up, tear_down ),
	    cmocka_unit_test( conversions_in_place ),
	};
	return test_main( argc, argv, tests );
}
