// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One query asked of every pair of bodies that the rules do not exclude, on several threads. Answers do not depend on
// the order. The first pair found, a budget, a cancelled call or an error may end it early.
//
// Pairs are listed and asked in turns. All listed pairs are asked, at a cost of a step or more each, before more are
// listed: so memory does not grow with the number of all pairs, and a budget bounds the listing, too.

#pragma once

#include "query/common/account.h"
#include "scene/scene.h"

// A query over all its turns.
typedef struct dbvhi_scene_call {
	const dbvh_scene_query *query;
	const dbvh_budget *budget; // the query's, or the scene's; NULL: none
	dbvh_budget left;          // remaining budget, for the turn under way
	uint64_t spent;
	dbvh_status over;    // why nothing more is asked: BUDGET_SPENT, CANCELLED; OK: it goes on
	size_t done, listed; // pairs of turns before this one; of all turns so far
	dbvh_budget watched;
	dbvhi_purse watch_purse;
	dbvhi_meter watch; // asks the caller, and limits nothing
} dbvhi_scene_call;

void dbvhi_scene_call_begin( dbvhi_scene_call *call, const dbvh_scene *scene, const dbvh_scene_query *query );
void dbvhi_scene_call_end( const dbvhi_scene_call *call ); // tells the caller what was spent

// Makes call->left; returns false where nothing is left of the total.
bool dbvhi_scene_call_go_on( dbvhi_scene_call *call );

typedef struct dbvhi_pair_question dbvhi_pair_question;

struct dbvhi_pair_question {
	dbvh_scene *scene;
	const dbvh_scene_query *query;
	dbvhi_scene_call call;
	// Asks a pair within share->budget. Sets *found_out. What it leaves goes to the place of the pair,
	// dbvhi_pair_outcome( question, index ). BUDGET_SPENT and CANCELLED: there is no answer.
	dbvh_status ( *ask )( dbvhi_pair_question *question, size_t index, dbvhi_share *share, dbvh_workspace *workspace,
	                      bool *found_out );
	bool grows; // its memory grows as it goes: with an allocator of the caller's it stays on the calling thread
	size_t outcome_bytes;
	// The pairs of this turn, and the outcome of each.
	const dbvh_body_pair *pairs;
	size_t count;
	uint8_t *state;    // see below
	uint8_t *failures; // the status of each pair without an answer
	size_t end;        // pairs from here on were not asked, because one before it was enough
};

static inline void *dbvhi_pair_outcome( const dbvhi_pair_question *q, size_t index ) {
	return (char *)q->scene->outcomes + q->outcome_bytes * index;
}

// Open: asked, and ended before there was an answer.
enum { DBVHI_PAIR_NOT_ASKED, DBVHI_PAIR_OPEN, DBVHI_PAIR_NOTHING, DBVHI_PAIR_FOUND, DBVHI_PAIR_FAILED };

static inline bool dbvhi_pair_has_answer( uint8_t state ) {
	return state > DBVHI_PAIR_OPEN;
}

// Checks what all queries share. `query` may be NULL; *query_out is what stands for it.
dbvh_status dbvhi_scene_begin( dbvh_scene *scene, const dbvh_scene_query *query, dbvh_scene_query *query_out,
                               dbvh_scene_result *result_out, dbvh_error *error );

// Asks one turn: the pairs question->pairs. Adds to *result. Returns the failure of the first pair that has one, or why
// a pair has no answer.
dbvh_status dbvhi_scene_ask( dbvhi_pair_question *question, dbvh_scene_result *result, dbvh_error *error );

// Lists all pairs and asks them. Copies what comes of those that are found to the caller's list.
dbvh_status dbvhi_scene_ask_all( dbvhi_pair_question *question, void *list_out, size_t capacity,
                                 dbvh_scene_result *result, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// The pairs of bodies that are looked at and whose boxes overlap, in ascending order, in parts: scene->pairs holds the
// part that was listed last. Where the broad phase keeps a list there is one part. Where it is crowded, or pairs of one
// body are asked for, the partners of one body after another are looked up.

typedef struct dbvhi_listing {
	dbvh_scene *scene;
	dbvhi_scene_call *call;
	bool by_bodies;
	bool is_done;
	uint32_t body, next;  // whose partners are in scene->numbers, and whose come then
	size_t partner;       // the next of them
	uint64_t passed_over; // boxes that overlap and make no pair: so many are a step
	dbvh_status status;
} dbvhi_listing;

// Brings all up to date. OUT_OF_MEMORY, or CANCELLED.
dbvh_status dbvhi_listing_begin( dbvhi_listing *listing, dbvh_scene *scene, dbvhi_scene_call *call );

// Lists the next part, which is empty once listing->is_done. OUT_OF_MEMORY; BUDGET_SPENT or CANCELLED, with what was
// listed until then.
dbvh_status dbvhi_listing_next( dbvhi_listing *listing );
