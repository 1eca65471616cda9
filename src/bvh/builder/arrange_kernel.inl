// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Arranges a group by recursive halving along the longest axis: see fast.h. The side of a pivot that a triangle falls
// on is unpredictable, and mispredictions would cost more than all the rest. So partitioning has no branches: each
// triangle is written to both ends, one of which advances; and the last sixteen are ranked by comparing all with all.
// Compiled for every instruction set; the order is the same in all of them.

#include "base/assert.h"
#include "bvh/builder/fast.h"
#include "bvh/packed_layout.h"
#include "simd/kernel_name.h"

#include <math.h>
#include <string.h>

#define FEW 16

typedef dbvhi_curve_member member;

// Sorts up to FEW members along an axis, stably.
static void rank_few( member *m, uint32_t count, int axis ) {
	float at[FEW];
	int32_t rank[FEW];
	member sorted[FEW];
	DBVHI_ASSERT( count <= FEW );
	for ( uint32_t i = 0; i < FEW; ++i ) {
		at[i] = i < count ? m[i].at[axis] : INFINITY;
		rank[i] = 0;
	}
	for ( int32_t j = 0; j < FEW; ++j ) {
		for ( int32_t i = 0; i < FEW; ++i )
			rank[i] += ( at[j] < at[i] ) | ( ( at[j] == at[i] ) & ( j < i ) );
	}
	for ( uint32_t i = 0; i < count; ++i )
		sorted[rank[i]] = m[i];
	memcpy( m, sorted, count * sizeof *m );
}

// Partitions: members below the pivot, or also those equal to it, come first. Returns how many.
static uint32_t part( member *m, uint32_t count, int axis, float pivot, int also_equal ) {
	member divided[DBVHI_CURVE_GROUP];
	uint32_t low = 0, high = count - 1;
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_CURVE_GROUP );
	for ( uint32_t i = 0; i < count; ++i ) {
		const float at = m[i].at[axis];
		const uint32_t is_low = ( at < pivot ) | ( ( at == pivot ) & also_equal );
		divided[low] = m[i];
		divided[high] = m[i];
		low += is_low;
		high -= 1 - is_low;
	}
	memcpy( m, divided, count * sizeof *m );
	return low;
}

static float median( float a, float b, float c ) {
	const float low = a < b ? a : b, high = a < b ? b : a;
	return c < low ? low : c > high ? high : c;
}

// Selects: the first `left` members are those that come first along the axis.
static void halve( member *m, uint32_t count, uint32_t left, int axis ) {
	while ( count > FEW ) {
		const float pivot = median( m[count / 4].at[axis], m[count / 2].at[axis], m[count - 1 - count / 4].at[axis] );
		uint32_t low = part( m, count, axis, pivot, 0 );
		if ( low == 0 ) {
			low = part( m, count, axis, pivot, 1 );
			if ( left <= low )
				return; // all members left are equal
		}
		if ( left <= low ) {
			count = low;
		} else {
			m += low;
			count -= low;
			left -= low;
		}
	}
	rank_few( m, count, axis );
}

static int longest_axis( const member *m, uint32_t count ) {
	float low[4], high[4]; // an unused fourth fills the vector
	memcpy( low, m, sizeof low );
	memcpy( high, m, sizeof high );
	for ( uint32_t i = 1; i < count; ++i ) {
		float at[4];
		memcpy( at, &m[i], sizeof at );
		for ( int k = 0; k < 4; ++k ) {
			low[k] = at[k] < low[k] ? at[k] : low[k];
			high[k] = at[k] > high[k] ? at[k] : high[k];
		}
	}
	const float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
	return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

// Halves down to leaves. A left half is a full subtree, as the links will need it, so that all but the last leaf are
// full.
static void arrange( member *m, uint32_t count ) {
	while ( count > DBVHI_WIDTH ) {
		uint32_t left = DBVHI_WIDTH;
		while ( 2 * left < count )
			left *= 2;
		halve( m, count, left, longest_axis( m, count ) );
		arrange( m, left );
		m += left;
		count -= left;
	}
}

extern dbvhi_arrange_kernel DBVHI_KERNEL_NAME( dbvhi_arrange );
void DBVHI_KERNEL_NAME( dbvhi_arrange )( dbvhi_curve_member *members, uint32_t count ) {
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_CURVE_GROUP );
	arrange( members, count );
}
