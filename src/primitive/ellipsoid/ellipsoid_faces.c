// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Larsson's four tests (2008), without the mistakes of the text: a centre is inside where |d_i| <= e_i, the dominating
// component of a normal is that of the largest magnitude, and edges are distinguished without any ordering of corners,
// so that neither the projection nor a left-handed frame can reverse one.

#include "primitive/ellipsoid/ellipsoid.h"

#include <math.h>

// Intermediate values of a pair that all four tests share.
typedef struct pair {
	dbvhi_vec d;       // the ellipsoid's centre along the box's axes
	dbvhi_vec turn[3]; // see dbvhi_turns()
	dbvhi_skew skew;
} pair;

DBVHI_INLINE dbvhi_vec centre_in_box( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	return dbvhi_along( b->axis, dbvhi_offset( e, b ) );
}

DBVHI_INLINE pair transform( const dbvh_ellipsoid *e, const dbvh_obb *b, dbvhi_vec d ) {
	pair p = { .d = d };
	dbvhi_turns( e, b, p.turn );
	p.skew = dbvhi_skew_of( e, b, dbvhi_offset( e, b ), p.turn );
	return p;
}

// The plane of face `i`, on the side of `sign`: normal . x = height in the ball's space, `square` = normal . normal.
typedef struct plane {
	dbvhi_vec normal;
	double height, square;
} plane;

DBVHI_INLINE plane plane_of( const pair *p, const dbvh_ellipsoid *e, const dbvh_obb *b, int i, double sign ) {
	plane out = { .normal = dbvhi_times( ( dbvhi_vec ){ { e->half[0], e->half[1], e->half[2] } }, p->turn[i] ) };
	out.height = sign * b->half[i] - p->d.v[i];
	out.square = dbvhi_dot( out.normal, out.normal );
	return out;
}

DBVHI_INLINE bool plane_misses( const plane *at ) {
	return at->height * at->height > at->square;
}

// The position of the origin's foot on the plane relative to the edges of face `i`: out[0] is +1 or -1 beyond the edge
// in the direction of edge j or against it, 0 between; out[1] likewise for k. Computed in two dimensions, without the
// dominating component.
DBVHI_INLINE void visible_edges( const pair *p, const plane *at, int i, dbvhi_vec middle, int out[2] ) {
	const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
	int drop = fabs( at->normal.v[1] ) > fabs( at->normal.v[0] ) ? 1 : 0;
	drop = fabs( at->normal.v[2] ) > fabs( at->normal.v[drop] ) ? 2 : drop;
	const int x = ( drop + 1 ) % 3, y = ( drop + 2 ) % 3;
	const double foot = at->height / at->square;
	const double dx = at->normal.v[x] * foot - middle.v[x], dy = at->normal.v[y] * foot - middle.v[y];
	const dbvhi_vec *ej = &p->skew.edge[j], *ek = &p->skew.edge[k];
	const double whole = ej->v[x] * ek->v[y] - ej->v[y] * ek->v[x];
	const double along_j = dx * ek->v[y] - dy * ek->v[x], along_k = ej->v[x] * dy - ej->v[y] * dx;
	out[0] = fabs( along_j ) > fabs( whole ) ? ( ( along_j > 0.0 ) == ( whole > 0.0 ) ? 1 : -1 ) : 0;
	out[1] = fabs( along_k ) > fabs( whole ) ? ( ( along_k > 0.0 ) == ( whole > 0.0 ) ? 1 : -1 ) : 0;
}

// Does a face come within 1 of the origin, given that its plane does?
DBVHI_INLINE bool face_meets( const pair *p, const plane *at, int i, double sign ) {
	const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
	const dbvhi_vec middle = dbvhi_add( p->skew.centre, dbvhi_scale( sign, p->skew.edge[i] ) );
	int side[2];
	visible_edges( p, at, i, middle, side );
	if ( side[0] == 0 && side[1] == 0 )
		return true;
	const dbvhi_vec *ej = &p->skew.edge[j], *ek = &p->skew.edge[k];
	if ( side[0] != 0 &&
	     dbvhi_segment_near( dbvhi_add( middle, dbvhi_scale( (double)side[0], *ej ) ), *ek, dbvhi_dot( *ek, *ek ) ) )
		return true;
	return side[1] != 0 &&
	       dbvhi_segment_near( dbvhi_add( middle, dbvhi_scale( (double)side[1], *ek ) ), *ej, dbvhi_dot( *ej, *ej ) );
}

// Does the ray from one corner to another meet the ball on its way?
static bool edge_meets( dbvhi_vec from, dbvhi_vec to ) {
	const dbvhi_vec d = dbvhi_sub( to, from );
	const double square = dbvhi_dot( d, d );
	double t = square > 0.0 ? -dbvhi_dot( from, d ) / square : 0.0;
	t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
	const dbvhi_vec x = dbvhi_add( from, dbvhi_scale( t, d ) );
	return dbvhi_dot( x, x ) <= 1.0;
}

bool dbvhi_ellipsoid_brute_force( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	const dbvhi_vec d = centre_in_box( e, b );
	const pair p = transform( e, b, d );
	dbvhi_vec corner[8];
	for ( int c = 0; c < 8; ++c ) {
		corner[c] = p.skew.centre;
		for ( int i = 0; i < 3; ++i )
			corner[c] = dbvhi_add( corner[c], dbvhi_scale( c >> i & 1 ? 1.0 : -1.0, p.skew.edge[i] ) );
	}
	static const int edges[12][2] = { { 0, 1 }, { 1, 3 }, { 3, 2 }, { 2, 0 }, { 4, 5 }, { 5, 7 },
	                                  { 7, 6 }, { 6, 4 }, { 0, 4 }, { 1, 5 }, { 3, 7 }, { 2, 6 } };
	for ( int k = 0; k < 12; ++k ) {
		if ( edge_meets( corner[edges[k][0]], corner[edges[k][1]] ) )
			return true;
	}
	for ( int face = 0; face < 6; ++face ) {
		const int i = face >> 1;
		const double sign = face & 1 ? 1.0 : -1.0;
		const plane at = plane_of( &p, e, b, i, sign );
		if ( plane_misses( &at ) )
			continue;
		int side[2];
		visible_edges( &p, &at, i, dbvhi_add( p.skew.centre, dbvhi_scale( sign, p.skew.edge[i] ) ), side );
		if ( side[0] == 0 && side[1] == 0 )
			return true;
	}
	return fabs( d.v[0] ) <= b->half[0] && fabs( d.v[1] ) <= b->half[1] && fabs( d.v[2] ) <= b->half[2];
}

bool dbvhi_ellipsoid_face_distance( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	const dbvhi_vec d = centre_in_box( e, b );
	if ( fabs( d.v[0] ) <= b->half[0] && fabs( d.v[1] ) <= b->half[1] && fabs( d.v[2] ) <= b->half[2] )
		return true;
	const pair p = transform( e, b, d );
	for ( int face = 0; face < 6; ++face ) {
		const int i = face >> 1;
		const double sign = face & 1 ? 1.0 : -1.0;
		const plane at = plane_of( &p, e, b, i, sign );
		if ( plane_misses( &at ) ) {
			// The centre is outside this plane where it is farther along than the face: then it separates.
			if ( sign * at.height < 0.0 )
				return false;
		} else if ( face_meets( &p, &at, i, sign ) ) {
			return true;
		}
	}
	return false;
}

DBVHI_INLINE bool face_select( const dbvh_ellipsoid *e, const dbvh_obb *b, dbvhi_vec d ) {
	int faces[3], count = 0;
	for ( int i = 0; i < 3; ++i ) {
		faces[count] = i;
		count += fabs( d.v[i] ) > b->half[i];
	}
	if ( count == 0 )
		return true;
	const pair p = transform( e, b, d );
	for ( int f = 0; f < count; ++f ) {
		const int i = faces[f];
		const double sign = d.v[i] > 0.0 ? 1.0 : -1.0;
		const plane at = plane_of( &p, e, b, i, sign );
		if ( plane_misses( &at ) )
			return false;
		if ( face_meets( &p, &at, i, sign ) )
			return true;
	}
	return false;
}

bool dbvhi_ellipsoid_face_select( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	return face_select( e, b, centre_in_box( e, b ) );
}

bool dbvhi_ellipsoid_quick_rejection( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	const dbvhi_vec d = centre_in_box( e, b );
	double reach = e->half[0] > e->half[1] ? e->half[0] : e->half[1];
	reach = e->half[2] > reach ? e->half[2] : reach;
	// One branch instead of three.
	if ( ( fabs( d.v[0] ) > reach + b->half[0] ) | ( fabs( d.v[1] ) > reach + b->half[1] ) |
	     ( fabs( d.v[2] ) > reach + b->half[2] ) )
		return false;
	return face_select( e, b, d );
}

// A rectangle is met where its plane comes near enough and the foot of the origin lies in it, or one of its edges does.
bool dbvhi_ellipsoid_meets_flat( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	const pair p = transform( e, b, centre_in_box( e, b ) );
	int wide[3], flat = 0, count = 0;
	for ( int k = 0; k < 3; ++k ) {
		if ( b->half[k] > 0.0 )
			wide[count++] = k;
		else
			flat = k;
	}
	DBVHI_ASSERT( count < 3 );
	const dbvhi_vec centre = p.skew.centre;
	if ( count == 0 )
		return dbvhi_dot( centre, centre ) <= 1.0;
	if ( count == 1 )
		return dbvhi_segment_near( centre, p.skew.edge[wide[0]],
		                           dbvhi_dot( p.skew.edge[wide[0]], p.skew.edge[wide[0]] ) );
	const plane at = plane_of( &p, e, b, flat, 1.0 );
	if ( plane_misses( &at ) )
		return false;
	int beyond[2];
	visible_edges( &p, &at, flat, centre, beyond );
	if ( beyond[0] == 0 && beyond[1] == 0 )
		return true;
	for ( int side = 0; side < 4; ++side ) {
		const dbvhi_vec along = p.skew.edge[wide[side % 2]], across = p.skew.edge[wide[1 - side % 2]];
		const dbvhi_vec middle = side < 2 ? dbvhi_add( centre, across ) : dbvhi_sub( centre, across );
		if ( dbvhi_segment_near( middle, along, dbvhi_dot( along, along ) ) )
			return true;
	}
	return false;
}
