// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// GLB, the binary form of glTF 2.0.

#include "os/os.h"
#include "picture/bytes.h"
#include "picture/colours.h"
#include "picture/model.h"
#include "text/json.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT = 5126, UINT = 5125, ARRAY_BUFFER = 34962, INDEX_BUFFER = 34963, LINES = 1, TRIANGLES = 4 };

const unsigned char model_colours[MODEL_ROLE_COUNT][3] = { [MODEL_A] = { COLOUR_A },
                                                           [MODEL_B] = { COLOUR_B },
                                                           [MODEL_REST] = { COLOUR_REST },
                                                           [MODEL_CONTACT] = { COLOUR_CONTACT },
                                                           [MODEL_MARK] = { COLOUR_MARK } };

typedef struct writing {
	const model *m;
	const picture *p;
	json j;
	bytes data;
	double origin[3];
	size_t accessor;                   // the next one
	size_t material[MODEL_ROLE_COUNT]; // by role, where it is in use
	bool is_used[MODEL_ROLE_COUNT];
	bool is_too_large; // a coordinate, for a float
} writing;

// An object takes up to three accessors: positions, triangles, segments.
static size_t accessors_of( const model_object *o ) {
	return 1 + ( o->triangle_count > 0 ) + ( o->segment_count > 0 );
}

static bool is_drawn( const model_object *o ) {
	return o->point_count > 0 && o->triangle_count + o->segment_count > 0;
}

static void put_primitive( writing *w, size_t position, size_t indices, int mode, model_role role ) {
	json *j = &w->j;
	json_open( j, '{' );
	json_key( j, "attributes" );
	json_open( j, '{' );
	json_put_count( j, "POSITION", position );
	json_close( j, '}' );
	json_put_count( j, "indices", indices );
	json_put_count( j, "mode", (uint64_t)mode );
	json_put_count( j, "material", w->material[role] );
	json_close( j, '}' );
}

static void put_meshes( writing *w ) {
	json *j = &w->j;
	size_t accessor = 0;
	json_key( j, "meshes" );
	json_open( j, '[' );
	for ( size_t i = 0; i < w->m->count; ++i ) {
		const model_object *o = &w->m->objects[i];
		if ( !is_drawn( o ) )
			continue;
		json_open( j, '{' );
		json_put_string( j, "name", o->name );
		json_key( j, "primitives" );
		json_open( j, '[' );
		size_t next = accessor + 1;
		if ( o->triangle_count > 0 )
			put_primitive( w, accessor, next++, TRIANGLES, o->role );
		if ( o->segment_count > 0 )
			put_primitive( w, accessor, next, LINES, o->role );
		json_close( j, ']' );
		json_close( j, '}' );
		accessor += accessors_of( o );
	}
	json_close( j, ']' );
}

// The numbers that floats do not hold.
static void put_extras( writing *w ) {
	json *j = &w->j;
	json_key( j, "extras" );
	json_open( j, '{' );
	json_put_string( j, "generator", "dualbvh" );
	json_put_reals( j, "origin", w->origin, 3 );
	if ( w->p->metres > 0.0 )
		json_put_real( j, "metres", w->p->metres );
	json_key( j, "clashes" );
	json_open( j, '[' );
	for ( size_t i = 0; i < w->p->clash_count; ++i ) {
		const picture_clash *c = &w->p->clashes[i];
		json_open( j, '{' );
		json_put_string( j, "id", c->id );
		json_put_string( j, "kind", c->kind );
		json_put_string( j, "a", w->p->bodies[c->a].path );
		json_put_string( j, "b", w->p->bodies[c->b].path );
		json_put_string( j, "sentence", c->sentence );
		json_put_reals( j, "point", c->point, 3 );
		if ( c->type != NULL )
			json_put_string( j, "type", c->type );
		if ( c->has_depth )
			json_put_interval( j, "depth", c->depth );
		if ( c->has_volume )
			json_put_interval( j, "volume", c->volume );
		if ( c->has_move )
			json_put_reals( j, "separation", c->move, 3 );
		if ( c->has_witness ) {
			json_put_real( j, "distance", c->distance );
			json_put_reals( j, "point_a", c->witness[0], 3 );
			json_put_reals( j, "point_b", c->witness[1], 3 );
		}
		json_key( j, "points" );
		json_open( j, '[' );
		const size_t first = c->line_count > 0 ? w->p->lines[c->first_line].first : 0;
		const picture_line *last = c->line_count > 0 ? &w->p->lines[c->first_line + c->line_count - 1] : NULL;
		for ( size_t k = first; last != NULL && k < last->first + last->count; ++k )
			json_reals( j, w->p->points[k], 3 );
		json_close( j, ']' );
		json_close( j, '}' );
	}
	json_close( j, ']' );
	json_close( j, '}' );
}

static void put_nodes( writing *w ) {
	json *j = &w->j;
	size_t drawn = 0;
	for ( size_t i = 0; i < w->m->count; ++i )
		drawn += is_drawn( &w->m->objects[i] );
	json_put_count( j, "scene", 0 );
	json_key( j, "scenes" );
	json_open( j, '[' );
	json_open( j, '{' );
	json_key( j, "nodes" );
	json_open( j, '[' );
	json_count( j, 0 );
	json_close( j, ']' );
	json_close( j, '}' );
	json_close( j, ']' );
	json_key( j, "nodes" );
	json_open( j, '[' );
	json_open( j, '{' );
	json_put_string( j, "name", "dualbvh" );
	if ( drawn > 0 ) {
		json_key( j, "children" );
		json_open( j, '[' );
		for ( size_t i = 0; i < drawn; ++i )
			json_count( j, i + 1 );
		json_close( j, ']' );
	}
	put_extras( w );
	json_close( j, '}' );
	for ( size_t i = 0, mesh = 0; i < w->m->count; ++i ) {
		if ( !is_drawn( &w->m->objects[i] ) )
			continue;
		json_open( j, '{' );
		json_put_string( j, "name", w->m->objects[i].name );
		json_put_count( j, "mesh", mesh++ );
		json_close( j, '}' );
	}
	json_close( j, ']' );
}

// glTF has linear colours. Three digits, so that they are the same everywhere.
static double linear( unsigned char value ) {
	const double x = value / 255.0;
	return floor( 1000.0 * ( x <= 0.04045 ? x / 12.92 : pow( ( x + 0.055 ) / 1.055, 2.4 ) ) + 0.5 ) / 1000.0;
}

static void put_materials( writing *w ) {
	static const char *const names[MODEL_ROLE_COUNT] = { "A", "B", "rest", "contact", "mark" };
	json *j = &w->j;
	json_key( j, "materials" );
	json_open( j, '[' );
	for ( int i = 0; i < MODEL_ROLE_COUNT; ++i ) {
		if ( !w->is_used[i] )
			continue;
		json_open( j, '{' );
		json_put_string( j, "name", names[i] );
		json_key( j, "pbrMetallicRoughness" );
		json_open( j, '{' );
		const unsigned char *colour = model_colours[i];
		const double factor[4] = { linear( colour[0] ), linear( colour[1] ), linear( colour[2] ),
		                           i == MODEL_REST ? 0.25 : 1.0 };
		json_put_reals( j, "baseColorFactor", factor, 4 );
		json_put_real( j, "metallicFactor", 0.0 );
		json_put_real( j, "roughnessFactor", 0.8 );
		json_close( j, '}' );
		json_put_bool( j, "doubleSided", true );
		if ( i == MODEL_REST )
			json_put_string( j, "alphaMode", "BLEND" );
		json_close( j, '}' );
	}
	json_close( j, ']' );
}

// ------------------------------------------------------------------------------------------------
// Arrays

static void put_accessor( writing *w, size_t count, int type, const char *shape, const double *least,
                          const double *most ) {
	json *j = &w->j;
	json_open( j, '{' );
	json_put_count( j, "bufferView", w->accessor++ );
	json_put_count( j, "componentType", (uint64_t)type );
	json_put_count( j, "count", count );
	json_put_string( j, "type", shape );
	if ( least != NULL ) {
		json_put_reals( j, "min", least, 3 );
		json_put_reals( j, "max", most, 3 );
	}
	json_close( j, '}' );
}

static void put_accessors( writing *w ) {
	json *j = &w->j;
	json_key( j, "accessors" );
	json_open( j, '[' );
	for ( size_t i = 0; i < w->m->count; ++i ) {
		const model_object *o = &w->m->objects[i];
		double least[3] = { INFINITY, INFINITY, INFINITY }, most[3] = { -INFINITY, -INFINITY, -INFINITY };
		if ( !is_drawn( o ) )
			continue;
		for ( size_t k = 0; k < 3 * o->point_count; ++k ) {
			const double exact = o->points[k] - w->origin[k % 3];
			w->is_too_large |= !( fabs( exact ) <= (double)FLT_MAX );
			if ( w->is_too_large )
				break;
			const double x = (double)(float)exact;
			least[k % 3] = fmin( least[k % 3], x );
			most[k % 3] = fmax( most[k % 3], x );
			bytes_f32( &w->data, x );
		}
		put_accessor( w, o->point_count, FLOAT, "VEC3", least, most );
		for ( size_t k = 0; k < o->triangle_count; ++k )
			bytes_u32( &w->data, o->triangles[k] );
		if ( o->triangle_count > 0 )
			put_accessor( w, o->triangle_count, UINT, "SCALAR", NULL, NULL );
		for ( size_t k = 0; k < o->segment_count; ++k )
			bytes_u32( &w->data, o->segments[k] );
		if ( o->segment_count > 0 )
			put_accessor( w, o->segment_count, UINT, "SCALAR", NULL, NULL );
	}
	json_close( j, ']' );
}

static void put_view( writing *w, size_t *offset, size_t count, int target ) {
	json *j = &w->j;
	json_open( j, '{' );
	json_put_count( j, "buffer", 0 );
	json_put_count( j, "byteOffset", *offset );
	json_put_count( j, "byteLength", count );
	json_put_count( j, "target", (uint64_t)target );
	json_close( j, '}' );
	*offset += count;
}

static void put_views( writing *w ) {
	json *j = &w->j;
	size_t offset = 0;
	json_key( j, "bufferViews" );
	json_open( j, '[' );
	for ( size_t i = 0; i < w->m->count; ++i ) {
		const model_object *o = &w->m->objects[i];
		if ( !is_drawn( o ) )
			continue;
		put_view( w, &offset, 12 * o->point_count, ARRAY_BUFFER );
		if ( o->triangle_count > 0 )
			put_view( w, &offset, 4 * o->triangle_count, INDEX_BUFFER );
		if ( o->segment_count > 0 )
			put_view( w, &offset, 4 * o->segment_count, INDEX_BUFFER );
	}
	json_close( j, ']' );
}

static void put_document( writing *w ) {
	json *j = &w->j;
	size_t drawn = 0;
	for ( size_t i = 0; i < w->m->count; ++i ) {
		drawn += is_drawn( &w->m->objects[i] );
		w->is_used[w->m->objects[i].role] |= is_drawn( &w->m->objects[i] );
	}
	for ( size_t i = 0, next = 0; i < MODEL_ROLE_COUNT; ++i ) {
		w->material[i] = next;
		next += w->is_used[i];
	}
	json_open( j, '{' );
	json_key( j, "asset" );
	json_open( j, '{' );
	json_put_string( j, "version", "2.0" );
	json_put_string( j, "generator", "dualbvh" );
	json_close( j, '}' );
	put_nodes( w );
	if ( drawn > 0 ) {
		put_materials( w );
		put_meshes( w );
		put_accessors( w );
		put_views( w );
		json_key( j, "buffers" );
		json_open( j, '[' );
		json_open( j, '{' );
		json_put_count( j, "byteLength", w->data.count );
		json_close( j, '}' );
		json_close( j, ']' );
	}
	json_close( j, '}' );
}

// Header and two chunks, as long as 32 bits say.
static void put_chunks( const bytes *data, const char *text, size_t size, uint64_t json_size, uint64_t whole,
                        bytes *out ) {
	bytes_put( out, "glTF", 4 );
	bytes_u32( out, 2 );
	bytes_u32( out, (uint32_t)whole );
	bytes_u32( out, (uint32_t)json_size );
	bytes_put( out, "JSON", 4 );
	bytes_put( out, text, size );
	bytes_align( out, 4, ' ' );
	if ( data->count > 0 ) {
		bytes_u32( out, (uint32_t)data->count );
		bytes_put( out, "BIN", 4 );
		bytes_put( out, data->at, data->count );
	}
}

dbvh_status model_write_glb( const model *m, const picture *p, FILE *file ) {
	writing w = { .m = m, .p = p };
	os_text text;
	const dbvh_aabb all = picture_bounds( p );
	for ( int k = 0; k < 3; ++k )
		w.origin[k] = p->body_count > 0 ? 0.5 * all.min[k] + 0.5 * all.max[k] : 0.0;
	if ( !os_text_open( &text ) )
		return DBVH_OUT_OF_MEMORY;
	w.j.file = text.stream;
	put_document( &w );
	bytes out = { 0 };
	const bool has_text = os_text_close( &text );
	const uint64_t json_size = ( (uint64_t)text.count + 3 ) / 4 * 4;
	const uint64_t whole = 20 + json_size + ( w.data.count > 0 ? 8 + (uint64_t)w.data.count : 0 );
	dbvh_status status = !has_text || w.data.has_failed         ? DBVH_OUT_OF_MEMORY
	                     : w.is_too_large || whole > UINT32_MAX ? DBVH_LIMIT
	                                                            : DBVH_OK;
	if ( status == DBVH_OK ) {
		put_chunks( &w.data, text.bytes, text.count, json_size, whole, &out );
		if ( out.has_failed )
			status = DBVH_OUT_OF_MEMORY;
		else
			fwrite( out.at, 1, out.count, file );
	}
	bytes_free( &out );
	bytes_free( &w.data );
	free( text.bytes );
	return status;
}
