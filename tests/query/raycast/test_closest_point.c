// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Posed meshes and their closest points: every triangle in rational arithmetic, on the same questions.

#include "posed_scene.h"
#include "support/rounding.h"

static const uint64_t seed_default = 20261123;

typedef struct point_tally {
	size_t points, on_mesh, ties, within, mistakes, exact_tests, triangle_tests;
} point_tally;

static void check_point( const scene *s, const double point[3], double bound, dbvh_workspace *workspace,
                         point_tally *sums ) {
	mpq_t least, square;
	mpq_inits( least, square, NULL );
	uint32_t best = 0;
	size_t ties = 0;
	for ( uint32_t i = 0; i < (uint32_t)s->mesh.triangle_count; ++i ) {
		rational_distance_squared( &s->triangles[i], point, square );
		const int order = i == 0 ? -1 : mpq_cmp( square, least );
		ties = order == 0 ? ties + 1 : order < 0 ? 0 : ties;
		if ( order < 0 ) {
			mpq_set( least, square );
			best = i;
		}
	}
	sums->points += 1;
	sums->on_mesh += mpq_sgn( least ) == 0;
	sums->ties += ties > 0;
	dbvh_closest_point_result found;
	assert_int_equal( dbvh_closest_point( s->tree, pose_of( s ), point, NULL, workspace, &found, NULL ), DBVH_OK );
	sums->exact_tests += found.counters.exact_tests;
	sums->triangle_tests += found.counters.triangle_tests;
	bool right = found.found && found.triangle == best && is_root_up( found.distance, least );
	// The point that is handed over lies at the distance, but for its own error.
	if ( right && isfinite( found.distance ) && s->largest < 1e300 ) {
		const double off = 0x1p-46 * s->largest + 0x1p-1070;
		double scale = off;
		for ( int k = 0; k < 3; ++k )
			scale = fmax( scale, fabs( found.point[k] - point[k] ) );
		double sum = 0.0;
		for ( int k = 0; k < 3; ++k )
			sum += ( found.point[k] - point[k] ) / scale * ( ( found.point[k] - point[k] ) / scale );
		const double distance = scale * sqrt( sum );
		right = fabs( distance - found.distance ) <= 2.0 * off + 0x1p-50 * distance;
	}
	if ( !right && sums->mistakes++ < 5 )
		print_message( "closest point: nearest of %a %a %a: triangle %u at %a, the truth is %u at %g\n", point[0],
		               point[1], point[2], found.triangle, found.distance, best, sqrt( mpq_get_d( least ) ) );

	// Bounds: a random one, the distance itself, and the next below it.
	const double bounds[3] = { bound, found.distance, nextafter( found.distance, 0.0 ) };
	for ( int i = 0; i < 3; ++i ) {
		if ( !isfinite( bounds[i] ) )
			continue;
		const bool within = compare_square( bounds[i], least ) >= 0;
		sums->within += within;
		dbvh_closest_point_result bounded;
		assert_int_equal( dbvh_closest_point( s->tree, pose_of( s ), point,
		                                      &( dbvh_closest_point_query ){ .limit = bounds[i] }, workspace, &bounded,
		                                      NULL ),
		                  DBVH_OK );
		if ( ( bounded.found != within ||
		       ( within && ( bounded.triangle != best || bounded.distance != found.distance ||
		                     memcmp( bounded.point, found.point, sizeof found.point ) != 0 ) ) ) &&
		     sums->mistakes++ < 5 )
			print_message( "closest point: within %a of %a %a %a: %d, the truth is %d\n", bounds[i], point[0], point[1],
			               point[2], bounded.found, within );
	}
	mpq_clears( least, square, NULL );
}

static void random_points( void **state ) {
	(void)state;
	rng r = rng_announce( "closest point", seed_default );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	point_tally points = { 0 };
	const size_t count = rounds( 150 );
	for ( size_t i = 0; i < count; ++i ) {
		scene s;
		bool grid;
		random_scene( &s, &r, i, &grid );
		// Scales beyond floats, and scales near the ends of doubles.
		static const int exponents[8] = { 0, 0, 0, 20, -30, 80, -300, 900 };
		const int exponent = exponents[rng_below( &r, 8 )];
		scene_scale( &s, exponent );
		const dbvh_tree_options options = random_options( &r );
		scene_open( &s, rng_below( &r, 2 ) == 0 ? NULL : &options );
		for ( int k = 0; k < 12; ++k ) {
			double point[3];
			random_point( &s, &r, grid, exponent, point );
			check_point( &s, point, ldexp( rng_unit( &r ), exponent ), workspace, &points );
		}
		scene_close( &s );
	}
	printf( "closest point: %zu points, %zu on the mesh, %zu ties, %zu within; %zu triangles compared, %zu exactly; "
	        "%zu mistakes\n",
	        points.points, points.on_mesh, points.ties, points.within, points.triangle_tests, points.exact_tests,
	        points.mistakes );
	assert_int_equal( points.mistakes, 0 );
	assert_outcomes( points.on_mesh > points.points / 50 && points.ties > points.points / 10 );
	assert_outcomes( points.within > points.points && points.within < 3 * points.points );
	dbvh_workspace_destroy( workspace );
}

// ------------------------------------------------------------------------------------------------
// Many at a time, and what is refused

static void batches( void **state ) {
	(void)state;
	rng r = rng_announce( "closest point: batches", seed_default + 1 );
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.4, 60, 30 );
	dbvh_tree *tree = tree_of( &s, NULL );
	const dbvh_pose pose = random_pose( &r, 1.0 );
	enum { COUNT = 500, BAD = 317 };
	static double points[COUNT][3];
	for ( int i = 0; i < COUNT; ++i )
		for ( int k = 0; k < 3; ++k )
			points[i][k] = rng_range( &r, -2, 2 );
	static dbvh_closest_point_result nearest[COUNT], own;
	const dbvh_closest_point_query query = { .limit = 0.5 };
	dbvh_error error;
	for ( uint32_t threads = 1; threads <= 4; threads += 3 ) {
		const dbvh_batch_options options = { .thread_count = threads };
		assert_int_equal( dbvh_closest_point_batch( tree, &pose, points[0], COUNT, &query, &options, nearest, &error ),
		                  DBVH_OK );
		size_t found = 0;
		for ( size_t i = 0; i < COUNT; ++i ) {
			assert_int_equal( dbvh_closest_point( tree, &pose, points[i], &query, NULL, &own, NULL ), DBVH_OK );
			assert_memory_equal( &own, &nearest[i], sizeof own );
			found += own.found;
		}
		assert_outcomes( found > 0 && found < COUNT );
	}

	// One that is refused spoils no other.
	points[BAD][2] = INFINITY;
	const dbvh_batch_options options = { .thread_count = 2 };
	assert_int_equal( dbvh_closest_point_batch( tree, &pose, points[0], COUNT, &query, &options, nearest, &error ),
	                  DBVH_NOT_FINITE );
	assert_int_equal( error.element, BAD );
	assert_int_equal( nearest[BAD].status, DBVH_NOT_FINITE );
	assert_int_equal( nearest[BAD + 1].status, DBVH_OK );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

static void arguments( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 2 );
	dbvh_tree *tree = tree_of( &s, NULL );
	dbvh_closest_point_result nearest;
	const double point[3] = { 3, 0, 0 }, odd[3] = { NAN, 0, 0 };
	dbvh_pose pose = dbvh_pose_identity();
	assert_int_equal( dbvh_closest_point( tree, NULL, point, NULL, NULL, &nearest, NULL ), DBVH_OK );
	assert_true( nearest.found && nearest.distance == 2.0 && nearest.point[0] == 1.0 );
	assert_int_equal( dbvh_closest_point( tree, NULL, odd, NULL, NULL, &nearest, NULL ), DBVH_NOT_FINITE );
	assert_int_equal(
	    dbvh_closest_point( tree, NULL, point, &( dbvh_closest_point_query ){ .limit = NAN }, NULL, &nearest, NULL ),
	    DBVH_INVALID_ARGUMENT );
	assert_int_equal(
	    dbvh_closest_point( tree, NULL, point, &( dbvh_closest_point_query ){ .limit = -1.0 }, NULL, &nearest, NULL ),
	    DBVH_INVALID_ARGUMENT );
	assert_int_equal(
	    dbvh_closest_point( NULL, NULL, point, &( dbvh_closest_point_query ){ .limit = 1.0 }, NULL, &nearest, NULL ),
	    DBVH_INVALID_ARGUMENT );
	assert_int_equal(
	    dbvh_closest_point( tree, NULL, point, &( dbvh_closest_point_query ){ .limit = 1.0 }, NULL, NULL, NULL ),
	    DBVH_INVALID_ARGUMENT );
	pose.rot[0][0] = 2.0;
	assert_int_equal(
	    dbvh_closest_point( tree, &pose, point, &( dbvh_closest_point_query ){ .limit = 1.0 }, NULL, &nearest, NULL ),
	    DBVH_NOT_RIGID );
	assert_int_equal( dbvh_closest_point_batch( tree, NULL, NULL, 0, &( dbvh_closest_point_query ){ .limit = 1.0 },
	                                            NULL, NULL, NULL ),
	                  DBVH_OK );

	// Nothing is allocated once the workspace has been reserved.
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( &allocator, &workspace, NULL ), DBVH_OK );
	assert_int_equal( dbvh_workspace_reserve( workspace, tree, tree, 5, NULL ), DBVH_OK );
	const size_t calls = books.calls;
	assert_int_equal( dbvh_closest_point( tree, NULL, point, NULL, workspace, &nearest, NULL ), DBVH_OK );
	assert_int_equal( books.calls, calls );
	dbvh_workspace_destroy( workspace );
	assert_int_equal( books.live, 0 );
	assert_int_equal( books.mistakes, 0 );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// ------------------------------------------------------------------------------------------------
// Larger meshes: the boxes must not lose what the predicates of the triangles find without them

static void larger_meshes( void **state ) {
	(void)state;
	rng r = rng_announce( "closest point: larger meshes", seed_default + 2 );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	size_t compared = 0;
	for ( int which = 0; which < 3; ++which ) {
		shape s = { 0 };
		if ( which == 0 )
			shape_add_statue( &s );
		else if ( which == 1 )
			shape_add_torus( &s, 1.0, 0.3, 100, 50 );
		else
			add_soup( &s, &r, 4000, 0.1, 0.1, false );
		dbvh_tree *tree = tree_of( &s, NULL );
		dbvh_tree **single = trees_of_triangles( &s );
		const dbvh_pose pose = random_pose( &r, 1.0 );
		const size_t count = rounds( 20 );
		for ( size_t n = 0; n < count; ++n ) {
			double point[3];
			for ( int k = 0; k < 3; ++k )
				point[k] = pose.pos[k] + rng_range( &r, -2, 2 );
			dbvh_closest_point_result whole, part;
			assert_int_equal( dbvh_closest_point( tree, &pose, point, NULL, workspace, &whole, NULL ), DBVH_OK );
			double distance = INFINITY;
			for ( size_t i = 0; i < s.triangle_count; ++i ) {
				assert_int_equal( dbvh_closest_point( single[i], &pose, point, NULL, workspace, &part, NULL ),
				                  DBVH_OK );
				distance = fmin( distance, part.distance );
			}
			assert_true( whole.distance == distance );
			compared += 1;
		}
		destroy_trees( single, s.triangle_count );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	assert_outcomes( compared >= 3 );
	dbvh_workspace_destroy( workspace );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( random_points ),
	    cmocka_unit_test( batches ),
	    cmocka_unit_test( arguments ),
	    cmocka_unit_test( larger_meshes ),
	};
	return test_main( argc, argv, tests );
}
