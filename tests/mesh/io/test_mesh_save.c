// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The writers, and the views they write.

#include "mesh/meshes.h"
#include "shapes/shapes.h"
#include "support/rng.h"

#include <float.h>
#include <math.h>

#define PATH( ending ) "test_mesh_save." ending

static const struct {
	const char *path;
	dbvh_mesh_format format;
	bool keeps_vertices; // an STL forgets their numbers
	bool rounds;         // to float
} kinds[] = {
    { PATH( "stl" ), DBVH_MESH_FORMAT_AUTO, false, true },
    { PATH( "STL" ), DBVH_MESH_FORMAT_STL, false, true },
    { PATH( "stl" ), DBVH_MESH_FORMAT_STL_ASCII, false, false },
    { PATH( "obj" ), DBVH_MESH_FORMAT_AUTO, true, false },
    { PATH( "ply" ), DBVH_MESH_FORMAT_AUTO, true, false },
    { PATH( "x" ), DBVH_MESH_FORMAT_PLY_ASCII, true, false },
    { PATH( "Off" ), DBVH_MESH_FORMAT_AUTO, true, false },
};

static void round_trip( const dbvh_mesh_view *view ) {
	for ( size_t i = 0; i < LENGTH( kinds ); ++i ) {
		dbvh_error error;
		if ( dbvh_mesh_save( view, kinds[i].path, kinds[i].format, &error ) != DBVH_OK )
			fail_msg( "%s: %s", kinds[i].path, error.text );
		dbvh_mesh *mesh;
		if ( dbvh_mesh_load( kinds[i].path, DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ) != DBVH_OK )
			fail_msg( "%s: %s", kinds[i].path, error.text );
		remove( kinds[i].path );
		const dbvh_mesh_view back = dbvh_mesh_get_view( mesh );
		const double *positions = view->positions, *back_positions = back.positions;
		const uint32_t *indices = view->indices, *back_indices = back.indices;
		assert_int_equal( back.triangle_count, view->triangle_count );
		if ( kinds[i].keeps_vertices ) {
			assert_int_equal( back.vertex_count, view->vertex_count );
			assert_memory_equal( back_positions, positions, 3 * sizeof( double ) * view->vertex_count );
			assert_memory_equal( back_indices, indices, 3 * sizeof( uint32_t ) * view->triangle_count );
		}
		for ( size_t k = 0; k < 9 * view->triangle_count; ++k ) {
			const double before = positions[3 * indices[k / 3] + k % 3];
			const double after = back_positions[3 * back_indices[k / 3] + k % 3];
			assert_true( after == ( kinds[i].rounds ? (double)(float)before : before ) );
		}
		dbvh_mesh_destroy( mesh );
	}
}

static void test_round_trip( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_sphere( &s, 1.0 / 3.0, 12, 7 );
	shape_add_box( &s, 0.1, 1e-7, 1e9, 2 );
	assert_false( s.failed );
	const dbvh_mesh_view view = shape_view( &s );
	round_trip( &view );
	rng r = rng_announce( "save", 5 );
	for ( size_t i = 0; i < 3 * s.vertex_count; ++i )
		s.positions[i] = ldexp( rng_range( &r, -1.0, 1.0 ), (int)rng_below( &r, 200 ) - 100 );
	s.positions[5] = -0.0;
	round_trip( &view );
	shape_free( &s );
}

// Coordinates beyond the range of floats cannot be saved as binary STL, and can in every other format.
static void test_beyond_float( void **state ) {
	(void)state;
	static const struct {
		double value;
		dbvh_status status;
	} cases[] = {
	    { FLT_MAX, DBVH_OK },
	    { -(double)FLT_MAX, DBVH_OK },
	    { 0x1.fffffefffffffp127, DBVH_OK }, // rounds to FLT_MAX
	    { 0x1.ffffffp127, DBVH_LIMIT },     // a tie, which rounds to infinity
	    { -1e300, DBVH_LIMIT },
	    { 1e-300, DBVH_OK },
	};
	for ( size_t i = 0; i < LENGTH( cases ); ++i ) {
		double positions[12];
		memcpy( positions, tetra_positions, sizeof positions );
		positions[7] = cases[i].value;
		dbvh_mesh_view view = tetra_view();
		view.positions = positions;
		dbvh_error error;
		assert_int_equal( dbvh_mesh_save( &view, PATH( "stl" ), DBVH_MESH_FORMAT_AUTO, &error ), cases[i].status );
		assert_int_equal( error.element, cases[i].status == DBVH_OK ? -1 : 2 );
		assert_int_equal( dbvh_mesh_save( &view, PATH( "stl" ), DBVH_MESH_FORMAT_STL_ASCII, &error ), DBVH_OK );
		remove( PATH( "stl" ) );
	}
}

// Each format has an ending, a writer, a reader, and content or an ending by which it is recognised.
static void test_every_format( void **state ) {
	(void)state;
	const dbvh_mesh_view view = tetra_view();
	assert_null( dbvh_mesh_format_ending( DBVH_MESH_FORMAT_AUTO ) );
	assert_null( dbvh_mesh_format_ending( DBVH_MESH_FORMAT_COUNT ) );
	assert_null( dbvh_mesh_format_ending( (dbvh_mesh_format)-1 ) );
	for ( int i = 1; i < DBVH_MESH_FORMAT_COUNT; ++i ) {
		const dbvh_mesh_format format = (dbvh_mesh_format)i;
		const char *const ending = dbvh_mesh_format_ending( format );
		assert_non_null( ending );
		char path[64];
		snprintf( path, sizeof path, PATH( "%s" ), ending );
		// By its ending, which is that of one format at least; then the format itself.
		for ( int by_ending = 0; by_ending <= 1; ++by_ending ) {
			const dbvh_mesh_format written = by_ending ? DBVH_MESH_FORMAT_AUTO : format;
			assert_int_equal( dbvh_mesh_save( &view, path, written, NULL ), DBVH_OK );
			for ( int by_content = 0; by_content <= 1; ++by_content ) {
				dbvh_mesh *mesh;
				const dbvh_mesh_format read = by_content ? DBVH_MESH_FORMAT_AUTO : format;
				assert_int_equal( dbvh_mesh_load( path, read, NULL, &mesh, NULL ), DBVH_OK );
				assert_int_equal( dbvh_mesh_get_view( mesh ).triangle_count, view.triangle_count );
				dbvh_mesh_destroy( mesh );
			}
			remove( path );
		}
	}
	dbvh_mesh *mesh;
	assert_int_equal( dbvh_mesh_save( &view, PATH( "obj" ), DBVH_MESH_FORMAT_COUNT, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_mesh_parse( "x", 1, DBVH_MESH_FORMAT_COUNT, NULL, &mesh, NULL ), DBVH_INVALID_ARGUMENT );
}

static void test_refusals( void **state ) {
	(void)state;
	const dbvh_mesh_view view = tetra_view();
	dbvh_error error;
	assert_int_equal( dbvh_mesh_save( &view, "mesh.xyz", DBVH_MESH_FORMAT_AUTO, &error ), DBVH_UNKNOWN_FORMAT );
	assert_int_equal( dbvh_mesh_save( &view, "mesh", DBVH_MESH_FORMAT_AUTO, &error ), DBVH_UNKNOWN_FORMAT );
	assert_int_equal( dbvh_mesh_save( &view, NULL, DBVH_MESH_FORMAT_OBJ, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_mesh_save( &view, "m.obj", (dbvh_mesh_format)99, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_mesh_save( NULL, "m.obj", DBVH_MESH_FORMAT_OBJ, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_mesh_save( &view, "no/such/folder/m.obj", DBVH_MESH_FORMAT_AUTO, &error ), DBVH_IO );
	assert_true( strlen( error.text ) > 0 );
	FILE *full = fopen( "/dev/full", "wb" );
	if ( full != NULL ) {
		fclose( full );
		assert_int_equal( dbvh_mesh_save( &view, "/dev/full", DBVH_MESH_FORMAT_OBJ, &error ), DBVH_IO );
		assert_non_null( strstr( error.text, "full" ) );
	}
}

// One mesh in every layout a view can have.
static void test_views( void **state ) {
	(void)state;
	float narrow[4 * 5] = { 0 };
	unsigned char wide[4 * 29] = { 0 }; // an odd stride
	uint64_t long_indices[4 * 4] = { 0 };
	double soup[36];
	for ( size_t i = 0; i < 4; ++i ) {
		for ( size_t k = 0; k < 3; ++k ) {
			narrow[5 * i + k] = (float)tetra_positions[3 * i + k];
			long_indices[4 * i + k] = tetra_indices[3 * i + k];
		}
		memcpy( wide + 29 * i, tetra_positions + 3 * i, 24 );
	}
	for ( size_t i = 0; i < 36; ++i )
		soup[i] = tetra_positions[3 * tetra_indices[i / 3] + i % 3];
	const dbvh_mesh_view views[] = {
	    tetra_view(),
	    { .positions = narrow,
	      .vertex_count = 4,
	      .vertex_stride = 20,
	      .position_type = DBVH_POSITION_TYPE_FLOAT32,
	      .indices = long_indices,
	      .triangle_count = 4,
	      .triangle_stride = 32,
	      .index_type = DBVH_INDEX_TYPE_UINT64 },
	    { .positions = wide, .vertex_count = 4, .vertex_stride = 29, .indices = tetra_indices, .triangle_count = 4 },
	    { .positions = soup, .vertex_count = 12, .triangle_count = 77, .index_type = DBVH_INDEX_TYPE_NONE },
	};
	for ( size_t v = 0; v < LENGTH( views ); ++v ) {
		dbvh_mesh *mesh;
		dbvh_error error;
		assert_int_equal( dbvh_mesh_create( &views[v], NULL, &mesh, &error ), DBVH_OK );
		const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
		assert_int_equal( view.triangle_count, 4 );
		assert_int_equal( view.vertex_count, views[v].vertex_count );
		for ( size_t i = 0; i < 36; ++i )
			assert_true( ( (const double *)view.positions )[3 * ( (const uint32_t *)view.indices )[i / 3] + i % 3] ==
			             soup[i] );
		dbvh_mesh_destroy( mesh );
		assert_int_equal( dbvh_mesh_save( &views[v], PATH( "stl" ), DBVH_MESH_FORMAT_AUTO, &error ), DBVH_OK );
		assert_int_equal( dbvh_mesh_load( PATH( "stl" ), DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ), DBVH_OK );
		assert_int_equal( dbvh_mesh_get_view( mesh ).vertex_count, 4 );
		dbvh_mesh_destroy( mesh );
		remove( PATH( "stl" ) );
	}
}

typedef void spoil( dbvh_mesh_view *view );

static void spoil_nothing( dbvh_mesh_view *view ) {
	(void)view;
}
static void spoil_position_type( dbvh_mesh_view *view ) {
	view->position_type = (dbvh_position_type)7;
}
static void spoil_index_type( dbvh_mesh_view *view ) {
	view->index_type = (dbvh_index_type)7;
}
static void spoil_positions( dbvh_mesh_view *view ) {
	view->positions = NULL;
}
static void spoil_indices( dbvh_mesh_view *view ) {
	view->indices = NULL;
}
static void spoil_vertex_stride( dbvh_mesh_view *view ) {
	view->vertex_stride = 23;
}
static void spoil_far_stride( dbvh_mesh_view *view ) {
	view->vertex_stride = SIZE_MAX / 2;
}
static void spoil_triangle_stride( dbvh_mesh_view *view ) {
	view->triangle_stride = 11;
}
static void spoil_vertex_count( dbvh_mesh_view *view ) {
	view->vertex_count = DBVH_MAX_ELEMENTS + 1;
}
static void spoil_triangle_count( dbvh_mesh_view *view ) {
	view->triangle_count = SIZE_MAX;
}
static void spoil_empty( dbvh_mesh_view *view ) {
	view->triangle_count = 0;
	view->indices = NULL;
}
static void spoil_no_vertices( dbvh_mesh_view *view ) {
	view->vertex_count = 0;
	view->positions = NULL;
}
static void spoil_fewer_vertices( dbvh_mesh_view *view ) {
	view->vertex_count = 3;
}
static void spoil_unindexed( dbvh_mesh_view *view ) {
	view->index_type = DBVH_INDEX_TYPE_NONE;
}
static void spoil_finite( dbvh_mesh_view *view ) {
	static double bad[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	bad[11] = (double)INFINITY;
	view->positions = bad;
}

static void test_view_check( void **state ) {
	(void)state;
	static const struct {
		spoil *by;
		dbvh_status status;
		int64_t element;
	} cases[] = {
	    { spoil_nothing, DBVH_OK, -1 },
	    { spoil_position_type, DBVH_INVALID_ARGUMENT, -1 },
	    { spoil_index_type, DBVH_INVALID_ARGUMENT, -1 },
	    { spoil_positions, DBVH_INVALID_ARGUMENT, -1 },
	    { spoil_indices, DBVH_INVALID_ARGUMENT, -1 },
	    { spoil_vertex_stride, DBVH_INVALID_ARGUMENT, -1 },
	    { spoil_far_stride, DBVH_INVALID_ARGUMENT, -1 },
	    { spoil_triangle_stride, DBVH_INVALID_ARGUMENT, -1 },
	    { spoil_vertex_count, DBVH_LIMIT, -1 },
	    { spoil_triangle_count, DBVH_LIMIT, -1 },
	    { spoil_empty, DBVH_EMPTY, -1 },
	    { spoil_no_vertices, DBVH_INDEX_RANGE, 0 },
	    { spoil_fewer_vertices, DBVH_INDEX_RANGE, 1 },
	    { spoil_unindexed, DBVH_INVALID_ARGUMENT, -1 },
	    { spoil_finite, DBVH_NOT_FINITE, 3 },
	};
	for ( size_t i = 0; i < LENGTH( cases ); ++i ) {
		dbvh_mesh_view view = tetra_view();
		cases[i].by( &view );
		dbvh_error error;
		if ( dbvh_mesh_view_check( &view, &error ) != cases[i].status || error.element != cases[i].element )
			fail_msg( "case %zu: %s, element %lld (%s)", i, dbvh_status_name( error.status ), (long long)error.element,
			          error.text );
		assert_int_equal( dbvh_mesh_view_check( &view, NULL ), cases[i].status );
		dbvh_mesh *mesh = (dbvh_mesh *)&view;
		assert_int_equal( dbvh_mesh_create( &view, NULL, &mesh, &error ), cases[i].status );
		assert_true( ( mesh != NULL ) == ( cases[i].status == DBVH_OK ) );
		dbvh_mesh_destroy( mesh );
	}
	assert_int_equal( dbvh_mesh_view_check( NULL, NULL ), DBVH_INVALID_ARGUMENT );
	dbvh_mesh_destroy( NULL );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_round_trip ),   cmocka_unit_test( test_beyond_float ),
	    cmocka_unit_test( test_every_format ), cmocka_unit_test( test_refusals ),
	    cmocka_unit_test( test_views ),        cmocka_unit_test( test_view_check ),
	};
	return test_main( argc, argv, tests );
}
