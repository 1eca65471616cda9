// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "support/rational.h"

#include "support/line.h"

#include <string.h>

static void init3( mpq_t v[3] ) {
	for ( int k = 0; k < 3; ++k )
		mpq_init( v[k] );
}

static void clear3( mpq_t v[3] ) {
	for ( int k = 0; k < 3; ++k )
		mpq_clear( v[k] );
}

static void set3( mpq_t v[3], const double x[3] ) {
	for ( int k = 0; k < 3; ++k )
		mpq_set_d( v[k], x[k] );
}

static void sub3( mpq_t out[3], mpq_t a[3], mpq_t b[3] ) {
	for ( int k = 0; k < 3; ++k )
		mpq_sub( out[k], a[k], b[k] );
}

static void dot3( mpq_t out, mpq_t a[3], mpq_t b[3] ) {
	mpq_t term, sum;
	mpq_inits( term, sum, NULL );
	for ( int k = 0; k < 3; ++k ) {
		mpq_mul( term, a[k], b[k] );
		mpq_add( sum, sum, term );
	}
	mpq_set( out, sum );
	mpq_clears( term, sum, NULL );
}

static void cross3( mpq_t out[3], mpq_t a[3], mpq_t b[3] ) {
	mpq_t left, right;
	mpq_inits( left, right, NULL );
	for ( int k = 0; k < 3; ++k ) {
		const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
		mpq_mul( left, a[x], b[y] );
		mpq_mul( right, a[y], b[x] );
		mpq_sub( out[k], left, right );
	}
	mpq_clears( left, right, NULL );
}

static bool is_zero3( mpq_t a[3] ) {
	return mpq_sgn( a[0] ) == 0 && mpq_sgn( a[1] ) == 0 && mpq_sgn( a[2] ) == 0;
}

void rational_triangle_init( rational_triangle *t ) {
	for ( int i = 0; i < 3; ++i )
		init3( t->p[i] );
}

void rational_triangle_clear( rational_triangle *t ) {
	for ( int i = 0; i < 3; ++i )
		clear3( t->p[i] );
}

void rational_triangle_set( rational_triangle *t, const double corners[9], const dbvh_pose *pose ) {
	mpq_t factor, x;
	mpq_inits( factor, x, NULL );
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			if ( pose == NULL ) {
				mpq_set_d( t->p[i][k], corners[3 * i + k] );
				continue;
			}
			mpq_set_d( t->p[i][k], pose->pos[k] );
			for ( int j = 0; j < 3; ++j ) {
				mpq_set_d( factor, pose->rot[k][j] );
				mpq_set_d( x, corners[3 * i + j] );
				mpq_mul( x, x, factor );
				mpq_add( t->p[i][k], t->p[i][k], x );
			}
		}
	}
	mpq_clears( factor, x, NULL );
}

// ------------------------------------------------------------------------------------------------
// Clipping

typedef struct interval {
	mpq_t low, high;
	bool empty, endless;
} interval;

// value + t slope >= 0, or == 0
static void keep( interval *i, mpq_t value, mpq_t slope, bool equal ) {
	if ( mpq_sgn( slope ) == 0 ) {
		i->empty = i->empty || ( equal ? mpq_sgn( value ) != 0 : mpq_sgn( value ) < 0 );
		return;
	}
	mpq_t root;
	mpq_init( root );
	mpq_div( root, value, slope );
	mpq_neg( root, root );
	if ( ( equal || mpq_sgn( slope ) > 0 ) && mpq_cmp( root, i->low ) > 0 )
		mpq_set( i->low, root );
	if ( ( equal || mpq_sgn( slope ) < 0 ) && ( i->endless || mpq_cmp( root, i->high ) < 0 ) ) {
		mpq_set( i->high, root );
		i->endless = false;
	}
	i->empty = i->empty || ( !i->endless && mpq_cmp( i->low, i->high ) > 0 );
	mpq_clear( root );
}

// normal . ( from + t step - origin ) >= 0, or == 0
static void keep_side( interval *i, mpq_t normal[3], mpq_t origin[3], mpq_t *from, mpq_t *step, bool equal ) {
	mpq_t way[3], value, slope;
	init3( way );
	mpq_inits( value, slope, NULL );
	sub3( way, from, origin );
	dot3( value, normal, way );
	dot3( slope, normal, step );
	keep( i, value, slope, equal );
	mpq_clears( value, slope, NULL );
	clear3( way );
}

static void clip_triangle( interval *i, mpq_t a[3], mpq_t b[3], mpq_t c[3], mpq_t normal[3], mpq_t from[3],
                           mpq_t step[3] ) {
	mpq_t *corner[3] = { a, b, c };
	mpq_t edge[3], inward[3];
	init3( edge );
	init3( inward );
	keep_side( i, normal, a, from, step, true );
	for ( int k = 0; k < 3; ++k ) {
		sub3( edge, corner[( k + 1 ) % 3], corner[k] );
		cross3( inward, normal, edge );
		keep_side( i, inward, corner[k], from, step, false );
	}
	clear3( edge );
	clear3( inward );
}

// A segment ab, which may be a point: from + t step - a is parallel to b - a, and between the ends along it.
static void clip_segment( interval *i, mpq_t a[3], mpq_t b[3], mpq_t *from, mpq_t *step ) {
	mpq_t way[3], edge[3], value[3], slope[3], axis[3];
	init3( way );
	init3( edge );
	init3( value );
	init3( slope );
	init3( axis );
	sub3( way, from, a );
	sub3( edge, b, a );
	if ( is_zero3( edge ) ) {
		for ( int k = 0; k < 3; ++k )
			keep( i, way[k], step[k], true );
	} else {
		cross3( value, way, edge );
		cross3( slope, step, edge );
		for ( int k = 0; k < 3; ++k )
			keep( i, value[k], slope[k], true );
		keep_side( i, edge, a, from, step, false );
		for ( int k = 0; k < 3; ++k )
			mpq_neg( axis[k], edge[k] );
		keep_side( i, axis, b, from, step, false );
	}
	clear3( way );
	clear3( edge );
	clear3( value );
	clear3( slope );
	clear3( axis );
}

bool rational_clip( const rational_triangle *t, mpq_t *from, mpq_t *step, bool endless, mpq_ptr first, mpq_ptr last ) {
	rational_triangle *own = (rational_triangle *)t;
	mpq_t u[3], v[3], normal[3];
	init3( u );
	init3( v );
	init3( normal );
	sub3( u, own->p[1], own->p[0] );
	sub3( v, own->p[2], own->p[0] );
	cross3( normal, u, v );
	const bool has_area = !is_zero3( normal );
	const bool stands = is_zero3( step );
	bool found = false;
	// A degenerate triangle is the union of its three edges.
	for ( int piece = 0; piece < ( has_area ? 1 : 3 ); ++piece ) {
		interval i = { .empty = false, .endless = endless && !stands };
		mpq_inits( i.low, i.high, NULL );
		mpq_set_si( i.high, stands ? 0 : 1, 1 );
		if ( has_area )
			clip_triangle( &i, own->p[0], own->p[1], own->p[2], normal, from, step );
		else
			clip_segment( &i, own->p[piece], own->p[( piece + 1 ) % 3], from, step );
		if ( !i.empty ) {
			if ( !found || mpq_cmp( i.low, first ) < 0 )
				mpq_set( first, i.low );
			if ( last != NULL && ( !found || mpq_cmp( i.high, last ) > 0 ) )
				mpq_set( last, i.high );
			found = true;
		}
		mpq_clears( i.low, i.high, NULL );
	}
	clear3( u );
	clear3( v );
	clear3( normal );
	return found;
}

bool rational_first_hit( const rational_triangle *t, const test_line *line, mpq_t first ) {
	mpq_t from[3], step[3];
	init3( from );
	init3( step );
	set3( from, line->from );
	set3( step, line->to );
	if ( !line->is_ray )
		sub3( step, step, from );
	const bool hit = rational_clip( t, from, step, line->is_ray, first, NULL );
	clear3( from );
	clear3( step );
	return hit;
}

// ------------------------------------------------------------------------------------------------
// Distance

static void keep_least( mpq_t least, bool *any, mpq_t x[3] ) {
	mpq_t square;
	mpq_init( square );
	dot3( square, x, x );
	if ( !*any || mpq_cmp( square, least ) < 0 )
		mpq_set( least, square );
	*any = true;
	mpq_clear( square );
}

// The least of |a + s u + t v|^2 over all s, t is where the two derivatives vanish; it counts if the point is in the
// triangle. u and v are dependent where there is no area: the edges are enough then.
static void try_face( mpq_t a[3], mpq_t u[3], mpq_t v[3], mpq_t least, bool *any ) {
	mpq_t uu, uv, vv, au, av, det, s, t, left, right, x[3];
	mpq_inits( uu, uv, vv, au, av, det, s, t, left, right, NULL );
	init3( x );
	dot3( uu, u, u );
	dot3( uv, u, v );
	dot3( vv, v, v );
	dot3( au, a, u );
	dot3( av, a, v );
	mpq_mul( left, uu, vv );
	mpq_mul( right, uv, uv );
	mpq_sub( det, left, right );
	if ( mpq_sgn( det ) != 0 ) {
		mpq_mul( left, uv, av );
		mpq_mul( right, vv, au );
		mpq_sub( s, left, right );
		mpq_div( s, s, det );
		mpq_mul( left, uv, au );
		mpq_mul( right, uu, av );
		mpq_sub( t, left, right );
		mpq_div( t, t, det );
		mpq_add( left, s, t );
		if ( mpq_sgn( s ) >= 0 && mpq_sgn( t ) >= 0 && mpq_cmp_si( left, 1, 1 ) <= 0 ) {
			for ( int k = 0; k < 3; ++k ) {
				mpq_mul( left, s, u[k] );
				mpq_mul( right, t, v[k] );
				mpq_add( x[k], a[k], left );
				mpq_add( x[k], x[k], right );
			}
			keep_least( least, any, x );
		}
	}
	mpq_clears( uu, uv, vv, au, av, det, s, t, left, right, NULL );
	clear3( x );
}

static void try_edge( mpq_t a[3], mpq_t u[3], mpq_t least, bool *any ) {
	mpq_t uu, au, s, term, x[3];
	mpq_inits( uu, au, s, term, NULL );
	init3( x );
	dot3( uu, u, u );
	dot3( au, a, u );
	if ( mpq_sgn( uu ) != 0 ) {
		mpq_div( s, au, uu );
		mpq_neg( s, s );
		if ( mpq_sgn( s ) >= 0 && mpq_cmp_si( s, 1, 1 ) <= 0 ) {
			for ( int k = 0; k < 3; ++k ) {
				mpq_mul( term, s, u[k] );
				mpq_add( x[k], a[k], term );
			}
			keep_least( least, any, x );
		}
	}
	mpq_clears( uu, au, s, term, NULL );
	clear3( x );
}

void rational_distance_squared( const rational_triangle *t, const double point[3], mpq_t out ) {
	rational_triangle *own = (rational_triangle *)t;
	mpq_t p[3], a[3], u[3], v[3];
	init3( p );
	init3( a );
	init3( u );
	init3( v );
	set3( p, point );
	bool any = false;
	for ( int i = 0; i < 3; ++i ) {
		sub3( a, own->p[i], p );
		sub3( u, own->p[( i + 1 ) % 3], own->p[i] );
		sub3( v, own->p[( i + 2 ) % 3], own->p[i] );
		keep_least( out, &any, a );
		try_edge( a, u, out, &any );
		if ( i == 0 )
			try_face( a, u, v, out, &any );
	}
	clear3( p );
	clear3( a );
	clear3( u );
	clear3( v );
}

// ------------------------------------------------------------------------------------------------
// Meeting beyond what is shared

static bool same_point( const double *p, const double *q ) {
	return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// Is a point on the segment between two common corners, or equal to the only one?
static bool is_in_common( mpq_t x[3], int common, double corners[3][3] ) {
	if ( common == 0 )
		return false;
	rational_triangle t;
	rational_triangle_init( &t );
	const double *p = corners[0], *q = corners[common - 1];
	const double flat[9] = { p[0], p[1], p[2], q[0], q[1], q[2], q[0], q[1], q[2] };
	rational_triangle_set( &t, flat, NULL );
	mpq_t still[3], first;
	init3( still );
	mpq_init( first );
	const bool in = rational_clip( &t, x, still, false, first, NULL );
	clear3( still );
	mpq_clear( first );
	rational_triangle_clear( &t );
	return in;
}

// Every corner of the intersection of two triangles is an end of what one of them leaves of an edge of the other, and
// the set of common corners is convex: so those ends are enough to look at.
static bool edges_reach_beyond( const rational_triangle *edges, const rational_triangle *t, int common,
                                double corners[3][3] ) {
	rational_triangle *own = (rational_triangle *)edges;
	mpq_t step[3], x[3], end[2];
	init3( step );
	init3( x );
	mpq_inits( end[0], end[1], NULL );
	bool beyond = false;
	for ( int i = 0; i < 3 && !beyond; ++i ) {
		sub3( step, own->p[( i + 1 ) % 3], own->p[i] );
		if ( !rational_clip( t, own->p[i], step, false, end[0], end[1] ) )
			continue;
		for ( int j = 0; j < 2; ++j ) {
			for ( int k = 0; k < 3; ++k ) {
				mpq_mul( x[k], end[j], step[k] );
				mpq_add( x[k], x[k], own->p[i][k] );
			}
			beyond = beyond || !is_in_common( x, common, corners );
		}
	}
	clear3( step );
	clear3( x );
	mpq_clears( end[0], end[1], NULL );
	return beyond;
}

bool rational_meet_beyond( const double a[9], const double b[9] ) {
	double corners[3][3];
	int common = 0;
	for ( int i = 0; i < 9; ++i ) {
		const double *p = a + 3 * ( i / 3 );
		bool known = !same_point( p, b + 3 * ( i % 3 ) );
		for ( int k = 0; k < common; ++k )
			known = known || same_point( p, corners[k] );
		if ( !known )
			memcpy( corners[common++], p, 3 * sizeof( double ) );
	}
	if ( common == 3 )
		return true;
	rational_triangle ta, tb;
	rational_triangle_init( &ta );
	rational_triangle_init( &tb );
	rational_triangle_set( &ta, a, NULL );
	rational_triangle_set( &tb, b, NULL );
	const bool beyond =
	    edges_reach_beyond( &ta, &tb, common, corners ) || edges_reach_beyond( &tb, &ta, common, corners );
	rational_triangle_clear( &ta );
	rational_triangle_clear( &tb );
	return beyond;
}
