// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Moves and scales what was added to a model after a mark.

#include "model/model.h"
#include "model/refuse.h"

#include <stdlib.h>

scene_mark scene_mark_of( const scene_model *model ) {
	return ( scene_mark ){ model->mesh_count, model->body_count, model->link_count, model->state_count,
	                       model->rule_count };
}

static dbvh_pose compose( const dbvh_pose *a, const dbvh_pose *b ) {
	dbvh_pose out;
	for ( int i = 0; i < 3; ++i ) {
		const double *row = a->rot[i];
		for ( int j = 0; j < 3; ++j )
			out.rot[i][j] = row[0] * b->rot[0][j] + row[1] * b->rot[1][j] + row[2] * b->rot[2][j];
		out.pos[i] = row[0] * b->pos[0] + row[1] * b->pos[1] + row[2] * b->pos[2] + a->pos[i];
	}
	// The product of two poses that are each at the limit of the tolerance may be beyond it.
	if ( dbvh_pose_check( &out, NULL, NULL ) == DBVH_NOT_RIGID )
		dbvh_pose_orthonormalise( &out, &out, NULL, NULL );
	return out;
}

static void turn( const dbvh_pose *pose, double axis[3] ) {
	const double x[3] = { axis[0], axis[1], axis[2] };
	for ( int i = 0; i < 3; ++i )
		axis[i] = pose->rot[i][0] * x[0] + pose->rot[i][1] * x[1] + pose->rot[i][2] * x[2];
}

void scene_move_from( scene_model *model, const scene_mark *mark, const dbvh_pose *pose ) {
	for ( size_t i = mark->body_count; i < model->body_count; ++i )
		if ( model->bodies[i].link == SCENE_NONE )
			model->bodies[i].pose = compose( pose, &model->bodies[i].pose );
	for ( size_t i = mark->link_count; i < model->link_count; ++i )
		if ( model->links[i].parent == SCENE_NONE )
			model->links[i].origin = compose( pose, &model->links[i].origin );
	for ( size_t i = mark->rule_count; i < model->rule_count; ++i )
		if ( model->rules[i].way.kind == SCENE_WAY_STRAIGHT )
			turn( pose, model->rules[i].way.axis );
}

static dbvh_status scale_mesh( scene_mesh *mesh, double factor, dbvh_error *error ) {
	dbvh_mesh_view view = dbvh_mesh_get_view( mesh->mesh );
	const double *from = view.positions;
	double *positions = malloc( view.vertex_count * 3 * sizeof *positions );
	if ( positions == NULL )
		return scene_refuse_memory( error );
	for ( size_t i = 0; i < 3 * view.vertex_count; ++i )
		positions[i] = factor * from[i];
	view.positions = positions;
	dbvh_mesh *scaled;
	const dbvh_status status = dbvh_mesh_create( &view, NULL, &scaled, error );
	free( positions );
	if ( status == DBVH_NOT_FINITE )
		return scene_refuse( error, status, "%.60s becomes infinitely large in the unit of the scene", mesh->name );
	if ( status != DBVH_OK )
		return status;
	dbvh_mesh_destroy( mesh->mesh );
	mesh->mesh = scaled;
	return DBVH_OK;
}

static void scale_position( dbvh_pose *pose, double factor ) {
	for ( int k = 0; k < 3; ++k )
		pose->pos[k] *= factor;
}

// Numbers of prismatic joints are lengths.
static void scale_link( scene_model *model, const scene_mark *mark, size_t i, double factor ) {
	scene_link *link = &model->links[i];
	scale_position( &link->origin, factor );
	if ( link->mimic != SCENE_NONE && model->links[link->mimic].kind == SCENE_JOINT_PRISMATIC )
		link->factor /= factor;
	if ( link->kind != SCENE_JOINT_PRISMATIC )
		return;
	link->lower *= factor;
	link->upper *= factor;
	link->offset *= factor;
	link->factor *= factor;
	for ( size_t s = mark->state_count; s < model->state_count; ++s )
		model->states[s].values[i] *= factor;
}

dbvh_status scene_scale_from( scene_model *model, const scene_mark *mark, double factor, dbvh_error *error ) {
	for ( size_t i = mark->mesh_count; i < model->mesh_count; ++i ) {
		const dbvh_status status = scale_mesh( &model->meshes[i], factor, error );
		if ( status != DBVH_OK )
			return status;
	}
	for ( size_t i = mark->body_count; i < model->body_count; ++i ) {
		scale_position( &model->bodies[i].pose, factor );
		model->bodies[i].sag *= factor;
	}
	for ( size_t i = mark->link_count; i < model->link_count; ++i )
		scale_link( model, mark, i, factor );
	for ( size_t i = mark->rule_count; i < model->rule_count; ++i ) {
		dbvh_pair_rule *rule = &model->rules[i].rule;
		rule->clearance *= factor;
		for ( int k = 0; k < 3; ++k )
			model->rules[i].way.centre[k] *= factor;
		rule->touch_gap *= factor;
		rule->touch_overlap *= factor;
		rule->allowed_depth *= factor;
		rule->allowed_volume *= factor * factor * factor;
	}
	return DBVH_OK;
}
