// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One query under way: what is asked, and what has been found. Traversals only say which triangles to compare; this
// decides them exactly and keeps the books.

#pragma once

#include "exact/triangles.h"
#include "math/pose.h"
#include "query/workspace.h"
#include "tree/tree.h"

typedef struct dbvhi_search {
	const dbvh_tree *fixed, *moved;
	const dbvh_pose *pose; // fixed from moved
	double deviation;	   // max |rot^T rot - I| of it
	bool a_moves;		   // the caller's A is the moved mesh
	bool find_all;
	double error; // of a moved corner, rounded; negative until it is first needed
	dbvh_workspace *workspace;
	size_t key_capacity, key_count; // pairs to keep, pairs found
	uint64_t lowest_key;
	dbvh_counters counters;
} dbvhi_search;

// Compares triangle i of the fixed mesh with j of the moved one, both in leaf order, and records them if they meet.
// Returns true if the search is over.
bool dbvhi_search_triangles( dbvhi_search *search, uint32_t i, uint32_t j );

// Records such a pair that is known to meet. Returns true if the search is over.
bool dbvhi_search_found( dbvhi_search *search, uint32_t i, uint32_t j );

// Sorts what was found and hands it over.
void dbvhi_search_finish( dbvhi_search *search, const dbvh_query *query, dbvh_result *result );

// The traversals, one for each form of the tree.
void dbvhi_traverse_reference( dbvhi_search *search, dbvh_policy policy );
void dbvhi_traverse_packed( dbvhi_search *search );
