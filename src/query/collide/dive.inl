// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A guess at a contact of meshes whose boxes touch: straight down to one pair of leaves, always to the children whose
// spheres are nearest for their size, without testing boxes. Where two faces lie on each other, this mostly ends at a
// contact. A part of kernel.inl.

#pragma once

#include "query/collide/leaf_filter.inl"
#include "query/common/node_stages.inl"

// The lane with the least of these numbers; 16 if there is none.
VECTOR_INLINE uint32_t least_lane( vf x, uint32_t lanes ) {
#if PART_FLOATS == 16
	const __m512 others_last =
	    _mm512_mask_mov_ps( _mm512_set1_ps( INFINITY_FLOAT ), (__mmask16)lanes, (__m512)x.part[0] );
	const __m512 least = _mm512_set1_ps( _mm512_reduce_min_ps( others_last ) );
	const uint32_t first = lanes & _mm512_cmp_ps_mask( others_last, least, _CMP_EQ_OQ );
	return first != 0 ? (uint32_t)__builtin_ctz( first ) : 16;
#else
	float value[16], least = INFINITY_FLOAT;
	uint32_t best = 16;
	vf_store( value, x );
	for ( ; lanes != 0; lanes &= lanes - 1 ) {
		const uint32_t lane = (uint32_t)__builtin_ctz( lanes );
		best = value[lane] < least ? lane : best;
		least = value[lane] < least ? value[lane] : least;
	}
	return best;
#endif
}

dbvhi_collide_kernel DBVHI_KERNEL_NAME( dbvhi_dive_kernel );

int DBVHI_KERNEL_NAME( dbvhi_dive_kernel )( dbvhi_packed_run *run ) {
	dbvhi_child_pair at = { 0, 0, 0xffff };
	run->candidate_count = run->contact_count = 0;
	for ( ;; ) {
		const sphere_pairs pairs = overlapping_spheres( run, at.a, at.b );
		const vf radii = vf_add( pairs.radius_a, pairs.radius_b );
		const vf rank = vf_div( vecf_dot( pairs.offset, pairs.offset ), vf_mul( radii, radii ) );
		const uint32_t lane = least_lane( rank, pairs.lanes & (uint32_t)at.lanes );
		run->node_tests += 1;
		if ( lane == 16 )
			return 0;
		const uint32_t i = lane & 3, j = lane >> 2;
		const int32_t child_a = run->boxes_a[DBVHI_WIDTH * at.a + (int32_t)i].child;
		const int32_t child_b = run->boxes_b[DBVHI_WIDTH * at.b + (int32_t)j].child;
		if ( child_a < 0 && child_b < 0 ) {
			const dbvhi_packed_leaf *a = &run->leaves_a[~child_a], *b = &run->leaves_b[~child_b];
			keep_lanes( run, triangles_overlap( run, a, b ), a->first_and_count >> 2, b->first_and_count >> 2 );
			run->leaf_tests += 1;
			return run->candidate_count + run->contact_count > 0;
		}
		const float radius_a = run->spheres_a[at.a].radius[i], radius_b = run->spheres_b[at.b].radius[j];
		at = dbvhi_child_pair_of( at.a, at.b, i, j, child_a, child_b, radius_a > DBVHI_SIZE_RATIO * radius_b,
		                          radius_b > DBVHI_SIZE_RATIO * radius_a );
	}
}
