// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// JSON scenes: what they say, and what they are refused for.

#include "formats/files.h"
#include "memory_source.h"
#include "support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A triangle of glTF, in metres.
static const char triangle_gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}},{\"mode\":0,\"attributes\":{\"POSITION\":0}}]}],"
    "\"nodes\":[{\"name\":\"tip\",\"mesh\":0,\"translation\":[0,0,2]},{\"name\":\"tip\",\"mesh\":0}]}";

static const memory_file disk[] = {
    { "parts/t.obj", tetrahedron_obj },
    { "two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\no lid\nf 1 2 3\no base\nf 4 5 6\n" },
    { "tip.gltf", triangle_gltf },
    { "broken.stl", "solid x\nfacet\n" },
    { "parts/cell.json", "{\"bodies\":[{\"name\":\"inner\",\"file\":\"t.obj\"}],\"defaults\":{\"touch\":true},"
                         "\"rules\":[{\"a\":\"inner\",\"clearance\":2}],\"ignore\":[{\"a\":\"*\",\"reason\":\"r\"}]}" },
    { "circle.json", "{\"include\":[{\"file\":\"other.json\"}]}" },
    { "other.json", "{ \"include\":[{\"file\":\"circle.json\"}]}" },
    { "self.json", "{\"include\":[{\"file\":\"self.json\"}]}" },
    { "robot.urdf",
      "<robot name='r'><link name='base'/><link name='arm'><collision><geometry><box size='1 1 1'/></geometry>"
      "</collision></link><joint name='elbow' type='revolute'><parent link='base'/><child link='arm'/>"
      "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>" },
};

static dbvh_status read_scene( const char *text, scene_model *model, dbvh_error *error ) {
	memory_files files = { disk, sizeof disk / sizeof disk[0], 0, 0 };
	scene_source source = memory_source( &files );
	source.name = "main.json";
	const dbvh_status status =
	    scene_read_bytes( (const unsigned char *)text, strlen( text ), &source, SCENE_SPLIT_FILE, model, error );
	assert_int_equal( files.opened, files.released );
	assert_int_equal( error->status, status );
	return status;
}

static void must_read( const char *text, scene_model *model ) {
	dbvh_error error = { 0 };
	if ( read_scene( text, model, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
}

static const double *positions_of( const scene_model *model, size_t body ) {
	return dbvh_mesh_get_view( model->meshes[model->bodies[body].mesh].mesh ).positions;
}

static void test_bodies( void **state ) {
	(void)state;
	scene_model model = { 0 };
	must_read( "{\"$schema\":\"x\",\"schema\":\"dualbvh.scene/1\",\"unit\":\"mm\",\"comment\":\"c\",\"bodies\":["
	           "{\"name\":\"a\",\"file\":\"parts/t.obj\",\"sag\":0.5},"
	           "{\"file\":\"parts/t.obj\",\"pose\":[0,-1,0,10,1,0,0,20,0,0,1,30],\"groups\":[\"g\",\"default\"]},"
	           "{\"name\":\"c/d\",\"file\":\"parts/"
	           "t.obj\",\"scale\":2,\"pose\":{\"translation\":[1,2,3]},\"against\":[\"g\"]},"
	           "{\"name\":\"e\",\"file\":\"parts/t.obj\",\"scale\":[1,1,-1],\"pose\":{\"quaternion\":[0,0,1,0]}},"
	           "{\"name\":\"f\",\"file\":\"two.obj\",\"split\":\"object\",\"pose\":{\"rpy\":[0,0,3.14159265358979]}},"
	           "{\"name\":\"g\",\"file\":\"tip.gltf\"},"
	           "{\"name\":\"h\",\"file\":\"parts/t.obj\",\"scale\":2}],"
	           "\"defaults\":{\"sag\":0.125}}",
	           &model );
	static const char *const paths[] = { "a", "t", "c/d", "e", "f/lid", "f/base", "g", "h" };
	assert_int_equal( model.body_count, 8 );
	for ( size_t i = 0; i < 8; ++i )
		assert_string_equal( model.bodies[i].path, paths[i] );
	assert_true( model.metres == 1e-3 );
	assert_true( model.bodies[0].sag == 0.5 && model.bodies[1].sag == 0.125 );
	// One mesh for each file and scale.
	assert_int_equal( model.bodies[0].mesh, model.bodies[1].mesh );
	assert_int_equal( model.bodies[2].mesh, model.bodies[7].mesh );
	assert_int_equal( model.mesh_count, 6 );
	assert_true( model.bodies[1].pose.rot[0][1] == -1.0 && model.bodies[1].pose.pos[2] == 30.0 );
	assert_true( positions_of( &model, 2 )[3] == 2.0 && model.bodies[2].pose.pos[0] == 1.0 );
	assert_true( positions_of( &model, 3 )[11] == -1.0 && model.bodies[3].pose.rot[0][0] == -1.0 );
	assert_int_equal( ( (const uint32_t *)dbvh_mesh_get_view( model.meshes[model.bodies[3].mesh].mesh ).indices )[1],
	                  1 );
	assert_true( fabs( model.bodies[4].pose.rot[0][0] + 1.0 ) < 1e-14 );
	// Metres become millimetres; the scene of two bodies is one.
	assert_true( positions_of( &model, 6 )[2] == 2000.0 && positions_of( &model, 6 )[3] == 1000.0 );
	assert_int_equal( dbvh_mesh_get_view( model.meshes[model.bodies[6].mesh].mesh ).triangle_count, 2 );
	assert_int_equal( model.note_count, 2 );
	// Groups: "g" is bit 1.
	assert_int_equal( model.group_count, 1 );
	assert_int_equal( model.bodies[1].group, 3 );
	assert_int_equal( model.bodies[2].mask, 2 );
	assert_int_equal( model.bodies[0].group, 0 );
	scene_model_free( &model );
}

static void test_rules( void **state ) {
	(void)state;
	scene_model model = { 0 };
	must_read(
	    "{\"bodies\":[{\"name\":\"a\",\"file\":\"parts/t.obj\"}],\"defaults\":{\"touch\":true,\"clearance\":0.5},"
	    "\"rules\":[{\"a\":\"x*\",\"b\":\"y\",\"allow\":true,\"name\":\"n\",\"reason\":\"r\"},"
	    "{\"a\":\"z\",\"clearance\":2,\"touch_gap\":0.1,\"touch_overlap\":0.2,\"allowed_depth\":0.3,\"allowed_volume\":"
	    "4,\"touch\":true}],"
	    "\"ignore\":[{\"id\":\"0123\",\"reason\":\"because\"},{\"a\":\"p\",\"b\":\"q\",\"reason\":\"so\"}]}",
	    &model );
	assert_int_equal( model.rule_count, 3 );
	assert_null( model.rules[0].a );
	assert_true( model.rules[0].rule.may_touch && model.rules[0].rule.clearance == 0.5 );
	assert_string_equal( model.rules[1].a, "x*" );
	assert_string_equal( model.rules[1].b, "y" );
	assert_string_equal( model.rules[1].name, "n" );
	assert_string_equal( model.rules[1].reason, "r" );
	assert_true( model.rules[1].rule.may_collide && !model.rules[2].rule.may_collide );
	assert_null( model.rules[2].b );
	assert_true( model.rules[2].rule.touch_gap == 0.1 && model.rules[2].rule.touch_overlap == 0.2 );
	assert_true( model.rules[2].rule.allowed_depth == 0.3 && model.rules[2].rule.allowed_volume == 4.0 );
	assert_int_equal( model.ignore_count, 2 );
	assert_string_equal( model.ignores[0].id, "0123" );
	assert_null( model.ignores[0].a );
	assert_string_equal( model.ignores[1].b, "q" );
	assert_string_equal( model.ignores[1].reason, "so" );
	scene_model_free( &model );
}

static void test_includes( void **state ) {
	(void)state;
	scene_model model = { 0 };
	must_read( "{\"unit\":\"m\",\"include\":[{\"name\":\"left*\",\"file\":\"parts/"
	           "cell.json\",\"pose\":{\"translation\":[1,0,0]}},"
	           "{\"file\":\"parts/cell.json\",\"scale\":3,\"sag\":0.5},{\"name\":\"t\",\"file\":\"tip.gltf\"}]}",
	           &model );
	assert_int_equal( model.body_count, 4 );
	assert_string_equal( model.bodies[0].path, "left*/inner" );
	assert_string_equal( model.bodies[1].path, "inner" );
	assert_string_equal( model.bodies[2].path, "t/tip" );
	assert_string_equal( model.bodies[3].path, "t/tip#2" );
	assert_true( model.bodies[0].pose.pos[0] == 1.0 && model.bodies[1].pose.pos[0] == 0.0 );
	assert_true( positions_of( &model, 1 )[3] == 3.0 && model.bodies[1].sag == 0.5 && model.bodies[0].sag == 0.0 );
	// The rules of a file with a name are about its own bodies.
	assert_int_equal( model.rule_count, 4 );
	assert_string_equal( model.rules[0].a, "left\\*/*" );
	assert_string_equal( model.rules[0].b, "left\\*/*" );
	assert_string_equal( model.rules[1].a, "left\\*/inner" );
	assert_true( scene_matches( model.rules[1].a, model.bodies[0].path ) );
	assert_null( model.rules[2].a );
	assert_true( model.rules[1].rule.clearance == 2.0 && model.rules[3].rule.clearance == 6.0 );
	assert_string_equal( model.ignores[0].a, "left\\*/*" );
	scene_model_free( &model );
}

static void test_states( void **state ) {
	(void)state;
#ifdef DUALBVH_WITH_EXPAT
	scene_model model = { 0 };
	must_read( "{\"include\":[{\"name\":\"r\",\"file\":\"robot.urdf\",\"pose\":{\"translation\":[0,0,4]}},{\"file\":"
	           "\"robot.urdf\"}],"
	           "\"states\":{\"home\":{\"elbow\":0.5},\"other\":{\"r/elbow\":0.25}}}",
	           &model );
	assert_int_equal( model.state_count, 2 );
	assert_string_equal( model.states[0].name, "home" );
	double sum = 0.0;
	for ( size_t i = 0; i < model.link_count; ++i )
		sum += model.states[0].values[i] + 8.0 * model.states[1].values[i];
	assert_true( sum == 2.5 );
	dbvh_pose poses[2];
	assert_true( scene_place( &model, model.states[1].values, poses ) );
	assert_true( poses[0].pos[2] == 4.0 && poses[1].pos[2] == 0.0 && poses[1].rot[0][0] == 1.0 );
	assert_true( fabs( poses[0].rot[0][0] - cos( 0.25 ) ) < 1e-14 );
	scene_model_free( &model );
#else
	skip();
#endif
}

static void test_refusals( void **state ) {
	(void)state;
#define BODY "\"bodies\":[{\"name\":\"a\",\"file\":\"parts/t.obj\"}]"
	static const struct {
		const char *text, *sentence;
		dbvh_status status;
	} cases[] = {
	    { "{}", "there is no body in the scene", DBVH_EMPTY },
	    { "{\"bodis\":[]}", "there is no key 'bodis' here (did you mean 'bodies'?)", DBVH_MALFORMED },
	    { "{\"schema\":\"dualbvh.scene/2\"}", "dualbvh.scene/1 is read", DBVH_MALFORMED },
	    { "{\"unit\":\"parsec\"}", "'unit' is 'parsec'", DBVH_MALFORMED },
	    { "{\"bodies\":{}}", "scene: 'bodies' is no array", DBVH_MALFORMED },
	    { "{\"bodies\":[7]}", "bodies[0]: this is no object", DBVH_MALFORMED },
	    { "{\"bodies\":[{}]}", "bodies[0]: there is no 'file'", DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"\"}]}", "'file' is empty", DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"gone.stl\"}]}", "bodies[0]: 'gone.stl'", DBVH_IO },
	    { "{\"bodies\":[{\"file\":\"broken.stl\"}]}", "bodies[0]: 'broken.stl', line 3", DBVH_TRUNCATED },
	    { "{\"bodies\":[{\"file\":\"parts/t.obj\",\"pos\":[]}]}", "no key 'pos' here (did you mean 'pose'?)",
	      DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"parts/t.obj\",\"pose\":[1,2]}]}", "12 numbers", DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"parts/t.obj\",\"pose\":[2,0,0,0,0,1,0,0,0,0,1,0]}]}", "is not a rotation",
	      DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"parts/t.obj\",\"pose\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,2]}]}", "last row",
	      DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"parts/t.obj\",\"pose\":{\"quaternion\":[0,0,0,0]}}]}", "not of length 1",
	      DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"parts/t.obj\",\"pose\":{\"quaternion\":[0,0,0,1],\"rpy\":[0,0,0]}}]}", "not both",
	      DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"parts/t.obj\",\"pose\":{\"rotation\":[0,0,0,1]}}]}",
	      "bodies[0]: pose: there is no key", DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"parts/t.obj\",\"scale\":0}]}", "has a 0 in it", DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"parts/t.obj\",\"scale\":[1,2]}]}", "'scale' is a number, or three",
	      DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"parts/"
	      "t.obj\",\"scale\":1e308,\"pose\":{}},{\"file\":\"two.obj\",\"scale\":1e308}]}",
	      "bodies[1]: 'two.obj'", DBVH_NOT_FINITE },
	    { "{\"bodies\":[{\"file\":\"parts/t.obj\",\"split\":\"shell\"}]}", "'split' is", DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"parts/t.obj\",\"sag\":-1}]}", "'sag' is no length", DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"parts/t.obj\",\"groups\":[]}]}", "names no group", DBVH_MALFORMED },
	    { "{\"bodies\":[{\"name\":\"a\",\"file\":\"parts/t.obj\"},{\"name\":\"a\",\"file\":\"parts/t.obj\"}]}",
	      "bodies[1]: there is a body 'a' already", DBVH_MALFORMED },
	    { "{\"include\":[{\"file\":\"circle.json\"}]}", "form a circle", DBVH_MALFORMED },
	    { "{\"include\":[{\"file\":\"self.json\"}]}", "form a circle", DBVH_MALFORMED },
	    { "{\"bodies\":[{\"file\":\"self.json\"}]}", "form a circle", DBVH_MALFORMED },
	    { "{\"include\":[{\"file\":\"parts/t.obj\",\"scale\":[1,1,1]}]}", "no number above 0", DBVH_MALFORMED },
	    { "{\"include\":[{\"file\":\"parts/t.obj\",\"scale\":-1}]}", "no number above 0", DBVH_MALFORMED },
	    { "{\"include\":[{\"file\":\"parts/t.obj\",\"srdf\":\"gone.srdf\"}]}", "'gone.srdf'", DBVH_IO },
	    { "{" BODY ",\"rules\":[{\"a\":\"x\",\"alow\":true}]}",
	      "rules[0]: there is no key 'alow' here (did you mean 'allow'?)", DBVH_MALFORMED },
	    { "{" BODY ",\"rules\":[{\"b\":\"x\"}]}", "a rule needs a pattern 'a'", DBVH_MALFORMED },
	    { "{" BODY ",\"rules\":[{\"a\":\"x\",\"touch\":1}]}", "neither true nor false", DBVH_MALFORMED },
	    { "{" BODY ",\"rules\":[{\"a\":\"x\",\"allow\":true,\"clearance\":1}]}", "would never matter", DBVH_MALFORMED },
	    { "{" BODY ",\"rules\":[{\"a\":\"x\",\"clearance\":\"1\"}]}", "'clearance' is no length", DBVH_MALFORMED },
	    { "{" BODY ",\"defaults\":{\"clearnce\":1}}", "did you mean 'clearance'?", DBVH_MALFORMED },
	    { "{" BODY ",\"ignore\":[{\"a\":\"x\",\"b\":\"y\"}]}", "ignore[0]: there is no 'reason'", DBVH_MALFORMED },
	    { "{" BODY ",\"ignore\":[{\"reason\":\"y\"}]}", "named by its 'id'", DBVH_MALFORMED },
	    { "{" BODY ",\"states\":{\"home\":{\"elbow\":1}}}", "there is no joint 'elbow'", DBVH_MALFORMED },
	    { "{" BODY ",\"states\":[]}", "'states' is no object", DBVH_MALFORMED },
	    { "{" BODY ",\"bodies\":[]}", "duplicate", DBVH_MALFORMED },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_model model = { 0 };
		dbvh_error error = { 0 };
		const dbvh_status status = read_scene( cases[i].text, &model, &error );
		if ( status != cases[i].status || strstr( error.text, cases[i].sentence ) == NULL )
			fail_msg( "case %zu: %s: %s\nwanted: %s", i, dbvh_status_name( status ), error.text, cases[i].sentence );
		scene_model_free( &model );
	}
}

static void test_joints_are_suggested( void **state ) {
	(void)state;
#ifdef DUALBVH_WITH_EXPAT
	scene_model model = { 0 };
	dbvh_error error;
	assert_int_not_equal(
	    read_scene( "{\"include\":[{\"file\":\"robot.urdf\"}],\"states\":{\"h\":{\"elbo\":1}}}", &model, &error ),
	    DBVH_OK );
	assert_non_null( strstr( error.text, "there is no joint 'elbo' (did you mean 'elbow'?)" ) );
	scene_model_free( &model );
#else
	skip();
#endif
}

static void test_line_of_mistake( void **state ) {
	(void)state;
	scene_model model = { 0 };
	dbvh_error error;
	assert_int_equal( read_scene( "{\n\"bodies\": [\n,]}", &model, &error ), DBVH_MALFORMED );
	assert_int_equal( error.line, 3 );
	scene_model_free( &model );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_bodies ),          cmocka_unit_test( test_rules ),
	    cmocka_unit_test( test_includes ),        cmocka_unit_test( test_states ),
	    cmocka_unit_test( test_refusals ),        cmocka_unit_test( test_joints_are_suggested ),
	    cmocka_unit_test( test_line_of_mistake ),
	};
	return test_main( argc, argv, tests );
}
