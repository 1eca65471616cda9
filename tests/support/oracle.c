// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "support/oracle.h"

#include <float.h>
#include <gmp.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Scratch: big integers are made once a thread and keep their memory, which is most of the speed.

// Rounds of Fourier and Motzkin's elimination start with 6 inequalities and hold at most 9, 20 and 100 after them:
// p * n + z with p + n + z what there was before. At most 3 unknowns are free (with 4, every edge is zero).
#define MOST_INEQUALITIES 100
#define MOST_FREE 3

typedef struct inequality {
	mpz_t value[MOST_FREE + 1]; // value[0] + sum value[k] * y[k-1] >= 0
} inequality;

typedef struct scratch {
	bool ready;
	mpz_t a[9], b[9];
	mpz_t row[3][5];
	mpz_t product, previous, sum;
	inequality lists[2][MOST_INEQUALITIES];
	// The method of axes.
	mpz_t edge[6][3], cross[11][3], axis[3], gap[3], low[2], high[2], dot;
} scratch;

static void init_all( mpz_t *values, int count ) {
	for ( int i = 0; i < count; ++i )
		mpz_init2( values[i], 512 );
}

static scratch *get_scratch( void ) {
	static _Thread_local scratch s;
	if ( !s.ready ) {
		init_all( s.a, 9 );
		init_all( s.b, 9 );
		init_all( s.row[0], 15 );
		init_all( &s.product, 1 );
		init_all( &s.previous, 1 );
		init_all( &s.sum, 1 );
		for ( int l = 0; l < 2; ++l ) {
			for ( int i = 0; i < MOST_INEQUALITIES; ++i )
				init_all( s.lists[l][i].value, MOST_FREE + 1 );
		}
		init_all( s.edge[0], 18 );
		init_all( s.cross[0], 33 );
		init_all( s.axis, 3 );
		init_all( s.gap, 3 );
		init_all( s.low, 2 );
		init_all( s.high, 2 );
		init_all( &s.dot, 1 );
		s.ready = true;
	}
	return &s;
}

// ------------------------------------------------------------------------------------------------
// Doubles to integers with a common power of two

typedef struct dyadic {
	double mantissa; // an odd integer or 0: GMP takes 64-bit integers only where long has 64 bits
	int exponent;
} dyadic;

#define NO_EXPONENT ( INT_MAX / 4 ) // exponent of zero: never the smallest

static dyadic dyadic_from( double x ) {
	if ( x == 0.0 )
		return ( dyadic ){ 0, NO_EXPONENT };
	int exponent;
	const int64_t mantissa = (int64_t)ldexp( frexp( x, &exponent ), 53 );
	const int zeros = __builtin_ctzll( (uint64_t)mantissa );
	return ( dyadic ){ (double)( mantissa / ( INT64_C( 1 ) << zeros ) ), exponent - 53 + zeros };
}

static int least( int x, int y ) {
	return x < y ? x : y;
}

static void set_shifted( mpz_t out, dyadic x, int exponent ) {
	mpz_set_d( out, x.mantissa );
	if ( x.mantissa != 0 )
		mpz_mul_2exp( out, out, (mp_bitcnt_t)( x.exponent - exponent ) );
}

// Fills s->a and s->b with the corners in the frame of A, all multiplied by one power of two.
static void load( scratch *s, const double a[9], const double b[9], const dbvh_pose *pose ) {
	dyadic da[9], db[9], rot[9], pos[3];
	int exponent_a = NO_EXPONENT, exponent_b = NO_EXPONENT;
	for ( int i = 0; i < 9; ++i ) {
		da[i] = dyadic_from( a[i] );
		db[i] = dyadic_from( b[i] );
		exponent_a = least( exponent_a, da[i].exponent );
		exponent_b = least( exponent_b, db[i].exponent );
	}
	int exponent = least( exponent_a, exponent_b );
	if ( pose != NULL ) {
		int exponent_rot = NO_EXPONENT;
		exponent = exponent_a;
		for ( int i = 0; i < 3; ++i ) {
			pos[i] = dyadic_from( pose->pos[i] );
			exponent = least( exponent, pos[i].exponent );
			for ( int j = 0; j < 3; ++j ) {
				rot[3 * i + j] = dyadic_from( pose->rot[i][j] );
				exponent_rot = least( exponent_rot, rot[3 * i + j].exponent );
			}
		}
		exponent = least( exponent, exponent_rot + exponent_b );
	}
	for ( int i = 0; i < 9; ++i )
		set_shifted( s->a[i], da[i], exponent );
	if ( pose == NULL ) {
		for ( int i = 0; i < 9; ++i )
			set_shifted( s->b[i], db[i], exponent );
		return;
	}
	for ( int corner = 0; corner < 3; ++corner ) {
		for ( int i = 0; i < 3; ++i ) {
			mpz_t *out = &s->b[3 * corner + i];
			set_shifted( *out, pos[i], exponent );
			for ( int j = 0; j < 3; ++j ) {
				const dyadic r = rot[3 * i + j], x = db[3 * corner + j];
				if ( r.mantissa == 0 || x.mantissa == 0 )
					continue;
				mpz_set_d( s->previous, x.mantissa );
				mpz_set_d( s->product, r.mantissa );
				mpz_mul( s->product, s->product, s->previous );
				mpz_mul_2exp( s->product, s->product, (mp_bitcnt_t)( r.exponent + x.exponent - exponent ) );
				mpz_add( *out, *out, s->product );
			}
		}
	}
}

// Do the axis-aligned boxes of the exact corners share a point? If not, the triangles do not.
static bool boxes_meet( scratch *s ) {
	for ( int i = 0; i < 3; ++i ) {
		mpz_t *low[2], *high[2];
		for ( int side = 0; side < 2; ++side ) {
			mpz_t *x = side == 0 ? s->a : s->b;
			low[side] = high[side] = &x[i];
			for ( int corner = 1; corner < 3; ++corner ) {
				if ( mpz_cmp( x[3 * corner + i], *low[side] ) < 0 )
					low[side] = &x[3 * corner + i];
				if ( mpz_cmp( x[3 * corner + i], *high[side] ) > 0 )
					high[side] = &x[3 * corner + i];
			}
		}
		if ( mpz_cmp( *high[0], *low[1] ) < 0 || mpz_cmp( *high[1], *low[0] ) < 0 )
			return false;
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// First method: is there (s1, s2, t1, t2), each >= 0, s1 + s2 <= 1, t1 + t2 <= 1, with
// (a1 - a0) s1 + (a2 - a0) s2 - (b1 - b0) t1 - (b2 - b0) t2 = b0 - a0 ?

// Solves the three equations without fractions (Bareiss 1968), every pivot against all other rows. Afterwards
// row[r][pivot_column[r]] is the same number for every r < rank and the other pivot columns are zero in it. Returns
// the rank, or -1 if the equations contradict each other.
static int eliminate_equations( scratch *s, int pivot_column[3] ) {
	int rank = 0;
	bool used[4] = { false };
	mpz_set_si( s->previous, 1 );
	while ( rank < 3 ) {
		int row = -1, column = -1;
		for ( int r = rank; r < 3 && row < 0; ++r ) {
			for ( int c = 0; c < 4; ++c ) {
				if ( !used[c] && mpz_sgn( s->row[r][c] ) != 0 ) {
					row = r;
					column = c;
					break;
				}
			}
		}
		if ( row < 0 )
			break;
		for ( int c = 0; c < 5; ++c )
			mpz_swap( s->row[rank][c], s->row[row][c] );
		mpz_t *pivot_row = s->row[rank];
		for ( int r = 0; r < 3; ++r ) {
			if ( r == rank )
				continue;
			for ( int c = 0; c < 5; ++c ) {
				if ( c == column )
					continue;
				mpz_mul( s->row[r][c], s->row[r][c], pivot_row[column] );
				mpz_submul( s->row[r][c], s->row[r][column], pivot_row[c] );
				mpz_divexact( s->row[r][c], s->row[r][c], s->previous );
			}
			mpz_set_si( s->row[r][column], 0 );
		}
		// Rows that were pivots before now have this pivot on their own column too.
		mpz_set( s->previous, pivot_row[column] );
		used[column] = true;
		pivot_column[rank++] = column;
	}
	for ( int r = rank; r < 3; ++r ) {
		if ( mpz_sgn( s->row[r][4] ) != 0 )
			return -1;
	}
	return rank;
}

// Is there a solution to `count` inequalities in `unknowns` free unknowns? Eliminates the last one, again and again.
static bool feasible( scratch *s, int count, int unknowns ) {
	inequality *from = s->lists[0], *to = s->lists[1];
	for ( ; unknowns > 0; --unknowns ) {
		int kept = 0;
		for ( int i = 0; i < count; ++i ) {
			const int sign_i = mpz_sgn( from[i].value[unknowns] );
			if ( sign_i == 0 ) {
				for ( int k = 0; k < unknowns; ++k )
					mpz_set( to[kept].value[k], from[i].value[k] );
				kept += 1;
			}
			if ( sign_i <= 0 )
				continue;
			for ( int j = 0; j < count; ++j ) {
				if ( mpz_sgn( from[j].value[unknowns] ) >= 0 )
					continue;
				// from[j] * ( > 0 ) + from[i] * ( > 0 ), so that the unknown drops out.
				for ( int k = 0; k < unknowns; ++k ) {
					mpz_mul( to[kept].value[k], from[j].value[k], from[i].value[unknowns] );
					mpz_submul( to[kept].value[k], from[i].value[k], from[j].value[unknowns] );
				}
				kept += 1;
			}
		}
		if ( kept > MOST_INEQUALITIES ) {
			fprintf( stderr, "oracle: more inequalities than can be\n" );
			abort();
		}
		inequality *const t = from;
		from = to;
		to = t;
		count = kept;
	}
	for ( int i = 0; i < count; ++i ) {
		if ( mpz_sgn( from[i].value[0] ) < 0 )
			return false;
	}
	return true;
}

bool oracle_triangles_meet( const double a[9], const double b[9], const dbvh_pose *pose_b ) {
	scratch *s = get_scratch();
	load( s, a, b, pose_b );
	if ( !boxes_meet( s ) )
		return false;
	for ( int i = 0; i < 3; ++i ) {
		mpz_sub( s->row[i][0], s->a[3 + i], s->a[i] );
		mpz_sub( s->row[i][1], s->a[6 + i], s->a[i] );
		mpz_sub( s->row[i][2], s->b[i], s->b[3 + i] );
		mpz_sub( s->row[i][3], s->b[i], s->b[6 + i] );
		mpz_sub( s->row[i][4], s->b[i], s->a[i] );
	}
	int pivot_column[3];
	const int rank = eliminate_equations( s, pivot_column );
	if ( rank < 0 )
		return false;
	if ( rank == 0 )
		return true; // two points, and they are equal

	// The unknown of row r is ( row[r][4] - sum of row[r][free] * y ) / pivot. Multiplied by |pivot|, each of the six
	// conditions is an inequality in the free unknowns.
	int row_of[4] = { -1, -1, -1, -1 }, free_of[4] = { -1, -1, -1, -1 }, free_count = 0;
	for ( int r = 0; r < rank; ++r )
		row_of[pivot_column[r]] = r;
	for ( int c = 0; c < 4; ++c ) {
		if ( row_of[c] < 0 )
			free_of[c] = free_count++;
	}
	const int pivot_sign = mpz_sgn( s->previous );
	for ( int c = 0; c < 4; ++c ) {
		inequality *const q = &s->lists[0][c];
		for ( int k = 0; k <= free_count; ++k )
			mpz_set_si( q->value[k], 0 );
		if ( row_of[c] < 0 ) {
			mpz_abs( q->value[1 + free_of[c]], s->previous );
			continue;
		}
		mpz_t *const row = s->row[row_of[c]];
		mpz_set( q->value[0], row[4] );
		for ( int f = 0; f < 4; ++f ) {
			if ( free_of[f] >= 0 )
				mpz_neg( q->value[1 + free_of[f]], row[f] );
		}
		if ( pivot_sign < 0 ) {
			for ( int k = 0; k <= free_count; ++k )
				mpz_neg( q->value[k], q->value[k] );
		}
	}
	for ( int side = 0; side < 2; ++side ) {
		inequality *const q = &s->lists[0][4 + side];
		for ( int k = 0; k <= free_count; ++k ) {
			mpz_add( q->value[k], s->lists[0][2 * side].value[k], s->lists[0][2 * side + 1].value[k] );
			mpz_neg( q->value[k], q->value[k] );
		}
		mpz_abs( s->sum, s->previous );
		mpz_add( q->value[0], q->value[0], s->sum );
	}
	return feasible( s, 6, free_count );
}

// ------------------------------------------------------------------------------------------------
// Second method: A and B are disjoint exactly if some direction separates their shadows strictly. A - B is a polytope
// in the space that the edges span, moved by a0 - b0; if it misses the origin, a normal of that space or of one of its
// facets tells. Rank 3: the facets are spanned by two edges. Rank 2: the plane's normal, and in the plane the normals
// of edges. Rank 1: the line, and the part of the gap across it. Rank 0: two points.

static void cross_product( scratch *s, mpz_t out[3], mpz_t u[3], mpz_t v[3] ) {
	(void)s;
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
		mpz_mul( out[i], u[j], v[k] );
		mpz_submul( out[i], u[k], v[j] );
	}
}

static bool is_zero( mpz_t v[3] ) {
	return mpz_sgn( v[0] ) == 0 && mpz_sgn( v[1] ) == 0 && mpz_sgn( v[2] ) == 0;
}

static void dot_product( mpz_t out, mpz_t u[3], mpz_t v[3] ) {
	mpz_mul( out, u[0], v[0] );
	mpz_addmul( out, u[1], v[1] );
	mpz_addmul( out, u[2], v[2] );
}

static bool separates( scratch *s, mpz_t axis[3] ) {
	for ( int side = 0; side < 2; ++side ) {
		for ( int corner = 0; corner < 3; ++corner ) {
			dot_product( s->dot, axis, ( side == 0 ? s->a : s->b ) + 3 * corner );
			if ( corner == 0 || mpz_cmp( s->dot, s->low[side] ) < 0 )
				mpz_set( s->low[side], s->dot );
			if ( corner == 0 || mpz_cmp( s->dot, s->high[side] ) > 0 )
				mpz_set( s->high[side], s->dot );
		}
	}
	return mpz_cmp( s->high[0], s->low[1] ) < 0 || mpz_cmp( s->high[1], s->low[0] ) < 0;
}

bool oracle_triangles_meet_axes( const double a[9], const double b[9], const dbvh_pose *pose_b ) {
	scratch *s = get_scratch();
	load( s, a, b, pose_b );
	int line = -1; // an edge that is not zero
	for ( int e = 0; e < 6; ++e ) {
		mpz_t *const x = e < 3 ? s->a : s->b;
		const int from = e % 3, to = ( e + 1 ) % 3;
		for ( int i = 0; i < 3; ++i )
			mpz_sub( s->edge[e][i], x[3 * to + i], x[3 * from + i] );
		if ( !is_zero( s->edge[e] ) )
			line = e;
	}
	for ( int i = 0; i < 3; ++i )
		mpz_sub( s->gap[i], s->b[i], s->a[i] );
	if ( line < 0 )
		return is_zero( s->gap );
	cross_product( s, s->cross[9], s->edge[0], s->edge[1] );
	cross_product( s, s->cross[10], s->edge[3], s->edge[4] );
	int plane = -1;
	for ( int n = 0; n < 11; ++n ) {
		if ( n < 9 )
			cross_product( s, s->cross[n], s->edge[n / 3], s->edge[3 + n % 3] );
		if ( is_zero( s->cross[n] ) )
			continue;
		plane = n;
		if ( separates( s, s->cross[n] ) )
			return false;
	}
	if ( plane < 0 ) {
		// The line itself, and gap - ( gap along the line ) up to a factor: line x ( gap x line ).
		if ( separates( s, s->edge[line] ) )
			return false;
		cross_product( s, s->cross[0], s->gap, s->edge[line] );
		cross_product( s, s->axis, s->edge[line], s->cross[0] );
		return !separates( s, s->axis );
	}
	bool solid = false;
	for ( int e = 0; e < 6; ++e ) {
		dot_product( s->dot, s->cross[plane], s->edge[e] );
		solid = solid || mpz_sgn( s->dot ) != 0;
	}
	for ( int e = 0; e < 6 && !solid; ++e ) {
		cross_product( s, s->axis, s->cross[plane], s->edge[e] );
		if ( separates( s, s->axis ) )
			return false;
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// The same in 64-bit integers. With coordinates below 2^12, edges are below 2^13, normals of planes below 2^27,
// normals of edges below 2^41 and their shadows below 2^55.

typedef int64_t vector[3];

static void int_cross( vector out, const vector u, const vector v ) {
	out[0] = u[1] * v[2] - u[2] * v[1];
	out[1] = u[2] * v[0] - u[0] * v[2];
	out[2] = u[0] * v[1] - u[1] * v[0];
}

static int64_t int_dot( const vector u, const vector v ) {
	return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static bool int_is_zero( const vector v ) {
	return ( v[0] | v[1] | v[2] ) == 0;
}

static bool int_separates( const vector axis, const int64_t a[9], const int64_t b[9] ) {
	int64_t low[2], high[2];
	for ( int side = 0; side < 2; ++side ) {
		const int64_t *const x = side == 0 ? a : b;
		low[side] = high[side] = int_dot( axis, x );
		for ( int corner = 1; corner < 3; ++corner ) {
			const int64_t d = int_dot( axis, x + 3 * corner );
			low[side] = d < low[side] ? d : low[side];
			high[side] = d > high[side] ? d : high[side];
		}
	}
	return high[0] < low[1] || high[1] < low[0];
}

bool oracle_triangles_meet_int( const int64_t a[9], const int64_t b[9] ) {
	vector edge[6], normal = { 0 }, axis, gap;
	int line = -1;
	for ( int e = 0; e < 6; ++e ) {
		const int64_t *const x = e < 3 ? a : b;
		for ( int i = 0; i < 3; ++i )
			edge[e][i] = x[3 * ( ( e + 1 ) % 3 ) + i] - x[3 * ( e % 3 ) + i];
		if ( !int_is_zero( edge[e] ) )
			line = e;
	}
	for ( int i = 0; i < 3; ++i )
		gap[i] = b[i] - a[i];
	if ( line < 0 )
		return int_is_zero( gap );
	bool plane = false;
	for ( int n = 10; n >= 0; --n ) {
		vector cross;
		if ( n >= 9 )
			int_cross( cross, edge[n == 9 ? 0 : 3], edge[n == 9 ? 1 : 4] );
		else
			int_cross( cross, edge[n / 3], edge[3 + n % 3] );
		if ( int_is_zero( cross ) )
			continue;
		plane = true;
		memcpy( normal, cross, sizeof normal );
		if ( int_separates( cross, a, b ) )
			return false;
	}
	if ( !plane ) {
		if ( int_separates( edge[line], a, b ) )
			return false;
		int_cross( normal, gap, edge[line] );
		int_cross( axis, edge[line], normal );
		return !int_separates( axis, a, b );
	}
	for ( int e = 0; e < 6; ++e ) {
		if ( int_dot( normal, edge[e] ) != 0 )
			return true;
	}
	for ( int e = 0; e < 6; ++e ) {
		int_cross( axis, normal, edge[e] );
		if ( int_separates( axis, a, b ) )
			return false;
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Meshes

void oracle_triangle( const dbvh_mesh_view *view, size_t index, double corners_out[9] ) {
	const bool wide = view->index_type == DBVH_INDEX_TYPE_UINT64;
	const bool narrow = view->position_type == DBVH_POSITION_TYPE_FLOAT32;
	const size_t triangle_bytes = wide ? 3 * sizeof( uint64_t ) : 3 * sizeof( uint32_t );
	const size_t vertex_bytes = narrow ? 3 * sizeof( float ) : 3 * sizeof( double );
	const size_t triangle_stride = view->triangle_stride != 0 ? view->triangle_stride : triangle_bytes;
	const size_t vertex_stride = view->vertex_stride != 0 ? view->vertex_stride : vertex_bytes;
	for ( int corner = 0; corner < 3; ++corner ) {
		size_t vertex = 3 * index + (size_t)corner;
		if ( view->index_type != DBVH_INDEX_TYPE_NONE ) {
			const char *const at = (const char *)view->indices + index * triangle_stride;
			uint64_t index64[3];
			uint32_t index32[3];
			if ( wide )
				memcpy( index64, at, sizeof index64 );
			else
				memcpy( index32, at, sizeof index32 );
			vertex = wide ? (size_t)index64[corner] : index32[corner];
		}
		const char *const at = (const char *)view->positions + vertex * vertex_stride;
		if ( narrow ) {
			float x[3];
			memcpy( x, at, sizeof x );
			for ( int i = 0; i < 3; ++i )
				corners_out[3 * corner + i] = (double)x[i];
		} else {
			memcpy( corners_out + 3 * corner, at, 3 * sizeof( double ) );
		}
	}
}

// A triangle in the frame of A as doubles see it. Every exact coordinate is within `error` of `corner`.
typedef struct rough {
	double low[3], high[3]; // encloses the exact triangle
	double corner[9];
	double error;
	uint32_t index;
} rough;

static void *must_alloc( size_t bytes ) {
	void *const memory = malloc( bytes > 0 ? bytes : 1 );
	if ( memory == NULL ) {
		fprintf( stderr, "oracle: out of memory\n" );
		exit( EXIT_FAILURE );
	}
	return memory;
}

static size_t view_triangles( const dbvh_mesh_view *view ) {
	return view->index_type == DBVH_INDEX_TYPE_NONE ? view->vertex_count / 3 : view->triangle_count;
}

// Three products and three sums, each rounded to 2^-53 of a number of at most m = sum |rot| |x| + |pos|: the exact
// value is within 6 * 2^-53 * m and a little of second order. 2^-49 * m is more than twice that, and the added
// 2^-1000 is far more than underflow can lose (4 * 2^-1074). m itself is rounded by less than 2^-50 of it. Where
// something overflowed the box is the whole space.
static void make_rough( const dbvh_mesh_view *view, size_t index, const dbvh_pose *pose, rough *out ) {
	double local[9];
	oracle_triangle( view, index, local );
	out->index = (uint32_t)index;
	out->error = 0.0;
	for ( int corner = 0; corner < 3; ++corner ) {
		for ( int i = 0; i < 3; ++i ) {
			double x = local[3 * corner + i];
			if ( pose != NULL ) {
				const double *const r = pose->rot[i], *const v = local + 3 * corner;
				x = r[0] * v[0] + r[1] * v[1] + r[2] * v[2] + pose->pos[i];
				const double m = fabs( r[0] * v[0] ) + fabs( r[1] * v[1] ) + fabs( r[2] * v[2] ) + fabs( pose->pos[i] );
				out->error = fmax( out->error, m * 0x1p-49 + 0x1p-1000 );
			}
			out->corner[3 * corner + i] = x;
		}
	}
	bool finite = isfinite( out->error );
	for ( int i = 0; i < 9; ++i )
		finite = finite && isfinite( out->corner[i] );
	for ( int i = 0; i < 3; ++i ) {
		const double x = out->corner[i], y = out->corner[3 + i], z = out->corner[6 + i];
		// Adding the error rounds once more; nextafter undoes that.
		out->low[i] = finite ? nextafter( fmin( x, fmin( y, z ) ) - out->error, -INFINITY ) : -INFINITY;
		out->high[i] = finite ? nextafter( fmax( x, fmax( y, z ) ) + out->error, INFINITY ) : INFINITY;
	}
	if ( !finite )
		out->error = INFINITY;
}

// Does the plane of `a` have all of `b` strictly on one side, beyond doubt? With d the largest difference of
// coordinates, each determinant is a sum of 6 products of 3 differences, at most 6 d^3, rounded at most 8 times
// (under 2^-48 d^3), and moves by at most 18 d^2 e if each difference moves by e, which here is twice the error of a
// corner and 2^-53 d. The bound below is many times larger; where it underflows or overflows nothing is claimed.
static bool plane_separates( const rough *a, const rough *b ) {
	const double *const p = a->corner;
	double u[3], v[3], w[3][3], d = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		u[i] = p[3 + i] - p[i];
		v[i] = p[6 + i] - p[i];
		d = fmax( d, fmax( fabs( u[i] ), fabs( v[i] ) ) );
		for ( int corner = 0; corner < 3; ++corner ) {
			w[corner][i] = b->corner[3 * corner + i] - p[i];
			d = fmax( d, fabs( w[corner][i] ) );
		}
	}
	const double bound = d * d * ( 1e-13 * d + 100.0 * ( a->error + b->error ) );
	if ( !( bound > 1e-280 ) || !( bound < 1e280 ) )
		return false;
	const double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
	int above = 0, below = 0;
	for ( int corner = 0; corner < 3; ++corner ) {
		const double height = n[0] * w[corner][0] + n[1] * w[corner][1] + n[2] * w[corner][2];
		above += height > bound;
		below += height < -bound;
	}
	return above == 3 || below == 3;
}

static int compare_low_x( const void *p, const void *q ) {
	const double x = ( (const rough *)p )->low[0], y = ( (const rough *)q )->low[0];
	return ( x > y ) - ( x < y );
}

static int compare_pairs( const void *p, const void *q ) {
	const dbvh_pair *const x = p, *const y = q;
	if ( x->a != y->a )
		return x->a < y->a ? -1 : 1;
	return ( x->b > y->b ) - ( x->b < y->b );
}

static bool rough_boxes_meet( const rough *a, const rough *b ) {
	return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] && b->low[1] <= a->high[1] &&
	       a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

static void bounds_of( const rough *list, size_t count, rough *out ) {
	for ( int i = 0; i < 3; ++i ) {
		out->low[i] = INFINITY;
		out->high[i] = -INFINITY;
		for ( size_t k = 0; k < count; ++k ) {
			out->low[i] = fmin( out->low[i], list[k].low[i] );
			out->high[i] = fmax( out->high[i], list[k].high[i] );
		}
	}
}

static size_t keep_inside( rough *list, size_t count, const rough *bounds ) {
	size_t kept = 0;
	for ( size_t i = 0; i < count; ++i ) {
		if ( rough_boxes_meet( &list[i], bounds ) )
			list[kept++] = list[i];
	}
	return kept;
}

typedef struct found {
	dbvh_pair *pairs;
	size_t count, capacity;
} found;

static void examine( const dbvh_mesh_view *view_a, const dbvh_mesh_view *view_b, const dbvh_pose *pose, const rough *a,
                     const rough *b, found *out ) {
	if ( !rough_boxes_meet( a, b ) || plane_separates( a, b ) || plane_separates( b, a ) )
		return;
	double corners_a[9], corners_b[9];
	oracle_triangle( view_a, a->index, corners_a );
	oracle_triangle( view_b, b->index, corners_b );
	if ( !oracle_triangles_meet( corners_a, corners_b, pose ) )
		return;
	if ( out->count == out->capacity ) {
		out->capacity = out->capacity > 0 ? 2 * out->capacity : 64;
		dbvh_pair *const grown = must_alloc( out->capacity * sizeof *grown );
		if ( out->count > 0 )
			memcpy( grown, out->pairs, out->count * sizeof *grown );
		free( out->pairs );
		out->pairs = grown;
	}
	out->pairs[out->count++] = ( dbvh_pair ){ a->index, b->index };
}

// Sweeps a plane along x over both lists, sorted by their lower ends: every pair whose intervals in x overlap is met
// when the one that starts later is reached, by looking from the earlier one onwards until starts lie beyond its end.
size_t oracle_collide( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const dbvh_pose *pose_b,
                       dbvh_pair **pairs_out ) {
	size_t count_a = view_triangles( a ), count_b = view_triangles( b );
	rough *const list_a = must_alloc( count_a * sizeof *list_a ), *const list_b =
	                                                                  must_alloc( count_b * sizeof *list_b );
	for ( size_t i = 0; i < count_a; ++i )
		make_rough( a, i, NULL, &list_a[i] );
	for ( size_t i = 0; i < count_b; ++i )
		make_rough( b, i, pose_b, &list_b[i] );
	rough bounds;
	bounds_of( list_b, count_b, &bounds );
	count_a = keep_inside( list_a, count_a, &bounds );
	bounds_of( list_a, count_a, &bounds );
	count_b = keep_inside( list_b, count_b, &bounds );
	qsort( list_a, count_a, sizeof *list_a, compare_low_x );
	qsort( list_b, count_b, sizeof *list_b, compare_low_x );

	found out = { NULL, 0, 0 };
	size_t i = 0, j = 0;
	while ( i < count_a && j < count_b ) {
		if ( list_a[i].low[0] <= list_b[j].low[0] ) {
			for ( size_t k = j; k < count_b && list_b[k].low[0] <= list_a[i].high[0]; ++k )
				examine( a, b, pose_b, &list_a[i], &list_b[k], &out );
			i += 1;
		} else {
			for ( size_t k = i; k < count_a && list_a[k].low[0] <= list_b[j].high[0]; ++k )
				examine( a, b, pose_b, &list_a[k], &list_b[j], &out );
			j += 1;
		}
	}
	free( list_a );
	free( list_b );
	if ( out.count > 0 )
		qsort( out.pairs, out.count, sizeof *out.pairs, compare_pairs );
	if ( pairs_out != NULL )
		*pairs_out = out.pairs;
	else
		free( out.pairs );
	return out.count;
}
