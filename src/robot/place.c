// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Forward kinematics. Rounding is bounded in docs/design/edges.md, term by term; the bound rests on the order of
// operations here.

#include "base/fpenv.h"
#include "base/status.h"
#include "math/angle.h"
#include "math/quaternion.h"
#include "query/common/arguments.h"
#include "robot/robot.h"

#include <math.h>

// Quaternions, and pairs of cosine and sine, are of length 1 up to this.
#define LENGTH_TOLERANCE 1e-3
// Links whose poses are on the stack.
#define FEW_LINKS 64

void dbvh_sine_cosine( double angle, double *sine_out, double *cosine_out ) {
	const dbvhi_fpenv caller = dbvhi_fpenv_enter();
	dbvhi_sine_cosine( angle, sine_out, cosine_out );
	dbvhi_fpenv_leave( caller );
}

static DBVHI_NOINLINE_FP dbvh_pose do_pose_from_rpy( const double rpy[3], const double pos[3] ) {
	double sr, cr, sp, cp, sy, cy;
	dbvhi_sine_cosine( rpy[0], &sr, &cr );
	dbvhi_sine_cosine( rpy[1], &sp, &cp );
	dbvhi_sine_cosine( rpy[2], &sy, &cy );
	return ( dbvh_pose ){ .rot = { { cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr },
	                               { sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr },
	                               { -sp, cp * sr, cp * cr } },
	                      .pos = { pos[0], pos[1], pos[2] } };
}

dbvh_pose dbvh_pose_from_rpy( const double rpy[3], const double pos[3] ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_pose, do_pose_from_rpy( rpy, pos ) );
}

// ------------------------------------------------------------------------------------------------
// Rows

static bool is_unit( double square ) {
	return fabs( square - 1.0 ) <= 2.0 * LENGTH_TOLERANCE;
}

dbvh_status dbvhi_robot_check_row( const dbvh_robot *robot, dbvh_robot_layout layout, const double *q ) {
	for ( size_t i = 0; i < robot->width[layout]; ++i ) {
		if ( !isfinite( q[i] ) )
			return DBVH_NOT_FINITE;
	}
	for ( size_t i = 0; i < robot->link_count; ++i ) {
		const dbvhi_link *link = &robot->links[i];
		if ( link->column[layout] == DBVH_NO_COLUMN )
			continue;
		const double *own = q + link->column[layout];
		const dbvh_joint_kind kind = link->joint.kind;
		if ( kind == DBVH_JOINT_KIND_FLOATING &&
		     !is_unit( own[3] * own[3] + own[4] * own[4] + own[5] * own[5] + own[6] * own[6] ) )
			return DBVH_NOT_RIGID;
		const size_t at = kind == DBVH_JOINT_KIND_PLANAR ? 2 : 0;
		if ( layout == DBVH_ROBOT_LAYOUT_PINOCCHIO &&
		     ( kind == DBVH_JOINT_KIND_PLANAR || kind == DBVH_JOINT_KIND_CONTINUOUS ) &&
		     !is_unit( own[at] * own[at] + own[at + 1] * own[at + 1] ) )
			return DBVH_NOT_RIGID;
	}
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// Poses

// outer( inner( x ) ).
static dbvh_pose compose( const dbvh_pose *outer, const dbvh_pose *inner ) {
	dbvh_pose out;
	for ( int i = 0; i < 3; ++i ) {
		const double *r = outer->rot[i];
		for ( int j = 0; j < 3; ++j )
			out.rot[i][j] = r[0] * inner->rot[0][j] + r[1] * inner->rot[1][j] + r[2] * inner->rot[2][j];
		out.pos[i] = ( r[0] * inner->pos[0] + r[1] * inner->pos[1] + r[2] * inner->pos[2] ) + outer->pos[i];
	}
	return out;
}

// One step of Newton's iteration for the nearest rotation, R <- R + R (I - R^T R) / 2: without it the rounding of each
// link would add up along the chain.
static void straighten( double rot[3][3] ) {
	double half_off[3][3];
	for ( int i = 0; i < 3; ++i )
		for ( int j = i; j < 3; ++j )
			half_off[i][j] = half_off[j][i] =
			    0.5 *
			    ( ( i == j ? 1.0 : 0.0 ) - ( rot[0][i] * rot[0][j] + rot[1][i] * rot[1][j] + rot[2][i] * rot[2][j] ) );
	for ( int i = 0; i < 3; ++i ) {
		const double r[3] = { rot[i][0], rot[i][1], rot[i][2] };
		for ( int j = 0; j < 3; ++j )
			rot[i][j] += r[0] * half_off[0][j] + r[1] * half_off[1][j] + r[2] * half_off[2][j];
	}
}

// The sine and cosine of a joint that turns, of which `own` is the angle.
static void angle_of_joint( dbvh_joint_kind kind, dbvh_robot_layout layout, const double *own, double *sine,
                            double *cosine ) {
	if ( layout == DBVH_ROBOT_LAYOUT_ANGLES || kind == DBVH_JOINT_KIND_REVOLUTE ) {
		dbvhi_sine_cosine( own[0], sine, cosine );
		return;
	}
	const double length = sqrt( own[0] * own[0] + own[1] * own[1] );
	*cosine = own[0] / length;
	*sine = own[1] / length;
}

// The motion of a joint with several numbers, or with a cosine and a sine.
static dbvh_pose motion_of( const dbvhi_link *link, dbvh_robot_layout layout, const double *own ) {
	static const double z[3] = { 0.0, 0.0, 1.0 };
	dbvh_pose motion = dbvh_pose_identity();
	const dbvh_joint_kind kind = link->joint.kind;
	double sine, cosine;
	if ( kind == DBVH_JOINT_KIND_FLOATING ) {
		const double wxyz[4] = { own[6], own[3], own[4], own[5] };
		dbvhi_rotation_from_quaternion( wxyz, motion.rot );
	} else {
		angle_of_joint( kind, layout, kind == DBVH_JOINT_KIND_PLANAR ? own + 2 : own, &sine, &cosine );
		dbvhi_rotation_about( kind == DBVH_JOINT_KIND_PLANAR ? z : link->joint.axis, sine, cosine, motion.rot );
	}
	for ( int i = 0; i < 3; ++i )
		motion.pos[i] = kind == DBVH_JOINT_KIND_FLOATING || ( kind == DBVH_JOINT_KIND_PLANAR && i < 2 ) ? own[i] : 0.0;
	return motion;
}

// The motion of a joint with one number.
static dbvh_pose motion_by( const dbvhi_link *link, double value ) {
	dbvh_pose motion = dbvh_pose_identity();
	if ( link->joint.kind == DBVH_JOINT_KIND_PRISMATIC ) {
		for ( int i = 0; i < 3; ++i )
			motion.pos[i] = value * link->joint.axis[i];
		return motion;
	}
	double sine, cosine;
	dbvhi_sine_cosine( value, &sine, &cosine );
	dbvhi_rotation_about( link->joint.axis, sine, cosine, motion.rot );
	return motion;
}

// The number of a joint that follows another one.
static double followed_value( const dbvh_robot *robot, const dbvhi_link *link, dbvh_robot_layout layout,
                              const double *q ) {
	return link->factor * q[robot->links[link->followed].column[layout]] + link->offset;
}

// The pose of a link in the frame of its parent.
static dbvh_pose moved_link( const dbvh_robot *robot, const dbvhi_link *link, dbvh_robot_layout layout,
                             const double *q ) {
	const dbvh_joint_kind kind = link->joint.kind;
	if ( kind == DBVH_JOINT_KIND_FIXED )
		return link->origin;
	dbvh_pose motion;
	if ( link->follows || dbvhi_joint_width( kind, layout ) == 1 ) {
		const double value = link->follows ? followed_value( robot, link, layout, q ) : q[link->column[layout]];
		if ( value == 0.0 )
			return link->origin;
		motion = motion_by( link, value );
	} else {
		motion = motion_of( link, layout, q + link->column[layout] );
	}
	return compose( &link->origin, &motion );
}

void dbvhi_robot_place_links( const dbvh_robot *robot, dbvh_robot_layout layout, const double *q, dbvh_pose *links ) {
	for ( size_t i = 0; i < robot->link_count; ++i ) {
		const dbvhi_link *link = &robot->links[i];
		links[i] = moved_link( robot, link, layout, q );
		if ( link->parent != DBVH_NO_LINK )
			links[i] = compose( &links[link->parent], &links[i] );
		straighten( links[i].rot );
	}
}

void dbvhi_robot_place_bodies( const dbvh_robot *robot, const dbvh_pose *links, dbvh_pose *bodies_out ) {
	for ( size_t i = 0; i < robot->attached_count; ++i )
		bodies_out[i] = compose( &links[robot->attached[i].link], &robot->attached[i].pose );
}

// ------------------------------------------------------------------------------------------------
// The call

static DBVHI_NOINLINE_FP dbvh_status do_robot_place( const dbvh_robot *robot, dbvh_robot_layout layout, const double *q,
                                                     size_t count, dbvh_pose *links_out, dbvh_pose *bodies_out,
                                                     dbvh_error *error ) {
	dbvhi_error_clear( error );
	DBVHI_TRY( dbvhi_robot_check_layout( robot, layout, error ) );
	if ( count > 0 && robot->width[layout] > 0 )
		DBVHI_TRY( dbvhi_check_given( q, "q", error ) );
	dbvh_pose few[FEW_LINKS], *some = few;
	if ( robot->link_count > FEW_LINKS && links_out == NULL ) {
		some = dbvhi_alloc( &robot->allocator, robot->link_count, sizeof *some );
		if ( some == NULL )
			return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	}
	dbvh_status status = DBVH_OK;
	for ( size_t i = 0; i < count && status == DBVH_OK; ++i ) {
		const double *row = dbvhi_robot_row( robot, layout, q, i );
		dbvh_pose *links = links_out != NULL ? links_out + i * robot->link_count : some;
		status = dbvhi_robot_check_row( robot, layout, row );
		if ( status != DBVH_OK ) {
			status = dbvhi_robot_blame_row( status, i, error );
			break;
		}
		dbvhi_robot_place_links( robot, layout, row, links );
		if ( bodies_out != NULL )
			dbvhi_robot_place_bodies( robot, links, bodies_out + i * robot->attached_count );
	}
	if ( some != few )
		dbvhi_free( &robot->allocator, some, robot->link_count, sizeof *some );
	return status;
}

dbvh_status dbvh_robot_place( const dbvh_robot *robot, dbvh_robot_layout layout, const double *q, size_t count,
                              dbvh_pose *links_out, dbvh_pose *bodies_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_robot_place( robot, layout, q, count, links_out, bodies_out, error ) );
}

dbvh_status dbvhi_robot_blame_row( dbvh_status status, size_t row, dbvh_error *error ) {
	dbvhi_error_set( error, status, "configuration %zu: %s", row,
	                 status == DBVH_NOT_FINITE ? "a number is NaN or infinite"
	                                           : "a quaternion, or a cosine with its sine, is not of length 1" );
	if ( error != NULL )
		error->element = (int64_t)row;
	return status;
}
