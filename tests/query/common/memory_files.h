// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Reading meshes from files, and without their bad faces, for test_memory.c, which includes this among its own.

#pragma once

DOOR( mesh_load ) {
	static const char *const names[] = { "test_memory.obj", "test_memory.off", "test_memory.ply", "test_memory.stl" };
	FILE *f = fopen( names[variant], "wb" );
	assert_non_null( f );
	assert_true( fputs( texts[variant], f ) >= 0 );
	assert_int_equal( fclose( f ), 0 );
	dbvh_mesh *m = (dbvh_mesh *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_mesh_load( names[variant], DBVH_MESH_FORMAT_AUTO, &s->allocator, &m, &e );
	check_error( status, &e );
	write_mesh( s, status, m );
	remove( names[variant] );
	return status;
}

// A keyhole and a bow tie; bow ties that wait for their vertices.
static const char *const bad_faces[] = {
    "v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\nv 3 3 0\nv 3 6 0\nv 6 6 0\nv 6 3 0\nf 1 2 3 4 1 5 6 7 8 5\nf 1 3 2 4\n",
    "f 1 3 2 4\nf 1 2 3\nf 2 4 1 3\nv 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\n" };
DOOR( mesh_parse_with ) {
	const dbvh_mesh_read_options options = { .skip_bad_faces = true };
	dbvh_mesh *m = (dbvh_mesh *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_mesh_parse_with( bad_faces[variant], strlen( bad_faces[variant] ),
	                                                 DBVH_MESH_FORMAT_OBJ, &options, &s->allocator, &m, &e );
	check_error( status, &e );
	write_mesh( s, status, m );
	return status;
}
DOOR( mesh_load_with ) {
	static const char name[] = "test_memory_with.obj";
	const dbvh_mesh_read_options options = { .skip_bad_faces = true };
	FILE *f = fopen( name, "wb" );
	assert_non_null( f );
	assert_true( fputs( bad_faces[variant], f ) >= 0 );
	assert_int_equal( fclose( f ), 0 );
	dbvh_mesh *m = (dbvh_mesh *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_mesh_load_with( name, DBVH_MESH_FORMAT_AUTO, &options, &s->allocator, &m, &e );
	check_error( status, &e );
	write_mesh( s, status, m );
	remove( name );
	return status;
}
