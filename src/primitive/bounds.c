// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The smallest boxes along the axes.

#include "base/assert.h"
#include "base/fpenv.h"
#include "primitive/check.h"
#include "primitive/number.h"
#include "primitive/round.h"

// Bounds of all within `reach` of what lies between two coordinates, along one axis.
static void spread( dbvh_aabb *out, int k, double low, double high, double reach ) {
	DBVHI_ASSERT( (unsigned)k < 3 );
	const dbvhi_sum down = dbvhi_sum2( low, -reach ), up = dbvhi_sum2( high, reach );
	out->min[k] = dbvhi_sum_down( &down );
	out->max[k] = dbvhi_sum_up( &up );
}

// Last of all, because the shape may lie in the same place.
static dbvh_status put( dbvh_aabb *aabb_out, const dbvh_aabb *aabb, dbvh_status status ) {
	if ( aabb_out != NULL )
		*aabb_out = *aabb;
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_box_to_aabb( const dbvh_box *box, dbvh_aabb *aabb_out ) {
	dbvh_aabb out = { 0 };
	const dbvh_status status = dbvhi_check_pair( aabb_out, dbvhi_check_box( box ), DBVH_OK );
	if ( status != DBVH_OK )
		return put( aabb_out, &out, status );
	for ( int k = 0; k < 3; ++k )
		spread( &out, k, box->centre[k], box->centre[k], box->half[k] );
	return put( aabb_out, &out, DBVH_OK );
}

dbvh_status dbvh_box_to_aabb( const dbvh_box *box, dbvh_aabb *aabb_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_box_to_aabb( box, aabb_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_sphere_to_aabb( const dbvh_sphere *sphere, dbvh_aabb *aabb_out ) {
	dbvh_aabb out = { 0 };
	const dbvh_status status = dbvhi_check_pair( aabb_out, dbvhi_check_sphere( sphere ), DBVH_OK );
	if ( status != DBVH_OK )
		return put( aabb_out, &out, status );
	for ( int k = 0; k < 3; ++k )
		spread( &out, k, sphere->centre[k], sphere->centre[k], sphere->radius );
	return put( aabb_out, &out, DBVH_OK );
}

dbvh_status dbvh_sphere_to_aabb( const dbvh_sphere *sphere, dbvh_aabb *aabb_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_sphere_to_aabb( sphere, aabb_out ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_capsule_to_aabb( const dbvh_capsule *capsule, dbvh_aabb *aabb_out ) {
	dbvh_aabb out = { 0 };
	const dbvh_status status = dbvhi_check_pair( aabb_out, dbvhi_check_capsule( capsule ), DBVH_OK );
	if ( status != DBVH_OK )
		return put( aabb_out, &out, status );
	for ( int k = 0; k < 3; ++k ) {
		const double from = capsule->from[k], to = capsule->to[k];
		spread( &out, k, from < to ? from : to, from > to ? from : to, capsule->radius );
	}
	return put( aabb_out, &out, DBVH_OK );
}

dbvh_status dbvh_capsule_to_aabb( const dbvh_capsule *capsule, dbvh_aabb *aabb_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_capsule_to_aabb( capsule, aabb_out ) );
}

// The upper bound along axis k, with the centre times `way`: centre + sum half |axis|.
static double upper( const dbvh_obb *obb, int k, double way ) {
	DBVHI_ASSERT( (unsigned)k < 3 );
	pair_number sum, half, entry, term;
	pair_set( &sum, way * obb->centre[k] );
	for ( int i = 0; i < 3; ++i ) {
		pair_set( &half, obb->half[i] );
		pair_set( &entry, fabs( obb->axis[i][k] ) );
		pair_mul( &term, &half, &entry );
		pair_add( &sum, &sum, &term );
	}
	const double high = sum.v.hi, bound = sum.e + 0x1p-40 * sum.e;
	if ( isfinite( high ) && isfinite( bound ) && fabs( sum.v.lo ) > bound )
		return ( sum.v.lo > 0.0 ? nextafter( high, INFINITY ) : high ) + 0.0;
	DBVHI_DYADIC_ROOM;
	dbvhi_dyadic exact, a, b;
	dbvhi_dyadic_set( &exact, way * obb->centre[k] );
	for ( int i = 0; i < 3; ++i ) {
		dbvhi_dyadic_set( &a, obb->half[i] );
		dbvhi_dyadic_set( &b, fabs( obb->axis[i][k] ) );
		dbvhi_dyadic_mul( &a, &a, &b );
		dbvhi_dyadic_add( &exact, &exact, &a );
	}
	return dbvhi_dyadic_up( &exact, high );
}

static DBVHI_NOINLINE_FP dbvh_status do_obb_to_aabb( const dbvh_obb *obb, dbvh_aabb *aabb_out ) {
	dbvh_aabb out = { 0 };
	const dbvh_status status = dbvhi_check_pair( aabb_out, dbvhi_check_obb( obb ), DBVH_OK );
	if ( status != DBVH_OK )
		return put( aabb_out, &out, status );
	for ( int k = 0; k < 3; ++k ) {
		out.min[k] = 0.0 - upper( obb, k, -1.0 );
		out.max[k] = upper( obb, k, 1.0 );
	}
	return put( aabb_out, &out, DBVH_OK );
}

dbvh_status dbvh_obb_to_aabb( const dbvh_obb *obb, dbvh_aabb *aabb_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_obb_to_aabb( obb, aabb_out ) );
}
