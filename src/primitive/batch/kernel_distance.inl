// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distances in pairs of doubles, a pair of shapes a lane; included by kernel.inl. What is nearest, a corner, an
// edge or a face, is decided in doubles, with a margin that makes it certain; how far it is, by the formula for that,
// in pairs. A number is rounded where the bound of its error leaves no doubt, as the scalar functions round it; the
// other lanes are unsure.
//
// Bounds: exact/number/dd.h has the errors of single operations, at most 2^-100 of the result. Differences of
// coordinates are exact. Products of up to four of them and sums of up to nine such, of terms no larger than T, are off
// by less than 2^-96 T. Sizes are between 2^-100 and 2^100, so that nothing overflows, and what underflows, below
// 2^-960, is less.

typedef struct dd3 {
	vdd x, y, z;
} dd3;

LANES_INLINE vdd dd_add( vdd a, vdd b ) {
	vdd s = vdd_exact_sum( a.hi, b.hi );
	const vdd t = vdd_exact_sum( a.lo, b.lo );
	s = vdd_fast_sum( s.hi, s.lo + t.hi );
	return vdd_fast_sum( s.hi, s.lo + t.lo );
}

LANES_INLINE vdd dd_neg( vdd a ) {
	return ( vdd ){ -a.hi, -a.lo };
}

LANES_INLINE vdd dd_sub( vdd a, vdd b ) {
	return dd_add( a, dd_neg( b ) );
}

LANES_INLINE vdd dd_mul( vdd a, vdd b ) {
	const vdd p = vdd_exact_product( a.hi, b.hi );
	return vdd_fast_sum( p.hi, p.lo + ( a.hi * b.lo + a.lo * b.hi ) );
}

LANES_LONG vdd dd_div( vdd a, vdd b ) {
	const vd first = a.hi / b.hi;
	vdd rest = dd_sub( a, dd_mul( b, ( vdd ){ first, set( 0.0 ) } ) );
	const vd second = rest.hi / b.hi;
	rest = dd_sub( rest, dd_mul( b, ( vdd ){ second, set( 0.0 ) } ) );
	return dd_add( vdd_fast_sum( first, second ), ( vdd ){ rest.hi / b.hi, set( 0.0 ) } );
}

LANES_INLINE vdd dd_choose( vm mask, vdd yes, vdd no ) {
	return ( vdd ){ choose( mask, yes.hi, no.hi ), choose( mask, yes.lo, no.lo ) };
}

// The square root of a positive number; 0 for others.
LANES_LONG vdd dd_root( vdd x ) {
	const vdd s = { root( larger( x.hi, set( 0.0 ) ) ), set( 0.0 ) };
	const vdd rest = dd_sub( x, dd_mul( s, s ) );
	const vm some = MASK( s.hi > set( 0.0 ) );
	return dd_choose( some, vdd_fast_sum( s.hi, rest.hi / ( s.hi + s.hi ) ), ( vdd ){ set( 0.0 ), set( 0.0 ) } );
}

LANES_INLINE dd3 dd3_difference( v3 a, v3 b ) {
	return ( dd3 ){ vdd_exact_sum( a.x, -b.x ), vdd_exact_sum( a.y, -b.y ), vdd_exact_sum( a.z, -b.z ) };
}

LANES_INLINE dd3 dd3_choose( vm mask, dd3 yes, dd3 no ) {
	return ( dd3 ){ dd_choose( mask, yes.x, no.x ), dd_choose( mask, yes.y, no.y ), dd_choose( mask, yes.z, no.z ) };
}

LANES_LONG vdd dd3_dot( dd3 a, dd3 b ) {
	return dd_add( dd_add( dd_mul( a.x, b.x ), dd_mul( a.y, b.y ) ), dd_mul( a.z, b.z ) );
}

LANES_LONG dd3 dd3_cross( dd3 a, dd3 b ) {
	return ( dd3 ){ dd_sub( dd_mul( a.y, b.z ), dd_mul( a.z, b.y ) ), dd_sub( dd_mul( a.z, b.x ), dd_mul( a.x, b.z ) ),
	                dd_sub( dd_mul( a.x, b.y ), dd_mul( a.y, b.x ) ) };
}

LANES_INLINE v3 dd3_high( dd3 a ) {
	return ( v3 ){ a.x.hi, a.y.hi, a.z.hi };
}

LANES_INLINE vm choose_mask( vm mask, vm yes, vm no ) {
	return ( mask & yes ) | ( ~mask & no );
}

// The doubles next to x, which is positive and finite.
LANES_INLINE vd next_up( vd x ) {
#if WIDTH == 1
	int64_t bits;
	memcpy( &bits, &x, sizeof bits );
	bits += 1;
	memcpy( &x, &bits, sizeof x );
	return x;
#else
	return (vd)( (vm)x + 1 );
#endif
}

LANES_INLINE vd next_down( vd x ) {
#if WIDTH == 1
	int64_t bits;
	memcpy( &bits, &x, sizeof bits );
	bits -= 1;
	memcpy( &x, &bits, sizeof x );
	return x;
#else
	return (vd)( (vm)x - 1 );
#endif
}

// Lanes in which all numbers within `off` of the positive number x round to the same double.
LANES_INLINE vm can_round( vdd x, vd off ) {
	return MASK( x.hi > set( 0x1p-900 ) ) & MASK( x.hi < set( 0x1p900 ) ) & MASK( off < set( 0x1p-60 ) * x.hi ) &
	       MASK( size_of( x.lo ) > off );
}

LANES_INLINE vd rounded_up( vdd x, vd off, vm *sure ) {
	*sure = can_round( x, off );
	return choose( MASK( x.lo > set( 0.0 ) ), next_up( x.hi ), x.hi );
}

LANES_INLINE vd rounded_down( vdd x, vd off, vm *sure ) {
	*sure = can_round( x, off );
	return choose( MASK( x.lo < set( 0.0 ) ), next_down( x.hi ), x.hi );
}

// ------------------------------------------------------------------------------------------------

// A kernel with numbers for answers. A shape that stands for all has its numbers once a lane, so that there is one
// loop.
#define MEASURE( name, BODY )                                                                                          \
	static void name( const dbvhi_measure_run *run ) {                                                                 \
		size_t i = 0;                                                                                                  \
		for ( ; i + WIDTH <= run->count; i += WIDTH ) {                                                                \
			vm yes, known;                                                                                             \
			vd low = set( 0.0 ), high = set( 0.0 );                                                                    \
			BODY( run, PLACES( run->first + i ), &yes, &known, &low, &high );                                          \
			store( run->state + i, yes & known, MASK( set( 0.0 ) != set( 0.0 ) ), known );                             \
			low = choose( yes & known, low, set( 0.0 ) );                                                              \
			memcpy( run->low + i, &low, sizeof low );                                                                  \
			if ( run->high != NULL )                                                                                   \
				memcpy( run->high + i, &high, sizeof high );                                                           \
		}                                                                                                              \
		for ( ; i < run->count; ++i )                                                                                  \
			run->state[i] = DBVHI_LANE_UNSURE;                                                                         \
	}

#define MEASURED const dbvhi_measure_run *run, size_t i_a, size_t i_b, vm *yes, vm *known, vd *low, vd *high

// The distance less the radii, which are exact, of something of size s, off by less than `off`: yes and *low where it
// is positive, a sure no where it is not.
LANES_INLINE void measure( vdd distance, vdd radii, vd off, vm valid, vm *yes, vm *known, vd *low ) {
	vm sure;
	const vdd rest = dd_sub( distance, radii );
	const vd all = off + set( 0x1p-96 ) * ( distance.hi + radii.hi );
	*low = rounded_up( rest, all, &sure );
	*yes = sure & valid & MASK( radii.hi < set( 0x1p200 ) );
	*known = *yes | ( valid & MASK( rest.hi < -all ) );
}

LANES_INLINE vm in_range( vd s ) {
	return MASK( s > set( 0x1p-100 ) ) & MASK( s < set( 0x1p100 ) );
}

LANES_INLINE void sphere_sphere_distance_body( MEASURED ) {
	(void)high;
	const vd ra = at( run->a[3], i_a ), rb = at( run->b[3], i_b ), zero = set( 0.0 );
	const dd3 w = dd3_difference( load3( run->b, i_b ), load3( run->a, i_a ) );
	const vdd square = dd3_dot( w, w );
	const vm valid = MASK( ra >= zero ) & MASK( rb >= zero ) & MASK( square.hi > set( 0x1p-400 ) ) &
	                 MASK( square.hi < set( 0x1p400 ) );
	measure( dd_root( square ), vdd_exact_sum( ra, rb ), zero, valid, yes, known, low );
}
MEASURE( sphere_sphere_distance, sphere_sphere_distance_body )

// From the slab between low and high, exactly.
LANES_INLINE vdd excess( vd c, vd low, vd high ) {
	const vdd under = vdd_exact_sum( low, -c ), over = vdd_exact_sum( c, -high );
	const vdd out = dd_choose( MASK( under.hi > set( 0.0 ) ), under, over );
	return dd_choose( MASK( out.hi > set( 0.0 ) ), out, ( vdd ){ set( 0.0 ), set( 0.0 ) } );
}

LANES_INLINE void sphere_aabb_distance_body( MEASURED ) {
	(void)high;
	const v3 c = load3( run->a, i_a ), min = load3( run->b, i_b ), max = load3( run->b + 3, i_b );
	const vd r = at( run->a[3], i_a ), zero = set( 0.0 );
	const dd3 w = { excess( c.x, min.x, max.x ), excess( c.y, min.y, max.y ), excess( c.z, min.z, max.z ) };
	const vdd square = dd3_dot( w, w );
	const vm shape = MASK( r >= zero ) & MASK( r < set( 0x1p200 ) ) & ordered( min, max ) &
	                 finite( sum3( c ) + ( sum3( min ) + sum3( max ) ) );
	measure( dd_root( square ), ( vdd ){ r, zero }, zero,
	         shape & MASK( square.hi > set( 0x1p-400 ) ) & MASK( square.hi < set( 0x1p400 ) ), yes, known, low );
	const vd most = largest3( dd3_high( w ) );
	*known |= shape & MASK( most == zero ); // the centre is in the box
	// Before a face: the distance is a sum of doubles.
	const vm at_x = MASK( w.x.hi == zero ), at_y = MASK( w.y.hi == zero ), at_z = MASK( w.z.hi == zero );
	const vm face = shape & ( ( at_x & at_y ) | ( at_y & at_z ) | ( at_z & at_x ) ) &
	                MASK( w.x.lo + w.y.lo + w.z.lo == zero ) & MASK( most > set( 0x1p-200 ) );
	const vdd rest = vdd_exact_sum( most, -r );
	const vm apart = face & MASK( rest.hi > zero );
	*low = choose( apart, choose( MASK( rest.lo > zero ), next_up( rest.hi ), rest.hi ), *low );
	*yes = choose_mask( face, apart, *yes );
	*known |= face;
}
MEASURE( sphere_aabb_distance, sphere_aabb_distance_body )

// The distance of the ends of w, of a line along e from the start of w, or of two that n is the normal of. `off`: as
// above, of things of size s.
LANES_INLINE vdd of_feature( dd3 w, dd3 e, dd3 n, vm on_line, vm on_plane, vd s, vd condition, vd *off ) {
	const vdd one = { set( 1.0 ), set( 0.0 ) }, height = dd3_dot( w, n );
	const dd3 c = dd3_choose( on_line, dd3_cross( w, e ), w ), d = dd3_choose( on_plane, n, e );
	const vdd down = dd_choose( on_line | on_plane, dd3_dot( d, d ), one );
	const vdd up = dd_choose( on_plane, dd_mul( height, height ), dd3_dot( c, c ) );
	*off = set( 0x1p-92 ) * s * choose( on_plane, condition, set( 1.0 ) );
	return dd_root( dd_div( up, down ) );
}

LANES_INLINE void sphere_triangle_distance_body( MEASURED ) {
	(void)high;
	const v3 centre = load3( run->a, i_a );
	const vd r = at( run->a[3], i_a ), zero = set( 0.0 );
	v3 corner[3], v[3], e[3];
	dd3 w[3];
	for ( int k = 0; k < 3; ++k ) {
		corner[k] = load3( run->b + 3 * k, i_b );
		w[k] = dd3_difference( corner[k], centre );
		v[k] = dd3_high( w[k] );
	}
	const vd s = larger( larger( largest3( v[0] ), largest3( v[1] ) ), largest3( v[2] ) ),
	         margin = set( 0x1p-42 ) * s * s;
	vm on_corner[3], on_edge[3];
	for ( int k = 0; k < 3; ++k )
		e[k] = sub3( v[( k + 1 ) % 3], v[k] );
	for ( int k = 0; k < 3; ++k ) {
		const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		const vd start = -dot3( v[k], e[k] ), end = dot3( v[k1], e[k] ), ee = dot3( e[k], e[k] );
		on_corner[k] = MASK( start < -margin ) & MASK( dot3( v[k], e[k2] ) < -margin );
		const v3 x = add3( v[k], scale3( start / ee, e[k] ) );
		on_edge[k] = MASK( start > margin ) & MASK( end > margin ) & MASK( dot3( x, sub3( v[k2], x ) ) > margin );
	}
	const v3 p = e[0], q = sub3( v[2], v[0] ), n = cross3( p, q );
	const vd nn = dot3( n, n ), to_p = dot3( cross3( q, v[0] ), n ), to_q = dot3( cross3( v[0], p ), n );
	const vd edge = margin * sum3( size3( n ) ), condition = dot3( p, p ) * dot3( q, q ) / nn;
	const vm on_face =
	    MASK( to_p > edge ) & MASK( to_q > edge ) & MASK( nn - to_p - to_q > edge ) & MASK( condition < set( 0x1p10 ) );
	const dd3 base = dd3_choose( on_corner[1] | on_edge[1], w[1], dd3_choose( on_corner[2] | on_edge[2], w[2], w[0] ) );
	dd3 side[3];
	for ( int k = 0; k < 3; ++k )
		side[k] = dd3_difference( corner[( k + 1 ) % 3], corner[k] );
	const dd3 along = dd3_choose( on_edge[0], side[0], dd3_choose( on_edge[1], side[1], side[2] ) );
	const vm some_edge = on_edge[0] | on_edge[1] | on_edge[2];
	vd off;
	const vdd distance =
	    of_feature( base, along, dd3_cross( side[0], side[1] ), some_edge & ~on_face, on_face, s, condition, &off );
	measure( distance, ( vdd ){ r, zero }, off,
	         ( on_face | some_edge | on_corner[0] | on_corner[1] | on_corner[2] ) & MASK( r >= zero ) & in_range( s ) &
	             finite( sum3( v[0] ) + ( sum3( v[1] ) + sum3( v[2] ) ) ),
	         yes, known, low );
}
MEASURE( sphere_triangle_distance, sphere_triangle_distance_body )

LANES_INLINE void capsule_capsule_distance_body( MEASURED ) {
	(void)high;
	const v3 a0 = load3( run->a, i_a ), a1 = load3( run->a + 3, i_a );
	const v3 b0 = load3( run->b, i_b ), b1 = load3( run->b + 3, i_b );
	const vd ra = at( run->a[6], i_a ), rb = at( run->b[6], i_b ), zero = set( 0.0 ), one = set( 1.0 );
	const v3 d = sub3( a1, a0 ), e = sub3( b1, b0 ), q = sub3( b0, a0 ), q_end = sub3( b1, a0 );
	const vd size = larger( larger( largest3( d ), largest3( q ) ), largest3( q_end ) ),
	         margin = set( 0x1p-38 ) * size * size;
	const vd aa = dot3( d, d ), ee = dot3( e, e ), de = dot3( d, e ), dq = dot3( d, q ), eq = dot3( e, q );
	const vd det = aa * ee - de * de;
	vd s = clamp01( choose( MASK( det > zero ), ( dq * ee - eq * de ) / det, zero ) ), t = zero;
	for ( int round = 0; round < 2; ++round ) {
		t = clamp01( choose( MASK( ee > zero ), ( s * de - eq ) / ee, zero ) );
		s = clamp01( choose( MASK( aa > zero ), ( t * de + dq ) / aa, zero ) );
	}
	// The best t for an s that has come to an end.
	const vm s_end = MASK( s == zero ) | MASK( s == one );
	t = choose( s_end & MASK( ee > zero ), clamp01( ( s * de - eq ) / ee ), t );
	// Each at an end, with the distance growing inwards, or within, by more than a margin. A segment that is short
	// beside the other has too uncertain a place in it.
	const v3 x = sub3( add3( q, scale3( t, e ) ), scale3( s, d ) );
	const vd along_d = dot3( x, d ), along_e = dot3( x, e ), most = size * size;
	const vm t_end = MASK( t == zero ) | MASK( t == one );
	const vm s_held =
	    MASK( aa == zero ) | choose_mask( MASK( s == zero ), MASK( along_d < -margin ), MASK( along_d > margin ) );
	const vm t_held =
	    MASK( ee == zero ) | choose_mask( MASK( t == zero ), MASK( along_e > margin ), MASK( along_e < -margin ) );
	const vm s_within =
	    MASK( s * aa > margin ) & MASK( ( one - s ) * aa > margin ) & MASK( aa > set( 0x1p-14 ) * most );
	const vm t_within =
	    MASK( t * ee > margin ) & MASK( ( one - t ) * ee > margin ) & MASK( ee > set( 0x1p-14 ) * most );
	const vd condition = aa * ee / det, still = set( 0x1p-12 ) * margin;
	// The lines' own nearest points: both ways along them are even there, and margins grow as their angle shrinks.
	const vm hit = ~s_end & ~t_end & MASK( det > zero ) & MASK( condition < set( 0x1p5 ) ) &
	               MASK( size_of( along_e ) < still ) & MASK( size_of( along_d ) < still ) &
	               MASK( aa > set( 0x1p-8 ) * most ) & MASK( ee > set( 0x1p-8 ) * most );
	const vm settled =
	    choose_mask( s_end, s_held, s_within ) & choose_mask( t_end, t_held, t_within ) & ( s_end | t_end | hit );
	const v3 from_a = choose3( MASK( s == one ), a1, a0 ), from_b = choose3( MASK( t == one ), b1, b0 );
	const dd3 exact_d = dd3_difference( a1, a0 ), exact_e = dd3_difference( b1, b0 );
	vd off;
	const vdd distance =
	    of_feature( dd3_difference( from_b, from_a ), dd3_choose( s_end, exact_e, exact_d ),
	                dd3_cross( exact_d, exact_e ), s_end ^ t_end, ~s_end & ~t_end, size, condition, &off );
	measure( distance, vdd_exact_sum( ra, rb ), off,
	         settled & MASK( ra >= zero ) & MASK( rb >= zero ) & in_range( size ) &
	             finite( sum3( d ) + ( sum3( q ) + sum3( q_end ) ) ),
	         yes, known, low );
}
MEASURE( capsule_capsule_distance, capsule_capsule_distance_body )
