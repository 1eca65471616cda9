// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The list of nodes: links, ranges of triangles and volumes are right, whatever the room, and for trees that keep a
// reference tree as for those that build it on demand.

#include "bvh/tree.h"
#include "support/scene.h"
#include "support/unit.h"

#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_kind( shape *s, rng *r, int kind ) {
	if ( kind == 0 )
		shape_add_torus( s, 1.0, 0.25, 12, 10 );
	else if ( kind == 1 )
		add_soup( s, r, 1 + rng_below( r, 60 ), 0.4, 0.1, false );
	else
		for ( int i = 0; i < 2; ++i ) // each triangle twice
			shape_add_box( s, 1.0, 2.0, 3.0, 2 );
}

static bool in_volumes( const dbvh_tree_node *node, const double *x ) {
	double square = 0.0, size = node->sphere.radius;
	for ( int k = 0; k < 3; ++k ) {
		square += ( x[k] - node->sphere.centre[k] ) * ( x[k] - node->sphere.centre[k] );
		size = fmax( size, fabs( x[k] ) );
	}
	const double slack = 0x1p-40 * size;
	bool inside = sqrt( square ) <= node->sphere.radius + slack;
	for ( int i = 0; i < 3; ++i ) {
		double along = 0.0;
		for ( int k = 0; k < 3; ++k )
			along += ( x[k] - node->box.centre[k] ) * node->box.axis[i][k];
		inside = inside && fabs( along ) <= node->box.half[i] + slack;
	}
	return inside;
}

static void check_node( const shape *s, const dbvh_tree_node *nodes, size_t count, size_t i, const uint32_t *order ) {
	const dbvh_mesh_view view = shape_view( s );
	const uint32_t *corners = view.indices;
	const dbvh_tree_node *node = &nodes[i];
	assert_true( i == 0 ? node->parent == DBVH_NO_NODE && node->level == 0
	                    : node->parent < i && node->level == nodes[node->parent].level + 1 );
	for ( uint32_t t = node->first; t < node->first + node->triangle_count; ++t )
		for ( int k = 0; k < 3; ++k )
			assert_true( in_volumes( node, s->positions + 3 * (size_t)corners[3 * (size_t)order[t] + (size_t)k] ) );
	if ( node->child == DBVH_NO_NODE )
		return;
	assert_false( node->is_leaf );
	assert_true( node->child + 1 < count );
	const dbvh_tree_node *a = &nodes[node->child], *b = a + 1;
	assert_true( a->parent == i && b->parent == i );
	assert_int_equal( a->triangle_count + b->triangle_count, node->triangle_count );
	assert_true( ( a->first == node->first && b->first == a->first + a->triangle_count ) ||
	             ( b->first == node->first && a->first == b->first + b->triangle_count ) );
}

static void lists( void **unused ) {
	(void)unused;
	rng r = rng_announce( "tree nodes", 20261122 );
	size_t cut_short = 0;
	for ( size_t round = 0; round < rounds( 60 ) + 6; ++round ) {
		shape s = { 0 };
		add_kind( &s, &r, (int)( round % 3 ) );
		const dbvh_mesh_view view = shape_view( &s );
		const dbvh_tree_options options = {
		    .thread_count = 1, .topology = round % 2 == 0, .reference = round % 2 == 1 };
		dbvh_tree *tree = NULL;
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
		const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
		const size_t room = rng_below( &r, 3 ) == 0 ? 1 + rng_below( &r, stats.node_count ) : stats.node_count;
		dbvh_tree_node *nodes = calloc( room, sizeof *nodes );
		uint32_t *order = calloc( stats.fragment_count, sizeof *order );
		bool *seen = calloc( stats.triangle_count, sizeof *seen );
		assert_true( nodes != NULL && order != NULL && seen != NULL );
		size_t count = 0;
		assert_int_equal( dbvh_tree_get_nodes( tree, nodes, room, order, stats.fragment_count, &count, NULL ),
		                  DBVH_OK );
		assert_true( count <= room && count + 1 >= room && count % 2 == 1 );
		assert_true( room < stats.node_count || count == stats.node_count );
		for ( size_t i = 0; i < stats.fragment_count; ++i ) {
			assert_true( order[i] < stats.triangle_count && !seen[order[i]] );
			seen[order[i]] = true;
		}
		uint32_t depth = 0;
		for ( size_t i = 0; i < count; ++i ) {
			check_node( &s, nodes, count, i, order );
			depth = nodes[i].level + 1 > depth ? nodes[i].level + 1 : depth;
			assert_true( i == 0 || nodes[i].level >= nodes[i - 1].level );
		}
		assert_true( room < stats.node_count || depth == stats.depth );
		assert_int_equal( nodes[0].triangle_count, stats.fragment_count );
		cut_short += room < stats.node_count;
		free( nodes );
		free( order );
		free( seen );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	assert_outcomes( cut_short > 0 );
}

// ------------------------------------------------------------------------------------------------
// Ellipsoids

// Is a point within `slack` of the ellipsoid, at most? Longer by it in each half length, it holds all that are.
static bool near_ellipsoid( const dbvh_ellipsoid *e, const double *x, double slack ) {
	long double sum = 0.0L;
	for ( int i = 0; i < 3; ++i ) {
		long double along = 0.0L;
		for ( int k = 0; k < 3; ++k )
			along += ( (long double)x[k] - e->centre[k] ) * e->axis[i][k];
		along /= (long double)e->half[i] + slack;
		sum += along * along;
	}
	return sum <= 1.0L;
}

static void check_ellipsoid( const shape *s, const dbvh_tree_node *node, const uint32_t *order, double largest ) {
	const dbvh_ellipsoid none = { { 0 }, { { 0 } }, { 0 } };
	if ( !node->has_ellipsoid ) {
		assert_memory_equal( &node->ellipsoid, &none, sizeof none );
		return;
	}
	for ( uint32_t t = 0; t < 3 * node->triangle_count; ++t ) {
		const uint32_t vertex = s->indices[3 * (size_t)order[node->first + t / 3] + t % 3];
		assert_true( near_ellipsoid( &node->ellipsoid, s->positions + 3 * (size_t)vertex, 0x1p-45 * largest ) );
	}
	for ( int i = 0; i < 3; ++i ) {
		// The ellipsoid is not much longer than the ball about the triangles.
		assert_true( node->ellipsoid.half[i] > 0.0 && node->ellipsoid.half[i] <= 4.0 * node->sphere.radius );
		for ( int k = 0; k < 3; ++k ) {
			const double *x = node->ellipsoid.axis[i], *y = node->ellipsoid.axis[k];
			assert_true( fabs( x[0] * y[0] + x[1] * y[1] + x[2] * y[2] - ( i == k ) ) <= 0x1p-45 );
		}
	}
}

// Chosen nodes or all have one, and it encloses what is below the node, wherever the mesh is and however large.
static int compare_lengths( const void *a, const void *b ) {
	const long double x = *(const long double *)a, y = *(const long double *)b;
	return ( x > y ) - ( x < y );
}

// The half lengths of all ellipsoids are at least those that the tree stores the inverses of, smallest to smallest.
static void check_lengths( const dbvh_tree *tree, const dbvh_tree_node *nodes, size_t count, size_t found ) {
	long double *const stored = malloc( 3 * ( found + 1 ) * sizeof *stored );
	long double *const listed = malloc( 3 * ( found + 1 ) * sizeof *listed );
	assert_true( stored != NULL && listed != NULL );
	size_t n = 0;
	for ( size_t i = 0; i < count; ++i ) {
		for ( int k = 0; k < 3 && nodes[i].has_ellipsoid; ++k )
			listed[n++] = nodes[i].ellipsoid.half[k];
	}
	assert_int_equal( n, 3 * found );
	for ( size_t i = 0; i < n; ++i ) {
		const double *row = tree->ellipsoids[i / 3].to_ball.m[i % 3];
		long double square = 0.0L;
		for ( int k = 0; k < 3; ++k )
			square += (long double)row[k] * row[k];
		stored[i] = 1.0L / sqrtl( square );
	}
	qsort( stored, n, sizeof *stored, compare_lengths );
	qsort( listed, n, sizeof *listed, compare_lengths );
	for ( size_t i = 0; i < n; ++i )
		assert_true( listed[i] >= stored[i] );
	free( stored );
	free( listed );
}

static void ellipsoids( void **unused ) {
	(void)unused;
	rng r = rng_announce( "tree nodes: ellipsoids", 20261124 );
	size_t with = 0, without = 0;
	for ( size_t round = 0; round < rounds( 40 ) + 8; ++round ) {
		shape s = { 0 };
		const int kind = (int)( round % 4 );
		if ( kind == 3 )
			shape_add_sphere( &s, 1.0, 24, 12 );
		else
			add_kind( &s, &r, kind );
		const double size = ldexp( 1.0, (int)rng_below( &r, 60 ) - 30 ), thin = ldexp( 1.0, -(int)rng_below( &r, 20 ) );
		double largest = 0.0;
		for ( size_t i = 0; i < 3 * s.vertex_count; ++i ) {
			s.positions[i] = size * ( ( i % 3 == 0 ? thin : 1.0 ) * s.positions[i] + ( round % 2 == 0 ? 3.0 : 0.0 ) );
			largest = fmax( largest, fabs( s.positions[i] ) );
		}
		const dbvh_mesh_view view = shape_view( &s );
		const dbvh_tree_options options = { .thread_count = 1,
		                                    .reference = true,
		                                    .fragments = DBVH_FRAGMENTS_NONE,
		                                    .ellipsoids =
		                                        round % 8 == 7 ? DBVH_ELLIPSOIDS_MIXED : DBVH_ELLIPSOIDS_ALL };
		dbvh_tree *tree = NULL;
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
		const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
		dbvh_tree_node *nodes = calloc( stats.node_count, sizeof *nodes );
		uint32_t *order = calloc( stats.fragment_count, sizeof *order );
		assert_true( nodes != NULL && order != NULL );
		size_t count = 0, found = 0;
		assert_int_equal(
		    dbvh_tree_get_nodes( tree, nodes, stats.node_count, order, stats.fragment_count, &count, NULL ), DBVH_OK );
		for ( size_t i = 0; i < count; ++i ) {
			check_ellipsoid( &s, &nodes[i], order, largest );
			found += nodes[i].has_ellipsoid;
		}
		assert_int_equal( found, stats.ellipsoid_count );
		check_lengths( tree, nodes, count, found );
		with += found;
		without += count - found;
		free( nodes );
		free( order );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	printf( "%zu nodes with ellipsoids, %zu without\n", with, without );
	assert_outcomes( with > 0 && without > 0 );
}

static void refusals( void **unused ) {
	(void)unused;
	dbvh_tree_node node;
	size_t count = 7;
	dbvh_error error;
	assert_int_equal( dbvh_tree_get_nodes( NULL, &node, 1, NULL, 0, &count, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( count, 0 );
	assert_true( error.text[0] != '\0' );
	shape s = { 0 };
	shape_add_box( &s, 1.0, 1.0, 1.0, 1 );
	const dbvh_mesh_view view = shape_view( &s );
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &tree, NULL ), DBVH_OK );
	count = 7;
	assert_int_equal( dbvh_tree_get_nodes( tree, &node, 1, NULL, 0, &count, &error ), DBVH_INVALID_ARGUMENT );
	assert_non_null( strstr( error.text, "dbvh_tree_options.reference" ) );
	assert_int_equal( count, 0 );
	dbvh_tree_destroy( tree );
	const dbvh_tree_options options = { .reference = true };
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_get_nodes( tree, NULL, 1, NULL, 0, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_tree_get_nodes( tree, NULL, 0, NULL, 0, &count, NULL ), DBVH_OK );
	assert_int_equal( count, 0 );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// ------------------------------------------------------------------------------------------------
// In rational numbers

// Is a corner in a node's box and sphere, as exact arithmetic has it on the doubles that are told?
static bool holds( const dbvh_tree_node *node, const double *x ) {
	mpq_t d[3], factor, sum, square;
	mpq_inits( d[0], d[1], d[2], factor, sum, square, NULL );
	for ( int k = 0; k < 3; ++k ) {
		mpq_set_d( d[k], x[k] );
		mpq_set_d( factor, node->box.centre[k] );
		mpq_sub( d[k], d[k], factor );
	}
	bool held = true;
	for ( int i = 0; i < 3 && isfinite( node->box.half[i] ); ++i ) {
		mpq_set_ui( sum, 0, 1 );
		for ( int k = 0; k < 3; ++k ) {
			mpq_set_d( factor, node->box.axis[i][k] );
			mpq_mul( factor, factor, d[k] );
			mpq_add( sum, sum, factor );
		}
		mpq_abs( sum, sum );
		mpq_set_d( factor, node->box.half[i] );
		held = held && mpq_cmp( sum, factor ) <= 0;
	}
	mpq_set_ui( sum, 0, 1 );
	for ( int k = 0; k < 3; ++k ) {
		mpq_set_d( d[k], x[k] );
		mpq_set_d( factor, node->sphere.centre[k] );
		mpq_sub( d[k], d[k], factor );
		mpq_mul( square, d[k], d[k] );
		mpq_add( sum, sum, square );
	}
	if ( isfinite( node->sphere.radius ) ) {
		mpq_set_d( factor, node->sphere.radius );
		mpq_mul( factor, factor, factor );
		held = held && mpq_cmp( sum, factor ) <= 0;
	}
	mpq_clears( d[0], d[1], d[2], factor, sum, square, NULL );
	return held;
}

// At every size that coordinates may have, every node holds every corner of its triangles.
static void enclosure_at_all_scales( void **unused ) {
	(void)unused;
	rng r = rng_announce( "tree nodes: all scales", 20261123 );
	size_t asked = 0;
	for ( int e = -1074; e <= 1023; e += rounds( 8 ) > 60 || e < -1040 ? 1 : 8 + (int)rng_below( &r, 8 ) ) {
		shape s = { 0 };
		add_soup( &s, &r, 1 + rng_below( &r, e < -1050 ? 40 : 16 ), 0.4, 0.2, false );
		const int away = rng_below( &r, 2 ) == 0 ? (int)rng_below( &r, 12 ) : 0;
		for ( size_t i = 0; i < 3 * s.vertex_count; ++i )
			s.positions[i] = ldexp( away > 0 ? s.positions[i] * ldexp( 1.0, -away ) + 0.4 : s.positions[i] * 0.5, e );
		const dbvh_mesh_view view = shape_view( &s );
		const dbvh_tree_options options = { .thread_count = 1,
		                                    .fragments = DBVH_FRAGMENTS_NONE,
		                                    .leaf_size = 1 + (uint32_t)rng_below( &r, 2 ),
		                                    .sphere_fit = (dbvh_node_sphere)rng_below( &r, 3 ),
		                                    .box_fit = (dbvh_box_fit)rng_below( &r, 3 ),
		                                    .reference = true };
		dbvh_tree *tree = NULL;
		dbvh_error error;
		assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
		if ( dbvh_tree_validate( tree, &error ) != DBVH_OK )
			fail_msg( "2^%d: %s", e, error.text );
		const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
		dbvh_tree_node *nodes = calloc( stats.node_count, sizeof *nodes );
		uint32_t *order = calloc( stats.fragment_count, sizeof *order );
		size_t count = 0;
		assert_true( nodes != NULL && order != NULL );
		assert_int_equal(
		    dbvh_tree_get_nodes( tree, nodes, stats.node_count, order, stats.fragment_count, &count, NULL ), DBVH_OK );
		for ( size_t i = 0; i < count; ++i ) {
			for ( uint32_t t = 0; t < 3 * nodes[i].triangle_count; ++t ) {
				const uint32_t vertex = s.indices[3 * (size_t)order[nodes[i].first + t / 3] + t % 3];
				if ( !holds( &nodes[i], s.positions + 3 * (size_t)vertex ) )
					fail_msg( "2^%d: node %zu on level %u does not hold triangle %u", e, i, nodes[i].level,
					          order[nodes[i].first + t / 3] );
				asked += 1;
			}
		}
		free( nodes );
		free( order );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	printf( "%zu corners in nodes\n", asked );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( lists ),
	    cmocka_unit_test( enclosure_at_all_scales ),
	    cmocka_unit_test( ellipsoids ),
	    cmocka_unit_test( refusals ),
	};
	return test_main( argc, argv, tests );
}
