// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The fast test of an ellipsoid and a box: proofs, from the cheapest on, that the two intersect or do not.
//
//   1. The nearest point p of the box to the ellipsoid's centre, in the ordinary metric. Farther than the largest half
//      length: apart. Nearer than the smallest: they intersect. So far the ellipsoid's axes have not been looked at.
//   2. r, the image of p where the ellipsoid is the unit ball. | r | <= 1: they intersect.
//   3. The plane of a face that the centre sees, in those axes that p lies at the end of: apart.
//   4. The plane across r that touches the box: if it passes farther than 1 from the origin, apart.
//   5. One sweep of projected descent along the box's three edges, which improves r; then 2 and 4 again.
//
// Steps 2 and 4 prove what they say whatever r is, so nothing rests on the convergence of step 5; the few pairs that
// are open after 16 sweeps are decided by faces (ellipsoid_faces.c).

#include "primitive/ellipsoid/ellipsoid.h"

#include <math.h>

enum { SWEEPS = 16 };

// The place along an axis, kept within the box.
DBVHI_INLINE double clamped( double x, double half ) {
	x = x < half ? x : half;
	return x > -half ? x : -half;
}

// Does the plane perpendicular to r that supports the box pass farther than 1 from the origin? `along`: dot products of
// r with the box's axes in the ball's space; x: coordinates of r along these axes; `square`: r . r. Lengths are in a
// unit whose square is `one`.
DBVHI_INLINE bool plane_is_beyond( const dbvh_obb *b, double square, double one, const double x[3],
                                   const double along[3] ) {
	double reach = b->half[0] * fabs( along[0] ) + x[0] * along[0];
	for ( int i = 1; i < 3; ++i )
		reach += b->half[i] * fabs( along[i] ) + x[i] * along[i];
	const double support = square - reach;
	return ( support > 0.0 ) & ( support * support > one * square );
}

// The sum of t[k] times axis k.
DBVHI_INLINE dbvhi_vec combine( const double axes[3][3], const double t[3] ) {
	dbvhi_vec out;
	for ( int c = 0; c < 3; ++c )
		out.v[c] = t[0] * axes[0][c] + t[1] * axes[1][c] + t[2] * axes[2][c];
	return out;
}

// From the second look on.
__attribute__( ( noinline ) ) static bool descend( const dbvh_ellipsoid *e, const dbvh_obb *b, dbvhi_vec r, double x[3],
                                                   const double beyond[3] ) {
	const dbvhi_vec inverse_half = dbvhi_inverse_half( e );
	dbvhi_vec edge[3];
	double inverse[3];
	bool slab = false;
	for ( int i = 0; i < 3; ++i ) {
		const dbvhi_vec turn = dbvhi_along( e->axis, dbvhi_axis( b->axis, i ) );
		const dbvhi_vec normal = dbvhi_times( ( dbvhi_vec ){ { e->half[0], e->half[1], e->half[2] } }, turn );
		slab |= beyond[i] * beyond[i] > dbvhi_dot( normal, normal );
		edge[i] = dbvhi_times( inverse_half, turn );
		const double square = dbvhi_dot( edge[i], edge[i] );
		inverse[i] = square > 0.0 ? 1.0 / square : 0.0;
	}
	if ( slab )
		return false;
	for ( int sweep = 0; sweep < SWEEPS; ++sweep ) {
		for ( int i = 0; i < 3; ++i ) {
			const double next = clamped( x[i] - dbvhi_dot( r, edge[i] ) * inverse[i], b->half[i] );
			r = dbvhi_add( r, dbvhi_scale( next - x[i], edge[i] ) );
			x[i] = next;
		}
		const double square = dbvhi_dot( r, r );
		if ( square <= 1.0 )
			return true;
		const double along[3] = { dbvhi_dot( r, edge[0] ), dbvhi_dot( r, edge[1] ), dbvhi_dot( r, edge[2] ) };
		if ( plane_is_beyond( b, square, 1.0, x, along ) )
			return false;
	}
	return dbvhi_ellipsoid_face_select( e, b );
}

// Conditions that are random in most uses are computed without a branch: a branch that is taken half of the time costs
// more than a step.
bool dbvhi_ellipsoid_descent( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	const dbvhi_vec d = dbvhi_along( b->axis, dbvhi_offset( e, b ) );
	const double l0 = e->half[0], l1 = e->half[1], l2 = e->half[2];
	double x[3], beyond[3];
	for ( int i = 0; i < 3; ++i ) {
		x[i] = clamped( d.v[i], b->half[i] );
		beyond[i] = x[i] - d.v[i];
	}
	const double far = beyond[0] * beyond[0] + beyond[1] * beyond[1] + beyond[2] * beyond[2];
	double least = l0 < l1 ? l0 : l1, most = l0 > l1 ? l0 : l1;
	least = l2 < least ? l2 : least;
	most = l2 > most ? l2 : most;
	const bool near = far <= least * least;
	if ( near | ( far > most * most ) )
		return near;

	// Lengths from here on are multiplied by a power of l0 l1 l2, which avoids divisions.
	const dbvhi_vec others = { { l1 * l2, l0 * l2, l0 * l1 } };
	const double all = others.v[2] * l2, one = all * all;
	const dbvhi_vec nearest = combine( b->axis, beyond ); // from the ellipsoid's centre to p
	const dbvhi_vec r = dbvhi_times( others, dbvhi_along( e->axis, nearest ) );
	const double square = dbvhi_dot( r, r );
	if ( square <= one )
		return true;

	// The dot product of r with an axis of the box in the ball's space is that of g = U diag( 1 / half ) r with the
	// axis in ordinary space, so the axes need not be mapped.
	const dbvhi_vec across = dbvhi_times( others, r );
	const dbvhi_vec along = dbvhi_along( b->axis, combine( e->axis, across.v ) );
	if ( plane_is_beyond( b, square, one, x, along.v ) )
		return false;
	return descend( e, b, dbvhi_scale( 1.0 / all, r ), x, beyond );
}
