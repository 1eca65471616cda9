// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files through dbvh_scene_load(): robots against the same robot made by calls, scenes against scenes made by calls,
// refusals with their sentences, and the corpus of the fuzzers.

#include "dualbvh/io/load.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const dbvh_scene_query query = { .find = DBVH_FIND_ALL };

// Files of a test in the current folder.
static void put( const char *name, const char *text ) {
	FILE *file = fopen( name, "wb" );
	assert_non_null( file );
	assert_true( fputs( text, file ) >= 0 );
	assert_int_equal( fclose( file ), 0 );
}

static dbvh_status load_one( const char *file, const dbvh_load_options *options, dbvh_loaded **out,
                             dbvh_error *error ) {
	const dbvh_status status = dbvh_scene_load( &file, 1, options, out, error );
	assert_int_equal( error->status, status );
	assert_true( ( status == DBVH_OK ) == ( *out != NULL ) );
	assert_true( ( status == DBVH_OK ) == ( error->text[0] == '\0' ) );
	return status;
}

static void refuse_one( const char *file, const dbvh_load_options *options, dbvh_status status, const char *sentence ) {
	dbvh_loaded *loaded;
	dbvh_error error;
	assert_int_equal( load_one( file, options, &loaded, &error ), status );
	if ( strstr( error.text, sentence ) == NULL )
		fail_msg( "instead of \"%s\": %s", sentence, error.text );
}

// Skips what this build has no reader for.
static bool reads( const char *ending ) {
	if ( dbvh_load_reads( ending ) )
		return true;
	printf( "this build reads no %s\n", ending );
	return false;
}

static void test_endings( void **state ) {
	(void)state;
	assert_true( dbvh_load_reads( "stl" ) && dbvh_load_reads( "OBJ" ) && dbvh_load_reads( "ply" ) );
	assert_false( dbvh_load_reads( "docx" ) || dbvh_load_reads( "" ) || dbvh_load_reads( NULL ) );
	assert_false( dbvh_load_reads( "an ending that is much too long" ) );
	assert_int_equal( dbvh_load_reads( "urdf" ), dbvh_load_reads( "srdf" ) );
	assert_int_equal( dbvh_load_reads( "gltf" ), dbvh_load_reads( "json" ) );
}

// ------------------------------------------------------------------------------------------------
// Meshes

static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static void test_mesh_files( void **state ) {
	(void)state;
	const char *const files[] = { "test_load_b.obj", "test_load_a.obj", "test_load_a.obj" };
	put( files[0], "o lid\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 1 2 3\no base\nv 5 0 4\nv 6 0 4\nv 5 1 4\nf 4 5 6\n" );
	put( files[1], tetrahedron );
	dbvh_load_options options = dbvh_load_options_default();
	options.split = DBVH_LOAD_SPLIT_AUTO;
	dbvh_loaded *l;
	dbvh_error error;
	assert_int_equal( dbvh_scene_load( files, 2, &options, &l, &error ), DBVH_OK );
	assert_int_equal( dbvh_loaded_count( l, DBVH_LOADED_KIND_BODY ), 3 );
	assert_string_equal( dbvh_loaded_name( l, DBVH_LOADED_KIND_BODY, 0 ), "test_load_a" );
	assert_string_equal( dbvh_loaded_name( l, DBVH_LOADED_KIND_BODY, 1 ), "test_load_b/base" );
	assert_int_equal( dbvh_loaded_find( l, DBVH_LOADED_KIND_BODY, "test_load_b/lid" ), 2 );
	assert_int_equal( dbvh_loaded_find( l, DBVH_LOADED_KIND_BODY, "lid" ), DBVH_NO_BODY );
	assert_int_equal( dbvh_mesh_get_view( dbvh_loaded_mesh( l, 0 ) ).triangle_count, 4 );
	assert_null( dbvh_loaded_mesh( l, 3 ) );
	assert_null( dbvh_loaded_robot( l ) );
	assert_true( dbvh_loaded_metres( l ) == 0.0 );
	dbvh_scene_distance_result nearest;
	assert_int_equal( dbvh_scene_distance( dbvh_loaded_scene( l ), NULL, &nearest, NULL ), DBVH_OK );
	assert_true( nearest.a == 0 && nearest.b == 2 );
	dbvh_loaded_destroy( l );
	// The same file twice: bodies of one path.
	assert_int_equal( dbvh_scene_load( files, 3, NULL, &l, &error ), DBVH_OK );
	assert_int_equal( dbvh_loaded_count( l, DBVH_LOADED_KIND_BODY ), 3 );
	dbvh_scene_result found;
	assert_int_equal( dbvh_scene_collide( dbvh_loaded_scene( l ), &query, NULL, 0, &found, NULL ), DBVH_OK );
	assert_int_equal( found.found_count, 1 );
	dbvh_loaded_destroy( l );
	remove( files[0] );
	remove( files[1] );
}

// ------------------------------------------------------------------------------------------------
// Robots

static const char arm[] =
    "<robot name='arm'>\n"
    "<link name='base'><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>\n"
    "<link name='upper'><collision><origin xyz='0.5 0 0'/><geometry><box size='0.8 0.1 0.1'/></geometry></collision>\n"
    "</link>\n"
    "<link name='lower'><collision><origin xyz='0.5 0 0'/><geometry><box size='0.8 0.1 0.1'/></geometry></collision>\n"
    "</link>\n"
    "<link name='hand'><collision><geometry><box size='0.1 0.3 0.1'/></geometry></collision></link>\n"
    "<link name='wheel'/>\n"
    "<joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/><axis xyz='0 0 1'/>"
    "<limit lower='-2' upper='2.5'/></joint>\n"
    "<joint name='elbow' type='continuous'><parent link='upper'/><child link='lower'/><origin xyz='1 0 0'/>"
    "<axis xyz='0 0 1'/></joint>\n"
    "<joint name='wrist' type='prismatic'><parent link='lower'/><child link='hand'/><origin xyz='1 0 0'/>"
    "<axis xyz='1 0 0'/><limit lower='0' upper='1'/><mimic joint='shoulder' multiplier='0.1' offset='0.05'/></joint>\n"
    "<joint name='axle' type='floating'><parent link='base'/><child link='wheel'/></joint>\n"
    "</robot>\n";
static const char groups[] = "<robot name='arm'>\n"
                             "<group_state name='folded' group='all'><joint name='elbow' value='3'/></group_state>\n"
                             "<disable_collisions link1='base' link2='upper' reason='Adjacent'/>\n"
                             "<disable_collisions link1='upper' link2='lower'/>\n"
                             "<disable_collisions link1='lower' link2='hand'/>\n"
                             "</robot>\n";

static size_t collisions_at( dbvh_loaded *l, const double *q, dbvh_body_pair *first ) {
	dbvh_configuration_result result;
	assert_int_equal( dbvh_robot_collide_batch( dbvh_loaded_robot( l ), dbvh_loaded_scene( l ),
	                                            DBVH_ROBOT_LAYOUT_ANGLES, q, 1, NULL, &result, NULL ),
	                  DBVH_OK );
	*first = result.first;
	return result.pair_count;
}

static void test_arm( void **state ) {
	(void)state;
	if ( !reads( "urdf" ) )
		return;
	put( "test_load_arm.urdf", arm );
	put( "test_load_arm.srdf", groups );
	dbvh_load_options options = dbvh_load_options_default();
	options.srdf = "test_load_arm.srdf";
	options.state = "folded";
	dbvh_loaded *l;
	dbvh_error error;
	dbvh_joint joint;
	assert_int_equal( load_one( "test_load_arm.urdf", &options, &l, &error ), DBVH_OK );
	const dbvh_robot *robot = dbvh_loaded_robot( l );
	const uint32_t upper = dbvh_loaded_find( l, DBVH_LOADED_KIND_LINK, "upper" ),
	               elbow = dbvh_loaded_find( l, DBVH_LOADED_KIND_JOINT, "elbow" ),
	               hand = dbvh_loaded_find( l, DBVH_LOADED_KIND_LINK, "hand" ),
	               axle = dbvh_loaded_find( l, DBVH_LOADED_KIND_JOINT, "axle" );
	assert_int_equal( dbvh_loaded_find( l, DBVH_LOADED_KIND_JOINT, "shoulder" ), upper );
	assert_string_equal( dbvh_loaded_name( l, DBVH_LOADED_KIND_LINK, elbow ), "lower" );
	assert_string_equal( dbvh_loaded_name( l, DBVH_LOADED_KIND_JOINT, 0 ), "" ); // of the base
	assert_true( dbvh_robot_get_link( robot, upper, NULL, NULL, &joint ) && joint.kind == DBVH_JOINT_KIND_REVOLUTE &&
	             joint.has_limits && joint.lower == -2.0 && joint.upper == 2.5 );
	assert_true( dbvh_robot_get_link( robot, elbow, NULL, NULL, &joint ) && joint.kind == DBVH_JOINT_KIND_CONTINUOUS &&
	             !joint.has_limits );
	assert_true( dbvh_robot_get_link( robot, axle, NULL, NULL, &joint ) && joint.kind == DBVH_JOINT_KIND_FLOATING );
	uint32_t followed;
	double factor, offset;
	assert_true( dbvh_robot_get_followed( robot, hand, &followed, &factor, &offset ) );
	assert_true( followed == upper && factor == 0.1 && offset == 0.05 );
	assert_int_equal( dbvh_robot_width( robot, DBVH_ROBOT_LAYOUT_ANGLES ), 9 );
	assert_int_equal( dbvh_loaded_count( l, DBVH_LOADED_KIND_NOTE ), 0 );
	assert_true( dbvh_loaded_metres( l ) == 1.0 );

	double q[10];
	assert_true( dbvh_loaded_get_state( l, 0, DBVH_ROBOT_LAYOUT_PINOCCHIO, q ) );
	const size_t turn = dbvh_robot_column( robot, elbow, DBVH_ROBOT_LAYOUT_PINOCCHIO );
	assert_true( fabs( q[turn] - cos( 3.0 ) ) < 1e-15 && fabs( q[turn + 1] - sin( 3.0 ) ) < 1e-15 );
	assert_false( dbvh_loaded_get_state( l, 1, DBVH_ROBOT_LAYOUT_ANGLES, q ) );
	assert_true( dbvh_loaded_get_state( l, 0, DBVH_ROBOT_LAYOUT_ANGLES, q ) );
	// The bodies stand in that state, and folded by 3 radians the hand is at the base; stretched it is not.
	dbvh_scene_result found;
	dbvh_body_pair first;
	assert_int_equal( dbvh_scene_collide( dbvh_loaded_scene( l ), &query, NULL, 0, &found, NULL ), DBVH_OK );
	assert_int_equal( found.found_count, 1 );
	assert_int_equal( collisions_at( l, q, &first ), 1 );
	assert_string_equal( dbvh_loaded_name( l, DBVH_LOADED_KIND_BODY, first.a ), "base" );
	assert_string_equal( dbvh_loaded_name( l, DBVH_LOADED_KIND_BODY, first.b ), "hand" );
	q[dbvh_robot_column( robot, elbow, DBVH_ROBOT_LAYOUT_ANGLES )] = 0.0;
	assert_int_equal( collisions_at( l, q, &first ), 0 );
	dbvh_loaded_destroy( l );

	// A base that floats; without the SRDF neighbours may meet all the same.
	options = dbvh_load_options_default();
	options.base = DBVH_JOINT_KIND_FLOATING;
	assert_int_equal( load_one( "test_load_arm.urdf", &options, &l, &error ), DBVH_OK );
	assert_int_equal( dbvh_robot_width( dbvh_loaded_robot( l ), DBVH_ROBOT_LAYOUT_ANGLES ), 16 );
	assert_int_equal( dbvh_scene_collide( dbvh_loaded_scene( l ), &query, NULL, 0, &found, NULL ), DBVH_OK );
	assert_int_equal( found.found_count, 0 );
	dbvh_loaded_destroy( l );

	options.base = DBVH_JOINT_KIND_REVOLUTE;
	refuse_one( "test_load_arm.urdf", &options, DBVH_INVALID_ARGUMENT, "options->base" );
	options = dbvh_load_options_default();
	options.state = "stretched";
	refuse_one( "test_load_arm.urdf", &options, DBVH_INVALID_ARGUMENT, "there is no state 'stretched'" );
	options.state = NULL;
	options.srdf = "test_load_none.srdf";
	refuse_one( "test_load_arm.urdf", &options, DBVH_IO, "test_load_none.srdf: " );
	options.srdf = "test_load_arm.urdf";
	refuse_one( "test_load_arm.urdf", &options, DBVH_UNKNOWN_FORMAT, "test_load_arm.urdf:2: " );
	remove( "test_load_arm.urdf" );
	remove( "test_load_arm.srdf" );
}

// A random robot as text, and the same one made by calls.
typedef struct twin {
	char text[1 << 16];
	size_t length;
	dbvh_robot *robot;
	dbvh_joint_kind kinds[24];
	bool follows[24];
} twin;

static void say( twin *t, const char *format, ... ) {
	va_list arguments;
	va_start( arguments, format );
	t->length += (size_t)vsnprintf( t->text + t->length, sizeof t->text - t->length, format, arguments );
	va_end( arguments );
	assert_true( t->length < sizeof t->text );
}

static void say_joint( twin *t, rng *r, uint32_t link ) {
	static const char *const types[] = { "fixed", "revolute", "continuous", "prismatic", "planar", "floating" };
	const dbvh_joint_kind kind = (dbvh_joint_kind)rng_below( r, DBVH_JOINT_KIND_COUNT );
	const uint32_t parent = (uint32_t)rng_below( r, link );
	const double pos[3] = { rng_range( r, -1, 1 ), rng_range( r, -1, 1 ), rng_range( r, -1, 1 ) };
	const double rpy[3] = { rng_range( r, -3, 3 ), rng_range( r, -3, 3 ), rng_range( r, -3, 3 ) };
	// The axis is of unit length to the bit: reading it changes nothing.
	dbvh_joint joint = { .kind = kind };
	joint.axis[rng_below( r, 3 )] = rng_below( r, 2 ) ? 1.0 : -1.0;
	const bool has_limits = kind == DBVH_JOINT_KIND_PRISMATIC || kind == DBVH_JOINT_KIND_REVOLUTE;
	joint.lower = rng_range( r, -3, 0 );
	joint.upper = rng_range( r, 0, 3 );
	say( t, "<joint name='j%u' type='%s'><parent link='l%u'/><child link='l%u'/>", link, types[kind], parent, link );
	say( t, "<origin xyz='%.17g %.17g %.17g' rpy='%.17g %.17g %.17g'/>", pos[0], pos[1], pos[2], rpy[0], rpy[1],
	     rpy[2] );
	say( t, "<axis xyz='%g %g %g'/>", joint.axis[0], joint.axis[1], joint.axis[2] );
	if ( has_limits )
		say( t, "<limit lower='%.17g' upper='%.17g'/>", joint.lower, joint.upper );
	// A mimic of an earlier joint that moves by one number and follows none.
	const uint32_t other = 1 + (uint32_t)rng_below( r, link );
	t->follows[link] = other < link && rng_below( r, 2 ) == 0 && ( has_limits || kind == DBVH_JOINT_KIND_CONTINUOUS ) &&
	                   !t->follows[other] &&
	                   ( t->kinds[other] == DBVH_JOINT_KIND_REVOLUTE || t->kinds[other] == DBVH_JOINT_KIND_PRISMATIC );
	const double factor = rng_range( r, -2, 2 ), offset = rng_range( r, -1, 1 );
	if ( t->follows[link] )
		say( t, "<mimic joint='j%u' multiplier='%.17g' offset='%.17g'/>", other, factor, offset );
	say( t, "</joint>\n" );
	t->kinds[link] = kind;

	const dbvh_pose origin = dbvh_pose_from_rpy( rpy, pos );
	joint.has_limits = has_limits;
	assert_int_equal( dbvh_robot_add_link( t->robot, parent, &origin, &joint, NULL, NULL ), DBVH_OK );
	if ( t->follows[link] )
		assert_int_equal( dbvh_robot_follow( t->robot, link, other, factor, offset, NULL ), DBVH_OK );
}

static void make_twin( twin *t, rng *r, uint32_t links ) {
	memset( t, 0, sizeof *t );
	assert_int_equal( dbvh_robot_create( NULL, &t->robot, NULL ), DBVH_OK );
	const dbvh_joint base = { .kind = DBVH_JOINT_KIND_PLANAR };
	assert_int_equal( dbvh_robot_add_link( t->robot, DBVH_NO_LINK, NULL, &base, NULL, NULL ), DBVH_OK );
	say( t, "<robot name='r'>\n" );
	for ( uint32_t i = 0; i < links; ++i )
		say( t, "<link name='l%u'><collision><geometry><box size='1 1 1'/></geometry></collision></link>\n", i );
	for ( uint32_t i = 1; i < links; ++i )
		say_joint( t, r, i );
	say( t, "</robot>\n" );
}

static void fill_row( const dbvh_robot *robot, rng *r, double *q ) {
	for ( uint32_t i = 0; i < dbvh_robot_link_count( robot ); ++i ) {
		dbvh_joint joint;
		assert_true( dbvh_robot_get_link( robot, i, NULL, NULL, &joint ) );
		const size_t at = dbvh_robot_column( robot, i, DBVH_ROBOT_LAYOUT_ANGLES );
		const size_t end = joint.kind == DBVH_JOINT_KIND_FLOATING ? 7 : joint.kind == DBVH_JOINT_KIND_PLANAR ? 3 : 1;
		for ( size_t k = 0; at != DBVH_NO_COLUMN && k < end; ++k )
			q[at + k] = end == 7 && k > 2 ? 0.5 : rng_range( r, -2, 2 );
	}
}

// Links are numbered parents first: the one of a name has the same joint and stands at the same place, to the bit.
static void compare_twins( const twin *t, dbvh_loaded *l, rng *r ) {
	enum { MOST = 24 };
	dbvh_robot *read = dbvh_loaded_robot( l );
	const size_t links = dbvh_robot_link_count( t->robot );
	double q[7 * MOST], other[7 * MOST];
	dbvh_pose poses[MOST], read_poses[MOST], bodies[MOST];
	assert_int_equal( dbvh_robot_link_count( read ), links );
	assert_int_equal( dbvh_robot_width( read, 0 ), dbvh_robot_width( t->robot, 0 ) );
	assert_int_equal( dbvh_robot_width( read, 1 ), dbvh_robot_width( t->robot, 1 ) );
	fill_row( t->robot, r, q );
	for ( uint32_t i = 0; i < links; ++i ) {
		char name[16];
		dbvh_joint joint, expected;
		snprintf( name, sizeof name, "l%u", i );
		const uint32_t at = dbvh_loaded_find( l, DBVH_LOADED_KIND_LINK, name );
		assert_true( dbvh_robot_get_link( read, at, NULL, NULL, &joint ) );
		assert_true( dbvh_robot_get_link( t->robot, i, NULL, NULL, &expected ) );
		assert_true( joint.kind == expected.kind && joint.has_limits == expected.has_limits );
		assert_true( !joint.has_limits || ( joint.lower == expected.lower && joint.upper == expected.upper ) );
		const size_t from = dbvh_robot_column( t->robot, i, 0 ), to = dbvh_robot_column( read, at, 0 );
		const size_t width = joint.kind == DBVH_JOINT_KIND_FLOATING ? 7 : joint.kind == DBVH_JOINT_KIND_PLANAR ? 3 : 1;
		for ( size_t k = 0; from != DBVH_NO_COLUMN && k < width; ++k )
			other[to + k] = q[from + k];
	}
	assert_int_equal( dbvh_robot_place( t->robot, 0, q, 1, poses, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_place( read, 0, other, 1, read_poses, bodies, NULL ), DBVH_OK );
	for ( uint32_t i = 0; i < links; ++i ) {
		char name[16];
		snprintf( name, sizeof name, "l%u", i );
		assert_memory_equal( &poses[i], &read_poses[dbvh_loaded_find( l, DBVH_LOADED_KIND_LINK, name )],
		                     sizeof poses[i] );
		assert_memory_equal( &poses[i], &bodies[dbvh_loaded_find( l, DBVH_LOADED_KIND_BODY, name )], sizeof poses[i] );
	}
}

static void test_random_robots( void **state ) {
	(void)state;
	if ( !reads( "urdf" ) )
		return;
	static twin t;
	rng r = rng_announce( "load", 11 );
	dbvh_load_options options = dbvh_load_options_default();
	options.base = DBVH_JOINT_KIND_PLANAR;
	size_t joints = 0, following = 0;
	for ( size_t round = rounds( 60 ); round-- > 0; ) {
		dbvh_loaded *l;
		dbvh_error error;
		make_twin( &t, &r, 2 + (uint32_t)rng_below( &r, 12 ) );
		put( "test_load_twin.urdf", t.text );
		assert_int_equal( load_one( "test_load_twin.urdf", &options, &l, &error ), DBVH_OK );
		compare_twins( &t, l, &r );
		for ( size_t i = 1; i < dbvh_robot_link_count( t.robot ); ++i ) {
			++joints;
			following += t.follows[i];
		}
		dbvh_loaded_destroy( l );
		dbvh_robot_destroy( t.robot );
	}
	printf( "%zu joints, %zu of which follow another\n", joints, following );
	remove( "test_load_twin.urdf" );
}

// The robots of data/ in their named states: those that README.md there says are clear, and those that collide.
static void test_sample_robots( void **state ) {
	(void)state;
	if ( !reads( "urdf" ) )
		return;
	dbvh_load_options options = dbvh_load_options_default();
	options.srdf = DATA "/robots/arm.srdf";
	dbvh_loaded *l;
	dbvh_error error;
	assert_int_equal( load_one( DATA "/robots/arm.urdf", &options, &l, &error ), DBVH_OK );
	double q[16];
	dbvh_body_pair first;
	const uint32_t zero = dbvh_loaded_find( l, DBVH_LOADED_KIND_STATE, "zero" ),
	               folded = dbvh_loaded_find( l, DBVH_LOADED_KIND_STATE, "folded" );
	assert_true( dbvh_loaded_get_state( l, zero, DBVH_ROBOT_LAYOUT_ANGLES, q ) );
	assert_int_equal( collisions_at( l, q, &first ), 0 );
	assert_true( dbvh_loaded_get_state( l, folded, DBVH_ROBOT_LAYOUT_ANGLES, q ) );
	assert_int_equal( collisions_at( l, q, &first ), 1 );
	dbvh_loaded_destroy( l );
}

// ------------------------------------------------------------------------------------------------
// Scenes

static const char scene[] =
    "{ \"schema\": \"dualbvh.scene/1\", \"unit\": \"mm\", \"bodies\": [\n"
    "{ \"name\": \"a\", \"file\": \"test_load_c.obj\", \"properties\": { \"class\": \"pin\" } },\n"
    "{ \"name\": \"b\", \"file\": \"test_load_c.obj\", \"pose\": { \"translation\": [1.5, 0, 0] } },\n"
    "{ \"name\": \"c\", \"file\": \"test_load_c.obj\", \"pose\": { \"translation\": [0.25, 0, 0] } } ],\n"
    "\"rules\": [ { \"a\": \"a\", \"b\": \"b\", \"clearance\": 0.6 },\n"
    "{ \"a\": \"a\", \"b\": \"c\", \"allow\": true } ] }\n";

// The rules hold where bodies are moved to, too.
static void test_json_scene( void **state ) {
	(void)state;
	if ( !reads( "json" ) )
		return;
	put( "test_load_c.obj", tetrahedron );
	put( "test_load.json", scene );
	dbvh_loaded *l;
	dbvh_error error;
	dbvh_clash clashes[4];
	dbvh_scene_result found;
	const char *key, *value;
	if ( load_one( "test_load.json", NULL, &l, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	dbvh_scene *made = dbvh_loaded_scene( l );
	assert_true( dbvh_loaded_metres( l ) == 0.001 );
	assert_true( dbvh_loaded_get_property( l, 0, 0, &key, &value ) );
	assert_string_equal( key, "class" );
	assert_string_equal( value, "pin" );
	assert_false( dbvh_loaded_get_property( l, 0, 1, &key, &value ) );
	assert_false( dbvh_loaded_get_property( l, 9, 0, &key, &value ) );
	assert_int_equal( dbvh_scene_clashes( made, &query, clashes, 4, &found, NULL ), DBVH_OK );
	assert_int_equal( found.found_count, 1 );
	assert_true( clashes[0].a == 0 && clashes[0].b == 1 && clashes[0].kind == DBVH_CLASH_KIND_CLEARANCE &&
	             clashes[0].distance == 0.5 );
	uint32_t a, b;
	dbvh_pair_rule rule;
	for ( size_t i = 0; i < 2; ++i ) {
		dbvh_pair_rule held;
		assert_true( dbvh_loaded_get_rule( l, i, &a, &b, &rule ) );
		assert_true( a == 0 && b == i + 1 && rule.may_collide == ( i == 1 ) &&
		             rule.clearance == ( i == 1 ? 0.0 : 0.6 ) );
		dbvh_scene_get_rule( made, a, b, &held );
		assert_true( held.may_collide == rule.may_collide && held.clearance == rule.clearance );
	}
	assert_false( dbvh_loaded_get_rule( l, 2, NULL, NULL, NULL ) );
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = 1.75;
	assert_int_equal( dbvh_scene_set_pose( made, 2, &pose, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_clashes( made, &query, clashes, 4, &found, NULL ), DBVH_OK );
	assert_int_equal( found.found_count, 2 );
	assert_true( clashes[1].a == 1 && clashes[1].b == 2 );
	dbvh_loaded_destroy( l );
	remove( "test_load_c.obj" );
	remove( "test_load.json" );
}

// The samples of data/: a rack of glTF with a hook, which has room by one rule, and a build plate.
static void test_sample_scenes( void **state ) {
	(void)state;
	dbvh_loaded *l;
	dbvh_error error;
	dbvh_scene_result found;
	dbvh_clash clashes[8];
	if ( reads( "gltf" ) ) {
		assert_int_equal( load_one( DATA "/scenes/rack.json", NULL, &l, &error ), DBVH_OK );
		assert_true( dbvh_loaded_find( l, DBVH_LOADED_KIND_BODY, "rack/board" ) != DBVH_NO_BODY );
		assert_true( dbvh_loaded_metres( l ) == 1.0 );
		assert_int_equal( dbvh_scene_clashes( dbvh_loaded_scene( l ), &query, clashes, 8, &found, NULL ), DBVH_OK );
		assert_int_equal( found.found_count, 2 );
		dbvh_loaded_destroy( l );
	}
	if ( reads( "3mf" ) ) {
		assert_int_equal( load_one( DATA "/plate.3mf", NULL, &l, &error ), DBVH_OK );
		assert_true( dbvh_loaded_count( l, DBVH_LOADED_KIND_BODY ) > 1 );
		assert_true( dbvh_loaded_metres( l ) == 0.001 );
		dbvh_loaded_destroy( l );
	}
}

// ------------------------------------------------------------------------------------------------
// Refusals

static bool stop( void *user, size_t done, size_t total ) {
	assert_true( done <= total );
	++*(size_t *)user;
	return false;
}

static void test_refusals( void **state ) {
	(void)state;
	dbvh_loaded *l;
	dbvh_error error;
	dbvh_load_options options = dbvh_load_options_default();
	const char *const nothing = NULL;
	put( "test_load_d.obj", tetrahedron );
	put( "test_load_bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 x\nf 1 2 3\n" );
	refuse_one( "test_load_none.stl", NULL, DBVH_IO, "test_load_none.stl: " );
	refuse_one( "test_load_bad.obj", NULL, DBVH_MALFORMED, "test_load_bad.obj:3: " );
	assert_int_equal( dbvh_scene_load( &nothing, 1, NULL, &l, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_load( &nothing, 0, NULL, &l, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_load( NULL, 1, NULL, &l, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_load( NULL, 1, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	options.split = DBVH_LOAD_SPLIT_COUNT;
	refuse_one( "test_load_d.obj", &options, DBVH_INVALID_ARGUMENT, "options->split" );
	options = dbvh_load_options_default();
	options.sag = -1.0;
	refuse_one( "test_load_d.obj", &options, DBVH_INVALID_ARGUMENT, "options->sag" );
	options.sag = 0.0;
	const char *const packages[] = { "here" };
	options.packages = packages;
	options.package_count = 1;
	refuse_one( "test_load_d.obj", &options, DBVH_INVALID_ARGUMENT, "\"name=folder\"" );
	options = dbvh_load_options_default();
	options.srdf = "test_load_d.obj";
	refuse_one( "test_load_d.obj", &options, DBVH_INVALID_ARGUMENT, "no file has one" );
	options = dbvh_load_options_default();
	size_t calls = 0;
	options.progress = stop;
	options.user = &calls;
	refuse_one( "test_load_d.obj", &options, DBVH_CANCELLED, "" );
	assert_true( calls > 0 );
	remove( "test_load_d.obj" );
	remove( "test_load_bad.obj" );

	assert_int_equal( dbvh_loaded_count( NULL, DBVH_LOADED_KIND_BODY ), 0 );
	assert_null( dbvh_loaded_name( NULL, DBVH_LOADED_KIND_BODY, 0 ) );
	assert_int_equal( dbvh_loaded_find( NULL, DBVH_LOADED_KIND_BODY, "a" ), UINT32_MAX );
	assert_null( dbvh_loaded_scene( NULL ) );
	assert_null( dbvh_loaded_robot( NULL ) );
	assert_null( dbvh_loaded_mesh( NULL, 0 ) );
	assert_true( dbvh_loaded_metres( NULL ) == 0.0 );
	assert_false( dbvh_loaded_get_rule( NULL, 0, NULL, NULL, NULL ) );
	assert_false( dbvh_loaded_get_state( NULL, 0, DBVH_ROBOT_LAYOUT_ANGLES, NULL ) );
	dbvh_loaded_destroy( NULL );
}

// A mesh of 300 triangles, scaled in 50 ways by a scene of a few lines: above one MiB; and a file outside of the
// folder.
static void test_strangers( void **state ) {
	(void)state;
	if ( !reads( "json" ) )
		return;
	char text[8192];
	size_t length = (size_t)sprintf( text, "{ \"schema\": \"dualbvh.scene/1\", \"bodies\": [" );
	for ( int i = 0; i < 50; ++i )
		length +=
		    (size_t)sprintf( text + length, "%s{ \"name\": \"b%d\", \"file\": \"test_load_e.obj\", \"scale\": %d.5 }",
		                     i > 0 ? ",\n" : "", i, i );
	strcpy( text + length, "] }" );
	put( "test_load_many.json", text );
	FILE *file = fopen( "test_load_e.obj", "wb" );
	assert_non_null( file );
	for ( int i = 0; i < 300; ++i )
		fprintf( file, "v %d 0 0\nv %d 1 0\nv %d 0 1\nf -1 -2 -3\n", i, i, i );
	assert_int_equal( fclose( file ), 0 );
	dbvh_load_options options = dbvh_load_options_default();
	dbvh_loaded *l;
	dbvh_error error;
	assert_int_equal( load_one( "test_load_many.json", &options, &l, &error ), DBVH_OK );
	dbvh_loaded_destroy( l );
	options.most_memory = 1;
	refuse_one( "test_load_many.json", &options, DBVH_LIMIT, "test_load_many.json" );

#ifndef _WIN32
	put( "test_load_out.json",
	     "{ \"schema\": \"dualbvh.scene/1\", \"bodies\": [ { \"name\": \"b\", \"file\": \"/etc/passwd\" } ] }" );
	refuse_one( "test_load_out.json", NULL, DBVH_IO, "outside" );
	options = dbvh_load_options_default();
	options.allow_outside = true;
	refuse_one( "test_load_out.json", &options, DBVH_UNKNOWN_FORMAT, "test_load_out.json: " );
	remove( "test_load_out.json" );
#endif
	remove( "test_load_many.json" );
	remove( "test_load_e.obj" );
}

// ------------------------------------------------------------------------------------------------
// The corpus of the fuzzers

static void test_corpus( void **state ) {
	(void)state;
	static const struct {
		const char *ending, *files[16];
	} formats[] = {
	    { "gltf",
	      { "gltf/chunk", "gltf/circle", "gltf/data_uri", "gltf/draco", "gltf/index", "gltf/instances", "gltf/length",
	        "gltf/other_file", "gltf/plain", "gltf/sparse", "gltf/strip", "gltf/text", "gltf/tree" } },
	    { "json",
	      { "scene_json/all", "scene_json/circle", "scene_json/empty", "scene_json/mirror", "scene_json/plain",
	        "scene_json/pose", "scene_json/rule", "scene_json/unknown" } },
	    { "urdf",
	      { "urdf/arm.urdf", "urdf/collada.urdf", "urdf/deep.urdf", "urdf/entities.urdf", "urdf/huge.urdf",
	        "urdf/loop.urdf", "urdf/meshes.urdf", "urdf/mimic.urdf", "urdf/mimic_loop.urdf", "urdf/missing.urdf",
	        "urdf/utf16.urdf" } },
	    { "3mf",
	      { "3mf/bomb.3mf", "3mf/bzip2.3mf", "3mf/deflated.3mf", "3mf/empty.3mf", "3mf/labels.3mf",
	        "3mf/missing_part.3mf", "3mf/stored.3mf" } },
	};
	size_t all = 0;
	for ( size_t i = 0; i < sizeof formats / sizeof *formats; ++i ) {
		size_t taken = 0, refused = 0;
		if ( !reads( formats[i].ending ) )
			continue;
		for ( size_t k = 0; k < 16 && formats[i].files[k] != NULL; ++k ) {
			char path[1024];
			dbvh_loaded *l;
			dbvh_error error;
			dbvh_scene_result found;
			snprintf( path, sizeof path, CORPUS "/%s", formats[i].files[k] );
			if ( load_one( path, NULL, &l, &error ) == DBVH_OK ) {
				++taken;
				assert_int_equal( dbvh_scene_collide( dbvh_loaded_scene( l ), &query, NULL, 0, &found, NULL ),
				                  DBVH_OK );
			} else {
				++refused;
				assert_non_null( strstr( error.text, ": " ) );
			}
			dbvh_loaded_destroy( l );
		}
		printf( "%s: %zu taken, %zu refused\n", formats[i].ending, taken, refused );
		assert_true( refused > 0 );
		all += taken;
	}
	assert_true( all > 0 || !dbvh_load_reads( "gltf" ) );
}

#ifdef HAS_CPP
int load_in_cpp( const char *folder );

static void test_cpp( void **state ) {
	(void)state;
	assert_int_equal( load_in_cpp( DATA ), 0 );
}
#endif

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_endings ),       cmocka_unit_test( test_mesh_files ),
	    cmocka_unit_test( test_arm ),           cmocka_unit_test( test_random_robots ),
	    cmocka_unit_test( test_sample_robots ), cmocka_unit_test( test_json_scene ),
	    cmocka_unit_test( test_sample_scenes ), cmocka_unit_test( test_refusals ),
	    cmocka_unit_test( test_strangers ),     cmocka_unit_test( test_corpus ),
#ifdef HAS_CPP
	    cmocka_unit_test( test_cpp ),
#endif
	};
	return test_main( argc, argv, tests );
}
