// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A spur gear: one tooth is computed and turned into every place.

#include "shapes/shapes.h"

#include <math.h>

#define PI 3.14159265358979323846

shape_gear shape_gear_default( void ) {
	return ( shape_gear ){ .teeth = 24,
	                       .module = 1.0,
	                       .pressure_angle = 20.0 * ( PI / 180.0 ),
	                       .thickness = 6.0,
	                       .bore_radius = 4.0,
	                       .backlash = 0.0625,
	                       .flank_segments = 6 };
}

// The angle between a point of an involute and its start, where cos(a) = base radius / radius of the point.
static double involute( double a ) {
	return tan( a ) - a;
}

// Half the angle that a tooth covers at radius `r`.
static double half_tooth( const shape_gear *g, double r ) {
	const double pitch_radius = g->module * g->teeth / 2.0;
	const double base_radius = pitch_radius * cos( g->pressure_angle );
	const double at_pitch = PI / ( 2.0 * g->teeth ) - g->backlash / ( 2.0 * pitch_radius );
	const double flank = r > base_radius ? involute( acos( base_radius / r ) ) : 0.0; // radial below the base circle
	return at_pitch + involute( g->pressure_angle ) - flank;
}

// Vertices of one pitch on one of the two faces, in this order: right flank from root to tip, the middle of the tip,
// left flank from tip to root, the middle of the valley; then three on the bore, under both feet and under the valley.
static void add_pitch( shape *s, const shape_gear *g, uint32_t tooth, double z ) {
	const double pitch_radius = g->module * g->teeth / 2.0;
	const double root = pitch_radius - 1.25 * g->module, tip = pitch_radius + g->module;
	const uint32_t n = g->flank_segments;
	double c, si, cv, sv;
	shape_turn( tooth, g->teeth, &c, &si );
	shape_turn( 2 * tooth + 1, 2 * g->teeth, &cv, &sv );
	for ( uint32_t i = 0; i <= 2 * n + 2; ++i ) {
		const uint32_t level = i <= n ? i : 2 * n + 2 - i;
		const double r = i == n + 1 ? tip : root + ( tip - root ) * level / n;
		const double half = i == n + 1 ? 0.0 : half_tooth( g, r );
		const double x = r * cos( half ), y = ( i <= n ? -r : r ) * sin( half );
		shape_vertex( s, x * c - y * si, y * c + x * si, z );
	}
	shape_vertex( s, root * cv, root * sv, z );
	const double foot = half_tooth( g, root );
	const double x = g->bore_radius * cos( foot ), y = g->bore_radius * sin( foot );
	shape_vertex( s, x * c + y * si, x * si - y * c, z );
	shape_vertex( s, x * c - y * si, y * c + x * si, z );
	shape_vertex( s, g->bore_radius * cv, g->bore_radius * sv, z );
}

static void add_quad( shape *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool flip ) {
	shape_triangle( s, a, flip ? c : b, flip ? b : c );
	shape_triangle( s, a, flip ? d : c, flip ? c : d );
}

bool shape_add_gear( shape *s, const shape_gear *g ) {
	const double root = g->module * g->teeth / 2.0 - 1.25 * g->module, tip = root + 2.25 * g->module;
	const bool sane = g->teeth >= 8 && g->teeth <= 100000 && g->flank_segments >= 1 && g->flank_segments <= 1000 &&
	                  g->module > 0.0 && g->pressure_angle > 0.0 && g->pressure_angle < PI / 4.0 &&
	                  g->thickness > 0.0 && g->bore_radius > 0.0 && g->bore_radius < root && g->backlash >= 0.0;
	if ( !sane || half_tooth( g, tip ) <= 0.0 || half_tooth( g, root ) >= PI / g->teeth )
		return false;

	const uint32_t n = g->flank_segments, outline = 2 * n + 4, pitch = outline + 3;
	const uint32_t bottom = (uint32_t)s->vertex_count, top = bottom + g->teeth * pitch;
	for ( int face = -1; face <= 1; face += 2 )
		for ( uint32_t k = 0; k < g->teeth; ++k )
			add_pitch( s, g, k, face * g->thickness / 2.0 );

	for ( uint32_t k = 0; k < g->teeth; ++k ) {
		const uint32_t here = k * pitch, next = ( k + 1 ) % g->teeth * pitch;
		for ( int face = 0; face < 2; ++face ) {
			const uint32_t f = ( face ? top : bottom ) + here, after = ( face ? top : bottom ) + next;
			const bool flip = face == 0;
			for ( uint32_t j = 0; j < n; ++j ) // across the tooth, rung by rung
				add_quad( s, f + j, f + j + 1, f + 2 * n + 1 - j, f + 2 * n + 2 - j, flip );
			shape_triangle( s, f + n, f + ( flip ? n + 2 : n + 1 ), f + ( flip ? n + 1 : n + 2 ) );
			const uint32_t left_foot = f + 2 * n + 2, valley = left_foot + 1, bore = valley + 1;
			add_quad( s, f, left_foot, bore + 1, bore, flip );
			add_quad( s, left_foot, valley, bore + 2, bore + 1, flip );
			add_quad( s, valley, after, after + outline, bore + 2, flip );
		}
		for ( uint32_t i = 0; i < outline; ++i ) {
			const uint32_t a = here + i, b = i + 1 < outline ? a + 1 : next;
			add_quad( s, bottom + a, bottom + b, top + b, top + a, false );
		}
		for ( uint32_t i = 0; i < 3; ++i ) {
			const uint32_t a = here + outline + i, b = i < 2 ? a + 1 : next + outline;
			add_quad( s, bottom + a, bottom + b, top + b, top + a, true );
		}
	}
	return true;
}
