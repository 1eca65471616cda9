// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "primitive/filter.h"
#include "primitive/pair.h"
#include "primitive/round.h"
#include "primitive/signed_distance.h"

typedef struct pair {
	const dbvh_sphere *sphere;
	const dbvh_aabb *aabb;
} pair;

static int compare_centre_aabb( const void *context, const dbvhi_sum *sum ) {
	const pair *p = context;
	return dbvhi_point_aabb_compared( p->sphere->centre, p->aabb, sum );
}

DBVHI_PRIMITIVE( sphere_aabb_intersect, sphere, aabb, bool ) {
	int side = dbvhi_sphere_aabb_filter( a, b );
	if ( side == 2 ) {
		const dbvhi_sum radius = dbvhi_sum1( a->radius );
		side = dbvhi_point_aabb_compared( a->centre, b, &radius );
	}
	*out = side <= 0;
}

// The centre is in the box: out through the nearest face.
static void inside( const dbvh_sphere *a, const dbvh_aabb *b, dbvh_signed_distance *signed_distance_out ) {
	int face = 0;
	double least = INFINITY;
	for ( int i = 0; i < 6; ++i ) {
		const int k = i / 2;
		const dbvhi_sum depth = i % 2 == 0 ? dbvhi_sum3( b->max[k], -a->centre[k], a->radius )
		                                   : dbvhi_sum3( a->centre[k], -b->min[k], a->radius );
		const double up = dbvhi_sum_up( &depth );
		if ( up < least ) {
			least = up;
			face = i;
		}
	}
	const int k = face / 2;
	const double way = face % 2 == 0 ? 1.0 : -1.0; // sign of the sphere's way out
	*signed_distance_out = ( dbvh_signed_distance ){ 0 };
	signed_distance_out->depth = least;
	signed_distance_out->normal[k] = -way;
	for ( int i = 0; i < 3; ++i )
		signed_distance_out->point_a[i] = signed_distance_out->point_b[i] = a->centre[i];
	signed_distance_out->point_a[k] = a->centre[k] - way * a->radius;
	signed_distance_out->point_b[k] = face % 2 == 0 ? b->max[k] : b->min[k];
}

DBVHI_PRIMITIVE( sphere_aabb_signed_distance, sphere, aabb, dbvh_signed_distance ) {
	double nearest[3];
	bool is_inside = true;
	for ( int k = 0; k < 3; ++k ) {
		const double c = a->centre[k];
		nearest[k] = c < b->min[k] ? b->min[k] : c > b->max[k] ? b->max[k] : c;
		is_inside = is_inside && nearest[k] == c;
	}
	if ( is_inside ) {
		inside( a, b, out );
		return;
	}
	const int exponent = dbvhi_scale_of( ( const double *[] ){ a->centre, b->min, b->max, &a->radius },
	                                     ( const int[] ){ 3, 3, 3, 1 }, 4 );
	dbvhi_near_points points = {
	    dbvhi_exact_point3_at( a->centre, exponent ), dbvhi_exact_point3_at( nearest, exponent ), { 0 } };
	// The normal if rounding hides the direction: that of the first face that the centre is outside of.
	for ( int k = 2; k >= 0; --k ) {
		if ( nearest[k] != a->centre[k] ) {
			points.fallback[0] = points.fallback[1] = points.fallback[2] = 0.0;
			points.fallback[k] = nearest[k] > a->centre[k] ? 1.0 : -1.0;
		}
	}
	const pair p = { a, b };
	dbvhi_gap_of( compare_centre_aabb, &p, a->radius, 0.0, &points, exponent, out );
}
