// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// DBVHI_INLINE forces inlining: for functions whose loop bounds are constants only in their callers.

#pragma once

#if defined( __GNUC__ )
#define DBVHI_INLINE static inline __attribute__( ( always_inline ) )
#else
#define DBVHI_INLINE static inline
#endif

// Maximum and minimum, one instruction where fmax() is a call. A NaN in either argument gives b.
DBVHI_INLINE double dbvhi_larger( double a, double b ) {
	return a > b ? a : b;
}

DBVHI_INLINE double dbvhi_smaller( double a, double b ) {
	return a < b ? a : b;
}

DBVHI_INLINE int dbvhi_lower( int a, int b ) {
	return a < b ? a : b;
}

DBVHI_INLINE int dbvhi_sign_of( double x ) {
	return ( x > 0.0 ) - ( x < 0.0 );
}

// Is a size between 1 / limit and limit, a power of two, so that products of a few such sizes neither overflow nor lose
// digits?
DBVHI_INLINE int dbvhi_is_between( double size, double limit ) {
	return size > 1.0 / limit && size < limit;
}
