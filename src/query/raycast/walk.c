// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Traversals by lines and points in doubles, for trees that have no packed form or that floats are too coarse for.
//
// Margins. u = 2^-53, K the depth of the tree, R the radius of its sphere about C. A line is moved along itself to
// begin within 2R of that sphere: its start, of size P, and the distance w to there have a rounding error of
// 4 u ( P + w ), and its direction one of 100 u, which moves a point at w + 5R by 100 u ( w + 5R ). So
// 512 u ( P + |C| + w + R ) covers all before the first box. Each of K steps into the frame of a child rounds
// coordinates of up to 8R, or D + 8R for a point at a distance D, by less than 8 u of that size, and the deviation of a
// frame from orthonormal adds as much again for each step: 64 u K^2 of that size is more. All margins are absolute, and
// are added to the extents of every box. They also cover the rounding of the quotients of the slab test: 4 u of their
// numerators.

#include "query/raycast/walk.h"

#include "base/assert.h"
#include "bvh/any_node.h"

#include <math.h>

#define U 0x1p-53
// The least component of a direction: smaller ones are replaced by this, which over a length of 8R moves a point by
// less than the margin.
#define SHALLOW 0x1p-60

typedef struct entry {
	double near;        // line: parameter at which it enters the box; point: squared distance of the box
	dbvhi_vec at, unit; // the point, or the line, in the frame of the box
	uint32_t node;
} entry;

_Static_assert( sizeof( entry ) <= sizeof( dbvhi_node_pair ), "the stack of a workspace serves for walks" );

static double steps_of( const dbvh_tree *tree ) {
	const double k = (double)tree->depth + 4.0;
	return 64.0 * U * k * k;
}

static dbvhi_beam make_beam( const dbvh_tree *tree, dbvhi_vec origin, dbvhi_vec step, double error ) {
	const dbvhi_node *root = dbvhi_tree_root( tree );
	dbvhi_beam beam = { .origin = origin };
	double largest = 0.0;
	for ( int k = 0; k < 3; ++k )
		largest = fabs( step.v[k] ) > largest ? fabs( step.v[k] ) : largest;
	if ( largest > 0.0 ) {
		for ( int k = 0; k < 3; ++k )
			beam.unit.v[k] = step.v[k] / largest;
		const double length = dbvhi_length( beam.unit );
		beam.unit = dbvhi_scale( 1.0 / length, beam.unit );
		beam.length = largest * length;
		const double ahead = dbvhi_dot( dbvhi_sub( root->sphere_outside, origin ), beam.unit );
		if ( ahead > 2.0 * root->radius ) {
			beam.before = ahead - 2.0 * root->radius;
			beam.origin = dbvhi_add( origin, dbvhi_scale( beam.before, beam.unit ) );
		}
	}
	const double size = dbvhi_norm1( origin ) + dbvhi_norm1( root->sphere_outside ) + beam.before + root->radius;
	beam.margin = error + 512.0 * U * size + steps_of( tree ) * 8.0 * root->radius + 0x1p-1040;
	beam.is_usable = dbvhi_norm1( step ) < 0x1p1020 && size < 0x1p1000 && beam.margin < 0x1p1000 &&
	                 ( largest == 0.0 || beam.length > 0x1p-1000 );
	return beam;
}

static dbvhi_goal make_goal( const dbvh_tree *tree, dbvhi_vec point, double error ) {
	const dbvhi_node *root = dbvhi_tree_root( tree );
	const double size = dbvhi_norm1( point ) + dbvhi_norm1( root->sphere_outside ) + root->radius;
	dbvhi_goal goal = { .at = point };
	goal.margin = error + 512.0 * U * size + steps_of( tree ) * 8.0 * size + 0x1p-1040;
	goal.is_usable = size < 0x1p1000 && goal.margin < 0x1p1000;
	return goal;
}

static void show_all( const dbvh_tree *tree, dbvhi_visitor *visitor ) {
	for ( uint32_t i = 0; i < (uint32_t)tree->triangle_count; ++i ) {
		visitor->reach = visitor->visit( visitor, i );
		if ( visitor->reach < 0.0 )
			return;
	}
}

// Visit the triangles of a leaf. Returns false if the search is over.
static bool show_leaf( const dbvhi_node *leaf, dbvhi_visitor *visitor ) {
	DBVHI_ASSERT( dbvhi_node_is_leaf( leaf ) );
	for ( uint32_t i = leaf->first; i < leaf->first + leaf->count; ++i ) {
		visitor->reach = visitor->visit( visitor, i );
		if ( visitor->reach < 0.0 )
			return false;
	}
	return true;
}

// Insert a child into those of the same node, which begin at `base`: the nearest goes on top and, among equal ones, the
// first.
static void push_in_order( entry *stack, size_t base, size_t *top, const entry *next ) {
	size_t at = ( *top )++;
	for ( ; at > base && !( next->near < stack[at - 1].near ); --at )
		stack[at] = stack[at - 1];
	stack[at] = *next;
}

// ------------------------------------------------------------------------------------------------
// Lines

// True if the part of the beam up to `end` may pass through the box; also if there is a NaN.
static bool enters( const dbvhi_node *box, dbvhi_vec at, dbvhi_vec unit, double margin, double end, double *near_out ) {
	double near = 0.0, far = end;
	for ( int k = 0; k < 3; ++k ) {
		const double d = fabs( unit.v[k] ) < SHALLOW ? copysign( SHALLOW, unit.v[k] ) : unit.v[k];
		const double h = box->half.v[k] + margin, scale = 1.0 / d;
		const double one = ( -h - at.v[k] ) * scale, two = ( h - at.v[k] ) * scale;
		const double low = one < two ? one : two, high = one < two ? two : one;
		near = low > near ? low : near;
		far = high < far ? high : far;
	}
	*near_out = near;
	return !( near > far );
}

// ------------------------------------------------------------------------------------------------
// Points

// The squared distance of a point from a box. False if that is above `limit`; true if it is NaN.
static bool is_near( const dbvhi_node *box, dbvhi_vec at, double limit, double *squared_out ) {
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double beyond = fabs( at.v[k] ) - box->half.v[k];
		sum += beyond > 0.0 ? beyond * beyond : 0.0;
	}
	*squared_out = sum;
	return !( sum > limit );
}

// ------------------------------------------------------------------------------------------------
// Traversal

// A traversal by a line, or by a point if `beam` is NULL.
typedef struct walk {
	const dbvhi_beam *beam;
	const dbvhi_goal *goal;
	dbvhi_visitor *visitor;
} walk;

static double end_of( const walk *w ) {
	return w->beam != NULL ? dbvhi_beam_end( w->beam, w->visitor->reach )
	                       : dbvhi_goal_limit( w->goal, w->visitor->reach );
}

// Step into a node, which is in the frame of `from`. False if it is discarded.
static bool step( const walk *w, const dbvhi_node *node, uint32_t number, const entry *from, double end, entry *out ) {
	out->node = number;
	out->at = dbvhi_mat_apply_transposed( &node->rot, dbvhi_sub( from->at, node->pos ) );
	if ( w->beam == NULL )
		return is_near( node, out->at, end, &out->near );
	out->unit = dbvhi_mat_apply_transposed( &node->rot, from->unit );
	return enters( node, out->at, out->unit, w->beam->margin, end, &out->near );
}

static void traverse( const walk *w, const dbvh_tree *tree, const entry *mesh, entry *stack ) {
	double end = end_of( w );
	w->visitor->counters.box_tests += 1;
	size_t top = step( w, dbvhi_any_root( tree ), 0, mesh, end, &stack[0] );
	while ( top > 0 ) {
		const entry at = stack[--top];
		if ( at.near > end )
			continue;
		dbvhi_node room;
		uint32_t children[DBVHI_WIDTH];
		const uint32_t count = dbvhi_any_children( tree, at.node, children );
		if ( count == 0 ) {
			if ( !show_leaf( dbvhi_any_node( tree, at.node, &room ), w->visitor ) )
				return;
			end = end_of( w );
			continue;
		}
		w->visitor->counters.box_tests += count;
		if ( !dbvhi_visitor_goes_on( w->visitor ) )
			return;
		const size_t base = top;
		for ( uint32_t k = 0; k < count; ++k ) {
			entry next;
			if ( step( w, dbvhi_any_child( tree, at.node, children[k], &room ), children[k], &at, end, &next ) )
				push_in_order( stack, base, &top, &next );
		}
	}
}

void dbvhi_walk_line( const dbvh_tree *tree, dbvhi_vec origin, dbvhi_vec line_step, double error,
                      dbvh_workspace *workspace, dbvhi_visitor *visitor ) {
	DBVHI_ASSERT( error >= 0.0 );
	const dbvhi_beam beam = make_beam( tree, origin, line_step, error );
	if ( !beam.is_usable ) {
		show_all( tree, visitor );
		return;
	}
	if ( dbvhi_tree_in_floats( tree ) && dbvhi_walk_line_packed( tree, &beam, workspace, visitor ) )
		return;
	const walk w = { .beam = &beam, .visitor = visitor };
	const entry mesh = { .at = beam.origin, .unit = beam.unit };
	traverse( &w, tree, &mesh, (entry *)workspace->stack );
}

void dbvhi_walk_point( const dbvh_tree *tree, dbvhi_vec point, double error, dbvh_workspace *workspace,
                       dbvhi_visitor *visitor ) {
	DBVHI_ASSERT( error >= 0.0 );
	const dbvhi_goal goal = make_goal( tree, point, error );
	if ( !goal.is_usable ) {
		show_all( tree, visitor );
		return;
	}
	if ( dbvhi_tree_in_floats( tree ) && dbvhi_walk_point_packed( tree, &goal, workspace, visitor ) )
		return;
	const walk w = { .goal = &goal, .visitor = visitor };
	const entry mesh = { .at = goal.at };
	traverse( &w, tree, &mesh, (entry *)workspace->stack );
}
