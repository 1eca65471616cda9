// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Answers every question of `dualbvh check` about one pose.

#include "cli/timeout.h"
#include "cmd/check.h"

#include <math.h>
#include <stdlib.h>

// Is the buffer large enough? Where it is not and pairs are to be listed, it grows and the query is repeated.
static bool is_enough( const check_job *w, const pair_buffer *buffer, size_t pair_count ) {
	return !w->all || !w->lists_pairs || pair_count <= buffer->capacity;
}

static dbvh_status find_intersections( check_job *w, const dbvh_pose *pose, dbvh_collide_result *result ) {
	const mesh_pair *p = &w->pair;
	pair_buffer *buffer = &w->intersecting;
	for ( ;; ) {
		const dbvh_collide_query query = { .find = w->all ? DBVH_FIND_ALL : DBVH_FIND_ANY,
		                                   .policy = p->policy,
		                                   .pairs = buffer->pairs,
		                                   .pair_capacity = buffer->capacity,
		                                   .budget = timeout_budget() };
		const dbvh_status status = dbvh_collide( p->tree_a, NULL, p->tree_b, pose, &query, p->workspace, result, NULL );
		if ( status != DBVH_OK || is_enough( w, buffer, result->pair_count ) )
			return status;
		if ( !pair_buffer_grow( buffer, result->pair_count ) )
			return DBVH_OUT_OF_MEMORY;
	}
}

static dbvh_status find_near( check_job *w, const dbvh_pose *pose, dbvh_clearance_result *result ) {
	const mesh_pair *p = &w->pair;
	pair_buffer *buffer = &w->near;
	for ( ;; ) {
		const dbvh_clearance_query query = { .max_distance = w->clearance,
		                                     .find = w->all ? DBVH_FIND_ALL : DBVH_FIND_ANY,
		                                     .policy = p->policy,
		                                     .pairs = buffer->pairs,
		                                     .pair_capacity = buffer->capacity,
		                                     .budget = timeout_budget() };
		const dbvh_status status =
		    dbvh_check_clearance( p->tree_a, NULL, p->tree_b, pose, &query, p->workspace, result, NULL );
		if ( status != DBVH_OK || is_enough( w, buffer, result->pair_count ) )
			return status;
		if ( !pair_buffer_grow( buffer, result->pair_count ) )
			return DBVH_OUT_OF_MEMORY;
	}
}

static interference judge( const check_job *w, const check_answer *answer ) {
	if ( check_wants_overlap( w ) && answer->fit != DBVH_FIT_VERDICT_NONE ) // whatever the clearance is
		return answer->fit == DBVH_FIT_VERDICT_FIT     ? INTERFERENCE_NO
		       : answer->fit == DBVH_FIT_VERDICT_CLASH ? INTERFERENCE_YES
		                                               : INTERFERENCE_UNDECIDABLE;
	if ( w->has_clearance && answer->near.within )
		return INTERFERENCE_YES;
	if ( !w->relation ) {
		const bool counts = !w->has_clearance && !check_wants_overlap( w );
		return counts && answer->surfaces.verdict == DBVH_INTERSECTING ? INTERFERENCE_YES : INTERFERENCE_NO;
	}
	switch ( answer->relation.relation ) {
	case DBVH_RELATION_DISJOINT:
		return INTERFERENCE_NO;
	case DBVH_RELATION_TOUCHING:
		return w->allow_touching ? INTERFERENCE_NO : INTERFERENCE_YES;
	case DBVH_RELATION_UNDECIDABLE:
		// The certain part of an undecidable relation may be enough.
		if ( answer->relation.surface_relation == DBVH_RELATION_DISJOINT ||
		     ( answer->relation.surface_relation == DBVH_RELATION_TOUCHING && w->allow_touching ) )
			return INTERFERENCE_UNDECIDABLE;
		return INTERFERENCE_YES;
	default:
		return INTERFERENCE_YES;
	}
}

dbvh_status check_run( check_job *w, const dbvh_pose *pose, check_answer *answer ) {
	const mesh_pair *p = &w->pair;
	*answer = ( check_answer ){ 0 };
	dbvh_status status = find_intersections( w, pose, &answer->surfaces );
	// A hit that was found before a call was cancelled is certain.
	if ( status == DBVH_CANCELLED && answer->surfaces.verdict == DBVH_INTERSECTING && !w->allow_touching &&
	     !check_wants_overlap( w ) )
		answer->interference = INTERFERENCE_YES;
	if ( status != DBVH_OK )
		return status;
	const bool intersecting = answer->surfaces.verdict == DBVH_INTERSECTING;
	dbvh_relate_query tolerance = w->tolerance;
	tolerance.budget = timeout_budget();
	if ( w->has_clearance && intersecting && !w->all )
		answer->near = ( dbvh_clearance_result ){ .within = true, .first = answer->surfaces.first, .pair_count = 1 };
	else if ( w->has_clearance )
		status = find_near( w, pose, &answer->near );
	if ( status == DBVH_OK && w->relation )
		status = dbvh_relate( p->tree_a, NULL, p->tree_b, pose, &tolerance, p->workspace, &answer->relation, NULL );
	if ( status == DBVH_OK && w->contacts && intersecting ) {
		status = w->found == NULL ? dbvh_contacts_create( NULL, &w->found, NULL ) : DBVH_OK;
		if ( status == DBVH_OK )
			status = dbvh_contacts_find( p->tree_a, NULL, p->tree_b, pose, NULL, w->found, NULL );
		if ( status == DBVH_OK )
			answer->contacts = dbvh_contacts_get( w->found );
	}
	if ( status == DBVH_OK && check_wants_overlap( w ) )
		status = check_overlap( w, pose, answer );
	if ( status == DBVH_CANCELLED )
		answer->interference = !check_wants_overlap( w ) && ( ( w->has_clearance && answer->near.within ) ||
		                                                      ( intersecting && !w->allow_touching ) )
		                           ? INTERFERENCE_YES
		                           : INTERFERENCE_NO;
	else
		answer->interference = judge( w, answer );
	return status;
}

void check_keep( check_job *w, size_t pose, const check_answer *answer, bool is_whole ) {
	static const pair_state states[] = { [INTERFERENCE_NO] = PAIR_CLEAR,
	                                     [INTERFERENCE_YES] = PAIR_CLASHING,
	                                     [INTERFERENCE_UNDECIDABLE] = PAIR_UNDECIDABLE };
	const bool of_surfaces = !w->relation || !is_whole;
	if ( w->pair.facts == NULL || ( !is_whole && answer->interference != INTERFERENCE_YES ) )
		return;
	const dbvh_relation surfaces =
	    answer->surfaces.verdict == DBVH_INTERSECTING ? DBVH_RELATION_OVERLAPPING : DBVH_RELATION_DISJOINT;
	w->pair.facts[pose] = ( pair_fact ){ .state = states[answer->interference],
	                                     .relation = of_surfaces ? surfaces : answer->relation.relation,
	                                     .of_surfaces = of_surfaces,
	                                     .distance = surfaces == DBVH_RELATION_OVERLAPPING ? 0.0 : NAN };
}

void check_free( check_job *w ) {
	free( w->intersecting.pairs );
	free( w->near.pairs );
	dbvh_contacts_destroy( w->found );
	dbvh_overlap_destroy( w->solid );
	free( w->depths );
}
