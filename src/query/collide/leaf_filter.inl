// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The filter in floats for the triangles of two leaves, 4 x 4 at a time: those that are certainly apart, and those that
// certainly meet. packed_nodes.inl derives what coordinates and normals are off.

#include "query/common/packed_nodes.inl"

// Where three points are, from a plane: a number for each corner of a triangle.
typedef struct heights {
	vf of[3];
} heights;

// From the plane at the distance `at` from the origin, both times the length of the normal.
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

// How near the nearest is.
VECTOR_INLINE vf nearest_of( const heights *d ) {
	return vf_min( vf_abs( d->of[0] ), vf_min( vf_abs( d->of[1] ), vf_abs( d->of[2] ) ) );
}

// The lanes whose three points lie certainly on one side.
VECTOR_INLINE uint32_t same_side( const heights *d, vf bound ) {
	return vf_greater( least_of( d ), bound ) | vf_greater( vf_sub( vf_set( 0.0f ), bound ), most_of( d ) );
}

// Of the lanes of two leaves: those that nothing tells apart, and of these the ones whose triangles certainly meet.
typedef struct leaf_lanes {
	uint32_t left, meet;
} leaf_lanes;

// What a triangle certainly covers of a line, and what it covers at most.
typedef struct cover {
	vf low, high, low_most, high_most;
} cover;

// Where a triangle's edges cross a plane, on a line in it: `d` are the heights of its corners over the plane, each off
// by `bound` at most and, if the lane is to count, above 8 bounds; `p` the corners on the line. A corner is alone on
// its side, the one whose height has another sign than the middle one of the three; the edges from there cross, at
// s = d0 / D of their length, D = d0 - d1. That is off by bound / |true D| < 8/7 bound / |D|, |D| being more than 16
// bounds, and by four roundings, for which the rest of 2 bound / |D| is enough: |D| < 12 W e^2, bound > 70 u W e^2.
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

// What is known of two leaves on the line that the planes of each lane share.
typedef struct line_pair {
	heights over_b, over_a; // of A's corners over B's planes, and the other way round
	heights a, b;           // corners on the line
	float bound_b, bound_a; // of heights
	float bound;            // of a difference on the line
} line_pair;

// The lanes whose corners are all far enough from a plane for cover_of(). Products of two heights are not to underflow.
VECTOR_INLINE uint32_t off_plane( const heights *over, float bound ) {
	return vf_greater( nearest_of( over ), vf_set( larger( 8.0f * bound, 0x1p-60f ) ) );
}

// Of the lanes that are left those that cross each other's planes for certain are decided by what they cover of the
// line. Apart from the rest, which most pairs of leaves end with.
//
// A difference of the projections of a corner of each is off by `bound`, and so is one of points between corners that
// divide edges as they truly do. Both ends, up to 24 W P, and their difference are rounded, and bound > 197 u W P: by
// less than two bounds.
static __attribute__( ( noinline ) ) leaf_lanes decide_crossing( const line_pair *t, uint32_t left,
                                                                 uint32_t crossing ) {
	const cover of_a = cover_of( &t->over_b, &t->a, vf_set( t->bound_b ) );
	const cover of_b = cover_of( &t->over_a, &t->b, vf_set( t->bound_a ) );
	const vf three = vf_set( 3.0f * t->bound );
	// Each by itself: what is no number is not above anything.
	const uint32_t meet =
	    vf_greater( vf_sub( of_a.high, of_b.low ), three ) & vf_greater( vf_sub( of_b.high, of_a.low ), three );
	const uint32_t apart =
	    vf_greater( vf_max( vf_sub( of_a.low_most, of_b.high_most ), vf_sub( of_b.low_most, of_a.high_most ) ), three );
	left &= ~( crossing & apart );
	return ( leaf_lanes ){ left, crossing & meet };
}

// The lanes whose triangles are apart on the line that both planes share go; the others may be decided.
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

// The lanes (i, j) whose triangles no plane of either, and no line common to both planes, tells apart. What only the
// later tests need is made after the earlier ones: these often leave nothing.
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

// Puts what is left of two leaves where it goes; `a` and `b` are their first triangles.
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
