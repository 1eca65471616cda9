// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/fits.h"

#include "bvh/tree.h"
#include "query/depth/within.h"
#include "query/overlap/within.h"

#define MOST_TRIANGLES_LEARNED ( (size_t)1 << 15 )

typedef struct judging {
	const dbvhi_body *a, *b;
	dbvhi_share *share;
	dbvh_workspace *workspace;
} judging;

static dbvh_fit_verdict compare( dbvh_interval measured, double allowed ) {
	return measured.upper <= allowed  ? DBVH_FIT_VERDICT_FIT
	       : measured.lower > allowed ? DBVH_FIT_VERDICT_CLASH
	                                  : DBVH_FIT_VERDICT_UNDECIDED;
}

static dbvh_status judge_depth( const judging *j, double allowed, dbvh_fit_verdict *verdict_out ) {
	dbvh_status status = dbvhi_share_next( j->share );
	if ( status != DBVH_OK )
		return status;
	const dbvh_local_depth_query query = { .allowed_depth = allowed, .verdict_only = true, .budget = j->share->budget };
	dbvh_local_depth_result result;
	dbvh_overlap_result overlap;
	// note: by components is the faster way, but what it learns about a mesh takes time in proportion to its size.
	if ( j->a->tree->triangle_count + j->b->tree->triangle_count <= MOST_TRIANGLES_LEARNED )
		status = dbvhi_local_depth_within( j->a->tree, &j->a->pose, j->b->tree, &j->b->pose, &query, j->workspace,
		                                   &overlap, &result );
	else
		status =
		    dbvh_local_depth( j->a->tree, &j->a->pose, j->b->tree, &j->b->pose, &query, j->workspace, &result, NULL );
	if ( status == DBVH_OK )
		*verdict_out = result.undecided != DBVH_UNDECIDED_NOT    ? DBVH_FIT_VERDICT_CLASH
		               : result.verdict == DBVH_FIT_VERDICT_NONE ? DBVH_FIT_VERDICT_FIT
		                                                         : result.verdict;
	return status;
}

static dbvh_status judge_volume( const judging *j, double allowed, dbvh_fit_verdict *verdict_out ) {
	const dbvh_status due = dbvhi_share_next( j->share );
	if ( due != DBVH_OK )
		return due;
	const dbvh_overlap_query query = { .thread_count = 1, .budget = j->share->budget };
	dbvh_overlap_result result;
	const dbvh_status status =
	    dbvhi_overlap_within( j->a->tree, &j->a->pose, j->b->tree, &j->b->pose, &query, j->workspace, &result );
	if ( status == DBVH_OK )
		*verdict_out = result.reason == DBVH_OVERLAP_REASON_OPEN ? DBVH_FIT_VERDICT_CLASH
		                                                         : compare( result.measure.volume, allowed );
	return status;
}

static double sags_of( const dbvh_scene *scene, uint32_t a, uint32_t b ) {
	return scene->bodies[a].options.sag + scene->bodies[b].options.sag;
}

bool dbvhi_scene_allows_overlap( const dbvh_scene *scene, const dbvh_pair_rule *rule, uint32_t a, uint32_t b ) {
	return rule->allowed_depth > 0.0 || rule->allowed_volume > 0.0 || sags_of( scene, a, b ) > 0.0;
}

// Verdicts of conditions that must both hold.
static dbvh_fit_verdict both( dbvh_fit_verdict x, dbvh_fit_verdict y ) {
	if ( x == DBVH_FIT_VERDICT_CLASH || y == DBVH_FIT_VERDICT_CLASH )
		return DBVH_FIT_VERDICT_CLASH;
	return x == DBVH_FIT_VERDICT_FIT ? y : x;
}

// Verdicts of conditions of which one is enough.
static dbvh_fit_verdict either( dbvh_fit_verdict x, dbvh_fit_verdict y ) {
	if ( x == DBVH_FIT_VERDICT_FIT || y == DBVH_FIT_VERDICT_FIT )
		return DBVH_FIT_VERDICT_FIT;
	return x == DBVH_FIT_VERDICT_CLASH ? y : x;
}

// Every limit that the rule sets must be kept; a rule that sets none allows nothing.
static dbvh_status judge_by_rule( const judging *j, const dbvh_pair_rule *rule, double sags,
                                  dbvh_fit_verdict *verdict_out ) {
	const bool limits_depth = rule->allowed_depth > 0.0, limits_volume = rule->allowed_volume > 0.0;
	dbvh_fit_verdict volume = DBVH_FIT_VERDICT_FIT, depth = DBVH_FIT_VERDICT_FIT;
	dbvh_status status = DBVH_OK;
	*verdict_out = DBVH_FIT_VERDICT_CLASH;
	if ( !limits_depth && !limits_volume )
		return DBVH_OK;
	if ( limits_volume )
		status = judge_volume( j, rule->allowed_volume, &volume );
	if ( status == DBVH_OK && limits_depth && volume != DBVH_FIT_VERDICT_CLASH )
		status = judge_depth( j, rule->allowed_depth + sags, &depth );
	*verdict_out = both( volume, depth );
	return status;
}

dbvh_status dbvhi_scene_judge_fit( const dbvh_scene *scene, const dbvh_pair_rule *rule, uint32_t a, uint32_t b,
                                   dbvhi_share *share, dbvh_workspace *workspace, dbvh_fit_verdict *verdict_out ) {
	const judging j = { &scene->bodies[a], &scene->bodies[b], share, workspace };
	const double sags = sags_of( scene, a, b );
	dbvh_status status = judge_by_rule( &j, rule, sags, verdict_out );
	if ( status != DBVH_OK || *verdict_out == DBVH_FIT_VERDICT_FIT || sags == 0.0 )
		return status;
	dbvh_fit_verdict within_sags = DBVH_FIT_VERDICT_CLASH;
	status = judge_depth( &j, sags, &within_sags );
	*verdict_out = either( *verdict_out, within_sags );
	return status;
}
