// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene/broad_phase.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
static bool lane_box( const dbvhi_bulk_tree *t, const float *group, int lane, double out[DBVHI_BOX_NUMBERS] ) {
	for ( int k = 0; k < 3; ++k ) {
		const double low = (double)group[16 * k + lane], high = (double)group[16 * ( 3 + k ) + lane];
		if ( low > high )
			return false; // nothing is there
		const double middle = t->middle[k];
		const double down = fmin( low, FLT_MAX ), up = fmax( high, -FLT_MAX );
		const double lower = middle + down - ( 0x1p-23 * fabs( down ) + 0x1p-148 );
		const double upper = middle + up + ( 0x1p-23 * fabs( up ) + 0x1p-148 );
		out[k] = lower >= -DBL_MAX ? lower : -DBL_MAX; // not where it is NaN, either
		out[3 + k] = upper <= DBL_MAX ? upper : DBL_MAX;
	}
	return true;
}

void dbvhi_broad_phase_bounds( const dbvhi_broad_phase *p, double box_out[DBVHI_BOX_NUMBERS] ) {
	memcpy( box_out, dbvhi_box_nowhere, sizeof dbvhi_box_nowhere );
	for ( int i = 0; i <= DBVHI_LARGE_TREE; ++i ) {
		const dbvhi_bulk_tree *t = &p->tree[i];
		for ( int lane = 0; t->live > 0 && lane < DBVHI_GROUP_BOXES; ++lane ) {
			double box[DBVHI_BOX_NUMBERS];
			if ( !lane_box( t, t->level[t->levels - 1], lane, box ) )
				continue;
			for ( int k = 0; k < 3; ++k ) {
				box_out[k] = fmin( box_out[k], box[k] );
				box_out[3 + k] = fmax( box_out[3 + k], box[3 + k] );
			}
		}
	}
}

dbvh_status dbvhi_front_walk( dbvhi_front *f, const dbvhi_broad_phase *p, dbvhi_box_bound *bound, const void *question,
                              const double *limit, dbvhi_front_visitor *visit, void *context ) {
	f->count = 0;
	// A group of level k stands for sixteen of level k - 1; those of level 0 for boxes. One more level is the boxes.
	for ( int k = 0; k <= DBVHI_LARGE_TREE; ++k ) {
		const dbvhi_bulk_tree *t = &p->tree[k];
		if ( t->live > 0 && !push( f, &p->allocator, ( dbvhi_front_entry ){ 0.0, 0, (int16_t)t->levels, (int16_t)k } ) )
			return DBVH_OUT_OF_MEMORY;
	}
	while ( f->count > 0 ) {
		const dbvhi_front_entry at = pop( f );
		if ( at.bound > *limit )
			return DBVH_OK;
		if ( at.level == 0 ) {
			if ( !visit( context, at.index ) )
				return DBVH_OK;
			continue;
		}
		const dbvhi_bulk_tree *t = &p->tree[at.tree];
		const int16_t level = (int16_t)( at.level - 1 );
		for ( int lane = 0; lane < DBVHI_GROUP_BOXES; ++lane ) {
			dbvhi_front_entry next = {
			    .index = DBVHI_GROUP_BOXES * at.index + (uint32_t)lane, .level = level, .tree = at.tree };
			double around[DBVHI_BOX_NUMBERS];
			const double *box = around;
			if ( level == 0 ) {
				next.index = t->order[next.index];
				if ( next.index == DBVHI_NO_NUMBER )
					continue;
				box = p->boxes + DBVHI_BOX_NUMBERS * (size_t)next.index;
				if ( !( box[0] <= box[3] ) )
					continue;
			} else if ( !lane_box( t, t->level[level] + DBVHI_GROUP_FLOATS * (size_t)at.index, lane, around ) ) {
				continue;
			}
			next.bound = bound( question, box );
			if ( next.bound <= *limit && next.bound < INFINITY && !push( f, &p->allocator, next ) )
				return DBVH_OUT_OF_MEMORY;
		}
	}
	return DBVH_OK;
}
