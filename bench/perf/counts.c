// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A fixed set of queries and builds for valgrind to count the instructions of, one function a question:
// bench/perf/counts.sh runs this and prints a table, bench/perf/guard.sh compares it with a file. Counts repeat from
// run to run, where times do not.

#include "common/experiment.h"
#include "common/numbers.h"
#include "common/stats.h"
#include "common/turn.h"
#include "dualbvh/dualbvh.h"
#include "shapes/shapes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { POSES = 64, PAIR_CAPACITY = 4096 };

typedef struct scene {
	shape statue_mesh, torus_mesh;
	dbvh_tree *statue, *torus, *cube, *plate, *hole, *peg;
	dbvh_workspace *workspace;
	double size; // largest |coordinate| of the statue
	dbvh_pose poses[POSES];
} scene;

static void must( dbvh_status status ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", dbvh_status_text( status ) );
	exit( 2 );
}

// A torus about the statue, from inside of it to clear of it, turned by anything.
static void make_poses( scene *s ) {
	uint64_t state = 1;
	for ( int i = 0; i < POSES; ++i ) {
		s->poses[i] = turn_next( &state );
		for ( int k = 0; k < 3; ++k )
			s->poses[i].pos[k] = 1.5 * s->size * ( next_number( &state ) - 0.5 );
	}
}

#define QUESTION( name ) __attribute__( ( noinline ) ) size_t counts_##name( scene *s )
#define DECLARE( name ) size_t counts_##name( scene *s )

DECLARE( build );
DECLARE( collide_any );
DECLARE( collide_all );
DECLARE( cubes );
DECLARE( plates_touching );
DECLARE( plates_first );
DECLARE( plates_apart );
DECLARE( peg );
DECLARE( clearance );
DECLARE( distance );
DECLARE( raycast );
DECLARE( closest_point );
DECLARE( relate );
DECLARE( time_of_impact );

static dbvh_tree *tree_of( const shape *mesh ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.thread_count = 1;
	options.topology = true;
	dbvh_tree *tree;
	const dbvh_mesh_view view = shape_view( mesh );
	must( dbvh_tree_build( &view, &options, NULL, &tree, NULL ) );
	return tree;
}

QUESTION( build ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.thread_count = 1;
	dbvh_tree *tree;
	const dbvh_mesh_view view = shape_view( &s->torus_mesh );
	must( dbvh_tree_build( &view, &options, NULL, &tree, NULL ) );
	dbvh_tree_destroy( tree );
	return view.triangle_count;
}

QUESTION( collide_any ) {
	size_t sum = 0;
	for ( int i = 0; i < POSES; ++i ) {
		dbvh_collide_result result;
		must( dbvh_collide( s->statue, NULL, s->torus, &s->poses[i], NULL, s->workspace, &result, NULL ) );
		sum += result.verdict == DBVH_INTERSECTING;
	}
	return sum;
}

QUESTION( collide_all ) {
	static dbvh_pair pairs[PAIR_CAPACITY];
	const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = PAIR_CAPACITY };
	size_t sum = 0;
	for ( int i = 0; i < POSES; ++i ) {
		dbvh_collide_result result;
		must( dbvh_collide( s->statue, NULL, s->torus, &s->poses[i], &query, s->workspace, &result, NULL ) );
		sum += result.pair_count;
	}
	return sum;
}

// Cubes from deep in each other to apart.
QUESTION( cubes ) {
	size_t sum = 0;
	for ( int i = 0; i < POSES; ++i ) {
		dbvh_pose pose = s->poses[i];
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] *= 1.5 / s->size;
		dbvh_collide_result result;
		must( dbvh_collide( s->cube, NULL, s->cube, &pose, NULL, s->workspace, &result, NULL ) );
		sum += result.verdict == DBVH_INTERSECTING;
	}
	return sum;
}

// A plate above another, at so much between their middles; their faces touch at PLATE_THICK.
#define PLATE_THICK 0.0625

static size_t collide_plates( scene *s, dbvh_find find, double height ) {
	size_t sum = 0;
	const double up[3] = { 0, 0, 1 };
	for ( int i = 0; i < 2; ++i ) {
		const double at[3] = { 0.0625, 0.03, height };
		const dbvh_pose pose = shape_pose( up, 30.0 * i, at );
		const dbvh_collide_query query = { .find = find };
		dbvh_collide_result result;
		must( dbvh_collide( s->plate, NULL, s->plate, &pose, &query, s->workspace, &result, NULL ) );
		sum += result.pair_count;
	}
	return sum;
}

QUESTION( plates_touching ) {
	return collide_plates( s, DBVH_FIND_ALL, PLATE_THICK );
}

QUESTION( plates_first ) {
	return collide_plates( s, DBVH_FIND_ANY, PLATE_THICK );
}

QUESTION( plates_apart ) {
	return collide_plates( s, DBVH_FIND_ANY, PLATE_THICK + 1e-6 );
}

// A peg in its hole, 1e-6 clear on four sides: faces a hair apart inside root boxes that overlap.
QUESTION( peg ) {
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[2] = 0.0625;
	dbvh_collide_result result;
	must( dbvh_collide( s->hole, NULL, s->peg, &pose, NULL, s->workspace, &result, NULL ) );
	return result.verdict == DBVH_INTERSECTING;
}

QUESTION( clearance ) {
	size_t sum = 0;
	for ( int i = 0; i < POSES; ++i ) {
		const dbvh_clearance_query query = { .max_distance = 0.05 * s->size };
		dbvh_clearance_result result;
		must( dbvh_check_clearance( s->statue, NULL, s->torus, &s->poses[i], &query, s->workspace, &result, NULL ) );
		sum += result.within;
	}
	return sum;
}

QUESTION( distance ) {
	size_t sum = 0;
	for ( int i = 0; i < POSES; ++i ) {
		dbvh_distance_result result;
		must( dbvh_distance( s->statue, NULL, s->torus, &s->poses[i], NULL, s->workspace, &result, NULL ) );
		sum += result.distance > 0.0;
	}
	return sum;
}

QUESTION( raycast ) {
	size_t sum = 0;
	for ( int i = 0; i < POSES; ++i ) {
		dbvh_ray ray = { .from = { 0 } };
		for ( int k = 0; k < 3; ++k ) {
			ray.from[k] = 2.0 * s->poses[i].pos[k];
			ray.direction[k] = -s->poses[i].pos[k];
		}
		dbvh_raycast_result result;
		must( dbvh_raycast( s->statue, NULL, &ray, NULL, s->workspace, &result, NULL ) );
		sum += result.hit_count > 0;
	}
	return sum;
}

QUESTION( closest_point ) {
	size_t sum = 0;
	for ( int i = 0; i < POSES; ++i ) {
		dbvh_closest_point_result result;
		must( dbvh_closest_point( s->statue, NULL, s->poses[i].pos, NULL, s->workspace, &result, NULL ) );
		sum += result.found;
	}
	return sum;
}

QUESTION( relate ) {
	size_t sum = 0;
	for ( int i = 0; i < POSES; ++i ) {
		dbvh_relate_result result;
		must( dbvh_relate( s->statue, NULL, s->torus, &s->poses[i], NULL, s->workspace, &result, NULL ) );
		sum += result.relation != DBVH_RELATION_DISJOINT;
	}
	return sum;
}

QUESTION( time_of_impact ) {
	size_t sum = 0;
	for ( int i = 0; i + 1 < POSES; i += 4 ) {
		dbvh_motion motion;
		const double centre[3] = { 0.0, 0.0, 0.0 };
		must( dbvh_motion_between( &s->poses[i], &s->poses[i + 1], centre, &motion, NULL ) );
		dbvh_toi_result result;
		must( dbvh_time_of_impact( s->statue, NULL, s->torus, &motion, NULL, s->workspace, &result, NULL ) );
		sum += result.verdict == DBVH_TOI_VERDICT_CONTACT;
	}
	return sum;
}

// A block of the hole.
static void add_moved_box( shape *s, double x, double y, double at_x, double at_y ) {
	const size_t first = s->vertex_count;
	shape_add_box( s, x, y, 1.0, 8 );
	dbvh_pose pose = dbvh_pose_identity();
	pose.pos[0] = at_x;
	pose.pos[1] = at_y;
	shape_place( s, first, &pose );
}

int bench_counts( const bench_options *options ) {
	static const struct {
		const char *name;
		size_t ( *run )( scene *s );
	} questions[] = {
	    { "build", counts_build },
	    { "collide_any", counts_collide_any },
	    { "collide_all", counts_collide_all },
	    { "cubes", counts_cubes },
	    { "plates_touching", counts_plates_touching },
	    { "plates_first", counts_plates_first },
	    { "plates_apart", counts_plates_apart },
	    { "peg", counts_peg },
	    { "clearance", counts_clearance },
	    { "distance", counts_distance },
	    { "raycast", counts_raycast },
	    { "closest_point", counts_closest_point },
	    { "relate", counts_relate },
	    { "time_of_impact", counts_time_of_impact },
	};
	(void)options;
	scene s = { 0 };
	shape cube = { 0 }, plate = { 0 }, hole = { 0 }, peg = { 0 };
	shape_add_statue( &s.statue_mesh );
	for ( size_t i = 0; i < 3 * s.statue_mesh.vertex_count; ++i )
		s.size = fmax( s.size, fabs( s.statue_mesh.positions[i] ) );
	shape_add_torus( &s.torus_mesh, 0.4 * s.size, 0.1 * s.size, 96, 48 );
	shape_add_box( &cube, 0.5, 0.5, 0.5, 1 );
	shape_add_box( &plate, 1.0, 1.0, 0.5 * PLATE_THICK, 10 );
	shape_add_box( &peg, 1.0 - 1e-6, 1.0 - 1e-6, 1.5, 9 );
	for ( int side = -1; side <= 1; side += 2 ) {
		add_moved_box( &hole, 0.5, 2.0, 1.5 * side, 0.0 );
		add_moved_box( &hole, 1.0, 0.5, 0.0, 1.5 * side );
	}
	s.statue = tree_of( &s.statue_mesh );
	s.torus = tree_of( &s.torus_mesh );
	s.cube = tree_of( &cube );
	s.plate = tree_of( &plate );
	s.hole = tree_of( &hole );
	s.peg = tree_of( &peg );
	must( dbvh_workspace_create( NULL, &s.workspace, NULL ) );
	must( dbvh_workspace_reserve( s.workspace, s.statue, s.torus, PAIR_CAPACITY, NULL ) );
	make_poses( &s );
	printf( "compiler %s\nisa %s\n", stats_compiler(), dbvh_isa_name() );
	for ( size_t q = 0; q < sizeof questions / sizeof questions[0]; ++q )
		printf( "%s %zu\n", questions[q].name, questions[q].run( &s ) );
	dbvh_workspace_destroy( s.workspace );
	dbvh_tree_destroy( s.statue );
	dbvh_tree_destroy( s.torus );
	dbvh_tree_destroy( s.cube );
	dbvh_tree_destroy( s.plate );
	dbvh_tree_destroy( s.hole );
	dbvh_tree_destroy( s.peg );
	shape_free( &s.statue_mesh );
	shape_free( &s.torus_mesh );
	shape_free( &cube );
	shape_free( &plate );
	shape_free( &hole );
	shape_free( &peg );
	return 0;
}
