// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Parts of every traversal of two packed trees: vectors of four and of sixteen, the children that a pair of nodes
// leaves, and the error bounds of the triangles of two leaves. Included by the kernels of the queries.

#pragma once

#include "base/assert.h"
#include "bvh/packed_layout.h"
#include "query/common/packed_run.h"
#include "simd/kernel_name.h"
#include "simd/vec_f.h"

typedef struct vec4 {
	float4 x, y, z;
} vec4;

typedef struct vecf {
	vf x, y, z;
} vecf;

VECTOR_INLINE vec4 vec4_load( const float p[3][DBVHI_WIDTH] ) {
	return ( vec4 ){ float4_load( p[0] ), float4_load( p[1] ), float4_load( p[2] ) };
}

VECTOR_INLINE vec4 vec4_cross( vec4 a, vec4 b ) {
	return ( vec4 ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

VECTOR_INLINE float4 float4_set( float x ) {
	return x - ( float4 ){ 0 };
}

VECTOR_INLINE vec4 vec4_rotate( const float m[3][3], vec4 a ) {
	float4 out[3];
	for ( int k = 0; k < 3; ++k )
		out[k] = float4_fma( float4_set( m[k][0] ), a.x, float4_fma( float4_set( m[k][1] ), a.y, m[k][2] * a.z ) );
	return ( vec4 ){ out[0], out[1], out[2] };
}

VECTOR_INLINE vec4 vec4_place( const float m[3][3], const float pos[3], vec4 a ) {
	float4 out[3];
	for ( int k = 0; k < 3; ++k )
		out[k] = float4_fma(
		    float4_set( m[k][0] ), a.x,
		    float4_fma( float4_set( m[k][1] ), a.y, float4_fma( float4_set( m[k][2] ), a.z, float4_set( pos[k] ) ) ) );
	return ( vec4 ){ out[0], out[1], out[2] };
}

VECTOR_INLINE vecf vecf_tile( vec4 a ) {
	return ( vecf ){ vf_tile( a.x ), vf_tile( a.y ), vf_tile( a.z ) };
}

VECTOR_INLINE vecf vecf_spread( vec4 a ) {
	return ( vecf ){ vf_spread( a.x ), vf_spread( a.y ), vf_spread( a.z ) };
}

VECTOR_INLINE vecf vecf_sub( vecf a, vecf b ) {
	return ( vecf ){ vf_sub( a.x, b.x ), vf_sub( a.y, b.y ), vf_sub( a.z, b.z ) };
}

VECTOR_INLINE vf vecf_dot( vecf a, vecf b ) {
	return vf_fma( a.x, b.x, vf_fma( a.y, b.y, vf_mul( a.z, b.z ) ) );
}

// a b - c d
VECTOR_INLINE vf difference_of_products( vf a, vf b, vf c, vf d ) {
	return vf_sub( vf_mul( a, b ), vf_mul( c, d ) );
}

VECTOR_INLINE vecf vecf_cross( vecf a, vecf b ) {
	return ( vecf ){ difference_of_products( a.y, b.z, a.z, b.y ), difference_of_products( a.z, b.x, a.x, b.z ),
	                 difference_of_products( a.x, b.y, a.y, b.x ) };
}

// ------------------------------------------------------------------------------------------------
// Nodes

// Push the surviving pairs: pairs of leaves to the leaves, others on the stack, as dbvhi_child_pair_of() says. Returns
// the lanes that went on the stack.
#if PART_FLOATS == 16

VECTOR_INLINE uint32_t push( dbvhi_packed_run *run, const uint32_t *ids_a, const uint32_t *ids_b, int8 a, int8 b,
                             uint32_t lanes, uint32_t a_larger, uint32_t b_larger ) {
	DBVHI_ASSERT( ( lanes & ~0xffu ) == 0 );
	DBVHI_ASSERT( run->stack_count + 8 <= run->stack_capacity );
	DBVHI_ASSERT( run->leaf_count + 8 <= DBVHI_LEAF_QUEUE );
	const __m256i child_a = (__m256i)a, child_b = (__m256i)b;
	const __mmask8 leaf_a = _mm256_movepi32_mask( child_a ), leaf_b = _mm256_movepi32_mask( child_b );

	const __mmask8 leaves = (__mmask8)( lanes & leaf_a & leaf_b );
	_mm256_storeu_si256( (__m256i *)( run->leaf_a + run->leaf_count ), _mm256_maskz_compress_epi32( leaves, child_a ) );
	_mm256_storeu_si256( (__m256i *)( run->leaf_b + run->leaf_count ), _mm256_maskz_compress_epi32( leaves, child_b ) );
	run->leaf_count += (uint32_t)__builtin_popcount( leaves );

	const __mmask8 rest = (__mmask8)( lanes & ~leaves );
	const __mmask8 a_stays = (__mmask8)( leaf_a | ( b_larger & ~leaf_b ) );
	const __mmask8 b_stays = (__mmask8)( leaf_b | ( a_larger & ~leaf_a ) );
	const __m256i id_a = _mm256_loadu_si256( (const __m256i *)ids_a );
	const __m256i id_b = _mm256_loadu_si256( (const __m256i *)ids_b );
	const __m256i three = _mm256_set1_epi32( 3 );
	const __m256i lanes_a = _mm256_sllv_epi32( _mm256_set1_epi32( 0x1111 ), _mm256_and_si256( id_a, three ) );
	const __m256i lanes_b =
	    _mm256_sllv_epi32( _mm256_set1_epi32( 0xf ), _mm256_slli_epi32( _mm256_and_si256( id_b, three ), 2 ) );
	const __m256i next_a = _mm256_mask_srli_epi32( child_a, a_stays, id_a, 2 );
	const __m256i next_b = _mm256_mask_srli_epi32( child_b, b_stays, id_b, 2 );
	const __m256i next_lanes = _mm256_mask_mov_epi32(
	    _mm256_mask_mov_epi32( _mm256_set1_epi32( 0xffff ), b_stays, lanes_b ), a_stays, lanes_a );
	const uint32_t top = run->stack_count;
	_mm256_storeu_si256( (__m256i *)( run->stack_a + top ), _mm256_maskz_compress_epi32( rest, next_a ) );
	_mm256_storeu_si256( (__m256i *)( run->stack_b + top ), _mm256_maskz_compress_epi32( rest, next_b ) );
	_mm256_storeu_si256( (__m256i *)( run->stack_lanes + top ), _mm256_maskz_compress_epi32( rest, next_lanes ) );
	run->stack_count = top + (uint32_t)__builtin_popcount( rest );
	return rest;
}

#else

VECTOR_INLINE uint32_t push( dbvhi_packed_run *run, const uint32_t *ids_a, const uint32_t *ids_b, int8 a, int8 b,
                             uint32_t lanes, uint32_t a_larger, uint32_t b_larger ) {
	DBVHI_ASSERT( ( lanes & ~0xffu ) == 0 );
	DBVHI_ASSERT( run->stack_count + 8 <= run->stack_capacity );
	DBVHI_ASSERT( run->leaf_count + 8 <= DBVHI_LEAF_QUEUE );
	int32_t children_a[8], children_b[8];
	memcpy( children_a, &a, sizeof a );
	memcpy( children_b, &b, sizeof b );
	uint32_t rest = lanes;
	for ( ; lanes != 0; lanes &= lanes - 1 ) {
		const int lane = __builtin_ctz( lanes );
		const int32_t child_a = children_a[lane], child_b = children_b[lane];
		if ( child_a < 0 && child_b < 0 ) {
			rest &= ~( 1u << lane );
			run->leaf_a[run->leaf_count] = child_a;
			run->leaf_b[run->leaf_count++] = child_b;
			continue;
		}
		const uint32_t i = ids_a[lane] & 3, j = ids_b[lane] & 3;
		const dbvhi_child_pair next =
		    dbvhi_child_pair_of( (int32_t)( ids_a[lane] >> 2 ), (int32_t)( ids_b[lane] >> 2 ), i, j, child_a, child_b,
		                         a_larger >> lane & 1, b_larger >> lane & 1 );
		run->stack_a[run->stack_count] = next.a;
		run->stack_b[run->stack_count] = next.b;
		run->stack_lanes[run->stack_count++] = next.lanes;
	}
	return rest;
}

#endif

VECTOR_INLINE void exchange( int32_t *stack, uint32_t i, uint32_t j ) {
	const int32_t keep = stack[i];
	stack[i] = stack[j];
	stack[j] = keep;
}

VECTOR_INLINE void bring_to_top( dbvhi_packed_run *run, uint32_t at ) {
	DBVHI_ASSERT( at < run->stack_count );
	const uint32_t top = run->stack_count - 1;
	exchange( run->stack_a, at, top );
	exchange( run->stack_b, at, top );
	exchange( run->stack_lanes, at, top );
}

// ------------------------------------------------------------------------------------------------
// Leaves

typedef double double4 __attribute__( ( vector_size( 32 ) ) );

typedef struct corners {
	vecf v[3];
} corners;

// The lanes (i, j) of leaves that hold so many triangles.
VECTOR_INLINE uint32_t used_lanes( uint32_t count_a, uint32_t count_b ) {
	DBVHI_ASSERT( count_a >= 1 && count_a <= DBVHI_WIDTH && count_b >= 1 && count_b <= DBVHI_WIDTH );
	return ( 0x1111u * ( ( 1u << count_a ) - 1 ) ) & ( ( 1u << ( 4 * count_b ) ) - 1 );
}

VECTOR_INLINE vec4 vec4_sub( vec4 a, vec4 b ) {
	return ( vec4 ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

VECTOR_INLINE float4 vec4_dot( vec4 a, vec4 b ) {
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

VECTOR_INLINE float magnitude( float x ) {
	return x < 0.0f ? -x : x;
}

VECTOR_INLINE float larger( float x, float y ) {
	return x > y ? x : y;
}

// Sizes of a leaf: the largest coordinate of its own corners, its longest edge and the square of that, and the error of
// its normals.
typedef struct leaf_size {
	float largest, edge, square, off;
} leaf_size;

// Triangles of two leaves, as floats see them.
//
// Everything is relative to b's origin, in units in which the larger tree is some 2^16 wide, so that neither the fifth
// powers below overflow nor those of edges a 2^40th of that underflow. u = 2^-24; s is the largest coordinate of a
// leaf's own corners, e its longest edge, W bounds the distance in any coordinate of a corner of a from one of b.
//     corner of a              2 u W + o, o being the error of the two origins; of b: 9 u s, by a rounding, a rounded
//                              matrix and three roundings, which is 5.2 u W; together 5.2 u W + o, for no W counts
//                              twice
//     edge of a                2 u s + u e, since it comes from the leaf's own corners
//     edge of b                14 u s + 3 u e: the matrix turns both ends alike
//     normal of a              4 e ( 2 u s + u e ) + 4 u e^2 = u e ( 8 s + 8 e ) =: off_a; components up to N = 2 e^2
//     normal of b              4 e ( 14 u s + 3 u e ) + 4 u e^2 = u e ( 56 s + 16 e ) =: off_b
//     a point from a plane     3 W off + 3 N ( 5.2 u W + o ) + 18 u N W = 3 W off + e^2 ( 67.2 u W + 6 o )
//     common direction         2 ( N_a off_b + N_b off_a ) + 4 u N_a N_b =: off, components up to 2 N_a N_b = 8 P
//     projections on it        3 W off + P ( 24 ( 5.2 u W + o ) + 72 u W ), for the difference of two
// A twentieth more covers products of errors, as long as no normal is off by a fiftieth, and the rounding of the
// bounds.
#define LEAF_U 0x1p-24f

VECTOR_INLINE leaf_size size_of_a( const dbvhi_packed_run *run, const dbvhi_packed_leaf *leaf ) {
	const float largest = 1.001f * run->unit * dbvhi_packed_size( leaf->sizes );
	const float edge = run->unit * dbvhi_packed_edge( leaf->sizes ), square = edge * edge;
	return ( leaf_size ){ largest, edge, square, LEAF_U * ( 8.0f * edge * largest + 8.0f * square ) };
}

VECTOR_INLINE leaf_size size_of_b( const dbvhi_packed_run *run, const dbvhi_packed_leaf *leaf ) {
	const float largest = 1.001f * run->unit * dbvhi_packed_size( leaf->sizes );
	const float edge = run->unit * dbvhi_packed_edge( leaf->sizes ), square = edge * edge;
	return ( leaf_size ){ largest, edge, square, LEAF_U * ( 56.0f * edge * largest + 16.0f * square ) };
}

// Are the normals of both leaves exact enough for the bounds to hold?
VECTOR_INLINE int are_usable( leaf_size a, leaf_size b ) {
	return a.off <= 0.04f * a.square && b.off <= 0.04f * b.square;
}

// The origin of a leaf of B in the frame of A, in doubles.
VECTOR_INLINE double4 moved_origin( const dbvhi_packed_run *run, const dbvhi_packed_leaf *b ) {
	double4 at, columns[3];
	memcpy( columns, run->column, sizeof columns );
	memcpy( &at, run->pos_exact, sizeof at );
	for ( int k = 0; k < 3; ++k )
		at += columns[k] * (double)b->origin[k];
	return at;
}

// The vector from there to the origin of a leaf of A.
VECTOR_INLINE float4 offset_between( const dbvhi_packed_run *run, const dbvhi_packed_leaf *a, double4 origin_b ) {
	const double4 origin_a = __builtin_convertvector( float4_load( a->origin ), double4 );
	return __builtin_convertvector( ( origin_a - origin_b ) * (double)run->unit, float4 );
}

// W and the error of a point, for two leaves at that offset.
typedef struct leaf_reach {
	float all, place;
} leaf_reach;

VECTOR_INLINE leaf_reach reach_of( const dbvhi_packed_run *run, float4 offset, leaf_size a, leaf_size b ) {
	const float far = larger( magnitude( offset[0] ), larger( magnitude( offset[1] ), magnitude( offset[2] ) ) );
	const float all = 1.001f * ( far + a.largest + 1.75f * b.largest );
	return ( leaf_reach ){ all, 67.2f * LEAF_U * all + 6.0f * run->origin_error };
}

#define LEAF_TINY 0x1p-100f

VECTOR_INLINE float plane_bound( leaf_reach reach, leaf_size of_plane ) {
	return 1.05f * ( 3.0f * reach.all * of_plane.off + of_plane.square * reach.place ) + LEAF_TINY;
}

VECTOR_INLINE void leaf_b_corners( const dbvhi_packed_run *run, const dbvhi_packed_leaf *b, vec4 out[3] ) {
	for ( int corner = 0; corner < 3; ++corner )
		out[corner] = vec4_rotate( run->rot_unit, vec4_load( b->corner[corner] ) );
}

VECTOR_INLINE void leaf_a_corners( const dbvhi_packed_run *run, const dbvhi_packed_leaf *a, vec4 out[3] ) {
	for ( int corner = 0; corner < 3; ++corner ) {
		const vec4 p = vec4_load( a->corner[corner] );
		out[corner] = ( vec4 ){ run->unit * p.x, run->unit * p.y, run->unit * p.z };
	}
}

VECTOR_INLINE vec4 normal_of( const vec4 p[3] ) {
	return vec4_cross( vec4_sub( p[1], p[0] ), vec4_sub( p[2], p[0] ) );
}

VECTOR_INLINE vec4 vec4_moved( vec4 p, float4 by ) {
	return ( vec4 ){ p.x + by[0], p.y + by[1], p.z + by[2] };
}
