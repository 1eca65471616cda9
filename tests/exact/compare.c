// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "compare.h"

#include "support/oracle.h"

// How many differences of one family are worth reading.
#define MOST_PRINTED 5

void print_pair( const char *what, const triangle_pair *pair ) {
	printf( "%s\n\tconst double a[9] = {", what );
	for ( int i = 0; i < 9; ++i )
		printf( "%s%a", i > 0 ? ", " : " ", pair->a[i] );
	printf( " };\n\tconst double b[9] = {" );
	for ( int i = 0; i < 9; ++i )
		printf( "%s%a", i > 0 ? ", " : " ", pair->b[i] );
	printf( " };\n" );
	if ( pair->posed ) {
		printf( "\tconst dbvh_pose pose = { { " );
		for ( int i = 0; i < 3; ++i ) {
			const double *const m = pair->pose.rot[i];
			printf( "%s{ %a, %a, %a }", i > 0 ? ", " : "", m[0], m[1], m[2] );
		}
		printf( " }, { %a, %a, %a } };\n", pair->pose.pos[0], pair->pose.pos[1], pair->pose.pos[2] );
	}
	fflush( stdout );
}

bool predicate( const triangle_pair *pair ) {
	bool meet = false;
	const dbvh_status status =
	    dbvh_triangles_intersect( (const dbvh_triangle *)( pair->a ), (const dbvh_triangle *)( pair->b ),
	                              pair->posed ? &pair->pose : NULL, &meet, NULL );
	if ( status != DBVH_OK ) {
		print_pair( dbvh_status_name( status ), pair );
		exit( EXIT_FAILURE );
	}
	return meet;
}

rng pair_rng( size_t family, uint64_t seed, uint64_t index ) {
	rng r = { seed };
	r.state = rng_u64( &r ) + family;
	r.state = rng_u64( &r ) + index;
	r.state = rng_u64( &r );
	return r;
}

void compare_family( size_t family, uint64_t seed, uint64_t first, uint64_t count, tally *out ) {
	*out = ( tally ){ 0 };
	for ( uint64_t i = first; i < first + count; ++i ) {
		rng r = pair_rng( family, seed, i );
		triangle_pair pair;
		triangle_families[family].make( &r, &pair );
		const bool truth = oracle_triangles_meet( pair.a, pair.b, pair.posed ? &pair.pose : NULL );
		out->pairs += 1;
		out->meeting += truth;
		if ( predicate( &pair ) == truth )
			continue;
		if ( out->differences++ < MOST_PRINTED ) {
			char what[128];
			snprintf( what, sizeof what, "%s, seed %llu, pair %llu: the truth is %s", triangle_families[family].name,
			          (unsigned long long)seed, (unsigned long long)i, truth ? "meeting" : "apart" );
			print_pair( what, &pair );
		}
	}
}
