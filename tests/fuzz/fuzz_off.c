// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh_body.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput( const uint8_t *data, size_t size );

int LLVMFuzzerTestOneInput( const uint8_t *data, size_t size ) {
	fuzz_parse( data, size, DBVH_MESH_FORMAT_OFF );
	return 0;
}
