// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// CRC-32C: the answers of RFC 3720, appendix B.4, the definition bit by bit, and parts that follow each other.

#include "base/crc32c.h"
#include "support/rng.h"
#include "support/unit.h"

#include <string.h>

static void known_answers( void **state ) {
	(void)state;
	unsigned char bytes[48] = { 0 };
	assert_int_equal( dbvhi_crc32c( 0, "", 0 ), 0 );
	assert_int_equal( dbvhi_crc32c( 0, "123456789", 9 ), 0xe3069283 );
	assert_int_equal( dbvhi_crc32c( 0, bytes, 32 ), 0x8a9136aa );
	memset( bytes, 0xff, 32 );
	assert_int_equal( dbvhi_crc32c( 0, bytes, 32 ), 0x62a8ab43 );
	for ( unsigned i = 0; i < 32; ++i )
		bytes[i] = (unsigned char)i;
	assert_int_equal( dbvhi_crc32c( 0, bytes, 32 ), 0x46dd794e );
	for ( unsigned i = 0; i < 32; ++i )
		bytes[i] = (unsigned char)( 31 - i );
	assert_int_equal( dbvhi_crc32c( 0, bytes, 32 ), 0x113fdb5c );
	static const unsigned char command[48] = { 0x01, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0,
	                                           0x14, 0,    0, 0, 0, 0, 4, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18,
	                                           0x28, 0,    0, 0, 0, 0, 0, 0, 2, 0, 0, 0,    0, 0, 0, 0 };
	assert_int_equal( dbvhi_crc32c( 0, command, 48 ), 0xd9963a56 );
}

static uint32_t by_definition( uint32_t crc, const unsigned char *bytes, size_t count ) {
	crc = ~crc;
	for ( size_t i = 0; i < count; ++i ) {
		crc ^= bytes[i];
		for ( int k = 0; k < 8; ++k )
			crc = ( crc & 1 ) != 0 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return ~crc;
}

static void any_length_and_place( void **state ) {
	(void)state;
	rng r = rng_announce( "crc32c", 1 );
	unsigned char bytes[600];
	for ( size_t i = 0; i < sizeof bytes; ++i )
		bytes[i] = (unsigned char)rng_u64( &r );
	for ( int i = 0; i < 2000; ++i ) {
		const size_t from = rng_below( &r, 16 ), count = rng_below( &r, sizeof bytes - from + 1 );
		const size_t first = rng_below( &r, count + 1 );
		const uint32_t truth = by_definition( 0, bytes + from, count );
		assert_int_equal( dbvhi_crc32c( 0, bytes + from, count ), truth );
		assert_int_equal( dbvhi_crc32c_portable( 0, bytes + from, count ), truth );
		const uint32_t half = dbvhi_crc32c( 0, bytes + from, first );
		assert_int_equal( dbvhi_crc32c( half, bytes + from + first, count - first ), truth );
		assert_int_equal( dbvhi_crc32c_portable( half, bytes + from + first, count - first ), truth );
	}
}

// Lengths of several blocks of the three interleaved runs, and what is left over.
static void long_ones( void **state ) {
	(void)state;
	static unsigned char bytes[64 << 10];
	rng r = rng_announce( "crc32c, long", 2 );
	for ( size_t i = 0; i < sizeof bytes; ++i )
		bytes[i] = (unsigned char)rng_u64( &r );
	for ( int i = 0; i < 40; ++i ) {
		const size_t from = rng_below( &r, 16 ), count = sizeof bytes - from - rng_below( &r, i < 20 ? 16 : 60000 );
		const uint32_t before = (uint32_t)rng_u64( &r );
		const uint32_t truth = by_definition( before, bytes + from, count );
		assert_int_equal( dbvhi_crc32c( before, bytes + from, count ), truth );
		assert_int_equal( dbvhi_crc32c_portable( before, bytes + from, count ), truth );
	}
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( known_answers ),
	    cmocka_unit_test( any_length_and_place ),
	    cmocka_unit_test( long_ones ),
	};
	return test_main( argc, argv, tests );
}
