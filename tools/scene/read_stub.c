// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Stands for the readers until they are there.

#include "scene/files.h"

#include <stdio.h>
#include <string.h>

dbvh_status scene_read_file( const char *path, const scene_read_options *options, scene_model *model,
                             dbvh_error *error ) {
	(void)options;
	dbvh_mesh *mesh = NULL;
	const dbvh_status status = dbvh_mesh_load( path, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, error );
	if ( status != DBVH_OK )
		return status;
	char stem[256];
	const char *slash = strrchr( path, '/' );
	snprintf( stem, sizeof stem, "%s", slash != NULL ? slash + 1 : path );
	char *dot = strrchr( stem, '.' );
	if ( dot != NULL )
		*dot = '\0';
	const dbvh_pose pose = dbvh_pose_identity();
	const uint32_t number = scene_add_mesh( model, mesh, path );
	if ( number == SCENE_NONE || scene_add_body( model, stem, number, &pose ) == SCENE_NONE )
		return error->status = DBVH_OUT_OF_MEMORY;
	return DBVH_OK;
}

dbvh_status scene_read_srdf( const unsigned char *bytes, size_t count, scene_model *model, dbvh_error *error ) {
	(void)bytes, (void)count, (void)model;
	snprintf( error->text, sizeof error->text, "not yet" );
	return error->status = DBVH_INVALID_ARGUMENT;
}

void scene_place( const scene_model *model, const double *values, dbvh_pose *poses_out ) {
	(void)values;
	for ( size_t i = 0; i < model->body_count; ++i )
		poses_out[i] = model->bodies[i].pose;
}
