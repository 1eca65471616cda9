// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Signed integers of a bounded length, the last word of every predicate.
//
// Doubles are integers once they are divided by a common power of two, so sums and products of them can be computed
// without any rounding, overflow or underflow, whatever their exponents. For coordinates of like size a determinant of
// rotated points has about 500 bits; the bound below is that of the widest doubles there are. (Expansions of doubles
// would underflow for small coordinates, and a determinant of 7-term coordinates has up to 65,856 terms.)

#pragma once

#include "exact/limbs.h"

// A rotated coordinate less a given one spans 2^-2148 to 2^1027, 3175 bits; a 3x3 determinant of such differences has
// three times that, and what spot.c compares six times, 19,060: a point where an edge meets a face is over a common
// denominator of degree three. The longest are squares of those beside the square of a double (ratio.h), 38,230, and
// products of ten coordinates and two squares more in solid.inl, 32,100.
#define DBVHI_BIG_BITS 39168
#define DBVHI_BIG_LIMBS ( DBVHI_BIG_BITS / DBVHI_LIMB_BITS )

// Zero has sign 0 and length 0. Only `length` limbs are ever touched, so the size of the struct costs nothing but
// stack: copy with dbvhi_big_copy().
typedef struct dbvhi_big {
	int32_t sign;
	uint32_t length;
	dbvhi_limb limb[DBVHI_BIG_LIMBS];
} dbvhi_big;

// The exponent of the lowest bit of a finite double that is set; INT_MAX for 0.
int dbvhi_lowest_bit( double x );

// x / 2^unit, where unit is at most dbvhi_lowest_bit( x ).
void dbvhi_big_from_double( dbvhi_big *out, double x, int unit );
void dbvhi_big_from_integer( dbvhi_big *out, int64_t x );

// `out` may be a or b, but not in the product.
void dbvhi_big_copy( dbvhi_big *out, const dbvhi_big *a );
void dbvhi_big_add( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b );
void dbvhi_big_sub( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b );
void dbvhi_big_mul( dbvhi_big *out, const dbvhi_big *a, const dbvhi_big *b );
void dbvhi_big_shift( dbvhi_big *out, const dbvhi_big *a, uint32_t bits ); // times 2^bits

// The sign of a - b.
int dbvhi_big_compare( const dbvhi_big *a, const dbvhi_big *b );

// As fraction 2^*exponent_out, the fraction in [0.5, 1] in size and within 2^-51 of it; 0 and 0 for zero.
double dbvhi_big_lead( const dbvhi_big *a, int *exponent_out );
