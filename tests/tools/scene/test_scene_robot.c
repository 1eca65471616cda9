// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Robots: what URDF and SRDF files become, and what is refused.

#include "memory_source.h"
#include "support/unit.h"

#include <math.h>
#include <stdlib.h>

static const memory_file mesh_files[] = {
    { "package://parts/tetra.obj", tetrahedron_obj },
    { "tetra.obj", tetrahedron_obj },
    { "broken.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n" },
    { "words.txt", "what is this?" },
};

static dbvh_status read_urdf( const char *text, scene_model *model, dbvh_error *error, memory_files *files ) {
	*files = ( memory_files ){ .files = mesh_files, .count = sizeof mesh_files / sizeof mesh_files[0] };
	const scene_source source = memory_source( files );
	const dbvh_status status = scene_read_urdf( (const unsigned char *)text, strlen( text ), &source, model, error );
	assert_int_equal( files->opened, files->released );
	assert_int_equal( status, error->status );
	return status;
}

static void read_good( const char *text, scene_model *model, memory_files *files ) {
	dbvh_error error;
	if ( read_urdf( text, model, &error, files ) != DBVH_OK )
		fail_msg( "line %lld: %s", (long long)error.line, error.text );
}

static const char arm[] =
    "<?xml version='1.0'?>\n"
    "<robot name='arm'>\n"
    "  <material name='grey'><color rgba='1 1 1 1'/></material>\n"
    "  <link name='tool'><collision name='tip'><geometry><mesh filename='package://parts/tetra.obj'/></geometry>\n"
    "    </collision><collision><origin xyz='0 0 1'/><geometry><mesh filename='package://parts/tetra.obj'\n"
    "      scale='1 -2 3'/></geometry></collision></link>\n"
    "  <link name='base'><inertial><mass value='1'/></inertial><visual><geometry><sphere radius='1'/></geometry>\n"
    "    </visual><collision><geometry><box size='1 2 4'/></geometry></collision></link>\n"
    "  <link name='flange'/>\n"
    "  <link name='upper'><collision><origin rpy='0 0 1.5707963267948966' xyz='1 0 0'/><geometry>\n"
    "    <mesh filename='package://parts/tetra.obj'/></geometry></collision></link>\n"
    "  <link name='finger'><collision><geometry><cylinder radius='0.1' length='1'/></geometry></collision></link>\n"
    "  <joint name='wrist' type='continuous'><parent link='upper'/><child link='flange'/><axis xyz='0 0 2'/>\n"
    "    <origin xyz='0 0 1'/></joint>\n"
    "  <joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/><axis xyz='3 0 4'/>\n"
    "    <origin xyz='0 0 2'/><limit lower='-1' upper='2' effort='1' velocity='1'/></joint>\n"
    "  <joint name='mount' type='fixed'><parent link='flange'/><child link='tool'/></joint>\n"
    "  <joint name='grip' type='prismatic'><parent link='tool'/><child link='finger'/><axis xyz='0 1 0'/>\n"
    "    <limit lower='0' upper='0.5'/><mimic joint='wrist' multiplier='2' offset='0.25'/></joint>\n"
    "  <transmission name='t'><joint name='unknown'><limit lower='x'/></joint></transmission>\n"
    "</robot>\n";

static void test_arm( void **state ) {
	(void)state;
	scene_model model = { 0 };
	memory_files files;
	read_good( arm, &model, &files );
	assert_true( model.metres == 1.0 );
	assert_int_equal( files.opened, 1 ); // one file, however often it is named
	static const char *const links[] = { "base", "upper", "flange", "tool", "finger" };
	static const char *const joints[] = { NULL, "shoulder", "wrist", "mount", "grip" };
	assert_int_equal( model.link_count, 5 );
	for ( uint32_t i = 0; i < 5; ++i ) {
		assert_string_equal( model.links[i].name, links[i] );
		assert_int_equal( model.links[i].parent, i - 1 );
		if ( i > 0 )
			assert_string_equal( model.links[i].joint, joints[i] );
	}
	assert_null( model.links[0].joint );
	assert_int_equal( model.links[1].joint_number, 1 );
	assert_int_equal( model.links[2].joint_number, 0 );
	assert_true( model.links[1].axis[0] == 0.6 && model.links[1].axis[2] == 0.8 );
	assert_true( model.links[1].lower == -1.0 && model.links[1].upper == 2.0 );
	assert_true( model.links[2].axis[2] == 1.0 && isinf( model.links[2].upper ) );
	assert_int_equal( model.links[4].mimic, 2 );
	assert_true( model.links[4].factor == 2.0 && model.links[4].offset == 0.25 );
	assert_int_equal( model.links[3].kind, SCENE_JOINT_FIXED );

	static const char *const paths[] = { "base", "upper", "tool/tip", "tool/2", "finger" };
	static const uint32_t carriers[] = { 0, 1, 3, 3, 4 };
	assert_int_equal( model.body_count, 5 );
	for ( size_t i = 0; i < 5; ++i ) {
		assert_string_equal( model.bodies[i].path, paths[i] );
		assert_int_equal( model.bodies[i].link, carriers[i] );
	}
	assert_int_equal( model.bodies[1].mesh, model.bodies[2].mesh );
	assert_int_equal( model.mesh_count, 4 );
	assert_true( model.bodies[0].sag == 0.0 && model.bodies[4].sag > 0.0 );

	// The finger: base, up 2, up 1, 0.25 along y.
	dbvh_pose poses[5];
	assert_true( scene_place( &model, NULL, poses ) );
	assert_true( poses[4].pos[0] == 0.0 && poses[4].pos[1] == 0.25 && poses[4].pos[2] == 3.0 );
	const double values[] = { 0.0, 0.0, 1.57079632679489661923, 0.0, 0.0 };
	assert_true( scene_place( &model, values, poses ) );
	assert_true( fabs( poses[4].pos[0] + 0.25 + 3.14159265358979 ) < 1e-14 && fabs( poses[4].pos[1] ) < 1e-14 );

	// The mirrored mesh is turned round and stays outwards.
	const dbvh_mesh_view v = dbvh_mesh_get_view( model.meshes[model.bodies[3].mesh].mesh );
	const double *p = v.positions;
	double volume = 0.0;
	for ( size_t i = 0; i < v.triangle_count; ++i ) {
		const uint32_t *t = (const uint32_t *)v.indices + 3 * i;
		const double *a = p + 3 * t[0], *b = p + 3 * t[1], *c = p + 3 * t[2];
		volume += a[0] * ( b[1] * c[2] - b[2] * c[1] ) + a[1] * ( b[2] * c[0] - b[0] * c[2] ) +
		          a[2] * ( b[0] * c[1] - b[1] * c[0] );
	}
	assert_true( volume == 6.0 );

	// Neighbours, across the link without a body.
	static const char *const pairs[][2] = { { "base", "upper" }, { "upper", "tool" }, { "tool", "finger" } };
	assert_int_equal( model.rule_count, 3 );
	for ( size_t i = 0; i < 3; ++i ) {
		assert_string_equal( model.rules[i].a, pairs[i][0] );
		assert_string_equal( model.rules[i].b, pairs[i][1] );
		assert_string_equal( model.rules[i].reason, "adjacent links" );
		assert_true( model.rules[i].is_assumed && model.rules[i].rule.may_collide );
	}
	scene_model_free( &model );
}

static void test_visual_geometry( void **state ) {
	(void)state;
	scene_model model = { .wants_visual = true };
	memory_files files;
	read_good( arm, &model, &files );
	assert_int_equal( model.body_count, 1 );
	assert_string_equal( model.bodies[0].path, "base" );
	assert_string_equal( model.meshes[0].name, "sphere 1 0 0" );
	scene_model_free( &model );
}

static void test_notes( void **state ) {
	(void)state;
	scene_model model = { 0 };
	memory_files files;
	read_good( "<robot><link name='a'><collision><geometry><sphere radius='0'/></geometry></collision></link>"
	           "<link name='b'><collision><geometry><box size='1 1 1'/></geometry></collision></link>"
	           "<joint name='j' type='floating'><parent link='a'/><child link='b'/></joint></robot>",
	           &model, &files );
	assert_int_equal( model.note_count, 2 );
	assert_non_null( strstr( model.notes[0], "'j' is floating" ) );
	assert_non_null( strstr( model.notes[1], "'a' has a solid of size 0" ) );
	assert_int_equal( model.body_count, 1 );
	assert_int_equal( model.rule_count, 0 );
	scene_model_free( &model );
}

// ------------------------------------------------------------------------------------------------

#define BOX "<collision><geometry><box size='1 1 1'/></geometry></collision>"
#define LINKS "<link name='a'>" BOX "</link>\n<link name='b'>" BOX "</link>\n<link name='c'>" BOX "</link>\n"
#define JOINT( name, parent, child )                                                                                   \
	"<joint name='" name "' type='fixed'><parent link='" parent "'/><child link='" child "'/></joint>\n"
#define SHAPE( shape ) "<robot><link name='a'><collision>\n<geometry>" shape "</geometry></collision></link></robot>"

static void test_refusals( void **state ) {
	(void)state;
	static const struct {
		const char *text, *sentence;
		int64_t line;
	} cases[] = {
	    { "", "not sound XML", 1 },
	    { "<robot>", "not sound XML", 1 },
	    { "<robot></robot>", "there is no link", 0 },
	    { "<gltf/>", "begins with <robot>, and this one with <gltf>", 1 },
	    { "<robot>\n<link/></robot>", "<link> has no name", 2 },
	    { "<robot>\n<group name='arm'/></robot>", "this is an SRDF", 2 },
	    { "<robot><link name='a'/></robot>", "no link of the robot has a <collision>", 0 },
	    { "<robot>" LINKS "<link name='b'/></robot>", "two links 'b'", 4 },
	    { "<robot>" LINKS JOINT( "j", "a", "b" ) JOINT( "j", "b", "c" ) "</robot>", "two joints 'j'", 5 },
	    { "<robot>" LINKS JOINT( "j", "a", "b" ) "</robot>", "links 'a' and 'c' have no parent", 3 },
	    { "<robot>" LINKS JOINT( "j", "a", "b" ) JOINT( "k", "x", "c" ) "</robot>",
	      "the parent of joint 'k' is link 'x', which is not there", 5 },
	    { "<robot>" LINKS JOINT( "j", "a", "y" ) "</robot>", "the child of joint 'j' is link 'y'", 4 },
	    { "<robot>" LINKS JOINT( "j", "a", "b" ) JOINT( "k", "c", "b" ) "</robot>", "child of two joints, 'j' and 'k'",
	      4 },
	    { "<robot>" LINKS JOINT( "j", "a", "b" ) JOINT( "k", "b", "c" ) JOINT( "l", "c", "a" ) "</robot>",
	      "the joints make a loop", 1 },
	    { "<robot>" LINKS JOINT( "k", "b", "c" ) JOINT( "l", "c", "b" ) "</robot>", "make a loop, in which link 'b' is",
	      2 },
	    { "<robot>" LINKS JOINT( "k", "b", "b" ) "</robot>", "links 'a' and 'c' have no parent", 3 },
	    { "<robot>" LINKS "<joint name='j'/></robot>", "joint 'j' has no type", 4 },
	    { "<robot>" LINKS "<joint name='j' type='hinge'/></robot>", "is of type 'hinge'; types are", 4 },
	    { "<robot>" LINKS "<joint name='j' type='fixed'><parent link='a'/></joint></robot>", "has no <child>", 4 },
	    { "<robot>" LINKS "<joint name='j' type='fixed'><parent link='a'/><parent link='b'/></joint></robot>",
	      "has two <parent>", 4 },
	    { "<robot>" LINKS "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 0'/>"
	      "</joint></robot>",
	      "axis of joint 'j' is 0", 4 },
	    { "<robot>" LINKS "<joint name='j' type='revolute'><limit lower='1' upper='0'/></joint></robot>",
	      "lower limit of joint 'j' is above", 4 },
	    { "<robot>" LINKS "<joint name='j' type='revolute'><origin xyz='0 0'/></joint></robot>",
	      "xyz of <origin> is three numbers, and '0 0' is not", 4 },
	    { "<robot>" LINKS "<joint name='j' type='revolute'><origin rpy='0 0 ${pi}'/></joint></robot>", "run xacro", 4 },
	    { "<robot>" LINKS "<joint name='j' type='revolute'><origin xyz='0 0 0x1'/></joint></robot>", "three numbers",
	      4 },
	    { "<robot>" LINKS "<joint name='j' type='revolute'><origin xyz='0 nan 0'/></joint></robot>", "three numbers",
	      4 },
	    { "<robot xmlns:xacro='x'><xacro:include filename='y'/></robot>", "this is xacro", 1 },
	    { "<robot>" LINKS JOINT( "j", "a", "b" ) "<joint name='k' type='prismatic'><parent link='b'/><child link='c'/>"
	                                             "<mimic joint='z'/></joint></robot>",
	      "'k' mimics joint 'z', which is not there", 5 },
	    { "<robot>" LINKS "<joint name='k' type='prismatic'><parent link='b'/><child link='c'/><mimic joint='l'/>"
	      "</joint><joint name='l' type='prismatic'><parent link='a'/><child link='b'/><mimic joint='k'/></joint>"
	      "</robot>",
	      "mimics itself", 4 },
	    { "<robot><link name='a'>\n<collision/></link></robot>", "a <collision> of link 'a' has no geometry", 2 },
	    { SHAPE( "" ), "a <collision> of link 'a' has no geometry", 2 },
	    { SHAPE( "<box/>" ), "<box> has no size", 2 },
	    { SHAPE( "<box size='1 1'/>" ), "size of <box> is three numbers", 2 },
	    { SHAPE( "<box size='1 1 -1'/>" ), "a size of the box is below 0", 2 },
	    { SHAPE( "<sphere/>" ), "<sphere> has no radius", 2 },
	    { SHAPE( "<cylinder radius='1'/>" ), "<cylinder> has no length", 2 },
	    { SHAPE( "<cone radius='1'/>" ), "<cone> is no geometry that is known", 2 },
	    { SHAPE( "<sphere radius='1'/><sphere radius='2'/>" ), "the second one", 2 },
	    { SHAPE( "<box size='1 1 1.79e308'/>" ), "", -1 }, // still finite
	    { SHAPE( "<sphere radius='1.797e308'/>" ), "link 'a': ", 1 },
	    { SHAPE( "<mesh/>" ), "<mesh> has no filename", 2 },
	    { SHAPE( "<mesh filename='tetra.obj' scale='1 0 1'/>" ), "scale of a mesh is 0", 2 },
	    { SHAPE( "<mesh filename='tetra.obj' scale='1e308 1e308 1e308'/>" ), "", -1 }, // still finite
	    { SHAPE( "<mesh filename='missing.stl'/>" ), "link 'a': 'missing.stl' is not there", 1 },
	    { SHAPE( "<mesh filename='words.txt'/>" ), "'words.txt' is no STL, OBJ, PLY or OFF file", 1 },
	    { SHAPE( "<mesh filename='broken.stl'/>" ), "link 'a': 'broken.stl': ", 1 },
	    { "<!DOCTYPE r [<!ENTITY a 'x'>]><robot><link name='&a;'/></robot>", "the entity 'a' is declared here", 1 },
	    { "<!DOCTYPE r [<!ENTITY % a 'x'> %a;]><robot/>", "the entity 'a' is declared here", 1 },
	    { "<!DOCTYPE r [\n<!ENTITY l0 'lol'><!ENTITY l1 "
	      "'&l0;&l0;&l0;&l0;&l0;&l0;&l0;&l0;&l0;&l0;'>]><robot>&l1;</robot>",
	      "the entity 'l0' is declared here", 2 },
	    { "<!DOCTYPE r [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><robot>&a;</robot>", "entity 'a' is declared", 1 },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_model model = { 0 };
		dbvh_error error;
		memory_files files;
		const dbvh_status status = read_urdf( cases[i].text, &model, &error, &files );
		if ( ( status == DBVH_OK ) != ( cases[i].line < 0 ) || strstr( error.text, cases[i].sentence ) == NULL ||
		     ( status != DBVH_OK && error.line != cases[i].line ) )
			fail_msg( "case %zu: %s, line %lld: %s\nfor %s", i, dbvh_status_name( status ), (long long)error.line,
			          error.text, cases[i].text );
		scene_model_free( &model );
	}
}

static void test_broken_collada_is_named( void **state ) {
	(void)state;
	static const memory_file file = { "link0.DAE", "<?xml version='1.0'?><COLLADA/>" };
	memory_files files = { .files = &file, .count = 1 };
	const scene_source source = memory_source( &files );
	const char text[] = SHAPE( "<mesh filename='link0.DAE'/>" );
	scene_model model = { 0 };
	dbvh_error error;
	assert_int_equal( scene_read_urdf( (const unsigned char *)text, strlen( text ), &source, &model, &error ),
#ifdef DUALBVH_WITH_ASSIMP
	                  DBVH_MALFORMED );
#else
	                  DBVH_UNKNOWN_FORMAT );
#endif
	assert_non_null( strstr( error.text, "'link0.DAE'" ) );
	scene_model_free( &model );
}

// Deep, long and many: refused or read, in no time.
static void test_hostile_sizes( void **state ) {
	(void)state;
	enum { ROOM = 1 << 25 };
	char *text = malloc( ROOM );
	scene_model model = { 0 };
	dbvh_error error;
	memory_files files;

	size_t at = (size_t)sprintf( text, "<robot>" );
	for ( int i = 0; i < 100000; ++i )
		at += (size_t)sprintf( text + at, "<link>" );
	assert_int_not_equal( read_urdf( text, &model, &error, &files ), DBVH_OK );
	at = (size_t)sprintf( text, "<robot>" );
	for ( int i = 0; i < 100000; ++i )
		at += (size_t)sprintf( text + at, "<a>" );
	assert_int_equal( read_urdf( text, &model, &error, &files ), DBVH_LIMIT );
	assert_non_null( strstr( error.text, "nested more than 256 deep" ) );

	at = (size_t)sprintf( text, "<robot><link name='" );
	memset( text + at, 'x', 10000000 );
	strcpy( text + at + 10000000, "'>" BOX "</link><joint name='j' type='spin'/></robot>" );
	assert_int_equal( read_urdf( text, &model, &error, &files ), DBVH_MALFORMED );
	strcpy( text + at + 10000000, "'>" BOX "</link></robot>" );
	assert_int_equal( read_urdf( text, &model, &error, &files ), DBVH_OK );
	assert_int_equal( strlen( model.bodies[0].path ), 10000000 );
	scene_model_free( &model );

	// A chain, its joints from the last to the first.
	enum { LINKS_IN_CHAIN = 50000 };
	at = (size_t)sprintf( text, "<robot>" );
	for ( int i = 0; i < LINKS_IN_CHAIN; ++i )
		at +=
		    (size_t)sprintf( text + at, "<link name='%d'>%s</link>", i, i == 0 || i == LINKS_IN_CHAIN - 1 ? BOX : "" );
	for ( int i = LINKS_IN_CHAIN - 1; i > 0; --i )
		at += (size_t)sprintf(
		    text + at, "<joint name='%d' type='revolute'><parent link='%d'/><child link='%d'/></joint>", i, i - 1, i );
	strcpy( text + at, "</robot>" );
	read_good( text, &model, &files );
	assert_int_equal( model.link_count, LINKS_IN_CHAIN );
	assert_int_equal( model.rule_count, 1 );
	assert_string_equal( model.rules[0].b, "49999" );
	scene_model_free( &model );
	free( text );
}

// Two of a kind need a prefix each, and an SRDF each.
static void test_two_robots( void **state ) {
	(void)state;
	static const char srdf[] = "<robot><group_state name='home'><joint name='wrist' value='1'/></group_state>"
	                           "<disable_collisions link1='base' link2='upper' reason='r'/></robot>";
	scene_model model = { .prefix = "left*/" };
	memory_files files;
	dbvh_error error;
	read_good( arm, &model, &files );
	assert_int_equal( read_urdf( arm, &model, &error, &files ), DBVH_MALFORMED );
	assert_non_null( strstr( error.text, "has a robot with a link 'left*/tool' already" ) );
	assert_int_equal( scene_read_srdf( (const unsigned char *)srdf, strlen( srdf ), &model, &error ), DBVH_OK );
	assert_int_equal( model.rule_count, 1 );
	model.prefix = "right/";
	read_good( arm, &model, &files );
	assert_int_equal( model.rule_count, 4 );
	assert_int_equal( scene_read_srdf( (const unsigned char *)srdf, strlen( srdf ), &model, &error ), DBVH_OK );
	assert_int_equal( model.rule_count, 2 );
	assert_string_equal( model.rules[0].a, "left\\*/base" );
	assert_string_equal( model.rules[1].a, "right/base" );
	assert_int_equal( model.link_count, 10 );
	assert_string_equal( model.links[6].name, "right/upper" );
	assert_string_equal( model.links[6].joint, "right/shoulder" );
	assert_int_equal( model.links[9].mimic, 7 );
	assert_string_equal( model.bodies[9].path, "right/finger" );
	assert_int_equal( model.state_count, 2 );
	assert_string_equal( model.states[1].name, "right/home" );
	for ( size_t i = 0; i < 10; ++i ) {
		assert_true( model.states[0].values[i] == ( i == 2 ? 1.0 : 0.0 ) );
		assert_true( model.states[1].values[i] == ( i == 7 ? 1.0 : 0.0 ) );
	}
	scene_model_free( &model );
}

// ------------------------------------------------------------------------------------------------
// SRDF

static dbvh_status add_srdf( scene_model *model, const char *text, dbvh_error *error ) {
	const dbvh_status status = scene_read_srdf( (const unsigned char *)text, strlen( text ), model, error );
	assert_int_equal( status, error->status );
	return status;
}

static void test_rules_of_srdf( void **state ) {
	(void)state;
	scene_model model = { 0 };
	memory_files files;
	dbvh_error error;
	read_good( arm, &model, &files );
	const dbvh_pair_rule own = { .clearance = 1.0 };
	assert_int_not_equal( scene_add_rule( &model, "x", NULL, &own ), SCENE_NONE );
	static const char text[] = "<robot name='arm'>\n"
	                           "<group name='all'><chain base_link='base' tip_link='nowhere'/></group>\n"
	                           "<disable_collisions link1='base' link2='upper' reason='Adjacent'/>\n"
	                           "<enable_collisions link1='base' link2='finger'/>\n"
	                           "<disable_collisions link1='flange' link2='upper'/>\n"
	                           "<disable_default_collisions link='finger'/>\n"
	                           "<end_effector name='e' parent_link='q'/><virtual_joint name='v' child_link='q'/>\n"
	                           "<passive_joint name='q'/></robot>\n";
	if ( add_srdf( &model, text, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	// Rules that the robot implied are replaced, the user's stay, links without bodies have none; the order is
	// defaults, pairs, disabled pairs.
	static const struct {
		const char *a, *b, *reason;
		bool may_collide;
		int64_t line;
	} expected[] = { { "x", NULL, NULL, false, 0 },
	                 { "finger", NULL, "disabled in the SRDF", true, 6 },
	                 { "base", "finger", NULL, false, 4 },
	                 { "base", "upper", "Adjacent", true, 3 } };
	assert_int_equal( model.rule_count, 4 );
	for ( size_t i = 0; i < 4; ++i ) {
		const scene_rule *rule = &model.rules[i];
		assert_string_equal( rule->a, expected[i].a );
		assert_true( ( rule->b == NULL ) == ( expected[i].b == NULL ) );
		if ( rule->b != NULL )
			assert_string_equal( rule->b, expected[i].b );
		assert_true( ( rule->reason == NULL ) == ( expected[i].reason == NULL ) );
		if ( rule->reason != NULL )
			assert_string_equal( rule->reason, expected[i].reason );
		assert_int_equal( rule->rule.may_collide, expected[i].may_collide );
		assert_int_equal( rule->line, expected[i].line );
		assert_false( rule->is_assumed );
	}
	scene_model_free( &model );
}

static void test_states( void **state ) {
	(void)state;
	scene_model model = { 0 };
	memory_files files;
	dbvh_error error;
	read_good( arm, &model, &files );
	const size_t notes = model.note_count;
	static const char text[] = "<robot>"
	                           "<group_state name='home' group='arm'><joint name='shoulder' value='0.5'/>"
	                           "<joint name='wrist' value=' -7 '/></group_state>"
	                           "<group_state name='home' group='hand'><joint name='grip' value='1'/>"
	                           "<joint name='shoulder' value='5'/><joint name='mount' value='0'/></group_state>"
	                           "</robot>";
	if ( add_srdf( &model, text, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	assert_int_equal( model.state_count, 2 );
	assert_string_equal( model.states[0].name, "home" );
	assert_string_equal( model.states[1].name, "hand/home" );
	const double first[] = { 0, 0.5, -7, 0, 0 }, second[] = { 0, 5, 0, 0, 0 };
	assert_memory_equal( model.states[0].values, first, sizeof first );
	assert_memory_equal( model.states[1].values, second, sizeof second );
	assert_int_equal( model.note_count, notes + 3 );
	assert_non_null( strstr( model.notes[notes], "'grip' follows another one" ) );
	assert_non_null( strstr( model.notes[notes + 1], "'shoulder' is beyond its limits" ) );
	assert_non_null( strstr( model.notes[notes + 2], "'mount' does not move" ) );
	scene_model_free( &model );
}

static void test_refusals_of_srdf( void **state ) {
	(void)state;
	static const struct {
		const char *text, *sentence;
	} cases[] = {
	    { "<robot><disable_collisions link1='bas' link2='upper'/></robot>", "no link 'bas'; did you mean 'base'?" },
	    { "<robot><disable_collisions link1='base'/></robot>", "<disable_collisions> has no link2" },
	    { "<robot><enable_collisions link1='base' link2='zzzzz'/></robot>", "no link 'zzzzz'; there are base, upper" },
	    { "<robot><disable_default_collisions link='zzzzz'/></robot>", "no link 'zzzzz'" },
	    { "<robot><group_state/></robot>", "<group_state> has no name" },
	    { "<robot><group_state name='a' group='g'/><group_state name='a' group='g'/>"
	      "<group_state name='a' group='g'/></robot>",
	      "two states 'a'" },
	    { "<robot><group_state name='a'><joint name='sholder' value='1'/></group_state></robot>",
	      "no joint 'sholder'; did you mean 'shoulder'?" },
	    { "<robot><group_state name='a'><joint name='qqqqq' value='1'/></group_state></robot>",
	      "no joint 'qqqqq'; there are shoulder, wrist" },
	    { "<robot><group_state name='a'><joint name='wrist' value='1 2'/></group_state></robot>",
	      "value of joint 'wrist' is a number" },
	    { "<robot><group_state name='a'><joint name='wrist'/></group_state></robot>", "has no value" },
	    { "<srdf/>", "begins with <robot>" },
	    { arm, "this is a URDF, and no SRDF" },
	    { "<robot>", "not sound XML" },
	    { "<!DOCTYPE r [<!ENTITY a 'x'>]><robot/>", "entity 'a' is declared" },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_model model = { 0 };
		memory_files files;
		dbvh_error error;
		read_good( arm, &model, &files );
		if ( add_srdf( &model, cases[i].text, &error ) == DBVH_OK || strstr( error.text, cases[i].sentence ) == NULL )
			fail_msg( "case %zu: %s", i, error.text );
		scene_model_free( &model );
		assert_int_equal( add_srdf( &model, cases[i].text, &error ), DBVH_INVALID_ARGUMENT );
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_arm ),
	    cmocka_unit_test( test_visual_geometry ),
	    cmocka_unit_test( test_notes ),
	    cmocka_unit_test( test_refusals ),
	    cmocka_unit_test( test_broken_collada_is_named ),
	    cmocka_unit_test( test_hostile_sizes ),
	    cmocka_unit_test( test_two_robots ),
	    cmocka_unit_test( test_rules_of_srdf ),
	    cmocka_unit_test( test_states ),
	    cmocka_unit_test( test_refusals_of_srdf ),
	};
	return test_main( argc, argv, tests );
}
