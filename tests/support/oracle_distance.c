// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "support/oracle_distance.h"

#include "support/oracle.h"

#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct scratch {
	bool ready;
	mpq_t a[3][3], b[3][3]; // corners
	mpq_t column[4][3];     // edges of both faces, those of B negated
	mpq_t rest[3];          // from B's first corner to A's
	mpq_t row[4][5];        // normal equations
	mpq_t weight[4];
	mpq_t sum, product, least, square;
} scratch;

static scratch *get_scratch( void ) {
	static _Thread_local scratch s;
	if ( s.ready )
		return &s;
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			mpq_init( s.a[i][k] );
			mpq_init( s.b[i][k] );
		}
		mpq_init( s.rest[i] );
	}
	for ( int i = 0; i < 4; ++i ) {
		for ( int k = 0; k < 3; ++k )
			mpq_init( s.column[i][k] );
		for ( int k = 0; k < 5; ++k )
			mpq_init( s.row[i][k] );
		mpq_init( s.weight[i] );
	}
	mpq_init( s.sum );
	mpq_init( s.product );
	mpq_init( s.least );
	mpq_init( s.square );
	s.ready = true;
	return &s;
}

static void load( scratch *s, const double a[9], const double b[9], const dbvh_pose *pose ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			mpq_set_d( s->a[i][k], a[3 * i + k] );
			if ( pose == NULL ) {
				mpq_set_d( s->b[i][k], b[3 * i + k] );
				continue;
			}
			mpq_set_d( s->b[i][k], pose->pos[k] );
			for ( int j = 0; j < 3; ++j ) {
				mpq_set_d( s->sum, pose->rot[k][j] );
				mpq_set_d( s->product, b[3 * i + j] );
				mpq_mul( s->product, s->product, s->sum );
				mpq_add( s->b[i][k], s->b[i][k], s->product );
			}
		}
	}
}

static void dot( scratch *s, mpq_t out, mpq_t *x, mpq_t *y ) {
	mpq_set_ui( out, 0, 1 );
	for ( int k = 0; k < 3; ++k ) {
		mpq_mul( s->product, x[k], y[k] );
		mpq_add( out, out, s->product );
	}
}

// Solves the normal equations of `count` columns. False if they have no single solution.
static bool solve( scratch *s, int count ) {
	for ( int i = 0; i < count; ++i ) {
		for ( int j = 0; j < count; ++j )
			dot( s, s->row[i][j], s->column[i], s->column[j] );
		dot( s, s->row[i][count], s->column[i], s->rest );
		mpq_neg( s->row[i][count], s->row[i][count] );
	}
	for ( int i = 0; i < count; ++i ) {
		// The matrix is positive semidefinite: a zero on the diagonal is the end.
		if ( mpq_sgn( s->row[i][i] ) == 0 )
			return false;
		for ( int r = i + 1; r < count; ++r ) {
			mpq_div( s->sum, s->row[r][i], s->row[i][i] );
			for ( int c = i; c <= count; ++c ) {
				mpq_mul( s->product, s->sum, s->row[i][c] );
				mpq_sub( s->row[r][c], s->row[r][c], s->product );
			}
		}
	}
	for ( int i = count - 1; i >= 0; --i ) {
		mpq_set( s->weight[i], s->row[i][count] );
		for ( int c = i + 1; c < count; ++c ) {
			mpq_mul( s->product, s->row[i][c], s->weight[c] );
			mpq_sub( s->weight[i], s->weight[i], s->product );
		}
		mpq_div( s->weight[i], s->weight[i], s->row[i][i] );
	}
	return true;
}

// Are weights [from, to) of a face, and what is left for its first corner, not negative?
static bool are_weights( scratch *s, int from, int to ) {
	mpq_set_ui( s->sum, 0, 1 );
	for ( int i = from; i < to; ++i ) {
		if ( mpq_sgn( s->weight[i] ) < 0 )
			return false;
		mpq_add( s->sum, s->sum, s->weight[i] );
	}
	return mpq_cmp_ui( s->sum, 1, 1 ) <= 0;
}

// The squared distance in s->least.
static void measure( scratch *s ) {
	bool any = false;
	for ( int face_a = 1; face_a < 8; ++face_a ) {
		for ( int face_b = 1; face_b < 8; ++face_b ) {
			int corners[2][3], count[2] = { 0, 0 };
			for ( int i = 0; i < 3; ++i ) {
				if ( ( face_a >> i & 1 ) != 0 )
					corners[0][count[0]++] = i;
				if ( ( face_b >> i & 1 ) != 0 )
					corners[1][count[1]++] = i;
			}
			int columns = 0;
			for ( int i = 1; i < count[0]; ++i, ++columns )
				for ( int k = 0; k < 3; ++k )
					mpq_sub( s->column[columns][k], s->a[corners[0][i]][k], s->a[corners[0][0]][k] );
			for ( int i = 1; i < count[1]; ++i, ++columns )
				for ( int k = 0; k < 3; ++k )
					mpq_sub( s->column[columns][k], s->b[corners[1][0]][k], s->b[corners[1][i]][k] );
			for ( int k = 0; k < 3; ++k )
				mpq_sub( s->rest[k], s->a[corners[0][0]][k], s->b[corners[1][0]][k] );
			// More than three columns are never independent.
			if ( columns > 3 || !solve( s, columns ) || !are_weights( s, 0, count[0] - 1 ) ||
			     !are_weights( s, count[0] - 1, columns ) )
				continue;
			for ( int i = 0; i < columns; ++i )
				for ( int k = 0; k < 3; ++k ) {
					mpq_mul( s->product, s->weight[i], s->column[i][k] );
					mpq_add( s->rest[k], s->rest[k], s->product );
				}
			dot( s, s->square, s->rest, s->rest );
			if ( !any || mpq_cmp( s->square, s->least ) < 0 )
				mpq_set( s->least, s->square );
			any = true;
		}
	}
}

// The smallest double that is not less than the root of s->least: by halving the interval of all doubles, which are in
// the order of their bits.
static double root_rounded_up( scratch *s ) {
	uint64_t below = 0, above = UINT64_C( 0x7ff0000000000000 ); // infinity
	if ( mpq_sgn( s->least ) == 0 )
		return 0.0;
	while ( above - below > 1 ) {
		const uint64_t middle = below + ( above - below ) / 2;
		union {
			uint64_t bits;
			double x;
		} u = { middle };
		mpq_set_d( s->sum, u.x );
		mpq_mul( s->sum, s->sum, s->sum );
		if ( mpq_cmp( s->sum, s->least ) >= 0 )
			above = middle;
		else
			below = middle;
	}
	union {
		uint64_t bits;
		double x;
	} u = { above };
	return u.x;
}

double oracle_triangles_distance( const double a[9], const double b[9], const dbvh_pose *pose_b ) {
	scratch *s = get_scratch();
	load( s, a, b, pose_b );
	measure( s );
	return root_rounded_up( s );
}

// ------------------------------------------------------------------------------------------------
// Meshes

typedef struct box {
	double low[3], high[3];
} box;

static box box_of( const double corners[9], const dbvh_pose *pose ) {
	box out = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			double x = corners[3 * i + k], size = fabs( x );
			if ( pose != NULL ) {
				x = size = fabs( pose->pos[k] );
				x = pose->pos[k];
				for ( int j = 0; j < 3; ++j ) {
					x += pose->rot[k][j] * corners[3 * i + j];
					size += fabs( pose->rot[k][j] * corners[3 * i + j] );
				}
			}
			out.low[k] = fmin( out.low[k], x - 1e-14 * size );
			out.high[k] = fmax( out.high[k], x + 1e-14 * size );
		}
	}
	return out;
}

static double gap_of( const box *a, const box *b ) {
	double largest = 0.0;
	for ( int k = 0; k < 3; ++k )
		largest = fmax( largest, fmax( a->low[k] - b->high[k], b->low[k] - a->high[k] ) );
	return largest * ( 1.0 - 1e-14 );
}

typedef struct list {
	dbvh_pair *pairs;
	size_t count, room;
} list;

static void *must( void *memory ) {
	if ( memory == NULL ) {
		fprintf( stderr, "oracle: out of memory\n" );
		exit( EXIT_FAILURE );
	}
	return memory;
}

double oracle_distance( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const dbvh_pose *pose_b,
                        dbvh_pair **pairs_out, size_t *pair_count_out ) {
	const size_t na = a->triangle_count, nb = b->triangle_count;
	box *boxes = must( malloc( ( na + nb ) * sizeof *boxes ) );
	double( *corners )[9] = must( malloc( ( na + nb ) * sizeof *corners ) );
	for ( size_t i = 0; i < na + nb; ++i ) {
		oracle_triangle( i < na ? a : b, i < na ? i : i - na, corners[i] );
		boxes[i] = box_of( corners[i], i < na ? NULL : pose_b );
	}
	// The triangles whose boxes are nearest bound the distance from above, which saves most of the work.
	double best = INFINITY, first = INFINITY;
	list found = { NULL, 0, 0 };
	size_t start_a = 0, start_b = 0;
	for ( size_t i = 0; i < na; ++i )
		for ( size_t j = 0; j < nb; ++j )
			if ( gap_of( &boxes[i], &boxes[na + j] ) < first ) {
				first = gap_of( &boxes[i], &boxes[na + j] );
				start_a = i;
				start_b = j;
			}
	best = oracle_triangles_distance( corners[start_a], corners[na + start_b], pose_b );
	for ( size_t i = 0; i < na; ++i ) {
		for ( size_t j = 0; j < nb; ++j ) {
			if ( gap_of( &boxes[i], &boxes[na + j] ) > best )
				continue;
			const double distance = oracle_triangles_distance( corners[i], corners[na + j], pose_b );
			if ( distance > best )
				continue;
			if ( distance < best )
				found.count = 0;
			best = distance;
			if ( found.count == found.room ) {
				found.room = 2 * found.room + 16;
				found.pairs = must( realloc( found.pairs, found.room * sizeof *found.pairs ) );
			}
			found.pairs[found.count++] = ( dbvh_pair ){ (uint32_t)i, (uint32_t)j };
		}
	}
	free( boxes );
	free( corners );
	if ( pair_count_out != NULL )
		*pair_count_out = found.count;
	if ( pairs_out != NULL )
		*pairs_out = found.pairs;
	else
		free( found.pairs );
	return best;
}
