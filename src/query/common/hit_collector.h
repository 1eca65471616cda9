// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One query under way: what is asked, and what has been found. Traversals only say which triangles to compare; this
// decides them exactly and keeps the books.

#pragma once

#include "base/budget.h"
#include "bvh/tree.h"
#include "dualbvh/collide.h"
#include "exact/tri_tri.h"
#include "math/pose.h"
#include "query/common/workspace.h"

typedef struct dbvhi_hit_collector {
	const dbvh_tree *fixed, *moved;
	const dbvh_pose *pose; // fixed from moved
	double deviation;      // max |rot^T rot - I| of it
	bool a_moves;          // the caller's A is the moved mesh
	bool find_all;
	double reach;    // pairs at most this far apart are looked for; 0: those that meet
	bool ellipsoids; // the packed form compares those of nodes that have one
	bool beyond;     // one mesh with itself: pairs that meet beyond what they share, each once
	bool distinct;   // of triangles that are the same only the lowest is named: see bvh/twins.h
	double error;    // of a moved corner, rounded; negative until it is first needed
	dbvh_workspace *workspace;
	size_t key_capacity, key_count; // pairs to keep, pairs found
	uint64_t lowest_key;
	dbvh_counters counters;
	dbvhi_meter *meter; // NULL: no budget
	uint64_t charged;   // of the work of this search
} dbvhi_hit_collector;

// Between two looks at a meter a kernel compares so many vectors of nodes.
#define DBVHI_PAUSE 256

// Charges what has been done since the last time: `volumes` is all work on volumes so far, in vector tests of some tens
// of nanoseconds; that on triangles is in the counters. Returns false where the search has to end.
bool dbvhi_search_spend( dbvhi_hit_collector *search, uint64_t volumes );

// The same for a packed run, and sets its next pause.
bool dbvhi_search_goes_on( dbvhi_hit_collector *search, dbvhi_packed_run *run );

// Compares triangle i of the fixed mesh with j of the moved one, both in leaf order, and records them if they meet, or
// are within reach.
// Returns true if the search is over.
bool dbvhi_hit_collector_triangles( dbvhi_hit_collector *search, uint32_t i, uint32_t j );

// Records such a pair that is known to meet, and all that the two stand for. Returns true if the search is over.
bool dbvhi_hit_collector_found( dbvhi_hit_collector *search, uint32_t i, uint32_t j );

// The same for two triangles of one mesh, `beyond` what they share, in any order.
bool dbvhi_hit_collector_beyond( dbvhi_hit_collector *search, uint32_t i, uint32_t j );

// The same for each triangle of a mesh and those that are the same: what no traversal of the tree finds.
bool dbvhi_search_twins( dbvhi_hit_collector *search );

// For a part of a search on one of its threads, 0 being the calling one: a meter of its own, and in the end what it has
// not yet settled.
void dbvhi_search_share( dbvhi_hit_collector *search, uint32_t thread, dbvhi_meter *own );
void dbvhi_search_settle( dbvhi_hit_collector *search );

// DBVH_OK, or why it has ended before it was over.
dbvh_status dbvhi_search_status( const dbvhi_hit_collector *search );

// Adds what a search with the same room for keys has left in another workspace.
void dbvhi_hit_collector_merge( dbvhi_hit_collector *search, const dbvh_workspace *other );

// Sorts what was found and hands it over.
void dbvhi_hit_collector_finish( dbvhi_hit_collector *search, const dbvh_collide_query *query,
                                 dbvh_collide_result *result );

// Bounds the rounding of everything that a traversal of two reference trees compares.
double dbvhi_volume_margin( const dbvh_tree *fixed, const dbvh_tree *moved, const dbvh_pose *pose, double deviation );

// The traversals, one for each form of the tree.
void dbvhi_traverse_reference( dbvhi_hit_collector *search, dbvh_policy policy );
void dbvhi_traverse_packed( dbvhi_hit_collector *search );

// For a search with a reach above 0.
void dbvhi_traverse_within( dbvhi_hit_collector *search );

// All pairs of triangles of one tree, none twice: for a search that is `beyond`, with the identity as its pose.
void dbvhi_traverse_reference_self( dbvhi_hit_collector *search, dbvh_policy policy );

// The same on up to `thread_count` threads, for which the workspace has been made ready.
void dbvhi_traverse_packed_split( dbvhi_hit_collector *search, uint32_t thread_count );

// The parts of a packed traversal. Aims at the two trees, with an empty stack and no memory.
void dbvhi_packed_init( const dbvhi_hit_collector *search, dbvhi_packed_run *run );

// Lets the run ask the ellipsoids of the two trees, if both have some. `search` has to stay where it is.
void dbvhi_packed_use_ellipsoids( const dbvhi_hit_collector *search, dbvhi_packed_run *run );

// Gives a run the memory of a workspace. A few pairs of nodes (up to DBVHI_BOX_BATCH) may then be put on its stack.
void dbvhi_packed_attach( dbvhi_packed_run *run, const dbvh_workspace *workspace );

// Decides the candidates that the kernel has left. Returns true if the search is over.
bool dbvhi_packed_decide( dbvhi_hit_collector *search, const dbvhi_packed_run *run );

void dbvhi_counters_add( dbvh_counters *sum, const dbvh_counters *more );
// Are the spheres about the whole trees farther apart than the reach of the search? The packed form has no other test
// of its roots.
bool dbvhi_packed_is_beyond( const dbvhi_hit_collector *search, const dbvhi_packed_run *run );
// Adds a run's work to the counters.
void dbvhi_packed_count( dbvh_counters *counters, const dbvhi_packed_run *run );

// Is there a packed form of both trees, and does the policy ask for it?
bool dbvhi_is_packed( const dbvh_tree *a, const dbvh_tree *b, dbvh_policy policy );

// And may it be asked at this pose? Squares of what is farther away may overflow a float. (Trees with a packed form
// have no coordinate beyond 2^40.)
bool dbvhi_is_packed_at( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, dbvh_policy policy );

// Do the members of a query fit together? (All but pair_begin and thread_count, which batches take otherwise.)
dbvh_status dbvhi_check_collide_query( const dbvh_collide_query *query, dbvh_error *error );

// dbvh_collide() once the arguments are checked and the workspace is large enough: allocates nothing. `result` is zero
// before, and after anything but DBVH_OK.
dbvh_status dbvhi_collide( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                           const dbvh_collide_query *query, uint32_t thread_count, dbvh_workspace *workspace,
                           dbvh_collide_result *result );

// What a caller inside the library may ask for beside a query.
typedef struct dbvhi_terms {
	double reach;  // 0: those that meet
	bool distinct; // of triangles that are the same only the lowest is named: what it takes to know where meshes meet
	dbvhi_meter *meter; // of a call that this is a part of; NULL: the query's own budget
} dbvhi_terms;

// dbvh_collide() and dbvh_check_clearance() once their arguments are checked, but for the poses. `query` and
// `workspace` may be NULL.
dbvh_status dbvhi_collide_on_terms( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                    const dbvh_pose *pose_b, const dbvhi_terms *terms, const dbvh_collide_query *query,
                                    dbvh_workspace *workspace, dbvh_collide_result *result );
