// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pairs of parts as assemblies have them, most of which take a microsecond or less: small solids, parts whose boxes are
// apart, plates and pegs that touch or are a hair apart, gears with long triangles, spheres that meet at the first
// look. Beside the library's own policy in turn: boxes with fifteen axes on the reference tree, as RAPID compares them.

#include "base/hash.h"
#include "common/experiment.h"
#include "common/numbers.h"
#include "common/stats.h"
#include "common/turn.h"
#include "dualbvh/collide.h"
#include "dualbvh/distance.h"
#include "dualbvh/isa.h"
#include "shapes/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Poses a row; more for those that meet, whose times have a long tail.
enum { POSES = 64, MEETING_POSES = 512, PAIR_ROOM = 1 << 18, POLICIES = 2, PARTS = 32 };

typedef struct parts {
	dbvh_tree *trees[PARTS];
	double sizes[PARTS];
	int count;
	dbvh_workspace *workspace;
	dbvh_pair *room;
} parts;

static void must( dbvh_status status ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", dbvh_status_text( status ) );
	exit( 2 );
}

// ------------------------------------------------------------------------------------------------
// Meshes

static int add( parts *p, shape *s ) {
	const dbvh_mesh_view view = shape_view( s );
	const dbvh_tree_options options = { .reference = true };
	must( dbvh_tree_build( &view, &options, NULL, &p->trees[p->count], NULL ) );
	p->sizes[p->count] = 2.0 * dbvh_tree_get_stats( p->trees[p->count] ).sphere.radius;
	shape_free( s );
	return p->count++;
}

static int box( parts *p, double x, double y, double z, uint32_t n ) {
	shape s = { 0 };
	shape_add_box( &s, x, y, z, n );
	return add( p, &s );
}

static int ball( parts *p, double radius, uint32_t slices, uint32_t stacks ) {
	shape s = { 0 };
	shape_add_sphere( &s, radius, slices, stacks );
	return add( p, &s );
}

static int gear( parts *p ) {
	shape s = { 0 };
	const shape_gear gear = shape_gear_default();
	shape_add_gear( &s, &gear );
	return add( p, &s );
}

static void add_moved_box( shape *s, double x, double y, double z, uint32_t n, double at_x, double at_y, double at_z ) {
	const size_t first = s->vertex_count;
	shape_add_box( s, x, y, z, n );
	const dbvh_pose pose = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { at_x, at_y, at_z } };
	shape_place( s, first, &pose );
}

// A block with a square hole from -1 to 1, of four blocks, and the axes turned by `turn`, which rounds it.
static int socket( parts *p, uint32_t n, const dbvh_pose *turn ) {
	shape s = { 0 };
	for ( int side = -1; side <= 1; side += 2 ) {
		add_moved_box( &s, 0.5, 2.0, 1.0, n, 1.5 * side, 0.0, 0.0 );
		add_moved_box( &s, 1.0, 0.5, 1.0, n, 0.0, 1.5 * side, 0.0 );
	}
	if ( turn != NULL )
		shape_place( &s, 0, turn );
	return add( p, &s );
}

// Stairs of so many steps, from -1 to 1 along x and y and an eighth high each, or what lies on them, so that the boxes
// of both overlap; and the axes turned by `turn`.
static int stairs( parts *p, int steps, uint32_t n, bool above, const dbvh_pose *turn ) {
	shape s = { 0 };
	for ( int i = 0; i < steps; ++i ) {
		const double half = 0.0625 * ( above ? steps - i : i + 1 ), width = 1.0 / steps;
		add_moved_box( &s, width, 1.0, half, n, width * ( 2 * i + 1 ) - 1.0, 0.0,
		               above ? 0.125 * ( i + 1 ) + half : half );
	}
	if ( turn != NULL )
		shape_place( &s, 0, turn );
	return add( p, &s );
}

static int peg( parts *p, double half, uint32_t n, const dbvh_pose *turn ) {
	shape s = { 0 };
	shape_add_box( &s, half, half, 1.5, n );
	if ( turn != NULL )
		shape_place( &s, 0, turn );
	return add( p, &s );
}

// ------------------------------------------------------------------------------------------------
// Poses

// B comes in from far away, turned by anything, and stops where it is `gap` from A for the first time; below 0, so much
// farther in than where they touch.
static void come_near( parts *p, int a, int b, double gap, dbvh_pose poses[POSES] ) {
	const double size = p->sizes[a] + p->sizes[b];
	uint64_t state = 1;
	for ( int i = 0; i < POSES; ++i ) {
		double axis[3], way[3], length = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			axis[k] = next_number( &state ) - 0.5;
			way[k] = next_number( &state ) - 0.5;
			length += way[k] * way[k];
		}
		double along = size;
		poses[i] = turn_about( axis, 360.0 * next_number( &state ) );
		const double wanted = gap > 0.0 ? gap * size : 0.0;
		for ( int step = 0; step < 200; ++step ) {
			for ( int k = 0; k < 3; ++k )
				poses[i].pos[k] = along * way[k] / sqrt( length );
			dbvh_distance_result found;
			must( dbvh_distance( p->trees[a], NULL, p->trees[b], &poses[i], NULL, p->workspace, &found, NULL ) );
			if ( found.distance <= wanted + 1e-6 * size || along < 0.0 )
				break;
			along -= found.distance - wanted;
		}
		if ( gap < 0.0 ) {
			for ( int k = 0; k < 3; ++k )
				poses[i].pos[k] += gap * size * way[k] / sqrt( length );
		}
	}
}

// ------------------------------------------------------------------------------------------------

// Ask about all poses once.
static uint64_t run( parts *p, int a, int b, const dbvh_pose *poses, size_t count, dbvh_find find, dbvh_policy policy,
                     size_t *hits, size_t *pairs ) {
	const dbvh_collide_query query = {
	    .find = find, .policy = policy, .pairs = p->room, .pair_capacity = find == DBVH_FIND_ALL ? PAIR_ROOM : 0 };
	uint64_t hash = DBVHI_HASH_SEED;
	*hits = *pairs = 0;
	for ( size_t i = 0; i < count; ++i ) {
		dbvh_collide_result result;
		must( dbvh_collide( p->trees[a], NULL, p->trees[b], &poses[i], &query, p->workspace, &result, NULL ) );
		*hits += result.verdict == DBVH_INTERSECTING;
		*pairs += result.pair_count;
		hash = dbvhi_hash_word( hash, result.verdict );
		if ( find == DBVH_FIND_ALL ) {
			hash = dbvhi_hash_word( hash, result.pair_count );
			hash = result.pair_written > 0 ? dbvhi_hash_word( hash, p->room[result.pair_written / 2].a ) : hash;
		}
	}
	return hash;
}

static int measure( const bench_options *options, parts *p, const char *work, int a, int b, const dbvh_pose *poses,
                    size_t count, dbvh_find find ) {
	static const dbvh_policy policies[POLICIES] = { DBVH_POLICY_DEFAULT, DBVH_POLICY_RAPID };
	double samples[64 * POLICIES];
	size_t repeats[POLICIES], hits = 0, pairs = 0;
	uint64_t hashes[POLICIES];
	for ( int k = 0; k < POLICIES; ++k ) {
		hashes[k] = run( p, a, b, poses, count, find, policies[k], &hits, &pairs );
		const double begin = stats_thread_now();
		run( p, a, b, poses, count, find, policies[k], &hits, &pairs );
		repeats[k] = 1 + (size_t)( STATS_ROUND / ( stats_thread_now() - begin + 1e-9 ) );
	}
	for ( size_t round = 0; round < options->rounds; ++round ) {
		for ( int k = 0; k < POLICIES; ++k ) {
			const double begin = stats_thread_now();
			for ( size_t i = 0; i < repeats[k]; ++i )
				run( p, a, b, poses, count, find, policies[k], &hits, &pairs );
			samples[round * POLICIES + (size_t)k] =
			    ( stats_thread_now() - begin ) / (double)( count * repeats[k] ) * 1e6;
		}
	}
	const double us = stats_competitor_median( samples, options->rounds, POLICIES, 0 );
	const double other = stats_competitor_median( samples, options->rounds, POLICIES, 1 );
	const bool same = hashes[0] == hashes[1];
	printf( "%-44s %6zu %8.1f %10.3f %10.3f %8.2f%s\n", work, hits, (double)pairs / (double)count, us, other,
	        other / us, same ? "" : "  ANSWERS DIFFER" );
	if ( options->csv != NULL )
		fprintf( options->csv, "\"%s\",%zu,%zu,%.1f,%.4f,%.4f,%.3f\n", work, count, hits, (double)pairs / (double)count,
		         us, other, other / us );
	return same ? EXIT_SUCCESS : EXIT_FAILURE;
}

// A pair at a few gaps, and overlapping.
static int near_and_far( const bench_options *options, parts *p, const char *work, int a, int b ) {
	static const struct {
		const char *name;
		double gap;
		dbvh_find find;
	} rows[] = {
	    { "5 % apart", 0.05, DBVH_FIND_ANY },          { "1 % apart", 0.01, DBVH_FIND_ANY },
	    { "0.1 % apart", 0.001, DBVH_FIND_ANY },       { "1 % inside, first", -0.01, DBVH_FIND_ANY },
	    { "10 % inside, first", -0.1, DBVH_FIND_ANY }, { "10 % inside, all", -0.1, DBVH_FIND_ALL },
	};
	int status = EXIT_SUCCESS;
	for ( size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i ) {
		dbvh_pose poses[POSES];
		char name[80];
		come_near( p, a, b, rows[i].gap, poses );
		snprintf( name, sizeof name, "%s, %s", work, rows[i].name );
		status |= measure( options, p, name, a, b, poses, POSES, rows[i].find );
	}
	return status;
}

static int one_pose( const bench_options *options, parts *p, const char *work, int a, int b, const double axis[3],
                     double degrees, const double at[3], dbvh_find find ) {
	const dbvh_pose pose = shape_pose( axis, degrees, at );
	return measure( options, p, work, a, b, &pose, 1, find );
}

static int flat_parts( const bench_options *options, parts *p ) {
	static const double z[3] = { 0, 0, 1 }, any[3] = { 1, 2, 3 };
	const int coarse = box( p, 1.0, 1.0, 0.0625, 10 ), fine = box( p, 1.0, 1.0, 0.0625, 13 );
	const double on[3] = { 0.125, 0.0625, 0.125 }, third[3] = { 1.0 / 3.0, 0.0, 0.125 };
	const double off[3] = { 0.125, 0.0625, 0.125 + 2e-6 };
	int status = one_pose( options, p, "plates touching, all", coarse, fine, z, 0.0, on, DBVH_FIND_ALL );
	status |= one_pose( options, p, "plates touching, first", coarse, fine, z, 0.0, on, DBVH_FIND_ANY );
	status |= one_pose( options, p, "the same, moved by a third, all", coarse, fine, z, 0.0, third, DBVH_FIND_ALL );
	status |= one_pose( options, p, "the same, turned in the plane, all", coarse, fine, z, 30.0, on, DBVH_FIND_ALL );
	status |= one_pose( options, p, "plates apart by 1e-6", coarse, fine, z, 0.0, off, DBVH_FIND_ANY );
	status |= one_pose( options, p, "the same, turned in the plane", coarse, fine, z, 30.0, off, DBVH_FIND_ANY );
	const double nowhere[3] = { 0, 0, 0 }, up[3] = { 0.0, 0.0, 0.0625 };
	const dbvh_pose turn = shape_pose( any, 40.0, nowhere );
	const int hole = socket( p, 8, NULL ), turned_hole = socket( p, 8, &turn );
	const int loose = peg( p, 1.0 - 1e-6, 9, NULL ), turned = peg( p, 1.0 - 1e-6, 9, &turn );
	const int tight = peg( p, 1.0, 9, NULL );
	status |= one_pose( options, p, "peg in a hole, 1e-6 clear", hole, loose, z, 0.0, up, DBVH_FIND_ANY );
	status |= one_pose( options, p, "the same, both turned", turned_hole, turned, z, 0.0, nowhere, DBVH_FIND_ANY );
	status |= one_pose( options, p, "peg in a hole, touching, all", hole, tight, z, 0.0, up, DBVH_FIND_ALL );
	const int low = stairs( p, 4, 10, false, NULL ), high = stairs( p, 4, 9, true, NULL );
	const int low_turned = stairs( p, 4, 10, false, &turn ), high_turned = stairs( p, 4, 9, true, &turn );
	for ( int digits = 6; digits <= 12; digits += 3 ) {
		const double gap = pow( 10.0, -digits ), lifted[3] = { -gap, 0.03125, gap };
		double along[3];
		for ( int k = 0; k < 3; ++k )
			along[k] = gap * ( turn.rot[k][2] - turn.rot[k][0] ) + 0.03125 * turn.rot[k][1];
		char name[64];
		snprintf( name, sizeof name, "stairs apart by 1e-%d", digits );
		status |= one_pose( options, p, name, low, high, z, 0.0, lifted, DBVH_FIND_ANY );
		snprintf( name, sizeof name, "the same, both turned, 1e-%d", digits );
		status |= one_pose( options, p, name, low_turned, high_turned, z, 0.0, along, DBVH_FIND_ANY );
	}
	return status;
}

// Spheres of 79,600 triangles about one centre, the inner one turned by anything: their gap is smaller than what the
// facets lack, so that they meet in many places.
static int concentric( const bench_options *options, parts *p, int outer, int inner ) {
	dbvh_pose poses[MEETING_POSES];
	uint64_t state = 1;
	for ( int i = 0; i < MEETING_POSES; ++i )
		poses[i] = turn_next( &state );
	return measure( options, p, "spheres about one centre, 1e-4", outer, inner, poses, MEETING_POSES, DBVH_FIND_ANY );
}

int bench_parts( const bench_options *options ) {
	parts p = { .room = malloc( PAIR_ROOM * sizeof *p.room ) };
	if ( p.room == NULL )
		must( DBVH_OUT_OF_MEMORY );
	must( dbvh_workspace_create( NULL, &p.workspace, NULL ) );
	printf( "\n%d poses a row (plates and pegs: one); %s; one thread, medians of %zu alternate rounds\n", POSES,
	        dbvh_isa_name(), options->rounds );
	printf( "%-44s %6s %8s %10s %10s %8s\n", "", "hits", "pairs", "us", "rapid: us", "ratio" );
	if ( options->csv != NULL )
		fputs( "work,poses,intersecting,pairs_a_query,us,us_rapid,ratio\n", options->csv );
	const int cube = box( &p, 0.5, 0.5, 0.5, 1 );
	int status = near_and_far( options, &p, "cubes", cube, cube );
	static const uint32_t balls[][2] = { { 5, 3 }, { 6, 4 }, { 8, 5 }, { 12, 6 }, { 16, 9 }, { 24, 13 } };
	for ( size_t i = 0; i < sizeof balls / sizeof balls[0]; ++i ) {
		const int round = ball( &p, 0.5, balls[i][0], balls[i][1] );
		char name[32];
		snprintf( name, sizeof name, "balls of %u", 2 * balls[i][0] * ( balls[i][1] - 1 ) );
		status |= near_and_far( options, &p, name, round, round );
	}
	const int rod = box( &p, 1.0, 0.1, 0.05, 8 );
	status |= near_and_far( options, &p, "rods", rod, rod );
	const int wheel = gear( &p );
	status |= near_and_far( options, &p, "gears", wheel, wheel );
	status |= flat_parts( options, &p );
	const int outer = ball( &p, 1.0, 200, 200 ), inner = ball( &p, 1.0 - 1e-4, 200, 200 );
	status |= concentric( options, &p, outer, inner );
	for ( int i = 0; i < p.count; ++i )
		dbvh_tree_destroy( p.trees[i] );
	dbvh_workspace_destroy( p.workspace );
	free( p.room );
	return status;
}
