// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Two triangles in motion: conservative advancement.
//
// At a time t let n be a direction of length 1 along which the triangles are disjoint, in a frame that goes with the
// fixed one. A corner x of the moved one that has the velocity w there, and along n an acceleration of at least -k,
// satisfies
//     n . x(t + s) >= n . x(t) + s n . w - s^2 k / 2,
// so until the first of three parabolas comes down to the highest corner of the fixed triangle the two are disjoint.
// That time is the next t. A triangle that turns about an axis near n is hardly accelerated along n, and one that goes
// round inside a bore is accelerated away from its walls, so these steps are long however small the gap (dbvhi_course
// in toi.h). A direction may also go with the moved triangle, which the corners of the fixed one then approach: the
// walls of a bore that turns about a shaft are such directions. Steps cannot pass the first contact, and converge to it
// quadratically: with the direction of the nearest points while these are far apart; near contact, where the nearest
// points are too close to give a direction, with the normals and the cross products of edges.
//
// The gap is first reduced by `error`, which covers the rounding of all that is computed here, and of the query at the
// same time (api.c). The steps end when the reduced gap is not larger than `error`.

#include "base/assert.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_distance.h"
#include "math/pose.h"
#include "query/toi/toi.h"

#include <math.h>
#include <string.h>

// The most steps: two triangles that slide along each other may need more and are given up; others need two to six.
#define MOST_STEPS 400

// The pose at a time; NULL if the motion is NULL, at rest.
static const dbvh_pose *pose_at( const dbvh_motion *motion, double t, dbvh_pose *memory ) {
	if ( motion == NULL )
		return NULL;
	*memory = dbvh_motion_pose( motion, t );
	return memory;
}

bool dbvhi_toi_pair_at( const dbvhi_toi_search *s, uint32_t i, uint32_t j, double t, dbvhi_mesh_pair *meshes,
                        dbvhi_pair_room *room, dbvhi_posed_pair *out ) {
	DBVHI_ASSERT( i < s->fixed->triangle_count && j < s->moved->triangle_count );
	dbvh_pose memory_a, memory_b;
	const dbvh_tree *a = s->a_moves ? s->moved : s->fixed, *b = s->a_moves ? s->fixed : s->moved;
	const dbvh_pose *pose_a = pose_at( s->motion_a, t, &memory_a ), *pose_b = pose_at( s->motion_b, t, &memory_b );
	if ( dbvhi_mesh_pair_init( meshes, a, pose_a, b, pose_b ) != DBVH_OK )
		return false;
	// note: the mesh that the query moves need not be the one that the search moves.
	const bool swap = meshes->a_moves != s->a_moves;
	*out = dbvhi_mesh_pair_triangles( meshes, swap ? j : i, swap ? i : j, room );
	return true;
}

// True if dbvh_collide() at the poses of time t finds that these two triangles intersect.
static bool meet_at( dbvhi_toi_search *s, uint32_t i, uint32_t j, double t ) {
	dbvhi_mesh_pair meshes;
	dbvhi_posed_pair pair;
	dbvhi_pair_room room;
	if ( !dbvhi_toi_pair_at( s, i, j, t, &meshes, &room, &pair ) )
		return false;
	const dbvhi_answer answer = dbvhi_triangles_filter( pair.fixed, pair.image, pair.error );
	if ( answer != DBVHI_UNSURE )
		return answer == DBVHI_INTERSECTING;
	s->counters.exact_tests += 1;
	return dbvhi_triangles_intersect_exact( pair.fixed, pair.moved, pair.image, pair.pose, pair.error );
}

// Place corners in the frame of the search, scaled.
static void place_corners( const dbvh_pose *pose, const double corners[9], double scale, double out[9] ) {
	double scaled[9];
	for ( int k = 0; k < 9; ++k )
		scaled[k] = scale * corners[k];
	dbvhi_triangle_move( pose, scaled, out );
}

static dbvhi_vec difference( const double *a, const double *b ) {
	return ( dbvhi_vec ){ { a[0] - b[0], a[1] - b[1], a[2] - b[2] } };
}

// Two triangles at a time t, and a bound of how long they stay disjoint.
typedef struct outlook {
	double fixed[9], image[9];
	double error, left;
	bool turns, from_both;           // the image turns; directions that go with the image are used, too
	dbvhi_vec axis, axis_back;       // dbvhi_swinging_axis() seen from the fixed triangle, and from the image
	dbvhi_course moved[3], stays[3]; // corners of the image seen from the fixed triangle, and the other way round
	double separation;               // largest gap along a direction, less the error
	double ahead;                    // no contact before t + ahead
	double touch;                    // estimate of the time until contact: the same without the error
} outlook;

static dbvhi_swinging swinging_of( const dbvhi_toi_search *s ) {
	const dbvh_motion *m = &s->motion, *own = &s->fixed_motion;
	return dbvhi_swinging_of( dbvhi_scale( m->angle, dbvhi_vec_of( m->axis ) ),
	                          dbvhi_scale( own->angle, dbvhi_vec_of( own->axis ) ), dbvhi_vec_of( m->shift ) );
}

// Set the courses of the corners at time t. The centre of a mesh that does not turn may be any point: it is the
// other's.
static void set_courses( const dbvhi_toi_search *s, const dbvhi_swinging *swinging, double t, outlook *o ) {
	const dbvh_motion *m = &s->motion, *own = &s->fixed_motion;
	if ( !o->turns ) {
		for ( int c = 0; c < 3; ++c )
			o->moved[c].velocity = swinging->shift;
		return;
	}
	const dbvhi_vec gone = dbvhi_scale( t, dbvhi_vec_of( m->shift ) );
	dbvhi_vec way = { { 0.0, 0.0, 0.0 } };
	if ( own->angle != 0.0 )
		way = dbvhi_add( difference( m->centre, own->centre ), gone );
	for ( int c = 0; c < 3; ++c ) {
		const dbvhi_vec arm = dbvhi_sub( difference( o->image + 3 * c, m->centre ), gone );
		o->moved[c] = dbvhi_course_of( swinging, arm, way, 0.0, o->left );
	}
	if ( !o->from_both )
		return;
	const dbvhi_swinging reversed = dbvhi_swinging_reversed( swinging );
	o->axis_back = dbvhi_swinging_axis( &reversed );
	for ( int c = 0; c < 3; ++c ) {
		const dbvhi_vec arm = dbvhi_add( dbvhi_sub( difference( o->fixed + 3 * c, m->centre ), gone ), way );
		o->stays[c] = dbvhi_course_of( &reversed, arm, dbvhi_scale( -1.0, way ), 0.0, o->left );
	}
}

// Compute when the first of three corners, at those heights above the other triangle along n, comes down to it. Raises
// *ahead to that time with the heights reduced by the error, and *touch with the heights themselves.
static void come_down( const outlook *o, const dbvhi_course course[3], dbvhi_vec axis, const double height[3],
                       dbvhi_vec n, double *ahead, double *touch ) {
	double soonest = INFINITY, soonest_touch = INFINITY, bend = 0.0, speed = 0.0;
	for ( int c = 0; c < 3; ++c ) {
		if ( o->turns || c == 0 )
			speed = 0.0 - dbvhi_dot( n, course[c].velocity );
		if ( o->turns ) {
			bend = dbvhi_course_bend( &course[c], axis, n );
			speed += course[c].doubt;
		}
		soonest = fmin( soonest, dbvhi_closing_time( height[c] - o->error, speed, bend ) );
		soonest_touch = fmin( soonest_touch, dbvhi_closing_time( height[c], speed, bend ) );
	}
	*ahead = fmax( *ahead, soonest );
	*touch = fmax( *touch, soonest_touch );
}

// Use the direction n, of length 1 or 0, from the fixed triangle to the image: raise o->separation, o->ahead, o->touch.
static void look( outlook *o, dbvhi_vec n ) {
	double top = 0.0, bottom = INFINITY, up[3] = { 0.0, 0.0, 0.0 }, height[3];
	for ( int c = 1; c < 3; ++c ) {
		// Heights are taken from a corner, so that triangles far from the origin lose no digits.
		up[c] = dbvhi_dot( n, difference( o->fixed + 3 * c, o->fixed ) );
		top = up[c] > top ? up[c] : top;
	}
	for ( int c = 0; c < 3; ++c ) {
		height[c] = dbvhi_dot( n, difference( o->image + 3 * c, o->fixed ) );
		bottom = height[c] < bottom ? height[c] : bottom;
	}
	const double separation = bottom - top - o->error;
	o->separation = separation > o->separation ? separation : o->separation;
	if ( !( separation > o->error ) )
		return;
	for ( int c = 0; c < 3; ++c )
		height[c] -= top;
	come_down( o, o->moved, o->axis, height, n, &o->ahead, &o->touch );
	if ( !o->from_both )
		return;
	for ( int c = 0; c < 3; ++c )
		up[c] = bottom - up[c];
	come_down( o, o->stays, o->axis_back, up, dbvhi_scale( -1.0, n ), &o->ahead, &o->touch );
}

// Use a direction of any length: n or -n, whichever points to the image.
static void look_both_ways( outlook *o, dbvhi_vec n ) {
	const double length = dbvhi_length( n );
	// note: any direction of length 1 is sound, even one that is mostly rounding.
	if ( !( length > 0x1p-400 ) )
		return;
	n = dbvhi_scale( 1.0 / length, n );
	const bool up = dbvhi_dot( n, difference( o->image, o->fixed ) ) > 0.0;
	look( o, up ? n : dbvhi_scale( -1.0, n ) );
}

// Use the normals of the faces of the Minkowski difference, which contact must pass: both normals and nine products of
// edges. If both triangles lie in parallel planes these are all the same, and the normals of edges within the plane are
// used as well.
static void look_along_faces( outlook *o ) {
	dbvhi_vec a[3], b[3];
	for ( int c = 0; c < 3; ++c ) {
		a[c] = difference( o->fixed + 3 * ( ( c + 1 ) % 3 ), o->fixed + 3 * c );
		b[c] = difference( o->image + 3 * ( ( c + 1 ) % 3 ), o->image + 3 * c );
	}
	const dbvhi_vec na = dbvhi_cross( a[0], a[1] ), nb = dbvhi_cross( b[0], b[1] );
	look_both_ways( o, na );
	look_both_ways( o, nb );
	for ( int c = 0; c < 9; ++c )
		look_both_ways( o, dbvhi_cross( a[c / 3], b[c % 3] ) );
	const dbvhi_vec line = dbvhi_cross( na, nb );
	if ( dbvhi_dot( line, line ) > 0x1p-40 * dbvhi_dot( na, na ) * dbvhi_dot( nb, nb ) )
		return;
	for ( int c = 0; c < 3; ++c ) {
		look_both_ways( o, dbvhi_cross( a[c], na ) );
		look_both_ways( o, dbvhi_cross( b[c], nb ) );
	}
}

// The precision of the time of contact, relative to the tolerance.
#define SOON 0x1p-16

// Record a pair that cannot be advanced beyond t, and test whether it intersects at t or soon after.
static void reached( dbvhi_toi_search *s, uint32_t i, uint32_t j, double t, double touch,
                     const dbvhi_tri_tri_bounds *gap ) {
	DBVHI_ASSERT( t >= 0.0 && t <= 1.0 );
	if ( t < s->time ) {
		s->time = t;
		s->fixed_triangle = i;
		s->moved_triangle = j;
		s->distance = gap->upper;
		s->met_there = false;
		memcpy( s->point_fixed, gap->fixed, sizeof s->point_fixed );
		memcpy( s->point_moved, gap->moved, sizeof s->point_moved );
		memcpy( s->normal, gap->direction, sizeof s->normal );
	}
	// A contact is known already, soon enough after the first time.
	if ( s->upper - s->time <= SOON * s->tolerance ) {
		s->cutoff = s->time;
		return;
	}
	const double latest = fmin( s->time + s->tolerance, 1.0 ), limit = fmin( latest, s->upper );
	// The first time that is tried (k = -4) is as far after the contact as t is before it: triangles that cross do so
	// by more than rounding there, so the double filter is sure. Triangles that touch at one moment only do so, if at
	// all, at t, at the computed time, or at a time of few binary digits (k = -3 to -1). After these, steps grow
	// eightfold, since the first are lost in rounding.
	for ( int k = -4; k <= 18; ++k ) {
		double then = fmin( t + ldexp( s->tolerance, 3 * ( k - 18 ) ), limit );
		if ( k == -4 )
			then = touch + ( touch - t );
		else if ( k <= -1 )
			then = k == -3 ? t : k == -2 ? touch : rint( touch * 0x1p36 ) * 0x1p-36;
		if ( !( then >= s->time && then <= limit && then < s->upper ) )
			continue;
		dbvhi_toi_charge( s, DBVHI_TOI_STEP_WORK );
		if ( s->is_over )
			break;
		if ( meet_at( s, i, j, then ) ) {
			s->upper = then;
			s->met_there = s->met_there || ( then == s->time && i == s->fixed_triangle && j == s->moved_triangle );
			break;
		}
		if ( k >= 0 && then == limit )
			break;
	}
	// Later pairs are only of use if they intersect before this one does, which need not be when it is reached: its
	// neighbours may intersect first.
	s->cutoff = s->upper - s->time <= SOON * s->tolerance ? s->time : fmin( latest, s->upper );
}

// The largest gap, relative to the size of the scene, at which faces of the Minkowski difference are used.
#define NEAR 0x1p-12

// Steps after which directions that go with the moved triangle are used, too.
#define FEW_STEPS 2

void dbvhi_toi_triangles( dbvhi_toi_search *s, uint32_t i, uint32_t j, double begin, double end ) {
	DBVHI_ASSERT( i < s->fixed->triangle_count && j < s->moved->triangle_count );
	DBVHI_ASSERT( begin >= 0.0 && begin <= 1.0 );
	outlook o;
	double t = begin, fixed_room[9], moved_room[9];
	const double *fixed = dbvhi_tree_triangle( s->fixed, i, fixed_room ),
	             *moved = dbvhi_tree_triangle( s->moved, j, moved_room );
	const bool both = s->fixed_motion.angle != 0.0;
	dbvhi_swinging swinging = { .shift = dbvhi_vec_of( s->motion.shift ) };
	o.error = s->error;
	o.turns = s->motion.angle != 0.0;
	if ( o.turns ) {
		swinging = swinging_of( s );
		o.axis = dbvhi_swinging_axis( &swinging );
	}
	place_corners( &s->fixed_motion.from, fixed, s->scale, o.fixed );
	s->counters.triangle_tests += 1;
	for ( int step = 0;; ++step ) {
		dbvhi_toi_charge( s, DBVHI_TOI_STEP_WORK );
		if ( s->is_over )
			return;
		const dbvh_pose pose = dbvh_motion_pose( &s->motion, t );
		place_corners( &pose, moved, s->scale, o.image );
		if ( both ) {
			const dbvh_pose own = dbvh_motion_pose( &s->fixed_motion, t );
			place_corners( &own, fixed, s->scale, o.fixed );
		}
		dbvhi_tri_tri_bounds gap;
		dbvhi_triangles_gap( o.fixed, o.image, 0.0, &gap );
		o.left = fmax( fmin( end, s->cutoff ) - t, 0.0 );
		o.from_both = o.turns && step >= FEW_STEPS;
		set_courses( s, &swinging, t, &o );
		o.separation = -INFINITY;
		o.ahead = o.touch = 0.0;
		look( &o, ( dbvhi_vec ){ { gap.direction[0], gap.direction[1], gap.direction[2] } } );
		if ( o.separation < NEAR * s->size && t + o.ahead <= end )
			look_along_faces( &o );
		const double next = t + o.ahead;
		if ( !( next > t ) || step >= MOST_STEPS ) {
			reached( s, i, j, t, t + o.touch, &gap );
			return;
		}
		t = next;
		if ( t > end || t > s->cutoff )
			return;
	}
}
