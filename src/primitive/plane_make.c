// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Planes from what is known of them (Gomez 1999, listing 1).

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "primitive/check.h"
#include "primitive/round.h"

#include <string.h>

static void dyadic_dot( const dbvhi_dyadic a[3], const dbvhi_dyadic b[3], dbvhi_dyadic *out ) {
	dbvhi_dyadic term;
	dbvhi_dyadic_mul( out, &a[0], &b[0] );
	for ( int k = 1; k < 3; ++k ) {
		dbvhi_dyadic_mul( &term, &a[k], &b[k] );
		dbvhi_dyadic_add( out, out, &term );
	}
}

static void set( dbvhi_dyadic out[3], const double x[3] ) {
	for ( int k = 0; k < 3; ++k )
		dbvhi_dyadic_set( &out[k], x[k] );
}

// The exponent of the bit above the highest.
static int top_of( const dbvhi_dyadic *x ) {
	DBVHI_ASSERT( x->sign != 0 );
	int bits;
	frexp( (double)x->limb[x->length - 1], &bits );
	return bits + DBVHI_LIMB_BITS * ( (int)x->length - 1 + x->exponent );
}

// x 2^-exponent in doubles, relatively to within a few units in the last place; what is tiny may become 0.
static double scaled_dyadic( const dbvhi_dyadic *x, int exponent ) {
	double sum = 0.0;
	for ( uint32_t i = x->length; i-- > 0 && i + 3 >= x->length; )
		sum += ldexp( (double)x->limb[i], DBVHI_LIMB_BITS * ( (int)i + x->exponent ) - exponent );
	return x->sign < 0 ? -sum : sum;
}

// The double nearest to a number, of two equally near ones the even; infinite beyond the largest.
static double nearest( const dbvhi_dyadic *x ) {
	dbvhi_dyadic zero, negative, twice, bound;
	dbvhi_dyadic_set( &zero, 0.0 );
	dbvhi_dyadic_sub( &negative, &zero, x );
	const double guess = scaled_dyadic( x, 0 ), up = dbvhi_dyadic_up( x, guess ),
	             down = -dbvhi_dyadic_up( &negative, -guess );
	if ( !isfinite( up ) || !isfinite( down ) )
		return INFINITY;
	if ( up == down )
		return up + 0.0; // no negative zero
	dbvhi_dyadic_add( &twice, x, x );
	dbvhi_dyadic_set( &bound, up );
	dbvhi_dyadic_sub( &twice, &twice, &bound );
	dbvhi_dyadic_set( &bound, down );
	dbvhi_dyadic_sub( &twice, &twice, &bound );
	if ( twice.sign != 0 )
		return twice.sign > 0 ? up : down;
	uint64_t bits;
	memcpy( &bits, &up, sizeof bits );
	return bits % 2 == 0 ? up : down;
}

// normal . point, rounded.
static double offset_of( const double normal[3], const double point[3] ) {
	DBVHI_DYADIC_ROOM;
	dbvhi_dyadic n[3], p[3], sum;
	set( n, normal );
	set( p, point );
	dyadic_dot( n, p, &sum );
	return nearest( &sum );
}

static DBVHI_NOINLINE_FP dbvh_status do_plane_from_point( const double point[3], const double normal[3],
                                                          dbvh_plane *plane_out ) {
	if ( plane_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	memset( plane_out, 0, sizeof *plane_out );
	DBVHI_TRY( dbvhi_check_pair( plane_out, dbvhi_check_point( point ), dbvhi_check_point( normal ) ) );
	if ( normal[0] == 0.0 && normal[1] == 0.0 && normal[2] == 0.0 )
		return DBVH_INVALID_ARGUMENT;
	const double offset = offset_of( normal, point );
	if ( !isfinite( offset ) )
		return DBVH_LIMIT;
	memcpy( plane_out->normal, normal, sizeof plane_out->normal );
	plane_out->offset = offset;
	return DBVH_OK;
}

dbvh_status dbvh_plane_from_point( const double point[3], const double normal[3], dbvh_plane *plane_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_plane_from_point( point, normal, plane_out ) );
}

// The direction of ( b - a ) x ( c - a ), exact but for its last roundings; false where that is zero.
static bool unit_normal( const double a[3], const double b[3], const double c[3], double out[3] ) {
	DBVHI_DYADIC_ROOM;
	dbvhi_dyadic p[3], u[3], v[3], n[3], left, right;
	set( p, a );
	set( u, b );
	set( v, c );
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_dyadic_sub( &u[k], &u[k], &p[k] );
		dbvhi_dyadic_sub( &v[k], &v[k], &p[k] );
	}
	int top = INT_MIN;
	for ( int k = 0; k < 3; ++k ) {
		const int i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		dbvhi_dyadic_mul( &left, &u[i], &v[j] );
		dbvhi_dyadic_mul( &right, &u[j], &v[i] );
		dbvhi_dyadic_sub( &n[k], &left, &right );
		if ( n[k].sign != 0 && top_of( &n[k] ) > top )
			top = top_of( &n[k] );
	}
	if ( top == INT_MIN )
		return false;
	double square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		out[k] = scaled_dyadic( &n[k], top );
		square += out[k] * out[k];
	}
	for ( int k = 0; k < 3; ++k )
		out[k] /= sqrt( square );
	return true;
}

static DBVHI_NOINLINE_FP dbvh_status do_plane_from_points( const double a[3], const double b[3], const double c[3],
                                                           dbvh_plane *plane_out ) {
	if ( plane_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	memset( plane_out, 0, sizeof *plane_out );
	DBVHI_TRY( dbvhi_check_pair( plane_out, dbvhi_check_point( a ), dbvhi_check_point( b ) ) );
	DBVHI_TRY( dbvhi_check_point( c ) );
	double normal[3];
	if ( !unit_normal( a, b, c, normal ) )
		return DBVH_INVALID_ARGUMENT;
	return do_plane_from_point( a, normal, plane_out );
}

dbvh_status dbvh_plane_from_points( const double a[3], const double b[3], const double c[3], dbvh_plane *plane_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_plane_from_points( a, b, c, plane_out ) );
}
