// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The pieces of sides and segments of meshes that cross themselves, and what each of them adds to the volume (see
// crossed.c).

#include "query/overlap/crossed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define U 0x1p-53

typedef struct place {
	double x[3], error;
} place;

static void add_double_to( dbvhi_sum *sum, double x, double error ) {
	sum->value = dbvhi_dd_add( sum->value, ( dbvhi_dd ){ x, 0.0 } );
	sum->error += error + 0x1p-100 * fabs( sum->value.hi );
}

// Add `factor` times the piece from p to q of a triangle. Where it is `unclear` the factor is known to within 4, and
// the places are so close that their errors count for it.
static void add_piece( dbvhi_crossed *c, uint32_t triangle, const place *p, const place *q, int factor, bool unclear ) {
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

static place corner_place( const dbvhi_crossed *c, uint32_t corner ) {
	place p = { .error = 0.0 };
	memcpy( p.x, c->soup.corner + 3 * (size_t)corner, sizeof p.x );
	return p;
}

static int factor_of( const dbvhi_crossed *c, uint32_t triangle, dbvhi_levels above ) {
	return dbvhi_levels_hold( dbvhi_levels_below( above, &c->soup.triangle[triangle], 1 ) ) -
	       dbvhi_levels_hold( above );
}

static void add_sides( dbvhi_crossed *c, uint32_t triangle ) {
	uint32_t i = c->event_begin[triangle];
	const uint32_t end = c->event_begin[triangle + 1];
	dbvhi_levels now = { 0 };
	for ( uint32_t k = 0; k < 3; ++k ) {
		place p = corner_place( c, dbvhi_crossed_corners( c, triangle )[k] );
		for ( ;; ++i ) {
			const bool more = i < end && c->events[i].place == 2 * k + 1;
			place q = corner_place( c, dbvhi_crossed_corners( c, triangle )[( k + 1 ) % 3] );
			if ( more )
				q.error = dbvhi_soup_position( &c->soup, dbvhi_near_end( c, &c->events[i] ), q.x );
			add_piece( c, triangle, &p, &q, factor_of( c, triangle, dbvhi_levels_sum( c->start[triangle], now ) ),
			           false );
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
static void add_both( dbvhi_crossed *c, const dbvhi_crossed_segment *s, const place *p, const place *q,
                      dbvhi_levels above, bool unclear ) {
	const dbvhi_soup_triangle *t = &c->soup.triangle[s->triangle[0]], *u = &c->soup.triangle[s->triangle[1]];
	const dbvhi_levels below = dbvhi_levels_below( above, u, 1 );
	const int aa = dbvhi_levels_hold( above ), ab = dbvhi_levels_hold( below ),
	          ba = dbvhi_levels_hold( dbvhi_levels_below( above, t, 1 ) ),
	          bb = dbvhi_levels_hold( dbvhi_levels_below( below, t, 1 ) );
	// note: the left of the segment is below the second triangle, and above the first.
	add_piece( c, s->triangle[0], p, q, ( bb - ab ) - ( ba - aa ), unclear );
	add_piece( c, s->triangle[1], p, q, ( ab - aa ) - ( bb - ba ), unclear );
}

// ------------------------------------------------------------------------------------------------
// Points where three triangles cross

// A triangle that crosses a segment.
typedef struct third {
	dbvhi_rough at; // 0 where the segment begins, 1 where it ends
	uint32_t triangle;
	int from; // the side of it where the segment begins
} third;

static const dbvhi_crossed_segment *segment_of_pair( const dbvhi_crossed *c, uint32_t a, uint32_t b ) {
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
	const dbvhi_crossed_segment *s = &c->segments[low];
	return low < c->segment_count && s->triangle[0] == first && s->triangle[1] == second ? s : NULL;
}

// Do three triangles that cross each other in pairs cross in one point?
static bool find_third( dbvhi_crossed *c, const dbvhi_crossed_segment *s, const dbvhi_crossed_segment *t,
                        uint32_t other, third *out ) {
	dbvhi_soup *soup = &c->soup;
	if ( segment_of_pair( c, s->triangle[1], other ) == NULL )
		return false;
	for ( int i = 0; i < 2; ++i ) {
		// note: segments that begin at a common corner do not cross anywhere else.
		if ( s->end[i].from == s->end[i].to && dbvhi_crossed_place( c, other, s->end[i].from ) < 3 )
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

// The triangles that cross a segment, and room to find and to sort them.
typedef struct third_list {
	third *thirds, *room;
	size_t count, capacity, room_capacity;
	uint32_t *found; // segments that may cross it, by their index in `around`
	size_t found_capacity;
	uint32_t triangle; // the tree of lines is that of this triangle
} third_list;

static void third_list_free( third_list *l, const dbvh_allocator *a ) {
	dbvhi_free( a, l->thirds, l->capacity, sizeof *l->thirds );
	dbvhi_free( a, l->room, l->room_capacity, sizeof *l->room );
	dbvhi_free( a, l->found, l->found_capacity, sizeof *l->found );
}

// Triangles with so few segments have no tree over them.
#define FEW_LINES 12

// Make room for the segments of a triangle, and a tree over them if there are many. False without memory.
static bool take_lines( dbvhi_crossed *c, third_list *l, uint32_t triangle ) {
	const dbvh_overlap *o = c->o;
	const uint32_t first = c->around_begin[triangle], count = c->around_begin[triangle + 1] - first;
	if ( !DBVHI_ROOM( o, l->thirds, l->capacity, (size_t)count ) ||
	     !DBVHI_ROOM( o, l->room, l->room_capacity, (size_t)count ) ||
	     !DBVHI_ROOM( o, l->found, l->found_capacity, (size_t)count ) )
		return false;
	l->triangle = triangle;
	if ( count <= FEW_LINES )
		return true;
	if ( !dbvhi_line_tree_require( &c->lines, &o->allocator, count ) )
		return false;
	for ( uint32_t i = 0; i < count; ++i ) {
		const dbvhi_crossed_segment *s = &c->segments[(uint32_t)c->around[first + i]];
		dbvhi_tree_line *line = &c->lines.lines[i];
		memcpy( line->end, s->position, sizeof line->end );
		line->error = fmax( s->error[0], s->error[1] );
		line->number = first + i;
	}
	double corner[3][3];
	for ( int k = 0; k < 3; ++k )
		memcpy( corner[k], c->soup.corner + 3 * (size_t)dbvhi_crossed_corners( c, triangle )[k], sizeof corner[k] );
	c->lines.count = count;
	dbvhi_line_tree_build( &c->lines, corner );
	return true;
}

// The index of a segment in `around` of its first triangle.
static uint32_t index_around( const dbvhi_crossed *c, const dbvhi_crossed_segment *s ) {
	const uint64_t key = (uint64_t)s->triangle[0] << 32 | (uint64_t)( s - c->segments );
	uint32_t low = c->around_begin[s->triangle[0]], high = c->around_begin[s->triangle[0] + 1];
	while ( low + 1 < high ) {
		const uint32_t middle = low + ( high - low ) / 2;
		if ( c->around[middle] <= key )
			low = middle;
		else
			high = middle;
	}
	DBVHI_ASSERT( c->around[low] == key );
	return low;
}

// List the segments that may cross one within its first triangle. Returns their number.
static size_t list_lines( dbvhi_crossed *c, third_list *l, const dbvhi_crossed_segment *s ) {
	const uint32_t first = c->around_begin[s->triangle[0]], end = c->around_begin[s->triangle[0] + 1];
	if ( end - first <= FEW_LINES ) {
		for ( uint32_t i = first; i < end; ++i )
			l->found[i - first] = i;
		return end - first;
	}
	return dbvhi_line_tree_find( &c->lines, index_around( c, s ) - first, l->found );
}

// Is one crossing behind another, as far as is known? Where that is not, numbers of triangles tell.
static bool is_third_behind( const dbvhi_crossed *c, const third *p, const third *q ) {
	(void)c;
	return p->at.value > q->at.value || ( p->at.value == q->at.value && p->triangle > q->triangle );
}

#define MERGE_ITEM third
#define MERGE_CONTEXT const dbvhi_crossed
#define MERGE_IS_BEHIND is_third_behind
#define MERGE_NAME thirds
#include "base/merge_sort.inl"

static bool list_thirds( dbvhi_crossed *c, const dbvhi_crossed_segment *s, third_list *l ) {
	const uint32_t t = s->triangle[0];
	if ( l->triangle != t && !take_lines( c, l, t ) )
		return false;
	const size_t count = list_lines( c, l, s );
	l->count = 0;
	for ( size_t i = 0; i < count; ++i ) {
		const dbvhi_crossed_segment *next = &c->segments[(uint32_t)c->around[l->found[i]]];
		const uint32_t other = next->triangle[0] == t ? next->triangle[1] : next->triangle[0];
		if ( next != s && find_third( c, s, next, other, &l->thirds[l->count] ) )
			l->count += 1;
	}
	merge_sort_thirds( c, l->thirds, l->room, l->count );
	c->soup.work += count / 4 + c->lines.tests / 4;
	c->lines.tests %= 4;
	return true;
}

// ------------------------------------------------------------------------------------------------
// Pieces of segments

static place place_along( const dbvhi_crossed_segment *s, dbvhi_rough at ) {
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

static void add_segment_pieces( dbvhi_crossed *c, const dbvhi_crossed_segment *s, third *thirds, size_t count ) {
	dbvhi_levels now = dbvhi_levels_of( c, s );
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
			now = dbvhi_levels_passed( c, now, thirds[i].triangle, thirds[i].from, -thirds[i].from );
		p = q;
	}
}

dbvhi_overlap_outcome dbvhi_crossed_add_pieces( dbvhi_crossed *c ) {
	dbvhi_overlap_outcome outcome = DBVHI_OVERLAP_OK;
	for ( uint32_t i = 0; i < c->soup.triangle_count && outcome == DBVHI_OVERLAP_OK; ++i ) {
		add_sides( c, i );
		outcome = dbvhi_crossed_charge( c, 4 );
	}
	third_list l = { .triangle = DBVHI_NONE };
	for ( size_t i = 0; i < c->segment_count && outcome == DBVHI_OVERLAP_OK; ++i ) {
		const dbvhi_crossed_segment *s = &c->segments[i];
		if ( list_thirds( c, s, &l ) ) {
			add_segment_pieces( c, s, l.thirds, l.count );
			outcome = dbvhi_crossed_charge( c, 8 + 4 * l.count );
		} else {
			outcome = DBVHI_OVERLAP_NO_MEMORY;
		}
	}
	third_list_free( &l, &c->o->allocator );
	return outcome == DBVHI_OVERLAP_OK && !c->soup.generic ? DBVHI_OVERLAP_UNDECIDED : outcome;
}
