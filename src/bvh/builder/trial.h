// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Comparing trees of one mesh by the cost of sample queries.

#pragma once

#include "bvh/ellipsoid/ellipsoids.h"

#include <stdbool.h>

// The queries, found on the first tree, and their costs.
typedef struct dbvhi_trial {
	dbvhi_approach approaches[DBVHI_SAMPLE_POSES];
	uint32_t approach_count;
	double first[DBVHI_SAMPLE_OFFSETS]; // cost of the first tree for each kind of query
	double least;                       // cost of the best tree so far, as a part of that
} dbvhi_trial;

// Measures the first tree, which others are compared with. It has its reference form only.
dbvh_status dbvhi_trial_begin( dbvhi_trial *trial, const struct dbvh_tree *tree );

// Sets *better_out if a further tree, of fewer fragments than those before, is the best so far: cheaper by some
// hundredths over all kinds of queries, and no dearer for any of them.
dbvh_status dbvhi_trial_compare( dbvhi_trial *trial, const struct dbvh_tree *tree, bool *better_out );
