// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The topology against its definitions, by comparing everything with everything.

#include "base/alloc.h"
#include "mesh/meshes.h"
#include "mesh/topology.h"
#include "shapes/shapes.h"
#include "support/rng.h"

static bool same_point( const shape *s, uint32_t a, uint32_t b ) {
	const double *p = s->positions + 3 * (size_t)s->indices[a], *q = s->positions + 3 * (size_t)s->indices[b];
	return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static uint32_t next_of( uint32_t side ) {
	return side / 3 * 3 + ( side + 1 ) % 3;
}

static bool is_point( const shape *s, uint32_t side ) {
	return same_point( s, side, next_of( side ) );
}

static bool same_edge( const shape *s, uint32_t a, uint32_t b ) {
	const uint32_t a2 = next_of( a ), b2 = next_of( b );
	return ( same_point( s, a, b ) && same_point( s, a2, b2 ) ) || ( same_point( s, a, b2 ) && same_point( s, a2, b ) );
}

static void compare( const shape *s ) {
	const dbvh_mesh_view view = shape_view( s );
	dbvh_allocator allocator;
	assert_int_equal( dbvhi_allocator_take( NULL, &allocator, NULL ), DBVH_OK );
	size_t distinct = 0;
	dbvhi_topology *t = dbvhi_topology_create( &view, &allocator, &distinct );
	assert_non_null( t );
	uint32_t *seen = calloc( t->component_count, sizeof *seen );
	assert_non_null( seen );
	assert_null( dbvhi_topology_check( t, seen ) );
	free( seen );
	const uint32_t sides = (uint32_t)( 3 * s->triangle_count );
	assert_true( t->point_count <= distinct );
	size_t edges = 0;
	for ( uint32_t a = 0; a < sides; ++a ) {
		bool first = true;
		for ( uint32_t b = 0; b < sides; ++b ) {
			assert_int_equal( t->corner[a] == t->corner[b], same_point( s, a, b ) );
			if ( is_point( s, a ) || is_point( s, b ) )
				continue;
			assert_int_equal( t->edge[a] == t->edge[b], same_edge( s, a, b ) );
			first = first && ( b >= a || !same_edge( s, a, b ) );
			if ( same_edge( s, a, b ) )
				assert_int_equal( t->component[a / 3], t->component[b / 3] );
		}
		for ( int k = 0; k < 3; ++k )
			assert_true( t->position[3 * t->corner[a] + (uint32_t)k] == s->positions[3 * s->indices[a] + (uint32_t)k] );
		assert_int_equal( t->edge[a] == DBVHI_NO_EDGE, is_point( s, a ) );
		edges += first && !is_point( s, a );
	}
	assert_int_equal( t->edge_count, edges );
	// Components: spreading the lowest number along edges until nothing changes.
	uint32_t *lowest = malloc( s->triangle_count * sizeof *lowest );
	for ( uint32_t i = 0; i < s->triangle_count; ++i )
		lowest[i] = i;
	for ( bool changed = true; changed; ) {
		changed = false;
		for ( uint32_t a = 0; a < sides; ++a ) {
			for ( uint32_t b = 0; b < sides; ++b ) {
				if ( !is_point( s, a ) && !is_point( s, b ) && same_edge( s, a, b ) && lowest[a / 3] < lowest[b / 3] ) {
					lowest[b / 3] = lowest[a / 3];
					changed = true;
				}
			}
		}
	}
	for ( uint32_t i = 0; i < s->triangle_count; ++i )
		assert_int_equal( t->components[t->component[i]].first_triangle, lowest[i] );
	// Even components, and boxes.
	for ( uint32_t c = 0; c < t->component_count; ++c ) {
		bool area = false, even_all = true, even_with_area = true;
		double low[3], high[3];
		bool any = false;
		for ( uint32_t a = 0; a < sides; ++a ) {
			if ( t->component[a / 3] != c )
				continue;
			const double *p = s->positions + 3 * (size_t)s->indices[a];
			for ( int k = 0; k < 3; ++k ) {
				low[k] = any && low[k] < p[k] ? low[k] : p[k];
				high[k] = any && high[k] > p[k] ? high[k] : p[k];
			}
			any = true;
			area = area || !t->degenerate[a / 3];
			size_t all = 0, with_area = 0;
			for ( uint32_t b = 0; b < sides && !is_point( s, a ); ++b ) {
				if ( is_point( s, b ) || !same_edge( s, a, b ) || t->winding[b / 3] == DBVHI_WINDING_COPY )
					continue;
				all += 1;
				with_area += !t->degenerate[b / 3];
			}
			even_all = even_all && all % 2 == 0;
			even_with_area = even_with_area && with_area % 2 == 0;
		}
		assert_int_equal( t->even[c], area && ( even_all || even_with_area ) );
		for ( int k = 0; k < 3; ++k )
			assert_true( t->bounds[6 * c + (uint32_t)k] == low[k] && t->bounds[6 * c + 3 + (uint32_t)k] == high[k] );
	}
	bool sheets = false;
	double sheet_low[3], sheet_high[3];
	for ( uint32_t a = 0; a < sides; ++a ) {
		if ( t->even[t->component[a / 3]] || t->degenerate[a / 3] )
			continue;
		const double *p = s->positions + 3 * (size_t)s->indices[a];
		for ( int k = 0; k < 3; ++k ) {
			sheet_low[k] = sheets && sheet_low[k] < p[k] ? sheet_low[k] : p[k];
			sheet_high[k] = sheets && sheet_high[k] > p[k] ? sheet_high[k] : p[k];
		}
		sheets = true;
	}
	assert_int_equal( t->has_sheets, sheets );
	for ( int k = 0; k < 3 && sheets; ++k )
		assert_true( t->sheet_bounds[k] == sheet_low[k] && t->sheet_bounds[3 + k] == sheet_high[k] );
	free( lowest );
	dbvhi_topology_destroy( t, &allocator );
}

static void test_shapes( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1.0, 2.0, 3.0, 2 );
	compare( &s );
	shape_triangle( &s, 0, 1, 0 ); // a needle on an edge
	shape_add_stairs( &s, 4 );
	compare( &s );
	shape_free( &s );
}

// Soups on so coarse a grid that points, edges and triangles coincide all the time.
static void test_soups( void **state ) {
	(void)state;
	rng r = rng_announce( "topology", 3 );
	size_t even = 0, odd = 0;
	for ( int round = 0; round < 300; ++round ) {
		shape s = { 0 };
		const size_t vertices = 3 + rng_below( &r, 12 ), triangles = 1 + rng_below( &r, 24 );
		for ( size_t i = 0; i < vertices; ++i ) {
			double p[3];
			for ( int k = 0; k < 3; ++k )
				p[k] = rng_below( &r, 4 ) == 0 ? -0.0 : (double)rng_below( &r, 2 );
			shape_vertex( &s, p[0], p[1], p[2] );
		}
		for ( size_t i = 0; i < triangles; ++i )
			shape_triangle( &s, (uint32_t)rng_below( &r, vertices ), (uint32_t)rng_below( &r, vertices ),
			                (uint32_t)rng_below( &r, vertices ) );
		if ( round % 3 == 0 )
			shape_add_box( &s, 1.0, 1.0, 1.0, 1 );
		compare( &s );
		const dbvh_mesh_view view = shape_view( &s );
		dbvh_allocator allocator;
		assert_int_equal( dbvhi_allocator_take( NULL, &allocator, NULL ), DBVH_OK );
		dbvhi_topology *t = dbvhi_topology_create( &view, &allocator, NULL );
		for ( size_t c = 0; c < t->component_count; ++c ) {
			even += t->even[c];
			odd += !t->even[c];
		}
		dbvhi_topology_destroy( t, &allocator );
		shape_free( &s );
	}
	printf( "topology: %zu even components, %zu others\n", even, odd );
	assert_true( even > 0 && odd > 0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( test_shapes ), cmocka_unit_test( test_soups ) };
	return test_main( argc, argv, tests );
}
