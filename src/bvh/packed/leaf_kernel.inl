// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Compiled for every instruction set: see leaf.h. Four triangles side by side.

#include "bvh/packed/leaf.h"
#include "simd/kernel_name.h"

#include <math.h>

typedef double d4 __attribute__( ( vector_size( 32 ) ) );
typedef int64_t m4 __attribute__( ( vector_size( 32 ) ) );
typedef float s4 __attribute__( ( vector_size( 16 ) ) );

#define LEAF_INLINE static inline __attribute__( ( always_inline ) )

LEAF_INLINE d4 d4_set( double x ) {
	return ( d4 ){ x, x, x, x };
}

LEAF_INLINE d4 d4_min( d4 a, d4 b ) {
	const m4 less = a < b;
	return (d4)( ( less & (m4)a ) | ( ~less & (m4)b ) );
}

LEAF_INLINE d4 d4_max( d4 a, d4 b ) {
	const m4 more = a > b;
	return (d4)( ( more & (m4)a ) | ( ~more & (m4)b ) );
}

LEAF_INLINE double least( d4 x ) {
	const double a = x[0] < x[1] ? x[0] : x[1], b = x[2] < x[3] ? x[2] : x[3];
	return a < b ? a : b;
}

LEAF_INLINE double most( d4 x ) {
	const double a = x[0] > x[1] ? x[0] : x[1], b = x[2] > x[3] ? x[2] : x[3];
	return a > b ? a : b;
}

LEAF_INLINE d4 column( const dbvhi_leaf_corners *c, int i ) {
	d4 x;
	__builtin_memcpy( &x, c->x[i], sizeof x );
	return x;
}

static void reach( const dbvhi_leaf_corners *c, const double axes[3][3], double low[3], double high[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		d4 down = d4_set( INFINITY ), up = d4_set( -INFINITY );
		for ( int corner = 0; corner < 3; ++corner ) {
			const d4 along = d4_set( axes[0][k] ) * column( c, 3 * corner ) +
			                 d4_set( axes[1][k] ) * column( c, 3 * corner + 1 ) +
			                 d4_set( axes[2][k] ) * column( c, 3 * corner + 2 );
			down = d4_min( along, down );
			up = d4_max( along, up );
		}
		low[k] = least( down );
		high[k] = most( up );
	}
}

static double farthest( const dbvhi_leaf_corners *c, const double centre[3] ) {
	d4 squares = d4_set( 0.0 );
	for ( int corner = 0; corner < 3; ++corner ) {
		const d4 x = column( c, 3 * corner ) - d4_set( centre[0] ),
		         y = column( c, 3 * corner + 1 ) - d4_set( centre[1] ),
		         z = column( c, 3 * corner + 2 ) - d4_set( centre[2] );
		squares = d4_max( x * x + y * y + z * z, squares );
	}
	return most( squares );
}

static void pack( const dbvhi_leaf_corners *c, dbvhi_packed_leaf *out, dbvhi_leaf_size *size ) {
	double origin[3];
	d4 squares = d4_set( 0.0 );
	size->largest = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const d4 x = column( c, k ), y = column( c, 3 + k ), z = column( c, 6 + k );
		const double low = least( d4_min( d4_min( x, y ), z ) ), high = most( d4_max( d4_max( x, y ), z ) );
		const double middle = 0.5 * ( low + high );
		out->origin[k] = (float)middle;
		origin[k] = (double)*(volatile float *)&out->origin[k]; // gcc 12 at -O3 uses what it was before the rounding
		size->far[k] = fabs( low ) > fabs( high ) ? fabs( low ) : fabs( high );
		const double beyond = high - origin[k] > origin[k] - low ? high - origin[k] : origin[k] - low;
		size->largest = beyond > size->largest ? beyond : size->largest;
	}
	for ( int corner = 0; corner < 3; ++corner ) {
		const int next = ( corner + 1 ) % 3;
		d4 square = d4_set( 0.0 );
		for ( int k = 0; k < 3; ++k ) {
			const d4 x = column( c, 3 * corner + k ), along = column( c, 3 * next + k ) - x;
			square += along * along;
			const s4 local = __builtin_convertvector( x - d4_set( origin[k] ), s4 );
			__builtin_memcpy( out->corner[corner][k], &local, sizeof local );
		}
		squares = d4_max( square, squares );
	}
	size->edge = sqrt( most( squares ) );
}

extern const dbvhi_leaf_isa DBVHI_KERNEL_NAME( dbvhi_leaf );
const dbvhi_leaf_isa DBVHI_KERNEL_NAME( dbvhi_leaf ) = { reach, farthest, pack };
