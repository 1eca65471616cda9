// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Memory that calls share, poses, and the error of the last call.

#include "web.h"

#include <stdlib.h>
#include <string.h>

dbvh_error web_error;

static struct {
	void *memory;
	size_t bytes;
} rooms[WEB_USE_COUNT];

void *WEB_EXPORT( web_room )( web_use use, size_t bytes ) {
	if ( rooms[use].bytes >= bytes )
		return rooms[use].memory;
	free( rooms[use].memory );
	const size_t rounded = ( bytes + bytes / 2 + 1023 ) / 1024 * 1024;
	rooms[use].memory = aligned_alloc( 64, rounded );
	rooms[use].bytes = rooms[use].memory != NULL ? rounded : 0;
	if ( rooms[use].memory == NULL ) {
		web_error = ( dbvh_error ){ .status = DBVH_OUT_OF_MEMORY, .byte = -1, .element = -1 };
		strcpy( web_error.text, "the module's memory cannot grow any more" );
	}
	return rooms[use].memory;
}

// Frees the rooms and the workspace; the next call makes them anew.
static dbvh_workspace *workspace;

void WEB_EXPORT( web_trim )( void ) {
	for ( int use = 0; use < WEB_USE_COUNT; ++use ) {
		free( rooms[use].memory );
		rooms[use].memory = NULL;
		rooms[use].bytes = 0;
	}
	dbvh_workspace_destroy( workspace );
	workspace = NULL;
}

dbvh_workspace *web_workspace( void ) {
	if ( workspace == NULL )
		dbvh_workspace_create( NULL, &workspace, NULL );
	return workspace;
}

// Returns room for the poses and the row of one query of two meshes, at an address that stays.
double *WEB_EXPORT( web_desk )( void ) {
	static double desk[64];
	return desk;
}

const dbvh_error *WEB_EXPORT( web_last_error )( void ) {
	return &web_error;
}

const char *WEB_EXPORT( web_status_name )( dbvh_status status ) {
	return dbvh_status_name( status );
}

const char *WEB_EXPORT( web_version )( void ) {
	return dbvh_version();
}

const dbvh_pose *web_pose( const double *columns, dbvh_pose *room ) {
	if ( columns == NULL )
		return NULL;
	*room = dbvh_pose_from_column_major( columns );
	return room;
}

dbvh_pose *web_poses( double *columns, size_t count ) {
	char *out = (char *)columns;
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_pose pose = dbvh_pose_from_column_major( columns + 16 * i );
		memcpy( out + i * sizeof pose, &pose, sizeof pose );
	}
	return (dbvh_pose *)columns;
}

double *web_put( double *out, const double *numbers, size_t count ) {
	memcpy( out, numbers, count * sizeof *out );
	return out + count;
}

bool web_read_query( web_query *q, const double *pose_a, double *poses_b, size_t count, double max_work,
                     size_t result_bytes ) {
	q->limit = ( dbvh_budget ){ .max_work = (uint64_t)max_work };
	q->budget = max_work > 0 ? &q->limit : NULL;
	q->pose_a = web_pose( pose_a, &q->room );
	q->poses_b = poses_b != NULL ? web_poses( poses_b, count ) : NULL;
	q->options = ( dbvh_batch_options ){ .thread_count = 1, .workspace = web_workspace() };
	q->results = web_room( WEB_USE_RECORDS, count * result_bytes + 1 );
	return q->results != NULL;
}

// ------------------------------------------------------------------------------------------------
// Poses

// Writes the nearest rotation to sixteen doubles in place.
dbvh_status WEB_EXPORT( web_orthonormalise )( double *columns ) {
	dbvh_pose pose = dbvh_pose_from_column_major( columns );
	const dbvh_status status = dbvh_pose_orthonormalise( &pose, &pose, NULL, &web_error );
	for ( int column = 0; column < 3; ++column ) {
		for ( int row = 0; row < 3; ++row )
			columns[4 * column + row] = pose.rot[row][column];
	}
	return status;
}
