// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Configurations on the way from one to another. Rounding is bounded in docs/design/edges.md.

#include "base/fpenv.h"
#include "base/status.h"
#include "math/angle.h"
#include "query/common/arguments.h"
#include "robot/robot.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Quaternions x y z w

static void normalise( const double *q, int count, double *out ) {
	double square = 0.0;
	for ( int i = 0; i < count; ++i )
		square += q[i] * q[i];
	const double length = sqrt( square );
	for ( int i = 0; i < count; ++i )
		out[i] = q[i] / length;
}

static void multiply( const double a[4], const double b[4], double out[4] ) {
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
		out[i] = ( a[3] * b[i] + b[3] * a[i] ) + ( a[j] * b[k] - a[k] * b[j] );
	}
	out[3] = a[3] * b[3] - ( a[0] * b[0] + a[1] * b[1] + a[2] * b[2] );
}

// The turn from one quaternion to another, the short way, as an angle from 0 to pi and an axis. Where they are equal up
// to rounding the axis is any, or 0: its error times the angle is that of the product of quaternions.
static void turn_between( const double *from, const double *to, double *turn, double axis[3] ) {
	double a[4], b[4], between[4];
	normalise( from, 4, a );
	normalise( to, 4, b );
	for ( int i = 0; i < 3; ++i )
		a[i] = -a[i];
	multiply( a, b, between );
	const double sign = between[3] < 0.0 ? -1.0 : 1.0;
	const double sine = sqrt( between[0] * between[0] + between[1] * between[1] + between[2] * between[2] );
	*turn = sine > 0.0 ? 2.0 * dbvhi_angle_of( sine, fabs( between[3] ) ) : 0.0;
	for ( int i = 0; i < 3; ++i )
		axis[i] = sine > 0.0 ? sign * between[i] / sine : 0.0;
}

static void turned_at( const double *from, const dbvhi_joint_way *way, double time, double *out ) {
	double a[4], turn[4], sine;
	normalise( from, 4, a );
	dbvhi_sine_cosine( 0.5 * time * way->turn, &sine, &turn[3] );
	for ( int i = 0; i < 3; ++i )
		turn[i] = sine * way->axis[i];
	multiply( a, turn, out );
}

// ------------------------------------------------------------------------------------------------
// Joints

// The turn from one angle to another, the short way. A cosine and a sine are the angle in the layout that has them.
static double short_turn( dbvh_robot_layout layout, const double *from, const double *to ) {
	if ( layout == DBVH_ROBOT_LAYOUT_ANGLES )
		return dbvhi_without_turns( to[0] - from[0] );
	double a[2], b[2];
	normalise( from, 2, a );
	normalise( to, 2, b );
	return dbvhi_angle_of( a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1] );
}

static void angle_at( dbvh_robot_layout layout, const double *from, double turn, double *out ) {
	if ( layout == DBVH_ROBOT_LAYOUT_ANGLES ) {
		out[0] = from[0] + turn;
		return;
	}
	double a[2], sine, cosine;
	normalise( from, 2, a );
	dbvhi_sine_cosine( turn, &sine, &cosine );
	out[0] = a[0] * cosine - a[1] * sine;
	out[1] = a[1] * cosine + a[0] * sine;
}

void dbvhi_joint_way_between( const dbvhi_link *link, dbvh_robot_layout layout, const double *from, const double *to,
                              dbvhi_joint_way *out ) {
	*out = ( dbvhi_joint_way ){ .turn = 0.0 };
	if ( link->column[layout] == DBVH_NO_COLUMN )
		return;
	const double *a = from + link->column[layout], *b = to + link->column[layout];
	switch ( link->joint.kind ) {
	case DBVH_JOINT_KIND_REVOLUTE:
		out->turn = b[0] - a[0];
		break;
	case DBVH_JOINT_KIND_CONTINUOUS:
		out->turn = short_turn( layout, a, b );
		break;
	case DBVH_JOINT_KIND_PRISMATIC:
		out->way[0] = b[0] - a[0];
		break;
	case DBVH_JOINT_KIND_PLANAR:
		out->turn = short_turn( layout, a + 2, b + 2 );
		for ( int i = 0; i < 2; ++i )
			out->way[i] = b[i] - a[i];
		break;
	case DBVH_JOINT_KIND_FLOATING:
		turn_between( a + 3, b + 3, &out->turn, out->axis );
		for ( int i = 0; i < 3; ++i )
			out->way[i] = b[i] - a[i];
		break;
	default:
		break;
	}
}

// The numbers of a joint at a time.
static void joint_at( dbvh_joint_kind kind, dbvh_robot_layout layout, const double *from, const dbvhi_joint_way *way,
                      double time, double *out ) {
	const int moves = kind == DBVH_JOINT_KIND_PRISMATIC  ? 1
	                  : kind == DBVH_JOINT_KIND_PLANAR   ? 2
	                  : kind == DBVH_JOINT_KIND_FLOATING ? 3
	                                                     : 0;
	for ( int i = 0; i < moves; ++i )
		out[i] = from[i] + time * way->way[i];
	if ( kind == DBVH_JOINT_KIND_FLOATING )
		turned_at( from + 3, way, time, out + 3 );
	else if ( kind == DBVH_JOINT_KIND_REVOLUTE )
		out[0] = from[0] + time * way->turn;
	else if ( kind != DBVH_JOINT_KIND_PRISMATIC )
		angle_at( layout, from + moves, time * way->turn, out + moves );
}

void dbvhi_robot_row_at( const dbvh_robot *robot, dbvh_robot_layout layout, const double *from, const double *to,
                         const dbvhi_joint_way *ways, double time, double *q_out ) {
	const size_t width = robot->width[layout];
	if ( width == 0 )
		return;
	if ( time == 0.0 || time == 1.0 ) {
		memcpy( q_out, time == 0.0 ? from : to, width * sizeof *q_out );
		return;
	}
	for ( size_t i = 0; i < robot->link_count; ++i ) {
		const dbvhi_link *link = &robot->links[i];
		const size_t at = link->column[layout];
		if ( at != DBVH_NO_COLUMN )
			joint_at( link->joint.kind, layout, from + at, &ways[i], time, q_out + at );
	}
}

// ------------------------------------------------------------------------------------------------
// The call

static dbvh_status check_times( const double *times, size_t count, dbvh_error *error ) {
	for ( size_t i = 0; i < count; ++i ) {
		if ( !( times[i] >= 0.0 && times[i] <= 1.0 ) )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "times[%zu] is %.9g, which is not from 0 to 1", i,
			                        times[i] );
	}
	return DBVH_OK;
}

// Are all numbers near enough to each other for their differences to be doubles?
static bool is_finite_way( const dbvhi_joint_way *way ) {
	return isfinite( way->turn ) && isfinite( way->way[0] ) && isfinite( way->way[1] ) && isfinite( way->way[2] );
}

static DBVHI_NOINLINE_FP dbvh_status do_robot_between( const dbvh_robot *robot, dbvh_robot_layout layout,
                                                       const double *from, const double *to, const double *times,
                                                       size_t count, double *q_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	DBVHI_TRY( dbvhi_robot_check_layout( robot, layout, error ) );
	if ( count == 0 || robot->width[layout] == 0 )
		return DBVH_OK;
	DBVHI_TRY( dbvhi_check_given( from, "from", error ) );
	DBVHI_TRY( dbvhi_check_given( to, "to", error ) );
	DBVHI_TRY( dbvhi_check_given( times, "times", error ) );
	DBVHI_TRY( dbvhi_check_given( q_out, "q_out", error ) );
	DBVHI_TRY( check_times( times, count, error ) );
	for ( size_t i = 0; i < 2; ++i ) {
		const dbvh_status status = dbvhi_robot_check_row( robot, layout, i == 0 ? from : to );
		if ( status != DBVH_OK )
			return dbvhi_robot_blame_row( status, i, error );
	}
	dbvhi_joint_way *ways = dbvhi_alloc( &robot->allocator, robot->link_count, sizeof *ways );
	if ( ways == NULL )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	dbvh_status status = DBVH_OK;
	for ( size_t i = 0; i < robot->link_count; ++i ) {
		dbvhi_joint_way_between( &robot->links[i], layout, from, to, &ways[i] );
		if ( !is_finite_way( &ways[i] ) )
			status = dbvhi_error_set( error, DBVH_LIMIT,
			                          "the way of the joint of link %zu is longer than the largest double", i );
	}
	for ( size_t i = 0; i < count && status == DBVH_OK; ++i )
		dbvhi_robot_row_at( robot, layout, from, to, ways, times[i], q_out + i * robot->width[layout] );
	dbvhi_free( &robot->allocator, ways, robot->link_count, sizeof *ways );
	return status;
}

dbvh_status dbvh_robot_between( const dbvh_robot *robot, dbvh_robot_layout layout, const double *from, const double *to,
                                const double *times, size_t count, double *q_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_robot_between( robot, layout, from, to, times, count, q_out, error ) );
}
