// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Compiled for every instruction set: see leaf.h. Four triangles side by side.

#include "bvh/packed/leaf.h"
#include "simd/kernel_name.h"
#include "simd/vec_d.h"

#include <math.h>

typedef float s4 __attribute__( ( vector_size( 16 ) ) );

LANES_INLINE double4 set4( double x ) {
	return ( double4 ){ x, x, x, x };
}

LANES_INLINE double least( double4 x ) {
	const double a = x[0] < x[1] ? x[0] : x[1], b = x[2] < x[3] ? x[2] : x[3];
	return a < b ? a : b;
}

LANES_INLINE double most( double4 x ) {
	const double a = x[0] > x[1] ? x[0] : x[1], b = x[2] > x[3] ? x[2] : x[3];
	return a > b ? a : b;
}

LANES_INLINE double4 column( const dbvhi_leaf_corners *c, int i ) {
	double4 x;
	memcpy( &x, c->x[i], sizeof x );
	return x;
}

// Gathers one corner of all four triangles.
static void gather_corner( const double *const at[4], double4 centre, double ( *out )[4] ) {
	double4 p[4];
	for ( int l = 0; l < 4; ++l )
		p[l] = double4_load3( at[l] ) - centre;
	const double4 low = ( double4 ){ p[0][0], p[1][0], p[0][2], p[1][2] },
	              low_2 = ( double4 ){ p[2][0], p[3][0], p[2][2], p[3][2] },
	              high = ( double4 ){ p[0][1], p[1][1], p[0][3], p[1][3] },
	              high_2 = ( double4 ){ p[2][1], p[3][1], p[2][3], p[3][3] };
	const double4 x = ( double4 ){ low[0], low[1], low_2[0], low_2[1] },
	              y = ( double4 ){ high[0], high[1], high_2[0], high_2[1] },
	              z = ( double4 ){ low[2], low[3], low_2[2], low_2[3] };
	memcpy( out[0], &x, sizeof x );
	memcpy( out[1], &y, sizeof y );
	memcpy( out[2], &z, sizeof z );
}

static void gather( const double *vertices, const uint32_t *corner, uint32_t count, const double centre[3],
                    dbvhi_leaf_corners *out ) {
	const double4 middle = double4_load3( centre );
	out->error = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double *at[4];
		for ( uint32_t l = 0; l < 4; ++l )
			at[l] = vertices + 3 * (size_t)corner[3 * ( l < count ? l : 0 ) + (uint32_t)k];
		gather_corner( at, middle, out->x + 3 * k );
	}
}

static void reach( const dbvhi_leaf_corners *c, const double axes[3][3], double low[3], double high[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		double4 down = set4( INFINITY ), up = set4( -INFINITY );
		for ( int corner = 0; corner < 3; ++corner ) {
			const double4 along = set4( axes[0][k] ) * column( c, 3 * corner ) +
			                      set4( axes[1][k] ) * column( c, 3 * corner + 1 ) +
			                      set4( axes[2][k] ) * column( c, 3 * corner + 2 );
			down = double4_min( along, down );
			up = double4_max( along, up );
		}
		low[k] = least( down );
		high[k] = most( up );
	}
}

static double farthest( const dbvhi_leaf_corners *c, const double centre[3] ) {
	double4 squares = set4( 0.0 );
	for ( int corner = 0; corner < 3; ++corner ) {
		const double4 x = column( c, 3 * corner ) - set4( centre[0] ),
		              y = column( c, 3 * corner + 1 ) - set4( centre[1] ),
		              z = column( c, 3 * corner + 2 ) - set4( centre[2] );
		squares = double4_max( x * x + y * y + z * z, squares );
	}
	return most( squares );
}

static void pack( const dbvhi_leaf_corners *c, dbvhi_packed_leaf *out, dbvhi_leaf_size *size ) {
	double origin[3];
	double4 squares = set4( 0.0 );
	size->largest = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double4 x = column( c, k ), y = column( c, 3 + k ), z = column( c, 6 + k );
		const double low = least( double4_min( double4_min( x, y ), z ) ),
		             high = most( double4_max( double4_max( x, y ), z ) );
		const double middle = 0.5 * ( low + high );
		out->origin[k] = (float)middle;
		// note: volatile, because gcc 12 at -O3 uses the value from before the rounding.
		origin[k] = (double)*(volatile float *)&out->origin[k];
		size->far[k] = fabs( low ) > fabs( high ) ? fabs( low ) : fabs( high );
		const double beyond = high - origin[k] > origin[k] - low ? high - origin[k] : origin[k] - low;
		size->largest = beyond > size->largest ? beyond : size->largest;
	}
	for ( int corner = 0; corner < 3; ++corner ) {
		const int next = ( corner + 1 ) % 3;
		double4 square = set4( 0.0 );
		for ( int k = 0; k < 3; ++k ) {
			const double4 x = column( c, 3 * corner + k ), along = column( c, 3 * next + k ) - x;
			square += along * along;
			const s4 local = __builtin_convertvector( x - set4( origin[k] ), s4 );
			memcpy( out->corner[corner][k], &local, sizeof local );
		}
		squares = double4_max( square, squares );
	}
	size->edge = sqrt( most( squares ) );
}

extern const dbvhi_leaf_isa DBVHI_KERNEL_NAME( dbvhi_leaf );
const dbvhi_leaf_isa DBVHI_KERNEL_NAME( dbvhi_leaf ) = { gather, reach, farthest, pack };
