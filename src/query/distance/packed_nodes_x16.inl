// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Nodes and leaves of two packed trees, sixteen pairs at a time, with a key for each pair on the stack: shared by the
// kernels of distance and of time of impact.

#pragma once

#include "base/assert.h"
#include "query/common/packed_nodes.inl"
#include "query/distance/nearest_run.h"

// ------------------------------------------------------------------------------------------------
// Nodes

// The boxes of a node's four children: centres, axes in columns, half extents.
typedef struct four_boxes {
	vec4 centre, axis[3];
	float4 half[3];
} four_boxes;

VECTOR_INLINE void load_boxes( const dbvhi_packed_spheres *spheres, const dbvhi_packed_box *box, four_boxes *out ) {
	typedef int32_t int4 __attribute__( ( vector_size( 16 ) ) );
	float4 number[10];
	for ( int pair = 0; pair < 5; ++pair ) {
		const int4 two = { box[0].pair[pair], box[1].pair[pair], box[2].pair[pair], box[3].pair[pair] };
		number[2 * pair] = __builtin_convertvector( two << 16, float4 );
		number[2 * pair + 1] = __builtin_convertvector( two, float4 );
	}
	const float4 step = float4_load( spheres->radius ) * ( 1.0f / ( 65536.0f * DBVHI_STEPS ) );
	const vec4 centre = vec4_load( spheres->centre );
	out->centre = ( vec4 ){ centre.x + step * number[DBVHI_OFFSET_0], centre.y + step * number[DBVHI_OFFSET_1],
	                        centre.z + step * number[DBVHI_OFFSET_2] };
	for ( int k = 0; k < 3; ++k )
		out->half[k] = step * number[DBVHI_HALF_0 + k];
	const float4 w = number[DBVHI_TURN_W], x = number[DBVHI_TURN_X], y = number[DBVHI_TURN_Y], z = number[DBVHI_TURN_Z];
	const float4 scale = 2.0f / ( w * w + x * x + y * y + z * z );
	const float4 sx = scale * x, sy = scale * y, sz = scale * z;
	const float4 wx = sx * w, wy = sy * w, wz = sz * w, xy = sx * y, xz = sx * z, yz = sy * z;
	const float4 xx = sx * x, yy = sy * y, zz = sz * z;
	out->axis[0] = ( vec4 ){ 1.0f - ( yy + zz ), xy + wz, xz - wy };
	out->axis[1] = ( vec4 ){ xy - wz, 1.0f - ( xx + zz ), yz + wx };
	out->axis[2] = ( vec4 ){ xz + wy, yz - wx, 1.0f - ( xx + yy ) };
}

// Lower bounds of the distances of children: the largest gap between the spheres, or on one of the five axes of
// boxes_overlap() or the additional one below. If the true distance is at most r, no length in the computation exceeds
// 2.8 times the sum of the radii plus r, so rounding and the deviation of the pose are covered by
// margin + margin_relative ( radii + r ). The part with the radii is subtracted here; the caller adds the rest to the
// reach. Negative gaps are how deep the volumes overlap. `order` ranks the pairs in a search for the nearest.
VECTOR_INLINE vf node_gaps( const dbvhi_packed_run *run, int32_t node_a, int32_t node_b, uint32_t *used,
                            uint32_t *a_larger, uint32_t *b_larger, vf *order ) {
	DBVHI_ASSERT( (uint32_t)node_a < run->node_count_a && (uint32_t)node_b < run->node_count_b );
	const dbvhi_packed_spheres *a = &run->spheres_a[node_a], *b = &run->spheres_b[node_b];
	four_boxes box_a, box_b;
	load_boxes( a, &run->boxes_a[DBVHI_WIDTH * node_a], &box_a );
	load_boxes( b, &run->boxes_b[DBVHI_WIDTH * node_b], &box_b );
	const vecf b0 = vecf_spread( vec4_rotate( run->rot, box_b.axis[0] ) );
	const vecf b1 = vecf_spread( vec4_rotate( run->rot, box_b.axis[1] ) );
	const vecf b2 = vecf_spread( vec4_rotate( run->rot, box_b.axis[2] ) );
	const vecf t = vecf_sub( vecf_spread( vec4_place( run->rot, run->pos, box_b.centre ) ), vecf_tile( box_a.centre ) );
	const vecf s = vecf_sub( vecf_spread( vec4_place( run->rot, run->pos, vec4_load( b->centre ) ) ),
	                         vecf_tile( vec4_load( a->centre ) ) );

	const vf radius_a = vf_tile( float4_load( a->radius ) ), radius_b = vf_spread( float4_load( b->radius ) );
	const vf radii = vf_add( radius_a, radius_b );
	*used = vf_greater( radii, vf_set( -1.0f ) ); // lanes without a child have large negative radii
	*a_larger = vf_greater( radius_a, vf_mul( radius_b, vf_set( DBVHI_SIZE_RATIO ) ) );
	*b_larger = vf_greater( radius_b, vf_mul( radius_a, vf_set( DBVHI_SIZE_RATIO ) ) );
	vf gap = vf_sub( vf_sqrt( vecf_dot( s, s ) ), radii );

	const vecf a0 = vecf_tile( box_a.axis[0] ), a1 = vecf_tile( box_a.axis[1] ), a2 = vecf_tile( box_a.axis[2] );
	const vf t0 = vecf_dot( t, a0 ), t1 = vecf_dot( t, a1 ), t2 = vecf_dot( t, a2 );
	const vf r00 = vecf_dot( a0, b0 ), r01 = vecf_dot( a0, b1 ), r02 = vecf_dot( a0, b2 );
	const vf r10 = vecf_dot( a1, b0 ), r11 = vecf_dot( a1, b1 ), r12 = vecf_dot( a1, b2 );
	const vf r20 = vecf_dot( a2, b0 ), r21 = vecf_dot( a2, b1 ), r22 = vecf_dot( a2, b2 );
	const vf f00 = vf_abs( r00 ), f01 = vf_abs( r01 ), f02 = vf_abs( r02 );
	const vf f10 = vf_abs( r10 ), f11 = vf_abs( r11 ), f12 = vf_abs( r12 );
	const vf f20 = vf_abs( r20 ), f21 = vf_abs( r21 ), f22 = vf_abs( r22 );
	const vf ha0 = vf_tile( box_a.half[0] ), ha1 = vf_tile( box_a.half[1] ), ha2 = vf_tile( box_a.half[2] );
	const vf hb0 = vf_spread( box_b.half[0] ), hb1 = vf_spread( box_b.half[1] ), hb2 = vf_spread( box_b.half[2] );

	const vf reach_a0 = vf_fma( hb1, f01, vf_fma( hb2, f02, vf_fma( hb0, f00, ha0 ) ) );
	gap = vf_max( gap, vf_sub( vf_abs( t0 ), reach_a0 ) );
	const vf reach_b0 = vf_fma( ha1, f10, vf_fma( ha2, f20, vf_fma( ha0, f00, hb0 ) ) );
	gap = vf_max( gap, vf_sub( vf_abs( vecf_dot( t, b0 ) ), reach_b0 ) );
	// note: the cross axes are of length 1 or less, so a positive gap on one is at most the distance.
	const vf reach_c22 = vf_fma( hb0, f21, vf_fma( hb1, f20, vf_fma( ha0, f12, vf_mul( ha1, f02 ) ) ) );
	gap = vf_max( gap, vf_sub( vf_abs( difference_of_products( t1, r02, t0, r12 ) ), reach_c22 ) );
	const vf reach_c12 = vf_fma( hb0, f11, vf_fma( hb1, f10, vf_fma( ha2, f02, vf_mul( ha0, f22 ) ) ) );
	gap = vf_max( gap, vf_sub( vf_abs( difference_of_products( t0, r22, t2, r02 ) ), reach_c12 ) );
	const vf reach_c21 = vf_fma( hb2, f20, vf_fma( hb0, f22, vf_fma( ha0, f11, vf_mul( ha1, f01 ) ) ) );
	gap = vf_max( gap, vf_sub( vf_abs( difference_of_products( t1, r01, t0, r11 ) ), reach_c21 ) );
	// The additional axis: the offset from the nearest point of a's box to the centre of b's. It is none of the 15
	// axes, but if two edges or corners are nearest, it is about the direction of the distance. Along it a's box ends
	// at that point.
	const vf zero = vf_set( 0.0f );
	const vf g0 = vf_sub( t0, vf_max( vf_min( t0, ha0 ), vf_sub( zero, ha0 ) ) );
	const vf g1 = vf_sub( t1, vf_max( vf_min( t1, ha1 ), vf_sub( zero, ha1 ) ) );
	const vf g2 = vf_sub( t2, vf_max( vf_min( t2, ha2 ), vf_sub( zero, ha2 ) ) );
	const vf p0 = vf_abs( vf_fma( g0, r00, vf_fma( g1, r10, vf_mul( g2, r20 ) ) ) );
	const vf p1 = vf_abs( vf_fma( g0, r01, vf_fma( g1, r11, vf_mul( g2, r21 ) ) ) );
	const vf p2 = vf_abs( vf_fma( g0, r02, vf_fma( g1, r12, vf_mul( g2, r22 ) ) ) );
	const vf gg = vf_fma( g0, g0, vf_fma( g1, g1, vf_mul( g2, g2 ) ) );
	const vf slab = vf_sub( gg, vf_fma( hb0, p0, vf_fma( hb1, p1, vf_mul( hb2, p2 ) ) ) );
	gap = vf_max( gap, vf_div( slab, vf_sqrt( vf_max( gg, vf_set( 1e-30f ) ) ) ) );

	// Among volumes with equal gaps, those whose centres are nearer to each other are likelier to hold the nearest
	// pair.
	*order = vf_fma( vf_sqrt( vecf_dot( t, t ) ), vf_set( 0.3f ), gap );
	return vf_sub( gap, vf_mul( radii, vf_set( run->margin_relative ) ) );
}

VECTOR_INLINE float reach_and_margins( const dbvhi_nearest_run *run ) {
	return run->reach * ( 1.0f + run->stretch ) + run->packed.margin;
}

VECTOR_INLINE void bring_nearest_to_top( dbvhi_nearest_run *run, uint32_t nearest ) {
	DBVHI_ASSERT( nearest < run->packed.stack_count );
	bring_to_top( &run->packed, nearest );
	const uint32_t top = run->packed.stack_count - 1;
	const float keep = run->stack_key[top];
	run->stack_key[top] = run->stack_key[nearest];
	run->stack_key[nearest] = keep;
	if ( run->stack_rank == NULL )
		return;
	const float rank = run->stack_rank[top];
	run->stack_rank[top] = run->stack_rank[nearest];
	run->stack_rank[nearest] = rank;
}

// Push the surviving pairs of children on the stack, the nearest on top. Nodes are descended as in push() of
// collide/kernel.inl, but pairs of leaves are pushed too.
#if PART_FLOATS == 16

VECTOR_INLINE void put_back( dbvhi_nearest_run *run, int32_t node_a, int32_t node_b, uint32_t lanes, uint32_t a_larger,
                             uint32_t b_larger, const vf *gaps, const vf *order ) {
	DBVHI_ASSERT( ( lanes & ~0xffffu ) == 0 );
	DBVHI_ASSERT( run->packed.stack_count + 16 <= run->packed.stack_capacity );
	dbvhi_packed_run *packed = &run->packed;
	const dbvhi_packed_box *a = &packed->boxes_a[DBVHI_WIDTH * node_a], *b = &packed->boxes_b[DBVHI_WIDTH * node_b];
	const __m512i child_a = _mm512_broadcast_i32x4( _mm_set_epi32( a[3].child, a[2].child, a[1].child, a[0].child ) );
	const __m512i spread = _mm512_set_epi32( 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0 );
	const __m512i child_b = _mm512_permutexvar_epi32(
	    spread, _mm512_castsi128_si512( _mm_set_epi32( b[3].child, b[2].child, b[1].child, b[0].child ) ) );
	const __mmask16 leaf_a = _mm512_movepi32_mask( child_a ), leaf_b = _mm512_movepi32_mask( child_b );
	const __mmask16 leaves = (__mmask16)( leaf_a & leaf_b );
	const __mmask16 a_stays = (__mmask16)( ~leaves & ( leaf_a | ( b_larger & ~leaf_b ) ) );
	const __mmask16 b_stays = (__mmask16)( ~leaves & ( leaf_b | ( a_larger & ~leaf_a ) ) );
	const __m512i lanes_a = _mm512_set_epi32( 0x8888, 0x4444, 0x2222, 0x1111, 0x8888, 0x4444, 0x2222, 0x1111, 0x8888,
	                                          0x4444, 0x2222, 0x1111, 0x8888, 0x4444, 0x2222, 0x1111 );
	const __m512i lanes_b = _mm512_set_epi32( 0xf000, 0xf000, 0xf000, 0xf000, 0xf00, 0xf00, 0xf00, 0xf00, 0xf0, 0xf0,
	                                          0xf0, 0xf0, 0xf, 0xf, 0xf, 0xf );
	const __m512i next_a = _mm512_mask_set1_epi32( child_a, a_stays, node_a );
	const __m512i next_b = _mm512_mask_set1_epi32( child_b, b_stays, node_b );
	const __m512i next_lanes = _mm512_mask_blend_epi32(
	    a_stays, _mm512_mask_blend_epi32( b_stays, _mm512_set1_epi32( 0xffff ), lanes_b ), lanes_a );
	const __mmask16 rest = (__mmask16)lanes;
	const uint32_t base = packed->stack_count;
	_mm512_storeu_si512( packed->stack_a + base, _mm512_maskz_compress_epi32( rest, next_a ) );
	_mm512_storeu_si512( packed->stack_b + base, _mm512_maskz_compress_epi32( rest, next_b ) );
	_mm512_storeu_si512( packed->stack_lanes + base, _mm512_maskz_compress_epi32( rest, next_lanes ) );
	_mm512_storeu_ps( run->stack_key + base, _mm512_maskz_compress_ps( rest, (__m512)gaps->part[0] ) );
	if ( run->stack_rank != NULL )
		_mm512_storeu_ps( run->stack_rank + base, _mm512_maskz_compress_ps( rest, (__m512)order->part[0] ) );
	packed->stack_count += (uint32_t)__builtin_popcount( rest );
	if ( ( lanes & ( lanes - 1 ) ) == 0 )
		return;
	const __m512 rank = (__m512)order->part[0];
	const uint32_t least =
	    lanes & _mm512_cmp_ps_mask( rank, _mm512_set1_ps( _mm512_mask_reduce_min_ps( rest, rank ) ), _CMP_EQ_OQ );
	const uint32_t first = least != 0 ? least & -least : lanes & -lanes; // NaN is equal to nothing
	bring_nearest_to_top( run, base + (uint32_t)__builtin_popcount( lanes & ( first - 1 ) ) );
}

#else

VECTOR_INLINE void put_back( dbvhi_nearest_run *run, int32_t node_a, int32_t node_b, uint32_t lanes, uint32_t a_larger,
                             uint32_t b_larger, const vf *gaps, const vf *order ) {
	DBVHI_ASSERT( ( lanes & ~0xffffu ) == 0 );
	DBVHI_ASSERT( run->packed.stack_count + 16 <= run->packed.stack_capacity );
	dbvhi_packed_run *packed = &run->packed;
	const dbvhi_packed_box *a = &packed->boxes_a[DBVHI_WIDTH * node_a], *b = &packed->boxes_b[DBVHI_WIDTH * node_b];
	if ( lanes == 0 )
		return;
	float key[16], rank[16];
	memcpy( key, gaps, sizeof key );
	memcpy( rank, order, sizeof rank );
	uint32_t top = packed->stack_count, nearest = top;
	float least = INFINITY_FLOAT;
	for ( ; lanes != 0; lanes &= lanes - 1 ) {
		const int lane = __builtin_ctz( lanes ), i = lane & 3, j = lane >> 2;
		const int32_t child_a = a[i].child, child_b = b[j].child;
		dbvhi_child_pair next = { child_a, child_b, 0xffff };
		if ( child_a >= 0 || child_b >= 0 )
			next = dbvhi_child_pair_of( node_a, node_b, (uint32_t)i, (uint32_t)j, child_a, child_b,
			                            a_larger >> lane & 1, b_larger >> lane & 1 );
		packed->stack_a[top] = next.a;
		packed->stack_b[top] = next.b;
		packed->stack_lanes[top] = next.lanes;
		run->stack_key[top] = key[lane];
		if ( run->stack_rank != NULL )
			run->stack_rank[top] = rank[lane];
		nearest = rank[lane] < least ? top : nearest;
		least = rank[lane] < least ? rank[lane] : least;
		top += 1;
	}
	packed->stack_count = top;
	bring_nearest_to_top( run, nearest );
}

#endif

// ------------------------------------------------------------------------------------------------
// Leaves

VECTOR_INLINE vf vf_clamp( vf x ) {
	return vf_min( vf_max( x, vf_set( 0.0f ) ), vf_set( 1.0f ) );
}

VECTOR_INLINE vecf vecf_fma( vecf d, vf t, vecf p ) {
	return ( vecf ){ vf_fma( d.x, t, p.x ), vf_fma( d.y, t, p.y ), vf_fma( d.z, t, p.z ) };
}

VECTOR_INLINE vecf vecf_scale( vf t, vecf d ) {
	return ( vecf ){ vf_mul( t, d.x ), vf_mul( t, d.y ), vf_mul( t, d.z ) };
}

// Keep a length from 0, so that a division by it gives a large number and no NaN.
VECTOR_INLINE float4 float4_positive( float4 a ) {
	return float4_max( a, ( float4 ){ 1e-30f, 1e-30f, 1e-30f, 1e-30f } );
}

// Four triangles.
typedef struct quad {
	vec4 corner[3], normal;
	float4 low, high; // extent of the corners along the normal
} quad;

VECTOR_INLINE vec4 vec4_scale( float4 t, vec4 d ) {
	return ( vec4 ){ t * d.x, t * d.y, t * d.z };
}

// Set the normals, of length 1, or less for a triangle of almost no area. The computed normal of a needle may point
// anywhere, so the triangle may have some thickness along it: `low` and `high`.
VECTOR_INLINE void quad_normal( quad *t ) {
	const vec4 n = vec4_cross( vec4_sub( t->corner[1], t->corner[0] ), vec4_sub( t->corner[2], t->corner[0] ) );
	t->normal = vec4_scale( 1.0f / float4_sqrt( float4_positive( vec4_dot( n, n ) ) ), n );
	const float4 h0 = vec4_dot( t->corner[0], t->normal ), h1 = vec4_dot( t->corner[1], t->normal ),
	             h2 = vec4_dot( t->corner[2], t->normal );
	t->low = float4_min( h0, float4_min( h1, h2 ) );
	t->high = float4_max( h0, float4_max( h1, h2 ) );
}

// 4 x 4 triangles, relative to b's origin and in units of `far`, which bounds the distance of any two corners.
typedef struct sixteen {
	quad a, b;
	double far;
	float slack; // bounds the error of gaps, see triangle_gaps(); negative: floats are too coarse
} sixteen;

VECTOR_INLINE double larger_double( double x, double y ) {
	return x > y ? x : y;
}

VECTOR_INLINE double magnitude_double( double x ) {
	return x < 0.0 ? -x : x;
}

VECTOR_INLINE void load_leaves( const dbvhi_packed_run *run, const dbvhi_packed_leaf *a, const dbvhi_packed_leaf *b,
                                sixteen *out ) {
	double offset[3], apart = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		offset[k] = (double)a->origin[k] -
		            ( run->column[0][k] * (double)b->origin[0] + run->column[1][k] * (double)b->origin[1] +
		              run->column[2][k] * (double)b->origin[2] + run->pos_exact[k] );
		apart = larger_double( apart, magnitude_double( offset[k] ) );
	}
	const double size_a = (double)dbvhi_packed_size( a->sizes ), size_b = (double)dbvhi_packed_size( b->sizes );
	const double far = 1.01 * ( apart + size_a + 1.7321 * size_b );
	const double unit = 1.0 / far, origin_error = (double)run->origin_error / (double)run->unit;
	const float u = 0x1p-24f;
	// Stored corners are off by u times the leaf's size, rotated ones by sqrt 3 times that.
	const float error = (float)( unit * ( 1.76 * (double)u * ( size_a + size_b ) + origin_error ) ) +
	                    u * ( 5.0f + 16.0f * (float)( size_b * unit ) );
	out->far = far;
	out->slack = error < 1.0f / 64.0f ? 4.0f * error + 128.0f * u : -1.0f;
	const float scale = (float)unit;
	for ( int corner = 0; corner < 3; ++corner ) {
		const vec4 p = vec4_load( a->corner[corner] ), q = vec4_load( b->corner[corner] );
		out->a.corner[corner] =
		    ( vec4 ){ scale * p.x + (float)( offset[0] * unit ), scale * p.y + (float)( offset[1] * unit ),
		              scale * p.z + (float)( offset[2] * unit ) };
		out->b.corner[corner] = vec4_rotate( run->rot, ( vec4 ){ scale * q.x, scale * q.y, scale * q.z } );
	}
}
