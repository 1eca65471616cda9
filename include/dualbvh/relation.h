// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file relation.h
/// What two posed meshes are to each other as bodies: apart, touching, overlapping, one inside the other, the same.
///
/// Solids. A connected component (as dbvh_mesh_audit() joins triangles) is *closed* here if every edge has an even
/// number of triangles; degenerate triangles may be counted or left out, whichever makes all of the component's edges
/// even. What a mesh encloses are the points off its surface from where a ray crosses the closed components an odd
/// number of times. So a shell inside a shell is a cavity, and a shell inside that is solid again; orientation is not
/// looked at. Where closed components of one mesh overlap each other, their common part is *not* enclosed, and faces
/// that coincide cancel out in pairs: give bodies that overlap as meshes of their own. Other components are *sheets*:
/// surfaces that enclose nothing. Triangles without an area count for contact, and for nothing else.
///
/// Exactness. All answers are those of real arithmetic on the given doubles, as those of query.h, with one exception:
/// in a mesh some of whose own faces coincide over an area, a part that only such faces connect with the contact may be
/// overlooked.

#ifndef DUALBVH_RELATION_H
#define DUALBVH_RELATION_H

#include "dualbvh/query.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------
// Points

typedef enum dbvh_location {
	DBVH_LOCATION_OUTSIDE,
	DBVH_LOCATION_ON_SURFACE, ///< on a closed triangle of any component
	DBVH_LOCATION_INSIDE,
	DBVH_LOCATION_UNDECIDABLE, ///< off the surface, and within the bounding box of all sheets, which may or may not
	                           ///< hold it
} dbvh_location;

/// Where is a point, given in the frame that `pose` (NULL: the identity) maps the mesh into? The bounding box of its
/// sheets is the one in the mesh's own frame. Cost: one ray, O(log n) for well-shaped meshes. Nothing is allocated.
/// Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID, NO_TOPOLOGY (see dbvh_tree_options). Thread safety: as
/// dbvh_collide().
DBVH_API dbvh_status dbvh_locate_point( const dbvh_tree *tree, const dbvh_pose *pose, const double point[3],
                                        dbvh_location *location_out );

// ------------------------------------------------------------------------------------------------
// Meshes

/// By what the two enclose; a sheet counts as the points that it consists of.
typedef enum dbvh_relation {
	DBVH_RELATION_APART,       ///< no common point
	DBVH_RELATION_TOUCHING,    ///< common points, but none that one encloses and the other encloses or has a sheet at
	DBVH_RELATION_OVERLAPPING, ///< such a point, and each has points outside the other
	DBVH_RELATION_A_IN_B,      ///< such a point, and none of A is outside B; surfaces may touch: see surfaces_meet
	DBVH_RELATION_B_IN_A,      ///< the same the other way round
	DBVH_RELATION_IDENTICAL,   ///< both enclose the same points, however their surfaces are cut into triangles
	/// Whether one is inside the other is asked of sheets: a component of one mesh meets nothing and lies within the
	/// bounding box of all sheets of the other, in that one's own frame, which is taken as the most that these could
	/// hold between them.
	DBVH_RELATION_UNDECIDABLE,
} dbvh_relation;

/// The enumerator's name without its prefix, for example "A_IN_B"; "?" for a number that is none.
DBVH_API const char *dbvh_relation_name( dbvh_relation relation );

/// Why a relation is undecidable: whose sheets are in the way.
typedef enum dbvh_undecided {
	DBVH_UNDECIDED_NOT,
	DBVH_UNDECIDED_A_OPEN,
	DBVH_UNDECIDED_B_OPEN,
	DBVH_UNDECIDED_BOTH_OPEN,
} dbvh_undecided;

/// Tolerances, in the unit of the meshes, at least 0. Zero-initialised, the relation is exact.
typedef struct dbvh_relate_options {
	/// Meshes that are APART become TOUCHING if dbvh_within() finds them at most this far apart.
	double touch_gap;
	/// Meshes that are OVERLAPPING become TOUCHING if moving one by at most this length makes them touching or apart.
	/// Moves are sought along the normals of the triangles that meet, at most eight directions, and between the
	/// centres, by the whole length, a quarter and a sixteenth of it; each is checked exactly. So what becomes TOUCHING
	/// can be parted by the move in `separation`; meshes that only some other move would part stay OVERLAPPING. For
	/// convex bodies pressed together by faces the normals suffice. One inside the other, and identical meshes, stay
	/// what they are.
	double touch_overlap;
	/// What the call may spend; NULL: no limit. Where it ends early, the call returns DBVH_BUDGET_SPENT or
	/// DBVH_CANCELLED, both relations are UNDECIDABLE, and surfaces_meet and `first` are right if surfaces_meet is true.
	const dbvh_budget *budget;
} dbvh_relate_options;

typedef struct dbvh_relate_result {
	dbvh_relation relation;
	dbvh_relation exact; ///< what it is without tolerances
	dbvh_undecided undecided;
	bool surfaces_meet; ///< what dbvh_collide() says
	dbvh_pair first;    ///< a pair of triangles that meets, where surfaces_meet
	/// Where touch_overlap made the relation TOUCHING: moving B by this, in the common frame of the poses, leaves no
	/// point inside both; its length is at most touch_overlap. Where the poses have larger coordinates than the move,
	/// its components are rounded to theirs.
	double separation[3];
} dbvh_relate_result;

/// What is A at pose_a to B at pose_b? Poses are treated as by dbvh_collide(). Swapping A and B swaps A_IN_B and B_IN_A
/// and nothing else but `first`, `separation`, and which of many directions touch_overlap tries.
///
/// `options` NULL: no tolerances. `workspace` NULL allocates one for this call; else its memory grows on need.
/// Cost: dbvh_collide(); where surfaces do not meet, one ray for each component that is near the other mesh; where
/// they cross, a few rays; where they only touch, all pairs of triangles that meet and some 100 microseconds a corner
/// of the contact (see docs/ARCHITECTURE.md). Errors: INVALID_ARGUMENT (also for a tolerance that is negative or
/// infinite), NOT_FINITE (also for one that is NaN), NOT_RIGID, NO_TOPOLOGY, OUT_OF_MEMORY; *result_out is all zero
/// then; with a budget also BUDGET_SPENT and CANCELLED. Thread safety: trees are only read; the workspace must not be shared.
DBVH_API dbvh_status dbvh_relate( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                  const dbvh_pose *pose_b, const dbvh_relate_options *options,
                                  dbvh_workspace *workspace, dbvh_relate_result *result_out );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_RELATION_H
