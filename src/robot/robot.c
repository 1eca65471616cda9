// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Building a robot: its links and the bodies that they carry.

#include "robot/robot.h"

#include "base/fpenv.h"
#include "base/status.h"
#include "math/pose.h"
#include "query/common/arguments.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

#define MOST_LINKS 0x100000u
// Poses that deviate by no more are kept bit by bit: those that come of sines and cosines do not.
#define ROTATION_ENOUGH ( 0x1p-48 + DBVHI_POSE_ROUNDING )

dbvh_joint dbvh_joint_default( void ) {
	return ( dbvh_joint ){ .kind = DBVH_JOINT_KIND_FIXED };
}

dbvh_robot_edges_query dbvh_robot_edges_query_default( void ) {
	return ( dbvh_robot_edges_query ){ .find = DBVH_FIND_ANY };
}

dbvh_status dbvh_robot_create( const dbvh_allocator *allocator, dbvh_robot **robot_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( robot_out, sizeof *robot_out, "robot_out", error ) );
	dbvh_allocator a;
	DBVHI_TRY( dbvhi_allocator_take( allocator, &a, error ) );
	dbvh_robot *robot = dbvhi_alloc( &a, 1, sizeof *robot );
	if ( robot == NULL )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	memset( robot, 0, sizeof *robot );
	robot->allocator = a;
	*robot_out = robot;
	return DBVH_OK;
}

void dbvh_robot_destroy( dbvh_robot *robot ) {
	if ( robot == NULL )
		return;
	const dbvh_allocator a = robot->allocator;
	dbvhi_free( &a, robot->links, robot->link_capacity, sizeof *robot->links );
	dbvhi_free( &a, robot->attached, robot->attached_capacity, sizeof *robot->attached );
	dbvhi_free( &a, robot, 1, sizeof *robot );
}

// The rotation nearest to a given pose, or the pose itself where it is one to the last bits. NULL is the identity.
static dbvh_status straight_pose( const dbvh_pose *given, dbvh_pose *out, const char *name, dbvh_error *error ) {
	*out = given != NULL ? *given : dbvh_pose_identity();
	double deviation;
	const dbvh_status status = dbvhi_pose_check( out, &deviation );
	if ( status != DBVH_OK ) {
		(void)dbvh_pose_check( out, NULL, error );
		return dbvhi_blame_part( status, name, error );
	}
	return deviation <= ROTATION_ENOUGH ? DBVH_OK : dbvh_pose_orthonormalise( out, out, NULL, error );
}

// ------------------------------------------------------------------------------------------------
// Links

size_t dbvhi_joint_width( dbvh_joint_kind kind, dbvh_robot_layout layout ) {
	static const size_t widths[DBVH_JOINT_KIND_COUNT][DBVH_ROBOT_LAYOUT_COUNT] = {
	    [DBVH_JOINT_KIND_REVOLUTE] = { 1, 1 },  [DBVH_JOINT_KIND_CONTINUOUS] = { 1, 2 },
	    [DBVH_JOINT_KIND_PRISMATIC] = { 1, 1 }, [DBVH_JOINT_KIND_PLANAR] = { 3, 4 },
	    [DBVH_JOINT_KIND_FLOATING] = { 7, 7 },
	};
	return widths[kind][layout];
}

// Count the numbers of all joints anew.
static void count_columns( dbvh_robot *robot ) {
	for ( int i = 0; i < DBVH_ROBOT_LAYOUT_COUNT; ++i ) {
		robot->width[i] = 0;
		for ( size_t k = 0; k < robot->link_count; ++k ) {
			dbvhi_link *link = &robot->links[k];
			const size_t width = link->follows ? 0 : dbvhi_joint_width( link->joint.kind, (dbvh_robot_layout)i );
			link->column[i] = width > 0 ? robot->width[i] : DBVH_NO_COLUMN;
			robot->width[i] += width;
		}
	}
}

// Make the axis of length 1. Scale by the largest component first, so that squares stay in range.
static dbvh_status take_axis( dbvh_joint *joint, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_finite( joint->axis, 3, "joint.axis", error ) );
	double *a = joint->axis;
	const double most = fmax( fmax( fabs( a[0] ), fabs( a[1] ) ), fabs( a[2] ) );
	if ( most == 0.0 ) {
		a[0] = 1.0;
		return DBVH_OK;
	}
	const double square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
	if ( fabs( square - 1.0 ) <= 0x1p-51 )
		return DBVH_OK;
	for ( int i = 0; i < 3; ++i )
		a[i] /= most;
	const double length = sqrt( a[0] * a[0] + a[1] * a[1] + a[2] * a[2] );
	for ( int i = 0; i < 3; ++i )
		a[i] /= length;
	return DBVH_OK;
}

static dbvh_status take_joint( const dbvh_joint *given, dbvh_joint *out, dbvh_error *error ) {
	*out = given != NULL ? *given : dbvh_joint_default();
	if ( (unsigned)out->kind >= DBVH_JOINT_KIND_COUNT )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "joint.kind is %d, which is no kind of joint",
		                        (int)out->kind );
	DBVHI_TRY( take_axis( out, error ) );
	if ( out->has_limits && !( out->lower <= out->upper ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "joint.lower is above joint.upper" );
	if ( !out->has_limits ) {
		out->lower = -INFINITY;
		out->upper = INFINITY;
	}
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_robot_add_link( dbvh_robot *robot, uint32_t parent, const dbvh_pose *origin,
                                                        const dbvh_joint *joint, uint32_t *link_out,
                                                        dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( link_out != NULL )
		*link_out = DBVH_NO_LINK;
	DBVHI_TRY( dbvhi_check_given( robot, "robot", error ) );
	if ( parent != DBVH_NO_LINK && parent >= robot->link_count )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "parent: there is no link %lu", (unsigned long)parent );
	if ( robot->link_count >= MOST_LINKS )
		return dbvhi_error_set( error, DBVH_LIMIT, "a robot has at most %lu links", (unsigned long)MOST_LINKS );
	dbvhi_link link = { .parent = parent, .depth = 1 };
	DBVHI_TRY( straight_pose( origin, &link.origin, "origin", error ) );
	DBVHI_TRY( take_joint( joint, &link.joint, error ) );
	if ( !dbvhi_grow_array( &robot->allocator, &robot->links, &robot->link_capacity, robot->link_count + 1,
	                        sizeof *robot->links ) )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	if ( parent != DBVH_NO_LINK )
		link.depth = robot->links[parent].depth + 1;
	for ( int i = 0; i < DBVH_ROBOT_LAYOUT_COUNT; ++i ) {
		const size_t width = dbvhi_joint_width( link.joint.kind, (dbvh_robot_layout)i );
		link.column[i] = width > 0 ? robot->width[i] : DBVH_NO_COLUMN;
		robot->width[i] += width;
	}
	robot->links[robot->link_count] = link;
	if ( link_out != NULL )
		*link_out = (uint32_t)robot->link_count;
	++robot->link_count;
	return DBVH_OK;
}

dbvh_status dbvh_robot_add_link( dbvh_robot *robot, uint32_t parent, const dbvh_pose *origin, const dbvh_joint *joint,
                                 uint32_t *link_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_robot_add_link( robot, parent, origin, joint, link_out, error ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_robot_follow( dbvh_robot *robot, uint32_t link, uint32_t followed,
                                                      double factor, double offset, dbvh_error *error ) {
	dbvhi_error_clear( error );
	DBVHI_TRY( dbvhi_check_given( robot, "robot", error ) );
	const double numbers[2] = { factor, offset };
	DBVHI_TRY( dbvhi_check_finite( numbers, 2, "factor and offset", error ) );
	if ( link >= robot->link_count || followed >= robot->link_count )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "there is no link %lu",
		                        (unsigned long)( link >= robot->link_count ? link : followed ) );
	dbvhi_link *own = &robot->links[link], *other = &robot->links[followed];
	const dbvh_joint_kind kind = own->joint.kind, leader = other->joint.kind;
	if ( kind != DBVH_JOINT_KIND_REVOLUTE && kind != DBVH_JOINT_KIND_CONTINUOUS && kind != DBVH_JOINT_KIND_PRISMATIC )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "link: the joint of link %lu has not one number",
		                        (unsigned long)link );
	if ( link == followed || other->follows ||
	     ( leader != DBVH_JOINT_KIND_REVOLUTE && leader != DBVH_JOINT_KIND_PRISMATIC ) )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                        "followed: the joint of link %lu is not revolute or prismatic with a number of its own",
		                        (unsigned long)followed );
	if ( own->is_followed )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "link: other joints follow that of link %lu",
		                        (unsigned long)link );
	own->follows = other->is_followed = true;
	own->followed = followed;
	own->factor = factor;
	own->offset = offset;
	count_columns( robot );
	return DBVH_OK;
}

dbvh_status dbvh_robot_follow( dbvh_robot *robot, uint32_t link, uint32_t followed, double factor, double offset,
                               dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_robot_follow( robot, link, followed, factor, offset, error ) );
}

bool dbvh_robot_get_followed( const dbvh_robot *robot, uint32_t link, uint32_t *followed_out, double *factor_out,
                              double *offset_out ) {
	if ( robot == NULL || link >= robot->link_count || !robot->links[link].follows )
		return false;
	const dbvhi_link *own = &robot->links[link];
	if ( followed_out != NULL )
		*followed_out = own->followed;
	if ( factor_out != NULL )
		*factor_out = own->factor;
	if ( offset_out != NULL )
		*offset_out = own->offset;
	return true;
}

size_t dbvh_robot_link_count( const dbvh_robot *robot ) {
	return robot != NULL ? robot->link_count : 0;
}

bool dbvh_robot_get_link( const dbvh_robot *robot, uint32_t link, uint32_t *parent_out, dbvh_pose *origin_out,
                          dbvh_joint *joint_out ) {
	if ( robot == NULL || link >= robot->link_count )
		return false;
	if ( parent_out != NULL )
		*parent_out = robot->links[link].parent;
	if ( origin_out != NULL )
		*origin_out = robot->links[link].origin;
	if ( joint_out != NULL )
		*joint_out = robot->links[link].joint;
	return true;
}

dbvh_status dbvhi_robot_check_attached( const dbvh_robot *robot, const dbvh_scene *scene, dbvh_error *error ) {
	for ( size_t k = 0; k < robot->attached_count; ++k ) {
		if ( dbvhi_scene_body( scene, robot->attached[k].body ) == NULL )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
			                        "body %lu is attached to the robot, but not in the scene",
			                        (unsigned long)robot->attached[k].body );
	}
	return DBVH_OK;
}

dbvh_status dbvhi_robot_check_layout( const dbvh_robot *robot, dbvh_robot_layout layout, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_given( robot, "robot", error ) );
	return (unsigned)layout < DBVH_ROBOT_LAYOUT_COUNT
	           ? DBVH_OK
	           : dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "layout is %d, which is none", (int)layout );
}

size_t dbvh_robot_width( const dbvh_robot *robot, dbvh_robot_layout layout ) {
	return robot != NULL && (unsigned)layout < DBVH_ROBOT_LAYOUT_COUNT ? robot->width[layout] : 0;
}

size_t dbvh_robot_column( const dbvh_robot *robot, uint32_t link, dbvh_robot_layout layout ) {
	return robot != NULL && link < robot->link_count && (unsigned)layout < DBVH_ROBOT_LAYOUT_COUNT
	           ? robot->links[link].column[layout]
	           : DBVH_NO_COLUMN;
}

// ------------------------------------------------------------------------------------------------
// Bodies

// The first attached body that is not below a number.
static size_t find_body( const dbvh_robot *robot, uint32_t body ) {
	size_t at = 0;
	for ( size_t end = robot->attached_count; at < end; ) {
		const size_t middle = at + ( end - at ) / 2;
		if ( robot->attached[middle].body < body )
			at = middle + 1;
		else
			end = middle;
	}
	return at;
}

static DBVHI_NOINLINE_FP dbvh_status do_robot_attach( dbvh_robot *robot, uint32_t link, uint32_t body,
                                                      const dbvh_pose *pose, dbvh_error *error ) {
	dbvhi_error_clear( error );
	DBVHI_TRY( dbvhi_check_given( robot, "robot", error ) );
	if ( link >= robot->link_count )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "link: there is no link %lu", (unsigned long)link );
	if ( body == DBVH_NO_BODY )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "body is DBVH_NO_BODY" );
	dbvhi_attached attached = { .body = body, .link = link };
	DBVHI_TRY( straight_pose( pose, &attached.pose, "pose", error ) );
	const size_t at = find_body( robot, body );
	if ( at == robot->attached_count || robot->attached[at].body != body ) {
		if ( !dbvhi_grow_array( &robot->allocator, &robot->attached, &robot->attached_capacity,
		                        robot->attached_count + 1, sizeof *robot->attached ) )
			return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
		memmove( robot->attached + at + 1, robot->attached + at,
		         ( robot->attached_count - at ) * sizeof *robot->attached );
		++robot->attached_count;
	}
	robot->attached[at] = attached;
	return DBVH_OK;
}

dbvh_status dbvh_robot_attach( dbvh_robot *robot, uint32_t link, uint32_t body, const dbvh_pose *pose,
                               dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_robot_attach( robot, link, body, pose, error ) );
}

dbvh_status dbvh_robot_detach( dbvh_robot *robot, uint32_t body, dbvh_error *error ) {
	dbvhi_error_clear( error );
	DBVHI_TRY( dbvhi_check_given( robot, "robot", error ) );
	const size_t at = find_body( robot, body );
	if ( at == robot->attached_count || robot->attached[at].body != body )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "body %lu is not attached", (unsigned long)body );
	--robot->attached_count;
	memmove( robot->attached + at, robot->attached + at + 1, ( robot->attached_count - at ) * sizeof *robot->attached );
	return DBVH_OK;
}

size_t dbvh_robot_body_count( const dbvh_robot *robot ) {
	return robot != NULL ? robot->attached_count : 0;
}

bool dbvh_robot_get_body( const dbvh_robot *robot, size_t index, uint32_t *body_out, uint32_t *link_out,
                          dbvh_pose *pose_out ) {
	if ( robot == NULL || index >= robot->attached_count )
		return false;
	const dbvhi_attached *a = &robot->attached[index];
	if ( body_out != NULL )
		*body_out = a->body;
	if ( link_out != NULL )
		*link_out = a->link;
	if ( pose_out != NULL )
		*pose_out = a->pose;
	return true;
}
