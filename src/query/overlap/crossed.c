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

#include "base/sort.h"
#include "query/overlap/soup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define U 0x1p-53

// Winding numbers and parities about a point, by body.
typedef struct levels {
	int32_t winding[2], parity[2];
} levels;

// The segment that two triangles share, from the end where it enters to that where it leaves, along n_0 x n_1.
typedef struct segment {
	uint32_t triangle[2];
	dbvhi_crossing_point end[2];
	double position[2][3], error[2];
} segment;

// A place on the rim of a triangle where another triangle meets it: on side k, or at a corner.
typedef struct event {
	uint32_t triangle, other;
	uint32_t place; // 2 k + 1 on side k, 2 k at corner k; 6 at corner 0, where the way round ends
	dbvhi_crossing_point point;
	levels before, after; // relative to the beginning of side 0
} event;

typedef struct crossed {
	dbvh_overlap *o;
	dbvhi_soup soup;
	dbvh_tree *tree; // of the soup
	segment *segments;
	size_t segment_count, segment_capacity;
	event *events; // by triangle, in their order round it
	size_t event_count, event_capacity;
	uint32_t *event_begin;  // by triangle, and the end
	uint64_t *around;       // triangle << 32 | segment, ascending
	uint32_t *around_begin; // by triangle, and the end
	size_t around_count, around_capacity;
	levels *start;  // by triangle: above it, at the beginning of side 0
	uint8_t *known; // by triangle: `start` is
	uint32_t *queue;
	double *apex; // 4 a triangle: a point of its plane, and its error; below 0: none yet
	dbvhi_moments moments;
	double reach, area; // half the diagonal of the common box, and a bound of the areas in it, in units
} crossed;

static levels above_to_below( levels x, const dbvhi_soup_triangle *t, int times ) {
	x.winding[t->body] += times * t->winding;
	x.parity[t->body] += times * t->parity;
	return x;
}

// The levels after passing from one side of a triangle to the other.
static levels passed( const crossed *c, levels x, uint32_t triangle, int from, int to ) {
	return from == to ? x : above_to_below( x, &c->soup.triangle[triangle], from > 0 ? 1 : -1 );
}

static levels sum_of( levels x, levels y ) {
	for ( int m = 0; m < 2; ++m ) {
		x.winding[m] += y.winding[m];
		x.parity[m] += y.parity[m];
	}
	return x;
}

static levels minus( levels x ) {
	for ( int m = 0; m < 2; ++m ) {
		x.winding[m] = -x.winding[m];
		x.parity[m] = -x.parity[m];
	}
	return x;
}

static bool is_same( levels x, levels y ) {
	bool same = true;
	for ( int m = 0; m < 2; ++m )
		same = same && x.winding[m] == y.winding[m] && ( x.parity[m] - y.parity[m] ) % 2 == 0;
	return same;
}

static int is_in_both( levels x ) {
	bool inside = true;
	for ( int m = 0; m < 2; ++m )
		inside = inside && ( x.winding[m] != 0 || x.parity[m] % 2 != 0 );
	return inside;
}

static const uint32_t *corners_of( const crossed *c, uint32_t triangle ) {
	return c->soup.triangle[triangle].corner;
}

// The corner of a triangle that has this number, or 3.
static uint32_t place_of( const crossed *c, uint32_t triangle, uint32_t corner ) {
	uint32_t k = 0;
	while ( k < 3 && corners_of( c, triangle )[k] != corner )
		k += 1;
	return k;
}

// ------------------------------------------------------------------------------------------------
// Segments

// Does side k of one triangle cross the other one? Sets the point.
static bool side_crosses( crossed *c, uint32_t of, uint32_t k, uint32_t other, dbvhi_crossing_point *out ) {
	dbvhi_soup *s = &c->soup;
	const uint32_t p = corners_of( c, of )[k], q = corners_of( c, of )[( k + 1 ) % 3], *t = corners_of( c, other );
	if ( dbvhi_soup_side( s, other, p ) == dbvhi_soup_side( s, other, q ) )
		return false;
	const int turn = dbvhi_soup_orient( s, p, q, t[0], t[1] );
	if ( dbvhi_soup_orient( s, p, q, t[1], t[2] ) != turn || dbvhi_soup_orient( s, p, q, t[2], t[0] ) != turn )
		return false;
	*out = ( dbvhi_crossing_point ){ p, q, other };
	return true;
}

static bool add_event( crossed *c, uint32_t triangle, uint32_t other, uint32_t place, dbvhi_crossing_point point ) {
	dbvh_overlap *o = c->o;
	if ( !DBVHI_ROOM( o, c->events, c->event_capacity, c->event_count + 1 ) )
		return false;
	c->events[c->event_count++] = ( event ){ .triangle = triangle, .other = other, .place = place, .point = point };
	return true;
}

// A point where side `k` of triangle `of` of a pair crosses the other one.
typedef struct side_crossing {
	int of;
	uint32_t k;
	dbvhi_crossing_point point;
} side_crossing;

// Find where sides of one triangle cross the other, of sides that do not end at `common`. Returns their number.
static int find_crossings( crossed *c, const uint32_t pair[2], uint32_t common, side_crossing found[6] ) {
	int count = 0;
	for ( int i = 0; i < 2; ++i ) {
		const uint32_t *t = corners_of( c, pair[i] );
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

static bool add_events( crossed *c, const segment *s, const side_crossing *found, int count, uint32_t common ) {
	for ( int i = 0; i < count; ++i ) {
		const int of = found[i].of;
		if ( !add_event( c, s->triangle[of], s->triangle[!of], 2 * found[i].k + 1, found[i].point ) )
			return false;
	}
	for ( int i = 0; i < 2 && common != DBVHI_NONE; ++i ) {
		const uint32_t k = place_of( c, s->triangle[i], common );
		const dbvhi_crossing_point corner = { common, common, s->triangle[!i] };
		if ( !add_event( c, s->triangle[i], s->triangle[!i], k == 0 ? 6 : 2 * k, corner ) )
			return false;
	}
	return true;
}

static dbvhi_overlap_outcome add_pair( crossed *c, dbvh_pair pair ) {
	dbvh_overlap *o = c->o;
	segment s = { .triangle = { pair.a, pair.b } };
	uint32_t common = DBVHI_NONE, commons = 0;
	for ( uint32_t k = 0; k < 3; ++k ) {
		if ( place_of( c, pair.b, corners_of( c, pair.a )[k] ) < 3 ) {
			common = corners_of( c, pair.a )[k];
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
		s.end[end] = found[i].point;
		if ( common != DBVHI_NONE )
			s.end[!end] = ( dbvhi_crossing_point ){ common, common, pair.b };
	}
	if ( !add_events( c, &s, found, count, common ) ||
	     !DBVHI_ROOM( o, c->segments, c->segment_capacity, c->segment_count + 1 ) ||
	     !DBVHI_ROOM( o, c->around, c->around_capacity, c->around_count + 2 ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	for ( int i = 0; i < 2; ++i ) {
		s.error[i] = dbvhi_soup_position( &c->soup, &s.end[i], s.position[i] );
		c->around[c->around_count++] = (uint64_t)s.triangle[i] << 32 | c->segment_count;
	}
	c->segments[c->segment_count++] = s;
	return dbvhi_overlap_charge( o, 32 ) ? DBVHI_OVERLAP_OK : DBVHI_OVERLAP_STOPPED;
}

// Build a tree over the soup, and list the pairs of triangles that cross.
static dbvh_status list_pairs( crossed *c, dbvh_pair **pairs, size_t *capacity, size_t *count_out ) {
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
	dbvh_status status = dbvh_tree_build( &view, &options, &o->allocator, &c->tree, NULL );
	dbvh_collide_result found = { .pair_count = 256 };
	if ( status == DBVH_OK && !dbvhi_overlap_charge( o, 4 * s->triangle_count ) )
		status = dbvhi_purse_status( o->meter->purse );
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

static dbvhi_overlap_outcome find_segments( crossed *c ) {
	dbvh_pair *pairs = NULL;
	size_t capacity = 0, count = 0;
	const dbvh_status status = list_pairs( c, &pairs, &capacity, &count );
	dbvhi_overlap_outcome outcome = status == DBVH_OK              ? DBVHI_OVERLAP_OK
	                                : status == DBVH_OUT_OF_MEMORY ? DBVHI_OVERLAP_NO_MEMORY
	                                                               : DBVHI_OVERLAP_STOPPED;
	for ( size_t i = 0; i < count && outcome == DBVHI_OVERLAP_OK; ++i )
		outcome = add_pair( c, pairs[i] );
	dbvhi_free( &c->o->allocator, pairs, capacity, sizeof *pairs );
	return outcome;
}

// ------------------------------------------------------------------------------------------------
// Round a triangle

// Is one event on a side behind another?
static bool is_behind( crossed *c, const event *p, const event *q ) {
	if ( p->place != q->place || p->place % 2 == 0 )
		return p->place > q->place;
	const uint32_t start = corners_of( c, p->triangle )[p->place / 2];
	return dbvhi_soup_side_of_point( &c->soup, q->other, &p->point ) != dbvhi_soup_side( &c->soup, q->other, start );
}

// Sort the events of one triangle, and find the levels between them.
static void walk_round( crossed *c, event *e, size_t count ) {
	for ( size_t i = 1; i < count; ++i ) {
		for ( size_t k = i; k > 0 && is_behind( c, &e[k - 1], &e[k] ); --k ) {
			const event t = e[k];
			e[k] = e[k - 1];
			e[k - 1] = t;
		}
	}
	levels now = { 0 };
	for ( size_t i = 0; i < count; ) {
		const levels before = now;
		size_t end = i;
		// note: at a corner several triangles are passed at once.
		do {
			const uint32_t *t = corners_of( c, e[end].triangle ), k = e[end].place / 2 % 3;
			const uint32_t from = e[end].place % 2 != 0 ? t[k] : t[( k + 2 ) % 3], to = t[( k + 1 ) % 3];
			now = passed( c, now, e[end].other, dbvhi_soup_side( &c->soup, e[end].other, from ),
			              dbvhi_soup_side( &c->soup, e[end].other, to ) );
			end += 1;
		} while ( end < count && e[end].place == e[i].place && e[i].place % 2 == 0 );
		for ( ; i < end; ++i ) {
			e[i].before = before;
			e[i].after = now;
		}
	}
}

// Begins of the entries of each triangle in a list of keys.
static void find_begins( const crossed *c, const uint64_t *keys, size_t count, uint32_t *begin ) {
	size_t at = 0;
	for ( size_t t = 0; t <= c->soup.triangle_count; ++t ) {
		while ( at < count && keys[at] >> 32 < t )
			at += 1;
		begin[t] = (uint32_t)at;
	}
}

static bool sort_events( crossed *c ) {
	dbvh_overlap *o = c->o;
	dbvhi_sort_u64( c->around, c->around_count );
	find_begins( c, c->around, c->around_count, c->around_begin );
	event *sorted = NULL;
	size_t capacity = 0;
	if ( !DBVHI_ROOM( o, o->scratch, o->scratch_capacity, c->event_count ) ||
	     !DBVHI_ROOM( o, sorted, capacity, c->event_count ) )
		return false;
	for ( size_t i = 0; i < c->event_count; ++i )
		o->scratch[i] = (uint64_t)c->events[i].triangle << 32 | i;
	dbvhi_sort_u64( o->scratch, c->event_count );
	find_begins( c, o->scratch, c->event_count, c->event_begin );
	for ( size_t i = 0; i < c->event_count; ++i )
		sorted[i] = c->events[(uint32_t)o->scratch[i]];
	dbvhi_free( &o->allocator, c->events, c->event_capacity, sizeof *c->events );
	c->events = sorted;
	c->event_capacity = capacity;
	for ( size_t t = 0; t < c->soup.triangle_count; ++t )
		walk_round( c, c->events + c->event_begin[t], c->event_begin[t + 1] - c->event_begin[t] );
	return true;
}

// The levels before all events from a place on, relative to the beginning of side 0.
static levels levels_at( const crossed *c, uint32_t triangle, uint32_t place ) {
	levels now = { 0 };
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
static void cross_far( crossed *c, uint32_t from, uint32_t other, levels *sum ) {
	const uint32_t *t = corners_of( c, other );
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
		*sum = above_to_below( *sum, &c->soup.triangle[other], turn );
}

// The same at a triangle whose corner k it is.
static void cross_near( crossed *c, uint32_t from, const double middle[3], uint32_t other, uint32_t k, levels *sum ) {
	const uint32_t *t = corners_of( c, other );
	double p[3], q[3];
	dbvhi_soup_vector( &c->soup, from, t[( k + 1 ) % 3], p );
	dbvhi_soup_vector( &c->soup, from, t[( k + 2 ) % 3], q );
	const int turn = dbvhi_soup_det2( &c->soup, p, q );
	if ( dbvhi_soup_det2( &c->soup, p, middle ) != turn || dbvhi_soup_det2( &c->soup, middle, q ) != turn )
		return;
	if ( dbvhi_soup_det3( &c->soup, p, q, middle ) == -turn )
		*sum = above_to_below( *sum, &c->soup.triangle[other], turn );
}

// The levels above a triangle at the beginning of its side 0, by a ray from its corner 0.
static levels ask( crossed *c, uint32_t triangle ) {
	const uint32_t *t = corners_of( c, triangle );
	double p[3], q[3], middle[3];
	dbvhi_soup_vector( &c->soup, t[0], t[1], p );
	dbvhi_soup_vector( &c->soup, t[0], t[2], q );
	for ( int k = 0; k < 3; ++k )
		middle[k] = p[k] + q[k];
	levels sum = { 0 };
	for ( uint32_t i = 0; i < c->soup.triangle_count; ++i ) {
		const uint32_t k = place_of( c, i, t[0] );
		if ( i == triangle ) {
			// note: from above a triangle that looks down, the ray passes through it.
			if ( dbvhi_soup_det2( &c->soup, p, q ) < 0 )
				sum = above_to_below( sum, &c->soup.triangle[i], -1 );
		} else if ( k < 3 ) {
			cross_near( c, t[0], middle, i, k, &sum );
		} else {
			cross_far( c, t[0], i, &sum );
		}
	}
	for ( uint32_t i = c->event_begin[triangle]; i < c->event_begin[triangle + 1]; ++i ) {
		const event *e = &c->events[i];
		if ( e->place != 6 )
			continue;
		const uint32_t *other = corners_of( c, e->other ), k = place_of( c, e->other, t[0] );
		double u[3], v[3];
		dbvhi_soup_vector( &c->soup, t[0], other[( k + 1 ) % 3], u );
		dbvhi_soup_vector( &c->soup, t[0], other[( k + 2 ) % 3], v );
		sum = passed( c, sum, e->other, dbvhi_soup_det3( &c->soup, u, v, middle ),
		              dbvhi_soup_side( &c->soup, e->other, t[1] ) );
	}
	return sum;
}

// The only other triangle at a side, with its side; DBVHI_NONE where there are more.
static uint32_t neighbour_of( const crossed *c, uint32_t triangle, uint32_t k, uint32_t *side_out ) {
	const dbvhi_soup_triangle *t = &c->soup.triangle[triangle];
	const dbvhi_topology *topology = c->o->body[t->body].topology;
	const uint32_t own = 3 * t->source + k, edge = topology->edge[own];
	uint32_t found = DBVHI_NONE;
	for ( uint32_t i = topology->edge_begin[edge]; i < topology->edge_begin[edge + 1]; ++i ) {
		const uint32_t side = topology->side[i], other = c->soup.index[t->body][side / 3];
		if ( side == own || other == DBVHI_NONE || c->soup.triangle[other].source != side / 3 )
			continue;
		if ( found != DBVHI_NONE )
			return DBVHI_NONE;
		found = other;
		*side_out = side % 3;
	}
	return found;
}

// Spread levels from one triangle over an edge to the other triangle there. False if that knows others.
static bool spread_levels( crossed *c, uint32_t triangle, uint32_t k, uint32_t other, uint32_t l, bool *news ) {
	levels now = sum_of( c->start[triangle], levels_at( c, triangle, 2 * k + 1 ) );
	const bool alike = corners_of( c, triangle )[k] == corners_of( c, other )[l];
	if ( alike )
		now = above_to_below( now, &c->soup.triangle[other], -1 );
	now = sum_of( now, minus( levels_at( c, other, alike ? 2 * l + 1 : 2 * l + 2 ) ) );
	*news = !c->known[other];
	if ( *news ) {
		c->start[other] = now;
		c->known[other] = 1;
	}
	return is_same( c->start[other], now );
}

static dbvhi_overlap_outcome find_levels( crossed *c ) {
	for ( uint32_t i = 0; i < c->soup.triangle_count; ++i ) {
		if ( c->known[i] )
			continue;
		c->start[i] = ask( c, i );
		c->known[i] = 1;
		if ( !dbvhi_overlap_charge( c->o, c->soup.triangle_count / 8 ) )
			return DBVHI_OVERLAP_STOPPED;
		size_t count = 0;
		c->queue[count++] = i;
		for ( size_t at = 0; at < count; ++at ) {
			for ( uint32_t k = 0; k < 3; ++k ) {
				uint32_t l = 0;
				bool news = false;
				const uint32_t other = neighbour_of( c, c->queue[at], k, &l );
				// note: contradictions do not occur; if they did, nothing would be known.
				if ( other != DBVHI_NONE && !spread_levels( c, c->queue[at], k, other, l, &news ) )
					return DBVHI_OVERLAP_UNDECIDED;
				if ( news )
					c->queue[count++] = other;
			}
		}
	}
	return dbvhi_overlap_charge( c->o, c->soup.triangle_count ) ? DBVHI_OVERLAP_OK : DBVHI_OVERLAP_STOPPED;
}

// The levels above both triangles of a segment where it begins.
static levels levels_of( crossed *c, const segment *s ) {
	const dbvhi_crossing_point *p = &s->end[0];
	const bool at_corner = p->from == p->to;
	const int owner = !at_corner && p->triangle == s->triangle[0] ? 1 : 0;
	const uint32_t t = s->triangle[owner];
	uint32_t i = c->event_begin[t];
	while ( c->events[i].other != s->triangle[!owner] || c->events[i].point.from != p->from ||
	        c->events[i].point.to != p->to )
		i += 1;
	const event *e = &c->events[i];
	if ( !at_corner )
		return sum_of( c->start[t], owner == 0 ? e->after : e->before );
	levels now = sum_of( c->start[t], e->after );
	const uint32_t next = corners_of( c, t )[( e->place / 2 + 1 ) % 3];
	for ( i = c->event_begin[t]; i < c->event_begin[t + 1]; ++i ) {
		const event *f = &c->events[i];
		if ( f->place == e->place && f->other != e->other )
			now = passed( c, now, f->other, dbvhi_soup_side( &c->soup, f->other, next ),
			              dbvhi_soup_side_of_point( &c->soup, f->other, &s->end[1] ) );
	}
	return now;
}

// ------------------------------------------------------------------------------------------------
// Sums

typedef struct place {
	double x[3], error;
} place;

static void add_double_to( dbvhi_sum *sum, double x, double error ) {
	sum->value = dbvhi_dd_add( sum->value, ( dbvhi_dd ){ x, 0.0 } );
	sum->error += error + 0x1p-100 * fabs( sum->value.hi );
}

// Add `factor` times the piece from p to q of a triangle. Where it is `unclear` the factor is known to within 4, and
// the places are so close that their errors count for it.
static void add_piece( crossed *c, uint32_t triangle, const place *p, const place *q, int factor, bool unclear ) {
	if ( factor == 0 && !unclear )
		return;
	double *r = c->apex + 4 * (size_t)triangle;
	if ( r[3] < 0.0 ) {
		memcpy( r, p->x, sizeof p->x );
		r[3] = p->error;
	}
	double a[3], b[3], na = 0.0, nb = 0.0, reach = 0.0, det = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		a[k] = p->x[k] - r[k];
		b[k] = q->x[k] - r[k];
		na += fabs( a[k] );
		nb += fabs( b[k] );
		reach = fmax( reach, fabs( r[k] ) );
	}
	for ( int k = 0; k < 3; ++k ) {
		const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
		det += r[k] * ( a[x] * b[y] - a[y] * b[x] );
	}
	// note: r needs not be a point of the plane; what it is off counts with the area of the piece.
	const double most = unclear ? 4.0 : abs( factor );
	const double error = most * ( 12.0 * U * reach * na * nb + 2.0 * r[3] * na * nb +
	                              2.0 * reach * ( p->error * nb + q->error * na + 3.0 * p->error * q->error ) );
	add_double_to( &c->moments.volume, factor * det, error );
	const double far = reach + na + nb;
	for ( int k = 0; k < 3; ++k )
		add_double_to( &c->moments.first[k], factor * det * ( r[k] + p->x[k] + q->x[k] ),
		               4.0 * far * error + most * fabs( det ) * ( r[3] + p->error + q->error + 16.0 * U * far ) );
}

static place corner_place( const crossed *c, uint32_t corner ) {
	place p = { .error = 0.0 };
	memcpy( p.x, c->soup.corner + 3 * (size_t)corner, sizeof p.x );
	return p;
}

static int factor_of( const crossed *c, uint32_t triangle, levels above ) {
	return is_in_both( above_to_below( above, &c->soup.triangle[triangle], 1 ) ) - is_in_both( above );
}

static void add_sides( crossed *c, uint32_t triangle ) {
	uint32_t i = c->event_begin[triangle];
	const uint32_t end = c->event_begin[triangle + 1];
	levels now = { 0 };
	for ( uint32_t k = 0; k < 3; ++k ) {
		place p = corner_place( c, corners_of( c, triangle )[k] );
		for ( ;; ++i ) {
			const bool more = i < end && c->events[i].place == 2 * k + 1;
			place q = corner_place( c, corners_of( c, triangle )[( k + 1 ) % 3] );
			if ( more )
				q.error = dbvhi_soup_position( &c->soup, &c->events[i].point, q.x );
			add_piece( c, triangle, &p, &q, factor_of( c, triangle, sum_of( c->start[triangle], now ) ), false );
			if ( !more )
				break;
			now = c->events[i].after;
			p = q;
		}
		for ( ; i < end && c->events[i].place == 2 * k + 2; ++i )
			now = c->events[i].after;
	}
}

// Add the two faces of a piece of a segment.
static void add_both( crossed *c, const segment *s, const place *p, const place *q, levels above, bool unclear ) {
	const dbvhi_soup_triangle *t = &c->soup.triangle[s->triangle[0]], *u = &c->soup.triangle[s->triangle[1]];
	const levels below = above_to_below( above, u, 1 );
	const int aa = is_in_both( above ), ab = is_in_both( below ), ba = is_in_both( above_to_below( above, t, 1 ) ),
	          bb = is_in_both( above_to_below( below, t, 1 ) );
	// note: the left of the segment is below the second triangle, and above the first.
	add_piece( c, s->triangle[0], p, q, ( bb - ab ) - ( ba - aa ), unclear );
	add_piece( c, s->triangle[1], p, q, ( ab - aa ) - ( bb - ba ), unclear );
}

// A triangle that crosses a segment.
typedef struct third {
	dbvhi_rough at; // 0 where the segment begins, 1 where it ends
	uint32_t triangle;
	int from; // the side of it where the segment begins
} third;

static const segment *segment_of_pair( const crossed *c, uint32_t a, uint32_t b ) {
	const uint32_t first = a < b ? a : b, second = a < b ? b : a;
	size_t low = 0, high = c->segment_count;
	while ( low < high ) {
		const size_t middle = low + ( high - low ) / 2;
		const uint32_t *t = c->segments[middle].triangle;
		if ( t[0] < first || ( t[0] == first && t[1] < second ) )
			low = middle + 1;
		else
			high = middle;
	}
	const segment *s = &c->segments[low];
	return low < c->segment_count && s->triangle[0] == first && s->triangle[1] == second ? s : NULL;
}

// Do three triangles that cross each other in pairs cross in one point?
static bool find_third( crossed *c, const segment *s, const segment *t, uint32_t other, third *out ) {
	dbvhi_soup *soup = &c->soup;
	if ( segment_of_pair( c, s->triangle[1], other ) == NULL )
		return false;
	for ( int i = 0; i < 2; ++i ) {
		// note: segments that begin at a common corner do not cross anywhere else.
		if ( s->end[i].from == s->end[i].to && place_of( c, other, s->end[i].from ) < 3 )
			return false;
	}
	const uint32_t plane = s->triangle[1];
	out->triangle = other;
	out->from = dbvhi_soup_side_of_point( soup, other, &s->end[0] );
	if ( out->from == dbvhi_soup_side_of_point( soup, other, &s->end[1] ) ||
	     dbvhi_soup_side_of_point( soup, plane, &t->end[0] ) == dbvhi_soup_side_of_point( soup, plane, &t->end[1] ) )
		return false;
	out->at = dbvhi_soup_ratio( soup, other, &s->end[0], &s->end[1] );
	return true;
}

static bool list_thirds( crossed *c, const segment *s, third **thirds, size_t *capacity, size_t *count_out ) {
	size_t count = 0;
	const uint32_t t = s->triangle[0];
	for ( uint32_t i = c->around_begin[t]; i < c->around_begin[t + 1]; ++i ) {
		const segment *next = &c->segments[(uint32_t)c->around[i]];
		const uint32_t other = next->triangle[0] == t ? next->triangle[1] : next->triangle[0];
		third found;
		if ( next == s || !find_third( c, s, next, other, &found ) )
			continue;
		if ( !DBVHI_ROOM( c->o, *thirds, *capacity, count + 1 ) )
			return false;
		size_t k = count++;
		for ( ; k > 0 && ( *thirds )[k - 1].at.value > found.at.value; --k )
			( *thirds )[k] = ( *thirds )[k - 1];
		( *thirds )[k] = found;
	}
	*count_out = count;
	return true;
}

static place place_along( const segment *s, dbvhi_rough at ) {
	place p = { .error = fmax( s->error[0], s->error[1] ) };
	double way = 0.0, size = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double step = s->position[1][k] - s->position[0][k];
		p.x[k] = s->position[0][k] + at.value * step;
		way = fmax( way, fabs( step ) );
		size = fmax( size, fabs( p.x[k] ) );
	}
	p.error += way * at.error + 4.0 * U * ( way + size );
	return p;
}

static void add_segment_pieces( crossed *c, const segment *s, third *thirds, size_t count ) {
	levels now = levels_of( c, s );
	place p = { .error = s->error[0] };
	memcpy( p.x, s->position[0], sizeof p.x );
	for ( size_t i = 0; i <= count; ++i ) {
		place q = { .error = s->error[1] };
		memcpy( q.x, s->position[1], sizeof q.x );
		if ( i < count )
			q = place_along( s, thirds[i].at );
		bool unclear = false;
		if ( i > 0 && i < count &&
		     thirds[i].at.value - thirds[i - 1].at.value <= thirds[i].at.error + thirds[i - 1].at.error ) {
			// Both may be in the other order: then the piece between them has another factor.
			unclear = true;
			const double more = p.error + q.error;
			p.error += more;
			q.error += more;
		}
		add_both( c, s, &p, &q, now, unclear );
		if ( i < count )
			now = passed( c, now, thirds[i].triangle, thirds[i].from, -thirds[i].from );
		p = q;
	}
}

static dbvhi_overlap_outcome add_pieces( crossed *c ) {
	for ( uint32_t i = 0; i < c->soup.triangle_count; ++i )
		add_sides( c, i );
	third *thirds = NULL;
	size_t capacity = 0, count = 0;
	dbvhi_overlap_outcome outcome = DBVHI_OVERLAP_OK;
	for ( size_t i = 0; i < c->segment_count && outcome == DBVHI_OVERLAP_OK; ++i ) {
		const segment *s = &c->segments[i];
		const uint32_t t = s->triangle[0];
		if ( !dbvhi_overlap_charge( c->o, 8 + 2 * ( c->around_begin[t + 1] - c->around_begin[t] ) ) )
			outcome = DBVHI_OVERLAP_STOPPED;
		else if ( !list_thirds( c, s, &thirds, &capacity, &count ) )
			outcome = DBVHI_OVERLAP_NO_MEMORY;
		else
			add_segment_pieces( c, s, thirds, count );
	}
	dbvhi_free( &c->o->allocator, thirds, capacity, sizeof *thirds );
	return outcome == DBVHI_OVERLAP_OK && !c->soup.generic ? DBVHI_OVERLAP_UNDECIDED : outcome;
}

// ------------------------------------------------------------------------------------------------
// What the steps change

// The half extents of what the boxes of both have in common, wherever steps take the corners. False if that is nothing.
static bool common_box( const crossed *c, double low[3], double high[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		double from[2] = { INFINITY, INFINITY }, to[2] = { -INFINITY, -INFINITY };
		for ( size_t i = 0; i < c->soup.triangle_count; ++i ) {
			const dbvhi_soup_triangle *t = &c->soup.triangle[i];
			for ( size_t j = 0; j < 3; ++j ) {
				const double x = c->soup.corner[3 * (size_t)t->corner[j] + (size_t)k];
				from[t->body] = fmin( from[t->body], x );
				to[t->body] = fmax( to[t->body], x );
			}
		}
		low[k] = fmax( from[0], from[1] ) - 2.0 * c->soup.step;
		high[k] = fmin( to[0], to[1] ) + 2.0 * c->soup.step;
	}
	return low[0] <= high[0] && low[1] <= high[1] && low[2] <= high[2];
}

// Bound the area that a triangle has in the box at any time.
static double area_within( const crossed *c, uint32_t triangle, const double low[3], const double high[3],
                           double section ) {
	const uint32_t *t = corners_of( c, triangle );
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
static void add_steps( crossed *c ) {
	double low[3], high[3], square = 0.0;
	c->reach = c->area = 0.0;
	if ( !common_box( c, low, high ) )
		return;
	for ( int k = 0; k < 3; ++k )
		square += 0.25 * ( high[k] - low[k] ) * ( high[k] - low[k] );
	c->reach = 1.001 * sqrt( square );
	// note: a plane cuts a disk out of the ball round the box.
	const double section = 3.15 * square;
	for ( uint32_t i = 0; i < c->soup.triangle_count; ++i )
		c->area += area_within( c, i, low, high, section );
	const double error = 6.0 * 1.7321 * c->soup.step * c->area;
	c->moments.volume.error += error;
	for ( int k = 0; k < 3; ++k ) {
		const double largest = fmax( fabs( low[k] ), fabs( high[k] ) );
		c->moments.first[k].error += 4.0 * largest * error;
	}
}

// ------------------------------------------------------------------------------------------------

static bool make_room( crossed *c ) {
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
	c->queue = dbvhi_alloc( a, 3 * n + 1, sizeof *c->queue );
	c->apex = dbvhi_alloc( a, 4 * n + 1, sizeof *c->apex );
	if ( c->event_begin == NULL || c->around_begin == NULL || c->start == NULL || c->known == NULL ||
	     c->queue == NULL || c->apex == NULL )
		return false;
	memset( c->known, 0, n );
	for ( size_t i = 0; i < n; ++i )
		c->apex[4 * i + 3] = -1.0;
	return true;
}

static void leave( crossed *c ) {
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
	dbvhi_free( a, c->queue, 3 * n + 1, sizeof *c->queue );
	dbvhi_free( a, c->apex, 4 * n + 1, sizeof *c->apex );
	dbvhi_soup_free( &c->soup );
}

static dbvhi_overlap_outcome find_volume( crossed *c ) {
	if ( !make_room( c ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	dbvhi_overlap_outcome outcome = find_segments( c );
	if ( outcome == DBVHI_OVERLAP_OK )
		outcome = sort_events( c ) ? DBVHI_OVERLAP_OK : DBVHI_OVERLAP_NO_MEMORY;
	if ( outcome == DBVHI_OVERLAP_OK )
		outcome = c->soup.generic ? find_levels( c ) : DBVHI_OVERLAP_UNDECIDED;
	if ( outcome == DBVHI_OVERLAP_OK )
		outcome = add_pieces( c );
	if ( outcome == DBVHI_OVERLAP_OK )
		add_steps( c );
	return outcome;
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

static void close_measure( crossed *c, dbvh_overlap_measure *out ) {
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
		crossed c = { .o = o };
		outcome = dbvhi_soup_make( &c.soup, o, bits[i] );
		const bool closed = outcome != DBVHI_OVERLAP_UNDECIDED;
		if ( outcome == DBVHI_OVERLAP_OK && c.soup.triangle_count > 0 )
			outcome = find_volume( &c );
		if ( outcome == DBVHI_OVERLAP_OK )
			close_measure( &c, out );
		leave( &c );
		if ( !closed )
			break;
	}
	return outcome;
}
