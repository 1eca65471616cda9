// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "run_body.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput( const uint8_t *data, size_t size );

int LLVMFuzzerTestOneInput( const uint8_t *data, size_t size ) {
	fuzz_matrix( data, size );
	return 0;
}
