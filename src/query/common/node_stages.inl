// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The first two stages of every traversal of two packed trees: pairs of nodes by their spheres, then pairs of children
// by their boxes. Included by the kernels of the queries.

#pragma once

#include "base/assert.h"
#include "query/common/packed_nodes.inl"

// ------------------------------------------------------------------------------------------------
// Spheres

// Append the pairs of children whose spheres overlap to the queue of boxes. Each store writes a whole vector, whatever
// their number; the queue has room for it.
#if PART_FLOATS == 16

// Store the kept lanes, of which there are rarely more than eight. The stage of spheres mostly waits for these stores,
// so eight or fewer are written as half a vector.
VECTOR_INLINE void keep( void *out, __mmask16 lanes, int many, __m512i x ) {
	const __m512i kept = _mm512_maskz_compress_epi32( lanes, x );
	if ( __builtin_expect( many, 0 ) )
		_mm512_storeu_si512( out, kept );
	else
		_mm256_storeu_si256( out, _mm512_castsi512_si256( kept ) );
}

VECTOR_INLINE void queue_boxes( dbvhi_packed_run *run, int32_t node_a, int32_t node_b, uint32_t bits, vecf offset,
                                vf radius_a, vf radius_b ) {
	DBVHI_ASSERT( ( bits & ~0xffffu ) == 0 );
	DBVHI_ASSERT( run->box_end + 16 <= DBVHI_BOX_QUEUE );
	const __m512i lane_a = _mm512_set_epi32( 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0 );
	const __m512i lane_b = _mm512_set_epi32( 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0 );
	dbvhi_box_queue *queue = run->queue;
	const uint32_t at = run->box_end;
	const __mmask16 lanes = (__mmask16)bits;
	const __m512i id_a = _mm512_or_si512( lane_a, _mm512_set1_epi32( 4 * node_a ) );
	const __m512i id_b = _mm512_or_si512( lane_b, _mm512_set1_epi32( 4 * node_b ) );
	const uint32_t count = (uint32_t)__builtin_popcount( bits );
	const int many = count > 8;
	keep( queue->a + at, lanes, many, id_a );
	keep( queue->b + at, lanes, many, id_b );
	keep( queue->offset[0] + at, lanes, many, (__m512i)offset.x.part[0] );
	keep( queue->offset[1] + at, lanes, many, (__m512i)offset.y.part[0] );
	keep( queue->offset[2] + at, lanes, many, (__m512i)offset.z.part[0] );
	keep( queue->radius_a + at, lanes, many, (__m512i)radius_a.part[0] );
	keep( queue->radius_b + at, lanes, many, (__m512i)radius_b.part[0] );
	run->box_end = at + count;
}

#else

VECTOR_INLINE void queue_boxes( dbvhi_packed_run *run, int32_t node_a, int32_t node_b, uint32_t bits, vecf offset,
                                vf radius_a, vf radius_b ) {
	DBVHI_ASSERT( ( bits & ~0xffffu ) == 0 );
	DBVHI_ASSERT( run->box_end + 16 <= DBVHI_BOX_QUEUE );
	dbvhi_box_queue *queue = run->queue;
	uint32_t at = run->box_end;
	float x[16], y[16], z[16];
	vf_store( x, offset.x );
	vf_store( y, offset.y );
	vf_store( z, offset.z );
	const dbvhi_packed_spheres *a = &run->spheres_a[node_a], *b = &run->spheres_b[node_b];
	(void)radius_a;
	(void)radius_b;
	for ( ; bits != 0; bits &= bits - 1 ) {
		const uint32_t lane = (uint32_t)__builtin_ctz( bits ), i = lane & 3, j = lane >> 2;
		queue->a[at] = 4 * (uint32_t)node_a + i;
		queue->b[at] = 4 * (uint32_t)node_b + j;
		queue->offset[0][at] = x[lane];
		queue->offset[1][at] = y[lane];
		queue->offset[2][at] = z[lane];
		queue->radius_a[at] = a->radius[i];
		queue->radius_b[at] = b->radius[j];
		at += 1;
	}
	run->box_end = at;
}

#endif

// Result of the sphere test of 4 x 4 children: the lanes that may overlap, and the vectors that the stage of boxes
// needs.
typedef struct sphere_pairs {
	vecf offset; // from a's centre to b's
	vf radius_a, radius_b;
	uint32_t lanes;
} sphere_pairs;

VECTOR_INLINE sphere_pairs overlapping_spheres( const dbvhi_packed_run *run, int32_t node_a, int32_t node_b ) {
	DBVHI_ASSERT( (uint32_t)node_a < run->node_count_a && (uint32_t)node_b < run->node_count_b );
	const dbvhi_packed_spheres *a = &run->spheres_a[node_a], *b = &run->spheres_b[node_b];
	const vec4 centre_b = vec4_place( run->rot, run->pos, vec4_load( b->centre ) );
	const vecf offset = vecf_sub( vecf_spread( centre_b ), vecf_tile( vec4_load( a->centre ) ) );
	const vf radius_a = vf_tile( float4_load( a->radius ) ), radius_b = vf_spread( float4_load( b->radius ) );
	const vf radii = vf_add( radius_a, radius_b );
	const vf reach = vf_add( radii, vf_fma( radii, vf_set( run->margin_relative ), vf_set( run->margin ) ) );
	// reach * |reach| keeps the sign: an empty lane has a negative radius and overlaps nothing.
	const uint32_t apart = vf_greater( vecf_dot( offset, offset ), vf_mul( reach, vf_abs( reach ) ) );
	return ( sphere_pairs ){ offset, radius_a, radius_b, 0xffff & ~apart };
}

VECTOR_INLINE void test_spheres( dbvhi_packed_run *run, int32_t node_a, int32_t node_b, uint32_t lanes ) {
	DBVHI_ASSERT( ( lanes & ~0xffffu ) == 0 );
	const sphere_pairs pairs = overlapping_spheres( run, node_a, node_b );
	queue_boxes( run, node_a, node_b, lanes & pairs.lanes, pairs.offset, pairs.radius_a, pairs.radius_b );
	run->node_tests += 1;
}

// ------------------------------------------------------------------------------------------------
// Boxes

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
VECTOR_INLINE uint32_t boxes_overlap( const dbvhi_packed_run *run, const boxes *a, const boxes *b,
                                      const float_few offset[3], float_few margin, int within ) {
#define FMA few_fma
#define FMS few_fms
#define FNMA few_fnma
#define ABS few_abs
	const float_few qw = few_set( run->turn[0] ), qx = few_set( run->turn[1] );
	const float_few qy = few_set( run->turn[2] ), qz = few_set( run->turn[3] );
	// One division serves 2 / |orientation of b from a|^2 and 2 / |orientation of a|^2. It comes early, since all else
	// waits for the products below. The product of the norms is near 2^127: 2 over it would be subnormal.
	const float_few norm_a = FMA( a->z, a->z, a->y * a->y ) + FMA( a->x, a->x, a->w * a->w );
	const float_few norm_b = FMA( b->z, b->z, b->y * b->y ) + FMA( b->x, b->x, b->w * b->w );
	const float_few inverse = DBVHI_NORM_SCALE / ( norm_a * norm_b );
	const float_few scale = inverse * run->turn_scale, scale_a = inverse * ( ( 2.0f / DBVHI_NORM_SCALE ) * norm_b );

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
		from[k] = FMA( few_set( run->rot[k][0] ), b->offset[0], offset[k] - a->offset[k] ) +
		          FMA( few_set( run->rot[k][1] ), b->offset[1], few_set( run->rot[k][2] ) * b->offset[2] );
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

// Result of the box test of a batch of pairs: a bit or an element a pair.
typedef struct compared_boxes {
	uint32_t overlap, a_larger, b_larger;
	int8 child_a, child_b;
} compared_boxes;

// Compare the boxes of `count` queued pairs from `at` on, FEW at a time.
VECTOR_INLINE compared_boxes compare_boxes( const dbvhi_packed_run *run, uint32_t at, uint32_t count, int within ) {
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_BOX_BATCH );
	dbvhi_box_queue *queue = run->queue;
	compared_boxes out = { 0 };
	// Padding lanes compare the first boxes of both trees; their result is masked out below.
	if ( count % FEW != 0 ) {
		memset( queue->a + at + count, 0, FEW * sizeof queue->a[0] );
		memset( queue->b + at + count, 0, FEW * sizeof queue->b[0] );
	}
	for ( uint32_t k = 0; k == 0 || ( FEW < DBVHI_BOX_BATCH && k < count ); k += FEW ) {
		const uint32_t from = at + k;
		const float_few radius_a = few_load( queue->radius_a + from ), radius_b = few_load( queue->radius_b + from );
		const boxes a = gather_boxes( run->boxes_a, queue->a + from, radius_a );
		const boxes b = gather_boxes( run->boxes_b, queue->b + from, radius_b );
		const float_few offset[3] = { few_load( queue->offset[0] + from ), few_load( queue->offset[1] + from ),
		                              few_load( queue->offset[2] + from ) };
		const float_few margin =
		    few_fma( radius_a + radius_b, few_set( run->margin_relative ), few_set( run->margin ) );
		out.overlap |= ( boxes_overlap( run, &a, &b, offset, margin, within ) & ( ( 1u << FEW ) - 1 ) ) << k;
		out.a_larger |= few_greater( radius_a, radius_b * DBVHI_SIZE_RATIO ) << k;
		out.b_larger |= few_greater( radius_b, radius_a * DBVHI_SIZE_RATIO ) << k;
		memcpy( (int32_t *)&out.child_a + k, &a.child, sizeof a.child );
		memcpy( (int32_t *)&out.child_b + k, &b.child, sizeof b.child );
	}
	out.overlap &= ( 1u << count ) - 1;
	return out;
}

// Prefetch the leaves and nodes that were just pushed. This pays only where the trees do not fit into the near caches.
VECTOR_INLINE void fetch_leaves( const dbvhi_packed_run *run, uint32_t from ) {
	for ( uint32_t k = from; k < run->leaf_count; ++k ) {
		const char *a = (const char *)&run->leaves_a[~run->leaf_a[k]],
		           *b = (const char *)&run->leaves_b[~run->leaf_b[k]];
		for ( int line = 0; line < 3; ++line ) {
			__builtin_prefetch( a + 64 * line );
			__builtin_prefetch( b + 64 * line );
		}
	}
}

VECTOR_INLINE void fetch_nodes( const dbvhi_packed_run *run, uint32_t from ) {
	for ( uint32_t k = from; k < run->stack_count; ++k ) {
		const char *a = (const char *)&run->boxes_a[DBVHI_WIDTH * run->stack_a[k]];
		const char *b = (const char *)&run->boxes_b[DBVHI_WIDTH * run->stack_b[k]];
		const size_t last = DBVHI_WIDTH * sizeof( dbvhi_packed_box ) - 1;
		__builtin_prefetch( &run->spheres_a[run->stack_a[k]] );
		__builtin_prefetch( &run->spheres_b[run->stack_b[k]] );
		__builtin_prefetch( a );
		__builtin_prefetch( a + last );
		__builtin_prefetch( b );
		__builtin_prefetch( b + last );
	}
}

// Move the rest of the queue of boxes to its beginning. Not inlined, as it is rare; a kernel of spheres has no queue.
static __attribute__( ( noinline, unused ) ) void close_up( dbvhi_packed_run *run ) {
	DBVHI_ASSERT( run->box_begin <= run->box_end );
	dbvhi_box_queue *q = run->queue;
	const uint32_t begin = run->box_begin, left = run->box_end - begin;
	memmove( q->a, q->a + begin, left * sizeof q->a[0] );
	memmove( q->b, q->b + begin, left * sizeof q->b[0] );
	for ( int k = 0; k < 3; ++k )
		memmove( q->offset[k], q->offset[k] + begin, left * sizeof q->offset[0][0] );
	memmove( q->radius_a, q->radius_a + begin, left * sizeof q->radius_a[0] );
	memmove( q->radius_b, q->radius_b + begin, left * sizeof q->radius_b[0] );
	run->box_begin = 0;
	run->box_end = left;
}
