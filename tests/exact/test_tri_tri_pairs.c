// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// test_tri_tri_pairs [PAIRS]: compares the predicate with the oracle on that many pairs, spread over the families that
// are chosen, and prints a table.

#include "compare.h"
#include "support/command_line.h"

int main( int argc, char **argv ) {
	const test_command_line line =
	    test_command_line_read( argc, argv, ( test_usage ){ .operands = "[PAIRS]", .parts = true },
	                            &triangle_families[0].name, triangle_family_count, sizeof triangle_families[0] );
	const uint64_t pairs = test_operand( &line, 0, 10000000 );
	const rng r = rng_announce( "tri_tri_pairs", 20260101 );
	const uint64_t each = ( pairs + triangle_family_count - 1 ) / triangle_family_count;
	const uint64_t first = each * ( line.part - 1 ) / line.parts, last = each * line.part / line.parts;

	tally all = { 0 };
	printf( "%-24s %12s %12s %12s %12s\n", "family", "pairs", "meeting", "apart", "differences" );
	for ( size_t family = 0; family < triangle_family_count; ++family ) {
		if ( !test_is_chosen( triangle_families[family].name ) )
			continue;
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
