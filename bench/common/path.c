// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "common/path.h"

#include "support/rng.h"

#include <math.h>

enum { KNOTS = 24 };

typedef struct knot {
	double at[3];
	double turn[4]; // unit quaternion
} knot;

static double catmull_rom( double p0, double p1, double p2, double p3, double t ) {
	return p1 +
	       0.5 * t * ( p2 - p0 + t * ( 2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3 + t * ( 3.0 * ( p1 - p2 ) + p3 - p0 ) ) );
}

static void unit( double q[4] ) {
	const double length = sqrt( q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] );
	for ( int i = 0; i < 4; ++i )
		q[i] /= length;
}

// The path leads from one side of the cabin to the other and back on the way to the tail, at the height of seats, arms
// and bins.
static void make_knots( const double lower[3], const double upper[3], rng *r, knot knots[KNOTS] ) {
	for ( int k = 0; k < KNOTS; ++k ) {
		const double across = k % 2 == 0 ? rng_range( r, 0.04, 0.5 ) : rng_range( r, 0.5, 0.96 );
		const double parts[3] = { 0.12 + 0.76 * k / ( KNOTS - 1.0 ), across, rng_range( r, 0.44, 0.52 ) };
		for ( int i = 0; i < 3; ++i )
			knots[k].at[i] = lower[i] + parts[i] * ( upper[i] - lower[i] );
		// Each turn is the last one with a change, so that neighbours are never opposite to each other.
		for ( int i = 0; i < 4; ++i )
			knots[k].turn[i] = ( k > 0 ? knots[k - 1].turn[i] : i == 3 ) + rng_range( r, -0.35, 0.35 );
		unit( knots[k].turn );
	}
}

void path_fly( const double lower[3], const double upper[3], uint64_t seed, size_t count, dbvh_pose *poses_out ) {
	rng r = { seed };
	knot knots[KNOTS];
	make_knots( lower, upper, &r, knots );
	for ( size_t frame = 0; frame < count; ++frame ) {
		const double along = count > 1 ? (double)frame / (double)( count - 1 ) * ( KNOTS - 1 ) : 0.0;
		const int k = along < KNOTS - 1 ? (int)along : KNOTS - 2;
		const double t = along - k;
		const knot *p0 = &knots[k > 0 ? k - 1 : 0], *p1 = &knots[k], *p2 = &knots[k + 1];
		const knot *p3 = &knots[k + 2 < KNOTS ? k + 2 : KNOTS - 1];
		double at[3], turn[4];
		for ( int i = 0; i < 3; ++i )
			at[i] = catmull_rom( p0->at[i], p1->at[i], p2->at[i], p3->at[i], t );
		// A spline through neighbouring quaternions, brought back to length 1: as smooth as slerp, without its corners.
		for ( int i = 0; i < 4; ++i )
			turn[i] = catmull_rom( p0->turn[i], p1->turn[i], p2->turn[i], p3->turn[i], t );
		poses_out[frame] = dbvh_pose_from_quaternion( turn, at );
	}
}
