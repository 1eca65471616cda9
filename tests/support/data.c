// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "support/data.h"

#include <stdio.h>
#include <stdlib.h>

static bool exists( const char *path ) {
	FILE *file = fopen( path, "rb" );
	if ( file != NULL )
		fclose( file );
	return file != NULL;
}

const char *data_folder( void ) {
	const char *folder = getenv( "DUALBVH_DATA" );
	return folder != NULL ? folder : DUALBVH_SHARED_DATA;
}

dbvh_mesh *data_mesh( const char *name ) {
	char path[1024];
	snprintf( path, sizeof path, "%s/%s", data_folder(), name );
	if ( !exists( path ) )
		return NULL;
	dbvh_error error;
	dbvh_mesh *mesh = NULL;
	if ( dbvh_mesh_load( path, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ) != DBVH_OK ) {
		fprintf( stderr, "%s: %s\n", path, error.text );
		exit( EXIT_FAILURE );
	}
	return mesh;
}
