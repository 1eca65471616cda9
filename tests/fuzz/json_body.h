// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One input of the fuzzers of glTF and of JSON scenes.

#pragma once

#include "scene_body.h"

// Files that inputs may name: their names end with the letter.
static inline const char *fuzz_json_file( const char *name ) {
	static const struct {
		char letter;
		const char *text;
	} files[] = {
	    { 'l', "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
	           "endsolid\n" },
	    { 'j', "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no b\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 4 5 6\n" },
	    { 'n', "{\"bodies\":[{\"file\":\"a.obj\"}],\"rules\":[{\"a\":\"*\",\"touch\":true}]}" },
	    { 'f', "<robot name='r'><link name='base'/><link name='arm'><collision><geometry><box size='1 1 1'/></geometry>"
	           "</collision></link><joint name='elbow' type='revolute'><parent link='base'/><child link='arm'/>"
	           "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>" },
	    { 'b', "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz" },
	};
	const size_t length = strlen( name );
	for ( size_t i = 0; i < sizeof files / sizeof files[0] && length > 0; ++i )
		if ( name[length - 1] == files[i].letter )
			return files[i].text;
	return NULL;
}

// `user` counts what is open.
static inline bool fuzz_json_open( void *user, const char *name, unsigned char **bytes_out, size_t *count_out,
                                   dbvh_error *error ) {
	const char *text = fuzz_json_file( name );
	if ( text == NULL ) {
		*error = ( dbvh_error ){ .status = DBVH_IO, .byte = -1, .element = -1, .text = "it is not there" };
		return false;
	}
	// A block of exactly the text's length, so that AddressSanitizer sees a read beyond the end.
	*count_out = strlen( text );
	*bytes_out = malloc( *count_out );
	FUZZ_REQUIRE( *bytes_out != NULL );
	memcpy( *bytes_out, text, *count_out );
	++*(size_t *)user;
	return true;
}

static inline void fuzz_json_release( void *user, unsigned char *bytes, size_t count ) {
	(void)count;
	--*(size_t *)user;
	free( bytes );
}

typedef dbvh_status ( *fuzz_json_reader )( const unsigned char *bytes, size_t count, const scene_source *source,
                                           scene_model *model, dbvh_error *error );

static inline dbvh_status fuzz_json_read( const void *bytes, size_t count, fuzz_json_reader reader ) {
	size_t open = 0;
	const scene_source source = {
	    .open = fuzz_json_open, .release = fuzz_json_release, .user = &open, .name = "input" };
	scene_model model = { 0 };
	dbvh_error error = { .byte = -1, .element = -1 }, flat_error;
	const dbvh_status status = reader( bytes, count, &source, &model, &error );
	FUZZ_REQUIRE( error.byte >= -1 && error.byte <= (int64_t)count );
	FUZZ_REQUIRE( error.line >= 0 && error.line <= (int64_t)count + 1 );
	FUZZ_REQUIRE( open == 0 );
	if ( status == DBVH_OK ) {
		dbvh_mesh *mesh;
		FUZZ_REQUIRE( model.body_count > 0 );
		const dbvh_status flat = scene_flatten( &model, &mesh, &flat_error );
		FUZZ_REQUIRE( ( flat == DBVH_OK ) == ( mesh != NULL ) );
		dbvh_mesh_destroy( mesh );
	}
	return fuzz_judge( status, &error, &model );
}

static inline dbvh_status fuzz_gltf( const void *bytes, size_t count ) {
	return fuzz_json_read( bytes, count, scene_read_gltf );
}

static inline dbvh_status fuzz_scene_json( const void *bytes, size_t count ) {
	return fuzz_json_read( bytes, count, scene_read_json );
}
