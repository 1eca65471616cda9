// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The gain of trees in files: building beside saving, loading and mapping, checked and trusted; queries from a mapped
// tree beside those from the one that was built; the number of uses after which a file has paid; the same for trees
// that have more in them: a topology, a reference tree, ellipsoids. With DUALBVH_BENCH_HUGE=N a single torus of N
// triangles, once, step by step with the most memory that was taken: for meshes that are as large as the machine.

#include "common/experiment.h"
#include "common/scene.h"
#include "common/stats.h"
#include "shapes/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char path[] = "dualbvh-bench-files.dbvh";

static void give_up( const dbvh_error *error ) {
	fprintf( stderr, "dualbvh-bench: %s\n", error->text );
	unlink( path );
	exit( 2 );
}

static dbvh_tree *must_build( const dbvh_mesh_view *view, const dbvh_tree_options *options ) {
	dbvh_tree *tree = NULL;
	dbvh_error error;
	if ( dbvh_tree_build( view, options, NULL, &tree, &error ) != DBVH_OK )
		give_up( &error );
	return tree;
}

static dbvh_tree *must_open( bool mapped, dbvh_file_check check, uint32_t threads ) {
	const dbvh_tree_load_options o = { .check = check, .thread_count = threads };
	dbvh_tree *tree = NULL;
	dbvh_error error;
	const dbvh_status status =
	    mapped ? dbvh_tree_map( path, &o, NULL, &tree, &error ) : dbvh_tree_load( path, &o, NULL, &tree, &error );
	if ( status != DBVH_OK )
		give_up( &error );
	return tree;
}

// ------------------------------------------------------------------------------------------------
// Queries

#define POSES 64

// Poses of a torus and itself, some in contact and some close to it.
static dbvh_pose pose_of( int i ) {
	const double a = 0.37 * i, c = cos( a ), s = sin( a );
	return ( dbvh_pose ){ .rot = { { c, -s, 0 }, { s, c, 0 }, { 0, 0, 1 } },
	                      .pos = { 0.02 * i, 0.01 * i, 0.44 + 0.002 * i } };
}

// Seconds of first contacts and distances; *sum_out is the same for equal answers.
static double ask( const dbvh_tree *tree, dbvh_workspace *workspace, double *sum_out ) {
	const double start = stats_thread_now();
	double sum = 0.0;
	for ( int i = 0; i < POSES; ++i ) {
		const dbvh_pose pose = pose_of( i );
		dbvh_collide_result hit;
		dbvh_distance_result near;
		dbvh_collide( tree, NULL, tree, &pose, NULL, workspace, &hit, NULL );
		dbvh_distance( tree, NULL, tree, &pose, NULL, workspace, &near, NULL );
		sum += near.distance + 3.0 * ( hit.verdict == DBVH_INTERSECTING ) + 1e-9 * hit.first.a;
	}
	*sum_out = sum;
	return stats_thread_now() - start;
}

// ------------------------------------------------------------------------------------------------
// Steps

typedef enum step { BUILD, SAVE, LOAD, LOAD_TRUSTED, MAP, MAP_WHOLE, MAP_TRUSTED, STEPS } step;

// A tree that is saved and read: of a torus, with the options that it is built with.
typedef struct subject {
	const char *what; // is in it besides, in words
	const dbvh_mesh_view *view;
	dbvh_tree_options options;
} subject;

// The clock of the thread, but for the disk, which has none.
static double time_step( step which, const subject *s, const dbvh_tree *tree ) {
	dbvh_tree *made = NULL;
	dbvh_error error;
	double ( *const now )( void ) = which != SAVE ? stats_thread_now : stats_now;
	const double start = now();
	if ( which == BUILD )
		made = must_build( s->view, &s->options );
	else if ( which == SAVE ) {
		if ( dbvh_tree_save( tree, path, &error ) != DBVH_OK )
			give_up( &error );
	} else {
		static const dbvh_file_check checks[STEPS] = {
		    [LOAD_TRUSTED] = DBVH_TRUSTED, [MAP_WHOLE] = DBVH_FILE_CHECK_WHOLE, [MAP_TRUSTED] = DBVH_TRUSTED };
		made = must_open( which >= MAP, checks[which], 1 );
	}
	const double seconds = now() - start;
	dbvh_tree_destroy( made );
	return seconds;
}

// The first time, with code and data in no cache and memory that the system has to find, and the mean of those after
// it: one, or of what is done in no time so many in a row that they take some.
static double time_steps( step which, const subject *s, const dbvh_tree *tree, double *first_out ) {
	enum { MOST = 32 };
	*first_out = time_step( which, s, tree );
	double sum = 0.0;
	int count = 0;
	while ( which != SAVE && ( count == 0 || ( count < MOST && sum < 2e-3 ) ) ) {
		sum += time_step( which, s, tree );
		count += 1;
	}
	return count > 0 ? sum / count : *first_out;
}

typedef struct figures {
	double first[STEPS], median[STEPS]; // seconds
	double queries;                     // mapped / built
	size_t bytes;                       // size of the file
} figures;

static double compare_queries( const dbvh_tree *built, size_t rounds ) {
	double asked[16 * 2], sums[2];
	dbvh_workspace *workspace = NULL;
	dbvh_tree *mapped = must_open( true, DBVH_TRUSTED, 1 );
	if ( dbvh_workspace_create( NULL, &workspace, NULL ) != DBVH_OK )
		exit( 2 );
	ask( mapped, workspace, &sums[0] );
	for ( size_t round = 0; round < rounds; ++round ) {
		asked[2 * round] = ask( built, workspace, &sums[0] );
		asked[2 * round + 1] = ask( mapped, workspace, &sums[1] );
		if ( sums[0] != sums[1] )
			exit( 2 );
	}
	dbvh_workspace_destroy( workspace );
	dbvh_tree_destroy( mapped );
	return stats_competitor_median( asked, rounds, 2, 1 ) / stats_competitor_median( asked, rounds, 2, 0 );
}

static figures measure( const subject *s, size_t rounds ) {
	figures f = { .bytes = 0 };
	dbvh_tree *tree = must_build( s->view, &s->options );
	double first[16 * STEPS], later[16 * STEPS];
	for ( size_t round = 0; round < rounds; ++round ) {
		for ( size_t i = 0; i < STEPS; ++i )
			later[round * STEPS + i] = time_steps( (step)i, s, tree, &first[round * STEPS + i] );
	}
	for ( size_t i = 0; i < STEPS; ++i ) {
		f.first[i] = stats_competitor_median( first, rounds, STEPS, i );
		f.median[i] = stats_competitor_median( later, rounds, STEPS, i );
	}
	f.queries = compare_queries( tree, rounds );
	if ( dbvh_tree_write( tree, NULL, 0, &f.bytes, NULL ) != DBVH_OK )
		exit( 2 );
	dbvh_tree_destroy( tree );
	return f;
}

static void report( const bench_options *options, const subject *s, const figures *f ) {
	const double *t = f->median;
	const size_t count = s->view->triangle_count;
	// The number of uses of a tree, the first one counted, from which on building, saving and mapping it takes less
	// time than building it for each use.
	const double saved = t[BUILD] - t[MAP];
	printf( "%9zu %-10s %7.1f %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %8.1f %7.1f %6.1f %7.1f %6.1f %8.2f %10.1f\n", count,
	        s->what, (double)f->bytes / (double)count, t[BUILD] * 1e3, t[SAVE] * 1e3, t[LOAD] * 1e3,
	        t[LOAD_TRUSTED] * 1e3, t[MAP] * 1e3, t[MAP_WHOLE] * 1e3, t[MAP_TRUSTED] * 1e6, t[BUILD] / t[LOAD],
	        t[BUILD] / f->first[LOAD], t[BUILD] / t[MAP], t[BUILD] / f->first[MAP], f->queries,
	        saved > 0.0 ? 1.0 + t[SAVE] / saved : INFINITY );
	if ( options->csv != NULL )
		fprintf( options->csv, "%zu,%s,%zu,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.4f\n", count, s->what,
		         f->bytes, t[BUILD], t[SAVE], t[LOAD], f->first[LOAD], t[LOAD_TRUSTED], t[MAP], f->first[MAP],
		         t[MAP_WHOLE], t[MAP_TRUSTED], f->queries );
	fflush( stdout );
}

static void one_mesh( const bench_options *options, subject s, uint32_t slices, uint32_t stacks, size_t most_rounds ) {
	scene_mesh mesh = scene_torus( slices, stacks );
	s.view = &mesh.view;
	s.options.thread_count = 1;
	const figures f = measure( &s, options->rounds < most_rounds ? options->rounds : most_rounds );
	report( options, &s, &f );
	scene_free( &mesh );
	unlink( path );
}

// ------------------------------------------------------------------------------------------------
// As large as the machine

// Two rows of vertices for each step, without the slack of a mesh that grows.
static dbvh_mesh_view large_torus( uint32_t slices, uint32_t stacks, float **positions, uint32_t **indices ) {
	const size_t vertices = (size_t)slices * stacks;
	*positions = malloc( vertices * 3 * sizeof **positions );
	*indices = malloc( vertices * 6 * sizeof **indices );
	if ( *positions == NULL || *indices == NULL ) {
		fprintf( stderr, "dualbvh-bench: no memory for the mesh\n" );
		exit( 2 );
	}
	for ( uint32_t i = 0; i < slices; ++i ) {
		const double a = 6.283185307179586 * i / slices;
		for ( uint32_t k = 0; k < stacks; ++k ) {
			const double b = 6.283185307179586 * k / stacks, r = 1.0 + 0.25 * cos( b );
			float *p = *positions + 3 * ( (size_t)i * stacks + k );
			p[0] = (float)( r * cos( a ) );
			p[1] = (float)( r * sin( a ) );
			p[2] = (float)( 0.25 * sin( b ) );
			uint32_t *t = *indices + 6 * ( (size_t)i * stacks + k );
			const uint32_t i2 = ( i + 1 ) % slices, k2 = ( k + 1 ) % stacks;
			const uint32_t corner[4] = { i * stacks + k, i2 * stacks + k, i2 * stacks + k2, i * stacks + k2 };
			const uint32_t both[6] = { corner[0], corner[1], corner[2], corner[0], corner[2], corner[3] };
			memcpy( t, both, sizeof both );
		}
	}
	return ( dbvh_mesh_view ){ .positions = *positions,
	                           .vertex_count = vertices,
	                           .position_type = DBVH_POSITION_TYPE_FLOAT32,
	                           .indices = *indices,
	                           .triangle_count = 2 * vertices };
}

static void say( const char *what, double start ) {
	struct rusage usage;
	getrusage( RUSAGE_SELF, &usage );
	printf( "%-44s %10.3f s  %8.2f GiB at most\n", what, stats_now() - start, (double)usage.ru_maxrss / 1048576.0 );
	fflush( stdout );
}

static int one_large( size_t triangles ) {
	const uint32_t stacks = (uint32_t)sqrt( (double)triangles / 8.0 ), slices = (uint32_t)( triangles / 2 / stacks );
	float *positions;
	uint32_t *indices;
	double start = stats_now();
	const dbvh_mesh_view view = large_torus( slices, stacks, &positions, &indices );
	printf( "a torus of %zu triangles\n", view.triangle_count );
	say( "generated", start );
	start = stats_now();
	dbvh_tree *tree = must_build( &view, NULL );
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	say( "built", start );
	free( positions );
	free( indices );
	printf( "%.1f bytes a triangle\n", (double)stats.bytes / (double)stats.triangle_count );
	dbvh_workspace *workspace = NULL;
	if ( dbvh_workspace_create( NULL, &workspace, NULL ) != DBVH_OK )
		exit( 2 );
	double sums[2];
	start = stats_now();
	ask( tree, workspace, &sums[0] );
	say( "64 collisions and distances", start );
	start = stats_now();
	time_step( SAVE, NULL, tree );
	say( "saved", start );
	dbvh_tree_destroy( tree );
	start = stats_now();
	dbvh_tree *mapped = must_open( true, DBVH_TRUSTED, 0 );
	say( "mapped, trusted", start );
	start = stats_now();
	ask( mapped, workspace, &sums[1] );
	say( "64 collisions and distances, for the first time", start );
	start = stats_now();
	ask( mapped, workspace, &sums[1] );
	say( "and once more", start );
	dbvh_tree_destroy( mapped );
	start = stats_now();
	dbvh_tree_destroy( must_open( true, DBVH_FILE_CHECK_SAMPLED, 0 ) );
	say( "mapped, checked", start );
	dbvh_workspace_destroy( workspace );
	unlink( path );
	printf( "answers %s\n", sums[0] == sums[1] ? "are the same" : "DIFFER" );
	return sums[0] == sums[1] ? EXIT_SUCCESS : EXIT_FAILURE;
}

int bench_files( const bench_options *options ) {
	const char *huge = getenv( "DUALBVH_BENCH_HUGE" );
	if ( huge != NULL )
		return one_large( (size_t)fmax( 1000.0, atof( huge ) ) );
	if ( options->csv != NULL )
		fputs( "triangles,with,bytes,build_s,save_s,load_s,load_first_s,load_trusted_s,map_s,map_first_s,map_whole_s,"
		       "map_trusted_s,query_ratio\n",
		       options->csv );
	printf( "\nTori; milliseconds of one thread, saving by the clock on the wall, the last column of times in "
	        "microseconds; how many\ntimes faster than building, a load or a map after another one and the first after "
	        "a save; time of queries mapped / built;\nafter how many uses a file has paid:\n" );
	printf( "%9s %-10s %7s %9s %9s %9s %9s %9s %9s %8s %7s %6s %7s %6s %8s %10s\n", "triangles", "with", "bytes/t",
	        "build", "save", "load", "trusted", "map", "whole", "trusted", "load", "first", "map", "first", "queries",
	        "break-even" );
	static const uint32_t sizes[][2] = { { 25, 20 }, { 100, 50 }, { 250, 200 }, { 1000, 500 }, { 2000, 1000 } };
	static const subject subjects[] = { { .what = "topology", .options = { .topology = true } },
	                                    { .what = "reference", .options = { .reference = true } },
	                                    { .what = "ellipsoids", .options = { .ellipsoids = DBVH_ELLIPSOIDS_ALL } } };
	const char *text = getenv( "DUALBVH_BENCH_LARGEST" );
	const double largest = text != NULL ? atof( text ) : 4e6;
	for ( size_t i = 0; i < sizeof sizes / sizeof sizes[0] && 2.0 * sizes[i][0] * sizes[i][1] <= largest; ++i )
		one_mesh( options, ( subject ){ .what = "-" }, sizes[i][0], sizes[i][1], 9 );
	// Seconds to build, and half a gigabyte: not the largest.
	for ( size_t i = 2; i < 4 && 2.0 * sizes[i][0] * sizes[i][1] <= largest; ++i ) {
		for ( size_t k = 0; k < sizeof subjects / sizeof subjects[0]; ++k )
			one_mesh( options, subjects[k], sizes[i][0], sizes[i][1], 5 );
	}
	return EXIT_SUCCESS;
}
