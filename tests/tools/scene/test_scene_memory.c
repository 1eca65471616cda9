// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Every allocation of a reader fails once: it says so, and nothing is lost or used after. The linker puts the functions
// here in the place of the C library's (--wrap).

#include "assembly/joints.h"
#include "formats/files.h"
#include "memory_source.h"
#include "support/unit.h"

#include <stdlib.h>
#include <string.h>

// A static libzip, as that for Windows, fails here, too, and takes a want of memory for a file that is no archive.
#if defined( DUALBVH_WITH_LIBZIP ) && !defined( _WIN32 )
#define SHARES_LIBZIP 1
#else
#define SHARES_LIBZIP 0
#endif

#if defined( DUALBVH_WITH_EXPAT ) && SHARES_LIBZIP
#include "zip_files.h"
#endif

// Allocations until one fails; below 0: none does.
static long left = -1;

void *__real_malloc( size_t size );
void *__real_calloc( size_t count, size_t size );
void *__real_realloc( void *memory, size_t size );
void *__wrap_malloc( size_t size );
void *__wrap_calloc( size_t count, size_t size );
void *__wrap_realloc( void *memory, size_t size );

static bool fails( void ) {
	return left >= 0 && left-- == 0;
}

void *__wrap_malloc( size_t size ) {
	return fails() ? NULL : __real_malloc( size );
}

void *__wrap_calloc( size_t count, size_t size ) {
	return fails() ? NULL : __real_calloc( count, size );
}

void *__wrap_realloc( void *memory, size_t size ) {
	return fails() ? NULL : __real_realloc( memory, size );
}

static const char urdf[] =
    "<robot><link name='a'><collision><geometry><mesh filename='t.stl' scale='1 2 -3'/></geometry></collision>"
    "<collision name='n'><geometry><sphere radius='1'/></geometry></collision></link><link "
    "name='b'><collision><geometry>"
    "<box size='1 1 1'/></geometry></collision><collision><geometry><box size='1 1 1'/></geometry></collision></link>"
    "<link name='c'><collision><geometry><sphere radius='0'/></geometry></collision></link><link name='d'/>"
    "<joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint><joint name='k' type='prismatic'>"
    "<parent link='b'/><child link='c'/></joint><joint name='l' type='floating'><parent link='c'/><child link='d'/>"
    "<mimic joint='k'/></joint></robot>";

static const memory_file disk[] = {
    { "r.urdf", urdf },
    { "r.srdf",
      "<robot><group_state name='s' group='g'><joint name='j' value='9'/></group_state><group_state name='s' "
      "group='h'><joint name='l' value='0'/></group_state><disable_collisions link1='a' link2='b' reason='r'/>"
      "<disable_default_collisions link='b'/><enable_collisions link1='b' link2='a'/></robot>" },
    { "t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\no a\nf 1 2 3\ng b\nf 4 5 6\n" },
    { "t.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
               "endsolid\n" },
    { "data.bin", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz" },
    { "t.gltf",
      "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"data.bin\"},{\"byteLength\":3,"
      "\"uri\":\"data:;base64,AAEC\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":1,\"byteLength\":"
      "3}],"
      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3},{\"bufferView\":1,"
      "\"componentType\":5121,\"type\":\"SCALAR\",\"count\":3}],\"meshes\":[{\"name\":\"m\",\"primitives\":[{"
      "\"attributes\":{"
      "\"POSITION\":0},\"indices\":1}]}],\"nodes\":[{\"name\":\"n\",\"mesh\":0,\"skin\":0,\"children\":[1,2]},{"
      "\"mesh\":0,"
      "\"scale\":[2,2,-2]},{\"name\":\"n\",\"mesh\":0}]}" },
};

static const char scene[] =
    "{\"unit\":\"mm\",\"include\":[{\"file\":\"t.gltf\",\"name\":\"c\",\"scale\":2,\"pose\":{\"translation\":[1,2,3]}}]"
    ","
    "\"bodies\":[{\"file\":\"t.stl\",\"name\":\"a\",\"scale\":[1,2,-3],\"groups\":[\"g\"]},{\"file\":\"t.obj\","
    "\"split\":"
    "\"component\"},{\"file\":\"t.stl\"}],\"defaults\":{\"touch\":true},\"rules\":[{\"a\":\"a\",\"b\":\"t\","
    "\"clearance\":3,"
    "\"name\":\"n\",\"reason\":\"r\"}],\"ignore\":[{\"a\":\"a\",\"b\":\"t\",\"reason\":\"r\"}]}";

static dbvh_status read_once( const char *name, const void *bytes, size_t count, scene_split split,
                              dbvh_error *error ) {
	memory_files files = { disk, sizeof disk / sizeof disk[0], 0, 0 };
	scene_source source = memory_source( &files );
	scene_model model = { 0 };
	dbvh_mesh *mesh = NULL;
	source.name = name;
	dbvh_status status = scene_read_bytes( (const unsigned char *)bytes, count, &source, split, &model, error );
	if ( status == DBVH_OK )
		status = scene_flatten( &model, &mesh, error );
	const long before = left;
	left = -1;
	dbvh_mesh_destroy( mesh );
	scene_model_free( &model );
	assert_int_equal( files.opened, files.released );
	left = before;
	return status;
}

static void fail_each_of( const char *name, const void *bytes, size_t count, scene_split split, size_t least ) {
	size_t failures = 0;
	dbvh_error none;
	// Once without failures: the runtime of gcc for Windows allocates variables of threads at their first use, and
	// aborts where it cannot.
	assert_int_equal( read_once( name, bytes, count, split, &none ), DBVH_OK );
	for ( ;; ++failures ) {
		dbvh_error error = { .byte = -1, .element = -1 };
		left = (long)failures;
		const dbvh_status status = read_once( name, bytes, count, split, &error );
		const bool has_failed = left < 0;
		left = -1;
		if ( !has_failed ) {
			assert_int_equal( status, DBVH_OK );
			break;
		}
		if ( status != DBVH_OUT_OF_MEMORY || error.status != status || error.text[0] == '\0' )
			fail_msg( "%s, allocation %zu: %s: %s", name, failures, dbvh_status_name( status ), error.text );
	}
	printf( "%s: %zu failures\n", name, failures );
	assert_true( failures >= least );
}

static void fail_each( const char *name, const char *text, scene_split split, size_t least ) {
	fail_each_of( name, text, strlen( text ), split, least );
}

static void test_mesh_files( void **state ) {
	(void)state;
	fail_each( "t.obj", disk[2].text, SCENE_SPLIT_FILE, 8 );
	fail_each( "t.obj", disk[2].text, SCENE_SPLIT_OBJECT, 15 );
	fail_each( "t.obj", disk[2].text, SCENE_SPLIT_COMPONENT, 15 );
	fail_each( "t.obj", disk[2].text, SCENE_SPLIT_AUTO, 15 );
	fail_each( "t.stl", disk[3].text, SCENE_SPLIT_OBJECT, 15 );
}

static void test_gltf( void **state ) {
	(void)state;
	fail_each( "t.gltf", disk[5].text, SCENE_SPLIT_FILE, 100 );
}

static void test_json_scenes( void **state ) {
	(void)state;
	fail_each( "s.json", scene, SCENE_SPLIT_FILE, 200 );
}

#ifdef DUALBVH_WITH_EXPAT
static void test_robots( void **state ) {
	(void)state;
	fail_each( "r.urdf", urdf, SCENE_SPLIT_FILE, 80 );
	// With an SRDF, under a prefix.
	fail_each( "s.json", "{\"include\":[{\"file\":\"r.urdf\",\"srdf\":\"r.srdf\",\"name\":\"x\"}]}", SCENE_SPLIT_FILE,
	           150 );
}

static dbvh_status read_rows_once( scene_model *model, const char *text, dbvh_error *error ) {
	scene_rows rows;
	const dbvh_status status =
	    scene_read_joints( (const unsigned char *)text, strlen( text ), model, NULL, &rows, error );
	scene_rows_free( &rows );
	return status;
}

static void test_rows( void **state ) {
	(void)state;
	static const char rows[] = "k,j\n1,2\n3,4\n1,2\n3,4\n1,2\n3,4\n1,2\n3,4\n1,2\n3,4\n";
	memory_files files = { disk, sizeof disk / sizeof disk[0], 0, 0 };
	const scene_source source = memory_source( &files );
	scene_model model = { 0 };
	dbvh_error error;
	assert_int_equal( scene_read_urdf( (const unsigned char *)urdf, strlen( urdf ), &source, &model, &error ),
	                  DBVH_OK );
	size_t failures = 0;
	for ( ;; ++failures ) {
		left = (long)failures;
		const dbvh_status status = read_rows_once( &model, rows, &error );
		const bool has_failed = left < 0;
		left = -1;
		if ( !has_failed )
			break;
		assert_int_equal( status, DBVH_OUT_OF_MEMORY );
	}
	assert_true( failures >= 8 );
	scene_model_free( &model );
}
#endif

#if defined( DUALBVH_WITH_EXPAT ) && SHARES_LIBZIP
static void test_3mf( void **state ) {
	(void)state;
	static const char root[] =
	    "<model><resources><object id='1' name='a' type='model'><mesh><vertices><vertex x='0' y='0' z='0'/>"
	    "<vertex x='1' y='0' z='0'/><vertex x='0' y='1' z='0'/></vertices><triangles><triangle v1='0' v2='1' v3='2'/>"
	    "</triangles></mesh></object><object id='2'><components><component objectid='1'/><component objectid='1' "
	    "transform='2 0 0 0 2 0 0 0 -2 1 2 3'/></components></object><object id='3' type='support'/></resources>"
	    "<build><item objectid='2'/><item objectid='3'/></build></model>";
	static const char settings[] =
	    "<config><object id='2'><metadata key='name' value='b'/><part id='1'/></object></config>";
	static const char rels[] = "<r><Relationship Type='http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel' "
	                           "Target='/m.model'/></r>";
	const zip_text texts[] = {
	    { "_rels/.rels", rels }, { "m.model", root }, { "Metadata/model_settings.config", settings } };
	size_t count;
	unsigned char *bytes = zip_texts( texts, 3, &count );
	fail_each_of( "p.3mf", bytes, count, SCENE_SPLIT_FILE, 30 );
	free( bytes );
}
#endif

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( test_mesh_files ),
		cmocka_unit_test( test_gltf ),
		cmocka_unit_test( test_json_scenes ),
#ifdef DUALBVH_WITH_EXPAT
		cmocka_unit_test( test_robots ),
		cmocka_unit_test( test_rows ),
#endif
#if defined( DUALBVH_WITH_EXPAT ) && SHARES_LIBZIP
		cmocka_unit_test( test_3mf ),
#endif
	};
	return test_main( argc, argv, tests );
}
