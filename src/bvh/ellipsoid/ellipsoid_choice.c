// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The choice of ellipsoids. From the records of sample queries follows the time of each query for any set of nodes with
// ellipsoids. Starting from all candidates, those that do not pay are removed until all others do.

#include "base/alloc.h"
#include "base/assert.h"
#include "bvh/ellipsoid/ellipsoids.h"
#include "bvh/ellipsoid_test.h"
#include "bvh/tree.h"

#include <math.h>
#include <string.h>

// Limits of candidates.
enum {
	SMALLEST = 32, // triangles: a smaller node saves less than a test costs
	PART = 16,     // the least part of the mesh's triangles, 1 / PART
};
// WORST bounds the expected loss of any kind of query.
#define WORST 0.05
// WANTED is the least gain over all kinds: ellipsoids make other nodes a little slower, too.
#define WANTED 0.02

// ------------------------------------------------------------------------------------------------
// The choice

typedef struct choice {
	dbvhi_profile *p;
	const dbvhi_ellipsoid_costs *costs;
	bool in[DBVHI_ELLIPSOIDS_MOST];
	double weight[DBVHI_SAMPLE_OFFSETS];
	double usual[DBVHI_SAMPLE_OFFSETS]; // time of a query of each kind without ellipsoids
	// Gain of each candidate and the sum of its squares, relative to those times; and the loss of each kind.
	double gain[DBVHI_ELLIPSOIDS_MOST], square[DBVHI_ELLIPSOIDS_MOST];
	double longer[DBVHI_SAMPLE_OFFSETS];
} choice;

static double time_of( const dbvhi_ellipsoid_costs *c, const dbvhi_work_done *w ) {
	return c->sphere * w->spheres + c->box * w->boxes + c->triangle * w->triangles;
}

static void add_gain( choice *c, uint32_t candidate, double gain ) {
	DBVHI_ASSERT( candidate < DBVHI_ELLIPSOIDS_MOST );
	c->gain[candidate] += gain;
	c->square[candidate] += gain * gain;
}

// Returns the gain of one query with the selected nodes.
static double replay( choice *c, const dbvhi_sample *s ) {
	dbvhi_sample_record *records = c->p->records;
	uint32_t failed = 0;
	double all = 0.0;
	for ( uint32_t i = s->first; i < s->first + s->count; ++i ) {
		dbvhi_sample_record *r = &records[i];
		r->closed = r->parent != DBVHI_NO_RECORD && records[r->parent].closed;
		if ( r->closed || !c->in[r->a] || !c->in[r->b] || failed >= c->costs->budget )
			continue;
		r->closed = r->separated;
		failed += !r->separated;
		const double saved = r->separated ? time_of( c->costs, &r->below ) : 0.0;
		const double gain = ( saved - c->costs->ellipsoid ) / c->usual[s->offset];
		add_gain( c, r->a, c->weight[s->offset] * gain );
		if ( r->b != r->a )
			add_gain( c, r->b, c->weight[s->offset] * gain );
		all += gain;
	}
	return all;
}

static void replay_all( choice *c ) {
	memset( c->gain, 0, sizeof c->gain );
	memset( c->square, 0, sizeof c->square );
	memset( c->longer, 0, sizeof c->longer );
	for ( uint32_t i = 0; i < c->p->sample_count; ++i ) {
		const dbvhi_sample *s = &c->p->samples[i];
		c->longer[s->offset] -= replay( c, s ) / c->p->approach_count;
	}
}

static void find_usual( choice *c ) {
	for ( int k = 0; k < DBVHI_SAMPLE_OFFSETS; ++k )
		c->usual[k] = c->costs->query;
	for ( uint32_t i = 0; i < c->p->sample_count; ++i ) {
		const dbvhi_sample *s = &c->p->samples[i];
		c->usual[s->offset] += time_of( c->costs, &s->all ) / c->p->approach_count;
	}
}

// Returns the gain of a candidate minus its standard error: it has to gain with some certainty.
static double surplus( const choice *c, uint32_t candidate ) {
	DBVHI_ASSERT( candidate < DBVHI_ELLIPSOIDS_MOST );
	return c->gain[candidate] - sqrt( c->square[candidate] );
}

// Removes the worst quarter of the losing candidates, at least one. Candidates affect each other, so not all at once.
static bool give_up_some( choice *c, uint32_t count ) {
	DBVHI_ASSERT( count <= DBVHI_ELLIPSOIDS_MOST );
	double least = 0.0;
	uint32_t losing = 0;
	for ( uint32_t i = 0; i < count; ++i ) {
		if ( c->in[i] && surplus( c, i ) <= 0.0 ) {
			losing += 1;
			least = fmin( least, surplus( c, i ) );
		}
	}
	if ( losing == 0 )
		return false;
	for ( uint32_t i = 0; i < count; ++i ) {
		if ( c->in[i] && surplus( c, i ) <= 0.5 * least )
			c->in[i] = false;
	}
	return true;
}

// Removes losing candidates. Kinds of queries that would lose more than allowed get more weight, until there are none
// or nothing is left.
static void settle( choice *c, uint32_t count ) {
	enum { TIMES = 12 };
	find_usual( c );
	for ( int k = 0; k < DBVHI_SAMPLE_OFFSETS; ++k )
		c->weight[k] = 1.0;
	for ( int i = 0; i < TIMES; ++i ) {
		do
			replay_all( c );
		while ( give_up_some( c, count ) );
		bool good = true;
		double gained = 0.0;
		for ( int k = 0; k < DBVHI_SAMPLE_OFFSETS; ++k ) {
			gained -= c->longer[k] / DBVHI_SAMPLE_OFFSETS;
			if ( c->longer[k] > WORST ) {
				c->weight[k] *= 2.0;
				good = false;
			}
		}
		if ( gained < WANTED )
			break;
		if ( good )
			return;
	}
	memset( c->in, 0, sizeof c->in );
}

bool dbvhi_may_have_ellipsoid( const dbvh_tree *tree, const dbvhi_node *node ) {
	return node->half.v[2] > DBVHI_ELLIPSOID_THINNEST * tree->nodes[0].half.v[2];
}

static uint32_t largest_nodes( const dbvh_tree *tree, size_t least, const uint64_t *among,
                               uint32_t nodes_out[DBVHI_ELLIPSOIDS_MOST] ) {
	for ( ;; least += least / 2 + 1 ) {
		uint32_t count = 0;
		for ( size_t i = 0; i < tree->node_count; ++i ) {
			const dbvhi_node *node = &tree->nodes[i];
			if ( node->total < least || dbvhi_node_is_leaf( node ) || !dbvhi_may_have_ellipsoid( tree, node ) ||
			     ( among != NULL && !( among[i / 64] >> i % 64 & 1 ) ) )
				continue;
			if ( count < DBVHI_ELLIPSOIDS_MOST )
				nodes_out[count] = (uint32_t)i;
			count += 1;
		}
		if ( count <= DBVHI_ELLIPSOIDS_MOST )
			return count;
	}
}

uint32_t dbvhi_ellipsoid_candidates( const dbvh_tree *tree, uint32_t nodes_out[DBVHI_ELLIPSOIDS_MOST] ) {
	const size_t part = tree->triangle_count / PART;
	return largest_nodes( tree, part > SMALLEST ? part : SMALLEST, NULL, nodes_out );
}

void dbvhi_pack_all_ellipsoids( const dbvh_tree *tree, const uint64_t *is_packed, dbvhi_node_ellipsoid *found ) {
	uint32_t nodes[DBVHI_ELLIPSOIDS_MOST];
	const uint32_t count = largest_nodes( tree, 1, is_packed, nodes );
	for ( size_t i = 0; i < tree->node_count; ++i )
		found[i].packed = false;
	for ( uint32_t i = 0; i < count; ++i )
		found[nodes[i]].packed = true;
}

dbvh_status dbvhi_choose_ellipsoids( const dbvh_tree *tree, const dbvhi_frame *frames, const uint32_t *nodes,
                                     uint32_t count, const uint64_t *is_packed, dbvhi_node_ellipsoid *found ) {
	DBVHI_ASSERT( count <= DBVHI_ELLIPSOIDS_MOST );
	if ( count == 0 )
		return DBVH_OK;
	const dbvh_allocator *a = &tree->allocator;
	dbvhi_profile *p = dbvhi_alloc( a, 1, sizeof *p );
	uint8_t *number = dbvhi_alloc( a, tree->node_count, 1 );
	dbvhi_sample_record *records = dbvhi_alloc( a, DBVHI_SAMPLE_RECORDS, sizeof *records );
	const bool enough = p != NULL && number != NULL && records != NULL;
	if ( enough ) {
		memset( p, 0, sizeof *p );
		memset( number, 0, tree->node_count );
		p->tree = tree;
		p->frames = frames;
		p->found = found;
		p->number = number;
		p->records = records;
		p->line_count = DBVHI_SAMPLE_POSES;
		for ( uint32_t i = 0; i < count; ++i )
			number[nodes[i]] = (uint8_t)( i + 1 );
		dbvhi_find_approaches( p );
		dbvhi_record_samples( p, false );
		choice c = { .p = p, .costs = &dbvhi_reference_costs };
		memset( c.in, true, count );
		settle( &c, count );
		for ( uint32_t i = 0; i < count; ++i )
			found[nodes[i]].chosen = c.in[i];
		// note: a tree whose leaves are too large for the packed form has no nodes there.
		bool any_packed = false;
		for ( uint32_t i = 0; i < count; ++i ) {
			c.in[i] = is_packed[nodes[i] / 64] >> nodes[i] % 64 & 1;
			any_packed = any_packed || c.in[i];
		}
		if ( any_packed ) {
			dbvhi_record_samples( p, true );
			c.costs = &dbvhi_packed_costs;
			settle( &c, count );
		}
		for ( uint32_t i = 0; i < count; ++i )
			found[nodes[i]].packed = c.in[i];
	}
	dbvhi_free( a, p, 1, sizeof *p );
	dbvhi_free( a, number, tree->node_count, 1 );
	dbvhi_free( a, records, DBVHI_SAMPLE_RECORDS, sizeof *records );
	return enough ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}
