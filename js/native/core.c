// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Functions of the library that take the place of its own in the small module ("dualbvh/core"), where the linker finds
// these first. Scenes call them for rules about overlaps, which no call of that module sets, and bodies with a sag,
// which it refuses.

#include "web.h"

static dbvh_status refuse( dbvh_error *error ) {
	if ( error != NULL )
		*error =
		    ( dbvh_error ){ .status = DBVH_INVALID_ARGUMENT, .byte = -1, .element = -1, .text = "not in dualbvh/core" };
	return DBVH_INVALID_ARGUMENT;
}

// The declaration is that of src/query/overlap/within.h.
dbvh_status dbvhi_overlap_within( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                  const dbvh_pose *pose_b, const dbvh_overlap_query *query, dbvh_workspace *workspace,
                                  dbvh_overlap_result *result_out ) {
	(void)a, (void)pose_a, (void)b, (void)pose_b, (void)query, (void)workspace;
	*result_out = ( dbvh_overlap_result ){ 0 };
	return refuse( NULL );
}

dbvh_status dbvh_local_depth( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                              const dbvh_local_depth_query *query, dbvh_workspace *workspace,
                              dbvh_local_depth_result *result_out, dbvh_error *error ) {
	(void)a, (void)pose_a, (void)b, (void)pose_b, (void)query, (void)workspace;
	*result_out = ( dbvh_local_depth_result ){ 0 };
	return refuse( error );
}

// The declaration is that of src/query/depth/within.h.
dbvh_status dbvhi_local_depth_within( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                      const dbvh_pose *pose_b, const dbvh_local_depth_query *query,
                                      dbvh_workspace *workspace, dbvh_overlap_result *overlap_out,
                                      dbvh_local_depth_result *result_out ) {
	*overlap_out = ( dbvh_overlap_result ){ 0 };
	return dbvh_local_depth( a, pose_a, b, pose_b, query, workspace, result_out, NULL );
}
