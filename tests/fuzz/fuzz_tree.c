// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "tree_body.h"

int LLVMFuzzerTestOneInput( const uint8_t *data, size_t size );

// The input twice: unchanged, and with its checksums set right, without which next to nothing would pass them.
int LLVMFuzzerTestOneInput( const uint8_t *data, size_t size ) {
	fuzz_tree_file( data, size, DBVH_FILE_CHECK_SAMPLED );
	uint8_t *sealed = (uint8_t *)malloc( size + 1 );
	FUZZ_REQUIRE( sealed != NULL );
	if ( size > 0 )
		memcpy( sealed, data, size );
	fuzz_tree_seal( sealed, size );
	fuzz_tree_file( sealed, size, size % 2 == 0 ? DBVH_FILE_CHECK_SAMPLED : DBVH_FILE_CHECK_WHOLE );
	free( sealed );
	return 0;
}
