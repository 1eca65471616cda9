// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Ellipsoids in motion against boxes, and boxes along the axes, against the enumerating oracle of cases.h at single
// times: before the first and after the last time nothing touches, in between everything does. The distance is a convex
// function of time, so that says all; whether it has a minimum that was missed is found by golden section.

#include "cases.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

static const uint64_t seed_default = 20261123;

static dbvh_ellipsoid moved( const dbvh_ellipsoid *e, const double by[3], double t ) {
	dbvh_ellipsoid out = *e;
	for ( int k = 0; k < 3; ++k )
		out.centre[k] += t * by[k];
	return out;
}

static bool is_near( truth is ) {
	return is == TRUTH_NEAR_APART || is == TRUTH_NEAR_MEETING;
}

static bool touches( truth is ) {
	return is == TRUTH_MEETING || is == TRUTH_NEAR_MEETING;
}

// The square of the distance in the ball's space: cyclic descent on the box's three coordinates, to the end. Slow, and
// nothing like the library's sum of prisms and cylinders.
static double distance( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	double edge[3][3], r[3], x[3] = { 0.0, 0.0, 0.0 };
	for ( int k = 0; k < 3; ++k ) {
		double sum = 0.0;
		for ( int c = 0; c < 3; ++c )
			sum += e->axis[k][c] * ( b->centre[c] - e->centre[c] );
		r[k] = sum / e->half[k];
		for ( int i = 0; i < 3; ++i ) {
			double along = 0.0;
			for ( int c = 0; c < 3; ++c )
				along += e->axis[k][c] * b->axis[i][c];
			edge[i][k] = along * b->half[i] / e->half[k];
		}
	}
	double before = INFINITY;
	for ( int sweep = 0; sweep < 20000; ++sweep ) {
		for ( int i = 0; i < 3; ++i ) {
			const double *d = edge[i], dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
			const double next = fmin( fmax( x[i] - ( r[0] * d[0] + r[1] * d[1] + r[2] * d[2] ) / dd, -1.0 ), 1.0 );
			for ( int k = 0; k < 3; ++k )
				r[k] += ( next - x[i] ) * d[k];
			x[i] = next;
		}
		const double now = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
		if ( !( now < before * ( 1.0 - 1e-15 ) ) )
			break;
		before = now;
	}
	return sqrt( before );
}

// The least distance on the way, by golden section.
static double least_distance( const dbvh_ellipsoid *e, const double by[3], const dbvh_obb *b ) {
	const double golden = 0.61803398874989485;
	double low = 0.0, high = 1.0;
	for ( int i = 0; i < 60; ++i ) {
		const double t = high - golden * ( high - low ), u = low + golden * ( high - low );
		const dbvh_ellipsoid p = moved( e, by, t ), q = moved( e, by, u );
		if ( distance( &p, b ) < distance( &q, b ) )
			high = u;
		else
			low = t;
	}
	const dbvh_ellipsoid p = moved( e, by, 0.5 * ( low + high ) );
	return fmin( distance( &p, b ), fmin( distance( e, b ), INFINITY ) );
}

// 1 where a verdict at this time contradicts the oracle's.
static int differs( const dbvh_ellipsoid *e, const double by[3], const dbvh_obb *b, double t, bool contact ) {
	unsigned long long wide = 0;
	const dbvh_ellipsoid at = moved( e, by, t );
	const truth is = oracle_obb( &at, b, &wide );
	return !is_near( is ) && touches( is ) != contact;
}

static void test_cast( void **state ) {
	(void)state;
	rng r = rng_announce( "ellipsoid cast", seed_default );
	size_t intersecting = 0, wrong = 0, missed = 0;
	const uint64_t count = rounds( 4000 );
	for ( uint64_t i = 0; i < count; ++i ) {
		const volume_pair p = random_volumes( &r, (int)( i % REGIME_COUNT ) );
		double by[3], by_b[3];
		for ( int k = 0; k < 3; ++k ) {
			const double towards = p.box.centre[k] - p.ellipsoid.centre[k];
			by[k] = towards * rng_range( &r, -0.5, 3.0 ) + p.ellipsoid.half[k] * rng_range( &r, -2.0, 2.0 );
			by_b[k] = i % 3 == 0 ? by[k] * rng_range( &r, -1.0, 1.0 ) : 0.0;
		}
		double relative[3];
		for ( int k = 0; k < 3; ++k )
			relative[k] = by[k] - by_b[k];
		dbvh_shape_cast_result s;
		assert_int_equal( dbvh_ellipsoid_obb_cast( &p.ellipsoid, by, &p.box, i % 3 == 0 ? by_b : NULL, &s ), DBVH_OK );
		int bad = 0;
		if ( s.intersects ) {
			intersecting += 1;
			bad |= !( s.enter >= 0.0 && s.enter <= s.exit && s.exit <= 1.0 );
			bad |= s.at_start != ( s.enter == 0.0 ) && s.at_start;
			for ( int k = 1; k < 8; ++k ) {
				const double t = k / 8.0;
				bad |= differs( &p.ellipsoid, relative, &p.box, s.enter + t * ( s.exit - s.enter ), true );
				// Times are far enough from the bounds that the rounding of the place does not decide.
				bad |= s.enter > 0.0 && differs( &p.ellipsoid, relative, &p.box, t * s.enter * ( 1.0 - 1e-9 ), false );
				bad |= s.exit < 1.0 &&
				       differs( &p.ellipsoid, relative, &p.box, 1.0 - t * ( 1.0 - s.exit ) * ( 1.0 - 1e-9 ), false );
			}
		} else {
			for ( int k = 0; k <= 8; ++k )
				bad |= differs( &p.ellipsoid, relative, &p.box, k / 8.0, false );
			if ( i % 8 == 0 )
				missed += least_distance( &p.ellipsoid, relative, &p.box ) < 1.0 - 1e-6;
		}
		if ( bad && wrong++ < 5 )
			printf( "case %llu of regime %s is wrong\n", (unsigned long long)i, regime_names[i % REGIME_COUNT] );
	}
	printf( "ellipsoid cast: %zu of %llu intersect, %zu wrong, %zu missed\n", intersecting, (unsigned long long)count,
	        wrong, missed );
	assert_int_equal( wrong, 0 );
	assert_int_equal( missed, 0 );
	assert_outcomes( intersecting > count / 10 && intersecting < count - count / 10 );
}

// A ball that flies past a corner, along an edge, and into a face, where the times are known.
static void test_known_times( void **state ) {
	(void)state;
	const dbvh_obb box = { { 0, 0, 0 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 1, 1, 1 } };
	dbvh_ellipsoid e = { { -4, 0, 0 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 1, 2, 3 } };
	const double by[3] = { 8, 0, 0 }, up[3] = { 0, 8, 0 };
	dbvh_shape_cast_result s;
	assert_int_equal( dbvh_ellipsoid_obb_cast( &e, by, &box, NULL, &s ), DBVH_OK );
	assert_true( s.intersects && s.enter == 0.25 && s.exit == 0.75 && !s.at_start && !s.at_end );
	assert_int_equal( dbvh_ellipsoid_obb_cast( &e, NULL, &box, NULL, &s ), DBVH_OK );
	assert_false( s.intersects );
	assert_int_equal( dbvh_ellipsoid_obb_cast( &e, up, &box, up, &s ), DBVH_OK ); // no relative motion
	assert_false( s.intersects );
	e.centre[0] = 0.0;
	assert_int_equal( dbvh_ellipsoid_obb_cast( &e, up, &box, NULL, &s ), DBVH_OK );
	assert_true( s.intersects && s.at_start && s.enter == 0.0 && s.exit == 0.375 && !s.at_end );
	// Past an edge: 2 beyond it in y, where the ellipsoid is 2 long; it touches at one time.
	e.centre[0] = -4.0;
	e.centre[1] = 2.5;
	assert_int_equal( dbvh_ellipsoid_obb_cast( &e, by, &box, NULL, &s ), DBVH_OK );
	// ( 1.5 / 2 )^2 + x^2 = 1
	const double x = sqrt( 1.0 - 0.5625 );
	assert_true( s.intersects && fabs( s.enter - ( 3.0 - x ) / 8.0 ) < 1e-14 &&
	             fabs( s.exit - ( 5.0 + x ) / 8.0 ) < 1e-14 );
}

static void test_aabb( void **state ) {
	(void)state;
	rng r = rng_announce( "ellipsoid and aabb", seed_default + 1 );
	size_t intersecting = 0, wrong = 0, near = 0;
	const uint64_t count = rounds( 20000 );
	for ( uint64_t i = 0; i < count; ++i ) {
		volume_pair p = random_volumes( &r, (int)( i % REGIME_COUNT ) );
		if ( i % 2 == 0 ) { // along the axes of the frame, in any order and of any sign
			const int first = (int)rng_below( &r, 3 ), way = 1 + (int)rng_below( &r, 2 );
			memset( p.ellipsoid.axis, 0, sizeof p.ellipsoid.axis );
			for ( int k = 0; k < 3; ++k )
				p.ellipsoid.axis[k][( first + k * way ) % 3] = rng_below( &r, 2 ) == 0 ? 1.0 : -1.0;
		}
		dbvh_aabb box;
		dbvh_obb same = { .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
		for ( int k = 0; k < 3; ++k ) {
			box.min[k] = p.box.centre[k] - p.box.half[k];
			box.max[k] = p.box.centre[k] + p.box.half[k];
			same.centre[k] = 0.5 * box.min[k] + 0.5 * box.max[k];
			same.half[k] = 0.5 * box.max[k] - 0.5 * box.min[k];
		}
		bool intersect;
		assert_int_equal( dbvh_ellipsoid_aabb_intersect( &p.ellipsoid, &box, &intersect ), DBVH_OK );
		unsigned long long wide = 0;
		const truth is = oracle_obb( &p.ellipsoid, &same, &wide );
		near += is_near( is );
		intersecting += intersect;
		wrong += !is_near( is ) && touches( is ) != intersect;
	}
	printf( "ellipsoid and aabb: %zu of %llu intersect, %zu near, %zu wrong\n", intersecting, (unsigned long long)count,
	        near, wrong );
	assert_int_equal( wrong, 0 );
	assert_outcomes( intersecting > count / 10 && intersecting < count - count / 10 );
}

static void test_refusals( void **state ) {
	(void)state;
	const dbvh_ellipsoid e = { { 0, 0, 0 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 1, 2, 3 } };
	const dbvh_obb box = { { 0, 0, 0 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 1, 1, 1 } };
	const dbvh_aabb aabb = { { -1, -1, -1 }, { 1, 1, 1 } }, flat = { { -1, -1, 1 }, { 1, 1, 1 } };
	const double far[3] = { 0x1p121, 0, 0 }, nan_by[3] = { 0, (double)NAN, 0 };
	dbvh_shape_cast_result s;
	bool intersect;
	assert_int_equal( dbvh_ellipsoid_obb_cast( NULL, NULL, &box, NULL, &s ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_ellipsoid_obb_cast( &e, NULL, NULL, NULL, &s ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_ellipsoid_obb_cast( &e, NULL, &box, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_ellipsoid_obb_cast( &e, far, &box, NULL, &s ), DBVH_LIMIT );
	assert_int_equal( dbvh_ellipsoid_obb_cast( &e, NULL, &box, nan_by, &s ), DBVH_NOT_FINITE );
	assert_false( s.intersects );
	assert_int_equal( dbvh_ellipsoid_aabb_intersect( &e, &aabb, &intersect ), DBVH_OK );
	assert_true( intersect );
	assert_int_equal( dbvh_ellipsoid_aabb_intersect( &e, &flat, &intersect ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_ellipsoid_aabb_intersect( &e, NULL, &intersect ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_ellipsoid_aabb_intersect( &e, &aabb, NULL ), DBVH_INVALID_ARGUMENT );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_cast ),
	    cmocka_unit_test( test_known_times ),
	    cmocka_unit_test( test_aabb ),
	    cmocka_unit_test( test_refusals ),
	};
	return test_main( argc, argv, tests );
}
