// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/moving.h"

#include "base/sort.h"
#include "base/status.h"
#include "query/common/workspace.h"
#include "query/toi/toi.h"

#include <math.h>
#include <string.h>

dbvh_status dbvhi_moving_check( const dbvh_scene *scene, const uint32_t *bodies, size_t count, dbvh_error *error ) {
	if ( bodies == NULL && count != 0 && count != scene->body_count )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                        "query.body_count is %zu without query.bodies, and the scene has %lu bodies", count,
		                        (unsigned long)scene->body_count );
	for ( size_t i = 0; i < count && bodies != NULL; ++i ) {
		if ( dbvhi_scene_body( scene, bodies[i] ) == NULL )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.bodies[%zu]: body %lu is not in the scene", i,
			                        (unsigned long)bodies[i] );
	}
	return DBVH_OK;
}

// Room for the places of all bodies, where they all are DBVH_NO_BODY between calls: a call costs as many steps as it
// moves bodies, however many stay.
static bool require_places( dbvh_scene *scene ) {
	const size_t before = scene->moved_capacity;
	if ( !dbvhi_grow_array( &scene->allocator, &scene->moved_place, &scene->moved_capacity, scene->body_end,
	                        sizeof *scene->moved_place ) )
		return false;
	for ( size_t i = before; i < scene->moved_capacity; ++i )
		scene->moved_place[i] = DBVH_NO_BODY;
	return true;
}

static dbvh_status list_bodies( dbvhi_moving *m, const uint32_t *bodies, dbvh_error *error ) {
	uint32_t next = 0;
	for ( size_t i = 0; i < m->body_count; ++i ) {
		const uint32_t number = bodies != NULL ? bodies[i] : dbvh_scene_next_body( m->scene, next );
		next = number + 1;
		if ( m->place[number] != DBVH_NO_BODY )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "query.bodies names body %lu twice",
			                        (unsigned long)number );
		m->bodies[i] = number;
		m->place[number] = (uint32_t)i;
		m->listed_count = i + 1;
	}
	return DBVH_OK;
}

static void list_moving_pairs( dbvhi_moving *m ) {
	for ( size_t i = 0; i < m->body_count; ++i ) {
		for ( size_t j = i + 1; j < m->body_count; ++j ) {
			dbvh_pair_rule rule;
			if ( dbvhi_scene_rule( m->scene, m->bodies[i], m->bodies[j], &rule ) )
				m->pairs[m->pair_count++] = ( dbvhi_moving_pair ){ (uint32_t)i, (uint32_t)j };
		}
	}
}

// Give each workspace room for every pair: of any tree that the scene has had with any other.
static dbvh_status prepare_workspaces( const dbvhi_moving *m, bool over_time, uint32_t thread_count ) {
	const dbvh_scene *scene = m->scene;
	const dbvhi_tree_sizes *any = &scene->sizes;
	DBVHI_TRY( dbvhi_workspace_require_sizes( scene->workspace, any, any, 0 ) );
	if ( thread_count > 1 )
		DBVHI_TRY( dbvhi_workspace_require_helpers_sizes( scene->workspace, any, any, 0, thread_count ) );
	for ( uint32_t i = 0; i < thread_count && over_time; ++i )
		DBVHI_TRY( dbvhi_workspace_require_toi_sizes( dbvhi_workspace_of( scene->workspace, i ), any, any ) );
	return DBVH_OK;
}

static void lay_out_moving( dbvhi_moving *m, dbvhi_pieces *p, size_t pairs, uint32_t thread_count ) {
	m->bodies = dbvhi_piece( p, m->body_count, sizeof *m->bodies );
	m->pairs = dbvhi_piece( p, pairs, sizeof *m->pairs );
	m->scratches = dbvhi_piece( p, thread_count, m->scratch_bytes );
}

dbvh_status dbvhi_moving_begin( dbvhi_moving *m, dbvh_scene *scene, const uint32_t *bodies, size_t body_count,
                                size_t scratch_bytes, bool over_time, uint32_t thread_count, dbvh_error *error ) {
	*m =
	    ( dbvhi_moving ){ .scene = scene, .body_count = body_count, .scratch_bytes = ( scratch_bytes + 63 ) / 64 * 64 };
	m->has_others = body_count < scene->body_count;
	const size_t pairs = dbvhi_moving_most_pairs( body_count );
	dbvhi_pieces p = { .bytes = 0 };
	lay_out_moving( m, &p, pairs, thread_count );
	m->bytes = p.bytes + 64;
	m->memory = dbvhi_alloc( &scene->allocator, m->bytes, 1 );
	if ( m->memory == NULL || !require_places( scene ) )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	m->place = scene->moved_place;
	p = ( dbvhi_pieces ){ .memory = m->memory };
	lay_out_moving( m, &p, pairs, thread_count );
	DBVHI_TRY( list_bodies( m, bodies, error ) );
	m->is_listed = body_count <= DBVHI_MOST_LISTED;
	if ( m->is_listed )
		list_moving_pairs( m );
	return dbvhi_error_status( error, prepare_workspaces( m, over_time, thread_count ) );
}

void dbvhi_moving_end( dbvhi_moving *m ) {
	for ( size_t i = 0; i < m->listed_count; ++i )
		m->place[m->bodies[i]] = DBVH_NO_BODY;
	dbvhi_free( &m->scene->allocator, m->memory, m->bytes, 1 );
}

// ------------------------------------------------------------------------------------------------
// The sweep: bodies sorted by the lower ends of their boxes along an axis. An end is rounded down to a float there, so
// that it and the number of its body are one key, and the bodies behind one whose rounded end is too far are farther.

static uint32_t key_of( double x ) {
	float down = (float)x;
	if ( (double)down > x )
		down = nextafterf( down, -INFINITY );
	uint32_t bits;
	memcpy( &bits, &down, sizeof bits );
	return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

static double end_of_key( uint64_t key ) {
	const uint32_t high = (uint32_t)( key >> 32 ), bits = high >> 31 != 0 ? high & 0x7fffffffu : ~high;
	float end;
	memcpy( &end, &bits, sizeof end );
	return (double)end;
}

// The axis along which the boxes are spread most.
static int sweep_axis( const dbvhi_moving *m, const double *boxes, size_t stride ) {
	int best = 0;
	double most = -1.0;
	for ( int k = 0; k < 3; ++k ) {
		double low = INFINITY, high = -INFINITY;
		for ( size_t i = 0; i < m->body_count; ++i ) {
			low = fmin( low, boxes[stride * i + (size_t)k] );
			high = fmax( high, boxes[stride * i + (size_t)k] );
		}
		if ( high - low > most ) {
			most = high - low;
			best = k;
		}
	}
	return best;
}

void dbvhi_moving_sweep( const dbvhi_moving *m, const double *boxes, size_t stride, const double *reach, uint64_t *keys,
                         dbvhi_moving_visitor *visit, void *context ) {
	const size_t axis = (size_t)sweep_axis( m, boxes, stride );
	for ( size_t i = 0; i < m->body_count; ++i )
		keys[i] = (uint64_t)key_of( boxes[stride * i + axis] ) << 32 | i;
	dbvhi_sort_u64( keys, m->body_count );
	for ( size_t i = 0; i < m->body_count; ++i ) {
		const uint32_t a = (uint32_t)keys[i];
		const double end = boxes[stride * a + 3 + axis];
		for ( size_t j = i + 1; j < m->body_count && !( end_of_key( keys[j] ) - end > *reach ); ++j ) {
			const uint32_t b = (uint32_t)keys[j];
			const dbvhi_moving_pair pair = { a < b ? a : b, a < b ? b : a };
			dbvh_pair_rule rule;
			if ( dbvhi_scene_rule( m->scene, m->bodies[a], m->bodies[b], &rule ) && !visit( context, &pair ) )
				return;
		}
	}
}
