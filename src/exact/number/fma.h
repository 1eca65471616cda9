// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// a b + c, rounded to the nearest double once. fma() of the C library is not used: that of mingw-w64 rounds twice.

#pragma once

// Compute it without the instruction, for finite numbers. Infinite beyond the largest double; zeros have the sign that
// IEEE 754 gives them.
double dbvhi_fma_emulated( double a, double b, double c );

static inline double dbvhi_fma( double a, double b, double c ) {
	// The instruction, where every machine of this kind has it.
#if defined( __FP_FAST_FMA ) || defined( __FMA__ ) || defined( __aarch64__ )
	return __builtin_fma( a, b, c );
#else
	return dbvhi_fma_emulated( a, b, c );
#endif
}
