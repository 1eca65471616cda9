// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files that are read in pieces: the results are those of the whole, whatever the pieces, and memory is bounded. The
// other tests of readers parse all that they parse in small pieces, too (mesh/meshes.h).

#define _POSIX_C_SOURCE 200809L // pipes

#include "mesh/io/stream.h"
#include "mesh/meshes.h"
#include "shapes/shapes.h"

#include <unistd.h>

#define PATH "test_mesh_pieces.file"

static void write_file( const void *bytes, size_t count ) {
	FILE *file = fopen( PATH, "wb" );
	assert_non_null( file );
	assert_int_equal( fwrite( bytes, 1, count, file ), count );
	assert_int_equal( fclose( file ), 0 );
}

static void *read_file( size_t *count ) {
	FILE *file = fopen( PATH, "rb" );
	assert_non_null( file );
	assert_int_equal( fseek( file, 0, SEEK_END ), 0 );
	*count = (size_t)ftell( file );
	rewind( file );
	void *bytes = malloc( *count );
	assert_non_null( bytes );
	assert_int_equal( fread( bytes, 1, *count, file ), *count );
	fclose( file );
	return bytes;
}

// A file is read as its bytes are.
static void check_file( const char *path, const void *bytes, size_t count, dbvh_mesh_format format, size_t piece ) {
	dbvh_mesh *mesh, *loaded;
	dbvh_error error, loaded_error;
	dbvh_mesh_parse( bytes, count, format, NULL, &mesh, &error );
	dbvhi_mesh_load_in_pieces( path, format, piece, NULL, &loaded, &loaded_error );
	const char *difference = outcomes_differ( mesh, &error, loaded, &loaded_error );
	if ( difference != NULL )
		fail_msg( "%s is another one from %s in pieces of %zu bytes (%s; %s)", difference, path, piece, error.text,
		          loaded_error.text );
	dbvh_mesh_destroy( mesh );
	dbvh_mesh_destroy( loaded );
}

// A pipe has no size, and nothing in it can be read twice.
static void check_pipe( const void *bytes, size_t count, dbvh_mesh_format format, size_t piece ) {
	int ends[2];
	char path[32];
	assert_int_equal( pipe( ends ), 0 );
	assert_int_equal( write( ends[1], bytes, count ), count );
	close( ends[1] );
	snprintf( path, sizeof path, "/dev/fd/%d", ends[0] );
	check_file( path, bytes, count, format, piece );
	close( ends[0] );
}

static void test_files( void **state ) {
	(void)state;
	static blob b;
	static const size_t pieces[] = { 0, 1, 7, 100 };
	for ( size_t sample = 0; sample < SAMPLE_COUNT; ++sample ) {
		const dbvh_mesh_format format = sample_file( sample, &b );
		const size_t whole = b.count;
		// Whole, cut off, and with padding or more behind it.
		static const struct {
			size_t cut;
			const char *more;
			size_t more_count;
		} variants[] = { { 0, "", 0 }, { 9, "", 0 }, { 0, "\0 \n\0", 4 }, { 0, "\0\0x", 3 }, { 0, " more", 5 } };
		for ( size_t v = 0; v < LENGTH( variants ); ++v ) {
			b.count = whole - variants[v].cut;
			blob_put( &b, variants[v].more, variants[v].more_count );
			write_file( b.bytes, b.count );
			for ( size_t i = 0; i < LENGTH( pieces ); ++i ) {
				check_file( PATH, b.bytes, b.count, format, pieces[i] );
				check_file( PATH, b.bytes, b.count, DBVH_MESH_FORMAT_AUTO, pieces[i] );
				check_pipe( b.bytes, b.count, DBVH_MESH_FORMAT_AUTO, pieces[i] );
			}
		}
	}
	for ( size_t i = 0; i < LENGTH( pieces ); ++i ) {
		write_file( "", 0 );
		check_file( PATH, "", 0, DBVH_MESH_FORMAT_AUTO, pieces[i] );
		check_pipe( "", 0, DBVH_MESH_FORMAT_AUTO, pieces[i] );
	}
	remove( PATH );
}

static shape make_sphere( uint32_t slices, uint32_t stacks ) {
	shape s = { 0 };
	shape_add_sphere( &s, 1.0 / 3.0, slices, stacks );
	return s;
}

// Files of many pieces of the usual size, good ones and ones that are broken near their end.
static void test_large_files( void **state ) {
	(void)state;
	shape s = make_sphere( 80, 50 );
	const dbvh_mesh_view view = shape_view( &s );
	for ( int i = 1; i < DBVH_MESH_FORMAT_COUNT; ++i ) {
		const dbvh_mesh_format kind = (dbvh_mesh_format)i;
		size_t count;
		assert_int_equal( dbvh_mesh_save( &view, PATH, kind, NULL ), DBVH_OK );
		char *bytes = read_file( &count );
		assert_true( count > 2 * DBVHI_PIECE_SIZE );
		check_file( PATH, bytes, count, DBVH_MESH_FORMAT_AUTO, 0 );
		check_file( PATH, bytes, count, DBVH_MESH_FORMAT_AUTO, 1000 );
		for ( size_t back = 1; back < 1000; back += 390 ) {
			const char before = bytes[count - back];
			bytes[count - back] = back % 2 ? (char)0xff : '\0';
			write_file( bytes, count );
			check_file( PATH, bytes, count, DBVH_MESH_FORMAT_AUTO, 0 );
			write_file( bytes, count - back );
			check_file( PATH, bytes, count - back, DBVH_MESH_FORMAT_AUTO, 0 );
			bytes[count - back] = before;
		}
		free( bytes );
	}
	remove( PATH );
	shape_free( &s );
}

static void test_file_that_shrinks( void **state ) {
	(void)state;
	dbvh_allocator allocator;
	counting c = { .fail_at = SIZE_MAX };
	allocator = counting_allocator( &c );
	write_file( TETRA_OBJ, strlen( TETRA_OBJ ) );
	dbvhi_stream stream;
	dbvh_error error;
	assert_int_equal( dbvhi_stream_open( PATH, 10, &allocator, &stream, &error ), DBVH_OK );
	assert_int_equal( stream.size, strlen( TETRA_OBJ ) );
	write_file( TETRA_OBJ, 15 );
	assert_false( dbvhi_stream_has( &stream, 16 ) );
	assert_int_equal( dbvhi_stream_check( &stream, &error ), DBVH_IO );
	assert_non_null( strstr( error.text, "shorter" ) );
	// The 15 bytes that are left of the file can be read.
	assert_int_equal( stream.end - stream.at, 15 );
	assert_memory_equal( stream.at, TETRA_OBJ, 15 );
	dbvhi_stream_close( &stream );
	assert_int_equal( c.live_blocks, 0 );
	remove( PATH );
}

// The most that a load holds is the mesh and one piece, where the header says how large the mesh is. Where it does not,
// the array that grows may be there twice, one of them half empty; points that are joined take 12 bytes each.
static void test_memory( void **state ) {
	(void)state;
	shape s = make_sphere( 200, 120 );
	const dbvh_mesh_view view = shape_view( &s );
	for ( int i = 1; i < DBVH_MESH_FORMAT_COUNT; ++i ) {
		const dbvh_mesh_format kind = (dbvh_mesh_format)i;
		assert_int_equal( dbvh_mesh_save( &view, PATH, kind, NULL ), DBVH_OK );
		counting c = { .fail_at = SIZE_MAX };
		const dbvh_allocator allocator = counting_allocator( &c );
		dbvh_mesh *mesh;
		assert_int_equal( dbvh_mesh_load( PATH, DBVH_MESH_FORMAT_AUTO, &allocator, &mesh, NULL ), DBVH_OK );
		const dbvh_mesh_view loaded = dbvh_mesh_get_view( mesh );
		const size_t vertices = 24 * loaded.vertex_count, triangles = 12 * loaded.triangle_count;
		size_t most = vertices + triangles + DBVHI_PIECE_SIZE + 4096;
		if ( kind == DBVH_MESH_FORMAT_STL || kind == DBVH_MESH_FORMAT_STL_ASCII )
			most += 2 * vertices + vertices / 2;
		if ( kind == DBVH_MESH_FORMAT_OBJ )
			most += 2 * vertices;
		if ( kind == DBVH_MESH_FORMAT_OBJ || kind == DBVH_MESH_FORMAT_STL_ASCII )
			most += 2 * triangles;
		if ( c.peak_bytes > most )
			fail_msg( "format %d: %zu bytes, not %zu", (int)kind, c.peak_bytes, most );
		assert_true( c.live_bytes >= vertices + triangles && c.live_bytes < vertices + triangles + 4096 );
		dbvh_mesh_destroy( mesh );
		assert_int_equal( c.live_blocks, 0 );
	}
	remove( PATH );
	shape_free( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_files ),
	    cmocka_unit_test( test_large_files ),
	    cmocka_unit_test( test_file_that_shrinks ),
	    cmocka_unit_test( test_memory ),
	};
	return test_main( argc, argv, tests );
}
