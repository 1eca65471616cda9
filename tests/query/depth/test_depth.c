// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Penetration depth and local depth against oracles: every interval must contain the truth.

#include "depth_oracle.h"
#include "support/scene.h"
#include "support/solid_shapes.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Doubles of an oracle are off by less than this, relatively.
#define ORACLE 0x1p-48

static bool contains( const dbvh_interval *i, double truth ) {
	return i->lower <= truth * ( 1.0 + ORACLE ) && i->upper >= truth * ( 1.0 - ORACLE );
}

static dbvh_pose moved_by( double x, double y, double z ) {
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = x;
	pose.pos[1] = y;
	pose.pos[2] = z;
	return pose;
}

// ------------------------------------------------------------------------------------------------
// Checks that hold of any pair

// Check what a result says of itself, and that swapping changes no interval.
static void check_penetration( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose,
                               const dbvh_penetration_query *query, const dbvh_penetration_result *r ) {
	assert_true( r->depth.lower >= 0.0 && r->depth.lower <= r->depth.upper );
	if ( !( r->depth.upper < INFINITY ) ) {
		// A budget that is spent before the relation is known tells nothing.
		assert_true( query != NULL && query->budget != NULL );
		assert_int_equal( r->relation, DBVH_RELATION_UNDECIDABLE );
		return;
	}
	const double *t = r->translation;
	assert_true( sqrt( t[0] * t[0] + t[1] * t[1] + t[2] * t[2] ) <= r->depth.upper * ( 1.0 + 0x1p-40 ) + 0x1p-40 );
	dbvh_relate_result after, before;
	assert_int_equal( dbvh_relate( a, NULL, b, pose, NULL, NULL, &before, NULL ), DBVH_OK );
	assert_int_equal( r->relation, before.relation );
	assert_int_equal( dbvh_relate( a, NULL, b, &r->pose_b, NULL, NULL, &after, NULL ), DBVH_OK );
	assert_true( after.relation == DBVH_RELATION_DISJOINT ||
	             ( after.relation == DBVH_RELATION_TOUCHING && !( query != NULL && query->strict ) ) );
	dbvh_penetration_result back;
	const dbvh_status status = dbvh_penetration_depth( b, pose, a, NULL, query, NULL, &back, NULL );
	assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
	assert_memory_equal( &r->depth, &back.depth, sizeof back.depth );
	assert_int_equal( back.relation, swapped_relation( r->relation ) );
}

static void check_local( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose,
                         const dbvh_local_depth_query *query, const dbvh_local_depth_result *r ) {
	const dbvh_local_depth_side *sides[2] = { &r->a_in_b, &r->b_in_a };
	for ( int i = 0; i < 2; ++i ) {
		const dbvh_local_depth_side *s = sides[i];
		assert_true( s->depth.lower >= 0.0 && s->depth.lower <= s->depth.upper );
		if ( !( s->depth.lower > 0.0 ) )
			continue;
		double away = 0.0, unit = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			away += ( s->nearest[k] - s->deepest[k] ) * ( s->nearest[k] - s->deepest[k] );
			unit += s->direction[k] * s->direction[k];
		}
		assert_true( fabs( sqrt( away ) - s->depth.lower ) <= 1e-9 * s->depth.lower + 1e-12 );
		assert_true( fabs( unit - 1.0 ) < 1e-9 );
	}
	dbvh_local_depth_result back;
	const dbvh_status status = dbvh_local_depth( b, pose, a, NULL, query, NULL, &back, NULL );
	assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
	assert_memory_equal( &r->a_in_b.depth, &back.b_in_a.depth, sizeof( dbvh_interval ) );
	assert_memory_equal( &r->b_in_a.depth, &back.a_in_b.depth, sizeof( dbvh_interval ) );
	assert_int_equal( r->verdict, back.verdict );
}

// ------------------------------------------------------------------------------------------------
// Bodies of cubes

static void random_cubes( cubes *c, rng *r ) {
	c->n = 1 + (int)rng_below( r, 4 );
	const uint64_t most = 2 + rng_below( r, 5 );
	bool any = false;
	for ( int i = 0; i < c->n * c->n * c->n; ++i ) {
		c->cell[i] = rng_below( r, 6 ) < most;
		any = any || c->cell[i];
	}
	c->cell[0] = c->cell[0] || !any;
	for ( int k = 0; k < 3; ++k )
		c->at[k] = 0;
}

static dbvh_tree *tree_of_cubes( const cubes *c ) {
	shape s = { 0 };
	add_voxels( &s, c->cell, (uint32_t)c->n );
	dbvh_tree *tree = tree_with_topology( &s );
	shape_free( &s );
	return tree;
}

// Check the strict depth of cubes after a turn that makes them three times as large, by whole numbers: no direction
// that matters is along an axis then. Where surfaces slide, the upper end does not hide a lower end of the interiors
// that is too high.
static void check_turned( const cubes *a, const cubes *b, double truth ) {
	static const double turn[3][3] = { { 1.0, 2.0, 2.0 }, { 2.0, 1.0, -2.0 }, { 2.0, -2.0, 1.0 } };
	const cubes *bodies[2] = { a, b };
	dbvh_tree *tree[2];
	for ( int i = 0; i < 2; ++i ) {
		shape s = { 0 };
		add_voxels( &s, bodies[i]->cell, (uint32_t)bodies[i]->n );
		for ( size_t v = 0; v < s.vertex_count; ++v ) {
			double p[3];
			for ( int k = 0; k < 3; ++k )
				p[k] = s.positions[3 * v + (size_t)k] + bodies[i]->at[k];
			for ( int k = 0; k < 3; ++k )
				s.positions[3 * v + (size_t)k] = turn[k][0] * p[0] + turn[k][1] * p[1] + turn[k][2] * p[2];
		}
		tree[i] = tree_with_topology( &s );
		shape_free( &s );
	}
	dbvh_budget budget = { .max_work = 1000000 };
	const dbvh_penetration_query query = { .strict = true, .budget = &budget };
	dbvh_penetration_result p;
	const dbvh_status status = dbvh_penetration_depth( tree[0], NULL, tree[1], NULL, &query, NULL, &p, NULL );
	assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
	assert_true( contains( &p.depth, 3.0 * oracle_cubes_depth( a, b, true ) ) );
	assert_true( p.depth.lower <= 3.0 * truth * ( 1.0 + ORACLE ) );
	dbvh_tree_destroy( tree[0] );
	dbvh_tree_destroy( tree[1] );
}

static void test_cubes( void **state ) {
	(void)state;
	rng r = rng_announce( "depth of cubes", 1 );
	const size_t count = rounds( 60 );
	size_t overlapping = 0, free = 0, close = 0, whole = 0;
	for ( size_t i = 0; i < count; ++i ) {
		cubes a, b;
		random_cubes( &a, &r );
		random_cubes( &b, &r );
		for ( int k = 0; k < 3; ++k )
			b.at[k] = (int)rng_below( &r, 5 ) - 2;
		dbvh_tree *ta = tree_of_cubes( &a ), *tb = tree_of_cubes( &b );
		const dbvh_pose pose = moved_by( b.at[0], b.at[1], b.at[2] );
		dbvh_budget budget = { .max_work = 1000000 };
		dbvh_penetration_query query = { .budget = &budget };
		dbvh_penetration_result p;
		dbvh_status status = dbvh_penetration_depth( ta, NULL, tb, &pose, &query, NULL, &p, NULL );
		assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
		const double truth = oracle_cubes_depth( &a, &b, false );
		if ( !contains( &p.depth, truth ) )
			printf( "round %zu: [%.17g, %.17g], should be %.17g\n", i, p.depth.lower, p.depth.upper, truth );
		assert_true( contains( &p.depth, truth ) );
		check_penetration( ta, tb, &pose, &query, &p );
		overlapping += truth > 0.0;
		free += !( truth > 0.0 );
		close += p.depth.upper <= 1.1 * truth;
		whole += p.depth.lower > 0.0 || !( truth > 0.0 );
		check_turned( &a, &b, truth );
		const dbvh_local_depth_query local_query = { .budget = &budget };
		dbvh_local_depth_result l;
		status = dbvh_local_depth( ta, NULL, tb, &pose, &local_query, NULL, &l, NULL );
		assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
		const double sides[2] = { oracle_cubes_local( &a, &b ), oracle_cubes_local( &b, &a ) };
		const dbvh_interval *found[2] = { &l.a_in_b.depth, &l.b_in_a.depth };
		for ( int side = 0; side < 2; ++side ) {
			const double least = fmax( sides[side], 0.0 ), most = sides[side] < 0.0 ? 0.0 : least + sqrt( 3.0 ) / 16.0;
			assert_true( found[side]->upper >= least * ( 1.0 - ORACLE ) && found[side]->lower <= most );
		}
		check_local( ta, tb, &pose, &local_query, &l );
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
	}
	printf( "%zu overlap, %zu are free; upper end within 1.1 of the truth: %zu, lower end above 0 or right: %zu\n",
	        overlapping, free, close, whole );
	assert_true( count < 50 || ( overlapping > 0 && free > 0 ) );
}

// Depths along an axis.
static void test_cubes_along( void **state ) {
	(void)state;
	rng r = rng_announce( "depth of cubes along an axis", 2 );
	const size_t count = rounds( 40 );
	for ( size_t i = 0; i < count; ++i ) {
		cubes a, b;
		random_cubes( &a, &r );
		random_cubes( &b, &r );
		for ( int k = 0; k < 3; ++k )
			b.at[k] = (int)rng_below( &r, 3 ) - 1;
		dbvh_tree *ta = tree_of_cubes( &a ), *tb = tree_of_cubes( &b );
		const dbvh_pose pose = moved_by( b.at[0], b.at[1], b.at[2] );
		const int axis = (int)rng_below( &r, 3 ), sign = rng_below( &r, 2 ) == 0 ? 1 : -1;
		double direction[3] = { 0.0, 0.0, 0.0 }, first, last;
		direction[axis] = sign * 0.25;
		dbvh_budget budget = { .max_work = 400000 };
		const dbvh_penetration_query query = { .budget = &budget };
		dbvh_penetration_along_result p;
		const dbvh_status status = dbvh_penetration_along( ta, NULL, tb, &pose, direction, &query, NULL, &p, NULL );
		assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
		oracle_cubes_along( &a, &b, axis, sign, &first, &last );
		if ( !contains( &p.first_free, first ) || !contains( &p.free_for_good, last ) )
			printf( "round %zu: [%.17g, %.17g] should be %g, [%.17g, %.17g] should be %g\n", i, p.first_free.lower,
			        p.first_free.upper, first, p.free_for_good.lower, p.free_for_good.upper, last );
		assert_true( contains( &p.first_free, first ) );
		assert_true( contains( &p.free_for_good, last ) );
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
	}
}

// A peg in a hole of its very size: free as it is, but only strictly free beyond the plate.
static void test_peg( void **state ) {
	(void)state;
	cubes plate = { .n = 5 }, peg = { .n = 5 };
	for ( int i = 0; i < 75; ++i ) {
		const bool middle = i % 5 == 2 && i / 5 % 5 == 2;
		plate.cell[i] = !middle;
		peg.cell[i] = middle;
	}
	dbvh_tree *a = tree_of_cubes( &plate ), *b = tree_of_cubes( &peg );
	dbvh_penetration_result r;
	assert_int_equal( dbvh_penetration_depth( a, NULL, b, NULL, NULL, NULL, &r, NULL ), DBVH_OK );
	assert_int_equal( r.relation, DBVH_RELATION_TOUCHING );
	assert_true( r.depth.upper == 0.0 && r.proof == DBVH_DEPTH_PROOF_DISJOINT && r.reached );
	const dbvh_penetration_query strict = { .strict = true };
	assert_int_equal( dbvh_penetration_depth( a, NULL, b, NULL, &strict, NULL, &r, NULL ), DBVH_OK );
	printf( "strict: [%.17g, %.17g]\n", r.depth.lower, r.depth.upper );
	assert_true( contains( &r.depth, 3.0 ) && r.depth.upper < 3.01 );
	// Moved by 1/64: that is the depth.
	const dbvh_pose pose = moved_by( 1.0 / 64.0, 0.0, 0.0 );
	assert_int_equal( dbvh_penetration_depth( a, NULL, b, &pose, NULL, NULL, &r, NULL ), DBVH_OK );
	assert_true( r.depth.lower <= 1.0 / 64.0 && r.depth.upper >= 1.0 / 64.0 );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

// ------------------------------------------------------------------------------------------------
// Convex bodies

static void random_convex( shape *s, rng *r ) {
	double p[4][3], low[3], high[3];
	if ( rng_below( r, 3 ) == 0 ) {
		for ( int k = 0; k < 3; ++k ) {
			low[k] = (double)rng_below( r, 20 );
			high[k] = low[k] + 1.0 + (double)rng_below( r, 30 );
		}
		add_block( s, low, high, rng_below( r, 2 ) == 0, rng_below( r, 4 ) == 0 );
		return;
	}
	if ( rng_below( r, 2 ) == 0 ) {
		static const double hexagon[6][2] = { { 0, 4 }, { 3, 0 }, { 17, 1 }, { 22, 9 }, { 16, 20 }, { 2, 18 } };
		add_prism( s, hexagon, 6, (double)rng_below( r, 10 ), 11.0 + (double)rng_below( r, 20 ) );
		return;
	}
	do {
		for ( int k = 0; k < 12; ++k )
			p[k / 3][k % 3] = (double)rng_below( r, 40 );
	} while ( !add_tetra( s, p ) );
}

static void test_convex( void **state ) {
	(void)state;
	rng r = rng_announce( "depth of convex bodies", 3 );
	const size_t count = rounds( 400 );
	size_t deep = 0;
	for ( size_t i = 0; i < count; ++i ) {
		shape a = { 0 }, b = { 0 };
		random_convex( &a, &r );
		random_convex( &b, &r );
		const dbvh_pose pose = moved_by( (double)rng_below( &r, 41 ) - 20.0, (double)rng_below( &r, 41 ) - 20.0,
		                                 (double)rng_below( &r, 41 ) - 20.0 );
		dbvh_tree *ta = tree_with_topology( &a ), *tb = tree_with_topology( &b );
		dbvh_penetration_result p;
		assert_int_equal( dbvh_penetration_depth( ta, NULL, tb, &pose, NULL, NULL, &p, NULL ), DBVH_OK );
		const double truth = fmax( oracle_convex_depth( &a, &b, pose.pos ), 0.0 );
		assert_true( contains( &p.depth, truth ) );
		if ( p.depth.upper - p.depth.lower > 1e-12 * p.depth.upper )
			printf( "round %zu: [%.17g, %.17g], should be %.17g\n", i, p.depth.lower, p.depth.upper, truth );
		assert_true( p.depth.upper - p.depth.lower <= 1e-12 * p.depth.upper );
		assert_true( p.reached );
		check_penetration( ta, tb, &pose, NULL, &p );
		if ( truth > 0.0 ) {
			deep += 1;
			assert_int_equal( p.proof, DBVH_DEPTH_PROOF_CONVEX );
		}
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &a );
		shape_free( &b );
	}
	printf( "%zu of %zu overlap\n", deep, count );
	assert_true( count < 100 || ( deep > 0 && deep < count ) );
}

// ------------------------------------------------------------------------------------------------
// Boxes: the local depth by formula, whatever they are cut into

// The greatest distance from the boundary of the box [0, size]^3 of points of it that are within [low, high]: the least
// over the axes of the greatest distance along one.
static double box_depth( const double size[3], const double low[3], const double high[3] ) {
	double least = INFINITY;
	for ( int k = 0; k < 3; ++k ) {
		const double from = fmax( low[k], 0.0 ), to = fmin( high[k], size[k] ), middle = 0.5 * size[k];
		const double at = fmin( fmax( middle, from ), to );
		least = fmin( least, fmin( at, size[k] - at ) );
	}
	return least;
}

static void test_boxes( void **state ) {
	(void)state;
	rng r = rng_announce( "local depth of boxes", 4 );
	const size_t count = rounds( 60 );
	size_t fits = 0, clashes = 0, close = 0;
	for ( size_t i = 0; i < count; ++i ) {
		double size[2][3], move[3];
		for ( int k = 0; k < 3; ++k ) {
			size[0][k] = 1.0 + (double)rng_below( &r, 8 );
			size[1][k] = 1.0 + (double)rng_below( &r, 8 );
			move[k] = ( rng_unit( &r ) * 1.1 - 0.6 ) * 0.5 * ( size[0][k] + size[1][k] );
		}
		const uint32_t n = 1u << rng_below( &r, 3 );
		dbvh_tree *tree[2];
		for ( int m = 0; m < 2; ++m ) {
			shape s = { 0 };
			shape_add_box( &s, 0.5 * size[m][0], 0.5 * size[m][1], 0.5 * size[m][2], n );
			tree[m] = tree_with_topology( &s );
			shape_free( &s );
		}
		const dbvh_pose pose = moved_by( move[0], move[1], move[2] );
		double low[2][3], high[2][3];
		bool common = true;
		for ( int k = 0; k < 3; ++k ) {
			// B in the frame of A's lower corner, and A in that of B's.
			low[0][k] = move[k] - 0.5 * size[1][k] + 0.5 * size[0][k];
			low[1][k] = -move[k] - 0.5 * size[0][k] + 0.5 * size[1][k];
			for ( int m = 0; m < 2; ++m )
				high[m][k] = low[m][k] + size[!m][k];
			common = common && low[0][k] < size[0][k] && high[0][k] > 0.0;
		}
		const double in_a = common ? box_depth( size[0], low[0], high[0] ) : 0.0;
		const double in_b = common ? box_depth( size[1], low[1], high[1] ) : 0.0;
		dbvh_local_depth_result l;
		assert_int_equal( dbvh_local_depth( tree[0], NULL, tree[1], &pose, NULL, NULL, &l, NULL ), DBVH_OK );
		// note: sums of the formula round by a few units in the last place of the sizes.
		assert_true( l.b_in_a.depth.lower <= in_a + 1e-13 && l.b_in_a.depth.upper >= in_a - 1e-13 );
		assert_true( l.a_in_b.depth.lower <= in_b + 1e-13 && l.a_in_b.depth.upper >= in_b - 1e-13 );
		assert_true( l.reached );
		check_local( tree[0], tree[1], &pose, NULL, &l );
		const double least = fmin( in_a, in_b );
		dbvh_local_depth_query query = { .allowed_depth = least * 1.01, .verdict_only = true };
		// note: sums of the formula round, so that no more than this is known of thin overlaps.
		for ( int tight = 0; tight < 2 && least > 1e-3; ++tight ) {
			query.allowed_depth = least * ( tight ? 1.0 - 1e-9 : 1.0 + 1e-9 );
			assert_int_equal( dbvh_local_depth( tree[0], NULL, tree[1], &pose, &query, NULL, &l, NULL ), DBVH_OK );
			assert_int_not_equal( l.verdict, tight ? DBVH_FIT_VERDICT_FIT : DBVH_FIT_VERDICT_CLASH );
			close += l.verdict != DBVH_FIT_VERDICT_UNDECIDED;
		}
		for ( int tight = 0; tight < 2 && least > 1e-9; ++tight ) {
			query.allowed_depth = least * ( tight ? 0.99 : 1.01 );
			assert_int_equal( dbvh_local_depth( tree[0], NULL, tree[1], &pose, &query, NULL, &l, NULL ), DBVH_OK );
			assert_int_equal( l.verdict, tight ? DBVH_FIT_VERDICT_CLASH : DBVH_FIT_VERDICT_FIT );
			clashes += tight != 0;
			fits += tight == 0;
		}
		for ( int m = 0; m < 2; ++m )
			dbvh_tree_destroy( tree[m] );
	}
	printf( "%zu fits, %zu clashes, %zu decided a billionth off\n", fits, clashes, close );
	assert_true( count < 50 || ( fits > 0 && close > 0 ) );
}

// Two boxes, each cut into 12, 48 and 192 triangles: the depths, and the verdicts to either side, also a billionth off,
// are those of the shape.
static void test_cuts( void **state ) {
	(void)state;
	rng r = rng_announce( "local depth of boxes, cut finer", 6 );
	const double half[3] = { 1.0, 1.0, 1.0 };
	for ( size_t i = 0; i < rounds( 6 ); ++i ) {
		double move[3], size[3], low[3], high[3];
		for ( int k = 0; k < 3; ++k ) {
			move[k] = (double)( 1 + rng_below( &r, 15 ) ) / 8.0;
			size[k] = 2.0 * half[k];
			low[k] = move[k];
			high[k] = move[k] + size[k];
		}
		// note: boxes of one size are mirror images of each other about the middle of the overlap.
		const double truth = box_depth( size, low, high );
		assert_true( truth > 0.0 );
		const dbvh_pose pose = moved_by( move[0], move[1], move[2] );
		for ( uint32_t cuts = 0; cuts < 9; ++cuts ) {
			dbvh_tree *tree[2];
			for ( int m = 0; m < 2; ++m ) {
				shape s = { 0 };
				shape_add_box( &s, half[0], half[1], half[2], 1u << ( m == 0 ? cuts % 3 : cuts / 3 ) );
				tree[m] = tree_with_topology( &s );
				shape_free( &s );
			}
			dbvh_local_depth_result l;
			assert_int_equal( dbvh_local_depth( tree[0], NULL, tree[1], &pose, NULL, NULL, &l, NULL ), DBVH_OK );
			assert_true( l.reached && contains( &l.a_in_b.depth, truth ) && contains( &l.b_in_a.depth, truth ) );
			assert_true( contains( &l.least, truth ) );
			for ( int k = 0; k < 4; ++k ) {
				const bool tight = k % 2 != 0;
				const double part = k < 2 ? 2e-3 : 1e-9;
				const dbvh_local_depth_query query = { .allowed_depth = truth * ( tight ? 1.0 - part : 1.0 + part ),
				                                       .verdict_only = true };
				assert_int_equal( dbvh_local_depth( tree[0], NULL, tree[1], &pose, &query, NULL, &l, NULL ), DBVH_OK );
				assert_int_equal( l.verdict, tight ? DBVH_FIT_VERDICT_CLASH : DBVH_FIT_VERDICT_FIT );
			}
			for ( int m = 0; m < 2; ++m )
				dbvh_tree_destroy( tree[m] );
		}
	}
}

// ------------------------------------------------------------------------------------------------
// A tetrahedron in a box: the deepest point is the centre of the ball in it, between walls that hardly face each other

static double area_of( const double p[3], const double q[3], const double r[3] ) {
	double n[3];
	for ( int k = 0; k < 3; ++k ) {
		const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
		n[k] = ( q[x] - p[x] ) * ( r[y] - p[y] ) - ( q[y] - p[y] ) * ( r[x] - p[x] );
	}
	return 0.5 * sqrt( n[0] * n[0] + n[1] * n[1] + n[2] * n[2] );
}

// Three times the volume over the area.
static double inner_radius( const double p[4][3] ) {
	double m[3][3], area = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			m[i][k] = p[i + 1][k] - p[0][k];
	}
	const double det = m[0][0] * ( m[1][1] * m[2][2] - m[1][2] * m[2][1] ) -
	                   m[0][1] * ( m[1][0] * m[2][2] - m[1][2] * m[2][0] ) +
	                   m[0][2] * ( m[1][0] * m[2][1] - m[1][1] * m[2][0] );
	for ( int i = 0; i < 4; ++i )
		area += area_of( p[i], p[( i + 1 ) % 4], p[( i + 2 ) % 4] );
	return 0.5 * fabs( det ) / area;
}

static void test_tetrahedra( void **state ) {
	(void)state;
	rng r = rng_announce( "local depth of tetrahedra", 5 );
	shape box = { 0 };
	shape_add_box( &box, 100.0, 100.0, 100.0, 1 );
	dbvh_tree *outer = tree_with_topology( &box );
	const size_t count = rounds( 40 );
	size_t reached = 0;
	for ( size_t i = 0; i < count; ++i ) {
		static const double regular[4][3] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };
		double p[4][3];
		shape s = { 0 };
		// note: where walls are nearly as far from facing each other as can be, a common side is not far, either.
		do {
			for ( int k = 0; k < 12; ++k )
				p[k / 3][k % 3] = i % 4 == 3 ? (double)rng_below( &r, 40 )
				                             : 10.0 * regular[k / 3][k % 3] + (double)rng_below( &r, 7 );
		} while ( !add_tetra( &s, p ) );
		dbvh_tree *inner = tree_with_topology( &s );
		dbvh_local_depth_result l;
		assert_int_equal( dbvh_local_depth( outer, NULL, inner, NULL, NULL, NULL, &l, NULL ), DBVH_OK );
		const double truth = inner_radius( (const double( * )[3])p );
		if ( !( l.a_in_b.depth.lower <= truth + 1e-12 && l.a_in_b.depth.upper >= truth - 1e-12 ) )
			printf( "round %zu: [%.17g, %.17g], should be %.17g\n", i, l.a_in_b.depth.lower, l.a_in_b.depth.upper,
			        truth );
		assert_true( l.a_in_b.depth.lower <= truth + 1e-12 && l.a_in_b.depth.upper >= truth - 1e-12 );
		reached += l.reached;
		dbvh_tree_destroy( inner );
		shape_free( &s );
	}
	printf( "%zu of %zu to 1e-3\n", reached, count );
	dbvh_tree_destroy( outer );
	shape_free( &box );
}

// ------------------------------------------------------------------------------------------------
// A pin in a bore of the same radius and another number of facets

enum { PIN = 48, BORE = 64 };
#define RADIUS 5.0

static void quad( shape *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d ) {
	shape_triangle( s, a, b, c );
	shape_triangle( s, a, c, d );
}

// Add a tube about the z axis, or a bar if `inner` is 0.
static void add_tube( shape *s, double inner, double outer, double half, uint32_t n ) {
	uint32_t v[4][BORE];
	for ( uint32_t i = 0; i < n; ++i ) {
		const double angle = 2.0 * 3.14159265358979323846 * i / n, x = cos( angle ), y = sin( angle );
		for ( uint32_t k = 0; k < 4; ++k ) {
			const double radius = k < 2 ? inner : outer;
			v[k][i] = shape_vertex( s, radius * x, radius * y, k % 2 == 0 ? -half : half );
		}
	}
	for ( uint32_t i = 0; i < n; ++i ) {
		const uint32_t j = ( i + 1 ) % n;
		quad( s, v[2][i], v[2][j], v[3][j], v[3][i] );
		if ( inner > 0.0 ) {
			quad( s, v[0][j], v[0][i], v[1][i], v[1][j] );
			quad( s, v[1][i], v[3][i], v[3][j], v[1][j] );
			quad( s, v[0][i], v[0][j], v[2][j], v[2][i] );
		} else {
			shape_triangle( s, v[1][0], v[3][i], v[3][j] );
			shape_triangle( s, v[0][0], v[2][j], v[2][i] );
		}
	}
}

// How far a corner of the pin reaches into a facet of the bore, at most.
static double pin_depth( void ) {
	double most = 0.0;
	for ( int i = 0; i < PIN; ++i ) {
		for ( int k = 0; k < BORE; ++k ) {
			const double apart = 2.0 * 3.14159265358979323846 * ( (double)i / PIN - ( k + 0.5 ) / BORE );
			most = fmax( most, RADIUS * ( cos( apart ) - cos( 3.14159265358979323846 / BORE ) ) );
		}
	}
	return most;
}

static void test_pin( void **state ) {
	(void)state;
	shape bore = { 0 }, pin = { 0 };
	add_tube( &bore, RADIUS, 8.0, 10.0, BORE );
	add_tube( &pin, 0.0, RADIUS, 12.0, PIN );
	dbvh_tree *a = tree_with_topology( &pin ), *b = tree_with_topology( &bore );
	const dbvh_budget budget = { .max_work = 6000000 };
	dbvh_local_depth_query query = { .budget = &budget };
	dbvh_local_depth_result l;
	const dbvh_status status = dbvh_local_depth( a, NULL, b, NULL, &query, NULL, &l, NULL );
	assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
	const double truth = pin_depth();
	printf( "pin in bore [%.12g, %.12g], should be %.12g\n", l.a_in_b.depth.lower, l.a_in_b.depth.upper, truth );
	// note: the corners are rounded.
	assert_true( l.a_in_b.depth.lower <= truth + 1e-13 && l.a_in_b.depth.upper >= truth - 1e-13 );
	assert_true( l.least.upper < 2.0 * truth );
	query.allowed_depth = 0.01;
	query.verdict_only = true;
	query.budget = NULL;
	assert_int_equal( dbvh_local_depth( a, NULL, b, NULL, &query, NULL, &l, NULL ), DBVH_OK );
	assert_int_equal( l.verdict, DBVH_FIT_VERDICT_FIT );
	query.allowed_depth = 0.002;
	assert_int_equal( dbvh_local_depth( a, NULL, b, NULL, &query, NULL, &l, NULL ), DBVH_OK );
	assert_int_equal( l.verdict, DBVH_FIT_VERDICT_CLASH );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	shape_free( &bore );
	shape_free( &pin );
}

// ------------------------------------------------------------------------------------------------
// Two copies of a body, one through the other: a wall inside a body is not its boundary

static void test_walls( void **state ) {
	(void)state;
	shape a = { 0 }, b = { 0 };
	static const double low[2][3] = { { 0, 0, 0 }, { 1, 0, 0 } }, high[2][3] = { { 2, 2, 2 }, { 3, 2, 2 } };
	static const double probe[2][3] = { { 0.5, 0.5, 0.5 }, { 2.5, 1.5, 1.5 } };
	add_block( &a, low[0], high[0], false, false );
	add_block( &a, low[1], high[1], false, false );
	add_block( &b, probe[0], probe[1], false, false );
	dbvh_tree *ta = tree_with_topology( &a ), *tb = tree_with_topology( &b );
	dbvh_budget budget = { .max_work = 1000000 };
	const dbvh_local_depth_query query = { .budget = &budget };
	dbvh_local_depth_result l;
	const dbvh_status status = dbvh_local_depth( ta, NULL, tb, NULL, &query, NULL, &l, NULL );
	assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
	// The middle of [0, 3] x [0, 2]^2 is 1 below its surface.
	printf( "[%g, %g]\n", l.b_in_a.depth.lower, l.b_in_a.depth.upper );
	assert_true( contains( &l.b_in_a.depth, 1.0 ) );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
	shape_free( &a );
	shape_free( &b );
}

// ------------------------------------------------------------------------------------------------

static void test_batches( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1.0, 2.0, 3.0, 2 );
	dbvh_tree *tree = tree_with_topology( &s );
	enum { POSES = 5 };
	dbvh_pose poses[POSES];
	for ( int i = 0; i < POSES; ++i )
		poses[i] = moved_by( 0.5 * i, 0.25, 0.125 );
	poses[3].pos[1] = NAN;
	dbvh_penetration_result p[POSES], one;
	dbvh_local_depth_result l[POSES], other;
	dbvh_error error;
	for ( uint32_t threads = 1; threads <= 3; threads += 2 ) {
		const dbvh_batch_options options = { .thread_count = threads };
		assert_int_equal( dbvh_penetration_depth_batch( tree, NULL, tree, poses, POSES, NULL, &options, p, &error ),
		                  DBVH_NOT_FINITE );
		assert_int_equal( error.element, 3 );
		assert_int_equal( dbvh_local_depth_batch( tree, NULL, tree, poses, POSES, NULL, &options, l, &error ),
		                  DBVH_NOT_FINITE );
		for ( int i = 0; i < POSES; ++i ) {
			if ( i == 3 )
				continue;
			assert_int_equal( dbvh_penetration_depth( tree, NULL, tree, &poses[i], NULL, NULL, &one, NULL ), DBVH_OK );
			assert_memory_equal( &p[i].depth, &one.depth, sizeof one.depth );
			assert_memory_equal( p[i].translation, one.translation, sizeof one.translation );
			assert_int_equal( dbvh_local_depth( tree, NULL, tree, &poses[i], NULL, NULL, &other, NULL ), DBVH_OK );
			assert_memory_equal( &l[i].least, &other.least, sizeof other.least );
		}
	}
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

static void test_open_and_refused( void **state ) {
	(void)state;
	shape box = { 0 }, sheet = { 0 };
	shape_add_box( &box, 1.0, 1.0, 1.0, 1 );
	add_grid( &sheet, 2 );
	dbvh_tree *a = tree_with_topology( &box ), *b = tree_with_topology( &sheet );
	dbvh_penetration_result p;
	dbvh_local_depth_result l;
	dbvh_penetration_along_result along;
	static const double x[3] = { 1.0, 0.0, 0.0 }, zero[3] = { 0.0, 0.0, 0.0 };
	assert_int_equal( dbvh_penetration_depth( a, NULL, b, NULL, NULL, NULL, &p, NULL ), DBVH_OK );
	assert_int_equal( p.undecided, DBVH_UNDECIDED_B_OPEN );
	assert_true( p.depth.lower == 0.0 && isinf( p.depth.upper ) );
	assert_int_equal( dbvh_local_depth( b, NULL, a, NULL, NULL, NULL, &l, NULL ), DBVH_OK );
	assert_int_equal( l.undecided, DBVH_UNDECIDED_A_OPEN );
	assert_int_equal( l.verdict, DBVH_FIT_VERDICT_UNDECIDED );
	dbvh_error error;
	assert_int_equal( dbvh_penetration_along( a, NULL, a, NULL, zero, NULL, NULL, &along, &error ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_penetration_along( a, NULL, a, NULL, x, NULL, NULL, &along, &error ), DBVH_OK );
	assert_true( contains( &along.first_free, 2.0 ) && contains( &along.free_for_good, 2.0 ) );
	const dbvh_penetration_query wide = { .relative_width = 2.0 };
	assert_int_equal( dbvh_penetration_depth( a, NULL, a, NULL, &wide, NULL, &p, &error ), DBVH_INVALID_ARGUMENT );
	const dbvh_local_depth_query odd = { .allowed_depth = -1.0 };
	assert_int_equal( dbvh_local_depth( a, NULL, a, NULL, &odd, NULL, &l, &error ), DBVH_INVALID_ARGUMENT );
	assert_string_equal( dbvh_depth_proof_name( DBVH_DEPTH_PROOF_CONVEX ), "CONVEX" );
	assert_string_equal( dbvh_fit_verdict_name( DBVH_FIT_VERDICT_FIT ), "FIT" );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	shape_free( &box );
	shape_free( &sheet );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_cubes ),
	    cmocka_unit_test( test_cubes_along ),
	    cmocka_unit_test( test_peg ),
	    cmocka_unit_test( test_convex ),
	    cmocka_unit_test( test_boxes ),
	    cmocka_unit_test( test_cuts ),
	    cmocka_unit_test( test_tetrahedra ),
	    cmocka_unit_test( test_pin ),
	    cmocka_unit_test( test_walls ),
	    cmocka_unit_test( test_batches ),
	    cmocka_unit_test( test_open_and_refused ),
	};
	return test_main( argc, argv, tests );
}
