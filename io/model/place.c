// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/place.h"

#include <stdlib.h>

// Does a joint follow one that moves? One that follows a joint that stays has a number of its own, which never changes.
static bool follows( const scene_model *model, const scene_link *link ) {
	return link->kind != SCENE_JOINT_FIXED && link->mimic != SCENE_NONE &&
	       model->links[link->mimic].kind != SCENE_JOINT_FIXED;
}

static dbvh_status add_link( dbvh_robot *robot, const scene_link *link, dbvh_error *error ) {
	static const dbvh_joint_kind kinds[] = { [SCENE_JOINT_FIXED] = DBVH_JOINT_KIND_FIXED,
	                                         [SCENE_JOINT_REVOLUTE] = DBVH_JOINT_KIND_REVOLUTE,
	                                         [SCENE_JOINT_PRISMATIC] = DBVH_JOINT_KIND_PRISMATIC };
	const dbvh_joint joint = { .kind = kinds[link->kind], .axis = { link->axis[0], link->axis[1], link->axis[2] } };
	return dbvh_robot_add_link( robot, link->parent, &link->origin, &joint, NULL, error );
}

static dbvh_status add_all( const scene_model *model, dbvh_robot *robot, dbvh_error *error ) {
	dbvh_status status = DBVH_OK;
	for ( size_t i = 0; i < model->link_count && status == DBVH_OK; ++i )
		status = add_link( robot, &model->links[i], error );
	for ( uint32_t i = 0; i < model->link_count && status == DBVH_OK; ++i ) {
		const scene_link *link = &model->links[i];
		if ( follows( model, link ) )
			status = dbvh_robot_follow( robot, i, link->mimic, link->factor, link->offset, error );
	}
	for ( uint32_t i = 0; i < model->body_count && status == DBVH_OK; ++i ) {
		const scene_body *body = &model->bodies[i];
		if ( body->link != SCENE_NONE )
			status = dbvh_robot_attach( robot, body->link, i, &body->pose, error );
	}
	return status;
}

dbvh_status scene_robot_make( const scene_model *model, dbvh_robot **out, dbvh_error *error ) {
	dbvh_status status = dbvh_robot_create( NULL, out, error );
	if ( status == DBVH_OK )
		status = add_all( model, *out, error );
	if ( status != DBVH_OK ) {
		dbvh_robot_destroy( *out );
		*out = NULL;
	}
	return status;
}

void scene_robot_row( const scene_model *model, const dbvh_robot *robot, const double *values, double *row_out ) {
	for ( uint32_t i = 0; i < model->link_count; ++i ) {
		const scene_link *link = &model->links[i];
		const size_t column = dbvh_robot_column( robot, i, DBVH_ROBOT_LAYOUT_ANGLES );
		if ( column == DBVH_NO_COLUMN )
			continue;
		if ( link->mimic == SCENE_NONE )
			row_out[column] = values != NULL ? values[i] : 0.0;
		else
			row_out[column] = link->factor * ( values != NULL ? values[link->mimic] : 0.0 ) + link->offset;
	}
}

// Place the bodies of links, which `moved` has room for, among those that stay.
static dbvh_status place( const scene_model *model, const dbvh_robot *robot, const double *values, double *row,
                          dbvh_pose *moved, dbvh_pose *poses_out ) {
	scene_robot_row( model, robot, values, row );
	const dbvh_status status = dbvh_robot_place( robot, DBVH_ROBOT_LAYOUT_ANGLES, row, 1, NULL, moved, NULL );
	size_t next = 0;
	for ( size_t i = 0; i < model->body_count && status == DBVH_OK; ++i )
		poses_out[i] = model->bodies[i].link != SCENE_NONE ? moved[next++] : model->bodies[i].pose;
	return status;
}

bool scene_place( const scene_model *model, const double *values, dbvh_pose *poses_out ) {
	dbvh_robot *robot;
	if ( scene_robot_make( model, &robot, NULL ) != DBVH_OK )
		return false;
	double *row = calloc( dbvh_robot_width( robot, DBVH_ROBOT_LAYOUT_ANGLES ) + 1, sizeof *row );
	dbvh_pose *moved = calloc( dbvh_robot_body_count( robot ) + 1, sizeof *moved );
	const bool ok = row != NULL && moved != NULL && place( model, robot, values, row, moved, poses_out ) == DBVH_OK;
	free( row );
	free( moved );
	dbvh_robot_destroy( robot );
	return ok;
}
