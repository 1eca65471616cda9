// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two packed trees in a piece of motion.
//
// In a piece all points are taken to move on straight lines, and volumes are enlarged by the deviation from these. On
// any axis two projections then overlap in one interval of time, and the pair can only intersect in the intersection of
// the intervals of all axes. Sixteen pairs of children are tested at once, along nine axes of their boxes and by their
// spheres; and sixteen pairs of triangles, along their normals and the cross products of their edges.

#include "base/assert.h"
#include "query/distance/packed_nodes_x16.inl"
#include "query/toi/kernel.h"

typedef struct meeting {
	vf enter, leave;
} meeting;

// Intersect the interval with the times at which two projections overlap: their middles are `way` apart, which changes
// with `speed`, and `reach` is the sum of their radii. The divisor is kept from 0, and `reach` must be 1e-30 or more,
// so that projections that hardly move overlap always or never.
VECTOR_INLINE void meet_on_axis( meeting *m, vf way, vf speed, vf reach ) {
	const vf zero = vf_set( 0.0f ), forth = vf_select_less( speed, zero, vf_sub( zero, way ), way );
	const vf inverse = vf_div( vf_set( 1.0f ), vf_max( vf_abs( speed ), vf_set( 1e-36f ) ) );
	m->enter = vf_max( m->enter, vf_mul( vf_sub( vf_sub( zero, reach ), forth ), inverse ) );
	m->leave = vf_min( m->leave, vf_mul( vf_sub( reach, forth ), inverse ) );
}

// Raise `enter` to the time at which two spheres meet: the smaller root of a t^2 + 2 b t + c, its discriminant enlarged
// by its rounding error. Returns the lanes whose spheres never meet. Lengths are first scaled to about 1, since b^2
// would otherwise leave the range of floats.
VECTOR_INLINE uint32_t meet_in_spheres( meeting *m, vecf far, vecf far_velocity, vf far_reach, float shrink ) {
	const vf unit = vf_set( shrink ), reach = vf_mul( unit, far_reach );
	const vecf way = vecf_scale( unit, far ), velocity = vecf_scale( unit, far_velocity );
	const vf u16 = vf_set( 16.0f * 0x1p-24f ), zero = vf_set( 0.0f );
	const vf square = vecf_dot( way, way ), a = vecf_dot( velocity, velocity ), b = vecf_dot( way, velocity );
	const vf reached = vf_mul( reach, reach ), c = vf_sub( square, reached ), bb = vf_mul( b, b );
	const vf doubt = vf_mul( u16, vf_fma( a, vf_add( square, reached ), bb ) );
	const vf under = vf_add( vf_sub( bb, vf_mul( a, c ) ), doubt );
	const vf root = vf_sqrt( vf_max( under, zero ) );
	const uint32_t apart = vf_greater( c, zero );
	const uint32_t never = apart & ( vf_greater( zero, under ) | vf_greater( b, zero ) );
	const vf time = vf_div( c, vf_max( vf_sub( root, b ), vf_set( 1e-36f ) ) );
	// Spheres that overlap now have a negative c, and so a time before the beginning, however small b is.
	m->enter = vf_max( m->enter, time );
	return never;
}

// The lanes that may intersect before the limit, the earliest time of each (`key`), and an order among those that may
// intersect at once. Enlarging the reach of a pair by
//     margin + margin_relative ( 2 radii + 2 way )
// covers rounding: lengths of pairs that intersect in the piece exceed those of node_gaps() by no more than the way,
// and the relative error of velocities is no larger than that of positions.
VECTOR_INLINE uint32_t node_times( const dbvhi_motion_run *run, int32_t node_a, int32_t node_b, uint32_t *a_larger,
                                   uint32_t *b_larger, uint32_t *bent, vf *key, vf *order ) {
	DBVHI_ASSERT( (uint32_t)node_a < run->near.packed.node_count_a &&
	              (uint32_t)node_b < run->near.packed.node_count_b );
	const dbvhi_packed_run *packed = &run->near.packed;
	const dbvhi_packed_spheres *a = &packed->spheres_a[node_a], *b = &packed->spheres_b[node_b];
	const vec4 centre_b = vec4_load( b->centre );
	const float4 small_b = float4_load( b->radius );
	const vf radius_a = vf_tile( float4_load( a->radius ) ), radius_b = vf_spread( small_b );
	const vf radii = vf_add( radius_a, radius_b );
	const uint32_t used = vf_greater( radii, vf_set( -1.0f ) );
	*a_larger = vf_greater( radius_a, vf_mul( radius_b, vf_set( DBVHI_SIZE_RATIO ) ) );
	*b_larger = vf_greater( radius_b, vf_mul( radius_a, vf_set( DBVHI_SIZE_RATIO ) ) );

	vf more = vf_fma( radii, vf_set( 2.0f * packed->margin_relative ),
	                  vf_set( packed->margin + 2.0f * packed->margin_relative * run->way + 1e-30f ) );
	vecf velocity = { vf_set( run->drift[0] ), vf_set( run->drift[1] ), vf_set( run->drift[2] ) };
	vf aside = vf_set( run->coarse );
	if ( run->is_turning ) {
		velocity = vecf_spread( vec4_place( run->velocity, run->drift, centre_b ) );
		const vec4 way = vec4_place( run->bend, run->bend_drift, centre_b );
		const float4 bend = float4_sqrt( vec4_dot( way, way ) ) + run->bend_spread * small_b + run->bend_more;
		aside = vf_add( aside, vf_spread( bend ) );
		more = vf_add( more, vf_spread( bend + run->twist * small_b ) );
	}
	*bent = vf_greater( aside, vf_fma( radii, vf_set( run->most_bend ), vf_set( run->bend_margin ) ) );
	const vecf s = vecf_sub( vecf_spread( vec4_place( packed->rot, packed->pos, centre_b ) ),
	                         vecf_tile( vec4_load( a->centre ) ) );
	meeting m = { vf_set( -INFINITY_FLOAT ), vf_set( run->limit ) };
	const uint32_t never = meet_in_spheres( &m, s, velocity, vf_add( radii, more ), run->shrink );

	four_boxes box_a, box_b;
	load_boxes( a, &packed->boxes_a[DBVHI_WIDTH * node_a], &box_a );
	load_boxes( b, &packed->boxes_b[DBVHI_WIDTH * node_b], &box_b );
	const vecf b0 = vecf_spread( vec4_rotate( packed->rot, box_b.axis[0] ) );
	const vecf b1 = vecf_spread( vec4_rotate( packed->rot, box_b.axis[1] ) );
	const vecf b2 = vecf_spread( vec4_rotate( packed->rot, box_b.axis[2] ) );
	const vecf t =
	    vecf_sub( vecf_spread( vec4_place( packed->rot, packed->pos, box_b.centre ) ), vecf_tile( box_a.centre ) );
	const vecf a0 = vecf_tile( box_a.axis[0] ), a1 = vecf_tile( box_a.axis[1] ), a2 = vecf_tile( box_a.axis[2] );
	const vf t0 = vecf_dot( t, a0 ), t1 = vecf_dot( t, a1 ), t2 = vecf_dot( t, a2 );
	const vf v0 = vecf_dot( velocity, a0 ), v1 = vecf_dot( velocity, a1 ), v2 = vecf_dot( velocity, a2 );
	const vf r00 = vecf_dot( a0, b0 ), r01 = vecf_dot( a0, b1 ), r02 = vecf_dot( a0, b2 );
	const vf r10 = vecf_dot( a1, b0 ), r11 = vecf_dot( a1, b1 ), r12 = vecf_dot( a1, b2 );
	const vf r20 = vecf_dot( a2, b0 ), r21 = vecf_dot( a2, b1 ), r22 = vecf_dot( a2, b2 );
	const vf f00 = vf_abs( r00 ), f01 = vf_abs( r01 ), f02 = vf_abs( r02 );
	const vf f10 = vf_abs( r10 ), f11 = vf_abs( r11 ), f12 = vf_abs( r12 );
	const vf f20 = vf_abs( r20 ), f21 = vf_abs( r21 ), f22 = vf_abs( r22 );
	const vf ha0 = vf_tile( box_a.half[0] ), ha1 = vf_tile( box_a.half[1] ), ha2 = vf_tile( box_a.half[2] );
	const vf hb0 = vf_spread( box_b.half[0] ), hb1 = vf_spread( box_b.half[1] ), hb2 = vf_spread( box_b.half[2] );

	meet_on_axis( &m, t0, v0, vf_add( more, vf_fma( hb1, f01, vf_fma( hb2, f02, vf_fma( hb0, f00, ha0 ) ) ) ) );
	meet_on_axis( &m, t1, v1, vf_add( more, vf_fma( hb1, f11, vf_fma( hb2, f12, vf_fma( hb0, f10, ha1 ) ) ) ) );
	meet_on_axis( &m, t2, v2, vf_add( more, vf_fma( hb1, f21, vf_fma( hb2, f22, vf_fma( hb0, f20, ha2 ) ) ) ) );
	meet_on_axis( &m, vecf_dot( t, b0 ), vecf_dot( velocity, b0 ),
	              vf_add( more, vf_fma( ha1, f10, vf_fma( ha2, f20, vf_fma( ha0, f00, hb0 ) ) ) ) );
	meet_on_axis( &m, vecf_dot( t, b1 ), vecf_dot( velocity, b1 ),
	              vf_add( more, vf_fma( ha1, f11, vf_fma( ha2, f21, vf_fma( ha0, f01, hb1 ) ) ) ) );
	meet_on_axis( &m, vecf_dot( t, b2 ), vecf_dot( velocity, b2 ),
	              vf_add( more, vf_fma( ha1, f12, vf_fma( ha2, f22, vf_fma( ha0, f02, hb2 ) ) ) ) );
	meet_on_axis( &m, difference_of_products( t1, r02, t0, r12 ), difference_of_products( v1, r02, v0, r12 ),
	              vf_add( more, vf_fma( hb0, f21, vf_fma( hb1, f20, vf_fma( ha0, f12, vf_mul( ha1, f02 ) ) ) ) ) );
	meet_on_axis( &m, difference_of_products( t0, r22, t2, r02 ), difference_of_products( v0, r22, v2, r02 ),
	              vf_add( more, vf_fma( hb0, f11, vf_fma( hb1, f10, vf_fma( ha2, f02, vf_mul( ha0, f22 ) ) ) ) ) );
	meet_on_axis( &m, difference_of_products( t1, r01, t0, r11 ), difference_of_products( v1, r01, v0, r11 ),
	              vf_add( more, vf_fma( hb2, f20, vf_fma( hb0, f22, vf_fma( ha0, f11, vf_mul( ha1, f01 ) ) ) ) ) );

	// Among pairs that may intersect at once, those whose interval began earliest come first.
	*order = m.enter;
	*key = vf_mul( vf_max( m.enter, vf_set( 0.0f ) ), vf_set( 1.0f - 16.0f * 0x1p-24f ) );
	return used & ~never & ~vf_greater( *key, vf_mul( m.leave, vf_set( 1.0f + 16.0f * 0x1p-24f ) ) );
}

// Put pairs aside, to be searched in shorter pieces. Returns the lanes for which there was no room.
VECTOR_INLINE uint32_t put_aside( dbvhi_motion_run *run, int32_t node_a, int32_t node_b, uint32_t lanes,
                                  uint32_t a_larger, uint32_t b_larger ) {
	DBVHI_ASSERT( ( lanes & ~0xffffu ) == 0 );
	const dbvhi_packed_run *packed = &run->near.packed;
	const dbvhi_packed_box *a = &packed->boxes_a[DBVHI_WIDTH * node_a], *b = &packed->boxes_b[DBVHI_WIDTH * node_b];
	for ( ; lanes != 0 && run->wait_count < run->wait_capacity; lanes &= lanes - 1 ) {
		const int lane = __builtin_ctz( lanes ), i = lane & 3, j = lane >> 2;
		const int32_t child_a = a[i].child, child_b = b[j].child;
		const int leaves = child_a < 0 && child_b < 0;
		const int a_stays = !leaves && ( child_a < 0 || ( ( b_larger >> lane & 1 ) && child_b >= 0 ) );
		const int b_stays = !leaves && ( child_b < 0 || ( ( a_larger >> lane & 1 ) && child_a >= 0 ) );
		const uint32_t at = run->wait_count++;
		run->wait_a[at] = a_stays ? node_a : child_a;
		run->wait_b[at] = b_stays ? node_b : child_b;
		run->wait_lanes[at] = a_stays ? 0x1111 << i : b_stays ? 0xf << ( 4 * j ) : 0xffff;
	}
	return lanes;
}

// Intersect the interval with the times at which `gap` + t `speed` is at most 0.
VECTOR_INLINE void close_gap( meeting *m, vf gap, vf speed ) {
	const vf zero = vf_set( 0.0f ), never = vf_set( INFINITY_FLOAT ), always = vf_set( -INFINITY_FLOAT );
	const vf time = vf_div( gap, vf_max( vf_abs( speed ), vf_set( 1e-36f ) ) );
	m->enter = vf_max( m->enter, vf_select_less( zero, speed, always, time ) );
	m->leave = vf_min( m->leave, vf_select_less( zero, speed, vf_sub( zero, time ), never ) );
}

typedef struct stretch {
	vf low, high;
} stretch;

VECTOR_INLINE stretch stretch_along( const vecf corner[3], vecf n ) {
	const vf x = vecf_dot( n, corner[0] ), y = vecf_dot( n, corner[1] ), z = vecf_dot( n, corner[2] );
	return ( stretch ){ vf_min( x, vf_min( y, z ) ), vf_max( x, vf_max( y, z ) ) };
}

// The lanes of 4 x 4 triangles that may intersect before the limit, and their earliest times. `later` are the corners
// of b at the end of the piece, NULL if all of them move by `way`. Lengths are in the unit of load_leaves().
// Coordinates are off by at most `aside`, by rounding and by deviation from straight lines; so projections on an axis
// n, of any length, are off by at most |n| times that. The lowest of three points in uniform motion is a concave
// function of time, so it is never below the straight line between its values at both ends of the piece; the highest is
// never above its own.
VECTOR_INLINE uint32_t triangle_times( const sixteen *both, const vec4 *later, const float way[3], float aside,
                                       float limit, vf *key ) {
	vecf corner_a[3], corner_b[3], later_b[3], edge_a[3], edge_b[3];
	for ( int i = 0; i < 3; ++i ) {
		const int next = ( i + 1 ) % 3;
		corner_a[i] = vecf_tile( both->a.corner[i] );
		corner_b[i] = vecf_spread( both->b.corner[i] );
		if ( later != NULL )
			later_b[i] = vecf_spread( later[i] );
		edge_a[i] = vecf_tile( vec4_sub( both->a.corner[next], both->a.corner[i] ) );
		edge_b[i] = vecf_spread( vec4_sub( both->b.corner[next], both->b.corner[i] ) );
	}
	const vecf velocity = { vf_set( way[0] ), vf_set( way[1] ), vf_set( way[2] ) };
	meeting m = { vf_set( -INFINITY_FLOAT ), vf_set( limit ) };
	for ( int axis = 0; axis < 11; ++axis ) {
		const vecf n = axis == 0   ? vecf_cross( edge_a[0], edge_a[1] )
		               : axis == 1 ? vecf_cross( edge_b[0], edge_b[1] )
		                           : vecf_cross( edge_a[( axis - 2 ) / 3], edge_b[( axis - 2 ) % 3] );
		const vf size = vf_add( vf_abs( n.x ), vf_add( vf_abs( n.y ), vf_abs( n.z ) ) );
		const vf reach = vf_fma( size, vf_set( aside ), vf_set( 1e-30f ) );
		const stretch a = stretch_along( corner_a, n ), b = stretch_along( corner_b, n );
		if ( later == NULL ) {
			// Distance of the middles, and sum of the radii, of both projections.
			const vf half = vf_set( 0.5f );
			const vf between = vf_mul( half, vf_sub( vf_add( b.low, b.high ), vf_add( a.low, a.high ) ) );
			const vf lengths = vf_mul( half, vf_add( vf_sub( a.high, a.low ), vf_sub( b.high, b.low ) ) );
			meet_on_axis( &m, between, vecf_dot( n, velocity ), vf_add( lengths, reach ) );
		} else {
			const stretch c = stretch_along( later_b, n );
			close_gap( &m, vf_sub( vf_sub( b.low, a.high ), reach ), vf_sub( c.low, b.low ) );
			close_gap( &m, vf_sub( vf_sub( a.low, b.high ), reach ), vf_sub( b.high, c.high ) );
		}
	}
	*key = vf_mul( vf_max( m.enter, vf_set( 0.0f ) ), vf_set( 1.0f - 16.0f * 0x1p-24f ) );
	return ~vf_greater( *key, vf_mul( m.leave, vf_set( 1.0f + 16.0f * 0x1p-24f ) ) );
}

// Compute the corners of four triangles of b at the end of the piece. Returns the bound of how far points of the leaf
// deviate from straight lines.
VECTOR_INLINE float move_leaf( const dbvhi_motion_run *run, const dbvhi_packed_leaf *b, float unit, const sixteen *t,
                               vec4 later[3] ) {
	float way[3], square = 0.0f;
	for ( int k = 0; k < 3; ++k ) {
		const float *v = run->velocity[k], *w = run->bend[k], *o = b->origin;
		way[k] = unit * ( run->drift[k] + v[0] * o[0] + v[1] * o[1] + v[2] * o[2] );
		const float x = run->bend_drift[k] + w[0] * o[0] + w[1] * o[1] + w[2] * o[2];
		square += x * x;
	}
	for ( int corner = 0; corner < 3; ++corner ) {
		const vec4 q = vec4_load( b->corner[corner] ), p = t->b.corner[corner];
		const vec4 step = vec4_place( run->velocity, way, ( vec4 ){ unit * q.x, unit * q.y, unit * q.z } );
		later[corner] = ( vec4 ){ p.x + step.x, p.y + step.y, p.z + step.z };
	}
	return __builtin_sqrtf( square ) + run->bend_more + run->bend_spread * 1.7321f * dbvhi_packed_size( b->sizes );
}

// Add the pairs of triangles of two leaves that may intersect to the candidates. Returns nonzero if there are any.
static int sweep_leaves( dbvhi_motion_run *run, const dbvhi_packed_leaf *a, const dbvhi_packed_leaf *b ) {
	DBVHI_ASSERT( run->near.candidate_count + 16 <= DBVHI_NEAR_CANDIDATES );
	dbvhi_nearest_run *near = &run->near;
	uint32_t lanes = used_lanes( ( a->first_and_count & 3 ) + 1, ( b->first_and_count & 3 ) + 1 );
	sixteen t;
	load_leaves( &near->packed, a, b, &t );
	near->packed.leaf_tests += 1;
	vf times = vf_set( 0.0f );
	if ( t.slack >= 0.0f ) {
		const float unit = (float)( 1.0 / t.far ),
		            way[3] = { unit * run->drift[0], unit * run->drift[1], unit * run->drift[2] };
		vec4 later[3];
		const float aside = run->is_turning ? move_leaf( run, b, unit, &t, later ) : 0.0f;
		// Rounding of velocities: a few units in the last place.
		const float off = aside + 64.0f * 0x1p-24f * run->way + run->near.packed.margin;
		lanes &= triangle_times( &t, run->is_turning ? later : NULL, way, 1.00001f * unit * off + t.slack, run->limit,
		                         &times );
	}
	float time[16];
	memcpy( time, &times, sizeof time );
	for ( ; lanes != 0; lanes &= lanes - 1 ) {
		const uint32_t lane = (uint32_t)__builtin_ctz( lanes );
		const dbvhi_near_candidate candidate = { ( a->first_and_count >> 2 ) + ( lane & 3 ),
		                                         ( b->first_and_count >> 2 ) + ( lane >> 2 ), time[lane], 0.0f };
		near->candidates[near->candidate_count++] = candidate;
	}
	return near->candidate_count > 0;
}

dbvhi_toi_kernel DBVHI_KERNEL_NAME( dbvhi_toi_kernel );

int DBVHI_KERNEL_NAME( dbvhi_toi_kernel )( dbvhi_motion_run *run ) {
	dbvhi_packed_run *packed = &run->near.packed;
	while ( packed->stack_count > 0 ) {
		if ( packed->node_tests + packed->leaf_tests >= packed->pause )
			return 1;
		const uint32_t top = --packed->stack_count;
		if ( run->near.stack_key[top] > run->limit )
			continue;
		const int32_t node_a = packed->stack_a[top], node_b = packed->stack_b[top];
		if ( node_a < 0 && node_b < 0 ) {
			if ( sweep_leaves( run, &packed->leaves_a[~node_a], &packed->leaves_b[~node_b] ) )
				return 1;
			continue;
		}
		uint32_t a_larger, b_larger, bent;
		vf key, order;
		uint32_t lanes = (uint32_t)packed->stack_lanes[top];
		lanes &= node_times( run, node_a, node_b, &a_larger, &b_larger, &bent, &key, &order );
		packed->node_tests += 1;
		packed->box_tests += 16;
		bent &= lanes;
		if ( bent != 0 )
			lanes ^= bent ^ put_aside( run, node_a, node_b, bent, a_larger, b_larger );
		if ( lanes != 0 )
			put_back( &run->near, node_a, node_b, lanes, a_larger, b_larger, &key, &order );
	}
	return 0;
}
