// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Three doubles, for the filters, whose bounds count every rounding: nothing here is contracted or reordered.

#pragma once

#include "base/inline.h"

#include <math.h>

typedef struct vec3 {
	double x, y, z;
} vec3;

DBVHI_INLINE vec3 vec3_between( const double *to, const double *from ) {
	return ( vec3 ){ to[0] - from[0], to[1] - from[1], to[2] - from[2] };
}

DBVHI_INLINE vec3 vec3_sub( vec3 a, vec3 b ) {
	return ( vec3 ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

DBVHI_INLINE vec3 vec3_cross( vec3 a, vec3 b ) {
	return ( vec3 ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

DBVHI_INLINE double vec3_dot( vec3 a, vec3 b ) {
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

// The largest coordinate in size.
DBVHI_INLINE double vec3_size( vec3 a ) {
	return dbvhi_larger( dbvhi_larger( fabs( a.x ), fabs( a.y ) ), fabs( a.z ) );
}
