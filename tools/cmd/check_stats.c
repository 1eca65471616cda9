// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// `dualbvh check --stats`: the pairs that each stage of the search tested and separated.

#include "cmd/check.h"

#include <inttypes.h>
#include <stdio.h>

static void add( dbvh_counters *sum, const dbvh_counters *c ) {
	sum->sphere_tests += c->sphere_tests;
	sum->box_tests += c->box_tests;
	sum->triangle_tests += c->triangle_tests;
	sum->exact_tests += c->exact_tests;
	sum->ellipsoid_pair_tests += c->ellipsoid_pair_tests;
	sum->ellipsoid_box_tests += c->ellipsoid_box_tests;
	sum->ellipsoid_separated += c->ellipsoid_separated;
}

void check_stats_add( check_stats *s, const check_answer *answer, double seconds ) {
	add( &s->counters, &answer->surfaces.counters );
	add( &s->counters, &answer->near.counters );
	s->seconds += seconds;
	++s->poses;
}

// UINT64_MAX: the separated pairs of this stage are not counted.
static void print_stage( const char *name, const char *how, uint64_t asked, uint64_t separated ) {
	char stage[48];
	snprintf( stage, sizeof stage, "%s%s%s", name, *how != '\0' ? ", " : "", how );
	printf( "  %-32s%14" PRIu64, stage, asked );
	if ( separated != UINT64_MAX )
		printf( "%14" PRIu64, separated );
	putchar( '\n' );
}

void check_stats_print( const check_stats *s, dbvh_policy policy ) {
	const dbvh_counters *c = &s->counters;
	const bool has_spheres = c->sphere_tests > 0, has_boxes = policy != DBVH_POLICY_SPHERE;
	printf( "%-34s%14s%14s\n", "stages", "tests", "separated" );
	// The pairs of spheres that intersect are the pairs whose boxes are tested.
	if ( has_spheres )
		print_stage( "spheres", "", c->sphere_tests,
		             has_boxes && c->box_tests <= c->sphere_tests ? c->sphere_tests - c->box_tests : UINT64_MAX );
	if ( has_boxes )
		print_stage( "boxes", pair_policy_boxes( policy ), c->box_tests, UINT64_MAX );
	const bool both = c->ellipsoid_box_tests > 0 && c->ellipsoid_pair_tests > 0;
	if ( c->ellipsoid_box_tests > 0 )
		print_stage( "ellipsoid against box", "", c->ellipsoid_box_tests, both ? UINT64_MAX : c->ellipsoid_separated );
	if ( c->ellipsoid_pair_tests > 0 )
		print_stage( "ellipsoid against ellipsoid", "", c->ellipsoid_pair_tests,
		             both ? UINT64_MAX : c->ellipsoid_separated );
	if ( both )
		print_stage( "ellipsoids, both stages", "", c->ellipsoid_box_tests + c->ellipsoid_pair_tests,
		             c->ellipsoid_separated );
	print_stage( "triangles", "", c->triangle_tests, UINT64_MAX );
	print_stage( "of these, exactly", "", c->exact_tests, UINT64_MAX );
	printf( "%.3g ms for %zu pose%s\n", s->seconds * 1e3, s->poses, plural( s->poses ) );
}
