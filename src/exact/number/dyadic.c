// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/number/dyadic.h"

#include "base/assert.h"
#include "base/budget.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BITS DBVHI_LIMB_BITS

static _Thread_local dbvhi_dyadic_room room;
static _Thread_local dbvhi_limb *spare; // block on the heap, while a room is too small
static _Thread_local size_t spills;

size_t dbvhi_dyadic_spills( void ) {
	return spills;
}

#define SPARE_LIMBS ( DBVHI_DYADIC_SPARE_BYTES / sizeof( dbvhi_limb ) )

static bool is_spilled( const dbvhi_dyadic_room *r ) {
	return spare != NULL && r->end == spare + SPARE_LIMBS;
}

dbvhi_dyadic_room dbvhi_dyadic_enter( dbvhi_limb *limbs, size_t count ) {
	const dbvhi_dyadic_room before = room;
	if ( limbs != NULL )
		room = ( dbvhi_dyadic_room ){ limbs, limbs + count, is_spilled( &before ) ? before.next : before.spare };
	return before;
}

void dbvhi_dyadic_leave( const dbvhi_dyadic_room *before ) {
	room = *before;
	if ( __builtin_expect( spare != NULL, 0 ) && room.next == NULL ) {
		free( spare );
		spare = NULL;
	}
}

// Continue on the heap, by malloc: the exact predicates have no allocator of the caller's.
static void spill( size_t count ) {
	if ( spare == NULL )
		spare = malloc( DBVHI_DYADIC_SPARE_BYTES );
	dbvhi_limb *from = room.spare != NULL ? room.spare : spare;
	// Running out of memory in the middle of a decision ends the program, as a stack overflow does.
	if ( spare == NULL || is_spilled( &room ) || count > (size_t)( spare + SPARE_LIMBS - from ) )
		__builtin_trap();
	room = ( dbvhi_dyadic_room ){ from, spare + SPARE_LIMBS, NULL };
	spills += 1;
}

static dbvhi_limb *take( size_t count ) {
	if ( __builtin_expect( count > (size_t)( room.end - room.next ), 0 ) )
		spill( count );
	return room.next;
}

void dbvhi_dyadic_keep( dbvhi_dyadic_room *scope, dbvhi_dyadic *number ) {
	DBVHI_ASSERT( number->limb != NULL || number->length == 0 );
	if ( number->length > (size_t)( scope->end - scope->next ) ) {
		// A number too long for the scope's room stays on the heap, and later numbers follow it there.
		*scope = ( dbvhi_dyadic_room ){ (dbvhi_limb *)number->limb + number->length, room.end, NULL };
		return;
	}
	if ( number->limb != scope->next )
		memmove( scope->next, number->limb, number->length * sizeof number->limb[0] );
	number->limb = scope->next;
	scope->next += number->length;
}

static inline bool is_normal_dyadic( const dbvhi_dyadic *a ) {
	return ( a->sign == 0 ) == ( a->length == 0 ) && a->sign >= -1 && a->sign <= 1 &&
	       ( a->length == 0 || ( a->limb[0] != 0 && a->limb[a->length - 1] != 0 ) );
}

static void set_zero( dbvhi_dyadic *out ) {
	*out = ( dbvhi_dyadic ){ 0, 0, 0, room.next };
}

// Takes the limbs that were written, but for zeros at both ends; short numbers make the next product short.
static void finish( dbvhi_dyadic *out, int32_t sign, int32_t exponent, dbvhi_limb *limb, uint32_t length ) {
	DBVHI_ASSERT( sign == 1 || sign == -1 );
	DBVHI_ASSERT( limb + length <= room.end );
	length = dbvhi_limbs_trim( limb, length );
	if ( length == 0 ) {
		set_zero( out );
		return;
	}
	uint32_t low = 0;
	while ( limb[low] == 0 )
		low += 1;
	*out = ( dbvhi_dyadic ){ sign, exponent + (int32_t)low, length - low, limb + low };
	room.next = limb + length;
}

void dbvhi_dyadic_set( dbvhi_dyadic *out, double x ) {
	DBVHI_ASSERT( x - x == 0.0 );
	if ( x == 0.0 ) {
		set_zero( out );
		return;
	}
	int e;
	const uint64_t m = dbvhi_decompose( x, &e );
	// e = BITS whole + part, 0 <= part < BITS
	const int whole = ( e + BITS * 64 ) / BITS - 64;
	dbvhi_limb *const limb = take( 64 / BITS + 2 );
	finish( out, x < 0.0 ? -1 : 1, whole, limb, dbvhi_limbs_set( limb, m, (uint32_t)( e - BITS * whole ) ) );
}

void dbvhi_dyadic_copy( dbvhi_dyadic *out, const dbvhi_dyadic *a ) {
	DBVHI_ASSERT( is_normal_dyadic( a ) );
	dbvhi_limb *const limb = take( a->length );
	memcpy( limb, a->limb, a->length * sizeof a->limb[0] );
	*out = ( dbvhi_dyadic ){ a->sign, a->exponent, a->length, limb };
	room.next += a->length;
}

// The limb of `x` at a place that is counted from 2^0.
static inline dbvhi_limb limb_at( const dbvhi_dyadic *x, int32_t place ) {
	const int32_t i = place - x->exponent;
	return i >= 0 && i < (int32_t)x->length ? x->limb[i] : 0;
}

static inline int32_t top_of( const dbvhi_dyadic *x ) {
	return x->exponent + (int32_t)x->length;
}

static int compare_magnitude( const dbvhi_dyadic *a, const dbvhi_dyadic *b ) {
	DBVHI_ASSERT( a->sign != 0 && b->sign != 0 );
	if ( top_of( a ) != top_of( b ) )
		return top_of( a ) > top_of( b ) ? 1 : -1;
	const int32_t low = a->exponent < b->exponent ? a->exponent : b->exponent;
	for ( int32_t place = top_of( a ) - 1; place >= low; --place ) {
		const dbvhi_limb x = limb_at( a, place ), y = limb_at( b, place );
		if ( x != y )
			return x > y ? 1 : -1;
	}
	return 0;
}

static void add( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b, int32_t b_sign ) {
	DBVHI_ASSERT( is_normal_dyadic( a ) && is_normal_dyadic( b ) );
	DBVHI_ASSERT( b_sign == 0 || b_sign == b->sign || b_sign == -b->sign );
	if ( b_sign == 0 ) {
		dbvhi_dyadic_copy( out, a );
		return;
	}
	if ( a->sign == 0 ) {
		dbvhi_dyadic_copy( out, b );
		out->sign = b_sign;
		return;
	}
	const int32_t low = a->exponent < b->exponent ? a->exponent : b->exponent;
	const int32_t high = top_of( a ) > top_of( b ) ? top_of( a ) : top_of( b );
	uint32_t length = (uint32_t)( high - low );
	dbvhi_limb *const limb = take( length + 1 );
	if ( a->sign == b_sign ) {
		dbvhi_limb_pair carry = 0;
		for ( int32_t place = low; place < high; ++place ) {
			carry += (dbvhi_limb_pair)limb_at( a, place ) + limb_at( b, place );
			limb[place - low] = (dbvhi_limb)carry;
			carry >>= BITS;
		}
		if ( carry != 0 )
			limb[length++] = (dbvhi_limb)carry;
		finish( out, b_sign, low, limb, length );
		return;
	}
	const int order = compare_magnitude( a, b );
	if ( order == 0 ) {
		set_zero( out );
		return;
	}
	const dbvhi_dyadic *larger = order > 0 ? a : b, *smaller = order > 0 ? b : a;
	dbvhi_limb borrow = 0;
	for ( int32_t place = low; place < high; ++place ) {
		const dbvhi_limb_pair difference =
		    (dbvhi_limb_pair)limb_at( larger, place ) - limb_at( smaller, place ) - borrow;
		limb[place - low] = (dbvhi_limb)difference;
		borrow = (dbvhi_limb)( difference >> BITS ) & 1;
	}
	finish( out, order > 0 ? a->sign : b_sign, low, limb, length );
}

void dbvhi_dyadic_add( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b ) {
	add( out, a, b, b->sign );
}

void dbvhi_dyadic_sub( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b ) {
	add( out, a, b, -b->sign );
}

void dbvhi_dyadic_mul( dbvhi_dyadic *out, const dbvhi_dyadic *a, const dbvhi_dyadic *b ) {
	DBVHI_ASSERT( is_normal_dyadic( a ) && is_normal_dyadic( b ) );
	if ( a->sign == 0 || b->sign == 0 ) {
		set_zero( out );
		return;
	}
	dbvhi_limb *const limb = take( (size_t)a->length + b->length );
	dbvhi_count_products( (uint64_t)a->length * b->length );
	const uint32_t length = dbvhi_limbs_mul( limb, a->limb, a->length, b->limb, b->length );
	finish( out, a->sign * b->sign, a->exponent + b->exponent, limb, length );
}
