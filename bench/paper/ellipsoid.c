// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Larsson's experiment (2008, Tables 1 and 2): a million random pairs of an ellipsoid and a box at each of five
// frequencies of overlap, by every method, in turn. Pairs are all pairs of a thousand ellipsoids and a thousand boxes:
// so few volumes stay in the cache, and so many pairs that no branch predictor learns them.

#include "primitive/ellipsoid/ellipsoid.h"

#include "common/experiment.h"
#include "common/stats.h"
#include "primitive/ellipsoid/cases.h"

#include <math.h>
#include <stdlib.h>

enum {
	EACH = 1000,
	BATCH = DBVH_ELLIPSOID_METHOD_COUNT,
	METHOD_COUNT = BATCH + 1,
	RATE_COUNT = 5,
	QUICK = 3,
	FAST = 7
};

static const int rates[RATE_COUNT] = { 5, 25, 50, 75, 95 };

// The order of Larsson's table, then Eberly's method, then those of this library.
static const struct {
	const char *name;
	dbvh_ellipsoid_method method;
	double his[RATE_COUNT]; // milliseconds on an Intel T2600 of 2.16 GHz
	double his_total;       // printed in his Table 2: for BF and FS+QR one off the sum of the rounded rows
} methods[METHOD_COUNT] = {
    { "BF", DBVH_ELLIPSOID_METHOD_BRUTE_FORCE, { 1117, 1057, 847, 584, 261 }, 3867 },
    { "FD", DBVH_ELLIPSOID_METHOD_FACE_DISTANCE, { 626, 659, 570, 422, 219 }, 2496 },
    { "FS", DBVH_ELLIPSOID_METHOD_FACE_SELECT, { 293, 326, 311, 267, 160 }, 1357 },
    { "FS+QR", DBVH_ELLIPSOID_METHOD_QUICK_REJECTION, { 90, 196, 255, 253, 182 }, 975 },
    { "features", DBVH_ELLIPSOID_METHOD_ALL_FEATURES, { 0 }, 0 },
    { "closest", DBVH_ELLIPSOID_METHOD_CLOSEST_FEATURES, { 0 }, 0 },
    { "minkowski", DBVH_ELLIPSOID_METHOD_MINKOWSKI, { 0 }, 0 },
    { "descent", DBVH_ELLIPSOID_METHOD_DESCENT, { 0 }, 0 },
    { "batch", DBVH_ELLIPSOID_METHOD_COUNT, { 0 }, 0 },
};

typedef struct volumes {
	dbvh_ellipsoid ellipsoid[EACH];
	dbvh_obb box[EACH];
	double centre[2][EACH][3]; // in a cube of side 1
} volumes;

static void fill( volumes *v, rng *r ) {
	for ( int i = 0; i < EACH; ++i ) {
		random_axes( r, v->ellipsoid[i].axis );
		random_axes( r, v->box[i].axis );
		for ( int k = 0; k < 3; ++k ) {
			v->ellipsoid[i].half[k] = rng_range( r, 0.25, 1.0 );
			v->box[i].half[k] = rng_range( r, 0.25, 1.0 );
			v->centre[0][i][k] = rng_unit( r );
			v->centre[1][i][k] = rng_unit( r );
		}
	}
}

static void spread( volumes *v, double side ) {
	for ( int i = 0; i < EACH; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			v->ellipsoid[i].centre[k] = side * v->centre[0][i][k];
			v->box[i].centre[k] = side * v->centre[1][i][k];
		}
	}
}

// One function for each method, so that each is called directly.
static size_t run_method( const volumes *v, dbvhi_ellipsoid_test *test ) {
	size_t intersecting = 0;
	for ( int i = 0; i < EACH; ++i ) {
		for ( int j = 0; j < EACH; ++j )
			intersecting += test( &v->ellipsoid[i], &v->box[j] );
	}
	return intersecting;
}

static size_t run_batch( const volumes *v, const dbvh_obb_pack *pack ) {
	static uint8_t meet[EACH];
	size_t intersecting = 0;
	for ( int i = 0; i < EACH; ++i ) {
		if ( dbvh_ellipsoid_obb_intersect_batch( &v->ellipsoid[i], pack, meet, NULL ) != DBVH_OK )
			exit( 2 );
		for ( int j = 0; j < EACH; ++j )
			intersecting += meet[j];
	}
	return intersecting;
}

static size_t run( const volumes *v, const dbvh_obb_pack *pack, int m ) {
	return m == BATCH ? run_batch( v, pack ) : run_method( v, dbvhi_ellipsoid_tests[methods[m].method] );
}

// The side of the cube at which a pair in a hundred intersects `rate` times.
static void set_rate( volumes *v, int rate ) {
	double low = 0.0, high = 64.0;
	for ( int step = 0; step < 14; ++step ) {
		const double side = 0.5 * ( low + high );
		spread( v, side );
		if ( run_method( v, dbvhi_ellipsoid_descent ) > (size_t)( rate * EACH * ( EACH / 100 ) ) )
			low = side;
		else
			high = side;
	}
}

typedef struct errors {
	unsigned long long wrong[METHOD_COUNT], near;
} errors;

static errors count_errors( const volumes *v, const dbvh_obb_pack *pack ) {
	errors out = { .near = 0 };
	static uint8_t meet[EACH];
	for ( int i = 0; i < EACH; ++i ) {
		if ( dbvh_ellipsoid_obb_intersect_batch( &v->ellipsoid[i], pack, meet, NULL ) != DBVH_OK )
			exit( 2 );
		for ( int j = 0; j < EACH; ++j ) {
			unsigned long long wide = 0;
			const truth is = oracle_obb( &v->ellipsoid[i], &v->box[j], &wide );
			out.near += is >= TRUTH_NEAR_APART;
			for ( int m = 0; m < METHOD_COUNT && is < TRUTH_NEAR_APART; ++m ) {
				const bool verdict = m == BATCH
				                         ? meet[j] != 0
				                         : dbvhi_ellipsoid_tests[methods[m].method]( &v->ellipsoid[i], &v->box[j] );
				out.wrong[m] += verdict != ( is == TRUTH_MEETING );
			}
		}
	}
	return out;
}

static double cells( const double *values ) {
	double sum = 0.0;
	for ( int rate = 0; rate < RATE_COUNT; ++rate ) {
		printf( " %8.1f", values[rate] );
		sum += values[rate];
	}
	return sum;
}

int bench_ellipsoid( const bench_options *options ) {
	static volumes v;
	static double samples[64 * METHOD_COUNT];
	double ms[METHOD_COUNT][RATE_COUNT], total[METHOD_COUNT];
	errors wrong[RATE_COUNT];
	rng r = { 2008 };
	int status = EXIT_SUCCESS;
	fill( &v, &r );
	if ( options->csv != NULL )
		fprintf(
		    options->csv,
		    "# a million tests, one thread, medians of %zu alternate rounds; larsson_ms: his Tables 1 and 2 (2008), 0 "
		    "where he has none\nmethod,overlap,ms,larsson_ms\n",
		    options->rounds );
	for ( int rate = 0; rate < RATE_COUNT; ++rate ) {
		set_rate( &v, rates[rate] );
		dbvh_obb_pack *pack = NULL;
		if ( dbvh_obb_pack_create( v.box, EACH, NULL, &pack, NULL ) != DBVH_OK )
			return 2;
		size_t intersecting[METHOD_COUNT];
		for ( size_t round = 0; round < options->rounds; ++round ) {
			for ( int m = 0; m < METHOD_COUNT; ++m ) {
				const double start = stats_thread_now();
				intersecting[m] = run( &v, pack, m );
				samples[round * METHOD_COUNT + (size_t)m] = ( stats_thread_now() - start ) * 1e3;
			}
		}
		for ( int m = 0; m < METHOD_COUNT; ++m )
			ms[m][rate] = stats_competitor_median( samples, options->rounds, METHOD_COUNT, (size_t)m );
		wrong[rate] = count_errors( &v, pack );
		printf( "%d %%: %zu of a million intersect; within the margin %llu; wrong verdicts:", rates[rate],
		        intersecting[0], wrong[rate].near );
		bool all_right = true;
		for ( int m = 0; m < METHOD_COUNT; ++m )
			if ( wrong[rate].wrong[m] > 0 ) {
				printf( "\n    %s %llu", methods[m].name, wrong[rate].wrong[m] );
				all_right = false;
			}
		puts( all_right ? " none, of any method" : "" );
		status = all_right ? status : EXIT_FAILURE;
		dbvh_obb_pack_destroy( pack );
	}
	printf( "\nTable 1: a million tests, ms (here, one thread, medians of %zu alternate rounds; Larsson's beside "
	        "it)\n%-10s",
	        options->rounds, "overlap" );
	for ( int half = 0; half < 2; ++half ) {
		for ( int rate = 0; rate < RATE_COUNT; ++rate )
			printf( " %6d %%", rates[rate] );
		printf( half == 0 ? "  |" : "\n" );
	}
	for ( int m = 0; m < METHOD_COUNT; ++m ) {
		printf( "%-10s", methods[m].name );
		total[m] = cells( ms[m] );
		printf( "  |" );
		if ( methods[m].his[0] > 0.0 )
			cells( methods[m].his );
		puts( "" );
	}
	printf( "\nTable 2: sum of all rows\n%-10s %10s %10s %12s %12s %10s\n", "method", "ms", "speed-up", "over FS+QR",
	        "Larsson, ms", "speed-up" );
	for ( int m = 0; m < METHOD_COUNT; ++m ) {
		printf( "%-10s %10.1f %10.2f %12.2f", methods[m].name, total[m], total[0] / total[m], total[QUICK] / total[m] );
		if ( methods[m].his_total > 0.0 )
			printf( " %12.0f %10.2f", methods[m].his_total, methods[0].his_total / methods[m].his_total );
		puts( "" );
		if ( options->csv != NULL ) {
			for ( int rate = 0; rate < RATE_COUNT; ++rate )
				fprintf( options->csv, "%s,%d,%.2f,%.0f\n", methods[m].name, rates[rate], ms[m][rate],
				         methods[m].his[rate] );
			fprintf( options->csv, "%s,sum,%.2f,%.0f\n", methods[m].name, total[m], methods[m].his_total );
		}
	}
	return status;
}
