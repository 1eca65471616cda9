// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Who watches the oracle: three exact methods agree with each other, and with answers worked out by hand.

#include "support/oracle.h"
#include "support/triangles.h"
#include "support/unit.h"

#include <string.h>

static void methods_agree_on_grids( void **state ) {
	(void)state;
	rng r = rng_announce( "oracle: grids", 1 );
	uint64_t meeting = 0;
	const uint64_t count = 300000;
	for ( uint64_t i = 0; i < count; ++i ) {
		const int64_t side = 2 + (int64_t)rng_below( &r, 4 );
		const int kind = (int)rng_below( &r, 8 );
		int64_t a[9], b[9];
		double da[9], db[9];
		for ( int k = 0; k < 9; ++k ) {
			a[k] = (int64_t)rng_below( &r, (uint64_t)side );
			b[k] = (int64_t)rng_below( &r, (uint64_t)side );
			if ( kind == 0 && k % 3 == 2 )
				a[k] = b[k] = 1; // one plane
			if ( kind == 1 && k % 3 != 0 )
				a[k] = b[k] = 1; // one line
			if ( kind == 2 && k % 3 == 2 ) {
				a[k] = a[k - 1] + a[k - 2]; // a tilted plane
				b[k] = b[k - 1] + b[k - 2];
			}
			if ( kind == 3 && k >= 3 )
				a[k] = a[k - 3]; // a point
			if ( kind == 4 && k >= 6 )
				a[k] = a[k - 3]; // a segment
			if ( kind == 5 && k >= 6 ) {
				a[k] = a[k - 3]; // two segments
				b[k] = b[k - 6];
			}
			da[k] = (double)a[k];
			db[k] = (double)b[k];
		}
		const bool meet = oracle_triangles_meet( da, db, NULL );
		meeting += meet;
		assert_int_equal( meet, oracle_triangles_meet_int( a, b ) );
		assert_int_equal( meet, oracle_triangles_meet_axes( da, db, NULL ) );
	}
	assert_outcomes( meeting > 0 && meeting < count );
}

static void methods_agree_on_families( void **state ) {
	(void)state;
	rng r = rng_announce( "oracle: families", 2 );
	for ( size_t family = 0; family < triangle_family_count; ++family ) {
		uint64_t meeting = 0;
		const uint64_t count = 3000;
		for ( uint64_t i = 0; i < count; ++i ) {
			triangle_pair pair;
			triangle_families[family].make( &r, &pair );
			const dbvh_pose *const pose = pair.posed ? &pair.pose : NULL;
			const bool meet = oracle_triangles_meet( pair.a, pair.b, pose );
			meeting += meet;
			assert_int_equal( meet, oracle_triangles_meet_axes( pair.a, pair.b, pose ) );
			if ( pose == NULL )
				assert_int_equal( meet, oracle_triangles_meet( pair.b, pair.a, NULL ) );
		}
		assert_outcomes( meeting > 0 || !triangle_families[family].may_meet );
		assert_outcomes( meeting < count || !triangle_families[family].may_part );
	}
}

static void by_hand( void **state ) {
	(void)state;
	const double face[9] = { 0, 0, 0, 4, 0, 0, 0, 4, 0 };
	const struct {
		double b[9];
		bool meet;
	} cases[] = {
	    { { 1, 1, 0, 1, 1, 1, 2, 2, 1 }, true },                     // a vertex on the face
	    { { 1, 1, 0x1p-1074, 1, 1, 1, 2, 2, 1 }, false },            // just above it
	    { { 2, 2, 0, 3, 3, 1, 3, 3, 2 }, true },                     // a vertex on an edge
	    { { 2, 2, -1, 2, 2, 1, 9, 9, 0 }, true },                    // edge across edge
	    { { 2, 0x1.0000000000001p1, -1, 2, 3, 1, 9, 9, 0 }, false }, // beside it
	    { { 1, 1, 0, 2, 1, 0, 1, 2, 0 }, true },                     // inside, coplanar
	    { { -9, -9, 0, 99, -9, 0, -9, 99, 0 }, true },               // around, coplanar
	    { { 4, 0, 0, 8, 0, 0, 8, 4, 0 }, true },                     // a common vertex, coplanar
	    { { 5, 0, 0, 8, 0, 0, 8, 4, 0 }, false },                    // apart, coplanar
	    { { 1, 1, 0, 1, 1, 0, 1, 1, 0 }, true },                     // a point on the face
	    { { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, false },                    // a point above it
	    { { 1, 1, -1, 1, 1, 1, 1, 1, 0 }, true },                    // a segment through it
	    { { 3, 3, -1, 3, 3, 1, 3, 3, 0 }, false },                   // a segment past it
	    { { -1, 0, 0, 9, 0, 0, 2, 0, 0 }, true },                    // a segment along an edge
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		assert_int_equal( oracle_triangles_meet( face, cases[i].b, NULL ), cases[i].meet );
		assert_int_equal( oracle_triangles_meet( cases[i].b, face, NULL ), cases[i].meet );
		assert_int_equal( oracle_triangles_meet_axes( face, cases[i].b, NULL ), cases[i].meet );
	}
}

// Points, so that only the exactness of rot * x + pos decides.
static void poses_are_exact( void **state ) {
	(void)state;
	rng r = rng_announce( "oracle: poses", 3 );
	for ( int i = 0; i < 20000; ++i ) {
		dbvh_pose pose;
		double a[9], b[9], x[3];
		for ( int k = 0; k < 9; ++k )
			pose.rot[k / 3][k % 3] = rng_range( &r, -1.0, 1.0 );
		// 26 bits times 26 bits fit a double: each product is exact, and fma rounds none of what follows because the
		// translation takes the rest away.
		for ( int k = 0; k < 3; ++k ) {
			x[k] = rint( rng_range( &r, -0x1p20, 0x1p20 ) );
			for ( int j = 0; j < 3; ++j )
				pose.rot[k][j] = rint( pose.rot[k][j] * 0x1p20 ) * 0x1p-20;
		}
		for ( int k = 0; k < 3; ++k ) {
			const double *const m = pose.rot[k];
			const double moved = m[0] * x[0] + m[1] * x[1] + m[2] * x[2]; // a multiple of 2^-20 below 2^22
			pose.pos[k] = rint( rng_range( &r, -0x1p20, 0x1p20 ) ) * 0x1p-20;
			for ( int corner = 0; corner < 3; ++corner ) {
				b[3 * corner + k] = x[k];
				a[3 * corner + k] = moved + pose.pos[k];
			}
		}
		assert_true( oracle_triangles_meet( a, b, &pose ) );
		assert_true( oracle_triangles_meet_axes( a, b, &pose ) );
		const int k = (int)rng_below( &r, 3 );
		dbvh_pose other = pose;
		if ( ( i & 1 ) != 0 )
			other.pos[k] = nextafter( pose.pos[k], 1e9 );
		else
			other.rot[k][0] = nextafter( pose.rot[k][0], 2.0 ); // x[0] may be 0, which hides it
		if ( ( i & 1 ) != 0 || x[0] != 0.0 ) {
			assert_false( oracle_triangles_meet( a, b, &other ) );
			assert_false( oracle_triangles_meet_axes( a, b, &other ) );
		}
	}
}

// Triangle soups against every pair in turn; a third of the corners is shared so that much touches.
static void collide_loses_nothing( void **state ) {
	(void)state;
	rng r = rng_announce( "oracle: collide", 4 );
	enum { COUNT = 150 };
	size_t meeting = 0, parting = 0;
	for ( int round = 0; round < 12; ++round ) {
		static double positions[2][COUNT][9];
		dbvh_mesh_view view[2];
		const double scale = ldexp( 1.0, 100 * ( round % 4 ) - 150 );
		for ( int side = 0; side < 2; ++side ) {
			for ( int t = 0; t < COUNT; ++t ) {
				double centre[3];
				for ( int k = 0; k < 3; ++k )
					centre[k] = rint( rng_range( &r, -6.0, 6.0 ) );
				for ( int k = 0; k < 9; ++k ) {
					const double d = round < 6 ? rint( rng_range( &r, -2.0, 2.0 ) ) : rng_range( &r, -2.0, 2.0 );
					positions[side][t][k] = ( centre[k % 3] + d ) * scale;
				}
			}
			view[side] = ( dbvh_mesh_view ){
			    .positions = positions[side], .vertex_count = (size_t)3 * COUNT, .index_type = DBVH_INDEX_TYPE_NONE };
		}
		dbvh_pose pose = dbvh_pose_identity();
		const double angle = rng_range( &r, -3.0, 3.0 );
		if ( round % 3 != 0 ) {
			pose.rot[0][0] = pose.rot[1][1] = cos( angle );
			pose.rot[1][0] = sin( angle );
			pose.rot[0][1] = -sin( angle );
		}
		if ( round % 3 == 2 )
			pose.pos[0] = 11.0 * scale;
		const dbvh_pose *const given = round % 3 == 0 ? NULL : &pose;
		dbvh_pair *pairs = NULL;
		const size_t count = oracle_collide( &view[0], &view[1], given, &pairs );
		size_t at = 0;
		for ( uint32_t i = 0; i < COUNT; ++i ) {
			for ( uint32_t j = 0; j < COUNT; ++j ) {
				const bool listed = at < count && pairs[at].a == i && pairs[at].b == j;
				assert_int_equal( oracle_triangles_meet_axes( positions[0][i], positions[1][j], given ), listed );
				at += listed;
				meeting += listed;
				parting += !listed;
			}
		}
		assert_int_equal( at, count );
		free( pairs );
	}
	assert_outcomes( meeting > 0 && parting > 0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( by_hand ),
	    cmocka_unit_test( methods_agree_on_grids ),
	    cmocka_unit_test( methods_agree_on_families ),
	    cmocka_unit_test( poses_are_exact ),
	    cmocka_unit_test( collide_loses_nothing ),
	};
	return test_main( argc, argv, tests );
}
