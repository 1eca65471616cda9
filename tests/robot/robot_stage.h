// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fixture of the robot tests: random robots with joints of every kind, and where their links are in long doubles, by
// the definition of robot.h alone.

#pragma once

#include "dualbvh/robot.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

enum { MOST_LINKS = 12, MOST_WIDTH = 7 * MOST_LINKS, TREES = 3 };

typedef struct robot_stage {
	shape shapes[TREES];
	dbvh_tree *trees[TREES];
	dbvh_scene *scene;
	dbvh_robot *robot;
	uint32_t link_count;
} robot_stage;

static inline void raise_robot( robot_stage *s ) {
	memset( s, 0, sizeof *s );
	shape_add_box( &s->shapes[0], 0.5, 0.2, 0.3, 1 );
	shape_add_sphere( &s->shapes[1], 0.4, 7, 5 );
	shape_add_torus( &s->shapes[2], 0.5, 0.15, 8, 5 );
	for ( int i = 0; i < TREES; ++i ) {
		const dbvh_mesh_view view = shape_view( &s->shapes[i] );
		assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &s->trees[i], NULL ), DBVH_OK );
	}
	assert_int_equal( dbvh_scene_create( NULL, &s->scene, NULL ), DBVH_OK );
	assert_int_equal( dbvh_robot_create( NULL, &s->robot, NULL ), DBVH_OK );
}

static inline void strike_robot( robot_stage *s ) {
	dbvh_robot_destroy( s->robot );
	dbvh_scene_destroy( s->scene );
	for ( int i = 0; i < TREES; ++i ) {
		dbvh_tree_destroy( s->trees[i] );
		shape_free( &s->shapes[i] );
	}
}

static inline dbvh_pose random_origin( rng *r, double far ) {
	const double quarter = 1.57079632679489661923;
	double rpy[3], pos[3];
	for ( int k = 0; k < 3; ++k ) {
		rpy[k] = rng_below( r, 3 ) == 0 ? quarter * (double)rng_below( r, 4 ) : rng_range( r, -3.2, 3.2 );
		pos[k] = rng_below( r, 4 ) == 0 ? 0.0 : rng_range( r, -far, far );
	}
	return dbvh_pose_from_rpy( rpy, pos );
}

// Adds links with joints of random kinds; the first one moves the base now and then.
static inline void add_links( robot_stage *s, rng *r, uint32_t count, double far ) {
	static const dbvh_joint_kind kinds[] = { DBVH_JOINT_REVOLUTE,   DBVH_JOINT_REVOLUTE,  DBVH_JOINT_REVOLUTE,
	                                         DBVH_JOINT_CONTINUOUS, DBVH_JOINT_PRISMATIC, DBVH_JOINT_FIXED,
	                                         DBVH_JOINT_PLANAR,     DBVH_JOINT_FLOATING };
	s->link_count = count;
	for ( uint32_t i = 0; i < count; ++i ) {
		const bool is_base = i == 0 || rng_below( r, 12 ) == 0;
		dbvh_joint joint = { .kind = kinds[rng_below( r, is_base ? 8 : 6 )] };
		for ( int k = 0; k < 3; ++k )
			joint.axis[k] = rng_below( r, 2 ) == 0 ? 0.0 : rng_range( r, -1.0, 1.0 );
		const uint32_t parent = i == 0 || rng_below( r, 8 ) == 0 ? DBVH_NO_LINK
		                        : rng_below( r, 4 ) == 0         ? (uint32_t)rng_below( r, i )
		                                                         : i - 1;
		const dbvh_pose origin = random_origin( r, far );
		uint32_t link;
		assert_int_equal( dbvh_robot_add_link( s->robot, parent, &origin, &joint, &link, NULL ), DBVH_OK );
		assert_int_equal( link, i );
	}
	// Followers, forwards and backwards.
	for ( uint32_t i = 0; i < count; ++i )
		if ( rng_below( r, 6 ) == 0 )
			(void)dbvh_robot_follow( s->robot, i, (uint32_t)rng_below( r, count ), rng_range( r, -2.0, 2.0 ),
			                         rng_range( r, -1.0, 1.0 ), NULL );
}

// A configuration; angles from -turns to turns.
static inline void random_row( const robot_stage *s, rng *r, dbvh_robot_layout layout, double turns, double far,
                               double *q ) {
	for ( uint32_t i = 0; i < s->link_count; ++i ) {
		const size_t at = dbvh_robot_column( s->robot, i, layout );
		dbvh_joint joint;
		assert_true( dbvh_robot_get_link( s->robot, i, NULL, NULL, &joint ) );
		if ( at == DBVH_NO_COLUMN )
			continue;
		const double angle = rng_range( r, -turns, turns );
		const int moves = joint.kind == DBVH_JOINT_PLANAR ? 2 : joint.kind == DBVH_JOINT_FLOATING ? 3 : 0;
		for ( int k = 0; k < moves; ++k )
			q[at + (size_t)k] = rng_range( r, -far, far );
		if ( joint.kind == DBVH_JOINT_PRISMATIC ) {
			q[at] = rng_range( r, -far, far );
		} else if ( joint.kind == DBVH_JOINT_FLOATING ) {
			double length = 0.0;
			for ( int k = 3; k < 7; ++k ) {
				q[at + (size_t)k] = rng_range( r, -1.0, 1.0 );
				length += q[at + (size_t)k] * q[at + (size_t)k];
			}
			for ( int k = 3; k < 7; ++k )
				q[at + (size_t)k] /= sqrt( length );
		} else if ( layout == DBVH_ROBOT_LAYOUT_PINOCCHIO && joint.kind != DBVH_JOINT_REVOLUTE ) {
			q[at + (size_t)moves] = cos( angle );
			q[at + (size_t)moves + 1] = sin( angle );
		} else {
			q[at + (size_t)moves] = angle;
		}
	}
}

// ------------------------------------------------------------------------------------------------
// Long doubles

typedef struct frame_l {
	long double rot[3][3], pos[3];
} frame_l;

static inline frame_l identity_l( void ) {
	return ( frame_l ){ .rot = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
}

static inline frame_l frame_of( const dbvh_pose *p ) {
	frame_l f;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			f.rot[i][j] = p->rot[i][j];
		f.pos[i] = p->pos[i];
	}
	return f;
}

static inline frame_l times_l( const frame_l *a, const frame_l *b ) {
	frame_l f;
	for ( int i = 0; i < 3; ++i ) {
		f.pos[i] = a->pos[i];
		for ( int k = 0; k < 3; ++k )
			f.pos[i] += a->rot[i][k] * b->pos[k];
		for ( int j = 0; j < 3; ++j ) {
			f.rot[i][j] = 0;
			for ( int k = 0; k < 3; ++k )
				f.rot[i][j] += a->rot[i][k] * b->rot[k][j];
		}
	}
	return f;
}

static inline void apply_l( const frame_l *f, const long double x[3], long double out[3] ) {
	for ( int i = 0; i < 3; ++i )
		out[i] = f->pos[i] + f->rot[i][0] * x[0] + f->rot[i][1] * x[1] + f->rot[i][2] * x[2];
}

// The point of a world in a frame.
static inline void into_l( const frame_l *f, const long double x[3], long double out[3] ) {
	for ( int i = 0; i < 3; ++i ) {
		out[i] = 0;
		for ( int k = 0; k < 3; ++k )
			out[i] += f->rot[k][i] * ( x[k] - f->pos[k] );
	}
}

static inline long double apart_l( const long double a[3], const long double b[3] ) {
	long double sum = 0;
	for ( int i = 0; i < 3; ++i )
		sum += ( a[i] - b[i] ) * ( a[i] - b[i] );
	return sqrtl( sum );
}

// The rotation nearest to one that is off by rounding: one step of Newton's iteration squares what it is off.
static inline void straighten_l( frame_l *f ) {
	long double off[3][3];
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j ) {
			off[i][j] = i == j;
			for ( int k = 0; k < 3; ++k )
				off[i][j] -= f->rot[k][i] * f->rot[k][j];
		}
	const frame_l old = *f;
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			for ( int k = 0; k < 3; ++k )
				f->rot[i][j] += old.rot[i][k] * off[k][j] / 2;
}

// The turn by a quaternion w x y z of any length.
static inline frame_l turned_l( const long double q[4] ) {
	const long double n = 2 / ( q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] );
	frame_l f = identity_l();
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
		f.rot[i][i] = 1 - n * ( q[1 + j] * q[1 + j] + q[1 + k] * q[1 + k] );
		f.rot[i][j] = n * ( q[1 + i] * q[1 + j] - q[0] * q[1 + k] );
		f.rot[j][i] = n * ( q[1 + i] * q[1 + j] + q[0] * q[1 + k] );
	}
	return f;
}

static inline frame_l turn_about_l( const double axis[3], long double angle ) {
	long double q[4] = { cosl( angle / 2 ), 0, 0, 0 }, length = 0;
	for ( int k = 0; k < 3; ++k )
		length += (long double)axis[k] * axis[k];
	for ( int k = 0; k < 3; ++k )
		q[1 + k] = sinl( angle / 2 ) * axis[k] / sqrtl( length );
	return turned_l( q );
}

// The angle of a joint that turns, by its numbers.
static inline long double angle_l( dbvh_robot_layout layout, dbvh_joint_kind kind, const double *q ) {
	return layout == DBVH_ROBOT_LAYOUT_ANGLES || kind == DBVH_JOINT_REVOLUTE ? q[0] : atan2l( q[1], q[0] );
}

// The short way from one angle to another.
static inline long double short_l( long double turn ) {
	return remainderl( turn, 2 * acosl( -1 ) );
}

// The motion of a joint that follows none, at a time on the way between two rows; with `to` NULL at the first.
static inline frame_l motion_l( dbvh_robot_layout layout, const dbvh_joint *joint, const double *from, const double *to,
                                long double t ) {
	static const double z[3] = { 0, 0, 1 };
	frame_l f = identity_l();
	to = to != NULL ? to : from;
	const int moves = joint->kind == DBVH_JOINT_PLANAR ? 2 : joint->kind == DBVH_JOINT_FLOATING ? 3 : 0;
	if ( joint->kind == DBVH_JOINT_FLOATING ) {
		// From a to b by the quaternion conj( a ) b, turned round where its angle is above pi.
		long double a[4], b[4], d[4], na = 0, nb = 0;
		for ( int k = 0; k < 4; ++k ) {
			a[k] = from[3 + ( k + 3 ) % 4];
			b[k] = to[3 + ( k + 3 ) % 4];
			na += a[k] * a[k];
			nb += b[k] * b[k];
		}
		for ( int k = 0; k < 4; ++k ) {
			a[k] /= sqrtl( na );
			b[k] /= sqrtl( nb );
		}
		d[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
		for ( int i = 0; i < 3; ++i ) {
			const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
			d[1 + i] = a[0] * b[1 + i] - b[0] * a[1 + i] - ( a[1 + j] * b[1 + k] - a[1 + k] * b[1 + j] );
		}
		if ( d[0] < 0 )
			for ( int k = 0; k < 4; ++k )
				d[k] = -d[k];
		const long double sine = sqrtl( d[1] * d[1] + d[2] * d[2] + d[3] * d[3] ), half = atan2l( sine, d[0] );
		long double turn[4] = { cosl( t * half ), 0, 0, 0 };
		for ( int k = 1; k < 4 && sine > 0; ++k )
			turn[k] = sinl( t * half ) * d[k] / sine;
		const frame_l first = turned_l( a ), then = turned_l( turn );
		f = times_l( &first, &then );
	} else if ( joint->kind == DBVH_JOINT_PRISMATIC ) {
		const long double value = from[0] + t * ( (long double)to[0] - from[0] );
		long double length = 0;
		for ( int k = 0; k < 3; ++k )
			length += (long double)joint->axis[k] * joint->axis[k];
		for ( int k = 0; k < 3; ++k )
			f.pos[k] = value * joint->axis[k] / sqrtl( length );
	} else if ( joint->kind != DBVH_JOINT_FIXED ) {
		const long double a = angle_l( layout, joint->kind, from + moves );
		long double turn = angle_l( layout, joint->kind, to + moves ) - a;
		if ( joint->kind != DBVH_JOINT_REVOLUTE )
			turn = short_l( turn );
		f = turn_about_l( joint->kind == DBVH_JOINT_PLANAR ? z : joint->axis, a + t * turn );
	}
	for ( int k = 0; k < moves; ++k )
		f.pos[k] = from[k] + t * ( (long double)to[k] - from[k] );
	return f;
}

// Where the links are at a time on the way between two configurations (`to` NULL: at the first one).
static inline void links_l( const robot_stage *s, dbvh_robot_layout layout, const double *from, const double *to,
                            long double t, frame_l *out ) {
	for ( uint32_t i = 0; i < s->link_count; ++i ) {
		uint32_t parent, followed;
		dbvh_pose pose;
		dbvh_joint joint;
		double factor, offset;
		assert_true( dbvh_robot_get_link( s->robot, i, &parent, &pose, &joint ) );
		frame_l origin = frame_of( &pose ), motion;
		straighten_l( &origin );
		straighten_l( &origin );
		const size_t at = dbvh_robot_column( s->robot, i, layout );
		if ( dbvh_robot_get_followed( s->robot, i, &followed, &factor, &offset ) ) {
			const size_t other = dbvh_robot_column( s->robot, followed, layout );
			const long double a = from[other], b = to != NULL ? to[other] : from[other];
			const long double value = factor * ( a + t * ( b - a ) ) + offset;
			long double length = 0;
			for ( int k = 0; k < 3; ++k )
				length += (long double)joint.axis[k] * joint.axis[k];
			motion = identity_l();
			if ( joint.kind == DBVH_JOINT_PRISMATIC )
				for ( int k = 0; k < 3; ++k )
					motion.pos[k] = value * joint.axis[k] / sqrtl( length );
			else
				motion = turn_about_l( joint.axis, value );
		} else if ( at == DBVH_NO_COLUMN ) {
			motion = identity_l();
		} else {
			motion = motion_l( layout, &joint, from + at, to != NULL ? to + at : NULL, t );
		}
		out[i] = times_l( &origin, &motion );
		if ( parent != DBVH_NO_LINK )
			out[i] = times_l( &out[parent], &out[i] );
	}
}
