// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Parts of every traversal of two packed trees outside of its kernel: set the run up for a pair of meshes, give it the
// memory of a workspace, count its work.

#pragma once

#include "base/assert.h"
#include "query/common/mesh_pair.h"
#include "query/common/packed_run.h"
#include "query/common/workspace.h"

// Set a run up for two trees whose packed forms share a unit, with an empty stack, no memory and no pause. All lengths
// of a run are in that unit.
void dbvhi_packed_init( const dbvhi_mesh_pair *pair, dbvhi_packed_run *run );

// Set up only what comparing nodes needs, and zero counters. All other members are left as they are.
void dbvhi_packed_init_nodes( const dbvhi_mesh_pair *pair, dbvhi_packed_run *run );

// Set up only what comparing leaves needs.
void dbvhi_packed_init_leaves( const dbvhi_mesh_pair *pair, dbvhi_packed_run *run );

// Give a run the memory of a workspace. A few pairs of nodes (up to DBVHI_BOX_BATCH) may then be put on its stack.
static inline void dbvhi_packed_attach( dbvhi_packed_run *run, const dbvh_workspace *workspace ) {
	DBVHI_ASSERT( workspace->packed_stack != NULL && workspace->box_queue != NULL );
	DBVHI_ASSERT( run->stack_count == 0 && run->leaf_count == 0 && run->box_begin == run->box_end );
	run->stack_a = workspace->packed_stack;
	run->stack_b = workspace->packed_stack + workspace->packed_capacity;
	run->stack_lanes = workspace->packed_stack + 2 * workspace->packed_capacity;
	run->leaf_a = workspace->leaf_queue;
	run->leaf_b = workspace->leaf_queue + DBVHI_LEAF_QUEUE;
	run->candidates = workspace->candidates;
	run->queue = workspace->box_queue;
	run->stack_cautious = (uint32_t)workspace->packed_cautious;
	run->stack_capacity = (uint32_t)workspace->packed_capacity;
}

// Put a pair of nodes on the stack, with the lanes of their children that are to be compared; or two leaves, which are
// negative.
static inline void dbvhi_packed_push( dbvhi_packed_run *run, int32_t a, int32_t b, int32_t lanes ) {
	DBVHI_ASSERT( run->stack_count < run->stack_capacity );
	DBVHI_ASSERT( ( a < 0 && b < 0 ) || ( (uint32_t)a < run->node_count_a && (uint32_t)b < run->node_count_b ) );
	DBVHI_ASSERT( lanes != 0 && ( lanes & ~0xffff ) == 0 );
	const uint32_t top = run->stack_count++;
	run->stack_a[top] = a;
	run->stack_b[top] = b;
	run->stack_lanes[top] = lanes;
}

// Are the spheres about the whole trees farther apart than `max_distance`? The packed form has no other test of its
// roots.
bool dbvhi_packed_is_separated( const dbvhi_mesh_pair *pair, double max_distance, const dbvhi_packed_run *run );

// Add a run's work to the counters.
static inline void dbvhi_packed_count( dbvh_counters *counters, const dbvhi_packed_run *run ) {
	counters->sphere_tests += 16 * run->node_tests;
	counters->box_tests += run->box_tests;
	counters->ellipsoid_pair_tests += run->ellipsoid_pair_tests;
	counters->ellipsoid_box_tests += run->ellipsoid_box_tests;
	counters->ellipsoid_separated += run->ellipsoid_separated;
}

// Error bound of the origin of a leaf that is placed in doubles, and of any sum of as few terms as that.
double dbvhi_packed_origin_error( const dbvhi_mesh_pair *pair );

// Error bound of the position of a sphere in floats. `offset`: between the centres of the two trees.
double dbvhi_packed_margin( const dbvhi_mesh_pair *pair, const double offset[3], double origin_error );
