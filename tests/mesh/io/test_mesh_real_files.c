// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Real meshes and the broken files of other projects, where this machine has them.

// opendir() is POSIX, and the dialect here is strict C.
#define _POSIX_C_SOURCE 200809L

#include "mesh/meshes.h"
#include "support/data.h"

#include <dirent.h>

// Counts that other programs found, for the files that the folder of real meshes describes.
static const struct {
	const char *name;
	size_t vertices, triangles, boundary, nonmanifold, duplicates, unused, degenerate;
	bool closed;
} meshes[] = {
    { "stanford/happy_vrip_res4.ply", 7108, 15536, 0, 1341, 771, 6, 0, false },
    { "stanford/happy_vrip_res3.ply", 32328, 67240, 0, 2816, 1650, 12, 0, false },
    { "stanford/bun_zipper.ply", 35947, 69451, 223, 0, 0, 1113, 0, false },
    { "airplane/b738_interior.obj", 95953, 160057, 16566, 8586, 4313, 0, 508, false },
    { "hands/fg_pilot_hand_L_488.obj", 252, 488, 14, 0, 0, 0, 0, false },
    { "hands/fg_pilot_hand_R_488.obj", 252, 488, 14, 0, 0, 0, 0, false },
    { "hands/fg_hand_R_805.obj", 410, 805, 19, 7, 0, 0, 0, false },
    { "cad/trimesh_cycloidal.ply", 21384, 43368, 0, 242, 0, 0, 0, false },
    { "cad/stlmodels_gearwheel.stl", 1222, 2444, 0, 0, 0, 0, 0, true },
    { "cad/trimesh_ballA.off", 1900, 3796, 0, 0, 0, 0, 0, true },
    { "cad/trimesh_ballB.off", 1900, 3796, 0, 0, 0, 0, 0, true },
    { "cad/trimesh_box10bodies.stl", 4455, 8954, 0, 0, 0, 0, 0, true },
    { "cad/trimesh_featuretype.stl", 2010, 3476, 576, 0, 0, 0, 0, false },
    { "classics/horse.ply", 48485, 96966, 0, 0, 0, 0, 0, true },
    { "classics/rocker-arm.obj", 10044, 20088, 0, 0, 0, 0, 0, true },
    { "classics/spot.obj", 2930, 5856, 0, 0, 0, 0, 0, true },
    { "classics/teapot.obj", 3644, 6320, 160, 0, 0, 0, 0, false },
    { "classics/suzanne.obj", 507, 968, 42, 1, 1, 0, 0, false },
};

static void test_counts( void **state ) {
	(void)state;
	size_t found = 0;
	for ( size_t i = 0; i < LENGTH( meshes ); ++i ) {
		dbvh_mesh *mesh = data_mesh( meshes[i].name );
		if ( mesh == NULL )
			continue;
		found += 1;
		const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
		dbvh_mesh_audit_result r;
		assert_int_equal( dbvh_mesh_audit( &view, NULL, &r, NULL, 0, NULL ), DBVH_OK );
		if ( r.vertex_count != meshes[i].vertices || r.triangle_count != meshes[i].triangles ||
		     r.boundary_edge_count != meshes[i].boundary || r.nonmanifold_edge_count != meshes[i].nonmanifold ||
		     r.duplicate_triangle_count != meshes[i].duplicates || r.unused_vertex_count != meshes[i].unused ||
		     r.degenerate_triangle_count != meshes[i].degenerate ||
		     ( r.closed_component_count == r.component_count ) != meshes[i].closed )
			fail_msg( "%s: %zu vertices, %zu triangles, %zu boundary, %zu non-manifold, %zu duplicate, %zu unused, "
			          "%zu degenerate",
			          meshes[i].name, r.vertex_count, r.triangle_count, r.boundary_edge_count, r.nonmanifold_edge_count,
			          r.duplicate_triangle_count, r.unused_vertex_count, r.degenerate_triangle_count );
		dbvh_mesh_destroy( mesh );
	}
	if ( found == 0 )
		skip();
}

// The project's own samples, which are always there.
static void test_samples( void **state ) {
	(void)state;
	static const struct {
		const char *name;
		size_t vertices, triangles, boundary, degenerate, duplicates, closed;
	} cases[] = {
	    { "cube.obj", 8, 12, 0, 0, 0, 1 },       { "octahedron.ply", 6, 8, 0, 0, 0, 1 },
	    { "tetrahedron.stl", 4, 4, 0, 0, 0, 1 }, { "open_box.off", 8, 10, 4, 0, 0, 0 },
	    { "cube_solid.stl", 8, 12, 0, 0, 0, 1 }, { "slivers.obj", 5, 7, 0, 2, 1, 0 },
	};
	for ( size_t i = 0; i < LENGTH( cases ); ++i ) {
		char path[1024];
		snprintf( path, sizeof path, "%s/%s", DUALBVH_SAMPLES, cases[i].name );
		dbvh_mesh *mesh;
		dbvh_error error;
		if ( dbvh_mesh_load( path, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ) != DBVH_OK )
			fail_msg( "%s: %s", cases[i].name, error.text );
		const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
		dbvh_mesh_audit_result r;
		assert_int_equal( dbvh_mesh_audit( &view, NULL, &r, NULL, 0, NULL ), DBVH_OK );
		if ( r.vertex_count != cases[i].vertices || r.triangle_count != cases[i].triangles ||
		     r.boundary_edge_count != cases[i].boundary || r.degenerate_triangle_count != cases[i].degenerate ||
		     r.duplicate_triangle_count != cases[i].duplicates || r.closed_component_count != cases[i].closed )
			fail_msg( "%s: %zu vertices, %zu triangles, %zu boundary, %zu degenerate, %zu duplicate, %zu closed",
			          cases[i].name, r.vertex_count, r.triangle_count, r.boundary_edge_count,
			          r.degenerate_triangle_count, r.duplicate_triangle_count, r.closed_component_count );
		dbvh_mesh_destroy( mesh );
	}
}

static size_t files_seen, files_read;

static void try_file( const char *path ) {
	for ( int format = DBVH_MESH_FORMAT_AUTO; format < DBVH_MESH_FORMAT_COUNT; ++format ) {
		dbvh_mesh *mesh;
		dbvh_error error;
		const dbvh_status status = dbvh_mesh_load( path, (dbvh_mesh_format)format, NULL, &mesh, &error );
		assert_true( ( status == DBVH_OK ) == ( mesh != NULL ) );
		assert_true( status == DBVH_OK || strlen( error.text ) > 0 );
		if ( format == DBVH_MESH_FORMAT_AUTO ) {
			files_seen += 1;
			files_read += status == DBVH_OK;
		}
		if ( status != DBVH_OK )
			continue;
		const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
		assert_int_equal( dbvh_mesh_view_check( &view, NULL ), DBVH_OK );
		dbvh_mesh_audit_result result;
		assert_int_equal( dbvh_mesh_audit( &view, NULL, &result, NULL, 0, NULL ), DBVH_OK );
		dbvh_mesh_destroy( mesh );
	}
}

static void walk( const char *folder ) {
	DIR *stream = opendir( folder );
	if ( stream == NULL ) {
		try_file( folder );
		return;
	}
	for ( const struct dirent *entry; ( entry = readdir( stream ) ) != NULL; ) {
		char path[1024];
		if ( entry->d_name[0] == '.' )
			continue;
		const int length = snprintf( path, sizeof path, "%s/%s", folder, entry->d_name );
		assert_true( length > 0 && (size_t)length < sizeof path );
		walk( path );
	}
	closedir( stream );
}

static void test_broken( void **state ) {
	(void)state;
	char folder[1024];
	snprintf( folder, sizeof folder, "%s/broken", data_folder() );
	DIR *stream = opendir( folder );
	if ( stream == NULL )
		skip();
	closedir( stream );
	walk( folder );
	print_message( "%zu files, %zu of them meshes\n", files_seen, files_read );
	assert_true( files_read > 0 && files_read < files_seen );
}

// Expected status of some broken files, from what their authors say about them.
static void test_some_broken( void **state ) {
	(void)state;
	static const struct {
		const char *name;
		dbvh_status status;
		size_t triangles;
	} cases[] = {
	    { "trimesh/unit_cube.STL", DBVH_OK, 12 }, // a binary file that begins with "solid"
	    { "stl-models/broken/wrongHeader.bin.stl", DBVH_OK, 12 },
	    { "stl-models/broken/incorrectFaceCounter.bin.stl", DBVH_TRUNCATED, 0 },
	    { "stl-models/broken/fourVertices.ascii.stl", DBVH_MALFORMED, 0 },
	    { "stl-models/broken/missingEndsolid.ascii.stl", DBVH_TRUNCATED, 0 },
	    { "stl-models/broken/notANumberNormal.ascii.stl", DBVH_OK, 4 },
	    { "tinyobjloader/test-nan.obj", DBVH_NOT_FINITE, 0 },
	    { "tinyobjloader/issue-140-zero-face-idx.obj", DBVH_INDEX_RANGE, 0 },
	    { "tinyobjloader/invalid-relative-vertex-index.obj", DBVH_INDEX_RANGE, 0 },
	    { "tinyobjloader/issue-161-inconsistent-f.obj", DBVH_OK, 12 },
	    { "tinyobjloader/points-prim.obj", DBVH_EMPTY, 0 },
	    { "trimesh/fuze_ascii.ply", DBVH_OK, 1000 },
	    { "trimesh/fuze.ply", DBVH_OK, 1000 },
	    { "trimesh/whitespace.off", DBVH_OK, 12 },
	    { "trimesh/comments.off", DBVH_OK, 12 },
	    { "happly/platonic_shelf.ply", DBVH_OK, 80 },
	    { "happly/platonic_shelf_big_endian.ply", DBVH_OK, 80 },
	    { "libigl/inspired_mesh_quads_Conjugate.off", DBVH_OK, 3266 },
	};
	size_t found = 0;
	for ( size_t i = 0; i < LENGTH( cases ); ++i ) {
		char path[1024];
		snprintf( path, sizeof path, "%s/broken/%s", data_folder(), cases[i].name );
		dbvh_mesh *mesh;
		dbvh_error error;
		const dbvh_status status = dbvh_mesh_load( path, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error );
		if ( status == DBVH_IO )
			continue;
		found += 1;
		if ( status != cases[i].status || dbvh_mesh_get_view( mesh ).triangle_count != cases[i].triangles )
			fail_msg( "%s: %s (%s)", cases[i].name, dbvh_status_name( status ), error.text );
		dbvh_mesh_destroy( mesh );
	}
	if ( found == 0 )
		skip();
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_samples ),
	    cmocka_unit_test( test_counts ),
	    cmocka_unit_test( test_broken ),
	    cmocka_unit_test( test_some_broken ),
	};
	return test_main( argc, argv, tests );
}
