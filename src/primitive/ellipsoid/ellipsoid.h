// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The inside of ellipsoid.h: the tests without checks of their arguments, and what they share.
//
// All methods look at the pair where the ellipsoid is the unit ball about the origin and the box a parallelepiped
// ("skew" below). There a plane of the box has the normal diag( half ) U^T v, which is computed as such: as a cross
// product of two edges it would lose what a thin ellipsoid stretches. For the same reason squares of the form
// P^T M P are always the squares of a vector, and a distance from a line that of a foot point, never a discriminant.

#pragma once

#include "base/assert.h"
#include "dualbvh/ellipsoid.h"
#include "math/vec.h"
#include "primitive/fit/points.h"

#include <stdbool.h>

// No half length is kept below this part of the largest.
#define DBVHI_THINNEST 0x1p-20

// The tests of one pair, by method.
typedef bool dbvhi_ellipsoid_test( const dbvh_ellipsoid *e, const dbvh_obb *b );
dbvhi_ellipsoid_test dbvhi_ellipsoid_brute_force, dbvhi_ellipsoid_face_distance, dbvhi_ellipsoid_face_select,
    dbvhi_ellipsoid_quick_rejection, dbvhi_ellipsoid_all_features, dbvhi_ellipsoid_closest_features,
    dbvhi_ellipsoid_minkowski, dbvhi_ellipsoid_descent;
// The same for a box of which half extents are 0: a rectangle, a segment, a point.
dbvhi_ellipsoid_test dbvhi_ellipsoid_meets_flat;
extern dbvhi_ellipsoid_test *const dbvhi_ellipsoid_tests[DBVH_ELLIPSOID_METHOD_COUNT];

// Checks an ellipsoid or a box: the tests above require DBVH_OK.
dbvh_status dbvhi_volume_check( const double centre[3], const double axes[3][3], const double half[3] );

// Writes the sentence for a volume that dbvhi_volume_check() refuses; `index` SIZE_MAX: not one of many. Returns
// `status`.
dbvh_status dbvhi_volume_blame( dbvh_status status, const char *name, size_t index, dbvh_error *error );

bool dbvhi_ellipsoids_intersect( const dbvh_ellipsoid *a, const dbvh_ellipsoid *b );
bool dbvhi_ellipsoid_intersects_sphere( const dbvh_ellipsoid *e, dbvhi_vec centre, double radius );

// The box where the ellipsoid is the unit ball about the origin: the points centre + sum t_i edge[i].
typedef struct dbvhi_skew {
	dbvhi_vec centre;
	dbvhi_vec edge[3];
} dbvhi_skew;

DBVHI_INLINE dbvhi_vec dbvhi_axis( const double axes[3][3], int k ) {
	DBVHI_ASSERT( (unsigned)k < 3 );
	return ( dbvhi_vec ){ { axes[k][0], axes[k][1], axes[k][2] } };
}

// U^T x: how far x reaches along each axis.
DBVHI_INLINE dbvhi_vec dbvhi_along( const double axes[3][3], dbvhi_vec x ) {
	return ( dbvhi_vec ){ { axes[0][0] * x.v[0] + axes[0][1] * x.v[1] + axes[0][2] * x.v[2],
	                        axes[1][0] * x.v[0] + axes[1][1] * x.v[1] + axes[1][2] * x.v[2],
	                        axes[2][0] * x.v[0] + axes[2][1] * x.v[1] + axes[2][2] * x.v[2] } };
}

// From the centre of the box to that of the ellipsoid.
DBVHI_INLINE dbvhi_vec dbvhi_offset( const dbvh_ellipsoid *e, const dbvh_obb *b ) {
	return ( dbvhi_vec ){ { e->centre[0] - b->centre[0], e->centre[1] - b->centre[1], e->centre[2] - b->centre[2] } };
}

DBVHI_INLINE dbvhi_vec dbvhi_times( dbvhi_vec a, dbvhi_vec b ) {
	return ( dbvhi_vec ){ { a.v[0] * b.v[0], a.v[1] * b.v[1], a.v[2] * b.v[2] } };
}

// turn[i] = U^T v_i, the box's axes in the ellipsoid's frame.
DBVHI_INLINE void dbvhi_turns( const dbvh_ellipsoid *e, const dbvh_obb *b, dbvhi_vec turn[3] ) {
	for ( int i = 0; i < 3; ++i )
		turn[i] = dbvhi_along( e->axis, dbvhi_axis( b->axis, i ) );
}

DBVHI_INLINE dbvhi_vec dbvhi_inverse_half( const dbvh_ellipsoid *e ) {
	return ( dbvhi_vec ){ { 1.0 / e->half[0], 1.0 / e->half[1], 1.0 / e->half[2] } };
}

DBVHI_INLINE dbvhi_skew dbvhi_skew_of( const dbvh_ellipsoid *e, const dbvh_obb *b, dbvhi_vec offset,
                                       const dbvhi_vec turn[3] ) {
	const dbvhi_vec inverse = dbvhi_inverse_half( e );
	dbvhi_skew s;
	s.centre = dbvhi_scale( -1.0, dbvhi_times( inverse, dbvhi_along( e->axis, offset ) ) );
	for ( int i = 0; i < 3; ++i )
		s.edge[i] = dbvhi_scale( b->half[i], dbvhi_times( inverse, turn[i] ) );
	return s;
}

// Does the segment p + t d, | t | <= 1, come within 1 of the origin? `square` is d . d.
DBVHI_INLINE bool dbvhi_segment_near( dbvhi_vec p, dbvhi_vec d, double square ) {
	DBVHI_ASSERT( square >= 0.0 );
	double t = square > 0.0 ? -dbvhi_dot( p, d ) / square : 0.0;
	t = t < -1.0 ? -1.0 : t > 1.0 ? 1.0 : t;
	const dbvhi_vec x = dbvhi_add( p, dbvhi_scale( t, d ) );
	return dbvhi_dot( x, x ) <= 1.0;
}

// An ellipsoid by its support: in the direction n it reaches n . centre + sqrt( n . S n ). S is the product of the axes
// times the half lengths with its transpose, here xx yy zz xy yz zx, each entry within 2^-48 longest^2 of the truth.
typedef struct dbvhi_reach {
	dbvhi_vec centre;
	double shape[6];
	double longest; // half length, from above
} dbvhi_reach;

// One round the triangles of a node, in some frame. Tree files have it as it lies in memory: 168 bytes also where the
// compiler aligns a double to four.
typedef struct dbvhi_node_ellipsoid {
	_Alignas( 8 ) dbvhi_reach reach;
	dbvhi_mat
	    to_ball; // | to_ball ( x - centre ) | <= 1 for every point x of the ellipsoid: rows are axes over half lengths
	double inverse_shortest; // 1 / the smallest half length, from above
	bool aligned;            // its axes are those of the node's box
	bool chosen;             // expected to save the reference traversal more than it costs
	bool packed;             // expected to save the packed one more than it costs
} dbvhi_node_ellipsoid;

// The least ellipsoid round points in coordinates near 1 (the largest of them between 2^-80 and 2^80 or so, or 0), and
// not thinner than `floor`. What is returned encloses them with `slack` to spare in every direction. `room` holds three
// doubles a point.
dbvh_ellipsoid dbvhi_ellipsoid_least( dbvhi_point_set points, double floor, double slack, double *room );

// The least ellipsoid with the coordinate axes for its own.
dbvh_ellipsoid dbvhi_ellipsoid_aligned( dbvhi_point_set points, double floor, double slack, double *room );
