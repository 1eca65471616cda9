// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The volume of the overlap of meshes that cross themselves, among the files that find it. See crossed.c.

#pragma once

#include "query/overlap/line_tree.h"
#include "query/overlap/soup.h"

// Winding numbers and parities about a point, by body.
typedef struct dbvhi_levels {
	int32_t winding[2], parity[2];
} dbvhi_levels;

// The segment that two triangles share, from the end where it enters to that where it leaves, along n_0 x n_1.
typedef struct dbvhi_crossed_segment {
	uint32_t triangle[2];
	dbvhi_crossing_point end[2];
	double position[2][3], error[2];
	int owner;          // the triangle on whose rim it begins, by its place in `triangle`
	dbvhi_levels begin; // levels above both where it begins, relative to those of the owner
} dbvhi_crossed_segment;

// A place on the rim of a triangle where another triangle meets it: on side k, or at a corner.
typedef struct dbvhi_rim_event {
	uint32_t triangle, other;
	uint32_t place;             // 2 k + 1 on side k, 2 k at corner k; 6 at corner 0, where the way round ends
	uint32_t end;               // 2 i + j: it is end j of segment i
	dbvhi_levels before, after; // relative to the beginning of side 0
} dbvhi_rim_event;

typedef struct dbvhi_crossed {
	dbvh_overlap *o;
	dbvhi_soup soup;
	dbvh_tree *tree; // of the soup
	dbvhi_crossed_segment *segments;
	size_t segment_count, segment_capacity;
	dbvhi_rim_event *events; // by triangle, in their order round it
	size_t event_count, event_capacity;
	uint32_t *event_begin;  // by triangle, and the end
	uint64_t *around;       // triangle << 32 | segment, ascending
	uint32_t *around_begin; // by triangle, and the end
	size_t around_count, around_capacity;
	dbvhi_levels *start; // by triangle: above it, at the beginning of side 0
	uint8_t *known;      // by triangle: `start` is
	uint32_t *across;    // by side, 3 a triangle: the only other side there; DBVHI_NONE if there are more
	uint32_t *queue;
	double *apex; // 4 a triangle: a point of its plane, and its error; below 0: none yet
	dbvhi_moments moments;
	double reach, area;    // half the diagonal of the common box, and a bound of the areas in it, in units
	dbvhi_line_tree lines; // the segments of one triangle
} dbvhi_crossed;

static inline dbvhi_levels dbvhi_levels_below( dbvhi_levels x, const dbvhi_soup_triangle *t, int times ) {
	x.winding[t->body] += times * t->winding;
	x.parity[t->body] += times * t->parity;
	return x;
}

// The levels after passing from one side of a triangle to the other.
static inline dbvhi_levels dbvhi_levels_passed( const dbvhi_crossed *c, dbvhi_levels x, uint32_t triangle, int from,
                                                int to ) {
	return from == to ? x : dbvhi_levels_below( x, &c->soup.triangle[triangle], from > 0 ? 1 : -1 );
}

static inline dbvhi_levels dbvhi_levels_sum( dbvhi_levels x, dbvhi_levels y ) {
	for ( int m = 0; m < 2; ++m ) {
		x.winding[m] += y.winding[m];
		x.parity[m] += y.parity[m];
	}
	return x;
}

static inline int dbvhi_levels_hold( dbvhi_levels x ) {
	bool inside = true;
	for ( int m = 0; m < 2; ++m )
		inside = inside && ( x.winding[m] != 0 || x.parity[m] % 2 != 0 );
	return inside;
}

static inline const uint32_t *dbvhi_crossed_corners( const dbvhi_crossed *c, uint32_t triangle ) {
	return c->soup.triangle[triangle].corner;
}

// The corner of a triangle that has this number, or 3.
static inline uint32_t dbvhi_crossed_place( const dbvhi_crossed *c, uint32_t triangle, uint32_t corner ) {
	uint32_t k = 0;
	while ( k < 3 && dbvhi_crossed_corners( c, triangle )[k] != corner )
		k += 1;
	return k;
}

// Charge work on triangles or segments now and then, some steps each.
static inline dbvhi_overlap_outcome dbvhi_crossed_charge( dbvhi_crossed *c, uint64_t steps ) {
	c->soup.work += steps;
	return c->soup.work < 256 || dbvhi_soup_charge( &c->soup ) ? DBVHI_OVERLAP_OK : DBVHI_OVERLAP_STOPPED;
}

// The end of the segment of an event that is on the rim.
static inline const dbvhi_crossing_point *dbvhi_near_end( const dbvhi_crossed *c, const dbvhi_rim_event *e ) {
	return &c->segments[e->end / 2].end[e->end % 2];
}

// The levels above both triangles of a segment where it begins.
static inline dbvhi_levels dbvhi_levels_of( const dbvhi_crossed *c, const dbvhi_crossed_segment *s ) {
	return dbvhi_levels_sum( c->start[s->triangle[s->owner]], s->begin );
}

// crossed_pieces.c: add what the pieces of all sides and segments are to the moments.
dbvhi_overlap_outcome dbvhi_crossed_add_pieces( dbvhi_crossed *c );
