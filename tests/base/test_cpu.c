// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What the processor is said to have, against the compiler's own answers, in a program whose runtime library gives
// them.

#include "base/cpu.h"
#include "support/unit.h"

#include <stdio.h>

#if defined( __x86_64__ ) && defined( __GNUC__ ) && !defined( __clang__ )

static void test_sets( void **state ) {
	(void)state;
	__builtin_cpu_init();
	assert_int_equal( dbvhi_cpu_has_sse42(), __builtin_cpu_supports( "sse4.2" ) != 0 );
	assert_int_equal( dbvhi_cpu_has_avx2(), __builtin_cpu_supports( "avx2" ) && __builtin_cpu_supports( "fma" ) );
	assert_int_equal( dbvhi_cpu_has_avx512(),
	                  __builtin_cpu_supports( "avx512f" ) && __builtin_cpu_supports( "avx512vl" ) &&
	                      __builtin_cpu_supports( "avx512dq" ) && __builtin_cpu_supports( "avx512bw" ) );
}

#else

static void test_sets( void **state ) {
	(void)state;
	printf( "the compiler's answers are not to be had; what is said must be consistent\n" );
	assert_true( dbvhi_cpu_has_avx2() || !dbvhi_cpu_has_avx512() );
	assert_true( dbvhi_cpu_has_sse42() || !dbvhi_cpu_has_avx2() );
}

#endif

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_sets ),
	};
	return test_main( argc, argv, tests );
}
