// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Rays, points and boxes against all bodies. Of each body's box comes a lower bound: where a ray enters it, how near it
// is to a point. Bodies are asked in the order of these bounds, until one is behind what was found.

#include "base/fpenv.h"
#include "base/sort.h"
#include "base/status.h"
#include "dualbvh/shape.h"
#include "query/common/arguments.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

// The bits of a float order as the float does, if it is not negative. Rounded down: still a lower bound.
static uint64_t key_of( double bound, uint32_t body ) {
	float down = (float)bound;
	if ( (double)down > bound )
		down = nextafterf( down, 0.0f );
	uint32_t bits;
	memcpy( &bits, &down, sizeof bits );
	return (uint64_t)bits << 32 | body;
}

static double bound_of( uint64_t key ) {
	const uint32_t bits = (uint32_t)( key >> 32 );
	float down;
	memcpy( &down, &bits, sizeof down );
	return (double)down;
}

// A lower bound of the parameter at which the ray is in the box; false if it never is.
static bool ray_enters( const double *box, const dbvh_ray *ray, double *enter_out ) {
	double enter = 0.0, leave = INFINITY;
	for ( int k = 0; k < 3; ++k ) {
		const double from = ray->from[k], step = ray->direction[k];
		if ( step == 0.0 ) {
			if ( from < box[k] || from > box[3 + k] )
				return false;
			continue;
		}
		const double one = ( box[k] - from ) / step, two = ( box[3 + k] - from ) / step;
		const double first = one < two ? one : two, last = one < two ? two : one;
		// Two roundings; what overflowed says nothing.
		if ( isfinite( first ) && first * ( 1.0 - 0x1p-50 ) > enter )
			enter = first * ( 1.0 - 0x1p-50 );
		if ( isfinite( last ) && last * ( 1.0 + 0x1p-50 ) < leave )
			leave = last > 0.0 ? last * ( 1.0 + 0x1p-50 ) : last * ( 1.0 - 0x1p-50 );
	}
	*enter_out = enter;
	return enter <= leave;
}

static double distance_to_box( const double *box, const double point[3] ) {
	double square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double gap = box[k] - point[k] > point[k] - box[3 + k] ? box[k] - point[k] : point[k] - box[3 + k];
		square += gap > 0.0 ? gap * gap : 0.0;
	}
	return isfinite( square ) ? sqrt( square ) * ( 1.0 - 0x1p-50 ) : 0.0;
}

// Room for a key a body: where queries of pairs have theirs.
static uint64_t *keys_of( dbvh_scene *scene ) {
	scene->has_list = false;
	return dbvhi_grow_array( &scene->allocator, &scene->pairs, &scene->pair_capacity, scene->body_count,
	                         sizeof *scene->pairs )
	           ? (uint64_t *)(void *)scene->pairs
	           : NULL;
}

_Static_assert( sizeof( dbvh_body_pair ) == sizeof( uint64_t ), "keys take the place of pairs" );

// `question` and `answer_out` by the names of the caller's arguments.
static dbvh_status begin( dbvh_scene *scene, const void *question, const char *asked, const void *answer_out,
                          const char *answered, uint64_t **keys_out, dbvh_error *error ) {
	dbvh_status status = dbvhi_check_given( scene, "scene", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_given( question, asked, error );
	if ( status == DBVH_OK )
		status = dbvhi_check_given( answer_out, answered, error );
	if ( status != DBVH_OK )
		return status;
	status = dbvhi_scene_update( scene );
	*keys_out = NULL;
	if ( status == DBVH_OK && scene->body_count > 0 ) {
		*keys_out = keys_of( scene );
		status = *keys_out != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
	}
	return status == DBVH_OK ? status : dbvhi_error_status( error, status );
}

static DBVHI_BEHIND dbvh_status do_scene_raycast( dbvh_scene *scene, const dbvh_ray *ray, dbvh_scene_hit *hit_out,
                                                  dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( hit_out != NULL )
		*hit_out = ( dbvh_scene_hit ){ .body = DBVH_NO_BODY };
	uint64_t *keys;
	dbvh_status status = begin( scene, ray, "ray", hit_out, "hit_out", &keys, error );
	if ( status != DBVH_OK )
		return status;
	status = dbvhi_check_finite( ray->from, 3, "ray.from", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_finite( ray->direction, 3, "ray.direction", error );
	if ( status != DBVH_OK )
		return status;
	size_t count = 0;
	for ( uint32_t i = 0; i < scene->body_end; ++i ) {
		double enter;
		if ( scene->bodies[i].tree != NULL && ray_enters( scene->phase.boxes + 6 * (size_t)i, ray, &enter ) )
			keys[count++] = key_of( enter, i );
	}
	dbvhi_sort_u64( keys, count );
	const dbvh_raycast_query first = { .find = DBVH_FIND_CLOSEST };
	for ( size_t i = 0; i < count; ++i ) {
		if ( hit_out->body != DBVH_NO_BODY && bound_of( keys[i] ) > hit_out->hit.t )
			break;
		const uint32_t number = (uint32_t)keys[i];
		const dbvhi_body *body = &scene->bodies[number];
		dbvh_raycast_result result;
		status = dbvh_raycast( body->tree, &body->pose, ray, &first, scene->workspace, &result, error );
		if ( status != DBVH_OK )
			return status;
		if ( result.intersects && ( hit_out->body == DBVH_NO_BODY || result.first.t < hit_out->hit.t ||
		                            ( result.first.t == hit_out->hit.t && number < hit_out->body ) ) )
			*hit_out = ( dbvh_scene_hit ){ number, result.first };
	}
	return DBVH_OK;
}

dbvh_status dbvh_scene_raycast( dbvh_scene *scene, const dbvh_ray *ray, dbvh_scene_hit *hit_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_raycast( scene, ray, hit_out, error ) );
}

static bool is_closer( const dbvh_scene_closest_point_result *best, const dbvh_closest_point_result *now,
                       uint32_t number ) {
	if ( best->body == DBVH_NO_BODY || now->distance != best->closest.distance )
		return best->body == DBVH_NO_BODY || now->distance < best->closest.distance;
	return number < best->body;
}

static DBVHI_BEHIND dbvh_status do_scene_closest_point( dbvh_scene *scene, const double point[3],
                                                        const dbvh_closest_point_query *query,
                                                        dbvh_scene_closest_point_result *result_out,
                                                        dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( result_out != NULL ) {
		memset( result_out, 0, sizeof *result_out );
		result_out->body = DBVH_NO_BODY;
	}
	uint64_t *keys;
	dbvh_status status = begin( scene, point, "point", result_out, "result_out", &keys, error );
	if ( status != DBVH_OK )
		return status;
	dbvh_closest_point_query q = query != NULL ? *query : dbvh_closest_point_query_default();
	status = dbvhi_check_range( q.limit, INFINITY, "query.limit", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_finite( point, 3, "point", error );
	if ( status != DBVH_OK )
		return status;
	double best = q.limit > 0.0 ? q.limit : INFINITY;
	size_t count = 0;
	for ( uint32_t i = 0; i < scene->body_end; ++i ) {
		if ( scene->bodies[i].tree == NULL )
			continue;
		const double bound = distance_to_box( scene->phase.boxes + 6 * (size_t)i, point );
		if ( bound <= best )
			keys[count++] = key_of( bound, i );
	}
	dbvhi_sort_u64( keys, count );
	for ( size_t i = 0; i < count && bound_of( keys[i] ) <= best; ++i ) {
		const uint32_t number = (uint32_t)keys[i];
		const dbvhi_body *body = &scene->bodies[number];
		q.limit = best > 0.0 ? best : 0x1p-1074; // 0 would be no limit
		dbvh_closest_point_result result;
		status = dbvh_closest_point( body->tree, &body->pose, point, &q, scene->workspace, &result, error );
		if ( result.found && is_closer( result_out, &result, number ) ) {
			result_out->body = number;
			result_out->closest = result;
			best = result.distance;
		}
		if ( status != DBVH_OK )
			return status;
	}
	return DBVH_OK;
}

dbvh_status dbvh_scene_closest_point( dbvh_scene *scene, const double point[3], const dbvh_closest_point_query *query,
                                      dbvh_scene_closest_point_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_closest_point( scene, point, query, result_out, error ) );
}

typedef struct listing {
	uint64_t *numbers;
	size_t count;
} listing;

static bool list_body( void *context, uint32_t number ) {
	listing *l = context;
	l->numbers[l->count++] = number;
	return true;
}

static DBVHI_BEHIND dbvh_status do_scene_overlap_aabb( dbvh_scene *scene, const dbvh_aabb *box, uint32_t *bodies_out,
                                                       size_t capacity, size_t *count_out, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( count_out != NULL )
		*count_out = 0;
	listing list = { .count = 0 };
	dbvh_status status = begin( scene, box, "box", count_out, "count_out", &list.numbers, error );
	if ( status != DBVH_OK )
		return status;
	if ( bodies_out == NULL && capacity > 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "bodies_out is NULL, and capacity is not 0" );
	status = dbvhi_check_finite( box->min, 3, "box.min", error );
	if ( status == DBVH_OK )
		status = dbvhi_check_finite( box->max, 3, "box.max", error );
	if ( status != DBVH_OK )
		return status;
	double wide[DBVHI_BOX_NUMBERS];
	for ( int k = 0; k < 3; ++k ) {
		if ( box->min[k] > box->max[k] )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "box.min[%d] is above box.max[%d]", k, k );
		wide[k] = box->min[k];
		wide[3 + k] = box->max[k];
	}
	if ( scene->body_count == 0 )
		return DBVH_OK;
	dbvhi_broad_phase_overlaps( &scene->phase, wide, list_body, &list );
	dbvhi_sort_u64( list.numbers, list.count );
	const dbvh_shape shape = { .kind = DBVH_SHAPE_KIND_AABB, .as.aabb = *box };
	for ( size_t i = 0; i < list.count; ++i ) {
		const dbvhi_body *body = &scene->bodies[list.numbers[i]];
		dbvh_collide_shape_result result;
		status = dbvh_collide_shape( body->tree, &body->pose, &shape, NULL, scene->workspace, &result, error );
		if ( status != DBVH_OK )
			return status;
		if ( !result.intersects )
			continue;
		if ( *count_out < capacity )
			bodies_out[*count_out] = (uint32_t)list.numbers[i];
		*count_out += 1;
	}
	return DBVH_OK;
}

dbvh_status dbvh_scene_overlap_aabb( dbvh_scene *scene, const dbvh_aabb *box, uint32_t *bodies_out, size_t capacity,
                                     size_t *count_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_overlap_aabb( scene, box, bodies_out, capacity, count_out, error ) );
}
