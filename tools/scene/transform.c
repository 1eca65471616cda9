// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/transform.h"

#include "scene/refuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Memory must not grow beyond measure where a small file scales a large mesh in a thousand ways.
static const size_t most_copied = (size_t)1 << 26;

// How many linear parts are tried before another mesh is made.
enum { MOST_TRIED = 32 };

static double determinant( const double m[3][3] ) {
	return m[0][0] * ( m[1][1] * m[2][2] - m[1][2] * m[2][1] ) - m[0][1] * ( m[1][0] * m[2][2] - m[1][2] * m[2][0] ) +
	       m[0][2] * ( m[1][0] * m[2][1] - m[1][1] * m[2][0] );
}

// m l^-1. False where that is not finite.
static bool divide( const double m[3][3], const double l[3][3], double out[3][3] ) {
	const double det = determinant( l );
	double sum = 0.0;
	for ( int j = 0; j < 3; ++j ) {
		const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
		double column[3]; // of the inverse: crosswise products over the determinant
		for ( int k = 0; k < 3; ++k ) {
			const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
			column[k] = ( l[j1][k1] * l[j2][k2] - l[j1][k2] * l[j2][k1] ) / det;
		}
		for ( int i = 0; i < 3; ++i ) {
			out[i][j] = m[i][0] * column[0] + m[i][1] * column[1] + m[i][2] * column[2];
			sum += out[i][j];
		}
	}
	return isfinite( sum );
}

// m = rotation * linear, with the rotation that is nearest to m or, for a mirror image, to -m; without one, the
// identity.
static void split( const double m[3][3], double rotation[3][3], double linear[3][3] ) {
	dbvh_pose pose = dbvh_pose_identity();
	const double sign = determinant( m ) < 0.0 ? -1.0 : 1.0;
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			pose.rot[i][j] = sign * m[i][j];
	if ( dbvh_pose_orthonormalise( &pose, &pose, NULL, NULL ) != DBVH_OK )
		pose = dbvh_pose_identity();
	const double( *r )[3] = pose.rot;
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j ) // by the transpose, which is the inverse
			linear[i][j] = r[0][i] * m[0][j] + r[1][i] * m[1][j] + r[2][i] * m[2][j];
	memcpy( rotation, pose.rot, sizeof pose.rot );
}

static dbvh_status map_mesh( const dbvh_mesh *mesh, const double linear[3][3], dbvh_mesh **mesh_out,
                             dbvh_error *error ) {
	dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	const double *from = view.positions;
	const uint32_t *corners = view.indices;
	double *positions = malloc( view.vertex_count * 3 * sizeof *positions );
	uint32_t *turned = malloc( view.triangle_count * 3 * sizeof *turned );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( positions != NULL && turned != NULL ) {
		for ( size_t i = 0; i < view.vertex_count; ++i )
			for ( size_t k = 0; k < 3; ++k )
				positions[3 * i + k] =
				    linear[k][0] * from[3 * i] + linear[k][1] * from[3 * i + 1] + linear[k][2] * from[3 * i + 2];
		const bool mirror = determinant( linear ) < 0.0;
		for ( size_t i = 0; i < 3 * view.triangle_count; i += 3 ) {
			turned[i] = corners[i];
			turned[i + 1] = corners[mirror ? i + 2 : i + 1];
			turned[i + 2] = corners[mirror ? i + 1 : i + 2];
		}
		view.positions = positions;
		view.indices = turned;
		status = dbvh_mesh_create( &view, NULL, mesh_out, error );
	} else {
		scene_refuse_memory( error );
	}
	free( positions );
	free( turned );
	return status;
}

// A mesh that was made before and at which what is left of the map is a rotation.
static bool find_variant( const scene_model *model, uint32_t mesh, const double m[3][3], uint32_t *mesh_out,
                          dbvh_pose *pose ) {
	uint32_t i = model->meshes[mesh].first_variant;
	for ( int tried = 0; tried < MOST_TRIED && i != SCENE_NONE; ++tried, i = model->meshes[i].next_variant ) {
		const scene_mesh *variant = &model->meshes[i];
		if ( !divide( m, variant->linear, pose->rot ) || dbvh_pose_check( pose, NULL, NULL ) != DBVH_OK )
			continue;
		*mesh_out = i;
		return true;
	}
	return false;
}

static dbvh_status add_variant( scene_model *model, uint32_t mesh, const double linear[3][3], uint32_t *mesh_out,
                                dbvh_error *error ) {
	const size_t count = dbvh_mesh_get_view( model->meshes[mesh].mesh ).triangle_count;
	if ( model->copied_triangles + count > most_copied )
		return scene_refuse( error, DBVH_LIMIT,
		                     "meshes that are scaled in different ways would have more than 2^26 triangles" );
	dbvh_mesh *made;
	const dbvh_status status = map_mesh( model->meshes[mesh].mesh, linear, &made, error );
	if ( status == DBVH_NOT_FINITE )
		return scene_refuse( error, status, "%.60s becomes infinitely large where it is scaled",
		                     model->meshes[mesh].name );
	if ( status != DBVH_OK )
		return status;
	*mesh_out = scene_add_mesh( model, made, model->meshes[mesh].name );
	if ( *mesh_out == SCENE_NONE )
		return scene_refuse_memory( error );
	model->copied_triangles += count;
	scene_mesh *variant = &model->meshes[*mesh_out];
	memcpy( variant->linear, linear, sizeof variant->linear );
	variant->next_variant = model->meshes[mesh].first_variant;
	model->meshes[mesh].first_variant = *mesh_out;
	return DBVH_OK;
}

dbvh_status scene_transform( scene_model *model, uint32_t mesh, const double rows[12], uint32_t *mesh_out,
                             dbvh_pose *pose_out, dbvh_error *error ) {
	dbvh_pose pose = dbvh_pose_from_rows( rows );
	const dbvh_status status = dbvh_pose_check( &pose, NULL, NULL );
	*mesh_out = mesh;
	*pose_out = pose;
	if ( status == DBVH_OK )
		return DBVH_OK;
	if ( status != DBVH_NOT_RIGID )
		return scene_refuse( error, DBVH_NOT_FINITE, "a matrix has a number that is NaN or infinite" );
	double m[3][3], linear[3][3];
	memcpy( m, pose.rot, sizeof m );
	if ( find_variant( model, mesh, m, mesh_out, pose_out ) )
		return DBVH_OK;
	split( m, pose.rot, linear );
	*pose_out = pose;
	return add_variant( model, mesh, linear, mesh_out, error );
}

// Numbers of prismatic joints are lengths.
static void scale_link( scene_model *model, const scene_mark *mark, size_t i, double factor ) {
	scene_link *link = &model->links[i];
	for ( int k = 0; k < 3; ++k )
		link->origin.pos[k] *= factor;
	if ( link->mimic != SCENE_NONE && model->links[link->mimic].kind == SCENE_JOINT_PRISMATIC )
		link->factor /= factor;
	if ( link->kind != SCENE_JOINT_PRISMATIC )
		return;
	link->lower *= factor;
	link->upper *= factor;
	link->offset *= factor;
	if ( link->mimic != SCENE_NONE )
		link->factor *= factor;
	for ( size_t s = mark->state_count; s < model->state_count; ++s )
		model->states[s].values[i] *= factor;
}

dbvh_status scene_scale_from( scene_model *model, const scene_mark *mark, double factor, dbvh_error *error ) {
	const double rows[12] = { factor, 0, 0, 0, 0, factor, 0, 0, 0, 0, factor, 0 };
	for ( size_t i = mark->body_count; i < model->body_count; ++i ) {
		scene_body *body = &model->bodies[i];
		dbvh_pose unmoved;
		const dbvh_status status = scene_transform( model, body->mesh, rows, &body->mesh, &unmoved, error );
		if ( status != DBVH_OK )
			return status;
		for ( int k = 0; k < 3; ++k )
			body->pose.pos[k] *= factor;
		body->sag *= factor;
	}
	for ( size_t i = mark->link_count; i < model->link_count; ++i )
		scale_link( model, mark, i, factor );
	for ( size_t i = mark->rule_count; i < model->rule_count; ++i ) {
		dbvh_pair_rule *rule = &model->rules[i].rule;
		rule->clearance *= factor;
		rule->touch_gap *= factor;
		rule->touch_overlap *= factor;
	}
	scene_drop_meshes( model, mark );
	return DBVH_OK;
}
