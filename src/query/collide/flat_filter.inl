// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The second filter in doubles, for pairs that triangle_filter.inl leaves unsure because their triangles lie nearly in
// one plane. A pair a lane.
//
// Seen along the axis that the first triangle's normal is nearest to, two triangles are disjoint if and only if the
// line through an edge of one has the other strictly on its far side. If they are disjoint as seen, they are in space.
// If all six corners lie in one plane across that axis, which can be known for certain, they meet if they meet as seen.
//
// Errors, u = 2^-53. A moved coordinate is exact where its row of the rotation is one of the axes and adding the
// position rounds nothing off, which the second half of the sum tells (Knuth's); elsewhere it is off by E. With s the
// largest difference of two coordinates, a difference is off by 2 E + u s, and an orientation, ux vy - uy vx, by less
// than s ( 9 E + 12 u s ), as in exact/tri_tri.c. It is exactly 0 where E = 0 and each product has a factor that is 0;
// and where all coordinates are multiples of a unit of 2^-25 s or so, differences and products are exact, and so is the
// orientation.

#include "query/collide/kernel.h"
#include "simd/kernel_name.h"
#include "simd/vec_d.h"

#define U 0x1p-53
#define FOR_VECTORS for ( size_t i = 0; i < DBVHI_TRIANGLE_BATCH; i += WIDTH )

// Corners of a triangle seen along the chosen axis.
typedef struct flat_triangle {
	vd x[3], y[3];
} flat_triangle;

LANES_INLINE vd either( vm second, vm third, vd a, vd b, vd c ) {
	return choose( third, c, choose( second, b, a ) );
}

// The largest power of two that is not above x.
LANES_INLINE vd power_in( vd x ) {
	vm bits;
	memcpy( &bits, &x, sizeof bits );
	bits &= INT64_C( 0x7ff0000000000000 );
	memcpy( &x, &bits, sizeof x );
	return x;
}

// Is x no multiple of 2^-52 of a power of two? `grid` is one and a half times that power: adding it and taking it away
// again rounds x to such a multiple, as long as x is so small that the sum keeps its exponent.
LANES_INLINE vm off_grid( vd x, vd grid ) {
	return MASK( ( x + grid ) - grid != x ) | MASK( size_of( x ) > 0.25 * grid );
}

typedef struct flat_bounds {
	vd bound; // error of an orientation
	vm exact; // no coordinate was rounded
} flat_bounds;

// Limits of an orientation times `turn`. Both are 0 where it certainly is.
typedef struct flat_side {
	vd least, most;
} flat_side;

LANES_INLINE flat_side side_of( vd ux, vd uy, vd vx, vd vy, vd turn, const flat_bounds *b ) {
	const vd zero = set( 0.0 ), det = turn * ( ux * vy - uy * vx );
	const vm nothing =
	    ( MASK( ux == zero ) | MASK( vy == zero ) ) & ( MASK( uy == zero ) | MASK( vx == zero ) ) & b->exact;
	return ( flat_side ){ choose( nothing, zero, det - b->bound ), choose( nothing, zero, det + b->bound ) };
}

// Look at the edges of t. *apart becomes the largest depth at which an edge certainly has all of `other` on its far
// side: above 0, the triangles are apart. *meet becomes the least height that `other` certainly reaches on the near
// side of an edge: at 0 or above, no edge of t separates them.
LANES_INLINE void edges_of( const flat_triangle *t, const flat_triangle *other, vd turn, const flat_bounds *b,
                            vd *apart, vd *meet ) {
	for ( int k = 0; k < 3; ++k ) {
		const int next = ( k + 1 ) % 3;
		const vd ux = t->x[next] - t->x[k], uy = t->y[next] - t->y[k];
		flat_side side[3];
		for ( int corner = 0; corner < 3; ++corner )
			side[corner] = side_of( ux, uy, other->x[corner] - t->x[k], other->y[corner] - t->y[k], turn, b );
		const vd nearest = larger( side[0].most, larger( side[1].most, side[2].most ) );
		const vd inside = larger( side[0].least, larger( side[1].least, side[2].least ) );
		*apart = larger( *apart, -nearest );
		*meet = smaller( *meet, inside );
	}
}

// The extent of both triangles in a coordinate.
LANES_INLINE vd span( const vd x[3], const vd y[3] ) {
	vd low = smaller( x[0], smaller( x[1], x[2] ) ), high = larger( x[0], larger( x[1], x[2] ) );
	low = smaller( low, smaller( y[0], smaller( y[1], y[2] ) ) );
	high = larger( high, larger( y[0], larger( y[1], y[2] ) ) );
	return high - low;
}

LANES_INLINE vm are_equal( const vd x[3], const vd y[3] ) {
	return MASK( x[0] == x[1] ) & MASK( x[0] == x[2] ) & MASK( x[0] == y[0] ) & MASK( x[0] == y[1] ) &
	       MASK( x[0] == y[2] );
}

dbvhi_triangle_kernel DBVHI_KERNEL_NAME( dbvhi_flat_kernel );

void DBVHI_KERNEL_NAME( dbvhi_flat_kernel )( dbvhi_triangle_batch *batch ) {
	const vd zero = set( 0.0 );
	FOR_VECTORS {
		vd a[3][3], b[3][3]; // [coordinate][corner]
		vm rounded[3];
		for ( int k = 0; k < 3; ++k ) {
			const double *row = batch->rot[k];
			rounded[k] = MASK( set( dbvhi_is_axis( row ) ? 0.0 : 1.0 ) != zero );
			const vd offset = set( batch->pos[k] );
			for ( int corner = 0; corner < 3; ++corner ) {
				a[k][corner] = load( batch->fixed[3 * corner + k], i, 0 );
				const vd turned = row[0] * load( batch->moved[3 * corner], i, 0 ) +
				                  row[1] * load( batch->moved[3 * corner + 1], i, 0 ) +
				                  row[2] * load( batch->moved[3 * corner + 2], i, 0 );
				const vd sum = turned + offset, back = sum - turned;
				b[k][corner] = sum;
				rounded[k] |= MASK( ( turned - ( sum - back ) ) + ( offset - back ) != zero );
			}
		}
		// Look along the axis that the first triangle's normal is nearest to.
		vd normal[3], edge[2][3];
		for ( int k = 0; k < 3; ++k ) {
			edge[0][k] = a[k][1] - a[k][0];
			edge[1][k] = a[k][2] - a[k][0];
		}
		for ( int k = 0; k < 3; ++k )
			normal[k] = size_of( edge[0][( k + 1 ) % 3] * edge[1][( k + 2 ) % 3] -
			                     edge[0][( k + 2 ) % 3] * edge[1][( k + 1 ) % 3] );
		const vm second = MASK( normal[1] > normal[0] );
		const vm third = MASK( normal[2] > larger( normal[0], normal[1] ) );

		flat_triangle p, q;
		vd height_a[3], height_b[3];
		for ( int corner = 0; corner < 3; ++corner ) {
			p.x[corner] = either( second, third, a[1][corner], a[2][corner], a[0][corner] );
			p.y[corner] = either( second, third, a[2][corner], a[0][corner], a[1][corner] );
			height_a[corner] = either( second, third, a[0][corner], a[1][corner], a[2][corner] );
			q.x[corner] = either( second, third, b[1][corner], b[2][corner], b[0][corner] );
			q.y[corner] = either( second, third, b[2][corner], b[0][corner], b[1][corner] );
			height_b[corner] = either( second, third, b[0][corner], b[1][corner], b[2][corner] );
		}
		const vm rounded_x =
		    ( rounded[1] & ~second & ~third ) | ( rounded[2] & second & ~third ) | ( rounded[0] & third );
		const vm rounded_y =
		    ( rounded[2] & ~second & ~third ) | ( rounded[0] & second & ~third ) | ( rounded[1] & third );
		const vm rounded_h =
		    ( rounded[0] & ~second & ~third ) | ( rounded[1] & second & ~third ) | ( rounded[2] & third );
		const vm in_plane = ~rounded_h & are_equal( height_a, height_b );

		const vd size = larger( span( p.x, q.x ), span( p.y, q.y ) );
		const vm usable = MASK( size > set( 0x1p-300 ) ) & MASK( size < set( 0x1p300 ) ) &
		                  MASK( set( batch->error ) < 0x1p-20 * size );
		flat_bounds bounds;
		bounds.exact = ~( rounded_x | rounded_y );
		// Coordinates that are multiples of 2^-25 of the power of two in the size have differences below 2^26 and
		// products below 2^52 such units: all is exact.
		const vd grid = 1.5 * 0x1p27 * power_in( size );
		vm coarse = bounds.exact;
		for ( int corner = 0; corner < 3; ++corner ) {
			coarse &= ~( off_grid( p.x[corner], grid ) | off_grid( p.y[corner], grid ) );
			coarse &= ~( off_grid( q.x[corner], grid ) | off_grid( q.y[corner], grid ) );
		}
		const vd error = choose( bounds.exact, zero, set( batch->error ) );
		bounds.bound = choose( coarse, zero, size * ( 9.0 * error + 12.0 * U * size ) );

		const vd area_p = ( p.x[1] - p.x[0] ) * ( p.y[2] - p.y[0] ) - ( p.y[1] - p.y[0] ) * ( p.x[2] - p.x[0] );
		const vd area_q = ( q.x[1] - q.x[0] ) * ( q.y[2] - q.y[0] ) - ( q.y[1] - q.y[0] ) * ( q.x[2] - q.x[0] );
		const vm oriented = MASK( size_of( area_p ) > bounds.bound ) & MASK( size_of( area_q ) > bounds.bound );
		vd apart = set( -1.0 ), meet = set( 1.0 );
		edges_of( &p, &q, choose( MASK( area_p > zero ), set( 1.0 ), set( -1.0 ) ), &bounds, &apart, &meet );
		edges_of( &q, &p, choose( MASK( area_q > zero ), set( 1.0 ), set( -1.0 ) ), &bounds, &apart, &meet );
		const vm known = usable & oriented;
		const vd answer = choose(
		    known & MASK( apart > zero ), set( DBVHI_BATCH_APART ),
		    choose( known & in_plane & MASK( meet >= zero ), set( DBVHI_BATCH_MEET ), set( DBVHI_BATCH_UNSURE ) ) );
		// Keep the answers of the first filter.
		const vd before = load( batch->answer, i, 0 );
		const vd out = choose( MASK( before == set( DBVHI_BATCH_UNSURE ) ), answer, before );
		memcpy( batch->answer + i, &out, sizeof out );
	}
}
