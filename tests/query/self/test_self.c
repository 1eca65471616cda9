// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One mesh against itself: pairs of triangles and whole meshes, against rational arithmetic.

#include "dualbvh/isa.h"
#include "exact/tri_tri.h"
#include "query/common/mesh_pair.h"
#include "simd/isa.h"
#include "support/data.h"
#include "support/rational.h"
#include "support/scene.h"
#include "support/unit.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t seed_default = 20261121;

// ------------------------------------------------------------------------------------------------
// Pairs

static bool library_says( const double a[9], const double b[9] ) {
	bool meet = false;
	assert_int_equal( dbvh_triangles_self_intersect( (const dbvh_triangle *)a, (const dbvh_triangle *)b, &meet, NULL ),
	                  DBVH_OK );
	return meet;
}

// A hand-made example of each class of pairs.
static void defined_cases( void **state ) {
	(void)state;
	static const struct {
		const char *what;
		double a[9], b[9];
		bool meet;
	} cases[] = {
	    { "one point touching, nothing shared", { 0, 0, 0, 2, 0, 0, 0, 2, 0 }, { 1, 0, 0, 1, 1, 1, 1, -1, 1 }, true },
	    { "apart", { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, { 0, 0, 1, 1, 0, 1, 0, 1, 1 }, false },
	    { "a corner shared", { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, { 0, 0, 0, -1, 0, 0, 0, -1, 0 }, false },
	    { "a corner shared, -0", { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, { -0.0, 0, -0.0, -1, 0, 0, 0, -1, 0 }, false },
	    { "a corner shared, in one plane, overlapping",
	      { 0, 0, 0, 2, 0, 0, 0, 2, 0 },
	      { 0, 0, 0, 1, 1, 0, 3, 1, 0 },
	      true },
	    { "a corner shared, one edge along another",
	      { 0, 0, 0, 2, 0, 0, 0, 2, 0 },
	      { 0, 0, 0, 1, 0, 0, 0, -2, 0 },
	      true },
	    { "a corner shared, pierced", { 0, 0, 0, 2, 0, 0, 0, 2, 0 }, { 0, 0, 0, 1, 1, 1, 1, 1, -1 }, true },
	    { "a corner shared, both straddle, opposite ways",
	      { 0, 0, 0, 2, 0, 0, 0, 2, 0 },
	      { 0, 0, 0, -1, -1, 1, -1, -1, -1 },
	      false },
	    { "an edge shared", { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, { 0, 0, 0, 1, 0, 0, 0, 0, 1 }, false },
	    { "an edge shared, flat", { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, { 1, 0, 0, 0, 0, 0, 0, -1, 0 }, false },
	    { "an edge shared, folded over", { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, { 1, 0, 0, 0, 0, 0, 5, 1, 0 }, true },
	    { "duplicates", { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, { 1, 0, 0, 0, 0, 0, 0, 1, 0 }, true },
	    { "collapsed onto a shared edge", { 0, 0, 0, 1, 0, 0, 1, 0, 0 }, { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, false },
	    { "both collapsed onto the same edge", { 0, 0, 0, 1, 0, 0, 1, 0, 0 }, { 0, 0, 0, 1, 0, 0, 0, 0, 0 }, false },
	    { "collapsed onto a shared corner", { 0, 0, 0, 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, false },
	    { "a point on a triangle", { 1, 1, 0, 1, 1, 0, 1, 1, 0 }, { 0, 0, 0, 3, 0, 0, 0, 3, 0 }, true },
	    { "a T: collinear corners over an edge", { 0, 0, 0, 1, 0, 0, 2, 0, 0 }, { 0, 0, 0, 2, 0, 0, 0, 1, 0 }, false },
	    { "a T: collinear corners, half of them", { 0, 0, 0, 1, 0, 0, 2, 0, 0 }, { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, false },
	    { "collinear, longer than the edge, both", { 0, 0, 0, 1, 0, 0, 2, 0, 0 }, { 0, 0, 0, 1, 0, 0, 3, 0, 0 }, true },
	    { "collinear, longer on either side", { 0, 0, 0, 1, 0, 0, 2, 0, 0 }, { 0, 0, 0, 1, 0, 0, -3, 0, 0 }, false },
	    { "collinear, a corner in the middle shared",
	      { -1, 0, 0, 0, 0, 0, 1, 0, 0 },
	      { 0, 0, 0, 2, 0, 0, 0, 2, 0 },
	      true },
	    { "two segments from one corner", { 0, 0, 0, 1, 0, 0, 1, 0, 0 }, { 0, 0, 0, 0, 1, 0, 0, 1, 0 }, false },
	    { "two segments from one corner, the same way",
	      { 0, 0, 0, 1, 0, 0, 1, 0, 0 },
	      { 0, 0, 0, 2, 0, 0, 2, 0, 0 },
	      true },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		const bool truth = rational_meet_beyond( cases[i].a, cases[i].b );
		const bool found = library_says( cases[i].a, cases[i].b ), turned = library_says( cases[i].b, cases[i].a );
		if ( found != cases[i].meet || turned != cases[i].meet || truth != cases[i].meet )
			print_message( "self: %s\n", cases[i].what );
		assert_int_equal( truth, cases[i].meet );
		assert_int_equal( found, cases[i].meet );
		assert_int_equal( turned, cases[i].meet );
	}
}

static double grid_number( rng *r, int n ) {
	return (double)rng_below( r, (uint64_t)n ) - (double)( n / 2 );
}

// A triangle with `common` corners of another, in a family: on a small grid; nearly in one plane; anywhere; and then
// moved far from the origin, or scaled to the limits of doubles.
static void random_pair( rng *r, uint64_t family, double a[9], double b[9] ) {
	const bool grid = family % 3 == 0;
	for ( int i = 0; i < 9; ++i ) {
		a[i] = grid ? grid_number( r, 5 ) : rng_range( r, -1, 1 );
		b[i] = grid ? grid_number( r, 5 ) : rng_range( r, -1, 1 );
		if ( family % 6 == 0 && i % 3 == 2 )
			a[i] = b[i] = 0.0;
	}
	if ( family % 3 == 1 ) {
		// A triangle in the plane of a, as far as doubles go, or a little off it.
		for ( int i = 0; i < 3; ++i ) {
			const double s = rng_range( r, -1, 2 ), t = rng_range( r, -1, 2 );
			const double off = rng_below( r, 2 ) == 0 ? 0.0 : ldexp( rng_range( r, -1, 1 ), -(int)rng_below( r, 60 ) );
			for ( int k = 0; k < 3; ++k )
				b[3 * i + k] = a[k] + s * ( a[3 + k] - a[k] ) + t * ( a[6 + k] - a[k] ) + off;
		}
	}
	const uint64_t common = rng_below( r, 4 );
	const uint64_t turn_a = rng_below( r, 3 ), turn_b = rng_below( r, 3 );
	const uint64_t way = 1 + rng_below( r, 2 );
	for ( uint64_t i = 0; i < common; ++i )
		memcpy( b + 3 * ( ( turn_b + way * i ) % 3 ), a + 3 * ( ( turn_a + i ) % 3 ), 3 * sizeof( double ) );
	switch ( rng_below( r, 8 ) ) {
	case 0: // collapsed
		memcpy( a + 3, a + 6, 3 * sizeof( double ) );
		break;
	case 1: // collinear where doubles allow it
		for ( int k = 0; k < 3; ++k )
			b[3 + k] = 0.5 * ( b[k] + b[6 + k] );
		break;
	default:
		break;
	}
	const double scale = rng_below( r, 4 ) == 0 ? ldexp( 1.0, (int)rng_below( r, 2000 ) - 1050 ) : 1.0;
	const double away = rng_below( r, 4 ) == 0 ? 1e3 : 0.0;
	for ( int i = 0; i < 9; ++i ) {
		a[i] = scale * ( a[i] + away );
		b[i] = scale * ( b[i] + away );
	}
}

static void random_pairs( void **state ) {
	(void)state;
	rng r = rng_announce( "self: pairs", seed_default );
	size_t outcomes[4][2] = { { 0 } }, filtered = 0, wrong = 0;
	const size_t count = rounds( 30000 );
	for ( size_t i = 0; i < count; ++i ) {
		double a[9], b[9];
		random_pair( &r, i, a, b );
		const bool truth = rational_meet_beyond( a, b );
		const bool exact = dbvhi_self_intersect_exact( a, b );
		const dbvhi_answer answer = dbvhi_self_intersect_filter( a, b ), turned = dbvhi_self_intersect_filter( b, a );
		filtered += answer != DBVHI_UNSURE;
		const dbvhi_answer opposite = truth ? DBVHI_DISJOINT : DBVHI_INTERSECTING;
		if ( exact != truth || answer == opposite || turned == opposite || library_says( b, a ) != truth ) {
			wrong += 1;
			print_message( "self: pair %zu: truth %d, exact %d, filter %d and %d\n", i, truth, exact, answer, turned );
		}
		int common = 0;
		for ( int k = 0; k < 9; ++k )
			common += memcmp( a + 3 * ( k / 3 ), b + 3 * ( k % 3 ), 3 * sizeof( double ) ) == 0;
		outcomes[common < 3 ? common : 3][truth] += 1;
	}
	for ( int k = 0; k < 4; ++k )
		printf( "self: %d shared corners: %zu meet beyond, %zu do not\n", k, outcomes[k][1], outcomes[k][0] );
	printf( "self: the filter decided %zu of %zu\n", filtered, count );
	assert_int_equal( wrong, 0 );
	for ( int k = 0; k < 3; ++k )
		assert_true( outcomes[k][0] > count / 100 && outcomes[k][1] > count / 100 );
	assert_outcomes( outcomes[3][1] > count / 100 && filtered > count / 4 && filtered < count );
}

// ------------------------------------------------------------------------------------------------
// Meshes

static const char *const policy_names[] = { "default", "dual",      "rapid", "sat-lite",    "sphere",
                                            "packed",  "ellipsoid", "mixed", "packed-mixed" };

static size_t brute_force( const shape *s, dbvh_pair **pairs_out ) {
	const dbvh_mesh_view view = shape_view( s );
	double *corners = malloc( ( 9 * s->triangle_count + 1 ) * sizeof *corners );
	dbvh_pair *pairs = malloc( ( s->triangle_count * s->triangle_count / 2 + 1 ) * sizeof *pairs );
	assert_true( corners != NULL && pairs != NULL );
	for ( size_t i = 0; i < view.triangle_count; ++i ) {
		for ( int k = 0; k < 9; ++k )
			corners[9 * i + (size_t)k] = s->positions[3 * s->indices[3 * i + (size_t)( k / 3 )] + (size_t)( k % 3 )];
	}
	size_t count = 0;
	for ( size_t i = 0; i < s->triangle_count; ++i ) {
		for ( size_t j = i + 1; j < s->triangle_count; ++j ) {
			const double *a = corners + 9 * i, *b = corners + 9 * j;
			bool apart = false;
			for ( int k = 0; k < 3; ++k ) {
				const double low_a = fmin( a[k], fmin( a[3 + k], a[6 + k] ) ),
				             high_a = fmax( a[k], fmax( a[3 + k], a[6 + k] ) );
				const double low_b = fmin( b[k], fmin( b[3 + k], b[6 + k] ) ),
				             high_b = fmax( b[k], fmax( b[3 + k], b[6 + k] ) );
				apart = apart || low_a > high_b || low_b > high_a;
			}
			if ( !apart && rational_meet_beyond( a, b ) )
				pairs[count++] = ( dbvh_pair ){ (uint32_t)i, (uint32_t)j };
		}
	}
	free( corners );
	*pairs_out = pairs;
	return count;
}

static bool same_pairs( const dbvh_pair *a, const dbvh_pair *b, size_t count ) {
	return count == 0 || memcmp( a, b, count * sizeof *a ) == 0;
}

static bool is_among( dbvh_pair pair, const dbvh_pair *pairs, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		if ( pairs[i].a == pair.a && pairs[i].b == pair.b )
			return true;
	}
	return false;
}

// First and all, too little room and enough, one thread and several, against the truth.
static void compare_policy( const char *what, const dbvh_tree *tree, dbvh_policy policy, const dbvh_pair *truth,
                            size_t count, dbvh_workspace *workspace ) {
	dbvh_pair *found = malloc( ( count + 8 ) * sizeof *found );
	assert_true( found != NULL );
	for ( uint32_t threads = 1; threads <= 3; threads += 2 ) {
		const size_t rooms[3] = { 0, count / 2, count + 8 };
		for ( int room = 0; room < 3; ++room ) {
			dbvh_collide_query query = { .find = DBVH_FIND_ALL,
			                             .policy = policy,
			                             .pairs = found,
			                             .pair_capacity = rooms[room],
			                             .thread_count = threads };
			dbvh_collide_result result;
			assert_int_equal( dbvh_self_collide( tree, &query, workspace, &result, NULL ), DBVH_OK );
			const size_t written = count < rooms[room] ? count : rooms[room];
			if ( result.pair_count != count || result.pair_written != written ||
			     !same_pairs( found, truth, written ) ) {
				print_message( "self: %s, %s, %s, %u threads: %zu pairs, the truth is %zu\n", what,
				               policy_names[policy], dbvh_isa_name(), threads, result.pair_count, count );
				fail();
			}
			assert_int_equal( result.verdict, count > 0 ? DBVH_INTERSECTING : DBVH_DISJOINT );
			if ( count > 0 )
				assert_true( result.first.a == truth[0].a && result.first.b == truth[0].b );
		}
		const dbvh_collide_query query = { .policy = policy, .thread_count = threads };
		dbvh_collide_result result;
		assert_int_equal( dbvh_self_collide( tree, &query, workspace, &result, NULL ), DBVH_OK );
		assert_int_equal( result.verdict, count > 0 ? DBVH_INTERSECTING : DBVH_DISJOINT );
		assert_int_equal( result.pair_count, count > 0 );
		if ( count > 0 )
			assert_true( is_among( result.first, truth, count ) );
	}
	free( found );
}

static void compare_self( const char *what, const dbvh_tree *tree, const dbvh_pair *truth, size_t count,
                          dbvh_workspace *workspace ) {
	for ( int policy = DBVH_POLICY_DEFAULT; policy <= DBVH_POLICY_PACKED_MIXED; ++policy )
		if ( dbvhi_asks_for_packed( (dbvh_policy)policy ) || dbvhi_tree_has_reference( tree ) )
			compare_policy( what, tree, (dbvh_policy)policy, truth, count, workspace );
}

// A patch of surface whose corners are shared, some of them moved so that it folds and pierces itself.
static void add_patch( shape *s, rng *r, uint32_t n, double roughness, bool grid ) {
	const uint32_t base = (uint32_t)s->vertex_count;
	for ( uint32_t i = 0; i <= n; ++i ) {
		for ( uint32_t j = 0; j <= n; ++j ) {
			const bool moved = rng_unit( r ) < 0.3;
			double p[3] = { (double)i / 8.0, (double)j / 8.0, 0.0 };
			for ( int k = 0; k < 3; ++k )
				p[k] += !moved ? 0.0 : grid ? coarse( r ) * 0.25 : roughness * rng_range( r, -1, 1 );
			shape_vertex( s, p[0], p[1], p[2] );
		}
	}
	for ( uint32_t i = 0; i < n; ++i ) {
		for ( uint32_t j = 0; j < n; ++j ) {
			const uint32_t at = base + i * ( n + 1 ) + j;
			shape_triangle( s, at, at + n + 1, at + n + 2 );
			shape_triangle( s, at, at + n + 2, at + 1 );
		}
	}
}

static void random_meshes( void **state ) {
	(void)state;
	rng r = rng_announce( "self: meshes", seed_default + 1 );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	size_t meeting = 0, apart = 0, pairs_seen = 0;
	const size_t count = rounds( 60 );
	for ( size_t i = 0; i < count; ++i ) {
		shape s = { 0 };
		switch ( i % 4 ) {
		case 0:
			add_patch( &s, &r, 8, 0.05 * rng_unit( &r ), false );
			break;
		case 1:
			add_patch( &s, &r, 8, 0.0, true );
			break;
		case 2:
			add_soup( &s, &r, 40 + rng_below( &r, 60 ), 0.2, 0.2, i % 8 == 2 );
			break;
		default:
			shape_add_box( &s, 1.0, 0.5, 0.25, 1 + (uint32_t)rng_below( &r, 3 ) );
			if ( rng_below( &r, 2 ) == 0 )
				shape_add_box( &s, 0.5, 1.0, 0.25, 1 + (uint32_t)rng_below( &r, 3 ) );
			break;
		}
		if ( rng_below( &r, 4 ) == 0 ) { // beyond what the packed form takes
			shape scaled = scaled_copy( &s, rng_below( &r, 2 ) == 0 ? 900 : -1000 );
			shape_free( &s );
			s = scaled;
		}
		dbvh_pair *truth = NULL;
		const size_t pairs = brute_force( &s, &truth );
		meeting += pairs > 0;
		apart += pairs == 0;
		pairs_seen += pairs;
		const dbvh_tree_options options = random_options( &r );
		dbvh_tree *tree = tree_of( &s, rng_below( &r, 2 ) == 0 ? &keeps_reference : &options );
		compare_self( "a random mesh", tree, truth, pairs, workspace );
		dbvh_tree_destroy( tree );
		free( truth );
		shape_free( &s );
	}
	printf( "self: %zu meshes meet themselves, %zu do not, %zu pairs\n", meeting, apart, pairs_seen );
	assert_outcomes( meeting > count / 8 && apart > count / 8 );
	dbvh_workspace_destroy( workspace );
}

// Closed surfaces do not intersect themselves, whatever the number of triangles: several pieces for several threads.
// Then one of them is pushed through its own wall.
static void large_meshes( void **state ) {
	(void)state;
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	shape s = { 0 };
	const uint32_t part = is_short_run() ? 2 : 1;
	shape_add_sphere( &s, 1.0, 80 / part, 60 / part );
	shape_add_torus( &s, 3.0, 0.7, 90 / part, 40 / part );
	shape_add_statue( &s );
	dbvh_tree *tree = tree_of( &s, &keeps_reference );
	dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = DBVH_POLICY_RAPID };
	dbvh_collide_result expected, result;
	assert_int_equal( dbvh_self_collide( tree, &query, workspace, &expected, NULL ), DBVH_OK );
	dbvh_pair *truth = malloc( ( expected.pair_count + 1 ) * sizeof *truth );
	assert_true( truth != NULL );
	query.pairs = truth;
	query.pair_capacity = expected.pair_count;
	assert_int_equal( dbvh_self_collide( tree, &query, workspace, &result, NULL ), DBVH_OK );
	compare_self( "large", tree, truth, result.pair_count, workspace );
	free( truth );
	dbvh_tree_destroy( tree );

	// The last corner of the sphere, its pole, through the torus.
	s.positions[2] = -40.0;
	tree = tree_of( &s, &keeps_reference );
	size_t before = result.pair_count;
	query = ( dbvh_collide_query ){ .find = DBVH_FIND_ALL };
	assert_int_equal( dbvh_self_collide( tree, &query, workspace, &result, NULL ), DBVH_OK );
	assert_true( result.pair_count != before );
	dbvh_tree_destroy( tree );
	shape_free( &s );
	dbvh_workspace_destroy( workspace );
}

// The same pairs from every kernel that this machine can run: small meshes that are folded, and one of many leaves,
// which goes to several threads.
static void every_kernel( void **state ) {
	(void)state;
	rng r = rng_announce( "self: kernels", seed_default + 2 );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	size_t isa_count, meeting = 0, apart = 0, pairs_seen = 0;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	const size_t count = rounds( 12 );
	for ( size_t i = 0; i < count; ++i ) {
		shape s = { 0 };
		if ( i == 0 ) {
			shape_add_torus( &s, 1.0, 0.3, 90, 40 );
			shape_add_sphere( &s, 1.0, 50, 40 );
		} else if ( i % 3 == 0 ) {
			shape_add_torus( &s, 1.0, 0.3, 4 + (uint32_t)i, 5 );
		} else {
			add_patch( &s, &r, 10 + (uint32_t)i, 0.05 * rng_unit( &r ), i % 3 == 1 );
		}
		dbvh_tree *tree = tree_of( &s, &keeps_reference );
		dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = DBVH_POLICY_RAPID };
		dbvh_collide_result result;
		assert_int_equal( dbvh_self_collide( tree, &query, workspace, &result, NULL ), DBVH_OK );
		dbvh_pair *truth = malloc( ( result.pair_count + 1 ) * sizeof *truth );
		assert_true( truth != NULL );
		query.pairs = truth;
		query.pair_capacity = result.pair_count;
		assert_int_equal( dbvh_self_collide( tree, &query, workspace, &result, NULL ), DBVH_OK );
		meeting += result.pair_count > 0;
		apart += result.pair_count == 0;
		pairs_seen += result.pair_count;
		for ( size_t k = 0; k < isa_count; ++k ) {
			assert_int_equal( dbvh_isa_select( isa[k].name, NULL ), DBVH_OK );
			compare_policy( "kernels", tree, DBVH_POLICY_PACKED, truth, result.pair_count, workspace );
		}
		free( truth );
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
	printf( "self: %zu meshes meet themselves, %zu do not, %zu pairs on each of %zu kernels\n", meeting, apart,
	        pairs_seen, isa_count );
	// A few may all intersect: the sanitizers are given a tenth.
	assert_outcomes( count < 12 || ( meeting > count / 4 && apart > count / 8 ) );
	dbvh_workspace_destroy( workspace );
}

static void real_meshes( void **state ) {
	(void)state;
	static const struct {
		const char *name;
		bool intersects;
	} files[] = {
	    { "stanford/bun_zipper.ply", false },
	    { "stanford/happy_vrip_res4.ply", true },
	    { "classics/spot.obj", false },
	    { "hands/fg_pilot_hand_R_488.obj", true },
	};
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	for ( size_t i = 0; i < sizeof files / sizeof files[0]; ++i ) {
		dbvh_mesh *mesh = data_mesh( files[i].name );
		if ( mesh == NULL )
			continue;
		const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
		dbvh_tree *tree = NULL;
		assert_int_equal( dbvh_tree_build( &view, &keeps_reference, NULL, &tree, NULL ), DBVH_OK );
		dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = DBVH_POLICY_RAPID };
		dbvh_collide_result result, packed;
		assert_int_equal( dbvh_self_collide( tree, &query, workspace, &result, NULL ), DBVH_OK );
		query.policy = DBVH_POLICY_PACKED;
		assert_int_equal( dbvh_self_collide( tree, &query, workspace, &packed, NULL ), DBVH_OK );
		printf( "self: %s: %zu pairs\n", files[i].name, result.pair_count );
		assert_int_equal( packed.pair_count, result.pair_count );
		dbvh_tree_destroy( tree );
		dbvh_mesh_destroy( mesh );
	}
	dbvh_workspace_destroy( workspace );
}

// Whatever a budget allows, what is said to intersect does, and a call that is not cut short says all.
static void budgets( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_sphere( &s, 1.0, 24, 12 );
	shape_add_box( &s, 0.75, 0.75, 0.75, 4 );
	dbvh_tree *tree = tree_of( &s, &keeps_reference );
	size_t ended = 0, finished = 0;
	for ( int policy = 0; policy <= DBVH_POLICY_PACKED_MIXED; ++policy ) {
		dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = (dbvh_policy)policy };
		dbvh_collide_result all, result;
		assert_int_equal( dbvh_self_collide( tree, &query, NULL, &all, NULL ), DBVH_OK );
		assert_true( all.pair_count > 50 );
		size_t last = 0;
		for ( uint64_t work = 1; work < UINT64_C( 1 ) << 24; work *= 2 ) {
			const dbvh_budget budget = { .max_work = work };
			query.budget = &budget;
			dbvh_error error;
			const dbvh_status status = dbvh_self_collide( tree, &query, NULL, &result, &error );
			assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
			assert_true( ( status == DBVH_OK ) == ( error.text[0] == '\0' ) && error.status == status );
			assert_true( result.pair_count >= last && result.pair_count <= all.pair_count );
			assert_true( status != DBVH_OK || result.pair_count == all.pair_count );
			assert_true( ( result.verdict == DBVH_INTERSECTING ) == ( result.pair_count > 0 ) );
			last = result.pair_count;
			ended += status != DBVH_OK;
			finished += status == DBVH_OK;
		}
	}
	assert_true( ended > 8 && finished > 8 );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

static void arguments( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 2 );
	dbvh_tree *tree = tree_of( &s, &keeps_reference );
	dbvh_collide_result result;
	assert_int_equal( dbvh_self_collide( NULL, NULL, NULL, &result, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_self_collide( tree, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pair_capacity = 3 };
	assert_int_equal( dbvh_self_collide( tree, &query, NULL, &result, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_self_collide( tree, NULL, NULL, &result, NULL ), DBVH_OK );
	assert_int_equal( result.verdict, DBVH_DISJOINT );
	bool meet;
	const double a[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, odd[9] = { 0, 0, 0, NAN, 0, 0, 0, 1, 0 };
	assert_int_equal(
	    dbvh_triangles_self_intersect( (const dbvh_triangle *)a, (const dbvh_triangle *)odd, &meet, NULL ),
	    DBVH_NOT_FINITE );
	assert_int_equal(
	    dbvh_triangles_self_intersect( (const dbvh_triangle *)odd, (const dbvh_triangle *)a, &meet, NULL ),
	    DBVH_NOT_FINITE );
	assert_int_equal( dbvh_triangles_self_intersect( NULL, (const dbvh_triangle *)a, &meet, NULL ),
	                  DBVH_INVALID_ARGUMENT );

	// Nothing is allocated once the workspace has been reserved, and a workspace that cannot grow says so.
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( &allocator, &workspace, NULL ), DBVH_OK );
	assert_int_equal( dbvh_workspace_reserve_threads( workspace, tree, tree, 10, 2, NULL ), DBVH_OK );
	const size_t calls = books.calls;
	dbvh_pair pairs[10];
	query = ( dbvh_collide_query ){ .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 10, .thread_count = 2 };
	assert_int_equal( dbvh_self_collide( tree, &query, workspace, &result, NULL ), DBVH_OK );
	query.policy = DBVH_POLICY_DUAL;
	assert_int_equal( dbvh_self_collide( tree, &query, workspace, &result, NULL ), DBVH_OK );
	assert_int_equal( books.calls, calls );
	dbvh_workspace_destroy( workspace );
	assert_int_equal( books.live, 0 );
	assert_int_equal( books.mistakes, 0 );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( defined_cases ), cmocka_unit_test( random_pairs ), cmocka_unit_test( random_meshes ),
	    cmocka_unit_test( large_meshes ),  cmocka_unit_test( every_kernel ), cmocka_unit_test( real_meshes ),
	    cmocka_unit_test( budgets ),       cmocka_unit_test( arguments ),
	};
	return test_main( argc, argv, tests );
}
