// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernels of refit.h. Compiled for every instruction set.

#include "bvh/builder/refit.h"
#include "bvh/packed_layout.h"
#include "math/quaternion.h"
#include "simd/kernel_name.h"
#include "simd/vec_d.h"

#include <math.h>

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

// EACH_VECTOR visits all points in full vectors, the last ones overlapping; fewer points than a vector holds are
// visited one at a time.
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

// ------------------------------------------------------------------------------------------------
// Children side by side. A lane loop has no branches and touches only its lane.

#define LANES DBVHI_REFIT_LANES
#define EACH_LANE for ( int l = 0; l < LANES; ++l )

// Decode the numbers of a pair: see dbvhi_packed_number().
LANES_INLINE double lower_of( int32_t pair ) {
	return (double)( (int32_t)( (uint32_t)pair << 16 ) >> 16 );
}

LANES_INLINE double upper_of( int32_t pair ) {
	return (double)pair * 0x1p-16;
}

LANES_INLINE double larger_of( double a, double b ) {
	return a > b ? a : b;
}

static void unpack( dbvhi_refit_batch *b ) {
	EACH_LANE {
		const double q[4] = { lower_of( b->pair[3][l] ), upper_of( b->pair[3][l] ), lower_of( b->pair[4][l] ),
		                      upper_of( b->pair[4][l] ) };
		double m[3][3];
		dbvhi_rotation_from_quaternion( q, m );
		for ( int i = 0; i < 9; ++i )
			b->axes[i][l] = m[i / 3][i % 3];
	}
	EACH_LANE {
		const double offset[3] = { lower_of( b->pair[0][l] ), upper_of( b->pair[0][l] ), lower_of( b->pair[1][l] ) };
		const double half[3] = { upper_of( b->pair[1][l] ), lower_of( b->pair[2][l] ), upper_of( b->pair[2][l] ) };
		for ( int k = 0; k < 3; ++k ) {
			const double place =
			    -( b->axes[k][l] * offset[0] + b->axes[3 + k][l] * offset[1] + b->axes[6 + k][l] * offset[2] );
			const double part = ( half[k] > 0.0 ? place : 0.0 ) / ( half[k] > 0.0 ? half[k] : 1.0 );
			const double above = part < -1.0 ? -1.0 : part;
			b->part[k][l] = above > 1.0 ? 1.0 : above;
		}
	}
}

static void place( dbvhi_refit_batch *b ) {
	EACH_LANE {
		double middle[3], ball[3];
		for ( int k = 0; k < 3; ++k ) {
			middle[k] = 0.5 * b->low[k][l] + 0.5 * b->high[k][l];
			const double half = 0.5 * b->high[k][l] - 0.5 * b->low[k][l];
			ball[k] = middle[k] + b->part[k][l] * half;
			b->half[k][l] = half;
		}
		for ( int i = 0; i < 3; ++i ) {
			const double x = b->axes[3 * i][l], y = b->axes[3 * i + 1][l], z = b->axes[3 * i + 2][l];
			b->box[i][l] = x * middle[0] + y * middle[1] + z * middle[2];
			b->ball[i][l] = x * ball[0] + y * ball[1] + z * ball[2];
			b->centre[i][l] = (float)b->ball[i][l];
		}
	}
}

// Rounds a nonnegative number up to a float, plus one unit in the last place to be safe.
LANES_INLINE float round_up( double x ) {
	const float near = (float)( x * ( 1.0 + 0x1p-23 ) );
	uint32_t bits;
	memcpy( &bits, &near, sizeof bits );
	bits += 1;
	float next;
	memcpy( &next, &bits, sizeof next );
	return next;
}

LANES_INLINE int32_t steps_up( double x ) {
	const int32_t whole = (int32_t)x;
	return whole + ( (double)whole < x ? 1 : 0 );
}

// Rounds to within 1/2 + 2^-28 of a step, for numbers below 2^23.
LANES_INLINE int32_t nearest_step( double x ) {
	return (int32_t)( x + 8388608.5 ) - 8388608;
}

// Encode the numbers of a pair: see pack_piece.c.
LANES_INLINE int32_t lower_pair( int32_t steps ) {
	return steps & 0xffff;
}

LANES_INLINE double above_lower( int32_t pair, double steps ) {
	return steps - (double)pair * 0x1p-16;
}

LANES_INLINE int32_t both( int32_t pair, int32_t upper ) {
	return (int32_t)( (uint32_t)upper << 16 | (uint32_t)pair );
}

// Packs lengths as dbvhi_pack_lengths() does; see its comments.
static void pack( dbvhi_refit_batch *b, double centre_away ) {
	double offset[3][LANES];
	EACH_LANE {
		double away = 0.0, moved = 0.0, largest = 0.0;
		for ( int i = 0; i < 3; ++i ) {
			// note: reads the centre that place() has rounded from memory.
			const double centre = (double)b->centre[i][l], shift = b->ball[i][l] - centre;
			away += b->ball[i][l] * b->ball[i][l];
			moved += shift * shift;
			offset[i][l] = b->box[i][l] - centre;
		}
		away = sqrt( away );
		const double exact = sqrt( b->square[l] );
		// The centre of the box is no farther from that of the sphere than twice the sphere's radius.
		const double doubt = 64.0 * 0x1p-53 * ( 3.0 * ( away + exact ) + centre_away );
		for ( int k = 0; k < 3; ++k ) {
			b->half[k][l] += doubt;
			largest = larger_of( largest, larger_of( b->half[k][l], __builtin_fabs( offset[k][l] ) ) );
		}
		b->away[l] = away;
		b->reach[l] = exact + doubt;
		b->radius[l] = round_up( larger_of( b->reach[l] + sqrt( moved ), 1.0001 * largest ) );
	}
	EACH_LANE {
		const double steps = (double)DBVHI_STEPS / (double)b->radius[l];
		const int32_t x = lower_pair( nearest_step( steps * offset[0][l] ) );
		const int32_t z = lower_pair( nearest_step( steps * offset[2][l] ) );
		const int32_t middle = lower_pair( steps_up( steps * b->half[1][l] + 1.0 ) );
		b->pair[0][l] = both( x, nearest_step( above_lower( x, steps * offset[1][l] ) ) );
		b->pair[1][l] = both( z, steps_up( above_lower( z, steps * b->half[0][l] + 1.0 ) ) );
		b->pair[2][l] = both( middle, steps_up( above_lower( middle, steps * b->half[2][l] + 1.0 ) ) );
	}
}

extern const dbvhi_refit_isa DBVHI_KERNEL_NAME( dbvhi_refit );
const dbvhi_refit_isa DBVHI_KERNEL_NAME( dbvhi_refit ) = { reach, farthest, unpack, place, pack };
