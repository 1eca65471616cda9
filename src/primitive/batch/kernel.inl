// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The body of the kernels for primitives: a pair a lane. Every comparison with NaN is false, so what is NaN or infinite
// is unsure; so are negative radii and boxes with min above max.
//
// Bounds, u = 2^-53. Of squares see primitive/filter.h, and of boxes along their own axes too. Nearest points: with s
// the largest coordinate relative to one of the points, the way x between two points of the shapes is computed with
// less than 12u s in each coordinate, and its length is the distance at most; the least of x . v over all ends v,
// divided by |x|, is the distance at least, for any x, up to 6u s. 2^-47 s covers either.

#include "primitive/batch/kernel.h"
#include "simd/kernel_name.h"
#include "simd/vec_dd.h"

#include <string.h>

// Large parts that several kernels call: inlined, they would be half of the library's primitives.
#define LANES_SHARED static __attribute__( ( noinline ) )

// A bit a lane to a byte a lane, the lowest first.
LANES_INLINE uint64_t bytes_of( uint64_t bits ) {
	const uint64_t one = bits * UINT64_C( 0x0101010101010101 ) & UINT64_C( 0x8040201008040201 );
	return ( one + UINT64_C( 0x7f7f7f7f7f7f7f7f ) ) >> 7 & UINT64_C( 0x0101010101010101 );
}

// `yes` is 1, `other` 2, neither but `known` 0, else 3.
LANES_INLINE void store( uint8_t *out, vm yes, vm other, vm known ) {
	const uint64_t unsure = ~bits_of( known ) & ( ( UINT64_C( 1 ) << WIDTH ) - 1 );
	const uint64_t bytes = bytes_of( bits_of( yes ) | unsure ) | bytes_of( bits_of( other ) | unsure ) << 1;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy( out, &bytes, WIDTH );
#else
	for ( int k = 0; k < WIDTH; ++k )
		out[k] = (uint8_t)( bytes >> ( 8 * k ) );
#endif
}

typedef struct v3 {
	vd x, y, z;
} v3;

LANES_INLINE vd at( const double *column, size_t i ) {
	return load( column, i, 0 );
}

LANES_INLINE v3 load3( const double *const *columns, size_t i ) {
	return ( v3 ){ at( columns[0], i ), at( columns[1], i ), at( columns[2], i ) };
}

LANES_INLINE v3 sub3( v3 a, v3 b ) {
	return ( v3 ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

LANES_INLINE v3 add3( v3 a, v3 b ) {
	return ( v3 ){ a.x + b.x, a.y + b.y, a.z + b.z };
}

LANES_INLINE v3 scale3( vd s, v3 a ) {
	return ( v3 ){ s * a.x, s * a.y, s * a.z };
}

LANES_INLINE v3 choose3( vm mask, v3 yes, v3 no ) {
	return ( v3 ){ choose( mask, yes.x, no.x ), choose( mask, yes.y, no.y ), choose( mask, yes.z, no.z ) };
}

LANES_INLINE vd dot3( v3 a, v3 b ) {
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANES_INLINE v3 cross3( v3 a, v3 b ) {
	return ( v3 ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

LANES_INLINE vd sum3( v3 a ) {
	return a.x + a.y + a.z;
}

LANES_INLINE v3 size3( v3 a ) {
	return ( v3 ){ size_of( a.x ), size_of( a.y ), size_of( a.z ) };
}

LANES_INLINE vd largest3( v3 a ) {
	const v3 s = size3( a );
	return larger( larger( s.x, s.y ), s.z );
}

// All of what the sum is made of is finite.
LANES_INLINE vm finite( vd sum ) {
	return MASK( sum * set( 0.0 ) == set( 0.0 ) );
}

LANES_INLINE vm ordered( v3 low, v3 high ) {
	return MASK( low.x <= high.x ) & MASK( low.y <= high.y ) & MASK( low.z <= high.z );
}

LANES_INLINE vd clamp01( vd t ) {
	return larger( smaller( t, set( 1.0 ) ), set( 0.0 ) );
}

// Indices of the columns of a and of b.
#define PLACES( first ) run->a_is_one ? 0 : ( first ), run->b_is_one ? 0 : ( first )

// Writes the answers of `BODY`, which fills yes, other and known for the lanes from i_a of a and i_b of b on. The last
// lanes that fill no vector are left to the functions for one pair. The run is copied, because stored answers are
// bytes, which may alias anything else.
#define KERNEL( name, BODY )                                                                                           \
	static void name( const dbvhi_lanes_run *lanes ) {                                                                 \
		const dbvhi_lanes_run run = *lanes;                                                                            \
		const size_t steps_a = run.a_is_one ? 0 : SIZE_MAX, steps_b = run.b_is_one ? 0 : SIZE_MAX;                     \
		size_t i = 0;                                                                                                  \
		for ( ; i + WIDTH <= run.count; i += WIDTH ) {                                                                 \
			vm yes, other = MASK( set( 0.0 ) != set( 0.0 ) ), known;                                                   \
			BODY( run.a, run.b, ( i & steps_a ), ( i & steps_b ), &yes, &other, &known );                              \
			store( run.out + i, yes, other, known );                                                                   \
		}                                                                                                              \
		for ( ; i < run.count; ++i )                                                                                   \
			run.out[i] = DBVHI_LANE_UNSURE;                                                                            \
	}

#define PARAMETERS const double *const *a, const double *const *b, size_t i_a, size_t i_b, vm *yes, vm *other, vm *known

// left against right, each off by less than 6u of itself
LANES_INLINE void compare_squares( vd left, vd right, vm valid, vm *yes, vm *known ) {
	const vm ok = ( MASK( left > set( 0x1p-900 ) ) | MASK( right > set( 0x1p-900 ) ) ) &
	              MASK( left < set( 0x1p1000 ) ) & MASK( right < set( 0x1p1000 ) ) & valid;
	*yes = ok & MASK( left < right * set( 1.0 - 0x1p-49 ) );
	*known = *yes | ( ok & MASK( left > right * set( 1.0 + 0x1p-49 ) ) );
}

LANES_INLINE void sphere_sphere_body( PARAMETERS ) {
	(void)other;
	const v3 d = sub3( load3( b, i_b ), load3( a, i_a ) );
	const vd ra = at( a[3], i_a ), rb = at( b[3], i_b ), r = ra + rb;
	compare_squares( dot3( d, d ), r * r, MASK( ra >= set( 0.0 ) ) & MASK( rb >= set( 0.0 ) ), yes, known );
}
KERNEL( sphere_sphere, sphere_sphere_body )

LANES_INLINE void sphere_aabb_body( PARAMETERS ) {
	(void)other;
	const v3 c = load3( a, i_a ), low = load3( b, i_b ), high = load3( b + 3, i_b );
	const vd r = at( a[3], i_a ), zero = set( 0.0 );
	const v3 below = sub3( low, c ), above = sub3( c, high );
	const v3 out = { larger( larger( below.x, above.x ), zero ), larger( larger( below.y, above.y ), zero ),
	                 larger( larger( below.z, above.z ), zero ) };
	const vm valid = MASK( r >= zero ) & ordered( low, high ) & finite( sum3( c ) + ( sum3( low ) + sum3( high ) ) );
	compare_squares( dot3( out, out ), r * r, valid, yes, known );
}
KERNEL( sphere_aabb, sphere_aabb_body )

LANES_INLINE void aabb_aabb_body( PARAMETERS ) {
	(void)other;
	const v3 la = load3( a, i_a ), ha = load3( a + 3, i_a );
	const v3 lb = load3( b, i_b ), hb = load3( b + 3, i_b );
	*known =
	    ordered( la, ha ) & ordered( lb, hb ) & finite( ( sum3( la ) + sum3( ha ) ) + ( sum3( lb ) + sum3( hb ) ) );
	*yes = ordered( la, hb ) & ordered( lb, ha ) & *known;
}
KERNEL( aabb_aabb, aabb_aabb_body )

// ------------------------------------------------------------------------------------------------
// Boxes along their own axes: see dbvhi_obbs_filter().

LANES_INLINE vd deviation( v3 x, v3 y, double expected ) {
	return size_of( dot3( x, y ) - set( expected ) );
}

LANES_INLINE void obb_obb_body( PARAMETERS ) {
	(void)other;
	const v3 t = sub3( load3( b, i_b ), load3( a, i_a ) );
	const v3 ha = load3( a + 12, i_a ), hb = load3( b + 12, i_b );
	v3 x[3], y[3];
	for ( int k = 0; k < 3; ++k ) {
		x[k] = load3( a + 3 + 3 * k, i_a );
		y[k] = load3( b + 3 + 3 * k, i_b );
	}
	const vd zero = set( 0.0 ), s = sum3( size3( t ) ) + ( sum3( ha ) + sum3( hb ) );
	const vm valid = MASK( s > set( 0x1p-900 ) ) & MASK( s < set( 0x1p1000 ) ) & MASK( ha.x >= zero ) &
	                 MASK( ha.y >= zero ) & MASK( ha.z >= zero ) & MASK( hb.x >= zero ) & MASK( hb.y >= zero ) &
	                 MASK( hb.z >= zero );
	vd d = zero;
	for ( int k = 0; k < 3; ++k ) {
		const int next = ( k + 1 ) % 3;
		const vd unit = larger( deviation( x[k], x[k], 1.0 ), deviation( y[k], y[k], 1.0 ) );
		d = larger( larger( d, unit ), larger( deviation( x[k], x[next], 0.0 ), deviation( y[k], y[next], 0.0 ) ) );
	}
	const vm rigid = MASK( d < set( 0.999e-3 ) ) & finite( ( sum3( x[0] ) + sum3( x[1] ) + sum3( x[2] ) ) +
	                                                       ( sum3( y[0] ) + sum3( y[1] ) + sum3( y[2] ) ) );
	const vd margin = ( set( 0x1p-47 ) + set( 32.0 ) * ( d + set( 0x1p-50 ) ) ) * s;
	const vd a_half[3] = { ha.x, ha.y, ha.z }, b_half[3] = { hb.x, hb.y, hb.z };
	vd r[3][3], size[3][3], ta[3], least = s, most = s;
	for ( int k = 0; k < 3; ++k ) {
		ta[k] = dot3( t, x[k] );
		for ( int j = 0; j < 3; ++j ) {
			r[k][j] = dot3( x[k], y[j] );
			size[k][j] = size_of( r[k][j] );
		}
		least = smaller( least,
		                 a_half[k] + ( hb.x * size[k][0] + hb.y * size[k][1] + hb.z * size[k][2] ) - size_of( ta[k] ) );
	}
	for ( int j = 0; j < 3; ++j )
		least = smaller( least, b_half[j] + ( ha.x * size[0][j] + ha.y * size[1][j] + ha.z * size[2][j] ) -
		                            size_of( dot3( t, y[j] ) ) );
	most = least; // the least overlap of axes that parallel edges take part in, too
	vm parallel = MASK( zero != zero );
	for ( int k = 0; k < 3; ++k ) {
		const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		for ( int j = 0; j < 3; ++j ) {
			const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
			const vd reach = ( a_half[k1] * size[k2][j] + a_half[k2] * size[k1][j] ) +
			                 ( b_half[j1] * size[k][j2] + b_half[j2] * size[k][j1] );
			const vd overlap = reach - size_of( ta[k2] * r[k1][j] - ta[k1] * r[k2][j] );
			const vm along = MASK( size[k][j] >= set( 1.0 - 0x1p-45 ) );
			most = smaller( most, overlap );
			parallel |= along;
			least = choose( along, least, smaller( least, overlap ) );
		}
	}
	const vm ok = valid & rigid;
	*yes = ok & MASK( most >= -margin ) & ( ~parallel | MASK( d < set( 0x1p-47 ) ) ) &
	       MASK( least > choose( parallel, larger( margin, set( 0x1p-14 ) * s ), margin ) );
	*known = *yes | ( ok & MASK( most < -margin ) );
}
KERNEL( obb_obb, obb_obb_body )

// ------------------------------------------------------------------------------------------------
// Nearest points

// Compares the distance with r: at most |x|, at least nearest / |x|, in a scene of size s.
LANES_INLINE void compare_distance( v3 x, vd nearest, vd s, vd r, vm valid, vm *yes, vm *known ) {
	const vd length = root( dot3( x, x ) ), off = set( 0x1p-47 ) * s;
	const vm ok = valid & MASK( s > set( 0x1p-200 ) ) & MASK( s < set( 0x1p200 ) ) & MASK( r < set( 0x1p200 ) );
	*yes = ok & MASK( ( length + off ) * set( 1.0 + 0x1p-48 ) < r );
	*known = *yes | ( ok & MASK( nearest * set( 1.0 - 0x1p-48 ) > ( r + off ) * length * set( 1.0 + 0x1p-48 ) ) );
}

LANES_INLINE v3 nearest_on_edge( v3 v, v3 e ) {
	const vd ee = dot3( e, e ), at = -dot3( v, e );
	return add3( v, scale3( clamp01( choose( MASK( ee > set( 0.0 ) ), at / ee, set( 0.0 ) ) ), e ) );
}

LANES_INLINE void segment_sphere_body( PARAMETERS ) {
	(void)other;
	const v3 c = load3( b, i_b ), v = sub3( load3( a, i_a ), c ), w = sub3( load3( a + 3, i_a ), c );
	const vd r = at( b[3], i_b );
	const v3 x = nearest_on_edge( v, sub3( w, v ) );
	compare_distance( x, smaller( dot3( x, v ), dot3( x, w ) ), larger( largest3( v ), largest3( w ) ), r,
	                  MASK( r >= set( 0.0 ) ) & finite( sum3( v ) + sum3( w ) ), yes, known );
}
KERNEL( segment_sphere, segment_sphere_body )

LANES_INLINE void sphere_triangle_body( PARAMETERS ) {
	(void)other;
	const v3 c = load3( a, i_a );
	v3 v[3];
	for ( int k = 0; k < 3; ++k )
		v[k] = sub3( load3( b + 3 * k, i_b ), c );
	const vd r = at( a[3], i_a ), zero = set( 0.0 );
	v3 best = nearest_on_edge( v[0], sub3( v[1], v[0] ) );
	vd least = dot3( best, best );
	for ( int k = 1; k < 3; ++k ) {
		const v3 x = nearest_on_edge( v[k], sub3( v[( k + 1 ) % 3], v[k] ) );
		const vd square = dot3( x, x );
		best = choose3( MASK( square < least ), x, best );
		least = smaller( least, square );
	}
	const v3 p = sub3( v[1], v[0] ), q = sub3( v[2], v[0] ), n = cross3( p, q );
	const vd nn = dot3( n, n ), to_p = dot3( cross3( q, v[0] ), n ), to_q = dot3( cross3( v[0], p ), n );
	const vd s = to_p / nn, t = to_q / nn;
	const v3 x = add3( v[0], add3( scale3( s, p ), scale3( t, q ) ) );
	const vd square = dot3( x, x );
	const vm inside = MASK( nn > zero ) & MASK( s >= zero ) & MASK( t >= zero ) & MASK( s + t <= set( 1.0 ) );
	best = choose3( inside & MASK( square < least ), x, best );
	const vd nearest = smaller( smaller( dot3( best, v[0] ), dot3( best, v[1] ) ), dot3( best, v[2] ) );
	compare_distance( best, nearest, larger( larger( largest3( v[0] ), largest3( v[1] ) ), largest3( v[2] ) ), r,
	                  MASK( r >= zero ) & finite( sum3( v[0] ) + ( sum3( v[1] ) + sum3( v[2] ) ) ), yes, known );
}
KERNEL( sphere_triangle, sphere_triangle_body )

LANES_INLINE void capsule_capsule_body( PARAMETERS ) {
	(void)other;
	const v3 origin = load3( a, i_a );
	const v3 d = sub3( load3( a + 3, i_a ), origin ), q = sub3( load3( b, i_b ), origin );
	const v3 q_end = sub3( load3( b + 3, i_b ), origin ), e = sub3( q_end, q );
	const vd ra = at( a[6], i_a ), rb = at( b[6], i_b ), zero = set( 0.0 );
	// The lines' nearest points, then each clamped and the other found again, twice.
	const vd dd = dot3( d, d ), ee = dot3( e, e ), de = dot3( d, e ), dq = dot3( d, q ), eq = dot3( e, q );
	const vd det = dd * ee - de * de;
	vd s = clamp01( choose( MASK( det > zero ), ( dq * ee - eq * de ) / det, zero ) ), t = zero;
	for ( int round = 0; round < 2; ++round ) {
		t = clamp01( choose( MASK( ee > zero ), ( s * de - eq ) / ee, zero ) );
		s = clamp01( choose( MASK( dd > zero ), ( t * de + dq ) / dd, zero ) );
	}
	const v3 x = sub3( add3( q, scale3( t, e ) ), scale3( s, d ) );
	const vd nearest = smaller( dot3( x, q ), dot3( x, q_end ) ) - larger( dot3( x, d ), zero );
	compare_distance( x, nearest, larger( larger( largest3( d ), largest3( q ) ), largest3( q_end ) ), ra + rb,
	                  MASK( ra >= zero ) & MASK( rb >= zero ) & finite( sum3( d ) + ( sum3( q ) + sum3( q_end ) ) ),
	                  yes, known );
}
KERNEL( capsule_capsule, capsule_capsule_body )

// ------------------------------------------------------------------------------------------------
// Segments and boxes: six axes. Coordinates relative to the start are off by u of themselves; across the segment, two
// products of those, each below 2 S, with d: 2^-47 S ( |d_j| + |d_k| ) covers them and what their sums round.

LANES_INLINE void across( vd dj, vd dk, vd cj, vd ck, vd hj, vd hk, vd s, vm *apart, vm *sure ) {
	const vd height = size_of( cj * dk - ck * dj ), sj = size_of( dj ), sk = size_of( dk );
	const vd reach = hj * sk + hk * sj, margin = set( 0x1p-47 ) * s * ( sj + sk );
	*apart |= MASK( height - reach > margin );
	*sure &= MASK( reach - height >= margin );
}

LANES_INLINE void beyond( vd low, vd high, vd d, vd margin, vm *apart, vm *sure ) {
	const vd zero = set( 0.0 ), above = low - larger( d, zero ), below = smaller( d, zero ) - high;
	*apart |= MASK( above > margin ) | MASK( below > margin );
	*sure &= MASK( above < -margin ) & MASK( below < -margin );
}

LANES_INLINE void segment_aabb_body( PARAMETERS ) {
	(void)other;
	const v3 from = load3( a, i_a ), d = sub3( load3( a + 3, i_a ), from );
	const v3 min = load3( b, i_b ), max = load3( b + 3, i_b );
	const v3 low = sub3( min, from ), high = sub3( max, from );
	const vd s = larger( larger( largest3( d ), largest3( low ) ), largest3( high ) ), margin = set( 0x1p-49 ) * s;
	const vm ok = MASK( s > set( 0x1p-400 ) ) & MASK( s < set( 0x1p400 ) ) & ordered( min, max ) &
	              finite( sum3( d ) + ( sum3( low ) + sum3( high ) ) );
	vm apart = MASK( set( 0.0 ) != set( 0.0 ) ), sure = ok;
	beyond( low.x, high.x, d.x, margin, &apart, &sure );
	beyond( low.y, high.y, d.y, margin, &apart, &sure );
	beyond( low.z, high.z, d.z, margin, &apart, &sure );
	const v3 c = scale3( set( 0.5 ), add3( low, high ) ), h = scale3( set( 0.5 ), sub3( high, low ) );
	across( d.x, d.y, c.x, c.y, h.x, h.y, s, &apart, &sure );
	across( d.y, d.z, c.y, c.z, h.y, h.z, s, &apart, &sure );
	across( d.z, d.x, c.z, c.x, h.z, h.x, s, &apart, &sure );
	*yes = sure & ~apart;
	*known = *yes | ( apart & ok );
}
KERNEL( segment_aabb, segment_aabb_body )

// ------------------------------------------------------------------------------------------------
// Planes. A height n . x - offset is off by less than 5u ( sum |n_k x_k| + |offset| ); 2^-49 of that covers it.

LANES_INLINE vm range( vd x ) {
	return MASK( x > set( 0x1p-900 ) ) & MASK( x < set( 0x1p900 ) );
}

LANES_INLINE void sphere_plane_body( PARAMETERS ) {
	const v3 c = load3( a, i_a ), n = load3( b, i_b );
	const vd r = at( a[3], i_a ), offset = at( b[3], i_b ), nn = dot3( n, n );
	const vd h = dot3( n, c ) - offset, size = dot3( size3( n ), size3( c ) ) + size_of( offset );
	const vd off = set( 0x1p-49 ) * size, reach = r * root( nn );
	const vm ok = range( nn ) & range( size ) & MASK( r >= set( 0.0 ) ) & MASK( reach < set( 0x1p900 ) ) &
	              ( MASK( reach == set( 0.0 ) ) | MASK( reach > set( 0x1p-900 ) ) );
	const vd most = reach * set( 1.0 + 0x1p-48 ) + off, least = reach * set( 1.0 - 0x1p-48 ) - off;
	*yes = ok & MASK( h > most );
	*other = ok & MASK( h < -most );
	*known = *yes | *other | ( ok & MASK( size_of( h ) < least ) );
}
KERNEL( sphere_plane, sphere_plane_body )

LANES_INLINE void aabb_plane_body( PARAMETERS ) {
	const v3 low = load3( a, i_a ), high = load3( a + 3, i_a ), n = load3( b, i_b );
	const vd offset = at( b[3], i_b ), zero = set( 0.0 );
	const v3 first = { choose( MASK( n.x > zero ), low.x, high.x ), choose( MASK( n.y > zero ), low.y, high.y ),
	                   choose( MASK( n.z > zero ), low.z, high.z ) };
	const v3 last = { choose( MASK( n.x > zero ), high.x, low.x ), choose( MASK( n.y > zero ), high.y, low.y ),
	                  choose( MASK( n.z > zero ), high.z, low.z ) };
	const v3 size_low = size3( low ), size_high = size3( high );
	const v3 most = { larger( size_low.x, size_high.x ), larger( size_low.y, size_high.y ),
	                  larger( size_low.z, size_high.z ) };
	const vd size = dot3( size3( n ), most ) + size_of( offset ), off = set( 0x1p-49 ) * size;
	const vd under = dot3( n, first ) - offset, over = dot3( n, last ) - offset;
	const vm ok = range( dot3( n, n ) ) & range( size ) & ordered( low, high ) & finite( sum3( low ) + sum3( high ) );
	*yes = ok & MASK( under > off );
	*other = ok & MASK( over < -off );
	*known = *yes | *other | ( ok & MASK( under < -off ) & MASK( over > off ) );
}
KERNEL( aabb_plane, aabb_plane_body )

// ------------------------------------------------------------------------------------------------
// A capsule and a box: the distance of a point of the axis from the box is convex along it. The nearest point is found
// as if the box's axes were orthonormal; what is said about it holds for any axes.

LANES_INLINE void capsule_obb_body( PARAMETERS ) {
	(void)other;
	const v3 centre = load3( b, i_b ), v = sub3( load3( a, i_a ), centre );
	const v3 w = sub3( load3( a + 3, i_a ), centre ), h = load3( b + 12, i_b ), d = sub3( w, v );
	const vd r = at( a[6], i_a ), zero = set( 0.0 ), one = set( 1.0 ), half[3] = { h.x, h.y, h.z };
	v3 axis[3];
	vd start[3], rate[3], off = zero, along = zero, all = zero;
	for ( int k = 0; k < 3; ++k )
		axis[k] = load3( b + 3 + 3 * k, i_b );
	for ( int k = 0; k < 3; ++k ) {
		start[k] = dot3( v, axis[k] );
		rate[k] = dot3( d, axis[k] );
		along = along - start[k] * rate[k];
		all = all + rate[k] * rate[k];
		off =
		    larger( off, larger( deviation( axis[k], axis[k], 1.0 ), deviation( axis[k], axis[( k + 1 ) % 3], 0.0 ) ) );
	}
	// Half the derivative of the squared distance grows in steps of straight lines: Newton's method between bounds.
	vd low = zero, high = one, t = clamp01( choose( MASK( all > zero ), along / all, zero ) );
	for ( int round = 0; round < 6; ++round ) {
		vd slope = zero, change = zero;
		for ( int k = 0; k < 3; ++k ) {
			const vd x = start[k] + t * rate[k], out = x - larger( smaller( x, half[k] ), -half[k] );
			slope = slope + out * rate[k];
			change = change + choose( MASK( out == zero ), zero, rate[k] * rate[k] );
		}
		high = choose( MASK( slope > zero ), t, high );
		low = choose( MASK( slope < zero ), t, low );
		const vd next = t - choose( MASK( change > zero ), slope / change, zero );
		const vm within = MASK( next >= low ) & MASK( next <= high );
		t = choose( within, next, set( 0.5 ) * ( low + high ) );
	}
	v3 x = add3( v, scale3( t, d ) );
	for ( int k = 0; k < 3; ++k ) {
		const vd at = start[k] + t * rate[k];
		x = sub3( x, scale3( larger( smaller( at, half[k] ), -half[k] ), axis[k] ) );
	}
	vd nearest = smaller( dot3( x, v ), dot3( x, w ) );
	for ( int k = 0; k < 3; ++k )
		nearest = nearest - half[k] * size_of( dot3( x, axis[k] ) );
	const vm valid = MASK( off < set( 0.999e-3 ) ) & MASK( h.x >= zero ) & MASK( h.y >= zero ) & MASK( h.z >= zero ) &
	                 MASK( r >= zero ) &
	                 finite( ( sum3( v ) + sum3( w ) ) + ( sum3( axis[0] ) + sum3( axis[1] ) + sum3( axis[2] ) ) );
	compare_distance( x, nearest, larger( larger( largest3( v ), largest3( w ) ), largest3( h ) ), r, valid, yes,
	                  known );
}
KERNEL( capsule_obb, capsule_obb_body )

// clang-format off
#include "primitive/batch/kernel_distance.inl"
#include "primitive/batch/kernel_hit.inl"
#include "primitive/batch/kernel_cast.inl"
// clang-format on

extern const dbvhi_lanes_kernels DBVHI_KERNEL_NAME( dbvhi_lanes );
const dbvhi_lanes_kernels DBVHI_KERNEL_NAME( dbvhi_lanes ) = {
    sphere_sphere,
    sphere_aabb,
    aabb_aabb,
    obb_obb,
    sphere_triangle,
    capsule_capsule,
    segment_sphere,
    segment_aabb,
    capsule_obb,
    sphere_plane,
    aabb_plane,
    sphere_sphere_distance,
    sphere_aabb_distance,
    sphere_triangle_distance,
    capsule_capsule_distance,
    ray_sphere_hit,
    segment_sphere_hit,
    ray_aabb_hit,
    segment_aabb_hit,
    ray_triangle_hit,
    segment_triangle_hit,
    sphere_sphere_sweep,
    aabb_aabb_sweep,
    sphere_plane_sweep,
    sphere_triangle_sweep,
    ray_sphere_sieve,
    segment_sphere_sieve,
    ray_aabb_sieve,
    segment_aabb_sieve,
    ray_triangle_sieve,
    segment_triangle_sieve,
    sphere_sphere_sieve,
    aabb_aabb_sieve,
    sphere_triangle_sieve,
};
