// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The distance of two triangles against the oracle, to the last bit. DUALBVH_TEST_SCALE multiplies the number of pairs.

#include "compare.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_distance.h"
#include "simd/isa.h"
#include "support/oracle.h"
#include "support/oracle_distance.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

static const uint64_t seed_default = 5;

static double distance_of( const triangle_pair *pair, double point_a[3], double point_b[3] ) {
	dbvh_triangles_distance_result result;
	const dbvh_status status = dbvh_triangles_distance( (const dbvh_triangle *)pair->a, (const dbvh_triangle *)pair->b,
	                                                    pair->posed ? &pair->pose : NULL, &result, NULL );
	if ( status != DBVH_OK ) {
		print_pair( dbvh_status_name( status ), pair );
		exit( EXIT_FAILURE );
	}
	if ( point_a != NULL )
		memcpy( point_a, result.point_a, sizeof result.point_a );
	if ( point_b != NULL )
		memcpy( point_b, result.point_b, sizeof result.point_b );
	return result.distance;
}

static double size_of( const triangle_pair *pair ) {
	double size = 0.0;
	for ( int i = 0; i < 9; ++i )
		size = fmax( size, fmax( fabs( pair->a[i] ), fabs( pair->b[i] ) ) );
	for ( int i = 0; i < 3 && pair->posed; ++i )
		size = fmax( size, fabs( pair->pose.pos[i] ) );
	return size;
}

// How far a point is from a triangle.
static double off( const double point[3], const double triangle[9], const dbvh_pose *pose ) {
	double same[9];
	for ( int i = 0; i < 9; ++i )
		same[i] = point[i % 3];
	return oracle_triangles_distance( same, triangle, pose );
}

static void families( void **state ) {
	(void)state;
	const rng r = rng_announce( "gap: families", seed_default );
	const uint64_t count = rounds( 150 );
	uint64_t differences = 0, zero = 0, all = 0;
	for ( size_t family = 0; family < triangle_family_count; ++family ) {
		for ( uint64_t i = 0; i < count; ++i ) {
			rng s = pair_rng( family, r.state, i );
			triangle_pair pair;
			triangle_families[family].make( &s, &pair );
			const dbvh_pose *const pose = pair.posed ? &pair.pose : NULL;
			double p[3], q[3];
			const double truth = oracle_triangles_distance( pair.a, pair.b, pose );
			const double distance = distance_of( &pair, p, q );
			all += 1;
			zero += truth == 0.0;
			const bool meet = oracle_triangles_meet( pair.a, pair.b, pose );
			assert_int_equal( meet, truth == 0.0 );
			bool right = distance == truth;
			// The exact comparison on both sides of the truth, and somewhere else.
			const dbvh_pose identity = dbvh_pose_identity();
			const dbvh_pose *const placed = pose != NULL ? pose : &identity;
			double image[9], largest = 0.0;
			for ( int k = 0; k < 9; ++k )
				largest = fmax( largest, fabs( pair.b[k] ) );
			dbvhi_triangle_move( placed, pair.b, image );
			const dbvhi_posed_pair posed = { pair.a, pair.b, image, placed, dbvhi_move_error( placed, largest ) };
			dbvhi_tri_tri_bounds gap;
			dbvhi_triangles_gap( pair.a, image, posed.error, &gap );
			right = right && gap.lower <= truth && truth <= gap.upper;
			right = right && dbvhi_triangles_within_exact( &posed, &gap, truth );
			right = right && ( truth == 0.0 || !dbvhi_triangles_within_exact( &posed, &gap, nextafter( truth, 0.0 ) ) );
			const double other = truth * rng_range( &s, 0.0, 2.0 );
			right = right &&
			        ( !isfinite( other ) || dbvhi_triangles_within_exact( &posed, &gap, other ) == ( truth <= other ) );
			// Points of the triangles, but for rounding.
			const double room = 64.0 * 0x1p-52 * size_of( &pair ) + 0x1p-1060;
			bool finite = true;
			for ( int k = 0; k < 3; ++k )
				finite = finite && isfinite( p[k] ) && isfinite( q[k] );
			if ( isfinite( room * 0x1p20 ) && isfinite( truth ) )
				right = right && finite && off( p, pair.a, NULL ) <= room && off( q, pair.b, pose ) <= room &&
				        fabs( hypot( hypot( p[0] - q[0], p[1] - q[1] ), p[2] - q[2] ) - truth ) <= room;
			if ( !right && differences++ < 5 ) {
				char what[256];
				snprintf( what, sizeof what, "%s, pair %llu: the truth is %a, the answer %a; bounds %a %a",
				          triangle_families[family].name, (unsigned long long)i, truth, distance, gap.lower,
				          gap.upper );
				print_pair( what, &pair );
			}
		}
	}
	printf( "gap: %llu pairs, %llu meet, %llu differ\n", (unsigned long long)all, (unsigned long long)zero,
	        (unsigned long long)differences );
	assert_outcomes( zero > 0 && zero < all );
	assert_int_equal( differences, 0 );
}

static dbvhi_posed_pair posed_pair( const triangle_pair *pair, const dbvh_pose *pose, double image[9] ) {
	double largest = 0.0;
	for ( int k = 0; k < 9; ++k )
		largest = fmax( largest, fabs( pair->b[k] ) );
	dbvhi_triangle_move( pose, pair->b, image );
	return ( dbvhi_posed_pair ){ pair->a, pair->b, image, pose, dbvhi_move_error( pose, largest ) };
}

// Answers of the filter in pairs of doubles, which are the same on every instruction set.
typedef struct said {
	double distance, heights[2], between[3];
	bool rounded, near, planes, is_elsewhere;
	double no_nearer, farther, fixed[3];
} said;

static void in_every_set( const dbvhi_posed_pair *posed, const dbvhi_tri_tri_bounds *gap, double truth ) {
	size_t isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	said first;
	for ( size_t n = 0; n < isa_count; ++n ) {
		assert_true( dbvhi_isa_select( isa[n].name ) );
		said now;
		memset( &now, 0, sizeof now );
		dbvhi_witness witness;
		dbvhi_distance_planes planes;
		dbvhi_tri_tri_bounds again = *gap;
		now.rounded = dbvhi_triangles_rounded_near( posed, gap, &now.distance );
		now.distance = now.rounded ? now.distance : 0.0;
		now.near = dbvhi_triangles_distance_near( posed, gap, INFINITY, &witness );
		if ( now.near )
			memcpy( now.between, witness.between, sizeof now.between );
		now.planes = dbvhi_distance_planes_init( posed, gap, truth, &planes );
		if ( now.planes ) {
			now.no_nearer = planes.no_nearer;
			now.farther = planes.farther;
			now.heights[0] = dbvhi_height_beyond( &planes, posed->fixed, false );
			now.heights[1] = dbvhi_height_beyond( &planes, posed->moved, true );
		}
		now.is_elsewhere = dbvhi_triangles_find_place( posed, &again );
		memcpy( now.fixed, again.fixed, sizeof now.fixed );
		if ( n == 0 )
			first = now;
		assert_memory_equal( &first, &now, sizeof first );
	}
	assert_true( dbvhi_isa_select( NULL ) );
}

// Parts that are aligned: coordinates of few bits, turned about one or two axes by multiples of 30 degrees, whose sines
// and cosines are 0 or 1 but for roundings, and moved along an axis by anything.
static void make_aligned( rng *r, triangle_pair *pair ) {
	const double steps[] = { -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0 };
	for ( int i = 0; i < 9; ++i ) {
		pair->a[i] = steps[rng_below( r, 7 )];
		pair->b[i] = steps[rng_below( r, 7 )];
	}
	const int flat = (int)rng_below( r, 4 ); // faces that lie on a plane of the axes, mostly
	for ( int i = flat; i < 9 && flat < 3; i += 3 ) {
		pair->a[i] = 0.5;
		pair->b[i] = -0.5;
	}
	pair->posed = true;
	pair->pose = dbvh_pose_identity();
	for ( int turns = (int)rng_below( r, 3 ); turns > 0; --turns ) {
		const double angle = acos( -1.0 ) / 6.0 * (double)( 3 * rng_below( r, 4 ) + rng_below( r, 2 ) );
		const int k = (int)rng_below( r, 3 ), i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		dbvh_pose turned = pair->pose;
		for ( int row = 0; row < 3; ++row ) {
			turned.rot[row][i] = pair->pose.rot[row][i] * cos( angle ) + pair->pose.rot[row][j] * sin( angle );
			turned.rot[row][j] = pair->pose.rot[row][j] * cos( angle ) - pair->pose.rot[row][i] * sin( angle );
		}
		pair->pose = turned;
	}
	const int axis = (int)rng_below( r, 3 );
	for ( int k = 0; k < 3; ++k )
		pair->pose.pos[k] = k == axis ? 3.0 + rng_range( r, 0.0, 1.0 ) : steps[rng_below( r, 7 )];
}

// The filter in pairs of doubles is right, and decides most cases. The planes of a pair bound the distance of other
// pairs correctly, which here share a corner, lie in the same plane but for rounding, or are anywhere.
static void in_pairs_of_doubles( void **state ) {
	(void)state;
	const rng r = rng_announce( "gap: pairs of doubles", seed_default + 2 );
	const uint64_t count = rounds( 60 );
	size_t asked = 0, answered = 0, no_nearer = 0, farther = 0, planes_asked = 0, searched = 0, found_elsewhere = 0,
	       zeros = 0, ways = 0;
	for ( size_t family = 0; family < triangle_family_count + 6; ++family ) {
		for ( uint64_t i = 0; i < count; ++i ) {
			rng s = pair_rng( family, r.state, i );
			triangle_pair pair;
			if ( family < triangle_family_count )
				triangle_families[family].make( &s, &pair );
			else
				make_aligned( &s, &pair );
			const dbvh_pose identity = dbvh_pose_identity();
			const dbvh_pose *const pose = pair.posed ? &pair.pose : &identity;
			double image[9], distance;
			const dbvhi_posed_pair posed = posed_pair( &pair, pose, image );
			dbvhi_tri_tri_bounds gap;
			dbvhi_triangles_gap( pair.a, image, posed.error, &gap );
			const double truth = oracle_triangles_distance( pair.a, pair.b, pose );
			if ( !( gap.lower > 0.0 ) || !isfinite( truth ) )
				continue;
			asked += 1;
			dbvhi_witness witness;
			if ( dbvhi_triangles_rounded_near( &posed, &gap, &distance ) ) {
				answered += 1;
				assert_true( distance == truth );
			} else {
				// The same must hold for other features.
				dbvhi_tri_tri_bounds again = gap;
				searched += 1;
				if ( dbvhi_triangles_find_place( &posed, &again ) &&
				     dbvhi_triangles_rounded_near( &posed, &again, &distance ) ) {
					found_elsewhere += 1;
					assert_true( distance == truth );
				}
				if ( dbvhi_triangles_distance_near( &posed, &again, INFINITY, &witness ) )
					assert_true( witness.distance == truth );
				assert_true( dbvhi_triangles_distance_exact( &posed, &again, INFINITY, &witness ) );
				assert_true( witness.distance == truth );
			}
			in_every_set( &posed, &gap, truth );
			if ( dbvhi_triangles_distance_near( &posed, &gap, INFINITY, &witness ) )
				assert_true( witness.distance == truth &&
				             fabs( hypot( hypot( witness.between[0], witness.between[1] ), witness.between[2] ) -
				                   truth ) <= 8.0 * 0x1p-53 * truth );
			dbvhi_witness exact;
			if ( dbvhi_triangles_distance_near( &posed, &gap, INFINITY, &witness ) ) {
				assert_true( dbvhi_triangles_distance_exact( &posed, &gap, INFINITY, &exact ) );
				const bool same = witness.corners_fixed == exact.corners_fixed && exact.is_way_whole &&
				                  witness.corners_moved == exact.corners_moved;
				for ( int k = 0; k < 3 && same; ++k ) {
					assert_true( fabs( witness.between[k] - exact.between[k] ) <=
					             16.0 * 0x1p-53 * fabs( exact.between[k] ) );
					zeros += exact.between[k] == 0.0;
					ways += 1;
				}
			}
			assert_false(
			    dbvhi_triangles_no_nearer( &posed, &gap, nextafter( nextafter( truth, INFINITY ), INFINITY ) ) );
			dbvhi_distance_planes planes;
			if ( !dbvhi_distance_planes_init( &posed, &gap, truth, &planes ) )
				continue;
			for ( int other = 0; other < 4; ++other ) {
				triangle_pair next = pair;
				const double step = other == 0 ? 0.0 : ldexp( truth, -(int)rng_below( &s, 60 ) );
				for ( int k = 0; k < 9; ++k ) {
					const bool stays = rng_below( &s, 2 ) == 0;
					next.a[k] += stays ? 0.0 : rng_range( &s, -step, step );
					next.b[k] += stays ? 0.0 : rng_range( &s, -step, step );
				}
				const double both =
				    dbvhi_height_beyond( &planes, next.a, false ) + dbvhi_height_beyond( &planes, next.b, true );
				const double most = both + fabs( both ) * 0x1p-40,
				             found = oracle_triangles_distance( next.a, next.b, pose );
				planes_asked += 1;
				if ( most <= planes.no_nearer ) {
					no_nearer += 1;
					assert_true( found >= truth );
				}
				if ( most < planes.farther ) {
					farther += 1;
					assert_true( found > truth );
				}
			}
		}
	}
	printf( "gap: of %zu pairs %zu answered in pairs of doubles; of %zu others %zu no nearer, %zu farther\n", asked,
	        answered, planes_asked, no_nearer, farther );
	printf( "gap: of %zu others %zu answered by other features\n", searched, found_elsewhere );
	printf( "gap: of %zu components of ways %zu are 0\n", ways, zeros );
	assert_outcomes( zeros > 0 && zeros < ways );
	assert_outcomes( found_elsewhere > 0 && found_elsewhere < searched );
	assert_outcomes( answered > asked / 2 && no_nearer > planes_asked / 20 && no_nearer < planes_asked && farther > 0 );
}

// The nearest features: each kind must occur, and the corners named must be as far apart as the triangles.
static void features( void **state ) {
	(void)state;
	rng r = rng_announce( "gap: features", seed_default + 1 );
	size_t seen[4][4] = { { 0 } };
	const dbvh_pose identity = dbvh_pose_identity();
	const uint64_t count = rounds( 4000 );
	for ( uint64_t i = 0; i < count; ++i ) {
		double a[9], b[9];
		for ( int k = 0; k < 9; ++k ) {
			a[k] = rng_range( &r, -1.0, 1.0 );
			b[k] = rng_range( &r, -1.0, 1.0 ) + ( k % 3 == 0 ? 1.5 : 0.0 );
		}
		const dbvhi_posed_pair pair = { a, b, b, &identity, 0.0 };
		dbvhi_tri_tri_bounds gap;
		dbvhi_triangles_gap( a, b, 0.0, &gap );
		dbvhi_witness w;
		assert_true( dbvhi_triangles_distance_exact( &pair, &gap, INFINITY, &w ) );
		assert_true( gap.upper - gap.lower < 1e-11 || w.distance == 0.0 || gap.lower > 0.0 );
		if ( w.distance == 0.0 )
			continue;
		assert_true( gap.upper - gap.lower < 1e-9 );
		seen[__builtin_popcount( w.corners_fixed )][__builtin_popcount( w.corners_moved )] += 1;
		// The corners that are named are as far apart as the triangles.
		double part_a[9], part_b[9];
		for ( int side = 0; side < 2; ++side ) {
			const uint32_t mask = side == 0 ? w.corners_fixed : w.corners_moved;
			const double *whole = side == 0 ? a : b;
			double *part = side == 0 ? part_a : part_b;
			const int some = __builtin_ctz( mask );
			for ( int c = 0; c < 3; ++c )
				memcpy( part + 3 * c, whole + 3 * ( ( mask >> c & 1 ) != 0 ? c : some ), 3 * sizeof( double ) );
		}
		assert_true( oracle_triangles_distance( part_a, part_b, NULL ) == w.distance );
		double length = hypot( hypot( w.between[0], w.between[1] ), w.between[2] );
		assert_true( fabs( length - w.distance ) <= 8.0 * 0x1p-53 * w.distance );
	}
	printf( "gap: corner-corner %zu, corner-edge %zu %zu, corner-face %zu %zu, edge-edge %zu\n", seen[1][1], seen[1][2],
	        seen[2][1], seen[1][3], seen[3][1], seen[2][2] );
	assert_outcomes( seen[1][1] > 0 && seen[1][2] > 0 && seen[2][1] > 0 && seen[1][3] > 0 && seen[3][1] > 0 &&
	                 seen[2][2] > 0 );
}

static void refusals( void **state ) {
	(void)state;
	const dbvh_triangle a = { { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } } };
	dbvh_triangle b = { { { 0, 0, 2 }, { 1, 0, 2 }, { 0, 1, 2 } } };
	dbvh_triangles_distance_result r = { .distance = 7.0 };
	dbvh_error error;
	assert_int_equal( dbvh_triangles_distance( &a, &b, NULL, NULL, &error ), DBVH_INVALID_ARGUMENT );
	assert_string_equal( error.text, "result_out is NULL" );
	assert_int_equal( dbvh_triangles_distance( NULL, &b, NULL, &r, &error ), DBVH_INVALID_ARGUMENT );
	assert_string_equal( error.text, "a is NULL" );
	assert_int_equal( dbvh_triangles_distance( &a, &b, NULL, &r, &error ), DBVH_OK );
	assert_true( r.distance == 2.0 && error.status == DBVH_OK );
	b.corner[1][1] = NAN;
	assert_int_equal( dbvh_triangles_distance( &a, &b, NULL, &r, &error ), DBVH_NOT_FINITE );
	assert_string_equal( error.text, "b.corner[4] is NaN" );
	b.corner[1][1] = 0.0;
	dbvh_pose pose = dbvh_pose_identity();
	pose.rot[0][0] = 2.0;
	assert_int_equal( dbvh_triangles_distance( &a, &b, &pose, &r, &error ), DBVH_NOT_RIGID );
	assert_memory_equal( error.text, "pose_b: ", 8 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( families ),
	    cmocka_unit_test( features ),
	    cmocka_unit_test( in_pairs_of_doubles ),
	    cmocka_unit_test( refusals ),
	};
	return test_main( argc, argv, tests );
}
