// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The search in two packed trees: runs the kernel and decides the candidates that it leaves.

#include "base/assert.h"
#include "bvh/ellipsoid_test.h"
#include "bvh/packed_volume.h"
#include "query/collide/collide.h"
#include "query/collide/kernel.h"
#include "simd/isa.h"

#include <string.h>

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

// Compare the ellipsoids of two nodes, or the one that there is with the boxes of the other node's children, in the
// axes of A. The pose alone maps one mesh to the other, so the offset carries no error of frames in between, only that
// of the position and of rounding. Returns the lanes that are left; lane (i, j) is bit 4 j + i.
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
	// A query whose ellipsoids separate nothing stops comparing them.
	run->ellipsoid_budget -= lanes == 0xffff;
	if ( run->ellipsoid_budget == 0 )
		run->ellipsoids = NULL;
	return lanes;
}

void dbvhi_packed_use_ellipsoids( const dbvhi_pair_search *s, dbvhi_packed_run *run ) {
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
	// note: an offset of ellipsoids is a sum of products of the same length as the origin of a leaf.
	run->ellipsoid_margin = dbvhi_packed_origin_error( m );
}

bool dbvhi_pair_is_small( const dbvhi_mesh_pair *pair ) {
	const uint32_t a = pair->fixed->packed->leaf_count, b = pair->moved->packed->leaf_count;
	const uint32_t most = dbvhi_isa_level() == DBVHI_ISA_AVX512 ? DBVHI_SMALL_PAIRS : DBVHI_SMALL_PAIRS_NARROW;
	return a <= DBVHI_SMALL_LEAVES && (uint64_t)a * b <= most;
}

void dbvhi_traverse_small( dbvhi_pair_search *search ) {
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
		over = dbvhi_packed_settle( search, &run, DBVHI_RUNG_DOUBLES );
}

// Decide the pairs that the kernel has left one at a time, by the filter and the exact decision for doubles of any
// size. The rungs, which take eight pairs at once, would overflow or underflow with meshes of extreme sizes.
static bool decide_one_by_one( dbvhi_pair_search *s, const dbvhi_packed_run *run ) {
	for ( uint32_t i = 0; i < run->candidate_count; ++i ) {
		if ( dbvhi_pair_search_triangles( s, run->candidates[i].a, run->candidates[i].b ) )
			return true;
	}
	return false;
}

void dbvhi_traverse_scaled( dbvhi_pair_search *search ) {
	DBVHI_ASSERT( search->max_distance == 0.0 );
	const dbvhi_mesh_pair in_unit = dbvhi_mesh_pair_in_unit( &search->meshes );
	dbvhi_packed_run run;
	dbvhi_packed_init( &in_unit, &run );
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

void dbvhi_traverse_packed( dbvhi_pair_search *search, const dbvhi_start *start ) {
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
	bool over = false;
	if ( run.first_only && search->meshes.touching )
		over =
		    dbvhi_dive_kernel_table[dbvhi_isa_level()]( &run ) && dbvhi_packed_settle( search, &run, DBVHI_RUNG_FLAT );
	dbvhi_whole room;
	dbvhi_packed_push_roots( &search->meshes, &run, &room );
	dbvhi_collide_kernel *kernel = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	while ( !over && kernel( &run ) )
		over = dbvhi_packed_settle( search, &run, DBVHI_RUNG_DOUBLES );
	dbvhi_packed_count( &search->counters, &run );
}
