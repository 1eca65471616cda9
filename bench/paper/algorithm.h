// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One small interface for everything that is compared. An algorithm is one line of the table in algorithm.c.

#pragma once

#include "common/scene.h"
#include "dualbvh/dualbvh.h"
#include "paper/paper.h"

// Two meshes, B moved against A, and the trees that several algorithms share.
typedef struct algorithm_scene algorithm_scene;

algorithm_scene *algorithm_scene_create( const dbvh_mesh_view *a, const dbvh_mesh_view *b );
void algorithm_scene_destroy( algorithm_scene *scene );
const dbvh_mesh_view *algorithm_mesh( const algorithm_scene *scene, int which ); // 0: A, 1: B

// Built when it is first asked for. Not from several threads.
const dbvh_tree *algorithm_tree( algorithm_scene *scene, int which, const dbvh_tree_options *options );

typedef struct algorithm_answer {
	dbvh_verdict verdict;
	size_t pair_count;      // DBVH_FIND_ALL: pairs of triangles that intersect
	uint64_t pair_hash;     // DBVH_FIND_ALL: the sum of algorithm_pair_hash() over them
	dbvh_counters counters; // tests of other volumes count as boxes
} algorithm_answer;

// The term of one pair in the sum; the order of the list does not matter.
uint64_t algorithm_pair_hash( uint32_t a, uint32_t b );

typedef struct algorithm {
	const char *name;
	paper_column paper; // the column of the paper's tables that it stands beside
	// The algorithm uses all threads itself: it is timed alone, by the wall clock. Others are timed by their thread's
	// clock.
	bool all_threads;
	int variant; // prepare's own business
	// Build the algorithm's data for the scene, read by any number of threads. Ends the program if it fails.
	void *( *prepare )( const struct algorithm *self, algorithm_scene *scene );
	void ( *release )( void *prepared );
	// Data of one thread; NULL functions: none.
	void *( *scratch )( const void *prepared );
	void ( *free_scratch )( void *scratch );
	// B at each of the poses, A where it is.
	void ( *run )( const void *prepared, void *scratch, const dbvh_pose *poses, size_t count, dbvh_find find,
	               algorithm_answer *answers );
} algorithm;

extern const algorithm algorithm_table[];
extern const size_t algorithm_count;

enum { ALGORITHM_MAX = 32 };

const algorithm *algorithm_find( const char *name ); // NULL: no such

// "rapid,dual" to a mask over the table; NULL means all. False where a name is none of them.
bool algorithm_choose( const char *names, uint32_t *mask_out );
