// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two packed trees, written once and compiled for every instruction set: the including file defines
// DBVHI_KERNEL, the name of the one function it exports.
//
// Pairs of nodes wait on a stack. A chunk of them is taken off at a time; they do not depend on each other, so the
// processor overlaps them. Each is one vector test of 4 x 4 children; the survivors are written back without branches:
// pairs of leaves to a queue of their own, others to the stack. When the queue has filled, its leaves are tested, 4 x 4
// triangles at a time, and what cannot be told apart is handed out as candidates.

#include "simd/packed.h"
#include "simd/vector.h"

typedef struct vec4 {
	float4 x, y, z;
} vec4;

typedef struct vecf {
	vf x, y, z;
} vecf;

VECTOR_INLINE vec4 vec4_load( const float p[3][DBVHI_WIDTH] ) {
	return ( vec4 ){ float4_load( p[0] ), float4_load( p[1] ), float4_load( p[2] ) };
}

// base + step p
VECTOR_INLINE vec4 vec4_steps( const int16_t p[3][DBVHI_WIDTH], float step, vec4 base ) {
	return ( vec4 ){ base.x + step * float4_from_i16( p[0] ), base.y + step * float4_from_i16( p[1] ),
	                 base.z + step * float4_from_i16( p[2] ) };
}

VECTOR_INLINE vec4 vec4_cross( vec4 a, vec4 b ) {
	return ( vec4 ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

VECTOR_INLINE vec4 vec4_rotate( const float m[3][3], vec4 a ) {
	return ( vec4 ){
	    float4_fma( m[0][0] - ( float4 ){ 0 }, a.x, float4_fma( m[0][1] - ( float4 ){ 0 }, a.y, m[0][2] * a.z ) ),
	    float4_fma( m[1][0] - ( float4 ){ 0 }, a.x, float4_fma( m[1][1] - ( float4 ){ 0 }, a.y, m[1][2] * a.z ) ),
	    float4_fma( m[2][0] - ( float4 ){ 0 }, a.x, float4_fma( m[2][1] - ( float4 ){ 0 }, a.y, m[2][2] * a.z ) ) };
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

// The lanes (i, j) of nodes or leaves that hold so many.
VECTOR_INLINE uint32_t used_lanes( uint32_t count_a, uint32_t count_b ) {
	return ( 0x1111u * ( ( 1u << count_a ) - 1 ) ) & ( ( 1u << ( 4 * count_b ) ) - 1 );
}

// ------------------------------------------------------------------------------------------------
// Nodes

// Positions in the moved tree, seen from the fixed one.
VECTOR_INLINE vec4 place( const dbvhi_packed_run *run, vec4 p ) {
	vec4 out = vec4_rotate( run->rot, p );
	out.x += run->pos[0];
	out.y += run->pos[1];
	out.z += run->pos[2];
	return out;
}

// The lanes (i, j) whose volumes may overlap: spheres, then the five axes of Chang, Wang and Kim. Two thirds of the
// boxes overlap and need every axis, and sixteen lanes hardly ever agree, so there are no early exits.
//
// Margin. The position of b's centre in A's frame carries the error of float coordinates, which `margin` bounds; all
// else (axes, extents, products, the deviation of the pose from a rotation) is relative to the size of the two boxes,
// and where the spheres overlap no distance is larger than 2.8 times the sum of the radii: `margin_relative` covers it.
// docs/ARCHITECTURE.md derives both.
VECTOR_INLINE uint32_t overlap( const dbvhi_packed_run *run, const dbvhi_packed_node *a, const dbvhi_packed_node *b,
                                uint32_t *a_larger, uint32_t *b_larger ) {
	const vec4 b0_local = vec4_load( b->axis0 ), b2_local = vec4_load( b->axis2 );
	const vecf b0 = vecf_spread( vec4_rotate( run->rot, b0_local ) );
	const vecf b1 = vecf_spread( vec4_rotate( run->rot, vec4_cross( b2_local, b0_local ) ) );
	const vecf b2 = vecf_spread( vec4_rotate( run->rot, b2_local ) );
	const vec4 centre_a = vec4_load( a->centre ), centre_b = vec4_load( b->centre );
	const vecf t = vecf_sub( vecf_spread( place( run, centre_b ) ), vecf_tile( centre_a ) );
	const vec4 sphere_a = vec4_steps( a->sphere, a->step, centre_a );
	const vec4 sphere_b = vec4_steps( b->sphere, b->step, centre_b );
	const vecf s = vecf_sub( vecf_spread( place( run, sphere_b ) ), vecf_tile( sphere_a ) );

	const vf radius_a = vf_tile( float4_load( a->radius ) ), radius_b = vf_spread( float4_load( b->radius ) );
	const vf radii = vf_add( radius_a, radius_b );
	const vf margin = vf_fma( radii, vf_set( run->margin_relative ), vf_set( run->margin ) );
	const vf reach = vf_add( radii, margin );
	uint32_t apart = vf_greater( vecf_dot( s, s ), vf_mul( reach, reach ) );
	*a_larger = vf_greater( radius_a, vf_mul( radius_b, vf_set( DBVHI_SIZE_RATIO ) ) );
	*b_larger = vf_greater( radius_b, vf_mul( radius_a, vf_set( DBVHI_SIZE_RATIO ) ) );

	const vec4 a0_local = vec4_load( a->axis0 ), a2_local = vec4_load( a->axis2 );
	const vecf a0 = vecf_tile( a0_local ), a2 = vecf_tile( a2_local ),
	           a1 = vecf_tile( vec4_cross( a2_local, a0_local ) );
	const vf t0 = vecf_dot( t, a0 ), t1 = vecf_dot( t, a1 ), t2 = vecf_dot( t, a2 );
	const vf r00 = vecf_dot( a0, b0 ), r01 = vecf_dot( a0, b1 ), r02 = vecf_dot( a0, b2 );
	const vf r10 = vecf_dot( a1, b0 ), r11 = vecf_dot( a1, b1 ), r12 = vecf_dot( a1, b2 );
	const vf r20 = vecf_dot( a2, b0 ), r21 = vecf_dot( a2, b1 ), r22 = vecf_dot( a2, b2 );
	const vf f00 = vf_abs( r00 ), f01 = vf_abs( r01 ), f02 = vf_abs( r02 );
	const vf f10 = vf_abs( r10 ), f11 = vf_abs( r11 ), f12 = vf_abs( r12 );
	const vf f20 = vf_abs( r20 ), f21 = vf_abs( r21 ), f22 = vf_abs( r22 );
	const vf ha0 = vf_tile( a->step * float4_from_i16( a->half[0] ) );
	const vf ha1 = vf_tile( a->step * float4_from_i16( a->half[1] ) );
	const vf ha2 = vf_tile( a->step * float4_from_i16( a->half[2] ) );
	const vf hb0 = vf_spread( b->step * float4_from_i16( b->half[0] ) );
	const vf hb1 = vf_spread( b->step * float4_from_i16( b->half[1] ) );
	const vf hb2 = vf_spread( b->step * float4_from_i16( b->half[2] ) );

	// a0
	vf reach_a0 = vf_fma( hb0, f00, vf_add( ha0, margin ) );
	reach_a0 = vf_fma( hb1, f01, vf_fma( hb2, f02, reach_a0 ) );
	apart |= vf_greater( vf_abs( t0 ), reach_a0 );
	// b0
	vf reach_b0 = vf_fma( ha0, f00, vf_add( hb0, margin ) );
	reach_b0 = vf_fma( ha1, f10, vf_fma( ha2, f20, reach_b0 ) );
	apart |= vf_greater( vf_abs( vecf_dot( t, b0 ) ), reach_b0 );
	// c22
	vf reach_c22 = vf_fma( ha0, f12, vf_fma( ha1, f02, margin ) );
	reach_c22 = vf_fma( hb0, f21, vf_fma( hb1, f20, reach_c22 ) );
	apart |= vf_greater( vf_abs( difference_of_products( t1, r02, t0, r12 ) ), reach_c22 );
	// c12
	vf reach_c12 = vf_fma( ha2, f02, vf_fma( ha0, f22, margin ) );
	reach_c12 = vf_fma( hb0, f11, vf_fma( hb1, f10, reach_c12 ) );
	apart |= vf_greater( vf_abs( difference_of_products( t0, r22, t2, r02 ) ), reach_c12 );
	// c21
	vf reach_c21 = vf_fma( ha0, f11, vf_fma( ha1, f01, margin ) );
	reach_c21 = vf_fma( hb2, f20, vf_fma( hb0, f22, reach_c21 ) );
	apart |= vf_greater( vf_abs( difference_of_products( t1, r01, t0, r11 ) ), reach_c21 );
	return ~apart & 0xffff;
}

// Where the survivors of one pair of nodes go. A child that is a leaf, or much smaller than its partner, stays behind
// with its parent and a lane mask while the partner is divided.
#if PART_FLOATS == 16

VECTOR_INLINE void push( dbvhi_packed_run *run, const dbvhi_packed_node *a, int32_t node_a, const dbvhi_packed_node *b,
                         int32_t node_b, uint32_t lanes, uint32_t a_larger, uint32_t b_larger ) {
	const __m512i child_a = _mm512_broadcast_i32x4( _mm_loadu_si128( (const __m128i *)a->child ) );
	const __m512i order = _mm512_set_epi32( 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0 );
	const __m512i child_b =
	    _mm512_permutexvar_epi32( order, _mm512_castsi128_si512( _mm_loadu_si128( (const __m128i *)b->child ) ) );
	const __mmask16 leaf_a = _mm512_cmplt_epi32_mask( child_a, _mm512_setzero_si512() );
	const __mmask16 leaf_b = _mm512_cmplt_epi32_mask( child_b, _mm512_setzero_si512() );

	const __mmask16 leaves = (__mmask16)( lanes & leaf_a & leaf_b );
	_mm512_storeu_si512( run->leaf_a + run->leaf_count, _mm512_maskz_compress_epi32( leaves, child_a ) );
	_mm512_storeu_si512( run->leaf_b + run->leaf_count, _mm512_maskz_compress_epi32( leaves, child_b ) );
	run->leaf_count += (uint32_t)__builtin_popcount( leaves );

	const __mmask16 rest = (__mmask16)( lanes & ~leaves );
	const __mmask16 a_stays = (__mmask16)( leaf_a | ( b_larger & ~leaf_b ) );
	const __mmask16 b_stays = (__mmask16)( leaf_b | ( a_larger & ~leaf_a ) );
	const __m512i lanes_a = _mm512_set_epi32( 0x8888, 0x4444, 0x2222, 0x1111, 0x8888, 0x4444, 0x2222, 0x1111, 0x8888,
	                                          0x4444, 0x2222, 0x1111, 0x8888, 0x4444, 0x2222, 0x1111 );
	const __m512i lanes_b = _mm512_set_epi32( 0xf000, 0xf000, 0xf000, 0xf000, 0xf00, 0xf00, 0xf00, 0xf00, 0xf0, 0xf0,
	                                          0xf0, 0xf0, 0xf, 0xf, 0xf, 0xf );
	const __m512i next_a = _mm512_mask_set1_epi32( child_a, a_stays, node_a );
	const __m512i next_b = _mm512_mask_set1_epi32( child_b, b_stays, node_b );
	const __m512i next_lanes = _mm512_mask_blend_epi32(
	    a_stays, _mm512_mask_blend_epi32( b_stays, _mm512_set1_epi32( 0xffff ), lanes_b ), lanes_a );
	_mm512_storeu_si512( run->stack_a + run->stack_count, _mm512_maskz_compress_epi32( rest, next_a ) );
	_mm512_storeu_si512( run->stack_b + run->stack_count, _mm512_maskz_compress_epi32( rest, next_b ) );
	_mm512_storeu_si512( run->stack_lanes + run->stack_count, _mm512_maskz_compress_epi32( rest, next_lanes ) );
	run->stack_count += (uint32_t)__builtin_popcount( rest );
}

#else

VECTOR_INLINE void push( dbvhi_packed_run *run, const dbvhi_packed_node *a, int32_t node_a, const dbvhi_packed_node *b,
                         int32_t node_b, uint32_t lanes, uint32_t a_larger, uint32_t b_larger ) {
	for ( ; lanes != 0; lanes &= lanes - 1 ) {
		const int lane = __builtin_ctz( lanes ), i = lane & 3, j = lane >> 2;
		const int32_t child_a = a->child[i], child_b = b->child[j];
		if ( child_a < 0 && child_b < 0 ) {
			run->leaf_a[run->leaf_count] = child_a;
			run->leaf_b[run->leaf_count++] = child_b;
			continue;
		}
		const int a_stays = child_a < 0 || ( ( b_larger >> lane & 1 ) && child_b >= 0 );
		const int b_stays = child_b < 0 || ( ( a_larger >> lane & 1 ) && child_a >= 0 );
		run->stack_a[run->stack_count] = a_stays ? node_a : child_a;
		run->stack_b[run->stack_count] = b_stays ? node_b : child_b;
		run->stack_lanes[run->stack_count++] = a_stays ? 0x1111 << i : b_stays ? 0xf << ( 4 * j ) : 0xffff;
	}
}

#endif

// ------------------------------------------------------------------------------------------------
// Leaves

typedef struct corners {
	vecf v[3];
} corners;

// Exact: 24 bits with the sign.
VECTOR_INLINE float4 grid_coordinate( const dbvhi_packed_leaf *leaf, int corner, int k ) {
	return 256.0f * float4_from_i16( leaf->high[corner][k] ) + float4_from_u8( leaf->low[corner][k] );
}

VECTOR_INLINE vec4 grid_corner( const dbvhi_packed_leaf *leaf, int corner, float step ) {
	return ( vec4 ){ step * grid_coordinate( leaf, corner, 0 ), step * grid_coordinate( leaf, corner, 1 ),
	                 step * grid_coordinate( leaf, corner, 2 ) };
}

VECTOR_INLINE vf largest_coordinate( vecf p ) {
	return vf_max( vf_abs( p.x ), vf_max( vf_abs( p.y ), vf_abs( p.z ) ) );
}

// The lanes whose three points lie certainly on one side of a triangle's plane. `edge` bounds its edges; see the errors
// below, with w the largest coordinate of a point relative to the plane's.
VECTOR_INLINE uint32_t same_side( const corners *points, vecf plane_point, vecf normal, vf edge, float error ) {
	const float u = 0x1p-24f;
	const vecf w0 = vecf_sub( points->v[0], plane_point ), w1 = vecf_sub( points->v[1], plane_point );
	const vecf w2 = vecf_sub( points->v[2], plane_point );
	const vf d0 = vecf_dot( w0, normal ), d1 = vecf_dot( w1, normal ), d2 = vecf_dot( w2, normal );
	const vf farthest =
	    vf_max( largest_coordinate( w0 ), vf_max( largest_coordinate( w1 ), largest_coordinate( w2 ) ) );
	const vf w = vf_add( farthest, vf_set( 4.0f * error ) );
	// edge ( 24 E w + edge ( 12 E + 60 u w ) )
	const vf square = vf_fma( w, vf_set( 1.1f * 60.0f * u ), vf_set( 1.1f * 12.0f * error ) );
	const vf bound = vf_mul( edge, vf_fma( w, vf_set( 1.1f * 24.0f * error ), vf_mul( edge, square ) ) );
	return vf_greater( vf_min( d0, vf_min( d1, d2 ) ), bound ) |
	       vf_greater( vf_sub( vf_set( 0.0f ), bound ), vf_max( d0, vf_max( d1, d2 ) ) );
}

VECTOR_INLINE vecf normal_of( const corners *t ) {
	return vecf_cross( vecf_sub( t->v[1], t->v[0] ), vecf_sub( t->v[2], t->v[0] ) );
}

VECTOR_INLINE float4 float4_larger( float4 a, float4 b ) {
	float4 out;
	for ( int i = 0; i < 4; ++i )
		out[i] = a[i] > b[i] ? a[i] : b[i];
	return out;
}

VECTOR_INLINE float4 float4_abs( float4 a ) {
	return float4_larger( a, -a );
}

VECTOR_INLINE float4 largest_of( vec4 p, vec4 q ) {
	return float4_larger( float4_abs( p.x - q.x ), float4_larger( float4_abs( p.y - q.y ), float4_abs( p.z - q.z ) ) );
}

// The largest coordinate of the two edges from the first corner, for each triangle.
VECTOR_INLINE float4 longest_edge( const vec4 p[3] ) {
	return 1.0001f * float4_larger( largest_of( p[1], p[0] ), largest_of( p[2], p[0] ) );
}

VECTOR_INLINE double magnitude( double x ) {
	return x < 0.0 ? -x : x;
}

VECTOR_INLINE double larger( double x, double y ) {
	return x > y ? x : y;
}

// The lanes (i, j) whose triangles no plane of either, and no line common to both planes, tells apart.
//
// Everything is relative to b's origin, in units of `reach`, which bounds the distance of any two corners, so no
// coordinate or difference exceeds 1. E bounds the error of a coordinate: half a step of each grid (times sqrt 3 where
// it was rotated), the roundings of decoding and, for b, of rotating (u = 2^-24), and what the double position of the
// origins is off. ea and eb bound the coordinates of true edges: the largest computed one, and 2 E. So what is of
// second order in E is covered by the first, and a tenth is added for roundings of the bounds themselves:
//     normal of a           8 ea E + 10 u ea^2            components up to 2 ea^2
//     distance from a       24 ea E w + 12 ea^2 E + 60 u ea^2 w, for points w away in any coordinate
//     common direction      2 ( N_a off_b + N_b off_a ) + 6 u N_a N_b, for normals up to N that are off by `off`,
//                           components up to 2 N_a N_b
//     projection on it      w ( 6 ( N_a off_b + N_b off_a ) + 48 u N_a N_b ) + 12 N_a N_b E
VECTOR_INLINE uint32_t triangles_overlap( const dbvhi_packed_run *run, const dbvhi_packed_leaf *a,
                                          const dbvhi_packed_leaf *b ) {
	const uint32_t used = used_lanes( ( a->first_and_count & 3 ) + 1, ( b->first_and_count & 3 ) + 1 );

	double offset[3];
	for ( int k = 0; k < 3; ++k )
		offset[k] = (double)a->origin[k] -
		            ( run->rot_exact[k][0] * (double)b->origin[0] + run->rot_exact[k][1] * (double)b->origin[1] +
		              run->rot_exact[k][2] * (double)b->origin[2] + run->pos_exact[k] );
	const double far = larger( magnitude( offset[0] ), larger( magnitude( offset[1] ), magnitude( offset[2] ) ) );
	const double reach = 1.01 * ( far + (double)a->size + 1.7321 * (double)b->size );
	const double unit = 1.0 / reach;
	const float u = 0x1p-24f;
	const float error = (float)( unit * ( 0.88 * ( (double)a->step + (double)b->step ) + run->origin_error ) ) +
	                    u * ( 5.0f + 16.0f * (float)( (double)b->size * unit ) );
	if ( !( error < 1.0f / 64.0f ) )
		return used;
	corners ta, tb;
	const float step_a = (float)( (double)a->step * unit ), step_b = (float)( (double)b->step * unit );
	vec4 pa[3], pb[3];
	for ( int corner = 0; corner < 3; ++corner ) {
		pa[corner] = grid_corner( a, corner, step_a );
		pa[corner].x += (float)( offset[0] * unit );
		pa[corner].y += (float)( offset[1] * unit );
		pa[corner].z += (float)( offset[2] * unit );
		pb[corner] = vec4_rotate( run->rot, grid_corner( b, corner, step_b ) );
		ta.v[corner] = vecf_tile( pa[corner] );
		tb.v[corner] = vecf_spread( pb[corner] );
	}
	const float4 edge_a = longest_edge( pa ) + 2.0f * error, edge_b = longest_edge( pb ) + 2.0f * error;
	const vf ea = vf_tile( edge_a ), eb = vf_spread( edge_b );

	const vecf normal_b = normal_of( &tb );
	uint32_t apart = same_side( &ta, tb.v[0], normal_b, eb, error );
	if ( ( used & ~apart ) == 0 )
		return 0;
	const vecf normal_a = normal_of( &ta );
	apart |= same_side( &tb, ta.v[0], normal_a, ea, error );
	if ( ( used & ~apart ) == 0 )
		return 0;
	// Along the line that both planes share, relative to b's first corner.
	const vf off_a = vf_mul( ea, vf_fma( ea, vf_set( 10.0f * u ), vf_set( 8.0f * error ) ) );
	const vf off_b = vf_mul( eb, vf_fma( eb, vf_set( 10.0f * u ), vf_set( 8.0f * error ) ) );
	const vf size_a = vf_add( largest_coordinate( normal_a ), off_a );
	const vf size_b = vf_add( largest_coordinate( normal_b ), off_b );
	const vecf line = vecf_cross( normal_a, normal_b );
	const vecf w0 = vecf_sub( ta.v[0], tb.v[0] ), w1 = vecf_sub( ta.v[1], tb.v[0] ), w2 = vecf_sub( ta.v[2], tb.v[0] );
	const vf farthest =
	    vf_max( largest_coordinate( w0 ), vf_max( largest_coordinate( w1 ), largest_coordinate( w2 ) ) );
	const vf w = vf_add( vf_max( farthest, eb ), vf_set( 4.0f * error ) );
	const vf mixed = vf_fma( size_a, off_b, vf_mul( size_b, off_a ) ), product = vf_mul( size_a, size_b );
	const vf per_distance = vf_fma( mixed, vf_set( 2.2f * 6.0f ), vf_mul( product, vf_set( 2.2f * 48.0f * u ) ) );
	const vf bound = vf_fma( w, per_distance, vf_mul( product, vf_set( 2.2f * 12.0f * error ) ) );
	const vf zero = vf_set( 0.0f );
	const vf a0 = vecf_dot( w0, line ), a1 = vecf_dot( w1, line ), a2 = vecf_dot( w2, line );
	const vf b1 = vecf_dot( vecf_sub( tb.v[1], tb.v[0] ), line ), b2 = vecf_dot( vecf_sub( tb.v[2], tb.v[0] ), line );
	const vf low_a = vf_min( a0, vf_min( a1, a2 ) ), high_a = vf_max( a0, vf_max( a1, a2 ) );
	const vf low_b = vf_min( zero, vf_min( b1, b2 ) ), high_b = vf_max( zero, vf_max( b1, b2 ) );
	apart |= vf_greater( vf_max( vf_sub( low_a, high_b ), vf_sub( low_b, high_a ) ), bound );
	return used & ~apart;
}

static void test_leaves( dbvhi_packed_run *run ) {
	uint32_t count = run->candidate_count;
	for ( uint32_t k = 0; k < run->leaf_count; ++k ) {
		const dbvhi_packed_leaf *a = &run->leaves_a[~run->leaf_a[k]], *b = &run->leaves_b[~run->leaf_b[k]];
		uint32_t lanes = triangles_overlap( run, a, b );
		for ( ; lanes != 0; lanes &= lanes - 1 ) {
			const uint32_t lane = (uint32_t)__builtin_ctz( lanes );
			run->candidates[count].a = ( a->first_and_count >> 2 ) + ( lane & 3 );
			run->candidates[count++].b = ( b->first_and_count >> 2 ) + ( lane >> 2 );
		}
	}
	run->leaf_tests += run->leaf_count;
	run->leaf_count = 0;
	run->candidate_count = count;
}

// ------------------------------------------------------------------------------------------------

int DBVHI_KERNEL( dbvhi_packed_run *run ) {
	run->candidate_count = 0;
	for ( ;; ) {
		// A search for the first contact begins depth first and with few leaves at a time, where it is soon over if there
		// is one, and goes over to full chunks once there seems to be none.
		const int eager = run->first_only && run->node_tests < DBVHI_EAGER_TESTS;
		const uint32_t leaf_batch = eager ? 2 : DBVHI_LEAF_BATCH, chunk = eager ? 4 : DBVHI_CHUNK;
		const int last = run->stack_count == 0;
		if ( run->leaf_count >= leaf_batch || ( last && run->leaf_count > 0 ) ) {
			test_leaves( run );
			// The double filter takes as many at a time; a few are left until then.
			if ( run->candidate_count >= ( eager ? DBVHI_TRIANGLE_BATCH / 2 : DBVHI_TRIANGLE_BATCH ) )
				return 1;
		}
		if ( last )
			return run->candidate_count > 0;
		int32_t chunk_a[DBVHI_CHUNK], chunk_b[DBVHI_CHUNK], chunk_lanes[DBVHI_CHUNK];
		const uint32_t count = run->stack_count < chunk ? run->stack_count : chunk;
		const uint32_t base = run->stack_count - count;
		// One by one, which `volatile` makes the compiler do: a wide load over several stores that are still on their
		// way would have to wait for all of them.
		for ( uint32_t k = 0; k < count; ++k ) {
			chunk_a[k] = *(volatile int32_t *)( run->stack_a + base + k );
			chunk_b[k] = *(volatile int32_t *)( run->stack_b + base + k );
			chunk_lanes[k] = *(volatile int32_t *)( run->stack_lanes + base + k );
		}
		run->stack_count = base;
		run->node_tests += count;
		for ( uint32_t k = 0; k < count; ++k ) {
			const dbvhi_packed_node *a = &run->nodes_a[chunk_a[k]], *b = &run->nodes_b[chunk_b[k]];
			uint32_t a_larger, b_larger;
			const uint32_t lanes = overlap( run, a, b, &a_larger, &b_larger ) & (uint32_t)chunk_lanes[k] &
			                       used_lanes( a->child_count, b->child_count );
			push( run, a, chunk_a[k], b, chunk_b[k], lanes, a_larger, b_larger );
		}
	}
}
