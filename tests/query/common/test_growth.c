// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How the work of a query grows with meshes whose volumes overlap all with all, in steps of a budget at n, 2 n and 4 n;
// and that planes between groups of triangles (query/self/groups.h) leave out no pair that counts.

#include "budget_inputs.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Growth

static const budget_input *input_named( const char *name ) {
	for ( size_t i = 0; i < budget_input_count; ++i ) {
		if ( strcmp( budget_inputs[i].name, name ) == 0 )
			return &budget_inputs[i];
	}
	fail_msg( "no input %s", name );
	return NULL;
}

static uint64_t work_of_self( const budget_input *input, size_t n ) {
	dbvh_tree *const tree = budget_tree( input, n );
	uint64_t spent = 0;
	const dbvh_budget budget = { .spent = &spent };
	const dbvh_collide_query query = { .budget = &budget };
	dbvh_collide_result result;
	assert_int_equal( dbvh_self_collide( tree, &query, NULL, &result, NULL ), DBVH_OK );
	assert_int_equal( result.verdict, DBVH_DISJOINT );
	dbvh_tree_destroy( tree );
	return spent;
}

// n squared is 16 at four times as many triangles, n log n below 5.
static void self_grows( void **state ) {
	(void)state;
	static const struct {
		const char *name;
		double most;
	} rows[] = { { "stack", 6.0 }, { "comb", 9.0 }, { "fan", 20.0 }, { "flat fan", 20.0 }, { "thin fan", 20.0 } };
	const size_t n = 2000;
	for ( size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i ) {
		const budget_input *const input = input_named( rows[i].name );
		const uint64_t one = work_of_self( input, n ), two = work_of_self( input, 2 * n ),
		               four = work_of_self( input, 4 * n );
		const double growth = (double)four / (double)one;
		printf( "%-12s itself: %zu triangles %.3g steps, twice %.3g, four times %.3g: %.1f\n", rows[i].name, n,
		        (double)one, (double)two, (double)four, growth );
		assert_true( growth < rows[i].most );
	}
}

// ------------------------------------------------------------------------------------------------
// Groups

enum { MOST = 2400 };

static int compare_pairs( const void *p, const void *q ) {
	return memcmp( p, q, sizeof( dbvh_pair ) );
}

// All pairs of triangles of which the float filter, or rounding, may make another verdict.
static size_t list_truth( const double *corners, size_t n, dbvh_pair *out, size_t room ) {
	size_t count = 0;
	for ( uint32_t i = 0; i < n; ++i ) {
		for ( uint32_t j = i + 1; j < n; ++j ) {
			bool meet = false;
			const dbvh_triangle *const a = (const dbvh_triangle *)( corners + 9 * (size_t)i ),
			                           *const b = (const dbvh_triangle *)( corners + 9 * (size_t)j );
			assert_int_equal( dbvh_triangles_self_intersect( a, b, &meet, NULL ), DBVH_OK );
			if ( !meet )
				continue;
			assert_true( count < room );
			out[count++] = ( dbvh_pair ){ i, j };
		}
	}
	return count;
}

// Add `more` small triangles that cross the others.
static size_t add_some( rng *r, double *corners, size_t n, size_t more ) {
	for ( size_t i = n; i < n + more; ++i ) {
		const double x = rng_unit( r ), y = rng_unit( r ), z = 1e-9 * rng_unit( r );
		const double t[9] = { x, y, z - 1e-10, x + 1e-3, y, z + 1e-10, x, y + 1e-3, z + 1e-9 };
		memcpy( corners + 9 * i, t, sizeof t );
	}
	return n + more;
}

// A stack in a plane of any direction, its gaps as small as what corners are rounded by.
static void tilted_stack( rng *r, size_t n, double gap, double *out ) {
	const double u[3] = { rng_range( r, 0.5, 1 ), rng_range( r, -1, 1 ), rng_range( r, -1, 1 ) };
	const double v[3] = { rng_range( r, -1, 1 ), rng_range( r, 0.5, 1 ), rng_range( r, -1, 1 ) };
	for ( size_t i = 0; i < n; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			const double at =
			    1.0 + gap * (double)i * ( u[( k + 1 ) % 3] * v[( k + 2 ) % 3] - u[( k + 2 ) % 3] * v[( k + 1 ) % 3] );
			out[9 * i + (size_t)k] = at;
			out[9 * i + 3 + (size_t)k] = at + u[k];
			out[9 * i + 6 + (size_t)k] = at + v[k];
		}
	}
}

static void check_pairs( const double *corners, size_t n, size_t *meeting, size_t *disjoint, uint64_t *compared ) {
	static dbvh_pair truth[1 << 21], pairs[1 << 21];
	const size_t count = list_truth( corners, n, truth, sizeof truth / sizeof truth[0] );
	const dbvh_mesh_view view = { .positions = corners, .vertex_count = 3 * n, .index_type = DBVH_INDEX_TYPE_NONE };
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &tree, NULL ), DBVH_OK );
	const dbvh_collide_query query = {
	    .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = sizeof pairs / sizeof pairs[0] };
	dbvh_collide_result result;
	assert_int_equal( dbvh_self_collide( tree, &query, NULL, &result, NULL ), DBVH_OK );
	assert_int_equal( result.pair_count, count );
	qsort( truth, count, sizeof *truth, compare_pairs );
	qsort( pairs, count, sizeof *pairs, compare_pairs );
	assert_memory_equal( pairs, truth, count * sizeof *truth );
	*meeting += count;
	*disjoint += n * ( n - 1 ) / 2 - count;
	*compared += result.counters.triangle_tests;
	dbvh_tree_destroy( tree );
}

static void groups_leave_out_no_pair( void **state ) {
	(void)state;
	static double corners[9 * MOST];
	rng r = rng_announce( "growth: groups", 31 );
	static const char *const names[] = { "stack", "fan", "flat fan", "thin fan" };
	size_t meeting = 0, disjoint = 0;
	uint64_t compared = 0;
	for ( int i = 0; i < 4; ++i ) {
		for ( size_t more = 0; more <= 40; more += 40 ) {
			const size_t n = 1000;
			input_named( names[i] )->make( n, corners );
			check_pairs( corners, add_some( &r, corners, n, more ), &meeting, &disjoint, &compared );
		}
	}
	const size_t times = rounds( 12 );
	for ( size_t i = 0; i < times; ++i ) {
		const size_t n = 1200;
		tilted_stack( &r, n, ldexp( 1.0, -(int)( 44 + rng_below( &r, 9 ) ) ), corners );
		check_pairs( corners, n, &meeting, &disjoint, &compared );
	}
	printf( "growth: %zu pairs meet, %zu do not, %llu were compared\n", meeting, disjoint,
	        (unsigned long long)compared );
	assert_true( meeting > 1000 && disjoint > 1000 && compared < ( meeting + disjoint ) * 9 / 10 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( self_grows ),
	    cmocka_unit_test( groups_leave_out_no_pair ),
	};
	return test_main( argc, argv, tests );
}
