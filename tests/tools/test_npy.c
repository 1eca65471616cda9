// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// .npy files: numbers in every layout, headers that lie, headers that grow.

// opendir() is POSIX, and the dialect here is strict C.
#define _POSIX_C_SOURCE 200809L

#include "fuzz/npy_body.h"
#include "support/rng.h"
#include "support/unit.h"

#include <dirent.h>
#include <math.h>

typedef struct blob {
	unsigned char bytes[1 << 14];
	size_t count;
} blob;

static void put( blob *b, const void *bytes, size_t count ) {
	assert_true( b->count + count <= sizeof b->bytes );
	memcpy( b->bytes + b->count, bytes, count );
	b->count += count;
}

// A file of version `major` with this dictionary.
static void begin( blob *b, int major, const char *dictionary ) {
	const size_t length = strlen( dictionary );
	const unsigned char preamble[12] = {
	    0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)major, 0, (unsigned char)length, (unsigned char)( length >> 8 ) };
	b->count = 0;
	put( b, preamble, major == 1 ? 10 : 12 );
	put( b, dictionary, length );
}

static void put_number( blob *b, double x, bool is_float32, bool is_big ) {
	unsigned char bytes[8];
	const int width = is_float32 ? 4 : 8;
	const float narrow = (float)x;
	uint64_t bits = 0;
	uint32_t half;
	memcpy( &half, &narrow, 4 );
	memcpy( &bits, &x, 8 );
	bits = is_float32 ? half : bits;
	for ( int i = 0; i < width; ++i )
		bytes[is_big ? width - 1 - i : i] = (unsigned char)( bits >> 8 * i );
	put( b, bytes, (size_t)width );
}

// Every layout that NumPy writes for a 2 x 3 x 4 array, whose number at [i, j, k] is ijk.
static void test_layouts( void **state ) {
	(void)state;
	static blob b;
	for ( int layout = 0; layout < 24; ++layout ) {
		const bool is_float32 = layout & 1, is_big = layout & 2, is_fortran = layout & 4;
		char dictionary[200];
		snprintf( dictionary, sizeof dictionary, "{'descr': '%cf%c', 'fortran_order': %s, 'shape': (2, 3, 4), }   \n",
		          is_big ? '>' : '<', is_float32 ? '4' : '8', is_fortran ? "True" : "False" );
		begin( &b, 1 + layout / 8, dictionary );
		for ( int n = 0; n < 24; ++n )
			put_number( &b, is_fortran ? n % 2 * 100 + n / 2 % 3 * 10 + n / 6 : n / 12 * 100 + n / 4 % 3 * 10 + n % 4,
			            is_float32, is_big );
		npy_array a;
		assert_true( npy_read( b.bytes, b.count, &a, NULL ) );
		assert_true( a.rank == 3 && a.count == 24 && a.shape[0] == 2 && a.shape[1] == 3 && a.shape[2] == 4 );
		for ( size_t i = 0; i < 2; ++i )
			for ( size_t j = 0; j < 3; ++j )
				for ( size_t k = 0; k < 4; ++k )
					assert_true( npy_at( &a, i, j, k ) == (double)( i * 100 + j * 10 + k ) );
	}
}

static void test_numbers( void **state ) {
	(void)state;
	static const double numbers[] = { 0.1, -0.0, 0x1p-1074, 0x1.fffffffffffffp+1023, -INFINITY };
	static blob b;
	begin( &b, 1, "{'shape': (5,), 'descr': \"<f8\", 'fortran_order': False}\n" );
	for ( size_t i = 0; i < 5; ++i )
		put_number( &b, numbers[i], false, false );
	npy_array a;
	assert_true( npy_read( b.bytes, b.count, &a, NULL ) );
	assert_true( a.rank == 1 && a.shape[0] == 5 && a.shape[1] == 1 && a.shape[2] == 1 );
	for ( size_t i = 0; i < 5; ++i ) {
		const double x = npy_at( &a, i, 0, 0 );
		assert_memory_equal( &x, &numbers[i], sizeof x );
	}
}

// Expect a status of an array of 24 bytes with this dictionary.
static void expect( const char *dictionary, dbvh_status status, const char *sentence ) {
	static const unsigned char zeros[24];
	static blob b;
	begin( &b, 1, dictionary );
	put( &b, zeros, sizeof zeros );
	npy_array a;
	dbvh_error error;
	if ( npy_read( b.bytes, b.count, &a, &error ) != ( status == DBVH_OK ) || error.status != status ||
	     strstr( error.text, sentence ) == NULL )
		fail_msg( "%s: %s, '%s'", dictionary, dbvh_status_name( error.status ), error.text );
}

static void test_headers( void **state ) {
	(void)state;
	expect( "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n", DBVH_OK, "" );
	expect( "{ 'descr' :'<f8','fortran_order':False,'shape':( 3 , ) } \n", DBVH_OK, "" );
	expect( "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2L)}", DBVH_OK, "" );
	expect( "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3, 1)}", DBVH_OK, "" );
	expect( "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", DBVH_MALFORMED, "16 bytes behind the array" );
	expect( "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", DBVH_MALFORMED, "8 bytes behind the array" );
	expect( "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3)}", DBVH_MALFORMED, "24 bytes behind the array" );
	expect( "{'descr': '<f8', 'fortran_order': False, 'shape': (4,)}", DBVH_TRUNCATED, "the 24 bytes behind" );
	expect( "{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551615,)}", DBVH_TRUNCATED, "the 24" );
	expect( "{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952, 8)}", DBVH_TRUNCATED, "the 24" );
	expect( "{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551616,)}", DBVH_TRUNCATED,
	        "larger than any file" );
	expect( "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1, 1, 1)}", DBVH_UNKNOWN_FORMAT, "dimensions" );
	expect( "{'descr': '<i8', 'fortran_order': False, 'shape': (3,)}", DBVH_UNKNOWN_FORMAT, "dtype '<i8'" );
	expect( "{'descr': '<f2', 'fortran_order': False, 'shape': (12,)}", DBVH_UNKNOWN_FORMAT, "dtype '<f2'" );
	expect( "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", DBVH_UNKNOWN_FORMAT, "dtype '|O'" );
	expect( "{'descr': '=f8', 'fortran_order': False, 'shape': (3,)}", DBVH_UNKNOWN_FORMAT, "dtype '=f8'" );
	expect( "{'descr': [('x', '<f8'), ('y', '<f8')], 'fortran_order': False, 'shape': (3,)}", DBVH_UNKNOWN_FORMAT,
	        "structured dtype, with a field 'x'" );
	static const char *const malformed[] = { "",
	                                         "{}",
	                                         "{'descr': '<f8'}",
	                                         "{'descr': '<f8', 'fortran_order': False, 'shape': (3)}",
	                                         "{'descr': '<f8', 'fortran_order': False, 'shape': (3 1)}",
	                                         "{'descr': '<f8', 'fortran_order': False, 'shape': (,)}",
	                                         "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
	                                         "{'descr': '<f8', 'fortran_order': False, 'shape': [3]}",
	                                         "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)",
	                                         "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} x",
	                                         "{'descr': '<f8', 'fortran_order': False 'shape': (3,)}",
	                                         "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
	                                         "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
	                                         "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}",

	                                         "{'descr': '<f\\x38', 'fortran_order': False, 'shape': (3,)}",
	                                         "{'descr': [], 'fortran_order': False}" };
	for ( size_t i = 0; i < sizeof malformed / sizeof malformed[0]; ++i )
		expect( malformed[i], DBVH_MALFORMED, "numpy.save" );
}

// No prefix of a file is one, and damage is refused or gives numbers that are there.
static void test_damage( void **state ) {
	(void)state;
	static blob b;
	begin( &b, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }\n" );
	for ( int i = 0; i < 12; ++i )
		put_number( &b, i, false, false );
	for ( size_t count = 0; count < b.count; ++count ) {
		unsigned char *exact = malloc( count + 1 );
		memcpy( exact, b.bytes, count );
		assert_false( fuzz_npy( exact, count ) );
		free( exact );
	}
	rng r = rng_announce( "damage", 15 );
	size_t accepted = 0;
	for ( int round = 0; round < 20000; ++round ) {
		static const char likely[] = "0123456789(),{}'\" <>f48:TFL\n";
		static blob damaged;
		damaged = b;
		for ( uint64_t changes = 1 + rng_below( &r, 3 ); changes > 0; --changes )
			damaged.bytes[rng_below( &r, 80 )] = (unsigned char)likely[rng_below( &r, sizeof likely - 1 )];
		accepted += fuzz_npy( damaged.bytes, damaged.count );
	}
	assert_in_range( accepted, 1, 19999 );
}

static void test_growing_header( void **state ) {
	(void)state;
	static blob b;
	char first[256], later[256];
	const size_t length = npy_header( first, sizeof first, "'<f8'", 0 );
	assert_true( length > 0 && length % 64 == 0 );
	assert_int_equal( npy_header( later, sizeof later, "'<f8'", UINT64_MAX ), length );
	assert_int_equal( npy_header( later, length - 1, "'<f8'", 3 ), 0 );
	assert_int_equal( npy_header( later, sizeof later, "'<f8'", 3 ), length );
	b.count = 0;
	put( &b, later, length );
	for ( int i = 0; i < 3; ++i )
		put_number( &b, i, false, false );
	npy_array a;
	assert_true( npy_read( b.bytes, b.count, &a, NULL ) );
	assert_true( a.rank == 1 && a.count == 3 && npy_at( &a, 2, 0, 0 ) == 2.0 );
	assert_int_equal( npy_header( later, sizeof later, "[('x', '<f8')]", 3 ) % 64, 0 );
}

static void test_corpus( void **state ) {
	(void)state;
	DIR *folder = opendir( DUALBVH_CORPUS );
	assert_non_null( folder );
	size_t files = 0, accepted = 0;
	for ( const struct dirent *entry; ( entry = readdir( folder ) ) != NULL; ) {
		char path[1024];
		static unsigned char bytes[1 << 14];
		if ( entry->d_name[0] == '.' )
			continue;
		assert_true( (size_t)snprintf( path, sizeof path, "%s/%s", DUALBVH_CORPUS, entry->d_name ) < sizeof path );
		FILE *file = fopen( path, "rb" );
		assert_non_null( file );
		const size_t count = fread( bytes, 1, sizeof bytes, file );
		fclose( file );
		accepted += fuzz_npy( bytes, count );
		files += 1;
	}
	closedir( folder );
	assert_true( accepted > 0 && accepted < files );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_layouts ), cmocka_unit_test( test_numbers ),        cmocka_unit_test( test_headers ),
	    cmocka_unit_test( test_damage ),  cmocka_unit_test( test_growing_header ), cmocka_unit_test( test_corpus ),
	};
	return test_main( argc, argv, tests );
}
