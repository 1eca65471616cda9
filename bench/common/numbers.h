// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Numbers that are the same on every machine.

#pragma once

#include <stdint.h>

// A number in [0, 1); *state is any number.
static inline double next_number( uint64_t *state ) {
	*state = *state * UINT64_C( 6364136223846793005 ) + UINT64_C( 1442695040888963407 );
	return (double)( *state >> 11 ) * 0x1p-53;
}
