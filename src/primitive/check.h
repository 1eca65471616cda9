// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Checks of shapes: the status of one that is refused, and the reason.

#pragma once

#include "base/inline.h"
#include "dualbvh/primitives.h"

#include <math.h>

DBVHI_INLINE bool dbvhi_finite3( const double x[3] ) {
	return isfinite( x[0] ) && isfinite( x[1] ) && isfinite( x[2] );
}

DBVHI_INLINE dbvh_status dbvhi_check_sphere( const dbvh_sphere *s ) {
	if ( s == NULL )
		return DBVH_INVALID_ARGUMENT;
	if ( !dbvhi_finite3( s->centre ) || !isfinite( s->radius ) )
		return DBVH_NOT_FINITE;
	return s->radius >= 0.0 ? DBVH_OK : DBVH_INVALID_ARGUMENT;
}

DBVHI_INLINE dbvh_status dbvhi_check_aabb( const dbvh_aabb *b ) {
	if ( b == NULL )
		return DBVH_INVALID_ARGUMENT;
	if ( !dbvhi_finite3( b->min ) || !dbvhi_finite3( b->max ) )
		return DBVH_NOT_FINITE;
	const bool ordered = b->min[0] <= b->max[0] && b->min[1] <= b->max[1] && b->min[2] <= b->max[2];
	return ordered ? DBVH_OK : DBVH_INVALID_ARGUMENT;
}

DBVHI_INLINE dbvh_status dbvhi_check_half( const double half[3] ) {
	if ( !dbvhi_finite3( half ) )
		return DBVH_NOT_FINITE;
	return half[0] >= 0.0 && half[1] >= 0.0 && half[2] >= 0.0 ? DBVH_OK : DBVH_INVALID_ARGUMENT;
}

DBVHI_INLINE dbvh_status dbvhi_check_box( const dbvh_box *b ) {
	if ( b == NULL )
		return DBVH_INVALID_ARGUMENT;
	return dbvhi_finite3( b->centre ) ? dbvhi_check_half( b->half ) : DBVH_NOT_FINITE;
}

// The entries of the Gram matrix are rounded by less than 2^-49.
DBVHI_INLINE dbvh_status dbvhi_check_axes( const double axis[3][3] ) {
	if ( !dbvhi_finite3( axis[0] ) || !dbvhi_finite3( axis[1] ) || !dbvhi_finite3( axis[2] ) )
		return DBVH_NOT_FINITE;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = i; j < 3; ++j ) {
			const double g = axis[i][0] * axis[j][0] + axis[i][1] * axis[j][1] + axis[i][2] * axis[j][2];
			if ( !( fabs( g - ( i == j ? 1.0 : 0.0 ) ) <= DBVH_POSE_TOLERANCE ) )
				return DBVH_NOT_RIGID;
		}
	}
	return DBVH_OK;
}

DBVHI_INLINE dbvh_status dbvhi_check_obb( const dbvh_obb *b ) {
	if ( b == NULL )
		return DBVH_INVALID_ARGUMENT;
	const dbvh_status half = dbvhi_check_half( b->half ), axes = dbvhi_check_axes( b->axis );
	if ( !dbvhi_finite3( b->centre ) || half == DBVH_NOT_FINITE || axes == DBVH_NOT_FINITE )
		return DBVH_NOT_FINITE;
	return half != DBVH_OK ? half : axes;
}

DBVHI_INLINE dbvh_status dbvhi_check_capsule( const dbvh_capsule *c ) {
	if ( c == NULL )
		return DBVH_INVALID_ARGUMENT;
	if ( !dbvhi_finite3( c->from ) || !dbvhi_finite3( c->to ) || !isfinite( c->radius ) )
		return DBVH_NOT_FINITE;
	return c->radius >= 0.0 ? DBVH_OK : DBVH_INVALID_ARGUMENT;
}

DBVHI_INLINE dbvh_status dbvhi_check_plane( const dbvh_plane *p ) {
	if ( p == NULL )
		return DBVH_INVALID_ARGUMENT;
	if ( !dbvhi_finite3( p->normal ) || !isfinite( p->offset ) )
		return DBVH_NOT_FINITE;
	const bool zero = p->normal[0] == 0.0 && p->normal[1] == 0.0 && p->normal[2] == 0.0;
	return zero ? DBVH_INVALID_ARGUMENT : DBVH_OK;
}

DBVHI_INLINE dbvh_status dbvhi_check_point( const double point[3] ) {
	if ( point == NULL )
		return DBVH_INVALID_ARGUMENT;
	return dbvhi_finite3( point ) ? DBVH_OK : DBVH_NOT_FINITE;
}

DBVHI_INLINE dbvh_status dbvhi_check_segment( const dbvh_segment *s ) {
	if ( s == NULL )
		return DBVH_INVALID_ARGUMENT;
	return dbvhi_finite3( s->from ) && dbvhi_finite3( s->to ) ? DBVH_OK : DBVH_NOT_FINITE;
}

DBVHI_INLINE dbvh_status dbvhi_check_ray( const dbvh_ray *r ) {
	if ( r == NULL )
		return DBVH_INVALID_ARGUMENT;
	return dbvhi_finite3( r->from ) && dbvhi_finite3( r->direction ) ? DBVH_OK : DBVH_NOT_FINITE;
}

DBVHI_INLINE dbvh_status dbvhi_check_triangle( const dbvh_triangle *t ) {
	if ( t == NULL )
		return DBVH_INVALID_ARGUMENT;
	const bool finite = dbvhi_finite3( t->corner[0] ) && dbvhi_finite3( t->corner[1] ) && dbvhi_finite3( t->corner[2] );
	return finite ? DBVH_OK : DBVH_NOT_FINITE;
}

// The first status that is not OK, and NULL where the answer should go.
DBVHI_INLINE dbvh_status dbvhi_check_pair( const void *out, dbvh_status a, dbvh_status b ) {
	return out == NULL ? DBVH_INVALID_ARGUMENT : a != DBVH_OK ? a : b;
}
