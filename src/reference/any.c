// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "bvh/any_node.h"
#include "reference/overlap.h"
#include "reference/traversal.h"

#include <string.h>

dbvhi_node_pair dbvhi_any_pair_of_roots( const dbvhi_mesh_pair *meshes ) {
	const dbvhi_node *a = dbvhi_any_root( meshes->fixed ), *b = dbvhi_any_root( meshes->moved );
	dbvhi_node_pair out = { .a = 0, .b = 0 };
	dbvhi_mat rot;
	dbvhi_vec pos;
	memcpy( rot.m, meshes->pose.rot, sizeof rot.m );
	memcpy( pos.v, meshes->pose.pos, sizeof pos.v );
	const dbvhi_mat turned = dbvhi_mat_mul_transposed( &a->rot, &rot );
	const dbvhi_vec offset = dbvhi_mat_apply_transposed( &a->rot, dbvhi_sub( pos, a->pos ) );
	out.rot = dbvhi_mat_mul( &turned, &b->rot );
	out.pos = dbvhi_add( dbvhi_mat_apply( &turned, b->pos ), offset );
	return out;
}

// The pair of b and a child of a's node.
static dbvhi_node_pair below_a( const dbvhi_mesh_pair *meshes, const dbvhi_node_pair *at, uint32_t child ) {
	dbvhi_node room;
	const dbvhi_node *a = dbvhi_any_child( meshes->fixed, at->a, child, &room );
	return ( dbvhi_node_pair ){ dbvhi_mat_mul_transposed( &a->rot, &at->rot ),
	                            dbvhi_mat_apply_transposed( &a->rot, dbvhi_sub( at->pos, a->pos ) ), child, at->b };
}

// The pair of a and a child of b's node.
static dbvhi_node_pair below_b( const dbvhi_mesh_pair *meshes, const dbvhi_node_pair *at, uint32_t child ) {
	dbvhi_node room;
	const dbvhi_node *b = dbvhi_any_child( meshes->moved, at->b, child, &room );
	return ( dbvhi_node_pair ){ dbvhi_mat_mul( &at->rot, &b->rot ),
	                            dbvhi_add( dbvhi_mat_apply( &at->rot, b->pos ), at->pos ), at->a, child };
}

uint32_t dbvhi_any_pair_divide( const dbvhi_mesh_pair *meshes, const dbvhi_node_pair *at, const dbvhi_node *a,
                                const dbvhi_node *b, dbvhi_node_pair out[DBVHI_WIDTH] ) {
	const dbvhi_node_pair pair = *at;
	uint32_t in_a[DBVHI_WIDTH], in_b[DBVHI_WIDTH];
	const uint32_t count_a = dbvhi_any_children( meshes->fixed, pair.a, in_a ),
	               count_b = dbvhi_any_children( meshes->moved, pair.b, in_b );
	const bool divides_a = count_a > 0 && ( count_b == 0 || a->radius > b->radius );
	const uint32_t count = divides_a ? count_a : count_b;
	for ( uint32_t k = 0; k < count; ++k )
		out[k] = divides_a ? below_a( meshes, &pair, in_a[k] ) : below_b( meshes, &pair, in_b[k] );
	return count;
}

bool dbvhi_reference_leaves( dbvhi_pair_search *search, const dbvhi_node *a, const dbvhi_node *b ) {
	DBVHI_ASSERT( dbvhi_node_is_leaf( a ) && dbvhi_node_is_leaf( b ) );
	for ( uint32_t i = a->first; i < a->first + a->count; ++i ) {
		for ( uint32_t j = b->first; j < b->first + b->count; ++j ) {
			if ( dbvhi_pair_search_triangles( search, i, j ) )
				return true;
		}
	}
	return false;
}

void dbvhi_any_collide( dbvhi_pair_search *search ) {
	const dbvhi_mesh_pair *meshes = &search->meshes;
	const double margin =
	    dbvhi_mesh_pair_margin( meshes ) + dbvhi_distance_margin( search->max_distance, meshes->deviation );
	dbvh_counters *c = &search->counters;
	dbvhi_node_pair *stack = search->workspace->stack;
	const uint64_t before = c->sphere_tests + c->box_tests;
	size_t top = 0;
	stack[top++] = dbvhi_any_pair_of_roots( meshes );
	while ( top > 0 ) {
		const dbvhi_node_pair at = stack[--top];
		dbvhi_node rooms[2];
		const dbvhi_node *a = dbvhi_any_node( meshes->fixed, at.a, &rooms[0] ),
		                 *b = dbvhi_any_node( meshes->moved, at.b, &rooms[1] );
		if ( !dbvhi_work_charge( &search->work, c->sphere_tests + c->box_tests - before, c ) )
			return;
		const dbvhi_vec sphere_b = dbvhi_add( dbvhi_mat_apply( &at.rot, b->sphere_inside ), at.pos );
		c->sphere_tests += 1;
		if ( dbvhi_spheres_disjoint( a->sphere_inside, a->radius, sphere_b, b->radius, margin ) )
			continue;
		c->box_tests += 1;
		if ( dbvhi_boxes_disjoint_5( &at.rot, at.pos, a->half, b->half, margin ) )
			continue;
		const uint32_t count = dbvhi_any_pair_divide( meshes, &at, a, b, stack + top );
		if ( count == 0 && dbvhi_reference_leaves( search, a, b ) )
			return;
		top += count;
	}
}
