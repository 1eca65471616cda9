// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "primitive/core.h"

static dbvhi_dd dd_dot( const dbvhi_dd a[3], const dbvhi_dd b[3] ) {
	return dbvhi_dd_add( dbvhi_dd_add( dbvhi_dd_mul( a[0], b[0] ), dbvhi_dd_mul( a[1], b[1] ) ),
	                     dbvhi_dd_mul( a[2], b[2] ) );
}

static int exponent_of( const dbvhi_dd x[3], double more ) {
	int exponent;
	frexp( fmax( fmax( fabs( x[0].hi ), fabs( x[1].hi ) ), fmax( fabs( x[2].hi ), more ) ), &exponent );
	return exponent;
}

static dbvhi_dd scaled( dbvhi_dd x, int exponent ) {
	return ( dbvhi_dd ){ ldexp( x.hi, exponent ), ldexp( x.lo, exponent ) };
}

void dbvhi_ball_times( const dbvhi_dd from[3], const dbvhi_dd step[3], double radius, double *first_out,
                       double *last_out ) {
	DBVHI_ASSERT( radius >= 0.0 );
	const int size = exponent_of( from, radius ), speed = exponent_of( step, 0.0 );
	dbvhi_dd w[3], d[3], m[3];
	for ( int k = 0; k < 3; ++k ) {
		w[k] = scaled( from[k], -size );
		d[k] = scaled( step[k], -speed );
	}
	const double r = ldexp( radius, -size );
	const dbvhi_dd dd = dd_dot( d, d ), middle = dbvhi_dd_negate( dbvhi_dd_div( dd_dot( w, d ), dd ) );
	for ( int k = 0; k < 3; ++k )
		m[k] = dbvhi_dd_add( w[k], dbvhi_dd_mul( middle, d[k] ) );
	const dbvhi_dd rest = dbvhi_dd_div( dbvhi_dd_sub( dbvhi_dd_product( r, r ), dd_dot( m, m ) ), dd );
	dbvhi_dd half = { 0.0, 0.0 };
	if ( rest.hi > 0.0 ) {
		const dbvhi_dd s = { sqrt( rest.hi ), 0.0 };
		const dbvhi_dd more = dbvhi_dd_sub( rest, dbvhi_dd_mul( s, s ) );
		half = dbvhi_dd_add( s, ( dbvhi_dd ){ more.hi / ( 2.0 * s.hi ), 0.0 } );
	}
	*first_out = dbvhi_dd_down( scaled( dbvhi_dd_sub( middle, half ), size - speed ) );
	*last_out = dbvhi_dd_up( scaled( dbvhi_dd_add( middle, half ), size - speed ) );
}

// A scalar product with the normal as a pair, both scaled.
static dbvhi_dd along_normal( const dbvhi_dd x[3], const double n[3], int size ) {
	dbvhi_dd sum = { 0.0, 0.0 };
	for ( int k = 0; k < 3; ++k )
		sum = dbvhi_dd_add( sum, dbvhi_dd_mul( scaled( x[k], -size ), ( dbvhi_dd ){ n[k], 0.0 } ) );
	return sum;
}

// A ball on a line.
void dbvhi_plane_times( const dbvhi_path *path, const dbvh_plane *plane, double radius, double *first_out,
                        double *last_out ) {
	DBVHI_ASSERT( radius >= 0.0 );
	const double *n = plane->normal, *c = path->from;
	int length, size;
	frexp( fmax( fmax( fabs( n[0] ), fabs( n[1] ) ), fabs( n[2] ) ), &length );
	double unit[3];
	dbvhi_dd at[3], step[3], square = { 0.0, 0.0 };
	double largest = radius;
	for ( int k = 0; k < 3; ++k ) {
		step[k] = dbvhi_dd_sum( path->ahead[k], path->behind != NULL ? -path->behind[k] : 0.0 );
		unit[k] = ldexp( n[k], -length );
		at[k] = ( dbvhi_dd ){ c[k], 0.0 };
		square = dbvhi_dd_add( square, dbvhi_dd_product( unit[k], unit[k] ) );
		largest = fmax( largest, fmax( fabs( c[k] ), fabs( step[k].hi ) ) );
	}
	frexp( largest, &size );
	const dbvhi_dd root = { sqrt( square.hi ), 0.0 };
	const dbvhi_dd rest = dbvhi_dd_sub( square, dbvhi_dd_mul( root, root ) );
	const dbvhi_dd exact_root = dbvhi_dd_add( root, ( dbvhi_dd ){ rest.hi / ( 2.0 * root.hi ), 0.0 } );
	const dbvhi_dd offset = { ldexp( plane->offset, -length - size ), 0.0 };
	const dbvhi_dd zero = { 0.0, 0.0 };
	const dbvhi_dd height[3] = { dbvhi_dd_div( dbvhi_dd_sub( along_normal( at, unit, size ), offset ), exact_root ),
	                             zero, zero };
	const dbvhi_dd speed[3] = { dbvhi_dd_div( along_normal( step, unit, size ), exact_root ), zero, zero };
	dbvhi_ball_times( height, speed, ldexp( radius, -size ), first_out, last_out );
}
