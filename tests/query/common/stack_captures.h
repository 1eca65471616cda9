// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The calls of capture.h for test_stack.c, which includes this among its own.

#pragma once

DOOR( capture_save ) {
	static const char name[] = "test_stack.dbvh";
	const dbvh_capture x = { .call = DBVH_CAPTURE_CALL_SELF_COLLIDE, .mesh_a = shape_view( &s->at->mesh ) };
	dbvh_capture *back = NULL;
	s->done += dbvh_capture_save( &x, name, NULL ) == DBVH_OK;
	s->done += dbvh_capture_load( name, NULL, &back, NULL ) == DBVH_OK;
	s->done += dbvh_capture_call_name( x.call )[0] == 's';
	dbvh_capture_destroy( back );
	remove( name );
}
#define call_capture_load call_capture_save
#define call_capture_destroy call_capture_save
#define call_capture_call_name call_capture_save
DOOR( capture_parse ) {
	dbvh_capture *back = NULL;
	s->done += dbvh_capture_parse( "adbvcap\n", 8, NULL, &back, NULL ) == DBVH_TRUNCATED;
}
