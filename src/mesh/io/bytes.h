// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Numbers in bytes of either order, whatever the order of this machine.

#pragma once

#include "base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// `size` bytes (1 to 8) as an unsigned number.
static inline uint64_t dbvhi_bytes_get( const uint8_t *at, size_t size, bool big_endian ) {
	DBVHI_ASSERT( size >= 1 && size <= 8 );
	uint64_t value = 0;
	for ( size_t i = 0; i < size; ++i )
		value |= (uint64_t)at[i] << ( 8 * ( big_endian ? size - 1 - i : i ) );
	return value;
}

static inline float dbvhi_bytes_get_float( const uint8_t *at, bool big_endian ) {
	// note: compilers make one load of this, but not of the loop in dbvhi_bytes_get().
	const uint32_t bits = big_endian ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]
	                                 : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
	float value;
	memcpy( &value, &bits, sizeof value );
	return value;
}

static inline double dbvhi_bytes_get_double( const uint8_t *at, bool big_endian ) {
	const uint64_t bits = dbvhi_bytes_get( at, 8, big_endian );
	double value;
	memcpy( &value, &bits, sizeof value );
	return value;
}

// Little endian, which is what all binary writers write.
static inline void dbvhi_bytes_put( uint8_t *at, size_t size, uint64_t value ) {
	DBVHI_ASSERT( size >= 1 && size <= 8 );
	for ( size_t i = 0; i < size; ++i )
		at[i] = (uint8_t)( value >> ( 8 * i ) );
}

static inline void dbvhi_bytes_put_float( uint8_t *at, float value ) {
	uint32_t bits;
	memcpy( &bits, &value, sizeof bits );
	dbvhi_bytes_put( at, 4, bits );
}

static inline void dbvhi_bytes_put_double( uint8_t *at, double value ) {
	uint64_t bits;
	memcpy( &bits, &value, sizeof bits );
	dbvhi_bytes_put( at, 8, bits );
}

// The first byte from `at` on that is neither zero nor ASCII white space, or `end`. What stands behind the promised
// content of a file is padding if nothing else is there.
static inline const uint8_t *dbvhi_bytes_skip_padding( const uint8_t *at, const uint8_t *end ) {
	DBVHI_ASSERT( at <= end );
	while ( at < end && ( *at == 0 || *at == ' ' || ( *at >= '\t' && *at <= '\r' ) ) )
		at += 1;
	return at;
}
