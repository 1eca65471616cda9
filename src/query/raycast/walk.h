// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A line or a point in the frame of a tree, with its margin: shared by the traversals of both forms of the tree.

#pragma once

#include "query/raycast/raycast.h"

// A line as origin + s unit, by a unit vector (zero for a line of no length). It begins near the mesh: `before` is the
// distance from its start to `origin`. `margin` bounds the rounding of all this near the mesh, and of all steps into
// the frames of boxes; see walk.c.
typedef struct dbvhi_beam {
	dbvhi_vec origin, unit;
	double length; // length of the step: s = length t - before
	double before;
	double margin;
	bool is_usable; // false if numbers overflow: every triangle must be visited
} dbvhi_beam;

// The end of a search along the beam, rounded up.
static inline double dbvhi_beam_end( const dbvhi_beam *beam, double reach ) {
	if ( beam->length == 0.0 )
		return beam->margin;
	const double whole = reach * beam->length;
	return whole - beam->before + 0x1p-40 * ( whole + beam->before ) + beam->margin;
}

// A point and its margin. A triangle within `reach` of the point has a box within dbvhi_goal_limit(), squared and
// rounded up.
typedef struct dbvhi_goal {
	dbvhi_vec at;
	double margin;
	bool is_usable;
} dbvhi_goal;

static inline double dbvhi_goal_limit( const dbvhi_goal *goal, double reach ) {
	const double limit = reach * ( 1.0 + 0x1p-40 ) + goal->margin;
	return limit * limit * ( 1.0 + 0x1p-40 ) + 0x1p-1060;
}

// The traversals of the packed form of a tree that has one. They return false, having visited nothing, if floats are
// too coarse or overflow.
bool dbvhi_walk_line_packed( const dbvh_tree *tree, const dbvhi_beam *beam, dbvh_workspace *workspace,
                             dbvhi_visitor *visitor );
bool dbvhi_walk_point_packed( const dbvh_tree *tree, const dbvhi_goal *goal, dbvh_workspace *workspace,
                              dbvhi_visitor *visitor );
