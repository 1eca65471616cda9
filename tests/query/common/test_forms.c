// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees of different forms, and questions that floats do not reach: a mesh of packed form against one that is too large
// or too small for it, poses and rays from far away. What searches in doubles find on packed volumes is held against
// the reference trees; and who asks for a reference tree that is not there is refused. DUALBVH_TEST_SCALE multiplies
// random rounds.

#include "support/clearance.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

enum { ROOM = 4096 };

typedef struct forms {
	shape a, b;
	dbvh_tree *alone[2], *with[2]; // without and with their reference trees, where there is a choice
	dbvh_pose pose;
	double size, size_a; // sizes of the larger mesh, and of A
} forms;

static void add_some( shape *s, rng *r ) {
	switch ( rng_below( r, 3 ) ) {
	case 0:
		shape_add_torus( s, 1.0, 0.3, 8 + (uint32_t)rng_below( r, 20 ), 6 );
		break;
	case 1:
		shape_add_box( s, 1.0, 0.5, 0.25, 1 + (uint32_t)rng_below( r, 4 ) );
		break;
	default:
		add_soup( s, r, 1 + rng_below( r, 60 ), 0.6, 0.3, false );
	}
}

static void scale( shape *s, int exponent ) {
	for ( size_t i = 0; i < 3 * s->vertex_count; ++i )
		s->positions[i] = ldexp( s->positions[i], exponent );
}

// What no float holds, A and B alike or by a factor apart.
static const int far_exponents[] = { -1060, -1000, -400, -130, -60, 45, 60, 150, 400, 900 };

// B far smaller or larger, with a corner of the smaller one at a corner of the other, or near; or far away; or both of
// a size that floats do not hold.
static forms make( rng *r, int kind ) {
	static const int exponents[] = { -60, -45, 60, 90 };
	forms f = { .size = 1.0, .size_a = 1.0, .pose = random_pose( r, 1.0 ) };
	add_some( &f.a, r );
	add_some( &f.b, r );
	if ( kind == 3 ) {
		const int exponent = far_exponents[rng_below( r, sizeof far_exponents / sizeof *far_exponents )];
		const int beside = rng_below( r, 3 ) == 0 ? (int)rng_below( r, 9 ) - 4 : 0;
		scale( &f.a, exponent );
		scale( &f.b, exponent + beside );
		f.size_a = ldexp( 1.0, exponent );
		f.size = ldexp( 1.0, exponent + ( beside > 0 ? beside : 0 ) );
		for ( int k = 0; k < 3; ++k )
			f.pose.pos[k] = ldexp( f.pose.pos[k] * rng_range( r, 0.0, 2.5 ), exponent );
	}
	if ( kind == 0 ) {
		const int exponent = exponents[rng_below( r, 4 )];
		scale( &f.b, exponent );
		f.size = fmax( 1.0, ldexp( 1.0, exponent ) );
		const double *p = f.a.positions + 3 * rng_below( r, f.a.vertex_count );
		const double *q = f.b.positions + 3 * rng_below( r, f.b.vertex_count );
		const double off = rng_below( r, 2 ) == 0 ? 0.0 : 0.1 * fmin( 1.0, ldexp( 1.0, exponent ) );
		for ( int i = 0; i < 3; ++i ) {
			f.pose.pos[i] = p[i] + ( i == 0 ? off : 0.0 );
			for ( int j = 0; j < 3; ++j )
				f.pose.pos[i] -= f.pose.rot[i][j] * q[j];
		}
	} else if ( kind == 1 ) {
		double way[3];
		random_direction( r, way );
		for ( int k = 0; k < 3; ++k )
			f.pose.pos[k] = ldexp( way[k], 59 + (int)rng_below( r, 20 ) );
	}
	f.alone[0] = tree_of( &f.a, NULL );
	f.alone[1] = tree_of( &f.b, NULL );
	f.with[0] = tree_of( &f.a, &keeps_reference );
	f.with[1] = tree_of( &f.b, &keeps_reference );
	return f;
}

static void end( forms *f ) {
	for ( int i = 0; i < 2; ++i ) {
		dbvh_tree_destroy( f->alone[i] );
		dbvh_tree_destroy( f->with[i] );
	}
	shape_free( &f->a );
	shape_free( &f->b );
}

static bool compare_pairs_of( const forms *f, double reach, bool swapped ) {
	static dbvh_pair pairs[2][ROOM];
	dbvh_collide_result results[2];
	for ( int k = 0; k < 2; ++k ) {
		dbvh_tree *const *t = k == 0 ? f->alone : f->with;
		const dbvh_collide_query q = { .find = DBVH_FIND_ALL,
		                               .policy = k == 0 ? DBVH_POLICY_DEFAULT : DBVH_POLICY_DUAL,
		                               .pairs = pairs[k],
		                               .pair_capacity = ROOM };
		const dbvh_pose *pose_a = swapped ? &f->pose : NULL, *pose_b = swapped ? NULL : &f->pose;
		assert_int_equal(
		    check_clearance( t[swapped], pose_a, t[!swapped], pose_b, reach, &q, NULL, &results[k], NULL ), DBVH_OK );
	}
	assert_int_equal( results[0].verdict, results[1].verdict );
	assert_true( results[0].pair_count == results[1].pair_count );
	assert_memory_equal( pairs[0], pairs[1], results[0].pair_written * sizeof pairs[0][0] );
	return results[0].verdict == DBVH_INTERSECTING;
}

static double compare_distances( const forms *f ) {
	const dbvh_distance_query dual = { .policy = DBVH_POLICY_DUAL };
	dbvh_distance_result x, y;
	assert_int_equal( dbvh_distance( f->alone[0], NULL, f->alone[1], &f->pose, NULL, NULL, &x, NULL ), DBVH_OK );
	assert_int_equal( dbvh_distance( f->with[0], NULL, f->with[1], &f->pose, &dual, NULL, &y, NULL ), DBVH_OK );
	assert_true( x.found && x.distance == y.distance );
	assert_true( x.distance == 0.0 || ( x.pair.a == y.pair.a && x.pair.b == y.pair.b ) );
	return x.distance;
}

static size_t compare_rays( const forms *f, rng *r ) {
	size_t hits = 0;
	for ( int i = 0; i < 4; ++i ) {
		dbvh_ray ray;
		double way[3];
		random_direction( r, way );
		const double far = f->size_a * ldexp( 1.0, (int)rng_below( r, f->size_a == 1.0 ? 200 : 80 ) );
		const double *target = f->a.positions + 3 * rng_below( r, f->a.vertex_count );
		for ( int k = 0; k < 3; ++k ) {
			ray.from[k] = 0.9 * target[k] - far * way[k];
			ray.direction[k] = way[k];
		}
		dbvh_raycast_result x, y;
		dbvh_closest_point_result p, q;
		const dbvh_raycast_query nearest = { .find = DBVH_FIND_CLOSEST };
		assert_int_equal( dbvh_raycast( f->alone[0], NULL, &ray, &nearest, NULL, &x, NULL ), DBVH_OK );
		assert_int_equal( dbvh_raycast( f->with[0], NULL, &ray, &nearest, NULL, &y, NULL ), DBVH_OK );
		assert_true( x.hit_count == y.hit_count && x.first.t == y.first.t && x.first.triangle == y.first.triangle );
		assert_int_equal( dbvh_closest_point( f->alone[0], NULL, ray.from, NULL, NULL, &p, NULL ), DBVH_OK );
		assert_int_equal( dbvh_closest_point( f->with[0], NULL, ray.from, NULL, NULL, &q, NULL ), DBVH_OK );
		assert_true( p.distance == q.distance );
		hits += x.hit_count > 0;
	}
	return hits;
}

// Compare B with itself, and B and a ball about one of its corners.
static void compare_alone( const forms *f, rng *r ) {
	static dbvh_pair pairs[2][ROOM];
	static uint32_t triangles[2][ROOM];
	const double *corner = f->b.positions + 3 * rng_below( r, f->b.vertex_count );
	dbvh_collide_result met[2];
	dbvh_collide_shape_result in[2];
	dbvh_shape ball = { .kind = DBVH_SHAPE_KIND_SPHERE };
	for ( int k = 0; k < 3; ++k )
		ball.as.sphere.centre[k] = corner[k] + ( k == 0 ? 0.1 * f->size : 0.0 );
	ball.as.sphere.radius = 0.3 * f->size;
	for ( int k = 0; k < 2; ++k ) {
		const dbvh_tree *t = k == 0 ? f->alone[1] : f->with[1];
		const dbvh_collide_query q = { .find = DBVH_FIND_ALL,
		                               .policy = k == 0 ? DBVH_POLICY_DEFAULT : DBVH_POLICY_DUAL,
		                               .pairs = pairs[k],
		                               .pair_capacity = ROOM };
		const dbvh_collide_shape_query s = {
		    .find = DBVH_FIND_ALL, .triangles = triangles[k], .triangle_capacity = ROOM };
		assert_int_equal( dbvh_self_collide( t, &q, NULL, &met[k], NULL ), DBVH_OK );
		assert_int_equal( dbvh_collide_shape( t, NULL, &ball, &s, NULL, &in[k], NULL ), DBVH_OK );
	}
	assert_true( met[0].pair_count == met[1].pair_count && in[0].triangle_count == in[1].triangle_count );
	assert_memory_equal( pairs[0], pairs[1], met[0].pair_written * sizeof pairs[0][0] );
	assert_memory_equal( triangles[0], triangles[1], in[0].triangle_written * sizeof triangles[0][0] );
}

// Compare motions through A, or past it.
static dbvh_toi_verdict compare_motions( const forms *f, rng *r ) {
	double way[3], shift[3];
	dbvh_pose from = f->pose;
	random_direction( r, way );
	const double far = 3.0 * f->size * ( rng_below( r, 2 ) == 0 ? 1.0 : 0x1p60 ); // at most 2^966
	for ( int k = 0; k < 3; ++k ) {
		from.pos[k] -= far * way[k];
		shift[k] = 2.0 * far * way[k];
	}
	dbvh_motion motion = dbvh_motion_translation( &from, shift );
	memcpy( motion.centre, from.pos, sizeof from.pos );
	random_direction( r, motion.axis );
	motion.angle = rng_below( r, 2 ) == 0 ? 0.0 : 2.0;
	const dbvh_toi_query dual = { .policy = DBVH_POLICY_DUAL };
	dbvh_toi_result x, y;
	assert_int_equal( dbvh_time_of_impact( f->alone[0], NULL, f->alone[1], &motion, NULL, NULL, &x, NULL ), DBVH_OK );
	assert_int_equal( dbvh_time_of_impact( f->with[0], NULL, f->with[1], &motion, &dual, NULL, &y, NULL ), DBVH_OK );
	const bool close = x.verdict == DBVH_TOI_VERDICT_CLOSE || y.verdict == DBVH_TOI_VERDICT_CLOSE;
	assert_true( close || x.verdict == y.verdict );
	assert_true( x.time <= y.upper && y.time <= x.upper );
	return x.verdict;
}

static void same_answers( void **state ) {
	(void)state;
	rng r = rng_announce( "forms", 20261126 );
	size_t meet = 0, apart = 0, hits = 0, misses = 0, verdicts[4] = { 0 };
	for ( size_t i = 0; i < rounds( 100 ) + 4; ++i ) {
		forms f = make( &r, (int)( i % 4 ) );
		const double distance = compare_distances( &f );
		for ( int swapped = 0; swapped < 2; ++swapped ) {
			const bool found = compare_pairs_of( &f, 0.0, swapped );
			assert_int_equal( found, distance == 0.0 );
			meet += found;
			apart += !found;
			compare_pairs_of( &f, distance * rng_range( &r, 0.9, 1.1 ), swapped );
			compare_pairs_of( &f, distance, swapped );
		}
		const size_t seen = compare_rays( &f, &r );
		hits += seen;
		misses += 4 - seen;
		compare_alone( &f, &r );
		if ( i % 4 != 1 )
			verdicts[compare_motions( &f, &r )] += 1;
		end( &f );
	}
	printf( "forms: %zu meet, %zu do not; %zu rays hit, %zu miss; %zu motions clear, %zu in contact, %zu close\n", meet,
	        apart, hits, misses, verdicts[0], verdicts[1], verdicts[2] );
	assert_outcomes( meet > 0 && apart > 0 && hits > 0 && misses > 0 && verdicts[0] > 0 && verdicts[1] > 0 );
}

// Meshes that no float holds in their own unit are packed all the same: against the truth about their triangles,
// through a file, and at no more memory than others.
static void scaled( void **state ) {
	(void)state;
	rng r = rng_announce( "scaled", 20261128 );
	tally t = { 0 };
	size_t bytes = 0;
	for ( size_t i = 0; i < rounds( 60 ) + 20; ++i ) {
		forms f = make( &r, 3 );
		const dbvh_mesh_view a = shape_view( &f.a ), b = shape_view( &f.b );
		for ( int k = 0; k < 2; ++k ) {
			dbvh_tree *loaded;
			dbvh_error e;
			size_t size;
			const dbvh_tree_stats stats = dbvh_tree_get_stats( f.alone[k] );
			if ( dbvh_tree_validate( f.alone[k], &e ) != DBVH_OK )
				fail_msg( "2^%d: %s", ilogb( f.size ), e.text );
			assert_true( stats.packed_bytes > 0 && !has_form( f.alone[k], f.alone[k], DBVH_POLICY_DUAL ) );
			assert_int_equal( dbvh_tree_write( f.alone[k], NULL, 0, &size, NULL ), DBVH_OK );
			void *const file = malloc( size );
			assert_non_null( file );
			assert_int_equal( dbvh_tree_write( f.alone[k], file, size, &size, NULL ), DBVH_OK );
			const dbvh_tree_load_options whole = { .check = DBVH_FILE_CHECK_WHOLE };
			if ( dbvh_tree_parse( file, size, &whole, NULL, &loaded, &e ) != DBVH_OK )
				fail_msg( "2^%d: %s", ilogb( f.size ), e.text );
			free( file );
			dbvh_tree_destroy( f.alone[k] );
			f.alone[k] = loaded;
			bytes = stats.triangle_count > 100 && stats.bytes / stats.triangle_count > bytes
			            ? stats.bytes / stats.triangle_count
			            : bytes;
		}
		compare_query( &t, "scaled", f.alone[0], &a, NULL, f.alone[1], &b, &f.pose, NULL );
		end( &f );
	}
	print_tally( "scaled", &t );
	printf( "scaled: %zu bytes a triangle at most\n", bytes );
	assert_int_equal( t.differences, 0 );
	assert_true( t.meeting > 0 && t.meeting < t.scenes && bytes < 160 );
}

static void expect_refusal( dbvh_status status, const dbvh_error *error, const char *tree ) {
	assert_int_equal( status, DBVH_INVALID_ARGUMENT );
	assert_int_equal( error->status, DBVH_INVALID_ARGUMENT );
	assert_non_null( strstr( error->text, tree ) );
	assert_non_null( strstr( error->text, "dbvh_tree_options.reference" ) );
}

// Every call that has a policy, and each of the trees in turn.
static void refusals( void **state ) {
	(void)state;
	rng r = rng_announce( "refusals", 20261127 );
	forms f = make( &r, 2 );
	dbvh_scene *scene;
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	for ( int i = 0; i < 2; ++i ) {
		uint32_t body;
		assert_int_equal( dbvh_scene_add_body( scene, i == 0 ? f.with[0] : f.alone[1], NULL, NULL, &body, NULL ),
		                  DBVH_OK );
	}
	for ( int policy = DBVH_POLICY_DEFAULT; policy <= DBVH_POLICY_PACKED_MIXED; ++policy ) {
		for ( int which = 0; which < 2; ++which ) {
			const dbvh_tree *a = which == 0 ? f.alone[0] : f.with[0], *b = which == 1 ? f.alone[1] : f.with[1];
			const char *name = which == 0 ? "tree a" : "tree b";
			const bool fits = has_form( a, b, policy );
			dbvh_error e;
			const dbvh_collide_query collide = { .policy = (dbvh_policy)policy };
			const dbvh_clearance_query clearance = { .policy = (dbvh_policy)policy };
			const dbvh_distance_query distance = { .policy = (dbvh_policy)policy };
			const dbvh_toi_query toi = { .policy = (dbvh_policy)policy };
			const dbvh_scene_query whole = { .policy = (dbvh_policy)policy };
			dbvh_collide_result met;
			dbvh_clearance_result near;
			dbvh_distance_result apart;
			dbvh_toi_result first;
			dbvh_scene_result all;
			dbvh_cache cache = dbvh_cache_default();
			const dbvh_motion motion = dbvh_motion_translation( NULL, NULL );
			assert_int_equal( fits, policy == DBVH_POLICY_DEFAULT || policy == DBVH_POLICY_PACKED ||
			                            policy == DBVH_POLICY_PACKED_MIXED );
#define ASK( call, of )                                                                                                \
	do {                                                                                                               \
		const dbvh_status status = call;                                                                               \
		if ( fits )                                                                                                    \
			assert_int_equal( status, DBVH_OK );                                                                       \
		else                                                                                                           \
			expect_refusal( status, &e, of );                                                                          \
	} while ( 0 )
			ASK( dbvh_collide( a, NULL, b, &f.pose, &collide, NULL, &met, &e ), name );
			ASK( dbvh_collide_cached( a, NULL, b, &f.pose, &collide, &cache, NULL, &met, &e ), name );
			ASK( dbvh_collide_batch( a, NULL, b, &f.pose, 1, &collide, NULL, &met, &e ), name );
			ASK( dbvh_check_clearance( a, NULL, b, &f.pose, &clearance, NULL, &near, &e ), name );
			ASK( dbvh_check_clearance_batch( a, NULL, b, &f.pose, 1, &clearance, NULL, &near, &e ), name );
			ASK( dbvh_distance( a, NULL, b, &f.pose, &distance, NULL, &apart, &e ), name );
			ASK( dbvh_distance_batch( a, NULL, b, &f.pose, 1, &distance, NULL, &apart, &e ), name );
			ASK( dbvh_time_of_impact( a, NULL, b, &motion, &toi, NULL, &first, &e ), name );
			ASK( dbvh_time_of_impact_batch( a, NULL, b, &motion, 1, &toi, NULL, &first, &e ), name );
			ASK( dbvh_self_collide( which == 0 ? a : b, &collide, NULL, &met, &e ), "tree" );
			ASK( dbvh_scene_collide( scene, &whole, NULL, 0, &all, &e ), "body" );
#undef ASK
		}
	}
	dbvh_scene_destroy( scene );
	end( &f );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( same_answers ),
	    cmocka_unit_test( scaled ),
	    cmocka_unit_test( refusals ),
	};
	return test_main( argc, argv, tests );
}
