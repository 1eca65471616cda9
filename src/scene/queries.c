// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries of all pairs of bodies: collisions, clashes, and distances.

#include "base/fpenv.h"
#include "base/status.h"
#include "query/common/arguments.h"
#include "scene/fits.h"
#include "scene/pairs.h"
#include "scene/rounded.h"

#include <math.h>
#include <string.h>

static const dbvhi_body *body_of( const dbvh_scene *scene, uint32_t number ) {
	return &scene->bodies[number];
}

// ------------------------------------------------------------------------------------------------
// Collide

static dbvh_status collide( const dbvhi_body *a, const dbvhi_body *b, dbvh_policy policy, const dbvh_budget *budget,
                            dbvh_workspace *workspace, dbvh_collide_result *result ) {
	const dbvh_collide_query any = { .find = DBVH_FIND_ANY, .policy = policy, .budget = budget };
	const dbvhi_rounded_pair of = dbvhi_rounded_pair_of( a, b );
	return dbvhi_rounded_collide( &of, &any, workspace, result );
}

static double grown_root( const dbvhi_body *body, double deviation ) {
	return 8.0 * deviation * body->tree->largest + dbvhi_stretched( body->options.radius, deviation );
}

// Most pairs whose boxes along the axes overlap end here.
static bool are_apart( const dbvh_scene *scene, const dbvhi_body *a, const dbvhi_body *b ) {
	const double deviation = scene->deviation, both = a->tree->largest + b->tree->largest;
	double box[DBVHI_BOX_NUMBERS];
	dbvhi_posed_root root_a, root_b;
	dbvhi_posed_root_make( a->tree, &a->pose, grown_root( a, deviation ), &root_a, box );
	dbvhi_posed_root_make( b->tree, &b->pose, grown_root( b, deviation ), &root_b, box );
	return dbvhi_posed_roots_apart( &root_a, &root_b, dbvhi_roots_slack( deviation, both ) );
}

static dbvh_status ask_collide( dbvhi_pair_question *q, size_t index, dbvhi_share *share, dbvh_workspace *workspace,
                                bool *found_out ) {
	const dbvh_body_pair pair = q->pairs[index];
	if ( are_apart( q->scene, body_of( q->scene, pair.a ), body_of( q->scene, pair.b ) ) )
		return DBVH_OK;
	dbvh_collide_result result;
	const dbvh_status status = collide( body_of( q->scene, pair.a ), body_of( q->scene, pair.b ), q->query->policy,
	                                    share->budget, workspace, &result );
	*found_out = status == DBVH_OK && result.verdict == DBVH_INTERSECTING;
	if ( *found_out )
		*(dbvh_scene_collision *)dbvhi_pair_outcome( q, index ) =
		    ( dbvh_scene_collision ){ pair.a, pair.b, result.first };
	return status;
}

static dbvh_status no_list( dbvh_error *error, const char *name ) {
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "%s is NULL, and capacity is not 0", name );
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_collide( dbvh_scene *scene, const dbvh_scene_query *query,
                                                       dbvh_scene_collision *collisions_out, size_t capacity,
                                                       dbvh_scene_result *result_out, dbvh_error *error ) {
	dbvh_scene_query q;
	DBVHI_TRY( dbvhi_scene_begin( scene, query, &q, result_out, error ) );
	DBVHI_TRY( dbvhi_check_find( q.find, false, error ) );
	if ( collisions_out == NULL && capacity > 0 )
		return no_list( error, "collisions_out" );
	dbvhi_pair_question question = { .scene = scene,
	                                 .query = &q,
	                                 .ask = ask_collide,
	                                 .grows = scene->rounded_count > 0,
	                                 .outcome_bytes = sizeof *collisions_out };
	return dbvhi_scene_ask_all( &question, collisions_out, capacity, result_out, error );
}

dbvh_status dbvh_scene_collide( dbvh_scene *scene, const dbvh_scene_query *query, dbvh_scene_collision *collisions_out,
                                size_t capacity, dbvh_scene_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        do_scene_collide( scene, query, collisions_out, capacity, result_out, error ) );
}

// ------------------------------------------------------------------------------------------------
// Clashes

const char *dbvh_clash_kind_name( dbvh_clash_kind kind ) {
	static const char *const names[] = { "HARD",      "CONTAINMENT", "DUPLICATE", "TOUCH",
	                                     "CLEARANCE", "UNDECIDABLE", "FIT" };
	return (unsigned)kind <= DBVH_CLASH_KIND_FIT ? names[kind] : "?";
}

dbvh_relate_query dbvhi_scene_relate_query( const dbvh_scene *scene, uint32_t a, uint32_t b,
                                            const dbvh_budget *budget ) {
	dbvh_pair_rule rule;
	(void)dbvhi_scene_rule( scene, a, b, &rule );
	const double sag = scene->bodies[a].options.sag + scene->bodies[b].options.sag;
	return ( dbvh_relate_query ){
	    .touch_gap = rule.touch_gap + sag, .touch_overlap = rule.touch_overlap + sag, .budget = budget };
}

// Bodies with radii overlap where they meet, and touch within the gap that their rule allows. How deep they overlap is
// not known, so touch_overlap is of no use.
static dbvh_status relate_rounded( const dbvhi_pair_question *q, const dbvhi_body *a, const dbvhi_body *b,
                                   const dbvh_budget *budget, dbvh_workspace *workspace, dbvh_clash *clash ) {
	const dbvh_relate_query tolerant = dbvhi_scene_relate_query( q->scene, clash->a, clash->b, budget );
	dbvh_collide_result met;
	dbvh_status status = collide( a, b, q->query->policy, budget, workspace, &met );
	const bool meets = status == DBVH_OK && met.verdict == DBVH_INTERSECTING;
	clash->relation = clash->exact = meets ? DBVH_RELATION_OVERLAPPING : DBVH_RELATION_DISJOINT;
	clash->first = met.first;
	if ( status != DBVH_OK || meets || tolerant.touch_gap == 0.0 )
		return status;
	const dbvh_distance_query near = { .limit = tolerant.touch_gap, .policy = q->query->policy, .budget = budget };
	const dbvhi_rounded_pair of = dbvhi_rounded_pair_of( a, b );
	dbvh_distance_result result;
	status = dbvhi_rounded_distance( &of, &near, workspace, &result, NULL );
	if ( status == DBVH_OK && result.found ) {
		clash->relation = DBVH_RELATION_TOUCHING;
		clash->first = result.pair;
	}
	return status;
}

// The relation of two bodies. Without topology only their surfaces are compared.
static dbvh_status relate( const dbvhi_pair_question *q, const dbvhi_body *a, const dbvhi_body *b,
                           const dbvh_budget *budget, dbvh_workspace *workspace, dbvh_clash *clash ) {
	if ( dbvhi_rounded_reach( a, b ) > 0.0 )
		return relate_rounded( q, a, b, budget, workspace, clash );
	if ( a->tree->topology == NULL || b->tree->topology == NULL ) {
		dbvh_collide_result met;
		const dbvh_status status = collide( a, b, q->query->policy, budget, workspace, &met );
		const bool meets = status == DBVH_OK && met.verdict == DBVH_INTERSECTING;
		clash->relation = clash->exact = meets ? DBVH_RELATION_OVERLAPPING : DBVH_RELATION_DISJOINT;
		clash->first = met.first;
		return status;
	}
	const dbvh_relate_query tolerant = dbvhi_scene_relate_query( q->scene, clash->a, clash->b, budget );
	dbvh_relate_result result;
	DBVHI_TRY( dbvh_relate( a->tree, &a->pose, b->tree, &b->pose, &tolerant, workspace, &result, NULL ) );
	clash->relation = result.relation;
	clash->exact = result.exact;
	clash->first = result.first;
	memcpy( clash->separation, result.separation, sizeof clash->separation );
	return DBVH_OK;
}

// Are the two less than the clearance apart? Inclusive bounds are asked for by the double before it.
static dbvh_status ask_clearance( const dbvhi_body *a, const dbvhi_body *b, const dbvh_pair_rule *rule,
                                  dbvh_policy policy, const dbvh_budget *budget, dbvh_workspace *workspace,
                                  dbvh_clash *clash, bool *found_out ) {
	const dbvh_distance_query near = { .limit = rule->clearance, .policy = policy, .budget = budget };
	const dbvhi_rounded_pair of = dbvhi_rounded_pair_of( a, b );
	dbvh_distance_result result;
	const dbvh_status status = dbvhi_rounded_distance( &of, &near, workspace, &result, NULL );
	*found_out = status == DBVH_OK && result.found && result.distance < rule->clearance;
	if ( *found_out ) {
		clash->distance = result.distance;
		clash->first = result.pair;
		memcpy( clash->point_a, result.point_a, sizeof clash->point_a );
		memcpy( clash->point_b, result.point_b, sizeof clash->point_b );
	}
	return status;
}

// Bodies that overlap may fit. Surfaces without topology have no depth, and neither have bodies with radii.
static dbvh_status ask_fit( const dbvhi_pair_question *q, const dbvh_pair_rule *rule, dbvhi_share *share,
                            dbvh_workspace *workspace, dbvh_clash *clash, bool *found_out ) {
	const dbvhi_body *of_a = body_of( q->scene, clash->a ), *of_b = body_of( q->scene, clash->b );
	const dbvh_tree *a = of_a->tree, *b = of_b->tree;
	dbvh_fit_verdict verdict = DBVH_FIT_VERDICT_CLASH;
	dbvh_status status = DBVH_OK;
	if ( !dbvhi_is_overlap( clash->relation ) || a->topology == NULL || b->topology == NULL ||
	     dbvhi_rounded_reach( of_a, of_b ) > 0.0 || !dbvhi_scene_allows_overlap( q->scene, rule, clash->a, clash->b ) )
		return DBVH_OK;
	status = dbvhi_scene_judge_fit( q->scene, rule, clash->a, clash->b, share, workspace, &verdict );
	if ( verdict == DBVH_FIT_VERDICT_FIT ) {
		clash->kind = DBVH_CLASH_KIND_FIT;
		*found_out = q->query->lists_fits;
	} else if ( verdict == DBVH_FIT_VERDICT_UNDECIDED )
		clash->kind = DBVH_CLASH_KIND_UNDECIDABLE;
	return status;
}

static dbvh_status ask_clash( dbvhi_pair_question *q, size_t index, dbvhi_share *share, dbvh_workspace *workspace,
                              bool *found_out ) {
	const dbvh_body_pair pair = q->pairs[index];
	const dbvhi_body *a = body_of( q->scene, pair.a ), *b = body_of( q->scene, pair.b );
	dbvh_pair_rule rule;
	(void)dbvhi_scene_rule( q->scene, pair.a, pair.b, &rule );
	dbvh_clash clash;
	memset( &clash, 0, sizeof clash );
	clash.a = pair.a;
	clash.b = pair.b;
	dbvh_status status = relate( q, a, b, share->budget, workspace, &clash );
	if ( status != DBVH_OK )
		return status;
	*found_out = true;
	switch ( clash.relation ) {
	case DBVH_RELATION_OVERLAPPING:
		clash.kind = DBVH_CLASH_KIND_HARD;
		break;
	case DBVH_RELATION_A_IN_B:
	case DBVH_RELATION_B_IN_A:
		clash.kind = DBVH_CLASH_KIND_CONTAINMENT;
		break;
	case DBVH_RELATION_EQUAL:
		clash.kind = DBVH_CLASH_KIND_DUPLICATE;
		break;
	case DBVH_RELATION_UNDECIDABLE:
		clash.kind = DBVH_CLASH_KIND_UNDECIDABLE;
		break;
	case DBVH_RELATION_TOUCHING:
		clash.kind = DBVH_CLASH_KIND_TOUCH;
		*found_out = !rule.may_touch;
		break;
	default:
		*found_out = false;
	}
	// Bodies that may touch may also be near, unless a clearance is asked for; touching bodies are nearer than any
	// clearance.
	if ( !*found_out && rule.clearance > 0.0 ) {
		clash.kind = DBVH_CLASH_KIND_CLEARANCE;
		status = dbvhi_share_next( share );
		if ( status == DBVH_OK )
			status = ask_clearance( a, b, &rule, q->query->policy, share->budget, workspace, &clash, found_out );
	}
	if ( status == DBVH_OK )
		status = ask_fit( q, &rule, share, workspace, &clash, found_out );
	if ( *found_out )
		*(dbvh_clash *)dbvhi_pair_outcome( q, index ) = clash;
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_clashes( dbvh_scene *scene, const dbvh_scene_query *query,
                                                       dbvh_clash *clashes_out, size_t capacity,
                                                       dbvh_scene_result *result_out, dbvh_error *error ) {
	dbvh_scene_query q;
	DBVHI_TRY( dbvhi_scene_begin( scene, query, &q, result_out, error ) );
	DBVHI_TRY( dbvhi_check_find( q.find, false, error ) );
	if ( clashes_out == NULL && capacity > 0 )
		return no_list( error, "clashes_out" );
	dbvhi_pair_question question = {
	    .scene = scene, .query = &q, .ask = ask_clash, .grows = true, .outcome_bytes = sizeof *clashes_out };
	return dbvhi_scene_ask_all( &question, clashes_out, capacity, result_out, error );
}

dbvh_status dbvh_scene_clashes( dbvh_scene *scene, const dbvh_scene_query *query, dbvh_clash *clashes_out,
                                size_t capacity, dbvh_scene_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_clashes( scene, query, clashes_out, capacity, result_out, error ) );
}
