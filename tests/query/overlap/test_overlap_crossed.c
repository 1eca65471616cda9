// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Volumes of overlaps of meshes whose shells cross, touch and hold each other: against counting of unit cubes, and by
// inclusion and exclusion against overlaps of their convex parts.

#include "dualbvh/overlap.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/solid_shapes.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dbvh_overlap *overlap, *other_overlap;

static int set_up( void **state ) {
	(void)state;
	return dbvh_overlap_create( NULL, &overlap, NULL ) == DBVH_OK &&
	               dbvh_overlap_create( NULL, &other_overlap, NULL ) == DBVH_OK
	           ? 0
	           : -1;
}

static int tear_down( void **state ) {
	(void)state;
	dbvh_overlap_destroy( overlap );
	dbvh_overlap_destroy( other_overlap );
	return 0;
}

static dbvh_tree *filled_tree( const shape *s, dbvh_fill_rule fill ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.fill = fill;
	const dbvh_mesh_view view = shape_view( s );
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
	return tree;
}

static bool is_in( dbvh_interval x, double truth ) {
	return x.lower <= truth && truth <= x.upper;
}

// ------------------------------------------------------------------------------------------------
// Counting

enum { GRID = 6, MOST = 4 };

// Boxes of whole coordinates; some are inside out.
typedef struct boxes {
	int count;
	double low[MOST][3], high[MOST][3];
	bool inwards[MOST];
} boxes;

static boxes any_boxes( rng *r, bool may_turn ) {
	boxes b = { .count = 1 + (int)rng_below( r, MOST ) };
	for ( int i = 0; i < b.count; ++i ) {
		bool twice;
		do {
			for ( int k = 0; k < 3; ++k ) {
				b.low[i][k] = (double)rng_below( r, GRID - 1 );
				b.high[i][k] = b.low[i][k] + 1.0 + (double)rng_below( r, GRID - (uint64_t)b.low[i][k] );
			}
			twice = false;
			for ( int j = 0; j < i; ++j )
				twice = twice || ( memcmp( b.low[i], b.low[j], sizeof b.low[i] ) == 0 &&
				                   memcmp( b.high[i], b.high[j], sizeof b.high[i] ) == 0 );
		} while ( twice ); // note: of shells that are there twice, each counts once; another test has them
		b.inwards[i] = may_turn && rng_below( r, 4 ) == 0;
	}
	return b;
}

static shape shape_of( const boxes *b, rng *r ) {
	shape s = { 0 };
	for ( int i = 0; i < b->count; ++i )
		add_block( &s, b->low[i], b->high[i], rng_below( r, 2 ) == 0, b->inwards[i] );
	return s;
}

// Turn some triangles round, which the even-odd rule does not look at.
static void turn_some( shape *s, rng *r ) {
	for ( size_t i = 0; i < s->triangle_count; ++i ) {
		if ( rng_below( r, 8 ) != 0 )
			continue;
		const uint32_t first = s->indices[3 * i];
		s->indices[3 * i] = s->indices[3 * i + 1];
		s->indices[3 * i + 1] = first;
	}
}

static bool encloses( const boxes *b, dbvh_fill_rule fill, const double x[3] ) {
	int winding = 0, count = 0;
	for ( int i = 0; i < b->count; ++i ) {
		bool inside = true;
		for ( int k = 0; k < 3; ++k )
			inside = inside && b->low[i][k] < x[k] && x[k] < b->high[i][k];
		count += inside;
		winding += inside ? ( b->inwards[i] ? -1 : 1 ) : 0;
	}
	return fill == DBVH_FILL_RULE_EVEN_ODD ? count % 2 != 0 : winding != 0;
}

static void test_counting( void **state ) {
	(void)state;
	rng r = rng_announce( "counting", 11 );
	const size_t count = rounds( 600 );
	size_t wrong = 0, wide = 0, seen[5] = { 0 };
	for ( size_t round = 0; round < count; ++round ) {
		boxes b[2];
		shape s[2];
		dbvh_tree *tree[2];
		dbvh_fill_rule fill[2];
		dbvh_pose pose = dbvh_pose_identity();
		for ( int m = 0; m < 2; ++m ) {
			b[m] = any_boxes( &r, true );
			s[m] = shape_of( &b[m], &r );
			fill[m] = rng_below( &r, 2 ) == 0 ? DBVH_FILL_RULE_NONZERO : DBVH_FILL_RULE_EVEN_ODD;
			if ( fill[m] == DBVH_FILL_RULE_EVEN_ODD && rng_below( &r, 2 ) == 0 )
				turn_some( &s[m], &r );
			tree[m] = filled_tree( &s[m], fill[m] );
		}
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = (double)rng_below( &r, 5 ) - 2.0;
		double truth = 0.0, first[3] = { 0.0, 0.0, 0.0 };
		for ( int i = 0; i < ( GRID + 1 ) * ( GRID + 1 ) * ( GRID + 1 ); ++i ) {
			const double x[3] = { i % ( GRID + 1 ) + 0.5, i / ( GRID + 1 ) % ( GRID + 1 ) + 0.5,
			                      i / ( GRID + 1 ) / ( GRID + 1 ) + 0.5 };
			const double y[3] = { x[0] - pose.pos[0], x[1] - pose.pos[1], x[2] - pose.pos[2] };
			if ( !encloses( &b[0], fill[0], x ) || !encloses( &b[1], fill[1], y ) )
				continue;
			truth += 1.0;
			for ( int k = 0; k < 3; ++k )
				first[k] += x[k];
		}
		dbvh_overlap_result there, back;
		assert_int_equal( dbvh_overlap_find( tree[0], NULL, tree[1], &pose, NULL, overlap, &there, NULL ), DBVH_OK );
		assert_int_equal( dbvh_overlap_find( tree[1], &pose, tree[0], NULL, NULL, other_overlap, &back, NULL ),
		                  DBVH_OK );
		seen[there.reason] += 1;
		const dbvh_overlap_measure *m = &there.measure;
		bool ok = is_in( m->volume, truth ) && memcmp( &m->volume, &back.measure.volume, sizeof m->volume ) == 0;
		for ( int k = 0; k < 3 && truth > 0.0; ++k )
			ok = ok && is_in( m->centroid[k], first[k] / truth );
		wide += m->volume.upper - m->volume.lower > 1e-9;
		if ( !ok && ++wrong <= 3 )
			printf( "round %zu: [%.17g, %.17g] %s, should be %g; back [%.17g, %.17g]\n", round, m->volume.lower,
			        m->volume.upper, dbvh_overlap_reason_name( there.reason ), truth, back.measure.volume.lower,
			        back.measure.volume.upper );
		for ( int k = 0; k < 2; ++k ) {
			dbvh_tree_destroy( tree[k] );
			shape_free( &s[k] );
		}
	}
	printf( "%zu decided, %zu through themselves, of %zu; %zu wide\n", seen[DBVH_OVERLAP_REASON_DECIDED],
	        seen[DBVH_OVERLAP_REASON_SELF_INTERSECTION], count, wide );
	assert_int_equal( wrong, 0 );
	assert_true( count < 100 || wide < count / 4 );
	assert_true( count < 100 ||
	             ( seen[DBVH_OVERLAP_REASON_DECIDED] > 0 && seen[DBVH_OVERLAP_REASON_SELF_INTERSECTION] > 0 ) );
}

// ------------------------------------------------------------------------------------------------
// Inclusion and exclusion

// What is common to the boxes of a set, bit i for box i. False if nothing is.
static bool common_box( const boxes *b, int set, double low[3], double high[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		low[k] = -INFINITY;
		high[k] = INFINITY;
		for ( int i = 0; i < b->count; ++i ) {
			if ( ( set >> i & 1 ) == 0 )
				continue;
			low[k] = fmax( low[k], b->low[i][k] );
			high[k] = fmin( high[k], b->high[i][k] );
		}
		if ( low[k] >= high[k] )
			return false;
	}
	return true;
}

// The factor of what is common to n of the parts.
static double factor_of( int set, dbvh_fill_rule fill ) {
	double factor = -1.0;
	int n = 0;
	for ( int rest = set; rest != 0; rest &= rest - 1 ) {
		factor *= fill == DBVH_FILL_RULE_EVEN_ODD ? -2.0 : -1.0;
		n += 1;
	}
	return n == 0 ? 0.0 : fill == DBVH_FILL_RULE_EVEN_ODD ? 0.5 * factor : factor;
}

static dbvh_interval by_parts( const boxes b[2], const dbvh_fill_rule fill[2], const dbvh_pose *pose ) {
	dbvh_interval sum = { 0.0, 0.0 };
	for ( int i = 1; i < 1 << b[0].count; ++i ) {
		for ( int j = 1; j < 1 << b[1].count; ++j ) {
			double low[2][3], high[2][3];
			if ( !common_box( &b[0], i, low[0], high[0] ) || !common_box( &b[1], j, low[1], high[1] ) )
				continue;
			shape s[2] = { { 0 }, { 0 } };
			dbvh_tree *tree[2];
			for ( int m = 0; m < 2; ++m ) {
				add_block( &s[m], low[m], high[m], false, false );
				tree[m] = tree_with_topology( &s[m] );
			}
			dbvh_overlap_result found;
			assert_int_equal( dbvh_overlap_find( tree[0], NULL, tree[1], pose, NULL, other_overlap, &found, NULL ),
			                  DBVH_OK );
			assert_int_equal( found.reason, DBVH_OVERLAP_REASON_DECIDED );
			const double factor = factor_of( i, fill[0] ) * factor_of( j, fill[1] );
			const dbvh_interval v = found.measure.volume;
			sum.lower += factor * ( factor > 0.0 ? v.lower : v.upper );
			sum.upper += factor * ( factor > 0.0 ? v.upper : v.lower );
			for ( int m = 0; m < 2; ++m ) {
				dbvh_tree_destroy( tree[m] );
				shape_free( &s[m] );
			}
		}
	}
	// note: sums of at most 225 numbers below 4,096 in doubles.
	return ( dbvh_interval ){ sum.lower - 1e-9, sum.upper + 1e-9 };
}

static void test_turned( void **state ) {
	(void)state;
	rng r = rng_announce( "turned", 12 );
	size_t crossed = 0;
	const size_t count = rounds( 60 );
	for ( size_t round = 0; round < count; ++round ) {
		boxes b[2];
		shape s[2];
		dbvh_tree *tree[2];
		dbvh_fill_rule fill[2];
		for ( int m = 0; m < 2; ++m ) {
			b[m] = any_boxes( &r, false );
			b[m].count = b[m].count > 3 ? 3 : b[m].count;
			s[m] = shape_of( &b[m], &r );
			fill[m] = rng_below( &r, 2 ) == 0 ? DBVH_FILL_RULE_NONZERO : DBVH_FILL_RULE_EVEN_ODD;
			tree[m] = filled_tree( &s[m], fill[m] );
		}
		const dbvh_pose pose = random_pose( &r, 1.0 );
		dbvh_overlap_result found;
		assert_int_equal( dbvh_overlap_find( tree[0], NULL, tree[1], &pose, NULL, overlap, &found, NULL ), DBVH_OK );
		crossed += found.reason == DBVH_OVERLAP_REASON_SELF_INTERSECTION;
		const dbvh_interval v = found.measure.volume, truth = by_parts( b, fill, &pose );
		if ( v.upper < truth.lower || v.lower > truth.upper || v.upper - v.lower > 1e-8 )
			printf( "round %zu: [%.17g, %.17g], should be in [%.17g, %.17g]\n", round, v.lower, v.upper, truth.lower,
			        truth.upper );
		assert_true( v.upper >= truth.lower && v.lower <= truth.upper && v.upper - v.lower <= 1e-8 );
		for ( int k = 0; k < 2; ++k ) {
			dbvh_tree_destroy( tree[k] );
			shape_free( &s[k] );
		}
	}
	printf( "%zu of %zu through themselves\n", crossed, count );
}

static double volume_of( const shape *a, const shape *b, const dbvh_pose *pose, dbvh_overlap_reason reason ) {
	dbvh_tree *ta = tree_with_topology( a ), *tb = tree_with_topology( b );
	dbvh_overlap_result found;
	assert_int_equal( dbvh_overlap_find( ta, NULL, tb, pose, NULL, overlap, &found, NULL ), DBVH_OK );
	assert_int_equal( found.reason, reason );
	assert_true( found.measure.volume.upper - found.measure.volume.lower <= 1e-9 * found.measure.volume.upper );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
	return found.measure.volume.upper;
}

// Round bodies with thousands of triangles: two spheres and a torus in one mesh, within a box and across another.
static void test_round( void **state ) {
	(void)state;
	shape parts[3] = { { 0 }, { 0 }, { 0 } }, all = { 0 }, box = { 0 };
	shape_add_sphere( &parts[0], 1.0, 40, 30 );
	shape_add_sphere( &parts[1], 0.75, 41, 29 );
	for ( size_t i = 0; i < parts[1].vertex_count; ++i )
		parts[1].positions[3 * i] += 0.625;
	shape_add_sphere( &all, 1.0, 40, 30 );
	const size_t first = all.vertex_count;
	shape_add_sphere( &all, 0.75, 41, 29 );
	for ( size_t i = first; i < all.vertex_count; ++i )
		all.positions[3 * i] += 0.625;
	add_block( &box, ( const double[3] ){ -3, -3, -3 }, ( const double[3] ){ 3, 3, 3 }, false, false );
	dbvh_pose pose = dbvh_pose_identity();
	const double one = volume_of( &parts[0], &box, &pose, DBVH_OVERLAP_REASON_DECIDED ),
	             two = volume_of( &parts[1], &box, &pose, DBVH_OVERLAP_REASON_DECIDED ),
	             common = volume_of( &parts[0], &parts[1], &pose, DBVH_OVERLAP_REASON_DECIDED ),
	             united = volume_of( &all, &box, &pose, DBVH_OVERLAP_REASON_SELF_INTERSECTION );
	printf( "%.12g + %.12g - %.12g, found %.12g\n", one, two, common, united );
	assert_true( fabs( united - ( one + two - common ) ) < 1e-8 );
	for ( int i = 0; i < 2; ++i )
		shape_free( &parts[i] );
	shape_free( &all );
	shape_free( &box );
}

// A shell that is there twice is one by the nonzero rule, and nothing by the even-odd rule; so it is with the side of a
// wall that two shells have, cut the same way or the other.
static void test_copies( void **state ) {
	(void)state;
	for ( int turned = 0; turned < 2; ++turned ) {
		shape s = { 0 }, box = { 0 };
		add_block( &s, ( const double[3] ){ 0, 0, 0 }, ( const double[3] ){ 2, 2, 2 }, false, false );
		add_block( &s, ( const double[3] ){ 0, 0, 0 }, ( const double[3] ){ 2, 2, 2 }, false, false );
		add_block( &s, ( const double[3] ){ 4, 0, 0 }, ( const double[3] ){ 6, 2, 2 }, false, false );
		add_block( &s, ( const double[3] ){ 6, 0, 0 }, ( const double[3] ){ 8, 2, 2 }, turned != 0, false );
		add_block( &s, ( const double[3] ){ 1, 1, 1 }, ( const double[3] ){ 7, 3, 3 }, false, false );
		add_block( &box, ( const double[3] ){ -1, -1, -1 }, ( const double[3] ){ 9, 9, 9 }, false, false );
		for ( int fill = 0; fill < 2; ++fill ) {
			dbvh_tree *ta = filled_tree( &s, (dbvh_fill_rule)fill ), *tb = tree_with_topology( &box );
			dbvh_overlap_result found;
			assert_int_equal( dbvh_overlap_find( ta, NULL, tb, NULL, NULL, overlap, &found, NULL ), DBVH_OK );
			assert_int_equal( found.reason, DBVH_OVERLAP_REASON_SELF_INTERSECTION );
			// 24 of the bar, and 8 + 16 of the others, of which 1 and 3 are common.
			const double truth = fill == DBVH_FILL_RULE_EVEN_ODD ? 24.0 + 16.0 - 2.0 * 3.0 : 24.0 + 24.0 - 4.0;
			if ( !is_in( found.measure.volume, truth ) )
				printf( "[%.17g, %.17g], should be %g\n", found.measure.volume.lower, found.measure.volume.upper,
				        truth );
			assert_true( is_in( found.measure.volume, truth ) && is_in( found.measure.box_min[0], 0.0 ) &&
			             found.measure.area.lower > 0.0 && found.measure.area.upper < 300.0 );
			dbvh_tree_destroy( ta );
			dbvh_tree_destroy( tb );
		}
		shape_free( &s );
		shape_free( &box );
	}
}

// Two copies of a mesh that crosses itself enclose nothing by the even-odd rule: there is no volume.
static void test_nothing( void **state ) {
	(void)state;
	shape s = { 0 }, none = { 0 };
	add_block( &s, ( const double[3] ){ 0.25, 0.25, 0.25 }, ( const double[3] ){ 2.5, 2.5, 2.5 }, false, false );
	for ( int i = 0; i < 2; ++i ) {
		add_block( &none, ( const double[3] ){ 0, 0, 0 }, ( const double[3] ){ 2, 2, 2 }, false, false );
		add_block( &none, ( const double[3] ){ 1, 1, 1 }, ( const double[3] ){ 3, 3, 3 }, false, false );
	}
	for ( int both = 0; both < 2; ++both ) {
		dbvh_tree *ta = filled_tree( both ? &none : &s, DBVH_FILL_RULE_EVEN_ODD ),
		          *tb = filled_tree( &none, DBVH_FILL_RULE_EVEN_ODD );
		dbvh_pose pose = dbvh_pose_identity();
		pose.pos[0] = 0.25 * both;
		dbvh_overlap_result found;
		assert_int_equal( dbvh_overlap_find( ta, NULL, tb, &pose, NULL, overlap, &found, NULL ), DBVH_OK );
		assert_int_equal( found.reason, DBVH_OVERLAP_REASON_SELF_INTERSECTION );
		const dbvh_overlap_measure *m = &found.measure;
		assert_true( m->volume.lower == 0.0 && m->volume.upper == 0.0 && m->area.upper == 0.0 );
		for ( int k = 0; k < 3; ++k )
			assert_true( m->centroid[k].lower == 0.0 && m->centroid[k].upper == 0.0 );
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
	}
	shape_free( &s );
	shape_free( &none );
}

// A box one of whose edges has a third corner on it for the triangles of one face: a triangle without an area closes
// it. All triangles are turned at random, so that their orientation is that of their neighbours.
static void test_without_area( void **state ) {
	(void)state;
	rng r = rng_announce( "without area", 13 );
	for ( int round = 0; round < 12; ++round ) {
		static const uint32_t faces[][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 }, { 0, 4, 2 },
		                                     { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 }, { 2, 6, 3 }, { 3, 6, 7 },
		                                     { 0, 8, 4 }, { 8, 5, 4 }, { 8, 1, 5 }, { 0, 1, 8 } };
		shape s = { 0 }, box = { 0 };
		for ( int i = 0; i < 8; ++i )
			shape_vertex( &s, 2.0 * ( i & 1 ), 2.0 * ( i >> 1 & 1 ), 2.0 * ( i >> 2 ) );
		shape_vertex( &s, 1.0, 0.0, 0.0 );
		int turned = 0;
		for ( size_t i = 0; i < sizeof faces / sizeof faces[0]; ++i ) {
			const uint32_t *f = faces[i];
			const bool turn = rng_below( &r, 2 ) == 0;
			shape_triangle( &s, f[0], f[turn ? 2 : 1], f[turn ? 1 : 2] );
			turned += turn && i < 13; // the last one has no area
		}
		add_block( &s, ( const double[3] ){ 1, 1, 1 }, ( const double[3] ){ 3, 3, 3 }, false, false );
		add_block( &box, ( const double[3] ){ -1, -1, -1 }, ( const double[3] ){ 4, 4, 4 }, false, false );
		for ( int fill = 0; fill < 2; ++fill ) {
			dbvh_tree *ta = filled_tree( &s, (dbvh_fill_rule)fill ), *tb = tree_with_topology( &box );
			dbvh_overlap_result found;
			assert_int_equal( dbvh_overlap_find( ta, NULL, tb, NULL, NULL, overlap, &found, NULL ), DBVH_OK );
			assert_int_equal( found.reason, DBVH_OVERLAP_REASON_SELF_INTERSECTION );
			// note: where most triangles are turned the box is inside out, and hollow where the other one is.
			const double truth = fill == DBVH_FILL_RULE_EVEN_ODD || turned > 6 ? 8.0 + 8.0 - 2.0 : 8.0 + 8.0 - 1.0;
			const dbvh_interval v = found.measure.volume;
			if ( !is_in( v, truth ) || v.upper - v.lower > 1e-8 )
				printf( "round %d, rule %d: [%.17g, %.17g], should be %g\n", round, fill, v.lower, v.upper, truth );
			assert_true( is_in( v, truth ) && v.upper - v.lower <= 1e-8 );
			dbvh_tree_destroy( ta );
			dbvh_tree_destroy( tb );
		}
		shape_free( &s );
		shape_free( &box );
	}
}

// ------------------------------------------------------------------------------------------------
// Work

// `count` thin blades, parallel and along no axis, that stick out of all sides of a plate: each crosses its large
// triangles and its edges.
static void add_blades( shape *s, int count ) {
	for ( int i = 0; i < count; ++i ) {
		const double at = ( i + 0.5 ) / count, thin = 0.25 / count;
		add_tetra( s, ( const double[4][3] ){ { 3.0 * at - 2.5, -0.5 - at, -1.0 },
		                                      { 3.0 * at - 0.5, 1.5 - at, -1.0 },
		                                      { 3.0 * at - 1.5 - thin, 0.5 - at + thin, 2.0 },
		                                      { 3.0 * at - 1.5 + thin, 0.5 - at - thin, 2.0 } } );
	}
}

// Blades with a common corner, which is that of a block too: they cross two of its triangles in a fan.
static void add_fan( shape *s, int count ) {
	for ( int i = 0; i < count; ++i ) {
		const double at = 1.5 * ( i + 0.5 ) / count, next = at + 0.5 / count;
		add_tetra( s, ( const double[4][3] ){ { 0.0, 0.0, 0.0 },
		                                      { 0.5 * cos( next ), 0.5 * sin( next ), 0.0625 },
		                                      { 0.5 * cos( at ), 0.5 * sin( at ), 0.125 },
		                                      { 0.5 * cos( at ), 0.5 * sin( at ), -0.125 } } );
	}
}

// Tetrahedra beside each other, none of which touches another one.
static void add_crowd( shape *s, int count ) {
	for ( int i = 0; i < count; ++i ) {
		const double x = 0.0625 * ( i % 32 ) - 1.0, y = 0.0625 * ( i / 32 % 32 ) - 1.0, z = 2.0 + 0.0625 * ( i / 1024 );
		add_tetra( s,
		           ( const double[4][3] ){ { x, y, z }, { x + 0.03, y, z }, { x, y + 0.03, z }, { x, y, z + 0.03 } } );
	}
}

typedef enum gathering { BLADES, FAN, CROWD, GATHERINGS } gathering;
static const char *const gathering_name[] = { "blades", "fan", "crowd" };

static void add_gathering( shape *s, gathering which, int count ) {
	if ( which == BLADES )
		add_blades( s, count );
	else if ( which == FAN )
		add_fan( s, count );
	else
		add_crowd( s, count );
}

static void add_plates( shape *s, gathering which ) {
	add_block( s, ( const double[3] ){ 0, 0, 0 }, ( const double[3] ){ 1, 1, 1 }, false, false );
	// note: so that the crowd is in a mesh that crosses itself.
	if ( which == CROWD )
		add_block( s, ( const double[3] ){ 0.25, 0.25, -1 }, ( const double[3] ){ 0.75, 0.75, 0.5 }, false, false );
}

// The work on a plate that many small bodies cross, in one mesh, within a box.
static uint64_t work_on( gathering which, int count, uint64_t limit, dbvh_overlap_result *found ) {
	shape all = { 0 }, box = { 0 };
	add_plates( &all, which );
	add_gathering( &all, which, count );
	add_block( &box, ( const double[3] ){ -8, -8, -8 }, ( const double[3] ){ 8, 8, 8 }, false, false );
	dbvh_tree *ta = tree_with_topology( &all ), *tb = tree_with_topology( &box );
	uint64_t spent = 0;
	const dbvh_budget budget = { .spent = &spent, .max_work = limit };
	const dbvh_overlap_query query = { .budget = &budget };
	dbvh_overlap *fresh = NULL;
	assert_int_equal( dbvh_overlap_create( NULL, &fresh, NULL ), DBVH_OK );
	const dbvh_status status = dbvh_overlap_find( ta, NULL, tb, NULL, &query, fresh, found, NULL );
	assert_int_equal( status, limit == 0 ? DBVH_OK : DBVH_BUDGET_SPENT );
	assert_int_equal( found->reason, limit == 0 ? DBVH_OVERLAP_REASON_SELF_INTERSECTION : DBVH_OVERLAP_REASON_BUDGET );
	dbvh_overlap_destroy( fresh );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
	shape_free( &all );
	shape_free( &box );
	return spent;
}

// The volume is that of the plates and of the bodies without what they have in common.
static void check_united( gathering which, int count, dbvh_interval united ) {
	shape parts[2] = { { 0 }, { 0 } };
	add_plates( &parts[0], which == CROWD ? BLADES : which );
	add_gathering( &parts[1], which, count );
	dbvh_tree *tree[2] = { tree_with_topology( &parts[0] ), tree_with_topology( &parts[1] ) };
	dbvh_overlap_result common;
	assert_int_equal( dbvh_overlap_find( tree[0], NULL, tree[1], NULL, NULL, overlap, &common, NULL ), DBVH_OK );
	assert_int_equal( common.reason, DBVH_OVERLAP_REASON_DECIDED );
	double sum = which == CROWD ? 1.0 + 0.25 : 1.0;
	for ( size_t i = 0; i < parts[1].triangle_count; ++i ) {
		const double *p[3];
		for ( size_t k = 0; k < 3; ++k )
			p[k] = parts[1].positions + 3 * (size_t)parts[1].indices[3 * i + k];
		for ( int k = 0; k < 3; ++k ) {
			const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
			sum += p[0][k] * ( p[1][x] * p[2][y] - p[1][y] * p[2][x] ) / 6.0;
		}
	}
	sum -= common.measure.volume.upper;
	if ( fabs( united.upper - sum ) > 1e-7 || fabs( united.lower - sum ) > 1e-7 )
		printf( "%s: [%.17g, %.17g], should be %.17g\n", gathering_name[which], united.lower, united.upper, sum );
	assert_true( fabs( united.upper - sum ) <= 1e-7 && fabs( united.lower - sum ) <= 1e-7 );
	for ( int m = 0; m < 2; ++m ) {
		dbvh_tree_destroy( tree[m] );
		shape_free( &parts[m] );
	}
}

// Where many triangles cross a large one, or there are many shells, the work is nearly linear: 4 times as many take 16
// times the work if each is compared with each. Where all have a corner in common the search for pairs compares them.
static void test_work( void **state ) {
	(void)state;
	for ( gathering which = 0; which < GATHERINGS; ++which ) {
		dbvh_overlap_result found;
		const int few = which == FAN ? 20 : 120;
		const uint64_t one = work_on( which, few, 0, &found );
		check_united( which, few, found.measure.volume );
		const uint64_t four = work_on( which, 4 * few, 0, &found );
		printf( "%s: %.2f million steps, and %.2f for 4 times as many\n", gathering_name[which], 1e-6 * (double)one,
		        1e-6 * (double)four );
		assert_true( which == FAN || four < 7 * one );
		for ( uint64_t part = 1; part < 8; part += 3 ) {
			const uint64_t limit = four * part / 8;
			assert_true( work_on( which, 4 * few, limit, &found ) <= limit + limit / 8 + 65536 );
		}
	}
}

// Walls of two directions through a plate, all in one mesh: there are hundreds of lines on each large triangle, and
// thousands of points where three triangles cross.
static void test_walls( void **state ) {
	(void)state;
	rng r = rng_announce( "walls", 14 );
	for ( int round = 0; round < 2; ++round ) {
		const int count = 12 + (int)rng_below( &r, 8 );
		const double thin = 0x1p-8, step = 1.0 / count;
		shape s = { 0 }, box = { 0 };
		add_block( &s, ( const double[3] ){ 0, 0, 0 }, ( const double[3] ){ 1, 1, 1 }, false, false );
		for ( int i = 0; i < count; ++i ) {
			const double at = i * step + 0.0078125;
			add_block( &s, ( const double[3] ){ at, -0.5, -1 }, ( const double[3] ){ at + thin, 1.5, 2 }, false,
			           false );
			add_block( &s, ( const double[3] ){ -0.5, at, -1 }, ( const double[3] ){ 1.5, at + thin, 2 }, false,
			           false );
		}
		add_block( &box, ( const double[3] ){ -9, -9, -9 }, ( const double[3] ){ 9, 9, 9 }, false, false );
		// The section of the walls, and the part of it in the plate.
		const double part = count * thin, walls = 4.0 * part - part * part, within = 2.0 * part - part * part,
		             truth = 3.0 * walls + 1.0 - within;
		const dbvh_pose pose = random_pose( &r, 1.0 );
		dbvh_tree *ta = tree_with_topology( &s ), *tb = tree_with_topology( &box );
		dbvh_overlap_result found;
		assert_int_equal( dbvh_overlap_find( ta, &pose, tb, NULL, NULL, overlap, &found, NULL ), DBVH_OK );
		assert_int_equal( found.reason, DBVH_OVERLAP_REASON_SELF_INTERSECTION );
		// note: a wall is thinner or thicker than that by what its corners are rounded, and so is the pose.
		const dbvh_interval v = found.measure.volume;
		if ( v.lower > truth + 1e-9 || v.upper < truth - 1e-9 || v.upper - v.lower > 1e-6 )
			printf( "%d walls: [%.17g, %.17g], should be %.17g\n", count, v.lower, v.upper, truth );
		assert_true( v.lower <= truth + 1e-9 && v.upper >= truth - 1e-9 && v.upper - v.lower <= 1e-6 );
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &s );
		shape_free( &box );
	}
}

// Memory that fails from one request on.
typedef struct poor {
	size_t left;
} poor;

static void *poor_alloc( void *user, size_t bytes, size_t alignment ) {
	poor *p = user;
	if ( p->left == 0 )
		return NULL;
	p->left -= 1;
	return aligned_alloc( alignment, ( bytes + alignment - 1 ) / alignment * alignment );
}

static void poor_free( void *user, void *memory, size_t bytes ) {
	(void)user;
	(void)bytes;
	free( memory );
}

// Whichever request for memory fails, within the search for pairs of the soup too, the call says so.
static void test_memory( void **state ) {
	(void)state;
	shape s = { 0 }, box = { 0 };
	add_block( &s, ( const double[3] ){ 0, 0, 0 }, ( const double[3] ){ 2, 2, 2 }, false, false );
	add_block( &s, ( const double[3] ){ 1, 1, 1 }, ( const double[3] ){ 3, 3, 3 }, false, false );
	add_blades( &s, 8 );
	add_block( &box, ( const double[3] ){ -8, -8, -8 }, ( const double[3] ){ 8, 8, 8 }, false, false );
	dbvh_tree *ta = tree_with_topology( &s ), *tb = tree_with_topology( &box );
	size_t requests = 0;
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	while ( status != DBVH_OK ) {
		poor p = { .left = requests++ };
		const dbvh_allocator allocator = { .alloc = poor_alloc, .free = poor_free, .user = &p };
		dbvh_overlap *own = NULL;
		dbvh_overlap_result found;
		status = dbvh_overlap_create( &allocator, &own, NULL );
		if ( status == DBVH_OK )
			status = dbvh_overlap_find( ta, NULL, tb, NULL, NULL, own, &found, NULL );
		if ( status == DBVH_OK ) {
			assert_int_equal( found.reason, DBVH_OVERLAP_REASON_SELF_INTERSECTION );
			assert_true( found.measure.volume.upper - found.measure.volume.lower < 1e-6 );
		} else {
			assert_int_equal( status, DBVH_OUT_OF_MEMORY );
		}
		dbvh_overlap_destroy( own );
	}
	printf( "%zu requests for memory\n", requests - 1 );
	assert_true( requests > 20 );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
	shape_free( &s );
	shape_free( &box );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown( test_counting, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_copies, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_turned, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_round, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_nothing, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_without_area, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_work, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( test_walls, set_up, tear_down ),
	    cmocka_unit_test( test_memory ),
	};
	return test_main( argc, argv, tests );
}
