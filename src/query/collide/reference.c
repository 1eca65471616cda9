// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two reference trees, one body for every overlap policy.

#include "base/assert.h"
#include "base/inline.h"
#include "bvh/ellipsoid/ellipsoid_test.h"
#include "query/collide/collide.h"
#include "query/collide/overlap.h"
#include "query/common/pieces.h"

#include <math.h>
#include <string.h>

// The ellipsoids of a tree's nodes that are to be compared.
typedef struct carriers {
	const uint32_t *at;     // index of each node's ellipsoid, or DBVHI_NO_ELLIPSOID; NULL: no node has one
	const uint64_t *wanted; // a bit a node: compare its ellipsoid; NULL: all are compared
	uint32_t least;         // fewest triangles of a node that has one
} carriers;

typedef struct traversal {
	dbvhi_hit_collector *search;
	const dbvhi_node *nodes_a, *nodes_b; // a is the mesh that stays, b the one that is moved
	double margin;
	uint64_t sphere_tests, box_tests, ellipsoid_pair_tests, ellipsoid_box_tests, ellipsoid_separated;
	carriers with_a, with_b;
	bool mixed;                // an ellipsoid is also compared with a box
	uint32_t ellipsoid_budget; // how many comparisons may still separate nothing
} traversal;

// Returns true if the search is over.
static bool test_leaves( traversal *t, const dbvhi_node *a, const dbvhi_node *b ) {
	DBVHI_ASSERT( dbvhi_node_is_leaf( a ) && dbvhi_node_is_leaf( b ) );
	for ( uint32_t i = a->first; i < a->first + a->count; ++i ) {
		for ( uint32_t j = b->first; j < b->first + b->count; ++j ) {
			if ( dbvhi_hit_collector_triangles( t->search, i, j ) )
				return true;
		}
	}
	return false;
}

// DBVH_POLICY_DUAL on trees built as by RAPID, in the form in which counts say that it was built into that program
// (docs/experiments/paper.md): the spheres of the roots are not compared, and the node to divide is the one that is
// longer along its axis 2. No policy that a query could ask for.
#define DUAL_IN_RAPID ( (dbvh_policy)0x100 )

// Nodes are compared in stages, so that a stage that separates them saves the work of the next: first the spheres,
// whose centre costs one product of a matrix and a vector, then axis a0, which needs one row of the relative pose, then
// the axes that need all of it.
DBVHI_INLINE bool uses_spheres( dbvh_policy policy ) {
	return policy == DBVH_POLICY_DUAL || policy == DBVH_POLICY_SPHERE || policy == DBVH_POLICY_ELLIPSOID ||
	       policy == DUAL_IN_RAPID;
}

// Axis a0 is worth a branch of its own, before the rest of the pose is computed, only in policies that leave at the
// first axis that separates.
DBVHI_INLINE bool tries_a0_first( dbvh_policy policy ) {
	return policy == DBVH_POLICY_RAPID || policy == DBVH_POLICY_SAT_LITE;
}

DBVHI_INLINE bool has_ellipsoid( const carriers *with, uint32_t node ) {
	return with->at != NULL &&
	       ( with->wanted != NULL ? with->wanted[node / 64] >> node % 64 & 1 : with->at[node] != DBVHI_NO_ELLIPSOID );
}

static const dbvhi_reach *ellipsoid_of( const dbvh_tree *tree, uint32_t node ) {
	DBVHI_ASSERT( tree->ellipsoid_at[node] != DBVHI_NO_ELLIPSOID );
	return &tree->ellipsoids[tree->ellipsoid_at[node]].reach;
}

// Compare both ellipsoids, or the one that there is with the other node's box, in the frame of a's box.
static bool are_disjoint( traversal *t, const dbvhi_node_pair *pair, uint32_t a, uint32_t b, bool by_a, bool by_b ) {
	const dbvh_tree *fixed = t->search->meshes.fixed, *moved = t->search->meshes.moved;
	if ( by_a && by_b ) {
		t->ellipsoid_pair_tests += 1;
		return dbvhi_ellipsoids_disjoint( ellipsoid_of( fixed, a ), ellipsoid_of( moved, b ), &pair->rot, pair->pos,
		                                  t->margin );
	}
	t->ellipsoid_box_tests += 1;
	if ( by_a ) {
		const dbvhi_placed_box box = { pair->pos, pair->rot, t->nodes_b[b].half };
		return dbvhi_ellipsoid_box_disjoint( ellipsoid_of( fixed, a ), &box, t->margin );
	}
	const dbvhi_placed_box box = { .axes = dbvhi_frame_mesh().axes, .half = t->nodes_a[a].half };
	const dbvhi_reach reach = dbvhi_reach_place( ellipsoid_of( moved, b ), &pair->rot, pair->pos );
	return dbvhi_ellipsoid_box_disjoint( &reach, &box, t->margin );
}

static bool compare_ellipsoids( traversal *t, const dbvhi_node_pair *pair, uint32_t a, uint32_t b, bool by_a,
                                bool by_b ) {
	if ( are_disjoint( t, pair, a, b, by_a, by_b ) ) {
		t->ellipsoid_separated += 1;
		return true;
	}
	// A query whose ellipsoids separate nothing stops comparing them.
	if ( --t->ellipsoid_budget == 0 )
		t->with_a.least = t->with_b.least = UINT32_MAX;
	return false;
}

// Last stage, for nodes whose boxes overlap.
DBVHI_INLINE bool separated_by_ellipsoids( traversal *t, const dbvhi_node_pair *pair, uint32_t a, uint32_t b ) {
	const bool by_a = has_ellipsoid( &t->with_a, a ), by_b = has_ellipsoid( &t->with_b, b );
	return ( t->mixed ? by_a || by_b : by_a && by_b ) && compare_ellipsoids( t, pair, a, b, by_a, by_b );
}

DBVHI_INLINE bool boxes_apart( traversal *t, dbvh_policy policy, const dbvhi_node_pair *pair, const dbvhi_node *a,
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

DBVHI_INLINE bool spheres_apart( traversal *t, dbvhi_vec centre_a, double radius_a, dbvhi_vec centre_b,
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
DBVHI_INLINE bool step_moved_by_boxes( traversal *t, dbvh_policy policy, const dbvhi_node_pair *at, uint32_t child,
                                       dbvhi_node_pair *out ) {
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
DBVHI_INLINE bool step_moved( traversal *t, dbvh_policy policy, const dbvhi_node_pair *at, uint32_t child,
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
DBVHI_INLINE bool step_fixed( traversal *t, dbvh_policy policy, const dbvhi_node_pair *at, dbvhi_vec sphere_b,
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

// The pair of roots, as children of the two meshes' own frames: one step down in the fixed tree, which is not tested,
// then one in the moved tree.
DBVHI_INLINE bool start( traversal *t, dbvh_policy policy, dbvhi_node_pair *out ) {
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
	return policy == DUAL_IN_RAPID ? step_moved_by_boxes( t, policy, &meshes, 0, out )
	                               : step_moved( t, policy, &meshes, 0, out );
}

// Is a the node to divide, the larger one by the measure that the policy has at hand?
DBVHI_INLINE bool is_larger( dbvh_policy policy, const dbvhi_node *a, const dbvhi_node *b ) {
	return uses_spheres( policy ) && policy != DUAL_IN_RAPID ? a->radius > b->radius : a->half.v[2] > b->half.v[2];
}

// Is there nothing below a pair of nodes with ellipsoids to compare? Nodes hold fewer triangles on the way down. The
// traversal without ellipsoids goes on from there.
DBVHI_INLINE bool is_below_ellipsoids( const traversal *t, const dbvhi_node_pair *at ) {
	const bool below_a = t->nodes_a[at->a].total < t->with_a.least, below_b = t->nodes_b[at->b].total < t->with_b.least;
	return t->mixed ? below_a && below_b : below_a || below_b;
}

static bool descend_without( traversal *t, const dbvhi_node_pair *root, dbvhi_node_pair *stack );

// False if the budget is spent.
static inline bool may_go_on( traversal *t ) {
	return dbvhi_work_charge( &t->search->work, t->sphere_tests + t->box_tests, &t->search->counters );
}

// Search below a pair of nodes, depth first. The first child that survives is gone on with at once, without a detour
// over the stack. Returns true if the search is over.
DBVHI_INLINE bool descend_from( traversal *t, dbvh_policy policy, const dbvhi_node_pair *root,
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
			if ( test_leaves( t, a, b ) )
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

DBVHI_INLINE bool traverse_from( traversal *t, dbvh_policy policy, const dbvhi_node_pair *root ) {
	return descend_from( t, policy, root, t->search->workspace->stack );
}

// Search on without ellipsoids, below a pair of nodes that has none.
static bool descend_without( traversal *t, const dbvhi_node_pair *root, dbvhi_node_pair *stack ) {
	return descend_from( t, DBVH_POLICY_DUAL, root, stack );
}

// Search one tree against itself. Two triangles of it are in one leaf, or below the two children of exactly one node.
DBVHI_INLINE void traverse_self( traversal *t, dbvh_policy policy ) {
	const dbvh_tree *tree = t->search->meshes.fixed;
	for ( uint32_t i = 0; i < (uint32_t)tree->node_count; ++i ) {
		const dbvhi_node *node = &dbvhi_tree_nodes( tree )[i];
		if ( !may_go_on( t ) )
			return;
		if ( dbvhi_node_is_leaf( node ) ) {
			for ( uint32_t j = node->first; j < node->first + node->count; ++j ) {
				for ( uint32_t k = j + 1; k < node->first + node->count; ++k ) {
					if ( dbvhi_hit_collector_triangles( t->search, j, k ) )
						return;
				}
			}
			continue;
		}
		// Down to the second child on one side, then to the first on the other. What these steps separate is disjoint.
		const dbvhi_node_pair itself = { .rot = dbvhi_frame_mesh().axes, .a = i, .b = i };
		dbvhi_node_pair half, pair;
		if ( !step_moved( t, policy, &itself, node->first + 1, &half ) )
			continue;
		const dbvhi_vec sphere_b = dbvhi_add(
		    dbvhi_mat_apply( &half.rot, dbvhi_tree_nodes( tree )[node->first + 1].sphere_inside ), half.pos );
		if ( step_fixed( t, policy, &half, sphere_b, node->first, &pair ) && traverse_from( t, policy, &pair ) )
			return;
	}
}

// A traversal from a pair of nodes on; true if the search is over. One function a policy, so that each is compiled for
// it.
typedef bool descent( traversal *t, const dbvhi_node_pair *root );

static bool descend_dual( traversal *t, const dbvhi_node_pair *root ) {
	return traverse_from( t, DBVH_POLICY_DUAL, root );
}

static bool descend_dual_in_rapid( traversal *t, const dbvhi_node_pair *root ) {
	return traverse_from( t, DUAL_IN_RAPID, root );
}

static bool descend_rapid( traversal *t, const dbvhi_node_pair *root ) {
	return traverse_from( t, DBVH_POLICY_RAPID, root );
}

static bool descend_sat_lite( traversal *t, const dbvhi_node_pair *root ) {
	return traverse_from( t, DBVH_POLICY_SAT_LITE, root );
}

static bool descend_sphere( traversal *t, const dbvhi_node_pair *root ) {
	return traverse_from( t, DBVH_POLICY_SPHERE, root );
}

static bool descend_ellipsoid( traversal *t, const dbvhi_node_pair *root ) {
	return traverse_from( t, DBVH_POLICY_ELLIPSOID, root );
}

static void traverse_self_ellipsoid( traversal *t ) {
	traverse_self( t, DBVH_POLICY_ELLIPSOID );
}

static void traverse_self_dual( traversal *t ) {
	traverse_self( t, DBVH_POLICY_DUAL );
}

static void traverse_self_rapid( traversal *t ) {
	traverse_self( t, DBVH_POLICY_RAPID );
}

static void traverse_self_sat_lite( traversal *t ) {
	traverse_self( t, DBVH_POLICY_SAT_LITE );
}

static void traverse_self_sphere( traversal *t ) {
	traverse_self( t, DBVH_POLICY_SPHERE );
}

static bool compares_all( const dbvh_tree *tree, dbvh_policy policy ) {
	return policy == DBVH_POLICY_ELLIPSOID || tree->options.ellipsoids == DBVH_ELLIPSOIDS_ALL;
}

static carriers carriers_of( const dbvh_tree *tree, dbvh_policy policy ) {
	if ( tree->ellipsoids == NULL )
		return ( carriers ){ .least = UINT32_MAX };
	if ( compares_all( tree, policy ) )
		return ( carriers ){ .at = tree->ellipsoid_at };
	return ( carriers ){ tree->ellipsoid_at, tree->ellipsoid_wanted, tree->ellipsoid_least };
}

static traversal traversal_of( dbvhi_hit_collector *search, dbvh_policy policy ) {
	const dbvh_tree *fixed = search->meshes.fixed, *moved = search->meshes.moved;
	const bool all = compares_all( fixed, policy ) || compares_all( moved, policy );
	DBVHI_ASSERT( search->max_distance >= 0.0 );
	return ( traversal ){
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

static void count( const traversal *t ) {
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
static bool has_ellipsoids( const dbvhi_hit_collector *s, dbvh_policy policy ) {
	const bool in_a = has_some( s->meshes.fixed, policy ), in_b = has_some( s->meshes.moved, policy );
	return policy == DBVH_POLICY_MIXED ? in_a || in_b : in_a && in_b;
}

static bool are_made_as_by_rapid( const dbvhi_hit_collector *s ) {
	return s->meshes.fixed->options.box_fit == DBVH_BOX_FIT_RAPID &&
	       s->meshes.moved->options.box_fit == DBVH_BOX_FIT_RAPID;
}

// The traversal that carries out a policy on two trees.
typedef struct manner {
	dbvh_policy policy; // by which nodes are compared
	descent *descend;
} manner;

static manner manner_of( const dbvhi_hit_collector *search, dbvh_policy policy ) {
	switch ( policy ) {
	case DBVH_POLICY_RAPID:
		return ( manner ){ policy, descend_rapid };
	case DBVH_POLICY_SAT_LITE:
		return ( manner ){ policy, descend_sat_lite };
	case DBVH_POLICY_SPHERE:
		return ( manner ){ policy, descend_sphere };
	case DBVH_POLICY_ELLIPSOID:
	case DBVH_POLICY_MIXED:
		return has_ellipsoids( search, policy ) ? ( manner ){ DBVH_POLICY_ELLIPSOID, descend_ellipsoid }
		                                        : ( manner ){ DBVH_POLICY_DUAL, descend_dual };
	case DBVH_POLICY_DUAL:
		return are_made_as_by_rapid( search ) ? ( manner ){ DUAL_IN_RAPID, descend_dual_in_rapid }
		                                      : ( manner ){ DBVH_POLICY_DUAL, descend_dual };
	default:
		return ( manner ){ DBVH_POLICY_DUAL, descend_dual };
	}
}

// ------------------------------------------------------------------------------------------------
// A search on several threads, as in collide/parallel.c: the calling thread divides the pair of roots breadth first,
// searches the pairs that wait, and hands out the rest once that looks heavy. Nothing depends on the number of threads.

// Steps of division, each of which takes one pair and adds at most two. The first ones make pairs that the calling
// thread may search to their end before it knows how heavy the rest is: with 16 steps in place of 64 the first pair was
// 63 % of all work for two concentric spheres. Division does tests that the search would do, so a light query pays next
// to nothing.
enum { FIRST_STEPS = 64, HANDED_STEPS = 240, MOST_WAITING = FIRST_STEPS + HANDED_STEPS + 2 };

// Work, in tests of volumes, that must be done before the rest is estimated, and that the rest must be expected to
// need: waking threads costs some ten microseconds.
#define WORK_BEFORE 2048
#define WORK_LEFT 16384

typedef struct waiting_pairs {
	dbvhi_node_pair pairs[2 * MOST_WAITING];
} waiting_pairs;

static const dbvhi_slot_kind waiting_kind = { .size = sizeof( waiting_pairs ) };

typedef struct division {
	traversal *t;
	manner how;
	waiting_pairs *waiting;
	uint32_t begin, end;
	dbvhi_pieces pieces;
} division;

dbvh_status dbvhi_workspace_require_reference_parallel( dbvh_workspace *workspace, const dbvh_tree *a,
                                                        const dbvh_tree *b, size_t pair_capacity,
                                                        uint32_t thread_count ) {
	DBVHI_ASSERT( thread_count > 1 );
	if ( dbvhi_workspace_slot( workspace, &waiting_kind ) == NULL )
		return DBVH_OUT_OF_MEMORY;
	return dbvhi_workspace_require_pieces( workspace, a, b, pair_capacity, thread_count );
}

// Replace the first pairs by their children. Returns true if the search is over.
static bool divide( division *d, uint32_t steps ) {
	traversal *t = d->t;
	for ( uint32_t step = 0; step < steps && d->begin < d->end; ++step ) {
		const dbvhi_node_pair at = d->waiting->pairs[d->begin++];
		const dbvhi_node *a = &t->nodes_a[at.a], *b = &t->nodes_b[at.b];
		const bool leaf_a = dbvhi_node_is_leaf( a ), leaf_b = dbvhi_node_is_leaf( b );
		if ( leaf_a && leaf_b ) {
			if ( test_leaves( t, a, b ) )
				return true;
			continue;
		}
		const bool fixed = leaf_b || ( !leaf_a && is_larger( d->how.policy, a, b ) );
		const dbvhi_vec sphere_b = dbvhi_add( dbvhi_mat_apply( &at.rot, b->sphere_inside ), at.pos );
		for ( uint32_t child = 0; child < 2; ++child ) {
			DBVHI_ASSERT( d->end < 2 * MOST_WAITING );
			dbvhi_node_pair *out = &d->waiting->pairs[d->end];
			d->end += fixed ? step_fixed( t, d->how.policy, &at, sphere_b, a->first + child, out )
			                : step_moved( t, d->how.policy, &at, b->first + child, out );
		}
	}
	return false;
}

// Search the waiting pairs as long as the rest does not look heavy. Returns true if the search is over.
static bool start_alone( division *d ) {
	traversal *t = d->t;
	for ( uint64_t done = 0; d->begin < d->end; ++done ) {
		const dbvh_counters *c = &t->search->counters;
		const uint64_t work = t->sphere_tests + t->box_tests + 4 * c->triangle_tests + 64 * c->exact_tests;
		if ( work >= WORK_BEFORE && work * ( d->end - d->begin ) >= WORK_LEFT * done )
			return false;
		if ( d->how.descend( t, &d->waiting->pairs[d->begin++] ) || !may_go_on( t ) )
			return true;
	}
	return false;
}

static void one_piece( void *context, size_t piece, uint32_t thread ) {
	division *d = context;
	if ( dbvhi_piece_is_idle( &d->pieces, piece ) )
		return;
	dbvhi_meter own;
	dbvhi_hit_collector search = dbvhi_piece_start( &d->pieces, thread, &own );
	traversal t = *d->t;
	t.search = &search;
	t.sphere_tests = t.box_tests = t.ellipsoid_pair_tests = t.ellipsoid_box_tests = t.ellipsoid_separated = 0;
	const bool over = d->how.descend( &t, &d->waiting->pairs[d->begin + piece] );
	count( &t );
	dbvhi_piece_finish( &d->pieces, piece, &search, over );
}

static void descend_in_pieces( traversal *t, manner how, const dbvhi_node_pair *root, uint32_t thread_count ) {
	division d = { .t = t, .how = how, .end = 1 };
	d.waiting = dbvhi_workspace_slot( t->search->workspace, &waiting_kind );
	d.waiting->pairs[0] = *root;
	if ( divide( &d, FIRST_STEPS ) || start_alone( &d ) || divide( &d, HANDED_STEPS ) || d.begin == d.end )
		return;
	dbvhi_pieces_run( &d.pieces, t->search, d.end - d.begin, thread_count, one_piece, &d );
}

// ------------------------------------------------------------------------------------------------

void dbvhi_traverse_reference( dbvhi_hit_collector *search, dbvh_policy policy, uint32_t thread_count ) {
	const manner how = manner_of( search, policy );
	traversal t = traversal_of( search, policy );
	dbvhi_node_pair root;
	if ( start( &t, how.policy, &root ) ) {
		if ( thread_count > 1 )
			descend_in_pieces( &t, how, &root, thread_count );
		else
			how.descend( &t, &root );
	}
	count( &t );
}

void dbvhi_traverse_reference_self( dbvhi_hit_collector *search, dbvh_policy policy ) {
	DBVHI_ASSERT( search->self );
	traversal t = traversal_of( search, policy );
	switch ( policy ) {
	case DBVH_POLICY_RAPID:
		traverse_self_rapid( &t );
		break;
	case DBVH_POLICY_SAT_LITE:
		traverse_self_sat_lite( &t );
		break;
	case DBVH_POLICY_SPHERE:
		traverse_self_sphere( &t );
		break;
	case DBVH_POLICY_ELLIPSOID:
	case DBVH_POLICY_MIXED:
		if ( has_ellipsoids( search, policy ) )
			traverse_self_ellipsoid( &t );
		else
			traverse_self_dual( &t );
		break;
	default:
		traverse_self_dual( &t );
		break;
	}
	count( &t );
}
