// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Splits by cost, as split.c does, in floats: the choice needs no more precision, and any choice makes a valid tree.
// Coordinates are along the node's axes, scaled to its size, four to a vector with one unused.

#pragma once

#include "base/assert.h"
#include "bvh/builder/fit_x16.inl"
#include "bvh/builder/steps_down.h"

// The bounds of a set of triangles: lower bounds, and negated upper ones, so that one minimum joins both.
typedef struct reach {
	f4 low, below;
} reach;

WIDE_INLINE reach reach_nothing( void ) {
	return ( reach ){ f4_set( INFINITY ), f4_set( INFINITY ) };
}

WIDE_INLINE void reach_join( reach *a, const reach *b ) {
	a->low = f4_min( a->low, b->low );
	a->below = f4_min( a->below, b->below );
}

WIDE_INLINE reach reach_of( f4 a, f4 b, f4 c ) {
	return ( reach ){ f4_min( f4_min( a, b ), c ), -f4_max( f4_max( a, b ), c ) };
}

// Returns the costs of three sets, one for each axis that they were sorted along, without the factor for their size.
WIDE_INLINE f4 reach_costs( const reach sets[3] ) {
	const f4 x = -( sets[0].low + sets[0].below ), y = -( sets[1].low + sets[1].below ),
	         z = -( sets[2].low + sets[2].below );
	const f4 a = { x[0], y[0], z[0], 0.0f }, b = { x[1], y[1], z[1], 0.0f }, c = { x[2], y[2], z[2], 0.0f };
	return f4_set( 2.0f ) * a * b * c + ( a * b + b * c + c * a ) * ( a + b + c );
}

#define EXACT 64 // up to so many triangles every position is tried
#define GROUP 4

typedef struct places {
	reach *reaches; // bounds of each triangle
	f4 *sums;       // sum of its corners, the key it is sorted by
} places;

// Sorts triangles along an axis by counting the smaller keys of each: no branches, and vectorised.
static void sort_along( const f4 *sums, int axis, int count, uint8_t *order ) {
	DBVHI_ASSERT( (unsigned)axis < 3 && count > 0 );
	int32_t key[EXACT], rank[EXACT];
	float low = INFINITY, high = -INFINITY;
	for ( int i = 0; i < count; ++i ) {
		low = lower( sums[i][axis], low );
		high = higher( sums[i][axis], high );
	}
	// note: 24 bits of coordinate, then the index, so that no two keys are equal.
	const float size = high - low, scale = size > 1e-30f ? 16777215.0f / size : 0.0f;
	const int padded = ( count + 15 ) / 16 * 16;
	for ( int i = 0; i < count; ++i )
		key[i] = (int32_t)( ( sums[i][axis] - low ) * scale ) * EXACT + i;
	for ( int i = count; i < padded; ++i )
		key[i] = INT32_MAX;
	for ( int i = 0; i < padded; i += 16 ) {
		int32_t before[16] = { 0 };
		for ( int j = 0; j < count; ++j ) {
			for ( int l = 0; l < 16; ++l )
				before[l] += key[j] < key[i + l] ? 1 : 0;
		}
		for ( int l = 0; l < 16; ++l )
			rank[i + l] = before[l];
	}
	for ( int i = 0; i < count; ++i )
		order[rank[i]] = (uint8_t)i;
}

// Finds the best division: the new order, and how many triangles go left; 0 if no position is better than another.
static size_t divide_exactly( const places *p, int count, uint8_t order[EXACT] ) {
	DBVHI_ASSERT( count >= 2 && count <= EXACT );
	uint8_t orders[3][EXACT];
	f4 left[EXACT], right[EXACT];
	for ( int axis = 0; axis < 3; ++axis )
		sort_along( p->sums, axis, count, orders[axis] );
	reach below[3], above[3];
	for ( int axis = 0; axis < 3; ++axis )
		below[axis] = above[axis] = reach_nothing();
	// note: the sets of the first n and of the last n grow together.
	for ( int n = 1; n < count; ++n ) {
		for ( int axis = 0; axis < 3; ++axis ) {
			reach_join( &below[axis], &p->reaches[orders[axis][n - 1]] );
			reach_join( &above[axis], &p->reaches[orders[axis][count - n]] );
		}
		if ( n % GROUP == 0 || ( count - n ) % GROUP == 0 ) {
			const f4 steps = f4_set( dbvhi_steps_down_f( (size_t)n ) );
			left[n] = reach_costs( below ) * steps;
			right[count - n] = reach_costs( above ) * steps;
		}
	}
	float best = INFINITY;
	int best_axis = -1, best_left = 0;
	for ( int n = 1; n < count; ++n ) {
		if ( n % GROUP != 0 && ( count - n ) % GROUP != 0 )
			continue;
		const f4 cost = left[n] + right[n];
		for ( int axis = 0; axis < 3; ++axis ) {
			if ( cost[axis] < best ) {
				best = cost[axis];
				best_axis = axis;
				best_left = n;
			}
		}
	}
	if ( best_axis < 0 )
		return 0;
	memcpy( order, orders[best_axis], (size_t)count );
	return (size_t)best_left;
}

#define BINS 32

typedef struct histogram {
	reach bins[3][BINS];
	uint32_t counts[3][BINS];
	f4 low, scale;
} histogram;

static void histogram_start( histogram *h, f4 low, f4 high ) {
	h->low = low;
	for ( int k = 0; k < 4; ++k ) {
		const float size = high[k] - low[k];
		h->scale[k] = k < 3 && size > 1e-30f ? (float)BINS / size : 0.0f;
	}
	for ( int axis = 0; axis < 3; ++axis ) {
		for ( int bin = 0; bin < BINS; ++bin ) {
			h->bins[axis][bin] = reach_nothing();
			h->counts[axis][bin] = 0;
		}
	}
}

WIDE_INLINE i4 bin_of( const histogram *h, f4 sum ) {
	return f4_to_int( f4_min( f4_max( ( sum - h->low ) * h->scale, f4_set( 0.0f ) ), f4_set( (float)BINS - 1.0f ) ) );
}

WIDE_INLINE void histogram_add( histogram *h, const reach *r, f4 sum ) {
	const i4 bin = bin_of( h, sum );
	for ( int axis = 0; axis < 3; ++axis ) {
		reach_join( &h->bins[axis][bin[axis]], r );
		h->counts[axis][bin[axis]] += 1;
	}
}

// Finds the best position between two bins: returns the axis, or -1, and the first bin on the right. A triangle counts
// as `weight`.
static int histogram_best( const histogram *h, size_t weight, int *bin_out ) {
	DBVHI_ASSERT( weight > 0 );
	f4 after[BINS];
	size_t total = 0;
	for ( int bin = 0; bin < BINS; ++bin )
		total += h->counts[0][bin];
	reach sum[3] = { reach_nothing(), reach_nothing(), reach_nothing() };
	size_t counts[3] = { 0 };
	for ( int bin = BINS; bin-- > 1; ) {
		f4 steps = f4_set( 0.0f );
		for ( int axis = 0; axis < 3; ++axis ) {
			reach_join( &sum[axis], &h->bins[axis][bin] );
			counts[axis] += h->counts[axis][bin];
			steps[axis] = dbvhi_steps_down_f( weight * counts[axis] );
		}
		after[bin] = reach_costs( sum ) * steps;
	}
	float best = INFINITY;
	int best_axis = -1;
	for ( int axis = 0; axis < 3; ++axis ) {
		sum[axis] = reach_nothing();
		counts[axis] = 0;
	}
	for ( int bin = 1; bin < BINS; ++bin ) {
		f4 steps = f4_set( 0.0f );
		for ( int axis = 0; axis < 3; ++axis ) {
			reach_join( &sum[axis], &h->bins[axis][bin - 1] );
			counts[axis] += h->counts[axis][bin - 1];
			steps[axis] = dbvhi_steps_down_f( weight * counts[axis] );
		}
		const f4 cost = reach_costs( sum ) * steps + after[bin];
		for ( int axis = 0; axis < 3; ++axis ) {
			if ( counts[axis] > 0 && counts[axis] < total && cost[axis] < best ) {
				best = cost[axis];
				best_axis = axis;
				*bin_out = bin;
			}
		}
	}
	return best_axis;
}
