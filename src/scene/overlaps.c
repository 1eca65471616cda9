// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Volumes and local depths of all pairs of bodies that overlap.

#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "query/depth/within.h"
#include "scene/fits.h"
#include "scene/pairs.h"
#include "scene/rounded.h"

#include <string.h>

static void to_scene( const dbvh_pose *pose, const double x[3], double out[3] ) {
	for ( int i = 0; i < 3; ++i )
		out[i] = pose->rot[i][0] * x[0] + pose->rot[i][1] * x[1] + pose->rot[i][2] * x[2] + pose->pos[i];
}

static dbvh_status measure_overlap( const dbvhi_pair_question *q, dbvhi_share *share, dbvh_workspace *workspace,
                                    dbvh_scene_overlap *out ) {
	const dbvhi_body *a = &q->scene->bodies[out->a], *b = &q->scene->bodies[out->b];
	dbvh_overlap_result overlap;
	dbvh_local_depth_result depth;
	dbvh_status status = dbvhi_share_next( share );
	if ( status != DBVH_OK )
		return status;
	const dbvh_local_depth_query query = { .budget = share->budget };
	status = dbvhi_local_depth_within( a->tree, &a->pose, b->tree, &b->pose, &query, workspace, &overlap, &depth );
	if ( status != DBVH_OK )
		return status;
	out->kind = overlap.kind;
	out->reason = overlap.reason;
	out->volume = overlap.measure.volume;
	out->component_count = overlap.component_count;
	const dbvh_local_depth_side *side =
	    depth.a_in_b.depth.upper <= depth.b_in_a.depth.upper ? &depth.a_in_b : &depth.b_in_a;
	out->depth = depth.least;
	out->a_in_b = depth.a_in_b.depth;
	out->b_in_a = depth.b_in_a.depth;
	to_scene( &a->pose, side->deepest, out->deepest );
	to_scene( &a->pose, side->nearest, out->nearest );
	return DBVH_OK;
}

static dbvh_status judge( const dbvhi_pair_question *q, dbvhi_share *share, dbvh_workspace *workspace,
                          dbvh_scene_overlap *out ) {
	dbvh_pair_rule rule;
	(void)dbvhi_scene_rule( q->scene, out->a, out->b, &rule );
	out->verdict = DBVH_FIT_VERDICT_CLASH;
	if ( !dbvhi_scene_allows_overlap( q->scene, &rule, out->a, out->b ) )
		return DBVH_OK;
	return dbvhi_scene_judge_fit( q->scene, &rule, out->a, out->b, share, workspace, &out->verdict );
}

static dbvh_status ask_overlap( dbvhi_pair_question *q, size_t index, dbvhi_share *share, dbvh_workspace *workspace,
                                bool *found_out ) {
	dbvh_scene_overlap *out = dbvhi_pair_outcome( q, index );
	const dbvh_body_pair pair = q->pairs[index];
	const dbvhi_body *a = &q->scene->bodies[pair.a], *b = &q->scene->bodies[pair.b];
	const dbvh_relate_query exact = { .budget = share->budget };
	dbvh_relate_result relation;
	memset( out, 0, sizeof *out );
	dbvh_status status = dbvh_relate( a->tree, &a->pose, b->tree, &b->pose, &exact, workspace, &relation, NULL );
	*found_out = status == DBVH_OK && dbvhi_is_overlap( relation.relation );
	if ( !*found_out )
		return status;
	out->a = pair.a;
	out->b = pair.b;
	out->relation = relation.relation;
	status = measure_overlap( q, share, workspace, out );
	if ( status == DBVH_OK )
		status = judge( q, share, workspace, out );
	*found_out = status == DBVH_OK;
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_overlaps( dbvh_scene *scene, const dbvh_scene_query *query,
                                                        dbvh_scene_overlap *overlaps_out, size_t capacity,
                                                        dbvh_scene_result *result_out, dbvh_error *error ) {
	dbvh_scene_query q;
	dbvh_status status = dbvhi_scene_begin( scene, query, &q, result_out, error );
	if ( status != DBVH_OK )
		return status;
	status = dbvhi_check_find( q.find, false, error );
	if ( status != DBVH_OK )
		return status;
	if ( overlaps_out == NULL && capacity > 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "overlaps_out is NULL, and capacity is not 0" );
	DBVHI_TRY( dbvhi_refuse_rounded( scene, "dbvh_scene_overlaps()", error ) );
	dbvhi_pair_question question = {
	    .scene = scene, .query = &q, .ask = ask_overlap, .grows = true, .outcome_bytes = sizeof *overlaps_out };
	return dbvhi_scene_ask_all( &question, overlaps_out, capacity, result_out, error );
}

dbvh_status dbvh_scene_overlaps( dbvh_scene *scene, const dbvh_scene_query *query, dbvh_scene_overlap *overlaps_out,
                                 size_t capacity, dbvh_scene_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_overlaps( scene, query, overlaps_out, capacity, result_out, error ) );
}
