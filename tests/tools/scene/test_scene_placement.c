// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Affine maps are split into a pose and what is baked, and meshes are baked once a map.

#include "model/baked.h"
#include "model/placement.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

static void random_rotation( rng *r, double out[3][3] ) {
	double q[4];
	for ( int i = 0; i < 4; ++i )
		q[i] = rng_range( r, -1.0, 1.0 );
	const double pos[3] = { 0 };
	const dbvh_pose pose = dbvh_pose_from_quaternion( q, pos );
	memcpy( out, pose.rot, sizeof pose.rot );
}

static void multiply( const double a[3][3], const double b[3][3], double out[3][3] ) {
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

static void set_affine( const double linear[3][3], double out[3][4] ) {
	for ( int i = 0; i < 3; ++i ) {
		memcpy( out[i], linear[i], 3 * sizeof( double ) );
		out[i][3] = 10.0 + i;
	}
}

// pose( baked ) is the map, to `tolerance` of its largest entry.
static void check_split( const double m[3][4], double tolerance, double baked[3][3] ) {
	dbvh_pose rigid;
	bool is_rigid;
	assert_true( scene_split_affine( m, &rigid, baked, &is_rigid ) );
	assert_int_equal( dbvh_pose_check( &rigid, NULL, NULL ), DBVH_OK );
	double product[3][3], size = 0.0;
	multiply( rigid.rot, baked, product );
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			size = fmax( size, fabs( m[i][j] ) );
	for ( int i = 0; i < 3; ++i ) {
		assert_true( rigid.pos[i] == m[i][3] );
		for ( int j = 0; j < 3; ++j )
			if ( !( fabs( product[i][j] - m[i][j] ) <= tolerance * size ) )
				fail_msg( "entry %d %d: %.17g for %.17g", i, j, product[i][j], m[i][j] );
	}
}

static void test_rigid_maps_are_kept( void **state ) {
	(void)state;
	rng r = rng_announce( "rigid maps", 41 );
	for ( size_t n = rounds( 200 ); n-- > 0; ) {
		double rotation[3][3], m[3][4], baked[3][3];
		random_rotation( &r, rotation );
		set_affine( rotation, m );
		dbvh_pose rigid;
		bool is_rigid;
		assert_true( scene_split_affine( m, &rigid, baked, &is_rigid ) );
		assert_true( is_rigid );
		for ( int i = 0; i < 3; ++i )
			assert_memory_equal( rigid.rot[i], rotation[i], sizeof rotation[i] );
		assert_true( baked[0][0] == 1.0 && baked[1][1] == 1.0 && baked[2][2] == 1.0 && baked[0][1] == 0.0 );
	}
}

// The same scale under any rotation bakes the same bits, also where the matrix was rounded to floats.
static void test_scales_are_shared( void **state ) {
	(void)state;
	rng r = rng_announce( "scales", 42 );
	static const double scales[][3] = { { 0.001, 0.001, 0.001 }, { 25.4, 25.4, 25.4 }, { 1, 2, 3 },
	                                    { 0.0254, 0.1, 0.1 },    { 7, 7, 7 },          { -2, -2, -2 } };
	for ( size_t k = 0; k < sizeof scales / sizeof scales[0]; ++k ) {
		const double *s = scales[k];
		const double scale[3][3] = { { s[0], 0, 0 }, { 0, s[1], 0 }, { 0, 0, s[2] } };
		for ( size_t n = rounds( 100 ); n-- > 0; ) {
			double rotation[3][3], linear[3][3], m[3][4], baked[3][3];
			random_rotation( &r, rotation );
			multiply( rotation, scale, linear );
			const bool floats = n % 2 == 0;
			for ( int i = 0; i < 3 && floats; ++i )
				for ( int j = 0; j < 3; ++j )
					linear[i][j] = (double)(float)linear[i][j];
			set_affine( linear, m );
			check_split( m, 1e-14, baked );
			for ( int i = 0; i < 3; ++i )
				for ( int j = 0; j < 3; ++j )
					if ( baked[i][j] != scale[i][j] )
						fail_msg( "scale %zu, entry %d %d: %.17g", k, i, j, baked[i][j] );
		}
	}
}

static void test_any_map_is_split( void **state ) {
	(void)state;
	rng r = rng_announce( "any map", 43 );
	size_t mirrors = 0;
	for ( size_t n = rounds( 1000 ); n-- > 0; ) {
		double m[3][4], baked[3][3];
		const double size = exp( rng_range( &r, -80.0, 80.0 ) );
		for ( int i = 0; i < 3; ++i )
			for ( int j = 0; j < 4; ++j )
				m[i][j] = rng_range( &r, -size, size );
		check_split( m, 0x1p-48, baked );
		const double det = baked[0][0] * ( baked[1][1] * baked[2][2] - baked[1][2] * baked[2][1] ) -
		                   baked[0][1] * ( baked[1][0] * baked[2][2] - baked[1][2] * baked[2][0] ) +
		                   baked[0][2] * ( baked[1][0] * baked[2][1] - baked[1][1] * baked[2][0] );
		mirrors += det < 0.0;
	}
	assert_outcomes( mirrors > 0 );
}

static void test_what_flattens_is_refused( void **state ) {
	(void)state;
	double m[3][4] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 0, 0 } }, baked[3][3];
	dbvh_pose rigid;
	bool is_rigid;
	assert_false( scene_split_affine( m, &rigid, baked, &is_rigid ) );
	m[2][2] = 1e-12; // nearly flat: baked as it is
	check_split( m, 0.0, baked );
	assert_true( baked[2][2] == 1e-12 );
	m[2][2] = 1.0;
	m[1][3] = INFINITY;
	assert_false( scene_split_affine( m, &rigid, baked, &is_rigid ) );
	m[1][3] = NAN;
	assert_false( scene_split_affine( m, &rigid, baked, &is_rigid ) );
}

static void test_meshes_are_baked_once( void **state ) {
	(void)state;
	const float corners[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	const dbvh_mesh_view view = { .positions = corners,
	                              .vertex_count = 3,
	                              .position_type = DBVH_POSITION_TYPE_FLOAT32,
	                              .index_type = DBVH_INDEX_TYPE_NONE };
	scene_model model = { 0 };
	scene_baked table = { 0 };
	dbvh_error error;
	double linear[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	assert_int_equal( scene_baked_mesh( &table, &model, 7, &view, linear, "t", &error ), 0 );
	for ( uint32_t i = 1; i <= 100; ++i ) {
		linear[0][0] = -2.0 * i;
		assert_int_equal( scene_baked_mesh( &table, &model, 7, &view, linear, "t", &error ), i );
		assert_int_equal( scene_baked_mesh( &table, &model, 7, &view, linear, "t", &error ), i );
	}
	linear[0][0] = 1.0;
	linear[0][1] = -0.0;
	assert_int_equal( scene_baked_mesh( &table, &model, 7, &view, linear, "t", &error ), 0 );
	assert_int_equal( scene_baked_mesh( &table, &model, 8, &view, linear, "t", &error ), 101 );
	const dbvh_mesh_view baked = dbvh_mesh_get_view( model.meshes[3].mesh );
	const double *p = baked.positions;
	const uint32_t *t = baked.indices;
	// The map mirrors, so the triangle is turned round.
	assert_true( p[3 * t[0]] == 0.0 && p[3 * t[1] + 1] == 1.0 && p[3 * t[2]] == -6.0 );
	linear[0][0] = 1e308;
	linear[0][1] = 1e308;
	const double big[] = { 2, 2, 2, 1, 0, 0, 0, 1, 0 };
	const dbvh_mesh_view beyond = { .positions = big, .vertex_count = 3, .index_type = DBVH_INDEX_TYPE_NONE };
	assert_int_equal( scene_baked_mesh( &table, &model, 9, &beyond, linear, "t", &error ), SCENE_NONE );
	assert_int_equal( error.status, DBVH_NOT_FINITE );
	scene_baked_free( &table );
	scene_model_free( &model );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_rigid_maps_are_kept ),   cmocka_unit_test( test_scales_are_shared ),
	    cmocka_unit_test( test_any_map_is_split ),      cmocka_unit_test( test_what_flattens_is_refused ),
	    cmocka_unit_test( test_meshes_are_baked_once ),
	};
	return test_main( argc, argv, tests );
}
