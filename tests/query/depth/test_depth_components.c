// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Local depths of the components of an overlap, against formulas and against the local depth of the whole.

#include "dualbvh/depth.h"
#include "query/overlap/overlap.h"
#include "support/scene.h"
#include "support/solid_shapes.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

// One call and what it says.
typedef struct found {
	dbvh_overlap_result overlap;
	dbvh_local_depth_result whole;
	dbvh_component_depth part[MOST];
	dbvh_overlap_component component[MOST];
} found;

static bool contains( const dbvh_interval *i, double truth, double slack ) {
	return i->lower <= truth + slack && i->upper >= truth - slack;
}

static void ask( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                 const dbvh_local_depth_query *query, dbvh_overlap *overlap, found *f ) {
	memset( f, 0, sizeof *f );
	const dbvh_status status = dbvh_local_depth_components( a, pose_a, b, pose_b, query, overlap, f->part, MOST,
	                                                        &f->overlap, &f->whole, NULL );
	assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
	const dbvh_overlap_view view = dbvh_overlap_get( overlap );
	assert_int_equal( view.component_count, f->overlap.component_count );
	assert_true( view.component_count <= MOST && view.face_count == 0 && view.vertices == NULL );
	if ( view.component_count > 0 )
		memcpy( f->component, view.components, view.component_count * sizeof *view.components );
}

static void check_side( const dbvh_local_depth_side *s, const dbvh_interval *whole, const dbvh_overlap_component *c ) {
	assert_true( s->depth.lower >= 0.0 && s->depth.lower <= s->depth.upper && s->depth.lower <= whole->upper );
	if ( !( s->depth.lower > 0.0 ) )
		return;
	double away = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		away += ( s->nearest[k] - s->deepest[k] ) * ( s->nearest[k] - s->deepest[k] );
		assert_true( s->deepest[k] >= c->measure.box_min[k].lower - 1e-9 &&
		             s->deepest[k] <= c->measure.box_max[k].upper + 1e-9 );
	}
	assert_true( fabs( sqrt( away ) - s->depth.lower ) <= 1e-9 * s->depth.lower + 1e-11 );
}

// Check a pair: the whole is the deepest component, and swapping changes nothing.
static void check( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, const dbvh_local_depth_query *query,
                   dbvh_overlap *overlap, found *f ) {
	static found back;
	ask( a, NULL, b, pose, query, overlap, f );
	ask( b, pose, a, NULL, query, overlap, &back );
	assert_memory_equal( &f->whole.a_in_b.depth, &back.whole.b_in_a.depth, sizeof( dbvh_interval ) );
	assert_memory_equal( &f->whole.b_in_a.depth, &back.whole.a_in_b.depth, sizeof( dbvh_interval ) );
	assert_int_equal( f->overlap.component_count, back.overlap.component_count );
	double lower = 0.0, upper = 0.0;
	for ( size_t i = 0; i < f->overlap.component_count; ++i ) {
		const dbvh_component_depth *p = &f->part[i], *q = &back.part[i];
		assert_memory_equal( &p->a_in_b.depth, &q->b_in_a.depth, sizeof( dbvh_interval ) );
		assert_memory_equal( &p->b_in_a.depth, &q->a_in_b.depth, sizeof( dbvh_interval ) );
		assert_int_equal( p->verdict, q->verdict );
		assert_true( p->least.upper == fmin( p->a_in_b.depth.upper, p->b_in_a.depth.upper ) );
		check_side( &p->a_in_b, &f->whole.a_in_b.depth, &f->component[i] );
		check_side( &p->b_in_a, &f->whole.b_in_a.depth, &f->component[i] );
		lower = fmax( lower, p->a_in_b.depth.lower );
		upper = fmax( upper, p->a_in_b.depth.upper );
		const double *n = p->normal, length = sqrt( n[0] * n[0] + n[1] * n[1] + n[2] * n[2] );
		assert_true( length == 0.0 || fabs( length - 1.0 ) < 1e-9 );
	}
	dbvh_relate_result relation;
	assert_int_equal( dbvh_relate( a, NULL, b, pose, NULL, NULL, &relation, NULL ), DBVH_OK );
	assert_int_equal( f->whole.relation, relation.relation );
	if ( f->overlap.component_count == 0 )
		return;
	assert_true( lower == f->whole.a_in_b.depth.lower && upper == f->whole.a_in_b.depth.upper );
	dbvh_local_depth_result plain;
	const dbvh_status status = dbvh_local_depth( a, NULL, b, pose, query, NULL, &plain, NULL );
	assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
	assert_true( plain.a_in_b.depth.lower <= f->whole.a_in_b.depth.upper &&
	             plain.a_in_b.depth.upper >= f->whole.a_in_b.depth.lower );
	assert_true( plain.b_in_a.depth.lower <= f->whole.b_in_a.depth.upper &&
	             plain.b_in_a.depth.upper >= f->whole.b_in_a.depth.lower );
}

static dbvh_overlap *make_overlap( void ) {
	dbvh_overlap *overlap = NULL;
	assert_int_equal( dbvh_overlap_create( NULL, &overlap, NULL ), DBVH_OK );
	return overlap;
}

// ------------------------------------------------------------------------------------------------
// A body of blocks that dip into a plate, each to a depth of its own

enum { TEETH = 4 };

static void test_teeth( void **state ) {
	(void)state;
	rng r = rng_announce( "local depth of components: teeth", 11 );
	dbvh_overlap *overlap = make_overlap();
	static found f;
	const size_t count = rounds( 30 );
	size_t fits = 0, clashes = 0, downwards = 0;
	for ( size_t i = 0; i < count; ++i ) {
		shape teeth = { 0 }, plate = { 0 };
		double deep[TEETH];
		for ( int k = 0; k < TEETH; ++k ) {
			deep[k] = 0.01 + 1.9 * rng_unit( &r );
			const double low[3] = { 3.0 * k - 0.5, -0.5, -deep[k] }, high[3] = { 3.0 * k + 0.5, 0.5, 4.0 };
			add_block( &teeth, low, high, rng_below( &r, 2 ) == 0, false );
		}
		const double low[3] = { -4.0, -4.0, -4.0 }, high[3] = { 13.0, 4.0, 0.0 };
		add_block( &plate, low, high, rng_below( &r, 2 ) == 0, false );
		dbvh_tree *a = tree_with_topology( &teeth ), *b = tree_with_topology( &plate );
		const double turn[4] = { rng_range( &r, -1, 1 ), rng_range( &r, -1, 1 ), rng_range( &r, -1, 1 ), 0.3 };
		const double at[3] = { 0.0, 0.0, 0.0 };
		const bool is_turned = rng_below( &r, 2 ) == 0;
		const dbvh_pose pose = is_turned ? dbvh_pose_from_quaternion( turn, at ) : dbvh_pose_identity();
		const dbvh_local_depth_query query = { .allowed_depth = 0.3, .verdict_only = rng_below( &r, 3 ) == 0 };
		if ( is_turned ) {
			// note: both at one pose, whose relative pose is the identity but for rounding.
			ask( a, &pose, b, &pose, &query, overlap, &f );
		} else {
			check( a, b, &pose, &query, overlap, &f );
		}
		assert_int_equal( f.overlap.component_count, TEETH );
		for ( int k = 0; k < TEETH; ++k ) {
			const int tooth = (int)floor( f.component[k].measure.centroid[0].lower / 3.0 + 0.5 );
			assert_true( tooth >= 0 && tooth < TEETH );
			// A tooth is 1 thick.
			const double truth[2] = { deep[tooth], fmin( deep[tooth], 0.5 ) };
			assert_true( contains( &f.part[k].a_in_b.depth, truth[0], 1e-12 ) );
			assert_true( contains( &f.part[k].b_in_a.depth, truth[1], 1e-12 ) || query.verdict_only );
			assert_int_equal( f.part[k].verdict, truth[1] <= 0.3 ? DBVH_FIT_VERDICT_FIT : DBVH_FIT_VERDICT_CLASH );
			fits += f.part[k].verdict == DBVH_FIT_VERDICT_FIT;
			clashes += f.part[k].verdict == DBVH_FIT_VERDICT_CLASH;
			if ( query.verdict_only )
				continue;
			assert_true( f.part[k].reached && f.part[k].least.upper <= 1.002 * truth[1] + 1e-12 );
			// The plate comes free downwards, or sideways from a point that is, to a thousandth, as deep there.
			if ( deep[tooth] < 0.45 ) {
				const double down = -f.part[k].normal[2];
				assert_true( down > 0.999 || fabs( down ) < 0.001 );
				downwards += down > 0.999;
			}
		}
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
		shape_free( &teeth );
		shape_free( &plate );
	}
	printf( "%zu fits, %zu clashes, %zu normals downwards\n", fits, clashes, downwards );
	assert_true( count < 30 || ( fits > 0 && clashes > 0 && downwards > 0 ) );
	dbvh_overlap_destroy( overlap );
}

// ------------------------------------------------------------------------------------------------
// A component within the box of another one: a frame and a thicker island in it, cut by a plate

static void test_island( void **state ) {
	(void)state;
	enum { N = 8 };
	static bool cell[N * N * N];
	for ( int z = 0; z < 6; ++z ) {
		for ( int y = 0; y < N; ++y ) {
			for ( int x = 0; x < N; ++x ) {
				const bool frame = x == 0 || x == N - 1 || y == 0 || y == N - 1;
				const bool island = x >= 2 && x < 6 && y >= 2 && y < 6;
				cell[( z * N + y ) * N + x] = frame || island;
			}
		}
	}
	shape body = { 0 }, plate = { 0 };
	add_voxels( &body, cell, N );
	static const double low[3] = { -1.0, -1.0, 1.0 }, high[3] = { 9.0, 9.0, 5.0 };
	add_block( &plate, low, high, false, false );
	dbvh_tree *a = tree_with_topology( &body ), *b = tree_with_topology( &plate );
	dbvh_overlap *overlap = make_overlap();
	static found f;
	const dbvh_pose pose = dbvh_pose_identity();
	check( a, b, &pose, NULL, overlap, &f );
	assert_int_equal( f.overlap.component_count, 2 );
	for ( int k = 0; k < 2; ++k ) {
		const bool is_frame = f.component[k].measure.box_min[0].lower < 1.0;
		// In a corner of the frame, of thickness 1, both outer walls are as far as the inner edge.
		const double truth = is_frame ? 2.0 - sqrt( 2.0 ) : 2.0;
		printf( "%s: [%.9g, %.9g], should be %.9g\n", is_frame ? "frame" : "island", f.part[k].b_in_a.depth.lower,
		        f.part[k].b_in_a.depth.upper, truth );
		assert_true( contains( &f.part[k].b_in_a.depth, truth, 1e-12 ) && f.part[k].reached );
		assert_true( contains( &f.part[k].a_in_b.depth, 2.0, 1e-12 ) );
	}
	dbvh_overlap_destroy( overlap );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	shape_free( &body );
	shape_free( &plate );
}

// ------------------------------------------------------------------------------------------------
// Any pair

// Ask for verdicts alone: their intervals, which may be wide, must hold what is known of the depths.
static void check_verdict( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, double part,
                           dbvh_overlap *overlap, const found *known ) {
	static found f;
	const dbvh_local_depth_query query = { .allowed_depth = part * known->whole.least.upper, .verdict_only = true };
	if ( known->overlap.component_count == 0 || !( query.allowed_depth > 0.0 ) )
		return;
	ask( a, NULL, b, pose, &query, overlap, &f );
	assert_int_equal( f.overlap.component_count, known->overlap.component_count );
	for ( size_t i = 0; i < f.overlap.component_count; ++i ) {
		const dbvh_interval *told[2] = { &f.part[i].a_in_b.depth, &f.part[i].b_in_a.depth };
		const dbvh_interval *is[2] = { &known->part[i].a_in_b.depth, &known->part[i].b_in_a.depth };
		for ( int k = 0; k < 2; ++k )
			assert_true( told[k]->upper >= is[k]->lower && told[k]->lower <= is[k]->upper );
	}
}

static void test_families( void **state ) {
	(void)state;
	rng r = rng_announce( "local depth of components: bodies", 12 );
	shape s = { 0 };
	shape_add_torus( &s, 2.0, 0.5, 24, 12 );
	dbvh_tree *torus = take_tree( &s );
	shape_add_box( &s, 1.0, 0.5, 2.0, 2 );
	dbvh_tree *box = take_tree( &s );
	shape_add_sphere( &s, 1.0, 16, 12 );
	dbvh_tree *ball = take_tree( &s );
	dbvh_tree *const pairs[4][2] = { { torus, torus }, { torus, box }, { ball, ball }, { box, ball } };
	dbvh_overlap *overlap = make_overlap();
	static found f;
	size_t one = 0, more = 0, none = 0;
	const size_t count = rounds( 40 );
	for ( size_t i = 0; i < count; ++i ) {
		double turn[4], at[3];
		for ( int k = 0; k < 4; ++k )
			turn[k] = rng_range( &r, -1.0, 1.0 );
		for ( int k = 0; k < 3; ++k )
			at[k] = rng_range( &r, -1.5, 1.5 );
		turn[3] += turn[3] < 0.0 ? -0.1 : 0.1;
		dbvh_pose pose = dbvh_pose_from_quaternion( turn, at );
		// note: whatever the seed, two rings beside each other, two balls, and a box and a ball that are apart.
		if ( i == 4 || i == 6 || i == 7 )
			pose = dbvh_pose_identity();
		pose.pos[0] = i == 4 ? 2.0 : i == 6 ? 0.5 : i == 7 ? 9.0 : pose.pos[0];
		check( pairs[i % 4][0], pairs[i % 4][1], &pose, NULL, overlap, &f );
		check_verdict( pairs[i % 4][0], pairs[i % 4][1], &pose, rng_range( &r, 0.5, 1.5 ), overlap, &f );
		one += f.overlap.component_count == 1;
		more += f.overlap.component_count > 1;
		none += f.overlap.component_count == 0;
	}
	printf( "%zu pairs have one component, %zu more, %zu none\n", one, more, none );
	assert_true( count < 8 || ( one > 0 && more > 0 && none > 0 ) );
	dbvh_overlap_destroy( overlap );
	dbvh_tree_destroy( torus );
	dbvh_tree_destroy( box );
	dbvh_tree_destroy( ball );
}

// The faces that depths of components are sought on cover the surface of the overlap, where nodes nearly coincide too:
// balls beside each other, whose curve passes corners and edges of both.
static void test_faces( void **state ) {
	(void)state;
	static const double at[3][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 0.0, 1.0 }, { 0.0, 1.0, 1.0 } };
	shape s = { 0 };
	shape_add_sphere( &s, 0.75, 24, 16 );
	dbvh_tree *ball = take_tree( &s );
	dbvh_overlap *overlap = make_overlap();
	overlap->in_frame_of_pair = true;
	for ( int i = 0; i < 3; ++i ) {
		const dbvh_pose pose[2] = { dbvh_pose_identity(),
		                            dbvh_pose_from_quaternion( ( const double[4] ){ 1.0, 0.0, 0.0, 0.0 }, at[i] ) };
		const dbvh_overlap_query query = { .mesh = true, .thread_count = 1 };
		dbvh_overlap_result r;
		assert_int_equal( dbvhi_overlap_find( ball, &pose[0], ball, &pose[1], &query, NULL, overlap, &r, NULL ),
		                  DBVH_OK );
		double area = 0.0;
		for ( size_t f = 0; f < overlap->view.face_count; ++f ) {
			double corner[3][3], ab[3], ac[3], n[3];
			for ( size_t k = 0; k < 9; ++k )
				corner[k / 3][k % 3] = overlap->view.vertices[3 * overlap->view.indices[3 * f + k / 3] + k % 3];
			for ( int k = 0; k < 3; ++k ) {
				ab[k] = corner[1][k] - corner[0][k];
				ac[k] = corner[2][k] - corner[0][k];
			}
			dbvhi_cross3( ab, ac, n );
			area += 0.5 * sqrt( dbvhi_dot3( n, n ) );
		}
		assert_true( fabs( area - r.measure.area.upper ) < 1e-9 );
	}
	dbvh_overlap_destroy( overlap );
	dbvh_tree_destroy( ball );
}

// Check pairs without components, and refusals.
static void test_limits( void **state ) {
	(void)state;
	static const double low[3][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0.5, 0.5, 0.5 } },
	                    high[3][3] = { { 2, 2, 2 }, { 3, 2, 2 }, { 2.5, 1.5, 1.5 } };
	shape a = { 0 }, b = { 0 };
	add_block( &a, low[0], high[0], false, false );
	add_block( &a, low[1], high[1], false, false );
	add_block( &b, low[2], high[2], false, false );
	dbvh_tree *ta = take_tree( &a ), *tb = take_tree( &b );
	dbvh_overlap *overlap = make_overlap();
	static found f;
	const dbvh_budget budget = { .max_work = 300000 };
	const dbvh_local_depth_query query = { .budget = &budget };
	// Blocks of one mesh that share a third: the depth is that of the whole.
	ask( ta, NULL, tb, NULL, &query, overlap, &f );
	assert_int_equal( f.overlap.reason, DBVH_OVERLAP_REASON_SELF_INTERSECTION );
	dbvh_local_depth_result plain;
	const dbvh_status status = dbvh_local_depth( ta, NULL, tb, NULL, &query, NULL, &plain, NULL );
	assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
	assert_memory_equal( &plain.least, &f.whole.least, sizeof plain.least );
	// Apart: no component, no depth.
	const double far[3] = { 9.0, 0.0, 0.0 };
	dbvh_pose pose = dbvh_pose_identity();
	memcpy( pose.pos, far, sizeof far );
	ask( tb, NULL, tb, &pose, NULL, overlap, &f );
	assert_true( f.overlap.component_count == 0 && f.whole.least.upper == 0.0 );
	assert_int_equal( f.whole.verdict, DBVH_FIT_VERDICT_NONE );
	// One in the other, at a corner of it.
	shape c = { 0 };
	static const double inner_low[3] = { 0.5, 0.5, 0.5 }, inner_high[3] = { 1.0, 1.0, 1.0 };
	add_block( &c, inner_low, inner_high, false, false );
	dbvh_tree *tc = take_tree( &c );
	pose = dbvh_pose_identity();
	check( tc, tb, &pose, NULL, overlap, &f );
	assert_int_equal( f.whole.relation, DBVH_RELATION_A_IN_B );
	dbvh_tree_destroy( tc );
	// No room for depths, and arguments that are refused.
	assert_int_equal(
	    dbvh_local_depth_components( tb, NULL, tb, NULL, NULL, overlap, NULL, 0, &f.overlap, &f.whole, NULL ),
	    DBVH_OK );
	assert_true( f.overlap.component_count == 1 && contains( &f.whole.least, 0.5, 0.0 ) );
	assert_int_equal(
	    dbvh_local_depth_components( tb, NULL, tb, NULL, NULL, overlap, NULL, 1, &f.overlap, &f.whole, NULL ),
	    DBVH_INVALID_ARGUMENT );
	assert_int_equal(
	    dbvh_local_depth_components( tb, NULL, tb, NULL, NULL, NULL, f.part, 1, &f.overlap, &f.whole, NULL ),
	    DBVH_INVALID_ARGUMENT );
	dbvh_overlap_destroy( overlap );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_teeth ), cmocka_unit_test( test_island ), cmocka_unit_test( test_families ),
	    cmocka_unit_test( test_faces ), cmocka_unit_test( test_limits ),
	};
	return test_main( argc, argv, tests );
}
