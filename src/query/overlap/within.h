// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_overlap_find() as a part of other calls: with a dbvh_overlap that belongs to their workspace, so that what it
// has learned about trees stays from pair to pair.

#pragma once

#include "dualbvh/overlap.h"
#include "query/common/workspace.h"

// The overlap of a workspace; NULL without memory.
dbvh_overlap *dbvhi_overlap_of( dbvh_workspace *workspace );

// The arguments but the workspace are those of dbvh_overlap_find(). What is learned about trees is not charged.
dbvh_status dbvhi_overlap_within( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                  const dbvh_pose *pose_b, const dbvh_overlap_query *query, dbvh_workspace *workspace,
                                  dbvh_overlap_result *result_out );
