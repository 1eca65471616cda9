// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The search for the distance in doubles: depth first, the nearest of the children first. It serves reference trees,
// and packed trees whose sizes or poses are beyond the range of floats. Tests hold the packed search against it, so it
// is kept plain.
//
// The bound for two nodes is the largest gap between them, in units of length: between their spheres, or on an axis of
// the policy's. Rounding is charged to every gap with the margin of the overlap tests (docs/design/margins.md);
// a direction of the moved mesh may be longer than 1 by the deviation of the pose.

#include "base/assert.h"
#include "bvh/any_node.h"
#include "reference/reference.h"
#include "reference/traversal.h"

#include <math.h>

typedef struct distance_traversal {
	dbvhi_nearest *search;
	dbvhi_node_pair *stack;
	dbvh_policy policy;
	double margin, shrink;
} distance_traversal;

static double gap_of_spheres( const dbvhi_node_pair *at, const dbvhi_node *a, const dbvhi_node *b ) {
	const dbvhi_vec centre = dbvhi_add( dbvhi_mat_apply( &at->rot, b->sphere_inside ), at->pos );
	const dbvhi_vec d = dbvhi_sub( centre, a->sphere_inside );
	const double squared = dbvhi_dot( d, d );
	// note: squares beyond the range of doubles give no bound.
	return squared > 0x1p-900 && squared < INFINITY ? sqrt( squared ) - a->radius - b->radius : -INFINITY;
}

static double gap_on_a( const dbvhi_node_pair *at, dbvhi_vec a, dbvhi_vec b, int i ) {
	DBVHI_ASSERT( (unsigned)i < 3 );
	double gap = fabs( at->pos.v[i] ) - a.v[i];
	for ( int k = 0; k < 3; ++k )
		gap -= b.v[k] * fabs( at->rot.m[i][k] );
	return gap;
}

static double gap_on_b( const dbvhi_node_pair *at, dbvhi_vec a, dbvhi_vec b, int j ) {
	DBVHI_ASSERT( (unsigned)j < 3 );
	double s = 0.0, gap = -b.v[j];
	for ( int k = 0; k < 3; ++k ) {
		s += at->pos.v[k] * at->rot.m[k][j];
		gap -= a.v[k] * fabs( at->rot.m[k][j] );
	}
	return fabs( s ) + gap;
}

// The gap on a cross axis: divided by the axis's length if that is known well enough, else by 1, its upper limit.
static double gap_on_c( const dbvhi_node_pair *at, dbvhi_vec a, dbvhi_vec b, double margin, int i, int j ) {
	DBVHI_ASSERT( (unsigned)i < 3 && (unsigned)j < 3 );
	const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3, j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
	const dbvhi_mat *r = &at->rot;
	const double s = at->pos.v[i2] * r->m[i1][j] - at->pos.v[i1] * r->m[i2][j];
	const double gap = fabs( s ) - a.v[i1] * fabs( r->m[i2][j] ) - a.v[i2] * fabs( r->m[i1][j] ) -
	                   b.v[j1] * fabs( r->m[i][j2] ) - b.v[j2] * fabs( r->m[i][j1] ) - margin;
	const double squared = r->m[i1][j] * r->m[i1][j] + r->m[i2][j] * r->m[i2][j];
	return gap > 0.0 && squared > 0x1p-14 ? gap / ( sqrt( squared ) * ( 1.0 + 0x1p-30 ) ) : gap;
}

static double lower_bound( distance_traversal *t, const dbvhi_node_pair *at ) {
	dbvhi_node rooms[2];
	const dbvhi_node *a = dbvhi_any_node( t->search->meshes.fixed, at->a, &rooms[0] ),
	                 *b = dbvhi_any_node( t->search->meshes.moved, at->b, &rooms[1] );
	double gap = -INFINITY;
	if ( t->policy != DBVH_POLICY_RAPID && t->policy != DBVH_POLICY_SAT_LITE ) {
		t->search->counters.sphere_tests += 1;
		gap = gap_of_spheres( at, a, b ) - t->margin;
		if ( t->policy == DBVH_POLICY_SPHERE || gap * t->shrink > t->search->bound )
			return gap * t->shrink;
	}
	t->search->counters.box_tests += 1;
	const bool all_faces = t->policy == DBVH_POLICY_RAPID || t->policy == DBVH_POLICY_SAT_LITE;
	for ( int i = 0; i < ( all_faces ? 3 : 1 ); ++i ) {
		gap = fmax( gap, gap_on_a( at, a->half, b->half, i ) - t->margin );
		gap = fmax( gap, gap_on_b( at, a->half, b->half, i ) - t->margin );
	}
	if ( t->policy == DBVH_POLICY_RAPID ) {
		for ( int k = 0; k < 9; ++k )
			gap = fmax( gap, gap_on_c( at, a->half, b->half, t->margin, k / 3, k % 3 ) );
	} else if ( t->policy != DBVH_POLICY_SAT_LITE ) {
		gap = fmax( gap, gap_on_c( at, a->half, b->half, t->margin, 2, 2 ) );
		gap = fmax( gap, gap_on_c( at, a->half, b->half, t->margin, 1, 2 ) );
		gap = fmax( gap, gap_on_c( at, a->half, b->half, t->margin, 2, 1 ) );
	}
	return gap < INFINITY ? gap * t->shrink : -INFINITY;
}

static bool compare_leaves( dbvhi_nearest *s, const dbvhi_node *a, const dbvhi_node *b ) {
	DBVHI_ASSERT( dbvhi_node_is_leaf( a ) && dbvhi_node_is_leaf( b ) );
	for ( uint32_t i = a->first; i < a->first + a->count; ++i ) {
		for ( uint32_t j = b->first; j < b->first + b->count; ++j ) {
			if ( dbvhi_nearest_triangles( s, i, j ) )
				return true;
		}
	}
	return false;
}

// Charge the steps so far. Returns false if the budget is spent.
static bool spend( dbvhi_nearest *s ) {
	const dbvh_counters *c = &s->counters;
	return dbvhi_work_charge( &s->work, c->sphere_tests + c->box_tests + 2 * c->triangle_tests, c );
}

// Lower `at_least` to the bounds of the pairs that are left on the stack.
static void bound_stack( distance_traversal *t, size_t top ) {
	dbvhi_nearest *s = t->search;
	s->at_least = fmin( s->at_least, s->bound );
	for ( size_t i = 0; i < top; ++i )
		s->at_least = fmin( s->at_least, lower_bound( t, &t->stack[i] ) );
	s->at_least = fmax( s->at_least, 0.0 );
}

// Insert the next of the children of a pair into the `count` that are there: the nearest goes on top and, among equal
// ones, the last.
static void put_in_order( dbvhi_node_pair *pairs, double *gaps, size_t count, const dbvhi_node_pair *next,
                          double gap ) {
	size_t at = count;
	for ( ; at > 0 && gap > gaps[at - 1]; --at ) {
		pairs[at] = pairs[at - 1];
		gaps[at] = gaps[at - 1];
	}
	pairs[at] = *next;
	gaps[at] = gap;
}

void dbvhi_reference_distance( dbvhi_nearest *search, dbvhi_node_pair *stack, dbvh_policy policy ) {
	DBVHI_ASSERT( stack != NULL );
	distance_traversal t = {
	    .search = search,
	    .stack = stack,
	    .policy = policy,
	    .margin = dbvhi_mesh_pair_margin( &search->meshes ),
	    // note: covers the deviation of the pose, and the rounding of the bounds relative to themselves.
	    .shrink = 1.0 - search->meshes.deviation - 0x1p-40,
	};
	size_t top = 0;
	stack[top++] = dbvhi_any_pair_of_roots( &search->meshes );
	while ( top > 0 ) {
		if ( search->work.meter != NULL && !spend( search ) ) {
			bound_stack( &t, top );
			return;
		}
		const dbvhi_node_pair at = stack[--top];
		if ( lower_bound( &t, &at ) > search->bound )
			continue;
		dbvhi_node rooms[2];
		const dbvhi_node *a = dbvhi_any_node( search->meshes.fixed, at.a, &rooms[0] ),
		                 *b = dbvhi_any_node( search->meshes.moved, at.b, &rooms[1] );
		dbvhi_node_pair children[DBVHI_WIDTH];
		double gaps[DBVHI_WIDTH];
		const uint32_t count = dbvhi_any_pair_divide( &search->meshes, &at, a, b, children );
		if ( count == 0 && compare_leaves( search, a, b ) )
			return;
		for ( uint32_t k = 0; k < count; ++k )
			put_in_order( stack + top, gaps, k, &children[k], lower_bound( &t, &children[k] ) );
		top += count;
	}
}
