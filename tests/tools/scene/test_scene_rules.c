// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Rules by patterns against the rule of every pair by itself: random scenes, the same clashes. And what ids, groups and
// clusters promise.

#include "assembly/describe.h"
#include "assembly/findings.h"
#include "assembly/ignores.h"
#include "dualbvh/scene.h"
#include "model/properties.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"
#include "text/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 24, MOST_CLASHES = MOST_BODIES * MOST_BODIES };

static const char *const files[] = { "test" };

typedef struct stage {
	scene_assembly assembly;
	scene_trees trees;
	scene_rule_book *book;
	dbvh_scene *scene;
} stage;

static dbvh_mesh *box( double size ) {
	shape s = { 0 };
	dbvh_mesh *mesh;
	shape_add_box( &s, size, size, size, 1 );
	const dbvh_mesh_view view = shape_view( &s );
	assert_int_equal( dbvh_mesh_create( &view, NULL, &mesh, NULL ), DBVH_OK );
	shape_free( &s );
	return mesh;
}

static dbvh_scene *fill( const stage *s ) {
	dbvh_scene *scene;
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	for ( size_t i = 0; i < s->assembly.model.body_count; ++i ) {
		const scene_body *b = &s->assembly.model.bodies[i];
		const dbvh_body_options options = { .sag = b->sag };
		uint32_t number;
		assert_int_equal( dbvh_scene_add_body( scene, s->trees.trees[b->mesh], &b->pose, &options, &number, NULL ),
		                  DBVH_OK );
		assert_int_equal( number, i );
	}
	return scene;
}

// Ends with bodies that are placed and numbered, and no rules yet.
static void raise( stage *s ) {
	uint32_t failed;
	dbvh_error error;
	s->assembly.files = files;
	s->assembly.file_count = 1;
	s->assembly.file_of = calloc( s->assembly.model.body_count + 1, sizeof *s->assembly.file_of );
	assert_int_equal( scene_build_trees( &s->assembly.model, 1, NULL, NULL, NULL, &s->trees, &failed, &error ),
	                  DBVH_OK );
	s->scene = fill( s );
}

// The findings by the bodies' own rules.
static scene_findings raise_and_find( stage *s, uint32_t thread_count ) {
	scene_findings f;
	dbvh_error error;
	raise( s );
	s->book = scene_rules_open( &s->assembly.model );
	assert_int_equal( scene_rules_apply( s->book, s->scene, NULL ), DBVH_OK );
	assert_int_equal( scene_find( &s->assembly, &s->trees, s->book, s->scene, thread_count, NULL, &f, &error ),
	                  DBVH_OK );
	return f;
}

static void strike( stage *s ) {
	dbvh_scene_destroy( s->scene );
	scene_rules_close( s->book );
	scene_trees_free( &s->trees );
	scene_assembly_free( &s->assembly );
}

// One of two values, or none.
static void add_property( scene_model *m, uint32_t body, const char *key, rng *r ) {
	static const char *const values[] = { "1", "2" };
	const uint64_t which = rng_below( r, 3 );
	if ( which < 2 )
		assert_true( scene_add_property( m, body, key, values[which] ) );
}

static void add_bodies( stage *s, rng *r ) {
	scene_model *m = &s->assembly.model;
	const uint32_t meshes[] = { scene_add_mesh( m, box( 0.5 ), "small" ), scene_add_mesh( m, box( 1.25 ), "large" ) };
	const size_t count = 2 + rng_below( r, MOST_BODIES - 2 );
	const uint32_t link_count = (uint32_t)rng_below( r, 3 );
	for ( uint32_t i = 0; i < link_count; ++i )
		assert_int_equal( scene_add_link( m, "link", SCENE_NONE ), i );
	for ( size_t i = 0; i < count; ++i ) {
		char path[32];
		static const char *const parts[] = { "a", "b", "ab", "abc", "b*", "c" };
		snprintf( path, sizeof path, "%s/%s%s", parts[rng_below( r, 6 )], parts[rng_below( r, 6 )],
		          rng_below( r, 3 ) == 0 ? "/a" : "" );
		dbvh_pose pose = dbvh_pose_identity();
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = 0.25 * (double)rng_below( r, 16 );
		const uint32_t body = scene_add_body( m, path, meshes[rng_below( r, 2 )], &pose );
		assert_int_equal( body, i );
		if ( link_count > 0 && rng_below( r, 2 ) == 0 )
			m->bodies[body].link = (uint32_t)rng_below( r, link_count );
		m->bodies[body].sag = rng_below( r, 8 ) == 0 ? 0.0625 : 0.0;
		add_property( m, body, "system", r );
		add_property( m, body, "level", r );
	}
}

static const char *random_pattern( rng *r ) {
	static const char *const patterns[] = { "a",   "b",   "ab", "*",     "a*",   "?",     "a/b",
	                                        "*/a", "b/?", "c",  "abc/*", "none", "ab/a/a" };
	return patterns[rng_below( r, sizeof patterns / sizeof patterns[0] )];
}

static void add_rules( stage *s, rng *r ) {
	for ( uint64_t n = rng_below( r, 16 ); n > 0; --n ) {
		const dbvh_pair_rule rule = { .may_collide = rng_below( r, 3 ) == 0,
		                              .may_touch = rng_below( r, 3 ) == 0,
		                              .clearance = rng_below( r, 3 ) == 0 ? 0.25 * (double)rng_below( r, 8 ) : 0.0,
		                              .touch_gap = rng_below( r, 4 ) == 0 ? 0.25 : 0.0,
		                              .touch_overlap = rng_below( r, 4 ) == 0 ? 0.25 : 0.0,
		                              .allowed_depth = rng_below( r, 4 ) == 0 ? 0.125 : 0.0,
		                              .allowed_volume = rng_below( r, 4 ) == 0 ? 0.5 : 0.0 };
		const uint64_t kind = rng_below( r, 5 );
		const char *a = kind > 0 ? random_pattern( r ) : NULL, *b = kind > 1 ? random_pattern( r ) : NULL;
		const uint32_t number = scene_add_rule( &s->assembly.model, a, b, &rule );
		assert_int_not_equal( number, SCENE_NONE );
		static const char *const keys[] = { "system", "level", "name", "nothing" };
		if ( b != NULL && rng_below( r, 3 ) == 0 )
			assert_true( scene_set_text( &s->assembly.model.rules[number].same, keys[rng_below( r, 4 )] ) );
	}
}

// ------------------------------------------------------------------------------------------------
// What the rules say, in the plainest way

static bool have_same( const char *key, const scene_body *a, const scene_body *b ) {
	const char *x = scene_property_of( a, key ), *y = scene_property_of( b, key );
	return x != NULL && y != NULL && strcmp( x, y ) == 0;
}

static bool speaks_of( const scene_rule *rule, const char *a, const char *b ) {
	return ( scene_matches( rule->a, a ) && scene_matches( rule->b, b ) ) ||
	       ( scene_matches( rule->a, b ) && scene_matches( rule->b, a ) );
}

static double larger( double a, double b ) {
	return a > b ? a : b;
}

static dbvh_pair_rule plain_rule( const scene_model *m, uint32_t a, uint32_t b ) {
	const scene_rule *of_pair = NULL, *of_a = NULL, *of_b = NULL, *general = NULL;
	const char *path_a = m->bodies[a].path, *path_b = m->bodies[b].path;
	if ( m->bodies[a].link != SCENE_NONE && m->bodies[a].link == m->bodies[b].link )
		return ( dbvh_pair_rule ){ .may_collide = true };
	for ( size_t i = 0; i < m->rule_count; ++i ) {
		const scene_rule *rule = &m->rules[i];
		if ( rule->a == NULL )
			general = rule;
		else if ( rule->b != NULL )
			of_pair = speaks_of( rule, path_a, path_b ) &&
			                  ( rule->same == NULL || have_same( rule->same, &m->bodies[a], &m->bodies[b] ) )
			              ? rule
			              : of_pair;
		else {
			of_a = scene_matches( rule->a, path_a ) ? rule : of_a;
			of_b = scene_matches( rule->a, path_b ) ? rule : of_b;
		}
	}
	if ( of_pair != NULL )
		return of_pair->rule;
	if ( of_a == NULL && of_b == NULL )
		return general != NULL ? general->rule : dbvh_pair_rule_default();
	const dbvh_pair_rule x = ( of_a != NULL ? of_a : of_b )->rule, y = ( of_b != NULL ? of_b : of_a )->rule;
	return ( dbvh_pair_rule ){ .may_collide = x.may_collide || y.may_collide,
	                           .may_touch = x.may_touch || y.may_touch,
	                           .clearance = larger( x.clearance, y.clearance ),
	                           .touch_gap = larger( x.touch_gap, y.touch_gap ),
	                           .touch_overlap = larger( x.touch_overlap, y.touch_overlap ),
	                           .allowed_depth = larger( x.allowed_depth, y.allowed_depth ),
	                           .allowed_volume = larger( x.allowed_volume, y.allowed_volume ) };
}

static size_t clashes_of( dbvh_scene *scene, dbvh_clash *clashes ) {
	const dbvh_scene_query query = { .find = DBVH_FIND_ALL, .thread_count = 1 };
	dbvh_scene_result result;
	assert_int_equal( dbvh_scene_clashes( scene, &query, clashes, MOST_CLASHES, &result, NULL ), DBVH_OK );
	return result.written_count;
}

static size_t plain_clashes( const stage *s, dbvh_clash *clashes ) {
	const uint32_t count = (uint32_t)s->assembly.model.body_count;
	dbvh_scene *scene = fill( s );
	for ( uint32_t a = 0; a < count; ++a )
		for ( uint32_t b = a + 1; b < count; ++b ) {
			const dbvh_pair_rule rule = plain_rule( &s->assembly.model, a, b );
			assert_int_equal( dbvh_scene_set_pair_rule( scene, a, b, &rule, NULL ), DBVH_OK );
		}
	const size_t found = clashes_of( scene, clashes );
	dbvh_scene_destroy( scene );
	return found;
}

static void test_rules_are_those_of_pairs( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_rules", 15 );
	static dbvh_clash found[MOST_CLASHES], expected[MOST_CLASHES];
	size_t clashes = 0, allowed = 0;
	for ( size_t n = rounds( 40 ); n > 0; --n ) {
		stage s = { 0 };
		add_bodies( &s, &r );
		add_rules( &s, &r );
		raise( &s );
		s.book = scene_rules_open( &s.assembly.model );
		assert_non_null( s.book );
		const bool all = rng_below( &r, 4 ) == 0;
		assert_int_equal( ( all ? scene_rules_apply_to_all : scene_rules_apply )( s.book, s.scene, NULL ), DBVH_OK );
		const size_t count = clashes_of( s.scene, found ), expected_count = plain_clashes( &s, expected );
		assert_int_equal( count, expected_count );
		for ( size_t i = 0; i < count; ++i ) {
			assert_int_equal( found[i].a, expected[i].a );
			assert_int_equal( found[i].b, expected[i].b );
			assert_int_equal( found[i].kind, expected[i].kind );
			assert_true( found[i].distance == expected[i].distance );
		}
		clashes += count;
		dbvh_scene *strict = fill( &s );
		allowed += clashes_of( strict, expected ) > count;
		dbvh_scene_destroy( strict );
		strike( &s );
	}
	assert_outcomes( clashes > 0 && allowed > 0 );
}

// Four boxes in one place, of the systems 1, 1, 2 and none; rules of the first pattern and the second, with a `same` or
// without, which let bodies meet or not. Returns how many pairs clash.
typedef struct same_rule {
	const char *a, *b;
	bool is_same, may_collide;
} same_rule;

static size_t clashes_by( const same_rule *rules, size_t count ) {
	static const char *const paths[] = { "a1", "b1", "b2", "c" }, *const systems[] = { "1", "1", "2", NULL };
	static dbvh_clash found[MOST_CLASHES];
	stage s = { 0 };
	scene_model *m = &s.assembly.model;
	const uint32_t mesh = scene_add_mesh( m, box( 0.5 ), "box" );
	for ( uint32_t i = 0; i < 4; ++i ) {
		dbvh_pose pose = dbvh_pose_identity();
		pose.pos[0] = 0.125 * i;
		assert_int_equal( scene_add_body( m, paths[i], mesh, &pose ), i );
		assert_true( systems[i] == NULL || scene_add_property( m, i, "system", systems[i] ) );
	}
	for ( size_t i = 0; i < count; ++i ) {
		const dbvh_pair_rule rule = { .may_collide = rules[i].may_collide };
		const uint32_t number = scene_add_rule( m, rules[i].a, rules[i].b, &rule );
		assert_true( !rules[i].is_same || scene_set_text( &m->rules[number].same, "system" ) );
	}
	raise( &s );
	s.book = scene_rules_open( m );
	assert_int_equal( scene_rules_apply( s.book, s.scene, NULL ), DBVH_OK );
	const size_t clashes = clashes_of( s.scene, found );
	strike( &s );
	return clashes;
}

static void test_same_values( void **state ) {
	(void)state;
	static const same_rule none[] = { { "x", "y", false, true } }, all[] = { { "*", "*", true, true } };
	static const same_rule later[] = { { "*", "*", false, false }, { "*", "*", true, true } };
	static const same_rule earlier[] = { { "*", "*", true, true }, { "*", "*", false, false } };
	static const same_rule one_way[] = { { "a*", "b*", true, true } }, other_way[] = { { "b*", "a*", true, true } };
	static const same_rule elsewhere[] = { { "b*", "c*", true, true } };
	assert_int_equal( clashes_by( none, 1 ), 6 );
	assert_int_equal( clashes_by( all, 1 ), 5 );
	assert_int_equal( clashes_by( later, 2 ), 5 );
	assert_int_equal( clashes_by( earlier, 2 ), 6 );
	assert_int_equal( clashes_by( one_way, 1 ), 5 );
	assert_int_equal( clashes_by( other_way, 1 ), 5 );
	assert_int_equal( clashes_by( elsewhere, 1 ), 6 );
}

// ------------------------------------------------------------------------------------------------
// Groups

// Every clash that is not ignored is in one group, of one of its bodies, and in one cluster of it; no body has more
// clashes left than the one whose turn it is; clusters of a group have an axis with a gap between them, or were parted
// by one.
static void check_groups( const scene_findings *f ) {
	size_t *left = calloc( f->assembly->model.body_count, sizeof *left );
	size_t grouped = 0, clustered = 0;
	for ( size_t i = 0; i < f->worst_count; ++i ) {
		++left[f->clashes[f->worst[i]].a];
		++left[f->clashes[f->worst[i]].b];
	}
	for ( size_t g = 0; g < f->group_count; ++g ) {
		const scene_group *group = &f->groups[g];
		assert_int_equal( group->first, grouped );
		assert_int_equal( group->count, left[group->body] );
		for ( size_t i = 0; i < f->assembly->model.body_count; ++i )
			assert_true( left[i] < group->count || ( left[i] == group->count && i >= group->body ) );
		for ( size_t i = 0; i < group->count; ++i ) {
			const scene_clash *c = &f->clashes[f->grouped[group->first + i]];
			assert_int_equal( c->group, g );
			assert_true( c->a == group->body || c->b == group->body );
			assert_true( c->cluster >= group->first_cluster &&
			             c->cluster < group->first_cluster + group->cluster_count );
			--left[c->a];
			--left[c->b];
		}
		grouped += group->count;
	}
	for ( size_t k = 0; k < f->cluster_count; ++k )
		clustered += f->clusters[k].count;
	assert_int_equal( grouped, f->worst_count );
	assert_int_equal( clustered, f->worst_count );
	free( left );
}

// Two of one cluster may be far apart, but not if their boxes overlap and they are of one group.
static void check_clusters( const scene_findings *f ) {
	for ( size_t i = 0; i < f->worst_count; ++i ) {
		for ( size_t k = i + 1; k < f->worst_count; ++k ) {
			const scene_clash *c = &f->clashes[f->worst[i]], *d = &f->clashes[f->worst[k]];
			bool overlap = c->group == d->group;
			for ( int axis = 0; axis < 3; ++axis )
				overlap =
				    overlap && c->region.min[axis] <= d->region.max[axis] && d->region.min[axis] <= c->region.max[axis];
			if ( overlap )
				assert_int_equal( c->cluster, d->cluster );
		}
	}
}

static void test_groups_cover_what_is_found( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_groups", 16 );
	size_t groups = 0, clusters = 0;
	for ( size_t n = rounds( 12 ); n > 0; --n ) {
		stage s = { 0 };
		add_bodies( &s, &r );
		scene_findings f = raise_and_find( &s, 3 );
		for ( size_t i = 0; i < f.clash_count; ++i )
			f.clashes[i].ignored_by = rng_below( &r, 5 ) == 0 ? 0 : SCENE_NONE;
		assert_true( scene_sort_worst( &f ) && scene_group_clashes( &f ) );
		check_groups( &f );
		check_clusters( &f );
		groups += f.group_count;
		clusters += f.cluster_count;
		scene_findings_free( &f );
		strike( &s );
	}
	assert_outcomes( groups > 0 && clusters > groups );
}

// Body B moved by `separation`, and a little more for what it is rounded by, overlaps A no more.
static void test_separations_part( void **state ) {
	(void)state;
	rng r = rng_announce( "scene_separations", 17 );
	size_t parted = 0;
	for ( size_t n = rounds( 6 ); n > 0; --n ) {
		stage s = { 0 };
		add_bodies( &s, &r );
		scene_findings f = raise_and_find( &s, 1 );
		assert_true( scene_sort_worst( &f ) );
		assert_int_equal( scene_part_worst( &f, f.worst_count, 1, NULL ), DBVH_OK );
		for ( size_t i = 0; i < f.clash_count; ++i ) {
			const scene_clash *c = &f.clashes[i];
			const scene_body *a = &s.assembly.model.bodies[c->a], *b = &s.assembly.model.bodies[c->b];
			assert_true( !c->overlap.has_penetration || c->exact >= DBVH_RELATION_OVERLAPPING );
			if ( !c->overlap.has_penetration )
				continue;
			assert_true( c->overlap.penetration.upper >= c->overlap.depth.lower );
			dbvh_pose moved = b->pose;
			dbvh_relate_result related;
			for ( int k = 0; k < 3; ++k )
				moved.pos[k] += ( 1.0 + 1e-9 ) * c->overlap.separation[k];
			assert_int_equal( dbvh_relate( s.trees.trees[a->mesh], &a->pose, s.trees.trees[b->mesh], &moved, NULL, NULL,
			                               &related, NULL ),
			                  DBVH_OK );
			assert_true( related.relation == DBVH_RELATION_TOUCHING || related.relation == DBVH_RELATION_DISJOINT );
			++parted;
		}
		scene_findings_free( &f );
		strike( &s );
	}
	assert_outcomes( parted > 0 );
}

// ------------------------------------------------------------------------------------------------
// Hashes

// Ids are kept in baselines and ignore lists: they must never change.
static void test_hashes_stay( void **state ) {
	(void)state;
	char text[SCENE_HASH_ROOM];
	assert_string_equal( scene_hash_print( scene_hash_text( SCENE_HASH_START, "engine/block" ), text ),
	                     "34766968692ea70c" );
	assert_string_equal( scene_hash_print( scene_hash_real( SCENE_HASH_START, 0.1 ), text ), "1f2843b41b42792e" );
	assert_true( scene_hash_real( 1, 0.0 ) == scene_hash_real( 1, -0.0 ) );
	assert_true( scene_hash_text( scene_hash_text( 1, "a" ), "b" ) !=
	             scene_hash_text( scene_hash_text( 1, "ab" ), "" ) );
	assert_true( scene_hash_text( 1, NULL ) != scene_hash_text( 1, "" ) );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_rules_are_those_of_pairs ),
	    cmocka_unit_test( test_same_values ),
	    cmocka_unit_test( test_groups_cover_what_is_found ),
	    cmocka_unit_test( test_separations_part ),
	    cmocka_unit_test( test_hashes_stay ),
	};
	return test_main( argc, argv, tests );
}
