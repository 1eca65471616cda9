// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How far points reach, many at a time, and the volumes of many nodes side by side: what refitting a tree takes.
// Compiled for every instruction set; the results are the same in all of them.

#pragma once

#include "dualbvh/mesh.h"
#include "simd/isa.h"

#include <stddef.h>

struct dbvh_tree;

typedef struct dbvhi_points {
	const double *x, *y, *z;
	size_t count;
} dbvhi_points;

// Children of packed nodes on their way to new volumes, a child a lane. Positions are relative to the centre of the
// tree.
#define DBVHI_REFIT_LANES 16

typedef struct dbvhi_refit_batch {
	int32_t pair[5][DBVHI_REFIT_LANES]; // of the packed boxes; the last two, their axes, stay
	double axes[9][DBVHI_REFIT_LANES];  // by rows: the columns are those of the box
	double part[3][DBVHI_REFIT_LANES];  // where the sphere's centre is in the box, in parts of its half extents
	double low[3][DBVHI_REFIT_LANES], high[3][DBVHI_REFIT_LANES]; // how far the points reach along the axes
	double half[3][DBVHI_REFIT_LANES];
	double box[3][DBVHI_REFIT_LANES], ball[3][DBVHI_REFIT_LANES]; // the centres
	double square[DBVHI_REFIT_LANES];                             // of the largest distance from that of the ball
	float centre[3][DBVHI_REFIT_LANES];                           // that of the ball, rounded
	float radius[DBVHI_REFIT_LANES];                              // as it is packed
	double away[DBVHI_REFIT_LANES];                               // how far the ball's centre is from the tree's
	double reach[DBVHI_REFIT_LANES];                              // the radius before it is packed
} dbvhi_refit_batch;

typedef struct dbvhi_refit_isa {
	// Along three axes, the columns, from a point on. `low` and `high` grow.
	void ( *reach )( const dbvhi_points *points, const double axes[3][3], const double from[3], double low[3],
	                 double high[3] );
	// The larger of `most` and the square of the largest distance from a centre.
	double ( *farthest )( const dbvhi_points *points, const double centre[3], double most );
	// `axes` and `part`, of `pair`.
	void ( *unpack )( dbvhi_refit_batch *batch );
	// Where the box lies and, at the same part of it, the ball: `half`, `box`, `ball`, `centre`, of `low` and `high`.
	void ( *place )( dbvhi_refit_batch *batch );
	// `pair`, `radius` and what is left, of `square`, in a tree whose centre is so far from the mesh's origin.
	void ( *pack )( dbvhi_refit_batch *batch, double centre_away );
} dbvhi_refit_isa;

// Fits all volumes of a tree that is just being built to its own vertices, which are those of a view, in parallel: its
// packed form needs only its links, its leaves' triangles and the axes of its boxes, its root only axes. OUT_OF_MEMORY;
// LIMIT where floats would not do.
dbvh_status dbvhi_refit_first( struct dbvh_tree *tree, const dbvh_mesh_view *view );

extern const dbvhi_refit_isa *const dbvhi_refit_table[DBVHI_ISA_COUNT];
