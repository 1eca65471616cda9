// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/near.h"

#include "dualbvh/closest_point.h"
#include "dualbvh/relation.h"

#include <math.h>

// Touches are met again to this part of the smaller body's size: their points are rounded.
#define SAME_PART 1e-9

typedef struct placed {
	const dbvh_tree *tree;
	const dbvh_pose *pose;
} placed;

static placed placed_body( const scene_findings *f, uint32_t body ) {
	const scene_body *b = &f->assembly->model.bodies[body];
	return ( placed ){ f->trees->trees[b->mesh], &b->pose };
}

// The distance of a point from the surface, with the nearest point there; infinite where that is not known.
static double closest( const placed *x, const double at[3], double nearest[3] ) {
	dbvh_closest_point_result found;
	if ( dbvh_closest_point( x->tree, x->pose, at, NULL, NULL, &found, NULL ) != DBVH_OK || !found.found )
		return INFINITY;
	for ( int k = 0; k < 3; ++k )
		nearest[k] = found.point[k];
	return found.distance;
}

static bool is_inside( const placed *x, const double at[3] ) {
	dbvh_location location;
	return dbvh_locate_point( x->tree, x->pose, at, &location, NULL ) == DBVH_OK && location == DBVH_LOCATION_INSIDE;
}

static bool is_gap( const scene_clash *c ) {
	return c->kind == DBVH_CLASH_KIND_CLEARANCE || c->kind == DBVH_CLASH_KIND_TOUCH;
}

// The farthest that the bodies of a gap or a touch are from each other where they clash.
static double widest( const scene_clash *c ) {
	return c->kind == DBVH_CLASH_KIND_CLEARANCE ? c->clearance : c->distance + SAME_PART * c->size;
}

// Does the surface of x clash with y where it is nearest to the place?
static bool clashes_nearby( const scene_clash *c, const placed *x, const placed *y, const double at[3], double limit ) {
	double near[3], other[3];
	if ( !( closest( x, at, near ) <= limit ) )
		return false;
	// note: the nearest point is rounded. A point of x's surface is at most `off` from it.
	const double off = closest( x, near, other ), apart = closest( y, near, other );
	return is_gap( c ) ? off + apart <= widest( c ) : is_inside( y, near ) && off < apart && isfinite( apart );
}

static double between( const double a[3], const double b[3] ) {
	return hypot( hypot( a[0] - b[0], a[1] - b[1] ), a[2] - b[2] );
}

bool scene_is_near_clash( const scene_findings *f, const scene_clash *c, const double at[3], double limit ) {
	const placed a = placed_body( f, c->a ), b = placed_body( f, c->b );
	if ( c->overlap.has_depth && between( at, c->overlap.deepest ) <= limit )
		return true;
	if ( is_gap( c ) && c->has_first && between( at, c->point ) <= limit )
		return true;
	if ( !is_gap( c ) && is_inside( &a, at ) && is_inside( &b, at ) )
		return true;
	return clashes_nearby( c, &a, &b, at, limit ) || clashes_nearby( c, &b, &a, at, limit );
}
