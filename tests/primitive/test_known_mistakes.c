// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Known mistakes of others, and what is refused.

#include "dualbvh/primitives.h"
#include "support/unit.h"

#include <math.h>

static const double nowhere[3] = { 0.0, 0.0, 0.0 };

// Cases that the founding texts leave out or get wrong, with answers that are doubles.
static void test_known_mistakes( void **state ) {
	(void)state;
	dbvh_signed_distance gap;
	dbvh_hit_interval hit_interval;
	bool meet;
	const dbvh_sphere one = { { 1.0, 2.0, 3.0 }, 1.0 }, two = { { 1.0, 2.0, 3.0 }, 2.0 },
	                  none = { { 1.0, 2.0, 3.0 }, 0.0 };
	assert_int_equal( dbvh_sphere_sphere_signed_distance( &one, &two, &gap ), DBVH_OK ); // concentric
	assert_true( gap.distance == 0.0 && gap.depth == 3.0 && gap.normal[0] == 1.0 );
	assert_true( gap.point_a[0] == 2.0 && gap.point_b[0] == -1.0 );
	assert_int_equal( dbvh_sphere_sphere_signed_distance( &none, &none, &gap ), DBVH_OK );
	assert_true( gap.distance == 0.0 && gap.depth == 0.0 && gap.normal[0] == 1.0 );

	const dbvh_aabb box = { { 0.0, 0.0, 0.0 }, { 4.0, 6.0, 8.0 } };
	assert_int_equal( dbvh_sphere_aabb_signed_distance( &one, &box, &gap ), DBVH_OK ); // the centre inside
	assert_true( gap.depth == 2.0 && gap.normal[0] == 1.0 && gap.point_b[0] == 0.0 && gap.point_a[0] == 2.0 );

	const dbvh_sphere unit = { { 0.0, 0.0, 0.0 }, 1.0 };
	const dbvh_ray still = { { 0.5, 0.0, 0.0 }, { 0.0, 0.0, 0.0 } }, away = { { 2.0, 0.0, 0.0 }, { 1.0, 0.0, 0.0 } };
	const dbvh_ray grazing = { { -4.0, 1.0, 0.0 }, { 2.0, 0.0, 0.0 } },
	               far = { { -0x1p60, 0.0, 0.0 }, { 1.0, 0.0, 0.0 } };
	assert_int_equal( dbvh_ray_sphere_hit( &still, &unit, &hit_interval ), DBVH_OK );
	assert_true( hit_interval.intersects && hit_interval.inside && hit_interval.enter == 0.0 &&
	             hit_interval.exit == 0.0 && hit_interval.point[0] == 0.5 );
	assert_int_equal( dbvh_ray_sphere_hit( &away, &unit, &hit_interval ), DBVH_OK );
	assert_false( hit_interval.intersects );
	assert_int_equal( dbvh_ray_sphere_hit( &grazing, &unit, &hit_interval ), DBVH_OK );
	assert_true( hit_interval.intersects && hit_interval.enter == 2.0 && hit_interval.exit == 2.0 );
	assert_int_equal( dbvh_ray_sphere_hit( &far, &unit, &hit_interval ), DBVH_OK ); // cancels in the printed form
	assert_true( hit_interval.intersects && hit_interval.enter == nextafter( 0x1p60, 0.0 ) &&
	             hit_interval.exit == nextafter( 0x1p60, INFINITY ) );

	const dbvh_segment through = { { -4.0, 3.0, 4.0 }, { 12.0, 3.0, 4.0 } };
	assert_int_equal( dbvh_segment_aabb_hit( &through, &box, &hit_interval ), DBVH_OK );
	assert_true( hit_interval.intersects && hit_interval.enter == 0.25 && hit_interval.exit == 0.5 &&
	             hit_interval.point[0] == 0.0 );

	// Stacked boxes of one orientation: three of the products of edges are zero, or rounding.
	const dbvh_pose pose = dbvh_pose_from_quaternion( ( const double[4] ){ 0.3, 0.2, -0.5, 0.8 }, nowhere );
	dbvh_obb low = { .half = { 1.0, 2.0, 3.0 } }, high = { .half = { 1.0, 2.0, 3.0 } };
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			low.axis[i][k] = high.axis[i][k] = pose.rot[k][i];
	}
	for ( int k = 0; k < 3; ++k )
		high.centre[k] = 5.9375 * low.axis[2][k];
	assert_int_equal( dbvh_obb_obb_intersect( &low, &high, &meet ), DBVH_OK );
	assert_true( meet );
	for ( int k = 0; k < 3; ++k )
		high.centre[k] = 6.0625 * low.axis[2][k];
	assert_int_equal( dbvh_obb_obb_intersect( &low, &high, &meet ), DBVH_OK );
	assert_false( meet );
}

static void test_refusals( void **state ) {
	(void)state;
	bool meet = true;
	dbvh_signed_distance gap;
	dbvh_hit_interval hit_interval;
	dbvh_aabb bounds_out;
	double distance;
	const dbvh_sphere s = { { 0.0, 0.0, 0.0 }, 1.0 }, nan = { { 0.0, NAN, 0.0 }, 1.0 }, negative = { { 0.0 }, -1.0 };
	const dbvh_sphere infinite = { { 0.0, 0.0, 0.0 }, INFINITY };
	assert_int_equal( dbvh_sphere_sphere_intersect( &s, &nan, &meet ), DBVH_NOT_FINITE );
	assert_false( meet );
	assert_int_equal( dbvh_sphere_sphere_intersect( &infinite, &s, &meet ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_sphere_sphere_signed_distance( &negative, &s, &gap ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_sphere_sphere_signed_distance( &s, &s, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_sphere_sphere_signed_distance( NULL, &s, &gap ), DBVH_INVALID_ARGUMENT );
	const dbvh_aabb turned = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 1.0 } }, box = { { 0.0 }, { 1.0, 1.0, 1.0 } };
	assert_int_equal( dbvh_sphere_aabb_intersect( &s, &turned, &meet ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_aabb_aabb_signed_distance( &box, &turned, &gap ), DBVH_INVALID_ARGUMENT );
	dbvh_obb obb = { .axis = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } }, .half = { 1.0, 1.0, 1.0 } };
	assert_int_equal( dbvh_sphere_obb_intersect( &s, &obb, &meet ), DBVH_OK );
	obb.axis[0][1] = 0.01;
	assert_int_equal( dbvh_sphere_obb_intersect( &s, &obb, &meet ), DBVH_NOT_RIGID );
	assert_int_equal( dbvh_obb_to_aabb( &obb, &bounds_out ), DBVH_NOT_RIGID );
	obb.axis[0][1] = NAN;
	assert_int_equal( dbvh_obb_obb_intersect( &obb, &obb, &meet ), DBVH_NOT_FINITE );
	const dbvh_box centred = { { 0.0, 0.0, 0.0 }, { 1.0, -1.0, 1.0 } };
	assert_int_equal( dbvh_box_box_intersect( &centred, &centred, &meet ), DBVH_INVALID_ARGUMENT );
	const dbvh_plane none = { { 0.0, 0.0, 0.0 }, 0.0 };
	dbvh_plane_distance level;
	assert_int_equal( dbvh_sphere_plane_distance( &s, &none, &level ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_point_plane_distance( NULL, &none, &level ), DBVH_INVALID_ARGUMENT );
	const dbvh_ray ray = { { 0.0, 0.0, 0.0 }, { 0.0, INFINITY, 0.0 } };
	assert_int_equal( dbvh_ray_aabb_hit( &ray, &box, &hit_interval ), DBVH_NOT_FINITE );
	const dbvh_triangle flat = { { { 0.0, 0.0, NAN } } };
	const dbvh_capsule c = { { 0.0, 0.0, 0.0 }, { 1.0, 0.0, 0.0 }, 1.0 };
	assert_int_equal( dbvh_capsule_triangle_distance( &c, &flat, &distance ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_capsule_aabb_distance( &c, NULL, &distance ), DBVH_INVALID_ARGUMENT );
}

// The result where the input is, as in a union.
static void test_in_place( void **state ) {
	(void)state;
	union {
		dbvh_box box;
		dbvh_obb obb;
		dbvh_sphere sphere;
		dbvh_capsule capsule;
		dbvh_aabb aabb;
	} u;
	u.box = ( dbvh_box ){ { 1.0, 2.0, 3.0 }, { 4.0, 5.0, 6.0 } };
	assert_int_equal( dbvh_box_to_aabb( &u.box, &u.aabb ), DBVH_OK );
	assert_true( u.aabb.min[0] == -3.0 && u.aabb.max[1] == 7.0 && u.aabb.max[2] == 9.0 );
	u.obb = ( dbvh_obb ){
	    { 1.0, 2.0, 3.0 }, { { 0.0, 1.0, 0.0 }, { -1.0, 0.0, 0.0 }, { 0.0, 0.0, 1.0 } }, { 4.0, 5.0, 6.0 } };
	assert_int_equal( dbvh_obb_to_aabb( &u.obb, &u.aabb ), DBVH_OK );
	assert_true( u.aabb.min[0] == -4.0 && u.aabb.max[1] == 6.0 && u.aabb.max[2] == 9.0 );
	u.sphere = ( dbvh_sphere ){ { 1.0, 2.0, 3.0 }, 4.0 };
	assert_int_equal( dbvh_sphere_to_aabb( &u.sphere, &u.aabb ), DBVH_OK );
	assert_true( u.aabb.min[0] == -3.0 && u.aabb.max[1] == 6.0 && u.aabb.max[2] == 7.0 );
	u.capsule = ( dbvh_capsule ){ { 1.0, 2.0, 3.0 }, { 7.0, 2.0, -3.0 }, 4.0 };
	assert_int_equal( dbvh_capsule_to_aabb( &u.capsule, &u.aabb ), DBVH_OK );
	assert_true( u.aabb.min[0] == -3.0 && u.aabb.max[0] == 11.0 && u.aabb.min[2] == -7.0 && u.aabb.max[2] == 7.0 );
	u.box = ( dbvh_box ){ { 1.0, 2.0, 3.0 }, { 4.0, 5.0, -6.0 } };
	assert_int_equal( dbvh_box_to_aabb( &u.box, &u.aabb ), DBVH_INVALID_ARGUMENT );
	assert_true( u.aabb.min[0] == 0.0 && u.aabb.max[2] == 0.0 );
}

// A parameter that rounds to 0, or below the normal numbers, on a step so long that the point is not the beginning.
static void test_tiny_parameters( void **state ) {
	(void)state;
	static const double lengths[] = { 0x1p1000, 0x1.8p1023, -0x1.4p900 };
	static const double places[] = { 0x1p-100, 0x1.8p-70, 0x1.23456789abcdep-300 };
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			const double way = lengths[i] < 0.0 ? -places[k] : places[k];
			const dbvh_ray ray = { { 0.0, 1.0, -4.0 }, { lengths[i], 0.0, 0.0 } };
			const dbvh_segment segment = { { 0.0, 1.0, -4.0 }, { lengths[i], 1.0, -4.0 } };
			const dbvh_triangle wall = { { { way, -9.0, -9.0 }, { way, 9.0, -9.0 }, { way, 0.0, 9.0 } } };
			dbvh_hit hit[2];
			assert_int_equal( dbvh_ray_triangle_hit( &ray, &wall, &hit[0] ), DBVH_OK );
			assert_int_equal( dbvh_segment_triangle_hit( &segment, &wall, &hit[1] ), DBVH_OK );
			for ( int h = 0; h < 2; ++h ) {
				assert_true( hit[h].intersects && hit[h].t == way / lengths[i] );
				assert_true( hit[h].t < 0x1p-960 );
				assert_true( fabs( hit[h].point[0] - way ) <= 0x1p-50 * fabs( way ) );
				assert_true( hit[h].point[1] == 1.0 && hit[h].point[2] == -4.0 );
			}
		}
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( test_known_mistakes ), cmocka_unit_test( test_refusals ),
	                                    cmocka_unit_test( test_in_place ), cmocka_unit_test( test_tiny_parameters ) };
	return test_main( argc, argv, tests );
}
