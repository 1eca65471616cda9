// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The box and the ball of the root, which queries ask first and without any further margin, hold every point of the
// mesh: in rationals, since what rounding could leave outside is some 1e-16 of its size.

#include "bvh/tree.h"
#include "support/scene.h"
#include "support/unit.h"

#include <gmp.h>
#include <stdlib.h>

static void add_kind( shape *s, rng *r, size_t kind ) {
	if ( kind == 0 )
		shape_add_box( s, 1.0, 2.0, 3.0, 2 );
	else if ( kind == 1 )
		shape_add_torus( s, 1.0, 0.25, 9, 7 );
	else
		add_soup( s, r, 1 + rng_below( r, 12 ), 0.4, 0.3, false );
	const dbvh_pose pose = random_pose( r, 3.0 );
	shape_place( s, 0, &pose );
}

typedef struct projection {
	mpq_t sum, difference, product;
} projection;

// axis . (point - centre) into p->sum, exactly.
static void project( projection *p, const dbvhi_node *root, int axis, const double *point ) {
	mpq_set_ui( p->sum, 0, 1 );
	for ( int i = 0; i < 3; ++i ) {
		mpq_set_d( p->difference, point[i] );
		mpq_set_d( p->product, root->pos.v[i] );
		mpq_sub( p->difference, p->difference, p->product );
		mpq_set_d( p->product, root->rot.m[i][axis] );
		mpq_mul( p->product, p->product, p->difference );
		mpq_add( p->sum, p->sum, p->product );
	}
	mpq_abs( p->sum, p->sum );
}

// |point - centre|^2 of the ball into p->sum, exactly.
static void measure( projection *p, const dbvhi_node *root, const double *point ) {
	mpq_set_ui( p->sum, 0, 1 );
	for ( int i = 0; i < 3; ++i ) {
		mpq_set_d( p->difference, point[i] );
		mpq_set_d( p->product, root->sphere_outside.v[i] );
		mpq_sub( p->difference, p->difference, p->product );
		mpq_mul( p->product, p->difference, p->difference );
		mpq_add( p->sum, p->sum, p->product );
	}
}

static void check( projection *p, const dbvhi_node *root, const dbvh_mesh_view *view, const double *points ) {
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			project( p, root, k, points + 3 * i );
			mpq_set_d( p->difference, root->half.v[k] );
			assert_true( mpq_cmp( p->sum, p->difference ) <= 0 );
		}
		measure( p, root, points + 3 * i );
		mpq_set_d( p->difference, root->radius );
		mpq_mul( p->difference, p->difference, p->difference );
		assert_true( mpq_cmp( p->sum, p->difference ) <= 0 );
	}
}

static void holds_all( void **unused ) {
	(void)unused;
	rng r = rng_announce( "root box", 41 );
	projection p;
	mpq_inits( p.sum, p.difference, p.product, NULL );
	for ( size_t round = 0; round < rounds( 300 ) + 30; ++round ) {
		shape s = { 0 };
		add_kind( &s, &r, round % 3 );
		const dbvh_mesh_view view = shape_view( &s );
		const dbvh_tree_options options = { .thread_count = 1,
		                                    .quality = round % 2 == 0 ? DBVH_QUALITY_BEST : DBVH_QUALITY_FAST };
		dbvh_tree *tree = NULL;
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
		check( &p, &tree->root, &view, s.positions );
		for ( size_t i = 0; i < 3 * view.vertex_count; ++i )
			s.positions[i] += rng_range( &r, -0.1, 0.1 );
		assert_int_equal( dbvh_tree_refit( tree, &view, NULL ), DBVH_OK );
		check( &p, &tree->root, &view, s.positions );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	mpq_clears( p.sum, p.difference, p.product, NULL );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( holds_all ) };
	return test_main( argc, argv, tests );
}
