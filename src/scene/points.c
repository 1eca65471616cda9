// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Rays, points and boxes against all bodies. Of a box comes a lower bound: where a ray enters it, how near it is to a
// point. Bodies are asked in the order of these bounds, until one is behind what was found.

#include "base/fpenv.h"
#include "base/sort.h"
#include "base/status.h"
#include "dualbvh/shape.h"
#include "query/common/account.h"
#include "query/common/arguments.h"
#include "scene/rounded.h"

#include <math.h>
#include <string.h>

// A lower bound of the parameter at which the ray is in the box.
static double ray_enters( const void *question, const double box[DBVHI_BOX_NUMBERS] ) {
	const dbvh_ray *ray = question;
	double enter = 0.0, leave = INFINITY;
	for ( int k = 0; k < 3; ++k ) {
		const double from = ray->from[k], step = ray->direction[k];
		if ( step == 0.0 ) {
			if ( from < box[k] || from > box[3 + k] )
				return INFINITY;
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
	return enter <= leave ? enter : INFINITY;
}

static double distance_to_box( const void *question, const double box[DBVHI_BOX_NUMBERS] ) {
	const double *point = question;
	double square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double gap = box[k] - point[k] > point[k] - box[3 + k] ? box[k] - point[k] : point[k] - box[3 + k];
		square += gap > 0.0 ? gap * gap : 0.0;
	}
	if ( square < 0x1p-960 ) // its digits may be lost near 0
		return 0.0;
	return isfinite( square ) ? sqrt( square ) * ( 1.0 - 0x1p-50 ) : 0.0;
}

// `question` and `answer_out` by the names of the caller's arguments.
static dbvh_status begin( dbvh_scene *scene, const void *question, const char *asked, const void *answer_out,
                          const char *answered, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_given( scene, "scene", error ) );
	DBVHI_TRY( dbvhi_check_given( question, asked, error ) );
	return dbvhi_check_given( answer_out, answered, error );
}

// Bodies between two questions whether to go on.
#define BODIES_BETWEEN_QUESTIONS 16

// State of a walk from body to body, which is one piece of an account.
typedef struct asking asking;

struct asking {
	dbvh_scene *scene;
	const void *question;
	const dbvh_budget *budget; // budget for all bodies together; NULL: none
	dbvhi_box_bound *bound;
	dbvhi_front_visitor *ask_body; // asks a body within share->budget; sets status
	void *answer;
	double limit; // bodies farther than this do not matter
	dbvh_closest_point_query query;
	dbvhi_share *share;
	bool has_asked;
	dbvh_status status;
	dbvh_error *error;
};

// Asks the next body within what is left.
static bool ask_next( void *context, uint32_t number ) {
	asking *a = context;
	a->status = a->has_asked ? dbvhi_share_next( a->share ) : DBVH_OK;
	a->has_asked = true;
	if ( a->status != DBVH_OK || !a->ask_body( a, number ) )
		return false;
	dbvhi_share_element( a->share );
	return true;
}

// All bodies whose boxes may be near enough, the nearest first.
static void walk_front( void *context, size_t piece, uint32_t thread, dbvhi_share *share ) {
	(void)piece;
	(void)thread;
	asking *a = context;
	dbvh_scene *scene = a->scene;
	a->share = share;
	const dbvh_status status =
	    dbvhi_front_walk( &scene->front, &scene->phase, a->bound, a->question, &a->limit, ask_next, a );
	a->status = status != DBVH_OK ? status : a->status;
}

static void leave( void *context, size_t piece, dbvh_status why ) {
	(void)piece;
	( (asking *)context )->status = why;
}

static dbvh_status walk( asking *a, const dbvhi_account_work *work ) {
	dbvh_status status = dbvhi_scene_update_for( a->scene, a->budget );
	dbvhi_account account = { .budget = a->budget, .count = a->scene->body_count, .every = BODIES_BETWEEN_QUESTIONS };
	if ( status == DBVH_OK )
		status = dbvhi_account_run( &account, &a->scene->allocator, 1, 1, 1, work, a );
	return dbvhi_error_finish( a->error, status != DBVH_OK ? status : a->status );
}

static const dbvhi_account_work of_front = { walk_front, leave };

static bool cast_at( void *context, uint32_t number ) {
	asking *a = context;
	dbvh_scene_hit *hit = a->answer;
	const dbvhi_body *body = &a->scene->bodies[number];
	const dbvh_raycast_query first = { .find = DBVH_FIND_CLOSEST, .budget = a->share->budget };
	dbvh_raycast_result result;
	a->status = dbvh_raycast( body->tree, &body->pose, a->question, &first, a->scene->workspace, &result, a->error );
	if ( dbvhi_has_results( a->status ) && result.intersects &&
	     ( hit->body == DBVH_NO_BODY || result.first.t < hit->hit.t ||
	       ( result.first.t == hit->hit.t && number < hit->body ) ) ) {
		*hit = ( dbvh_scene_hit ){ number, result.first };
		a->limit = result.first.t;
	}
	return a->status == DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_raycast( dbvh_scene *scene, const dbvh_ray *ray, dbvh_scene_hit *hit_out,
                                                       dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( hit_out != NULL )
		*hit_out = ( dbvh_scene_hit ){ .body = DBVH_NO_BODY };
	DBVHI_TRY( begin( scene, ray, "ray", hit_out, "hit_out", error ) );
	DBVHI_TRY( dbvhi_refuse_rounded( scene, "dbvh_scene_raycast()", error ) );
	DBVHI_TRY( dbvhi_check_finite( ray->from, 3, "ray.from", error ) );
	DBVHI_TRY( dbvhi_check_finite( ray->direction, 3, "ray.direction", error ) );
	asking a = { .scene = scene,
	             .question = ray,
	             .budget = dbvhi_scene_budget( scene, NULL ),
	             .bound = ray_enters,
	             .ask_body = cast_at,
	             .answer = hit_out,
	             .limit = INFINITY,
	             .error = error };
	return walk( &a, &of_front );
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

static bool measure( void *context, uint32_t number ) {
	asking *a = context;
	dbvh_scene_closest_point_result *out = a->answer;
	const dbvhi_body *body = &a->scene->bodies[number];
	a->query.limit = a->limit > 0.0 ? a->limit : 0x1p-1074; // 0 would be no limit
	a->query.budget = a->share->budget;
	dbvh_closest_point_result result;
	a->status = dbvhi_rounded_closest_point( body, a->question, &a->query, a->scene->workspace, &result, a->error );
	if ( result.found && is_closer( out, &result, number ) ) {
		out->body = number;
		out->closest = result;
		a->limit = result.distance;
	}
	return a->status == DBVH_OK;
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_closest_point( dbvh_scene *scene, const double point[3],
                                                             const dbvh_closest_point_query *query,
                                                             dbvh_scene_closest_point_result *result_out,
                                                             dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( result_out != NULL ) {
		memset( result_out, 0, sizeof *result_out );
		result_out->body = DBVH_NO_BODY;
	}
	DBVHI_TRY( begin( scene, point, "point", result_out, "result_out", error ) );
	asking a = { .scene = scene,
	             .question = point,
	             .bound = distance_to_box,
	             .ask_body = measure,
	             .answer = result_out,
	             .query = query != NULL ? *query : dbvh_closest_point_query_default(),
	             .error = error };
	a.budget = dbvhi_scene_budget( scene, a.query.budget );
	DBVHI_TRY( dbvhi_check_range( a.query.limit, INFINITY, "query.limit", error ) );
	DBVHI_TRY( dbvhi_check_finite( point, 3, "point", error ) );
	a.limit = a.query.limit > 0.0 ? a.query.limit : INFINITY;
	return walk( &a, &of_front );
}

dbvh_status dbvh_scene_closest_point( dbvh_scene *scene, const double point[3], const dbvh_closest_point_query *query,
                                      dbvh_scene_closest_point_result *result_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_closest_point( scene, point, query, result_out, error ) );
}

// The bodies whose surface meets a box.
typedef struct listing_bodies {
	asking asking;
	dbvh_shape shape;
	double wide[DBVHI_BOX_NUMBERS];
	dbvh_tree *surface; // of the box, for bodies with a radius; NULL: there is none
	uint32_t *bodies_out;
	size_t capacity, count;
} listing_bodies;

static bool list_body( void *context, uint32_t number ) {
	asking *a = context;
	dbvh_scene *scene = a->scene;
	if ( !dbvhi_grow_array( &scene->allocator, &scene->numbers, &scene->number_capacity, scene->number_count + 1,
	                        sizeof *scene->numbers ) )
		a->status = DBVH_OUT_OF_MEMORY;
	else
		scene->numbers[scene->number_count++] = number;
	return a->status == DBVH_OK;
}

// Is the mesh of a body at most its radius from the surface of the box?
static bool reaches_surface( asking *a, const dbvhi_body *body, const dbvh_tree *surface ) {
	a->status = dbvhi_share_next( a->share );
	if ( a->status != DBVH_OK )
		return false;
	const dbvh_clearance_query near = { .max_distance = body->options.radius, .budget = a->share->budget };
	dbvh_clearance_result result;
	a->status =
	    dbvh_check_clearance( body->tree, &body->pose, surface, NULL, &near, a->scene->workspace, &result, a->error );
	return a->status == DBVH_OK && result.within;
}

// A body with a radius meets the box if its mesh does, or comes as near to the surface of the box as the radius.
static bool meet_box( void *context, uint32_t number ) {
	asking *a = context;
	listing_bodies *l = context; // its first member
	const dbvhi_body *body = &a->scene->bodies[number];
	const dbvh_collide_shape_query any = { .find = DBVH_FIND_ANY, .budget = a->share->budget };
	dbvh_collide_shape_result result;
	a->status = dbvh_collide_shape( body->tree, &body->pose, &l->shape, &any, a->scene->workspace, &result, a->error );
	if ( a->status != DBVH_OK )
		return false;
	const bool meets = result.intersects || ( body->options.radius > 0.0 && reaches_surface( a, body, l->surface ) );
	if ( a->status != DBVH_OK )
		return false;
	if ( meets && l->count < l->capacity )
		l->bodies_out[l->count] = number;
	l->count += meets;
	return true;
}

static dbvh_status make_surface( const dbvh_scene *scene, const dbvh_aabb *box, dbvh_tree **tree_out,
                                 dbvh_error *error ) {
	dbvh_mesh *mesh;
	DBVHI_TRY( dbvh_mesh_create_boxes( box, 1, &scene->allocator, &mesh, error ) );
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	const dbvh_status status = dbvh_tree_build( &view, NULL, &scene->allocator, tree_out, error );
	dbvh_mesh_destroy( mesh );
	return status;
}

// All bodies whose boxes overlap the box, ascending.
static void walk_overlaps( void *context, size_t piece, uint32_t thread, dbvhi_share *share ) {
	(void)piece;
	(void)thread;
	listing_bodies *l = context;
	dbvh_scene *scene = l->asking.scene;
	l->asking.share = share;
	scene->number_count = 0;
	dbvhi_broad_phase_overlaps( &scene->phase, l->wide, list_body, l );
	if ( l->asking.status != DBVH_OK )
		return;
	dbvhi_sort_u64( scene->numbers, scene->number_count );
	for ( size_t i = 0; i < scene->number_count && ask_next( l, (uint32_t)scene->numbers[i] ); ++i )
		;
}

static DBVHI_NOINLINE_FP dbvh_status do_scene_overlap_aabb( dbvh_scene *scene, const dbvh_aabb *box,
                                                            uint32_t *bodies_out, size_t capacity, size_t *count_out,
                                                            dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( count_out != NULL )
		*count_out = 0;
	DBVHI_TRY( begin( scene, box, "box", count_out, "count_out", error ) );
	if ( bodies_out == NULL && capacity > 0 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "bodies_out is NULL, and capacity is not 0" );
	DBVHI_TRY( dbvhi_check_finite( box->min, 3, "box.min", error ) );
	DBVHI_TRY( dbvhi_check_finite( box->max, 3, "box.max", error ) );
	listing_bodies l = {
	    .asking = { .scene = scene, .budget = dbvhi_scene_budget( scene, NULL ), .ask_body = meet_box, .error = error },
	    .shape = { .kind = DBVH_SHAPE_KIND_AABB, .as.aabb = *box },
	    .bodies_out = bodies_out,
	    .capacity = capacity };
	for ( int k = 0; k < 3; ++k ) {
		if ( box->min[k] > box->max[k] )
			return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "box.min[%d] is above box.max[%d]", k, k );
		l.wide[k] = box->min[k];
		l.wide[3 + k] = box->max[k];
	}
	static const dbvhi_account_work of_overlaps = { walk_overlaps, leave };
	if ( scene->rounded_count > 0 )
		DBVHI_TRY( make_surface( scene, box, &l.surface, error ) );
	const dbvh_status status = walk( &l.asking, &of_overlaps );
	dbvh_tree_destroy( l.surface );
	*count_out = dbvhi_has_results( status ) ? l.count : 0;
	return status;
}

dbvh_status dbvh_scene_overlap_aabb( dbvh_scene *scene, const dbvh_aabb *box, uint32_t *bodies_out, size_t capacity,
                                     size_t *count_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_scene_overlap_aabb( scene, box, bodies_out, capacity, count_out, error ) );
}
