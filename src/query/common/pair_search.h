// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// State and results of a search for pairs of triangles. Traversals only say which triangles to compare; the functions
// here decide them exactly and record the pairs that count.

#pragma once

#include "exact/tri_tri.h"
#include "query/common/mesh_pair.h"
#include "query/common/work.h"
#include "query/common/workspace.h"

// Ellipsoids of nodes that are compared: none, pairs of them, or each also with a box.
typedef enum dbvhi_ellipsoid_use {
	DBVHI_NO_ELLIPSOIDS,
	DBVHI_PAIRED_ELLIPSOIDS,
	DBVHI_MIXED_ELLIPSOIDS,
} dbvhi_ellipsoid_use;

// Filters between floats and the exact decision, the fastest first (collide/ladder.c).
typedef enum dbvhi_rung {
	DBVHI_RUNG_DOUBLES,
	DBVHI_RUNG_FLAT, // triangles that lie nearly in one plane
	DBVHI_RUNG_FINE, // pairs of doubles
	DBVHI_RUNG_COUNT,
} dbvhi_rung;

typedef struct dbvhi_pair_search {
	dbvhi_mesh_pair meshes;
	bool find_all;
	double max_distance;            // pairs at most this far apart are looked for; 0: those that intersect
	dbvhi_ellipsoid_use ellipsoids; // for the packed traversal
	bool self;                      // one mesh with itself: pairs that intersect beyond what they share, each once
	bool distinct;                  // name only the lowest of identical triangles (bvh/twins.h)
	dbvh_workspace *workspace;
	size_t key_capacity, key_count; // pairs to keep, pairs found
	uint64_t lowest_key;
	bool has_last; // the last pair found on this thread, in leaf order:
	uint32_t last_fixed, last_moved;
	bool is_near_start; // found about a start (collide/start.c)
	dbvh_counters counters;
	uint32_t rung_batches[DBVHI_RUNG_COUNT]; // batches of pairs that each rung has filtered
	dbvhi_work work;
} dbvhi_pair_search;

// Begin a search: forget the pairs kept in the workspace by its last one.
void dbvhi_pair_search_begin( dbvhi_pair_search *search );

// Compare triangle i of the fixed mesh with j of the moved one, both in leaf order, and record them if they intersect,
// or are within max_distance. Returns true if the search is over.
bool dbvhi_pair_search_triangles( dbvhi_pair_search *search, uint32_t i, uint32_t j );

// Compare such a pair exactly: one that intersection filters have left unsure.
bool dbvhi_pair_search_exact( dbvhi_pair_search *search, uint32_t i, uint32_t j );

// Record such a pair that is known to count, and all that the two stand for. Returns true if the search is over.
bool dbvhi_pair_search_found( dbvhi_pair_search *search, uint32_t i, uint32_t j );

// Compare two triangles of one mesh, in any order, beyond what they share. Returns true if the search is over.
bool dbvhi_pair_search_self( dbvhi_pair_search *search, uint32_t i, uint32_t j );

// Compare each triangle of a mesh with those identical to it, which no traversal of the tree finds. Returns true if the
// search is over.
bool dbvhi_pair_search_twins( dbvhi_pair_search *search );

// DBVH_OK, or why the search has ended before it was over.
dbvh_status dbvhi_pair_search_status( const dbvhi_pair_search *search );

// Add the results that a search with the same room for keys has left in another workspace.
void dbvhi_pair_search_merge( dbvhi_pair_search *search, const dbvh_workspace *other );

// Sort the pairs found and write the result.
void dbvhi_pair_search_finish( dbvhi_pair_search *search, const dbvh_collide_query *query,
                               dbvh_collide_result *result );

void dbvhi_counters_add( dbvh_counters *sum, const dbvh_counters *more );
