// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A sphere that moves across a triangle; included after kernel_hit.inl. The distance of its centre is convex in time,
// so where it is the radius and falls is the first time of contact on the whole line, and where it grows the last. Each
// of the three corners, the three edges and the face has its own such times; they count if that feature is the nearest
// one then, which is decided in doubles with a margin. So no other feature needs to be looked at, and a time is
// computed again in pairs for the feature that it belongs to.
//
// An error of the position by x moves a time by x over the speed at which the distance changes; that is more than 2^-16
// of the size of everything, the motion included, or the lane is left. Sizes are between 2^-60 and 2^60: their eighth
// power must not underflow.

typedef struct tri_motion {
	v3 w[3], e[3], d;          // from each corner to the centre; the edges; the motion
	v3 n;                      // normal of the face
	vd nn, r, size, condition; // `size`: the largest coordinate, on the way too
	vd margin;
} tri_motion;

typedef struct tri_time {
	vm found, on_corner[3], on_edge[3], on_face;
} tri_time;

LANES_INLINE v3 at_time( v3 w, v3 d, vd t ) {
	return add3( w, scale3( t, d ) );
}

// Is the feature the nearest at time t, by a margin?
LANES_INLINE vm at_corner( const tri_motion *m, int k, vd t ) {
	const v3 x = at_time( m->w[k], m->d, t );
	return MASK( dot3( x, m->e[k] ) < -m->margin ) & MASK( dot3( x, m->e[( k + 2 ) % 3] ) > m->margin );
}

LANES_INLINE vm at_edge( const tri_motion *m, int k, vd t ) {
	const v3 e = m->e[k], x = at_time( m->w[k], m->d, t );
	const vd ee = dot3( e, e ), along = dot3( x, e );
	const v3 foot = sub3( x, scale3( along / ee, e ) ), third = sub3( m->w[( k + 2 ) % 3], m->w[k] ); // to corner k
	return MASK( along > m->margin ) & MASK( ee - along > m->margin ) & MASK( dot3( foot, third ) > m->margin );
}

LANES_INLINE vm at_face( const tri_motion *m, vd t ) {
	vm inside = MASK( m->condition < set( 0x1p10 ) );
	for ( int k = 0; k < 3; ++k ) {
		const v3 x = at_time( m->w[k], m->d, t );
		inside &= MASK( dot3( cross3( m->e[k], x ), m->n ) > m->margin * sum3( size3( m->n ) ) );
	}
	return inside;
}

LANES_INLINE vm still_at( const tri_motion *m, const tri_time *at, vd t ) {
	vm ok = at->on_face & at_face( m, t );
	for ( int k = 0; k < 3; ++k )
		ok |= ( at->on_corner[k] & at_corner( m, k, t ) ) | ( at->on_edge[k] & at_edge( m, k, t ) );
	return ok & MASK( size_of( t ) < set( 0x1p6 ) );
}

LANES_INLINE void take( tri_time *best, vd t, vm passes, vm *which ) {
	*which = passes & ~best->found & MASK( size_of( t ) < set( 0x1p6 ) );
	best->found |= *which;
}

// At which feature a distance falls to r, or grows to it: side is -1 or 1. In doubles, which are far off where that is
// slow.
LANES_SHARED void find_time( const tri_motion *m, double side, tri_time *best ) {
	const vd zero = set( 0.0 ), way = set( side );
	best->found = never();
	const vd a = dot3( m->d, m->d ), rr = m->r * m->r;
	for ( int k = 0; k < 3; ++k ) {
		const v3 c = cross3( m->w[k], m->d );
		const vd t = ( way * root( a * rr - dot3( c, c ) ) - dot3( m->w[k], m->d ) ) / a;
		take( best, t, at_corner( m, k, t ), &best->on_corner[k] );
		// Along the edge: of what is across it.
		const v3 e = m->e[k], across = cross3( m->w[k], e ), speed = cross3( m->d, e ), turn = cross3( across, speed );
		const vd ae = dot3( speed, speed ), reach = ae * ( rr * dot3( e, e ) );
		const vd te = ( way * root( reach - dot3( turn, turn ) ) - dot3( across, speed ) ) / ae;
		take( best, te, at_edge( m, k, te ), &best->on_edge[k] );
	}
	const vd h = dot3( m->n, m->w[0] ), s = dot3( m->n, m->d );
	const vd t = ( way * m->r * root( m->nn ) - choose( MASK( s < zero ), -h, h ) ) / size_of( s );
	take( best, t, at_face( m, t ), &best->on_face );
}

// The time again, in pairs, and how far it may be off.
LANES_SHARED vdd exact_time( const tri_motion *m, const dd3 *w, const dd3 *e, dd3 d, const tri_time *at, int side,
                             vd *off ) {
	const vd zero = set( 0.0 );
	const vm edge = at->on_edge[0] | at->on_edge[1] | at->on_edge[2];
	const vm second = at->on_corner[1] | at->on_edge[1], third = at->on_corner[2] | at->on_edge[2];
	const dd3 base = dd3_choose( second, w[1], dd3_choose( third, w[2], w[0] ) );
	const dd3 along = dd3_choose( second, e[1], dd3_choose( third, e[2], e[0] ) );
	const vdd one = { set( 1.0 ), zero }, r = { m->r, zero };
	// A ball: of what is across the edge, or of all.
	const dd3 p = dd3_choose( edge, dd3_cross( base, along ), base ), q = dd3_choose( edge, dd3_cross( d, along ), d );
	const vdd ee = dd_choose( edge, dd3_dot( along, along ), one );
	const vdd a = dd3_dot( q, q ), b = dd3_dot( p, q ), rr = dd_mul( dd_mul( r, r ), ee );
	const dd3 turn = dd3_cross( p, q );
	const vdd disc = dd_sub( dd_mul( a, rr ), dd3_dot( turn, turn ) ), sigma = dd_root( disc );
	const vdd ball = dd_div( side < 0 ? dd_neg( dd_add( sigma, b ) ) : dd_sub( sigma, b ), a );
	const vd whole = dot3( dd3_high( p ), dd3_high( p ) ) + rr.hi;
	const vd rate = sigma.hi / ( m->r * ee.hi );
	const vd ball_off = ( set( 0x1p-92 ) * ( whole * a.hi / sigma.hi + size_of( b.hi ) + sigma.hi ) ) / a.hi +
	                    set( 0x1p-88 ) * m->size / rate;
	// A plane.
	const dd3 n = dd3_cross( e[0], e[1] );
	const vdd nn = dd3_dot( n, n );
	vdd h = dd3_dot( n, w[0] ), s = dd3_dot( n, d );
	const vm back = MASK( s.hi < zero );
	h = dd_choose( back, dd_neg( h ), h );
	s = dd_choose( back, dd_neg( s ), s );
	const vdd reach = dd_mul( r, dd_root( nn ) );
	const vdd plane = dd_div( side < 0 ? dd_neg( dd_add( reach, h ) ) : dd_sub( reach, h ), s );
	const vd plane_rate = s.hi / root( nn.hi ), plane_off = set( 0x1p-88 ) * m->size * m->condition / plane_rate;
	*off = choose( at->on_face, plane_off, ball_off );
	const vd slow = set( 0x1p-16 ) * m->size; // the motion is part of the size
	const vm fast = MASK( choose( at->on_face, plane_rate, rate ) > slow );
	*off = choose( fast & at->found, *off, set( 1.0 ) );
	return dd_choose( at->on_face, plane, ball );
}

LANES_INLINE void sphere_triangle_sweep_body( MEASURED ) {
	const vd one = set( 1.0 );
	const v3 c = load3( run->a, i_a );
	const dd3 d = dd3_difference( motion3( run->a_by, i_a ), motion3( run->b_by, i_b ) );
	tri_motion m = { .d = dd3_high( d ), .r = at( run->a[3], i_a ) };
	v3 corner[3];
	dd3 w[3], e[3];
	m.size = larger( largest3( m.d ), m.r );
	for ( int k = 0; k < 3; ++k ) {
		corner[k] = load3( run->b + 3 * k, i_b );
		w[k] = dd3_difference( c, corner[k] );
		m.w[k] = dd3_high( w[k] );
		m.size = larger( m.size, largest3( m.w[k] ) );
	}
	for ( int k = 0; k < 3; ++k ) {
		e[k] = dd3_difference( corner[( k + 1 ) % 3], corner[k] );
		m.e[k] = dd3_high( e[k] );
	}
	m.n = cross3( m.e[0], m.e[1] );
	m.nn = dot3( m.n, m.n );
	m.condition = dot3( m.e[0], m.e[0] ) * dot3( m.e[1], m.e[1] ) / m.nn;
	m.margin = set( 0x1p-34 ) * m.size * m.size;
	tri_time begin, end;
	find_time( &m, -1.0, &begin );
	find_time( &m, 1.0, &end );
	vd off_first, off_last;
	const vdd first = exact_time( &m, w, e, d, &begin, -1, &off_first );
	const vdd last = exact_time( &m, w, e, d, &end, 1, &off_last );
	const vm ok = still_at( &m, &begin, first.hi ) & still_at( &m, &end, last.hi ) & MASK( m.size > set( 0x1p-60 ) ) &
	              MASK( m.size < set( 0x1p60 ) ) & MASK( m.r > set( 0x1p-16 ) * m.size ) &
	              MASK( off_first < set( 0x1p-56 ) ) & MASK( off_last < set( 0x1p-56 ) ) &
	              finite( sum3( m.d ) + m.r + ( sum3( m.w[0] ) + ( sum3( m.w[1] ) + sum3( m.w[2] ) ) ) );
	const vd doubt = set( 0x1p-50 );
	const vm from_start = MASK( first.hi < -doubt ), to_end = MASK( last.hi > one + doubt );
	const vm later = MASK( first.hi > one + doubt ), over = MASK( last.hi < -doubt );
	const vm met = ( from_start | MASK( first.hi > doubt ) ) & ( to_end | MASK( last.hi < one - doubt ) ) &
	               MASK( first.hi < one - doubt ) & MASK( last.hi > doubt );
	settle( first, off_first, never(), last, off_last, never(), from_start, to_end, ok & met, yes, known, low, high );
	*known |= ok & ( later | over );
}
MEASURE( sphere_triangle_sweep, sphere_triangle_sweep_body )

// From the origin, the nearest point of the triangle of corners v.
LANES_INLINE v3 nearest_of_triangle( const v3 v[3] ) {
	v3 best = nearest_on_edge( v[0], sub3( v[1], v[0] ) );
	vd least = dot3( best, best );
	for ( int k = 1; k < 3; ++k ) {
		const v3 x = nearest_on_edge( v[k], sub3( v[( k + 1 ) % 3], v[k] ) );
		const vd square = dot3( x, x );
		best = choose3( MASK( square < least ), x, best );
		least = smaller( least, square );
	}
	const v3 p = sub3( v[1], v[0] ), q = sub3( v[2], v[0] ), n = cross3( p, q );
	const vd nn = dot3( n, n ), s = dot3( cross3( q, v[0] ), n ) / nn, t = dot3( cross3( v[0], p ), n ) / nn;
	const v3 x = add3( v[0], add3( scale3( s, p ), scale3( t, q ) ) );
	const vm inside =
	    MASK( nn > set( 0.0 ) ) & MASK( s >= set( 0.0 ) ) & MASK( t >= set( 0.0 ) ) & MASK( s + t <= set( 1.0 ) );
	return choose3( inside & MASK( dot3( x, x ) < least ), x, best );
}

// The offset between the path and the triangle: to and fro between nearest points. Any way bounds the distance.
LANES_INLINE vm sphere_triangle_sieve_body( SIEVED ) {
	const v3 c = load3( run->a, i_a );
	const v3 d = sub3( motion3( run->a_by, i_a ), motion3( run->b_by, i_b ) );
	const vd r = at( run->a[3], i_a ), zero = set( 0.0 ), length = dot3( d, d );
	v3 v[3], moved[3], x;
	for ( int k = 0; k < 3; ++k )
		v[k] = sub3( load3( run->b + 3 * k, i_b ), c );
	vd t = clamp01(
	    choose( MASK( length > zero ), dot3( add3( v[0], add3( v[1], v[2] ) ), d ) / ( set( 3.0 ) * length ), zero ) );
	for ( int round = 0; round < 4; ++round ) {
		for ( int k = 0; k < 3; ++k )
			moved[k] = sub3( v[k], scale3( t, d ) );
		x = nearest_of_triangle( moved );
		t = clamp01( t + choose( MASK( length > zero ), dot3( x, d ) / length, zero ) );
	}
	for ( int k = 0; k < 3; ++k )
		moved[k] = sub3( v[k], scale3( t, d ) );
	x = nearest_of_triangle( moved );
	const vd nearest =
	    smaller( smaller( dot3( x, v[0] ), dot3( x, v[1] ) ), dot3( x, v[2] ) ) - larger( dot3( x, d ), zero );
	const vd s = larger( larger( largest3( v[0] ), largest3( v[1] ) ), larger( largest3( v[2] ), largest3( d ) ) );
	const vd off = set( 0x1p-46 ) * s;
	return MASK( nearest * set( 1.0 - 0x1p-48 ) > ( r + off ) * root( dot3( x, x ) ) * set( 1.0 + 0x1p-48 ) ) &
	       in_range( s ) & MASK( r >= zero ) & MASK( r < set( 0x1p200 ) ) &
	       finite( sum3( d ) + ( sum3( v[0] ) + ( sum3( v[1] ) + sum3( v[2] ) ) ) );
}
SIEVE( sphere_triangle_sieve, sphere_triangle_sieve_body )
