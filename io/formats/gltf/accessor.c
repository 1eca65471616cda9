// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/gltf/gltf.h"

#ifdef DUALBVH_WITH_JANSSON

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t gltf_size_of( gltf_component component ) {
	switch ( component ) {
	case GLTF_BYTE:
	case GLTF_UBYTE:
		return 1;
	case GLTF_SHORT:
	case GLTF_USHORT:
		return 2;
	default:
		return 4;
	}
}

// One component as a number. glTF is little endian.
static double component_at( gltf_component component, const unsigned char *at ) {
	uint32_t bits = at[0];
	for ( size_t i = 1; i < gltf_size_of( component ); ++i )
		bits |= (uint32_t)at[i] << 8 * i;
	float real;
	switch ( component ) {
	case GLTF_BYTE:
		return bits < 0x80 ? (double)bits : (double)bits - 0x100;
	case GLTF_SHORT:
		return bits < 0x8000 ? (double)bits : (double)bits - 0x10000;
	case GLTF_FLOAT:
		memcpy( &real, &bits, sizeof real );
		return (double)real;
	default:
		return (double)bits;
	}
}

// `count` elements of `size` bytes, `stride` from each to the next, from byte `offset` of a view.
typedef struct span {
	const char *what; // "accessor 3", for sentences
	size_t view, offset, count, size, stride;
} span;

// The first byte of the span, after checking that it ends within the view.
static bool find_span( gltf *g, span *s, const unsigned char **bytes_out ) {
	gltf_view view;
	if ( !gltf_view_open( g, s->view, s->what, &view ) )
		return false;
	s->stride = s->stride == 0 && view.stride != 0 ? view.stride : s->size;
	if ( s->stride < s->size )
		return gltf_refuse( g, DBVH_MALFORMED, "bufferView %zu has elements every %zu bytes, but those of %s have %zu",
		                    s->view, s->stride, s->what, s->size );
	// The last element need not be followed by its padding.
	if ( s->offset > view.count || s->size > view.count - s->offset ||
	     ( s->count - 1 ) > ( view.count - s->offset - s->size ) / s->stride )
		return gltf_refuse( g, DBVH_MALFORMED,
		                    "%s has %zu elements of %zu bytes from byte %zu of bufferView %zu on, which has only %zu",
		                    s->what, s->count, s->size, s->offset, s->view, view.count );
	*bytes_out = view.bytes + s->offset;
	return true;
}

static bool open_sparse( gltf *g, const json_t *object, gltf_accessor *a ) {
	const json_t *sparse = json_object_get( object, "sparse" );
	const json_t *indices = json_object_get( sparse, "indices" ), *values = json_object_get( sparse, "values" );
	char what[64];
	size_t component = 0;
	if ( sparse == NULL )
		return true;
	snprintf( what, sizeof what, "accessor %zu, its sparse part,", a->number );
	span of_indices = { .what = what, .view = SIZE_MAX }, of_values = { .what = what, .view = SIZE_MAX };
	if ( !gltf_get_count( g, sparse, "sparse accessor", a->number, "count", &a->sparse_count ) ||
	     !gltf_get_count( g, indices, "sparse accessor", a->number, "bufferView", &of_indices.view ) ||
	     !gltf_get_count( g, indices, "sparse accessor", a->number, "byteOffset", &of_indices.offset ) ||
	     !gltf_get_count( g, indices, "sparse accessor", a->number, "componentType", &component ) ||
	     !gltf_get_count( g, values, "sparse accessor", a->number, "bufferView", &of_values.view ) ||
	     !gltf_get_count( g, values, "sparse accessor", a->number, "byteOffset", &of_values.offset ) )
		return false;
	if ( a->sparse_count == 0 || a->sparse_count > a->count ||
	     ( component != GLTF_UBYTE && component != GLTF_USHORT && component != GLTF_UINT ) )
		return gltf_refuse( g, DBVH_MALFORMED, "accessor %zu: its sparse part has a wrong 'count' or 'componentType'",
		                    a->number );
	a->sparse_component = (gltf_component)component;
	of_indices.count = of_values.count = a->sparse_count;
	of_indices.size = of_indices.stride = gltf_size_of( a->sparse_component );
	of_values.size = of_values.stride = a->width * gltf_size_of( a->component );
	if ( !find_span( g, &of_indices, &a->sparse_indices ) || !find_span( g, &of_values, &a->sparse_values ) )
		return false;
	double last = -1.0;
	for ( size_t i = 0; i < a->sparse_count; ++i ) {
		const double index = component_at( a->sparse_component, a->sparse_indices + i * of_indices.size );
		if ( !( index > last && index < (double)a->count ) )
			return gltf_refuse( g, DBVH_INDEX_RANGE, "accessor %zu: index %zu of its sparse part is %.0f, which is %s",
			                    a->number, i, index, index > last ? "beyond its end" : "not above the one before" );
		last = index;
	}
	return true;
}

// How many components an element of the type has; 0 for matrices and what is no type.
static size_t width_of( const char *type ) {
	static const char *const types[] = { "SCALAR", "VEC2", "VEC3", "VEC4" };
	for ( size_t i = 0; type != NULL && i < 4; ++i )
		if ( strcmp( type, types[i] ) == 0 )
			return i + 1;
	return 0;
}

bool gltf_accessor_open( gltf *g, size_t number, const char *user, gltf_accessor *out ) {
	const json_t *object = g->accessors != NULL ? json_array_get( g->accessors, number ) : NULL;
	if ( object == NULL )
		return gltf_refuse( g, DBVH_MALFORMED, "%s names accessor %zu, but there %s %zu", user, number,
		                    gltf_count( g->accessors ) == 1 ? "is" : "are", gltf_count( g->accessors ) );
	*out = ( gltf_accessor ){ .number = number };
	char what[32];
	size_t component = 0;
	snprintf( what, sizeof what, "accessor %zu", number );
	span s = { .what = what, .view = SIZE_MAX };
	if ( !gltf_get_count( g, object, "accessor", number, "count", &out->count ) ||
	     !gltf_get_count( g, object, "accessor", number, "componentType", &component ) ||
	     !gltf_get_count( g, object, "accessor", number, "bufferView", &s.view ) ||
	     !gltf_get_count( g, object, "accessor", number, "byteOffset", &s.offset ) )
		return false;
	out->width = width_of( json_string_value( json_object_get( object, "type" ) ) );
	out->component = (gltf_component)component;
	out->normalized = json_is_true( json_object_get( object, "normalized" ) );
	const bool known = component >= GLTF_BYTE && component <= GLTF_FLOAT && component != 5124;
	if ( out->count == 0 || out->width == 0 || !known )
		return gltf_refuse( g, DBVH_MALFORMED, "accessor %zu has a wrong '%s'", number,
		                    out->count == 0   ? "count"
		                    : out->width == 0 ? "type"
		                                      : "componentType" );
	s.count = out->count;
	s.size = out->width * gltf_size_of( out->component );
	if ( s.view == SIZE_MAX && s.count > g->most_zeros )
		return gltf_refuse( g, DBVH_LIMIT, "accessor %zu has %zu elements without a bufferView, which are zeros",
		                    number, s.count );
	if ( s.view != SIZE_MAX && !find_span( g, &s, &out->bytes ) )
		return false;
	out->stride = s.stride;
	return open_sparse( g, object, out );
}

// The bytes of element i; NULL: it is zero.
static const unsigned char *element( const gltf_accessor *a, size_t i ) {
	size_t low = 0, high = a->sparse_count;
	while ( low < high ) {
		const size_t middle = low + ( high - low ) / 2;
		const double index =
		    component_at( a->sparse_component, a->sparse_indices + middle * gltf_size_of( a->sparse_component ) );
		if ( index == (double)i )
			return a->sparse_values + middle * a->width * gltf_size_of( a->component );
		if ( index < (double)i )
			low = middle + 1;
		else
			high = middle;
	}
	return a->bytes != NULL ? a->bytes + i * a->stride : NULL;
}

void gltf_accessor_reals( const gltf_accessor *a, size_t i, double *out ) {
	const unsigned char *at = element( a, i );
	const double most = a->component == GLTF_BYTE     ? 127.0
	                    : a->component == GLTF_UBYTE  ? 255.0
	                    : a->component == GLTF_SHORT  ? 32767.0
	                    : a->component == GLTF_USHORT ? 65535.0
	                                                  : 1.0;
	for ( size_t k = 0; k < a->width; ++k ) {
		out[k] = at != NULL ? component_at( a->component, at + k * gltf_size_of( a->component ) ) : 0.0;
		if ( a->normalized && a->component != GLTF_FLOAT )
			out[k] = fmax( out[k] / most, -1.0 );
	}
}

uint32_t gltf_accessor_index( const gltf_accessor *a, size_t i ) {
	const unsigned char *at = element( a, i );
	return at != NULL ? (uint32_t)component_at( a->component, at ) : 0;
}

#else

typedef int gltf_accessor_is_empty;

#endif
