// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/trees.h"

#include "base/parallel.h"
#include "text/hash.h"

#include <stdatomic.h>
#include <stdlib.h>

// From here on a mesh is built by all threads, one mesh after the other; smaller ones side by side.
enum { LARGE_MESH = 100000 };

typedef struct building {
	const scene_model *model;
	scene_trees *trees;
	const bool *is_wanted;
	const char *cache; // a folder of trees; NULL: none
	bool large;        // the pass of large meshes, each built by all threads; the other pass builds one mesh a thread
	uint32_t thread_count; // for one mesh
	dbvh_error *errors;    // by mesh
	_Atomic size_t done;
	_Atomic bool is_over, has_cache_error;
	size_t wanted_count;
	bool ( *progress )( void *user, size_t done, size_t total );
	void *user;
} building;

bool scene_tree_suits( const dbvh_tree *tree, const dbvh_tree_options *options ) {
	const dbvh_tree_options found = dbvh_tree_get_options( tree );
	return ( !options->reference || found.reference ) &&
	       ( !options->topology || ( found.topology && found.fill == options->fill ) ) &&
	       ( options->ellipsoids == DBVH_ELLIPSOIDS_NONE || options->ellipsoids == found.ellipsoids ) &&
	       ( options->fragments == DBVH_FRAGMENTS_FEW || options->fragments == found.fragments ) &&
	       ( options->quality == DBVH_QUALITY_BEST || options->quality == found.quality );
}

// Compare two meshes of the library, which have doubles and 32-bit indices.
static bool same_triangles( const dbvh_mesh_view *a, const dbvh_mesh_view *b ) {
	if ( a->triangle_count != b->triangle_count )
		return false;
	const double *p = a->positions, *q = b->positions;
	const uint32_t *i = a->indices, *j = b->indices;
	for ( size_t t = 0; t < 3 * a->triangle_count; ++t )
		for ( size_t k = 0; k < 3; ++k )
			if ( p[3 * (size_t)i[t] + k] != q[3 * (size_t)j[t] + k] )
				return false;
	return true;
}

static dbvh_tree *tree_of_file( const scene_model *model, const dbvh_mesh_view *view,
                                const dbvh_tree_options *options ) {
	for ( size_t i = 0; i < model->tree_count; ++i ) {
		dbvh_tree *tree = model->trees[i];
		dbvh_mesh *mesh;
		// Most others are told apart by their number of triangles; a mesh that cannot be had is not the same.
		if ( dbvh_tree_get_stats( tree ).triangle_count != view->triangle_count || !scene_tree_suits( tree, options ) ||
		     dbvh_tree_get_mesh( tree, NULL, &mesh, NULL ) != DBVH_OK )
			continue;
		const dbvh_mesh_view held = dbvh_mesh_get_view( mesh );
		const bool is_same = same_triangles( view, &held );
		dbvh_mesh_destroy( mesh );
		if ( is_same )
			return tree;
	}
	return NULL;
}

static dbvh_status build_cached( building *b, size_t i, const dbvh_mesh_view *view, const dbvh_tree_options *options ) {
	dbvh_cache_report report;
	const dbvh_status status = dbvh_tree_build_cached( view, options, b->cache, true, NULL, NULL, &b->trees->trees[i],
	                                                   &report, &b->errors[i] );
	if ( report.error.status != DBVH_OK && !atomic_exchange( &b->has_cache_error, true ) )
		b->trees->cache_error = report.error;
	return status;
}

static void build_one( void *context, size_t i, uint32_t thread ) {
	building *b = context;
	const dbvh_mesh *mesh = b->model->meshes[i].mesh;
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	if ( !b->is_wanted[i] || b->is_over || ( view.triangle_count >= LARGE_MESH ) != b->large )
		return;
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.thread_count = b->thread_count;
	b->trees->fingerprints[i] = scene_hash_mesh( SCENE_HASH_START, mesh );
	dbvh_tree **tree = &b->trees->trees[i];
	*tree = tree_of_file( b->model, &view, &options );
	b->trees->is_read[i] = *tree != NULL;
	dbvh_status status = DBVH_OK;
	if ( *tree == NULL && b->cache == NULL )
		status = dbvh_tree_build( &view, &options, NULL, tree, &b->errors[i] );
	else if ( *tree == NULL )
		status = build_cached( b, i, &view, &options );
	if ( status != DBVH_OK )
		b->is_over = true;
	const size_t done = ++b->done;
	if ( thread == 0 && b->progress != NULL && !b->progress( b->user, done, b->wanted_count ) )
		b->is_over = true;
}

static dbvh_status conclude( building *b, uint32_t *failed_out, dbvh_error *error ) {
	for ( size_t i = 0; i < b->model->mesh_count; ++i ) {
		if ( b->errors[i].status != DBVH_OK ) {
			*failed_out = (uint32_t)i;
			*error = b->errors[i];
			return error->status;
		}
		if ( b->trees->trees[i] != NULL )
			b->trees->triangle_count += dbvh_mesh_get_view( b->model->meshes[i].mesh ).triangle_count;
	}
	return b->is_over ? DBVH_CANCELLED : DBVH_OK;
}

dbvh_status scene_build_trees( const scene_model *model, uint32_t thread_count, const char *cache,
                               bool ( *progress )( void *user, size_t done, size_t total ), void *user,
                               scene_trees *trees_out, uint32_t *failed_out, dbvh_error *error ) {
	const size_t count = model->mesh_count;
	*failed_out = SCENE_NONE;
	*trees_out = ( scene_trees ){ .mesh_count = count };
	trees_out->trees = calloc( count + 1, sizeof *trees_out->trees );
	trees_out->fingerprints = calloc( count + 1, sizeof *trees_out->fingerprints );
	trees_out->is_read = calloc( count + 1, sizeof *trees_out->is_read );
	bool *is_wanted = calloc( count + 1, sizeof *is_wanted );
	building b = { .model = model,
	               .trees = trees_out,
	               .is_wanted = is_wanted,
	               .cache = cache,
	               .progress = progress,
	               .user = user };
	b.errors = calloc( count + 1, sizeof *b.errors );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( trees_out->trees != NULL && trees_out->fingerprints != NULL && trees_out->is_read != NULL &&
	     is_wanted != NULL && b.errors != NULL ) {
		for ( size_t i = 0; i < model->body_count; ++i )
			is_wanted[model->bodies[i].mesh] = true;
		for ( size_t i = 0; i < count; ++i )
			b.wanted_count += is_wanted[i];
		b.thread_count = 1;
		dbvhi_parallel_for( count, 1, dbvhi_thread_count( thread_count ), build_one, &b );
		b.large = true;
		b.thread_count = thread_count;
		dbvhi_parallel_for( count, 1, 1, build_one, &b );
		status = conclude( &b, failed_out, error );
	}
	free( b.errors );
	free( is_wanted );
	return status;
}

void scene_trees_free( scene_trees *trees ) {
	for ( size_t i = 0; trees->trees != NULL && i < trees->mesh_count; ++i )
		if ( trees->is_read == NULL || !trees->is_read[i] )
			dbvh_tree_destroy( trees->trees[i] );
	free( trees->trees );
	free( trees->is_read );
	free( trees->fingerprints );
	*trees = ( scene_trees ){ 0 };
}
