// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "primitive/round.h"

#include "exact/dd.h"
#include "exact/dyadic.h"

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
static int64_t first_turned( dbvhi_ask *ask, const void *context, bool turned, double guess, int64_t before,
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

double dbvhi_round_down( dbvhi_ask *ask, const void *context, double guess, double low, double high ) {
	return from_bits( first_turned( ask, context, false, guess, bits_of( low ), bits_of( high ) + 1 ) - 1 );
}

double dbvhi_round_up( dbvhi_ask *ask, const void *context, double guess, double low, double high ) {
	return from_bits( first_turned( ask, context, true, guess, bits_of( low ) - 1, bits_of( high ) ) );
}

// ------------------------------------------------------------------------------------------------
// Sums

// sign( sum - x )
static int sum_compared( const dbvhi_sum *sum, double x ) {
	dbvhi_dyadic total, term;
	dbvhi_dyadic_set( &total, -x );
	for ( int i = 0; i < sum->count; ++i ) {
		dbvhi_dyadic_set( &term, sum->term[i] );
		dbvhi_dyadic_add( &total, &total, &term );
	}
	return total.sign;
}

// Within two steps of the sum: where the second addition loses digits it is exact.
static double sum_about( const dbvhi_sum *sum, double scale ) {
	dbvhi_dd two = dbvhi_dd_sum( sum->term[0] * scale, sum->count > 1 ? sum->term[1] * scale : 0.0 );
	if ( sum->count < 3 )
		return two.hi;
	const dbvhi_dd three = dbvhi_dd_sum( two.hi, sum->term[2] * scale );
	return three.hi + ( three.lo + two.lo );
}

double dbvhi_sum_up( const dbvhi_sum *sum ) {
	const double largest = 0x1.fffffffffffffp1023;
	if ( sum->count <= 2 ) {
		const dbvhi_dd two = dbvhi_dd_sum( sum->term[0], sum->count == 2 ? sum->term[1] : 0.0 );
		if ( fabs( two.hi ) < 0x1p1023 )
			return ( two.lo > 0.0 ? nextafter( two.hi, INFINITY ) : two.hi ) + 0.0; // no negative zero
	}
	double x = sum_about( sum, 1.0 );
	if ( !( fabs( x ) <= largest ) )
		x = sum_about( sum, 0.125 ) * 8.0;
	if ( !( fabs( x ) <= largest ) )
		x = x < 0.0 ? -largest : largest;
	while ( !isinf( x ) && sum_compared( sum, x ) > 0 )
		x = nextafter( x, INFINITY );
	while ( !isinf( x ) && x > -largest && sum_compared( sum, nextafter( x, -INFINITY ) ) <= 0 )
		x = nextafter( x, -INFINITY );
	return x + 0.0;
}

double dbvhi_sum_down( const dbvhi_sum *sum ) {
	const dbvhi_sum turned = { { -sum->term[0], -sum->term[1], -sum->term[2] }, sum->count };
	return 0.0 - dbvhi_sum_up( &turned );
}
