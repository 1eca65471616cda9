// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How fast trees are built and refitted, how large they are and how much memory a build takes at its worst moment; and
// how a query grows with the mesh. One thread by its own clock, several by the clock on the wall: on a machine that
// others use as well, those suffer most.

#include "base/parallel.h"
#include "common/experiment.h"
#include "common/scene.h"
#include "common/stats.h"

#include <cglm/cglm.h>
#include <dualbvh/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum way {
	BEST,       // the default
	REFERENCE,  // with its reference tree
	COVARIANCE, // the paper's: boxes by covariance, splits at the mean
	FAST,       // DBVH_QUALITY_FAST
	REFIT,      // a default tree, refitted to vertices that have moved a little
	WAYS
} way;

static const char *const names[WAYS] = { "best", "with reference", "covariance", "fast", "refit" };

// Bytes that the library holds, and the most that it has held.
typedef struct books {
	size_t held, most;
} books;

static void *counted_alloc( void *user, size_t bytes, size_t alignment ) {
	books *b = user;
	void *memory = aligned_alloc( alignment, ( bytes + alignment - 1 ) / alignment * alignment );
	if ( memory != NULL )
		b->held += bytes;
	b->most = b->held > b->most ? b->held : b->most;
	return memory;
}

static void counted_free( void *user, void *memory, size_t bytes ) {
	( (books *)user )->held -= bytes;
	free( memory );
}

static dbvh_tree_options options_of( way w, uint32_t threads ) {
	dbvh_tree_options o = dbvh_tree_options_default();
	o.thread_count = threads;
	o.reference = w == REFERENCE;
	o.box_fit = w == COVARIANCE ? DBVH_BOX_FIT_COVARIANCE : DBVH_BOX_FIT_BEST;
	o.split = w == COVARIANCE ? DBVH_SPLIT_MEAN : DBVH_SPLIT_COST;
	o.quality = w == FAST ? DBVH_QUALITY_FAST : DBVH_QUALITY_BEST;
	return o;
}

static dbvh_tree *must_build( const dbvh_mesh_view *view, way w, uint32_t threads, books *b ) {
	const dbvh_tree_options o = options_of( w, threads );
	const dbvh_allocator allocator = { counted_alloc, counted_free, b };
	dbvh_tree *tree = NULL;
	dbvh_error error;
	if ( dbvh_tree_build( view, &o, &allocator, &tree, &error ) != DBVH_OK ) {
		fprintf( stderr, "dualbvh-bench: %s\n", error.text );
		exit( 2 );
	}
	return tree;
}

typedef struct sample {
	double seconds;
	double bytes, packed_bytes, most; // a triangle
} sample;

static sample measure( const scene_mesh *mesh, const double *moved, way w, uint32_t threads ) {
	const double count = (double)mesh->view.triangle_count;
	books b = { 0, 0 };
	dbvh_tree *tree = w == REFIT ? must_build( &mesh->view, w, threads, &b ) : NULL;
	dbvh_mesh_view view = mesh->view;
	b.most = b.held;
	const double start = threads == 1 ? stats_thread_now() : stats_now();
	if ( w == REFIT ) {
		view.positions = moved;
		if ( dbvh_tree_refit( tree, &view, NULL ) != DBVH_OK )
			exit( 2 );
	} else {
		tree = must_build( &view, w, threads, &b );
	}
	const double seconds = ( threads == 1 ? stats_thread_now() : stats_now() ) - start;
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	dbvh_tree_destroy( tree );
	return ( sample ){ seconds, (double)stats.bytes / count, (double)stats.packed_bytes / count,
	                   (double)b.most / count };
}

// Vertices that have moved by up to a hundredth of the coordinates.
static double *move_vertices( const scene_mesh *mesh ) {
	const size_t count = 3 * mesh->view.vertex_count;
	double *moved = malloc( count * sizeof *moved );
	if ( moved == NULL || mesh->positions == NULL )
		exit( 2 );
	for ( size_t i = 0; i < count; ++i ) {
		const double *p = mesh->positions + i / 3 * 3;
		moved[i] = mesh->positions[i] * ( 1.0 + 0.01 * sin( p[0] + 2.0 * p[1] + 3.0 * p[2] ) );
	}
	return moved;
}

static void one_mesh( const bench_options *options, scene_mesh mesh, unsigned ways ) {
	const size_t rounds = options->rounds < 5 ? options->rounds : 5;
	const uint32_t all = dbvhi_thread_count( 0 );
	const double count = (double)mesh.view.triangle_count;
	double *moved = move_vertices( &mesh );
	for ( int w = 0; w < WAYS; ++w ) {
		double samples[64 * 2];
		sample last = { 0 };
		if ( ( ways >> w & 1 ) == 0 )
			continue;
		for ( size_t round = 0; round < rounds; ++round ) {
			for ( size_t k = 0; k < 2; ++k ) {
				last = measure( &mesh, moved, (way)w, k == 0 ? 1 : all );
				samples[2 * round + k] = last.seconds;
			}
		}
		const double one = stats_competitor_median( samples, rounds, 2, 0 );
		const double many = stats_competitor_median( samples, rounds, 2, 1 );
		printf( "%-28.28s %-12s %9.2f %8.2f %9.2f %8.2f %8.2f %9.1f %9.1f %9.1f\n", mesh.label, names[w], one * 1e3,
		        count / one * 1e-6, many * 1e3, count / many * 1e-6, one / many, last.bytes, last.packed_bytes,
		        last.most );
		if ( options->csv != NULL )
			fprintf( options->csv, "\"%s\",%s,%zu,%.3f,%.0f,%u,%.3f,%.0f,%.1f,%.1f,%.1f\n", mesh.label, names[w],
			         mesh.view.triangle_count, one * 1e3, count / one, all, many * 1e3, count / many, last.bytes,
			         last.packed_bytes, last.most );
	}
	free( moved );
	scene_free( &mesh );
}

// ------------------------------------------------------------------------------------------------
// How queries grow with the mesh

#define POSES 48

static dbvh_pose turned( int i, double along ) {
	versor about_z, about_x, turn;
	glm_quatv( about_z, 0.37f * (float)i, GLM_ZUP );
	glm_quatv( about_x, 0.61f * (float)i, GLM_XUP );
	glm_quat_mul( about_z, about_x, turn );
	dbvh_pose pose = dbvh_pose_from_glm_quat( turn, GLM_VEC3_ZERO );
	pose.pos[0] = along * cos( 0.3 * i );
	pose.pos[1] = along * sin( 0.3 * i ) * 0.8;
	pose.pos[2] = along * sin( 0.3 * i ) * 0.6;
	return pose;
}

// How far away, along its own way, a mesh is at a gap. Conservative steps, which cannot pass it.
static double place_at( const dbvh_tree *tree, dbvh_workspace *workspace, int i, double radius, double gap ) {
	double along = 4.0 * radius;
	for ( int step = 0; step < 60; ++step ) {
		const dbvh_pose pose = turned( i, along );
		dbvh_distance_result result;
		const dbvh_distance_query query = { .relative_error = 0.01 };
		if ( dbvh_distance( tree, NULL, tree, &pose, &query, workspace, &result, NULL ) != DBVH_OK )
			exit( 2 );
		if ( result.distance < 1.02 * gap )
			break;
		along -= result.distance - gap;
	}
	return along;
}

// Disjoint by a gap of 1 % of the radius; and 1 % further in than where the gap would be 0.
static void choose_poses( const dbvh_tree *tree, dbvh_workspace *workspace, dbvh_pose poses[2][POSES] ) {
	const double radius = dbvh_tree_get_stats( tree ).sphere.radius;
	for ( int i = 0; i < POSES; ++i ) {
		const double along = place_at( tree, workspace, i, radius, 0.01 * radius );
		poses[0][i] = turned( i, along );
		poses[1][i] = turned( i, along - 0.02 * radius );
	}
}

// Seconds a query of all of them.
static double ask( const dbvh_tree *tree, const dbvh_pose *poses, dbvh_workspace *workspace ) {
	size_t asked = 0;
	const double start = stats_thread_now();
	double now = start;
	for ( ; now - start < STATS_ROUND; now = stats_thread_now() ) {
		for ( int i = 0; i < POSES; ++i, ++asked ) {
			dbvh_collide_result result;
			dbvh_collide( tree, NULL, tree, &poses[i], NULL, workspace, &result, NULL );
		}
	}
	return ( now - start ) / (double)asked;
}

static dbvh_workspace *must_have_workspace( void ) {
	dbvh_workspace *workspace = NULL;
	if ( dbvh_workspace_create( NULL, &workspace, NULL ) != DBVH_OK )
		exit( 2 );
	return workspace;
}

static void grow( const bench_options *options, uint32_t segments, double base[2] ) {
	scene_mesh mesh = scene_torus( 2 * segments, segments );
	dbvh_tree *tree = scene_tree( &mesh.view, NULL );
	dbvh_workspace *workspace = must_have_workspace();
	const size_t count = mesh.view.triangle_count, rounds = options->rounds < 32 ? options->rounds : 32;
	dbvh_pose poses[2][POSES];
	double medians[2];
	scene_free( &mesh );
	choose_poses( tree, workspace, poses );
	for ( int k = 0; k < 2; ++k ) {
		double samples[32];
		for ( size_t round = 0; round < rounds; ++round )
			samples[round] = ask( tree, poses[k], workspace );
		medians[k] = stats_median( samples, rounds );
		base[k] = base[k] > 0.0 ? base[k] : medians[k];
	}
	printf( "%10zu %14.2f %10.2f %14.2f %10.2f\n", count, medians[0] * 1e6, medians[0] / base[0], medians[1] * 1e6,
	        medians[1] / base[1] );
	dbvh_workspace_destroy( workspace );
	dbvh_tree_destroy( tree );
}

// ------------------------------------------------------------------------------------------------
// What queries lose

// Bent by a part of its size, in waves as long as itself; or, with no part, built fast.
static void lose( const bench_options *options, const scene_mesh *mesh, double part ) {
	const size_t rounds = options->rounds < 32 ? options->rounds : 32;
	dbvh_tree_options o = dbvh_tree_options_default();
	o.quality = part == 0.0 ? DBVH_QUALITY_FAST : DBVH_QUALITY_BEST;
	dbvh_tree *tree = scene_tree( &mesh->view, &o );
	const dbvh_sphere ball = dbvh_tree_get_stats( tree ).sphere;
	double *bent = malloc( 3 * mesh->view.vertex_count * sizeof *bent );
	dbvh_mesh_view view = mesh->view;
	if ( bent == NULL )
		exit( 2 );
	for ( size_t i = 0; i < mesh->view.vertex_count; ++i ) {
		const double *p = mesh->positions + 3 * i;
		for ( size_t k = 0; k < 3; ++k )
			bent[3 * i + k] =
			    p[k] + part * ball.radius * sin( 3.0 * ( p[( k + 1 ) % 3] - ball.centre[k] ) / ball.radius );
	}
	view.positions = bent;
	if ( part > 0.0 && dbvh_tree_refit( tree, &view, NULL ) != DBVH_OK )
		exit( 2 );
	dbvh_tree *fresh = scene_tree( &view, NULL );
	dbvh_workspace *workspace = must_have_workspace();
	dbvh_pose poses[2][POSES];
	double ratio[2];
	choose_poses( fresh, workspace, poses );
	for ( int k = 0; k < 2; ++k ) {
		double samples[64];
		for ( size_t round = 0; round < rounds; ++round ) {
			samples[2 * round] = ask( tree, poses[k], workspace );
			samples[2 * round + 1] = ask( fresh, poses[k], workspace );
		}
		ratio[k] = stats_competitor_median( samples, rounds, 2, 0 ) / stats_competitor_median( samples, rounds, 2, 1 );
	}
	char name[32];
	snprintf( name, sizeof name, part > 0.0 ? "refit, bent by %g %%" : "fast", 100.0 * part );
	printf( "%-44s %-22s %10.2f %10.2f\n", mesh->label, name, ratio[0], ratio[1] );
	dbvh_workspace_destroy( workspace );
	dbvh_tree_destroy( fresh );
	dbvh_tree_destroy( tree );
	free( bent );
}

static void lose_all( const bench_options *options, scene_mesh mesh ) {
	static const double parts[] = { 0.001, 0.01, 0.05, 0.2, 0.0 };
	for ( size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i )
		lose( options, &mesh, parts[i] );
	scene_free( &mesh );
}

int bench_build( const bench_options *options ) {
	if ( options->csv != NULL )
		fputs( "mesh,way,triangles,ms_1_thread,triangles_per_s_1_thread,threads,ms_all_threads,"
		       "triangles_per_s_all_threads,bytes_per_triangle,packed_bytes_per_triangle,most_bytes_per_triangle\n",
		       options->csv );
	printf( "\n%-28s %-12s %9s %8s %9s %8s %8s %9s %9s %9s\n", "mesh", "way", "ms, 1 thr", "M tri/s", "ms, all",
	        "M tri/s", "speed-up", "bytes/tri", "packed", "at most" );
	const unsigned usual = 1u << BEST | 1u << FAST | 1u << REFIT;
	if ( options->mesh != NULL ) {
		one_mesh( options, scene_file( options->mesh ), ( 1u << WAYS ) - 1 );
		return EXIT_SUCCESS;
	}
	one_mesh( options, scene_buddha(), ( 1u << WAYS ) - 1 );
	one_mesh( options, scene_hand( 0 ), usual );
	one_mesh( options, scene_cabin(), usual );
	one_mesh( options, scene_sphere( 1.0 ), usual );
	static const uint32_t sizes[][2] = { { 25, 20 }, { 100, 50 }, { 250, 200 }, { 1000, 500 }, { 2000, 1000 } };
	// Meshes of up to 4 million triangles, or of DUALBVH_BENCH_LARGEST.
	const char *text = getenv( "DUALBVH_BENCH_LARGEST" );
	const double largest = text != NULL ? atof( text ) : 4e6;
	for ( size_t i = 0; i < sizeof sizes / sizeof sizes[0] && 2.0 * sizes[i][0] * sizes[i][1] <= largest; ++i )
		one_mesh( options, scene_torus( sizes[i][0], sizes[i][1] ), i == 3 ? ( 1u << WAYS ) - 1 : usual );

	printf( "\nTime of queries of a mesh and itself, as a multiple of that with a tree built anew:\n%-44s %-22s %10s "
	        "%10s\n",
	        "mesh", "tree", "1 % apart", "1 % in" );
	lose_all( options, scene_buddha() );
	lose_all( options, scene_torus( 250, 200 ) );

	double base[2] = { 0.0, 0.0 };
	printf( "\nA torus and itself, us a query, and as a multiple of the first row:\n%10s %14s %10s %14s %10s\n",
	        "triangles", "1 % apart", "grown", "1 % in", "grown" );
	for ( uint32_t segments = 61; 4.0 * segments * segments <= 1.05 * largest; segments *= 2 )
		grow( options, segments, base );
	return EXIT_SUCCESS;
}
