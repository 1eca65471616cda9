// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The third filter in doubles, for pairs that the first two leave unsure: their tests in pairs of doubles, a pair a
// lane. It separates faces that would lie in one plane if the rotation had not been rounded, as those of gears and
// plates do in most poses.
//
// Errors, u = 2^-53. E bounds the rounding of a moved corner in doubles, as before: E >= 4.1 u M, where M bounds all
// partial sums of one. Its three products and three sums are exact as pairs; the lower halves, which are less than 4.1
// u M together, are added in doubles, by five sums, off by 12.3 u^2 M at most, which is less than 4 u E; and no lower
// half is larger than E. With s at least as large as any difference of two coordinates, E < 2^-20 s, and each formula
// evaluated to first order in the lower halves,
//     difference   lower half T = u s + 2 E; off by eta = 2 (4 u E) + 2 u E + u T <= 12 u E + u^2 s
//     a b - c d    the upper half up to 2 s^2, the lower N = 4 u s^2 + 4 s T; it is the sum of seven terms, and
//                  products of two lower halves are left out: 2 T^2 + 7 u N + 4 s eta
//                  <= 62 u^2 s^2 + 112 u s E + 8 E^2
//     n . d        three products of which the upper halves are up to 2 s^3, the lower halves a sum of at most twelve
//                  terms, 46 u s^3 + 36 s^2 E: 12 u times that, 3 N T for what is left out, 3 s times what n is off by
//                  and 6 s^2 eta: <= 768 u^2 s^3 + 912 u s^2 E + 72 s E^2
// An underflow adds 2^-1074 to either half, nothing beside u^2 s^2 where s > 2^-300.
//
// Signs of 0 can be known where a row of the rotation is an axis: that coordinate is exactly the sum of its two halves.
// A difference of such coordinates is 0 where both halves are the same. A determinant is 0 where each of its products,
// taken from one corner of the plane or another, has a factor that is 0, or where two products are the same.

#include "query/collide/kernel.h"
#include "simd/kernel_name.h"
#include "simd/vec_dd.h"

#define U 0x1p-53
#define FOR_VECTORS for ( size_t i = 0; i < DBVHI_TRIANGLE_BATCH; i += WIDTH )

#define NUMBER vdd
#define SEEN( name ) fine_##name

typedef struct fine_point {
	vdd k[3];
} fine_point;
typedef fine_point vdd3;

LANES_INLINE vdd fine_difference( vdd a, vdd b ) {
	const vdd d = vdd_exact_sum( a.hi, -b.hi );
	return ( vdd ){ d.hi, d.lo + ( a.lo - b.lo ) };
}

LANES_INLINE vdd3 difference3( const vdd3 *a, const vdd3 *b ) {
	return ( vdd3 ){ { fine_difference( a->k[0], b->k[0] ), fine_difference( a->k[1], b->k[1] ),
	                   fine_difference( a->k[2], b->k[2] ) } };
}

// a b - c d
LANES_INLINE vdd det2( vdd a, vdd b, vdd c, vdd d ) {
	const vdd ab = vdd_exact_product( a.hi, b.hi ), cd = vdd_exact_product( c.hi, d.hi ),
	          s = vdd_exact_sum( ab.hi, -cd.hi );
	const vd cross = ( a.hi * b.lo + a.lo * b.hi ) - ( c.hi * d.lo + c.lo * d.hi );
	return ( vdd ){ s.hi, ( s.lo + ( ab.lo - cd.lo ) ) + cross };
}

LANES_LONG vdd3 cross( const vdd3 *a, const vdd3 *b ) {
	return ( vdd3 ){ { det2( a->k[1], b->k[2], a->k[2], b->k[1] ), det2( a->k[2], b->k[0], a->k[0], b->k[2] ),
	                   det2( a->k[0], b->k[1], a->k[1], b->k[0] ) } };
}

LANES_LONG vd dot( const vdd3 *a, const vdd3 *b ) {
	vdd p[3];
	vd low = set( 0.0 );
	for ( int k = 0; k < 3; ++k ) {
		p[k] = vdd_exact_product( a->k[k].hi, b->k[k].hi );
		low += p[k].lo + ( a->k[k].hi * b->k[k].lo + a->k[k].lo * b->k[k].hi );
	}
	const vdd two = vdd_exact_sum( p[0].hi, p[1].hi ), three = vdd_exact_sum( two.hi, p[2].hi );
	return three.hi + ( low + ( two.lo + three.lo ) );
}

// ------------------------------------------------------------------------------------------------
// The six corners

typedef struct fine_corners {
	vdd3 a[3], b[3];
	vm known[3]; // a coordinate of a moved corner is exactly the sum of its halves
	vm plain[3]; // and its lower halves are 0
} fine_corners;

LANES_INLINE void place_fine( const dbvhi_triangle_batch *batch, size_t i, fine_corners *out ) {
	const vd zero = set( 0.0 );
	for ( int k = 0; k < 3; ++k ) {
		const double *row = batch->rot[k];
		out->known[k] = MASK( set( dbvhi_is_axis( row ) ? 1.0 : 0.0 ) != zero );
		for ( int corner = 0; corner < 3; ++corner ) {
			out->a[corner].k[k] = ( vdd ){ load( batch->fixed[3 * corner + k], i, 0 ), zero };
			vdd p[3];
			for ( int j = 0; j < 3; ++j )
				p[j] = vdd_exact_product( set( row[j] ), load( batch->moved[3 * corner + j], i, 0 ) );
			const vdd two = vdd_exact_sum( p[0].hi, p[1].hi ), three = vdd_exact_sum( two.hi, p[2].hi );
			const vdd all = vdd_exact_sum( three.hi, set( batch->pos[k] ) );
			const vd low = ( p[0].lo + p[1].lo ) + ( p[2].lo + two.lo ) + ( three.lo + all.lo );
			out->b[corner].k[k] = ( vdd ){ all.hi, low };
		}
		// note: in other coordinates a lower half of 0 may be a sum that was rounded.
		out->plain[k] = out->known[k] & MASK( out->b[0].k[k].lo == zero ) & MASK( out->b[1].k[k].lo == zero ) &
		                MASK( out->b[2].k[k].lo == zero );
	}
}

LANES_INLINE vd choose3( vm first, vm second, vd a, vd b, vd c ) {
	return choose( first, a, choose( second, b, c ) );
}

LANES_INLINE vdd fine_choose( vm first, vm second, vdd a, vdd b, vdd c ) {
	return ( vdd ){ choose3( first, second, a.hi, b.hi, c.hi ), choose3( first, second, a.lo, b.lo, c.lo ) };
}

LANES_INLINE vdd3 either3( vm first, vm second, const vdd3 *a, const vdd3 *b, const vdd3 *c ) {
	vdd3 out;
	for ( int k = 0; k < 3; ++k )
		out.k[k] = fine_choose( first, second, a->k[k], b->k[k], c->k[k] );
	return out;
}

LANES_INLINE vd largest_of( const vdd3 *a, vd so_far ) {
	return larger( larger( so_far, size_of( a->k[0].hi ) ), larger( size_of( a->k[1].hi ), size_of( a->k[2].hi ) ) );
}

// ------------------------------------------------------------------------------------------------
// In space, by the signs that exact/tri_tri.c asks for

// Is a number certainly 0, if the coordinates it comes from are exact?
LANES_INLINE vm is_zero( vdd a ) {
	return MASK( a.hi == set( 0.0 ) ) & MASK( a.lo == set( 0.0 ) );
}

LANES_INLINE vm fine_are_equal( vdd a, vdd b ) {
	return MASK( a.hi == b.hi ) & MASK( a.lo == b.lo );
}

// Is a b - c d certainly 0? `known_ad`, `known_bc`: the coordinates of a and d, and of b and c, are exact; `plain`:
// none of them has a lower half.
LANES_LONG vm is_zero_det2( vdd a, vdd b, vdd c, vdd d, vm known_ad, vm known_bc, vm plain ) {
	const vd zero = set( 0.0 );
	const vdd ab = vdd_exact_product( a.hi, b.hi ), cd = vdd_exact_product( c.hi, d.hi );
	const vm short_ones = MASK( a.lo == zero ) & MASK( b.lo == zero ) & MASK( c.lo == zero ) & MASK( d.lo == zero );
	// A product far from underflow equals the sum of its two halves.
	return ( ( ( is_zero( a ) & known_ad ) | ( is_zero( b ) & known_bc ) ) &
	         ( ( is_zero( c ) & known_bc ) | ( is_zero( d ) & known_ad ) ) ) |
	       ( plain & short_ones & fine_are_equal( ab, cd ) & MASK( size_of( ab.hi ) > set( 0x1p-900 ) ) );
}

LANES_INLINE void zeros_of_cross( const vdd3 *a, const vdd3 *b, const vm known[3], const vm plain[3], vm out[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		const int i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		out[k] = is_zero_det2( a->k[i], b->k[j], a->k[j], b->k[i], known[i], known[j], plain[i] & plain[j] );
	}
}

// Is p certainly in the plane through a, b and c, whose normal has these components of 0?
LANES_INLINE vm is_in_plane( const vdd3 *p, const vdd3 *a, const vdd3 *b, const vdd3 *c, const vm zeros[3],
                             const vm known[3] ) {
	vm from_a = zeros[0] | ~zeros[0], from_b = from_a, from_c = from_a;
	for ( int k = 0; k < 3; ++k ) {
		from_a &= zeros[k] | ( known[k] & fine_are_equal( p->k[k], a->k[k] ) );
		from_b &= zeros[k] | ( known[k] & fine_are_equal( p->k[k], b->k[k] ) );
		from_c &= zeros[k] | ( known[k] & fine_are_equal( p->k[k], c->k[k] ) );
	}
	return from_a | from_b | from_c;
}

// The sides of a plane on which the corners of a triangle lie.
typedef struct fine_sides {
	vm certain, one_side;
	vm in_plane;      // all three corners
	vm first, second; // the corner alone on its side is the first, or the second
	vm above;         // the corner alone on its side lies above
} fine_sides;

// A corner in the plane counts as below if another one is above, else as above, so that one corner is alone on its
// side.
LANES_INLINE fine_sides sides_of( const vd side[3], vd bound, const vm zero[3] ) {
	vm above[3], below[3], over[3];
	for ( int k = 0; k < 3; ++k ) {
		above[k] = MASK( side[k] > bound ) & ~zero[k];
		below[k] = MASK( -bound > side[k] ) & ~zero[k];
	}
	const vm any_above = above[0] | above[1] | above[2];
	for ( int k = 0; k < 3; ++k )
		over[k] = above[k] | ( zero[k] & ~any_above );
	fine_sides out;
	out.in_plane = zero[0] & zero[1] & zero[2];
	out.certain = ( above[0] | below[0] | zero[0] ) & ( above[1] | below[1] | zero[1] ) &
	              ( above[2] | below[2] | zero[2] ) & ~out.in_plane;
	out.one_side = ( above[0] & above[1] & above[2] ) | ( below[0] & below[1] & below[2] );
	out.first = ~( over[1] ^ over[2] );
	out.second = ~( over[0] ^ over[2] );
	out.above =
	    ( out.first & over[0] ) | ( ~out.first & out.second & over[1] ) | ( ~out.first & ~out.second & over[2] );
	return out;
}

// The corner alone on its side, and the two others in order, exchanged unless `keep`.
LANES_INLINE void turn( const vdd3 t[3], const fine_sides *own, vm keep, vdd3 out[3] ) {
	const vm f = own->first, s = own->second;
	out[0] = either3( f, s, &t[0], &t[1], &t[2] );
	const vdd3 q = either3( f, s, &t[1], &t[2], &t[0] ), r = either3( f, s, &t[2], &t[0], &t[1] );
	const vm all = keep | ~keep;
	out[1] = either3( keep, all, &q, &r, &r );
	out[2] = either3( keep, all, &r, &q, &q );
}

// The determinant D( a, b, c, d ); *zero_out: it is certainly 0, which is looked for only where some coordinates are
// `exact`.
LANES_INLINE vd determinant( const vdd3 *a, const vdd3 *b, const vdd3 *c, const vdd3 *d, int exact,
                             const fine_corners *of, vm *zero_out ) {
	const vdd3 u = difference3( a, d ), v = difference3( b, d ), w = difference3( c, d ), normal = cross( &v, &w );
	const vd value = dot( &u, &normal );
	*zero_out = MASK( value != value );
	if ( exact ) {
		vm zeros[3];
		zeros_of_cross( &v, &w, of->known, of->plain, zeros );
		*zero_out = is_in_plane( a, b, c, d, zeros, of->known );
	}
	return value;
}

// ------------------------------------------------------------------------------------------------
// Seen along an axis

LANES_INLINE vd fine_det( vdd ux, vdd uy, vdd vx, vdd vy ) {
	const vdd area = det2( ux, vy, uy, vx );
	return area.hi + area.lo;
}

// note: an edge and a corner at its end make 0, too.
LANES_INLINE vm fine_is_zero( vdd ux, vdd uy, vdd vx, vdd vy, vdd ex, vdd ey, vdd x, vdd y, vm exact, vm plain ) {
	return ( fine_are_equal( x, ex ) & fine_are_equal( y, ey ) ) | is_zero_det2( ux, vy, uy, vx, exact, exact, plain );
}

#include "query/collide/seen.inl"

// Decide by what is seen along an axis. `normal` is that of the first triangle; `coplanar`: the second one certainly
// lies in its plane.
LANES_INLINE vd decide_flat( const fine_corners *p, const vdd3 *normal, vm coplanar, vd bound ) {
	const vd sizes[3] = { size_of( normal->k[0].hi ), size_of( normal->k[1].hi ), size_of( normal->k[2].hi ) };
	fine_pair seen;
	fine_project( sizes, p->a, p->b, p->known, &seen );
	const vm exact = fine_mask_x( &seen, p->known ) & fine_mask_y( &seen, p->known );
	const vm plain = fine_mask_x( &seen, p->plain ) & fine_mask_y( &seen, p->plain );
	return fine_decide( &seen, seen.in_plane | coplanar, bound, exact, plain );
}

// ------------------------------------------------------------------------------------------------

// Errors of orientations in the plane and in space, and whether they hold.
typedef struct fine_bounds {
	vd area, volume;
	vm usable;
} fine_bounds;

LANES_INLINE fine_bounds bounds_of( const fine_corners *p, vd error ) {
	vd size = set( 0.0 );
	for ( int corner = 0; corner < 3; ++corner ) {
		const vdd3 to_a = difference3( &p->a[corner], &p->a[0] ), to_b = difference3( &p->b[corner], &p->a[0] );
		size = largest_of( &to_a, largest_of( &to_b, size ) );
	}
	// Every difference that is formed below is one of these, or a difference of two of them.
	size *= 2.0;
	const vd rounding = U * size, area = 16.0 * ( 8.0 * rounding * ( rounding + error ) + error * error );
	return ( fine_bounds ){ .area = area,
	                        .volume = 8.0 * size * area,
	                        .usable = MASK( size > set( 0x1p-300 ) ) & MASK( size < set( 0x1p300 ) ) &
	                                  MASK( error < 0x1p-20 * size ) };
}

LANES_INLINE vdd3 normal_of( const vdd3 t[3] ) {
	const vdd3 first = difference3( &t[1], &t[0] ), second = difference3( &t[2], &t[0] );
	return cross( &first, &second );
}

// Compare the corners of t with the plane of `face`, whose coordinates are `known` and `plain`.
LANES_INLINE fine_sides beside( const vdd3 t[3], const vdd3 face[3], const vm known[3], const vm plain[3],
                                const fine_corners *of, vd bound, int exact ) {
	const vdd3 first = difference3( &face[1], &face[0] ), second = difference3( &face[2], &face[0] ),
	           normal = cross( &first, &second );
	vd side[3];
	vm zero[3], zeros[3];
	if ( exact )
		zeros_of_cross( &first, &second, known, plain, zeros );
	for ( int corner = 0; corner < 3; ++corner ) {
		const vdd3 from = difference3( &t[corner], &face[0] );
		side[corner] = dot( &normal, &from );
		zero[corner] =
		    exact ? is_in_plane( &t[corner], &face[0], &face[1], &face[2], zeros, of->known ) : MASK( bound != bound );
	}
	return sides_of( side, bound, zero );
}

// Decide triangles of which each has corners on both sides of the other's plane, or in it.
LANES_INLINE vd decide_crossing( const fine_corners *p, const fine_sides *a, const fine_sides *b, vd bound,
                                 int exact ) {
	vdd3 ta[3], tb[3];
	turn( p->a, a, b->above, ta );
	turn( p->b, b, a->above, tb );
	// D( p1, q1, p2, q2 ) and D( p1, r1, r2, p2 ), see exact/tri_tri.c.
	vm first_zero, second_zero;
	const vd first = determinant( &ta[0], &ta[1], &tb[0], &tb[1], exact, p, &first_zero );
	const vd second = determinant( &ta[0], &ta[2], &tb[2], &tb[0], exact, p, &second_zero );
	const vm separated = ( MASK( -bound > first ) & ~first_zero ) | ( MASK( -bound > second ) & ~second_zero );
	const vm joined = ( MASK( first > bound ) | first_zero ) & ( MASK( second > bound ) | second_zero );
	return choose3( separated, joined, set( DBVHI_BATCH_APART ), set( DBVHI_BATCH_MEET ), set( DBVHI_BATCH_UNSURE ) );
}

// `exact`, a compile-time constant: at least one row of the rotation is an axis.
LANES_INLINE vd decide_fine( const fine_corners *p, vd error, int exact ) {
	const fine_bounds bounds = bounds_of( p, error );
	// The fixed triangle is given in doubles.
	const vm all = MASK( error == error ), given[3] = { all, all, all };
	const fine_sides a = beside( p->a, p->b, p->known, p->plain, p, bounds.volume, exact ),
	                 b = beside( p->b, p->a, given, given, p, bounds.volume, exact );
	const vm one_side = a.one_side | b.one_side;
	const vd unsure = set( DBVHI_BATCH_UNSURE );
	vd answer = choose( bounds.usable & one_side, set( DBVHI_BATCH_APART ), unsure );
	const vm crossing = bounds.usable & a.certain & b.certain & ~one_side;
	if ( bits_of( crossing ) != 0 )
		answer = choose( crossing, decide_crossing( p, &a, &b, bounds.volume, exact ), answer );
	const vm left = bounds.usable & MASK( answer == unsure );
	if ( bits_of( left ) != 0 ) {
		const vdd3 normal = normal_of( p->a );
		answer = choose( left, decide_flat( p, &normal, b.in_plane, bounds.area ), answer );
	}
	return answer;
}

dbvhi_triangle_kernel DBVHI_KERNEL_NAME( dbvhi_fine_kernel );

void DBVHI_KERNEL_NAME( dbvhi_fine_kernel )( dbvhi_triangle_batch *batch ) {
	FOR_VECTORS {
		const vd before = load( batch->answer, i, 0 );
		const vm unsure = MASK( before == set( DBVHI_BATCH_UNSURE ) );
		if ( bits_of( unsure ) == 0 )
			continue;
		fine_corners pair;
		place_fine( batch, i, &pair );
		const vd error = set( batch->error );
		const int exact = bits_of( pair.known[0] | pair.known[1] | pair.known[2] ) != 0;
		const vd out =
		    choose( unsure, exact ? decide_fine( &pair, error, 1 ) : decide_fine( &pair, error, 0 ), before );
		memcpy( batch->answer + i, &out, sizeof out );
	}
}
