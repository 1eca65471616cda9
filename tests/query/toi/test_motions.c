// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes in motion: cases whose answer is known, the motions themselves, batches, mistakes and memory. Random scenes
// are in test_time_of_impact.c. DUALBVH_TEST_SCALE multiplies the number of motions.

#include "query/toi/toi.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

static const uint64_t seed_default = 20261121;

// Powers of two that scale the scenes: beyond the range of floats, the range of the packed form, and 1.
static const int exponents[] = { -900, -37, 0, 36, 900 };
enum { EXPONENTS = sizeof exponents / sizeof exponents[0] };

// Two unit boxes, half extents 1/2, B at `at` going by `shift`.
static dbvh_toi_result boxes( const double at[3], const double shift[3], int exponent ) {
	shape box = { 0 };
	shape_add_box( &box, 0.5, 0.5, 0.5, 2 );
	scale_and_move( &box, 0, ldexp( 1.0, exponent ), 0, 0, 0 );
	dbvh_tree *tree = tree_of( &box, NULL );
	dbvh_pose pose = dbvh_pose_identity();
	double way[3];
	for ( int k = 0; k < 3; ++k ) {
		pose.pos[k] = ldexp( at[k], exponent );
		way[k] = ldexp( shift[k], exponent );
	}
	const dbvh_motion motion = dbvh_motion_translation( &pose, way );
	dbvh_toi_result x;
	assert_int_equal( dbvh_time_of_impact( tree, NULL, tree, &motion, NULL, NULL, &x, NULL ), DBVH_OK );
	dbvh_tree_destroy( tree );
	shape_free( &box );
	return x;
}

static void known_translations( void **state ) {
	(void)state;
	static const struct {
		const char *what;
		double at[3], shift[3];
		dbvh_toi_verdict verdict;
		double time;
	} cases[] = {
	    { "head on", { 3, 0, 0 }, { -4, 0, 0 }, DBVH_TOI_VERDICT_CONTACT, 0.5 },
	    { "head on, aside", { 3, 0.25, 0.125 }, { -4, 0, 0 }, DBVH_TOI_VERDICT_CONTACT, 0.5 },
	    { "only just at the end", { 3, 0, 0 }, { -2, 0, 0 }, DBVH_TOI_VERDICT_CONTACT, 1.0 },
	    { "not quite", { 3, 0, 0 }, { -1.9375, 0, 0 }, DBVH_TOI_VERDICT_CLEAR, 1.0 },
	    { "a corner on a corner", { 3, 3, 3 }, { -4, -4, -4 }, DBVH_TOI_VERDICT_CONTACT, 0.5 },
	    { "a corner grazes a corner", { 3, -1, 1 }, { -4, 4, 0 }, DBVH_TOI_VERDICT_CONTACT, 0.5 },
	    { "faces slide, touching", { 3, 1, 0 }, { -4, 0, 0 }, DBVH_TOI_VERDICT_CONTACT, 0.5 },
	    { "faces slide, touching from the beginning", { 0.5, 1, 0 }, { 4, 0, 0 }, DBVH_TOI_VERDICT_CONTACT, 0.0 },
	    { "touching, leaving", { 1, 0, 0 }, { 4, 0, 0 }, DBVH_TOI_VERDICT_CONTACT, 0.0 },
	    { "crossing, leaving", { 0.5, 0, 0 }, { 4, 0, 0 }, DBVH_TOI_VERDICT_CONTACT, 0.0 },
	    { "apart, leaving", { 1.5, 0, 0 }, { 4, 0, 0 }, DBVH_TOI_VERDICT_CLEAR, 1.0 },
	    { "apart, at rest", { 1.5, 0, 0 }, { 0, 0, 0 }, DBVH_TOI_VERDICT_CLEAR, 1.0 },
	    { "touching, at rest", { 1, 1, 1 }, { 0, 0, 0 }, DBVH_TOI_VERDICT_CONTACT, 0.0 },
	    { "passing by", { 3, 1.0625, 0 }, { -8, 0, 0 }, DBVH_TOI_VERDICT_CLEAR, 1.0 },
	    { "past each other", { 3, 3, 0 }, { -4, 0, 0 }, DBVH_TOI_VERDICT_CLEAR, 1.0 },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		for ( int e = 0; e < EXPONENTS; ++e ) {
			const int exponent = exponents[e];
			const dbvh_toi_result x = boxes( cases[i].at, cases[i].shift, exponent );
			if ( x.verdict != cases[i].verdict || x.time > cases[i].time || x.time < cases[i].time - 0x1p-40 )
				print_message( "%s: verdict %d, time %.17g\n", cases[i].what, (int)x.verdict, x.time );
			assert_int_equal( x.verdict, cases[i].verdict );
			assert_true( x.time <= cases[i].time && x.time >= cases[i].time - 0x1p-40 );
		}
	}
	const dbvh_toi_result x = boxes( cases[1].at, cases[1].shift, 0 );
	assert_true( fabs( x.normal[0] - 1.0 ) < 1e-12 && fabs( x.normal[1] ) < 1e-6 && fabs( x.normal[2] ) < 1e-6 );
	assert_true( fabs( x.point_a[0] - 0.5 ) < 1e-12 && fabs( x.point_b[0] - 0.5 ) < 1e-12 );
	assert_true( x.distance < 1e-11 );
}

// A rod along x from 0 to 2, turning about z towards a wall, the half space x <= -1 of which a square is there.
static void a_door( void **state ) {
	(void)state;
	const double pi = 3.14159265358979323846;
	shape rod = { 0 }, wall = { 0 };
	shape_vertex( &rod, 0, 0, 0 );
	shape_vertex( &rod, 2, 0, 0 );
	shape_vertex( &rod, 2, 0, 0.25 );
	shape_triangle( &rod, 0, 1, 2 );
	shape_vertex( &wall, -1, -4, -4 );
	shape_vertex( &wall, -1, 4, -4 );
	shape_vertex( &wall, -1, 4, 4 );
	shape_vertex( &wall, -1, -4, 4 );
	shape_triangle( &wall, 0, 1, 2 );
	shape_triangle( &wall, 0, 2, 3 );
	const dbvh_mesh_view view_a = shape_view( &wall ), view_b = shape_view( &rod );
	dbvh_tree *a = NULL, *b = NULL;
	assert_int_equal( dbvh_tree_build( &view_a, NULL, NULL, &a, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_build( &view_b, NULL, NULL, &b, NULL ), DBVH_OK );
	dbvh_motion motion = dbvh_motion_translation( NULL, NULL );
	motion.axis[2] = 3.0;
	motion.angle = pi;
	dbvh_toi_result x;
	assert_int_equal( dbvh_time_of_impact( a, NULL, b, &motion, NULL, NULL, &x, NULL ), DBVH_OK );
	assert_int_equal( x.verdict, DBVH_TOI_VERDICT_CONTACT );
	assert_true( x.time <= 2.0 / 3.0 + 1e-15 && x.time > 2.0 / 3.0 - 1e-12 );
	assert_true( x.normal[0] > 1.0 - 1e-9 );
	// The other way round, and two turns and a half.
	motion.angle = -5.0 * pi;
	assert_int_equal( dbvh_time_of_impact( b, &motion, a, NULL, NULL, NULL, &x, NULL ), DBVH_OK );
	assert_int_equal( x.verdict, DBVH_TOI_VERDICT_CONTACT );
	assert_true( x.time <= 2.0 / 15.0 + 1e-15 && x.time > 2.0 / 15.0 - 1e-12 );
	assert_true( x.normal[0] < -1.0 + 1e-9 );
	// The other body is out of reach.
	motion.shift[0] = 1.0 + 1e-9;
	motion.from.pos[0] = motion.centre[0] = 1.0;
	assert_int_equal( dbvh_time_of_impact( b, &motion, a, NULL, NULL, NULL, &x, NULL ), DBVH_OK );
	assert_int_equal( x.verdict, DBVH_TOI_VERDICT_CLEAR );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	shape_free( &rod );
	shape_free( &wall );
}

// A rectangle in the plane y = 0, x from `near` to `far`, z from -low to low.
static dbvh_tree *blade( double near, double far, double low, int exponent ) {
	shape s = { 0 };
	const double x[2] = { ldexp( near, exponent ), ldexp( far, exponent ) }, z = ldexp( low, exponent );
	shape_vertex( &s, x[0], 0, -z );
	shape_vertex( &s, x[1], 0, -z );
	shape_vertex( &s, x[1], 0, z );
	shape_vertex( &s, x[0], 0, z );
	shape_triangle( &s, 0, 1, 2 );
	shape_triangle( &s, 0, 2, 3 );
	dbvh_tree *tree = tree_of( &s, NULL );
	shape_free( &s );
	return tree;
}

static dbvh_tree *block( double x, double y, double z, int exponent ) {
	shape s = { 0 };
	shape_add_box( &s, ldexp( x, exponent ), ldexp( y, exponent ), ldexp( z, exponent ), 3 );
	dbvh_tree *tree = tree_of( &s, NULL );
	shape_free( &s );
	return tree;
}

// Turns about a parallel of z through (x, 0, 0), having been turned by `phase` about it.
static dbvh_motion turning_at( double x, double phase, double angle, int exponent ) {
	dbvh_motion m = dbvh_motion_translation( NULL, NULL );
	m.axis[2] = 1.0;
	m.angle = phase;
	m.from = dbvh_motion_pose( &m, 1.0 );
	m.from.pos[0] = m.centre[0] = ldexp( x, exponent );
	m.axis[2] = 0.25;
	m.angle = angle;
	return m;
}

// Both orders, and the first contact is at `time`; NAN: there is none. What intersects at one moment only may be CLOSE.
static void expect_time( const char *what, const dbvh_tree *a, const dbvh_motion *motion_a, const dbvh_tree *b,
                         const dbvh_motion *motion_b, double time, bool in_passing ) {
	dbvh_toi_result x, y;
	assert_int_equal( dbvh_time_of_impact( a, motion_a, b, motion_b, NULL, NULL, &x, NULL ), DBVH_OK );
	assert_int_equal( dbvh_time_of_impact( b, motion_b, a, motion_a, NULL, NULL, &y, NULL ), DBVH_OK );
	const dbvh_toi_verdict expected = isnan( time ) ? DBVH_TOI_VERDICT_CLEAR : DBVH_TOI_VERDICT_CONTACT;
	const double from = isnan( time ) ? 1.0 : time - 1e-12 * ( 10.0 + 4.0 * fabs( motion_a->angle ) ),
	             to = isnan( time ) ? 1.0 : time + 1e-15;
	if ( in_passing ) {
		x.verdict = x.verdict == DBVH_TOI_VERDICT_CLOSE ? expected : x.verdict;
		y.verdict = y.verdict == DBVH_TOI_VERDICT_CLOSE ? expected : y.verdict;
	}
	if ( x.verdict != expected || y.verdict != expected || x.time > to || x.time < from || y.time > to ||
	     y.time < from )
		print_message( "%s: verdicts %d and %d, times %.17g and %.17g, not %.17g\n", what, (int)x.verdict,
		               (int)y.verdict, x.time, y.time, time );
	assert_int_equal( x.verdict, expected );
	assert_int_equal( y.verdict, expected );
	assert_true( x.time <= to && x.time >= from );
	assert_true( y.time <= to && y.time >= from );
}

static void both_turn( void **state ) {
	(void)state;
	const double pi = 3.14159265358979323846;
	for ( int n = 0; n < EXPONENTS; ++n ) {
		const int e = exponents[n];
		dbvh_tree *arm = blade( 0.0, 2.0, 0.25, e ), *ring = blade( 1.0, 2.0, 0.25, e );
		// Two arms, three lengths apart, that turn towards each other until their ends meet half way.
		dbvh_motion a = turning_at( 0.0, 0.5 * pi, -pi, e ), b = turning_at( 3.0, 0.5 * pi, pi, e );
		expect_time( "arms", arm, &a, arm, &b, asin( 0.75 ) / pi, false );
		// Turned in the same sense, the arms pass each other as gears do.
		b.angle = -pi;
		expect_time( "arms, one sense", arm, &a, arm, &b, NAN, false );
		// The same seen from a carriage.
		for ( int k = 0; k < 3; ++k )
			a.shift[k] = b.shift[k] = ldexp( 0.5 + k, e );
		expect_time( "arms on a carriage, one sense", arm, &a, arm, &b, NAN, false );
		b.angle = pi;
		expect_time( "arms on a carriage", arm, &a, arm, &b, asin( 0.75 ) / pi, false );
		// One blade is followed by another about the same axis, and caught, all of it at once.
		a = turning_at( 0.0, 0.0, 1.0, e );
		b = turning_at( 0.0, -1.0, 3.0, e );
		expect_time( "blades, catching up", ring, &a, ring, &b, 0.5, true );
		b.angle = -20.0 * pi;
		a.angle = 7.0;
		expect_time( "blades, meeting", ring, &a, ring, &b, ( 2.0 * pi - 1.0 ) / ( 7.0 + 20.0 * pi ), true );
		// Turning together at any speed, the blades stay as they are at rest.
		static const double speeds[] = { 1e-12, 0.1, 7.0, -1000.0 };
		for ( int i = 0; i < 4; ++i ) {
			a = turning_at( 0.0, 0.0, speeds[i], e );
			b = turning_at( 0.0, -1e-9, speeds[i], e );
			expect_time( "blades, as one", ring, &a, ring, &b, NAN, false );
			a.shift[2] = b.shift[2] = ldexp( 3.0, e );
			expect_time( "blades on one screw", ring, &a, ring, &b, NAN, false );
			b.from = a.from;
			b.from.pos[2] = ldexp( 0.5, e );
			expect_time( "blades, touching, on one screw", ring, &a, ring, &b, 0.0, false );
			b.from.pos[2] = ldexp( 0.5 + 1e-9, e );
			expect_time( "blades, as good as touching, on one screw", ring, &a, ring, &b, NAN, false );
			b.shift[2] = ldexp( 2.75, e );
			b.from.pos[2] = ldexp( 0.625, e );
			expect_time( "blades on two screws", ring, &a, ring, &b, 0.5, false );
		}
		dbvh_tree_destroy( arm );
		dbvh_tree_destroy( ring );

		// A box in a box: its edges meet the walls after a turn by half of asin( 7 / 9 ).
		dbvh_tree *room = block( 1.0, 1.0, 1.0, e ), *box = block( 0.75, 0.75, 0.5, e );
		const double turn = 0.5 * asin( 7.0 / 9.0 );
		static const double rates[][2] = { { 2.0, 3.0 }, { 2.0, 1.0 }, { -1.0, 2.0 }, { 100.0, 98.0 }, { 0.5, -0.5 } };
		for ( int i = 0; i < 5; ++i ) {
			a = turning_at( 0.0, 0.0, rates[i][0], e );
			b = turning_at( 0.0, 0.0, rates[i][1], e );
			expect_time( "a box in a box", room, &a, box, &b, turn / fabs( rates[i][1] - rates[i][0] ), false );
			b.angle = a.angle;
			expect_time( "a box at rest in a box", room, &a, box, &b, NAN, false );
		}
		dbvh_tree_destroy( box );
		// Carried around on a circle, without turning towards it: the middle of B is at (3 cos h, 5 / 2 - 3 sin h).
		box = block( 0.5, 0.5, 0.5, e );
		for ( int i = 0; i < 2; ++i ) {
			a = turning_at( 0.0, 0.0, i == 0 ? 1.5 : -1.5, e );
			b = turning_at( 3.0, 0.0, a.angle, e );
			b.from.pos[1] = ldexp( i == 0 ? 2.5 : -2.5, e );
			expect_time( "a box on a circle", box, &a, box, &b, acos( 1.0 / 3.0 ) / 1.5, false );
		}
		dbvh_tree_destroy( room );
		dbvh_tree_destroy( box );
	}
}

// Turning together costs no more than resting.
static void as_one( void **state ) {
	(void)state;
	shape shape_a = { 0 }, shape_b = { 0 };
	shape_add_torus( &shape_a, 1.0, 0.3, 60, 40 );
	shape_add_torus( &shape_b, 1.0, 0.3, 60, 40 );
	const dbvh_mesh_view view_a = shape_view( &shape_a ), view_b = shape_view( &shape_b );
	dbvh_tree *a = NULL, *b = NULL;
	assert_int_equal( dbvh_tree_build( &view_a, NULL, NULL, &a, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_build( &view_b, NULL, NULL, &b, NULL ), DBVH_OK );
	rng r = rng_announce( "as one", seed_default + 5 );
	for ( size_t i = 0; i < rounds( 40 ); ++i ) {
		dbvh_motion one = dbvh_motion_translation( NULL, NULL ), other = one;
		// Chained, or nearly so.
		other.from = random_pose( &r, 1.0 );
		dbvh_toi_result rest, x;
		assert_int_equal( dbvh_time_of_impact( a, &one, b, &other, NULL, NULL, &rest, NULL ), DBVH_OK );
		random_direction( &r, one.axis );
		one.angle = rng_range( &r, 0.1, 6.0 );
		for ( int k = 0; k < 3; ++k ) {
			one.centre[k] = rng_range( &r, -1.0, 1.0 );
			one.shift[k] = rng_range( &r, -3.0, 3.0 );
		}
		memcpy( other.axis, one.axis, sizeof one.axis );
		memcpy( other.centre, one.centre, sizeof one.centre );
		memcpy( other.shift, one.shift, sizeof one.shift );
		other.angle = one.angle;
		assert_int_equal( dbvh_time_of_impact( a, &one, b, &other, NULL, NULL, &x, NULL ), DBVH_OK );
		assert_int_equal( x.verdict, rest.verdict );
		assert_true( x.time == rest.time );
		assert_true( x.counters.sphere_tests <= rest.counters.sphere_tests + rest.counters.sphere_tests / 4 + 8 );
		assert_true( x.counters.triangle_tests <= rest.counters.triangle_tests + 4 );
	}
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	shape_free( &shape_a );
	shape_free( &shape_b );
}

// A way that is a million times longer than the meshes costs little more than a short one, where the floats of a whole
// way would tell nothing; and so does a small mesh that goes through a large one.
static void long_ways( void **state ) {
	(void)state;
	shape large = { 0 }, small = { 0 };
	shape_add_torus( &large, 1.0, 0.3, 60, 40 );
	shape_add_torus( &small, 0x1p-14, 0x1p-16, 24, 16 );
	const dbvh_mesh_view view_a = shape_view( &large ), view_b = shape_view( &small );
	dbvh_tree *a = NULL, *b = NULL;
	assert_int_equal( dbvh_tree_build( &view_a, NULL, NULL, &a, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_build( &view_b, NULL, NULL, &b, NULL ), DBVH_OK );
	dbvh_tree *reference_a = tree_of( &large, &keeps_reference ), *reference_b = tree_of( &small, &keeps_reference );
	rng r = rng_announce( "long ways", seed_default + 8 );
	size_t contacts = 0;
	for ( size_t i = 0; i < rounds( 60 ); ++i ) {
		const dbvh_tree *other = i % 2 == 0 ? a : b;
		const double reach = i % 4 < 2 ? 1e6 : 3.0;
		double way[3], shift[3];
		dbvh_pose from = random_pose( &r, 1.0 );
		random_direction( &r, way );
		for ( int k = 0; k < 3; ++k ) {
			from.pos[k] += reach * way[k];
			shift[k] = -2.0 * reach * way[k];
		}
		dbvh_motion motion = dbvh_motion_translation( &from, shift );
		const dbvh_toi_query reference = { .policy = DBVH_POLICY_DUAL };
		for ( int turns = 0; turns < 2; ++turns ) {
			dbvh_toi_result x, y;
			assert_int_equal( dbvh_time_of_impact( a, NULL, other, &motion, NULL, NULL, &x, NULL ), DBVH_OK );
			assert_int_equal( dbvh_time_of_impact( reference_a, NULL, i % 2 == 0 ? reference_a : reference_b, &motion,
			                                       &reference, NULL, &y, NULL ),
			                  DBVH_OK );
			assert_int_equal( x.verdict, y.verdict );
			assert_true( x.time <= y.upper || y.verdict == DBVH_TOI_VERDICT_CLEAR );
			assert_true( y.time <= x.upper || x.verdict == DBVH_TOI_VERDICT_CLEAR );
			assert_true( x.counters.sphere_tests < 60000 && x.counters.triangle_tests < 2000 );
			contacts += x.verdict == DBVH_TOI_VERDICT_CONTACT;
			memcpy( motion.centre, motion.from.pos, sizeof motion.centre );
			random_direction( &r, motion.axis );
			motion.angle = 2.0;
		}
	}
	print_message( "long ways: %zu contacts\n", contacts );
	assert_outcomes( contacts > 0 );
	dbvh_tree_destroy( reference_a );
	dbvh_tree_destroy( reference_b );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	shape_free( &large );
	shape_free( &small );
}

// Balls that run into each other, in all sizes that the packed form has: squares of squares of them leave the floats.
static void scales( void **state ) {
	(void)state;
	rng r = rng_announce( "scales", seed_default + 10 );
	size_t contacts = 0;
	for ( int exponent = -39; exponent <= 38; ++exponent ) {
		shape ball = { 0 };
		shape_add_sphere( &ball, ldexp( 1.0, exponent ), 12, 9 );
		dbvh_tree *tree = tree_of( &ball, NULL ), *with = tree_of( &ball, &keeps_reference );
		const dbvh_toi_query reference = { .policy = DBVH_POLICY_DUAL };
		for ( size_t i = 0; i < rounds( 12 ); ++i ) {
			double way[3], shift[3];
			dbvh_pose from = random_pose( &r, 1.0 );
			random_direction( &r, way );
			for ( int k = 0; k < 3; ++k ) {
				from.pos[k] = ldexp( from.pos[k] + 4.0 * way[k], exponent );
				shift[k] = ldexp( -8.0 * way[k], exponent );
			}
			dbvh_motion motion = dbvh_motion_translation( &from, shift );
			memcpy( motion.centre, from.pos, sizeof from.pos );
			random_direction( &r, motion.axis );
			motion.angle = i % 2 == 0 ? 0.0 : 1.0;
			dbvh_toi_result x, y;
			assert_int_equal( dbvh_time_of_impact( tree, NULL, tree, &motion, NULL, NULL, &x, NULL ), DBVH_OK );
			assert_int_equal( dbvh_time_of_impact( with, NULL, with, &motion, &reference, NULL, &y, NULL ), DBVH_OK );
			assert_int_equal( x.verdict, y.verdict );
			assert_true( x.verdict != DBVH_TOI_VERDICT_CONTACT || ( x.time <= y.upper && y.time <= x.upper ) );
			contacts += x.verdict == DBVH_TOI_VERDICT_CONTACT;
		}
		dbvh_tree_destroy( tree );
		dbvh_tree_destroy( with );
		shape_free( &ball );
	}
	print_message( "scales: %zu contacts\n", contacts );
	assert_outcomes( contacts > 0 );
}

// Triangles of a few denormal steps, where the pose of a time is rounded by as much as 2^-1075: no collision test
// before the time says that they intersect.
static void denormal_lengths( void **state ) {
	(void)state;
	rng r = rng_announce( "denormal lengths", seed_default + 11 );
	size_t contacts = 0, clear = 0;
	for ( size_t i = 0; i < rounds( 400 ); ++i ) {
		const int exponent = -1074 + (int)rng_below( &r, 50 );
		dbvh_tree *trees[2];
		for ( int side = 0; side < 2; ++side ) {
			shape s = { 0 };
			for ( int c = 0; c < 3; ++c ) {
				double x[3];
				for ( int k = 0; k < 3; ++k )
					x[k] = ldexp( (double)rng_below( &r, 33 ) - 16.0 + ( side == 1 && k == 2 ? 40.0 : 0.0 ), exponent );
				shape_vertex( &s, x[0], x[1], x[2] );
			}
			shape_triangle( &s, 0, 1, 2 );
			trees[side] = tree_of( &s, NULL );
			shape_free( &s );
		}
		const double shift[3] = { ldexp( (double)rng_below( &r, 33 ) - 16.0, exponent ),
		                          ldexp( (double)rng_below( &r, 33 ) - 16.0, exponent ), ldexp( -80.0, exponent ) };
		const dbvh_motion motion = dbvh_motion_translation( NULL, shift );
		dbvh_toi_result x;
		assert_int_equal( dbvh_time_of_impact( trees[0], NULL, trees[1], &motion, NULL, NULL, &x, NULL ), DBVH_OK );
		contacts += x.verdict == DBVH_TOI_VERDICT_CONTACT;
		clear += x.verdict == DBVH_TOI_VERDICT_CLEAR;
		for ( int k = 0; k < 64; ++k ) {
			const double t = k < 40 ? x.time * k / 40 : x.time * ( 1.0 - ldexp( 1.0, -2 * ( k - 39 ) ) );
			if ( t >= x.time && x.verdict != DBVH_TOI_VERDICT_CLEAR )
				continue;
			const dbvh_pose pose = dbvh_motion_pose( &motion, t );
			dbvh_collide_result met;
			assert_int_equal( dbvh_collide( trees[0], NULL, trees[1], &pose, NULL, NULL, &met, NULL ), DBVH_OK );
			assert_int_equal( met.verdict, DBVH_DISJOINT );
		}
		dbvh_tree_destroy( trees[0] );
		dbvh_tree_destroy( trees[1] );
	}
	print_message( "denormal lengths: %zu contacts, %zu clear\n", contacts, clear );
	assert_outcomes( rounds( 100 ) < 100 || ( contacts > 0 && clear > 0 ) );
}

// A point that passes by another one, or intersects it, however its pose deviates: over before long.
static void points( void **state ) {
	(void)state;
	shape point = { 0 };
	shape_vertex( &point, 0, 0, 0 );
	shape_triangle( &point, 0, 0, 0 );
	dbvh_tree *tree = tree_of( &point, NULL );
	rng r = rng_announce( "points", seed_default + 9 );
	size_t meant = 0, clear = 0;
	for ( size_t i = 0; i < rounds( 200 ); ++i ) {
		dbvh_motion m[2];
		bool straight = true;
		for ( int k = 0; k < 2; ++k ) {
			const dbvh_pose from = random_pose( &r, 1.0 );
			m[k] = dbvh_motion_translation( &from, NULL );
			random_direction( &r, m[k].axis );
			// The motion goes through the origin half way, unless it turns about another point.
			const bool aside = rng_below( &r, 4 ) == 0;
			for ( int c = 0; c < 3; ++c ) {
				m[k].shift[c] = -2.0 * from.pos[c];
				m[k].centre[c] = from.pos[c] + ( aside ? rng_range( &r, -1.0, 1.0 ) : 0.0 );
			}
			m[k].angle = rng_below( &r, 2 ) == 0 ? 0.0 : rng_range( &r, -9.0, 9.0 );
			straight &= !aside || m[k].angle == 0.0;
			if ( rng_below( &r, 2 ) == 0 )
				m[k].from = sheared( &r, from, 1.8e-6 );
		}
		dbvh_toi_result x;
		assert_int_equal( dbvh_time_of_impact( tree, &m[0], tree, &m[1], NULL, NULL, &x, NULL ), DBVH_OK );
		assert_true( x.counters.sphere_tests < 100000 );
		assert_true( !straight || ( x.verdict != DBVH_TOI_VERDICT_CLEAR && x.time <= 0.5 && x.time > 0.5 - 1e-10 ) );
		meant += straight;
		clear += x.verdict == DBVH_TOI_VERDICT_CLEAR;
	}
	print_message( "points: %zu meant to meet, %zu clear\n", meant, clear );
	assert_outcomes( meant > 0 && clear > 0 );
	dbvh_tree_destroy( tree );
	shape_free( &point );
}

static double farthest( const dbvh_pose *a, const dbvh_pose *b ) {
	double most = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		most = fmax( most, fabs( a->pos[i] - b->pos[i] ) );
		for ( int j = 0; j < 3; ++j )
			most = fmax( most, fabs( a->rot[i][j] - b->rot[i][j] ) );
	}
	return most;
}

// Motions end where they should; what is said to go straight does; a screw advances along its axis.
static void paths( void **state ) {
	(void)state;
	rng r = rng_announce( "paths", seed_default + 2 );
	for ( size_t i = 0; i < rounds( 5000 ); ++i ) {
		const bool grid = rng_below( &r, 3 ) == 0;
		dbvh_pose from = grid ? exact_pose( &r, 2.0 ) : random_pose( &r, 2.0 );
		dbvh_pose to = grid ? exact_pose( &r, 2.0 ) : random_pose( &r, 2.0 );
		if ( rng_below( &r, 3 ) == 0 ) {
			// A small turn.
			dbvh_motion turn = dbvh_motion_translation( &from, to.pos );
			random_direction( &r, turn.axis );
			turn.angle = pow( 10.0, rng_range( &r, -18.0, 0.0 ) );
			to = dbvh_motion_pose( &turn, 1.0 );
		}
		const double point[3] = { rng_range( &r, -2, 2 ), rng_range( &r, -2, 2 ), rng_range( &r, -2, 2 ) };
		const bool screw = rng_below( &r, 2 ) == 0;
		dbvh_motion motion;
		assert_int_equal( dbvh_motion_between( &from, &to, screw ? NULL : point, &motion, NULL ), DBVH_OK );
		const dbvh_pose first = dbvh_motion_pose( &motion, 0.0 ), last = dbvh_motion_pose( &motion, 1.0 );
		assert_memory_equal( &first, &from, sizeof from );
		double scale = 1.0;
		for ( int k = 0; k < 3; ++k )
			scale += fabs( motion.centre[k] );
		assert_true( farthest( &last, &to ) < 1e-14 * scale );
		const double t = rng_unit( &r );
		const dbvh_pose between = dbvh_motion_pose( &motion, t );
		double deviation;
		assert_int_equal( dbvh_pose_check( &between, &deviation, NULL ), DBVH_OK );
		assert_true( deviation < 1e-14 );
		if ( !screw ) {
			for ( int k = 0; k < 3; ++k ) {
				double x = between.pos[k], a = from.pos[k], b = to.pos[k];
				for ( int j = 0; j < 3; ++j ) {
					x += between.rot[k][j] * point[j];
					a += from.rot[k][j] * point[j];
					b += to.rot[k][j] * point[j];
				}
				assert_true( fabs( x - ( a + t * ( b - a ) ) ) < 1e-13 );
			}
		} else if ( motion.angle >= 0x1p-20 ) {
			// The shift is along the axis.
			double along = 0.0, square = 0.0;
			for ( int k = 0; k < 3; ++k ) {
				along += motion.shift[k] * motion.axis[k];
				square += motion.shift[k] * motion.shift[k];
			}
			assert_true( fabs( square - along * along ) < 1e-13 * ( 1.0 + square ) );
		}
	}
	const dbvh_pose same = random_pose( &r, 1.0 );
	dbvh_motion motion;
	assert_int_equal( dbvh_motion_between( &same, &same, NULL, &motion, NULL ), DBVH_OK );
	assert_true( motion.angle == 0.0 );
}

// A batch says what single calls say, bit by bit, whatever the threads; refused motions spoil no other.
static void batches( void **state ) {
	(void)state;
	enum { COUNT = 90 };
	rng r = rng_announce( "batches", seed_default + 7 );
	shape shape_a = { 0 }, shape_b = { 0 };
	shape_add_torus( &shape_a, 1.0, 0.3, 30, 20 );
	shape_add_hand( &shape_b );
	const dbvh_mesh_view view_a = shape_view( &shape_a ), view_b = shape_view( &shape_b );
	dbvh_tree *a = NULL, *b = NULL;
	assert_int_equal( dbvh_tree_build( &view_a, NULL, NULL, &a, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_build( &view_b, NULL, NULL, &b, NULL ), DBVH_OK );
	dbvh_motion own = dbvh_motion_translation( NULL, NULL ), motions[COUNT];
	own.axis[1] = own.angle = 1.0;
	dbvh_toi_result single[COUNT], results[COUNT];
	memset( single, 0, sizeof single );
	for ( size_t round = 0; round < rounds( 2 ); ++round ) {
		const dbvh_motion *const motion_a = round % 2 == 0 ? NULL : &own;
		int64_t first = -1;
		for ( int i = 0; i < COUNT; ++i ) {
			const dbvh_pose from = random_pose( &r, 3.0 ), to = random_pose( &r, 3.0 );
			assert_int_equal( dbvh_motion_between( &from, &to, NULL, &motions[i], NULL ), DBVH_OK );
			if ( i % 3 == 0 )
				motions[i].angle = 0.0;
			if ( rng_below( &r, 30 ) == 0 )
				motions[i].shift[1] = NAN;
			const dbvh_status status = dbvh_time_of_impact( a, motion_a, b, &motions[i], NULL, NULL, &single[i], NULL );
			assert_int_equal( status, isnan( motions[i].shift[1] ) ? DBVH_NOT_FINITE : DBVH_OK );
			first = status != DBVH_OK && first < 0 ? i : first;
			single[i].status = status;
		}
		static const uint32_t threads[] = { 0, 1, 2, 3, 7 };
		dbvh_workspace *workspace = NULL;
		assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
		for ( int k = 0; k < 5; ++k ) {
			dbvh_error error;
			memset( results, 1, sizeof results );
			const dbvh_batch_options options = {
			    .thread_count = threads[k], .grain = (uint32_t)k, .workspace = k % 2 == 0 ? NULL : workspace };
			const dbvh_status status =
			    dbvh_time_of_impact_batch( a, motion_a, b, motions, COUNT, NULL, &options, results, &error );
			assert_int_equal( status, first < 0 ? DBVH_OK : DBVH_NOT_FINITE );
			assert_int_equal( error.element, first );
			assert_memory_equal( results, single, sizeof results );
		}
		dbvh_workspace_destroy( workspace );
	}
	// Arguments that are refused.
	dbvh_error error;
	assert_int_equal( dbvh_time_of_impact_batch( a, NULL, b, NULL, 0, NULL, NULL, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_time_of_impact_batch( NULL, NULL, b, motions, 1, NULL, NULL, results, NULL ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_time_of_impact_batch( a, NULL, b, NULL, 1, NULL, NULL, results, &error ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( error.element, -1 );
	const dbvh_toi_query query = { .tolerance = 2.0 };
	assert_int_equal( dbvh_time_of_impact_batch( a, NULL, b, motions, 1, &query, NULL, results, NULL ),
	                  DBVH_INVALID_ARGUMENT );
	own.centre[0] = INFINITY;
	assert_int_equal( dbvh_time_of_impact_batch( a, &own, b, motions, COUNT, NULL, NULL, results, &error ),
	                  DBVH_NOT_FINITE );
	assert_int_equal( error.element, -1 );
	assert_true( results[0].time == 0.0 && results[0].status == DBVH_OK );
	// Memory: refused at any point, and asked for no more once it is there.
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	dbvh_batch_options options = { .thread_count = 3 };
	assert_int_equal( dbvh_workspace_create( &allocator, &options.workspace, NULL ), DBVH_OK );
	dbvh_motion good[4];
	for ( int i = 0; i < 4; ++i )
		good[i] = dbvh_motion_translation( NULL, NULL );
	size_t refused = 0;
	for ( dbvh_status status = DBVH_OUT_OF_MEMORY; status != DBVH_OK; ++refused ) {
		books.fail_at = books.calls + 1 + refused % 7;
		status = dbvh_time_of_impact_batch( a, NULL, b, good, 4, NULL, &options, results, NULL );
		assert_true( status == DBVH_OK || status == DBVH_OUT_OF_MEMORY );
	}
	assert_outcomes( refused > 1 );
	books.fail_at = 0;
	const size_t calls = books.calls;
	assert_int_equal( dbvh_time_of_impact_batch( a, NULL, b, good, 4, NULL, &options, results, NULL ), DBVH_OK );
	assert_int_equal( books.calls, calls );
	dbvh_workspace_destroy( options.workspace );
	assert_int_equal( books.live, 0 );
	assert_int_equal( books.mistakes, 0 );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	shape_free( &shape_a );
	shape_free( &shape_b );
}

// The position of b's point x in a's frame.
static void seen( const dbvh_motion *a, const dbvh_motion *b, double t, const double x[3], double out[3] ) {
	const dbvh_pose pose_a = dbvh_motion_pose( a, t ), pose_b = dbvh_motion_pose( b, t );
	const dbvh_pose r = dbvh_pose_relative( &pose_a, &pose_b );
	for ( int k = 0; k < 3; ++k )
		out[k] = r.rot[k][0] * x[0] + r.rot[k][1] * x[1] + r.rot[k][2] * x[2] + r.pos[k];
}

// The bound of the acceleration, against second differences of the poses themselves.
static void accelerations( void **state ) {
	(void)state;
	rng r = rng_announce( "accelerations", seed_default + 6 );
	const double step = 1e-4;
	double tightest = 0.0, exact = 0.0;
	for ( size_t i = 0; i < rounds( 5000 ); ++i ) {
		const dbvh_pose from_a = random_pose( &r, 1.0 ), from_b = random_pose( &r, 1.0 );
		dbvh_motion a = dbvh_motion_translation( &from_a, NULL ), b = dbvh_motion_translation( &from_b, NULL );
		random_direction( &r, a.axis );
		random_direction( &r, b.axis );
		if ( rng_below( &r, 3 ) == 0 )
			memcpy( b.axis, a.axis, sizeof a.axis );
		a.angle = rng_range( &r, -3.0, 3.0 );
		b.angle = rng_below( &r, 3 ) == 0 ? a.angle : rng_range( &r, -3.0, 3.0 );
		for ( int k = 0; k < 3; ++k ) {
			a.shift[k] = rng_range( &r, -2.0, 2.0 );
			b.shift[k] = rng_range( &r, -2.0, 2.0 );
			a.centre[k] = rng_range( &r, -2.0, 2.0 );
			b.centre[k] = rng_below( &r, 3 ) == 0 ? a.centre[k] : rng_range( &r, -2.0, 2.0 );
		}
		const double begin = rng_unit( &r ), left = rng_below( &r, 2 ) == 0 ? 0.0 : rng_unit( &r );
		const double later = begin + left * rng_unit( &r ), aside = rng_below( &r, 2 ) == 0 ? 0.0 : rng_unit( &r );
		double x[3], way[3], other[3];
		random_direction( &r, way );
		for ( int k = 0; k < 3; ++k ) {
			x[k] = rng_range( &r, -2.0, 2.0 );
			other[k] = x[k] + aside * way[k];
		}
		// The bound of the acceleration, at `begin` and in the common frame.
		const dbvh_pose pose = dbvh_motion_pose( &b, begin );
		dbvhi_vec turn, spin, shift, arm, between;
		for ( int k = 0; k < 3; ++k ) {
			turn.v[k] = b.angle * b.axis[k];
			spin.v[k] = a.angle * a.axis[k];
			shift.v[k] = b.shift[k] - a.shift[k];
			between.v[k] = b.centre[k] - a.centre[k] + begin * shift.v[k];
			arm.v[k] = pose.rot[k][0] * x[0] + pose.rot[k][1] * x[1] + pose.rot[k][2] * x[2] + pose.pos[k] -
			           b.centre[k] - begin * b.shift[k];
		}
		const dbvhi_swinging s = dbvhi_swinging_of( turn, spin, shift );
		const double bound = dbvhi_bend( &s, arm, between, left ) + s.spread * aside * ( 1.0 + left * s.rate );
		double at[3][3], square = 0.0;
		for ( int k = 0; k < 3; ++k )
			seen( &a, &b, later + ( k - 1 ) * step, other, at[k] );
		for ( int k = 0; k < 3; ++k ) {
			const double second = ( at[0][k] - 2.0 * at[1][k] + at[2][k] ) / ( step * step );
			square += second * second;
		}
		const double true_one = sqrt( square );
		assert_true( true_one <= bound * ( 1.0 + 1e-6 ) + 3e-6 );
		if ( bound > 0.1 && left == 0.0 && aside == 0.0 )
			exact = fmax( exact, fabs( 1.0 - true_one / bound ) );
		else if ( bound > 0.1 && left > 0.2 && aside > 0.2 )
			tightest = fmax( tightest, true_one / bound );
	}
	print_message( "accelerations: off by %.1e of their size; bounds reached to %.2f\n", exact, tightest );
	assert_true( exact < 1e-4 );
	assert_true( tightest > 0.9 );
}

static void bad_arguments( void **state ) {
	(void)state;
	shape box = { 0 };
	shape_add_box( &box, 1, 1, 1, 1 );
	dbvh_tree *tree = tree_of( &box, &keeps_reference );
	const dbvh_motion good = dbvh_motion_translation( NULL, NULL );
	dbvh_toi_result x;
	assert_int_equal( dbvh_time_of_impact( NULL, NULL, tree, &good, NULL, NULL, &x, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_time_of_impact( tree, NULL, NULL, &good, NULL, NULL, &x, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_time_of_impact( tree, NULL, tree, &good, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	static const double tolerances[] = { -1.0, 1.5, NAN, INFINITY };
	for ( size_t i = 0; i < sizeof tolerances / sizeof tolerances[0]; ++i ) {
		const dbvh_toi_query query = { .tolerance = tolerances[i] };
		assert_int_equal( dbvh_time_of_impact( tree, NULL, tree, &good, &query, NULL, &x, NULL ),
		                  DBVH_INVALID_ARGUMENT );
	}
	const dbvh_toi_query no_policy = { .policy = (dbvh_policy)99 };
	assert_int_equal( dbvh_time_of_impact( tree, NULL, tree, &good, &no_policy, NULL, &x, NULL ),
	                  DBVH_INVALID_ARGUMENT );
	for ( int policy = DBVH_POLICY_DEFAULT; policy <= DBVH_POLICY_PACKED_MIXED; ++policy ) {
		const dbvh_toi_query any_policy = { .policy = (dbvh_policy)policy };
		assert_int_equal( dbvh_time_of_impact( tree, NULL, tree, &good, &any_policy, NULL, &x, NULL ), DBVH_OK );
	}
	for ( int which = 0; which < 8; ++which ) {
		dbvh_motion bad = good;
		bad.axis[0] = 1.0;
		bad.angle = 1.0;
		dbvh_status expected = DBVH_NOT_FINITE;
		switch ( which ) {
		case 0:
			bad.shift[1] = NAN;
			break;
		case 1:
			bad.centre[2] = INFINITY;
			break;
		case 2:
			bad.axis[1] = NAN;
			break;
		case 3:
			bad.angle = NAN;
			break;
		case 4:
			bad.from.pos[0] = NAN;
			break;
		case 5:
			bad.axis[0] = 0.0;
			expected = DBVH_INVALID_ARGUMENT;
			break;
		case 6:
			bad.angle = 1e6;
			expected = DBVH_INVALID_ARGUMENT;
			break;
		default:
			bad.from.rot[0][0] = 2.0;
			expected = DBVH_NOT_RIGID;
			break;
		}
		memset( &x, 1, sizeof x );
		assert_int_equal( dbvh_time_of_impact( tree, NULL, tree, &bad, NULL, NULL, &x, NULL ), expected );
		assert_true( x.time == 0.0 && x.pair.a == 0 );
		assert_int_equal( dbvh_time_of_impact( tree, &bad, tree, NULL, NULL, NULL, &x, NULL ), expected );
	}
	dbvh_motion out;
	dbvh_pose bad = dbvh_pose_identity();
	bad.pos[1] = NAN;
	assert_int_equal( dbvh_motion_between( &bad, NULL, NULL, &out, NULL ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_motion_between( NULL, &bad, NULL, &out, NULL ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_motion_between( NULL, NULL, bad.pos, &out, NULL ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_motion_between( NULL, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	dbvh_tree_destroy( tree );
	shape_free( &box );
}

// A workspace that has seen these trees allocates nothing; one that cannot be had is a status.
static void memory( void **state ) {
	(void)state;
	shape statue = { 0 };
	shape_add_torus( &statue, 1.0, 0.3, 12, 8 );
	dbvh_tree *tree = tree_of( &statue, NULL );
	dbvh_pose far = dbvh_pose_identity();
	far.pos[0] = 5.0;
	const double shift[3] = { -5.0, 0.1, 0.2 };
	const dbvh_motion motion = dbvh_motion_translation( &far, shift );
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	dbvh_workspace *workspace = NULL;
	dbvh_toi_result x, y;
	assert_int_equal( dbvh_workspace_create( &allocator, &workspace, NULL ), DBVH_OK );
	books.fail_at = books.calls + 1;
	assert_int_equal( dbvh_time_of_impact( tree, NULL, tree, &motion, NULL, workspace, &x, NULL ), DBVH_OUT_OF_MEMORY );
	books.fail_at = 0;
	assert_int_equal( dbvh_time_of_impact( tree, NULL, tree, &motion, NULL, workspace, &x, NULL ), DBVH_OK );
	const size_t calls = books.calls;
	assert_int_equal( dbvh_time_of_impact( tree, NULL, tree, &motion, NULL, workspace, &y, NULL ), DBVH_OK );
	assert_int_equal( books.calls, calls );
	assert_memory_equal( &x, &y, sizeof x );
	dbvh_workspace_destroy( workspace );
	assert_int_equal( books.live, 0 );
	assert_int_equal( books.mistakes, 0 );
	dbvh_tree_destroy( tree );
	shape_free( &statue );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( known_translations ),
	    cmocka_unit_test( a_door ),
	    cmocka_unit_test( both_turn ),
	    cmocka_unit_test( as_one ),
	    cmocka_unit_test( long_ways ),
	    cmocka_unit_test( points ),
	    cmocka_unit_test( scales ),
	    cmocka_unit_test( denormal_lengths ),
	    cmocka_unit_test( paths ),
	    cmocka_unit_test( accelerations ),
	    cmocka_unit_test( batches ),
	    cmocka_unit_test( bad_arguments ),
	    cmocka_unit_test( memory ),
	};
	return test_main( argc, argv, tests );
}
