// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A box has an axis parallel to each coordinate of its own frame, so the point is brought there: by the pose, or by its
// inverse, whose denominator, the determinant, goes to the other side. Each of the six comparisons is tried in doubles
// first. The bounds are per coordinate: under a pose without a turn a large coordinate says nothing of the others.
//
// Bounds, with u = 2^-53. By the pose: each of four terms passes through at most four roundings, 4.1 u of their
// magnitudes M. By the inverse: a cofactor is within 2.1 u of the magnitudes C of its two products, a difference of
// coordinates D within u, and three products of those and their sums cost 3 u: 6.2 u C |D|. The determinant likewise,
// with its product by the bound: 6.2 u C |rot| |bound|. The comparison itself costs 2 u; 9 u is used. What underflows
// is off by 2^-1074, times at most the sum of all magnitudes and 1; 2^-1060 is used.

#include "exact/point_in_box.h"

#include "base/assert.h"
#include "base/inline.h"
#include "exact/number/big3.h"

#include <limits.h>
#include <math.h>

#define U 0x1p-53
#define UNDERFLOW_LIMIT 0x1p-1060

// The signs that matter, of one coordinate.
enum { BELOW, WITHIN, ABOVE, UNSURE };

// The place of a value among two bounds, from its differences to them, each with a bound of its error. NaN is unsure.
static int place( double from_low, double low_error, double from_high, double high_error ) {
	if ( from_low < -low_error )
		return BELOW;
	if ( from_high > high_error )
		return ABOVE;
	return from_low > low_error && from_high < -high_error ? WITHIN : UNSURE;
}

static int place_exactly( const dbvhi_any *value, const dbvhi_any *low, const dbvhi_any *high ) {
	return dbvhi_big_compare( value, low ) < 0 ? BELOW : dbvhi_big_compare( value, high ) > 0 ? ABOVE : WITHIN;
}

// The lowest bit of a number of doubles.
static int unit_of( const double *x, int count ) {
	DBVHI_ASSERT( count > 0 );
	int unit = INT_MAX;
	for ( int i = 0; i < count; ++i )
		unit = dbvhi_lower( unit, dbvhi_lowest_bit( x[i] ) );
	return unit;
}

// ------------------------------------------------------------------------------------------------
// The point is moved

static int by_pose( const double x[3], double low, double high, const double rot[3], double pos ) {
	double value = pos, size = fabs( pos );
	for ( int j = 0; j < 3; ++j ) {
		value += rot[j] * x[j];
		size += fabs( rot[j] * x[j] );
	}
	const int where = place( value - low, 9.0 * U * ( size + fabs( low ) ) + UNDERFLOW_LIMIT, value - high,
	                         9.0 * U * ( size + fabs( high ) ) + UNDERFLOW_LIMIT );
	if ( where != UNSURE )
		return where;
	const double bounds[3] = { low, high, pos };
	int unit_rot = unit_of( rot, 3 ), unit_x = unit_of( x, 3 );
	unit_rot = unit_rot == INT_MAX ? 0 : unit_rot;
	unit_x = unit_x == INT_MAX ? 0 : unit_x;
	const int unit = dbvhi_lower( unit_of( bounds, 3 ), unit_rot + unit_x );
	dbvhi_big_1 sum, factor, coordinate, term;
	dbvhi_big_from_double( &sum, pos, unit );
	for ( int j = 0; j < 3; ++j ) {
		// The coordinate carries the whole unit, so that its product with the entry is over `unit`.
		dbvhi_big_from_double( &factor, rot[j], unit_rot );
		dbvhi_big_from_double( &coordinate, x[j], unit - unit_rot );
		dbvhi_big_mul( &term, &factor, &coordinate );
		dbvhi_big_add( &sum, &sum, &term );
	}
	dbvhi_big_from_double( &factor, low, unit );
	dbvhi_big_from_double( &coordinate, high, unit );
	return place_exactly( DBVHI_IN( &sum ), DBVHI_IN( &factor ), DBVHI_IN( &coordinate ) );
}

// ------------------------------------------------------------------------------------------------
// The box is moved

// Coordinate k of the inverse pose's image of x, times the determinant, against the bounds times that.
static int by_inverse_exactly( const double x[3], double low, double high, const dbvh_pose *pose, int k ) {
	DBVHI_ASSERT( (unsigned)k < 3 );
	const double bounds[2] = { low, high };
	const int unit_rot = unit_of( &pose->rot[0][0], 9 ); // at most 0: the largest entry of a rotation is at most 1
	int unit = dbvhi_lower( dbvhi_lower( unit_of( x, 3 ), unit_of( pose->pos, 3 ) ), unit_of( bounds, 2 ) );
	unit = unit == INT_MAX ? 0 : unit;
	dbvhi_point_1 m[3], difference;
	for ( int i = 0; i < 3; ++i ) {
		dbvhi_big_1 a, b;
		for ( int j = 0; j < 3; ++j )
			dbvhi_big_from_double( &m[i][j], pose->rot[i][j], unit_rot );
		dbvhi_big_from_double( &a, x[i], unit );
		dbvhi_big_from_double( &b, pose->pos[i], unit );
		dbvhi_big_sub( &difference[i], &a, &b );
	}
	const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
	dbvhi_big_3 value, det, term;
	dbvhi_big_2 cofactor;
	dbvhi_big_from_integer( &value, 0 );
	dbvhi_big_from_integer( &det, 0 );
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		dbvhi_big_det2( &cofactor, &m[i1][k1], &m[i2][k2], &m[i1][k2], &m[i2][k1] );
		dbvhi_big_mul( &term, &cofactor, &difference[i] );
		dbvhi_big_add( &value, &value, &term );
		dbvhi_big_mul( &term, &cofactor, &m[i][k] );
		dbvhi_big_add( &det, &det, &term );
	}
	// The determinant has one entry more.
	dbvhi_big_shift( &term, &value, (uint32_t)-unit_rot );
	dbvhi_big_copy( &value, &term );
	dbvhi_big_1 bound;
	dbvhi_big_4 at_low, at_high;
	dbvhi_big_from_double( &bound, low, unit );
	dbvhi_big_mul( &at_low, &det, &bound );
	dbvhi_big_from_double( &bound, high, unit );
	dbvhi_big_mul( &at_high, &det, &bound );
	return place_exactly( DBVHI_IN( &value ), DBVHI_IN( &at_low ), DBVHI_IN( &at_high ) );
}

static int by_inverse( const double x[3], double low, double high, const dbvh_pose *pose, int k ) {
	DBVHI_ASSERT( (unsigned)k < 3 );
	const double( *m )[3] = pose->rot;
	const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
	double value = 0.0, size = 0.0, det = 0.0, det_size = 0.0, all = 1.0 + fabs( low ) + fabs( high );
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		const double left = m[i1][k1] * m[i2][k2], right = m[i1][k2] * m[i2][k1], d = x[i] - pose->pos[i];
		const double cofactor = left - right, cofactor_size = fabs( left ) + fabs( right );
		value += cofactor * d;
		size += cofactor_size * fabs( d );
		det += cofactor * m[i][k];
		det_size += cofactor_size * fabs( m[i][k] );
		all += fabs( d );
	}
	const int where = place( value - det * low, 9.0 * U * ( size + det_size * fabs( low ) ) + UNDERFLOW_LIMIT * all,
	                         value - det * high, 9.0 * U * ( size + det_size * fabs( high ) ) + UNDERFLOW_LIMIT * all );
	return where != UNSURE ? where : by_inverse_exactly( x, low, high, pose, k );
}

// ------------------------------------------------------------------------------------------------

bool dbvhi_corner_in_box( dbvhi_corner point, const double box[6], bool box_moved, const dbvh_pose *pose ) {
	DBVHI_ASSERT( point.at != NULL );
	DBVHI_ASSERT( box[0] <= box[3] && box[1] <= box[4] && box[2] <= box[5] );
	for ( int k = 0; k < 3; ++k ) {
		const double low = box[k], high = box[3 + k];
		int where;
		if ( point.moved == box_moved )
			where = point.at[k] < low ? BELOW : point.at[k] > high ? ABOVE : WITHIN;
		else if ( point.moved )
			where = by_pose( point.at, low, high, pose->rot[k], pose->pos[k] );
		else
			where = by_inverse( point.at, low, high, pose, k );
		if ( where != WITHIN )
			return false;
	}
	return true;
}
