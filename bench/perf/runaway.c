// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Inputs that could run away: repeated triangles, ties, fans, needles, scales. Each family at n, 4 n and 16 n
// triangles, and by how much its time has grown beyond n log n; 1 is what it should be, 4 and 16 would be quadratic. A
// budget ends what takes longer than a few seconds.

#include "common/experiment.h"
#include "common/scene.h"
#include "common/stats.h"
#include "dualbvh/dualbvh.h"
#include "shapes/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------
// Meshes of about n triangles

static void triangle( shape *s, const double p[9] ) {
	uint32_t v[3];
	for ( int k = 0; k < 3; ++k )
		v[k] = shape_vertex( s, p[3 * k], p[3 * k + 1], p[3 * k + 2] );
	shape_triangle( s, v[0], v[1], v[2] );
}

static void duplicates( shape *s, uint32_t n, double z ) {
	for ( uint32_t i = 0; i < n; ++i )
		triangle( s, ( const double[9] ){ 0, 0, z, 1, 0, z, 0.25, 1, z } );
}

static void squares( shape *s, uint32_t n, double z ) {
	for ( uint32_t i = 0; i < n; ++i ) {
		if ( i % 2 == 0 )
			triangle( s, ( const double[9] ){ 0, 0, z, 1, 0, z, 1, 1, z } );
		else
			triangle( s, ( const double[9] ){ 0, 0, z, 1, 1, z, 0, 1, z } );
	}
}

// Bodies that were stored many times, as exports do.
static void cubes( shape *s, uint32_t n, double z ) {
	for ( uint32_t i = 0; i < n; i += 12 ) {
		const size_t first = s->vertex_count;
		shape_add_box( s, 1, 1, 1, 1 );
		dbvh_pose up = dbvh_pose_identity();
		up.pos[2] = z;
		shape_place( s, first, &up );
	}
}

static void sphere( shape *s, uint32_t n, double z ) {
	const uint32_t slices = (uint32_t)lround( sqrt( n / 2.0 ) );
	shape_add_sphere( s, 1.0, slices, slices + 1 );
	for ( size_t i = 0; i < s->vertex_count; ++i )
		s->positions[3 * i + 2] += z;
}

// Round a common vertex, an open cone.
static void fan( shape *s, uint32_t n, double z ) {
	const uint32_t tip = shape_vertex( s, 0, 0, z );
	uint32_t ring = 0;
	for ( uint32_t i = 0; i < n; ++i ) {
		double x, y;
		shape_turn( i, n, &x, &y );
		const uint32_t v = shape_vertex( s, x, y, z + ( z > 0 ? 1 : -1 ) );
		ring = i == 0 ? v : ring;
	}
	for ( uint32_t i = 0; i < n; ++i )
		shape_triangle( s, tip, ring + i, ring + ( i + 1 ) % n );
}

// Round a common edge, the pages of a book.
static void book( shape *s, uint32_t n, double z ) {
	const uint32_t a = shape_vertex( s, -1, 0, z ), b = shape_vertex( s, 1, 0, z );
	for ( uint32_t i = 0; i < n; ++i ) {
		const double y = 2.0 * i / n - 1.0;
		shape_triangle( s, a, b, shape_vertex( s, 0, y, z + ( z > 0 ? 1 : -1 ) ) );
	}
}

static void plate( shape *s, uint32_t n, double z ) {
	const uint32_t side = (uint32_t)lround( sqrt( n / 2.0 ) );
	const uint32_t first = (uint32_t)s->vertex_count;
	for ( uint32_t i = 0; i <= side; ++i )
		for ( uint32_t j = 0; j <= side; ++j )
			shape_vertex( s, (double)i / side, (double)j / side, z );
	for ( uint32_t i = 0; i < side; ++i )
		for ( uint32_t j = 0; j < side; ++j ) {
			const uint32_t a = first + i * ( side + 1 ) + j, b = a + side + 1;
			shape_triangle( s, a, b, b + 1 );
			shape_triangle( s, a, b + 1, a + 1 );
		}
}

// Long and thin, side by side.
static void needles( shape *s, uint32_t n, double z ) {
	for ( uint32_t i = 0; i < n; ++i ) {
		const double y = (double)i / n;
		triangle( s, ( const double[9] ){ -1e3, y, z, 1e3, y, z, 0, y + 1e-7 / n, z } );
	}
}

// One body of every size that doubles have.
static void scales( shape *s, uint32_t n, double z ) {
	(void)z;
	for ( uint32_t i = 0; i < n; ++i ) {
		const double x = ldexp( 1.0, (int)( -1070 + (int64_t)i * 2090 / n ) );
		triangle( s, ( const double[9] ){ x, 0, 0, 0, x, 0, 0, 0, x } );
	}
}

// ------------------------------------------------------------------------------------------------
// Questions

typedef struct scene_pair {
	dbvh_tree *a, *b;
	dbvh_workspace *workspace;
	dbvh_contacts *contacts;
} scene_pair;

// Any one question.
#define PATIENCE 3.0

static double deadline;

static bool is_late( void *user ) {
	(void)user;
	return stats_thread_now() > deadline;
}

static const dbvh_budget budget = { .is_cancelled = is_late };

static dbvh_status ask_relate( const scene_pair *s ) {
	dbvh_relate_result result;
	const dbvh_relate_query options = { .budget = &budget };
	return dbvh_relate( s->a, NULL, s->b, NULL, &options, s->workspace, &result, NULL );
}

static dbvh_status ask_distance( const scene_pair *s ) {
	dbvh_distance_result result;
	const dbvh_distance_query query = { .budget = &budget };
	return dbvh_distance( s->a, NULL, s->b, NULL, &query, s->workspace, &result, NULL );
}

static dbvh_status ask_first( const scene_pair *s ) {
	dbvh_collide_result result;
	return dbvh_collide( s->a, NULL, s->b, NULL, NULL, s->workspace, &result, NULL );
}

static dbvh_status ask_count( const scene_pair *s ) {
	dbvh_collide_result result;
	const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .budget = &budget };
	return dbvh_collide( s->a, NULL, s->b, NULL, &query, s->workspace, &result, NULL );
}

static dbvh_status ask_clearance( const scene_pair *s ) {
	dbvh_clearance_result result;
	const dbvh_clearance_query query = { .max_distance = 1.0, .find = DBVH_FIND_ALL, .budget = &budget };
	return dbvh_check_clearance( s->a, NULL, s->b, NULL, &query, s->workspace, &result, NULL );
}

static dbvh_status ask_self( const scene_pair *s ) {
	dbvh_collide_result result;
	const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .budget = &budget };
	return dbvh_self_collide( s->a, &query, s->workspace, &result, NULL );
}

static dbvh_status ask_locate( const scene_pair *s ) {
	dbvh_location location;
	return dbvh_locate_point( s->a, NULL, ( const double[3] ){ -0.5, 0.25, 0.125 }, &location, NULL );
}

static dbvh_status ask_nearest( const scene_pair *s ) {
	dbvh_closest_point_result nearest;
	return dbvh_closest_point( s->a, NULL, ( const double[3] ){ 0, 0, 0 }, NULL, s->workspace, &nearest, NULL );
}

static dbvh_status ask_ray( const scene_pair *s ) {
	dbvh_raycast_result result;
	const dbvh_ray ray = { .from = { -2, 0, 0 }, .direction = { 1, 0, 0 } };
	const dbvh_raycast_query query = { .find = DBVH_FIND_CLOSEST };
	return dbvh_raycast( s->a, NULL, &ray, &query, s->workspace, &result, NULL );
}

static dbvh_status ask_contacts( const scene_pair *s ) {
	return dbvh_contacts_find( s->a, NULL, s->b, NULL, NULL, s->contacts, NULL );
}

typedef void make_mesh( shape *s, uint32_t n, double z );
typedef dbvh_status ask( const scene_pair *s );

// `apart`: how far B is above A. `lists`: what is asked for is a list as long as n times n, or nearly.
static const struct family {
	const char *name;
	make_mesh *make;
	double apart;
	ask *question;
	uint32_t least;
} families[] = {
    { "identical triangles, relation", duplicates, 0, ask_relate, 1000 },
    { "identical triangles, distance", duplicates, 1, ask_distance, 1000 },
    { "identical triangles, intersecting", duplicates, 0, ask_first, 1000 },
    { "identical triangles, counted", duplicates, 0, ask_count, 1000 },
    { "identical triangles, clearance", duplicates, 1, ask_clearance, 1000 },
    { "identical triangles, themselves", duplicates, 0, ask_self, 1000 },
    { "identical triangles, ray", duplicates, 0, ask_ray, 1000 },
    { "identical triangles, nearest", duplicates, 1, ask_nearest, 1000 },
    { "identical triangles, location", duplicates, 0, ask_locate, 1000 },
    { "identical squares, relation", squares, 0, ask_relate, 1000 },
    { "identical squares, distance", squares, 1, ask_distance, 1000 },
    { "a cube many times, relation", cubes, 0, ask_relate, 1200 },
    { "a cube many times, touching", cubes, 2, ask_relate, 1200 },
    { "a cube many times, distance", cubes, 3, ask_distance, 1200 },
    { "a cube many times, location", cubes, 0, ask_locate, 1200 },
    { "a sphere and itself, relation", sphere, 0, ask_relate, 4975 },
    { "a sphere and itself, contacts", sphere, 0, ask_contacts, 4975 },
    { "its centre, nearest", sphere, 0, ask_nearest, 4975 },
    { "a fan and itself, relation", fan, 0, ask_relate, 100 },
    { "fans tip to tip, relation", fan, 0x1p-1074, ask_relate, 100 },
    { "fans tip to tip, distance", fan, 1, ask_distance, 250 },
    { "a fan, ray through the tip", fan, 0, ask_ray, 1000 },
    { "books back to back, distance", book, 1, ask_distance, 250 },
    { "a book and itself, relation", book, 0, ask_relate, 100 },
    { "plates, distance", plate, 1, ask_distance, 1250 },
    { "plates face to face, relation", plate, 0, ask_relate, 1250 },
    { "plates face to face, contacts", plate, 0, ask_contacts, 1250 },
    { "needles, distance", needles, 1, ask_distance, 1000 },
    { "needles, relation", needles, 0, ask_relate, 250 },
    { "every scale, relation", scales, 0, ask_relate, 2090 },
    { "every scale, distance", scales, 0, ask_distance, 2090 },
    { "every scale, counted", scales, 0, ask_count, 2090 },
    { "every scale, themselves", scales, 0, ask_self, 2090 },
};

static bool open_pair( const struct family *f, uint32_t n, scene_pair *out, size_t *count ) {
	*out = ( scene_pair ){ NULL, NULL, NULL, NULL };
	shape a = { 0 }, b = { 0 };
	f->make( &a, n, 0.0 );
	f->make( &b, n, f->apart );
	*count = a.triangle_count;
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	const dbvh_mesh_view view_a = shape_view( &a ), view_b = shape_view( &b );
	out->a = scene_tree( &view_a, &options );
	out->b = scene_tree( &view_b, &options );
	shape_free( &a );
	shape_free( &b );
	return dbvh_workspace_create( NULL, &out->workspace, NULL ) == DBVH_OK &&
	       dbvh_contacts_create( NULL, &out->contacts, NULL ) == DBVH_OK;
}

static void close_pair( scene_pair *s ) {
	dbvh_contacts_destroy( s->contacts );
	dbvh_workspace_destroy( s->workspace );
	dbvh_tree_destroy( s->a );
	dbvh_tree_destroy( s->b );
}

static double n_log_n( size_t n ) {
	return (double)n * log2( (double)n );
}

int bench_runaway( const bench_options *options ) {
	printf( "\nqueries beside the building of one of the two trees; growth: time over n log n, 1 at the first n\n" );
	printf( "%-34s %8s %10s %10s %8s\n", "family", "n", "build ms", "ms", "growth" );
	if ( options->csv != NULL )
		fprintf( options->csv, "family,triangles,build_ms,ms,growth\n" );
	int status = EXIT_SUCCESS;
	for ( size_t i = 0; i < sizeof families / sizeof families[0]; ++i ) {
		const struct family *f = &families[i];
		if ( options->mesh != NULL && strstr( f->name, options->mesh ) == NULL )
			continue;
		double first = 0.0, last = 0.0;
		for ( uint32_t k = 0; k < 3 && last < PATIENCE; ++k ) {
			scene_pair s;
			size_t n;
			const double begin = stats_thread_now();
			if ( !open_pair( f, f->least << 2 * k, &s, &n ) )
				return 2;
			const double built = 0.5 * ( stats_thread_now() - begin );
			// Once to warm the workspace; then the least of several.
			double least = INFINITY, spent = 0.0;
			bool stopped = false;
			for ( int round = 0; round < 9 && ( round < 2 || spent < 0.05 ) && spent < 1.0; ++round ) {
				const double start = stats_thread_now();
				deadline = start + PATIENCE;
				const dbvh_status answer = f->question( &s );
				stopped = answer == DBVH_CANCELLED;
				if ( answer != DBVH_OK && !stopped )
					status = 2;
				const double time = stats_thread_now() - start;
				spent += time;
				least = fmin( least, time );
			}
			close_pair( &s );
			last = least;
			first = k == 0 ? least / n_log_n( n ) : first;
			const double growth = least / n_log_n( n ) / first;
			printf( "%-34s %8zu %10.3f %10.4f %8.2f%s\n", f->name, n, built * 1e3, least * 1e3, growth,
			        stopped ? "  ended by the budget" : "" );
			fflush( stdout );
			if ( options->csv != NULL )
				fprintf( options->csv, "\"%s\",%zu,%.4f,%.5f,%.3f\n", f->name, n, built * 1e3, least * 1e3, growth );
		}
	}
	return status;
}
