// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "base/sort.h"
#include "bvh/builder/fit.h"
#include "bvh/builder/steps_down.h"

#include <math.h>
#include <string.h>

// Returns three times the centroid, relative to the mean, along a direction: only sign and order matter.
static double from_mean_along( const dbvhi_part *part, size_t triangle, const dbvhi_fit *fit, dbvhi_vec direction ) {
	DBVHI_ASSERT( triangle < part->count );
	const uint32_t *corner = part->triangles[triangle].corner;
	const double *const points[3] = { part->points.x, part->points.y, part->points.z };
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double *c = points[k];
		const double mean = fit->mean.v[k];
		sum += direction.v[k] * ( ( c[corner[0]] - mean ) + ( c[corner[1]] - mean ) + ( c[corner[2]] - mean ) );
	}
	return sum;
}

static double from_mean( const dbvhi_part *part, size_t triangle, const dbvhi_fit *fit, int axis ) {
	DBVHI_ASSERT( (unsigned)axis < 3 );
	const dbvhi_mat *axes = &fit->frame.axes;
	return from_mean_along( part, triangle, fit,
	                        ( dbvhi_vec ){ { axes->m[0][axis], axes->m[1][axis], axes->m[2][axis] } } );
}

static void swap( dbvhi_build_triangle *a, dbvhi_build_triangle *b ) {
	const dbvhi_build_triangle t = *a;
	*a = *b;
	*b = t;
}

size_t dbvhi_split_mean( const dbvhi_part *part, const dbvhi_fit *fit ) {
	DBVHI_ASSERT( part->count >= 2 );
	for ( int axis = 2; axis >= 0; --axis ) {
		size_t low = 0, high = part->count;
		while ( low < high ) {
			if ( from_mean( part, low, fit, axis ) <= 0.0 )
				low += 1;
			else
				swap( &part->triangles[low], &part->triangles[--high] );
		}
		if ( low > 0 && low < part->count )
			return low;
	}
	return part->count / 2;
}

size_t dbvhi_split_variance( const dbvhi_part *part, const dbvhi_fit *fit ) {
	DBVHI_ASSERT( part->count >= 2 );
	size_t low = 0;
	for ( size_t i = 0; i < part->count; ++i ) {
		if ( from_mean_along( part, i, fit, fit->spread ) < 0.0 )
			swap( &part->triangles[i], &part->triangles[low++] );
	}
	return low > 0 && low < part->count ? low : part->count / 2;
}

// ------------------------------------------------------------------------------------------------
// Splits by cost

// The bounds of triangles in the node's axes, relative to its first point.
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
	const dbvhi_vec half = {
	    { 0.5 * ( e->high[0] - e->low[0] ), 0.5 * ( e->high[1] - e->low[1] ), 0.5 * ( e->high[2] - e->low[2] ) } };
	return dbvhi_box_cost( &half ) * dbvhi_steps_down( e->count );
}

// Returns the sum of a triangle's corners along an axis, the key it is sorted by.
static double place_of( const dbvhi_build_triangle *triangle, const double *along ) {
	return along[triangle->corner[0]] + along[triangle->corner[1]] + along[triangle->corner[2]];
}

// Returns the bounds of one triangle.
static extent extent_of( const dbvhi_build_triangle *triangle, const dbvhi_fit *fit ) {
	extent e;
	e.count = 1;
	for ( int axis = 0; axis < 3; ++axis ) {
		const double *along = fit->along[axis];
		const double a = along[triangle->corner[0]], b = along[triangle->corner[1]], c = along[triangle->corner[2]];
		const double low = a < b ? a : b, high = a < b ? b : a;
		e.low[axis] = c < low ? c : low;
		e.high[axis] = c > high ? c : high;
	}
	return e;
}

#define SMALL 64
#define GROUP 4

// Sorts indices by key, stably, by insertion: the result is the same on every machine.
static void sort_by_place( const double *place, uint8_t *order, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		size_t j = i;
		for ( ; j > 0 && place[order[j - 1]] > place[i]; --j )
			order[j] = order[j - 1];
		order[j] = (uint8_t)i;
	}
}

static size_t split_small( const dbvhi_part *part, const dbvhi_fit *fit ) {
	DBVHI_ASSERT( part->count >= 2 );
	const size_t count = part->count;
	dbvhi_build_triangle *triangles = part->triangles;
	extent extents[SMALL], after[SMALL];
	double place[3][SMALL];
	for ( size_t i = 0; i < count; ++i ) {
		extents[i] = extent_of( &triangles[i], fit );
		for ( int axis = 0; axis < 3; ++axis )
			place[axis][i] = place_of( &triangles[i], fit->along[axis] );
	}
	uint8_t order[3][SMALL];
	double best = INFINITY;
	int best_axis = -1;
	size_t best_left = 0;
	for ( int axis = 0; axis < 3; ++axis ) {
		sort_by_place( place[axis], order[axis], count );
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

// SAMPLE: in larger parts about so many evenly spread triangles choose the split.
#define SAMPLE 4096

// Maps coordinates along an axis to bins, as far as a sample tells.
typedef struct ruler {
	double low, scale;
} ruler;

static ruler ruler_of( const dbvhi_part *part, size_t step, const double *along ) {
	DBVHI_ASSERT( step >= 1 );
	double low = INFINITY, high = -INFINITY;
	for ( size_t i = 0; i < part->count; i += step ) {
		const double x = place_of( &part->triangles[i], along );
		low = x < low ? x : low;
		high = x > high ? x : high;
	}
	return ( ruler ){ low, BINS / ( high - low ) };
}

static int bin_of( double place, ruler r ) {
	const double bin = ( place - r.low ) * r.scale;
	return bin >= BINS - 1 ? BINS - 1 : bin > 0.0 ? (int)bin : 0;
}

static size_t split_large( const dbvhi_part *part, const dbvhi_fit *fit ) {
	DBVHI_ASSERT( part->count >= 2 );
	dbvhi_build_triangle *triangles = part->triangles;
	const size_t step = ( part->count + SAMPLE - 1 ) / SAMPLE;
	ruler rulers[3];
	extent bins[3][BINS];
	for ( int axis = 0; axis < 3; ++axis ) {
		rulers[axis] = ruler_of( part, step, fit->along[axis] );
		for ( int bin = 0; bin < BINS; ++bin )
			bins[axis][bin] = nothing;
	}
	for ( size_t i = 0; i < part->count; i += step ) {
		extent e = extent_of( &triangles[i], fit );
		e.count = step; // weight of a sampled triangle
		for ( int axis = 0; axis < 3; ++axis ) {
			if ( rulers[axis].scale < INFINITY )
				join( &bins[axis][bin_of( place_of( &triangles[i], fit->along[axis] ), rulers[axis] )], &e );
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
	size_t left = 0, right = part->count;
	while ( left < right ) {
		if ( bin_of( place_of( &triangles[left], fit->along[best_axis] ), rulers[best_axis] ) < best_bin )
			left += 1;
		else
			swap( &triangles[left], &triangles[--right] );
	}
	return left;
}

size_t dbvhi_split_cost( const dbvhi_part *part, const dbvhi_fit *fit ) {
	DBVHI_ASSERT( part->count >= 2 );
	const size_t left = part->count <= SMALL ? split_small( part, fit ) : split_large( part, fit );
	return left > 0 && left < part->count ? left : dbvhi_split_mean( part, fit );
}

// ------------------------------------------------------------------------------------------------
// Splits at the median

// Returns a key that orders like the number rounded to float, ties by triangle number.
static uint64_t key_of( const dbvhi_part *part, size_t triangle, const dbvhi_fit *fit, int axis ) {
	DBVHI_ASSERT( triangle < part->count );
	const float value = (float)from_mean( part, triangle, fit, axis );
	uint32_t bits;
	memcpy( &bits, &value, sizeof bits );
	bits = bits >> 31 ? ~bits : bits | 0x80000000u;
	return (uint64_t)bits << 32 | part->triangles[triangle].number;
}

size_t dbvhi_split_median( const dbvhi_part *part, const dbvhi_fit *fit, uint64_t *keys ) {
	DBVHI_ASSERT( part->count >= 2 && keys != NULL );
	for ( size_t i = 0; i < part->count; ++i )
		keys[i] = key_of( part, i, fit, 2 );
	dbvhi_sort_u64( keys, part->count );
	const uint64_t middle = keys[part->count / 2];
	size_t low = 0, high = part->count;
	while ( low < high ) {
		if ( key_of( part, low, fit, 2 ) < middle )
			low += 1;
		else
			swap( &part->triangles[low], &part->triangles[--high] );
	}
	return low;
}
