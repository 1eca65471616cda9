// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Scenes through assimp: a Collada file that is written here, and other formats that assimp exports from it.

#include "formats/files.h"
#include "memory_source.h"
#include "support/unit.h"

#include <assimp/cexport.h>
#include <assimp/cimport.h>
#include <stdlib.h>

#define NUMBERS "0 0 0 10 0 0 10 10 0 0 10 0 0 0 10 10 0 10 10 10 10 0 10 10"
#define CORNERS "0 3 2 1 4 5 6 7 0 1 5 4 2 3 7 6 1 2 6 5 3 0 4 7"
#define NODE( name, inside ) "<node id='" name "' name='" name "'>" inside "<instance_geometry url='#box'/></node>"
#define COLLADA( asset, numbers, corners, nodes )                                                                      \
	"<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset>" asset \
	"</asset><library_geometries><geometry id='box' name='box'><mesh><source id='p'><float_array id='pa' "             \
	"count='24'>" numbers "</float_array><technique_common><accessor source='#pa' count='8' stride='3'>"               \
	"<param name='X' type='float'/><param name='Y' type='float'/><param name='Z' type='float'/></accessor>"            \
	"</technique_common></source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"                 \
	"<polylist count='6'><input semantic='VERTEX' source='#v' offset='0'/><vcount>4 4 4 4 4 4</vcount><p>" corners     \
	"</p></polylist></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='scene'>" nodes     \
	"</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#scene'/></scene></COLLADA>"
#define MILLIMETRES "<unit name='millimeter' meter='0.001'/><up_axis>Z_UP</up_axis>"

// A box of 10 three times in a cell: as it is, turned about z, and stretched; and once more with a mirror.
static const char cell[] = COLLADA(
    MILLIMETRES, NUMBERS, CORNERS,
    "<node id='cell' name='cell'>" NODE( "left", "" ) NODE( "near",
                                                            "<matrix>0 -1 0 15 1 0 0 5 0 0 1 0 0 0 0 1</matrix>" )
        NODE( "far", "<matrix>1 0 0 40 0 1 0 0 0 0 2 0 0 0 0 1</matrix>" ) "</node>" NODE( "glass", "<matrix>-1 0 "
                                                                                                    "0 -20 0 1 0 0 "
                                                                                                    "0 0 1 0 0 0 0 "
                                                                                                    "1</matrix>" ) );

static dbvh_status read_named( const char *name, const void *bytes, size_t count, scene_model *model,
                               dbvh_error *error ) {
	memory_files no_files = { 0 };
	scene_source source = memory_source( &no_files );
	source.name = name;
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	const dbvh_status status = scene_read_bytes( bytes, count, &source, SCENE_SPLIT_FILE, model, error );
	assert_int_equal( no_files.opened, no_files.released );
	return status;
}

static void must_read( const char *name, const void *bytes, size_t count, scene_model *model ) {
	dbvh_error error;
	if ( read_named( name, bytes, count, model, &error ) != DBVH_OK )
		fail_msg( "%s: %s", name, error.text );
}

static dbvh_mesh_view view_of( const scene_model *model, const char *path ) {
	const uint32_t body = scene_names_find( &model->paths, path );
	if ( body == SCENE_NONE )
		fail_msg( "there is no '%s'", path );
	return dbvh_mesh_get_view( model->meshes[model->bodies[body].mesh].mesh );
}

static dbvh_pose pose_of( const scene_model *model, const char *path ) {
	return model->bodies[scene_names_find( &model->paths, path )].pose;
}

// Six times the volume, which turned triangles would make negative.
static double volume_of( const dbvh_mesh_view *view ) {
	const double *p = view->positions;
	double sum = 0.0;
	for ( size_t i = 0; i < view->triangle_count; ++i ) {
		const uint32_t *t = (const uint32_t *)view->indices + 3 * i;
		const double *a = p + 3 * t[0], *b = p + 3 * t[1], *c = p + 3 * t[2];
		sum += a[0] * ( b[1] * c[2] - b[2] * c[1] ) + a[1] * ( b[2] * c[0] - b[0] * c[2] ) +
		       a[2] * ( b[0] * c[1] - b[1] * c[0] );
	}
	return sum;
}

static void test_collada( void **state ) {
	(void)state;
	scene_model model = { 0 };
	must_read( "parts/cell.dae", cell, sizeof cell - 1, &model );
	assert_int_equal( model.body_count, 4 );
	assert_int_equal( model.mesh_count, 3 ); // left and near share one
	assert_true( model.metres == 0.001 );
	assert_int_equal( model.note_count, 0 );

	const dbvh_mesh_view left = view_of( &model, "cell/left" ), far = view_of( &model, "cell/far" ),
	                     glass = view_of( &model, "glass" );
	assert_ptr_equal( left.positions, view_of( &model, "cell/near" ).positions );
	assert_int_equal( left.triangle_count, 12 );
	assert_true( volume_of( &left ) == 6000.0 );
	assert_true( volume_of( &far ) == 12000.0 );
	assert_true( volume_of( &glass ) == 6000.0 );
	// The numbers of the file, neither scaled to metres nor turned to another axis.
	static const dbvh_pose turned = { { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }, { 15, 5, 0 } };
	const dbvh_pose near = pose_of( &model, "cell/near" );
	assert_memory_equal( near.pos, turned.pos, sizeof turned.pos );
	for ( int i = 0; i < 9; ++i )
		assert_true( near.rot[i / 3][i % 3] == turned.rot[i / 3][i % 3] );
	scene_model_free( &model );
}

static void test_units( void **state ) {
	(void)state;
	static const struct {
		const char *text;
		double metres;
	} cases[] = {
	    { COLLADA( "", NUMBERS, CORNERS, NODE( "a", "" ) ), 1.0 },
	    { COLLADA( "<unit meter='0.0254'/>", NUMBERS, CORNERS, NODE( "a", "" ) ), 0.0254 },
	    { COLLADA( "<unit meter='0.01'/><up_axis>X_UP</up_axis>", NUMBERS, CORNERS, NODE( "a", "" ) ), 0.01 },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_model model = { 0 };
		must_read( "a.dae", cases[i].text, strlen( cases[i].text ), &model );
		assert_true( model.metres == cases[i].metres );
		const dbvh_mesh_view view = view_of( &model, "a" );
		assert_true( volume_of( &view ) == 6000.0 );
		scene_model_free( &model );
	}
	// A scene in metres converts the file's unit.
	scene_model model = { .metres = 1.0 };
	must_read( "cell.dae", cell, sizeof cell - 1, &model );
	assert_true( model.metres == 1.0 && model.note_count == 1 );
	const dbvh_mesh_view left = view_of( &model, "cell/left" );
	assert_float_equal( volume_of( &left ), 6e-6, 1e-18 );
	assert_float_equal( pose_of( &model, "cell/near" ).pos[0], 0.015, 1e-15 );
	scene_model_free( &model );
}

#ifdef DUALBVH_WITH_EXPAT
// The Collada file of a link is one mesh, in metres.
static void test_robot( void **state ) {
	(void)state;
	static const char text[] =
	    "<robot><link name='a'><collision><geometry><mesh filename='cell.dae' scale='2 2 2'/></geometry></collision>"
	    "</link></robot>";
	const memory_file file = { "cell.dae", cell };
	memory_files files = { .files = &file, .count = 1 };
	const scene_source source = memory_source( &files );
	scene_model model = { 0 };
	dbvh_error error;
	if ( scene_read_urdf( (const unsigned char *)text, strlen( text ), &source, &model, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	assert_int_equal( model.body_count, 1 );
	const dbvh_mesh_view view = view_of( &model, "a" );
	assert_int_equal( view.triangle_count, 48 );
	assert_float_equal( volume_of( &view ), 8 * 30000e-9, 1e-15 );
	scene_model_free( &model );
}
#endif

// Calls take( bytes, count, user ) with the cell in another format.
static void with_export( const char *format, void ( *take )( const unsigned char *, size_t, void * ), void *user ) {
	const struct aiScene *scene = aiImportFileFromMemory( cell, sizeof cell - 1, 0, "dae" );
	assert_non_null( scene );
	const struct aiExportDataBlob *blob = aiExportSceneToBlob( scene, format, 0 );
	if ( blob == NULL )
		fail_msg( "assimp writes no %s: %s", format, aiGetErrorString() );
	take( blob->data, blob->size, user );
	aiReleaseExportBlob( blob );
	aiReleaseImport( scene );
}

static void check_fbx( const unsigned char *bytes, size_t count, void *user ) {
	(void)user;
	scene_model model = { 0 };
	must_read( "cell.fbx", bytes, count, &model );
	assert_int_equal( model.body_count, 4 );
	assert_true( model.metres == 0.01 ); // a unit of one centimetre, as it says
	const dbvh_mesh_view left = view_of( &model, "cell/left" );
	assert_int_equal( left.triangle_count, 12 );
	assert_true( volume_of( &left ) > 0.0 );
	scene_model_free( &model );
}

static void check_x( const unsigned char *bytes, size_t count, void *user ) {
	(void)user;
	scene_model model = { 0 };
	must_read( "cell.x", bytes, count, &model );
	assert_int_equal( model.body_count, 4 );
	assert_true( model.metres == 0.0 );
	double sum = 0.0;
	for ( size_t i = 0; i < model.body_count; ++i ) {
		const dbvh_mesh_view view = dbvh_mesh_get_view( model.meshes[model.bodies[i].mesh].mesh );
		assert_int_equal( view.triangle_count, 12 );
		assert_true( dbvh_pose_check( &model.bodies[i].pose, NULL, NULL ) == DBVH_OK );
		sum += volume_of( &view );
	}
	assert_float_equal( sum, 30000e-9, 1e-9 ); // assimp has made metres of it
	scene_model_free( &model );
}

static void test_fbx( void **state ) {
	(void)state;
	with_export( "fbxa", check_fbx, NULL );
}

static void test_x( void **state ) {
	(void)state;
	with_export( "x", check_x, NULL );
}

// ------------------------------------------------------------------------------------------------

static void test_refusals( void **state ) {
	(void)state;
	static const struct {
		const char *name, *text, *said;
		dbvh_status status;
	} cases[] = {
	    { "a.dae", "", "assimp cannot read it: ", DBVH_MALFORMED },
	    { "a.dae", "<COLLADA/>", "assimp cannot read it: ", DBVH_MALFORMED },
	    { "a.fbx", "; FBX 7.3.0 project file\nObjects: {", "assimp cannot read it: ", DBVH_MALFORMED },
	    { "a.3ds", "MM\1\2\3\4\5\6\7", "assimp cannot read it: ", DBVH_MALFORMED },
	    { "a.dae", COLLADA( "", NUMBERS, "99 3 2 1 4 5 6 7 0 1 5 4 2 3 7 6 1 2 6 5 3 0 4 7", NODE( "a", "" ) ), "99",
	      DBVH_MALFORMED },
	    { "a.dae", COLLADA( "", NUMBERS, CORNERS, "<node id='a' name='a'/>" ), "", DBVH_EMPTY },
	    { "a.dae", COLLADA( "", NUMBERS, CORNERS, NODE( "a", "<matrix>1 0 0 0 0 1 0 0 0 0 1 0 1 0 0 1</matrix>" ) ),
	      "node 'a': its matrix is not affine", DBVH_MALFORMED },
	    { "a.dae", COLLADA( "", NUMBERS, CORNERS, NODE( "a", "<scale>1 0 1</scale>" ) ), "", DBVH_EMPTY },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_model model = { 0 };
		dbvh_error error;
		const dbvh_status status = read_named( cases[i].name, cases[i].text, strlen( cases[i].text ), &model, &error );
		if ( status != cases[i].status || error.status != status || strstr( error.text, cases[i].said ) == NULL )
			fail_msg( "case %zu: status %d, %s", i, (int)status, error.text );
		scene_model_free( &model );
	}
}

static void test_depth( void **state ) {
	(void)state;
	enum { DEPTH = 300 };
	static const char begin[] = "<node>", end[] = "</node>", mark[] = "<node id='deep'";
	static const char text[] = COLLADA( "", NUMBERS, CORNERS, NODE( "deep", "" ) );
	const char *at = strstr( text, mark ), *behind = strstr( text, "</visual_scene>" );
	char *made = malloc( sizeof text + DEPTH * ( sizeof begin + sizeof end ) ), *to = made;
	assert_non_null( made );
	to += sprintf( to, "%.*s", (int)( at - text ), text );
	for ( int i = 0; i < DEPTH; ++i )
		to += sprintf( to, "%s", begin );
	to += sprintf( to, "%.*s", (int)( behind - at ), at );
	for ( int i = 0; i < DEPTH; ++i )
		to += sprintf( to, "%s", end );
	strcpy( to, behind );
	scene_model model = { 0 };
	dbvh_error error;
	assert_int_equal( read_named( "a.dae", made, strlen( made ), &model, &error ), DBVH_LIMIT );
	assert_non_null( strstr( error.text, "256 deep" ) );
	scene_model_free( &model );
	free( made );
}

// A truncated file is refused, whatever the format. `user`: the file's name.
static void cut( const unsigned char *bytes, size_t count, void *user ) {
	enum { CUTS = 40 };
	for ( size_t i = 0; i < CUTS; ++i ) {
		const size_t length = count * i / CUTS;
		unsigned char *exact = malloc( length + 1 );
		scene_model model = { 0 };
		dbvh_error error;
		memcpy( exact, bytes, length );
		if ( read_named( user, exact, length, &model, &error ) == DBVH_OK )
			fail_msg( "%s of %zu bytes is read", (const char *)user, length );
		assert_true( error.text[0] != '\0' );
		scene_model_free( &model );
		free( exact );
	}
}

static void test_cut_off( void **state ) {
	(void)state;
	cut( (const unsigned char *)cell, sizeof cell - 1, "a.dae" );
	with_export( "fbxa", cut, "a.fbx" );
	with_export( "fbx", cut, "a.fbx" );
	with_export( "3ds", cut, "a.3ds" );
	with_export( "x", cut, "a.x" );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
#ifdef DUALBVH_WITH_EXPAT
	    cmocka_unit_test( test_robot ),
#endif
	    cmocka_unit_test( test_collada ), cmocka_unit_test( test_units ),    cmocka_unit_test( test_fbx ),
	    cmocka_unit_test( test_x ),       cmocka_unit_test( test_refusals ), cmocka_unit_test( test_depth ),
	    cmocka_unit_test( test_cut_off ),
	};
	return test_main( argc, argv, tests );
}
