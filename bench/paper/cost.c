// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "paper/cost.h"

#include "common/mpi.h"
#include "common/stats.h"
#include "exact/tri_tri.h"
#include "support/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POSES = 64, ROOM = 4096, ROUNDS = 5 };

typedef struct near_pair {
	size_t pose;
	double error, fixed[9], moved[9];
} near_pair;

static void must( bool fact, const char *what ) {
	if ( fact )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", what );
	mpi_exit( 2 );
}

// The `wanted` nearest pairs at one pose, or all that there is room for: those within a distance that is doubled until
// there are enough.
static size_t nearest( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, size_t wanted,
                       dbvh_pair *pairs ) {
	dbvh_distance_result gap;
	must( dbvh_distance( a, NULL, b, pose, NULL, NULL, &gap, NULL ) == DBVH_OK, "a distance could not be measured" );
	dbvh_clearance_query query = {
	    .max_distance = gap.distance, .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = ROOM };
	const double size = dbvh_tree_get_stats( a ).sphere.radius;
	for ( double more = 1e-6 * size;; more *= 2.0 ) {
		dbvh_clearance_result result;
		must( dbvh_check_clearance( a, NULL, b, pose, &query, NULL, &result, NULL ) == DBVH_OK, "a query failed" );
		if ( result.pair_count >= wanted || more > size )
			return result.pair_written;
		query.max_distance = gap.distance + more;
	}
}

static double time_pairs( const near_pair *pairs, size_t count, const dbvh_pose *poses ) {
	double least = INFINITY;
	size_t intersecting = 0;
	for ( int round = 0; round < ROUNDS; ++round ) {
		size_t times = 0;
		const double start = stats_thread_now();
		double spent = 0.0;
		for ( ; spent < 2e-3; ++times, spent = stats_thread_now() - start )
			for ( size_t i = 0; i < count; ++i ) {
				const near_pair *p = &pairs[i];
				const dbvh_pose *pose = &poses[p->pose];
				double image[9];
				dbvhi_triangle_move( pose, p->moved, image );
				const dbvhi_answer answer = dbvhi_triangles_filter( p->fixed, image, p->error );
				intersecting += answer == DBVHI_INTERSECTING ||
				                ( answer == DBVHI_UNSURE &&
				                  dbvhi_triangles_intersect_exact( p->fixed, p->moved, image, pose, p->error ) );
			}
		least = fmin( least, spent / (double)( times * count ) );
	}
	// The compiler must not find out that nobody looks at the answers.
	if ( intersecting == SIZE_MAX )
		puts( "" );
	return least;
}

double cost_of_triangles( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const measure_row *row, uint64_t tests ) {
	if ( tests == 0 || row->count == 0 )
		return 0.0;
	dbvh_tree *trees[2] = { scene_reference_tree( a, NULL ), scene_reference_tree( b, NULL ) };
	const size_t poses = row->count < POSES ? row->count : POSES;
	const size_t each = (size_t)fmin( ceil( (double)tests / (double)row->count ), ROOM );
	near_pair *pairs = malloc( poses * ROOM * sizeof( *pairs ) );
	dbvh_pair *list = malloc( ROOM * sizeof( *list ) );
	must( pairs != NULL && list != NULL, "out of memory" );
	size_t count = 0;
	for ( size_t i = 0; i < poses; ++i ) {
		const size_t pose = i * row->count / poses;
		const size_t found = nearest( trees[0], trees[1], &row->poses[pose], each, list );
		double largest = 0.0;
		const size_t begin = count;
		for ( size_t k = 0; k < found; ++k ) {
			near_pair *p = &pairs[count++];
			p->pose = pose;
			oracle_triangle( a, list[k].a, p->fixed );
			oracle_triangle( b, list[k].b, p->moved );
			for ( int x = 0; x < 9; ++x )
				largest = fmax( largest, fabs( p->moved[x] ) );
		}
		for ( size_t k = begin; k < count; ++k )
			pairs[k].error = dbvhi_move_error( &row->poses[pose], largest );
	}
	const double seconds = count > 0 ? time_pairs( pairs, count, row->poses ) : 0.0;
	free( list );
	free( pairs );
	dbvh_tree_destroy( trees[0] );
	dbvh_tree_destroy( trees[1] );
	return seconds;
}
