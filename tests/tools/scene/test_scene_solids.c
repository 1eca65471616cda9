// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Solids as meshes: closed, outwards, around the solid and not far from it.

#include "model/solids.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

static const double *vertex( const dbvh_mesh_view *v, uint32_t i ) {
	return (const double *)v->positions + 3 * (size_t)i;
}

// How far outside of the solid a point is, below 0 inside.
static double outside_of( scene_solid_kind kind, const double size[3], const double p[3] ) {
	const double across = hypot( p[0], p[1] ), up = fabs( p[2] );
	switch ( kind ) {
	case SCENE_SOLID_BOX:
		return fmax( fmax( fabs( p[0] ) - 0.5 * size[0], fabs( p[1] ) - 0.5 * size[1] ), up - 0.5 * size[2] );
	case SCENE_SOLID_SPHERE:
		return hypot( across, up ) - size[0];
	case SCENE_SOLID_CYLINDER:
		return fmax( across - size[0], up - 0.5 * size[1] );
	case SCENE_SOLID_CAPSULE:
		return hypot( across, fmax( up - 0.5 * size[1], 0.0 ) ) - size[0];
	}
	return NAN;
}

// The farthest the solid reaches along a direction of length 1.
static double reach( scene_solid_kind kind, const double size[3], const double n[3] ) {
	const double across = hypot( n[0], n[1] );
	switch ( kind ) {
	case SCENE_SOLID_BOX:
		return 0.5 * ( fabs( n[0] ) * size[0] + fabs( n[1] ) * size[1] + fabs( n[2] ) * size[2] );
	case SCENE_SOLID_SPHERE:
		return size[0];
	case SCENE_SOLID_CYLINDER:
		return across * size[0] + 0.5 * fabs( n[2] ) * size[1];
	case SCENE_SOLID_CAPSULE:
		return size[0] + 0.5 * fabs( n[2] ) * size[1];
	}
	return NAN;
}

static void check_solid( scene_solid_kind kind, const double size[3] ) {
	dbvh_mesh *mesh;
	double sag;
	dbvh_error error;
	assert_int_equal( scene_solid( kind, size, &mesh, &sag, &error ), DBVH_OK );
	const dbvh_mesh_view v = dbvh_mesh_get_view( mesh );
	dbvh_mesh_audit_result audit;
	assert_int_equal( dbvh_mesh_audit( &v, NULL, &audit, NULL, 0, NULL ), DBVH_OK );
	assert_int_equal( audit.component_count, 1 );
	assert_int_equal( audit.closed_component_count, 1 );
	assert_int_equal( audit.oriented_component_count, 1 );
	assert_int_equal( audit.unused_vertex_count, 0 );
	assert_int_equal( audit.degenerate_triangle_count, 0 );
	// A vertex is nowhere inside, nor farther out than the sag says.
	const double scale = fmax( fmax( size[0], size[1] ), size[2] );
	for ( uint32_t i = 0; i < v.vertex_count; ++i ) {
		const double out = outside_of( kind, size, vertex( &v, i ) );
		assert_true( out >= -1e-12 * scale );
		assert_true( out <= sag + 1e-12 * scale );
	}
	// No plane cuts the solid: that is convex, and every triangle looks outwards.
	const uint32_t *t = v.indices;
	for ( size_t i = 0; i < v.triangle_count; ++i, t += 3 ) {
		const double *a = vertex( &v, t[0] ), *b = vertex( &v, t[1] ), *c = vertex( &v, t[2] );
		double n[3], length = 0.0, along = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
			n[k] = ( b[k1] - a[k1] ) * ( c[k2] - a[k2] ) - ( b[k2] - a[k2] ) * ( c[k1] - a[k1] );
			length += n[k] * n[k];
		}
		for ( int k = 0; k < 3; ++k ) {
			n[k] /= sqrt( length );
			along += n[k] * a[k];
		}
		if ( !( along >= reach( kind, size, n ) * ( 1.0 - 0x1p-50 ) ) )
			fail_msg( "kind %d: triangle %zu cuts it by %g", (int)kind, i, reach( kind, size, n ) - along );
	}
	assert_true( kind == SCENE_SOLID_BOX ? sag == 0.0 : sag > 0.0 && sag < 0.01 * size[0] );
	dbvh_mesh_destroy( mesh );
}

static void test_solids( void **state ) {
	(void)state;
	rng r = rng_announce( "solids", 61 );
	for ( size_t n = rounds( 20 ); n-- > 0; ) {
		for ( int kind = SCENE_SOLID_BOX; kind <= SCENE_SOLID_CAPSULE; ++kind ) {
			double size[3];
			const double scale = exp( rng_range( &r, -10.0, 10.0 ) );
			for ( int k = 0; k < 3; ++k )
				size[k] = scale * rng_range( &r, 0.1, 2.0 );
			if ( kind == SCENE_SOLID_SPHERE )
				size[1] = size[2] = 0.0;
			if ( kind == SCENE_SOLID_CAPSULE && n % 4 == 0 )
				size[1] = 0.0; // a sphere
			check_solid( (scene_solid_kind)kind, size );
		}
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_solids ),
	};
	return test_main( argc, argv, tests );
}
