// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A question asked of every pair of bodies that is looked at: on several threads, in an order that no answer depends
// on, ended early by the first that is found, by a budget, by who waits for it, or by an error.

#pragma once

#include "query/common/account.h"
#include "scene/scene.h"

typedef struct dbvhi_pair_question dbvhi_pair_question;

struct dbvhi_pair_question {
	dbvh_scene *scene;
	const dbvh_scene_query *query;
	// Asks pair `index` within share->budget. Sets *found_out. What it leaves goes to a place of its own, by the index.
	// BUDGET_SPENT and CANCELLED: there is no answer.
	dbvh_status ( *ask )( dbvhi_pair_question *question, size_t index, dbvhi_share *share, dbvh_workspace *workspace,
	                      bool *found_out );
	bool grows; // its memory grows as it goes: with an allocator of the caller's it stays on the calling thread
	// What came of each pair, once all were asked.
	uint8_t *state;    // see below
	uint8_t *failures; // of each pair that failed, its status
	size_t end;        // pairs from here on were not asked, because one before it was enough
};

// Open: asked, and ended before there was an answer.
enum { DBVHI_PAIR_NOT_ASKED, DBVHI_PAIR_OPEN, DBVHI_PAIR_NOTHING, DBVHI_PAIR_FOUND, DBVHI_PAIR_FAILED };

static inline bool dbvhi_pair_has_answer( uint8_t state ) {
	return state > DBVHI_PAIR_OPEN;
}

// Checks what all queries share, and makes the list scene->pairs. `query` may be NULL; *query_out is what stands for
// it.
dbvh_status dbvhi_scene_begin( dbvh_scene *scene, const dbvh_scene_query *query, dbvh_scene_query *query_out,
                               dbvh_scene_result *result_out, dbvh_error *error );

// Asks. `outcome_bytes` a pair are ready, all zero, in scene->outcomes. Fills *result but for written_count. The first
// pair that fails, in order, is what fails the call. BUDGET_SPENT and CANCELLED: something has no answer.
dbvh_status dbvhi_scene_ask( dbvhi_pair_question *question, size_t outcome_bytes, dbvh_scene_result *result,
                             dbvh_error *error );
