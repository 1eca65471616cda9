// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dualbvh.hpp, with exceptions and without, in one program.

#include "hpp.h"
#include "support/unit.h"

#define EITHER_FORM( name )                                                                                            \
	static void name( void **state ) {                                                                                 \
		(void)state;                                                                                                   \
		assert_int_equal( hpp_results_##name(), 0 );                                                                   \
		assert_int_equal( hpp_exceptions_##name(), 0 );                                                                \
	}
EITHER_FORM( owners )
EITHER_FORM( views )
EITHER_FORM( refusals )
EITHER_FORM( pairs )
EITHER_FORM( mesh )
EITHER_FORM( scene )
EITHER_FORM( bodies )
EITHER_FORM( robots )

static void budget( void **state ) {
	(void)state;
	assert_int_equal( hpp_results_budget(), 0 );
}

static void others( int ( *ask )( void ) ) {
	const int line = ask();
	if ( line < 0 )
		skip();
	assert_int_equal( line, 0 );
}

static void eigen( void **state ) {
	(void)state;
	others( hpp_eigen );
}

static void glm( void **state ) {
	(void)state;
	others( hpp_glm );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( owners ), cmocka_unit_test( views ), cmocka_unit_test( refusals ), cmocka_unit_test( pairs ),
	    cmocka_unit_test( mesh ),   cmocka_unit_test( scene ), cmocka_unit_test( bodies ),   cmocka_unit_test( robots ),
	    cmocka_unit_test( budget ), cmocka_unit_test( eigen ), cmocka_unit_test( glm ),
	};
	return test_main( argc, argv, tests );
}
