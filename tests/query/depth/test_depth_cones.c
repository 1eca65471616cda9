// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Foundations of the local depth: cones of normals, held against a look at every triangle, and matrix games, held
// against both of their bounds.

#include "exact/tri_ray.h"
#include "query/depth/cones.h"
#include "query/depth/game.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void inward_normal( const dbvhi_solid *solid, const dbvhi_solid_sides *sides, uint32_t leaf, double n[3] ) {
	double c[9], ab[3], ac[3];
	dbvhi_solid_image( solid, leaf, c );
	for ( int k = 0; k < 3; ++k ) {
		ab[k] = c[3 + k] - c[k];
		ac[k] = c[6 + k] - c[k];
	}
	dbvhi_cross3( ab, ac, n );
	assert_true( dbvhi_normalise3( n ) );
	for ( int k = 0; k < 3; ++k )
		n[k] *= sides->side[solid->placed.tree->triangle[leaf]] == DBVHI_SOLID_BELOW ? -1.0 : 1.0;
}

typedef struct asking {
	const dbvhi_solid *solid;
	const dbvhi_solid_sides *sides;
	double point[3], way[3];
} asking;

// The distance of the nearest triangle whose inward normal has a product of at most `most` with the way.
static double nearest_other( const asking *a, double most ) {
	double nearest = INFINITY;
	for ( uint32_t i = 0; i < (uint32_t)a->solid->placed.tree->triangle_count; ++i ) {
		double n[3], c[9];
		inward_normal( a->solid, a->sides, i, n );
		dbvhi_solid_image( a->solid, i, c );
		if ( dbvhi_dot3( n, a->way ) <= most )
			nearest = fmin( nearest, dbvhi_point_filter( c, a->point, 0.0 ).high );
	}
	return nearest;
}

// Ask with a reach a little less and a little more than the distance of the nearest triangle that faces another way.
static void check_ask( const asking *a, size_t *faces, size_t *others ) {
	const double nearest = nearest_other( a, 0.0 ), short_of = 0.999 * nearest_other( a, 4.0 * DBVHI_LEAST_PRODUCT );
	double other[3];
	if ( !( nearest < INFINITY && short_of > 0.0 ) )
		return;
	const double reach = nearest * ( 1.0 + 0x1p-40 ) + 0x1p-40;
	assert_int_equal( dbvhi_cones_ask( a->solid, a->sides, a->point, reach, a->way, other ), DBVHI_CONES_DO_NOT );
	if ( other[0] != 0.0 || other[1] != 0.0 || other[2] != 0.0 ) {
		assert_true( dbvhi_dot3( other, a->way ) < 4.0 * DBVHI_LEAST_PRODUCT );
		*others += 1;
	}
	// note: after many nodes the search gives up.
	*faces += dbvhi_cones_ask( a->solid, a->sides, a->point, short_of, a->way, other ) == DBVHI_CONES_FACE_ONE_WAY;
}

// Ask beside the outermost corners of a mesh along the axes of its frame, where no more than a rounding of a box parts
// the reach from the triangles.
static void check_extremes( const dbvhi_solid *solid, const dbvhi_solid_sides *sides, rng *r ) {
	for ( int i = 0; i < 6; ++i ) {
		asking a = { .solid = solid, .sides = sides };
		double most = -INFINITY;
		a.way[i % 3] = i < 3 ? 1.0 : -1.0;
		for ( uint32_t leaf = 0; leaf < (uint32_t)solid->placed.tree->triangle_count; ++leaf ) {
			double c[9];
			dbvhi_solid_image( solid, leaf, c );
			for ( int k = 0; k < 3; ++k ) {
				if ( dbvhi_dot3( c + 3 * k, a.way ) > most ) {
					most = dbvhi_dot3( c + 3 * k, a.way );
					memcpy( a.point, c + 3 * k, sizeof a.point );
				}
			}
		}
		for ( int k = 0; k < 3; ++k )
			a.point[k] += rng_range( r, 0.1, 1.0 ) * a.way[k];
		size_t faces = 0, others = 0;
		check_ask( &a, &faces, &others );
		assert_int_equal( faces, 1 );
	}
}

static void cones_face_where_every_triangle_does( void **state ) {
	(void)state;
	rng r = rng_announce( "cones of normals", 1 );
	// note: walls of a box are at right angles, and the extents of the torus no floats.
	shape s[3] = { { 0 } };
	shape_add_torus( &s[0], 2.0, 0.6, 24, 12 );
	shape_add_sphere( &s[1], 1.5, 24, 16 );
	shape_add_box( &s[2], 1.0, 0.7, 0.4, 4 );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	size_t faces = 0, others = 0;
	for ( int which = 0; which < 3; ++which ) {
		dbvh_tree *tree = tree_with_topology( &s[which] );
		const double at[3] = { rng_range( &r, -9.0, 9.0 ), rng_range( &r, -9.0, 9.0 ), rng_range( &r, -9.0, 9.0 ) };
		const dbvh_pose pose =
		    dbvh_pose_from_quaternion( ( const double[4] ){ 1.0, rng_range( &r, -1.0, 1.0 ), 0.3, 0.2 }, at );
		const dbvh_budget budget = dbvh_budget_default();
		dbvhi_purse purse;
		dbvhi_meter meter;
		dbvhi_meter_open( &meter, &purse, &budget );
		dbvhi_solid_pair pair;
		dbvhi_solid_sides sides = { 0 };
		const dbvh_allocator allocator = workspace->allocator;
		assert_int_equal( dbvhi_solid_pair_init( &pair, tree, NULL, tree, &pose, workspace, &meter ), DBVH_OK );
		assert_int_equal( dbvhi_solid_sides_learn( &sides, tree, &allocator, workspace, &meter ), DBVH_OK );
		assert_true( dbvhi_cones_make( &sides, tree, &allocator ) );
		check_extremes( &pair.solid[0], &sides, &r );
		for ( size_t i = 0; i < rounds( 4000 ); ++i ) {
			asking a = { .solid = &pair.solid[i % 2], .sides = &sides };
			double near[9];
			dbvhi_solid_image( a.solid, (uint32_t)rng_below( &r, tree->triangle_count ), near );
			inward_normal( a.solid, &sides, (uint32_t)rng_below( &r, tree->triangle_count ), a.way );
			for ( int k = 0; k < 3; ++k )
				a.point[k] = near[k] + rng_range( &r, -0.7, 0.7 );
			check_ask( &a, &faces, &others );
		}
		dbvhi_meter_close( &meter );
		dbvhi_solid_sides_free( &sides, &allocator );
		dbvh_tree_destroy( tree );
		shape_free( &s[which] );
	}
	dbvh_workspace_destroy( workspace );
	assert_true( faces > 0 && others > 0 );
}

// ------------------------------------------------------------------------------------------------

static void games_have_one_value( void **state ) {
	(void)state;
	rng r = rng_announce( "matrix games", 2 );
	for ( size_t i = 0; i < rounds( 20000 ); ++i ) {
		dbvhi_game g = { .rows = 2 + (int)rng_below( &r, 13 ), .columns = 1 + (int)rng_below( &r, 8 ) };
		const double size = ldexp( 1.0, (int)rng_below( &r, 40 ) - 20 );
		for ( int j = 0; j < g.rows; ++j ) {
			for ( int k = 0; k < g.columns; ++k )
				g.row[j][k] = size * ( i % 2 == 0 ? rng_range( &r, 0.0, 1.0 ) : (double)rng_below( &r, 4 ) );
		}
		if ( !dbvhi_game_solve( &g ) )
			continue;
		double most = 0.0, least = INFINITY;
		for ( int k = 0; k < g.columns; ++k ) {
			double mean = 0.0;
			for ( int j = 0; j < g.rows; ++j )
				mean += g.row_share[j] * g.row[j][k];
			most = fmax( most, mean );
		}
		for ( int j = 0; j < g.rows; ++j ) {
			double mean = 0.0;
			for ( int k = 0; k < g.columns; ++k )
				mean += g.column_share[k] * g.row[j][k];
			least = fmin( least, mean );
		}
		if ( !( fabs( most - least ) <= 0x1p-30 * size ) )
			printf( "game %zu: %.17g and %.17g\n", i, least, most );
		assert_true( fabs( most - least ) <= 0x1p-30 * size );
	}
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( cones_face_where_every_triangle_does ),
	    cmocka_unit_test( games_have_one_value ),
	};
	return test_main( argc, argv, tests );
}
