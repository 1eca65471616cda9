// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees with ellipsoids: their test against points that both have, and queries with every policy, kernel and number of
// threads against each other, near contact and at it. DUALBVH_TEST_SCALE multiplies the rounds.

#include "bvh/ellipsoid_test.h"
#include "bvh/tree.h"
#include "dualbvh/distance.h"
#include "dualbvh/isa.h"
#include "support/clearance.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

static const uint64_t seed_default = 6;

// ------------------------------------------------------------------------------------------------
// The test of two

// Half lengths down to a millionth of each other, and a scale of 2^-38 to 2^38.
static dbvhi_reach random_reach( rng *r, double scale, dbvhi_mat *from_ball ) {
	const dbvh_pose turn = random_pose( r, 1.0 );
	dbvhi_reach e = { .longest = 0.0 };
	for ( int k = 0; k < 3; ++k ) {
		const double half = scale * exp2( -20.0 * rng_unit( r ) * (double)rng_below( r, 2 ) );
		for ( int c = 0; c < 3; ++c )
			from_ball->m[c][k] = turn.rot[c][k] * half;
		e.centre.v[k] = scale * rng_range( r, -1.0, 1.0 );
		e.longest = fmax( e.longest, half * ( 1.0 + 0x1p-50 ) );
	}
	const dbvhi_mat *f = from_ball;
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3;
		e.shape[i] = f->m[i][0] * f->m[i][0] + f->m[i][1] * f->m[i][1] + f->m[i][2] * f->m[i][2];
		e.shape[3 + i] = f->m[i][0] * f->m[j][0] + f->m[i][1] * f->m[j][1] + f->m[i][2] * f->m[j][2];
	}
	return e;
}

// The support point of the ellipsoid in a direction.
static dbvhi_vec support( const dbvhi_reach *e, const dbvhi_mat *from_ball, dbvhi_vec n ) {
	const dbvhi_vec x = dbvhi_mat_apply_transposed( from_ball, n );
	return dbvhi_add( e->centre, dbvhi_mat_apply( from_ball, dbvhi_scale( 1.0 / dbvhi_length( x ), x ) ) );
}

// Two ellipsoids with one common point and a plane between them are never disjoint. Half of them are alike and not
// turned, where that plane is found at once. Moved apart by more than the length of both they are, and most are found
// disjoint.
static void ellipsoids_that_touch( void **state ) {
	(void)state;
	rng r = rng_announce( "mixed: touching", seed_default );
	size_t seen = 0, apart = 0, a_little = 0;
	const size_t count = rounds( 200000 );
	for ( size_t i = 0; i < count; ++i ) {
		const double scale = i % 4 == 0 ? exp2( rng_range( &r, -38.0, 38.0 ) ) : 1.0;
		dbvhi_mat ball_a, ball_b;
		const dbvhi_reach a = random_reach( &r, scale, &ball_a );
		dbvhi_reach b = random_reach( &r, scale, &ball_b );
		dbvh_pose pose = random_pose( &r, 1.0 );
		if ( i % 2 == 1 ) {
			pose = dbvh_pose_identity();
			b = a;
			ball_b = ball_a;
		}
		dbvhi_mat rot;
		memcpy( rot.m, pose.rot, sizeof rot.m );
		dbvhi_vec n;
		random_direction( &r, n.v );
		const dbvhi_vec on_a = support( &a, &ball_a, n );
		const dbvhi_vec on_b = support( &b, &ball_b, dbvhi_scale( -1.0, dbvhi_mat_apply_transposed( &rot, n ) ) );
		const dbvhi_vec pos = dbvhi_sub( on_a, dbvhi_mat_apply( &rot, on_b ) );
		const double margin = 0x1p-48 * scale;
		assert_false( dbvhi_ellipsoids_disjoint( &a, &b, &rot, pos, margin ) );
		// A little out along the normal; then so far along the way that no sphere round either reaches the other.
		const dbvhi_vec little = dbvhi_add( pos, dbvhi_scale( 1e-3 * ( a.longest + b.longest ), n ) );
		a_little += dbvhi_ellipsoids_disjoint( &a, &b, &rot, little, margin );
		// Move along the offset from centre to centre, until the enclosing spheres are disjoint.
		const dbvhi_vec way = dbvhi_sub( dbvhi_add( dbvhi_mat_apply( &rot, b.centre ), pos ), a.centre );
		const double length = dbvhi_length( way );
		if ( length < 1e-3 * scale )
			continue;
		const double more = 1.01 * ( a.longest + b.longest ) - length;
		const dbvhi_vec out = dbvhi_add( pos, dbvhi_scale( more / length, way ) );
		seen += 1;
		apart += dbvhi_ellipsoids_disjoint( &a, &b, &rot, out, margin );
	}
	printf(
	    "mixed: %zu pairs touch; %zu of them are seen to be apart when pulled so by a thousandth, and %zu of %zu when "
	    "by their length\n",
	    count, a_little, apart, seen );
	assert_outcomes( apart > seen * 9 / 10 && a_little > count / 2 );
}

// The box of a node that a pose has sheared a little: its axes are no longer quite orthogonal.
static dbvhi_placed_box random_box( rng *r, double scale ) {
	const dbvh_pose turn = rng_below( r, 4 ) == 0 ? dbvh_pose_identity() : random_pose( r, 1.0 );
	dbvhi_placed_box box;
	for ( int k = 0; k < 3; ++k ) {
		box.half.v[k] = scale * exp2( -20.0 * rng_unit( r ) * (double)rng_below( r, 2 ) );
		box.centre.v[k] = scale * rng_range( r, -1.0, 1.0 );
		for ( int c = 0; c < 3; ++c )
			box.axes.m[c][k] = turn.rot[c][k] + 1e-6 * rng_range( r, -1.0, 1.0 );
	}
	return box;
}

// The point of the box that is farthest along a direction: a corner, or any point of the edge or face across it.
static dbvhi_vec end_of( const dbvhi_placed_box *box, dbvhi_vec n, rng *r ) {
	const dbvhi_vec along = dbvhi_mat_apply_transposed( &box->axes, n );
	dbvhi_vec t;
	for ( int k = 0; k < 3; ++k )
		t.v[k] =
		    along.v[k] == 0.0 ? rng_range( r, -1.0, 1.0 ) * box->half.v[k] : copysign( box->half.v[k], along.v[k] );
	return dbvhi_add( box->centre, dbvhi_mat_apply( &box->axes, t ) );
}

// A box and an ellipsoid with a common point and a plane between them are never disjoint, as two ellipsoids are not.
static void boxes_that_touch( void **state ) {
	(void)state;
	rng r = rng_announce( "mixed: touching boxes", seed_default + 3 );
	size_t apart = 0, a_little = 0, seen = 0;
	const size_t count = rounds( 200000 );
	for ( size_t i = 0; i < count; ++i ) {
		const double scale = i % 4 == 0 ? exp2( rng_range( &r, -38.0, 38.0 ) ) : 1.0;
		dbvhi_mat ball;
		dbvhi_reach e = random_reach( &r, scale, &ball );
		const dbvhi_placed_box box = random_box( &r, scale );
		dbvhi_vec n;
		random_direction( &r, n.v );
		if ( i % 3 == 0 ) { // along an axis of the box, so that a whole face may touch
			n = ( dbvhi_vec ){ { 0 } };
			n.v[rng_below( &r, 3 )] = 1.0;
		}
		const dbvhi_vec on_e = support( &e, &ball, n ), on_box = end_of( &box, dbvhi_scale( -1.0, n ), &r );
		const dbvhi_vec touching = dbvhi_add( e.centre, dbvhi_sub( on_box, on_e ) );
		const double margin = 0x1p-48 * scale;
		e.centre = touching;
		assert_false( dbvhi_ellipsoid_box_disjoint( &e, &box, margin ) );
		e.centre = dbvhi_add( touching, dbvhi_scale( -1e-3 * scale, n ) );
		a_little += dbvhi_ellipsoid_box_disjoint( &e, &box, margin );
		const double far = 1.01 * ( e.longest + box.half.v[0] + box.half.v[1] + box.half.v[2] );
		const dbvhi_vec way = dbvhi_sub( touching, box.centre );
		const double length = dbvhi_length( way );
		if ( length < 1e-3 * scale )
			continue;
		e.centre = dbvhi_add( box.centre, dbvhi_scale( far / length, way ) );
		seen += 1;
		apart += dbvhi_ellipsoid_box_disjoint( &e, &box, margin );
	}
	printf( "mixed: %zu ellipsoids touch a box; %zu of them are seen to be apart when pulled so by a thousandth, and "
	        "%zu of %zu when by their length\n",
	        count, a_little, apart, seen );
	assert_outcomes( apart > seen * 9 / 10 && a_little > count / 2 );
}

// The coordinates of a point along the axes of a box, in 64 bits: the columns are nearly orthogonal, so Cramer's rule.
static void place_in_box( const dbvhi_placed_box *box, dbvhi_vec x, long double t[3] ) {
	long double d[3], across[3][3];
	for ( int k = 0; k < 3; ++k )
		d[k] = (long double)x.v[k] - box->centre.v[k];
	for ( int k = 0; k < 3; ++k ) // cross product of columns k + 1 and k + 2
		for ( int i = 0; i < 3; ++i ) {
			const int j = ( i + 1 ) % 3, l = ( i + 2 ) % 3, a = ( k + 1 ) % 3, b = ( k + 2 ) % 3;
			across[k][i] =
			    (long double)box->axes.m[j][a] * box->axes.m[l][b] - (long double)box->axes.m[l][a] * box->axes.m[j][b];
		}
	for ( int k = 0; k < 3; ++k ) {
		long double volume = 0.0L;
		t[k] = 0.0L;
		for ( int i = 0; i < 3; ++i ) {
			volume += across[k][i] * box->axes.m[i][k];
			t[k] += across[k][i] * d[i];
		}
		t[k] /= volume;
	}
}

// An ellipsoid that is far smaller than what the offset is rounded by, in a box and next to its surface; or off by a
// margin that is larger than itself.
static void tiny_in_large_boxes( void **state ) {
	(void)state;
	rng r = rng_announce( "mixed: tiny ellipsoids", seed_default + 4 );
	size_t asked = 0;
	for ( size_t i = 0; i < rounds( 200000 ); ++i ) {
		const dbvhi_placed_box box = random_box( &r, 1.0 );
		dbvhi_vec inner;
		long double t[3];
		for ( int k = 0; k < 3; ++k )
			inner.v[k] = box.half.v[k] * ( rng_below( &r, 2 ) == 0 ? 1.0 : rng_range( &r, -1.0, 1.0 ) );
		const dbvhi_vec x = dbvhi_add( box.centre, dbvhi_mat_apply( &box.axes, inner ) );
		bool inside = true;
		place_in_box( &box, x, t );
		for ( int k = 0; k < 3; ++k )
			inside = inside && fabsl( t[k] ) <= box.half.v[k] - 0x1p-60L;
		if ( !inside )
			continue;
		dbvhi_mat ball;
		dbvhi_reach e = random_reach( &r, 0x1p-38, &ball );
		e.centre = x;
		assert_false( dbvhi_ellipsoid_box_disjoint( &e, &box, 0.0 ) );
		double way[3];
		random_direction( &r, way );
		const double margin = exp2( rng_range( &r, -40.0, -10.0 ) );
		for ( int k = 0; k < 3; ++k )
			e.centre.v[k] += way[k] * margin;
		assert_false( dbvhi_ellipsoid_box_disjoint( &e, &box, margin ) );
		asked += 1;
	}
	printf( "mixed: %zu tiny ellipsoids next to the surface of a box, within\n", asked );
	assert_true( asked > rounds( 200000 ) / 20 );
}

// ------------------------------------------------------------------------------------------------
// Queries

enum { BODIES = 7, TREES = 3 };

// A limb, pills, a disc, needles, a soup, a plate and a gear. Disc, needles and plate are flat or thin: ellipsoids
// without a half length, or nearly so.
static void make_body( shape *s, int kind, rng *r ) {
	const double centre[3] = { 0, 0, 0 }, limb[3] = { 1.0, 0.25, 0.2 }, pill[3] = { 0.4, 0.3, 0.2 };
	const double disc[3] = { 1.0, 0.9, 0x1p-30 };
	const uint32_t cells[3] = { 12, 6, 6 }, few[3] = { 4, 3, 3 };
	switch ( kind ) {
	case 0:
		shape_add_cushion( s, centre, limb, cells, 1.0 );
		break;
	case 1:
		for ( int i = 0; i < 6; ++i ) {
			const double at[3] = { 0.9 * ( i % 3 ), 0.7 * ( i / 3 ), 0.25 * ( i % 2 ) };
			shape_add_cushion( s, at, pill, few, 1.0 );
		}
		break;
	case 2:
		shape_add_cushion( s, centre, disc, cells, 1.0 );
		break;
	case 3: // corners on a line, points and duplicates, on a coarse grid
		add_soup( s, r, 120, 0.5, 1.0, true );
		break;
	case 4:
		add_soup( s, r, 200, 0.3, 0.2, false );
		break;
	case 5:
		add_grid( s, 10 );
		break;
	default: {
		const shape_gear gear = { 8, 0.25, 0.35, 0.4, 0.3, 0.0, 2 };
		shape_add_gear( s, &gear );
	}
	}
}

static dbvh_tree *must_build( const shape *s, dbvh_ellipsoids ellipsoids ) {
	const dbvh_mesh_view view = shape_view( s );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.ellipsoids = ellipsoids;
	options.reference = true;
	dbvh_tree *tree = NULL;
	dbvh_error error;
	if ( dbvh_tree_build( &view, &options, NULL, &tree, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	if ( dbvh_tree_validate( tree, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	return tree;
}

typedef struct body {
	shape s;
	dbvh_tree *tree[TREES]; // without, with chosen and with all
} body;

static body make_one( int kind, int exponent, rng *r ) {
	body out = { 0 };
	shape s = { 0 };
	make_body( &s, kind, r );
	out.s = scaled_copy( &s, exponent );
	shape_free( &s );
	for ( int k = 0; k < TREES; ++k )
		out.tree[k] = must_build( &out.s, (dbvh_ellipsoids)k );
	return out;
}

static void free_one( body *b ) {
	for ( int k = 0; k < TREES; ++k )
		dbvh_tree_destroy( b->tree[k] );
	shape_free( &b->s );
}

typedef struct books {
	size_t queries, meeting, asked, roots; // `roots`: packed queries that were over with the roots' ellipsoids
	size_t one_sided[2];                   // queries in which the ellipsoids of one tree met boxes; of packed forms
	dbvh_pair *truth, *room;
	size_t capacity;
} books;

// Trees with chosen ellipsoids and with all, all policies, both orders, first and all, one thread and four: what the
// tree without says with boxes alone.
static void compare_all( books *k, const body *a, const body *b, const dbvh_pose *pose, dbvh_workspace *workspace ) {
	dbvh_collide_query query = {
	    .find = DBVH_FIND_ALL, .policy = DBVH_POLICY_RAPID, .pairs = k->truth, .pair_capacity = k->capacity };
	dbvh_collide_result expected;
	assert_int_equal( dbvh_collide( a->tree[0], NULL, b->tree[0], pose, &query, workspace, &expected, NULL ), DBVH_OK );
	assert_true( expected.pair_count <= k->capacity );
	k->meeting += expected.verdict == DBVH_INTERSECTING;
	for ( int with = 1; with < TREES; ++with ) {
		for ( int policy = DBVH_POLICY_DEFAULT; policy <= DBVH_POLICY_PACKED_MIXED; ++policy ) {
			for ( int how = 0; how < 4; ++how ) { // first and all, on one thread and on four
				query = ( dbvh_collide_query ){ .find = how % 2 ? DBVH_FIND_ALL : DBVH_FIND_ANY,
				                                .policy = (dbvh_policy)policy,
				                                .pairs = how % 2 ? k->room : NULL,
				                                .pair_capacity = how % 2 ? k->capacity : 0,
				                                .thread_count = how < 2 ? 1 : 4 };
				dbvh_collide_result got;
				// Ellipsoids in both trees, or in one alone, which the mixed policies compare with the other's boxes.
				const dbvh_tree *tree_a = a->tree[how == 2 ? 0 : with], *tree_b = b->tree[with];
				assert_int_equal( dbvh_collide( tree_a, NULL, tree_b, pose, &query, workspace, &got, NULL ), DBVH_OK );
				k->queries += 1;
				assert_int_equal( got.verdict, expected.verdict );
				const bool mixed = policy == DBVH_POLICY_MIXED || policy == DBVH_POLICY_PACKED_MIXED;
				if ( how == 2 || policy == DBVH_POLICY_PACKED )
					assert_int_equal( got.counters.ellipsoid_pair_tests, 0 );
				if ( !mixed )
					assert_int_equal( got.counters.ellipsoid_box_tests, 0 );
				if ( mixed && how == 2 )
					k->one_sided[policy == DBVH_POLICY_PACKED_MIXED] += got.counters.ellipsoid_box_tests > 0;
				if ( policy == DBVH_POLICY_DEFAULT && how == 0 ) {
					k->asked += got.counters.ellipsoid_pair_tests > 0;
					k->roots += got.counters.ellipsoid_pair_tests == 1 && got.counters.sphere_tests <= 1;
				}
				if ( how % 2 == 1 ) {
					assert_int_equal( got.pair_count, expected.pair_count );
					assert_memory_equal( k->room, k->truth, got.pair_written * sizeof *k->room );
				}
			}
			// The other way round, with the inverse's roundings left out: B at the pose against A where it is.
			query = ( dbvh_collide_query ){ .policy = (dbvh_policy)policy };
			dbvh_collide_result back;
			assert_int_equal( dbvh_collide( b->tree[with], pose, a->tree[with], NULL, &query, workspace, &back, NULL ),
			                  DBVH_OK );
			assert_int_equal( back.verdict, expected.verdict );
		}
	}
}

// Distances and pairs within reach do not ask them.
static void compare_distances( const body *a, const body *b, const dbvh_pose *pose, dbvh_workspace *workspace ) {
	dbvh_distance_result without, with;
	assert_int_equal( dbvh_distance( a->tree[0], NULL, b->tree[0], pose, NULL, workspace, &without, NULL ), DBVH_OK );
	for ( int k = 1; k < TREES; ++k ) {
		assert_int_equal( dbvh_distance( a->tree[k], NULL, b->tree[k], pose, NULL, workspace, &with, NULL ), DBVH_OK );
		assert_true( with.distance == without.distance );
		assert_memory_equal( &with.pair, &without.pair, sizeof with.pair );
		// A clearance of exactly that distance; the reference traversals do ask the ellipsoids.
		for ( int policy = DBVH_POLICY_DEFAULT; policy <= DBVH_POLICY_PACKED_MIXED; ++policy ) {
			const dbvh_collide_query query = { .policy = (dbvh_policy)policy };
			dbvh_collide_result result;
			const double reach = nextafter( without.distance, INFINITY );
			assert_int_equal(
			    check_clearance( a->tree[k], NULL, b->tree[k], pose, reach, &query, workspace, &result, NULL ),
			    DBVH_OK );
			assert_int_equal( result.verdict, DBVH_INTERSECTING );
			if ( without.distance == 0.0 )
				continue;
			const double below = without.distance * ( 1.0 - 1e-9 );
			assert_int_equal(
			    check_clearance( a->tree[k], NULL, b->tree[k], pose, below, &query, workspace, &result, NULL ),
			    DBVH_OK );
			assert_int_equal( result.verdict, DBVH_DISJOINT );
		}
	}
}

// B comes in from afar until it nearly touches, and then into it; `exponent` scales both.
static void come_near( books *k, const body *a, const body *b, rng *r, int exponent, dbvh_workspace *workspace ) {
	const double unit = ldexp( 1.0, exponent );
	dbvh_pose pose = rng_below( r, 4 ) == 0 ? exact_pose( r, 0.0 ) : random_pose( r, 0.0 );
	double along[3];
	random_direction( r, along );
	if ( rng_below( r, 4 ) == 0 ) { // along an axis, in whole eighths
		memset( along, 0, sizeof along );
		along[rng_below( r, 3 )] = 1.0;
	}
	double reach = 8.0;
	for ( int step = 0; step < 60; ++step ) {
		for ( int i = 0; i < 3; ++i )
			pose.pos[i] = unit * reach * along[i];
		dbvh_distance_result far;
		const dbvh_distance_query query = { .relative_error = 1e-9 };
		assert_int_equal( dbvh_distance( a->tree[0], NULL, b->tree[0], &pose, &query, workspace, &far, NULL ),
		                  DBVH_OK );
		if ( far.distance < 1e-9 * unit || reach < 0.0 )
			break;
		reach -= far.distance / unit;
	}
	const double offsets[] = { 2.0, 0.25, 0.03, 1e-6, 0.0, -1e-6, -0.02, -0.3 };
	for ( size_t i = 0; i < sizeof offsets / sizeof offsets[0]; ++i ) {
		for ( int c = 0; c < 3; ++c )
			pose.pos[c] = unit * ( reach + offsets[i] ) * along[c];
		const dbvh_pose slanted = i % 3 == 2 ? sheared( r, pose, 1e-9 ) : pose;
		compare_all( k, a, b, &slanted, workspace );
		if ( i % 4 == 2 )
			compare_distances( a, b, &slanted, workspace );
	}
}

static void all_agree( const char *isa ) {
	rng r = rng_announce( isa, seed_default + 1 );
	books k = { .capacity = 1 << 16 };
	k.truth = calloc( k.capacity, sizeof *k.truth );
	k.room = calloc( k.capacity, sizeof *k.room );
	assert_true( k.truth != NULL && k.room != NULL );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	size_t carried = 0, chosen = 0;
	static const int exponents[] = { 0, 0, -34, 34, 200 }; // the last has no ellipsoids, and no packed form
	for ( size_t e = rounds( 10 ) < 4; e < sizeof exponents / sizeof exponents[0]; ++e ) {
		body bodies[BODIES];
		for ( int i = 0; i < BODIES; ++i ) {
			bodies[i] = make_one( i, exponents[e], &r );
			const dbvh_tree_stats some = dbvh_tree_get_stats( bodies[i].tree[1] );
			const dbvh_tree_stats all = dbvh_tree_get_stats( bodies[i].tree[2] );
			chosen += some.ellipsoid_packed;
			carried += all.ellipsoid_packed;
			assert_true( exponents[e] < 200 || ( all.ellipsoid_count == 0 && all.ellipsoid_packed == 0 ) );
			assert_true( exponents[e] == 200 || all.ellipsoid_packed > 0 || bodies[i].tree[2]->packed == NULL );
		}
		for ( size_t i = 0; i < rounds( 7 ); ++i ) {
			const body *a = &bodies[rng_below( &r, BODIES )], *b = &bodies[i % BODIES];
			come_near( &k, a, b, &r, exponents[e], workspace );
		}
		for ( int i = 0; i < BODIES; ++i )
			free_one( &bodies[i] );
	}
	printf( "mixed: %s: %zu queries, %zu poses meet; the packed form asked %zu times, and was over with the roots %zu "
	        "times; it carries %zu, chosen %zu\n",
	        isa, k.queries, k.meeting, k.asked, k.roots, carried, chosen );
	assert_outcomes( k.meeting > 0 && k.one_sided[0] > 0 && k.one_sided[1] > 0 && k.roots > 0 && k.asked > k.roots &&
	                 carried > chosen && chosen > 0 );
	dbvh_workspace_destroy( workspace );
	free( k.truth );
	free( k.room );
}

static void policies_agree( void **state ) {
	(void)state;
	static const char *const isas[] = { "avx512", "avx2", "neon", "baseline", "scalar" };
	size_t run = 0;
	for ( size_t i = 0; i < sizeof isas / sizeof isas[0]; ++i ) {
		if ( run >= 2 && is_short_run() )
			break; // each takes long under the sanitizers
		if ( dbvh_isa_select( isas[i], NULL ) != DBVH_OK )
			continue;
		all_agree( isas[i] );
		run += 1;
	}
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
	assert_true( run >= 2 );
}

// Two bodies that share exactly one point, the tips of two limbs: meeting, and with the next double apart.
static void tips_that_touch( void **state ) {
	(void)state;
	shape s = { 0 };
	const double centre[3] = { 0, 0, 0 }, limb[3] = { 1.0, 0.25, 0.2 };
	const uint32_t cells[3] = { 12, 6, 6 };
	shape_add_cushion( &s, centre, limb, cells, 1.0 );
	double tip = 0.0;
	for ( size_t i = 0; i < s.vertex_count; ++i )
		tip = fmax( tip, s.positions[3 * i] );
	for ( int with = 0; with < TREES; ++with ) {
		dbvh_tree *tree = must_build( &s, (dbvh_ellipsoids)with );
		for ( int policy = DBVH_POLICY_DEFAULT; policy <= DBVH_POLICY_PACKED_MIXED; ++policy ) {
			for ( int apart = 0; apart < 2; ++apart ) {
				dbvh_pose pose = dbvh_pose_identity();
				pose.pos[0] = apart ? nextafter( 2.0 * tip, INFINITY ) : 2.0 * tip;
				const dbvh_collide_query query = { .policy = (dbvh_policy)policy };
				dbvh_collide_result result;
				assert_int_equal( dbvh_collide( tree, NULL, tree, &pose, &query, NULL, &result, NULL ), DBVH_OK );
				assert_int_equal( result.verdict, apart ? DBVH_DISJOINT : DBVH_INTERSECTING );
			}
		}
		dbvh_tree_destroy( tree );
	}
	shape_free( &s );
}

// The tree, the packed form with its ellipsoids included, does not depend on the number of threads.
static void builds_agree( void **state ) {
	(void)state;
	shape s = { 0 };
	for ( int i = 0; i < 12; ++i ) {
		const double at[3] = { 0.9 * ( i % 3 ), 0.7 * ( i / 3 % 2 ), 0.8 * ( i / 6 ) }, pill[3] = { 0.4, 0.3, 0.2 };
		const uint32_t few[3] = { 8, 6, 6 };
		shape_add_cushion( &s, at, pill, few, 1.0 );
	}
	const dbvh_mesh_view view = shape_view( &s );
	for ( int with = 1; with < TREES; ++with ) {
		dbvh_tree *first = NULL;
		for ( uint32_t threads = 1; threads <= 4; ++threads ) {
			dbvh_tree_options options = dbvh_tree_options_default();
			options.ellipsoids = (dbvh_ellipsoids)with;
			options.thread_count = threads;
			dbvh_tree *tree = NULL;
			assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
			if ( first == NULL ) {
				first = tree;
				assert_true( first->packed->ellipsoid_count > 0 );
				continue;
			}
			assert_int_equal( tree->packed->bytes, first->packed->bytes );
			assert_memory_equal( tree->packed, first->packed, first->packed->bytes );
			assert_int_equal( tree->ellipsoid_count, first->ellipsoid_count );
			dbvh_tree_destroy( tree );
		}
		dbvh_tree_destroy( first );
	}
	shape_free( &s );
}

// Leaves that the packed form cannot hold.
static void large_leaves( void **state ) {
	(void)state;
	rng r = rng_announce( "mixed: large leaves", seed_default + 9 );
	shape s = { 0 };
	add_soup( &s, &r, 300, 0.2, 0.1, false );
	const dbvh_mesh_view view = shape_view( &s );
	for ( uint32_t leaf_size = 4; leaf_size <= 64; leaf_size *= 2 ) {
		for ( int with = DBVH_ELLIPSOIDS_MIXED; with <= DBVH_ELLIPSOIDS_ALL; ++with ) {
			dbvh_tree_options options = dbvh_tree_options_default();
			options.ellipsoids = (dbvh_ellipsoids)with;
			options.leaf_size = leaf_size;
			dbvh_tree *tree = NULL;
			assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
			assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_OK );
			assert_true( with != DBVH_ELLIPSOIDS_ALL || tree->ellipsoid_count > 0 );
			dbvh_tree_destroy( tree );
		}
	}
	shape_free( &s );
}

// Every allocation of a build fails once.
static void no_memory( void **state ) {
	(void)state;
	shape s = { 0 };
	const double centre[3] = { 0, 0, 0 }, limb[3] = { 1.0, 0.25, 0.2 };
	const uint32_t cells[3] = { 8, 4, 4 };
	shape_add_cushion( &s, centre, limb, cells, 1.0 );
	const dbvh_mesh_view view = shape_view( &s );
	for ( int with = 1; with < TREES; ++with ) {
		dbvh_tree_options options = dbvh_tree_options_default();
		options.ellipsoids = (dbvh_ellipsoids)with;
		options.thread_count = 1;
		dbvh_status status = DBVH_OUT_OF_MEMORY;
		size_t calls = 0;
		for ( size_t fail_at = 1; status != DBVH_OK; ++fail_at ) {
			ledger kept = { .fail_at = fail_at };
			const dbvh_allocator allocator = ledger_allocator( &kept );
			dbvh_tree *tree = NULL;
			status = dbvh_tree_build( &view, &options, &allocator, &tree, NULL );
			assert_int_equal( status, status == DBVH_OK ? DBVH_OK : DBVH_OUT_OF_MEMORY );
			assert_true( ( tree != NULL ) == ( status == DBVH_OK ) );
			dbvh_tree_destroy( tree );
			assert_int_equal( kept.live, 0 );
			assert_int_equal( kept.mistakes, 0 );
			calls = kept.calls;
		}
		printf( "mixed: a build takes %zu allocations\n", calls );
		assert_true( calls > 20 );
	}
	shape_free( &s );
}

// ------------------------------------------------------------------------------------------------
// Validation

static void break_packed_ellipsoids( dbvh_tree *tree ) {
	uint8_t *const marks = (uint8_t *)tree->packed + tree->packed->mark_offset;
	dbvhi_packed_ellipsoid *const ellipsoids =
	    (dbvhi_packed_ellipsoid *)( (char *)tree->packed + tree->packed->ellipsoid_offset );
	assert_int_equal( tree->packed->ellipsoid_count, tree->packed->node_count ); // few enough that all have one
	for ( uint32_t i = 0; i < tree->packed->node_count; ++i ) {
		const uint8_t mark = marks[i];
		for ( unsigned wrong = 0; wrong <= UINT8_MAX; ++wrong ) {
			marks[i] = (uint8_t)wrong;
			assert_int_equal( dbvh_tree_validate( tree, NULL ), wrong == mark ? DBVH_OK : DBVH_INVARIANT );
		}
		marks[i] = mark;
	}
	for ( uint32_t i = 0; i < tree->packed->ellipsoid_count; ++i ) {
		dbvhi_packed_ellipsoid *const e = &ellipsoids[i];
		const dbvhi_packed_ellipsoid whole = *e;
		for ( int k = 0; k < 9; ++k )
			( &e->to_ball.m[0][0] )[k] *= 1.01;
		for ( int k = 0; k < 6; ++k )
			e->reach.shape[k] /= 1.01 * 1.01;
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_INVARIANT );
		*e = whole;
		e->reach.centre.v[i % 3] += 0.01 * e->reach.longest;
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_INVARIANT );
		*e = whole;
		e->reach.shape[i % 6] -= 0.01 * e->reach.longest * e->reach.longest;
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_INVARIANT );
		*e = whole;
		e->reach.longest *= 0.5;
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_INVARIANT );
		*e = whole;
	}
	tree->packed->ellipsoid_count -= 1;
	assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_INVARIANT );
	tree->packed->ellipsoid_count += 1;
}

// Ellipsoids that are a little too small, wrongly counted, or said to be chosen where they are not.
static void broken_ellipsoids_are_found( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_torus( &s, 3.0, 1.0, 9, 7 );
	const dbvh_mesh_view view = shape_view( &s );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.ellipsoids = DBVH_ELLIPSOIDS_ALL;
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_OK );
	assert_int_equal( tree->ellipsoid_count, tree->node_count );
	for ( size_t i = 0; i < tree->ellipsoid_count; ++i ) {
		dbvhi_node_ellipsoid *e = &tree->ellipsoids[i];
		const dbvhi_node_ellipsoid whole = *e;
		for ( int k = 0; k < 9; ++k )
			( &e->to_ball.m[0][0] )[k] *= 1.01;
		for ( int k = 0; k < 6; ++k )
			e->reach.shape[k] /= 1.01 * 1.01;
		e->inverse_shortest *= 1.01;
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_INVARIANT );
		*e = whole;
		e->chosen = !e->chosen;
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_INVARIANT );
		*e = whole;
		e->reach.longest *= 0.5;
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_INVARIANT );
		*e = whole;
		e->reach.shape[i % 6] += 0.01 * e->reach.longest * e->reach.longest;
		assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_INVARIANT );
		*e = whole;
	}
	assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_OK );
	break_packed_ellipsoids( tree );
	assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_OK );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( ellipsoids_that_touch ),
	    cmocka_unit_test( boxes_that_touch ),
	    cmocka_unit_test( tiny_in_large_boxes ),
	    cmocka_unit_test( policies_agree ),
	    cmocka_unit_test( tips_that_touch ),
	    cmocka_unit_test( builds_agree ),
	    cmocka_unit_test( large_leaves ),
	    cmocka_unit_test( no_memory ),
	    cmocka_unit_test( broken_ellipsoids_are_found ),
	};
	return test_main( argc, argv, tests );
}
