// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file toi.h
/// Time of impact (continuous collision detection, swept test): the time at which two meshes in motion touch for the
/// first time.
///
/// A motion is a pose for every time t in [0, 1]: a translation at constant speed, or a turn about an axis of constant
/// direction, at constant speed, while the centre of the turn goes straight on, at constant speed. With the centre on
/// the axis of the screw that takes one pose to the other this is the screw motion.
///
/// What the answer means. Surfaces are compared, as in collide.h: sharing a point is contact. At no time before
/// dbvh_toi_result.time do the meshes intersect, neither in real arithmetic on the motions, nor does dbvh_collide() say
/// so at the poses that dbvh_motion_pose() computes. That holds for every time, not for samples of it. After it they
/// intersect within the tolerance, which dbvh_collide() has confirmed; or, rarely, they come within rounding of each
/// other without intersecting, and the verdict says that.

#ifndef DUALBVH_TOI_H
#define DUALBVH_TOI_H

#include "dualbvh/query.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------
// Motions

/// A motion: the map x -> T(t) (from(x) - centre) + centre + t shift, where T(t) is the turn by t angle about axis. All
/// members are in the common frame. Make one with the functions below, or fill it in by hand.
typedef struct dbvh_motion {
	dbvh_pose from;   ///< the pose at t = 0
	double shift[3];  ///< the way of the centre from t = 0 to t = 1
	double centre[3]; ///< the centre of the turn at t = 0; any point if angle is 0
	double axis[3];   ///< the direction of the axis, of any length but 0; not read if angle is 0
	double angle;     ///< in radians, at most DBVH_MOTION_MAX_ANGLE in size; more than a full turn is allowed
} dbvh_motion;

/// The largest angle, in radians, that is accepted.
#define DBVH_MOTION_MAX_ANGLE 1024.0

/// Makes a translation from the pose `from` (NULL: the identity) by `shift` (NULL: at rest). Any thread, constant time.
DBVH_API dbvh_motion dbvh_motion_translation( const dbvh_pose *from, const double shift[3] );

/// Makes the motion from one pose to another (NULL: the identity) by a turn of at most half a circle.
///
/// `centre`, in the frame of the mesh, is the point that moves along a straight line; { 0, 0, 0 } is the mesh's origin.
/// NULL asks for the screw motion: the centre is the point of the screw's axis that is nearest to the middle between
/// both origins. Where the poses differ by a turn of less than 2^-20, that point may be anywhere and the mesh's origin
/// is taken. The motion ends at `to` but for rounding, if both matrices are rotations; where they deviate from one by d
/// (see DBVH_POSE_TOLERANCE), the last pose deviates from `to` by about 2.5 d. Two matrices that are equal bit by bit
/// give a translation. For half a circle either sense of turning is right, and one of them is chosen. Errors:
/// INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID; *motion_out is all zero then.
DBVH_API dbvh_status dbvh_motion_between( const dbvh_pose *from, const dbvh_pose *to, const double centre[3],
                                          dbvh_motion *motion_out, dbvh_error *error );

/// Returns the pose at time t, computed in doubles. If angle is 0: from.rot and from.pos + t shift. Else, with k the
/// axis over its length, K the matrix of k x, s = sin( t angle ) and v = 2 sin( t angle / 2 )^2: T = I + s K + v K^2,
/// rot = T from.rot, pos = T (from.pos - centre) + centre + t shift. t = 0 gives `from` bit by bit.
DBVH_API dbvh_pose dbvh_motion_pose( const dbvh_motion *motion, double t );

// ------------------------------------------------------------------------------------------------
// The first contact

typedef enum dbvh_toi_verdict {
	DBVH_TOI_VERDICT_CLEAR,   ///< they intersect at no time in [0, 1]
	DBVH_TOI_VERDICT_CONTACT, ///< they intersect, for the first time at `time` or at most the tolerance later
	/// At `time` they are closer than rounding tells, and no contact was found within the tolerance after it: they
	/// touch in passing, or pass each other by a hair. Nothing is said about later times. Rounding is that of the
	/// largest length in the question, so this verdict is common with degenerate triangles and with motions that are
	/// 2^50 times longer than the meshes; otherwise it needs a miss by some 1e-13 of that length, arcs included.
	///
	/// How to go on: where the meshes must not touch, treat the verdict as a contact. Where they may, search the later
	/// times with dbvh_toi_query.start a little after `time`: at `time` + tolerance or, if that is CLOSE again, at
	/// times that double the distance from `time`. Nothing is known about the times that are left out unless
	/// dbvh_collide() is called at their poses, so a contact shorter than that is missed; a larger tolerance searches
	/// farther for it.
	DBVH_TOI_VERDICT_CLOSE,
	/// The budget ended the search, as the status of the call says. Nothing is said about times from `time` on.
	DBVH_TOI_VERDICT_UNDECIDED,
} dbvh_toi_verdict;

/// The enumerator's name without its prefix, for example "CONTACT"; "?" for a number that is none.
DBVH_API const char *dbvh_toi_verdict_name( dbvh_toi_verdict verdict );

/// The query. All zero: the first contact of the whole motion, to about a millionth of it.
typedef struct dbvh_toi_query {
	/// The most by which the confirmed contact, `upper`, may be later than `time`, 0 to 1; 0 stands for 2^-20, about a
	/// millionth of the motion. The cost hardly depends on it.
	double tolerance;
	/// The policy of the collision test at the start. With a policy of the packed form the search uses that form, too,
	/// where both trees have one; with any other it uses the reference trees, which both have to keep (dbvh_policy).
	/// Answers of different policies and instruction sets agree within the rounding that is described above, not bit by
	/// bit.
	dbvh_policy policy;
	/// The time at which the search begins, 0 to 1. Contacts before it do not count.
	double start;
	/// A limit on the work of a motion, the collision test at the start included; NULL: none. It is overrun by some
	/// thousand steps at most. Where it ends the search, no contact is before `time`. In a batch, max_work holds for
	/// each motion, and is_cancelled ends all motions that have no answer yet.
	const dbvh_budget *budget;
} dbvh_toi_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_toi_query dbvh_toi_query_default( void );

typedef struct dbvh_toi_result {
	dbvh_toi_verdict verdict;
	/// A time before which there is no contact, from dbvh_toi_query.start on (see above), not later than the true first
	/// contact; 1 where the motion is clear. Equal to `start` with DBVH_TOI_VERDICT_CONTACT: the meshes intersect at
	/// the start, or begin to right then.
	double time;
	/// DBVH_TOI_VERDICT_CONTACT: a time at which dbvh_collide() says DBVH_INTERSECTING, between `time` and `time` +
	/// tolerance; DBVH_TOI_VERDICT_UNDECIDED: a later time at which it says so, if one is known; else INFINITY.
	double upper;
	/// An upper bound of the distance of the meshes at `time`, in the common frame. Set with CONTACT and CLOSE, like
	/// all members below. Mostly a few times 2^-44 of the largest length in the query, that of the motion included;
	/// more where steps in time make no progress, as when the meshes slide along each other or turn slowly, and then
	/// the tolerance bounds only the time.
	double distance;
	dbvh_pair pair; ///< two triangles that are as close as `distance`, or intersect, at `time`
	/// A point of each triangle at `time` in the common frame, off by a few units in the last place of the largest
	/// length.
	double point_a[3], point_b[3];
	/// A unit vector from A to B, normal to the contact; 0 where the triangles intersect at the start already.
	double normal[3];
	dbvh_status status;     ///< dbvh_time_of_impact_batch(): the reason why this motion has no answer; else DBVH_OK
	dbvh_counters counters; ///< work of the collision test at the start and of the search
} dbvh_toi_result;

/// Finds the time at which A and B, each in its motion (NULL: at rest, where its vertices are), touch for the first
/// time.
///
/// Both may turn, each in its own way; two meshes that turn as one, like two parts of a machine that is moved, are
/// treated as at rest. `query` NULL stands for the defaults; `workspace` NULL allocates one for this call, and one that
/// is given grows with the first such call between two trees.
///
/// How. Conservative advancement with directed bounds (Zhang, Lee and Kim 2006; Tang, Kim and Manocha 2009), but in one
/// traversal: for a pair of nodes or triangles, an axis that separates them bounds from below the time until they
/// touch, by the speed with which the moved one approaches along that axis; the pair with the least bound is expanded
/// first, and pairs that cannot touch before the first contact found are discarded. Where both meshes turn, the frame
/// is that of the one that turns less. Where a mesh turns, pairs whose bounds are too coarse are divided in time as
/// well as in space: some sixty pieces for each radian, where much is near. Triangles advance from bound to bound until
/// rounding stops them. Cost: on packed trees for translations four to nine times that of dbvh_collide() at the time of
/// contact, for turns six to thirty times; on reference trees three times as much: see bench/results/toi.txt. Meshes
/// that slide along each other at a tiny gap cost more, hardly depending on the gap: where a plane separates them, or
/// they turn inside of each other like a shaft in its bore, little more than it takes to look at their triangles once
/// or twice; else, as for two screw threads of 16,000 triangles, up to a second (dualbvh-bench runaway-toi). A budget
/// bounds that. Errors: INVALID_ARGUMENT (also for a tolerance or a start outside of [0, 1], and an angle that is too
/// large or has no axis), NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY; *result_out is all zero then. BUDGET_SPENT, CANCELLED:
/// the verdict is UNDECIDED and only `time`, `upper` and the counters are set. To resume, call again with
/// dbvh_toi_query.start at `time`; if `time` did not advance, with a larger budget. Thread safety: trees are only read;
/// the workspace must not be shared.
DBVH_API dbvh_status dbvh_time_of_impact( const dbvh_tree *a, const dbvh_motion *motion_a, const dbvh_tree *b,
                                          const dbvh_motion *motion_b, const dbvh_toi_query *query,
                                          dbvh_workspace *workspace, dbvh_toi_result *result_out, dbvh_error *error );

/// Finds for each of many motions of B the time at which it touches A in one motion for the first time. results_out[i]
/// is the result of dbvh_time_of_impact( a, motion_a, b, &motions_b[i], ... ), bit by bit, whatever the number of
/// threads.
///
/// `query` and `options` may be NULL. Each motion has the whole of query->budget; is_cancelled is called on the calling
/// thread only and ends all motions, those that were not begun with `time` at query->start. A motion that is refused
/// leaves the other results valid: its own is all zero but for `status`, and the call returns the status of the first
/// such motion, with its index in error->element. Cost: that of the queries, divided by the threads; the workspaces are
/// allocated before the first one. Errors: those of dbvh_time_of_impact(); with error->element -1, of motion_a or of
/// the call; every result is all zero then, except where the error is about a motion of B. Thread safety: trees are
/// only read; workspace and results must not be shared. Memory is asked for on the calling thread only. From inside a
/// parallel region it uses the calling thread alone.
DBVH_API dbvh_status dbvh_time_of_impact_batch( const dbvh_tree *a, const dbvh_motion *motion_a, const dbvh_tree *b,
                                                const dbvh_motion *motions_b, size_t motion_count,
                                                const dbvh_toi_query *query, const dbvh_batch_options *options,
                                                dbvh_toi_result *results_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_TOI_H
