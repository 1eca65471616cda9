// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distance and clearance on packed trees: runs the kernel of query/distance/kernel.inl and decides its candidates.
// Margins are those of common/packed_search.c; lengths may be as large as the radii and the reach together, so the
// relative margin is taken of both.

#include "base/alloc.h"
#include "base/assert.h"
#include "base/status.h"
#include "query/distance/distance.h"
#include "simd/isa.h"

#include <math.h>
#include <string.h>

// The number of vectors of nodes for which the most promising pair is next. For a distance, about the nearest pair has
// mostly been found by then, and the rest is quicker without an order; for a clearance the order hardly ever pays.
#define ORDERED_FIRST 1
#define ORDERED_NEAREST 24

static float float_above( double x ) {
	const float f = (float)x;
	return (double)f < x ? nextafterf( f, INFINITY ) : f;
}

static void release( void *memory, const dbvh_allocator *allocator ) {
	dbvhi_distance_memory *m = memory;
	dbvhi_free( allocator, m->candidates, DBVHI_NEAR_CANDIDATES, sizeof *m->candidates );
	dbvhi_free( allocator, m->heights, DBVHI_KEPT_HEIGHTS, sizeof *m->heights );
}

static const dbvhi_slot_kind memory_kind = { sizeof( dbvhi_distance_memory ), release };

dbvhi_distance_memory *dbvhi_distance_memory_of( dbvh_workspace *workspace ) {
	return dbvhi_workspace_slot( workspace, &memory_kind );
}

dbvh_status dbvhi_workspace_require_near( dbvh_workspace *workspace, bool are_packed ) {
	dbvhi_distance_memory *m = dbvhi_distance_memory_of( workspace );
	if ( m == NULL )
		return DBVH_OUT_OF_MEMORY;
	if ( m->candidates == NULL && are_packed ) {
		m->candidates = dbvhi_alloc( &workspace->allocator, DBVHI_NEAR_CANDIDATES, sizeof *m->candidates );
		return m->candidates != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
	}
	return DBVH_OK;
}

dbvh_status dbvhi_workspace_require_distance( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b ) {
	DBVHI_ASSERT( a != NULL && b != NULL );
	DBVHI_TRY( dbvhi_workspace_require_near( workspace, a->packed != NULL && b->packed != NULL ) );
	dbvhi_distance_memory *m = dbvhi_distance_memory_of( workspace );
	if ( m->heights != NULL )
		return DBVH_OK;
	m->heights = dbvhi_alloc( &workspace->allocator, DBVHI_KEPT_HEIGHTS, sizeof *m->heights );
	return m->heights != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

void dbvhi_nearest_run_attach( dbvhi_nearest_run *run, dbvh_workspace *w ) {
	dbvhi_distance_memory *memory = dbvhi_distance_memory_of( w );
	DBVHI_ASSERT( memory->candidates != NULL );
	dbvhi_packed_attach( &run->packed, w );
	run->stack_key = (float *)( w->packed_stack + 3 * w->packed_capacity );
	run->stack_rank = run->stack_key + w->packed_capacity;
	run->candidates = memory->candidates;
	run->candidate_count = 0;
	run->queue = &memory->queue;
	run->queue->count = 0;
}

// Clear what a search of a mesh of so many triangles can reach of its half of the heights, and no search before could:
// all of it would take longer than the distance of small meshes.
static void clear_heights( dbvhi_distance_memory *m, uint32_t half, size_t triangle_count ) {
	const uint32_t most = DBVHI_KEPT_HEIGHTS / 2, count = triangle_count < most ? (uint32_t)triangle_count : most;
	DBVHI_ASSERT( half < 2 && m->cleared[half] <= most );
	if ( count <= m->cleared[half] )
		return;
	memset( m->heights + most * half + m->cleared[half], 0, ( count - m->cleared[half] ) * sizeof *m->heights );
	m->cleared[half] = count;
}

void dbvhi_nearest_attach( dbvhi_nearest *s, dbvh_workspace *w ) {
	dbvhi_distance_memory *memory = dbvhi_distance_memory_of( w );
	if ( memory->round > UINT32_MAX / 2 )
		memory->round = memory->cleared[0] = memory->cleared[1] = 0;
	clear_heights( memory, 0, s->meshes.fixed->triangle_count );
	clear_heights( memory, 1, s->meshes.moved->triangle_count );
	s->heights = memory->heights;
	s->round = memory->round + 1;
	s->waiting = memory->waiting;
	s->seen = &w->seen;
	dbvhi_seen_pairs_clear( s->seen );
}

void dbvhi_nearest_detach( const dbvhi_nearest *s, dbvh_workspace *w ) {
	dbvhi_distance_memory_of( w )->round = s->round;
}

// Set up a run. note: only the ordered traversal can be cut short with a lower bound, so a budget rules out the
// comparison of all leaves of small trees.
static void init( const dbvhi_mesh_pair *meshes, const dbvhi_work *work, dbvh_workspace *w, double max_distance,
                  dbvhi_nearest_run *run ) {
	const bool is_small = work->meter == NULL && dbvhi_pair_is_small( meshes );

	DBVHI_ASSERT( max_distance >= 0.0 );
	dbvhi_packed_run *packed = &run->packed;
	dbvhi_packed_init( meshes, packed );
	dbvhi_nearest_run_attach( run, w );
	run->small_a = run->small_b = 0;
	if ( is_small ) {
		run->small_a = meshes->fixed->packed->leaf_count;
		run->small_b = meshes->moved->packed->leaf_count;
	} else {
		dbvhi_packed_push( packed, 0, 0, 0xffff );
		run->stack_key[0] = -INFINITY;
		run->stack_rank[0] = 0.0f;
	}
	run->best = float_above( max_distance );
	run->reach = run->best;
	run->stretch = packed->margin_relative;
	run->margin = packed->margin;
	run->factor = 1.0f;
	run->allowance = 0.0f;
	const double *p = packed->pos_exact, length = sqrt( p[0] * p[0] + p[1] * p[1] + p[2] * p[2] );
	for ( int k = 0; k < 3; ++k )
		run->direction[k] = length > 0.0 ? (float)( p[k] / length * ( 1.0 - 0x1p-20 ) ) : 0.0f;
}

// ------------------------------------------------------------------------------------------------
// Clearance

bool dbvhi_clearance_decide( dbvhi_pair_search *s, const dbvhi_nearest_run *run ) {
	DBVHI_ASSERT( run->candidate_count <= DBVHI_NEAR_CANDIDATES );
	// note: candidates that are certainly within the distance need no decision in doubles.
	for ( uint32_t i = 0; i < run->candidate_count; ++i ) {
		const dbvhi_near_candidate *c = &run->candidates[i];
		if ( (double)c->upper <= s->max_distance ) {
			s->counters.triangle_tests += 1;
			if ( dbvhi_pair_search_found( s, c->a, c->b ) )
				return true;
		}
	}
	for ( uint32_t i = 0; i < run->candidate_count; ++i ) {
		const dbvhi_near_candidate *c = &run->candidates[i];
		if ( (double)c->upper <= s->max_distance )
			continue;
		if ( dbvhi_pair_search_triangles( s, c->a, c->b ) || !dbvhi_work_charge_exact( &s->work, &s->counters ) )
			return true;
	}
	return false;
}

// True if the kernel has returned for the pause: it also returns with candidates, when boxes may be left in its queue.
static bool has_paused( const dbvhi_nearest_run *run, uint64_t most_nodes ) {
	return run->packed.node_tests >= most_nodes && run->ordered == 0 && run->packed.box_begin == run->packed.box_end;
}

bool dbvhi_clearance_start( dbvhi_pair_search *search, dbvhi_nearest_run *run ) {
	init( &search->meshes, &search->work, search->workspace, search->max_distance, run );
	run->packed.pause = dbvhi_work_first_pause( &search->work );
	run->goal = search->find_all ? DBVHI_NEAR_ALL : DBVHI_NEAR_FIRST;
	run->ordered = search->work.meter != NULL ? UINT64_MAX : ORDERED_FIRST;
	search->counters.sphere_tests += 1;
	return !dbvhi_packed_is_separated( &search->meshes, search->max_distance, &run->packed );
}

bool dbvhi_clearance_search( dbvhi_pair_search *search, dbvhi_nearest_run *run, uint64_t most_nodes ) {
	dbvhi_distance_kernel *kernel = dbvhi_distance_kernel_table[dbvhi_isa_level()];
	while ( kernel( run ) ) {
		if ( dbvhi_clearance_decide( search, run ) ||
		     !dbvhi_work_charge_run( &search->work, &run->packed, &search->counters ) )
			return false;
		run->candidate_count = 0;
		if ( has_paused( run, most_nodes ) )
			return true;
	}
	return false;
}

static void traverse_clearance( dbvhi_pair_search *search, uint32_t thread_count ) {
	dbvhi_nearest_run run;
	if ( !dbvhi_clearance_start( search, &run ) )
		return;
	if ( thread_count > 1 && search->work.meter == NULL )
		dbvhi_clearance_parallel( search, &run, thread_count );
	else
		dbvhi_clearance_search( search, &run, UINT64_MAX );
	dbvhi_packed_count( &search->counters, &run.packed );
}

static dbvh_status reserve_clearance( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b,
                                      uint32_t thread_count ) {
	dbvh_status status = DBVH_OK;
	for ( uint32_t i = 0; i < thread_count && status == DBVH_OK; ++i )
		status =
		    dbvhi_workspace_require_near( dbvhi_workspace_of( workspace, i ), a->packed != NULL && b->packed != NULL );
	return status;
}

dbvh_status dbvhi_clearance_checked( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                     const dbvh_pose *pose_b, double max_distance, dbvhi_meter *meter,
                                     const dbvh_collide_query *query, dbvh_workspace *workspace,
                                     dbvh_collide_result *result ) {
	DBVHI_ASSERT( result != NULL || meter == NULL );
	const dbvhi_collide_options options = {
	    .max_distance = max_distance,
	    .reserve = reserve_clearance,
	    .traverse_packed = traverse_clearance,
	    .meter = meter,
	};
	return dbvhi_collide_checked( a, pose_a, b, pose_b, &options, query, workspace, result );
}

dbvh_status dbvhi_clearance_near( const dbvhi_mesh_pair *meshes, double max_distance, const dbvh_collide_query *query,
                                  dbvh_workspace *workspace, dbvhi_leaf_pair *last_out, dbvh_collide_result *result ) {
	const dbvhi_collide_options options = {
	    .max_distance = max_distance,
	    .reserve = reserve_clearance,
	    .traverse_packed = traverse_clearance,
	    .last_out = last_out,
	};
	const dbvh_counters spent = { 0 };
	memset( result, 0, sizeof *result );
	return dbvhi_collide_near( meshes, &spent, &options, query, workspace, result );
}

// ------------------------------------------------------------------------------------------------
// Distance

// Lower the bounds of the kernel to those found in doubles.
static void tell( const dbvhi_nearest *s, dbvhi_nearest_run *run ) {
	run->best = fminf( run->best, float_above( s->best ) );
	run->reach = fminf( run->reach, float_above( s->bound ) );
}

// Compare candidates in doubles: all of them, or only those that may intersect. The others are kept, and so are those
// for which the budget has no steps left. Returns true if the search is over.
static bool compare_candidates( dbvhi_nearest *s, dbvhi_nearest_run *run, bool all ) {
	DBVHI_ASSERT( run->candidate_count <= DBVHI_NEAR_CANDIDATES );
	uint32_t kept = 0;
	bool may_go_on = true;
	for ( uint32_t i = 0; i < run->candidate_count; ++i ) {
		const dbvhi_near_candidate c = run->candidates[i];
		if ( c.lower > run->best )
			continue;
		if ( !may_go_on || ( !all && c.lower > 0.0f ) )
			run->candidates[kept++] = c;
		else if ( dbvhi_nearest_triangles( s, c.a, c.b ) )
			return true;
		run->packed.more_steps += DBVHI_COMPARE_STEPS;
		// note: the exact distance of the first one discards most of the others.
		if ( all && !s->found )
			dbvhi_nearest_settle( s );
		tell( s, run );
		may_go_on = dbvhi_work_charge_exact( &s->work, &s->counters );
	}
	run->candidate_count = kept;
	return false;
}

// Put the candidate with the lowest key among those that may be the nearest first: others at the same distance are no
// better and need not be compared.
static void bring_best_forward( const dbvhi_nearest *s, dbvhi_nearest_run *run ) {
	dbvhi_near_candidate *c = run->candidates;
	float least = INFINITY;
	for ( uint32_t i = 0; i < run->candidate_count; ++i )
		least = fminf( least, c[i].upper );
	uint64_t lowest = UINT64_MAX;
	uint32_t best = 0;
	for ( uint32_t i = 0; i < run->candidate_count; ++i ) {
		if ( c[i].lower > least )
			continue;
		const uint64_t key = dbvhi_mesh_pair_key( &s->meshes, c[i].a, c[i].b );
		best = key < lowest ? i : best;
		lowest = key < lowest ? key : lowest;
	}
	const dbvhi_near_candidate keep = c[0];
	c[0] = c[best];
	c[best] = keep;
}

// Lower `at_least` to the bounds of all pairs that have not been compared. The bounds of nodes and the margins are
// those by which the kernel discards pairs.
static void bound_unvisited( dbvhi_nearest *s, const dbvhi_nearest_run *run ) {
	if ( run->packed.stack_count == 0 && run->candidate_count == 0 && run->queue->count == 0 )
		return;
	// note: the queue has no bounds. The kernel leaves pairs in it only if there is no room for their candidates.
	s->at_least = run->queue->count > 0 ? 0.0 : fmin( s->at_least, s->bound );
	for ( uint32_t i = 0; i < run->packed.stack_count; ++i ) {
		const double gap = (double)run->stack_key[i] - (double)run->packed.margin;
		s->at_least = fmin( s->at_least, gap / ( 1.0 + (double)run->stretch ) * ( 1.0 - 0x1p-20 ) );
	}
	for ( uint32_t i = 0; i < run->candidate_count; ++i )
		s->at_least = fmin( s->at_least, (double)run->candidates[i].lower );
	s->at_least = fmax( s->at_least, 0.0 );
}

void dbvhi_nearest_start( dbvhi_nearest *s, dbvh_workspace *workspace, dbvhi_nearest_run *run ) {
	init( &s->meshes, &s->work, workspace, s->best, run );
	run->packed.pause = dbvhi_work_first_pause( &s->work );
	run->goal = DBVHI_NEAR_NEAREST;
	run->ordered = s->work.meter != NULL ? UINT64_MAX : ORDERED_NEAREST;
	// Rounding is towards a larger reach.
	run->factor = float_above( 1.0 / ( 1.0 + s->relative_error ) * ( 1.0 + 0x1p-20 ) );
	run->factor = s->relative_error > 0.0 || s->absolute_error > 0.0 ? run->factor : 1.0f;
	run->allowance = s->absolute_error > 0.0 ? (float)( s->absolute_error * ( 1.0 - 0x1p-20 ) ) : 0.0f;
}

bool dbvhi_nearest_compare( dbvhi_nearest *s, dbvhi_nearest_run *run ) {
	const bool last = run->packed.stack_count == 0 && run->queue->count == 0 && run->packed.leaf_count == 0 &&
	                  run->packed.box_begin == run->packed.box_end &&
	                  ( run->small_a == 0 || run->packed.small_next > run->small_a * run->small_b ),
	           full = run->candidate_count + 16 > DBVHI_NEAR_CANDIDATES;
	if ( ( last || full ) && run->candidate_count > 0 )
		bring_best_forward( s, run );
	return compare_candidates( s, run, last || full );
}

bool dbvhi_nearest_search( dbvhi_nearest *s, dbvhi_nearest_run *run, uint64_t most_nodes ) {
	dbvhi_distance_kernel *kernel = dbvhi_distance_kernel_table[dbvhi_isa_level()];
	while ( kernel( run ) ) {
		if ( dbvhi_nearest_compare( s, run ) )
			return false;
		if ( !dbvhi_work_charge_run( &s->work, &run->packed, &s->counters ) ) {
			bound_unvisited( s, run );
			return false;
		}
		if ( has_paused( run, most_nodes ) )
			return true;
	}
	return false;
}

void dbvhi_nearest_packed( dbvhi_nearest *s, dbvh_workspace *workspace ) {
	dbvhi_nearest_run run;
	dbvhi_nearest_start( s, workspace, &run );
	dbvhi_nearest_search( s, &run, UINT64_MAX );
	dbvhi_packed_count( &s->counters, &run.packed );
}

void dbvhi_nearest_hear( dbvhi_nearest *s, dbvhi_nearest_run *run, double bound ) {
	DBVHI_ASSERT( s->relative_error == 0.0 && s->absolute_error == 0.0 );
	s->best = fmin( s->best, bound );
	s->bound = s->best;
	tell( s, run );
}
