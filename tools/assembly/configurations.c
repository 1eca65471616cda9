// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/configurations.h"

#include "model/place.h"
#include "model/refuse.h"
#include "text/hash.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_AT_ONCE = 4096,  // configurations in one call of the library
	MOST_PAIRS = 1 << 22, // pairs that one call has room for; a configuration with more is refused
};

// The buffers of a run.
typedef struct work {
	const scene_model *model;
	dbvh_scene *scene;
	const scene_rows *rows;
	dbvh_robot *robot;
	size_t at_once, pair_room;
	double *q; // configurations in one call
	dbvh_configuration_result *results;
	dbvh_body_pair *pairs;
	size_t *pair_begin;
	scene_pair_tally *slots; // a hash table, a power of two of them; count 0: free
	size_t slot_count, used;
	uint32_t thread_count;
	bool ( *progress )( void *user, size_t done, size_t total );
	void *user;
	size_t before; // configurations before those that are asked about
} work;

// ------------------------------------------------------------------------------------------------
// Tallies

static scene_pair_tally *slot_of( scene_pair_tally *slots, size_t slot_count, dbvh_body_pair pair ) {
	size_t i = (size_t)scene_hash_count( SCENE_HASH_START, (uint64_t)pair.a << 32 | pair.b ) & ( slot_count - 1 );
	while ( slots[i].count > 0 && ( slots[i].bodies.a != pair.a || slots[i].bodies.b != pair.b ) )
		i = ( i + 1 ) & ( slot_count - 1 );
	return &slots[i];
}

static bool tally( work *w, dbvh_body_pair pair ) {
	if ( 2 * ( w->used + 1 ) > w->slot_count ) {
		const size_t slot_count = w->slot_count > 0 ? 2 * w->slot_count : 64;
		scene_pair_tally *slots = calloc( slot_count, sizeof *slots );
		if ( slots == NULL )
			return false;
		for ( size_t i = 0; i < w->slot_count; ++i )
			if ( w->slots[i].count > 0 )
				*slot_of( slots, slot_count, w->slots[i].bodies ) = w->slots[i];
		free( w->slots );
		w->slots = slots;
		w->slot_count = slot_count;
	}
	scene_pair_tally *slot = slot_of( w->slots, w->slot_count, pair );
	w->used += slot->count == 0;
	slot->bodies = pair;
	++slot->count;
	return true;
}

static int by_count( const void *a, const void *b ) {
	const scene_pair_tally *x = a, *y = b;
	if ( x->count != y->count )
		return x->count > y->count ? -1 : 1;
	if ( x->bodies.a != y->bodies.a )
		return x->bodies.a < y->bodies.a ? -1 : 1;
	return x->bodies.b < y->bodies.b ? -1 : x->bodies.b > y->bodies.b;
}

// Move the used slots to the front and sort them; lookups are over.
static void hand_over( work *w, scene_configurations *out ) {
	for ( size_t i = 0; i < w->slot_count; ++i )
		if ( w->slots[i].count > 0 )
			w->slots[out->tally_count++] = w->slots[i];
	if ( out->tally_count > 0 )
		qsort( w->slots, out->tally_count, sizeof *w->slots, by_count );
	out->tallies = w->slots;
	w->slots = NULL;
}

// ------------------------------------------------------------------------------------------------
// Queries

static size_t at_most( size_t a, size_t b ) {
	return a < b ? a : b;
}

static bool prepare( work *w, dbvh_error *error ) {
	const size_t body_count = w->model->body_count;
	if ( scene_robot_make( w->model, &w->robot, error ) != DBVH_OK )
		return false;
	const size_t moving = dbvh_robot_body_count( w->robot );
	// The most pairs that one configuration can have: those with a moving body.
	w->pair_room = at_most( moving * body_count, MOST_PAIRS );
	w->at_once = at_most( MOST_AT_ONCE, MOST_PAIRS / ( w->pair_room + 1 ) + 1 );
	w->at_once = at_most( w->at_once, w->rows->count );
	w->q = malloc( ( w->at_once * w->model->link_count + 1 ) * sizeof *w->q );
	w->results = calloc( w->at_once + 1, sizeof *w->results );
	w->pairs = malloc( ( w->at_once * w->pair_room + 1 ) * sizeof *w->pairs );
	w->pair_begin = malloc( ( w->at_once + 1 ) * sizeof *w->pair_begin );
	for ( size_t i = 0; w->pair_begin != NULL && i <= w->at_once; ++i )
		w->pair_begin[i] = i * w->pair_room;
	return w->q != NULL && w->results != NULL && w->pairs != NULL && w->pair_begin != NULL;
}

static bool on_configuration( void *user, size_t done, size_t total ) {
	const work *w = user;
	(void)total;
	return w->progress == NULL || w->progress( w->user, w->before + done, w->rows->count );
}

static dbvh_status ask( work *w, size_t count, dbvh_error *error ) {
	const size_t link_count = w->model->link_count, width = dbvh_robot_width( w->robot, DBVH_ROBOT_LAYOUT_ANGLES );
	for ( size_t i = 0; i < count; ++i )
		scene_robot_row( w->model, w->robot, w->rows->values + ( w->before + i ) * link_count, w->q + i * width );
	const dbvh_configurations_query query = { .find = DBVH_FIND_ALL,
	                                          .thread_count = w->thread_count,
	                                          .pairs = w->pairs,
	                                          .pair_begin = w->pair_begin,
	                                          .progress = on_configuration,
	                                          .user = w };
	return dbvh_robot_collide_batch( w->robot, w->scene, DBVH_ROBOT_LAYOUT_ANGLES, w->q, count, &query, w->results,
	                                 error );
}

// Report configurations in order, up to the first that has no answer yet. *goes_on_out: no answer is missing, and the
// sink has not ended the work.
static dbvh_status tell( work *w, size_t count, scene_configuration_sink *sink, scene_configurations *out,
                         bool *goes_on_out, dbvh_error *error ) {
	*goes_on_out = false;
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_configuration_result *r = &w->results[i];
		const dbvh_body_pair *pairs = w->pairs + w->pair_begin[i];
		if ( r->status != DBVH_OK )
			return DBVH_OK;
		if ( r->written_count < r->pair_count )
			return scene_refuse( error, DBVH_LIMIT, "configuration %zu: %zu pairs of bodies meet, more than %d",
			                     w->before + i, r->pair_count, (int)MOST_PAIRS );
		for ( size_t k = 0; k < r->written_count; ++k )
			if ( !tally( w, pairs[k] ) )
				return scene_refuse_memory( error );
		out->colliding += r->pair_count > 0;
		++out->done;
		if ( sink != NULL && !sink( w->user, w->before + i, pairs, r->written_count ) )
			return DBVH_OK;
	}
	*goes_on_out = true;
	return DBVH_OK;
}

// Did the call answer what it could, but for configurations that it refused or was too late for?
static bool has_answers( const work *w, size_t count, dbvh_status status ) {
	bool is_refused = status == DBVH_OK || status == DBVH_CANCELLED;
	for ( size_t i = 0; i < count && !is_refused; ++i )
		is_refused = w->results[i].status == status;
	return is_refused;
}

dbvh_status scene_run_configurations( const scene_model *model, dbvh_scene *scene, const scene_rows *rows,
                                      uint32_t thread_count,
                                      bool ( *progress )( void *user, size_t done, size_t total ),
                                      scene_configuration_sink *sink, void *user, scene_configurations *out,
                                      dbvh_error *error ) {
	*out = ( scene_configurations ){ .count = rows->count };
	work w = { .model = model,
	           .scene = scene,
	           .rows = rows,
	           .thread_count = thread_count,
	           .progress = progress,
	           .user = user };
	bool goes_on = prepare( &w, error );
	dbvh_status status = goes_on ? DBVH_OK : scene_refuse_memory( error ), told = DBVH_OK;
	for ( ; goes_on && w.before < rows->count; w.before += w.at_once ) {
		const size_t count = at_most( w.at_once, rows->count - w.before );
		dbvh_error other;
		status = ask( &w, count, error );
		if ( !has_answers( &w, count, status ) )
			break;
		scene_renumber( error, w.before );
		told = tell( &w, count, sink, out, &goes_on, &other );
		goes_on = goes_on && status == DBVH_OK && told == DBVH_OK;
		if ( told != DBVH_OK && error != NULL )
			*error = other;
	}
	status = told != DBVH_OK ? told : status == DBVH_CANCELLED ? DBVH_OK : status;
	hand_over( &w, out );
	dbvh_robot_destroy( w.robot );
	free( w.q );
	free( w.results );
	free( w.pairs );
	free( w.pair_begin );
	return status;
}

void scene_configurations_free( scene_configurations *configurations ) {
	free( configurations->tallies );
	*configurations = ( scene_configurations ){ 0 };
}
