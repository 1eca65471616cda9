// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Vectors of integers.

#pragma once

#include "exact/number/big.h"

// Corners, and differences of two.
typedef dbvhi_big_1 dbvhi_point_1[3];

// Like those of big.h, of three numbers each. `out` is none of the others, but in differences.
#define dbvhi_big3_sub( out, a, b ) dbvhi_any3_sub( DBVHI_OUT3( out ), DBVHI_IN3( a ), DBVHI_IN3( b ) )
#define dbvhi_big3_dot( out, a, b ) dbvhi_any3_dot( DBVHI_OUT( out ), DBVHI_IN3( a ), DBVHI_IN3( b ) )
#define dbvhi_big3_cross( out, a, b ) dbvhi_any3_cross( DBVHI_OUT3( out ), DBVHI_IN3( a ), DBVHI_IN3( b ) )
#define dbvhi_big3_is_zero( a ) ( ( a )[0].sign == 0 && ( a )[1].sign == 0 && ( a )[2].sign == 0 )

// a b - c d
#define dbvhi_big_det2( out, a, b, c, d )                                                                              \
	dbvhi_any_det2( DBVHI_OUT( out ), DBVHI_IN( a ), DBVHI_IN( b ), DBVHI_IN( c ), DBVHI_IN( d ) )

// The functions behind these: the numbers are `bytes` apart.
typedef struct dbvhi_any3 {
	const dbvhi_any *first;
	size_t bytes;
} dbvhi_any3;

#define DBVHI_IN3( a ) ( ( dbvhi_any3 ){ DBVHI_IN( a ), sizeof *( a ) } )
#define DBVHI_OUT3( out ) ( (dbvhi_any *)( out ) ), sizeof *( out )

void dbvhi_any3_sub( dbvhi_any *out, size_t out_bytes, dbvhi_any3 a, dbvhi_any3 b );
void dbvhi_any3_cross( dbvhi_any *out, size_t out_bytes, dbvhi_any3 a, dbvhi_any3 b );
void dbvhi_any3_dot( dbvhi_any *out, size_t room, dbvhi_any3 a, dbvhi_any3 b );
void dbvhi_any_det2( dbvhi_any *out, size_t room, const dbvhi_any *a, const dbvhi_any *b, const dbvhi_any *c,
                     const dbvhi_any *d );
