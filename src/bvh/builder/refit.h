// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Kernels of refitting: extents of many points, and volumes of many nodes side by side. Compiled for every instruction
// set; the results are the same in all of them.

#pragma once

#include "bvh/packed/pack.h"
#include "bvh/tree.h"
#include "dualbvh/mesh.h"
#include "simd/isa.h"

#include <stddef.h>

struct dbvh_tree;

typedef struct dbvhi_points {
	const double *x, *y, *z;
	size_t count;
} dbvhi_points;

// Children of packed nodes being fitted, one a lane. Positions are relative to the centre of the tree.
#define DBVHI_REFIT_LANES 16

typedef struct dbvhi_refit_batch {
	int32_t pair[5][DBVHI_REFIT_LANES]; // pairs of the packed boxes; the last two, the axes, are kept
	double axes[9][DBVHI_REFIT_LANES];  // by rows; the columns are the axes of the box
	double part[3][DBVHI_REFIT_LANES];  // position of the sphere's centre in the box, as parts of the half extents
	double low[3][DBVHI_REFIT_LANES], high[3][DBVHI_REFIT_LANES]; // extents of the points along the axes
	double half[3][DBVHI_REFIT_LANES];
	double box[3][DBVHI_REFIT_LANES], ball[3][DBVHI_REFIT_LANES]; // centres of box and sphere
	double square[DBVHI_REFIT_LANES];                             // largest squared distance from the sphere's centre
	float centre[3][DBVHI_REFIT_LANES];                           // sphere's centre, rounded to float
	float radius[DBVHI_REFIT_LANES];                              // packed radius
	double away[DBVHI_REFIT_LANES];                               // distance of the sphere's centre from the tree's
	double reach[DBVHI_REFIT_LANES];                              // radius before packing
} dbvhi_refit_batch;

typedef struct dbvhi_refit_isa {
	// Enlarges `low` and `high` to the extents along three axes (columns) relative to `from`.
	void ( *reach )( const dbvhi_points *points, const double axes[3][3], const double from[3], double low[3],
	                 double high[3] );
	// Returns the maximum of `most` and the largest squared distance from a centre.
	double ( *farthest )( const dbvhi_points *points, const double centre[3], double most );
	// Computes `axes` and `part` from `pair`.
	void ( *unpack )( dbvhi_refit_batch *batch );
	// Computes `half`, `box`, `ball` and `centre` from `low`, `high` and `part`.
	void ( *place )( dbvhi_refit_batch *batch );
	// Computes `pair`, `radius`, `away` and `reach` from `square`, in a tree whose centre is `centre_away` from the
	// mesh's origin.
	void ( *pack )( dbvhi_refit_batch *batch, double centre_away );
} dbvhi_refit_isa;

// Fits all volumes of a tree under construction to its own vertices, which are those of a view, in parallel: its packed
// form needs only links, the leaves' triangles and the axes of boxes, its root only axes. OUT_OF_MEMORY; LIMIT where
// floats would not do.
dbvh_status dbvhi_refit_first( struct dbvh_tree *tree, const dbvh_mesh_view *view );

extern const dbvhi_refit_isa *const dbvhi_refit_table[DBVHI_ISA_COUNT];

// ------------------------------------------------------------------------------------------------
// Fits the volumes of all nodes of a packed form to moved points.

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
