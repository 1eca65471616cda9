// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Batches of poses that share traversals (src/query/collide/packets.c) give the verdicts of dbvh_collide(), on every
// instruction set, and the same results for any number of threads and in any rounding mode.

#include "bvh/tree.h"
#include "dualbvh/isa.h"
#include "simd/isa.h"
#include "support/scene.h"
#include "support/unit.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

// So many poses that they are answered in blocks of the larger size (src/query/common/batch.c); others are of the
// smaller.
enum { MOST_POSES = 1024, POSES = 400, FEW_POSES = 256 };

static dbvh_collide_result results[MOST_POSES], others[MOST_POSES];
static bool truth[MOST_POSES];

typedef struct packet_tally {
	size_t poses, meeting;
} packet_tally;

static bool pair_meets( const shape *a, const shape *b, const dbvh_pose *pose_b, dbvh_pair pair ) {
	dbvh_triangle of_a, of_b;
	for ( size_t corner = 0; corner < 3; ++corner ) {
		memcpy( (double *)&of_a + 3 * corner, a->positions + 3 * (size_t)a->indices[3 * pair.a + corner],
		        3 * sizeof( double ) );
		memcpy( (double *)&of_b + 3 * corner, b->positions + 3 * (size_t)b->indices[3 * pair.b + corner],
		        3 * sizeof( double ) );
	}
	bool meet = false;
	assert_int_equal( dbvh_triangles_intersect( &of_a, &of_b, pose_b, &meet, NULL ), DBVH_OK );
	return meet;
}

static bool never( void *user ) {
	(void)user;
	return false;
}

// Ask about all poses on every instruction set, alone and together.
static void check( packet_tally *sum, const shape *a, const shape *b, const dbvh_pose *pose_a, const dbvh_pose *poses,
                   size_t count ) {
	assert_true( count <= MOST_POSES );
	static const dbvh_tree_options plain = { .box_fit = DBVH_BOX_FIT_BEST };
	dbvh_tree *const tree_a = tree_of( a, &plain ), *const tree_b = tree_of( b, &plain );
	assert_true( tree_a->packed->leaf_count >= 2048 && tree_b->packed->leaf_count >= 2048 ); // or there are no packets
	size_t isa_count;
	const dbvhi_isa *const isas = dbvhi_isa_available( &isa_count );
	for ( size_t i = 0; i < count; ++i ) {
		dbvh_collide_result one;
		assert_int_equal( dbvh_collide( tree_a, pose_a, tree_b, &poses[i], NULL, NULL, &one, NULL ), DBVH_OK );
		truth[i] = one.verdict == DBVH_INTERSECTING;
		sum->meeting += truth[i];
	}
	sum->poses += count;
	for ( size_t isa = 0; isa < isa_count; ++isa ) {
		if ( isas[isa].rank < DBVHI_ISA_AVX2 && isa > 0 )
			continue; // has no packets
		assert_int_equal( dbvh_isa_select( isas[isa].name, NULL ), DBVH_OK );
		for ( uint32_t threads = 1; threads <= 3; threads += 2 ) {
			const dbvh_batch_options options = { .thread_count = threads, .grain = threads == 1 ? 0 : 7 };
			dbvh_collide_result *const mine = threads == 1 ? results : others;
			memset( mine, 0x55, count * sizeof *mine );
			fesetround( threads == 1 ? FE_TONEAREST : FE_UPWARD );
			const dbvh_status status =
			    dbvh_collide_batch( tree_a, pose_a, tree_b, poses, count, NULL, &options, mine, NULL );
			fesetround( FE_TONEAREST );
			assert_int_equal( status, DBVH_OK );
		}
		assert_memory_equal( results, others, count * sizeof *results );
		// Long searches begin anew where the caller may cancel.
		const dbvh_budget budget = { .is_cancelled = never };
		const dbvh_collide_query watched = { .budget = &budget };
		assert_int_equal( dbvh_collide_batch( tree_a, pose_a, tree_b, poses, count, &watched, NULL, others, NULL ),
		                  DBVH_OK );
		for ( size_t i = 0; i < count; ++i )
			assert_int_equal( others[i].verdict, results[i].verdict );
		for ( size_t i = 0; i < count; ++i ) {
			if ( ( results[i].verdict == DBVH_INTERSECTING ) != truth[i] )
				fail_msg( "%s, pose %zu: alone the meshes %s", isas[isa].name, i, truth[i] ? "meet" : "are apart" );
			assert_int_equal( results[i].status, DBVH_OK );
			assert_int_equal( results[i].pair_count, truth[i] );
			// note: the exact predicate takes one pose.
			if ( truth[i] && pose_a == NULL )
				assert_true( pair_meets( a, b, &poses[i], results[i].first ) );
		}
	}
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
	dbvh_tree_destroy( tree_a );
	dbvh_tree_destroy( tree_b );
}

static void turn_shape( shape *s, const dbvh_pose *pose, double scale ) {
	for ( size_t i = 0; i < s->vertex_count; ++i ) {
		double *const p = s->positions + 3 * i, out[3];
		for ( int row = 0; row < 3; ++row )
			out[row] = scale * ( pose->rot[row][0] * p[0] + pose->rot[row][1] * p[1] + pose->rot[row][2] * p[2] +
			                     pose->pos[row] );
		memcpy( p, out, sizeof out );
	}
}

// One pose after another, rounded.
static dbvh_pose after( const dbvh_pose *outer, const dbvh_pose *inner ) {
	dbvh_pose out = *outer;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			out.rot[i][j] = 0.0;
			for ( int k = 0; k < 3; ++k )
				out.rot[i][j] += outer->rot[i][k] * inner->rot[k][j];
			out.pos[i] += outer->rot[i][j] * inner->pos[j];
		}
	}
	return out;
}

// Random poses about meshes of several kinds and sizes, far from their origins or not, and of a scale of their own; one
// mesh has slivers.
static void random_poses_agree( void **state ) {
	(void)state;
	rng r = rng_announce( "packets, random", 1 );
	packet_tally sum = { 0 };
	for ( size_t round = 0; round < rounds( 4 ); ++round ) {
		shape a = { 0 }, b = { 0 };
		if ( round % 3 == 0 )
			shape_add_torus( &a, 1.0, 0.3, 90, 50 );
		else if ( round % 3 == 1 )
			shape_add_pipe( &a, 0.3, 0.35, 2.0, 1100 ); // slivers
		else
			shape_add_box( &a, 1.0, 0.7, 1e-3, 28 ); // flat
		if ( round % 2 == 0 )
			shape_add_sphere( &b, 0.5, 70, 64 );
		else
			add_soup( &b, &r, 9000, 0.02, 0.1, false );
		const double scale = round % 4 == 3 ? 1e-6 : 1.0, far = round % 4 == 1 ? 1e4 : 0.0;
		const dbvh_pose home_a = random_pose( &r, far ), home_b = random_pose( &r, far );
		turn_shape( &a, &home_a, scale );
		turn_shape( &b, &home_b, scale );
		dbvh_pose poses[MOST_POSES];
		for ( size_t i = 0; i < MOST_POSES; ++i ) {
			// Where the mesh was made, moved by about its size.
			const dbvh_pose turn = random_pose( &r, 0.0 );
			double at[3];
			random_direction( &r, at );
			const double way = rng_range( &r, 0.3, 2.0 );
			poses[i] = turn;
			for ( int k = 0; k < 3; ++k ) {
				poses[i].pos[k] = scale * ( home_a.pos[k] + way * at[k] );
				for ( int j = 0; j < 3; ++j )
					poses[i].pos[k] -= scale * turn.rot[k][j] * home_b.pos[j];
			}
		}
		const dbvh_pose pose_a = random_pose( &r, 0.2 * scale );
		for ( size_t i = 0; round % 2 == 0 && i < MOST_POSES; ++i )
			poses[i] = after( &pose_a, &poses[i] );
		check( &sum, &a, &b, round % 2 == 0 ? &pose_a : NULL, poses, round % 4 == 0 ? MOST_POSES : POSES - 13 );
		shape_free( &a );
		shape_free( &b );
	}
	printf( "packets: %zu poses, %zu meet\n", sum.poses, sum.meeting );
	assert_outcomes( sum.meeting > sum.poses / 20 && sum.meeting < sum.poses - sum.poses / 20 );
}

// A staircase against itself, one step on: faces lie on each other but for roundings.
static void touching_stairs_agree( void **state ) {
	(void)state;
	rng r = rng_announce( "packets, touching", 2 );
	packet_tally sum = { 0 };
	for ( size_t round = 0; round < rounds( 2 ); ++round ) {
		shape stairs = { 0 };
		shape_add_stairs( &stairs, 720 );
		const dbvh_pose home = round == 0 ? dbvh_pose_identity() : random_pose( &r, 10.0 );
		turn_shape( &stairs, &home, 1.0 );
		dbvh_pose poses[FEW_POSES];
		for ( size_t i = 0; i < FEW_POSES; ++i ) {
			// A step along one axis of the stairs, and a hair more.
			const int axis = (int)( i % 3 );
			const double step = ( 1.0 + (double)( i % 4 ) * 0x1p-52 ) * ( i % 2 == 0 ? 1.0 : -1.0 );
			poses[i] = dbvh_pose_identity();
			for ( int k = 0; k < 3; ++k )
				poses[i].pos[k] = home.rot[k][axis] * step;
			poses[i].pos[i % 7 % 3] += rng_range( &r, -1e-15, 1e-15 );
		}
		check( &sum, &stairs, &stairs, NULL, poses, FEW_POSES );
		shape_free( &stairs );
	}
	printf( "packets: %zu poses that nearly touch, %zu meet\n", sum.poses, sum.meeting );
	assert_outcomes( sum.meeting > 0 && sum.meeting < sum.poses );
}

// Concentric spheres a hair apart: every pose leaves its packet, since its search is long. Turned about each other,
// some of them meet.
static void long_searches_agree( void **state ) {
	(void)state;
	rng r = rng_announce( "packets, long", 3 );
	packet_tally sum = { 0 };
	shape inner = { 0 }, outer = { 0 };
	shape_add_sphere( &inner, 1.0, 70, 64 );
	shape_add_sphere( &outer, 1.012, 70, 64 );
	dbvh_pose poses[POSES];
	const size_t count = 260 + rounds( 60 );
	for ( size_t i = 0; i < count; ++i ) {
		poses[i] = i % 2 == 0 ? dbvh_pose_identity() : random_pose( &r, 0.0 );
		poses[i].pos[2] = rng_range( &r, 0.0, 0.02 );
	}
	check( &sum, &inner, &outer, NULL, poses, count );
	shape_free( &inner );
	shape_free( &outer );
	printf( "packets: %zu poses of long searches, %zu meet\n", sum.poses, sum.meeting );
	assert_outcomes( sum.meeting > 0 && sum.meeting < sum.poses );
}

// Poses that are refused spoil no other pose of their packet.
static void refused_poses_spoil_nothing( void **state ) {
	(void)state;
	rng r = rng_announce( "packets, refused", 4 );
	shape a = { 0 }, b = { 0 };
	shape_add_torus( &a, 1.0, 0.4, 90, 50 );
	shape_add_sphere( &b, 0.5, 70, 64 );
	dbvh_tree *const tree_a = tree_of( &a, NULL ), *const tree_b = tree_of( &b, NULL );
	dbvh_pose poses[POSES];
	for ( size_t i = 0; i < POSES; ++i ) {
		poses[i] = random_pose( &r, 1.2 );
		if ( i % 9 == 5 )
			poses[i].rot[1][1] = NAN;
	}
	dbvh_error error;
	assert_int_equal( dbvh_collide_batch( tree_a, NULL, tree_b, poses, POSES, NULL, NULL, results, &error ),
	                  DBVH_NOT_FINITE );
	assert_int_equal( error.element, 5 );
	for ( size_t i = 0; i < POSES; ++i ) {
		dbvh_collide_result one;
		const dbvh_status status = dbvh_collide( tree_a, NULL, tree_b, &poses[i], NULL, NULL, &one, NULL );
		assert_int_equal( results[i].status, status );
		assert_int_equal( results[i].verdict, one.verdict );
	}
	dbvh_tree_destroy( tree_a );
	dbvh_tree_destroy( tree_b );
	shape_free( &a );
	shape_free( &b );
}

typedef struct patience {
	size_t asked, most;
} patience;

static bool is_over( void *user ) {
	patience *const p = user;
	return ++p->asked > p->most;
}

// A cancelled batch has answers, and the others say that it was cancelled. With a limit of work every result is that of
// a single call, bit by bit.
static void budgets_hold( void **state ) {
	(void)state;
	rng r = rng_announce( "packets, budgets", 5 );
	shape a = { 0 }, b = { 0 };
	shape_add_torus( &a, 1.0, 0.4, 90, 50 );
	shape_add_sphere( &b, 0.5, 70, 64 );
	dbvh_tree *const tree_a = tree_of( &a, NULL ), *const tree_b = tree_of( &b, NULL );
	dbvh_pose poses[POSES];
	for ( size_t i = 0; i < POSES; ++i )
		poses[i] = random_pose( &r, 1.2 );
	for ( size_t most = 0; most < 5; ++most ) {
		patience p = { .most = most };
		const dbvh_budget budget = { .is_cancelled = is_over, .user = &p };
		const dbvh_collide_query query = { .budget = &budget };
		const dbvh_batch_options options = { .thread_count = 1 };
		assert_int_equal( dbvh_collide_batch( tree_a, NULL, tree_b, poses, POSES, &query, &options, results, NULL ),
		                  DBVH_CANCELLED );
		size_t done = 0;
		while ( done < POSES && results[done].status == DBVH_OK )
			done += 1;
		assert_true( done >= 64 * most && done <= 64 * ( most + 1 ) );
		for ( size_t i = done; i < POSES; ++i )
			assert_int_equal( results[i].status, DBVH_CANCELLED );
	}
	uint64_t spent = 0;
	const dbvh_budget counted = { .spent = &spent };
	const dbvh_collide_query counting = { .budget = &counted };
	assert_int_equal( dbvh_collide_batch( tree_a, NULL, tree_b, poses, POSES, &counting, NULL, results, NULL ),
	                  DBVH_OK );
	assert_true( spent > 2 * POSES ); // a query takes five steps and more, unless its roots are apart
	const dbvh_budget little = { .max_work = 300 };
	const dbvh_collide_query limited = { .budget = &little };
	dbvh_collide_batch( tree_a, NULL, tree_b, poses, POSES, &limited, NULL, results, NULL );
	for ( size_t i = 0; i < POSES; ++i ) {
		dbvh_collide_result one;
		one.status = dbvh_collide( tree_a, NULL, tree_b, &poses[i], &limited, NULL, &one, NULL );
		assert_memory_equal( &results[i], &one, sizeof one );
	}
	dbvh_tree_destroy( tree_a );
	dbvh_tree_destroy( tree_b );
	shape_free( &a );
	shape_free( &b );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( random_poses_agree ),  cmocka_unit_test( touching_stairs_agree ),
	    cmocka_unit_test( long_searches_agree ), cmocka_unit_test( refused_poses_spoil_nothing ),
	    cmocka_unit_test( budgets_hold ),
	};
	return test_main( argc, argv, tests );
}
