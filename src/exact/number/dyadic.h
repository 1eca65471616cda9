// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Numbers m 2^e with an integer m of a bounded length, closed under sums and products of doubles. Each number has its
// own e, so no common unit is needed. Sums have to be aligned, which makes them slower than exact/number/big.h;
// formulas are simpler to write.

#pragma once

#include "exact/number/limbs.h"

#include <stddef.h>

// Limbs are allocated one number after another in a room: an array on the stack of the function that begins a decision.
// Predicates are formulas of dozens of numbers, few of which are ever long. A result takes new limbs, so `out` may be
// an operand and needs no initialisation. The limbs taken in a block are given back at its end.

// sign * sum limb[i] 2^(bits (i + exponent)). Zero has sign 0 and length 0; otherwise the top limb is not 0.
typedef struct dbvhi_dyadic {
	int32_t sign;
	int32_t exponent;
	uint32_t length;
	const dbvhi_limb *limb;
} dbvhi_dyadic;

// Not derived: the most that a predicate has been seen to take is 27,888 bytes, of numbers from end to end of the range
// of exponents. What does not fit goes to the heap until the room is left.
#define DBVHI_DYADIC_BYTES 32768
// Size of the heap block, far more than the longest formula can take.
#define DBVHI_DYADIC_SPARE_BYTES ( (size_t)1 << 20 )

// The limbs that are free, one such struct a thread.
typedef struct dbvhi_dyadic_room {
	dbvhi_limb *next, *end;
	dbvhi_limb *spare; // next place on the heap, behind the limbs of outer rooms; NULL: the block's beginning
} dbvhi_dyadic_room;

// For tests: how often a room was too small, in this thread.
size_t dbvhi_dyadic_spills( void );

// Makes `limbs` the room (NULL: keeps it) and returns the state before, for dbvhi_dyadic_leave().
dbvhi_dyadic_room dbvhi_dyadic_enter( dbvhi_limb *limbs, size_t count );
void dbvhi_dyadic_leave( const dbvhi_dyadic_room *before );

// ROOM: a room for this block and all that it calls. SCOPE: gives the limbs taken in this block back at its end, for
// loops and helpers.
#define DBVHI_DYADIC_ROOM DBVHI_DYADIC_ROOM_OF( DBVHI_DYADIC_BYTES )
#define DBVHI_DYADIC_ROOM_OF( bytes )                                                                                  \
	dbvhi_limb dyadic_limbs[( bytes ) / sizeof( dbvhi_limb )];                                                         \
	__attribute__( ( cleanup( dbvhi_dyadic_leave ) ) ) const dbvhi_dyadic_room dyadic_before =                         \
	    dbvhi_dyadic_enter( dyadic_limbs, sizeof dyadic_limbs / sizeof dyadic_limbs[0] );                              \
	(void)dyadic_before
#define DBVHI_DYADIC_SCOPE                                                                                             \
	__attribute__( ( cleanup( dbvhi_dyadic_leave ) ) ) dbvhi_dyadic_room dyadic_scope = dbvhi_dyadic_enter( NULL, 0 ); \
	(void)dyadic_scope

// Keeps a number made in a scope beyond the scope's end. Several are kept in the order in which they were made.
#define DBVHI_DYADIC_KEEP( number ) dbvhi_dyadic_keep( &dyadic_scope, number )
void dbvhi_dyadic_keep( dbvhi_dyadic_room *scope, dbvhi_dyadic *number );

// `x` is finite.
void dbvhi_dyadic_set( dbvhi_dyadic *out, double x );
void dbvhi_dyadic_copy( dbvhi_dyadic *out, const dbvhi_dyadic *a );
// `out` may be a or b.
void dbvhi_dyadic_add( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b );
void dbvhi_dyadic_sub( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b );
void dbvhi_dyadic_mul( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b );
