// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Which of several trees of one mesh is the best? The one that sample queries cost least.

#pragma once

#include "bvh/ellipsoid/ellipsoid_sample.h"

#include <stdbool.h>

// The queries, found on the first tree, and what they cost.
typedef struct dbvhi_trial {
	dbvhi_approach approaches[DBVHI_SAMPLE_POSES];
	uint32_t approach_count;
	double first[DBVHI_SAMPLE_OFFSETS]; // what the first tree costs, each kind of query
	double least;                       // what the best one so far does, as a part of that
} dbvhi_trial;

// Measures the tree that others have to be better than. It has its reference form alone.
dbvh_status dbvhi_trial_begin( dbvhi_trial *trial, const struct dbvh_tree *tree );

// Sets *better_out where another tree of the mesh, of fewer fragments than those before, is the best so far: cheaper by
// some hundredths over all kinds of queries, and no dearer for any of them.
dbvh_status dbvhi_trial_compare( dbvhi_trial *trial, const struct dbvh_tree *tree, bool *better_out );
