// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/ellipsoid/ellipsoids.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"
#include "bvh/ellipsoid_test.h"
#include "bvh/packed/pack.h"
#include "bvh/tree.h"
#include "primitive/fit/box_fit.h"

#include <math.h>
#include <string.h>

typedef struct work {
	dbvh_tree *tree;
	dbvhi_frame *frames;         // by node
	dbvhi_node_ellipsoid *found; // by node
	bool *has;
	double *room; // for each thread, six doubles a corner of the mesh
	double floor;
	uint32_t candidates[DBVHI_ELLIPSOIDS_MOST], candidate_count;
	bool all; // fit all nodes, not only the candidates
} work;

// Stores an ellipsoid in the unit of the mesh, from one in which the node is near 1.
static void keep( const dbvh_ellipsoid *e, double unit, bool aligned, dbvhi_node_ellipsoid *out ) {
	double longest = 0.0, shortest = INFINITY, from_ball[3][3];
	for ( int k = 0; k < 3; ++k ) {
		const double half = e->half[k] * unit;
		for ( int c = 0; c < 3; ++c ) {
			out->to_ball.m[k][c] = e->axis[k][c] / half;
			from_ball[c][k] = e->axis[k][c] * half;
		}
		out->reach.centre.v[k] = e->centre[k] * unit;
		longest = fmax( longest, half );
		shortest = fmin( shortest, half );
	}
	for ( int i = 0; i < 3; ++i ) {
		const double *row = from_ball[i], *next = from_ball[( i + 1 ) % 3];
		out->reach.shape[i] = row[0] * row[0] + row[1] * row[1] + row[2] * row[2];
		out->reach.shape[3 + i] = row[0] * next[0] + row[1] * next[1] + row[2] * next[2];
	}
	out->reach.longest = longest * ( 1.0 + 0x1p-50 );
	out->inverse_shortest = ( 1.0 + 0x1p-50 ) / shortest;
	out->aligned = aligned;
	out->chosen = false;
	out->packed = false;
}

static void fit_task( void *context, size_t place, uint32_t thread ) {
	work *w = context;
	const dbvh_tree *tree = w->tree;
	const size_t index = w->all ? place : w->candidates[place];
	const dbvhi_node *node = &tree->nodes[index];
	if ( !dbvhi_may_have_ellipsoid( tree, node ) )
		return;
	const size_t count = 3 * (size_t)node->total;
	double *room = w->room + (size_t)thread * 18 * tree->triangle_count;
	int exponent = 0;
	frexp( node->half.v[2], &exponent );
	const double down = ldexp( 1.0, -exponent );
	double error = 0.0;
	for ( size_t i = 0; i < count; ++i ) {
		const double *corner = tree->corners + 9 * (size_t)node->low + 3 * i;
		const dbvhi_vec d = dbvhi_sub( ( dbvhi_vec ){ { corner[0], corner[1], corner[2] } }, w->frames[index].origin );
		const dbvhi_vec local = dbvhi_mat_apply_transposed( &w->frames[index].axes, d );
		for ( size_t k = 0; k < 3; ++k ) {
			room[k * count + i] = local.v[k] * down;
			error = fmax( error, fabs( d.v[k] ) );
		}
	}
	const dbvhi_point_set points = { room, room + count, room + 2 * count, count };
	const double slack = 2.0 * dbvhi_projection_error( error * down );
	const double floor = fmax( w->floor * down, 0x1p-40 );
	const dbvh_ellipsoid least = dbvhi_ellipsoid_least( points, floor, slack, room + 3 * count );
	const dbvh_ellipsoid aligned = dbvhi_ellipsoid_aligned( points, floor, slack, room + 3 * count );
	// The cost of boxes ranks ellipsoids of these half lengths, too, up to a factor.
	const dbvhi_vec half_least = { { least.half[0], least.half[1], least.half[2] } };
	const dbvhi_vec half_aligned = { { aligned.half[0], aligned.half[1], aligned.half[2] } };
	const bool is_aligned = dbvhi_box_cost( &half_aligned ) <= dbvhi_box_cost( &half_least );
	dbvhi_node_ellipsoid *out = &w->found[index];
	keep( is_aligned ? &aligned : &least, ldexp( 1.0, exponent ), is_aligned, out );
	w->has[index] = true;
}

static dbvh_status collect( work *w ) {
	dbvh_tree *tree = w->tree;
	size_t count = 0;
	for ( size_t i = 0; i < tree->node_count; ++i )
		count += w->has[i];
	if ( count == 0 )
		return DBVH_OK;
	tree->ellipsoids = dbvhi_alloc( &tree->allocator, count, sizeof *tree->ellipsoids );
	tree->ellipsoid_at = dbvhi_alloc( &tree->allocator, tree->node_count, sizeof *tree->ellipsoid_at );
	tree->ellipsoid_wanted = dbvhi_alloc( &tree->allocator, tree->node_count / 64 + 1, sizeof *tree->ellipsoid_wanted );
	tree->ellipsoid_capacity = count;
	if ( tree->ellipsoids == NULL || tree->ellipsoid_at == NULL || tree->ellipsoid_wanted == NULL )
		return DBVH_OUT_OF_MEMORY;
	tree->ellipsoid_least = UINT32_MAX;
	memset( tree->ellipsoid_wanted, 0, ( tree->node_count / 64 + 1 ) * sizeof *tree->ellipsoid_wanted );
	for ( size_t i = 0; i < tree->node_count; ++i ) {
		tree->ellipsoid_at[i] = w->has[i] ? (uint32_t)tree->ellipsoid_count : DBVHI_NO_ELLIPSOID;
		if ( w->has[i] ) {
			tree->ellipsoid_chosen += w->found[i].chosen;
			tree->ellipsoid_packed += w->found[i].packed;
			if ( w->found[i].chosen && tree->nodes[i].total < tree->ellipsoid_least )
				tree->ellipsoid_least = tree->nodes[i].total;
			tree->ellipsoid_wanted[i / 64] |= (uint64_t)w->found[i].chosen << i % 64;
			tree->ellipsoids[tree->ellipsoid_count++] = w->found[i];
		}
	}
	return DBVH_OK;
}

static dbvh_status fit_and_choose( work *w, uint64_t *is_packed, uint32_t threads ) {
	dbvh_tree *tree = w->tree;
	const size_t nodes = tree->node_count;
	// note: children come after their parents.
	const dbvhi_frame mesh = dbvhi_frame_mesh();
	w->frames[0] = dbvhi_frame_step( &mesh, &tree->nodes[0] );
	for ( size_t i = 0; i < nodes; ++i ) {
		const dbvhi_node *node = &tree->nodes[i];
		for ( uint32_t child = 0; !dbvhi_node_is_leaf( node ) && child < 2; ++child )
			w->frames[node->first + child] = dbvhi_frame_step( &w->frames[i], &tree->nodes[node->first + child] );
	}
	memset( w->has, false, nodes );
	w->candidate_count = dbvhi_ellipsoid_candidates( tree, w->candidates );
	w->all = tree->options.ellipsoids == DBVH_ELLIPSOIDS_ALL;
	dbvhi_parallel_for( w->all ? nodes : w->candidate_count, w->all ? 16 : 1, threads, fit_task, w );
	memset( is_packed, 0, ( nodes / 64 + 1 ) * sizeof *is_packed );
	DBVHI_TRY( dbvhi_packed_nodes( tree, is_packed ) );
	const dbvh_status status =
	    dbvhi_choose_ellipsoids( tree, w->frames, w->candidates, w->candidate_count, is_packed, w->found );
	if ( status == DBVH_OK && w->all )
		dbvhi_pack_all_ellipsoids( tree, is_packed, w->found );
	return status;
}

// Drops the candidates that were not chosen, unless all are asked for.
static void drop_others( work *w ) {
	for ( uint32_t i = 0; i < w->candidate_count && !w->all; ++i ) {
		const uint32_t node = w->candidates[i];
		w->has[node] = w->found[node].chosen || w->found[node].packed;
	}
}

dbvh_status dbvhi_add_ellipsoids( dbvh_tree *tree ) {
	// Sizes whose ninth powers are far from overflow and underflow, with flat parts down to 2^-28 of it.
	if ( !( tree->nodes[0].radius >= 0x1p-40 && tree->largest <= 0x1p40 ) )
		return DBVH_OK;
	const dbvh_allocator *a = &tree->allocator;
	const size_t nodes = tree->node_count, words = nodes / 64 + 1;
	// note: threads have room for the largest node each; smaller nodes need a part of it.
	const uint32_t threads =
	    dbvhi_thread_count( tree->options.thread_count ) < 16 ? dbvhi_thread_count( tree->options.thread_count ) : 16;
	const size_t room = 18 * tree->triangle_count * threads;
	work w = { .tree = tree, .floor = DBVHI_ELLIPSOID_THINNEST * tree->nodes[0].half.v[2] };
	uint64_t *is_packed = dbvhi_alloc( a, words, sizeof *is_packed );
	w.frames = dbvhi_alloc( a, nodes, sizeof *w.frames );
	w.found = dbvhi_alloc( a, nodes, sizeof *w.found );
	w.has = dbvhi_alloc( a, nodes, sizeof *w.has );
	w.room = dbvhi_alloc( a, room, sizeof *w.room );
	dbvh_status status = DBVH_OUT_OF_MEMORY;
	if ( is_packed != NULL && w.frames != NULL && w.found != NULL && w.has != NULL && w.room != NULL )
		status = fit_and_choose( &w, is_packed, threads );
	if ( status == DBVH_OK ) {
		drop_others( &w );
		status = collect( &w );
	}
	dbvhi_free( a, is_packed, words, sizeof *is_packed );
	dbvhi_free( a, w.frames, nodes, sizeof *w.frames );
	dbvhi_free( a, w.found, nodes, sizeof *w.found );
	dbvhi_free( a, w.has, nodes, sizeof *w.has );
	dbvhi_free( a, w.room, room, sizeof *w.room );
	return status;
}
