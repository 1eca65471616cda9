// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The poses of a block: which of them join a packet, and what becomes of those that leave it.

#include "query/collide/packets.h"

#include "base/assert.h"
#include "query/collide/collide.h"
#include "query/collide/kernel.h"
#include "query/collide/packet.h"
#include "query/common/roots.h"
#include "simd/isa.h"

#include <string.h>

// A pose whose roots are near each other.
typedef struct near_pose {
	dbvhi_mesh_pair meshes;
	dbvh_counters spent; // tests of the roots
	size_t element;
} near_pose;

// Memory of a workspace.
typedef struct packets {
	dbvhi_packet packet;
	const near_pose *lane[DBVHI_PACKET];
	dbvhi_pair_search search[DBVHI_PACKET];
	uint32_t near_count;
	near_pose near[DBVHI_BATCH_BLOCK];
} packets;

// A block that is being answered.
typedef struct packet_call {
	const dbvhi_batch *batch;
	size_t first;
	dbvh_workspace *workspace;
	dbvhi_block *block;
} packet_call;

static const dbvhi_slot_kind packets_kind = { .size = sizeof( packets ) };

dbvh_status dbvhi_workspace_require_packets( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b ) {
	(void)a;
	(void)b;
	return dbvhi_workspace_slot( workspace, &packets_kind ) != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

// Fewer poses are handed to threads one by one, since some may take long.
#define LEAST_POSES ( 16 * DBVHI_PACKET )

// Where a mesh has fewer leaves, packets take up to 1.4 times as long to find a contact as single calls, which find it
// in some ten steps (docs/design/packed-tree.md). Where vectors hold four floats they gain nothing on any mesh.
#define LEAST_LEAVES 2048

bool dbvhi_packets_suit( const dbvh_tree *a, const dbvh_tree *b, const dbvh_collide_query *query, size_t pose_count ) {
	if ( pose_count < LEAST_POSES || query->find != DBVH_FIND_ANY || !dbvhi_is_packed( a, b, query->policy ) )
		return false;
	if ( query->budget != NULL && ( query->budget->max_work != 0 || query->budget->max_total != 0 ) )
		return false;
	const dbvhi_isa_rank level = dbvhi_isa_level();
	if ( level != DBVHI_ISA_AVX2 && level != DBVHI_ISA_AVX512 )
		return false;
	const dbvhi_packed *of_a = a->packed, *of_b = b->packed;
	return of_a->leaf_count >= LEAST_LEAVES && of_b->leaf_count >= LEAST_LEAVES && of_a->ellipsoid_count == 0 &&
	       of_b->ellipsoid_count == 0;
}

static dbvh_collide_result *result_at( const packet_call *call, size_t element ) {
	return (dbvh_collide_result *)call->batch->results + element;
}

// Compare the roots at a pose. Returns true if that is an answer; otherwise the pose joins the near ones, unless it is
// refused, or the boxes of the roots touch: a search for one contact has a quicker way then.
static bool roots_answer( packets *p, const packet_call *call, size_t element ) {
	DBVHI_ASSERT( p->near_count < DBVHI_BATCH_BLOCK );
	const dbvhi_batch *w = call->batch;
	const dbvh_policy policy = ( (const dbvh_collide_query *)w->query )->policy;
	const dbvh_pose *pose_b = (const dbvh_pose *)w->list + element;
	near_pose *next = &p->near[p->near_count];
	double deviation;
	dbvhi_roots roots = dbvhi_test_roots( w->a, w->pose_a, w->b, pose_b, 0.0, policy, &deviation );
	if ( !dbvhi_roots_disjoint( roots ) &&
	     dbvhi_init_pair( &next->meshes, w->a, w->pose_a, w->b, pose_b, 0.0, policy, deviation, &roots ) != DBVH_OK )
		return false;
	if ( dbvhi_roots_disjoint( roots ) ) {
		dbvhi_roots_count( roots, &result_at( call, element )->counters );
		return true;
	}
	if ( roots == DBVHI_ROOTS_NEAR ) {
		next->spent = ( dbvh_counters ){ 0 };
		dbvhi_roots_count( roots, &next->spent );
		next->element = element;
		p->near_count += 1;
	}
	return false;
}

// Put a pose into a lane of the packet.
static void fill_lane( packets *p, uint32_t lane, const near_pose *pose ) {
	DBVHI_ASSERT( lane < DBVHI_PACKET );
	dbvhi_packet *k = &p->packet;
	dbvhi_packed_run *run = &k->run[lane];
	p->lane[lane] = pose;
	dbvhi_packed_init_nodes( &pose->meshes, run );
	run->pause = DBVHI_PAUSE;
	run->queue = &k->queue;
	for ( int i = 0; i < 4; ++i )
		k->turn[i][lane] = run->turn[i];
	for ( int i = 0; i < 9; ++i )
		k->rot[i][lane] = run->rot[i / 3][i % 3];
	k->turn_scale[lane] = run->turn_scale;
	k->margin[lane] = run->margin;
	k->margin_relative[lane] = run->margin_relative;
	k->stack_a[lane] = k->stack_b[lane] = 0;
	k->stack_lanes[lane] = (int32_t)( lane << 16 | 0xffff );
}

// Set a lane up for leaves, which few poses reach whose meshes are well apart.
static void begin_leaves( packets *p, uint32_t lane, dbvh_workspace *workspace ) {
	const near_pose *pose = p->lane[lane];
	p->search[lane] = ( dbvhi_pair_search ){
	    .meshes = pose->meshes, .workspace = workspace, .lowest_key = UINT64_MAX, .counters = pose->spent };
	dbvhi_packed_run *run = &p->packet.run[lane];
	const uint64_t node_tests = run->node_tests, box_tests = run->box_tests;
	dbvhi_packed_init( &p->search[lane].meshes, run );
	run->node_tests = node_tests;
	run->box_tests = box_tests;
	run->pause = DBVHI_PAUSE;
	run->queue = &p->packet.queue;
	run->first_only = true;
	run->keeps_contacts = true;
	run->candidates = workspace->candidates;
	p->packet.with_leaves |= 1u << lane;
}

// Copy the pairs of a lane that wait to its run. Returns false if the run has no room for them.
static bool copy_pairs( const dbvhi_packet *k, uint32_t lane, dbvhi_packed_run *run ) {
	for ( uint32_t i = 0; i < k->stack_count; ++i ) {
		if ( (uint32_t)k->stack_lanes[i] >> 16 != lane )
			continue;
		if ( run->stack_count + k->box_end >= run->stack_cautious )
			return false;
		dbvhi_packed_push( run, k->stack_a[i], k->stack_b[i], k->stack_lanes[i] & 0xffff );
	}
	for ( uint32_t i = 0; i < k->box_end; ++i ) {
		const uint32_t a = k->queue.a[i], b = k->queue.b[i];
		if ( k->queue_pose[i] == lane )
			dbvhi_packed_push( run, (int32_t)( a >> 2 ), (int32_t)( b >> 2 ),
			                   1 << ( DBVHI_WIDTH * ( b & 3 ) + ( a & 3 ) ) );
	}
	for ( uint32_t i = 0; i < k->leaf_count; ++i ) {
		if ( (uint32_t)k->leaf_pose[i] != lane )
			continue;
		run->leaf_a[run->leaf_count] = k->leaf_a[i];
		run->leaf_b[run->leaf_count++] = k->leaf_b[i];
	}
	return true;
}

// Go on alone with the search of a pose that leaves the packet. Returns false if it has to begin anew.
static bool finish_alone( packets *p, uint32_t lane, dbvh_workspace *workspace ) {
	dbvhi_packed_run *run = &p->packet.run[lane];
	if ( ( p->packet.with_leaves >> lane & 1 ) == 0 )
		begin_leaves( p, lane, workspace );
	run->box_begin = run->box_end = 0;
	dbvhi_packed_attach( run, workspace );
	run->pause = UINT64_MAX;
	if ( !copy_pairs( &p->packet, lane, run ) )
		return false;
	dbvhi_collide_kernel *kernel = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	bool over = false;
	while ( !over && kernel( run ) )
		over = dbvhi_packed_settle( &p->search[lane], run, DBVHI_RUNG_DOUBLES );
	return true;
}

// Run the packet. Returns the lanes that have left it without an answer, a bit each: those whose search is long, unless
// it `may_be_long`.
static uint32_t run_packet( packets *p, bool may_be_long, dbvh_workspace *workspace ) {
	dbvhi_packet *k = &p->packet;
	dbvhi_packet_kernel *kernel = dbvhi_packet_kernel_table[dbvhi_isa_level()];
	uint32_t left = 0;
	for ( dbvhi_packet_stop stop; ( stop = kernel( k ) ) != DBVHI_PACKET_OVER; ) {
		const uint32_t lane = k->stopped;
		if ( stop == DBVHI_PACKET_LEAVES_REACHED ) {
			begin_leaves( p, lane, workspace );
		} else if ( stop == DBVHI_PACKET_LEFT ) {
			if ( !may_be_long || !finish_alone( p, lane, workspace ) )
				left |= 1u << lane;
			k->live &= ~( 1u << lane );
		} else if ( dbvhi_packed_settle( &p->search[lane], &k->run[lane], DBVHI_RUNG_DOUBLES ) ) {
			k->live &= ~( 1u << lane );
		}
	}
	return left;
}

static void write_answer( packets *p, uint32_t lane, const packet_call *call ) {
	const near_pose *pose = p->lane[lane];
	const dbvhi_packed_run *run = &p->packet.run[lane];
	dbvh_collide_result *result = result_at( call, pose->element );
	uint64_t work = run->node_tests;
	if ( p->packet.with_leaves >> lane & 1 ) {
		dbvhi_pair_search *s = &p->search[lane];
		dbvhi_pair_search_finish( s, call->batch->query, result );
		work += run->leaf_tests + 2 * s->counters.triangle_tests + 64 * s->counters.exact_tests;
	} else {
		result->counters = pose->spent;
	}
	dbvhi_packed_count( &result->counters, run );
	call->block->is_answered[pose->element - call->first] = true;
	call->block->work[pose->element - call->first] = work;
}

static void answer_lanes( packets *p, uint32_t count, const packet_call *call ) {
	dbvhi_packet *k = &p->packet;
	k->stack_count = count;
	k->box_end = k->leaf_count = k->with_leaves = 0;
	k->live = ( 1u << count ) - 1;
	// note: whoever may cancel the call is asked while a long search goes on, which a meter of its own does.
	const bool is_watched = ( (const dbvh_collide_query *)call->batch->query )->budget != NULL;
	const uint32_t left = run_packet( p, !is_watched, call->workspace );
	for ( uint32_t lane = 0; lane < count; ++lane ) {
		if ( ( left >> lane & 1 ) == 0 )
			write_answer( p, lane, call );
	}
}

// Answer the near poses at which one and the same mesh moves: the trees of a packet have their sides.
static void answer_near( packets *p, bool a_moves, const packet_call *call ) {
	uint32_t count = 0;
	for ( uint32_t i = 0; i < p->near_count; ++i ) {
		if ( p->near[i].meshes.a_moves != a_moves )
			continue;
		fill_lane( p, count++, &p->near[i] );
		if ( count < DBVHI_PACKET )
			continue;
		answer_lanes( p, count, call );
		count = 0;
	}
	if ( count > 0 )
		answer_lanes( p, count, call );
}

void dbvhi_answer_packets( const dbvhi_batch *batch, size_t first, size_t count, dbvh_workspace *workspace,
                           dbvhi_block *block ) {
	DBVHI_ASSERT( count <= DBVHI_BATCH_BLOCK );
	packets *p = dbvhi_workspace_slot( workspace, &packets_kind );
	const packet_call call = { batch, first, workspace, block };
	p->near_count = 0;
	for ( size_t i = 0; i < count; ++i )
		block->is_answered[i] = roots_answer( p, &call, first + i );
	dbvhi_seen_pairs_clear( &workspace->seen );
	answer_near( p, false, &call );
	answer_near( p, true, &call );
}
