// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Contacts: the segments of the intersections, each once, and the polylines that they form.

#include "base/assert.h"
#include "query/contact/contact.h"

#include <math.h>
#include <string.h>

double dbvhi_distance( const double p[3], const double q[3] ) {
	double d[3], size = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		d[k] = q[k] - p[k];
		size = fmax( size, fabs( d[k] ) );
	}
	if ( size == 0.0 )
		return 0.0;
	// Scale by a power of two, so that squares neither overflow nor underflow.
	int exponent;
	frexp( size, &exponent );
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double x = ldexp( d[k], -exponent );
		sum += x * x;
	}
	return ldexp( sqrt( sum ), exponent );
}

// ------------------------------------------------------------------------------------------------
// Steps

static bool on_side( int place, int side ) {
	DBVHI_ASSERT( (unsigned)side < 3 );
	return place == DBVHI_EDGE( side ) || place == side || place == ( side + 1 ) % 3;
}

// The smallest place in a triangle that contains the segment between two places.
static int between( int p, int q ) {
	if ( p == q )
		return p;
	for ( int k = 0; k < 3; ++k ) {
		if ( on_side( p, k ) && on_side( q, k ) )
			return DBVHI_EDGE( k );
	}
	return DBVHI_FACE;
}

typedef struct chaining {
	dbvh_contacts *c;
	dbvhi_step *steps;
	size_t step_count;
	uint32_t *table; // 1 + the number of a step; 0 is free
	size_t mask;
	dbvh_contact_point *points;
	uint32_t *links;
	size_t *link_ends; // end of the links of each point
	dbvh_path_entry *path;
	size_t path_count;
} chaining;

static dbvhi_step *step_of( chaining *t, uint32_t contact, dbvhi_cell p, dbvhi_cell q, uint32_t from, uint32_t to ) {
	DBVHI_ASSERT( from != to );
	const dbvh_pair pair = t->c->view.contacts[contact].pair;
	const dbvhi_part a = dbvhi_part_of( t->c->topology_a, pair.a, between( p.fixed, q.fixed ) );
	const dbvhi_part b = dbvhi_part_of( t->c->topology_b, pair.b, between( p.moved, q.moved ) );
	if ( from > to ) {
		const uint32_t x = from;
		from = to;
		to = x;
	}
	uint64_t hash = dbvhi_hash_word( dbvhi_hash_word( DBVHI_HASH_SEED, a ), b );
	hash = dbvhi_hash_word( hash, (uint64_t)from << 32 | to );
	size_t slot = (size_t)hash & t->mask;
	while ( t->table[slot] != 0 ) {
		dbvhi_step *known = &t->steps[t->table[slot] - 1];
		if ( known->a == a && known->b == b && known->from == from && known->to == to )
			return known;
		slot = ( slot + 1 ) & t->mask;
	}
	dbvhi_step *fresh = &t->steps[t->step_count++];
	t->table[slot] = (uint32_t)t->step_count;
	*fresh = ( dbvhi_step ){ .a = a, .b = b, .from = from, .to = to, .contact = contact };
	return fresh;
}

static void collect_steps( chaining *t, const dbvhi_shared_points *cuts ) {
	const dbvh_contacts_view *v = &t->c->view;
	for ( uint32_t i = 0; i < v->contact_count; ++i ) {
		const uint32_t *corner = v->corners + v->contacts[i].first_corner;
		const dbvhi_cell *cell = cuts[i].cell;
		const uint32_t n = v->contacts[i].corner_count;
		if ( n == 2 ) {
			dbvhi_step *step = step_of( t, i, cell[0], cell[1], corner[0], corner[1] );
			const bool ascending = corner[0] < corner[1];
			if ( cuts[i].direction != 0 ) {
				const bool along = ( cuts[i].direction > 0 ) == ascending;
				step->along = step->along || along;
				step->against = step->against || !along;
			}
			continue;
		}
		for ( uint32_t k = 0; n > 2 && k < n; ++k ) {
			const uint32_t l = k + 1 == n ? 0 : k + 1;
			step_of( t, i, cell[k], cell[l], corner[k], corner[l] )->polygons += 1;
		}
	}
}

// Drop segments inside regions, which have polygons on both sides.
static void drop_inner_steps( chaining *t ) {
	size_t kept = 0;
	for ( size_t i = 0; i < t->step_count; ++i ) {
		const uint32_t polygons = t->steps[i].polygons;
		if ( polygons == 0 || polygons % 2 == 1 )
			t->steps[kept++] = t->steps[i];
	}
	t->step_count = kept;
}

static void link_steps( chaining *t ) {
	const size_t point_count = t->c->view.point_count;
	for ( size_t i = 0; i < t->step_count; ++i ) {
		t->points[t->steps[i].from].steps += 1;
		t->points[t->steps[i].to].steps += 1;
	}
	size_t end = 0;
	for ( size_t i = 0; i < point_count; ++i ) {
		t->link_ends[i] = end; // the beginning, until the links are filled in
		end += t->points[i].steps;
	}
	for ( uint32_t i = 0; i < t->step_count; ++i ) {
		t->links[t->link_ends[t->steps[i].from]++] = i;
		t->links[t->link_ends[t->steps[i].to]++] = i;
	}
}

// ------------------------------------------------------------------------------------------------
// Polylines

static uint32_t other_end( const dbvhi_step *step, uint32_t point ) {
	return step->from == point ? step->to : step->from;
}

// The other step at a point at which two steps join.
static uint32_t other_step( const chaining *t, uint32_t point, uint32_t step ) {
	const uint32_t *two = t->links + t->link_ends[point] - 2;
	return two[0] == step ? two[1] : two[0];
}

typedef struct start {
	uint32_t point, step;
	bool closed;
} start;

// Find the start of a polyline: one of its ends, or the lowest point if it is closed.
static start find_start( const chaining *t, uint32_t seed ) {
	start s = { .point = t->steps[seed].from, .step = seed };
	uint32_t lowest = s.point, lowest_step = seed;
	while ( t->points[s.point].steps == 2 ) {
		const uint32_t step = other_step( t, s.point, s.step );
		if ( step == seed ) {
			// The polyline is closed. It starts with the step from the lowest point to its lower neighbour.
			const uint32_t second = other_step( t, lowest, lowest_step );
			const uint32_t one = other_end( &t->steps[lowest_step], lowest );
			const uint32_t two = other_end( &t->steps[second], lowest );
			const bool swap = two < one || ( two == one && second < lowest_step );
			return ( start ){ lowest, swap ? second : lowest_step, true };
		}
		s.point = other_end( &t->steps[step], s.point );
		s.step = step;
		if ( s.point < lowest ) {
			lowest = s.point;
			lowest_step = step;
		}
	}
	return s;
}

static void reverse( dbvh_path_entry *path, size_t count, bool closed ) {
	// note: a closed polyline keeps its first point, and the last step becomes the first.
	const size_t first = closed ? 1 : 0;
	for ( size_t i = first, j = count - 1; i < j; ++i, --j ) {
		const uint32_t point = path[i].point;
		path[i].point = path[j].point;
		path[j].point = point;
	}
	const size_t steps = closed ? count : count - 1;
	for ( size_t i = 0, j = steps - 1; i < j; ++i, --j ) {
		const uint32_t contact = path[i].contact;
		path[i].contact = path[j].contact;
		path[j].contact = contact;
	}
}

static dbvh_polyline trace( chaining *t, uint32_t seed ) {
	const start s = find_start( t, seed );
	dbvh_polyline line = { .first = t->path_count, .closed = s.closed };
	line.kind = t->steps[seed].polygons > 0 ? DBVH_POLYLINE_KIND_BOUNDARY : DBVH_POLYLINE_KIND_CURVE;
	bool all_along = true, all_against = true;
	dbvh_path_entry *const path = t->path + t->path_count;
	size_t count = 0;
	uint32_t point = s.point, step = s.step;
	for ( ;; ) {
		dbvhi_step *now = &t->steps[step];
		now->done = true;
		const bool ascending = now->from == point;
		const bool clear = now->polygons == 0 && now->along != now->against;
		all_along = all_along && clear && now->along == ascending;
		all_against = all_against && clear && now->along != ascending;
		path[count++] = ( dbvh_path_entry ){ point, now->contact };
		const uint32_t before = point;
		point = other_end( now, point );
		line.length += dbvhi_distance( t->points[before].position, t->points[point].position );
		if ( line.closed ? point == s.point : t->points[point].steps != 2 )
			break;
		step = other_step( t, point, step );
	}
	if ( !line.closed )
		path[count++] = ( dbvh_path_entry ){ point, UINT32_MAX };
	line.directed = all_along || all_against;
	const bool descending =
	    !line.closed && ( path[0].point > path[count - 1].point ||
	                      ( path[0].point == path[count - 1].point && path[1].point > path[count - 2].point ) );
	if ( line.directed ? all_against : descending )
		reverse( path, count, line.closed );
	line.point_count = count;
	t->path_count += count;
	return line;
}

bool dbvhi_contacts_chain( dbvh_contacts *c ) {
	dbvh_contacts_view *v = &c->view;
	size_t slots = 16;
	while ( slots < 2 * v->corner_count )
		slots *= 2;
	// A contact has no more steps than corners, and an open polyline one point more than steps.
	chaining t = {
	    .c = c,
	    .steps = dbvhi_contacts_room( c, DBVHI_STORE_STEPS, v->corner_count, sizeof *t.steps ),
	    .table = dbvhi_contacts_room( c, DBVHI_STORE_TABLE, slots, sizeof *t.table ),
	    .mask = slots - 1,
	    .points = c->stores[DBVHI_STORE_POINTS].memory,
	    .link_ends = dbvhi_contacts_room( c, DBVHI_STORE_LINK_ENDS, v->point_count, sizeof *t.link_ends ),
	};
	if ( t.steps == NULL || t.table == NULL || t.link_ends == NULL )
		return false;
	memset( t.table, 0, slots * sizeof *t.table );
	collect_steps( &t, c->stores[DBVHI_STORE_CUTS].memory );
	drop_inner_steps( &t );
	t.links = dbvhi_contacts_room( c, DBVHI_STORE_LINKS, 2 * t.step_count, sizeof *t.links );
	t.path = dbvhi_contacts_room( c, DBVHI_STORE_PATH, 2 * t.step_count, sizeof *t.path );
	dbvh_polyline *traced = dbvhi_contacts_room( c, DBVHI_STORE_TRACED, t.step_count, sizeof *traced );
	if ( t.links == NULL || t.path == NULL || traced == NULL )
		return false;
	link_steps( &t );
	size_t count = 0;
	for ( uint32_t i = 0; i < t.step_count; ++i ) {
		if ( !t.steps[i].done )
			traced[count++] = trace( &t, i );
	}
	c->step_count = t.step_count;
	v->path = t.path;
	v->path_count = t.path_count;
	v->polyline_count = count;
	return true;
}
