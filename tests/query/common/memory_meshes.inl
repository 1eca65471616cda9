// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Calls of test_memory.c on meshes, fits and packs of boxes.

static void write_mesh( scene *s, dbvh_status status, dbvh_mesh *m ) {
	if ( status != DBVH_OK ) {
		OUT( m );
		return;
	}
	const dbvh_mesh_view view = dbvh_mesh_get_view( m );
	OUT( view.vertex_count );
	OUT( view.triangle_count );
	write_out( s, view.indices, 3 * ( view.triangle_count < 64 ? view.triangle_count : 64 ) * sizeof( uint32_t ) );
	dbvh_mesh_destroy( m );
}
DOOR( mesh_create ) {
	PLAIN;
	const dbvh_mesh_view view = shape_view( &s->at->mesh_a );
	dbvh_mesh *m = (dbvh_mesh *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_mesh_create( &view, &s->allocator, &m, &e );
	check_error( status, &e );
	write_mesh( s, status, m );
	return status;
}
DOOR( mesh_create_hull ) {
	PLAIN;
	const dbvh_mesh_view view = shape_view( &s->at->mesh_a );
	dbvh_mesh *m = (dbvh_mesh *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_mesh_create_hull( &view, &s->allocator, &m, &e );
	check_error( status, &e );
	write_mesh( s, status, m );
	return status;
}
DOOR( mesh_create_boxes ) {
	PLAIN;
	const dbvh_aabb box = { { 0, 0, 0 }, { 1, 1, 1 } };
	dbvh_mesh *m = (dbvh_mesh *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_mesh_create_boxes( &box, 1, &s->allocator, &m, &e );
	check_error( status, &e );
	write_mesh( s, status, m );
	return status;
}
DOOR( mesh_create_height_field ) {
	PLAIN;
	const double heights[4] = { 0 };
	const dbvh_height_field field = { .heights = heights, .column_count = 2, .row_count = 2, .step = { 1, 1 } };
	dbvh_mesh *m = (dbvh_mesh *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_mesh_create_height_field( &field, &s->allocator, &m, &e );
	check_error( status, &e );
	write_mesh( s, status, m );
	return status;
}
static const char *const texts[] = {
    // A concave polygon, of enough corners for the sweep, and a plain triangle.
    "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 3 1 0\nv 2 4 0\nv 1 1 0\nv 0 4 0\nv 0 0 1\nf 1 2 3 4 5 6 7\nf 1 2 8\n",
    "OFF\n8 2 0\n0 0 0\n4 0 0\n4 4 0\n3 1 0\n2 4 0\n1 1 0\n0 4 0\n0 0 1\n7 0 1 2 3 4 5 6\n3 0 1 7\n",
    "ply\nformat ascii 1.0\nelement vertex 8\nproperty double x\nproperty double y\nproperty double z\nelement face 2\n"
    "property list uchar int vertex_indices\nend_header\n0 0 0\n4 0 0\n4 4 0\n3 1 0\n2 4 0\n1 1 0\n0 4 0\n0 0 1\n"
    "7 0 1 2 3 4 5 6\n3 0 1 7\n",
    "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 1\nendloop\nendfacet\nendsolid\n" };
DOOR( mesh_parse ) {
	dbvh_mesh *m = (dbvh_mesh *)s;
	dbvh_error e;
	const dbvh_status status =
	    dbvh_mesh_parse( texts[variant], strlen( texts[variant] ), DBVH_MESH_FORMAT_AUTO, &s->allocator, &m, &e );
	check_error( status, &e );
	write_mesh( s, status, m );
	return status;
}
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
DOOR( mesh_audit ) {
	PLAIN;
	const dbvh_mesh_view view = shape_view( &s->at->mesh_a );
	dbvh_mesh_audit_result out;
	dbvh_mesh_component parts[4];
	START( out );
	memset( parts, 0, sizeof parts );
	dbvh_error e;
	const dbvh_status status = dbvh_mesh_audit( &view, &s->allocator, &out, parts, 4, &e );
	check_error( status, &e );
	OUT( out );
	OUT( parts );
	return status;
}
DOOR( mesh_label_components ) {
	PLAIN;
	const dbvh_mesh_view view = shape_view( &s->at->mesh_a );
	size_t count = 99;
	uint32_t *labels = malloc( view.triangle_count * sizeof *labels );
	assert_non_null( labels );
	memset( labels, 0x55, view.triangle_count * sizeof *labels );
	dbvh_error e;
	const dbvh_status status = dbvh_mesh_label_components( &view, &s->allocator, labels, &count, &e );
	check_error( status, &e );
	OUT( count );
	if ( status == DBVH_OK )
		write_out( s, labels, view.triangle_count * sizeof *labels );
	free( labels );
	return status;
}

DOOR( sphere_fit ) {
	PLAIN;
	dbvh_sphere out;
	START( out );
	const shape *m = &s->at->mesh_a;
	const dbvh_status status = dbvh_sphere_fit( m->positions, m->vertex_count, &s->allocator, &out, NULL );
	if ( status == DBVH_OK )
		OUT( out );
	return status;
}
DOOR( obb_fit ) {
	PLAIN;
	dbvh_obb out;
	START( out );
	const shape *m = &s->at->mesh_a;
	const dbvh_status status = dbvh_obb_fit( m->positions, m->vertex_count, &s->allocator, &out, NULL );
	if ( status == DBVH_OK )
		OUT( out );
	return status;
}
DOOR( ellipsoid_fit ) {
	PLAIN;
	dbvh_ellipsoid out;
	START( out );
	const shape *m = &s->at->mesh_a;
	const dbvh_status status = dbvh_ellipsoid_fit( m->positions, m->vertex_count, &s->allocator, &out, NULL );
	if ( status == DBVH_OK )
		OUT( out );
	return status;
}
DOOR( obb_pack_create ) {
	PLAIN;
	dbvh_obb boxes[20];
	for ( int i = 0; i < 20; ++i )
		boxes[i] = ( dbvh_obb ){ .centre = { 0.2 * i, 0.0, 0.0 },
		                         .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
		                         .half = { 0.1, 0.2, 0.3 } };
	const dbvh_ellipsoid ball = { .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, .half = { 1.0, 0.5, 0.5 } };
	dbvh_obb_pack *pack = (dbvh_obb_pack *)s;
	const dbvh_status status = dbvh_obb_pack_create( boxes, 20, &s->allocator, &pack, NULL );
	uint8_t meet[20] = { 0 };
	if ( status != DBVH_OK )
		OUT( pack );
	else
		assert_int_equal( dbvh_ellipsoid_obb_intersect_batch( &ball, pack, meet, NULL ), DBVH_OK );
	OUT( meet );
	dbvh_obb_pack_destroy( pack );
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
