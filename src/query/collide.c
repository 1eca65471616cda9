// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two reference trees, one body for every overlap policy.

#include "base/inline.h"
#include "base/sort.h"
#include "exact/triangles.h"
#include "math/pose.h"
#include "query/overlap.h"
#include "query/workspace.h"
#include "tree/tree.h"

#include <math.h>
#include <string.h>


typedef struct traversal {
	const dbvh_tree *fixed, *moved;
	const dbvh_pose *pose; // fixed from moved
	bool a_moves;		   // the caller's A is the moved mesh
	bool find_all;
	double margin; // of the volumes
	double error;  // of a moved corner
	dbvhi_node_pair *stack;
	uint64_t *keys;
	size_t key_capacity, key_count;
	uint64_t lowest_key;
	dbvh_counters counters;
} traversal;

// See docs/ARCHITECTURE.md, "Margins". u is half an ulp of 1; K the steps from both roots; S bounds every extent.
static double volume_margin( const traversal *t, double deviation ) {
	const dbvhi_node *a = &t->fixed->nodes[0], *b = &t->moved->nodes[0];
	double offsets = 0.0;
	for ( int k = 0; k < 3; ++k )
		offsets += fabs( a->pos.v[k] ) + fabs( b->pos.v[k] ) + fabs( t->pose->pos[k] );
	const double size_b = b->half.v[0] + b->half.v[1] + b->half.v[2] + 4.0 * b->radius;
	const double size = size_b + a->half.v[0] + a->half.v[1] + a->half.v[2] + 4.0 * a->radius;
	const double steps = (double)t->fixed->depth + (double)t->moved->depth;
	return 0x1p-53 * ( 32.0 * offsets + 64.0 * steps * steps * size ) + 4.0 * deviation * size_b + 0x1p-1040;
}

// Records a pair of triangles that meet.
static void found( traversal *t, uint32_t fixed_triangle, uint32_t moved_triangle ) {
	const uint32_t a = t->a_moves ? moved_triangle : fixed_triangle;
	const uint32_t b = t->a_moves ? fixed_triangle : moved_triangle;
	const uint64_t key = (uint64_t)a << 32 | b;
	if ( t->key_count < t->key_capacity )
		t->keys[t->key_count] = key;
	else if ( t->key_capacity > 0 ) {
		// Out of room: keep the lowest ones, as a heap from the moment the array is full.
		if ( t->key_count == t->key_capacity )
			dbvhi_heap_make( t->keys, t->key_capacity );
		dbvhi_heap_replace_highest( t->keys, t->key_capacity, key );
	}
	t->key_count += 1;
	t->lowest_key = key < t->lowest_key ? key : t->lowest_key;
}

static bool triangles_meet( traversal *t, const double *fixed, const double *moved ) {
	t->counters.triangle_tests += 1;
	double image[9];
	dbvhi_triangle_move( t->pose, moved, image );
	const dbvhi_answer answer = dbvhi_triangles_filter( fixed, image, t->error );
	if ( answer != DBVHI_UNSURE )
		return answer == DBVHI_MEET;
	t->counters.exact_tests += 1;
	return dbvhi_triangles_meet_exact( fixed, moved, image, t->pose, t->error );
}

// Returns true if the search is over.
static bool test_leaves( traversal *t, const dbvhi_node *a, const dbvhi_node *b ) {
	for ( uint32_t i = a->first; i < a->first + a->count; ++i ) {
		for ( uint32_t j = b->first; j < b->first + b->count; ++j ) {
			if ( !triangles_meet( t, t->fixed->corners + 9 * (size_t)i, t->moved->corners + 9 * (size_t)j ) )
				continue;
			found( t, t->fixed->triangle[i], t->moved->triangle[j] );
			if ( !t->find_all )
				return true;
		}
	}
	return false;
}

// Two nodes are compared in stages, so that a stage that separates them saves the work of the next: first the spheres,
// whose centre costs one product of a matrix and a vector, then axis a0, which needs one row of the relative pose, then
// the axes that need all of it.
DBVHI_INLINE bool uses_spheres( dbvh_policy policy ) {
	return policy == DBVH_POLICY_DUAL || policy == DBVH_POLICY_SPHERE;
}

// Only where axes are left one by one is a0 worth a branch of its own before the rest of the pose is computed.
DBVHI_INLINE bool tries_a0_first( dbvh_policy policy ) {
	return policy == DBVH_POLICY_RAPID || policy == DBVH_POLICY_SAT_LITE;
}

DBVHI_INLINE bool boxes_apart( traversal *t, dbvh_policy policy, const dbvhi_node_pair *pair, const dbvhi_node *a,
							   const dbvhi_node *b ) {
	switch ( policy ) {
	case DBVH_POLICY_RAPID:
		return dbvhi_boxes_apart_15_after_a0( &pair->rot, pair->pos, a->half, b->half, t->margin );
	case DBVH_POLICY_SAT_LITE:
		return dbvhi_boxes_apart_6_after_a0( &pair->rot, pair->pos, a->half, b->half, t->margin );
	case DBVH_POLICY_SPHERE:
		return false;
	default:
		t->counters.box_tests += 1;
		return dbvhi_boxes_apart_5( &pair->rot, pair->pos, a->half, b->half, t->margin );
	}
}

DBVHI_INLINE bool spheres_apart( traversal *t, dbvhi_vec centre_a, double radius_a, dbvhi_vec centre_b,
										 double radius_b ) {
	t->counters.sphere_tests += 1;
	return dbvhi_spheres_apart( centre_a, radius_a, centre_b, radius_b, t->margin );
}

// Row i of the pose of `child`, a child of at->b, seen from a.
DBVHI_INLINE void row_moved( const dbvhi_node_pair *at, const dbvhi_node *child, int i, dbvhi_node_pair *out ) {
	for ( int j = 0; j < 3; ++j )
		out->rot.m[i][j] = at->rot.m[i][0] * child->rot.m[0][j] + at->rot.m[i][1] * child->rot.m[1][j] +
						   at->rot.m[i][2] * child->rot.m[2][j];
	out->pos.v[i] = at->rot.m[i][0] * child->pos.v[0] + at->rot.m[i][1] * child->pos.v[1] +
					at->rot.m[i][2] * child->pos.v[2] + at->pos.v[i];
}

// One step down in the moved tree: box `child` of b against a. Fills *out and returns true if they may overlap.
DBVHI_INLINE bool step_moved( traversal *t, dbvh_policy policy, const dbvhi_node_pair *at, uint32_t child,
									  dbvhi_node_pair *out ) {
	const dbvhi_node *a = &t->fixed->nodes[at->a], *b = &t->moved->nodes[child];
	if ( uses_spheres( policy ) ) {
		const dbvhi_vec sphere_b = dbvhi_add( dbvhi_mat_apply( &at->rot, b->sphere_outside ), at->pos );
		if ( spheres_apart( t, a->sphere_inside, a->radius, sphere_b, b->radius ) )
			return false;
	}
	row_moved( at, b, 0, out );
	if ( tries_a0_first( policy ) ) {
		t->counters.box_tests += 1;
		if ( dbvhi_apart_on_a( &out->rot, out->pos, a->half, b->half, t->margin, 0 ) )
			return false;
	}
	row_moved( at, b, 1, out );
	row_moved( at, b, 2, out );
	if ( boxes_apart( t, policy, out, a, b ) )
		return false;
	out->a = at->a;
	out->b = child;
	return true;
}

// Row i of the pose of b seen from `child`, a child of at->a.
DBVHI_INLINE void row_fixed( const dbvhi_node_pair *at, const dbvhi_node *child, int i, dbvhi_node_pair *out ) {
	for ( int j = 0; j < 3; ++j )
		out->rot.m[i][j] = child->rot.m[0][i] * at->rot.m[0][j] + child->rot.m[1][i] * at->rot.m[1][j] +
						   child->rot.m[2][i] * at->rot.m[2][j];
	out->pos.v[i] = child->rot.m[0][i] * ( at->pos.v[0] - child->pos.v[0] ) +
					child->rot.m[1][i] * ( at->pos.v[1] - child->pos.v[1] ) +
					child->rot.m[2][i] * ( at->pos.v[2] - child->pos.v[2] );
}

// One step down in the fixed tree: box `child` of a against b, with the frame of `child` as the new frame. The centre of
// b's sphere in the frame of a serves both children.
DBVHI_INLINE bool step_fixed( traversal *t, dbvh_policy policy, const dbvhi_node_pair *at, dbvhi_vec sphere_b,
							  uint32_t child, dbvhi_node_pair *out ) {
	const dbvhi_node *a = &t->fixed->nodes[child], *b = &t->moved->nodes[at->b];
	if ( uses_spheres( policy ) && spheres_apart( t, a->sphere_outside, a->radius, sphere_b, b->radius ) )
		return false;
	row_fixed( at, a, 0, out );
	if ( tries_a0_first( policy ) ) {
		t->counters.box_tests += 1;
		if ( dbvhi_apart_on_a( &out->rot, out->pos, a->half, b->half, t->margin, 0 ) )
			return false;
	}
	row_fixed( at, a, 1, out );
	row_fixed( at, a, 2, out );
	if ( boxes_apart( t, policy, out, a, b ) )
		return false;
	out->a = child;
	out->b = at->b;
	return true;
}

// The roots, as children of the two meshes' own frames: first a step down in the fixed tree from nowhere, whose result
// is not tested, then one in the moved tree.
DBVHI_INLINE bool start( traversal *t, dbvh_policy policy, dbvhi_node_pair *out ) {
	const dbvhi_node *a = &t->fixed->nodes[0];
	dbvhi_node_pair meshes;
	dbvhi_mat rot;
	dbvhi_vec pos;
	memcpy( rot.m, t->pose->rot, sizeof rot.m );
	memcpy( pos.v, t->pose->pos, sizeof pos.v );
	meshes.rot = dbvhi_mat_mul_transposed( &a->rot, &rot );
	meshes.pos = dbvhi_mat_apply_transposed( &a->rot, dbvhi_sub( pos, a->pos ) );
	meshes.a = 0;
	meshes.b = 0;
	return step_moved( t, policy, &meshes, 0, out );
}

// Which of two nodes to divide: the larger one, by the measure that the policy has at hand.
DBVHI_INLINE bool is_larger( dbvh_policy policy, const dbvhi_node *a, const dbvhi_node *b ) {
	return uses_spheres( policy ) ? a->radius > b->radius : a->half.v[2] > b->half.v[2];
}

// Depth first. The nearer at hand of two children that survive is gone on with at once, without a detour over the stack.
DBVHI_INLINE void traverse( traversal *t, dbvh_policy policy ) {
	dbvhi_node_pair *stack = t->stack, here, next;
	dbvhi_node_pair *at = &here, *first = &next;
	size_t top = 0;
	if ( !start( t, policy, at ) )
		return;
	for ( ;; ) {
		const dbvhi_node *a = &t->fixed->nodes[at->a], *b = &t->moved->nodes[at->b];
		const bool leaf_a = dbvhi_node_is_leaf( a ), leaf_b = dbvhi_node_is_leaf( b );
		bool descend = false;
		if ( leaf_a && leaf_b ) {
			if ( test_leaves( t, a, b ) )
				return;
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
				return;
			*at = stack[--top];
		}
	}
}

static void traverse_dual( traversal *t ) {
	traverse( t, DBVH_POLICY_DUAL );
}

static void traverse_rapid( traversal *t ) {
	traverse( t, DBVH_POLICY_RAPID );
}

static void traverse_sat_lite( traversal *t ) {
	traverse( t, DBVH_POLICY_SAT_LITE );
}

static void traverse_sphere( traversal *t ) {
	traverse( t, DBVH_POLICY_SPHERE );
}

static void finish( traversal *t, const dbvh_query *query, dbvh_result *result ) {
	result->counters = t->counters;
	if ( t->key_count == 0 )
		return;
	result->verdict = DBVH_MEETING;
	result->first = ( dbvh_pair ){ (uint32_t)( t->lowest_key >> 32 ), (uint32_t)t->lowest_key };
	result->pair_count = t->key_count;
	const size_t written = t->key_count < t->key_capacity ? t->key_count : t->key_capacity;
	dbvhi_sort_u64( t->keys, written );
	for ( size_t i = 0; i < written; ++i )
		query->pairs[i] = ( dbvh_pair ){ (uint32_t)( t->keys[i] >> 32 ), (uint32_t)t->keys[i] };
	result->pair_written = written;
}

static bool query_is_valid( const dbvh_query *query ) {
	return (unsigned)query->find <= DBVH_FIND_ALL && (unsigned)query->policy <= DBVH_POLICY_SPHERE &&
		   ( query->pair_capacity == 0 || query->pairs != NULL );
}

dbvh_status dbvh_collide( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
						  const dbvh_query *query, dbvh_workspace *workspace, dbvh_result *result_out ) {
	if ( result_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	memset( result_out, 0, sizeof *result_out );
	const dbvh_query verdict_alone = { .find = DBVH_FIND_FIRST };
	const dbvh_query *q = query != NULL ? query : &verdict_alone;
	if ( a == NULL || b == NULL || !query_is_valid( q ) )
		return DBVH_INVALID_ARGUMENT;

	dbvhi_relative_pose relative;
	dbvh_status status = dbvhi_pose_relate( pose_a, pose_b, &relative );
	if ( status != DBVH_OK )
		return status;

	dbvh_workspace *own = NULL;
	if ( workspace == NULL ) {
		status = dbvh_workspace_create( NULL, &own );
		if ( status != DBVH_OK )
			return status;
		workspace = own;
	}
	const size_t room = q->find == DBVH_FIND_ALL ? q->pair_capacity : 0;
	status = dbvhi_workspace_require( workspace, a, b, room );
	if ( status == DBVH_OK ) {
		traversal t = {
			.fixed = relative.a_moves ? b : a,
			.moved = relative.a_moves ? a : b,
			.pose = &relative.frame_from_moved,
			.a_moves = relative.a_moves,
			.find_all = q->find == DBVH_FIND_ALL,
			.stack = workspace->stack,
			.keys = workspace->keys,
			.key_capacity = room,
			.lowest_key = UINT64_MAX,
		};
		t.margin = volume_margin( &t, relative.deviation );
		t.error = dbvhi_move_error( t.pose, t.moved->largest );
		switch ( q->policy ) {
		case DBVH_POLICY_RAPID:
			traverse_rapid( &t );
			break;
		case DBVH_POLICY_SAT_LITE:
			traverse_sat_lite( &t );
			break;
		case DBVH_POLICY_SPHERE:
			traverse_sphere( &t );
			break;
		default:
			traverse_dual( &t );
			break;
		}
		finish( &t, q, result_out );
	}
	dbvh_workspace_destroy( own );
	return status;
}

dbvh_status dbvh_triangles_meet( const double a[9], const double b[9], const dbvh_pose *pose_b, bool *meet_out ) {
	if ( a == NULL || b == NULL || meet_out == NULL )
		return DBVH_INVALID_ARGUMENT;
	*meet_out = false;
	double largest = 0.0;
	for ( int k = 0; k < 9; ++k ) {
		if ( !isfinite( a[k] ) || !isfinite( b[k] ) )
			return DBVH_NOT_FINITE;
		largest = fmax( largest, fabs( b[k] ) );
	}
	const dbvh_pose identity = dbvh_pose_identity();
	const dbvh_pose *pose = pose_b != NULL ? pose_b : &identity;
	const dbvh_status status = dbvh_pose_check( pose, NULL );
	if ( status != DBVH_OK )
		return status;
	const double error = dbvhi_move_error( pose, largest );
	double image[9];
	dbvhi_triangle_move( pose, b, image );
	const dbvhi_answer answer = dbvhi_triangles_filter( a, image, error );
	*meet_out = answer != DBVHI_UNSURE ? answer == DBVHI_MEET : dbvhi_triangles_meet_exact( a, b, image, pose, error );
	return DBVH_OK;
}
