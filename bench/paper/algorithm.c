// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "paper/algorithm.h"

#include "base/hash.h"
#include "common/mpi.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t algorithm_pair_hash( uint32_t a, uint32_t b ) {
	return dbvhi_hash_mix( (uint64_t)a << 32 | b );
}

// ------------------------------------------------------------------------------------------------
// Scenes

enum { TREES = 12 };

struct algorithm_scene {
	dbvh_mesh_view views[2];
	struct {
		dbvh_tree_options options;
		int which;
		dbvh_tree *tree;
	} trees[TREES];
	size_t tree_count;
};

algorithm_scene *algorithm_scene_create( const dbvh_mesh_view *a, const dbvh_mesh_view *b ) {
	algorithm_scene *scene = calloc( 1, sizeof( *scene ) );
	if ( scene == NULL ) {
		fputs( "dualbvh-bench: out of memory\n", stderr );
		mpi_exit( 2 );
	}
	scene->views[0] = *a;
	scene->views[1] = *b;
	return scene;
}

void algorithm_scene_destroy( algorithm_scene *scene ) {
	for ( size_t i = 0; i < scene->tree_count; ++i )
		dbvh_tree_destroy( scene->trees[i].tree );
	free( scene );
}

const dbvh_mesh_view *algorithm_mesh( const algorithm_scene *scene, int which ) {
	return &scene->views[which];
}

const dbvh_tree *algorithm_tree( algorithm_scene *scene, int which, const dbvh_tree_options *options ) {
	// A mesh against its copy: one tree is enough.
	if ( which == 1 && scene->views[1].positions == scene->views[0].positions )
		which = 0;
	for ( size_t i = 0; i < scene->tree_count; ++i ) {
		const dbvh_tree_options *o = &scene->trees[i].options;
		if ( scene->trees[i].which == which && o->leaf_size == options->leaf_size &&
		     o->sphere_fit == options->sphere_fit && o->box_fit == options->box_fit && o->split == options->split )
			return scene->trees[i].tree;
	}
	if ( scene->tree_count == TREES ) {
		fputs( "dualbvh-bench: more trees than a scene has room for\n", stderr );
		mpi_exit( 2 );
	}
	const size_t i = scene->tree_count++;
	scene->trees[i].options = *options;
	scene->trees[i].which = which;
	scene->trees[i].tree = scene_reference_tree( &scene->views[which], options );
	return scene->trees[i].tree;
}
