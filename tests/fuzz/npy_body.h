// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One input of the fuzzer of .npy files, and of the replay of its corpus.

#pragma once

#include "body.h"
#include "text/npy.h"

// An accepted array is complete, number by number; a refusal gives its reason.
static inline bool fuzz_npy( const unsigned char *bytes, size_t count ) {
	npy_array a;
	dbvh_error error;
	const bool accepted = npy_read( bytes, count, &a, &error );
	FUZZ_REQUIRE( memchr( error.text, '\0', sizeof error.text ) != NULL );
	FUZZ_REQUIRE( accepted == ( error.status == DBVH_OK ) && accepted == ( error.text[0] == '\0' ) );
	FUZZ_REQUIRE( error.byte >= -1 && error.byte <= (int64_t)count );
	FUZZ_REQUIRE( npy_read( bytes, count, &a, NULL ) == accepted );
	if ( !accepted )
		return false;
	FUZZ_REQUIRE( a.rank >= 0 && a.rank <= NPY_MAX_RANK );
	FUZZ_REQUIRE( a.count <= count && a.count == a.shape[0] * a.shape[1] * a.shape[2] );
	volatile double last = 0.0; // AddressSanitizer sees that all are there
	for ( size_t i = 0; i < a.shape[0] && a.count > 0; ++i )
		for ( size_t j = 0; j < a.shape[1]; ++j )
			for ( size_t k = 0; k < a.shape[2]; ++k )
				last = npy_at( &a, i, j, k );
	(void)last;
	return true;
}
