// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The cabin of an aeroplane with 144 seats, of as many triangles as the interior of Klosowski et al. (1998) that
// Chang, Wang and Kim (2009) use has. Everything but the floor is built first; the floor takes what is left.

#include "shapes/shapes.h"

#include <math.h>

#define TAU 6.28318530717958647692

enum { TOTAL = 169944, ROWS = 24, BAYS = 40, LOOP = 24 };

static const double length = 20.0;
static const double bay = 0.5; // from one window to the next
static const double radius = 1.77, centre_z = 0.75;

// A point of the fuselage wall: x along the cabin, `a` the angle above the widest line, `depth` outwards.
static uint32_t wall_vertex( shape *s, double x, double a, int side, double depth ) {
	return shape_vertex( s, x, side * ( radius + depth ) * cos( a ), centre_z + ( radius + depth ) * sin( a ) );
}

// A grid of (m + 1) by (n + 1) vertices that stand row by row from `first`; the front is where rows run from left to
// right and the next row lies above.
static void add_grid( shape *s, uint32_t first, uint32_t m, uint32_t n, bool flip ) {
	for ( uint32_t i = 0; i < m; ++i ) {
		for ( uint32_t j = 0; j < n; ++j ) {
			const uint32_t a = first + i * ( n + 1 ) + j, b = a + 1, c = b + n + 1, d = a + n + 1;
			shape_triangle( s, a, flip ? c : b, flip ? b : c );
			shape_triangle( s, a, flip ? d : c, flip ? c : d );
		}
	}
}

static void add_wall_sheet( shape *s, double from, double to, uint32_t rows, int side ) {
	const uint32_t first = (uint32_t)s->vertex_count, columns = 2 * BAYS;
	for ( uint32_t i = 0; i <= rows; ++i )
		for ( uint32_t j = 0; j <= columns; ++j )
			wall_vertex( s, length * j / columns, from + ( to - from ) * i / rows, side, 0.0 );
	add_grid( s, first, rows, columns, side < 0 );
}

static void add_loop_strip( shape *s, uint32_t outer, uint32_t inner, bool flip ) {
	for ( uint32_t i = 0; i < LOOP; ++i ) {
		const uint32_t j = ( i + 1 ) % LOOP;
		shape_triangle( s, outer + i, flip ? inner + j : outer + j, flip ? outer + j : inner + j );
		shape_triangle( s, outer + i, flip ? inner + i : inner + j, flip ? inner + j : inner + i );
	}
}

// A wall panel with its window: the panel round a rounded hole, a sloping reveal, a frame and a pane.
static void add_window( shape *s, double x, double from, double to, int side ) {
	static const struct {
		double scale, depth;
	} loops[5] = { { 1.0, 0.0 }, { 1.0, 0.0 }, { 0.86, 0.035 }, { 0.84, 0.035 }, { 0.80, 0.055 } };
	const double middle = 0.5 * ( from + to ), half = 0.5 * ( to - from );
	const bool flip = side < 0;
	uint32_t before = 0;
	for ( int k = 0; k < 5; ++k ) {
		const uint32_t loop = (uint32_t)s->vertex_count;
		for ( int i = 0; i < LOOP; ++i ) {
			// Round the square [-1, 1]^2, six steps a side.
			const int edge = i / ( LOOP / 4 );
			const double t = 2.0 * ( i % ( LOOP / 4 ) ) / ( LOOP / 4 ) - 1.0;
			double u = edge == 0 ? t : edge == 1 ? 1.0 : edge == 2 ? -t : -1.0;
			double v = edge == 0 ? -1.0 : edge == 1 ? t : edge == 2 ? 1.0 : -t;
			if ( k > 0 ) {
				const double norm = pow( u * u * u * u + v * v * v * v, 0.25 );
				u *= loops[k].scale * 0.125 / ( 0.5 * bay ) / norm;
				v *= loops[k].scale * 0.175 / ( half * radius ) / norm;
			}
			wall_vertex( s, x + 0.5 * bay * u, middle + half * v, side, loops[k].depth );
		}
		if ( k > 0 )
			add_loop_strip( s, before, loop, flip );
		before = loop;
	}
	const uint32_t pane = wall_vertex( s, x, middle, side, 0.055 );
	for ( uint32_t i = 0; i < LOOP; ++i ) {
		const uint32_t j = ( i + 1 ) % LOOP;
		shape_triangle( s, before + ( flip ? j : i ), before + ( flip ? i : j ), pane );
	}
}

// A closed prism along x over a polygon in (y, z), cut into `cuts` pieces, with a fan at both ends.
static void add_prism( shape *s, const double ( *polygon )[2], uint32_t n, double from, double to, uint32_t cuts,
                       int side ) {
	const uint32_t first = (uint32_t)s->vertex_count;
	double middle[2] = { 0 };
	for ( uint32_t i = 0; i < n; ++i ) {
		middle[0] += polygon[i][0] / n;
		middle[1] += polygon[i][1] / n;
	}
	for ( uint32_t k = 0; k <= cuts; ++k )
		for ( uint32_t i = 0; i < n; ++i )
			shape_vertex( s, from + ( to - from ) * k / cuts, side * polygon[i][0], polygon[i][1] );
	const uint32_t back = shape_vertex( s, from, side * middle[0], middle[1] );
	const uint32_t front = shape_vertex( s, to, side * middle[0], middle[1] );
	const bool flip = side < 0;
	for ( uint32_t i = 0; i < n; ++i ) {
		const uint32_t j = ( i + 1 ) % n, a = flip ? j : i, b = flip ? i : j;
		for ( uint32_t k = 0; k < cuts; ++k ) {
			const uint32_t low = first + k * n, high = low + n;
			shape_triangle( s, low + a, low + b, high + b );
			shape_triangle( s, low + a, high + b, high + a );
		}
		shape_triangle( s, first + b, first + a, back );
		shape_triangle( s, first + cuts * n + a, first + cuts * n + b, front );
	}
}

static void add_bins( shape *s, int side ) {
	// Anticlockwise as seen from the tail on the right-hand side.
	static const double bin[][2] = { { 1.40, 1.66 }, { 1.36, 1.78 }, { 1.22, 1.98 }, { 1.08, 2.10 },
	                                 { 0.98, 2.12 }, { 0.90, 2.04 }, { 0.84, 1.92 }, { 0.82, 1.80 },
	                                 { 0.84, 1.70 }, { 0.92, 1.63 }, { 1.04, 1.60 }, { 1.24, 1.61 } };
	static const double latch[][2] = { { 0.835, 1.71 }, { 0.815, 1.74 }, { 0.800, 1.735 }, { 0.820, 1.70 } };
	for ( int k = 0; k < BAYS / 2; ++k ) {
		const double x = 1.0 * k;
		add_prism( s, bin, 12, x + 0.006, x + 0.994, 4, side );
		add_prism( s, latch, 4, x + 0.44, x + 0.56, 1, side );
	}
	// The panel of reading lamps and nozzles under the bins.
	static const double panel[][2] = { { 1.20, 1.57 }, { 1.20, 1.60 }, { 0.96, 1.60 }, { 0.96, 1.57 } };
	add_prism( s, panel, 4, 0.3, length - 0.3, 40, side );
}

static void add_ceiling( shape *s ) {
	const uint32_t first = (uint32_t)s->vertex_count, columns = BAYS, across = 14;
	for ( uint32_t i = 0; i <= across; ++i ) {
		const double v = 2.0 * i / across - 1.0;
		for ( uint32_t j = 0; j <= columns; ++j )
			shape_vertex( s, length * j / columns, 0.98 * v, 2.26 - 0.14 * v * v * v * v );
	}
	add_grid( s, first, across, columns, true );
}

// A partition across the cabin with a doorway in the middle.
static void add_bulkhead( shape *s, double x, bool faces_tail ) {
	enum { STEPS = 32 };
	const uint32_t first = (uint32_t)s->vertex_count;
	const double lowest = asin( -centre_z / radius );
	for ( int i = 0; i <= STEPS; ++i ) {
		const double t = (double)i / STEPS;
		const double a = lowest + ( TAU / 2.0 - 2.0 * lowest ) * t;
		shape_vertex( s, x, radius * cos( a ), centre_z + radius * sin( a ) );
	}
	for ( int i = 0; i <= STEPS; ++i ) { // up the right post, round the lintel, down the left one
		const double t = 4.0 * i / STEPS;
		const double y = t < 1.5 ? 0.38 : t > 2.5 ? -0.38 : 0.38 * ( 2.0 - t ) * 2.0;
		const double z = t < 1.5   ? 1.95 * t / 1.5
		                 : t > 2.5 ? 1.95 * ( 4.0 - t ) / 1.5
		                           : 1.95 + 0.05 * sin( TAU / 2.0 * ( t - 1.5 ) );
		shape_vertex( s, x, y, z );
	}
	for ( uint32_t i = 0; i < STEPS; ++i ) {
		const uint32_t a = first + i, b = a + 1, c = b + STEPS + 1, d = a + STEPS + 1;
		shape_triangle( s, a, faces_tail ? b : c, faces_tail ? c : b );
		shape_triangle( s, a, faces_tail ? c : d, faces_tail ? d : c );
	}
}

static void add_part( shape *s, const double c[3], const double h[3], uint32_t nx, uint32_t ny, uint32_t nz,
                      double roundness, double lean ) {
	const size_t first = s->vertex_count;
	const uint32_t cells[3] = { nx, ny, nz };
	const double origin[3] = { 0 }, axis[3] = { 0.0, 1.0, 0.0 };
	shape_add_cushion( s, origin, h, cells, roundness );
	const dbvh_pose pose = shape_pose( axis, lean, c );
	shape_place( s, first, &pose );
}

// Three seats side by side, facing the nose (-x). `inner` is the y of the aisle side, seats go outwards.
static void add_seats( shape *s, double x, int side ) {
	const double width = 0.465;
	for ( int k = 0; k < 3; ++k ) {
		const double y = side * ( 0.30 + width * ( k + 0.5 ) );
		const double cushion[3] = { x, y, 0.40 }, cushion_h[3] = { 0.24, 0.205, 0.065 };
		add_part( s, cushion, cushion_h, 7, 7, 2, 0.38, 0.0 );
		const double back[3] = { x + 0.285, y, 0.755 }, back_h[3] = { 0.055, 0.210, 0.36 };
		add_part( s, back, back_h, 2, 7, 6, 0.32, 14.0 );
		const double head[3] = { x + 0.335, y, 1.125 }, head_h[3] = { 0.050, 0.150, 0.095 };
		add_part( s, head, head_h, 2, 4, 2, 0.45, 14.0 );
		const double table[3] = { x + 0.385, y, 0.80 }, table_h[3] = { 0.012, 0.185, 0.125 };
		add_part( s, table, table_h, 1, 3, 2, 0.06, 14.0 );
		const double vest[3] = { x + 0.02, y, 0.305 }, vest_h[3] = { 0.17, 0.15, 0.025 };
		add_part( s, vest, vest_h, 1, 1, 1, 0.0, 0.0 );
	}
	for ( int k = 0; k <= 3; ++k ) {
		const double y = side * ( 0.30 + width * k );
		const double rest[3] = { x + 0.03, y, 0.605 }, rest_h[3] = { 0.20, 0.024, 0.026 };
		add_part( s, rest, rest_h, 4, 2, 2, 0.5, 0.0 );
		const double post[3] = { x + 0.16, y, 0.48 }, post_h[3] = { 0.035, 0.012, 0.12 };
		add_part( s, post, post_h, 1, 1, 2, 0.1, -12.0 );
	}
	for ( int k = 0; k < 2; ++k ) {
		const double y = side * ( 0.30 + width * ( k == 0 ? 0.75 : 2.25 ) );
		const double fore[3] = { x - 0.13, y, 0.15 }, hind[3] = { x + 0.15, y, 0.15 }, leg[3] = { 0.018, 0.022, 0.15 };
		add_part( s, fore, leg, 1, 1, 3, 0.1, -8.0 );
		add_part( s, hind, leg, 1, 1, 3, 0.1, 22.0 );
		const double rail[3] = { x + 0.03, y, 0.014 }, rail_h[3] = { 0.28, 0.020, 0.012 };
		add_part( s, rail, rail_h, 3, 1, 1, 0.0, 0.0 );
	}
	for ( int k = 0; k < 2; ++k ) {
		const double beam[3] = { x - 0.13 + 0.26 * k, side * ( 0.30 + 1.5 * width ), 0.30 };
		const double beam_h[3] = { 0.018, 1.5 * width - 0.02, 0.018 };
		add_part( s, beam, beam_h, 1, 6, 1, 0.3, 0.0 );
	}
}

// The floor, `count` triangles in strips; where the count does not divide evenly, the last strip has more vertices on
// its far side than on its near one.
static void add_floor( shape *s, size_t count ) {
	const double half = sqrt( radius * radius - centre_z * centre_z );
	enum { ACROSS = 26 };
	const uint32_t rows = (uint32_t)( count / ( 2 * ACROSS ) );
	const uint32_t last = (uint32_t)( count - 2 * (size_t)ACROSS * ( rows - 1 ) ) - ACROSS;
	const uint32_t first = (uint32_t)s->vertex_count;
	for ( uint32_t i = 0; i < rows; ++i )
		for ( uint32_t j = 0; j <= ACROSS; ++j )
			shape_vertex( s, length * i / rows, half * ( 2.0 * j / ACROSS - 1.0 ), 0.0 );
	add_grid( s, first, rows - 1, ACROSS, true );
	const uint32_t near = first + ( rows - 1 ) * ( ACROSS + 1 ), far = (uint32_t)s->vertex_count;
	for ( uint32_t j = 0; j <= last; ++j )
		shape_vertex( s, length, half * ( 2.0 * j / last - 1.0 ), 0.0 );
	for ( uint32_t i = 0, j = 0; i < ACROSS || j < last; ) {
		const bool step_near = j == last || ( i < ACROSS && ( 2 * i + 1 ) * last <= ( 2 * j + 1 ) * ACROSS );
		const uint32_t a = near + i, b = far + j;
		if ( step_near )
			++i;
		else
			++j;
		shape_triangle( s, a, b, step_near ? near + i : far + j );
	}
}

void shape_add_cabin( shape *s ) {
	const size_t before = s->triangle_count;
	const double lowest = asin( -centre_z / radius ), sill = 0.02, lintel = 0.33, top = asin( 1.0 / radius );
	for ( int side = -1; side <= 1; side += 2 ) {
		add_wall_sheet( s, lowest, sill, 5, side );
		for ( int k = 0; k < BAYS; ++k )
			add_window( s, bay * ( k + 0.5 ), sill, lintel, side );
		add_wall_sheet( s, lintel, top, 4, side );
		add_bins( s, side );
		for ( int row = 0; row < ROWS; ++row )
			add_seats( s, 0.9 + 0.79 * row, side );
	}
	add_ceiling( s );
	add_bulkhead( s, 0.0, true );
	add_bulkhead( s, length, false );
	if ( !s->failed )
		add_floor( s, TOTAL - ( s->triangle_count - before ) );
}
