// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The paper's counts of Dual on Scenario II are higher than those of its text at the larger gaps. Which tree, which
// spheres and which axes give them? A plain traversal with all three as a switch, for aligned spheres. What the library
// has a policy for is counted by the library, so that the same row has the same numbers in every table, and the plain
// traversal must say the same but for roundings.

#include "bvh/tree.h"
#include "common/experiment.h"
#include "paper/algorithm_library.h"
#include "paper/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAPS = 5 };

static const double gaps[GAPS] = { 1e-1, 1e-2, 1e-3, 1e-4, 1e-5 };

typedef enum sphere_kind {
	SPHERE_NONE,
	SPHERE_SMALLEST,
	SPHERE_RITTER,
	SPHERE_CENTRED, // about the box's centre, round the triangles
	SPHERE_CORNERS, // round the box
} sphere_kind;

static const char *const sphere_names[] = { "none", "smallest", "Ritter's", "centred", "round box" };

typedef enum tree_kind {
	TREE_TEXT,    // boxes by covariance, numbered by extent; splits on the longest axis
	TREE_PROGRAM, // RAPID's boxes with their axes in its order
	TREE_SORTED,  // the same, numbered by extent
	TREE_KINDS,
} tree_kind;

static const char *const tree_names[] = { "text", "RAPID", "RAPID sorted" };

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
	FACES = A0 | A1 | A2 | B0 | B1 | B2,
	FIVE = A0 | B0 | C22 | C12 | C21,
	ALL = ( 1 << 15 ) - 1,
};

// `policy`: the library counts this one, too; DBVH_POLICY_DEFAULT where it has none.
static const struct variant {
	const char *name;
	tree_kind tree;
	sphere_kind spheres;
	unsigned axes;
	paper_column column;
	dbvh_policy policy;
} variants[] = {
    { "all fifteen", TREE_TEXT, SPHERE_NONE, ALL, PAPER_RAPID, DBVH_POLICY_RAPID },
    { "six faces", TREE_TEXT, SPHERE_NONE, FACES, PAPER_SAT_LITE, DBVH_POLICY_SAT_LITE },
    { "the five", TREE_TEXT, SPHERE_SMALLEST, FIVE, PAPER_DUAL, DBVH_POLICY_DUAL },
    { "all fifteen", TREE_PROGRAM, SPHERE_NONE, ALL, PAPER_RAPID, DBVH_POLICY_RAPID },
    { "six faces", TREE_PROGRAM, SPHERE_NONE, FACES, PAPER_SAT_LITE, DBVH_POLICY_SAT_LITE },
    { "the five", TREE_PROGRAM, SPHERE_RITTER, FIVE, PAPER_DUAL, DBVH_POLICY_DUAL },
    { "the five", TREE_PROGRAM, SPHERE_SMALLEST, FIVE, PAPER_DUAL, DBVH_POLICY_DEFAULT },
    { "the five", TREE_SORTED, SPHERE_RITTER, FIVE, PAPER_DUAL, DBVH_POLICY_DEFAULT },
    { "the five", TREE_SORTED, SPHERE_SMALLEST, FIVE, PAPER_DUAL, DBVH_POLICY_DEFAULT },
    { "the five", TREE_TEXT, SPHERE_CENTRED, FIVE, PAPER_DUAL, DBVH_POLICY_DEFAULT },
    { "the five", TREE_TEXT, SPHERE_CORNERS, FIVE, PAPER_DUAL, DBVH_POLICY_DEFAULT },
    { "the five", TREE_TEXT, SPHERE_NONE, FIVE, PAPER_DUAL, DBVH_POLICY_DEFAULT },
    { "a0 c22 c12 c21", TREE_TEXT, SPHERE_SMALLEST, A0 | C22 | C12 | C21, PAPER_DUAL, DBVH_POLICY_DEFAULT },
    { "a2 b2 c22 c12 c21", TREE_TEXT, SPHERE_SMALLEST, A2 | B2 | C22 | C12 | C21, PAPER_DUAL, DBVH_POLICY_DEFAULT },
    { "a2 b2 c22 c12 c21", TREE_TEXT, SPHERE_CORNERS, A2 | B2 | C22 | C12 | C21, PAPER_DUAL, DBVH_POLICY_DEFAULT },
    { "a1 b1 c22 c12 c21", TREE_TEXT, SPHERE_CORNERS, A1 | B1 | C22 | C12 | C21, PAPER_DUAL, DBVH_POLICY_DEFAULT },
};
enum { VARIANTS = sizeof( variants ) / sizeof( variants[0] ) };

// A ball by each kind; the one about the box's centre and the one round the box have the box's.
typedef struct ball {
	double centre[3], radius;
} ball;

// A node in the frame of its mesh.
typedef struct flat_node {
	double axes[3][3], half[3];
	ball balls[SPHERE_CORNERS + 1];
	uint32_t first, count;
} flat_node;

// One tree, and the flat nodes of its kinds.
typedef struct flat_tree {
	dbvh_tree *tree;
	flat_node *nodes;
} flat_tree;

typedef struct walk {
	const flat_node *a, *b;
	const struct variant *how;
	double sphere_tests, box_tests, triangle_tests;
} walk;

// ------------------------------------------------------------------------------------------------
// Trees

static void give_up( void ) {
	fputs( "dualbvh-bench: out of memory\n", stderr );
	exit( 2 );
}

// The axes in the order of their extents.
static void sort_axes( flat_node *node ) {
	for ( int pass = 0; pass < 2; ++pass )
		for ( int k = 0; k < 2; ++k ) {
			if ( node->half[k] <= node->half[k + 1] )
				continue;
			const double half = node->half[k];
			double axis[3];
			node->half[k] = node->half[k + 1];
			node->half[k + 1] = half;
			memcpy( axis, node->axes[k], sizeof( axis ) );
			memcpy( node->axes[k], node->axes[k + 1], sizeof( axis ) );
			memcpy( node->axes[k + 1], axis, sizeof( axis ) );
		}
}

// `own` is the kind of sphere that the tree has.
static void flatten( const dbvh_tree *tree, sphere_kind own, uint32_t index, const dbvhi_frame *parent, bool sorted,
                     flat_node *out ) {
	const dbvhi_node *node = &tree->nodes[index];
	const dbvhi_frame frame = dbvhi_frame_step( parent, node );
	const dbvhi_vec sphere = dbvhi_frame_point( parent, node->sphere_outside );
	flat_node *flat = &out[index];
	const double *centre = frame.origin.v;
	ball *balls = flat->balls;
	double corners = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		for ( int i = 0; i < 3; ++i )
			flat->axes[k][i] = frame.axes.m[i][k];
		flat->half[k] = node->half.v[k];
		balls[own].centre[k] = sphere.v[k];
		balls[SPHERE_CENTRED].centre[k] = balls[SPHERE_CORNERS].centre[k] = centre[k];
		corners += node->half.v[k] * node->half.v[k];
	}
	balls[own].radius = node->radius;
	balls[SPHERE_CORNERS].radius = sqrt( corners );
	for ( size_t i = 3 * (size_t)node->low; i < 3 * ( (size_t)node->low + node->total ); ++i ) {
		const double *p = tree->corners + 3 * i;
		balls[SPHERE_CENTRED].radius = fmax( balls[SPHERE_CENTRED].radius,
		                                     hypot( hypot( p[0] - centre[0], p[1] - centre[1] ), p[2] - centre[2] ) );
	}
	if ( sorted )
		sort_axes( flat );
	flat->first = node->first;
	flat->count = node->count;
	for ( uint32_t k = 0; k < 2 && node->count == 0; ++k )
		flatten( tree, own, node->first + k, &frame, sorted, out );
}

static sphere_kind own_sphere( sphere_kind spheres ) {
	return spheres == SPHERE_RITTER ? SPHERE_RITTER : SPHERE_SMALLEST;
}

static flat_tree make_tree( double radius, tree_kind kind, sphere_kind own ) {
	dbvh_tree_options options = kind == TREE_TEXT ? library_text_options() : library_program_options();
	options.sphere_fit = own == SPHERE_RITTER ? DBVH_NODE_SPHERE_RITTER : DBVH_NODE_SPHERE_SMALLEST;
	scene_mesh mesh = scene_sphere( radius );
	flat_tree out = { .tree = scene_reference_tree( &mesh.view, &options ) };
	out.nodes = calloc( out.tree->node_count, sizeof( *out.nodes ) );
	if ( out.nodes == NULL )
		give_up();
	const dbvhi_frame frame = dbvhi_frame_mesh();
	flatten( out.tree, own, 0, &frame, kind == TREE_SORTED, out.nodes );
	scene_free( &mesh );
	return out;
}

static void free_tree( flat_tree *tree ) {
	dbvh_tree_destroy( tree->tree );
	free( tree->nodes );
	*tree = ( flat_tree ){ 0 };
}

// ------------------------------------------------------------------------------------------------
// The traversal

static bool spheres_apart( const walk *w, const flat_node *a, const flat_node *b ) {
	const ball *p = &a->balls[w->how->spheres], *q = &b->balls[w->how->spheres];
	const double reach = p->radius + q->radius;
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k )
		sum += ( p->centre[k] - q->centre[k] ) * ( p->centre[k] - q->centre[k] );
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
		way += ( b->balls[SPHERE_CENTRED].centre[k] - a->balls[SPHERE_CENTRED].centre[k] ) * axis[k];
	}
	return fabs( way ) > reach;
}

static bool boxes_apart( const walk *w, const flat_node *a, const flat_node *b ) {
	for ( int number = 0; number < 15; ++number ) {
		if ( ( w->how->axes >> number & 1 ) == 0 )
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

// The library's rule: by the spheres where they are compared, else by the longest extent. RAPID's is its first column.
static double size_of( const walk *w, const flat_node *node ) {
	const bool by_sphere = w->how->tree == TREE_TEXT && w->how->spheres != SPHERE_NONE;
	return by_sphere ? node->balls[w->how->spheres].radius : node->half[2];
}

// RAPID's program, to which spheres were added, does not compare those of the roots: the counts say so by being even.
static bool compares_spheres( const walk *w, uint32_t i, uint32_t j ) {
	return w->how->spheres != SPHERE_NONE && ( w->how->tree == TREE_TEXT || i + j > 0 );
}

static void descend( walk *w, uint32_t i, uint32_t j ) {
	const flat_node *a = &w->a[i], *b = &w->b[j];
	if ( compares_spheres( w, i, j ) ) {
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
	const bool divide_a = b->count != 0 || ( a->count == 0 && size_of( w, a ) > size_of( w, b ) );
	for ( uint32_t k = 0; k < 2; ++k )
		descend( w, divide_a ? a->first + k : i, divide_a ? j : b->first + k );
}

static bool is_about( double a, double b ) {
	return fabs( a - b ) <= 0.005 * fmax( a, b );
}

// Counts by the library where it can; false where the plain traversal does not say about the same.
static bool count( const struct variant *how, const flat_tree *a, const flat_tree *b, walk *out ) {
	*out = ( walk ){ .a = a->nodes, .b = b->nodes, .how = how };
	descend( out, 0, 0 );
	if ( how->policy == DBVH_POLICY_DEFAULT )
		return true;
	const dbvh_pose pose = dbvh_pose_identity();
	const dbvh_collide_query query = { .policy = how->policy };
	dbvh_collide_result result;
	if ( dbvh_collide( a->tree, NULL, b->tree, &pose, &query, NULL, &result, NULL ) != DBVH_OK )
		give_up();
	const walk plain = *out;
	out->sphere_tests = (double)result.counters.sphere_tests;
	out->box_tests = (double)result.counters.box_tests;
	out->triangle_tests = (double)result.counters.triangle_tests;
	return is_about( plain.sphere_tests, out->sphere_tests ) && is_about( plain.box_tests, out->box_tests ) &&
	       is_about( plain.triangle_tests, out->triangle_tests );
}

// ------------------------------------------------------------------------------------------------
// The table

// How far the counts of a variant are from the paper's.
typedef struct range {
	double least, most;
} range;

static void print_count( double ours, double theirs, range *r ) {
	if ( !( theirs > 0.0 ) || !( ours > 0.0 ) ) {
		printf( " %9.0f %7s", ours, "" );
		return;
	}
	r->least = fmin( r->least, ours / theirs );
	r->most = fmax( r->most, ours / theirs );
	printf( " %9.0f =%6.3f", ours, ours / theirs );
}

static void print_gap( const struct variant *how, size_t gap, const walk *w, range *r, FILE *csv ) {
	static const char *const columns[] = { "", "rapid", "quickcd", "sat-lite", "dual" };
	paper_counts theirs;
	paper_table2( PAPER_ROW_2 + gap, how->column, &theirs );
	printf( "%-18s %-13s %-9s %-8s %.0e", gap == 0 ? how->name : "", gap == 0 ? tree_names[how->tree] : "",
	        gap == 0 ? sphere_names[how->spheres] : "", gap == 0 ? columns[how->column] : "", gaps[gap] );
	print_count( w->sphere_tests, theirs.spheres, r );
	print_count( w->box_tests, theirs.boxes, r );
	print_count( w->triangle_tests, theirs.triangles, r );
	putchar( '\n' );
	if ( csv != NULL )
		fprintf( csv, "%s,%s,%s,%s,%.0e,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f\n", how->name, tree_names[how->tree],
		         sphere_names[how->spheres], columns[how->column], gaps[gap], w->sphere_tests, theirs.spheres,
		         w->box_tests, theirs.boxes, w->triangle_tests, theirs.triangles );
}

int bench_variants( const bench_options *options ) {
	puts( "\nspheres of 79,600 triangles, aligned. Tests, ours = ours over the paper's. The five: a0 b0 c22 c12 c21. "
	      "Trees: the\ntext's (boxes by covariance, numbered by extent), RAPID's (its columns as they are), the same "
	      "numbered by extent" );
	printf( "%-18s %-13s %-9s %-8s %-5s %17s %17s %17s\n", "axes", "tree", "spheres", "column", "gap", "spheres",
	        "boxes", "triangles" );
	if ( options->csv != NULL )
		fputs( "axes,tree,spheres,paper_column,gap,sphere_tests,paper_sphere_tests,box_tests,paper_box_tests,"
		       "triangle_tests,paper_triangle_tests\n",
		       options->csv );
	int status = EXIT_SUCCESS;
	flat_tree inner = { 0 }, outer[GAPS] = { { 0 } };
	for ( size_t v = 0; v < VARIANTS; ++v ) {
		const struct variant *how = &variants[v];
		const sphere_kind own = own_sphere( how->spheres );
		if ( v == 0 || how->tree != variants[v - 1].tree || own != own_sphere( variants[v - 1].spheres ) ) {
			free_tree( &inner );
			inner = make_tree( 1.0, how->tree, own );
			for ( size_t gap = 0; gap < GAPS; ++gap ) {
				free_tree( &outer[gap] );
				outer[gap] = make_tree( 1.0 + gaps[gap], how->tree, own );
			}
		}
		range r = { INFINITY, 0.0 };
		for ( size_t gap = 0; gap < GAPS; ++gap ) {
			walk w;
			if ( !count( how, &inner, &outer[gap], &w ) ) {
				printf( "the library counts otherwise than this table's own traversal: %s, gap %.0e\n", how->name,
				        gaps[gap] );
				status = EXIT_FAILURE;
			}
			print_gap( how, gap, &w, &r, options->csv );
		}
		printf( "%-18s all counts are %.3f to %.3f of the paper's\n", "", r.least, r.most );
	}
	free_tree( &inner );
	for ( size_t gap = 0; gap < GAPS; ++gap )
		free_tree( &outer[gap] );
	return status;
}
