// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A cache after any sequence of calls says what dbvh_collide() says without one: moves of any length, other meshes,
// trees built anew, trees refitted or made another's equal while the cache holds facts about them, calls that fail, and
// two caches that exchange what they hold.

#include "dualbvh/cache.h"
#include "support/scene.h"
#include "support/sequences.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

enum { MESHES = 5, ROOM = 256 };

typedef struct world {
	shape meshes[MESHES];
	double *base[MESHES]; // the vertices as they were at first
	dbvh_tree *trees[MESHES];
	bool is_changed[MESHES];
	dbvh_workspace *workspace;
} world;

// A pair that moves, and its caches.
typedef struct machine {
	world *w;
	rng r; // the step's generator
	int a, b;
	dbvh_pose pose_a, pose_b;
	dbvh_policy policy;
	double way[3], step;
	dbvh_cache cache, other;
} machine;

static bool one_in( machine *m, uint64_t n ) {
	return rng_below( &m->r, n ) == 0;
}

static void build( world *w, int at, const dbvh_tree_options *options ) {
	const dbvh_mesh_view view = shape_view( &w->meshes[at] );
	dbvh_tree_options with = options != NULL ? *options : dbvh_tree_options_default();
	with.reference = at % 2 == 0;
	dbvh_tree_destroy( w->trees[at] );
	assert_int_equal( dbvh_tree_build( &view, &with, NULL, &w->trees[at], NULL ), DBVH_OK );
}

// The policy of the sequence, or the default if a tree lacks the reference form that it needs.
static dbvh_policy policy_of( const machine *m ) {
	return m->a % 2 == 0 && m->b % 2 == 0 ? m->policy : DBVH_POLICY_DEFAULT;
}

static const char *ask( machine *m ) {
	dbvh_pair truth[ROOM], pairs[ROOM];
	dbvh_collide_result all, out;
	dbvh_collide_query query = {
	    .find = DBVH_FIND_ALL, .policy = policy_of( m ), .pairs = truth, .pair_capacity = ROOM };
	const dbvh_tree *a = m->w->trees[m->a], *b = m->w->trees[m->b];
	if ( dbvh_collide( a, &m->pose_a, b, &m->pose_b, &query, m->w->workspace, &all, NULL ) != DBVH_OK )
		return "dbvh_collide() fails";
	query.find = one_in( m, 5 ) ? DBVH_FIND_ALL : DBVH_FIND_ANY;
	query.pairs = pairs;
	dbvh_workspace *workspace = one_in( m, 40 ) ? NULL : m->w->workspace;
	if ( dbvh_collide_cached( a, &m->pose_a, b, &m->pose_b, &query, &m->cache, workspace, &out, NULL ) != DBVH_OK )
		return "dbvh_collide_cached() fails";
	if ( out.verdict != all.verdict )
		return out.verdict == DBVH_DISJOINT ? "the cache misses a contact" : "the cache makes one up";
	if ( query.find == DBVH_FIND_ALL )
		return out.pair_count == all.pair_count && memcmp( pairs, truth, all.pair_written * sizeof *pairs ) == 0
		           ? NULL
		           : "the pairs differ";
	if ( out.verdict == DBVH_DISJOINT || all.pair_count > ROOM )
		return NULL;
	for ( size_t i = 0; i < all.pair_written; ++i ) {
		if ( truth[i].a == out.first.a && truth[i].b == out.first.b )
			return NULL;
	}
	return "the pair does not meet";
}

// On, by the step of the sequence or a little more or less, and asked each time.
static const char *wander( machine *m ) {
	const size_t count = 1 + rng_below( &m->r, 6 );
	for ( size_t i = 0; i < count; ++i ) {
		for ( int k = 0; k < 3; ++k )
			m->pose_b.pos[k] += m->step * m->way[k] * rng_range( &m->r, 0.5, 1.0 );
		const char *wrong = ask( m );
		if ( wrong != NULL )
			return wrong;
	}
	return NULL;
}

static const char *turn( machine *m ) {
	double axis[3];
	random_direction( &m->r, axis );
	const dbvh_pose by = shape_pose( axis, 57.0 * m->step * rng_unit( &m->r ), ( double[3] ){ 0, 0, 0 } );
	dbvh_pose pose = m->pose_b;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			pose.rot[i][j] = 0.0;
			for ( int k = 0; k < 3; ++k )
				pose.rot[i][j] += m->pose_b.rot[i][k] * by.rot[k][j];
		}
	}
	if ( dbvh_pose_orthonormalise( &pose, &m->pose_b, NULL, NULL ) != DBVH_OK )
		return "no pose";
	return ask( m );
}

static const char *leave_for( machine *m ) {
	random_direction( &m->r, m->way );
	if ( one_in( m, 4 ) )
		m->step = ldexp( 1.0, -(int)rng_below( &m->r, 12 ) );
	return wander( m );
}

// To where faces may touch exactly, by steps without rounding.
static const char *approach( machine *m ) {
	const int axis = (int)rng_below( &m->r, 3 );
	const double step = ldexp( 1.0, -(int)rng_below( &m->r, 6 ) - 2 );
	m->pose_a = dbvh_pose_identity();
	m->pose_b = dbvh_pose_identity();
	for ( int k = 0; k < 3; ++k )
		m->pose_b.pos[k] = 0.125;
	for ( int i = 8; i >= 0; --i ) {
		m->pose_b.pos[axis] = 1.0 + i * step;
		const char *wrong = ask( m );
		if ( wrong != NULL )
			return wrong;
	}
	return NULL;
}

static const char *jump( machine *m ) {
	m->pose_b = random_pose( &m->r, 1.5 );
	if ( one_in( m, 4 ) )
		m->pose_a = random_pose( &m->r, 0.5 );
	return ask( m );
}

static const char *exchange( machine *m ) {
	const int a = m->a;
	const dbvh_pose pose = m->pose_a;
	m->a = m->b;
	m->pose_a = m->pose_b;
	m->b = a;
	m->pose_b = pose;
	return ask( m );
}

// Another mesh takes the place of one, at the same poses; and now and then comes back at once.
static const char *other_mesh( machine *m ) {
	int *which = one_in( m, 2 ) ? &m->a : &m->b;
	const int before = *which;
	*which = (int)rng_below( &m->r, MESHES );
	const char *wrong = ask( m );
	if ( one_in( m, 2 ) )
		*which = before;
	return wrong != NULL ? wrong : ask( m );
}

static const char *other_cache( machine *m ) {
	const dbvh_cache kept = m->cache;
	m->cache = one_in( m, 4 ) ? dbvh_cache_default() : m->other;
	m->other = kept;
	return ask( m );
}

static const char *build_anew( machine *m ) {
	const dbvh_tree_options options = {
	    .leaf_size = rng_below( &m->r, 6 ),
	    .quality = one_in( m, 2 ) ? DBVH_QUALITY_FAST : DBVH_QUALITY_BEST,
	};
	build( m->w, one_in( m, 2 ) ? m->a : m->b, &options );
	return ask( m );
}

// The mesh grows, shrinks, moves or becomes as it was, in the tree that the cache knows.
static const char *refit( machine *m ) {
	const int at = one_in( m, 2 ) ? m->a : m->b;
	shape *mesh = &m->w->meshes[at];
	const double scale = one_in( m, 3 ) ? 1.0 : one_in( m, 2 ) ? 1.25 : 0.75, way = one_in( m, 2 ) ? 0.0 : 0.375;
	const bool is_bad = one_in( m, 8 );
	const double kept = mesh->positions[0];
	for ( size_t i = 0; i < 3 * mesh->vertex_count && !is_bad; ++i )
		mesh->positions[i] = scale * m->w->base[at][i] + ( i % 3 == 1 ? way : 0.0 );
	if ( is_bad )
		mesh->positions[0] = INFINITY;
	const dbvh_mesh_view view = shape_view( mesh );
	const dbvh_status status = dbvh_tree_refit( m->w->trees[at], &view, NULL );
	if ( is_bad )
		mesh->positions[0] = kept;
	m->w->is_changed[at] = true;
	return status == ( is_bad ? DBVH_NOT_FINITE : DBVH_OK ) ? ask( m ) : "the refit";
}

static bool is_cancelled( void *user ) {
	(void)user;
	return true;
}

// A pose that is none, a budget, a callback that ends it: what is kept is as good as before.
static const char *call_in_vain( machine *m ) {
	const dbvh_tree *a = m->w->trees[m->a], *b = m->w->trees[m->b];
	dbvh_collide_result out, all;
	dbvh_pose none = m->pose_b;
	none.rot[0][0] = NAN;
	if ( dbvh_collide_cached( a, NULL, b, &none, NULL, &m->cache, NULL, &out, NULL ) != DBVH_NOT_FINITE )
		return "a pose that is none is taken";
	const dbvh_budget budget = { .max_work = 1 + rng_below( &m->r, 20 ),
	                             .is_cancelled = one_in( m, 2 ) ? is_cancelled : NULL };
	const dbvh_collide_query query = { .find = DBVH_FIND_ANY, .policy = policy_of( m ), .budget = &budget };
	const dbvh_status status =
	    dbvh_collide_cached( a, &m->pose_a, b, &m->pose_b, &query, &m->cache, m->w->workspace, &out, NULL );
	if ( status != DBVH_OK && status != DBVH_BUDGET_SPENT && status != DBVH_CANCELLED )
		return "a budget fails";
	if ( dbvh_collide( a, &m->pose_a, b, &m->pose_b, NULL, m->w->workspace, &all, NULL ) != DBVH_OK )
		return "dbvh_collide() fails";
	if ( ( status == DBVH_OK || out.verdict == DBVH_INTERSECTING ) && out.verdict != all.verdict )
		return "within a budget the verdict is wrong";
	return ask( m );
}

typedef struct kind {
	const char *name;
	const char *( *run )( machine *m );
} kind;

static const kind kinds[] = { { "wander", wander },
                              { "wander", wander },
                              { "wander", wander },
                              { "turn", turn },
                              { "turn", turn },
                              { "leave_for", leave_for },
                              { "approach", approach },
                              { "jump", jump },
                              { "exchange", exchange },
                              { "other_mesh", other_mesh },
                              { "other_cache", other_cache },
                              { "build_anew", build_anew },
                              { "refit", refit },
                              { "call_in_vain", call_in_vain } };
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *run_steps( void *of, uint64_t setup, const sequence_step *steps, size_t count, size_t *step_out ) {
	static const dbvh_policy policies[] = { DBVH_POLICY_DEFAULT, DBVH_POLICY_DEFAULT, DBVH_POLICY_PACKED,
	                                        DBVH_POLICY_DUAL };
	world *w = of;
	machine m = { .w = w, .r = { setup }, .cache = dbvh_cache_default(), .other = dbvh_cache_default() };
	m.a = (int)rng_below( &m.r, MESHES );
	m.b = (int)rng_below( &m.r, MESHES );
	m.pose_a = dbvh_pose_identity();
	m.pose_b = random_pose( &m.r, 1.5 );
	m.policy = policies[rng_below( &m.r, 4 )];
	m.step = ldexp( 1.0, -(int)rng_below( &m.r, 12 ) );
	random_direction( &m.r, m.way );
	const char *wrong = NULL;
	for ( *step_out = 0; *step_out < count; ++*step_out ) {
		m.r = ( rng ){ steps[*step_out].seed };
		wrong = kinds[steps[*step_out].kind].run( &m );
		if ( wrong != NULL )
			break;
	}
	for ( int i = 0; i < MESHES; ++i ) {
		if ( w->is_changed[i] ) {
			memcpy( w->meshes[i].positions, w->base[i], 3 * w->meshes[i].vertex_count * sizeof( double ) );
			build( w, i, NULL );
		}
		w->is_changed[i] = false;
	}
	return wrong;
}

static world make_world( void ) {
	world w = { .is_changed = { false } };
	rng r = { 5 };
	shape_add_box( &w.meshes[0], 0.5, 0.5, 0.5, 1 );
	shape_add_torus( &w.meshes[1], 0.6, 0.2, 9, 6 );
	shape_add_box( &w.meshes[2], 1.0, 1.0, 0.0625, 2 );
	add_soup( &w.meshes[3], &r, 40, 0.2, 0.1, true );
	shape_add_box( &w.meshes[4], 1.5, 0.05, 0.05, 1 );
	for ( int i = 0; i < MESHES; ++i ) {
		const size_t bytes = 3 * w.meshes[i].vertex_count * sizeof( double );
		w.base[i] = malloc( bytes );
		assert_non_null( w.base[i] );
		memcpy( w.base[i], w.meshes[i].positions, bytes );
		build( &w, i, NULL );
	}
	assert_int_equal( dbvh_workspace_create( NULL, &w.workspace, NULL ), DBVH_OK );
	return w;
}

static void same_as_without( void **state ) {
	(void)state;
	const rng r = rng_announce( "cache_state", 272 );
	world w = make_world();
	const char *names[KINDS];
	for ( size_t i = 0; i < KINDS; ++i )
		names[i] = kinds[i].name;
	const sequence_test test = {
	    .name = "cache_state", .kinds = names, .kind_count = KINDS, .run = run_steps, .world = &w };
	const size_t count = rounds( 1000 );
	const size_t failed = run_sequences( &test, r.state, count );
	printf( "cache_state: %zu sequences of up to %d steps, %zu wrong\n", count, SEQUENCE_MOST, failed );
	for ( int i = 0; i < MESHES; ++i ) {
		dbvh_tree_destroy( w.trees[i] );
		shape_free( &w.meshes[i] );
		free( w.base[i] );
	}
	dbvh_workspace_destroy( w.workspace );
	assert_int_equal( failed, 0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = { cmocka_unit_test( same_as_without ) };
	return test_main( argc, argv, tests );
}
