// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A traversal in doubles of two trees of any form: for pairs of which one has no packed form, and for poses that are
// too far away for floats. Nodes are compared as by DBVH_POLICY_DUAL.

#include "base/assert.h"
#include "bvh/any_node.h"
#include "query/collide/collide.h"
#include "query/collide/overlap.h"

#include <string.h>

typedef struct traversal {
	dbvhi_hit_collector *search;
	const dbvh_tree *fixed, *moved;
	double margin;
	uint64_t sphere_tests, box_tests;
} traversal;

// May the volumes of two nodes be near each other?
static bool are_near( traversal *t, const dbvhi_node_pair *at, const dbvhi_node *a, const dbvhi_node *b ) {
	const dbvhi_vec sphere_b = dbvhi_add( dbvhi_mat_apply( &at->rot, b->sphere_inside ), at->pos );
	t->sphere_tests += 1;
	if ( dbvhi_spheres_disjoint( a->sphere_inside, a->radius, sphere_b, b->radius, t->margin ) )
		return false;
	t->box_tests += 1;
	return !dbvhi_boxes_disjoint_5( &at->rot, at->pos, a->half, b->half, t->margin );
}

static dbvhi_node_pair root_pair( const traversal *t ) {
	const dbvhi_node *a = dbvhi_any_root( t->fixed ), *b = dbvhi_any_root( t->moved );
	dbvhi_node_pair out = { .a = 0, .b = 0 };
	dbvhi_mat rot;
	dbvhi_vec pos;
	memcpy( rot.m, t->search->meshes.pose.rot, sizeof rot.m );
	memcpy( pos.v, t->search->meshes.pose.pos, sizeof pos.v );
	const dbvhi_mat turned = dbvhi_mat_mul_transposed( &a->rot, &rot );
	const dbvhi_vec offset = dbvhi_mat_apply_transposed( &a->rot, dbvhi_sub( pos, a->pos ) );
	out.rot = dbvhi_mat_mul( &turned, &b->rot );
	out.pos = dbvhi_add( dbvhi_mat_apply( &turned, b->pos ), offset );
	return out;
}

static dbvhi_node_pair step_fixed( const traversal *t, const dbvhi_node_pair *at, uint32_t child ) {
	dbvhi_node room;
	const dbvhi_node *a = dbvhi_any_child( t->fixed, at->a, child, &room );
	return ( dbvhi_node_pair ){ dbvhi_mat_mul_transposed( &a->rot, &at->rot ),
	                            dbvhi_mat_apply_transposed( &a->rot, dbvhi_sub( at->pos, a->pos ) ), child, at->b };
}

static dbvhi_node_pair step_moved( const traversal *t, const dbvhi_node_pair *at, uint32_t child ) {
	dbvhi_node room;
	const dbvhi_node *b = dbvhi_any_child( t->moved, at->b, child, &room );
	return ( dbvhi_node_pair ){ dbvhi_mat_mul( &at->rot, &b->rot ),
	                            dbvhi_add( dbvhi_mat_apply( &at->rot, b->pos ), at->pos ), at->a, child };
}

// Returns true if the search is over.
static bool test_leaves( traversal *t, const dbvhi_node *a, const dbvhi_node *b ) {
	for ( uint32_t i = a->first; i < a->first + a->count; ++i ) {
		for ( uint32_t j = b->first; j < b->first + b->count; ++j ) {
			if ( dbvhi_hit_collector_triangles( t->search, i, j ) )
				return true;
		}
	}
	return false;
}

static void traverse( traversal *t, dbvhi_node_pair *stack ) {
	size_t top = 0;
	stack[top++] = root_pair( t );
	while ( top > 0 ) {
		const dbvhi_node_pair at = stack[--top];
		dbvhi_node rooms[2];
		const dbvhi_node *a = dbvhi_any_node( t->fixed, at.a, &rooms[0] ),
		                 *b = dbvhi_any_node( t->moved, at.b, &rooms[1] );
		if ( !dbvhi_work_charge( &t->search->work, t->sphere_tests + t->box_tests, &t->search->counters ) )
			return;
		if ( !are_near( t, &at, a, b ) )
			continue;
		uint32_t in_a[DBVHI_WIDTH], in_b[DBVHI_WIDTH];
		const uint32_t count_a = dbvhi_any_children( t->fixed, at.a, in_a ),
		               count_b = dbvhi_any_children( t->moved, at.b, in_b );
		if ( count_a == 0 && count_b == 0 ) {
			if ( test_leaves( t, a, b ) )
				return;
			continue;
		}
		const bool divides_a = count_b == 0 || ( count_a > 0 && a->radius > b->radius );
		for ( uint32_t k = 0; k < ( divides_a ? count_a : count_b ); ++k )
			stack[top++] = divides_a ? step_fixed( t, &at, in_a[k] ) : step_moved( t, &at, in_b[k] );
	}
}

void dbvhi_traverse_any( dbvhi_hit_collector *search ) {
	const dbvhi_mesh_pair *meshes = &search->meshes;
	traversal t = { .search = search,
	                .fixed = meshes->fixed,
	                .moved = meshes->moved,
	                .margin = dbvhi_mesh_pair_margin( meshes ) +
	                          dbvhi_distance_margin( search->max_distance, meshes->deviation ) };
	traverse( &t, search->workspace->stack );
	search->counters.sphere_tests += t.sphere_tests;
	search->counters.box_tests += t.box_tests;
}
