// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "support/solid_shapes.h"

#include <string.h>

static void add_quad( shape *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool turned ) {
	if ( turned ) {
		shape_triangle( s, a, b, d );
		shape_triangle( s, b, c, d );
	} else {
		shape_triangle( s, a, b, c );
		shape_triangle( s, a, c, d );
	}
}

void add_block( shape *s, const double low[3], const double high[3], bool turned, bool inwards ) {
	static const uint32_t face[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
	                                     { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
	uint32_t v[8];
	for ( int i = 0; i < 8; ++i )
		v[i] = shape_vertex( s, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2] );
	for ( int f = 0; f < 6; ++f ) {
		const uint32_t *q = face[f];
		add_quad( s, v[q[0]], v[q[inwards ? 3 : 1]], v[q[2]], v[q[inwards ? 1 : 3]], turned );
	}
}

static double turn( const double a[2], const double b[2], const double c[2] ) {
	return ( b[0] - a[0] ) * ( c[1] - a[1] ) - ( b[1] - a[1] ) * ( c[0] - a[0] );
}

void add_prism( shape *s, const double ( *polygon )[2], size_t count, double low, double high ) {
	const uint32_t first = (uint32_t)s->vertex_count, n = (uint32_t)count;
	for ( int layer = 0; layer < 2; ++layer ) {
		for ( uint32_t i = 0; i < n; ++i )
			shape_vertex( s, polygon[i][0], polygon[i][1], layer == 0 ? low : high );
	}
	for ( uint32_t i = 0; i < n; ++i ) {
		const uint32_t j = ( i + 1 ) % n;
		add_quad( s, first + i, first + j, first + n + j, first + n + i, i % 2 == 1 );
	}
	uint32_t left[64];
	for ( uint32_t i = 0; i < n; ++i )
		left[i] = i;
	for ( uint32_t k = n; k > 2; --k ) {
		for ( uint32_t i = 0; i < k; ++i ) {
			const uint32_t a = left[( i + k - 1 ) % k], b = left[i], c = left[( i + 1 ) % k];
			bool ear = turn( polygon[a], polygon[b], polygon[c] ) > 0.0;
			for ( uint32_t j = 0; j < k && ear; ++j ) {
				const uint32_t p = left[j];
				if ( p == a || p == b || p == c )
					continue;
				ear = turn( polygon[a], polygon[b], polygon[p] ) < 0.0 ||
				      turn( polygon[b], polygon[c], polygon[p] ) < 0.0 ||
				      turn( polygon[c], polygon[a], polygon[p] ) < 0.0;
			}
			if ( !ear )
				continue;
			shape_triangle( s, first + n + a, first + n + b, first + n + c );
			shape_triangle( s, first + a, first + c, first + b );
			memmove( left + i, left + i + 1, ( k - i - 1 ) * sizeof *left );
			break;
		}
	}
}

bool add_tetra( shape *s, const double p[4][3] ) {
	double u[3], v[3], w[3];
	for ( int k = 0; k < 3; ++k ) {
		u[k] = p[1][k] - p[0][k];
		v[k] = p[2][k] - p[0][k];
		w[k] = p[3][k] - p[0][k];
	}
	const double det = u[0] * ( v[1] * w[2] - v[2] * w[1] ) + u[1] * ( v[2] * w[0] - v[0] * w[2] ) +
	                   u[2] * ( v[0] * w[1] - v[1] * w[0] );
	if ( det == 0.0 )
		return false;
	uint32_t i[4];
	for ( int k = 0; k < 4; ++k ) {
		const int q = det < 0.0 && k < 2 ? 1 - k : k;
		i[k] = shape_vertex( s, p[q][0], p[q][1], p[q][2] );
	}
	shape_triangle( s, i[0], i[2], i[1] );
	shape_triangle( s, i[0], i[1], i[3] );
	shape_triangle( s, i[1], i[2], i[3] );
	shape_triangle( s, i[2], i[0], i[3] );
	return true;
}

void add_voxels( shape *s, const bool *cell, uint32_t n ) {
	// Corners by their number in the grid, made when first used.
	static uint32_t made[9 * 9 * 9];
	memset( made, 0xff, sizeof made );
	for ( uint32_t i = 0; i < n * n * n; ++i ) {
		if ( !cell[i] )
			continue;
		const uint32_t at[3] = { i % n, i / n % n, i / ( n * n ) };
		for ( uint32_t side = 0; side < 6; ++side ) {
			const uint32_t axis = side / 2, up = side % 2;
			const bool at_end = up ? at[axis] + 1 == n : at[axis] == 0;
			const uint32_t step = axis == 0 ? 1 : axis == 1 ? n : n * n;
			if ( !at_end && cell[up ? i + step : i - step] )
				continue;
			static const uint32_t round[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
			uint32_t q[4];
			for ( uint32_t k = 0; k < 4; ++k ) {
				uint32_t p[3];
				memcpy( p, at, sizeof p );
				p[axis] += up;
				p[( axis + 1 ) % 3] += round[k][0];
				p[( axis + 2 ) % 3] += round[k][1];
				uint32_t *m = &made[p[0] + 9 * ( p[1] + 9 * p[2] )];
				if ( *m == UINT32_MAX )
					*m = shape_vertex( s, p[0], p[1], p[2] );
				q[up ? k : 3 - k] = *m;
			}
			add_quad( s, q[0], q[1], q[2], q[3], ( i + side ) % 2 == 1 );
		}
	}
}

// ------------------------------------------------------------------------------------------------
// Random ones

static double whole( rng *r, int size ) {
	return (double)rng_below( r, (uint64_t)size + 1 );
}

static void random_range( rng *r, int size, double *low, double *high ) {
	do {
		*low = whole( r, size );
		*high = whole( r, size );
	} while ( *low >= *high );
}

static void random_block( shape *s, rng *r, int size ) {
	double low[3], high[3];
	for ( int k = 0; k < 3; ++k )
		random_range( r, size, &low[k], &high[k] );
	add_block( s, low, high, rng_below( r, 2 ) == 1, false );
}

static void random_tetra( shape *s, rng *r, int size ) {
	double p[4][3];
	do {
		for ( int k = 0; k < 12; ++k )
			p[k / 3][k % 3] = whole( r, size );
	} while ( !add_tetra( s, p ) );
}

// A block of at least three a side with a hole in it.
static void random_cavity( shape *s, rng *r, int size ) {
	double low[3], high[3], inner_low[3], inner_high[3];
	for ( int k = 0; k < 3; ++k ) {
		do {
			random_range( r, size, &low[k], &high[k] );
		} while ( high[k] - low[k] < 3.0 );
		inner_low[k] = low[k] + 1.0;
		inner_high[k] = high[k] - 1.0;
	}
	add_block( s, low, high, false, false );
	add_block( s, inner_low, inner_high, rng_below( r, 2 ) == 1, true );
}

static void random_prism( shape *s, rng *r, int size ) {
	static const double l[6][2] = { { 0, 0 }, { 2, 0 }, { 2, 1 }, { 1, 1 }, { 1, 2 }, { 0, 2 } };
	static const double u[8][2] = { { 0, 0 }, { 3, 0 }, { 3, 2 }, { 2, 2 }, { 2, 1 }, { 1, 1 }, { 1, 2 }, { 0, 2 } };
	static const double wedge[3][2] = { { 0, 0 }, { 2, 0 }, { 0, 2 } };
	static const double dart[4][2] = { { 0, 0 }, { 2, 1 }, { 0, 2 }, { 1, 1 } };
	double low, high;
	random_range( r, size, &low, &high );
	switch ( rng_below( r, 4 ) ) {
	case 0:
		add_prism( s, l, 6, low, high );
		break;
	case 1:
		add_prism( s, u, 8, low, high );
		break;
	case 2:
		add_prism( s, wedge, 3, low, high );
		break;
	default:
		add_prism( s, dart, 4, low, high );
		break;
	}
}

// Voxels that intersect nowhere along an edge or corner alone would be too tame: any set will do.
static void random_voxels( shape *s, rng *r ) {
	bool cell[8] = { false };
	do {
		for ( int i = 0; i < 8; ++i )
			cell[i] = rng_below( r, 2 ) == 1;
	} while ( memchr( cell, 1, sizeof cell ) == NULL );
	add_voxels( s, cell, 2 );
}

// Two that have a plane between them.
static void random_pair( shape *s, rng *r, int size ) {
	random_block( s, r, size );
	const size_t first = s->vertex_count;
	if ( rng_below( r, 2 ) == 0 )
		random_block( s, r, size );
	else
		random_tetra( s, r, size );
	double end = 0.0, begin = (double)size;
	for ( size_t i = 0; i < s->vertex_count; ++i ) {
		if ( i < first )
			end = fmax( end, s->positions[3 * i] );
		else
			begin = fmin( begin, s->positions[3 * i] );
	}
	for ( size_t i = first; i < s->vertex_count; ++i )
		s->positions[3 * i] += end - begin + 1.0;
}

void add_random_solid( shape *s, rng *r, int size ) {
	switch ( rng_below( r, 8 ) ) {
	case 0:
	case 1:
		random_block( s, r, size );
		break;
	case 2:
	case 3:
		random_tetra( s, r, size );
		break;
	case 4:
		random_prism( s, r, size );
		break;
	case 5:
		random_voxels( s, r );
		break;
	case 6:
		random_pair( s, r, 2 );
		break;
	default:
		if ( size >= 3 )
			random_cavity( s, r, size );
		else
			random_block( s, r, size );
		break;
	}
}
