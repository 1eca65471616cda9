// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The fits of fit.h: they enclose every point in long doubles, and are what is known of simple sets.

#include "dualbvh/fit.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

enum { MOST = 300 };

// A cloud, a cloud in a plane, on a line, at one point, on a grid; now and then far from the origin, in any unit.
static size_t random_points( rng *r, double *points ) {
	const size_t count = 1 + rng_below( r, rng_below( r, 2 ) == 0 ? 5 : MOST );
	const int kind = (int)rng_below( r, 5 );
	const double scale = ldexp( 1.0, (int)rng_below( r, 61 ) - 30 ), far = rng_below( r, 4 ) == 0 ? 1000.0 : 0.0;
	double u[3], v[3];
	for ( int c = 0; c < 3; ++c ) {
		u[c] = rng_range( r, -1.0, 1.0 );
		v[c] = rng_range( r, -1.0, 1.0 );
	}
	for ( size_t i = 0; i < count; ++i ) {
		const double s = rng_range( r, -1.0, 1.0 ), t = rng_range( r, -1.0, 1.0 );
		for ( size_t c = 0; c < 3; ++c ) {
			const double at = kind == 0   ? rng_range( r, -1.0, 1.0 )
			                  : kind == 1 ? s * u[c] + t * v[c]
			                  : kind == 2 ? s * u[c]
			                  : kind == 3 ? u[c]
			                              : (double)rng_below( r, 3 );
			points[3 * i + c] = scale * ( far + at );
		}
	}
	return count;
}

static void balls( void **state ) {
	(void)state;
	rng r = rng_announce( "balls around points", 61 );
	double points[3 * MOST];
	for ( size_t round = 0; round < rounds( 5000 ); ++round ) {
		const size_t count = random_points( &r, points );
		dbvh_sphere sphere;
		assert_int_equal( dbvh_sphere_fit( points, count, NULL, &sphere, NULL ), DBVH_OK );
		long double farthest = 0.0L;
		for ( size_t i = 0; i < count; ++i ) {
			long double square = 0.0L;
			for ( size_t c = 0; c < 3; ++c ) {
				const long double d = (long double)points[3 * i + c] - sphere.centre[c];
				square += d * d;
			}
			farthest = fmaxl( farthest, sqrtl( square ) );
		}
		assert_true( farthest <= sphere.radius );
		// Bounds of the radius: at least half of the largest distance of two points, at most that times Jung's factor.
		long double diameter = 0.0L, largest = 0.0L;
		for ( size_t i = 0; i < count; ++i )
			for ( size_t j = 0; j <= i; ++j ) {
				const double *p = points + 3 * i, *q = points + 3 * j;
				const long double x = (long double)p[0] - q[0], y = (long double)p[1] - q[1],
				                  z = (long double)p[2] - q[2];
				diameter = fmaxl( diameter, sqrtl( x * x + y * y + z * z ) );
				largest = fmaxl( largest, fabs( p[0] ) + fabs( p[1] ) + fabs( p[2] ) );
			}
		assert_true( sphere.radius >= 0.5L * diameter );
		assert_true( sphere.radius <=
		             sqrtl( 0.375L ) * diameter * ( 1.0L + 0x1p-38L ) + 0x1p-46L * largest + 0x1p-400L );
	}
}

static void boxes( void **state ) {
	(void)state;
	rng r = rng_announce( "boxes around points", 62 );
	double points[3 * MOST];
	for ( size_t round = 0; round < rounds( 5000 ); ++round ) {
		const size_t count = random_points( &r, points );
		dbvh_obb box;
		assert_int_equal( dbvh_obb_fit( points, count, NULL, &box, NULL ), DBVH_OK );
		assert_true( box.half[0] > 0.0 && box.half[0] <= box.half[1] && box.half[1] <= box.half[2] );
		for ( int k = 0; k < 3; ++k ) {
			for ( size_t i = 0; i < count; ++i ) {
				long double along = 0.0L;
				for ( size_t c = 0; c < 3; ++c )
					along += ( (long double)points[3 * i + c] - box.centre[c] ) * box.axis[k][c];
				assert_true( fabsl( along ) <= box.half[k] );
			}
			for ( int l = 0; l < 3; ++l ) {
				double product = 0.0;
				for ( int c = 0; c < 3; ++c )
					product += box.axis[k][c] * box.axis[l][c];
				assert_true( fabs( product - ( k == l ) ) < 0x1p-48 );
			}
		}
	}
}

// Corners of a turned box have that box, and its ball.
static void known( void **state ) {
	(void)state;
	const double half[3] = { 1.0, 2.0, 3.0 }, c = 0.6, s = 0.8;
	double corners[24];
	for ( int i = 0; i < 8; ++i ) {
		const double x = i & 1 ? half[0] : -half[0], y = i & 2 ? half[1] : -half[1];
		corners[3 * i] = c * x - s * y + 5.0;
		corners[3 * i + 1] = s * x + c * y;
		corners[3 * i + 2] = i & 4 ? half[2] : -half[2];
	}
	dbvh_obb box;
	assert_int_equal( dbvh_obb_fit( corners, 8, NULL, &box, NULL ), DBVH_OK );
	for ( int k = 0; k < 3; ++k )
		assert_true( fabs( box.half[k] - half[k] ) < 1e-6 );
	dbvh_sphere sphere;
	assert_int_equal( dbvh_sphere_fit( corners, 8, NULL, &sphere, NULL ), DBVH_OK );
	assert_true( fabs( sphere.radius - sqrt( 14.0 ) ) < 1e-12 && fabs( sphere.centre[0] - 5.0 ) < 1e-12 );
}

static void refusals( void **state ) {
	(void)state;
	double point[6] = { 1, 2, 3, 4, 5, NAN };
	dbvh_sphere sphere = { { 1, 1, 1 }, 1 };
	dbvh_obb box;
	dbvh_error error;
	assert_int_equal( dbvh_sphere_fit( point, 2, NULL, &sphere, &error ), DBVH_NOT_FINITE );
	assert_int_equal( error.element, 1 );
	assert_true( sphere.radius == 0.0 );
	assert_int_equal( dbvh_obb_fit( point, 0, NULL, &box, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_obb_fit( NULL, 1, NULL, &box, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_obb_fit( point, 1, NULL, NULL, &error ), DBVH_INVALID_ARGUMENT );
	point[0] = 0x1p200;
	assert_int_equal( dbvh_obb_fit( point, 1, NULL, &box, &error ), DBVH_LIMIT );
	assert_true( box.half[2] == 0.0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( balls ), cmocka_unit_test( boxes ), cmocka_unit_test( known ),
	                                    cmocka_unit_test( refusals ) };
	return test_main( argc, argv, tests );
}
