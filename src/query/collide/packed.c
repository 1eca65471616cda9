// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two packed trees: sets the kernel going and decides what it cannot.

#include "base/assert.h"
#include "bvh/ellipsoid/ellipsoid_test.h"
#include "bvh/packed/volume.h"
#include "query/collide/collide.h"
#include "query/collide/flat_leaves.h"
#include "query/collide/kernel.h"
#include "simd/isa.h"

#include <string.h>

DBVHI_KERNEL_TABLE( dbvhi_collide_kernel, dbvhi_collide_kernel )
DBVHI_KERNEL_TABLE( dbvhi_small_kernel, dbvhi_small_kernel )
DBVHI_KERNEL_TABLE( dbvhi_triangle_kernel, dbvhi_fine_kernel )
DBVHI_KERNEL_TABLE( dbvhi_triangle_kernel, dbvhi_flat_kernel )
DBVHI_KERNEL_TABLE( dbvhi_triangle_kernel, dbvhi_triangle_kernel )

static const dbvhi_reach *ellipsoid_of( const dbvhi_packed *packed, uint8_t mark ) {
	DBVHI_ASSERT( mark != 0 && mark <= packed->ellipsoid_count );
	return &dbvhi_packed_ellipsoids_of( packed )[mark - 1].reach;
}

// The children of a node whose boxes may meet an ellipsoid, a bit each.
static uint32_t children_met( dbvhi_packed_run *run, const dbvhi_reach *ellipsoid, const dbvhi_packed *packed,
                              int32_t node, const dbvhi_frame *frame ) {
	uint32_t met = 0;
	for ( int i = 0; i < DBVHI_WIDTH && dbvhi_packed_spheres_of( packed )[node].radius[i] != DBVHI_NO_CHILD; ++i ) {
		static const double origin[3];
		dbvhi_node child;
		dbvhi_packed_volume_about( packed, (uint32_t)node, i, origin, &child );
		const dbvhi_placed_box box = { dbvhi_frame_point( frame, child.pos ), dbvhi_mat_mul( &frame->axes, &child.rot ),
		                               child.half };
		run->ellipsoid_box_tests += 1;
		if ( dbvhi_ellipsoid_box_disjoint( ellipsoid, &box, run->ellipsoid_margin ) )
			run->ellipsoid_separated += 1;
		else
			met |= 1u << i;
	}
	return met;
}

// The pose maps the one mesh to the other as it is, so no frame of a node comes in: what the way is off is that of the
// position and of rounding. All is compared in the axes of A. Lane (i, j) is bit 4 j + i.
static int32_t compare_ellipsoids( dbvhi_packed_run *run, int32_t a, int32_t b ) {
	DBVHI_ASSERT( run->ellipsoid_budget > 0 );
	const dbvhi_mesh_pair *m = run->context;
	const dbvhi_packed *fixed = m->fixed->packed, *moved = m->moved->packed;
	const uint8_t mark_a = run->marks_a != NULL ? run->marks_a[a] : 0;
	const uint8_t mark_b = run->marks_b != NULL ? run->marks_b[b] : 0;
	const dbvhi_frame here = dbvhi_frame_mesh();
	dbvhi_frame frame;
	memcpy( frame.axes.m, m->pose.rot, sizeof frame.axes.m );
	memcpy( frame.origin.v, run->pos_exact, sizeof frame.origin.v );
	int32_t lanes = 0xffff;
	if ( mark_a != 0 && mark_b != 0 ) {
		run->ellipsoid_pair_tests += 1;
		if ( dbvhi_ellipsoids_disjoint( ellipsoid_of( fixed, mark_a ), ellipsoid_of( moved, mark_b ), &frame.axes,
		                                frame.origin, run->ellipsoid_margin ) ) {
			run->ellipsoid_separated += 1;
			lanes = 0;
		}
	} else if ( mark_a != 0 ) {
		const uint32_t met = children_met( run, ellipsoid_of( fixed, mark_a ), moved, b, &frame );
		lanes =
		    (int32_t)( ( met & 1 ) * 0xf + ( met >> 1 & 1 ) * 0xf0 + ( met >> 2 & 1 ) * 0xf00 + ( met >> 3 ) * 0xf000 );
	} else {
		const dbvhi_reach placed = dbvhi_reach_place( ellipsoid_of( moved, mark_b ), &frame.axes, frame.origin );
		lanes = (int32_t)( children_met( run, &placed, fixed, a, &here ) * 0x1111 );
	}
	// A query whose ellipsoids separate nothing is not asked to pay for more of them.
	run->ellipsoid_budget -= lanes == 0xffff;
	if ( run->ellipsoid_budget == 0 )
		run->ellipsoids = NULL;
	return lanes;
}

void dbvhi_packed_use_ellipsoids( const dbvhi_hit_collector *s, dbvhi_packed_run *run ) {
	const dbvhi_mesh_pair *m = &s->meshes;
	const dbvhi_packed *a = m->fixed->packed, *b = m->moved->packed;
	const bool in_a = a->ellipsoid_count > 0, in_b = b->ellipsoid_count > 0;
	if ( s->ellipsoids == DBVHI_NO_ELLIPSOIDS ||
	     !( s->ellipsoids == DBVHI_MIXED_ELLIPSOIDS ? in_a || in_b : in_a && in_b ) )
		return;
	run->ellipsoids = compare_ellipsoids;
	run->mixed = s->ellipsoids == DBVHI_MIXED_ELLIPSOIDS;
	run->marks_a = in_a ? dbvhi_packed_marks_of( a ) : NULL;
	run->marks_b = in_b ? dbvhi_packed_marks_of( b ) : NULL;
	run->context = m;
	const bool all =
	    m->fixed->options.ellipsoids == DBVH_ELLIPSOIDS_ALL || m->moved->options.ellipsoids == DBVH_ELLIPSOIDS_ALL;
	run->ellipsoid_budget = all ? UINT32_MAX : dbvhi_packed_costs.budget;
	// Sums of products as for the origin of a leaf.
	run->ellipsoid_margin = dbvhi_packed_origin_error( m );
}

// Is a filter to be asked that is slower? Not where a contact that is known ends the search.
static bool is_unsure( const dbvhi_triangle_batch *batch, bool find_all ) {
	uint32_t unsure = 0, meet = 0;
	for ( uint32_t lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
		unsure += batch->answer[lane] == DBVHI_BATCH_UNSURE;
		meet += batch->answer[lane] == DBVHI_BATCH_MEET;
	}
	return unsure > 0 && ( find_all || meet == 0 );
}

// Records the first candidate that is known to be a contact. Returns true if there is one.
static bool found_first( dbvhi_hit_collector *s, const dbvhi_triangle_batch *batch, const dbvhi_candidate *candidates,
                         uint32_t count ) {
	for ( uint32_t lane = 0; lane < count; ++lane ) {
		if ( batch->answer[lane] == DBVHI_BATCH_MEET ) {
			s->counters.triangle_tests += 1;
			return dbvhi_hit_collector_found( s, candidates[lane].a, candidates[lane].b );
		}
	}
	return false;
}

// One contact of meshes that lie on each other is looked for, and nothing has been compared yet.
static bool expects_flat( const dbvhi_hit_collector *s ) {
	return s->meshes.touching && !s->find_all && s->counters.triangle_tests == 0;
}

// Then the filter for flat contacts is asked first.
static bool has_flat_contact( dbvhi_triangle_batch *batch ) {
	bool meet = false;
	for ( uint32_t lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane )
		batch->answer[lane] = DBVHI_BATCH_UNSURE;
	dbvhi_flat_kernel_table[dbvhi_isa_level()]( batch );
	for ( uint32_t lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane )
		meet = meet || batch->answer[lane] == DBVHI_BATCH_MEET;
	return meet;
}

// The double filter on up to eight candidates, then the exact decision where that is unsure. Returns true if the search
// is over.
static bool decide( dbvhi_hit_collector *s, dbvhi_triangle_kernel *filter, dbvhi_triangle_batch *batch,
                    const dbvhi_candidate *candidates, uint32_t count ) {
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_TRIANGLE_BATCH );
	for ( uint32_t lane = 0; lane < DBVHI_TRIANGLE_BATCH; ++lane ) {
		// Lanes beyond the last repeat it.
		const dbvhi_candidate c = candidates[lane < count ? lane : count - 1];
		const double *fixed[3], *moved[3];
		dbvhi_tree_corners( s->meshes.fixed, c.a, fixed );
		dbvhi_tree_corners( s->meshes.moved, c.b, moved );
		for ( int k = 0; k < 9; ++k ) {
			batch->fixed[k][lane] = fixed[k / 3][k % 3];
			batch->moved[k][lane] = moved[k / 3][k % 3];
		}
	}
	if ( expects_flat( s ) && has_flat_contact( batch ) )
		return found_first( s, batch, candidates, count );
	filter( batch );
	if ( is_unsure( batch, s->find_all ) )
		dbvhi_flat_kernel_table[dbvhi_isa_level()]( batch );
	if ( is_unsure( batch, s->find_all ) )
		dbvhi_fine_kernel_table[dbvhi_isa_level()]( batch );
	// A contact that is known spares a search for one the exact decisions before it.
	if ( !s->find_all && found_first( s, batch, candidates, count ) )
		return true;
	for ( uint32_t lane = 0; lane < count; ++lane ) {
		const dbvhi_candidate c = candidates[lane];
		bool over = false;
		if ( batch->answer[lane] == DBVHI_BATCH_UNSURE ) {
			over = dbvhi_hit_collector_triangles( s, c.a, c.b );
		} else {
			s->counters.triangle_tests += 1;
			over = batch->answer[lane] == DBVHI_BATCH_MEET && dbvhi_hit_collector_found( s, c.a, c.b );
		}
		if ( over )
			return true;
	}
	return false;
}

// So many of the first candidates are filtered one by one where a contact ends the search: most often they have one.
#define FIRST_CANDIDATES 2

// How many of them are done before one is unsure. Sets *over if there was a contact.
static uint32_t decide_first( dbvhi_hit_collector *s, const dbvhi_packed_run *run, bool *over ) {
	const uint32_t most = run->candidate_count < FIRST_CANDIDATES ? run->candidate_count : FIRST_CANDIDATES;
	for ( uint32_t i = 0; i < most; ++i ) {
		const dbvhi_candidate c = run->candidates[i];
		dbvhi_pair_room room;
		const dbvhi_posed_pair pair = dbvhi_mesh_pair_triangles( &s->meshes, c.a, c.b, &room );
		const dbvhi_answer answer = dbvhi_triangles_filter( pair.fixed, pair.image, pair.error );
		if ( answer == DBVHI_UNSURE )
			return i;
		s->counters.triangle_tests += 1;
		*over = answer == DBVHI_INTERSECTING && dbvhi_hit_collector_found( s, c.a, c.b );
		if ( *over )
			return i + 1;
	}
	return most;
}

// Decides what the kernel has left. Returns true if the search is over.
static bool decide_all( dbvhi_hit_collector *s, const dbvhi_packed_run *run ) {
	DBVHI_ASSERT( run->candidate_count + run->contact_count <= DBVHI_CANDIDATES );
	bool over = false;
	for ( uint32_t i = 0; i < run->contact_count; ++i ) {
		const dbvhi_candidate c = *dbvhi_packed_contact( run, i );
		s->counters.triangle_tests += 1;
		if ( dbvhi_hit_collector_found( s, c.a, c.b ) )
			return true;
	}
	const bool one_by_one = !s->find_all && s->counters.triangle_tests == 0 && !s->meshes.touching;
	const uint32_t done = one_by_one ? decide_first( s, run, &over ) : 0;
	if ( over || done == run->candidate_count )
		return over;
	dbvhi_triangle_kernel *filter = dbvhi_triangle_kernel_table[dbvhi_isa_level()];
	dbvhi_triangle_batch batch;
	memcpy( batch.rot, s->meshes.pose.rot, sizeof batch.rot );
	memcpy( batch.pos, s->meshes.pose.pos, sizeof batch.pos );
	batch.error = dbvhi_mesh_pair_corner_error( &s->meshes );
	for ( uint32_t i = done; i < run->candidate_count; i += DBVHI_TRIANGLE_BATCH ) {
		const uint32_t left = run->candidate_count - i;
		const uint32_t count = left < DBVHI_TRIANGLE_BATCH ? left : DBVHI_TRIANGLE_BATCH;
		if ( decide( s, filter, &batch, run->candidates + i, count ) )
			return true;
	}
	return false;
}

// Have many triangles turned out to be apart that floats could not tell apart?
static bool is_a_hair_apart( const dbvhi_hit_collector *s, const dbvhi_packed_run *run ) {
	return s->counters.triangle_tests > 64 + 2 * ( run->node_tests + s->key_count );
}

bool dbvhi_packed_settle( dbvhi_hit_collector *s, dbvhi_packed_run *run ) {
	if ( run->leaves_separated == NULL && is_a_hair_apart( s, run ) )
		dbvhi_packed_use_flat_leaves( run, &s->meshes );
	return decide_all( s, run ) || !dbvhi_work_charge_run( &s->work, run, &s->counters );
}

bool dbvhi_pair_is_small( const dbvhi_mesh_pair *pair ) {
	const uint32_t a = pair->fixed->packed->leaf_count, b = pair->moved->packed->leaf_count;
	const uint32_t most = dbvhi_isa_level() == DBVHI_ISA_AVX512 ? DBVHI_SMALL_PAIRS : DBVHI_SMALL_PAIRS_NARROW;
	return a <= DBVHI_SMALL_LEAVES && (uint64_t)a * b <= most;
}

void dbvhi_traverse_small( dbvhi_hit_collector *search ) {
	DBVHI_ASSERT( search->max_distance == 0.0 && dbvhi_pair_is_small( &search->meshes ) );
	dbvhi_packed_run run;
	dbvhi_packed_init_leaves( &search->meshes, &run );
	run.first_only = !search->find_all;
	run.keeps_contacts = true;
	dbvhi_packed_attach( &run, search->workspace );
	const uint32_t a = search->meshes.fixed->packed->leaf_count, b = search->meshes.moved->packed->leaf_count;
	dbvhi_small_kernel *kernel = dbvhi_small_kernel_table[dbvhi_isa_level()];
	bool over = false;
	while ( !over && kernel( &run, a, b ) )
		over = dbvhi_packed_settle( search, &run );
}

// Decides what the kernel has left by the filter and the exact decision for doubles of any size: those for batches are
// for meshes of usual sizes.
static bool decide_one_by_one( dbvhi_hit_collector *s, const dbvhi_packed_run *run ) {
	for ( uint32_t i = 0; i < run->candidate_count; ++i ) {
		if ( dbvhi_hit_collector_triangles( s, run->candidates[i].a, run->candidates[i].b ) )
			return true;
	}
	return false;
}

void dbvhi_traverse_scaled( dbvhi_hit_collector *search ) {
	DBVHI_ASSERT( search->max_distance == 0.0 );
	dbvhi_packed_run run;
	dbvhi_packed_init( &search->meshes, &run );
	run.pause = dbvhi_work_first_pause( &search->work );
	run.first_only = !search->find_all;
	dbvhi_packed_attach( &run, search->workspace );
	dbvhi_packed_push( &run, 0, 0, 0xffff );
	dbvhi_collide_kernel *kernel = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	bool over = false;
	while ( !over && kernel( &run ) )
		over = decide_one_by_one( search, &run ) || !dbvhi_work_charge_run( &search->work, &run, &search->counters );
	dbvhi_packed_count( &search->counters, &run );
}

void dbvhi_traverse_packed( dbvhi_hit_collector *search, const dbvhi_start *start ) {
	DBVHI_ASSERT( search->max_distance == 0.0 );
	dbvhi_packed_run run;
	dbvhi_packed_init( &search->meshes, &run );
	run.pause = dbvhi_work_first_pause( &search->work );
	run.first_only = !search->find_all;
	run.keeps_contacts = true;
	dbvhi_packed_use_ellipsoids( search, &run );
	dbvhi_packed_attach( &run, search->workspace );
	search->is_near_start = start != NULL && dbvhi_search_near( search, &run, start );
	if ( search->is_near_start )
		return;
	run.dives = run.first_only && search->meshes.touching;
	dbvhi_packed_push( &run, 0, 0, 0xffff );
	dbvhi_collide_kernel *kernel = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	bool over = false;
	while ( !over && kernel( &run ) )
		over = dbvhi_packed_settle( search, &run );
	dbvhi_packed_count( &search->counters, &run );
}
