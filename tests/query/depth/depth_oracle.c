// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "depth_oracle.h"

#include <math.h>

// ------------------------------------------------------------------------------------------------
// Cubes

static bool has_cube( const cubes *c, int x, int y, int z ) {
	x -= c->at[0];
	y -= c->at[1];
	z -= c->at[2];
	return x >= 0 && y >= 0 && z >= 0 && x < c->n && y < c->n && z < c->n && c->cell[x + c->n * ( y + c->n * z )];
}

// Cells of the space of translations: an even number 2 k is the coordinate k, an odd one 2 k + 1 the open interval from
// k to k + 1.
#define REACH 40 // no translation of a test is longer than half of this
#define CELLS ( 2 * REACH + 1 )
static bool covered[CELLS][CELLS][CELLS];

// Mark the translations t with which the open cubes of A and of B + t overlap: the open cube of side 2 about a - b.
static void cover( const cubes *a, const cubes *b ) {
	for ( int i = 0; i < CELLS * CELLS * CELLS; ++i )
		( &covered[0][0][0] )[i] = false;
	for ( int i = 0; i < a->n * a->n * a->n; ++i ) {
		for ( int j = 0; j < b->n * b->n * b->n && a->cell[i]; ++j ) {
			if ( !b->cell[j] )
				continue;
			int c[3];
			const int p[3] = { i % a->n, i / a->n % a->n, i / a->n / a->n };
			const int q[3] = { j % b->n, j / b->n % b->n, j / b->n / b->n };
			for ( int k = 0; k < 3; ++k )
				c[k] = 2 * ( p[k] + a->at[k] - q[k] - b->at[k] ) + REACH;
			for ( int x = c[0] - 1; x <= c[0] + 1; ++x ) {
				for ( int y = c[1] - 1; y <= c[1] + 1; ++y ) {
					for ( int z = c[2] - 1; z <= c[2] + 1; ++z )
						covered[x][y][z] = true;
				}
			}
		}
	}
}

// The distance of 0 from the closure of a cell along one axis.
static double from_zero( int cell ) {
	const int twice = cell - REACH;
	if ( twice % 2 == 0 )
		return fabs( 0.5 * twice );
	return twice > 0 ? 0.5 * ( twice - 1 ) : 0.5 * ( -twice - 1 );
}

double oracle_cubes_depth( const cubes *a, const cubes *b, bool strict ) {
	cover( a, b );
	double least = INFINITY;
	for ( int x = 0; x < CELLS; ++x ) {
		for ( int y = 0; y < CELLS; ++y ) {
			for ( int z = 0; z < CELLS; ++z ) {
				const bool is_open = ( x - REACH ) % 2 != 0 && ( y - REACH ) % 2 != 0 && ( z - REACH ) % 2 != 0;
				if ( covered[x][y][z] || ( strict && !is_open ) )
					continue;
				const double dx = from_zero( x ), dy = from_zero( y ), dz = from_zero( z );
				least = fmin( least, sqrt( dx * dx + dy * dy + dz * dz ) );
			}
		}
	}
	return least;
}

void oracle_cubes_along( const cubes *a, const cubes *b, int axis, int sign, double *first_out, double *last_out ) {
	cover( a, b );
	*first_out = INFINITY;
	*last_out = 0.0;
	for ( int i = 0; i <= REACH; ++i ) {
		int at[3] = { REACH, REACH, REACH };
		at[axis] += sign * i;
		if ( !covered[at[0]][at[1]][at[2]] )
			*first_out = fmin( *first_out, 0.5 * ( i - i % 2 ) );
		else
			*last_out = 0.5 * ( i + i % 2 );
	}
}

// The distance of a point from the nearest cube that is no part of the body.
static double to_outside( const cubes *c, const double p[3] ) {
	double least = INFINITY;
	for ( int x = c->at[0] - 1; x <= c->at[0] + c->n; ++x ) {
		for ( int y = c->at[1] - 1; y <= c->at[1] + c->n; ++y ) {
			for ( int z = c->at[2] - 1; z <= c->at[2] + c->n; ++z ) {
				if ( has_cube( c, x, y, z ) )
					continue;
				const int low[3] = { x, y, z };
				double square = 0.0;
				for ( int k = 0; k < 3; ++k ) {
					const double off = fmax( fmax( low[k] - p[k], p[k] - low[k] - 1.0 ), 0.0 );
					square += off * off;
				}
				least = fmin( least, square );
			}
		}
	}
	return sqrt( least );
}

double oracle_cubes_local( const cubes *a, const cubes *b ) {
	double most = -1.0;
	for ( int i = 0; i < a->n * a->n * a->n; ++i ) {
		const int low[3] = { i % a->n + a->at[0], i / a->n % a->n + a->at[1], i / a->n / a->n + a->at[2] };
		if ( !a->cell[i] || !has_cube( b, low[0], low[1], low[2] ) )
			continue;
		for ( int g = 0; g < 729; ++g ) {
			const double p[3] = { low[0] + g % 9 / 8.0, low[1] + g / 9 % 9 / 8.0, low[2] + g / 81 / 8.0 };
			most = fmax( most, to_outside( b, p ) );
		}
	}
	return most;
}

// ------------------------------------------------------------------------------------------------
// Convex bodies

static void corner( const shape *s, size_t triangle, int k, int64_t out[3] ) {
	for ( int i = 0; i < 3; ++i )
		out[i] = (int64_t)s->positions[3 * s->indices[3 * triangle + (size_t)k] + (size_t)i];
}

static void cross( const int64_t a[3], const int64_t b[3], int64_t out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = a[( k + 1 ) % 3] * b[( k + 2 ) % 3] - a[( k + 2 ) % 3] * b[( k + 1 ) % 3];
}

// Lower *least to the widths along n and -n: by how far B must be moved that way.
static void add_width( const shape *a, const shape *b, const double move[3], const int64_t n[3], double *least ) {
	const double length = sqrt( (double)( n[0] * n[0] + n[1] * n[1] + n[2] * n[2] ) );
	if ( !( length > 0.0 ) )
		return;
	int64_t low[2] = { INT64_MAX, INT64_MAX }, high[2] = { INT64_MIN, INT64_MIN };
	for ( int set = 0; set < 2; ++set ) {
		const shape *s = set == 0 ? a : b;
		for ( size_t i = 0; i < s->vertex_count; ++i ) {
			int64_t at = 0;
			for ( size_t k = 0; k < 3; ++k )
				at += n[k] * (int64_t)( s->positions[3 * i + k] + ( set == 1 ? move[k] : 0.0 ) );
			low[set] = at < low[set] ? at : low[set];
			high[set] = at > high[set] ? at : high[set];
		}
	}
	*least = fmin( *least, (double)( high[0] - low[1] ) / length );
	*least = fmin( *least, (double)( high[1] - low[0] ) / length );
}

double oracle_convex_depth( const shape *a, const shape *b, const double move[3] ) {
	double least = INFINITY;
	const shape *both[2] = { a, b };
	for ( int set = 0; set < 2; ++set ) {
		for ( size_t i = 0; i < both[set]->triangle_count; ++i ) {
			int64_t p[3][3], u[3], v[3], n[3];
			for ( int k = 0; k < 3; ++k )
				corner( both[set], i, k, p[k] );
			for ( int k = 0; k < 3; ++k ) {
				u[k] = p[1][k] - p[0][k];
				v[k] = p[2][k] - p[0][k];
			}
			cross( u, v, n );
			add_width( a, b, move, n, &least );
		}
	}
	for ( size_t i = 0; i < 3 * a->triangle_count; ++i ) {
		for ( size_t j = 0; j < 3 * b->triangle_count; ++j ) {
			int64_t p[2][3], q[2][3], u[3], v[3], n[3];
			for ( int k = 0; k < 2; ++k ) {
				corner( a, i / 3, (int)( i % 3 + (size_t)k ) % 3, p[k] );
				corner( b, j / 3, (int)( j % 3 + (size_t)k ) % 3, q[k] );
			}
			for ( int k = 0; k < 3; ++k ) {
				u[k] = p[1][k] - p[0][k];
				v[k] = q[1][k] - q[0][k];
			}
			cross( u, v, n );
			add_width( a, b, move, n, &least );
		}
	}
	return least;
}
