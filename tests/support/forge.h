// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Forged files of structures: changes where they have numbers, of one, four and eight bytes at places that suit them.

#pragma once

#include "mesh/io/bytes.h"
#include "support/rng.h"

#include <stddef.h>

// One word becomes an interesting one, in a third of the cases or more one of the first kilobyte, where heads are.
static inline void forge_word( uint8_t *bytes, size_t count, rng *r ) {
	static const uint64_t words[] = { 0,
	                                  1,
	                                  2,
	                                  3,
	                                  4,
	                                  0x7f,
	                                  0xff,
	                                  0x7fffffff,
	                                  0x80000000,
	                                  0xffffffff,
	                                  0x7f800000,
	                                  0x7fc00000,
	                                  0xff800000,
	                                  UINT64_C( 0x7ff0000000000000 ),
	                                  UINT64_C( 0x7ff8000000000000 ),
	                                  UINT64_C( 0x8000000000000000 ),
	                                  UINT64_MAX };
	const size_t size = rng_below( r, 3 ) == 0 ? 8 : rng_below( r, 2 ) == 0 ? 1 : 4;
	const size_t reach = rng_below( r, 3 ) == 0 && count > 1024 ? 1024 : count;
	const size_t at = rng_below( r, reach ) / size * size;
	if ( at + size > count )
		return;
	uint64_t value = dbvhi_bytes_get( bytes + at, size, false );
	switch ( rng_below( r, 5 ) ) {
	case 0:
		value = words[rng_below( r, sizeof words / sizeof words[0] )];
		break;
	case 1:
		value ^= UINT64_C( 1 ) << rng_below( r, 8 * size );
		break;
	case 2:
		value += rng_below( r, 9 ) - 4;
		break;
	case 3:
		value = rng_u64( r );
		break;
	default:
		value = dbvhi_bytes_get( bytes + rng_below( r, count / size ) * size, size, false ); // from elsewhere
	}
	dbvhi_bytes_put( bytes + at, size, value );
}
