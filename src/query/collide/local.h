// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A contact is likely near the last one. A search may begin at a few nodes about that place before it goes down from
// the roots; the answer is that of the whole search in any case.

#pragma once

#include "query/common/hit_collector.h"
#include "query/common/packed_search.h"

#define DBVHI_WAY_LENGTH 16

// Path in a packed tree from the root to the node that has the leaf of a triangle, or as far as there is room: node
// numbers and the radii of their spheres.
typedef struct dbvhi_way_down {
	uint32_t count;
	int32_t node[DBVHI_WAY_LENGTH];
	float radius[DBVHI_WAY_LENGTH];
} dbvhi_way_down;

// Find the path to a triangle, given by its position in leaf order. Takes some tenths of a microsecond.
void dbvhi_way_down_find( const dbvh_tree *tree, uint32_t triangle, dbvhi_way_down *out );

// Start of a search for one contact.
typedef struct dbvhi_start {
	const dbvhi_way_down *fixed, *moved; // to triangles that have met; paths of other trees are harmless
	double step;                         // about how far the meshes have moved since they met
} dbvhi_start;

// Search about the start. `run` has its memory and is otherwise empty, before and after. Returns true if a contact was
// found; it is recorded.
bool dbvhi_search_near( dbvhi_hit_collector *search, dbvhi_packed_run *run, const dbvhi_start *start );
