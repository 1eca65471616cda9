// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Overlaps of all pairs against the truth about boxes, and the fits that rules and sags allow: pins in bores, press
// fits, limits of depth and of volume.

#include "dualbvh/scene.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static dbvh_tree *box_tree( double x, double y, double z ) {
	shape s = { 0 };
	shape_add_box( &s, x, y, z, 1 );
	return take_tree( &s );
}

// ------------------------------------------------------------------------------------------------
// Boxes, whose overlaps are known

enum { MOST_BOXES = 24, MOST_PAIRS = MOST_BOXES * ( MOST_BOXES - 1 ) / 2 };

typedef struct interior {
	double lower[3], upper[3];
} interior;

typedef struct room {
	dbvh_scene *scene;
	dbvh_tree *trees[MOST_BOXES];
	interior boxes[MOST_BOXES];
	size_t count;
} room;

// Coordinates are multiples of 1/16, so that boxes touch, have common faces and are inside each other.
static void fill_room( room *x, rng *r ) {
	*x = ( room ){ .count = 2 + rng_below( r, MOST_BOXES - 1 ) };
	assert_int_equal( dbvh_scene_create( NULL, &x->scene, NULL ), DBVH_OK );
	for ( size_t i = 0; i < x->count; ++i ) {
		dbvh_pose pose = dbvh_pose_identity();
		double half[3];
		uint32_t number;
		for ( int k = 0; k < 3; ++k ) {
			half[k] = (double)( 2 + rng_below( r, 14 ) ) / 16.0;
			pose.pos[k] = (double)rng_below( r, 48 ) / 16.0;
			x->boxes[i].lower[k] = pose.pos[k] - half[k];
			x->boxes[i].upper[k] = pose.pos[k] + half[k];
		}
		x->trees[i] = box_tree( half[0], half[1], half[2] );
		assert_int_equal( dbvh_scene_add_body( x->scene, x->trees[i], &pose, NULL, &number, NULL ), DBVH_OK );
		assert_int_equal( number, i );
	}
}

static void clear_room( room *x ) {
	dbvh_scene_destroy( x->scene );
	for ( size_t i = 0; i < x->count; ++i )
		dbvh_tree_destroy( x->trees[i] );
}

// The greatest distance of a point of a common box from the surface of a box that holds it. A point may be chosen along
// each axis by itself.
static double depth_of( const interior *common, const interior *box ) {
	double depth = INFINITY;
	for ( int k = 0; k < 3; ++k ) {
		const double middle = 0.5 * ( box->lower[k] + box->upper[k] );
		const double at = fmin( fmax( middle, common->lower[k] ), common->upper[k] );
		depth = fmin( depth, fmin( at - box->lower[k], box->upper[k] - at ) );
	}
	return depth;
}

typedef struct truth {
	double volume, a_in_b, b_in_a;
} truth;

static bool overlap_of( const interior *a, const interior *b, truth *out ) {
	interior common;
	out->volume = 1.0;
	for ( int k = 0; k < 3; ++k ) {
		common.lower[k] = fmax( a->lower[k], b->lower[k] );
		common.upper[k] = fmin( a->upper[k], b->upper[k] );
		if ( common.lower[k] >= common.upper[k] )
			return false;
		out->volume *= common.upper[k] - common.lower[k];
	}
	out->a_in_b = depth_of( &common, b );
	out->b_in_a = depth_of( &common, a );
	return true;
}

static bool holds( dbvh_interval x, double value ) {
	return x.lower <= value && value <= x.upper;
}

static double middle_of( dbvh_interval x ) {
	return 0.5 * x.lower + 0.5 * x.upper;
}

typedef struct ranked {
	double shown, truth, width;
} ranked;

static int by_shown( const void *x, const void *y ) {
	const double a = ( (const ranked *)x )->shown, b = ( (const ranked *)y )->shown;
	return a > b ? -1 : a < b;
}

// Sorted by the depths that are shown, the true depths descend, but for what the widths leave open.
static void check_ranking( ranked *list, size_t count ) {
	qsort( list, count, sizeof *list, by_shown );
	for ( size_t i = 1; i < count; ++i )
		assert_true( list[i - 1].truth >= list[i].truth - 0.5 * ( list[i - 1].width + list[i].width ) );
}

static void overlaps_of_boxes( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: overlaps of boxes", 91 );
	static dbvh_scene_overlap found[MOST_PAIRS];
	static ranked list[MOST_PAIRS];
	size_t pairs = 0, apart = 0, narrow = 0;
	for ( size_t n = 0; n < rounds( 100 ); ++n ) {
		room x;
		fill_room( &x, &r );
		dbvh_scene_result result;
		const dbvh_scene_query query = { .find = DBVH_FIND_ALL, .thread_count = 1 + (uint32_t)rng_below( &r, 3 ) };
		assert_int_equal( dbvh_scene_overlaps( x.scene, &query, found, MOST_PAIRS, &result, NULL ), DBVH_OK );
		size_t at = 0;
		for ( uint32_t i = 0; i < x.count; ++i )
			for ( uint32_t j = i + 1; j < x.count; ++j ) {
				truth t;
				if ( !overlap_of( &x.boxes[i], &x.boxes[j], &t ) ) {
					++apart;
					continue;
				}
				assert_true( at < result.found_count );
				const dbvh_scene_overlap *o = &found[at];
				assert_true( o->a == i && o->b == j );
				assert_int_equal( o->reason, DBVH_OVERLAP_REASON_DECIDED );
				assert_int_equal( o->component_count, 1 );
				assert_true( holds( o->volume, t.volume ) && holds( o->a_in_b, t.a_in_b ) &&
				             holds( o->b_in_a, t.b_in_a ) );
				assert_true( holds( o->depth, fmin( t.a_in_b, t.b_in_a ) ) );
				assert_int_equal( o->verdict, DBVH_FIT_VERDICT_CLASH );
				narrow += o->depth.upper - o->depth.lower <= 1e-3 * o->depth.upper;
				list[at++] =
				    ( ranked ){ middle_of( o->depth ), fmin( t.a_in_b, t.b_in_a ), o->depth.upper - o->depth.lower };
			}
		assert_int_equal( at, result.found_count );
		check_ranking( list, at );
		pairs += at;
		clear_room( &x );
	}
	printf( "%zu pairs overlap, %zu do not; %zu depths within 1e-3\n", pairs, apart, narrow );
	assert_true( pairs > 0 && apart > 0 && narrow > pairs / 2 );
}

// ------------------------------------------------------------------------------------------------
// Fits

static uint32_t ring( shape *s, double radius, uint32_t corners, double z ) {
	const uint32_t first = (uint32_t)s->vertex_count;
	for ( uint32_t i = 0; i < corners; ++i ) {
		double cosine, sine;
		shape_turn( i, corners, &cosine, &sine );
		shape_vertex( s, radius * cosine, radius * sine, z );
	}
	return first;
}

// A prism round the z axis.
static dbvh_tree *pin( double radius, uint32_t corners, double half_length ) {
	shape s = { 0 };
	const uint32_t low = ring( &s, radius, corners, -half_length ), high = ring( &s, radius, corners, half_length );
	const uint32_t foot = shape_vertex( &s, 0.0, 0.0, -half_length ), head = shape_vertex( &s, 0.0, 0.0, half_length );
	shape_ring_strip( &s, low, corners, high, corners );
	for ( uint32_t i = 0; i < corners; ++i ) {
		const uint32_t next = ( i + 1 ) % corners;
		shape_triangle( &s, foot, low + next, low + i );
		shape_triangle( &s, head, high + i, high + next );
	}
	return take_tree( &s );
}

// A tube round the z axis.
static dbvh_tree *bore( double radius, double outer_radius, uint32_t corners, double half_length ) {
	shape s = { 0 };
	const uint32_t outer_low = ring( &s, outer_radius, corners, -half_length );
	const uint32_t outer_high = ring( &s, outer_radius, corners, half_length );
	const uint32_t low = ring( &s, radius, corners, -half_length ), high = ring( &s, radius, corners, half_length );
	shape_ring_strip( &s, outer_low, corners, outer_high, corners );
	shape_ring_strip( &s, outer_high, corners, high, corners );
	shape_ring_strip( &s, high, corners, low, corners );
	shape_ring_strip( &s, low, corners, outer_low, corners );
	return take_tree( &s );
}

// The kind of the only clash or fit of two bodies under a rule; CLASH_NONE: there is none.
enum { CLASH_NONE = -1 };
static int kind_of( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, const dbvh_pair_rule *rule,
                    double sag ) {
	dbvh_scene *scene;
	uint32_t number;
	const dbvh_body_options options = { .sag = sag };
	const dbvh_scene_query listed = { .find = DBVH_FIND_ALL, .lists_fits = true }, plain = { .find = DBVH_FIND_ALL };
	dbvh_scene_result result;
	dbvh_clash clash = { 0 };
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( scene, a, NULL, &options, &number, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_add_body( scene, b, pose, &options, &number, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_set_default_rule( scene, rule, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_clashes( scene, &listed, &clash, 1, &result, NULL ), DBVH_OK );
	const int kind = result.found_count == 0 ? CLASH_NONE : (int)clash.kind;
	assert_int_equal( dbvh_scene_clashes( scene, &plain, NULL, 0, &result, NULL ), DBVH_OK );
	assert_int_equal( result.found_count, kind != CLASH_NONE && kind != DBVH_CLASH_KIND_FIT );
	dbvh_scene_overlap overlap = { 0 };
	assert_int_equal( dbvh_scene_overlaps( scene, &plain, &overlap, 1, &result, NULL ), DBVH_OK );
	if ( kind == DBVH_CLASH_KIND_FIT )
		assert_int_equal( overlap.verdict, DBVH_FIT_VERDICT_FIT );
	else if ( kind == DBVH_CLASH_KIND_HARD )
		assert_int_equal( overlap.verdict, DBVH_FIT_VERDICT_CLASH );
	dbvh_scene_destroy( scene );
	return kind;
}

static int kind_by_depth( const dbvh_tree *a, const dbvh_tree *b, double allowed ) {
	const dbvh_pair_rule rule = { .allowed_depth = allowed };
	return kind_of( a, b, NULL, &rule, 0.0 );
}

// Facets of the same nominal radius, 48 and 64 of them, overlap by 0.00534 all round; the shortest move that parts the
// two is as long as the pin.
static void pins_in_bores( void **state ) {
	(void)state;
	dbvh_tree *a = pin( 5.0, 48, 4.0 ), *b = bore( 5.0, 10.0, 64, 3.0 );
	static const dbvh_pair_rule none = { 0 };
	if ( !is_short_run() ) { // each takes long under the sanitizers
		assert_int_equal( kind_by_depth( a, b, 0.0 ), DBVH_CLASH_KIND_HARD );
		assert_int_equal( kind_by_depth( a, b, 0.006 ), DBVH_CLASH_KIND_FIT );
	}
	assert_int_equal( kind_by_depth( a, b, 0.005 ), DBVH_CLASH_KIND_HARD );
	assert_int_equal( kind_by_depth( b, a, 0.006 ), DBVH_CLASH_KIND_FIT );
	assert_int_equal( kind_of( a, b, NULL, &none, 0.002 ), DBVH_CLASH_KIND_HARD ); // the sags of both: 0.004
	assert_int_equal( kind_of( a, b, NULL, &none, 0.003 ), DBVH_CLASH_KIND_FIT );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
}

// A pin that is 0.02 too thick, with the same facets as its bore: the deepest points are its corners.
static void press_fits( void **state ) {
	(void)state;
	dbvh_tree *a = pin( 5.02, 64, 4.0 ), *b = bore( 5.0, 10.0, 64, 3.0 ), *loose = pin( 4.98, 64, 4.0 );
	assert_int_equal( kind_by_depth( a, b, 0.019 ), DBVH_CLASH_KIND_HARD );
	assert_int_equal( kind_by_depth( a, b, 0.0205 ), DBVH_CLASH_KIND_FIT );
	assert_int_equal( kind_by_depth( loose, b, 0.0 ), CLASH_NONE );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	dbvh_tree_destroy( loose );
}

static dbvh_pair_rule allowing( double depth, double volume ) {
	return ( dbvh_pair_rule ){ .allowed_depth = depth, .allowed_volume = volume };
}

// Boxes that overlap by 0.5 along x: depth 0.5, volume 2.
static void limits_together( void **state ) {
	(void)state;
	dbvh_tree *tree = box_tree( 1.0, 1.0, 1.0 );
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = 1.5;
	const struct {
		double depth, volume, sag;
		int kind;
	} cases[] = { { 0.6, 0.0, 0.0, DBVH_CLASH_KIND_FIT },  { 0.4, 0.0, 0.0, DBVH_CLASH_KIND_HARD },
	              { 0.0, 2.1, 0.0, DBVH_CLASH_KIND_FIT },  { 0.0, 1.9, 0.0, DBVH_CLASH_KIND_HARD },
	              { 0.6, 2.1, 0.0, DBVH_CLASH_KIND_FIT },  { 0.6, 1.9, 0.0, DBVH_CLASH_KIND_HARD },
	              { 0.4, 2.1, 0.0, DBVH_CLASH_KIND_HARD }, { 0.4, 0.0, 0.1, DBVH_CLASH_KIND_FIT },
	              { 0.4, 1.9, 0.1, DBVH_CLASH_KIND_HARD } };
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		const dbvh_pair_rule rule = allowing( cases[i].depth, cases[i].volume );
		assert_int_equal( kind_of( tree, tree, &pose, &rule, cases[i].sag ), cases[i].kind );
	}
	// One box in another: its half thickness counts.
	dbvh_tree *inner = box_tree( 0.25, 0.5, 0.5 );
	const dbvh_pair_rule wide = allowing( 0.3, 0.0 ), tight = allowing( 0.2, 0.0 );
	assert_int_equal( kind_of( tree, inner, NULL, &wide, 0.0 ), DBVH_CLASH_KIND_FIT );
	assert_int_equal( kind_of( tree, inner, NULL, &tight, 0.0 ), DBVH_CLASH_KIND_CONTAINMENT );
	dbvh_tree_destroy( inner );
	dbvh_tree_destroy( tree );
}

// A volume that is known to an interval is within a limit if all of the interval is, and beyond it if none is.
static void limits_within_intervals( void **state ) {
	(void)state;
	static const double turn[4] = { 0.9, 0.3, 0.2, 0.1 }, at[3] = { 1.1, 0.3, 0.2 };
	dbvh_tree *tree = box_tree( 1.0, 1.0, 1.0 );
	const dbvh_pose pose = dbvh_pose_from_quaternion( turn, at );
	dbvh_overlap *overlap;
	dbvh_overlap_result result;
	assert_int_equal( dbvh_overlap_create( NULL, &overlap, NULL ), DBVH_OK );
	assert_int_equal( dbvh_overlap_find( tree, NULL, tree, &pose, NULL, overlap, &result, NULL ), DBVH_OK );
	const dbvh_interval volume = result.measure.volume;
	assert_true( volume.lower > 0.0 && volume.lower < volume.upper );
	const dbvh_pair_rule within = allowing( 0.0, volume.upper ), unsure = allowing( 0.0, volume.lower ),
	                     beyond = allowing( 0.0, nextafter( volume.lower, 0.0 ) );
	assert_int_equal( kind_of( tree, tree, &pose, &within, 0.0 ), DBVH_CLASH_KIND_FIT );
	assert_int_equal( kind_of( tree, tree, &pose, &unsure, 0.0 ), DBVH_CLASH_KIND_UNDECIDABLE );
	assert_int_equal( kind_of( tree, tree, &pose, &beyond, 0.0 ), DBVH_CLASH_KIND_HARD );
	dbvh_overlap_destroy( overlap );
	dbvh_tree_destroy( tree );
}

// An open body has no depth: nothing makes its overlap a fit.
static void open_bodies( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1.0, 1.0, 1.0, 1 );
	s.triangle_count -= 2;
	dbvh_tree *open = take_tree( &s ), *tree = box_tree( 0.5, 2.0, 0.25 );
	static const double allowed[3][2] = { { 10.0, 10.0 }, { 10.0, 0.0 }, { 0.0, 10.0 } };
	for ( int i = 0; i < 3; ++i ) {
		const dbvh_pair_rule rule = allowing( allowed[i][0], allowed[i][1] );
		assert_true( kind_of( open, tree, NULL, &rule, 0.0 ) != DBVH_CLASH_KIND_FIT );
	}
	dbvh_tree_destroy( open );
	dbvh_tree_destroy( tree );
}

static void refusals( void **state ) {
	(void)state;
	dbvh_scene *scene;
	dbvh_error error;
	dbvh_scene_result result;
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	const dbvh_pair_rule bad[] = { allowing( -1.0, 0.0 ), allowing( NAN, 0.0 ), allowing( 0.0, INFINITY ) };
	for ( size_t i = 0; i < 3; ++i ) {
		assert_int_equal( dbvh_scene_set_default_rule( scene, &bad[i], &error ), DBVH_INVALID_ARGUMENT );
		assert_true( strstr( error.text, "rule.allowed_" ) != NULL );
	}
	assert_int_equal( dbvh_scene_overlaps( scene, NULL, NULL, 1, &result, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_overlaps( NULL, NULL, NULL, 0, &result, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_overlaps( scene, NULL, NULL, 0, NULL, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_overlaps( scene, NULL, NULL, 0, &result, &error ), DBVH_OK );
	assert_int_equal( result.found_count, 0 );
	dbvh_scene_destroy( scene );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( overlaps_of_boxes ),
	                                    cmocka_unit_test( pins_in_bores ),
	                                    cmocka_unit_test( press_fits ),
	                                    cmocka_unit_test( limits_together ),
	                                    cmocka_unit_test( limits_within_intervals ),
	                                    cmocka_unit_test( open_bodies ),
	                                    cmocka_unit_test( refusals ) };
	return test_main( argc, argv, tests );
}
