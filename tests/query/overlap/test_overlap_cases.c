// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Overlaps that are known: thin, far, turned, nested, copied, touching, open, crossing themselves; kinds; budgets and
// batches.

#include "dualbvh/overlap.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/solid_shapes.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dbvh_overlap *overlap;

static int set_up( void **state ) {
	(void)state;
	return dbvh_overlap_create( NULL, &overlap, NULL ) == DBVH_OK ? 0 : -1;
}

static int tear_down( void **state ) {
	(void)state;
	dbvh_overlap_destroy( overlap );
	return 0;
}

static shape block( double x0, double y0, double z0, double x1, double y1, double z1 ) {
	shape s = { 0 };
	add_block( &s, ( const double[3] ){ x0, y0, z0 }, ( const double[3] ){ x1, y1, z1 }, false, false );
	return s;
}

static void add( shape *s, double low, double high, bool inwards ) {
	add_block( s, ( const double[3] ){ low, low, low }, ( const double[3] ){ high, high, high }, false, inwards );
}

static dbvh_overlap_result find_filled( const shape *a, const dbvh_pose *pose_a, const shape *b,
                                        const dbvh_pose *pose_b, dbvh_fill_rule fill ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.fill = fill;
	const dbvh_mesh_view va = shape_view( a ), vb = shape_view( b );
	dbvh_tree *ta = NULL, *tb = NULL;
	assert_int_equal( dbvh_tree_build( &va, &options, NULL, &ta, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_build( &vb, &options, NULL, &tb, NULL ), DBVH_OK );
	dbvh_overlap_result found;
	const dbvh_overlap_query narrow = { .relative_width = 1e-12 };
	assert_int_equal( dbvh_overlap_find( ta, pose_a, tb, pose_b, &narrow, overlap, &found, NULL ), DBVH_OK );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
	return found;
}

static dbvh_overlap_result find( shape a, const dbvh_pose *pose_a, shape b, const dbvh_pose *pose_b ) {
	const dbvh_overlap_result found = find_filled( &a, pose_a, &b, pose_b, DBVH_FILL_RULE_NONZERO );
	shape_free( &a );
	shape_free( &b );
	return found;
}

static void check_volume( const dbvh_overlap_result *found, double truth, double width ) {
	const dbvh_interval v = found->measure.volume;
	const bool ok = v.lower <= truth && truth <= v.upper && v.upper - v.lower <= width * truth;
	if ( !ok )
		printf( "[%.17g, %.17g], should be %.17g\n", v.lower, v.upper, truth );
	assert_true( ok );
}

// ------------------------------------------------------------------------------------------------
// Measures

static void test_thin_and_far( void **state ) {
	(void)state;
	for ( int k = 4; k <= 50; ++k ) {
		const double t = ldexp( 1.0, -k );
		const dbvh_overlap_result near =
		    find( block( 0, 0, 0, 1, 1, 1 ), NULL, block( 1 - t, 0.25, -1, 2, 0.75, 2 ), NULL );
		check_volume( &near, 0.5 * t, 1e-12 );
		assert_int_equal( near.kind, DBVH_OVERLAP_KIND_PROTRUSION );
		// note: away from the origin the same slab needs as many more digits.
		const double far = 0x1p20, u = ldexp( 1.0, -( k < 30 ? k : 30 ) );
		const dbvh_overlap_result away = find( block( far, far, 0, far + 1, far + 1, 1 ), NULL,
		                                       block( far + 1 - u, far, 0.5, far + 2, far + 1, 2 ), NULL );
		check_volume( &away, 0.5 * u, 1e-9 );
	}
}

static void test_turned( void **state ) {
	(void)state;
	rng r = rng_announce( "turned", 3 );
	for ( size_t i = 0; i < rounds( 200 ); ++i ) {
		// The relative pose of one rigid motion for both is the identity, but for rounding.
		const dbvh_pose pose = random_pose( &r, 3.0 );
		const dbvh_overlap_result found =
		    find( block( 0, 0, 0, 1, 1, 1 ), &pose, block( 0.75, 0.25, -1, 2, 0.75, 2 ), &pose );
		const dbvh_interval v = found.measure.volume;
		assert_true( fabs( v.lower - 0.125 ) < 1e-13 && fabs( v.upper - 0.125 ) < 1e-13 && v.lower <= v.upper );
		assert_true( v.upper - v.lower < 1e-12 );
		for ( int k = 0; k < 3; ++k ) {
			static const double low[3] = { 0.75, 0.25, 0 }, high[3] = { 1, 0.75, 1 };
			assert_true( fabs( found.measure.box_min[k].lower - low[k] ) < 1e-12 );
			assert_true( fabs( found.measure.box_max[k].upper - high[k] ) < 1e-12 );
			assert_true( fabs( found.measure.centroid[k].lower - 0.5 * ( low[k] + high[k] ) ) < 1e-11 );
			assert_true( fabs( found.measure.centroid[k].upper - 0.5 * ( low[k] + high[k] ) ) < 1e-11 );
		}
	}
}

static void test_scales( void **state ) {
	(void)state;
	// Sizes at which volumes, or areas, are beyond the range of doubles.
	static const int exponents[] = { -1060, -700, -340, -100, 0, 100, 330, 500, 1000 };
	for ( size_t i = 0; i < sizeof exponents / sizeof exponents[0]; ++i ) {
		const double s = ldexp( 1.0, exponents[i] );
		const dbvh_overlap_result found = find( block( 0, 0, 0, 4 * s, 4 * s, 4 * s ), NULL,
		                                        block( 2 * s, 2 * s, 2 * s, 6 * s, 6 * s, 6 * s ), NULL );
		assert_int_equal( found.reason, DBVH_OVERLAP_REASON_DECIDED );
		assert_int_equal( found.component_count, 1 );
		const double truth = ldexp( 8.0, 3 * exponents[i] ), area = ldexp( 24.0, 2 * exponents[i] );
		assert_true( found.measure.volume.lower <= truth && truth <= found.measure.volume.upper );
		assert_true( found.measure.area.lower <= area && area <= found.measure.area.upper );
	}
}

// Add a ring of vertices round the z axis; returns the first.
static uint32_t add_ring( shape *s, double radius, uint32_t corners, double z ) {
	const uint32_t first = (uint32_t)s->vertex_count;
	for ( uint32_t i = 0; i < corners; ++i ) {
		const double angle = 6.283185307179586 * i / corners;
		shape_vertex( s, radius * cos( angle ), radius * sin( angle ), z );
	}
	return first;
}

// A bar round the z axis, or a tube where the inner radius is not 0.
static shape make_tube( double inner, double outer, uint32_t corners, double half_length ) {
	shape s = { 0 };
	const uint32_t low = add_ring( &s, outer, corners, -half_length ),
	               high = add_ring( &s, outer, corners, half_length );
	shape_ring_strip( &s, low, corners, high, corners );
	if ( inner > 0.0 ) {
		const uint32_t inner_low = add_ring( &s, inner, corners, -half_length ),
		               inner_high = add_ring( &s, inner, corners, half_length );
		shape_ring_strip( &s, high, corners, inner_high, corners );
		shape_ring_strip( &s, inner_high, corners, inner_low, corners );
		shape_ring_strip( &s, inner_low, corners, low, corners );
		return s;
	}
	for ( uint32_t i = 1; i + 1 < corners; ++i ) {
		shape_triangle( &s, low, low + i + 1, low + i );
		shape_triangle( &s, high, high + i, high + i + 1 );
	}
	return s;
}

// A cavity that is too thin for pairs of doubles, so that nothing tells it from a second outer surface.
static void test_thin_cavity( void **state ) {
	(void)state;
	shape a = block( -1, -1, -1, 1, 1, 1 ), b = block( -2, -2, -2, 2, 2, 2 );
	add_block( &a, ( const double[3] ){ 0, 0, 0 }, ( const double[3] ){ 0x1p-200, 0.5, 0.5 }, false, true );
	const dbvh_overlap_result found = find_filled( &a, NULL, &b, NULL, DBVH_FILL_RULE_NONZERO );
	assert_int_equal( found.reason, DBVH_OVERLAP_REASON_ARITHMETIC );
	shape_free( &a );
	shape_free( &b );
}

static void test_pin( void **state ) {
	(void)state;
	// Where both have a corner, what they have in common is 1e-16 wide or nothing.
	shape pin = make_tube( 0.0, 5.0, 48, 4.0 ), bar = make_tube( 0.0, 10.0, 64, 3.0 ),
	      core = make_tube( 0.0, 5.0, 64, 3.0 ), bore = make_tube( 5.0, 10.0, 64, 3.0 );
	dbvh_overlap_result found = find_filled( &pin, NULL, &bar, NULL, DBVH_FILL_RULE_NONZERO );
	const double all = found.measure.volume.lower;
	found = find_filled( &pin, NULL, &core, NULL, DBVH_FILL_RULE_NONZERO );
	const double within = found.measure.volume.lower;
	found = find_filled( &pin, NULL, &bore, NULL, DBVH_FILL_RULE_NONZERO );
	assert_int_equal( found.reason, DBVH_OVERLAP_REASON_DECIDED );
	assert_true( found.component_count >= 32 );
	assert_true( fabs( found.measure.volume.lower - ( all - within ) ) < 1e-10 );
	assert_true( found.measure.volume.upper - found.measure.volume.lower <= 1e-12 * found.measure.volume.upper );
	shape_free( &pin );
	shape_free( &bar );
	shape_free( &core );
	shape_free( &bore );
}

// ------------------------------------------------------------------------------------------------
// Solids

static void test_shells( void **state ) {
	(void)state;
	shape nested = { 0 }, hollow = { 0 }, probe = block( -9, -9, -9, 9, 9, 9 );
	add( &nested, 0, 6, false );
	add( &nested, 1, 5, false );
	add( &nested, 2, 4, false );
	add( &hollow, 0, 6, true );
	add( &hollow, 1, 5, false );
	dbvh_overlap_result found = find_filled( &nested, NULL, &probe, NULL, DBVH_FILL_RULE_NONZERO );
	check_volume( &found, 216, 1e-12 );
	assert_int_equal( found.component_count, 1 );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_A_IN_B );
	found = find_filled( &nested, NULL, &probe, NULL, DBVH_FILL_RULE_EVEN_ODD );
	check_volume( &found, 216 - 64 + 8, 1e-12 );
	assert_int_equal( found.component_count, 2 );
	found = find_filled( &hollow, NULL, &probe, NULL, DBVH_FILL_RULE_NONZERO );
	check_volume( &found, 216 - 64, 1e-12 );
	assert_int_equal( found.component_count, 1 );
	assert_int_equal( dbvh_overlap_get( overlap ).components[0].shells, 2 );
	// In the cavity, and across its wall.
	shape inner = block( 2, 2, 2, 4, 4, 4 ), across = block( 2, 2, 2, 4, 4, 8 );
	found = find_filled( &hollow, NULL, &inner, NULL, DBVH_FILL_RULE_NONZERO );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_NONE );
	found = find_filled( &hollow, NULL, &across, NULL, DBVH_FILL_RULE_NONZERO );
	check_volume( &found, 4, 1e-12 );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_B_PIERCES_A );
	// Cavities in two components.
	shape pair = { 0 };
	for ( int i = 0; i < 2; ++i ) {
		const double x = 10.0 * i;
		add_block( &pair, ( const double[3] ){ x, 0, 0 }, ( const double[3] ){ x + 6, 6, 6 }, false, false );
		add_block( &pair, ( const double[3] ){ x + 2, 2, 2 }, ( const double[3] ){ x + 4, 4, 4 }, true, true );
	}
	shape large = block( -1, -1, -1, 20, 20, 20 );
	found = find_filled( &pair, NULL, &large, NULL, DBVH_FILL_RULE_NONZERO );
	check_volume( &found, 2 * ( 216 - 8 ), 1e-12 );
	assert_int_equal( found.component_count, 2 );
	assert_int_equal( dbvh_overlap_get( overlap ).components[1].shells, 2 );
	shape_free( &nested );
	shape_free( &hollow );
	shape_free( &probe );
	shape_free( &inner );
	shape_free( &across );
	shape_free( &pair );
	shape_free( &large );
}

static void test_kinds( void **state ) {
	(void)state;
	dbvh_overlap_result found = find( block( 0, 0, 0, 8, 8, 1 ), NULL, block( 2, 2, -1, 3, 3, 2 ), NULL );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_B_PIERCES_A );
	check_volume( &found, 1, 1e-12 );
	assert_int_equal( dbvh_overlap_get( overlap ).components[0].loops, 2 );
	found = find( block( 2, 2, -1, 3, 3, 2 ), NULL, block( 0, 0, 0, 8, 8, 1 ), NULL );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_A_PIERCES_B );
	// Two walls that overlap by 50 mm, with flush sides.
	found = find( block( 0, 0, 0, 3, 0.2, 2.5 ), NULL, block( 2.95, 0, 0, 6, 0.2, 2.5 ), NULL );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_PROTRUSION );
	assert_true( fabs( found.measure.volume.lower - 0.05 * 0.2 * 2.5 ) < 1e-12 );
	// Bars across each other.
	found = find( block( -4, -1, -1, 4, 1, 1 ), NULL, block( -0.5, -4, -1, 0.5, 4, 1 ), NULL );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_MUTUAL );
	found = find( block( 0, 0, 0, 1, 1, 1 ), NULL, block( 0, 0, 0, 1, 1, 1 ), NULL );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_DUPLICATE );
	check_volume( &found, 1, 1e-12 );
	found = find( block( 0, 0, 0, 1, 1, 1 ), NULL, block( 1, 0, 0, 2, 1, 1 ), NULL );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_TOUCHING );
	assert_true( found.measure.volume.upper == 0.0 && found.component_count == 0 );
	found = find( block( 0, 0, 0, 1, 1, 1 ), NULL, block( 2, 0, 0, 3, 1, 1 ), NULL );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_NONE );
	found = find( block( 0, 0, 0, 8, 8, 8 ), NULL, block( 2, 2, 2, 3, 3, 3 ), NULL );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_B_IN_A );
	assert_string_equal( dbvh_overlap_kind_name( DBVH_OVERLAP_KIND_B_IN_A ), "B_IN_A" );
	assert_string_equal( dbvh_overlap_reason_name( DBVH_OVERLAP_REASON_OPEN ), "OPEN" );
	assert_string_equal( dbvh_overlap_kind_name( (dbvh_overlap_kind)99 ), "?" );
}

// ------------------------------------------------------------------------------------------------
// Undecided

static void test_open( void **state ) {
	(void)state;
	shape open = block( 0, 0, 0, 4, 4, 4 ), b = block( 2, 2, 2, 6, 6, 6 ), away = block( 20, 20, 20, 21, 21, 21 );
	open.triangle_count -= 1;
	dbvh_overlap_result found = find_filled( &b, NULL, &open, NULL, DBVH_FILL_RULE_NONZERO );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_UNDECIDED );
	assert_int_equal( found.reason, DBVH_OVERLAP_REASON_OPEN );
	assert_int_equal( found.body, 1 );
	assert_true( found.measure.volume.lower == 0.0 && found.measure.volume.upper >= 64.0 );
	found = find_filled( &open, NULL, &away, NULL, DBVH_FILL_RULE_NONZERO );
	assert_int_equal( found.kind, DBVH_OVERLAP_KIND_NONE );
	shape_free( &open );
	shape_free( &b );
	shape_free( &away );
}

static void test_crossing_itself( void **state ) {
	(void)state;
	shape twice = block( 0, 0, 0, 4, 4, 4 ), there = block( 2, 2, 2, 3, 3, 9 ),
	      elsewhere = block( -1, -1, -1, 1, 1, 1 );
	add_block( &twice, ( const double[3] ){ 3, 3, 3 }, ( const double[3] ){ 7, 7, 7 }, false, false );
	dbvh_overlap_result found = find_filled( &twice, NULL, &there, NULL, DBVH_FILL_RULE_NONZERO );
	assert_int_equal( found.reason, DBVH_OVERLAP_REASON_SELF_INTERSECTION );
	assert_int_equal( found.body, 0 );
	assert_true( found.triangle < 12 && found.other_triangle >= 12 );
	check_volume( &found, 2, 1e-9 );
	// A shell that crosses nothing, beside those that do.
	add_block( &twice, ( const double[3] ){ -3, -3, -3 }, ( const double[3] ){ -0.5, -0.5, -0.5 }, false, false );
	shape apart = block( -2, -2, -2, -1, -1, 5 );
	found = find_filled( &twice, NULL, &apart, NULL, DBVH_FILL_RULE_NONZERO );
	check_volume( &found, 1.5, 1e-12 );
	shape_free( &twice );
	shape_free( &there );
	shape_free( &elsewhere );
	shape_free( &apart );
}

// ------------------------------------------------------------------------------------------------
// Calls

static void test_budget_and_batch( void **state ) {
	(void)state;
	rng r = rng_announce( "batch", 4 );
	shape a = { 0 }, b = { 0 };
	shape_add_torus( &a, 2.0, 0.75, 40, 24 );
	shape_add_sphere( &b, 1.25, 30, 20 );
	dbvh_tree *ta = tree_with_topology( &a ), *tb = tree_with_topology( &b );
	enum { POSES = 24 };
	dbvh_pose poses[POSES];
	dbvh_overlap_result one[POSES], many[POSES];
	for ( int i = 0; i < POSES; ++i ) {
		poses[i] = random_pose( &r, 2.0 );
		assert_int_equal( dbvh_overlap_find( ta, NULL, tb, &poses[i], NULL, overlap, &one[i], NULL ), DBVH_OK );
	}
	for ( uint32_t threads = 1; threads <= 3; ++threads ) {
		const dbvh_batch_options options = { .thread_count = threads, .grain = 1 };
		assert_int_equal( dbvh_overlap_batch( ta, NULL, tb, poses, POSES, NULL, &options, many, NULL ), DBVH_OK );
		assert_memory_equal( one, many, sizeof one );
	}
	// Each amount of work ends in an interval that holds the truth, and enough of it in the answer.
	size_t ended = 0;
	for ( uint64_t work = 1; work < 1u << 24; work *= 3 ) {
		const dbvh_budget budget = { .max_work = work };
		const dbvh_overlap_query query = { .budget = &budget };
		dbvh_overlap_result found;
		const dbvh_status status = dbvh_overlap_find( ta, NULL, tb, &poses[0], &query, overlap, &found, NULL );
		assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
		assert_true( found.measure.volume.lower <= one[0].measure.volume.lower &&
		             found.measure.volume.upper >= one[0].measure.volume.upper );
		ended += status == DBVH_BUDGET_SPENT;
	}
	assert_true( ended > 0 );
	const dbvh_overlap_query wrong = { .relative_width = NAN };
	dbvh_overlap_result found;
	assert_int_equal( dbvh_overlap_find( ta, NULL, tb, NULL, &wrong, overlap, &found, NULL ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_overlap_find( ta, NULL, tb, NULL, NULL, NULL, &found, NULL ), DBVH_INVALID_ARGUMENT );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
	shape_free( &a );
	shape_free( &b );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown( test_thin_and_far, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_turned, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_scales, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_thin_cavity, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_pin, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_shells, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_kinds, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_open, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_crossing_itself, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_budget_and_batch, set_up, tear_down ),
	};
	return test_main( argc, argv, tests );
}
