// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file depth.h
/// How deep two posed meshes overlap: the penetration depth (how far one must be moved until they no longer overlap),
/// also along a given direction, and the local depth (how far the deepest common point lies below the surface of either
/// mesh, which is what a fit tolerates).
///
/// A and B stand for the solids that their closed components enclose (relation.h). Where a mesh has open components
/// that have an area, nothing is computed: `undecided` says which mesh it is, and intervals are [0, INFINITY]. All
/// lengths are certified intervals [lower, upper]: the truth of the given doubles lies between the two ends, both ends
/// included, on every CPU, in every floating-point mode and for every number of threads the same. Swapping A and B
/// swaps a and b, turns translations round and changes no interval.
///
/// | number | definition | function |
/// |---|---|---|
/// | penetration depth (PD) | the least length of a translation of B after which the *interiors* are disjoint |
/// dbvh_penetration_depth() | | strict penetration depth | the least length after which *nothing* touches, as an
/// infimum | the same, with `strict` | | first free | the least s >= 0 such that the interiors are disjoint after
/// moving B by s along a direction | dbvh_penetration_along() | | free for good | the least s >= 0 beyond which they
/// are disjoint for all greater lengths | the same | | local depth of A in B | the greatest distance from the boundary
/// of the solid B of any point that both have in common | dbvh_local_depth() |
///
/// The first two differ wherever surfaces may slide on each other: a square peg in a hole of its very size has depth 0,
/// since the interiors are disjoint as it is, and strict depth 3, if the plate is 3 thick. Meshes that only touch have
/// depth 0. The way is not examined: meshes that are locked into each other are free at the end of a translation that
/// passes through them. dbvh_separating_translation() of contact.h bounds the strict one from above.
///
/// The boundary of a solid is not its triangles: walls inside a body that overlaps itself do not count.
///
/// Frame and unit: points, directions and translations are in the mesh frame of A; lengths are measured in the frame
/// of that mesh which the relative pose leaves in place (collide.h). The two agree but for what the poses deviate from
/// rotations.

#ifndef DUALBVH_DEPTH_H
#define DUALBVH_DEPTH_H

#include "dualbvh/interval.h"
#include "dualbvh/overlap.h"
#include "dualbvh/relation.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------
// Penetration depth

/// The proof of the lower end of a depth.
typedef enum dbvh_depth_proof {
	DBVH_DEPTH_PROOF_NONE,     ///< the lower end is 0
	DBVH_DEPTH_PROOF_DISJOINT, ///< the interiors are disjoint: the depth is 0
	DBVH_DEPTH_PROOF_CONVEX,   ///< both meshes are convex: all faces of their Minkowski difference were measured
	DBVH_DEPTH_PROOF_BALLS,    ///< balls inside both meshes keep overlapping under every shorter translation
} dbvh_depth_proof;

/// The enumerator's name without its prefix, for example "CONVEX"; "?" for a number that is none.
DBVH_API const char *dbvh_depth_proof_name( dbvh_depth_proof proof );

/// The query. All zero: the depth of interiors to a relative width of 1 %, with the library's own limit on its work.
typedef struct dbvh_penetration_query {
	bool strict;           ///< the translation of the upper end leaves no common point at all
	double relative_width; ///< wanted width, relative to the upper end, in [0, 1]; 0: 0.01
	/// A limit on the work of the call; NULL, or one without a limit: 20 million steps (base.h), about a second. In a
	/// batch, max_work holds for each pose.
	const dbvh_budget *budget;
} dbvh_penetration_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_penetration_query dbvh_penetration_query_default( void );

typedef struct dbvh_penetration_result {
	dbvh_interval depth;
	/// A translation of B, in the frame of A, rounded, whose length in exact form is at most depth.upper: after it the
	/// interiors are disjoint (strict: nothing touches). Zero where they are as given.
	double translation[3];
	/// The pose of B after it. Where pose_a is NULL or the identity, dbvh_relate() at exactly this pose says
	/// DISJOINT or TOUCHING (strict: DISJOINT). Elsewhere what was proved is about the relative pose of collide.h with
	/// the translation added, and this pose, rounded once more, may leave an overlap of a few units in the last place
	/// of its coordinates.
	dbvh_pose pose_b;
	dbvh_relation relation;   ///< at the poses given
	dbvh_undecided undecided; ///< the mesh that has open components: the depth is [0, INFINITY]
	dbvh_depth_proof proof;   ///< proof of the lower end
	bool reached;             ///< the interval is as narrow as relative_width asks
	dbvh_status status;       ///< dbvh_penetration_depth_batch(): the reason why this pose has no answer; else DBVH_OK
} dbvh_penetration_result;

/// Finds the penetration depth of A at pose_a and B at pose_b. Poses are treated as by dbvh_collide(). Both trees must
/// have been built with dbvh_tree_options.topology.
///
/// Upper end: the length of a translation that was tried, with dbvh_relate()'s exact decision about the relative pose
/// with that translation added and rounded. Lower end: 0 where the interiors are disjoint; for two convex meshes (each
/// plane of a triangle has all vertices on one side) the least distance of a face of their Minkowski difference, and
/// the width is then below 1e-12; else balls inside A and inside B, by which every shorter translation is proved to
/// leave a common interior point. The search goes on until the width is as wanted or the budget is spent; the interval
/// is valid whenever it ends. Meshes that merely touch, or are disjoint, take the time of dbvh_relate().
///
/// With `strict` the lower end is that of the interiors, so that the interval may stay wide where surfaces can slide.
///
/// `query` NULL: the defaults. `workspace` NULL allocates one for this call. Errors: INVALID_ARGUMENT, NOT_FINITE,
/// NOT_RIGID (also where both poses together deviate by more than DBVH_POSE_TOLERANCE), NO_TOPOLOGY, OUT_OF_MEMORY;
/// *result_out is all zero then. Where the caller's budget ends the call before
/// the width is reached: BUDGET_SPENT and CANCELLED, with a valid result (depth.upper is infinite only where not one
/// translation was tried). Thread safety: trees are only read; the workspace must not be shared.
DBVH_API dbvh_status dbvh_penetration_depth( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                             const dbvh_pose *pose_b, const dbvh_penetration_query *query,
                                             dbvh_workspace *workspace, dbvh_penetration_result *result_out,
                                             dbvh_error *error );

/// dbvh_penetration_depth() of A at one pose and B at each of many. results_out[i] is its result for poses_b[i], bit by
/// bit, whatever the number of threads. `query` and `options` may be NULL. A pose that is refused leaves the other
/// results valid, as in dbvh_relate_batch(), whose errors, cost and threads this has.
DBVH_API dbvh_status dbvh_penetration_depth_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                   const dbvh_pose *poses_b, size_t pose_count,
                                                   const dbvh_penetration_query *query,
                                                   const dbvh_batch_options *options,
                                                   dbvh_penetration_result *results_out, dbvh_error *error );

typedef struct dbvh_penetration_along_result {
	/// The least s >= 0 such that moving B by s along the direction leaves the interiors disjoint.
	dbvh_interval first_free;
	/// The least s >= 0 such that every greater length leaves them disjoint; at least first_free.
	dbvh_interval free_for_good;
	dbvh_relation relation;   ///< at the poses given
	dbvh_undecided undecided; ///< the mesh that has open components: both intervals are [0, INFINITY]
} dbvh_penetration_along_result;

/// Finds how far B has to be moved along `direction` (of any length but 0, in the frame of A) until it is free of A for
/// the first time, and for good. Lengths are those of the translation. Upper ends are translations that were decided
/// exactly, and for the second one boxes and the time of impact of the way back; lower ends are translations under
/// which the meshes were found to overlap, and the balls of dbvh_penetration_depth() between them. `query` as there:
/// its `strict` must be false, and relative_width, by default 0.01, is that of both intervals. Errors: as there;
/// INVALID_ARGUMENT and NOT_FINITE also for the direction.
DBVH_API dbvh_status dbvh_penetration_along( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                             const dbvh_pose *pose_b, const double direction[3],
                                             const dbvh_penetration_query *query, dbvh_workspace *workspace,
                                             dbvh_penetration_along_result *result_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Local depth

/// The verdict whether an overlap is within the depth that a fit allows.
typedef enum dbvh_fit_verdict {
	DBVH_FIT_VERDICT_NONE,  ///< the interiors are disjoint: there is no overlap to judge
	DBVH_FIT_VERDICT_FIT,   ///< the overlap is at most as deep as allowed
	DBVH_FIT_VERDICT_CLASH, ///< the overlap is deeper
	/// The interval contains the allowed depth, or a mesh is open. Depths that differ from the allowed one by more than
	/// about 1e-11 of the size of the scene are told apart, whatever relative_width, unless the budget ends the search.
	DBVH_FIT_VERDICT_UNDECIDED,
} dbvh_fit_verdict;

/// The enumerator's name without its prefix, for example "CLASH"; "?" for a number that is none.
DBVH_API const char *dbvh_fit_verdict_name( dbvh_fit_verdict verdict );

/// The query. All zero: the depth to a relative width of 1e-3.
typedef struct dbvh_local_depth_query {
	/// Wanted width of both sides, relative to the upper end, in [0, 1]; 0: 1e-3, and 2^-40 for a verdict alone.
	double relative_width;
	double allowed_depth; ///< the depth that is a fit and no clash, at least 0; 0: every overlap is a clash
	/// Find the verdict alone, which is faster where the depth is far from the allowed one: the intervals are valid,
	/// and only as narrow as the verdict needs.
	bool verdict_only;
	/// A limit on the work of the call; NULL, or one without a limit: 20 million steps (base.h), about a second. In a
	/// batch, max_work holds for each pose.
	const dbvh_budget *budget;
} dbvh_local_depth_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_local_depth_query dbvh_local_depth_query_default( void );

/// How deep common points lie below the boundary of one of the two solids.
typedef struct dbvh_local_depth_side {
	dbvh_interval depth; ///< the greatest distance of a common point from that boundary
	double deepest[3];   ///< a common point at least depth.lower from it, rounded
	double nearest[3];   ///< a point of the surface nearest to that one, rounded
	double direction[3]; ///< the unit vector from `deepest` to `nearest`, the shortest way out; zero where unknown
} dbvh_local_depth_side;

typedef struct dbvh_local_depth_result {
	dbvh_local_depth_side a_in_b; ///< the distance from the boundary of B
	dbvh_local_depth_side b_in_a; ///< the distance from the boundary of A
	/// The smaller of the two sides: how deep material overlaps material. Fits tolerate this one: of a pin pressed into
	/// a plate it is how far the pin is too thick, whichever of the two is the thinner.
	dbvh_interval least;
	dbvh_fit_verdict verdict; ///< whether `least` is within allowed_depth
	dbvh_relation relation;   ///< at the poses given
	dbvh_undecided undecided; ///< the mesh that has open components: all intervals are [0, INFINITY]
	bool reached;             ///< both sides are as narrow as relative_width asks
	dbvh_status status;       ///< dbvh_local_depth_batch(): the reason why this pose has no answer; else DBVH_OK
} dbvh_local_depth_result;

/// Finds the local depth of A at pose_a and B at pose_b: over all points of the regularised intersection (the closure
/// of the common interior), the greatest distance from the boundary of B, and from that of A. Poses are treated as by
/// dbvh_collide(). Both trees must have been built with dbvh_tree_options.topology.
///
/// Local depth does not see how far a mesh would have to be moved: a rod through a plate is at most half the thickness
/// of the plate deep. Penetration depth is never less than either side.
///
/// Lower ends are distances, rounded down, of points that are found inside both meshes exactly; upper ends come from a
/// subdivision of the common space, rounded up. Where bodies of one mesh overlap each other, triangles that may lie
/// inside that mesh bound lower ends and are no help for upper ends: the interval is valid, and may stay wide.
///
/// `query` NULL: the defaults. `workspace` NULL allocates one for this call. Errors: INVALID_ARGUMENT, NOT_FINITE,
/// NOT_RIGID, NO_TOPOLOGY, OUT_OF_MEMORY; *result_out is all zero then. Where the caller's budget ends the call early:
/// BUDGET_SPENT and CANCELLED, with a valid result. Thread safety: trees are only read; the workspace must not be
/// shared.
DBVH_API dbvh_status dbvh_local_depth( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                       const dbvh_pose *pose_b, const dbvh_local_depth_query *query,
                                       dbvh_workspace *workspace, dbvh_local_depth_result *result_out,
                                       dbvh_error *error );

/// dbvh_local_depth() of A at one pose and B at each of many. results_out[i] is its result for poses_b[i], bit by bit,
/// whatever the number of threads. `query` and `options` may be NULL. A pose that is refused leaves the other results
/// valid, as in dbvh_relate_batch(), whose errors, cost and threads this has.
DBVH_API dbvh_status dbvh_local_depth_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                             const dbvh_pose *poses_b, size_t pose_count,
                                             const dbvh_local_depth_query *query, const dbvh_batch_options *options,
                                             dbvh_local_depth_result *results_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Local depth of each component

/// The local depth of a connected component of the overlap (overlap.h): what a simulator takes for a contact.
typedef struct dbvh_component_depth {
	dbvh_local_depth_side a_in_b; ///< the greatest distance of a point of the component from the boundary of B
	dbvh_local_depth_side b_in_a; ///< the greatest distance from the boundary of A
	dbvh_interval least;          ///< the smaller of the two sides
	/// The contact normal, from A to B: a unit vector in the frame of A along which moving B by `least` takes the
	/// deepest point of that side to the surface. Zero where `least` is 0 or unknown.
	double normal[3];
	dbvh_fit_verdict verdict; ///< whether `least` is within allowed_depth
	bool reached;             ///< both sides are as narrow as relative_width asks
} dbvh_component_depth;

/// Finds the overlap of A and B with its components, as dbvh_overlap_find() does, and the local depth of each
/// component. depths_out[i] is that of component i of dbvh_overlap_get( overlap ); of more than `capacity` components
/// the rest is not written (depths_out may be NULL if that is 0). *overlap_out has the measures of the overlap,
/// component_count among them, and *result_out the local depth of all components together, as dbvh_local_depth()
/// defines it: its intervals contain the same numbers, but have other ends.
///
/// Where the overlap is UNDECIDED, or a mesh has an open component anywhere, there are no components, and *result_out
/// is that of dbvh_local_depth(). With query->verdict_only a component has a verdict and intervals that are as narrow
/// as that needs. The overlap has no mesh afterwards.
///
/// Cost: that of the overlap with its mesh, and that of the depths, which is less than that of dbvh_local_depth() where
/// the overlap is small: it begins with the faces of each component, and asks of no point whether it is inside.
///
/// `query` NULL: the defaults; its budget limits the overlap and the depths each. Errors: those of dbvh_overlap_find()
/// and dbvh_local_depth(). Where the caller's budget ends the call early: BUDGET_SPENT and CANCELLED, with valid
/// results. Thread safety: trees are only read; `overlap` must not be shared.
DBVH_API dbvh_status dbvh_local_depth_components( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                  const dbvh_pose *pose_b, const dbvh_local_depth_query *query,
                                                  dbvh_overlap *overlap, dbvh_component_depth *depths_out,
                                                  size_t capacity, dbvh_overlap_result *overlap_out,
                                                  dbvh_local_depth_result *result_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_DEPTH_H
