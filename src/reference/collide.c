// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two reference trees, one body for every overlap policy.

#include "base/assert.h"
#include "bvh/ellipsoid_test.h"
#include "reference/reference.h"
#include "reference/steps.inl"
#include "reference/traversal.h"

#include <math.h>
#include <string.h>

// The pair of roots, as children of the two meshes' own frames: one step down in the fixed tree, which is not tested,
// then one in the moved tree.
DBVHI_INLINE bool start( dbvhi_traversal *t, dbvh_policy policy, dbvhi_node_pair *out ) {
	const dbvhi_node *a = &t->nodes_a[0];
	dbvhi_node_pair meshes;
	dbvhi_mat rot;
	dbvhi_vec pos;
	memcpy( rot.m, t->search->meshes.pose.rot, sizeof rot.m );
	memcpy( pos.v, t->search->meshes.pose.pos, sizeof pos.v );
	meshes.rot = dbvhi_mat_mul_transposed( &a->rot, &rot );
	meshes.pos = dbvhi_mat_apply_transposed( &a->rot, dbvhi_sub( pos, a->pos ) );
	meshes.a = 0;
	meshes.b = 0;
	return policy == DBVHI_DUAL_IN_RAPID ? step_moved_by_boxes( t, policy, &meshes, 0, out )
	                                     : step_moved( t, policy, &meshes, 0, out );
}

// Is there nothing below a pair of nodes with ellipsoids to compare? Nodes hold fewer triangles on the way down. The
// traversal without ellipsoids goes on from there.
DBVHI_INLINE bool is_below_ellipsoids( const dbvhi_traversal *t, const dbvhi_node_pair *at ) {
	const bool below_a = t->nodes_a[at->a].total < t->with_a.least, below_b = t->nodes_b[at->b].total < t->with_b.least;
	return t->mixed ? below_a && below_b : below_a || below_b;
}

static bool descend_without( dbvhi_traversal *t, const dbvhi_node_pair *root, dbvhi_node_pair *stack );

// Search below a pair of nodes, depth first. The first child that survives is gone on with at once, without a detour
// over the stack. Returns true if the search is over.
DBVHI_INLINE bool descend_from( dbvhi_traversal *t, dbvh_policy policy, const dbvhi_node_pair *root,
                                dbvhi_node_pair *stack ) {
	dbvhi_node_pair here = *root, next;
	dbvhi_node_pair *at = &here, *first = &next;
	size_t top = 0;
	for ( ;; ) {
		if ( policy == DBVH_POLICY_ELLIPSOID && is_below_ellipsoids( t, at ) ) {
			if ( descend_without( t, at, stack + top ) )
				return true;
			if ( top == 0 )
				return false;
			*at = stack[--top];
			continue;
		}
		const dbvhi_node *a = &t->nodes_a[at->a], *b = &t->nodes_b[at->b];
		const bool leaf_a = dbvhi_node_is_leaf( a ), leaf_b = dbvhi_node_is_leaf( b );
		bool descend = false;
		if ( leaf_a && leaf_b ) {
			if ( dbvhi_reference_leaves( t->search, a, b ) )
				return true;
		} else if ( leaf_b || ( !leaf_a && is_larger( policy, a, b ) ) ) {
			const dbvhi_vec sphere_b = dbvhi_add( dbvhi_mat_apply( &at->rot, b->sphere_inside ), at->pos );
			top += step_fixed( t, policy, at, sphere_b, a->first + 1, &stack[top] );
			descend = step_fixed( t, policy, at, sphere_b, a->first, first );
		} else {
			top += step_moved( t, policy, at, b->first + 1, &stack[top] );
			descend = step_moved( t, policy, at, b->first, first );
		}
		if ( descend ) {
			dbvhi_node_pair *done = at;
			at = first;
			first = done;
		} else {
			if ( top == 0 )
				return false;
			if ( !may_go_on( t ) )
				return true;
			*at = stack[--top];
		}
	}
}

// Search on without ellipsoids, below a pair of nodes that has none.
static bool descend_without( dbvhi_traversal *t, const dbvhi_node_pair *root, dbvhi_node_pair *stack ) {
	return descend_from( t, DBVH_POLICY_DUAL, root, stack );
}

#define DESCENT( name, policy )                                                                                        \
	static bool name( dbvhi_traversal *t, const dbvhi_node_pair *root ) {                                              \
		return descend_from( t, policy, root, t->search->workspace->stack );                                           \
	}
DESCENT( descend_dual, DBVH_POLICY_DUAL )
DESCENT( descend_dual_in_rapid, DBVHI_DUAL_IN_RAPID )
DESCENT( descend_rapid, DBVH_POLICY_RAPID )
DESCENT( descend_sat_lite, DBVH_POLICY_SAT_LITE )
DESCENT( descend_sphere, DBVH_POLICY_SPHERE )
DESCENT( descend_ellipsoid, DBVH_POLICY_ELLIPSOID )

static bool search_own_leaf( dbvhi_pair_search *s, const dbvhi_node *leaf ) {
	for ( uint32_t j = leaf->first; j < leaf->first + leaf->count; ++j ) {
		for ( uint32_t k = j + 1; k < leaf->first + leaf->count; ++k ) {
			if ( dbvhi_pair_search_triangles( s, j, k ) )
				return true;
		}
	}
	return false;
}

// Search one tree against itself. Two triangles of it are in one leaf, or below the two children of exactly one node.
static void traverse_self( dbvhi_traversal *t, dbvhi_manner how ) {
	const dbvh_tree *tree = t->search->meshes.fixed;
	for ( uint32_t i = 0; i < (uint32_t)tree->node_count; ++i ) {
		const dbvhi_node *node = &t->nodes_a[i];
		if ( !may_go_on( t ) )
			return;
		if ( dbvhi_node_is_leaf( node ) ) {
			if ( search_own_leaf( t->search, node ) )
				return;
			continue;
		}
		// Down to the second child on one side, then to the first on the other. What these steps separate is disjoint.
		const dbvhi_node_pair itself = { .rot = dbvhi_frame_mesh().axes, .a = i, .b = i };
		dbvhi_node_pair half, pair;
		if ( !step_moved( t, how.policy, &itself, node->first + 1, &half ) )
			continue;
		const dbvhi_vec sphere_b =
		    dbvhi_add( dbvhi_mat_apply( &half.rot, t->nodes_a[node->first + 1].sphere_inside ), half.pos );
		if ( step_fixed( t, how.policy, &half, sphere_b, node->first, &pair ) && how.descend( t, &pair ) )
			return;
	}
}

static bool compares_all( const dbvh_tree *tree, dbvh_policy policy ) {
	return policy == DBVH_POLICY_ELLIPSOID || tree->options.ellipsoids == DBVH_ELLIPSOIDS_ALL;
}

static dbvhi_carriers carriers_of( const dbvh_tree *tree, dbvh_policy policy ) {
	if ( tree->ellipsoids == NULL )
		return ( dbvhi_carriers ){ .least = UINT32_MAX };
	if ( compares_all( tree, policy ) )
		return ( dbvhi_carriers ){ .at = tree->ellipsoid_at };
	return ( dbvhi_carriers ){ tree->ellipsoid_at, tree->ellipsoid_wanted, tree->ellipsoid_least };
}

static dbvhi_traversal traversal_of( dbvhi_pair_search *search, dbvh_policy policy ) {
	const dbvh_tree *fixed = search->meshes.fixed, *moved = search->meshes.moved;
	const bool all = compares_all( fixed, policy ) || compares_all( moved, policy );
	DBVHI_ASSERT( search->max_distance >= 0.0 );
	return ( dbvhi_traversal ){
	    .search = search,
	    .nodes_a = dbvhi_tree_nodes( fixed ),
	    .nodes_b = dbvhi_tree_nodes( moved ),
	    .margin = dbvhi_mesh_pair_margin( &search->meshes ) +
	              dbvhi_distance_margin( search->max_distance, search->meshes.deviation ),
	    .with_a = carriers_of( fixed, policy ),
	    .with_b = carriers_of( moved, policy ),
	    .mixed = policy == DBVH_POLICY_MIXED,
	    .ellipsoid_budget = all ? UINT32_MAX : dbvhi_reference_costs.budget,
	};
}

void dbvhi_traversal_count( const dbvhi_traversal *t ) {
	dbvh_counters *c = &t->search->counters;
	c->sphere_tests += t->sphere_tests;
	c->box_tests += t->box_tests;
	c->ellipsoid_pair_tests += t->ellipsoid_pair_tests;
	c->ellipsoid_box_tests += t->ellipsoid_box_tests;
	c->ellipsoid_separated += t->ellipsoid_separated;
}

static bool has_some( const dbvh_tree *tree, dbvh_policy policy ) {
	return tree->ellipsoids != NULL && ( compares_all( tree, policy ) || tree->ellipsoid_chosen > 0 );
}

// Do the trees have ellipsoids that the policy compares?
static bool has_ellipsoids( const dbvhi_pair_search *s, dbvh_policy policy ) {
	const bool in_a = has_some( s->meshes.fixed, policy ), in_b = has_some( s->meshes.moved, policy );
	return policy == DBVH_POLICY_MIXED ? in_a || in_b : in_a && in_b;
}

static bool are_made_as_by_rapid( const dbvhi_pair_search *s ) {
	return s->meshes.fixed->options.box_fit == DBVH_BOX_FIT_RAPID &&
	       s->meshes.moved->options.box_fit == DBVH_BOX_FIT_RAPID;
}

// The traversal for a policy. DBVHI_DUAL_IN_RAPID is only for two meshes.
static dbvhi_manner manner_of( const dbvhi_pair_search *search, dbvh_policy policy ) {
	if ( !DBVHI_POLICIES )
		return ( dbvhi_manner ){ DBVH_POLICY_DUAL, descend_dual };
	switch ( policy ) {
	case DBVH_POLICY_RAPID:
		return ( dbvhi_manner ){ policy, descend_rapid };
	case DBVH_POLICY_SAT_LITE:
		return ( dbvhi_manner ){ policy, descend_sat_lite };
	case DBVH_POLICY_SPHERE:
		return ( dbvhi_manner ){ policy, descend_sphere };
	case DBVH_POLICY_ELLIPSOID:
	case DBVH_POLICY_MIXED:
		return has_ellipsoids( search, policy ) ? ( dbvhi_manner ){ DBVH_POLICY_ELLIPSOID, descend_ellipsoid }
		                                        : ( dbvhi_manner ){ DBVH_POLICY_DUAL, descend_dual };
	case DBVH_POLICY_DUAL:
		return !search->self && are_made_as_by_rapid( search )
		           ? ( dbvhi_manner ){ DBVHI_DUAL_IN_RAPID, descend_dual_in_rapid }
		           : ( dbvhi_manner ){ DBVH_POLICY_DUAL, descend_dual };
	default:
		return ( dbvhi_manner ){ DBVH_POLICY_DUAL, descend_dual };
	}
}

// ------------------------------------------------------------------------------------------------

// Are the meshes so far apart along an axis that products would overflow and separate nothing? Then they are also
// farther apart than `max_distance`, as no moved coordinate is larger than twice the largest one of the mesh.
static bool is_out_of_range( const dbvhi_pair_search *s ) {
	const dbvhi_mesh_pair *m = &s->meshes;
	const double least = 2.0 * ( m->fixed->largest + 2.0 * m->moved->largest + s->max_distance );
	for ( int k = 0; k < 3; ++k ) {
		if ( fabs( m->pose.pos[k] ) > DBVHI_PACKED_REACH / 4.0 && fabs( m->pose.pos[k] ) > least )
			return true;
	}
	return false;
}

static void traverse_policy( dbvhi_pair_search *search, dbvh_policy policy, uint32_t thread_count ) {
	const dbvhi_manner how = manner_of( search, policy );
	dbvhi_traversal t = traversal_of( search, policy );
	dbvhi_node_pair root;
	if ( start( &t, how.policy, &root ) ) {
		if ( thread_count > 1 )
			dbvhi_traversal_run_parallel( &t, how, &root, thread_count );
		else
			how.descend( &t, &root );
	}
	dbvhi_traversal_count( &t );
}

void dbvhi_reference_collide( dbvhi_pair_search *search, dbvh_policy policy, uint32_t thread_count ) {
	if ( is_out_of_range( search ) )
		search->counters.box_tests = 1;
	else if ( dbvhi_tree_has_reference( search->meshes.fixed ) && dbvhi_tree_has_reference( search->meshes.moved ) )
		traverse_policy( search, policy, thread_count );
	else
		dbvhi_any_collide( search );
}

void dbvhi_reference_self_collide( dbvhi_pair_search *search, dbvh_policy policy ) {
	DBVHI_ASSERT( search->self );
	dbvhi_traversal t = traversal_of( search, policy );
	traverse_self( &t, manner_of( search, policy ) );
	dbvhi_traversal_count( &t );
}
