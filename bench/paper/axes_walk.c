// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Looking at the pairs of boxes of a traversal from outside, so that the traversal itself need not slow down for it.

#include "math/pose.h"
#include "paper/axes.h"
#include "query/common/mesh_pair.h"
#include "reference/overlap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const axes_names[AXES] = { "a0",  "a1",  "a2",  "b0",  "b1",  "b2",  "c00", "c01",
                                       "c02", "c10", "c11", "c12", "c20", "c21", "c22" };

int axes_find( const char *name ) {
	for ( int i = 0; i < AXES; ++i )
		if ( strcmp( axes_names[i], name ) == 0 )
			return i;
	return -1;
}

uint32_t axes_separating( const dbvhi_mat *rot, dbvhi_vec pos, dbvhi_vec half_a, dbvhi_vec half_b, double margin ) {
	uint32_t mask = 0;
	for ( int i = 0; i < 3; ++i ) {
		mask |= (uint32_t)dbvhi_disjoint_on_a( rot, pos, half_a, half_b, margin, i ) << i;
		mask |= (uint32_t)dbvhi_disjoint_on_b( rot, pos, half_a, half_b, margin, i ) << ( 3 + i );
		for ( int j = 0; j < 3; ++j )
			mask |= (uint32_t)dbvhi_disjoint_on_c( rot, pos, half_a, half_b, margin, i, j ) << ( 6 + 3 * i + j );
	}
	return mask;
}

typedef struct place {
	dbvhi_mat rot; // box b seen from box a
	dbvhi_vec pos;
	uint32_t a, b;
} place;

typedef struct walk {
	const dbvhi_node *nodes_a, *nodes_b;
	double margin;
	axes_rule rule;
	axes_tally *tally;
} walk;

// Tell whether a pair of nodes whose spheres overlap must be descended, since no axis of the rule separates its boxes.
// Counts the separating axes.
static bool boxes_stay( const walk *w, const place *p ) {
	const uint32_t mask = axes_separating( &p->rot, p->pos, w->nodes_a[p->a].half, w->nodes_b[p->b].half, w->margin );
	w->tally->boxes += 1;
	w->tally->masks[mask] += 1;
	return ( mask & w->rule.mask ) == 0;
}

static bool spheres_apart( const walk *w, dbvhi_vec centre_a, double radius_a, dbvhi_vec centre_b, double radius_b ) {
	if ( !w->rule.spheres )
		return false;
	w->tally->spheres += 1;
	return dbvhi_spheres_disjoint( centre_a, radius_a, centre_b, radius_b, w->margin );
}

// Operation for operation what the library does, so that the counts are the same.
static bool step_moved( const walk *w, const place *at, uint32_t child, place *out ) {
	const dbvhi_node *a = &w->nodes_a[at->a], *b = &w->nodes_b[child];
	const dbvhi_vec sphere_b = dbvhi_add( dbvhi_mat_apply( &at->rot, b->sphere_outside ), at->pos );
	if ( spheres_apart( w, a->sphere_inside, a->radius, sphere_b, b->radius ) )
		return false;
	*out = ( place ){ dbvhi_mat_mul( &at->rot, &b->rot ), dbvhi_add( dbvhi_mat_apply( &at->rot, b->pos ), at->pos ),
	                  at->a, child };
	return boxes_stay( w, out );
}

static bool step_fixed( const walk *w, const place *at, uint32_t child, place *out ) {
	const dbvhi_node *a = &w->nodes_a[child], *b = &w->nodes_b[at->b];
	const dbvhi_vec sphere_b = dbvhi_add( dbvhi_mat_apply( &at->rot, b->sphere_inside ), at->pos );
	if ( spheres_apart( w, a->sphere_outside, a->radius, sphere_b, b->radius ) )
		return false;
	*out = ( place ){ dbvhi_mat_mul_transposed( &a->rot, &at->rot ),
	                  dbvhi_mat_apply_transposed( &a->rot, dbvhi_sub( at->pos, a->pos ) ), child, at->b };
	return boxes_stay( w, out );
}

static bool is_larger( const walk *w, const dbvhi_node *a, const dbvhi_node *b ) {
	return w->rule.spheres ? a->radius > b->radius : a->half.v[2] > b->half.v[2];
}

void axes_walk( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, axes_rule rule, axes_tally *tally ) {
	double deviation;
	if ( dbvh_pose_check( pose, &deviation, NULL ) != DBVH_OK ) {
		fputs( "dualbvh-bench: a pose is not rigid\n", stderr );
		exit( 2 );
	}
	const dbvhi_mesh_pair meshes_at = { .fixed = a, .moved = b, .pose = *pose, .deviation = deviation };
	const walk w = { a->nodes, b->nodes, dbvhi_mesh_pair_margin( &meshes_at ), rule, tally };
	place *stack = malloc( ( a->depth + b->depth + 2 ) * sizeof *stack );
	if ( stack == NULL ) {
		fputs( "dualbvh-bench: out of memory\n", stderr );
		exit( 2 );
	}
	place meshes = { .a = 0, .b = 0 };
	dbvhi_mat rot;
	dbvhi_vec pos;
	memcpy( rot.m, pose->rot, sizeof rot.m );
	memcpy( pos.v, pose->pos, sizeof pos.v );
	meshes.rot = dbvhi_mat_mul_transposed( &a->nodes[0].rot, &rot );
	meshes.pos = dbvhi_mat_apply_transposed( &a->nodes[0].rot, dbvhi_sub( pos, a->nodes[0].pos ) );
	size_t top = step_moved( &w, &meshes, 0, &stack[0] );
	while ( top > 0 ) {
		const place at = stack[--top];
		const dbvhi_node *node_a = &w.nodes_a[at.a], *node_b = &w.nodes_b[at.b];
		const bool leaf_a = dbvhi_node_is_leaf( node_a ), leaf_b = dbvhi_node_is_leaf( node_b );
		if ( leaf_a && leaf_b ) {
			tally->leaves += 1;
		} else if ( leaf_b || ( !leaf_a && is_larger( &w, node_a, node_b ) ) ) {
			top += step_fixed( &w, &at, node_a->first + 1, &stack[top] );
			top += step_fixed( &w, &at, node_a->first, &stack[top] );
		} else {
			top += step_moved( &w, &at, node_b->first + 1, &stack[top] );
			top += step_moved( &w, &at, node_b->first, &stack[top] );
		}
	}
	free( stack );
}
