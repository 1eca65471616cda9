// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The volumes of two whole meshes, in doubles: what a query asks before it sets anything up. Parts whose boxes are
// apart, which is most pairs of an assembly, are answered by this alone.

#pragma once

#include "query/common/mesh_pair.h"

// Are the balls or the boxes about two trees farther apart than `max_distance`? Counts the tests.
bool dbvhi_roots_are_disjoint( const dbvhi_mesh_pair *pair, double max_distance, dbvh_counters *counters );
