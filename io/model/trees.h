// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A tree and a fingerprint for every mesh of a model; several trees are built at a time.

#pragma once

#include "model/model.h"

typedef struct scene_trees {
	dbvh_tree **trees;      // by mesh; NULL for one that no body has
	bool *is_read;          // by mesh: the tree is the model's, out of a file
	uint64_t *fingerprints; // by mesh, of its triangles
	size_t mesh_count;
	size_t triangle_count;  // sum over the meshes that have a tree
	dbvh_error cache_error; // the first reason why the cache was not used or not filled; DBVH_OK: none
} scene_trees;

// Does a tree have what the options ask for?
bool scene_tree_suits( const dbvh_tree *tree, const dbvh_tree_options *options );

// Builds all trees, with topology. A mesh whose triangles are those of a tree that the model has from a file takes that
// tree, if it suits; the model must outlive such trees. `thread_count` as elsewhere. `progress` (may be NULL) is told
// now and then how many are built, and ends the work with CANCELLED where it returns false. *failed_out is the mesh
// that an error is about, or SCENE_NONE.
dbvh_status scene_build_trees( const scene_model *model, uint32_t thread_count, const char *cache,
                               bool ( *progress )( void *user, size_t done, size_t total ), void *user,
                               scene_trees *trees_out, uint32_t *failed_out, dbvh_error *error );
void scene_trees_free( scene_trees *trees );
