// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "math/pose.h"

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

dbvh_pose dbvh_pose_identity( void ) {
	return ( dbvh_pose ){ .rot = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, .pos = { 0, 0, 0 } };
}

dbvh_pose dbvh_pose_from_rows( const double rows[12] ) {
	dbvh_pose pose;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			pose.rot[i][j] = rows[4 * i + j];
		pose.pos[i] = rows[4 * i + 3];
	}
	return pose;
}

dbvh_pose dbvh_pose_from_row_major( const double m[16] ) {
	return dbvh_pose_from_rows( m );
}

dbvh_pose dbvh_pose_from_column_major( const double m[16] ) {
	dbvh_pose pose;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			pose.rot[i][j] = m[4 * j + i];
		pose.pos[i] = m[12 + i];
	}
	return pose;
}

static DBVHI_NOINLINE_FP dbvh_pose do_pose_from_column_major_float( const float m[16] ) {
	dbvh_pose pose;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			pose.rot[i][j] = (double)m[4 * j + i];
		pose.pos[i] = (double)m[12 + i];
	}
	return pose;
}

dbvh_pose dbvh_pose_from_column_major_float( const float m[16] ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_pose, do_pose_from_column_major_float( m ) );
}

static DBVHI_NOINLINE_FP void do_pose_to_column_major_float( const dbvh_pose *pose, float m_out[16] ) {
	float m[16]; // the pose may lie in m_out
	for ( int j = 0; j < 3; ++j ) {
		for ( int i = 0; i < 3; ++i )
			m[4 * j + i] = (float)pose->rot[i][j];
		m[4 * j + 3] = 0.0f;
		m[12 + j] = (float)pose->pos[j];
	}
	m[15] = 1.0f;
	memcpy( m_out, m, sizeof m );
}

void dbvh_pose_to_column_major_float( const dbvh_pose *pose, float m_out[16] ) {
	const dbvhi_fpenv caller = dbvhi_fpenv_enter();
	do_pose_to_column_major_float( pose, m_out );
	dbvhi_fpenv_leave( caller );
}

static DBVHI_NOINLINE_FP dbvh_pose do_pose_from_quaternion( const double xyzw[4], const double pos[3] ) {
	// Scale by the largest component first, so that the squares stay in range; the zero quaternion gives NaN by 0/0.
	const double largest = fmax( fmax( fabs( xyzw[0] ), fabs( xyzw[1] ) ), fmax( fabs( xyzw[2] ), fabs( xyzw[3] ) ) );
	double q[4], norm_sq = 0.0;
	for ( int i = 0; i < 4; ++i ) {
		q[i] = xyzw[i] / largest;
		norm_sq += q[i] * q[i];
	}
	const double s = 2.0 / norm_sq;
	const double x = q[0], y = q[1], z = q[2], w = q[3];
	return ( dbvh_pose ){
	    .rot = { { 1.0 - s * ( y * y + z * z ), s * ( x * y - z * w ), s * ( x * z + y * w ) },
	             { s * ( x * y + z * w ), 1.0 - s * ( x * x + z * z ), s * ( y * z - x * w ) },
	             { s * ( x * z - y * w ), s * ( y * z + x * w ), 1.0 - s * ( x * x + y * y ) } },
	    .pos = { pos[0], pos[1], pos[2] },
	};
}

dbvh_pose dbvh_pose_from_quaternion( const double xyzw[4], const double pos[3] ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_pose, do_pose_from_quaternion( xyzw, pos ) );
}

static double determinant( const double m[3][3] ) {
	return m[0][0] * ( m[1][1] * m[2][2] - m[1][2] * m[2][1] ) - m[0][1] * ( m[1][0] * m[2][2] - m[1][2] * m[2][0] ) +
	       m[0][2] * ( m[1][0] * m[2][1] - m[1][1] * m[2][0] );
}

#define IDENTITY_DEVIATION DBVHI_POSE_ROUNDING

static bool is_finite( const dbvh_pose *pose ) {
	for ( int i = 0; i < 3; ++i ) {
		if ( !isfinite( pose->pos[i] ) )
			return false;
		for ( int j = 0; j < 3; ++j ) {
			if ( !isfinite( pose->rot[i][j] ) )
				return false;
		}
	}
	return true;
}

// The rounding of one dot product, of three products and sums of at most about 1 each, is covered by 6 half units of
// 2^-52. An overflowed entry is infinite; a NaN needs inf - inf, and then the diagonal is infinite.
static double largest_entry( const double product[3][3] ) {
	DBVHI_ASSERT( product != NULL );
	double largest = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = i; j < 3; ++j ) {
			const double off = fabs( product[i][j] );
			largest = off > largest ? off : largest;
		}
	}
	return largest + DBVHI_POSE_ROUNDING;
}

static dbvh_status refuse( const double product[3][3], double *deviation_out ) {
	if ( deviation_out != NULL )
		*deviation_out = largest_entry( product );
	return DBVH_NOT_RIGID;
}

// Computes the upper triangle of rot^T rot - I.
static void gram( const double m[3][3], double product[3][3] ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = i; j < 3; ++j )
			product[i][j] = m[0][i] * m[0][j] + m[1][i] * m[1][j] + m[2][i] * m[2][j] - ( i == j ? 1.0 : 0.0 );
	}
}

static dbvh_status check( const dbvh_pose *pose, double *deviation_out ) {
	if ( deviation_out != NULL )
		*deviation_out = 0.0;
	if ( pose == NULL )
		return DBVH_INVALID_ARGUMENT;
	const double( *m )[3] = pose->rot;
	double product[3][3];
	gram( m, product );
	// note: an entry of rot that is not finite makes the diagonal infinite or NaN, and x - x is NaN for such a pos, so
	// one comparison covers all twelve numbers.
	double checked = product[0][0] + product[1][1] + product[2][2];
	for ( int i = 0; i < 3; ++i )
		checked += pose->pos[i] - pose->pos[i];
	if ( !( checked <= 1.0 ) )
		return is_finite( pose ) ? refuse( product, deviation_out ) : DBVH_NOT_FINITE;
	const double deviation = largest_entry( product );
	if ( deviation_out != NULL )
		*deviation_out = deviation;
	return deviation <= DBVH_POSE_TOLERANCE && determinant( m ) >= 0.0 ? DBVH_OK : DBVH_NOT_RIGID;
}

dbvh_status dbvhi_pose_check( const dbvh_pose *pose, double *deviation_out ) {
	return check( pose, deviation_out );
}

// Sets the sentence for the first number that is not finite, in the order of the rows of [R|t].
static dbvh_status blame_number( const dbvh_pose *pose, dbvh_error *error ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			if ( !isfinite( pose->rot[i][j] ) )
				return dbvhi_error_set( error, DBVH_NOT_FINITE,
				                        "the pose has a number that is NaN or infinite, in row %d, column %d of R", i,
				                        j );
		}
		if ( !isfinite( pose->pos[i] ) )
			return dbvhi_error_set( error, DBVH_NOT_FINITE,
			                        "the pose has a number that is NaN or infinite, in row %d of t", i );
	}
	return DBVH_OK;
}

// Sets the sentence for a matrix that is no rotation.
static dbvh_status blame_matrix( const dbvh_pose *pose, double deviation, dbvh_error *error ) {
	const dbvh_status status = DBVH_NOT_RIGID;
	if ( deviation <= DBVH_POSE_TOLERANCE )
		return dbvhi_error_set( error, status, "the 3x3 part R is a mirror image, not a rotation" );
	double product[3][3];
	gram( pose->rot, product );
	int row = 0, column = 0; // position of the largest entry
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = i; j < 3; ++j ) {
			if ( !( fabs( product[i][j] ) <= fabs( product[row][column] ) ) )
				row = i, column = j;
		}
	}
	if ( row == column )
		return dbvhi_error_set( error, status,
		                        "the 3x3 part R is not a rotation: R^T R differs from the identity by %.3g "
		                        "(column %d has length %.9g); at most %g is accepted",
		                        deviation, row, sqrt( product[row][row] + 1.0 ), DBVH_POSE_TOLERANCE );
	return dbvhi_error_set( error, status,
	                        "the 3x3 part R is not a rotation: R^T R differs from the identity by %.3g "
	                        "(columns %d and %d are not at right angles); at most %g is accepted",
	                        deviation, row, column, DBVH_POSE_TOLERANCE );
}

static DBVHI_NOINLINE_FP dbvh_status do_pose_check( const dbvh_pose *pose, double *deviation_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	double deviation;
	const dbvh_status status = check( pose, &deviation );
	if ( deviation_out != NULL )
		*deviation_out = deviation;
	if ( status == DBVH_OK || error == NULL )
		return status;
	if ( pose == NULL )
		return dbvhi_error_null( error, "pose" );
	return status == DBVH_NOT_FINITE ? blame_number( pose, error ) : blame_matrix( pose, deviation, error );
}

dbvh_status dbvh_pose_check( const dbvh_pose *pose, double *deviation_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_pose_check( pose, deviation_out, error ) );
}

bool dbvhi_pose_is_identity_there( const dbvh_pose *pose ) {
	for ( int i = 0; i < 3; ++i ) {
		if ( pose->pos[i] != 0.0 )
			return false;
		for ( int j = 0; j < 3; ++j ) {
			if ( pose->rot[i][j] != ( i == j ? 1.0 : 0.0 ) )
				return false;
		}
	}
	return true;
}

// Orders poses by value, so that -0 and 0 are equal.
static int compare( const dbvh_pose *a, const dbvh_pose *b ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			if ( a->rot[i][j] != b->rot[i][j] )
				return a->rot[i][j] < b->rot[i][j] ? -1 : 1;
		}
	}
	for ( int i = 0; i < 3; ++i ) {
		if ( a->pos[i] != b->pos[i] )
			return a->pos[i] < b->pos[i] ? -1 : 1;
	}
	return 0;
}

static DBVHI_NOINLINE_FP dbvh_pose do_pose_relative( const dbvh_pose *a, const dbvh_pose *b ) {
	if ( dbvhi_pose_is_identity( a ) )
		return *b;
	// note: uses the inverse of the matrix as given, not its transpose: a pose is taken literally. Within the tolerance
	// the determinant is near 1, so that the adjugate is accurate.
	const double( *m )[3] = a->rot;
	const double det = determinant( m );
	double inverse[3][3];
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		for ( int j = 0; j < 3; ++j ) {
			const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
			inverse[j][i] = ( m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1] ) / det;
		}
	}
	const double offset[3] = { b->pos[0] - a->pos[0], b->pos[1] - a->pos[1], b->pos[2] - a->pos[2] };
	dbvh_pose out;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			out.rot[i][j] = inverse[i][0] * b->rot[0][j] + inverse[i][1] * b->rot[1][j] + inverse[i][2] * b->rot[2][j];
		}
		out.pos[i] = inverse[i][0] * offset[0] + inverse[i][1] * offset[1] + inverse[i][2] * offset[2];
	}
	return out;
}

dbvh_pose dbvh_pose_relative( const dbvh_pose *a, const dbvh_pose *b ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_pose, do_pose_relative( a, b ) );
}

dbvh_status dbvhi_pose_relate( const dbvh_pose *pose_a, const dbvh_pose *pose_b, dbvhi_relative_pose *out ) {
	DBVHI_ASSERT( out != NULL );
	static const dbvh_pose identity = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } };
	const dbvh_pose *a = pose_a != NULL ? pose_a : &identity;
	const dbvh_pose *b = pose_b != NULL ? pose_b : &identity;
	if ( memcmp( a, &identity, sizeof identity ) == 0 )
		a = &identity;
	double deviation_a = IDENTITY_DEVIATION, deviation_b = IDENTITY_DEVIATION;
	if ( a != &identity )
		DBVHI_TRY( check( a, &deviation_a ) );
	if ( b != &identity )
		DBVHI_TRY( check( b, &deviation_b ) );

	const int order = a == &identity && !dbvhi_pose_is_identity( b ) ? -1 : compare( a, b );
	if ( order == 0 ) {
		*out = ( dbvhi_relative_pose ){ .frame_from_moved = identity, .deviation = IDENTITY_DEVIATION };
		return DBVH_OK;
	}
	if ( a == &identity || dbvhi_pose_is_identity( a ) ) {
		*out = ( dbvhi_relative_pose ){ .frame_from_moved = *b, .deviation = deviation_b };
		return DBVH_OK;
	}
	if ( dbvhi_pose_is_identity( b ) ) {
		*out = ( dbvhi_relative_pose ){ .frame_from_moved = *a, .deviation = deviation_a, .a_moves = true };
		return DBVH_OK;
	}
	out->a_moves = order > 0;
	out->frame_from_moved = out->a_moves ? do_pose_relative( b, a ) : do_pose_relative( a, b );
	// The composition of two poses of the largest deviation has a little more than four times it.
	dbvh_status status = check( &out->frame_from_moved, &out->deviation );
	if ( status == DBVH_NOT_RIGID && out->deviation <= 5.0 * DBVH_POSE_TOLERANCE )
		status = DBVH_OK;
	return status;
}
