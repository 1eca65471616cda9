// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A search that is compiled for each number of axes, so that its time says how many are worth their cost. As the
// library's DBVH_POLICY_DUAL: spheres, then the axes without branches between them, then triangles.

#include "exact/tri_tri.h"
#include "math/pose.h"
#include "paper/axes.h"
#include "query/common/mesh_pair.h"
#include "reference/overlap.h"

#include <string.h>

typedef struct place {
	dbvhi_mat rot; // box b seen from box a
	dbvhi_vec pos;
	uint32_t a, b;
} place;

typedef struct search {
	const dbvh_tree *a, *b;
	const dbvh_pose *pose;
	double margin, error;
} search;

const char *const axes_search_order[AXES_SEARCH_MOST] = { "a0", "b0", "c22", "c12", "c21", "c11", "a1", "b1" };

// `n` is a constant wherever this is called from.
DBVHI_INLINE bool boxes_apart( const search *s, int n, const place *p ) {
	const dbvhi_vec a = s->a->nodes[p->a].half, b = s->b->nodes[p->b].half;
	const dbvhi_mat *r = &p->rot;
	const double m = s->margin;
	if ( n == AXES )
		return dbvhi_disjoint_on_a( r, p->pos, a, b, m, 0 ) || dbvhi_boxes_disjoint_15_after_a0( r, p->pos, a, b, m );
	int apart = 0;
	if ( n > 0 )
		apart |= dbvhi_disjoint_on_a( r, p->pos, a, b, m, 0 );
	if ( n > 1 )
		apart |= dbvhi_disjoint_on_b( r, p->pos, a, b, m, 0 );
	if ( n > 2 )
		apart |= dbvhi_disjoint_on_c( r, p->pos, a, b, m, 2, 2 );
	if ( n > 3 )
		apart |= dbvhi_disjoint_on_c( r, p->pos, a, b, m, 1, 2 );
	if ( n > 4 )
		apart |= dbvhi_disjoint_on_c( r, p->pos, a, b, m, 2, 1 );
	if ( n > 5 )
		apart |= dbvhi_disjoint_on_c( r, p->pos, a, b, m, 1, 1 );
	if ( n > 6 )
		apart |= dbvhi_disjoint_on_a( r, p->pos, a, b, m, 1 );
	if ( n > 7 )
		apart |= dbvhi_disjoint_on_b( r, p->pos, a, b, m, 1 );
	return apart != 0;
}

DBVHI_INLINE bool step_moved( const search *s, int n, const place *at, uint32_t child, place *out ) {
	const dbvhi_node *a = &s->a->nodes[at->a], *b = &s->b->nodes[child];
	const dbvhi_vec sphere_b = dbvhi_add( dbvhi_mat_apply( &at->rot, b->sphere_outside ), at->pos );
	if ( dbvhi_spheres_disjoint( a->sphere_inside, a->radius, sphere_b, b->radius, s->margin ) )
		return false;
	out->rot = dbvhi_mat_mul( &at->rot, &b->rot );
	out->pos = dbvhi_add( dbvhi_mat_apply( &at->rot, b->pos ), at->pos );
	out->a = at->a;
	out->b = child;
	return !boxes_apart( s, n, out );
}

DBVHI_INLINE bool step_fixed( const search *s, int n, const place *at, dbvhi_vec sphere_b, uint32_t child,
                              place *out ) {
	const dbvhi_node *a = &s->a->nodes[child], *b = &s->b->nodes[at->b];
	if ( dbvhi_spheres_disjoint( a->sphere_outside, a->radius, sphere_b, b->radius, s->margin ) )
		return false;
	out->rot = dbvhi_mat_mul_transposed( &a->rot, &at->rot );
	out->pos = dbvhi_mat_apply_transposed( &a->rot, dbvhi_sub( at->pos, a->pos ) );
	out->a = child;
	out->b = at->b;
	return !boxes_apart( s, n, out );
}

static bool leaves_meet( const search *s, const dbvhi_node *a, const dbvhi_node *b ) {
	for ( uint32_t i = a->first; i < a->first + a->count; ++i )
		for ( uint32_t j = b->first; j < b->first + b->count; ++j ) {
			const double *fixed = s->a->corners + 9 * (size_t)i, *moved = s->b->corners + 9 * (size_t)j;
			double image[9];
			dbvhi_triangle_move( s->pose, moved, image );
			const dbvhi_answer answer = dbvhi_triangles_filter( fixed, image, s->error );
			if ( answer == DBVHI_INTERSECTING ||
			     ( answer == DBVHI_UNSURE &&
			       dbvhi_triangles_intersect_exact( fixed, moved, image, s->pose, s->error ) ) )
				return true;
		}
	return false;
}

DBVHI_INLINE bool run( const search *s, int n, place *stack ) {
	const dbvhi_node *root = &s->a->nodes[0];
	place here, next, *at = &here, *first = &next, meshes = { .a = 0, .b = 0 };
	dbvhi_mat rot;
	dbvhi_vec pos;
	memcpy( rot.m, s->pose->rot, sizeof rot.m );
	memcpy( pos.v, s->pose->pos, sizeof pos.v );
	meshes.rot = dbvhi_mat_mul_transposed( &root->rot, &rot );
	meshes.pos = dbvhi_mat_apply_transposed( &root->rot, dbvhi_sub( pos, root->pos ) );
	if ( !step_moved( s, n, &meshes, 0, at ) )
		return false;
	size_t top = 0;
	for ( ;; ) {
		const dbvhi_node *a = &s->a->nodes[at->a], *b = &s->b->nodes[at->b];
		const bool leaf_a = dbvhi_node_is_leaf( a ), leaf_b = dbvhi_node_is_leaf( b );
		bool descend = false;
		if ( leaf_a && leaf_b ) {
			if ( leaves_meet( s, a, b ) )
				return true;
		} else if ( leaf_b || ( !leaf_a && a->radius > b->radius ) ) {
			const dbvhi_vec sphere_b = dbvhi_add( dbvhi_mat_apply( &at->rot, b->sphere_inside ), at->pos );
			top += step_fixed( s, n, at, sphere_b, a->first + 1, &stack[top] );
			descend = step_fixed( s, n, at, sphere_b, a->first, first );
		} else {
			top += step_moved( s, n, at, b->first + 1, &stack[top] );
			descend = step_moved( s, n, at, b->first, first );
		}
		if ( descend ) {
			place *done = at;
			at = first;
			first = done;
		} else {
			if ( top == 0 )
				return false;
			*at = stack[--top];
		}
	}
}

#define FOR_NUMBER( n )                                                                                                \
	static bool run_##n( const search *s, place *stack ) {                                                             \
		return run( s, n, stack );                                                                                     \
	}
FOR_NUMBER( 0 )
FOR_NUMBER( 1 )
FOR_NUMBER( 2 )
FOR_NUMBER( 3 )
FOR_NUMBER( 4 )
FOR_NUMBER( 5 )
FOR_NUMBER( 6 )
FOR_NUMBER( 7 )
FOR_NUMBER( 8 )
FOR_NUMBER( 15 )

bool axes_search( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, int n ) {
	static bool ( *const runs[] )( const search *, place * ) = { run_0, run_1, run_2, run_3, run_4,
	                                                             run_5, run_6, run_7, run_8 };
	enum { ROOM = 256 }; // a tree of n triangles is at most 3 log2( n ) + 8 deep
	place stack[ROOM];
	double deviation;
	dbvh_pose_check( pose, &deviation, NULL );
	const dbvhi_mesh_pair meshes = { .fixed = a, .moved = b, .pose = *pose, .deviation = deviation };
	const search s = { a, b, pose, dbvhi_mesh_pair_margin( &meshes ), dbvhi_move_error( pose, b->largest ) };
	return ( n == AXES ? run_15 : runs[n] )( &s, stack );
}
