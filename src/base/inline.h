// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Functions that are always inlined: their loops have constant bounds only in their caller.

#pragma once

#if defined( __GNUC__ )
#define DBVHI_INLINE static inline __attribute__( ( always_inline ) )
#else
#define DBVHI_INLINE static inline
#endif

// The larger and the smaller of two, one instruction where fmax() is a call. A NaN in either place gives b.
DBVHI_INLINE double dbvhi_larger( double a, double b ) {
	return a > b ? a : b;
}

DBVHI_INLINE double dbvhi_smaller( double a, double b ) {
	return a < b ? a : b;
}
