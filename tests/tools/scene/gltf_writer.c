// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "gltf_writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gltf_test_put( gltf_test_bytes *out, const void *bytes, size_t count ) {
	if ( count == 0 )
		return;
	if ( out->count + count > out->room ) {
		out->room = 2 * ( out->count + count );
		out->bytes = realloc( out->bytes, out->room );
		if ( out->bytes == NULL )
			abort();
	}
	memcpy( out->bytes + out->count, bytes, count );
	out->count += count;
}

void gltf_test_print( gltf_test_bytes *out, const char *format, ... ) {
	char text[1024];
	va_list arguments;
	va_start( arguments, format );
	const int length = vsnprintf( text, sizeof text, format, arguments );
	va_end( arguments );
	gltf_test_put( out, text, (size_t)length );
}

// ------------------------------------------------------------------------------------------------
// Accessors

typedef struct writer {
	rng *r;
	gltf_test_bytes binary, views, accessors, meshes;
	size_t view_count, accessor_count;
} writer;

static bool chance( writer *w, unsigned percent ) {
	return rng_below( w->r, 100 ) < percent;
}

static void comma( gltf_test_bytes *out, size_t before ) {
	if ( before > 0 )
		gltf_test_print( out, "," );
}

// A view of elements, each followed by `gap` bytes, with `lead` bytes before the first. Returns its number.
static size_t add_view( writer *w, const void *elements, size_t size, size_t count, size_t gap, size_t lead ) {
	static const unsigned char junk[64] = { 0xde, 0xad, 0xbe, 0xef };
	gltf_test_put( &w->binary, junk, ( 4 - w->binary.count % 4 ) % 4 );
	const size_t offset = w->binary.count;
	gltf_test_put( &w->binary, junk, lead );
	for ( size_t i = 0; i < count; ++i ) {
		gltf_test_put( &w->binary, (const unsigned char *)elements + i * size, size );
		gltf_test_put( &w->binary, junk, i + 1 < count ? gap : 0 );
	}
	comma( &w->views, w->view_count );
	gltf_test_print( &w->views, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", offset,
	                 w->binary.count - offset );
	if ( gap > 0 )
		gltf_test_print( &w->views, ",\"byteStride\":%zu", size + gap );
	gltf_test_print( &w->views, "}" );
	return w->view_count++;
}

static size_t put_indices( writer *w, const uint32_t *indices, size_t count, int type, unsigned char *out ) {
	const size_t size = type == 5121 ? 1 : type == 5123 ? 2 : 4;
	(void)w;
	for ( size_t i = 0; i < count; ++i )
		for ( size_t k = 0; k < size; ++k )
			out[i * size + k] = (unsigned char)( indices[i] >> 8 * k & 0xff );
	return size;
}

static const int index_types[] = { 5121, 5123, 5125 };

// Write an accessor of positions, some of them in its sparse part, or, without a view, all that are not zero.
static size_t add_positions( writer *w, const gltf_test_mesh *m ) {
	float base[GLTF_MOST_CORNERS][3], values[GLTF_MOST_CORNERS][3];
	uint32_t moved[GLTF_MOST_CORNERS];
	size_t moved_count = 0;
	const size_t gap = chance( w, 50 ) ? 4 * rng_below( w->r, 4 ) : 0, lead = chance( w, 50 ) ? 8 : 0;
	const bool is_sparse = chance( w, 40 ), has_view = !is_sparse || chance( w, 60 );
	memcpy( base, m->positions, sizeof base );
	for ( uint32_t i = 0; is_sparse && i < m->position_count; ++i ) {
		if ( has_view && chance( w, 60 ) )
			continue;
		memcpy( values[moved_count], m->positions[i], sizeof values[0] );
		moved[moved_count++] = i;
		for ( int k = 0; k < 3; ++k )
			base[i][k] = 1e30f;
	}
	comma( &w->accessors, w->accessor_count );
	if ( has_view ) {
		const size_t view = add_view( w, base, sizeof base[0], m->position_count, gap, lead );
		gltf_test_print( &w->accessors, "{\"bufferView\":%zu,\"byteOffset\":%zu,", view, lead );
	} else {
		gltf_test_print( &w->accessors, "{" );
	}
	gltf_test_print( &w->accessors, "\"componentType\":5126,\"type\":\"VEC3\",\"count\":%zu", m->position_count );
	if ( moved_count > 0 ) {
		unsigned char bytes[4 * GLTF_MOST_CORNERS];
		const int type = index_types[rng_below( w->r, 3 )];
		const size_t size = put_indices( w, moved, moved_count, type, bytes );
		const size_t of_indices = add_view( w, bytes, size, moved_count, 0, 0 );
		const size_t of_values = add_view( w, values, sizeof values[0], moved_count, 0, 0 );
		gltf_test_print( &w->accessors,
		                 ",\"sparse\":{\"count\":%zu,\"indices\":{\"bufferView\":%zu,\"componentType\":%d},"
		                 "\"values\":{\"bufferView\":%zu}}",
		                 moved_count, of_indices, type, of_values );
	}
	gltf_test_print( &w->accessors, "}" );
	return w->accessor_count++;
}

static size_t add_indices( writer *w, const uint32_t *indices, size_t count ) {
	unsigned char bytes[4 * GLTF_MOST_CORNERS];
	const int type = index_types[rng_below( w->r, 3 )];
	const size_t size = put_indices( w, indices, count, type, bytes );
	const size_t view = add_view( w, bytes, size, count, 0, 0 );
	comma( &w->accessors, w->accessor_count );
	gltf_test_print( &w->accessors, "{\"bufferView\":%zu,\"componentType\":%d,\"type\":\"SCALAR\",\"count\":%zu}", view,
	                 type, count );
	return w->accessor_count++;
}

// ------------------------------------------------------------------------------------------------
// Primitives

// Triangles of a run of vertices in each mode, straight from the specification's table.
static void add_triangles( gltf_test_mesh *m, int mode, const uint32_t *v, size_t count ) {
	const size_t triangles = mode == 4 ? count / 3 : count - 2;
	for ( size_t i = 0; i < triangles; ++i ) {
		uint32_t t[3];
		for ( size_t k = 0; k < 3; ++k )
			t[k] = mode == 4   ? v[3 * i + k]
			       : mode == 5 ? v[k == 0   ? i
			                       : k == 1 ? i + 1 + i % 2
			                                : i + 2 - i % 2]
			                   : v[k == 0   ? i + 1
			                       : k == 1 ? i + 2
			                                : 0];
		if ( mode != 4 && ( t[0] == t[1] || t[1] == t[2] || t[2] == t[0] ) )
			continue;
		memcpy( m->corners + 3 * m->triangle_count++, t, sizeof t );
	}
}

static void add_mesh( writer *w, gltf_test_scene *s ) {
	gltf_test_mesh *m = &s->meshes[s->mesh_count];
	m->position_count = 3 * ( 1 + rng_below( w->r, 8 ) );
	m->triangle_count = 0;
	for ( size_t i = 0; i < m->position_count; ++i )
		for ( int k = 0; k < 3; ++k )
			m->positions[i][k] = (float)rng_range( w->r, -10.0, 10.0 );
	const size_t positions = add_positions( w, m );
	const size_t primitives = 1 + rng_below( w->r, 2 );
	comma( &w->meshes, s->mesh_count );
	gltf_test_print( &w->meshes, "{\"primitives\":[" );
	for ( size_t p = 0; p < primitives; ++p ) {
		uint32_t v[GLTF_MOST_CORNERS];
		const int mode = 4 + (int)rng_below( w->r, 3 );
		size_t count = m->position_count;
		const bool is_indexed = chance( w, 70 );
		if ( is_indexed )
			count = 3 * ( 1 + rng_below( w->r, 8 ) );
		for ( uint32_t i = 0; i < count; ++i )
			v[i] = is_indexed ? (uint32_t)rng_below( w->r, m->position_count ) : i;
		if ( is_indexed && count >= 3 ) // gives a triangle in any mode
			v[0] = 0, v[1] = 1, v[2] = 2;
		add_triangles( m, mode, v, count );
		comma( &w->meshes, p );
		gltf_test_print( &w->meshes, "{\"attributes\":{\"POSITION\":%zu}", positions );
		if ( is_indexed )
			gltf_test_print( &w->meshes, ",\"indices\":%zu", add_indices( w, v, count ) );
		if ( mode != 4 || chance( w, 50 ) )
			gltf_test_print( &w->meshes, ",\"mode\":%d", mode );
		gltf_test_print( &w->meshes, "}" );
	}
	gltf_test_print( &w->meshes, "]}" );
	++s->mesh_count;
}

// ------------------------------------------------------------------------------------------------
// Nodes

static void print_reals( gltf_test_bytes *out, const char *key, const double *x, int count ) {
	gltf_test_print( out, ",\"%s\":[", key );
	for ( int i = 0; i < count; ++i )
		gltf_test_print( out, "%s%.17g", i > 0 ? "," : "", x[i] );
	gltf_test_print( out, "]" );
}

static void random_matrix( writer *w, gltf_test_node *n, gltf_test_bytes *out ) {
	double m[16] = { [15] = 1.0 };
	double det;
	do {
		for ( int i = 0; i < 3; ++i )
			for ( int j = 0; j < 4; ++j )
				m[4 * j + i] = rng_range( w->r, -2.0, 2.0 );
		det = m[0] * ( m[5] * m[10] - m[9] * m[6] ) - m[4] * ( m[1] * m[10] - m[9] * m[2] ) +
		      m[8] * ( m[1] * m[6] - m[5] * m[2] );
	} while ( det > -0.2 && det < 0.2 );
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 4; ++j )
			n->local[i][j] = (long double)m[4 * j + i];
	print_reals( out, "matrix", m, 16 );
}

// The rotation of a quaternion, by the product q v q* written out.
static void rotation_of( const double q[4], long double out[3][3] ) {
	long double p[4], length = 0.0L;
	for ( int i = 0; i < 4; ++i )
		length += (long double)q[i] * (long double)q[i];
	length = sqrtl( length );
	for ( int i = 0; i < 4; ++i )
		p[i] = (long double)q[i] / length;
	for ( int j = 0; j < 3; ++j ) {
		const long double v[3] = { j == 0 ? 1.0L : 0.0L, j == 1 ? 1.0L : 0.0L, j == 2 ? 1.0L : 0.0L };
		const long double t[3] = { 2 * ( p[1] * v[2] - p[2] * v[1] ), 2 * ( p[2] * v[0] - p[0] * v[2] ),
		                           2 * ( p[0] * v[1] - p[1] * v[0] ) };
		const long double c[3] = { p[1] * t[2] - p[2] * t[1], p[2] * t[0] - p[0] * t[2], p[0] * t[1] - p[1] * t[0] };
		for ( int i = 0; i < 3; ++i )
			out[i][j] = v[i] + p[3] * t[i] + c[i];
	}
}

static void random_trs( writer *w, gltf_test_node *n, gltf_test_bytes *out ) {
	double t[3] = { 0, 0, 0 }, q[4] = { 0, 0, 0, 1 }, s[3] = { 1, 1, 1 };
	n->is_rotation = true;
	if ( chance( w, 80 ) ) {
		for ( int k = 0; k < 3; ++k )
			t[k] = rng_range( w->r, -10.0, 10.0 );
		print_reals( out, "translation", t, 3 );
	}
	if ( chance( w, 80 ) ) {
		for ( int k = 0; k < 4; ++k )
			q[k] = rng_range( w->r, -1.0, 1.0 );
		print_reals( out, "rotation", q, 4 );
	}
	if ( chance( w, 40 ) ) {
		const bool is_uniform = chance( w, 50 );
		s[0] = rng_range( w->r, 0.2, 3.0 );
		for ( int k = 1; k < 3; ++k )
			s[k] = is_uniform ? s[0] : rng_range( w->r, 0.2, 3.0 );
		for ( int k = 0; k < 3; ++k )
			s[k] = chance( w, 30 ) ? -s[k] : s[k];
		n->is_rotation = false;
		print_reals( out, "scale", s, 3 );
	}
	long double rotation[3][3];
	rotation_of( q, rotation );
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			n->local[i][j] = rotation[i][j] * (long double)s[j];
		n->local[i][3] = (long double)t[i];
	}
}

static void add_node( writer *w, gltf_test_scene *s, gltf_test_bytes *out, size_t number ) {
	static const char *const names[] = { "", "bolt", "bolt", "plate", "a b", "wheel/left" };
	gltf_test_node *n = &s->nodes[number];
	strcpy( n->name, names[rng_below( w->r, 6 )] );
	n->mesh = chance( w, 75 ) ? (int)rng_below( w->r, s->mesh_count ) : -1;
	n->is_rotation = false;
	comma( out, number );
	gltf_test_print( out, "{\"extras\":{}" );
	if ( n->name[0] != '\0' )
		gltf_test_print( out, ",\"name\":\"%s\"", n->name );
	if ( n->mesh >= 0 )
		gltf_test_print( out, ",\"mesh\":%d", n->mesh );
	if ( chance( w, 30 ) )
		random_matrix( w, n, out );
	else
		random_trs( w, n, out );
	bool first = true;
	for ( size_t i = 0; i < s->node_count; ++i ) {
		if ( s->nodes[i].parent != (int)number )
			continue;
		gltf_test_print( out, "%s%zu", first ? ",\"children\":[" : ",", i );
		first = false;
	}
	gltf_test_print( out, "%s}", first ? "" : "]" );
}

static void put_word( gltf_test_bytes *out, size_t word ) {
	unsigned char bytes[4];
	for ( int k = 0; k < 4; ++k )
		bytes[k] = (unsigned char)( word >> 8 * k & 0xff );
	gltf_test_put( out, bytes, 4 );
}

void gltf_test_random( rng *r, gltf_test_scene *s, gltf_test_bytes *glb_out ) {
	writer w = { .r = r };
	gltf_test_bytes nodes = { 0 }, roots = { 0 }, text = { 0 };
	memset( s, 0, sizeof *s );
	const size_t mesh_count = 1 + rng_below( r, GLTF_MOST_MESHES );
	while ( s->mesh_count < mesh_count )
		add_mesh( &w, s );
	// Parents may come later than their children: node i is below one of order[0 .. its place).
	size_t order[GLTF_MOST_NODES] = { 0 }, root_count = 0;
	s->node_count = 1 + rng_below( r, GLTF_MOST_NODES );
	for ( size_t i = 0; i < s->node_count; ++i ) {
		const size_t k = rng_below( r, i + 1 );
		order[i] = order[k];
		order[k] = i;
	}
	for ( size_t i = 0; i < s->node_count; ++i )
		s->nodes[order[i]].parent = i == 0 || chance( &w, 25 ) ? -1 : (int)order[rng_below( r, i )];
	for ( size_t i = 0; i < s->node_count; ++i ) {
		add_node( &w, s, &nodes, i );
		if ( s->nodes[i].parent < 0 ) {
			comma( &roots, root_count++ );
			gltf_test_print( &roots, "%zu", i );
		}
	}
	gltf_test_put( &w.binary, "\0\0\0", ( 4 - w.binary.count % 4 ) % 4 );
	gltf_test_print( &text, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],\"nodes\":[",
	                 w.binary.count );
	gltf_test_put( &text, nodes.bytes, nodes.count );
	if ( chance( &w, 50 ) ) { // a scene of all roots, or none
		gltf_test_print( &text, "],\"scene\":0,\"scenes\":[{\"nodes\":[" );
		gltf_test_put( &text, roots.bytes, roots.count );
		gltf_test_print( &text, "]}" );
	}
	gltf_test_print( &text, "],\"meshes\":[" );
	gltf_test_put( &text, w.meshes.bytes, w.meshes.count );
	gltf_test_print( &text, "],\"accessors\":[" );
	gltf_test_put( &text, w.accessors.bytes, w.accessors.count );
	gltf_test_print( &text, "],\"bufferViews\":[" );
	gltf_test_put( &text, w.views.bytes, w.views.count );
	gltf_test_print( &text, "]}" );
	gltf_test_put( &text, "   ", ( 4 - text.count % 4 ) % 4 );
	gltf_test_put( glb_out, "glTF", 4 );
	put_word( glb_out, 2 );
	put_word( glb_out, 12 + 8 + text.count + 8 + w.binary.count );
	put_word( glb_out, text.count );
	gltf_test_put( glb_out, "JSON", 4 );
	gltf_test_put( glb_out, text.bytes, text.count );
	put_word( glb_out, w.binary.count );
	gltf_test_put( glb_out, "BIN", 4 );
	gltf_test_put( glb_out, w.binary.bytes, w.binary.count );
	gltf_test_bytes *const all[] = { &nodes, &roots, &text, &w.binary, &w.views, &w.accessors, &w.meshes };
	for ( size_t i = 0; i < sizeof all / sizeof all[0]; ++i )
		free( all[i]->bytes );
}
