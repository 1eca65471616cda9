// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Every enumerator that has a name has one of its own, and a number that is none of them is "?".

#include "dualbvh/capture.h"
#include "dualbvh/collide.h"
#include "dualbvh/relation.h"
#include "dualbvh/scene.h"
#include "dualbvh/toi.h"
#include "support/unit.h"

#include <string.h>

// A case a type, so that the calls have the right one.
static const char *name( int type, int value ) {
	switch ( type ) {
	case 0:
		return dbvh_status_name( (dbvh_status)value );
	case 1:
		return dbvh_verdict_name( (dbvh_verdict)value );
	case 2:
		return dbvh_relation_name( (dbvh_relation)value );
	case 3:
		return dbvh_location_name( (dbvh_location)value );
	case 4:
		return dbvh_toi_verdict_name( (dbvh_toi_verdict)value );
	case 5:
		return dbvh_clash_kind_name( (dbvh_clash_kind)value );
	default:
		return dbvh_capture_call_name( (dbvh_capture_call)value );
	}
}

static void test_names_are_all_different( void **state ) {
	(void)state;
	static const int counts[] = { DBVH_STATUS_COUNT,
	                              DBVH_INTERSECTING + 1,
	                              DBVH_RELATION_UNDECIDABLE + 1,
	                              DBVH_LOCATION_UNDECIDABLE + 1,
	                              DBVH_TOI_VERDICT_UNDECIDED + 1,
	                              DBVH_CLASH_KIND_FIT + 1,
	                              DBVH_CAPTURE_CALL_SELF_COLLIDE + 1 };
	for ( int type = 0; type < (int)( sizeof counts / sizeof counts[0] ); ++type ) {
		for ( int i = 0; i < counts[type]; ++i ) {
			assert_string_not_equal( name( type, i ), "?" );
			for ( int k = 0; k < i; ++k )
				assert_string_not_equal( name( type, i ), name( type, k ) );
		}
		assert_string_equal( name( type, counts[type] ), "?" );
		assert_string_equal( name( type, -1 ), "?" );
	}
	assert_string_equal( dbvh_toi_verdict_name( DBVH_TOI_VERDICT_CONTACT ), "CONTACT" );
	assert_string_equal( dbvh_location_name( DBVH_LOCATION_ON_SURFACE ), "ON_SURFACE" );
	assert_string_equal( dbvh_verdict_name( DBVH_DISJOINT ), "DISJOINT" );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = { cmocka_unit_test( test_names_are_all_different ) };
	return test_main( argc, argv, tests );
}
