// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The links of a model as a robot with all kinds of joints; model/place.h makes the command's, which has one number a
// joint.

#include "api/loaded.h"

#include <math.h>

typedef struct building {
	const scene_model *model;
	dbvh_joint_kind base;
	dbvh_robot *robot;
	dbvh_error *error;
} building;

static bool moves( const scene_link *link ) {
	return link->kind != SCENE_JOINT_FIXED;
}

// Does a joint follow one that moves by one number?
static bool follows( const building *b, const scene_link *link ) {
	return moves( link ) && link->mimic != SCENE_NONE && moves( &b->model->links[link->mimic] );
}

static bool is_followed( const building *b, uint32_t number ) {
	for ( size_t i = 0; i < b->model->link_count; ++i )
		if ( b->model->links[i].mimic == number )
			return true;
	return false;
}

static dbvh_joint joint_of( const building *b, uint32_t number ) {
	const scene_link *link = &b->model->links[number];
	dbvh_joint joint = { .kind = link->joint != NULL ? link->stated : b->base,
	                     .axis = { link->axis[0], link->axis[1], link->axis[2] } };
	// The library lets no joint follow a continuous one, whose number has no turns.
	if ( joint.kind == DBVH_JOINT_KIND_CONTINUOUS && is_followed( b, number ) )
		joint.kind = DBVH_JOINT_KIND_REVOLUTE;
	joint.has_limits = moves( link ) && isfinite( link->lower ) && isfinite( link->upper );
	if ( joint.has_limits ) {
		joint.lower = link->lower;
		joint.upper = link->upper;
	}
	return joint;
}

// A joint that follows one that stays is fixed where its offset puts it.
static dbvh_status hold( const building *b, const scene_link *link, dbvh_joint *joint, dbvh_pose *origin ) {
	dbvh_robot *one;
	dbvh_status status = dbvh_robot_create( NULL, &one, b->error );
	if ( status == DBVH_OK )
		status = dbvh_robot_add_link( one, DBVH_NO_LINK, &link->origin, joint, NULL, b->error );
	if ( status == DBVH_OK )
		status = dbvh_robot_place( one, DBVH_ROBOT_LAYOUT_ANGLES, &link->offset, 1, origin, NULL, b->error );
	dbvh_robot_destroy( one );
	*joint = dbvh_joint_default();
	return status;
}

static dbvh_status add_link( const building *b, uint32_t number ) {
	const scene_link *link = &b->model->links[number];
	dbvh_joint joint = joint_of( b, number );
	dbvh_pose origin = link->origin;
	if ( moves( link ) && link->mimic != SCENE_NONE && !follows( b, link ) ) {
		const dbvh_status status = hold( b, link, &joint, &origin );
		if ( status != DBVH_OK )
			return status;
	}
	return dbvh_robot_add_link( b->robot, link->parent, &origin, &joint, NULL, b->error );
}

static dbvh_status add_all( const building *b ) {
	const scene_model *model = b->model;
	dbvh_status status = DBVH_OK;
	for ( uint32_t i = 0; i < model->link_count && status == DBVH_OK; ++i )
		status = add_link( b, i );
	for ( uint32_t i = 0; i < model->link_count && status == DBVH_OK; ++i ) {
		const scene_link *link = &model->links[i];
		if ( follows( b, link ) )
			status = dbvh_robot_follow( b->robot, i, link->mimic, link->factor, link->offset, b->error );
	}
	for ( uint32_t i = 0; i < model->body_count && status == DBVH_OK; ++i ) {
		const scene_body *body = &model->bodies[i];
		if ( body->link != SCENE_NONE )
			status = dbvh_robot_attach( b->robot, body->link, i, &body->pose, b->error );
	}
	return status;
}

dbvh_status loaded_make_robot( const scene_model *model, dbvh_joint_kind base, dbvh_robot **out, dbvh_error *error ) {
	building b = { .model = model, .base = base, .error = error };
	*out = NULL;
	if ( model->link_count == 0 )
		return DBVH_OK;
	dbvh_status status = dbvh_robot_create( NULL, &b.robot, error );
	if ( status == DBVH_OK )
		status = add_all( &b );
	if ( status == DBVH_OK )
		*out = b.robot;
	else
		dbvh_robot_destroy( b.robot );
	return status;
}

static void fill_joint( dbvh_joint_kind kind, dbvh_robot_layout layout, double value, double *row ) {
	const bool by_cosine = layout == DBVH_ROBOT_LAYOUT_PINOCCHIO;
	switch ( kind ) {
	case DBVH_JOINT_KIND_REVOLUTE:
	case DBVH_JOINT_KIND_PRISMATIC:
		row[0] = value;
		break;
	case DBVH_JOINT_KIND_CONTINUOUS:
		row[0] = value;
		if ( by_cosine )
			dbvh_sine_cosine( value, &row[1], &row[0] );
		break;
	case DBVH_JOINT_KIND_PLANAR:
		row[0] = row[1] = row[2] = 0.0;
		if ( by_cosine ) {
			row[2] = 1.0;
			row[3] = 0.0;
		}
		break;
	case DBVH_JOINT_KIND_FLOATING:
		for ( int k = 0; k < 6; ++k )
			row[k] = 0.0;
		row[6] = 1.0;
		break;
	case DBVH_JOINT_KIND_FIXED:
	case DBVH_JOINT_KIND_COUNT:
		break;
	}
}

void loaded_row( const scene_model *model, const dbvh_robot *robot, dbvh_robot_layout layout, const double *values,
                 double *row_out ) {
	for ( uint32_t i = 0; i < model->link_count; ++i ) {
		const size_t column = dbvh_robot_column( robot, i, layout );
		dbvh_joint joint;
		if ( column != DBVH_NO_COLUMN && dbvh_robot_get_link( robot, i, NULL, NULL, &joint ) )
			fill_joint( joint.kind, layout, values != NULL ? values[i] : 0.0, row_out + column );
	}
}
