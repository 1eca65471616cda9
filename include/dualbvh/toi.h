// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file toi.h
/// Time of impact (continuous collision detection, swept test): when do two meshes in motion touch for the first time?
///
/// A motion is a pose for every time t in [0, 1]: a translation at constant speed, or a turn about an axis of constant
/// direction, at constant speed, while the centre of the turn goes straight on, at constant speed. With the centre on
/// the axis of the screw that takes one pose to the other this is the screw motion.
///
/// What the answer means. Surfaces are compared, as in collide.h: sharing a point is contact. At no time before
/// dbvh_toi_result.time do the meshes intersect, neither in real arithmetic on the motions, nor does dbvh_collide() say
/// so at the poses that dbvh_motion_pose() computes. That holds for every time, not for samples of it. After it they do
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

/// x -> T(t) (from(x) - centre) + centre + t shift, where T(t) is the turn by t angle about axis. All in the common
/// frame. Make one with the functions below, or fill it in by hand.
typedef struct dbvh_motion {
	dbvh_pose from;   ///< the pose at t = 0
	double shift[3];  ///< how far the centre goes from t = 0 to t = 1
	double centre[3]; ///< where it is at t = 0; any point where nothing turns
	double axis[3];   ///< of any length but 0, if angle is not 0
	double angle;     ///< in radians, at most DBVH_MOTION_MAX_ANGLE in size; more than a full turn is allowed
} dbvh_motion;

/// The largest angle, in radians, that is accepted.
#define DBVH_MOTION_MAX_ANGLE 1024.0

/// From `from` (NULL: the identity) by `shift` (NULL: not at all) without turning.
DBVH_API dbvh_motion dbvh_motion_translation( const dbvh_pose *from, const double shift[3] );

/// From one pose to another (NULL: the identity) by a turn of at most half a circle.
///
/// `centre`, in the frame of the mesh, is the point that goes straight; { 0, 0, 0 } is the mesh's origin. NULL asks for
/// the screw motion: the centre is the point of the screw's axis that is nearest to the middle between both origins.
/// Where the poses differ by a turn of less than 2^-20, that point may be anywhere and the mesh's origin is taken.
/// The motion ends at `to` but for rounding, if both matrices are rotations; where they deviate by d (see
/// DBVH_POSE_TOLERANCE), the last pose does from `to` by about 2.5 d. Matrices that are the same bit by bit give a
/// translation. After half a circle either sense of turning is right, and one is taken.
/// Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID; *motion_out is all zero then.
DBVH_API dbvh_status dbvh_motion_between( const dbvh_pose *from, const dbvh_pose *to, const double centre[3],
                                          dbvh_motion *motion_out, dbvh_error *error );

/// The pose at time t, computed in doubles. Where nothing turns (angle 0): from.rot and from.pos + t shift. Else, with
/// k the axis over its length, K the matrix of k x, s = sin( t angle ) and v = 2 sin( t angle / 2 )^2:
/// T = I + s K + v K^2, rot = T from.rot, pos = T (from.pos - centre) + centre + t shift. t = 0 gives `from` bit by
/// bit.
DBVH_API dbvh_pose dbvh_motion_pose( const dbvh_motion *motion, double t );

// ------------------------------------------------------------------------------------------------
// The first contact

typedef enum dbvh_toi_verdict {
	DBVH_TOI_VERDICT_CLEAR,   ///< they intersect at no time in [0, 1]
	DBVH_TOI_VERDICT_CONTACT, ///< they do, for the first time at `time` or at most the tolerance later
	/// At `time` they are closer than rounding tells, and no contact was found within the tolerance after it: they
	/// touch in passing, or pass each other by a hair. Nothing is said about later times. Rounding is that of the
	/// largest length in the question, so it is common with degenerate triangles and with motions that are 2^50 times
	/// longer than the meshes; else it takes a miss by some 1e-13 of that length, arcs included.
	///
	/// How to go on: where the meshes must not touch, take it for a contact. Where they may, look at what comes later
	/// with dbvh_toi_query.start a little after `time`: at `time` + tolerance or, if that is CLOSE again, at times that
	/// double the distance from `time`. Nothing is known of the moments left out but for what dbvh_collide() says at
	/// their poses, so a contact that is shorter is missed; a larger tolerance looks for it farther.
	DBVH_TOI_VERDICT_CLOSE,
	/// The budget ended the search; the call says so with its status. Nothing is said about times from `time` on.
	DBVH_TOI_VERDICT_UNDECIDED,
} dbvh_toi_verdict;

/// The enumerator's name without its prefix, for example "CONTACT"; "?" for a number that is none.
DBVH_API const char *dbvh_toi_verdict_name( dbvh_toi_verdict verdict );

/// What is asked. All zero: for the first contact of the whole motion, to about a millionth of it.
typedef struct dbvh_toi_query {
	/// How much later than `time` the confirmed contact, `upper`, may be, 0 to 1; 0 stands for 2^-20, about a millionth
	/// of the motion. The cost hardly depends on it.
	double tolerance;
	/// Of the collision test at the start. Those that ask for the packed form make the search use it, too, where both
	/// trees have one; all others make it use the reference trees, which both have to keep (dbvh_policy). Answers agree
	/// within the rounding that is described above, not bit by bit; and so do those of different instruction sets.
	dbvh_policy policy;
	/// The time from which on contacts are looked for, 0 to 1. What intersects before does not count.
	double start;
	/// How much work a motion may cost, with the collision test at the start; NULL: no limit. It is overrun by some
	/// thousand steps at most. Where it ends the search, `time` says how far that had got. Of a batch, max_work is what
	/// each motion may spend, and is_cancelled ends all that have no answer yet.
	const dbvh_budget *budget;
} dbvh_toi_query;

/// All zero. Any thread, constant time.
DBVH_API dbvh_toi_query dbvh_toi_query_default( void );

typedef struct dbvh_toi_result {
	dbvh_toi_verdict verdict;
	/// There is no contact before it, from dbvh_toi_query.start on: see above. It is not later than the true first
	/// contact; 1 where the motion is clear. `start` (0) with DBVH_TOI_VERDICT_CONTACT: they intersect at the start, or
	/// begin to right then.
	double time;
	/// DBVH_TOI_VERDICT_CONTACT: a time at which dbvh_collide() says DBVH_INTERSECTING, between `time` and `time` +
	/// tolerance; DBVH_TOI_VERDICT_UNDECIDED: such a time, not that soon, if one is known; else INFINITY.
	double upper;
	/// With CONTACT and CLOSE, as all that follows: how close the meshes are at `time`, at most, in the common frame.
	/// Mostly a few times 2^-44 of the largest length in the question, that of the motion included; more where a step
	/// in time leads nowhere, as where they slide along each other or come round slowly, and then the tolerance bounds
	/// only the time.
	double distance;
	dbvh_pair pair; ///< two triangles that are as close as that, or intersect, at that time
	/// A point of each at `time` in the common frame, off by a few units in the last place of the largest length.
	double point_a[3], point_b[3];
	/// A unit vector from A to B, normal to the contact; 0 where the triangles intersect at the start already.
	double normal[3];
	dbvh_status status;     ///< dbvh_time_of_impact_batch(): why this motion has no answer; else DBVH_OK
	dbvh_counters counters; ///< of the collision test at the start and of the search
} dbvh_toi_result;

/// When do A and B, each in its motion (NULL: at rest, where its vertices are), touch for the first time?
///
/// Both may turn, each in its own way; where they turn as one, like two parts of a machine that is carried about, they
/// are as good as at rest. `query` NULL stands for the defaults; `workspace` NULL allocates one for this call, and one
/// that is given grows with the first such call between two trees.
///
/// How. Conservative advancement with directed bounds (Zhang, Lee and Kim 2006; Tang, Kim and Manocha 2009), but in one
/// traversal: for a pair of nodes or triangles, an axis that separates them bounds from below the time until they
/// touch, by the speed with which the moved one approaches along that axis; the pair with the least bound is looked
/// into first, and what cannot touch before the first contact found is left out. Where both turn they are looked at
/// from the one that turns less. Where a mesh turns, pairs whose bounds are too coarse are divided in time as well as
/// in space: some sixty pieces for each radian, where much is near. Triangles advance from bound to bound until
/// rounding ends it. Cost: on packed trees for translations four to nine times that of dbvh_collide() at the time of
/// contact, for turns six to thirty times; on reference trees three times as much: see bench/results/toi.txt. Meshes
/// that slide along each other at a tiny gap cost more, hardly depending on the gap: where a plane separates them, or
/// they turn inside of each other like a shaft in its bore, little more than it takes to look at their triangles once
/// or twice; else, as for two threads of 16,000 triangles, up to a second (dualbvh-bench runaway-toi). A budget
/// bounds that. Errors: INVALID_ARGUMENT (also for a tolerance or a start outside of [0, 1], and an angle that is too
/// large or has no axis), NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY; *result_out is all zero then. BUDGET_SPENT, CANCELLED:
/// the verdict is UNDECIDED and only `time`, `upper` and the counters are set. To go on, call again with
/// dbvh_toi_query.start at `time`; if that did not get any farther, with a larger budget.
/// Thread safety: trees are only read; the workspace must not be shared.
DBVH_API dbvh_status dbvh_time_of_impact( const dbvh_tree *a, const dbvh_motion *motion_a, const dbvh_tree *b,
                                          const dbvh_motion *motion_b, const dbvh_toi_query *query,
                                          dbvh_workspace *workspace, dbvh_toi_result *result_out, dbvh_error *error );

/// When does B, in each of many motions, touch A in one for the first time? results_out[i] is what
/// dbvh_time_of_impact( a, motion_a, b, &motions_b[i], ... ) says, bit by bit, whatever the number of threads.
///
/// `query` and `options` may be NULL. Each motion has the whole of query->budget; is_cancelled is asked on the calling
/// thread only and ends all of them, those that have not been looked at with `time` at query->start. A motion that is
/// refused spoils no other: its result is all zero but for `status`. The call then returns the status of the first such
/// motion, with its index in error->element and all other results valid. Cost: that of the queries, divided by the
/// threads; the workspaces are allocated before the first one. Errors: those of dbvh_time_of_impact(); with
/// error->element -1, of motion_a or of the call; every result is all zero then, except where a motion of B is to
/// blame. Thread safety: trees are only read; workspace and results must not be shared. Memory is asked for on the
/// calling thread only. From inside a parallel region it uses the calling thread alone.
DBVH_API dbvh_status dbvh_time_of_impact_batch( const dbvh_tree *a, const dbvh_motion *motion_a, const dbvh_tree *b,
                                                const dbvh_motion *motions_b, size_t motion_count,
                                                const dbvh_toi_query *query, const dbvh_batch_options *options,
                                                dbvh_toi_result *results_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_TOI_H
