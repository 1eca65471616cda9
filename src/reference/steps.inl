// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Steps down in a pair of reference trees: inline, so that each policy is compiled on its own.

#pragma once

#include "base/assert.h"
#include "base/inline.h"
#include "bvh/tree.h"
#include "query/common/work.h"
#include "reference/overlap.h"
#include "reference/traversal.h"

// Nodes are compared in stages, so that a stage that separates them saves the work of the next: first the spheres,
// whose centre costs one product of a matrix and a vector, then axis a0, which needs one row of the relative pose, then
// the axes that need all of it.
DBVHI_INLINE bool uses_spheres( dbvh_policy policy ) {
	return policy == DBVH_POLICY_DUAL || policy == DBVH_POLICY_SPHERE || policy == DBVH_POLICY_ELLIPSOID ||
	       policy == DBVHI_DUAL_IN_RAPID;
}

// Axis a0 is worth a branch of its own, before the rest of the pose is computed, only in policies that leave at the
// first axis that separates.
DBVHI_INLINE bool tries_a0_first( dbvh_policy policy ) {
	return policy == DBVH_POLICY_RAPID || policy == DBVH_POLICY_SAT_LITE;
}

DBVHI_INLINE bool has_ellipsoid( const dbvhi_carriers *with, uint32_t node ) {
	return with->at != NULL &&
	       ( with->wanted != NULL ? with->wanted[node / 64] >> node % 64 & 1 : with->at[node] != DBVHI_NO_ELLIPSOID );
}

// Last stage, for nodes whose boxes overlap.
DBVHI_INLINE bool separated_by_ellipsoids( dbvhi_traversal *t, const dbvhi_node_pair *pair, uint32_t a, uint32_t b ) {
	const bool by_a = has_ellipsoid( &t->with_a, a ), by_b = has_ellipsoid( &t->with_b, b );
	return ( t->mixed ? by_a || by_b : by_a && by_b ) &&
	       dbvhi_traversal_compare_ellipsoids( t, pair, a, b, by_a, by_b );
}

DBVHI_INLINE bool boxes_apart( dbvhi_traversal *t, dbvh_policy policy, const dbvhi_node_pair *pair, const dbvhi_node *a,
                               const dbvhi_node *b ) {
	switch ( policy ) {
	case DBVH_POLICY_RAPID:
		return dbvhi_boxes_disjoint_15_after_a0( &pair->rot, pair->pos, a->half, b->half, t->margin );
	case DBVH_POLICY_SAT_LITE:
		return dbvhi_boxes_disjoint_6_after_a0( &pair->rot, pair->pos, a->half, b->half, t->margin );
	case DBVH_POLICY_SPHERE:
		return false;
	default:
		t->box_tests += 1;
		return dbvhi_boxes_disjoint_5( &pair->rot, pair->pos, a->half, b->half, t->margin );
	}
}

DBVHI_INLINE bool spheres_apart( dbvhi_traversal *t, dbvhi_vec centre_a, double radius_a, dbvhi_vec centre_b,
                                 double radius_b ) {
	t->sphere_tests += 1;
	return dbvhi_spheres_disjoint( centre_a, radius_a, centre_b, radius_b, t->margin );
}

// Compute row i of the pose of `child`, a child of at->b, seen from a.
DBVHI_INLINE void row_moved( const dbvhi_node_pair *at, const dbvhi_node *child, int i, dbvhi_node_pair *out ) {
	for ( int j = 0; j < 3; ++j )
		out->rot.m[i][j] = at->rot.m[i][0] * child->rot.m[0][j] + at->rot.m[i][1] * child->rot.m[1][j] +
		                   at->rot.m[i][2] * child->rot.m[2][j];
	out->pos.v[i] = at->rot.m[i][0] * child->pos.v[0] + at->rot.m[i][1] * child->pos.v[1] +
	                at->rot.m[i][2] * child->pos.v[2] + at->pos.v[i];
}

// One step down in the moved tree after the test of spheres: box `child` of b against a. Fills *out and returns true if
// they may overlap.
DBVHI_INLINE bool step_moved_by_boxes( dbvhi_traversal *t, dbvh_policy policy, const dbvhi_node_pair *at,
                                       uint32_t child, dbvhi_node_pair *out ) {
	DBVHI_ASSERT( child < t->search->meshes.moved->node_count );
	const dbvhi_node *a = &t->nodes_a[at->a], *b = &t->nodes_b[child];
	row_moved( at, b, 0, out );
	if ( tries_a0_first( policy ) ) {
		t->box_tests += 1;
		if ( dbvhi_disjoint_on_a( &out->rot, out->pos, a->half, b->half, t->margin, 0 ) )
			return false;
	}
	row_moved( at, b, 1, out );
	row_moved( at, b, 2, out );
	if ( boxes_apart( t, policy, out, a, b ) )
		return false;
	if ( policy == DBVH_POLICY_ELLIPSOID && separated_by_ellipsoids( t, out, at->a, child ) )
		return false;
	out->a = at->a;
	out->b = child;
	return true;
}

// One step down in the moved tree: sphere and box `child` of b against a. Fills *out and returns true if they may
// overlap.
DBVHI_INLINE bool step_moved( dbvhi_traversal *t, dbvh_policy policy, const dbvhi_node_pair *at, uint32_t child,
                              dbvhi_node_pair *out ) {
	DBVHI_ASSERT( child < t->search->meshes.moved->node_count );
	const dbvhi_node *a = &t->nodes_a[at->a], *b = &t->nodes_b[child];
	if ( uses_spheres( policy ) ) {
		const dbvhi_vec sphere_b = dbvhi_add( dbvhi_mat_apply( &at->rot, b->sphere_outside ), at->pos );
		if ( spheres_apart( t, a->sphere_inside, a->radius, sphere_b, b->radius ) )
			return false;
	}
	return step_moved_by_boxes( t, policy, at, child, out );
}

// Compute row i of the pose of b seen from `child`, a child of at->a.
DBVHI_INLINE void row_fixed( const dbvhi_node_pair *at, const dbvhi_node *child, int i, dbvhi_node_pair *out ) {
	for ( int j = 0; j < 3; ++j )
		out->rot.m[i][j] = child->rot.m[0][i] * at->rot.m[0][j] + child->rot.m[1][i] * at->rot.m[1][j] +
		                   child->rot.m[2][i] * at->rot.m[2][j];
	out->pos.v[i] = child->rot.m[0][i] * ( at->pos.v[0] - child->pos.v[0] ) +
	                child->rot.m[1][i] * ( at->pos.v[1] - child->pos.v[1] ) +
	                child->rot.m[2][i] * ( at->pos.v[2] - child->pos.v[2] );
}

// One step down in the fixed tree: box `child` of a against b, with the frame of `child` as the new frame. The centre
// of b's sphere in the frame of a serves both children.
DBVHI_INLINE bool step_fixed( dbvhi_traversal *t, dbvh_policy policy, const dbvhi_node_pair *at, dbvhi_vec sphere_b,
                              uint32_t child, dbvhi_node_pair *out ) {
	DBVHI_ASSERT( child < t->search->meshes.fixed->node_count );
	const dbvhi_node *a = &t->nodes_a[child], *b = &t->nodes_b[at->b];
	if ( uses_spheres( policy ) && spheres_apart( t, a->sphere_outside, a->radius, sphere_b, b->radius ) )
		return false;
	row_fixed( at, a, 0, out );
	if ( tries_a0_first( policy ) ) {
		t->box_tests += 1;
		if ( dbvhi_disjoint_on_a( &out->rot, out->pos, a->half, b->half, t->margin, 0 ) )
			return false;
	}
	row_fixed( at, a, 1, out );
	row_fixed( at, a, 2, out );
	if ( boxes_apart( t, policy, out, a, b ) )
		return false;
	if ( policy == DBVH_POLICY_ELLIPSOID && separated_by_ellipsoids( t, out, child, at->b ) )
		return false;
	out->a = child;
	out->b = at->b;
	return true;
}

// Is a the node to divide, the larger one by the measure that the policy has at hand?
DBVHI_INLINE bool is_larger( dbvh_policy policy, const dbvhi_node *a, const dbvhi_node *b ) {
	return uses_spheres( policy ) && policy != DBVHI_DUAL_IN_RAPID ? a->radius > b->radius
	                                                               : a->half.v[2] > b->half.v[2];
}

// False if the budget is spent.
static inline bool may_go_on( dbvhi_traversal *t ) {
	return dbvhi_work_charge( &t->search->work, t->sphere_tests + t->box_tests, &t->search->counters );
}
