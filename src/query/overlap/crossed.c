// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The volume of the overlap of meshes that cross or touch themselves.
//
// Corners of both meshes are moved by tiny random steps until all triangles are in general position: two that cross do
// so in a segment, and three in a point. The volume of what moved bodies have in common is found from winding numbers,
// and the bound of what the steps changed is added:
//
// A point that no triangle sweeps over while the corners move keeps its winding numbers, so it stays inside or outside
// both bodies. So the volume changes by what triangles sweep over in the common box, at most sqrt(3) step times the sum
// of their areas there.
//
// In general position every triangle is divided by the segments that it shares with others. Beside each piece of a
// segment or of a side the winding numbers about points above and below the triangle are known: going round the sides
// of a triangle they change at each triangle that is passed by its number; across an edge of two triangles they are the
// same; a ray from a corner gives the first. With r a point in the plane of a triangle, a piece from p to q adds r .
// ((p
// - r) x (q - r)) / 6 times a whole number to the volume. Pieces need no order but along the segment, and there a wrong
// order of two points that rounding cannot tell apart costs no more than their distance.

#include "query/overlap/crossed.h"

#include "base/sort.h"
#include "query/common/workspace.h"
#include "query/raycast/raycast.h"

#include <math.h>
#include <string.h>

static dbvhi_levels minus( dbvhi_levels x ) {
	for ( int m = 0; m < 2; ++m ) {
		x.winding[m] = -x.winding[m];
		x.parity[m] = -x.parity[m];
	}
	return x;
}

static bool is_same( dbvhi_levels x, dbvhi_levels y ) {
	bool same = true;
	for ( int m = 0; m < 2; ++m )
		same = same && x.winding[m] == y.winding[m] && ( x.parity[m] - y.parity[m] ) % 2 == 0;
	return same;
}

// ------------------------------------------------------------------------------------------------
// Segments

// Does side k of one triangle cross the other one? Sets the point.
static bool side_crosses( dbvhi_crossed *c, uint32_t of, uint32_t k, uint32_t other, dbvhi_crossing_point *out ) {
	dbvhi_soup *s = &c->soup;
	const uint32_t p = dbvhi_crossed_corners( c, of )[k], q = dbvhi_crossed_corners( c, of )[( k + 1 ) % 3],
	               *t = dbvhi_crossed_corners( c, other );
	if ( dbvhi_soup_side( s, other, p ) == dbvhi_soup_side( s, other, q ) )
		return false;
	const int turn = dbvhi_soup_orient( s, p, q, t[0], t[1] );
	if ( dbvhi_soup_orient( s, p, q, t[1], t[2] ) != turn || dbvhi_soup_orient( s, p, q, t[2], t[0] ) != turn )
		return false;
	*out = ( dbvhi_crossing_point ){ p, q, other };
	return true;
}

static bool add_event( dbvhi_crossed *c, uint32_t triangle, uint32_t other, uint32_t place, int end ) {
	dbvh_overlap *o = c->o;
	if ( !DBVHI_ROOM( o, c->events, c->event_capacity, c->event_count + 1 ) )
		return false;
	c->events[c->event_count++] = ( dbvhi_rim_event ){ .triangle = triangle,
	                                                   .other = other,
	                                                   .place = place,
	                                                   .end = (uint32_t)( 2 * c->segment_count ) + (uint32_t)end };
	return true;
}

// A point where side `k` of triangle `of` of a pair crosses the other one.
typedef struct side_crossing {
	int of;
	uint32_t k;
	dbvhi_crossing_point point;
	int end; // of the segment
} side_crossing;

// Find where sides of one triangle cross the other, of sides that do not end at `common`. Returns their number.
static int find_crossings( dbvhi_crossed *c, const uint32_t pair[2], uint32_t common, side_crossing found[6] ) {
	int count = 0;
	for ( int i = 0; i < 2; ++i ) {
		const uint32_t *t = dbvhi_crossed_corners( c, pair[i] );
		for ( uint32_t k = 0; k < 3; ++k ) {
			if ( t[k] == common || t[( k + 1 ) % 3] == common ||
			     !side_crosses( c, pair[i], k, pair[!i], &found[count].point ) )
				continue;
			found[count].of = i;
			found[count++].k = k;
		}
	}
	return count;
}

static bool add_events( dbvhi_crossed *c, const dbvhi_crossed_segment *s, const side_crossing *found, int count,
                        uint32_t common ) {
	for ( int i = 0; i < count; ++i ) {
		const int of = found[i].of;
		if ( !add_event( c, s->triangle[of], s->triangle[!of], 2 * found[i].k + 1, found[i].end ) )
			return false;
	}
	for ( int i = 0; i < 2 && common != DBVHI_NONE; ++i ) {
		const uint32_t k = dbvhi_crossed_place( c, s->triangle[i], common );
		if ( !add_event( c, s->triangle[i], s->triangle[!i], k == 0 ? 6 : 2 * k, !found[0].end ) )
			return false;
	}
	return true;
}

static dbvhi_overlap_outcome add_pair( dbvhi_crossed *c, dbvh_pair pair ) {
	dbvh_overlap *o = c->o;
	dbvhi_crossed_segment s = { .triangle = { pair.a, pair.b } };
	uint32_t common = DBVHI_NONE, commons = 0;
	for ( uint32_t k = 0; k < 3; ++k ) {
		if ( dbvhi_crossed_place( c, pair.b, dbvhi_crossed_corners( c, pair.a )[k] ) < 3 ) {
			common = dbvhi_crossed_corners( c, pair.a )[k];
			commons += 1;
		}
	}
	side_crossing found[6];
	const int count = commons > 1 ? 0 : find_crossings( c, s.triangle, common, found );
	if ( !c->soup.generic || count != ( common == DBVHI_NONE ? 2 : 1 ) )
		return DBVHI_OVERLAP_UNDECIDED;
	for ( int i = 0; i < count; ++i ) {
		// note: who goes round the first triangle upwards through the second enters it, round the second downwards.
		const bool upwards = dbvhi_soup_side( &c->soup, s.triangle[!found[i].of], found[i].point.from ) < 0;
		const int end = upwards == ( found[i].of == 0 ) ? 0 : 1;
		found[i].end = end;
		s.end[end] = found[i].point;
		if ( end == 0 )
			s.owner = found[i].of;
		if ( common != DBVHI_NONE )
			s.end[!end] = ( dbvhi_crossing_point ){ common, common, pair.b };
	}
	DBVHI_ASSERT( count == 1 || found[0].end != found[1].end );
	if ( !add_events( c, &s, found, count, common ) ||
	     !DBVHI_ROOM( o, c->segments, c->segment_capacity, c->segment_count + 1 ) ||
	     !DBVHI_ROOM( o, c->around, c->around_capacity, c->around_count + 2 ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	for ( int i = 0; i < 2; ++i ) {
		s.error[i] = dbvhi_soup_position( &c->soup, &s.end[i], s.position[i] );
		c->around[c->around_count++] = (uint64_t)s.triangle[i] << 32 | c->segment_count;
	}
	c->segments[c->segment_count++] = s;
	return dbvhi_crossed_charge( c, 8 );
}

#define BUILD_STEPS 48 // of a build, a triangle

// Build a tree over the soup, and list the pairs of triangles that cross.
static dbvh_status list_pairs( dbvhi_crossed *c, dbvh_pair **pairs, size_t *capacity, size_t *count_out ) {
	dbvh_overlap *o = c->o;
	const dbvhi_soup *s = &c->soup;
	for ( size_t i = 0; i < s->triangle_count; ++i )
		memcpy( c->queue + 3 * i, s->triangle[i].corner, sizeof s->triangle[i].corner );
	const dbvh_mesh_view view = { .positions = s->corner,
	                              .vertex_count = s->corner_count,
	                              .indices = c->queue,
	                              .triangle_count = s->triangle_count };
	dbvh_tree_options options = dbvh_tree_options_default();
	options.quality = DBVH_QUALITY_FAST;
	options.fragments = DBVH_FRAGMENTS_NONE;
	options.thread_count = 1;
	// note: nothing ends a build early, so it is paid for before: it takes some 2 microseconds a triangle.
	if ( !dbvhi_overlap_charge( o, BUILD_STEPS * s->triangle_count ) )
		return dbvhi_purse_status( o->meter->purse );
	dbvh_status status = dbvh_tree_build( &view, &options, &o->allocator, &c->tree, NULL );
	dbvh_collide_result found = { .pair_count = 256 };
	if ( status == DBVH_OK )
		status = dbvhi_workspace_require( o->workspace, c->tree, c->tree, 0 );
	// note: the pairs are found twice where there was no room for all.
	while ( status == DBVH_OK && found.pair_count > *capacity ) {
		if ( !dbvhi_grow_array( &o->allocator, pairs, capacity, found.pair_count, sizeof **pairs ) )
			return DBVH_OUT_OF_MEMORY;
		const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = *pairs, .pair_capacity = *capacity };
		status = dbvhi_self_collide_within( o->meter, c->tree, query, o->workspace, &found );
	}
	*count_out = found.pair_count;
	return status;
}

// note: a soup is a mesh that can be built and asked; if it were not, nothing would be known.
static dbvhi_overlap_outcome outcome_of( dbvh_status status ) {
	switch ( status ) {
	case DBVH_OK:
		return DBVHI_OVERLAP_OK;
	case DBVH_OUT_OF_MEMORY:
		return DBVHI_OVERLAP_NO_MEMORY;
	case DBVH_BUDGET_SPENT:
	case DBVH_CANCELLED:
		return DBVHI_OVERLAP_STOPPED;
	default:
		return DBVHI_OVERLAP_UNDECIDED;
	}
}

static dbvhi_overlap_outcome find_segments( dbvhi_crossed *c ) {
	dbvh_pair *pairs = NULL;
	size_t capacity = 0, count = 0;
	const dbvh_status status = list_pairs( c, &pairs, &capacity, &count );
	dbvhi_overlap_outcome outcome = outcome_of( status );
	for ( size_t i = 0; i < count && outcome == DBVHI_OVERLAP_OK; ++i )
		outcome = add_pair( c, pairs[i] );
	dbvhi_free( &c->o->allocator, pairs, capacity, sizeof *pairs );
	return outcome;
}

// ------------------------------------------------------------------------------------------------
// Round a triangle

// The other end of the segment of an event.
static const dbvhi_crossing_point *far_end( const dbvhi_crossed *c, const dbvhi_rim_event *e ) {
	return &c->segments[e->end / 2].end[!( e->end % 2 )];
}

// The end of the side on which, or the corner at the beginning of the side at which, an event is.
static uint32_t next_corner( const dbvhi_crossed *c, const dbvhi_rim_event *e ) {
	return dbvhi_crossed_corners( c, e->triangle )[( e->place / 2 + 1 ) % 3];
}

// Is one event behind another: on a side, further along it; at a corner, further round it from the next side to the
// last one? There, the triangle that is passed first has the next corner and the other's segment on different sides.
static bool is_behind( dbvhi_crossed *c, const dbvhi_rim_event *p, const dbvhi_rim_event *q ) {
	if ( p->place != q->place )
		return p->place > q->place;
	if ( p->place % 2 == 0 )
		return dbvhi_soup_side_of_point( &c->soup, q->other, far_end( c, p ) ) !=
		       dbvhi_soup_side( &c->soup, q->other, next_corner( c, q ) );
	const uint32_t start = dbvhi_crossed_corners( c, p->triangle )[p->place / 2];
	return dbvhi_soup_side_of_point( &c->soup, q->other, dbvhi_near_end( c, p ) ) !=
	       dbvhi_soup_side( &c->soup, q->other, start );
}

#define MERGE_ITEM dbvhi_rim_event
#define MERGE_CONTEXT dbvhi_crossed
#define MERGE_IS_BEHIND is_behind
#define MERGE_NAME events
#include "base/merge_sort.inl"

// Set the levels where segments begin that have one end at the same corner or point of the rim of a triangle.
static void begin_segments( dbvhi_crossed *c, const dbvhi_rim_event *e, size_t count ) {
	dbvhi_levels now = e->after;
	for ( size_t i = 0; i < count; ++i ) {
		dbvhi_crossed_segment *s = &c->segments[e[i].end / 2];
		if ( e[i].end % 2 == 0 && s->triangle[s->owner] == e[i].triangle )
			s->begin = e[i].place % 2 == 0 || s->owner == 0 ? now : e[i].before;
		if ( i + 1 < count ) {
			const int from = dbvhi_soup_side( &c->soup, e[i].other, next_corner( c, &e[i] ) );
			now = dbvhi_levels_passed( c, now, e[i].other, from, -from );
		}
	}
}

// Sort the events of one triangle, and find the levels between them.
static void walk_round( dbvhi_crossed *c, dbvhi_rim_event *e, dbvhi_rim_event *room, size_t count ) {
	merge_sort_events( c, e, room, count );
	dbvhi_levels now = { 0 };
	for ( size_t i = 0; i < count; ) {
		const dbvhi_levels before = now;
		const size_t first = i;
		size_t end = i;
		// note: at a corner several triangles are passed at once.
		do {
			const uint32_t *t = dbvhi_crossed_corners( c, e[end].triangle ), k = e[end].place / 2 % 3;
			const uint32_t from = e[end].place % 2 != 0 ? t[k] : t[( k + 2 ) % 3], to = t[( k + 1 ) % 3];
			now = dbvhi_levels_passed( c, now, e[end].other, dbvhi_soup_side( &c->soup, e[end].other, from ),
			                           dbvhi_soup_side( &c->soup, e[end].other, to ) );
			end += 1;
		} while ( end < count && e[end].place == e[i].place && e[i].place % 2 == 0 );
		for ( ; i < end; ++i ) {
			e[i].before = before;
			e[i].after = now;
		}
		begin_segments( c, e + first, end - first );
	}
}

// Begins of the entries of each triangle in a list of keys.
static void find_begins( const dbvhi_crossed *c, const uint64_t *keys, size_t count, uint32_t *begin ) {
	size_t at = 0;
	for ( size_t t = 0; t <= c->soup.triangle_count; ++t ) {
		while ( at < count && keys[at] >> 32 < t )
			at += 1;
		begin[t] = (uint32_t)at;
	}
}

static dbvhi_overlap_outcome sort_events( dbvhi_crossed *c ) {
	dbvh_overlap *o = c->o;
	dbvhi_sort_u64( c->around, c->around_count );
	find_begins( c, c->around, c->around_count, c->around_begin );
	dbvhi_rim_event *sorted = NULL;
	size_t capacity = 0;
	if ( !DBVHI_ROOM( o, o->scratch, o->scratch_capacity, c->event_count ) ||
	     !DBVHI_ROOM( o, sorted, capacity, c->event_count ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	for ( size_t i = 0; i < c->event_count; ++i )
		o->scratch[i] = (uint64_t)c->events[i].triangle << 32 | i;
	dbvhi_sort_u64( o->scratch, c->event_count );
	find_begins( c, o->scratch, c->event_count, c->event_begin );
	for ( size_t i = 0; i < c->event_count; ++i )
		sorted[i] = c->events[(uint32_t)o->scratch[i]];
	dbvhi_rim_event *room = c->events;
	const size_t room_capacity = c->event_capacity;
	c->events = sorted;
	c->event_capacity = capacity;
	dbvhi_overlap_outcome outcome = DBVHI_OVERLAP_OK;
	for ( size_t t = 0; t < c->soup.triangle_count && outcome == DBVHI_OVERLAP_OK; ++t ) {
		const uint32_t first = c->event_begin[t], count = c->event_begin[t + 1] - first;
		walk_round( c, c->events + first, room + first, count );
		outcome = dbvhi_crossed_charge( c, 1 + count );
	}
	dbvhi_free( &o->allocator, room, room_capacity, sizeof *room );
	return outcome;
}

// The levels before all events from a place on, relative to the beginning of side 0.
static dbvhi_levels levels_at( const dbvhi_crossed *c, uint32_t triangle, uint32_t place ) {
	dbvhi_levels now = { 0 };
	for ( uint32_t i = c->event_begin[triangle]; i < c->event_begin[triangle + 1]; ++i ) {
		if ( c->events[i].place >= place )
			return c->events[i].before;
		now = c->events[i].after;
	}
	return now;
}

// ------------------------------------------------------------------------------------------------
// Levels

// Add what a ray from a point beside corner `from`, in the direction `middle` of it, upwards along the third axis,
// counts at a triangle that has not that corner.
static void cross_far( dbvhi_crossed *c, uint32_t from, uint32_t other, dbvhi_levels *sum ) {
	const uint32_t *t = dbvhi_crossed_corners( c, other );
	double v[3][3];
	for ( int i = 0; i < 3; ++i )
		dbvhi_soup_vector( &c->soup, from, t[i], v[i] );
	for ( int k = 0; k < 2; ++k ) {
		if ( ( v[0][k] > 0.0 && v[1][k] > 0.0 && v[2][k] > 0.0 ) ||
		     ( v[0][k] < 0.0 && v[1][k] < 0.0 && v[2][k] < 0.0 ) )
			return;
	}
	if ( v[0][2] < 0.0 && v[1][2] < 0.0 && v[2][2] < 0.0 )
		return;
	const int turn = dbvhi_soup_det2( &c->soup, v[0], v[1] );
	if ( dbvhi_soup_det2( &c->soup, v[1], v[2] ) != turn || dbvhi_soup_det2( &c->soup, v[2], v[0] ) != turn )
		return;
	// note: the third coordinate of the normal has the sign of the turn.
	if ( dbvhi_soup_side( &c->soup, other, from ) == -turn )
		*sum = dbvhi_levels_below( *sum, &c->soup.triangle[other], turn );
}

// The same at a triangle whose corner k it is.
static void cross_near( dbvhi_crossed *c, uint32_t from, const double middle[3], uint32_t other, uint32_t k,
                        dbvhi_levels *sum ) {
	const uint32_t *t = dbvhi_crossed_corners( c, other );
	double p[3], q[3];
	dbvhi_soup_vector( &c->soup, from, t[( k + 1 ) % 3], p );
	dbvhi_soup_vector( &c->soup, from, t[( k + 2 ) % 3], q );
	const int turn = dbvhi_soup_det2( &c->soup, p, q );
	if ( dbvhi_soup_det2( &c->soup, p, middle ) != turn || dbvhi_soup_det2( &c->soup, middle, q ) != turn )
		return;
	if ( dbvhi_soup_det3( &c->soup, p, q, middle ) == -turn )
		*sum = dbvhi_levels_below( *sum, &c->soup.triangle[other], turn );
}

// A search for the triangles above corner 0 of one.
typedef struct ray_visitor {
	dbvhi_visitor visitor; // note: must be the first member; visit_above() casts from it
	dbvhi_crossed *c;
	uint32_t triangle;
	const double *middle;
	dbvhi_levels *sum;
} ray_visitor;

static double visit_above( dbvhi_visitor *visitor, uint32_t leaf ) {
	const ray_visitor *v = (const ray_visitor *)visitor;
	const uint32_t other = v->c->tree->triangle[leaf], from = dbvhi_crossed_corners( v->c, v->triangle )[0],
	               k = dbvhi_crossed_place( v->c, other, from );
	if ( other != v->triangle && k < 3 )
		cross_near( v->c, from, v->middle, other, k, v->sum );
	else if ( other != v->triangle )
		cross_far( v->c, from, other, v->sum );
	visitor->counters.triangle_tests += 1;
	return visitor->reach;
}

// Add what a ray from corner 0 of a triangle counts at all others.
static void cross_all( dbvhi_crossed *c, uint32_t triangle, const double middle[3], dbvhi_levels *sum ) {
	ray_visitor v = { .c = c, .triangle = triangle, .middle = middle, .sum = sum };
	const double *x = c->soup.corner + 3 * (size_t)dbvhi_crossed_corners( c, triangle )[0];
	dbvhi_visitor_init( &v.visitor, visit_above, 0x1p60, c->o->meter );
	// note: the corner is exact, and what the ray may meet beside it is in a box that holds it.
	dbvhi_walk_line( c->tree, ( dbvhi_vec ){ { x[0], x[1], x[2] } }, ( dbvhi_vec ){ { 0.0, 0.0, 1.0 } }, 0.0,
	                 c->o->workspace, &v.visitor );
	dbvhi_visitor_charge( &v.visitor );
}

// The levels above a triangle at the beginning of its side 0, by a ray from its corner 0.
static dbvhi_levels ask( dbvhi_crossed *c, uint32_t triangle ) {
	const uint32_t *t = dbvhi_crossed_corners( c, triangle );
	double p[3], q[3], middle[3];
	dbvhi_soup_vector( &c->soup, t[0], t[1], p );
	dbvhi_soup_vector( &c->soup, t[0], t[2], q );
	for ( int k = 0; k < 3; ++k )
		middle[k] = p[k] + q[k];
	dbvhi_levels sum = { 0 };
	// note: from above a triangle that looks down, the ray passes through it.
	if ( dbvhi_soup_det2( &c->soup, p, q ) < 0 )
		sum = dbvhi_levels_below( sum, &c->soup.triangle[triangle], -1 );
	cross_all( c, triangle, middle, &sum );
	for ( uint32_t i = c->event_begin[triangle]; i < c->event_begin[triangle + 1]; ++i ) {
		const dbvhi_rim_event *e = &c->events[i];
		if ( e->place != 6 )
			continue;
		const uint32_t *other = dbvhi_crossed_corners( c, e->other ), k = dbvhi_crossed_place( c, e->other, t[0] );
		double u[3], v[3];
		dbvhi_soup_vector( &c->soup, t[0], other[( k + 1 ) % 3], u );
		dbvhi_soup_vector( &c->soup, t[0], other[( k + 2 ) % 3], v );
		sum = dbvhi_levels_passed( c, sum, e->other, dbvhi_soup_det3( &c->soup, u, v, middle ),
		                           dbvhi_soup_side( &c->soup, e->other, t[1] ) );
	}
	return sum;
}

// Join the sides of each edge that has two. Returns false if the budget is spent.
static bool join_neighbours( dbvhi_crossed *c ) {
	for ( int m = 0; m < 2; ++m ) {
		const dbvhi_topology *t = c->o->body[m].topology;
		for ( size_t e = 0; e < t->edge_count; ++e ) {
			uint32_t found[2], count = 0;
			for ( uint32_t i = t->edge_begin[e]; i < t->edge_begin[e + 1]; ++i ) {
				const uint32_t side = t->side[i], at = c->soup.index[m][side / 3];
				if ( at == DBVHI_NONE || c->soup.triangle[at].source != side / 3 )
					continue;
				if ( count < 2 )
					found[count] = 3 * at + side % 3;
				count += 1;
			}
			if ( count == 2 ) {
				c->across[found[0]] = found[1];
				c->across[found[1]] = found[0];
			}
			if ( dbvhi_crossed_charge( c, 1 + ( t->edge_begin[e + 1] - t->edge_begin[e] ) / 8 ) != DBVHI_OVERLAP_OK )
				return false;
		}
	}
	return true;
}

// Spread levels from one triangle over an edge to the other triangle there. False if that knows others.
static bool spread_levels( dbvhi_crossed *c, uint32_t triangle, uint32_t k, uint32_t other, uint32_t l, bool *news ) {
	dbvhi_levels now = dbvhi_levels_sum( c->start[triangle], levels_at( c, triangle, 2 * k + 1 ) );
	const bool alike = dbvhi_crossed_corners( c, triangle )[k] == dbvhi_crossed_corners( c, other )[l];
	if ( alike )
		now = dbvhi_levels_below( now, &c->soup.triangle[other], -1 );
	now = dbvhi_levels_sum( now, minus( levels_at( c, other, alike ? 2 * l + 1 : 2 * l + 2 ) ) );
	*news = !c->known[other];
	if ( *news ) {
		c->start[other] = now;
		c->known[other] = 1;
	}
	return is_same( c->start[other], now );
}

static dbvhi_overlap_outcome find_levels( dbvhi_crossed *c ) {
	if ( !join_neighbours( c ) )
		return DBVHI_OVERLAP_STOPPED;
	for ( uint32_t i = 0; i < c->soup.triangle_count; ++i ) {
		if ( c->known[i] )
			continue;
		c->start[i] = ask( c, i );
		c->known[i] = 1;
		size_t count = 0;
		c->queue[count++] = i;
		for ( size_t at = 0; at < count; ++at ) {
			const uint32_t triangle = c->queue[at];
			for ( uint32_t k = 0; k < 3; ++k ) {
				const uint32_t across = c->across[3 * triangle + k];
				bool news = false;
				// note: contradictions do not occur; if they did, nothing would be known.
				if ( across != DBVHI_NONE && !spread_levels( c, triangle, k, across / 3, across % 3, &news ) )
					return DBVHI_OVERLAP_UNDECIDED;
				if ( news )
					c->queue[count++] = across / 3;
			}
			const uint32_t events = c->event_begin[triangle + 1] - c->event_begin[triangle];
			if ( dbvhi_crossed_charge( c, 1 + events / 4 ) != DBVHI_OVERLAP_OK )
				return DBVHI_OVERLAP_STOPPED;
		}
	}
	return DBVHI_OVERLAP_OK;
}

// ------------------------------------------------------------------------------------------------
// What the steps change

// Find what the boxes of both have in common, wherever steps take the corners. False if that is nothing.
static bool common_box( const dbvhi_crossed *c, double low[3], double high[3] ) {
	const dbvhi_soup *s = &c->soup;
	bool meet = true;
	for ( int k = 0; k < 3; ++k ) {
		low[k] = fmax( s->low[0][k], s->low[1][k] ) - 2.0 * s->step;
		high[k] = fmin( s->high[0][k], s->high[1][k] ) + 2.0 * s->step;
		meet = meet && low[k] <= high[k];
	}
	return meet;
}

// Bound the area that a triangle has in the box at any time.
static double area_within( const dbvhi_crossed *c, uint32_t triangle, const double low[3], const double high[3],
                           double section ) {
	const uint32_t *t = dbvhi_crossed_corners( c, triangle );
	double a[3], b[3], cross = 0.0, na = 0.0, nb = 0.0;
	for ( size_t k = 0; k < 3; ++k ) {
		const double x = c->soup.corner[3 * (size_t)t[0] + k], y = c->soup.corner[3 * (size_t)t[1] + k],
		             z = c->soup.corner[3 * (size_t)t[2] + k];
		if ( fmin( x, fmin( y, z ) ) > high[k] || fmax( x, fmax( y, z ) ) < low[k] )
			return 0.0;
		a[k] = y - x;
		b[k] = z - x;
		na += fabs( a[k] );
		nb += fabs( b[k] );
	}
	for ( int k = 0; k < 3; ++k ) {
		const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
		const double component = a[x] * b[y] - a[y] * b[x];
		cross += component * component;
	}
	// note: sides change by up to 2 sqrt(3) steps, each for half of the area; 1e-9 is more than all roundings.
	const double step = 2.0 * c->soup.step;
	return fmin( 0.5 * ( 1.0 + 1e-9 ) * sqrt( cross ) + 1e-9 * na * nb + step * ( na + nb + 4.0 * step ), section );
}

// Add the bound of what the steps change to the errors of the sums.
static dbvhi_overlap_outcome add_steps( dbvhi_crossed *c ) {
	double low[3], high[3], square = 0.0;
	c->reach = c->area = 0.0;
	if ( !common_box( c, low, high ) )
		return DBVHI_OVERLAP_OK;
	for ( int k = 0; k < 3; ++k )
		square += 0.25 * ( high[k] - low[k] ) * ( high[k] - low[k] );
	c->reach = 1.001 * sqrt( square );
	// note: a plane cuts a disk out of the ball round the box.
	const double section = 3.15 * square;
	for ( uint32_t i = 0; i < c->soup.triangle_count; ++i ) {
		c->area += area_within( c, i, low, high, section );
		if ( dbvhi_crossed_charge( c, 1 ) != DBVHI_OVERLAP_OK )
			return DBVHI_OVERLAP_STOPPED;
	}
	const double error = 6.0 * 1.7321 * c->soup.step * c->area;
	c->moments.volume.error += error;
	for ( int k = 0; k < 3; ++k ) {
		const double largest = fmax( fabs( low[k] ), fabs( high[k] ) );
		c->moments.first[k].error += 4.0 * largest * error;
	}
	return DBVHI_OVERLAP_OK;
}

// ------------------------------------------------------------------------------------------------

static bool make_room( dbvhi_crossed *c ) {
	for ( int k = 0; k < 3; ++k ) {
		c->moments.box_min[k] = -INFINITY;
		c->moments.box_max[k] = INFINITY;
	}
	const dbvh_allocator *a = &c->o->allocator;
	const size_t n = c->soup.triangle_count;
	c->event_begin = dbvhi_alloc( a, n + 1, sizeof *c->event_begin );
	c->around_begin = dbvhi_alloc( a, n + 1, sizeof *c->around_begin );
	c->start = dbvhi_alloc( a, n + 1, sizeof *c->start );
	c->known = dbvhi_alloc( a, n + 1, sizeof *c->known );
	c->across = dbvhi_alloc( a, 3 * n + 1, sizeof *c->across );
	c->queue = dbvhi_alloc( a, 3 * n + 1, sizeof *c->queue );
	c->apex = dbvhi_alloc( a, 4 * n + 1, sizeof *c->apex );
	if ( c->event_begin == NULL || c->around_begin == NULL || c->start == NULL || c->known == NULL ||
	     c->across == NULL || c->queue == NULL || c->apex == NULL )
		return false;
	memset( c->known, 0, n );
	memset( c->across, 0xff, 3 * n * sizeof *c->across );
	for ( size_t i = 0; i < n; ++i )
		c->apex[4 * i + 3] = -1.0;
	return true;
}

static void leave( dbvhi_crossed *c ) {
	const dbvh_allocator *a = &c->o->allocator;
	const size_t n = c->soup.triangle_count;
	dbvh_tree_destroy( c->tree );
	dbvhi_free( a, c->segments, c->segment_capacity, sizeof *c->segments );
	dbvhi_free( a, c->events, c->event_capacity, sizeof *c->events );
	dbvhi_free( a, c->around, c->around_capacity, sizeof *c->around );
	dbvhi_free( a, c->event_begin, n + 1, sizeof *c->event_begin );
	dbvhi_free( a, c->around_begin, n + 1, sizeof *c->around_begin );
	dbvhi_free( a, c->start, n + 1, sizeof *c->start );
	dbvhi_free( a, c->known, n + 1, sizeof *c->known );
	dbvhi_free( a, c->across, 3 * n + 1, sizeof *c->across );
	dbvhi_free( a, c->queue, 3 * n + 1, sizeof *c->queue );
	dbvhi_free( a, c->apex, 4 * n + 1, sizeof *c->apex );
	dbvhi_line_tree_free( &c->lines, a );
	dbvhi_soup_free( &c->soup );
}

static dbvhi_overlap_outcome find_volume( dbvhi_crossed *c ) {
	if ( !make_room( c ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	if ( !dbvhi_soup_has_areas( &c->soup ) )
		return DBVHI_OVERLAP_UNDECIDED;
	dbvhi_overlap_outcome outcome = find_segments( c );
	if ( outcome == DBVHI_OVERLAP_OK )
		outcome = sort_events( c );
	if ( outcome == DBVHI_OVERLAP_OK )
		outcome = c->soup.generic ? find_levels( c ) : DBVHI_OVERLAP_UNDECIDED;
	if ( outcome == DBVHI_OVERLAP_OK )
		outcome = dbvhi_crossed_add_pieces( c );
	return outcome == DBVHI_OVERLAP_OK ? add_steps( c ) : outcome;
}

// The box of all of A, as far as it is known where the overlap is: round the centroid.
static void bound_box( const dbvh_overlap *o, dbvh_overlap_measure *m ) {
	const dbvhi_topology *t = o->body[o->swapped ? 1 : 0].topology;
	for ( size_t k = 0; k < 3; ++k ) {
		double low = INFINITY, high = -INFINITY;
		for ( size_t i = 0; i < t->point_count; ++i ) {
			low = fmin( low, t->position[3 * i + k] );
			high = fmax( high, t->position[3 * i + k] );
		}
		m->box_min[k] = ( dbvh_interval ){ low, high };
		m->box_max[k] = ( dbvh_interval ){ low, high };
	}
}

static void close_measure( dbvhi_crossed *c, dbvh_overlap_measure *out ) {
	dbvh_overlap *o = c->o;
	memcpy( o->origin, c->soup.centre, sizeof o->origin );
	o->exponent = c->soup.unit;
	dbvhi_moments_close( o, &c->moments, false, out );
	bound_box( o, out );
	for ( int k = 0; k < 3; ++k ) {
		dbvh_interval *x = &out->centroid[k];
		x->lower = fmax( x->lower, out->box_min[k].lower );
		x->upper = fmin( x->upper, out->box_max[k].upper );
		out->box_min[k].upper = x->upper;
		out->box_max[k].lower = x->lower;
	}
	// A body in a ball of radius r has at most the volume r / 3 times its surface.
	const double reach = ldexp( c->reach, o->exponent ), area = ldexp( c->area, 2 * o->exponent );
	out->area.lower = out->volume.lower > 0.0 ? ( 3.0 - 0x1p-20 ) * ( out->volume.lower / reach ) : 0.0;
	out->area.upper = area * ( 1.0 + 0x1p-20 ) + 0x1p-1070;
}

dbvhi_overlap_outcome dbvhi_overlap_crossed( dbvh_overlap *o, dbvh_overlap_measure *out ) {
	// Few random bits may leave corners that are not in general position, and many cost accuracy.
	static const int bits[] = { 3, 7, 11, 16 };
	dbvhi_overlap_outcome outcome = DBVHI_OVERLAP_UNDECIDED;
	for ( size_t i = 0; i < sizeof bits / sizeof bits[0] && outcome == DBVHI_OVERLAP_UNDECIDED; ++i ) {
		dbvhi_crossed c = { .o = o };
		outcome = dbvhi_soup_make( &c.soup, o, bits[i] );
		const bool closed = outcome != DBVHI_OVERLAP_UNDECIDED;
		if ( outcome == DBVHI_OVERLAP_OK && dbvhi_soup_is_empty( &c.soup ) ) {
			*out = ( dbvh_overlap_measure ){ 0 };
		} else if ( outcome == DBVHI_OVERLAP_OK ) {
			outcome = find_volume( &c );
			if ( outcome == DBVHI_OVERLAP_OK )
				close_measure( &c, out );
		}
		leave( &c );
		if ( !closed )
			break;
	}
	return outcome;
}
