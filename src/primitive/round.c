// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "primitive/round.h"

#include "base/assert.h"
#include "exact/number/dd.h"
#include "exact/number/dyadic.h"

#include <math.h>
#include <string.h>

// Doubles that are not negative are in the order of their bits.
static int64_t bits_of( double x ) {
	int64_t bits;
	memcpy( &bits, &x, sizeof bits );
	return bits;
}

static double from_bits( int64_t bits ) {
	double x;
	memcpy( &x, &bits, sizeof x );
	return x;
}

// The first place after `before` at which `ask` says `turned`, as it does from there to `after`. Steps from the guess
// grow until the place lies between two of them; then by halves.
static int64_t first_turned( dbvhi_round_question *ask, const void *context, bool turned, double guess, int64_t before,
                             int64_t after ) {
	int64_t at = guess > 0.0 ? bits_of( guess ) : 0;
	at = at <= before ? before + 1 : at >= after ? after - 1 : at;
	if ( after - before <= 1 )
		return after;
	const bool down = ( ask( context, from_bits( at ) ) != 0 ) == turned;
	int64_t *const own = down ? &after : &before, *const other = down ? &before : &after;
	*own = at;
	for ( int64_t step = 1;; step *= 2 ) {
		const int64_t distance = down ? *own - *other : *other - *own;
		if ( distance <= step )
			break;
		at = down ? *own - step : *own + step;
		if ( ( ( ask( context, from_bits( at ) ) != 0 ) == turned ) != down ) {
			*other = at;
			break;
		}
		*own = at;
	}
	while ( after - before > 1 ) {
		at = before + ( after - before ) / 2;
		*( ( ask( context, from_bits( at ) ) != 0 ) == turned ? &after : &before ) = at;
	}
	return after;
}

double dbvhi_round_down( dbvhi_round_question *ask, const void *context, double guess, double low, double high ) {
	DBVHI_ASSERT( 0.0 <= low && low <= high );
	return from_bits( first_turned( ask, context, false, guess, bits_of( low ), bits_of( high ) + 1 ) - 1 );
}

double dbvhi_round_up( dbvhi_round_question *ask, const void *context, double guess, double low, double high ) {
	DBVHI_ASSERT( 0.0 <= low && low <= high );
	return from_bits( first_turned( ask, context, true, guess, bits_of( low ) - 1, bits_of( high ) ) );
}

// ------------------------------------------------------------------------------------------------
// Sums

// sign( |total| - x )
static int size_compared( const dbvhi_dyadic *total, double x ) {
	DBVHI_DYADIC_SCOPE;
	dbvhi_dyadic size, rest;
	dbvhi_dyadic_set( &rest, x );
	dbvhi_dyadic_copy( &size, total );
	size.sign = size.sign != 0 ? 1 : 0;
	dbvhi_dyadic_sub( &rest, &size, &rest );
	return rest.sign;
}

static int is_at_least( const void *context, double x ) {
	return size_compared( context, x ) <= 0;
}

static int is_at_most( const void *context, double x ) {
	return size_compared( context, x ) >= 0;
}

double dbvhi_dyadic_up( const dbvhi_dyadic *total, double guess ) {
	if ( total->sign == 0 )
		return 0.0;
	if ( total->sign > 0 )
		return dbvhi_round_up( is_at_least, total, guess, 0.0, INFINITY );
	return 0.0 - dbvhi_round_down( is_at_most, total, -guess, 0.0, 0x1.fffffffffffffp1023 );
}

// Within two steps of the sum: where the second addition loses digits it is exact.
static double sum_about( const dbvhi_sum *sum ) {
	DBVHI_ASSERT( sum->count >= 1 && sum->count <= 3 );
	const dbvhi_dd two = dbvhi_dd_sum( sum->term[0], sum->count > 1 ? sum->term[1] : 0.0 );
	if ( sum->count < 3 )
		return two.hi;
	const dbvhi_dd three = dbvhi_dd_sum( two.hi, sum->term[2] );
	return three.hi + ( three.lo + two.lo );
}

double dbvhi_sum_up( const dbvhi_sum *sum ) {
	DBVHI_ASSERT( sum->count >= 1 && sum->count <= 3 );
	if ( sum->count <= 2 ) {
		const dbvhi_dd two = dbvhi_dd_sum( sum->term[0], sum->count == 2 ? sum->term[1] : 0.0 );
		if ( fabs( two.hi ) < 0x1p1023 )
			return ( two.lo > 0.0 ? nextafter( two.hi, INFINITY ) : two.hi ) + 0.0; // no negative zero
	}
	DBVHI_DYADIC_ROOM;
	dbvhi_dyadic total, term;
	dbvhi_dyadic_set( &total, sum->term[0] );
	for ( int i = 1; i < sum->count; ++i ) {
		dbvhi_dyadic_set( &term, sum->term[i] );
		dbvhi_dyadic_add( &total, &total, &term );
	}
	return dbvhi_dyadic_up( &total, sum_about( sum ) );
}

double dbvhi_sum_down( const dbvhi_sum *sum ) {
	DBVHI_ASSERT( sum->count >= 1 && sum->count <= 3 );
	const dbvhi_sum turned = { { -sum->term[0], -sum->term[1], -sum->term[2] }, sum->count };
	return 0.0 - dbvhi_sum_up( &turned );
}
