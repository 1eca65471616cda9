// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Volumes of overlaps of meshes whose shells cross, touch and hold each other: against counting of unit cubes, and by
// inclusion and exclusion against overlaps of their convex parts.

#include "dualbvh/overlap.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/solid_shapes.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dbvh_overlap *overlap, *other_overlap;

static int set_up( void **state ) {
	(void)state;
	return dbvh_overlap_create( NULL, &overlap, NULL ) == DBVH_OK &&
	               dbvh_overlap_create( NULL, &other_overlap, NULL ) == DBVH_OK
	           ? 0
	           : -1;
}

static int tear_down( void **state ) {
	(void)state;
	dbvh_overlap_destroy( overlap );
	dbvh_overlap_destroy( other_overlap );
	return 0;
}

static dbvh_tree *filled_tree( const shape *s, dbvh_fill_rule fill ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.fill = fill;
	const dbvh_mesh_view view = shape_view( s );
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
	return tree;
}

static bool is_in( dbvh_interval x, double truth ) {
	return x.lower <= truth && truth <= x.upper;
}

// ------------------------------------------------------------------------------------------------
// Counting

enum { GRID = 6, MOST = 4 };

// Boxes of whole coordinates; some are inside out.
typedef struct boxes {
	int count;
	double low[MOST][3], high[MOST][3];
	bool inwards[MOST];
} boxes;

static boxes any_boxes( rng *r, bool may_turn ) {
	boxes b = { .count = 1 + (int)rng_below( r, MOST ) };
	for ( int i = 0; i < b.count; ++i ) {
		bool twice;
		do {
			for ( int k = 0; k < 3; ++k ) {
				b.low[i][k] = (double)rng_below( r, GRID - 1 );
				b.high[i][k] = b.low[i][k] + 1.0 + (double)rng_below( r, GRID - (uint64_t)b.low[i][k] );
			}
			twice = false;
			for ( int j = 0; j < i; ++j )
				twice = twice || ( memcmp( b.low[i], b.low[j], sizeof b.low[i] ) == 0 &&
				                   memcmp( b.high[i], b.high[j], sizeof b.high[i] ) == 0 );
		} while ( twice ); // note: of shells that are there twice, each counts once; another test has them
		b.inwards[i] = may_turn && rng_below( r, 4 ) == 0;
	}
	return b;
}

static shape shape_of( const boxes *b, rng *r ) {
	shape s = { 0 };
	for ( int i = 0; i < b->count; ++i )
		add_block( &s, b->low[i], b->high[i], rng_below( r, 2 ) == 0, b->inwards[i] );
	return s;
}

// Turn some triangles round, which the even-odd rule does not look at.
static void turn_some( shape *s, rng *r ) {
	for ( size_t i = 0; i < s->triangle_count; ++i ) {
		if ( rng_below( r, 8 ) != 0 )
			continue;
		const uint32_t first = s->indices[3 * i];
		s->indices[3 * i] = s->indices[3 * i + 1];
		s->indices[3 * i + 1] = first;
	}
}

static bool encloses( const boxes *b, dbvh_fill_rule fill, const double x[3] ) {
	int winding = 0, count = 0;
	for ( int i = 0; i < b->count; ++i ) {
		bool inside = true;
		for ( int k = 0; k < 3; ++k )
			inside = inside && b->low[i][k] < x[k] && x[k] < b->high[i][k];
		count += inside;
		winding += inside ? ( b->inwards[i] ? -1 : 1 ) : 0;
	}
	return fill == DBVH_FILL_RULE_EVEN_ODD ? count % 2 != 0 : winding != 0;
}

static void test_counting( void **state ) {
	(void)state;
	rng r = rng_announce( "counting", 11 );
	const size_t count = rounds( 1200 );
	size_t wrong = 0, wide = 0, seen[5] = { 0 };
	for ( size_t round = 0; round < count; ++round ) {
		boxes b[2];
		shape s[2];
		dbvh_tree *tree[2];
		dbvh_fill_rule fill[2];
		dbvh_pose pose = dbvh_pose_identity();
		for ( int m = 0; m < 2; ++m ) {
			b[m] = any_boxes( &r, true );
			s[m] = shape_of( &b[m], &r );
			fill[m] = rng_below( &r, 2 ) == 0 ? DBVH_FILL_RULE_NONZERO : DBVH_FILL_RULE_EVEN_ODD;
			if ( fill[m] == DBVH_FILL_RULE_EVEN_ODD && rng_below( &r, 2 ) == 0 )
				turn_some( &s[m], &r );
			tree[m] = filled_tree( &s[m], fill[m] );
		}
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = (double)rng_below( &r, 5 ) - 2.0;
		double truth = 0.0, first[3] = { 0.0, 0.0, 0.0 };
		for ( int i = 0; i < ( GRID + 1 ) * ( GRID + 1 ) * ( GRID + 1 ); ++i ) {
			const double x[3] = { i % ( GRID + 1 ) + 0.5, i / ( GRID + 1 ) % ( GRID + 1 ) + 0.5,
			                      i / ( GRID + 1 ) / ( GRID + 1 ) + 0.5 };
			const double y[3] = { x[0] - pose.pos[0], x[1] - pose.pos[1], x[2] - pose.pos[2] };
			if ( !encloses( &b[0], fill[0], x ) || !encloses( &b[1], fill[1], y ) )
				continue;
			truth += 1.0;
			for ( int k = 0; k < 3; ++k )
				first[k] += x[k];
		}
		dbvh_overlap_result there, back;
		assert_int_equal( dbvh_overlap_find( tree[0], NULL, tree[1], &pose, NULL, overlap, &there, NULL ), DBVH_OK );
		assert_int_equal( dbvh_overlap_find( tree[1], &pose, tree[0], NULL, NULL, other_overlap, &back, NULL ),
		                  DBVH_OK );
		seen[there.reason] += 1;
		const dbvh_overlap_measure *m = &there.measure;
		bool ok = is_in( m->volume, truth ) && memcmp( &m->volume, &back.measure.volume, sizeof m->volume ) == 0;
		for ( int k = 0; k < 3 && truth > 0.0; ++k )
			ok = ok && is_in( m->centroid[k], first[k] / truth );
		wide += m->volume.upper - m->volume.lower > 1e-9;
		if ( !ok && ++wrong <= 3 )
			printf( "round %zu: [%.17g, %.17g] %s, should be %g; back [%.17g, %.17g]\n", round, m->volume.lower,
			        m->volume.upper, dbvh_overlap_reason_name( there.reason ), truth, back.measure.volume.lower,
			        back.measure.volume.upper );
		for ( int k = 0; k < 2; ++k ) {
			dbvh_tree_destroy( tree[k] );
			shape_free( &s[k] );
		}
	}
	printf( "%zu decided, %zu through themselves, of %zu; %zu wide\n", seen[DBVH_OVERLAP_REASON_DECIDED],
	        seen[DBVH_OVERLAP_REASON_SELF_INTERSECTION], count, wide );
	assert_int_equal( wrong, 0 );
	assert_true( count < 100 || wide < count / 4 );
	assert_true( count < 100 ||
	             ( seen[DBVH_OVERLAP_REASON_DECIDED] > 0 && seen[DBVH_OVERLAP_REASON_SELF_INTERSECTION] > 0 ) );
}

// ------------------------------------------------------------------------------------------------
// Inclusion and exclusion

// What is common to the boxes of a set, bit i for box i. False if nothing is.
static bool common_box( const boxes *b, int set, double low[3], double high[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		low[k] = -INFINITY;
		high[k] = INFINITY;
		for ( int i = 0; i < b->count; ++i ) {
			if ( ( set >> i & 1 ) == 0 )
				continue;
			low[k] = fmax( low[k], b->low[i][k] );
			high[k] = fmin( high[k], b->high[i][k] );
		}
		if ( low[k] >= high[k] )
			return false;
	}
	return true;
}

// The factor of what is common to n of the parts.
static double factor_of( int set, dbvh_fill_rule fill ) {
	double factor = -1.0;
	int n = 0;
	for ( int rest = set; rest != 0; rest &= rest - 1 ) {
		factor *= fill == DBVH_FILL_RULE_EVEN_ODD ? -2.0 : -1.0;
		n += 1;
	}
	return n == 0 ? 0.0 : fill == DBVH_FILL_RULE_EVEN_ODD ? 0.5 * factor : factor;
}

static dbvh_interval by_parts( const boxes b[2], const dbvh_fill_rule fill[2], const dbvh_pose *pose ) {
	dbvh_interval sum = { 0.0, 0.0 };
	for ( int i = 1; i < 1 << b[0].count; ++i ) {
		for ( int j = 1; j < 1 << b[1].count; ++j ) {
			double low[2][3], high[2][3];
			if ( !common_box( &b[0], i, low[0], high[0] ) || !common_box( &b[1], j, low[1], high[1] ) )
				continue;
			shape s[2] = { { 0 }, { 0 } };
			dbvh_tree *tree[2];
			for ( int m = 0; m < 2; ++m ) {
				add_block( &s[m], low[m], high[m], false, false );
				tree[m] = tree_with_topology( &s[m] );
			}
			dbvh_overlap_result found;
			assert_int_equal( dbvh_overlap_find( tree[0], NULL, tree[1], pose, NULL, other_overlap, &found, NULL ),
			                  DBVH_OK );
			assert_int_equal( found.reason, DBVH_OVERLAP_REASON_DECIDED );
			const double factor = factor_of( i, fill[0] ) * factor_of( j, fill[1] );
			const dbvh_interval v = found.measure.volume;
			sum.lower += factor * ( factor > 0.0 ? v.lower : v.upper );
			sum.upper += factor * ( factor > 0.0 ? v.upper : v.lower );
			for ( int m = 0; m < 2; ++m ) {
				dbvh_tree_destroy( tree[m] );
				shape_free( &s[m] );
			}
		}
	}
	// note: sums of at most 225 numbers below 4,096 in doubles.
	return ( dbvh_interval ){ sum.lower - 1e-9, sum.upper + 1e-9 };
}

static void test_turned( void **state ) {
	(void)state;
	rng r = rng_announce( "turned", 12 );
	size_t crossed = 0;
	const size_t count = rounds( 60 );
	for ( size_t round = 0; round < count; ++round ) {
		boxes b[2];
		shape s[2];
		dbvh_tree *tree[2];
		dbvh_fill_rule fill[2];
		for ( int m = 0; m < 2; ++m ) {
			b[m] = any_boxes( &r, false );
			b[m].count = b[m].count > 3 ? 3 : b[m].count;
			s[m] = shape_of( &b[m], &r );
			fill[m] = rng_below( &r, 2 ) == 0 ? DBVH_FILL_RULE_NONZERO : DBVH_FILL_RULE_EVEN_ODD;
			tree[m] = filled_tree( &s[m], fill[m] );
		}
		const dbvh_pose pose = random_pose( &r, 1.0 );
		dbvh_overlap_result found;
		assert_int_equal( dbvh_overlap_find( tree[0], NULL, tree[1], &pose, NULL, overlap, &found, NULL ), DBVH_OK );
		crossed += found.reason == DBVH_OVERLAP_REASON_SELF_INTERSECTION;
		const dbvh_interval v = found.measure.volume, truth = by_parts( b, fill, &pose );
		if ( v.upper < truth.lower || v.lower > truth.upper || v.upper - v.lower > 1e-8 )
			printf( "round %zu: [%.17g, %.17g], should be in [%.17g, %.17g]\n", round, v.lower, v.upper, truth.lower,
			        truth.upper );
		assert_true( v.upper >= truth.lower && v.lower <= truth.upper && v.upper - v.lower <= 1e-8 );
		for ( int k = 0; k < 2; ++k ) {
			dbvh_tree_destroy( tree[k] );
			shape_free( &s[k] );
		}
	}
	printf( "%zu of %zu through themselves\n", crossed, count );
}

static double volume_of( const shape *a, const shape *b, const dbvh_pose *pose, dbvh_overlap_reason reason ) {
	dbvh_tree *ta = tree_with_topology( a ), *tb = tree_with_topology( b );
	dbvh_overlap_result found;
	assert_int_equal( dbvh_overlap_find( ta, NULL, tb, pose, NULL, overlap, &found, NULL ), DBVH_OK );
	assert_int_equal( found.reason, reason );
	assert_true( found.measure.volume.upper - found.measure.volume.lower <= 1e-9 * found.measure.volume.upper );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
	return found.measure.volume.upper;
}

// Round bodies with thousands of triangles: two spheres and a torus in one mesh, within a box and across another.
static void test_round( void **state ) {
	(void)state;
	shape parts[3] = { { 0 }, { 0 }, { 0 } }, all = { 0 }, box = { 0 };
	shape_add_sphere( &parts[0], 1.0, 40, 30 );
	shape_add_sphere( &parts[1], 0.75, 41, 29 );
	for ( size_t i = 0; i < parts[1].vertex_count; ++i )
		parts[1].positions[3 * i] += 0.625;
	shape_add_sphere( &all, 1.0, 40, 30 );
	const size_t first = all.vertex_count;
	shape_add_sphere( &all, 0.75, 41, 29 );
	for ( size_t i = first; i < all.vertex_count; ++i )
		all.positions[3 * i] += 0.625;
	add_block( &box, ( const double[3] ){ -3, -3, -3 }, ( const double[3] ){ 3, 3, 3 }, false, false );
	dbvh_pose pose = dbvh_pose_identity();
	const double one = volume_of( &parts[0], &box, &pose, DBVH_OVERLAP_REASON_DECIDED ),
	             two = volume_of( &parts[1], &box, &pose, DBVH_OVERLAP_REASON_DECIDED ),
	             common = volume_of( &parts[0], &parts[1], &pose, DBVH_OVERLAP_REASON_DECIDED ),
	             united = volume_of( &all, &box, &pose, DBVH_OVERLAP_REASON_SELF_INTERSECTION );
	printf( "%.12g + %.12g - %.12g, found %.12g\n", one, two, common, united );
	assert_true( fabs( united - ( one + two - common ) ) < 1e-8 );
	for ( int i = 0; i < 2; ++i )
		shape_free( &parts[i] );
	shape_free( &all );
	shape_free( &box );
}

// A shell that is there twice is one by the nonzero rule, and nothing by the even-odd rule; so it is with the side of a
// wall that two shells have, cut the same way or the other.
static void test_copies( void **state ) {
	(void)state;
	for ( int turned = 0; turned < 2; ++turned ) {
		shape s = { 0 }, box = { 0 };
		add_block( &s, ( const double[3] ){ 0, 0, 0 }, ( const double[3] ){ 2, 2, 2 }, false, false );
		add_block( &s, ( const double[3] ){ 0, 0, 0 }, ( const double[3] ){ 2, 2, 2 }, false, false );
		add_block( &s, ( const double[3] ){ 4, 0, 0 }, ( const double[3] ){ 6, 2, 2 }, false, false );
		add_block( &s, ( const double[3] ){ 6, 0, 0 }, ( const double[3] ){ 8, 2, 2 }, turned != 0, false );
		add_block( &s, ( const double[3] ){ 1, 1, 1 }, ( const double[3] ){ 7, 3, 3 }, false, false );
		add_block( &box, ( const double[3] ){ -1, -1, -1 }, ( const double[3] ){ 9, 9, 9 }, false, false );
		for ( int fill = 0; fill < 2; ++fill ) {
			dbvh_tree *ta = filled_tree( &s, (dbvh_fill_rule)fill ), *tb = tree_with_topology( &box );
			dbvh_overlap_result found;
			assert_int_equal( dbvh_overlap_find( ta, NULL, tb, NULL, NULL, overlap, &found, NULL ), DBVH_OK );
			assert_int_equal( found.reason, DBVH_OVERLAP_REASON_SELF_INTERSECTION );
			// 24 of the bar, and 8 + 16 of the others, of which 1 and 3 are common.
			const double truth = fill == DBVH_FILL_RULE_EVEN_ODD ? 24.0 + 16.0 - 2.0 * 3.0 : 24.0 + 24.0 - 4.0;
			if ( !is_in( found.measure.volume, truth ) )
				printf( "[%.17g, %.17g], should be %g\n", found.measure.volume.lower, found.measure.volume.upper,
				        truth );
			assert_true( is_in( found.measure.volume, truth ) && is_in( found.measure.box_min[0], 0.0 ) &&
			             found.measure.area.lower > 0.0 && found.measure.area.upper < 300.0 );
			dbvh_tree_destroy( ta );
			dbvh_tree_destroy( tb );
		}
		shape_free( &s );
		shape_free( &box );
	}
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown( test_counting, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_copies, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_turned, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_round, set_up, tear_down ),
	};
	return test_main( argc, argv, tests );
}
