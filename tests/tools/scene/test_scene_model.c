// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The model of a scene file: paths stay unique, patterns match what they say.

#include "model/model.h"
#include "support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_paths_are_unique( void **state ) {
	(void)state;
	scene_model model = { 0 };
	const dbvh_pose pose = dbvh_pose_identity();
	const char *const given[] = { "a", "a", "a#2", "", "/", "a//b", "a/unnamed/b", "a" };
	const char *const expected[] = { "a",           "a#2",           "a#2#2", "unnamed", "unnamed/unnamed",
	                                 "a/unnamed/b", "a/unnamed/b#2", "a#3" };
	for ( size_t i = 0; i < sizeof given / sizeof given[0]; ++i ) {
		assert_int_equal( scene_add_body( &model, given[i], 0, &pose ), i );
		assert_string_equal( model.bodies[i].path, expected[i] );
	}
	assert_int_equal( model.renamed_count, 4 );
	scene_model_free( &model );
	assert_int_equal( model.body_count, 0 );
}

// A hundred thousand of one name take no longer than as many names.
static void test_many_bodies_of_one_name( void **state ) {
	(void)state;
	scene_model model = { 0 };
	const dbvh_pose pose = dbvh_pose_identity();
	for ( uint32_t i = 0; i < 100000; ++i )
		assert_int_equal( scene_add_body( &model, "bolt", 0, &pose ), i );
	assert_string_equal( model.bodies[99999].path, "bolt#100000" );
	for ( uint32_t i = 0; i < 100000; ++i )
		assert_int_equal( scene_names_find( &model.paths, model.bodies[i].path ), i );
	scene_model_free( &model );
}

static void test_patterns( void **state ) {
	(void)state;
	static const struct {
		const char *pattern, *path;
		bool matches;
	} cases[] = {
	    { "a", "a", true },         { "a", "a/b", true },
	    { "a", "ab", false },       { "a/b", "a", false },
	    { "a/b", "a/b/c", true },   { "*", "a/b", true },
	    { "", "a", false },         { "a*", "abc/d", true },
	    { "*b", "a/b", true },      { "*c", "a/b", false },
	    { "?", "a", true },         { "?", "ab", false },
	    { "?/b", "a/b/c", true },   { "*/b", "a/x/b/y", true },
	    { "a?c", "abc", true },     { "*a*b*", "xxaxxbxx", true },
	    { "*a*b*", "bbaa", false }, { "bolt*/head", "bolt#7/head", true },
	    { "a/", "a/b", false },     { "a\\*", "a*", true },
	    { "a\\*", "ab", false },    { "*\\?", "ab?/c", true },
	    { "*\\?", "abc", false },   { "a\\\\b", "a\\b", true },
	    { "a\\b", "a\\b", false },  { "a\\", "a", false },
	    { "a\\", "a\\", false },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i )
		if ( scene_matches( cases[i].pattern, cases[i].path ) != cases[i].matches )
			fail_msg( "'%s' and '%s'", cases[i].pattern, cases[i].path );
}

static void test_exact_patterns( void **state ) {
	(void)state;
	static const char *const texts[] = { "plain", "a*b", "a?b", "\\", "*\\?*" };
	for ( size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i ) {
		char *pattern = scene_exact_pattern( texts[i] );
		for ( size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k )
			assert_int_equal( scene_matches( pattern, texts[k] ), i == k );
		assert_false( scene_matches( pattern, "axb" ) );
		free( pattern );
	}
}

static void test_rules_and_notes_are_kept( void **state ) {
	(void)state;
	scene_model model = { 0 };
	const dbvh_pair_rule rule = { .clearance = 2.0 };
	assert_int_equal( scene_add_rule( &model, "a", NULL, &rule ), 0 );
	assert_int_equal( scene_add_link( &model, "base", SCENE_NONE ), 0 );
	assert_int_equal( scene_add_state( &model, "home" ), 0 );
	assert_true( scene_add_note( &model, "%d of %s", 3, "them" ) );
	assert_string_equal( model.notes[0], "3 of them" );
	assert_string_equal( model.rules[0].a, "a" );
	assert_null( model.rules[0].b );
	assert_true( model.states[0].values[0] == 0.0 );
	scene_model_free( &model );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_paths_are_unique ),
	    cmocka_unit_test( test_many_bodies_of_one_name ),
	    cmocka_unit_test( test_patterns ),
	    cmocka_unit_test( test_exact_patterns ),
	    cmocka_unit_test( test_rules_and_notes_are_kept ),
	};
	return test_main( argc, argv, tests );
}
