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

// Define a public function to_aabb. The answer is written last of all, because the shape may lie in the same place; the
// block behind it fills *out from the shape.
#define TO_AABB( name )                                                                                                \
	static void name##_bounds( const dbvh_##name *shape, dbvh_aabb *out );                                             \
	static DBVHI_NOINLINE_FP dbvh_status do_##name##_to_aabb( const dbvh_##name *shape, dbvh_aabb *aabb_out ) {        \
		dbvh_aabb out = { 0 };                                                                                         \
		const dbvh_status status = dbvhi_check_pair( aabb_out, dbvhi_check_##name( shape ), DBVH_OK );                 \
		if ( status == DBVH_OK )                                                                                       \
			name##_bounds( shape, &out );                                                                              \
		if ( aabb_out != NULL )                                                                                        \
			*aabb_out = out;                                                                                           \
		return status;                                                                                                 \
	}                                                                                                                  \
	dbvh_status dbvh_##name##_to_aabb( const dbvh_##name *shape, dbvh_aabb *aabb_out ) {                               \
		DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_##name##_to_aabb( shape, aabb_out ) );                                 \
	}                                                                                                                  \
	static void name##_bounds( const dbvh_##name *shape, dbvh_aabb *out )

TO_AABB( box ) {
	for ( int k = 0; k < 3; ++k )
		spread( out, k, shape->centre[k], shape->centre[k], shape->half[k] );
}

TO_AABB( sphere ) {
	for ( int k = 0; k < 3; ++k )
		spread( out, k, shape->centre[k], shape->centre[k], shape->radius );
}

TO_AABB( capsule ) {
	for ( int k = 0; k < 3; ++k ) {
		const double from = shape->from[k], to = shape->to[k];
		spread( out, k, from < to ? from : to, from > to ? from : to, shape->radius );
	}
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

TO_AABB( obb ) {
	for ( int k = 0; k < 3; ++k ) {
		out->min[k] = 0.0 - upper( shape, k, -1.0 );
		out->max[k] = upper( shape, k, 1.0 );
	}
}
