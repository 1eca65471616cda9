// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_check_clearance() with the query and the result of dbvh_collide(), for tests that treat a clearance of 0 and a
// collision alike.

#pragma once

#include "dualbvh/collide.h"
#include "dualbvh/distance.h"

static inline dbvh_status check_clearance( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                           const dbvh_pose *pose_b, double max_distance,
                                           const dbvh_collide_query *query, dbvh_workspace *workspace,
                                           dbvh_collide_result *result_out, dbvh_error *error ) {
	dbvh_clearance_query q = { .max_distance = max_distance };
	if ( query != NULL ) {
		q.find = query->find;
		q.policy = query->policy;
		q.pairs = query->pairs;
		q.pair_capacity = query->pair_capacity;
		q.budget = query->budget;
	}
	dbvh_clearance_result r;
	const dbvh_status status =
	    dbvh_check_clearance( a, pose_a, b, pose_b, &q, workspace, result_out != NULL ? &r : NULL, error );
	if ( result_out != NULL )
		*result_out = ( dbvh_collide_result ){
		    .verdict = r.within ? DBVH_INTERSECTING : DBVH_DISJOINT,
		    .first = r.first,
		    .pair_count = r.pair_count,
		    .pair_written = r.pair_written,
		    .counters = r.counters,
		};
	return status;
}
