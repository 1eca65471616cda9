// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/gltf/gltf.h"

#ifdef DUALBVH_WITH_JANSSON

#include "formats/gltf/base64.h"

#include <stdlib.h>
#include <string.h>

static int hex_value( char c ) {
	if ( c >= '0' && c <= '9' )
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// A copy of a URI without its %20 and the like. A zero byte among them would end the name: it stays as it is.
static char *decode_percents( const char *uri ) {
	char *made = malloc( strlen( uri ) + 1 ), *to = made;
	if ( made == NULL )
		return NULL;
	for ( ; *uri != '\0'; ++uri ) {
		const int high = *uri == '%' ? hex_value( uri[1] ) : -1, low = high >= 0 ? hex_value( uri[2] ) : -1;
		if ( low >= 0 && high + low > 0 ) {
			*to++ = (char)( 16 * high + low );
			uri += 2;
		} else {
			*to++ = *uri;
		}
	}
	*to = '\0';
	return made;
}

static bool open_data( gltf *g, size_t number, const char *uri ) {
	gltf_buffer *buffer = &g->buffers[number];
	const char *comma = strchr( uri, ',' );
	if ( comma == NULL || comma - uri < 7 || memcmp( comma - 7, ";base64", 7 ) != 0 )
		return gltf_refuse( g, DBVH_MALFORMED, "buffer %zu: its data: URI is not in base64", number );
	buffer->decoded = malloc( strlen( comma ) / 4 * 3 + 3 );
	if ( buffer->decoded == NULL )
		return gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for buffer %zu", number );
	if ( !scene_base64_decode( comma + 1, buffer->decoded, &buffer->count ) )
		return gltf_refuse( g, DBVH_MALFORMED, "buffer %zu: its data: URI is no sound base64", number );
	buffer->bytes = buffer->decoded;
	return true;
}

static bool open_file( gltf *g, size_t number, const char *uri ) {
	gltf_buffer *buffer = &g->buffers[number];
	char *name = decode_percents( uri );
	dbvh_error inner = { .byte = -1, .element = -1 };
	if ( name == NULL )
		return gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for buffer %zu", number );
	const bool opened = g->source->open( g->source->user, name, &buffer->opened, &buffer->opened_count, &inner );
	if ( opened ) {
		buffer->bytes = buffer->opened;
		buffer->count = buffer->opened_count;
	} else {
		gltf_refuse( g, inner.status, "buffer %zu, '%.60s': %.150s", number, name, inner.text );
	}
	free( name );
	return opened;
}

static bool open_buffer( gltf *g, size_t number ) {
	gltf_buffer *buffer = &g->buffers[number];
	const json_t *object = json_array_get( g->buffer_list, number ), *uri = json_object_get( object, "uri" );
	size_t promised = 0;
	if ( !json_is_object( object ) || json_object_get( object, "byteLength" ) == NULL )
		return gltf_refuse( g, DBVH_MALFORMED, "buffer %zu has no 'byteLength'", number );
	if ( !gltf_get_count( g, object, "buffer", number, "byteLength", &promised ) )
		return false;
	if ( uri != NULL && !json_is_string( uri ) )
		return gltf_refuse( g, DBVH_MALFORMED, "buffer %zu: its 'uri' is no text", number );
	if ( uri == NULL && ( number > 0 || g->binary == NULL ) )
		return gltf_refuse( g, DBVH_MALFORMED, "buffer %zu is missing: it has no 'uri', and %s", number,
		                    g->binary == NULL ? "the file has no binary chunk" : "the binary chunk is buffer 0" );
	if ( uri == NULL ) {
		buffer->bytes = g->binary;
		buffer->count = g->binary_count;
	} else {
		const char *text = json_string_value( uri );
		if ( !( strncmp( text, "data:", 5 ) == 0 ? open_data( g, number, text ) : open_file( g, number, text ) ) )
			return false;
		g->budget += 16 * buffer->count;
		g->decode_budget += 64 * buffer->count;
	}
	if ( buffer->count < promised )
		return gltf_refuse( g, DBVH_TRUNCATED, "buffer %zu has %zu bytes by its 'byteLength', but there are %zu",
		                    number, promised, buffer->count );
	buffer->count = promised;
	return true;
}

bool gltf_buffer_bytes( gltf *g, size_t number, const unsigned char **bytes_out, size_t *count_out ) {
	if ( g->buffers == NULL ) {
		g->buffer_count = gltf_count( g->buffer_list );
		g->buffers = calloc( g->buffer_count + 1, sizeof *g->buffers );
		if ( g->buffers == NULL )
			return gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for %zu buffers", g->buffer_count );
	}
	if ( number >= g->buffer_count )
		return gltf_refuse( g, DBVH_MALFORMED, "buffer %zu is named, but there %s %zu", number,
		                    g->buffer_count == 1 ? "is" : "are", g->buffer_count );
	if ( g->buffers[number].bytes == NULL && !open_buffer( g, number ) )
		return false;
	*bytes_out = g->buffers[number].bytes;
	*count_out = g->buffers[number].count;
	return true;
}

void gltf_buffers_free( gltf *g ) {
	for ( size_t i = 0; g->buffers != NULL && i < g->buffer_count; ++i ) {
		if ( g->buffers[i].opened != NULL )
			g->source->release( g->source->user, g->buffers[i].opened, g->buffers[i].opened_count );
		free( g->buffers[i].decoded );
	}
	free( g->buffers );
}

#else

typedef int gltf_buffer_is_empty;

#endif
