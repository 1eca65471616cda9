// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Many random cases of each of several families. DUALBVH_TEST_SCALE multiplies their number, --filter TEST/FAMILY runs
// the families whose name holds it, DUALBVH_TEST_INDEX=i one case.

#pragma once

#include "number.h"
#include "shapes.h"
#include "support/command_line.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <time.h>

typedef struct verdict {
	bool wrong, intersects;
} verdict;

typedef struct family {
	const char *name;
	verdict ( *run )( maker *m, uint64_t index );
} family;

// Fails if a case is wrong, and if all intersect or none.
static inline void run_families( const family *families, size_t family_count, const char *what, uint64_t seed,
                                 uint64_t cases ) {
	const rng r = rng_announce( what, seed );
	const char *const at = getenv( "DUALBVH_TEST_INDEX" );
	uint64_t all_wrong = 0;
	for ( size_t f = 0; f < family_count; ++f ) {
		if ( !test_case_is_chosen( families[f].name ) )
			continue;
		const uint64_t count = rounds( cases ), first = at != NULL ? strtoull( at, NULL, 10 ) : 0;
		uint64_t meeting = 0, wrong = 0;
		const clock_t start = clock();
		for ( uint64_t i = first; i < ( at != NULL ? first + 1 : count ); ++i ) {
			maker m;
			maker_start( &m, r.state + f, i );
			number_release();
			const verdict v = families[f].run( &m, i );
			meeting += v.intersects;
			wrong += v.wrong;
			if ( v.wrong && wrong <= 8 )
				printf( "  %s: case %llu is wrong (family %d)\n", families[f].name, (unsigned long long)i, m.family );
		}
		const double seconds = (double)( clock() - start ) / CLOCKS_PER_SEC;
		printf( "%-18s %10llu cases, %9llu meet, %llu wrong, %.2f us each\n", families[f].name,
		        (unsigned long long)count, (unsigned long long)meeting, (unsigned long long)wrong,
		        seconds * 1e6 / (double)count );
		fflush( stdout );
		all_wrong += wrong;
		if ( at == NULL && count >= 1000 )
			assert_true( meeting > 0 && meeting < count );
	}
	assert_int_equal( all_wrong, 0 );
}
