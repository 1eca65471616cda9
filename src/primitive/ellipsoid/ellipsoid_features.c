// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Eberly's three tests (2015) in corrected form. What is changed beyond slips of the pen:
// - P^T M P is the square of a vector in the ball's space (see ellipsoid.h), and whether an edge is met is read from
// the
//   quadratic's value at its least point on the edge, where the discriminant loses the square of the ellipsoid's ratio;
// - which features the centre sees follows from their signs instead of a table of 27 rows;
// - a cylinder's axis is the box's, and all eight corners and twelve edges are looked at: the one that the signs of the
//   centre choose can be the wrong one for skewed ellipsoids.

#include "primitive/ellipsoid/ellipsoid.h"

#include <math.h>

// Is a feature on given sides (-1, 1, or 0 along an axis that it spans) on a face that is seen?
DBVHI_INLINE bool is_seen( const int seen[3], int s0, int s1, int s2 ) {
	return ( s0 != 0 && s0 == seen[0] ) || ( s1 != 0 && s1 == seen[1] ) || ( s2 != 0 && s2 == seen[2] );
}

static dbvhi_vec feature_point( const dbvhi_skew *s, int s0, int s1, int s2 ) {
	dbvhi_vec p = dbvhi_add( s->centre, dbvhi_scale( (double)s0, s->edge[0] ) );
	p = dbvhi_add( p, dbvhi_scale( (double)s1, s->edge[1] ) );
	return dbvhi_add( p, dbvhi_scale( (double)s2, s->edge[2] ) );
}

static bool vertices_meet( const dbvhi_skew *s, const int *seen ) {
	for ( int corner = 0; corner < 8; ++corner ) {
		const int s0 = corner & 1 ? 1 : -1, s1 = corner & 2 ? 1 : -1, s2 = corner & 4 ? 1 : -1;
		if ( seen != NULL && !is_seen( seen, s0, s1, s2 ) )
			continue;
		const dbvhi_vec p = feature_point( s, s0, s1, s2 );
		if ( dbvhi_dot( p, p ) <= 1.0 )
			return true;
	}
	return false;
}

static bool edges_meet( const dbvhi_skew *s, const int *seen ) {
	for ( int k = 0; k < 3; ++k ) {
		const double square = dbvhi_dot( s->edge[k], s->edge[k] );
		for ( int corner = 0; corner < 4; ++corner ) {
			int sign[3] = { 0 };
			sign[( k + 1 ) % 3] = corner & 1 ? 1 : -1;
			sign[( k + 2 ) % 3] = corner & 2 ? 1 : -1;
			if ( seen != NULL && !is_seen( seen, sign[0], sign[1], sign[2] ) )
				continue;
			if ( dbvhi_segment_near( feature_point( s, sign[0], sign[1], sign[2] ), s->edge[k], square ) )
				return true;
		}
	}
	return false;
}

// Does the ellipsoid intersect a face, if it intersects no edge? Exactly if it intersects the face's plane, in an
// ellipse whose centre is in the rectangle.
static bool faces_meet( const dbvh_ellipsoid *e, const dbvh_obb *b, dbvhi_vec d, const dbvhi_vec turn[3],
                        const int *seen ) {
	dbvhi_vec normal[3];
	for ( int i = 0; i < 3; ++i )
		normal[i] = dbvhi_times( ( dbvhi_vec ){ { e->half[0], e->half[1], e->half[2] } }, turn[i] );
	for ( int face = 0; face < 6; ++face ) {
		const int i = face >> 1, sign = face & 1 ? 1 : -1, j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
		if ( seen != NULL && seen[i] != sign )
			continue;
		const double height = (double)sign * b->half[i] - d.v[i], square = dbvhi_dot( normal[i], normal[i] );
		if ( height * height > square )
			continue;
		const double t = height / square;
		if ( fabs( d.v[j] + t * dbvhi_dot( normal[i], normal[j] ) ) <= b->half[j] &&
		     fabs( d.v[k] + t * dbvhi_dot( normal[i], normal[k] ) ) <= b->half[k] )
			return true;
	}
	return false;
}

static bool is_inside( const dbvh_obb *b, dbvhi_vec d ) {
	return fabs( d.v[0] ) <= b->half[0] && fabs( d.v[1] ) <= b->half[1] && fabs( d.v[2] ) <= b->half[2];
}

bool dbvhi_ellipsoid_all_features( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	const dbvhi_vec offset = dbvhi_offset( e, b );
	dbvhi_vec turn[3];
	dbvhi_turns( e, b, turn );
	const dbvhi_skew s = dbvhi_skew_of( e, b, offset, turn );
	if ( vertices_meet( &s, NULL ) || edges_meet( &s, NULL ) )
		return true;
	const dbvhi_vec d = dbvhi_along( b->axis, offset );
	return faces_meet( e, b, d, turn, NULL ) || is_inside( b, d );
}

bool dbvhi_ellipsoid_closest_features( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	const dbvhi_vec offset = dbvhi_offset( e, b ), d = dbvhi_along( b->axis, offset );
	if ( is_inside( b, d ) )
		return true;
	int seen[3];
	for ( int i = 0; i < 3; ++i )
		seen[i] = d.v[i] > b->half[i] ? 1 : d.v[i] < -b->half[i] ? -1 : 0;
	dbvhi_vec turn[3];
	dbvhi_turns( e, b, turn );
	const dbvhi_skew s = dbvhi_skew_of( e, b, offset, turn );
	return vertices_meet( &s, seen ) || edges_meet( &s, seen ) || faces_meet( e, b, d, turn, seen );
}

// Is the ellipsoid's centre outside the cylinder about the edge that runs along axis k, in the region where the
// cylinder bounds the sum? `y` leads from a point of the edge to the centre.
static bool outside_cylinder( const dbvhi_skew *s, int k, double si, double sj, dbvhi_vec y, const double square[3] ) {
	const dbvhi_vec *a = &s->edge[k];
	// y^T M y - ( a^T M y )^2 / a^T M a, as the square of what is left of y across the axis.
	const dbvhi_vec across = square[k] > 0.0 ? dbvhi_sub( y, dbvhi_scale( dbvhi_dot( y, *a ) / square[k], *a ) ) : y;
	return dbvhi_dot( across, across ) > 1.0 && si * dbvhi_dot( across, s->edge[( k + 1 ) % 3] ) > 0.0 &&
	       sj * dbvhi_dot( across, s->edge[( k + 2 ) % 3] ) > 0.0;
}

bool dbvhi_ellipsoid_minkowski( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	const dbvhi_vec offset = dbvhi_offset( e, b ), d = dbvhi_along( b->axis, offset );
	dbvhi_vec turn[3];
	dbvhi_turns( e, b, turn );
	for ( int i = 0; i < 3; ++i ) {
		const dbvhi_vec normal = dbvhi_times( ( dbvhi_vec ){ { e->half[0], e->half[1], e->half[2] } }, turn[i] );
		const double beyond = fabs( d.v[i] ) - b->half[i];
		if ( beyond > 0.0 && beyond * beyond > dbvhi_dot( normal, normal ) )
			return false; // outside the sum's own box
	}
	const dbvhi_skew s = dbvhi_skew_of( e, b, offset, turn );
	double square[3];
	for ( int k = 0; k < 3; ++k )
		square[k] = dbvhi_dot( s.edge[k], s.edge[k] );
	for ( int k = 0; k < 3; ++k ) {
		for ( int corner = 0; corner < 4; ++corner ) {
			int sign[3] = { 0 };
			sign[( k + 1 ) % 3] = corner & 1 ? 1 : -1;
			sign[( k + 2 ) % 3] = corner & 2 ? 1 : -1;
			const dbvhi_vec y = dbvhi_scale( -1.0, feature_point( &s, sign[0], sign[1], sign[2] ) );
			if ( outside_cylinder( &s, k, (double)sign[( k + 1 ) % 3], (double)sign[( k + 2 ) % 3], y, square ) )
				return false;
		}
	}
	for ( int corner = 0; corner < 8; ++corner ) {
		const int s0 = corner & 1 ? 1 : -1, s1 = corner & 2 ? 1 : -1, s2 = corner & 4 ? 1 : -1;
		const dbvhi_vec y = dbvhi_scale( -1.0, feature_point( &s, s0, s1, s2 ) );
		if ( dbvhi_dot( y, y ) > 1.0 && (double)s0 * dbvhi_dot( y, s.edge[0] ) > 0.0 &&
		     (double)s1 * dbvhi_dot( y, s.edge[1] ) > 0.0 && (double)s2 * dbvhi_dot( y, s.edge[2] ) > 0.0 )
			return false;
	}
	return true;
}
