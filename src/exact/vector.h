// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Vectors of integers.

#pragma once

#include "exact/big.h"

#include <stdbool.h>

typedef dbvhi_big dbvhi_big3[3];

// `out` is none of the others, but in differences.
void dbvhi_big3_sub( dbvhi_big out[3], const dbvhi_big a[3], const dbvhi_big b[3] );
void dbvhi_big3_dot( dbvhi_big *out, const dbvhi_big a[3], const dbvhi_big b[3] );
void dbvhi_big3_cross( dbvhi_big out[3], const dbvhi_big a[3], const dbvhi_big b[3] );
bool dbvhi_big3_is_zero( const dbvhi_big a[3] );

// a b - c d
void dbvhi_big_det2( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b, const dbvhi_big *c, const dbvhi_big *d );
