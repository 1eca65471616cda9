// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The cost of overlaps beside that of the contacts on which they rest: a body against its copy moved a little, also
// from the arrays of both meshes ("cold"); by the size of meshes; and of all overlaps of a grid of spheres, without and
// with their local depths. With the variable DUALBVH_BENCH_MESHES, the name of a folder, bodies are written there as
// OBJ files for bench/peers/overlap_manifold.py.

#include "common/experiment.h"
#include "common/scene.h"
#include "common/stats.h"
#include "shapes/shapes.h"

#include <stdlib.h>
#include <string.h>

// Write the body, and by how much its copy is moved, in a comment.
static void write_body( const char *work, const shape *body, const double shift[3] ) {
	const char *folder = getenv( "DUALBVH_BENCH_MESHES" );
	char path[512];
	if ( folder == NULL || snprintf( path, sizeof path, "%s/%s.obj", folder, work ) >= (int)sizeof path )
		return;
	FILE *file = fopen( path, "w" );
	if ( file == NULL )
		return;
	fprintf( file, "# shift %.17g %.17g %.17g\n", shift[0], shift[1], shift[2] );
	for ( size_t i = 0; i < body->vertex_count; ++i )
		fprintf( file, "v %.17g %.17g %.17g\n", body->positions[3 * i], body->positions[3 * i + 1],
		         body->positions[3 * i + 2] );
	for ( size_t i = 0; i < body->triangle_count; ++i )
		fprintf( file, "f %u %u %u\n", body->indices[3 * i] + 1, body->indices[3 * i + 1] + 1,
		         body->indices[3 * i + 2] + 1 );
	fclose( file );
}

enum { VARIANTS = 3 }; // contacts, overlap, overlap with its mesh

static dbvh_status ask( int variant, const dbvh_tree *tree, const dbvh_pose *pose, dbvh_contacts *contacts,
                        dbvh_overlap *overlap, dbvh_overlap_result *result ) {
	const dbvh_overlap_query query = { .mesh = variant == 2 };
	return variant == 0 ? dbvh_contacts_find( tree, NULL, tree, pose, NULL, contacts, NULL )
	                    : dbvh_overlap_find( tree, NULL, tree, pose, &query, overlap, result, NULL );
}

// From the arrays of two meshes: trees, what is learned of them, the overlap. Seconds; 0 where it failed.
static double measure_cold( const shape *body, const dbvh_pose *pose ) {
	dbvh_tree_options with = dbvh_tree_options_default();
	with.topology = true;
	with.thread_count = 1;
	const dbvh_mesh_view view = shape_view( body );
	dbvh_overlap *overlap = NULL;
	dbvh_overlap_result result;
	const double start = stats_thread_now();
	dbvh_tree *a = scene_tree( &view, &with ), *b = scene_tree( &view, &with );
	const bool good = dbvh_overlap_create( NULL, &overlap, NULL ) == DBVH_OK &&
	                  dbvh_overlap_find( a, NULL, b, pose, NULL, overlap, &result, NULL ) == DBVH_OK;
	const double spent = stats_thread_now() - start;
	dbvh_overlap_destroy( overlap );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	return good ? spent : 0.0;
}

static bool measure( const bench_options *options, const char *work, shape *body, const double shift[3],
                     dbvh_contacts *contacts, dbvh_overlap *overlap ) {
	write_body( work, body, shift );
	dbvh_tree_options with = dbvh_tree_options_default();
	with.topology = true;
	const dbvh_mesh_view view = shape_view( body );
	dbvh_tree *tree = scene_tree( &view, &with );
	dbvh_pose pose = dbvh_pose_identity();
	memcpy( pose.pos, shift, sizeof pose.pos );
	double samples[64 * VARIANTS];
	bool good = true;
	dbvh_overlap_result result = { .component_count = 0 };
	good = ask( 1, tree, &pose, contacts, overlap, &result ) == DBVH_OK; // learns about the tree
	for ( size_t round = 0; round < options->rounds; ++round ) {
		for ( int k = 0; k < VARIANTS; ++k ) {
			double spent = 0.0;
			size_t runs = 0;
			for ( ; spent < STATS_ROUND; ++runs ) {
				const double start = stats_thread_now();
				good = ask( k, tree, &pose, contacts, overlap, &result ) == DBVH_OK && good;
				spent += stats_thread_now() - start;
			}
			samples[VARIANTS * round + (size_t)k] = spent / (double)runs;
		}
	}
	double ms[VARIANTS];
	for ( size_t k = 0; k < VARIANTS; ++k )
		ms[k] = 1e3 * stats_competitor_median( samples, options->rounds, VARIANTS, k );
	const double cold = 1e3 * measure_cold( body, &pose );
	const size_t pairs = dbvh_contacts_get( contacts ).contact_count;
	const dbvh_interval v = result.measure.volume;
	printf( "%-28s %9zu %8zu %9.3f %9.3f %9.3f %7.2f %7.2f %9.2f %14.9g %9.1e\n", work, 2 * body->triangle_count, pairs,
	        ms[0], ms[1], ms[2], ms[1] / ms[0], ms[2] / ms[0], cold, v.upper, ( v.upper - v.lower ) / v.upper );
	if ( options->csv != NULL )
		fprintf( options->csv, "\"%s\",%zu,%zu,%.4f,%.4f,%.4f,%.3f,%.3f,%.3f\n", work, 2 * body->triangle_count, pairs,
		         ms[0], ms[1], ms[2], ms[1] / ms[0], ms[2] / ms[0], cold );
	dbvh_tree_destroy( tree );
	shape_free( body );
	return good && cold > 0.0 && result.reason == DBVH_OVERLAP_REASON_DECIDED;
}

// Two spheres that meet in a small part of each, as fine as it takes for the same number of pairs, or one around the
// middle of the other: time by the size of meshes. The largest ones where more than one round is asked for.
static bool measure_sizes( const bench_options *options, dbvh_overlap *overlap ) {
	static const uint32_t slices[] = { 72, 224, 708, 1582 };
	bool good = true;
	printf( "\n%-28s %9s %14s %14s\n", "overlap, ms", "triangles", "small part", "one inside" );
	for ( size_t i = 0; i < ( options->rounds > 1 ? 4 : 2 ); ++i ) {
		const uint32_t n = slices[i];
		shape s = { 0 }, inner = { 0 };
		shape_add_sphere( &s, 1.0, n, n );
		shape_add_sphere( &inner, 0.5, n, n );
		dbvh_tree_options with = dbvh_tree_options_default();
		with.topology = true;
		const dbvh_mesh_view view = shape_view( &s ), inner_view = shape_view( &inner );
		dbvh_tree *tree = scene_tree( &view, &with ), *held = scene_tree( &inner_view, &with );
		dbvh_pose pose = dbvh_pose_identity();
		pose.pos[0] = 2.0 - 40.0 / ( (double)n * n );
		pose.pos[1] = 0.001 / n;
		pose.pos[2] = 0.002 / n;
		double ms[2];
		for ( int k = 0; k < 2; ++k ) {
			const dbvh_tree *other = k == 0 ? tree : held;
			const dbvh_pose at = k == 0 ? pose : dbvh_pose_identity();
			dbvh_overlap_result result;
			good = dbvh_overlap_find( tree, NULL, other, &at, NULL, overlap, &result, NULL ) == DBVH_OK && good;
			const double start = stats_thread_now();
			size_t runs = 0;
			for ( ; stats_thread_now() - start < STATS_ROUND; ++runs )
				good = dbvh_overlap_find( tree, NULL, other, &at, NULL, overlap, &result, NULL ) == DBVH_OK && good;
			ms[k] = 1e3 * ( stats_thread_now() - start ) / (double)runs;
			good = good && result.reason == DBVH_OVERLAP_REASON_DECIDED && result.component_count == 1;
		}
		printf( "%-28s %9zu %14.3f %14.3f\n", "two spheres", 2 * s.triangle_count, ms[0], ms[1] );
		dbvh_tree_destroy( tree );
		dbvh_tree_destroy( held );
		shape_free( &s );
		shape_free( &inner );
	}
	return good;
}

enum { GRID = 10 };

// A grid of spheres that overlap their neighbours, those across the squares' diagonals too.
static bool measure_grid( dbvh_overlap *overlap ) {
	shape s = { 0 };
	shape_add_sphere( &s, 0.75, 24, 16 );
	dbvh_tree_options with = dbvh_tree_options_default();
	with.topology = true;
	const dbvh_mesh_view view = shape_view( &s );
	dbvh_tree *tree = scene_tree( &view, &with );
	static dbvh_pose poses[GRID * GRID * GRID];
	for ( int i = 0; i < GRID * GRID * GRID; ++i ) {
		poses[i] = dbvh_pose_identity();
		poses[i].pos[0] = i % GRID;
		poses[i].pos[1] = i / GRID % GRID;
		poses[i].pos[2] = i / GRID / GRID;
	}
	size_t count = 0;
	bool good = true;
	double volume = 0.0, depth = 0.0, depth_seconds = 0.0, seconds = 0.0;
	for ( int i = 0; i < GRID * GRID * GRID; ++i ) {
		for ( int j = i + 1; j < GRID * GRID * GRID; ++j ) {
			double square = 0.0;
			for ( int k = 0; k < 3; ++k )
				square += ( poses[i].pos[k] - poses[j].pos[k] ) * ( poses[i].pos[k] - poses[j].pos[k] );
			if ( square > 2.5 )
				continue;
			dbvh_overlap_result found;
			dbvh_local_depth_result local;
			double start = stats_thread_now();
			good = dbvh_overlap_find( tree, &poses[i], tree, &poses[j], NULL, overlap, &found, NULL ) == DBVH_OK &&
			       found.reason == DBVH_OVERLAP_REASON_DECIDED && good;
			seconds += stats_thread_now() - start;
			volume += found.measure.volume.upper;
			start = stats_thread_now();
			good = dbvh_local_depth_components( tree, &poses[i], tree, &poses[j], NULL, overlap, NULL, 0, &found,
			                                    &local, NULL ) == DBVH_OK &&
			       local.reached && good;
			depth_seconds += stats_thread_now() - start;
			depth += local.least.upper;
			count += 1;
		}
	}
	printf(
	    "\n%zu overlaps of %d spheres of %zu triangles: %.2f s, volume %.9g; with local depths %.2f s, depth %.9g\n",
	    count, GRID * GRID * GRID, s.triangle_count, seconds, volume, depth_seconds, depth );
	dbvh_tree_destroy( tree );
	shape_free( &s );
	return good;
}

int bench_overlap( const bench_options *options ) {
	dbvh_contacts *contacts = NULL;
	dbvh_overlap *overlap = NULL;
	if ( dbvh_contacts_create( NULL, &contacts, NULL ) != DBVH_OK ||
	     dbvh_overlap_create( NULL, &overlap, NULL ) != DBVH_OK )
		return 2;
	printf( "\n%-28s %9s %8s %9s %9s %9s %7s %7s %9s %14s %9s\n", "one thread", "triangles", "pairs", "contacts",
	        "overlap", "and mesh", "ratio", "ratio", "cold", "volume", "width" );
	if ( options->csv != NULL )
		fputs( "work,triangles,pairs,ms_contacts,ms_overlap,ms_mesh,ratio,ratio_mesh,ms_cold\n", options->csv );
	bool good = true;
	shape s = { 0 };
	shape_add_sphere( &s, 1.0, 224, 228 );
	good = measure( options, "spheres", &s, ( const double[3] ){ 0.9, 0.3, 0.2 }, contacts, overlap ) && good;
	shape_add_torus( &s, 2.0, 0.6, 96, 48 );
	good = measure( options, "tori", &s, ( const double[3] ){ 1.1, 0.7, 0.31 }, contacts, overlap ) && good;
	const shape_gear gear = shape_gear_default();
	if ( shape_add_gear( &s, &gear ) )
		good = measure( options, "gears", &s, ( const double[3] ){ 23.4, 0.21, 0.5 }, contacts, overlap ) && good;
	shape_add_sphere( &s, 1.0, 6, 4 );
	good = measure( options, "convex", &s, ( const double[3] ){ 0.9, 0.3, 0.2 }, contacts, overlap ) && good;
	shape_add_box( &s, 1.0, 1.0, 1.0, 2 );
	good = measure( options, "boxes, flush", &s, ( const double[3] ){ 0.5, 0.0, 0.0 }, contacts, overlap ) && good;
	shape_add_box( &s, 1.0, 1.0, 1.0, 16 );
	good = measure( options, "boxes of 3,072, flush", &s, ( const double[3] ){ 0.55, 0.0, 0.0 }, contacts, overlap ) &&
	       good;
	if ( getenv( "DUALBVH_BENCH_MESHES" ) == NULL )
		good = measure_sizes( options, overlap ) && measure_grid( overlap ) && good;
	dbvh_overlap_destroy( overlap );
	dbvh_contacts_destroy( contacts );
	if ( !good )
		puts( "a query FAILED" );
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
