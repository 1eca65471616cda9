// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees without their reference tree: the same packed form as with it, byte for byte, from the same triangles in the
// same order; the reference tree that is built when it is needed is that of the build; and how much memory they take.

#include "base/parallel.h"
#include "bvh/packed/pack_piece.h"
#include "bvh/packed_volume.h"
#include "bvh/tree.h"
#include "simd/isa.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

static dbvh_tree *build( const dbvh_mesh_view *view, bool reference, uint32_t threads,
                         const dbvh_allocator *allocator ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	dbvh_tree *tree = NULL;
	dbvh_error error;
	options.reference = reference;
	options.thread_count = threads;
	if ( dbvh_tree_build( view, &options, allocator, &tree, &error ) != DBVH_OK )
		fail_msg( "no tree: %s", error.text );
	return tree;
}

static void expect_sound( const dbvh_tree *tree ) {
	dbvh_error error;
	if ( dbvh_tree_validate( tree, &error ) != DBVH_OK )
		fail_msg( "not sound: %s", error.text );
}

static bool same_triangles( const dbvh_tree *a, const dbvh_tree *b ) {
	for ( size_t i = 0; i < a->triangle_count; ++i ) {
		double room_a[9], room_b[9];
		if ( memcmp( dbvhi_tree_triangle( a, (uint32_t)i, room_a ), dbvhi_tree_triangle( b, (uint32_t)i, room_b ),
		             sizeof room_a ) != 0 )
			return false;
	}
	return memcmp( a->triangle, b->triangle, a->triangle_count * sizeof *a->triangle ) == 0;
}

static void expect_same( const dbvh_tree *alone, const dbvh_tree *full ) {
	const dbvh_tree_stats a = dbvh_tree_get_stats( alone ), b = dbvh_tree_get_stats( full );
	assert_true( alone->packed != NULL && alone->packed->bytes == full->packed->bytes );
	assert_memory_equal( alone->packed, full->packed, full->packed->bytes );
	assert_int_equal( alone->triangle_count, full->triangle_count );
	assert_true( same_triangles( alone, full ) );
	assert_true( a.node_count == b.node_count && a.leaf_count == b.leaf_count && a.depth == b.depth );
	assert_true( a.content_hash == b.content_hash && a.sphere.radius == b.sphere.radius && a.bytes < b.bytes );
	assert_memory_equal( &a.box, &b.box, sizeof a.box );
	assert_true( alone->largest == full->largest );
	const size_t twins = alone->twins != NULL ? dbvhi_twins_bytes( alone->twins ) : 0;
	assert_int_equal( twins, full->twins != NULL ? dbvhi_twins_bytes( full->twins ) : 0 );
}

static void add_kind( shape *s, rng *r, int kind ) {
	switch ( kind ) {
	case 0:
		shape_add_torus( s, 1.0, 0.25, 128, 40 );
		break;
	case 1:
		add_soup( s, r, 6000, 0.01, 0.1, false );
		break;
	case 2:
		add_soup( s, r, 5000, 0.5, 0.3, true ); // many ties, and twins
		break;
	case 3:
		shape_add_box( s, 1, 1, 1, 20 );
		break;
	case 4: // far from balanced: sizes over many powers of two
		for ( int i = 0; i < 3000; ++i ) {
			const double x = ldexp( 1.0, -(int)( rng_below( r, 30 ) ) );
			const uint32_t first = (uint32_t)s->vertex_count;
			for ( int corner = 0; corner < 3; ++corner )
				shape_vertex( s, x * rng_unit( r ), x * rng_unit( r ), x * rng_unit( r ) );
			shape_triangle( s, first, first + 1, first + 2 );
		}
		break;
	default:
		add_soup( s, r, 1 + rng_below( r, 300 ), 0.3, 0.1, false );
		break;
	}
}

static void trees_agree( void **state ) {
	(void)state;
	rng r = rng_announce( "packed alone", 21 );
	size_t count;
	const dbvhi_isa *isa = dbvhi_isa_available( &count );
	for ( int kind = 0; kind < 12; ++kind ) {
		shape s = { 0 };
		add_kind( &s, &r, kind );
		const dbvh_mesh_view view = shape_view( &s );
		dbvh_tree *const full = build( &view, true, 1, NULL );
		for ( size_t i = 0; i < count; ++i ) {
			dbvhi_isa_select( isa[i].name );
			ledger books = { .fill = (unsigned char)( 17 * i ) };
			const dbvh_allocator allocator = ledger_allocator( &books );
			dbvh_tree *const alone = build( &view, false, (uint32_t)( 1 + ( i + (size_t)kind ) % 3 ), &allocator );
			assert_null( alone->nodes );
			expect_same( alone, full );
			if ( i == 0 ) {
				expect_sound( alone );
				assert_true( dbvh_tree_get_stats( alone ).bytes >= books.bytes );
			}
			dbvh_tree_destroy( alone );
			assert_true( books.live == 0 && books.bytes == 0 && books.mistakes == 0 );
		}
		dbvhi_isa_select( NULL );
		dbvh_tree_destroy( full );
		shape_free( &s );
	}
}

// A mesh that floats would not hold is packed in a unit of its own: the same nodes as of one that they do, but for the
// last bits. Only beyond 2^1000 is there a reference tree instead.
static void in_any_unit( void **state ) {
	(void)state;
	static const double sizes[] = { 0x1p-60, 0x1p60, 0x1p1010, 0x1p-1060, 0x1p-1000, 0x1p990, 0.0, 0x1p-41, 0x1p-45 };
	shape unit = { 0 };
	shape_add_box( &unit, 1.0, 1.0, 1.0, 12 );
	const dbvh_mesh_view view_of_unit = shape_view( &unit );
	dbvh_tree *const plain = build( &view_of_unit, false, 2, NULL );
	for ( size_t i = 0; i < 4 * sizeof sizes / sizeof sizes[0]; ++i ) {
		const bool is_small = i % 2 == 1, reference = i / 2 % 2 == 1;
		const double size = sizes[i / 4];
		shape s = { 0 };
		shape_add_box( &s, size, size, size, is_small ? 2 : 12 );
		const dbvh_mesh_view view = shape_view( &s );
		dbvh_tree *const tree = build( &view, reference, 2, NULL );
		const bool is_packed = size < 0x1p1000 && !( reference && tree->largest < 0x1p-1000 );
		assert_int_equal( is_packed, tree->packed != NULL );
		assert_int_equal( reference || size > 0x1p1000, tree->nodes != NULL );
		if ( tree->packed != NULL ) {
			assert_int_equal( tree->root.radius < 0x1p-40 || size > 1.0, dbvhi_packed_is_scaled( tree->packed ) );
			for ( size_t k = 0; k < DBVHI_WIDTH * (size_t)tree->packed->node_count; ++k ) {
				const float radius = dbvhi_packed_spheres_of( tree->packed )[k / DBVHI_WIDTH].radius[k % DBVHI_WIDTH];
				assert_true( radius == DBVHI_NO_CHILD || !dbvhi_packed_is_scaled( tree->packed ) ||
				             ( (double)radius >= DBVHI_SCALED_LEAST && radius <= 0x1p40f ) );
			}
			if ( !is_small && size > 0.0 )
				assert_int_equal( tree->packed->bytes, plain->packed->bytes );
		}
		expect_sound( tree );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	dbvh_tree_destroy( plain );
	shape_free( &unit );
}

// Is a corner in the volumes of a packed child, as they are in the unit of the mesh? In one in which nothing is
// subnormal, to more digits than volumes have there.
static bool is_inside( const dbvhi_node *v, const double corner[3], int exponent ) {
	double d[3], square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		d[k] = ldexp( corner[k], -exponent ) - ldexp( v->pos.v[k], -exponent );
		const double x = ldexp( corner[k], -exponent ) - ldexp( v->sphere_outside.v[k], -exponent );
		square += x * x;
	}
	bool inside = sqrt( square ) <= ldexp( v->radius, -exponent ) * ( 1.0 + 0x1p-40 );
	for ( int k = 0; k < 3; ++k ) {
		const double along = v->rot.m[0][k] * d[0] + v->rot.m[1][k] * d[1] + v->rot.m[2][k] * d[2];
		inside = inside && fabs( along ) <= ldexp( v->half.v[k], -exponent ) * ( 1.0 + 0x1p-40 );
	}
	return inside;
}

// Volumes enclose in the unit of the mesh, too, where they are subnormal.
static void volumes_enclose( void **state ) {
	(void)state;
	rng r = rng_announce( "packed alone: volumes", 24 );
	static const int exponents[] = { -1064, -1050, -500, -60, 0, 60, 990 };
	for ( size_t i = 0; i < rounds( 70 ) + 7; ++i ) {
		const int exponent = exponents[i % 7];
		shape s = { 0 };
		add_soup( &s, &r, 40, 0.5, 0.1, false );
		shape scaled = scaled_copy( &s, exponent );
		const dbvh_mesh_view view = shape_view( &scaled );
		dbvh_tree *const tree = build( &view, false, 1, NULL );
		const dbvhi_packed *const packed = tree->packed;
		for ( uint32_t child = 0; child < DBVHI_WIDTH * packed->node_count; ++child ) {
			const dbvhi_packed_box *const box = &dbvhi_packed_boxes_of( packed )[child];
			dbvhi_node volume;
			if ( box->child >= 0 )
				continue;
			dbvhi_packed_volume( packed, child / DBVHI_WIDTH, (int)( child % DBVHI_WIDTH ), &volume );
			const uint32_t leaf = dbvhi_packed_leaves_of( packed )[~box->child].first_and_count;
			for ( uint32_t k = leaf >> 2; k <= ( leaf >> 2 ) + ( leaf & 3 ); ++k ) {
				double room[9];
				const double *const corners = dbvhi_tree_triangle( tree, k, room );
				for ( int c = 0; c < 3; ++c )
					assert_true( is_inside( &volume, corners + 3 * c, exponent ) );
			}
		}
		dbvh_tree_destroy( tree );
		shape_free( &scaled );
		shape_free( &s );
	}
}

// Bytes a triangle of the tree, and of the build at its worst moment.
static void memory( void **state ) {
	(void)state;
	if ( rounds( 10 ) < 2 )
		return; // bytes are the same under the sanitizers, where this takes long
	for ( uint32_t threads = 1; threads <= 2; ++threads ) {
		shape s = { 0 };
		shape_add_torus( &s, 1.0, 0.25, 500, 200 );
		const dbvh_mesh_view view = shape_view( &s );
		ledger books = { 0 };
		const dbvh_allocator allocator = ledger_allocator( &books );
		dbvh_tree *const tree = build( &view, false, threads, &allocator );
		const double each = (double)books.bytes / (double)s.triangle_count;
		const double most = (double)books.most / (double)s.triangle_count;
		printf( "packed alone: %.1f bytes a triangle, %.1f while it is built by %u threads\n", each, most, threads );
		assert_true( each <= 128.0 );
		assert_true( most <= 3.0 * each );
		assert_true( dbvh_tree_get_stats( tree ).bytes >= books.bytes );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
}

static void no_memory( void **state ) {
	(void)state;
	rng r = rng_announce( "packed alone: no memory", 22 );
	for ( int kind = 0; kind < 3; ++kind ) {
		shape s = { 0 };
		if ( kind == 0 )
			add_soup( &s, &r, 200, 0.3, 0.1, false );
		else
			add_soup( &s, &r, 2500, 0.3, 0.1, kind == 2 );
		const dbvh_mesh_view view = shape_view( &s );
		dbvh_tree *tree = NULL;
		size_t failures = 0;
		for ( size_t fail_at = 1; tree == NULL; ++fail_at ) {
			ledger books = { .fail_at = fail_at, .once = fail_at % 2 == 0 };
			const dbvh_allocator allocator = ledger_allocator( &books );
			const dbvh_status status = dbvh_tree_build( &view, NULL, &allocator, &tree, NULL );
			assert_true( fail_at < 200 && books.mistakes == 0 );
			if ( status != DBVH_OK ) {
				assert_true( status == DBVH_OUT_OF_MEMORY && tree == NULL && books.live == 0 && books.bytes == 0 );
				failures += 1;
				continue;
			}
			dbvh_tree_destroy( tree );
			assert_true( books.live == 0 && books.bytes == 0 );
		}
		assert_true( failures >= 5 );
		shape_free( &s );
	}
}

static void expect_broken( const dbvh_tree *tree, const char *what ) {
	if ( dbvh_tree_validate( tree, NULL ) != DBVH_INVARIANT )
		fail_msg( "not found: %s", what );
}

static void broken_trees_are_found( void **state ) {
	(void)state;
	rng r = rng_announce( "packed alone: broken trees", 23 );
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.25, 30, 20 );
	const dbvh_mesh_view view = shape_view( &s );
	dbvh_tree *const tree = build( &view, false, 1, NULL );
	expect_sound( tree );
	for ( int i = 0; i < 60; ++i ) {
		uint32_t *const corner = &tree->corner[rng_below( &r, 3 * tree->triangle_count )], kept = *corner;
		*corner = (uint32_t)tree->vertex_count;
		expect_broken( tree, "a point that does not exist" );
		*corner = kept;
		double *const x = &tree->vertices[rng_below( &r, 3 * tree->vertex_count )], was = *x;
		*x = 3.0;
		expect_broken( tree, "a point far away" );
		*x = was;
		uint32_t *const number = &tree->triangle[rng_below( &r, tree->triangle_count )], own = *number;
		*number = own == 0;
		expect_broken( tree, "a triangle is there twice" );
		*number = own;
	}
	dbvhi_node root = tree->root;
	tree->root.radius *= 0.99;
	expect_broken( tree, "a small root" );
	tree->root = root;
	tree->root.half.v[0] *= 0.99;
	expect_broken( tree, "a thin root" );
	tree->root = root;
	tree->vertex_count += 1;
	expect_broken( tree, "a point too many" );
	tree->vertex_count -= 1;
	expect_sound( tree );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( trees_agree ), cmocka_unit_test( in_any_unit ), cmocka_unit_test( volumes_enclose ),
	    cmocka_unit_test( memory ),      cmocka_unit_test( no_memory ),   cmocka_unit_test( broken_trees_are_found ),
	};
	return test_main( argc, argv, tests );
}
