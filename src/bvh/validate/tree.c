// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Checks every invariant of a tree from the outside. Frames are recomputed by the same steps as in the build, so the
// enclosure checked is the one a query relies on, without a tolerance.

#include "bvh/tree.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/fpenv.h"
#include "base/inline.h"
#include "base/sort.h"
#include "base/status.h"
#include "bvh/ellipsoid_test.h"
#include "bvh/packed/pack.h"
#include "bvh/validate/validate.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct visit {
	uint32_t node;
	uint32_t depth;
	dbvhi_frame parent;
} visit;

typedef struct validation {
	const dbvh_tree *tree;
	dbvh_error *error;
	unsigned char *node_seen;
	unsigned char *triangle_seen;
	uint64_t *fragments; // triangle << 32 | path, by leaf index; NULL without fragments
	size_t nodes_seen, triangles_seen, leaves_seen;
	uint32_t deepest;
	uint32_t sample;  // check enclosure of every `sample`th triangle
	int exponent;     // frames are computed in the builder's scale, 2^-exponent of the mesh's
	dbvhi_power down; // scales into that unit
	double fragment_error;
	double subnormal; // error of subnormal coordinates, in that scale; 0 for larger meshes
} validation;

static dbvh_status broken( const validation *v, uint32_t node, const char *rule ) {
	if ( v->error != NULL )
		v->error->element = node;
	return dbvhi_error_set( v->error, DBVH_INVARIANT, "node %lu: %s", (unsigned long)node, rule );
}

// note: x - x is not 0 only for infinities and NaN.
static bool all_finite( const double *x, int count ) {
	double any = 0.0;
	for ( int i = 0; i < count; ++i )
		any += x[i] - x[i];
	return any == 0.0;
}

static bool is_rotation( const dbvhi_mat *m, double limit ) {
	const dbvhi_mat gram = dbvhi_mat_mul_transposed( m, m );
	bool is = true;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			is &= fabs( gram.m[i][j] - ( i == j ? 1.0 : 0.0 ) ) <= limit;
	}
	return is;
}

static dbvhi_vec scaled( dbvhi_vec a, int exponent ) {
	return ( dbvhi_vec ){ { ldexp( a.v[0], exponent ), ldexp( a.v[1], exponent ), ldexp( a.v[2], exponent ) } };
}

static dbvhi_vec point_in_scale( dbvhi_power by, const double x[3] ) {
	return ( dbvhi_vec ){
	    { dbvhi_times_power( by, x[0] ), dbvhi_times_power( by, x[1] ), dbvhi_times_power( by, x[2] ) } };
}

static double largest_of( const double x[3] ) {
	return dbvhi_larger( dbvhi_larger( fabs( x[0] ), fabs( x[1] ) ), fabs( x[2] ) );
}

// True if a corner is in the ellipsoid of a node, or the node has none. `along` is the corner in the node's frame, in
// the mesh's unit.
static bool is_in_ellipsoid( const dbvh_tree *tree, uint32_t node, dbvhi_vec along, double slack ) {
	DBVHI_ASSERT( node < tree->node_count );
	const uint32_t at = tree->ellipsoids != NULL ? tree->ellipsoid_at[node] : DBVHI_NO_ELLIPSOID;
	if ( at == DBVHI_NO_ELLIPSOID )
		return true;
	const dbvhi_node_ellipsoid *e = &tree->ellipsoids[at];
	const dbvhi_vec d = dbvhi_sub( along, e->reach.centre );
	const double off = slack + 8.0 * 0x1p-53 * ( fabs( d.v[0] ) + fabs( d.v[1] ) + fabs( d.v[2] ) );
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double *row = e->to_ball.m[k];
		const double x = fabs( row[0] * d.v[0] + row[1] * d.v[1] + row[2] * d.v[2] ) +
		                 off * sqrt( row[0] * row[0] + row[1] * row[1] + row[2] * row[2] );
		sum += x * x;
	}
	return sum <= 1.0;
}

static const char *check_ellipsoids( const dbvh_tree *tree ) {
	size_t count = 0, chosen = 0, packed = 0;
	uint32_t least = UINT32_MAX;
	for ( size_t i = 0; i < 64 * ( tree->node_count / 64 + 1 ); ++i ) {
		const uint32_t at = i < tree->node_count ? tree->ellipsoid_at[i] : DBVHI_NO_ELLIPSOID;
		const bool is_wanted = tree->ellipsoid_wanted[i / 64] >> i % 64 & 1;
		if ( at == DBVHI_NO_ELLIPSOID && is_wanted )
			return "one is wanted of a node without";
		if ( at == DBVHI_NO_ELLIPSOID )
			continue;
		if ( at != count || at >= tree->ellipsoid_count )
			return "a node's ellipsoid is not where it should be";
		const dbvhi_node_ellipsoid *e = &tree->ellipsoids[at];
		if ( !all_finite( &e->to_ball.m[0][0], 9 ) || !all_finite( e->reach.shape, 6 ) ||
		     !all_finite( e->reach.centre.v, 3 ) || !isfinite( e->reach.longest ) || !isfinite( e->inverse_shortest ) )
			return "a number is not finite";
		// Check T S T^T = I for T = to_ball and S = shape, up to 2^-47 of the longest square, the precision of S.
		const double longest = e->reach.longest;
		double unit[6], length[3];
		dbvhi_shape_turn( &e->to_ball, e->reach.shape, unit );
		for ( int k = 0; k < 3; ++k ) {
			const double *row = e->to_ball.m[k];
			length[k] = sqrt( row[0] * row[0] + row[1] * row[1] + row[2] * row[2] );
			if ( length[k] > e->inverse_shortest || length[k] * longest < 1.0 )
				return "a half length is not between the shortest and the longest";
		}
		for ( int k = 0; k < 3; ++k ) {
			const double scale = longest * longest * length[k];
			if ( fabs( unit[k] - 1.0 ) > 0x1p-47 * scale * length[k] ||
			     fabs( unit[3 + k] ) > 0x1p-47 * scale * length[( k + 1 ) % 3] )
				return "an ellipsoid's support is not that of its ball";
		}
		if ( is_wanted != e->chosen )
			return "whether a node's is chosen is said twice, and differently";
		const uint32_t total = dbvhi_tree_nodes( tree )[i].total;
		least = e->chosen && total < least ? total : least;
		chosen += e->chosen;
		packed += e->packed;
		count += 1;
	}
	if ( least != tree->ellipsoid_least )
		return "the smallest node with a chosen one has more or fewer triangles than recorded";
	const bool right = count == tree->ellipsoid_count && chosen == tree->ellipsoid_chosen &&
	                   packed == tree->ellipsoid_packed &&
	                   ( tree->packed == NULL || packed == tree->packed->ellipsoid_count );
	return right ? NULL : "their number is wrong";
}

// Volumes of a node on the path from the root to a leaf.
typedef struct enclosure {
	dbvhi_frame frame;
	dbvhi_vec sphere_centre;
	double half[3], radius;
	uint32_t node;
} enclosure;

static dbvh_status check_ellipsoid( const validation *v, const enclosure *e, const double whole[9] ) {
	for ( int corner = 0; corner < 3 && v->tree->ellipsoids != NULL; ++corner ) {
		const dbvhi_vec p = point_in_scale( v->down, whole + (size_t)( 3 * corner ) );
		const dbvhi_vec local = dbvhi_sub( p, e->frame.origin );
		const dbvhi_vec along = dbvhi_mat_apply_transposed( &e->frame.axes, local );
		const double largest = largest_of( local.v );
		const double slack = 0.5 * dbvhi_projection_error( largest );
		if ( !is_in_ellipsoid( v->tree, e->node, scaled( along, v->exponent ), ldexp( slack, v->exponent ) ) )
			return broken( v, e->node, "a triangle leaves the ellipsoid" );
	}
	return DBVH_OK;
}

// Checks the corners of a triangle or fragment against box and sphere.
static dbvh_status check_volumes( const validation *v, const enclosure *e, const double corners[9] ) {
	for ( int corner = 0; corner < 3; ++corner ) {
		const dbvhi_vec p = point_in_scale( v->down, corners + (size_t)( 3 * corner ) );
		const dbvhi_vec local = dbvhi_sub( p, e->frame.origin );
		const dbvhi_vec along = dbvhi_mat_apply_transposed( &e->frame.axes, local );
		const double largest = largest_of( local.v );
		// The computed projection may be below the true one by this slack, half of the margin that the fit has added.
		const double slack = 0.5 * dbvhi_projection_error( largest );
		for ( int k = 0; k < 3; ++k ) {
			if ( !( fabs( along.v[k] ) + slack + v->fragment_error <= e->half[k] ) )
				return broken( v, e->node, "a triangle leaves the box" );
		}
		const dbvhi_vec d = dbvhi_sub( p, e->sphere_centre );
		if ( !( dbvhi_length( d ) * ( 1.0 + 4.0 * 0x1p-53 ) + v->fragment_error <= e->radius ) )
			return broken( v, e->node, "a triangle leaves the sphere" );
	}
	return DBVH_OK;
}

// Checks box and sphere against the corners of the fragment, the ellipsoid against those of the whole triangle, which
// contains the fragment.
static dbvh_status check_enclosure( const validation *v, const enclosure *e, const double corners[9],
                                    const double whole[9] ) {
	const dbvh_status status = check_volumes( v, e, corners );
	return status == DBVH_OK ? check_ellipsoid( v, e, whole ) : status;
}

static dbvh_status check_node( validation *v, const dbvhi_node *node, const visit *at, enclosure *own ) {
	// note: extents of a mesh that reaches the largest double may be infinite; such volumes separate nothing.
	const bool may_overflow = v->tree->largest > 0x1p1000;
	const double longest = largest_of( node->half.v ); // negative extents are checked below
	if ( !( longest <= DBL_MAX || may_overflow ) || !( node->radius <= DBL_MAX || may_overflow ) )
		return broken( v, at->node, "an extent is not finite" );
	if ( !all_finite( &node->rot.m[0][0], 9 ) || !all_finite( node->pos.v, 3 ) ||
	     !all_finite( node->sphere_outside.v, 3 ) || !all_finite( node->sphere_inside.v, 3 ) )
		return broken( v, at->node, "a volume has a number that is not finite" );
	const double *half = node->half.v;
	if ( !( half[0] >= 0.0 && half[1] >= 0.0 && half[2] >= 0.0 ) )
		return broken( v, at->node, "an extent is negative" );
	if ( v->tree->options.box_fit != DBVH_BOX_FIT_RAPID && !( half[0] <= half[1] && half[1] <= half[2] ) )
		return broken( v, at->node, "the extents are not in ascending order" );
	if ( !( node->radius >= 0.0 ) )
		return broken( v, at->node, "the radius is negative" );
	// The frame is a product of as many steps as the node is deep, each accurate to a few units in the last place.
	dbvhi_node step = *node;
	step.pos = point_in_scale( v->down, node->pos.v );
	own->frame = dbvhi_frame_step( &at->parent, &step );
	if ( !is_rotation( &own->frame.axes, 32.0 * 0x1p-53 * ( at->depth + 1 ) ) )
		return broken( v, at->node, "the axes are not orthonormal" );
	own->node = at->node;
	own->sphere_centre = dbvhi_frame_point( &at->parent, point_in_scale( v->down, node->sphere_outside.v ) );
	const dbvhi_vec inside = dbvhi_frame_point( &own->frame, point_in_scale( v->down, node->sphere_inside.v ) );
	const dbvhi_vec gap = dbvhi_sub( inside, own->sphere_centre );
	const double size = dbvhi_times_power( v->down, node->radius + longest ) + dbvhi_length( own->frame.origin );
	if ( dbvhi_length( gap ) > 64.0 * 0x1p-53 * ( at->depth + 1 ) * size + 0x1p-900 + v->subnormal )
		return broken( v, at->node, "the two positions of the sphere's centre disagree" );
	for ( int k = 0; k < 3; ++k )
		own->half[k] = dbvhi_times_power( v->down, node->half.v[k] );
	own->radius = dbvhi_times_power( v->down, node->radius );
	v->deepest = at->depth > v->deepest ? at->depth : v->deepest;
	return DBVH_OK;
}

// Compares doubles by their bits, whose order is that of sizes, with infinities and NaN above all numbers.
static bool is_largest( const dbvh_tree *tree, double largest ) {
	const double *numbers = tree->corners != NULL ? tree->corners : tree->vertices;
	const size_t count = tree->corners != NULL ? 9 * tree->triangle_count : 3 * tree->vertex_count;
	uint64_t most[3] = { 0 }, recorded;
	for ( size_t i = 0; i + 3 <= count; i += 3 ) {
		for ( size_t k = 0; k < 3; ++k ) { // three independent chains of maxima
			uint64_t bits;
			memcpy( &bits, numbers + i + k, sizeof bits );
			bits &= UINT64_MAX >> 1;
			most[k] = bits > most[k] ? bits : most[k];
		}
	}
	memcpy( &recorded, &largest, sizeof recorded );
	const uint64_t of_two = most[0] > most[1] ? most[0] : most[1];
	return ( of_two > most[2] ? of_two : most[2] ) == recorded && isfinite( largest );
}

// Returns false if the triangle at a leaf index does not exist, was seen before without fragments, or has an impossible
// path.
static bool see_triangle( validation *v, uint32_t leaf_index ) {
	const uint32_t number = v->tree->triangle[leaf_index];
	if ( number >= v->tree->mesh_triangle_count )
		return false;
	v->triangles_seen += 1;
	if ( v->tree->fragment == NULL )
		return v->triangle_seen[number]++ == 0;
	const uint32_t path = v->tree->fragment[leaf_index];
	v->fragments[leaf_index] = (uint64_t)number << 32 | path;
	return path >= DBVHI_WHOLE && path >> DBVHI_FRAGMENT_STEPS <= 1;
}

// see_triangle() for all leaf indices.
static bool see_all_triangles( validation *v ) {
	const dbvh_tree *tree = v->tree;
	const size_t count = tree->triangle_count, mesh_count = tree->mesh_triangle_count;
	bool good = true;
	for ( size_t i = 0; i < count && tree->fragment != NULL && good; ++i )
		good = see_triangle( v, (uint32_t)i );
	if ( tree->fragment != NULL )
		return good;
	for ( size_t i = 0; i < count; ++i ) {
		const uint32_t number = tree->triangle[i];
		if ( number >= mesh_count || v->triangle_seen[number] != 0 )
			return false;
		v->triangle_seen[number] = 1;
	}
	v->triangles_seen += count;
	return true;
}

// True if the fragments of each triangle cover it without overlap: sorted side by side, each begins where the one
// before ends.
static bool fragments_are_whole( validation *v ) {
	const uint64_t whole = UINT64_C( 1 ) << DBVHI_FRAGMENT_STEPS;
	const size_t count = v->tree->triangle_count;
	if ( v->fragments == NULL )
		return true;
	// The sort key is the triangle, then where the fragment begins.
	for ( size_t i = 0; i < count; ++i )
		v->fragments[i] = ( v->fragments[i] >> 32 ) << 32 | dbvhi_fragment_key( (uint32_t)v->fragments[i] );
	dbvhi_sort_u64( v->fragments, count );
	uint64_t end = whole;
	for ( size_t i = 0; i < count; ++i ) {
		const uint64_t number = v->fragments[i] >> 32, begin = v->fragments[i] >> 16 & 0xffff;
		const bool first = i == 0 || number != v->fragments[i - 1] >> 32;
		if ( first ? begin != 0 || end != whole : begin != end )
			return false;
		end = begin + ( v->fragments[i] & 0xffff );
		v->triangle_seen[number] = 1;
	}
	return end == whole;
}

// True if every triangle of a mesh without twins is kept.
static bool all_are_seen( const validation *v ) {
	return v->tree->twins != NULL || memchr( v->triangle_seen, 0, v->tree->mesh_triangle_count ) == NULL;
}

// Checks the triangles of a leaf against the volumes of all nodes above it, listed in `path`.
static dbvh_status check_leaf( validation *v, const dbvhi_node *node, const visit *at, const enclosure *path ) {
	const dbvh_tree *tree = v->tree;
	if ( node->low != node->first || node->total != node->count )
		return broken( v, at->node, "its triangles are not a leaf's" );
	v->leaves_seen += 1;
	if ( node->count > tree->options.leaf_size || node->first > tree->triangle_count ||
	     node->count > tree->triangle_count - node->first )
		return broken( v, at->node, "the leaf's triangles are out of range" );
	for ( uint32_t i = node->first; i < node->first + node->count; ++i ) {
		if ( !see_triangle( v, i ) )
			return broken( v, at->node, "a triangle is in two leaves or does not exist" );
		if ( i % v->sample != 0 )
			continue;
		double copy[9], corners[9];
		const double *whole = dbvhi_tree_triangle( tree, i, copy );
		dbvhi_tree_fragment( tree, i, corners );
		for ( uint32_t d = 0; d < at->depth; ++d ) {
			DBVHI_TRY( check_enclosure( v, &path[d], corners, whole ) );
		}
	}
	return DBVH_OK;
}

// True if the triangles of an inner node are those of its children, if these exist.
static bool has_those_of_children( const dbvh_tree *tree, const dbvhi_node *node ) {
	if ( (size_t)node->first + 1 >= tree->node_count )
		return true; // note: refused where the traversal reaches it
	const dbvhi_node *left = &dbvhi_tree_nodes( tree )[node->first], *right = left + 1;
	return left->low == node->low && right->low == left->low + left->total && left->total + right->total == node->total;
}

// Compares the counts of the walk with those recorded in the tree.
static dbvh_status check_counts( validation *v ) {
	const dbvh_tree *tree = v->tree;
	if ( v->nodes_seen != tree->node_count || v->leaves_seen != tree->leaf_count )
		return broken( v, 0, "some nodes cannot be reached from the root" );
	if ( v->triangles_seen != tree->triangle_count )
		return broken( v, 0, "some triangles are in no leaf" );
	if ( !fragments_are_whole( v ) )
		return broken( v, 0, "the fragments of a triangle are not the whole" );
	// note: the number of triangles is known to be right only here.
	if ( !is_largest( tree, tree->largest ) )
		return broken( v, 0, "the recorded largest coordinate is not the largest" );
	// note: if the order was given, the reference tree over it may be shallower than recorded.
	if ( v->deepest != tree->depth && !( tree->keeps_order && v->deepest < tree->depth ) )
		return broken( v, 0, "the recorded depth is not the depth" );
	return DBVH_OK;
}

// Prefetches two children, three cache lines each.
static void fetch_children( const dbvh_tree *tree, uint32_t first ) {
	if ( (size_t)first + 1 >= tree->node_count )
		return; // note: refused where the traversal reaches it
	for ( size_t line = 0; line < 2 * sizeof( dbvhi_node ); line += 64 )
		__builtin_prefetch( (const char *)&dbvhi_tree_nodes( tree )[first] + line );
}

// Walks the reference tree depth first. Volumes of every node must enclose every triangle below it, so the path from
// the root is kept.
static dbvh_status walk( validation *v, visit *stack, enclosure *path, uint32_t room ) {
	DBVHI_ASSERT( room > 0 );
	const dbvh_tree *tree = v->tree;
	uint32_t top = 0;
	stack[top++] = ( visit ){ 0, 1, dbvhi_frame_mesh() };
	while ( top > 0 ) {
		const visit at = stack[--top];
		if ( at.node >= tree->node_count )
			return broken( v, at.node, "it does not exist but is linked to" );
		if ( v->node_seen[at.node]++ != 0 )
			return broken( v, at.node, "it is linked to twice" );
		v->nodes_seen += 1;
		if ( at.depth > tree->depth )
			return broken( v, at.node, "it is deeper than the recorded depth" );
		const dbvhi_node *node = &dbvhi_tree_nodes( tree )[at.node];
		DBVHI_TRY( check_node( v, node, &at, &path[at.depth - 1] ) );
		if ( dbvhi_node_is_leaf( node ) )
			DBVHI_TRY( check_leaf( v, node, &at, path ) );
		if ( dbvhi_node_is_leaf( node ) )
			continue;
		if ( !has_those_of_children( tree, node ) )
			return broken( v, at.node, "its triangles are not those of its children" );
		if ( top + 2 > room )
			return broken( v, at.node, "the tree is deeper than recorded" );
		fetch_children( tree, node->first );
		for ( uint32_t i = 2; i-- > 0; )
			stack[top++] = ( visit ){ node->first + i, at.depth + 1, path[at.depth - 1].frame };
	}
	return check_counts( v );
}

static uint32_t larger_of( uint32_t a, uint32_t b ) {
	return a > b ? a : b;
}

// Checks the shared vertices of a tree: they are numbered in the order of first use, and all are used. `next` is the
// first unused one; only the largest index of a triangle is on the critical path.
static dbvh_status check_points( const validation *v ) {
	const dbvh_tree *tree = v->tree;
	uint32_t next = 0;
	for ( size_t i = 0; i < tree->triangle_count; ++i ) {
		const uint32_t *c = tree->corner + 3 * i, two = larger_of( c[0], c[1] ), three = larger_of( two, c[2] );
		if ( three >= tree->vertex_count || c[0] > next || c[1] > larger_of( next, c[0] + 1 ) ||
		     c[2] > larger_of( next, two + 1 ) )
			return dbvhi_error_set( v->error, DBVH_INVARIANT, "triangle %zu: a point is out of order", i );
		next = larger_of( next, three + 1 );
	}
	return next == tree->vertex_count ? DBVH_OK
	                                  : dbvhi_error_set( v->error, DBVH_INVARIANT, "some points are never used" );
}

// Checks the volumes of tree->root, which are not those of the first node.
static dbvh_status check_root( validation *v, enclosure *own ) {
	const dbvh_tree *tree = v->tree;
	const visit at = { 0, 1, dbvhi_frame_mesh() };
	if ( tree->root.low != 0 || tree->root.total != tree->triangle_count )
		return broken( v, 0, "the root does not have all triangles" );
	dbvh_status status = check_node( v, &tree->root, &at, own );
	for ( uint32_t i = 0; i < tree->triangle_count && status == DBVH_OK; i += v->sample ) {
		double corners[9];
		dbvhi_tree_fragment( tree, i, corners );
		status = check_volumes( v, own, corners );
	}
	return status;
}

// True if a reference tree with one triangle a leaf could have the recorded depth.
static bool is_possible_depth( const dbvh_tree *tree ) {
	return tree->depth <= tree->triangle_count &&
	       ( tree->depth > 32 || tree->triangle_count <= UINT64_C( 1 ) << ( tree->depth - 1 ) );
}

// Checks a tree without its reference tree: the volumes of the root, and each triangle at one leaf index.
// dbvhi_packed_check() checks the rest.
static dbvh_status check_alone( validation *v, enclosure *own ) {
	const dbvh_tree *tree = v->tree;
	if ( tree->packed == NULL )
		return broken( v, 0, "there is neither a packed form nor a reference tree" );
	if ( !is_possible_depth( tree ) )
		return broken( v, 0, "the recorded depth is not possible" );
	// note: paths are checked before corners, which are computed from them.
	if ( !see_all_triangles( v ) )
		return broken( v, 0, "a triangle is in two leaves or does not exist" );
	if ( !fragments_are_whole( v ) )
		return broken( v, 0, "the fragments of a triangle are not the whole" );
	const dbvh_status status = check_root( v, own );
	if ( status == DBVH_OK && !is_largest( tree, tree->largest ) )
		return broken( v, 0, "the recorded largest coordinate is not the largest" );
	return status;
}

static void sort3( uint32_t x[3] ) {
	for ( int pass = 0; pass < 3; ++pass ) {
		const int i = pass % 2;
		const uint32_t low = x[i] < x[i + 1] ? x[i] : x[i + 1], high = x[i] < x[i + 1] ? x[i + 1] : x[i];
		x[i] = low;
		x[i + 1] = high;
	}
}

// True if two triangles have the same points in any order.
static bool has_same_points( const dbvhi_topology *t, uint32_t i, uint32_t j ) {
	DBVHI_ASSERT( i < t->triangle_count && j < t->triangle_count );
	uint32_t p[3], q[3];
	memcpy( p, t->corner + 3 * (size_t)i, sizeof p );
	memcpy( q, t->corner + 3 * (size_t)j, sizeof q );
	sort3( p );
	sort3( q );
	return memcmp( p, q, sizeof p ) == 0;
}

// Checks the topology by itself and against the triangles, which are known to have one leaf index each. `seen` has room
// for a number for each component.
static const char *check_topology( const dbvh_tree *tree, uint32_t *seen ) {
	const dbvhi_topology *t = tree->topology;
	if ( t->triangle_count != tree->mesh_triangle_count )
		return "it is of another mesh";
	const char *rule = dbvhi_topology_check( t, seen );
	for ( size_t i = 0; i < tree->triangle_count && rule == NULL; ++i ) {
		uint32_t twin_count;
		const uint32_t *twins = dbvhi_tree_twins( tree, (uint32_t)i, &twin_count );
		for ( uint32_t k = 0; k < twin_count; ++k ) {
			// note: for a divided triangle, the leaf index of any of its fragments.
			const uint32_t leaf_index = tree->leaf[twins[k]];
			if ( leaf_index != i &&
			     ( !dbvhi_tree_is_divided( tree, (uint32_t)i ) || leaf_index >= tree->triangle_count ||
			       tree->triangle[leaf_index] != tree->triangle[i] ) )
				return "a triangle's place is not where it is";
			if ( k > 0 && !has_same_points( t, twins[0], twins[k] ) )
				return "two triangles that are the same have other points";
		}
		const uint32_t *corner = t->corner + 3 * (size_t)tree->triangle[i];
		for ( size_t k = 0; k < 9; ++k ) {
			if ( t->position[3 * (size_t)corner[k / 3] + k % 3] != tree->corners[9 * i + k] )
				rule = "a point is not where a triangle has it";
		}
	}
	return rule;
}

// ------------------------------------------------------------------------------------------------
// The parts

static dbvh_status say( const validation *v, const char *part, const char *rule ) {
	return rule == NULL ? DBVH_OK : dbvhi_error_set( v->error, DBVH_INVARIANT, "%s: %s", part, rule );
}

static dbvh_status see_nodes( validation *v, visit *stack, enclosure *path, uint32_t room ) {
	const dbvh_tree *tree = v->tree;
	if ( tree->corners == NULL )
		DBVHI_TRY( check_points( v ) );
	if ( tree->ellipsoids != NULL )
		DBVHI_TRY( say( v, "the ellipsoids", check_ellipsoids( tree ) ) );
	DBVHI_TRY( v->node_seen != NULL ? walk( v, stack, path, room ) : check_alone( v, path ) );
	if ( v->node_seen != NULL )
		DBVHI_TRY( check_root( v, path ) );
	if ( !all_are_seen( v ) )
		return dbvhi_error_set( v->error, DBVH_INVARIANT, "a triangle of the mesh is missing" );
	return DBVH_OK;
}

static dbvh_status see_packed( validation *v ) {
	memset( v->triangle_seen, 0, v->tree->triangle_count );
	const char *rule = NULL;
	const dbvh_status status = dbvhi_packed_check( v->tree, v->sample, v->triangle_seen, &rule );
	return status == DBVH_OK ? say( v, "the packed form", rule ) : dbvhi_error_status( v->error, status );
}

static dbvh_status see_twins( validation *v ) {
	memset( v->triangle_seen, 0, v->tree->mesh_triangle_count );
	return say( v, "triangles that are the same",
	            v->tree->twins != NULL ? dbvhi_check_twins( v->tree, v->triangle_seen ) : "there are none" );
}

// Rebuilds the topology from its points and triangles, and compares.
static dbvh_status make_topology_anew( validation *v ) {
	const dbvh_allocator *a = &v->tree->allocator;
	const dbvhi_topology *t = v->tree->topology;
	const dbvh_mesh_view view = { .positions = t->position,
	                              .vertex_count = t->point_count,
	                              .indices = t->corner,
	                              .triangle_count = t->triangle_count };
	dbvhi_topology *anew = dbvhi_topology_create( &view, a, NULL );
	if ( anew == NULL )
		return dbvhi_error_status( v->error, DBVH_OUT_OF_MEMORY );
	const bool is_right = dbvhi_topology_equal( anew, t );
	dbvhi_topology_destroy( anew, a );
	return say( v, "the topology", is_right ? NULL : "it is not what the mesh has" );
}

static dbvh_status see_topology( validation *v ) {
	const dbvh_allocator *a = &v->tree->allocator;
	const size_t count = v->tree->topology->component_count;
	uint32_t *seen = dbvhi_alloc( a, count, sizeof *seen );
	if ( seen == NULL )
		return dbvhi_error_status( v->error, DBVH_OUT_OF_MEMORY );
	const char *rule = check_topology( v->tree, seen );
	dbvhi_free( a, seen, count, sizeof *seen );
	return rule == NULL && v->sample == 1 ? make_topology_anew( v ) : say( v, "the topology", rule );
}

static dbvh_status see_all( validation *v, visit *stack, enclosure *path, uint32_t room ) {
	const dbvh_tree *tree = v->tree;
	if ( v->node_seen != NULL )
		memset( v->node_seen, 0, tree->node_count );
	memset( v->triangle_seen, 0, tree->mesh_triangle_count );
	if ( tree->largest > 0.0 )
		frexp( tree->largest, &v->exponent );
	v->down = dbvhi_power_of_two( -v->exponent );
	if ( v->exponent < -900 )
		v->subnormal = ldexp( dbvhi_subnormal_margin( (double)tree->depth ), -v->exponent );
	v->fragment_error = ldexp( tree->fragment_error, -v->exponent );
	DBVHI_TRY( see_nodes( v, stack, path, room ) );
	if ( tree->packed != NULL )
		DBVHI_TRY( see_packed( v ) );
	if ( tree->twins != NULL || tree->triangle_count < tree->mesh_triangle_count )
		DBVHI_TRY( see_twins( v ) );
	if ( v->fragments != NULL && v->sample == 1 )
		DBVHI_TRY( say( v, "fragments", dbvhi_check_divided( tree, v->fragments ) ) );
	if ( tree->topology != NULL )
		DBVHI_TRY( see_topology( v ) );
	if ( v->sample == 1 )
		DBVHI_TRY( say( v, "the mesh", dbvhi_check_hash( tree ) ) );
	return DBVH_OK;
}

dbvh_status dbvhi_tree_check( const dbvh_tree *tree, uint32_t sample, dbvh_error *error ) {
	DBVHI_ASSERT( sample >= 1 );
	if ( tree->depth == 0 || tree->depth > 2 * tree->node_count )
		return dbvhi_error_set( error, DBVH_INVARIANT, "the recorded depth is not the depth" );
	const uint32_t room = 2 * tree->depth + 2;
	const dbvh_allocator *a = &tree->allocator;
	const size_t seen_room =
	    tree->triangle_count > tree->mesh_triangle_count ? tree->triangle_count : tree->mesh_triangle_count;
	validation v = { .tree = tree, .error = error, .sample = sample };
	const bool has_reference = dbvhi_tree_has_reference( tree );
	if ( has_reference )
		v.node_seen = dbvhi_alloc( a, tree->node_count, 1 );
	v.triangle_seen = dbvhi_alloc( a, seen_room, 1 );
	visit *stack = dbvhi_alloc( a, room, sizeof( visit ) );
	enclosure *path = dbvhi_alloc( a, tree->depth, sizeof( enclosure ) );
	if ( tree->fragment != NULL )
		v.fragments = dbvhi_alloc( a, tree->triangle_count, sizeof *v.fragments );
	const bool has_memory = ( v.node_seen != NULL || !has_reference ) && v.triangle_seen != NULL && stack != NULL &&
	                        path != NULL && ( tree->fragment == NULL || v.fragments != NULL );
	const dbvh_status status =
	    has_memory ? see_all( &v, stack, path, room ) : dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	dbvhi_free( a, v.node_seen, tree->node_count, 1 );
	dbvhi_free( a, v.triangle_seen, seen_room, 1 );
	dbvhi_free( a, v.fragments, tree->triangle_count, sizeof *v.fragments );
	dbvhi_free( a, stack, room, sizeof( visit ) );
	dbvhi_free( a, path, tree->depth, sizeof( enclosure ) );
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_tree_validate( const dbvh_tree *tree, dbvh_error *error ) {
	dbvhi_error_clear( error );
	return tree != NULL ? dbvhi_tree_check( tree, 1, error ) : dbvhi_error_null( error, "tree" );
}

dbvh_status dbvh_tree_validate( const dbvh_tree *tree, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_validate( tree, error ) );
}
