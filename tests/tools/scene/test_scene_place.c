// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses of a robot's links: the project's sine and cosine against their series in GMP, poses of random trees of links
// against products of 4 x 4 matrices of long doubles.

#include "dualbvh/robot.h"
#include "model/model.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <gmp.h>
#include <math.h>
#include <string.h>

// Sine and cosine in 192 bits: of the angle less a multiple of a quarter turn, by their series. Long doubles will not
// do: some C libraries take pi of 64 bits, and some long doubles are doubles.
static void oracle_sine_cosine( double angle, mpf_t sine, mpf_t cosine ) {
	mpf_t quarter, rest, power, turns;
	mpf_init_set_str(
	    quarter, "1.5707963267948966192313216916397514420985846996875529104874722961539082031431044993140174126710585",
	    10 );
	mpf_inits( rest, power, turns, NULL );
	mpf_set_d( rest, angle );
	mpf_div( turns, rest, quarter );
	const double count = floor( mpf_get_d( turns ) + 0.5 );
	mpf_set_d( turns, count );
	mpf_mul( turns, turns, quarter );
	mpf_sub( rest, rest, turns );
	mpf_t sums[2]; // cosine and sine of the rest
	mpf_inits( sums[0], sums[1], NULL );
	mpf_set_ui( power, 1 );
	for ( unsigned long k = 0; k < 44; ++k ) {
		if ( k % 4 < 2 )
			mpf_add( sums[k % 2], sums[k % 2], power );
		else
			mpf_sub( sums[k % 2], sums[k % 2], power );
		mpf_mul( power, power, rest );
		mpf_div_ui( power, power, k + 1 );
	}
	const unsigned quadrant = (unsigned)(int64_t)count & 3u;
	mpf_set( sine, sums[( quadrant + 1 ) % 2] );
	mpf_set( cosine, sums[quadrant % 2] );
	if ( quadrant >= 2 )
		mpf_neg( sine, sine );
	if ( quadrant == 1 || quadrant == 2 )
		mpf_neg( cosine, cosine );
	mpf_clears( quarter, rest, power, turns, sums[0], sums[1], NULL );
}

// How many units in the last place x is away from the true value.
static double ulps_off( double x, const mpf_t truth ) {
	const double near = fabs( mpf_get_d( truth ) ), unit = nextafter( near, INFINITY ) - near;
	mpf_t off;
	mpf_init( off );
	mpf_set_d( off, x );
	mpf_sub( off, off, truth );
	const double difference = fabs( mpf_get_d( off ) );
	mpf_clear( off );
	return difference / unit;
}

static void check_angle( double angle, double limit, double *worst ) {
	double s, c;
	dbvh_sine_cosine( angle, &s, &c );
	mpf_t sine, cosine;
	mpf_inits( sine, cosine, NULL );
	oracle_sine_cosine( angle, sine, cosine );
	const double off = fmax( ulps_off( s, sine ), ulps_off( c, cosine ) );
	mpf_clears( sine, cosine, NULL );
	*worst = fmax( *worst, off );
	if ( !( off <= limit ) )
		fail_msg( "%.17g: sine %.17g, cosine %.17g are %g units off", angle, s, c, off );
}

static void test_sine_and_cosine( void **state ) {
	(void)state;
	rng r = rng_announce( "sine and cosine", 51 );
	const double limit = 0.9;
	mpf_set_default_prec( 192 );
	double worst = 0.0;
	for ( size_t n = rounds( 100000 ); n-- > 0; ) {
		const double range = exp2( rng_range( &r, -30.0, 20.0 ) );
		check_angle( rng_range( &r, -range, range ), limit, &worst );
	}
	// Next to multiples of an eighth of a turn, where nearly everything cancels or octants meet.
	for ( int k = -20000; k <= 20000; k += 1 + 7 * ( abs( k ) > 100 ) ) {
		double angle = (double)( (long double)k * 0.785398163397448309615660845819875721L );
		for ( int i = 0; i < 3; ++i, angle = nextafter( angle, INFINITY ) )
			check_angle( angle, limit, &worst );
	}
	printf( "at most %.3f units off\n", worst );
}

static void test_exact_angles( void **state ) {
	(void)state;
	double s, c;
	dbvh_sine_cosine( 0.0, &s, &c );
	assert_true( s == 0.0 && c == 1.0 );
	dbvh_sine_cosine( 1e-300, &s, &c );
	assert_true( s == 1e-300 && c == 1.0 );
	dbvh_sine_cosine( 1e300, &s, &c );
	assert_true( fabs( s * s + c * c - 1.0 ) < 1e-15 );
	dbvh_sine_cosine( NAN, &s, &c );
	assert_true( isnan( s ) && isnan( c ) );
	dbvh_sine_cosine( -INFINITY, &s, &c );
	assert_true( isnan( s ) && isnan( c ) );
}

// Known bits, so that a machine on which they are others is found out.
static void test_bits( void **state ) {
	(void)state;
	uint64_t sum = 0;
	for ( int i = 0; i < 1000; ++i ) {
		double sc[2];
		uint64_t bits[2];
		dbvh_sine_cosine( 0.37 * i * i - 1000.0, &sc[0], &sc[1] );
		memcpy( bits, sc, sizeof bits );
		sum = 31 * sum + ( bits[0] ^ bits[1] << 1 );
	}
	if ( sum != UINT64_C( 0x75e192734f6467cd ) )
		fail_msg( "0x%016llx", (unsigned long long)sum );
}

// ------------------------------------------------------------------------------------------------
// The oracle: 4 x 4 matrices of long doubles, rotations by elementary ones about x, y and z.

typedef struct matrix {
	long double at[4][4];
} matrix;

static matrix identity( void ) {
	return ( matrix ){ { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } } };
}

static matrix times( matrix a, matrix b ) {
	matrix out = { 0 };
	for ( int i = 0; i < 4; ++i )
		for ( int j = 0; j < 4; ++j )
			for ( int k = 0; k < 4; ++k )
				out.at[i][j] += a.at[i][k] * b.at[k][j];
	return out;
}

static matrix shift( long double x, long double y, long double z ) {
	matrix m = identity();
	m.at[0][3] = x, m.at[1][3] = y, m.at[2][3] = z;
	return m;
}

static matrix turn( int axis, long double angle ) {
	matrix m = identity();
	const int j = ( axis + 1 ) % 3, k = ( axis + 2 ) % 3;
	m.at[j][j] = m.at[k][k] = cosl( angle );
	m.at[k][j] = sinl( angle );
	m.at[j][k] = -m.at[k][j];
	return m;
}

// About any axis: turn it into z by way of its longitude and colatitude.
static matrix turn_about( const double axis[3], long double angle ) {
	const long double longitude = atan2l( axis[1], axis[0] );
	const long double colatitude = atan2l( hypotl( axis[0], axis[1] ), axis[2] );
	const matrix there = times( turn( 2, longitude ), turn( 1, colatitude ) );
	const matrix back = times( turn( 1, -colatitude ), turn( 2, -longitude ) );
	return times( there, times( turn( 2, angle ), back ) );
}

static matrix oracle_origin( const double rpy[3], const double xyz[3] ) {
	return times( shift( xyz[0], xyz[1], xyz[2] ),
	              times( turn( 2, rpy[2] ), times( turn( 1, rpy[1] ), turn( 0, rpy[0] ) ) ) );
}

enum { MOST_LINKS = 60 };

typedef struct tree {
	scene_model model;
	matrix origins[MOST_LINKS], bodies[MOST_LINKS];
} tree;

static void random_origin( rng *r, dbvh_pose *pose, matrix *oracle ) {
	double rpy[3], xyz[3];
	for ( int i = 0; i < 3; ++i ) {
		rpy[i] =
		    rng_below( r, 3 ) == 0 ? 1.57079632679489661923 * (double)rng_below( r, 4 ) : rng_range( r, -7.0, 7.0 );
		xyz[i] = rng_range( r, -1.0, 1.0 );
	}
	*pose = dbvh_pose_from_rpy( rpy, xyz );
	*oracle = oracle_origin( rpy, xyz );
}

static void make_tree( rng *r, tree *t, size_t count ) {
	for ( uint32_t i = 0; i < count; ++i ) {
		const uint32_t parent = i == 0 ? SCENE_NONE : rng_below( r, 3 ) > 0 ? i - 1 : (uint32_t)rng_below( r, i );
		assert_int_equal( scene_add_link( &t->model, "link", parent ), i );
		scene_link *link = &t->model.links[i];
		t->origins[i] = identity();
		if ( i > 0 ) {
			random_origin( r, &link->origin, &t->origins[i] );
			link->kind = (scene_joint_kind)rng_below( r, 3 );
			double length = 0.0;
			for ( int k = 0; k < 3; ++k )
				link->axis[k] = rng_range( r, -1.0, 1.0 );
			for ( int k = 0; k < 3; ++k )
				length += link->axis[k] * link->axis[k];
			for ( int k = 0; k < 3; ++k )
				link->axis[k] /= sqrt( length );
			const uint32_t other = (uint32_t)rng_below( r, i );
			if ( rng_below( r, 5 ) == 0 && t->model.links[other].mimic == SCENE_NONE && i != other ) {
				link->mimic = other;
				link->factor = rng_range( r, -2.0, 2.0 );
				link->offset = rng_range( r, -1.0, 1.0 );
			}
		}
		dbvh_pose pose;
		random_origin( r, &pose, &t->bodies[i] );
		assert_int_equal( scene_add_body( &t->model, "body", 0, &pose ), i );
		t->model.bodies[i].link = i;
	}
}

static void check_tree( const tree *t, const double *values ) {
	dbvh_pose poses[MOST_LINKS + 1];
	matrix links[MOST_LINKS];
	assert_true( scene_place( &t->model, values, poses ) );
	for ( size_t i = 0; i < t->model.link_count; ++i ) {
		const scene_link *link = &t->model.links[i];
		const long double value = link->mimic == SCENE_NONE
		                              ? (long double)values[i]
		                              : (long double)link->factor * values[link->mimic] + link->offset;
		const matrix motion = link->kind == SCENE_JOINT_REVOLUTE ? turn_about( link->axis, value )
		                      : link->kind == SCENE_JOINT_PRISMATIC
		                          ? shift( value * link->axis[0], value * link->axis[1], value * link->axis[2] )
		                          : identity();
		links[i] = times( t->origins[i], motion );
		if ( link->parent != SCENE_NONE )
			links[i] = times( links[link->parent], links[i] );
		const matrix expected = times( links[i], t->bodies[i] );
		double deviation;
		assert_int_equal( dbvh_pose_check( &poses[i], &deviation, NULL ), DBVH_OK );
		assert_true( deviation <= 5e-15 );
		for ( int row = 0; row < 3; ++row ) {
			for ( int column = 0; column < 3; ++column )
				assert_true( fabsl( poses[i].rot[row][column] - expected.at[row][column] ) < 1e-13L );
			assert_true( fabsl( poses[i].pos[row] - expected.at[row][3] ) < 1e-11L );
		}
	}
}

static void test_random_trees( void **state ) {
	(void)state;
	rng r = rng_announce( "random trees", 52 );
	for ( size_t n = rounds( 100 ); n-- > 0; ) {
		static tree t;
		memset( &t, 0, sizeof t );
		make_tree( &r, &t, 1 + rng_below( &r, MOST_LINKS ) );
		for ( int k = 0; k < 3; ++k ) {
			double values[MOST_LINKS];
			for ( int i = 0; i < MOST_LINKS; ++i )
				values[i] = rng_range( &r, -10.0, 10.0 );
			check_tree( &t, values );
		}
		scene_model_free( &t.model );
	}
}

// A chain as long as this would have an error of its length without straighten().
static void test_long_chains_stay_rigid( void **state ) {
	(void)state;
	enum { LENGTH = 20000 };
	static double values[LENGTH];
	scene_model model = { 0 };
	for ( uint32_t i = 0; i < LENGTH; ++i ) {
		scene_add_link( &model, "link", i - 1 ); // SCENE_NONE is -1
		model.links[i].kind = SCENE_JOINT_REVOLUTE;
		model.links[i].axis[0] = 0.6, model.links[i].axis[1] = 0.8;
		values[i] = 0.001 * i;
	}
	const dbvh_pose pose = dbvh_pose_identity();
	scene_add_body( &model, "end", 0, &pose );
	model.bodies[0].link = LENGTH - 1;
	scene_add_body( &model, "world", 0, &pose );
	dbvh_pose poses[2];
	double deviation;
	assert_true( scene_place( &model, values, poses ) );
	assert_int_equal( dbvh_pose_check( &poses[0], &deviation, NULL ), DBVH_OK );
	assert_true( deviation <= 3e-15 );
	assert_memory_equal( &poses[1], &pose, sizeof pose );
	// With all joints at 0 nothing moves at all.
	assert_true( scene_place( &model, NULL, poses ) );
	assert_memory_equal( &poses[0], &pose, sizeof pose );
	scene_model_free( &model );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_sine_and_cosine ),
	    cmocka_unit_test( test_exact_angles ),
	    cmocka_unit_test( test_bits ),
	    cmocka_unit_test( test_random_trees ),
	    cmocka_unit_test( test_long_chains_stay_rigid ),
	};
	return test_main( argc, argv, tests );
}
