// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_triangles_intersect against the oracle. DUALBVH_TEST_SCALE (default 1) multiplies the number of pairs.

#include "compare.h"
#include "support/oracle.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <string.h>

static const uint64_t seed_default = 1;

static void families( void **state ) {
	(void)state;
	const rng r = rng_announce( "triangles: families", seed_default );
	const uint64_t count = rounds( 20000 );
	uint64_t differences = 0;
	for ( size_t family = 0; family < triangle_family_count; ++family ) {
		const triangle_family *const f = &triangle_families[family];
		tally t;
		compare_family( family, r.state, 0, count, &t );
		printf( "%-24s %10llu pairs %10llu meet %6llu differ\n", f->name, (unsigned long long)t.pairs,
		        (unsigned long long)t.meeting, (unsigned long long)t.differences );
		differences += t.differences;
		// Fewer pairs than this may show one outcome only by chance.
		if ( count >= 2000 && f->may_meet )
			assert_outcomes( t.meeting > 0 );
		if ( count >= 2000 && f->may_part )
			assert_true( t.meeting < t.pairs );
	}
	assert_int_equal( differences, 0 );
}

static void put_corners( double out[9], const double in[9], int order ) {
	static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
	for ( int corner = 0; corner < 3; ++corner )
		memcpy( out + 3 * corner, in + 3 * orders[order][corner], 3 * sizeof( double ) );
}

// 6 orders of A, 6 of B, and both sides exchanged where the pose is the identity.
static void orders( void **state ) {
	(void)state;
	const rng r = rng_announce( "triangles: orders", seed_default + 1 );
	const uint64_t count = rounds( 1000 );
	uint64_t differences = 0;
	for ( size_t family = 0; family < triangle_family_count; ++family ) {
		for ( uint64_t i = 0; i < count; ++i ) {
			rng s = pair_rng( family, r.state, i );
			triangle_pair pair, turned;
			triangle_families[family].make( &s, &pair );
			const bool meet = predicate( &pair );
			turned = pair;
			for ( int order = 0; order < 72; ++order ) {
				const bool exchange = order >= 36;
				if ( exchange && pair.posed )
					break;
				put_corners( turned.a, exchange ? pair.b : pair.a, order % 6 );
				put_corners( turned.b, exchange ? pair.a : pair.b, order / 6 % 6 );
				if ( predicate( &turned ) == meet )
					continue;
				if ( differences++ < 5 )
					print_pair( "an order that changes the answer:", &turned );
			}
		}
	}
	assert_int_equal( differences, 0 );
}

static void scaling( void **state ) {
	(void)state;
	const rng r = rng_announce( "triangles: scaling", seed_default + 2 );
	const uint64_t count = rounds( 1000 );
	uint64_t differences = 0;
	for ( size_t family = 0; family < triangle_family_count; ++family ) {
		if ( !triangle_families[family].scales )
			continue;
		for ( uint64_t i = 0; i < count; ++i ) {
			rng s = pair_rng( family, r.state, i );
			triangle_pair pair, moved;
			triangle_families[family].make( &s, &pair );
			const bool meet = predicate( &pair );
			for ( int exponent = -60; exponent <= 60; exponent += 1 + (int)rng_below( &s, 12 ) ) {
				moved = pair;
				for ( int k = 0; k < 9; ++k ) {
					moved.a[k] = ldexp( pair.a[k], exponent );
					moved.b[k] = ldexp( pair.b[k], exponent );
				}
				for ( int k = 0; k < 3; ++k )
					moved.pose.pos[k] = ldexp( pair.pose.pos[k], exponent );
				if ( predicate( &moved ) == meet )
					continue;
				if ( differences++ < 5 )
					print_pair( "a power of two that changes the answer:", &moved );
			}
		}
	}
	assert_int_equal( differences, 0 );
}

// All pairs of triangles whose corners lie on a grid of two points a side, up to which corner comes first: each
// outcome of every degeneracy that small integers can have.
static void small_grid( void **state ) {
	(void)state;
	const uint64_t triangles = 8 * 9 * 10 / 6; // corners in ascending order, with repetition
	int64_t whole[120][9];
	double real[120][9];
	uint64_t n = 0;
	for ( int i = 0; i < 8; ++i ) {
		for ( int j = i; j < 8; ++j ) {
			for ( int k = j; k < 8; ++k, ++n ) {
				const int corners[3] = { i, j, k };
				for ( int c = 0; c < 9; ++c ) {
					whole[n][c] = corners[c / 3] >> ( c % 3 ) & 1;
					real[n][c] = (double)whole[n][c];
				}
			}
		}
	}
	assert_int_equal( n, triangles );
	uint64_t meeting = 0, differences = 0;
	for ( uint64_t i = 0; i < n; ++i ) {
		for ( uint64_t j = 0; j < n; ++j ) {
			const bool truth = oracle_triangles_meet_int( whole[i], whole[j] );
			triangle_pair pair = { .posed = false };
			memcpy( pair.a, real[i], sizeof pair.a );
			memcpy( pair.b, real[j], sizeof pair.b );
			meeting += truth;
			if ( predicate( &pair ) != truth && differences++ < 5 )
				print_pair( truth ? "meeting on the grid:" : "apart on the grid:", &pair );
		}
	}
	assert_true( meeting > 0 && meeting < n * n );
	assert_int_equal( differences, 0 );
}

// Random pairs on grids of three to seven points a side, fast enough for large numbers.
static void integers( void **state ) {
	(void)state;
	rng r = rng_announce( "triangles: integers", seed_default + 3 );
	const uint64_t count = rounds( 1000000 );
	uint64_t meeting = 0, differences = 0;
	for ( uint64_t i = 0; i < count; ++i ) {
		const int64_t side = 3 + (int64_t)rng_below( &r, 5 );
		int64_t a[9], b[9];
		triangle_pair pair = { .posed = false };
		for ( int k = 0; k < 9; ++k ) {
			a[k] = (int64_t)rng_below( &r, (uint64_t)side ) - side / 2;
			b[k] = (int64_t)rng_below( &r, (uint64_t)side ) - side / 2;
			if ( k % 3 == 2 && ( i & 1 ) != 0 )
				a[k] = b[k] = 0; // every other pair is coplanar
			pair.a[k] = (double)a[k];
			pair.b[k] = (double)b[k];
		}
		const bool truth = oracle_triangles_meet_int( a, b );
		meeting += truth;
		if ( predicate( &pair ) != truth && differences++ < 5 )
			print_pair( truth ? "meeting on the grid:" : "apart on the grid:", &pair );
	}
	printf( "%llu pairs, %llu meet\n", (unsigned long long)count, (unsigned long long)meeting );
	assert_outcomes( meeting > 0 && meeting < count );
	assert_int_equal( differences, 0 );
}

static void refusals( void **state ) {
	(void)state;
	const double t[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	bool meet = false;
	assert_int_equal( dbvh_triangles_intersect( (const dbvh_triangle *)t, (const dbvh_triangle *)t, NULL, &meet, NULL ),
	                  DBVH_OK );
	assert_true( meet );
	assert_int_equal( dbvh_triangles_intersect( NULL, (const dbvh_triangle *)t, NULL, &meet, NULL ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_triangles_intersect( (const dbvh_triangle *)t, NULL, NULL, &meet, NULL ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_triangles_intersect( (const dbvh_triangle *)t, (const dbvh_triangle *)t, NULL, NULL, NULL ),
	                  DBVH_INVALID_ARGUMENT );
	const double bad[3] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
	for ( int kind = 0; kind < 3; ++kind ) {
		for ( int i = 0; i < 9; ++i ) {
			double broken[9];
			memcpy( broken, t, sizeof broken );
			broken[i] = bad[kind];
			assert_int_equal(
			    dbvh_triangles_intersect( (const dbvh_triangle *)broken, (const dbvh_triangle *)t, NULL, &meet, NULL ),
			    DBVH_NOT_FINITE );
			assert_int_equal(
			    dbvh_triangles_intersect( (const dbvh_triangle *)t, (const dbvh_triangle *)broken, NULL, &meet, NULL ),
			    DBVH_NOT_FINITE );
			dbvh_pose pose = dbvh_pose_identity();
			pose.rot[i / 3][i % 3] = bad[kind];
			assert_int_equal(
			    dbvh_triangles_intersect( (const dbvh_triangle *)t, (const dbvh_triangle *)t, &pose, &meet, NULL ),
			    DBVH_NOT_FINITE );
			pose = dbvh_pose_identity();
			pose.pos[i % 3] = bad[kind];
			assert_int_equal(
			    dbvh_triangles_intersect( (const dbvh_triangle *)t, (const dbvh_triangle *)t, &pose, &meet, NULL ),
			    DBVH_NOT_FINITE );
		}
	}
	dbvh_pose mirror = dbvh_pose_identity();
	mirror.rot[2][2] = -1.0;
	assert_int_equal(
	    dbvh_triangles_intersect( (const dbvh_triangle *)t, (const dbvh_triangle *)t, &mirror, &meet, NULL ),
	    DBVH_NOT_RIGID );
	dbvh_pose stretched = dbvh_pose_identity();
	stretched.rot[0][0] = 1.01;
	assert_int_equal(
	    dbvh_triangles_intersect( (const dbvh_triangle *)t, (const dbvh_triangle *)t, &stretched, &meet, NULL ),
	    DBVH_NOT_RIGID );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( refusals ), cmocka_unit_test( small_grid ), cmocka_unit_test( integers ),
	    cmocka_unit_test( families ), cmocka_unit_test( orders ),     cmocka_unit_test( scaling ),
	};
	return test_main( argc, argv, tests );
}
