// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Traversals of the packed tree by lines and points: four boxes at a time, in floats.
//
// Margins. u = 2^-24, and Q the distance of the beam's origin, or of the point, from the centre of the packed tree plus
// C, the tree's extent. No box is larger than its smallest sphere, whose radius is at most C, but for the step to which
// packing rounds: its half extents are at most C each, its centre at most sqrt(3) C from the sphere's, and w, the
// offset from its centre to the origin, at most 2.74 Q. The quaternion's numbers are rounded to floats, its products
// too, and sums of four of them: an entry of its matrix has an error of 5 u, relative to the square n of its length,
// and so has n.
//     w: origin rounded u Q, offset 4 u (step, number, product), two subtractions          13.5 u Q
//     its projections on the axes: matrix sqrt(3) 5 u, three products and sums 3 u         11.7 u 2.74 Q = 32 u Q
//     half extents: step and number 4 u, n and its product 6 u                             10 u Q
//     direction: rounded u, and projected as w; the box is at most 4.5 Q away              12.7 u 4.5 Q = 57 u Q
//     the slab test: a difference and a quotient of two roundings, at most 4.5 Q           13 u Q + 4 u Q
// Together less than 160 u Q. Quotients need no division by n, which is a factor of both sides. The distance from a
// point needs a division by n, 7 u 2.74 Q more, but has no direction and no quotient; in three coordinates that is less
// than 110 u Q, and 8 u of the distance for the sum of squares.

#include "base/assert.h"
#include "query/raycast/walk.h"
#include "simd/vec_f.h"

#include <math.h>

#define U 0x1p-24
#define MARGIN ( 160.0 * U )
#define SHALLOW 1e-12f
#define SMALLEST_SQUARE 0x1p-110f

typedef int32_t int4 __attribute__( ( vector_size( 16 ) ) );
typedef uint32_t uint4 __attribute__( ( vector_size( 16 ) ) );

typedef struct vec4 {
	float4 x, y, z;
} vec4;

static inline vec4 load_vec4( const float p[3][DBVHI_WIDTH] ) {
	return ( vec4 ){ float4_load( p[0] ), float4_load( p[1] ), float4_load( p[2] ) };
}

static inline float4 dot4( vec4 a, vec4 b ) {
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec4 cross4( vec4 a, vec4 b ) {
	return ( vec4 ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline vec4 sub4( vec4 a, vec4 b ) {
	return ( vec4 ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline float4 set4( float x ) {
	return ( float4 ){ x, x, x, x };
}

static inline float4 choose4( int4 mask, float4 yes, float4 no ) {
	return (float4)( ( mask & (int4)yes ) | ( ~mask & (int4)no ) );
}

static inline float4 abs4( float4 a ) {
	return (float4)( (int4)a & 0x7fffffff );
}

// ------------------------------------------------------------------------------------------------
// The stack: children of packed nodes (a node, or ~ a leaf), each with the key by which the nearer one comes first

typedef struct pending {
	const dbvhi_packed_spheres *spheres;
	const dbvhi_packed_box *boxes;
	const dbvhi_packed_leaf *leaves;
	int32_t *child;
	int32_t *key; // bits of a float that is not negative: these are in the same order as the floats
	size_t top;
} pending;

static pending make_pending( const dbvhi_packed *packed, dbvh_workspace *workspace ) {
	return ( pending ){ dbvhi_packed_spheres_of( packed ),
	                    dbvhi_packed_boxes_of( packed ),
	                    dbvhi_packed_leaves_of( packed ),
	                    workspace->packed_stack,
	                    workspace->packed_stack + workspace->packed_capacity,
	                    0 };
}

// Prefetch a node or leaf on the stack: traversals wait for memory more than they compute.
static inline void prefetch( const void *from, size_t bytes ) {
	for ( size_t i = 0; i < bytes; i += 64 )
		__builtin_prefetch( (const char *)from + i );
}

// Push the children of a node whose lanes are set, the nearest on top.
static inline void push( pending *stack, int32_t node, float4 keys, int4 lanes ) {
	DBVHI_ASSERT( node >= 0 );
	const dbvhi_packed_box *boxes = &stack->boxes[DBVHI_WIDTH * (size_t)node];
	const size_t base = stack->top;
	float key[DBVHI_WIDTH];
	memcpy( key, &keys, sizeof key );
	for ( int i = 0; i < DBVHI_WIDTH; ++i ) {
		if ( lanes[i] == 0 )
			continue;
		int32_t own;
		memcpy( &own, &key[i], sizeof own );
		size_t at = stack->top++;
		for ( ; at > base && stack->key[at - 1] < own; --at ) {
			stack->key[at] = stack->key[at - 1];
			stack->child[at] = stack->child[at - 1];
		}
		const int32_t child = boxes[i].child;
		stack->key[at] = own;
		stack->child[at] = child;
		if ( child >= 0 ) {
			prefetch( &stack->spheres[child], sizeof( dbvhi_packed_spheres ) );
			prefetch( &stack->boxes[DBVHI_WIDTH * (size_t)child], DBVHI_WIDTH * sizeof( dbvhi_packed_box ) );
		} else {
			prefetch( &stack->leaves[~child], sizeof( dbvhi_packed_leaf ) );
		}
	}
}

static inline float pop( pending *stack, int32_t *child_out ) {
	DBVHI_ASSERT( stack->top > 0 );
	stack->top -= 1;
	*child_out = stack->child[stack->top];
	float key;
	memcpy( &key, &stack->key[stack->top], sizeof key );
	return key;
}

// Visit the triangles of a leaf whose lanes are set. Returns false if the search is over.
static bool show_lanes( const dbvhi_packed_leaf *leaf, int4 lanes, dbvhi_visitor *visitor ) {
	const uint32_t first = leaf->first_and_count >> 2, count = ( leaf->first_and_count & 3 ) + 1;
	for ( uint32_t i = 0; i < count; ++i ) {
		if ( lanes[i] == 0 )
			continue;
		visitor->reach = visitor->visit( visitor, first + i );
		if ( visitor->reach < 0.0 )
			return false;
	}
	return true;
}

// Round up to a float; INFINITY, which is no bound, beyond the range of floats. note: the end of a line before the
// origin is negative, and discards everything.
static float round_up( double x ) {
	return x < 0x1p120 ? (float)( x * ( 1.0 + 0x1p-22 ) + 0x1p-120 ) : INFINITY;
}

static dbvhi_vec from_centre( const dbvhi_packed *packed, dbvhi_vec a ) {
	return ( dbvhi_vec ){ { a.v[0] - packed->centre[0], a.v[1] - packed->centre[1], a.v[2] - packed->centre[2] } };
}

static vec4 spread( dbvhi_vec a ) {
	return ( vec4 ){ set4( (float)a.v[0] ), set4( (float)a.v[1] ), set4( (float)a.v[2] ) };
}

// ------------------------------------------------------------------------------------------------
// The boxes of a node's four children

typedef struct boxes4 {
	vec4 axis[3];   // unit vectors times `norm`
	vec4 way;       // from the centre to the point, in the mesh's frame
	float4 half[3]; // half extents, not scaled
	float4 norm;
	int4 exists;
} boxes4;

static inline float4 low4( int4 x ) {
	return __builtin_convertvector( (int4)( (uint4)x << 16 ), float4 );
}

static inline float4 high4( int4 x ) {
	return __builtin_convertvector( x, float4 );
}

// The first (last) two columns of two rows, interleaved: a step of a 4 x 4 transposition.
static inline int4 low_pairs( int4 a, int4 b ) {
	return ( int4 ){ a[0], b[0], a[1], b[1] };
}

static inline int4 high_pairs( int4 a, int4 b ) {
	return ( int4 ){ a[2], b[2], a[3], b[3] };
}

static inline boxes4 decode( const dbvhi_packed_spheres *spheres, const dbvhi_packed_box *boxes, vec4 from ) {
	int4 first[DBVHI_WIDTH], last[DBVHI_WIDTH];
	for ( int i = 0; i < DBVHI_WIDTH; ++i ) {
		memcpy( &first[i], boxes[i].pair, sizeof first[i] );
		memcpy( &last[i], boxes[i].pair + 2, sizeof last[i] );
	}
	const int4 a = low_pairs( first[0], first[1] ), b = low_pairs( first[2], first[3] );
	const int4 c = high_pairs( first[0], first[1] ), d = high_pairs( first[2], first[3] );
	const int4 e = high_pairs( last[0], last[1] ), f = high_pairs( last[2], last[3] );
	const int4 column[5] = { { a[0], a[1], b[0], b[1] },
	                         { a[2], a[3], b[2], b[3] },
	                         { c[0], c[1], d[0], d[1] },
	                         { c[2], c[3], d[2], d[3] },
	                         { e[0], e[1], f[0], f[1] } };
	const float4 w = low4( column[3] ), x = high4( column[3] ), y = low4( column[4] ), z = high4( column[4] );
	const float4 x2 = x + x, y2 = y + y, z2 = z + z;
	const float4 xy = x2 * y, xz = x2 * z, yz = y2 * z, wx = x2 * w, wy = y2 * w, wz = z2 * w;
	const float4 ww = w * w, xx = x * x, yy = y * y, zz = z * z;
	const float4 radius = float4_load( spheres->radius );
	const float4 step = radius * ( 1.0f / ( 65536.0f * DBVHI_STEPS ) );
	const vec4 centre = load_vec4( spheres->centre );
	return ( boxes4 ){
	    .axis = { { ( ww + xx ) - ( yy + zz ), xy + wz, xz - wy },
	              { xy - wz, ( ww - xx ) + ( yy - zz ), yz + wx },
	              { xz + wy, yz - wx, ( ww - xx ) - ( yy - zz ) } },
	    .way = { ( from.x - centre.x ) - step * low4( column[0] ), ( from.y - centre.y ) - step * high4( column[0] ),
	             ( from.z - centre.z ) - step * low4( column[1] ) },
	    .half = { step * high4( column[1] ), step * low4( column[2] ), step * high4( column[2] ) },
	    .norm = ( ww + xx ) + ( yy + zz ),
	    .exists = radius >= 0.0f,
	};
}

// ------------------------------------------------------------------------------------------------

typedef struct beam4 {
	vec4 origin, unit;
	float margin;
} beam4;

static inline int4 enter( const beam4 *beam, const dbvhi_packed_spheres *spheres, const dbvhi_packed_box *boxes,
                          float end, float4 *near_out ) {
	const boxes4 box = decode( spheres, boxes, beam->origin );
	const float4 shallow = SHALLOW * box.norm;
	float4 near = set4( 0.0f ), far = set4( end );
	for ( int k = 0; k < 3; ++k ) {
		const float4 at = dot4( box.way, box.axis[k] ), d = dot4( beam->unit, box.axis[k] );
		const float4 scale = 1.0f / choose4( abs4( d ) < shallow, shallow, d );
		const float4 h = box.norm * ( box.half[k] + beam->margin );
		const float4 one = ( -h - at ) * scale, two = ( h - at ) * scale;
		near = float4_max( near, float4_min( one, two ) );
		far = float4_min( far, float4_max( one, two ) );
	}
	*near_out = near;
	return ( near <= far ) & box.exists;
}

// The triangles of a leaf that the beam may intersect: if it passes through one, the volumes that it spans with the
// three edges have the same sign. u = 2^-24, W bounds the coordinates of corners relative to the beam's origin, s those
// relative to the leaf's, E the edges. Errors:
//     corner seen from the beam's origin               2 u W
//     edge, from the leaf's own corners                2 u s + u E
//     a coordinate of their product                    2 ( 2 u W E + W ( 2 u s + u E ) ) + 4 u W E = u W ( 10 E + 4 s )
//     product with a direction of length 1             sqrt(3) ( u W ( 10 E + 4 s ) + 4 u W E ) < u W ( 25 E + 7 s )
// The beam itself has an error of `margin` in each coordinate, which adds sqrt(3) E `margin`.
static int4 met_triangles( const dbvhi_packed_leaf *leaf, const beam4 *narrow, const dbvhi_beam *beam,
                           dbvhi_vec origin ) {
	double offset[3], largest = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		offset[k] = (double)leaf->origin[k] - origin.v[k];
		largest = fmax( largest, fabs( offset[k] ) );
	}
	const double size = (double)dbvhi_packed_size( leaf->sizes ), edge = (double)dbvhi_packed_edge( leaf->sizes );
	const double bound = U * ( largest + size ) * ( 27.0 * edge + 8.0 * size ) + 2.0 * beam->margin * edge;
	const float above = round_up( bound + 0x1p-100 );
	vec4 local[3], v[3];
	for ( int i = 0; i < 3; ++i ) {
		local[i] = load_vec4( leaf->corner[i] );
		v[i] = ( vec4 ){ local[i].x + (float)offset[0], local[i].y + (float)offset[1], local[i].z + (float)offset[2] };
	}
	float4 low, high;
	for ( int i = 0; i < 3; ++i ) {
		const float4 volume = dot4( narrow->unit, cross4( v[i], sub4( local[( i + 1 ) % 3], local[i] ) ) );
		low = i == 0 ? volume : float4_min( low, volume );
		high = i == 0 ? volume : float4_max( high, volume );
	}
	return ~( ( low < -above ) & ( high > above ) );
}

bool dbvhi_walk_line_packed( const dbvh_tree *tree, const dbvhi_beam *beam, dbvh_workspace *workspace,
                             dbvhi_visitor *visitor ) {
	const dbvhi_packed *packed = tree->packed;
	const dbvhi_vec origin = from_centre( packed, beam->origin );
	const double margin = beam->margin + MARGIN * ( dbvhi_norm1( origin ) + packed->extent );
	if ( !( margin < 0x1p34 ) )
		return false;
	const beam4 narrow = { spread( origin ), spread( beam->unit ), round_up( margin ) };
	float end = round_up( dbvhi_beam_end( beam, visitor->reach ) );
	pending stack = make_pending( packed, workspace );
	int32_t at = 0;
	for ( ;; ) {
		if ( at >= 0 ) {
			float4 near;
			const int4 lanes = enter( &narrow, &stack.spheres[at], &stack.boxes[DBVHI_WIDTH * at], end, &near );
			visitor->counters.box_tests += DBVHI_WIDTH;
			if ( !dbvhi_visitor_goes_on( visitor ) )
				return true;
			push( &stack, at, near, lanes );
		} else {
			if ( !show_lanes( &stack.leaves[~at], met_triangles( &stack.leaves[~at], &narrow, beam, origin ),
			                  visitor ) )
				return true;
			end = round_up( dbvhi_beam_end( beam, visitor->reach ) );
		}
		do {
			if ( stack.top == 0 )
				return true;
		} while ( pop( &stack, &at ) > end );
	}
}

// ------------------------------------------------------------------------------------------------

static inline int4 reach( vec4 point, const dbvhi_packed_spheres *spheres, const dbvhi_packed_box *boxes, float limit,
                          float4 *squared_out ) {
	const boxes4 box = decode( spheres, boxes, point );
	const float4 scale = 1.0f / box.norm;
	float4 sum = set4( 0.0f );
	for ( int k = 0; k < 3; ++k ) {
		const float4 at = scale * dot4( box.way, box.axis[k] );
		const float4 beyond = float4_max( abs4( at ) - box.half[k], set4( 0.0f ) );
		sum += beyond * beyond;
	}
	*squared_out = sum;
	return ( sum <= limit ) & box.exists;
}

static inline vec4 add_scaled4( vec4 a, float4 s, vec4 b ) {
	return ( vec4 ){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static inline vec4 choose_vec4( int4 mask, vec4 yes, vec4 no ) {
	return ( vec4 ){ choose4( mask, yes.x, no.x ), choose4( mask, yes.y, no.y ), choose4( mask, yes.z, no.z ) };
}

// The points of four triangles nearest to the origin, in floats, without a bound of the error.
static inline vec4 seek_nearest( const vec4 v[3] ) {
	const float4 tiny = set4( 0x1p-120f );
	const vec4 e[3] = { sub4( v[1], v[0] ), sub4( v[2], v[1] ), sub4( v[0], v[2] ) };
	const vec4 n = cross4( e[0], e[1] );
	vec4 best = v[0];
	float4 least = set4( 0.0f );
	int4 inside = { -1, -1, -1, -1 };
	for ( int i = 0; i < 3; ++i ) {
		const float4 share = -dot4( v[i], e[i] ) / float4_max( dot4( e[i], e[i] ), tiny );
		const vec4 x = add_scaled4( v[i], float4_min( float4_max( share, set4( 0.0f ) ), set4( 1.0f ) ), e[i] );
		const float4 square = dot4( x, x );
		const int4 nearer = i == 0 ? ( int4 ){ -1, -1, -1, -1 } : square < least;
		best = choose_vec4( nearer, x, best );
		least = choose4( nearer, square, least );
		inside &= dot4( n, cross4( v[i], e[i] ) ) >= 0.0f;
	}
	const float4 height = dot4( n, v[0] ) / float4_max( dot4( n, n ), tiny );
	return choose_vec4( inside, add_scaled4( ( vec4 ){ tiny, tiny, tiny }, height, n ), best );
}

// Lower bounds of the squared distances of a leaf's triangles. Their error is *error_out, to be added to the distance
// with which they are compared. As in exact/tri_ray.c: along any direction x, no point of a triangle is nearer than
// min x . corner / |x|. The direction towards the nearest point is used; if that is wrong, the bound is still valid.
// With W bounding the coordinates of corners, these have an error of 2 u W, which is 3.5 u W in three coordinates, and
// their products with a direction of length 1 one of 5.2 u W more: 16 u W is enough.
static float4 leaf_distances( const dbvhi_packed_leaf *leaf, dbvhi_vec point, double *error_out ) {
	double offset[3], largest = (double)dbvhi_packed_size( leaf->sizes );
	for ( int k = 0; k < 3; ++k )
		offset[k] = (double)leaf->origin[k] - point.v[k];
	largest += fmax( fabs( offset[0] ), fmax( fabs( offset[1] ), fabs( offset[2] ) ) );
	*error_out = 16.0 * U * largest;
	if ( !( largest < 0x1p50 && largest > 0x1p-40 ) )
		return set4( 0.0f );
	vec4 v[3];
	for ( int i = 0; i < 3; ++i ) {
		const vec4 local = load_vec4( leaf->corner[i] );
		v[i] = ( vec4 ){ local.x + (float)offset[0], local.y + (float)offset[1], local.z + (float)offset[2] };
	}
	const vec4 x = seek_nearest( v );
	const float4 lowest = float4_min( dot4( x, v[0] ), float4_min( dot4( x, v[1] ), dot4( x, v[2] ) ) );
	// note: there is no bound if products have lost digits below the smallest floats. An overflow keeps the triangle.
	const float4 square = dot4( x, x );
	const int4 sound = ( lowest > SMALLEST_SQUARE ) & ( square > SMALLEST_SQUARE );
	return choose4( sound, lowest / square * lowest, set4( 0.0f ) );
}

// Visit the triangles of a leaf, the nearest first, as long as they may be within reach. Returns false if the search is
// over.
static bool show_near( const dbvhi_packed_leaf *leaf, dbvhi_vec point, double margin, dbvhi_visitor *visitor ) {
	const uint32_t first = leaf->first_and_count >> 2, count = ( leaf->first_and_count & 3 ) + 1;
	double error;
	const float4 distances = leaf_distances( leaf, point, &error );
	float least[DBVHI_WIDTH];
	memcpy( least, &distances, sizeof least );
	for ( uint32_t left = ( 1u << count ) - 1; left != 0; ) {
		uint32_t next = (uint32_t)__builtin_ctz( left );
		for ( uint32_t i = next + 1; i < count; ++i )
			next = ( left >> i & 1 ) != 0 && least[i] < least[next] ? i : next;
		const float limit = round_up( visitor->reach + margin + error );
		if ( least[next] > limit * limit * 1.00001f )
			return true;
		visitor->reach = visitor->visit( visitor, first + next );
		if ( visitor->reach < 0.0 )
			return false;
		left &= ~( 1u << next );
	}
	return true;
}

// The limit of squared distances of boxes, rounded up to a float.
static float limit_of( double reach, double margin ) {
	const double limit = reach + margin;
	return limit < 0x1p50 ? round_up( limit * limit * ( 1.0 + 64.0 * U ) ) : INFINITY;
}

bool dbvhi_walk_point_packed( const dbvh_tree *tree, const dbvhi_goal *goal, dbvh_workspace *workspace,
                              dbvhi_visitor *visitor ) {
	const dbvhi_packed *packed = tree->packed;
	const dbvhi_vec at_point = from_centre( packed, goal->at );
	const double margin = goal->margin + MARGIN * ( dbvhi_norm1( at_point ) + packed->extent );
	if ( !( margin < 0x1p30 ) )
		return false;
	const vec4 point = spread( at_point );
	float limit = limit_of( visitor->reach, margin );
	pending stack = make_pending( packed, workspace );
	int32_t at = 0;
	for ( ;; ) {
		if ( at >= 0 ) {
			float4 squared;
			const int4 lanes = reach( point, &stack.spheres[at], &stack.boxes[DBVHI_WIDTH * at], limit, &squared );
			visitor->counters.box_tests += DBVHI_WIDTH;
			if ( !dbvhi_visitor_goes_on( visitor ) )
				return true;
			push( &stack, at, squared, lanes );
		} else {
			const uint32_t first = stack.leaves[~at].first_and_count >> 2;
			if ( tree->corners != NULL )
				prefetch( tree->corners + 9 * (size_t)first, DBVHI_WIDTH * 9 * sizeof( double ) );
			else
				prefetch( tree->corner + 3 * (size_t)first, DBVHI_WIDTH * 3 * sizeof( uint32_t ) );
			if ( !show_near( &stack.leaves[~at], at_point, goal->margin, visitor ) )
				return true;
			limit = limit_of( visitor->reach, margin );
		}
		do {
			if ( stack.top == 0 )
				return true;
		} while ( pop( &stack, &at ) > limit );
	}
}
