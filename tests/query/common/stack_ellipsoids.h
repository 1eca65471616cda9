// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Calls of test_stack.c on fits and ellipsoids.

#pragma once

DOOR( ellipsoid_fit ) {
	s->done += dbvh_ellipsoid_fit( s->at->mesh.positions, s->at->mesh.vertex_count < 40 ? s->at->mesh.vertex_count : 40,
	                               NULL, &s->ellipsoid, NULL ) == DBVH_OK;
}
DOOR( sphere_fit ) {
	s->done += dbvh_sphere_fit( s->at->mesh.positions, s->at->mesh.vertex_count, NULL, &s->sphere, NULL ) == DBVH_OK;
}
DOOR( obb_fit ) {
	s->done += dbvh_obb_fit( s->at->mesh.positions, s->at->mesh.vertex_count, NULL, &s->obb, NULL ) == DBVH_OK;
}
DOOR( ellipsoid_transform ) {
	const double linear[3][3] = { { 1, 0.5, 0 }, { 0, 2, 0.25 }, { 0, 0, 1 } }, shift[3] = { 1, 2, 3 };
	dbvh_ellipsoid out;
	s->done += dbvh_ellipsoid_transform( &s->ellipsoid, linear, shift, &out ) == DBVH_OK;
}
DOOR( ellipsoid_point_intersect ) {
	bool out;
	s->done += dbvh_ellipsoid_point_intersect( &s->ellipsoid, s->obb.centre, &out ) == DBVH_OK;
}
DOOR( ellipsoid_segment_intersect ) {
	bool out;
	s->done += dbvh_ellipsoid_segment_intersect( &s->ellipsoid, s->obb.centre, s->sphere.centre, &out ) == DBVH_OK;
}
DOOR( ellipsoid_polyhedron_intersect ) {
	const double points[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	const uint32_t faces[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 1, 2, 3 }, { 0, 3, 2 } };
	const dbvh_polyhedron tetrahedron = { points, 4, faces, 4 };
	bool out;
	s->done += dbvh_ellipsoid_polyhedron_intersect( &s->ellipsoid, &tetrahedron, &out ) == DBVH_OK;
}
DOOR( ellipsoid_repair ) {
	s->done += dbvh_ellipsoid_repair( &s->ellipsoid, 0.0 ) == DBVH_OK;
}
DOOR( obb_repair ) {
	s->done += dbvh_obb_repair( &s->obb, 0.0 ) == DBVH_OK;
}
DOOR( ellipsoid_margin ) {
	s->done += dbvh_ellipsoid_margin( &s->ellipsoid, &s->obb ) != 0.0;
}
DOOR( ellipsoid_obb_intersect ) {
	bool out;
	s->obb.centre[0] = 1.2;
	s->obb.centre[1] = s->obb.centre[2] = 0.0;
	for ( int k = 0; k < 3; ++k )
		s->obb.half[k] = 0.5;
	s->done += dbvh_ellipsoid_obb_intersect( &s->ellipsoid, &s->obb, (dbvh_ellipsoid_method)rng_below( &s->r, 8 ),
	                                         &out ) == DBVH_OK;
}
