// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file robot.h
/// Robots: links and joints, where they stand, and whether the way between two configurations is clear, in joint space.
///
/// A robot is a tree of links. Each link hangs on its parent, or on the world, by a joint; it is made by calls, from
/// whichever description there is. A robot has no geometry of its own: bodies of a scene (scene.h) are attached to its
/// links. The rules of the scene say which pairs are checked (the allowed collision matrix of a planner is a rule
/// `may_collide` for a pair), and how far apart they must stay: the padding of a link is a rule of its body with a
/// `clearance`, exact where a mesh that is grown is not. Bodies that are not attached stand still.
///
/// Configurations. A configuration is a row of numbers, those of the first link's joint first; fixed joints and joints
/// that follow another have none. Angles are in radians, lengths in the unit of the scene. The numbers of a joint are,
/// by dbvh_robot_layout:
///
/// | joint | DBVH_ROBOT_LAYOUT_ANGLES | DBVH_ROBOT_LAYOUT_PINOCCHIO |
/// |---|---|---|
/// | revolute, prismatic | its angle, its length | the same |
/// | continuous | its angle | cosine, sine |
/// | planar | x, y, angle | x, y, cosine, sine |
/// | floating | x, y, z, quaternion x, y, z, w | the same |
///
/// The second is the order of pinocchio's q for links added in the order of its joints. Quaternions, and pairs of
/// cosine and sine, are normalised; a length that is off by more than a thousandth is refused as NOT_RIGID.
///
/// Where a robot stands. The poses that dbvh_robot_place() computes are rounded, but by the library's own sine and
/// cosine: they are the same, bit by bit, on every machine. A query about a configuration is exact about the bodies at
/// these poses. A query about an edge is about all times, see dbvh_robot_edge_batch().
///
/// Thread safety: a robot is only read by all functions that take it as const; a scene belongs to one thread at a time.

#ifndef DUALBVH_ROBOT_H
#define DUALBVH_ROBOT_H

#include "dualbvh/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Computes sine and cosine of an angle in radians by the library's own arithmetic: the same bits on every machine, off
/// by less than one unit in the last place for |angle| <= 2^20. NaN for what is not finite. Some 15 ns; any thread.
DBVH_API void dbvh_sine_cosine( double angle, double *sine_out, double *cosine_out );

/// Makes a pose from roll, pitch and yaw as URDF has them, in radians about the fixed axes x, y, z in this order, by
/// dbvh_sine_cosine(). It checks nothing; any thread.
DBVH_API dbvh_pose dbvh_pose_from_rpy( const double rpy[3], const double pos[3] );

// ------------------------------------------------------------------------------------------------
// Links and joints

/// A robot: links and joints, see above.
typedef struct dbvh_robot dbvh_robot;

/// A number that no link has: in place of a parent, the world.
#define DBVH_NO_LINK UINT32_MAX
/// A number that no place in a configuration has.
#define DBVH_NO_COLUMN SIZE_MAX

typedef enum dbvh_joint_kind {
	DBVH_JOINT_KIND_FIXED,
	DBVH_JOINT_KIND_REVOLUTE,   ///< turns about the axis; edges go from number to number, over whole turns if need be
	DBVH_JOINT_KIND_CONTINUOUS, ///< turns about the axis; edges go the short way round
	DBVH_JOINT_KIND_PRISMATIC,  ///< moves along the axis
	DBVH_JOINT_KIND_PLANAR,     ///< moves in x and y of its frame and turns about z; edges turn the short way
	/// Moves and turns anyhow. On an edge the origin of the link moves straight ahead while the link turns evenly about
	/// one axis, the short way (R^3 x SO(3), as OMPL's SE3StateSpace; pinocchio interpolates by a screw).
	DBVH_JOINT_KIND_FLOATING,
	DBVH_JOINT_KIND_COUNT
} dbvh_joint_kind;

/// How a link moves against its parent. Zero-initialised: not at all.
typedef struct dbvh_joint {
	dbvh_joint_kind kind;
	/// The axis of a revolute, continuous or prismatic joint, in the frame of the joint, of any length; 0 0 0 stands
	/// for 1 0 0.
	double axis[3];
	/// Limits of the number of a revolute or prismatic joint; without, it has none. The library only keeps them.
	bool has_limits;
	double lower, upper;
} dbvh_joint;

/// Returns the default: all zero. Any thread, constant time.
DBVH_API dbvh_joint dbvh_joint_default( void );

/// Makes a robot without links, with memory of `allocator` (NULL: the C library's). Errors: INVALID_ARGUMENT,
/// OUT_OF_MEMORY; *robot_out is NULL then. Any thread, constant time.
DBVH_API dbvh_status dbvh_robot_create( const dbvh_allocator *allocator, dbvh_robot **robot_out, dbvh_error *error );
DBVH_API void dbvh_robot_destroy( dbvh_robot *robot ); ///< frees a robot; NULL is allowed

/// Adds a link: it hangs on the link `parent` (DBVH_NO_LINK: on the world), where the frame of its joint is at `origin`
/// (NULL: the identity); `joint` NULL is a fixed one. The pose of a link is that of its parent, then `origin`, then the
/// motion of the joint. Links are numbered from 0. An origin that is not a rotation to the last bits is replaced by
/// the nearest one (dbvh_pose_orthonormalise()). O(1) amortised. Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID,
/// OUT_OF_MEMORY, LIMIT (2^20 links); *link_out (may be NULL) is DBVH_NO_LINK then.
DBVH_API dbvh_status dbvh_robot_add_link( dbvh_robot *robot, uint32_t parent, const dbvh_pose *origin,
                                          const dbvh_joint *joint, uint32_t *link_out, dbvh_error *error );

DBVH_API size_t dbvh_robot_link_count( const dbvh_robot *robot ); ///< number of links; 0 for NULL

/// Gets what a link was added with. Any pointer may be NULL. Returns false, and writes nothing, if there is no such
/// link.
DBVH_API bool dbvh_robot_get_link( const dbvh_robot *robot, uint32_t link, uint32_t *parent_out, dbvh_pose *origin_out,
                                   dbvh_joint *joint_out );

/// Makes the joint of a link follow that of another ("mimic"): it has no number of its own any more, but factor times
/// that of the other plus offset. The numbers of a configuration are counted anew. The joint of `link` is revolute,
/// continuous or prismatic; that of `followed` is revolute or prismatic, and follows none. O(links). Errors:
/// INVALID_ARGUMENT (also where other joints follow that of `link`), NOT_FINITE.
DBVH_API dbvh_status dbvh_robot_follow( dbvh_robot *robot, uint32_t link, uint32_t followed, double factor,
                                        double offset, dbvh_error *error );

/// Gets what a joint follows. Any pointer may be NULL. Returns false, and writes nothing, if it follows none.
DBVH_API bool dbvh_robot_get_followed( const dbvh_robot *robot, uint32_t link, uint32_t *followed_out,
                                       double *factor_out, double *offset_out );

/// The numbers of a configuration, see above.
typedef enum dbvh_robot_layout {
	DBVH_ROBOT_LAYOUT_ANGLES,
	DBVH_ROBOT_LAYOUT_PINOCCHIO,
	DBVH_ROBOT_LAYOUT_COUNT
} dbvh_robot_layout;

/// Returns how many numbers a configuration has; 0 for NULL and for an unknown layout. O(1).
DBVH_API size_t dbvh_robot_width( const dbvh_robot *robot, dbvh_robot_layout layout );

/// Returns where the numbers of a link's joint begin in a configuration; DBVH_NO_COLUMN if it has none of its own.
/// O(1).
DBVH_API size_t dbvh_robot_column( const dbvh_robot *robot, uint32_t link, dbvh_robot_layout layout );

// ------------------------------------------------------------------------------------------------
// Bodies

/// Attaches a body of a scene to a link, at `pose` in the frame of the link (NULL: the identity): what a robot grasps
/// is attached likewise. A body that is attached already moves to this link. Bodies of one link are pairs like others:
/// rules of the scene let them meet. A pose that is not a rotation to the last bits is replaced by the nearest one. The
/// robot keeps the number: detach a body before the scene removes it, for the scene gives the number to a later body,
/// which would then be the attached one. O(bodies). Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY.
DBVH_API dbvh_status dbvh_robot_attach( dbvh_robot *robot, uint32_t link, uint32_t body, const dbvh_pose *pose,
                                        dbvh_error *error );

/// Detaches a body, which then stands where the scene has it. INVALID_ARGUMENT if it is not attached.
DBVH_API dbvh_status dbvh_robot_detach( dbvh_robot *robot, uint32_t body, dbvh_error *error );

DBVH_API size_t dbvh_robot_body_count( const dbvh_robot *robot ); ///< number of attached bodies; 0 for NULL

/// Gets attached body `index`, in ascending order of their numbers, its link and its pose in the frame of that link.
/// Any pointer may be NULL. Returns false, and writes nothing, if there are not as many.
DBVH_API bool dbvh_robot_get_body( const dbvh_robot *robot, size_t index, uint32_t *body_out, uint32_t *link_out,
                                   dbvh_pose *pose_out );

// ------------------------------------------------------------------------------------------------
// Forward kinematics

/// Computes where links and bodies are in `count` configurations, one after the other in `q`. links_out (NULL: not
/// wanted) has room for count times the number of links, bodies_out for count times the number of attached bodies, in
/// ascending order: the poses that dbvh_scene_collide_batch() takes with the same bodies. Limits are not looked at.
///
/// Each link's rotation is brought back to a rotation, so that rounding does not add up along a chain: it deviates by
/// less than 2^-48. A pose is off the exact one by less than (n + 1) 2^-45 S, n being the number of joints from the
/// world to the link and S the sum of the distances between their origins and of lengths they move, plus the distance
/// of the point that is looked at from the link's origin; the number of a joint that follows another is rounded
/// besides. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, and with error->element the configuration, NOT_FINITE and
/// NOT_RIGID. Some 50 ns a link. Any thread.
DBVH_API dbvh_status dbvh_robot_place( const dbvh_robot *robot, dbvh_robot_layout layout, const double *q, size_t count,
                                       dbvh_pose *links_out, dbvh_pose *bodies_out, dbvh_error *error );

/// Computes configurations on the way from one configuration to another at `count` times from 0 to 1, one after the
/// other in q_out, which has room for count times the width. At time 0 and 1 they are `from` and `to`, bit by bit.
/// Errors: INVALID_ARGUMENT (also a time that is not from 0 to 1), NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY, LIMIT (two
/// numbers whose difference is no double). Any thread.
DBVH_API dbvh_status dbvh_robot_between( const dbvh_robot *robot, dbvh_robot_layout layout, const double *from,
                                         const double *to, const double *times, size_t count, double *q_out,
                                         dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Many configurations

/// Tells for each of many configurations whether bodies collide: dbvh_robot_place() and dbvh_scene_collide_batch() with
/// the attached bodies, whose query and results these are; query->bodies must be NULL, and query->body_count 0. Memory
/// does not grow with `count`. Errors: those of the two.
DBVH_API dbvh_status dbvh_robot_collide_batch( const dbvh_robot *robot, dbvh_scene *scene, dbvh_robot_layout layout,
                                               const double *q, size_t count, const dbvh_configurations_query *query,
                                               dbvh_configuration_result *results_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Distances of many configurations

/// Two bodies in a configuration, and where they are nearest to each other.
typedef struct dbvh_robot_distance {
	dbvh_body_pair bodies;
	double distance; ///< that of dbvh_distance(); 0 where the two collide
	double margin;   ///< the margin of the pair: that of the query, or the `clearance` of its rule if that is larger
	dbvh_pair triangles; ///< the nearest triangles
	/// The nearest points, in the frame of the scene: see dbvh_distance_result. With radii they are on the surfaces
	/// round the bodies.
	double point_a[3], point_b[3];
	/// The direction from point_a to point_b, of length 1: the gradient of the distance where body b is pushed along
	/// it. 0 0 0 where the distance is 0.
	double normal[3];
} dbvh_robot_distance;

/// The query about each configuration. Zero-initialised: whether any pair of bodies collides or is nearer than the
/// clearance of its rule.
typedef struct dbvh_robot_distances_query {
	dbvh_robot_layout layout;
	/// DBVH_FIND_ANY: the first pair that is nearer than its margin ends a configuration. DBVH_FIND_ALL: every pair
	/// that is nearer than its margin. DBVH_FIND_CLOSEST: the nearest of all pairs, whatever their margins.
	dbvh_find find;
	/// ANY and ALL: the margin of pairs that have no larger clearance by a rule; finite, at least 0. A pair is nearer
	/// than its margin if its distance is less, or if it collides; a distance that is equal keeps the margin.
	double margin;
	double limit; ///< CLOSEST: the largest distance of interest: a larger one is not found; 0 or INFINITY: no limit
	/// ALL: array for the pairs, ascending. Configuration i writes from distance_begin[i] up to, and without,
	/// distance_begin[i + 1], the lowest pairs first. NULL: they are only counted.
	dbvh_robot_distance *distances;
	const size_t *distance_begin;
	/// A limit on the work of the call; NULL: none. max_work holds for each pair of bodies in a configuration,
	/// max_total for the whole call: the configurations up to some index are finished then.
	const dbvh_budget *budget;
	uint32_t thread_count; ///< 0: the library's choice; see base.h
	/// A callback as in dbvh_scene_query, which counts configurations.
	bool ( *progress )( void *user, size_t done, size_t total );
	void *user;
} dbvh_robot_distances_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_robot_distances_query dbvh_robot_distances_query_default( void );

typedef struct dbvh_robot_distances_result {
	bool found; ///< false: no pair is nearer than its margin, or than the limit; `nearest` is all zero then
	/// ANY: the pair that was found, the lowest one; ALL: the nearest of those found; CLOSEST: the nearest of all
	/// pairs. Of pairs at the same distance the lowest.
	dbvh_robot_distance nearest;
	size_t pair_count;    ///< ALL: number of pairs nearer than their margin, whether or not there was room; else 0 or 1
	size_t written_count; ///< ALL: number of pairs in query->distances
	/// The reason why the configuration has no answer; else DBVH_OK. With BUDGET_SPENT and CANCELLED the other members
	/// have what was found until then: pairs that are nearer than their margin, perhaps not all of them, and a distance
	/// that another pair may be below.
	dbvh_status status;
} dbvh_robot_distances_result;

/// Measures the distances of pairs of bodies in each of many configurations: the least one, or those of all pairs that
/// are nearer than a margin, with their nearest points and the direction between them. The pairs that the rules of the
/// scene have checked are looked at, attached bodies against each other and against those that stand. The margin of a
/// pair may be its own: the `clearance` of its rule. It is between the two bodies, not a padding of each.
///
/// The answers are those of dbvh_distance() at the poses that dbvh_robot_place() computes, for any number of threads,
/// and no configuration's answer depends on another's. Bodies with a radius are taken as scene.h says. A configuration
/// that is refused leaves the others valid: its status says why, and the call returns the status of the first such
/// configuration, with its index in error->element. Cost: a box for each body, and dbvh_distance() for pairs whose
/// boxes are near enough; margins cost far less than the least distance. Memory grows with the pairs of one
/// configuration, not with `count`. The scene does not change. Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID,
/// OUT_OF_MEMORY, BUDGET_SPENT, CANCELLED.
DBVH_API dbvh_status dbvh_robot_distance_batch( const dbvh_robot *robot, dbvh_scene *scene, const double *q,
                                                size_t count, const dbvh_robot_distances_query *query,
                                                dbvh_robot_distances_result *results_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Edges

typedef enum dbvh_robot_verdict {
	/// Every pair stays more than its clearance apart at every time from 0 to 1, both ends included: a proof.
	DBVH_ROBOT_VERDICT_CLEAR,
	/// At `time` the two bodies meet or, where their clearance is above 0, are less than it apart.
	DBVH_ROBOT_VERDICT_COLLIDES,
	/// At `time` the two bodies are at most `within` apart, which is little more than their clearance; no collision has
	/// been found.
	DBVH_ROBOT_VERDICT_CLOSE,
	DBVH_ROBOT_VERDICT_UNDECIDED, ///< the budget ended the edge; `free_until` holds
	DBVH_ROBOT_VERDICT_COUNT
} dbvh_robot_verdict;

/// The query about each edge. Zero-initialised: whether the way from each configuration to the next is clear.
typedef struct dbvh_robot_edges_query {
	dbvh_robot_layout layout;
	/// DBVH_FIND_ANY: the edge ends with what is found first, at whatever time. DBVH_FIND_CLOSEST: with the first
	/// collision or narrow place on the way, so that `free_until` is as late as the tolerance allows.
	dbvh_find find;
	const dbvh_edge *edges; ///< NULL: edge i goes from configuration i to i + 1
	size_t edge_count;      ///< number of edges in `edges`
	double clearance;       ///< the least clearance of any pair; the `clearance` of its rule holds where it is larger
	/// A length: pairs that come nearer than their clearance and this are called CLOSE rather than divided further. 0
	/// stands for 2^-17 (8e-6) of the robot's reach. A pair that passes another at a gap takes as many questions as
	/// its way along it is longer than the gap, so a body that slides over a surface costs up to way / tolerance. No
	/// piece of time is halved more than 48 times, whatever the tolerance: a pair is CLOSE then.
	double tolerance;
	/// A limit on the work of the call; NULL: none. max_work holds for each question about a pair, max_total for the
	/// whole call: the edges up to some index are finished then.
	const dbvh_budget *budget;
	uint32_t thread_count; ///< 0: the library's choice; see base.h
	/// A callback as in dbvh_scene_query, which counts edges.
	bool ( *progress )( void *user, size_t done, size_t total );
	void *user;
} dbvh_robot_edges_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_robot_edges_query dbvh_robot_edges_query_default( void );

typedef struct dbvh_robot_edge_result {
	dbvh_robot_verdict verdict;
	/// The edge is proved clear from time 0 up to and including this one: 1 where it is CLEAR. With DBVH_FIND_ANY it
	/// may be 0 where nothing was proved before the edge ended.
	double free_until;
	/// COLLIDES and CLOSE: the time of the configuration in question, dbvh_robot_between() and dbvh_robot_place() give
	/// its poses; 1 where the edge is CLEAR. It is after free_until but where an edge collides from its start.
	double time;
	double within;         ///< CLOSE: see there; COLLIDES: the clearance that is not kept; else 0
	dbvh_body_pair bodies; ///< the pair in question; zero where the edge is CLEAR or UNDECIDED
	size_t question_count; ///< questions about clearance or collision of a pair that were asked, a measure of the cost
	/// The reason why the edge has no answer: BUDGET_SPENT or CANCELLED with UNDECIDED, the status of a configuration
	/// that is refused; else DBVH_OK.
	dbvh_status status;
} dbvh_robot_edge_result;

/// Tells for each of many edges whether the robot stays clear of the scene and of itself on the straight way in joint
/// space from one configuration to another, by a proof over every time and not by samples. `q` has
/// `configuration_count` configurations; results_out has an element for each edge: configuration_count - 1 of them
/// (none for no configuration) where query->edges is NULL.
///
/// What CLEAR means. Each number of a joint goes evenly from its value in one configuration to that in the other, in
/// real arithmetic; continuous, planar and floating joints as dbvh_joint_kind says; joints that follow go with the one
/// that they follow. Origins are the nearest rotations to those that were given, axes are of length 1 exactly. At every
/// time in [0, 1] every pair that is checked is farther apart than its clearance, both by these poses in real
/// arithmetic and by those that dbvh_robot_place() computes for dbvh_robot_between() at that time. The bounds on how
/// far points move within a piece of time, and on all rounding, are derived in docs/design/edges.md.
///
/// What COLLIDES means. At `time`, at the poses that are computed for it, the pair collides as dbvh_collide() says, or
/// dbvh_check_clearance() for a clearance. It may touch for an instant only.
///
/// CLOSE is the answer to edges on which bodies come nearer to touching than the tolerance without colliding at any
/// time that was tried. A planner takes it as a collision.
///
/// The short way. Continuous, planar and floating joints turn the short way as it is computed. Two configurations that
/// are half a turn apart up to rounding (2^-46 rad, and 2^-48 of angles) have two ways of nearly the same length:
/// either may be taken, dbvh_robot_between() takes the same one, and CLEAR and COLLIDES are about that one.
///
/// Bodies with a radius (dbvh_body_options.radius), such as spheres, capsules and clouds of points, are as far apart as
/// their meshes less their radii. Sags, tolerances and fits of rules have no part in it. Angles are at most 2^20 in
/// size. An edge that fails leaves the others valid: its status says why, and the call returns the status of the first
/// such edge, with its index in error->element. Answers do not depend on the number of threads. Cost: on a Panda some 8
/// us for 0.1 rad that are clear; docs/design/edges.md has a table. Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID,
/// OUT_OF_MEMORY, LIMIT (an angle above 2^20), BUDGET_SPENT, CANCELLED. The scene does not change. Source: Schwarzer,
/// Saha and Latombe, "Adaptive dynamic collision checking for single and multiple articulated robots in complex
/// environments", IEEE Transactions on Robotics 21 (2005), with questions about clearance in place of distances.
DBVH_API dbvh_status dbvh_robot_edge_batch( const dbvh_robot *robot, dbvh_scene *scene, const double *q,
                                            size_t configuration_count, const dbvh_robot_edges_query *query,
                                            dbvh_robot_edge_result *results_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_ROBOT_H
