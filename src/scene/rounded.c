// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/rounded.h"

#include "base/assert.h"
#include "base/status.h"
#include "query/collide/collide.h"
#include "query/common/account.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The error of a + b rounded to `sum`, which is a double itself (Knuth 1969).
static double rounding_of( double a, double b, double sum ) {
	const double of_b = sum - a, of_a = sum - of_b;
	return ( a - of_a ) + ( b - of_b );
}

double dbvhi_add_up( double a, double b ) {
	const double sum = a + b;
	return isfinite( sum ) && rounding_of( a, b, sum ) > 0.0 ? nextafter( sum, INFINITY ) : sum;
}

double dbvhi_rounded_reach( const dbvhi_body *a, const dbvhi_body *b ) {
	return dbvhi_add_up( a->options.radius, b->options.radius );
}

dbvhi_rounded_pair dbvhi_rounded_pair_of( const dbvhi_body *a, const dbvhi_body *b ) {
	return ( dbvhi_rounded_pair ){
	    a->tree, b->tree, &a->pose, &b->pose, a->options.radius, b->options.radius, dbvhi_rounded_reach( a, b ) };
}

dbvh_status dbvhi_rounded_collide( const dbvhi_rounded_pair *p, const dbvh_collide_query *query,
                                   dbvh_workspace *workspace, dbvh_collide_result *result ) {
	memset( result, 0, sizeof *result );
	if ( p->reach == 0.0 )
		return dbvhi_collide( p->a, p->pose_a, p->b, p->pose_b, query, workspace, result );
	const dbvh_clearance_query near = {
	    .max_distance = p->reach, .find = query->find, .policy = query->policy, .budget = query->budget };
	dbvh_clearance_result found;
	const dbvh_status status = dbvh_check_clearance( p->a, p->pose_a, p->b, p->pose_b, &near, workspace, &found, NULL );
	if ( dbvhi_has_results( status ) && found.within ) {
		result->verdict = DBVH_INTERSECTING;
		result->first = found.first;
	}
	return status;
}

// The distance that is left of one between the meshes, rounded up; 0 where the bodies meet.
static double beyond( double distance, double reach ) {
	return distance > reach ? dbvhi_add_up( distance, -reach ) : 0.0;
}

// Moves the points from the meshes to the surfaces round them.
static void move_points( const dbvhi_rounded_pair *p, double whole, dbvh_distance_result *r ) {
	for ( int k = 0; k < 3 && r->distance > 0.0; ++k ) {
		const double along = r->between[k] / whole;
		r->point_a[k] += p->radius_a * along;
		r->point_b[k] -= p->radius_b * along;
		r->between[k] = r->distance * along;
	}
}

dbvh_status dbvhi_rounded_distance( const dbvhi_rounded_pair *p, const dbvh_distance_query *query,
                                    dbvh_workspace *workspace, dbvh_distance_result *result, dbvh_error *error ) {
	if ( p->reach == 0.0 )
		return dbvh_distance( p->a, p->pose_a, p->b, p->pose_b, query, workspace, result, error );
	dbvh_distance_query near = query != NULL ? *query : dbvh_distance_query_default();
	const double limit = near.limit;
	// note: no limit stays none, and what is refused is refused there.
	if ( limit > 0.0 )
		near.limit = dbvhi_add_up( limit, p->reach );
	// An error that is relative to the distance of the meshes may be any part of that of the bodies.
	if ( near.relative_error <= 1.0 && near.relative_error > 0.0 )
		near.relative_error = 0.0;
	const dbvh_status status = dbvh_distance( p->a, p->pose_a, p->b, p->pose_b, &near, workspace, result, error );
	if ( !dbvhi_has_results( status ) )
		return status;
	const double at_least = result->at_least - p->reach;
	result->at_least = at_least > 0.0 ? nextafter( at_least, 0.0 ) : 0.0;
	if ( !result->found )
		return status;
	const double whole = result->distance;
	result->distance = beyond( whole, p->reach );
	if ( limit > 0.0 && result->distance > limit ) {
		const dbvh_counters spent = result->counters;
		const double least = result->at_least;
		*result = ( dbvh_distance_result ){ .at_least = least, .counters = spent };
		return status;
	}
	move_points( p, whole, result );
	return status;
}

dbvh_status dbvhi_rounded_closest_point( const dbvhi_body *body, const double point[3],
                                         const dbvh_closest_point_query *query, dbvh_workspace *workspace,
                                         dbvh_closest_point_result *result, dbvh_error *error ) {
	const double radius = body->options.radius, limit = query->limit;
	dbvh_closest_point_query near = *query;
	if ( limit > 0.0 )
		near.limit = dbvhi_add_up( limit, radius );
	const dbvh_status status = dbvh_closest_point( body->tree, &body->pose, point, &near, workspace, result, error );
	if ( !dbvhi_has_results( status ) || !result->found || radius == 0.0 )
		return status;
	const double whole = result->distance;
	result->distance = beyond( whole, radius );
	if ( limit > 0.0 && result->distance > limit ) {
		const dbvh_counters spent = result->counters;
		*result = ( dbvh_closest_point_result ){ .counters = spent };
		return status;
	}
	// From the mesh towards the point, or, within the radius, the point itself.
	for ( int k = 0; k < 3; ++k )
		result->point[k] =
		    result->distance > 0.0 ? result->point[k] + ( point[k] - result->point[k] ) * ( radius / whole ) : point[k];
	return status;
}

dbvh_status dbvhi_refuse_rounded( const dbvh_scene *scene, const char *function, dbvh_error *error ) {
	if ( scene->rounded_count == 0 )
		return DBVH_OK;
	return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
	                        "%s takes no account of radii, and %lu bodies have one: see the table in scene.h", function,
	                        (unsigned long)scene->rounded_count );
}
