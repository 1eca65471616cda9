// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Motions: dbvh_motion_between() makes one from two poses, dbvh_motion_pose() evaluates one at a time.

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "math/quaternion.h"
#include "query/common/arguments.h"
#include "query/toi/toi.h"

#include <math.h>
#include <string.h>

// The least angle whose axis means anything: two equal poses differ by less, through rounding.
#define NO_ANGLE 0x1p-48
// The least angle for a screw: the axis of one that turns less may lie anywhere, through rounding.
#define NO_SCREW 0x1p-20

dbvh_motion dbvh_motion_translation( const dbvh_pose *from, const double shift[3] ) {
	dbvh_motion motion;
	memset( &motion, 0, sizeof motion );
	motion.from = from != NULL ? *from : dbvh_pose_identity();
	if ( shift != NULL )
		memcpy( motion.shift, shift, sizeof motion.shift );
	return motion;
}

static void put( double out[3], dbvhi_vec v ) {
	memcpy( out, v.v, sizeof v.v );
}

static dbvhi_vec apply( const double m[3][3], dbvhi_vec x ) {
	dbvhi_vec out;
	for ( int i = 0; i < 3; ++i )
		out.v[i] = m[i][0] * x.v[0] + m[i][1] * x.v[1] + m[i][2] * x.v[2];
	return out;
}

// The axis and angle of the rotation from one matrix to the other. The angle is 0 if they differ only by rounding.
static double turn_between( const double from[3][3], const double to[3][3], double axis_out[3] ) {
	double m[3][3], q[4];
	if ( memcmp( from, to, sizeof m ) == 0 )
		return 0.0;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			m[i][j] = to[i][0] * from[j][0] + to[i][1] * from[j][1] + to[i][2] * from[j][2];
	}
	dbvhi_quaternion_from_rotation( m, q );
	const double sine = sqrt( q[1] * q[1] + q[2] * q[2] + q[3] * q[3] );
	const double angle = 2.0 * atan2( sine, fabs( q[0] ) );
	if ( !( angle >= NO_ANGLE ) )
		return 0.0;
	for ( int k = 0; k < 3; ++k )
		axis_out[k] = ( q[0] < 0.0 ? -q[1 + k] : q[1 + k] ) / sine;
	return angle;
}

static DBVHI_NOINLINE_FP dbvh_status do_motion_between( const dbvh_pose *from, const dbvh_pose *to,
                                                        const double centre[3], dbvh_motion *motion_out,
                                                        dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( motion_out == NULL )
		return dbvhi_error_null( error, "motion_out" );
	// note: any of the arguments may lie in *motion_out, so all are copied first.
	const dbvh_pose identity = dbvh_pose_identity();
	const dbvh_pose first_pose = from != NULL ? *from : identity, last_pose = to != NULL ? *to : identity;
	const dbvh_pose *a = &first_pose, *b = &last_pose;
	double centre_copy[3];
	if ( centre != NULL )
		centre = memcpy( centre_copy, centre, sizeof centre_copy );
	memset( motion_out, 0, sizeof *motion_out );
	DBVHI_TRY( dbvhi_blame_pose( dbvh_pose_check( a, NULL, NULL ), a, "from", error ) );
	DBVHI_TRY( dbvhi_blame_pose( dbvh_pose_check( b, NULL, NULL ), b, "to", error ) );
	if ( centre != NULL )
		DBVHI_TRY( dbvhi_check_finite( centre, 3, "centre", error ) );
	dbvh_motion m;
	memset( &m, 0, sizeof m );
	m.from = *a;
	m.angle = turn_between( a->rot, b->rot, m.axis );
	const dbvhi_vec start = dbvhi_vec_of( a->pos ), way = dbvhi_sub( dbvhi_vec_of( b->pos ), start ),
	                axis = dbvhi_vec_of( m.axis );
	if ( m.angle == 0.0 || ( centre == NULL && m.angle < NO_SCREW ) ) {
		put( m.shift, way );
		put( m.centre, start );
	} else if ( centre != NULL ) {
		const dbvhi_vec first = dbvhi_add( apply( a->rot, dbvhi_vec_of( centre ) ), start );
		put( m.centre, first );
		put( m.shift,
		     dbvhi_sub( dbvhi_add( apply( b->rot, dbvhi_vec_of( centre ) ), dbvhi_vec_of( b->pos ) ), first ) );
	} else {
		// The axis passes at the middle of the shift across it, displaced by the apothem of the arc's chord.
		const dbvhi_vec along = dbvhi_scale( dbvhi_dot( axis, way ), axis ), across = dbvhi_sub( way, along );
		const double half = 0.5 * m.angle;
		const dbvhi_vec aside = dbvhi_scale( 0.5 * cos( half ) / sin( half ), dbvhi_cross( axis, across ) );
		put( m.centre, dbvhi_add( start, dbvhi_add( dbvhi_scale( 0.5, across ), aside ) ) );
		put( m.shift, along );
	}
	for ( int k = 0; k < 3; ++k ) {
		if ( !isfinite( m.shift[k] ) || !isfinite( m.centre[k] ) )
			return dbvhi_error_set( error, DBVH_NOT_FINITE, "from and to are too far from each other for doubles" );
	}
	*motion_out = m;
	return DBVH_OK;
}

dbvh_status dbvh_motion_between( const dbvh_pose *from, const dbvh_pose *to, const double centre[3],
                                 dbvh_motion *motion_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_motion_between( from, to, centre, motion_out, error ) ) );
}

bool dbvhi_motion_axis( const dbvh_motion *motion, double axis_out[3] ) {
	const double *a = motion->axis;
	const double largest = fmax( fmax( fabs( a[0] ), fabs( a[1] ) ), fabs( a[2] ) );
	if ( !( largest > 0.0 && largest < INFINITY ) )
		return false;
	// Dividing by the largest first keeps the squares in range.
	const double x = a[0] / largest, y = a[1] / largest, z = a[2] / largest, length = sqrt( x * x + y * y + z * z );
	axis_out[0] = x / length;
	axis_out[1] = y / length;
	axis_out[2] = z / length;
	return true;
}

static DBVHI_NOINLINE_FP dbvh_pose do_motion_pose( const dbvh_motion *motion, double t ) {
	dbvh_pose pose = motion->from;
	double k[3];
	if ( t == 0.0 )
		return pose;
	if ( motion->angle == 0.0 || !dbvhi_motion_axis( motion, k ) ) {
		for ( int i = 0; i < 3; ++i )
			pose.pos[i] = motion->from.pos[i] + t * motion->shift[i];
		return pose;
	}
	const double angle = t * motion->angle, s = sin( angle ), half = sin( 0.5 * angle ), v = 2.0 * half * half;
	// K^2 = k k^T - I for a k of length 1.
	double turn[3][3];
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		turn[i][i] = 1.0 - v * ( k[i1] * k[i1] + k[i2] * k[i2] );
		turn[i][i1] = v * k[i] * k[i1] - s * k[i2];
		turn[i][i2] = v * k[i] * k[i2] + s * k[i1];
	}
	const dbvhi_vec arm = dbvhi_sub( dbvhi_vec_of( motion->from.pos ), dbvhi_vec_of( motion->centre ) );
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			pose.rot[i][j] = turn[i][0] * motion->from.rot[0][j] + turn[i][1] * motion->from.rot[1][j] +
			                 turn[i][2] * motion->from.rot[2][j];
		pose.pos[i] = turn[i][0] * arm.v[0] + turn[i][1] * arm.v[1] + turn[i][2] * arm.v[2] + motion->centre[i] +
		              t * motion->shift[i];
	}
	return pose;
}

dbvh_pose dbvh_motion_pose( const dbvh_motion *motion, double t ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_pose, do_motion_pose( motion, t ) );
}

dbvh_pose dbvhi_pose_straightened( const dbvh_pose *bent ) {
	dbvh_pose pose = *bent;
	dbvhi_vec column[3];
	for ( int j = 0; j < 3; ++j )
		column[j] = ( dbvhi_vec ){ { pose.rot[0][j], pose.rot[1][j], pose.rot[2][j] } };
	column[0] = dbvhi_scale( 1.0 / dbvhi_length( column[0] ), column[0] );
	column[1] = dbvhi_sub( column[1], dbvhi_scale( dbvhi_dot( column[0], column[1] ), column[0] ) );
	column[1] = dbvhi_scale( 1.0 / dbvhi_length( column[1] ), column[1] );
	column[2] = dbvhi_cross( column[0], column[1] );
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			pose.rot[i][j] = column[j].v[i];
	return pose;
}
