// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Signed integers for what needs more room than exact/big.h has: comparing quotients of determinants, and squares of
// them. The same idea, with larger limbs and the few operations more that turn quotients into doubles.

#pragma once

#include <stdint.h>

#if defined( __SIZEOF_INT128__ )
typedef uint64_t dbvhi_limb;
__extension__ typedef unsigned __int128 dbvhi_limb_pair;
#define DBVHI_LIMB_BITS 64
#else
typedef uint32_t dbvhi_limb;
typedef uint64_t dbvhi_limb_pair;
#define DBVHI_LIMB_BITS 32
#endif

// A moved coordinate less a given one spans 2^-2148 to 2^1027, 3175 bits. The largest numbers are the products in which
// two squared distances from planes are compared: a determinant squared, 19,060 bits, times a squared normal, 12,710.
#define DBVHI_WIDE_LIMBS ( 33024 / DBVHI_LIMB_BITS )

// sign * sum limb[i] 2^(bits i). Zero has sign 0 and length 0; otherwise the top limb is not 0. Only `length` limbs are
// ever touched.
typedef struct dbvhi_wide {
	int32_t sign;
	uint32_t length;
	dbvhi_limb limb[DBVHI_WIDE_LIMBS];
} dbvhi_wide;

// m 2^e.
void dbvhi_wide_from_integer( dbvhi_wide *out, int64_t m, uint32_t e );
// The exponent of the lowest bit of a finite double that is set; INT_MAX for 0.
int dbvhi_wide_lowest_bit( double x );
// x / 2^unit, where unit is at most that.
void dbvhi_wide_from_double( dbvhi_wide *out, double x, int unit );

// `out` may be a or b in sums and shifts, not in products.
void dbvhi_wide_copy( dbvhi_wide *out, const dbvhi_wide *a );
void dbvhi_wide_add( dbvhi_wide *out, const dbvhi_wide *a, const dbvhi_wide *b );
void dbvhi_wide_sub( dbvhi_wide *out, const dbvhi_wide *a, const dbvhi_wide *b );
void dbvhi_wide_mul( dbvhi_wide *out, const dbvhi_wide *a, const dbvhi_wide *b );
void dbvhi_wide_shift( dbvhi_wide *out, const dbvhi_wide *a, uint32_t bits ); // times 2^bits

// The sign of a - b.
int dbvhi_wide_compare( const dbvhi_wide *a, const dbvhi_wide *b );

// |a| as fraction times 2^*exponent_out, the fraction in [0.5, 1) and off by less than 2^-51; 0 for 0.
double dbvhi_wide_split( const dbvhi_wide *a, int *exponent_out );
