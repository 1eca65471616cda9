// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene_body.h"

int LLVMFuzzerTestOneInput( const uint8_t *data, size_t size );

int LLVMFuzzerTestOneInput( const uint8_t *data, size_t size ) {
	fuzz_3mf( data, size );
	return 0;
}
