// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Reading meshes without their bad faces, for test_stack.c, which includes this among its own.

#pragma once

// A keyhole, and a bow tie that is left out; from a file and from memory.
#define KEYHOLE                                                                                                        \
	"v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\nv 3 3 0\nv 3 6 0\nv 6 6 0\nv 6 3 0\nf 1 2 3 4 1 5 6 7 8 5\nf 1 3 2 4\n"
DOOR( mesh_parse_with ) {
	dbvh_mesh_read_options options = dbvh_mesh_read_options_default();
	options.skip_bad_faces = true;
	dbvh_mesh *m = NULL;
	dbvh_error e;
	size_t skipped = 0;
	s->done +=
	    dbvh_mesh_parse_with( KEYHOLE, strlen( KEYHOLE ), DBVH_MESH_FORMAT_AUTO, &options, NULL, &m, &e ) == DBVH_OK;
	s->done += dbvh_mesh_get_skipped_faces( m, &skipped ) != NULL && skipped == 1;
	dbvh_mesh_destroy( m );
}
DOOR( mesh_load_with ) {
	const dbvh_mesh_read_options options = { .skip_bad_faces = true };
	static const char name[] = "test_stack_with.obj";
	FILE *file = fopen( name, "wb" );
	if ( file == NULL )
		return;
	fputs( KEYHOLE, file );
	fclose( file );
	dbvh_mesh *m = NULL;
	dbvh_error e;
	s->done += dbvh_mesh_load_with( name, DBVH_MESH_FORMAT_AUTO, &options, NULL, &m, &e ) == DBVH_OK;
	dbvh_mesh_destroy( m );
	remove( name );
}
