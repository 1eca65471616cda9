// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The boxes of pairs of children, a pair a lane, compared by their separating axes. Included by the kernels of the
// queries.

#pragma once

#include "bvh/packed_layout.h"
#include "query/common/packed_run.h"
#include "simd/vec_f.h"

// The pose of each lane's pair, as dbvhi_packed_run has it.
typedef struct lane_poses {
	float_few turn[4], turn_scale, rot[3][3];
} lane_poses;

// All lanes at the pose of one run.
VECTOR_INLINE lane_poses at_one_pose( const dbvhi_packed_run *run ) {
	lane_poses out = { .turn_scale = few_set( run->turn_scale ) };
	for ( int k = 0; k < 4; ++k )
		out.turn[k] = few_set( run->turn[k] );
	for ( int k = 0; k < 9; ++k )
		out.rot[k / 3][k % 3] = few_set( run->rot[k / 3][k % 3] );
	return out;
}

// The boxes of one tree for a batch of pairs, one a lane.
typedef struct boxes {
	float_few offset[3], half[3], w, x, y, z;
	int_few child;
} boxes;

VECTOR_INLINE boxes gather_boxes( const dbvhi_packed_box *table, const uint32_t *ids, float_few radius ) {
	int_few rows[6];
	few_gather_rows( table, ids, rows );
	const float_few step = radius * ( 1.0f / ( 65536.0f * DBVHI_STEPS ) );
	return ( boxes ){
	    .offset = { step * few_from_low( rows[0] ), step * few_from_high( rows[0] ), step * few_from_low( rows[1] ) },
	    .half = { step * few_from_high( rows[1] ), step * few_from_low( rows[2] ), step * few_from_high( rows[2] ) },
	    .w = few_from_low( rows[3] ),
	    .x = few_from_high( rows[3] ),
	    .y = few_from_low( rows[4] ),
	    .z = few_from_high( rows[4] ),
	    .child = rows[5] };
}

// The lanes whose boxes may overlap, by the five axes of Chang, Wang and Kim, as dbvhi_boxes_disjoint_5() of
// reference/overlap.h compares them one pair at a time (docs/engine.md names all places that compare boxes by axes).
// Most boxes that get here overlap and need every axis, so there are no early exits.
//
// The orientations are quaternions of any length: `w x y z` becomes that of b's box seen from a's, and r its matrix.
// `within`, a compile-time constant: `margin` includes a distance, up to which boxes count as overlapping.
VECTOR_INLINE uint32_t boxes_overlap( const lane_poses *pose, const boxes *a, const boxes *b, const float_few offset[3],
                                      float_few margin, int within ) {
#define FMA few_fma
#define FMS few_fms
#define FNMA few_fnma
#define ABS few_abs
	const float_few qw = pose->turn[0], qx = pose->turn[1], qy = pose->turn[2], qz = pose->turn[3];
	// One division serves 2 / |orientation of b from a|^2 and 2 / |orientation of a|^2. It comes early, since all else
	// waits for the products below. The product of the norms is near 2^127: 2 over it would be subnormal.
	const float_few norm_a = FMA( a->z, a->z, a->y * a->y ) + FMA( a->x, a->x, a->w * a->w );
	const float_few norm_b = FMA( b->z, b->z, b->y * b->y ) + FMA( b->x, b->x, b->w * b->w );
	const float_few inverse = DBVHI_NORM_SCALE / ( norm_a * norm_b );
	const float_few scale = inverse * pose->turn_scale, scale_a = inverse * ( ( 2.0f / DBVHI_NORM_SCALE ) * norm_b );

	const float_few pw = FMS( qw, b->w, qx * b->x ) - FMA( qy, b->y, qz * b->z );
	const float_few px = FMA( qx, b->w, qw * b->x ) + FMS( qy, b->z, qz * b->y );
	const float_few py = FMA( qy, b->w, qw * b->y ) + FMS( qz, b->x, qx * b->z );
	const float_few pz = FMA( qz, b->w, qw * b->z ) + FMS( qx, b->y, qy * b->x );
	const float_few w = FMA( a->x, px, a->w * pw ) + FMA( a->z, pz, a->y * py );
	const float_few x = FMS( a->w, px, a->x * pw ) + FMS( a->z, py, a->y * pz );
	const float_few y = FMS( a->w, py, a->y * pw ) + FMS( a->x, pz, a->z * px );
	const float_few z = FMS( a->w, pz, a->z * pw ) + FMS( a->y, px, a->x * py );

	// The offset from box to box, turned into a's frame.
	float_few from[3];
	for ( int k = 0; k < 3; ++k )
		from[k] = FMA( pose->rot[k][0], b->offset[0], offset[k] - a->offset[k] ) +
		          FMA( pose->rot[k][1], b->offset[1], pose->rot[k][2] * b->offset[2] );
	const float_few cx = FMS( a->y, from[2], a->z * from[1] ), cy = FMS( a->z, from[0], a->x * from[2] );
	const float_few cz = FMS( a->x, from[1], a->y * from[0] );
	const float_few dx = FNMA( a->w, cx, FMS( a->y, cz, a->z * cy ) ),
	                dy = FNMA( a->w, cy, FMS( a->z, cx, a->x * cz ) );
	const float_few dz = FNMA( a->w, cz, FMS( a->x, cy, a->y * cx ) );
	const float_few t0 = FMA( scale_a, dx, from[0] ), t1 = FMA( scale_a, dy, from[1] ),
	                t2 = FMA( scale_a, dz, from[2] );

	const float_few sx = scale * x, sy = scale * y, sz = scale * z;
	const float_few wx = sx * w, wy = sy * w, wz = sz * w, xy = sx * y, xz = sx * z, yz = sy * z, zz = sz * z;
	const float_few one = few_set( 1.0f ), rest = FNMA( sx, x, one );
	const float_few r00 = FNMA( sy, y, one ) - zz, r01 = xy - wz, r02 = xz + wy;
	const float_few r10 = xy + wz, r11 = rest - zz, r12 = yz - wx;
	const float_few r20 = xz - wy, r21 = yz + wx, r22 = FNMA( sy, y, rest );

	const float_few f00 = ABS( r00 ), f01 = ABS( r01 ), f02 = ABS( r02 );
	const float_few f10 = ABS( r10 ), f11 = ABS( r11 ), f12 = ABS( r12 );
	const float_few f20 = ABS( r20 ), f21 = ABS( r21 ), f22 = ABS( r22 );
	const float_few ha0 = a->half[0], ha1 = a->half[1], ha2 = a->half[2];
	const float_few hb0 = b->half[0], hb1 = b->half[1], hb2 = b->half[2];
	// a0
	const float_few reach_a0 = FMA( hb2, f02, FMA( hb1, f01, FMA( hb0, f00, ha0 + margin ) ) );
	uint32_t apart = few_greater( ABS( t0 ), reach_a0 );
	// b0
	const float_few reach_b0 = FMA( ha2, f20, FMA( ha1, f10, FMA( ha0, f00, hb0 + margin ) ) );
	apart |= few_greater( ABS( FMA( t2, r20, FMA( t1, r10, t0 * r00 ) ) ), reach_b0 );
	// c22
	const float_few reach_c22 = FMA( hb1, f20, FMA( hb0, f21, FMA( ha1, f02, FMA( ha0, f12, margin ) ) ) );
	apart |= few_greater( ABS( FMS( t1, r02, t0 * r12 ) ), reach_c22 );
	// c12
	const float_few reach_c12 = FMA( hb1, f10, FMA( hb0, f11, FMA( ha0, f22, FMA( ha2, f02, margin ) ) ) );
	apart |= few_greater( ABS( FMS( t0, r22, t2 * r02 ) ), reach_c12 );
	// c21
	const float_few reach_c21 = FMA( hb0, f22, FMA( hb2, f20, FMA( ha1, f01, FMA( ha0, f11, margin ) ) ) );
	apart |= few_greater( ABS( FMS( t1, r01, t0 * r11 ) ), reach_c21 );
	if ( within ) {
		// `margin` includes a distance. Where edges or corners are nearest to each other, no axis of either box shows
		// that distance, but the direction g does, from the point of a's box nearest to b's centre to that centre. In
		// this direction a reaches to that point, so the gap is |g| less what b reaches.
		const float_few g0 = t0 - few_max( few_min( t0, ha0 ), -ha0 );
		const float_few g1 = t1 - few_max( few_min( t1, ha1 ), -ha1 );
		const float_few g2 = t2 - few_max( few_min( t2, ha2 ), -ha2 );
		const float_few p0 = ABS( FMA( g0, r00, FMA( g1, r10, g2 * r20 ) ) );
		const float_few p1 = ABS( FMA( g0, r01, FMA( g1, r11, g2 * r21 ) ) );
		const float_few p2 = ABS( FMA( g0, r02, FMA( g1, r12, g2 * r22 ) ) );
		const float_few gg = FMA( g0, g0, FMA( g1, g1, g2 * g2 ) );
		const float_few slab = FNMA( hb0, p0, FNMA( hb1, p1, FNMA( hb2, p2, gg ) ) );
		const float_few limit = margin * ( 1.0f + 0x1p-20f );
		apart |= few_greater( slab * ABS( slab ), limit * limit * gg );
	}
	return ~apart;
#undef FMA
#undef FMS
#undef FNMA
#undef ABS
}
