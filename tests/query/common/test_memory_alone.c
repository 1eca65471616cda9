// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Calls without a workspace: what they take from the allocator of the tree, and what they find there.

#include "support/scene.h"
#include "support/unit.h"

// Without a workspace a first contact, or none, takes no block of memory from the tree's allocator where the meshes are
// small, and at most one where they are not. A list of pairs takes what the stack does not hold.
static void collide_alone_takes_nothing( void **unused ) {
	(void)unused;
	static const struct { uint32_t slices, stacks; } spheres[] = { { 4, 2 }, { 10, 5 }, { 16, 12 }, { 100, 50 } };
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	static dbvh_pair pairs[20000];
	for ( size_t i = 0; i < sizeof spheres / sizeof spheres[0]; ++i ) {
		shape mesh = { 0 };
		shape_add_sphere( &mesh, 1.0, spheres[i].slices, spheres[i].stacks );
		const dbvh_mesh_view view = shape_view( &mesh );
		dbvh_tree *tree = NULL;
		assert_int_equal( dbvh_tree_build( &view, NULL, &allocator, &tree, NULL ), DBVH_OK );
		dbvh_pose pose = dbvh_pose_identity();
		for ( int step = 0; step < 5; ++step ) {
			pose.pos[0] = 1.4 + 0.15 * step;
			const size_t calls = books.calls;
			dbvh_collide_result any, all;
			assert_int_equal( dbvh_collide( tree, NULL, tree, &pose, NULL, NULL, &any, NULL ), DBVH_OK );
			assert_int_equal( any.verdict, step < 4 ? DBVH_INTERSECTING : DBVH_DISJOINT );
			assert_true( books.calls - calls <= ( mesh.triangle_count < 400 ? 0 : 1 ) );
			const size_t before = books.calls, live = books.live;
			const dbvh_collide_query q = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 20000 };
			assert_int_equal( dbvh_collide( tree, NULL, tree, &pose, &q, NULL, &all, NULL ), DBVH_OK );
			assert_int_equal( all.verdict, any.verdict );
			assert_true( books.calls > before || step == 4 );
			assert_int_equal( books.live, live );
		}
		dbvh_tree_destroy( tree );
		shape_free( &mesh );
	}
	assert_true( books.live == 0 && books.mistakes == 0 );
}

// An allocator that hands out the block that was freed last, of the same size, with what was written there.
enum { KEPT_BLOCKS = 64 };
typedef struct recycler {
	ledger books;
	dbvh_allocator from;
	void *blocks[KEPT_BLOCKS];
	size_t sizes[KEPT_BLOCKS], count;
} recycler;

static void *recycle( void *user, size_t bytes, size_t alignment ) {
	recycler *r = user;
	for ( size_t i = r->count; i-- > 0; ) {
		if ( r->sizes[i] != bytes )
			continue;
		void *block = r->blocks[i];
		r->count -= 1;
		r->blocks[i] = r->blocks[r->count];
		r->sizes[i] = r->sizes[r->count];
		return block;
	}
	return r->from.alloc( r->from.user, bytes, alignment );
}

static void keep_block( void *user, void *block, size_t bytes ) {
	recycler *r = user;
	if ( r->count == KEPT_BLOCKS ) {
		r->from.free( r->from.user, block, bytes );
		return;
	}
	r->blocks[r->count] = block;
	r->sizes[r->count++] = bytes;
}

static void forget_blocks( recycler *r ) {
	for ( ; r->count > 0; --r->count )
		r->from.free( r->from.user, r->blocks[r->count - 1], r->sizes[r->count - 1] );
}

// What an earlier distance without a workspace left in the memory of this one changes no answer. The meshes have
// planes, by which pairs of triangles are passed over.
static void distances_forget( void **unused ) {
	(void)unused;
	recycler again = { .count = 0 };
	again.from = ledger_allocator( &again.books );
	const dbvh_allocator allocator = { recycle, keep_block, &again };
	rng r = rng_announce( "distances forget", 3 );
	shape meshes[3] = { 0 };
	shape_add_box( &meshes[0], 1.0, 1.0, 1.0, 4 );
	shape_add_torus( &meshes[1], 1.0, 0.4, 12, 8 );
	shape_add_box( &meshes[2], 1.0, 0.5, 0.0, 4 );
	dbvh_tree *trees[3];
	for ( int i = 0; i < 3; ++i ) {
		const dbvh_mesh_view view = shape_view( &meshes[i] );
		assert_int_equal( dbvh_tree_build( &view, NULL, &allocator, &trees[i], NULL ), DBVH_OK );
	}
	dbvh_workspace *workspace;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	int apart = 0;
	for ( int i = 0; i < 300; ++i ) {
		const dbvh_tree *a = trees[rng_below( &r, 3 )], *b = trees[rng_below( &r, 3 )];
		dbvh_pose pose = rng_below( &r, 2 ) == 0 ? random_pose( &r, 0.0 ) : dbvh_pose_identity();
		pose.pos[rng_below( &r, 3 )] += 4.0 + (double)rng_below( &r, 16 ) / 16.0;
		dbvh_distance_result alone, with;
		assert_int_equal( dbvh_distance( a, NULL, b, &pose, NULL, NULL, &alone, NULL ), DBVH_OK );
		assert_int_equal( dbvh_distance( a, NULL, b, &pose, NULL, workspace, &with, NULL ), DBVH_OK );
		assert_true( alone.distance == with.distance && alone.pair.a == with.pair.a && alone.pair.b == with.pair.b );
		apart += with.distance > 0.0;
	}
	assert_int_equal( apart, 300 );
	dbvh_workspace_destroy( workspace );
	for ( int i = 0; i < 3; ++i ) {
		dbvh_tree_destroy( trees[i] );
		shape_free( &meshes[i] );
	}
	forget_blocks( &again );
	assert_true( again.books.live == 0 && again.books.mistakes == 0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( collide_alone_takes_nothing ),
	    cmocka_unit_test( distances_forget ),
	};
	return test_main( argc, argv, tests );
}
