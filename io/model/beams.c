// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/beams.h"

#include "dualbvh/robot.h"

#include <math.h>
#include <string.h>

#define TAU 6.28318530717958647692

enum { LEAST_SIDES = 8, MOST_SIDES = 128, MOST_RINGS = MOST_SIDES / 2 };

// A solid of revolution: rings along an axis, closed by flat lids. The outline is convex.
typedef struct turned {
	double origin[3], frame[3][3]; // columns of the frame: two across, and the axis
	double along[MOST_RINGS], radius[MOST_RINGS];
	uint32_t ring_count;
} turned;

static double cosine_of( double angle ) {
	double sine, cosine;
	dbvh_sine_cosine( angle, &sine, &cosine );
	return cosine;
}

// The cosine of half the angle of a side.
static double half_cosine( uint32_t sides ) {
	return cosine_of( TAU / 2.0 / sides );
}

// The factor of a ball's polyhedron: the outline is a polygon round a circle, and so is each of its rings.
static double ball_factor( uint32_t sides ) {
	const double c = half_cosine( sides );
	return 1.0 / ( c * c );
}

uint32_t scene_beam_sides( double radius, double sag ) {
	const double allowed = sag > 0.0 ? sag / radius : 0.05;
	uint32_t sides = LEAST_SIDES;
	while ( sides < MOST_SIDES && ball_factor( sides ) - 1.0 > allowed )
		sides += 4;
	return sides;
}

// How far a point may be from where it was meant, for its rounding, and that of the frame: 2^-42 of the largest length
// in it.
static double slack( const turned *t ) {
	double most = 0.0;
	for ( int k = 0; k < 3; ++k )
		most = fmax( most, fabs( t->origin[k] ) );
	for ( uint32_t i = 0; i < t->ring_count; ++i )
		most = fmax( most, fmax( fabs( t->along[i] ), t->radius[i] ) );
	return 0x1p-42 * most;
}

// The length, also where squares of the components would overflow or vanish; the vector is not 0.
static double length_of( const double v[3] ) {
	const double most = fmax( fabs( v[0] ), fmax( fabs( v[1] ), fabs( v[2] ) ) );
	const double x = v[0] / most, y = v[1] / most, z = v[2] / most;
	return most * sqrt( x * x + y * y + z * z );
}

// An orthonormal frame with this axis, which is not 0.
static void make_frame( const double axis[3], double frame[3][3] ) {
	const double length = length_of( axis );
	double *u = frame[0], *v = frame[1], *w = frame[2];
	int least = 0;
	for ( int k = 0; k < 3; ++k ) {
		w[k] = axis[k] / length;
		least = fabs( w[k] ) < fabs( w[least] ) ? k : least;
	}
	const int j = ( least + 1 ) % 3, k = ( least + 2 ) % 3;
	const double across = sqrt( w[j] * w[j] + w[k] * w[k] );
	u[least] = 0.0;
	u[j] = -w[k] / across;
	u[k] = w[j] / across;
	for ( int i = 0; i < 3; ++i )
		v[i] = w[( i + 1 ) % 3] * u[( i + 2 ) % 3] - w[( i + 2 ) % 3] * u[( i + 1 ) % 3];
}

static uint32_t add_point( shape *s, const turned *t, double across, double up, double along ) {
	double p[3];
	for ( int k = 0; k < 3; ++k )
		p[k] = t->origin[k] + ( across * t->frame[0][k] + up * t->frame[1][k] + along * t->frame[2][k] );
	return shape_vertex( s, p[0], p[1], p[2] );
}

static void add_lid( shape *s, const turned *t, uint32_t ring, double along, uint32_t sides, bool is_floor ) {
	const uint32_t centre = add_point( s, t, 0.0, 0.0, along );
	for ( uint32_t i = 0; i < sides; ++i ) {
		const uint32_t here = ring + i, next = ring + ( i + 1 ) % sides;
		shape_triangle( s, centre, is_floor ? next : here, is_floor ? here : next );
	}
}

// Add the solid, each ring a polygon round its circle, the lids moved out by the slack. Returns how much larger than
// its circle the largest polygon is.
static double add_turned( shape *s, turned *t, uint32_t sides ) {
	const double more = slack( t ), factor = 1.0 / half_cosine( sides );
	const uint32_t first = (uint32_t)s->vertex_count, last = t->ring_count - 1;
	double excess = 0.0;
	t->along[0] -= more;
	t->along[last] += more;
	for ( uint32_t i = 0; i <= last; ++i ) {
		const double radius = ( t->radius[i] + more ) * factor * ( 1.0 + 0x1p-44 );
		excess = fmax( excess, radius - t->radius[i] );
		for ( uint32_t k = 0; k < sides; ++k ) {
			double sine, cosine;
			dbvh_sine_cosine( TAU / sides * k, &sine, &cosine );
			add_point( s, t, radius * cosine, radius * sine, t->along[i] );
		}
	}
	for ( uint32_t i = 0; i < last; ++i )
		shape_ring_strip( s, first + i * sides, sides, first + ( i + 1 ) * sides, sides );
	add_lid( s, t, first, t->along[0], sides, true );
	add_lid( s, t, first + last * sides, t->along[last], sides, false );
	return fmax( excess, more );
}

// Add rings of a polygon round a circle about the origin: those between the angles `from` and `to` off the equator, of
// sides that touch the circle in their middles, and at both ends at a point of the circle.
static void add_arc( turned *t, double radius, double from, double to, uint32_t steps ) {
	const double step = ( to - from ) / steps, outer = radius / cosine_of( 0.5 * step );
	for ( uint32_t i = 0; i < steps; ++i ) {
		double sine, cosine;
		dbvh_sine_cosine( from + ( i + 0.5 ) * step, &sine, &cosine );
		t->along[t->ring_count] = outer * sine;
		t->radius[t->ring_count++] = outer * cosine;
	}
}

double scene_add_ball( shape *s, const double centre[3], double radius, uint32_t sides ) {
	turned t = { .frame = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } } };
	memcpy( t.origin, centre, sizeof t.origin );
	add_arc( &t, radius, -TAU / 4.0, TAU / 4.0, sides / 2 );
	add_turned( s, &t, sides );
	return radius * ( ball_factor( sides ) - 1.0 ) + 4.0 * slack( &t );
}

// Half of a ball beyond end `which` of a beam, on a lid in the plane of the end.
static double add_half_ball( shape *s, const scene_beam *b, int which, uint32_t sides ) {
	turned t = { .ring_count = 1 };
	const double radius = b->radii[which];
	double axis[3];
	for ( int k = 0; k < 3; ++k )
		axis[k] = b->ends[which][k] - b->ends[1 - which][k];
	make_frame( axis, t.frame );
	memcpy( t.origin, b->ends[which], sizeof t.origin );
	t.radius[0] = radius;
	add_arc( &t, radius, 0.0, TAU / 4.0, sides / 4 );
	add_turned( s, &t, sides );
	return radius * ( ball_factor( sides ) - 1.0 ) + 4.0 * slack( &t );
}

double scene_add_beam( shape *s, const scene_beam *b, uint32_t sides ) {
	turned t = { .ring_count = 2 };
	double axis[3], sag;
	for ( int k = 0; k < 3; ++k )
		axis[k] = b->ends[1][k] - b->ends[0][k];
	make_frame( axis, t.frame );
	memcpy( t.origin, b->ends[0], sizeof t.origin );
	t.along[1] = length_of( axis );
	memcpy( t.radius, b->radii, sizeof b->radii );
	sag = add_turned( s, &t, sides );
	for ( int k = 0; k < 2; ++k )
		if ( b->caps[k] == SCENE_CAP_HALF_BALL )
			sag = fmax( sag, add_half_ball( s, b, k, sides ) );
	return sag;
}
