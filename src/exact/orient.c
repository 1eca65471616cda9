// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/orient.h"

#include "base/assert.h"
#include "base/inline.h"
#include "exact/number/big3.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define U 0x1p-53 // half an ulp of 1

// Differences between 1 / RANGE and RANGE keep every product of three of them, and the bounds below, away from
// underflow and overflow.
#define RANGE 0x1p300

// One instruction, where fmax() is a call; nothing here is NaN.
static double max3( double a, double b, double c ) {
	return dbvhi_larger( dbvhi_larger( a, b ), c );
}

int dbvhi_orient2d_sign( const double a[2], const double b[2], const double c[2] ) {
	const double ux = b[0] - a[0], uy = b[1] - a[1];
	const double vx = c[0] - a[0], vy = c[1] - a[1];
	const double size = dbvhi_larger( dbvhi_larger( fabs( ux ), fabs( uy ) ), dbvhi_larger( fabs( vx ), fabs( vy ) ) );
	if ( dbvhi_is_between( size, RANGE ) ) {
		const double left = ux * vy, right = uy * vx;
		const double det = left - right;
		// Shewchuk 1997, section 4.3: (3 + 16u) u times the sum of the magnitudes bounds the error. Underflow of a
		// product adds at most 2^-1074 to either, far below u^2 size^2, which the added term covers.
		const double bound = ( 3.0 + 16.0 * U ) * U * ( fabs( left ) + fabs( right ) ) + size * size * 0x1p-120;
		if ( fabs( det ) > bound )
			return dbvhi_sign_of( det );
	}
	int unit = INT_MAX;
	for ( int k = 0; k < 2; ++k )
		unit = dbvhi_lower( unit, dbvhi_lower( dbvhi_lowest_bit( a[k] ),
		                                       dbvhi_lower( dbvhi_lowest_bit( b[k] ), dbvhi_lowest_bit( c[k] ) ) ) );
	if ( unit == INT_MAX )
		return 0;
	dbvhi_big_1 p[3][2], u[2], v[2];
	dbvhi_big_2 left, right;
	for ( int k = 0; k < 2; ++k ) {
		dbvhi_big_from_double( &p[0][k], a[k], unit );
		dbvhi_big_from_double( &p[1][k], b[k], unit );
		dbvhi_big_from_double( &p[2][k], c[k], unit );
		dbvhi_big_sub( &u[k], &p[1][k], &p[0][k] );
		dbvhi_big_sub( &v[k], &p[2][k], &p[0][k] );
	}
	dbvhi_big_mul( &left, &u[0], &v[1] );
	dbvhi_big_mul( &right, &u[1], &v[0] );
	dbvhi_big_sub( &left, &left, &right );
	return left.sign;
}

void dbvhi_points_init( dbvhi_points *points, const double fixed[9], const double moved[9], const double moved_image[9],
                        const dbvh_pose *pose, double error ) {
	DBVHI_ASSERT( error >= 0.0 );
	DBVHI_ASSERT( fixed != NULL && moved != NULL && moved_image != NULL && pose != NULL );
	points->fixed = fixed;
	points->moved = moved;
	points->pose = pose;
	points->error = error;
	points->exact_axes = error == 0.0 ? 7 : -1;
	points->short_state = 0;
	points->integers_ready = false;
	memcpy( points->p[0], fixed, 9 * sizeof( double ) );
	memcpy( points->p[3], moved_image, 9 * sizeof( double ) );
}

// ------------------------------------------------------------------------------------------------
// Short integers: coordinates of few digits under a pose of few digits, as where parts were drawn on a grid and put
// together without a turn, and where most contacts are flat. Products of three differences fit 128 bits.

#if defined( __SIZEOF_INT128__ )

#define SHORT_BITS 40

__extension__ typedef __int128 int128;

// x over 2^unit, if that is an integer of at most so many bits.
static bool short_from_double( double x, double inverse_unit, int64_t *out ) {
	const double scaled = x * inverse_unit;
	if ( !( fabs( scaled ) < 0x1p40 ) )
		return false;
	*out = (int64_t)scaled;
	return (double)*out == scaled;
}

static bool make_short( dbvhi_points *points ) {
	const dbvh_pose *pose = points->pose;
	// A turn by anything but right angles has long entries.
	int64_t rot[3][3];
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			if ( pose->rot[i][j] != 0.0 && fabs( pose->rot[i][j] ) != 1.0 )
				return false;
			rot[i][j] = (int64_t)pose->rot[i][j];
		}
	}
	int unit = INT_MAX;
	for ( int i = 0; i < 9; ++i )
		unit = dbvhi_lower( unit,
		                    dbvhi_lower( dbvhi_lowest_bit( points->fixed[i] ), dbvhi_lowest_bit( points->moved[i] ) ) );
	for ( int i = 0; i < 3; ++i )
		unit = dbvhi_lower( unit, dbvhi_lowest_bit( pose->pos[i] ) );
	if ( unit < -900 || unit > 900 )
		return false;
	const double inverse_unit = ldexp( 1.0, -unit );
	int64_t moved[9], pos[3], origin[3];
	for ( int i = 0; i < 9; ++i ) {
		if ( !short_from_double( points->fixed[i], inverse_unit, &points->whole[i / 3][i % 3] ) ||
		     !short_from_double( points->moved[i], inverse_unit, &moved[i] ) )
			return false;
	}
	for ( int i = 0; i < 3; ++i ) {
		if ( !short_from_double( pose->pos[i], inverse_unit, &pos[i] ) )
			return false;
		origin[i] = points->whole[0][i];
	}
	for ( int corner = 0; corner < 3; ++corner ) {
		for ( int i = 0; i < 3; ++i ) {
			const int64_t *x = moved + 3 * corner;
			points->whole[3 + corner][i] = rot[i][0] * x[0] + rot[i][1] * x[1] + rot[i][2] * x[2] + pos[i];
		}
	}
	for ( int corner = 0; corner < 6; ++corner ) {
		for ( int i = 0; i < 3; ++i ) {
			points->whole[corner][i] -= origin[i];
			if ( points->whole[corner][i] >= INT64_C( 1 ) << SHORT_BITS ||
			     points->whole[corner][i] <= -( INT64_C( 1 ) << SHORT_BITS ) )
				return false;
		}
	}
	return true;
}

static bool is_short( dbvhi_points *points ) {
	if ( points->short_state == 0 )
		points->short_state = make_short( points ) ? 1 : -1;
	return points->short_state > 0;
}

static int sign_of_int128( int128 x ) {
	return ( x > 0 ) - ( x < 0 );
}

// Differences are below 2^41, minors below 2^83, and each of the three terms below 2^124.
static int short_orient3d( const dbvhi_points *points, int a, int b, int c, int d ) {
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 && (unsigned)c < 6 && (unsigned)d < 6 );
	int64_t u[3], v[3], w[3];
	for ( int k = 0; k < 3; ++k ) {
		u[k] = points->whole[a][k] - points->whole[d][k];
		v[k] = points->whole[b][k] - points->whole[d][k];
		w[k] = points->whole[c][k] - points->whole[d][k];
	}
	int128 det = 0;
	for ( int k = 0; k < 3; ++k ) {
		const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		det += u[k] * ( (int128)v[k1] * w[k2] - (int128)v[k2] * w[k1] );
	}
	return sign_of_int128( det );
}

static int short_orient2d( const dbvhi_points *points, int x, int y, int a, int b, int c ) {
	DBVHI_ASSERT( (unsigned)x < 3 && (unsigned)y < 3 && x != y );
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 && (unsigned)c < 6 );
	const int64_t( *p )[3] = points->whole;
	return sign_of_int128( (int128)( p[b][x] - p[a][x] ) * ( p[c][y] - p[a][y] ) -
	                       (int128)( p[b][y] - p[a][y] ) * ( p[c][x] - p[a][x] ) );
}

#else // Integers of any length decide all of it, at some cost.

static bool is_short( const dbvhi_points *points ) {
	(void)points;
	return false;
}

static int short_orient3d( const dbvhi_points *points, int a, int b, int c, int d ) {
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 && (unsigned)c < 6 && (unsigned)d < 6 );
	(void)points, (void)a, (void)b, (void)c, (void)d;
	return 0;
}

static int short_orient2d( const dbvhi_points *points, int x, int y, int a, int b, int c ) {
	DBVHI_ASSERT( (unsigned)x < 3 && (unsigned)y < 3 && x != y );
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 && (unsigned)c < 6 );
	(void)points, (void)x, (void)y, (void)a, (void)b, (void)c;
	return 0;
}

#endif

// ------------------------------------------------------------------------------------------------
// Integers of any length

void dbvhi_points_integers( dbvhi_points *points ) {
	if ( points->integers_ready )
		return;
	points->integers_ready = true;

	const dbvh_pose *pose = points->pose;
	int unit_rot = INT_MAX, unit_moved = INT_MAX, unit_other = INT_MAX;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			unit_rot = dbvhi_lower( unit_rot, dbvhi_lowest_bit( pose->rot[i][j] ) );
		unit_other = dbvhi_lower( unit_other, dbvhi_lowest_bit( pose->pos[i] ) );
	}
	for ( int i = 0; i < 9; ++i ) {
		unit_moved = dbvhi_lower( unit_moved, dbvhi_lowest_bit( points->moved[i] ) );
		unit_other = dbvhi_lower( unit_other, dbvhi_lowest_bit( points->fixed[i] ) );
	}
	if ( unit_moved == INT_MAX )
		unit_moved = 0; // the moved triangle is the origin
	const int unit_product = unit_rot + unit_moved;
	const int unit = dbvhi_lower( unit_product, unit_other );
	points->unit = unit;

	for ( int corner = 0; corner < 3; ++corner ) {
		for ( int i = 0; i < 3; ++i )
			dbvhi_big_from_double( &points->exact[corner][i], points->fixed[3 * corner + i], unit );
	}
	dbvhi_big_1 x[3][3], factor, product;
	for ( int corner = 0; corner < 3; ++corner ) {
		// The moved coordinate carries the whole unit, so that its product with a matrix entry is over `unit`.
		for ( int j = 0; j < 3; ++j )
			dbvhi_big_from_double( &x[corner][j], points->moved[3 * corner + j], unit - unit_rot );
	}
	for ( int i = 0; i < 3; ++i ) {
		for ( int corner = 0; corner < 3; ++corner )
			dbvhi_big_from_double( &points->exact[3 + corner][i], pose->pos[i], unit );
		for ( int j = 0; j < 3; ++j ) {
			dbvhi_big_from_double( &factor, pose->rot[i][j], unit_rot );
			for ( int corner = 0; corner < 3; ++corner ) {
				dbvhi_big_1 *out = &points->exact[3 + corner][i];
				dbvhi_big_mul( &product, &factor, &x[corner][j] );
				dbvhi_big_add( out, out, &product );
			}
		}
	}
}

void dbvhi_points_det3( dbvhi_points *points, int a, int b, int c, int d, dbvhi_big_3 *out ) {
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 && (unsigned)c < 6 && (unsigned)d < 6 );
	dbvhi_points_integers( points );
	dbvhi_point_1 u, v, w;
	dbvhi_big_2 normal[3];
	dbvhi_big3_sub( u, points->exact[a], points->exact[d] );
	dbvhi_big3_sub( v, points->exact[b], points->exact[d] );
	dbvhi_big3_sub( w, points->exact[c], points->exact[d] );
	dbvhi_big3_cross( normal, v, w );
	dbvhi_big3_dot( out, u, normal );
}

void dbvhi_points_det2( dbvhi_points *points, int axis, int a, int b, int c, dbvhi_big_2 *out ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 && (unsigned)c < 6 );
	const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
	dbvhi_points_integers( points );
	dbvhi_big_1 u[2], v[2];
	dbvhi_big_sub( &u[0], &points->exact[b][x], &points->exact[a][x] );
	dbvhi_big_sub( &u[1], &points->exact[b][y], &points->exact[a][y] );
	dbvhi_big_sub( &v[0], &points->exact[c][x], &points->exact[a][x] );
	dbvhi_big_sub( &v[1], &points->exact[c][y], &points->exact[a][y] );
	dbvhi_big_det2( out, &u[0], &v[1], &u[1], &v[0] );
}

void dbvhi_points_difference( dbvhi_points *points, int axis, int a, int b, dbvhi_big_1 *out ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 );
	dbvhi_points_integers( points );
	dbvhi_big_sub( out, &points->exact[a][axis], &points->exact[b][axis] );
}

// A coordinate is exact where its row of the rotation is one of the axes, so that only adding the position can round;
// what that rounds off is found by Knuth's sum.
static bool is_axis_exact( const dbvhi_points *points, int axis ) {
	const double *row = points->pose->rot[axis], offset = points->pose->pos[axis];
	const int along = row[0] != 0.0 ? 0 : row[1] != 0.0 ? 1 : 2;
	if ( fabs( row[along] ) != 1.0 || row[( along + 1 ) % 3] != 0.0 || row[( along + 2 ) % 3] != 0.0 )
		return false;
	for ( int corner = 0; corner < 3; ++corner ) {
		const double turned = row[along] * points->moved[3 * corner + along], sum = turned + offset;
		const double back = sum - turned, rest = ( turned - ( sum - back ) ) + ( offset - back );
		if ( rest != 0.0 || sum != points->p[3 + corner][axis] )
			return false;
	}
	return true;
}

// The coordinates of which p has the exact values, a bit each.
static int exact_axes( dbvhi_points *points ) {
	if ( points->exact_axes < 0 )
		points->exact_axes = (int)is_axis_exact( points, 0 ) | (int)is_axis_exact( points, 1 ) << 1 |
		                     (int)is_axis_exact( points, 2 ) << 2;
	return points->exact_axes;
}

// Is the determinant certainly 0 because the points lie in a plane perpendicular to an axis, or three of them on a line
// along one, or two of them are equal? Only coordinates that were not rounded count. Without a rotation this decides
// most faces that lie on each other and most common corners and edges.
static bool is_flat_at_sight( dbvhi_points *points, int a, int b, int c, int d ) {
	const int exact = exact_axes( points );
	const int at[4] = { a, b, c, d };
	int alike[4][4]; // the coordinates in which two points agree, a bit each
	for ( int i = 1; i < 4; ++i ) {
		for ( int j = 0; j < i; ++j ) {
			const double *p = points->p[at[i]], *q = points->p[at[j]];
			alike[i][j] = exact & ( (int)( p[0] == q[0] ) | (int)( p[1] == q[1] ) << 1 | (int)( p[2] == q[2] ) << 2 );
			if ( alike[i][j] == 7 )
				return true;
		}
	}
	// note: of three bits, two are set if more remain after the lowest is cleared.
	for ( int skipped = 0; skipped < 4; ++skipped ) {
		const int i = skipped < 1 ? 1 : 0, j = skipped < 2 ? 2 : 1, k = skipped < 3 ? 3 : 2;
		const int all = alike[j][i] & alike[k][i];
		if ( ( all & ( all - 1 ) ) != 0 )
			return true;
	}
	return ( alike[1][0] & alike[2][0] & alike[3][0] ) != 0;
}

static __attribute__( ( noinline ) ) int orient3d_by_integers( dbvhi_points *points, int a, int b, int c, int d ) {
	if ( is_short( points ) )
		return short_orient3d( points, a, b, c, d );
	dbvhi_big_3 det;
	dbvhi_points_det3( points, a, b, c, d, &det );
	return det.sign;
}

int dbvhi_points_orient3d( dbvhi_points *points, int a, int b, int c, int d ) {
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 && (unsigned)c < 6 && (unsigned)d < 6 );
	double u[3], v[3], w[3], size = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		u[k] = points->p[a][k] - points->p[d][k];
		v[k] = points->p[b][k] - points->p[d][k];
		w[k] = points->p[c][k] - points->p[d][k];
		size = dbvhi_larger( size, max3( fabs( u[k] ), fabs( v[k] ), fabs( w[k] ) ) );
	}
	if ( dbvhi_is_between( size, RANGE ) && points->error < size * 0x1p-20 ) {
		const double det = u[0] * ( v[1] * w[2] - v[2] * w[1] ) + u[1] * ( v[2] * w[0] - v[0] * w[2] ) +
		                   u[2] * ( v[0] * w[1] - v[1] * w[0] );
		// See exact/tri_tri.c: each difference is off by at most eta = 2 error + u size, which moves the determinant
		// by 18 size^2 eta (1 + 2^-18), and evaluating it adds (7 + 56u) u times the permanent, at most 6 size^3.
		const double bound = size * size * ( 40.0 * points->error + 64.0 * U * size );
		if ( fabs( det ) > bound )
			return dbvhi_sign_of( det );
	}
	return is_flat_at_sight( points, a, b, c, d ) ? 0 : orient3d_by_integers( points, a, b, c, d );
}

// Two products of differences, each off by eta: 4 size eta, and 3u times their sum for the evaluation.
static inline double error_of_2d( const dbvhi_points *points, double size ) {
	return dbvhi_is_between( size, RANGE ) && points->error < size * 0x1p-20
	           ? size * ( 9.0 * points->error + 12.0 * U * size )
	           : INFINITY;
}

double dbvhi_points_error_of_2d( const dbvhi_points *points, double size ) {
	return error_of_2d( points, size );
}

// The room for long integers is kept out of the function that mostly needs none.
static __attribute__( ( noinline ) ) int orient2d_by_integers( dbvhi_points *points, int axis, int a, int b, int c ) {
	if ( is_short( points ) )
		return short_orient2d( points, ( axis + 1 ) % 3, ( axis + 2 ) % 3, a, b, c );
	dbvhi_big_2 det;
	dbvhi_points_det2( points, axis, a, b, c, &det );
	return det.sign;
}

int dbvhi_points_orient2d( dbvhi_points *points, int axis, int a, int b, int c ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 && (unsigned)c < 6 );
	const int x = axis == 2 ? 0 : axis + 1, y = x == 2 ? 0 : x + 1;
	const double ux = points->p[b][x] - points->p[a][x], uy = points->p[b][y] - points->p[a][y];
	const double vx = points->p[c][x] - points->p[a][x], vy = points->p[c][y] - points->p[a][y];
	const double size = dbvhi_larger( dbvhi_larger( fabs( ux ), fabs( uy ) ), dbvhi_larger( fabs( vx ), fabs( vy ) ) );
	const double det = ux * vy - uy * vx;
	if ( fabs( det ) > error_of_2d( points, size ) )
		return dbvhi_sign_of( det );
	const int both = 1 << x | 1 << y;
	if ( ( ux == 0.0 || vy == 0.0 ) && ( uy == 0.0 || vx == 0.0 ) && ( exact_axes( points ) & both ) == both )
		return 0;
	return orient2d_by_integers( points, axis, a, b, c );
}

int dbvhi_points_compare( dbvhi_points *points, int axis, int a, int b ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 );
	if ( ( exact_axes( points ) >> axis & 1 ) != 0 )
		return ( points->p[a][axis] > points->p[b][axis] ) - ( points->p[a][axis] < points->p[b][axis] );
	if ( is_short( points ) )
		return ( points->whole[a][axis] > points->whole[b][axis] ) -
		       ( points->whole[a][axis] < points->whole[b][axis] );
	dbvhi_big_1 difference;
	dbvhi_points_difference( points, axis, a, b, &difference );
	return difference.sign;
}

int dbvhi_points_projection( dbvhi_points *points, int a, int b, int c, int *turn_out ) {
	for ( int axis = 0; axis < 3; ++axis ) {
		const int turn = dbvhi_points_orient2d( points, axis, a, b, c );
		if ( turn_out != NULL )
			*turn_out = turn;
		if ( turn != 0 )
			return axis;
	}
	return -1;
}
