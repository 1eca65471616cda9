// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One search for the distance: the question and the result so far. A traversal (distance/packed.c,
// reference/distance.c) discards pairs of nodes that are certainly farther apart than `bound`, and hands the pairs of
// triangles that are left to dbvhi_nearest_triangles(), which keeps the nearest.

#pragma once

#include "query/common/mesh_pair.h"
#include "query/common/seen_pairs.h"
#include "query/common/work.h"

// Capacity for pairs that, as far as doubles can tell, may be the nearest, and wait to be compared exactly.
#define DBVHI_NEAREST_CAPACITY 64

typedef struct dbvhi_near_pair {
	dbvhi_tri_tri_bounds gap;
	uint32_t fixed, moved; // in leaf order
	uint64_t key;          // in file order, a << 32 | b
} dbvhi_near_pair;

// A cache of dbvhi_height_beyond() by triangle: an entry has the last of the triangles that share it.
#define DBVHI_KEPT_HEIGHTS 4096

typedef struct dbvhi_kept_height {
	double height;
	uint32_t round, leaf;
} dbvhi_kept_height;

typedef enum dbvhi_planes_state {
	DBVHI_PLANES_UNKNOWN, // not yet computed for the best pair
	DBVHI_PLANES_NEAR,    // computed in pairs of doubles
	DBVHI_PLANES_EXACT,   // pairs of doubles are of no use: decisions about the planes of the witness are exact
} dbvhi_planes_state;

typedef struct dbvhi_nearest {
	dbvhi_mesh_pair meshes;
	double relative_error, absolute_error;
	double best;  // pairs farther apart than this do not count: the limit, then an upper bound of the distance
	double bound; // pairs farther apart than this are discarded: `best` less the errors that are allowed
	bool touched; // some pair is certainly as near as `best`
	uint32_t count;
	bool found; // `pair` is the best so far, compared exactly, and `witness` its nearest points
	dbvhi_witness witness;
	dbvhi_near_pair pair;
	// Planes through the witness of the best pair, which discard others: see nearest.c.
	dbvhi_planes_state planes_state;
	dbvhi_distance_planes planes;
	dbvhi_seen_pairs *seen;     // pairs that other fragments of the same triangles have brought up already
	dbvhi_kept_height *heights; // DBVHI_KEPT_HEIGHTS entries
	uint32_t round;             // the round whose entries of `heights` are valid
	double at_least;            // lower bound of the pairs that a budget has left; INFINITY: none are left
	dbvhi_work work;
	dbvh_counters counters;
	dbvhi_near_pair *waiting; // DBVHI_NEAREST_CAPACITY entries
} dbvhi_nearest;

// Compare triangle i of the fixed mesh with j of the moved one, both in leaf order. Returns true if the search is over.
bool dbvhi_nearest_triangles( dbvhi_nearest *search, uint32_t i, uint32_t j );

// Compare the waiting pairs exactly.
void dbvhi_nearest_settle( dbvhi_nearest *search );

// Merge the result of another thread's search for the same distance. No errors may be allowed.
void dbvhi_nearest_merge( dbvhi_nearest *search, dbvhi_nearest *other );
