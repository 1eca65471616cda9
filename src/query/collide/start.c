// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A contact is likely near the last one. A search may begin at a few nodes about that place before it goes down from
// the roots; the answer is that of the whole search in any case.

#include "base/assert.h"
#include "query/collide/collide.h"
#include "query/collide/kernel.h"
#include "simd/isa.h"

#include <math.h>
#include <string.h>

typedef float float4 __attribute__( ( vector_size( 16 ) ) );
typedef int32_t int4 __attribute__( ( vector_size( 16 ) ) );

// Most nodes looked at before the descent is given up.
#define MOST_NODES 256

// The lanes of a node whose spheres contain a point, or nearly.
static uint32_t lanes_about( const dbvhi_packed_spheres *s, const float p[3] ) {
	float4 centre[3], radius;
	memcpy( centre, s->centre, sizeof centre );
	memcpy( &radius, s->radius, sizeof radius );
	const float4 x = centre[0] - p[0], y = centre[1] - p[1], z = centre[2] - p[2];
	const int4 in = ( x * x + y * y + z * z <= radius * radius * 1.001f ) & ( radius > 0.0f );
	return ( (uint32_t)in[0] & 1 ) | ( (uint32_t)in[1] & 2 ) | ( (uint32_t)in[2] & 4 ) | ( (uint32_t)in[3] & 8 );
}

void dbvhi_descent_path_find( const dbvh_tree *tree, uint32_t triangle, dbvhi_descent_path *out ) {
	DBVHI_ASSERT( tree->packed != NULL && triangle < tree->triangle_count );
	const dbvhi_packed_spheres *spheres = dbvhi_packed_spheres_of( tree->packed );
	const dbvhi_packed_box *boxes = dbvhi_packed_boxes_of( tree->packed );
	const dbvhi_packed_leaf *leaves = dbvhi_packed_leaves_of( tree->packed );
	double room[9];
	const double *corner = dbvhi_tree_triangle( tree, triangle, room );
	float p[3];
	for ( int k = 0; k < 3; ++k )
		p[k] = (float)( ( corner[k] + corner[3 + k] + corner[6 + k] ) / 3.0 - tree->packed->centre[k] );
	// note: depth first; left[k] are the lanes of node k of the path that are still to be tried.
	uint32_t left[DBVHI_DESCENT_LENGTH] = { lanes_about( &spheres[0], p ) };
	*out = ( dbvhi_descent_path ){ .count = 1, .node = { 0 }, .radius = { INFINITY } };
	for ( uint32_t looked_at = 1; looked_at < MOST_NODES; ) {
		const uint32_t last = out->count - 1;
		if ( left[last] == 0 ) {
			if ( last == 0 )
				return;
			out->count = last;
			continue;
		}
		const uint32_t node = (uint32_t)out->node[last], lane = (uint32_t)__builtin_ctz( left[last] );
		left[last] &= left[last] - 1;
		const int32_t child = boxes[DBVHI_WIDTH * (size_t)node + lane].child;
		if ( child < 0 ) {
			const uint32_t first = leaves[~child].first_and_count;
			if ( triangle - ( first >> 2 ) <= ( first & 3 ) )
				return;
			continue;
		}
		if ( out->count == DBVHI_DESCENT_LENGTH )
			return;
		left[out->count] = lanes_about( &spheres[child], p );
		out->node[out->count] = child;
		out->radius[out->count++] = spheres[node].radius[lane];
		looked_at += 1;
	}
}

// The last node of the path with a radius of at least `length`, or the root if the tree has no such node.
static int32_t node_on( const dbvhi_descent_path *way, const dbvh_tree *tree, double length ) {
	uint32_t at = 0;
	while ( at + 1 < way->count && (double)way->radius[at + 1] >= length )
		at += 1;
	return (uint32_t)way->node[at] < tree->packed->node_count ? way->node[at] : 0;
}

// Reset a run to its state after dbvhi_packed_attach(), but for its tests of ellipsoids and flat leaves.
static void start_anew( dbvhi_packed_run *run ) {
	run->stack_count = run->leaf_count = run->candidate_count = run->box_begin = run->box_end = 0;
	run->node_tests = run->box_tests = run->leaf_tests = run->ellipsoid_pair_tests = run->ellipsoid_box_tests =
	    run->ellipsoid_separated = 0;
	run->pause = UINT64_MAX;
}

// Search below nodes of a radius of at least the step, then WIDER times that, WIDTHS times in all; with at most
// MOST_TESTS vector tests of nodes each.
#define WIDER 4.0
#define WIDTHS 3
#define MOST_TESTS 30

// Search below two nodes up to the limit of tests. Returns true if there was a contact.
static bool search_below( dbvhi_pair_search *s, dbvhi_packed_run *run, int32_t fixed, int32_t moved ) {
	dbvhi_collide_kernel *kernel = dbvhi_collide_kernel_table[dbvhi_isa_level()];
	run->pause = MOST_TESTS;
	dbvhi_packed_push( run, fixed, moved, 0xffff );
	bool over = false;
	while ( !over && run->node_tests < run->pause && kernel( run ) )
		over = dbvhi_packed_settle( s, run, DBVHI_RUNG_DOUBLES );
	dbvhi_packed_count( &s->counters, run );
	start_anew( run );
	return over;
}

bool dbvhi_search_near( dbvhi_pair_search *s, dbvhi_packed_run *run, const dbvhi_start *start ) {
	DBVHI_ASSERT( !s->find_all && s->work.meter == NULL );
	int32_t fixed = -1, moved = -1;
	double length = start->step;
	for ( int i = 0; i < WIDTHS; ++i, length *= WIDER ) {
		const int32_t fixed_before = fixed, moved_before = moved;
		fixed = node_on( start->fixed, s->meshes.fixed, length );
		moved = node_on( start->moved, s->meshes.moved, length );
		if ( fixed == 0 && moved == 0 )
			return false;
		if ( ( fixed != fixed_before || moved != moved_before ) && search_below( s, run, fixed, moved ) )
			return true;
	}
	return false;
}
