// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_distance and dbvh_check_clearance against rational arithmetic and against each other, for every policy and every
// kernel. DUALBVH_TEST_SCALE (default 1) multiplies the number of scenes; 7 makes them ten thousand.

#include "dualbvh/isa.h"
#include "math/pose.h"
#include "simd/isa.h"
#include "support/clearance.h"
#include "support/oracle_distance.h"
#include "support/scene.h"
#include "support/unit.h"

#include <float.h>
#include <string.h>

static const uint64_t seed_default = 20261121;

// ------------------------------------------------------------------------------------------------
// Scenes

static void add_something( shape *s, rng *r ) {
	switch ( rng_below( r, 6 ) ) {
	case 0:
		add_soup( s, r, 1 + rng_below( r, 20 ), 0.5, 0.5, true );
		break;
	case 1:
		shape_add_sphere( s, 1.0, (uint32_t)( 4 + rng_below( r, 4 ) ), (uint32_t)( 3 + rng_below( r, 3 ) ) );
		break;
	case 2:
		shape_add_box( s, 0.125 * (double)( 1 + rng_below( r, 8 ) ), 0.125 * (double)( 1 + rng_below( r, 8 ) ),
		               0.125 * (double)( 1 + rng_below( r, 8 ) ), (uint32_t)( 1 + rng_below( r, 2 ) ) );
		break;
	case 3:
		add_grid( s, (uint32_t)( 1 + rng_below( r, 3 ) ) );
		break;
	default:
		add_soup( s, r, 1 + rng_below( r, 30 ), pow( 10.0, rng_range( r, -3.0, 0.0 ) ), 0.2, false );
		break;
	}
}

static void near_each_other( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	add_something( a, r );
	add_something( b, r );
	*pose_b = random_pose( r, 2.0 );
}

static void exact_places( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	add_something( a, r );
	add_something( b, r );
	*pose_b = exact_pose( r, 3.0 );
}

static void both_moved( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	add_something( a, r );
	add_something( b, r );
	*pose_a = rng_below( r, 2 ) == 0 ? exact_pose( r, 2.0 ) : random_pose( r, 2.0 );
	*pose_b = rng_below( r, 3 ) == 0 ? *pose_a : random_pose( r, 2.0 );
	if ( rng_below( r, 3 ) == 0 )
		*pose_b = dbvh_pose_identity();
}

static void deviant( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	add_something( a, r );
	add_something( b, r );
	*pose_b = sheared( r, random_pose( r, 3.0 ), 1.8e-6 );
}

// A mesh and itself a little aside: flat gaps, ties between a great many pairs, or touching.
static void almost_the_same( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	rng copy = *r;
	add_something( a, &copy );
	copy = *r;
	add_something( b, &copy );
	*r = copy;
	const double step = rng_below( r, 2 ) == 0 ? 0.125 : pow( 10.0, rng_range( r, -17.0, 1.0 ) );
	pose_b->pos[rng_below( r, 3 )] = step * (double)rng_below( r, 20 );
}

static void far_away( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	add_something( a, r );
	add_something( b, r );
	const double away = pow( 10.0, rng_range( r, 0.0, 12.0 ) );
	double direction[3];
	random_direction( r, direction );
	if ( rng_below( r, 2 ) == 0 ) {
		scale_and_move( a, 0, 1.0, away * direction[0], away * direction[1], away * direction[2] );
		scale_and_move( b, 0, 1.0, away * direction[0], away * direction[1], away * direction[2] );
		pose_b->pos[0] = rng_range( r, -2.0, 2.0 );
	} else {
		*pose_b = random_pose( r, away );
	}
}

static void any_scale( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	near_each_other( r, a, b, pose_a, pose_b );
	if ( rng_below( r, 2 ) == 0 )
		*pose_b = exact_pose( r, 3.0 );
	const int exponent = rng_below( r, 2 ) == 0 ? 1000 + (int)rng_below( r, 20 ) : -1000 - (int)rng_below( r, 70 );
	scale_and_move( a, 0, ldexp( 1.0, exponent ), 0, 0, 0 );
	scale_and_move( b, 0, ldexp( 1.0, exponent ), 0, 0, 0 );
	for ( int k = 0; k < 3; ++k )
		pose_b->pos[k] = ldexp( pose_b->pos[k], exponent );
}

// One mesh far larger than the other.
static void unequal( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	near_each_other( r, a, b, pose_a, pose_b );
	scale_and_move( b, 0, pow( 10.0, rng_range( r, -6.0, 3.0 ) ), 0, 0, 0 );
}

// Triangles without an area, or hardly any, near one another: normals are rounding and nothing else.
static void needles( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	const bool grid = rng_below( r, 2 ) == 0;
	add_soup( a, r, 1 + rng_below( r, 6 ), 0.5, 1.0, grid );
	add_soup( b, r, 1 + rng_below( r, 6 ), 0.5, rng_below( r, 2 ) == 0 ? 1.0 : 0.3, grid );
	*pose_b = random_pose( r, 1.5 );
}

static const struct {
	const char *name;
	void ( *make )( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b );
	size_t scenes;
} families[] = {
    { "near each other", near_each_other, 400 },
    { "exact places", exact_places, 250 },
    { "both moved", both_moved, 150 },
    { "deviant poses", deviant, 100 },
    { "almost the same", almost_the_same, 200 },
    { "far away", far_away, 120 },
    { "any scale", any_scale, 80 },
    { "unequal sizes", unequal, 150 },
    { "needles", needles, 400 },
};

// ------------------------------------------------------------------------------------------------
// The truth by the rule of distance.h, with pairs as the caller counts them

typedef struct truth {
	double distance;
	dbvh_pair *pairs; // at that distance, sorted
	size_t count;
} truth;

static int compare_pairs( const void *x, const void *y ) {
	const dbvh_pair *p = x, *q = y;
	if ( p->a != q->a )
		return p->a < q->a ? -1 : 1;
	return ( p->b > q->b ) - ( p->b < q->b );
}

static void mirror( dbvh_pair *pairs, size_t count ) {
	for ( size_t i = 0; i < count; ++i )
		pairs[i] = ( dbvh_pair ){ pairs[i].b, pairs[i].a };
	if ( count > 1 )
		qsort( pairs, count, sizeof *pairs, compare_pairs );
}

static truth truth_about( const dbvh_mesh_view *a, const dbvh_pose *pose_a, const dbvh_mesh_view *b,
                          const dbvh_pose *pose_b ) {
	dbvhi_relative_pose relative;
	truth t;
	assert_int_equal( dbvhi_pose_relate( pose_a, pose_b, &relative ), DBVH_OK );
	t.distance = relative.a_moves ? oracle_distance( b, a, &relative.frame_from_moved, &t.pairs, &t.count )
	                              : oracle_distance( a, b, &relative.frame_from_moved, &t.pairs, &t.count );
	if ( relative.a_moves )
		mirror( t.pairs, t.count );
	return t;
}

static size_t differences;

static void expect( bool fact, const char *what, const char *scene, size_t round, double expected, double got ) {
	if ( fact )
		return;
	if ( differences++ < 10 )
		printf( "DIFFERENCE %s %zu: %s: the truth is %a, the answer %a\n", scene, round, what, expected, got );
}

static double largest_coordinate( const dbvh_distance_result *x ) {
	double size = 0.0;
	for ( int k = 0; k < 3; ++k )
		size = fmax( size, fmax( fabs( x->point_a[k] ), fabs( x->point_b[k] ) ) );
	return size;
}

static double length( const double v[3] ) {
	return hypot( hypot( v[0], v[1] ), v[2] );
}

// All queries of distance and clearance, with one policy on one kernel.
static void ask( const char *scene, size_t round, rng *r, const truth *t, const dbvh_tree *a, const dbvh_pose *pose_a,
                 const dbvh_tree *b, const dbvh_pose *pose_b, int policy, dbvh_workspace *workspace,
                 double reach_of_mesh, bool exact_frame, dbvh_pair *room ) {
	const double d = t->distance;
	dbvh_distance_query query = { .policy = (dbvh_policy)policy };
	dbvh_distance_result x;
	assert_int_equal( dbvh_distance( a, pose_a, b, pose_b, &query, workspace, &x, NULL ), DBVH_OK );
	expect( x.found && x.distance == d, "distance", scene, round, d, x.distance );
	bool listed = t->count > 0 && bsearch( &x.pair, t->pairs, t->count, sizeof x.pair, compare_pairs ) != NULL;
	expect( listed, "the pair", scene, round, d, x.distance );
	if ( d > 0.0 )
		expect( compare_pairs( &x.pair, &t->pairs[0] ) == 0, "the lowest pair", scene, round, d, x.distance );
	if ( exact_frame && isfinite( d ) && isfinite( 4.0 * reach_of_mesh ) ) {
		double way[3];
		for ( int k = 0; k < 3; ++k )
			way[k] = x.point_b[k] - x.point_a[k];
		const double slack = 64.0 * 0x1p-52 * fmax( reach_of_mesh, largest_coordinate( &x ) ) + 0x1p-1060;
		expect( fabs( length( way ) - d ) <= slack, "the points", scene, round, d, length( way ) );
		expect( fabs( length( x.between ) - d ) <= 16.0 * 0x1p-53 * d + 0x1p-1070, "the way between them", scene, round,
		        d, length( x.between ) );
	}

	// Clearance at exactly the distance, and at the double below it.
	dbvh_collide_result w;
	const dbvh_collide_query first = { .policy = (dbvh_policy)policy };
	assert_int_equal( check_clearance( a, pose_a, b, pose_b, d, &first, workspace, &w, NULL ), DBVH_OK );
	expect( w.verdict == DBVH_INTERSECTING && w.pair_count == 1, "within the distance", scene, round, d, d );
	expect( t->count > 0 && bsearch( &w.first, t->pairs, t->count, sizeof w.first, compare_pairs ) != NULL,
	        "the first pair within the distance", scene, round, d, d );
	const dbvh_collide_query all = { .find = DBVH_FIND_ALL,
	                                 .policy = (dbvh_policy)policy,
	                                 .pairs = room,
	                                 .pair_capacity = t->count,
	                                 .thread_count = 1 + (uint32_t)rng_below( r, 2 ) };
	assert_int_equal( check_clearance( a, pose_a, b, pose_b, d, &all, workspace, &w, NULL ), DBVH_OK );
	expect( w.pair_count == t->count && w.pair_written == t->count &&
	            memcmp( room, t->pairs, t->count * sizeof *room ) == 0,
	        "all pairs within the distance", scene, round, (double)t->count, (double)w.pair_count );
	if ( d > 0.0 ) {
		const double less = nextafter( d, 0.0 );
		assert_int_equal( check_clearance( a, pose_a, b, pose_b, less, &first, workspace, &w, NULL ), DBVH_OK );
		expect( w.verdict == DBVH_DISJOINT, "within a little less", scene, round, d, less );
		assert_int_equal( check_clearance( a, pose_a, b, pose_b, less, &all, workspace, &w, NULL ), DBVH_OK );
		expect( w.verdict == DBVH_DISJOINT && w.pair_count == 0, "all within a little less", scene, round, d, less );
		query.limit = less;
		if ( less > 0.0 ) {
			assert_int_equal( dbvh_distance( a, pose_a, b, pose_b, &query, workspace, &x, NULL ), DBVH_OK );
			expect( !x.found && x.distance == 0.0, "beyond the limit", scene, round, less, x.distance );
		}
		query.limit = isfinite( d ) ? d : 0.0;
		assert_int_equal( dbvh_distance( a, pose_a, b, pose_b, &query, workspace, &x, NULL ), DBVH_OK );
		expect( x.found && x.distance == d && compare_pairs( &x.pair, &t->pairs[0] ) == 0, "at the limit", scene, round,
		        d, x.distance );
	}
	const double other = d > 0.0 && isfinite( d ) ? d * rng_range( r, 0.0, 2.0 ) : rng_unit( r );
	assert_int_equal( check_clearance( a, pose_a, b, pose_b, other, &first, workspace, &w, NULL ), DBVH_OK );
	expect( ( w.verdict == DBVH_INTERSECTING ) == ( d <= other ), "within any length", scene, round, d, other );

	// Errors that are allowed.
	query = ( dbvh_distance_query ){ .policy = (dbvh_policy)policy };
	query.relative_error = rng_below( r, 2 ) == 0 ? 0.0 : pow( 10.0, rng_range( r, -12.0, 0.0 ) );
	query.absolute_error = rng_below( r, 2 ) == 0 || !isfinite( d ) ? 0.0 : d * pow( 10.0, rng_range( r, -12.0, 1.0 ) );
	if ( !isfinite( query.absolute_error ) )
		query.absolute_error = DBL_MAX;
	assert_int_equal( dbvh_distance( a, pose_a, b, pose_b, &query, workspace, &x, NULL ), DBVH_OK );
	expect( x.found && x.distance >= d &&
	            x.distance <= ( d + d * query.relative_error + query.absolute_error ) * ( 1.0 + 0x1p-50 ),
	        "with errors allowed", scene, round, d, x.distance );
	// With an allowed error and a limit, the only pair within the limit must not be left out.
	static const double further[] = { 1.0, 1.0 + 0x1p-52, 1.0 + 1e-9, 1.0 + 1e-4, 1.1, 1.5 };
	query.limit = d * further[rng_below( r, sizeof further / sizeof further[0] )];
	if ( query.limit > 0.0 && isfinite( query.limit ) ) {
		assert_int_equal( dbvh_distance( a, pose_a, b, pose_b, &query, workspace, &x, NULL ), DBVH_OK );
		expect( x.found && x.distance >= d && x.distance <= query.limit &&
		            x.distance <= ( d + d * query.relative_error + query.absolute_error ) * ( 1.0 + 0x1p-50 ),
		        "with errors allowed and a limit", scene, round, d, x.distance );
	}
}

static double reach_of( const shape *s ) {
	double size = 0.0;
	for ( size_t i = 0; i < 3 * s->vertex_count; ++i )
		size = fmax( size, fabs( s->positions[i] ) );
	return size;
}

static bool is_identity( const dbvh_pose *pose ) {
	const dbvh_pose identity = dbvh_pose_identity();
	return memcmp( pose, &identity, sizeof identity ) == 0;
}

static void scenes( void **state ) {
	(void)state;
	size_t isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	rng r = rng_announce( "distance: scenes", seed_default );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	differences = 0;
	for ( size_t f = 0; f < sizeof families / sizeof families[0]; ++f ) {
		size_t zero = 0, ties = 0;
		const size_t count = rounds( families[f].scenes );
		for ( size_t round = 0; round < count; ++round ) {
			shape a = { 0 }, b = { 0 };
			dbvh_pose pose_a = dbvh_pose_identity(), pose_b = dbvh_pose_identity();
			families[f].make( &r, &a, &b, &pose_a, &pose_b );
			const dbvh_mesh_view view_a = shape_view( &a ), view_b = shape_view( &b );
			truth t = truth_about( &view_a, &pose_a, &view_b, &pose_b );
			const dbvh_tree_options options_a = random_options( &r ), options_b = random_options( &r );
			const bool plain = rng_below( &r, 2 ) == 0;
			dbvh_tree *tree_a = tree_of( &a, plain ? NULL : &options_a );
			dbvh_tree *tree_b = tree_of( &b, plain ? NULL : &options_b );
			dbvh_pair *room = malloc( ( t.count + 1 ) * sizeof *room );
			assert_non_null( room );
			const bool exact_frame = is_identity( &pose_a ) || is_identity( &pose_b );
			double reach = fmax( reach_of( &a ), reach_of( &b ) );
			for ( int k = 0; k < 3; ++k )
				reach = fmax( reach, fabs( pose_a.pos[k] ) + fabs( pose_b.pos[k] ) );
			zero += t.distance == 0.0;
			ties += t.count > 1;
			for ( int swapped = 0; swapped < 2; ++swapped ) {
				if ( swapped != 0 )
					mirror( t.pairs, t.count );
				for ( int policy = DBVH_POLICY_DEFAULT; policy <= DBVH_POLICY_SPHERE; ++policy ) {
					if ( !has_form( tree_a, tree_b, policy ) )
						continue;
					const size_t kernels = policy == DBVH_POLICY_DEFAULT ? isa_count : 1;
					for ( size_t i = 0; i < kernels; ++i ) {
						assert_int_equal( dbvh_isa_select( isa[i].name, NULL ), DBVH_OK );
						if ( swapped == 0 )
							ask( families[f].name, round, &r, &t, tree_a, &pose_a, tree_b, &pose_b, policy, workspace,
							     reach, exact_frame, room );
						else
							ask( families[f].name, round, &r, &t, tree_b, &pose_b, tree_a, &pose_a, policy, workspace,
							     reach, exact_frame, room );
					}
				}
			}
			free( room );
			free( t.pairs );
			dbvh_tree_destroy( tree_a );
			dbvh_tree_destroy( tree_b );
			shape_free( &a );
			shape_free( &b );
		}
		printf( "distance: %-18s %6zu scenes, %5zu meet, %5zu with ties, %zu differences so far\n", families[f].name,
		        count, zero, ties, differences );
		fflush( stdout );
		// One pair of needles in a hundred meets.
		if ( count >= 400 || ( count >= 50 && strcmp( families[f].name, "needles" ) != 0 ) )
			assert_outcomes( zero > 0 && zero < count );
	}
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
	dbvh_workspace_destroy( workspace );
	assert_int_equal( differences, 0 );
}

// Two plates with thousands of pairs at the same distance: the one that is named is the lowest, however many tie.
static void plates( void **state ) {
	(void)state;
	shape s = { 0 };
	add_grid( &s, 24 );
	dbvh_tree *tree = tree_of( &s, &keeps_reference );
	for ( int turned = 0; turned < 2; ++turned ) {
		dbvh_pose upper = dbvh_pose_identity();
		upper.pos[2] = 0.3;
		if ( turned != 0 )
			upper.pos[0] = 0.25 / 24.0;
		for ( int policy = 0; policy < 2; ++policy ) {
			dbvh_distance_result x;
			dbvh_distance_query q = { .policy = (dbvh_policy)policy };
			assert_int_equal( dbvh_distance( tree, NULL, tree, &upper, &q, NULL, &x, NULL ), DBVH_OK );
			assert_true( x.found && x.distance == 0.3 );
			assert_true( x.pair.a == 0 && x.pair.b == 0 );
			q.relative_error = 1e-12;
			dbvh_distance_result y;
			assert_int_equal( dbvh_distance( tree, NULL, tree, &upper, &q, NULL, &y, NULL ), DBVH_OK );
			assert_true( y.found && y.distance == 0.3 );
			printf( "distance: plates, %llu exact comparisons, %llu with an error of 1e-12\n",
			        (unsigned long long)x.counters.exact_tests, (unsigned long long)y.counters.exact_tests );
			assert_true( y.counters.exact_tests <= DBVH_POLICY_PACKED * 20 );
		}
	}
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

static void refusals( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1.0, 1.0, 1.0, 1 );
	dbvh_tree *tree = tree_of( &s, &keeps_reference );
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = 3.0;
	dbvh_distance_result x, zero;
	memset( &zero, 0, sizeof zero );
	assert_int_equal( dbvh_distance( tree, NULL, tree, &pose, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_distance( NULL, NULL, tree, &pose, NULL, NULL, &x, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_distance( tree, NULL, NULL, &pose, NULL, NULL, &x, NULL ), DBVH_INVALID_ARGUMENT );
	const double bad[] = { -1.0, NAN, INFINITY, -INFINITY };
	for ( int i = 0; i < 4; ++i ) {
		const dbvh_distance_query queries[] = {
		    { .limit = bad[i] }, { .relative_error = bad[i] }, { .absolute_error = bad[i] } };
		// INFINITY is no limit.
		for ( int k = bad[i] == INFINITY ? 1 : 0; k < 3; ++k ) {
			memset( &x, 1, sizeof x );
			assert_int_equal( dbvh_distance( tree, NULL, tree, &pose, &queries[k], NULL, &x, NULL ),
			                  DBVH_INVALID_ARGUMENT );
			assert_memory_equal( &x, &zero, sizeof x );
		}
	}
	const dbvh_distance_query too_large = { .relative_error = 1.5 }, no_policy = { .policy = (dbvh_policy)77 };
	assert_int_equal( dbvh_distance( tree, NULL, tree, &pose, &too_large, NULL, &x, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_distance( tree, NULL, tree, &pose, &no_policy, NULL, &x, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_distance( tree, NULL, tree, &pose, NULL, NULL, &x, NULL ), DBVH_OK );
	assert_true( x.found && x.distance == 1.0 && x.point_a[0] == 1.0 && x.point_b[0] == 2.0 );

	dbvh_collide_result w;
	assert_int_equal( check_clearance( tree, NULL, tree, &pose, -1.0, NULL, NULL, &w, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( check_clearance( tree, NULL, tree, &pose, NAN, NULL, NULL, &w, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( check_clearance( tree, NULL, tree, &pose, 1.0, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( check_clearance( tree, NULL, tree, &pose, INFINITY, NULL, NULL, &w, NULL ), DBVH_OK );
	assert_int_equal( w.verdict, DBVH_INTERSECTING );
	assert_int_equal( check_clearance( tree, NULL, tree, &pose, DBL_MAX, NULL, NULL, &w, NULL ), DBVH_OK );
	assert_int_equal( w.verdict, DBVH_INTERSECTING );
	const dbvh_collide_query all = { .find = DBVH_FIND_ALL };
	assert_int_equal( check_clearance( tree, NULL, tree, &pose, INFINITY, &all, NULL, &w, NULL ), DBVH_OK );
	assert_int_equal( w.pair_count, 144 );
	assert_int_equal( check_clearance( tree, NULL, tree, &pose, 1.0, &all, NULL, &w, NULL ), DBVH_OK );
	assert_true( w.pair_count >= 4 && w.pair_count < 144 );
	assert_int_equal( check_clearance( tree, NULL, tree, &pose, nextafter( 1.0, 0.0 ), &all, NULL, &w, NULL ),
	                  DBVH_OK );
	assert_int_equal( w.pair_count, 0 );
	pose.pos[1] = NAN;
	assert_int_equal( check_clearance( tree, NULL, tree, &pose, 1.0, &all, NULL, &w, NULL ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_distance( tree, NULL, tree, &pose, NULL, NULL, &x, NULL ), DBVH_NOT_FINITE );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// A second query with the same workspace allocates nothing; running out of memory is reported.
static void memory( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.3, 20, 12 );
	dbvh_tree *tree = tree_of( &s, &keeps_reference );
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[2] = 1.0;
	ledger books = { 0 };
	dbvh_allocator allocator = ledger_allocator( &books );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( &allocator, &workspace, NULL ), DBVH_OK );
	assert_int_equal( dbvh_workspace_reserve( workspace, tree, tree, 0, NULL ), DBVH_OK );
	const size_t calls = books.calls;
	dbvh_distance_result x;
	dbvh_collide_result w;
	assert_int_equal( dbvh_distance( tree, NULL, tree, &pose, NULL, workspace, &x, NULL ), DBVH_OK );
	assert_int_equal( check_clearance( tree, NULL, tree, &pose, x.distance, NULL, workspace, &w, NULL ), DBVH_OK );
	assert_int_equal( w.verdict, DBVH_INTERSECTING );
	assert_int_equal( books.calls, calls );
	dbvh_workspace_destroy( workspace );
	assert_int_equal( books.live, 0 );
	for ( size_t at = 2; at < calls + 1; ++at ) {
		books = ( ledger ){ .fail_at = at };
		assert_int_equal( dbvh_workspace_create( &allocator, &workspace, NULL ), DBVH_OK );
		assert_int_equal( dbvh_distance( tree, NULL, tree, &pose, NULL, workspace, &x, NULL ), DBVH_OUT_OF_MEMORY );
		assert_false( x.found );
		dbvh_workspace_destroy( workspace );
		assert_int_equal( books.live, 0 );
		assert_int_equal( books.mistakes, 0 );
	}
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// The way to the first triangle of B tilts by so little that its component is no double. It is a last bit longer than
// that to the second one, which shares the edge that it goes to.
static void ways_too_small_for_doubles( void **state ) {
	(void)state;
	for ( int exponent = 960; exponent <= 1074; ++exponent ) {
		const double e = -ldexp( 1.0, -exponent );
		const double a[9] = { 1, 1, 1, 17, 0, 0, 16, 0, 1 };
		const double b[27] = { 0, 0, 2, 2, e, 2, 0, 2, 2, 2, e, 2, 2, 0, 2, 0, 2, 2, 0, 0, 2, 8, 2, 2, 0, 0, 2 };
		const dbvh_mesh_view views[2] = {
		    { .positions = a, .vertex_count = 3, .index_type = DBVH_INDEX_TYPE_NONE },
		    { .positions = b, .vertex_count = 9, .index_type = DBVH_INDEX_TYPE_NONE },
		};
		dbvh_tree *trees[2];
		for ( int i = 0; i < 2; ++i )
			assert_int_equal( dbvh_tree_build( &views[i], &keeps_reference, NULL, &trees[i], NULL ), DBVH_OK );
		for ( int policy = DBVH_POLICY_DEFAULT; policy <= DBVH_POLICY_SPHERE; ++policy ) {
			const dbvh_distance_query query = { .policy = (dbvh_policy)policy };
			dbvh_distance_result result;
			assert_int_equal( dbvh_distance( trees[0], NULL, trees[1], NULL, &query, NULL, &result, NULL ), DBVH_OK );
			assert_true( result.distance == 1.0 && result.pair.a == 0 && result.pair.b == 1 );
		}
		dbvh_tree_destroy( trees[0] );
		dbvh_tree_destroy( trees[1] );
	}
}

// ------------------------------------------------------------------------------------------------
// Ended by a budget

static dbvh_tree *some_tree( rng *r, const shape *s, bool reference ) {
	static const dbvh_tree_options kinds[] = { { .leaf_size = 1 },
	                                           { .reference = true },
	                                           { .leaf_size = 3 },
	                                           { .fragments = DBVH_FRAGMENTS_ALL },
	                                           { .quality = DBVH_QUALITY_FAST },
	                                           { .ellipsoids = DBVH_ELLIPSOIDS_ALL },
	                                           { .box_fit = DBVH_BOX_FIT_RAPID, .split = DBVH_SPLIT_VARIANCE } };
	dbvh_tree_options options = kinds[rng_below( r, sizeof kinds / sizeof kinds[0] )];
	options.reference = options.reference || reference;
	return tree_of( s, &options );
}

// Whatever a budget leaves undone, no two triangles are closer than it says, and those that it names are farther.
static void budgets( void **state ) {
	(void)state;
	rng r = rng_announce( "distance: budgets", seed_default );
	size_t ended = 0, told = 0, named = 0;
	for ( size_t round = 0; round < rounds( 60 ); ++round ) {
		shape s[2] = { { 0 }, { 0 } };
		for ( int m = 0; m < 2; ++m )
			add_soup( &s[m], &r, 20 + rng_below( &r, 150 ), rng_range( &r, 0.02, 0.3 ), 0.1, rng_below( &r, 4 ) == 0 );
		const bool keeps = round % 2 == 0; // the reference tree, which most policies ask for
		dbvh_tree *const a = some_tree( &r, &s[0], keeps ), *const b = some_tree( &r, &s[1], keeps );
		dbvh_pose pose = random_pose( &r, 0.5 );
		pose.pos[0] += 2.3;
		dbvh_distance_result whole, part;
		assert_int_equal( dbvh_distance( a, NULL, b, &pose, NULL, NULL, &whole, NULL ), DBVH_OK );
		for ( int policy = DBVH_POLICY_DEFAULT; policy <= DBVH_POLICY_PACKED; ++policy ) {
			if ( !keeps && policy != DBVH_POLICY_DEFAULT && policy != DBVH_POLICY_PACKED )
				continue;
			for ( uint64_t work = 1; work < 100000; work += 1 + work / 6 ) {
				const dbvh_budget budget = { .max_work = work };
				const dbvh_distance_query query = { .budget = &budget,
				                                    .policy = (dbvh_policy)policy,
				                                    .relative_error = work % 5 == 0 ? 0.01 : 0.0,
				                                    .limit = work % 7 == 0 ? 1.01 * whole.distance : 0.0 };
				const dbvh_status status = dbvh_distance( a, NULL, b, &pose, &query, NULL, &part, NULL );
				if ( status == DBVH_OK )
					break;
				assert_int_equal( status, DBVH_BUDGET_SPENT );
				// `at_least` is below the distance, which is rounded up; with a limit, below the limit.
				if ( whole.distance > 0.0 && !( part.at_least < whole.distance ) )
					fail_msg( "policy %d, work %llu: at_least %a of %a", policy, (unsigned long long)work,
					          part.at_least, whole.distance );
				assert_true( part.at_least >= 0.0 && ( !part.found || part.distance >= whole.distance ) );
				ended += 1;
				told += part.at_least > 0.0;
				named += part.found && part.distance == whole.distance;
			}
		}
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
		shape_free( &s[0] );
		shape_free( &s[1] );
	}
	printf( "%zu ended by a budget, %zu with a bound, %zu with the nearest pair\n", ended, told, named );
	assert_outcomes( ended > 0 && told > 0 && ( named > 0 || rounds( 60 ) < 20 ) );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( refusals ), cmocka_unit_test( memory ),
	    cmocka_unit_test( plates ),   cmocka_unit_test( ways_too_small_for_doubles ),
	    cmocka_unit_test( scenes ),   cmocka_unit_test( budgets ),
	};
	return test_main( argc, argv, tests );
}
