// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// `dualbvh check --overlap`, `--depth`, `--allowed-depth` and `--allowed-volume`: how much and how deep the two bodies
// overlap, and whether that is a fit.

#include "assembly/findings.h"
#include "cli/timeout.h"
#include "cmd/check.h"
#include "text/measure.h"

#include <math.h>
#include <stdlib.h>

bool check_wants_overlap( const check_job *w ) {
	return w->overlap || w->depth || w->has_allowed_depth || w->has_allowed_volume;
}

static bool is_overlap( dbvh_relation relation ) {
	return relation == DBVH_RELATION_OVERLAPPING || relation == DBVH_RELATION_A_IN_B ||
	       relation == DBVH_RELATION_B_IN_A || relation == DBVH_RELATION_EQUAL;
}

static bool needs_volume( const check_job *w ) {
	return w->overlap || w->has_allowed_volume;
}

static bool needs_depth( const check_job *w ) {
	return w->overlap || w->depth || w->has_allowed_depth;
}

static dbvh_status measure_depth( const check_job *w, const dbvh_pose *pose, check_answer *answer ) {
	const mesh_pair *p = &w->pair;
	const dbvh_local_depth_query query = {
	    .allowed_depth = w->allowed_depth, .verdict_only = !w->overlap && !w->depth, .budget = timeout_budget() };
	return dbvh_local_depth( p->tree_a, NULL, p->tree_b, pose, &query, p->workspace, &answer->local, NULL );
}

static dbvh_status measure_volume( check_job *w, const dbvh_pose *pose, check_answer *answer ) {
	const mesh_pair *p = &w->pair;
	const dbvh_overlap_query query = { .open_holds_nothing = w->tolerance.open_holds_nothing,
	                                   .budget = timeout_budget() };
	dbvh_status status = w->solid == NULL ? dbvh_overlap_create( NULL, &w->solid, NULL ) : DBVH_OK;
	if ( status == DBVH_OK )
		status = dbvh_overlap_find( p->tree_a, NULL, p->tree_b, pose, &query, w->solid, &answer->overlap, NULL );
	if ( status == DBVH_OK )
		answer->components = dbvh_overlap_get( w->solid );
	return status;
}

// Volume and local depth in one search, of each component, too.
static dbvh_status measure_components( check_job *w, const dbvh_pose *pose, check_answer *answer ) {
	const mesh_pair *p = &w->pair;
	const dbvh_local_depth_query query = { .allowed_depth = w->allowed_depth, .budget = timeout_budget() };
	dbvh_status status = w->solid == NULL ? dbvh_overlap_create( NULL, &w->solid, NULL ) : DBVH_OK;
	for ( bool is_whole = false; status == DBVH_OK && !is_whole; ) {
		status = dbvh_local_depth_components( p->tree_a, NULL, p->tree_b, pose, &query, w->solid, w->depths,
		                                      w->depth_capacity, &answer->overlap, &answer->local, NULL );
		const size_t count = answer->overlap.component_count;
		is_whole = status != DBVH_OK || count <= w->depth_capacity;
		if ( is_whole )
			continue;
		free( w->depths );
		w->depths = calloc( count, sizeof *w->depths );
		w->depth_capacity = w->depths != NULL ? count : 0;
		status = w->depths != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
	}
	if ( status == DBVH_OK ) {
		answer->components = dbvh_overlap_get( w->solid );
		answer->depths = w->depths;
	}
	return status;
}

static dbvh_status find_way_out( const check_job *w, const dbvh_pose *pose, check_answer *answer ) {
	const mesh_pair *p = &w->pair;
	const dbvh_penetration_query query = { .budget = timeout_budget() };
	return dbvh_penetration_depth( p->tree_a, NULL, p->tree_b, pose, &query, p->workspace, &answer->way_out, NULL );
}

static dbvh_fit_verdict compare( dbvh_interval measured, double allowed ) {
	return measured.upper <= allowed  ? DBVH_FIT_VERDICT_FIT
	       : measured.lower > allowed ? DBVH_FIT_VERDICT_CLASH
	                                  : DBVH_FIT_VERDICT_UNDECIDED;
}

// Every limit that is given must be kept; without one every overlap is a clash.
static dbvh_fit_verdict judge( const check_job *w, const check_answer *answer ) {
	dbvh_fit_verdict volume = DBVH_FIT_VERDICT_FIT, depth = DBVH_FIT_VERDICT_FIT;
	if ( !w->has_allowed_depth && !w->has_allowed_volume )
		return DBVH_FIT_VERDICT_CLASH;
	if ( w->has_allowed_volume )
		volume = compare( answer->overlap.measure.volume, w->allowed_volume );
	if ( w->has_allowed_depth )
		depth = answer->local.verdict == DBVH_FIT_VERDICT_NONE ? DBVH_FIT_VERDICT_FIT : answer->local.verdict;
	if ( volume == DBVH_FIT_VERDICT_CLASH || depth == DBVH_FIT_VERDICT_CLASH )
		return DBVH_FIT_VERDICT_CLASH;
	return volume == DBVH_FIT_VERDICT_FIT ? depth : volume;
}

dbvh_status check_overlap( check_job *w, const dbvh_pose *pose, check_answer *answer ) {
	const mesh_pair *p = &w->pair;
	const dbvh_relate_query query = { .budget = timeout_budget(),
	                                  .open_holds_nothing = w->tolerance.open_holds_nothing };
	dbvh_relate_result relation;
	dbvh_status status = dbvh_relate( p->tree_a, NULL, p->tree_b, pose, &query, p->workspace, &relation, NULL );
	if ( status != DBVH_OK )
		return status;
	if ( relation.relation == DBVH_RELATION_UNDECIDABLE ) {
		answer->fit = DBVH_FIT_VERDICT_UNDECIDED;
		return DBVH_OK;
	}
	if ( !is_overlap( relation.relation ) )
		return DBVH_OK;
	if ( w->overlap && !w->tolerance.open_holds_nothing ) {
		status = measure_components( w, pose, answer );
	} else {
		if ( needs_volume( w ) )
			status = measure_volume( w, pose, answer );
		if ( status == DBVH_OK && needs_depth( w ) )
			status = measure_depth( w, pose, answer );
	}
	if ( status == DBVH_OK && w->depth )
		status = find_way_out( w, pose, answer );
	answer->fit = judge( w, answer );
	return status;
}

// ------------------------------------------------------------------------------------------------
// For people

static bool has_depth( const check_job *w, const check_answer *a ) {
	return needs_depth( w ) && a->local.undecided == DBVH_UNDECIDED_NOT && a->local.least.upper > 0.0;
}

static bool has_volume( const check_job *w, const check_answer *a ) {
	const dbvh_interval v = a->overlap.measure.volume;
	const bool narrow =
	    a->overlap.reason == DBVH_OVERLAP_REASON_SELF_INTERSECTION && v.upper - v.lower <= 1e-3 * v.upper;
	return needs_volume( w ) && ( a->overlap.reason == DBVH_OVERLAP_REASON_DECIDED || narrow );
}

// Says why a number that was asked for is missing.
static void print_reason( const check_job *w, const check_answer *a ) {
	static const char *const words[] = { [DBVH_OVERLAP_REASON_OPEN] = "a mesh is open",
	                                     [DBVH_OVERLAP_REASON_SELF_INTERSECTION] = "a mesh passes through itself",
	                                     [DBVH_OVERLAP_REASON_BUDGET] = "the time is over",
	                                     [DBVH_OVERLAP_REASON_ARITHMETIC] = "it is too small for numbers" };
	if ( needs_volume( w ) && !has_volume( w, a ) )
		printf( "; its volume cannot be told: %s", words[a->overlap.reason] );
	if ( needs_depth( w ) && a->local.undecided != DBVH_UNDECIDED_NOT )
		fputs( "; its depth cannot be told: a mesh is open", stdout );
}

static void print_lengths( const check_job *w, const check_answer *a ) {
	char text[MEASURE_ROOM];
	const double metres = w->pair.metres;
	if ( has_depth( w, a ) )
		printf( ", %s deep", measure_text( a->local.least, metres, 1, text ) );
	if ( has_volume( w, a ) )
		printf( ", %s%s", *measure_unit( metres ) == '\0' ? "volume " : "",
		        measure_text( a->overlap.measure.volume, metres, 3, text ) );
	if ( has_volume( w, a ) && scene_type_word( a->overlap.kind ) != NULL )
		printf( ", %s", scene_type_word( a->overlap.kind ) );
	if ( has_volume( w, a ) && a->overlap.component_count > 1 )
		printf( " in %zu parts", a->overlap.component_count );
	if ( w->depth && a->way_out.depth.upper > 0.0 && a->way_out.depth.upper < INFINITY )
		printf( "; free after a move by %s", measure_text( a->way_out.depth, metres, 1, text ) );
}

void check_text_overlap( const check_job *w, const check_answer *a ) {
	if ( a->fit == DBVH_FIT_VERDICT_NONE )
		return;
	print_lengths( w, a );
	print_reason( w, a );
	if ( a->fit == DBVH_FIT_VERDICT_FIT )
		fputs( ": a fit", stdout );
	else if ( a->fit == DBVH_FIT_VERDICT_UNDECIDED )
		fputs( ": whether that is a fit cannot be told", stdout );
}

// ------------------------------------------------------------------------------------------------
// JSON

static void put_side( json *j, const char *key, const dbvh_local_depth_side *side ) {
	json_key( j, key );
	json_open( j, '{' );
	json_put_interval( j, "depth", side->depth );
	json_put_reals( j, "deepest", side->deepest, 3 );
	json_put_reals( j, "nearest", side->nearest, 3 );
	json_close( j, '}' );
}

static void put_box( json *j, const char *key, const dbvh_interval x[3], bool upper ) {
	const double corner[3] = { upper ? x[0].upper : x[0].lower, upper ? x[1].upper : x[1].lower,
	                           upper ? x[2].upper : x[2].lower };
	json_put_reals( j, key, corner, 3 );
}

static void put_measure( json *j, dbvh_overlap_kind kind, const dbvh_overlap_measure *m ) {
	json_put_string( j, "type", scene_type_word( kind ) );
	json_put_interval( j, "volume", m->volume );
	json_put_interval( j, "area", m->area );
	json_key( j, "centroid" );
	json_open( j, '[' );
	for ( int k = 0; k < 3; ++k ) {
		const double ends[2] = { m->centroid[k].lower, m->centroid[k].upper };
		json_reals( j, ends, 2 );
	}
	json_close( j, ']' );
	put_box( j, "lower", m->box_min, false );
	put_box( j, "upper", m->box_max, true );
}

// The local depth of a component, with the contact normal.
static void put_depth( json *j, const dbvh_component_depth *d ) {
	json_key( j, "local_depth" );
	json_open( j, '{' );
	json_put_interval( j, "least", d->least );
	put_side( j, "a_in_b", &d->a_in_b );
	put_side( j, "b_in_a", &d->b_in_a );
	json_put_reals( j, "normal", d->normal, 3 );
	json_close( j, '}' );
}

static void put_volume( json *j, const check_answer *a ) {
	static const char *const reasons[] = { "decided", "open", "self_intersection", "budget", "arithmetic" };
	json_key( j, "overlap" );
	json_open( j, '{' );
	if ( a->overlap.reason != DBVH_OVERLAP_REASON_DECIDED )
		json_put_string( j, "undecided", reasons[a->overlap.reason] );
	if ( a->overlap.reason == DBVH_OVERLAP_REASON_SELF_INTERSECTION )
		json_put_interval( j, "volume", a->overlap.measure.volume );
	if ( a->overlap.reason == DBVH_OVERLAP_REASON_DECIDED ) {
		put_measure( j, a->overlap.kind, &a->overlap.measure );
		json_key( j, "components" );
		json_open( j, '[' );
		for ( size_t i = 0; i < a->components.component_count; ++i ) {
			json_open( j, '{' );
			put_measure( j, a->components.components[i].kind, &a->components.components[i].measure );
			if ( a->depths != NULL )
				put_depth( j, &a->depths[i] );
			json_close( j, '}' );
		}
		json_close( j, ']' );
	}
	json_close( j, '}' );
}

void check_json_overlap( json *j, const check_job *w, const check_answer *a ) {
	static const char *const words[] = { "none", "fit", "clash", "undecided" };
	json_put_string( j, "fit", words[a->fit] );
	if ( a->fit == DBVH_FIT_VERDICT_NONE )
		return;
	if ( needs_volume( w ) )
		put_volume( j, a );
	if ( has_depth( w, a ) ) {
		json_key( j, "local_depth" );
		json_open( j, '{' );
		json_put_interval( j, "least", a->local.least );
		put_side( j, "a_in_b", &a->local.a_in_b );
		put_side( j, "b_in_a", &a->local.b_in_a );
		json_close( j, '}' );
	}
	if ( w->depth && a->way_out.depth.upper > 0.0 ) {
		json_put_interval( j, "penetration_depth", a->way_out.depth );
		json_put_reals( j, "separation", a->way_out.translation, 3 );
	}
}
