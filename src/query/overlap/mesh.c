// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The overlap as a mesh. Each face of a cut triangle becomes a polygon: its holes are joined to its outline by bridges,
// and ears are cut off, all by exact signs about the nodes. What is not cut is copied.

#include "base/union_find.h"
#include "query/overlap/overlap.h"

#include <string.h>

typedef dbvhi_ring_corner corner;

typedef struct meshing {
	dbvh_overlap *o;
	const dbvhi_overlap_body *b;
	int m, axis, x, y, turn;
	corner *corners;
	size_t corner_count, left; // made, and not yet cut off
	bool is_rough;             // signs that doubles are not sure of are 0
	bool is_simple;            // no node occurs twice in the ring
	uint32_t triangle, component;
	size_t face_count;
	bool no_memory;
} meshing;

static bool put_face( meshing *k, dbvhi_node_id p, dbvhi_node_id q, dbvhi_node_id r ) {
	dbvh_overlap *o = k->o;
	const size_t n = k->face_count;
	if ( !DBVHI_ROOM( o, o->drafts, o->draft_capacity, n + 1 ) )
		return false;
	const bool below = k->b->solid->side[k->triangle] == DBVHI_SOLID_BELOW;
	o->drafts[n] = ( dbvhi_draft ){ .component = k->component,
	                                .node = { p, below ? q : r, below ? r : q },
	                                .source = { (uint32_t)( k->m == 1 ) ^ (uint32_t)o->swapped, k->triangle } };
	k->face_count = n + 1;
	return true;
}

// ------------------------------------------------------------------------------------------------
// Polygons

// The sides of the triangle on which a node lies, a bit each.
static unsigned sides_at( const meshing *k, dbvhi_node_id node ) {
	const uint32_t *vertex = k->b->topology->corner + 3 * (size_t)k->triangle,
	               *edge = k->b->topology->edge + 3 * (size_t)k->triangle;
	dbvhi_part part = (dbvhi_part)DBVH_FEATURE_KIND_VERTEX << 32 | ( node - dbvhi_vertex_node( k->o, k->m, 0 ) );
	if ( node < k->o->found.point_count ) {
		const dbvhi_point_key *key = (const dbvhi_point_key *)k->o->contacts->stores[DBVHI_STORE_KEYS].memory + node;
		part = k->m == 0 ? key->a : key->b;
	}
	const dbvh_feature_kind kind = (dbvh_feature_kind)( part >> 32 );
	unsigned sides = 0;
	for ( unsigned i = 0; i < 3; ++i ) {
		if ( kind == DBVH_FEATURE_KIND_EDGE && edge[i] == (uint32_t)part )
			sides |= 1u << i;
		if ( kind == DBVH_FEATURE_KIND_VERTEX && vertex[i] == (uint32_t)part )
			sides |= 1u << i | 1u << ( i + 2 ) % 3;
	}
	return sides;
}

static int orientation( const meshing *k, dbvhi_node_id p, dbvhi_node_id q, dbvhi_node_id r ) {
	// note: nodes on one side are common, and doubles never make sure of them.
	if ( p == q || q == r || p == r || ( sides_at( k, p ) & sides_at( k, q ) & sides_at( k, r ) ) != 0 )
		return 0;
	return k->is_rough ? dbvhi_node_orient2d_filter( k->o, k->axis, p, q, r )
	                   : dbvhi_node_orient2d( k->o, k->axis, p, q, r );
}

// The same as seen from the tip of the normal.
static int turn_at( const meshing *k, dbvhi_node_id p, dbvhi_node_id q, dbvhi_node_id r ) {
	return k->turn * orientation( k, p, q, r );
}

static bool add_ring( meshing *k, const dbvhi_face *f ) {
	dbvh_overlap *o = k->o;
	const uint32_t first = (uint32_t)k->corner_count;
	uint32_t i = f->start;
	do {
		// note: each bridge takes two corners more.
		if ( !DBVHI_ROOM( o, o->corners, o->corner_capacity, k->corner_count + 3 ) )
			return false;
		k->corners = o->corners;
		const uint32_t at = (uint32_t)k->corner_count++;
		k->corners[at] = ( corner ){ k->b->outline[i].node, at - 1, at + 1 };
		i = k->b->outline[i].next;
	} while ( i != f->start );
	k->corners[first].before = (uint32_t)k->corner_count - 1;
	k->corners[k->corner_count - 1].after = first;
	return true;
}

static int compare_xy( const meshing *k, dbvhi_node_id p, dbvhi_node_id q ) {
	const int order = dbvhi_node_compare( k->o, k->x, p, q );
	return order != 0 ? order : dbvhi_node_compare( k->o, k->y, p, q );
}

// The lowest corner of a ring.
static uint32_t extreme( const meshing *k, uint32_t ring ) {
	uint32_t best = ring;
	for ( uint32_t i = k->corners[ring].after; i != ring; i = k->corners[i].after ) {
		if ( compare_xy( k, k->corners[i].node, k->corners[best].node ) < 0 )
			best = i;
	}
	return best;
}

// Is the direction from a corner to a node within the polygon there?
static bool is_in_cone( const meshing *k, uint32_t at, dbvhi_node_id to ) {
	const corner *c = &k->corners[at];
	const dbvhi_node_id before = k->corners[c->before].node, after = k->corners[c->after].node;
	const int from_after = turn_at( k, c->node, after, to ), to_before = turn_at( k, c->node, to, before );
	if ( before == after )
		return true;
	return turn_at( k, before, c->node, after ) > 0 ? from_after > 0 && to_before > 0 : from_after > 0 || to_before > 0;
}

typedef struct hit {
	dbvhi_node_id low, high;
} hit;

// The first side of the ring that the ray from p against the x axis, a hair above p, meets.
static bool find_hit( const meshing *k, uint32_t ring, dbvhi_node_id p, hit *out ) {
	bool any = false;
	uint32_t i = ring;
	do {
		const dbvhi_node_id from = k->corners[i].node, to = k->corners[k->corners[i].after].node;
		i = k->corners[i].after;
		const bool from_low = dbvhi_node_compare( k->o, k->y, from, p ) <= 0,
		           to_low = dbvhi_node_compare( k->o, k->y, to, p ) <= 0;
		if ( from_low == to_low )
			continue;
		const hit next = { from_low ? from : to, from_low ? to : from };
		if ( orientation( k, next.low, next.high, p ) >= 0 )
			continue;
		if ( any ) {
			int side = dbvhi_node_compare( k->o, k->y, out->low, next.low ) <= 0
			               ? -orientation( k, out->low, out->high, next.low )
			               : orientation( k, next.low, next.high, out->low );
			if ( side == 0 )
				side = dbvhi_node_compare( k->o, k->y, next.high, out->high ) <= 0
				           ? -orientation( k, out->low, out->high, next.high )
				           : orientation( k, next.low, next.high, out->high );
			if ( side <= 0 )
				continue;
		}
		*out = next;
		any = true;
	} while ( i != ring );
	return any;
}

// The corner of the ring to which a bridge from p may go: the first that the ray meets as it turns towards that end of
// the side which lies before p.
static uint32_t find_bridge( const meshing *k, uint32_t ring, dbvhi_node_id p ) {
	hit at = { 0, 0 };
	if ( !find_hit( k, ring, p, &at ) )
		return DBVHI_NONE;
	const bool up = dbvhi_node_compare( k->o, k->x, at.high, p ) < 0;
	const int way = up ? -1 : 1;
	dbvhi_node_id best = up ? at.high : at.low;
	uint32_t i = ring;
	do {
		const dbvhi_node_id r = k->corners[i].node;
		i = k->corners[i].after;
		if ( r == best || r == at.low || r == at.high || ( dbvhi_node_compare( k->o, k->y, r, p ) > 0 ) != up ||
		     orientation( k, at.low, at.high, r ) >= 0 )
			continue;
		const int nearer = way * orientation( k, p, r, best );
		if ( nearer > 0 || ( nearer == 0 && dbvhi_node_compare( k->o, k->x, r, p ) < 0 &&
		                     dbvhi_node_compare( k->o, k->x, r, best ) > 0 ) )
			best = r;
	} while ( i != ring );
	do {
		if ( k->corners[i].node == best && is_in_cone( k, i, p ) )
			return i;
		i = k->corners[i].after;
	} while ( i != ring );
	return DBVHI_NONE;
}

// Join a hole by a bridge from its corner to a corner of the ring.
static void add_bridge( meshing *k, uint32_t at, uint32_t hole ) {
	const uint32_t ring_copy = (uint32_t)k->corner_count, hole_copy = ring_copy + 1;
	const uint32_t after = k->corners[at].after, before = k->corners[hole].before;
	k->corner_count += 2;
	k->corners[ring_copy] = ( corner ){ k->corners[at].node, hole_copy, after };
	k->corners[hole_copy] = ( corner ){ k->corners[hole].node, before, ring_copy };
	k->corners[after].before = ring_copy;
	k->corners[before].after = hole_copy;
	k->corners[at].after = hole;
	k->corners[hole].before = at;
}

// True if the corner may be cut off. note: where no node occurs twice, an ear that holds no other corner is one,
// without a look at the directions at its ends; of the last three corners, too, unless all are on one side.
static bool is_ear( const meshing *k, uint32_t at ) {
	const corner *c = &k->corners[at];
	const dbvhi_node_id p = k->corners[c->before].node, q = c->node, r = k->corners[c->after].node;
	if ( turn_at( k, p, q, r ) <= 0 )
		return false;
	for ( uint32_t i = k->corners[c->after].after; i != c->before; i = k->corners[i].after ) {
		const dbvhi_node_id s = k->corners[i].node;
		if ( s != p && s != q && s != r && turn_at( k, p, q, s ) >= 0 && turn_at( k, q, r, s ) >= 0 &&
		     turn_at( k, r, p, s ) >= 0 )
			return false;
	}
	return k->is_simple || k->left == 3 || ( is_in_cone( k, c->before, r ) && is_in_cone( k, c->after, p ) );
}

// Rings with more corners are not looked at, one corner beside each other.
#define MOST_COMPARED 24

static bool is_simple_ring( const meshing *k, uint32_t ring ) {
	size_t count = 0;
	for ( uint32_t i = k->corners[ring].after; i != ring; i = k->corners[i].after ) {
		if ( ++count == MOST_COMPARED )
			return false;
		for ( uint32_t j = ring; j != i; j = k->corners[j].after ) {
			if ( k->corners[i].node == k->corners[j].node )
				return false;
		}
	}
	return true;
}

// True if no corner of what is left certainly turns inwards.
static bool is_nearly_convex( const meshing *k, uint32_t at ) {
	uint32_t i = at;
	do {
		const corner *c = &k->corners[i];
		if ( turn_at( k, k->corners[c->before].node, c->node, k->corners[c->after].node ) < 0 )
			return false;
		i = c->after;
	} while ( i != at );
	return true;
}

// Cut what is left into the triangles that one of its corners has with the sides.
static bool cut_fan( meshing *k, uint32_t at ) {
	const dbvhi_node_id tip = k->corners[at].node;
	for ( uint32_t i = k->corners[at].after; k->left > 2; i = k->corners[i].after ) {
		if ( !put_face( k, tip, k->corners[i].node, k->corners[k->corners[i].after].node ) )
			return false;
		k->left -= 1;
	}
	return true;
}

static bool cut_ears( meshing *k, uint32_t ring ) {
	size_t since = 0; // corners looked at since an ear was found
	k->is_simple = is_simple_ring( k, ring );
	k->left = 0;
	uint32_t at = ring;
	do {
		k->left += 1;
		at = k->corners[at].after;
	} while ( at != ring );
	while ( k->left > 2 ) {
		const corner c = k->corners[at];
		if ( !is_ear( k, at ) ) {
			at = c.after;
			DBVHI_ASSERT( since <= k->left );
			// note: does not happen with exact signs; the rest is left out rather than looked at for ever.
			if ( ++since > k->left )
				return !k->is_rough || !is_nearly_convex( k, at ) || cut_fan( k, at );
			continue;
		}
		if ( !put_face( k, k->corners[c.before].node, c.node, k->corners[c.after].node ) )
			return false;
		k->corners[c.before].after = c.after;
		k->corners[c.after].before = c.before;
		k->left -= 1;
		since = 0;
		// note: from the next but one, ears come off all round, not from one corner.
		at = k->corners[c.after].after;
	}
	return true;
}

// Join the holes of a face, the lowest first, so that the ray from each meets what is joined already.
static bool join_holes( meshing *k, uint32_t face, uint32_t outer ) {
	dbvh_overlap *o = k->o;
	size_t count = 0;
	for ( uint32_t f = o->faces[face].ring; f != face; f = o->faces[f].ring ) {
		const uint32_t first = (uint32_t)k->corner_count;
		if ( !add_ring( k, &o->faces[f] ) || !DBVHI_ROOM( o, o->queue, o->queue_capacity, count + 1 ) )
			return false;
		o->queue[count] = extreme( k, first );
		for ( size_t i = count++;
		      i > 0 && compare_xy( k, k->corners[o->queue[i]].node, k->corners[o->queue[i - 1]].node ) < 0; --i ) {
			const uint32_t t = o->queue[i];
			o->queue[i] = o->queue[i - 1];
			o->queue[i - 1] = t;
		}
	}
	for ( size_t i = 0; i < count; ++i ) {
		if ( !DBVHI_ROOM( o, o->corners, o->corner_capacity, k->corner_count + 2 ) )
			return false;
		k->corners = o->corners;
		const uint32_t at = find_bridge( k, outer, k->corners[o->queue[i]].node );
		DBVHI_ASSERT( at != DBVHI_NONE );
		if ( at != DBVHI_NONE )
			add_bridge( k, at, o->queue[i] );
	}
	return true;
}

// Cut a face into triangles. For the depths of components, which allow vertices to be off by a rounding, nodes that are
// nearly on a line are on it. Whatever the signs, the triangles cover the face: seen from any point their winding
// numbers add up to that of the ring. Signs that are nearly right keep them from reaching out of it. Where no ear is
// left so, two nodes nearly coincide, for example, the rest is a fan if it is nearly convex; else the face is cut again
// by exact signs.
static bool mesh_face( meshing *k, uint32_t face ) {
	const dbvhi_face *f = &k->o->faces[face];
	k->triangle = k->b->cuts[f->cut].triangle;
	k->axis = dbvhi_node_projection( k->o, k->m, k->triangle, &k->turn );
	k->x = ( k->axis + 1 ) % 3;
	k->y = ( k->axis + 2 ) % 3;
	k->is_rough = k->o->in_frame_of_pair && f->ring == face;
	const size_t before = k->face_count;
	for ( ;; ) {
		k->corner_count = 0;
		if ( !add_ring( k, f ) || !join_holes( k, face, 0 ) || !cut_ears( k, 0 ) )
			return false;
		if ( k->left <= 2 || !k->is_rough )
			return true;
		k->is_rough = false;
		k->face_count = before;
	}
}

// ------------------------------------------------------------------------------------------------
// The mesh

static bool draft_faces( meshing *k ) {
	dbvh_overlap *o = k->o;
	for ( uint32_t i = 0; i < o->face_count; ++i ) {
		const dbvhi_face *f = &o->faces[i];
		if ( !dbvhi_face_bounds( f ) || f->start == DBVHI_NONE || f->is_hole )
			continue;
		k->m = (int)f->body;
		k->b = &o->body[k->m];
		k->component = o->component_of[o->surface_of[dbvhi_union_root( o->surface, i )]];
		if ( !mesh_face( k, i ) )
			return false;
	}
	for ( int m = 0; m < 2; ++m ) {
		k->m = m;
		k->b = &o->body[m];
		for ( size_t i = 0; i < k->b->inner_count; ++i ) {
			const uint32_t *c = k->b->topology->corner + 3 * (size_t)k->b->inner[i].triangle;
			k->triangle = k->b->inner[i].triangle;
			k->component = o->component_of[o->surface_of[dbvhi_union_root( o->surface, k->b->inner[i].face )]];
			if ( !put_face( k, dbvhi_vertex_node( o, m, c[0] ), dbvhi_vertex_node( o, m, c[1] ),
			                dbvhi_vertex_node( o, m, c[2] ) ) )
				return false;
		}
	}
	return true;
}

// Number the nodes that faces have as vertices, in the order of their first use.
static bool number_vertices( dbvh_overlap *o, size_t face_count ) {
	const size_t nodes = o->found.point_count + o->body[0].topology->point_count + o->body[1].topology->point_count;
	if ( !DBVHI_ROOM( o, o->vertex_at, o->vertex_at_capacity, nodes ) ||
	     !DBVHI_ROOM( o, o->indices, o->index_capacity, 3 * face_count ) ||
	     !DBVHI_ROOM( o, o->sources, o->source_capacity, face_count ) )
		return false;
	memset( o->vertex_at, 0xff, nodes * sizeof *o->vertex_at );
	size_t count = 0;
	for ( size_t i = 0; i < 3 * face_count; ++i ) {
		uint32_t *const node = &o->drafts[i / 3].node[i % 3];
		if ( o->vertex_at[*node] == DBVHI_NONE ) {
			if ( !DBVHI_ROOM( o, o->vertices, o->vertex_capacity, 3 * ( count + 1 ) ) )
				return false;
			if ( o->in_frame_of_pair )
				dbvhi_node_position( o, *node, o->vertices + 3 * count );
			else
				dbvhi_node_in_a( o, *node, o->vertices + 3 * count );
			o->vertex_at[*node] = (uint32_t)count++;
		}
		*node = o->vertex_at[*node];
	}
	o->view.vertices = o->vertices;
	o->view.vertex_count = count;
	return true;
}

// Write the faces component after component.
static void write_faces( dbvh_overlap *o, size_t face_count ) {
	for ( size_t i = 0; i < face_count; ++i )
		o->components[o->drafts[i].component].face_count += 1;
	size_t first = 0;
	for ( size_t i = 0; i < o->view.component_count; ++i ) {
		o->components[i].first_face = first;
		first += o->components[i].face_count;
		o->components[i].face_count = 0;
	}
	for ( size_t i = 0; i < face_count; ++i ) {
		const dbvhi_draft *draft = &o->drafts[i];
		dbvh_overlap_component *c = &o->components[draft->component];
		const size_t at = c->first_face + c->face_count++;
		memcpy( o->indices + 3 * at, draft->node, 3 * sizeof *o->indices );
		o->sources[at] = draft->source;
	}
	o->view.indices = o->indices;
	o->view.sources = o->sources;
	o->view.face_count = face_count;
}

dbvhi_overlap_outcome dbvhi_overlap_mesh( dbvh_overlap *o ) {
	meshing k = { .o = o };
	if ( !dbvhi_overlap_expand( o ) || !draft_faces( &k ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	if ( k.face_count > UINT32_MAX / 3 || !number_vertices( o, k.face_count ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	write_faces( o, k.face_count );
	return dbvhi_overlap_charge( o, 8 * k.face_count ) ? DBVHI_OVERLAP_OK : DBVHI_OVERLAP_STOPPED;
}
