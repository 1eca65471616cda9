// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Finds the rotation nearest to a matrix by polar decomposition.

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "dualbvh/base.h"

#include <math.h>

static double squares( const double m[3][3] ) {
	double sum = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			sum += m[i][j] * m[i][j];
	}
	return sum;
}

// Computes m^-T det( m ); returns det( m ).
static double cofactors( const double m[3][3], double out[3][3] ) {
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		for ( int j = 0; j < 3; ++j ) {
			const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
			out[i][j] = m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
		}
	}
	return m[0][0] * out[0][0] + m[0][1] * out[0][1] + m[0][2] * out[0][2];
}

// Makes a Newton step x := ( g x + x^-T / g ) / 2, which maps each singular value s to ( g s + 1 / ( g s ) ) / 2. The
// factor g brings singular values near 1 while they are far apart (Higham 1986, (4.3)). Returns how far x moved.
static double newton_step( double x[3][3], bool scaled ) {
	double inverse[3][3]; // transposed
	const double det = cofactors( x, inverse );
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			inverse[i][j] /= det;
	}
	const double g = scaled ? sqrt( sqrt( squares( inverse ) / squares( x ) ) ) : 1.0;
	double moved = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			const double next = 0.5 * ( g * x[i][j] + inverse[i][j] / g );
			moved = fmax( moved, fabs( next - x[i][j] ) );
			x[i][j] = next;
		}
	}
	return moved;
}

static DBVHI_NOINLINE_FP dbvh_status do_pose_orthonormalise( const dbvh_pose *pose, dbvh_pose *pose_out,
                                                             double *moved_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( pose == NULL || pose_out == NULL )
		return dbvhi_error_null( error, pose == NULL ? "pose" : "pose_out" );
	double largest = 0.0;
	if ( dbvh_pose_check( pose, NULL, error ) == DBVH_NOT_FINITE )
		return DBVH_NOT_FINITE;
	dbvhi_error_clear( error );
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			largest = fmax( largest, fabs( pose->rot[i][j] ) );
		}
	}
	if ( largest == 0.0 )
		return dbvhi_error_set( error, DBVH_NOT_RIGID, "the 3x3 part R is zero" );
	// Divide by the largest entry, so that nothing overflows. The determinant is then off by less than 2^-49.
	int exponent;
	frexp( largest, &exponent );
	double x[3][3], cofactor[3][3];
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			x[i][j] = ldexp( pose->rot[i][j], -exponent );
	}
	const double determinant = cofactors( x, cofactor );
	if ( !( determinant > 0x1p-40 ) )
		return dbvhi_error_set( error, DBVH_NOT_RIGID,
		                        determinant < -0x1p-40
		                            ? "the 3x3 part R is a mirror image: no rotation is nearest to it"
		                            : "the 3x3 part R is singular, or nearly so: no rotation is nearest to it" );
	// Convergence is quadratic near the end: after a step below 2^-26 the next one is the last that changes more than
	// rounding. Ten steps are many.
	bool far = true;
	for ( int step = 0; step < 40 && far; ++step )
		far = newton_step( x, step < 12 ) > 0x1p-26;
	newton_step( x, false );
	newton_step( x, false );
	dbvh_pose out = *pose;
	double moved = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			moved = fmax( moved, fabs( x[i][j] - pose->rot[i][j] ) );
			out.rot[i][j] = x[i][j];
		}
	}
	*pose_out = out;
	if ( moved_out != NULL )
		*moved_out = moved;
	return DBVH_OK;
}

dbvh_status dbvh_pose_orthonormalise( const dbvh_pose *pose, dbvh_pose *pose_out, double *moved_out,
                                      dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_pose_orthonormalise( pose, pose_out, moved_out, error ) );
}
