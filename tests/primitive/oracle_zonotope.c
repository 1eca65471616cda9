// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Boxes and segments against each other: the least |w - sum t h g| over |t| <= 1, where the right set of generators at
// their bounds is guessed in doubles and proved by the multipliers. Depths by the corners of both along each axis.

#include "oracle.h"

#include <string.h>

oracle_solid oracle_solid_of_segment( vec from, vec to ) {
	oracle_solid out = { .count = 1 };
	const num half = N( 0.5 );
	out.centre = vmul( half, vadd( from, to ) );
	out.axis[0] = vsub( to, from );
	out.step[0] = vmul( half, out.axis[0] );
	return out;
}

oracle_solid oracle_solid_of_aabb( const dbvh_aabb *b ) {
	oracle_solid out = oracle_solid_of_segment( V( b->min ), V( b->max ) );
	const vec half = out.step[0];
	out.count = 3;
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			out.axis[i].x[k] = N( i == k ? 1.0 : 0.0 );
			out.step[i].x[k] = i == k ? half.x[k] : N( 0.0 );
		}
	}
	return out;
}

oracle_solid oracle_solid_of_obb( const dbvh_obb *b ) {
	oracle_solid out = { .count = 3 };
	out.centre = V( b->centre );
	for ( int i = 0; i < 3; ++i ) {
		out.axis[i] = V( b->axis[i] );
		out.step[i] = vmul( N( b->half[i] ), out.axis[i] );
	}
	return out;
}

// ------------------------------------------------------------------------------------------------
// Distance

enum { MOST = ORACLE_GENERATORS, MOST_PATTERNS = 729 };

typedef struct problem {
	int count;
	vec w, step[MOST];
	num gram[MOST][MOST];
	double point[3], line[MOST][3]; // the same, scaled
} problem;

// Is the pattern the minimum? Fills in the way that is left, times *den.
static bool is_minimum( problem *p, const int *pattern, vec *rest, num *den ) {
	int free[3], n = 0;
	vec m = p->w;
	for ( int i = 0; i < p->count; ++i ) {
		if ( pattern[i] == 0 )
			free[n++] = i;
		else
			m = pattern[i] > 0 ? vsub( m, p->step[i] ) : vadd( m, p->step[i] );
	}
	*den = oracle_minor( p->gram, free, free, n );
	if ( sgn( *den ) <= 0 )
		return false;
	*rest = vmul( *den, m );
	for ( int a = 0; a < n; ++a ) {
		num copy[MOST][MOST];
		memcpy( copy, p->gram, sizeof copy );
		for ( int b = 0; b < n; ++b )
			copy[free[b]][free[a]] = dot( m, p->step[free[b]] );
		const num t = oracle_minor( copy, free, free, n ); // Cramer's rule
		if ( cmp( magnitude( t ), *den ) > 0 )
			return false;
		*rest = vsub( *rest, vmul( t, p->step[free[a]] ) );
	}
	for ( int i = 0; i < p->count; ++i ) {
		if ( pattern[i] != 0 && sgn( dot( *rest, p->step[i] ) ) * pattern[i] < 0 )
			return false;
	}
	return true;
}

static double dots( const double a[3], const double b[3] ) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// How much a pattern violates the conditions, in doubles.
static double violation( const problem *p, const int *pattern ) {
	int free[3], n = 0;
	double m[3], g[3][3], right[3], t[3] = { 0 }, worst = 0.0;
	memcpy( m, p->point, sizeof m );
	for ( int i = 0; i < p->count; ++i ) {
		if ( pattern[i] == 0 )
			free[n++] = i;
		else
			for ( int k = 0; k < 3; ++k )
				m[k] -= pattern[i] * p->line[i][k];
	}
	for ( int a = 0; a < n; ++a ) {
		right[a] = dots( m, p->line[free[a]] );
		for ( int b = 0; b < n; ++b )
			g[a][b] = dots( p->line[free[a]], p->line[free[b]] );
	}
	for ( int a = 0; a < n; ++a ) { // elimination; what is positive definite needs no exchange
		if ( !( g[a][a] > 0.0 ) )
			return INFINITY;
		for ( int b = a + 1; b < n; ++b ) {
			const double f = g[b][a] / g[a][a];
			for ( int c = a; c < n; ++c )
				g[b][c] -= f * g[a][c];
			right[b] -= f * right[a];
		}
	}
	for ( int a = n - 1; a >= 0; --a ) {
		t[a] = right[a];
		for ( int b = a + 1; b < n; ++b )
			t[a] -= g[a][b] * t[b];
		t[a] /= g[a][a];
		worst = fmax( worst, fabs( t[a] ) - 1.0 );
		for ( int k = 0; k < 3; ++k )
			m[k] -= t[a] * p->line[free[a]][k];
	}
	for ( int i = 0; i < p->count; ++i ) {
		if ( pattern[i] != 0 )
			worst = fmax( worst, -dots( m, p->line[i] ) * pattern[i] );
	}
	return worst == worst ? worst : INFINITY;
}

static void scale_to_doubles( problem *p ) {
	long top = -100000;
	for ( int i = -1; i < p->count; ++i ) {
		const vec *v = i < 0 ? &p->w : &p->step[i];
		for ( int k = 0; k < 3; ++k ) {
			long e;
			if ( mpz_get_d_2exp( &e, v->x[k].m ) != 0.0 && e + v->x[k].e > top )
				top = e + v->x[k].e;
		}
	}
	for ( int i = -1; i < p->count; ++i ) {
		const vec *v = i < 0 ? &p->w : &p->step[i];
		for ( int k = 0; k < 3; ++k ) {
			long e;
			const double f = mpz_get_d_2exp( &e, v->x[k].m );
			const long by = e + v->x[k].e - top;
			( i < 0 ? p->point : p->line[i] )[k] = by < -1000 ? 0.0 : ldexp( f, (int)by );
		}
	}
}

int oracle_solids( const oracle_solid *a, const oracle_solid *b, vec shift, num s ) {
	problem p = { .count = 0 };
	p.w = vsub( vadd( a->centre, shift ), b->centre );
	for ( int i = 0; i < a->count + b->count; ++i ) {
		const vec step = i < a->count ? a->step[i] : b->step[i - a->count];
		if ( sgn( dot( step, step ) ) != 0 )
			p.step[p.count++] = step;
	}
	for ( int i = 0; i < p.count; ++i ) {
		for ( int j = 0; j < p.count; ++j )
			p.gram[i][j] = dot( p.step[i], p.step[j] );
	}
	scale_to_doubles( &p );
	static int patterns[MOST_PATTERNS][MOST];
	static double worst[MOST_PATTERNS];
	int count = 0, total = 1;
	for ( int i = 0; i < p.count; ++i )
		total *= 3;
	for ( int x = 0; x < total; ++x ) {
		int free = 0;
		for ( int i = 0, rest = x; i < p.count; ++i, rest /= 3 ) {
			patterns[count][i] = rest % 3 - 1;
			free += patterns[count][i] == 0;
		}
		if ( free > 3 )
			continue;
		worst[count] = violation( &p, patterns[count] );
		count += 1;
	}
	static bool tried[MOST_PATTERNS];
	memset( tried, 0, sizeof tried );
	for ( int tries = 0; tries < count; ++tries ) {
		int least = -1;
		for ( int i = 0; i < count; ++i )
			least = !tried[i] && ( least < 0 || worst[i] < worst[least] ) ? i : least;
		vec rest;
		num den;
		const size_t used = number_used;
		if ( is_minimum( &p, patterns[least], &rest, &den ) )
			return sgn( s ) < 0 ? 1 : cmp( dot( rest, rest ), mul( mul( s, s ), mul( den, den ) ) );
		number_used = used;
		tried[least] = true;
	}
	fputs( "oracle: no set of bounds is the minimum\n", stderr );
	abort();
}

// ------------------------------------------------------------------------------------------------
// Depth

static void extent( const oracle_solid *a, vec n, num *low, num *high ) {
	for ( int corner = 0; corner < 1 << a->count; ++corner ) {
		vec x = a->centre;
		for ( int i = 0; i < a->count; ++i )
			x = ( corner >> i & 1 ) != 0 ? vadd( x, a->step[i] ) : vsub( x, a->step[i] );
		const num h = dot( x, n );
		if ( corner == 0 || cmp( h, *low ) < 0 )
			*low = h;
		if ( corner == 0 || cmp( h, *high ) > 0 )
			*high = h;
	}
}

// sign( the shorter way out along n or -n - s |n| )
static int way_out( num low_a, num high_a, num low_b, num high_b, vec n, num s ) {
	const num up = sub( high_b, low_a ), down = sub( high_a, low_b ), least = cmp( up, down ) < 0 ? up : down;
	if ( sgn( s ) < 0 )
		return 1;
	return sgn( least ) < 0 ? -1 : cmp( mul( least, least ), mul( mul( s, s ), dot( n, n ) ) );
}

int oracle_way_out( const oracle_solid *a, const oracle_solid *b, vec n, num s ) {
	num low_a = N( 0.0 ), high_a = low_a, low_b = low_a, high_b = low_a;
	extent( a, n, &low_a, &high_a );
	extent( b, n, &low_b, &high_b );
	return way_out( low_a, high_a, low_b, high_b, n, s );
}

int oracle_solids_depth( const oracle_solid *a, const oracle_solid *b, num s ) {
	vec axis[MOST];
	int count = 0, sign = 1;
	for ( int i = 0; i < a->count; ++i )
		axis[count++] = a->axis[i];
	for ( int i = 0; i < b->count; ++i )
		axis[count++] = b->axis[i];
	for ( int i = 0; i < count; ++i ) {
		for ( int j = i + 1; j < count; ++j ) {
			const vec n = cross( axis[i], axis[j] );
			if ( sgn( dot( n, n ) ) == 0 )
				continue;
			const int out = oracle_way_out( a, b, n, s );
			sign = out < sign ? out : sign;
		}
	}
	return sign < 0 ? -1 : sign;
}

int oracle_segment_triangle_depth( vec from, vec to, const vec t[3], num s ) {
	const vec d = vsub( to, from );
	vec axis[4];
	axis[3] = cross( vsub( t[1], t[0] ), vsub( t[2], t[0] ) );
	for ( int k = 0; k < 3; ++k )
		axis[k] = cross( d, vsub( t[( k + 1 ) % 3], t[k] ) );
	int sign = 1;
	bool any = false;
	for ( int i = 0; i < 4; ++i ) {
		if ( sgn( dot( axis[i], axis[i] ) ) == 0 )
			continue;
		any = true;
		const num f = dot( from, axis[i] ), g = dot( to, axis[i] );
		num low = dot( t[0], axis[i] ), high = low;
		for ( int k = 1; k < 3; ++k ) {
			const num h = dot( t[k], axis[i] );
			low = cmp( h, low ) < 0 ? h : low;
			high = cmp( h, high ) > 0 ? h : high;
		}
		const int out =
		    cmp( f, g ) < 0 ? way_out( f, g, low, high, axis[i], s ) : way_out( g, f, low, high, axis[i], s );
		sign = out < sign ? out : sign;
	}
	return any ? ( sign < 0 ? -1 : sign ) : -sgn( s ); // in a line: out sideways
}

int oracle_triangle_solid( const vec t[3], const oracle_solid *b, num s ) {
	int sign = 1;
	const vec zero = { { N( 0.0 ), N( 0.0 ), N( 0.0 ) } };
	for ( int k = 0; k < 3; ++k ) {
		const oracle_solid edge = oracle_solid_of_segment( t[k], t[( k + 1 ) % 3] );
		const int side = oracle_solids( &edge, b, zero, s );
		sign = side < sign ? side : sign;
	}
	for ( int corner = 0; corner < 8; ++corner ) {
		vec x = b->centre;
		for ( int i = 0; i < 3; ++i )
			x = ( corner >> i & 1 ) != 0 ? vadd( x, b->step[i] ) : vsub( x, b->step[i] );
		const int side = oracle_point_triangle( x, t, s );
		sign = side < sign ? side : sign;
	}
	return sign;
}
