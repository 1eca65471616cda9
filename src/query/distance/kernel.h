// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernel of query/distance/kernel.inl, for every instruction set.

#pragma once

#include "query/distance/nearest_run.h"

// Continue the traversal. Returns 1 if there are candidates to decide or at the pause, 0 if nothing is left. Candidates
// are returned when there are many; when one may intersect, which ends a search for the nearest; and with
// DBVHI_NEAR_FIRST whenever there are any.
typedef int dbvhi_distance_kernel( dbvhi_nearest_run *run );
extern dbvhi_distance_kernel *const dbvhi_distance_kernel_table[DBVHI_ISA_COUNT];
