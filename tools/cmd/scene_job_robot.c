// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// `dualbvh scene ROBOT --joints FILE` with --distance, --clearance or --edges: the distances in each configuration, or
// whether the way in joint space from each to the next is clear.

#include "assembly/robot_runs.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/timeout.h"
#include "cmd/scene_job.h"
#include "text/number.h"

enum { MOST_LINES = 20 };

// The counts of what has been printed so far.
typedef struct told {
	const scene_job *job;
	json *j; // NULL: sentences are printed
	size_t lines;
	size_t clear, near, colliding, close;
	bool has_least;
	double least;
	size_t least_at; // the configuration with the least distance
	dbvh_body_pair least_pair;
} told;

static const char *const edge_words[] = { "clear", "colliding", "close", "undecided" };

static bool on_work( void *user, size_t done, size_t total ) {
	(void)user;
	progress_step( "configurations", done, total );
	return !interrupted() && !timeout_expired();
}

static const char *path_of_body( const told *t, uint32_t body ) {
	return t->job->assembly.model.bodies[body].path;
}

static void put_bodies( const told *t, dbvh_body_pair pair ) {
	json_put_string( t->j, "a", path_of_body( t, pair.a ) );
	json_put_string( t->j, "b", path_of_body( t, pair.b ) );
}

static void print_bodies( const told *t, dbvh_body_pair pair ) {
	report_put( stdout, path_of_body( t, pair.a ) );
	fputs( " and ", stdout );
	report_put( stdout, path_of_body( t, pair.b ) );
}

// Is there room for a line, and are lines wanted?
static bool next_line( told *t ) {
	return t->j == NULL && !t->job->quiet && t->lines++ < MOST_LINES;
}

// ------------------------------------------------------------------------------------------------
// Distances

static void put_distance( const told *t, const dbvh_robot_distance *d ) {
	json_open( t->j, '{' );
	put_bodies( t, d->bodies );
	json_put_real( t->j, "distance", d->distance );
	json_put_reals( t->j, "point_a", d->point_a, 3 );
	json_put_reals( t->j, "point_b", d->point_b, 3 );
	json_put_reals( t->j, "normal", d->normal, 3 );
	json_close( t->j, '}' );
}

static const char *verdict_of( const told *t, const dbvh_robot_distances_result *r ) {
	if ( r->found && r->nearest.distance == 0.0 )
		return "colliding";
	return r->found && t->job->has_clearance ? "near" : "clear";
}

static void count_distance( told *t, size_t configuration, const dbvh_robot_distances_result *r ) {
	const bool collides = r->found && r->nearest.distance == 0.0;
	t->colliding += collides;
	t->near += r->found && !collides && t->job->has_clearance;
	if ( r->found && ( !t->has_least || r->nearest.distance < t->least ) ) {
		t->has_least = true;
		t->least = r->nearest.distance;
		t->least_at = configuration;
		t->least_pair = r->nearest.bodies;
	}
}

static bool on_distances( void *user, size_t configuration, const dbvh_robot_distances_result *r,
                          const dbvh_robot_distance *list ) {
	told *t = user;
	count_distance( t, configuration, r );
	if ( t->j != NULL ) {
		json_open( t->j, '{' );
		json_put_count( t->j, "configuration", configuration );
		json_put_string( t->j, "verdict", verdict_of( t, r ) );
		json_key( t->j, "pairs" );
		json_open( t->j, '[' );
		for ( size_t i = 0; i < r->written_count; ++i )
			put_distance( t, &list[i] );
		if ( r->found && !t->job->has_clearance )
			put_distance( t, &r->nearest );
		json_close( t->j, ']' );
		json_close( t->j, '}' );
		json_break( t->j );
		return !ferror( t->j->file );
	}
	if ( r->found && next_line( t ) ) {
		char text[REAL_ROOM];
		printf( "  %zu: %s between ", configuration, real_text( r->nearest.distance, text ) );
		print_bodies( t, r->nearest.bodies );
		fputc( '\n', stdout );
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Edges

static bool on_edge( void *user, size_t edge, const dbvh_robot_edge_result *r ) {
	told *t = user;
	t->clear += r->verdict == DBVH_ROBOT_VERDICT_CLEAR;
	t->colliding += r->verdict == DBVH_ROBOT_VERDICT_COLLIDES;
	t->close += r->verdict == DBVH_ROBOT_VERDICT_CLOSE;
	if ( t->j != NULL ) {
		json_open( t->j, '{' );
		json_put_count( t->j, "edge", edge );
		json_put_string( t->j, "verdict", edge_words[r->verdict] );
		json_put_real( t->j, "free_until", r->free_until );
		if ( r->verdict != DBVH_ROBOT_VERDICT_CLEAR ) {
			json_put_real( t->j, "time", r->time );
			json_put_real( t->j, "within", r->within );
			put_bodies( t, r->bodies );
		}
		json_close( t->j, '}' );
		json_break( t->j );
		return !ferror( t->j->file );
	}
	if ( r->verdict != DBVH_ROBOT_VERDICT_CLEAR && next_line( t ) ) {
		char text[REAL_ROOM];
		printf( "  %zu to %zu: %s at %s of the way, ", edge, edge + 1, edge_words[r->verdict],
		        real_text( r->time, text ) );
		print_bodies( t, r->bodies );
		fputc( '\n', stdout );
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// The run

static void begin_report( const told *t, const scene_rows *rows ) {
	const scene_job *job = t->job;
	if ( t->j == NULL )
		return;
	json_open( t->j, '{' );
	json_put_string( t->j, "schema", job->wants_edges ? "dualbvh.robot-edges/1" : "dualbvh.robot-distances/1" );
	json_key( t->j, "files" );
	json_open( t->j, '[' );
	for ( size_t i = 0; i < job->files.count; ++i )
		json_text( t->j, job->files.texts[i] );
	json_close( t->j, ']' );
	json_put_string( t->j, "joints", job->joints );
	json_put_count( t->j, "bodies", job->assembly.model.body_count );
	json_put_count( t->j, "configurations", rows->count );
	json_key( t->j, "results" );
	json_open( t->j, '[' );
	json_break( t->j );
}

static void end_json_report( const told *t, size_t done, size_t total, const char *refusal ) {
	json_close( t->j, ']' );
	json_put_count( t->j, "colliding", t->colliding );
	if ( t->job->wants_edges )
		json_put_count( t->j, "close", t->close );
	else
		json_put_count( t->j, "near", t->near );
	scene_put_end( t->j, done, total, refusal );
}

static void print_summary( const told *t, size_t done, size_t total ) {
	if ( t->lines > MOST_LINES )
		printf( "  and %zu more\n", t->lines - MOST_LINES );
	printf( "%zu bodies, %zu %s%s: ", t->job->assembly.model.body_count, done,
	        t->job->wants_edges ? "way" : "configuration", plural( done ) );
	if ( t->job->wants_edges )
		printf( "%zu clear at every time, %zu colliding, %zu close\n", t->clear, t->colliding, t->close );
	else if ( t->job->has_clearance )
		printf( "%zu colliding, %zu nearer than the clearance, %zu clear\n", t->colliding, t->near,
		        done - t->colliding - t->near );
	else
		printf( "%zu colliding, %zu clear\n", t->colliding, done - t->colliding );
	if ( t->has_least ) {
		char text[REAL_ROOM];
		printf( "least distance: %s in %zu, ", real_text( t->least, text ), t->least_at );
		print_bodies( t, t->least_pair );
		fputc( '\n', stdout );
	}
	if ( done < total )
		printf( "%s: %zu of %zu are done\n", timeout_expired() ? "out of time" : "interrupted", done, total );
	report_notes( &t->job->assembly.model, &t->job->ignores, stdout );
}

int scene_job_robot( scene_job *job, const scene_rows *rows ) {
	json j = { .file = stdout };
	told t = { .job = job, .j = job->as_json ? &j : NULL };
	scene_robot_run run = { .model = &job->assembly.model,
	                        .scene = job->scene,
	                        .rows = rows,
	                        .thread_count = job->thread_count,
	                        .progress = on_work,
	                        .on_distances = on_distances,
	                        .on_edge = on_edge,
	                        .user = &t };
	const size_t total = job->wants_edges ? rows->count - ( rows->count > 0 ) : rows->count;
	dbvh_error error = { 0 };
	dbvh_status status = DBVH_OK;
	begin_report( &t, rows );
	if ( job->scene != NULL ) // else ended early
		status = job->wants_edges
		             ? scene_run_edges( &run, &error )
		             : scene_run_distances( &run, job->has_clearance ? DBVH_FIND_ALL : DBVH_FIND_CLOSEST, &error );
	progress_end();
	const char *refusal = status == DBVH_OK ? NULL : error.text[0] != '\0' ? error.text : dbvh_status_text( status );
	if ( job->as_json )
		end_json_report( &t, run.done, total, refusal );
	if ( refusal != NULL )
		return complain( "%s: %s", job->joints, refusal );
	const bool is_finished = run.done == total;
	if ( !job->as_json && !job->quiet )
		print_summary( &t, run.done, total );
	const int result = finish_output( t.colliding > 0 || t.near > 0 ? EXIT_INTERFERENCE
	                                  : t.close > 0 || !is_finished ? EXIT_UNDECIDABLE
	                                                                : EXIT_CLEAR );
	return is_finished ? result : interrupt_finish( result );
}
