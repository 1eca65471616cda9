// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Segments of the contact, each once, and the outlines of the faces into which they divide triangles.
//
// Along the sides of a triangle its outline is a cycle of pieces from node to node. Segments inside join to it, or form
// networks of their own. At each node the pieces that leave it are in order round it; the face on the left of a piece
// that arrives goes on along the piece that comes before it in that order.

#include "base/hash.h"
#include "base/sort.h"
#include "base/union_find.h"
#include "query/overlap/overlap.h"

#include <string.h>

// ------------------------------------------------------------------------------------------------
// Segments

static bool on_side( int place, int side ) {
	return place == DBVHI_EDGE( side ) || place == side || place == dbvhi_next_corner( side );
}

// The smallest place in a triangle that contains the segment between two places.
static int place_between( int p, int q ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( on_side( p, k ) && on_side( q, k ) )
			return DBVHI_EDGE( k );
	}
	return DBVHI_FACE;
}

typedef struct segment_end {
	uint32_t point;
	dbvhi_cell cell;
} segment_end;

static void add_segment( dbvh_overlap *o, size_t mask, uint32_t contact, segment_end p, segment_end q, int turn ) {
	if ( p.point > q.point ) {
		const segment_end t = p;
		p = q;
		q = t;
		turn = -turn;
	}
	size_t slot = (size_t)dbvhi_hash_word( DBVHI_HASH_SEED, (uint64_t)p.point << 32 | q.point ) & mask;
	for ( ; o->table[slot] != 0; slot = ( slot + 1 ) & mask ) {
		const dbvhi_segment *known = &o->segments[o->table[slot] - 1];
		if ( known->from == p.point && known->to == q.point )
			return;
	}
	const dbvh_pair pair = o->found.contacts[contact].pair;
	o->segments[o->segment_count] = ( dbvhi_segment ){
	    .from = p.point,
	    .to = q.point,
	    .part = { dbvhi_part_of( o->body[0].topology, pair.a, place_between( p.cell.fixed, q.cell.fixed ) ),
	              dbvhi_part_of( o->body[1].topology, pair.b, place_between( p.cell.moved, q.cell.moved ) ) },
	    .contact = contact,
	    .turn = (int8_t)turn,
	};
	o->table[slot] = (uint32_t)++o->segment_count;
}

static bool bounds( int8_t side ) {
	return side == DBVHI_SOLID_BELOW || side == DBVHI_SOLID_ABOVE;
}

// Both triangles bound their solids. Sets the result where one is crossed, so that nobody knows.
static bool is_wanted( const dbvh_overlap *o, dbvh_pair pair, dbvh_overlap_result *result ) {
	const int8_t a = o->body[0].solid->side[pair.a], b = o->body[1].solid->side[pair.b];
	if ( a == DBVHI_SOLID_NEITHER || b == DBVHI_SOLID_NEITHER )
		return false;
	if ( a == DBVHI_SOLID_CROSSED || b == DBVHI_SOLID_CROSSED ) {
		result->reason = DBVH_OVERLAP_REASON_SELF_INTERSECTION;
		result->body = a == DBVHI_SOLID_CROSSED ? 0 : 1;
	}
	return true;
}

static dbvhi_overlap_outcome list_segments( dbvh_overlap *o, dbvh_overlap_result *result ) {
	const dbvh_contacts_view *v = &o->found;
	const dbvhi_shared_points *cuts = o->contacts->stores[DBVHI_STORE_CUTS].memory;
	size_t slots = 16;
	while ( slots < 2 * v->corner_count )
		slots *= 2;
	if ( !DBVHI_ROOM( o, o->segments, o->segment_capacity, v->corner_count ) ||
	     !DBVHI_ROOM( o, o->table, o->table_capacity, slots ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	memset( o->table, 0, slots * sizeof *o->table );
	o->segment_count = 0;
	for ( uint32_t i = 0; i < v->contact_count; ++i ) {
		const uint32_t n = v->contacts[i].corner_count, *corner = v->corners + v->contacts[i].first_corner;
		if ( !is_wanted( o, v->contacts[i].pair, result ) )
			continue;
		if ( result->reason != DBVH_OVERLAP_REASON_DECIDED )
			return DBVHI_OVERLAP_UNDECIDED;
		// note: a polygon has as many sides as corners, a segment is one.
		for ( uint32_t k = 0; n > 1 && k < ( n == 2 ? 1 : n ); ++k ) {
			const uint32_t l = k + 1 == n ? 0 : k + 1;
			add_segment( o, slots - 1, i, ( segment_end ){ corner[k], cuts[i].cell[k] },
			             ( segment_end ){ corner[l], cuts[i].cell[l] }, n == 2 ? cuts[i].direction : 0 );
		}
	}
	return DBVHI_OVERLAP_OK;
}

// ------------------------------------------------------------------------------------------------
// Sorted lists

static uint64_t make_key( uint64_t kind, uint32_t number, uint32_t value ) {
	DBVHI_ASSERT( value < 0x80000000 );
	return kind << 63 | (uint64_t)number << 31 | value;
}

static uint32_t key_value( uint64_t key ) {
	return (uint32_t)( key & 0x7fffffff );
}

static size_t key_slot( const dbvhi_key_list *list, uint64_t group ) {
	return (size_t)dbvhi_hash_word( DBVHI_HASH_SEED, group ) & list->mask;
}

// Sort the keys of a list and index them. False if there is no memory.
static bool index_keys( dbvh_overlap *o, dbvhi_key_list *list ) {
	dbvhi_sort_u64( list->keys, list->count );
	size_t slots = 16;
	while ( slots < 2 * list->count )
		slots *= 2;
	if ( !DBVHI_ROOM( o, list->table, list->table_capacity, slots ) )
		return false;
	list->mask = slots - 1;
	memset( list->table, 0, slots * sizeof *list->table );
	for ( size_t i = 0; i < list->count; ++i ) {
		if ( i > 0 && list->keys[i] >> 31 == list->keys[i - 1] >> 31 )
			continue;
		size_t slot = key_slot( list, list->keys[i] >> 31 );
		while ( list->table[slot] != 0 )
			slot = ( slot + 1 ) & list->mask;
		list->table[slot] = (uint32_t)i + 1;
	}
	return true;
}

// Find the keys of a kind and number: begin .. end - 1.
static void find_keys( const dbvhi_key_list *list, uint64_t kind, uint32_t number, size_t *begin, size_t *end ) {
	const uint64_t group = make_key( kind, number, 0 ) >> 31;
	*begin = *end = 0;
	for ( size_t slot = key_slot( list, group ); list->table[slot] != 0; slot = ( slot + 1 ) & list->mask ) {
		const size_t first = list->table[slot] - 1;
		if ( list->keys[first] >> 31 != group )
			continue;
		for ( *begin = *end = first; *end < list->count && list->keys[*end] >> 31 == group; )
			*end += 1;
		return;
	}
}

// Put the points of each edge in order from its lower to its higher vertex.
static void sort_along_edges( dbvh_overlap *o, int m ) {
	dbvhi_overlap_body *b = &o->body[m];
	uint64_t *const points = b->points.keys;
	for ( size_t i = 0; i < b->points.count; ) {
		size_t end = i + 1;
		while ( end < b->points.count && points[end] >> 31 == points[i] >> 31 )
			end += 1;
		if ( points[i] >> 63 != 0 && end > i + 1 ) {
			const uint32_t side = b->topology->side[b->topology->edge_begin[( points[i] >> 31 ) & 0xffffffff]];
			uint32_t p = dbvhi_topology_start( b->topology, side ), q = dbvhi_topology_end( b->topology, side );
			if ( p > q ) {
				const uint32_t t = p;
				p = q;
				q = t;
			}
			int axis = 0, way;
			while ( ( way = dbvhi_node_compare( o, axis, dbvhi_vertex_node( o, m, q ),
			                                    dbvhi_vertex_node( o, m, p ) ) ) == 0 )
				axis += 1;
			// note: few points, mostly two.
			for ( size_t j = i + 1; j < end; ++j ) {
				for ( size_t k = j;
				      k > i &&
				      way * dbvhi_node_compare( o, axis, key_value( points[k - 1] ), key_value( points[k] ) ) > 0;
				      --k ) {
					const uint64_t t = points[k];
					points[k] = points[k - 1];
					points[k - 1] = t;
				}
			}
		}
		i = end;
	}
}

// Mark the contact points that are ends of segments, in the table.
static bool mark_points( dbvh_overlap *o ) {
	if ( !DBVHI_ROOM( o, o->table, o->table_capacity, o->found.point_count ) )
		return false;
	memset( o->table, 0, o->found.point_count * sizeof *o->table );
	for ( size_t i = 0; i < o->segment_count; ++i )
		o->table[o->segments[i].from] = o->table[o->segments[i].to] = 1;
	return true;
}

static bool list_points( dbvh_overlap *o, int m ) {
	dbvhi_overlap_body *b = &o->body[m];
	const dbvhi_point_key *keys = o->contacts->stores[DBVHI_STORE_KEYS].memory;
	if ( !DBVHI_ROOM( o, b->points.keys, b->points.capacity, o->found.point_count ) ||
	     !DBVHI_ROOM( o, b->segments.keys, b->segments.capacity, o->segment_count ) )
		return false;
	for ( size_t i = 0; i < o->segment_count; ++i ) {
		const dbvhi_part part = o->segments[i].part[m];
		b->segments.keys[i] = make_key( part >> 32 == DBVH_FEATURE_KIND_TRIANGLE, (uint32_t)part, (uint32_t)i );
	}
	b->segments.count = o->segment_count;
	b->points.count = 0;
	for ( uint32_t i = 0; i < o->found.point_count; ++i ) {
		const dbvhi_part part = m == 0 ? keys[i].a : keys[i].b;
		if ( o->table[i] != 0 && part >> 32 != DBVH_FEATURE_KIND_TRIANGLE )
			b->points.keys[b->points.count++] = make_key( part >> 32 == DBVH_FEATURE_KIND_EDGE, (uint32_t)part, i );
	}
	if ( !index_keys( o, &b->segments ) || !index_keys( o, &b->points ) )
		return false;
	sort_along_edges( o, m );
	return true;
}

// ------------------------------------------------------------------------------------------------
// Outlines

// Make an array by triangle or cluster as long as that; what is new in it is zero.
static bool keep_room( dbvh_overlap *o, uint32_t **array, size_t *capacity, size_t count ) {
	const size_t before = *capacity;
	if ( !DBVHI_ROOM( o, *array, *capacity, count ) )
		return false;
	if ( *capacity > before )
		memset( *array + before, 0, ( *capacity - before ) * sizeof **array );
	return true;
}

// Note the clusters that hold a triangle.
static bool touch_clusters( dbvh_overlap *o, dbvhi_overlap_body *b, uint32_t triangle ) {
	if ( b->clusters == NULL )
		return true;
	for ( uint32_t at = b->clusters->cluster_of[triangle]; at != DBVHI_NO_CLUSTER && !dbvhi_is_touched( b, at );
	      at = b->clusters->parent[at] ) {
		if ( !DBVHI_ROOM( o, b->touched, b->touched_capacity, b->touched_count + 1 ) )
			return false;
		b->cluster_where[at] = (uint32_t)b->touched_count;
		b->touched[b->touched_count++] = at;
	}
	return true;
}

static bool list_cuts( dbvh_overlap *o, int m ) {
	dbvhi_overlap_body *b = &o->body[m];
	if ( !keep_room( o, &b->where, &b->where_capacity, b->topology->triangle_count ) ||
	     ( b->clusters != NULL && !keep_room( o, &b->cluster_where, &b->cluster_where_capacity, b->clusters->count ) ) )
		return false;
	b->cut_count = b->outline_count = b->inner_count = 0;
	for ( size_t i = 0; i < o->found.contact_count; ++i ) {
		const dbvh_pair pair = o->found.contacts[i].pair;
		const uint32_t triangle = m == 0 ? pair.a : pair.b;
		if ( !bounds( o->body[0].solid->side[pair.a] ) || !bounds( o->body[1].solid->side[pair.b] ) ||
		     dbvhi_cut_of( b, triangle ) != NULL )
			continue;
		if ( !DBVHI_ROOM( o, b->cuts, b->cut_capacity, b->cut_count + 1 ) )
			return false;
		b->where[triangle] = (uint32_t)b->cut_count;
		b->cuts[b->cut_count++] = ( dbvhi_cut ){ .triangle = triangle };
		if ( !touch_clusters( o, b, triangle ) )
			return false;
	}
	return true;
}

// The node of a vertex: the contact point there, if one is an end of a segment.
static dbvhi_node_id node_of_vertex( const dbvh_overlap *o, int m, uint32_t vertex ) {
	const dbvhi_overlap_body *b = &o->body[m];
	size_t begin, end;
	find_keys( &b->points, 0, vertex, &begin, &end );
	return begin < end ? key_value( b->points.keys[begin] ) : dbvhi_vertex_node( o, m, vertex );
}

static void add_entry( dbvhi_overlap_body *b, dbvhi_node_id node, uint32_t segment ) {
	b->outline[b->outline_count++] =
	    ( dbvhi_outline ){ .node = node, .next = DBVHI_NONE, .face = DBVHI_NONE, .segment = segment };
}

// The segment in an edge between two points.
static uint32_t segment_between( const dbvh_overlap *o, const uint64_t *keys, size_t begin, size_t end, dbvhi_node_id p,
                                 dbvhi_node_id q ) {
	const uint32_t from = p < q ? p : q, to = p < q ? q : p;
	for ( size_t i = begin; i < end; ++i ) {
		const uint32_t s = key_value( keys[i] );
		if ( o->segments[s].from == from && o->segments[s].to == to )
			return s;
	}
	return DBVHI_NONE;
}

static bool lay_sides( dbvh_overlap *o, int m, dbvhi_cut *cut ) {
	dbvhi_overlap_body *b = &o->body[m];
	const dbvhi_topology *t = b->topology;
	const size_t first = 3 * (size_t)cut->triangle;
	dbvhi_node_id corner[3];
	size_t begin[3], end[3], total = 3;
	for ( size_t k = 0; k < 3; ++k ) {
		corner[k] = node_of_vertex( o, m, t->corner[first + k] );
		find_keys( &b->points, 1, t->edge[first + k], &begin[k], &end[k] );
		total += end[k] - begin[k];
	}
	if ( !DBVHI_ROOM( o, b->outline, b->outline_capacity, b->outline_count + total ) )
		return false;
	cut->first = (uint32_t)b->outline_count;
	for ( size_t k = 0; k < 3; ++k ) {
		const bool up = t->corner[first + k] < t->corner[dbvhi_topology_next( (uint32_t)( first + k ) )];
		const size_t n = end[k] - begin[k];
		cut->side[k] = (uint32_t)b->outline_count;
		add_entry( b, corner[k], DBVHI_NONE );
		for ( size_t i = 0; i < n; ++i )
			add_entry( b, key_value( b->points.keys[up ? begin[k] + i : end[k] - 1 - i] ), DBVHI_NONE );
	}
	cut->side[3] = (uint32_t)b->outline_count;
	for ( size_t k = 0; k < 3; ++k ) {
		size_t from, to;
		find_keys( &b->segments, 0, t->edge[first + k], &from, &to );
		for ( uint32_t i = cut->side[k]; from < to && i < cut->side[k + 1]; ++i ) {
			const uint32_t after = i + 1 == cut->side[3] ? cut->first : i + 1;
			b->outline[i].segment =
			    segment_between( o, b->segments.keys, from, to, b->outline[i].node, b->outline[after].node );
		}
	}
	return true;
}

static bool lay_inside( dbvh_overlap *o, int m, dbvhi_cut *cut ) {
	dbvhi_overlap_body *b = &o->body[m];
	size_t begin, end;
	find_keys( &b->segments, 1, cut->triangle, &begin, &end );
	if ( !DBVHI_ROOM( o, b->outline, b->outline_capacity, b->outline_count + 2 * ( end - begin ) ) )
		return false;
	for ( size_t i = begin; i < end; ++i ) {
		dbvhi_segment *s = &o->segments[key_value( b->segments.keys[i] )];
		s->outline[m] = (uint32_t)b->outline_count;
		add_entry( b, s->from, key_value( b->segments.keys[i] ) );
		add_entry( b, s->to, key_value( b->segments.keys[i] ) );
	}
	cut->count = (uint32_t)b->outline_count - cut->first;
	return true;
}

typedef struct fan {
	const dbvh_overlap *o;
	const dbvhi_overlap_body *b;
	const dbvhi_cut *cut;
	int axis, turn;
} fan;

// The entry of the same segment the other way round.
static uint32_t twin_of( const fan *f, uint32_t entry ) {
	const uint32_t at = entry - f->cut->side[3];
	DBVHI_ASSERT( entry >= f->cut->side[3] );
	return f->cut->side[3] + ( at ^ 1 );
}

static dbvhi_node_id target_of( const fan *f, uint32_t entry ) {
	return f->b->outline[twin_of( f, entry )].node;
}

// Positive if the piece q leaves their common node anticlockwise of p, by less than half a turn.
static int turn_from( const fan *f, uint32_t p, uint32_t q ) {
	return f->turn * dbvhi_node_orient2d( f->o, f->axis, f->b->outline[p].node, target_of( f, p ), target_of( f, q ) );
}

// The half of the turn after the piece `first` in which another one leaves: 0 the same, 1, 2 opposite, 3.
static int half_turn_of( const fan *f, uint32_t first, uint32_t p ) {
	if ( p == first )
		return 0;
	const int turn = turn_from( f, first, p );
	return turn > 0 ? 1 : turn == 0 ? 2 : 3;
}

static bool leaves_after( const fan *f, bool on_side, uint32_t first, uint32_t p, uint32_t q ) {
	if ( on_side )
		return turn_from( f, q, p ) > 0;
	const int sp = half_turn_of( f, first, p ), sq = half_turn_of( f, first, q );
	return sp != sq ? sp > sq : turn_from( f, q, p ) > 0;
}

// Put the entries that leave one node in order round it.
static void sort_fan( const fan *f, bool on_side, uint64_t *keys, size_t count ) {
	const uint32_t first = (uint32_t)keys[0];
	for ( size_t i = on_side ? 1 : 2; i < count; ++i ) {
		for ( size_t k = i;
		      k > ( on_side ? 0 : 1 ) && leaves_after( f, on_side, first, (uint32_t)keys[k - 1], (uint32_t)keys[k] );
		      --k ) {
			const uint64_t t = keys[k];
			keys[k] = keys[k - 1];
			keys[k - 1] = t;
		}
	}
}

// Join the pieces at one node; `side` is the entry along the sides that leaves it, or DBVHI_NONE.
static void join_at_node( fan *f, dbvhi_outline *outline, uint32_t side, uint64_t *keys, size_t count ) {
	if ( count > ( side != DBVHI_NONE ? 1 : 2 ) ) {
		if ( f->axis < 0 )
			f->axis = dbvhi_node_projection( f->o, (int)( f->b - f->o->body ), f->cut->triangle, &f->turn );
		sort_fan( f, side != DBVHI_NONE, keys, count );
	}
	if ( side != DBVHI_NONE ) {
		const uint32_t before = side == f->cut->first ? f->cut->side[3] - 1 : side - 1;
		outline[before].next = (uint32_t)keys[count - 1];
	}
	for ( size_t i = 0; i < count; ++i ) {
		const uint32_t previous = i > 0 ? (uint32_t)keys[i - 1] : side != DBVHI_NONE ? side : (uint32_t)keys[count - 1];
		outline[twin_of( f, (uint32_t)keys[i] )].next = previous;
	}
}

// Set `next` of all entries.
static bool join_pieces( dbvh_overlap *o, int m, const dbvhi_cut *cut ) {
	dbvhi_overlap_body *b = &o->body[m];
	const uint32_t sides = cut->side[3] - cut->first, count = cut->count;
	for ( uint32_t i = cut->first; i < cut->side[3]; ++i )
		b->outline[i].next = i + 1 == cut->side[3] ? cut->first : i + 1;
	if ( count == sides )
		return true;
	if ( !DBVHI_ROOM( o, o->scratch, o->scratch_capacity, count ) )
		return false;
	// note: entries along the sides come first among those that leave a node.
	for ( uint32_t i = 0; i < count; ++i )
		o->scratch[i] = (uint64_t)b->outline[cut->first + i].node << 32 | ( cut->first + i );
	dbvhi_sort_u64( o->scratch, count );
	fan f = { o, b, cut, -1, 0 };
	for ( size_t i = 0; i < count; ) {
		size_t end = i + 1;
		while ( end < count && o->scratch[end] >> 32 == o->scratch[i] >> 32 )
			end += 1;
		const bool on_side = (uint32_t)o->scratch[i] < cut->side[3];
		const size_t begin = on_side ? i + 1 : i;
		if ( begin < end )
			join_at_node( &f, b->outline, on_side ? (uint32_t)o->scratch[i] : DBVHI_NONE, o->scratch + begin,
			              end - begin );
		i = end;
	}
	return true;
}

static bool add_outlined_face( dbvh_overlap *o, int m, uint32_t cut, uint32_t start ) {
	const size_t n = o->face_count;
	if ( !DBVHI_ROOM( o, o->faces, o->face_capacity, n + 1 ) || !DBVHI_ROOM( o, o->patch, o->patch_capacity, n + 1 ) ||
	     !DBVHI_ROOM( o, o->surface, o->surface_capacity, n + 1 ) )
		return false;
	o->faces[n] = ( dbvhi_face ){
	    .body = (uint32_t)m, .cut = cut, .start = start, .ring = (uint32_t)n, .side = DBVHI_FACE_UNKNOWN };
	o->patch[n] = o->surface[n] = (uint32_t)n;
	o->face_count = n + 1;
	return true;
}

static bool trace_faces( dbvh_overlap *o, int m, dbvhi_cut *cut ) {
	dbvhi_overlap_body *b = &o->body[m];
	cut->first_face = (uint32_t)o->face_count;
	for ( uint32_t i = cut->first; i < cut->first + cut->count; ++i ) {
		if ( b->outline[i].face != DBVHI_NONE )
			continue;
		if ( !add_outlined_face( o, m, (uint32_t)( cut - b->cuts ), i ) )
			return false;
		for ( uint32_t k = i; b->outline[k].face == DBVHI_NONE; k = b->outline[k].next ) {
			DBVHI_ASSERT( k >= cut->first && k < cut->first + cut->count );
			b->outline[k].face = (uint32_t)o->face_count - 1;
		}
	}
	cut->face_count = (uint32_t)o->face_count - cut->first_face;
	return true;
}

dbvhi_overlap_outcome dbvhi_overlap_cut( dbvh_overlap *o, dbvh_overlap_result *result ) {
	o->face_count = 0;
	const dbvhi_overlap_outcome outcome = list_segments( o, result );
	if ( outcome != DBVHI_OVERLAP_OK )
		return outcome;
	if ( !mark_points( o ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	for ( int m = 0; m < 2; ++m ) {
		if ( !list_points( o, m ) || !list_cuts( o, m ) )
			return DBVHI_OVERLAP_NO_MEMORY;
	}
	for ( int m = 0; m < 2; ++m ) {
		for ( size_t i = 0; i < o->body[m].cut_count; ++i ) {
			dbvhi_cut *cut = &o->body[m].cuts[i];
			if ( !dbvhi_overlap_charge( o, 16 ) )
				return DBVHI_OVERLAP_STOPPED;
			if ( !lay_sides( o, m, cut ) || !lay_inside( o, m, cut ) || !join_pieces( o, m, cut ) ||
			     !trace_faces( o, m, cut ) )
				return DBVHI_OVERLAP_NO_MEMORY;
			const dbvhi_overlap_outcome nested = dbvhi_overlap_nest( o, m, cut );
			if ( nested != DBVHI_OVERLAP_OK )
				return nested;
		}
	}
	return DBVHI_OVERLAP_OK;
}
