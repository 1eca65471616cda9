// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Kernels for the parameters at which lines enter and leave shapes, and moving shapes meet and part; included after
// kernel_distance.inl. A line is bounded, 0 <= t <= 1, or a ray. *low is 0 exactly if the start is in contact, *high is
// 1 exactly if the end of a bounded line is. An uncertain sign or rounding leaves the lane unsure.

LANES_INLINE vm never( void ) {
	return MASK( set( 0.0 ) != set( 0.0 ) );
}

// Column k of a motion; 0 where nothing moves.
LANES_INLINE v3 motion3( const double *const *columns, size_t i ) {
	if ( columns == NULL )
		return ( v3 ){ set( 0.0 ), set( 0.0 ), set( 0.0 ) };
	return load3( columns, i );
}

// From first to last, known up to `off`: what is left of it for t >= 0, and <= 1 if it is bounded. `from_start` and
// `to_end`: contact at t = 0 and 1, for certain; `exact`: the bit patterns are the numbers.
LANES_INLINE void settle( vdd first, vd off_first, vm first_exact, vdd last, vd off_last, vm last_exact, vm from_start,
                          vm to_end, vm valid, vm *yes, vm *known, vd *low, vd *high ) {
	vm sure_first, sure_last;
	const vd down = rounded_down( first, off_first, &sure_first ), up = rounded_up( last, off_last, &sure_last );
	*low = choose( from_start, set( 0.0 ), down );
	*high = choose( to_end, set( 1.0 ), up );
	*yes =
	    valid & ( from_start | sure_first | ( first_exact & MASK( first.hi > set( 0x1p-900 ) ) ) ) &
	    ( to_end | sure_last | ( last_exact & MASK( last.hi < set( 0x1p900 ) ) & MASK( last.hi > set( 0x1p-900 ) ) ) );
	*known = *yes;
}

// ------------------------------------------------------------------------------------------------
// Slabs: low <= t rate <= high for three axes

typedef struct span3 {
	vdd first, last;
	vm first_exact, last_exact, inside, to_end, missed, unsure;
} span3;

// Is x / y = q.hi, with x and y doubles?
LANES_INLINE vm is_quotient( vdd x, vdd y, vdd q ) {
	const vdd p = vdd_exact_product( q.hi, y.hi );
	return MASK( x.lo == set( 0.0 ) ) & MASK( y.lo == set( 0.0 ) ) & MASK( q.lo == set( 0.0 ) ) & MASK( p.hi == x.hi ) &
	       MASK( p.lo == set( 0.0 ) ) & MASK( size_of( p.hi ) > set( 0x1p-400 ) );
}

LANES_INLINE vm dd_above( vdd a, vdd b ) {
	return MASK( a.hi > b.hi ) | ( MASK( a.hi == b.hi ) & MASK( a.lo > b.lo ) );
}

LANES_INLINE void slab( vdd low, vdd high, vdd rate, span3 *s ) {
	const vd zero = set( 0.0 ), huge = set( __builtin_inf() );
	const vm back = MASK( rate.hi < zero ), still = MASK( rate.hi == zero );
	const vdd near = dd_choose( back, dd_neg( high ), low ), far = dd_choose( back, dd_neg( low ), high );
	const vdd speed = dd_choose( still, ( vdd ){ set( 1.0 ), zero }, dd_choose( back, dd_neg( rate ), rate ) );
	s->inside &= MASK( near.hi <= zero ) & MASK( far.hi >= zero );
	s->missed |= MASK( far.hi < zero ) | ( still & MASK( near.hi > zero ) );
	// Sums of exact differences: their signs are those of the sums.
	const vdd rest_near = dd_sub( speed, near ), rest_far = dd_sub( far, speed );
	const vd doubt = set( 0x1p-90 ) * ( speed.hi + size_of( near.hi ) + size_of( far.hi ) );
	const vm plain = MASK( near.lo == zero ) & MASK( far.lo == zero ) & MASK( speed.lo == zero );
	const vd clear = choose( plain, zero, doubt ); // differences of doubles are exact as pairs
	s->to_end &= still | ( ( MASK( rest_near.hi > clear ) | ( plain & MASK( rest_near.hi == zero ) ) ) &
	                       ( MASK( rest_far.hi > clear ) | ( plain & MASK( rest_far.hi == zero ) ) ) );
	vdd first = dd_div( near, speed ), last = dd_div( far, speed );
	const vm tiny = ~still & ~( MASK( speed.hi > set( 0x1p-300 ) ) & MASK( speed.hi < set( 0x1p300 ) ) &
	                            ( MASK( near.hi == zero ) | MASK( size_of( near.hi ) > set( 0x1p-300 ) ) ) &
	                            ( MASK( far.hi == zero ) | MASK( size_of( far.hi ) > set( 0x1p-300 ) ) ) );
	s->unsure |= tiny;
	first.hi = choose( still, -huge, first.hi );
	last.hi = choose( still, huge, last.hi );
	const vm later = dd_above( first, s->first ), sooner = dd_above( s->last, last );
	s->first = dd_choose( later, first, s->first );
	s->last = dd_choose( sooner, last, s->last );
	s->first_exact = choose_mask( later, is_quotient( near, speed, first ), s->first_exact );
	s->last_exact = choose_mask( sooner, is_quotient( far, speed, last ), s->last_exact );
}

LANES_SHARED void slabs( const vdd *low, const vdd *high, dd3 rate, int bounded, vm valid, vm *yes, vm *known,
                         vd *first, vd *last ) {
	const vd zero = set( 0.0 ), one = set( 1.0 ), huge = set( __builtin_inf() );
	span3 s = { .first = { -huge, zero }, .last = { huge, zero } };
	s.first_exact = s.last_exact = s.missed = s.unsure = never();
	s.inside = s.to_end = ~never();
	slab( low[0], high[0], rate.x, &s );
	slab( low[1], high[1], rate.y, &s );
	slab( low[2], high[2], rate.z, &s );
	if ( !bounded )
		s.to_end = never();
	const vd off_first = set( 0x1p-95 ) * size_of( s.first.hi ), off_last = set( 0x1p-95 ) * size_of( s.last.hi );
	const vd between = s.last.hi - s.first.hi,
	         doubt = set( 0x1p-50 ) * ( size_of( s.last.hi ) + size_of( s.first.hi ) );
	// The start in all slabs is contact; so is the end; else first must come before last.
	vm met = s.inside | ( MASK( between > doubt ) & ~s.missed );
	vm missed = s.missed | MASK( between < -doubt );
	if ( bounded ) {
		met &= s.inside | s.to_end | MASK( s.first.hi < one - set( 0x1p-50 ) );
		missed |= MASK( s.first.hi > one + set( 0x1p-50 ) );
	}
	const vm moves = MASK( rate.x.hi != zero ) | MASK( rate.y.hi != zero ) | MASK( rate.z.hi != zero );
	const vm ok = valid & ~s.unsure & moves;
	// The end is reported only if it is certainly before or beyond 1.
	const vm ended = bounded ? s.to_end | MASK( s.last.hi < one - set( 0x1p-50 ) ) : ~never();
	settle( s.first, off_first, s.first_exact, s.last, off_last, s.last_exact, s.inside, s.to_end, ok & met & ended,
	        yes, known, first, last );
	*known |= ok & missed;
	*yes &= ~missed;
}

LANES_INLINE void boxed( const dbvhi_measure_run *run, size_t i_b, v3 from, dd3 rate, int bounded, vm *yes, vm *known,
                         vd *first, vd *last ) {
	const v3 min = load3( run->b, i_b ), max = load3( run->b + 3, i_b );
	const dd3 low = dd3_difference( min, from ), high = dd3_difference( max, from );
	const vdd lows[3] = { low.x, low.y, low.z }, highs[3] = { high.x, high.y, high.z };
	slabs( lows, highs, rate, bounded,
	       ordered( min, max ) & finite( sum3( dd3_high( rate ) ) + ( sum3( from ) + ( sum3( min ) + sum3( max ) ) ) ),
	       yes, known, first, last );
}

LANES_INLINE dd3 dd3_of( v3 a ) {
	const vd zero = set( 0.0 );
	return ( dd3 ){ { a.x, zero }, { a.y, zero }, { a.z, zero } };
}

LANES_INLINE void ray_aabb_body( MEASURED ) {
	const v3 from = load3( run->a, i_a );
	boxed( run, i_b, from, dd3_of( load3( run->a + 3, i_a ) ), 0, yes, known, low, high );
}
MEASURE( ray_aabb_hit, ray_aabb_body )

LANES_INLINE void segment_aabb_hit_body( MEASURED ) {
	const v3 from = load3( run->a, i_a );
	boxed( run, i_b, from, dd3_difference( load3( run->a + 3, i_a ), from ), 1, yes, known, low, high );
}
MEASURE( segment_aabb_hit, segment_aabb_hit_body )

LANES_INLINE void aabb_aabb_sweep_body( MEASURED ) {
	const v3 la = load3( run->a, i_a ), ha = load3( run->a + 3, i_a );
	const v3 lb = load3( run->b, i_b ), hb = load3( run->b + 3, i_b );
	const dd3 rate = dd3_difference( motion3( run->a_by, i_a ), motion3( run->b_by, i_b ) );
	const dd3 near = dd3_difference( lb, ha ), far = dd3_difference( hb, la );
	const vdd lows[3] = { near.x, near.y, near.z }, highs[3] = { far.x, far.y, far.z };
	const vd all = ( sum3( la ) + sum3( ha ) ) + ( sum3( lb ) + sum3( hb ) ) + sum3( dd3_high( rate ) );
	slabs( lows, highs, rate, 1, ordered( la, ha ) & ordered( lb, hb ) & finite( all ), yes, known, low, high );
}
MEASURE( aabb_aabb_sweep, aabb_aabb_sweep_body )

// ------------------------------------------------------------------------------------------------
// Balls: a point w from the centre, moving by d, and a radius r. With a = d^2, b = w d, the times are those of
// a t^2 + 2 b t + w^2 - r^2 = 0, whose discriminant a r^2 - |w x d|^2 does not cancel as b^2 - a c does.

LANES_INLINE void ball( dd3 w, dd3 d, dd3 end, vdd r, int bounded, vm valid, vm *yes, vm *known, vd *low, vd *high ) {
	const vd zero = set( 0.0 ), one = set( 1.0 );
	const vdd a = dd3_dot( d, d ), b = dd3_dot( w, d ), rr = dd_mul( r, r ), ww = dd3_dot( w, w );
	const dd3 c = dd3_cross( w, d );
	const vdd out = dd_sub( ww, rr ), end_out = dd_sub( dd3_dot( end, end ), rr );
	const vdd disc = dd_sub( dd_mul( a, rr ), dd3_dot( c, c ) );
	const vd size = ww.hi + rr.hi, off_out = set( 0x1p-96 ) * size, off_end = set( 0x1p-94 ) * ( size + a.hi );
	const vd off_disc = set( 0x1p-94 ) * size * a.hi, off_b = set( 0x1p-48 ) * root( size * a.hi );
	const vm ok = valid & in_range( root( a.hi ) ) & in_range( root( size ) ) & MASK( r.hi >= zero );
	const vm inside = MASK( out.hi < -off_out ), outside = MASK( out.hi > off_out );
	const vm to_end = bounded ? MASK( end_out.hi < -off_end ) : never(), end_outside = MASK( end_out.hi > off_end );
	const vm leaves = outside & MASK( b.hi > off_b ), passes = MASK( disc.hi < -off_disc );
	const vdd sigma = dd_root( disc );
	const vdd first = dd_div( dd_neg( dd_add( b, sigma ) ), a ), last = dd_div( dd_sub( sigma, b ), a );
	const vd off = ( off_disc / sigma.hi + set( 0x1p-96 ) * ( size_of( b.hi ) + sigma.hi ) ) / a.hi * set( 4.0 );
	vm missed = passes | leaves;
	vm met = inside | ( outside & MASK( disc.hi > off_disc ) & MASK( b.hi < -off_b ) );
	vm ended = ~never();
	if ( bounded ) {
		const vd soon = one - set( 0x1p-50 );
		missed |= outside & end_outside & MASK( first.hi > one + set( 0x1p-50 ) ) & MASK( disc.hi > off_disc ) &
		          MASK( off < set( 0x1p-52 ) );
		met &= inside | to_end | MASK( first.hi < soon );
		ended = to_end | ( end_outside & MASK( last.hi < soon ) );
	}
	const vm steady = MASK( disc.hi > off_disc ) & MASK( off < set( 0x1p-54 ) * ( one + size_of( last.hi ) ) );
	settle( first, off, never(), last, off, never(), inside, to_end, ok & met & ended & steady, yes, known, low, high );
	*known |= ok & missed;
	*yes &= ~missed;
}

LANES_INLINE void ray_sphere_body( MEASURED ) {
	const v3 c = load3( run->b, i_b ), step = load3( run->a + 3, i_a );
	const dd3 w = dd3_difference( load3( run->a, i_a ), c );
	ball( w, dd3_of( step ), w, ( vdd ){ at( run->b[3], i_b ), set( 0.0 ) }, 0,
	      finite( sum3( dd3_high( w ) ) + sum3( step ) ), yes, known, low, high );
}
MEASURE( ray_sphere_hit, ray_sphere_body )

LANES_INLINE void segment_sphere_hit_body( MEASURED ) {
	const v3 c = load3( run->b, i_b ), from = load3( run->a, i_a ), to = load3( run->a + 3, i_a );
	const dd3 w = dd3_difference( from, c ), end = dd3_difference( to, c );
	ball( w, dd3_difference( to, from ), end, ( vdd ){ at( run->b[3], i_b ), set( 0.0 ) }, 1,
	      finite( sum3( dd3_high( w ) ) + sum3( dd3_high( end ) ) ), yes, known, low, high );
}
MEASURE( segment_sphere_hit, segment_sphere_hit_body )

LANES_INLINE void sphere_sphere_sweep_body( MEASURED ) {
	const vd ra = at( run->a[3], i_a ), rb = at( run->b[3], i_b ), zero = set( 0.0 );
	const dd3 w = dd3_difference( load3( run->a, i_a ), load3( run->b, i_b ) );
	const dd3 d = dd3_difference( motion3( run->a_by, i_a ), motion3( run->b_by, i_b ) );
	const dd3 end = { dd_add( w.x, d.x ), dd_add( w.y, d.y ), dd_add( w.z, d.z ) };
	ball( w, d, end, vdd_exact_sum( ra, rb ), 1,
	      MASK( ra >= zero ) & MASK( rb >= zero ) & finite( sum3( dd3_high( w ) ) + sum3( dd3_high( d ) ) ), yes, known,
	      low, high );
}
MEASURE( sphere_sphere_sweep, sphere_sphere_sweep_body )

// ------------------------------------------------------------------------------------------------
// A sphere that moves across a plane: height h, speed v and reach r along the normal, all times its length.

LANES_INLINE void sphere_plane_sweep_body( MEASURED ) {
	const v3 c = load3( run->a, i_a ), n = load3( run->b, i_b ), by = motion3( run->a_by, i_a );
	const vd radius = at( run->a[3], i_a ), offset = at( run->b[3], i_b ), zero = set( 0.0 ), one = set( 1.0 );
	const dd3 normal = dd3_of( n );
	const vdd nn = dd3_dot( normal, normal ), r = dd_mul( dd_root( nn ), ( vdd ){ radius, zero } );
	vdd h = dd_sub( dd3_dot( normal, dd3_of( c ) ), ( vdd ){ offset, zero } ), v = dd3_dot( normal, dd3_of( by ) );
	const vd size = dot3( size3( n ), size3( c ) ) + size_of( offset ) + r.hi, move = dot3( size3( n ), size3( by ) );
	const vd off = set( 0x1p-96 ) * size, off_v = set( 0x1p-97 ) * move, off_end = off + off_v;
	const vm below = MASK( h.hi < zero );
	h = dd_choose( below, dd_neg( h ), h );
	v = dd_choose( below, dd_neg( v ), v );
	const vdd out = dd_sub( h, r ), end = dd_add( h, v ), over = dd_add( h, r );
	const vdd end_size = dd_choose( MASK( end.hi < zero ), dd_neg( end ), end ), end_out = dd_sub( end_size, r );
	const vm inside = MASK( out.hi < -off ), outside = MASK( out.hi > off ) & MASK( h.hi > off );
	const vm to_end = MASK( end_out.hi < -off_end ), end_outside = MASK( end_out.hi > off_end );
	const vm towards = MASK( v.hi < -off_v ), away = MASK( v.hi > off_v );
	const vd speed = size_of( v.hi );
	const vdd gone = dd_choose( towards, dd_neg( v ), v );
	const vdd first = dd_div( out, gone ), last = dd_div( dd_choose( towards, over, dd_neg( out ) ), gone );
	const vd relative = set( 0x1p-94 ) + off_v / speed;
	const vd off_first = ( off / speed + size_of( first.hi ) * relative ) * set( 2.0 );
	const vd off_last = ( off / speed + size_of( last.hi ) * relative ) * set( 2.0 );
	const vm ok = MASK( radius >= zero ) & in_range( root( nn.hi ) ) & in_range( size ) &
	              MASK( move < set( 0x1p150 ) ) & MASK( move > set( 0x1p-150 ) ) &
	              finite( sum3( c ) + sum3( n ) + sum3( by ) + offset + radius );
	const vm missed = outside & ( away | ( end_outside & MASK( end.hi > off_end ) ) );
	const vm met = ( inside & ( towards | away ) ) |
	               ( outside & towards & ( to_end | ( end_outside & MASK( end.hi < -off_end ) ) ) );
	const vm ended = to_end | ( end_outside & MASK( last.hi < one - set( 0x1p-50 ) ) );
	settle( first, off_first, never(), last, off_last, never(), inside, to_end, ok & met & ended & ~missed, yes, known,
	        low, high );
	*known |= ok & missed;
}
MEASURE( sphere_plane_sweep, sphere_plane_sweep_body )

// ------------------------------------------------------------------------------------------------
// A line and a triangle: *low is the parameter, to the nearest double.

LANES_SHARED void hit( const dbvhi_measure_run *run, size_t i_b, v3 from, dd3 step, int bounded, vm *yes, vm *known,
                       vd *low ) {
	const vd zero = set( 0.0 );
	const v3 c0 = load3( run->b, i_b ), c1 = load3( run->b + 3, i_b ), c2 = load3( run->b + 6, i_b );
	const dd3 p = dd3_difference( c1, c0 ), q = dd3_difference( c2, c0 ), w = dd3_difference( from, c0 );
	const dd3 n = dd3_cross( p, q );
	const v3 d = dd3_high( step ), e = dd3_high( p ), f = dd3_high( q ), g = dd3_high( w );
	// -w n / d n; what the corners' sides are, in doubles.
	const vdd up = dd_neg( dd3_dot( w, n ) ), down = dd3_dot( step, n );
	const vd s = larger( larger( largest3( e ), largest3( f ) ), largest3( g ) ), l = largest3( d );
	const vd margin = set( 0x1p-44 ) * s * s * l, volume = size_of( down.hi );
	const vm turned = MASK( down.hi < zero );
	const v3 by = cross3( d, g );
	vd x = dot3( by, f ), y = -dot3( by, e );
	x = choose( turned, -x, x );
	y = choose( turned, -y, y );
	const vd z = volume - x - y;
	const vdd t = dd_div( up, down );
	const vd off = ( set( 0x1p-90 ) * s * s * s + set( 0x1p-90 ) * s * s * l * size_of( t.hi ) ) / volume;
	const vm ok = in_range( s ) & in_range( l ) & MASK( volume > margin ) &
	              finite( sum3( d ) + ( sum3( g ) + ( sum3( e ) + sum3( f ) ) ) );
	const vm inside = MASK( x > margin ) & MASK( y > margin ) & MASK( z > margin );
	const vm beside = MASK( x < -margin ) | MASK( y < -margin ) | MASK( z < -margin );
	vm ahead = MASK( t.hi > off ), behind = MASK( t.hi < -off );
	if ( bounded ) {
		ahead &= MASK( t.hi < set( 1.0 - 0x1p-50 ) );
		behind |= MASK( t.hi > set( 1.0 + 0x1p-50 ) );
	}
	*low = t.hi;
	*yes = ok & inside & ahead & MASK( t.hi > set( 0x1p-400 ) ) & MASK( t.hi < set( 0x1p400 ) ) &
	       MASK( t.hi + ( t.lo + set( 2.0 ) * off ) == t.hi ) & MASK( t.hi + ( t.lo - set( 2.0 ) * off ) == t.hi ) &
	       MASK( off < set( 0x1p-60 ) * t.hi );
	*known = *yes | ( ok & ( beside | ( behind & MASK( off < set( 0x1p-52 ) * ( set( 1.0 ) + size_of( t.hi ) ) ) ) ) );
}

LANES_INLINE void ray_triangle_body( MEASURED ) {
	(void)high;
	hit( run, i_b, load3( run->a, i_a ), dd3_of( load3( run->a + 3, i_a ) ), 0, yes, known, low );
}
MEASURE( ray_triangle_hit, ray_triangle_body )

LANES_INLINE void segment_triangle_hit_body( MEASURED ) {
	(void)high;
	const v3 from = load3( run->a, i_a );
	hit( run, i_b, from, dd3_difference( load3( run->a + 3, i_a ), from ), 1, yes, known, low );
}
MEASURE( segment_triangle_hit, segment_triangle_hit_body )

// ------------------------------------------------------------------------------------------------
// Sieves: which pairs certainly have no answer, in doubles. With s and l the largest coordinates of two vectors, a
// product of them is off by less than 2^-49 s l in each coordinate.

#define SIEVE( name, BODY )                                                                                            \
	static void name( const dbvhi_measure_run *run ) {                                                                 \
		size_t i = 0;                                                                                                  \
		for ( ; i + WIDTH <= run->count; i += WIDTH )                                                                  \
			store( run->state + i, never(), never(), BODY( run, PLACES( run->first + i ) ) );                          \
		for ( ; i < run->count; ++i )                                                                                  \
			run->state[i] = DBVHI_LANE_UNSURE;                                                                         \
	}

#define SIEVED const dbvhi_measure_run *run, size_t i_a, size_t i_b

// The line from v along d passes the ball, or leaves it behind, or ends before it.
LANES_INLINE vm misses_ball( v3 v, v3 d, vd r, int bounded ) {
	const vd zero = set( 0.0 ), square = dot3( d, d ), b = dot3( v, d ), size = largest3( v ), speed = largest3( d );
	const v3 c = cross3( v, d );
	const vd grown = r * set( 1.0 + 0x1p-46 ), doubt = set( 0x1p-46 ) * size * speed;
	vm out = MASK( root( dot3( c, c ) ) > grown * root( square ) * set( 1.0 + 0x1p-46 ) + doubt );
	out |= MASK( b > doubt ) & MASK( root( dot3( v, v ) ) > grown + set( 0x1p-46 ) * size );
	if ( bounded ) {
		const v3 end = add3( v, d );
		out |= MASK( b < -( square * set( 1.0 + 0x1p-46 ) + doubt ) ) &
		       MASK( root( dot3( end, end ) ) > grown + set( 0x1p-45 ) * ( size + speed ) );
	}
	return out & in_range( size ) & in_range( speed ) & MASK( r >= zero ) & MASK( r < set( 0x1p200 ) ) &
	       finite( sum3( v ) + sum3( d ) );
}

LANES_INLINE vm ray_sphere_sieve_body( SIEVED ) {
	const v3 from = load3( run->a, i_a );
	return misses_ball( sub3( from, load3( run->b, i_b ) ), load3( run->a + 3, i_a ), at( run->b[3], i_b ), 0 );
}
SIEVE( ray_sphere_sieve, ray_sphere_sieve_body )

LANES_INLINE vm segment_sphere_sieve_body( SIEVED ) {
	const v3 from = load3( run->a, i_a ), c = load3( run->b, i_b );
	return misses_ball( sub3( from, c ), sub3( load3( run->a + 3, i_a ), from ), at( run->b[3], i_b ), 1 );
}
SIEVE( segment_sphere_sieve, segment_sphere_sieve_body )

LANES_INLINE vm sphere_sphere_sieve_body( SIEVED ) {
	const v3 by = sub3( motion3( run->a_by, i_a ), motion3( run->b_by, i_b ) );
	const vd ra = at( run->a[3], i_a ), rb = at( run->b[3], i_b );
	return misses_ball( sub3( load3( run->a, i_a ), load3( run->b, i_b ) ), by, ra + rb, 1 ) &
	       MASK( ra >= set( 0.0 ) ) & MASK( rb >= set( 0.0 ) );
}
SIEVE( sphere_sphere_sieve, sphere_sphere_sieve_body )

// slab() for bounds that are differences of doubles: their signs are exact.
LANES_INLINE void slab_between( vd low, vd high, vd rate, vd *first, vd *last, vm *missed ) {
	const vd zero = set( 0.0 );
	const vm back = MASK( rate < zero ), still = MASK( rate == zero );
	const vd near = choose( back, -high, low ), far = choose( back, -low, high ), speed = size_of( rate );
	*missed |= MASK( far < zero ) | ( still & MASK( near > zero ) );
	*first = larger( *first, choose( still, -set( __builtin_inf() ), near / speed ) );
	*last = smaller( *last, choose( still, set( __builtin_inf() ), far / speed ) );
}

LANES_INLINE vm misses_slabs( v3 low, v3 high, v3 rate, int bounded, vm valid ) {
	vd first = -set( __builtin_inf() ), last = set( __builtin_inf() );
	vm missed = never();
	slab_between( low.x, high.x, rate.x, &first, &last, &missed );
	slab_between( low.y, high.y, rate.y, &first, &last, &missed );
	slab_between( low.z, high.z, rate.z, &first, &last, &missed );
	missed |= MASK( first - last > set( 0x1p-48 ) * ( size_of( first ) + size_of( last ) ) + set( 0x1p-1000 ) );
	if ( bounded )
		missed |= MASK( first > set( 1.0 + 0x1p-48 ) );
	return missed & valid;
}

LANES_INLINE vm misses_box( const dbvhi_measure_run *run, size_t i_b, v3 from, v3 rate, int bounded ) {
	const v3 min = load3( run->b, i_b ), max = load3( run->b + 3, i_b );
	const vd all = sum3( rate ) + ( sum3( from ) + ( sum3( min ) + sum3( max ) ) );
	return misses_slabs( sub3( min, from ), sub3( max, from ), rate, bounded, ordered( min, max ) & finite( all ) );
}

LANES_INLINE vm ray_aabb_sieve_body( SIEVED ) {
	return misses_box( run, i_b, load3( run->a, i_a ), load3( run->a + 3, i_a ), 0 );
}
SIEVE( ray_aabb_sieve, ray_aabb_sieve_body )

LANES_INLINE vm segment_aabb_sieve_body( SIEVED ) {
	const v3 from = load3( run->a, i_a );
	return misses_box( run, i_b, from, sub3( load3( run->a + 3, i_a ), from ), 1 );
}
SIEVE( segment_aabb_sieve, segment_aabb_sieve_body )

LANES_INLINE vm aabb_aabb_sieve_body( SIEVED ) {
	const v3 la = load3( run->a, i_a ), ha = load3( run->a + 3, i_a );
	const v3 lb = load3( run->b, i_b ), hb = load3( run->b + 3, i_b );
	const v3 rate = sub3( motion3( run->a_by, i_a ), motion3( run->b_by, i_b ) );
	const vd all = ( sum3( la ) + sum3( ha ) ) + ( sum3( lb ) + sum3( hb ) ) + sum3( rate );
	return misses_slabs( sub3( lb, ha ), sub3( hb, la ), rate, 1,
	                     ordered( la, ha ) & ordered( lb, hb ) & finite( all ) );
}
SIEVE( aabb_aabb_sieve, aabb_aabb_sieve_body )

// Lanes whose line certainly misses the triangle; names and signs as in hit().
LANES_INLINE vm misses_triangle( const dbvhi_measure_run *run, size_t i_b, v3 from, v3 d, int bounded ) {
	const v3 c0 = load3( run->b, i_b ), g = sub3( from, c0 );
	const v3 e = sub3( load3( run->b + 3, i_b ), c0 ), f = sub3( load3( run->b + 6, i_b ), c0 );
	const v3 n = cross3( e, f ), by = cross3( d, g );
	const vd s = larger( larger( largest3( e ), largest3( f ) ), largest3( g ) ), l = largest3( d ), zero = set( 0.0 );
	const vd margin = set( 0x1p-44 ) * s * s * l, depth = set( 0x1p-44 ) * s * s * s, down = dot3( d, n );
	const vm turned = MASK( down < zero );
	const vd volume = size_of( down ), x = choose( turned, -dot3( by, f ), dot3( by, f ) );
	const vd y = choose( turned, dot3( by, e ), -dot3( by, e ) ), up = choose( turned, dot3( g, n ), -dot3( g, n ) );
	vm out = MASK( x < -margin ) | MASK( y < -margin ) | MASK( volume - x - y < -margin ) | MASK( up < -depth );
	if ( bounded )
		out |= MASK( up - volume > depth + margin );
	return out & MASK( volume > margin ) & in_range( s ) & in_range( l ) &
	       finite( sum3( d ) + ( sum3( g ) + ( sum3( e ) + sum3( f ) ) ) );
}

LANES_INLINE vm ray_triangle_sieve_body( SIEVED ) {
	return misses_triangle( run, i_b, load3( run->a, i_a ), load3( run->a + 3, i_a ), 0 );
}
SIEVE( ray_triangle_sieve, ray_triangle_sieve_body )

LANES_INLINE vm segment_triangle_sieve_body( SIEVED ) {
	const v3 from = load3( run->a, i_a );
	return misses_triangle( run, i_b, from, sub3( load3( run->a + 3, i_a ), from ), 1 );
}
SIEVE( segment_triangle_sieve, segment_triangle_sieve_body )
