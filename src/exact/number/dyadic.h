// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Numbers m 2^e with an integer m of a bounded length: what sums and products of doubles are, without a unit that
// everything would have to share. Slower than exact/number/big.h by the alignment of sums, and simpler to write
// formulas in.

#pragma once

#include "exact/number/limbs.h"

#include <stddef.h>

// Their limbs lie in a room that the function that begins a decision has on its stack, one after the other, each as
// many as the number has: predicates are formulas of dozens of numbers, few of which are ever long. A result takes new
// limbs, so `out` may be anything, and nothing needs to be initialised. What a block has taken is given back at its
// end.

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
// Of the heap, and far more than the longest formula can take.
#define DBVHI_DYADIC_SPARE_BYTES ( (size_t)1 << 20 )

// Where the next limbs are; of the calling thread.
typedef struct dbvhi_dyadic_room {
	dbvhi_limb *next, *end;
	dbvhi_limb
	    *spare; // where it may go on in the heap: behind what rooms further out have there; NULL: at its beginning
} dbvhi_dyadic_room;

// For tests: how often a room was too small, in this thread.
size_t dbvhi_dyadic_spills( void );

dbvhi_dyadic_room dbvhi_dyadic_enter( dbvhi_limb *limbs, size_t count ); // what was before; NULL: stays where it is
void dbvhi_dyadic_leave( const dbvhi_dyadic_room *before );

// A room for this block and all that it calls, and the end of what is taken in this block, for loops and helpers.
#define DBVHI_DYADIC_ROOM DBVHI_DYADIC_ROOM_OF( DBVHI_DYADIC_BYTES )
#define DBVHI_DYADIC_ROOM_OF( bytes )                                                                                  \
	dbvhi_limb dyadic_limbs[( bytes ) / sizeof( dbvhi_limb )];                                                         \
	__attribute__( ( cleanup( dbvhi_dyadic_leave ) ) ) const dbvhi_dyadic_room dyadic_before =                         \
	    dbvhi_dyadic_enter( dyadic_limbs, sizeof dyadic_limbs / sizeof dyadic_limbs[0] );                              \
	(void)dyadic_before
#define DBVHI_DYADIC_SCOPE                                                                                             \
	__attribute__( ( cleanup( dbvhi_dyadic_leave ) ) ) dbvhi_dyadic_room dyadic_scope = dbvhi_dyadic_enter( NULL, 0 ); \
	(void)dyadic_scope

// Keeps a number that was made in a scope beyond its end. Of several, those made first are kept first.
#define DBVHI_DYADIC_KEEP( number ) dbvhi_dyadic_keep( &dyadic_scope, number )
void dbvhi_dyadic_keep( dbvhi_dyadic_room *scope, dbvhi_dyadic *number );

// `x` is finite.
void dbvhi_dyadic_set( dbvhi_dyadic *out, double x );
void dbvhi_dyadic_copy( dbvhi_dyadic *out, const dbvhi_dyadic *a );
// `out` may be a or b.
void dbvhi_dyadic_add( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b );
void dbvhi_dyadic_sub( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b );
void dbvhi_dyadic_mul( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b );
