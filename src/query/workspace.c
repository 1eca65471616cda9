// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Reserve in a workspace all the memory that the queries of two trees take, so this file knows them.

#include "base/parallel.h"
#include "base/status.h"
#include "query/collide/collide.h"
#include "query/common/arguments.h"
#include "query/distance/distance.h"

static dbvh_status reserve( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b, size_t pair_capacity,
                            dbvh_error *error ) {
	dbvhi_error_clear( error );
	DBVHI_TRY( dbvhi_check_given( workspace, "workspace", error ) );
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( dbvhi_workspace_require( workspace, a, b, pair_capacity ) );
	return dbvhi_workspace_require_distance( workspace, a, b );
}

dbvh_status dbvh_workspace_reserve( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                    size_t pair_capacity, dbvh_error *error ) {
	return dbvhi_error_finish( error, reserve( workspace, a, b, pair_capacity, error ) );
}

dbvh_status dbvh_workspace_reserve_threads( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                            size_t pair_capacity, uint32_t thread_count, dbvh_error *error ) {
	dbvh_status status = reserve( workspace, a, b, pair_capacity, error );
	const uint32_t threads = dbvhi_thread_count( thread_count );
	if ( status == DBVH_OK && threads > 1 )
		status = dbvhi_workspace_require_parallel( workspace, a, b, pair_capacity, threads );
	if ( status == DBVH_OK && threads > 1 )
		status = dbvhi_workspace_require_distance_threads( workspace, a, b, pair_capacity, threads );
	return dbvhi_error_finish( error, status );
}
