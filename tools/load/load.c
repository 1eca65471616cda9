// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "load/load.h"

#include "base/os.h"
#include "base/parallel.h"
#include "cli/args.h"
#include "cli/complain.h"
#include "cli/progress.h"
#include "formats/files.h"
#include "formats/skipped.h"
#include "model/trees.h"
#include "text/ending.h"

#include <stdio.h>
#include <stdlib.h>

// Is it a file of many bodies? Only a regular file is looked into: what a pipe has given is gone.
static bool is_scene( const char *file ) {
	unsigned char bytes[4096];
	dbvhi_os_facts facts;
	const bool is_regular = dbvhi_os_facts_of( file, true, &facts ) && facts.kind == DBVHI_OS_REGULAR;
	FILE *stream = is_regular ? dbvhi_os_fopen( file ) : NULL;
	if ( stream == NULL )
		return false; // the reader of meshes says why
	const size_t count = fread( bytes, 1, sizeof bytes, stream );
	fclose( stream );
	return scene_is_scene_file( file, bytes, count );
}

// Lengths in units of *metres, where both say what theirs is.
static dbvh_status convert( scene_model *model, double *metres, dbvh_error *error ) {
	const double own = model->metres;
	if ( metres == NULL || !( own > 0.0 ) )
		return DBVH_OK;
	if ( !( *metres > 0.0 ) )
		*metres = own;
	if ( own == *metres )
		return DBVH_OK;
	scene_add_note( model, "its unit is %g m, that of the other file %g m: lengths are converted", own, *metres );
	const scene_mark all = { 0 };
	return scene_scale_from( model, &all, own / *metres, error );
}

static scene_read_options reading;

void use_trust( const scene_trust *trust ) {
	reading.trust = *trust;
}

void use_faces( bool skips_bad_ones ) {
	reading.skip_bad_faces = skips_bad_ones;
}

// All bodies of a scene as one mesh.
static bool load_scene( const char *file, double *metres, dbvh_mesh **mesh ) {
	scene_model model = { 0 };
	dbvh_error error = { 0 };
	const bool good = scene_read_file( file, &reading, &model, &error ) == DBVH_OK &&
	                  convert( &model, metres, &error ) == DBVH_OK && scene_flatten( &model, mesh, &error ) == DBVH_OK;
	for ( size_t i = 0; i < model.note_count; ++i )
		complain( "%s: %s", file, scene_without_name( file, model.notes[i] ) );
	if ( !good )
		complain_of( file, &error );
	scene_model_free( &model );
	return good;
}

// A pipe with the name of a tree file is taken for one, and refused, rather than read.
static bool is_tree_file( const char *file ) {
	unsigned char bytes[8];
	dbvhi_os_facts facts;
	const bool exists = dbvhi_os_facts_of( file, true, &facts );
	if ( exists && facts.kind != DBVHI_OS_REGULAR )
		return scene_has_ending( file, "dbvh" );
	FILE *stream = exists ? dbvhi_os_fopen( file ) : NULL;
	if ( stream == NULL )
		return false;
	const size_t count = fread( bytes, 1, sizeof bytes, stream );
	fclose( stream );
	return count == sizeof bytes && dbvh_is_tree_file( bytes, count );
}

// From so many bytes on a file takes longer to read than a thread to begin (a millisecond against a tenth).
#define LARGE_FILE ( (uint64_t)1 << 20 )

static void read_source( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	load_source *source = (load_source *)context + index;
	const dbvh_mesh_read_options options = { .skip_bad_faces = reading.skip_bad_faces };
	dbvh_mesh_load_with( source->file, DBVH_MESH_FORMAT_AUTO, &options, NULL, &source->mesh, &source->error );
	source->is_read = true;
}

static bool is_large_mesh_file( const char *file ) {
	dbvhi_os_facts facts;
	return dbvhi_os_facts_of( file, true, &facts ) && facts.kind == DBVHI_OS_REGULAR && facts.size >= LARGE_FILE &&
	       !is_tree_file( file ) && !is_scene( file );
}

void load_ahead( load_source sources[2] ) {
	if ( is_large_mesh_file( sources[0].file ) && is_large_mesh_file( sources[1].file ) )
		dbvhi_parallel_for( 2, 1, dbvhi_thread_count_for( 0, 2 ), read_source, sources );
}

void load_source_free( load_source *source ) {
	dbvh_mesh_destroy( source->mesh );
	source->mesh = NULL;
}

static bool load_mesh( load_source *source, double *metres, dbvh_mesh **mesh ) {
	char text[SCENE_SKIPPED_ROOM];
	if ( !source->is_read && is_scene( source->file ) )
		return load_scene( source->file, metres, mesh );
	if ( !source->is_read )
		read_source( source, 0, 0 );
	*mesh = source->mesh;
	source->mesh = NULL;
	if ( *mesh == NULL )
		complain_of( source->file, &source->error );
	else if ( scene_skipped_text( *mesh, text ) )
		complain( "%s: %s", source->file, text );
	return *mesh != NULL;
}

// ------------------------------------------------------------------------------------------------
// Trees

static const char *cache_folder;

void use_cache( const char *folder ) {
	cache_folder = folder;
}

// Build a tree, or take it from the cache, if there is one. A cache that cannot be written is worth a sentence, and no
// more.
static dbvh_status build( const dbvh_mesh_view *view, const dbvh_tree_options *options, dbvh_tree **tree,
                          dbvh_error *error ) {
	dbvh_cache_report report;
	if ( cache_folder == NULL )
		return dbvh_tree_build( view, options, NULL, tree, error );
	const dbvh_status status =
	    dbvh_tree_build_cached( view, options, cache_folder, true, NULL, NULL, tree, &report, error );
	if ( status == DBVH_OK && report.error.status != DBVH_OK )
		complain( "%s: %s%s", cache_folder, report.is_saved ? "a tree there was of no use: " : "", report.error.text );
	return status;
}

// Load the tree of a file that holds one, and its mesh, which is left out for `mesh` NULL unless needed. A tree that
// lacks what is asked for is built anew from its mesh.
static bool load_tree_file( const char *file, const dbvh_tree_options *options, dbvh_mesh **mesh, dbvh_tree **tree ) {
	dbvh_error error = { 0 };
	dbvh_mesh *own = NULL;
	dbvh_status status = dbvh_tree_map( file, NULL, NULL, tree, &error );
	const bool is_enough = status == DBVH_OK && scene_tree_suits( *tree, options );
	if ( status == DBVH_OK && ( mesh != NULL || !is_enough ) )
		status = dbvh_tree_get_mesh( *tree, NULL, &own, &error );
	if ( status == DBVH_OK && !is_enough ) {
		const dbvh_mesh_view view = dbvh_mesh_get_view( own );
		dbvh_tree_destroy( *tree );
		*tree = NULL;
		progress_stage( "building the tree of", file );
		status = build( &view, options, tree, &error );
	}
	if ( status == DBVH_OK && mesh != NULL ) {
		*mesh = own;
		return true;
	}
	dbvh_mesh_destroy( own );
	if ( status == DBVH_OK )
		return true;
	dbvh_tree_destroy( *tree );
	*tree = NULL;
	complain_of( file, &error );
	return false;
}

// A tree that is loaded, and what is wanted to be known about that. `seconds` and `skipped` may be NULL.
typedef struct loading {
	dbvh_tree_options options;
	size_t fast_from; // meshes of at least so many triangles get a tree of DBVH_QUALITY_FAST
	double *seconds;
	size_t *skipped;
} loading;

static bool load( load_source *source, const loading *how, double *metres, dbvh_mesh **mesh, dbvh_tree **tree ) {
	dbvh_error error = { 0 };
	dbvh_tree_options options = how->options;
	dbvh_mesh *read = NULL;
	if ( mesh != NULL )
		*mesh = NULL;
	*tree = NULL;
	progress_stage( "reading", source->file );
	const double begin = progress_now();
	if ( !source->is_read && is_tree_file( source->file ) ) {
		const bool loaded = load_tree_file( source->file, &options, mesh, tree );
		if ( how->seconds != NULL )
			*how->seconds = progress_now() - begin;
		return loaded;
	}
	if ( !load_mesh( source, metres, &read ) )
		return false;
	if ( how->skipped != NULL )
		dbvh_mesh_get_skipped_faces( read, how->skipped );
	const dbvh_mesh_view view = dbvh_mesh_get_view( read );
	if ( view.triangle_count >= how->fast_from )
		options.quality = DBVH_QUALITY_FAST;
	progress_stage( "building the tree of", source->file );
	const double start = progress_now();
	const dbvh_status status = build( &view, &options, tree, &error );
	if ( status != DBVH_OK || mesh == NULL )
		dbvh_mesh_destroy( read );
	else
		*mesh = read;
	if ( status != DBVH_OK )
		complain_of( source->file, &error );
	if ( how->seconds != NULL )
		*how->seconds = progress_now() - start;
	return status == DBVH_OK;
}

bool load_tree_by( load_source *source, const dbvh_tree_options *options, size_t fast_from, double *metres,
                   dbvh_mesh **mesh, dbvh_tree **tree ) {
	const loading how = { .options = *options, .fast_from = fast_from };
	return load( source, &how, metres, mesh, tree );
}

bool load_tree_alone( const char *file, const dbvh_tree_options *options, dbvh_tree **tree, double *seconds,
                      size_t *skipped ) {
	load_source source = { .file = file };
	const loading how = { *options, SIZE_MAX, seconds, skipped };
	return load( &source, &how, NULL, NULL, tree );
}

bool load_tree( const char *file, double *metres, dbvh_mesh **mesh, dbvh_tree **tree, double *seconds ) {
	load_source source = { .file = file };
	const loading how = { dbvh_tree_options_default(), SIZE_MAX, seconds, NULL };
	return load( &source, &how, metres, mesh, tree );
}

bool load_solid( const char *file, dbvh_fill_rule fill, double *metres, dbvh_mesh **mesh, dbvh_tree **tree ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.fill = fill;
	load_source source = { .file = file };
	return load_tree_by( &source, &options, SIZE_MAX, metres, mesh, tree );
}

bool fill_rule_find( const char *command, const char *name, dbvh_fill_rule *rule_out ) {
	static const char *const words[] = { "nonzero", "even-odd" };
	const int found = name != NULL ? args_find_word( command, "fill", name, words, 2 ) : 0;
	*rule_out = found == 1 ? DBVH_FILL_RULE_EVEN_ODD : DBVH_FILL_RULE_NONZERO;
	return found >= 0;
}
