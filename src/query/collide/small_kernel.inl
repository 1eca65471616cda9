// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Two meshes of few triangles, compared without their trees: every leaf of one with every leaf of the other, 4 x 4
// triangles at a time. What a leaf contributes to all its pairs is computed once.

#include "base/assert.h"
#include "query/collide/kernel.h"
#include "query/collide/leaf_filter.inl"

typedef struct small_leaf {
	corners corner;
	vecf normal;
	vf at; // B only: distances of the planes from the leaf's origin
	vec4 local_corner, local_normal;
	leaf_size size;
	float radius; // radius of a ball about the leaf's origin that holds its corners
	uint32_t first, count;
} small_leaf;

// An upper limit from the largest coordinate alone: enough for a search for one contact, which ends after few pairs of
// leaves.
VECTOR_INLINE float rough_radius( leaf_size size ) {
	return 1.7321f * size.largest;
}

VECTOR_INLINE float radius_of( const dbvhi_packed_run *run, leaf_size size, const vec4 p[3] ) {
	if ( run->first_only )
		return rough_radius( size );
	const float4 square =
	    float4_max( vec4_dot( p[0], p[0] ), float4_max( vec4_dot( p[1], p[1] ), vec4_dot( p[2], p[2] ) ) );
	const float4 root = float4_sqrt( square );
	return larger( larger( root[0], root[1] ), larger( root[2], root[3] ) );
}

VECTOR_INLINE void small_leaf_a( const dbvhi_packed_run *run, const dbvhi_packed_leaf *leaf, small_leaf *out ) {
	vec4 p[3];
	leaf_a_corners( run, leaf, p );
	out->local_corner = p[0];
	out->local_normal = normal_of( p );
	for ( int corner = 0; corner < 3; ++corner )
		out->corner.v[corner] = vecf_tile( p[corner] );
	out->normal = vecf_tile( out->local_normal );
	out->size = size_of_a( run, leaf );
	out->radius = radius_of( run, out->size, p );
	out->first = leaf->first_and_count >> 2;
	out->count = ( leaf->first_and_count & 3 ) + 1;
}

VECTOR_INLINE void small_leaf_b( const dbvhi_packed_run *run, const dbvhi_packed_leaf *leaf, small_leaf *out ) {
	vec4 p[3];
	leaf_b_corners( run, leaf, p );
	const vec4 normal = normal_of( p );
	for ( int corner = 0; corner < 3; ++corner )
		out->corner.v[corner] = vecf_spread( p[corner] );
	out->normal = vecf_spread( normal );
	out->at = vf_spread( vec4_dot( normal, p[0] ) );
	out->size = size_of_b( run, leaf );
	out->radius = radius_of( run, out->size, p );
	out->first = leaf->first_and_count >> 2;
	out->count = ( leaf->first_and_count & 3 ) + 1;
}

// Are their balls near each other? A thousandth covers the roundings of corners and of the offset, which are relative
// to them.
VECTOR_INLINE int are_near( const dbvhi_packed_run *run, float4 offset, const small_leaf *a, const small_leaf *b ) {
	const float reach = 1.001f * ( a->radius + b->radius + 2.0f * run->origin_error ) + LEAF_TINY;
	const float4 square = offset * offset;
	return !( square[0] + square[1] + square[2] > reach * reach );
}

// A pair of leaves between start_pair() and finish_pair().
typedef struct small_pair {
	uint32_t a;
	float4 offset;
	leaf_reach reach;
	heights over_b, over_a;
	uint32_t left;
} small_pair;

VECTOR_INLINE corners moved_corners( const corners *of, float4 offset ) {
	const vecf shift = { vf_set( offset[0] ), vf_set( offset[1] ), vf_set( offset[2] ) };
	corners out;
	for ( int corner = 0; corner < 3; ++corner ) {
		const vecf p = of->v[corner];
		out.v[corner] = ( vecf ){ vf_add( p.x, shift.x ), vf_add( p.y, shift.y ), vf_add( p.z, shift.z ) };
	}
	return out;
}

// The tests of triangles_overlap() with the same numbers, since a product with a power of two is exact. start_pair()
// has the first two, without a branch between; finish_pair() the last, for the lanes that are left.
VECTOR_INLINE void start_pair( const dbvhi_packed_run *run, const small_leaf *a, const small_leaf *b,
                               small_pair *pair ) {
	pair->reach = reach_of( run, pair->offset, a->size, b->size );
	const corners ta = moved_corners( &a->corner, pair->offset );
	const vf at_a = vf_tile( vec4_dot( a->local_normal, vec4_moved( a->local_corner, pair->offset ) ) );
	pair->over_b = heights_over( &ta, b->normal, b->at );
	pair->over_a = heights_over( &b->corner, a->normal, at_a );
	const uint32_t apart = same_side( &pair->over_b, vf_set( plane_bound( pair->reach, b->size ) ) ) |
	                       same_side( &pair->over_a, vf_set( plane_bound( pair->reach, a->size ) ) );
	pair->left = used_lanes( a->count, b->count ) & ~( are_usable( a->size, b->size ) ? apart : 0 );
}

VECTOR_INLINE leaf_lanes finish_pair( const dbvhi_packed_run *run, const small_leaf *a, const small_leaf *b,
                                      const small_pair *pair ) {
	if ( pair->left == 0 || !are_usable( a->size, b->size ) )
		return ( leaf_lanes ){ pair->left, 0 };
	const corners ta = moved_corners( &a->corner, pair->offset );
	return compare_on_line( run, &ta, &b->corner, a->normal, b->normal, &pair->over_b, &pair->over_a, pair->reach,
	                        a->size, b->size, pair->left );
}

dbvhi_small_kernel DBVHI_KERNEL_NAME( dbvhi_small_kernel );

int DBVHI_KERNEL_NAME( dbvhi_small_kernel )( dbvhi_packed_run *run, uint32_t leaf_count_a, uint32_t leaf_count_b ) {
	DBVHI_ASSERT( leaf_count_a >= 1 && leaf_count_a <= DBVHI_SMALL_LEAVES );
	small_leaf a[DBVHI_SMALL_LEAVES], b;
	small_pair pairs[DBVHI_SMALL_LEAVES];
	uint32_t made = 0; // leaves of A; where one contact is looked for, when they are first needed
	for ( uint32_t i = 0; i < leaf_count_a; ++i ) {
		if ( run->first_only )
			a[i].radius = rough_radius( size_of_a( run, &run->leaves_a[i] ) );
		else
			small_leaf_a( run, &run->leaves_a[i], &a[i] );
	}
	// A search for one contact hands out any candidate of the first two leaves of B at once, as one of them mostly ends
	// it; from then on it fills the room.
	const uint32_t most = run->first_only && run->small_next < 2 ? 0 : DBVHI_CANDIDATES - 16 * DBVHI_SMALL_LEAVES;
	run->candidate_count = run->contact_count = 0;
	while ( run->small_next < leaf_count_b && run->candidate_count + run->contact_count <= most ) {
		const dbvhi_packed_leaf *leaf = &run->leaves_b[run->small_next++];
		const double4 origin = moved_origin( run, leaf );
		small_leaf_b( run, leaf, &b );
		uint32_t near = 0;
		for ( uint32_t i = 0; i < leaf_count_a; ++i ) {
			pairs[near].a = i;
			pairs[near].offset = offset_between( run, &run->leaves_a[i], origin );
			near += (uint32_t)are_near( run, pairs[near].offset, &a[i], &b );
		}
		for ( uint32_t i = 0; i < near && !run->first_only; ++i )
			start_pair( run, &a[pairs[i].a], &b, &pairs[i] );
		for ( uint32_t i = 0; i < near; ++i ) {
			const small_leaf *of_a = &a[pairs[i].a];
			if ( run->first_only ) {
				if ( ( made >> pairs[i].a & 1 ) == 0 )
					small_leaf_a( run, &run->leaves_a[pairs[i].a], &a[pairs[i].a] );
				made |= 1u << pairs[i].a;
				start_pair( run, of_a, &b, &pairs[i] );
			}
			keep_lanes( run, finish_pair( run, of_a, &b, &pairs[i] ), of_a->first, b.first );
			if ( run->first_only && run->contact_count > 0 )
				break;
		}
		run->leaf_tests += near;
	}
	return run->candidate_count + run->contact_count > 0;
}
