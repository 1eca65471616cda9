// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The gain of a dbvh_cache for meshes that move little from call to call, and its cost for those that do not: the
// flight of Scenario III, a robot's path, a path between random poses at several steps, and random poses. Answers are
// compared. A second table says what bounds the gain: the share of the time in which nothing that was known can still
// hold.

#include "common/experiment.h"
#include "common/numbers.h"
#include "common/path.h"
#include "common/scene.h"
#include "common/stats.h"
#include "dualbvh/cache.h"
#include "shapes/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Two meshes, one of which moves, or both.
typedef struct pair {
	const dbvh_tree *a, *b;
	const scene_mesh *mesh_a, *mesh_b;
	const dbvh_pose *poses_a, *poses_b; // the first may be NULL
} pair;

// A motion of some pairs, each with a cache of its own.
typedef struct motion {
	const char *name;
	const pair *pairs;
	size_t pair_count, count;
} motion;

// Sums over frames of one kind, of all pairs: seconds without a cache in those that nothing can answer which was known.
typedef struct limit {
	size_t frames, open;
	double seconds, open_seconds;
} limit;

// The limits of meeting pairs and of others, with the tests of the searches of the others.
typedef struct limits {
	char name[64];
	limit meeting, others;
	uint64_t nodes, boxes;
} limits;

enum { FRAMES = 2528, ROWS = 40, PAIRS = 1 << 16 };

static limits rows[ROWS];
static size_t row_count;

static void must( dbvh_status status ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", dbvh_status_text( status ) );
	exit( 2 );
}

static void *room_for( size_t count, size_t size ) {
	void *room = calloc( count, size );
	if ( room == NULL )
		must( DBVH_OUT_OF_MEMORY );
	return room;
}

static const dbvh_pose *pose_a( const pair *p, size_t frame ) {
	return p->poses_a != NULL ? &p->poses_a[frame] : NULL;
}

// Once through, in order; keeps the least time of each frame.
static void run( const pair *p, size_t count, bool cached, dbvh_workspace *workspace, double *least, bool *meet ) {
	dbvh_cache cache = dbvh_cache_default();
	for ( size_t i = 0; i < count; ++i ) {
		dbvh_collide_result result;
		const dbvh_pose *at = pose_a( p, i );
		const double start = stats_now();
		const dbvh_status status =
		    cached ? dbvh_collide_cached( p->a, at, p->b, &p->poses_b[i], NULL, &cache, workspace, &result, NULL )
		           : dbvh_collide( p->a, at, p->b, &p->poses_b[i], NULL, workspace, &result, NULL );
		const double spent = stats_now() - start;
		must( status );
		least[i] = least[i] == 0.0 || spent < least[i] ? spent : least[i];
		meet[i] = result.verdict == DBVH_INTERSECTING;
	}
}

// ------------------------------------------------------------------------------------------------
// What bounds it

// B as seen from A.
static dbvh_pose relative( const pair *p, size_t frame ) {
	dbvh_pose out = p->poses_b[frame];
	if ( p->poses_a == NULL )
		return out;
	const dbvh_pose *a = &p->poses_a[frame], *b = &p->poses_b[frame];
	for ( int i = 0; i < 3; ++i ) {
		out.pos[i] = 0.0;
		for ( int k = 0; k < 3; ++k )
			out.pos[i] += a->rot[k][i] * ( b->pos[k] - a->pos[k] );
		for ( int j = 0; j < 3; ++j ) {
			out.rot[i][j] = 0.0;
			for ( int k = 0; k < 3; ++k )
				out.rot[i][j] += a->rot[k][i] * b->rot[k][j];
		}
	}
	return out;
}

// How far the vertex goes that goes farthest, from the frame before.
static double way_to( const pair *p, size_t frame ) {
	const dbvh_pose from = relative( p, frame - 1 ), to = relative( p, frame );
	double most = 0.0;
	for ( size_t i = 0; i < p->mesh_b->view.vertex_count; ++i ) {
		double square = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			double d = to.pos[k] - from.pos[k];
			for ( int j = 0; j < 3; ++j )
				d += ( to.rot[k][j] - from.rot[k][j] ) * p->mesh_b->positions[3 * i + (size_t)j];
			square += d * d;
		}
		most = fmax( most, square );
	}
	return sqrt( most );
}

static dbvh_triangle triangle_of( const scene_mesh *mesh, uint32_t triangle ) {
	dbvh_triangle out;
	for ( size_t corner = 0; corner < 3; ++corner )
		memcpy( &( (double *)&out )[3 * corner], &mesh->positions[3 * (size_t)mesh->indices[3 * triangle + corner]],
		        3 * sizeof( double ) );
	return out;
}

static bool any_meets( const pair *p, const dbvh_pair *list, size_t count, size_t frame ) {
	const dbvh_pose pose = relative( p, frame );
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_triangle a = triangle_of( p->mesh_a, list[i].a ), b = triangle_of( p->mesh_b, list[i].b );
		bool yes;
		must( dbvh_triangles_intersect( &a, &b, &pose, &yes, NULL ) );
		if ( yes )
			return true;
	}
	return false;
}

static void add_frame( limit *l, double seconds, bool open ) {
	l->frames += 1;
	l->seconds += seconds;
	l->open += open;
	l->open_seconds += open ? seconds : 0.0;
}

// Were all pairs that met known, and the distance, exactly and for nothing, in which frames did nothing follow?
static void bound( const pair *p, size_t count, const double *least, const bool *meet, dbvh_workspace *workspace,
                   limits *out ) {
	dbvh_pair *list = room_for( PAIRS, sizeof *list );
	size_t listed = 0;
	double distance = 0.0;
	const dbvh_collide_query all = { .find = DBVH_FIND_ALL, .pairs = list, .pair_capacity = PAIRS };
	for ( size_t i = 0; i < count; ++i ) {
		dbvh_collide_result result;
		dbvh_distance_result far = { .distance = 0.0 };
		if ( meet[i] ) {
			add_frame( &out->meeting, least[i], !any_meets( p, list, listed, i ) );
			must( dbvh_collide( p->a, pose_a( p, i ), p->b, &p->poses_b[i], &all, workspace, &result, NULL ) );
			listed = result.pair_written;
		} else {
			must( dbvh_collide( p->a, pose_a( p, i ), p->b, &p->poses_b[i], NULL, workspace, &result, NULL ) );
			listed = 0;
			const bool searched = result.counters.sphere_tests > 2;
			out->nodes += searched ? result.counters.sphere_tests / 16 : 0;
			out->boxes += searched ? result.counters.box_tests : 0;
			// If the volumes of the whole meshes are disjoint, there is nothing to gain.
			add_frame( &out->others, least[i], !searched || !( distance > 0.0 && way_to( p, i ) < distance ) );
			must( dbvh_distance( p->a, pose_a( p, i ), p->b, &p->poses_b[i], NULL, workspace, &far, NULL ) );
		}
		distance = far.distance;
	}
	free( list );
}

static void print_limit( const limit *l ) {
	const double share = l->seconds > 0.0 ? l->open_seconds / l->seconds : 1.0;
	printf( " %9zu %9zu %9.3f %9.2f", l->frames, l->open, share, l->frames > 0 ? 1.0 / fmax( share, 0.01 ) : 0.0 );
}

static void print_limits( void ) {
	printf(
	    "\nthe frames that nothing answers which was known before, all pairs that met and the distance, their share "
	    "of the time, and\nwhat could be gained at most, up to 100; in searches of the others, pairs of boxes that "
	    "led on, which a front would spare\n%-58s %39s %39s\n",
	    "", "frames in which they meet", "the others" );
	for ( size_t i = 0; i < row_count; ++i ) {
		const limits *l = &rows[i];
		printf( "%-58s", l->name );
		print_limit( &l->meeting );
		print_limit( &l->others );
		printf( " %7.2f\n", l->boxes > 0 ? (double)l->nodes / (double)l->boxes : 0.0 );
	}
}

// ------------------------------------------------------------------------------------------------

// Frames and microseconds, of those that meet and of the others; without a cache and with it.
typedef struct sums {
	size_t count[2];
	double seconds[2][2];
} sums;

static bool measure_pair( const bench_options *options, const pair *p, size_t count, dbvh_workspace *workspace,
                          sums *out, limits *bounds ) {
	double *least[2] = { room_for( count, sizeof( double ) ), room_for( count, sizeof( double ) ) };
	bool *meet[2] = { room_for( count, sizeof( bool ) ), room_for( count, sizeof( bool ) ) };
	must( dbvh_workspace_reserve( workspace, p->a, p->b, PAIRS, NULL ) );
	for ( size_t round = 0; round < options->rounds; ++round )
		for ( int cached = 0; cached < 2; ++cached )
			run( p, count, cached, workspace, least[cached], meet[cached] );
	const bool same = memcmp( meet[0], meet[1], count * sizeof( bool ) ) == 0;
	for ( size_t i = 0; i < count; ++i ) {
		out->count[meet[0][i]] += 1;
		out->seconds[meet[0][i]][0] += least[0][i];
		out->seconds[meet[0][i]][1] += least[1][i];
	}
	bound( p, count, least[0], meet[0], workspace, bounds );
	for ( int k = 0; k < 2; ++k ) {
		free( least[k] );
		free( meet[k] );
	}
	return same;
}

static bool measure( const bench_options *options, const motion *m ) {
	dbvh_workspace *workspace;
	must( dbvh_workspace_create( NULL, &workspace, NULL ) );
	sums all = { { 0, 0 }, { { 0.0, 0.0 }, { 0.0, 0.0 } } };
	limits *bounds = &rows[row_count < ROWS - 1 ? row_count++ : row_count];
	snprintf( bounds->name, sizeof bounds->name, "%s", m->name );
	bool same = true;
	for ( size_t k = 0; k < m->pair_count; ++k )
		same = measure_pair( options, &m->pairs[k], m->count, workspace, &all, bounds ) && same;
	dbvh_workspace_destroy( workspace );
	printf( "%-58s", m->name );
	if ( options->csv != NULL )
		fprintf( options->csv, "\"%s\"", m->name );
	for ( int kind = 1; kind >= 0; --kind ) {
		const double many = all.count[kind] > 0 ? (double)all.count[kind] : 1.0;
		const double without = all.seconds[kind][0], with = all.seconds[kind][1];
		printf( " %7zu %9.3f %9.3f %6.2f", all.count[kind], without / many * 1e6, with / many * 1e6,
		        with > 0.0 ? without / with : 0.0 );
		if ( options->csv != NULL )
			fprintf( options->csv, ",%zu,%.4f,%.4f", all.count[kind], without / many * 1e6, with / many * 1e6 );
	}
	printf( "%s\n", same ? "" : "  the answers DIFFER" );
	if ( options->csv != NULL )
		fputc( '\n', options->csv );
	return same;
}

// Numbers that turn and move: a quaternion of any length, a place.
typedef struct place {
	double turn[4], at[3];
} place;

static dbvh_pose pose_of( const place *p, const double middle[3] ) {
	const double *q = p->turn, w = q[0], x = q[1], y = q[2], z = q[3];
	const double s = 2.0 / ( w * w + x * x + y * y + z * z );
	dbvh_pose pose = { .rot = { { 1 - s * ( y * y + z * z ), s * ( x * y - w * z ), s * ( x * z + w * y ) },
	                            { s * ( x * y + w * z ), 1 - s * ( x * x + z * z ), s * ( y * z - w * x ) },
	                            { s * ( x * z - w * y ), s * ( y * z + w * x ), 1 - s * ( x * x + y * y ) } } };
	for ( int k = 0; k < 3; ++k )
		pose.pos[k] = p->at[k] - pose.rot[k][0] * middle[0] - pose.rot[k][1] * middle[1] - pose.rot[k][2] * middle[2];
	return pose;
}

static void bounds_of( const scene_mesh *mesh, double lower[3], double upper[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		lower[k] = INFINITY;
		upper[k] = -INFINITY;
		for ( size_t i = 0; i < mesh->view.vertex_count; ++i ) {
			lower[k] = fmin( lower[k], mesh->positions[3 * i + (size_t)k] );
			upper[k] = fmax( upper[k], mesh->positions[3 * i + (size_t)k] );
		}
	}
}

// Paths between random places in a box, so many steps from one to the next; 1: random poses.
static void wander( const double lower[3], const double upper[3], const double middle[3], size_t steps, size_t count,
                    dbvh_pose *poses ) {
	uint64_t state = 11;
	place from = { { 1, 0, 0, 0 }, { 0, 0, 0 } }, to = from;
	for ( size_t i = 0; i < count; ++i ) {
		const double part = (double)( i % steps ) / (double)steps;
		if ( i % steps == 0 ) {
			from = to;
			for ( int k = 0; k < 4; ++k )
				to.turn[k] = 2.0 * next_number( &state ) - 1.0;
			for ( int k = 0; k < 3; ++k )
				to.at[k] = lower[k] + ( upper[k] - lower[k] ) * next_number( &state );
		}
		place at;
		for ( int k = 0; k < 4; ++k )
			at.turn[k] = from.turn[k] + part * ( to.turn[k] - from.turn[k] );
		for ( int k = 0; k < 3; ++k )
			at.at[k] = from.at[k] + part * ( to.at[k] - from.at[k] );
		poses[i] = pose_of( &at, middle );
	}
}

static bool flights( const bench_options *options ) {
	bool same = true;
	for ( int real = 0; real < 2; ++real ) {
		scene_mesh cabin = real ? scene_cabin() : scene_cabin_generated(), hand = scene_hand( real ? 0 : -1 );
		dbvh_tree *a = scene_tree( &cabin.view, NULL ), *b = scene_tree( &hand.view, NULL );
		double lower[3], upper[3], hand_lower[3], hand_upper[3], middle[3];
		bounds_of( &cabin, lower, upper );
		bounds_of( &hand, hand_lower, hand_upper );
		for ( int k = 0; k < 3; ++k )
			middle[k] = 0.5 * ( hand_lower[k] + hand_upper[k] );
		dbvh_pose *poses = room_for( 10 * FRAMES, sizeof *poses );
		const pair both = { a, b, &cabin, &hand, NULL, poses };
		char name[400];
		for ( size_t count = FRAMES; count <= 10 * FRAMES; count *= 10 ) {
			path_fly( lower, upper, 1998, count, poses );
			for ( size_t i = 0; i < count; ++i )
				for ( int k = 0; k < 3; ++k )
					poses[i].pos[k] -= poses[i].rot[k][0] * middle[0] + poses[i].rot[k][1] * middle[1] +
					                   poses[i].rot[k][2] * middle[2];
			snprintf( name, sizeof name, "flight in %zu, %.18s in %.18s", count, hand.label, cabin.label );
			same = measure( options, &( motion ){ name, &both, 1, count } ) && same;
		}
		wander( lower, upper, middle, 1, FRAMES, poses );
		snprintf( name, sizeof name, "random poses of the same" );
		same = measure( options, &( motion ){ name, &both, 1, FRAMES } ) && same;
		free( poses );
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
		scene_free( &cabin );
		scene_free( &hand );
	}
	return same;
}

// A mesh about its own copy.
static bool paths( const bench_options *options, scene_mesh mesh ) {
	bool same = true;
	dbvh_tree *tree = scene_tree( &mesh.view, NULL );
	double lower[3], upper[3], middle[3];
	bounds_of( &mesh, lower, upper );
	for ( int k = 0; k < 3; ++k ) {
		const double size = upper[k] - lower[k];
		middle[k] = 0.5 * ( lower[k] + upper[k] );
		lower[k] -= 0.75 * size;
		upper[k] += 0.75 * size;
	}
	dbvh_pose *poses = room_for( FRAMES, sizeof *poses );
	const pair both = { tree, tree, &mesh, &mesh, NULL, poses };
	const size_t steps[] = { 1000, 300, 100, 30, 10, 1 };
	for ( size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k ) {
		char name[200];
		wander( lower, upper, middle, steps[k], FRAMES, poses );
		snprintf( name, sizeof name, "%.30s: path, %zu steps a pose", mesh.label, steps[k] );
		same = measure( options, &( motion ){ steps[k] == 1 ? "random poses of the same" : name, &both, 1, FRAMES } ) &&
		       same;
	}
	free( poses );
	dbvh_tree_destroy( tree );
	scene_free( &mesh );
	return same;
}

// ------------------------------------------------------------------------------------------------
// A robot

enum { LINKS = 6 };

static scene_mesh mesh_of( shape *s, const char *label ) {
	scene_mesh mesh = { .positions = s->positions, .indices = s->indices, .view = shape_view( s ) };
	snprintf( mesh.label, sizeof mesh.label, "%s", label );
	return mesh;
}

static void move_from( shape *s, size_t first, double x, double y, double z ) {
	const double by[3] = { x, y, z };
	for ( size_t i = first; i < s->vertex_count; ++i )
		for ( size_t k = 0; k < 3; ++k )
			s->positions[3 * i + k] += by[k];
}

// A beam with a round joint at its end.
static void make_link( shape *s ) {
	shape_add_box( s, 0.4, 0.06, 0.06, 6 );
	const size_t first = s->vertex_count;
	shape_add_torus( s, 0.08, 0.05, 32, 16 );
	move_from( s, first, 0.45, 0.0, 0.0 );
}

// A floor, two posts, a table and a ring on it, within the reach of the arm.
static void make_cell( shape *s ) {
	static const double boxes[4][6] = { { 2.5, 2.5, 0.05, 0.0, 0.0, -1.2 },
	                                    { 0.1, 0.1, 1.2, 1.4, 0.9, 0.0 },
	                                    { 0.1, 0.1, 1.2, -1.2, 1.3, 0.0 },
	                                    { 0.5, 0.8, 0.04, 1.2, -1.2, -0.5 } };
	for ( int i = 0; i < 4; ++i ) {
		const size_t first = s->vertex_count;
		shape_add_box( s, boxes[i][0], boxes[i][1], boxes[i][2], 12 );
		move_from( s, first, boxes[i][3], boxes[i][4], boxes[i][5] );
	}
	const size_t first = s->vertex_count;
	shape_add_torus( s, 0.3, 0.08, 64, 24 );
	move_from( s, first, 1.2, -1.2, -0.38 );
}

// Link after link, turned by its angle about z and y in turn.
static void place_links( const double angles[LINKS], size_t frame, dbvh_pose *poses[LINKS] ) {
	dbvh_pose at = dbvh_pose_identity();
	for ( int i = 0; i < LINKS; ++i ) {
		const double axis[3] = { 0.0, i % 2 == 0 ? 0.0 : 1.0, i % 2 == 0 ? 1.0 : 0.0 };
		const dbvh_pose joint = shape_pose( axis, angles[i], ( double[3] ){ 0.0, 0.0, 0.0 } );
		dbvh_pose next = at;
		for ( int x = 0; x < 3; ++x ) {
			for ( int y = 0; y < 3; ++y ) {
				next.rot[x][y] = 0.0;
				for ( int z = 0; z < 3; ++z )
					next.rot[x][y] += at.rot[x][z] * joint.rot[z][y];
			}
			next.pos[x] = at.pos[x] + ( i > 0 ? 0.5 * at.rot[x][0] : 0.0 ) + 0.5 * next.rot[x][0];
		}
		poses[i][frame] = at = next;
	}
}

// Pairs: each link against the cell, and against the links that are not its neighbours.
static bool robots( const bench_options *options ) {
	shape shapes[2] = { { 0 }, { 0 } };
	make_link( &shapes[0] );
	make_cell( &shapes[1] );
	const scene_mesh link = mesh_of( &shapes[0], "link" ), cell = mesh_of( &shapes[1], "cell" );
	dbvh_tree *link_tree = scene_tree( &link.view, NULL ), *cell_tree = scene_tree( &cell.view, NULL );
	dbvh_pose *poses[LINKS];
	pair pairs[LINKS * LINKS];
	size_t pair_count = 0;
	for ( int i = 0; i < LINKS; ++i ) {
		poses[i] = room_for( FRAMES, sizeof( dbvh_pose ) );
		pairs[pair_count++] = ( pair ){ cell_tree, link_tree, &cell, &link, NULL, poses[i] };
		for ( int k = 0; k + 1 < i; ++k )
			pairs[pair_count++] = ( pair ){ link_tree, link_tree, &link, &link, poses[k], poses[i] };
	}
	bool same = true;
	const size_t steps[] = { 300, 100, 30, 10, 1 };
	for ( size_t n = 0; n < sizeof steps / sizeof steps[0]; ++n ) {
		uint64_t state = 5;
		double from[LINKS] = { 0.0 }, to[LINKS] = { 0.0 };
		for ( size_t i = 0; i < FRAMES; ++i ) {
			const double part = (double)( i % steps[n] ) / (double)steps[n];
			double angles[LINKS];
			for ( int k = 0; k < LINKS; ++k ) {
				from[k] = i % steps[n] == 0 ? to[k] : from[k];
				to[k] = i % steps[n] == 0 ? 220.0 * ( next_number( &state ) - 0.5 ) : to[k];
				angles[k] = from[k] + part * ( to[k] - from[k] );
			}
			place_links( angles, i, poses );
		}
		char name[64];
		snprintf( name, sizeof name,
		          steps[n] == 1 ? "random configurations" : "robot of %d links: path, %zu steps a pose", LINKS,
		          steps[n] );
		same = measure( options, &( motion ){ name, pairs, pair_count, FRAMES } ) && same;
	}
	for ( int i = 0; i < LINKS; ++i )
		free( poses[i] );
	dbvh_tree_destroy( link_tree );
	dbvh_tree_destroy( cell_tree );
	shape_free( &shapes[0] );
	shape_free( &shapes[1] );
	return same;
}

int bench_coherence( const bench_options *options ) {
	printf( "\none thread, the least of %zu rounds for each frame; microseconds without and with a cache, and what it "
	        "gains\n%-58s %34s %34s\n",
	        options->rounds, "", "frames in which they meet", "the others" );
	if ( options->csv != NULL )
		fputs( "motion,meeting,us,us_cached,others,us,us_cached\n", options->csv );
	row_count = 0;
	bool same = flights( options );
	same = robots( options ) && same;
	same = paths( options, scene_choose( options->mesh ) ) && same;
	same = paths( options, scene_torus( 96, 48 ) ) && same;
	print_limits();
	return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
