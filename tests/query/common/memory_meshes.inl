// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What test_memory.c asks of meshes, fits and packs of boxes.

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
