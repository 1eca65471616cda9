// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// `dualbvh scene ROBOT --joints FILE`: one verdict a configuration.

#include "assembly/configurations.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/timeout.h"
#include "cmd/scene_job.h"
#include "text/grow.h"

#include <stdlib.h>

enum { MOST_SHOWN = 10, MOST_NAMED = 20 };

// The pairs that meet in each configuration, for a page.
typedef struct kept_pairs {
	dbvh_body_pair *list;
	size_t count, capacity;
	size_t *begin; // by configuration, and behind the last; NULL: there is no page
	size_t done;
} kept_pairs;

typedef struct telling {
	const scene_job *job;
	json *j;                               // NULL: not asked for
	size_t named[MOST_NAMED], named_count; // the first that collide
	kept_pairs kept;
	bool has_failed; // there was no memory
} telling;

static bool on_configuration( void *user, size_t done, size_t total ) {
	(void)user;
	progress_step( "configurations", done, total );
	return !interrupted() && !timeout_expired();
}

static const char *path_of( const scene_job *job, uint32_t body ) {
	return job->assembly.model.bodies[body].path;
}

static void put_pair( json *j, const scene_job *job, dbvh_body_pair pair ) {
	json_open( j, '[' );
	json_text( j, path_of( job, pair.a ) );
	json_text( j, path_of( job, pair.b ) );
	json_close( j, ']' );
}

void scene_put_configuration( json *j, const scene_job *job, size_t configuration, const dbvh_body_pair *pairs,
                              size_t count ) {
	json_open( j, '{' );
	json_put_count( j, "configuration", configuration );
	json_put_string( j, "verdict", count > 0 ? "colliding" : "clear" );
	json_key( j, "pairs" );
	json_open( j, '[' );
	for ( size_t i = 0; i < count; ++i )
		put_pair( j, job, pairs[i] );
	json_close( j, ']' );
	json_close( j, '}' );
}

static bool keep_pairs( kept_pairs *kept, const dbvh_body_pair *pairs, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		if ( !scene_grow( &kept->list, &kept->capacity, kept->count, sizeof *kept->list ) )
			return false;
		kept->list[kept->count++] = pairs[i];
	}
	kept->begin[++kept->done] = kept->count;
	return true;
}

static bool on_result( void *user, size_t configuration, const dbvh_body_pair *pairs, size_t count ) {
	telling *t = user;
	if ( count > 0 && t->named_count < MOST_NAMED )
		t->named[t->named_count++] = configuration;
	if ( t->kept.begin != NULL && !keep_pairs( &t->kept, pairs, count ) ) {
		t->has_failed = true;
		return false;
	}
	if ( t->j == NULL )
		return true;
	scene_put_configuration( t->j, t->job, configuration, pairs, count );
	json_break( t->j );
	return !ferror( t->j->file );
}

static void begin_json( json *j, const scene_job *job, const scene_rows *rows ) {
	json_open( j, '{' );
	json_put_string( j, "schema", "dualbvh.configurations/1" );
	json_key( j, "files" );
	json_open( j, '[' );
	for ( size_t i = 0; i < job->files.count; ++i )
		json_text( j, job->files.texts[i] );
	json_close( j, ']' );
	json_put_string( j, "joints", job->joints );
	json_put_count( j, "bodies", job->assembly.model.body_count );
	json_put_count( j, "configurations", rows->count );
	json_key( j, "results" );
	json_open( j, '[' );
	json_break( j );
}

void scene_put_end( json *j, size_t done, size_t total, const char *refusal ) {
	json_put_bool( j, "finished", done == total );
	if ( refusal != NULL )
		json_put_string( j, "error", refusal );
	else if ( done < total )
		json_put_bool( j, timeout_expired() ? "timed_out" : "interrupted", true );
	if ( done < total )
		json_put_count( j, "done", done );
	json_close( j, '}' );
	fputc( '\n', j->file );
}

static void end_json( json *j, const scene_job *job, const scene_configurations *found, const char *refusal ) {
	json_close( j, ']' );
	json_put_count( j, "colliding", found->colliding );
	json_key( j, "pairs" );
	json_open( j, '[' );
	for ( size_t i = 0; i < found->tally_count; ++i ) {
		json_open( j, '{' );
		json_put_string( j, "a", path_of( job, found->tallies[i].bodies.a ) );
		json_put_string( j, "b", path_of( job, found->tallies[i].bodies.b ) );
		json_put_count( j, "configurations", found->tallies[i].count );
		json_close( j, '}' );
		json_break( j );
	}
	json_close( j, ']' );
	scene_put_end( j, found->done, found->count, refusal );
}

void scene_print_configurations( const scene_job *job, size_t done, size_t colliding ) {
	printf( "%zu bodies, %zu configuration%s: %zu collide%s, %zu %s clear\n", job->assembly.model.body_count, done,
	        plural( done ), colliding, colliding == 1 ? "s" : "", done - colliding,
	        done - colliding == 1 ? "is" : "are" );
}

static void print_text( const scene_job *job, const scene_configurations *found, const telling *t ) {
	scene_print_configurations( job, found->done, found->colliding );
	if ( t->named_count > 0 ) {
		fputs( "colliding:", stdout );
		for ( size_t i = 0; i < t->named_count; ++i )
			printf( " %zu", t->named[i] );
		if ( found->colliding > t->named_count )
			printf( " and %zu more", found->colliding - t->named_count );
		fputc( '\n', stdout );
	}
	for ( size_t i = 0; i < found->tally_count && i < MOST_SHOWN; ++i ) {
		fputs( "  ", stdout );
		report_put( stdout, path_of( job, found->tallies[i].bodies.a ) );
		fputs( " and ", stdout );
		report_put( stdout, path_of( job, found->tallies[i].bodies.b ) );
		printf( ": in %zu\n", found->tallies[i].count );
	}
	if ( found->tally_count > MOST_SHOWN )
		printf( "  and %zu more\n", found->tally_count - MOST_SHOWN );
	if ( found->done < found->count )
		printf( "%s: %zu of %zu configurations are done\n", timeout_expired() ? "out of time" : "interrupted",
		        found->done, found->count );
	report_notes( &job->assembly.model, &job->ignores, stdout );
}

// Write the page, if there is to be one. False after a sentence.
static bool draw( const scene_job *job, const scene_rows *rows, const telling *t, const scene_configurations *found ) {
	picture p = { 0 };
	const picture_robot robot = { .assembly = &job->assembly,
	                              .trees = &job->trees,
	                              .rows = rows,
	                              .pairs = t->kept.list,
	                              .pair_begin = t->kept.begin,
	                              .done = t->kept.done,
	                              .tallies = found->tallies,
	                              .tally_count = found->tally_count };
	if ( !picture_outputs_any( &job->pictures ) )
		return true;
	progress_begin( !job->quiet );
	const picture_wishes wishes = picture_outputs_wishes( &job->pictures );
	const bool ok = picture_from_joints( &robot, &wishes, &p ) &&
	                picture_outputs_write( &job->pictures, &p, job->quiet || job->as_json ) == EXIT_CLEAR;
	picture_free( &p );
	return ok;
}

static bool begin_keeping( telling *t, size_t count ) {
	if ( picture_outputs_any( &t->job->pictures ) )
		t->kept.begin = calloc( count + 1, sizeof *t->kept.begin );
	return t->kept.begin != NULL || !picture_outputs_any( &t->job->pictures );
}

static void free_kept( telling *t ) {
	free( t->kept.list );
	free( t->kept.begin );
}

// Ask about all configurations and tell what was found. The exit status.
static int run( scene_job *job, const scene_rows *rows, telling *t, scene_configurations *found ) {
	dbvh_error error = { 0 };
	if ( job->as_json )
		begin_json( t->j, job, rows );
	const dbvh_status status = scene_run_configurations( &job->assembly.model, job->scene, rows, job->thread_count,
	                                                     on_configuration, on_result, t, found, &error );
	progress_end();
	if ( t->has_failed )
		return complain_memory();
	const char *refusal = status == DBVH_OK ? NULL : error.text[0] != '\0' ? error.text : dbvh_status_text( status );
	if ( job->as_json )
		end_json( t->j, job, found, refusal );
	if ( refusal != NULL )
		return complain( "%s: %s", job->joints, refusal );
	if ( !job->as_json && !job->quiet )
		print_text( job, found, t );
	const bool is_finished = found->done == found->count;
	int result = found->colliding > 0 ? EXIT_INTERFERENCE : is_finished ? EXIT_CLEAR : EXIT_UNDECIDABLE;
	if ( !draw( job, rows, t, found ) )
		result = EXIT_ERROR;
	result = finish_output( result );
	return is_finished ? result : interrupt_finish( result );
}

int scene_job_configurations( scene_job *job, const scene_rows *rows ) {
	json j = { .file = stdout };
	telling t = { .job = job, .j = job->as_json ? &j : NULL };
	scene_configurations found = { 0 };
	const int status = begin_keeping( &t, rows->count ) ? run( job, rows, &t, &found ) : complain_memory();
	scene_configurations_free( &found );
	free_kept( &t );
	return status;
}

int scene_job_no_configurations( scene_job *job, const scene_rows *rows ) {
	json j = { .file = stdout };
	telling t = { .job = job };
	const scene_configurations none = { .count = rows->count };
	progress_end();
	if ( job->as_json ) {
		begin_json( &j, job, rows );
		end_json( &j, job, &none, NULL );
	} else if ( !job->quiet )
		print_text( job, &none, &t );
	const bool ok = begin_keeping( &t, rows->count ) ? draw( job, rows, &t, &none ) : complain_memory() == EXIT_CLEAR;
	free_kept( &t );
	return interrupt_finish( finish_output( ok ? EXIT_UNDECIDABLE : EXIT_ERROR ) );
}
