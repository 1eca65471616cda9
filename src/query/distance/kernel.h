// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernel of query/distance/kernel.inl, for every instruction set.

#pragma once

#include "query/distance/nearest_run.h"

// Goes on until there are candidates to decide (1) or nothing is left (0). It returns with candidates when there are
// many; when one may intersect, which ends a search for the nearest; with DBVHI_NEAR_FIRST whenever there are any; and
// at the pause, with or without.
typedef int dbvhi_distance_kernel( dbvhi_nearest_run *run );
extern dbvhi_distance_kernel *const dbvhi_distance_kernel_table[DBVHI_ISA_COUNT];
