// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/gltf/gltf.h"

#ifdef DUALBVH_WITH_JANSSON

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gltf_refuse( gltf *g, dbvh_status status, const char *format, ... ) {
	char text[sizeof g->error->text];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text, sizeof text, format, arguments );
	va_end( arguments );
	scene_refuse( g->error, status, "%s", text );
	return false;
}

size_t gltf_count( const json_t *array ) {
	return array != NULL ? json_array_size( array ) : 0;
}

bool gltf_get_count( gltf *g, const json_t *object, const char *what, size_t number, const char *key, size_t *out ) {
	const json_t *value = json_object_get( object, key );
	if ( value == NULL || scene_json_is_count( value, out ) )
		return true;
	return gltf_refuse( g, DBVH_MALFORMED, "%s %zu: '%s' is no whole number from 0", what, number, key );
}

bool gltf_get_reals( gltf *g, const json_t *object, const char *what, size_t number, const char *key, size_t count,
                     double *out, bool *found_out ) {
	const json_t *value = json_object_get( object, key );
	*found_out = value != NULL;
	if ( value == NULL )
		return true;
	if ( !json_is_array( value ) || json_array_size( value ) != count )
		return gltf_refuse( g, DBVH_MALFORMED, "%s %zu: '%s' is no array of %zu numbers", what, number, key, count );
	for ( size_t i = 0; i < count; ++i ) {
		const json_t *x = json_array_get( value, i );
		if ( !json_is_number( x ) )
			return gltf_refuse( g, DBVH_MALFORMED, "%s %zu: '%s' has something in it that is no number", what, number,
			                    key );
		out[i] = json_number_value( x );
	}
	return true;
}

bool gltf_get_array( gltf *g, const json_t *object, const char *what, size_t number, const char *key,
                     const json_t **out ) {
	*out = json_object_get( object, key );
	if ( *out == NULL || json_is_array( *out ) )
		return true;
	return gltf_refuse( g, DBVH_MALFORMED, "%s %zu: '%s' is no array", what, number, key );
}

const json_t *gltf_extension( const json_t *object, const char *name ) {
	return json_object_get( json_object_get( object, "extensions" ), name );
}

// ------------------------------------------------------------------------------------------------
// GLB

static uint32_t get_word( const unsigned char *bytes ) {
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// Finds the chunks of a GLB. Those of unknown types are skipped.
static bool find_chunks( gltf *g, const unsigned char *bytes, size_t count, const unsigned char **json_out,
                         size_t *json_count_out ) {
	static const uint32_t type_json = 0x4e4f534a, type_binary = 0x004e4942;
	if ( count < 20 )
		return gltf_refuse( g, DBVH_TRUNCATED, "the GLB ends after %zu bytes; its header alone has 20", count );
	const uint32_t version = get_word( bytes + 4 ), length = get_word( bytes + 8 );
	if ( version != 2 )
		return gltf_refuse( g, DBVH_UNKNOWN_FORMAT, "the GLB is of version %lu; version 2 is read",
		                    (unsigned long)version );
	if ( length > count )
		return gltf_refuse( g, DBVH_TRUNCATED, "the GLB has %lu bytes by its header, but the file has %zu",
		                    (unsigned long)length, count );
	if ( length < count )
		return gltf_refuse( g, DBVH_MALFORMED, "the GLB has %lu bytes by its header, but the file goes on to %zu",
		                    (unsigned long)length, count );
	*json_out = NULL;
	for ( size_t at = 12, chunk = 0; at < count; ++chunk ) {
		if ( count - at < 8 )
			return gltf_refuse( g, DBVH_TRUNCATED, "the GLB ends in the header of chunk %zu", chunk );
		const size_t size = get_word( bytes + at );
		const uint32_t type = get_word( bytes + at + 4 );
		at += 8;
		if ( size > count - at )
			return gltf_refuse( g, DBVH_TRUNCATED, "chunk %zu of the GLB has %zu bytes by its header, but %zu follow",
			                    chunk, size, count - at );
		if ( ( chunk == 0 ) != ( type == type_json ) )
			return gltf_refuse( g, DBVH_MALFORMED, "the first chunk of a GLB, and no other one, is JSON" );
		if ( type == type_json ) {
			*json_out = bytes + at;
			*json_count_out = size;
		} else if ( type == type_binary && g->binary == NULL ) {
			g->binary = bytes + at;
			g->binary_count = size;
		}
		at += size;
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// What the file asks for

// Is a file that requires the extension read? Materials, lights and the like leave positions, triangles and nodes as
// they are.
static bool is_read( const char *name ) {
	static const char *const beginnings[] = { "KHR_materials_", "KHR_texture_",  "KHR_lights_",    "EXT_lights_",
	                                          "EXT_texture_",   "MSFT_texture_", "KHR_animation_", "KHR_xmp" };
	static const char *const names[] = { "EXT_mesh_gpu_instancing", "KHR_mesh_quantization", "EXT_meshopt_compression",
	                                     "KHR_meshopt_compression", "KHR_draco_mesh_compression" };
	for ( size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; ++i )
		if ( strncmp( name, beginnings[i], strlen( beginnings[i] ) ) == 0 )
			return true;
	for ( size_t i = 0; i < sizeof names / sizeof names[0]; ++i )
		if ( strcmp( name, names[i] ) == 0 )
			return true;
	return false;
}

static bool check_extensions( gltf *g ) {
	const json_t *required;
	if ( !gltf_get_array( g, g->root, "file", 0, "extensionsRequired", &required ) )
		return false;
	for ( size_t i = 0; i < gltf_count( required ); ++i ) {
		const char *name = json_string_value( json_array_get( required, i ) );
		if ( name == NULL )
			return gltf_refuse( g, DBVH_MALFORMED, "'extensionsRequired' has something in it that is no name" );
		if ( !is_read( name ) )
			return gltf_refuse( g, DBVH_UNKNOWN_FORMAT,
			                    "the file requires the extension %.60s, which is not known here", name );
	}
	return true;
}

static bool check_version( gltf *g ) {
	const json_t *asset = json_object_get( g->root, "asset" );
	const char *version = json_string_value( json_object_get( asset, "version" ) );
	const char *least = json_string_value( json_object_get( asset, "minVersion" ) );
	if ( version == NULL )
		return gltf_refuse( g, DBVH_MALFORMED, "the file has no 'asset' with a 'version', as every glTF has" );
	if ( strncmp( version, "2.", 2 ) != 0 || ( least != NULL && strcmp( least, "2.0" ) != 0 ) )
		return gltf_refuse( g, DBVH_UNKNOWN_FORMAT, "the file is glTF %.20s; version 2.0 is read",
		                    least != NULL ? least : version );
	return true;
}

bool gltf_open( gltf *g, const unsigned char *bytes, size_t count ) {
	const unsigned char *text = bytes;
	size_t text_count = count;
	if ( count >= 4 && memcmp( bytes, "glTF", 4 ) == 0 && !find_chunks( g, bytes, count, &text, &text_count ) )
		return false;
	// Exporters write the headers of binary files, zeros and all, into extras.
	g->root = scene_json_load( text, text_count, true, g->error );
	if ( g->root == NULL || !check_version( g ) || !check_extensions( g ) )
		return false;
	g->most_zeros = ( (size_t)1 << 20 ) + 16 * count;
	g->budget = g->most_zeros;
	g->decode_budget = ( (size_t)1 << 20 ) + 64 * count;
	return gltf_get_array( g, g->root, "file", 0, "nodes", &g->nodes ) &&
	       gltf_get_array( g, g->root, "file", 0, "meshes", &g->meshes ) &&
	       gltf_get_array( g, g->root, "file", 0, "accessors", &g->accessors ) &&
	       gltf_get_array( g, g->root, "file", 0, "bufferViews", &g->views ) &&
	       gltf_get_array( g, g->root, "file", 0, "buffers", &g->buffer_list );
}

void gltf_close( gltf *g ) {
	gltf_views_free( g );
	gltf_buffers_free( g );
	free( g->numbers );
	free( g->unpacked );
	json_decref( g->root );
}

#else

typedef int gltf_container_is_empty;

#endif
