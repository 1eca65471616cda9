// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// 3MF packages: what they become, and what is refused.

#include "formats/files.h"
#include "support/unit.h"
#include "zip_files.h"

#include <stdio.h>

static dbvh_status read_texts( const zip_text *texts, size_t count, scene_model *model, dbvh_error *error ) {
	size_t byte_count;
	unsigned char *bytes = zip_texts( texts, count, &byte_count );
	const dbvh_status status = scene_read_3mf( bytes, byte_count, NULL, model, error );
	assert_int_equal( status, error->status );
	free( bytes );
	return status;
}

static dbvh_status read_model( const char *text, scene_model *model, dbvh_error *error ) {
	const zip_text file = { "3D/3dmodel.model", text };
	return read_texts( &file, 1, model, error );
}

static void read_good( const zip_text *texts, size_t count, scene_model *model ) {
	dbvh_error error;
	if ( read_texts( texts, count, model, &error ) != DBVH_OK )
		fail_msg( "line %lld: %s", (long long)error.line, error.text );
}

#define MODEL "<?xml version='1.0'?>\n<model unit='millimeter' xmlns='core' xmlns:p='x/production/2015'>"
#define MESH                                                                                                           \
	"<mesh><vertices><vertex x='0' y='0' z='0'/><vertex x='1' y='0' z='0'/><vertex x='0' y='2' z='0'/>"                \
	"<vertex x='0' y='0' z='3'/></vertices><triangles><triangle v1='0' v2='2' v3='1'/>"                                \
	"<triangle v1='0' v2='1' v3='3'/><triangle v1='0' v2='3' v3='2'/><triangle v1='1' v2='2' v3='3'/></triangles>"     \
	"</mesh>"
#define OBJECT( attributes, content ) "<object " attributes ">" content "</object>\n"

static void test_plate( void **state ) {
	(void)state;
	static const char root[] = MODEL "<metadata name='Title'>t</metadata><resources>\n" OBJECT(
	    "id='1' name='tetra'", MESH ) OBJECT( "id='3'", MESH ) OBJECT( "id='4' type='support'", MESH )
	    OBJECT( "id='9'", "<mesh/>" ) OBJECT( "id='2' name='pair'",
	                                          "<components><component objectid='1'/>"
	                                          "<component objectid='1' transform='0 1 0 -1 0 0 0 0 1 10 20 30'/>"
	                                          "<component objectid='4'/></components>" )
	        OBJECT(
	            "id='5'",
	            "<components><component objectid='2' transform='2 0 0 0 2 0 0 0 2 0 0 1'/>"
	            "<component p:path='/3D/more.model' objectid='1'/></components>" ) "</resources>\n<build><item "
	                                                                               "objectid='2'/><item objectid='3' "
	                                                                               "transform='-1 0 0 0 1 0 0 0 1 5 0 "
	                                                                               "0'/>"
	                                                                               "<item objectid='5' transform='1 0 "
	                                                                               "0 0 1 0 0 0 1 100 0 0'/><item "
	                                                                               "objectid='1'/><item "
	                                                                               "objectid='9'/></build></model>";
	static const char more[] = MODEL
	    "<resources>" OBJECT( "id='1' name='far'", MESH ) "</resources><build><item objectid='77'/></build></model>";
	static const char rels[] = "<Relationships><Relationship Type='other' Target='/x'/><Relationship "
	                           "Type='http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel' Id='r' "
	                           "Target='/3D/root.model'/></Relationships>";
	const zip_text texts[] = { { "_rels/.rels", rels }, { "3D/ROOT.model", root }, { "3D/more.model", more } };
	scene_model model = { 0 };
	read_good( texts, 3, &model );
	assert_true( model.metres == 0.001 );
	static const struct {
		const char *path;
		uint32_t mesh;
		double pos[3];
	} expected[] = { { "pair/tetra", 0, { 0, 0, 0 } },
	                 { "pair/tetra#2", 0, { 10, 20, 30 } },
	                 { "object-3", 1, { 5, 0, 0 } },
	                 { "object-5/pair/tetra", 2, { 100, 0, 1 } },
	                 { "object-5/pair/tetra#2", 2, { 120, 40, 61 } },
	                 { "object-5/far", 3, { 100, 0, 0 } },
	                 { "tetra", 0, { 0, 0, 0 } } };
	assert_int_equal( model.body_count, 7 );
	for ( size_t i = 0; i < 7; ++i ) {
		const scene_body *body = &model.bodies[i];
		assert_string_equal( body->path, expected[i].path );
		assert_int_equal( body->mesh, expected[i].mesh );
		for ( int k = 0; k < 3; ++k )
			assert_true( body->pose.pos[k] == expected[i].pos[k] );
		assert_int_equal( dbvh_pose_check( &body->pose, NULL, NULL ), DBVH_OK );
	}
	// Rows of M are where the axes go: x goes to y, y to -x.
	const dbvh_pose *turned = &model.bodies[1].pose;
	assert_true( turned->rot[1][0] == 1.0 && turned->rot[0][1] == -1.0 && turned->rot[2][2] == 1.0 );
	// The scale is in the mesh.
	const dbvh_mesh_view v = dbvh_mesh_get_view( model.meshes[2].mesh );
	assert_true( ( (const double *)v.positions )[3] == 2.0 );
	assert_int_equal( model.note_count, 2 );
	assert_string_equal( model.notes[0], "2 objects of type support, surface or other are left out" );
	assert_string_equal( model.notes[1], "1 object without triangles is left out" );
	scene_model_free( &model );
}

static void test_units( void **state ) {
	(void)state;
	static const struct {
		const char *attribute;
		double metres;
	} units[] = { { "", 0.001 },
	              { "unit='micron'", 1e-6 },
	              { "unit='centimeter'", 0.01 },
	              { "unit='inch'", 0.0254 },
	              { "unit='foot'", 0.3048 },
	              { "unit='meter'", 1.0 } };
	for ( size_t i = 0; i < sizeof units / sizeof units[0]; ++i ) {
		char text[2000];
		snprintf( text, sizeof text, "<model %s><resources>%s</resources><build><item objectid='1'/></build></model>",
		          units[i].attribute, OBJECT( "id='1'", MESH ) );
		scene_model model = { 0 };
		dbvh_error error;
		assert_int_equal( read_model( text, &model, &error ), DBVH_OK );
		assert_true( model.metres == units[i].metres );
		scene_model_free( &model );
	}
}

#define BUILD( items ) "</resources><build>" items "</build></model>"
#define ONE( content, items ) MODEL "<resources>" content BUILD( items )
#define ITEM "<item objectid='1'/>"
#define VERTEX "<vertex x='0' y='0' z='0'/>"

static void test_refusals( void **state ) {
	(void)state;
	static const struct {
		const char *text, *sentence;
	} cases[] = {
	    { "", "not sound XML" },
	    { MODEL, "not sound XML" },
	    { "<robot/>", "3D/3dmodel.model: a model of 3MF begins with <model>, and this one with <robot>" },
	    { "<model unit='mile'/>", "'mile' is no unit" },
	    { "<model/>", "nothing is to be built: there is no <item>" },
	    { ONE( OBJECT( "", MESH ), ITEM ), "<object> has no id" },
	    { ONE( OBJECT( "id='-1'", MESH ), ITEM ), "id of <object> is a whole number, and '-1' is not" },
	    { ONE( OBJECT( "id='99999999999999999999'", MESH ), ITEM ), "id of <object> is a whole number" },
	    { ONE( OBJECT( "id='1'", MESH ) OBJECT( "id='1'", MESH ), ITEM ), "two objects 1" },
	    { ONE( OBJECT( "id='1'", MESH ), "<item objectid='7'/>" ),
	      "build item 1: 3D/3dmodel.model has no object 7, which is to be built" },
	    { ONE( OBJECT( "id='1'", "<components><component objectid='8'/></components>" ), ITEM ),
	      "has no object 8, which is a component" },
	    { ONE( OBJECT( "id='1'", "<components><component objectid='1'/></components>" ), ITEM ),
	      "object 1 is a component of itself" },
	    { ONE( OBJECT( "id='1'", "<components><component objectid='2'/></components>" )
	               OBJECT( "id='2'", "<components><component objectid='1'/></components>" ),
	           ITEM ),
	      "object 1 is a component of itself" },
	    { ONE( OBJECT( "id='1'", "<components><component p:path='/3d/3DMODEL.model' objectid='1'/></components>" ),
	           ITEM ),
	      "is a component of itself" },
	    { ONE( OBJECT( "id='1'", "<components><component p:path='/3D/x.model' objectid='1'/></components>" ), ITEM ),
	      "there is no '3D/x.model' in the archive" },
	    { ONE( OBJECT( "id='1'", MESH ), "<item objectid='1' transform='1 2 3'/>" ), "a transform is twelve numbers" },
	    { ONE( OBJECT( "id='1'", MESH ), "<item objectid='1' transform='1 0 0 0 1 0 0 0 0 0 0 0'/>" ),
	      "build item 1: 'object-1': its transform flattens it" },
	    { ONE( OBJECT( "id='1'", MESH ), "<item objectid='1' transform='1 0 0 0 1 0 0 0 inf 0 0 0'/>" ),
	      "a transform is twelve numbers" },
	    { ONE( OBJECT( "id='1' type='other'", MESH ), ITEM ), "nothing that is to be built has triangles" },
	    { ONE( OBJECT( "id='1'", "" ), ITEM ), "nothing that is to be built has triangles" },
	    { ONE( OBJECT( "id='1'", "<mesh><vertices>" VERTEX "<vertex x='0' y='b' z='0'/></vertices></mesh>" ), ITEM ),
	      "object 1: y of vertex 1 is a number, and 'b' is not" },
	    { ONE( OBJECT( "id='1'", "<mesh><vertices>" VERTEX VERTEX VERTEX "</vertices><triangles>"
	                             "<triangle v1='0' v2='1' v3='3'/></triangles></mesh>" ),
	           ITEM ),
	      "object 1: triangle 0 names vertex 3, and there are 3" },
	    { ONE( OBJECT( "id='1'", "<mesh><vertices>" VERTEX "</vertices><triangles><triangle v1='0' v2='0'/>"
	                             "</triangles></mesh>" ),
	           ITEM ),
	      "<triangle> has no v3" },
	    { "<model requiredextensions='p v' xmlns:p='a/production/b' xmlns:v='a/volumetric/b'/>",
	      "the file needs the extension 'v' (a/volumetric/b)" },
	    { "<!DOCTYPE m [<!ENTITY a 'x'>]><model/>", "the entity 'a' is declared here" },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_model model = { 0 };
		dbvh_error error;
		const dbvh_status status = read_model( cases[i].text, &model, &error );
		if ( status == DBVH_OK || strstr( error.text, cases[i].sentence ) == NULL )
			fail_msg( "case %zu: %s: %s\nfor %s", i, dbvh_status_name( status ), error.text, cases[i].text );
		scene_model_free( &model );
	}
}

// ------------------------------------------------------------------------------------------------
// Archives

static void test_archives( void **state ) {
	(void)state;
	scene_model model = { 0 };
	dbvh_error error;
	size_t count;
	const zip_text texts[] = { { "readme", "no model here" },
	                           { "3D/3dmodel.model", ONE( OBJECT( "id='1'", MESH ), ITEM ) } };
	assert_int_equal( read_texts( texts, 1, &model, &error ), DBVH_MALFORMED );
	assert_non_null( strstr( error.text, "there is no '3D/3dmodel.model' in the archive" ) );
	assert_int_equal( read_texts( texts, 2, &model, &error ), DBVH_OK );
	scene_model_free( &model );

	unsigned char *bytes = zip_texts( texts, 2, &count );
	size_t refused = 0;
	for ( size_t cut = 0; cut < count; ++cut ) {
		refused += scene_read_3mf( bytes, cut, NULL, &model, &error ) != DBVH_OK;
		scene_model_free( &model );
	}
	assert_int_equal( refused, count );
	// One byte wrong, anywhere: refused, or read as before (names of times and the like).
	for ( size_t at = 0; at < count; ++at ) {
		bytes[at] ^= 0x41;
		scene_read_3mf( bytes, count, NULL, &model, &error );
		scene_model_free( &model );
		bytes[at] ^= 0x41;
	}
	// The bit that says "encrypted", in the local header and in the directory.
	for ( size_t at = 0; at + 4 < count; ++at ) {
		if ( memcmp( bytes + at, "PK\3\4", 4 ) == 0 )
			bytes[at + 6] |= 1;
		if ( memcmp( bytes + at, "PK\1\2", 4 ) == 0 )
			bytes[at + 8] |= 1;
	}
	assert_int_equal( scene_read_3mf( bytes, count, NULL, &model, &error ), DBVH_UNKNOWN_FORMAT );
	assert_non_null( strstr( error.text, "'3D/3dmodel.model' of the archive is encrypted" ) );
	free( bytes );
	assert_int_equal( scene_read_3mf( (const unsigned char *)"PK\3\4 and more", 13, NULL, &model, &error ),
	                  DBVH_MALFORMED );
	assert_non_null( strstr( error.text, "no sound zip archive" ) );
}

static void test_bombs( void **state ) {
	(void)state;
	enum { LENGTH = 30 << 20 };
	char *text = malloc( LENGTH + 100 );
	scene_model model = { 0 };
	dbvh_error error;
	memset( text, ' ', LENGTH );
	strcpy( text + LENGTH, "<model/>" );
	assert_int_equal( read_model( text, &model, &error ), DBVH_LIMIT );
	assert_non_null( strstr( error.text, "'3D/3dmodel.model' has 31457288 bytes unpacked, far more than" ) );
	// Components in components: 10^12 bodies in a few lines.
	size_t at = (size_t)sprintf( text, "%s<resources>%s", MODEL, OBJECT( "id='1'", MESH ) );
	for ( int level = 2; level <= 13; ++level ) {
		at += (size_t)sprintf( text + at, "<object id='%d'><components>", level );
		for ( int i = 0; i < 10; ++i )
			at += (size_t)sprintf( text + at, "<component objectid='%d'/>", level - 1 );
		at += (size_t)sprintf( text + at, "</components></object>" );
	}
	// The mesh has no triangles, so that only the count of the copies can be refused.
	char *mesh = strstr( text, "<triangles>" );
	memset( mesh, ' ', (size_t)( strstr( text, "</triangles>" ) + strlen( "</triangles>" ) - mesh ) );
	strcpy( text + at, BUILD( "<item objectid='13'/>" ) );
	assert_int_equal( read_model( text, &model, &error ), DBVH_LIMIT );
	assert_non_null( strstr( error.text, "place more than 4194304 objects" ) );
	// A chain of components.
	at = (size_t)sprintf( text, "%s<resources>%s", MODEL, OBJECT( "id='1'", MESH ) );
	for ( int level = 2; level <= 1000; ++level )
		at +=
		    (size_t)sprintf( text + at, "<object id='%d'><components><component objectid='%d'/></components></object>",
		                     level, level - 1 );
	strcpy( text + at, BUILD( "<item objectid='1000'/>" ) );
	assert_int_equal( read_model( text, &model, &error ), DBVH_LIMIT );
	assert_non_null( strstr( error.text, "nested more than 100 deep" ) );
	scene_model_free( &model );
	free( text );
}

// Names and helpers as slicers write them.
static void test_labels( void **state ) {
	(void)state;
	static const char root[] = MODEL "<resources>" OBJECT( "id='1'", MESH ) OBJECT( "id='2' name='own'", MESH )
	    OBJECT( "id='3'", MESH ) OBJECT( "id='4'", "<components><component objectid='1'/><component objectid='2'/>"
	                                               "<component objectid='3'/></components>" )
	        BUILD( "<item objectid='4'/><item objectid='3'/>" );
	static const char settings[] =
	    "<config><object id='4'><metadata key='name' value='plate'/><metadata key='extruder' value='1'/>"
	    "<part id='1' subtype='normal_part'><metadata key='name' value='box'/></part>"
	    "<part id='2' subtype='normal_part'><metadata key='name' value='other'/></part>"
	    "<part id='3' subtype='modifier_part'><metadata key='name' value='dense'/></part></object>"
	    "<object id='x'><metadata key='name' value='nobody'/></object><plate><metadata key='name' value='p'/></plate>"
	    "</config>";
	static const char others[] = "<config><object id='3' instances_count='1'><metadata type='object' key='name' "
	                             "value='lid'/><volume><metadata type='volume' key='name' value='v'/></volume>"
	                             "</object></config>";
	const zip_text texts[] = { { "3D/3dmodel.model", root },
	                           { "Metadata/model_settings.config", settings },
	                           { "Metadata/Slic3r_PE_model.config", others } };
	scene_model model = { 0 };
	read_good( texts, 3, &model );
	static const char *const paths[] = { "plate/box", "plate/own", "lid" };
	assert_int_equal( model.body_count, 3 );
	for ( size_t i = 0; i < 3; ++i )
		assert_string_equal( model.bodies[i].path, paths[i] );
	assert_int_equal( model.note_count, 1 );
	assert_string_equal( model.notes[0], "1 part is left out that modifies or supports others" );
	scene_model_free( &model );
	// Settings that are no XML give no names.
	const zip_text broken[] = { { "3D/3dmodel.model", root }, { "Metadata/model_settings.config", "{}" } };
	read_good( broken, 2, &model );
	assert_int_equal( model.body_count, 4 );
	assert_string_equal( model.bodies[0].path, "object-4/object-1" );
	scene_model_free( &model );
}

static void test_many_items( void **state ) {
	(void)state;
	enum { COUNT = 100000 };
	char *text = malloc( (size_t)COUNT * 100 );
	size_t at =
	    (size_t)sprintf( text, "%s<resources>%s</resources><build>", MODEL, OBJECT( "id='1' name='bolt'", MESH ) );
	for ( int i = 0; i < COUNT; ++i )
		at += (size_t)sprintf( text + at, "<item objectid='1' transform='1 0 0 0 1 0 0 0 1 %d 0 0'/>", 2 * i );
	strcpy( text + at, "</build></model>" );
	scene_model model = { 0 };
	const zip_text file = { "3D/3dmodel.model", text };
	read_good( &file, 1, &model );
	assert_int_equal( model.body_count, COUNT );
	assert_int_equal( model.mesh_count, 1 );
	assert_string_equal( model.bodies[COUNT - 1].path, "bolt#100000" );
	scene_model_free( &model );
	free( text );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_plate ),      cmocka_unit_test( test_units ), cmocka_unit_test( test_refusals ),
	    cmocka_unit_test( test_archives ),   cmocka_unit_test( test_bombs ), cmocka_unit_test( test_labels ),
	    cmocka_unit_test( test_many_items ),
	};
	return test_main( argc, argv, tests );
}
