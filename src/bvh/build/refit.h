// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How far points reach, many at a time: what refitting a tree takes. Compiled for every instruction set; the results
// are the same in all of them.

#pragma once

#include "dualbvh/mesh.h"
#include "simd/isa.h"

#include <stddef.h>

struct dbvh_tree;

typedef struct dbvhi_points {
	const double *x, *y, *z;
	size_t count;
} dbvhi_points;

typedef struct dbvhi_refit_isa {
	// Along three axes, the columns, from a point on. `low` and `high` grow.
	void ( *reach )( const dbvhi_points *points, const double axes[3][3], const double from[3], double low[3],
	                 double high[3] );
	// The larger of `most` and the square of the largest distance from a centre.
	double ( *farthest )( const dbvhi_points *points, const double centre[3], double most );
} dbvhi_refit_isa;

// Fits all volumes of a tree to the points of a view, in parallel: its packed form needs only its links, its leaves'
// triangles and the axes of its boxes. As dbvh_tree_refit() otherwise, whose errors these are.
dbvh_status dbvhi_refit( struct dbvh_tree *tree, const dbvh_mesh_view *view, dbvh_error *error );

extern const dbvhi_refit_isa *const dbvhi_refit_table[DBVHI_ISA_COUNT];
