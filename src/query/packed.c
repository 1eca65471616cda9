// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The traversal of two packed trees: sets the kernel going and decides what it cannot.
//
// Margins. The kernel works in floats, u = 2^-24, about the centres of the two trees. With C the extent of the moved tree
// and t the distance of the centres, the position of one of its boxes in the fixed frame is off by
//     rot rounded to float           sqrt(3) u C        three products and sums     3 sqrt(3) u C
//     pos rounded to float           u t                the sum with it             u (C + t)
// and the subtraction of the other centre by u times a local distance: 10 u C + 5 u t covers them. What else there is
// (axes of float, their products, the projections of extents) is relative to the two boxes: no extent is larger than the
// radius of the sphere, no box's centre farther than sqrt(3) radii from the sphere's, so once the spheres overlap no
// distance exceeds 2.8 (r_a + r_b). It stays below 400 u (r_a + r_b), and a pose that deviates from a rotation by d adds
// less than 16 d (r_a + r_b).

#include "query/search.h"
#include "simd/dispatch.h"

#include <math.h>

#define U 0x1p-24

static double length3( const double x[3] ) {
	return sqrt( x[0] * x[0] + x[1] * x[1] + x[2] * x[2] );
}

static void aim( dbvhi_packed_run *run, const dbvhi_search *s ) {
	const dbvhi_packed *a = s->fixed->packed, *b = s->moved->packed;
	const dbvh_pose *pose = s->pose;
	// x -> rot (x + centre_b) + pos - centre_a
	for ( int i = 0; i < 3; ++i ) {
		double p = pose->pos[i] - a->centre[i];
		for ( int j = 0; j < 3; ++j ) {
			p += pose->rot[i][j] * b->centre[j];
			run->rot_exact[i][j] = pose->rot[i][j];
			run->rot[i][j] = (float)pose->rot[i][j];
		}
		run->pos_exact[i] = p;
		run->pos[i] = (float)p;
	}
	const double apart = length3( run->pos_exact );
	const double offsets = length3( a->centre ) + length3( b->centre ) + length3( pose->pos );
	// Sums of up to seven terms in double, here and where the kernel moves a leaf's origin.
	run->origin_error = 0x1p-48 * ( offsets + a->extent + b->extent );
	const double margin = U * ( 10.0 * b->extent + 5.0 * apart ) + run->origin_error;
	run->margin = nextafterf( (float)( margin * ( 1.0 + 4.0 * U ) ), INFINITY );
	run->margin_relative = (float)( 512.0 * U + 16.0 * s->deviation );
	run->nodes_a = dbvhi_packed_nodes( a );
	run->nodes_b = dbvhi_packed_nodes( b );
	run->leaves_a = dbvhi_packed_leaves( a );
	run->leaves_b = dbvhi_packed_leaves( b );
}

void dbvhi_traverse_packed( dbvhi_search *search ) {
	dbvh_workspace *w = search->workspace;
	dbvhi_packed_run run = {
		.stack_a = w->packed_stack,
		.stack_b = w->packed_stack + w->packed_capacity,
		.stack_lanes = w->packed_stack + 2 * w->packed_capacity,
		.stack_count = 1,
		.leaf_a = w->leaf_queue,
		.leaf_b = w->leaf_queue + DBVHI_LEAF_QUEUE,
		.candidates = w->candidates,
	};
	aim( &run, search );
	run.stack_a[0] = 0;
	run.stack_b[0] = 0;
	run.stack_lanes[0] = 0xffff;
	dbvhi_packed_kernel *kernel = dbvhi_isa_current()->packed;
	bool over = false;
	while ( !over && kernel( &run ) ) {
		for ( uint32_t i = 0; i < run.candidate_count && !over; ++i )
			over = dbvhi_search_triangles( search, run.candidates[i].a, run.candidates[i].b );
	}
	search->counters.sphere_tests += 16 * run.node_tests;
	search->counters.box_tests += 16 * run.node_tests;
}
