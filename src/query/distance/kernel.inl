// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two packed trees for what is within reach, the nearest first.
//
// Pairs of nodes and of leaves wait on one stack, each with a lower bound of its distance. The top one is taken off,
// all 4 x 4 children compared, and those within reach are put back, the nearest on top. For leaves, sixteen pairs of
// triangles are measured at once: two points of each that are about the nearest bound their distance from above, the
// gap between their projections on the line through these two from below.

#include "base/assert.h"
#include "query/distance/packed_nodes_x16.inl"

// The gap between the corners of `points` and what lies from `low` to `high` along a direction; negative where there is
// none.
VECTOR_INLINE vf gap_along( const vecf points[3], vecf direction, vf low, vf high ) {
	const vf h0 = vecf_dot( points[0], direction ), h1 = vecf_dot( points[1], direction ),
	         h2 = vecf_dot( points[2], direction );
	const vf least = vf_min( h0, vf_min( h1, h2 ) ), most = vf_max( h0, vf_max( h1, h2 ) );
	return vf_max( vf_sub( least, high ), vf_sub( low, most ) );
}

// The lanes that neither triangle's plane tells to be farther apart than `reach`, nor the way that was the nearest so
// far: neighbours often lie alike, and one direction for all costs next to nothing.
VECTOR_INLINE uint32_t planes_near( const sixteen *t, float reach, const float direction[3] ) {
	float4 far_a = { 0 }, near_b = { 0 };
	for ( int i = 0; i < 3; ++i ) {
		const vec4 p = t->a.corner[i], q = t->b.corner[i];
		const float4 x = direction[0] * p.x + direction[1] * p.y + direction[2] * p.z,
		             y = direction[0] * q.x + direction[1] * q.y + direction[2] * q.z;
		far_a = i == 0 ? x : float4_max( far_a, x );
		near_b = i == 0 ? y : float4_min( near_b, y );
	}
	const vf limit = vf_set( (float)( (double)reach / t->far ) * ( 1.0f + 0x1p-20f ) + t->slack );
	const uint32_t apart = vf_greater( vf_sub( vf_spread( near_b ), vf_tile( far_a ) ), limit );
	if ( apart == 0xffff )
		return 0;
	vecf corner_a[3], corner_b[3];
	for ( int i = 0; i < 3; ++i ) {
		corner_a[i] = vecf_tile( t->a.corner[i] );
		corner_b[i] = vecf_spread( t->b.corner[i] );
	}
	const vf over_a = gap_along( corner_b, vecf_tile( t->a.normal ), vf_tile( t->a.low ), vf_tile( t->a.high ) );
	const vf over_b = gap_along( corner_a, vecf_spread( t->b.normal ), vf_spread( t->b.low ), vf_spread( t->b.high ) );
	return 0xffff & ~( apart | vf_greater( vf_max( over_a, over_b ), limit ) );
}

// Bounds of the distances, in the unit of the trees; of lanes that are not used they mean nothing. With E the error of
// a coordinate, as in triangles_overlap(), the argument of exact/tri_tri_distance.c holds with S = 1 and u = 2^-24:
// both bounds are off by less than 4 E + 128 u.
VECTOR_INLINE void triangle_gaps( const sixteen *both, vf *lower, vf *upper, near_points *best_out ) {
	const quad qa = both->a, qb = both->b;
	const double far = both->far;
	vecf corner_a[3], corner_b[3], edge_a[3], edge_b[3];
	for ( int i = 0; i < 3; ++i ) {
		corner_a[i] = vecf_tile( qa.corner[i] );
		corner_b[i] = vecf_spread( qb.corner[i] );
		edge_a[i] = vecf_tile( qa.edge[i] );
		edge_b[i] = vecf_spread( qb.edge[i] );
	}
	near_points best;
	best.offset = vecf_sub( corner_b[0], corner_a[0] );
	best.squared = vecf_dot( best.offset, best.offset );
	// Two edges: the nearest points of the lines, then each in turn moved to where it is nearest to the other.
	for ( int i = 0; i < 3; ++i ) {
		const vf dd = vf_tile( vec4_dot( qa.edge[i], qa.edge[i] ) ), inverse_d = vf_tile( qa.inverse[i] );
		for ( int j = 0; j < 3; ++j ) {
			const vf ee = vf_spread( vec4_dot( qb.edge[j], qb.edge[j] ) ), inverse_e = vf_spread( qb.inverse[j] );
			const vecf w = vecf_sub( corner_a[i], corner_b[j] );
			const vf de = vecf_dot( edge_a[i], edge_b[j] ), dw = vecf_dot( edge_a[i], w ),
			         ew = vecf_dot( edge_b[j], w );
			const vf determinant = vf_max( difference_of_products( dd, ee, de, de ), vf_set( 1e-30f ) );
			vf s = vf_clamp( vf_div( difference_of_products( de, ew, ee, dw ), determinant ) );
			const vf t = vf_clamp( vf_mul( vf_fma( de, s, ew ), inverse_e ) );
			s = vf_clamp( vf_mul( vf_sub( vf_mul( de, t ), dw ), inverse_d ) );
			// q - p = -w - s d + t e
			const vecf from = vecf_sub( vecf_scale( t, edge_b[j] ), w );
			keep_nearer( &best, vecf_sub( from, vecf_scale( s, edge_a[i] ) ) );
		}
	}
	// A corner and a face: the foot of the perpendicular, moved into the triangle where it is not.
	const vecf side_a = vecf_tile( vec4_sub( qa.corner[2], qa.corner[0] ) );
	const vecf side_b = vecf_spread( vec4_sub( qb.corner[2], qb.corner[0] ) );
	const vecf weight_a0 = vecf_tile( qa.weight[0] ), weight_a1 = vecf_tile( qa.weight[1] );
	const vecf weight_b0 = vecf_spread( qb.weight[0] ), weight_b1 = vecf_spread( qb.weight[1] );
	for ( int i = 0; i < 3; ++i ) {
		const vecf p = vecf_sub( corner_b[i], corner_a[0] );
		const vf s = vf_clamp( vecf_dot( p, weight_a0 ) );
		const vf t = vf_max( vf_min( vecf_dot( p, weight_a1 ), vf_sub( vf_set( 1.0f ), s ) ), vf_set( 0.0f ) );
		keep_nearer( &best, vecf_sub( vecf_sub( p, vecf_scale( s, edge_a[0] ) ), vecf_scale( t, side_a ) ) );
		const vecf q = vecf_sub( corner_a[i], corner_b[0] );
		const vf v = vf_clamp( vecf_dot( q, weight_b0 ) );
		const vf x = vf_max( vf_min( vecf_dot( q, weight_b1 ), vf_sub( vf_set( 1.0f ), v ) ), vf_set( 0.0f ) );
		keep_nearer( &best, vecf_sub( vecf_fma( side_b, x, vecf_scale( v, edge_b[0] ) ), q ) );
	}

	*best_out = best;
	const vf distance = vf_sqrt( best.squared );
	const vf slack = vf_set( both->slack ), back = vf_set( (float)( far * ( 1.0 + 0x1p-22 ) ) );
	*upper = vf_mul( vf_add( distance, slack ), back );
	const vecf g = best.offset;
	const vf a0 = vecf_dot( g, corner_a[0] ), a1 = vecf_dot( g, corner_a[1] ), a2 = vecf_dot( g, corner_a[2] );
	const vf b0 = vecf_dot( g, corner_b[0] ), b1 = vecf_dot( g, corner_b[1] ), b2 = vecf_dot( g, corner_b[2] );
	const vf gap = vf_sub( vf_min( b0, vf_min( b1, b2 ) ), vf_max( a0, vf_max( a1, a2 ) ) );
	// Too short a way says nothing: it is kept from 0, and the gap is as small.
	const vf along = vf_div( gap, vf_max( distance, vf_set( 1e-6f ) ) );
	*lower = vf_mul( vf_sub( along, slack ), vf_set( (float)( far * ( 1.0 - 0x1p-22 ) ) ) );
}

static void remember_direction( dbvhi_nearest_run *run, const near_points *points ) {
	float squared[16], x[16], y[16], z[16];
	memcpy( squared, &points->squared, sizeof squared );
	memcpy( x, &points->offset.x, sizeof x );
	memcpy( y, &points->offset.y, sizeof y );
	memcpy( z, &points->offset.z, sizeof z );
	int least = 0;
	for ( int i = 1; i < 16; ++i )
		least = squared[i] < squared[least] ? i : least;
	// A little shorter than 1, so that a gap along it is no longer than it is.
	const float scale = 0.999999f / __builtin_sqrtf( squared[least] + 1e-20f );
	run->direction[0] = scale * x[least];
	run->direction[1] = scale * y[least];
	run->direction[2] = scale * z[least];
}

// Returns nonzero if the caller should look at the candidates now.
static int measure_leaves( dbvhi_nearest_run *run, const dbvhi_packed_leaf *a, const dbvhi_packed_leaf *b ) {
	DBVHI_ASSERT( run->candidate_count + 16 <= DBVHI_NEAR_CANDIDATES );
	uint32_t near = used_lanes( ( a->first_and_count & 3 ) + 1, ( b->first_and_count & 3 ) + 1 );
	sixteen t;
	load_leaves( &run->packed, a, b, &t );
	run->packed.leaf_tests += 1;
	vf lower = vf_set( 0.0f ), upper = vf_set( INFINITY_FLOAT );
	if ( t.slack >= 0.0f ) {
		quad_normal( &t.a );
		quad_normal( &t.b );
		near &= planes_near( &t, run->best, run->direction );
		if ( near == 0 )
			return 0;
		quad_finish( &t.a );
		quad_finish( &t.b );
		near_points points;
		triangle_gaps( &t, &lower, &upper, &points );
		remember_direction( run, &points );
		near &= ~vf_greater( lower, vf_set( run->best ) );
		if ( near == 0 )
			return 0;
	}
	float low[16], high[16];
	memcpy( low, &lower, sizeof low );
	memcpy( high, &upper, sizeof high );
	if ( run->goal == DBVHI_NEAR_NEAREST ) {
		float best = run->best;
		for ( uint32_t lanes = near; lanes != 0; lanes &= lanes - 1 ) {
			const float x = high[__builtin_ctz( lanes )];
			best = x < best ? x : best;
		}
		// An error is allowed beside a pair that is there, not beside the limit.
		if ( best < run->best ) {
			const float reach = run->factor * ( best - run->allowance );
			run->best = best;
			run->reach = reach < run->reach ? reach : run->reach;
		}
		near &= ~vf_greater( lower, vf_set( run->best ) );
	}
	int may_meet = 0;
	for ( uint32_t lanes = near; lanes != 0; lanes &= lanes - 1 ) {
		const uint32_t lane = (uint32_t)__builtin_ctz( lanes );
		const dbvhi_near_candidate candidate = { ( a->first_and_count >> 2 ) + ( lane & 3 ),
		                                         ( b->first_and_count >> 2 ) + ( lane >> 2 ), low[lane], high[lane] };
		run->candidates[run->candidate_count++] = candidate;
		may_meet |= !( low[lane] > 0.0f );
	}
	return run->goal == DBVHI_NEAR_FIRST || ( run->goal == DBVHI_NEAR_NEAREST && may_meet ) ||
	       run->candidate_count + 16 > DBVHI_NEAR_CANDIDATES;
}

// ------------------------------------------------------------------------------------------------

dbvhi_distance_kernel DBVHI_KERNEL_NAME( dbvhi_distance_kernel );

int DBVHI_KERNEL_NAME( dbvhi_distance_kernel )( dbvhi_nearest_run *run ) {
	dbvhi_packed_run *packed = &run->packed;
	while ( packed->stack_count > 0 ) {
		if ( packed->node_tests >= packed->pause )
			return 1;
		const uint32_t top = --packed->stack_count;
		const float reach = reach_and_margins( run );
		if ( run->stack_key[top] > reach )
			continue;
		const int32_t node_a = packed->stack_a[top], node_b = packed->stack_b[top];
		if ( node_a < 0 && node_b < 0 ) {
			if ( measure_leaves( run, &packed->leaves_a[~node_a], &packed->leaves_b[~node_b] ) )
				return 1;
			continue;
		}
		uint32_t used, a_larger, b_larger;
		vf order;
		const vf gaps = node_gaps( packed, node_a, node_b, &used, &a_larger, &b_larger, &order );
		const uint32_t lanes = ~vf_greater( gaps, vf_set( reach ) ) & (uint32_t)packed->stack_lanes[top] & used;
		packed->node_tests += 1;
		packed->box_tests += 16;
		put_back( run, node_a, node_b, lanes, a_larger, b_larger, &gaps, &order );
	}
	return run->candidate_count > 0;
}
