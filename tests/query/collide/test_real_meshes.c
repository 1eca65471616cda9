// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// test_real_meshes [POSES]: the complete pair lists of every policy against the exact oracle on real
// meshes in random poses around contact, about POSES of them spread over all pairs of meshes. Prints a table; the exit
// status is 1 if anything differs. Meshes that are not there are replaced by generated ones.

#include "support/command_line.h"
#include "support/data.h"
#include "support/oracle.h"
#include "support/scene.h"

#include <string.h>
#include <time.h>

typedef struct model {
	dbvh_mesh *mesh; // read from a file; NULL for a generated one
	shape made;
	double *copy; // the vertices of `mesh`, scaled
	dbvh_mesh_view view;
	dbvh_tree *tree;
	dbvh_tree_stats stats;
} model;

typedef struct pairing {
	const char *name;
	const char *file_a, *file_b; // below the folder of data; NULL: generated
	void ( *make_a )( shape * ), ( *make_b )( shape * );
	bool same_size; // B is scaled to the radius of A
	double depth;   // how deep the deepest poses go, in radii of the smaller mesh
	double share;   // fraction of all poses
} pairing;

static void make_statue( shape *s ) {
	shape_add_statue( s );
}

static void make_hand( shape *s ) {
	shape_add_hand( s );
}

static void make_cabin( shape *s ) {
	shape_add_cabin( s );
}

static void make_gear( shape *s ) {
	const shape_gear gear = shape_gear_default();
	shape_add_gear( s, &gear );
}

static void make_torus( shape *s ) {
	shape_add_torus( s, 1.0, 0.35, 96, 48 );
}

static void make_stairs( shape *s ) {
	shape_add_stairs( s, 40 );
}

#define BUDDHA "stanford/happy_vrip_res4.ply"
#define UR10 "robot/ur10/"

static const pairing pairings[] = {
    { "Buddha, Buddha", BUDDHA, BUDDHA, make_statue, make_statue, false, 0.06, 2.0 },
    { "horse, rocker-arm", "classics/horse.ply", "classics/rocker-arm.obj", make_torus, make_torus, true, 0.06, 1.5 },
    { "UR10 forearm, upper arm", UR10 "forearm.stl", UR10 "upperarm.stl", make_stairs, make_torus, false, 0.2, 1.0 },
    { "UR10 upper arm, wrist 1", UR10 "upperarm.stl", UR10 "wrist1.stl", make_torus, make_hand, true, 0.2, 1.0 },
    { "UR10 shoulder, wrist 3", UR10 "shoulder.stl", UR10 "wrist3.stl", make_hand, make_hand, false, 0.3, 1.0 },
    { "UR10 base, wrist 2", UR10 "base.stl", UR10 "wrist2.stl", make_gear, make_stairs, true, 0.3, 1.0 },
    { "cabin (737), hand", "airplane/b738_interior.obj", "hands/fg_pilot_hand_R_488.obj", make_cabin, make_hand, false,
      0.5, 2.0 },
    { "generated gear, gear", NULL, NULL, make_gear, make_gear, false, 0.1, 0.7 },
    { "generated cabin, hand", NULL, NULL, make_cabin, make_hand, false, 0.5, 0.7 },
    { "generated statue, statue", NULL, NULL, make_statue, make_statue, false, 0.06, 0.7 },
};

static void load( model *m, const char *file, void ( *make )( shape * ), double radius ) {
	*m = ( model ){ 0 };
	m->mesh = file != NULL ? data_mesh( file ) : NULL;
	if ( m->mesh != NULL ) {
		m->view = dbvh_mesh_get_view( m->mesh );
	} else {
		make( &m->made );
		m->view = shape_view( &m->made );
	}
	dbvh_error error;
	if ( dbvh_tree_build( &m->view, &keeps_reference, NULL, &m->tree, &error ) != DBVH_OK ) {
		fprintf( stderr, "no tree: %s\n", error.text );
		exit( EXIT_FAILURE );
	}
	m->stats = dbvh_tree_get_stats( m->tree );
	if ( radius <= 0.0 )
		return;
	// To a given size, centred: by a copy of the vertices.
	const double factor = radius / m->stats.sphere.radius;
	const size_t count = m->view.vertex_count;
	m->copy = malloc( 3 * count * sizeof *m->copy );
	if ( m->copy == NULL )
		exit( EXIT_FAILURE );
	for ( size_t i = 0; i < 3 * count; ++i )
		m->copy[i] = factor * ( ( (const double *)m->view.positions )[i] - m->stats.sphere.centre[i % 3] );
	dbvh_tree_destroy( m->tree );
	m->view.positions = m->copy;
	if ( dbvh_tree_build( &m->view, &keeps_reference, NULL, &m->tree, &error ) != DBVH_OK )
		exit( EXIT_FAILURE );
	m->stats = dbvh_tree_get_stats( m->tree );
}

static void unload( model *m ) {
	dbvh_tree_destroy( m->tree );
	dbvh_mesh_destroy( m->mesh );
	shape_free( &m->made );
	free( m->copy );
}

static bool intersects( const model *a, const model *b, const dbvh_pose *pose, dbvh_workspace *workspace ) {
	dbvh_collide_result result;
	if ( dbvh_collide( a->tree, NULL, b->tree, pose, NULL, workspace, &result, NULL ) != DBVH_OK ) {
		print_pose( "refused", pose );
		exit( EXIT_FAILURE );
	}
	return result.verdict == DBVH_INTERSECTING;
}

// B turned at random, its middle put on a vertex of A and drawn out along a random direction to where the meshes come
// apart; then a step of 1e-9 of the size up to a few percent further out or back in. Where it stands between is found
// by bisection, so that the first steps are as close to touching as doubles can say.
static dbvh_pose near_contact( rng *r, const model *a, const model *b, double depth, dbvh_workspace *workspace ) {
	dbvh_pose pose = random_pose( r, 0.0 );
	double direction[3], start[3], vertex[3];
	double corners[9];
	oracle_triangle( &a->view, rng_below( r, a->stats.triangle_count ), corners );
	memcpy( vertex, corners, sizeof vertex );
	random_direction( r, direction );
	for ( int k = 0; k < 3; ++k ) {
		start[k] = vertex[k];
		for ( int j = 0; j < 3; ++j )
			start[k] -= pose.rot[k][j] * b->stats.sphere.centre[j];
	}
	const double size = fmin( a->stats.sphere.radius, b->stats.sphere.radius );
	const double step = 0.125 * size, far = 2.0 * ( a->stats.sphere.radius + b->stats.sphere.radius );
	double low = 0.0, high = 0.0;
	do {
		low = high;
		high += step;
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = start[k] + high * direction[k];
	} while ( high < far && intersects( a, b, &pose, workspace ) );
	for ( int i = 0; i < 60; ++i ) {
		const double middle = 0.5 * ( low + high );
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = start[k] + middle * direction[k];
		if ( intersects( a, b, &pose, workspace ) )
			low = middle;
		else
			high = middle;
	}
	// Half of the steps are spread evenly over the magnitudes, a quarter over the depth; one in eight stays.
	double jitter = 0.0;
	const uint64_t kind = rng_below( r, 8 );
	if ( kind < 4 )
		jitter = size * pow( 10.0, rng_range( r, -9.0, log10( 0.05 ) ) );
	else if ( kind < 7 )
		jitter = -size * rng_range( r, 0.0, depth );
	if ( kind < 4 && rng_below( r, 4 ) == 0 )
		jitter = -jitter;
	const double at = ( kind == 7 ? low : 0.5 * ( low + high ) ) + jitter;
	for ( int k = 0; k < 3; ++k )
		pose.pos[k] = start[k] + at * direction[k];
	return pose;
}

// first, then second: what places B in the world, rounded.
static dbvh_pose composed( const dbvh_pose *second, const dbvh_pose *first ) {
	dbvh_pose out = { .pos = { second->pos[0], second->pos[1], second->pos[2] } };
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			for ( int j = 0; j < 3; ++j )
				out.rot[i][k] += second->rot[i][j] * first->rot[j][k];
			out.pos[i] += second->rot[i][k] * first->pos[k];
		}
	}
	return out;
}

static double seconds( void ) {
	struct timespec now;
	timespec_get( &now, TIME_UTC );
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_row( const char *name, size_t triangles_a, size_t triangles_b, const tally *t, double time ) {
	printf( "%-26s %8zu %8zu %7llu %8llu %7llu %9llu %9llu %8llu %6llu %8.1f\n", name, triangles_a, triangles_b,
	        (unsigned long long)t->scenes, (unsigned long long)t->meeting,
	        (unsigned long long)( t->scenes - t->meeting ), (unsigned long long)t->pairs,
	        (unsigned long long)t->exact_tests, (unsigned long long)t->queries, (unsigned long long)t->differences,
	        time );
	fflush( stdout );
}

static void compare_pairing( const pairing *p, size_t poses, uint64_t seed, dbvh_workspace *workspace, tally *out ) {
	rng r = { seed };
	for ( const char *c = p->name; *c != '\0'; ++c )
		r.state = rng_u64( &r ) + (unsigned char)*c;
	const double begun = seconds();
	model a, b;
	load( &a, p->file_a, p->make_a, 0.0 );
	load( &b, p->file_b, p->make_b, p->same_size ? a.stats.sphere.radius : 0.0 );
	tally t = { 0 };
	for ( size_t i = 0; i < poses; ++i ) {
		dbvh_pose pose = near_contact( &r, &a, &b, p->depth, workspace ), world;
		const dbvh_pose *pose_a = NULL;
		switch ( i % 8 ) {
		case 5:
			pose = six_digits( pose );
			break;
		case 6:
			pose = sheared( &r, pose, 1.8e-6 );
			break;
		case 7: // both placed in a world
			world = random_pose( &r, 3.0 * a.stats.sphere.radius );
			pose = composed( &world, &pose );
			pose_a = &world;
			break;
		default:
			break;
		}
		compare_query( &t, p->name, a.tree, &a.view, pose_a, b.tree, &b.view, &pose, workspace );
	}
	char name[64];
	const bool replaced = ( p->file_a != NULL && a.mesh == NULL ) || ( p->file_b != NULL && b.mesh == NULL );
	snprintf( name, sizeof name, "%s%s", p->name, replaced ? " (made)" : "" );
	print_row( name, a.stats.triangle_count, b.stats.triangle_count, &t, seconds() - begun );
	unload( &a );
	unload( &b );
	out->scenes += t.scenes;
	out->meeting += t.meeting;
	out->pairs += t.pairs;
	out->queries += t.queries;
	out->exact_tests += t.exact_tests;
	out->differences += t.differences;
}

int main( int argc, char **argv ) {
	const size_t count = sizeof pairings / sizeof pairings[0];
	const test_command_line line = test_command_line_read( argc, argv, ( test_usage ){ .operands = "[POSES]" },
	                                                       &pairings[0].name, count, sizeof pairings[0] );
	const size_t poses = test_operand( &line, 0, 1000 );
	const rng r = rng_announce( "real meshes", 20260102 );
	dbvh_workspace *workspace = NULL;
	if ( dbvh_workspace_create( NULL, &workspace, NULL ) != DBVH_OK )
		return 2;
	double shares = 0.0;
	for ( size_t i = 0; i < count; ++i )
		shares += test_is_chosen( pairings[i].name ) ? pairings[i].share : 0.0;
	printf( "%-26s %8s %8s %7s %8s %7s %9s %9s %8s %6s %8s\n", "meshes", "of A", "of B", "poses", "meeting", "apart",
	        "pairs", "by exact", "queries", "differ", "seconds" );
	tally all = { 0 };
	const double begun = seconds();
	for ( size_t i = 0; i < count; ++i ) {
		if ( !test_is_chosen( pairings[i].name ) )
			continue;
		compare_pairing( &pairings[i], (size_t)ceil( (double)poses * pairings[i].share / shares ), r.state, workspace,
		                 &all );
	}
	print_row( "all", 0, 0, &all, seconds() - begun );
	dbvh_workspace_destroy( workspace );
	return all.differences == 0 && all.meeting > 0 && all.meeting < all.scenes ? EXIT_SUCCESS : EXIT_FAILURE;
}
