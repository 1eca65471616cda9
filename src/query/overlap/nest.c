// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Networks of segments inside a triangle that nowhere reach its sides lie in faces of others: faces with holes. From
// the extreme node of a network a ray through the triangle tells which: the first piece of another network that it hits
// has that face on the side from which the ray comes.

#include "base/union_find.h"
#include "query/overlap/overlap.h"

typedef struct nesting {
	dbvh_overlap *o;
	const dbvhi_overlap_body *b;
	const dbvhi_cut *cut;
	uint32_t *network; // union-find over the outlines of the cut
	int axis, x, y, turn;
} nesting;

static uint32_t end_of( const nesting *n, uint32_t entry ) {
	if ( entry >= n->cut->side[3] )
		return n->b->outline[n->cut->side[3] + ( ( entry - n->cut->side[3] ) ^ 1 )].node;
	return n->b->outline[entry + 1 == n->cut->side[3] ? n->cut->first : entry + 1].node;
}

static uint32_t network_of( const nesting *n, uint32_t entry ) {
	return dbvhi_union_root( n->network, n->b->outline[entry].face - n->cut->first_face );
}

static void find_networks( const nesting *n ) {
	for ( uint32_t i = 0; i < n->cut->face_count; ++i )
		n->network[i] = i;
	for ( uint32_t i = n->cut->first + 1; i < n->cut->side[3]; ++i )
		dbvhi_union_join( n->network, n->b->outline[i].face - n->cut->first_face,
		                  n->b->outline[n->cut->first].face - n->cut->first_face );
	for ( uint32_t i = n->cut->side[3]; i < n->cut->first + n->cut->count; i += 2 )
		dbvhi_union_join( n->network, n->b->outline[i].face - n->cut->first_face,
		                  n->b->outline[i + 1].face - n->cut->first_face );
}

static int orient( const nesting *n, dbvhi_node_id p, dbvhi_node_id q, dbvhi_node_id r ) {
	return dbvhi_node_orient2d( n->o, n->axis, p, q, r );
}

// A piece with its lower end first.
typedef struct upright {
	dbvhi_node_id low, high;
	uint32_t entry;
	bool up; // the entry runs upwards
} upright;

// True if the ray from p against the x axis, a hair above p, hits the piece.
static bool is_hit( const nesting *n, uint32_t entry, dbvhi_node_id p, upright *out ) {
	const dbvhi_node_id from = n->b->outline[entry].node, to = end_of( n, entry );
	const bool from_low = dbvhi_node_compare( n->o, n->y, from, p ) <= 0,
	           to_low = dbvhi_node_compare( n->o, n->y, to, p ) <= 0;
	if ( from_low == to_low )
		return false;
	*out = ( upright ){ from_low ? from : to, from_low ? to : from, entry, from_low };
	return orient( n, out->low, out->high, p ) < 0;
}

// True if q passes further along the x axis than p at a height that both have.
static bool is_nearer( const nesting *n, const upright *p, const upright *q ) {
	int side = dbvhi_node_compare( n->o, n->y, p->low, q->low ) <= 0 ? -orient( n, p->low, p->high, q->low )
	                                                                 : orient( n, q->low, q->high, p->low );
	if ( side == 0 )
		side = dbvhi_node_compare( n->o, n->y, q->high, p->high ) <= 0 ? -orient( n, p->low, p->high, q->high )
		                                                               : orient( n, q->low, q->high, p->high );
	return side > 0;
}

// The entry of the outline around a network: the last, anticlockwise, that leaves its extreme node.
static uint32_t outer_entry( const nesting *n, uint32_t network ) {
	uint32_t best = DBVHI_NONE;
	for ( uint32_t i = n->cut->side[3]; i < n->cut->first + n->cut->count; ++i ) {
		if ( network_of( n, i ) != network )
			continue;
		if ( best == DBVHI_NONE ) {
			best = i;
			continue;
		}
		const dbvhi_node_id p = n->b->outline[i].node, q = n->b->outline[best].node;
		int order = dbvhi_node_compare( n->o, n->x, p, q );
		if ( order == 0 )
			order = dbvhi_node_compare( n->o, n->y, p, q );
		if ( order == 0 )
			order = n->turn * orient( n, q, end_of( n, best ), end_of( n, i ) ) > 0 ? -1 : 1;
		if ( order < 0 )
			best = i;
	}
	return best;
}

// Join a hole to the face that it is in.
static void join( dbvh_overlap *o, uint32_t hole, uint32_t face ) {
	dbvhi_union_join( o->patch, hole, face );
	dbvhi_union_join( o->surface, hole, face );
	o->faces[hole].is_hole = true;
	// Two rings become one by exchanging what follows.
	const uint32_t next = o->faces[hole].ring;
	o->faces[hole].ring = o->faces[face].ring;
	o->faces[face].ring = next;
}

static void place_network( const nesting *n, uint32_t network ) {
	const uint32_t outer = outer_entry( n, network );
	const dbvhi_node_id p = n->b->outline[outer].node;
	upright best = { 0 }, next;
	bool any = false;
	for ( uint32_t i = n->cut->first; i < n->cut->first + n->cut->count; i += i < n->cut->side[3] ? 1 : 2 ) {
		if ( network_of( n, i ) == network || !is_hit( n, i, p, &next ) )
			continue;
		if ( !any || is_nearer( n, &best, &next ) )
			best = next;
		any = true;
	}
	DBVHI_ASSERT( any );
	if ( !any )
		return;
	uint32_t entry = best.entry;
	// The ray comes from the right of the piece as it runs upwards, which is its left the other way round; seen from
	// the tip of the normal, where that points against the axis, it is the other way round again.
	if ( entry >= n->cut->side[3] && best.up == ( n->turn > 0 ) )
		entry = n->cut->side[3] + ( ( entry - n->cut->side[3] ) ^ 1 );
	join( n->o, n->b->outline[outer].face, n->b->outline[entry].face );
}

dbvhi_overlap_outcome dbvhi_overlap_nest( dbvh_overlap *o, int m, const dbvhi_cut *cut ) {
	const dbvhi_overlap_body *b = &o->body[m];
	const uint32_t sides = cut->side[3] - cut->first;
	if ( cut->count == sides )
		return DBVHI_OVERLAP_OK;
	// Euler: nodes - pieces + faces is 1 for what hangs together with the sides, and 2 for each other network.
	uint32_t nodes = 1;
	for ( uint32_t i = 1; i < cut->count; ++i )
		nodes += o->scratch[i] >> 32 != o->scratch[i - 1] >> 32;
	if ( nodes + cut->face_count == 1 + sides + ( cut->count - sides ) / 2 )
		return DBVHI_OVERLAP_OK;
	if ( !DBVHI_ROOM( o, o->queue, o->queue_capacity, cut->face_count ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	nesting n = { .o = o, .b = b, .cut = cut, .network = o->queue };
	n.axis = dbvhi_node_projection( o, m, cut->triangle, &n.turn );
	n.x = ( n.axis + 1 ) % 3;
	n.y = ( n.axis + 2 ) % 3;
	find_networks( &n );
	const uint32_t outer = network_of( &n, cut->first );
	for ( uint32_t i = 0; i < cut->face_count; ++i ) {
		if ( dbvhi_union_root( n.network, i ) != i || i == outer )
			continue;
		if ( !dbvhi_overlap_charge( o, cut->count ) )
			return DBVHI_OVERLAP_STOPPED;
		place_network( &n, i );
	}
	return DBVHI_OVERLAP_OK;
}
