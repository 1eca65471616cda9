// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Nodes of packed trees in doubles: their numbers and volumes (bvh/any_node.h), and the tight boxes of times of impact
// (query/toi/tight.c) with their cache. Corners are held against boxes in long doubles.

#include "query/toi/toi.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/unit.h"

#include <string.h>

static const uint64_t seed_default = 20261123;

typedef struct measuring {
	dbvhi_toi_search search;
	dbvhi_toi_kept kept[2][2][DBVHI_TOI_KEPT];
} measuring;

static void start_search( measuring *b, const dbvh_tree *fixed, const dbvh_tree *moved ) {
	memset( &b->search, 0, sizeof b->search );
	b->search.fixed = fixed;
	b->search.moved = moved;
	b->search.kept = b->kept;
	b->search.round = 1;
	b->search.work_limit = UINT64_MAX;
	dbvhi_meter_open( &b->search.meter, &b->search.purse, NULL );
}

// A search without a cache from before.
static dbvhi_node measure( const dbvh_tree *tree, uint32_t node, bool guess ) {
	static measuring fresh;
	dbvhi_node out;
	memset( &fresh, 0, sizeof fresh );
	start_search( &fresh, tree, tree );
	assert_true( dbvhi_toi_node( &fresh.search, tree, node, guess, &out ) );
	return out;
}

// How far a corner is beyond the box and the sphere of a node, at most; negative inside.
static void distances( const dbvh_tree *tree, const double *corner, const dbvhi_node *n, long double *box,
                       long double *sphere ) {
	long double p[3], square = 0.0L;
	for ( int k = 0; k < 3; ++k ) {
		p[k] = (long double)corner[k] - (long double)tree->packed->centre[k];
		const long double d = p[k] - (long double)n->sphere_outside.v[k];
		square += d * d;
	}
	*sphere = sqrtl( square ) - (long double)n->radius;
	*box = -INFINITY;
	for ( int k = 0; k < 3; ++k ) {
		long double along = 0.0L;
		for ( int i = 0; i < 3; ++i )
			along += (long double)n->rot.m[i][k] * ( p[i] - (long double)n->pos.v[i] );
		*box = fmaxl( *box, fabsl( along ) - (long double)n->half.v[k] );
	}
}

typedef struct walk {
	const dbvh_tree *tree;
	unsigned char *seen; // of each place
	size_t nodes, flat, flat_tight;
} walk;

static void expect_axes( const dbvhi_mat *m ) {
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			assert_true( fabs( dbvhi_dot( dbvhi_mat_column( m, i ), dbvhi_mat_column( m, j ) ) - ( i == j ) ) < 1e-14 );
	const dbvhi_vec across = dbvhi_cross( dbvhi_mat_column( m, 0 ), dbvhi_mat_column( m, 1 ) );
	assert_true( dbvhi_dot( across, dbvhi_mat_column( m, 2 ) ) > 0.0 );
}

// Holds all corners below a node against its volumes. `volumes` are those that are stored, and the tight one.
static void expect_enclosed( walk *w, uint32_t node, const dbvhi_node volumes[2], uint32_t below ) {
	uint32_t children[DBVHI_WIDTH];
	const uint32_t count = dbvhi_any_children( w->tree, below, children );
	for ( uint32_t k = 0; k < count; ++k )
		expect_enclosed( w, node, volumes, children[k] );
	if ( count > 0 )
		return;
	dbvhi_node room;
	const dbvhi_node *leaf = dbvhi_any_node( w->tree, below, &room );
	assert_true( leaf->count > 0 );
	for ( uint32_t i = leaf->first; i < leaf->first + leaf->count; ++i ) {
		double corners[9];
		dbvhi_tree_fragment( w->tree, i, corners );
		w->seen[i] += node == 0;
		for ( int c = 0; c < 3; ++c ) {
			long double box, sphere;
			for ( int v = 0; v < ( node == 0 ? 1 : 2 ); ++v ) {
				distances( w->tree, corners + 3 * c, &volumes[v], &box, &sphere );
				assert_true( box + (long double)w->tree->fragment_error <= 0.0L );
				assert_true( sphere <= 0.0L );
			}
		}
	}
}

static void visit( walk *w, uint32_t node ) {
	dbvhi_node volumes[2], room;
	volumes[0] = *dbvhi_any_node( w->tree, node, &room );
	expect_axes( &volumes[0].rot );
	if ( node != 0 ) {
		volumes[1] = measure( w->tree, node, false );
		expect_axes( &volumes[1].rot );
		const dbvhi_node guess = measure( w->tree, node, true );
		assert_memory_equal( &guess.rot, &volumes[1].rot, sizeof guess.rot );
		for ( int k = 0; k < 3; ++k )
			assert_true( guess.half.v[k] <= volumes[1].half.v[k] );
		// A node whose stored box is as flat as steps of its radius allow.
		const double stored = fmin( fmin( volumes[0].half.v[0], volumes[0].half.v[1] ), volumes[0].half.v[2] );
		const double tight = fmin( fmin( volumes[1].half.v[0], volumes[1].half.v[1] ), volumes[1].half.v[2] );
		const double far = w->tree->largest + volumes[0].radius;
		if ( stored <= 3.0 * volumes[0].radius / (double)DBVHI_STEPS ) {
			w->flat += 1;
			w->flat_tight += tight <= 128.0 * 0x1p-53 * far + 4.0 * w->tree->fragment_error;
		}
	}
	w->nodes += 1;
	expect_enclosed( w, node, volumes, node );
	uint32_t children[DBVHI_WIDTH];
	const uint32_t count = dbvhi_any_children( w->tree, node, children );
	for ( uint32_t k = 0; k < count; ++k ) {
		dbvhi_node seen;
		dbvhi_any_child( w->tree, node, children[k], &seen );
		const dbvhi_node child = *dbvhi_any_node( w->tree, children[k], &room );
		// The middle of the child's box, and of its sphere, taken back to the mesh.
		for ( int i = 0; i < 3; ++i ) {
			double pos = volumes[0].pos.v[i], sphere = pos;
			for ( int j = 0; j < 3; ++j ) {
				pos += volumes[0].rot.m[i][j] * seen.pos.v[j];
				sphere += volumes[0].rot.m[i][j] * seen.sphere_outside.v[j];
			}
			assert_true( fabs( pos - child.pos.v[i] ) < 1e-12 * w->tree->largest );
			assert_true( fabs( sphere - child.sphere_outside.v[i] ) < 1e-12 * w->tree->largest );
		}
		visit( w, children[k] );
	}
}

static walk walk_all( shape *s, const dbvh_tree_options *options ) {
	dbvh_tree *tree = tree_of( s, options );
	assert_true( tree->packed != NULL && !dbvhi_tree_has_reference( tree ) );
	walk w = { .tree = tree, .seen = calloc( tree->triangle_count, 1 ) };
	assert_non_null( w.seen );
	visit( &w, 0 );
	for ( size_t i = 0; i < tree->triangle_count; ++i )
		assert_int_equal( w.seen[i], 1 );
	free( w.seen );
	w.seen = NULL;
	dbvh_tree_destroy( tree );
	shape_free( s );
	return w;
}

static void turn_all( shape *s, rng *r, double away ) {
	const dbvh_pose pose = random_pose( r, 1.0 );
	for ( size_t i = 0; i < s->vertex_count; ++i ) {
		double x[3];
		memcpy( x, s->positions + 3 * i, sizeof x );
		for ( int k = 0; k < 3; ++k )
			s->positions[3 * i + (size_t)k] =
			    pose.rot[k][0] * x[0] + pose.rot[k][1] * x[1] + pose.rot[k][2] * x[2] + pose.pos[k] + away;
	}
}

static void nodes_enclose( void **state ) {
	(void)state;
	rng r = rng_announce( "tight nodes", seed_default );
	size_t nodes = 0, flat = 0, flat_tight = 0;
	for ( size_t round = 0; round < 6 + rounds( 24 ); ++round ) {
		shape s = { 0 };
		const uint64_t kind = round % 3;
		if ( kind == 0 )
			shape_add_box( &s, 1.0, 0.5, 0.7, 4 + (uint32_t)rng_below( &r, 6 ) );
		else if ( kind == 1 )
			add_soup( &s, &r, 1 + rng_below( &r, 200 ), 0.3, 0.2, false );
		else
			shape_add_torus( &s, 1.0, 0.3, 12, 8 );
		turn_all( &s, &r, rng_below( &r, 2 ) == 0 ? 0.0 : 1000.0 );
		const walk w = walk_all( &s, NULL );
		nodes += w.nodes;
		if ( kind == 0 ) {
			flat += w.flat;
			flat_tight += w.flat_tight;
		}
	}
	print_message( "%zu nodes; of boxes %zu flat, %zu of them tight\n", nodes, flat, flat_tight );
	assert_true( nodes > 200 && flat > 50 && flat_tight == flat );
}

// Long triangles, which are divided into fragments with corners that are rounded.
static void fragments_enclose( void **state ) {
	(void)state;
	rng r = rng_announce( "fragments", seed_default + 1 );
	size_t divided = 0;
	for ( size_t round = 0; round < rounds( 10 ); ++round ) {
		shape s = { 0 };
		for ( uint32_t i = 0; i < 60; ++i ) {
			double p[3], d[3];
			random_direction( &r, d );
			for ( int k = 0; k < 3; ++k )
				p[k] = rng_range( &r, -1.0, 1.0 );
			const uint32_t first = shape_vertex( &s, p[0], p[1], p[2] );
			shape_vertex( &s, p[0] + 5.0 * d[0], p[1] + 5.0 * d[1], p[2] + 5.0 * d[2] );
			shape_vertex( &s, p[0] + 1e-3, p[1] + 1e-3 * rng_unit( &r ), p[2] );
			shape_triangle( &s, first, first + 1, first + 2 );
		}
		const dbvh_tree_options options = { .fragments = DBVH_FRAGMENTS_ALL };
		dbvh_tree *tree = tree_of( &s, &options );
		divided += tree->fragment != NULL;
		dbvh_tree_destroy( tree );
		walk_all( &s, &options );
	}
	assert_outcomes( divided > 0 );
}

static uint32_t node_at( const dbvh_tree *tree, uint32_t index ) {
	return 1 + index % (uint32_t)( DBVHI_WIDTH * tree->packed->node_count );
}

// The cache gives what a search without one gives, of two trees, guesses and not, whatever was asked for before.
static void cache( void **state ) {
	(void)state;
	rng r = rng_announce( "cache", seed_default + 2 );
	static measuring b;
	memset( &b, 0, sizeof b );
	for ( uint32_t round = 1; round <= 2; ++round ) {
		dbvh_tree *trees[2];
		for ( int k = 0; k < 2; ++k ) {
			shape s = { 0 };
			add_soup( &s, &r, 700, 0.3, 0.0, false );
			trees[k] = tree_of( &s, NULL );
			shape_free( &s );
		}
		start_search( &b, trees[0], trees[1] );
		b.search.round = round;
		for ( size_t i = 0; i < 2000; ++i ) {
			const dbvh_tree *tree = trees[rng_below( &r, 2 )];
			const bool guess = rng_below( &r, 2 ) == 0;
			const uint32_t node = node_at( tree, (uint32_t)rng_below( &r, 160 ) );
			const dbvhi_packed_spheres *spheres = &dbvhi_packed_spheres_of( tree->packed )[( node - 1 ) / DBVHI_WIDTH];
			if ( spheres->radius[( node - 1 ) % DBVHI_WIDTH] == DBVHI_NO_CHILD )
				continue;
			dbvhi_node got, want = measure( tree, node, guess );
			if ( rng_below( &r, 4 ) == 0 ) {
				// A search that is over first leaves nothing wrong behind.
				b.search.work_limit = b.search.work;
				dbvhi_toi_node( &b.search, tree, node, guess, &got );
				b.search.work_limit = UINT64_MAX;
				b.search.is_over = false;
			}
			assert_true( dbvhi_toi_node( &b.search, tree, node, guess, &got ) );
			assert_memory_equal( &got.half, &want.half, sizeof want.half );
			assert_memory_equal( &got.rot, &want.rot, sizeof want.rot );
			assert_memory_equal( &got.pos, &want.pos, sizeof want.pos );
		}
		for ( int k = 0; k < 2; ++k )
			dbvh_tree_destroy( trees[k] );
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( nodes_enclose ),
	    cmocka_unit_test( fragments_enclose ),
	    cmocka_unit_test( cache ),
	};
	return test_main( argc, argv, tests );
}
