// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Compiled for every instruction set: see refit.h.

#include "bvh/build/refit.h"
#include "simd/kernel_name.h"
#include "simd/vec_d.h"

static double least_of( vd x, double least ) {
#if WIDTH == 1
	return x < least ? x : least;
#else
	for ( int l = 0; l < WIDTH; ++l )
		least = x[l] < least ? x[l] : least;
	return least;
#endif
}

static double most_of( vd x, double most ) {
#if WIDTH == 1
	return x > most ? x : most;
#else
	for ( int l = 0; l < WIDTH; ++l )
		most = x[l] > most ? x[l] : most;
	return most;
#endif
}

// The last ones twice, rather than fewer at a time; where there are not even so many, one alone several times.
#define EACH_VECTOR( points )                                                                                          \
	for ( size_t next = 0, i = 0; next < ( points )->count; next += ( points )->count < WIDTH ? 1 : WIDTH )            \
		if ( i = next + WIDTH <= ( points )->count || ( points )->count < WIDTH ? next : ( points )->count - WIDTH, 1 )

LANES_INLINE vd from( const double *x, size_t i, size_t count, double origin ) {
	return load( x + ( count < WIDTH ? i : 0 ), i, count < WIDTH ) - set( origin );
}

static void reach( const dbvhi_points *points, const double axes[3][3], const double origin[3], double low[3],
                   double high[3] ) {
	const size_t count = points->count;
	vd least[3], most[3];
	for ( int k = 0; k < 3; ++k ) {
		least[k] = set( low[k] );
		most[k] = set( high[k] );
	}
	EACH_VECTOR( points ) {
		const vd x = from( points->x, i, count, origin[0] ), y = from( points->y, i, count, origin[1] ),
		         z = from( points->z, i, count, origin[2] );
		for ( int k = 0; k < 3; ++k ) {
			const vd along = set( axes[0][k] ) * x + set( axes[1][k] ) * y + set( axes[2][k] ) * z;
			least[k] = smaller( along, least[k] );
			most[k] = larger( along, most[k] );
		}
	}
	for ( int k = 0; k < 3; ++k ) {
		low[k] = least_of( least[k], low[k] );
		high[k] = most_of( most[k], high[k] );
	}
}

static double farthest( const dbvhi_points *points, const double centre[3], double most ) {
	const size_t count = points->count;
	vd squares = set( most );
	EACH_VECTOR( points ) {
		const vd x = from( points->x, i, count, centre[0] ), y = from( points->y, i, count, centre[1] ),
		         z = from( points->z, i, count, centre[2] );
		squares = larger( x * x + y * y + z * z, squares );
	}
	return most_of( squares, most );
}

extern const dbvhi_refit_isa DBVHI_KERNEL_NAME( dbvhi_refit );
const dbvhi_refit_isa DBVHI_KERNEL_NAME( dbvhi_refit ) = { reach, farthest };
