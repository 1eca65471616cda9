// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fits the volumes of all nodes of a packed form to moved points.

#pragma once

#include "bvh/packed/pack.h"
#include "bvh/tree.h"

typedef struct dbvhi_refit_nodes {
	dbvh_tree *tree;             // its vertices have moved already
	double *x[3];                // the same points relative to the new centre
	const uint32_t *first_point; // by leaf index, and one more: number of points that smaller leaf indices use
	const uint32_t *lowest;      // by group of leaf indices: lowest point used
	dbvhi_packer packer;         // has the new centre and the vertices
	uint32_t thread_count;
	double extent; // result: no centre of a sphere and no corner is farther from the tree's centre
	struct dbvhi_refit_memory *memory;
} dbvhi_refit_nodes;

// DBVHI_REFIT_GROUP leaf indices form a group; most groups use no point of earlier ones and are skipped.
#define DBVHI_REFIT_GROUP 8

// Allocates memory, before anything is changed. False if there is none; dbvhi_refit_nodes_free() is to be called in any
// case.
bool dbvhi_refit_nodes_take( dbvhi_refit_nodes *r );
void dbvhi_refit_nodes_free( dbvhi_refit_nodes *r );

// Finds the triangles of each node. False if a child comes before its parent.
bool dbvhi_refit_nodes_find( dbvhi_refit_nodes *r );

void dbvhi_refit_nodes_run( dbvhi_refit_nodes *r );
