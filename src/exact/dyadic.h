// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Numbers m 2^e with an integer m of a bounded length: what sums and products of doubles are, without a unit that
// everything would have to share. Slower than exact/big.h by the alignment of sums, and simpler to write formulas in.

#pragma once

#include "exact/limbs.h"

// The longest are squared volumes of a point in motion, p + t v: coordinates from 2^-2148 to 2^1025, of which a volume
// has two and an edge, 8,450 bits, and its square 16,900.
#define DBVHI_DYADIC_LIMBS ( 19456 / DBVHI_LIMB_BITS )

// sign * sum limb[i] 2^(bits (i + exponent)). Zero has sign 0 and length 0; otherwise the top limb is not 0. Only
// `length` limbs are ever touched: copy with dbvhi_dyadic_copy().
typedef struct dbvhi_dyadic {
	int32_t sign;
	int32_t exponent;
	uint32_t length;
	dbvhi_limb limb[DBVHI_DYADIC_LIMBS];
} dbvhi_dyadic;

// `x` is finite.
void dbvhi_dyadic_set( dbvhi_dyadic *out, double x );
void dbvhi_dyadic_copy( dbvhi_dyadic *out, const dbvhi_dyadic *a );
// `out` may be a or b.
void dbvhi_dyadic_add( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b );
void dbvhi_dyadic_sub( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b );
void dbvhi_dyadic_mul( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b );
