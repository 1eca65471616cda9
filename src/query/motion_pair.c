// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Two triangles in motion: conservative advancement.
//
// At a time t let n be the direction from a point of the triangle at rest to the nearest of the moved one. A corner x
// that moves with the velocity w and turns about the axis at the distance r, with the angular speed h, satisfies
//     n . x(t + s) >= n . x(t) + s n . w - s^2 h^2 r / 2,
// so until the first of three parabolas comes down to the highest corner of the triangle at rest the two are apart.
// That time is the next t. It cannot pass the first contact, and it reaches it quadratically: the direction is right up
// to first order, and so is the speed.
//
// The gap is reduced by `error` beforehand, which covers the rounding of all that is computed here, and of what a query
// computes at the same time (motion.c). It ends where the gap is not larger than that once more.

#include "exact/gap.h"
#include "exact/triangles.h"
#include "math/pose.h"
#include "query/motion.h"

#include <math.h>
#include <string.h>

// Steps before two triangles that slide along each other are given up; others need two to six.
#define MOST_STEPS 400

static dbvh_pose pose_at( const dbvh_motion *motion, double t ) {
	return motion != NULL ? dbvh_motion_pose( motion, t ) : dbvh_pose_identity();
}

// Does a query at that time say that these two meet?
static bool meet_at( dbvhi_sweep *s, uint32_t i, uint32_t j, double t ) {
	const dbvh_pose pose_a = pose_at( s->motion_a, t ), pose_b = pose_at( s->motion_b, t );
	dbvhi_relative_pose relative;
	if ( dbvhi_pose_relate( s->motion_a != NULL ? &pose_a : NULL, s->motion_b != NULL ? &pose_b : NULL, &relative ) !=
	     DBVH_OK )
		return false;
	// Here `moved` is what the query moves, which need not be what moves in the course of time.
	const bool swap = relative.a_moves != s->a_moves;
	const double *still = s->still->corners + 9 * (size_t)i, *moved = s->moved->corners + 9 * (size_t)j;
	const double *fixed = swap ? moved : still, *placed = swap ? still : moved;
	const double error = dbvhi_move_error( &relative.frame_from_moved, swap ? s->still->largest : s->moved->largest );
	double image[9];
	dbvhi_triangle_move( &relative.frame_from_moved, placed, image );
	const dbvhi_answer answer = dbvhi_triangles_filter( fixed, image, error );
	if ( answer != DBVHI_UNSURE )
		return answer == DBVHI_MEET;
	s->counters.exact_tests += 1;
	return dbvhi_triangles_meet_exact( fixed, placed, image, &relative.frame_from_moved, error );
}

// The pair cannot be advanced beyond t. Does it meet, right then or soon after?
static void reached( dbvhi_sweep *s, uint32_t i, uint32_t j, double t, const dbvhi_gap *gap, double separation ) {
	if ( t < s->time ) {
		const uint32_t still = s->still->triangle[i], moved = s->moved->triangle[j];
		s->time = t;
		s->pair = s->a_moves ? ( dbvh_pair ){ moved, still } : ( dbvh_pair ){ still, moved };
		s->distance = fmin( gap->upper, fmax( separation, 0.0 ) + 2.0 * s->error );
		memcpy( s->point_still, gap->fixed, sizeof s->point_still );
		memcpy( s->point_moved, gap->moved, sizeof s->point_moved );
		for ( int k = 0; k < 3; ++k )
			s->normal[k] = separation > -2.0 * s->error ? gap->direction[k] : 0.0;
	}
	const double latest = fmin( s->time + s->tolerance, 1.0 );
	// One that is known to meet in time is enough; else this may be it. Steps grow, since the first ones are lost in
	// the rounding of the pose.
	if ( !( s->upper <= latest ) && t <= latest ) {
		double step = 0.0;
		for ( int k = 54; k >= 0; k -= 3 ) {
			const double then = fmin( t + step, latest );
			if ( meet_at( s, i, j, then ) ) {
				s->upper = fmin( s->upper, then );
				break;
			}
			if ( then == latest )
				break;
			step = ldexp( s->tolerance, 3 - k );
		}
	}
	// What meets later than the first is of no use, unless it is to tell that there is a contact at all.
	s->cutoff = s->upper <= latest ? s->time : latest;
}

// Corners in the common frame of the search, scaled.
static void place( const dbvh_pose *pose, const double corners[9], double scale, double out[9] ) {
	double scaled[9];
	for ( int k = 0; k < 9; ++k )
		scaled[k] = scale * corners[k];
	dbvhi_triangle_move( pose, scaled, out );
}

void dbvhi_sweep_triangles( dbvhi_sweep *s, uint32_t i, uint32_t j, double begin, double end ) {
	const dbvh_motion *m = &s->motion;
	const double turn = fabs( m->angle );
	double still[9], image[9], t = begin;
	place( &s->still_pose, s->still->corners + 9 * (size_t)i, s->scale, still );
	s->counters.triangle_tests += 1;
	for ( int step = 0;; ++step ) {
		const dbvh_pose pose = dbvh_motion_pose( m, t );
		place( &pose, s->moved->corners + 9 * (size_t)j, s->scale, image );
		dbvhi_gap gap;
		dbvhi_triangles_gap( still, image, 0.0, &gap );
		const double *n = gap.direction;
		double height[3], top = -INFINITY, least = INFINITY;
		for ( int c = 0; c < 3; ++c ) {
			// From a corner, so that what is far from the origin does not lose digits.
			const double *x = still + 3 * c, *y = image + 3 * c;
			const double up = n[0] * ( x[0] - still[0] ) + n[1] * ( x[1] - still[1] ) + n[2] * ( x[2] - still[2] );
			top = up > top ? up : top;
			height[c] = n[0] * ( y[0] - still[0] ) + n[1] * ( y[1] - still[1] ) + n[2] * ( y[2] - still[2] );
			least = height[c] < least ? height[c] : least;
		}
		const double separation = least - top - s->error;
		// The direction is 0 where there is none.
		double ahead = 0.0;
		if ( separation > s->error && step < MOST_STEPS ) {
			ahead = INFINITY;
			for ( int c = 0; c < 3; ++c ) {
				double speed = -( n[0] * m->shift[0] + n[1] * m->shift[1] + n[2] * m->shift[2] ), bend = 0.0;
				if ( turn > 0.0 ) {
					double arm[3], swing[3], square = 0.0;
					for ( int k = 0; k < 3; ++k )
						arm[k] = image[3 * c + k] - m->centre[k] - t * m->shift[k];
					for ( int k = 0; k < 3; ++k ) {
						const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
						swing[k] = m->angle * ( m->axis[k1] * arm[k2] - m->axis[k2] * arm[k1] );
						square += swing[k] * swing[k];
						speed -= n[k] * swing[k];
					}
					bend = turn * sqrt( square ) + 0x1p-300;
				}
				ahead = fmin( ahead, dbvhi_closing_time( height[c] - top - s->error, speed, bend ) );
			}
		}
		const double next = t + ahead;
		if ( !( next > t ) ) {
			reached( s, i, j, t, &gap, separation );
			return;
		}
		t = next;
		if ( t > end || t > s->cutoff )
			return;
	}
}
