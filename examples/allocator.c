// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Memory: an allocator that counts, and a workspace that makes queries allocate nothing.

#include "example.h"

typedef struct tally {
	size_t calls, bytes;
} tally;

static void *count_alloc( void *user, size_t bytes, size_t alignment ) {
	tally *t = user;
	t->calls += 1;
	t->bytes += bytes;
	return aligned_alloc( alignment, ( bytes + alignment - 1 ) / alignment * alignment );
}

static void count_free( void *user, void *memory, size_t bytes ) {
	tally *t = user;
	t->bytes -= bytes;
	free( memory );
}

int main( void ) {
	dbvh_error error;
	dbvh_tree *a = box_tree( 1, 1, 1, NULL ), *b = box_tree( 1, 1, 1, NULL );

	tally t = { 0, 0 };
	const dbvh_allocator allocator = { count_alloc, count_free, &t };
	dbvh_workspace *workspace = NULL;
	check( dbvh_workspace_create( &allocator, &workspace, &error ), &error );
	check( dbvh_workspace_reserve( workspace, a, b, 0, &error ), &error );

	const size_t before = t.calls;
	for ( int i = 0; i < 1000; ++i ) {
		const dbvh_pose pose = moved( 0.004 * i, 0, 0 );
		dbvh_collide_result result;
		check( dbvh_collide( a, NULL, b, &pose, NULL, workspace, &result, &error ), &error );
	}
	printf( "%zu allocations in 1000 queries\n", t.calls - before );

	dbvh_workspace_destroy( workspace );
	printf( "%zu bytes left\n", t.bytes );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

// Prints
//     0 allocations in 1000 queries
//     0 bytes left
