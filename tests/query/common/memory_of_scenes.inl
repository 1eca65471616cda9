// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Calls of test_memory.c on captures, scenes and robots.

DOOR( capture_load ) {
	PLAIN;
	save_capture( s );
	dbvh_capture *x = (dbvh_capture *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_capture_load( capture_file, &s->allocator, &x, &e );
	check_error( status, &e );
	size_t count = status == DBVH_OK ? x->mesh_b.triangle_count : 0;
	if ( status != DBVH_OK )
		OUT( x );
	OUT( count );
	dbvh_capture_destroy( x );
	remove( capture_file );
	return status;
}
DOOR( capture_parse ) {
	PLAIN;
	static uint8_t bytes[1 << 16];
	save_capture( s );
	FILE *const f = fopen( capture_file, "rb" );
	assert_non_null( f );
	const size_t length = fread( bytes, 1, sizeof bytes, f );
	fclose( f );
	dbvh_capture *x = (dbvh_capture *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_capture_parse( bytes, length, &s->allocator, &x, &e );
	check_error( status, &e );
	if ( status != DBVH_OK )
		OUT( x );
	dbvh_capture_destroy( x );
	remove( capture_file );
	return status;
}

DOOR( scene_create ) {
	PLAIN;
	dbvh_scene *made = NULL;
	dbvh_error e;
	const dbvh_status status = dbvh_scene_create( &s->allocator, &made, &e );
	check_error( status, &e );
	dbvh_scene_destroy( made );
	return status;
}
DOOR( scene_add_body ) {
	PLAIN;
	dbvh_scene *made = NULL;
	dbvh_error e;
	uint32_t body;
	dbvh_status status = dbvh_scene_create( &s->allocator, &made, &e );
	if ( status == DBVH_OK )
		status = dbvh_scene_add_body( made, s->at->a, &s->at->pose, NULL, &body, &e );
	check_error( status, &e );
	dbvh_scene_destroy( made );
	return status;
}

DOOR( scene_clone ) {
	PLAIN;
	dbvh_scene *made = NULL, *copy = NULL;
	uint32_t body;
	assert_int_equal( dbvh_scene_create( NULL, &made, NULL ), DBVH_OK ); // takes nothing for this question
	assert_int_equal( dbvh_scene_add_body( made, s->at->a, NULL, NULL, &body, NULL ), DBVH_OK );
	dbvh_error e;
	const dbvh_status status = dbvh_scene_clone( made, &s->allocator, &copy, &e );
	check_error( status, &e );
	dbvh_scene_destroy( copy );
	dbvh_scene_destroy( made );
	return status;
}

DOOR( robot_create ) {
	PLAIN;
	dbvh_robot *made = NULL;
	dbvh_error e;
	dbvh_status status = dbvh_robot_create( &s->allocator, &made, &e );
	if ( status == DBVH_OK )
		status = dbvh_robot_add_link( made, DBVH_NO_LINK, NULL, NULL, NULL, &e );
	if ( status == DBVH_OK )
		status = dbvh_robot_attach( made, 0, 7, NULL, &e );
	const double q = 0.0, time = 0.5;
	double between[2] = { 0.0 };
	dbvh_pose body;
	if ( status == DBVH_OK )
		status = dbvh_robot_between( made, DBVH_ROBOT_LAYOUT_ANGLES, &q, &q, &time, 1, between, &e );
	if ( status == DBVH_OK )
		status = dbvh_robot_place( made, DBVH_ROBOT_LAYOUT_ANGLES, &q, 1, NULL, &body, &e );
	check_error( status, &e );
	dbvh_robot_destroy( made );
	return status;
}

DOOR( scene_contacts ) {
	PLAIN;
	dbvh_scene *made = NULL;
	uint32_t bodies[2];
	assert_int_equal( dbvh_scene_create( NULL, &made, NULL ), DBVH_OK ); // takes nothing for this question
	assert_int_equal( dbvh_scene_add_body( made, s->at->a, NULL, NULL, &bodies[0], NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( made, s->at->b, &s->at->pose, NULL, &bodies[1], NULL ), DBVH_OK );
	dbvh_error e;
	const dbvh_status status = dbvh_scene_contacts( made, bodies[0], bodies[1], NULL, s->contacts, &e );
	check_error( status, &e );
	write_contacts( s );
	dbvh_scene_destroy( made );
	return status;
}
