// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Widths and times of the penetration depth: pairs of bodies of one family, and of two, at random poses that overlap,
// on one thread with the library's own limit on its work. Every body is about 1 in radius.

#include "common/experiment.h"
#include "common/scene.h"
#include "common/stats.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/solid_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAMILIES = 10, MIXED = FAMILIES, MOST_PAIRS = 2000 };

// ------------------------------------------------------------------------------------------------
// Bodies

// A closed surface of rings of points about the z axis, with a fan of triangles at each end.
typedef struct rings {
	const double *radius, *height;
	uint32_t count, slices;
	bool twisted;              // all rings but the outermost two have the ridge of a thread of pitch 0.25
	double noise;              // amplitude of the noise, a sum of waves
	const double ( *wave )[4]; // three wave numbers, and an amplitude
	int waves;
} rings;

// Place a point of a ring, with its thread and noise.
static void place_point( const rings *r, uint32_t ring, uint32_t slice, double out[3] ) {
	double c, s, factor = 1.0;
	shape_turn( slice, r->slices, &c, &s );
	double p[3] = { r->radius[ring] * c, r->radius[ring] * s, r->height[ring] };
	if ( r->twisted && ring > 0 && ring + 1 < r->count ) {
		const double turn = 4.0 * p[2] - (double)slice / r->slices, part = turn - floor( turn );
		factor = 1.0 + 0.3 * fabs( 2.0 * part - 1.0 );
	}
	for ( int i = 0; i < r->waves; ++i )
		factor += r->noise * r->wave[i][3] *
		          sin( r->wave[i][0] * p[0] + r->wave[i][1] * p[1] + r->wave[i][2] * p[2] + 1.7 * i );
	for ( int k = 0; k < 3; ++k )
		out[k] = p[k] * ( k == 2 && r->waves == 0 ? 1.0 : factor );
}

static void add_rings( shape *s, const rings *r ) {
	uint32_t end[2];
	const uint32_t first = (uint32_t)s->vertex_count;
	for ( uint32_t i = 0; i < r->count; ++i ) {
		for ( uint32_t k = 0; k < r->slices; ++k ) {
			double p[3];
			place_point( r, i, k, p );
			shape_vertex( s, p[0], p[1], p[2] );
		}
	}
	for ( int side = 0; side < 2; ++side ) {
		const uint32_t ring = first + ( side == 0 ? 0 : ( r->count - 1 ) * r->slices );
		double middle[3] = { 0.0, 0.0, 0.0 };
		for ( uint32_t k = 0; k < r->slices; ++k ) {
			for ( uint32_t j = 0; j < 3; ++j )
				middle[j] += s->failed ? 0.0 : s->positions[3 * ( ring + k ) + j] / r->slices;
		}
		end[side] = shape_vertex( s, middle[0], middle[1], middle[2] );
	}
	for ( uint32_t i = 0; i + 1 < r->count; ++i )
		shape_ring_strip( s, first + i * r->slices, r->slices, first + ( i + 1 ) * r->slices, r->slices );
	for ( uint32_t k = 0; k < r->slices; ++k ) {
		const uint32_t next = ( k + 1 ) % r->slices, top = first + ( r->count - 1 ) * r->slices;
		shape_triangle( s, end[0], first + next, first + k );
		shape_triangle( s, end[1], top + k, top + next );
	}
}

static void add_gear( shape *s, rng *random ) {
	shape_gear g = shape_gear_default();
	g.teeth = 12 + 4 * (uint32_t)rng_below( random, 4 );
	g.module = 2.0 / g.teeth;
	g.thickness = 0.4;
	g.bore_radius = 0.3;
	g.backlash = 0.0;
	shape_add_gear( s, &g );
}

static void add_torus( shape *s, rng *random ) {
	const double thin = rng_range( random, 0.15, 0.35 );
	shape_add_torus( s, 1.0 - thin, thin, 48, 24 );
}

static void add_sphere( shape *s, rng *random ) {
	shape_add_sphere( s, rng_range( random, 0.5, 1.0 ), 40 + (uint32_t)rng_below( random, 40 ), 40 );
}

static void add_thread( shape *s, rng *random ) {
	enum { RINGS = 66 };
	double radius[RINGS], height[RINGS];
	for ( int i = 0; i < RINGS; ++i ) {
		const int inner = i < 1 ? 0 : i > RINGS - 2 ? RINGS - 3 : i - 1;
		height[i] = -1.0 + 2.0 * inner / ( RINGS - 3.0 );
		radius[i] = 0.4;
	}
	(void)random;
	height[0] -= 0.05;
	height[RINGS - 1] += 0.05;
	add_rings( s, &( rings ){ .radius = radius, .height = height, .count = RINGS, .slices = 48, .twisted = true } );
}

static void add_comb( shape *s, rng *random ) {
	double polygon[64][2];
	const int teeth = 3 + (int)rng_below( random, 6 );
	size_t n = 0;
	for ( int i = 0; i < teeth; ++i ) {
		static const double corner[4][2] = { { 0.0, -0.5 }, { 0.0, 0.5 }, { 0.5, 0.5 }, { 0.5, -0.5 } };
		for ( int k = 0; k < 4; ++k, ++n ) {
			polygon[n][0] = 1.0 - 2.0 * ( i + corner[k][0] ) / ( teeth - 0.5 );
			polygon[n][1] = corner[k][1] + 0.25;
		}
	}
	polygon[n][0] = polygon[n - 1][0];
	polygon[n++][1] = -0.5;
	polygon[n][0] = 1.0;
	polygon[n++][1] = -0.5;
	add_prism( s, (const double( * )[2])polygon, n, -0.25, 0.25 );
}

// Add the hull of random points: three of them are a face if all others are on one side.
static void add_hull( shape *s, rng *random ) {
	double p[30][3];
	const uint32_t n = 5 + (uint32_t)rng_below( random, 26 );
	for ( uint32_t i = 0; i < n; ++i ) {
		for ( int k = 0; k < 3; ++k )
			p[i][k] = rng_range( random, -1.0, 1.0 );
		shape_vertex( s, p[i][0], p[i][1], p[i][2] );
	}
	for ( uint32_t i = 0; i < n; ++i ) {
		for ( uint32_t j = 0; j < n; ++j ) {
			for ( uint32_t k = 0; k < n; ++k ) {
				bool face = i < j && i < k && j != k;
				for ( uint32_t l = 0; l < n && face; ++l ) {
					double m[3][3];
					for ( int x = 0; x < 3; ++x ) {
						m[0][x] = p[j][x] - p[i][x];
						m[1][x] = p[k][x] - p[i][x];
						m[2][x] = p[l][x] - p[i][x];
					}
					const double det = m[2][0] * ( m[0][1] * m[1][2] - m[0][2] * m[1][1] ) +
					                   m[2][1] * ( m[0][2] * m[1][0] - m[0][0] * m[1][2] ) +
					                   m[2][2] * ( m[0][0] * m[1][1] - m[0][1] * m[1][0] );
					face = l == i || l == j || l == k || det < 0.0;
				}
				if ( face )
					shape_triangle( s, i, j, k );
			}
		}
	}
}

// A sphere of which every direction is stretched by noise.
static void add_noisy( shape *s, rng *random, uint32_t count, uint32_t slices, double noise, int waves, double rate ) {
	double radius[80], height[80], wave[24][4];
	for ( uint32_t i = 0; i < count; ++i ) {
		const double angle = 3.14159265358979 * ( i + 1.0 ) / ( count + 1.0 );
		radius[i] = sin( angle );
		height[i] = -cos( angle );
	}
	for ( int i = 0; i < waves; ++i ) {
		const double scale = 1.0 + rate * i;
		for ( int k = 0; k < 3; ++k )
			wave[i][k] = rng_range( random, -3.0, 3.0 ) * scale;
		wave[i][3] = 1.0 / scale;
	}
	add_rings( s, &( rings ){ radius, height, count, slices, false, noise, (const double( * )[4])wave, waves } );
}

static void add_star( shape *s, rng *random ) {
	add_noisy( s, random, 23, 24, 0.25, 4, 0.3 );
}

static void add_scan( shape *s, rng *random ) {
	add_noisy( s, random, 69, 70, 0.12, 24, 0.4 );
}

static void add_voxel_body( shape *s, rng *random ) {
	bool cell[64] = { false };
	cell[21] = true;
	for ( int i = 0; i < 64; ++i )
		cell[i] = cell[i] || rng_below( random, 3 ) == 0;
	add_voxels( s, cell, 4 );
	for ( size_t i = 0; i < 3 * s->vertex_count; ++i )
		s->positions[i] = 0.5 * s->positions[i] - 1.0;
}

static void add_pipe( shape *s, rng *random ) {
	const double outer = rng_range( random, 0.5, 1.0 );
	shape_add_pipe( s, rng_range( random, 0.3, 0.9 ) * outer, outer, rng_range( random, 0.5, 2.0 ), 48 );
}

static const struct {
	const char *name;
	void ( *add )( shape *s, rng *random );
} families[FAMILIES] = {
    { "gears", add_gear },        { "tori", add_torus },  { "spheres", add_sphere }, { "threads", add_thread },
    { "combs", add_comb },        { "convex", add_hull }, { "stars", add_star },     { "scans", add_scan },
    { "voxels", add_voxel_body }, { "pipes", add_pipe },
};

static dbvh_tree *make_body( size_t family, rng *random ) {
	shape s = { 0 };
	dbvh_tree_options with = dbvh_tree_options_default();
	with.topology = true;
	families[family].add( &s, random );
	const dbvh_mesh_view view = shape_view( &s );
	dbvh_tree *tree = scene_tree( &view, &with );
	shape_free( &s );
	return tree;
}

// ------------------------------------------------------------------------------------------------

// A rotation and a position at random.
static dbvh_pose random_pose( rng *r ) {
	double q[4], at[3];
	for ( int k = 0; k < 4; ++k )
		q[k] = rng_range( r, -1.0, 1.0 );
	for ( int k = 0; k < 3; ++k )
		at[k] = rng_range( r, -0.8, 0.8 );
	return dbvh_pose_from_quaternion( q, at );
}

typedef struct tally {
	size_t pairs, above;
	double width[MOST_PAIRS], seconds[MOST_PAIRS];
} tally;

static int ascending( const void *a, const void *b ) {
	const double x = *(const double *)a, y = *(const double *)b;
	return ( x > y ) - ( x < y );
}

static size_t count_below( const double *list, size_t count, double most ) {
	size_t below = 0;
	for ( size_t i = 0; i < count; ++i )
		below += list[i] <= most;
	return below;
}

// Measure a random pair. False if an error ends the experiment.
static bool measure_pair( const bench_options *options, const char *name, size_t i, rng *random, const size_t family[2],
                          dbvh_workspace *workspace, tally *t ) {
	dbvh_tree *a = make_body( family[0], random ), *b = make_body( family[1], random );
	const dbvh_pose pose = random_pose( random );
	dbvh_penetration_result p;
	const double start = stats_thread_now();
	const dbvh_status status = dbvh_penetration_depth( a, NULL, b, &pose, NULL, workspace, &p, NULL );
	const double seconds = stats_thread_now() - start;
	if ( status == DBVH_OK && p.depth.upper > 0.0 ) {
		const double width = 1.0 - p.depth.lower / p.depth.upper;
		t->width[t->pairs] = width;
		t->seconds[t->pairs] = seconds;
		t->pairs += 1;
		t->above += p.depth.lower > 0.0;
		if ( options->csv != NULL )
			fprintf( options->csv, "\"%s\",%zu,\"%s\",\"%s\",%.17g,%.17g,%.6f,%.3f\n", name, i,
			         families[family[0]].name, families[family[1]].name, p.depth.lower, p.depth.upper, width,
			         1e3 * seconds );
	}
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	return status == DBVH_OK;
}

static void print( const char *name, tally *t ) {
	const double each = t->pairs > 0 ? 100.0 / (double)t->pairs : 0.0;
	const size_t one = count_below( t->width, t->pairs, 0.01 ), ten = count_below( t->width, t->pairs, 0.1 );
	const size_t quick = count_below( t->seconds, t->pairs, 1.0 );
	qsort( t->seconds, t->pairs, sizeof *t->seconds, ascending );
	qsort( t->width, t->pairs, sizeof *t->width, ascending );
	const size_t last = t->pairs > 0 ? t->pairs - 1 : 0;
	printf( "%-10s %6zu %7.1f %7.1f %7.1f %8.2f %8.2f %9.2f %9.2f %7.1f\n", name, t->pairs, each * (double)one,
	        each * (double)ten, each * (double)t->above, 100.0 * t->width[last / 2], 100.0 * t->width[last],
	        1e3 * t->seconds[last / 2], 1e3 * t->seconds[last], each * (double)quick );
}

int bench_penetration( const bench_options *options ) {
	dbvh_workspace *workspace = NULL;
	tally *t = calloc( 1, sizeof *t ), *all = calloc( 1, sizeof *all );
	bool fine = t != NULL && all != NULL && dbvh_workspace_create( NULL, &workspace, NULL ) == DBVH_OK;
	const size_t wanted =
	    options->sample != SIZE_MAX && options->sample < MOST_PAIRS / ( FAMILIES + 1 ) ? options->sample : 20;
	rng random = rng_announce( "penetration", 1 );
	printf( "%-10s %6s %7s %7s %7s %8s %8s %9s %9s %7s\n", "one thread", "pairs", "1 %", "10 %", "above 0", "median %",
	        "most %", "median ms", "most ms", "in 1 s" );
	if ( options->csv != NULL )
		fputs( "family,number,a,b,lower,upper,width,ms\n", options->csv );
	for ( size_t i = 0; fine && i <= MIXED; ++i ) {
		const char *name = i == MIXED ? "mixed" : families[i].name;
		*t = ( tally ){ .pairs = 0 };
		for ( size_t tried = 0; fine && t->pairs < wanted && tried < 100 * wanted; ++tried ) {
			size_t family[2] = { i, i };
			for ( int k = 0; k < 2 && i == MIXED; ++k )
				family[k] = (size_t)rng_below( &random, FAMILIES );
			fine = measure_pair( options, name, tried, &random, family, workspace, t );
		}
		memcpy( all->width + all->pairs, t->width, t->pairs * sizeof *t->width );
		memcpy( all->seconds + all->pairs, t->seconds, t->pairs * sizeof *t->seconds );
		all->pairs += t->pairs;
		all->above += t->above;
		print( name, t );
		fflush( stdout );
	}
	print( "all", all );
	dbvh_workspace_destroy( workspace );
	free( t );
	free( all );
	return fine ? 0 : 2;
}
