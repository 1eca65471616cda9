// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Signed integers of a bounded length, the last word of every predicate.
//
// Doubles are integers once they are divided by a common power of two, so sums and products of them can be computed
// without any rounding, overflow or underflow, whatever their exponents. For coordinates of like size a determinant of
// rotated points has about 500 bits; the bound below is that of the widest doubles there are. (Expansions of doubles
// would underflow for small coordinates, and a determinant of 7-term coordinates has up to 65,856 terms.)

#pragma once

#include <stdbool.h>
#include <stdint.h>

// A rotated coordinate spans 2^-2148 to 2^1026, 3174 bits, and a 3x3 determinant of their differences has three times
// that. The widest there are, in spot.c, have six times that: a point where an edge meets a face is over a common
// denominator of degree three.
#define DBVHI_BIG_LIMBS 608

// sign * sum limb[i] 2^(32 i). Zero has sign 0 and length 0; otherwise the top limb is not 0. Only `length` limbs are
// ever touched, so the size of the struct costs nothing but stack.
typedef struct dbvhi_big {
	int32_t sign;
	uint32_t length;
	uint32_t limb[DBVHI_BIG_LIMBS];
} dbvhi_big;

// The exponent of the lowest bit of a finite double that is set; INT_MAX for 0.
int dbvhi_lowest_bit( double x );

// x / 2^unit, where unit is at most dbvhi_lowest_bit( x ).
void dbvhi_big_from_double( dbvhi_big *out, double x, int unit );

void dbvhi_big_copy( dbvhi_big *out, const dbvhi_big *a );
// `out` may be a or b in the sums, not in the product.
void dbvhi_big_add( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b );
void dbvhi_big_sub( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b );
// Magnitudes of any length, the lowest limb first: out = a b, where `out` has room for na + nb limbs and is neither.
// Returns the length of the product without leading zeros.
uint32_t dbvhi_limbs_mul( uint32_t *out, const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb );
// The sign of a - b. Neither has leading zeros.
int dbvhi_limbs_compare( const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb );

void dbvhi_big_mul( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b );
