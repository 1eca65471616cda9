// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Primitives: one call a pair beside the batches, then signed distances and casts.

#include "common/experiment.h"
#include "common/stats.h"
#include "dualbvh/dualbvh.h"
#include "simd/isa.h"
#include "support/rng.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 4096, MOST = 15, WAYS = 3 };

// Shapes as rows, which are their structs, and as columns.
typedef struct table {
	double row[COUNT][MOST], column[MOST][COUNT];
} table;

static table left, right;
static uint8_t scalar_answers[COUNT], batch_answers[COUNT];
static dbvh_status status;
static bool checking; // not while time is taken

static void random_point( rng *r, double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = rng_range( r, -1.0, 1.0 );
}

static void make_sphere( rng *r, double *row ) {
	random_point( r, row );
	row[3] = rng_range( r, 0.0, 1.0 );
}

static void make_aabb( rng *r, double *row ) {
	double p[3];
	random_point( r, p );
	for ( int k = 0; k < 3; ++k ) {
		const double half = rng_range( r, 0.0, 0.8 );
		row[k] = p[k] - half;
		row[3 + k] = p[k] + half;
	}
}

static void make_obb( rng *r, double *row ) {
	double q[4];
	random_point( r, row );
	for ( int k = 0; k < 4; ++k )
		q[k] = rng_range( r, -1.0, 1.0 );
	const dbvh_pose pose = dbvh_pose_from_quaternion( q, row );
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			row[3 + 3 * i + k] = pose.rot[k][i];
		row[12 + i] = rng_range( r, 0.0, 0.7 );
	}
}

static void make_capsule( rng *r, double *row ) {
	random_point( r, row );
	random_point( r, row + 3 );
	row[6] = rng_range( r, 0.0, 0.4 );
}

static void make_segment( rng *r, double *row ) {
	random_point( r, row );
	random_point( r, row + 3 );
}

static void make_plane( rng *r, double *row ) {
	random_point( r, row );
	row[3] = rng_range( r, -1.0, 1.0 );
}

static void make_triangle( rng *r, double *row ) {
	for ( int k = 0; k < 3; ++k )
		random_point( r, row + 3 * k );
}

// ------------------------------------------------------------------------------------------------
// `many` false: the first of the left shapes against all of the right ones.

static void columns3( const table *t, int first, const double *out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = t->column[first + k];
}

static dbvh_sphere_array spheres( const table *t, size_t count ) {
	dbvh_sphere_array a = { .radius = t->column[3], .count = count };
	columns3( t, 0, a.centre );
	return a;
}

static dbvh_aabb_array aabbs( const table *t, size_t count ) {
	dbvh_aabb_array a = { .count = count };
	columns3( t, 0, a.min );
	columns3( t, 3, a.max );
	return a;
}

static dbvh_obb_array obbs( const table *t, size_t count ) {
	dbvh_obb_array a = { .count = count };
	columns3( t, 0, a.centre );
	for ( int k = 0; k < 3; ++k )
		columns3( t, 3 + 3 * k, a.axis[k] );
	columns3( t, 12, a.half );
	return a;
}

static dbvh_capsule_array capsules( const table *t, size_t count ) {
	dbvh_capsule_array a = { .radius = t->column[6], .count = count };
	columns3( t, 0, a.from );
	columns3( t, 3, a.to );
	return a;
}

static dbvh_segment_array segments( const table *t, size_t count ) {
	dbvh_segment_array a = { .count = count };
	columns3( t, 0, a.from );
	columns3( t, 3, a.to );
	return a;
}

static dbvh_ray_array rays( const table *t, size_t count ) {
	dbvh_ray_array a = { .count = count };
	columns3( t, 0, a.from );
	columns3( t, 3, a.direction );
	return a;
}

static dbvh_plane_array planes( const table *t, size_t count ) {
	dbvh_plane_array a = { .offset = t->column[3], .count = count };
	columns3( t, 0, a.normal );
	return a;
}

static dbvh_triangle_array triangles( const table *t, size_t count ) {
	dbvh_triangle_array a = { .count = count };
	for ( int k = 0; k < 3; ++k )
		columns3( t, 3 * k, a.corner[k] );
	return a;
}

#define MEET( name, type_a, type_b, array_a, array_b )                                                                 \
	static void single_##name( void ) {                                                                                \
		for ( size_t i = 0; i < COUNT; ++i ) {                                                                         \
			bool meet;                                                                                                 \
			status |= dbvh_##name##_intersect( (const dbvh_##type_a *)left.row[i],                                     \
			                                   (const dbvh_##type_b *)right.row[i], &meet );                           \
			scalar_answers[i] = meet;                                                                                  \
		}                                                                                                              \
	}                                                                                                                  \
	static void batch_##name( bool many ) {                                                                            \
		const dbvh_##type_a##_array a = array_a( &left, many ? COUNT : 1 );                                            \
		const dbvh_##type_b##_array b = array_b( &right, COUNT );                                                      \
		status |= dbvh_##name##_intersect_batch( &a, &b, batch_answers, NULL );                                        \
	}

#define SIDE( name, type_a, array_a )                                                                                  \
	static void single_##name( void ) {                                                                                \
		for ( size_t i = 0; i < COUNT; ++i ) {                                                                         \
			int side;                                                                                                  \
			status |=                                                                                                  \
			    dbvh_##name##_side( (const dbvh_##type_a *)left.row[i], (const dbvh_plane *)right.row[i], &side );     \
			scalar_answers[i] = (uint8_t)side;                                                                         \
		}                                                                                                              \
	}                                                                                                                  \
	static void batch_##name( bool many ) {                                                                            \
		const dbvh_##type_a##_array a = array_a( &left, many ? COUNT : 1 );                                            \
		const dbvh_plane_array b = planes( &right, COUNT );                                                            \
		status |= dbvh_##name##_side_batch( &a, &b, (int8_t *)batch_answers, NULL );                                   \
	}

MEET( sphere_sphere, sphere, sphere, spheres, spheres )
MEET( sphere_aabb, sphere, aabb, spheres, aabbs )
MEET( aabb_aabb, aabb, aabb, aabbs, aabbs )
MEET( obb_obb, obb, obb, obbs, obbs )
MEET( sphere_triangle, sphere, triangle, spheres, triangles )
MEET( capsule_capsule, capsule, capsule, capsules, capsules )
MEET( segment_sphere, segment, sphere, segments, spheres )
MEET( segment_aabb, segment, aabb, segments, aabbs )
MEET( capsule_obb, capsule, obb, capsules, obbs )
SIDE( sphere_plane, sphere, spheres )
SIDE( aabb_plane, aabb, aabbs )

// ------------------------------------------------------------------------------------------------
// Answers that are numbers. The way that each left shape goes is in its last columns, which none of them uses.

static union {
	double distance[COUNT];
	dbvh_hit_interval hit_interval[COUNT];
	dbvh_hit hit[COUNT];
	dbvh_shape_cast_result cast[COUNT];
} singles, batches;

#define DISTANCE( name, type_a, type_b, array_a, array_b )                                                             \
	static void single_##name##_distance( void ) {                                                                     \
		for ( size_t i = 0; i < COUNT; ++i ) {                                                                         \
			dbvh_signed_distance gap;                                                                                  \
			status |= dbvh_##name##_signed_distance( (const dbvh_##type_a *)left.row[i],                               \
			                                         (const dbvh_##type_b *)right.row[i], &gap );                      \
			singles.distance[i] = gap.distance;                                                                        \
			scalar_answers[i] = gap.distance > 0.0;                                                                    \
		}                                                                                                              \
	}                                                                                                                  \
	static void batch_##name##_distance( bool many ) {                                                                 \
		const dbvh_##type_a##_array a = array_a( &left, many ? COUNT : 1 );                                            \
		const dbvh_##type_b##_array b = array_b( &right, COUNT );                                                      \
		status |= dbvh_##name##_distance_batch( &a, &b, batches.distance, NULL );                                      \
		for ( size_t i = 0; checking && i < COUNT; ++i )                                                               \
			batch_answers[i] = batches.distance[i] > 0.0 && batches.distance[i] == singles.distance[i];                \
	}

#define HIT( name, type_a, type_b, array_a, array_b, result, number )                                                  \
	static void single_##name##_hit( void ) {                                                                          \
		for ( size_t i = 0; i < COUNT; ++i ) {                                                                         \
			status |= dbvh_##name##_hit( (const dbvh_##type_a *)left.row[i], (const dbvh_##type_b *)right.row[i],      \
			                             &singles.result[i] );                                                         \
			scalar_answers[i] = singles.result[i].intersects;                                                          \
		}                                                                                                              \
	}                                                                                                                  \
	static void batch_##name##_hit( bool many ) {                                                                      \
		const dbvh_##type_a##_array a = array_a( &left, many ? COUNT : 1 );                                            \
		const dbvh_##type_b##_array b = array_b( &right, COUNT );                                                      \
		status |= dbvh_##name##_hit_batch( &a, &b, batches.result, NULL );                                             \
		for ( size_t i = 0; checking && i < COUNT; ++i )                                                               \
			batch_answers[i] = batches.result[i].intersects && batches.result[i].number == singles.result[i].number;   \
	}

#define SWEEP( name, type_a, type_b, array_a, array_b, one_by, many_by )                                               \
	static void single_##name##_cast( void ) {                                                                         \
		for ( size_t i = 0; i < COUNT; ++i ) {                                                                         \
			status |= dbvh_##name##_cast( (const dbvh_##type_a *)left.row[i], left.row[i] + 12,                        \
			                              (const dbvh_##type_b *)right.row[i] one_by, &singles.cast[i] );              \
			scalar_answers[i] = singles.cast[i].intersects;                                                            \
		}                                                                                                              \
	}                                                                                                                  \
	static void batch_##name##_cast( bool many ) {                                                                     \
		const dbvh_##type_a##_array a = array_a( &left, many ? COUNT : 1 );                                            \
		const dbvh_##type_b##_array b = array_b( &right, COUNT );                                                      \
		const double *by[3];                                                                                           \
		columns3( &left, 12, by );                                                                                     \
		status |= dbvh_##name##_cast_batch( &a, by, &b many_by, batches.cast, NULL );                                  \
		for ( size_t i = 0; checking && i < COUNT; ++i )                                                               \
			batch_answers[i] = batches.cast[i].intersects && batches.cast[i].enter == singles.cast[i].enter;           \
	}

#define STAYS , NULL

DISTANCE( sphere_sphere, sphere, sphere, spheres, spheres )
DISTANCE( sphere_aabb, sphere, aabb, spheres, aabbs )
DISTANCE( sphere_triangle, sphere, triangle, spheres, triangles )
DISTANCE( capsule_capsule, capsule, capsule, capsules, capsules )
HIT( ray_sphere, ray, sphere, rays, spheres, hit_interval, enter )
HIT( segment_sphere, segment, sphere, segments, spheres, hit_interval, enter )
HIT( ray_aabb, ray, aabb, rays, aabbs, hit_interval, enter )
HIT( segment_aabb, segment, aabb, segments, aabbs, hit_interval, enter )
HIT( ray_triangle, ray, triangle, rays, triangles, hit, t )
HIT( segment_triangle, segment, triangle, segments, triangles, hit, t )
SWEEP( sphere_sphere, sphere, sphere, spheres, spheres, STAYS, STAYS )
SWEEP( aabb_aabb, aabb, aabb, aabbs, aabbs, STAYS, STAYS )
SWEEP( sphere_triangle, sphere, triangle, spheres, triangles, STAYS, STAYS )
SWEEP( sphere_plane, sphere, plane, spheres, planes, , )

typedef void maker( rng *r, double *row );

static const struct {
	const char *name;
	maker *make_left, *make_right;
	void ( *single )( void );
	void ( *batch )( bool many );
	bool is_cast;
} tests[] = {
    { "sphere_sphere", make_sphere, make_sphere, single_sphere_sphere, batch_sphere_sphere, false },
    { "sphere_aabb", make_sphere, make_aabb, single_sphere_aabb, batch_sphere_aabb, false },
    { "aabb_aabb", make_aabb, make_aabb, single_aabb_aabb, batch_aabb_aabb, false },
    { "obb_obb", make_obb, make_obb, single_obb_obb, batch_obb_obb, false },
    { "sphere_triangle", make_sphere, make_triangle, single_sphere_triangle, batch_sphere_triangle, false },
    { "capsule_capsule", make_capsule, make_capsule, single_capsule_capsule, batch_capsule_capsule, false },
    { "segment_sphere", make_segment, make_sphere, single_segment_sphere, batch_segment_sphere, false },
    { "segment_aabb", make_segment, make_aabb, single_segment_aabb, batch_segment_aabb, false },
    { "capsule_obb", make_capsule, make_obb, single_capsule_obb, batch_capsule_obb, false },
    { "sphere_plane", make_sphere, make_plane, single_sphere_plane, batch_sphere_plane, false },
    { "aabb_plane", make_aabb, make_plane, single_aabb_plane, batch_aabb_plane, false },
    { "sphere_sphere_distance", make_sphere, make_sphere, single_sphere_sphere_distance, batch_sphere_sphere_distance,
      false },
    { "sphere_aabb_distance", make_sphere, make_aabb, single_sphere_aabb_distance, batch_sphere_aabb_distance, false },
    { "sphere_triangle_distance", make_sphere, make_triangle, single_sphere_triangle_distance,
      batch_sphere_triangle_distance, false },
    { "capsule_capsule_distance", make_capsule, make_capsule, single_capsule_capsule_distance,
      batch_capsule_capsule_distance, false },
    { "ray_sphere_hit", make_segment, make_sphere, single_ray_sphere_hit, batch_ray_sphere_hit, false },
    { "segment_sphere_hit", make_segment, make_sphere, single_segment_sphere_hit, batch_segment_sphere_hit, false },
    { "ray_aabb_hit", make_segment, make_aabb, single_ray_aabb_hit, batch_ray_aabb_hit, false },
    { "segment_aabb_hit", make_segment, make_aabb, single_segment_aabb_hit, batch_segment_aabb_hit, false },
    { "ray_triangle_hit", make_segment, make_triangle, single_ray_triangle_hit, batch_ray_triangle_hit, false },
    { "segment_triangle_hit", make_segment, make_triangle, single_segment_triangle_hit, batch_segment_triangle_hit,
      false },
    { "sphere_sphere_cast", make_sphere, make_sphere, single_sphere_sphere_cast, batch_sphere_sphere_cast, true },
    { "aabb_aabb_cast", make_aabb, make_aabb, single_aabb_aabb_cast, batch_aabb_aabb_cast, true },
    { "sphere_triangle_cast", make_sphere, make_triangle, single_sphere_triangle_cast, batch_sphere_triangle_cast,
      true },
    { "sphere_plane_cast", make_sphere, make_plane, single_sphere_plane_cast, batch_sphere_plane_cast, true },
};

// ------------------------------------------------------------------------------------------------
// What has no batch

#define OTHER( name, type_a, type_b, result )                                                                          \
	static void other_##name( void ) {                                                                                 \
		for ( size_t i = 0; i < COUNT; ++i ) {                                                                         \
			result out;                                                                                                \
			status |= dbvh_##name( (const dbvh_##type_a *)left.row[i], (const dbvh_##type_b *)right.row[i], &out );    \
			memcpy( &scalar_answers[i], &out, 1 );                                                                     \
		}                                                                                                              \
	}

OTHER( sphere_obb_intersect, sphere, obb, bool )
OTHER( triangle_aabb_intersect, triangle, aabb, bool )
OTHER( triangle_obb_intersect, triangle, obb, bool )
OTHER( capsule_aabb_intersect, capsule, aabb, bool )
OTHER( capsule_triangle_intersect, capsule, triangle, bool )
OTHER( aabb_obb_intersect, aabb, obb, bool )
OTHER( sphere_obb_signed_distance, sphere, obb, dbvh_signed_distance )
OTHER( sphere_capsule_signed_distance, sphere, capsule, dbvh_signed_distance )
OTHER( sphere_triangle_signed_distance, sphere, triangle, dbvh_signed_distance )
OTHER( capsule_capsule_signed_distance, capsule, capsule, dbvh_signed_distance )
OTHER( aabb_aabb_signed_distance, aabb, aabb, dbvh_signed_distance )
OTHER( obb_obb_signed_distance, obb, obb, dbvh_signed_distance )
OTHER( aabb_obb_signed_distance, aabb, obb, dbvh_signed_distance )
OTHER( capsule_aabb_signed_distance, capsule, aabb, dbvh_signed_distance )
OTHER( capsule_obb_signed_distance, capsule, obb, dbvh_signed_distance )
OTHER( capsule_triangle_signed_distance, capsule, triangle, dbvh_signed_distance )
OTHER( capsule_aabb_distance, capsule, aabb, double )
OTHER( capsule_obb_distance, capsule, obb, double )
OTHER( capsule_triangle_distance, capsule, triangle, double )
OTHER( triangle_aabb_distance, triangle, aabb, double )
OTHER( triangle_obb_distance, triangle, obb, double )
OTHER( segment_obb_hit, segment, obb, dbvh_hit_interval )

static size_t contacts;

#define OTHER_SWEEP( name, type_a, type_b )                                                                            \
	static void cast_##name( void ) {                                                                                  \
		contacts = 0;                                                                                                  \
		for ( size_t i = 0; i < COUNT; ++i ) {                                                                         \
			dbvh_shape_cast_result out;                                                                                \
			status |= dbvh_##name##_cast( (const dbvh_##type_a *)left.row[i], left.row[i] + 12,                        \
			                              (const dbvh_##type_b *)right.row[i], NULL, &out );                           \
			contacts += out.intersects;                                                                                \
		}                                                                                                              \
	}

OTHER_SWEEP( sphere_aabb, sphere, aabb )

static const struct {
	const char *name;
	maker *make_left, *make_right;
	void ( *run )( void );
	bool is_cast;
} others[] = {
    { "sphere_obb_intersect", make_sphere, make_obb, other_sphere_obb_intersect, false },
    { "triangle_aabb_intersect", make_triangle, make_aabb, other_triangle_aabb_intersect, false },
    { "triangle_obb_intersect", make_triangle, make_obb, other_triangle_obb_intersect, false },
    { "capsule_aabb_intersect", make_capsule, make_aabb, other_capsule_aabb_intersect, false },
    { "capsule_triangle_intersect", make_capsule, make_triangle, other_capsule_triangle_intersect, false },
    { "sphere_obb_signed_distance", make_sphere, make_obb, other_sphere_obb_signed_distance, false },
    { "sphere_capsule_signed_distance", make_sphere, make_capsule, other_sphere_capsule_signed_distance, false },
    { "sphere_triangle_signed_distance", make_sphere, make_triangle, other_sphere_triangle_signed_distance, false },
    { "capsule_capsule_signed_distance", make_capsule, make_capsule, other_capsule_capsule_signed_distance, false },
    { "aabb_aabb_signed_distance", make_aabb, make_aabb, other_aabb_aabb_signed_distance, false },
    { "aabb_obb_intersect", make_aabb, make_obb, other_aabb_obb_intersect, false },
    { "obb_obb_signed_distance", make_obb, make_obb, other_obb_obb_signed_distance, false },
    { "aabb_obb_signed_distance", make_aabb, make_obb, other_aabb_obb_signed_distance, false },
    { "capsule_aabb_signed_distance", make_capsule, make_aabb, other_capsule_aabb_signed_distance, false },
    { "capsule_obb_signed_distance", make_capsule, make_obb, other_capsule_obb_signed_distance, false },
    { "capsule_triangle_signed_distance", make_capsule, make_triangle, other_capsule_triangle_signed_distance, false },
    { "capsule_aabb_distance", make_capsule, make_aabb, other_capsule_aabb_distance, false },
    { "capsule_obb_distance", make_capsule, make_obb, other_capsule_obb_distance, false },
    { "capsule_triangle_distance", make_capsule, make_triangle, other_capsule_triangle_distance, false },
    { "triangle_aabb_distance", make_triangle, make_aabb, other_triangle_aabb_distance, false },
    { "triangle_obb_distance", make_triangle, make_obb, other_triangle_obb_distance, false },
    { "segment_obb_hit", make_segment, make_obb, other_segment_obb_hit, false },
    { "sphere_aabb_cast", make_sphere, make_aabb, cast_sphere_aabb, true },
};

// ------------------------------------------------------------------------------------------------

static void fill( uint64_t seed, maker *make_left, maker *make_right, bool is_cast ) {
	rng r = { seed };
	for ( size_t i = 0; i < COUNT; ++i ) {
		make_left( &r, left.row[i] );
		make_right( &r, right.row[i] );
		if ( is_cast ) {
			// Smaller and farther, so that they mostly start apart.
			left.row[i][0] += 3.0;
			if ( make_left == make_aabb )
				left.row[i][3] += 3.0;
			random_point( &r, left.row[i] + 12 );
			left.row[i][12] = rng_range( &r, -5.0, 0.0 );
		}
		for ( int k = 0; k < MOST; ++k ) {
			left.column[k][i] = left.row[i][k];
			right.column[k][i] = right.row[i][k];
		}
	}
}

static void one_way( size_t test, int way ) {
	if ( way == 0 )
		tests[test].single();
	else
		tests[test].batch( way == 1 );
}

// Nanoseconds a test.
static double time_of( size_t test, int way ) {
	size_t repeats = 0;
	const double start = stats_thread_now();
	double seconds;
	do {
		one_way( test, way );
		repeats += 1;
		seconds = stats_thread_now() - start;
	} while ( seconds < STATS_ROUND );
	return seconds * 1e9 / (double)( repeats * COUNT );
}

int bench_primitives( const bench_options *options ) {
	int result = EXIT_SUCCESS;
	printf(
	    "\nkernels: %s; %d pairs in cache, one thread; medians of %zu alternate rounds; millions of tests a second\n",
	    dbvh_isa_name(), COUNT, options->rounds );
	printf( "%-22s %9s %9s %9s %14s %12s %8s\n", "", "one call", "batch", "ratio", "one with many", "ratio", "meet" );
	if ( options->csv != NULL )
		fprintf( options->csv, "test,scalar_per_second,batch_per_second,one_with_many_per_second\n" );
	for ( size_t t = 0; t < sizeof tests / sizeof tests[0]; ++t ) {
		double samples[64 * WAYS], ns[WAYS];
		fill( 1 + t, tests[t].make_left, tests[t].make_right, tests[t].is_cast );
		tests[t].single();
		checking = true;
		tests[t].batch( true );
		checking = false;
		size_t meet = 0;
		for ( size_t i = 0; i < COUNT; ++i )
			meet += scalar_answers[i] != 0;
		const bool wrong = memcmp( scalar_answers, batch_answers, COUNT ) != 0 || status != DBVH_OK;
		for ( size_t round = 0; round < options->rounds; ++round ) {
			for ( int way = 0; way < WAYS; ++way )
				samples[round * WAYS + (size_t)way] = time_of( t, way );
		}
		for ( int way = 0; way < WAYS; ++way )
			ns[way] = stats_competitor_median( samples, options->rounds, WAYS, (size_t)way );
		printf( "%-22s %9.2f %9.1f %9.1f %14.1f %12.1f %7.0f%%%s\n", tests[t].name, 1e3 / ns[0], 1e3 / ns[1],
		        ns[0] / ns[1], 1e3 / ns[2], ns[0] / ns[2], 100.0 * (double)meet / COUNT, wrong ? "  WRONG" : "" );
		if ( options->csv != NULL )
			fprintf( options->csv, "%s,%.0f,%.0f,%.0f\n", tests[t].name, 1e9 / ns[0], 1e9 / ns[1], 1e9 / ns[2] );
		result = wrong ? EXIT_FAILURE : result;
	}
	printf( "\n%-22s %9s %12s\n", "one call", "ns", "millions/s" );
	for ( size_t t = 0; t < sizeof others / sizeof others[0]; ++t ) {
		double samples[64];
		fill( 101 + t, others[t].make_left, others[t].make_right, others[t].is_cast );
		for ( size_t round = 0; round < options->rounds; ++round ) {
			const double start = stats_thread_now();
			others[t].run();
			samples[round] = ( stats_thread_now() - start ) * 1e9 / COUNT;
		}
		const double ns = stats_median( samples, options->rounds );
		printf( "%-22s %9.0f %12.3f", others[t].name, ns, 1e3 / ns );
		if ( others[t].is_cast )
			printf( "  %.0f%% with contact", 100.0 * (double)contacts / COUNT );
		puts( status != DBVH_OK ? "  WRONG" : "" );
		if ( options->csv != NULL )
			fprintf( options->csv, "%s,%.0f,,\n", others[t].name, 1e9 / ns );
		result = status != DBVH_OK ? EXIT_FAILURE : result;
	}
	return result;
}
