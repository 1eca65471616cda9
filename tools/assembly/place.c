// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Forward kinematics: where links are, and the bodies that they carry.

#include "assembly/angle.h"
#include "assembly/model.h"

#include <stdlib.h>

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
		for ( int j = 0; j < 3; ++j )
			half_off[i][j] = 0.5 * ( ( i == j ? 1.0 : 0.0 ) -
			                         ( rot[0][i] * rot[0][j] + rot[1][i] * rot[1][j] + rot[2][i] * rot[2][j] ) );
	for ( int i = 0; i < 3; ++i ) {
		const double r[3] = { rot[i][0], rot[i][1], rot[i][2] };
		for ( int j = 0; j < 3; ++j )
			rot[i][j] += r[0] * half_off[0][j] + r[1] * half_off[1][j] + r[2] * half_off[2][j];
	}
}

static double value_of( const scene_link *link, const double *values, size_t number ) {
	if ( link->mimic == SCENE_NONE )
		return values != NULL ? values[number] : 0.0;
	return link->factor * ( values != NULL ? values[link->mimic] : 0.0 ) + link->offset;
}

// The pose of a link in the frame of its parent.
static dbvh_pose moved_by( const scene_link *link, double value ) {
	dbvh_pose motion = dbvh_pose_identity();
	if ( value == 0.0 || link->kind == SCENE_JOINT_FIXED )
		return link->origin;
	if ( link->kind == SCENE_JOINT_REVOLUTE )
		scene_rotation_about( link->axis, value, motion.rot );
	else
		for ( int i = 0; i < 3; ++i )
			motion.pos[i] = value * link->axis[i];
	return compose( &link->origin, &motion );
}

bool scene_place( const scene_model *model, const double *values, dbvh_pose *poses_out ) {
	dbvh_pose few[32];
	dbvh_pose *links = few;
	if ( model->link_count > sizeof few / sizeof few[0] ) {
		links = malloc( model->link_count * sizeof *links );
		if ( links == NULL )
			return false;
	}
	for ( size_t i = 0; i < model->link_count; ++i ) {
		const scene_link *link = &model->links[i];
		links[i] = moved_by( link, value_of( link, values, i ) );
		if ( link->parent != SCENE_NONE )
			links[i] = compose( &links[link->parent], &links[i] );
		straighten( links[i].rot );
	}
	for ( size_t i = 0; i < model->body_count; ++i ) {
		const scene_body *body = &model->bodies[i];
		poses_out[i] = body->link != SCENE_NONE ? compose( &links[body->link], &body->pose ) : body->pose;
	}
	if ( links != few )
		free( links );
	return true;
}
