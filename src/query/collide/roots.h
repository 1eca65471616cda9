// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The volumes of two whole meshes, in doubles: what a query asks before it sets anything up. Parts whose boxes are
// apart, which is most pairs of an assembly, are answered by this alone.

#pragma once

#include "bvh/node.h"
#include "query/common/mesh_pair.h"
#include "simd/isa.h"

// The largest gap between two boxes on the fifteen axes, the last nine of which are no longer than 1. `way`: from the
// centre of A's box to that of B's.
typedef double dbvhi_root_kernel( const dbvhi_node *a, const dbvhi_node *b, const dbvh_pose *pose,
                                  const double way[3] );

// For each instruction set, by dbvhi_isa_level().
extern dbvhi_root_kernel *const dbvhi_root_kernel_table[DBVHI_ISA_COUNT];

// Are the balls or the boxes about two trees farther apart than `max_distance`? Counts the tests.
bool dbvhi_roots_are_disjoint( const dbvhi_mesh_pair *pair, double max_distance, dbvh_counters *counters );
