// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The published traps (docs/experiments/traps.md): each right, in both orders, at any scale, and wherever both bodies
// are together.

#include "support/scene.h"
#include "support/traps.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>

static int differs( const trap *t, const char *how, const dbvh_relate_result *r, dbvh_relation truth,
                    dbvh_undecided undecided ) {
	if ( r->relation == truth && r->undecided == undecided && r->surfaces_intersect == t->meet )
		return 0;
	printf( "%s, %s: %s (reason %d, surfaces %s), should be %s\n", t->name, how, dbvh_relation_name( r->relation ),
	        (int)r->undecided, r->surfaces_intersect ? "meet" : "apart", dbvh_relation_name( truth ) );
	return 1;
}

static int try_trap( const trap *t, const char *how ) {
	static const dbvh_undecided other[] = { DBVH_UNDECIDED_NOT, DBVH_UNDECIDED_B_OPEN, DBVH_UNDECIDED_A_OPEN,
	                                        DBVH_UNDECIDED_BOTH_OPEN };
	dbvh_tree *a = tree_with_topology( &t->a ), *b = tree_with_topology( &t->b );
	assert_int_equal( dbvh_tree_validate( a, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_validate( b, NULL ), DBVH_OK );
	dbvh_relate_result result;
	assert_int_equal( dbvh_relate( a, NULL, b, &t->pose, &t->tolerances, NULL, &result, NULL ), DBVH_OK );
	int wrong = differs( t, how, &result, t->truth, t->undecided );
	assert_int_equal( dbvh_relate( b, &t->pose, a, NULL, &t->tolerances, NULL, &result, NULL ), DBVH_OK );
	wrong += differs( t, how, &result, swapped_relation( t->truth ), other[t->undecided] );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	return wrong;
}

static void scale( trap *t, double factor ) {
	for ( size_t i = 0; i < 3 * t->a.vertex_count; ++i )
		t->a.positions[i] *= factor;
	for ( size_t i = 0; i < 3 * t->b.vertex_count; ++i )
		t->b.positions[i] *= factor;
	for ( int k = 0; k < 3; ++k )
		t->pose.pos[k] *= factor;
	t->tolerances.touch_gap *= factor;
	t->tolerances.touch_overlap *= factor;
}

static void test_traps( void **state ) {
	(void)state;
	int wrong = 0;
	for ( size_t i = 0; i < trap_count(); ++i ) {
		trap t = trap_make( i );
		wrong += try_trap( &t, "as it is" );
		trap_free( &t );
	}
	printf( "%zu traps\n", trap_count() );
	assert_int_equal( wrong, 0 );
}

static void test_scales( void **state ) {
	(void)state;
	static const int exponents[] = { -900, -300, -60, 1, 33, 300, 900 };
	int wrong = 0;
	for ( size_t e = 0; e < sizeof exponents / sizeof *exponents; ++e ) {
		for ( size_t i = 0; i < trap_count(); ++i ) {
			char how[32];
			snprintf( how, sizeof how, "times 2^%d", exponents[e] );
			trap t = trap_make( i );
			scale( &t, ldexp( 1.0, exponents[e] ) );
			wrong += try_trap( &t, how );
			trap_free( &t );
		}
	}
	assert_int_equal( wrong, 0 );
}

// Both bodies turned by the same quarter turns, so that faces, rays and axes change places.
static void test_turns( void **state ) {
	(void)state;
	int wrong = 0;
	for ( size_t i = 0; i < trap_count(); ++i ) {
		for ( int turn = 1; turn < 6; ++turn ) {
			trap t = trap_make( i );
			// A permutation of the axes, odd ones with one of them turned round.
			static const int order[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 },
			                                 { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
			double p[3][3] = { { 0 } };
			for ( int k = 0; k < 3; ++k )
				p[k][order[turn][k]] = k == 0 && turn >= 3 ? -1.0 : 1.0;
			shape *both[2] = { &t.a, &t.b };
			for ( int s = 0; s < 2; ++s ) {
				for ( size_t v = 0; v < both[s]->vertex_count; ++v ) {
					double x[3], *at = both[s]->positions + 3 * v;
					for ( int k = 0; k < 3; ++k )
						x[k] = p[k][0] * at[0] + p[k][1] * at[1] + p[k][2] * at[2];
					for ( int k = 0; k < 3; ++k )
						at[k] = x[k];
				}
			}
			// The pose becomes p pose p^T.
			dbvh_pose turned = dbvh_pose_identity();
			for ( int r = 0; r < 3; ++r ) {
				for ( int c = 0; c < 3; ++c ) {
					turned.rot[r][c] = 0.0;
					for ( int j = 0; j < 3; ++j )
						for ( int k = 0; k < 3; ++k )
							turned.rot[r][c] += p[r][j] * t.pose.rot[j][k] * p[c][k];
				}
				turned.pos[r] = p[r][0] * t.pose.pos[0] + p[r][1] * t.pose.pos[1] + p[r][2] * t.pose.pos[2];
			}
			t.pose = turned;
			wrong += try_trap( &t, "turned" );
			trap_free( &t );
		}
	}
	assert_int_equal( wrong, 0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( test_traps ), cmocka_unit_test( test_scales ),
	                                    cmocka_unit_test( test_turns ) };
	return test_main( argc, argv, tests );
}
