// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Overlaps of scenes whose true depths and volumes have closed forms: sorted by what is found they stand in the order
// of the truth, and limits of depth a billionth to either side of it tell fits from clashes.

#include "dualbvh/scene.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/solid_shapes.h"
#include "support/unit.h"

#include <math.h>
#include <stdlib.h>

// The formulas below, and the corners of round shapes, are off by less than this, relatively.
#define FORMULA 1e-12

// No body is wider.
#define WIDEST 16.0

// Two bodies that overlap, and how much they do.
typedef struct couple {
	dbvh_tree *trees[2];
	dbvh_pose poses[2];
	double a_in_b, b_in_a;
	double volume; // NAN: no closed form
} couple;

static dbvh_tree *box_tree( const double half[3], uint32_t cuts ) {
	shape s = { 0 };
	shape_add_box( &s, half[0], half[1], half[2], cuts );
	return take_tree( &s );
}

// A number in [low, high] that is a multiple of 2^-16, so that sums of a few are exact.
static double any_length( rng *r, double low, double high ) {
	return rint( rng_range( r, low, high ) * 0x1p16 ) * 0x1p-16;
}

// Put a wide box, 8 thick, above body A: its lower face is at the height z.
static void put_lid( couple *c, double z ) {
	static const double half[3] = { 0.5 * WIDEST, 0.5 * WIDEST, 4.0 };
	c->trees[1] = box_tree( half, 1 );
	c->poses[1].pos[2] = z + half[2];
}

// ------------------------------------------------------------------------------------------------
// The kinds of couples

// The greatest distance from the surface of a box round the origin of points of it that are in another one. A point may
// be chosen along each axis by itself.
static double depth_in_box( const double half[3], const double move[3], const double other_half[3] ) {
	double depth = INFINITY;
	for ( int k = 0; k < 3; ++k ) {
		const double low = fmax( move[k] - other_half[k], -half[k] ), high = fmin( move[k] + other_half[k], half[k] );
		const double at = fmin( fmax( 0.0, low ), high );
		depth = fmin( depth, half[k] - fabs( at ) );
	}
	return depth;
}

static void boxes( couple *c, rng *r ) {
	double half[2][3], move[3], back[3];
	c->volume = 1.0;
	for ( int k = 0; k < 3; ++k ) {
		half[0][k] = any_length( r, 0.25, 4.0 );
		half[1][k] = any_length( r, 0.25, 4.0 );
		const double reach = half[0][k] + half[1][k] - 0.0625;
		move[k] = any_length( r, -reach, reach );
		back[k] = -move[k];
		c->volume *= fmin( half[0][k], move[k] + half[1][k] ) - fmax( -half[0][k], move[k] - half[1][k] );
		c->poses[1].pos[k] = move[k];
	}
	for ( int m = 0; m < 2; ++m )
		c->trees[m] = box_tree( half[m], 1 + (uint32_t)rng_below( r, 3 ) );
	c->a_in_b = depth_in_box( half[1], back, half[0] );
	c->b_in_a = depth_in_box( half[0], move, half[1] );
}

// The distance of the point (0, 0, z) from the planes of the faces of a ball, all of which enclose it.
static double depth_in_ball( const shape *s, double z ) {
	double depth = INFINITY;
	for ( size_t t = 0; t < s->triangle_count; ++t ) {
		const double *p[3];
		double n[3];
		for ( int k = 0; k < 3; ++k )
			p[k] = s->positions + 3 * (size_t)s->indices[3 * t + k];
		for ( int k = 0; k < 3; ++k ) {
			const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
			n[k] = ( p[1][x] - p[0][x] ) * ( p[2][y] - p[0][y] ) - ( p[1][y] - p[0][y] ) * ( p[2][x] - p[0][x] );
		}
		const double height = n[0] * p[0][0] + n[1] * p[0][1] + n[2] * ( p[0][2] - z );
		depth = fmin( depth, height / sqrt( n[0] * n[0] + n[1] * n[1] + n[2] * n[2] ) );
	}
	return depth;
}

static double polygon_area( double radius, uint32_t corners ) {
	double cosine, sine;
	shape_turn( 1, corners, &cosine, &sine );
	return 0.5 * corners * sine * radius * radius;
}

// The volume of a ball above z > 0: frusta over the polygons of its stacks.
static double cap_of_ball( double radius, uint32_t slices, uint32_t stacks, double z ) {
	double volume = 0.0, top = radius, top_width = 0.0;
	for ( uint32_t i = 1; i < stacks && top > z; ++i ) {
		double cosine, sine;
		shape_turn( i, 2 * stacks, &cosine, &sine );
		const double bottom = radius * cosine, width = radius * sine;
		const double low = fmax( bottom, z );
		const double low_width = top_width + ( width - top_width ) * ( top - low ) / ( top - bottom );
		volume += ( top - low ) / 3.0 *
		          ( polygon_area( top_width, slices ) + polygon_area( low_width, slices ) +
		            sqrt( polygon_area( top_width, slices ) * polygon_area( low_width, slices ) ) );
		top = bottom;
		top_width = width;
	}
	return volume;
}

// The pole of a ball is deepest in a lid. The distance from the ball's surface is concave and has the ball's
// symmetries: no point of the lid in the ball is deeper than the one on the axis, on the lid's face.
static void ball_under_lid( couple *c, rng *r ) {
	const uint32_t slices = 4 + 2 * (uint32_t)rng_below( r, 3 ), stacks = 4 + 2 * (uint32_t)rng_below( r, 3 );
	const double radius = any_length( r, 1.0, 3.0 ), depth = any_length( r, 0.03, 0.9 );
	shape s = { 0 };
	shape_add_sphere( &s, radius, slices, stacks );
	put_lid( c, radius - depth );
	c->a_in_b = depth;
	c->b_in_a = depth_in_ball( &s, radius - depth );
	c->volume = cap_of_ball( radius, slices, stacks, radius - depth );
	c->trees[0] = take_tree( &s );
}

// An edge of a box, turned by the angle of the triangle of 3, 4 and 5, in a lid: a right-angled triangle with height
// `depth` on its longest side, along which the point of the inscribed square is deepest in the box.
static void edge_under_lid( couple *c, rng *r ) {
	const double depth = any_length( r, 0.03, 0.9 );
	const double half[3] = { any_length( r, 2.0, 4.0 ), any_length( r, 1.0, 4.0 ), any_length( r, 2.0, 4.0 ) };
	c->trees[0] = box_tree( half, 1 + (uint32_t)rng_below( r, 3 ) );
	c->poses[0].rot[0][0] = c->poses[0].rot[2][2] = 0.8;
	c->poses[0].rot[0][2] = 0.6;
	c->poses[0].rot[2][0] = -0.6;
	put_lid( c, 0.6 * half[0] + 0.8 * half[2] - depth );
	c->a_in_b = depth;
	c->b_in_a = depth / 1.4;
	c->volume = depth * depth / 0.48 * half[1];
}

static double volume_of( const shape *s ) {
	double six = 0.0;
	for ( size_t t = 0; t < s->triangle_count; ++t ) {
		const double *p = s->positions + 3 * (size_t)s->indices[3 * t],
		             *q = s->positions + 3 * (size_t)s->indices[3 * t + 1],
		             *w = s->positions + 3 * (size_t)s->indices[3 * t + 2];
		six += p[0] * ( q[1] * w[2] - q[2] * w[1] ) + p[1] * ( q[2] * w[0] - q[0] * w[2] ) +
		       p[2] * ( q[0] * w[1] - q[1] * w[0] );
	}
	return six / 6.0;
}

// Two gears of one axis, one above the other and a little into it, turned or not: the ring between bore and root holds
// points that are as far from both sides as the gears overlap.
static void gears( couple *c, rng *r ) {
	shape_gear gear = shape_gear_default();
	gear.teeth = 8 + (uint32_t)rng_below( r, 4 );
	gear.bore_radius = 0.25;
	gear.thickness = any_length( r, 2.0, 4.0 );
	gear.flank_segments = 1;
	const double depth = any_length( r, 0.03, 0.75 );
	const bool turned = rng_below( r, 2 ) == 0;
	for ( int m = 0; m < 2; ++m ) {
		shape s = { 0 };
		assert_true( shape_add_gear( &s, &gear ) );
		c->volume = turned ? (double)NAN : volume_of( &s ) / gear.thickness * depth;
		c->trees[m] = take_tree( &s );
	}
	static const double axis[3] = { 0.0, 0.0, 1.0 };
	const double at[3] = { 0.0, 0.0, gear.thickness - depth };
	c->poses[1] = shape_pose( axis, turned ? rng_range( r, 0.0, 45.0 ) : 0.0, at );
	c->a_in_b = c->b_in_a = depth;
}

// A pin that is too thick for its bore, with the same facets: its corners are deepest in the bore's wall, the inner
// facets of the wall deepest in the pin.
static void press_fit( couple *c, rng *r ) {
	const uint32_t facets = 6 + 2 * (uint32_t)rng_below( r, 4 );
	const double radius = any_length( r, 1.0, 4.0 ), tight = any_length( r, 0.0078125, 0.25 ), length = 2.0;
	double polygon[16][2], cosine, sine;
	shape pin = { 0 }, bore = { 0 };
	for ( uint32_t i = 0; i < facets; ++i ) {
		shape_turn( i, facets, &cosine, &sine );
		polygon[i][0] = ( radius + tight ) * cosine;
		polygon[i][1] = ( radius + tight ) * sine;
	}
	add_prism( &pin, (const double( * )[2])polygon, facets, -4.0, 4.0 );
	shape_add_pipe( &bore, radius, radius + 4.0, length, facets );
	c->trees[0] = take_tree( &pin );
	c->trees[1] = take_tree( &bore );
	shape_turn( 1, 2 * facets, &cosine, &sine );
	c->a_in_b = tight;
	c->b_in_a = tight * cosine;
	c->volume = length * ( polygon_area( radius + tight, facets ) - polygon_area( radius, facets ) );
}

enum { BOXES, BALL_UNDER_LID, EDGE_UNDER_LID, GEARS, PRESS_FIT, KINDS, QUICK_KINDS = GEARS };
static void ( *const kinds[KINDS] )( couple *c, rng *r ) = { boxes, ball_under_lid, edge_under_lid, gears, press_fit };

static couple make_couple( int kind, rng *r ) {
	couple c = { .poses = { dbvh_pose_identity(), dbvh_pose_identity() } };
	kinds[kind]( &c, r );
	return c;
}

static void free_couple( couple *c ) {
	for ( int m = 0; m < 2; ++m )
		dbvh_tree_destroy( c->trees[m] );
}

// The kind of a couple of a scene. Gears and press fits take many times as long as others.
static int kind_in_scene( size_t scene, size_t index, rng *r ) {
	if ( index == 0 && scene % 4 == 0 )
		return GEARS;
	return index == 1 && scene % 2 == 0 ? PRESS_FIT : (int)rng_below( r, QUICK_KINDS );
}

static double least_of( const couple *c ) {
	return fmin( c->a_in_b, c->b_in_a );
}

// ------------------------------------------------------------------------------------------------
// Ranking

static bool holds( dbvh_interval x, double truth ) {
	return x.lower <= truth * ( 1.0 + FORMULA ) && x.upper >= truth * ( 1.0 - FORMULA );
}

typedef struct ranked {
	dbvh_interval found;
	double truth;
} ranked;

// The order of the command: by the middle.
static int by_found( const void *x, const void *y ) {
	const ranked *a = x, *b = y;
	const double p = a->found.lower + a->found.upper, q = b->found.lower + b->found.upper;
	return p > q ? -1 : p < q;
}

typedef struct ordered {
	size_t apart, all;
} ordered;

// Sorted by what is found, overlaps stand in the order of the truth, wherever intervals are apart.
static void check_ranking( ranked *list, size_t count, ordered *t ) {
	qsort( list, count, sizeof *list, by_found );
	for ( size_t j = 1; j < count; ++j )
		for ( size_t i = 0; i < j; ++i ) {
			const bool apart = list[i].found.lower > list[j].found.upper;
			assert_true( !apart || list[i].truth > list[j].truth );
			++t->all;
			t->apart += apart;
		}
}

enum { COUPLES = 7 };

static void add_couple( dbvh_scene *scene, const couple *c, size_t index ) {
	uint32_t number;
	for ( int m = 0; m < 2; ++m ) {
		dbvh_pose pose = c->poses[m];
		pose.pos[0] += 64.0 * (double)index;
		assert_int_equal( dbvh_scene_add_body( scene, c->trees[m], &pose, NULL, &number, NULL ), DBVH_OK );
		assert_int_equal( number, 2 * index + m );
	}
}

static void check_couple( const couple *c, const dbvh_scene_overlap *o, size_t index ) {
	assert_true( o->a == 2 * index && o->b == 2 * index + 1 );
	assert_true( holds( o->a_in_b, c->a_in_b ) );
	assert_true( holds( o->b_in_a, c->b_in_a ) );
	assert_true( holds( o->depth, least_of( c ) ) );
	assert_true( isnan( c->volume ) || holds( o->volume, c->volume ) );
	assert_int_equal( o->verdict, DBVH_FIT_VERDICT_CLASH );
}

static void ranking( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: ranking", 92 );
	ordered depths = { 0 }, volumes = { 0 };
	for ( size_t n = 0; n < rounds( 100 ); ++n ) {
		dbvh_scene *scene;
		couple couples[COUPLES];
		assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
		for ( size_t i = 0; i < COUPLES; ++i ) {
			couples[i] = make_couple( kind_in_scene( n, i, &r ), &r );
			add_couple( scene, &couples[i], i );
		}
		const dbvh_scene_query query = { .find = DBVH_FIND_ALL };
		dbvh_scene_overlap found[COUPLES];
		dbvh_scene_result result;
		assert_int_equal( dbvh_scene_overlaps( scene, &query, found, COUPLES, &result, NULL ), DBVH_OK );
		assert_int_equal( result.found_count, COUPLES );
		ranked by_depth[COUPLES], by_volume[COUPLES];
		size_t measured = 0;
		for ( size_t i = 0; i < COUPLES; ++i ) {
			check_couple( &couples[i], &found[i], i );
			by_depth[i] = ( ranked ){ found[i].depth, least_of( &couples[i] ) };
			if ( !isnan( couples[i].volume ) )
				by_volume[measured++] = ( ranked ){ found[i].volume, couples[i].volume };
		}
		check_ranking( by_depth, COUPLES, &depths );
		check_ranking( by_volume, measured, &volumes );
		dbvh_scene_destroy( scene );
		for ( size_t i = 0; i < COUPLES; ++i )
			free_couple( &couples[i] );
	}
	printf( "intervals are apart: %zu of %zu pairs of depths, %zu of %zu of volumes\n", depths.apart, depths.all,
	        volumes.apart, volumes.all );
	assert_outcomes( depths.apart > depths.all / 10 * 9 && volumes.apart > volumes.all / 10 * 9 );
}

// ------------------------------------------------------------------------------------------------
// Fits

static dbvh_fit_verdict verdict_of( const couple *c, double allowed ) {
	const dbvh_pair_rule rule = { .allowed_depth = allowed };
	dbvh_scene *scene;
	dbvh_scene_overlap found;
	dbvh_scene_result result;
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	add_couple( scene, c, 0 );
	assert_int_equal( dbvh_scene_set_default_rule( scene, &rule, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_overlaps( scene, NULL, &found, 1, &result, NULL ), DBVH_OK );
	assert_int_equal( result.found_count, 1 );
	dbvh_scene_destroy( scene );
	return found.verdict;
}

static dbvh_fit_verdict narrow_verdict_of( const couple *c, double allowed ) {
	const dbvh_local_depth_query query = { .allowed_depth = allowed, .relative_width = 0x1p-40, .verdict_only = true };
	dbvh_local_depth_result result;
	assert_int_equal(
	    dbvh_local_depth( c->trees[0], &c->poses[0], c->trees[1], &c->poses[1], &query, NULL, &result, NULL ),
	    DBVH_OK );
	return result.verdict;
}

// A scene, which finds depths to 1e-3, calls no fit a clash nor a clash a fit, and decides what is farther from the
// limit. A query for a narrow interval decides also limits that are a billionth of the widest body more and less than
// the depth; only boxes of which one is deepest in its middle, where its distance from the surface has a ridge, may be
// left undecided from below.
static void fits_to_a_billionth( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: fits to a billionth", 93 );
	size_t undecided = 0;
	for ( size_t n = 0; n < rounds( 3 ); ++n )
		for ( int kind = 0; kind < KINDS; ++kind ) {
			couple c = make_couple( kind, &r );
			const double depth = least_of( &c ), margin = 1e-9 * WIDEST;
			assert_int_equal( verdict_of( &c, depth * 1.002 ), DBVH_FIT_VERDICT_FIT );
			assert_int_equal( verdict_of( &c, depth * 0.998 ), DBVH_FIT_VERDICT_CLASH );
			assert_true( verdict_of( &c, depth + margin ) != DBVH_FIT_VERDICT_CLASH );
			assert_true( verdict_of( &c, depth - margin ) != DBVH_FIT_VERDICT_FIT );
			assert_int_equal( narrow_verdict_of( &c, depth + margin ), DBVH_FIT_VERDICT_FIT );
			const dbvh_fit_verdict tight = narrow_verdict_of( &c, depth - margin );
			undecided += tight == DBVH_FIT_VERDICT_UNDECIDED;
			assert_true( tight == DBVH_FIT_VERDICT_CLASH || ( kind == BOXES && tight == DBVH_FIT_VERDICT_UNDECIDED ) );
			free_couple( &c );
		}
	printf( "%zu undecided\n", undecided );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( ranking ), cmocka_unit_test( fits_to_a_billionth ) };
	return test_main( argc, argv, tests );
}
