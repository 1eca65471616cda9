// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A hand of 404 triangles: a palm of three rows whose front carries four fingers, each on a block of two by two
// squares, and whose side carries the thumb. 120 triangles of palm walls less 8 under the thumb, 14 phalanges of 16,
// five tips of 8 and 28 across the wrist.

#include "shapes/shapes.h"

#include <math.h>

enum { COLUMNS = 8, RING = 2 * COLUMNS + 4, ROWS = 4 };

// The ring of the palm runs anticlockwise as seen from the fingers: along the inside of the hand from column 0 to 8,
// the thumb's side, back along the outside, the little finger's side.
static uint32_t ring_index( int column, int side ) {
	if ( side < 0 )
		return (uint32_t)column;
	if ( side > 0 )
		return (uint32_t)( 2 * COLUMNS + 2 - column );
	return column == COLUMNS ? COLUMNS + 1 : RING - 1;
}

static const double half_width[ROWS] = { 0.027, 0.036, 0.042, 0.043 };
static const double half_thickness[ROWS] = { 0.019, 0.017, 0.0145, 0.0115 };

// The vertex of a column of a row; `side` is -1 (inside of the hand), 0 or 1 (back of the hand).
static uint32_t palm_vertex( shape *s, int row, int column, int side ) {
	static const double along[ROWS] = { 0.0, 0.03, 0.064, 0.094 };
	static const double knuckles[COLUMNS + 1] = { -0.014, -0.009, -0.004, 0.0, 0.003, 0.005, 0.003, 0.001, -0.004 };
	const double u = ( column - COLUMNS / 2 ) / (double)( COLUMNS / 2 );
	const double web = row == ROWS - 1 && column % 2 == 0 && column > 0 && column < COLUMNS ? 0.004 : 0.0;
	const double x = along[row] + knuckles[column] * row / ( ROWS - 1 ) + web;
	const double y = half_width[row] * ( side == 0 && fabs( u ) == 1.0 ? 1.06 * u : u );
	// Arched a little: the back is convex, the inside hollow.
	const double thick = half_thickness[row] * sqrt( 1.0 - 0.62 * u * u );
	const double z = thick * side - 0.006 * u * u * ( row > 0 ? 1.0 : 0.3 );
	return shape_vertex( s, x, y, z );
}

typedef struct digit {
	double base[3];   // the middle of its root
	double heading;   // radians from +x towards +y
	double curl[3];   // bend at the joint before each phalanx, radians
	double length[3]; // length of each phalanx
	double radius[4]; // half width after each phalanx, then of the tip's roundness
	int phalanges;
	bool thumb;
} digit;

// Grows a digit from a ring of eight vertices that runs anticlockwise as seen from its tip, corners first.
static void grow( shape *s, const digit *d, const uint32_t root[8], uint32_t tip ) {
	static const double across[8] = { -0.78, 0.0, 0.78, 1.0, 0.78, 0.0, -0.78, -1.0 };
	static const double upward[8] = { -0.78, -1.0, -0.78, 0.0, 0.78, 1.0, 0.78, 0.0 };
	double centre[3] = { d->base[0], d->base[1], d->base[2] };
	uint32_t ring[8];
	for ( int i = 0; i < 8; ++i )
		ring[i] = root[i];
	double bend = 0.0;
	double forward[3] = { 0 };
	for ( int k = 0; k < d->phalanges; ++k ) {
		bend += d->curl[k];
		// Fingers bend towards the inside of the hand (-z).
		forward[0] = cos( d->heading ) * cos( bend );
		forward[1] = sin( d->heading ) * cos( bend );
		forward[2] = -sin( bend );
		const double level[3] = { -sin( d->heading ), cos( d->heading ), 0.0 };
		const double normal[3] = { cos( d->heading ) * sin( bend ), sin( d->heading ) * sin( bend ), cos( bend ) };
		uint32_t next[8];
		for ( int a = 0; a < 3; ++a )
			centre[a] += d->length[k] * forward[a];
		for ( int i = 0; i < 8; ++i ) {
			// The thumb's ring begins at the wrist: its two directions are the normal and minus the level one.
			const double p = d->thumb ? -upward[i] : across[i], q = d->thumb ? across[i] : upward[i];
			const double r = d->radius[k];
			next[i] = shape_vertex( s, centre[0] + r * ( p * level[0] + 0.9 * q * normal[0] ),
			                        centre[1] + r * ( p * level[1] + 0.9 * q * normal[1] ),
			                        centre[2] + r * ( p * level[2] + 0.9 * q * normal[2] ) );
		}
		for ( int i = 0; i < 8; ++i ) {
			const int j = ( i + 1 ) % 8;
			shape_triangle( s, ring[i], ring[j], next[j] );
			shape_triangle( s, ring[i], next[j], next[i] );
		}
		for ( int i = 0; i < 8; ++i )
			ring[i] = next[i];
	}
	for ( int i = 0; i < 8; ++i )
		shape_triangle( s, ring[i], ring[( i + 1 ) % 8], tip );
	if ( !s->failed )
		for ( int a = 0; a < 3; ++a )
			s->positions[3 * (size_t)tip + a] = centre[a] + d->radius[3] * forward[a];
}

static void close_wrist( shape *s, uint32_t ring ) {
	uint32_t middle[COLUMNS + 1] = { 0 };
	for ( int c = 2; c <= 6; ++c )
		middle[c] = palm_vertex( s, 0, c, 0 );
	for ( int c = 2; c < 6; ++c ) {
		for ( int side = -1; side <= 1; side += 2 ) {
			const uint32_t edge = ring + ring_index( side < 0 ? c + 1 : c, side );
			const uint32_t edge_next = ring + ring_index( side < 0 ? c : c + 1, side );
			const uint32_t mid = middle[side < 0 ? c + 1 : c], mid_next = middle[side < 0 ? c : c + 1];
			shape_triangle( s, edge, edge_next, mid_next );
			shape_triangle( s, edge, mid_next, mid );
		}
	}
	for ( uint32_t i = 0; i < 6; ++i ) {
		const uint32_t right = ring_index( 6, -1 ) + i, left = ring_index( 2, 1 ) + i;
		shape_triangle( s, ring + right + 1, ring + right, middle[6] );
		shape_triangle( s, ring + ( left + 1 ) % RING, ring + left % RING, middle[2] );
	}
}

void shape_add_hand( shape *s ) {
	static const digit fingers[4] = {
	    { { 0.082, -0.032, -0.003 },
	      -0.20,
	      { 0.10, 0.30, 0.20 },
	      { 0.030, 0.020, 0.014 },
	      { 0.0074, 0.0068, 0.0050, 0.0050 },
	      3,
	      false },
	    { { 0.092, -0.0107, -0.001 },
	      -0.06,
	      { 0.08, 0.26, 0.18 },
	      { 0.040, 0.027, 0.017 },
	      { 0.0084, 0.0077, 0.0056, 0.0055 },
	      3,
	      false },
	    { { 0.098, 0.0107, -0.001 },
	      0.03,
	      { 0.04, 0.18, 0.12 },
	      { 0.043, 0.029, 0.018 },
	      { 0.0088, 0.0080, 0.0058, 0.0055 },
	      3,
	      false },
	    { { 0.095, 0.032, -0.003 },
	      0.13,
	      { 0.04, 0.20, 0.14 },
	      { 0.038, 0.024, 0.017 },
	      { 0.0085, 0.0078, 0.0056, 0.0055 },
	      3,
	      false },
	};
	static const digit thumb = { { 0.034, 0.034, -0.003 },
	                             0.85,
	                             { 0.15, 0.10, 0.0 },
	                             { 0.041, 0.026, 0.0 },
	                             { 0.0105, 0.0072, 0.0, 0.0065 },
	                             2,
	                             true };

	uint32_t ring[ROWS];
	for ( int row = 0; row < ROWS; ++row ) {
		ring[row] = (uint32_t)s->vertex_count;
		for ( int c = 0; c <= COLUMNS; ++c )
			palm_vertex( s, row, c, -1 );
		palm_vertex( s, row, COLUMNS, 0 );
		for ( int c = COLUMNS; c >= 0; --c )
			palm_vertex( s, row, c, 1 );
		palm_vertex( s, row, 0, 0 );
	}
	for ( int row = 0; row + 1 < ROWS; ++row ) {
		for ( uint32_t i = 0; i < RING; ++i ) {
			if ( row < 2 && ( i == ring_index( COLUMNS, -1 ) || i == ring_index( COLUMNS, 0 ) ) )
				continue; // the thumb's root
			const uint32_t j = ( i + 1 ) % RING;
			shape_triangle( s, ring[row] + i, ring[row] + j, ring[row + 1] + j );
			shape_triangle( s, ring[row] + i, ring[row + 1] + j, ring[row + 1] + i );
		}
	}
	close_wrist( s, ring[0] );

	uint32_t middle[COLUMNS + 1];
	for ( int c = 0; c <= COLUMNS; ++c )
		middle[c] = c == 0 || c == COLUMNS ? ring[ROWS - 1] + ring_index( c, 0 ) : palm_vertex( s, ROWS - 1, c, 0 );
	for ( int f = 0; f < 4; ++f ) {
		const uint32_t k = ring[ROWS - 1];
		const int c = 2 * f;
		const uint32_t root[8] = {
		    k + ring_index( c, -1 ),    k + ring_index( c + 1, -1 ), k + ring_index( c + 2, -1 ), middle[c + 2],
		    k + ring_index( c + 2, 1 ), k + ring_index( c + 1, 1 ),  k + ring_index( c, 1 ),      middle[c] };
		grow( s, &fingers[f], root, middle[c + 1] );
	}
	const uint32_t below = ring_index( COLUMNS, -1 ), side = ring_index( COLUMNS, 0 ), above = ring_index( COLUMNS, 1 );
	const uint32_t root[8] = { ring[0] + below, ring[0] + side, ring[0] + above, ring[1] + above,
	                           ring[2] + above, ring[2] + side, ring[2] + below, ring[1] + below };
	grow( s, &thumb, root, ring[1] + side );
}
