// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "primitive/filter.h"
#include "primitive/pair.h"
#include "primitive/signed_distance.h"

static int compare_centres( const void *context, const dbvhi_sum *sum ) {
	const dbvh_sphere *const *pair = context;
	return dbvhi_points_compared( pair[0]->centre, pair[1]->centre, sum );
}

DBVHI_PRIMITIVE( sphere_sphere_intersect, sphere, sphere, bool ) {
	int side = dbvhi_spheres_filter( a, b );
	if ( side == 2 ) {
		const dbvhi_sum radii = dbvhi_sum2( a->radius, b->radius );
		side = dbvhi_points_compared( a->centre, b->centre, &radii );
	}
	*out = side <= 0;
}

DBVHI_PRIMITIVE( sphere_sphere_signed_distance, sphere, sphere, dbvh_signed_distance ) {
	const int exponent = dbvhi_scale_of( ( const double *[] ){ a->centre, b->centre, &a->radius, &b->radius },
	                                     ( const int[] ){ 3, 3, 1, 1 }, 4 );
	const dbvhi_near_points points = {
	    dbvhi_exact_point3_at( a->centre, exponent ), dbvhi_exact_point3_at( b->centre, exponent ), { 1.0, 0.0, 0.0 } };
	const dbvh_sphere *const pair[2] = { a, b };
	dbvhi_gap_of( compare_centres, pair, a->radius, b->radius, &points, exponent, out );
}
