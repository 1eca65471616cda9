// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Relations of random solids against volumes in rational arithmetic, and what else must hold of any.

#include "support/oracle.h"
#include "support/scene.h"
#include "support/solid_shapes.h"
#include "support/solids.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_shape( const char *name, const shape *s ) {
	printf( "%s:\n", name );
	for ( size_t i = 0; i < s->vertex_count; ++i )
		printf( "v %.17g %.17g %.17g\n", s->positions[3 * i], s->positions[3 * i + 1], s->positions[3 * i + 2] );
	for ( size_t i = 0; i < s->triangle_count; ++i )
		printf( "f %u %u %u\n", s->indices[3 * i] + 1, s->indices[3 * i + 1] + 1, s->indices[3 * i + 2] + 1 );
}

// A quarter turn that keeps [0, size]^3 where it is, and a move by whole numbers up to `reach`.
static dbvh_pose turn_about( rng *r, int size, int reach ) {
	dbvh_pose pose = exact_pose( r, 1.0 );
	for ( int k = 0; k < 3; ++k ) {
		pose.pos[k] = (double)rng_below( r, 2 * (uint64_t)reach + 1 ) - reach;
		for ( int j = 0; j < 3; ++j )
			pose.pos[k] += pose.rot[k][j] < 0.0 ? size : 0.0;
	}
	return pose;
}

// A pose that is no rotation, in few bits; `a` gets the same map, so that both have the contacts of whole coordinates,
// but by numbers that only the pose brings about.
static dbvh_pose shear_both( rng *r, shape *a ) {
	dbvh_pose pose = dbvh_pose_identity();
	for ( int k = 0; k < 9; ++k )
		pose.rot[k / 3][k % 3] += ldexp( (double)rng_below( r, 9 ) - 4.0, -22 );
	for ( size_t v = 0; v < a->vertex_count; ++v ) {
		double x[3];
		memcpy( x, a->positions + 3 * v, sizeof x );
		for ( int k = 0; k < 3; ++k )
			a->positions[3 * v + (size_t)k] = pose.rot[k][0] * x[0] + pose.rot[k][1] * x[1] + pose.rot[k][2] * x[2];
	}
	double move[3];
	for ( int k = 0; k < 3; ++k )
		move[k] = (double)rng_below( r, 3 ) - 1.0;
	for ( int k = 0; k < 3; ++k )
		pose.pos[k] = pose.rot[k][0] * move[0] + pose.rot[k][1] * move[1] + pose.rot[k][2] * move[2];
	return pose;
}

static void test_random_solids( void **state ) {
	(void)state;
	rng r = rng_announce( "relation", 4 );
	const size_t count = rounds( 2000 );
	size_t seen[DBVH_RELATION_UNDECIDABLE + 1] = { 0 }, wrong = 0;
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	for ( size_t i = 0; i < count; ++i ) {
		shape a = { 0 }, b = { 0 };
		const int size = 2 + (int)rng_below( &r, 3 ), other = rng_below( &r, 3 ) == 0 ? 6 : size;
		add_random_solid( &a, &r, size );
		const uint64_t kind = rng_below( &r, 16 );
		if ( kind == 0 ) {
			for ( size_t v = 0; v < a.vertex_count; ++v )
				shape_vertex( &b, a.positions[3 * v], a.positions[3 * v + 1], a.positions[3 * v + 2] );
			for ( size_t t = 0; t < a.triangle_count; ++t )
				shape_triangle( &b, a.indices[3 * t], a.indices[3 * t + 1], a.indices[3 * t + 2] );
		} else {
			add_random_solid( &b, &r, other );
		}
		dbvh_pose pose = dbvh_pose_identity();
		if ( kind < 8 ) {
			for ( int k = 0; k < 3 && kind > 3; ++k )
				pose.pos[k] = (double)rng_below( &r, 3 ) - 1.0;
		} else if ( kind < 12 ) {
			pose = turn_about( &r, other, 1 );
		} else if ( kind < 14 ) {
			pose = shear_both( &r, &a );
		} else {
			pose = random_pose( &r, 2.0 );
		}
		dbvh_tree *ta = tree_with_topology( &a ), *tb = tree_with_topology( &b );
		const dbvh_relation right = oracle_relation( &a, &b, &pose );
		dbvh_relate_result there, back;
		assert_int_equal( dbvh_relate( ta, NULL, tb, &pose, NULL, workspace, &there, NULL ), DBVH_OK );
		assert_int_equal( dbvh_relate( tb, &pose, ta, NULL, NULL, workspace, &back, NULL ), DBVH_OK );
		seen[right] += 1;
		if ( there.relation != right || back.relation != swapped_relation( right ) ) {
			wrong += 1;
			if ( wrong <= 3 ) {
				printf( "round %zu: %s and back %s, should be %s\n", i, dbvh_relation_name( there.relation ),
				        dbvh_relation_name( back.relation ), dbvh_relation_name( right ) );
				print_pose( "pose", &pose );
				print_shape( "a", &a );
				print_shape( "b", &b );
			}
		}
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &a );
		shape_free( &b );
	}
	dbvh_workspace_destroy( workspace );
	for ( int k = 0; k < DBVH_RELATION_UNDECIDABLE; ++k ) {
		printf( "%s %zu\n", dbvh_relation_name( (dbvh_relation)k ), seen[k] );
		assert_outcomes( seen[k] > 0 || count < 1000 );
	}
	assert_int_equal( wrong, 0 );
}

// Coordinates of all sizes at once, poses with entries that are next to nothing: the longest integers there are.
static double any_size( rng *r ) {
	const double x = ldexp( 1.0 + rng_unit( r ), (int)rng_below( r, 2000 ) - 1050 );
	return rng_below( r, 4 ) == 0 ? 0.0 : rng_below( r, 2 ) == 0 ? x : -x;
}

static void test_hostile_sizes( void **state ) {
	(void)state;
	rng r = rng_announce( "hostile sizes", 31 );
	const size_t count = rounds( 120 );
	size_t seen[DBVH_RELATION_UNDECIDABLE + 1] = { 0 };
	for ( size_t i = 0; i < count; ++i ) {
		double pool[6][3];
		for ( int k = 0; k < 18; ++k )
			pool[k / 3][k % 3] = any_size( &r );
		shape s[2] = { { 0 }, { 0 } };
		for ( int k = 0; k < 2; ++k ) {
			double p[4][3];
			do {
				// Corners in common are common.
				for ( int c = 0; c < 4; ++c )
					memcpy( p[c], pool[rng_below( &r, 6 )], sizeof p[c] );
				shape_free( &s[k] );
			} while ( !add_tetra( &s[k], p ) );
		}
		dbvh_pose pose = dbvh_pose_identity();
		for ( int k = 0; k < 9 && i % 2 == 0; ++k )
			pose.rot[k / 3][k % 3] += k % 4 == 0 ? 0.0 : ldexp( 1.0, -12 - (int)rng_below( &r, 1062 ) );
		for ( int k = 0; k < 3 && i % 4 == 0; ++k )
			pose.pos[k] = any_size( &r );
		const dbvh_mesh_view va = shape_view( &s[0] ), vb = shape_view( &s[1] );
		if ( oracle_solids( &va, &vb, &pose ).empty ) {
			shape_free( &s[0] );
			shape_free( &s[1] );
			continue;
		}
		dbvh_tree *ta = tree_with_topology( &s[0] ), *tb = tree_with_topology( &s[1] );
		const dbvh_relation right = oracle_relation( &s[0], &s[1], &pose );
		dbvh_relate_result there, back;
		assert_int_equal( dbvh_relate( ta, NULL, tb, &pose, NULL, NULL, &there, NULL ), DBVH_OK );
		assert_int_equal( dbvh_relate( tb, &pose, ta, NULL, NULL, NULL, &back, NULL ), DBVH_OK );
		seen[right] += 1;
		if ( there.relation != right || back.relation != swapped_relation( right ) ) {
			printf( "round %zu: %s and back %s, should be %s\n", i, dbvh_relation_name( there.relation ),
			        dbvh_relation_name( back.relation ), dbvh_relation_name( right ) );
			print_pose( "pose", &pose );
			print_shape( "a", &s[0] );
			print_shape( "b", &s[1] );
			fail();
		}
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &s[0] );
		shape_free( &s[1] );
	}
	for ( int k = 0; k < DBVH_RELATION_UNDECIDABLE; ++k )
		printf( "%s %zu\n", dbvh_relation_name( (dbvh_relation)k ), seen[k] );
}

// ------------------------------------------------------------------------------------------------
// Points

static void test_points( void **state ) {
	(void)state;
	rng r = rng_announce( "points", 11 );
	const size_t count = rounds( 500 );
	size_t seen[4] = { 0 }, wrong = 0;
	for ( size_t i = 0; i < count; ++i ) {
		shape s = { 0 };
		add_random_solid( &s, &r, 4 );
		dbvh_pose pose = i % 2 == 0 ? exact_pose( &r, 2.0 ) : random_pose( &r, 2.0 );
		const bool posed = i % 4 != 0;
		dbvh_tree *tree = tree_with_topology( &s );
		const dbvh_mesh_view view = shape_view( &s );
		for ( int k = 0; k < 12; ++k ) {
			double p[3];
			for ( int j = 0; j < 3; ++j )
				p[j] = (double)rng_below( &r, 17 ) * 0.5 - 2.0;
			if ( posed && k % 2 == 0 ) {
				// Near a corner of the mesh, or on it where nothing rounds.
				const double *x = s.positions + 3 * rng_below( &r, s.vertex_count );
				for ( int j = 0; j < 3; ++j )
					p[j] = pose.rot[j][0] * x[0] + pose.rot[j][1] * x[1] + pose.rot[j][2] * x[2] + pose.pos[j];
			}
			dbvh_location location;
			assert_int_equal( dbvh_locate_point( tree, posed ? &pose : NULL, p, &location, NULL ), DBVH_OK );
			static const dbvh_location meaning[3] = { DBVH_LOCATION_OUTSIDE, DBVH_LOCATION_ON_SURFACE,
			                                          DBVH_LOCATION_INSIDE };
			const dbvh_location right = meaning[oracle_locate( &view, posed ? &pose : NULL, p )];
			seen[right] += 1;
			if ( location != right && wrong++ < 3 ) {
				printf( "round %zu: (%.17g, %.17g, %.17g) is %d, should be %d\n", i, p[0], p[1], p[2], (int)location,
				        (int)right );
				print_pose( "pose", &pose );
				print_shape( "mesh", &s );
			}
		}
		dbvh_tree_destroy( tree );
		shape_free( &s );
	}
	printf( "points: %zu outside, %zu on the surface, %zu inside\n", seen[0], seen[1], seen[2] );
	assert_int_equal( wrong, 0 );
	assert_outcomes( seen[0] > 0 && seen[1] > 0 && seen[2] > 0 );
}

static void test_points_and_sheets( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1.0, 1.0, 1.0, 2 );
	s.triangle_count -= 1; // a hole
	const size_t first = s.vertex_count;
	shape_add_box( &s, 1.0, 1.0, 1.0, 1 );
	scale_and_move( &s, first, 1.0, 5.0, 0.0, 0.0 );
	dbvh_tree *tree = tree_with_topology( &s );
	static const struct {
		double p[3];
		dbvh_location location;
	} cases[] = {
	    { { 0, 0, 0 }, DBVH_LOCATION_UNDECIDABLE },  { { 1, 0.25, 0.25 }, DBVH_LOCATION_ON_SURFACE },
	    { { 1.5, 0, 0 }, DBVH_LOCATION_OUTSIDE },    { { 5, 0, 0 }, DBVH_LOCATION_INSIDE },
	    { { 4, 0, 0 }, DBVH_LOCATION_ON_SURFACE },   { { 4, 1, 1 }, DBVH_LOCATION_ON_SURFACE },
	    { { 4, 1, 1.0001 }, DBVH_LOCATION_OUTSIDE }, { { 0x1p-1074, 0, 0 }, DBVH_LOCATION_UNDECIDABLE },
	    { { 1e300, 0, 0 }, DBVH_LOCATION_OUTSIDE },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof *cases; ++i ) {
		dbvh_location location;
		assert_int_equal( dbvh_locate_point( tree, NULL, cases[i].p, &location, NULL ), DBVH_OK );
		if ( location != cases[i].location )
			fail_msg( "case %zu is %d", i, (int)location );
	}
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// ------------------------------------------------------------------------------------------------
// Sheets

// Points of a sheet, where they are in a solid: what the relation must not contradict.
static unsigned sample_sheet( const shape *sheet, const dbvh_pose *pose, const shape *solid ) {
	const dbvh_mesh_view view = shape_view( solid );
	unsigned seen = 0;
	for ( size_t t = 0; t < sheet->triangle_count; ++t ) {
		double c[9];
		for ( int k = 0; k < 9; ++k ) {
			const double *x = sheet->positions + 3 * (size_t)sheet->indices[3 * t + (size_t)k / 3];
			const double *row = pose->rot[k % 3];
			c[k] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + pose->pos[k % 3];
		}
		for ( int i = 0; i <= 16; ++i ) {
			for ( int j = 0; i + j <= 16; ++j ) {
				double p[3];
				for ( int k = 0; k < 3; ++k )
					p[k] = ( i * c[k] + j * c[3 + k] + ( 16 - i - j ) * c[6 + k] ) / 16.0;
				const int where = oracle_locate( &view, NULL, p );
				seen |= where == 2 ? 1u : where == 0 ? 2u : 4u;
				if ( ( seen & 3 ) == 3 )
					return seen;
			}
		}
	}
	return seen;
}

// Nothing is within a box that ends before it starts along one axis, however large the others are.
static void test_boxes_of_sheets( void **state ) {
	(void)state;
	static const struct {
		double high; // the solid's top along z; the box of the sheet starts at -1
		dbvh_relation right;
	} cases[] = {
	    { -1.0, DBVH_RELATION_UNDECIDABLE },
	    { -1.0 - 0x1p-52, DBVH_RELATION_DISJOINT },
	    { -1.5, DBVH_RELATION_DISJOINT },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof *cases; ++i ) {
		const double z = cases[i].high, far = 0x1p93;
		const double p[4][3] = { { far, 1, z }, { far, -1, z }, { 1, 1, z }, { 1, -1, i == 0 ? 0.0 : -2.0 } };
		shape solid = { 0 }, sheet = { 0 };
		assert_true( add_tetra( &solid, p ) );
		// Its lowest corner is far from the solid.
		shape_vertex( &sheet, -far, far, -1 );
		shape_vertex( &sheet, 2 * far, -far, 3 );
		shape_vertex( &sheet, 2 * far, far, 3 );
		shape_triangle( &sheet, 0, 1, 2 );
		dbvh_tree *ta = tree_with_topology( &solid ), *tb = tree_with_topology( &sheet );
		for ( int turn = 0; turn < 2; ++turn ) {
			dbvh_pose pose = dbvh_pose_identity();
			if ( turn == 1 ) // and back
				pose.rot[0][0] = pose.rot[1][1] = -1.0;
			dbvh_tree *turned = NULL;
			if ( turn == 1 ) {
				for ( size_t v = 0; v < 3 * sheet.vertex_count; ++v )
					sheet.positions[v] *= v % 3 == 2 ? 1.0 : -1.0;
				turned = tree_with_topology( &sheet );
			}
			dbvh_relate_result there, back;
			dbvh_tree *b = turned != NULL ? turned : tb;
			assert_int_equal( dbvh_relate( ta, NULL, b, &pose, NULL, NULL, &there, NULL ), DBVH_OK );
			assert_int_equal( dbvh_relate( b, &pose, ta, NULL, NULL, NULL, &back, NULL ), DBVH_OK );
			if ( there.relation != cases[i].right || back.relation != cases[i].right )
				fail_msg( "case %zu, turn %d: %s and back %s", i, turn, dbvh_relation_name( there.relation ),
				          dbvh_relation_name( back.relation ) );
			dbvh_tree_destroy( turned );
		}
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &solid );
		shape_free( &sheet );
	}
}

// A sheet is a solid that has lost triangles. Coordinates are whole and poses exact, so that the samples do not round.
static void test_sheets( void **state ) {
	(void)state;
	rng r = rng_announce( "sheets", 23 );
	const size_t count = rounds( 250 );
	size_t seen[DBVH_RELATION_UNDECIDABLE + 1] = { 0 }, unseen = 0;
	for ( size_t i = 0; i < count; ++i ) {
		shape a = { 0 }, b = { 0 };
		add_random_solid( &a, &r, 3 );
		add_random_solid( &b, &r, 3 );
		b.triangle_count = 1 + rng_below( &r, 3 );
		const dbvh_pose pose = turn_about( &r, 3, 1 );
		dbvh_tree *ta = tree_with_topology( &a ), *tb = tree_with_topology( &b );
		dbvh_relate_result there, back;
		assert_int_equal( dbvh_relate( ta, NULL, tb, &pose, NULL, NULL, &there, NULL ), DBVH_OK );
		assert_int_equal( dbvh_relate( tb, &pose, ta, NULL, NULL, NULL, &back, NULL ), DBVH_OK );
		assert_int_equal( back.relation, swapped_relation( there.relation ) );
		assert_int_equal( back.surfaces_intersect, there.surfaces_intersect );
		seen[there.relation] += 1;
		const dbvh_mesh_view va = shape_view( &a ), vb = shape_view( &b );
		assert_int_equal( there.surfaces_intersect, oracle_collide( &va, &vb, &pose, NULL ) > 0 );
		const unsigned samples = sample_sheet( &b, &pose, &a );
		const bool inside = there.relation == DBVH_RELATION_OVERLAPPING || there.relation == DBVH_RELATION_B_IN_A;
		const bool outside = there.relation == DBVH_RELATION_OVERLAPPING || there.relation == DBVH_RELATION_DISJOINT ||
		                     there.relation == DBVH_RELATION_UNDECIDABLE;
		const bool contradicts = ( ( samples & 1 ) != 0 && !inside ) ||
		                         ( ( samples & 2 ) != 0 && !outside && there.relation != DBVH_RELATION_TOUCHING ) ||
		                         there.relation == DBVH_RELATION_A_IN_B || there.relation == DBVH_RELATION_EQUAL;
		if ( contradicts ) {
			printf( "round %zu: %s, but samples say %u\n", i, dbvh_relation_name( there.relation ), samples );
			print_pose( "pose", &pose );
			print_shape( "solid", &a );
			print_shape( "sheet", &b );
			fail();
		}
		// Most parts that are inside are large enough for a sample to hit them.
		unseen += inside && ( samples & 1 ) == 0;
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &a );
		shape_free( &b );
	}
	for ( int k = 0; k <= DBVH_RELATION_UNDECIDABLE; ++k )
		printf( "%s %zu\n", dbvh_relation_name( (dbvh_relation)k ), seen[k] );
	printf( "sheets: %zu inside without a sample\n", unseen );
	assert_true( unseen <= count / 50 + 1 );
	assert_outcomes( count < 100 || ( seen[DBVH_RELATION_TOUCHING] > 0 && seen[DBVH_RELATION_OVERLAPPING] > 0 &&
	                                  seen[DBVH_RELATION_B_IN_A] > 0 && seen[DBVH_RELATION_DISJOINT] > 0 ) );
}

// ------------------------------------------------------------------------------------------------
// Tolerances

// If touch_overlap makes a relation TOUCHING, `separation` must part the bodies and be no longer than allowed.
static void test_separations( void **state ) {
	(void)state;
	rng r = rng_announce( "separations", 5 );
	const size_t count = rounds( 250 );
	size_t parted = 0, kept = 0;
	for ( size_t i = 0; i < count; ++i ) {
		shape a = { 0 }, b = { 0 };
		add_random_solid( &a, &r, 3 );
		add_random_solid( &b, &r, 3 );
		const dbvh_pose pose = i % 2 == 0 ? random_pose( &r, 2.0 ) : turn_about( &r, 3, 1 );
		dbvh_tree *ta = tree_with_topology( &a ), *tb = tree_with_topology( &b );
		const dbvh_relate_query options = { .touch_overlap = rng_range( &r, 0.0, 1.0 ) };
		dbvh_relate_result result;
		assert_int_equal( dbvh_relate( ta, NULL, tb, &pose, &options, NULL, &result, NULL ), DBVH_OK );
		const double *s = result.separation;
		if ( result.relation != result.exact ) {
			parted += 1;
			assert_int_equal( result.exact, DBVH_RELATION_OVERLAPPING );
			assert_int_equal( result.relation, DBVH_RELATION_TOUCHING );
			assert_true( sqrt( s[0] * s[0] + s[1] * s[1] + s[2] * s[2] ) <= options.touch_overlap * ( 1.0 + 1e-14 ) );
			dbvh_pose moved = pose;
			for ( int k = 0; k < 3; ++k )
				moved.pos[k] += s[k];
			const dbvh_relation after = oracle_relation( &a, &b, &moved );
			assert_true( after == DBVH_RELATION_TOUCHING || after == DBVH_RELATION_DISJOINT );
		} else {
			kept += result.exact == DBVH_RELATION_OVERLAPPING;
			assert_true( s[0] == 0.0 && s[1] == 0.0 && s[2] == 0.0 );
		}
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &a );
		shape_free( &b );
	}
	printf( "separations: %zu parted, %zu not\n", parted, kept );
	assert_outcomes( count < 100 || ( parted > 0 && kept > 0 ) );
}

// ------------------------------------------------------------------------------------------------
// Bad input, memory

static void test_arguments( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1.0, 1.0, 1.0, 1 );
	dbvh_tree *tree = tree_with_topology( &s ), *bare = NULL;
	const dbvh_mesh_view view = shape_view( &s );
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &bare, NULL ), DBVH_OK );
	dbvh_relate_result result;
	const dbvh_relate_result zero = { .surfaces_intersect = false };
	dbvh_location location;
	const double origin[3] = { 0, 0, 0 }, bad[3] = { 0, NAN, 0 };
	dbvh_pose skewed = dbvh_pose_identity(), nan = dbvh_pose_identity();
	skewed.rot[0][1] = 0.5;
	nan.pos[2] = INFINITY;
	const dbvh_relate_query negative = { .touch_gap = -1.0 }, infinite = { .touch_overlap = INFINITY },
	                        none = { .touch_overlap = NAN };
	assert_int_equal( dbvh_relate( tree, NULL, tree, NULL, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_relate( NULL, NULL, tree, NULL, NULL, NULL, &result, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_relate( tree, NULL, NULL, NULL, NULL, NULL, &result, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_relate( tree, NULL, tree, NULL, &negative, NULL, &result, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_relate( tree, NULL, tree, NULL, &infinite, NULL, &result, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_relate( tree, NULL, tree, NULL, &none, NULL, &result, NULL ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_relate( tree, NULL, bare, NULL, NULL, NULL, &result, NULL ), DBVH_NO_TOPOLOGY );
	assert_int_equal( dbvh_relate( bare, NULL, tree, NULL, NULL, NULL, &result, NULL ), DBVH_NO_TOPOLOGY );
	assert_int_equal( dbvh_relate( tree, &skewed, tree, NULL, NULL, NULL, &result, NULL ), DBVH_NOT_RIGID );
	assert_int_equal( dbvh_relate( tree, NULL, tree, &nan, NULL, NULL, &result, NULL ), DBVH_NOT_FINITE );
	assert_memory_equal( &result, &zero, sizeof result );
	assert_int_equal( dbvh_locate_point( tree, NULL, origin, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_locate_point( NULL, NULL, origin, &location, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_locate_point( tree, NULL, NULL, &location, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_locate_point( tree, NULL, bad, &location, NULL ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_locate_point( tree, &skewed, origin, &location, NULL ), DBVH_NOT_RIGID );
	assert_int_equal( dbvh_locate_point( tree, &nan, origin, &location, NULL ), DBVH_NOT_FINITE );
	assert_int_equal( dbvh_locate_point( bare, NULL, origin, &location, NULL ), DBVH_NO_TOPOLOGY );
	assert_string_equal( dbvh_relation_name( DBVH_RELATION_A_IN_B ), "A_IN_B" );
	assert_string_equal( dbvh_relation_name( (dbvh_relation)99 ), "?" );
	dbvh_tree_destroy( tree );
	dbvh_tree_destroy( bare );
	shape_free( &s );
}

// Whichever allocation fails, nothing is lost and nothing is wrong; once there is enough, none is asked for.
static void test_memory( void **state ) {
	(void)state;
	shape a = { 0 }, b = { 0 };
	shape_add_box( &a, 1.0, 1.0, 1.0, 2 );
	shape_add_box( &b, 1.0, 1.0, 1.0, 3 );
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	const dbvh_mesh_view va = shape_view( &a );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	size_t failures = 0;
	for ( size_t n = 1;; ++n ) {
		books = ( ledger ){ .fail_at = n };
		dbvh_tree *tree;
		const dbvh_status status = dbvh_tree_build( &va, &options, &allocator, &tree, NULL );
		if ( status == DBVH_OK ) {
			dbvh_tree_destroy( tree );
			assert_int_equal( books.live, 0 );
			break;
		}
		failures += 1;
		assert_int_equal( status, DBVH_OUT_OF_MEMORY );
		assert_null( tree );
		assert_int_equal( books.live, 0 );
	}
	dbvh_tree *ta = tree_with_topology( &a ), *tb = tree_with_topology( &b );
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = 1.75;
	const dbvh_relate_query tolerances = { .touch_overlap = 0.25, .touch_gap = 0.25 };
	dbvh_relate_result result;
	for ( size_t n = 1;; ++n ) {
		books = ( ledger ){ .fail_at = n };
		dbvh_workspace *workspace;
		if ( dbvh_workspace_create( &allocator, &workspace, NULL ) != DBVH_OK )
			continue;
		const dbvh_status status = dbvh_relate( ta, NULL, tb, &pose, &tolerances, workspace, &result, NULL );
		if ( status == DBVH_OK ) {
			assert_int_equal( result.relation, DBVH_RELATION_TOUCHING );
			books.fail_at = books.calls + 1;
			assert_int_equal( dbvh_relate( ta, NULL, tb, &pose, &tolerances, workspace, &result, NULL ), DBVH_OK );
			assert_int_equal( result.relation, DBVH_RELATION_TOUCHING );
			dbvh_workspace_destroy( workspace );
			break;
		}
		failures += 1;
		assert_int_equal( status, DBVH_OUT_OF_MEMORY );
		dbvh_workspace_destroy( workspace );
		assert_int_equal( books.live, 0 );
	}
	assert_int_equal( books.live + books.mistakes, 0 );
	printf( "memory: %zu failures survived\n", failures );
	dbvh_tree_destroy( ta );
	dbvh_tree_destroy( tb );
	shape_free( &a );
	shape_free( &b );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_random_solids ),   cmocka_unit_test( test_hostile_sizes ),
	    cmocka_unit_test( test_points ),          cmocka_unit_test( test_points_and_sheets ),
	    cmocka_unit_test( test_boxes_of_sheets ), cmocka_unit_test( test_sheets ),
	    cmocka_unit_test( test_separations ),     cmocka_unit_test( test_arguments ),
	    cmocka_unit_test( test_memory ),
	};
	return test_main( argc, argv, tests );
}
