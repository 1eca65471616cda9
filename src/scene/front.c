// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/broad_phase.h"

#include <float.h>
#include <math.h>

static bool push( dbvhi_front *f, const dbvh_allocator *allocator, dbvhi_front_entry entry ) {
	if ( !dbvhi_grow_array( allocator, &f->heap, &f->capacity, f->count + 1, sizeof *f->heap ) )
		return false;
	size_t hole = f->count++;
	for ( ; hole > 0 && f->heap[( hole - 1 ) / 2].bound > entry.bound; hole = ( hole - 1 ) / 2 )
		f->heap[hole] = f->heap[( hole - 1 ) / 2];
	f->heap[hole] = entry;
	return true;
}

static dbvhi_front_entry pop( dbvhi_front *f ) {
	const dbvhi_front_entry top = f->heap[0], last = f->heap[--f->count];
	size_t hole = 0;
	for ( size_t child; ( child = 2 * hole + 1 ) < f->count; hole = child ) {
		if ( child + 1 < f->count && f->heap[child + 1].bound < f->heap[child].bound )
			child += 1;
		if ( !( f->heap[child].bound < last.bound ) )
			break;
		f->heap[hole] = f->heap[child];
	}
	f->heap[hole] = last;
	return top;
}

// Doubles that enclose a lane. A float f there is a coordinate x less the middle m, rounded to nearest as a double and
// as a float, and here m + f is rounded once more. 2^-23 |f| + 2^-148 covers all three. Where x and m are not within a
// factor of two of each other both are at most 2 |x - m|, and the roundings take 2^-24 |f| or 2^-150, and some 2^-50
// |f|. Else x - m is exact, a multiple of the smaller one's last place g, and |m + f| < 2^54 g but for the rounding of
// f. Up to 2^24 g it is a float, or below 2^-149, and m + f is x; beyond, f lost at most half of what is charged, and
// adding it loses no more than g, or as much as f lost. The difference of all that is at most x, a double, so rounding
// it stays below. What was beyond floats is infinite.
static bool lane_box( const dbvhi_broad_phase *p, const float *group, int lane, double out[DBVHI_BOX_NUMBERS] ) {
	for ( int k = 0; k < 3; ++k ) {
		const double low = (double)group[16 * k + lane], high = (double)group[16 * ( 3 + k ) + lane];
		if ( low > high )
			return false; // nothing is there
		const double middle = p->middle[k];
		const double down = fmin( low, FLT_MAX ), up = fmax( high, -FLT_MAX );
		const double lower = middle + down - ( 0x1p-23 * fabs( down ) + 0x1p-148 );
		const double upper = middle + up + ( 0x1p-23 * fabs( up ) + 0x1p-148 );
		out[k] = lower >= -DBL_MAX ? lower : -DBL_MAX; // not where it is NaN, either
		out[3 + k] = upper <= DBL_MAX ? upper : DBL_MAX;
	}
	return true;
}

dbvh_status dbvhi_front_walk( dbvhi_front *f, const dbvhi_broad_phase *p, dbvhi_box_bound *bound, const void *question,
                              const double *limit, dbvhi_front_visitor *visit, void *context ) {
	f->count = 0;
	if ( p->count == 0 )
		return DBVH_OK;
	// A group of level k stands for sixteen of level k - 1; those of level 0 for boxes. One more level is the boxes.
	if ( !push( f, &p->allocator, ( dbvhi_front_entry ){ 0.0, 0, p->levels } ) )
		return DBVH_OUT_OF_MEMORY;
	while ( f->count > 0 ) {
		const dbvhi_front_entry at = pop( f );
		if ( at.bound > *limit )
			return DBVH_OK;
		if ( at.level == 0 ) {
			if ( !visit( context, at.index ) )
				return DBVH_OK;
			continue;
		}
		const int level = at.level - 1;
		for ( int lane = 0; lane < DBVHI_GROUP_BOXES; ++lane ) {
			dbvhi_front_entry next = { .index = DBVHI_GROUP_BOXES * at.index + (uint32_t)lane, .level = level };
			double around[DBVHI_BOX_NUMBERS];
			const double *box = around;
			if ( level == 0 ) {
				next.index = p->order[next.index];
				if ( next.index == UINT32_MAX )
					break;
				box = p->boxes + DBVHI_BOX_NUMBERS * (size_t)next.index;
				if ( !( box[0] <= box[3] ) )
					continue;
			} else if ( !lane_box( p, p->level[level] + DBVHI_GROUP_FLOATS * (size_t)at.index, lane, around ) ) {
				continue;
			}
			next.bound = bound( question, box );
			if ( next.bound <= *limit && next.bound < INFINITY && !push( f, &p->allocator, next ) )
				return DBVH_OUT_OF_MEMORY;
		}
	}
	return DBVH_OK;
}
