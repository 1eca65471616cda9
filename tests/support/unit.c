// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "support/unit.h"

#include "support/command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int test_main_run( int argc, char **argv, const struct CMUnitTest *tests, size_t count ) {
	test_command_line_read( argc, argv, ( test_usage ){ 0 }, &tests[0].name, count, sizeof *tests );
	struct CMUnitTest *const chosen = malloc( count * sizeof *chosen );
	if ( chosen == NULL ) {
		fprintf( stderr, "the test has no memory\n" );
		return 2;
	}
	size_t chosen_count = 0;
	for ( size_t i = 0; i < count; ++i ) {
		if ( test_is_chosen( tests[i].name ) )
			chosen[chosen_count++] = tests[i];
	}
	const char *const slash = strrchr( argv[0], '/' );
	const int failed = _cmocka_run_group_tests( slash != NULL ? slash + 1 : argv[0], chosen, chosen_count, NULL, NULL );
	free( chosen );
	return failed;
}
