// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees: every input builds, validates and encloses; threads and view types make no difference. DUALBVH_TEST_SCALE
// (default 1) multiplies the number of random rounds.

#include "bvh/tree.h"
#include "simd/isa.h"
#include "support/scene.h"
#include "support/unit.h"

#include <float.h>
#include <string.h>

static const uint64_t seed_default = 1;

static dbvh_tree *must_build( const dbvh_mesh_view *view, const dbvh_tree_options *options,
                              const dbvh_allocator *allocator ) {
	dbvh_tree *tree = NULL;
	dbvh_error error;
	dbvh_tree_options with = options != NULL ? *options : dbvh_tree_options_default();
	with.reference = true; // the subject of this file; test_tree_packed.c has the trees without
	if ( dbvh_tree_build( view, &with, allocator, &tree, &error ) != DBVH_OK )
		fail_msg( "no tree: %s", error.text );
	assert_non_null( tree );
	assert_int_equal( error.status, DBVH_OK );
	assert_string_equal( error.text, "" );
	return tree;
}

// ------------------------------------------------------------------------------------------------
// Enclosure, checked in longer numbers along the chain of relative poses that a query carries, not in the frames of the
// build. What sticks out must be far below the margin of a query (docs/design/margins.md).

typedef struct wide_frame {
	long double axes[3][3], origin[3];
} wide_frame;

static long double fmaxl2( long double a, long double b ) {
	return a > b ? a : b;
}

typedef struct outside {
	long double box, sphere; // how far a corner sticks out, at most
} outside;

static void measure_node( const dbvh_tree *tree, uint32_t index, const wide_frame *parent, int exponent,
                          wide_frame *chain, uint32_t depth, outside *out ) {
	// chain[0 .. depth - 1] are the frames of the ancestors, nodes[] their numbers; recursion is at most 100 deep.
	const dbvhi_node *const node = &tree->nodes[index];
	wide_frame *const own = &chain[depth];
	for ( int i = 0; i < 3; ++i ) {
		own->origin[i] = parent->origin[i];
		for ( int j = 0; j < 3; ++j ) {
			own->axes[i][j] = 0;
			for ( int k = 0; k < 3; ++k )
				own->axes[i][j] += parent->axes[i][k] * (long double)node->rot.m[k][j];
			own->origin[i] += parent->axes[i][j] * ldexpl( (long double)node->pos.v[j], -exponent );
		}
	}
	long double centre[3], inside[3];
	for ( int i = 0; i < 3; ++i ) {
		centre[i] = parent->origin[i];
		inside[i] = own->origin[i];
		for ( int j = 0; j < 3; ++j ) {
			centre[i] += parent->axes[i][j] * ldexpl( (long double)node->sphere_outside.v[j], -exponent );
			inside[i] += own->axes[i][j] * ldexpl( (long double)node->sphere_inside.v[j], -exponent );
		}
	}
	// The triangles of a subtree lie next to each other: walk down to its first and last leaf.
	uint32_t first = index, last = index;
	while ( tree->nodes[first].count == 0 )
		first = tree->nodes[first].first;
	while ( tree->nodes[last].count == 0 )
		last = tree->nodes[last].first + 1;
	const size_t low = tree->nodes[first].first, high = (size_t)tree->nodes[last].first + tree->nodes[last].count;
	for ( size_t i = 3 * low; i < 3 * high; ++i ) {
		long double d[3], in = 0, outer = 0;
		for ( int k = 0; k < 3; ++k ) {
			const long double x = ldexpl( (long double)tree->corners[3 * i + (size_t)k], -exponent );
			d[k] = x - own->origin[k];
			outer += ( x - centre[k] ) * ( x - centre[k] );
			in += ( x - inside[k] ) * ( x - inside[k] );
		}
		const long double radius = ldexpl( (long double)node->radius, -exponent );
		out->sphere = fmaxl2( out->sphere, fmaxl2( sqrtl( in ), sqrtl( outer ) ) - radius );
		for ( int k = 0; k < 3; ++k ) {
			const long double along = d[0] * own->axes[0][k] + d[1] * own->axes[1][k] + d[2] * own->axes[2][k];
			out->box = fmaxl2( out->box, fabsl( along ) - ldexpl( (long double)node->half.v[k], -exponent ) );
		}
	}
	if ( node->count != 0 )
		return;
	measure_node( tree, node->first, own, exponent, chain, depth + 1, out );
	measure_node( tree, node->first + 1, own, exponent, chain, depth + 1, out );
}

static void check_enclosure( const char *what, const dbvh_tree *tree ) {
	int exponent = 0;
	if ( tree->largest > 0.0 )
		frexp( tree->largest, &exponent );
	static wide_frame chain[128];
	assert_true( tree->depth < 128 );
	const wide_frame mesh = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } };
	outside out = { 0, 0 };
	measure_node( tree, 0, &mesh, exponent, chain, 0, &out );
	const dbvhi_node *const root = &tree->nodes[0];
	double offsets = 0.0, size = ldexp( 4.0 * root->radius, -exponent );
	for ( int k = 0; k < 3; ++k ) {
		offsets += fabs( ldexp( root->pos.v[k], -exponent ) );
		size += ldexp( root->half.v[k], -exponent );
	}
	// This tree's share of the margin, of which half is left to the traversal. Below the normal numbers a unit is left.
	const double margin = 0x1p-53 * ( 16.0 * offsets + 16.0 * (double)tree->depth * (double)tree->depth * size ) +
	                      ldexp( 1.0, -1041 - exponent );
	if ( out.box > (long double)margin || out.sphere > (long double)margin )
		fail_msg( "%s: the box lacks %Lg, the sphere %Lg, where the margin is %g", what, out.box, out.sphere, margin );
}

static size_t trees_checked;

static void check_tree( const char *what, const dbvh_mesh_view *view, const dbvh_tree_options *options ) {
	// This test checks whole triangles; test_fragments checks fragments.
	dbvh_tree_options whole = options != NULL ? *options : dbvh_tree_options_default();
	whole.fragments = DBVH_FRAGMENTS_NONE;
	dbvh_tree *const tree = must_build( view, &whole, NULL );
	dbvh_error error = { .status = DBVH_IO };
	const dbvh_status status = dbvh_tree_validate( tree, &error );
	if ( status != DBVH_OK )
		fail_msg( "%s, leaves of %u, sphere %d, box %d: %s", what, options != NULL ? options->leaf_size : 1,
		          options != NULL ? (int)options->sphere_fit : 0, options != NULL ? (int)options->box_fit : 0,
		          error.text );
	assert_int_equal( error.status, DBVH_OK );
	const dbvh_tree_stats stats = dbvh_tree_get_stats( tree );
	assert_int_equal( stats.triangle_count,
	                  view->index_type == DBVH_INDEX_TYPE_NONE ? view->vertex_count / 3 : view->triangle_count );
	assert_int_equal( stats.node_count, 2 * stats.leaf_count - 1 );
	assert_true( stats.leaf_count <= stats.triangle_count );
	assert_true( stats.depth >= 1 && stats.depth <= 100 && stats.depth <= stats.leaf_count );
	// Duplicate triangles are stored once.
	assert_true( stats.bytes >= stats.node_count * sizeof( dbvhi_node ) + tree->triangle_count * 9 * sizeof( double ) );
	if ( options == NULL || options->leaf_size == 1 )
		assert_int_equal( stats.leaf_count, tree->triangle_count );
	check_enclosure( what, tree );
	dbvh_tree_destroy( tree );
	trees_checked += 1;
}

static void check_all_options( const char *what, const shape *s ) {
	assert_false( s->failed );
	const dbvh_mesh_view view = shape_view( s );
	static const uint32_t leaf_sizes[] = { 1, 2, 3, 7, 64 };
	for ( size_t leaf = 0; leaf < 5; ++leaf ) {
		for ( int fit = 0; fit < ( leaf % 3 == 0 ? 6 : 4 ); ++fit ) {
			dbvh_tree_options options = dbvh_tree_options_default();
			options.leaf_size = leaf_sizes[leaf];
			options.sphere_fit = fit < 4 ? (dbvh_node_sphere)( fit & 1 ) : DBVH_NODE_SPHERE_RITTER;
			options.box_fit = fit < 4 ? (dbvh_box_fit)( fit >> 1 ) : fit == 4 ? DBVH_BOX_FIT_RAPID : DBVH_BOX_FIT_BEST;
			options.split = fit == 4 ? DBVH_SPLIT_VARIANCE : DBVH_SPLIT_COST;
			options.thread_count = 1;
			check_tree( what, &view, &options );
		}
	}
	check_tree( what, &view, NULL );
}

static void ordinary_meshes( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: meshes", seed_default );
	shape s = { 0 };
	shape_add_sphere( &s, 1.0, 24, 16 );
	check_all_options( "sphere", &s );
	shape_free( &s );
	shape_add_box( &s, 1.0, 2.0, 3.0, 5 );
	check_all_options( "box", &s );
	shape_free( &s );
	shape_add_torus( &s, 1.0, 0.25, 24, 12 );
	check_all_options( "torus", &s );
	shape_free( &s );
	shape_add_hand( &s );
	check_all_options( "hand", &s );
	shape_free( &s );
	add_grid( &s, 12 );
	check_all_options( "grid", &s );
	shape_free( &s );
	for ( size_t i = rounds( 10 ); i-- > 0; ) {
		add_soup( &s, &r, 1 + rng_below( &r, 300 ), pow( 10.0, rng_range( &r, -6.0, 0.0 ) ), rng_unit( &r ), i % 2 );
		check_all_options( "soup", &s );
		shape_free( &s );
	}
}

static void add_triangle( shape *s, const double c[9] ) {
	const uint32_t i = shape_vertex( s, c[0], c[1], c[2] );
	shape_vertex( s, c[3], c[4], c[5] );
	shape_vertex( s, c[6], c[7], c[8] );
	shape_triangle( s, i, i + 1, i + 2 );
}

static void degenerate_meshes( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: degenerate", seed_default + 1 );
	shape s = { 0 };
	const double one[9] = { 0.1, 0.2, 0.3, 1.1, -0.5, 0.7, 0.2, 0.9, -1.3 };
	add_triangle( &s, one );
	check_all_options( "one triangle", &s );
	for ( int i = 0; i < 200; ++i )
		shape_triangle( &s, 0, 1, 2 );
	check_all_options( "one triangle 201 times", &s );
	shape_free( &s );
	for ( int kind = 0; kind < 4; ++kind ) {
		const double at = kind == 0 ? 0.0 : kind == 1 ? 0.1 : kind == 2 ? -1e300 : 5e-324;
		shape_vertex( &s, at, at, at );
		for ( int i = 0; i < 100; ++i )
			shape_triangle( &s, 0, 0, 0 );
		check_all_options( "one point 100 times", &s );
		shape_free( &s );
	}
	for ( int axis = 0; axis < 4; ++axis ) {
		for ( int i = 0; i < 100; ++i ) {
			double p[9];
			for ( int corner = 0; corner < 3; ++corner ) {
				const double t = rng_range( &r, -1.0, 1.0 );
				for ( int k = 0; k < 3; ++k )
					p[3 * corner + k] = axis == 3 ? t * ( 1.0 + 0.1 * k ) : k == axis ? t : 0.25;
			}
			add_triangle( &s, p );
		}
		check_all_options( "collinear points", &s );
		shape_free( &s );
	}
	for ( int i = 0; i < 100; ++i ) {
		double p[9];
		for ( int k = 0; k < 9; ++k )
			p[k] = k < 6 ? rng_range( &r, -1.0, 1.0 ) : p[k - 3];
		add_triangle( &s, p );
	}
	check_all_options( "segments", &s );
	shape_free( &s );
	// A few triangles with an area among many without, and two far clusters of points.
	for ( int i = 0; i < 100; ++i ) {
		const double x = i % 2 != 0 ? 1.0 : -1.0, tiny = i == 50 ? 1e-160 : 0.0;
		const double p[9] = { x, x, x, x + tiny, x, x, x, x + tiny, x };
		add_triangle( &s, p );
	}
	check_all_options( "two clusters", &s );
	shape_free( &s );
}

// Each triangle is `ratio` times the size of the one before: a mean split takes off one triangle at a time.
static void exponential_meshes( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: exponential", seed_default + 2 );
	shape s = { 0 };
	static const double ratios[] = { 0.5, 0.9, 0.25, 0.01 };
	const int most = rounds( 10 ) < 4 ? 500 : 2000;
	for ( size_t i = 0; i < 4; ++i ) {
		// In a short run one direction a ratio, each direction for one of the first three.
		for ( int direction = is_short_run() ? (int)i % 3 : 0; direction < 3; direction += is_short_run() ? 3 : 1 ) {
			double step[3], size = 1.0;
			random_direction( &r, step );
			if ( direction == 0 )
				step[0] = 1.0, step[1] = step[2] = 0.0;
			for ( int count = 0; count < most && size > 1e-290; ++count ) {
				double p[9];
				for ( int k = 0; k < 9; ++k )
					p[k] = size * ( step[k % 3] + ( direction == 2 ? 0.0 : 0.2 * rng_range( &r, -1.0, 1.0 ) ) );
				add_triangle( &s, p );
				size *= ratios[i];
			}
			const dbvh_mesh_view view = shape_view( &s );
			dbvh_tree *const tree = must_build( &view, NULL, NULL );
			uint32_t log2_count = 0;
			while ( ( (size_t)1 << log2_count ) < s.triangle_count )
				log2_count += 1;
			// O(n log n) whatever the mesh: means down to twice the balanced depth, medians from there.
			assert_true( dbvh_tree_get_stats( tree ).depth <= 3 * log2_count + 10 );
			dbvh_tree_destroy( tree );
			check_all_options( "exponential", &s );
			shape_free( &s );
		}
	}
}

static void scaled_meshes( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: scales", seed_default + 3 );
	// 1024 - 12: soups reach beyond 1, and the diagonal of the box must still be a number.
	static const int exponents[] = { -1000, -960, -600, -530, -300, 300, 500, 512, 530, 996, 1015, 1020 };
	const int stride = is_short_run() ? 3 : 1;
	for ( size_t i = is_short_run() ? rng_below( &r, 3 ) : 0; i < sizeof exponents / sizeof exponents[0];
	      i += (size_t)stride ) {
		shape s = { 0 };
		add_soup( &s, &r, 60, 0.5, 0.2, false );
		shape_add_box( &s, 1.0, 1.0, 1.0, 2 );
		shape scaled = scaled_copy( &s, exponents[i] );
		char what[64];
		snprintf( what, sizeof what, "soup times 2^%d", exponents[i] );
		check_all_options( what, &scaled );
		shape_free( &scaled );
		shape_free( &s );
	}
	// Away from the origin, up to where a triangle is one step of a double.
	for ( int i = 0; i <= 16; i += stride ) {
		shape s = { 0 };
		add_soup( &s, &r, 60, 0.5, 0.2, false );
		shape_add_torus( &s, 1.0, 0.25, 12, 8 );
		const double away = pow( 10.0, i );
		scale_and_move( &s, 0, 1.0, away, -0.7 * away, 0.3 * away );
		char what[64];
		snprintf( what, sizeof what, "soup 1e%d away", i );
		check_all_options( what, &s );
		shape_free( &s );
	}
}

// Among the denormal numbers every place and extent of a node is rounded to whole units.
static void denormal_numbers( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: denormal numbers", seed_default + 11 );
	size_t broken = 0, trees = 0;
	for ( int exponent = -1074; exponent <= -1000; ++exponent ) {
		shape s = { 0 };
		add_soup( &s, &r, 60, 0.5, 0.2, false );
		shape_add_box( &s, 1.0, 1.0, 1.0, 2 );
		shape scaled = scaled_copy( &s, exponent );
		const dbvh_mesh_view view = shape_view( &scaled );
		dbvh_tree *const tree = must_build( &view, NULL, NULL );
		dbvh_error error;
		trees += 1;
		if ( dbvh_tree_validate( tree, &error ) != DBVH_OK && broken++ < 3 )
			printf( "soup times 2^%d: %s\n", exponent, error.text );
		check_enclosure( "denormal", tree ); // the margin is that of a query, 2^-1040 included
		dbvh_tree_destroy( tree );
		shape_free( &scaled );
		shape_free( &s );
	}
	printf( "denormal numbers: %zu of %zu trees do not validate\n", broken, trees );
	assert_int_equal( broken, 0 );
}

// The contract has no bound on coordinates but that they are finite.
static void largest_numbers( void **state ) {
	(void)state;
	shape s = { 0 };
	for ( int corner = 0; corner < 8; ++corner )
		shape_vertex( &s, corner & 1 ? DBL_MAX : -DBL_MAX, corner & 2 ? DBL_MAX : -DBL_MAX,
		              corner & 4 ? DBL_MAX : -DBL_MAX );
	shape_triangle( &s, 0, 3, 5 );
	shape_triangle( &s, 1, 2, 6 );
	shape_triangle( &s, 7, 2, 1 );
	check_all_options( "corners of the range", &s );
	shape_free( &s );
}

// ------------------------------------------------------------------------------------------------
// One tree, whatever builds it

// All of a node but what comes after its links.
static bool same_nodes( const dbvhi_node *a, const dbvhi_node *b ) {
	return memcmp( a, b, sizeof *a ) == 0; // there is no padding
}

static bool same_trees( const dbvh_tree *a, const dbvh_tree *b ) {
	if ( a->node_count != b->node_count )
		return false;
	for ( size_t i = 0; i < a->node_count; ++i ) {
		if ( !same_nodes( &a->nodes[i], &b->nodes[i] ) )
			return false;
	}
	if ( ( a->packed == NULL ) != ( b->packed == NULL ) )
		return false;
	if ( a->packed != NULL &&
	     ( a->packed->bytes != b->packed->bytes || memcmp( a->packed, b->packed, a->packed->bytes ) != 0 ) )
		return false;
	return a->triangle_count == b->triangle_count && a->leaf_count == b->leaf_count && a->depth == b->depth &&
	       a->hash == b->hash && memcmp( &a->largest, &b->largest, sizeof a->largest ) == 0 &&
	       memcmp( a->corners, b->corners, 9 * a->triangle_count * sizeof *a->corners ) == 0 &&
	       memcmp( a->triangle, b->triangle, a->triangle_count * sizeof *a->triangle ) == 0;
}

// A lane is computed by the same operations in all of them.
static void instruction_sets_make_no_difference( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: instruction sets", seed_default + 8 );
	size_t count, different = 0, compared = 0;
	const dbvhi_isa *isa = dbvhi_isa_available( &count );
	for ( int kind = 0; kind < 8; ++kind ) {
		shape s = { 0 };
		if ( kind == 0 )
			shape_add_torus( &s, 1.0, 0.25, 64, 40 );
		else if ( kind == 1 )
			shape_add_box( &s, 1, 2, 3, 12 );
		else if ( kind == 2 )
			shape_add_sphere( &s, 1.0, 40, 30 );
		else
			add_soup( &s, &r, 300 * (size_t)kind, kind % 2 ? 0.02 : 0.5, 0.2, kind > 5 );
		const dbvh_mesh_view view = shape_view( &s );
		for ( int fit = is_short_run() ? kind % 2 : 0; fit < 2; fit += is_short_run() ? 2 : 1 ) {
			dbvh_tree_options options = dbvh_tree_options_default();
			options.sphere_fit = fit == 0 ? DBVH_NODE_SPHERE_SMALLEST : DBVH_NODE_SPHERE_BOX_CENTRE;
			options.leaf_size = fit == 0 ? 1 : 3;
			dbvh_tree *const reference = must_build( &view, &options, NULL );
			for ( size_t i = 0; i < count; ++i ) {
				assert_true( dbvhi_isa_select( isa[i].name ) );
				dbvh_tree *const tree = must_build( &view, &options, NULL );
				different += !same_trees( reference, tree );
				compared += 1;
				dbvh_tree_destroy( tree );
			}
			dbvhi_isa_select( NULL );
			dbvh_tree_destroy( reference );
		}
		shape_free( &s );
	}
	printf( "tree: %zu trees on %zu instruction sets\n", compared, count );
	assert_int_equal( different, 0 );
}

// Every number of triangles around what a cohort and a grove hold, and more copies of one triangle than a grove holds.
static void lanes_and_groves( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: lanes and groves", seed_default + 9 );
	for ( size_t count = 1; count < 600; count += count < 40 ? 1 : count < 250 || count > 262 ? 37 : 1 ) {
		for ( int kind = 0; kind < 4; ++kind ) {
			shape s = { 0 };
			add_soup( &s, &r, count, kind == 1 ? 1e-3 : 0.4, 0.1, kind == 2 );
			if ( kind == 3 ) { // all alike, without sharing vertices
				for ( size_t i = 9; i < 3 * s.vertex_count; ++i )
					s.positions[i] = s.positions[i % 9];
			}
			const dbvh_mesh_view view = shape_view( &s );
			check_tree( "lanes and groves", &view, NULL );
			if ( kind == 3 ) { // all of three vertices
				for ( size_t i = 0; i < 3 * s.triangle_count; ++i )
					s.indices[i] = i % 3;
				check_tree( "copies", &view, NULL );
			}
			shape_free( &s );
		}
	}
}

static void threads_make_no_difference( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: threads", seed_default + 4 );
	for ( int kind = 0; kind < 6; ++kind ) {
		shape s = { 0 };
		if ( kind == 0 )
			shape_add_torus( &s, 1.0, 0.25, 128, 40 );
		else if ( kind == 1 )
			add_soup( &s, &r, 6000, 0.01, 0.1, false );
		else if ( kind == 2 )
			add_soup( &s, &r, 5000, 0.5, 0.3, true ); // many ties
		else if ( kind == 3 )
			shape_add_box( &s, 1, 1, 1, 20 );
		else if ( kind == 4 )
			add_soup( &s, &r, 4096, 0.1, 0.0, false ); // just enough for threads
		else {
			shape_vertex( &s, 0, 0, 0 );
			for ( int i = 0; i < 5000; ++i )
				shape_triangle( &s, 0, 0, 0 );
		}
		const dbvh_mesh_view view = shape_view( &s );
		static const uint32_t leaf_sizes[] = { 1, 5 };
		const bool few = rounds( 10 ) < 4;
		for ( size_t leaf = few ? kind % 2 : 0; leaf < ( few ? kind % 2 + 1U : 2U ); ++leaf ) {
			static const uint32_t counts[] = { 1, 2, 3, 7, 64, 0 };
			dbvh_tree *first = NULL;
			ledger books[6] = { { 0 } };
			dbvh_allocator allocators[6];
			for ( size_t i = 0; i < 6; i += is_short_run() && i > 0 ? 2 : 1 ) {
				dbvh_tree_options options = dbvh_tree_options_default();
				options.thread_count = counts[i];
				options.leaf_size = leaf_sizes[leaf];
				// Fresh memory holds something else each time: nothing of it may stay in the tree.
				books[i].fill = (unsigned char)( 17 * i );
				allocators[i] = ledger_allocator( &books[i] );
				dbvh_tree *const tree = must_build( &view, &options, &allocators[i] );
				if ( first == NULL )
					first = tree;
				else {
					if ( !same_trees( first, tree ) )
						fail_msg( "mesh %d, leaves of %u: %u threads build another tree", kind, leaf_sizes[leaf],
						          counts[i] );
					dbvh_tree_destroy( tree );
					assert_true( books[i].live == 0 && books[i].bytes == 0 && books[i].mistakes == 0 );
				}
			}
			assert_int_equal( dbvh_tree_validate( first, NULL ), DBVH_OK );
			dbvh_tree_destroy( first );
			assert_true( books[0].live == 0 && books[0].bytes == 0 && books[0].mistakes == 0 );
		}
		shape_free( &s );
	}
}

// No number of threads may end the program.
static void any_number_of_threads( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_torus( &s, 1.0, 0.25, 80, 40 );
	const dbvh_mesh_view view = shape_view( &s );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.thread_count = UINT32_MAX;
	dbvh_tree *tree = NULL;
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &tree, NULL ), DBVH_OK );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

// "Byte for byte" (tree.h): nothing of what fresh memory held may be left in a tree.
static void byte_for_byte( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 2 );
	const dbvh_mesh_view view = shape_view( &s );
	size_t different = 0;
	for ( uint32_t leaf_size = 1; leaf_size < 4; ++leaf_size ) {
		dbvh_tree_options options = dbvh_tree_options_default();
		options.leaf_size = leaf_size;
		ledger books[2] = { { .fill = 0 }, { .fill = 0xff } };
		dbvh_allocator allocators[2];
		dbvh_tree *trees[2];
		for ( int i = 0; i < 2; ++i ) {
			allocators[i] = ledger_allocator( &books[i] );
			trees[i] = must_build( &view, &options, &allocators[i] );
		}
		assert_true( same_trees( trees[0], trees[1] ) );
		different += memcmp( trees[0]->nodes, trees[1]->nodes, trees[0]->node_count * sizeof( dbvhi_node ) ) != 0;
		dbvh_tree_destroy( trees[0] );
		dbvh_tree_destroy( trees[1] );
	}
	shape_free( &s );
	assert_int_equal( different, 0 );
}

static void views_make_no_difference( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: views", seed_default + 5 );
	shape s = { 0 };
	add_soup( &s, &r, 300, 0.5, 0.3, true );
	for ( size_t i = 0; i < 3 * s.vertex_count; ++i )
		s.positions[i] = (double)(float)s.positions[i];
	const dbvh_mesh_view plain = shape_view( &s );
	dbvh_tree *const expected = must_build( &plain, NULL, NULL );
	const size_t most = 3 * s.triangle_count;
	const size_t room = ( most + s.vertex_count ) * 64 + 64;
	unsigned char *const positions = malloc( room ), *const indices = malloc( room );
	assert_true( positions != NULL && indices != NULL );
	size_t views = 0;
	for ( int type = 0; type < 2; ++type ) {
		for ( int index_type = 0; index_type < 3; ++index_type ) {
			for ( int layout = 0; layout < 4; ++layout ) {
				// 0: tight, stride 0; 1: tight, stride named; 2: gaps; 3: gaps of odd size at an odd address
				const size_t vertex_size = type == 0 ? 24 : 12, triangle_size = index_type == 0 ? 12 : 24;
				const size_t gap = layout == 2 ? 16 : layout == 3 ? 5 : 0, shift = layout == 3 ? 1 : 0;
				memset( positions, 0xff, room ); // NaN, and indices out of range, in every gap
				memset( indices, 0xff, room );
				const size_t vertex_count = index_type == 2 ? most : s.vertex_count;
				for ( size_t i = 0; i < vertex_count; ++i ) {
					const double *const p = s.positions + 3 * ( index_type == 2 ? s.indices[i] : i );
					const float narrow[3] = { (float)p[0], (float)p[1], (float)p[2] };
					memcpy( positions + shift + i * ( vertex_size + gap ), type == 0 ? (const void *)p : narrow,
					        vertex_size );
				}
				for ( size_t i = 0; i < s.triangle_count; ++i ) {
					const uint32_t *const t = s.indices + 3 * i;
					const uint64_t wide[3] = { t[0], t[1], t[2] };
					memcpy( indices + shift + i * ( triangle_size + gap ), index_type == 0 ? (const void *)t : wide,
					        triangle_size );
				}
				const dbvh_mesh_view view = { positions + shift,
				                              vertex_count,
				                              layout == 0 ? 0 : vertex_size + gap,
				                              (dbvh_position_type)type,
				                              index_type == 2 ? NULL : indices + shift,
				                              index_type == 2 ? 12345 : s.triangle_count,
				                              layout == 0 ? 0 : triangle_size + gap,
				                              (dbvh_index_type)index_type };
				dbvh_tree *const tree = must_build( &view, NULL, NULL );
				// The tree has its own copy.
				memset( positions, 0, room );
				memset( indices, 0, room );
				if ( !same_trees( expected, tree ) )
					fail_msg( "positions %d, indices %d, layout %d: another tree", type, index_type, layout );
				dbvh_tree_destroy( tree );
				views += 1;
			}
		}
	}
	assert_int_equal( views, 24 );
	free( positions );
	free( indices );
	dbvh_tree_destroy( expected );
	shape_free( &s );
}

// ------------------------------------------------------------------------------------------------
// Trees as the program RAPID makes them

// A leaf of one triangle: along its longest edge, and flat. An inner node: of the directions of its axes the surface
// varies most along the last one.
static void check_rapid_node( const dbvh_tree *tree, const dbvhi_node *node, const dbvhi_frame *frame ) {
	const double *p = tree->corners + 9 * (size_t)node->low;
	const double size = node->radius + 1e-3; // the mesh has a size of about 1
	if ( node->count == 1 ) {
		double longest = 0.0;
		for ( int i = 0; i < 3; ++i )
			longest =
			    fmax( longest,
			          hypot( hypot( p[3 * i] - p[3 * ( ( i + 1 ) % 3 )], p[3 * i + 1] - p[3 * ( ( i + 1 ) % 3 ) + 1] ),
			                 p[3 * i + 2] - p[3 * ( ( i + 1 ) % 3 ) + 2] ) );
		if ( !( fabs( node->half.v[2] - 0.5 * longest ) <= 1e-12 * size && node->half.v[0] <= 1e-7 * size ) )
			fail_msg( "a leaf with an edge of %g has the extents %g %g %g", longest, node->half.v[0], node->half.v[1],
			          node->half.v[2] );
		assert_true( node->half.v[1] <= node->half.v[2] + 1e-12 * size );
		return;
	}
	// The covariance by the mean over the middles of a triangle's edges, which is exact for squares (Cowper 1973).
	double area = 0.0, mean[3] = { 0.0, 0.0, 0.0 }, variance[3] = { 0.0, 0.0, 0.0 };
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( uint32_t t = 0; t < node->total; ++t ) {
			const double *q = p + 9 * (size_t)t;
			const dbvhi_vec a = { { q[0], q[1], q[2] } }, u = { { q[3] - q[0], q[4] - q[1], q[5] - q[2] } },
			                v = { { q[6] - q[0], q[7] - q[1], q[8] - q[2] } };
			const double weight = dbvhi_length( dbvhi_cross( u, v ) ) / 3.0;
			for ( int e = 0; e < 3; ++e ) {
				dbvhi_vec at = a;
				at = dbvhi_add( at, dbvhi_scale( e == 1 ? 0.0 : 0.5, u ) );
				at = dbvhi_add( at, dbvhi_scale( e == 0 ? 0.0 : 0.5, v ) );
				area += pass == 0 ? weight : 0.0;
				for ( int k = 0; k < 3; ++k ) {
					const double along =
					    frame->axes.m[0][k] * at.v[0] + frame->axes.m[1][k] * at.v[1] + frame->axes.m[2][k] * at.v[2];
					if ( pass == 0 )
						mean[k] += weight * along;
					else
						variance[k] += weight * ( along - mean[k] / area ) * ( along - mean[k] / area );
				}
			}
		}
	}
	const double slack = 1e-9 * area * size * size;
	// A node without area is split by its points instead.
	if ( area > 1e-9 * size * size && !( variance[2] + slack >= fmax( variance[1], variance[0] ) ) )
		fail_msg( "a node of %u triangles has the variances %g %g %g", node->total, variance[0], variance[1],
		          variance[2] );
}

static void check_rapid_tree( const dbvh_tree *tree, uint32_t index, const dbvhi_frame *parent ) {
	const dbvhi_node *node = &tree->nodes[index];
	const dbvhi_frame frame = dbvhi_frame_step( parent, node );
	check_rapid_node( tree, node, &frame );
	for ( uint32_t k = 0; k < 2 && node->count == 0; ++k )
		check_rapid_tree( tree, node->first + k, &frame );
}

// The same answers as the default tree's, and spheres that are compared in pairs, since those of the roots are not.
static void check_rapid_answers( rng *r, const dbvh_tree *tree, const dbvh_tree *usual ) {
	static const dbvh_policy policies[] = { DBVH_POLICY_RAPID, DBVH_POLICY_SAT_LITE, DBVH_POLICY_DUAL,
	                                        DBVH_POLICY_PACKED };
	for ( int i = 0; i < 24; ++i ) {
		const dbvh_pose pose = random_pose( r, 2.0 );
		dbvh_collide_query query = { .find = DBVH_FIND_ALL };
		dbvh_collide_result truth, result;
		assert_int_equal( dbvh_collide( usual, NULL, usual, &pose, &query, NULL, &truth, NULL ), DBVH_OK );
		query.policy = policies[i % 4];
		assert_int_equal( dbvh_collide( tree, NULL, tree, &pose, &query, NULL, &result, NULL ), DBVH_OK );
		assert_int_equal( result.pair_count, truth.pair_count );
		assert_int_equal( result.verdict, truth.verdict );
		if ( query.policy == DBVH_POLICY_DUAL )
			assert_true( result.counters.sphere_tests % 2 == 0 && result.counters.box_tests > 0 );
	}
}

static void made_as_by_rapid( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: as by RAPID", seed_default + 11 );
	for ( int kind = 0; kind < 4; ++kind ) {
		shape s = { 0 };
		if ( kind == 0 )
			shape_add_sphere( &s, 1.0, 20, 16 );
		else if ( kind == 1 )
			shape_add_torus( &s, 1.0, 0.25, 24, 12 );
		else
			add_soup( &s, &r, 300, kind == 2 ? 0.4 : 0.05, 0.2, false );
		const dbvh_mesh_view view = shape_view( &s );
		dbvh_tree_options options = dbvh_tree_options_default();
		dbvh_tree *const usual = must_build( &view, &options, NULL );
		options.box_fit = DBVH_BOX_FIT_RAPID;
		options.split = DBVH_SPLIT_VARIANCE;
		dbvh_tree *const smallest = must_build( &view, &options, NULL );
		options.sphere_fit = DBVH_NODE_SPHERE_RITTER;
		dbvh_tree *const tree = must_build( &view, &options, NULL );
		const dbvhi_frame mesh = dbvhi_frame_mesh();
		check_rapid_tree( tree, 0, &mesh );
		assert_int_equal( tree->node_count, smallest->node_count );
		size_t larger = 0;
		for ( size_t i = 0; i < tree->node_count; ++i ) {
			assert_true( tree->nodes[i].radius >= smallest->nodes[i].radius * ( 1.0 - 1e-12 ) );
			assert_true( tree->nodes[i].radius <= smallest->nodes[i].radius * 1.6 );
			larger += tree->nodes[i].radius > smallest->nodes[i].radius * ( 1.0 + 1e-6 );
		}
		assert_outcomes( larger > 0 );
		check_rapid_answers( &r, tree, usual );
		dbvh_tree_destroy( tree );
		dbvh_tree_destroy( smallest );
		dbvh_tree_destroy( usual );
		shape_free( &s );
	}
}

// ------------------------------------------------------------------------------------------------
// Refusals

static void expect_refused( const dbvh_mesh_view *view, const dbvh_tree_options *options, dbvh_status status,
                            int64_t element ) {
	dbvh_tree *tree = (dbvh_tree *)&tree;
	dbvh_error error = { 0 };
	assert_int_equal( dbvh_tree_build( view, options, NULL, &tree, &error ), status );
	assert_null( tree );
	assert_int_equal( error.status, status );
	assert_int_equal( error.element, element );
	assert_true( error.text[0] != '\0' );
	tree = (dbvh_tree *)&tree;
	assert_int_equal( dbvh_tree_build( view, options, NULL, &tree, NULL ), status );
	assert_null( tree );
}

static void refusals( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 2 );
	dbvh_mesh_view view = shape_view( &s );
	const double bad[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
	for ( size_t i = 0; i < 3 * s.vertex_count; ++i ) {
		const double kept = s.positions[i];
		s.positions[i] = bad[i % 3];
		expect_refused( &view, NULL, DBVH_NOT_FINITE, (int64_t)( i / 3 ) );
		s.positions[i] = kept;
	}
	for ( size_t i = 0; i < 3 * s.triangle_count; ++i ) {
		const uint32_t kept = s.indices[i];
		s.indices[i] = i % 2 != 0 ? (uint32_t)s.vertex_count : UINT32_MAX;
		expect_refused( &view, NULL, DBVH_INDEX_RANGE, (int64_t)( i / 3 ) );
		s.indices[i] = kept;
	}
	expect_refused( NULL, NULL, DBVH_INVALID_ARGUMENT, -1 );
	view.triangle_count = 0;
	expect_refused( &view, NULL, DBVH_EMPTY, -1 );
	view = shape_view( &s );
	view.triangle_count = DBVH_MAX_ELEMENTS + 1;
	expect_refused( &view, NULL, DBVH_LIMIT, -1 );
	view = shape_view( &s );
	view.positions = NULL;
	expect_refused( &view, NULL, DBVH_INVALID_ARGUMENT, -1 );
	view = shape_view( &s );
	view.indices = NULL;
	expect_refused( &view, NULL, DBVH_INVALID_ARGUMENT, -1 );
	view = shape_view( &s );
	view.vertex_stride = 23;
	expect_refused( &view, NULL, DBVH_INVALID_ARGUMENT, -1 );
	view = shape_view( &s );

	dbvh_tree_options options = dbvh_tree_options_default();
	assert_true( options.leaf_size == 0 && options.sphere_fit == DBVH_NODE_SPHERE_SMALLEST &&
	             options.box_fit == DBVH_BOX_FIT_BEST && options.thread_count == 0 );
	static const uint32_t sizes[] = { 65, UINT32_MAX };
	for ( int i = 0; i < 2; ++i ) {
		options.leaf_size = sizes[i];
		expect_refused( &view, &options, DBVH_INVALID_ARGUMENT, -1 );
	}
	for ( int i = -1; i <= 3; i += 4 ) {
		options = dbvh_tree_options_default();
		options.sphere_fit = (dbvh_node_sphere)i;
		expect_refused( &view, &options, DBVH_INVALID_ARGUMENT, -1 );
		options = dbvh_tree_options_default();
		options.box_fit = (dbvh_box_fit)i;
		expect_refused( &view, &options, DBVH_INVALID_ARGUMENT, -1 );
		options = dbvh_tree_options_default();
		options.split = (dbvh_split)i;
		expect_refused( &view, &options, DBVH_INVALID_ARGUMENT, -1 );
	}
	options = dbvh_tree_options_default();
	options.box_fit = DBVH_BOX_FIT_RAPID;
	options.ellipsoids = DBVH_ELLIPSOIDS_MIXED;
	expect_refused( &view, &options, DBVH_INVALID_ARGUMENT, -1 );
	dbvh_error error;
	assert_int_equal( dbvh_tree_build( &view, NULL, NULL, NULL, &error ), DBVH_INVALID_ARGUMENT );
	dbvh_tree_destroy( NULL );
	shape_free( &s );
}

static void no_memory( void **state ) {
	(void)state;
	rng r = rng_announce( "tree: no memory", seed_default + 7 );
	shape s = { 0 };
	add_soup( &s, &r, 200, 0.3, 0.1, false );
	const dbvh_mesh_view view = shape_view( &s );
	for ( uint32_t leaf_size = 1; leaf_size <= 3; leaf_size += 2 ) {
		dbvh_tree_options options = dbvh_tree_options_default();
		options.leaf_size = leaf_size;
		size_t failures = 0;
		dbvh_tree *tree = NULL;
		ledger books = { 0 };
		const dbvh_allocator allocator = ledger_allocator( &books );
		for ( size_t fail_at = 1; tree == NULL; ++fail_at ) {
			assert_true( fail_at < 100 );
			books = ( ledger ){ .fail_at = fail_at };
			dbvh_error error = { 0 };
			const dbvh_status status = dbvh_tree_build( &view, &options, &allocator, &tree, &error );
			assert_int_equal( status, error.status );
			if ( status == DBVH_OK )
				break;
			assert_int_equal( status, DBVH_OUT_OF_MEMORY );
			assert_null( tree );
			assert_true( books.live == 0 && books.bytes == 0 && books.mistakes == 0 );
			failures += 1;
		}
		printf( "tree: leaves of %u take %zu allocations\n", leaf_size, failures );
		assert_true( failures >= 5 );
		books.fail_at = 0;
		const size_t live = books.live, bytes = books.bytes;
		assert_true( dbvh_tree_get_stats( tree ).bytes >= bytes );
		size_t failed = 0;
		for ( size_t i = 1; i < 20; ++i ) {
			books.calls = 0;
			books.fail_at = i;
			const dbvh_status status = dbvh_tree_validate( tree, NULL );
			assert_true( status == DBVH_OK || status == DBVH_OUT_OF_MEMORY );
			failed += status != DBVH_OK;
			assert_true( books.live == live && books.bytes == bytes && books.mistakes == 0 );
		}
		assert_true( failed > 0 && failed < 19 );
		dbvh_tree_destroy( tree );
		assert_true( books.live == 0 && books.bytes == 0 && books.mistakes == 0 );
	}
	shape_free( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( ordinary_meshes ),
	    cmocka_unit_test( degenerate_meshes ),
	    cmocka_unit_test( exponential_meshes ),
	    cmocka_unit_test( scaled_meshes ),
	    cmocka_unit_test( denormal_numbers ),
	    cmocka_unit_test( largest_numbers ),
	    cmocka_unit_test( instruction_sets_make_no_difference ),
	    cmocka_unit_test( lanes_and_groves ),
	    cmocka_unit_test( threads_make_no_difference ),
	    cmocka_unit_test( any_number_of_threads ),
	    cmocka_unit_test( byte_for_byte ),
	    cmocka_unit_test( views_make_no_difference ),
	    cmocka_unit_test( made_as_by_rapid ),
	    cmocka_unit_test( refusals ),
	    cmocka_unit_test( no_memory ),
	};
	const int failed = test_main( argc, argv, tests );
	printf( "tree: %zu trees checked\n", trees_checked );
	return failed;
}
