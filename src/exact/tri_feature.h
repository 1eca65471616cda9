// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The feature of a triangle (corner, edge or face) that a point lies on.

#pragma once

#include "base/assert.h"

#include <stdint.h>

// 0 to 2: a corner; 3 + k: the inside of the edge from corner k to corner k + 1 mod 3; 6: the inside of the triangle.
typedef int8_t dbvhi_tri_feature;
#define DBVHI_EDGE( k ) ( (dbvhi_tri_feature)( 3 + ( k ) ) )
#define DBVHI_FACE ( (dbvhi_tri_feature)6 )
#define DBVHI_NOWHERE ( (dbvhi_tri_feature)-1 )

// The corner after corner k.
static inline int dbvhi_next_corner( int k ) {
	DBVHI_ASSERT( (unsigned)k < 3 );
	return k == 2 ? 0 : k + 1;
}
