// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "oracle.h"

#include <string.h>

mpz_t number_pool[NUMBER_POOL];
size_t number_used, number_made;

int fraction_compare( fraction a, fraction b ) {
	return sgn( det2( a.n, b.d, b.n, a.d ) );
}

fraction fraction_of( num x ) {
	return ( fraction ){ x, N( 1.0 ) };
}

// sign( sqrt( n / d ) - s )
static int against( num n, num d, num s ) {
	return sgn( s ) < 0 ? 1 : cmp( n, mul( mul( s, s ), d ) );
}

static int least( int a, int b ) {
	return a < b ? a : b;
}

// ------------------------------------------------------------------------------------------------
// Distances

int oracle_point_point( vec a, vec b, num s ) {
	const vec w = vsub( b, a );
	return against( dot( w, w ), N( 1.0 ), s );
}

int oracle_point_segment( vec p, vec a, vec b, num s ) {
	const vec d = vsub( b, a ), w = vsub( p, a );
	const num dd = dot( d, d ), at = dot( w, d );
	if ( sgn( at ) <= 0 )
		return oracle_point_point( p, a, s );
	if ( cmp( at, dd ) >= 0 )
		return oracle_point_point( p, b, s );
	return against( det2( dot( w, w ), dd, at, at ), dd, s );
}

int oracle_point_triangle( vec p, const vec t[3], num s ) {
	const vec ab = vsub( t[1], t[0] ), ac = vsub( t[2], t[0] ), w = vsub( p, t[0] );
	const num e = dot( ab, ab ), f = dot( ab, ac ), g = dot( ac, ac ), det = det2( e, g, f, f );
	if ( sgn( det ) > 0 ) {
		const num p1 = dot( w, ab ), p2 = dot( w, ac );
		const num u = det2( g, p1, f, p2 ), v = det2( e, p2, f, p1 );
		if ( sgn( u ) >= 0 && sgn( v ) >= 0 && cmp( add( u, v ), det ) <= 0 )
			return against( sub( mul( dot( w, w ), det ), add( mul( u, p1 ), mul( v, p2 ) ) ), det, s );
	}
	return least( oracle_point_segment( p, t[0], t[1], s ),
	              least( oracle_point_segment( p, t[1], t[2], s ), oracle_point_segment( p, t[2], t[0], s ) ) );
}

int oracle_segment_segment( vec a, vec b, vec c, vec d, num s ) {
	const vec x = vsub( b, a ), y = vsub( d, c ), w = vsub( c, a );
	const num e = dot( x, x ), f = dot( x, y ), g = dot( y, y ), det = det2( e, g, f, f );
	if ( sgn( det ) > 0 ) {
		const num wx = dot( w, x ), wy = dot( w, y );
		const num p = det2( g, wx, f, wy ), q = det2( f, wx, e, wy );
		if ( sgn( p ) >= 0 && sgn( q ) >= 0 && cmp( p, det ) <= 0 && cmp( q, det ) <= 0 )
			return against( add( sub( mul( dot( w, w ), det ), mul( p, wx ) ), mul( q, wy ) ), det, s );
	}
	return least( least( oracle_point_segment( a, c, d, s ), oracle_point_segment( b, c, d, s ) ),
	              least( oracle_point_segment( c, a, b, s ), oracle_point_segment( d, a, b, s ) ) );
}

// Does the segment pass through the triangle, whose plane it is not parallel to?
static bool crosses( vec a, vec b, const vec t[3] ) {
	const vec d = vsub( b, a ), ab = vsub( t[1], t[0] ), ac = vsub( t[2], t[0] ), w = vsub( t[0], a );
	const num det = det3( d, ab, ac );
	const int way = sgn( det );
	if ( way == 0 )
		return false;
	num at = det3( w, ab, ac ), u = neg( det3( d, w, ac ) ), v = neg( det3( d, ab, w ) ), size = det;
	if ( way < 0 ) {
		at = neg( at );
		u = neg( u );
		v = neg( v );
		size = neg( size );
	}
	return sgn( at ) >= 0 && cmp( at, size ) <= 0 && sgn( u ) >= 0 && sgn( v ) >= 0 && cmp( add( u, v ), size ) <= 0;
}

int oracle_segment_triangle( vec a, vec b, const vec t[3], num s ) {
	if ( crosses( a, b, t ) )
		return against( N( 0.0 ), N( 1.0 ), s );
	int sign = least( oracle_point_triangle( a, t, s ), oracle_point_triangle( b, t, s ) );
	for ( int k = 0; k < 3; ++k )
		sign = least( sign, oracle_segment_segment( a, b, t[k], t[( k + 1 ) % 3], s ) );
	return sign;
}

// x - the nearest number in [low, high]
static num outside( num x, num low, num high ) {
	return cmp( x, low ) < 0 ? sub( x, low ) : cmp( x, high ) > 0 ? sub( x, high ) : N( 0.0 );
}

int oracle_point_aabb( vec p, const dbvh_aabb *box, num s ) {
	vec out;
	for ( int k = 0; k < 3; ++k )
		out.x[k] = outside( p.x[k], N( box->min[k] ), N( box->max[k] ) );
	return against( dot( out, out ), N( 1.0 ), s );
}

// The offset from the box to the point a + t d, times t.d
static vec outside_at( vec a, vec d, const dbvh_aabb *box, fraction t ) {
	vec out;
	for ( int k = 0; k < 3; ++k )
		out.x[k] = outside( add( mul( a.x[k], t.d ), mul( d.x[k], t.n ) ), mul( N( box->min[k] ), t.d ),
		                    mul( N( box->max[k] ), t.d ) );
	return out;
}

// The derivative of the squared distance grows; it is linear between the times at which a coordinate leaves its slab.
fraction oracle_nearest_time_aabb( vec a, vec d, const dbvh_aabb *box ) {
	fraction low = fraction_of( N( 0.0 ) ), high = fraction_of( N( 1.0 ) );
	if ( sgn( dot( d, outside_at( a, d, box, low ) ) ) >= 0 )
		return low;
	if ( sgn( dot( d, outside_at( a, d, box, high ) ) ) <= 0 )
		return high;
	for ( int k = 0; k < 3; ++k ) {
		for ( int side = 0; side < 2 && sgn( d.x[k] ) != 0; ++side ) {
			fraction t = { sub( N( side == 0 ? box->min[k] : box->max[k] ), a.x[k] ), d.x[k] };
			if ( sgn( t.d ) < 0 )
				t = ( fraction ){ neg( t.n ), neg( t.d ) };
			if ( fraction_compare( t, low ) <= 0 || fraction_compare( t, high ) >= 0 )
				continue;
			const int rate = sgn( dot( d, outside_at( a, d, box, t ) ) );
			if ( rate == 0 )
				return t;
			if ( rate < 0 )
				low = t;
			else
				high = t;
		}
	}
	// One part: what is outside at `low` and not at `high` on the other side of the face is outside between.
	const vec x = outside_at( a, d, box, low ), y = outside_at( a, d, box, high );
	num slope = N( 0.0 ), start = N( 0.0 );
	for ( int k = 0; k < 3; ++k ) {
		const int side = sgn( x.x[k] ) != 0 ? sgn( x.x[k] ) : sgn( y.x[k] );
		if ( side == 0 )
			continue;
		slope = add( slope, mul( d.x[k], d.x[k] ) );
		start = add( start, mul( sub( a.x[k], N( side < 0 ? box->min[k] : box->max[k] ) ), d.x[k] ) );
	}
	return ( fraction ){ neg( start ), slope };
}

int oracle_segment_aabb( vec a, vec b, const dbvh_aabb *box, num s ) {
	const vec d = vsub( b, a );
	const fraction t = oracle_nearest_time_aabb( a, d, box );
	const vec out = outside_at( a, d, box, t );
	return against( dot( out, out ), mul( t.d, t.d ), s );
}

// ------------------------------------------------------------------------------------------------
// Oriented boxes: least squares with bounds, the right set of active ones told by the multipliers

num oracle_minor( num g[ORACLE_GENERATORS][ORACLE_GENERATORS], const int *i, const int *j, int n ) {
	if ( n == 0 )
		return N( 1.0 );
	if ( n == 1 )
		return g[i[0]][j[0]];
	if ( n == 2 )
		return det2( g[i[0]][j[0]], g[i[1]][j[1]], g[i[0]][j[1]], g[i[1]][j[0]] );
	num sum = N( 0.0 );
	for ( int k = 0; k < 3; ++k ) {
		const int rows[2] = { i[1], i[2] }, columns[2] = { j[( k + 1 ) % 3], j[( k + 2 ) % 3] };
		sum = add( sum, mul( g[i[0]][j[k]], oracle_minor( g, rows, columns, 2 ) ) );
	}
	return sum;
}

// Pattern: -1 or 1 at a bound, 0 free. Fills x, over den, and returns whether it is the minimum.
static bool try_pattern( const vec axis[3], const num half[3], vec w, const int pattern[3], num x[3], num *den ) {
	int free[3], n = 0;
	num g[ORACLE_GENERATORS][ORACLE_GENERATORS];
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			g[i][j] = dot( axis[i], axis[j] );
		if ( pattern[i] == 0 )
			free[n++] = i;
	}
	num right[3];
	for ( int i = 0; i < 3; ++i ) {
		right[i] = dot( w, axis[i] );
		for ( int j = 0; j < 3; ++j ) {
			if ( pattern[j] != 0 )
				right[i] = sub( right[i], mul( g[i][j], pattern[j] > 0 ? half[j] : neg( half[j] ) ) );
		}
	}
	*den = oracle_minor( g, free, free, n );
	if ( sgn( *den ) <= 0 )
		return false;
	for ( int i = 0; i < 3; ++i )
		x[i] = pattern[i] != 0 ? mul( *den, pattern[i] > 0 ? half[i] : neg( half[i] ) ) : N( 0.0 );
	for ( int a = 0; a < n; ++a ) {
		// Cramer's rule: column `a` replaced.
		num copy[ORACLE_GENERATORS][ORACLE_GENERATORS];
		for ( int i = 0; i < 3; ++i ) {
			for ( int j = 0; j < 3; ++j )
				copy[i][j] = j == free[a] ? right[i] : g[i][j];
		}
		x[free[a]] = oracle_minor( copy, free, free, n );
		if ( cmp( magnitude( x[free[a]] ), mul( half[free[a]], *den ) ) > 0 )
			return false;
	}
	for ( int i = 0; i < 3; ++i ) {
		if ( pattern[i] == 0 || sgn( half[i] ) == 0 )
			continue;
		num pull = mul( dot( w, axis[i] ), *den );
		for ( int j = 0; j < 3; ++j )
			pull = sub( pull, mul( g[i][j], x[j] ) );
		if ( sgn( pull ) * pattern[i] < 0 )
			return false;
	}
	return true;
}

int oracle_point_obb( vec p, const dbvh_obb *box, num s ) {
	vec axis[3], w = vsub( p, V( box->centre ) );
	num half[3], x[3], den;
	int guess[3];
	for ( int i = 0; i < 3; ++i ) {
		axis[i] = V( box->axis[i] );
		half[i] = N( box->half[i] );
		const num at = dot( w, axis[i] );
		guess[i] = cmp( magnitude( at ), mul( half[i], dot( axis[i], axis[i] ) ) ) <= 0 ? 0 : sgn( at );
	}
	bool found = try_pattern( axis, half, w, guess, x, &den );
	for ( int i = 0; i < 27 && !found; ++i ) {
		const int pattern[3] = { i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1 };
		found = try_pattern( axis, half, w, pattern, x, &den );
	}
	if ( !found ) {
		fputs( "oracle: no pattern is the minimum\n", stderr );
		abort();
	}
	vec rest = vmul( den, w );
	for ( int i = 0; i < 3; ++i )
		rest = vsub( rest, vmul( x[i], axis[i] ) );
	return against( dot( rest, rest ), mul( den, den ), s );
}

// The inverse of the axes: coordinate i of a point is ( p . n[i] ) / det.
static void inverse_of( const dbvh_obb *box, vec n[3], num *det ) {
	vec axis[3];
	for ( int i = 0; i < 3; ++i )
		axis[i] = V( box->axis[i] );
	*det = det3( axis[0], axis[1], axis[2] );
	const bool turned = sgn( *det ) < 0;
	if ( turned )
		*det = neg( *det );
	for ( int i = 0; i < 3; ++i ) {
		const vec c = cross( axis[( i + 1 ) % 3], axis[( i + 2 ) % 3] );
		n[i] = turned ? vsub( V( ( const double[3] ){ 0.0, 0.0, 0.0 } ), c ) : c;
	}
}

int oracle_obb_depth( vec p, const dbvh_obb *box, num s ) {
	vec n[3], w = vsub( p, V( box->centre ) );
	num det;
	inverse_of( box, n, &det );
	int sign = 1;
	for ( int i = 0; i < 3; ++i ) {
		const num height = sub( mul( N( box->half[i] ), det ), magnitude( dot( w, n[i] ) ) );
		sign = least( sign, against( mul( height, height ), dot( n[i], n[i] ), s ) );
	}
	return sign;
}

// ------------------------------------------------------------------------------------------------
// Lines through boxes

// Clips [from, to] by low <= at + t rate <= high; `to` has no end while `endless`.
static bool clip( num at, num rate, num low, num high, fraction *from, fraction *to, bool *endless ) {
	if ( sgn( rate ) == 0 )
		return cmp( low, at ) <= 0 && cmp( at, high ) <= 0;
	fraction first = { sub( low, at ), rate }, last = { sub( high, at ), rate };
	if ( sgn( rate ) < 0 ) {
		const fraction x = { neg( first.n ), neg( rate ) }, y = { neg( last.n ), neg( rate ) };
		first = y;
		last = x;
	}
	if ( fraction_compare( first, *from ) > 0 )
		*from = first;
	if ( *endless || fraction_compare( last, *to ) < 0 )
		*to = last;
	*endless = false;
	return fraction_compare( *from, *to ) <= 0;
}

static bool still( vec d ) {
	return sgn( d.x[0] ) == 0 && sgn( d.x[1] ) == 0 && sgn( d.x[2] ) == 0;
}

bool oracle_clip_aabb( vec a, vec d, bool bounded, vec low, vec high, fraction *from, fraction *to ) {
	*from = fraction_of( N( 0.0 ) );
	*to = fraction_of( N( bounded && !still( d ) ? 1.0 : 0.0 ) );
	bool endless = !bounded && !still( d ), met = true;
	for ( int k = 0; k < 3 && met; ++k )
		met = clip( a.x[k], d.x[k], low.x[k], high.x[k], from, to, &endless );
	return met;
}

bool oracle_clip_obb( vec a, vec d, bool bounded, const dbvh_obb *box, fraction *from, fraction *to, bool *endless ) {
	vec n[3];
	num det;
	inverse_of( box, n, &det );
	const vec w = vsub( a, V( box->centre ) );
	*from = fraction_of( N( 0.0 ) );
	*to = fraction_of( N( bounded && !still( d ) ? 1.0 : 0.0 ) );
	*endless = !bounded && !still( d );
	bool met = true;
	for ( int i = 0; i < 3 && met; ++i ) {
		const num reach = mul( N( box->half[i] ), det );
		met = clip( dot( w, n[i] ), dot( d, n[i] ), neg( reach ), reach, from, to, endless );
	}
	return met;
}

static bool segment_meets_obb( vec a, vec b, const dbvh_obb *box ) {
	fraction from, to;
	bool endless;
	return oracle_clip_obb( a, vsub( b, a ), true, box, &from, &to, &endless );
}

static void corners_of( const dbvh_obb *box, vec corner[8] ) {
	vec step[3];
	for ( int i = 0; i < 3; ++i )
		step[i] = vmul( N( box->half[i] ), V( box->axis[i] ) );
	for ( int k = 0; k < 8; ++k ) {
		corner[k] = V( box->centre );
		for ( int i = 0; i < 3; ++i )
			corner[k] = ( k >> i & 1 ) != 0 ? vadd( corner[k], step[i] ) : vsub( corner[k], step[i] );
	}
}

// A corner of what two solids share is where an edge of one intersects the other.
static bool edges_meet( const dbvh_obb *a, const dbvh_obb *b ) {
	vec corner[8];
	corners_of( a, corner );
	for ( int k = 0; k < 8; ++k ) {
		for ( int i = 0; i < 3; ++i ) {
			if ( ( k >> i & 1 ) == 0 && segment_meets_obb( corner[k], corner[k | 1 << i], b ) )
				return true;
		}
	}
	return false;
}

bool oracle_obb_obb( const dbvh_obb *a, const dbvh_obb *b ) {
	return edges_meet( a, b ) || edges_meet( b, a );
}

// An edge that crosses the triangle's plane in it, or one in the plane with an end in the triangle. (An edge in the
// plane with its ends outside intersects the border, which is seen from the other side.)
static bool triangle_meets( const vec t[3], const vec corner[8] ) {
	const vec n = cross( vsub( t[1], t[0] ), vsub( t[2], t[0] ) );
	const bool flat = sgn( dot( n, n ) ) == 0; // a flat triangle consists of its edges
	for ( int k = 0; k < 8; ++k ) {
		if ( !flat && sgn( dot( n, vsub( corner[k], t[0] ) ) ) == 0 &&
		     oracle_point_triangle( corner[k], t, N( 0.0 ) ) == 0 )
			return true;
		for ( int i = 0; i < 3; ++i ) {
			if ( ( k >> i & 1 ) == 0 && crosses( corner[k], corner[k | 1 << i], t ) )
				return true;
		}
	}
	return false;
}

bool oracle_triangle_obb( const dbvh_triangle *a, const dbvh_obb *b ) {
	vec t[3], corner[8];
	for ( int k = 0; k < 3; ++k )
		t[k] = V( a->corner[k] );
	for ( int k = 0; k < 3; ++k ) {
		if ( segment_meets_obb( t[k], t[( k + 1 ) % 3], b ) )
			return true;
	}
	corners_of( b, corner );
	return triangle_meets( t, corner );
}

bool oracle_triangle_aabb( const dbvh_triangle *a, const dbvh_aabb *b ) {
	vec t[3], corner[8], low = V( b->min ), high = V( b->max );
	fraction from, to;
	for ( int k = 0; k < 3; ++k )
		t[k] = V( a->corner[k] );
	for ( int k = 0; k < 3; ++k ) {
		if ( oracle_clip_aabb( t[k], vsub( t[( k + 1 ) % 3], t[k] ), true, low, high, &from, &to ) )
			return true;
	}
	for ( int k = 0; k < 8; ++k ) {
		for ( int i = 0; i < 3; ++i )
			corner[k].x[i] = ( k >> i & 1 ) != 0 ? high.x[i] : low.x[i];
	}
	return triangle_meets( t, corner );
}

// ------------------------------------------------------------------------------------------------
// Planes

static num height_of( vec p, const dbvh_plane *plane ) {
	return sub( dot( p, V( plane->normal ) ), N( plane->offset ) );
}

int oracle_plane_side( vec p, const dbvh_plane *plane ) {
	return sgn( height_of( p, plane ) );
}

int oracle_point_plane( vec p, const dbvh_plane *plane, num s ) {
	const num h = height_of( p, plane );
	const vec n = V( plane->normal );
	return against( mul( h, h ), dot( n, n ), s );
}

// ------------------------------------------------------------------------------------------------
// Quadratics: A t^2 + 2 B t + C <= 0

typedef struct quadratic {
	num a, b, c, disc;
} quadratic;

static quadratic quadratic_of( vec a, vec d, num s ) {
	quadratic q = { dot( d, d ), dot( a, d ), sub( dot( a, a ), mul( s, s ) ), { NULL, 0 } };
	q.disc = det2( q.b, q.b, q.a, q.c );
	return q;
}

// t - ( -B - sqrt D ) / A has the sign of ( A t + B ) + sqrt D.
int oracle_first_root( vec a, vec d, num s, num t ) {
	const quadratic q = quadratic_of( a, d, s );
	const num x = add( mul( q.a, t ), q.b );
	const int order = cmp( mul( x, x ), q.disc );
	return sgn( x ) >= 0 ? ( sgn( x ) > 0 || sgn( q.disc ) > 0 ) : -order;
}

int oracle_last_root( vec a, vec d, num s, num t ) {
	const quadratic q = quadratic_of( a, d, s );
	const num x = add( mul( q.a, t ), q.b );
	const int order = cmp( mul( x, x ), q.disc );
	return sgn( x ) <= 0 ? -( sgn( x ) < 0 || sgn( q.disc ) > 0 ) : order;
}

bool oracle_ball_met( vec a, vec d, bool bounded, num s ) {
	const quadratic q = quadratic_of( a, d, s );
	if ( sgn( q.c ) <= 0 )
		return true;
	const bool passes = sgn( q.b ) < 0 && sgn( q.disc ) >= 0;
	if ( !passes || !bounded || cmp( neg( q.b ), q.a ) <= 0 )
		return passes;
	const vec end = vadd( a, d );
	return cmp( dot( end, end ), mul( s, s ) ) <= 0;
}

int oracle_rate_aabb( vec a, vec d, const dbvh_aabb *box, num t ) {
	return sgn( dot( d, outside_at( a, d, box, fraction_of( t ) ) ) );
}
