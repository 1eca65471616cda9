// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes that have triangles more than once, against one triangle at a time; budgets, against what the same call says
// without; a mesh and itself; triangles at the ends of the doubles.

#include "bvh/tree.h"
#include "dualbvh/dualbvh.h"
#include "exact/tri_tri.h"
#include "shapes/shapes.h"
#include "support/clearance.h"
#include "support/line.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 96 };

typedef struct soup {
	double corners[MOST][9];
	uint32_t count, distinct;
} soup;

static double some_zero( rng *r, double x ) {
	return x == 0.0 && rng_below( r, 2 ) == 0 ? -0.0 : x;
}

// A few triangles on a grid, some without an area, each up to `most` times with its corners in any order.
static void make_soup( rng *r, uint32_t different, uint32_t most, soup *out ) {
	out->count = 0;
	out->distinct = 0;
	for ( uint32_t i = 0; i < different && out->count + most <= MOST; ++i ) {
		double t[9];
		for ( int k = 0; k < 9; ++k )
			t[k] = (double)rng_below( r, 5 ) - 2.0;
		if ( rng_below( r, 8 ) == 0 )
			memcpy( t + 3, t, 3 * sizeof *t );
		const uint32_t times = 1 + (uint32_t)rng_below( r, most );
		for ( uint32_t n = 0; n < times; ++n ) {
			const uint32_t turn = (uint32_t)rng_below( r, 3 ), step = 1 + (uint32_t)rng_below( r, 2 );
			for ( uint32_t c = 0; c < 3; ++c ) {
				for ( uint32_t k = 0; k < 3; ++k )
					out->corners[out->count][3 * c + k] = some_zero( r, t[3 * ( ( turn + step * c ) % 3 ) + k] );
			}
			out->count += 1;
		}
	}
	for ( uint32_t i = out->count - 1; i > 0; --i ) {
		const uint32_t k = (uint32_t)rng_below( r, i + 1 );
		double keep[9];
		memcpy( keep, out->corners[i], sizeof keep );
		memcpy( out->corners[i], out->corners[k], sizeof keep );
		memcpy( out->corners[k], keep, sizeof keep );
	}
}

static dbvh_tree *tree_of_corners( const double *corners, uint32_t count, uint32_t leaf_size ) {
	const dbvh_mesh_view view = {
	    .positions = corners, .vertex_count = 3 * (size_t)count, .index_type = DBVH_INDEX_TYPE_NONE };
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.leaf_size = leaf_size;
	dbvh_tree *tree = NULL;
	dbvh_error error;
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, &error ), DBVH_OK );
	if ( dbvh_tree_validate( tree, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
	return tree;
}

static int compare_points( const void *p, const void *q ) {
	const double *a = p, *b = q;
	for ( int k = 0; k < 3; ++k ) {
		if ( a[k] != b[k] )
			return a[k] < b[k] ? -1 : 1;
	}
	return 0;
}

static size_t count_different( const soup *s ) {
	static double sorted[MOST][9];
	size_t different = 0;
	for ( uint32_t i = 0; i < s->count; ++i ) {
		for ( int k = 0; k < 9; ++k )
			sorted[i][k] = s->corners[i][k] + 0.0;
		qsort( sorted[i], 3, 3 * sizeof( double ), compare_points );
		bool known = false;
		for ( uint32_t j = 0; j < i; ++j )
			known = known || memcmp( sorted[i], sorted[j], sizeof sorted[i] ) == 0;
		different += !known;
	}
	return different;
}

static dbvh_pose some_pose( rng *r ) {
	static const double axis[3] = { 0, 0, 1 };
	const double at[3] = { (double)rng_below( r, 5 ) - 2.0, 0.0, 0.5 * (double)rng_below( r, 9 ) };
	return shape_pose( axis, 90.0 * (double)rng_below( r, 4 ), at );
}

// ------------------------------------------------------------------------------------------------
// Triangles that are the same

// The definition of a pair: triangles within `reach`; if it is negative, triangles of one mesh that meet beyond the
// corners that they share.
static bool is_pair( const double a[9], const double b[9], const dbvh_pose *pose, double reach ) {
	bool meet = false;
	dbvh_triangles_distance_result r = { .distance = 0.0 };
	if ( reach < 0.0 )
		assert_int_equal(
		    dbvh_triangles_self_intersect( (const dbvh_triangle *)a, (const dbvh_triangle *)b, &meet, NULL ), DBVH_OK );
	else if ( reach == 0.0 )
		assert_int_equal(
		    dbvh_triangles_intersect( (const dbvh_triangle *)a, (const dbvh_triangle *)b, pose, &meet, NULL ),
		    DBVH_OK );
	else
		assert_int_equal( dbvh_triangles_distance( (const dbvh_triangle *)a, (const dbvh_triangle *)b, pose, &r, NULL ),
		                  DBVH_OK );
	return reach > 0.0 ? r.distance <= reach : meet;
}

static size_t list_truth( const soup *a, const soup *b, const dbvh_pose *pose, double reach, dbvh_pair *out ) {
	size_t count = 0;
	for ( uint32_t i = 0; i < a->count; ++i ) {
		for ( uint32_t j = reach < 0.0 ? i + 1 : 0; j < b->count; ++j ) {
			if ( is_pair( a->corners[i], b->corners[j], pose, reach ) )
				out[count++] = ( dbvh_pair ){ i, j };
		}
	}
	return count;
}

static dbvh_status ask_pairs( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, double reach,
                              const dbvh_collide_query *query, dbvh_collide_result *out ) {
	if ( reach < 0.0 )
		return dbvh_self_collide( a, query, NULL, out, NULL );
	return reach == 0.0 ? dbvh_collide( a, NULL, b, pose, query, NULL, out, NULL )
	                    : check_clearance( a, NULL, b, pose, reach, query, NULL, out, NULL );
}

static void check_pairs( rng *r, const soup *a, const soup *b, const dbvh_tree *tree_a, const dbvh_tree *tree_b,
                         const dbvh_pose *pose, double reach, size_t *met ) {
	static dbvh_pair truth[MOST * MOST], pairs[MOST * MOST + 1];
	const size_t count = list_truth( a, b, pose, reach, truth );
	static const dbvh_policy policies[] = { DBVH_POLICY_DEFAULT, DBVH_POLICY_DUAL, DBVH_POLICY_RAPID };
	for ( int p = 0; p < 3; ++p ) {
		const size_t rooms[] = { 0, 1, count / 2, count, count + 1, 1 + rng_below( r, count + 1 ) };
		for ( int k = 0; k < 6; ++k ) {
			const dbvh_collide_query query = { .find = DBVH_FIND_ALL,
			                                   .policy = policies[p],
			                                   .pairs = pairs,
			                                   .pair_capacity = rooms[k],
			                                   .thread_count = p == 0 && k == 3 ? 2 : 0 };
			dbvh_collide_result result;
			assert_int_equal( ask_pairs( tree_a, tree_b, pose, reach, &query, &result ), DBVH_OK );
			const size_t written = rooms[k] < count ? rooms[k] : count;
			assert_int_equal( result.pair_count, count );
			assert_int_equal( result.pair_written, written );
			assert_memory_equal( pairs, truth, written * sizeof *pairs );
			assert_true( count == 0 || memcmp( &result.first, &truth[0], sizeof truth[0] ) == 0 );
		}
		const dbvh_collide_query first = { .policy = policies[p] };
		dbvh_collide_result result;
		assert_int_equal( ask_pairs( tree_a, tree_b, pose, reach, &first, &result ), DBVH_OK );
		assert_int_equal( result.verdict, count > 0 ? DBVH_INTERSECTING : DBVH_DISJOINT );
		bool known = count == 0;
		for ( size_t i = 0; i < count; ++i )
			known = known || memcmp( &result.first, &truth[i], sizeof truth[i] ) == 0;
		assert_true( known );
	}
	*met += count > 0;
}

static void check_distance( const soup *a, const soup *b, const dbvh_tree *tree_a, const dbvh_tree *tree_b,
                            const dbvh_pose *pose ) {
	double least = INFINITY;
	dbvh_pair pair = { 0, 0 };
	for ( uint32_t i = 0; i < a->count; ++i ) {
		for ( uint32_t j = 0; j < b->count; ++j ) {
			dbvh_triangles_distance_result r;
			assert_int_equal( dbvh_triangles_distance( (const dbvh_triangle *)a->corners[i],
			                                           (const dbvh_triangle *)b->corners[j], pose, &r, NULL ),
			                  DBVH_OK );
			if ( r.distance < least ) {
				least = r.distance;
				pair = ( dbvh_pair ){ i, j };
			}
		}
	}
	for ( int p = 0; p < 2; ++p ) {
		const dbvh_distance_query query = { .policy = p == 0 ? DBVH_POLICY_DEFAULT : DBVH_POLICY_DUAL };
		dbvh_distance_result result;
		assert_int_equal( dbvh_distance( tree_a, NULL, tree_b, pose, &query, NULL, &result, NULL ), DBVH_OK );
		assert_true( result.distance == least );
		assert_true( least == 0.0 || memcmp( &result.pair, &pair, sizeof pair ) == 0 );
	}
}

// Every hit of a line, and every triangle near a point, as trees of one triangle have them.
static void check_probes( rng *r, const soup *s, const dbvh_tree *tree ) {
	test_line line = { .is_ray = false };
	for ( int k = 0; k < 3; ++k ) {
		line.from[k] = 0.5 * (double)rng_below( r, 9 ) - 2.0;
		line.to[k] = 0.5 * (double)rng_below( r, 9 ) - 2.0;
	}
	dbvh_ray_hit truth[MOST], hits[MOST];
	size_t count = 0;
	for ( uint32_t i = 0; i < s->count; ++i ) {
		dbvh_tree *one = tree_of_corners( s->corners[i], 1, 1 );
		dbvh_raycast_result result;
		const dbvh_raycast_query first = { .find = DBVH_FIND_CLOSEST };
		assert_int_equal( line_cast( one, NULL, &line, &first, NULL, &result, NULL ), DBVH_OK );
		dbvh_tree_destroy( one );
		if ( !result.intersects )
			continue;
		result.first.triangle = i;
		size_t at = count++;
		for ( ; at > 0 && truth[at - 1].t > result.first.t; --at )
			truth[at] = truth[at - 1];
		truth[at] = result.first;
	}
	for ( size_t room = 1; room <= count + 1; room += 1 + count / 3 ) {
		dbvh_raycast_result result;
		const dbvh_raycast_query all = { .find = DBVH_FIND_ALL, .hits = hits, .hit_capacity = room };
		assert_int_equal( line_cast( tree, NULL, &line, &all, NULL, &result, NULL ), DBVH_OK );
		assert_int_equal( result.hit_count, count );
		assert_int_equal( result.hit_written, room < count ? room : count );
		for ( size_t i = 0; i < result.hit_written; ++i )
			assert_true( hits[i].triangle == truth[i].triangle && hits[i].t == truth[i].t );
	}
}

static void twins_everywhere( void **state ) {
	(void)state;
	rng r = rng_announce( "runaway: twins", 11 );
	size_t met = 0, asked = 0, twins = 0;
	const int times = (int)rounds( 60 );
	for ( int round = 0; round < times; ++round ) {
		static soup a, b;
		make_soup( &r, 1 + (uint32_t)rng_below( &r, 8 ), 1 + (uint32_t)rng_below( &r, 6 ), &a );
		make_soup( &r, 1 + (uint32_t)rng_below( &r, 8 ), 1 + (uint32_t)rng_below( &r, 6 ), &b );
		const dbvh_pose pose = some_pose( &r );
		const uint32_t leaf_size = round % 4 == 0 ? 3 : 1;
		dbvh_tree *tree_a = tree_of_corners( a.corners[0], a.count, leaf_size ),
		          *tree_b = tree_of_corners( b.corners[0], b.count, 1 );
		assert_int_equal( tree_a->triangle_count, count_different( &a ) );
		assert_int_equal( dbvh_tree_get_stats( tree_a ).triangle_count, a.count );
		assert_true( ( tree_a->twins == NULL ) == ( tree_a->triangle_count == a.count ) );
		twins += tree_a->twins != NULL;
		check_pairs( &r, &a, &b, tree_a, tree_b, &pose, 0.0, &met );
		check_pairs( &r, &a, &b, tree_a, tree_b, &pose, 0.75, &met );
		check_pairs( &r, &a, &a, tree_a, tree_a, NULL, -1.0, &met );
		asked += 3;
		check_distance( &a, &b, tree_a, tree_b, &pose );
		check_probes( &r, &a, tree_a );
		dbvh_tree_destroy( tree_a );
		dbvh_tree_destroy( tree_b );
	}
	printf( "runaway: %zu of %zu met, %zu of %d meshes with twins\n", met, asked, twins, times );
	if ( times >= 10 )
		assert_true( met > asked / 10 && met < asked && twins > 0 && twins < (size_t)times );
}

// ------------------------------------------------------------------------------------------------
// Bodies

static void add_bodies( rng *r, shape *s, shape *thrice ) {
	const int count = 1 + (int)rng_below( r, 2 );
	for ( int i = 0; i < count; ++i ) {
		const double half = 1.0 + (double)rng_below( r, 2 );
		const double at[3] = { 8.0 * i + (double)rng_below( r, 3 ), (double)rng_below( r, 3 ),
		                       (double)rng_below( r, 3 ) };
		const double axis[3] = { 0, 0, 1 };
		const dbvh_pose pose = shape_pose( axis, 0.0, at );
		for ( int n = 0; n < 4; ++n ) {
			shape *to = n == 0 ? s : thrice;
			const size_t first = to->vertex_count;
			shape_add_box( to, half, half, half, 1 );
			shape_place( to, first, &pose );
		}
	}
}

// Bodies three times over enclose what they enclose once, by any rule; a mesh is identical to itself.
static void bodies_thrice( void **state ) {
	(void)state;
	rng r = rng_announce( "runaway: bodies", 12 );
	size_t seen[DBVH_RELATION_UNDECIDABLE + 1] = { 0 };
	const int times = (int)rounds( 100 );
	for ( int round = 0; round < times; ++round ) {
		shape a = { 0 }, a3 = { 0 }, b = { 0 }, b3 = { 0 };
		add_bodies( &r, &a, &a3 );
		add_bodies( &r, &b, &b3 );
		dbvh_tree *one[2] = { take_tree( &a ), take_tree( &b ) };
		dbvh_tree *three[2] = { take_tree( &a3 ), take_tree( &b3 ) };
		dbvh_relate_result plain, result;
		assert_int_equal( dbvh_relate( one[0], NULL, one[1], NULL, NULL, NULL, &plain, NULL ), DBVH_OK );
		seen[plain.relation] += 1;
		for ( int k = 1; k < 4; ++k ) {
			assert_int_equal( dbvh_relate( k & 1 ? three[0] : one[0], NULL, k & 2 ? three[1] : one[1], NULL, NULL, NULL,
			                               &result, NULL ),
			                  DBVH_OK );
			assert_int_equal( result.relation, plain.relation );
			assert_int_equal( result.surfaces_intersect, plain.surfaces_intersect );
		}
		assert_int_equal( dbvh_relate( three[0], NULL, three[0], NULL, NULL, NULL, &result, NULL ), DBVH_OK );
		assert_int_equal( result.relation, DBVH_RELATION_EQUAL );
		assert_true( result.surfaces_intersect );
		assert_int_equal( dbvh_relate( one[0], NULL, three[0], NULL, NULL, NULL, &result, NULL ), DBVH_OK );
		assert_int_equal( result.relation, DBVH_RELATION_EQUAL );
		const double point[3] = { 0.25 + (double)rng_below( &r, 6 ), 0.5, 0.5 };
		dbvh_location once, thrice;
		assert_int_equal( dbvh_locate_point( one[0], NULL, point, &once, NULL ), DBVH_OK );
		assert_int_equal( dbvh_locate_point( three[0], NULL, point, &thrice, NULL ), DBVH_OK );
		assert_int_equal( once, thrice );
		for ( int k = 0; k < 2; ++k ) {
			dbvh_tree_destroy( one[k] );
			dbvh_tree_destroy( three[k] );
		}
	}
	printf( "runaway: %zu touching, %zu overlapping, %zu identical, %zu inside\n", seen[DBVH_RELATION_TOUCHING],
	        seen[DBVH_RELATION_OVERLAPPING], seen[DBVH_RELATION_EQUAL],
	        seen[DBVH_RELATION_A_IN_B] + seen[DBVH_RELATION_B_IN_A] );
	if ( times >= 50 )
		assert_outcomes( seen[DBVH_RELATION_TOUCHING] > 0 && seen[DBVH_RELATION_OVERLAPPING] > 0 );
}

// One to three boxes that may lie in each other, overlap or touch, one perhaps open; `reverse`: the last triangle
// first.
static dbvh_tree *nest( uint64_t seed, bool reverse, dbvh_fill_rule fill ) {
	rng r = { .state = seed };
	shape s = { 0 };
	const int count = 1 + (int)rng_below( &r, 3 );
	for ( int i = 0; i < count; ++i ) {
		const double half = 1.0 + (double)rng_below( &r, 4 );
		const double at[3] = { (double)rng_below( &r, 4 ), 0.0, (double)rng_below( &r, 2 ) };
		const double axis[3] = { 0, 0, 1 };
		const dbvh_pose pose = shape_pose( axis, 0.0, at );
		const size_t first = s.vertex_count;
		shape_add_box( &s, half, half, half, 1 );
		shape_place( &s, first, &pose );
		if ( rng_below( &r, 8 ) == 0 )
			s.triangle_count -= 1;
	}
	for ( size_t i = 0; reverse && i < s.triangle_count / 2; ++i ) {
		for ( size_t k = 0; k < 3; ++k ) {
			const size_t j = s.triangle_count - 1 - i;
			const uint32_t keep = s.indices[3 * i + k];
			s.indices[3 * i + k] = s.indices[3 * j + k];
			s.indices[3 * j + k] = keep;
		}
	}
	const dbvh_mesh_view view = shape_view( &s );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.fill = fill;
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
	shape_free( &s );
	return tree;
}

// A mesh that is known to be itself says what it says of itself in another order of triangles, about both rules.
static void itself_in_another_order( void **state ) {
	(void)state;
	rng r = rng_announce( "runaway: itself", 14 );
	size_t ambiguous = 0, identical = 0;
	const int times = (int)rounds( 100 );
	for ( int round = 0; round < times; ++round ) {
		const uint64_t seed = rng_u64( &r );
		const dbvh_fill_rule fill[2] = { (dbvh_fill_rule)rng_below( &r, 2 ), (dbvh_fill_rule)rng_below( &r, 2 ) };
		dbvh_tree *a = nest( seed, false, fill[0] ), *b = nest( seed, false, fill[1] ),
		          *other = nest( seed, true, fill[1] );
		dbvh_relate_result known, plain;
		assert_int_equal( dbvh_relate( a, NULL, b, NULL, NULL, NULL, &known, NULL ), DBVH_OK );
		assert_int_equal( dbvh_relate( a, NULL, other, NULL, NULL, NULL, &plain, NULL ), DBVH_OK );
		assert_int_equal( known.relation, plain.relation );
		assert_int_equal( known.undecided, plain.undecided );
		assert_int_equal( known.ambiguous_a, plain.ambiguous_a );
		assert_int_equal( known.ambiguous_b, plain.ambiguous_b );
		assert_true( known.surfaces_intersect && plain.surfaces_intersect );
		ambiguous += known.ambiguous_a || known.ambiguous_b;
		identical += known.relation == DBVH_RELATION_EQUAL;
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
		dbvh_tree_destroy( other );
	}
	printf( "runaway: %zu of %d identical, %zu ambiguous\n", identical, times, ambiguous );
	if ( times >= 50 )
		assert_outcomes( identical > 0 && identical < (size_t)times && ambiguous > 0 && ambiguous < (size_t)times );
}

// Triangles in any order about one vertex or one edge, most of them above it, in some a few a little below.
static dbvh_tree *bundle( rng *r, uint32_t n, bool about_edge, double up ) {
	shape s = { 0 };
	const bool some_below = rng_below( r, 6 ) == 0;
	const uint32_t tip = shape_vertex( &s, 0, 0, 0 ), end = shape_vertex( &s, 1, 0, 0 );
	for ( uint32_t i = 0; i < n; ++i ) {
		const double x = (double)rng_below( r, 17 ) - 8.0, y = (double)rng_below( r, 17 ) - 8.0;
		const double z = some_below && rng_below( r, 40 ) == 0 ? -0.0625 : 1.0 + (double)rng_below( r, 4 );
		const uint32_t p = shape_vertex( &s, x, y, up * z ),
		               q = about_edge ? end : shape_vertex( &s, y, 1.0 - x, up * ( 1.0 + (double)rng_below( r, 4 ) ) );
		switch ( rng_below( r, 3 ) ) {
		case 0:
			shape_triangle( &s, tip, p, q );
			break;
		case 1:
			shape_triangle( &s, q, tip, p );
			break;
		default:
			shape_triangle( &s, p, q, tip );
		}
	}
	return take_tree( &s );
}

// The lowest pair of all that are as near: where nearly all are, and each triangle is looked at once.
static void ties_round_a_feature( void **state ) {
	(void)state;
	rng r = rng_announce( "runaway: ties", 15 );
	enum { ROOM = 100000 };
	dbvh_pair *pairs = malloc( ROOM * sizeof *pairs );
	assert_non_null( pairs );
	size_t tied = 0, few = 0;
	const int times = (int)rounds( 60 );
	for ( int round = 0; round < times; ++round ) {
		const bool edges = rng_below( &r, 2 ) != 0;
		dbvh_tree *a = bundle( &r, 60, edges, -1.0 ), *b = bundle( &r, 50, edges, 1.0 );
		const double axis[3] = { 0.0, 0.0, 1.0 }, at[3] = { edges ? 0.5 : 0.0, edges ? -0.5 : 0.0, 1.0 };
		const double turn = rng_below( &r, 2 ) != 0 ? 90.0 : 80.0 + rng_unit( &r ) * 20.0;
		const dbvh_pose pose = shape_pose( axis, turn, at );
		for ( int way = 0; way < 2; ++way ) {
			const dbvh_tree *first = way == 0 ? a : b, *second = way == 0 ? b : a;
			const dbvh_pose *first_pose = way == 0 ? NULL : &pose, *second_pose = way == 0 ? &pose : NULL;
			for ( int policy = 0; policy < 2; ++policy ) {
				const dbvh_distance_query query = { .policy = policy == 0 ? DBVH_POLICY_DEFAULT : DBVH_POLICY_DUAL };
				const dbvh_collide_query all = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = ROOM };
				dbvh_distance_result result;
				dbvh_collide_result within, nearer;
				assert_int_equal( dbvh_distance( first, first_pose, second, second_pose, &query, NULL, &result, NULL ),
				                  DBVH_OK );
				assert_true( result.found );
				if ( result.distance == 0.0 )
					continue;
				assert_int_equal( check_clearance( first, first_pose, second, second_pose,
				                                   nextafter( result.distance, 0.0 ), NULL, NULL, &nearer, NULL ),
				                  DBVH_OK );
				assert_int_equal( nearer.verdict, DBVH_DISJOINT );
				assert_int_equal( check_clearance( first, first_pose, second, second_pose, result.distance, &all, NULL,
				                                   &within, NULL ),
				                  DBVH_OK );
				assert_outcomes( within.pair_count > 0 );
				assert_int_equal( result.pair.a, pairs[0].a );
				assert_int_equal( result.pair.b, pairs[0].b );
				tied += within.pair_count > 400;
				few += within.pair_count > 400 && result.counters.exact_tests < within.pair_count / 2;
			}
		}
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
	}
	free( pairs );
	printf( "runaway: %zu with more than 400 ties, %zu with few comparisons\n", tied, few );
	if ( times >= 50 )
		assert_outcomes( tied > 20 && few > tied / 2 );
}

// ------------------------------------------------------------------------------------------------
// Budgets

static bool cancel_now( void *user ) {
	*(int *)user += 1;
	return true;
}

static dbvh_tree *sphere_tree( double radius, uint32_t n ) {
	shape s = { 0 };
	shape_add_sphere( &s, radius, n, n );
	return take_tree( &s );
}

static int compare_pairs( const void *p, const void *q ) {
	const dbvh_pair *a = p, *b = q;
	return a->a != b->a ? ( a->a < b->a ? -1 : 1 ) : ( a->b > b->b ) - ( a->b < b->b );
}

// Every budget from next to nothing to more than enough: what is said early is true, and what is complete is the same.
static void pairs_on_a_budget( void **state ) {
	(void)state;
	dbvh_tree *a = sphere_tree( 1.0, 30 ), *b = sphere_tree( 1.0625, 30 );
	const double axis[3] = { 1, 2, 3 }, at[3] = { 0.0625, 0.0, 0.125 };
	const dbvh_pose pose = shape_pose( axis, 20.0, at );
	enum { ROOM = 100000 };
	dbvh_pair *truth = malloc( ROOM * sizeof *truth ), *pairs = malloc( ROOM * sizeof *pairs );
	assert_true( truth != NULL && pairs != NULL );
	int cancelled = 0;
	for ( int kind = 0; kind < 8; ++kind ) {
		const double reach = kind % 4 == 0 ? 0.0 : kind % 4 == 1 ? 0.02 : kind % 4 == 2 ? -1.0 : 0.0;
		dbvh_collide_query query = { .find = DBVH_FIND_ALL,
		                             .policy = kind < 4 ? DBVH_POLICY_DEFAULT : DBVH_POLICY_DUAL,
		                             .pairs = truth,
		                             .pair_capacity = ROOM,
		                             .thread_count = kind == 3 ? 2 : 0 };
		dbvh_collide_result whole, result;
		assert_int_equal( ask_pairs( a, b, &pose, reach, &query, &whole ), DBVH_OK );
		assert_true( whole.pair_count < ROOM && ( reach < 0.0 || whole.pair_count > 0 ) );
		query.pairs = pairs;
		bool stopped = false, completed = false;
		for ( uint64_t work = 1; work < UINT64_C( 1 ) << 40 && !completed; work *= 3 ) {
			const dbvh_budget budget = { .max_work = work };
			query.budget = &budget;
			const dbvh_status status = ask_pairs( a, b, &pose, reach, &query, &result );
			assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
			completed = status == DBVH_OK;
			stopped = stopped || !completed;
			assert_true( result.pair_count <= whole.pair_count && result.pair_count == result.pair_written );
			assert_true( ( result.verdict == DBVH_INTERSECTING ) == ( result.pair_count > 0 ) );
			for ( size_t i = 0; i < result.pair_count; ++i )
				assert_non_null( bsearch( &pairs[i], truth, whole.pair_count, sizeof *truth, compare_pairs ) );
			assert_true( !completed || result.pair_count == whole.pair_count );
		}
		assert_true( stopped && completed );
		int asked = 0;
		const dbvh_budget budget = { .is_cancelled = cancel_now, .user = &asked };
		query.budget = &budget;
		// A query that ends early enough does not call is_cancelled.
		const dbvh_status status = ask_pairs( a, b, &pose, reach, &query, &result );
		assert_int_equal( status, asked > 0 ? DBVH_CANCELLED : DBVH_OK );
		assert_true( asked <= 1 && result.pair_count <= whole.pair_count );
		cancelled += asked;
	}
	assert_true( cancelled >= 4 );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	free( truth );
	free( pairs );
}

static void distance_on_a_budget( void **state ) {
	(void)state;
	dbvh_tree *a = sphere_tree( 1.0, 40 ), *b = sphere_tree( 1.125, 40 );
	for ( int kind = 0; kind < 4; ++kind ) {
		dbvh_distance_query query = { .policy = kind % 2 == 0 ? DBVH_POLICY_DEFAULT : DBVH_POLICY_DUAL,
		                              .relative_error = kind < 2 ? 0.0 : 0.01 };
		// Concentric spheres say nothing about the distance before the end; beside each other they do.
		dbvh_pose pose = dbvh_pose_identity();
		pose.pos[0] = kind % 2 == 0 ? 0.0 : 2.5;
		dbvh_distance_result exact, result;
		assert_int_equal( dbvh_distance( a, NULL, b, &pose, NULL, NULL, &exact, NULL ), DBVH_OK );
		bool stopped = false, completed = false, bounded = false;
		for ( uint64_t work = 1; work < UINT64_C( 1 ) << 40 && !completed; work *= 2 ) {
			const dbvh_budget budget = { .max_work = work };
			query.budget = &budget;
			const dbvh_status status = dbvh_distance( a, NULL, b, &pose, &query, NULL, &result, NULL );
			assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
			completed = status == DBVH_OK;
			stopped = stopped || !completed;
			assert_true( !result.found || result.distance >= exact.distance );
			assert_true( result.at_least <= exact.distance );
			bounded = bounded || result.at_least > 0.0;
			assert_true( !completed || result.distance <= 1.01 * exact.distance );
			assert_true( !completed || result.at_least == 0.0 );
			assert_true( !completed || kind >= 2 || result.distance == exact.distance );
		}
		assert_true( stopped && completed && ( bounded || kind % 2 == 0 ) );
		int asked = 0;
		const dbvh_budget budget = { .is_cancelled = cancel_now, .user = &asked };
		query.budget = &budget;
		const dbvh_status status = dbvh_distance( a, NULL, b, &pose, &query, NULL, &result, NULL );
		assert_int_equal( status, asked > 0 ? DBVH_CANCELLED : DBVH_OK );
		assert_true( asked == 1 || kind % 2 != 0 );
	}
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

static void relation_on_a_budget( void **state ) {
	(void)state;
	// Boxes face to face, cut differently: a relation that takes all corners.
	shape s = { 0 }, t = { 0 };
	shape_add_box( &s, 1, 1, 1, 4 );
	shape_add_box( &t, 1, 1, 1, 3 );
	dbvh_tree *a = take_tree( &s ), *b = take_tree( &t );
	const double axis[3] = { 0, 0, 1 }, at[3] = { 0.0, 0.0, 2.0 };
	const dbvh_pose pose = shape_pose( axis, 0.0, at );
	bool stopped = false, completed = false;
	for ( uint64_t work = 1; work < UINT64_C( 1 ) << 40 && !completed; work *= 2 ) {
		const dbvh_budget budget = { .max_work = work };
		const dbvh_relate_query options = { .budget = &budget };
		dbvh_relate_result result;
		const dbvh_status status = dbvh_relate( a, NULL, b, &pose, &options, NULL, &result, NULL );
		assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
		completed = status == DBVH_OK;
		stopped = stopped || !completed;
		assert_int_equal( result.relation, completed ? DBVH_RELATION_TOUCHING : DBVH_RELATION_UNDECIDABLE );
	}
	assert_true( stopped && completed );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

static void batch_on_a_budget( void **state ) {
	(void)state;
	dbvh_tree *a = sphere_tree( 1.0, 30 ), *b = sphere_tree( 1.0625, 30 );
	enum { COUNT = 24 };
	dbvh_pose poses[COUNT];
	for ( int i = 0; i < COUNT; ++i ) {
		poses[i] = dbvh_pose_identity();
		poses[i].pos[0] = 0.2 * i;
	}
	dbvh_collide_result results[COUNT], again[COUNT];
	const dbvh_budget little = { .max_work = 3000 };
	const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = DBVH_POLICY_DUAL, .budget = &little };
	size_t spent = 0;
	for ( uint32_t threads = 1; threads < 4; threads += 2 ) {
		const dbvh_batch_options options = { .thread_count = threads };
		const dbvh_status status =
		    dbvh_collide_batch( a, NULL, b, poses, COUNT, &query, &options, threads == 1 ? results : again, NULL );
		assert_int_equal( status, DBVH_BUDGET_SPENT );
	}
	for ( int i = 0; i < COUNT; ++i ) {
		assert_int_equal( results[i].status, again[i].status );
		assert_int_equal( results[i].pair_count, again[i].pair_count );
		spent += results[i].status == DBVH_BUDGET_SPENT;
	}
	assert_true( spent > 0 && spent < COUNT );
	int asked = 0;
	const dbvh_budget none = { .is_cancelled = cancel_now, .user = &asked };
	const dbvh_collide_query cancelled = { .find = DBVH_FIND_ALL, .policy = DBVH_POLICY_DUAL, .budget = &none };
	const dbvh_batch_options options = { .thread_count = 1 };
	assert_int_equal( dbvh_collide_batch( a, NULL, b, poses, COUNT, &cancelled, &options, results, NULL ),
	                  DBVH_CANCELLED );
	assert_int_equal( asked, 1 );
	assert_int_equal( results[COUNT - 1].status, DBVH_CANCELLED );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

// ------------------------------------------------------------------------------------------------
// The ends of the doubles

static void filter_at_the_ends( void **state ) {
	(void)state;
	rng r = rng_announce( "runaway: filter", 13 );
	size_t sure = 0, meeting = 0;
	const int times = (int)rounds( 20000 );
	for ( int round = 0; round < times; ++round ) {
		double a[9], b[9], far_a[9], far_b[9];
		static const int exponents[] = { -1060, -700, -310, 310, 700, 1010 };
		const int exponent = exponents[rng_below( &r, 6 )];
		for ( int k = 0; k < 9; ++k ) {
			a[k] = (double)rng_below( &r, 2001 ) - 1000.0;
			b[k] = (double)rng_below( &r, 2001 ) - 1000.0;
			far_a[k] = ldexp( a[k], exponent );
			far_b[k] = ldexp( b[k], exponent );
		}
		bool meet;
		assert_int_equal(
		    dbvh_triangles_intersect( (const dbvh_triangle *)a, (const dbvh_triangle *)b, NULL, &meet, NULL ),
		    DBVH_OK );
		const dbvhi_answer answer = dbvhi_triangles_filter( far_a, far_b, 0.0 );
		assert_true( answer == DBVHI_UNSURE || answer == ( meet ? DBVHI_INTERSECTING : DBVHI_DISJOINT ) );
		sure += answer != DBVHI_UNSURE;
		meeting += meet;
	}
	printf( "runaway: %zu of %d sure, %zu meeting\n", sure, times, meeting );
	assert_true( sure > (size_t)times * 9 / 10 && meeting > 0 && meeting < (size_t)times );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( twins_everywhere ),        cmocka_unit_test( bodies_thrice ),
	    cmocka_unit_test( itself_in_another_order ), cmocka_unit_test( ties_round_a_feature ),
	    cmocka_unit_test( pairs_on_a_budget ),       cmocka_unit_test( distance_on_a_budget ),
	    cmocka_unit_test( relation_on_a_budget ),    cmocka_unit_test( batch_on_a_budget ),
	    cmocka_unit_test( filter_at_the_ends ),
	};
	return test_main( argc, argv, tests );
}
