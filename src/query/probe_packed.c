// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Walks of lines and points down the packed tree: four boxes at a time, in floats.
//
// Margins. u = 2^-24, and Q the distance of the beam's origin, or of the point, from the centre of the packed tree plus
// the tree's extent. Positions are rounded to float and the centre of a box is subtracted: 2 u Q. The projections on
// its axes are sums of three products: 5.2 u Q, and those of the direction 6.2 u, which moves a point as far along the
// beam as the box, at most Q away, by 6.2 u Q. The quotients of the slab test round three times, 3 u of at most 2 Q.
// Together less than 64 u Q. That the axes are not quite those of the tree is charged to the boxes when they are
// packed, because only points inside of them matter; for the distance from a point it is relative, 16 u at most.

#include "query/probe_walk.h"

#include <math.h>

#define U 0x1p-24
#define SHALLOW 1e-12f

typedef float float4 __attribute__( ( vector_size( 16 ) ) );
typedef int32_t int4 __attribute__( ( vector_size( 16 ) ) );
typedef int16_t short4 __attribute__( ( vector_size( 8 ) ) );

typedef struct vec4 {
	float4 x, y, z;
} vec4;

static inline float4 load4( const float *p ) {
	float4 x;
	memcpy( &x, p, sizeof x );
	return x;
}

static inline float4 steps4( const int16_t *p ) {
	short4 x;
	memcpy( &x, p, sizeof x );
	return __builtin_convertvector( __builtin_convertvector( x, int4 ), float4 );
}

static inline vec4 load_vec4( const float p[3][DBVHI_WIDTH] ) {
	return ( vec4 ){ load4( p[0] ), load4( p[1] ), load4( p[2] ) };
}

static inline float4 dot4( vec4 a, vec4 b ) {
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec4 cross4( vec4 a, vec4 b ) {
	return ( vec4 ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline float4 set4( float x ) {
	return ( float4 ){ x, x, x, x };
}

static inline float4 choose4( int4 mask, float4 yes, float4 no ) {
	return (float4)( ( mask & (int4)yes ) | ( ~mask & (int4)no ) );
}

static inline float4 min4( float4 a, float4 b ) {
	return choose4( a < b, a, b );
}

static inline float4 max4( float4 a, float4 b ) {
	return choose4( a > b, a, b );
}

static inline float4 abs4( float4 a ) {
	return (float4)( (int4)a & 0x7fffffff );
}

// ------------------------------------------------------------------------------------------------
// The stack: a child of a packed node, a node or ~ a leaf, and its key, by which the nearer is taken first

typedef struct pending {
	const dbvhi_packed_node *nodes;
	const dbvhi_packed_leaf *leaves;
	int32_t *child;
	int32_t *key; // a float that is not negative, as bits: they have the same order
	size_t top;
} pending;

static pending make_pending( const dbvhi_packed *packed, dbvh_workspace *workspace ) {
	return ( pending ){ dbvhi_packed_nodes( packed ), dbvhi_packed_leaves( packed ), workspace->packed_stack,
	                    workspace->packed_stack + workspace->packed_capacity, 0 };
}

// Walks wait for memory more than they compute: what is on the stack is asked for early.
static inline void prefetch( const void *from, size_t bytes ) {
	for ( size_t i = 0; i < bytes; i += 64 )
		__builtin_prefetch( (const char *)from + i );
}

// Puts the children of the lanes that are set on the stack, the nearest on top.
static inline void push( pending *stack, const dbvhi_packed_node *node, float4 keys, int4 lanes ) {
	const size_t base = stack->top;
	float key[DBVHI_WIDTH];
	memcpy( key, &keys, sizeof key );
	for ( uint32_t i = 0; i < node->child_count; ++i ) {
		if ( lanes[i] == 0 )
			continue;
		int32_t own;
		memcpy( &own, &key[i], sizeof own );
		size_t at = stack->top++;
		for ( ; at > base && stack->key[at - 1] < own; --at ) {
			stack->key[at] = stack->key[at - 1];
			stack->child[at] = stack->child[at - 1];
		}
		stack->key[at] = own;
		stack->child[at] = node->child[i];
		if ( node->child[i] >= 0 )
			prefetch( &stack->nodes[node->child[i]], sizeof( dbvhi_packed_node ) );
		else
			prefetch( &stack->leaves[~node->child[i]], sizeof( dbvhi_packed_leaf ) );
	}
}

static inline float pop( pending *stack, int32_t *child_out ) {
	stack->top -= 1;
	*child_out = stack->child[stack->top];
	float key;
	memcpy( &key, &stack->key[stack->top], sizeof key );
	return key;
}

// Shows those of a leaf's triangles whose lanes are set. Returns false if the search is over.
static bool show_leaf( const dbvhi_packed_leaf *leaf, int4 lanes, dbvhi_visitor *visitor ) {
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

// Up to a float, from a number that is not negative; what no float can hold is as good as no bound.
static float round_up( double x ) {
	return x < 0x1p120 ? (float)( x * ( 1.0 + 0x1p-22 ) + 0x1p-120 ) : INFINITY;
}

static double size3( dbvhi_vec a ) {
	return fabs( a.v[0] ) + fabs( a.v[1] ) + fabs( a.v[2] );
}

static dbvhi_vec from_centre( const dbvhi_packed *packed, dbvhi_vec a ) {
	return ( dbvhi_vec ){ { a.v[0] - packed->centre[0], a.v[1] - packed->centre[1], a.v[2] - packed->centre[2] } };
}

static vec4 spread( dbvhi_vec a ) {
	return ( vec4 ){ set4( (float)a.v[0] ), set4( (float)a.v[1] ), set4( (float)a.v[2] ) };
}

// ------------------------------------------------------------------------------------------------

typedef struct beam4 {
	vec4 origin, unit;
	float margin;
} beam4;

static inline int4 enter( const beam4 *beam, const dbvhi_packed_node *node, float end, float4 *near_out ) {
	const vec4 centre = load_vec4( node->centre );
	const vec4 w = { beam->origin.x - centre.x, beam->origin.y - centre.y, beam->origin.z - centre.z };
	const vec4 axis0 = load_vec4( node->axis0 ), axis2 = load_vec4( node->axis2 );
	const vec4 axis[3] = { axis0, cross4( axis2, axis0 ), axis2 };
	float4 near = set4( 0.0f ), far = set4( end );
	for ( int k = 0; k < 3; ++k ) {
		const float4 at = dot4( w, axis[k] ), d = dot4( beam->unit, axis[k] );
		const float4 scale = 1.0f / choose4( abs4( d ) < SHALLOW, set4( SHALLOW ), d );
		const float4 h = node->step * steps4( node->half[k] ) + beam->margin;
		const float4 one = ( -h - at ) * scale, two = ( h - at ) * scale;
		near = max4( near, min4( one, two ) );
		far = min4( far, max4( one, two ) );
	}
	*near_out = near;
	return near <= far;
}

bool dbvhi_walk_line_packed( const dbvh_tree *tree, const dbvhi_beam *beam, dbvh_workspace *workspace,
                             dbvhi_visitor *visitor ) {
	const dbvhi_packed *packed = tree->packed;
	const dbvhi_vec origin = from_centre( packed, beam->origin );
	const double margin = beam->margin + 64.0 * U * ( size3( origin ) + packed->extent );
	if ( !( margin < 0x1p60 ) )
		return false;
	const beam4 narrow = { spread( origin ), spread( beam->unit ), round_up( margin ) };
	float end = round_up( dbvhi_beam_end( beam, visitor->reach ) );
	pending stack = make_pending( packed, workspace );
	int32_t at = 0;
	for ( ;; ) {
		if ( at >= 0 ) {
			float4 near;
			const int4 lanes = enter( &narrow, &stack.nodes[at], end, &near );
			visitor->box_tests += DBVHI_WIDTH;
			push( &stack, &stack.nodes[at], near, lanes );
		} else {
			if ( !show_leaf( &stack.leaves[~at], ( int4 ){ 1, 1, 1, 1 }, visitor ) )
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

static inline float4 squared_distances( vec4 point, const dbvhi_packed_node *node ) {
	const vec4 centre = load_vec4( node->centre );
	const vec4 w = { point.x - centre.x, point.y - centre.y, point.z - centre.z };
	const vec4 axis0 = load_vec4( node->axis0 ), axis2 = load_vec4( node->axis2 );
	const vec4 axis[3] = { axis0, cross4( axis2, axis0 ), axis2 };
	float4 sum = set4( 0.0f );
	for ( int k = 0; k < 3; ++k ) {
		const float4 h = node->step * steps4( node->half[k] );
		const float4 beyond = max4( abs4( dot4( w, axis[k] ) ) - h, set4( 0.0f ) );
		sum += beyond * beyond;
	}
	return sum;
}

static inline vec4 sub4( vec4 a, vec4 b ) {
	return ( vec4 ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline vec4 add_scaled4( vec4 a, float4 s, vec4 b ) {
	return ( vec4 ){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static inline vec4 choose_vec4( int4 mask, vec4 yes, vec4 no ) {
	return ( vec4 ){ choose4( mask, yes.x, no.x ), choose4( mask, yes.y, no.y ), choose4( mask, yes.z, no.z ) };
}

// The point nearest to 0 of four triangles, as well as floats have it.
static inline vec4 seek_nearest( const vec4 v[3] ) {
	const float4 tiny = set4( 0x1p-120f );
	const vec4 e[3] = { sub4( v[1], v[0] ), sub4( v[2], v[1] ), sub4( v[0], v[2] ) };
	const vec4 n = cross4( e[0], e[1] );
	vec4 best = v[0];
	float4 least = set4( 0.0f );
	int4 inside = { -1, -1, -1, -1 };
	for ( int i = 0; i < 3; ++i ) {
		const float4 share = -dot4( v[i], e[i] ) / max4( dot4( e[i], e[i] ), tiny );
		const vec4 x = add_scaled4( v[i], min4( max4( share, set4( 0.0f ) ), set4( 1.0f ) ), e[i] );
		const float4 square = dot4( x, x );
		const int4 nearer = i == 0 ? ( int4 ){ -1, -1, -1, -1 } : square < least;
		best = choose_vec4( nearer, x, best );
		least = choose4( nearer, square, least );
		inside &= dot4( n, cross4( v[i], e[i] ) ) >= 0.0f;
	}
	const float4 height = dot4( n, v[0] ) / max4( dot4( n, n ), tiny );
	return choose_vec4( inside, add_scaled4( ( vec4 ){ tiny, tiny, tiny }, height, n ), best );
}

// The triangles of a leaf that may be within `reach` of a point. As in exact/probe.c: along any direction m, no point
// of a triangle is nearer than min m . corner; the one towards the nearest point is tried, so it need not be right.
// With W bounding the coordinates of corners, these are off by 3 u W and half a step of the grid, and their products
// with a direction of length 1 round by less than 6 u W more. 16 u W + 2 steps is more than all of that in three
// coordinates.
static int4 near_triangles( const dbvhi_packed_leaf *leaf, dbvhi_vec point, double reach ) {
	double offset[3], largest = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		offset[k] = (double)leaf->origin[k] - point.v[k];
		largest = fmax( largest, fabs( offset[k] ) );
	}
	const double error = 16.0 * U * ( largest + (double)leaf->size ) + 2.0 * (double)leaf->step;
	if ( !( reach + error < 0x1p40 && largest + (double)leaf->size > 0x1p-50 ) )
		return ( int4 ){ -1, -1, -1, -1 };
	vec4 v[3];
	for ( int corner = 0; corner < 3; ++corner ) {
		float4 coordinate[3];
		for ( int k = 0; k < 3; ++k ) {
			const uint8_t *low = leaf->low[corner][k];
			const float4 fine = { low[0], low[1], low[2], low[3] };
			coordinate[k] = leaf->step * ( 256.0f * steps4( leaf->high[corner][k] ) + fine ) + (float)offset[k];
		}
		v[corner] = ( vec4 ){ coordinate[0], coordinate[1], coordinate[2] };
	}
	const vec4 x = seek_nearest( v );
	const float4 lowest = min4( dot4( x, v[0] ), min4( dot4( x, v[1] ), dot4( x, v[2] ) ) );
	const float limit = round_up( reach + error );
	const float4 bound = limit * limit * 1.00001f * dot4( x, x );
	return ~( ( lowest > 0.0f ) & ( lowest * lowest > bound ) );
}

// The float limit of squared distances: the double one has the margin in it before it is squared.
static float limit_of( double reach, double margin ) {
	const double limit = reach + margin;
	return limit < 0x1p50 ? round_up( limit * limit * ( 1.0 + 64.0 * U ) ) : INFINITY;
}

bool dbvhi_walk_point_packed( const dbvh_tree *tree, const dbvhi_spot *spot, dbvh_workspace *workspace,
                              dbvhi_visitor *visitor ) {
	const dbvhi_packed *packed = tree->packed;
	const dbvhi_vec at_point = from_centre( packed, spot->at );
	const double margin = spot->margin + 64.0 * U * ( size3( at_point ) + packed->extent );
	if ( !( margin < 0x1p30 ) )
		return false;
	const vec4 point = spread( at_point );
	float limit = limit_of( visitor->reach, margin );
	pending stack = make_pending( packed, workspace );
	int32_t at = 0;
	for ( ;; ) {
		if ( at >= 0 ) {
			const float4 distance = squared_distances( point, &stack.nodes[at] );
			visitor->box_tests += DBVHI_WIDTH;
			push( &stack, &stack.nodes[at], distance, distance <= limit );
		} else {
			const uint32_t first = stack.leaves[~at].first_and_count >> 2;
			prefetch( tree->corners + 9 * (size_t)first, DBVHI_WIDTH * 9 * sizeof( double ) );
			const int4 lanes = near_triangles( &stack.leaves[~at], at_point, visitor->reach + spot->margin );
			if ( !show_leaf( &stack.leaves[~at], lanes, visitor ) )
				return true;
			limit = limit_of( visitor->reach, margin );
		}
		do {
			if ( stack.top == 0 )
				return true;
		} while ( pop( &stack, &at ) > limit );
	}
}
