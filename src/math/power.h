// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Products with powers of two that need not be doubles, such as 2^1030, as ldexp() makes them but without a call.

#pragma once

#include "base/assert.h"

#include <math.h>

// The power is first * second.
typedef struct dbvhi_power {
	double first, second;
} dbvhi_power;

static inline dbvhi_power dbvhi_power_of_two( int exponent ) {
	DBVHI_ASSERT( exponent >= -1200 && exponent <= 1200 );
	const int second = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : 0;
	return ( dbvhi_power ){ ldexp( 1.0, exponent - second ), ldexp( 1.0, second ) };
}

// Returns x times the power, rounded once where that is subnormal. (Where the first product is subnormal, the result is
// 0 or the smallest double.)
static inline double dbvhi_times_power( dbvhi_power power, double x ) {
	return x * power.first * power.second;
}
