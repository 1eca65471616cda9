// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// million [PAIRS] [--part K/N]: compares the predicate with the oracle on that many pairs, spread over all families,
// and prints a table. With --part, the K-th of N shares (K from 1), so that several processes can divide the work.

#include "compare.h"

#include <string.h>

int main( int argc, char **argv ) {
	uint64_t pairs = 10000000, part = 1, parts = 1;
	for ( int i = 1; i < argc; ++i ) {
		if ( strcmp( argv[i], "--part" ) == 0 && i + 1 < argc ) {
			char *end = NULL;
			part = strtoull( argv[++i], &end, 10 );
			parts = *end == '/' ? strtoull( end + 1, NULL, 10 ) : 0;
		} else {
			pairs = strtoull( argv[i], NULL, 10 );
		}
	}
	if ( pairs == 0 || part < 1 || part > parts ) {
		fprintf( stderr, "usage: million [PAIRS] [--part K/N]\n" );
		return 2;
	}
	const rng r = rng_announce( "million", 20260101 );
	const uint64_t each = ( pairs + triangle_family_count - 1 ) / triangle_family_count;
	const uint64_t first = each * ( part - 1 ) / parts, last = each * part / parts;

	tally all = { 0 };
	printf( "%-24s %12s %12s %12s %12s\n", "family", "pairs", "meeting", "apart", "differences" );
	for ( size_t family = 0; family < triangle_family_count; ++family ) {
		tally t;
		compare_family( family, r.state, first, last - first, &t );
		printf( "%-24s %12llu %12llu %12llu %12llu\n", triangle_families[family].name, (unsigned long long)t.pairs,
		        (unsigned long long)t.meeting, (unsigned long long)( t.pairs - t.meeting ),
		        (unsigned long long)t.differences );
		fflush( stdout );
		all.pairs += t.pairs;
		all.meeting += t.meeting;
		all.differences += t.differences;
	}
	printf( "%-24s %12llu %12llu %12llu %12llu\n", "all", (unsigned long long)all.pairs,
	        (unsigned long long)all.meeting, (unsigned long long)( all.pairs - all.meeting ),
	        (unsigned long long)all.differences );
	return all.differences == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
