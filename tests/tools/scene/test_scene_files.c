// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Mesh files as bodies, whole or split; which reader a file is for; all bodies as one mesh.

#include "formats/files.h"
#include "formats/outline.h"
#include "memory_source.h"
#include "model/parts.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"
#include "text/ending.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static memory_files no_files;

static void read_mesh( const char *name, const char *text, scene_split split, scene_model *model ) {
	scene_source source = memory_source( &no_files );
	dbvh_error error;
	source.name = name;
	if ( scene_read_mesh( (const unsigned char *)text, strlen( text ), &source, split, model, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
}

// "path:triangles path:triangles ...", in the order of the bodies.
static void check_bodies( const char *name, const char *text, scene_split split, const char *expected ) {
	scene_model model = { 0 };
	char found[1024] = "";
	read_mesh( name, text, split, &model );
	for ( size_t i = 0; i < model.body_count; ++i ) {
		const dbvh_mesh_view view = dbvh_mesh_get_view( model.meshes[model.bodies[i].mesh].mesh );
		assert_int_equal( dbvh_mesh_view_check( &view, NULL ), DBVH_OK );
		const size_t length = strlen( found );
		snprintf( found + length, sizeof found - length, "%s%s:%zu", i > 0 ? " " : "", model.bodies[i].path,
		          view.triangle_count );
	}
	assert_string_equal( found, expected );
	scene_model_free( &model );
}

static void test_objects_of_obj( void **state ) {
	(void)state;
	static const char text[] = "# o not this\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\n"
	                           "f 1 2 3\n"
	                           "o lid\nf 1 2 3 4\n"
	                           "g rim outer \nf 1 2 \\\n 5\n"
	                           "o empty\n"
	                           "o base\nf 1/2/3 2 5 # f 1 2 3\n"
	                           "o lid\r\nf 2 3 5\r\n"
	                           "g \\\nf 3 4 5\n";
	check_bodies( "p/box.obj", text, SCENE_SPLIT_FILE, "box:7" );
	check_bodies( "p/box.obj", text, SCENE_SPLIT_OBJECT,
	              "box:1 box/lid:3 box/lid/rim outer:1 box/base:1 box/lid/\\:1" );
	check_bodies( "plain.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", SCENE_SPLIT_OBJECT, "plain:1" );
	check_bodies( "one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\no it\nf 1 2 3\n", SCENE_SPLIT_OBJECT, "one/it:1" );
}

#define FACET( z )                                                                                                     \
	"facet normal 0 0 1\nouter loop\nvertex 0 0 " z "\nvertex 1 0 " z "\nvertex 0 1 " z "\nendloop\nendfacet\n"

static void test_solids_of_stl( void **state ) {
	(void)state;
	check_bodies( "a.stl",
	              "solid  left arm \n" FACET( "0" ) FACET( "1" ) "endsolid left arm\nsolid\nendsolid\nsolid\n" FACET(
	                  "2" ) "endsolid facet\nSOLID left arm\n" FACET( "3" ) "endsolid",
	              SCENE_SPLIT_OBJECT, "a/left arm:2 a/solid-3:1 a/left arm#2:1" );
}

static void test_formats_without_objects( void **state ) {
	(void)state;
	check_bodies( "x.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", SCENE_SPLIT_OBJECT, "x:1" );
	check_bodies( "x.ply",
	              "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
	              "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
	              SCENE_SPLIT_OBJECT, "x:1" );
	// Nothing says what this is but the ending.
	check_bodies( "x.obj", "nonsense\nv 0 0 0\nv 1 0 0\nv 0 1 0\no a\nf 1 2 3\n", SCENE_SPLIT_OBJECT, "x/a:1" );
}

static void test_components( void **state ) {
	(void)state;
	static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nv 6 5 5\nv 5 6 5\nv 1 1 0\n"
	                           "f 1 2 3\nf 4 5 6\nf 2 7 3\n";
	check_bodies( "m.obj", text, SCENE_SPLIT_COMPONENT, "m/component-1:2 m/component-2:1" );
}

// Parts hold the triangles of the whole, each where it was.
static void test_parts_of_random_meshes( void **state ) {
	(void)state;
	rng r = rng_announce( "parts", 12 );
	for ( size_t n = rounds( 300 ); n-- > 0; ) {
		enum { VERTICES = 30, TRIANGLES = 40 };
		double positions[VERTICES][3];
		uint32_t corners[TRIANGLES][3], labels[TRIANGLES];
		size_t part_count = 0;
		for ( size_t i = 0; i < VERTICES; ++i )
			for ( int k = 0; k < 3; ++k )
				positions[i][k] = rng_unit( &r );
		const uint64_t most = 1 + rng_below( &r, 8 );
		for ( size_t i = 0; i < TRIANGLES; ++i ) {
			for ( int k = 0; k < 3; ++k )
				corners[i][k] = (uint32_t)rng_below( &r, VERTICES );
			labels[i] = (uint32_t)rng_below( &r, part_count < most ? part_count + 1 : most );
			part_count = labels[i] >= part_count ? labels[i] + 1 : part_count;
		}
		const dbvh_mesh_view view = {
		    .positions = positions, .vertex_count = VERTICES, .indices = corners, .triangle_count = TRIANGLES };
		dbvh_mesh *mesh, *parts[8];
		uint32_t *numbers[8];
		assert_int_equal( dbvh_mesh_create( &view, NULL, &mesh, NULL ), DBVH_OK );
		assert_int_equal( scene_cut( mesh, labels, part_count, parts, numbers, NULL ), DBVH_OK );
		size_t next[8] = { 0 };
		for ( size_t i = 0; i < TRIANGLES; ++i ) {
			const dbvh_mesh_view part = dbvh_mesh_get_view( parts[labels[i]] );
			assert_int_equal( numbers[labels[i]][next[labels[i]]], i );
			const uint32_t *at = (const uint32_t *)part.indices + 3 * next[labels[i]]++;
			assert_true( next[labels[i]] <= part.triangle_count && part.vertex_count <= VERTICES );
			for ( int k = 0; k < 3; ++k )
				assert_memory_equal( (const double *)part.positions + 3 * (size_t)at[k], positions[corners[i][k]],
				                     sizeof positions[0] );
		}
		for ( size_t i = 0; i < part_count; ++i ) {
			assert_int_equal( next[i], dbvh_mesh_get_view( parts[i] ).triangle_count );
			dbvh_mesh_destroy( parts[i] );
			free( numbers[i] );
		}
		dbvh_mesh_destroy( mesh );
	}
}

// A tetrahedron, and a face of one: `a` to `d` are numbers of vertices.
#define FACES( a, b, c, d ) "f " a " " c " " b "\nf " a " " b " " d "\nf " b " " c " " d "\nf " c " " a " " d "\n"
#define CORNERS( x ) "v " x " 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"

// Objects are bodies, but for those that continue each other across open edges.
static void test_objects_that_continue( void **state ) {
	(void)state;
	check_bodies( "plain.obj", CORNERS( "0" ) FACES( "1", "2", "3", "4" ), SCENE_SPLIT_AUTO, "plain:4" );
	check_bodies( "one.obj", CORNERS( "0" ) "o it\n" FACES( "1", "2", "3", "4" ), SCENE_SPLIT_AUTO, "one:4" );
	// Each closed: two bodies, though they share vertices, or a whole face.
	check_bodies( "two.obj",
	              CORNERS( "0" ) "v -1 0 0\no a\n" FACES( "1", "2", "3", "4" ) "o b\n" FACES( "1", "4", "3", "5" ),
	              SCENE_SPLIT_AUTO, "two/a:4 two/b:4" );
	// Patches of one surface, by number or by place.
	check_bodies( "patches.obj", CORNERS( "0" ) "g p\nf 1 3 2\nf 1 2 4\ng q\nf 2 3 4\nf 3 1 4\n", SCENE_SPLIT_AUTO,
	              "patches:4" );
	check_bodies( "patches.obj", CORNERS( "0" ) CORNERS( "-0" ) "g p\nf 1 3 2\nf 1 2 4\ng q\nf 6 7 8\nf 7 5 8\n",
	              SCENE_SPLIT_AUTO, "patches:4" );
	check_bodies( "patches.obj", CORNERS( "0" ) "g p\nf 1 3 2\nf 1 2 4\ng q\nf 2 3 4\nf 3 1 4\n", SCENE_SPLIT_OBJECT,
	              "patches/p:2 patches/q:2" );
	// Patches beside a body, and a sheet that touches nothing.
	check_bodies( "mixed.obj",
	              CORNERS( "0" ) CORNERS( "-9" ) "v 7 0 0\nv 8 0 0\nv 7 1 0\ng sheet\nf 9 10 11\ng p\nf 1 3 2\nf 1 2 "
	                                             "4\ng solid\n" FACES( "5", "6", "7", "8" ) "g q\nf 2 3 4\nf 3 1 4\n",
	              SCENE_SPLIT_AUTO, "mixed/sheet:1 mixed/p:4 mixed/solid:4" );
	check_bodies( "x.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", SCENE_SPLIT_AUTO, "x:1" );
}

// Joining objects is noted, and triangles keep the numbers of the file.
static void test_numbers_of_objects( void **state ) {
	(void)state;
	scene_model model = { 0 };
	read_mesh( "m.obj",
	           CORNERS( "0" ) CORNERS( "-9" ) "g p\nf 1 3 2\nf 1 2 4\ng solid\n" FACES( "5", "6", "7",
	                                                                                    "8" ) "g q\nf 2 3 4\nf 3 1 4\n",
	           SCENE_SPLIT_AUTO, &model );
	assert_int_equal( model.body_count, 2 );
	static const uint32_t numbers[2][4] = { { 0, 1, 6, 7 }, { 2, 3, 4, 5 } };
	for ( uint32_t body = 0; body < 2; ++body )
		for ( uint32_t i = 0; i < 4; ++i )
			assert_int_equal( scene_triangle_number( &model, body, i ), numbers[body][i] );
	assert_int_equal( model.note_count, 1 );
	assert_non_null( strstr( model.notes[0], "1 of its 3 objects continues another one" ) );
	scene_model_free( &model );
}

static void test_names( void **state ) {
	(void)state;
	static const struct {
		const char *from, *name, *beside;
	} cases[] = { { "a/b.json", "c.stl", "a/c.stl" },
	              { "b.json", "c.stl", "c.stl" },
	              { "a/b.json", "/c.stl", "/c.stl" },
	              { "a/b.json", "../c.stl", "a/../c.stl" },
	              { "a/b.urdf", "package://x/y", "package://x/y" } };
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		char *made = scene_name_beside( cases[i].from, cases[i].name );
		assert_string_equal( made, cases[i].beside );
		free( made );
	}
	static const char *const stems[][2] = {
	    { "a/b.stl", "b" }, { "b", "b" }, { ".b", ".b" }, { "a.b/c.d.e", "c.d" }, { "a/", "" } };
	for ( size_t i = 0; i < sizeof stems / sizeof stems[0]; ++i ) {
		char *made = scene_stem( stems[i][0] );
		assert_string_equal( made, stems[i][1] );
		free( made );
	}
	assert_true( scene_has_ending( "x.GLB", "glb" ) );
	assert_false( scene_has_ending( "glb", "glb" ) );
	assert_false( scene_has_ending( "x.glb/y", "glb" ) );
	assert_false( scene_has_ending( "x.glbx", "glb" ) );
}

static void test_what_a_file_is( void **state ) {
	(void)state;
	static const struct {
		const char *name, *text;
		bool is_scene;
	} cases[] = { { "a", "glTF\2", true },
	              { "a", "PK\3\4", true },
	              { "a.gltf", "{}", true },
	              { "a", " \n{\"asset\": 1}", true },
	              { "a.json", "", true },
	              { "a.urdf", "<robot/>", true },
	              { "a", "<?xml?><robot>", true },
	              { "a.stl", "solid x", false },
	              { "a.obj", "v 0 0 0", false },
	              { "a", "", false },
	              { "a.dae", "<COLLADA/>", true },
	              { "a.FBX", "", true },
	              { "a.obj/b", "", false },
	              { "a.stp", "", true },
	              { "a", " \nISO-10303-21;", true },
	              { "a.stl", "{ a header of 80 bytes", false } };
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i )
		if ( scene_is_scene_file( cases[i].name, (const unsigned char *)cases[i].text, strlen( cases[i].text ) ) !=
		     cases[i].is_scene )
			fail_msg( "%s with %s", cases[i].name, cases[i].text );
}

static void test_flatten( void **state ) {
	(void)state;
	scene_model model = { 0 };
	dbvh_mesh *mesh;
	dbvh_error error;
	assert_int_equal( scene_flatten( &model, &mesh, &error ), DBVH_EMPTY );
	assert_null( mesh );
	read_mesh( "a.obj", "v 0.1 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", SCENE_SPLIT_FILE, &model );
	dbvh_pose pose = { { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }, { 10, 20, 30 } };
	assert_int_equal( scene_add_body( &model, "b", 0, &pose ), 1 );
	assert_int_equal( scene_flatten( &model, &mesh, &error ), DBVH_OK );
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	static const double expected[6][3] = { { 0.1, 0, 0 },    { 1, 0, 0 },    { 0, 1, 0 },
	                                       { 10, 20.1, 30 }, { 10, 21, 30 }, { 9, 20, 30 } };
	assert_int_equal( view.vertex_count, 6 );
	assert_memory_equal( view.positions, expected, sizeof expected );
	for ( uint32_t i = 0; i < 6; ++i )
		assert_int_equal( ( (const uint32_t *)view.indices )[i], i );
	dbvh_mesh_destroy( mesh );
	scene_model_free( &model );
}

// Scaling and moving from a mark change only what was added after it.
static void test_moved_and_scaled( void **state ) {
	(void)state;
	scene_model model = { 0 };
	const char *text = "v 1 0 0\nv 2 0 0\nv 1 1 0\nf 1 2 3\n";
	read_mesh( "a.obj", text, SCENE_SPLIT_FILE, &model );
	const scene_mark mark = scene_mark_of( &model );
	read_mesh( "b.obj", text, SCENE_SPLIT_FILE, &model );
	model.bodies[1].pose.pos[0] = 5.0;
	model.bodies[1].sag = 0.25;
	const dbvh_pair_rule rule = {
	    .clearance = 1.0, .touch_gap = 2.0, .touch_overlap = 3.0, .allowed_depth = 0.5, .allowed_volume = 2.0 };
	assert_int_equal( scene_add_rule( &model, "b", NULL, &rule ), 0 );
	dbvh_error error;
	assert_int_equal( scene_scale_from( &model, &mark, 4.0, &error ), DBVH_OK );
	const dbvh_pose turn = { { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }, { 0, 0, 7 } };
	scene_move_from( &model, &mark, &turn );
	const dbvh_mesh_view a = dbvh_mesh_get_view( model.meshes[0].mesh ), b = dbvh_mesh_get_view( model.meshes[1].mesh );
	assert_true( ( (const double *)a.positions )[3] == 2.0 && ( (const double *)b.positions )[3] == 8.0 );
	assert_true( model.bodies[0].pose.pos[0] == 0.0 );
	assert_true( model.bodies[1].pose.pos[0] == 0.0 && model.bodies[1].pose.pos[1] == 20.0 &&
	             model.bodies[1].pose.pos[2] == 7.0 && model.bodies[1].pose.rot[1][0] == 1.0 );
	assert_true( model.bodies[1].sag == 1.0 );
	assert_true( model.rules[0].rule.clearance == 4.0 && model.rules[0].rule.touch_overlap == 12.0 );
	assert_true( model.rules[0].rule.allowed_depth == 2.0 && model.rules[0].rule.allowed_volume == 128.0 );
	assert_int_equal( scene_scale_from( &model, &mark, 1e308, &error ), DBVH_NOT_FINITE );
	scene_model_free( &model );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_objects_of_obj ),          cmocka_unit_test( test_solids_of_stl ),
	    cmocka_unit_test( test_formats_without_objects ), cmocka_unit_test( test_components ),
	    cmocka_unit_test( test_objects_that_continue ),   cmocka_unit_test( test_numbers_of_objects ),
	    cmocka_unit_test( test_parts_of_random_meshes ),  cmocka_unit_test( test_names ),
	    cmocka_unit_test( test_what_a_file_is ),          cmocka_unit_test( test_flatten ),
	    cmocka_unit_test( test_moved_and_scaled ),
	};
	return test_main( argc, argv, tests );
}
