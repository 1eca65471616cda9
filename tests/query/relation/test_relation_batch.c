// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Batches of relations: what single calls say, on any number of threads and with an allocator of the caller's.

#include "dualbvh/relation.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

enum { COUNT = 24, REFUSED = 5 };

static dbvh_tree *solid_tree( const shape *s, const dbvh_allocator *allocator ) {
	const dbvh_mesh_view view = shape_view( s );
	const dbvh_tree_options options = { .topology = true };
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_build( &view, &options, allocator, &tree, NULL ), DBVH_OK );
	return tree;
}

static void relations( void **state ) {
	(void)state;
	shape x = { 0 }, y = { 0 };
	shape_add_box( &x, 1.0, 1.0, 1.0, 3 );
	shape_add_box( &y, 0.5, 0.5, 0.5, 2 );
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	dbvh_tree *a = solid_tree( &x, NULL ), *b = solid_tree( &y, NULL );
	dbvh_tree *counted = solid_tree( &x, &allocator );
	dbvh_pose poses[COUNT];
	for ( int i = 0; i < COUNT; ++i ) {
		poses[i] = dbvh_pose_identity();
		poses[i].pos[0] = 0.125 * i;
	}
	poses[REFUSED].pos[1] = NAN;
	unsigned seen = 0;
	for ( uint32_t threads = 0; threads < 4; ++threads ) {
		for ( int own = 0; own < 2; ++own ) {
			const dbvh_batch_options options = { .thread_count = threads, .grain = 1 };
			dbvh_relate_result results[COUNT], one;
			dbvh_error error;
			assert_int_equal(
			    dbvh_relate_batch( own ? counted : a, NULL, b, poses, COUNT, NULL, &options, results, &error ),
			    DBVH_NOT_FINITE );
			assert_int_equal( error.element, REFUSED );
			for ( int i = 0; i < COUNT; ++i ) {
				assert_int_equal( dbvh_relate( a, NULL, b, &poses[i], NULL, NULL, &one, NULL ), results[i].status );
				assert_true( one.relation == results[i].relation && one.exact == results[i].exact &&
				             one.surfaces_intersect == results[i].surfaces_intersect );
				seen |= 1u << one.relation;
			}
		}
	}
	assert_int_equal( books.mistakes, 0 );
	assert_int_equal( seen, 1u << DBVH_RELATION_DISJOINT | 1u << DBVH_RELATION_TOUCHING |
	                            1u << DBVH_RELATION_OVERLAPPING | 1u << DBVH_RELATION_B_IN_A );
	const dbvh_budget little = { .max_work = 1 };
	const dbvh_relate_query query = { .budget = &little };
	dbvh_relate_result spent;
	assert_int_equal( dbvh_relate_batch( a, NULL, b, &poses[8], 1, &query, NULL, &spent, NULL ), DBVH_BUDGET_SPENT );
	assert_true( spent.status == DBVH_BUDGET_SPENT && spent.relation == DBVH_RELATION_UNDECIDABLE );
	assert_int_equal( dbvh_relate_batch( a, NULL, b, NULL, 0, NULL, NULL, NULL, NULL ), DBVH_OK );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	dbvh_tree_destroy( counted );
	assert_int_equal( books.live, 0 );
	shape_free( &x );
	shape_free( &y );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( relations ) };
	return test_main( argc, argv, tests );
}
