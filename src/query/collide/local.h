// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A contact is likely near the last one. Before the trees are searched from their roots, a few of their nodes about
// that place are; whatever comes of it, the answer is that of the whole search.

#pragma once

#include "query/common/hit_collector.h"
#include "query/common/packed_search.h"

#define DBVHI_WAY_LENGTH 16

// Nodes of a packed tree from its root on, each a child of the one before, to the one that has the leaf of a triangle,
// or as far as there is room; with the radii of their spheres.
typedef struct dbvhi_way_down {
	uint32_t count;
	int32_t node[DBVHI_WAY_LENGTH];
	float radius[DBVHI_WAY_LENGTH];
} dbvhi_way_down;

// `triangle` in leaf order. Some tenths of a microsecond.
void dbvhi_way_down_find( const dbvh_tree *tree, uint32_t triangle, dbvhi_way_down *out );

// Where a search for one contact begins.
typedef struct dbvhi_start {
	const dbvhi_way_down *fixed, *moved; // to triangles that have met, of whatever tree: only numbers are asked of them
	double step;                         // about how far the meshes have moved since
} dbvhi_start;

// Looks there, with a run that has no more than its memory, and again so after it. Returns true if a contact has been
// found, which is noted as such.
bool dbvhi_search_near( dbvhi_hit_collector *search, dbvhi_packed_run *run, const dbvhi_start *start );
