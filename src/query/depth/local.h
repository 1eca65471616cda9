// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The search for the local depth of one solid X in another, Y: the greatest distance d of a common point from the
// boundary of Y, in all of the common space or in one component of it.
//
// d attains its greatest value on the surface of X, or at a local maximum inside both. So there are four kinds of
// items: nodes of X's tree or, of a component, groups of its faces; pieces of triangles of X; and cells of the common
// space, in which only local maxima count. An item is within the convex hull of at most eight corners. The search looks
// at items in the order of an upper bound of d, the greatest first, divides them in two, and drops those that are
// outside of X or Y, or whose bound is no more than what is known.

#pragma once

#include "query/depth/boundary.h"
#include "query/depth/depth.h"
#include "query/depth/game.h"
#include "query/depth/region.h"

#define DBVHI_ITEM_TRIANGLES ( DBVHI_GAME_ROWS - 6 ) // triangles that bound an item

typedef enum dbvhi_item_kind { DBVHI_ITEM_NODE, DBVHI_ITEM_GROUP, DBVHI_ITEM_PIECE, DBVHI_ITEM_CELL } dbvhi_item_kind;

typedef struct dbvhi_item {
	double corner[8][3];
	double bound;                        // upper bound of d
	uint32_t near[DBVHI_ITEM_TRIANGLES]; // triangles of Y, in leaf order, the most useful first
	uint32_t nearest;                    // the one nearest to the middle, if it is boundary; else UINT32_MAX
	uint8_t near_count, corner_count, kind;
	uint32_t number;      // the node; of a piece, its triangle in leaf order
	uint32_t first, size; // the faces of a group
	dbvhi_frame frame;    // frame of the node in that of the pair
} dbvhi_item;

typedef struct dbvhi_item_search {
	const dbvhi_solid *x, *y;
	dbvhi_boundary boundary; // boundary of Y
	const dbvhi_solid_pair *pair;
	const dbvh_allocator *allocator;
	dbvhi_region *region; // the component; NULL: all of the common space
	dbvhi_frame box;      // frame of a box that holds Y, in that of the pair
	double half[3];       // half extents of that box
	dbvhi_item *heap;     // the greatest bound first
	size_t count, capacity;
	double width;   // wanted, relative
	double margin;  // and absolute
	double enough;  // items of no greater bound are not looked at
	double dropped; // the greatest bound of those
	bool full, no_memory;
	double best; // the greatest distance known
	double deepest[3];
	uint32_t nearest; // the triangle nearest to it
} dbvhi_item_search;

// A bound above which an item is worth a look.
static inline double dbvhi_search_goal( const dbvhi_item_search *s ) {
	const double known = s->best * ( 1.0 + s->width ) + s->margin;
	return s->enough > known ? s->enough : known;
}

// local.c: one side of a query: items of a bound up to `enough` are left out, and the search ends where a depth above
// `stop` is known.
typedef struct dbvhi_side_query {
	double width, enough, stop;
} dbvhi_side_query;

// Both sides of a component of the overlap or, where `regions` is NULL, of all of the common space.
typedef struct dbvhi_sides {
	dbvh_local_depth_side side[2]; // the sides of A in B and of B in A
	dbvh_interval least;
	dbvh_fit_verdict verdict;
	bool reached;
} dbvhi_sides;

dbvh_status dbvhi_local_sides( const dbvhi_solid_pair *pair, const dbvh_local_depth_query *query,
                               const dbvhi_regions *regions, size_t component, dbvhi_sides *out );
// Find for each side whether it is within the limit: the verdict alone needs but one side that is.
dbvh_status dbvhi_judge_sides( const dbvhi_solid_pair *pair, double allowed, const dbvhi_regions *regions,
                               size_t component, dbvhi_sides *out );
// Learn what another search found of the same side.
void dbvhi_tighten_side( dbvh_local_depth_side *side, const dbvh_local_depth_side *other );
dbvh_interval dbvhi_least_side( const dbvh_local_depth_side *one, const dbvh_local_depth_side *two );
dbvh_fit_verdict dbvhi_judge_depth( const dbvh_interval *least, double allowed );

// rows.c: upper bounds of the distances of the corners of an item, the last one repeated, from a triangle, in the frame
// of the pair; DBVHI_NO_BOUND where numbers are out of range.
typedef struct dbvhi_columns {
	double at[3][DBVHI_GAME_COLUMNS];
} dbvhi_columns;

#define DBVHI_NO_BOUND 0x1p1000 // note: not infinite, since shares of it are added up

void dbvhi_row_of_triangle( const dbvhi_item_search *s, const dbvhi_columns *columns, const double image[9],
                            double row_out[DBVHI_GAME_COLUMNS] );

// bound.c: a game whose rows are distances of the corners of an item from planes of Y's box and from triangles.

// Bound an item by the triangles that bounded the item that it is a part of. Rows are added until one alone says that
// the item is not worth a look.
void dbvhi_item_bound_again( dbvhi_item_search *s, dbvhi_item *it, dbvhi_game *table );
// Bound it by the triangle nearest to its middle and, while that is not enough, by those nearest to corners. `near` is
// that of the middle.
void dbvhi_item_bound( dbvhi_item_search *s, dbvhi_item *it, double radius, const dbvhi_near *near, dbvhi_game *table );
// The point of the item where the rows say that d may be greatest. False if they do not.
bool dbvhi_bound_deepest( const dbvhi_game *table, const dbvhi_item *it, double out[3] );
// An upper bound of d at a corner.
double dbvhi_bound_at_corner( const dbvhi_game *table, int corner );
// The coordinate of a point along an axis of Y's box, from its middle.
double dbvhi_along_box( const dbvhi_item_search *s, int axis, const double x[3] );

// local.c: learn of a point inside both, off all triangles. False if it is not, or no deeper than the best one.
bool dbvhi_search_learn( dbvhi_item_search *s, const double p[3] );
// The same where what is nearest to the point is known.
bool dbvhi_search_learn_near( dbvhi_item_search *s, const double p[3], const dbvhi_near *near );
// Look at an item that is new: drop it, or bound it and push it.
void dbvhi_search_look( dbvhi_item_search *s, dbvhi_item *it );

// piece.c
void dbvhi_pieces_of_triangle( dbvhi_item_search *s, const dbvhi_item *node, uint32_t leaf );
void dbvhi_piece_divide( dbvhi_item_search *s, const dbvhi_item *it );
// True if the triangles of Y certainly do not meet a piece or its hull.
bool dbvhi_piece_is_apart( const dbvhi_item_search *s, const dbvhi_item *it, const double middle[3], double radius );
void dbvhi_piece_learn( dbvhi_item_search *s, const dbvhi_item *it, const double middle[3], double radius,
                        const dbvhi_near *near, const dbvhi_game *table );

// cell.c
void dbvhi_cell_divide( dbvhi_item_search *s, const dbvhi_item *it );
// Make a cell smaller by the parts of it that are no deeper than what is known. False if that is little.
bool dbvhi_cell_shrink( dbvhi_item_search *s, dbvhi_item *it, const dbvhi_game *table );
// True if a cell is certainly outside of X, or of the component.
bool dbvhi_cell_is_outside( const dbvhi_item_search *s, const double middle[3], double radius, const dbvhi_near *near );
// True if d certainly has no local maximum in a cell. `near` is what is nearest to the middle.
bool dbvhi_cell_has_no_maximum( dbvhi_item_search *s, const dbvhi_item *it, const double middle[3], double radius,
                                const dbvhi_near *near );
// Learn of the point of a cell that may be deepest, and of its middle, and climb from there to a local maximum.
void dbvhi_cell_learn( dbvhi_item_search *s, const dbvhi_item *it, const double middle[3], double radius,
                       const dbvhi_near *near, const dbvhi_game *table );

// The middle of an item and its radius about it, rounded up.
double dbvhi_item_middle( const dbvhi_item *it, double middle[3] );
