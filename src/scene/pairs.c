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
		status = dbvhi_scene_check_policy( scene, query_out->policy, error );
	if ( status != DBVH_OK )
		return status;
	if ( query_out->has_body && dbvhi_scene_body( scene, query_out->body ) == NULL )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.body: body %lu is not in the scene",
		                        (unsigned long)query_out->body );
	if ( query_out->open == NULL && query_out->open_capacity > 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.open is NULL, and query.open_capacity is not 0" );
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

// Most pairs take a microsecond or more.
#define PAIRS_BETWEEN_QUESTIONS 16

typedef struct asking {
	dbvhi_pair_question *question;
	dbvh_workspace *workspace;
	_Atomic size_t enough; // no pair behind it need be asked
} asking;

static void lower_to( _Atomic size_t *least, size_t index ) {
	size_t now = atomic_load_explicit( least, memory_order_relaxed );
	while ( index < now &&
	        !atomic_compare_exchange_weak_explicit( least, &now, index, memory_order_relaxed, memory_order_relaxed ) )
		;
}

static void one_pair( void *context, size_t index, uint32_t thread, dbvhi_share *share ) {
	asking *a = context;
	dbvhi_pair_question *q = a->question;
	if ( index > atomic_load_explicit( &a->enough, memory_order_relaxed ) )
		return;
	bool found = false;
	const dbvh_status status = q->ask( q, index, share, dbvhi_workspace_of( a->workspace, thread ), &found );
	if ( status == DBVH_BUDGET_SPENT || status == DBVH_CANCELLED ) {
		q->state[index] = DBVHI_PAIR_OPEN;
		q->failures[index] = (uint8_t)status;
	} else if ( status != DBVH_OK ) {
		// The status stands where the outcome would: it is asked for once, in order, in the end.
		q->state[index] = DBVHI_PAIR_FAILED;
		q->failures[index] = (uint8_t)status;
		lower_to( &a->enough, index );
	} else {
		q->state[index] = found ? DBVHI_PAIR_FOUND : DBVHI_PAIR_NOTHING;
		if ( found && q->query->find == DBVH_FIND_ANY )
			lower_to( &a->enough, index );
	}
	dbvhi_share_element( share );
}

static void leave_pair( void *context, size_t index, dbvh_status why ) {
	dbvhi_pair_question *q = ( (asking *)context )->question;
	q->state[index] = DBVHI_PAIR_NOT_ASKED;
	q->failures[index] = (uint8_t)why;
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

// Where the first in order is enough, or one has failed, none behind it counts.
static size_t end_of( const dbvhi_pair_question *q, size_t count ) {
	const bool one_is_enough = q->query->find == DBVH_FIND_ANY;
	for ( size_t i = 0; i < count; ++i ) {
		if ( q->state[i] == DBVHI_PAIR_FAILED || ( one_is_enough && q->state[i] == DBVHI_PAIR_FOUND ) )
			return i + 1;
	}
	return count;
}

// BUDGET_SPENT or CANCELLED, where a pair has no answer that is needed.
static dbvh_status blame_open( const dbvhi_pair_question *q, size_t first_open, const dbvh_scene_result *result,
                               dbvh_error *error ) {
	if ( result->open_count == 0 || ( q->query->find == DBVH_FIND_ANY && result->found_count > 0 ) )
		return DBVH_OK;
	const dbvh_status status = (dbvh_status)q->failures[first_open];
	return dbvhi_error_set( error, status, "%s ended the call: %zu of %zu pairs have an answer",
	                        status == DBVH_BUDGET_SPENT ? "the budget" : "a callback", result->done_count,
	                        q->scene->pair_count );
}

static dbvh_status conclude( dbvhi_pair_question *q, dbvh_scene_result *result, dbvh_error *error ) {
	const dbvh_scene *scene = q->scene;
	size_t first_open = 0;
	q->end = end_of( q, scene->pair_count );
	for ( size_t i = 0; i < q->end; ++i ) {
		if ( q->state[i] == DBVHI_PAIR_FAILED )
			return blame( q, i, error );
		result->found_count += q->state[i] == DBVHI_PAIR_FOUND;
		if ( dbvhi_pair_has_answer( q->state[i] ) ) {
			result->done_count += 1;
			continue;
		}
		if ( result->open_count++ == 0 )
			first_open = i;
		if ( q->query->open != NULL && result->open_written < q->query->open_capacity )
			q->query->open[result->open_written++] = scene->pairs[i];
	}
	return blame_open( q, first_open, result, error );
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
	dbvhi_account account = { .budget = q->query->budget,
	                          .progress = q->query->progress,
	                          .user = q->query->user,
	                          .count = count,
	                          .every = PAIRS_BETWEEN_QUESTIONS };
	static const dbvhi_account_work of_pairs = { one_pair, leave_pair };
	const dbvh_status status = dbvhi_account_run(
	    &account, &scene->allocator, count, dbvhi_grain( 0, count, thread_count, 8 ), thread_count, &of_pairs, &a );
	return status == DBVH_OK ? conclude( q, result, error ) : dbvhi_error_status( error, status );
}
