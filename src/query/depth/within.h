// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_local_depth_components() as a part of other calls: with the dbvh_overlap that belongs to their workspace
// (overlap/within.h).

#pragma once

#include "dualbvh/depth.h"
#include "query/common/workspace.h"

// The overlap, and its local depth as found from its components. The arguments but the workspace are those of
// dbvh_local_depth_components(); what is learned about trees is not charged.
dbvh_status dbvhi_local_depth_within( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                      const dbvh_pose *pose_b, const dbvh_local_depth_query *query,
                                      dbvh_workspace *workspace, dbvh_overlap_result *overlap_out,
                                      dbvh_local_depth_result *result_out );
