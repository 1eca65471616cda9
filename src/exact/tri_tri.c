// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "exact/tri_tri.h"

#include "base/assert.h"
#include "exact/orient.h"
#include "exact/vec3.h"

#include <math.h>

// ------------------------------------------------------------------------------------------------
// The filter: Guigue and Devillers' test ("Fast and robust triangle-triangle overlap test using orientation
// predicates", 2003), which needs only signs of determinants
//
//     D(a, b, c, d) = det [a - d, b - d, c - d].
//
// It answers only when each sign it uses is certain and not zero.
//
// Bound. Let u = 2^-53, E the error of each coordinate, S the largest computed |difference|. A difference of two
// rounded coordinates is off by at most eta = 2E + uS (both may be moved ones). Moving each of nine entries of size S
// by eta moves the determinant by at most 6 (3 S^2 eta + 3 S eta^2 + eta^3); with E < 2^-20 S the last two terms add
// less than a factor of 1 + 2^-18. Evaluating the determinant adds at most (7 + 56u) u times its permanent (Shewchuk
// 1997, section 4.3), which is at most 6 S^3. Together
//
//     18 S^2 (2E + uS)(1 + 2^-18) + 42.1 u S^3  <  S^2 (36.1 E + 60.2 u S),
//
// and S^2 (40 E + 64 u S), computed, is more than that whatever its own rounding. A product that underflows is off by
// 2^-1074 at most, which S > 2^-300 makes negligible.

#define U 0x1p-53

double dbvhi_move_error( const dbvh_pose *pose, double largest ) {
	DBVHI_ASSERT( largest >= 0.0 );
	double rows = 0.0, offset = 0.0;
	bool identity = true;
	for ( int i = 0; i < 3; ++i ) {
		rows = dbvhi_larger( fabs( pose->rot[i][0] ) + fabs( pose->rot[i][1] ) + fabs( pose->rot[i][2] ), rows );
		offset = dbvhi_larger( fabs( pose->pos[i] ), offset );
		for ( int j = 0; j < 3; ++j )
			identity = identity && pose->rot[i][j] == ( i == j ? 1.0 : 0.0 );
	}
	if ( identity && offset == 0.0 )
		return 0.0;
	// Three products and three sums: each term passes through at most four roundings.
	return 4.1 * U * ( rows * largest + offset ) + 0x1p-1070;
}

static inline double determinant( const double *a, const double *b, const double *c, const double *d ) {
	return vec3_dot( vec3_between( a, d ), vec3_cross( vec3_between( b, d ), vec3_between( c, d ) ) );
}

// The sides on which three corners lie: the index of the one that is alone on its side, and which side that is.
// -1 if all are certainly on one side, -2 if that is not certain.
static inline int lone_corner( const double side[3], double bound, bool *above ) {
	const int over = ( side[0] > bound ) | ( side[1] > bound ) << 1 | ( side[2] > bound ) << 2;
	const int under = ( side[0] < -bound ) | ( side[1] < -bound ) << 1 | ( side[2] < -bound ) << 2;
	if ( over == 7 || under == 7 )
		return -1;
	if ( ( over | under ) != 7 )
		return -2;
	static const signed char lone[8] = { -1, 0, 1, 2, 2, 1, 0, -1 };
	*above = over == 1 || over == 2 || over == 4;
	return lone[over];
}

// Is some edge of t, in the plane left by dropping a coordinate, certainly between t and another triangle? `turn` is
// the sign of t's orientation there. Differences are off by eta as above, so a 2x2 determinant by 4 S eta, and by 6 u
// S^2 for its evaluation: less than S (8 E + 10 u S), for which the caller's bound leaves room.
static bool edge_parts( const double *t, const double *other, double turn, int x, int y, double bound ) {
	DBVHI_ASSERT( (unsigned)x < 3 && (unsigned)y < 3 && x != y );
	for ( int i = 0; i < 3; ++i ) {
		const double *p = t + 3 * i, *q = t + 3 * ( ( i + 1 ) % 3 );
		const double ex = turn * ( q[x] - p[x] ), ey = turn * ( q[y] - p[y] );
		const double d0 = ex * ( other[y] - p[y] ) - ey * ( other[x] - p[x] );
		const double d1 = ex * ( other[3 + y] - p[y] ) - ey * ( other[3 + x] - p[x] );
		const double d2 = ex * ( other[6 + y] - p[y] ) - ey * ( other[6 + x] - p[x] );
		if ( d0 < -bound && d1 < -bound && d2 < -bound )
			return true;
	}
	return false;
}

// Triangles that lie nearly in one plane, whose sides of each other's planes say nothing: they are disjoint if their
// projections are.
static bool projections_apart( const double a[9], const double b[9], vec3 normal_a, vec3 normal_b, double error,
                               double size ) {
	const vec3 n = vec3_size( normal_a ) > vec3_size( normal_b ) ? normal_a : normal_b;
	const int axis = fabs( n.x ) >= fabs( n.y )   ? ( fabs( n.x ) >= fabs( n.z ) ? 0 : 2 )
	                 : fabs( n.y ) >= fabs( n.z ) ? 1
	                                              : 2;
	const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
	const double na = axis == 0 ? normal_a.x : axis == 1 ? normal_a.y : normal_a.z;
	const double nb = axis == 0 ? normal_b.x : axis == 1 ? normal_b.y : normal_b.z;
	const double bound = size * ( 9.0 * error + 12.0 * U * size );
	// The components of the normals are the orientations there.
	return ( fabs( na ) > bound && edge_parts( a, b, na > 0.0 ? 1.0 : -1.0, x, y, bound ) ) ||
	       ( fabs( nb ) > bound && edge_parts( b, a, nb > 0.0 ? 1.0 : -1.0, x, y, bound ) );
}

static dbvhi_answer filter_scaled( const double fixed[9], const double image[9], double error );

// `scaled`: coordinates have been brought near 1.
static inline dbvhi_answer filter( const double fixed[9], const double image[9], double error, bool scaled ) {
	const double *a = fixed, *b = image;
	const vec3 a10 = vec3_between( a + 3, a ), a20 = vec3_between( a + 6, a );
	const vec3 b10 = vec3_between( b + 3, b ), b20 = vec3_between( b + 6, b );
	const vec3 d0 = vec3_between( b, a ), d1 = vec3_between( b + 3, a ), d2 = vec3_between( b + 6, a );

	// Every difference that is formed below is one of these or of two of them: doubling covers all.
	const double size =
	    2.0 * dbvhi_larger( dbvhi_larger( dbvhi_larger( vec3_size( a10 ), vec3_size( a20 ) ), vec3_size( d0 ) ),
	                        dbvhi_larger( vec3_size( d1 ), vec3_size( d2 ) ) );
	if ( !( size > 0x1p-300 && size < 0x1p300 && error < size * 0x1p-20 ) )
		return scaled || ( size > 0x1p-300 && size < 0x1p300 ) ? DBVHI_UNSURE : filter_scaled( fixed, image, error );
	const double bound = size * size * ( 40.0 * error + 64.0 * U * size );

	const vec3 normal_a = vec3_cross( a10, a20 );
	const double side_b[3] = { vec3_dot( normal_a, d0 ), vec3_dot( normal_a, d1 ), vec3_dot( normal_a, d2 ) };
	bool b_above = false, a_above = false;
	const int lone_b = lone_corner( side_b, bound, &b_above );
	if ( lone_b == -1 )
		return DBVHI_DISJOINT;

	const vec3 normal_b = vec3_cross( b10, b20 );
	const double side_a[3] = { -vec3_dot( normal_b, d0 ), vec3_dot( normal_b, vec3_between( a + 3, b ) ),
	                           vec3_dot( normal_b, vec3_between( a + 6, b ) ) };
	const int lone_a = lone_corner( side_a, bound, &a_above );
	if ( lone_a == -1 )
		return DBVHI_DISJOINT;
	if ( lone_a == -2 || lone_b == -2 )
		return projections_apart( a, b, normal_a, normal_b, error, size ) ? DBVHI_DISJOINT : DBVHI_UNSURE;

	// Each triangle's lone corner first; the other two turned so that it lies above the other triangle's plane.
	const double *p1 = a + 3 * lone_a, *q1 = a + 3 * ( ( lone_a + 1 ) % 3 ), *r1 = a + 3 * ( ( lone_a + 2 ) % 3 );
	const double *p2 = b + 3 * lone_b, *q2 = b + 3 * ( ( lone_b + 1 ) % 3 ), *r2 = b + 3 * ( ( lone_b + 2 ) % 3 );
	if ( !a_above ) {
		const double *t = q2;
		q2 = r2;
		r2 = t;
	}
	if ( !b_above ) {
		const double *t = q1;
		q1 = r1;
		r1 = t;
	}
	// On the line where the planes cross, the triangles cover [k, l] and [i, j]: they overlap if k <= j and i <= l.
	const double first = determinant( p1, q1, p2, q2 );
	const double second = determinant( p1, r1, r2, p2 );
	if ( first < -bound || second < -bound )
		return DBVHI_DISJOINT;
	if ( first > bound && second > bound )
		return DBVHI_INTERSECTING;
	return DBVHI_UNSURE;
}

// At the ends of the doubles: everything times the power of two that brings the largest coordinate near 1. That is
// exact but where a coordinate so much smaller than the largest becomes denormal, which costs it half a unit of those.
static __attribute__( ( noinline ) ) dbvhi_answer filter_scaled( const double fixed[9], const double image[9],
                                                                 double error ) {
	double a[9], b[9], largest = 0.0;
	for ( int k = 0; k < 9; ++k )
		largest = dbvhi_larger( largest, dbvhi_larger( fabs( fixed[k] ), fabs( image[k] ) ) );
	if ( !( largest > 0.0 && largest < INFINITY ) )
		return DBVHI_UNSURE;
	// In two steps: the power itself may be beyond the doubles.
	const int exponent = -ilogb( largest ), half = exponent / 2;
	const double first = ldexp( 1.0, half ), second = ldexp( 1.0, exponent - half );
	for ( int k = 0; k < 9; ++k ) {
		a[k] = fixed[k] * first * second;
		b[k] = image[k] * first * second;
	}
	return filter( a, b, error * first * second + 0x1p-1070, true );
}

dbvhi_answer dbvhi_triangles_filter( const double fixed[9], const double image[9], double error ) {
	DBVHI_ASSERT( error >= 0.0 );
	return filter( fixed, image, error, false );
}

// ------------------------------------------------------------------------------------------------
// The decision. Two closed triangles share a point exactly when an edge of one intersects the other, because the ends
// of their common segment, or the corners of their common polygon, lie on edges. Only signs of the six corners are
// used, so the order of corners and triangles cannot matter.

static bool all_nonnegative( int a, int b, int c ) {
	return a >= 0 && b >= 0 && c >= 0;
}

static bool all_nonpositive( int a, int b, int c ) {
	return a <= 0 && b <= 0 && c <= 0;
}

// Do the closed intervals [a, b] and [c, d], ends in any order, share a value of this coordinate?
static bool intervals_meet( dbvhi_points *s, int axis, int a, int b, int c, int d ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	const int ac = dbvhi_points_compare( s, axis, a, c ), ad = dbvhi_points_compare( s, axis, a, d );
	const int bc = dbvhi_points_compare( s, axis, b, c ), bd = dbvhi_points_compare( s, axis, b, d );
	const bool all_before = ac < 0 && ad < 0 && bc < 0 && bd < 0;
	const bool all_after = ac > 0 && ad > 0 && bc > 0 && bd > 0;
	return !all_before && !all_after;
}

// Closed segments in the plane left by dropping `axis`; either may be a point.
static bool segments_meet_2d( dbvhi_points *s, int axis, int a, int b, int c, int d ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 && (unsigned)c < 6 && (unsigned)d < 6 );
	const int abc = dbvhi_points_orient2d( s, axis, a, b, c ), abd = dbvhi_points_orient2d( s, axis, a, b, d );
	if ( abc * abd > 0 )
		return false;
	const int cda = dbvhi_points_orient2d( s, axis, c, d, a ), cdb = dbvhi_points_orient2d( s, axis, c, d, b );
	if ( cda * cdb > 0 )
		return false;
	// Left are crossings, touching, and collinear segments or points, which the bounding boxes tell apart.
	return intervals_meet( s, ( axis + 1 ) % 3, a, b, c, d ) && intervals_meet( s, ( axis + 2 ) % 3, a, b, c, d );
}

// Coplanar segments meet if and only if all three projections do: one of those keeps distinct points distinct.
static bool segments_meet_3d( dbvhi_points *s, int a, int b, int c, int d ) {
	DBVHI_ASSERT( (unsigned)a < 6 && (unsigned)b < 6 && (unsigned)c < 6 && (unsigned)d < 6 );
	if ( dbvhi_points_orient3d( s, a, b, c, d ) != 0 )
		return false;
	for ( int axis = 0; axis < 3; ++axis ) {
		if ( !segments_meet_2d( s, axis, a, b, c, d ) )
			return false;
	}
	return true;
}

static bool point_in_triangle_2d( dbvhi_points *s, int axis, int p, const int t[3] ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)p < 6 );
	const int e0 = dbvhi_points_orient2d( s, axis, t[0], t[1], p );
	const int e1 = dbvhi_points_orient2d( s, axis, t[1], t[2], p );
	const int e2 = dbvhi_points_orient2d( s, axis, t[2], t[0], p );
	return all_nonnegative( e0, e1, e2 ) || all_nonpositive( e0, e1, e2 );
}

// A segment in the plane of a triangle that has an area.
static bool segment_meets_triangle_2d( dbvhi_points *s, int axis, int p, int q, const int t[3] ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	DBVHI_ASSERT( (unsigned)p < 6 && (unsigned)q < 6 );
	for ( int i = 0; i < 3; ++i ) {
		if ( segments_meet_2d( s, axis, p, q, t[i], t[( i + 1 ) % 3] ) )
			return true;
	}
	return point_in_triangle_2d( s, axis, p, t );
}

// A segment whose ends have the given sides of the plane of a triangle that has an area; not both are 0.
static bool segment_pierces( dbvhi_points *s, int p, int q, int side_p, int side_q, const int t[3] ) {
	DBVHI_ASSERT( (unsigned)p < 6 && (unsigned)q < 6 );
	if ( side_p * side_q > 0 )
		return false;
	const int e0 = dbvhi_points_orient3d( s, p, q, t[0], t[1] );
	const int e1 = dbvhi_points_orient3d( s, p, q, t[1], t[2] );
	const int e2 = dbvhi_points_orient3d( s, p, q, t[2], t[0] );
	return all_nonnegative( e0, e1, e2 ) || all_nonpositive( e0, e1, e2 );
}

// Edges of `edges` against the triangle `t`, which has an area, in the plane of the projection where both ends of an
// edge lie in its plane.
static bool any_edge_meets( dbvhi_points *s, const int edges[3], const int side[3], const int t[3], int axis ) {
	DBVHI_ASSERT( axis >= -1 && axis < 3 );
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3;
		const bool in_plane = side[i] == 0 && side[j] == 0;
		if ( in_plane ? segment_meets_triangle_2d( s, axis, edges[i], edges[j], t )
		              : segment_pierces( s, edges[i], edges[j], side[i], side[j], t ) )
			return true;
	}
	return false;
}

static void sides_of_plane( dbvhi_points *s, const int corners[3], const int plane[3], int side_out[3] ) {
	for ( int i = 0; i < 3; ++i )
		side_out[i] = dbvhi_points_orient3d( s, plane[0], plane[1], plane[2], corners[i] );
}

static bool one_sided( const int side[3] ) {
	return ( side[0] > 0 && side[1] > 0 && side[2] > 0 ) || ( side[0] < 0 && side[1] < 0 && side[2] < 0 );
}

static bool degenerate_triangles_meet( dbvhi_points *s, const int a[3], const int b[3] ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			if ( segments_meet_3d( s, a[i], a[( i + 1 ) % 3], b[j], b[( j + 1 ) % 3] ) )
				return true;
		}
	}
	return false;
}

bool dbvhi_triangles_intersect_exact( const double fixed[9], const double moved[9], const double image[9],
                                      const dbvh_pose *pose, double error ) {
	DBVHI_ASSERT( error >= 0.0 );
	static const int a[3] = { 0, 1, 2 }, b[3] = { 3, 4, 5 };
	dbvhi_points points;
	dbvhi_points *s = &points;
	dbvhi_points_init( s, fixed, moved, image, pose, error );

	const int axis_a = dbvhi_points_projection( s, a[0], a[1], a[2], NULL ),
	          axis_b = dbvhi_points_projection( s, b[0], b[1], b[2], NULL );
	if ( axis_a < 0 && axis_b < 0 )
		return degenerate_triangles_meet( s, a, b );

	int side_a[3], side_b[3];
	if ( axis_b >= 0 ) {
		sides_of_plane( s, a, b, side_a );
		if ( one_sided( side_a ) )
			return false;
	}
	if ( axis_a >= 0 ) {
		sides_of_plane( s, b, a, side_b );
		if ( one_sided( side_b ) )
			return false;
	}
	if ( axis_b >= 0 && any_edge_meets( s, a, side_a, b, axis_b ) )
		return true;
	return axis_a >= 0 && any_edge_meets( s, b, side_b, a, axis_a );
}

bool dbvhi_segment_intersects_triangle( dbvhi_points *s, int p, int q, const int t[3] ) {
	DBVHI_ASSERT( (unsigned)p < 6 && (unsigned)q < 6 );
	const int axis = dbvhi_points_projection( s, t[0], t[1], t[2], NULL );
	if ( axis < 0 )
		return segments_meet_3d( s, p, q, t[0], t[1] ) || segments_meet_3d( s, p, q, t[1], t[2] ) ||
		       segments_meet_3d( s, p, q, t[2], t[0] );
	const int side_p = dbvhi_points_orient3d( s, t[0], t[1], t[2], p );
	const int side_q = dbvhi_points_orient3d( s, t[0], t[1], t[2], q );
	if ( side_p == 0 && side_q == 0 )
		return segment_meets_triangle_2d( s, axis, p, q, t );
	return segment_pierces( s, p, q, side_p, side_q, t );
}
