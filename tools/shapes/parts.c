// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The building blocks of the larger shapes.

#include "shapes/shapes.h"

#include <math.h>

#define TAU 6.28318530717958647692

void shape_turn( uint32_t k, uint32_t n, double *cosine, double *sine ) {
	// Eighths of a turn in units of 1 / (8 n): mirror into the first octant, where the library function is asked.
	const uint64_t full = 8 * (uint64_t)n;
	uint64_t t = 8 * ( (uint64_t)k % n );
	bool negative_sine = false, negative_cosine = false, swapped = false;
	if ( 2 * t > full ) {
		t = full - t;
		negative_sine = true;
	}
	if ( 4 * t > full ) {
		t = full / 2 - t;
		negative_cosine = true;
	}
	if ( 8 * t > full ) {
		t = full / 4 - t;
		swapped = true;
	}
	const double angle = TAU * ( (double)t / (double)full );
	double c = cos( angle ), s = sin( angle );
	if ( 8 * t == full )
		s = c; // an eighth: the diagonal, exactly
	if ( swapped ) {
		const double keep = c;
		c = s;
		s = keep;
	}
	*cosine = negative_cosine ? -c : c;
	*sine = negative_sine ? -s : s;
}

dbvh_pose shape_pose( const double axis[3], double degrees, const double at[3] ) {
	dbvh_pose pose = dbvh_pose_identity();
	const double length = sqrt( axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] );
	double c, s;
	const double quarters = degrees / 90.0;
	if ( quarters == floor( quarters ) ) {
		const double k = fmod( quarters, 4.0 );
		shape_turn( (uint32_t)( k < 0.0 ? k + 4.0 : k ), 4, &c, &s );
	} else {
		c = cos( degrees * ( TAU / 360.0 ) );
		s = sin( degrees * ( TAU / 360.0 ) );
	}
	if ( length > 0.0 ) {
		const double u[3] = { axis[0] / length, axis[1] / length, axis[2] / length };
		for ( int i = 0; i < 3; ++i ) {
			const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
			pose.rot[i][i] = c + u[i] * u[i] * ( 1.0 - c );
			pose.rot[i][j] = u[i] * u[j] * ( 1.0 - c ) - u[k] * s;
			pose.rot[j][i] = u[i] * u[j] * ( 1.0 - c ) + u[k] * s;
		}
	}
	for ( int i = 0; i < 3; ++i )
		pose.pos[i] = at[i];
	return pose;
}

void shape_place( shape *s, size_t first, const dbvh_pose *pose ) {
	for ( size_t v = first; v < s->vertex_count; ++v ) {
		double *p = s->positions + 3 * v;
		const double x = p[0], y = p[1], z = p[2];
		for ( int i = 0; i < 3; ++i )
			p[i] = pose->rot[i][0] * x + pose->rot[i][1] * y + pose->rot[i][2] * z + pose->pos[i];
	}
}

// From the cube [-1, 1]^3 towards the sphere in it, by the mapping that spreads cells evenly.
static void round_cube( const double q[3], double roundness, double out[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		const double a = q[( k + 1 ) % 3] * q[( k + 1 ) % 3], b = q[( k + 2 ) % 3] * q[( k + 2 ) % 3];
		const double on_sphere = q[k] * sqrt( 1.0 - a / 2.0 - b / 2.0 + a * b / 3.0 );
		out[k] = q[k] + roundness * ( on_sphere - q[k] );
	}
}

void shape_add_cushion( shape *s, const double c[3], const double h[3], const uint32_t cells[3], double roundness ) {
	for ( int axis = 0; axis < 3; ++axis ) {
		for ( int side = -1; side <= 1; side += 2 ) {
			const int a = side > 0 ? ( axis + 1 ) % 3 : ( axis + 2 ) % 3;
			const int b = 3 - axis - a;
			const uint32_t first = (uint32_t)s->vertex_count, m = cells[a], n = cells[b];
			for ( uint32_t i = 0; i <= m; ++i ) {
				for ( uint32_t j = 0; j <= n; ++j ) {
					// Written so that faces which meet compute equal coordinates along their common edge.
					double q[3], p[3];
					q[axis] = side;
					q[a] = 2.0 * i / m - 1.0;
					q[b] = 2.0 * j / n - 1.0;
					round_cube( q, roundness, p );
					shape_vertex( s, c[0] + h[0] * p[0], c[1] + h[1] * p[1], c[2] + h[2] * p[2] );
				}
			}
			for ( uint32_t i = 0; i < m; ++i ) {
				for ( uint32_t j = 0; j < n; ++j ) {
					const uint32_t u = first + i * ( n + 1 ) + j, v = u + n + 1;
					shape_triangle( s, u, v, v + 1 );
					shape_triangle( s, u, v + 1, u + 1 );
				}
			}
		}
	}
}

void shape_add_pipe( shape *s, double inner, double outer, double length, uint32_t slices ) {
	// Rims in the order in which the faces go round: outside up, over the top, down inside, and under.
	const double radius[4] = { outer, outer, inner, inner }, z[4] = { -0.5, 0.5, 0.5, -0.5 };
	const uint32_t first = (uint32_t)s->vertex_count;
	for ( uint32_t i = 0; i < slices; ++i ) {
		double c, si;
		shape_turn( i, slices, &c, &si );
		for ( int rim = 0; rim < 4; ++rim )
			shape_vertex( s, radius[rim] * c, radius[rim] * si, z[rim] * length );
	}
	for ( uint32_t i = 0; i < slices; ++i ) {
		for ( uint32_t rim = 0; rim < 4; ++rim ) {
			const uint32_t here = first + 4 * i, there = first + 4 * ( ( i + 1 ) % slices ), next = ( rim + 1 ) % 4;
			shape_triangle( s, here + rim, there + rim, there + next );
			shape_triangle( s, here + rim, there + next, here + next );
		}
	}
}

void shape_add_stairs( shape *s, uint32_t steps ) {
	for ( uint32_t i = 0; i < steps; ++i ) {
		const size_t first = s->vertex_count;
		shape_add_box( s, 0.5, 0.5, 0.5, 1 );
		dbvh_pose pose = dbvh_pose_identity();
		pose.pos[0] = i + 0.5;
		pose.pos[1] = 0.5;
		pose.pos[2] = i + 0.5;
		shape_place( s, first, &pose );
	}
}
