// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Validation: trees that are broken on purpose are found, and what is broken is named.

#include "bvh/tree.h"
#include "support/scene.h"
#include "support/unit.h"

#include <float.h>
#include <string.h>

static dbvh_tree *must_build( const dbvh_mesh_view *view, const dbvh_tree_options *options ) {
	dbvh_tree *tree = NULL;
	dbvh_tree_options with = options != NULL ? *options : dbvh_tree_options_default();
	with.reference = true;
	assert_int_equal( dbvh_tree_build( view, &with, NULL, &tree, NULL ), DBVH_OK );
	return tree;
}

typedef enum blame { BLAME_NODE, BLAME_ANY } blame;

static void expect_broken( const dbvh_tree *tree, const char *what, uint32_t node, blame who ) {
	dbvh_error error = { 0 };
	const dbvh_status status = dbvh_tree_validate( tree, &error );
	if ( status != DBVH_INVARIANT )
		fail_msg( "node %u: %s, but validation says %s", node, what, dbvh_status_name( status ) );
	assert_int_equal( error.status, DBVH_INVARIANT );
	assert_true( error.text[0] != '\0' );
	if ( who == BLAME_NODE && error.element != (int64_t)node )
		fail_msg( "node %u: %s, but validation blames %lld: %s", node, what, (long long)error.element, error.text );
	assert_true( error.element >= 0 );
	assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_INVARIANT );
}

static size_t mutations;

// Changes one number of one node, checks that it is found, and puts it back.
static void mutate( dbvh_tree *tree, uint32_t node, double *number, double value, const char *what, blame who ) {
	const double kept = *number;
	*number = value;
	expect_broken( tree, what, node, who );
	*number = kept;
	mutations += 1;
}

static void break_volume( dbvh_tree *tree, uint32_t index, rng *r ) {
	dbvhi_node *const n = &tree->nodes[index];
	const int k = (int)rng_below( r, 3 );
	if ( n->half.v[k] > 1e-6 * n->half.v[2] )
		mutate( tree, index, &n->half.v[k], n->half.v[k] * ( 1.0 - 1e-10 ), "an extent is a little smaller",
		        BLAME_NODE );
	mutate( tree, index, &n->half.v[2], 0.0, "the largest extent is 0", BLAME_NODE );
	mutate( tree, index, &n->radius, n->radius * ( 1.0 - 1e-12 ), "the radius is a little smaller", BLAME_NODE );
	mutate( tree, index, &n->radius, -n->radius, "the radius is negative", BLAME_NODE );
	mutate( tree, index, &n->half.v[0], -1e-300, "an extent is negative", BLAME_NODE );
	for ( int i = 0; i < 2; ++i ) {
		if ( n->half.v[i] == n->half.v[i + 1] )
			continue;
		const dbvhi_vec kept = n->half;
		n->half.v[i] = kept.v[i + 1];
		n->half.v[i + 1] = kept.v[i];
		expect_broken( tree, "two extents are exchanged", index, BLAME_NODE );
		n->half = kept;
		mutations += 1;
	}
	const double size = n->radius;
	mutate( tree, index, &n->pos.v[k], n->pos.v[k] + 1e-6 * size, "the box is moved", BLAME_NODE );
	mutate( tree, index, &n->sphere_outside.v[k], n->sphere_outside.v[k] + 1e-6 * size, "the sphere is moved",
	        BLAME_NODE );
	mutate( tree, index, &n->sphere_inside.v[k], n->sphere_inside.v[k] - 1e-6 * size, "the sphere is moved",
	        BLAME_NODE );
	double *const entry = &n->rot.m[rng_below( r, 3 )][k];
	if ( fabs( *entry ) > 0.1 )
		mutate( tree, index, entry, *entry * ( 1.0 + 1e-11 ), "an axis is too long", BLAME_NODE );
	double *const numbers[] = { &n->rot.m[k][1],         &n->pos.v[k],           &n->half.v[k],
	                            &n->sphere_outside.v[k], &n->sphere_inside.v[k], &n->radius };
	for ( size_t i = 0; i < 6; ++i ) {
		mutate( tree, index, numbers[i], (double)NAN, "a number is NaN", BLAME_NODE );
		mutate( tree, index, numbers[i], (double)INFINITY, "a number is infinite", BLAME_NODE );
	}
	// Both places of the sphere moved alike: it no longer encloses, if it was the smallest.
	const dbvhi_node kept = *n;
	for ( int i = 0; i < 3; ++i ) {
		n->sphere_inside.v[i] += 0.01 * size * ( i == 0 );
		n->sphere_outside.v[i] += 0.01 * size * kept.rot.m[i][0];
	}
	if ( tree->options.sphere_fit == DBVH_NODE_SPHERE_SMALLEST )
		expect_broken( tree, "the sphere is moved in both frames", index, BLAME_NODE );
	*n = kept;
	// Axes turned by a little stay orthonormal but no longer fit.
	const double c = cos( 1e-3 ), s = sin( 1e-3 );
	for ( int row = 0; row < 3; ++row ) {
		n->rot.m[row][1] = c * kept.rot.m[row][1] - s * kept.rot.m[row][2];
		n->rot.m[row][2] = s * kept.rot.m[row][1] + c * kept.rot.m[row][2];
	}
	expect_broken( tree, "the box is turned", index, BLAME_ANY );
	*n = kept;
	mutations += 2;
}

static void set_link( dbvh_tree *tree, uint32_t index, uint32_t first, uint32_t count, const char *what ) {
	dbvhi_node *const n = &tree->nodes[index];
	const dbvhi_node kept = *n;
	n->first = first;
	n->count = count;
	expect_broken( tree, what, index, BLAME_ANY );
	*n = kept;
	mutations += 1;
}

static void break_links( dbvh_tree *tree, uint32_t index ) {
	const dbvhi_node *const n = &tree->nodes[index];
	const uint32_t nodes = (uint32_t)tree->node_count, triangles = (uint32_t)tree->triangle_count;
	if ( n->count == 0 ) {
		static const uint32_t wrong[] = { 0, 1, UINT32_MAX, UINT32_MAX - 1, 1u << 31 };
		for ( size_t i = 0; i < 5; ++i ) {
			if ( wrong[i] != n->first )
				set_link( tree, index, wrong[i], 0, "the children are elsewhere" );
		}
		set_link( tree, index, index, 0, "a node is its own child" );
		set_link( tree, index, nodes, 0, "the children do not exist" );
		set_link( tree, index, nodes - 1, 0, "a child does not exist" );
		set_link( tree, index, n->first + 1, 0, "the children are the next" );
		set_link( tree, index, 0, 1, "an inner node has become a leaf" );
	} else {
		set_link( tree, index, ( n->first + 1 ) % triangles, n->count, "the triangles are another leaf's" );
		set_link( tree, index, triangles, n->count, "the triangles do not exist" );
		set_link( tree, index, UINT32_MAX, n->count, "the triangles do not exist" );
		set_link( tree, index, n->first, UINT32_MAX, "too many triangles" );
		set_link( tree, index, n->first, tree->options.leaf_size + 1, "more triangles than a leaf may have" );
		set_link( tree, index, n->first, 0, "a leaf has become an inner node" );
	}
}

static void break_whole( dbvh_tree *tree ) {
	const dbvh_tree kept = *tree;
	for ( int i = 0; i < 9; ++i ) {
		switch ( i ) {
		case 0:
			tree->depth += 1;
			break;
		case 1:
			tree->depth -= 1;
			break;
		case 2:
			tree->leaf_count += 1;
			break;
		case 3:
			tree->leaf_count -= 1;
			break;
		case 4:
			tree->node_count -= 1;
			break;
		case 5:
			tree->node_count += 1;
			break;
		case 6:
			tree->triangle_count += 1;
			break;
		case 7:
			tree->triangle_count -= 1;
			break;
		default:
			tree->depth = 1;
			break;
		}
		char what[48];
		snprintf( what, sizeof what, "fact %d about the whole", i );
		expect_broken( tree, what, 0, BLAME_ANY );
		*tree = kept;
		mutations += 1;
	}
}

static void broken_trees_are_found( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: broken", 6 );
	for ( int kind = 0; kind < 4; ++kind ) {
		shape s = { 0 };
		if ( kind == 0 )
			shape_add_sphere( &s, 1.0, 8, 6 );
		else if ( kind == 1 )
			shape_add_torus( &s, 3.0, 1.0, 9, 7 );
		else
			add_soup( &s, &r, 60, 0.4, 0.0, false );
		const dbvh_mesh_view view = shape_view( &s );
		dbvh_tree_options options = dbvh_tree_options_default();
		options.leaf_size = kind == 3 ? 4 : 1;
		options.box_fit = kind == 2 ? DBVH_BOX_FIT_COVARIANCE : DBVH_BOX_FIT_BEST;
		options.sphere_fit = kind == 2 ? DBVH_NODE_SPHERE_BOX_CENTRE : DBVH_NODE_SPHERE_SMALLEST;
		dbvh_tree *const tree = must_build( &view, &options );
		for ( uint32_t node = 0; node < tree->node_count; ++node ) {
			break_volume( tree, node, &r );
			break_links( tree, node );
		}
		break_whole( tree );
		for ( size_t i = 0; i < tree->triangle_count; ++i ) {
			const uint32_t kept = tree->triangle[i];
			tree->triangle[i] = tree->triangle[( i + 1 ) % tree->triangle_count];
			expect_broken( tree, "a triangle is there twice", (uint32_t)i, BLAME_ANY );
			tree->triangle[i] = (uint32_t)tree->triangle_count;
			expect_broken( tree, "a triangle does not exist", (uint32_t)i, BLAME_ANY );
			tree->triangle[i] = kept;
			double *const corner = &tree->corners[9 * i + rng_below( &r, 9 )];
			mutate( tree, (uint32_t)i, corner, *corner + 20.0, "a corner is far away", BLAME_ANY );
			mutate( tree, (uint32_t)i, corner, (double)NAN, "a corner is NaN", BLAME_ANY );
			mutate( tree, (uint32_t)i, corner, (double)INFINITY, "a corner is infinite", BLAME_ANY );
		}
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_OK );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	printf( "tree: %zu mutations found\n", mutations );
	assert_int_equal( dbvh_tree_validate( NULL, NULL ), DBVH_INVALID_ARGUMENT );
}

// A recorded depth of 0 is as broken as any other wrong one.
static void depth_of_nothing( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 1 );
	const dbvh_mesh_view view = shape_view( &s );
	dbvh_tree *const tree = must_build( &view, NULL );
	const uint32_t kept = tree->depth;
	tree->depth = 0;
	const dbvh_status none = dbvh_tree_validate( tree, NULL );
	tree->depth = kept;
	dbvh_tree_destroy( tree );
	shape_free( &s );
	assert_int_equal( none, DBVH_INVARIANT );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( broken_trees_are_found ),
	    cmocka_unit_test( depth_of_nothing ),
	};
	return test_main( argc, argv, tests );
}
