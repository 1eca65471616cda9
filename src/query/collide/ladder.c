// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The ladder of decisions on pairs of triangles that floats leave: filters in doubles, then in pairs of doubles, eight
// pairs at a time, and below the last rung the exact decision. A rung is asked only for what the one before left
// unsure.

#include "base/assert.h"
#include "query/collide/collide.h"
#include "query/collide/kernel.h"
#include "simd/isa.h"

#include <string.h>

static dbvhi_triangle_kernel *const *const rungs[DBVHI_RUNG_COUNT] = {
    [DBVHI_RUNG_DOUBLES] = dbvhi_triangle_kernel_table,
    [DBVHI_RUNG_FLAT] = dbvhi_flat_kernel_table,
    [DBVHI_RUNG_FINE] = dbvhi_fine_kernel_table,
};

// Is the next rung worth asking? Not where a known contact ends the search.
static bool is_unsure( const dbvhi_triangle_batch *batch, bool find_all ) {
	uint32_t unsure = 0, meet = 0;
	for ( uint32_t lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
		unsure += batch->answer[lane] == DBVHI_BATCH_UNSURE;
		meet += batch->answer[lane] == DBVHI_BATCH_MEET;
	}
	return unsure > 0 && ( find_all || meet == 0 );
}

static void filter( dbvhi_pair_search *s, dbvhi_triangle_batch *batch, dbvhi_rung first ) {
	// note: the first rung answers for every lane, the others only for those that are unsure.
	for ( uint32_t lane = 0; first != DBVHI_RUNG_DOUBLES && lane < DBVHI_TRIANGLE_BATCH; ++lane )
		batch->answer[lane] = DBVHI_BATCH_UNSURE;
	uint32_t rung = first;
	do {
		rungs[rung][dbvhi_isa_level()]( batch );
		s->rung_batches[rung] += 1;
	} while ( ++rung < DBVHI_RUNG_COUNT && is_unsure( batch, s->find_all ) );
}

static void gather_corners( const dbvhi_pair_search *s, const dbvhi_candidate *candidates, uint32_t count,
                            dbvhi_triangle_batch *batch ) {
	for ( uint32_t lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
		// Padding lanes repeat the last candidate.
		const dbvhi_candidate c = candidates[lane < count ? lane : count - 1];
		const double *fixed[3], *moved[3];
		dbvhi_tree_corners( s->meshes.fixed, c.a, fixed );
		dbvhi_tree_corners( s->meshes.moved, c.b, moved );
		for ( int k = 0; k < 9; ++k ) {
			batch->fixed[k][lane] = fixed[k / 3][k % 3];
			batch->moved[k][lane] = moved[k / 3][k % 3];
		}
	}
}

// Record the first candidate that is known to be a contact. Returns true if that ends the search.
static bool found_first( dbvhi_pair_search *s, const dbvhi_triangle_batch *batch, const dbvhi_candidate *candidates,
                         uint32_t count ) {
	for ( uint32_t lane = 0; lane < count; ++lane ) {
		if ( batch->answer[lane] == DBVHI_BATCH_MEET ) {
			s->counters.triangle_tests += 1;
			return dbvhi_pair_search_found( s, candidates[lane].a, candidates[lane].b );
		}
	}
	return false;
}

// Decide up to eight candidates. Returns true if the search is over.
static bool decide( dbvhi_pair_search *s, dbvhi_triangle_batch *batch, const dbvhi_candidate *candidates,
                    uint32_t count, dbvhi_rung first ) {
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_TRIANGLE_BATCH );
	gather_corners( s, candidates, count, batch );
	filter( s, batch, first );
	// note: a known contact ends a search for one, before exact decisions on earlier lanes.
	if ( !s->find_all && found_first( s, batch, candidates, count ) )
		return true;
	for ( uint32_t lane = 0; lane < count; ++lane ) {
		const dbvhi_candidate c = candidates[lane];
		bool over = false;
		if ( batch->answer[lane] == DBVHI_BATCH_UNSURE ) {
			over = dbvhi_pair_search_exact( s, c.a, c.b );
		} else {
			s->counters.triangle_tests += 1;
			over = batch->answer[lane] == DBVHI_BATCH_MEET && dbvhi_pair_search_found( s, c.a, c.b );
		}
		if ( over )
			return true;
	}
	return false;
}

// Decide the candidates of a run. Returns true if the search is over.
static bool decide_all( dbvhi_pair_search *s, const dbvhi_packed_run *run, dbvhi_rung first ) {
	DBVHI_ASSERT( run->candidate_count + run->contact_count <= DBVHI_CANDIDATES );
	for ( uint32_t i = 0; i < run->contact_count; ++i ) {
		const dbvhi_candidate c = *dbvhi_packed_contact( run, i );
		s->counters.triangle_tests += 1;
		if ( dbvhi_pair_search_found( s, c.a, c.b ) )
			return true;
	}
	if ( run->candidate_count == 0 )
		return false;
	dbvhi_triangle_batch batch;
	memcpy( batch.rot, s->meshes.pose.rot, sizeof batch.rot );
	memcpy( batch.pos, s->meshes.pose.pos, sizeof batch.pos );
	batch.error = dbvhi_mesh_pair_corner_error( &s->meshes );
	for ( uint32_t i = 0; i < run->candidate_count; i += DBVHI_TRIANGLE_BATCH ) {
		const uint32_t left = run->candidate_count - i;
		const uint32_t count = left < DBVHI_TRIANGLE_BATCH ? left : DBVHI_TRIANGLE_BATCH;
		if ( decide( s, &batch, run->candidates + i, count, first ) )
			return true;
	}
	return false;
}

// Have the filters in doubles separated many triangles that floats could not?
static bool is_a_hair_apart( const dbvhi_pair_search *s, const dbvhi_packed_run *run ) {
	return s->counters.triangle_tests > 64 + 2 * ( run->node_tests + s->key_count );
}

bool dbvhi_packed_settle( dbvhi_pair_search *s, dbvhi_packed_run *run, dbvhi_rung first ) {
	if ( run->leaves_separated == NULL && is_a_hair_apart( s, run ) )
		dbvhi_packed_use_flat_leaves( run, &s->meshes );
	return decide_all( s, run, first ) || !dbvhi_work_charge_run( &s->work, run, &s->counters );
}
