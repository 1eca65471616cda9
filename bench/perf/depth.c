// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Widths and times of depths: pairs of a few families of bodies at random poses that overlap, on one thread with the
// library's own limit on its work.

#include "common/experiment.h"
#include "common/scene.h"
#include "common/stats.h"
#include "shapes/shapes.h"
#include "support/rng.h"

#include <math.h>
#include <stdlib.h>

enum { FAMILIES = 8, MOST_PAIRS = 400 };

typedef struct family {
	const char *name;
	dbvh_tree *a, *b;
	double reach; // positions of B are random within it
} family;

static dbvh_tree *take( shape *s ) {
	dbvh_tree_options with = dbvh_tree_options_default();
	with.topology = true;
	const dbvh_mesh_view view = shape_view( s );
	dbvh_tree *tree = scene_tree( &view, &with );
	shape_free( s );
	return tree;
}

static dbvh_tree *box( double x, double y, double z, uint32_t n ) {
	shape s = { 0 };
	shape_add_box( &s, x, y, z, n );
	return take( &s );
}

static dbvh_tree *ball( uint32_t slices, uint32_t stacks ) {
	shape s = { 0 };
	shape_add_sphere( &s, 1.0, slices, stacks );
	return take( &s );
}

static dbvh_tree *torus( uint32_t major, uint32_t minor ) {
	shape s = { 0 };
	shape_add_torus( &s, 2.0, 0.5, major, minor );
	return take( &s );
}

static dbvh_tree *gear( void ) {
	shape s = { 0 };
	const shape_gear g = shape_gear_default();
	shape_add_gear( &s, &g );
	return take( &s );
}

static dbvh_tree *hand( void ) {
	shape s = { 0 };
	shape_add_hand( &s );
	return take( &s );
}

// A rotation and a position at random.
static dbvh_pose some_pose( rng *r, double reach ) {
	double q[4], at[3];
	for ( int k = 0; k < 4; ++k )
		q[k] = rng_range( r, -1.0, 1.0 );
	for ( int k = 0; k < 3; ++k )
		at[k] = rng_range( r, -reach, reach );
	return dbvh_pose_from_quaternion( q, at );
}

typedef struct tally {
	size_t pairs, one, ten, above, narrow, decided;
	double seconds[MOST_PAIRS], local_seconds[MOST_PAIRS], ratio[MOST_PAIRS], verdict[MOST_PAIRS];
	double parts[MOST_PAIRS], close[MOST_PAIRS];
} tally;

static int ascending( const void *a, const void *b ) {
	const double x = *(const double *)a, y = *(const double *)b;
	return ( x > y ) - ( x < y );
}

static double part_of( double *list, size_t count, double part ) {
	qsort( list, count, sizeof *list, ascending );
	return count > 0 ? list[(size_t)( part * (double)( count - 1 ) )] : 0.0;
}

static double width_of( const dbvh_interval *i ) {
	return i->upper > 0.0 ? 1.0 - i->lower / i->upper : 0.0;
}

// Time the depths of the components of a pair, and the slower of two verdicts: whether they are deeper than limits a
// billionth below and above the depth.
static bool measure_components( const family *f, const dbvh_pose *pose, dbvh_overlap *overlap, tally *t ) {
	dbvh_overlap_result o;
	dbvh_local_depth_result l;
	double start = stats_thread_now();
	bool good = dbvh_local_depth_components( f->a, NULL, f->b, pose, NULL, overlap, NULL, 0, &o, &l, NULL ) == DBVH_OK;
	t->parts[t->pairs] = stats_thread_now() - start;
	const dbvh_local_depth_query narrow = { .relative_width = 0x1p-40 };
	good = dbvh_local_depth_components( f->a, NULL, f->b, pose, &narrow, overlap, NULL, 0, &o, &l, NULL ) == DBVH_OK &&
	       good;
	const double depth = l.least.upper;
	bool decided = true;
	t->close[t->pairs] = 0.0;
	for ( int k = 0; k < 2 && good; ++k ) {
		const dbvh_local_depth_query judge = { .allowed_depth = depth * ( k == 0 ? 1.0 - 1e-9 : 1.0 + 1e-9 ),
		                                       .verdict_only = true };
		start = stats_thread_now();
		good = dbvh_local_depth_components( f->a, NULL, f->b, pose, &judge, overlap, NULL, 0, &o, &l, NULL ) == DBVH_OK;
		t->close[t->pairs] = fmax( t->close[t->pairs], stats_thread_now() - start );
		decided = decided && l.verdict != DBVH_FIT_VERDICT_UNDECIDED;
	}
	t->decided += decided;
	return good;
}

// Measure one pair. False if its interiors are disjoint, or something fails.
static bool measure_pair( const family *f, const dbvh_pose *pose, dbvh_workspace *workspace, dbvh_contacts *contacts,
                          dbvh_overlap *overlap, tally *t ) {
	dbvh_relate_result relation;
	if ( dbvh_relate( f->a, NULL, f->b, pose, NULL, workspace, &relation, NULL ) != DBVH_OK ||
	     relation.relation == DBVH_RELATION_DISJOINT || relation.relation == DBVH_RELATION_TOUCHING )
		return false;
	dbvh_penetration_result p;
	double start = stats_thread_now();
	if ( dbvh_penetration_depth( f->a, NULL, f->b, pose, NULL, workspace, &p, NULL ) != DBVH_OK )
		return false;
	t->seconds[t->pairs] = stats_thread_now() - start;
	dbvh_local_depth_result l;
	start = stats_thread_now();
	if ( dbvh_local_depth( f->a, NULL, f->b, pose, NULL, workspace, &l, NULL ) != DBVH_OK )
		return false;
	t->local_seconds[t->pairs] = stats_thread_now() - start;
	t->narrow += l.reached;
	const dbvh_local_depth_query judge = { .allowed_depth = 0.5 * l.least.upper, .verdict_only = true };
	start = stats_thread_now();
	if ( dbvh_local_depth( f->a, NULL, f->b, pose, &judge, workspace, &l, NULL ) != DBVH_OK )
		return false;
	const double judged = stats_thread_now() - start;
	start = stats_thread_now();
	if ( dbvh_contacts_find( f->a, NULL, f->b, pose, NULL, contacts, NULL ) != DBVH_OK )
		return false;
	const double found = stats_thread_now() - start;
	t->ratio[t->pairs] = t->local_seconds[t->pairs] / found;
	t->verdict[t->pairs] = judged / found;
	if ( !measure_components( f, pose, overlap, t ) )
		return false;
	t->parts[t->pairs] /= found;
	t->close[t->pairs] /= found;
	t->one += width_of( &p.depth ) <= 0.01;
	t->ten += width_of( &p.depth ) <= 0.1;
	t->above += p.depth.lower > 0.0;
	t->pairs += 1;
	return true;
}

static void print( const bench_options *options, const char *name, tally *t ) {
	const double each = t->pairs > 0 ? 100.0 / (double)t->pairs : 0.0;
	const double one = each * (double)t->one, ten = each * (double)t->ten, above = each * (double)t->above;
	const double narrow = each * (double)t->narrow;
	const double median = part_of( t->seconds, t->pairs, 0.5 ), most = part_of( t->seconds, t->pairs, 1.0 );
	const double local = part_of( t->local_seconds, t->pairs, 0.5 );
	const double ratio = part_of( t->ratio, t->pairs, 0.5 ), verdict = part_of( t->verdict, t->pairs, 0.5 );
	const double parts = part_of( t->parts, t->pairs, 0.5 ), close = part_of( t->close, t->pairs, 0.5 );
	const double decided = each * (double)t->decided;
	printf( "%-24s %6zu %7.1f %7.1f %7.1f %9.2f %9.2f %8.1f %9.3f %8.1f %8.1f %8.1f %8.1f %8.1f\n", name, t->pairs, one,
	        ten, above, 1e3 * median, 1e3 * most, narrow, 1e3 * local, ratio, verdict, parts, close, decided );
	if ( options->csv != NULL )
		fprintf( options->csv, "\"%s\",%zu,%.1f,%.1f,%.1f,%.3f,%.3f,%.1f,%.4f,%.2f,%.2f,%.2f,%.2f,%.1f\n", name,
		         t->pairs, one, ten, above, 1e3 * median, 1e3 * most, narrow, 1e3 * local, ratio, verdict, parts, close,
		         decided );
}

// The hull of points on a sphere.
static dbvh_tree *hull( rng *r, size_t count ) {
	enum { MOST_POINTS = 64 };
	double at[3 * MOST_POINTS];
	for ( size_t i = 0; i < count; ++i ) {
		double square = 0.0;
		for ( size_t k = 0; k < 3; ++k ) {
			at[3 * i + k] = rng_range( r, -1.0, 1.0 );
			square += at[3 * i + k] * at[3 * i + k];
		}
		for ( size_t k = 0; k < 3; ++k )
			at[3 * i + k] /= sqrt( square );
	}
	const dbvh_mesh_view points = { .positions = at, .vertex_count = count };
	dbvh_mesh *mesh = NULL;
	if ( dbvh_mesh_create_hull( &points, NULL, &mesh, NULL ) != DBVH_OK )
		return NULL;
	dbvh_tree_options with = dbvh_tree_options_default();
	with.topology = true;
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	dbvh_tree *tree = scene_tree( &view, &with );
	dbvh_mesh_destroy( mesh );
	return tree;
}

// Measure convex pairs of 30 corners, whose depth is exact but for rounding.
static bool measure_convex( size_t wanted, dbvh_workspace *workspace, tally *t ) {
	rng r = { 2 };
	double width = 0.0;
	bool fine = true;
	*t = ( tally ){ .pairs = 0 };
	for ( size_t tried = 0; fine && t->pairs < wanted && tried < 100 * wanted; ++tried ) {
		dbvh_tree *const a = hull( &r, 30 ), *const b = hull( &r, 30 );
		const dbvh_pose pose = some_pose( &r, 0.9 );
		dbvh_penetration_result p;
		const double start = stats_thread_now();
		fine =
		    a != NULL && b != NULL && dbvh_penetration_depth( a, NULL, b, &pose, NULL, workspace, &p, NULL ) == DBVH_OK;
		t->seconds[t->pairs] = stats_thread_now() - start;
		if ( fine && p.depth.upper > 0.0 ) {
			width = fmax( width, width_of( &p.depth ) );
			t->decided += p.proof == DBVH_DEPTH_PROOF_CONVEX;
			t->pairs += 1;
		}
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
	}
	printf( "\n%zu convex pairs of 30 corners: %zu exact, the widest %.1e; %.3f ms, the longest %.3f\n", t->pairs,
	        t->decided, width, 1e3 * part_of( t->seconds, t->pairs, 0.5 ), 1e3 * part_of( t->seconds, t->pairs, 1.0 ) );
	return fine;
}

int bench_depth( const bench_options *options ) {
	const family families[FAMILIES] = {
	    { "boxes", box( 1.0, 2.0, 3.0, 1 ), box( 2.0, 1.0, 1.0, 2 ), 2.5 },
	    { "spheres", ball( 40, 30 ), ball( 30, 20 ), 1.1 },
	    { "tori", torus( 48, 24 ), torus( 48, 24 ), 2.0 },
	    { "torus and box", torus( 96, 48 ), box( 1.0, 1.0, 1.0, 2 ), 2.0 },
	    { "torus and sphere", torus( 48, 24 ), ball( 40, 30 ), 2.0 },
	    { "gears", gear(), gear(), 12.0 },
	    { "hands", hand(), hand(), 0.06 },
	    { "plate and rod", box( 3.0, 3.0, 0.25, 2 ), box( 0.2, 0.2, 4.0, 1 ), 2.0 },
	};
	dbvh_workspace *workspace = NULL;
	dbvh_contacts *contacts = NULL;
	dbvh_overlap *overlap = NULL;
	tally *t = malloc( sizeof *t );
	bool fine = t != NULL && dbvh_workspace_create( NULL, &workspace, NULL ) == DBVH_OK &&
	            dbvh_contacts_create( NULL, &contacts, NULL ) == DBVH_OK &&
	            dbvh_overlap_create( NULL, &overlap, NULL ) == DBVH_OK;
	printf( "%-24s %6s %7s %7s %7s %9s %9s %8s %9s %8s %8s %8s %8s %8s\n", "one thread", "pairs", "1 %", "10 %",
	        "above 0", "median ms", "most ms", "local, %", "ms", "contacts", "verdict", "parts", "close", "told, %" );
	if ( options->csv != NULL )
		fputs( "family,pairs,within_1,within_10,above_0,median_ms,most_ms,local_within,local_ms,local_contacts,"
		       "verdict_contacts,components_contacts,close_contacts,close_decided\n",
		       options->csv );
	const size_t wanted = options->sample != SIZE_MAX && options->sample < MOST_PAIRS ? options->sample : 20;
	rng r = { 1 };
	for ( int i = 0; i < FAMILIES; ++i ) {
		const family *f = &families[i];
		*t = ( tally ){ .pairs = 0 };
		for ( size_t tried = 0; fine && t->pairs < wanted && tried < 100 * wanted; ++tried ) {
			const dbvh_pose pose = some_pose( &r, f->reach );
			measure_pair( f, &pose, workspace, contacts, overlap, t );
		}
		print( options, f->name, t );
		dbvh_tree_destroy( f->a );
		dbvh_tree_destroy( f->b );
	}
	fine = fine && measure_convex( wanted, workspace, t );
	dbvh_overlap_destroy( overlap );
	dbvh_contacts_destroy( contacts );
	dbvh_workspace_destroy( workspace );
	free( t );
	return fine ? 0 : 2;
}
