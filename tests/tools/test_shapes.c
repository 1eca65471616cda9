// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The procedural meshes: exact counts, closed, oriented outwards, without degenerate triangles.

#include "dualbvh/mesh.h"
#include "shapes/shapes.h"
#include "support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double signed_volume( const shape *s ) {
	double six = 0.0;
	for ( size_t t = 0; t < s->triangle_count; ++t ) {
		const double *a = s->positions + 3 * (size_t)s->indices[3 * t];
		const double *b = s->positions + 3 * (size_t)s->indices[3 * t + 1];
		const double *c = s->positions + 3 * (size_t)s->indices[3 * t + 2];
		six += a[0] * ( b[1] * c[2] - b[2] * c[1] ) + a[1] * ( b[2] * c[0] - b[0] * c[2] ) +
		       a[2] * ( b[0] * c[1] - b[1] * c[0] );
	}
	return six / 6.0;
}

static dbvh_mesh_audit_result audit( const shape *s ) {
	dbvh_mesh_audit_result result;
	dbvh_error error;
	const dbvh_mesh_view view = shape_view( s );
	assert_false( s->failed );
	if ( dbvh_mesh_audit( &view, NULL, &result, NULL, 0, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	return result;
}

// Frees the shape.
static void expect_closed( shape *s, size_t triangles, double volume, double tolerance ) {
	const dbvh_mesh_audit_result a = audit( s );
	assert_int_equal( a.triangle_count, triangles );
	assert_int_equal( a.component_count, 1 );
	assert_int_equal( a.closed_component_count, 1 );
	assert_int_equal( a.oriented_component_count, 1 );
	assert_int_equal( a.degenerate_triangle_count, 0 );
	assert_int_equal( a.duplicate_triangle_count, 0 );
	assert_int_equal( a.unused_vertex_count, 0 );
	const double v = signed_volume( s );
	if ( !( fabs( v - volume ) <= tolerance ) )
		fail_msg( "the volume is %.17g, not about %g", v, volume );
	shape_free( s );
}

static void test_simple( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_sphere( &s, 1.0, 200, 200 );
	expect_closed( &s, 79600, 4.18879, 0.005 );
	shape_add_box( &s, 1.0, 2.0, 3.0, 4 );
	expect_closed( &s, 192, 48.0, 1e-12 );
	shape_add_torus( &s, 2.0, 0.5, 40, 30 );
	expect_closed( &s, 2400, 9.8696, 0.2 );
	const double c[3] = { 1.0, 2.0, 3.0 }, h[3] = { 1.0, 2.0, 0.5 };
	const uint32_t cells[3] = { 5, 7, 3 };
	shape_add_cushion( &s, c, h, cells, 0.4 );
	expect_closed( &s, 4 * ( 35 + 21 + 15 ), 6.3, 0.8 );
}

static void test_gear( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_gear g = shape_gear_default();
	assert_true( shape_add_gear( &s, &g ) );
	// Opposite teeth mirror each other, bit by bit: the lowest and highest x are equal but for the sign.
	const dbvh_mesh_audit_result a = audit( &s );
	assert_true( a.bounds.min[0] == -13.0 && a.bounds.max[0] == 13.0 && a.bounds.min[2] == -3.0 &&
	             a.bounds.max[2] == 3.0 );
	// A ring between bore and pitch circle, give or take.
	expect_closed( &s, 24 * ( 8 * 6 + 28 ), 2400.0, 150.0 );

	g.teeth = 8;
	g.flank_segments = 1;
	g.bore_radius = 1.0;
	assert_true( shape_add_gear( &s, &g ) );
	expect_closed( &s, 8 * 36, 250.0, 60.0 );

	g.teeth = 100;
	g.flank_segments = 20;
	assert_true( shape_add_gear( &s, &g ) ); // the root circle lies outside the base circle here
	expect_closed( &s, 100 * 188, 47000.0, 2000.0 );

	g = shape_gear_default();
	g.bore_radius = 11.0;
	assert_false( shape_add_gear( &s, &g ) );
	g = shape_gear_default();
	g.backlash = 3.0;
	assert_false( shape_add_gear( &s, &g ) );
	g = shape_gear_default();
	g.teeth = 7;
	assert_false( shape_add_gear( &s, &g ) );
	assert_int_equal( s.triangle_count, 0 );
}

static void test_hand( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_hand( &s );
	const dbvh_mesh_audit_result a = audit( &s );
	assert_true( a.bounds.min[0] > -0.03 && a.bounds.max[0] - a.bounds.min[0] > 0.18 &&
	             a.bounds.max[0] - a.bounds.min[0] < 0.21 );
	expect_closed( &s, 404, 0.0003, 0.0001 );
}

static void test_statue( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_statue( &s );
	const dbvh_mesh_audit_result a = audit( &s );
	assert_true( a.bounds.min[2] == 0.0 && a.bounds.max[2] == 1.0 );
	expect_closed( &s, 15536, 0.047, 0.002 );
}

static void test_cabin( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_cabin( &s );
	const dbvh_mesh_audit_result a = audit( &s );
	assert_int_equal( a.triangle_count, 169944 );
	assert_int_equal( a.degenerate_triangle_count, 0 );
	assert_int_equal( a.duplicate_triangle_count, 0 );
	assert_int_equal( a.nonmanifold_edge_count, 0 );
	assert_int_equal( a.oriented_component_count, a.component_count );
	assert_true( a.closed_component_count > 144 * 5 ); // seats and their parts
	assert_true( a.bounds.min[0] == 0.0 && a.bounds.max[0] == 20.0 );
	assert_true( a.bounds.max[1] > 1.7 && a.bounds.max[1] < 1.9 && a.bounds.min[1] == -a.bounds.max[1] );
	assert_true( a.bounds.min[2] > -1e-12 && a.bounds.max[2] < 2.6 );
	shape_free( &s );
}

static void test_stairs( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_stairs( &s, 5 );
	const dbvh_mesh_audit_result a = audit( &s );
	assert_int_equal( a.triangle_count, 60 );
	assert_int_equal( a.nonmanifold_edge_count, 4 ); // one between each two cubes
	assert_true( fabs( signed_volume( &s ) - 5.0 ) < 1e-12 );
	shape_free( &s );
}

static void test_pipe( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_pipe( &s, 1.0, 1.5, 4.0, 12 );
	const dbvh_mesh_audit_result a = audit( &s );
	assert_int_equal( a.triangle_count, 96 );
	assert_int_equal( a.closed_component_count, 1 );
	// 12 triangles of half an angle of 30 degrees each, of the outer radius less those of the inner one.
	assert_true( fabs( signed_volume( &s ) - 4.0 * 12 * 0.5 * sin( 0.5235987755982988 ) * ( 2.25 - 1.0 ) ) < 1e-12 );
	shape_free( &s );
}

static void test_turn( void **state ) {
	(void)state;
	for ( uint32_t n = 1; n < 100; ++n ) {
		for ( uint32_t k = 0; k <= n; ++k ) {
			double c, s, mc, ms;
			shape_turn( k, n, &c, &s );
			shape_turn( n - k, n, &mc, &ms );
			assert_true( c == mc && s == -ms );
			assert_true( fabs( c - cos( 6.283185307179586 * k / n ) ) < 1e-14 );
			assert_true( fabs( s - sin( 6.283185307179586 * k / n ) ) < 1e-14 );
			if ( n % 2 == 0 ) {
				shape_turn( k + n / 2, n, &mc, &ms );
				assert_true( c == -mc && s == -ms );
			}
			if ( n % 4 == 0 ) {
				shape_turn( k + n / 4, n, &mc, &ms );
				assert_true( c == ms && s == -mc );
			}
		}
	}
}

static void test_pose( void **state ) {
	(void)state;
	const double axis[3] = { 0.0, 0.0, 3.0 }, tilted[3] = { 1.0, -2.0, 0.5 }, at[3] = { 1.0, 2.0, 3.0 };
	double deviation;
	const dbvh_pose quarter = shape_pose( axis, -270.0, at );
	const double expected[12] = { 0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3 };
	for ( int i = 0; i < 12; ++i )
		assert_true( ( i % 4 < 3 ? quarter.rot[i / 4][i % 4] : quarter.pos[i / 4] ) == expected[i] );
	const dbvh_pose any = shape_pose( tilted, 37.0, at );
	assert_int_equal( dbvh_pose_check( &any, &deviation, NULL ), DBVH_OK );
	assert_true( deviation < 1e-14 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_simple ), cmocka_unit_test( test_gear ),  cmocka_unit_test( test_hand ),
	    cmocka_unit_test( test_statue ), cmocka_unit_test( test_cabin ), cmocka_unit_test( test_stairs ),
	    cmocka_unit_test( test_pipe ),   cmocka_unit_test( test_turn ),  cmocka_unit_test( test_pose ),
	};
	return test_main( argc, argv, tests );
}
