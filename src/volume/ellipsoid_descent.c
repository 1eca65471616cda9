// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The fast test of an ellipsoid and a box: proofs, from the cheapest on, that the two meet or do not.
//
//   1. The nearest point p of the box to the ellipsoid's centre, in the ordinary metric. Farther than the largest half
//      length: apart. Nearer than the smallest: they meet. So far the ellipsoid's axes have not been looked at.
//   2. r, the image of p where the ellipsoid is the unit ball. | r | <= 1: they meet.
//   3. The plane of a face that the centre sees, in those axes that p lies at the end of: apart.
//   4. The plane across r that touches the box: if it passes farther than 1 from the origin, apart.
//   5. One sweep of projected descent along the box's three edges, which improves r; then 2 and 4 again.
//
// Steps 2 and 4 prove what they say whatever r is, so nothing rests on the convergence of step 5; the few pairs that are
// open after 16 sweeps are decided by faces (ellipsoid_faces.c).

#include "volume/ellipsoid.h"

#include <math.h>

enum { SWEEPS = 16 };

// From the second sweep on; the first steps of most pairs end before.
static bool descend( const dbvh_ellipsoid *e, const dbvh_obb *b, dbvhi_vec r, dbvhi_vec t, const dbvhi_vec edge[3] ) {
	double inverse[3];
	for ( int i = 0; i < 3; ++i ) {
		const double square = dbvhi_dot( edge[i], edge[i] );
		inverse[i] = square > 0.0 ? 1.0 / square : 0.0;
	}
	for ( int sweep = 0; sweep < SWEEPS; ++sweep ) {
		for ( int i = 0; i < 3; ++i ) {
			double next = t.v[i] - dbvhi_dot( r, edge[i] ) * inverse[i];
			next = next < -1.0 ? -1.0 : next > 1.0 ? 1.0 : next;
			r = dbvhi_add( r, dbvhi_scale( next - t.v[i], edge[i] ) );
			t.v[i] = next;
		}
		const double square = dbvhi_dot( r, r );
		if ( square <= 1.0 )
			return true;
		double least = square;
		for ( int i = 0; i < 3; ++i ) {
			const double along = dbvhi_dot( r, edge[i] );
			least -= fabs( along ) + t.v[i] * along;
		}
		if ( least > 0.0 && least * least > square )
			return false;
	}
	return dbvhi_ellipsoid_face_select( e, b );
}

bool dbvhi_ellipsoid_descent( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	const dbvhi_vec offset = dbvhi_offset( e, b ), d = dbvhi_along( b->axes, offset );
	const double l0 = e->half[0], l1 = e->half[1], l2 = e->half[2];
	const double l01 = l0 * l1;
	const double all = 1.0 / ( l01 * l2 ); // one division, begun early
	// How far the centre is beyond the box along each axis.
	double beyond[3], far = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		beyond[i] = fabs( d.v[i] ) - b->half[i];
		beyond[i] = beyond[i] > 0.0 ? beyond[i] : 0.0;
		far += beyond[i] * beyond[i];
	}
	double least = l0 < l1 ? l0 : l1, most = l0 < l1 ? l1 : l0;
	least = l2 < least ? l2 : least;
	most = l2 > most ? l2 : most;
	if ( far > most * most )
		return false;
	if ( far <= least * least )
		return true;

	const dbvhi_vec inverse = { { l1 * l2 * all, l0 * l2 * all, l01 * all } };
	dbvhi_vec nearest = { { 0.0, 0.0, 0.0 } }; // from the ellipsoid's centre to p
	for ( int i = 0; i < 3; ++i )
		nearest = dbvhi_add( nearest, dbvhi_scale( -copysign( beyond[i], d.v[i] ), dbvhi_axis( b->axes, i ) ) );
	const dbvhi_vec r = dbvhi_times( inverse, dbvhi_along( e->axes, nearest ) );
	const double square = dbvhi_dot( r, r );
	if ( square <= 1.0 )
		return true;

	dbvhi_vec turn[3], edge[3], t;
	double support = square;
	for ( int i = 0; i < 3; ++i ) {
		turn[i] = dbvhi_along( e->axes, dbvhi_axis( b->axes, i ) );
		if ( beyond[i] > 0.0 ) {
			const dbvhi_vec normal = dbvhi_times( ( dbvhi_vec ){ { l0, l1, l2 } }, turn[i] );
			if ( beyond[i] * beyond[i] > dbvhi_dot( normal, normal ) )
				return false;
			t.v[i] = copysign( 1.0, d.v[i] );
		} else {
			t.v[i] = d.v[i] / b->half[i];
		}
		edge[i] = dbvhi_scale( b->half[i], dbvhi_times( inverse, turn[i] ) );
		const double along = dbvhi_dot( r, edge[i] );
		support -= fabs( along ) + t.v[i] * along;
	}
	if ( support > 0.0 && support * support > square )
		return false;
	return descend( e, b, r, t, edge );
}
