// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/number/dyadic.h"
#include "primitive/pair.h"
#include "primitive/round.h"

#include <string.h>

DBVHI_PRIMITIVE( aabb_aabb_intersect, aabb, aabb, bool ) {
	bool meet = true;
	for ( int k = 0; k < 3; ++k )
		meet = meet && a->min[k] <= b->max[k] && b->min[k] <= a->max[k];
	*out = meet;
}

// |x - y| <= p + q
static bool reaches( double x, double y, double p, double q ) {
	const double between = fabs( x - y ), width = p + q;
	if ( between < width * ( 1.0 - 0x1p-50 ) )
		return true;
	if ( between > width * ( 1.0 + 0x1p-50 ) && between < INFINITY )
		return false;
	DBVHI_DYADIC_ROOM;
	dbvhi_dyadic left, right, term;
	dbvhi_dyadic_set( &left, x > y ? x : y );
	dbvhi_dyadic_set( &term, x > y ? y : x );
	dbvhi_dyadic_sub( &left, &left, &term );
	dbvhi_dyadic_set( &right, p );
	dbvhi_dyadic_set( &term, q );
	dbvhi_dyadic_add( &right, &right, &term );
	dbvhi_dyadic_sub( &left, &left, &right );
	return left.sign <= 0;
}

DBVHI_PRIMITIVE( box_box_intersect, box, box, bool ) {
	bool meet = true;
	for ( int k = 0; k < 3 && meet; ++k )
		meet = reaches( a->centre[k], b->centre[k], a->half[k], b->half[k] );
	*out = meet;
}

static double middle( double low, double high ) {
	return low + ( 0.5 * high - 0.5 * low );
}

// Boxes that are disjoint are disjoint along the axes, and the points between which they are are corners where they
// are.
static void apart( const dbvh_aabb *a, const dbvh_aabb *b, dbvh_signed_distance *signed_distance_out ) {
	// The distance of the origin from the box of all differences b - a is that of a point of a from one of b.
	dbvh_sphere point = { { 0 }, 0.0 };
	dbvh_aabb other;
	dbvh_signed_distance gap;
	for ( int k = 0; k < 3; ++k ) {
		if ( a->max[k] < b->min[k] ) {
			signed_distance_out->point_a[k] = a->max[k];
			signed_distance_out->point_b[k] = b->min[k];
		} else if ( b->max[k] < a->min[k] ) {
			signed_distance_out->point_a[k] = a->min[k];
			signed_distance_out->point_b[k] = b->max[k];
		} else {
			signed_distance_out->point_a[k] = signed_distance_out->point_b[k] =
			    middle( dbvhi_larger( a->min[k], b->min[k] ), dbvhi_smaller( a->max[k], b->max[k] ) );
		}
		point.centre[k] = signed_distance_out->point_a[k];
		other.min[k] = other.max[k] = signed_distance_out->point_b[k];
	}
	(void)dbvh_sphere_aabb_signed_distance( &point, &other, &gap );
	signed_distance_out->distance = gap.distance;
	memcpy( signed_distance_out->normal, gap.normal, sizeof gap.normal );
}

static void overlapping( const dbvh_aabb *a, const dbvh_aabb *b, dbvh_signed_distance *signed_distance_out ) {
	int axis = 0;
	bool upward = true; // b goes up
	double least = INFINITY;
	for ( int i = 0; i < 6; ++i ) {
		const int k = i / 2;
		const bool up = i % 2 == 0;
		const dbvhi_sum overlap = up ? dbvhi_sum2( a->max[k], -b->min[k] ) : dbvhi_sum2( b->max[k], -a->min[k] );
		const double depth = dbvhi_sum_up( &overlap );
		if ( depth < least ) {
			least = depth;
			axis = k;
			upward = up;
		}
	}
	signed_distance_out->depth = least;
	signed_distance_out->normal[axis] = upward ? 1.0 : -1.0;
	for ( int k = 0; k < 3; ++k )
		signed_distance_out->point_a[k] = signed_distance_out->point_b[k] =
		    middle( dbvhi_larger( a->min[k], b->min[k] ), dbvhi_smaller( a->max[k], b->max[k] ) );
	signed_distance_out->point_a[axis] = upward ? a->max[axis] : a->min[axis];
	signed_distance_out->point_b[axis] = upward ? b->min[axis] : b->max[axis];
}

DBVHI_PRIMITIVE( aabb_aabb_signed_distance, aabb, aabb, dbvh_signed_distance ) {
	bool meet = true;
	for ( int k = 0; k < 3; ++k )
		meet = meet && a->min[k] <= b->max[k] && b->min[k] <= a->max[k];
	if ( meet )
		overlapping( a, b, out );
	else
		apart( a, b, out );
}
