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

// Pairs that are only listed, a step.
#define PAIRS_A_STEP 16

// ------------------------------------------------------------------------------------------------
// The call

// Should the listing of pairs end? It ends for the same reasons as the queries of pairs.
static bool has_to_end( void *user ) {
	const dbvhi_scene_call *call = user;
	const dbvh_budget *budget = call->budget;
	if ( budget != NULL && budget->is_cancelled != NULL && budget->is_cancelled( budget->user ) )
		return true;
	const dbvh_scene_query *query = call->query;
	return query->progress != NULL && !query->progress( query->user, call->done, call->listed );
}

void dbvhi_scene_call_begin( dbvhi_scene_call *call, const dbvh_scene *scene, const dbvh_scene_query *query ) {
	*call = ( dbvhi_scene_call ){ .query = query, .budget = dbvhi_scene_budget( scene, query->budget ) };
	call->watched = ( dbvh_budget ){ .is_cancelled = has_to_end, .user = call };
	const bool is_watched = query->progress != NULL || ( call->budget != NULL && call->budget->is_cancelled != NULL );
	dbvhi_meter_open( &call->watch, &call->watch_purse, is_watched ? &call->watched : NULL );
	(void)dbvhi_scene_call_go_on( call );
}

void dbvhi_scene_call_end( const dbvhi_scene_call *call ) {
	if ( call->budget != NULL && call->budget->spent != NULL )
		*call->budget->spent += call->spent;
}

bool dbvhi_scene_call_go_on( dbvhi_scene_call *call ) {
	if ( call->budget == NULL )
		return true;
	const uint64_t total = call->budget->max_total;
	call->left = *call->budget;
	call->left.spent = &call->spent;
	if ( total != 0 && call->spent >= total )
		return false;
	call->left.max_total = total != 0 ? total - call->spent : 0;
	return true;
}

dbvh_status dbvhi_scene_begin( dbvh_scene *scene, const dbvh_scene_query *query, dbvh_scene_query *query_out,
                               dbvh_scene_result *result_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	if ( scene == NULL )
		return dbvhi_error_null( error, "scene" );
	*query_out = query != NULL ? *query : dbvh_scene_query_default();
	DBVHI_TRY( dbvhi_check_find( query_out->find, true, error ) );
	DBVHI_TRY( dbvhi_scene_check_policy( scene, query_out->policy, error ) );
	if ( query_out->has_body && dbvhi_scene_body( scene, query_out->body ) == NULL )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.body: body %lu is not in the scene",
		                        (unsigned long)query_out->body );
	if ( query_out->open == NULL && query_out->open_capacity > 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.open is NULL, and query.open_capacity is not 0" );
	return DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_pairs( dbvh_scene *scene, dbvh_body_pair *pairs_out, size_t capacity,
                                                     dbvh_scene_result *result_out, dbvh_error *error ) {
	dbvh_scene_query query;
	DBVHI_TRY( dbvhi_scene_begin( scene, NULL, &query, result_out, error ) );
	if ( pairs_out == NULL && capacity > 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "pairs_out is NULL, and capacity is not 0" );
	dbvhi_scene_call call;
	dbvhi_listing listing;
	dbvhi_scene_call_begin( &call, scene, &query );
	dbvh_status status = dbvhi_listing_begin( &listing, scene, &call );
	while ( status == DBVH_OK && !listing.is_done ) {
		status = dbvhi_listing_next( &listing );
		if ( !dbvhi_has_results( status ) )
			break;
		const size_t room = capacity - result_out->written_count;
		const size_t count = scene->pair_count < room ? scene->pair_count : room;
		if ( count > 0 )
			memcpy( pairs_out + result_out->written_count, scene->pairs, count * sizeof *pairs_out );
		result_out->written_count += count;
		result_out->pair_count += scene->pair_count;
		call.spent += scene->pair_count / PAIRS_A_STEP;
		if ( status == DBVH_OK && !listing.is_done && !dbvhi_scene_call_go_on( &call ) )
			status = DBVH_BUDGET_SPENT;
	}
	dbvhi_scene_call_end( &call );
	if ( !dbvhi_has_results( status ) )
		memset( result_out, 0, sizeof *result_out );
	result_out->done_count = result_out->found_count = result_out->pair_count;
	result_out->has_more = dbvhi_has_results( status ) && !listing.is_done;
	return dbvhi_error_status( error, status );
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
static dbvh_status prepare( const dbvhi_pair_question *q, uint32_t thread_count ) {
	dbvh_scene *scene = q->scene;
	for ( size_t i = 0; i < q->count; ++i ) {
		const dbvh_tree *a = scene->bodies[q->pairs[i].a].tree, *b = scene->bodies[q->pairs[i].b].tree;
		DBVHI_TRY( dbvhi_workspace_require( scene->workspace, a, b, 0 ) );
		if ( thread_count > 1 )
			DBVHI_TRY( dbvhi_workspace_require_helpers( scene->workspace, a, b, 0, thread_count ) );
	}
	return DBVH_OK;
}

static bool make_pair_room( dbvh_scene *scene, size_t bytes ) {
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
	const dbvh_body_pair pair = q->pairs[index];
	if ( error != NULL )
		error->element = (int64_t)( q->call.done + index );
	const dbvh_status status = (dbvh_status)q->failures[index];
	return dbvhi_error_set( error, status, "bodies %lu and %lu: %s", (unsigned long)pair.a, (unsigned long)pair.b,
	                        dbvh_status_text( status ) );
}

// The end of the pairs that count: pairs behind a failed one do not, nor behind a found one if one is enough.
static size_t end_of( const dbvhi_pair_question *q ) {
	const bool one_is_enough = q->query->find == DBVH_FIND_ANY;
	for ( size_t i = 0; i < q->count; ++i ) {
		if ( q->state[i] == DBVHI_PAIR_FAILED || ( one_is_enough && q->state[i] == DBVHI_PAIR_FOUND ) )
			return i + 1;
	}
	return q->count;
}

// Counts what came of the pairs. The first that has no answer says why.
static dbvh_status conclude( dbvhi_pair_question *q, dbvh_scene_result *result, dbvh_error *error ) {
	dbvh_status why = DBVH_OK;
	q->end = end_of( q );
	for ( size_t i = 0; i < q->end; ++i ) {
		if ( q->state[i] == DBVHI_PAIR_FAILED )
			return blame( q, i, error );
		result->found_count += q->state[i] == DBVHI_PAIR_FOUND;
		if ( dbvhi_pair_has_answer( q->state[i] ) ) {
			result->done_count += 1;
			continue;
		}
		const dbvh_status mine = (dbvh_status)q->failures[i];
		why = why == DBVH_OK ? mine : why;
		q->call.over = mine == DBVH_CANCELLED ? mine : q->call.over;
		result->open_count += 1;
		if ( q->query->open != NULL && result->open_written < q->query->open_capacity )
			q->query->open[result->open_written++] = q->pairs[i];
	}
	return why;
}

// The caller hears of all turns.
static bool tell( void *user, size_t done, size_t count ) {
	const dbvhi_scene_call *call = user;
	(void)count;
	return call->query->progress( call->query->user, call->done + done, call->listed );
}

static dbvh_status ask_pairs( dbvhi_pair_question *q, uint32_t thread_count ) {
	dbvh_scene *scene = q->scene;
	asking a = { .question = q, .workspace = scene->workspace };
	atomic_init( &a.enough, SIZE_MAX );
	dbvhi_account account = { .budget = q->call.budget != NULL ? &q->call.left : NULL,
	                          .progress = q->query->progress != NULL ? tell : NULL,
	                          .user = &q->call,
	                          .count = q->count,
	                          .every = PAIRS_BETWEEN_QUESTIONS };
	static const dbvhi_account_work of_pairs = { one_pair, leave_pair };
	return dbvhi_account_run( &account, &scene->allocator, q->count, dbvhi_grain( 0, q->count, thread_count, 8 ),
	                          thread_count, &of_pairs, &a );
}

dbvh_status dbvhi_scene_ask( dbvhi_pair_question *q, dbvh_scene_result *result, dbvh_error *error ) {
	dbvh_scene *scene = q->scene;
	const size_t count = q->count, bytes = q->outcome_bytes;
	// The outcomes first, which are aligned; then two bytes a pair.
	if ( bytes > ( SIZE_MAX - 64 ) / ( count + 1 ) - 2 || !make_pair_room( scene, count * ( bytes + 2 ) + 64 ) )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	memset( scene->outcomes, 0, count * ( bytes + 2 ) );
	q->state = (uint8_t *)scene->outcomes + count * bytes;
	q->failures = q->state + count;
	const bool one_alone = q->grows && scene->has_own_allocator;
	const uint32_t thread_count = one_alone ? 1 : dbvhi_thread_count_for( q->query->thread_count, count );
	dbvh_status status = prepare( q, thread_count );
	if ( q->call.over == DBVH_OK && count > 0 && !dbvhi_scene_call_go_on( &q->call ) )
		q->call.over = DBVH_BUDGET_SPENT;
	if ( q->call.over != DBVH_OK )
		memset( q->failures, q->call.over, count );
	else if ( status == DBVH_OK )
		status = ask_pairs( q, thread_count );
	if ( status != DBVH_OK )
		return dbvhi_error_status( error, status );
	status = conclude( q, result, error );
	q->call.done += count;
	return status;
}

// ------------------------------------------------------------------------------------------------
// All pairs

// Copies what was found, in order, as far as there is room.
static void hand_over( const dbvhi_pair_question *q, void *list, size_t capacity, dbvh_scene_result *result ) {
	for ( size_t i = 0; i < q->end && result->written_count < capacity; ++i ) {
		if ( q->state[i] != DBVHI_PAIR_FOUND )
			continue;
		memcpy( (char *)list + q->outcome_bytes * result->written_count, dbvhi_pair_outcome( q, i ), q->outcome_bytes );
		result->written_count += 1;
	}
}

static bool is_enough( const dbvhi_pair_question *q, const dbvh_scene_result *result ) {
	return q->query->find == DBVH_FIND_ANY && result->found_count > 0;
}

// Asks the pairs that were listed last, in turns. *why_out, if it is OK, becomes why the first has no answer.
static dbvh_status ask_listed( dbvhi_pair_question *q, void *list_out, size_t capacity, dbvh_scene_result *result,
                               dbvh_status *why_out, dbvh_error *error ) {
	const dbvh_scene *scene = q->scene;
	result->pair_count += scene->pair_count;
	q->call.listed += scene->pair_count;
	size_t first = 0;
	do {
		const size_t left = scene->pair_count - first;
		q->pairs = scene->pairs + first;
		q->count = left < scene->most_asked ? left : scene->most_asked;
		const dbvh_status status = dbvhi_scene_ask( q, result, error );
		if ( !dbvhi_has_results( status ) )
			return status;
		*why_out = *why_out == DBVH_OK ? status : *why_out;
		hand_over( q, list_out, capacity, result );
		first += q->count;
	} while ( first < scene->pair_count && !is_enough( q, result ) );
	return DBVH_OK;
}

static dbvh_status explain( dbvh_status why, const dbvh_scene_result *result, dbvh_error *error ) {
	if ( why == DBVH_OK )
		return DBVH_OK;
	return dbvhi_error_set( error, why, "%s ended the call: %zu of %zu pairs have an answer%s",
	                        why == DBVH_BUDGET_SPENT ? "the budget" : "a callback", result->done_count,
	                        result->pair_count, result->has_more ? ", and more were not listed" : "" );
}

dbvh_status dbvhi_scene_ask_all( dbvhi_pair_question *q, void *list_out, size_t capacity, dbvh_scene_result *result,
                                 dbvh_error *error ) {
	dbvhi_scene_call *call = &q->call;
	dbvhi_listing listing;
	dbvh_status why = DBVH_OK;
	dbvhi_scene_call_begin( call, q->scene, q->query );
	dbvh_status status = dbvhi_listing_begin( &listing, q->scene, call );
	while ( status == DBVH_OK && !listing.is_done && call->over == DBVH_OK && !is_enough( q, result ) ) {
		status = dbvhi_listing_next( &listing );
		if ( !dbvhi_has_results( status ) )
			break;
		call->over = status; // pairs already listed are not asked
		status = ask_listed( q, list_out, capacity, result, &why, error );
		why = why == DBVH_OK ? call->over : why;
	}
	dbvhi_scene_call_end( call );
	if ( !dbvhi_has_results( status ) ) {
		memset( result, 0, sizeof *result );
		return dbvhi_error_finish( error, status );
	}
	result->has_more = !listing.is_done;
	return explain( is_enough( q, result ) ? DBVH_OK : status != DBVH_OK ? status : why, result, error );
}
