// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The adapter for MoveIt against declarations of its interface. moveit.cpp has the questions.

#include "moveit.h"
#include "support/unit.h"

#define QUESTION( name )                                                                                               \
	static void name( void **state ) {                                                                                 \
		(void)state;                                                                                                   \
		const char *const complaint = moveit_##name();                                                                 \
		if ( complaint != NULL )                                                                                       \
			fail_msg( "%s", complaint );                                                                               \
	}

QUESTION( padding )
QUESTION( self )
QUESTION( world )
QUESTION( attached )
QUESTION( distances )
QUESTION( between )
QUESTION( shapes )
QUESTION( plugin )

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( padding ),  cmocka_unit_test( self ),      cmocka_unit_test( world ),
	    cmocka_unit_test( attached ), cmocka_unit_test( distances ), cmocka_unit_test( between ),
	    cmocka_unit_test( shapes ),   cmocka_unit_test( plugin ),
	};
	return test_main( argc, argv, tests );
}
