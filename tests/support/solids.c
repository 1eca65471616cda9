// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "support/solids.h"

#include "support/oracle.h"

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct point {
	mpq_t x[3];
} point;

typedef struct tetra {
	point p[4];
} tetra;

// A piece is cut by four planes, into three each time.
#define PIECES 96

static tetra pieces[2][PIECES];
static mpq_t t1, t2, t3, sum;
static bool ready;

static void prepare( void ) {
	if ( ready )
		return;
	ready = true;
	mpq_inits( t1, t2, t3, sum, NULL );
	for ( int i = 0; i < 2 * PIECES; ++i ) {
		for ( int k = 0; k < 12; ++k )
			mpq_init( pieces[i / PIECES][i % PIECES].p[k / 3].x[k % 3] );
	}
}

static void point_init( point *p ) {
	for ( int k = 0; k < 3; ++k )
		mpq_init( p->x[k] );
}

static void point_clear( point *p ) {
	for ( int k = 0; k < 3; ++k )
		mpq_clear( p->x[k] );
}

static void point_set( point *p, const point *q ) {
	for ( int k = 0; k < 3; ++k )
		mpq_set( p->x[k], q->x[k] );
}

// det [b - a, c - a, d - a]
static void volume( mpq_t out, const point *a, const point *b, const point *c, const point *d ) {
	mpq_set_ui( out, 0, 1 );
	for ( int k = 0; k < 3; ++k ) {
		const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		for ( int s = 0; s < 2; ++s ) {
			const int i = s == 0 ? k1 : k2, j = s == 0 ? k2 : k1;
			mpq_sub( t1, b->x[k], a->x[k] );
			mpq_sub( t2, c->x[i], a->x[i] );
			mpq_mul( t1, t1, t2 );
			mpq_sub( t2, d->x[j], a->x[j] );
			mpq_mul( t1, t1, t2 );
			if ( s == 0 )
				mpq_add( out, out, t1 );
			else
				mpq_sub( out, out, t1 );
		}
	}
}

// The point of p q where a linear function that is hp at p and hq at q is 0.
static void cut( point *out, const point *p, const point *q, const mpq_t hp, const mpq_t hq ) {
	mpq_sub( t3, hp, hq );
	mpq_div( t3, hp, t3 );
	for ( int k = 0; k < 3; ++k ) {
		mpq_sub( t1, q->x[k], p->x[k] );
		mpq_mul( t1, t1, t3 );
		mpq_add( out->x[k], p->x[k], t1 );
	}
}

static void put( tetra *list, size_t *count, const point *a, const point *b, const point *c, const point *d ) {
	if ( *count == PIECES ) {
		fputs( "oracle: too many pieces\n", stderr );
		exit( 2 );
	}
	tetra *t = &list[( *count )++];
	point_set( &t->p[0], a );
	point_set( &t->p[1], b );
	point_set( &t->p[2], c );
	point_set( &t->p[3], d );
}

// Splits a wedge (two triangles, corner i of one joined to corner i of the other) in three.
static void put_wedge( tetra *list, size_t *count, const point *const low[3], const point *const high[3] ) {
	put( list, count, low[0], low[1], low[2], high[2] );
	put( list, count, low[0], low[1], high[1], high[2] );
	put( list, count, low[0], high[0], high[1], high[2] );
}

// Clip a tetrahedron to the side of plane a b c where `inner` is.
static void clip( const tetra *t, const point *a, const point *b, const point *c, int inner, tetra *out,
                  size_t *count ) {
	mpq_t h[4];
	const point *in[4], *outside[4];
	int inside_index[4], outside_index[4], n_in = 0, n_out = 0;
	for ( int i = 0; i < 4; ++i ) {
		mpq_init( h[i] );
		volume( h[i], a, b, c, &t->p[i] );
		if ( mpq_sgn( h[i] ) * inner >= 0 ) {
			inside_index[n_in] = i;
			in[n_in++] = &t->p[i];
		} else {
			outside_index[n_out] = i;
			outside[n_out++] = &t->p[i];
		}
	}
	point cuts[4];
	for ( int i = 0; i < 4; ++i )
		point_init( &cuts[i] );
	if ( n_in == 4 ) {
		put( out, count, &t->p[0], &t->p[1], &t->p[2], &t->p[3] );
	} else if ( n_in == 1 ) {
		for ( int i = 0; i < 3; ++i )
			cut( &cuts[i], in[0], outside[i], h[inside_index[0]], h[outside_index[i]] );
		put( out, count, in[0], &cuts[0], &cuts[1], &cuts[2] );
	} else if ( n_in == 3 ) {
		for ( int i = 0; i < 3; ++i )
			cut( &cuts[i], in[i], outside[0], h[inside_index[i]], h[outside_index[0]] );
		const point *const high[3] = { &cuts[0], &cuts[1], &cuts[2] };
		put_wedge( out, count, in, high );
	} else if ( n_in == 2 ) {
		for ( int i = 0; i < 4; ++i )
			cut( &cuts[i], in[i / 2], outside[i % 2], h[inside_index[i / 2]], h[outside_index[i % 2]] );
		const point *const low[3] = { in[0], &cuts[0], &cuts[1] }, *const high[3] = { in[1], &cuts[2], &cuts[3] };
		put_wedge( out, count, low, high );
	}
	for ( int i = 0; i < 4; ++i ) {
		mpq_clear( h[i] );
		point_clear( &cuts[i] );
	}
}

// Six times the volume of what two tetrahedra have in common.
static void common_volume( mpq_t out, const tetra *a, const tetra *b ) {
	static const int face[4][4] = { { 1, 2, 3, 0 }, { 0, 2, 3, 1 }, { 0, 1, 3, 2 }, { 0, 1, 2, 3 } };
	size_t count = 0;
	int now = 0;
	put( pieces[now], &count, &a->p[0], &a->p[1], &a->p[2], &a->p[3] );
	mpq_t side;
	mpq_init( side );
	for ( int f = 0; f < 4 && count > 0; ++f ) {
		const point *p[4];
		for ( int i = 0; i < 4; ++i )
			p[i] = &b->p[face[f][i]];
		volume( side, p[0], p[1], p[2], p[3] );
		size_t kept = 0;
		for ( size_t i = 0; i < count; ++i ) {
			volume( out, &pieces[now][i].p[0], &pieces[now][i].p[1], &pieces[now][i].p[2], &pieces[now][i].p[3] );
			if ( mpq_sgn( out ) != 0 )
				clip( &pieces[now][i], p[0], p[1], p[2], mpq_sgn( side ), pieces[!now], &kept );
		}
		now = !now;
		count = kept;
	}
	mpq_set_ui( out, 0, 1 );
	for ( size_t i = 0; i < count; ++i ) {
		volume( side, &pieces[now][i].p[0], &pieces[now][i].p[1], &pieces[now][i].p[2], &pieces[now][i].p[3] );
		mpq_abs( side, side );
		mpq_add( out, out, side );
	}
	mpq_clear( side );
}

static void place_triangle( const dbvh_mesh_view *view, size_t i, const dbvh_pose *pose, point out[3] ) {
	double corners[9];
	oracle_triangle( view, i, corners );
	for ( int k = 0; k < 9; ++k ) {
		mpq_ptr x = out[k / 3].x[k % 3];
		if ( pose == NULL ) {
			mpq_set_d( x, corners[k] );
			continue;
		}
		mpq_set_d( x, pose->pos[k % 3] );
		for ( int j = 0; j < 3; ++j ) {
			mpq_set_d( t1, pose->rot[k % 3][j] );
			mpq_set_d( t2, corners[k / 3 * 3 + j] );
			mpq_mul( t1, t1, t2 );
			mpq_add( x, x, t1 );
		}
	}
}

// The tetrahedra of a mesh that have a volume, and the signs of those.
static size_t make_tetras( const dbvh_mesh_view *view, const dbvh_pose *pose, tetra **out, int **signs ) {
	*out = malloc( view->triangle_count * sizeof **out );
	*signs = malloc( view->triangle_count * sizeof **signs );
	size_t count = 0;
	for ( size_t i = 0; i < view->triangle_count; ++i ) {
		tetra *t = &( *out )[count];
		for ( int k = 0; k < 4; ++k )
			point_init( &t->p[k] );
		place_triangle( view, i, pose, &t->p[1] );
		volume( sum, &t->p[0], &t->p[1], &t->p[2], &t->p[3] );
		( *signs )[count] = mpq_sgn( sum );
		if ( mpq_sgn( sum ) != 0 ) {
			count += 1;
			continue;
		}
		for ( int k = 0; k < 4; ++k )
			point_clear( &t->p[k] );
	}
	return count;
}

static void free_tetras( tetra *list, int *signs, size_t count ) {
	for ( size_t i = 0; i < 4 * count; ++i )
		point_clear( &list[i / 4].p[i % 4] );
	free( list );
	free( signs );
}

// Six times the volume. Turns a mesh that is oriented inwards.
static void signed_volume( mpq_t out, const tetra *list, int *signs, size_t count ) {
	mpq_set_ui( out, 0, 1 );
	for ( size_t i = 0; i < count; ++i ) {
		volume( sum, &list[i].p[0], &list[i].p[1], &list[i].p[2], &list[i].p[3] );
		mpq_add( out, out, sum );
	}
	const int turn = mpq_sgn( out );
	for ( size_t i = 0; i < count && turn < 0; ++i )
		signs[i] = -signs[i];
	mpq_abs( out, out );
}

// Six times the common volume, and those of both.
static void volumes_of( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const dbvh_pose *pose_b, mpq_t common,
                        mpq_t all_a, mpq_t all_b ) {
	prepare();
	tetra *list_a, *list_b;
	int *sign_a, *sign_b;
	const size_t count_a = make_tetras( a, NULL, &list_a, &sign_a );
	const size_t count_b = make_tetras( b, pose_b, &list_b, &sign_b );
	mpq_t piece;
	mpq_init( piece );
	mpq_set_ui( common, 0, 1 );
	signed_volume( all_a, list_a, sign_a, count_a );
	signed_volume( all_b, list_b, sign_b, count_b );
	for ( size_t i = 0; i < count_a; ++i ) {
		for ( size_t j = 0; j < count_b; ++j ) {
			common_volume( piece, &list_a[i], &list_b[j] );
			if ( sign_a[i] * sign_b[j] > 0 )
				mpq_add( common, common, piece );
			else
				mpq_sub( common, common, piece );
		}
	}
	mpq_clear( piece );
	free_tetras( list_a, sign_a, count_a );
	free_tetras( list_b, sign_b, count_b );
}

oracle_solids_answer oracle_solids( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const dbvh_pose *pose_b ) {
	mpq_t common, all_a, all_b;
	mpq_inits( common, all_a, all_b, NULL );
	volumes_of( a, b, pose_b, common, all_a, all_b );
	const oracle_solids_answer answer = { mpq_sgn( common ) != 0, mpq_cmp( common, all_a ) != 0,
	                                      mpq_cmp( common, all_b ) != 0,
	                                      mpq_sgn( all_a ) == 0 || mpq_sgn( all_b ) == 0 };
	if ( mpq_sgn( common ) < 0 || mpq_cmp( common, all_a ) > 0 || mpq_cmp( common, all_b ) > 0 ) {
		fputs( "oracle: a mesh is not oriented\n", stderr );
		exit( 2 );
	}
	mpq_clears( common, all_a, all_b, NULL );
	return answer;
}

bool oracle_common_volume_is_in( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const dbvh_pose *pose_b,
                                 double lower, double upper, double *volume_out ) {
	mpq_t common, all_a, all_b, end;
	mpq_inits( common, all_a, all_b, end, NULL );
	volumes_of( a, b, pose_b, common, all_a, all_b );
	mpq_set_ui( end, 6, 1 );
	mpq_div( common, common, end );
	*volume_out = mpq_get_d( common );
	mpq_set_d( end, lower );
	bool is_in = mpq_cmp( end, common ) <= 0;
	mpq_set_d( end, upper );
	is_in = is_in && mpq_cmp( common, end ) <= 0;
	mpq_clears( common, all_a, all_b, end, NULL );
	return is_in;
}

// The corners of a triangle, placed exactly.
// 1 if the segment from p to q crosses the triangle in its inside, 0 if it stays off, -1 if it is not so clear.
static int crosses( const point *p, const point *q, const point t[3] ) {
	volume( sum, &t[0], &t[1], &t[2], p );
	const int side_p = mpq_sgn( sum );
	volume( sum, &t[0], &t[1], &t[2], q );
	const int side_q = mpq_sgn( sum );
	if ( side_p == side_q && side_p != 0 )
		return 0;
	int side[3];
	for ( int i = 0; i < 3; ++i ) {
		volume( sum, p, q, &t[i], &t[( i + 1 ) % 3] );
		side[i] = mpq_sgn( sum );
	}
	if ( side[0] * side[1] < 0 || side[1] * side[2] < 0 || side[0] * side[2] < 0 )
		return 0;
	return side_p * side_q < 0 && side[0] * side[1] * side[2] != 0 ? 1 : -1;
}

int oracle_locate( const dbvh_mesh_view *view, const dbvh_pose *pose, const double at[3] ) {
	prepare();
	double dot[9];
	for ( int k = 0; k < 9; ++k )
		dot[k] = at[k % 3];
	for ( size_t i = 0; i < view->triangle_count; ++i ) {
		double corners[9];
		oracle_triangle( view, i, corners );
		if ( oracle_triangles_meet( dot, corners, pose ) )
			return 1;
	}
	point p, q, t[3];
	point_init( &p );
	point_init( &q );
	for ( int i = 0; i < 3; ++i )
		point_init( &t[i] );
	int answer = -1;
	for ( int attempt = 1; answer < 0; ++attempt ) {
		// Far beyond everything that the tests have.
		static const double far[3] = { 1048583.0, 3145739.0, -2097169.0 };
		for ( int k = 0; k < 3; ++k ) {
			mpq_set_d( p.x[k], at[k] );
			mpq_set_d( q.x[k], far[( k + attempt ) % 3] * ( 1.0 + 7.0 * attempt ) );
		}
		answer = 0;
		for ( size_t i = 0; i < view->triangle_count && answer >= 0; ++i ) {
			place_triangle( view, i, pose, t );
			const int crossed = crosses( &p, &q, t );
			answer = crossed < 0 ? -1 : crossed > 0 ? 2 - answer : answer;
		}
	}
	point_clear( &p );
	point_clear( &q );
	for ( int i = 0; i < 3; ++i )
		point_clear( &t[i] );
	return answer;
}
