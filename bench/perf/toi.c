// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Time of impact of real meshes: what it costs compared with a collision test, and whether it is right. Every answer is
// checked against the exact collision test at thousands of times: at none of those before the first contact may the
// meshes intersect, and at the upper bound that comes with the answer they must.

#include "common/experiment.h"
#include "common/scene.h"
#include "common/stats.h"
#include "shapes/shapes.h"
#include "support/data.h"
#include "support/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 10000 };

typedef struct model {
	dbvh_mesh *mesh; // NULL for a generated one
	shape made;
	double *scaled;
	dbvh_tree *tree;
	dbvh_tree_stats stats;
	size_t triangles;
} model;

static void must( dbvh_status status ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", dbvh_status_text( status ) );
	exit( 2 );
}

static void make_torus( shape *s ) {
	shape_add_torus( s, 1.0, 0.35, 60, 40 );
}

// The mesh of a file, else a generated one, with a smallest sphere of this radius.
static model load( const char *file, void ( *make )( shape * ), double radius ) {
	model m = { 0 };
	dbvh_mesh_view view;
	m.mesh = data_mesh( file );
	if ( m.mesh == NULL )
		make( &m.made );
	view = m.mesh != NULL ? dbvh_mesh_get_view( m.mesh ) : shape_view( &m.made );
	const size_t count = 3 * view.vertex_count;
	m.scaled = malloc( count * sizeof( double ) );
	if ( m.scaled == NULL )
		must( DBVH_OUT_OF_MEMORY );
	memcpy( m.scaled, view.positions, count * sizeof( double ) );
	view.positions = m.scaled;
	for ( int pass = 0; pass < 2; ++pass ) {
		dbvh_tree_destroy( m.tree );
		must( dbvh_tree_build( &view, NULL, NULL, &m.tree, NULL ) );
		m.stats = dbvh_tree_get_stats( m.tree );
		for ( size_t i = 0; i < count && pass == 0; ++i )
			m.scaled[i] *= radius / m.stats.sphere.radius;
	}
	m.triangles = view.triangle_count;
	return m;
}

static void unload( model *m ) {
	dbvh_tree_destroy( m->tree );
	dbvh_mesh_destroy( m->mesh );
	shape_free( &m->made );
	free( m->scaled );
}

// ------------------------------------------------------------------------------------------------
// Motions

typedef enum kind { TRANSLATION, SCREW, TURN, BOTH, BOTH_TURN, JOINTS, KIND_COUNT } kind;
static const char *const kind_names[KIND_COUNT] = { "translation", "screw",     "turn and shift",
                                                    "both move",   "both turn", "two joints" };

static void direction( rng *r, double out[3] ) {
	double square;
	do {
		square = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			out[k] = rng_range( r, -1.0, 1.0 );
			square += out[k] * out[k];
		}
	} while ( square > 1.0 || square < 0.01 );
	for ( int k = 0; k < 3; ++k )
		out[k] /= sqrt( square );
}

// Turned from another pose by up to `most`, in radians.
static dbvh_pose turned_from( rng *r, const dbvh_pose *from, double most ) {
	dbvh_motion turn = dbvh_motion_translation( from, NULL );
	direction( r, turn.axis );
	turn.angle = rng_range( r, 0.0, most );
	return dbvh_motion_pose( &turn, 1.0 );
}

static dbvh_pose turned( rng *r ) {
	double q[4], zero[3] = { 0.0, 0.0, 0.0 };
	for ( int k = 0; k < 4; ++k )
		q[k] = rng_range( r, -1.0, 1.0 );
	return dbvh_pose_from_quaternion( q, zero );
}

// Puts the middle of B at the point.
static void centre_at( dbvh_pose *pose, const model *b, const double point[3] ) {
	for ( int i = 0; i < 3; ++i ) {
		pose->pos[i] = point[i];
		for ( int j = 0; j < 3; ++j )
			pose->pos[i] -= pose->rot[i][j] * b->stats.sphere.centre[j];
	}
}

// Turns about a point and an axis by up to 3 radians, either way.
static void swing( rng *r, const double centre[3], dbvh_motion *motion ) {
	memcpy( motion->centre, centre, sizeof motion->centre );
	direction( r, motion->axis );
	motion->angle = rng_range( r, -3.0, 3.0 );
}

// Two links that turn about joints at their ends, at whose poses in the middle of the time they would be near each
// other: B's middle is where A's surface may be.
static void two_joints( rng *r, const model *a, const model *b, dbvh_motion *motion_a, dbvh_motion *motion_b ) {
	const double ra = a->stats.sphere.radius, rb = b->stats.sphere.radius;
	double out[3], joint[3], middle[3];
	const dbvh_pose identity = dbvh_pose_identity();
	*motion_a = dbvh_motion_translation( &identity, NULL );
	direction( r, out );
	for ( int i = 0; i < 3; ++i )
		joint[i] = a->stats.sphere.centre[i] + ra * out[i];
	swing( r, joint, motion_a );
	dbvh_pose at = turned( r );
	direction( r, out );
	const double away = rng_range( r, 0.3, 1.0 ) * ra + 0.5 * rb;
	for ( int i = 0; i < 3; ++i )
		middle[i] = a->stats.sphere.centre[i] + away * out[i];
	centre_at( &at, b, middle );
	*motion_b = dbvh_motion_translation( &at, NULL );
	direction( r, out );
	for ( int i = 0; i < 3; ++i )
		joint[i] = middle[i] + rb * out[i];
	swing( r, joint, motion_b );
	// Half of each turn back, and then all of it.
	motion_a->from = dbvh_motion_pose( motion_a, -0.5 );
	motion_b->from = dbvh_motion_pose( motion_b, -0.5 );
}

// B comes from outside, is to pass A's middle at up to the sum of both radii, and leaves on the other side.
static void random_motion( rng *r, kind k, const model *a, const model *b, dbvh_motion *motion_a,
                           dbvh_motion *motion_b ) {
	if ( k == JOINTS ) {
		two_joints( r, a, b, motion_a, motion_b );
		return;
	}
	const double ra = a->stats.sphere.radius, rb = b->stats.sphere.radius;
	const bool turns = k == SCREW || k == TURN || k == BOTH_TURN;
	double out[3], aside[3], start[3], end[3];
	direction( r, out );
	direction( r, aside );
	const double far = ( ra + rb ) * rng_range( r, 1.0, 1.5 ), miss = ( ra + 0.5 * rb ) * rng_unit( r );
	for ( int i = 0; i < 3; ++i ) {
		start[i] = a->stats.sphere.centre[i] + far * out[i] + miss * aside[i];
		end[i] = a->stats.sphere.centre[i] - far * out[i] + miss * aside[i];
	}
	dbvh_pose from = turned( r ), to = turns ? turned_from( r, &from, 3.0 ) : from;
	centre_at( &from, b, start );
	centre_at( &to, b, end );
	*motion_a = dbvh_motion_translation( NULL, NULL );
	if ( k == BOTH_TURN )
		swing( r, a->stats.sphere.centre, motion_a );
	if ( turns ) {
		must( dbvh_motion_between( &from, &to, k == SCREW ? NULL : b->stats.sphere.centre, motion_b, NULL ) );
		return;
	}
	double shift[3];
	for ( int i = 0; i < 3; ++i )
		shift[i] = to.pos[i] - from.pos[i];
	*motion_b = dbvh_motion_translation( &from, shift );
	if ( k == BOTH ) {
		double way[3];
		dbvh_pose at = turned( r );
		direction( r, way );
		for ( int i = 0; i < 3; ++i ) {
			motion_a->shift[i] = ra * way[i];
			motion_b->shift[i] += ra * way[i];
		}
		// The same scene seen from elsewhere: neither pose is the identity.
		motion_a->from = at;
		motion_b->from = dbvh_pose_identity();
		for ( int i = 0; i < 3; ++i ) {
			motion_b->from.pos[i] = 0.0;
			for ( int j = 0; j < 3; ++j ) {
				motion_b->from.rot[i][j] = 0.0;
				for ( int l = 0; l < 3; ++l )
					motion_b->from.rot[i][j] += at.rot[i][l] * from.rot[l][j];
				motion_b->from.pos[i] += at.rot[i][j] * from.pos[j];
			}
		}
		double moved[2][3];
		for ( int i = 0; i < 3; ++i ) {
			moved[0][i] = moved[1][i] = 0.0;
			for ( int j = 0; j < 3; ++j ) {
				moved[0][i] += at.rot[i][j] * motion_a->shift[j];
				moved[1][i] += at.rot[i][j] * motion_b->shift[j];
			}
		}
		memcpy( motion_a->shift, moved[0], sizeof moved[0] );
		memcpy( motion_b->shift, moved[1], sizeof moved[1] );
	}
}

// ------------------------------------------------------------------------------------------------
// Checks

typedef struct scene {
	const model *a, *b;
	dbvh_motion motion_a, motion_b;
	dbvh_workspace *workspace;
} scene;

static bool intersects( const scene *s, double t ) {
	const dbvh_pose pose_a = dbvh_motion_pose( &s->motion_a, t ), pose_b = dbvh_motion_pose( &s->motion_b, t );
	dbvh_collide_result result;
	must( dbvh_collide( s->a->tree, &pose_a, s->b->tree, &pose_b, NULL, s->workspace, &result, NULL ) );
	return result.verdict == DBVH_INTERSECTING;
}

// How often the answer is contradicted. Half of the times are spread evenly, half gather towards the first contact.
static size_t contradictions( const scene *s, const dbvh_toi_result *answer, double tolerance ) {
	size_t wrong = 0;
	const bool clear = answer->verdict == DBVH_TOI_VERDICT_CLEAR;
	const size_t even = clear ? SAMPLES : SAMPLES / 2;
	for ( size_t i = 0; i < even; ++i ) {
		const double t = answer->time * ( (double)i / (double)( clear ? even - 1 : even ) );
		wrong += ( clear || t < answer->time ) && intersects( s, t );
	}
	for ( size_t i = 0; i < SAMPLES - even; ++i ) {
		const double t = answer->time * ( 1.0 - exp2( -52.0 * (double)( i + 1 ) / (double)( SAMPLES - even ) ) );
		wrong += t < answer->time && intersects( s, t );
	}
	if ( answer->verdict == DBVH_TOI_VERDICT_CONTACT )
		wrong += !( answer->upper >= answer->time && answer->upper <= answer->time + tolerance &&
		            answer->upper <= 1.0 && intersects( s, answer->upper ) );
	return wrong;
}

// ------------------------------------------------------------------------------------------------
// The table

typedef struct row {
	size_t motions, contact, close, wrong;
	double *toi, *touching, *start; // seconds a query, each motion: the least of the rounds
	double *ratio;
	double nodes, triangles, exact, widest;
} row;

static void time_one( const scene *s, size_t rounds, double at, row *r, size_t i ) {
	r->toi[i] = r->touching[i] = r->start[i] = INFINITY;
	const dbvh_pose a = dbvh_motion_pose( &s->motion_a, at ), b = dbvh_motion_pose( &s->motion_b, at );
	dbvh_toi_result answer;
	dbvh_collide_result result;
	for ( size_t round = 0; round < rounds; ++round ) {
		double t[4];
		t[0] = stats_now();
		must( dbvh_time_of_impact( s->a->tree, &s->motion_a, s->b->tree, &s->motion_b, NULL, s->workspace, &answer,
		                           NULL ) );
		t[1] = stats_now();
		must( dbvh_collide( s->a->tree, &a, s->b->tree, &b, NULL, s->workspace, &result, NULL ) );
		t[2] = stats_now();
		must( dbvh_collide( s->a->tree, &s->motion_a.from, s->b->tree, &s->motion_b.from, NULL, s->workspace, &result,
		                    NULL ) );
		t[3] = stats_now();
		r->toi[i] = fmin( r->toi[i], t[1] - t[0] );
		r->touching[i] = fmin( r->touching[i], t[2] - t[1] );
		r->start[i] = fmin( r->start[i], t[3] - t[2] );
	}
}

static double *numbers( size_t count ) {
	double *out = malloc( count * sizeof *out );
	if ( out == NULL )
		must( DBVH_OUT_OF_MEMORY );
	return out;
}

static size_t one_row( const bench_options *options, const char *name, const model *a, const model *b, kind k,
                       rng *rand, size_t motions ) {
	scene s = { .a = a, .b = b };
	row r = { .motions = motions,
	          .toi = numbers( motions ),
	          .touching = numbers( motions ),
	          .start = numbers( motions ),
	          .ratio = numbers( motions ) };
	must( dbvh_workspace_create( NULL, &s.workspace, NULL ) );
	size_t hits = 0;
	for ( size_t i = 0; i < motions; ++i ) {
		random_motion( rand, k, a, b, &s.motion_a, &s.motion_b );
		dbvh_toi_result answer;
		must( dbvh_time_of_impact( a->tree, &s.motion_a, b->tree, &s.motion_b, NULL, s.workspace, &answer, NULL ) );
		const size_t wrong = contradictions( &s, &answer, 0x1p-20 );
		if ( wrong != 0 )
			printf( "WRONG: %s, %s, motion %zu: %zu times\n", name, kind_names[k], i, wrong );
		r.wrong += wrong;
		r.contact += answer.verdict == DBVH_TOI_VERDICT_CONTACT;
		r.close += answer.verdict == DBVH_TOI_VERDICT_CLOSE;
		r.nodes += (double)answer.counters.sphere_tests;
		r.triangles += (double)answer.counters.triangle_tests;
		r.exact += (double)answer.counters.exact_tests;
		time_one( &s, options->rounds, answer.time, &r, i );
		if ( answer.verdict == DBVH_TOI_VERDICT_CONTACT ) {
			r.widest = fmax( r.widest, answer.upper - answer.time );
			r.ratio[hits++] = r.toi[i] / r.touching[i];
		}
	}
	const double ratio = hits > 0 ? stats_median( r.ratio, hits ) : NAN;
	const double n = (double)motions;
	printf( "%-22s %-15s %4zu %4zu %3zu %5zu %7.0e %8.2f %8.2f %7.2f %6.1f %7.0f %6.1f %5.1f\n", name, kind_names[k],
	        motions, r.contact, r.close, r.wrong, r.widest, stats_median( r.toi, motions ) * 1e6,
	        stats_median( r.touching, motions ) * 1e6, stats_median( r.start, motions ) * 1e6, ratio, r.nodes / n,
	        r.triangles / n, r.exact / n );
	fflush( stdout );
	if ( options->csv != NULL )
		fprintf( options->csv, "\"%s\",\"%s\",%zu,%zu,%zu,%zu,%.3e,%.2f\n", name, kind_names[k], motions, r.contact,
		         r.close, r.wrong, r.widest, ratio );
	free( r.toi );
	free( r.touching );
	free( r.start );
	free( r.ratio );
	dbvh_workspace_destroy( s.workspace );
	return r.wrong;
}

// ------------------------------------------------------------------------------------------------
// Batches

// Many motions at once on one thread and on two, beside single calls, in turn. Answers must be the same bit by bit.
static size_t batch_row( const bench_options *options, const char *name, const model *a, const model *b, kind k,
                         rng *rand, size_t motions ) {
	dbvh_motion motion_a, *motions_b = malloc( motions * sizeof *motions_b );
	dbvh_toi_result *single = calloc( motions, sizeof *single ), *results = calloc( motions, sizeof *results );
	dbvh_workspace *workspace;
	if ( motions_b == NULL || single == NULL || results == NULL )
		must( DBVH_OUT_OF_MEMORY );
	must( dbvh_workspace_create( NULL, &workspace, NULL ) );
	for ( size_t i = motions; i-- > 0; )
		random_motion( rand, k, a, b, &motion_a, &motions_b[i] );
	double best[3] = { INFINITY, INFINITY, INFINITY };
	size_t wrong = 0;
	for ( size_t round = 0; round < options->rounds; ++round ) {
		for ( uint32_t threads = 0; threads <= 2; ++threads ) {
			const dbvh_batch_options how = { .thread_count = threads, .workspace = workspace };
			const double begin = stats_now();
			for ( size_t i = 0; i < motions && threads == 0; ++i )
				must( dbvh_time_of_impact( a->tree, &motion_a, b->tree, &motions_b[i], NULL, workspace, &single[i],
				                           NULL ) );
			if ( threads > 0 )
				must( dbvh_time_of_impact_batch( a->tree, &motion_a, b->tree, motions_b, motions, NULL, &how, results,
				                                 NULL ) );
			best[threads] = fmin( best[threads], stats_now() - begin );
			wrong += threads > 0 && memcmp( single, results, motions * sizeof *single ) != 0;
		}
	}
	printf( "%-22s %-15s %7zu %9.2f %9.2f %9.2f %8.2f %6zu\n", name, kind_names[k], motions, best[0] * 1e3,
	        best[1] * 1e3, best[2] * 1e3, best[0] / best[2], wrong );
	free( motions_b );
	free( single );
	free( results );
	dbvh_workspace_destroy( workspace );
	return wrong;
}

int bench_toi( const bench_options *options ) {
	static const struct {
		const char *name, *file_a, *file_b;
		void ( *make_a )( shape * ), ( *make_b )( shape * );
		double radius_b;
	} pairings[] = {
	    { "Buddha, Buddha", "stanford/happy_vrip_res4.ply", "stanford/happy_vrip_res4.ply", shape_add_statue,
	      shape_add_statue, 1.0 },
	    { "horse, rocker-arm", "classics/horse.ply", "classics/rocker-arm.obj", make_torus, make_torus, 1.0 },
	    { "UR10 forearm, arm", "robot/ur10/forearm.stl", "robot/ur10/upperarm.stl", shape_add_hand, make_torus, 1.0 },
	    { "cabin (737), hand", "airplane/b738_interior.obj", "hands/fg_pilot_hand_R_488.obj", shape_add_cabin,
	      shape_add_hand, 0.01 },
	    { "teapot, Suzanne", "classics/teapot.obj", "classics/suzanne.obj", make_torus, shape_add_hand, 0.7 },
	};
	enum { PAIRINGS = sizeof pairings / sizeof pairings[0] };
	const size_t motions = ( options->sample + PAIRINGS * KIND_COUNT - 1 ) / ( PAIRINGS * KIND_COUNT );
	rng r = rng_announce( "motions", 20261121 );
	printf( "Motions of B past A; each answer against %d collision tests before the first contact and one after it.\n"
	        "widest: from `time` to `upper`, in parts of the motion; microseconds a query, median over the motions (of "
	        "the\n"
	        "least of %zu rounds): time of impact, collide at the first contact, collide at the start; ratio: toi to "
	        "collide\n"
	        "at the first contact, median over the motions that have one; tests a query\n\n"
	        "%-22s %-15s %4s %4s %3s %5s %7s %8s %8s %7s %6s %7s %6s %5s\n",
	        SAMPLES, options->rounds, "meshes", "motion", "of", "hits", "cl.", "wrong", "widest", "toi", "touching",
	        "start", "ratio", "spheres", "pairs", "exact" );
	if ( options->csv != NULL )
		fputs( "meshes,motion,motions,contact,close,wrong,widest,ratio\n", options->csv );
	size_t wrong = 0;
	for ( int p = 0; p < PAIRINGS; ++p ) {
		model a = load( pairings[p].file_a, pairings[p].make_a, 1.0 );
		model b = load( pairings[p].file_b, pairings[p].make_b, pairings[p].radius_b );
		for ( int k = 0; k < KIND_COUNT; ++k )
			wrong += one_row( options, pairings[p].name, &a, &b, (kind)k, &r, motions );
		unload( &a );
		unload( &b );
	}
	printf( "\nA batch of motions: milliseconds, least of the rounds: single calls, a batch on one thread, on two; how "
	        "many\n"
	        "times as fast as single calls; batches whose results differ\n\n%-22s %-15s %7s %9s %9s %9s %8s %6s\n",
	        "meshes", "motion", "motions", "single", "1 thread", "2 threads", "speed-up", "differ" );
	for ( int p = 0; p < PAIRINGS; p += 2 ) {
		model a = load( pairings[p].file_a, pairings[p].make_a, 1.0 );
		model b = load( pairings[p].file_b, pairings[p].make_b, pairings[p].radius_b );
		wrong += batch_row( options, pairings[p].name, &a, &b, TRANSLATION, &r, 10 * motions );
		wrong += batch_row( options, pairings[p].name, &a, &b, BOTH_TURN, &r, 10 * motions );
		unload( &a );
		unload( &b );
	}
	printf( "\n%zu of %zu motions' checks failed\n", wrong, motions * PAIRINGS * KIND_COUNT );
	return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
