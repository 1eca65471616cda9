// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The cost of the steps down to one of n triangles: log2( 1 + n ), from a table for up to 64, the size of most parts.
// The table's digits are part of the definition of a tree.

#pragma once

#include "base/inline.h"

#include <math.h>
#include <stddef.h>

// clang-format off
#define DBVHI_STEPS_DOWN { \
	0.0, 1.0, 1.5849625, 2.0, 2.3219281, 2.5849625, 2.8073549, 3.0, 3.169925, \
	3.3219281, 3.4594316, 3.5849625, 3.7004397, 3.8073549, 3.9068906, 4.0, 4.0874628, 4.169925, \
	4.2479275, 4.3219281, 4.3923174, 4.4594316, 4.523562, 4.5849625, 4.6438562, 4.7004397, 4.7548875, \
	4.8073549, 4.857981, 4.9068906, 4.9541963, 5.0, 5.0443941, 5.0874628, 5.129283, 5.169925, \
	5.2094534, 5.2479275, 5.2854022, 5.3219281, 5.357552, 5.3923174, 5.4262648, 5.4594316, 5.4918531, \
	5.523562, 5.5545889, 5.5849625, 5.6147098, 5.6438562, 5.6724253, 5.7004397, 5.7279205, 5.7548875, \
	5.7813597, 5.8073549, 5.83289, 5.857981, 5.882643, 5.9068906, 5.9307373, 5.9541963, 5.9772799, \
	6.0, 6.0223678 }
// clang-format on

DBVHI_INLINE float dbvhi_steps_down_f( size_t n ) {
	static const float table[65] = DBVHI_STEPS_DOWN;
	return n < 65 ? table[n] : (float)log2( 1.0 + (double)n );
}

DBVHI_INLINE double dbvhi_steps_down( size_t n ) {
	static const double table[65] = DBVHI_STEPS_DOWN;
	return n < 64 ? table[n] : log2( 1.0 + (double)n );
}
