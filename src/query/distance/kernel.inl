// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two packed trees for pairs of triangles within reach, the nearest first.
//
// Pairs of nodes and of leaves wait on one stack, each with a lower bound of its distance. The top one is popped, all
// 4 x 4 children are compared, and those within reach are pushed, the nearest on top. For leaves, sixteen pairs of
// triangles are measured at once: two points that are about the nearest bound the distance of a pair from above, and
// the gap between the projections of both triangles on the line through these points bounds it from below.

#include "base/assert.h"
#include "query/distance/nearest_run.h"
#include "query/distance/packed_nodes_x16.inl"
#include "query/distance/reach.inl"

// ------------------------------------------------------------------------------------------------
// Leaves: which of the 4 x 4 pairs of triangles are to be measured

// The gap along a direction between the corners of `points` and the interval from `low` to `high`; negative if they
// overlap.
VECTOR_INLINE vf gap_along( const vecf points[3], vecf direction, vf low, vf high ) {
	const vf h0 = vecf_dot( points[0], direction ), h1 = vecf_dot( points[1], direction ),
	         h2 = vecf_dot( points[2], direction );
	const vf least = vf_min( h0, vf_min( h1, h2 ) ), most = vf_max( h0, vf_max( h1, h2 ) );
	return vf_max( vf_sub( least, high ), vf_sub( low, most ) );
}

// The lanes that are not separated by more than `limit` along the direction of the nearest points so far: neighbours
// often have about the same, and one direction for all lanes costs next to nothing.
VECTOR_INLINE uint32_t near_along( const sixteen *t, vf limit, const float direction[3] ) {
	float4 far_a = { 0 }, near_b = { 0 };
	for ( int i = 0; i < 3; ++i ) {
		const vec4 p = t->a.corner[i], q = t->b.corner[i];
		const float4 x = direction[0] * p.x + direction[1] * p.y + direction[2] * p.z,
		             y = direction[0] * q.x + direction[1] * q.y + direction[2] * q.z;
		far_a = i == 0 ? x : float4_max( far_a, x );
		near_b = i == 0 ? y : float4_min( near_b, y );
	}
	return ~vf_greater( vf_sub( vf_spread( near_b ), vf_tile( far_a ) ), limit );
}

VECTOR_INLINE vec4 vec4_centre( const vec4 p[3] ) {
	const float4 third = float4_set( 1.0f / 3.0f );
	return ( vec4 ){ third * ( p[0].x + p[1].x + p[2].x ), third * ( p[0].y + p[1].y + p[2].y ),
	                 third * ( p[0].z + p[1].z + p[2].z ) };
}

// Get the highest of three corners with the heights `h`, or the lowest if `low` is set. Returns its height.
VECTOR_INLINE vf extreme( const vecf corner[3], const vf h[3], int low, vecf *out ) {
	vf best = h[0];
	*out = corner[0];
	for ( int i = 1; i < 3; ++i ) {
		const vf less = low ? h[i] : best, more = low ? best : h[i];
		out->x = vf_select_less( less, more, corner[i].x, out->x );
		out->y = vf_select_less( less, more, corner[i].y, out->y );
		out->z = vf_select_less( less, more, corner[i].z, out->z );
		best = low ? vf_min( best, h[i] ) : vf_max( best, h[i] );
	}
	return best;
}

// The lanes that are not separated by more than `limit` along the line from centre to centre; and, as an upper bound,
// the squared distance of the two corners that are the nearest along it. Any direction gives a valid lower bound, and
// any two points a valid upper one; both are off by less than `slack`, as in triangle_gaps().
VECTOR_INLINE uint32_t near_between( const sixteen *t, const vecf corner_a[3], const vecf corner_b[3], vf limit,
                                     vf *squared_out ) {
	const vecf way = vecf_sub( vecf_spread( vec4_centre( t->b.corner ) ), vecf_tile( vec4_centre( t->a.corner ) ) );
	vf height_a[3], height_b[3];
	for ( int i = 0; i < 3; ++i ) {
		height_a[i] = vecf_dot( corner_a[i], way );
		height_b[i] = vecf_dot( corner_b[i], way );
	}
	vecf p, q;
	const vf high_a = extreme( corner_a, height_a, 0, &p ), low_b = extreme( corner_b, height_b, 1, &q );
	const vecf offset = vecf_sub( q, p );
	*squared_out = vecf_dot( offset, offset );
	return ~vf_greater( vf_sub( low_b, high_a ), vf_mul( vf_sqrt( vecf_dot( way, way ) ), limit ) );
}

VECTOR_INLINE uint32_t near_by_planes( const sixteen *t, const vecf corner_a[3], const vecf corner_b[3], vf limit ) {
	const vf over_a = gap_along( corner_b, vecf_tile( t->a.normal ), vf_tile( t->a.low ), vf_tile( t->a.high ) );
	const vf over_b = gap_along( corner_a, vecf_spread( t->b.normal ), vf_spread( t->b.low ), vf_spread( t->b.high ) );
	return ~vf_greater( vf_max( over_a, over_b ), limit );
}

// Lower the reach: a pair of triangles is certainly as near as `best`.
VECTOR_INLINE void come_nearer( dbvhi_nearest_run *run, float best ) {
	if ( run->goal != DBVHI_NEAR_NEAREST || !( best < run->best ) )
		return;
	// note: the errors that are allowed are relative to a pair that has been found, not to the limit.
	const float reach = run->factor * ( best - run->allowance );
	run->best = best;
	run->reach = reach < run->reach ? reach : run->reach;
}

// The least value of the given lanes.
VECTOR_INLINE float least_of( vf x, uint32_t lanes ) {
#if PART_FLOATS == 16
	return _mm512_mask_reduce_min_ps( (__mmask16)lanes, (__m512)x.part[0] );
#else
	float value[16], least = INFINITY_FLOAT;
	vf_store( value, x );
	for ( ; lanes != 0; lanes &= lanes - 1 ) {
		const float one = value[__builtin_ctz( lanes )];
		least = one < least ? one : least;
	}
	return least;
#endif
}

#if PART_FLOATS == 16

// Append the corners of the given lanes to the queue. note: writes sixteen columns whatever their number.
VECTOR_INLINE void queue_corners( float out[9][DBVHI_NEAR_QUEUE], uint32_t at, uint32_t lanes, const vecf corner[3] ) {
	for ( int i = 0; i < 3; ++i ) {
		_mm512_storeu_ps( out[3 * i] + at, _mm512_maskz_compress_ps( (__mmask16)lanes, (__m512)corner[i].x.part[0] ) );
		_mm512_storeu_ps( out[3 * i + 1] + at,
		                  _mm512_maskz_compress_ps( (__mmask16)lanes, (__m512)corner[i].y.part[0] ) );
		_mm512_storeu_ps( out[3 * i + 2] + at,
		                  _mm512_maskz_compress_ps( (__mmask16)lanes, (__m512)corner[i].z.part[0] ) );
	}
}

#else

VECTOR_INLINE void queue_corners( float out[9][DBVHI_NEAR_QUEUE], uint32_t at, uint32_t lanes, const vecf corner[3] ) {
	float all[9][16];
	memcpy( all, corner, sizeof all );
	for ( ; lanes != 0; lanes &= lanes - 1, ++at ) {
		for ( int k = 0; k < 9; ++k )
			out[k][at] = all[k][__builtin_ctz( lanes )];
	}
}

#endif

VECTOR_INLINE void queue_pairs( dbvhi_nearest_run *run, const dbvhi_packed_leaf *a, const dbvhi_packed_leaf *b,
                                const sixteen *t, const vecf corner_a[3], const vecf corner_b[3], uint32_t lanes ) {
	dbvhi_near_queue *queue = run->queue;
	uint32_t at = queue->count;
	DBVHI_ASSERT( at + 16 <= DBVHI_NEAR_QUEUE );
	const uint32_t first_a = a->first_and_count >> 2, first_b = b->first_and_count >> 2;
	queue_corners( queue->a, at, lanes, corner_a );
	queue_corners( queue->b, at, lanes, corner_b );
	for ( ; lanes != 0; lanes &= lanes - 1, ++at ) {
		const uint32_t lane = (uint32_t)__builtin_ctz( lanes );
		queue->unit[at] = (float)t->far;
		queue->slack[at] = t->slack;
		queue->leaf_a[at] = first_a + ( lane & 3 );
		queue->leaf_b[at] = first_b + ( lane >> 2 );
	}
	queue->count = at;
}

VECTOR_INLINE void add_candidate( dbvhi_nearest_run *run, uint32_t a, uint32_t b, float lower, float upper ) {
	DBVHI_ASSERT( run->candidate_count < DBVHI_NEAR_CANDIDATES );
	run->candidates[run->candidate_count++] = ( dbvhi_near_candidate ){ a, b, lower, upper };
}

// Queue the pairs of triangles of two leaves that may be within reach. Returns nonzero if the kernel should return with
// its candidates now.
static int sift_leaves( dbvhi_nearest_run *run, const dbvhi_packed_leaf *a, const dbvhi_packed_leaf *b ) {
	DBVHI_ASSERT( run->candidate_count + 16 <= DBVHI_NEAR_CANDIDATES );
	uint32_t near = used_lanes( ( a->first_and_count & 3 ) + 1, ( b->first_and_count & 3 ) + 1 );
	sixteen t;
	load_leaves( &run->packed, a, b, &t );
	run->packed.leaf_tests += 1;
	if ( t.slack < 0.0f ) {
		for ( ; near != 0; near &= near - 1 ) {
			const uint32_t lane = (uint32_t)__builtin_ctz( near );
			add_candidate( run, ( a->first_and_count >> 2 ) + ( lane & 3 ), ( b->first_and_count >> 2 ) + ( lane >> 2 ),
			               0.0f, INFINITY_FLOAT );
		}
		return 1;
	}
	const vf limit = vf_set( (float)( (double)run->best / t.far ) * ( 1.0f + 0x1p-20f ) + t.slack );
	near &= near_along( &t, limit, run->direction );
	if ( near == 0 )
		return 0;
	vecf corner_a[3], corner_b[3];
	for ( int i = 0; i < 3; ++i ) {
		corner_a[i] = vecf_tile( t.a.corner[i] );
		corner_b[i] = vecf_spread( t.b.corner[i] );
	}
	vf squared;
	near &= near_between( &t, corner_a, corner_b, vf_mul( limit, vf_set( 1.0f + 0x1p-20f ) ), &squared );
	if ( near == 0 )
		return 0;
	quad_normal( &t.a );
	quad_normal( &t.b );
	near &= near_by_planes( &t, corner_a, corner_b, limit );
	if ( near == 0 )
		return 0;
	if ( run->goal != DBVHI_NEAR_ALL ) {
		const float least = least_of( squared, near );
		const float upper = ( __builtin_sqrtf( least ) + t.slack ) * (float)( t.far * ( 1.0 + 0x1p-22 ) );
		come_nearer( run, upper );
		const uint32_t lanes = near & ~vf_greater( squared, vf_set( least ) );
		if ( run->goal == DBVHI_NEAR_FIRST && upper <= run->best && lanes != 0 ) {
			const uint32_t lane = (uint32_t)__builtin_ctz( lanes );
			add_candidate( run, ( a->first_and_count >> 2 ) + ( lane & 3 ), ( b->first_and_count >> 2 ) + ( lane >> 2 ),
			               0.0f, upper );
			queue_pairs( run, a, b, &t, corner_a, corner_b, near & ~( 1u << lane ) );
			return 1;
		}
	}
	queue_pairs( run, a, b, &t, corner_a, corner_b, near );
	return 0;
}

// ------------------------------------------------------------------------------------------------
// Pairs of triangles, sixteen at a time

typedef struct near_points {
	vecf offset; // from a to b
	vf squared;
} near_points;

VECTOR_INLINE void keep_nearer( near_points *best, vecf offset ) {
	const vf squared = vecf_dot( offset, offset );
	best->offset.x = vf_select_less( squared, best->squared, offset.x, best->offset.x );
	best->offset.y = vf_select_less( squared, best->squared, offset.y, best->offset.y );
	best->offset.z = vf_select_less( squared, best->squared, offset.z, best->offset.z );
	best->squared = vf_min( squared, best->squared );
}

// Keeps a length from 0, so that a division by it gives a large number and no NaN.
VECTOR_INLINE vf inverse_of( vf x ) {
	return vf_div( vf_set( 1.0f ), vf_max( x, vf_set( 1e-30f ) ) );
}

// The plane of a triangle: the foot of the perpendicular from p is
//     corner + sum over k of ( ( p - corner ) . weight[k] ) edge[k].
typedef struct plane {
	vecf corner, edge[2], weight[2];
} plane;

VECTOR_INLINE plane plane_of( const vecf corner[3] ) {
	plane out;
	out.corner = corner[0];
	out.edge[0] = vecf_sub( corner[1], corner[0] );
	out.edge[1] = vecf_sub( corner[2], corner[0] );
	const vecf n = vecf_cross( out.edge[0], out.edge[1] );
	const vf scale = inverse_of( vecf_dot( n, n ) );
	out.weight[0] = vecf_scale( scale, vecf_cross( out.edge[1], n ) );
	out.weight[1] = vecf_scale( scale, vecf_cross( n, out.edge[0] ) );
	return out;
}

// The vector from p to the foot of the perpendicular, which is moved into the triangle if it is outside.
VECTOR_INLINE vecf way_to_plane( const plane *t, vecf p ) {
	const vecf w = vecf_sub( p, t->corner );
	const vf s = vf_clamp( vecf_dot( w, t->weight[0] ) );
	const vf u = vf_max( vf_min( vecf_dot( w, t->weight[1] ), vf_sub( vf_set( 1.0f ), s ) ), vf_set( 0.0f ) );
	return vecf_sub( vecf_fma( t->edge[1], u, vecf_scale( s, t->edge[0] ) ), w );
}

// Bound the distances of sixteen pairs, in the unit of the trees. With E the error of a coordinate, as in
// triangles_overlap(), the derivation in exact/tri_tri_distance.c holds with S = 1 and u = 2^-24: both bounds are off
// by less than 4 E + 128 u.
VECTOR_INLINE void triangle_gaps( const vecf a[3], const vecf b[3], vf unit, vf slack, vf *lower, vf *upper,
                                  near_points *best_out ) {
	vecf edge_a[3], edge_b[3];
	vf dd[3], ee[3], inverse_d[3], inverse_e[3];
	for ( int i = 0; i < 3; ++i ) {
		edge_a[i] = vecf_sub( a[( i + 1 ) % 3], a[i] );
		edge_b[i] = vecf_sub( b[( i + 1 ) % 3], b[i] );
		dd[i] = vecf_dot( edge_a[i], edge_a[i] );
		ee[i] = vecf_dot( edge_b[i], edge_b[i] );
		inverse_d[i] = inverse_of( dd[i] );
		inverse_e[i] = inverse_of( ee[i] );
	}
	near_points best;
	best.offset = vecf_sub( b[0], a[0] );
	best.squared = vecf_dot( best.offset, best.offset );
	// Pairs of edges: the nearest points of the lines, then each in turn moved to the point nearest to the other.
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			const vecf w = vecf_sub( a[i], b[j] );
			const vf de = vecf_dot( edge_a[i], edge_b[j] ), dw = vecf_dot( edge_a[i], w ),
			         ew = vecf_dot( edge_b[j], w );
			const vf determinant = vf_max( difference_of_products( dd[i], ee[j], de, de ), vf_set( 1e-30f ) );
			vf s = vf_clamp( vf_div( difference_of_products( de, ew, ee[j], dw ), determinant ) );
			const vf t = vf_clamp( vf_mul( vf_fma( de, s, ew ), inverse_e[j] ) );
			s = vf_clamp( vf_mul( vf_sub( vf_mul( de, t ), dw ), inverse_d[i] ) );
			// q - p = -w - s d + t e
			const vecf from = vecf_sub( vecf_scale( t, edge_b[j] ), w );
			keep_nearer( &best, vecf_sub( from, vecf_scale( s, edge_a[i] ) ) );
		}
	}
	// Pairs of a corner and a face.
	const plane plane_a = plane_of( a ), plane_b = plane_of( b );
	for ( int i = 0; i < 3; ++i ) {
		const vecf back = way_to_plane( &plane_a, b[i] );
		const vf zero = vf_set( 0.0f );
		keep_nearer( &best, ( vecf ){ vf_sub( zero, back.x ), vf_sub( zero, back.y ), vf_sub( zero, back.z ) } );
		keep_nearer( &best, way_to_plane( &plane_b, a[i] ) );
	}

	*best_out = best;
	const vf distance = vf_sqrt( best.squared );
	*upper = vf_mul( vf_add( distance, slack ), vf_mul( unit, vf_set( 1.0f + 0x1p-21f ) ) );
	const vecf g = best.offset;
	const vf a0 = vecf_dot( g, a[0] ), a1 = vecf_dot( g, a[1] ), a2 = vecf_dot( g, a[2] );
	const vf b0 = vecf_dot( g, b[0] ), b1 = vecf_dot( g, b[1] ), b2 = vecf_dot( g, b[2] );
	const vf gap = vf_sub( vf_min( b0, vf_min( b1, b2 ) ), vf_max( a0, vf_max( a1, a2 ) ) );
	// note: the divisor is kept from 0; the gap along an offset that is so short is as small.
	const vf along = vf_div( gap, vf_max( distance, vf_set( 1e-6f ) ) );
	*lower = vf_mul( vf_sub( along, slack ), vf_mul( unit, vf_set( 1.0f - 0x1p-21f ) ) );
}

VECTOR_INLINE void remember_direction( dbvhi_nearest_run *run, const near_points *points, uint32_t lanes ) {
	float squared[16], x[16], y[16], z[16];
	vf_store( squared, points->squared );
	vf_store( x, points->offset.x );
	vf_store( y, points->offset.y );
	vf_store( z, points->offset.z );
	int least = __builtin_ctz( lanes );
	for ( ; lanes != 0; lanes &= lanes - 1 ) {
		const int i = __builtin_ctz( lanes );
		least = squared[i] < squared[least] ? i : least;
	}
	// The length is a little less than 1, so that a gap along the direction is not overestimated.
	const float scale = 0.999999f / __builtin_sqrtf( squared[least] + 1e-20f );
	run->direction[0] = scale * x[least];
	run->direction[1] = scale * y[least];
	run->direction[2] = scale * z[least];
}

// Measure the last sixteen pairs of the queue, or as many as there are. Returns nonzero if the kernel should return
// with its candidates now.
static int measure_pairs( dbvhi_nearest_run *run ) {
	dbvhi_near_queue *queue = run->queue;
	DBVHI_ASSERT( queue->count > 0 && queue->count <= DBVHI_NEAR_QUEUE );
	DBVHI_ASSERT( run->candidate_count + 16 <= DBVHI_NEAR_CANDIDATES );
	const uint32_t count = queue->count < 16 ? queue->count : 16, at = queue->count - count;
	queue->count = at;
	run->packed.more_steps += DBVHI_MEASURE_STEPS;
	vecf a[3], b[3];
	for ( int i = 0; i < 3; ++i ) {
		a[i] = ( vecf ){ vf_load( queue->a[3 * i] + at ), vf_load( queue->a[3 * i + 1] + at ),
		                 vf_load( queue->a[3 * i + 2] + at ) };
		b[i] = ( vecf ){ vf_load( queue->b[3 * i] + at ), vf_load( queue->b[3 * i + 1] + at ),
		                 vf_load( queue->b[3 * i + 2] + at ) };
	}
	vf lower, upper;
	near_points points;
	triangle_gaps( a, b, vf_load( queue->unit + at ), vf_load( queue->slack + at ), &lower, &upper, &points );
	const uint32_t used = count == 16 ? 0xffff : ( 1u << count ) - 1;
	remember_direction( run, &points, used );
	uint32_t near = used & ~vf_greater( lower, vf_set( run->best ) );
	if ( near == 0 )
		return 0;
	come_nearer( run, least_of( upper, near ) );
	near &= ~vf_greater( lower, vf_set( run->best ) );
	float low[16], high[16];
	vf_store( low, lower );
	vf_store( high, upper );
	int may_meet = 0;
	for ( ; near != 0; near &= near - 1 ) {
		const uint32_t lane = (uint32_t)__builtin_ctz( near );
		add_candidate( run, queue->leaf_a[at + lane], queue->leaf_b[at + lane], low[lane], high[lane] );
		may_meet |= !( low[lane] > 0.0f );
	}
	return ( run->goal == DBVHI_NEAR_FIRST && run->candidate_count > 0 ) ||
	       ( run->goal == DBVHI_NEAR_NEAREST && may_meet ) || run->candidate_count + 16 > DBVHI_NEAR_CANDIDATES;
}

// ------------------------------------------------------------------------------------------------
// A first guess

// A leaf about nearest to a point: a greedy descent without backtracking.
static int32_t leaf_near( const dbvhi_packed_spheres *spheres, const dbvhi_packed_box *boxes_of, const float x[3] ) {
	int32_t node = 0;
	while ( node >= 0 ) {
		const vec4 c = vec4_load( spheres[node].centre );
		const vec4 way = { c.x - x[0], c.y - x[1], c.z - x[2] };
		const float4 gap = float4_sqrt( vec4_dot( way, way ) ) - float4_load( spheres[node].radius );
		int least = 0;
		for ( int i = 1; i < 4; ++i )
			least = gap[i] < gap[least] ? i : least;
		node = boxes_of[DBVHI_WIDTH * node + least].child;
	}
	return node;
}

#define GUESSES 3 // each starts from the leaves that the one before has found

// Guess the nearest leaves, so that the search begins with an upper bound: the leaf of one tree about nearest to a leaf
// of the other, in turn, until nothing changes. Their triangles are measured. Returns as the kernel does.
static int guess( dbvhi_nearest_run *run ) {
	dbvhi_packed_run *packed = &run->packed;
	int32_t leaf_a = -1, leaf_b = -1;
	float at_a[3] = { packed->pos[0], packed->pos[1], packed->pos[2] };
	for ( int round = 0; round < GUESSES; ++round ) {
		const int32_t before_a = leaf_a, before_b = leaf_b;
		leaf_a = leaf_near( packed->spheres_a, packed->boxes_a, at_a );
		const float *p = packed->leaves_a[~leaf_a].origin;
		float at_b[3];
		for ( int k = 0; k < 3; ++k )
			at_b[k] = packed->rot[0][k] * ( p[0] - packed->pos[0] ) + packed->rot[1][k] * ( p[1] - packed->pos[1] ) +
			          packed->rot[2][k] * ( p[2] - packed->pos[2] );
		leaf_b = leaf_near( packed->spheres_b, packed->boxes_b, at_b );
		const float *q = packed->leaves_b[~leaf_b].origin;
		for ( int k = 0; k < 3; ++k )
			at_a[k] = packed->rot[k][0] * q[0] + packed->rot[k][1] * q[1] + packed->rot[k][2] * q[2] + packed->pos[k];
		if ( round > 0 && leaf_a == before_a && leaf_b == before_b )
			break;
	}
	return sift_leaves( run, &packed->leaves_a[~leaf_a], &packed->leaves_b[~leaf_b] ) ||
	       ( run->queue->count > 0 && measure_pairs( run ) );
}

// Traverse all pairs within reach, in any order. Returns as the kernel does.
static int traverse_reach( dbvhi_nearest_run *run ) {
	dbvhi_packed_run *packed = &run->packed;
	for ( ;; ) {
		if ( run->queue->count >= 16 && measure_pairs( run ) )
			return 1;
		const uint32_t boxes_left = packed->box_end - packed->box_begin;
		const int last = packed->stack_count == 0 && boxes_left == 0;
		const uint32_t leaf_batch = run->goal == DBVHI_NEAR_FIRST ? 4 : DBVHI_LEAF_BATCH;
		if ( packed->leaf_count >= leaf_batch || ( last && packed->leaf_count > 0 ) ) {
			while ( packed->leaf_count > 0 && run->queue->count < 16 ) {
				const uint32_t leaf = --packed->leaf_count;
				if ( sift_leaves( run, &packed->leaves_a[~packed->leaf_a[leaf]],
				                  &packed->leaves_b[~packed->leaf_b[leaf]] ) )
					return 1;
			}
			continue;
		}
		if ( last && run->queue->count > 0 ) {
			if ( measure_pairs( run ) )
				return 1;
			continue;
		}
		if ( last )
			return run->candidate_count > 0;
		packed->margin = run->margin + run->reach * ( 1.0f + run->stretch );
		// note: before a pause the queue of boxes is emptied, so that all nodes that are left are on the stack.
		const int pausing = packed->node_tests >= packed->pause;
		if ( boxes_left >= DBVHI_BOX_AHEAD || packed->stack_count == 0 ||
		     ( boxes_left > 0 && ( pausing || packed->stack_count > packed->stack_cautious ) ) ) {
			test_boxes_within( packed );
			continue;
		}
		if ( pausing )
			return 1;
		if ( packed->box_end > DBVHI_BOX_QUEUE - 32 )
			close_up( packed );
		const uint32_t top = --packed->stack_count;
		const int32_t a = packed->stack_a[top], b = packed->stack_b[top];
		if ( a >= 0 || b >= 0 )
			test_spheres( packed, a, b, (uint32_t)packed->stack_lanes[top] );
		else if ( sift_leaves( run, &packed->leaves_a[~a], &packed->leaves_b[~b] ) )
			return 1;
	}
}

// ------------------------------------------------------------------------------------------------
// Meshes of few triangles, without their trees

// A lower bound of the distance of two leaves by their bounding balls; the margin of positions is left to the caller.
VECTOR_INLINE float leaf_gap( const dbvhi_packed_run *run, const dbvhi_packed_leaf *a, const dbvhi_packed_leaf *b ) {
	const float4 p = float4_load( a->origin ), q = float4_load( b->origin );
	float square = 0.0f;
	for ( int k = 0; k < 3; ++k ) {
		const float way = run->rot[k][0] * q[0] + run->rot[k][1] * q[1] + run->rot[k][2] * q[2] + run->pos[k] - p[k];
		square += way * way;
	}
	// note: corners are within sqrt 3 of their largest coordinate; a thousandth covers the rounding of lengths.
	return 0.999f * __builtin_sqrtf( square ) -
	       1.735f * ( dbvhi_packed_size( a->sizes ) + dbvhi_packed_size( b->sizes ) );
}

// Compare all pairs of leaves of two small trees that may be within reach, the pair about nearest first. Returns as the
// kernel does.
static int traverse_small( dbvhi_nearest_run *run ) {
	dbvhi_packed_run *packed = &run->packed;
	const uint32_t count_a = run->small_a, count = count_a * run->small_b;
	DBVHI_ASSERT( count <= DBVHI_NEAR_SMALL );
	float gap[DBVHI_NEAR_SMALL];
	uint32_t first = 0;
	for ( uint32_t i = 0; i < count; ++i ) {
		gap[i] = leaf_gap( packed, &packed->leaves_a[i % count_a], &packed->leaves_b[i / count_a] );
		first = gap[i] < gap[first] ? i : first;
	}
	while ( packed->small_next <= count ) {
		const uint32_t next = packed->small_next++, i = next == 0 ? first : next - 1;
		if ( ( next > 0 && i == first ) || gap[i] > reach_and_margins( run ) )
			continue;
		if ( sift_leaves( run, &packed->leaves_a[i % count_a], &packed->leaves_b[i / count_a] ) )
			return 1;
		// note: the first pair is measured at once, since its distance discards others.
		if ( run->queue->count >= ( next == 0 ? 1 : 16 ) && measure_pairs( run ) )
			return 1;
	}
	while ( run->queue->count > 0 ) {
		if ( measure_pairs( run ) )
			return 1;
	}
	return run->candidate_count > 0;
}

// Bring the pair with the best rank of the whole stack to the top, as long as the stack is short enough for a
// best-first search.
VECTOR_INLINE void choose_most_promising( dbvhi_nearest_run *run ) {
	const uint32_t count = run->packed.stack_count;
	if ( run->stack_rank == NULL || count < 2 || count > run->packed.stack_cautious )
		return;
	float *rest = run->stack_rank + count;
	for ( int i = 0; i < 16; ++i )
		rest[i] = INFINITY_FLOAT;
	vf least = vf_load( run->stack_rank );
	for ( uint32_t i = 16; i < count; i += 16 )
		least = vf_min( least, vf_load( run->stack_rank + i ) );
	const vf limit = vf_set( least_of( least, 0xffff ) );
	for ( uint32_t i = 0; i < count; i += 16 ) {
		const uint32_t lanes = 0xffff & ~vf_greater( vf_load( run->stack_rank + i ), limit );
		if ( lanes != 0 && i + (uint32_t)__builtin_ctz( lanes ) < count ) {
			bring_nearest_to_top( run, i + (uint32_t)__builtin_ctz( lanes ) );
			return;
		}
	}
}

// Traverse the nearest pairs first. Returns -1 if traverse_reach() is to take over, else as the kernel does.
static int traverse_nearest( dbvhi_nearest_run *run ) {
	dbvhi_packed_run *packed = &run->packed;
	for ( ;; ) {
		// note: at first an early upper bound is worth more than a full vector.
		const uint32_t wanted = packed->leaf_tests < 4 ? 1 : 16;
		if ( run->queue->count >= wanted || ( packed->stack_count == 0 && run->queue->count > 0 ) ) {
			if ( measure_pairs( run ) )
				return 1;
			continue;
		}
		if ( packed->stack_count == 0 )
			return run->candidate_count > 0;
		if ( packed->node_tests >= run->ordered && run->best < INFINITY_FLOAT )
			return -1;
		if ( packed->node_tests >= packed->pause ) {
			while ( run->queue->count > 0 && run->candidate_count + 16 <= DBVHI_NEAR_CANDIDATES )
				measure_pairs( run );
			return 1;
		}
		choose_most_promising( run );
		const uint32_t top = --packed->stack_count;
		const float reach = reach_and_margins( run );
		if ( run->stack_key[top] > reach )
			continue;
		const int32_t node_a = packed->stack_a[top], node_b = packed->stack_b[top];
		if ( node_a < 0 && node_b < 0 ) {
			if ( sift_leaves( run, &packed->leaves_a[~node_a], &packed->leaves_b[~node_b] ) )
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
}

dbvhi_distance_kernel DBVHI_KERNEL_NAME( dbvhi_distance_kernel );

int DBVHI_KERNEL_NAME( dbvhi_distance_kernel )( dbvhi_nearest_run *run ) {
	if ( run->small_a != 0 )
		return traverse_small( run );
	if ( run->goal == DBVHI_NEAR_NEAREST && run->packed.leaf_tests == 0 && run->packed.node_tests == 0 && guess( run ) )
		return 1;
	if ( run->ordered != 0 ) {
		const int returned = traverse_nearest( run );
		if ( returned >= 0 )
			return returned;
		close_ranks( run, reach_and_margins( run ) );
		run->ordered = 0;
	}
	return traverse_reach( run );
}
