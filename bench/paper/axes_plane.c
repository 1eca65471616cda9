// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The appendix: what is lost in the plane when rectangles that lie within reach of each other's circles are tested on
// their minor axes alone. Areas are exact, where the paper seems to have sampled them.
//
// The relative centre ranges over the disc of both radii together. Each axis leaves a slab of it, two parallel or not.

#include "paper/axes.h"

#include <math.h>

#define PI 3.14159265358979323846

// The signed area of the disc about the origin within the triangle of the origin, p and q.
static double sector( double radius, const double p[2], const double q[2] ) {
	const double dx = q[0] - p[0], dy = q[1] - p[1];
	const double a = dx * dx + dy * dy, b = p[0] * dx + p[1] * dy, c = p[0] * p[0] + p[1] * p[1] - radius * radius;
	const double root = b * b - a * c, r2 = 0.5 * radius * radius;
	const double cross = p[0] * q[1] - p[1] * q[0], dot = p[0] * q[0] + p[1] * q[1];
	if ( root <= 0.0 )
		return r2 * atan2( cross, dot );
	const double enter = ( -b - sqrt( root ) ) / a, leave = ( -b + sqrt( root ) ) / a;
	if ( enter >= 1.0 || leave <= 0.0 )
		return r2 * atan2( cross, dot );
	const double from = fmax( enter, 0.0 ), to = fmin( leave, 1.0 );
	const double s[2] = { p[0] + from * dx, p[1] + from * dy }, t[2] = { p[0] + to * dx, p[1] + to * dy };
	return r2 * atan2( p[0] * s[1] - p[1] * s[0], p[0] * s[0] + p[1] * s[1] ) + 0.5 * ( s[0] * t[1] - s[1] * t[0] ) +
	       r2 * atan2( t[0] * q[1] - t[1] * q[0], t[0] * q[0] + t[1] * q[1] );
}

// The area of the disc between |n x| <= reach for two directions, at angles 0 and `angle` (radians).
static double disc_within( double radius, double angle, double reach_a, double reach_b ) {
	// The part of a square around the disc with |a x| <= reach_a, then cut by the other slab from both sides.
	double polygon[16][2] = {
	    { reach_a, -2 * radius }, { reach_a, 2 * radius }, { -reach_a, 2 * radius }, { -reach_a, -2 * radius } };
	int count = 4;
	for ( int side = 0; side < 2; ++side ) {
		const double nx = side ? -cos( angle ) : cos( angle ), ny = side ? -sin( angle ) : sin( angle );
		double cut[16][2];
		int kept = 0;
		for ( int i = 0; i < count; ++i ) {
			const double *p = polygon[i], *q = polygon[( i + 1 ) % count];
			const double hp = nx * p[0] + ny * p[1] - reach_b, hq = nx * q[0] + ny * q[1] - reach_b;
			if ( hp <= 0.0 ) {
				cut[kept][0] = p[0];
				cut[kept++][1] = p[1];
			}
			if ( ( hp < 0.0 && hq > 0.0 ) || ( hp > 0.0 && hq < 0.0 ) ) {
				const double t = hp / ( hp - hq );
				cut[kept][0] = p[0] + t * ( q[0] - p[0] );
				cut[kept++][1] = p[1] + t * ( q[1] - p[1] );
			}
		}
		for ( count = 0; count < kept; ++count ) {
			polygon[count][0] = cut[count][0];
			polygon[count][1] = cut[count][1];
		}
	}
	double area = 0.0;
	for ( int i = 0; i < count; ++i )
		area += sector( radius, polygon[i], polygon[( i + 1 ) % count] );
	return area;
}

double axes_plane_ratio( double angle, double h1, double h2 ) {
	const double radians = angle * PI / 180.0, c = fabs( cos( radians ) ), s = fabs( sin( radians ) );
	const double radius = sqrt( h1 * h1 + 1.0 ) + sqrt( h2 * h2 + 1.0 );
	// a0 is the x axis: A reaches h1 along it and 1 across.
	const double minor = disc_within( radius, radians, h1 + h2 * c + s, h2 + h1 * c + s );
	// The Minkowski sum of both rectangles, which lies in the disc: their areas, and twice the mixed one.
	const double white = 4.0 * h1 + 4.0 * h2 + 4.0 * ( h1 * ( h2 * s + c ) + ( h2 * c + s ) );
	// If nothing is lost, rounding may give a negative difference.
	return fmax( minor - white, 0.0 ) / minor;
}

axes_plane axes_plane_loss( void ) {
	axes_plane out = { 0 };
	for ( int angle = 0; angle <= 90; angle += 10 )
		for ( int i = 1; i <= 10; ++i )
			for ( int j = 1; j <= 10; ++j ) {
				const double ratio = axes_plane_ratio( angle, 0.1 * i, 0.1 * j );
				out.samples += 1;
				out.below_tenth += ratio < 0.1;
				out.average += ratio;
				if ( ratio > out.worst ) {
					out.worst = ratio;
					out.worst_angle = angle;
					out.worst_h1 = 0.1 * i;
					out.worst_h2 = 0.1 * j;
				}
			}
	out.average /= (double)out.samples;
	return out;
}
