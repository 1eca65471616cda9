// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A line or a point on its way through a tree, as both forms of the tree take it.

#pragma once

#include "query/raycast/raycast.h"

// The line as origin + way unit for a unit vector (or zero, for a line of no length), beginning near the mesh: `before`
// is the offset from its start to `origin`. `margin` bounds what any of this, and any step into the frame of a box, is
// off near the mesh; see walk.c.
typedef struct dbvhi_beam {
	dbvhi_vec origin, unit;
	double length; // of the step: way = length t
	double before;
	double margin;
	bool is_usable; // false where numbers overflow: every triangle must be shown
} dbvhi_beam;

// How far along the beam a search goes, rounded up.
static inline double dbvhi_beam_end( const dbvhi_beam *beam, double reach ) {
	if ( beam->length == 0.0 )
		return beam->margin;
	const double whole = reach * beam->length;
	return whole - beam->before + 0x1p-40 * ( whole + beam->before ) + beam->margin;
}

// The same for a point: a triangle within `reach` has a point of its box within this of `at`, squared and rounded up.
typedef struct dbvhi_goal {
	dbvhi_vec at;
	double margin;
	bool is_usable;
} dbvhi_goal;

static inline double dbvhi_goal_limit( const dbvhi_goal *goal, double reach ) {
	const double limit = reach * ( 1.0 + 0x1p-40 ) + goal->margin;
	return limit * limit * ( 1.0 + 0x1p-40 ) + 0x1p-1060;
}

// The same walks down the packed form of a tree that has one. Return false, having shown nothing, where floats would
// not do.
bool dbvhi_walk_line_packed( const dbvh_tree *tree, const dbvhi_beam *beam, dbvh_workspace *workspace,
                             dbvhi_visitor *visitor );
bool dbvhi_walk_point_packed( const dbvh_tree *tree, const dbvhi_goal *goal, dbvh_workspace *workspace,
                              dbvhi_visitor *visitor );
