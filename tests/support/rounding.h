// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Is a double what rounding makes of a rational?

#pragma once

#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline void set_abs_difference( mpq_t out, double x, mpq_t truth ) {
	mpq_set_d( out, x );
	mpq_sub( out, out, truth );
	mpq_abs( out, out );
}

// Is x the double nearest to the truth, the even one of two?
static inline bool is_nearest_double( double x, mpq_t truth ) {
	if ( isinf( x ) ) {
		mpq_t limit; // half a step beyond the largest
		mpq_init( limit );
		mpz_ui_pow_ui( mpq_numref( limit ), 2, 1024 );
		mpz_t half;
		mpz_init( half );
		mpz_ui_pow_ui( half, 2, 970 );
		mpz_sub( mpq_numref( limit ), mpq_numref( limit ), half );
		const bool right = mpq_cmp( truth, limit ) >= 0;
		mpz_clear( half );
		mpq_clear( limit );
		return right;
	}
	mpq_t own, other;
	mpq_inits( own, other, NULL );
	set_abs_difference( own, x, truth );
	bool right = true;
	for ( int side = 0; side < 2; ++side ) {
		const double neighbour = nextafter( x, side == 0 ? -1.0 : INFINITY );
		if ( isinf( neighbour ) || neighbour < 0.0 )
			continue;
		set_abs_difference( other, neighbour, truth );
		const int order = mpq_cmp( own, other );
		uint64_t bits;
		memcpy( &bits, &x, sizeof bits );
		const bool odd = ( bits & 1 ) != 0;
		right = right && ( order < 0 || ( order == 0 && !odd ) );
	}
	mpq_clears( own, other, NULL );
	return right;
}

// The sign of x^2 - truth.
static inline int compare_square( double x, mpq_t truth ) {
	mpq_t square;
	mpq_init( square );
	mpq_set_d( square, x );
	mpq_mul( square, square, square );
	const int order = mpq_cmp( square, truth );
	mpq_clear( square );
	return order;
}

static inline bool is_root_up( double x, mpq_t square ) {
	if ( isinf( x ) )
		return compare_square( 0x1.fffffffffffffp1023, square ) < 0;
	if ( compare_square( x, square ) < 0 )
		return false;
	return x == 0.0 || compare_square( nextafter( x, 0.0 ), square ) < 0;
}
