// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/builder/trial.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/status.h"
#include "bvh/ellipsoid_test.h"
#include "bvh/tree.h"

#include <string.h>

// BETTER: samples are few, and count only roughly what a kernel does, so a tree has to win by this factor. AS_GOOD:
// among about equal trees the one of fewer fragments is taken.
#define BETTER 0.9
#define AS_GOOD 1.02
#define NO_DEARER 1.05
// NO_DEARER_INSIDE is lax: the cost of a search for a first contact depends mostly on its order, which differs in the
// kernel.
#define NO_DEARER_INSIDE 1.5
#define LINES 32

static void find_frames( const dbvh_tree *tree, dbvhi_frame *frames ) {
	const dbvhi_frame mesh = dbvhi_frame_mesh();
	frames[0] = dbvhi_frame_step( &mesh, &tree->nodes[0] );
	for ( size_t i = 0; i < tree->node_count; ++i ) {
		const dbvhi_node *node = &tree->nodes[i];
		for ( uint32_t child = 0; !dbvhi_node_is_leaf( node ) && child < 2; ++child )
			frames[node->first + child] = dbvhi_frame_step( &frames[i], &tree->nodes[node->first + child] );
	}
}

static void sum_up( const dbvhi_profile *p, double costs_out[DBVHI_SAMPLE_OFFSETS] ) {
	const dbvhi_ellipsoid_costs *c = &dbvhi_packed_costs;
	for ( int k = 0; k < DBVHI_SAMPLE_OFFSETS; ++k )
		costs_out[k] = 0.0;
	for ( uint32_t i = 0; i < p->sample_count; ++i ) {
		const dbvhi_work_done *done = &p->samples[i].all;
		costs_out[p->samples[i].offset] +=
		    c->query + c->sphere * done->spheres + c->box * done->boxes + c->triangle * done->triangles;
	}
}

// Measures a tree; `find`: finds trial->approaches first.
static dbvh_status measure( dbvhi_trial *trial, const dbvh_tree *tree, bool find,
                            double costs_out[DBVHI_SAMPLE_OFFSETS] ) {
	const dbvh_allocator *a = &tree->allocator;
	dbvhi_profile *p = dbvhi_alloc( a, 1, sizeof *p );
	uint8_t *number = dbvhi_alloc( a, tree->node_count, 1 );
	dbvhi_frame *frames = dbvhi_alloc( a, tree->node_count, sizeof *frames );
	const bool enough = p != NULL && number != NULL && frames != NULL;
	if ( enough ) {
		memset( p, 0, sizeof *p );
		memset( number, 0, tree->node_count ); // no node is a candidate for an ellipsoid
		find_frames( tree, frames );
		p->tree = tree;
		p->frames = frames;
		p->number = number;
		p->line_count = LINES;
		if ( find ) {
			dbvhi_find_approaches( p );
			trial->approach_count = p->approach_count;
			memcpy( trial->approaches, p->approaches, sizeof trial->approaches );
		} else {
			p->approach_count = trial->approach_count;
			memcpy( p->approaches, trial->approaches, sizeof trial->approaches );
		}
		dbvhi_record_samples( p, true );
		sum_up( p, costs_out );
	}
	dbvhi_free( a, p, 1, sizeof *p );
	dbvhi_free( a, number, tree->node_count, 1 );
	dbvhi_free( a, frames, tree->node_count, sizeof *frames );
	return enough ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

dbvh_status dbvhi_trial_begin( dbvhi_trial *trial, const dbvh_tree *tree ) {
	memset( trial, 0, sizeof *trial );
	trial->least = 1.0;
	return measure( trial, tree, true, trial->first );
}

dbvh_status dbvhi_trial_compare( dbvhi_trial *trial, const dbvh_tree *tree, bool *better_out ) {
	*better_out = false;
	if ( trial->approach_count == 0 )
		return DBVH_OK;
	double costs[DBVHI_SAMPLE_OFFSETS], sum = 0.0;
	DBVHI_TRY( measure( trial, tree, false, costs ) );
	bool dearer = false;
	for ( int k = 0; k < DBVHI_SAMPLE_OFFSETS; ++k ) {
		const double part = costs[k] / trial->first[k];
		sum += part / DBVHI_SAMPLE_OFFSETS;
		dearer = dearer || part > ( k == DBVHI_SAMPLE_INSIDE ? NO_DEARER_INSIDE : NO_DEARER );
	}
	*better_out = !dearer && sum < BETTER && sum < AS_GOOD * trial->least;
	trial->least = *better_out && sum < trial->least ? sum : trial->least;
	return DBVH_OK;
}
