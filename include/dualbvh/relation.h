// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file relation.h
/// Containment: the relation of two posed meshes as solids (disjoint, touching, overlapping, one inside the other,
/// equal), and whether a point is inside a mesh. *Relate* is the term of OGC, JTS and GEOS.
///
/// Solids. A connected component (as dbvh_mesh_audit() joins triangles) is *closed* here if every edge has an even
/// number of triangles; degenerate triangles may be counted or left out, whichever makes all of the component's edges
/// even. Where every triangle of a component is stored more than once (the same three points, in any order), each
/// counts once: a body that is in the file twice, or once for each side of its faces, is the body. Closed components
/// enclose points; all others are *open components*: surfaces that enclose nothing. Triangles without an area count for
/// contact, and for nothing else.
///
/// Whether a point off the surface is enclosed follows from the rule that the tree was built with
/// (dbvh_tree_options.fill):
/// - DBVH_FILL_RULE_NONZERO, the nonzero winding rule: the closed components have winding numbers about the point whose
///   sum is not 0. Bodies of one mesh that overlap, touch or coincide are united. A shell inside a shell is a cavity if
///   it is oriented the other way round, and solid if the same way; which of the two ways the outer one is makes no
///   difference.
/// - DBVH_FILL_RULE_EVEN_ODD, the even-odd rule: a ray from the point crosses the closed components an odd number of
///   times. A shell inside a shell is a cavity, and a shell inside that is solid again; orientation is not looked at.
///   The intersection of two bodies of one mesh is hollow, and faces that coincide cancel out in pairs, copies too.
/// The boundary does not count: a point of the surface is enclosed if there is no point nearby that is off the surface
/// and not enclosed. So walls inside a body are no obstacle.
///
/// Orientation, for the nonzero rule. A component where as many triangles run up every edge as down is taken as it is.
/// Else, if every edge has two triangles, triangles are turned until neighbours agree, and the surface is kept as most
/// of its triangles were. Where that leaves it open (a surface with one side, as many triangles one way as the other,
/// copies both ways round, four triangles at an edge in disorder) the component has no orientation: all such components
/// together enclose by the even-odd rule, and the points that they enclose are united with the rest. A body that is
/// inside out as a whole encloses the same points; only where it overlaps a body that is not do the two cancel out.
///
/// Exactness. All answers are those of real arithmetic on the given doubles, as those of collide.h, with one exception,
/// for meshes whose own closed surfaces cross or coincide: a region that they enclose, or leave hollow, may be
/// overlooked if it borders only on parts of triangles that touch neither the other mesh nor the middle of their first
/// side.

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
	/// Off the surface, and within the bounding box of all open components, if that has a volume: these components may
	/// or may not hold the point.
	DBVH_LOCATION_UNDECIDABLE,
} dbvh_location;

/// The enumerator's name without its prefix, for example "ON_SURFACE"; "?" for a number that is none.
DBVH_API const char *dbvh_location_name( dbvh_location location );

/// Tells whether a point is inside a mesh (point in polyhedron, winding number). The point is given in the frame that
/// `pose` (NULL: the identity) maps the mesh into. Inside is decided by the fill rule of the tree; walls inside a body
/// are surface. The bounding box of the open components is that in the mesh's own frame. Cost: one ray, O(log n) for
/// well-shaped meshes. Nothing is allocated. Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID, NO_TOPOLOGY (see
/// dbvh_tree_options); *location_out is DBVH_LOCATION_OUTSIDE then. Any thread: the tree is only read.
DBVH_API dbvh_status dbvh_locate_point( const dbvh_tree *tree, const dbvh_pose *pose, const double point[3],
                                        dbvh_location *location_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Meshes

/// The relation of A and B. A mesh stands for all points that it encloses and all of its open components: a point of an
/// open component belongs to the mesh, whether or not the mesh encloses it.
///
/// | common | A has points outside B | B has points outside A | if open components hold nothing |
/// |---|---|---|---|
/// | no point at all | | | DISJOINT |
/// | surfaces alone | | | TOUCHING |
/// | more | yes | yes | OVERLAPPING |
/// | more | no | yes | A_IN_B |
/// | more | yes | no | B_IN_A |
/// | more | no | no | EQUAL |
///
/// *More* is a point that one encloses and the other encloses or has an open component at; or a point where open
/// components cross, which is: those of one divide every small ball about it into two sides (passing two that coincide
/// changes nothing), and the other has open components on both. To be *outside* the other is to be neither enclosed by
/// it nor on its surface, which is all of its triangles that have an area: also closed ones that coincide, though they
/// may enclose nothing on either side. Open components that coincide only touch.
///
/// Doubt. A mesh with open components may be a body with holes in its surface. The bounding box of all open components
/// of a mesh, in its own frame, is taken as an upper bound of what they could hold; a box without a volume holds
/// nothing. A component of the other mesh, some triangle of which has an area, is *in doubt* if it lies within that
/// box, and
/// - the meshes are DISJOINT or TOUCHING by the table, or
/// - the component intersects nothing, and the first mesh does not enclose it.
/// If any component of either mesh is in doubt, whatever else touches elsewhere, the relation is UNDECIDABLE: unless it
/// is OVERLAPPING by the table, which no doubt could change. Components and triangles may be in any order.
typedef enum dbvh_relation {
	DBVH_RELATION_DISJOINT,
	DBVH_RELATION_TOUCHING,
	DBVH_RELATION_OVERLAPPING,
	DBVH_RELATION_A_IN_B, ///< surfaces may touch: see surfaces_intersect
	DBVH_RELATION_B_IN_A,
	DBVH_RELATION_EQUAL, ///< however the surfaces are cut into triangles
	DBVH_RELATION_UNDECIDABLE,
} dbvh_relation;

/// The enumerator's name without its prefix, for example "A_IN_B"; "?" for a number that is none.
DBVH_API const char *dbvh_relation_name( dbvh_relation relation );

/// The reason why a relation is undecidable: the mesh whose open components leave it in doubt.
typedef enum dbvh_undecided {
	DBVH_UNDECIDED_NOT,
	DBVH_UNDECIDED_A_OPEN,
	DBVH_UNDECIDED_B_OPEN,
	DBVH_UNDECIDED_BOTH_OPEN,
} dbvh_undecided;

/// The components behind an undecidable relation, numbered as dbvh_mesh_audit() orders them.
typedef struct dbvh_doubt {
	/// A component of the open mesh: the first open one whose own bounding box contains the first corner of the
	/// component in doubt, else the first open one. dbvh_tree_open_loops() lists where it is open.
	size_t open_component;
	size_t held_component; ///< the first component in doubt, of the other mesh
} dbvh_doubt;

/// The query: tolerances, in the unit of the meshes, at least 0, and knowledge about the meshes. All zero: the exact
/// relation.
typedef struct dbvh_relate_query {
	/// Meshes that are DISJOINT become TOUCHING if dbvh_check_clearance() finds them at most this far apart.
	double touch_gap;
	/// Meshes that are OVERLAPPING become TOUCHING if moving one by at most this length makes them touching or
	/// disjoint. Moves are sought along the normals of the triangles that intersect, at most eight directions, and
	/// between the centres, by the whole length, a quarter and a sixteenth of it; each is checked exactly. So meshes
	/// that become TOUCHING are separated by the move in `separation`; meshes that only some other move would separate
	/// stay OVERLAPPING. For convex bodies pressed together by faces the normals suffice. A pin whose facets overlap
	/// those of its bore all round, however little, stays OVERLAPPING: only a move along the whole bore parts the two.
	/// One inside the other, and equal meshes, stay what they are.
	double touch_overlap;
	/// Open components are known to hold nothing (sheet metal, containers): no relation is UNDECIDABLE.
	bool open_holds_nothing;
	/// A limit on the work of the call; NULL: none. Where it ends the call early, the call returns DBVH_BUDGET_SPENT or
	/// DBVH_CANCELLED, both relations are UNDECIDABLE, and surfaces_intersect and `first` are right if
	/// surfaces_intersect is true. In a batch, max_work holds for each pose, and is_cancelled ends all poses that have
	/// no answer yet.
	const dbvh_budget *budget;
	/// The most threads of the search for triangles that intersect, as in dbvh_collide_query; the rest of the work is
	/// done on the calling thread. No answer but `first` depends on it, and that only on whether it is above 1. At most
	/// 1 in a batch, which has dbvh_batch_options.thread_count.
	uint32_t thread_count;
} dbvh_relate_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_relate_query dbvh_relate_query_default( void );

typedef struct dbvh_relate_result {
	dbvh_relation relation;
	dbvh_relation exact; ///< the relation without tolerances
	/// The relation by the table, without tolerances, if open components hold nothing: the same as `exact` unless that
	/// is UNDECIDABLE. Then this much is certain: where surface_relation is TOUCHING, the surfaces intersect, and where
	/// it is neither TOUCHING nor DISJOINT, one mesh has points inside the other.
	dbvh_relation surface_relation;
	dbvh_undecided undecided;
	/// Set where A is open (DBVH_UNDECIDED_A_OPEN or BOTH_OPEN), and where B is; else zero.
	dbvh_doubt doubt_a, doubt_b;
	dbvh_fill_rule fill_a, fill_b; ///< the fill rules of A and B
	/// True if `exact` would differ with the other fill rule for A, or for B: closed surfaces of that mesh overlap or
	/// coincide, or shells in shells are all oriented the same way.
	bool ambiguous_a, ambiguous_b;
	bool surfaces_intersect; ///< true if dbvh_collide() says DBVH_INTERSECTING
	dbvh_pair first;         ///< a pair of triangles that intersects, where surfaces_intersect
	/// A translation of B, in the common frame of the poses, that leaves no point inside both meshes, where
	/// touch_overlap made the relation TOUCHING; else zero. Its length is at most touch_overlap. Where coordinates of
	/// the poses are larger than the move, its components are rounded to their precision.
	double separation[3];
	dbvh_status status; ///< dbvh_relate_batch(): the reason why this pose has no answer; else DBVH_OK
} dbvh_relate_result;

/// Determines the relation of A at pose_a to B at pose_b. Poses are treated as by dbvh_collide(). Swapping A and B
/// swaps A_IN_B and B_IN_A and nothing else but `first`, `separation`, and which of many directions touch_overlap
/// tries.
///
/// `query` NULL: no tolerances. `workspace` NULL allocates one for this call; one that is given grows as needed.
/// Cost: dbvh_collide(); where surfaces do not intersect, one ray for each component that is near the other mesh; where
/// they cross, a few rays; where they only touch, all pairs of triangles that intersect and some 100 microseconds a
/// corner of the contact (see docs/design/relation.md). Errors: INVALID_ARGUMENT (also for a tolerance that is negative
/// or infinite), NOT_FINITE (also for one that is NaN), NOT_RIGID, NO_TOPOLOGY, OUT_OF_MEMORY; *result_out is all zero
/// then; with a budget also BUDGET_SPENT and CANCELLED. Thread safety: trees are only read; the workspace must not be
/// shared.
DBVH_API dbvh_status dbvh_relate( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                  const dbvh_pose *pose_b, const dbvh_relate_query *query, dbvh_workspace *workspace,
                                  dbvh_relate_result *result_out, dbvh_error *error );

/// Determines the relation of A at one pose to B at each of many. results_out[i] is the result of dbvh_relate( a,
/// pose_a, b, &poses_b[i], ... ), bit by bit, whatever the number of threads.
///
/// `query` and `options` may be NULL. A pose that is refused leaves the other results valid: its own is all zero but
/// for `status`, and the call returns the status of the first such pose, with its index in error->element. Cost: that
/// of the queries, divided by the threads. Stack: that of dbvh_relate(). Errors: NOT_FINITE, NOT_RIGID (of a pose of B;
/// with error->element -1, of pose_a), INVALID_ARGUMENT, NO_TOPOLOGY, OUT_OF_MEMORY; every result is all zero then,
/// except where the error is about a pose of B. With a budget also BUDGET_SPENT and CANCELLED; the relation of such a
/// pose is UNDECIDABLE. Thread safety: trees are only read; workspace and results must not be shared. Memory may be
/// allocated within a relation: with an allocator of the caller's, that of the workspace or else of A, the batch
/// therefore stays on the calling thread. From inside a parallel region it uses the calling thread alone.
DBVH_API dbvh_status dbvh_relate_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                        const dbvh_pose *poses_b, size_t pose_count, const dbvh_relate_query *query,
                                        const dbvh_batch_options *options, dbvh_relate_result *results_out,
                                        dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_RELATION_H
