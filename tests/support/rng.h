// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Random numbers that are the same on every platform. A test prints its seed and takes another from DUALBVH_SEED.

#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct rng {
	uint64_t state;
} rng;

// splitmix64
static inline uint64_t rng_u64( rng *r ) {
	uint64_t x = ( r->state += UINT64_C( 0x9e3779b97f4a7c15 ) );
	x = ( x ^ ( x >> 30 ) ) * UINT64_C( 0xbf58476d1ce4e5b9 );
	x = ( x ^ ( x >> 27 ) ) * UINT64_C( 0x94d049bb133111eb );
	return x ^ ( x >> 31 );
}

// A number below n, n > 0. The bias is below n / 2^64.
static inline uint64_t rng_below( rng *r, uint64_t n ) {
	return rng_u64( r ) % n;
}

// A number in [0, 1), with 53 random bits.
static inline double rng_unit( rng *r ) {
	return (double)( rng_u64( r ) >> 11 ) * 0x1p-53;
}

static inline double rng_range( rng *r, double low, double high ) {
	return low + ( high - low ) * rng_unit( r );
}

// True if the environment chooses the seed.
static inline bool rng_is_chosen( void ) {
	return getenv( "DUALBVH_SEED" ) != NULL;
}

// Assert that a random test has met the outcomes that it is about. That is certain of its own seed alone; of another
// one it is likely, less so the fewer rounds there are, and no failure of what is tested.
#define assert_outcomes( met ) assert_true( ( met ) || rng_is_chosen() )

// The seed from the environment, else `fallback`; printed, so that a failure can be repeated.
static inline rng rng_announce( const char *test, uint64_t fallback ) {
	const char *text = getenv( "DUALBVH_SEED" );
	const uint64_t seed = text != NULL ? strtoull( text, NULL, 0 ) : fallback;
	printf( "%s: seed %llu (DUALBVH_SEED repeats it)\n", test, (unsigned long long)seed );
	return ( rng ){ seed };
}
