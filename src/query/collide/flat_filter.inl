// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The second filter in doubles, for pairs that triangle_filter.inl leaves unsure because their triangles lie nearly in
// one plane. A pair a lane.
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

#define NUMBER vd
#define SEEN( name ) flat_##name

typedef struct flat_point {
	vd k[3];
} flat_point;

LANES_INLINE vd flat_choose( vm first, vm second, vd a, vd b, vd c ) {
	return choose( first, a, choose( second, b, c ) );
}

LANES_INLINE vd flat_difference( vd a, vd b ) {
	return a - b;
}

LANES_INLINE vd flat_det( vd ux, vd uy, vd vx, vd vy ) {
	return ux * vy - uy * vx;
}

LANES_INLINE vm flat_is_zero( vd ux, vd uy, vd vx, vd vy, vd ex, vd ey, vd x, vd y, vm exact, vm plain ) {
	const vd zero = set( 0.0 );
	(void)ex, (void)ey, (void)x, (void)y, (void)exact, (void)plain;
	return ( MASK( ux == zero ) | MASK( vy == zero ) ) & ( MASK( uy == zero ) | MASK( vx == zero ) );
}

LANES_INLINE vm flat_are_equal( vd a, vd b ) {
	return MASK( a == b );
}

#include "query/collide/seen.inl"

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

// The extent of both triangles in a coordinate.
LANES_INLINE vd span( const vd x[3], const vd y[3] ) {
	vd low = smaller( x[0], smaller( x[1], x[2] ) ), high = larger( x[0], larger( x[1], x[2] ) );
	low = smaller( low, smaller( y[0], smaller( y[1], y[2] ) ) );
	high = larger( high, larger( y[0], larger( y[1], y[2] ) ) );
	return high - low;
}

typedef struct flat_corners {
	flat_point a[3], b[3];
	vm known[3]; // a coordinate of the moved corners was not rounded
} flat_corners;

LANES_INLINE void place_flat( const dbvhi_triangle_batch *batch, size_t i, flat_corners *out ) {
	const vd zero = set( 0.0 );
	for ( int k = 0; k < 3; ++k ) {
		const double *row = batch->rot[k];
		vm rounded = MASK( set( dbvhi_is_axis( row ) ? 0.0 : 1.0 ) != zero );
		const vd offset = set( batch->pos[k] );
		for ( int corner = 0; corner < 3; ++corner ) {
			out->a[corner].k[k] = load( batch->fixed[3 * corner + k], i, 0 );
			const vd turned = row[0] * load( batch->moved[3 * corner], i, 0 ) +
			                  row[1] * load( batch->moved[3 * corner + 1], i, 0 ) +
			                  row[2] * load( batch->moved[3 * corner + 2], i, 0 );
			const vd sum = turned + offset, back = sum - turned;
			out->b[corner].k[k] = sum;
			rounded |= MASK( ( turned - ( sum - back ) ) + ( offset - back ) != zero );
		}
		out->known[k] = ~rounded;
	}
}

// Magnitudes of the normal of a triangle.
LANES_INLINE void normal_sizes( const flat_point a[3], vd out[3] ) {
	vd edge[2][3];
	for ( int k = 0; k < 3; ++k ) {
		edge[0][k] = a[1].k[k] - a[0].k[k];
		edge[1][k] = a[2].k[k] - a[0].k[k];
	}
	for ( int k = 0; k < 3; ++k ) {
		const int i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		out[k] = size_of( edge[0][i] * edge[1][j] - edge[0][j] * edge[1][i] );
	}
}

dbvhi_triangle_kernel DBVHI_KERNEL_NAME( dbvhi_flat_kernel );

void DBVHI_KERNEL_NAME( dbvhi_flat_kernel )( dbvhi_triangle_batch *batch ) {
	const vd zero = set( 0.0 ), unsure = set( DBVHI_BATCH_UNSURE );
	FOR_VECTORS {
		flat_corners corners;
		flat_pair pair;
		vd normal[3];
		place_flat( batch, i, &corners );
		normal_sizes( corners.a, normal );
		flat_project( normal, corners.a, corners.b, corners.known, &pair );
		const flat_triangle *p = &pair.a, *q = &pair.b;
		const vd size = larger( span( p->x, q->x ), span( p->y, q->y ) );
		const vm usable = MASK( size > set( 0x1p-300 ) ) & MASK( size < set( 0x1p300 ) ) &
		                  MASK( set( batch->error ) < 0x1p-20 * size );
		const vm exact = flat_mask_x( &pair, corners.known ) & flat_mask_y( &pair, corners.known );
		// Coordinates that are multiples of 2^-25 of the power of two in the size have differences below 2^26 and
		// products below 2^52 such units: all is exact.
		const vd grid = 1.5 * 0x1p27 * power_in( size );
		vm coarse = exact;
		for ( int corner = 0; corner < 3; ++corner ) {
			coarse &= ~( off_grid( p->x[corner], grid ) | off_grid( p->y[corner], grid ) );
			coarse &= ~( off_grid( q->x[corner], grid ) | off_grid( q->y[corner], grid ) );
		}
		const vd error = choose( exact, zero, set( batch->error ) );
		const vd bound = choose( coarse, zero, size * ( 9.0 * error + 12.0 * U * size ) );
		const vd answer = choose( usable, flat_decide( &pair, pair.in_plane, bound, exact, exact ), unsure );
		// Keep the answers of the first filter.
		const vd before = load( batch->answer, i, 0 );
		const vd out = choose( MASK( before == unsure ), answer, before );
		memcpy( batch->answer + i, &out, sizeof out );
	}
}
