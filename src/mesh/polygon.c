// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A polygon is looked at along the axis in which its normal (Newell's) is longest. All that follows is in that plane
// and rests on two exact decisions, the order of two points by x, then y, and the side of a line that a point is on:
//
// - A convex polygon is left to its fan.
// - Any other is swept from left to right. The edges on the sweep line are kept in order, from below to above. Where
//   two become neighbours, they are tested for a common point (Shamos and Hoey 1976): a polygon that crosses or touches
//   itself does not come through. The region above an edge that has the inside above it remembers what is not yet cut
//   off there: a chain of corners, monotone in x, as in the triangulation of monotone polygons (Garey, Johnson,
//   Preparata and Tarjan 1978); two, one above the other, between a corner at which two regions became one and the next
//   corner there, to which the first is joined. So the triangles come off during the one sweep.
// - A hole that a bridge joins with the rim, an edge that is walked there and back, comes to points twice. The two
// edges
//   of each bridge cancel out: without them each point has one edge that comes and one that goes, and what is left is
//   the rim and the holes, which the sweep cuts as they are. As the edges of the triangles add up to those of the
//   polygon and the pairs inside, each point of the plane is covered as often as the polygon goes around it, again.
// - Where all triangles of the fan turn the same way, the fan is taken all the same: each point of the plane is covered
//   as often as the polygon goes around it, once or never.
//
// A polygon that is not planar may cross itself along one axis and not along another: all three are tried, then its
// normal and four directions around that, with rounded coordinates. A quadrilateral that is not planar is right in any
// case.

#include "mesh/polygon.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "exact/orient.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

// A corner, without those at the place of their predecessor, and projected.
typedef struct dbvhi_polygon_spot {
	double p[2];
	uint32_t corner; // in the polygon as given
	uint32_t vertex;
	uint32_t next, last; // spots: of one ring, until bridges are taken out
	uint32_t point;      // equal for spots at the same point
	bool is_bridge;      // the edge that begins here
	int32_t turn;        // at this corner: 1 left, -1 right, 0 straight on or back
} spot;

// A chain of corners that are not yet cut off, the last first. The chain bounds the remaining polygon on one side and
// turns inwards.
typedef struct piece {
	uint32_t top;  // link
	bool is_above; // the chain bounds it from above
} piece;

typedef struct dbvhi_polygon_link {
	uint32_t spot, below;
} link;

// An edge in the sweep's order: a node of a treap, and of a list. Its number is that of the first edge that had its
// place.
typedef struct dbvhi_polygon_edge {
	uint32_t from; // the spot where the edge begins, along the polygon
	uint32_t left, right, parent, priority;
	uint32_t below, above;
	uint32_t place;     // by edge, not by node: the node where the edge is
	bool is_joined;     // the region above has two pieces
	piece upper, lower; // `lower` alone where it has one
} edge;

typedef struct cutter {
	spot *spots;
	uint32_t *order;
	edge *edges;
	link *links;
	uint32_t count, link_count, root, lowest;
	uint32_t goal;       // triangles that there are to be
	bool has_holes;      // bridges were taken out: the polygon is not one ring
	uint32_t *triangles; // three vertices a triangle; NULL: triangles are only counted
	size_t triangle_count;
	uint32_t conflict[2]; // corners
} cutter;

void dbvhi_polygon_room_free( dbvhi_polygon_room *room, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, room->spots, room->spot_capacity, sizeof( spot ) );
	dbvhi_free( allocator, room->order, room->order_capacity, sizeof( uint32_t ) );
	dbvhi_free( allocator, room->edges, room->edge_capacity, sizeof( edge ) );
	dbvhi_free( allocator, room->links, room->link_capacity, sizeof( link ) );
	*room = ( dbvhi_polygon_room ){ .spots = NULL };
}

// ------------------------------------------------------------------------------------------------
// Points

static int turn_of( const cutter *c, uint32_t i, uint32_t j, uint32_t k ) {
	DBVHI_ASSERT( i < c->count && j < c->count && k < c->count );
	return dbvhi_orient2d_sign( c->spots[i].p, c->spots[j].p, c->spots[k].p );
}

static bool precedes( const double p[2], const double q[2] ) {
	return p[0] < q[0] || ( p[0] == q[0] && p[1] < q[1] );
}

static bool is_before( const cutter *c, uint32_t i, uint32_t j ) {
	DBVHI_ASSERT( i < c->count && j < c->count );
	return precedes( c->spots[i].p, c->spots[j].p );
}

static uint32_t next_of( const cutter *c, uint32_t i ) {
	DBVHI_ASSERT( i < c->count );
	return c->spots[i].next;
}

static uint32_t last_of( const cutter *c, uint32_t i ) {
	DBVHI_ASSERT( i < c->count );
	return c->spots[i].last;
}

static bool conflict( cutter *c, uint32_t i, uint32_t j ) {
	c->conflict[0] = c->spots[i].corner;
	c->conflict[1] = c->spots[j].corner;
	return false;
}

static void sift( const cutter *c, uint32_t *heap, uint32_t at, uint32_t count ) {
	DBVHI_ASSERT( at < count );
	for ( ;; ) {
		uint32_t child = 2 * at + 1;
		if ( child >= count )
			return;
		if ( child + 1 < count && is_before( c, heap[child], heap[child + 1] ) )
			child += 1;
		if ( !is_before( c, heap[at], heap[child] ) )
			return;
		const uint32_t keep = heap[at];
		heap[at] = heap[child];
		heap[child] = keep;
		at = child;
	}
}

// From left to right, by heapsort. False where two spots are one point.
static bool sort_spots( cutter *c ) {
	for ( uint32_t i = 0; i < c->count; ++i )
		c->order[i] = i;
	for ( uint32_t i = c->count / 2; i-- > 0; )
		sift( c, c->order, i, c->count );
	for ( uint32_t end = c->count; --end > 0; ) {
		const uint32_t keep = c->order[0];
		c->order[0] = c->order[end];
		c->order[end] = keep;
		sift( c, c->order, 0, end );
	}
	for ( uint32_t i = 1; i < c->count; ++i ) {
		if ( !is_before( c, c->order[i - 1], c->order[i] ) )
			return conflict( c, c->order[i - 1], c->order[i] );
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Bridges

static bool same_point( const double *positions, uint32_t i, uint32_t j ) {
	const double *p = positions + 3 * (size_t)i, *q = positions + 3 * (size_t)j;
	return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// An edge by the numbers of the points at its ends, the lower one first.
static uint64_t edge_key( const cutter *c, uint32_t from ) {
	const uint32_t a = c->spots[from].point, b = c->spots[next_of( c, from )].point;
	return (uint64_t)( a < b ? a : b ) << 32 | ( a < b ? b : a );
}

static void sift_edges( const cutter *c, uint32_t *heap, uint32_t at, uint32_t count ) {
	DBVHI_ASSERT( at < count );
	for ( uint32_t child; ( child = 2 * at + 1 ) < count; at = child ) {
		if ( child + 1 < count && edge_key( c, heap[child] ) < edge_key( c, heap[child + 1] ) )
			child += 1;
		if ( edge_key( c, heap[at] ) >= edge_key( c, heap[child] ) )
			return;
		const uint32_t keep = heap[at];
		heap[at] = heap[child];
		heap[child] = keep;
	}
}

// Numbers the points, of spots in order. False where two points are one only as they are projected.
static bool number_spots( cutter *c, const double *positions, uint32_t *count_out ) {
	uint32_t *const order = c->order, number = 0;
	c->spots[order[0]].point = 0;
	for ( uint32_t i = 1; i < c->count; ++i ) {
		const bool is_new = is_before( c, order[i - 1], order[i] );
		if ( !is_new && !same_point( positions, c->spots[order[i - 1]].vertex, c->spots[order[i]].vertex ) )
			return false;
		number += is_new;
		c->spots[order[i]].point = number;
	}
	*count_out = number + 1;
	return true;
}

// Marks the two edges of each bridge, neighbours in the order of edges. False where there is no bridge.
static bool mark_bridges( cutter *c ) {
	uint32_t *const order = c->order, bridges = 0;
	for ( uint32_t i = 0; i < c->count; ++i ) {
		order[i] = i;
		c->spots[i].is_bridge = false;
	}
	for ( uint32_t i = c->count / 2; i-- > 0; )
		sift_edges( c, order, i, c->count );
	for ( uint32_t end = c->count; --end > 0; ) {
		const uint32_t keep = order[0];
		order[0] = order[end];
		order[end] = keep;
		sift_edges( c, order, 0, end );
	}
	for ( uint32_t i = 1; i < c->count; ++i ) {
		spot *const a = &c->spots[order[i - 1]], *const b = &c->spots[order[i]];
		if ( edge_key( c, order[i - 1] ) != edge_key( c, order[i] ) || a->is_bridge || a->point == b->point )
			continue;
		a->is_bridge = b->is_bridge = true;
		bridges += 1;
	}
	return bridges > 0;
}

// Takes the edges of bridges out, and of the spots at each point all but one, so that the rim and the holes are left.
// False where another point comes twice than the ends of bridges, or an end has no other edges; nothing has changed
// then. The spots are sorted. As many edges come to each point as go, always.
static bool take_bridges_out( cutter *c, const double *positions ) {
	uint32_t point_count, kept = 0, *const going = c->order; // by point: the spot that stays
	if ( c->has_holes || !number_spots( c, positions, &point_count ) || !mark_bridges( c ) )
		return false;
	memset( going, 0xff, point_count * sizeof *going );
	for ( uint32_t i = 0; i < c->count; ++i ) {
		if ( c->spots[i].is_bridge )
			continue;
		if ( going[c->spots[i].point] != NONE )
			return false;
		going[c->spots[i].point] = kept++;
	}
	if ( kept < point_count )
		return false;
	for ( uint32_t i = 0; i < c->count; ++i )
		c->spots[i].next = going[c->spots[next_of( c, i )].point];
	kept = 0;
	for ( uint32_t i = 0; i < c->count; ++i ) {
		if ( !c->spots[i].is_bridge )
			c->spots[kept++] = c->spots[i];
	}
	c->count = kept;
	for ( uint32_t i = 0; i < kept; ++i )
		c->spots[next_of( c, i )].last = i;
	c->has_holes = true;
	return true;
}

// ------------------------------------------------------------------------------------------------
// The edges on the sweep line

static uint32_t left_end( const cutter *c, uint32_t from ) {
	DBVHI_ASSERT( from < c->count );
	const uint32_t to = next_of( c, from );
	return is_before( c, from, to ) ? from : to;
}

// Has the edge at this node the inside above it?
static bool is_floor( const cutter *c, uint32_t node ) {
	return node != NONE && left_end( c, c->edges[node].from ) == c->edges[node].from;
}

static void replace_child( cutter *c, uint32_t parent, uint32_t old, uint32_t new ) {
	if ( parent == NONE )
		c->root = new;
	else if ( c->edges[parent].left == old )
		c->edges[parent].left = new;
	else
		c->edges[parent].right = new;
	if ( new != NONE )
		c->edges[new].parent = parent;
}

// Puts a child in the place of its parent.
static void rotate_up( cutter *c, uint32_t child ) {
	edge *const edges = c->edges;
	const uint32_t parent = edges[child].parent;
	replace_child( c, edges[parent].parent, parent, child );
	uint32_t *const outer = edges[parent].left == child ? &edges[parent].left : &edges[parent].right;
	uint32_t *const inner = edges[parent].left == child ? &edges[child].right : &edges[child].left;
	*outer = *inner;
	if ( *inner != NONE )
		edges[*inner].parent = parent;
	*inner = parent;
	edges[parent].parent = child;
}

// Inserts the edge that begins at spot `from` right above the node `below` (NONE: below all). Returns its node.
static uint32_t insert( cutter *c, uint32_t from, uint32_t below ) {
	edge *const edges = c->edges;
	const uint32_t above = below != NONE ? edges[below].above : c->lowest;
	edge *const e = &edges[from];
	e->from = e->place = from;
	e->left = e->right = e->parent = NONE;
	e->below = below;
	e->above = above;
	e->priority = (uint32_t)( ( (uint64_t)from + 1 ) * UINT64_C( 0x9e3779b97f4a7c15 ) >> 32 );
	e->is_joined = false;
	if ( below != NONE )
		edges[below].above = from;
	else
		c->lowest = from;
	if ( above != NONE )
		edges[above].below = from;
	// Right of the one below, or left of the one above: one of the two places is free.
	if ( below != NONE && edges[below].right == NONE ) {
		edges[below].right = from;
		e->parent = below;
	} else if ( above != NONE ) {
		edges[above].left = from;
		e->parent = above;
	} else {
		c->root = from;
	}
	while ( e->parent != NONE && edges[e->parent].priority < e->priority )
		rotate_up( c, from );
	return from;
}

static void take_out( cutter *c, uint32_t node ) {
	edge *const edges = c->edges;
	edge *const e = &edges[node];
	while ( e->left != NONE && e->right != NONE )
		rotate_up( c, edges[e->left].priority > edges[e->right].priority ? e->left : e->right );
	replace_child( c, e->parent, node, e->left != NONE ? e->left : e->right );
	if ( e->below != NONE )
		edges[e->below].above = e->above;
	else
		c->lowest = e->above;
	if ( e->above != NONE )
		edges[e->above].below = e->below;
}

// The node right below a spot where edges begin. False where the spot is on an edge.
static bool find_below( cutter *c, uint32_t i, uint32_t *below_out ) {
	*below_out = NONE;
	for ( uint32_t node = c->root; node != NONE; ) {
		const uint32_t from = c->edges[node].from, to = next_of( c, from );
		const uint32_t a = left_end( c, from ), b = a == from ? to : from;
		const int side = turn_of( c, a, b, i );
		if ( side == 0 )
			return conflict( c, i, from );
		if ( side > 0 )
			*below_out = node;
		node = side > 0 ? c->edges[node].right : c->edges[node].left;
	}
	return true;
}

// Have two edges no point in common, but an end?
static bool are_clear( cutter *c, uint32_t below, uint32_t above ) {
	if ( below == NONE || above == NONE )
		return true;
	const uint32_t i = c->edges[below].from, j = next_of( c, i ), k = c->edges[above].from, l = next_of( c, k );
	if ( i == l || j == k || i == k )
		return true; // neighbours cross only if they turn back, which has been excluded
	const int at_k = turn_of( c, i, j, k ), at_l = turn_of( c, i, j, l );
	if ( at_k * at_l > 0 )
		return true;
	const int at_i = turn_of( c, k, l, i ), at_j = turn_of( c, k, l, j );
	if ( at_i * at_j > 0 )
		return true;
	if ( at_k == 0 && at_l == 0 ) { // on one line
		const uint32_t first = left_end( c, i ), first_end = first == i ? j : i;
		const uint32_t second = left_end( c, k ), second_end = second == k ? l : k;
		if ( is_before( c, first_end, second ) || is_before( c, second_end, first ) )
			return true;
	}
	return conflict( c, i, k );
}

// ------------------------------------------------------------------------------------------------
// Cutting off

static uint32_t make_link( cutter *c, uint32_t i, uint32_t below ) {
	c->links[c->link_count] = ( link ){ i, below };
	return c->link_count++;
}

static piece make_piece( cutter *c, uint32_t i ) {
	return ( piece ){ .top = make_link( c, i, NONE ), .is_above = true };
}

static void emit( cutter *c, uint32_t i, uint32_t j, uint32_t k ) {
	DBVHI_ASSERT( i < c->count && j < c->count && k < c->count );
	if ( c->triangles != NULL && c->triangle_count < c->goal ) {
		uint32_t *const t = c->triangles + 3 * c->triangle_count;
		t[0] = c->spots[i].vertex;
		t[1] = c->spots[j].vertex;
		t[2] = c->spots[k].vertex;
	}
	c->triangle_count += 1;
}

// Spot `last` closes the piece: it sees all of the chain.
static void finish( cutter *c, const piece *p, uint32_t last ) {
	for ( uint32_t at = p->top; c->links[at].below != NONE; at = c->links[at].below ) {
		const uint32_t i = c->links[c->links[at].below].spot, j = c->links[at].spot;
		if ( p->is_above )
			emit( c, i, last, j );
		else
			emit( c, i, j, last );
	}
}

// Adds the next spot to a piece, which it bounds from above or from below.
static void add( cutter *c, piece *p, uint32_t next, bool is_above ) {
	link *const links = c->links;
	if ( links[p->top].below != NONE && p->is_above != is_above ) {
		finish( c, p, next );
		links[p->top].below = NONE;
	} else {
		for ( uint32_t under = links[p->top].below; under != NONE; under = links[p->top].below ) {
			const uint32_t i = links[under].spot, j = links[p->top].spot;
			if ( turn_of( c, i, j, next ) != ( is_above ? -1 : 1 ) )
				break;
			if ( is_above )
				emit( c, i, next, j );
			else
				emit( c, i, j, next );
			p->top = under;
		}
	}
	p->top = make_link( c, next, p->top );
	p->is_above = is_above;
}

// Adds a spot of the floor of a region, or of its ceiling. Where it has two pieces, that closes one.
static void add_to_floor( cutter *c, edge *region, uint32_t i ) {
	if ( region->is_joined ) {
		finish( c, &region->lower, i );
		region->lower = region->upper;
		region->is_joined = false;
	}
	add( c, &region->lower, i, false );
}

static void add_to_ceiling( cutter *c, edge *region, uint32_t i ) {
	if ( region->is_joined ) {
		finish( c, &region->upper, i );
		region->is_joined = false;
	}
	add( c, &region->lower, i, true );
}

// ------------------------------------------------------------------------------------------------
// The sweep

// Both edges of the spot begin here, and the inside is between them.
static bool start( cutter *c, uint32_t i, uint32_t below ) {
	DBVHI_ASSERT( i < c->count );
	if ( is_floor( c, below ) )
		return conflict( c, i, c->edges[below].from );
	const uint32_t floor = insert( c, i, below );
	const uint32_t ceiling = insert( c, last_of( c, i ), floor );
	c->edges[floor].lower = make_piece( c, i );
	return are_clear( c, below, floor ) && are_clear( c, ceiling, c->edges[ceiling].above );
}

// Both begin here, and the inside is around them: its region becomes two.
static bool split( cutter *c, uint32_t i, uint32_t below ) {
	DBVHI_ASSERT( i < c->count );
	if ( !is_floor( c, below ) )
		return conflict( c, i, below != NONE ? c->edges[below].from : i );
	const uint32_t ceiling = insert( c, last_of( c, i ), below );
	const uint32_t floor = insert( c, i, ceiling );
	edge *const lower = &c->edges[below], *const upper = &c->edges[floor];
	if ( lower->is_joined ) {
		upper->lower = lower->upper;
		lower->is_joined = false;
	} else {
		// The last corner of the region sees this one: what is behind it goes to the side on which the chain is.
		const piece corner = make_piece( c, c->links[lower->lower.top].spot );
		upper->lower = lower->lower.is_above ? corner : lower->lower;
		lower->lower = lower->lower.is_above ? lower->lower : corner;
	}
	add( c, &upper->lower, i, false );
	add( c, &lower->lower, i, true );
	return are_clear( c, below, ceiling ) && are_clear( c, floor, c->edges[floor].above );
}

// Both edges end here. The inside is between them, or around them: two regions become one.
static bool end_or_merge( cutter *c, uint32_t i ) {
	DBVHI_ASSERT( i < c->count );
	const uint32_t floor = c->edges[last_of( c, i )].place, ceiling = c->edges[i].place;
	edge *const region = &c->edges[floor];
	const bool is_end = c->spots[i].turn > 0;
	const uint32_t lower = is_end ? floor : ceiling, upper = is_end ? ceiling : floor;
	const uint32_t below = c->edges[lower].below, above = c->edges[upper].above;
	if ( c->edges[lower].above != upper || ( !is_end && !is_floor( c, below ) ) )
		return conflict( c, i, c->edges[lower].above != NONE ? c->edges[c->edges[lower].above].from : i );
	if ( is_end ) {
		if ( region->is_joined )
			finish( c, &region->upper, i );
		finish( c, &region->lower, i );
	} else {
		add_to_floor( c, region, i );
		edge *const joined = &c->edges[below];
		add_to_ceiling( c, joined, i );
		joined->upper = region->lower;
		joined->is_joined = true;
	}
	take_out( c, floor );
	take_out( c, ceiling );
	return are_clear( c, below, above );
}

// One edge ends here and the other goes on in its place.
static bool go_on( cutter *c, uint32_t i, bool is_on_floor ) {
	const uint32_t ending = is_on_floor ? last_of( c, i ) : i, beginning = is_on_floor ? i : last_of( c, i );
	const uint32_t node = c->edges[ending].place;
	edge *const e = &c->edges[node];
	if ( is_on_floor ) {
		add_to_floor( c, e, i );
	} else {
		if ( !is_floor( c, e->below ) )
			return conflict( c, i, e->below != NONE ? c->edges[e->below].from : i );
		add_to_ceiling( c, &c->edges[e->below], i );
	}
	e->from = beginning;
	c->edges[beginning].place = node;
	return are_clear( c, e->below, node ) && are_clear( c, node, e->above );
}

static bool sweep( cutter *c ) {
	c->root = c->lowest = NONE;
	c->link_count = 0;
	c->triangle_count = 0;
	for ( uint32_t k = 0; k < c->count; ++k ) {
		const uint32_t i = c->order[k];
		const bool last_begins = is_before( c, i, last_of( c, i ) ), next_begins = is_before( c, i, next_of( c, i ) );
		bool good;
		if ( last_begins && next_begins ) {
			uint32_t below;
			good = find_below( c, i, &below ) && ( c->spots[i].turn > 0 ? start( c, i, below ) : split( c, i, below ) );
		} else if ( !last_begins && !next_begins ) {
			good = end_or_merge( c, i );
		} else {
			good = go_on( c, i, next_begins );
		}
		if ( !good )
			return false;
	}
	return c->triangle_count == c->goal;
}

// ------------------------------------------------------------------------------------------------
// One axis

typedef enum view { VIEW_FLAT, VIEW_CONVEX, VIEW_FAN, VIEW_CUT, VIEW_CONFLICT } view;

// Turns at every spot; whether the polygon is convex, and goes round once: to the right and back. Spots that turn back
// are conflicts.
static view look( cutter *c, uint32_t *lowest_out ) {
	uint32_t lefts = 0, rights = 0, extremes = 0, lowest = 0;
	bool turns_back = false;
	for ( uint32_t i = 0; i < c->count; ++i ) {
		const uint32_t last = last_of( c, i ), next = next_of( c, i );
		const int turn = turn_of( c, last, i, next );
		const bool is_extreme = is_before( c, last, i ) == is_before( c, next, i );
		c->spots[i].turn = turn;
		lefts += turn > 0;
		rights += turn < 0;
		extremes += is_extreme;
		if ( turn == 0 && is_extreme && !turns_back ) {
			turns_back = true;
			conflict( c, last, i );
		}
		lowest = is_before( c, i, lowest ) ? i : lowest;
	}
	*lowest_out = lowest;
	if ( lefts == 0 && rights == 0 )
		return VIEW_FLAT;
	if ( turns_back )
		return VIEW_CONFLICT;
	return ( lefts == 0 || rights == 0 ) && extremes == 2 ? VIEW_CONVEX : VIEW_CUT;
}

static bool fan_is_right( const cutter *c ) {
	for ( uint32_t i = 1; i + 1 < c->count; ++i ) {
		if ( turn_of( c, 0, i, i + 1 ) < 0 )
			return false;
	}
	return true;
}

// In doubles: a wrong axis costs another look, not a wrong answer.
typedef struct plane {
	double normal[3];
	int axis[3];  // the longest entry of the normal first
	int exponent; // coordinates are divided by 2^exponent, so that nothing overflows
	bool nonplanar;
} plane;

// From the first spot to another one.
static void step_of( const cutter *c, const double *positions, const plane *p, uint32_t i, double d[3] ) {
	const double *from = positions + 3 * (size_t)c->spots[0].vertex, *to = positions + 3 * (size_t)c->spots[i].vertex;
	for ( int k = 0; k < 3; ++k )
		d[k] = p->exponent == 0 ? to[k] - from[k] : ldexp( to[k], -p->exponent ) - ldexp( from[k], -p->exponent );
}

// Along the normal, or one of the directions around it: onto two directions perpendicular to that.
enum { TILTS = 5 };

static void project_tilted( cutter *c, const double *positions, const plane *p, int tilt ) {
	const int i = p->axis[0], j = p->axis[1], k = p->axis[2];
	double n[3] = { p->normal[0], p->normal[1], p->normal[2] };
	if ( tilt > 0 )
		n[tilt < 3 ? j : k] += ( tilt % 2 == 0 ? 0.25 : -0.25 ) * n[i];
	double u[3], v[3];
	u[i] = -n[j], u[j] = n[i], u[k] = 0.0;
	for ( int a = 0; a < 3; ++a ) {
		const int b = ( a + 1 ) % 3, e = ( a + 2 ) % 3;
		v[a] = n[b] * u[e] - n[e] * u[b];
	}
	for ( uint32_t s = 0; s < c->count; ++s ) {
		double d[3];
		step_of( c, positions, p, s, d );
		c->spots[s].p[0] = u[0] * d[0] + u[1] * d[1] + u[2] * d[2];
		c->spots[s].p[1] = v[0] * d[0] + v[1] * d[1] + v[2] * d[2];
	}
}

static void project( cutter *c, const double *positions, int axis ) {
	for ( uint32_t i = 0; i < c->count; ++i ) {
		const double *p = positions + 3 * (size_t)c->spots[i].vertex;
		c->spots[i].p[0] = p[( axis + 1 ) % 3];
		c->spots[i].p[1] = p[( axis + 2 ) % 3];
	}
}

static void mirror( cutter *c ) {
	for ( uint32_t i = 0; i < c->count; ++i ) {
		spot *const s = &c->spots[i];
		const double x = s->p[0];
		s->p[0] = s->p[1];
		s->p[1] = x;
		s->turn = -s->turn;
	}
}

static bool make_room( cutter *c, dbvhi_polygon_room *room, const dbvh_allocator *allocator ) {
	void *edges = room->edges, *links = room->links;
	// Each corner is added to two pieces at most, and may begin a third one.
	const bool done = dbvhi_grow( allocator, &edges, &room->edge_capacity, c->count, sizeof( edge ) ) &&
	                  dbvhi_grow( allocator, &links, &room->link_capacity, 3 * (size_t)c->count, sizeof( link ) );
	c->edges = room->edges = edges;
	c->links = room->links = links;
	return done;
}

// The polygon as it is projected. *triangles is overwritten where the answer is VIEW_CUT, and perhaps for a conflict.
static view view_of( cutter *c, const double *positions, uint32_t *triangles, dbvhi_polygon_room *room,
                     const dbvh_allocator *allocator, bool *no_memory ) {
	view first;
	bool is_sorted;
	do {
		uint32_t lowest;
		first = look( c, &lowest );
		if ( first == VIEW_FLAT || first == VIEW_CONVEX )
			return c->has_holes ? VIEW_CONFLICT : first; // with holes: those of a rim without area
		if ( first == VIEW_CUT && c->spots[lowest].turn < 0 )
			mirror( c ); // makes the polygon counter-clockwise; its triangles keep the polygon's own orientation
		*no_memory = !make_room( c, room, allocator );
		if ( *no_memory )
			return VIEW_CONFLICT;
		is_sorted = sort_spots( c );
	} while ( !is_sorted && take_bridges_out( c, positions ) ); // bridges are taken out once
	if ( !is_sorted || first == VIEW_CONFLICT )
		return VIEW_CONFLICT;
	const bool is_fan = !c->has_holes && fan_is_right( c );
	c->triangles = is_fan ? NULL : triangles;
	if ( !sweep( c ) )
		return VIEW_CONFLICT;
	return is_fan ? VIEW_FAN : VIEW_CUT;
}

// ------------------------------------------------------------------------------------------------
// The polygon

static double largest_of( const cutter *c, const double *positions ) {
	double largest = 0.0;
	for ( uint32_t i = 0; i < c->count; ++i ) {
		const double *p = positions + 3 * (size_t)c->spots[i].vertex;
		for ( int k = 0; k < 3; ++k )
			largest = fabs( p[k] ) > largest ? fabs( p[k] ) : largest;
	}
	return largest;
}

static plane find_plane( const cutter *c, const double *positions ) {
	const double largest = largest_of( c, positions );
	plane out = { .axis = { 0, 1, 2 } };
	if ( !( largest > 0x1p-200 && largest < 0x1p200 ) )
		frexp( largest, &out.exponent );
	double last[3] = { 0.0, 0.0, 0.0 }, size = 0.0;
	for ( int pass = 0; pass < 2; ++pass ) {
		double low = 0.0, high = 0.0;
		for ( uint32_t i = 1; i < c->count; ++i ) {
			double d[3];
			step_of( c, positions, &out, i, d );
			for ( int k = 0; k < 3; ++k )
				size = fabs( d[k] ) > size ? fabs( d[k] ) : size;
			if ( pass == 0 ) {
				for ( int k = 0; k < 3; ++k )
					out.normal[k] += last[( k + 1 ) % 3] * d[( k + 2 ) % 3] - last[( k + 2 ) % 3] * d[( k + 1 ) % 3];
				memcpy( last, d, sizeof last );
				continue;
			}
			const double height = out.normal[0] * d[0] + out.normal[1] * d[1] + out.normal[2] * d[2];
			low = height < low ? height : low;
			high = height > high ? height : high;
		}
		const double length = fabs( out.normal[0] ) + fabs( out.normal[1] ) + fabs( out.normal[2] );
		out.nonplanar = high - low > 1e-6 * size * length;
	}
	for ( int i = 0; i < 2; ++i ) {
		for ( int k = 0; k < 2; ++k ) {
			if ( fabs( out.normal[out.axis[k + 1]] ) > fabs( out.normal[out.axis[k]] ) ) {
				const int keep = out.axis[k];
				out.axis[k] = out.axis[k + 1];
				out.axis[k + 1] = keep;
			}
		}
	}
	return out;
}

static uint32_t fan_vertex( const uint32_t *triangles, size_t corner ) {
	return corner < 2 ? triangles[corner] : triangles[3 * ( corner - 2 ) + 2];
}

// The corners that are not at the place of the one before; the first one in any case.
static uint32_t gather( cutter *c, const double *positions, const uint32_t *vertices, uint32_t count ) {
	uint32_t gathered = 0;
	for ( uint32_t i = 0; i < count; ++i ) {
		if ( i == 0 || !same_point( positions, vertices[i], vertices[i - 1] ) )
			c->spots[gathered++] = ( spot ){ .corner = i, .vertex = vertices[i] };
	}
	if ( gathered > 1 && same_point( positions, c->spots[gathered - 1].vertex, vertices[0] ) )
		gathered -= 1;
	for ( uint32_t i = 0; i < gathered; ++i ) {
		c->spots[i].next = i + 1 < gathered ? i + 1 : 0;
		c->spots[i].last = ( i > 0 ? i : gathered ) - 1;
	}
	return gathered;
}

static void write_fan( uint32_t *triangles, const uint32_t *vertices, uint32_t count ) {
	for ( uint32_t i = 2; i < count; ++i ) {
		uint32_t *const t = triangles + 3 * (size_t)( i - 2 );
		t[0] = vertices[0];
		t[1] = vertices[i - 1];
		t[2] = vertices[i];
	}
}

// Corners that were left out are triangles without area on the edge after them.
static void write_repeats( cutter *c, uint32_t *triangles, const uint32_t *vertices, uint32_t count ) {
	uint32_t *t = triangles + 3 * (size_t)c->goal;
	for ( uint32_t i = 0; i < c->count; ++i ) {
		const spot *const next = &c->spots[next_of( c, i )];
		uint32_t corner = c->spots[i].corner;
		for ( ;; ) {
			corner = corner + 1 < count ? corner + 1 : 0;
			if ( corner == next->corner )
				break;
			t[0] = c->spots[i].vertex;
			t[1] = vertices[corner];
			t[2] = next->vertex;
			t += 3;
		}
	}
}

static dbvhi_polygon refusal( const cutter *c, const double *positions, const uint32_t *vertices ) {
	const uint32_t a = c->conflict[0], b = c->conflict[1];
	return ( dbvhi_polygon ){
	    .kind = same_point( positions, vertices[a], vertices[b] ) ? DBVHI_POLYGON_REPEATED : DBVHI_POLYGON_CROSSING,
	    .corner = { a < b ? a : b, a < b ? b : a },
	};
}

dbvhi_polygon dbvhi_polygon_cut( const double *positions, uint32_t *triangles, size_t count, dbvhi_polygon_room *room,
                                 const dbvh_allocator *allocator ) {
	const dbvhi_polygon no_memory = { .kind = DBVHI_POLYGON_NO_MEMORY };
	void *spots = room->spots, *numbers = room->order;
	const bool grown = dbvhi_grow( allocator, &spots, &room->spot_capacity, count, sizeof( spot ) ) &&
	                   dbvhi_grow( allocator, &numbers, &room->order_capacity, 2 * count, sizeof( uint32_t ) );
	room->spots = spots;
	room->order = numbers;
	if ( !grown )
		return no_memory;
	cutter c = { .spots = room->spots, .order = room->order };
	uint32_t *const vertices = room->order + count;
	for ( size_t i = 0; i < count; ++i )
		vertices[i] = fan_vertex( triangles, i );
	c.count = gather( &c, positions, vertices, (uint32_t)count );
	dbvhi_polygon out = { .kind = DBVHI_POLYGON_FAN };
	if ( c.count < 3 )
		return out;
	c.goal = c.count - 2;
	const bool has_repeats = c.count < count;
	if ( has_repeats )
		write_repeats( &c, triangles, vertices, (uint32_t)count );
	const plane p = find_plane( &c, positions );
	out.nonplanar = p.nonplanar;
	dbvhi_polygon refused = out;
	bool is_written = has_repeats, has_conflict = false;
	for ( int i = 0; i < ( p.nonplanar ? 3 + TILTS : 3 ); ++i ) {
		bool failed = false;
		if ( i < 3 )
			project( &c, positions, p.axis[i] );
		else
			project_tilted( &c, positions, &p, i - 3 );
		const view seen = view_of( &c, positions, triangles, room, allocator, &failed );
		if ( failed )
			return no_memory;
		out.concave = seen == VIEW_CUT || seen == VIEW_FAN;
		if ( seen == VIEW_CUT ) {
			out.kind = DBVHI_POLYGON_CUT;
			return out;
		}
		if ( seen == VIEW_CONVEX || seen == VIEW_FAN ) {
			has_conflict = false;
			break;
		}
		if ( seen == VIEW_CONFLICT && !has_conflict ) {
			refused = refusal( &c, positions, vertices );
			has_conflict = true;
		}
		is_written = is_written || seen == VIEW_CONFLICT;
	}
	// A quadrilateral out of its plane is two triangles that share an edge, and right, whichever way it is cut.
	if ( has_conflict && !( out.nonplanar && c.count == 4 && refused.kind == DBVHI_POLYGON_CROSSING ) )
		return refused;
	if ( is_written )
		write_fan( triangles, vertices, (uint32_t)count );
	return out;
}
