// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Every instruction set, one thread and two, every mode of the floating-point unit, and trees from a file give the one
// hash.

#include "answers.h"
#include "dualbvh/isa.h"
#include "support/unit.h"

#include <inttypes.h>

static const char *const isas[] = { "avx512", "avx2", "neon", "baseline", "scalar" };

// Sanitizers make each run ten times as long, and look at the same memory with every set.
#if defined( __SANITIZE_ADDRESS__ ) || defined( __SANITIZE_THREAD__ )
static const bool one_run_is_enough = true;
#else
static const bool one_run_is_enough = false;
#endif

// The hash of a tenth of the queries, which emulators are asked.
static void the_hash_of_few_is_the_same_everywhere( void **state ) {
	(void)state;
	static answers_result result;
	answers_run( &( answers_options ){ .few = true }, &result );
	assert_string_equal( result.failed_call, "" );
	assert_true( result.query_count >= 10000 );
	assert_true( result.hash == ANSWERS_FEW_HASH );
}

static void expect_hash( const answers_options *options ) {
	static answers_result result;
	answers_run( options, &result );
	printf( "%" PRIu64 " queries, kernels %s, %s%s%s: %016" PRIx64 "\n", result.query_count, dbvh_isa_name(),
	        options->threads > 1 ? "two threads" : "one thread", options->in_all_modes ? ", all modes" : "",
	        options->load_trees != NULL ? ", trees from the file" : "", result.hash );
	for ( int i = 0; i < ANSWERS_KIND_COUNT && result.hash != ANSWERS_HASH; ++i )
		printf( "%s: %016" PRIx64 "\n", answers_kind_names[i], result.hashes[i] );
	assert_string_equal( result.failed_call, "" );
	assert_true( result.query_count >= 100000 );
	for ( int i = ANSWERS_TREES + 1; i < ANSWERS_KIND_COUNT; ++i )
		assert_true( result.yes[i] > 0 && result.yes[i] < result.queries[i] );
	// Times are told to 2^-20 of the motion.
	assert_true( result.time_margin > 64.0 * 0x1p-19 );
	assert_true( result.hash == ANSWERS_HASH );
}

static void the_hash_is_the_same_everywhere( void **state ) {
	(void)state;
	FILE *const trees = tmpfile();
	assert_non_null( trees );
	answers_options options = { .threads = 1, .save_trees = trees };
	size_t sets = 0;
	for ( size_t i = 0; i < sizeof isas / sizeof isas[0]; ++i ) {
		if ( dbvh_isa_select( isas[i], NULL ) != DBVH_OK )
			continue;
		expect_hash( &options );
		if ( one_run_is_enough )
			break;
		// The first set has built trees on one thread, the second one does on two, all others read those of the first.
		options = ( answers_options ){ .threads = 2, .in_all_modes = true, .load_trees = ++sets > 1 ? trees : NULL };
		rewind( trees );
	}
	assert_true( sets > 0 || one_run_is_enough );
	assert_int_equal( fclose( trees ), 0 );
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( the_hash_is_the_same_everywhere ),
	    cmocka_unit_test( the_hash_of_few_is_the_same_everywhere ),
	};
	return test_main( argc, argv, tests );
}
