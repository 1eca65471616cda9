// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A figure of 15,536 triangles, as many as the Happy Buddha of Chang, Wang and Kim (2009) has. It is modelled as
// rounded bodies blended into each other and scanned from a vertical axis, ring by ring: each vertex is the outermost
// point in its direction. So the surface is closed and has no handles whatever the model does.

#include "shapes/shapes.h"

#include <math.h>

#define TAU 6.28318530717958647692

enum { RINGS = 112, TOTAL = 15536 / 2 }; // a closed stack of rings has twice as many triangles as ring vertices

// A bone with a radius at both ends, squeezed along one axis: distances along it count `1 / squeeze`.
typedef struct bone {
	double a[3], b[3];
	double radius_a, radius_b;
	double blend; // how softly it joins the rest
} bone;

// Facing +x. The left half of the body; the right one is its mirror image.
static const bone middle_bones[] = {
    { { 0.010, 0.0, 0.10 }, { 0.000, 0.0, 0.36 }, 0.140, 0.120, 0.030 },   // skirt
    { { 0.000, 0.0, 0.40 }, { -0.004, 0.0, 0.62 }, 0.118, 0.100, 0.030 },  // trunk
    { { 0.052, 0.0, 0.45 }, { 0.040, 0.0, 0.47 }, 0.108, 0.104, 0.020 },   // belly
    { { 0.000, 0.0, 0.72 }, { 0.008, 0.0, 0.80 }, 0.055, 0.045, 0.025 },   // neck
    { { 0.016, 0.0, 0.850 }, { 0.012, 0.0, 0.885 }, 0.066, 0.068, 0.012 }, // head
    { { 0.004, 0.0, 0.945 }, { 0.004, 0.0, 0.965 }, 0.034, 0.028, 0.008 }, // knot of hair
    { { 0.082, 0.0, 0.875 }, { 0.090, 0.0, 0.858 }, 0.008, 0.011, 0.006 }, // nose
    { { 0.062, 0.0, 0.815 }, { 0.060, 0.0, 0.812 }, 0.026, 0.026, 0.010 }, // chin
    { { 0.185, 0.0, 0.535 }, { 0.185, 0.0, 0.545 }, 0.036, 0.036, 0.006 }, // object in the hands
};
static const bone side_bones[] = {
    { { -0.004, 0.040, 0.690 }, { -0.006, 0.105, 0.670 }, 0.062, 0.055, 0.025 }, // shoulder
    { { -0.006, 0.120, 0.660 }, { 0.010, 0.165, 0.520 }, 0.050, 0.044, 0.014 },  // upper arm
    { { 0.010, 0.165, 0.520 }, { 0.150, 0.050, 0.520 }, 0.044, 0.026, 0.012 },   // forearm
    { { 0.150, 0.048, 0.520 }, { 0.190, 0.028, 0.512 }, 0.024, 0.018, 0.008 },   // hand
    { { 0.030, 0.165, 0.500 }, { 0.060, 0.130, 0.330 }, 0.034, 0.016, 0.020 },   // sleeve
    { { 0.060, 0.060, 0.120 }, { 0.050, 0.055, 0.380 }, 0.075, 0.070, 0.030 },   // thigh under the robe
    { { 0.010, 0.072, 0.895 }, { 0.016, 0.074, 0.830 }, 0.015, 0.019, 0.005 },   // ear
    { { 0.066, 0.026, 0.893 }, { 0.060, 0.046, 0.890 }, 0.013, 0.011, 0.005 },   // brow
    { { 0.066, 0.032, 0.850 }, { 0.066, 0.032, 0.848 }, 0.018, 0.018, 0.010 },   // cheek
    { { 0.110, 0.050, 0.066 }, { 0.160, 0.062, 0.064 }, 0.026, 0.020, 0.008 },   // foot
};

// Distance to a capsule whose radius changes along it: good enough to walk along a ray in careful steps.
static double bone_distance( const bone *b, const double p[3] ) {
	double along = 0.0, length = 0.0, away = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double d = b->b[k] - b->a[k];
		along += ( p[k] - b->a[k] ) * d;
		length += d * d;
	}
	double t = along / length;
	t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
	for ( int k = 0; k < 3; ++k ) {
		const double d = p[k] - b->a[k] - t * ( b->b[k] - b->a[k] );
		away += d * d;
	}
	return sqrt( away ) - ( b->radius_a + t * ( b->radius_b - b->radius_a ) );
}

// The smaller of two distances, rounded off where they are about equal.
static double join( double a, double b, double blend ) {
	const double h = blend - fabs( a - b );
	return ( a < b ? a : b ) - ( h > 0.0 ? h * h / ( 4.0 * blend ) : 0.0 );
}

static double figure_distance( const double p[3] ) {
	double d = 1.0;
	for ( size_t i = 0; i < sizeof( middle_bones ) / sizeof( middle_bones[0] ); ++i )
		d = join( d, bone_distance( &middle_bones[i], p ), middle_bones[i].blend );
	const double mirrored[3] = { p[0], fabs( p[1] ), p[2] };
	for ( size_t i = 0; i < sizeof( side_bones ) / sizeof( side_bones[0] ); ++i )
		d = join( d, bone_distance( &side_bones[i], mirrored ), side_bones[i].blend );
	return d;
}

static double bump( double x, double lower, double upper, double soft ) {
	const double a = ( x - lower ) / soft, b = ( upper - x ) / soft;
	const double c = a < b ? a : b;
	const double t = c < 0.0 ? 0.0 : c > 1.0 ? 1.0 : c;
	return t * t * ( 3.0 - 2.0 * t );
}

// How far cloth, hair and plinth stand out from the bodies, in direction `angle` (0 is the front) at height z.
static double relief( double angle, double z, double r ) {
	const double front = 0.5 + 0.5 * cos( angle );
	double d = 0.0;
	// Long folds of the skirt: they wander, deepen towards the hem and spread from the belly.
	const double skirt = bump( z, 0.055, 0.42, 0.05 );
	const double sway = 1.1 * sin( 9.0 * z + 1.0 ) + 0.5 * sin( 3.0 * angle + 5.0 * z );
	d += skirt * ( 0.0035 + 0.0075 * ( 0.42 - z ) / 0.37 ) * sin( 13.0 * angle + sway );
	d += skirt * 0.0020 * sin( 20.0 * angle - 2.0 * sway + 21.0 * z );
	// The robe hangs over the back in slanted pleats and round the chest in arcs.
	const double robe = bump( z, 0.40, 0.73, 0.05 ) * ( 1.0 - 0.75 * front * bump( z, 0.36, 0.56, 0.04 ) );
	d += robe * 0.0040 * sin( 90.0 * z + 3.0 * cos( 2.0 * angle ) + 2.5 * sin( angle ) );
	d += robe * 0.0022 * sin( 9.0 * angle + 60.0 * z );
	// A sash.
	d += 0.010 * bump( z, 0.355, 0.385, 0.008 ) * ( 1.0 + 0.35 * sin( 18.0 * angle + 200.0 * z ) );
	// Navel and beads.
	d -= 0.010 * exp( -( angle * angle * 500.0 + ( z - 0.44 ) * ( z - 0.44 ) * 9000.0 ) );
	const double string = z - ( 0.60 + 0.10 * ( 1.0 - front ) );
	d += 0.006 * exp( -string * string * 9000.0 ) * ( 0.6 + 0.4 * cos( 20.0 * angle ) );
	// Mouth and eyes.
	const double smile = z - ( 0.836 + 0.020 * angle * angle );
	d -= 0.006 * exp( -smile * smile * 90000.0 ) * bump( angle, -0.45, 0.45, 0.2 );
	const double eye = fabs( angle ) - 0.38;
	d -= 0.005 * exp( -( eye * eye * 120.0 + ( z - 0.878 ) * ( z - 0.878 ) * 30000.0 ) );
	// Curls of hair.
	const double hair = bump( z, 0.885 + 0.03 * front * front, 0.995, 0.012 );
	d += hair * 0.0030 * sin( 14.0 * angle ) * sin( 250.0 * z );
	// Lotus leaves round the plinth, in two rows.
	if ( z < 0.055 )
		d +=
		    0.008 * fabs( sin( 8.0 * angle + ( z > 0.027 ? TAU / 4.0 : 0.0 ) ) ) * sin( TAU * z / 0.055 * 0.999 / 2.0 );
	return r > 0.02 ? d : d * r / 0.02;
}

static double plinth( double z ) {
	if ( z > 0.055 )
		return 0.0;
	const double t = z / 0.055;
	return 0.192 - 0.016 * sin( TAU / 2.0 * t ) + 0.006 * t;
}

// The outermost radius in a direction.
static double scan( double c, double s, double angle, double z ) {
	double outside = 0.30, inside = 0.0;
	for ( double r = outside; r > 0.0; ) {
		const double p[3] = { r * c, r * s, z };
		const double d = figure_distance( p );
		if ( d <= 0.0 ) {
			inside = r;
			break;
		}
		outside = r;
		r -= 0.4 * d > 0.001 ? 0.4 * d : 0.001;
	}
	for ( int i = 0; i < 30; ++i ) {
		const double r = 0.5 * ( inside + outside );
		const double p[3] = { r * c, r * s, z };
		*( figure_distance( p ) <= 0.0 ? &inside : &outside ) = r;
	}
	const double base = plinth( z );
	const double r = inside > base ? inside : base;
	const double out = r + relief( angle, z, r );
	return out > 0.004 ? out : 0.004;
}

// Heights of the rings: evenly spread, but closer over the head.
static double ring_height( int i ) {
	const double t = (double)i / ( RINGS - 1 );
	const double z = t + 0.028 * sin( TAU * t ) - 0.02 * sin( 2.0 * TAU * t );
	return z * 0.9915;
}

void shape_add_statue( shape *s ) {
	// Wide rings get more vertices. Whole numbers only: the counts must be the same on every machine.
	uint32_t counts[RINGS];
	uint32_t total = 0;
	for ( int i = 0; i < RINGS; ++i ) {
		const int quarter = i * 16 / RINGS; // sixteenths of the height
		static const uint32_t share[16] = { 76, 76, 76, 74, 74, 74, 76, 80, 86, 80, 72, 64, 58, 64, 64, 44 };
		counts[i] = share[quarter];
		total += counts[i];
	}
	for ( int i = 0; total != TOTAL; i = ( i + 7 ) % RINGS ) {
		counts[i] = total < TOTAL ? counts[i] + 1 : counts[i] - 1;
		total = total < TOTAL ? total + 1 : total - 1;
	}

	uint32_t below = 0, first_ring = 0;
	for ( int i = 0; i < RINGS; ++i ) {
		const double z = ring_height( i );
		const uint32_t ring = (uint32_t)s->vertex_count;
		for ( uint32_t j = 0; j < counts[i]; ++j ) {
			double c, si;
			shape_turn( j, counts[i], &c, &si );
			const double angle = 2 * j > counts[i] ? TAU * ( j - (double)counts[i] ) / counts[i] : TAU * j / counts[i];
			const double r = scan( c, si, angle, z );
			shape_vertex( s, r * c, r * si, z );
		}
		if ( i > 0 )
			shape_ring_strip( s, below, counts[i - 1], ring, counts[i] );
		else
			first_ring = ring;
		below = ring;
	}
	const uint32_t foot = shape_vertex( s, 0.0, 0.0, 0.0 );
	for ( uint32_t j = 0; j < counts[0]; ++j )
		shape_triangle( s, first_ring + ( j + 1 ) % counts[0], first_ring + j, foot );
	const uint32_t crown = shape_vertex( s, 0.004, 0.0, 1.0 );
	for ( uint32_t j = 0; j < counts[RINGS - 1]; ++j )
		shape_triangle( s, below + j, below + ( j + 1 ) % counts[RINGS - 1], crown );
}
