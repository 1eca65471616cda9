// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "query/common/batch.h"
#include "query/depth/depth.h"

#include <math.h>
#include <string.h>

const char *dbvh_depth_proof_name( dbvh_depth_proof proof ) {
	static const char *const names[] = { "NONE", "DISJOINT", "CONVEX", "BALLS" };
	return (unsigned)proof <= DBVH_DEPTH_PROOF_BALLS ? names[proof] : "?";
}

const char *dbvh_fit_verdict_name( dbvh_fit_verdict verdict ) {
	static const char *const names[] = { "NONE", "FIT", "CLASH", "UNDECIDED" };
	return (unsigned)verdict <= DBVH_FIT_VERDICT_UNDECIDED ? names[verdict] : "?";
}

dbvh_penetration_query dbvh_penetration_query_default( void ) {
	return ( dbvh_penetration_query ){ .strict = false };
}

dbvh_local_depth_query dbvh_local_depth_query_default( void ) {
	return ( dbvh_local_depth_query ){ .relative_width = 0.0 };
}

dbvh_undecided dbvhi_depth_open( const dbvh_tree *a, const dbvh_tree *b ) {
	return (dbvh_undecided)( ( a->topology->has_sheets ? DBVH_UNDECIDED_A_OPEN : 0 ) |
	                         ( b->topology->has_sheets ? DBVH_UNDECIDED_B_OPEN : 0 ) );
}

void dbvhi_depth_translation( const dbvhi_solid_pair *pair, const dbvh_pose *pose_a, const dbvh_pose *pose_b,
                              const double shift[3], double translation_out[3], dbvh_pose *pose_b_out ) {
	const dbvh_pose identity = dbvh_pose_identity();
	const dbvh_pose *frame_a = pose_a != NULL ? pose_a : &identity, *frame_b = pose_b != NULL ? pose_b : &identity;
	const dbvh_pose *frame = pair->pair.a_moves ? frame_b : frame_a;
	dbvh_pose turned = identity, moved = identity;
	memcpy( turned.rot, frame_a->rot, sizeof turned.rot );
	*pose_b_out = *frame_b;
	for ( int i = 0; i < 3; ++i ) {
		const double way = pair->pair.a_moves ? -1.0 : 1.0;
		moved.pos[i] =
		    way * ( frame->rot[i][0] * shift[0] + frame->rot[i][1] * shift[1] + frame->rot[i][2] * shift[2] );
		pose_b_out->pos[i] += moved.pos[i];
	}
	const dbvh_pose seen = dbvh_pose_relative( &turned, &moved );
	memcpy( translation_out, pair->pair.a_moves ? seen.pos : shift, sizeof seen.pos );
}

// ------------------------------------------------------------------------------------------------

dbvh_status dbvhi_depth_check( const dbvh_tree *a, const dbvh_tree *b, double relative_width, dbvh_error *error ) {
	dbvh_status status = dbvhi_check_trees( a, b, error );
	if ( status == DBVH_OK )
		status = dbvhi_check_range( relative_width, 1.0, "query.relative_width", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_topology( a, "tree a", error );
	return status == DBVH_OK ? dbvhi_check_topology( b, "tree b", error ) : status;
}

void dbvhi_depth_meter_open( dbvhi_depth_meter *m, const dbvh_budget *budget ) {
	m->own = budget != NULL ? *budget : dbvh_budget_default();
	m->is_own = m->own.max_work == 0 && m->own.max_total == 0;
	if ( m->is_own )
		m->own.max_work = DBVHI_DEPTH_STEPS;
	dbvhi_meter_open( &m->meter, &m->purse, &m->own );
}

dbvh_status dbvhi_depth_meter_close( dbvhi_depth_meter *m, dbvh_status status ) {
	dbvhi_meter_close( &m->meter );
	return m->is_own && status == DBVH_BUDGET_SPENT ? DBVH_OK : status;
}

static bool has_result( dbvh_status status ) {
	return status == DBVH_OK || status == DBVH_BUDGET_SPENT || status == DBVH_CANCELLED;
}

// Copies of poses, which may lie in the result that is cleared.
typedef struct poses {
	dbvh_pose room[2];
	const dbvh_pose *a, *b;
} poses;

static void keep_poses( poses *p, const dbvh_pose *pose_a, const dbvh_pose *pose_b ) {
	p->a = pose_a != NULL ? memcpy( &p->room[0], pose_a, sizeof p->room[0] ) : NULL;
	p->b = pose_b != NULL ? memcpy( &p->room[1], pose_b, sizeof p->room[1] ) : NULL;
}

static DBVHI_NOINLINE_FP dbvh_status do_penetration_depth( const dbvh_tree *a, const dbvh_pose *pose_a,
                                                           const dbvh_tree *b, const dbvh_pose *pose_b,
                                                           const dbvh_penetration_query *query,
                                                           dbvh_workspace *workspace,
                                                           dbvh_penetration_result *result_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( result_out == NULL )
		return dbvhi_error_null( error, "result_out" );
	poses kept;
	keep_poses( &kept, pose_a, pose_b );
	memset( result_out, 0, sizeof *result_out );
	const dbvh_penetration_query plain = { .strict = false };
	const dbvh_penetration_query *q = query != NULL ? query : &plain;
	dbvh_status status = dbvhi_depth_check( a, b, q->relative_width, error );
	dbvh_workspace *own = NULL;
	if ( status == DBVH_OK )
		status = dbvhi_workspace_borrow( &workspace, a, &own );
	if ( status != DBVH_OK )
		return status;
	dbvhi_depth_meter m;
	dbvhi_depth_meter_open( &m, q->budget );
	status = dbvhi_penetration_depth( a, kept.a, b, kept.b, q, workspace, &m.meter, result_out );
	status = dbvhi_depth_meter_close( &m, status );
	dbvh_workspace_destroy( own );
	if ( !has_result( status ) )
		memset( result_out, 0, sizeof *result_out );
	return status == DBVH_OK ? status : dbvhi_blame_poses( status, kept.a, kept.b, error );
}

dbvh_status dbvh_penetration_depth( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                    const dbvh_pose *pose_b, const dbvh_penetration_query *query,
                                    dbvh_workspace *workspace, dbvh_penetration_result *result_out,
                                    dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_penetration_depth( a, pose_a, b, pose_b, query, workspace,
	                                                                         result_out, error ) ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_local_depth( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                     const dbvh_pose *pose_b, const dbvh_local_depth_query *query,
                                                     dbvh_workspace *workspace, dbvh_local_depth_result *result_out,
                                                     dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( result_out == NULL )
		return dbvhi_error_null( error, "result_out" );
	poses kept;
	keep_poses( &kept, pose_a, pose_b );
	memset( result_out, 0, sizeof *result_out );
	const dbvh_local_depth_query plain = { .relative_width = 0.0 };
	const dbvh_local_depth_query *q = query != NULL ? query : &plain;
	dbvh_status status = dbvhi_depth_check( a, b, q->relative_width, error );
	if ( status == DBVH_OK )
		status = dbvhi_check_range( q->allowed_depth, INFINITY, "query.allowed_depth", error );
	dbvh_workspace *own = NULL;
	if ( status == DBVH_OK )
		status = dbvhi_workspace_borrow( &workspace, a, &own );
	if ( status != DBVH_OK )
		return status;
	dbvhi_depth_meter m;
	dbvhi_depth_meter_open( &m, q->budget );
	status = dbvhi_local_depth( a, kept.a, b, kept.b, q, workspace, &m.meter, result_out );
	status = dbvhi_depth_meter_close( &m, status );
	dbvh_workspace_destroy( own );
	if ( !has_result( status ) )
		memset( result_out, 0, sizeof *result_out );
	return status == DBVH_OK ? status : dbvhi_blame_poses( status, kept.a, kept.b, error );
}

dbvh_status dbvh_local_depth( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                              const dbvh_local_depth_query *query, dbvh_workspace *workspace,
                              dbvh_local_depth_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, dbvhi_error_finish( error, do_local_depth( a, pose_a, b, pose_b, query,
	                                                                                workspace, result_out, error ) ) );
}

// A direction that is not zero.
static dbvh_status check_direction( const double direction[3], dbvh_error *error ) {
	dbvh_status status = dbvhi_check_given( direction, "direction", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_finite( direction, 3, "direction", error );
	if ( status == DBVH_OK && direction[0] == 0.0 && direction[1] == 0.0 && direction[2] == 0.0 )
		status = dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "direction is zero" );
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status
do_penetration_along( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                      const double direction[3], const dbvh_penetration_query *query, dbvh_workspace *workspace,
                      dbvh_penetration_along_result *result_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( result_out == NULL )
		return dbvhi_error_null( error, "result_out" );
	memset( result_out, 0, sizeof *result_out );
	const dbvh_penetration_query plain = { .strict = false };
	const dbvh_penetration_query *q = query != NULL ? query : &plain;
	dbvh_status status = dbvhi_depth_check( a, b, q->relative_width, error );
	if ( status == DBVH_OK )
		status = check_direction( direction, error );
	if ( status == DBVH_OK && q->strict )
		status = dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                          "query.strict is set: along a direction, depths are those of interiors" );
	dbvh_workspace *own = NULL;
	if ( status == DBVH_OK )
		status = dbvhi_workspace_borrow( &workspace, a, &own );
	if ( status != DBVH_OK )
		return status;
	dbvhi_depth_meter m;
	dbvhi_depth_meter_open( &m, q->budget );
	status = dbvhi_penetration_along( a, pose_a, b, pose_b, direction, q, workspace, &m.meter, result_out );
	status = dbvhi_depth_meter_close( &m, status );
	dbvh_workspace_destroy( own );
	if ( !has_result( status ) )
		memset( result_out, 0, sizeof *result_out );
	return status == DBVH_OK ? status : dbvhi_blame_poses( status, pose_a, pose_b, error );
}

dbvh_status dbvh_penetration_along( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                    const dbvh_pose *pose_b, const double direction[3],
                                    const dbvh_penetration_query *query, dbvh_workspace *workspace,
                                    dbvh_penetration_along_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_penetration_along( a, pose_a, b, pose_b, direction, query,
	                                                                         workspace, result_out, error ) ) );
}
