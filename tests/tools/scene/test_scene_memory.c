// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Every allocation of a reader fails once: it says so, and nothing is lost or used after. The linker puts the functions
// here in the place of the C library's (--wrap).

#include "memory_source.h"
#include "scene/files.h"
#include "support/unit.h"

#include <stdlib.h>
#include <string.h>

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

static const memory_file disk[] = {
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

static dbvh_status read_once( const char *name, const char *text, scene_split split, dbvh_error *error ) {
	memory_files files = { disk, sizeof disk / sizeof disk[0], 0, 0 };
	scene_source source = memory_source( &files );
	scene_model model = { 0 };
	dbvh_mesh *mesh = NULL;
	source.name = name;
	dbvh_status status = scene_read_bytes( (const unsigned char *)text, strlen( text ), &source, split, &model, error );
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

static void fail_each( const char *name, const char *text, scene_split split, size_t least ) {
	size_t failures = 0;
	for ( ;; ++failures ) {
		dbvh_error error = { .byte = -1, .element = -1 };
		left = (long)failures;
		const dbvh_status status = read_once( name, text, split, &error );
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

static void test_mesh_files( void **state ) {
	(void)state;
	fail_each( "t.obj", disk[0].text, SCENE_SPLIT_FILE, 8 );
	fail_each( "t.obj", disk[0].text, SCENE_SPLIT_OBJECT, 15 );
	fail_each( "t.obj", disk[0].text, SCENE_SPLIT_COMPONENT, 15 );
	fail_each( "t.stl", disk[1].text, SCENE_SPLIT_OBJECT, 15 );
}

static void test_gltf( void **state ) {
	(void)state;
	fail_each( "t.gltf", disk[3].text, SCENE_SPLIT_FILE, 100 );
}

static void test_json_scenes( void **state ) {
	(void)state;
	fail_each( "s.json", scene, SCENE_SPLIT_FILE, 200 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_mesh_files ),
	    cmocka_unit_test( test_gltf ),
	    cmocka_unit_test( test_json_scenes ),
	};
	return test_main( argc, argv, tests );
}
