// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Points in boxes under poses, against GMP's rationals, which solve for the point by Cramer's rule.
// DUALBVH_TEST_SCALE multiplies the number of points.

#include "exact/point_in_box.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <gmp.h>
#include <math.h>
#include <stdio.h>

static void determinant( mpq_t out, mpq_t m[3][3] ) {
	mpq_t t;
	mpq_init( t );
	mpq_set_ui( out, 0, 1 );
	for ( int k = 0; k < 3; ++k ) {
		for ( int sign = 1; sign >= -1; sign -= 2 ) {
			const int p = ( k + ( sign > 0 ? 1 : 2 ) ) % 3, q = ( k + ( sign > 0 ? 2 : 1 ) ) % 3;
			mpq_mul( t, m[0][k], m[1][p] );
			mpq_mul( t, t, m[2][q] );
			if ( sign > 0 )
				mpq_add( out, out, t );
			else
				mpq_sub( out, out, t );
		}
	}
	mpq_clear( t );
}

// The point in the frame of the box, by solving rot y = x - pos or by rot x + pos.
static bool truth( const double x[3], bool moved, const double box[6], bool box_moved, const dbvh_pose *pose ) {
	mpq_t m[3][3], n[3][3], d[3], y[3], det, t;
	mpq_inits( det, t, NULL );
	for ( int i = 0; i < 3; ++i ) {
		mpq_inits( d[i], y[i], NULL );
		for ( int j = 0; j < 3; ++j ) {
			mpq_inits( m[i][j], n[i][j], NULL );
			mpq_set_d( m[i][j], pose->rot[i][j] );
		}
	}
	for ( int i = 0; i < 3; ++i ) {
		mpq_set_d( y[i], x[i] );
		if ( moved && !box_moved ) {
			mpq_set_d( y[i], pose->pos[i] );
			for ( int j = 0; j < 3; ++j ) {
				mpq_set_d( t, x[j] );
				mpq_mul( t, t, m[i][j] );
				mpq_add( y[i], y[i], t );
			}
		} else if ( !moved && box_moved ) {
			mpq_set_d( t, pose->pos[i] );
			mpq_sub( d[i], y[i], t );
		}
	}
	if ( !moved && box_moved ) {
		determinant( det, m );
		for ( int k = 0; k < 3; ++k ) {
			for ( int i = 0; i < 3; ++i ) {
				for ( int j = 0; j < 3; ++j )
					mpq_set( n[i][j], j == k ? d[i] : m[i][j] );
			}
			determinant( t, n );
			mpq_div( y[k], t, det );
		}
	}
	bool inside = true;
	for ( int k = 0; k < 3; ++k ) {
		mpq_set_d( t, box[k] );
		inside = inside && mpq_cmp( t, y[k] ) <= 0;
		mpq_set_d( t, box[3 + k] );
		inside = inside && mpq_cmp( t, y[k] ) >= 0;
	}
	for ( int i = 0; i < 3; ++i ) {
		mpq_clears( d[i], y[i], NULL );
		for ( int j = 0; j < 3; ++j )
			mpq_clears( m[i][j], n[i][j], NULL );
	}
	mpq_clears( det, t, NULL );
	return inside;
}

static double number( rng *r, int kind ) {
	if ( kind == 0 )
		return ( (double)rng_below( r, 17 ) - 8.0 ) * 0.125;
	if ( kind == 1 )
		return rng_range( r, -1.0, 1.0 );
	if ( kind == 2 )
		return ldexp( (double)rng_below( r, 9 ) - 4.0, -1074 );
	if ( kind == 3 )
		return ldexp( rng_range( r, -1.0, 1.0 ), 1024 );
	return rng_below( r, 4 ) == 0 ? 0.0 : ldexp( rng_range( r, -1.0, 1.0 ), (int)rng_below( r, 2090 ) - 1066 );
}

static dbvh_pose any_pose( rng *r, int kind ) {
	dbvh_pose pose = dbvh_pose_identity();
	const uint64_t turn = rng_below( r, 4 );
	if ( turn == 1 ) { // a quarter turn
		pose.rot[0][0] = pose.rot[1][1] = 0.0;
		pose.rot[0][1] = -1.0;
		pose.rot[1][0] = 1.0;
	} else if ( turn == 2 ) {
		double q[4], zero[3] = { 0.0, 0.0, 0.0 };
		for ( int k = 0; k < 4; ++k )
			q[k] = rng_range( r, -1.0, 1.0 );
		pose = dbvh_pose_from_quaternion( q, zero );
	} else if ( turn == 3 ) { // no rotation, and next to nothing beside the diagonal
		for ( int k = 0; k < 9; ++k )
			pose.rot[k / 3][k % 3] += ldexp( rng_range( r, -1.0, 1.0 ), -12 - (int)rng_below( r, 1062 ) );
	}
	for ( int k = 0; k < 3; ++k )
		pose.pos[k] = rng_below( r, 2 ) == 0 ? 0.0 : number( r, kind );
	return pose;
}

// The point seen from the box, rounded: bounds that it lies on, or almost.
static double seen( const double x[3], bool moved, bool box_moved, const dbvh_pose *pose, int k ) {
	double out = moved && !box_moved ? pose->pos[k] : 0.0;
	for ( int j = 0; j < 3; ++j ) {
		if ( moved == box_moved )
			out += j == k ? x[k] : 0.0;
		else
			out += moved ? pose->rot[k][j] * x[j] : pose->rot[j][k] * ( x[j] - pose->pos[j] );
	}
	return out;
}

static void points_in_boxes( void **state ) {
	(void)state;
	rng r = rng_announce( "box", 17 );
	const size_t count = rounds( 40000 );
	size_t in = 0, out = 0, wrong = 0;
	for ( size_t i = 0; i < count; ++i ) {
		const int kind = (int)rng_below( &r, 5 );
		const bool moved = rng_below( &r, 2 ) == 0, box_moved = rng_below( &r, 4 ) == 0 ? moved : !moved;
		const dbvh_pose pose = any_pose( &r, kind );
		double x[3], box[6];
		for ( int k = 0; k < 3; ++k )
			x[k] = number( &r, kind );
		for ( int k = 0; k < 3; ++k ) {
			const double at = seen( x, moved, box_moved, &pose, k );
			double a = number( &r, kind ), b = number( &r, kind );
			const uint64_t touch = rng_below( &r, 4 );
			if ( isfinite( at ) && touch > 0 )
				b = touch == 1 ? at : nextafter( at, touch == 2 ? INFINITY : -INFINITY );
			if ( !isfinite( b ) )
				b = a;
			if ( touch != 0 && rng_below( &r, 4 ) == 0 )
				a = b; // flat
			box[k] = a < b ? a : b;
			box[3 + k] = a < b ? b : a;
		}
		const bool right = truth( x, moved, box, box_moved, &pose );
		*( right ? &in : &out ) += 1;
		if ( dbvhi_corner_in_box( ( dbvhi_corner ){ x, moved }, box, box_moved, &pose ) != right && wrong++ < 3 )
			printf( "round %zu, kind %d, moved %d and %d: should be %d\n", i, kind, moved, box_moved, right );
	}
	printf( "box: %zu points inside, %zu outside, %zu wrong\n", in, out, wrong );
	assert_int_equal( wrong, 0 );
	assert_outcomes( in > count / 100 && out > count / 100 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( points_in_boxes ) };
	return test_main( argc, argv, tests );
}
