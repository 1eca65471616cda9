// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The robots in data/robots: their links hang together at every configuration, nothing collides where their states say
// that they stand, and what their SRDF calls "Never" never does. A robot whose meshes are not on this machine is left
// out; that of solids is always there.

#include "assembly/joints.h"
#include "dualbvh/dualbvh.h"
#include "formats/files.h"
#include "model/rules_apply.h"
#include "support/data.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct robot_case {
	const char *name;
	size_t body_count, moving_count;
	double reach; // neighbours are at most this far apart: metres
	struct {
		const char *state;
		bool collides;
	} states[4];
} robot_case;

static const robot_case cases[] = {
    { "arm", 9, 5, 0.05, { { "zero", false }, { "folded", true } } },
    { "ur5e", 7, 6, 0.005, { { "zero", false }, { "up", false }, { "home", false } } },
    { "ur10", 7, 6, 0.005, { { "zero", false }, { "up", false }, { "home", false } } },
    { "panda", 11, 8, 0.005, { { "ready", false }, { "extended", false }, { "open", true } } },
};

typedef struct loaded {
	scene_model model;
	dbvh_tree **trees;
	dbvh_pose *poses;
} loaded;

static bool load( const robot_case *c, loaded *r ) {
	char path[1024], package[1024];
	dbvh_error error;
	*r = ( loaded ){ 0 };
	snprintf( package, sizeof package, "%s=%s/robot/%s", c->name, data_folder(), c->name );
	const char *const packages[] = { package };
	const scene_read_options options = { .packages = packages, .package_count = 1 };
	snprintf( path, sizeof path, "%s/%s.urdf", ROBOTS, c->name );
	if ( scene_read_file( path, &options, &r->model, &error ) != DBVH_OK ) {
		printf( "%s: %s\n", c->name, error.text );
		assert_int_equal( error.status, DBVH_IO ); // the meshes are elsewhere
		scene_model_free( &r->model );
		return false;
	}
	snprintf( path, sizeof path, "%s/%s.srdf", ROBOTS, c->name );
	char text[1 << 14];
	FILE *file = fopen( path, "rb" );
	assert_non_null( file );
	const size_t count = fread( text, 1, sizeof text, file );
	fclose( file );
	assert_true( count < sizeof text );
	if ( scene_read_srdf( (const unsigned char *)text, count, &r->model, &error ) != DBVH_OK )
		fail_msg( "%s: line %lld: %s", path, (long long)error.line, error.text );

	r->trees = calloc( r->model.mesh_count, sizeof( dbvh_tree * ) );
	for ( size_t i = 0; i < r->model.mesh_count; ++i ) {
		const dbvh_mesh_view view = dbvh_mesh_get_view( r->model.meshes[i].mesh );
		assert_int_equal( dbvh_tree_build( &view, NULL, NULL, &r->trees[i], &error ), DBVH_OK );
	}
	r->poses = calloc( r->model.body_count, sizeof *r->poses );
	return true;
}

static void unload( loaded *r ) {
	for ( size_t i = 0; i < r->model.mesh_count; ++i )
		dbvh_tree_destroy( r->trees[i] );
	free( r->trees );
	free( r->poses );
	scene_model_free( &r->model );
}

static bool collide( const loaded *r, size_t i, size_t k ) {
	const scene_body *a = &r->model.bodies[i], *b = &r->model.bodies[k];
	dbvh_collide_result result;
	assert_int_equal(
	    dbvh_collide( r->trees[a->mesh], &r->poses[i], r->trees[b->mesh], &r->poses[k], NULL, NULL, &result, NULL ),
	    DBVH_OK );
	return result.verdict == DBVH_INTERSECTING;
}

static double distance( const loaded *r, size_t i, size_t k ) {
	const scene_body *a = &r->model.bodies[i], *b = &r->model.bodies[k];
	dbvh_distance_result result;
	assert_int_equal(
	    dbvh_distance( r->trees[a->mesh], &r->poses[i], r->trees[b->mesh], &r->poses[k], NULL, NULL, &result, NULL ),
	    DBVH_OK );
	return result.distance;
}

// The reason why two bodies may meet; NULL: they may not. Every rule of these robots is of a pair.
static const char *excuse( const scene_model *model, size_t i, size_t k ) {
	const char *a = model->bodies[i].path, *b = model->bodies[k].path;
	if ( model->bodies[i].link == model->bodies[k].link )
		return "one link";
	for ( size_t n = 0; n < model->rule_count; ++n ) {
		const scene_rule *rule = &model->rules[n];
		if ( ( scene_matches( rule->a, a ) && scene_matches( rule->b, b ) ) ||
		     ( scene_matches( rule->a, b ) && scene_matches( rule->b, a ) ) )
			return rule->reason;
	}
	return NULL;
}

static size_t check_state( const robot_case *c, const loaded *r, const double *values, const char *name ) {
	size_t clashes = 0;
	assert_true( scene_place( &r->model, values, r->poses ) );
	for ( size_t i = 0; i < r->model.body_count; ++i ) {
		for ( size_t k = i + 1; k < r->model.body_count; ++k ) {
			const char *why = excuse( &r->model, i, k );
			if ( why == NULL && collide( r, i, k ) ) {
				++clashes;
				printf( "%s, %s: %s and %s collide\n", c->name, name, r->model.bodies[i].path,
				        r->model.bodies[k].path );
			}
		}
	}
	return clashes;
}

static void test_states( void **state ) {
	(void)state;
	for ( size_t n = 0; n < sizeof cases / sizeof cases[0]; ++n ) {
		const robot_case *c = &cases[n];
		loaded r;
		if ( !load( c, &r ) )
			continue;
		assert_int_equal( r.model.body_count, c->body_count );
		uint32_t columns[64];
		assert_int_equal( scene_joint_columns( &r.model, columns ), c->moving_count );
		for ( size_t s = 0; s < r.model.state_count; ++s ) {
			assert_string_equal( r.model.states[s].name, c->states[s].state );
			const size_t clashes = check_state( c, &r, r.model.states[s].values, c->states[s].state );
			if ( ( clashes > 0 ) != c->states[s].collides )
				fail_msg( "%s, %s: %zu clashes", c->name, c->states[s].state, clashes );
		}
		unload( &r );
	}
}

// Random joint values within the limits; joints that follow others have none.
static void random_configuration( rng *g, const scene_model *model, double *values ) {
	for ( size_t i = 0; i < model->link_count; ++i ) {
		const scene_link *link = &model->links[i];
		values[i] =
		    link->kind != SCENE_JOINT_FIXED ? rng_range( g, fmax( link->lower, -3.2 ), fmin( link->upper, 3.2 ) ) : 0.0;
	}
}

static void test_random_configurations( void **state ) {
	(void)state;
	rng g = rng_announce( "robots", 71 );
	for ( size_t n = 0; n < sizeof cases / sizeof cases[0]; ++n ) {
		const robot_case *c = &cases[n];
		loaded r;
		if ( !load( c, &r ) )
			continue;
		const size_t scaled = rounds( 100 ), count = scaled > 50 ? scaled : 50; // fewer may all be clear
		size_t clear = 0;
		for ( size_t q = 0; q < count; ++q ) {
			double values[64];
			random_configuration( &g, &r.model, values );
			assert_true( scene_place( &r.model, values, r.poses ) );
			bool collides = false;
			for ( size_t i = 0; i < r.model.body_count; ++i ) {
				for ( size_t k = i + 1; k < r.model.body_count; ++k ) {
					const char *why = excuse( &r.model, i, k );
					if ( why == NULL )
						collides = collides || collide( &r, i, k );
					else if ( strcmp( why, "Never" ) == 0 && collide( &r, i, k ) )
						fail_msg( "%s: %s and %s collide, and never should", c->name, r.model.bodies[i].path,
						          r.model.bodies[k].path );
					else if ( strcmp( why, "Adjacent" ) == 0 && q < 3 && !( distance( &r, i, k ) <= c->reach ) )
						fail_msg( "%s: %s and %s are %g apart, and should hang together", c->name,
						          r.model.bodies[i].path, r.model.bodies[k].path, distance( &r, i, k ) );
				}
			}
			clear += !collides;
		}
		printf( "%s: %zu of %zu configurations are clear\n", c->name, clear, count );
		assert_outcomes( clear > 0 && clear < count );
		unload( &r );
	}
}

// The scene of a robot says of each of many configurations which bodies collide: as the bodies do one by one.
static void test_batch_against_brute_force( void **state ) {
	(void)state;
	enum { MOST = 100, ROOM = 64 };
	rng g = rng_announce( "robots in batches", 72 );
	for ( size_t n = 0; n < sizeof cases / sizeof cases[0]; ++n ) {
		loaded r;
		dbvh_error error;
		if ( !load( &cases[n], &r ) )
			continue;
		const size_t bodies = r.model.body_count;
		dbvh_scene *scene;
		assert_int_equal( dbvh_scene_create( NULL, &scene, &error ), DBVH_OK );
		for ( size_t i = 0; i < bodies; ++i ) {
			uint32_t number;
			assert_int_equal(
			    dbvh_scene_add_body( scene, r.trees[r.model.bodies[i].mesh], NULL, NULL, &number, &error ), DBVH_OK );
			assert_int_equal( number, i );
		}
		scene_rule_book *book = scene_rules_open( &r.model );
		assert_int_equal( scene_rules_apply_to_all( book, scene, &error ), DBVH_OK );
		for ( size_t i = 0; i < r.model.rule_count; ++i )
			assert_true( r.model.rules[i].is_used );

		dbvh_pose *poses = calloc( MOST * bodies, sizeof *poses );
		dbvh_configuration_result results[MOST];
		dbvh_body_pair pairs[MOST * ROOM];
		size_t begin[MOST + 1];
		for ( size_t q = 0; q < MOST; ++q ) {
			double values[64];
			random_configuration( &g, &r.model, values );
			assert_true( scene_place( &r.model, values, poses + q * bodies ) );
			begin[q] = q * ROOM;
		}
		begin[MOST] = MOST * ROOM;
		const dbvh_configurations_query query = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_begin = begin };
		assert_int_equal( dbvh_scene_collide_batch( scene, poses, MOST, &query, results, &error ), DBVH_OK );
		size_t collisions = 0;
		for ( size_t q = 0; q < MOST; ++q ) {
			memcpy( r.poses, poses + q * bodies, bodies * sizeof *poses );
			size_t found = 0;
			for ( uint32_t i = 0; i < bodies; ++i ) {
				for ( uint32_t k = i + 1; k < bodies; ++k ) {
					if ( excuse( &r.model, i, k ) != NULL || !collide( &r, i, k ) )
						continue;
					assert_true( found < results[q].written_count );
					assert_int_equal( pairs[begin[q] + found].a, i );
					assert_int_equal( pairs[begin[q] + found].b, k );
					++found;
				}
			}
			assert_int_equal( found, results[q].pair_count );
			collisions += found;
		}
		printf( "%s: %zu collisions in %d configurations\n", cases[n].name, collisions, (int)MOST );
		assert_outcomes( collisions > 0 );
		free( poses );
		scene_rules_close( book );
		dbvh_scene_destroy( scene );
		unload( &r );
	}
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_states ),
	    cmocka_unit_test( test_random_configurations ),
	    cmocka_unit_test( test_batch_against_brute_force ),
	};
	return test_main( argc, argv, tests );
}
