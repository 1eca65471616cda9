// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What a search for pairs of triangles has found. Traversals only say which triangles to compare; this decides them
// exactly and records those that count.

#pragma once

#include "exact/tri_tri.h"
#include "query/common/mesh_pair.h"
#include "query/common/work.h"
#include "query/common/workspace.h"

// Which ellipsoids of nodes are compared: none, pairs of them, or each also with a box.
typedef enum dbvhi_ellipsoid_use {
	DBVHI_NO_ELLIPSOIDS,
	DBVHI_PAIRED_ELLIPSOIDS,
	DBVHI_MIXED_ELLIPSOIDS,
} dbvhi_ellipsoid_use;

typedef struct dbvhi_hit_collector {
	dbvhi_mesh_pair meshes;
	bool find_all;
	double max_distance;            // pairs at most this far apart are looked for; 0: those that intersect
	dbvhi_ellipsoid_use ellipsoids; // of the packed form
	bool self;                      // one mesh with itself: pairs that intersect beyond what they share, each once
	bool distinct;                  // of triangles that are the same only the lowest is named: see bvh/twins.h
	dbvh_workspace *workspace;
	size_t key_capacity, key_count; // pairs to keep, pairs found
	uint64_t lowest_key;
	bool has_place; // of the last pair that was found on this thread, in leaf order:
	uint32_t place_fixed, place_moved;
	bool is_near_start; // and it was found about a start (collide/local.h)
	dbvh_counters counters;
	dbvhi_work work;
} dbvhi_hit_collector;

// Before a search: forgets what the workspace's last one has noted.
void dbvhi_hit_collector_begin( dbvhi_hit_collector *search );

// Compares triangle i of the fixed mesh with j of the moved one, both in leaf order, and records them if they
// intersect, or are as near as that. Returns true if the search is over.
bool dbvhi_hit_collector_triangles( dbvhi_hit_collector *search, uint32_t i, uint32_t j );

// Records such a pair that is known to count, and all that the two stand for. Returns true if the search is over.
bool dbvhi_hit_collector_found( dbvhi_hit_collector *search, uint32_t i, uint32_t j );

// Compares two triangles of one mesh, beyond what they share, in any order.
bool dbvhi_hit_collector_self( dbvhi_hit_collector *search, uint32_t i, uint32_t j );

// The same for each triangle of a mesh and those that are the same: what no traversal of the tree finds.
bool dbvhi_hit_collector_twins( dbvhi_hit_collector *search );

// DBVH_OK, or why the search has ended before it was over.
dbvh_status dbvhi_hit_collector_status( const dbvhi_hit_collector *search );

// Adds what a search with the same room for keys has left in another workspace.
void dbvhi_hit_collector_merge( dbvhi_hit_collector *search, const dbvh_workspace *other );

// Sorts what was found and hands it over.
void dbvhi_hit_collector_finish( dbvhi_hit_collector *search, const dbvh_collide_query *query,
                                 dbvh_collide_result *result );

void dbvhi_counters_add( dbvh_counters *sum, const dbvh_counters *more );
