// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fits whose optimum is known, and hostile ones; pairs of ellipsoids, and of ellipsoid and ball, against the oracle;
// mistaken arguments. The tests of an ellipsoid and a box against the oracle are in test_ellipsoid_pairs.c.

#include "cases.h"
#include "dualbvh/collide.h"
#include "dualbvh/isa.h"
#include "primitive/ellipsoid/ellipsoid.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double half_product( const dbvh_ellipsoid *e ) {
	return e->half[0] * e->half[1] * e->half[2];
}

// The largest sum over k of ( ( p - centre ) . axes[k] / half[k] )^2, in long doubles.
static long double farthest( const dbvh_ellipsoid *e, const double *points, size_t count ) {
	long double most = 0.0L;
	for ( size_t i = 0; i < count; ++i ) {
		long double sum = 0.0L;
		for ( int k = 0; k < 3; ++k ) {
			long double along = 0.0L;
			for ( int c = 0; c < 3; ++c )
				along += ( (long double)points[3 * i + (size_t)c] - e->centre[c] ) * e->axis[k][c];
			sum += along * along / ( (long double)e->half[k] * e->half[k] );
		}
		most = sum > most ? sum : most;
	}
	return most;
}

static dbvh_ellipsoid fit( const double *points, size_t count ) {
	dbvh_ellipsoid e;
	assert_int_equal( dbvh_ellipsoid_fit( points, count, NULL, &e, NULL ), DBVH_OK );
	assert_int_equal( dbvhi_volume_check( e.centre, e.axis, e.half ), DBVH_OK );
	assert_true( farthest( &e, points, count ) <= 1.0L );
	const double longest = fmax( fmax( e.half[0], e.half[1] ), e.half[2] );
	for ( int k = 0; k < 3; ++k )
		assert_true( e.half[k] >= 0.999 * DBVHI_THINNEST * longest );
	return e;
}

// Sets whose least ellipsoid is the ball of radius `radius` about the origin; affine images have its image.
typedef struct known {
	const char *name;
	size_t count;
	double radius, points[3 * 400];
} known;

static void add( known *s, double x, double y, double z ) {
	double *p = s->points + 3 * s->count++;
	p[0] = x;
	p[1] = y;
	p[2] = z;
}

static known known_set( int which ) {
	known s = { .count = 0 };
	const double golden = 0.5 * ( 1.0 + sqrt( 5.0 ) );
	switch ( which ) {
	case 0:
		s.name = "tetrahedron";
		s.radius = sqrt( 3.0 );
		add( &s, 1, 1, 1 ), add( &s, 1, -1, -1 ), add( &s, -1, 1, -1 ), add( &s, -1, -1, 1 );
		break;
	case 1:
		s.name = "cube";
		s.radius = sqrt( 3.0 );
		for ( int c = 0; c < 8; ++c )
			add( &s, c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1 );
		break;
	case 2:
		s.name = "octahedron";
		s.radius = 1.0;
		for ( int c = 0; c < 6; ++c )
			add( &s, c / 2 == 0 ? 1 - 2 * ( c & 1 ) : 0, c / 2 == 1 ? 1 - 2 * ( c & 1 ) : 0,
			     c / 2 == 2 ? 1 - 2 * ( c & 1 ) : 0 );
		break;
	case 3:
		s.name = "icosahedron";
		s.radius = sqrt( 1.0 + golden * golden );
		for ( int c = 0; c < 12; ++c ) {
			const double p[3] = { 0.0, c & 1 ? 1.0 : -1.0, c & 2 ? golden : -golden };
			const int turn = c / 4;
			add( &s, p[( 3 - turn ) % 3], p[( 4 - turn ) % 3], p[( 5 - turn ) % 3] );
		}
		break;
	case 4:
		s.name = "cube with what is inside";
		s.radius = sqrt( 3.0 );
		for ( int c = 0; c < 343; ++c )
			add( &s, ( c % 7 - 3 ) / 3.0, ( c / 7 % 7 - 3 ) / 3.0, ( c / 49 - 3 ) / 3.0 );
		break;
	default:
		s.name = "ball";
		s.radius = 1.0;
		for ( int c = 0; c < 200; ++c ) { // both ends of each direction, so that the optimum is the ball itself
			const double z = ( c + 0.5 ) / 200.0, turn = 2.399963229728653 * c, w = sqrt( 1.0 - z * z );
			add( &s, w * cos( turn ), w * sin( turn ), z );
			add( &s, -w * cos( turn ), -w * sin( turn ), -z );
		}
		break;
	}
	return s;
}

static void test_known( void **state ) {
	(void)state;
	rng r = rng_announce( "ellipsoid fits", 41 );
	double worst = 0.0;
	for ( size_t round = 0; round < rounds( 600 ); ++round ) {
		known s = known_set( (int)( round % 6 ) );
		// p = A x + b with A = U diag( stretch ) V, whose determinant is that of the stretch.
		double u[3][3], v[3][3], stretch[3], b[3];
		random_axes( &r, u );
		random_axes( &r, v );
		const double unit = ldexp( 1.0, (int)rng_below( &r, 61 ) - 30 );
		for ( int k = 0; k < 3; ++k ) {
			stretch[k] = unit * exp( -rng_range( &r, 0.0, 7.0 ) * (double)rng_below( &r, 2 ) );
			b[k] = unit * rng_range( &r, -3.0, 3.0 ) * (double)rng_below( &r, 2 );
		}
		for ( size_t i = 0; i < s.count; ++i ) {
			double *p = s.points + 3 * i, x[3] = { p[0], p[1], p[2] };
			for ( int c = 0; c < 3; ++c ) {
				p[c] = b[c];
				for ( int k = 0; k < 3; ++k )
					p[c] += u[k][c] * stretch[k] * ( v[k][0] * x[0] + v[k][1] * x[1] + v[k][2] * x[2] );
			}
		}
		const dbvh_ellipsoid e = fit( s.points, s.count );
		const double least = s.radius * s.radius * s.radius * stretch[0] * stretch[1] * stretch[2];
		const double excess = half_product( &e ) / least - 1.0;
		if ( excess > 0.01 || excess < -1e-9 )
			printf( "%s: volume %g times the least\n", s.name, 1.0 + excess );
		assert_true( excess <= 0.01 && excess >= -1e-9 );
		worst = fmax( worst, excess );
	}
	printf( "volume over the optimum: at most %.3f %%\n", 100.0 * worst );
}

// Against a polynomially many times slower ascent that looks at all points: any set at all.
static double reference_product( const double *points, size_t count, int steps ) {
	double *weight = malloc( count * sizeof *weight );
	assert_non_null( weight );
	for ( size_t i = 0; i < count; ++i )
		weight[i] = 1.0 / (double)count;
	double least = INFINITY;
	for ( int step = 0; step < steps; ++step ) {
		// Titterington's multiplicative steps: slow, simple, and of another kind.
		double mean[3] = { 0 }, m[3][3] = { { 0 } };
		for ( size_t i = 0; i < count; ++i ) {
			for ( int k = 0; k < 3; ++k )
				mean[k] += weight[i] * points[3 * i + (size_t)k];
		}
		for ( size_t i = 0; i < count; ++i ) {
			for ( int j = 0; j < 3; ++j ) {
				for ( int k = 0; k < 3; ++k )
					m[j][k] +=
					    weight[i] * ( points[3 * i + (size_t)j] - mean[j] ) * ( points[3 * i + (size_t)k] - mean[k] );
			}
		}
		double inverse[3][3];
		for ( int j = 0; j < 3; ++j ) {
			for ( int k = 0; k < 3; ++k ) {
				const int a = ( j + 1 ) % 3, b = ( j + 2 ) % 3, c = ( k + 1 ) % 3, d = ( k + 2 ) % 3;
				inverse[k][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
			}
		}
		const double determinant = m[0][0] * inverse[0][0] + m[0][1] * inverse[1][0] + m[0][2] * inverse[2][0];
		double most = 0.0;
		for ( size_t i = 0; i < count; ++i ) {
			double square = 0.0;
			for ( int j = 0; j < 3; ++j ) {
				for ( int k = 0; k < 3; ++k )
					square += ( points[3 * i + (size_t)j] - mean[j] ) * inverse[j][k] / determinant *
					          ( points[3 * i + (size_t)k] - mean[k] );
			}
			most = fmax( most, square );
			weight[i] *= ( 1.0 + square ) / 4.0;
		}
		least = fmin( least, sqrt( determinant * most * most * most ) );
	}
	free( weight );
	return least;
}

static void test_random_sets( void **state ) {
	(void)state;
	rng r = rng_announce( "ellipsoid fits of random sets", 42 );
	double worst = -1.0;
	for ( size_t round = 0; round < rounds( 200 ); ++round ) {
		double points[3 * 60];
		const size_t count = 5 + rng_below( &r, 55 );
		const double flat = rng_below( &r, 2 ) == 0 ? 1.0 : 0.01;
		for ( size_t i = 0; i < count; ++i ) {
			for ( size_t k = 0; k < 3; ++k )
				points[3 * i + k] = ( k == 0 ? flat : 1.0 ) * ( rng_unit( &r ) * rng_unit( &r ) - 0.3 );
		}
		const dbvh_ellipsoid e = fit( points, count );
		const double excess = half_product( &e ) / reference_product( points, count, 3000 ) - 1.0;
		assert_true( excess <= 0.01 );
		worst = fmax( worst, excess );
	}
	printf( "volume over that of another method: at most %.3f %%\n", 100.0 * worst );
}

// Points, needles, duplicates, planes, coarse grids, huge and tiny: enclosed, thick enough, finite.
static void test_hostile_sets( void **state ) {
	(void)state;
	rng r = rng_announce( "ellipsoid fits of hostile sets", 43 );
	for ( size_t round = 0; round < rounds( 4000 ); ++round ) {
		double points[3 * 40], a[3], b[3], c[3];
		const size_t count = 1 + rng_below( &r, 40 );
		const int kind = (int)rng_below( &r, 6 ), grid = (int)rng_below( &r, 2 );
		const double thin = pow( 10.0, -rng_range( &r, 0.0, 18.0 ) );
		for ( int k = 0; k < 3; ++k ) {
			a[k] = rng_range( &r, -1.0, 1.0 );
			b[k] = rng_range( &r, -1.0, 1.0 );
			c[k] = rng_range( &r, -1.0, 1.0 );
		}
		const double scale = ldexp( 1.0, rng_below( &r, 4 ) == 0 ? (int)rng_below( &r, 140 ) - 40 : 0 );
		for ( size_t i = 0; i < count; ++i ) {
			double s = rng_range( &r, -1.0, 1.0 ), t = rng_range( &r, -1.0, 1.0 ), u = rng_range( &r, -1.0, 1.0 );
			if ( grid ) {
				s = ( (double)rng_below( &r, 17 ) - 8.0 ) / 8.0;
				t = ( (double)rng_below( &r, 17 ) - 8.0 ) / 8.0;
				u = ( (double)rng_below( &r, 17 ) - 8.0 ) / 8.0;
			}
			for ( size_t k = 0; k < 3; ++k ) {
				double x = s * a[k];                            // 0: a needle
				x = kind == 1 ? s * a[k] + t * b[k] : x;        // a plane
				x = kind == 2 ? a[k] : x;                       // one point, many times
				x = kind == 3 ? s * a[k] + thin * t * b[k] : x; // nearly a needle
				x = kind == 4 ? s * a[k] + t * b[k] + thin * u * c[k] : x;
				x = kind == 5 ? ( k == 0 ? s : k == 1 ? t : thin * u ) : x;
				points[3 * i + k] = scale * ( x + ( count % 3 == 0 ? c[k] : 0.0 ) );
			}
		}
		double largest = 0.0;
		for ( size_t i = 0; i < 3 * count; ++i )
			largest = fmax( largest, fabs( points[i] ) );
		if ( largest > 0.0 && largest < 0x1p-50 )
			continue;
		fit( points, count );
	}
}

static double pair_margin( const dbvh_ellipsoid *a, const dbvh_ellipsoid *b ) {
	dbvh_obb box_a, box_b;
	memcpy( &box_a, a, sizeof box_a );
	memcpy( &box_b, b, sizeof box_b );
	return fmin( dbvh_ellipsoid_margin( a, &box_b ), dbvh_ellipsoid_margin( b, &box_a ) );
}

typedef struct outcome {
	size_t meeting, apart, near, wrong;
} outcome;

static void book( outcome *o, truth is, bool meet ) {
	o->near += is >= TRUTH_NEAR_APART;
	o->meeting += is == TRUTH_MEETING;
	o->apart += is == TRUTH_APART;
	o->wrong += ( is == TRUTH_MEETING && !meet ) || ( is == TRUTH_APART && meet );
}

static void test_ellipsoid_pairs( void **state ) {
	(void)state;
	rng r = rng_announce( "pairs of ellipsoids", 44 );
	for ( int ball = 0; ball < 2; ++ball ) {
		outcome o = { 0 };
		for ( size_t round = 0; round < rounds( 3000 ); ++round ) {
			const volume_pair p = random_volumes( &r, (int)( round % REGIME_COUNT ) );
			dbvh_ellipsoid other;
			memcpy( &other, &p.box, sizeof other );
			bool meet = false, swapped = false;
			if ( ball ) {
				other.half[1] = other.half[2] = other.half[0];
				const dbvh_sphere sphere = { { other.centre[0], other.centre[1], other.centre[2] }, other.half[0] };
				assert_int_equal( dbvh_ellipsoid_sphere_intersect( &p.ellipsoid, &sphere, &meet ), DBVH_OK );
			} else {
				// Nearly touching ones: the one that was the box is moved until the balls' gap is as wanted.
				assert_int_equal( dbvh_ellipsoid_ellipsoid_intersect( &p.ellipsoid, &other, &meet ), DBVH_OK );
				assert_int_equal( dbvh_ellipsoid_ellipsoid_intersect( &other, &p.ellipsoid, &swapped ), DBVH_OK );
			}
			const double margin = fmax( pair_margin( &p.ellipsoid, &other ), pair_margin( &other, &p.ellipsoid ) );
			const truth is = oracle_ellipsoids( &p.ellipsoid, &other, margin );
			book( &o, is, meet );
			if ( !ball )
				book( &o, is, swapped );
		}
		printf( "%s: %zu meeting, %zu apart, %zu within the margin, %zu wrong\n",
		        ball ? "ellipsoid and ball" : "two ellipsoids", o.meeting, o.apart, o.near, o.wrong );
		assert_int_equal( o.wrong, 0 );
		assert_true( o.meeting > rounds( 3000 ) / 10 && o.apart > rounds( 3000 ) / 10 );
	}
}

// Each method by its name, in every regime, against the oracle; both verdicts occur with each.
static void test_methods( void **state ) {
	(void)state;
	rng r = rng_announce( "ellipsoid methods", 47 );
	unsigned long long wide = 0;
	size_t verdicts[DBVH_ELLIPSOID_METHOD_COUNT][2] = { { 0 } };
	for ( size_t i = 0; i < 4000; ++i ) {
		const volume_pair p = random_volumes( &r, (int)( i % REGIME_COUNT ) );
		const truth is = oracle_obb( &p.ellipsoid, &p.box, &wide );
		for ( int method = 0; method < DBVH_ELLIPSOID_METHOD_COUNT; ++method ) {
			bool meet = false;
			assert_int_equal(
			    dbvh_ellipsoid_obb_intersect( &p.ellipsoid, &p.box, (dbvh_ellipsoid_method)method, &meet ), DBVH_OK );
			verdicts[method][meet] += 1;
			if ( is == TRUTH_APART || is == TRUTH_MEETING )
				assert_int_equal( meet, is == TRUTH_MEETING );
		}
	}
	for ( int method = 0; method < DBVH_ELLIPSOID_METHOD_COUNT; ++method )
		assert_outcomes( verdicts[method][0] > 100 && verdicts[method][1] > 100 );
}

static void test_door( void **state ) {
	(void)state;
	rng r = { 45 };
	const volume_pair good = random_volumes( &r, 0 );
	volume_pair p = good;
	bool meet = true;
	uint8_t byte;
	double point[3] = { 1, 2, 3 };
	dbvh_ellipsoid e;
	dbvh_obb_pack *pack = NULL;
	assert_int_equal( dbvh_ellipsoid_obb_intersect( NULL, &p.box, 0, &meet ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_ellipsoid_obb_intersect( &p.ellipsoid, &p.box, (dbvh_ellipsoid_method)8, &meet ),
	                  DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_ellipsoid_obb_intersect( &p.ellipsoid, &p.box, 0, NULL ), DBVH_INVALID_ARGUMENT );
	p.ellipsoid.half[1] = 0.0;
	assert_int_equal( dbvh_ellipsoid_obb_intersect( &p.ellipsoid, &p.box, 0, &meet ), DBVH_INVALID_ARGUMENT );
	assert_false( meet );
	p.ellipsoid.half[1] = NAN;
	assert_int_equal( dbvh_ellipsoid_obb_intersect( &p.ellipsoid, &p.box, 0, &meet ), DBVH_NOT_FINITE );
	p.ellipsoid.half[1] = 0x1p-200;
	assert_int_equal( dbvh_ellipsoid_obb_intersect( &p.ellipsoid, &p.box, 0, &meet ), DBVH_LIMIT );
	p = good;
	p.box.axis[0][0] += 1e-3;
	assert_int_equal( dbvh_ellipsoid_obb_intersect( &p.ellipsoid, &p.box, 0, &meet ), DBVH_NOT_RIGID );
	assert_int_equal( dbvh_obb_pack_create( &p.box, 1, NULL, &pack, NULL ), DBVH_NOT_RIGID );
	assert_null( pack );
	assert_int_equal( dbvh_obb_pack_create( &good.box, 0, NULL, &pack, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_obb_pack_create( &good.box, 1, NULL, &pack, NULL ), DBVH_OK );
	assert_int_equal( dbvh_ellipsoid_obb_intersect_batch( &good.ellipsoid, pack, &byte, NULL ), DBVH_OK );
	assert_int_equal( dbvh_ellipsoid_obb_intersect( &good.ellipsoid, &good.box, 0, &meet ), DBVH_OK );
	assert_int_equal( byte, meet );
	dbvh_obb_pack_destroy( pack );
	assert_int_equal( dbvh_ellipsoid_fit( point, 0, NULL, &e, NULL ), DBVH_INVALID_ARGUMENT );
	point[1] = INFINITY;
	assert_int_equal( dbvh_ellipsoid_fit( point, 1, NULL, &e, NULL ), DBVH_NOT_FINITE );
	point[1] = 0x1p200;
	assert_int_equal( dbvh_ellipsoid_fit( point, 1, NULL, &e, NULL ), DBVH_LIMIT );
	memset( point, 0, sizeof point );
	assert_int_equal( dbvh_ellipsoid_fit( point, 1, NULL, &e, NULL ), DBVH_OK );
	assert_true( e.half[0] > 0.0 );
	p = good;
	p.ellipsoid.half[0] = 0.0;
	assert_int_equal( dbvh_ellipsoid_repair( &p.ellipsoid, 0.0 ), DBVH_OK );
	assert_true( p.ellipsoid.half[0] == DBVHI_THINNEST * fmax( p.ellipsoid.half[1], p.ellipsoid.half[2] ) );
	p.ellipsoid.half[0] = 0.0;
	assert_int_equal( dbvh_ellipsoid_repair( &p.ellipsoid, 0.5 ), DBVH_OK );
	assert_true( p.ellipsoid.half[0] == 0.5 * fmax( p.ellipsoid.half[1], p.ellipsoid.half[2] ) );
	assert_int_equal( dbvh_ellipsoid_repair( &p.ellipsoid, 1.5 ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_ellipsoid_repair( &p.ellipsoid, NAN ), DBVH_NOT_FINITE );
	memset( p.box.half, 0, sizeof p.box.half );
	assert_int_equal( dbvh_obb_repair( &p.box, 0.0 ), DBVH_INVALID_ARGUMENT );
}

// Flat boxes: rectangles, segments and points, the oracle's answer for a box so thin that nothing else is between.
static void test_flat( void **state ) {
	(void)state;
	rng r = rng_announce( "flat boxes", 47 );
	size_t meeting = 0, apart = 0;
	for ( size_t i = 0; i < rounds( 20000 ); ++i ) {
		volume_pair p = random_volumes( &r, (int)( i % 2 == 0 ? 0 : 4 ) );
		const int flat = 1 + (int)rng_below( &r, 7 );
		const double longest = fmax( fmax( p.ellipsoid.half[0], p.ellipsoid.half[1] ), p.ellipsoid.half[2] );
		dbvh_obb thin = p.box;
		for ( int k = 0; k < 3; ++k )
			if ( flat >> k & 1 ) {
				p.box.half[k] = 0.0;
				thin.half[k] = 0x1p-60 * longest;
			}
		unsigned long long wide = 0;
		const truth is = oracle_obb( &p.ellipsoid, &thin, &wide );
		bool meet = false;
		for ( int method = 0; method < DBVH_ELLIPSOID_METHOD_COUNT; method += 3 ) {
			assert_int_equal(
			    dbvh_ellipsoid_obb_intersect( &p.ellipsoid, &p.box, (dbvh_ellipsoid_method)method, &meet ), DBVH_OK );
			assert_false( ( is == TRUTH_MEETING && !meet ) || ( is == TRUTH_APART && meet ) );
		}
		meeting += is == TRUTH_MEETING;
		apart += is == TRUTH_APART;
		// A segment by its ends, and a point, also as a ball.
		double ends[2][3];
		for ( int c = 0; c < 3; ++c )
			for ( int e = 0; e < 2; ++e ) {
				ends[e][c] = p.box.centre[c];
				for ( int k = 0; k < 3; ++k )
					ends[e][c] += ( e == 0 ? -1.0 : 1.0 ) * p.box.half[k] * p.box.axis[k][c];
			}
		bool segment = false, point = false, ball = false;
		assert_int_equal( dbvh_ellipsoid_segment_intersect( &p.ellipsoid, ends[0], ends[1], &segment ), DBVH_OK );
		if ( ( flat == 3 || flat == 5 || flat == 6 ) && is <= TRUTH_MEETING )
			assert_int_equal( segment, is == TRUTH_MEETING );
		const dbvh_sphere dot = { { p.box.centre[0], p.box.centre[1], p.box.centre[2] }, 0.0 };
		assert_int_equal( dbvh_ellipsoid_point_intersect( &p.ellipsoid, p.box.centre, &point ), DBVH_OK );
		assert_int_equal( dbvh_ellipsoid_sphere_intersect( &p.ellipsoid, &dot, &ball ), DBVH_OK );
		assert_int_equal( ball, point );
		if ( flat == 7 && is <= TRUTH_MEETING )
			assert_int_equal( point, is == TRUTH_MEETING );
		assert_true( meet || !point || is > TRUTH_MEETING );
	}
	printf( "flat boxes: %zu meet, %zu are apart\n", meeting, apart );
	assert_true( meeting > rounds( 1000 ) && apart > rounds( 1000 ) );
}

// A box as a polyhedron of twelve triangles.
static void test_polyhedra( void **state ) {
	(void)state;
	static const uint32_t faces[12][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 },
	                                       { 0, 1, 4 }, { 1, 5, 4 }, { 2, 6, 3 }, { 3, 6, 7 },
	                                       { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };
	rng r = rng_announce( "polyhedra", 48 );
	size_t meeting = 0, apart = 0;
	for ( size_t i = 0; i < rounds( 20000 ); ++i ) {
		const volume_pair p = random_volumes( &r, (int)( i % REGIME_COUNT ) );
		double points[8][3];
		for ( int v = 0; v < 8; ++v )
			for ( int c = 0; c < 3; ++c ) {
				points[v][c] = p.box.centre[c];
				for ( int k = 0; k < 3; ++k )
					points[v][c] += ( v >> k & 1 ? 1.0 : -1.0 ) * p.box.half[k] * p.box.axis[k][c];
			}
		const dbvh_polyhedron polyhedron = { (const double( * )[3])points, 8, faces, 12 };
		// Corners run anticlockwise where the axes are right-handed.
		uint32_t turned[12][3];
		const double( *a )[3] = p.box.axis;
		const double handed = a[0][0] * ( a[1][1] * a[2][2] - a[1][2] * a[2][1] ) -
		                      a[0][1] * ( a[1][0] * a[2][2] - a[1][2] * a[2][0] ) +
		                      a[0][2] * ( a[1][0] * a[2][1] - a[1][1] * a[2][0] );
		for ( int f = 0; f < 12; ++f )
			for ( int k = 0; k < 3; ++k )
				turned[f][k] = faces[f][handed > 0.0 ? k : 2 - k];
		dbvh_polyhedron with = polyhedron;
		with.triangles = (const uint32_t( * )[3])turned;
		bool meet = false;
		unsigned long long wide = 0;
		const truth is = oracle_obb( &p.ellipsoid, &p.box, &wide );
		assert_int_equal( dbvh_ellipsoid_polyhedron_intersect( &p.ellipsoid, &with, &meet ), DBVH_OK );
		assert_false( ( is == TRUTH_MEETING && !meet ) || ( is == TRUTH_APART && meet ) );
		meeting += is == TRUTH_MEETING;
		apart += is == TRUTH_APART;
	}
	printf( "polyhedra: %zu meet, %zu are apart\n", meeting, apart );
	assert_true( meeting > rounds( 1000 ) && apart > rounds( 1000 ) );
	const dbvh_ellipsoid ball = { { 0, 0, 0 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 1, 1, 1 } };
	double at[3][3] = { { 2, 0, 0 }, { 0, 2, 0 }, { 0, 0, NAN } };
	const uint32_t one[1][3] = { { 0, 1, 2 } }, none[1][3] = { { 0, 1, 3 } };
	bool meet = true;
	dbvh_polyhedron p = { (const double( * )[3])at, 3, one, 1 };
	assert_int_equal( dbvh_ellipsoid_polyhedron_intersect( &ball, &p, &meet ), DBVH_NOT_FINITE );
	assert_false( meet );
	at[2][2] = 2.0;
	p.triangles = none;
	assert_int_equal( dbvh_ellipsoid_polyhedron_intersect( &ball, &p, &meet ), DBVH_INVALID_ARGUMENT );
}

// The image's support in a direction is that of the original in the direction that the map's transpose makes of it.
static void test_transform( void **state ) {
	(void)state;
	rng r = rng_announce( "affine maps", 49 );
	for ( size_t i = 0; i < rounds( 20000 ); ++i ) {
		const dbvh_ellipsoid e = random_volumes( &r, (int)( i % 4 ) ).ellipsoid;
		double linear[3][3], shift[3], n[3];
		for ( int c = 0; c < 3; ++c ) {
			shift[c] = rng_range( &r, -1.0, 1.0 );
			n[c] = rng_range( &r, -1.0, 1.0 );
			for ( int k = 0; k < 3; ++k )
				linear[c][k] = rng_range( &r, -1.0, 1.0 ) * ( rng_below( &r, 8 ) == 0 ? 0x1p-20 : 1.0 );
		}
		dbvh_ellipsoid out;
		const dbvh_status status = dbvh_ellipsoid_transform( &e, (const double( * )[3])linear, shift, &out );
		assert_true( status == DBVH_OK || status == DBVH_LIMIT );
		if ( status != DBVH_OK )
			continue;
		assert_int_equal( dbvhi_volume_check( out.centre, out.axis, out.half ), DBVH_OK );
		long double there = 0.0L, here = 0.0L, middle = 0.0L, size = 0.0L;
		for ( int k = 0; k < 3; ++k ) {
			long double along = 0.0L, mapped = 0.0L;
			for ( int c = 0; c < 3; ++c ) {
				along += (long double)n[c] * out.axis[k][c];
				for ( int d = 0; d < 3; ++d )
					mapped += (long double)n[c] * linear[c][d] * e.axis[k][d];
			}
			there += along * along * out.half[k] * out.half[k];
			here += mapped * mapped * e.half[k] * e.half[k];
			size = fmaxl( size, out.half[k] );
			long double moved = shift[k];
			for ( int d = 0; d < 3; ++d )
				moved += (long double)linear[k][d] * e.centre[d];
			middle = fmaxl( middle, fabsl( moved - out.centre[k] ) / ( 1.0L + fabsl( moved ) + fabs( e.centre[0] ) +
			                                                           fabs( e.centre[1] ) + fabs( e.centre[2] ) ) );
		}
		assert_true( fabsl( sqrtl( there ) - sqrtl( here ) ) <= 0x1p-45L * size );
		assert_true( middle <= 0x1p-48L );
	}
	const double flat[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } }, none[3] = { 0, 0, 0 };
	dbvh_ellipsoid ball = { { 0, 0, 0 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 1, 2, 3 } };
	assert_int_equal( dbvh_ellipsoid_transform( &ball, flat, none, &ball ), DBVH_LIMIT );
	assert_true( ball.half[0] == 0.0 );
}

// The packs' answers on every instruction set, with boxes that do not fill a block.
static void test_instruction_sets( void **state ) {
	(void)state;
	static const char *const names[] = { "scalar", "baseline", "neon", "avx2", "avx512" };
	rng r = rng_announce( "packs of boxes", 46 );
	for ( size_t isa = 0; isa < sizeof names / sizeof names[0]; ++isa ) {
		if ( dbvh_isa_select( names[isa], NULL ) != DBVH_OK )
			continue;
		size_t meeting = 0, apart = 0, wrong = 0;
		for ( size_t round = 0; round < rounds( 100 ); ++round ) {
			dbvh_obb boxes[100];
			uint8_t meet[101];
			const size_t count = 1 + rng_below( &r, 100 );
			const int regime = (int)( round % 4 );
			const dbvh_ellipsoid e = random_volumes( &r, regime ).ellipsoid;
			for ( size_t i = 0; i < count; ++i ) {
				boxes[i] = random_volumes( &r, regime ).box;
				for ( int k = 0; k < 3; ++k ) { // whatever the unit of the pair was
					boxes[i].centre[k] =
					    e.centre[k] + fmax( fmax( e.half[0], e.half[1] ), e.half[2] ) * rng_range( &r, -1.5, 1.5 );
					boxes[i].half[k] = e.half[k] * rng_range( &r, 0.1, 1.0 );
				}
			}
			dbvh_obb_pack *pack = NULL;
			assert_int_equal( dbvh_obb_pack_create( boxes, count, NULL, &pack, NULL ), DBVH_OK );
			meet[count] = 77;
			assert_int_equal( dbvh_ellipsoid_obb_intersect_batch( &e, pack, meet, NULL ), DBVH_OK );
			assert_int_equal( meet[count], 77 );
			dbvh_obb_pack_destroy( pack );
			for ( size_t i = 0; i < count; ++i ) {
				unsigned long long wide = 0;
				const truth is = oracle_obb( &e, &boxes[i], &wide );
				meeting += is == TRUTH_MEETING;
				apart += is == TRUTH_APART;
				wrong += ( is == TRUTH_MEETING && meet[i] != 1 ) || ( is == TRUTH_APART && meet[i] != 0 );
			}
		}
		printf( "%s: %zu meeting, %zu apart, %zu wrong\n", names[isa], meeting, apart, wrong );
		assert_int_equal( wrong, 0 );
		assert_true( meeting > rounds( 100 ) && apart > rounds( 100 ) );
	}
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_known ),        cmocka_unit_test( test_random_sets ),
	    cmocka_unit_test( test_hostile_sets ), cmocka_unit_test( test_ellipsoid_pairs ),
	    cmocka_unit_test( test_flat ),         cmocka_unit_test( test_polyhedra ),
	    cmocka_unit_test( test_transform ),    cmocka_unit_test( test_instruction_sets ),
	    cmocka_unit_test( test_methods ),      cmocka_unit_test( test_door ),
	};
	return test_main( argc, argv, tests );
}
