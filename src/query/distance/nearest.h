// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One search for the distance: what is asked, and what has been found. Traversals say which triangles to compare, and
// leave out what is certainly farther apart than `bound`; this keeps the books and has the last word.

#pragma once

#include "base/budget.h"
#include "bvh/tree.h"
#include "dualbvh/distance.h"
#include "exact/tri_tri_distance.h"
#include "math/pose.h"
#include "query/common/workspace.h"

// Pairs that may be the nearest as far as doubles can tell, waiting to be compared exactly.
#define DBVHI_NEAREST_ROOM 64

typedef struct dbvhi_near_pair {
	dbvhi_tri_tri_bounds gap;
	uint32_t fixed, moved; // in leaf order
	uint64_t key;          // in file order, a << 32 | b
} dbvhi_near_pair;

typedef struct dbvhi_nearest {
	const dbvh_tree *fixed, *moved;
	const dbvh_pose *pose; // fixed from moved
	double deviation;      // max |rot^T rot - I| of it
	bool a_moves;          // the caller's A is the moved mesh
	double error;          // of a moved corner, rounded
	double relative_error, absolute_error;
	double best;  // no pair farther apart than this counts: the limit, then what has been found
	double bound; // pairs that are farther apart than this need not be looked at
	bool touched; // a pair is certainly as near as `best`
	uint32_t count;
	bool found; // `witness` is that of `pair`, which is the best so far, in exact terms
	dbvhi_witness witness;
	dbvhi_near_pair pair;
	// Once many pairs have been compared exactly (see nearest.c): the best one of some time, and of each triangle,
	// those of the fixed mesh first, whether it is behind the plane of that. NULL: not yet.
	uint32_t *behind_room, *behind;
	uint32_t round; // which answers are good
	dbvhi_near_pair plane_pair;
	dbvhi_witness plane;
	double at_least;    // where a budget has ended the search: no pair is nearer; else infinite
	dbvhi_meter *meter; // NULL: no budget
	uint64_t charged;
	dbvh_counters counters;
	dbvhi_near_pair waiting[DBVHI_NEAREST_ROOM];
} dbvhi_nearest;

// Compares triangle i of the fixed mesh with j of the moved one, both in leaf order. Returns true if the search is
// over.
bool dbvhi_nearest_triangles( dbvhi_nearest *search, uint32_t i, uint32_t j );

// Compares exactly what is left.
void dbvhi_nearest_settle( dbvhi_nearest *search );

// The traversals, one for each form of the tree.
void dbvhi_nearest_reference( dbvhi_nearest *search, dbvhi_node_pair *stack, dbvh_policy policy );
void dbvhi_nearest_packed( dbvhi_nearest *search, const dbvh_workspace *workspace );
