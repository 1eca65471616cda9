// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// test_ellipsoid_pairs [PAIRS]: every method of comparing an ellipsoid with a box against the oracle on that many
// pairs, spread over all regimes, and a table. The batch form is among the methods: its boxes come in packs of 64. The
// test of two nodes in a traversal may leave what is apart, and must not separate what meets, by whatever little.

#include "bvh/ellipsoid_test.h"
#include "cases.h"
#include "primitive/ellipsoid/ellipsoid.h"
#include "support/command_line.h"

#include <math.h>
#include <string.h>

enum { BATCH = DBVH_ELLIPSOID_METHOD_COUNT, COUNT = BATCH + 1, PACK = 64 };

static const char *const names[COUNT] = { "descent",  "BF",      "FD",        "FS",   "FS+QR",
                                          "features", "closest", "minkowski", "batch" };

typedef struct tally {
	unsigned long long pairs, meeting, near, near_meeting, wide;
	unsigned long long wrong[COUNT], near_wrong[COUNT];
	// The test of nodes: wrong answers among pairs that meet, pairs found disjoint, and all disjoint pairs.
	unsigned long long node_wrong, node_separated, node_pairs;
} tally;

// The ellipsoid as a node of a tree stores it.
static dbvhi_reach reach_of( const dbvh_ellipsoid *e ) {
	dbvhi_reach out = { .centre = { { e->centre[0], e->centre[1], e->centre[2] } } };
	for ( int k = 0; k < 3; ++k )
		out.longest = fmax( out.longest, e->half[k] * ( 1.0 + 0x1p-50 ) );
	for ( int i = 0; i < 3; ++i )
		for ( int k = 0; k < 3; ++k ) {
			const double x = e->axis[k][i] * e->half[k];
			out.shape[i] += x * x;
			out.shape[3 + i] += x * e->axis[k][( i + 1 ) % 3] * e->half[k];
		}
	return out;
}

static void ask_nodes( tally *t, const volume_pair *p, truth is ) {
	const dbvhi_reach reach = reach_of( &p->ellipsoid );
	if ( !( reach.longest >= 0x1p-40 && reach.longest <= 0x1p40 ) )
		return; // such a tree has none
	t->node_pairs += is == TRUTH_APART || is == TRUTH_NEAR_APART;
	dbvhi_placed_box box;
	for ( int k = 0; k < 3; ++k ) {
		box.centre.v[k] = p->box.centre[k];
		box.half.v[k] = p->box.half[k];
		for ( int c = 0; c < 3; ++c )
			box.axes.m[c][k] = p->box.axis[k][c];
	}
	const bool separated = dbvhi_ellipsoid_box_disjoint( &reach, &box, 0.0 );
	t->node_wrong += separated && ( is == TRUTH_MEETING || is == TRUTH_NEAR_MEETING );
	t->node_separated += separated;
}

static void count( tally *t, truth is, int method, bool verdict ) {
	const bool intersects = is == TRUTH_MEETING || is == TRUTH_NEAR_MEETING;
	const bool near = is == TRUTH_NEAR_APART || is == TRUTH_NEAR_MEETING;
	if ( intersects != verdict )
		( near ? t->near_wrong : t->wrong )[method] += 1;
}

static void show( const volume_pair *p, int method, truth is ) {
	printf( "  wrong: %s, oracle %d, margin %g\n", names[method], is, dbvh_ellipsoid_margin( &p->ellipsoid, &p->box ) );
	const double *x = (const double *)p;
	for ( size_t i = 0; i < sizeof *p / sizeof *x; ++i )
		printf( "%a%s", x[i], i % 6 == 5 ? "\n" : " " );
}

static void compare( rng *r, int regime, tally *t ) {
	volume_pair pairs[PACK];
	dbvh_obb boxes[PACK];
	uint8_t intersects[PACK];
	for ( int i = 0; i < PACK; ++i ) {
		pairs[i] = random_volumes( r, regime );
		const truth is = oracle_obb( &pairs[i].ellipsoid, &pairs[i].box, &t->wide );
		t->pairs += 1;
		t->meeting += is == TRUTH_MEETING || is == TRUTH_NEAR_MEETING;
		t->near += is >= TRUTH_NEAR_APART;
		t->near_meeting += is == TRUTH_NEAR_MEETING;
		ask_nodes( t, &pairs[i], is );
		for ( int method = 0; method < BATCH; ++method ) {
			const unsigned long long before = t->wrong[method];
			bool verdict = false;
			if ( dbvh_ellipsoid_obb_intersect( &pairs[i].ellipsoid, &pairs[i].box, (dbvh_ellipsoid_method)method,
			                                   &verdict ) != DBVH_OK ) {
				puts( "a pair was refused" );
				exit( EXIT_FAILURE );
			}
			count( t, is, method, verdict );
			if ( t->wrong[method] != before && before < 3 )
				show( &pairs[i], method, is );
		}
	}
	// The first ellipsoid with a pack of as many boxes that suit it.
	const dbvh_ellipsoid *one = &pairs[0].ellipsoid;
	for ( int i = 0; i < PACK; ++i )
		boxes[i] = random_box_for( r, regime, one );
	dbvh_obb_pack *pack = NULL;
	if ( dbvh_obb_pack_create( boxes, PACK, NULL, &pack, NULL ) != DBVH_OK ||
	     dbvh_ellipsoid_obb_intersect_batch( one, pack, intersects, NULL ) != DBVH_OK ) {
		puts( "a pack was refused" );
		exit( EXIT_FAILURE );
	}
	for ( int j = 0; j < PACK; ++j ) {
		unsigned long long wide = 0;
		const truth is = oracle_obb( one, &boxes[j], &wide );
		const unsigned long long before = t->wrong[BATCH];
		count( t, is, BATCH, intersects[j] != 0 );
		if ( t->wrong[BATCH] != before && before < 3 )
			show( &( volume_pair ){ *one, boxes[j] }, BATCH, is );
	}
	dbvh_obb_pack_destroy( pack );
}

int main( int argc, char **argv ) {
	const test_command_line line = test_command_line_read( argc, argv, ( test_usage ){ .operands = "[PAIRS]" },
	                                                       regime_names, REGIME_COUNT, sizeof regime_names[0] );
	const unsigned long long pairs = test_operand( &line, 0, 10000000 );
	rng r = rng_announce( "ellipsoid_pairs", 20080125 );
	tally all = { 0 };
	printf( "wrong verdicts of each method; in brackets those within the margin of touching, which do not count\n" );
	printf( "%-15s %9s %9s %8s %9s", "regime", "pairs", "meeting", "near", "in quad" );
	for ( int m = 0; m < COUNT; ++m )
		printf( " %12s", names[m] );
	puts( "   nodes (separated)" );
	int status = EXIT_SUCCESS;
	for ( int regime = 0; regime <= REGIME_COUNT; ++regime ) {
		tally t = { 0 };
		if ( regime < REGIME_COUNT && !test_is_chosen( regime_names[regime] ) )
			continue;
		if ( regime < REGIME_COUNT ) {
			while ( t.pairs < ( pairs + REGIME_COUNT - 1 ) / REGIME_COUNT )
				compare( &r, regime, &t );
			all.pairs += t.pairs;
			all.meeting += t.meeting;
			all.near += t.near;
			all.wide += t.wide;
			all.node_wrong += t.node_wrong;
			all.node_separated += t.node_separated;
			all.node_pairs += t.node_pairs;
			for ( int m = 0; m < COUNT; ++m ) {
				all.wrong[m] += t.wrong[m];
				all.near_wrong[m] += t.near_wrong[m];
			}
			// Each regime has to show both outcomes.
			if ( t.meeting < t.pairs / 50 || t.meeting > t.pairs - t.pairs / 50 )
				status = EXIT_FAILURE;
		} else {
			t = all;
		}
		printf( "%-15s %9llu %9llu %8llu %9llu", regime < REGIME_COUNT ? regime_names[regime] : "all", t.pairs,
		        t.meeting, t.near, t.wide );
		for ( int m = 0; m < COUNT; ++m ) {
			char text[48];
			snprintf( text, sizeof text, "%llu (%llu)", t.wrong[m], t.near_wrong[m] );
			printf( " %12s", text );
			status = t.wrong[m] > 0 ? EXIT_FAILURE : status;
		}
		printf( "   %llu (%llu of %llu)\n", t.node_wrong, t.node_separated, t.node_pairs );
		if ( t.node_wrong > 0 || t.node_separated < t.node_pairs / 10 )
			status = EXIT_FAILURE;
		fflush( stdout );
	}
	return status;
}
