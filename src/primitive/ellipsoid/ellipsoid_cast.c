// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// An ellipsoid in motion against a box. Where the ellipsoid is the unit ball its centre runs along a line, and the two
// touch while it is in the sum of the parallelepiped and the ball: a convex body, the union of the parallelepiped, a
// prism of height 1 on each face, and a cylinder and two balls of radius 1 on each edge. So the times of contact are
// from the first to the last of any of these, and no two of them need to be told apart.

#include "base/fpenv.h"
#include "base/status.h"
#include "primitive/ellipsoid/ellipsoid.h"

#include <math.h>
#include <string.h>

// Times, none where first > last.
typedef struct interval {
	double first, last;
} interval;

static const interval always = { 0.0, 1.0 };

// The centre of the ball at time t is at + t by, seen from the middle of the box.
typedef struct course {
	dbvhi_vec at, by;
} course;

static void join( interval *sum, interval more ) {
	if ( !( more.first <= more.last ) )
		return;
	sum->first = more.first < sum->first ? more.first : sum->first;
	sum->last = more.last > sum->last ? more.last : sum->last;
}

// When |place + t rate| <= reach.
static interval clip( interval when, double place, double rate, double reach ) {
	if ( rate == 0.0 )
		return fabs( place ) <= reach ? when : ( interval ){ 1.0, 0.0 };
	const double one = ( -reach - place ) / rate, other = ( reach - place ) / rate;
	const double first = one < other ? one : other, last = one < other ? other : one;
	return ( interval ){ first > when.first ? first : when.first, last < when.last ? last : when.last };
}

// The same of a coordinate along a direction.
static interval clip_along( interval when, const course *c, dbvhi_vec direction, double reach ) {
	return clip( when, dbvhi_dot( direction, c->at ), dbvhi_dot( direction, c->by ), reach );
}

// When | place + t rate | <= 1, by the nearest point of the line: no discriminant, which would cancel.
static interval clip_ball( interval when, dbvhi_vec place, dbvhi_vec rate ) {
	const double square = dbvhi_dot( rate, rate );
	if ( !( square > 0.0 ) )
		return dbvhi_dot( place, place ) <= 1.0 ? when : ( interval ){ 1.0, 0.0 };
	const double middle = -dbvhi_dot( place, rate ) / square;
	const dbvhi_vec foot = dbvhi_add( place, dbvhi_scale( middle, rate ) );
	const double rest = 1.0 - dbvhi_dot( foot, foot );
	if ( rest < 0.0 )
		return ( interval ){ 1.0, 0.0 };
	const double half = sqrt( rest / square );
	return ( interval ){ middle - half > when.first ? middle - half : when.first,
	                     middle + half < when.last ? middle + half : when.last };
}

static course moved_origin( const course *c, dbvhi_vec origin ) {
	return ( course ){ dbvhi_sub( c->at, origin ), c->by };
}

// The part of a vector across a unit direction.
static dbvhi_vec across( dbvhi_vec x, dbvhi_vec unit ) {
	return dbvhi_sub( x, dbvhi_scale( dbvhi_dot( x, unit ), unit ) );
}

// A direction in the plane of edges u and v, across v, along which u reaches 1; 0 where they are parallel.
static dbvhi_vec dual_of( dbvhi_vec u, dbvhi_vec v ) {
	const double vv = dbvhi_dot( v, v );
	const dbvhi_vec w = dbvhi_sub( u, dbvhi_scale( vv > 0.0 ? dbvhi_dot( u, v ) / vv : 0.0, v ) );
	const double ww = dbvhi_dot( w, w );
	return dbvhi_scale( ww > 0.0 ? 1.0 / ww : 0.0, w );
}

// The box in the ball's space, and the planes of its faces.
typedef struct body {
	dbvhi_vec edge[3];
	dbvhi_vec normal[3]; // unit
	double height[3];    // distances of the faces from the centre
} body;

// Each face extended by 1 outwards, along its normal. The parallelepiped is between the two of any pair.
static interval in_prisms( const course *c, const body *b ) {
	interval sum = { 2.0, -1.0 };
	for ( int i = 0; i < 3; ++i ) {
		const dbvhi_vec u = b->edge[( i + 1 ) % 3], v = b->edge[( i + 2 ) % 3];
		const dbvhi_vec du = dual_of( u, v ), dv = dual_of( v, u );
		for ( int side = -1; side <= 1; side += 2 ) {
			const course from = moved_origin( c, dbvhi_scale( side, b->edge[i] ) );
			interval when = clip( always, dbvhi_dot( b->normal[i], from.at ) - 0.5 * side,
			                      dbvhi_dot( b->normal[i], from.by ), 0.5 );
			when = clip_along( when, &from, du, 1.0 );
			join( &sum, clip_along( when, &from, dv, 1.0 ) );
		}
	}
	interval within = always;
	for ( int i = 0; i < 3; ++i )
		within = clip_along( within, c, b->normal[i], b->height[i] );
	join( &sum, within );
	return sum;
}

// The cylinder of one edge, at p, and the balls at both ends.
static void join_edge( interval *sum, const course *c, dbvhi_vec p, dbvhi_vec edge ) {
	const course from = moved_origin( c, p );
	const double length = dbvhi_length( edge );
	if ( length > 0.0 ) {
		const dbvhi_vec unit = dbvhi_scale( 1.0 / length, edge );
		const interval when = clip_along( always, &from, unit, length );
		if ( when.first <= when.last )
			join( sum, clip_ball( when, across( from.at, unit ), across( from.by, unit ) ) );
	}
	join( sum, clip_ball( always, dbvhi_sub( from.at, edge ), from.by ) );
	join( sum, clip_ball( always, dbvhi_add( from.at, edge ), from.by ) );
}

static interval times_of( const course *c, const body *b ) {
	// Beyond the planes of a face by more than 1 all the way: most pairs that never touch.
	interval may = always;
	for ( int i = 0; i < 3; ++i )
		may = clip_along( may, c, b->normal[i], b->height[i] + 1.0 );
	if ( !( may.first <= may.last ) )
		return may;
	interval sum = in_prisms( c, b );
	for ( int i = 0; i < 3; ++i ) {
		const dbvhi_vec u = b->edge[( i + 1 ) % 3], v = b->edge[( i + 2 ) % 3];
		for ( int corner = 0; corner < 4; ++corner )
			join_edge(
			    &sum, c,
			    dbvhi_add( dbvhi_scale( corner & 1 ? 1.0 : -1.0, u ), dbvhi_scale( corner & 2 ? 1.0 : -1.0, v ) ),
			    b->edge[i] );
	}
	return sum;
}

// The box in coordinates that make the ellipsoid the unit ball: the normal of face i is diag( half ) U^T v_i.
static body body_of( const dbvh_ellipsoid *e, const dbvh_obb *b, const dbvhi_vec turn[3], const dbvhi_skew *skew ) {
	body out;
	for ( int i = 0; i < 3; ++i ) {
		const dbvhi_vec normal = dbvhi_times( ( dbvhi_vec ){ { e->half[0], e->half[1], e->half[2] } }, turn[i] );
		const double length = dbvhi_length( normal );
		out.edge[i] = skew->edge[i];
		out.normal[i] = dbvhi_scale( 1.0 / length, normal );
		out.height[i] = b->half[i] / length;
	}
	return out;
}

static const double nowhere[3] = { 0.0, 0.0, 0.0 };

static dbvh_status check_translation( const double by[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( !isfinite( by[k] ) )
			return DBVH_NOT_FINITE;
	}
	for ( int k = 0; k < 3; ++k ) {
		if ( fabs( by[k] ) > 0x1p120 )
			return DBVH_LIMIT;
	}
	return DBVH_OK;
}

static dbvh_status check( const dbvh_ellipsoid *e, const double by_a[3], const dbvh_obb *b, const double by_b[3] ) {
	if ( e == NULL || b == NULL )
		return DBVH_INVALID_ARGUMENT;
	DBVHI_TRY( dbvhi_volume_check( e->centre, e->axis, e->half ) );
	DBVHI_TRY( dbvhi_volume_check( b->centre, b->axis, b->half ) );
	DBVHI_TRY( check_translation( by_a ) );
	return check_translation( by_b );
}

static bool touch_at_end( const dbvh_ellipsoid *e, const double by_a[3], const dbvh_obb *b, const double by_b[3] ) {
	dbvh_ellipsoid last = *e;
	for ( int k = 0; k < 3; ++k )
		last.centre[k] += by_a[k] - by_b[k];
	return dbvhi_ellipsoid_descent( &last, b );
}

static DBVHI_NOINLINE_FP dbvh_status do_cast( const dbvh_ellipsoid *e, const double by_a[3], const dbvh_obb *b,
                                              const double by_b[3], dbvh_shape_cast_result *out ) {
	if ( out == NULL )
		return DBVH_INVALID_ARGUMENT;
	memset( out, 0, sizeof *out );
	by_a = by_a != NULL ? by_a : nowhere;
	by_b = by_b != NULL ? by_b : nowhere;
	DBVHI_TRY( check( e, by_a, b, by_b ) );
	dbvhi_vec turn[3];
	dbvhi_turns( e, b, turn );
	const dbvhi_skew skew = dbvhi_skew_of( e, b, dbvhi_offset( e, b ), turn );
	const dbvhi_vec by = { { by_a[0] - by_b[0], by_a[1] - by_b[1], by_a[2] - by_b[2] } };
	const course c = { dbvhi_scale( -1.0, skew.centre ),
	                   dbvhi_times( dbvhi_inverse_half( e ), dbvhi_along( e->axis, by ) ) };
	const body box = body_of( e, b, turn, &skew );
	const interval when = times_of( &c, &box );
	out->at_start = dbvhi_ellipsoid_descent( e, b );
	out->at_end = touch_at_end( e, by_a, b, by_b );
	out->intersects = out->at_start || out->at_end || when.first <= when.last;
	if ( !out->intersects )
		return DBVH_OK;
	// If only an end of the motion touches, within the margin, both times are that end.
	const bool known = when.first <= when.last;
	out->enter = out->at_start ? 0.0 : known ? when.first : 1.0;
	out->exit = out->at_end ? 1.0 : known ? when.last : 0.0;
	return DBVH_OK;
}

dbvh_status dbvh_ellipsoid_obb_cast( const dbvh_ellipsoid *ellipsoid, const double translation_a[3],
                                     const dbvh_obb *box, const double translation_b[3],
                                     dbvh_shape_cast_result *result_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_cast( ellipsoid, translation_a, box, translation_b, result_out ) );
}

// ------------------------------------------------------------------------------------------------
// Boxes along the axes

// The axis of the frame that `axis` is parallel to; -1: none.
static int frame_axis( const double axis[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( fabs( axis[k] ) == 1.0 && axis[( k + 1 ) % 3] == 0.0 && axis[( k + 2 ) % 3] == 0.0 )
			return k;
	}
	return -1;
}

// The half lengths along the axes of the frame; false where the ellipsoid is turned otherwise.
static bool frame_half( const dbvh_ellipsoid *e, double half[3] ) {
	for ( int i = 0; i < 3; ++i ) {
		const int k = frame_axis( e->axis[i] );
		if ( k < 0 )
			return false;
		half[k] = e->half[i];
	}
	return true;
}

// dbvhi_volume_check() for volumes whose axes are known to be valid. A valid volume costs one branch.
static dbvh_status check_lengths( const double centre[3], const double half[3] ) {
	bool right = true;
	for ( int k = 0; k < 3; ++k )
		right &= fabs( centre[k] ) <= 0x1p120 && half[k] >= 0x1p-120 && half[k] <= 0x1p120;
	static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	return right ? DBVH_OK : dbvhi_volume_check( centre, axes, half );
}

// A sphere and a box in the space where the ellipsoid is the unit ball (Arvo 1990), larger by the product of its half
// lengths, so that there is no division.
static bool meets_scaled( const dbvh_ellipsoid *e, const double half[3], const dbvh_aabb *b ) {
	double square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double below = b->min[k] - e->centre[k], above = e->centre[k] - b->max[k];
		double gap = below > above ? below : above;
		gap = gap > 0.0 ? gap : 0.0;
		const double x = gap * half[( k + 1 ) % 3] * half[( k + 2 ) % 3];
		square += x * x;
	}
	const double one = half[0] * half[1] * half[2];
	return square <= one * one;
}

static DBVHI_NOINLINE_FP dbvh_status do_aabb( const dbvh_ellipsoid *e, const dbvh_aabb *b, bool *intersect_out ) {
	if ( e == NULL || b == NULL || intersect_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	*intersect_out = false;
	dbvh_obb box = { .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
	for ( int k = 0; k < 3; ++k ) {
		box.centre[k] = 0.5 * b->min[k] + 0.5 * b->max[k];
		box.half[k] = 0.5 * b->max[k] - 0.5 * b->min[k];
	}
	double half[3];
	const bool aligned = frame_half( e, half );
	dbvh_status status =
	    aligned ? check_lengths( e->centre, e->half ) : dbvhi_volume_check( e->centre, e->axis, e->half );
	if ( status == DBVH_OK )
		status = check_lengths( box.centre, box.half );
	if ( status == DBVH_OK )
		*intersect_out = aligned ? meets_scaled( e, half, b ) : dbvhi_ellipsoid_descent( e, &box );
	return status;
}

dbvh_status dbvh_ellipsoid_aabb_intersect( const dbvh_ellipsoid *ellipsoid, const dbvh_aabb *box,
                                           bool *intersect_out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_aabb( ellipsoid, box, intersect_out ) );
}
