// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// `dualbvh scene ROBOT --joints FILE --output FILE`: a record a configuration.

#include "assembly/configurations.h"
#include "cli/interrupt.h"
#include "cli/timeout.h"
#include "cmd/scene_job.h"
#include "text/hash.h"

#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 1024 }; // configurations that are asked about in one call

typedef struct row {
	uint64_t configuration, pair_count;
	bool colliding;
} row;

static const record fields = { .count = 3,
                               .fields = { { "configuration", RECORD_COUNT, 1, offsetof( row, configuration ) },
                                           { "colliding", RECORD_BOOL, 1, offsetof( row, colliding ) },
                                           { "pair_count", RECORD_COUNT, 1, offsetof( row, pair_count ) } } };

// Configurations whose answers are known, and not yet written.
typedef struct batch {
	scene_job *job;
	const scene_rows *rows;
	scene_rows some; // a block of the rows
	dbvh_body_pair *pairs;
	size_t pair_count, capacity;
	size_t begin[AT_ONCE + 1]; // first pair of each configuration
	size_t ready, next;
	bool has_memory;
} batch;

static bool goes_on( void *user, size_t done, size_t total ) {
	(void)user, (void)done, (void)total;
	return !interrupted() && !timeout_expired();
}

static bool keep( void *user, size_t configuration, const dbvh_body_pair *pairs, size_t count ) {
	batch *b = user;
	if ( b->pair_count + count > b->capacity ) {
		const size_t capacity = 2 * ( b->pair_count + count );
		dbvh_body_pair *grown = realloc( b->pairs, capacity * sizeof *grown );
		if ( grown == NULL )
			return b->has_memory = false;
		b->pairs = grown;
		b->capacity = capacity;
	}
	if ( count > 0 )
		memcpy( b->pairs + b->pair_count, pairs, count * sizeof *pairs );
	b->begin[configuration] = b->pair_count;
	b->pair_count += count;
	b->begin[configuration + 1] = b->pair_count;
	b->ready = configuration + 1;
	return true;
}

static dbvh_status prepare( void *user, size_t first, size_t step, size_t count, size_t *ready ) {
	batch *b = user;
	const size_t links = b->job->assembly.model.link_count;
	scene_configurations found;
	b->ready = b->next = b->pair_count = 0;
	b->some.count = count;
	for ( size_t i = 0; i < count; ++i )
		memcpy( b->some.values + i * links, b->rows->values + ( first + i * step ) * links, links * sizeof( double ) );
	const dbvh_status status = scene_run_configurations( &b->job->assembly.model, b->job->scene, &b->some,
	                                                     b->job->thread_count, goes_on, keep, b, &found, NULL );
	scene_configurations_free( &found );
	*ready = b->ready;
	return status == DBVH_OK && !b->has_memory ? DBVH_OUT_OF_MEMORY : status;
}

enum { SUM_COLLIDING };

static dbvh_status answer( void *user, size_t i, results_form form, FILE *file, results_tally *tally ) {
	batch *b = user;
	const size_t begin = b->begin[b->next], count = b->begin[b->next + 1] - begin;
	++b->next;
	tally->counts[SUM_COLLIDING] += count > 0;
	if ( form == RESULTS_NPY ) {
		const row r = { .configuration = i, .pair_count = count, .colliding = count > 0 };
		record_write( &fields, &r, file );
		return DBVH_OK;
	}
	json j = { .file = file };
	scene_put_configuration( &j, b->job, i, b->pairs + begin, count );
	putc( '\n', file );
	return DBVH_OK;
}

static void summary( void *user, const results_tally *tally, size_t finished ) {
	const batch *b = user;
	if ( b->job->quiet )
		return;
	scene_print_configurations( b->job, finished, tally->counts[SUM_COLLIDING] );
	if ( finished < b->rows->count )
		printf( "%s: %zu of %zu configurations are done\n", timeout_expired() ? "out of time" : "interrupted", finished,
		        b->rows->count );
}

static int status_of( void *user, const results_tally *tally ) {
	(void)user;
	return tally->counts[SUM_COLLIDING] > 0 ? EXIT_INTERFERENCE : EXIT_CLEAR;
}

static uint64_t hash_bodies( const scene_job *job ) {
	const scene_model *model = &job->assembly.model;
	uint64_t hash = SCENE_HASH_START;
	for ( size_t i = 0; i < model->body_count; ++i ) {
		const scene_body *body = &model->bodies[i];
		hash = scene_hash_text( hash, body->path );
		hash = scene_hash_count( hash, job->trees.fingerprints[body->mesh] );
		hash = scene_hash_count( hash, body->link );
		hash = scene_hash_count( scene_hash_count( hash, body->group ), body->mask );
		hash = scene_hash_pose( hash, &body->pose );
	}
	return hash;
}

static uint64_t hash_links( const scene_model *model ) {
	uint64_t hash = SCENE_HASH_START;
	for ( size_t i = 0; i < model->link_count; ++i ) {
		const scene_link *link = &model->links[i];
		hash = scene_hash_count( scene_hash_count( hash, link->parent ), (uint64_t)link->kind );
		hash = scene_hash_pose( hash, &link->origin );
		for ( int k = 0; k < 3; ++k )
			hash = scene_hash_real( hash, link->axis[k] );
		hash = scene_hash_real( scene_hash_real( scene_hash_count( hash, link->mimic ), link->factor ), link->offset );
	}
	return hash;
}

static void describe( const batch *b, fingerprint *about ) {
	const scene_model *model = &b->job->assembly.model;
	uint64_t rows = SCENE_HASH_START;
	for ( size_t i = 0; i < b->rows->count * model->link_count; ++i )
		rows = scene_hash_real( rows, b->rows->values[i] );
	fingerprint_hash( about, "bodies", hash_bodies( b->job ) );
	fingerprint_hash( about, "joints", hash_links( model ) );
	fingerprint_hash( about, "rules", scene_rules_fingerprint( model ) );
	fingerprint_hash( about, "configurations", rows );
}

int scene_job_configurations_to_file( scene_job *job, const scene_rows *rows ) {
	static fingerprint about;
	static batch b;
	b = ( batch ){ .job = job, .rows = rows, .has_memory = true };
	b.some.values = malloc( AT_ONCE * ( job->assembly.model.link_count + 1 ) * sizeof *b.some.values );
	if ( b.some.values == NULL )
		return complain_memory();
	describe( &b, &about );
	const results_work work = { .doing = "configurations",
	                            .one = "configuration",
	                            .case_count = rows->count,
	                            .record = &fields,
	                            .about = &about,
	                            .user = &b,
	                            .prepare = prepare,
	                            .at_once = AT_ONCE,
	                            .answer = answer,
	                            .summary = summary,
	                            .status = status_of };
	const int status = results_run( &job->results, "scene", &work );
	scene_rows_free( &b.some );
	free( b.pairs );
	return status;
}
