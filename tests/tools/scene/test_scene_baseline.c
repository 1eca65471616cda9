// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How clashes stand to an earlier report: two boxes that overlap, moved at random, against what their places say.

#include "assembly/baseline.h"
#include "shapes/shapes.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"
#include "text/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = { "test" };

typedef struct stage {
	scene_assembly assembly;
	scene_trees trees;
	scene_rule_book *book;
	dbvh_scene *scene;
	scene_findings found;
} stage;

static uint32_t add_box( scene_model *m, double size ) {
	shape s = { 0 };
	dbvh_mesh *mesh;
	shape_add_box( &s, size, size, size, 1 );
	const dbvh_mesh_view view = shape_view( &s );
	assert_int_equal( dbvh_mesh_create( &view, NULL, &mesh, NULL ), DBVH_OK );
	shape_free( &s );
	return scene_add_mesh( m, mesh, "box" );
}

// A box of size 4 and one of size 1, by the names of their paths.
static void raise( stage *s, const char *large, const double at_large[3], const char *small, const double at_small[3],
                   double clearance ) {
	scene_model *m = &s->assembly.model;
	uint32_t failed;
	*s = ( stage ){ .assembly = { .files = files, .file_count = 1 } };
	dbvh_pose pose = dbvh_pose_identity();
	memcpy( pose.pos, at_large, sizeof pose.pos );
	assert_int_equal( scene_add_body( m, large, add_box( m, 2.0 ), &pose ), 0 );
	memcpy( pose.pos, at_small, sizeof pose.pos );
	assert_int_equal( scene_add_body( m, small, add_box( m, 0.5 ), &pose ), 1 );
	const dbvh_pair_rule rule = { .clearance = clearance };
	assert_int_not_equal( scene_add_rule( m, NULL, NULL, &rule ), SCENE_NONE );
	s->assembly.file_of = calloc( 3, sizeof *s->assembly.file_of );
	assert_int_equal( scene_build_trees( m, 1, NULL, NULL, NULL, &s->trees, &failed, NULL ), DBVH_OK );
	assert_int_equal( dbvh_scene_create( NULL, &s->scene, NULL ), DBVH_OK );
	for ( uint32_t i = 0; i < 2; ++i ) {
		uint32_t number;
		assert_int_equal(
		    dbvh_scene_add_body( s->scene, s->trees.trees[m->bodies[i].mesh], &m->bodies[i].pose, NULL, &number, NULL ),
		    DBVH_OK );
	}
	s->book = scene_rules_open( m );
	assert_int_equal( scene_rules_apply( s->book, s->scene, NULL ), DBVH_OK );
	assert_int_equal( scene_find( &s->assembly, &s->trees, s->book, s->scene, 1, NULL, &s->found, NULL ), DBVH_OK );
	assert_int_equal( s->found.clash_count, 1 );
}

static void strike( stage *s ) {
	scene_findings_free( &s->found );
	dbvh_scene_destroy( s->scene );
	scene_rules_close( s->book );
	scene_trees_free( &s->trees );
	scene_assembly_free( &s->assembly );
}

// Write the fields of a report that a comparison reads.
static void write_report( const stage *s, char *text, size_t room ) {
	const scene_findings *f = &s->found;
	const scene_clash *c = &f->clashes[0];
	char hash[SCENE_HASH_ROOM];
	size_t n = (size_t)snprintf( text, room, "{\"schema\":\"dualbvh.clashes/2\",\"rules\":\"%s\",\"clashes\":[",
	                             scene_hash_print( f->rules, hash ) );
	n += (size_t)snprintf( text + n, room - n,
	                       "{\"id\":\"%s\",\"kind\":\"%s\",\"a\":\"%s\",\"b\":\"%s\",\"distance\":%.17g,"
	                       "\"lower\":[%.17g,%.17g,%.17g],\"upper\":[%.17g,%.17g,%.17g]",
	                       scene_hash_print( c->id, hash ), scene_kind_word( c->kind ), scene_path( f, c->a ),
	                       scene_path( f, c->b ), c->distance, c->region.min[0], c->region.min[1], c->region.min[2],
	                       c->region.max[0], c->region.max[1], c->region.max[2] );
	if ( c->overlap.has_depth )
		n += (size_t)snprintf( text + n, room - n, ",\"depth\":[%.17g,%.17g]", c->overlap.depth.lower,
		                       c->overlap.depth.upper );
	n += (size_t)snprintf( text + n, room - n, "}],\"clashing_bodies\":[" );
	for ( uint32_t i = 0; i < 2; ++i ) {
		const double *at = s->assembly.model.bodies[i].pose.pos;
		n += (size_t)snprintf(
		    text + n, room - n,
		    "%s{\"path\":\"%s\",\"fingerprint\":\"%s\",\"pose\":[1,0,0,%.17g,0,1,0,%.17g,0,0,1,%.17g]}",
		    i > 0 ? "," : "", scene_path( f, i ), scene_hash_print( scene_body_fingerprint( f, i ), hash ), at[0],
		    at[1], at[2] );
	}
	n += (size_t)snprintf( text + n, room - n, "]}" );
	assert_true( n < room );
}

static scene_standing compare( stage *s, const char *text, double worse, double moved ) {
	const scene_tolerance tolerance = { worse, moved };
	dbvh_error error;
	assert_int_equal( scene_compare_bytes( &s->found, (const unsigned char *)text, strlen( text ), &tolerance, &error ),
	                  DBVH_OK );
	return s->found.clashes[0].standing;
}

static double near_eighth( rng *r, uint64_t most ) {
	return 0.125 * ( (double)rng_below( r, 2 * most + 1 ) - (double)most );
}

// Local depth of the small box in the top of the large one: no more than half of the small box.
static double depth_of( double z ) {
	return fmin( 2.5 - z, 0.5 );
}

// The small box stands in the top of the large one, which is 2 above its middle.
static void test_random_moves( void **state ) {
	(void)state;
	rng r = rng_announce( "baseline", 17 );
	char text[2048];
	size_t counts[SCENE_STANDING_COUNT] = { 0 };
	for ( size_t n = rounds( 400 ) < 100 ? 100 : rounds( 400 ); n-- > 0; ) {
		stage s;
		double large[3], small[3], then[3];
		for ( int k = 0; k < 3; ++k ) {
			large[k] = near_eighth( &r, 80 );
			then[k] = k < 2 ? near_eighth( &r, 8 ) : 2.0 + near_eighth( &r, 2 );
			small[k] = large[k] + then[k];
		}
		raise( &s, "large", large, "small", small, 0.0 );
		write_report( &s, text, sizeof text );
		strike( &s );

		double by[3], together[3];
		for ( int k = 0; k < 3; ++k ) {
			by[k] = rng_below( &r, 2 ) == 0 ? 0.0 : k < 2 ? near_eighth( &r, 3 ) : near_eighth( &r, 1 );
			together[k] = rng_below( &r, 2 ) == 0 ? 0.0 : near_eighth( &r, 80 );
			large[k] += together[k];
			small[k] += together[k] + by[k];
		}
		const double worse = 0.125 * (double)rng_below( &r, 3 ), moved = 0.125 * (double)rng_below( &r, 4 );
		raise( &s, "large", large, "small", small, 0.0 );
		const double deeper = depth_of( then[2] + by[2] ) - depth_of( then[2] );
		// The middle of what they have in common goes sideways with the small box, and half as far up.
		const double in_world =
		    sqrt( pow( by[0] + together[0], 2 ) + pow( by[1] + together[1], 2 ) + pow( 0.5 * by[2] + together[2], 2 ) );
		const double to_each_other = sqrt( by[0] * by[0] + by[1] * by[1] + by[2] * by[2] );
		const scene_standing expected = deeper > worse                            ? SCENE_WORSENED
		                                : fmin( in_world, to_each_other ) > moved ? SCENE_MOVED
		                                : -deeper > worse                         ? SCENE_IMPROVED
		                                                                          : SCENE_UNCHANGED;
		assert_int_equal( compare( &s, text, worse, moved ), expected );
		assert_true( scene_clash_counts( &s.found, &s.found.clashes[0] ) ==
		             ( expected == SCENE_WORSENED || expected == SCENE_MOVED ) );
		assert_int_equal( s.found.absent_count, 0 );
		++counts[expected];
		strike( &s );
	}
	assert_outcomes( counts[SCENE_WORSENED] > 0 && counts[SCENE_MOVED] > 0 && counts[SCENE_IMPROVED] > 0 &&
	                 counts[SCENE_UNCHANGED] > 0 );
}

// Default tolerances: a millionth beyond what the intervals leave open, and a tenth of the smaller box's diagonal, the
// root of 3.
static void test_usual_tolerances( void **state ) {
	(void)state;
	static const struct {
		double x, z;
		scene_standing expected;
	} cases[] = { { 0, 0, SCENE_UNCHANGED },       { 0, -1.7e-6, SCENE_UNCHANGED }, { 0, -0.01, SCENE_WORSENED },
	              { 0.173, 0, SCENE_UNCHANGED },   { 0.174, 0, SCENE_MOVED },       { -0.174, 0, SCENE_MOVED },
	              { 0.174, -0.1, SCENE_WORSENED }, { 0, 0.125, SCENE_IMPROVED },    { 0, 1.7e-6, SCENE_UNCHANGED } };
	const double large[3] = { 0, 0, 0 }, then[3] = { 0, 0, 2.25 };
	char text[2048];
	stage s;
	raise( &s, "large", large, "small", then, 0.0 );
	write_report( &s, text, sizeof text );
	strike( &s );
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		const double now[3] = { cases[i].x, 0, 2.25 + cases[i].z };
		raise( &s, "large", large, "small", now, 0.0 );
		assert_int_equal( compare( &s, text, -1.0, -1.0 ), cases[i].expected );
		strike( &s );
	}
}

// The large box slides on below the small one: the clash is where it was.
static void test_what_stays( void **state ) {
	(void)state;
	const double large[3] = { 0, 0, 0 }, slid[3] = { 0.5, 0, 0 }, small[3] = { 0, 0, 2.25 };
	char text[2048];
	stage s;
	raise( &s, "large", large, "small", small, 0.0 );
	write_report( &s, text, sizeof text );
	strike( &s );
	raise( &s, "large", slid, "small", small, 0.0 );
	assert_int_equal( compare( &s, text, 0.0, 0.0 ), SCENE_UNCHANGED );
	strike( &s );
}

static void test_clearances( void **state ) {
	(void)state;
	const double large[3] = { 0, 0, 0 }, then[3] = { 0, 0, 3.0 }, nearer[3] = { 0, 0, 2.875 },
	             away[3] = { 0, 0, 3.125 };
	char text[2048];
	stage s;
	raise( &s, "large", large, "small", then, 1.0 );
	write_report( &s, text, sizeof text );
	assert_int_equal( compare( &s, text, 0.0, 0.0 ), SCENE_UNCHANGED );
	strike( &s );
	raise( &s, "large", large, "small", nearer, 1.0 );
	assert_int_equal( compare( &s, text, 0.0, 1.0 ), SCENE_WORSENED );
	strike( &s );
	raise( &s, "large", large, "small", nearer, 1.0 );
	assert_int_equal( compare( &s, text, 0.125, 1.0 ), SCENE_UNCHANGED );
	strike( &s );
	raise( &s, "large", large, "small", away, 1.0 );
	assert_int_equal( compare( &s, text, 0.0, 1.0 ), SCENE_IMPROVED );
	strike( &s );
}

static void test_kinds( void **state ) {
	(void)state;
	const double large[3] = { 0, 0, 0 }, out[3] = { 0, 0, 2.25 }, in[3] = { 0, 0, 1 };
	char text[2048];
	stage s;
	raise( &s, "large", large, "small", out, 0.0 );
	write_report( &s, text, sizeof text );
	strike( &s );
	raise( &s, "large", large, "small", in, 0.0 );
	assert_int_equal( compare( &s, text, 9.0, 9.0 ), SCENE_WORSENED ); // inside now
	write_report( &s, text, sizeof text );
	strike( &s );
	raise( &s, "large", large, "small", out, 0.0 );
	assert_int_equal( compare( &s, text, 9.0, 9.0 ), SCENE_IMPROVED );
	strike( &s );
}

static void test_other_names( void **state ) {
	(void)state;
	const double large[3] = { 0, 0, 0 }, small[3] = { 0, 0, 2.25 }, elsewhere[3] = { 0, 0.125, 2.25 };
	char text[2048];
	stage s;
	raise( &s, "large", large, "small", small, 0.0 );
	write_report( &s, text, sizeof text );
	strike( &s );
	raise( &s, "big", large, "small", small, 0.0 );
	assert_int_equal( compare( &s, text, -1.0, -1.0 ), SCENE_RENAMED );
	assert_false( scene_clash_counts( &s.found, &s.found.clashes[0] ) );
	assert_int_equal( s.found.absent_count, 0 );
	assert_string_equal( s.found.was[s.found.clashes[0].was].a, "large" );
	strike( &s );
	raise( &s, "big", large, "little", elsewhere, 0.0 );
	assert_int_equal( compare( &s, text, 9.0, 0.0 ), SCENE_NEW );
	assert_int_equal( s.found.absent_count, 1 );
	assert_int_equal( s.found.absent[0].why, SCENE_ABSENT_MISSING );
	strike( &s );
	// One body is known, and another one clashes with it about where the missing one did.
	raise( &s, "big", large, "little", elsewhere, 0.0 );
	assert_int_equal( compare( &s, text, 9.0, 9.0 ), SCENE_RENAMED );
	assert_int_equal( s.found.absent_count, 0 );
	strike( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_random_moves ), cmocka_unit_test( test_usual_tolerances ),
	    cmocka_unit_test( test_what_stays ),   cmocka_unit_test( test_clearances ),
	    cmocka_unit_test( test_kinds ),        cmocka_unit_test( test_other_names ),
	};
	return test_main( argc, argv, tests );
}
