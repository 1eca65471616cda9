// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Scenes of many bodies.

#include "web.h"

#include <string.h>

void web_write_distance( const dbvh_distance_result *r, double *out );
void web_write_relation( const dbvh_relate_result *r, double *out );

dbvh_scene *WEB_EXPORT( web_scene_create )( void ) {
	dbvh_scene *scene;
	dbvh_scene_create( NULL, &scene, &web_error );
	return scene;
}

void WEB_EXPORT( web_scene_destroy )( dbvh_scene *scene ) {
	dbvh_scene_destroy( scene );
}

// Returns the body's number, DBVH_NO_BODY on error.
uint32_t WEB_EXPORT( web_scene_add )( dbvh_scene *scene, const dbvh_tree *tree, const double *pose, uint32_t group,
                                      uint32_t mask, double sag, double radius ) {
	dbvh_pose room;
	const dbvh_body_options options = { .group = group, .mask = mask, .sag = sag, .radius = radius };
	uint32_t body;
	dbvh_scene_add_body( scene, tree, web_pose( pose, &room ), &options, &body, &web_error );
	return body;
}

dbvh_status WEB_EXPORT( web_scene_remove )( dbvh_scene *scene, uint32_t body ) {
	return dbvh_scene_remove_body( scene, body, &web_error );
}

// `bodies` 0: all bodies.
dbvh_status WEB_EXPORT( web_scene_set_poses )( dbvh_scene *scene, const uint32_t *bodies, double *poses,
                                               size_t count ) {
	return dbvh_scene_set_poses( scene, bodies, web_poses( poses, count ), count, &web_error );
}

// Sets the rule of a pair; where `b` is DBVH_NO_BODY of body `a`, and where both are, the default. Five numbers: may
// collide, may touch, clearance, touch gap, touch overlap. `numbers` 0 removes the rule.
dbvh_status WEB_EXPORT( web_scene_set_rule )( dbvh_scene *scene, uint32_t a, uint32_t b, const double *numbers ) {
	dbvh_pair_rule rule = { 0 };
	if ( numbers != NULL )
		rule = ( dbvh_pair_rule ){ .may_collide = numbers[0] != 0,
		                           .may_touch = numbers[1] != 0,
		                           .clearance = numbers[2],
		                           .touch_gap = numbers[3],
		                           .touch_overlap = numbers[4] };
	const dbvh_pair_rule *set = numbers != NULL ? &rule : NULL;
	if ( a == DBVH_NO_BODY )
		return dbvh_scene_set_default_rule( scene, set, &web_error );
	if ( b == DBVH_NO_BODY )
		return dbvh_scene_set_body_rule( scene, a, set, &web_error );
	return dbvh_scene_set_pair_rule( scene, a, b, set, &web_error );
}

// A question about all pairs, and its counts.
typedef struct ask {
	dbvh_scene *scene;
	dbvh_scene_query query;
	size_t capacity;
	dbvh_scene_result result;
} ask;

// Collisions as four numbers each: a, b, triangle of a, of b.
static dbvh_status collide( ask *q, double *out ) {
	dbvh_scene_collision *found = web_room( WEB_USE_LIST, q->capacity * sizeof *found );
	if ( found == NULL )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_status status = dbvh_scene_collide( q->scene, &q->query, found, q->capacity, &q->result, &web_error );
	for ( size_t i = 0; i < q->result.written_count; ++i ) {
		const double row[4] = { found[i].a, found[i].b, found[i].first.a, found[i].first.b };
		out = web_put( out, row, 4 );
	}
	return status;
}

// Clashes as seventeen numbers each: a, b, kind, relation, exact relation, distance, triangle of a, of b, points,
// separation.
static dbvh_status clashes( ask *q, double *out ) {
	dbvh_clash *found = web_room( WEB_USE_LIST, q->capacity * sizeof *found );
	if ( found == NULL )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_status status = dbvh_scene_clashes( q->scene, &q->query, found, q->capacity, &q->result, &web_error );
	for ( size_t i = 0; i < q->result.written_count; ++i ) {
		const dbvh_clash *c = &found[i];
		const double row[8] = { c->a, c->b, c->kind, c->relation, c->exact, c->distance, c->first.a, c->first.b };
		out = web_put( out, row, 8 );
		out = web_put( out, c->point_a, 3 );
		out = web_put( out, c->point_b, 3 );
		out = web_put( out, c->separation, 3 );
	}
	return status;
}

enum { WEB_COLLISION_NUMBERS = 4, WEB_CLASH_NUMBERS = 17 };

// Lists collisions, or clashes where `by_rules`, into the results; writes found, pairs whose boxes overlap, and whether
// all have an answer. `body` DBVH_NO_BODY: pairs of all bodies.
dbvh_status WEB_EXPORT( web_scene_collide )( dbvh_scene *scene, bool by_rules, dbvh_find find, uint32_t body,
                                             double max_work, double *out ) {
	const dbvh_budget budget = { .max_total = (uint64_t)max_work };
	const dbvh_scene_query query = { .find = find,
	                                 .has_body = body != DBVH_NO_BODY,
	                                 .body = body != DBVH_NO_BODY ? body : 0,
	                                 .thread_count = 1,
	                                 .budget = max_work > 0 ? &budget : NULL };
	ask q = { .scene = scene, .query = query, .capacity = 256 };
	const size_t numbers = by_rules ? WEB_CLASH_NUMBERS : WEB_COLLISION_NUMBERS;
	for ( ;; ) {
		double *list = web_room( WEB_USE_RECORDS, q.capacity * numbers * sizeof *list );
		if ( list == NULL )
			return DBVH_OUT_OF_MEMORY;
		const dbvh_status status = by_rules ? clashes( &q, list ) : collide( &q, list );
		if ( status == DBVH_OK && q.result.found_count > q.capacity ) {
			q.capacity = q.result.found_count;
			continue;
		}
		out[0] = (double)q.result.written_count;
		out[1] = (double)q.result.pair_count;
		out[2] = (double)q.result.open_count;
		return status;
	}
}

// Writes the bodies a and b, then the columns of web_distance().
dbvh_status WEB_EXPORT( web_scene_distance )( dbvh_scene *scene, double limit, double *out ) {
	const dbvh_scene_distance_query query = { .limit = limit, .thread_count = 1 };
	dbvh_scene_distance_result r;
	const dbvh_status status = dbvh_scene_distance( scene, &query, &r, &web_error );
	dbvh_distance_result d = { .found = r.found, .distance = r.distance, .pair = r.pair, .at_least = r.at_least };
	memcpy( d.point_a, r.point_a, sizeof d.point_a );
	memcpy( d.point_b, r.point_b, sizeof d.point_b );
	memcpy( d.between, r.between, sizeof d.between );
	out[0] = r.a;
	out[1] = r.b;
	web_write_distance( &d, out + 2 );
	return status;
}

dbvh_status WEB_EXPORT( web_scene_relate )( dbvh_scene *scene, uint32_t a, uint32_t b, double *out ) {
	dbvh_relate_result r;
	const dbvh_status status = dbvh_scene_relate( scene, a, b, NULL, &r, &web_error );
	web_write_relation( &r, out );
	return status;
}

// Asks about configurations of `body_count` bodies: five numbers each, intersects, a, b, distance (-1: none), status.
// max_distance 0 asks for no distance.
dbvh_status WEB_EXPORT( web_scene_collide_batch )( dbvh_scene *scene, const uint32_t *bodies, size_t body_count,
                                                   double *poses, size_t count, double max_distance, double *out ) {
	const dbvh_configurations_query query = {
	    .bodies = bodies, .body_count = body_count, .max_distance = max_distance, .thread_count = 1 };
	dbvh_configuration_result *results = web_room( WEB_USE_RECORDS, count * sizeof *results );
	if ( results == NULL )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_status status =
	    dbvh_scene_collide_batch( scene, web_poses( poses, count * body_count ), count, &query, results, &web_error );
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_configuration_result *r = &results[i];
		const double row[5] = { r->verdict == DBVH_INTERSECTING, r->first.a, r->first.b,
		                        r->has_distance ? r->distance : -1, r->status };
		out = web_put( out, row, 5 );
	}
	return status;
}
