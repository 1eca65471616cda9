// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/sort.h"
#include "scene/pairs.h"

// Boxes that are passed over, a step.
#define PASSED_A_STEP 16

// Are all pairs looked at, so that no rule need be asked?
static bool has_no_exceptions( const dbvh_scene *scene ) {
	return scene->masked_count == 0 && scene->rules.pair_count == 0 && scene->rules.body_count == 0 &&
	       !scene->rules.of_scene.may_collide;
}

dbvh_status dbvhi_listing_begin( dbvhi_listing *l, dbvh_scene *scene, dbvhi_scene_call *call ) {
	const dbvh_scene_query *query = call->query;
	*l = ( dbvhi_listing ){ .scene = scene, .call = call };
	scene->pair_count = scene->number_count = 0;
	dbvh_status status = dbvhi_scene_update( scene, &call->watch );
	if ( status == DBVH_OK && !query->has_body )
		status = dbvhi_broad_phase_list( &scene->phase, &call->watch );
	l->by_bodies = query->has_body || scene->phase.is_crowded;
	l->next = query->has_body ? query->body : 0;
	return status;
}

static dbvh_status list_all( dbvhi_listing *l ) {
	dbvh_scene *scene = l->scene;
	const dbvhi_broad_phase *phase = &scene->phase;
	if ( !dbvhi_grow_array( &scene->allocator, &scene->pairs, &scene->pair_capacity, phase->pair_count,
	                        sizeof *scene->pairs ) )
		return DBVH_OUT_OF_MEMORY;
	const bool takes_all = has_no_exceptions( scene );
	for ( size_t i = 0; i < phase->pair_count; ++i ) {
		const uint32_t a = (uint32_t)( phase->pairs[i] >> 32 ), b = (uint32_t)phase->pairs[i];
		dbvh_pair_rule rule;
		if ( takes_all || dbvhi_scene_rule( scene, a, b, &rule ) )
			scene->pairs[scene->pair_count++] = ( dbvh_body_pair ){ a, b };
	}
	l->is_done = true;
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// One body after another

// Something that overlaps and makes no pair costs, too.
static bool pass_over( dbvhi_listing *l ) {
	if ( ++l->passed_over % PASSED_A_STEP != 0 )
		return true;
	const uint64_t total = l->call->budget != NULL ? l->call->budget->max_total : 0;
	l->call->spent += 1;
	if ( total != 0 && l->call->spent > total )
		l->status = DBVH_BUDGET_SPENT;
	return l->status == DBVH_OK;
}

static bool list_partner( void *context, uint32_t other ) {
	dbvhi_listing *l = context;
	dbvh_scene *scene = l->scene;
	if ( !dbvhi_meter_charge( &l->call->watch, 1 ) ) {
		l->status = dbvhi_purse_status( &l->call->watch_purse );
		return false;
	}
	if ( other == l->body )
		return true;
	if ( other < l->body && !l->call->query->has_body )
		return pass_over( l );
	if ( !dbvhi_grow_array( &scene->allocator, &scene->numbers, &scene->number_capacity, scene->number_count + 1,
	                        sizeof *scene->numbers ) ) {
		l->status = DBVH_OUT_OF_MEMORY;
		return false;
	}
	scene->numbers[scene->number_count++] = other;
	return true;
}

static void find_partners( dbvhi_listing *l ) {
	dbvh_scene *scene = l->scene;
	scene->number_count = l->partner = 0;
	dbvhi_broad_phase_overlaps( &scene->phase, scene->phase.boxes + DBVHI_BOX_NUMBERS * (size_t)l->body, list_partner,
	                            l );
	dbvhi_sort_u64( scene->numbers, scene->number_count );
}

// Makes pairs of the partners that are left, as far as there is room.
static void take_partners( dbvhi_listing *l, size_t most ) {
	dbvh_scene *scene = l->scene;
	while ( l->partner < scene->number_count && scene->pair_count < most && l->status == DBVH_OK ) {
		const uint32_t other = (uint32_t)scene->numbers[l->partner++];
		const uint32_t a = other < l->body ? other : l->body, b = other < l->body ? l->body : other;
		dbvh_pair_rule rule;
		if ( dbvhi_scene_rule( scene, a, b, &rule ) )
			scene->pairs[scene->pair_count++] = ( dbvh_body_pair ){ a, b };
		else
			(void)pass_over( l );
	}
}

static dbvh_status list_by_bodies( dbvhi_listing *l ) {
	dbvh_scene *scene = l->scene;
	if ( !dbvhi_grow_array( &scene->allocator, &scene->pairs, &scene->pair_capacity, scene->most_asked,
	                        sizeof *scene->pairs ) )
		return DBVH_OUT_OF_MEMORY;
	for ( ;; ) {
		take_partners( l, scene->most_asked );
		if ( scene->pair_count == scene->most_asked || l->status != DBVH_OK )
			return l->status;
		l->is_done = l->next >= scene->body_end;
		if ( l->is_done )
			return DBVH_OK;
		l->body = l->next;
		l->next = l->call->query->has_body ? scene->body_end : l->next + 1;
		find_partners( l );
	}
}

dbvh_status dbvhi_listing_next( dbvhi_listing *l ) {
	l->scene->pair_count = 0;
	if ( l->is_done )
		return DBVH_OK;
	return l->by_bodies ? list_by_bodies( l ) : list_all( l );
}
