// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The bytes of a bufferView, as the file has them or as meshoptimizer decompresses them.

#include "formats/gltf/gltf.h"

#ifdef DUALBVH_WITH_JANSSON

#include <stdlib.h>
#include <string.h>

// Finds `length` bytes from `offset` on in a buffer. `what` and `number` name the part of the file that says so.
static bool find_bytes( gltf *g, const json_t *object, const char *what, size_t number, const unsigned char **bytes_out,
                        size_t *length_out ) {
	size_t buffer = SIZE_MAX, offset = 0, length = SIZE_MAX, buffer_length;
	if ( !gltf_get_count( g, object, what, number, "buffer", &buffer ) ||
	     !gltf_get_count( g, object, what, number, "byteOffset", &offset ) ||
	     !gltf_get_count( g, object, what, number, "byteLength", &length ) )
		return false;
	if ( buffer == SIZE_MAX || length == SIZE_MAX )
		return gltf_refuse( g, DBVH_MALFORMED, "%s %zu has no '%s'", what, number,
		                    buffer == SIZE_MAX ? "buffer" : "byteLength" );
	if ( !gltf_buffer_bytes( g, buffer, bytes_out, &buffer_length ) )
		return false;
	if ( offset > buffer_length || length > buffer_length - offset )
		return gltf_refuse( g, DBVH_MALFORMED, "%s %zu has %zu bytes from byte %zu on, but buffer %zu has only %zu",
		                    what, number, length, offset, buffer, buffer_length );
	*bytes_out += offset;
	*length_out = length;
	return true;
}

static bool is_one_of( const char *name, const char *const *names, int count, int *which_out ) {
	for ( int i = 0; i < count && name != NULL; ++i )
		if ( strcmp( name, names[i] ) == 0 ) {
			*which_out = i;
			return true;
		}
	return false;
}

// Reads what the extension says of a view, and checks what the decoder takes for granted.
static bool get_packed( gltf *g, const json_t *extension, size_t number, gltf_packed *p ) {
	static const char what[] = "the compressed bufferView";
	static const char *const modes[] = { "ATTRIBUTES", "TRIANGLES", "INDICES" };
	static const char *const filters[] = { "NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR" };
	const json_t *filter = json_object_get( extension, "filter" );
	int mode = 0, chosen = 0;
	if ( !gltf_get_count( g, extension, what, number, "byteStride", &p->stride ) ||
	     !gltf_get_count( g, extension, what, number, "count", &p->count ) ||
	     !find_bytes( g, extension, what, number, &p->bytes, &p->size ) )
		return false;
	const bool known = is_one_of( json_string_value( json_object_get( extension, "mode" ) ), modes, 3, &mode ) &&
	                   ( filter == NULL || is_one_of( json_string_value( filter ), filters, 5, &chosen ) );
	p->mode = (gltf_packed_mode)mode;
	p->filter = (gltf_packed_filter)chosen;
	const bool is_vertex = p->mode == GLTF_PACKED_ATTRIBUTES;
	const bool sound = is_vertex ? p->stride > 0 && p->stride <= 256 && p->stride % 4 == 0
	                             : ( p->stride == 2 || p->stride == 4 ) && p->filter == GLTF_FILTER_NONE &&
	                                   ( p->mode == GLTF_PACKED_INDICES || p->count % 3 == 0 );
	if ( !known || !sound || p->count == 0 )
		return gltf_refuse( g, DBVH_MALFORMED, "bufferView %zu is compressed with a wrong '%s'", number,
		                    !known         ? "mode' or 'filter"
		                    : p->count > 0 ? "byteStride' or 'count"
		                                   : "count" );
	return true;
}

// Decompresses a view once; the bytes stay until the file is closed. A byte of the format holds at most 64 bytes of
// vertices, so a file that promises more than its size allows is refused before any memory is taken.
static bool decode( gltf *g, size_t number, const json_t *extension, const char *name, gltf_view *out ) {
	gltf_packed p = { 0 };
	if ( !get_packed( g, extension, number, &p ) )
		return false;
	out->count = p.count <= SIZE_MAX / p.stride ? p.count * p.stride : SIZE_MAX;
	out->bytes = g->decoded[number];
	if ( out->bytes != NULL )
		return true;
	if ( out->count > g->decode_budget )
		return gltf_refuse( g, DBVH_LIMIT, "bufferView %zu promises %zu bytes, more than a file of this size holds",
		                    number, out->count );
	unsigned char *made = malloc( out->count );
	if ( made == NULL )
		return gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for bufferView %zu", number );
	if ( !gltf_meshopt_decode( g, number, name, &p, made ) ) {
		free( made );
		return false;
	}
	g->decode_budget -= out->count;
	out->bytes = g->decoded[number] = made;
	return true;
}

static const json_t *find_compression( const json_t *view, const char **name_out ) {
	static const char *const names[] = { "EXT_meshopt_compression", "KHR_meshopt_compression" };
	const json_t *found = NULL;
	for ( int i = 0; i < 2 && found == NULL; ++i ) {
		*name_out = names[i];
		found = gltf_extension( view, names[i] );
	}
	return found;
}

bool gltf_view_open( gltf *g, size_t number, const char *user, gltf_view *out ) {
	const json_t *object = g->views != NULL ? json_array_get( g->views, number ) : NULL;
	const char *name;
	*out = ( gltf_view ){ 0 };
	if ( object == NULL )
		return gltf_refuse( g, DBVH_MALFORMED, "%s names bufferView %zu, but there %s %zu", user, number,
		                    gltf_count( g->views ) == 1 ? "is" : "are", gltf_count( g->views ) );
	if ( !gltf_get_count( g, object, "bufferView", number, "byteStride", &out->stride ) )
		return false;
	const json_t *extension = find_compression( object, &name );
	if ( extension == NULL )
		return find_bytes( g, object, "bufferView", number, &out->bytes, &out->count );
	if ( g->decoded == NULL )
		g->decoded = calloc( gltf_count( g->views ), sizeof *g->decoded );
	if ( g->decoded == NULL )
		return gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for %zu bufferViews", gltf_count( g->views ) );
	return decode( g, number, extension, name, out );
}

void gltf_views_free( gltf *g ) {
	for ( size_t i = 0; g->decoded != NULL && i < gltf_count( g->views ); ++i )
		free( g->decoded[i] );
	free( g->decoded );
}

#else

typedef int gltf_view_is_empty;

#endif
