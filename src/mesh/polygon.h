// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Polygons into triangles, without new points: a fan around the first corner where that is right, else pieces that a
// sweep cuts off (polygon.c). Decided by exact signs of the corners' projection along an axis.

#pragma once

#include "dualbvh/base.h"

typedef enum dbvhi_polygon_kind {
	DBVHI_POLYGON_FAN,       // the fan is right: the polygon is convex, seen from its first corner, or has no area
	DBVHI_POLYGON_CUT,       // the triangles were written
	DBVHI_POLYGON_REPEATED,  // two corners that are no neighbours are at one point: a bridge to a hole, for one
	DBVHI_POLYGON_CROSSING,  // its edges cross or touch
	DBVHI_POLYGON_NO_MEMORY, //
} dbvhi_polygon_kind;

typedef struct dbvhi_polygon {
	dbvhi_polygon_kind kind;
	bool concave, nonplanar;
	uint32_t corner[2]; // corners, from 0, at which the polygon repeats, crosses or touches itself
} dbvhi_polygon;

// Memory for one polygon at a time, kept from one to the next. Zero-initialise.
typedef struct dbvhi_polygon_room {
	struct dbvhi_polygon_spot *spots;
	uint32_t *order;
	struct dbvhi_polygon_edge *edges;
	struct dbvhi_polygon_link *links;
	size_t spot_capacity, order_capacity, edge_capacity, link_capacity;
} dbvhi_polygon_room;

void dbvhi_polygon_room_free( dbvhi_polygon_room *room, const dbvh_allocator *allocator );

// `triangles` holds the fan of `count` corners, 3 (count - 2) vertex numbers, and is overwritten by as many triangles
// of the same orientation where that is wrong. A corner at the place of the one before it adds a triangle without area.
// O(count log count) time, O(count) memory where the polygon is not convex.
dbvhi_polygon dbvhi_polygon_cut( const double *positions, uint32_t *triangles, size_t count, dbvhi_polygon_room *room,
                                 const dbvh_allocator *allocator );
