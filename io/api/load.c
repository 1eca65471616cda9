// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// From files to a scene and a robot.

#include "api/loaded.h"
#include "base/fpenv.h"
#include "formats/assemble.h"
#include "model/refuse.h"
#include "text/ending.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rules of two patterns are looked up for every pair of bodies, up to so many of these: 2 x 10^8 pairs.
enum { MOST_LOOKED_UP = 20000 };

dbvh_load_options dbvh_load_options_default( void ) {
	return ( dbvh_load_options ){ 0 };
}

// ------------------------------------------------------------------------------------------------
// Formats

static bool is_in( const char *ending, const char *const *list, size_t count ) {
	char name[16];
	if ( snprintf( name, sizeof name, "a.%s", ending ) >= (int)sizeof name )
		return false;
	for ( size_t i = 0; i < count; ++i )
		if ( scene_has_ending( name, list[i] ) )
			return true;
	return false;
}

#define IS_IN( ending, list ) is_in( ending, list, sizeof( list ) / sizeof *( list ) )

// A reader without its library refuses any file, as UNKNOWN_FORMAT.
bool dbvh_load_reads( const char *ending ) {
	static const char *const of_jansson[] = { "gltf", "glb", "json" }, *const of_expat[] = { "urdf", "srdf" },
	                         *const of_step[] = { "step", "stp", "p21" };
	char name[16];
	if ( ending == NULL || snprintf( name, sizeof name, "a.%s", ending ) >= (int)sizeof name )
		return false;
	bool reads = scene_mesh_format( name ) != DBVH_MESH_FORMAT_AUTO;
#ifdef DUALBVH_WITH_JANSSON
	reads = reads || IS_IN( ending, of_jansson );
#endif
#ifdef DUALBVH_WITH_EXPAT
	reads = reads || IS_IN( ending, of_expat );
#endif
#if defined( DUALBVH_WITH_EXPAT ) && defined( DUALBVH_WITH_LIBZIP )
	static const char *const of_libzip[] = { "3mf" };
	reads = reads || IS_IN( ending, of_libzip );
#endif
#ifdef DUALBVH_WITH_OPENCASCADE
	reads = reads || IS_IN( ending, of_step );
#endif
#ifdef DUALBVH_WITH_ASSIMP
	reads = reads || scene_is_import( name );
#endif
	(void)of_jansson, (void)of_expat, (void)of_step;
	return reads;
}

// ------------------------------------------------------------------------------------------------
// Refusals

// Puts the file, and the line if there is one, in front of the sentence.
static dbvh_status blame( dbvh_error *error, dbvh_status status, const char *file ) {
	char text[sizeof error->text], where[32] = "";
	snprintf( text, sizeof text, "%s", error->text[0] != '\0' ? error->text : dbvh_status_text( status ) );
	if ( error->line > 0 )
		snprintf( where, sizeof where, ":%" PRId64, error->line );
	// note: the end of a long path says more than its beginning.
	const size_t length = strlen( file ), most = 100;
	snprintf( error->text, sizeof error->text, "%s%s%s: %.*s", length > most ? "..." : "",
	          length > most ? file + length - most : file, where, (int)( sizeof text - most - sizeof where - 8 ),
	          text );
	return error->status = status;
}

static bool is_base( dbvh_joint_kind kind ) {
	return kind == DBVH_JOINT_KIND_FIXED || kind == DBVH_JOINT_KIND_PLANAR || kind == DBVH_JOINT_KIND_FLOATING;
}

static dbvh_status check( const char *const *files, size_t file_count, const dbvh_load_options *o, dbvh_error *error ) {
	const char *wrong = NULL;
	if ( files == NULL || file_count == 0 )
		wrong = "files: at least one";
	else if ( file_count > UINT32_MAX )
		wrong = "file_count: at most 2^32 - 1";
	else if ( (unsigned)o->split >= DBVH_LOAD_SPLIT_COUNT )
		wrong = "options->split is no dbvh_load_split";
	else if ( !is_base( o->base ) )
		wrong = "options->base: FIXED, PLANAR or FLOATING";
	else if ( !isfinite( o->sag ) || o->sag < 0.0 )
		wrong = "options->sag: finite, at least 0";
	else if ( o->package_count > 0 && o->packages == NULL )
		wrong = "options->packages is NULL";
	for ( size_t i = 0; wrong == NULL && i < file_count; ++i )
		if ( files[i] == NULL )
			wrong = "a name of a file is NULL";
	for ( size_t i = 0; wrong == NULL && i < o->package_count; ++i )
		if ( o->packages[i] == NULL || strchr( o->packages[i], '=' ) == NULL )
			wrong = "options->packages: each is \"name=folder\"";
	return wrong != NULL ? scene_refuse( error, DBVH_INVALID_ARGUMENT, "%s", wrong ) : DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// Reading

static scene_split split_of( dbvh_load_split split ) {
	static const scene_split splits[] = { [DBVH_LOAD_SPLIT_FILE] = SCENE_SPLIT_FILE,
	                                      [DBVH_LOAD_SPLIT_OBJECT] = SCENE_SPLIT_OBJECT,
	                                      [DBVH_LOAD_SPLIT_COMPONENT] = SCENE_SPLIT_COMPONENT,
	                                      [DBVH_LOAD_SPLIT_AUTO] = SCENE_SPLIT_AUTO };
	return splits[split];
}

static dbvh_status read_files( dbvh_loaded *l, const char *const *files, size_t count, const dbvh_load_options *o,
                               dbvh_error *error ) {
	const scene_read_options options = { .split = split_of( o->split ),
	                                     .packages = o->packages,
	                                     .package_count = o->package_count,
	                                     .trust = { .allow_outside = o->allow_outside, .most_memory = o->most_memory },
	                                     .sag = o->sag,
	                                     .skip_bad_faces = o->skip_bad_faces,
	                                     .wants_visual = o->wants_visual,
	                                     .holds_no_joint = true };
	const char *failed = files[0];
	const dbvh_status status = scene_assemble( files, count, &options, o->srdf, &l->assembly, &failed, error );
	l->assembly.files = NULL; // the caller's
	if ( status != DBVH_OK )
		return blame( error, status, failed );
	if ( l->assembly.model.body_count == 0 ) {
		scene_refuse( error, DBVH_EMPTY, "there are no bodies" );
		return blame( error, DBVH_EMPTY, files[0] );
	}
	return scene_link_names_make( &l->assembly.model, &l->names ) ? DBVH_OK : scene_refuse_memory( error );
}

// The numbers of the joints in a state; *values_out NULL: all 0.
static dbvh_status find_state( const dbvh_loaded *l, const char *name, const double **values_out, dbvh_error *error ) {
	*values_out = NULL;
	if ( name == NULL )
		return DBVH_OK;
	const uint32_t state = dbvh_loaded_find( l, DBVH_LOADED_KIND_STATE, name );
	if ( state == UINT32_MAX )
		return scene_refuse( error, DBVH_INVALID_ARGUMENT, "there is no state '%.100s'; the files name %zu", name,
		                     l->assembly.model.state_count );
	*values_out = l->assembly.model.states[state].values;
	return DBVH_OK;
}

// Moves the bodies of links from the frames of these to where they stand.
static dbvh_status place( dbvh_loaded *l, const double *values, dbvh_error *error ) {
	scene_model *model = &l->assembly.model;
	if ( l->robot == NULL )
		return DBVH_OK;
	double *q = malloc( ( dbvh_robot_width( l->robot, DBVH_ROBOT_LAYOUT_ANGLES ) + 1 ) * sizeof *q );
	dbvh_pose *poses = malloc( ( dbvh_robot_body_count( l->robot ) + 1 ) * sizeof *poses );
	dbvh_status status = q != NULL && poses != NULL ? DBVH_OK : scene_refuse_memory( error );
	if ( status == DBVH_OK ) {
		loaded_row( model, l->robot, DBVH_ROBOT_LAYOUT_ANGLES, values, q );
		status = dbvh_robot_place( l->robot, DBVH_ROBOT_LAYOUT_ANGLES, q, 1, NULL, poses, error );
	}
	size_t next = 0;
	for ( size_t i = 0; i < model->body_count && status == DBVH_OK; ++i )
		if ( model->bodies[i].link != SCENE_NONE )
			model->bodies[i].pose = poses[next++];
	free( q );
	free( poses );
	return status;
}

// ------------------------------------------------------------------------------------------------
// Building

static dbvh_status build_trees( dbvh_loaded *l, const dbvh_load_options *o, dbvh_error *error ) {
	scene_model *model = &l->assembly.model;
	uint32_t failed;
	const dbvh_status status =
	    scene_build_trees( model, o->thread_count, o->cache, o->progress, o->user, &l->trees, &failed, error );
	if ( status == DBVH_CANCELLED )
		return scene_refuse( error, status, "%s", dbvh_status_text( status ) );
	if ( status != DBVH_OK )
		return failed != SCENE_NONE ? blame( error, status, model->meshes[failed].name ) : scene_refuse_memory( error );
	const dbvh_error *of_cache = &l->trees.cache_error;
	if ( of_cache->status != DBVH_OK && !scene_add_note( model, "%s: %s", o->cache, of_cache->text ) )
		return scene_refuse_memory( error );
	return DBVH_OK;
}

static dbvh_status add_bodies( dbvh_loaded *l, dbvh_error *error ) {
	const scene_model *model = &l->assembly.model;
	dbvh_status status = DBVH_OK;
	for ( size_t i = 0; i < model->body_count && status == DBVH_OK; ++i ) {
		const scene_body *body = &model->bodies[i];
		const dbvh_body_options options = { .group = body->group, .mask = body->mask, .sag = body->sag };
		uint32_t number;
		status = dbvh_scene_add_body( l->scene, l->trees.trees[body->mesh], &body->pose, &options, &number, error );
		if ( status != DBVH_OK )
			return blame( error, status, body->path );
	}
	return status;
}

// Rules with a way say nothing about bodies that stand.
static size_t drop_ways( scene_model *model ) {
	size_t kept = 0;
	for ( size_t i = 0; i < model->rule_count; ++i ) {
		scene_rule *rule = &model->rules[i];
		if ( rule->way.kind == SCENE_WAY_NONE ) {
			model->rules[kept++] = *rule;
			continue;
		}
		free( rule->a );
		free( rule->b );
		free( rule->name );
		free( rule->reason );
		free( rule->same );
	}
	const size_t dropped = model->rule_count - kept;
	model->rule_count = kept;
	return dropped;
}

static bool note_dropped( scene_model *model, size_t ways ) {
	const size_t accepted = model->ignore_count;
	return ( ways == 0 ||
	         scene_add_note( model, "%zu rule%s for a free way %s left out: 'dualbvh scene' checks %s", ways,
	                         SCENE_PLURAL( ways ), ways == 1 ? "is" : "are", ways == 1 ? "it" : "them" ) ) &&
	       ( accepted == 0 ||
	         scene_add_note( model, "%zu accepted clash%s %s left out: 'dualbvh scene' knows %s", accepted,
	                         accepted == 1 ? "" : "es", accepted == 1 ? "is" : "are", accepted == 1 ? "it" : "them" ) );
}

static dbvh_status apply_rules( dbvh_loaded *l, dbvh_error *error ) {
	scene_model *model = &l->assembly.model;
	const bool all = model->body_count <= MOST_LOOKED_UP;
	if ( !note_dropped( model, drop_ways( model ) ) ||
	     ( !all &&
	       !scene_add_note( model, "%zu bodies: rules of two patterns hold for pairs that are near each other now",
	                        model->body_count ) ) )
		return scene_refuse_memory( error );
	scene_rule_book *book = scene_rules_open( model );
	if ( book == NULL )
		return scene_refuse_memory( error );
	scene_rules_record( book, &l->rules );
	const dbvh_status status = ( all ? scene_rules_apply_to_all : scene_rules_apply )( book, l->scene, error );
	scene_rules_close( book );
	return status == DBVH_OUT_OF_MEMORY ? scene_refuse_memory( error ) : status;
}

static dbvh_status load_all( dbvh_loaded *l, const char *const *files, size_t count, const dbvh_load_options *o,
                             dbvh_error *error ) {
	const double *values;
	dbvh_status status = read_files( l, files, count, o, error );
	if ( status == DBVH_OK )
		status = find_state( l, o->state, &values, error );
	if ( status == DBVH_OK )
		status = loaded_make_robot( &l->assembly.model, o->base, &l->robot, error );
	if ( status == DBVH_OK )
		status = place( l, values, error );
	if ( status == DBVH_OK )
		status = build_trees( l, o, error );
	if ( status == DBVH_OK )
		status = dbvh_scene_create( NULL, &l->scene, error );
	if ( status == DBVH_OK )
		status = add_bodies( l, error );
	return status == DBVH_OK ? apply_rules( l, error ) : status;
}

static DBVHI_NOINLINE_FP dbvh_status load( const char *const *files, size_t file_count,
                                           const dbvh_load_options *options, dbvh_loaded **loaded_out,
                                           dbvh_error *error ) {
	dbvh_error unseen;
	const dbvh_load_options none = { 0 };
	error = error != NULL ? error : &unseen;
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	options = options != NULL ? options : &none;
	if ( loaded_out == NULL )
		return scene_refuse( error, DBVH_INVALID_ARGUMENT, "loaded_out is NULL" );
	*loaded_out = NULL;
	dbvh_status status = check( files, file_count, options, error );
	if ( status != DBVH_OK )
		return status;
	dbvh_loaded *loaded = calloc( 1, sizeof *loaded );
	if ( loaded == NULL )
		return scene_refuse_memory( error );
	status = load_all( loaded, files, file_count, options, error );
	if ( status == DBVH_OK ) {
		*loaded_out = loaded;
		*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	} else {
		dbvh_loaded_destroy( loaded );
	}
	return status;
}

dbvh_status dbvh_scene_load( const char *const *files, size_t file_count, const dbvh_load_options *options,
                             dbvh_loaded **loaded_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, load( files, file_count, options, loaded_out, error ) );
}
