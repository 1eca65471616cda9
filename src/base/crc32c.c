// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/crc32c.h"

#include "base/assert.h"
#include "base/cpu.h"

#include <stdbool.h>
#include <string.h>

// The polynomial x^32 + x^28 + x^27 + ... + 1 with its bits reversed.
#define POLYNOMIAL UINT32_C( 0x82f63b78 )

// Builds the tables of the slicing-by-8 algorithm (Kounavis and Berry 2005): row k is the effect of a byte on the
// checksum k bytes later. A table of 16 half bytes is enough to compute them at run time, because the remainder of a
// byte is the sum of those of its halves.
static uint32_t of_half( uint32_t half ) {
	DBVHI_ASSERT( half < 16 );
	uint32_t crc = half;
	for ( int i = 0; i < 4; ++i )
		crc = crc >> 1 ^ ( POLYNOMIAL & ( 0u - ( crc & 1 ) ) );
	return crc;
}

typedef struct rows {
	uint32_t of[8][256];
} rows;

static void make_rows( rows *r ) {
	uint32_t halves[16];
	for ( uint32_t i = 0; i < 16; ++i )
		halves[i] = of_half( i );
	for ( uint32_t i = 0; i < 256; ++i ) {
		uint32_t crc = i;
		for ( int k = 0; k < 2; ++k )
			crc = crc >> 4 ^ halves[crc & 15];
		r->of[0][i] = crc;
	}
	for ( uint32_t i = 0; i < 256; ++i ) {
		for ( int k = 1; k < 8; ++k )
			r->of[k][i] = r->of[k - 1][i] >> 8 ^ r->of[0][r->of[k - 1][i] & 0xff];
	}
}

static uint32_t word_at( const unsigned char *at ) {
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

// note: the tables (8 KiB) are built anew for each call, in some 4,000 steps; callers sum up blocks of files, which are
// far longer.
uint32_t dbvhi_crc32c_portable( uint32_t crc, const void *bytes, size_t count ) {
	const unsigned char *at = bytes;
	rows r;
	make_rows( &r );
	crc = ~crc;
	for ( ; count >= 8; at += 8, count -= 8 ) {
		const uint32_t low = crc ^ word_at( at ), high = word_at( at + 4 );
		crc = r.of[7][low & 0xff] ^ r.of[6][low >> 8 & 0xff] ^ r.of[5][low >> 16 & 0xff] ^ r.of[4][low >> 24] ^
		      r.of[3][high & 0xff] ^ r.of[2][high >> 8 & 0xff] ^ r.of[1][high >> 16 & 0xff] ^ r.of[0][high >> 24];
	}
	for ( ; count > 0; ++at, --count )
		crc = crc >> 8 ^ r.of[0][( crc ^ *at ) & 0xff];
	return ~crc;
}

// ------------------------------------------------------------------------------------------------
// By instruction

#if defined( __x86_64__ ) && defined( __GNUC__ )

// clang has these instructions in a set of their own, of which older compilers do not know.
#if defined( __clang__ )
#define BY_INSTRUCTION __attribute__( ( target( "sse4.2,crc32" ) ) )
#else
#define BY_INSTRUCTION __attribute__( ( target( "sse4.2" ) ) )
#endif

BY_INSTRUCTION static inline uint32_t add_word( uint32_t crc, uint64_t word ) {
	return (uint32_t)__builtin_ia32_crc32di( crc, word );
}

BY_INSTRUCTION static inline uint32_t add_byte( uint32_t crc, unsigned char byte ) {
	return __builtin_ia32_crc32qi( crc, byte );
}

static bool has_instruction( void ) {
	return dbvhi_cpu_has_sse42();
}

#elif defined( __ARM_FEATURE_CRC32 ) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

#include <arm_acle.h>

#define BY_INSTRUCTION

static inline uint32_t add_word( uint32_t crc, uint64_t word ) {
	return __crc32cd( crc, word );
}

static inline uint32_t add_byte( uint32_t crc, unsigned char byte ) {
	return __crc32cb( crc, byte );
}

static bool has_instruction( void ) {
	return true;
}

#endif

#if defined( BY_INSTRUCTION )

// The CRC instruction starts every cycle but has a latency of three. So three runs are summed up in parallel and
// combined: followed by RUN zero bytes, a checksum becomes its product with x^(8 RUN) modulo the polynomial (Gopal et
// al. 2011, section 2), in reversed bit order.
#define RUN ( (size_t)4096 )
#define AFTER_A_RUN UINT32_C( 0x35d73a62 )    // x^(8 RUN)
#define AFTER_TWO_RUNS UINT32_C( 0x28461564 ) // x^(16 RUN)

static uint32_t product( uint32_t a, uint32_t b ) {
	uint32_t sum = 0;
	for ( int bit = 31; bit >= 0; --bit ) {
		sum ^= b & ( 0u - ( a >> bit & 1 ) );
		b = b >> 1 ^ ( POLYNOMIAL & ( 0u - ( b & 1 ) ) );
	}
	return sum;
}

static uint64_t load_word( const unsigned char *at ) {
	uint64_t word;
	memcpy( &word, at, sizeof word );
	return word;
}

// Sums up 3 RUN bytes, and prefetches the next ones: the processor's own prefetching stops at a page boundary.
BY_INSTRUCTION static uint32_t add_runs( uint32_t crc, const unsigned char *at ) {
	uint32_t second = 0, third = 0;
	for ( const unsigned char *end = at + RUN; at < end; ) {
		for ( size_t run = 3; run < 6; ++run )
			__builtin_prefetch( (const void *)( (uintptr_t)at + run * RUN ) ); // a prefetch beyond the end is harmless
		for ( const unsigned char *line = at + 64; at < line; at += 8 ) {
			crc = add_word( crc, load_word( at ) );
			second = add_word( second, load_word( at + RUN ) );
			third = add_word( third, load_word( at + 2 * RUN ) );
		}
	}
	return product( crc, AFTER_TWO_RUNS ) ^ product( second, AFTER_A_RUN ) ^ third;
}

BY_INSTRUCTION static uint32_t by_instruction( uint32_t crc, const unsigned char *at, size_t count ) {
	crc = ~crc;
	for ( ; count >= 3 * RUN; at += 3 * RUN, count -= 3 * RUN )
		crc = add_runs( crc, at );
	for ( ; count >= 8; at += 8, count -= 8 )
		crc = add_word( crc, load_word( at ) );
	for ( ; count > 0; ++at, --count )
		crc = add_byte( crc, *at );
	return ~crc;
}

uint32_t dbvhi_crc32c( uint32_t crc, const void *bytes, size_t count ) {
	return has_instruction() ? by_instruction( crc, bytes, count ) : dbvhi_crc32c_portable( crc, bytes, count );
}

#else

uint32_t dbvhi_crc32c( uint32_t crc, const void *bytes, size_t count ) {
	return dbvhi_crc32c_portable( crc, bytes, count );
}

#endif
