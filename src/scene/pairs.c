// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/pairs.h"

#include "base/fpenv.h"
#include "base/parallel.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "query/common/workspace.h"

#include <stdatomic.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// The list

// Are all pairs looked at, so that no rule need be asked?
static bool has_no_exceptions( const dbvh_scene *scene ) {
	return scene->masked_count == 0 && scene->rules.pair_count == 0 && scene->rules.body_count == 0 &&
	       !scene->rules.of_scene.may_collide;
}

static dbvh_status list_pairs( dbvh_scene *scene, const dbvh_scene_query *query ) {
	const dbvhi_broad_phase *phase = &scene->phase;
	const uint64_t rules = scene->rules.version;
	const bool is_same = phase->is_ordered && phase->moved_count == 0 && scene->unplaced_count == 0 &&
	                     rules == scene->rules_placed && scene->deviation == scene->deviation_placed;
	const uint32_t body = query->has_body ? query->body : DBVH_NO_BODY;
	if ( is_same && scene->has_list && scene->listed_body == body )
		return DBVH_OK;
	scene->has_list = false;
	const dbvh_status status = dbvhi_scene_update( scene );
	if ( status != DBVH_OK )
		return status;
	if ( !dbvhi_grow_array( &scene->allocator, &scene->pairs, &scene->pair_capacity, phase->pair_count,
	                        sizeof *scene->pairs ) )
		return DBVH_OUT_OF_MEMORY;
	const bool takes_all = has_no_exceptions( scene );
	scene->pair_count = 0;
	for ( size_t i = 0; i < phase->pair_count; ++i ) {
		const uint32_t a = (uint32_t)( phase->pairs[i] >> 32 ), b = (uint32_t)phase->pairs[i];
		dbvh_pair_rule rule;
		if ( query->has_body && a != query->body && b != query->body )
			continue;
		if ( takes_all || dbvhi_scene_rule( scene, a, b, &rule ) )
			scene->pairs[scene->pair_count++] = ( dbvh_body_pair ){ a, b };
	}
	scene->has_list = true;
	scene->listed_body = body;
	return DBVH_OK;
}

dbvh_status dbvhi_scene_begin( dbvh_scene *scene, const dbvh_scene_query *query, dbvh_scene_query *query_out,
                               dbvh_scene_result *result_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( result_out == NULL )
		return dbvhi_error_null( error, "result_out" );
	memset( result_out, 0, sizeof *result_out );
	if ( scene == NULL )
		return dbvhi_error_null( error, "scene" );
	*query_out = query != NULL ? *query : dbvh_scene_query_default();
	dbvh_status status = dbvhi_check_find( query_out->find, true, error );
	if ( status == DBVH_OK )
		status = dbvhi_check_policy( query_out->policy, error );
	if ( status != DBVH_OK )
		return status;
	if ( query_out->has_body && dbvhi_scene_body( scene, query_out->body ) == NULL )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.body: body %lu is not in the scene",
		                        (unsigned long)query_out->body );
	status = list_pairs( scene, query_out );
	if ( status != DBVH_OK )
		return dbvhi_error_status( error, status );
	result_out->pair_count = scene->pair_count;
	return DBVH_OK;
}

static DBVHI_BEHIND dbvh_status do_scene_pairs( dbvh_scene *scene, dbvh_body_pair *pairs_out, size_t capacity,
                                                dbvh_scene_result *result_out, dbvh_error *error ) {
	dbvh_scene_query query;
	const dbvh_status status = dbvhi_scene_begin( scene, NULL, &query, result_out, error );
	if ( status != DBVH_OK )
		return status;
	if ( pairs_out == NULL && capacity > 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "pairs_out is NULL, and capacity is not 0" );
	result_out->done_count = result_out->found_count = scene->pair_count;
	result_out->written_count = scene->pair_count < capacity ? scene->pair_count : capacity;
	if ( result_out->written_count > 0 )
		memcpy( pairs_out, scene->pairs, result_out->written_count * sizeof *pairs_out );
	return DBVH_OK;
}

dbvh_status dbvh_scene_pairs( dbvh_scene *scene, dbvh_body_pair *pairs_out, size_t capacity,
                              dbvh_scene_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_pairs( scene, pairs_out, capacity, result_out, error ) );
}

// ------------------------------------------------------------------------------------------------
// Asking

typedef struct asking {
	dbvhi_pair_question *question;
	dbvh_workspace *workspace;
	_Atomic size_t enough; // no pair behind it need be asked
	_Atomic size_t done;
	_Atomic int is_cancelled;
	uint32_t since_told; // on the calling thread
} asking;

static void lower_to( _Atomic size_t *least, size_t index ) {
	size_t now = atomic_load_explicit( least, memory_order_relaxed );
	while ( index < now &&
	        !atomic_compare_exchange_weak_explicit( least, &now, index, memory_order_relaxed, memory_order_relaxed ) )
		;
}

static void tell( asking *a ) {
	const dbvh_scene_query *query = a->question->query;
	const size_t done = atomic_load_explicit( &a->done, memory_order_relaxed );
	if ( !query->progress( query->user, done, a->question->scene->pair_count ) )
		atomic_store_explicit( &a->is_cancelled, 1, memory_order_relaxed );
}

static void one_pair( void *context, size_t index, uint32_t thread ) {
	asking *a = context;
	dbvhi_pair_question *q = a->question;
	if ( index > atomic_load_explicit( &a->enough, memory_order_relaxed ) ||
	     atomic_load_explicit( &a->is_cancelled, memory_order_relaxed ) )
		return;
	bool found = false;
	const dbvh_status status = q->ask( q, index, dbvhi_workspace_of( a->workspace, thread ), &found );
	atomic_fetch_add_explicit( &a->done, 1, memory_order_relaxed );
	if ( status != DBVH_OK ) {
		// The status stands where the outcome would: it is asked for once, in order, in the end.
		q->state[index] = DBVHI_PAIR_FAILED;
		q->failures[index] = (uint8_t)status;
		lower_to( &a->enough, index );
	} else {
		q->state[index] = found ? DBVHI_PAIR_FOUND : DBVHI_PAIR_NOTHING;
		if ( found && q->query->find == DBVH_FIND_ANY )
			lower_to( &a->enough, index );
	}
	if ( thread == 0 && q->query->progress != NULL && ++a->since_told >= 16 ) {
		a->since_told = 0;
		tell( a );
	}
}

// Room for the traversal of every pair, in the workspace of every thread: asked for on the calling thread only.
static dbvh_status prepare( dbvh_scene *scene, uint32_t thread_count ) {
	for ( size_t i = 0; i < scene->pair_count; ++i ) {
		const dbvh_tree *a = scene->bodies[scene->pairs[i].a].tree, *b = scene->bodies[scene->pairs[i].b].tree;
		dbvh_status status = dbvhi_workspace_require( scene->workspace, a, b, 0 );
		if ( status == DBVH_OK && thread_count > 1 )
			status = dbvhi_workspace_require_helpers( scene->workspace, a, b, 0, thread_count );
		if ( status != DBVH_OK )
			return status;
	}
	return DBVH_OK;
}

static bool make_room( dbvh_scene *scene, size_t bytes ) {
	if ( bytes <= scene->outcome_bytes )
		return true;
	void *memory = dbvhi_alloc( &scene->allocator, bytes, 1 );
	if ( memory == NULL )
		return false;
	dbvhi_free( &scene->allocator, scene->outcomes, scene->outcome_bytes, 1 );
	scene->outcomes = memory;
	scene->outcome_bytes = bytes;
	return true;
}

static dbvh_status blame( const dbvhi_pair_question *q, size_t index, dbvh_error *error ) {
	const dbvh_body_pair pair = q->scene->pairs[index];
	if ( error != NULL )
		error->element = (int64_t)index;
	const dbvh_status status = (dbvh_status)q->failures[index];
	return dbvhi_error_set( error, status, "bodies %lu and %lu: %s", (unsigned long)pair.a, (unsigned long)pair.b,
	                        dbvh_status_text( status ) );
}

dbvh_status dbvhi_scene_ask( dbvhi_pair_question *q, size_t outcome_bytes, dbvh_scene_result *result,
                             dbvh_error *error ) {
	dbvh_scene *scene = q->scene;
	const size_t count = scene->pair_count;
	// The outcomes first, which are aligned; then two bytes a pair.
	if ( outcome_bytes > ( SIZE_MAX - 64 ) / ( count + 1 ) - 2 ||
	     !make_room( scene, count * ( outcome_bytes + 2 ) + 64 ) )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	memset( scene->outcomes, 0, count * ( outcome_bytes + 2 ) );
	q->state = (uint8_t *)scene->outcomes + count * outcome_bytes;
	q->failures = q->state + count;
	const bool one_alone = q->grows && scene->has_own_allocator;
	const uint32_t thread_count = one_alone ? 1 : dbvhi_thread_count_for( q->query->thread_count, count );
	const dbvh_status ready = prepare( scene, thread_count );
	if ( ready != DBVH_OK )
		return dbvhi_error_status( error, ready );
	asking a = { .question = q, .workspace = scene->workspace };
	atomic_init( &a.enough, SIZE_MAX );
	atomic_init( &a.done, 0 );
	atomic_init( &a.is_cancelled, 0 );
	dbvhi_parallel_for( count, dbvhi_grain( 0, count, thread_count, 8 ), thread_count, one_pair, &a );
	if ( q->query->progress != NULL && !a.is_cancelled )
		tell( &a );
	q->end = a.enough < count ? a.enough + 1 : count;
	for ( size_t i = 0; i < q->end; ++i ) {
		if ( q->state[i] == DBVHI_PAIR_FAILED )
			return blame( q, i, error );
		result->done_count += q->state[i] != DBVHI_PAIR_NOT_ASKED;
		result->found_count += q->state[i] == DBVHI_PAIR_FOUND;
	}
	// Who says to stop when all has been done has not stopped anything.
	if ( a.is_cancelled && result->done_count < q->end )
		return dbvhi_error_set( error, DBVH_CANCELLED, "the progress callback ended the call after %zu of %zu pairs",
		                        result->done_count, count );
	return DBVH_OK;
}
