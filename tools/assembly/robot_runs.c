// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/robot_runs.h"

#include "model/place.h"
#include "model/refuse.h"

#include <stdlib.h>

enum {
	MOST_ROWS = 512,       // configurations in one call of the library
	MOST_LISTED = 1 << 16, // pairs that one call has room for; a configuration with more is asked about again, alone
};

// The buffers of a run.
typedef struct asking {
	scene_robot_run *run;
	dbvh_robot *robot;
	double *q;
	size_t before, total; // configurations or edges before those of a call, and all
} asking;

static bool on_step( void *user, size_t done, size_t total ) {
	const asking *a = user;
	(void)total;
	return a->run->progress == NULL || a->run->progress( a->run->user, a->before + done, a->total );
}

static dbvh_status begin( asking *a, scene_robot_run *run, size_t total, dbvh_error *error ) {
	*a = ( asking ){ .run = run, .total = total };
	run->done = 0;
	const dbvh_status status = scene_robot_make( run->model, &a->robot, error );
	if ( status != DBVH_OK )
		return status;
	a->q = malloc( ( ( MOST_ROWS + 1 ) * run->model->link_count + 1 ) * sizeof *a->q );
	return a->q != NULL ? DBVH_OK : scene_refuse_memory( error );
}

static void end( asking *a ) {
	dbvh_robot_destroy( a->robot );
	free( a->q );
}

static void fill_rows( asking *a, size_t count ) {
	const scene_model *model = a->run->model;
	const size_t width = dbvh_robot_width( a->robot, DBVH_ROBOT_LAYOUT_ANGLES );
	for ( size_t i = 0; i < count; ++i )
		scene_robot_row( model, a->robot, a->run->rows->values + ( a->before + i ) * model->link_count,
		                 a->q + i * width );
}

static size_t least( size_t a, size_t b ) {
	return a < b ? a : b;
}

// ------------------------------------------------------------------------------------------------
// Distances

typedef struct distance_room {
	dbvh_robot_distances_result *results;
	dbvh_robot_distance *list;
	size_t *list_begin, each, at_once;
	dbvh_find find;
} distance_room;

static bool make_distance_room( distance_room *r, const asking *a, dbvh_find find ) {
	const size_t moving = dbvh_robot_body_count( a->robot );
	r->find = find;
	r->each = find == DBVH_FIND_ALL ? least( moving * a->run->model->body_count, MOST_LISTED ) : 0;
	r->at_once = least( MOST_ROWS, MOST_LISTED / ( r->each + 1 ) + 1 );
	r->results = malloc( r->at_once * sizeof *r->results );
	r->list = malloc( ( r->at_once * r->each + 1 ) * sizeof *r->list );
	r->list_begin = malloc( ( r->at_once + 1 ) * sizeof *r->list_begin );
	for ( size_t i = 0; r->list_begin != NULL && i <= r->at_once; ++i )
		r->list_begin[i] = i * r->each;
	return r->results != NULL && r->list != NULL && r->list_begin != NULL;
}

static dbvh_status measure( asking *a, const double *q, size_t count, const distance_room *room, dbvh_error *error ) {
	const bool lists = room->find == DBVH_FIND_ALL;
	const dbvh_robot_distances_query query = { .find = room->find,
	                                           .distances = lists ? room->list : NULL,
	                                           .distance_begin = lists ? room->list_begin : NULL,
	                                           .thread_count = a->run->thread_count,
	                                           .progress = on_step,
	                                           .user = a };
	return dbvh_robot_distance_batch( a->robot, a->run->scene, q, count, &query, room->results, error );
}

// Reports a configuration with more pairs than a call has room for. Returns what its own call returns; *goes_on_out is
// false where the callback ended the work.
static dbvh_status tell_long_list( asking *a, const distance_room *r, size_t i, bool *goes_on_out, dbvh_error *error ) {
	const size_t width = dbvh_robot_width( a->robot, DBVH_ROBOT_LAYOUT_ANGLES );
	dbvh_robot_distances_result result = r->results[i];
	size_t begin[2] = { 0, result.pair_count };
	const distance_room one = { &result, malloc( result.pair_count * sizeof *r->list ), begin, 0, 1, DBVH_FIND_ALL };
	if ( one.list == NULL )
		return scene_refuse_memory( error );
	const dbvh_status status = measure( a, a->q + i * width, 1, &one, error );
	if ( status == DBVH_OK ) {
		++a->run->done;
		*goes_on_out = a->run->on_distances( a->run->user, a->before + i, &result, one.list );
	} else
		scene_renumber( error, a->before + i );
	free( one.list );
	return status;
}

// Reports answers in order, up to the first that is missing or that ends the work.
static dbvh_status tell_distances( asking *a, const distance_room *r, size_t count, bool *goes_on_out,
                                   dbvh_error *error ) {
	scene_robot_run *run = a->run;
	dbvh_status status = DBVH_OK;
	*goes_on_out = true;
	for ( size_t i = 0; i < count && *goes_on_out && status == DBVH_OK; ++i ) {
		const dbvh_robot_distances_result *answer = &r->results[i];
		if ( answer->status != DBVH_OK )
			*goes_on_out = false;
		else if ( r->find == DBVH_FIND_ALL && answer->written_count < answer->pair_count )
			status = tell_long_list( a, r, i, goes_on_out, error );
		else {
			++run->done;
			*goes_on_out = run->on_distances( run->user, a->before + i, answer, r->list + r->list_begin[i] );
		}
	}
	return status;
}

// Has the call answered what it could, but for elements that it refused or was too late for?
static bool has_answers( dbvh_status status, const dbvh_error *error ) {
	return status == DBVH_OK || status == DBVH_CANCELLED || error->element >= 0;
}

dbvh_status scene_run_distances( scene_robot_run *run, dbvh_find find, dbvh_error *error ) {
	asking a;
	distance_room r = { .each = 0 };
	dbvh_status status = begin( &a, run, run->rows->count, error );
	if ( status == DBVH_OK && !make_distance_room( &r, &a, find ) )
		status = scene_refuse_memory( error );
	for ( bool goes_on = status == DBVH_OK; goes_on && a.before < a.total; a.before += r.at_once ) {
		const size_t count = least( r.at_once, a.total - a.before );
		fill_rows( &a, count );
		status = measure( &a, a.q, count, &r, error );
		if ( !has_answers( status, error ) )
			break;
		if ( status != DBVH_OK && status != DBVH_CANCELLED )
			scene_renumber( error, a.before );
		dbvh_error other;
		const dbvh_status told = tell_distances( &a, &r, count, &goes_on, &other );
		goes_on = goes_on && status == DBVH_OK;
		if ( told != DBVH_OK ) {
			status = told;
			*error = other;
			goes_on = false;
		}
	}
	free( r.results );
	free( r.list );
	free( r.list_begin );
	end( &a );
	return status == DBVH_CANCELLED ? DBVH_OK : status;
}

// ------------------------------------------------------------------------------------------------
// Edges

static bool tell_edges( asking *a, const dbvh_robot_edge_result *results, size_t count ) {
	scene_robot_run *run = a->run;
	for ( size_t i = 0; i < count; ++i ) {
		if ( results[i].status != DBVH_OK )
			return false;
		++run->done;
		if ( !run->on_edge( run->user, a->before + i, &results[i] ) )
			return false;
	}
	return true;
}

dbvh_status scene_run_edges( scene_robot_run *run, dbvh_error *error ) {
	asking a;
	dbvh_status status = begin( &a, run, run->rows->count > 0 ? run->rows->count - 1 : 0, error );
	dbvh_robot_edge_result *results = malloc( MOST_ROWS * sizeof *results );
	if ( status == DBVH_OK && results == NULL )
		status = scene_refuse_memory( error );
	for ( bool goes_on = status == DBVH_OK; goes_on && a.before < a.total; a.before += MOST_ROWS ) {
		const size_t count = least( MOST_ROWS, a.total - a.before );
		const dbvh_robot_edges_query query = {
		    .find = DBVH_FIND_CLOSEST, .thread_count = run->thread_count, .progress = on_step, .user = &a };
		fill_rows( &a, count + 1 );
		status = dbvh_robot_edge_batch( a.robot, run->scene, a.q, count + 1, &query, results, error );
		if ( !has_answers( status, error ) )
			break;
		if ( status != DBVH_OK && status != DBVH_CANCELLED )
			scene_renumber( error, a.before );
		goes_on = tell_edges( &a, results, count ) && status == DBVH_OK;
	}
	free( results );
	end( &a );
	return status == DBVH_CANCELLED ? DBVH_OK : status;
}
