// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The volumes of all nodes of a packed form, for points that have moved.

#pragma once

#include "bvh/packed/pack.h"
#include "bvh/tree.h"

typedef struct dbvhi_refit_nodes {
	dbvh_tree *tree;             // whose vertices have moved already
	double *x[3];                // the same, relative to the new centre
	const uint32_t *first_point; // of each place, and one more: how many points those before it use
	const uint32_t *lowest;      // of each group of places, the lowest point
	dbvhi_packer packer;         // with the new centre and the vertices
	uint32_t thread_count;
	double extent; // what comes of it: no centre and no corner is farther from the tree's centre
	struct dbvhi_refit_memory *memory;
} dbvhi_refit_nodes;

// Places are looked through in groups, most of which have no point of others.
#define DBVHI_REFIT_GROUP 8

// What that takes, before anything has been changed. False if there is none; to be freed in any case.
bool dbvhi_refit_nodes_take( dbvhi_refit_nodes *r );
void dbvhi_refit_nodes_free( dbvhi_refit_nodes *r );

// Which triangles are whose. False where links are not in order, children after their parents.
bool dbvhi_refit_nodes_find( dbvhi_refit_nodes *r );

void dbvhi_refit_nodes_run( dbvhi_refit_nodes *r );
