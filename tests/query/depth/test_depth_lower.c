// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The lower end of the penetration depth where the upper one is far above the truth. Results have the lower end capped
// by the upper one, so that an exact upper end hides a lower end that is too high.

#include "base/alloc.h"
#include "depth_oracle.h"
#include "query/depth/hull.h"
#include "support/scene.h"
#include "support/solid_shapes.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>

// Doubles of an oracle are off by less than this, relatively.
#define ORACLE 0x1p-48

static dbvh_penetration_result depth_of( const shape *a, const shape *b, const dbvh_penetration_query *query ) {
	dbvh_tree *ta = tree_with_topology( a ), *tb = tree_with_topology( b );
	dbvh_penetration_result out;
	const dbvh_status status = dbvh_penetration_depth( ta, NULL, tb, NULL, query, NULL, &out, NULL );
	assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
	return out;
}

// ------------------------------------------------------------------------------------------------
// A cavity that the search for short translations does not find

#define GAP 0x1p-7

// Check a big block with a cavity, and a unit cube in its wall that fits into the cavity with GAP to spare on all
// sides. The least translation, of length sqrt( sum ( |move| - GAP )^2 ), is into the cavity; outwards it is three
// times as far, which is all that is known at first. Returns how often the interval was that loose, with a lower end
// above 0.
static size_t check_cavity( const double move[3] ) {
	shape a = { 0 }, b = { 0 };
	double low[3], high[3], square = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		low[k] = -move[k];
		high[k] = 1.0 - move[k];
		square += ( fabs( move[k] ) - GAP ) * ( fabs( move[k] ) - GAP );
	}
	const double truth = sqrt( square );
	add_block( &a, ( double[3] ){ -7.5, -7.5, -7.5 }, ( double[3] ){ 8.5, 8.5, 8.5 }, false, false );
	add_block( &a, ( double[3] ){ -GAP, -GAP, -GAP }, ( double[3] ){ 1.0 + GAP, 1.0 + GAP, 1.0 + GAP }, false, true );
	add_block( &b, low, high, false, false );
	size_t loose = 0;
	for ( uint64_t work = 1024; work <= (uint64_t)1 << 22; work *= 2 ) {
		const dbvh_budget budget = { .max_work = work };
		const dbvh_penetration_query query = { .relative_width = 0.5, .budget = &budget };
		const dbvh_penetration_result p = depth_of( &a, &b, &query );
		if ( !( p.depth.lower <= truth * ( 1.0 + ORACLE ) ) )
			printf( "work %g: [%.17g, %.17g], should be %.17g\n", (double)work, p.depth.lower, p.depth.upper, truth );
		assert_true( p.depth.lower <= truth * ( 1.0 + ORACLE ) );
		assert_true( p.depth.upper >= truth * ( 1.0 - ORACLE ) );
		loose += p.depth.lower > 0.0 && p.depth.upper > 3.0 * truth;
	}
	shape_free( &a );
	shape_free( &b );
	return loose;
}

static void test_cavity( void **state ) {
	(void)state;
	size_t loose = 0;
	for ( int octant = 0; octant < 8; ++octant ) {
		const double move[3] = { octant & 1 ? 1.3 : -1.3, octant & 2 ? 1.1 : -1.1, octant & 4 ? 1.2 : -1.2 };
		loose += check_cavity( move );
	}
	printf( "%zu intervals are loose, with a lower end above 0\n", loose );
	assert_true( loose > 0 );
}

// ------------------------------------------------------------------------------------------------
// Convex hulls, measured along a few directions

static void random_tetra( shape *s, rng *r ) {
	double p[4][3];
	do {
		for ( int k = 0; k < 12; ++k )
			p[k / 3][k % 3] = (double)rng_below( r, 40 );
	} while ( !add_tetra( s, p ) );
}

static void test_hulls( void **state ) {
	(void)state;
	rng r = rng_announce( "lower ends of hulls", 3 );
	const size_t count = rounds( 400 );
	size_t loose = 0;
	for ( size_t i = 0; i < count; ++i ) {
		shape a = { 0 }, b = { 0 };
		random_tetra( &a, &r );
		random_tetra( &b, &r );
		const double truth = oracle_convex_depth( &a, &b, ( double[3] ){ 0.0, 0.0, 0.0 } );
		const dbvhi_hull_points points = {
		    .at = { a.positions, b.positions }, .count = { a.vertex_count, b.vertex_count }, .size = 40.0 };
		for ( size_t most = 6; most <= 384 && truth > 0.0; most *= 4 ) {
			dbvhi_purse purse;
			dbvhi_meter meter;
			dbvh_allocator allocator;
			dbvhi_hull_depth found;
			dbvhi_meter_open( &meter, &purse, NULL );
			assert_int_equal( dbvhi_allocator_take( NULL, &allocator, NULL ), DBVH_OK );
			assert_int_equal( dbvhi_hull_depth_find( &points, 0.0, most, &allocator, &meter, &found ), DBVH_OK );
			assert_true( found.depth.lower <= truth * ( 1.0 + ORACLE ) );
			assert_true( found.depth.upper >= truth * ( 1.0 - ORACLE ) );
			loose += found.depth.lower > 0.0 && found.depth.upper > 1.01 * truth;
		}
		shape_free( &a );
		shape_free( &b );
	}
	printf( "%zu of %zu intervals are loose, with a lower end above 0\n", loose, 4 * count );
	assert_outcomes( count < 100 || loose > 0 );
}

// ------------------------------------------------------------------------------------------------
// Slivers

// Check two tetrahedra, the upper edge of one 2^-52 above the lower edge of the other and turned by 2^-48 about the
// direction of that overlap, which is too little for the normal of the sliver that both edges span. Moved along it by
// 2^-52, B is free; the other faces of the Minkowski difference are about as far as the sliver is wide, 2^-47, and the
// upper end is the distance of one of these.
static void test_sliver( void **state ) {
	(void)state;
	const double e = 0x1p-48, d = 0x1p-52;
	const double under[4][3] = { { 0, 0, -1 }, { 0, 0, 1 }, { -1, -1, 0 }, { 1, -1, 0 } };
	const double above[4][3] = { { -e, -d, -1 }, { e, -d, 1 }, { -1, 1, 0 }, { 1, 1, 0 } };
	shape a = { 0 }, b = { 0 };
	assert_true( add_tetra( &a, under ) && add_tetra( &b, above ) );
	const dbvh_penetration_result p = depth_of( &a, &b, NULL );
	printf( "[%.9g, %.9g], at most %.9g, %s\n", p.depth.lower, p.depth.upper, d, dbvh_depth_proof_name( p.proof ) );
	assert_int_equal( p.proof, DBVH_DEPTH_PROOF_CONVEX );
	assert_true( p.depth.lower <= d && p.depth.upper > 4.0 * d );
	shape_free( &a );
	shape_free( &b );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_cavity ),
	    cmocka_unit_test( test_hulls ),
	    cmocka_unit_test( test_sliver ),
	};
	return test_main( argc, argv, tests );
}
