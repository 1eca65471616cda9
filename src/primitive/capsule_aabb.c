// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "primitive/pair.h"
#include "primitive/signed_distance.h"

typedef struct pair {
	dbvhi_path axis;
	const dbvh_aabb *aabb;
} pair;

static int compare_axis_aabb( const void *context, const dbvhi_sum *sum ) {
	const pair *p = context;
	return dbvhi_path_aabb_compared( &p->axis, p->aabb, sum );
}

DBVHI_PRIMITIVE( capsule_aabb_intersect, capsule, aabb, bool ) {
	const dbvhi_path axis = dbvhi_path_segment( a->from, a->to );
	const dbvhi_sum radius = dbvhi_sum1( a->radius );
	*out = dbvhi_path_aabb_compared( &axis, b, &radius ) <= 0;
}

static double clamp( double x, double low, double high ) {
	return x < low ? low : x > high ? high : x;
}

// How far the point at t is from the box, in doubles.
static double axis_distance_at( const dbvh_capsule *a, const dbvh_aabb *b, double scale, double t ) {
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double from = a->from[k] * scale, to = a->to[k] * scale, x = from + t * ( to - from );
		const double out = x - clamp( x, b->min[k] * scale, b->max[k] * scale );
		sum += out * out;
	}
	return sqrt( sum );
}

// The distance of a point from a box is convex along a line: golden sections for a guess.
DBVHI_PRIMITIVE( capsule_aabb_distance, capsule, aabb, double ) {
	const int exponent = dbvhi_scale_of( ( const double *[] ){ a->from, a->to, b->min, b->max, &a->radius },
	                                     ( const int[] ){ 3, 3, 3, 3, 1 }, 5 );
	const double scale = exponent > 1000 ? 0x1p-1000 : exponent < -1000 ? 0x1p1000 : ldexp( 1.0, -exponent );
	const double golden = 0.6180339887498949;
	double low = 0.0, high = 1.0, left = 1.0 - golden, right = golden;
	double at_left = axis_distance_at( a, b, scale, left ), at_right = axis_distance_at( a, b, scale, right );
	for ( int i = 0; i < 56; ++i ) {
		if ( at_left <= at_right ) {
			high = right;
			right = left;
			at_right = at_left;
			left = high - golden * ( high - low );
			at_left = axis_distance_at( a, b, scale, left );
		} else {
			low = left;
			left = right;
			at_left = at_right;
			right = low + golden * ( high - low );
			at_right = axis_distance_at( a, b, scale, right );
		}
	}
	const double least = fmin( fmin( at_left, at_right ),
	                           fmin( axis_distance_at( a, b, scale, 0.0 ), axis_distance_at( a, b, scale, 1.0 ) ) );
	const pair p = { dbvhi_path_segment( a->from, a->to ), b };
	*out = dbvhi_distance_of( compare_axis_aabb, &p, a->radius, 0.0, ( least - a->radius * scale ) / scale );
}
