// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Is the overlap of two bodies a fit: within what their rule allows, or what their sags explain?

#pragma once

#include "dualbvh/depth.h"
#include "query/common/account.h"
#include "scene/scene.h"

// Do the interiors have common points, by a relation that is decided?
static inline bool dbvhi_is_overlap( dbvh_relation relation ) {
	return relation == DBVH_RELATION_OVERLAPPING || relation == DBVH_RELATION_A_IN_B ||
	       relation == DBVH_RELATION_B_IN_A || relation == DBVH_RELATION_EQUAL;
}

// Does the rule of two bodies, or do their sags, allow any overlap?
bool dbvhi_scene_allows_overlap( const dbvh_scene *scene, const dbvh_pair_rule *rule, uint32_t a, uint32_t b );

// Decide about two bodies with topology that overlap. UNDECIDED also where the library's limit for one depth ends
// the search. BUDGET_SPENT and CANCELLED: the caller's limits ended it.
dbvh_status dbvhi_scene_judge_fit( const dbvh_scene *scene, const dbvh_pair_rule *rule, uint32_t a, uint32_t b,
                                   dbvhi_share *share, dbvh_workspace *workspace, dbvh_fit_verdict *verdict_out );
