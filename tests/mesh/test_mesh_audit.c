// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/meshes.h"
#include "shapes/shapes.h"
#include "support/rng.h"

#include <math.h>

#define CAPACITY 64

static dbvh_mesh_component components[CAPACITY];

// Two triangles with an edge in common have one label; those of a label are as many as its component has, and begin
// with its first one.
static void check_labels( const shape *s, size_t component_count ) {
	const dbvh_mesh_view view = shape_view( s );
	uint32_t *labels = malloc( s->triangle_count * sizeof *labels );
	size_t count, found[CAPACITY] = { 0 };
	assert_non_null( labels );
	assert_int_equal( dbvh_mesh_label_components( &view, NULL, labels, &count, NULL ), DBVH_OK );
	assert_int_equal( count, component_count );
	for ( size_t i = 0; i < s->triangle_count; ++i ) {
		assert_true( labels[i] < count );
		for ( size_t k = 0; k < i; ++k ) {
			int common = 0;
			for ( int c = 0; c < 9; ++c )
				common += s->indices[3 * i + (size_t)c / 3] == s->indices[3 * k + (size_t)c % 3];
			assert_true( common < 2 || labels[i] == labels[k] );
		}
		if ( found[labels[i]]++ == 0 )
			assert_int_equal( components[labels[i]].first_triangle, i );
	}
	for ( size_t i = 0; i < count; ++i )
		assert_int_equal( found[i], components[i].triangle_count );
	free( labels );
}

static dbvh_mesh_audit_result audit( const shape *s ) {
	assert_false( s->failed );
	const dbvh_mesh_view view = shape_view( s );
	dbvh_mesh_audit_result result;
	dbvh_error error;
	if ( dbvh_mesh_audit( &view, NULL, &result, components, CAPACITY, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	// The invariants of every audit.
	assert_true( result.component_count >= 1 && result.component_count <= result.triangle_count );
	assert_true( result.closed_component_count <= result.component_count );
	assert_true( result.oriented_component_count <= result.component_count );
	size_t triangles = 0, boundary = 0, nonmanifold = 0;
	for ( size_t i = 0; i < result.component_count && result.component_count <= CAPACITY; ++i ) {
		assert_true( i == 0 || components[i].first_triangle > components[i - 1].first_triangle );
		triangles += components[i].triangle_count;
		boundary += components[i].boundary_edges;
		nonmanifold += components[i].nonmanifold_edges;
	}
	if ( result.component_count <= CAPACITY ) {
		assert_int_equal( triangles, result.triangle_count );
		assert_int_equal( boundary, result.boundary_edge_count );
		assert_int_equal( nonmanifold, result.nonmanifold_edge_count );
		check_labels( s, result.component_count );
	}
	return result;
}

static void test_closed_shapes( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_sphere( &s, 2.0, 17, 11 );
	dbvh_mesh_audit_result r = audit( &s );
	assert_int_equal( r.triangle_count, 2 * 17 * 10 );
	assert_int_equal( r.edge_count, 3 * 17 * 10 );
	assert_int_equal( r.distinct_vertex_count, 17 * 10 + 2 );
	assert_int_equal( r.boundary_edge_count + r.nonmanifold_edge_count + r.unused_vertex_count, 0 );
	assert_int_equal( r.degenerate_triangle_count + r.duplicate_triangle_count, 0 );
	assert_int_equal( r.component_count, 1 );
	assert_int_equal( r.closed_component_count, 1 );
	assert_int_equal( r.oriented_component_count, 1 );
	assert_true( r.bounds.min[2] == -2.0 && r.bounds.max[2] == 2.0 );
	assert_true( r.bounds.max[0] < 2.0 && r.bounds.max[0] > 1.9 ); // no ring of it lies on the equator
	// A box of its own beside it, in the same arrays.
	shape_add_box( &s, 1.0, 2.0, 3.0, 3 );
	r = audit( &s );
	assert_int_equal( r.component_count, 2 );
	assert_int_equal( r.closed_component_count, 2 );
	assert_int_equal( r.oriented_component_count, 2 );
	assert_int_equal( components[1].first_triangle, 2 * 17 * 10 );
	assert_int_equal( components[1].triangle_count, 12 * 9 );
	assert_int_equal( r.edge_count, 3 * 17 * 10 + 18 * 9 );
	shape_free( &s );
	shape_add_torus( &s, 3.0, 1.0, 20, 10 );
	r = audit( &s );
	assert_int_equal( r.edge_count, 3 * 20 * 10 );
	assert_int_equal( r.closed_component_count, 1 );
	shape_free( &s );
}

// A square of n * n cells, each of two triangles.
static void add_grid( shape *s, uint32_t n ) {
	const uint32_t first = (uint32_t)s->vertex_count;
	for ( uint32_t y = 0; y <= n; ++y )
		for ( uint32_t x = 0; x <= n; ++x )
			shape_vertex( s, x, y, 0.25 * x * y );
	for ( uint32_t y = 0; y < n; ++y ) {
		for ( uint32_t x = 0; x < n; ++x ) {
			const uint32_t a = first + y * ( n + 1 ) + x, b = a + 1, c = a + n + 1, d = c + 1;
			shape_triangle( s, a, b, d );
			shape_triangle( s, a, d, c );
		}
	}
}

static void test_grid( void **state ) {
	(void)state;
	const uint32_t n = 9;
	shape s = { 0 };
	add_grid( &s, n );
	shape_vertex( &s, 1e9, 0.0, 0.0 ); // unused, and outside the bounds
	dbvh_mesh_audit_result r = audit( &s );
	assert_int_equal( r.unused_vertex_count, 1 );
	assert_true( r.bounds.max[0] == n );
	assert_int_equal( r.boundary_edge_count, 4 * n );
	assert_int_equal( r.edge_count, 2 * n * ( n + 1 ) + n * n );
	assert_int_equal( r.component_count, 1 );
	assert_int_equal( r.closed_component_count, 0 );
	assert_int_equal( r.oriented_component_count, 1 );
	// One triangle turned over.
	const uint32_t t = s.indices[31];
	s.indices[31] = s.indices[32];
	s.indices[32] = t;
	r = audit( &s );
	assert_int_equal( r.oriented_component_count, 0 );
	assert_int_equal( r.boundary_edge_count, 4 * n );
	// Somebody's duplicate, first as it is and then turned.
	shape_triangle( &s, s.indices[0], s.indices[1], s.indices[2] );
	shape_triangle( &s, s.indices[5], s.indices[4], s.indices[3] );
	r = audit( &s );
	assert_int_equal( r.duplicate_triangle_count, 2 );
	assert_true( r.nonmanifold_edge_count > 0 );
	shape_free( &s );
}

// Two boxes of separate vertices that share an edge, a corner, or nothing.
static void test_joined_boxes( void **state ) {
	(void)state;
	static const struct {
		double offset[3];
		size_t component_count, nonmanifold;
	} cases[] = {
	    { { 5, 0, 0 }, 2, 0 },
	    { { 2, 2, 2 }, 2, 0 }, // one corner in common: joined by no edge
	    { { 2, 2, 0 }, 1, 1 }, // one edge
	    { { 2, 0, 0 }, 1, 5 }, // one face, whose four sides and diagonal have four triangles each
	};
	for ( size_t i = 0; i < LENGTH( cases ); ++i ) {
		shape s = { 0 };
		shape_add_box( &s, 1.0, 1.0, 1.0, 1 );
		const size_t half = s.vertex_count, triangles = s.triangle_count;
		for ( size_t v = 0; v < half; ++v ) {
			double p[3];
			// The mirror image, so that the diagonals of the touching faces agree.
			for ( int k = 0; k < 3; ++k )
				p[k] = ( cases[i].offset[k] != 0.0 ? -1.0 : 1.0 ) * s.positions[3 * v + (size_t)k] + cases[i].offset[k];
			shape_vertex( &s, p[0], p[1], p[2] );
		}
		for ( size_t t = 0; t < triangles; ++t ) {
			const uint32_t *at = s.indices + 3 * t;
			const uint32_t a = at[0] + (uint32_t)half, b = at[1] + (uint32_t)half, c = at[2] + (uint32_t)half;
			shape_triangle( &s, a, b, c );
		}
		const dbvh_mesh_audit_result r = audit( &s );
		assert_int_equal( r.component_count, cases[i].component_count );
		assert_int_equal( r.nonmanifold_edge_count, cases[i].nonmanifold );
		assert_int_equal( r.closed_component_count, cases[i].nonmanifold == 0 ? 2 : 0 );
		shape_free( &s );
	}
}

// -0 and 0 are one point, and so a box is closed whose corners differ in the sign of zero.
static void test_signed_zero( void **state ) {
	(void)state;
	shape s = { 0 };
	for ( int triangle = 0; triangle < 4; ++triangle ) {
		uint32_t corner[3];
		for ( int k = 0; k < 3; ++k ) {
			double p[3];
			for ( uint32_t axis = 0; axis < 3; ++axis ) {
				p[axis] = tetra_positions[3 * tetra_indices[3 * triangle + k] + axis];
				if ( p[axis] == 0.0 && ( triangle + k ) % 2 )
					p[axis] = -0.0;
			}
			corner[k] = shape_vertex( &s, p[0], p[1], p[2] );
		}
		shape_triangle( &s, corner[0], corner[1], corner[2] );
	}
	const dbvh_mesh_audit_result r = audit( &s );
	assert_int_equal( r.vertex_count, 12 );
	assert_int_equal( r.distinct_vertex_count, 4 );
	assert_int_equal( r.closed_component_count, 1 );
	assert_int_equal( r.edge_count, 6 );
	shape_free( &s );
}

static size_t degenerate_count( const double p[9] ) {
	shape s = { 0 };
	for ( int k = 0; k < 3; ++k )
		shape_vertex( &s, p[3 * k], p[3 * k + 1], p[3 * k + 2] );
	shape_triangle( &s, 0, 1, 2 );
	const dbvh_mesh_audit_result r = audit( &s );
	assert_int_equal( r.edge_count, r.degenerate_triangle_count ? 0 : 3 );
	assert_int_equal( r.closed_component_count, 0 );
	shape_free( &s );
	return r.degenerate_triangle_count;
}

static void test_zero_area( void **state ) {
	(void)state;
	static const struct {
		double p[9];
		size_t degenerate;
	} cases[] = {
	    { { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, 0 },
	    { { 1, 2, 3, 1, 2, 3, 1, 2, 3 }, 1 },
	    { { 1, 2, 3, 1, 2, 3, 4, 5, 6 }, 1 },
	    { { 0, 0, 0, -0.0, 0, -0.0, 4, 5, 6 }, 1 },
	    { { 0, 0, 0, 1, 2, 3, 3, 6, 9 }, 1 },
	    { { 0, 0, 0, 1, 2, 3, 3, 6, 9.000000000000002 }, 0 },
	    { { 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.3, 0.3, 0.3 }, 1 }, // on the diagonal, whatever 0.1 is
	    { { 0.1, 0.2, 0.3, 0.2, 0.4, 0.6, 0.30000000000000004, 0.6, 0.8999999999999999 }, 0 },
	    { { 1e300, 0, 0, -1e300, 0, 0, 0, 1e-300, 0 }, 0 },
	    { { 1e300, 0, 0, -1e300, 0, 0, 1e-300, 0, 0 }, 1 },
	    { { 0, 0, 0, 5e-324, 0, 0, 0, 5e-324, 0 }, 0 }, // an area that underflows is an area
	    { { 0, 0, 0, 5e-324, 5e-324, 0, 1e-323, 1e-323, 0 }, 1 },
	};
	for ( size_t i = 0; i < LENGTH( cases ); ++i )
		if ( degenerate_count( cases[i].p ) != cases[i].degenerate )
			fail_msg( "case %zu", i );
	// Points of a line, exactly: a + k d with small whole numbers, scaled by a power of two.
	rng r = rng_announce( "zero area", 6 );
	for ( int round = 0; round < 500; ++round ) {
		double p[9];
		const double scale = ldexp( 1.0, (int)rng_below( &r, 400 ) - 200 );
		for ( int axis = 0; axis < 3; ++axis ) {
			const double a = (double)rng_below( &r, 1 << 20 ), d = (double)rng_below( &r, 1 << 10 ) - 512.0;
			for ( int k = 0; k < 3; ++k )
				p[3 * k + axis] = scale * ( a + d * ( k == 2 ? 17.0 : k ) );
		}
		assert_int_equal( degenerate_count( p ), 1 );
		p[8] = nextafter( p[8], (double)INFINITY );
		const bool is_point = p[0] == p[3] && p[1] == p[4] && p[2] == p[5];
		const bool is_upright = p[0] == p[3] && p[1] == p[4];
		assert_int_equal( degenerate_count( p ), is_point || is_upright );
	}
}

// A sliver without area in the seam between two triangles joins them, but its sides are nobody's boundary.
static void test_degenerate_joins( void **state ) {
	(void)state;
	shape s = { 0 };
	for ( int i = 0; i < 3; ++i )
		shape_vertex( &s, 0.0, i, 0.0 );
	shape_vertex( &s, 1.0, 0.0, 0.0 );
	shape_vertex( &s, -1.0, 0.0, 0.0 );
	shape_triangle( &s, 0, 3, 2 ); // along all of the seam
	shape_triangle( &s, 0, 1, 2 ); // in it
	shape_triangle( &s, 0, 1, 4 ); // along its lower half
	dbvh_mesh_audit_result r = audit( &s );
	assert_int_equal( r.degenerate_triangle_count, 1 );
	assert_int_equal( r.component_count, 1 );
	assert_int_equal( r.edge_count, 6 );
	assert_int_equal( r.boundary_edge_count, 6 );
	assert_int_equal( r.oriented_component_count, 1 );
	shape_free( &s );
	// A closed box stays closed with a needle along one of its edges.
	shape_add_box( &s, 1.0, 1.0, 1.0, 1 );
	shape_triangle( &s, s.indices[0], s.indices[1], s.indices[0] );
	r = audit( &s );
	assert_int_equal( r.component_count, 1 );
	assert_int_equal( r.closed_component_count, 1 );
	assert_int_equal( r.oriented_component_count, 1 );
	assert_int_equal( components[0].triangle_count, 13 );
	shape_free( &s );
}

static void test_arguments( void **state ) {
	(void)state;
	dbvh_mesh_view view = tetra_view();
	dbvh_mesh_audit_result result;
	dbvh_error error;
	assert_int_equal( dbvh_mesh_audit( &view, NULL, NULL, NULL, 0, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_mesh_audit( NULL, NULL, &result, NULL, 0, &error ), DBVH_INVALID_ARGUMENT );
	uint32_t labels[4] = { 7, 7, 7, 7 };
	size_t count = 7;
	assert_int_equal( dbvh_mesh_label_components( &view, NULL, NULL, &count, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_mesh_label_components( NULL, NULL, labels, &count, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( count, 0 );
	assert_int_equal( labels[0], 7 );
	assert_int_equal( dbvh_mesh_label_components( &view, NULL, labels, NULL, &error ), DBVH_OK );
	assert_int_equal( labels[3], 0 );
	view.triangle_count = 0;
	assert_int_equal( dbvh_mesh_audit( &view, NULL, &result, NULL, 0, &error ), DBVH_EMPTY );
	// More components than there is room for: only so many are written.
	shape s = { 0 };
	for ( int i = 0; i < 5; ++i ) {
		const uint32_t first = (uint32_t)s.vertex_count;
		shape_vertex( &s, i, 0.0, 0.0 );
		shape_vertex( &s, i + 0.5, 0.0, 0.0 );
		shape_vertex( &s, i, 0.5, 0.0 );
		shape_triangle( &s, first, first + 1, first + 2 );
	}
	const dbvh_mesh_view five = shape_view( &s );
	dbvh_mesh_component few[3] = { { .first_triangle = 99 }, { .first_triangle = 99 }, { .first_triangle = 99 } };
	assert_int_equal( dbvh_mesh_audit( &five, NULL, &result, few, 2, NULL ), DBVH_OK );
	assert_int_equal( result.component_count, 5 );
	assert_int_equal( few[1].first_triangle, 1 );
	assert_int_equal( few[2].first_triangle, 99 );
	shape_free( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_closed_shapes ), cmocka_unit_test( test_grid ),
	    cmocka_unit_test( test_joined_boxes ),  cmocka_unit_test( test_signed_zero ),
	    cmocka_unit_test( test_zero_area ),     cmocka_unit_test( test_degenerate_joins ),
	    cmocka_unit_test( test_arguments ),
	};
	return test_main( argc, argv, tests );
}
