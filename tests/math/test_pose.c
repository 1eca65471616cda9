// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "math/pose.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <float.h>
#include <string.h>

static dbvh_pose random_pose( rng *r ) {
	double xyzw[4], pos[3];
	for ( int i = 0; i < 4; ++i )
		xyzw[i] = rng_range( r, -1.0, 1.0 );
	for ( int i = 0; i < 3; ++i )
		pos[i] = rng_range( r, -10.0, 10.0 );
	return dbvh_pose_from_quaternion( xyzw, pos );
}

static void apply( const dbvh_pose *pose, const double x[3], double out[3] ) {
	for ( int i = 0; i < 3; ++i ) {
		out[i] = pose->rot[i][0] * x[0] + pose->rot[i][1] * x[1] + pose->rot[i][2] * x[2] + pose->pos[i];
	}
}

// Member by member: the bits of -0 and 0 differ.
static bool same_bits( const dbvh_pose *a, const dbvh_pose *b ) {
	return memcmp( a->rot, b->rot, sizeof a->rot ) == 0 && memcmp( a->pos, b->pos, sizeof a->pos ) == 0;
}

static void check_accepts_rotations( void **state ) {
	(void)state;
	rng r = rng_announce( "pose: rotations", 1 );
	const dbvh_pose identity = dbvh_pose_identity();
	double deviation = -1.0;
	assert_int_equal( dbvh_pose_check( &identity, &deviation, NULL ), DBVH_OK );
	assert_true( deviation >= 0.0 && deviation < 1e-14 );
	for ( int i = 0; i < 1000; ++i ) {
		const dbvh_pose pose = random_pose( &r );
		assert_int_equal( dbvh_pose_check( &pose, &deviation, NULL ), DBVH_OK );
		assert_true( deviation < 1e-14 );
		assert_int_equal( dbvh_pose_check( &pose, NULL, NULL ), DBVH_OK );
	}
	assert_int_equal( dbvh_pose_check( NULL, &deviation, NULL ), DBVH_INVALID_ARGUMENT );
}

static void check_refuses_mirrors( void **state ) {
	(void)state;
	rng r = rng_announce( "pose: mirrors", 2 );
	for ( int i = 0; i < 1000; ++i ) {
		dbvh_pose pose = random_pose( &r );
		const int row = (int)rng_below( &r, 3 );
		for ( int j = 0; j < 3; ++j )
			pose.rot[row][j] = -pose.rot[row][j];
		double deviation = -1.0;
		assert_int_equal( dbvh_pose_check( &pose, &deviation, NULL ), DBVH_NOT_RIGID );
		assert_true( deviation < 1e-14 ); // orthogonal it is
	}
}

static void check_refuses_nonsense( void **state ) {
	(void)state;
	const double bad[3] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
	for ( int kind = 0; kind < 3; ++kind ) {
		for ( int i = 0; i < 12; ++i ) {
			dbvh_pose pose = dbvh_pose_identity();
			if ( i < 9 )
				pose.rot[i / 3][i % 3] = bad[kind];
			else
				pose.pos[i - 9] = bad[kind];
			assert_int_equal( dbvh_pose_check( &pose, NULL, NULL ), DBVH_NOT_FINITE );
			dbvhi_relative_pose relative;
			assert_int_equal( dbvhi_pose_relate( &pose, NULL, &relative ), DBVH_NOT_FINITE );
			assert_int_equal( dbvhi_pose_relate( NULL, &pose, &relative ), DBVH_NOT_FINITE );
			// Also where both are equal and nothing would be computed.
			assert_int_equal( dbvhi_pose_relate( &pose, &pose, &relative ), DBVH_NOT_FINITE );
		}
	}
	const dbvh_pose zero = { 0 };
	assert_int_equal( dbvh_pose_check( &zero, NULL, NULL ), DBVH_NOT_RIGID );
	// Products that overflow, also to inf - inf.
	dbvh_pose huge = dbvh_pose_identity();
	for ( int i = 0; i < 9; ++i ) {
		huge.rot[i / 3][i % 3] = i % 2 == 0 ? 1e300 : -1e300;
		assert_int_equal( dbvh_pose_check( &huge, NULL, NULL ), DBVH_NOT_RIGID );
	}
	// A translation may be of any size.
	dbvh_pose far = dbvh_pose_identity();
	far.pos[0] = DBL_MAX;
	assert_int_equal( dbvh_pose_check( &far, NULL, NULL ), DBVH_OK );
}

static void check_has_a_limit( void **state ) {
	(void)state;
	// A stretch by 1 + d along an axis deviates by 2 d + d^2, a shear by d deviates by d.
	dbvh_pose pose = dbvh_pose_identity();
	double deviation = 0.0;
	pose.rot[1][1] = 1.0 + 0.99e-6;
	assert_int_equal( dbvh_pose_check( &pose, &deviation, NULL ), DBVH_OK );
	assert_true( deviation > 1.98e-6 && deviation < 1.981e-6 );
	pose.rot[1][1] = 1.0 + 1.01e-6;
	assert_int_equal( dbvh_pose_check( &pose, &deviation, NULL ), DBVH_NOT_RIGID );
	assert_true( deviation > 2.02e-6 && deviation < 2.021e-6 );
	pose = dbvh_pose_identity();
	pose.rot[0][2] = -1.999e-6;
	assert_int_equal( dbvh_pose_check( &pose, NULL, NULL ), DBVH_OK );
	pose.rot[0][2] = -2.001e-6;
	assert_int_equal( dbvh_pose_check( &pose, NULL, NULL ), DBVH_NOT_RIGID );
	// Numbers typed with six digits pass, and rotations in floats.
	rng r = rng_announce( "pose: six digits", 3 );
	for ( int i = 0; i < 1000; ++i ) {
		pose = random_pose( &r );
		for ( int k = 0; k < 9; ++k )
			pose.rot[k / 3][k % 3] = rint( pose.rot[k / 3][k % 3] * 1e6 ) / 1e6;
		assert_int_equal( dbvh_pose_check( &pose, &deviation, NULL ), DBVH_OK );
		assert_true( deviation < 1.74e-6 );
		float m[16];
		pose = random_pose( &r );
		dbvh_pose_to_column_major_float( &pose, m );
		pose = dbvh_pose_from_column_major_float( m );
		assert_int_equal( dbvh_pose_check( &pose, &deviation, NULL ), DBVH_OK );
		assert_true( deviation < 1.1e-7 );
	}
	// With four digits they do not: 0.7071.
	size_t refused = 0;
	for ( int i = 0; i < 1000; ++i ) {
		pose = random_pose( &r );
		for ( int k = 0; k < 9; ++k )
			pose.rot[k / 3][k % 3] = rint( pose.rot[k / 3][k % 3] * 1e4 ) / 1e4;
		refused += dbvh_pose_check( &pose, NULL, NULL ) == DBVH_NOT_RIGID;
	}
	assert_outcomes( refused > 990 );
}

static void conversions_keep_bits( void **state ) {
	(void)state;
	rng r = rng_announce( "pose: conversions", 4 );
	for ( int round = 0; round < 100; ++round ) {
		const dbvh_pose pose = random_pose( &r );
		double rows[12], row_major[16], column_major[16];
		for ( int i = 0; i < 16; ++i )
			row_major[i] = column_major[i] = i < 15 ? 7.0 : 1.0; // the last row is not read
		for ( int i = 0; i < 3; ++i ) {
			for ( int j = 0; j < 4; ++j ) {
				const double x = j < 3 ? pose.rot[i][j] : pose.pos[i];
				rows[4 * i + j] = row_major[4 * i + j] = column_major[4 * j + i] = x;
			}
		}
		const dbvh_pose from_rows = dbvh_pose_from_rows( rows );
		const dbvh_pose from_row_major = dbvh_pose_from_row_major( row_major );
		const dbvh_pose from_column_major = dbvh_pose_from_column_major( column_major );
		assert_true( same_bits( &pose, &from_rows ) );
		assert_true( same_bits( &pose, &from_row_major ) );
		assert_true( same_bits( &pose, &from_column_major ) );

		float m[16], again[16];
		dbvh_pose_to_column_major_float( &pose, m );
		const dbvh_pose narrow = dbvh_pose_from_column_major_float( m );
		for ( int i = 0; i < 3; ++i ) {
			for ( int j = 0; j < 3; ++j )
				assert_true( narrow.rot[i][j] == (double)(float)pose.rot[i][j] );
			assert_true( narrow.pos[i] == (double)(float)pose.pos[i] );
			assert_true( m[4 * i + 3] == 0.0f );
			assert_true( m[12 + i] == (float)pose.pos[i] );
		}
		assert_true( m[15] == 1.0f );
		dbvh_pose_to_column_major_float( &narrow, again );
		assert_memory_equal( m, again, sizeof m );
	}
}

static void quaternions( void **state ) {
	(void)state;
	rng r = rng_announce( "pose: quaternions", 5 );
	const double origin[3] = { 1, 2, 3 };
	const double unit[4] = { 0, 0, 0, 1 };
	dbvh_pose expected = dbvh_pose_identity();
	memcpy( expected.pos, origin, sizeof origin );
	dbvh_pose pose = dbvh_pose_from_quaternion( unit, origin );
	assert_memory_equal( pose.pos, origin, sizeof origin );
	for ( int i = 0; i < 9; ++i )
		assert_true( pose.rot[i / 3][i % 3] == expected.rot[i / 3][i % 3] );

	// A quarter turn about z takes x to y, about x takes y to z, about y takes z to x.
	for ( int axis = 0; axis < 3; ++axis ) {
		const int from = ( axis + 1 ) % 3, to = ( axis + 2 ) % 3;
		double xyzw[4] = { 0, 0, 0, 5 }, x[3] = { 0, 0, 0 }, y[3];
		xyzw[axis] = 5;
		x[from] = 1;
		pose = dbvh_pose_from_quaternion( xyzw, ( const double[3] ){ 0, 0, 0 } );
		apply( &pose, x, y );
		for ( int i = 0; i < 3; ++i )
			assert_true( fabs( y[i] - ( i == to ? 1.0 : 0.0 ) ) < 1e-15 );
	}

	// The length of a quaternion and its sign do not matter, even where squares would overflow or vanish.
	const int exponents[] = { -1050, -600, -3, 0, 8, 600, 1022 };
	for ( int round = 0; round < 200; ++round ) {
		double xyzw[4], other[4];
		for ( int i = 0; i < 4; ++i )
			xyzw[i] = rint( rng_range( &r, -200.0, 200.0 ) );
		xyzw[0] += 0.5; // not zero
		const dbvh_pose one = dbvh_pose_from_quaternion( xyzw, origin );
		assert_int_equal( dbvh_pose_check( &one, NULL, NULL ), DBVH_OK );
		for ( int e = 0; e < 7; ++e ) {
			for ( int i = 0; i < 4; ++i )
				other[i] = -ldexp( xyzw[i], exponents[e] - ( exponents[e] > 1000 ? 10 : 0 ) );
			const dbvh_pose two = dbvh_pose_from_quaternion( other, origin );
			for ( int i = 0; i < 9; ++i )
				assert_true( fabs( one.rot[i / 3][i % 3] - two.rot[i / 3][i % 3] ) < 1e-15 );
		}
	}

	const double nothing[4] = { 0, 0, 0, 0 }, broken[4] = { 0, (double)NAN, 0, 1 }, endless[4] = { 0, 0, INFINITY, 1 };
	pose = dbvh_pose_from_quaternion( nothing, origin );
	assert_int_equal( dbvh_pose_check( &pose, NULL, NULL ), DBVH_NOT_FINITE );
	pose = dbvh_pose_from_quaternion( broken, origin );
	assert_int_equal( dbvh_pose_check( &pose, NULL, NULL ), DBVH_NOT_FINITE );
	pose = dbvh_pose_from_quaternion( endless, origin );
	assert_int_equal( dbvh_pose_check( &pose, NULL, NULL ), DBVH_NOT_FINITE );
}

static void relative_is_literal( void **state ) {
	(void)state;
	rng r = rng_announce( "pose: relative", 6 );
	const dbvh_pose identity = dbvh_pose_identity();
	for ( int round = 0; round < 500; ++round ) {
		dbvh_pose a = random_pose( &r ), b = random_pose( &r );
		if ( round % 5 == 0 )
			b.pos[0] = -0.0;
		const dbvh_pose from_identity = dbvh_pose_relative( &identity, &b );
		assert_true( same_bits( &from_identity, &b ) );

		// Applying b, or the relative pose and then a, is the same up to rounding; also for a matrix that is only
		// nearly a rotation, which a transpose in place of the inverse would get wrong.
		if ( round % 2 == 0 ) {
			for ( int i = 0; i < 9; ++i )
				a.rot[i / 3][i % 3] += rng_range( &r, -1e-4, 1e-4 );
		}
		const dbvh_pose relative = dbvh_pose_relative( &a, &b );
		double x[3], direct[3], inner[3], outer[3];
		for ( int i = 0; i < 3; ++i )
			x[i] = rng_range( &r, -1.0, 1.0 );
		apply( &b, x, direct );
		apply( &relative, x, inner );
		apply( &a, inner, outer );
		for ( int i = 0; i < 3; ++i )
			assert_true( fabs( direct[i] - outer[i] ) < 1e-13 );
	}
}

static void relate_ignores_order( void **state ) {
	(void)state;
	rng r = rng_announce( "pose: relate", 7 );
	const dbvh_pose identity = dbvh_pose_identity();
	for ( int round = 0; round < 500; ++round ) {
		const dbvh_pose a = random_pose( &r ), b = random_pose( &r );
		dbvhi_relative_pose ab, ba;
		assert_int_equal( dbvhi_pose_relate( &a, &b, &ab ), DBVH_OK );
		assert_int_equal( dbvhi_pose_relate( &b, &a, &ba ), DBVH_OK );
		assert_true( same_bits( &ab.frame_from_moved, &ba.frame_from_moved ) );
		assert_true( ab.a_moves != ba.a_moves );
		assert_true( ab.deviation == ba.deviation );
		// The lexicographically smaller pose stays.
		const bool a_is_smaller = a.rot[0][0] < b.rot[0][0];
		assert_true( ab.a_moves != a_is_smaller );
		const dbvh_pose expected = a_is_smaller ? dbvh_pose_relative( &a, &b ) : dbvh_pose_relative( &b, &a );
		assert_true( same_bits( &expected, &ab.frame_from_moved ) );

		const dbvh_pose *const none[2] = { NULL, &identity };
		for ( int i = 0; i < 2; ++i ) {
			assert_int_equal( dbvhi_pose_relate( none[i], &b, &ab ), DBVH_OK );
			assert_true( same_bits( &ab.frame_from_moved, &b ) && !ab.a_moves );
			assert_int_equal( dbvhi_pose_relate( &b, none[i], &ba ), DBVH_OK );
			assert_true( same_bits( &ba.frame_from_moved, &b ) && ba.a_moves );
		}
		assert_int_equal( dbvhi_pose_relate( &b, &b, &ab ), DBVH_OK );
		assert_true( same_bits( &ab.frame_from_moved, &identity ) );
	}
	dbvhi_relative_pose both;
	assert_int_equal( dbvhi_pose_relate( NULL, NULL, &both ), DBVH_OK );
	assert_true( same_bits( &both.frame_from_moved, &identity ) );
}

// Poses that are each accepted, however bent, compose to one that is accepted; an overflow is refused.
static void relate_at_the_limit( void **state ) {
	(void)state;
	rng r = rng_announce( "pose: limit", 8 );
	int tried = 0;
	for ( int round = 0; round < 20000; ++round ) {
		dbvh_pose pose[2];
		for ( int side = 0; side < 2; ++side ) {
			pose[side] = random_pose( &r );
			for ( int i = 0; i < 9; ++i )
				pose[side].rot[i / 3][i % 3] += rng_range( &r, -1.2e-6, 1.2e-6 );
		}
		if ( dbvh_pose_check( &pose[0], NULL, NULL ) != DBVH_OK || dbvh_pose_check( &pose[1], NULL, NULL ) != DBVH_OK )
			continue;
		tried += 1;
		dbvhi_relative_pose relative;
		assert_int_equal( dbvhi_pose_relate( &pose[0], &pose[1], &relative ), DBVH_OK );
	}
	assert_outcomes( tried > 1000 );

	// The worst pair: uniform stretches, one just inside each end of the tolerance.
	dbvh_pose large = dbvh_pose_identity(), small = dbvh_pose_identity();
	for ( int i = 0; i < 3; ++i ) {
		large.rot[i][i] = 1.0 + 0.9999e-6;
		small.rot[i][i] = 1.0 - 0.9999e-6;
	}
	dbvhi_relative_pose relative;
	assert_int_equal( dbvh_pose_check( &large, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_pose_check( &small, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvhi_pose_relate( &large, &small, &relative ), DBVH_OK );

	large.pos[0] = DBL_MAX;
	small.pos[0] = -DBL_MAX;
	assert_int_equal( dbvhi_pose_relate( &large, &small, &relative ), DBVH_NOT_FINITE );
}

// ------------------------------------------------------------------------------------------------
// Sentences, and the nearest rotation

static void diagnoses( void **state ) {
	(void)state;
	dbvh_error error;
	dbvh_pose pose = dbvh_pose_identity();
	assert_int_equal( dbvh_pose_check( &pose, NULL, &error ), DBVH_OK );
	assert_string_equal( error.text, "" );
	assert_int_equal( dbvh_pose_check( NULL, NULL, &error ), DBVH_INVALID_ARGUMENT );
	pose.pos[2] = (double)NAN;
	assert_int_equal( dbvh_pose_check( &pose, NULL, &error ), DBVH_NOT_FINITE );
	assert_non_null( strstr( error.text, "row 2 of t" ) );
	pose = dbvh_pose_identity();
	pose.rot[1][2] = (double)INFINITY;
	assert_int_equal( dbvh_pose_check( &pose, NULL, &error ), DBVH_NOT_FINITE );
	assert_non_null( strstr( error.text, "row 1, column 2 of R" ) );
	pose = dbvh_pose_identity();
	pose.rot[0][0] = pose.rot[1][1] = pose.rot[1][0] = 0.7071;
	pose.rot[0][1] = -0.7071;
	assert_int_equal( dbvh_pose_check( &pose, NULL, &error ), DBVH_NOT_RIGID );
	assert_non_null( strstr( error.text, "differs from the identity by 1.92e-05 (column 0 has length 0.9999" ) );
	assert_non_null( strstr( error.text, "at most 2e-06 is accepted" ) );
	assert_int_equal( dbvh_pose_check( &pose, NULL, NULL ), DBVH_NOT_RIGID );
	pose = dbvh_pose_identity();
	pose.rot[0][2] = 0.25;
	assert_int_equal( dbvh_pose_check( &pose, NULL, &error ), DBVH_NOT_RIGID );
	assert_non_null( strstr( error.text, "by 0.25 (columns 0 and 2 are not at right angles)" ) );
	pose = dbvh_pose_identity();
	pose.rot[2][2] = -1.0;
	assert_int_equal( dbvh_pose_check( &pose, NULL, &error ), DBVH_NOT_RIGID );
	assert_non_null( strstr( error.text, "mirror image" ) );
}

static double distance_sq( const double a[3][3], const double b[3][3] ) {
	double sum = 0.0;
	for ( int i = 0; i < 9; ++i )
		sum += ( a[i / 3][i % 3] - b[i / 3][i % 3] ) * ( a[i / 3][i % 3] - b[i / 3][i % 3] );
	return sum;
}

// The nearest rotation R to M is the one where R^T M is symmetric and positive definite; and no rotation near it is
// nearer.
static void expect_nearest( rng *r, const dbvh_pose *bent, const dbvh_pose *out, double scale, double tolerance ) {
	double deviation, s[3][3];
	assert_int_equal( dbvh_pose_check( out, &deviation, NULL ), DBVH_OK );
	assert_true( deviation < 0x1p-48 );
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			s[i][j] = 0.0;
			for ( int k = 0; k < 3; ++k )
				s[i][j] += out->rot[k][i] * ( bent->rot[k][j] / scale );
		}
	}
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < i; ++j )
			assert_true( fabs( s[i][j] - s[j][i] ) <= tolerance );
	double target[3][3];
	for ( int i = 0; i < 9; ++i )
		target[i / 3][i % 3] = bent->rot[i / 3][i % 3] / scale;
	const double best = distance_sq( out->rot, target );
	for ( int round = 0; round < 4; ++round ) {
		const double turn = rng_below( r, 2 ) == 0 ? 1e-2 : 1.0;
		const double xyzw[4] = { turn * rng_range( r, -1, 1 ), turn * rng_range( r, -1, 1 ),
		                         turn * rng_range( r, -1, 1 ), 1.0 };
		const dbvh_pose little = dbvh_pose_from_quaternion( xyzw, out->pos );
		double other[3][3];
		for ( int i = 0; i < 3; ++i )
			for ( int j = 0; j < 3; ++j )
				other[i][j] = little.rot[i][0] * out->rot[0][j] + little.rot[i][1] * out->rot[1][j] +
				              little.rot[i][2] * out->rot[2][j];
		assert_true( distance_sq( other, target ) >= best - 1e-12 );
	}
}

static void nearest_rotations( void **state ) {
	(void)state;
	rng r = rng_announce( "pose: nearest rotations", 9 );
	size_t refused = 0, made = 0;
	for ( int round = 0; round < 20000; ++round ) {
		const dbvh_pose pose = random_pose( &r );
		const double bend = pow( 10.0, rng_range( &r, -17.0, 0.5 ) );
		const double scale = round % 4 == 0 ? ldexp( 1.0, (int)rng_below( &r, 2000 ) - 1000 ) : 1.0;
		dbvh_pose bent = pose, out = { 0 };
		for ( int i = 0; i < 9; ++i )
			bent.rot[i / 3][i % 3] = scale * ( bent.rot[i / 3][i % 3] + rng_range( &r, -bend, bend ) );
		double moved = -1.0;
		const dbvh_status status = dbvh_pose_orthonormalise( &bent, &out, &moved, NULL );
		if ( status != DBVH_OK ) {
			assert_int_equal( status, DBVH_NOT_RIGID );
			assert_true( moved == -1.0 && bend > 0.3 );
			refused += 1;
			continue;
		}
		made += 1;
		expect_nearest( &r, &bent, &out, scale, bend < 0.1 ? 0x1p-48 : 1e-6 );
		assert_memory_equal( bent.pos, out.pos, sizeof out.pos );
		if ( scale == 1.0 && bend < 0.1 )
			assert_true( moved < 3.5 * bend + 1e-15 );
		// In place, and once is enough.
		dbvh_pose again = bent;
		assert_int_equal( dbvh_pose_orthonormalise( &again, &again, NULL, NULL ), DBVH_OK );
		assert_true( same_bits( &again, &out ) );
		assert_int_equal( dbvh_pose_orthonormalise( &again, &again, &moved, NULL ), DBVH_OK );
		assert_true( moved < 0x1p-50 );
	}
	assert_outcomes( refused > 100 && made > 15000 );

	// Exact rotations stay as they are, four digits become 0.70710678..., and a mirror image is none.
	dbvh_pose pose = { { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }, { 1, 2, 3 } }, out;
	double moved;
	assert_int_equal( dbvh_pose_orthonormalise( &pose, &out, &moved, NULL ), DBVH_OK );
	assert_true( moved == 0.0 );
	pose = ( dbvh_pose ){ { { 0.7071, -0.7071, 0 }, { 0.7071, 0.7071, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } };
	assert_int_equal( dbvh_pose_orthonormalise( &pose, &out, &moved, NULL ), DBVH_OK );
	assert_true( fabs( out.rot[0][0] - sqrt( 0.5 ) ) < 2e-16 && fabs( moved - 6.78e-6 ) < 1e-8 );
	pose.rot[2][2] = -1.0;
	assert_int_equal( dbvh_pose_orthonormalise( &pose, &out, &moved, NULL ), DBVH_NOT_RIGID );
	pose.rot[2][2] = 0.0;
	assert_int_equal( dbvh_pose_orthonormalise( &pose, &out, &moved, NULL ), DBVH_NOT_RIGID );
	memset( pose.rot, 0, sizeof pose.rot );
	assert_int_equal( dbvh_pose_orthonormalise( &pose, &out, &moved, NULL ), DBVH_NOT_RIGID );
	pose.rot[1][1] = (double)NAN;
	assert_int_equal( dbvh_pose_orthonormalise( &pose, &out, &moved, NULL ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_pose_orthonormalise( NULL, &out, &moved, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_pose_orthonormalise( &pose, NULL, &moved, NULL ), DBVH_INVALID_ARGUMENT );
}

// ------------------------------------------------------------------------------------------------
// Ways

// The farthest that a point of the ball goes, in long doubles: the way of the centre and of the point at its surface
// that the difference of the matrices adds most to, which an iteration approaches from below.
static long double farthest_way( const dbvh_pose *before, const dbvh_pose *after, const double centre[3],
                                 double radius ) {
	long double change[3][3], shift[3], way[3], longest = 0.0L;
	for ( int i = 0; i < 3; ++i ) {
		shift[i] = (long double)after->pos[i] - before->pos[i];
		for ( int j = 0; j < 3; ++j ) {
			change[i][j] = (long double)after->rot[i][j] - before->rot[i][j];
			shift[i] += change[i][j] * centre[j];
		}
	}
	memcpy( way, shift, sizeof way );
	for ( int step = 0; step < 60; ++step ) {
		long double pull[3] = { 0.0L, 0.0L, 0.0L }, length = 0.0L, square = 0.0L;
		for ( int j = 0; j < 3; ++j ) {
			for ( int i = 0; i < 3; ++i )
				pull[j] += change[i][j] * way[i];
			length += pull[j] * pull[j];
		}
		length = sqrtl( length );
		for ( int i = 0; i < 3; ++i ) {
			way[i] = shift[i];
			for ( int j = 0; j < 3 && length > 0.0L; ++j )
				way[i] += change[i][j] * pull[j] / length * radius;
			square += way[i] * way[i];
		}
		longest = fmaxl( longest, sqrtl( square ) );
	}
	return longest;
}

// The bound of a way is never too short: for balls far from their origin whose poses cancel that, for turns from next
// to nothing to a half, and for poses that are no rotations. For rotations it is the way itself, but for rounding.
static void ways_are_bounded( void **state ) {
	(void)state;
	rng r = rng_announce( "pose: ways", 61 );
	double loosest = 0.0;
	for ( size_t n = 0; n < rounds( 20000 ); ++n ) {
		const double far = ldexp( 1.0, (int)rng_below( &r, 40 ) ), angle = ldexp( 3.0, -(int)rng_below( &r, 40 ) );
		const double radius = ldexp( rng_unit( &r ), -(int)rng_below( &r, 20 ) );
		double xyzw[2][4], centre[3], none[3] = { 0.0, 0.0, 0.0 }, deviation[2];
		for ( int k = 0; k < 4; ++k ) {
			xyzw[0][k] = rng_range( &r, -1.0, 1.0 );
			xyzw[1][k] = xyzw[0][k] + angle * rng_range( &r, -0.5, 0.5 );
		}
		dbvh_pose pose[2] = { dbvh_pose_from_quaternion( xyzw[0], none ), dbvh_pose_from_quaternion( xyzw[1], none ) };
		const bool is_bent = n % 4 == 0;
		for ( int k = 0; k < 3; ++k ) {
			centre[k] = far * rng_range( &r, -1.0, 1.0 );
			// A shear or a stretch, within the tolerance.
			pose[1].rot[k][rng_below( &r, 3 )] += is_bent ? 4e-7 * rng_range( &r, -1.0, 1.0 ) : 0.0;
		}
		for ( int side = 0; side < 2; ++side ) {
			for ( int i = 0; i < 3; ++i ) {
				for ( int j = 0; j < 3; ++j )
					pose[side].pos[i] -= pose[side].rot[i][j] * centre[j];
				pose[side].pos[i] += rng_below( &r, 4 ) == 0 ? angle * rng_range( &r, -1.0, 1.0 ) : 0.0;
			}
			assert_int_equal( dbvh_pose_check( &pose[side], &deviation[side], NULL ), DBVH_OK );
		}
		const double bound =
		    dbvhi_pose_way( &pose[0], &pose[1], deviation[0] + deviation[1], centre, radius, (double)INFINITY );
		const long double way = farthest_way( &pose[0], &pose[1], centre, radius );
		if ( !( bound >= way ) )
			fail_msg( "a way of %Lg is bounded by %a", way, bound );
		if ( !is_bent && far == 1.0 && angle > 0.01 && radius > 1e-3 )
			loosest = fmax( loosest, bound / (double)way );
	}
	printf( "pose: bounds of ways are up to %.6f times too long\n", loosest );
	assert_true( loosest < 2.0 );
	assert_outcomes( loosest > 1.0 );
	const dbvh_pose still = dbvh_pose_identity();
	dbvh_pose turned = { { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } };
	const double middle[3] = { 0.0, 0.0, 0.0 };
	assert_true( isinf( dbvhi_pose_way( &still, &turned, 0.0, middle, 1.0, 1.4 ) ) ); // by a quarter: sqrt( 2 )
	assert_true( dbvhi_pose_way( &still, &turned, 0.0, middle, 1.0, 1.5 ) < 1.5 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( check_accepts_rotations ), cmocka_unit_test( check_refuses_mirrors ),
	    cmocka_unit_test( check_refuses_nonsense ),  cmocka_unit_test( check_has_a_limit ),
	    cmocka_unit_test( conversions_keep_bits ),   cmocka_unit_test( quaternions ),
	    cmocka_unit_test( relative_is_literal ),     cmocka_unit_test( relate_ignores_order ),
	    cmocka_unit_test( relate_at_the_limit ),     cmocka_unit_test( diagnoses ),
	    cmocka_unit_test( nearest_rotations ),       cmocka_unit_test( ways_are_bounded ),
	};
	return test_main( argc, argv, tests );
}
