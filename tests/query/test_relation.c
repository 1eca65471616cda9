// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Relations of random solids against volumes in rational arithmetic, and what else must hold of any.

#include "scene.h"
#include "support/oracle.h"
#include "support/solid_shapes.h"
#include "support/solids.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static dbvh_tree *build( const shape *s ) {
	assert_false( s->failed );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	const dbvh_mesh_view view = shape_view( s );
	dbvh_tree *tree = NULL;
	dbvh_error error;
	if ( dbvh_tree_build( &view, &options, NULL, &tree, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	return tree;
}

static dbvh_relation swapped( dbvh_relation r ) {
	return r == DBVH_RELATION_A_IN_B ? DBVH_RELATION_B_IN_A : r == DBVH_RELATION_B_IN_A ? DBVH_RELATION_A_IN_B : r;
}

static dbvh_relation truth( const shape *a, const shape *b, const dbvh_pose *pose ) {
	const dbvh_mesh_view va = shape_view( a ), vb = shape_view( b );
	const oracle_solids_answer o = oracle_solids( &va, &vb, pose );
	if ( !o.both )
		return oracle_collide( &va, &vb, pose, NULL ) > 0 ? DBVH_RELATION_TOUCHING : DBVH_RELATION_APART;
	if ( o.only_a && o.only_b )
		return DBVH_RELATION_OVERLAPPING;
	if ( !o.only_a && !o.only_b )
		return DBVH_RELATION_IDENTICAL;
	return o.only_a ? DBVH_RELATION_B_IN_A : DBVH_RELATION_A_IN_B;
}

static void print_shape( const char *name, const shape *s ) {
	printf( "%s:\n", name );
	for ( size_t i = 0; i < s->vertex_count; ++i )
		printf( "v %.17g %.17g %.17g\n", s->positions[3 * i], s->positions[3 * i + 1], s->positions[3 * i + 2] );
	for ( size_t i = 0; i < s->triangle_count; ++i )
		printf( "f %u %u %u\n", s->indices[3 * i] + 1, s->indices[3 * i + 1] + 1, s->indices[3 * i + 2] + 1 );
}

static void test_random_solids( void **state ) {
	(void)state;
	rng r = rng_announce( "relation", 4 );
	const size_t count = rounds( 3000 );
	size_t seen[DBVH_RELATION_UNDECIDABLE + 1] = { 0 }, wrong = 0;
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace ), DBVH_OK );
	for ( size_t i = 0; i < count; ++i ) {
		shape a = { 0 }, b = { 0 };
		const int size = 2 + (int)rng_below( &r, 3 ), other = rng_below( &r, 3 ) == 0 ? 6 : size;
		add_random_solid( &a, &r, size );
		const uint64_t kind = rng_below( &r, 16 );
		if ( kind == 0 ) {
			for ( size_t v = 0; v < a.vertex_count; ++v )
				shape_vertex( &b, a.positions[3 * v], a.positions[3 * v + 1], a.positions[3 * v + 2] );
			for ( size_t t = 0; t < a.triangle_count; ++t )
				shape_triangle( &b, a.indices[3 * t], a.indices[3 * t + 1], a.indices[3 * t + 2] );
		} else {
			add_random_solid( &b, &r, other );
		}
		dbvh_pose pose = dbvh_pose_identity();
		if ( kind < 8 ) {
			for ( int k = 0; k < 3 && kind > 3; ++k )
				pose.pos[k] = (double)rng_below( &r, 3 ) - 1.0;
		} else if ( kind < 14 ) {
			pose = exact_pose( &r, 2.0 );
			for ( int k = 0; k < 3; ++k )
				pose.pos[k] = floor( 2.0 * pose.pos[k] + 1.5 );
		} else {
			pose = random_pose( &r, 2.0 );
		}
		dbvh_tree *ta = build( &a ), *tb = build( &b );
		const dbvh_relation right = truth( &a, &b, &pose );
		dbvh_relate_result there, back;
		assert_int_equal( dbvh_relate( ta, NULL, tb, &pose, NULL, workspace, &there ), DBVH_OK );
		assert_int_equal( dbvh_relate( tb, &pose, ta, NULL, NULL, workspace, &back ), DBVH_OK );
		seen[right] += 1;
		if ( there.relation != right || back.relation != swapped( right ) ) {
			wrong += 1;
			if ( wrong <= 3 ) {
				printf( "round %zu: %s and back %s, should be %s\n", i, dbvh_relation_name( there.relation ),
				        dbvh_relation_name( back.relation ), dbvh_relation_name( right ) );
				print_pose( "pose", &pose );
				print_shape( "a", &a );
				print_shape( "b", &b );
			}
		}
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &a );
		shape_free( &b );
	}
	dbvh_workspace_destroy( workspace );
	for ( int k = 0; k < DBVH_RELATION_UNDECIDABLE; ++k ) {
		printf( "%s %zu\n", dbvh_relation_name( (dbvh_relation)k ), seen[k] );
		assert_true( seen[k] > 0 || count < 1000 );
	}
	assert_int_equal( wrong, 0 );
}

int main( void ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( test_random_solids ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
