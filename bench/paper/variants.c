// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The paper's counts of Dual on Scenario II are higher than ours at the larger gaps. Which spheres, and which axes,
// give them? A plain traversal of the paper's tree, with both as a switch, for aligned spheres.

#include "bvh/tree.h"
#include "experiment.h"
#include "paper/paper.h"

#include <math.h>
#include <stdlib.h>

enum { GAPS = 5 };

static const double gaps[GAPS] = { 1e-1, 1e-2, 1e-3, 1e-4, 1e-5 };

typedef enum sphere_kind {
	SPHERE_NONE,
	SPHERE_SMALLEST,
	SPHERE_CENTRED, // about the box's centre, round the triangles
	SPHERE_CORNERS, // round the box
} sphere_kind;

static const char *const sphere_names[] = { "none", "smallest", "centred", "round box" };

// Axes by their numbers in a0 a1 a2 b0 b1 b2 c00 c01 c02 c10 c11 c12 c20 c21 c22.
enum {
	A0 = 1 << 0,
	A1 = 1 << 1,
	A2 = 1 << 2,
	B0 = 1 << 3,
	B1 = 1 << 4,
	B2 = 1 << 5,
	C12 = 1 << 11,
	C21 = 1 << 13,
	C22 = 1 << 14,
	ALL = ( 1 << 15 ) - 1,
};

static const struct {
	const char *name;
	unsigned axes;
	paper_column column;
	sphere_kind spheres;
} variants[] = {
    { "all fifteen", ALL, PAPER_RAPID, SPHERE_NONE },
    { "six faces", A0 | A1 | A2 | B0 | B1 | B2, PAPER_SAT_LITE, SPHERE_NONE },
    { "a0 b0 c22 c12 c21 (the text)", A0 | B0 | C22 | C12 | C21, PAPER_DUAL, SPHERE_SMALLEST },
    { "a0 b0 c22 c12 c21", A0 | B0 | C22 | C12 | C21, PAPER_DUAL, SPHERE_CENTRED },
    { "a0 b0 c22 c12 c21", A0 | B0 | C22 | C12 | C21, PAPER_DUAL, SPHERE_CORNERS },
    { "a0 b0 c22 c12 c21", A0 | B0 | C22 | C12 | C21, PAPER_DUAL, SPHERE_NONE },
    { "a0 c22 c12 c21", A0 | C22 | C12 | C21, PAPER_DUAL, SPHERE_SMALLEST },
    { "a2 b2 c22 c12 c21", A2 | B2 | C22 | C12 | C21, PAPER_DUAL, SPHERE_SMALLEST },
    { "a2 b2 c22 c12 c21", A2 | B2 | C22 | C12 | C21, PAPER_DUAL, SPHERE_CENTRED },
    { "a2 b2 c22 c12 c21", A2 | B2 | C22 | C12 | C21, PAPER_DUAL, SPHERE_CORNERS },
    { "a1 b1 c22 c12 c21", A1 | B1 | C22 | C12 | C21, PAPER_DUAL, SPHERE_CORNERS },
};

// A node in the frame of its mesh.
typedef struct flat_node {
	double axes[3][3], centre[3], half[3];
	double sphere[3], radius, centred, corners;
	uint32_t first, count;
} flat_node;

typedef struct walk {
	const flat_node *a, *b;
	unsigned axes;
	sphere_kind spheres;
	double sphere_tests, box_tests, triangle_tests;
} walk;

static void flatten( const dbvh_tree *tree, uint32_t index, const dbvhi_frame *parent, flat_node *out ) {
	const dbvhi_node *node = &tree->nodes[index];
	const dbvhi_frame frame = dbvhi_frame_step( parent, node );
	const dbvhi_vec sphere = dbvhi_frame_point( parent, node->sphere_outside );
	flat_node *flat = &out[index];
	double corners = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		for ( int i = 0; i < 3; ++i )
			flat->axes[k][i] = frame.axes.m[i][k];
		flat->centre[k] = frame.origin.v[k];
		flat->half[k] = node->half.v[k];
		flat->sphere[k] = sphere.v[k];
		corners += node->half.v[k] * node->half.v[k];
	}
	flat->radius = node->radius;
	flat->corners = sqrt( corners );
	for ( size_t i = 3 * (size_t)node->low; i < 3 * ( (size_t)node->low + node->total ); ++i ) {
		const double *p = tree->corners + 3 * i;
		flat->centred = fmax(
		    flat->centred, hypot( hypot( p[0] - flat->centre[0], p[1] - flat->centre[1] ), p[2] - flat->centre[2] ) );
	}
	flat->first = node->first;
	flat->count = node->count;
	for ( uint32_t k = 0; k < 2 && node->count == 0; ++k )
		flatten( tree, node->first + k, &frame, out );
}

static bool spheres_apart( const walk *w, const flat_node *a, const flat_node *b ) {
	const bool smallest = w->spheres == SPHERE_SMALLEST;
	const double *p = smallest ? a->sphere : a->centre, *q = smallest ? b->sphere : b->centre;
	const double reach = smallest                       ? a->radius + b->radius
	                     : w->spheres == SPHERE_CENTRED ? a->centred + b->centred
	                                                    : a->corners + b->corners;
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k )
		sum += ( p[k] - q[k] ) * ( p[k] - q[k] );
	return sum > reach * reach;
}

static bool apart_along( const flat_node *a, const flat_node *b, const double axis[3] ) {
	double reach = 1e-14, way = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		double x = 0.0, y = 0.0;
		for ( int i = 0; i < 3; ++i ) {
			x += a->axes[k][i] * axis[i];
			y += b->axes[k][i] * axis[i];
		}
		reach += fabs( x ) * a->half[k] + fabs( y ) * b->half[k];
		way += ( b->centre[k] - a->centre[k] ) * axis[k];
	}
	return fabs( way ) > reach;
}

static bool boxes_apart( const walk *w, const flat_node *a, const flat_node *b ) {
	for ( int number = 0; number < 15; ++number ) {
		if ( ( w->axes >> number & 1 ) == 0 )
			continue;
		const double *x = a->axes[number < 6 ? number % 3 : ( number - 6 ) / 3], *y = b->axes[number % 3];
		double product[3];
		for ( int k = 0; k < 3; ++k )
			product[k] = x[( k + 1 ) % 3] * y[( k + 2 ) % 3] - x[( k + 2 ) % 3] * y[( k + 1 ) % 3];
		if ( apart_along( a, b, number < 3 ? x : number < 6 ? y : product ) )
			return true;
	}
	return false;
}

static void descend( walk *w, uint32_t i, uint32_t j ) {
	const flat_node *a = &w->a[i], *b = &w->b[j];
	if ( w->spheres != SPHERE_NONE ) {
		w->sphere_tests += 1.0;
		if ( spheres_apart( w, a, b ) )
			return;
	}
	w->box_tests += 1.0;
	if ( boxes_apart( w, a, b ) )
		return;
	if ( a->count != 0 && b->count != 0 ) {
		w->triangle_tests += (double)a->count * b->count;
		return;
	}
	const bool divide_a = b->count != 0 || ( a->count == 0 && a->radius > b->radius );
	for ( uint32_t k = 0; k < 2; ++k )
		descend( w, divide_a ? a->first + k : i, divide_a ? j : b->first + k );
}

static flat_node *flat_sphere( double radius ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.box_fit = DBVH_BOX_FIT_COVARIANCE;
	options.split = DBVH_SPLIT_MEAN;
	scene_mesh mesh = scene_sphere( radius );
	dbvh_tree *tree = scene_reference_tree( &mesh.view, &options );
	flat_node *nodes = calloc( tree->node_count, sizeof( *nodes ) );
	if ( nodes == NULL ) {
		fputs( "dualbvh-bench: out of memory\n", stderr );
		exit( 2 );
	}
	const dbvhi_frame frame = dbvhi_frame_mesh();
	flatten( tree, 0, &frame, nodes );
	dbvh_tree_destroy( tree );
	scene_free( &mesh );
	return nodes;
}

int bench_variants( const bench_options *options ) {
	puts( "\nspheres of 79,600 triangles, aligned; the paper's tree. Tests, ours over the paper's: 1 is what the paper "
	      "has" );
	printf( "%-30s %-10s %-8s %-6s %17s %16s %18s\n", "axes", "spheres", "column", "gap", "spheres", "boxes",
	        "triangles" );
	if ( options->csv != NULL )
		fputs( "axes,spheres,paper_column,gap,sphere_tests,paper_sphere_tests,box_tests,paper_box_tests,triangle_tests,"
		       "paper_triangle_tests\n",
		       options->csv );
	static const char *const columns[] = { "", "rapid", "quickcd", "sat-lite", "dual" };
	flat_node *inner = flat_sphere( 1.0 ), *outer[GAPS];
	for ( size_t gap = 0; gap < GAPS; ++gap )
		outer[gap] = flat_sphere( 1.0 + gaps[gap] );
	for ( size_t v = 0; v < sizeof( variants ) / sizeof( variants[0] ); ++v ) {
		double least = INFINITY, most = 0.0;
		for ( size_t gap = 0; gap < GAPS; ++gap ) {
			walk w = { .a = inner, .b = outer[gap], .axes = variants[v].axes, .spheres = variants[v].spheres };
			descend( &w, 0, 0 );
			paper_counts theirs;
			paper_table2( PAPER_ROW_2 + gap, variants[v].column, &theirs );
			// Without spheres it is boxes that are visited.
			const double visited = w.sphere_tests > 0.0 ? w.sphere_tests : w.box_tests,
			             visits = theirs.spheres > 0.0 ? theirs.spheres : theirs.boxes;
			const double boxes = w.box_tests / theirs.boxes;
			least = fmin( least, fmin( visited / visits, w.sphere_tests > 0.0 ? boxes : INFINITY ) );
			most = fmax( most, fmax( visited / visits, w.sphere_tests > 0.0 ? boxes : 0.0 ) );
			printf( "%-30s %-10s %-8s %.0e", gap == 0 ? variants[v].name : "",
			        gap == 0 ? sphere_names[variants[v].spheres] : "", gap == 0 ? columns[variants[v].column] : "",
			        gaps[gap] );
			printf( " %9.0f =%6.3f %9.0f =%6.3f %9.0f", visited, visited / visits, w.box_tests, boxes,
			        w.triangle_tests );
			if ( theirs.triangles > 0.0 )
				printf( " =%6.3f", w.triangle_tests / theirs.triangles );
			putchar( '\n' );
			if ( options->csv != NULL )
				fprintf( options->csv, "%s,%s,%s,%.0e,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f\n", variants[v].name,
				         sphere_names[variants[v].spheres], columns[variants[v].column], gaps[gap], w.sphere_tests,
				         theirs.spheres, w.box_tests, theirs.boxes, w.triangle_tests, theirs.triangles );
		}
		printf( "%-30s pairs of volumes are %.3f to %.3f of the paper's\n", "", least, most );
	}
	free( inner );
	for ( size_t gap = 0; gap < GAPS; ++gap )
		free( outer[gap] );
	return EXIT_SUCCESS;
}
