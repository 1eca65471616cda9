// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "tree/split.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

// Three times the centroid, relative to the mean, along an axis: only the sign and the order matter.
static double along( const dbvhi_build_triangle *triangle, const dbvhi_fit *fit, int axis ) {
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double *c = triangle->corners + k;
		const double mean = fit->mean.v[k];
		sum += fit->frame.axes.m[k][axis] * ( ( c[0] - mean ) + ( c[3] - mean ) + ( c[6] - mean ) );
	}
	return sum;
}

static void swap( dbvhi_build_triangle *a, dbvhi_build_triangle *b ) {
	const dbvhi_build_triangle t = *a;
	*a = *b;
	*b = t;
}

size_t dbvhi_split_mean( dbvhi_build_triangle *triangles, size_t count, const dbvhi_fit *fit ) {
	for ( int axis = 2; axis >= 0; --axis ) {
		size_t low = 0, high = count;
		while ( low < high ) {
			if ( along( &triangles[low], fit, axis ) <= 0.0 )
				low += 1;
			else
				swap( &triangles[low], &triangles[--high] );
		}
		if ( low > 0 && low < count )
			return low;
	}
	return count / 2;
}

// ------------------------------------------------------------------------------------------------
// Splits by cost

// Triangles as boxes in the node's axes, relative to its mean.
typedef struct extent {
	double low[3], high[3];
	size_t count;
} extent;

static const extent nothing = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, 0 };

static void join( extent *a, const extent *b ) {
	for ( int k = 0; k < 3; ++k ) {
		a->low[k] = b->low[k] < a->low[k] ? b->low[k] : a->low[k];
		a->high[k] = b->high[k] > a->high[k] ? b->high[k] : a->high[k];
	}
	a->count += b->count;
}

static double cost_of( const extent *e ) {
	const dbvhi_vec half = { { 0.5 * ( e->high[0] - e->low[0] ), 0.5 * ( e->high[1] - e->low[1] ),
							   0.5 * ( e->high[2] - e->low[2] ) } };
	return dbvhi_box_cost( &half ) * log2( 1.0 + (double)e->count );
}

// The extent of one triangle, and the sum of its corners as the place it is sorted by.
static extent measure( const dbvhi_build_triangle *triangle, const dbvhi_fit *fit, double place_out[3] ) {
	extent e = nothing;
	e.count = 1;
	for ( int axis = 0; axis < 3; ++axis ) {
		double sum = 0.0;
		for ( int corner = 0; corner < 3; ++corner ) {
			double x = 0.0;
			for ( int k = 0; k < 3; ++k )
				x += fit->frame.axes.m[k][axis] * ( triangle->corners[3 * corner + k] - fit->mean.v[k] );
			e.low[axis] = x < e.low[axis] ? x : e.low[axis];
			e.high[axis] = x > e.high[axis] ? x : e.high[axis];
			sum += x;
		}
		place_out[axis] = sum;
	}
	return e;
}

#define SMALL 64
#define GROUP 4

// Insertion sort of an order by place, ties by position: small, and the same everywhere.
static void sort_by_place( const double ( *place )[3], int axis, uint8_t *order, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		size_t j = i;
		for ( ; j > 0 && place[order[j - 1]][axis] > place[i][axis]; --j )
			order[j] = order[j - 1];
		order[j] = (uint8_t)i;
	}
}

static size_t split_small( dbvhi_build_triangle *triangles, size_t count, const dbvhi_fit *fit ) {
	extent extents[SMALL], after[SMALL];
	double place[SMALL][3];
	for ( size_t i = 0; i < count; ++i )
		extents[i] = measure( &triangles[i], fit, place[i] );
	uint8_t order[3][SMALL];
	double best = INFINITY;
	int best_axis = -1;
	size_t best_left = 0;
	for ( int axis = 0; axis < 3; ++axis ) {
		sort_by_place( place, axis, order[axis], count );
		extent sum = nothing;
		for ( size_t i = count; i-- > 1; ) {
			join( &sum, &extents[order[axis][i]] );
			after[i] = sum;
		}
		sum = nothing;
		for ( size_t left = 1; left < count; ++left ) {
			join( &sum, &extents[order[axis][left - 1]] );
			if ( count > GROUP && left % GROUP != 0 && ( count - left ) % GROUP != 0 )
				continue;
			const double cost = cost_of( &sum ) + cost_of( &after[left] );
			if ( cost < best ) {
				best = cost;
				best_axis = axis;
				best_left = left;
			}
		}
	}
	if ( best_axis < 0 )
		return 0;
	dbvhi_build_triangle sorted[SMALL];
	for ( size_t i = 0; i < count; ++i )
		sorted[i] = triangles[order[best_axis][i]];
	memcpy( triangles, sorted, count * sizeof sorted[0] );
	return best_left;
}

#define BINS 32

static int bin_of( double place, double low, double scale ) {
	const int bin = (int)( ( place - low ) * scale );
	return bin < BINS ? bin : BINS - 1;
}

static size_t split_large( dbvhi_build_triangle *triangles, size_t count, const dbvhi_fit *fit, dbvhi_scratch scratch ) {
	// Places are kept: three doubles a triangle.
	double *place = scratch.x;
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
	for ( size_t i = 0; i < count; ++i ) {
		for ( int axis = 0; axis < 3; ++axis ) {
			const double x = along( &triangles[i], fit, axis );
			place[3 * i + (size_t)axis] = x;
			low[axis] = x < low[axis] ? x : low[axis];
			high[axis] = x > high[axis] ? x : high[axis];
		}
	}
	extent bins[3][BINS];
	double scale[3];
	for ( int axis = 0; axis < 3; ++axis ) {
		scale[axis] = BINS / ( high[axis] - low[axis] );
		for ( int bin = 0; bin < BINS; ++bin )
			bins[axis][bin] = nothing;
	}
	for ( size_t i = 0; i < count; ++i ) {
		double unused[3];
		const extent e = measure( &triangles[i], fit, unused );
		for ( int axis = 0; axis < 3; ++axis ) {
			if ( scale[axis] < INFINITY )
				join( &bins[axis][bin_of( place[3 * i + (size_t)axis], low[axis], scale[axis] )], &e );
		}
	}
	double best = INFINITY;
	int best_axis = -1, best_bin = 0;
	for ( int axis = 0; axis < 3; ++axis ) {
		extent after[BINS], sum = nothing;
		for ( int bin = BINS; bin-- > 1; ) {
			join( &sum, &bins[axis][bin] );
			after[bin] = sum;
		}
		sum = nothing;
		for ( int bin = 1; bin < BINS; ++bin ) {
			join( &sum, &bins[axis][bin - 1] );
			if ( sum.count == 0 || after[bin].count == 0 )
				continue;
			const double cost = cost_of( &sum ) + cost_of( &after[bin] );
			if ( cost < best ) {
				best = cost;
				best_axis = axis;
				best_bin = bin;
			}
		}
	}
	if ( best_axis < 0 )
		return 0;
	size_t left = 0, right = count;
	while ( left < right ) {
		const double x = place[3 * left + (size_t)best_axis];
		if ( bin_of( x, low[best_axis], scale[best_axis] ) < best_bin ) {
			left += 1;
		} else {
			right -= 1;
			swap( &triangles[left], &triangles[right] );
			place[3 * left + (size_t)best_axis] = place[3 * right + (size_t)best_axis];
		}
	}
	return left;
}

size_t dbvhi_split_cost( dbvhi_build_triangle *triangles, size_t count, const dbvhi_fit *fit, dbvhi_scratch scratch ) {
	const size_t left =
		count <= SMALL ? split_small( triangles, count, fit ) : split_large( triangles, count, fit, scratch );
	return left > 0 && left < count ? left : dbvhi_split_mean( triangles, count, fit );
}

// ------------------------------------------------------------------------------------------------
// Splits at the median

// Orders like the number rounded to float, ties by triangle number.
static uint64_t key_of( const dbvhi_build_triangle *triangle, const dbvhi_fit *fit, int axis ) {
	const float value = (float)along( triangle, fit, axis );
	uint32_t bits;
	memcpy( &bits, &value, sizeof bits );
	bits = bits >> 31 ? ~bits : bits | 0x80000000u;
	return (uint64_t)bits << 32 | triangle->number;
}

size_t dbvhi_split_median( dbvhi_build_triangle *triangles, size_t count, const dbvhi_fit *fit, uint64_t *keys ) {
	for ( size_t i = 0; i < count; ++i )
		keys[i] = key_of( &triangles[i], fit, 2 );
	dbvhi_sort_u64( keys, count );
	const uint64_t middle = keys[count / 2];
	size_t low = 0, high = count;
	while ( low < high ) {
		if ( key_of( &triangles[low], fit, 2 ) < middle )
			low += 1;
		else
			swap( &triangles[low], &triangles[--high] );
	}
	return low;
}
