// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Oracles for `dualbvh-bench axes`: axes against projected corners, the walk against the library's counters, its
// searches against the library's verdicts, the areas of the appendix against random points.

#include "../../bench/paper/axes.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

static const uint64_t seed_default = 32;

// ------------------------------------------------------------------------------------------------
// Axes

// All corners of both boxes along a direction in A's frame: by how much they are apart.
static double gap_along( const double axis[3], const dbvhi_mat *rot, dbvhi_vec pos, dbvhi_vec a, dbvhi_vec b ) {
	double low[2] = { INFINITY, INFINITY }, high[2] = { -(double)INFINITY, -(double)INFINITY };
	for ( int corner = 0; corner < 8; ++corner )
		for ( int box = 0; box < 2; ++box ) {
			const dbvhi_vec half = box == 0 ? a : b;
			dbvhi_vec p;
			for ( int k = 0; k < 3; ++k )
				p.v[k] = corner >> k & 1 ? half.v[k] : -half.v[k];
			if ( box == 1 )
				p = dbvhi_add( dbvhi_mat_apply( rot, p ), pos );
			const double along = axis[0] * p.v[0] + axis[1] * p.v[1] + axis[2] * p.v[2];
			low[box] = fmin( low[box], along );
			high[box] = fmax( high[box], along );
		}
	return fmax( low[1] - high[0], low[0] - high[1] );
}

static void axes_separate_what_they_should( void **state ) {
	(void)state;
	rng r = rng_announce( "axes: boxes", seed_default );
	size_t apart[AXES] = { 0 }, together[AXES] = { 0 }, near = 0;
	const size_t count = rounds( 20000 );
	for ( size_t i = 0; i < count; ++i ) {
		dbvhi_vec a, b, pos;
		for ( int k = 0; k < 3; ++k ) {
			a.v[k] = pow( 10.0, rng_range( &r, -2.0, 0.0 ) );
			b.v[k] = pow( 10.0, rng_range( &r, -2.0, 0.0 ) );
		}
		const dbvh_pose pose = random_pose( &r, 1.2 );
		dbvhi_mat rot;
		memcpy( rot.m, pose.rot, sizeof rot.m );
		memcpy( pos.v, pose.pos, sizeof pos.v );
		const uint32_t mask = axes_separating( &rot, pos, a, b, 0.0 );
		assert_true( mask < AXES_MASKS );
		for ( int axis = 0; axis < AXES; ++axis ) {
			double way[3] = { 0, 0, 0 };
			const int j = axis < 6 ? axis - 3 : ( axis - 6 ) % 3;
			const dbvhi_vec column = {
			    { rot.m[0][j >= 0 ? j : 0], rot.m[1][j >= 0 ? j : 0], rot.m[2][j >= 0 ? j : 0] } };
			if ( axis < 3 ) {
				way[axis] = 1.0;
			} else if ( axis < 6 ) {
				memcpy( way, column.v, sizeof way );
			} else {
				dbvhi_vec unit = { { 0, 0, 0 } };
				unit.v[( axis - 6 ) / 3] = 1.0;
				const dbvhi_vec cross = dbvhi_cross( unit, column );
				memcpy( way, cross.v, sizeof way );
			}
			const double gap = gap_along( way, &rot, pos, a, b );
			if ( fabs( gap ) < 1e-12 ) {
				near += 1;
				continue;
			}
			assert_int_equal( mask >> axis & 1, gap > 0.0 );
			( gap > 0.0 ? apart : together )[axis] += 1;
		}
	}
	for ( int axis = 0; axis < AXES; ++axis ) {
		assert_outcomes( apart[axis] > count / 20 && together[axis] > count / 20 );
		assert_int_equal( axes_find( axes_names[axis] ), axis );
	}
	assert_int_equal( axes_find( "c33" ), -1 );
	assert_outcomes( near < count / 100 );
}

// ------------------------------------------------------------------------------------------------
// The walk

static axes_tally tally_of_walk;

static void walks_as_the_library_does( void **state ) {
	(void)state;
	rng r = rng_announce( "axes: walk", seed_default + 1 );
	uint32_t papers = 0;
	static const char *const names[] = { "a0", "b0", "c22", "c12", "c21" };
	for ( int i = 0; i < 5; ++i )
		papers |= UINT32_C( 1 ) << axes_find( names[i] );
	const struct {
		dbvh_policy policy;
		axes_rule rule;
	} rules[] = { { DBVH_POLICY_DUAL, { papers, true } },
	              { DBVH_POLICY_RAPID, { AXES_ALL, false } },
	              { DBVH_POLICY_SAT_LITE, { 63, false } },
	              { DBVH_POLICY_SPHERE, { 0, true } } };
	size_t meeting = 0, scenes = 0;
	for ( size_t round = rounds( 60 ); round-- > 0; ++scenes ) {
		shape s[2] = { { 0 }, { 0 } };
		dbvh_tree *trees[2] = { NULL, NULL };
		dbvh_tree_options options = random_options( &r );
		options.fragments = DBVH_FRAGMENTS_NONE; // the walk knows whole triangles
		options.reference = true;
		for ( int i = 0; i < 2; ++i ) {
			if ( rng_below( &r, 2 ) == 0 )
				shape_add_torus( &s[i], 1.0, 0.3, (uint32_t)( 5 + rng_below( &r, 20 ) ), 9 );
			else
				add_soup( &s[i], &r, 1 + rng_below( &r, 200 ), 0.2, 0.2, rng_below( &r, 2 ) == 0 );
			const dbvh_mesh_view view = shape_view( &s[i] );
			assert_int_equal( dbvh_tree_build( &view, &options, NULL, &trees[i], NULL ), DBVH_OK );
		}
		const dbvh_pose pose = random_pose( &r, 1.5 );
		for ( size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i ) {
			const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = rules[i].policy };
			dbvh_collide_result result;
			assert_int_equal( dbvh_collide( trees[0], NULL, trees[1], &pose, &query, NULL, &result, NULL ), DBVH_OK );
			memset( &tally_of_walk, 0, sizeof tally_of_walk );
			axes_walk( trees[0], trees[1], &pose, rules[i].rule, &tally_of_walk );
			assert_int_equal( tally_of_walk.spheres, result.counters.sphere_tests );
			if ( rules[i].policy != DBVH_POLICY_SPHERE )
				assert_int_equal( tally_of_walk.boxes, result.counters.box_tests );
			if ( options.leaf_size == 1 )
				assert_int_equal( tally_of_walk.leaves, result.counters.triangle_tests );
			uint64_t sum = 0;
			for ( uint32_t m = 0; m < AXES_MASKS; ++m )
				sum += tally_of_walk.masks[m];
			assert_int_equal( sum, tally_of_walk.boxes );
			meeting += i == 0 && result.verdict == DBVH_INTERSECTING;
		}
		dbvh_collide_result result;
		assert_int_equal( dbvh_collide( trees[0], NULL, trees[1], &pose, NULL, NULL, &result, NULL ), DBVH_OK );
		for ( int n = 0; n <= AXES_SEARCH_MOST + 1; ++n )
			assert_int_equal( axes_search( trees[0], trees[1], &pose, n <= AXES_SEARCH_MOST ? n : AXES ),
			                  result.verdict == DBVH_INTERSECTING );
		for ( int i = 0; i < 2; ++i ) {
			dbvh_tree_destroy( trees[i] );
			shape_free( &s[i] );
		}
	}
	assert_outcomes( meeting > 0 && meeting < scenes );
}

// ------------------------------------------------------------------------------------------------
// The appendix

// Tell whether two rectangles' projections on a direction are disjoint, from their corners.
static bool apart_in_plane( double direction, double angle, const double at[2], double h1, double h2 ) {
	const double x = cos( direction ), y = sin( direction );
	double low[2] = { INFINITY, INFINITY }, high[2] = { -(double)INFINITY, -(double)INFINITY };
	for ( int box = 0; box < 2; ++box )
		for ( int corner = 0; corner < 4; ++corner ) {
			const double u = ( corner & 1 ? 1.0 : -1.0 ) * ( box == 0 ? h1 : h2 ), v = corner & 2 ? 1.0 : -1.0;
			const double turn = box == 0 ? 0.0 : angle;
			const double px = u * cos( turn ) - v * sin( turn ) + ( box == 0 ? 0.0 : at[0] );
			const double py = u * sin( turn ) + v * cos( turn ) + ( box == 0 ? 0.0 : at[1] );
			low[box] = fmin( low[box], x * px + y * py );
			high[box] = fmax( high[box], x * px + y * py );
		}
	return low[0] > high[1] || low[1] > high[0];
}

static void areas_are_those_of_random_points( void **state ) {
	(void)state;
	rng r = rng_announce( "axes: areas", seed_default + 2 );
	const double pi = 3.14159265358979323846;
	for ( size_t round = rounds( 25 ); round-- > 0; ) {
		const double degrees = round == 0 ? 0.0 : 10.0 * (double)rng_below( &r, 10 );
		const double h1 = 0.1 * (double)( 1 + rng_below( &r, 10 ) ), h2 = 0.1 * (double)( 1 + rng_below( &r, 10 ) );
		const double angle = degrees * pi / 180.0, radius = sqrt( h1 * h1 + 1.0 ) + sqrt( h2 * h2 + 1.0 );
		size_t kept = 0, lost = 0;
		for ( int i = 0; i < 40000; ++i ) {
			double at[2];
			do {
				at[0] = rng_range( &r, -radius, radius );
				at[1] = rng_range( &r, -radius, radius );
			} while ( at[0] * at[0] + at[1] * at[1] > radius * radius );
			if ( apart_in_plane( 0.0, angle, at, h1, h2 ) || apart_in_plane( angle, angle, at, h1, h2 ) )
				continue;
			kept += 1;
			lost +=
			    apart_in_plane( 0.5 * pi, angle, at, h1, h2 ) || apart_in_plane( angle + 0.5 * pi, angle, at, h1, h2 );
		}
		// Five standard deviations, and the samples' own grain.
		const double sampled = (double)lost / (double)kept, ratio = axes_plane_ratio( degrees, h1, h2 );
		assert_true( fabs( sampled - ratio ) < 5.0 * sqrt( fabs( ratio * ( 1.0 - ratio ) ) / (double)kept ) + 1e-3 );
	}
	// The paper's own figures, as it rounds them.
	const axes_plane p = axes_plane_loss();
	assert_int_equal( p.samples, 1000 );
	assert_true( p.below_tenth >= 806 && p.below_tenth <= 808 );
	assert_true( fabs( p.average - 0.064 ) < 0.0005 && fabs( p.worst - 0.222 ) < 0.0005 );
	assert_true( p.worst_angle == 0.0 && p.worst_h1 == 1.0 && p.worst_h2 == 1.0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( axes_separate_what_they_should ),
	    cmocka_unit_test( walks_as_the_library_does ),
	    cmocka_unit_test( areas_are_those_of_random_points ),
	};
	return test_main( argc, argv, tests );
}
