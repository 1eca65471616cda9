// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/parallel.h"
#include "base/status.h"
#include "dualbvh/distance.h"
#include "query/common/arguments.h"
#include "query/distance/distance.h"
#include "reference/reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

dbvh_clearance_query dbvh_clearance_query_default( void ) {
	return ( dbvh_clearance_query ){ .max_distance = 0.0 };
}

dbvh_status dbvhi_check_clearance_query( const dbvh_clearance_query *query, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_find( query->find, false, error ) );
	DBVHI_TRY( dbvhi_check_policy( query->policy, error ) );
	DBVHI_TRY( dbvhi_check_room( query->pairs, query->pair_capacity, "pair", error ) );
	return dbvhi_check_range( query->max_distance, INFINITY, "query.max_distance", error );
}

dbvh_status dbvhi_clearance_measure( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                     const dbvh_pose *pose_b, const dbvh_clearance_query *query,
                                     const dbvh_budget *budget, uint32_t thread_count, dbvh_workspace *workspace,
                                     dbvh_clearance_result *result ) {
	DBVHI_ASSERT( query != NULL && result != NULL );
	const dbvh_collide_query pairs = {
	    .find = query->find,
	    .policy = query->policy,
	    .pairs = query->pairs,
	    .pair_capacity = query->pair_capacity,
	    .thread_count = thread_count,
	    .budget = budget,
	};
	dbvh_collide_result found;
	const dbvh_status status =
	    dbvhi_clearance_checked( a, pose_a, b, pose_b, query->max_distance, NULL, &pairs, workspace, &found );
	*result = ( dbvh_clearance_result ){
	    .within = found.verdict == DBVH_INTERSECTING,
	    .first = found.first,
	    .pair_count = found.pair_count,
	    .pair_written = found.pair_written,
	    .counters = found.counters,
	};
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_check_clearance( const dbvh_tree *a, const dbvh_pose *pose_a,
                                                         const dbvh_tree *b, const dbvh_pose *pose_b,
                                                         const dbvh_clearance_query *query, dbvh_workspace *workspace,
                                                         dbvh_clearance_result *result_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	const dbvh_clearance_query touching = { .max_distance = 0.0 };
	const dbvh_clearance_query *q = query != NULL ? query : &touching;
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( dbvhi_check_clearance_query( q, error ) );
	DBVHI_TRY( dbvhi_check_form( a, b, q->policy, error ) );
	DBVHI_TRY( dbvhi_check_no_parts( q->pair_begin, "pair", error ) );
	const uint32_t thread_count = q->budget == NULL ? q->thread_count : 1;
	const dbvh_status status =
	    dbvhi_clearance_measure( a, pose_a, b, pose_b, q, q->budget, thread_count, workspace, result_out );
	return status == DBVH_OK ? status : dbvhi_blame_poses( status, pose_a, pose_b, error );
}

dbvh_status dbvh_check_clearance( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                  const dbvh_pose *pose_b, const dbvh_clearance_query *query, dbvh_workspace *workspace,
                                  dbvh_clearance_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status,
	    dbvhi_error_finish( error, do_check_clearance( a, pose_a, b, pose_b, query, workspace, result_out, error ) ) );
}

dbvh_status dbvhi_check_distance_query( const dbvh_distance_query *q, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_range( q->relative_error, 1.0, "query.relative_error", error ) );
	DBVHI_TRY( dbvhi_check_range( q->absolute_error, DBL_MAX, "query.absolute_error", error ) );
	DBVHI_TRY( dbvhi_check_range( q->limit, INFINITY, "query.limit", error ) );
	return dbvhi_check_policy( q->policy, error );
}

// Place a witness in the common frame. `pose` is that of the fixed mesh, in whose frame the witness is.
static void to_common_frame( const dbvh_pose *pose, const dbvhi_witness *w, double fixed[3], double moved[3],
                             double between[3] ) {
	for ( int i = 0; i < 3; ++i ) {
		fixed[i] = pose->pos[i];
		moved[i] = pose->pos[i];
		between[i] = 0.0;
		for ( int j = 0; j < 3; ++j ) {
			fixed[i] += pose->rot[i][j] * w->fixed[j];
			moved[i] += pose->rot[i][j] * w->moved[j];
			between[i] += pose->rot[i][j] * w->between[j];
		}
	}
}

static void hand_over( const dbvhi_nearest *s, const dbvh_pose *pose_fixed, dbvh_distance_result *result ) {
	result->counters = s->counters;
	if ( !s->found )
		return;
	result->found = true;
	result->distance = s->witness.distance;
	result->pair = ( dbvh_pair ){ (uint32_t)( s->pair.key >> 32 ), (uint32_t)s->pair.key };
	double fixed[3], moved[3], between[3];
	if ( pose_fixed != NULL ) {
		to_common_frame( pose_fixed, &s->witness, fixed, moved, between );
	} else {
		memcpy( fixed, s->witness.fixed, sizeof fixed );
		memcpy( moved, s->witness.moved, sizeof moved );
		memcpy( between, s->witness.between, sizeof between );
	}
	for ( int k = 0; k < 3; ++k ) {
		result->point_a[k] = s->meshes.a_moves ? moved[k] : fixed[k];
		result->point_b[k] = s->meshes.a_moves ? fixed[k] : moved[k];
		result->between[k] = s->meshes.a_moves ? 0.0 - between[k] : between[k];
	}
}

// A lower bound of the distance for a search that a budget has ended. Pairs that the traversal discarded are beyond the
// bound as it is now, since it only falls; the pair that is named may itself be the nearest, and its distance has been
// rounded up.
static double below_what_is_left( const dbvhi_nearest *s ) {
	const double named = s->found ? nextafter( s->witness.distance, 0.0 ) : INFINITY;
	return fmax( 0.0, fmin( s->at_least, fmin( s->bound, named ) ) );
}

dbvh_status dbvhi_distance_measure( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                    const dbvh_pose *pose_b, const dbvh_distance_query *query,
                                    const dbvh_budget *budget, uint32_t thread_count, dbvh_workspace *workspace,
                                    dbvh_distance_result *result ) {
	DBVHI_ASSERT( query != NULL && workspace != NULL && result != NULL );
	dbvhi_nearest search;
	DBVHI_TRY( dbvhi_mesh_pair_init( &search.meshes, a, pose_a, b, pose_b ) );
	search.relative_error = query->relative_error;
	search.absolute_error = query->absolute_error;
	search.best = query->limit > 0.0 ? query->limit : INFINITY;
	search.bound = search.best;
	search.touched = false;
	search.count = 0;
	search.found = false;
	search.counters = ( dbvh_counters ){ 0 };
	dbvhi_purse purse;
	dbvhi_meter meter;
	dbvhi_meter_open( &meter, &purse, budget );
	search.work = ( dbvhi_work ){ .meter = budget != NULL ? &meter : NULL };
	search.planes_state = DBVHI_PLANES_UNKNOWN;
	dbvhi_nearest_attach( &search, workspace );
	search.at_least = INFINITY;
	const bool packed = dbvhi_mesh_pair_is_packed( &search.meshes, query->policy );
	if ( packed && thread_count > 1 )
		dbvhi_nearest_parallel( &search, workspace, thread_count );
	else if ( packed )
		dbvhi_nearest_packed( &search, workspace );
	else
		dbvhi_reference_distance( &search, workspace->stack, query->policy );
	dbvhi_nearest_settle( &search );
	dbvhi_meter_close( &meter );
	dbvhi_nearest_detach( &search, workspace );
	hand_over( &search, search.meshes.a_moves ? pose_b : pose_a, result );
	if ( isinf( search.at_least ) )
		return DBVH_OK;
	result->at_least = below_what_is_left( &search );
	return dbvhi_purse_status( &purse );
}

dbvh_distance_query dbvh_distance_query_default( void ) {
	return ( dbvh_distance_query ){ .limit = 0.0 };
}

static DBVHI_NOINLINE_FP dbvh_status do_distance( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                  const dbvh_pose *pose_b, const dbvh_distance_query *query,
                                                  dbvh_workspace *workspace, dbvh_distance_result *result_out,
                                                  dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	const dbvh_distance_query plain = { 0 };
	const dbvh_distance_query *q = query != NULL ? query : &plain;
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( dbvhi_check_distance_query( q, error ) );
	DBVHI_TRY( dbvhi_check_form( a, b, q->policy, error ) );
	dbvh_workspace *own;
	DBVHI_TRY( dbvhi_workspace_borrow( &workspace, a, &own ) );
	dbvh_status status = dbvhi_workspace_require( workspace, a, b, 0 );
	if ( status == DBVH_OK )
		status = dbvhi_workspace_require_distance( workspace, a, b );
	// note: with errors allowed or a budget, the answer would depend on which thread has done what, so one thread does
	// all.
	const bool may_split = q->thread_count > 1 && q->relative_error == 0.0 && q->absolute_error == 0.0 &&
	                       q->budget == NULL && dbvhi_is_packed( a, b, q->policy );
	const uint32_t thread_count = may_split ? dbvhi_thread_count( q->thread_count ) : 1;
	if ( status == DBVH_OK && thread_count > 1 )
		status = dbvhi_workspace_require_distance_threads( workspace, a, b, 0, thread_count );
	if ( status == DBVH_OK )
		status = dbvhi_distance_measure( a, pose_a, b, pose_b, q, q->budget, thread_count, workspace, result_out );
	dbvh_workspace_destroy( own );
	return status == DBVH_OK ? status : dbvhi_blame_poses( status, pose_a, pose_b, error );
}

dbvh_status dbvh_distance( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                           const dbvh_distance_query *query, dbvh_workspace *workspace,
                           dbvh_distance_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, dbvhi_error_finish( error, do_distance( a, pose_a, b, pose_b, query, workspace,
	                                                                             result_out, error ) ) );
}
