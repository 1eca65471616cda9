// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distance and clearance on packed trees: sets the kernel of query/distance/kernel.inl going and decides what it
// cannot. Margins are those of packed.c; a gap may be as long as the reach beside the radii, so that what is relative
// is charged to both.

#include "query/common/hit_collector.h"
#include "query/distance/kernel.h"
#include "query/distance/nearest.h"
#include "simd/isa.h"

#include <math.h>

DBVHI_KERNEL_TABLE( dbvhi_distance_kernel, dbvhi_distance_kernel )

static float float_above( double x ) {
	const float f = (float)x;
	return (double)f < x ? nextafterf( f, INFINITY ) : f;
}

static void aim( const dbvhi_hit_collector *search, const dbvh_workspace *w, double reach, dbvhi_nearest_run *run ) {
	dbvhi_packed_run *packed = &run->packed;
	dbvhi_packed_init( search, packed );
	packed->stack_a = w->packed_stack;
	packed->stack_b = w->packed_stack + w->packed_capacity;
	packed->stack_lanes = w->packed_stack + 2 * w->packed_capacity;
	run->stack_key = (float *)( w->packed_stack + 3 * w->packed_capacity );
	packed->stack_a[0] = 0;
	packed->stack_b[0] = 0;
	packed->stack_lanes[0] = 0xffff;
	run->stack_key[0] = -INFINITY;
	packed->stack_count = 1;
	run->best = float_above( reach );
	run->reach = run->best;
	run->stretch = packed->margin_relative;
	run->factor = 1.0f;
	run->allowance = 0.0f;
	run->candidates = w->near_candidates;
	run->candidate_count = 0;
	const double *p = packed->pos_exact, length = sqrt( p[0] * p[0] + p[1] * p[1] + p[2] * p[2] );
	for ( int k = 0; k < 3; ++k )
		run->way[k] = length > 0.0 ? (float)( p[k] / length * ( 1.0 - 0x1p-20 ) ) : 0.0f;
}

static void count( dbvh_counters *counters, const dbvhi_nearest_run *run ) {
	dbvhi_packed_count( counters, &run->packed );
}

// ------------------------------------------------------------------------------------------------
// Clearance

// Returns true if the search is over.
static bool decide( dbvhi_hit_collector *s, const dbvhi_nearest_run *run ) {
	// Where one will do, one that is certain needs no second look.
	for ( uint32_t i = 0; i < run->candidate_count; ++i ) {
		const dbvhi_near_candidate *c = &run->candidates[i];
		if ( (double)c->upper <= s->reach ) {
			s->counters.triangle_tests += 1;
			if ( dbvhi_hit_collector_found( s, c->a, c->b ) )
				return true;
		}
	}
	for ( uint32_t i = 0; i < run->candidate_count; ++i ) {
		const dbvhi_near_candidate *c = &run->candidates[i];
		if ( !( (double)c->upper <= s->reach ) && dbvhi_hit_collector_triangles( s, c->a, c->b ) )
			return true;
	}
	return false;
}

void dbvhi_traverse_within( dbvhi_hit_collector *search ) {
	dbvhi_nearest_run run;
	aim( search, search->workspace, search->reach, &run );
	search->counters.sphere_tests += 1;
	if ( dbvhi_packed_is_beyond( search, &run.packed ) )
		return;
	run.aim = search->find_all ? DBVHI_NEAR_ALL : DBVHI_NEAR_FIRST;
	dbvhi_distance_kernel *go_on = dbvhi_distance_kernel_table[dbvhi_isa_level()];
	if ( search->error < 0.0 )
		search->error = dbvhi_move_error( search->pose, search->moved->largest );
	while ( go_on( &run ) ) {
		if ( decide( search, &run ) || !dbvhi_search_goes_on( search, &run.packed ) )
			break;
		run.candidate_count = 0;
	}
	count( &search->counters, &run );
}

// ------------------------------------------------------------------------------------------------
// Distance

// What has been found in doubles is news for the floats.
static void tell( const dbvhi_nearest *s, dbvhi_nearest_run *run ) {
	run->best = fminf( run->best, float_above( s->best ) );
	run->reach = fminf( run->reach, float_above( s->bound ) );
}

// Compares the candidates for which `all` is true or which may meet, and keeps the others. Returns true if the search
// is over.
static bool compare( dbvhi_nearest *s, dbvhi_nearest_run *run, bool all ) {
	uint32_t kept = 0;
	for ( uint32_t i = 0; i < run->candidate_count; ++i ) {
		const dbvhi_near_candidate c = run->candidates[i];
		if ( c.lower > run->best )
			continue;
		if ( !all && c.lower > 0.0f )
			run->candidates[kept++] = c;
		else if ( dbvhi_nearest_triangles( s, c.a, c.b ) )
			return true;
		tell( s, run );
	}
	run->candidate_count = kept;
	return false;
}

// The nearest first, which spares most of the others.
static void bring_nearest_forward( dbvhi_nearest_run *run ) {
	dbvhi_near_candidate *c = run->candidates;
	for ( uint32_t i = 1; i < run->candidate_count; ++i ) {
		if ( c[i].upper < c[0].upper ) {
			const dbvhi_near_candidate keep = c[0];
			c[0] = c[i];
			c[i] = keep;
		}
	}
}

// What has not been looked at is no nearer than this. The bounds of nodes and the margin of the reach are those by
// which the kernel leaves them out.
static void give_up( dbvhi_nearest *s, const dbvhi_nearest_run *run ) {
	if ( run->packed.stack_count == 0 && run->candidate_count == 0 )
		return;
	s->at_least = fmin( s->at_least, s->bound );
	for ( uint32_t i = 0; i < run->packed.stack_count; ++i ) {
		const double gap = (double)run->stack_key[i] - (double)run->packed.margin;
		s->at_least = fmin( s->at_least, gap / ( 1.0 + (double)run->stretch ) * ( 1.0 - 0x1p-20 ) );
	}
	for ( uint32_t i = 0; i < run->candidate_count; ++i )
		s->at_least = fmin( s->at_least, (double)run->candidates[i].lower );
	s->at_least = fmax( s->at_least, 0.0 );
}

void dbvhi_nearest_packed( dbvhi_nearest *s, const dbvh_workspace *workspace ) {
	dbvhi_hit_collector search = {
	    .fixed = s->fixed,
	    .moved = s->moved,
	    .pose = s->pose,
	    .deviation = s->deviation,
	    .meter = s->meter,
	};
	dbvhi_nearest_run run;
	aim( &search, workspace, s->best, &run );
	run.aim = DBVHI_NEAR_NEAREST;
	// Rounded so that the reach is not below what is meant.
	run.factor = float_above( 1.0 / ( 1.0 + s->relative_error ) * ( 1.0 + 0x1p-20 ) );
	run.factor = s->relative_error > 0.0 || s->absolute_error > 0.0 ? run.factor : 1.0f;
	run.allowance = s->absolute_error > 0.0 ? (float)( s->absolute_error * ( 1.0 - 0x1p-20 ) ) : 0.0f;
	dbvhi_distance_kernel *go_on = dbvhi_distance_kernel_table[dbvhi_isa_level()];
	bool over = false;
	while ( !over && go_on( &run ) ) {
		const bool last = run.packed.stack_count == 0, full = run.candidate_count + 16 > DBVHI_NEAR_CANDIDATES;
		if ( last || full )
			bring_nearest_forward( &run );
		over = compare( s, &run, last || full );
		search.counters = s->counters;
		if ( !over && !dbvhi_search_goes_on( &search, &run.packed ) ) {
			give_up( s, &run );
			over = true;
		}
	}
	count( &s->counters, &run );
}
