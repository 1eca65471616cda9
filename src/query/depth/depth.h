// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The parts of the queries of depth.h, after arguments have been checked.

#pragma once

#include "dualbvh/depth.h"
#include "query/depth/solid.h"

// The steps of a call whose caller gave no budget.
#define DBVHI_DEPTH_STEPS 20000000

// A mesh with open components that have an area, of two: nothing is computed.
dbvh_undecided dbvhi_depth_open( const dbvh_tree *a, const dbvh_tree *b );

// Check all arguments but poses that the queries of depth.h have in common.
dbvh_status dbvhi_depth_check( const dbvh_tree *a, const dbvh_tree *b, double relative_width, dbvh_error *error );

// The meter of a call, with the library's own limit where the caller gives no budget. That limit is no reason to
// complain: closing turns BUDGET_SPENT into OK then, and returns any other status as it is.
typedef struct dbvhi_depth_meter {
	dbvhi_purse purse;
	dbvhi_meter meter;
	dbvh_budget own;
	bool is_own;
} dbvhi_depth_meter;

void dbvhi_depth_meter_open( dbvhi_depth_meter *m, const dbvh_budget *budget );
dbvh_status dbvhi_depth_meter_close( dbvhi_depth_meter *m, dbvh_status status );

// dbvh_penetration_depth() and dbvh_local_depth(), charged to a meter. The result is empty before.
dbvh_status dbvhi_penetration_depth( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                     const dbvh_pose *pose_b, const dbvh_penetration_query *query,
                                     dbvh_workspace *workspace, dbvhi_meter *meter, dbvh_penetration_result *result );
dbvh_status dbvhi_penetration_along( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                     const dbvh_pose *pose_b, const double direction[3],
                                     const dbvh_penetration_query *query, dbvh_workspace *workspace, dbvhi_meter *meter,
                                     dbvh_penetration_along_result *result );
dbvh_status dbvhi_local_depth( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                               const dbvh_local_depth_query *query, dbvh_workspace *workspace, dbvhi_meter *meter,
                               dbvh_local_depth_result *result );

// A translation of the moved mesh in the frame of the pair, as one of B in the frame of A; and B's pose after it.
void dbvhi_depth_translation( const dbvhi_solid_pair *pair, const dbvh_pose *pose_a, const dbvh_pose *pose_b,
                              const double shift[3], double translation_out[3], dbvh_pose *pose_b_out );
