// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// glTF whose positions and corners are quantised, or compressed by meshoptimizer or Draco: random meshes, written by
// the libraries' own encoders, against what went in; and damaged bytes.

#include "formats/files.h"
#include "gltf_writer.h"
#include "memory_source.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef DUALBVH_WITH_MESHOPTIMIZER
#include <meshoptimizer.h>
#endif
#ifdef DUALBVH_WITH_DRACO
#include "draco_writer.h"
#endif

static memory_files no_files;

enum { MOST_POINTS = 700, MOST_TRIANGLES = 900, MOST_BYTES = 1 << 20 };

static dbvh_status read_glb( const gltf_test_bytes *glb, scene_model *model, dbvh_error *error ) {
	const scene_source source = memory_source( &no_files );
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	return scene_read_gltf( glb->bytes, glb->count, &source, model, error );
}

static void put_word( gltf_test_bytes *out, uint32_t word ) {
	const unsigned char bytes[4] = { (unsigned char)word, (unsigned char)( word >> 8 ), (unsigned char)( word >> 16 ),
	                                 (unsigned char)( word >> 24 ) };
	gltf_test_put( out, bytes, 4 );
}

// A GLB of a text and the bytes of its buffer 0.
static gltf_test_bytes make_glb( gltf_test_bytes *json, gltf_test_bytes *binary ) {
	gltf_test_bytes glb = { 0 };
	while ( json->count % 4 != 0 )
		gltf_test_put( json, " ", 1 );
	while ( binary->count % 4 != 0 )
		gltf_test_put( binary, "", 1 );
	gltf_test_put( &glb, "glTF", 4 );
	put_word( &glb, 2 );
	put_word( &glb, (uint32_t)( 28 + json->count + binary->count ) );
	put_word( &glb, (uint32_t)json->count );
	gltf_test_put( &glb, "JSON", 4 );
	gltf_test_put( &glb, json->bytes, json->count );
	put_word( &glb, (uint32_t)binary->count );
	gltf_test_put( &glb, "BIN", 4 );
	gltf_test_put( &glb, binary->bytes, binary->count );
	free( json->bytes );
	free( binary->bytes );
	return glb;
}

// ------------------------------------------------------------------------------------------------
// Quantised positions

static double number_at( int component, const unsigned char *at, bool normalized ) {
	int16_t half;
	memcpy( &half, at, sizeof half );
	const double most[] = { 127.0, 255.0, 32767.0, 65535.0 };
	const double number = component == 0   ? (double)(int8_t)at[0]
	                      : component == 1 ? (double)at[0]
	                      : component == 2 ? (double)half
	                                       : (double)(uint16_t)half;
	return normalized ? fmax( number / most[component], -1.0 ) : number;
}

static void test_quantised( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_compressed quantised", 33 );
	for ( size_t round = 0; round < rounds( 200 ); ++round ) {
		const int component = (int)rng_below( &r, 4 );
		const size_t width = component < 2 ? 1 : 2, stride = width == 1 ? 4 : 8, triangles = 1 + rng_below( &r, 20 );
		const bool normalized = rng_below( &r, 2 ) == 0;
		const double scale = ldexp( 1.0, (int)rng_below( &r, 20 ) - 10 );
		gltf_test_bytes json = { 0 }, binary = { 0 };
		unsigned char *at = malloc( 3 * triangles * stride );
		for ( size_t i = 0; i < 3 * triangles * stride; ++i )
			at[i] = (unsigned char)rng_u64( &r );
		gltf_test_put( &binary, at, 3 * triangles * stride );
		gltf_test_print( &json,
		                 "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"KHR_mesh_quantization\"],"
		                 "\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu,"
		                 "\"byteStride\":%zu}],\"accessors\":[{\"bufferView\":0,\"componentType\":%d,\"normalized\":%s,"
		                 "\"type\":\"VEC3\",\"count\":%zu}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":"
		                 "0}}]}],\"nodes\":[{\"mesh\":0,\"scale\":[%.17g,%.17g,%.17g]}]}",
		                 binary.count, binary.count, stride, 5120 + component, normalized ? "true" : "false",
		                 3 * triangles, scale, scale, scale );
		gltf_test_bytes glb = make_glb( &json, &binary );
		scene_model model = { 0 };
		dbvh_error error;
		if ( read_glb( &glb, &model, &error ) != DBVH_OK )
			fail_msg( "%s", error.text );
		const dbvh_mesh_view view = dbvh_mesh_get_view( model.meshes[model.bodies[0].mesh].mesh );
		assert_int_equal( view.triangle_count, triangles );
		const uint32_t *corners = view.indices;
		const double *positions = view.positions;
		for ( size_t c = 0; c < 3 * triangles; ++c )
			for ( size_t k = 0; k < 3; ++k )
				assert_true( positions[3 * (size_t)corners[c] + k] ==
				             scale * number_at( component, at + c * stride + k * width, normalized ) );
		scene_model_free( &model );
		free( glb.bytes );
		free( at );
	}
}

// ------------------------------------------------------------------------------------------------
// Compressed meshes

#if defined( DUALBVH_WITH_MESHOPTIMIZER ) || defined( DUALBVH_WITH_DRACO )

typedef struct random_mesh {
	float positions[MOST_POINTS][3];
	uint32_t corners[3 * MOST_TRIANGLES];
	size_t point_count, triangle_count;
} random_mesh;

// A grid with holes: neighbours share corners, as in the meshes that encoders are made for.
static void make_mesh( rng *r, random_mesh *m ) {
	const size_t wide = 2 + rng_below( r, 19 ), high = 2 + rng_below( r, 19 );
	m->point_count = wide * high;
	m->triangle_count = 0;
	for ( size_t i = 0; i < m->point_count; ++i )
		for ( size_t k = 0; k < 3; ++k )
			m->positions[i][k] = (float)( rng_range( r, -1.0, 1.0 ) + 3.0 * (double)( k == 0 ? i % wide : i / wide ) );
	for ( size_t y = 0; y + 1 < high; ++y )
		for ( size_t x = 0; x + 1 < wide; ++x ) {
			const uint32_t c = (uint32_t)( y * wide + x ), w = (uint32_t)wide;
			const uint32_t two[6] = { c, c + 1, c + w, c + 1, c + w + 1, c + w };
			if ( m->triangle_count > 0 && rng_below( r, 10 ) == 0 )
				continue;
			memcpy( m->corners + 3 * m->triangle_count, two, sizeof two );
			m->triangle_count += 2;
		}
}

typedef struct triangle {
	double corners[3][3];
} triangle;

static int compare_points( const void *a, const void *b ) {
	const double *p = a, *q = b;
	for ( int k = 0; k < 3; ++k )
		if ( p[k] != q[k] )
			return p[k] < q[k] ? -1 : 1;
	return 0;
}

static int compare_triangles( const void *a, const void *b ) {
	const triangle *s = a, *t = b;
	for ( int c = 0; c < 3; ++c ) {
		const int order = compare_points( s->corners[c], t->corners[c] );
		if ( order != 0 )
			return order;
	}
	return 0;
}

// The triangle with its lowest corner first, and the others in turn: encoders may begin elsewhere.
static triangle in_order( const double *a, const double *b, const double *c ) {
	const double *three[3] = { a, b, c };
	int low = 0;
	for ( int i = 1; i < 3; ++i )
		if ( compare_points( three[i], three[low] ) < 0 )
			low = i;
	triangle t;
	for ( int i = 0; i < 3; ++i )
		memcpy( t.corners[i], three[( low + i ) % 3], sizeof t.corners[i] );
	return t;
}

static void list_wanted( const random_mesh *m, triangle *out ) {
	for ( size_t i = 0; i < m->triangle_count; ++i ) {
		double p[3][3];
		for ( size_t c = 0; c < 3; ++c )
			for ( size_t k = 0; k < 3; ++k )
				p[c][k] = (double)m->positions[m->corners[3 * i + c]][k];
		out[i] = in_order( p[0], p[1], p[2] );
	}
	qsort( out, m->triangle_count, sizeof *out, compare_triangles );
}

static size_t list_found( const scene_model *model, triangle *out ) {
	const dbvh_mesh_view view = dbvh_mesh_get_view( model->meshes[model->bodies[0].mesh].mesh );
	const uint32_t *c = view.indices;
	const double *p = view.positions;
	assert_true( view.triangle_count <= MOST_TRIANGLES );
	for ( size_t i = 0; i < view.triangle_count; ++i )
		out[i] = in_order( p + 3 * (size_t)c[3 * i], p + 3 * (size_t)c[3 * i + 1], p + 3 * (size_t)c[3 * i + 2] );
	qsort( out, view.triangle_count, sizeof *out, compare_triangles );
	return view.triangle_count;
}

// Reads the file and compares its triangles, however they are ordered; corners may differ by `error`.
static void must_hold( const gltf_test_bytes *glb, const random_mesh *m ) {
	static triangle wanted[MOST_TRIANGLES], found[MOST_TRIANGLES];
	scene_model model = { 0 };
	dbvh_error error;
	if ( read_glb( glb, &model, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	list_wanted( m, wanted );
	assert_int_equal( list_found( &model, found ), m->triangle_count );
	assert_int_equal( memcmp( wanted, found, m->triangle_count * sizeof *found ), 0 );
	scene_model_free( &model );
}

// Damages bytes of the buffer, which is the end of the file, and reads it: any answer will do that is one.
static void damage( rng *r, const gltf_test_bytes *glb, size_t binary ) {
	gltf_test_bytes copy = { 0 };
	gltf_test_put( &copy, glb->bytes, glb->count );
	for ( size_t i = 1 + rng_below( r, 4 ); i > 0; --i )
		copy.bytes[copy.count - 1 - rng_below( r, binary )] ^= (unsigned char)( 1 + rng_below( r, 255 ) );
	scene_model model = { 0 };
	dbvh_error error;
	const dbvh_status status = read_glb( &copy, &model, &error );
	assert_true( ( status == DBVH_OK ) == ( error.text[0] == '\0' ) );
	scene_model_free( &model );
	free( copy.bytes );
}

#endif

#ifdef DUALBVH_WITH_MESHOPTIMIZER

static gltf_test_bytes write_meshopt( const random_mesh *m, bool as_sequence, bool short_indices ) {
	static unsigned char packed[2][MOST_BYTES];
	size_t count[2];
	gltf_test_bytes json = { 0 }, binary = { 0 };
	count[0] = meshopt_encodeVertexBuffer( packed[0], MOST_BYTES, m->positions, m->point_count, 12 );
	count[1] = as_sequence ? meshopt_encodeIndexSequence( packed[1], MOST_BYTES, m->corners, 3 * m->triangle_count )
	                       : meshopt_encodeIndexBuffer( packed[1], MOST_BYTES, m->corners, 3 * m->triangle_count );
	assert_true( count[0] > 0 && count[1] > 0 );
	const size_t size = short_indices ? 2 : 4, points = m->point_count, corners = 3 * m->triangle_count;
	gltf_test_put( &binary, packed[0], count[0] );
	gltf_test_put( &binary, packed[1], count[1] );
	gltf_test_print(
	    &json,
	    "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"EXT_meshopt_compression\"],"
	    "\"buffers\":[{\"byteLength\":%zu},{\"byteLength\":%zu,\"extensions\":{\"EXT_meshopt_compression\":"
	    "{\"fallback\":true}}}],",
	    binary.count, 12 * points + size * corners );
	gltf_test_print( &json,
	                 "\"bufferViews\":[{\"buffer\":1,\"byteLength\":%zu,\"byteStride\":12,\"extensions\":{"
	                 "\"EXT_meshopt_compression\":{\"buffer\":0,\"byteLength\":%zu,\"byteStride\":12,\"count\":%zu,"
	                 "\"mode\":\"ATTRIBUTES\"}}},",
	                 12 * points, count[0], points );
	gltf_test_print( &json,
	                 "{\"buffer\":1,\"byteOffset\":%zu,\"byteLength\":%zu,\"extensions\":{\"EXT_meshopt_compression\":"
	                 "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"byteStride\":%zu,\"count\":%zu,\"mode\":"
	                 "\"%s\"}}}],",
	                 12 * points, size * corners, count[0], count[1], size, corners,
	                 as_sequence ? "INDICES" : "TRIANGLES" );
	gltf_test_print( &json,
	                 "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":%zu},"
	                 "{\"bufferView\":1,\"componentType\":%d,\"type\":\"SCALAR\",\"count\":%zu}],",
	                 points, short_indices ? 5123 : 5125, corners );
	gltf_test_print( &json, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
	                        "\"nodes\":[{\"mesh\":0}]}" );
	return make_glb( &json, &binary );
}

static void test_meshopt( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_compressed meshopt", 34 );
	for ( size_t round = 0; round < rounds( 60 ); ++round ) {
		random_mesh m;
		make_mesh( &r, &m );
		gltf_test_bytes glb = write_meshopt( &m, rng_below( &r, 2 ) == 0, rng_below( &r, 2 ) == 0 );
		must_hold( &glb, &m );
		for ( int i = 0; i < 20; ++i )
			damage( &r, &glb, 200 );
		free( glb.bytes );
	}
}

// The exponential filter: a number is a mantissa of 24 bits times a power of two.
static void test_meshopt_filter( void **state ) {
	(void)state;
	static unsigned char packed[MOST_BYTES];
	rng r = rng_announce( "scene_compressed filter", 35 );
	random_mesh m = { .point_count = 300, .triangle_count = 100 };
	uint32_t words[300][3];
	for ( uint32_t i = 0; i < 300; ++i ) {
		m.corners[i] = i;
		for ( int k = 0; k < 3; ++k ) {
			const int exponent = (int)rng_below( &r, 40 ) - 20, mantissa = (int)rng_below( &r, 1 << 24 ) - ( 1 << 23 );
			m.positions[i][k] = (float)ldexp( mantissa, exponent );
			words[i][k] = (uint32_t)exponent << 24 | ( (uint32_t)mantissa & 0xffffff );
		}
	}
	const size_t count = meshopt_encodeVertexBuffer( packed, MOST_BYTES, words, 300, 12 );
	gltf_test_bytes json = { 0 }, binary = { 0 };
	gltf_test_put( &binary, packed, count );
	gltf_test_print(
	    &json,
	    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[{\"buffer\":0,"
	    "\"byteLength\":3600,\"byteStride\":12,\"extensions\":{\"KHR_meshopt_compression\":{\"buffer\":0,"
	    "\"byteLength\":%zu,\"byteStride\":12,\"count\":300,\"mode\":\"ATTRIBUTES\",\"filter\":"
	    "\"EXPONENTIAL\"}}}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\","
	    "\"count\":300}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":["
	    "{\"mesh\":0}]}",
	    count, count );
	gltf_test_bytes glb = make_glb( &json, &binary );
	must_hold( &glb, &m );
	free( glb.bytes );
}

// What the extension says is checked before anything is decompressed.
static void test_meshopt_refusals( void **state ) {
	(void)state;
	static const struct {
		const char *extension, *sentence;
		dbvh_status status;
	} cases[] = {
	    { "\"byteStride\":12,\"count\":3", "has no 'buffer'", DBVH_MALFORMED },
	    { "\"buffer\":0,\"byteLength\":8,\"byteStride\":12,\"count\":3", "a wrong 'mode' or 'filter'", DBVH_MALFORMED },
	    { "\"buffer\":0,\"byteLength\":8,\"byteStride\":10,\"count\":3,\"mode\":\"ATTRIBUTES\"",
	      "a wrong 'byteStride' or 'count'", DBVH_MALFORMED },
	    { "\"buffer\":0,\"byteLength\":8,\"byteStride\":4,\"count\":4,\"mode\":\"TRIANGLES\"",
	      "a wrong 'byteStride' or 'count'", DBVH_MALFORMED },
	    { "\"buffer\":0,\"byteLength\":8,\"byteStride\":12,\"count\":0,\"mode\":\"ATTRIBUTES\"", "a wrong 'count'",
	      DBVH_MALFORMED },
	    { "\"buffer\":0,\"byteLength\":9,\"byteStride\":12,\"count\":3,\"mode\":\"ATTRIBUTES\"",
	      "has 9 bytes from byte 0 on", DBVH_MALFORMED },
	    { "\"buffer\":0,\"byteLength\":8,\"byteStride\":256,\"count\":1000000000,\"mode\":\"ATTRIBUTES\"",
	      "more than a file of this size holds", DBVH_LIMIT },
	    { "\"buffer\":0,\"byteLength\":8,\"byteStride\":4,\"count\":3,\"mode\":\"ATTRIBUTES\"", "is not in a version",
	      DBVH_UNKNOWN_FORMAT },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		gltf_test_bytes json = { 0 }, binary = { 0 };
		gltf_test_put( &binary, "\0\0\0\0\0\0\0\0", 8 );
		gltf_test_print(
		    &json,
		    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":8}],\"bufferViews\":[{\"buffer\":0,"
		    "\"byteLength\":36,\"extensions\":{\"EXT_meshopt_compression\":{%s}}}],\"accessors\":[{"
		    "\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}],\"meshes\":[{"
		    "\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}]}",
		    cases[i].extension );
		gltf_test_bytes glb = make_glb( &json, &binary );
		scene_model model = { 0 };
		dbvh_error error;
		const dbvh_status status = read_glb( &glb, &model, &error );
		if ( status != cases[i].status || strstr( error.text, cases[i].sentence ) == NULL )
			fail_msg( "case %zu: %s: %s\nwanted: %s", i, dbvh_status_name( status ), error.text, cases[i].sentence );
		scene_model_free( &model );
		free( glb.bytes );
	}
}

#endif

#ifdef DUALBVH_WITH_DRACO

static gltf_test_bytes write_draco( const random_mesh *m, int bits, bool sequential, size_t more, size_t *size_out ) {
	static unsigned char packed[MOST_BYTES];
	uint32_t id;
	size_t points, triangles;
	gltf_test_bytes json = { 0 }, binary = { 0 };
	const size_t size = draco_write( &m->positions[0][0], m->point_count, m->corners, m->triangle_count, bits,
	                                 sequential, &id, &points, &triangles, packed, MOST_BYTES );
	assert_true( size > 0 );
	gltf_test_put( &binary, packed, size );
	gltf_test_print( &json,
	                 "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],"
	                 "\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],"
	                 "\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":%zu},{\"componentType\":5125,"
	                 "\"type\":\"SCALAR\",\"count\":%zu}],",
	                 size, size, points, 3 * triangles + more );
	gltf_test_print( &json,
	                 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"extensions\":{"
	                 "\"KHR_draco_mesh_compression\":{\"bufferView\":0,\"attributes\":{\"POSITION\":%lu}}}}]}],"
	                 "\"nodes\":[{\"mesh\":0}]}",
	                 (unsigned long)id );
	*size_out = size;
	return make_glb( &json, &binary );
}

static void test_draco( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_compressed draco", 36 );
	for ( size_t round = 0; round < rounds( 40 ); ++round ) {
		random_mesh m;
		size_t size;
		make_mesh( &r, &m );
		gltf_test_bytes glb = write_draco( &m, 0, rng_below( &r, 2 ) == 0, 0, &size );
		must_hold( &glb, &m );
		for ( int i = 0; i < 20; ++i )
			damage( &r, &glb, size );
		free( glb.bytes );
	}
}

// Positions of 14 bits are those that went in, but for half a step.
static void test_draco_quantised( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_compressed draco quantised", 37 );
	random_mesh m;
	size_t size;
	make_mesh( &r, &m );
	// Sequential: the order of triangles is kept, but not that of points.
	gltf_test_bytes glb = write_draco( &m, 14, true, 0, &size );
	scene_model model = { 0 };
	dbvh_error error;
	assert_int_equal( read_glb( &glb, &model, &error ), DBVH_OK );
	const dbvh_mesh_view view = dbvh_mesh_get_view( model.meshes[0].mesh );
	const uint32_t *corners = view.indices;
	const double *positions = view.positions, most = 64.0 / 16383.0;
	assert_int_equal( view.triangle_count, m.triangle_count );
	for ( size_t c = 0; c < 3 * m.triangle_count; ++c )
		for ( size_t k = 0; k < 3; ++k )
			assert_true( fabs( positions[3 * (size_t)corners[c] + k] - (double)m.positions[m.corners[c]][k] ) <= most );
	scene_model_free( &model );
	free( glb.bytes );
}

static void test_draco_refusals( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_compressed draco refusals", 38 );
	random_mesh m;
	size_t size;
	make_mesh( &r, &m );
	gltf_test_bytes glb = write_draco( &m, 0, false, 3, &size );
	scene_model model = { 0 };
	dbvh_error error;
	assert_int_equal( read_glb( &glb, &model, &error ), DBVH_MALFORMED );
	assert_non_null( strstr( error.text, "has other numbers of corners or positions" ) );
	scene_model_free( &model );
	free( glb.bytes );
}

#endif

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_quantised ),
#ifdef DUALBVH_WITH_MESHOPTIMIZER
	    cmocka_unit_test( test_meshopt ),
	    cmocka_unit_test( test_meshopt_filter ),
	    cmocka_unit_test( test_meshopt_refusals ),
#endif
#ifdef DUALBVH_WITH_DRACO
	    cmocka_unit_test( test_draco ),
	    cmocka_unit_test( test_draco_quantised ),
	    cmocka_unit_test( test_draco_refusals ),
#endif
	};
	return test_main( argc, argv, tests );
}
