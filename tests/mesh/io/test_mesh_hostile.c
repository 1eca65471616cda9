// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files that are cut off, damaged or lie about themselves, and a machine without memory.

#include "mesh/meshes.h"
#include "support/rng.h"

#include <time.h>

static bool is_binary( size_t sample ) {
	return sample == 1 || sample == 4 || sample == 5;
}

static void test_prefixes( void **state ) {
	(void)state;
	static blob b;
	for ( size_t sample = 0; sample < SAMPLE_COUNT; ++sample ) {
		const dbvh_mesh_format format = sample_file( sample, &b );
		for ( size_t count = 0; count <= b.count; ++count ) {
			dbvh_mesh *mesh;
			dbvh_error error;
			const dbvh_status status = parse_bytes( b.bytes, count, format, NULL, &mesh, &error );
			const size_t triangles = dbvh_mesh_get_view( mesh ).triangle_count;
			if ( count == b.count && status != DBVH_OK )
				fail_msg( "sample %zu: %s", sample, error.text );
			// An OBJ promises no number of faces. Every other format does, or has an end that must be there.
			const bool may_be_shorter = format == DBVH_MESH_FORMAT_OBJ;
			if ( status == DBVH_OK && triangles != 4 && !may_be_shorter )
				fail_msg( "sample %zu: %zu triangles from %zu bytes", sample, triangles, count );
			if ( status == DBVH_OK && count < b.count && is_binary( sample ) )
				fail_msg( "sample %zu: %zu bytes were enough", sample, count );
			dbvh_mesh_destroy( mesh );
			parse_bytes( b.bytes, count, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error );
			dbvh_mesh_destroy( mesh );
		}
	}
}

// Damaged bytes give a mesh or a refusal; AddressSanitizer and the checks in parse_bytes() judge.
static void test_damage( void **state ) {
	(void)state;
	static blob b;
	rng r = rng_announce( "damage", 4 );
	size_t accepted = 0, refused = 0;
	for ( int round = 0; round < 20000; ++round ) {
		const dbvh_mesh_format format = sample_file( (size_t)round % SAMPLE_COUNT, &b );
		const uint64_t changes = 1 + rng_below( &r, 4 );
		for ( uint64_t i = 0; i < changes; ++i ) {
			const size_t at = rng_below( &r, b.count );
			static const char likely[] = "0129-+.e \n\r#\\/,\0\xff\x7f";
			b.bytes[at] =
			    rng_below( &r, 2 ) ? (uint8_t)rng_u64( &r ) : (uint8_t)likely[rng_below( &r, sizeof likely - 1 )];
		}
		dbvh_mesh *mesh;
		dbvh_error error;
		if ( parse_bytes( b.bytes, b.count, round % 3 ? format : DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ) ==
		     DBVH_OK )
			accepted += 1;
		else
			refused += 1;
		dbvh_mesh_destroy( mesh );
	}
	assert_outcomes( accepted > 1000 && refused > 1000 );
}

static void test_out_of_memory( void **state ) {
	(void)state;
	static blob b;
	for ( size_t sample = 0; sample < SAMPLE_COUNT; ++sample ) {
		const dbvh_mesh_format format = sample_file( sample, &b );
		for ( size_t fail_at = 0;; ++fail_at ) {
			counting count = { .fail_at = fail_at };
			const dbvh_allocator allocator = counting_allocator( &count );
			dbvh_mesh *mesh;
			dbvh_error error;
			const dbvh_status status = parse_bytes( b.bytes, b.count, format, &allocator, &mesh, &error );
			dbvh_mesh_destroy( mesh );
			assert_int_equal( count.live_blocks, 0 );
			assert_int_equal( count.live_bytes, 0 );
			if ( status == DBVH_OK ) {
				assert_true( fail_at >= count.calls && fail_at >= 3 );
				break;
			}
			assert_int_equal( status, DBVH_OUT_OF_MEMORY );
		}
	}
	for ( size_t fail_at = 0; fail_at < 3; ++fail_at ) {
		counting count = { .fail_at = fail_at };
		const dbvh_allocator allocator = counting_allocator( &count );
		const dbvh_mesh_view view = tetra_view();
		dbvh_mesh *mesh;
		assert_int_equal( dbvh_mesh_create( &view, &allocator, &mesh, NULL ), DBVH_OUT_OF_MEMORY );
		assert_int_equal( count.live_blocks, 0 );
	}
}

static void test_out_of_memory_in_audit( void **state ) {
	(void)state;
	const dbvh_mesh_view view = tetra_view();
	for ( size_t fail_at = 0;; ++fail_at ) {
		counting count = { .fail_at = fail_at };
		const dbvh_allocator allocator = counting_allocator( &count );
		dbvh_mesh_audit_result result;
		const dbvh_status status = dbvh_mesh_audit( &view, &allocator, &result, NULL, 0, NULL );
		assert_int_equal( count.live_blocks, 0 );
		if ( status == DBVH_OK ) {
			assert_true( fail_at >= 8 );
			break;
		}
		assert_int_equal( status, DBVH_OUT_OF_MEMORY );
	}
}

// Headers that promise the world must not cost more than the file is worth.
static void test_memory_follows_the_file( void **state ) {
	(void)state;
	static const char *const files[] = {
	    "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty uchar x\nproperty uchar y\nproperty "
	    "uchar z\nelement face 4000000000\nproperty list uchar uchar vertex_index\nend_header\nabcdefghijkl",
	    "ply\nformat ascii 1.0\nelement vertex 9223372036854775807\nproperty float x\nproperty float y\nproperty float "
	    "z\nend_header\n1 2 3\n",
	    "ply\nformat binary_big_endian 1.0\nelement face 1\nproperty list uint uint vertex_index\nend_header\n"
	    "\xff\xff\xff\xff",
	    "ply\nformat binary_big_endian 1.0\nelement face 1\nproperty list double double vertex_index\nend_header\n"
	    "\x43\x30\x01\x01\x01\x01\x01\x01",
	    "ply\nformat binary_little_endian 1.0\nelement x 9000000000000000000\nelement y 9000000000000000000\nproperty "
	    "list uchar double q\nend_header\n\xff\xff",
	    "OFF 4000000000 4000000000 4000000000\n0 0 0\n",
	    "OFF 1 1 0\n0 0 0\n4000000000 0 0 0 0 0 0 0",
	};
	for ( size_t i = 0; i < LENGTH( files ); ++i ) {
		counting count = { .fail_at = SIZE_MAX };
		const dbvh_allocator allocator = counting_allocator( &count );
		dbvh_mesh *mesh;
		dbvh_error error;
		const dbvh_status status =
		    parse_bytes( files[i], strlen( files[i] ), DBVH_MESH_FORMAT_AUTO, &allocator, &mesh, &error );
		if ( status != DBVH_TRUNCATED )
			fail_msg( "file %zu: %s (%s)", i, dbvh_status_name( status ), error.text );
		assert_true( count.peak_bytes < 40 * strlen( files[i] ) );
	}
}

// One line of megabytes, in every place a line can be.
static void test_long_lines( void **state ) {
	(void)state;
	static const struct {
		const char *before;
		const char *repeated;
		const char *after;
		dbvh_mesh_format format;
		dbvh_status status;
	} cases[] = {
	    { "#", "x", "\n" TETRA_OBJ, DBVH_MESH_FORMAT_AUTO, DBVH_OK },
	    { "g", " x", "\n" TETRA_OBJ, DBVH_MESH_FORMAT_AUTO, DBVH_OK },
	    { TETRA_OBJ "f", " 1", "\n", DBVH_MESH_FORMAT_OBJ, DBVH_OK },
	    { TETRA_OBJ "f 1 2 3", " \\\n", "\n", DBVH_MESH_FORMAT_OBJ, DBVH_OK },
	    { TETRA_OBJ "f 1 2 ", "9", "\n", DBVH_MESH_FORMAT_OBJ, DBVH_INDEX_RANGE },
	    { TETRA_OBJ "", "\r", "\n", DBVH_MESH_FORMAT_OBJ, DBVH_OK },
	    { TETRA_OBJ "v 0 0 0.", "1", "\n", DBVH_MESH_FORMAT_OBJ, DBVH_OK },
	    { TETRA_OBJ "v 0 0 ", "1", "\n", DBVH_MESH_FORMAT_OBJ, DBVH_NOT_FINITE },
	    { TETRA_OBJ "", "v", " 1 2 3\n", DBVH_MESH_FORMAT_OBJ, DBVH_OK },
	    { "solid ", "x", "\nendsolid", DBVH_MESH_FORMAT_AUTO, DBVH_EMPTY },
	    { "solid\nfacet ", "x ", "", DBVH_MESH_FORMAT_STL, DBVH_MALFORMED },
	    { "solid\n", "endsolid solid\n", "endsolid", DBVH_MESH_FORMAT_STL, DBVH_MALFORMED },
	    { "ply\ncomment ", "x", "\n", DBVH_MESH_FORMAT_AUTO, DBVH_TRUNCATED },
	    { "ply\nformat ascii 1.0\n", "element x 0\n", "end_header\n", DBVH_MESH_FORMAT_AUTO, DBVH_EMPTY },
	    { "ply\nformat ascii 1.0\nelement x 3\n", "property int q\n", "end_header\n", DBVH_MESH_FORMAT_AUTO,
	      DBVH_TRUNCATED },
	    { "OFF ", "9", " 1 0\n", DBVH_MESH_FORMAT_AUTO, DBVH_TRUNCATED },
	    { "OFF 1 1 0\n0 0 0\n", "9", "", DBVH_MESH_FORMAT_AUTO, DBVH_TRUNCATED },
	    { "OFF 1 1 0\n0 0 0\n4 0 0 0 0 ", "9 ", "", DBVH_MESH_FORMAT_AUTO, DBVH_OK },
	    { "OFF", "\n", "1 1 0\n0 0 0 3 0 0 0", DBVH_MESH_FORMAT_AUTO, DBVH_TRUNCATED },
	};
	const size_t length = 2000000;
	char *text = malloc( length + 4096 );
	assert_non_null( text );
	const clock_t begin = clock();
	for ( size_t i = 0; i < LENGTH( cases ); ++i ) {
		const size_t unit = strlen( cases[i].repeated );
		strcpy( text, cases[i].before );
		size_t count = strlen( text );
		for ( size_t k = 0; k < length / unit; ++k, count += unit )
			memcpy( text + count, cases[i].repeated, unit );
		strcpy( text + count, cases[i].after );
		dbvh_mesh *mesh;
		dbvh_error error;
		const dbvh_status status =
		    parse_bytes( text, count + strlen( cases[i].after ), cases[i].format, NULL, &mesh, &error );
		if ( status != cases[i].status )
			fail_msg( "case %zu: %s (%s)", i, dbvh_status_name( status ), error.text );
		dbvh_mesh_destroy( mesh );
	}
	free( text );
	// Anything quadratic would take hours.
	assert_true( ( clock() - begin ) / CLOCKS_PER_SEC < 60 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_prefixes ),
	    cmocka_unit_test( test_damage ),
	    cmocka_unit_test( test_out_of_memory ),
	    cmocka_unit_test( test_out_of_memory_in_audit ),
	    cmocka_unit_test( test_memory_follows_the_file ),
	    cmocka_unit_test( test_long_lines ),
	};
	return test_main( argc, argv, tests );
}
