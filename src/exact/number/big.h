// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Signed integers of a bounded length, the final decision of every predicate.
//
// Doubles are integers once they are divided by a common power of two, so sums and products of them can be computed
// without any rounding, overflow or underflow, whatever their exponents. For coordinates of like size a determinant of
// rotated points has about 500 bits; the bound below is that of the widest doubles there are. (Expansions of doubles
// would underflow for small coordinates, and a determinant of 7-term coordinates has up to 65,856 terms.)

#pragma once

#include "exact/number/limbs.h"

#include <stddef.h>

// A rotated coordinate less a given one spans 2^-2148 to 2^1027, 3175 bits; a 3x3 determinant of such differences has
// three times that, and what exact_point.c compares six times, 19,060: a point where an edge intersects a face is over
// a common denominator of degree three. The longest are squares of those beside the square of a double (ratio.h),
// 38,230, and products of ten coordinates and two squares more in tri_solid.inl, 32,100.
#define DBVHI_BIG_BITS 39168
#define DBVHI_BIG_LIMBS ( DBVHI_BIG_BITS / DBVHI_LIMB_BITS )

// Zero has sign 0 and length 0. Only `length` limbs are ever touched: copy with dbvhi_big_copy().
#define DBVHI_BIG_WITH( limbs )                                                                                        \
	struct {                                                                                                           \
		int32_t sign;                                                                                                  \
		uint32_t length;                                                                                               \
		dbvhi_limb limb[limbs];                                                                                        \
	}

// Room for any number that occurs. Stack is scarce: where the degree is known, the number of coordinates that are
// multiplied, one of those below has enough. A factor of 2^20 from sums, and a limb from products, are allowed for.
typedef struct dbvhi_big {
	int32_t sign;
	uint32_t length;
	dbvhi_limb limb[DBVHI_BIG_LIMBS];
} dbvhi_big;

#define DBVHI_DEGREE_LIMBS( degree ) ( ( 3200 * ( degree ) + 128 ) / DBVHI_LIMB_BITS )
typedef DBVHI_BIG_WITH( DBVHI_DEGREE_LIMBS( 1 ) ) dbvhi_big_1;
typedef DBVHI_BIG_WITH( DBVHI_DEGREE_LIMBS( 2 ) ) dbvhi_big_2;
typedef DBVHI_BIG_WITH( DBVHI_DEGREE_LIMBS( 3 ) ) dbvhi_big_3;
typedef DBVHI_BIG_WITH( DBVHI_DEGREE_LIMBS( 4 ) ) dbvhi_big_4;
typedef DBVHI_BIG_WITH( DBVHI_DEGREE_LIMBS( 6 ) ) dbvhi_big_6;
typedef DBVHI_BIG_WITH( DBVHI_DEGREE_LIMBS( 8 ) ) dbvhi_big_8;
typedef DBVHI_BIG_WITH( DBVHI_DEGREE_LIMBS( 10 ) ) dbvhi_big_10;

// Any of these: what the operations work on, whatever the room. The macros take pointers to numbers of any size.
typedef struct __attribute__( ( may_alias ) ) dbvhi_any {
	int32_t sign;
	uint32_t length;
	dbvhi_limb limb[];
} dbvhi_any;

#define DBVHI_IN( a ) ( (const dbvhi_any *)( a ) )
#define DBVHI_OUT( out ) ( (dbvhi_any *)( out ) ), ( ( sizeof *( out ) - sizeof( dbvhi_any ) ) / sizeof( dbvhi_limb ) )

// The exponent of the lowest bit of a finite double that is set; INT_MAX for 0.
int dbvhi_lowest_bit( double x );

// x / 2^unit, where unit is at most dbvhi_lowest_bit( x ).
#define dbvhi_big_from_double( out, x, unit ) dbvhi_any_from_double( DBVHI_OUT( out ), x, unit )
#define dbvhi_big_from_integer( out, x ) dbvhi_any_from_integer( DBVHI_OUT( out ), x )

// `out` may be a or b, but not in the product.
#define dbvhi_big_copy( out, a ) dbvhi_any_copy( DBVHI_OUT( out ), DBVHI_IN( a ) )
#define dbvhi_big_add( out, a, b ) dbvhi_any_add( DBVHI_OUT( out ), DBVHI_IN( a ), DBVHI_IN( b ) )
#define dbvhi_big_sub( out, a, b ) dbvhi_any_sub( DBVHI_OUT( out ), DBVHI_IN( a ), DBVHI_IN( b ) )
#define dbvhi_big_mul( out, a, b ) dbvhi_any_mul( DBVHI_OUT( out ), DBVHI_IN( a ), DBVHI_IN( b ) )
#define dbvhi_big_shift( out, a, bits ) dbvhi_any_shift( DBVHI_OUT( out ), DBVHI_IN( a ), bits ) // times 2^bits

// The sign of a - b, and of |a| - |b|.
#define dbvhi_big_compare( a, b ) dbvhi_any_compare( DBVHI_IN( a ), DBVHI_IN( b ) )
#define dbvhi_big_compare_size( a, b ) dbvhi_any_compare_size( DBVHI_IN( a ), DBVHI_IN( b ) )

// The leading digits: returns a fraction of size 0.5 to 1 so that fraction 2^*exponent_out is within a relative 2^-51
// of the number. 0 and 0 for zero.
#define dbvhi_big_lead( a, exponent_out ) dbvhi_any_lead( DBVHI_IN( a ), exponent_out )

// The functions behind these. `room` is that of `out`, in limbs.
void dbvhi_any_from_double( dbvhi_any *out, size_t room, double x, int unit );
void dbvhi_any_from_integer( dbvhi_any *out, size_t room, int64_t x );
void dbvhi_any_copy( dbvhi_any *out, size_t room, const dbvhi_any *a );
void dbvhi_any_add( dbvhi_any *out, size_t room, const dbvhi_any *a, const dbvhi_any *b );
void dbvhi_any_sub( dbvhi_any *out, size_t room, const dbvhi_any *a, const dbvhi_any *b );
void dbvhi_any_mul( dbvhi_any *out, size_t room, const dbvhi_any *a, const dbvhi_any *b );
void dbvhi_any_shift( dbvhi_any *out, size_t room, const dbvhi_any *a, uint32_t bits );
int dbvhi_any_compare( const dbvhi_any *a, const dbvhi_any *b );
int dbvhi_any_compare_size( const dbvhi_any *a, const dbvhi_any *b );
double dbvhi_any_lead( const dbvhi_any *a, int *exponent_out );
