// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/fpenv.h"
#include "primitive/check.h"
#include "primitive/filter.h"
#include "primitive/signed_distance.h"

#include <string.h>

static int compare_centres( const void *context, const dbvhi_sum *sum ) {
	const dbvh_sphere *const *pair = context;
	return dbvhi_points_compared( pair[0]->centre, pair[1]->centre, sum );
}

static DBVHI_NOINLINE_FP dbvh_status do_sphere_sphere_meet( const dbvh_sphere *a, const dbvh_sphere *b,
                                                            bool *intersect_out ) {
	if ( intersect_out != NULL )
		*intersect_out = false;
	const dbvh_status status = dbvhi_check_pair( intersect_out, dbvhi_check_sphere( a ), dbvhi_check_sphere( b ) );
	if ( status != DBVH_OK )
		return status;
	int side = dbvhi_spheres_filter( a, b );
	if ( side == 2 ) {
		const dbvhi_sum radii = dbvhi_sum2( a->radius, b->radius );
		side = dbvhi_points_compared( a->centre, b->centre, &radii );
	}
	*intersect_out = side <= 0;
	return DBVH_OK;
}

dbvh_status dbvh_sphere_sphere_intersect( const dbvh_sphere *a, const dbvh_sphere *b, bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_sphere_meet( a, b, intersect_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_sphere_sphere_gap( const dbvh_sphere *a, const dbvh_sphere *b,
                                                           dbvh_signed_distance *signed_distance_out ) {
	if ( signed_distance_out != NULL )
		memset( signed_distance_out, 0, sizeof *signed_distance_out );
	const dbvh_status status =
	    dbvhi_check_pair( signed_distance_out, dbvhi_check_sphere( a ), dbvhi_check_sphere( b ) );
	if ( status != DBVH_OK )
		return status;
	const int exponent = dbvhi_scale_of( ( const double *[] ){ a->centre, b->centre, &a->radius, &b->radius },
	                                     ( const int[] ){ 3, 3, 1, 1 }, 4 );
	const dbvhi_near_points points = {
	    dbvhi_exact_point3_at( a->centre, exponent ), dbvhi_exact_point3_at( b->centre, exponent ), { 1.0, 0.0, 0.0 } };
	const dbvh_sphere *const pair[2] = { a, b };
	dbvhi_gap_of( compare_centres, pair, a->radius, b->radius, &points, exponent, signed_distance_out );
	return DBVH_OK;
}

dbvh_status dbvh_sphere_sphere_signed_distance( const dbvh_sphere *a, const dbvh_sphere *b,
                                                dbvh_signed_distance *signed_distance_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_sphere_gap( a, b, signed_distance_out ) );
}
