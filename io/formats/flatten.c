// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// All bodies of a scene as one mesh.

#include "formats/files.h"
#include "model/refuse.h"

#include <stdlib.h>
#include <string.h>

static bool is_identity( const dbvh_pose *pose ) {
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			if ( pose->rot[i][j] != ( i == j ? 1.0 : 0.0 ) )
				return false;
	return pose->pos[0] == 0.0 && pose->pos[1] == 0.0 && pose->pos[2] == 0.0;
}

// Positions that stay where they are keep all their bits.
static void put_positions( const dbvh_mesh_view *view, const dbvh_pose *pose, double *out ) {
	const double *p = view->positions;
	if ( is_identity( pose ) ) {
		memcpy( out, p, 3 * view->vertex_count * sizeof *out );
		return;
	}
	for ( size_t i = 0; i < view->vertex_count; ++i, p += 3, out += 3 )
		for ( int k = 0; k < 3; ++k )
			out[k] = pose->rot[k][0] * p[0] + pose->rot[k][1] * p[1] + pose->rot[k][2] * p[2] + pose->pos[k];
}

static dbvh_status fill( const scene_model *model, const dbvh_pose *poses, double *positions, uint32_t *corners,
                         dbvh_mesh **mesh_out, dbvh_error *error ) {
	size_t vertices = 0, triangles = 0;
	for ( size_t i = 0; i < model->body_count; ++i ) {
		const dbvh_mesh_view view = dbvh_mesh_get_view( model->meshes[model->bodies[i].mesh].mesh );
		const uint32_t *from = view.indices;
		put_positions( &view, &poses[i], positions + 3 * vertices );
		for ( size_t k = 0; k < 3 * view.triangle_count; ++k )
			corners[3 * triangles + k] = from[k] + (uint32_t)vertices;
		vertices += view.vertex_count;
		triangles += view.triangle_count;
	}
	const dbvh_mesh_view all = {
	    .positions = positions, .vertex_count = vertices, .indices = corners, .triangle_count = triangles };
	return dbvh_mesh_create( &all, NULL, mesh_out, error );
}

dbvh_status scene_flatten( scene_model *model, dbvh_mesh **mesh_out, dbvh_error *error ) {
	size_t vertices = 0, triangles = 0;
	*mesh_out = NULL;
	if ( model->body_count == 0 )
		return scene_refuse( error, DBVH_EMPTY, "there is no body with triangles in the file" );
	for ( size_t i = 0; i < model->body_count; ++i ) {
		const dbvh_mesh_view view = dbvh_mesh_get_view( model->meshes[model->bodies[i].mesh].mesh );
		vertices += view.vertex_count;
		triangles += view.triangle_count;
		if ( vertices > DBVH_MAX_ELEMENTS || triangles > DBVH_MAX_ELEMENTS )
			return scene_refuse( error, DBVH_LIMIT, "all bodies together have more than 2^30 triangles or vertices" );
	}
	if ( !scene_ledger_fits( scene_ledger_of( model ),
	                         SCENE_VERTEX_COST * vertices + SCENE_TRIANGLE_COST * triangles ) )
		return scene_refuse_ceiling( scene_ledger_of( model ), error );
	dbvh_pose *poses = malloc( model->body_count * sizeof *poses );
	double *positions = malloc( 3 * vertices * sizeof *positions );
	uint32_t *corners = malloc( 3 * triangles * sizeof *corners );
	const bool placed = poses != NULL && positions != NULL && corners != NULL && scene_place( model, NULL, poses );
	const dbvh_status status =
	    placed ? fill( model, poses, positions, corners, mesh_out, error ) : scene_refuse_memory( error );
	free( poses );
	free( positions );
	free( corners );
	return status;
}
