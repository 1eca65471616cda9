// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The filter in floats for the triangles of two leaves, 4 x 4 at a time. It finds the lanes whose triangles are
// certainly apart and those whose triangles certainly meet. packed_nodes.inl derives the errors of coordinates and
// normals.

#pragma once

#include "query/collide/kernel.h"
#include "query/common/packed_nodes.inl"

// Signed distances of the corners of a triangle from a plane, times the length of the plane's normal.
typedef struct heights {
	vf of[3];
} heights;

// Heights over the plane normal . x = at.
VECTOR_INLINE heights heights_over( const corners *points, vecf normal, vf at ) {
	heights out;
	for ( int k = 0; k < 3; ++k ) {
		const vecf *p = &points->v[k];
		out.of[k] = vf_fma( p->x, normal.x, vf_fma( p->y, normal.y, vf_fms( p->z, normal.z, at ) ) );
	}
	return out;
}

VECTOR_INLINE vf least_of( const heights *d ) {
	return vf_min( d->of[0], vf_min( d->of[1], d->of[2] ) );
}

VECTOR_INLINE vf most_of( const heights *d ) {
	return vf_max( d->of[0], vf_max( d->of[1], d->of[2] ) );
}

// The least magnitude of the three heights.
VECTOR_INLINE vf nearest_of( const heights *d ) {
	return vf_min( vf_abs( d->of[0] ), vf_min( vf_abs( d->of[1] ), vf_abs( d->of[2] ) ) );
}

// The lanes whose three corners certainly lie on one side.
VECTOR_INLINE uint32_t same_side( const heights *d, vf bound ) {
	return vf_greater( least_of( d ), bound ) | vf_greater( vf_sub( vf_set( 0.0f ), bound ), most_of( d ) );
}

// Lanes of two leaves: those that no test has separated, and of these the ones whose triangles certainly meet.
typedef struct leaf_lanes {
	uint32_t left, meet;
} leaf_lanes;

// Interval of a line that a triangle certainly covers, low to high, and the one that it covers at most.
typedef struct cover {
	vf low, high, low_most, high_most;
} cover;

// Interval in which a triangle meets a plane, on a line in that plane. `d`: the heights of its corners over the plane,
// each off by at most `bound`, and above 8 bounds in a lane that counts; `p`: its corners projected on the line. One
// corner is alone on its side: the one whose height has another sign than the middle one of the three heights. The
// edges from there cross the plane at s = d0 / D of their length, D = d0 - d1. That is off by bound / |true D| < 8/7
// bound / |D|, as |D| is more than 16 bounds, and by four roundings, for which the rest of 2 bound / |D| is enough: |D|
// < 12 W e^2, bound > 70 u W e^2.
VECTOR_INLINE cover cover_of( const heights *d, const heights *p, vf bound ) {
	const vf zero = vf_set( 0.0f );
	const vf middle = vf_max( vf_min( d->of[0], d->of[1] ), vf_min( vf_max( d->of[0], d->of[1] ), d->of[2] ) );
	const vf is_1 = vf_mul( d->of[1], middle ), is_2 = vf_mul( d->of[2], middle ); // negative: alone
#define ALONE( x ) vf_select_less( is_2, zero, x->of[2], vf_select_less( is_1, zero, x->of[1], x->of[0] ) )
	const vf d_alone = ALONE( d ), p_alone = ALONE( p );
#undef ALONE
	vf at[2], off[2];
	for ( int edge = 0; edge < 2; ++edge ) {
		const vf taken = edge == 0 ? is_1 : is_2;
		const vf d_end = vf_select_less( taken, zero, d->of[0], d->of[1 + edge] );
		const vf way = vf_sub( vf_select_less( taken, zero, p->of[0], p->of[1 + edge] ), p_alone );
		const vf share = vf_div( way, vf_sub( d_alone, d_end ) );
		at[edge] = vf_fma( share, d_alone, p_alone );
		off[edge] = vf_mul( bound, vf_abs( share ) );
	}
	const vf most = vf_max( off[0], off[1] ), margin = vf_add( most, most );
	const vf low = vf_min( at[0], at[1] ), high = vf_max( at[0], at[1] );
	return ( cover ){ vf_add( low, margin ), vf_sub( high, margin ), vf_sub( low, margin ), vf_add( high, margin ) };
}

// Two leaves on the line that the planes of each lane's triangles have in common.
typedef struct line_pair {
	heights over_b, over_a; // A's corners over B's planes; B's over A's
	heights a, b;           // the corners projected on the line
	float bound_b, bound_a; // error of a height over a plane of B, and of A
	float bound;            // error of a difference of projections
} line_pair;

// The lanes whose corners are all far enough from a plane for cover_of(). The fixed limit keeps products of two heights
// from underflowing.
VECTOR_INLINE uint32_t off_plane( const heights *over, float bound ) {
	return vf_greater( nearest_of( over ), vf_set( larger( 8.0f * bound, 0x1p-60f ) ) );
}

// Decide the lanes whose triangles certainly cross each other's planes, by the intervals that they cover of the line.
// Not inlined, as most pairs of leaves end before.
//
// A difference of projections of two corners is off by at most `bound`, and so is one of two points that divide edges
// in the true ratio. The ends of intervals, up to 24 W P, and their difference are rounded, by less than two bounds
// together, since bound > 197 u W P.
static __attribute__( ( noinline ) ) leaf_lanes decide_crossing( const line_pair *t, uint32_t left,
                                                                 uint32_t crossing ) {
	const cover of_a = cover_of( &t->over_b, &t->a, vf_set( t->bound_b ) );
	const cover of_b = cover_of( &t->over_a, &t->b, vf_set( t->bound_a ) );
	const vf three = vf_set( 3.0f * t->bound );
	// note: two comparisons, since a minimum may drop a NaN, which must count as no contact.
	const uint32_t meet =
	    vf_greater( vf_sub( of_a.high, of_b.low ), three ) & vf_greater( vf_sub( of_b.high, of_a.low ), three );
	const uint32_t apart =
	    vf_greater( vf_max( vf_sub( of_a.low_most, of_b.high_most ), vf_sub( of_b.low_most, of_a.high_most ) ), three );
	left &= ~( crossing & apart );
	return ( leaf_lanes ){ left, crossing & meet };
}

// Drop the lanes whose triangles are apart on the line common to their planes, and decide others.
VECTOR_INLINE leaf_lanes compare_on_line( const dbvhi_packed_run *run, const corners *ta, const corners *tb,
                                          vecf normal_a, vecf normal_b, const heights *over_b, const heights *over_a,
                                          leaf_reach reach, leaf_size size_a, leaf_size size_b, uint32_t left ) {
	const vecf line = vecf_cross( normal_a, normal_b );
	heights a, b;
	for ( int k = 0; k < 3; ++k ) {
		a.of[k] = vecf_dot( ta->v[k], line );
		b.of[k] = vecf_dot( tb->v[k], line );
	}
	const float product = size_a.square * size_b.square;
	const float off = 4.0f * ( size_a.square * size_b.off + size_b.square * size_a.off ) + 16.0f * LEAF_U * product;
	const float bound =
	    1.05f * ( 3.0f * reach.all * off + product * ( 197.0f * LEAF_U * reach.all + 24.0f * run->origin_error ) ) +
	    LEAF_TINY;
	left &= ~vf_greater( vf_max( vf_sub( least_of( &a ), most_of( &b ) ), vf_sub( least_of( &b ), most_of( &a ) ) ),
	                     vf_set( bound ) );
	if ( left == 0 || !run->keeps_contacts )
		return ( leaf_lanes ){ left, 0 };
	const float bound_a = plane_bound( reach, size_a ), bound_b = plane_bound( reach, size_b );
	const uint32_t crossing = left & off_plane( over_b, bound_b ) & off_plane( over_a, bound_a );
	if ( crossing == 0 )
		return ( leaf_lanes ){ left, 0 };
	const line_pair pair = {
	    .over_b = *over_b, .over_a = *over_a, .a = a, .b = b, .bound_b = bound_b, .bound_a = bound_a, .bound = bound };
	return decide_crossing( &pair, left, crossing );
}

// The lanes (i, j) whose triangles are separated neither by the plane of one of them nor on the line common to both
// planes. Each test computes what it needs when its turn comes, since the one before often leaves no lane.
VECTOR_INLINE leaf_lanes triangles_overlap( const dbvhi_packed_run *run, const dbvhi_packed_leaf *a,
                                            const dbvhi_packed_leaf *b ) {
	const uint32_t used = used_lanes( ( a->first_and_count & 3 ) + 1, ( b->first_and_count & 3 ) + 1 );
	const float4 offset = offset_between( run, a, moved_origin( run, b ) );
	const leaf_size size_a = size_of_a( run, a ), size_b = size_of_b( run, b );
	const leaf_reach reach = reach_of( run, offset, size_a, size_b );
	const leaf_lanes none = { 0, 0 };
	if ( !are_usable( size_a, size_b ) )
		return ( leaf_lanes ){ used, 0 };

	vec4 pb[3];
	leaf_b_corners( run, b, pb );
	const vec4 local_b = normal_of( pb );
	const vecf normal_b = vecf_spread( local_b );
	const vecf shift = { vf_set( offset[0] ), vf_set( offset[1] ), vf_set( offset[2] ) };
	const vf scale = vf_set( run->unit );
	corners ta;
	for ( int corner = 0; corner < 3; ++corner ) {
		const vecf p = vecf_tile( vec4_load( a->corner[corner] ) );
		ta.v[corner] =
		    ( vecf ){ vf_fma( scale, p.x, shift.x ), vf_fma( scale, p.y, shift.y ), vf_fma( scale, p.z, shift.z ) };
	}
	const heights over_b = heights_over( &ta, normal_b, vf_spread( vec4_dot( local_b, pb[0] ) ) );
	uint32_t left = used & ~same_side( &over_b, vf_set( plane_bound( reach, size_b ) ) );
	if ( left == 0 )
		return none;

	vec4 pa[3];
	leaf_a_corners( run, a, pa );
	const vec4 local_a = normal_of( pa );
	const vecf normal_a = vecf_tile( local_a );
	corners tb;
	for ( int corner = 0; corner < 3; ++corner )
		tb.v[corner] = vecf_spread( pb[corner] );
	const heights over_a = heights_over( &tb, normal_a, vf_tile( vec4_dot( local_a, vec4_moved( pa[0], offset ) ) ) );
	left &= ~same_side( &over_a, vf_set( plane_bound( reach, size_a ) ) );
	return left == 0
	           ? none
	           : compare_on_line( run, &ta, &tb, normal_a, normal_b, &over_b, &over_a, reach, size_a, size_b, left );
}

// Are two leaves of which many lanes are left apart by a plane (flat_leaves.c)? Asked only once the run wants it.
VECTOR_INLINE int are_flat_and_apart( dbvhi_packed_run *run, leaf_lanes lanes, int32_t leaf_a, int32_t leaf_b ) {
	return __builtin_expect( run->leaves_separated != NULL, 0 ) && lanes.meet == 0 &&
	       __builtin_popcount( lanes.left ) >= DBVHI_FLAT_LANES && run->leaves_separated( run, leaf_a, leaf_b );
}

// Append the lanes of two leaves to the contacts and the candidates of the run; `a` and `b` are the leaves' first
// triangles.
VECTOR_INLINE void keep_lanes( dbvhi_packed_run *run, leaf_lanes lanes, uint32_t a, uint32_t b ) {
	DBVHI_ASSERT( ( lanes.meet & ~lanes.left ) == 0 );
	for ( uint32_t meet = lanes.meet; meet != 0; meet &= meet - 1 ) {
		const uint32_t lane = (uint32_t)__builtin_ctz( meet );
		*dbvhi_packed_contact( run, run->contact_count++ ) = ( dbvhi_candidate ){ a + ( lane & 3 ), b + ( lane >> 2 ) };
	}
	for ( uint32_t left = lanes.left & ~lanes.meet; left != 0; left &= left - 1 ) {
		const uint32_t lane = (uint32_t)__builtin_ctz( left );
		run->candidates[run->candidate_count++] = ( dbvhi_candidate ){ a + ( lane & 3 ), b + ( lane >> 2 ) };
	}
}
