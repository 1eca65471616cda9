// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file scene.h
/// Scenes of many bodies: the pairs that clash, the nearest pair, configurations and motions of robots, ray casts.
///
/// A scene holds bodies. A body is a tree at a pose; many bodies may share a tree, which must outlive them. A body has
/// a number, which is valid until it is removed. The lowest number that is free is given to the next body that is
/// added: the same calls make the same numbers.
///
/// Which pairs are checked. Two bodies are a pair that is checked if the group of each is in the mask of the other
/// and the rules do not allow the two to meet. Rules are looked up from the most particular to the most general: the
/// rule of the pair, else those of the two bodies, else the default rule of the scene. Bodies that are far apart cost
/// nothing: only the bounding boxes of a pair are compared, by a tree over all boxes (a broad phase) that discards
/// exactly the pairs that comparing each with each would discard, wherever the scene lies. The next query updates it
/// where bodies have moved, and does nothing where none has. Refitting a tree (dbvh_tree_refit()) counts as moving all
/// bodies of that tree.
///
/// Incremental use. Adding, moving or removing one of n bodies costs O(log n), amortised, the work of the next query
/// included, and queries about one body (dbvh_scene_query.has_body, dbvh_scene_distance_query.has_body,
/// dbvh_scene_collide_batch() with `bodies`), a ray, a point or a box O(log n) and what is near: bodies that are not
/// near are not looked at. These steps look at all n bodies: a rule that changes how far boxes reach (a clearance or
/// touch gap; not may_collide), a refit of a tree that is in any scene, the first pose that is farther from a rotation
/// than twice any before, and queries of all pairs.
///
/// Bodies with a radius (dbvh_body_options.radius) are all points at most the radius from their mesh (a sphere-swept
/// volume). A triangle whose corners coincide is a point, one with two that do is a segment: so these kinds of bodies
/// are a tree and a radius.
///
///     sphere                        a point, the sphere's radius
///     capsule                       a segment, the capsule's radius
///     point cloud, octree           a point for each point or cell (one tree for all), their radius
///     padded link, rounded box      the mesh, the padding: exact, however the mesh is cut
///     box, convex hull, octree of   a mesh, no radius: the surface, and what it encloses where a query says so
///     boxes, height field           (dbvh_mesh_create_hull() and its like in mesh.h make them)
///
/// Two bodies collide where their meshes are at most the sum of their radii apart, and their distance is that of the
/// meshes less this sum, or 0. The sum of two radii is rounded up to a double; the comparison is exact, and the
/// distance rounded up once more. As with dbvh_collide_shape(), a body inside a closed mesh that does not reach its
/// surface does not collide with it. Lengths are those of the frame that distance.h names.
///
///     query                                            meshes   bodies with a radius
///     dbvh_scene_pairs()                               yes      yes
///     dbvh_scene_collide()                             yes      yes
///     dbvh_scene_collide_batch(), max_distance         yes      yes
///     dbvh_scene_distance(), dbvh_scene_pair_distance  yes      yes; a relative error is taken to be 0
///     dbvh_scene_clashes()                             yes      yes: HARD where they collide, TOUCH within touch_gap,
///                                                               CLEARANCE; no containment, no touch_overlap, no fits
///     dbvh_scene_closest_point()                       yes      yes; within a body, the point itself
///     dbvh_robot_edge_batch() (robot.h)                yes      yes
///     dbvh_scene_overlaps(), dbvh_scene_motion_batch() yes      not built: INVALID_ARGUMENT if any body has a radius
///     dbvh_scene_relate(), dbvh_scene_contacts()       yes      not built: INVALID_ARGUMENT if either has a radius
///     dbvh_scene_overlap_aabb()                        yes      yes
///     dbvh_scene_raycast()                             yes      not built: INVALID_ARGUMENT if any body has a radius
///
/// Cylinders, cones, ellipsoids and half-spaces are no bodies yet.
///
/// Crowds. Where the boxes of n bodies overlap in more than 16 n + 65,536 pairs, the pairs are never all listed at
/// once, but in parts, in order, and each part is checked before the next is listed. So memory does not grow with the
/// number of pairs, a call that needs only one pair ends with the first part that has one, and a budget ends the
/// listing. Sixteen overlaps of boxes that make no pair cost a step of the budget. Updating the broad phase costs none,
/// but calls is_cancelled.
///
/// What the answers mean. The answer about each pair is that of the function for two meshes: dbvh_collide(),
/// dbvh_relate(), dbvh_distance(), dbvh_contacts_find(), dbvh_time_of_impact(), without a tolerance except those of a
/// rule. Lists are sorted by the lower number of a pair, then the higher, and are the same for every number of threads.
///
/// Thread safety: a scene belongs to one thread at a time, also for queries, because these update the broad phase.
/// Trees are only read.

#ifndef DUALBVH_SCENE_H
#define DUALBVH_SCENE_H

#include "dualbvh/closest_point.h"
#include "dualbvh/collide.h"
#include "dualbvh/contact.h"
#include "dualbvh/depth.h"
#include "dualbvh/distance.h"
#include "dualbvh/overlap.h"
#include "dualbvh/raycast.h"
#include "dualbvh/relation.h"
#include "dualbvh/toi.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scene: bodies that are placed in one common frame, see above.
typedef struct dbvh_scene dbvh_scene;

/// A number that no body has.
#define DBVH_NO_BODY UINT32_MAX

/// Makes an empty scene with memory of `allocator` (NULL: the C library's). With an allocator of the caller's, queries
/// that allocate as they proceed (dbvh_scene_clashes()) stay on the calling thread. Errors: INVALID_ARGUMENT,
/// OUT_OF_MEMORY; *scene_out is NULL then. Any thread, constant time.
DBVH_API dbvh_status dbvh_scene_create( const dbvh_allocator *allocator, dbvh_scene **scene_out, dbvh_error *error );
DBVH_API void dbvh_scene_destroy( dbvh_scene *scene ); ///< frees a scene; NULL is allowed

/// Makes a snapshot: a scene of its own with the same bodies, numbers, poses, rules and budget, and memory of
/// `allocator` (NULL: the C library's). Trees are shared and must outlive both. Thereafter the two do not concern each
/// other: one thread may edit one while another plans in the other. What has been derived (the broad phase, the list of
/// pairs) is copied too, so the first query is as quick as that of the scene. Cost: copies some 300 bytes a body; the
/// scene is only read. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY; *scene_out is NULL then.
DBVH_API dbvh_status dbvh_scene_clone( const dbvh_scene *scene, const dbvh_allocator *allocator, dbvh_scene **scene_out,
                                       dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Bodies

/// Options of a body. Zero-initialised: a body of group 1 that is checked against all others, without sag.
typedef struct dbvh_body_options {
	uint32_t group; ///< bits of the groups that the body is in; 0 stands for 1
	uint32_t mask;  ///< bits of the groups that the body is checked against; 0 stands for all
	/// The chordal error of its tessellation: the largest distance of its triangles from the true surface, at least 0.
	/// The sags of both bodies are added to the tolerances of their pair's rule: bodies that lie against each other on
	/// one side are a touch within the two sags, and an overlap that is no deeper than the two sags is a fit (see
	/// dbvh_pair_rule), such as a pin in a bore, whose facets overlap all round.
	double sag;
	void *user; ///< a pointer for the caller, which the library does not use
	/// The body is all points at most this far from its mesh; at least 0. See *Bodies with a radius* above.
	double radius;
} dbvh_body_options;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_body_options dbvh_body_options_default( void );

/// Adds a body: `tree` at `pose` (NULL: the identity). `options` may be NULL. O(1) amortised, also after removals; the
/// next query puts it into the broad phase.
/// Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY, LIMIT (2^31 bodies); *body_out is DBVH_NO_BODY then.
DBVH_API dbvh_status dbvh_scene_add_body( dbvh_scene *scene, const dbvh_tree *tree, const dbvh_pose *pose,
                                          const dbvh_body_options *options, uint32_t *body_out, dbvh_error *error );

/// Removes a body, its rule and the rules of its pairs. O(1), if no pair of it has a rule, else as many steps as there
/// are such rules in the scene. INVALID_ARGUMENT if there is no such body.
DBVH_API dbvh_status dbvh_scene_remove_body( dbvh_scene *scene, uint32_t body, dbvh_error *error );

/// Moves a body. O(1); the work is done by the next query, and only for what has moved to another pose.
/// Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID; the body stays where it was then.
DBVH_API dbvh_status dbvh_scene_set_pose( dbvh_scene *scene, uint32_t body, const dbvh_pose *pose, dbvh_error *error );

/// Moves many bodies at once: bodies[i] to poses[i]; with `bodies` NULL, all bodies of the scene, in ascending order,
/// whose number `count` must be. If one is refused, its index is error->element, and no body moves.
DBVH_API dbvh_status dbvh_scene_set_poses( dbvh_scene *scene, const uint32_t *bodies, const dbvh_pose *poses,
                                           size_t count, dbvh_error *error );

/// Gets the tree, pose and options of a body. Any pointer may be NULL. Returns false, and writes nothing, if there is
/// no such body.
DBVH_API bool dbvh_scene_get_body( const dbvh_scene *scene, uint32_t body, const dbvh_tree **tree_out,
                                   dbvh_pose *pose_out, dbvh_body_options *options_out );

DBVH_API size_t dbvh_scene_body_count( const dbvh_scene *scene ); ///< number of bodies; 0 for NULL

/// Returns the lowest number of a body that is not below `from`; DBVH_NO_BODY if there is none. To visit all bodies:
///
///     for ( uint32_t b = dbvh_scene_next_body( s, 0 ); b != DBVH_NO_BODY; b = dbvh_scene_next_body( s, b + 1 ) )
DBVH_API uint32_t dbvh_scene_next_body( const dbvh_scene *scene, uint32_t from );

// ------------------------------------------------------------------------------------------------
// Rules

/// The rule of a pair of bodies. Lengths are in the unit of the scene and at least 0. Zero-initialised: the two must
/// not meet, touching included.
typedef struct dbvh_pair_rule {
	bool may_collide; ///< the pair is never checked
	bool may_touch;   ///< touching is no clash
	/// The clearance: bodies less than this apart clash; 0: no clearance. Bodies at exactly this distance keep it,
	/// whereas dbvh_check_clearance() counts them as within it.
	double clearance;
	/// The tolerances of dbvh_relate_query: bodies at most touch_gap apart touch, and bodies that a translation of one
	/// as a whole by at most touch_overlap separates only touch. The latter does not measure how deep the solids
	/// overlap at one place. The sags of both bodies are added to either.
	double touch_gap, touch_overlap;
	/// Limits within which an overlap is a *fit*, and no clash: its local depth (dbvh_local_depth(), the smaller of the
	/// two sides), and its volume. 0: no such limit is set. An overlap fits if it keeps every limit that is set; the
	/// sags of both bodies are added to allowed_depth. It also fits if the sags alone allow its depth, because the
	/// tessellation then explains it: a pin whose facets overlap its bore all round. Trees without topology, and open
	/// ones, have no depth and never fit.
	double allowed_depth, allowed_volume;
} dbvh_pair_rule;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_pair_rule dbvh_pair_rule_default( void );

/// Sets the rule for pairs that have no other; NULL: dbvh_pair_rule_default(). Errors: INVALID_ARGUMENT (also a length
/// that is negative, infinite or NaN). O(1).
DBVH_API dbvh_status dbvh_scene_set_default_rule( dbvh_scene *scene, const dbvh_pair_rule *rule, dbvh_error *error );

/// Sets the rule of a body, for its pairs that have none of their own; NULL removes it. Errors: INVALID_ARGUMENT (as
/// above), OUT_OF_MEMORY. Where both bodies of a pair have one, the pair may collide, or touch, if either rule says so,
/// and each length is the larger of the two.
DBVH_API dbvh_status dbvh_scene_set_body_rule( dbvh_scene *scene, uint32_t body, const dbvh_pair_rule *rule,
                                               dbvh_error *error );

/// Sets the rule of a pair, which takes precedence over all others; NULL removes it. Errors: INVALID_ARGUMENT (as
/// above, and a = b), OUT_OF_MEMORY. O(1).
DBVH_API dbvh_status dbvh_scene_set_pair_rule( dbvh_scene *scene, uint32_t a, uint32_t b, const dbvh_pair_rule *rule,
                                               dbvh_error *error );

/// Looks up the rule that applies to a pair. Returns false if the pair is never checked: there is no such pair, the
/// masks exclude it, or its rule says may_collide. *rule_out (may be NULL) is the rule in any case, all zero if there
/// is no such pair.
DBVH_API bool dbvh_scene_get_rule( const dbvh_scene *scene, uint32_t a, uint32_t b, dbvh_pair_rule *rule_out );

// ------------------------------------------------------------------------------------------------
// Queries

/// Sets the budget of queries of the whole scene that have none of their own: those whose query structure has none, and
/// those without a query structure, dbvh_scene_pairs(), dbvh_scene_raycast() and dbvh_scene_overlap_aabb(). The budget
/// is copied; its pointers must stay valid until another one is set. NULL: no limit, as at first. Errors:
/// INVALID_ARGUMENT (no scene). O(1).
DBVH_API dbvh_status dbvh_scene_set_budget( dbvh_scene *scene, const dbvh_budget *budget, dbvh_error *error );

/// Two bodies, a < b.
typedef struct dbvh_body_pair {
	uint32_t a, b;
} dbvh_body_pair;

/// The members that queries of all pairs share. Zero-initialised: whether any pair is found, on as many threads as the
/// library chooses.
typedef struct dbvh_scene_query {
	/// DBVH_FIND_ANY: only the lowest pair that is found. DBVH_FIND_ALL: every pair.
	dbvh_find find;
	dbvh_policy policy;
	/// dbvh_scene_clashes() lists pairs that overlap within what their rule allows, too, as DBVH_CLASH_KIND_FIT. With
	/// DBVH_FIND_ANY one of them ends the call.
	bool lists_fits;
	/// With `has_body` only pairs of which one body is `body`; without, all pairs.
	bool has_body;
	uint32_t body;
	uint32_t thread_count; ///< see base.h; a scene has many pieces of work: 0 leaves the choice to the library
	/// A callback that gets the number of pairs done and of all pairs whose boxes overlap (in a crowd, see above, of
	/// those listed so far), on the calling thread, now and then, also within a pair that takes long and while other
	/// threads are at work, and in the end. NULL: none. Returning false ends the call with CANCELLED; the result has
	/// the pairs found by then. It must not use the scene.
	bool ( *progress )( void *user, size_t done, size_t total );
	void *user;
	/// A limit on the work of the call; NULL: none. max_work holds for each query of a pair (a clash may take two: the
	/// relation, and the distance), max_total for all pairs together, in their order. Where it ends the call early, the
	/// call returns DBVH_BUDGET_SPENT or DBVH_CANCELLED: pairs that were found are certain, and the pairs that have no
	/// answer are listed in `open`. With DBVH_FIND_ANY one pair is the answer, and the call succeeds.
	const dbvh_budget *budget;
	/// Array for the pairs that have no answer, because a budget or a callback ended their query or they were not
	/// reached: the lowest ones first, as far as there is room. Pairs that are neither here nor found are clear. NULL:
	/// they are only counted.
	dbvh_body_pair *open;
	size_t open_capacity;
} dbvh_scene_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_scene_query dbvh_scene_query_default( void );

/// The members that results of queries of all pairs share.
typedef struct dbvh_scene_result {
	/// Pairs of bodies that are checked and whose boxes, grown by the lengths of their rules, overlap.
	size_t pair_count;
	size_t done_count;    ///< number of these pairs that have an answer: all, unless the call was ended early
	size_t found_count;   ///< number of pairs found, whether or not there was room
	size_t written_count; ///< number of pairs in the caller's list: the lowest ones
	/// Number of pairs that have no answer, whether or not there was room for them in dbvh_scene_query.open; with
	/// DBVH_FIND_ANY only pairs before the one that was found.
	size_t open_count;
	size_t open_written; ///< number of pairs in dbvh_scene_query.open
	/// True if there may be pairs that none of the above counts: in a crowd (see above) the call ended before it had
	/// listed them. Nothing is known about pairs behind the last one that was listed.
	bool has_more;
} dbvh_scene_result;

/// Updates the broad phase and lists the pairs of bodies that are checked and whose boxes overlap: `pairs_out`, room
/// for `capacity`, may be NULL. Every query does the same first. Cost: O(n log n) where much has moved, nothing where
/// no body has; in a crowd as many steps as a sixteenth of the pairs. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY; with
/// dbvh_scene_set_budget() also BUDGET_SPENT and CANCELLED, and the result has the pairs listed until then.
DBVH_API dbvh_status dbvh_scene_pairs( dbvh_scene *scene, dbvh_body_pair *pairs_out, size_t capacity,
                                       dbvh_scene_result *result_out, dbvh_error *error );

/// Two bodies whose surfaces meet.
typedef struct dbvh_scene_collision {
	uint32_t a, b;
	/// A triangle of each that intersect, or are at most the sum of the radii apart; the choice depends on the policy
	/// and the instruction set.
	dbvh_pair first;
} dbvh_scene_collision;

/// Lists the pairs of bodies whose surfaces meet: dbvh_collide() of every pair, dbvh_check_clearance() by the sum of
/// their radii where one has a radius. `query` NULL: whether there is any.
/// `collisions_out`, room for `capacity`, may be NULL. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY; BUDGET_SPENT and
/// CANCELLED with the pairs found so far: see dbvh_scene_query.
DBVH_API dbvh_status dbvh_scene_collide( dbvh_scene *scene, const dbvh_scene_query *query,
                                         dbvh_scene_collision *collisions_out, size_t capacity,
                                         dbvh_scene_result *result_out, dbvh_error *error );

typedef enum dbvh_clash_kind {
	DBVH_CLASH_KIND_HARD,        ///< the bodies overlap; without topology: their surfaces meet
	DBVH_CLASH_KIND_CONTAINMENT, ///< one body is inside the other
	DBVH_CLASH_KIND_DUPLICATE,   ///< both are the same solid
	DBVH_CLASH_KIND_TOUCH,       ///< they only touch, by the tolerances of their rule
	DBVH_CLASH_KIND_CLEARANCE,   ///< they are less than their clearance apart
	/// One has an open surface that may enclose the other: see dbvh_relate(). Or they overlap, and whether they fit
	/// (dbvh_pair_rule.allowed_depth) cannot be told: their depth is too near the limit.
	DBVH_CLASH_KIND_UNDECIDABLE,
	DBVH_CLASH_KIND_FIT, ///< they overlap within what their rule allows: no clash, see dbvh_scene_query.lists_fits
} dbvh_clash_kind;

/// The enumerator's name without its prefix, for example "HARD"; "?" for a number that is none.
DBVH_API const char *dbvh_clash_kind_name( dbvh_clash_kind kind );

typedef struct dbvh_clash {
	uint32_t a, b;
	dbvh_clash_kind kind;
	/// The relation by dbvh_relate(), with the tolerances of the rule and without. For trees without topology:
	/// OVERLAPPING where the surfaces meet, else DISJOINT.
	dbvh_relation relation, exact;
	double distance; ///< distance of the two for DBVH_CLASH_KIND_CLEARANCE; else 0
	dbvh_pair first; ///< a triangle of each that intersect, or are nearest to each other; 0 where surfaces are apart
	double point_a[3], point_b[3]; ///< points at that distance, for DBVH_CLASH_KIND_CLEARANCE
	double separation[3];          ///< separation of a touch by touch_overlap: see dbvh_relate_result
} dbvh_clash;

/// Lists the clashes: every pair that breaks its rule. Trees without topology are compared by their surfaces alone.
/// Bodies that overlap within the limits of their rule, or by what their sags explain, are a fit, and no clash.
/// Bodies that only touch are a clash unless their rule says may_touch; bodies less than their clearance apart are a
/// clash in any case. Errors: as dbvh_scene_collide().
DBVH_API dbvh_status dbvh_scene_clashes( dbvh_scene *scene, const dbvh_scene_query *query, dbvh_clash *clashes_out,
                                         size_t capacity, dbvh_scene_result *result_out, dbvh_error *error );

/// How much and how deep two bodies overlap. Intervals are certified: see overlap.h and depth.h.
typedef struct dbvh_scene_overlap {
	uint32_t a, b;
	dbvh_relation relation;     ///< by dbvh_relate(), without a tolerance: OVERLAPPING, A_IN_B, B_IN_A or EQUAL
	dbvh_overlap_kind kind;     ///< UNDECIDED where `reason` says why
	dbvh_overlap_reason reason; ///< DECIDED: the volume is that of the overlap; else from 0 to an upper bound
	dbvh_interval volume;
	size_t component_count; ///< connected parts of the overlap
	/// Local depth: how deep material is in material, the smaller one of a_in_b and b_in_a. What fits tolerate, and
	/// what a list of clashes is sorted by.
	dbvh_interval depth;
	dbvh_interval a_in_b, b_in_a; ///< local depth of either side
	double deepest[3];            ///< a point of the overlap that is that deep, in the frame of the scene, rounded
	double nearest[3];            ///< the point of the other surface nearest to it
	/// FIT where the rule of the pair, or the sags, allow the overlap; UNDECIDED also where a pair took too much work.
	dbvh_fit_verdict verdict;
} dbvh_scene_overlap;

/// Measures the overlaps of all pairs that are checked and whose interiors have common points: fits and clashes, sorted
/// by their numbers as all lists are. Trees need topology; pairs with an open mesh that may matter are left out, as
/// dbvh_scene_clashes() lists them. `query` NULL: the first such pair. Local depths are found to a relative width of
/// 1e-3, and left wider after 20 million steps. Cost: that of dbvh_local_depth_components() for each pair that
/// overlaps. Errors: as dbvh_scene_collide(); NO_TOPOLOGY.
DBVH_API dbvh_status dbvh_scene_overlaps( dbvh_scene *scene, const dbvh_scene_query *query,
                                          dbvh_scene_overlap *overlaps_out, size_t capacity,
                                          dbvh_scene_result *result_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Distance

/// The query. Zero-initialised: the least distance of all pairs, on as many threads as the library chooses.
typedef struct dbvh_scene_distance_query {
	double limit; ///< the largest distance of interest: pairs beyond it count as not found; 0 or INFINITY: no limit
	dbvh_policy policy;
	bool has_body; ///< this and the members below are those of dbvh_scene_query
	uint32_t body;
	uint32_t thread_count;
	bool ( *progress )( void *user, size_t done, size_t total );
	void *user;
	/// A limit on the work of the call; NULL: none. max_work holds for each pair, max_total for all together. Where it
	/// ends the call early, the call returns DBVH_BUDGET_SPENT or DBVH_CANCELLED, and the result is the closest pair
	/// until then, if any, and a lower bound of all distances. Both depend on the number of threads: a pair that is
	/// close saves work on others.
	const dbvh_budget *budget;
} dbvh_scene_distance_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_scene_distance_query dbvh_scene_distance_query_default( void );

/// The two bodies of a scene that are closest to each other.
typedef struct dbvh_scene_distance_result {
	bool found;      ///< false: no pair that is checked is within the limit; all else is 0 then
	uint32_t a, b;   ///< the closest pair; of pairs at the same distance the lowest
	double distance; ///< this and the members below are those of dbvh_distance_result
	/// The nearest triangles. With radii, the points below are on the surfaces round them; where these meet, they are
	/// those of the triangles.
	dbvh_pair pair;
	double point_a[3], point_b[3], between[3];
	double at_least; ///< a lower bound of the distance of any pair where the call was ended early; else 0
} dbvh_scene_distance_result;

/// Finds the pair of bodies that are closest to each other among all pairs that are checked. `query` may be NULL.
/// Errors: those of dbvh_scene_collide(); INVALID_ARGUMENT also for a limit that is negative or NaN. With BUDGET_SPENT
/// and CANCELLED the result is that of dbvh_scene_distance_query.budget.
DBVH_API dbvh_status dbvh_scene_distance( dbvh_scene *scene, const dbvh_scene_distance_query *query,
                                          dbvh_scene_distance_result *result_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// One pair
//
// Queries of two different bodies by their numbers, at their poses in the scene, even if masks and rules exclude the
// pair. For dbvh_collide() and dbvh_check_clearance() get tree and pose by dbvh_scene_get_body(). Errors:
// INVALID_ARGUMENT (no scene, no such body, twice the same), and those of the function for two meshes.

/// Determines the relation of bodies a and b by dbvh_relate(), with the touch tolerances of their rule and their sags,
/// as dbvh_scene_clashes() does. `budget` NULL: no limit.
DBVH_API dbvh_status dbvh_scene_relate( dbvh_scene *scene, uint32_t a, uint32_t b, const dbvh_budget *budget,
                                        dbvh_relate_result *result_out, dbvh_error *error );

/// Computes the distance of bodies a and b by dbvh_distance(). `query` may be NULL.
DBVH_API dbvh_status dbvh_scene_pair_distance( dbvh_scene *scene, uint32_t a, uint32_t b,
                                               const dbvh_distance_query *query, dbvh_distance_result *result_out,
                                               dbvh_error *error );

/// Finds the contacts of bodies a and b by dbvh_contacts_find(). `query` may be NULL; `contacts` is emptied first, and
/// stays empty on error.
DBVH_API dbvh_status dbvh_scene_contacts( dbvh_scene *scene, uint32_t a, uint32_t b, const dbvh_contacts_query *query,
                                          dbvh_contacts *contacts, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Many configurations

/// The query about each configuration. Zero-initialised: whether any pair of bodies collides.
typedef struct dbvh_configurations_query {
	/// DBVH_FIND_ANY: the first pair that is found ends a configuration. DBVH_FIND_ALL: every pair that collides.
	dbvh_find find;
	dbvh_policy policy;
	/// The bodies that poses are given for, body_count different ones, in the order of the poses; NULL: all bodies of
	/// the scene, ascending (body_count 0, or their number). Bodies that are not named stay where the scene has them.
	const uint32_t *bodies;
	size_t body_count;
	/// Above 0: also find the least distance of any pair that is checked, if it is at most this (INFINITY: always).
	/// Pairs that collide are 0 apart. With it, DBVH_FIND_ANY still ends with the first collision.
	double max_distance;
	uint32_t thread_count; ///< 0: the library's choice; see base.h
	/// DBVH_FIND_ALL: array for the pairs, ascending. Configuration i writes from pair_begin[i] up to, and without,
	/// pair_begin[i + 1], as in dbvh_collide_batch(). NULL: they are only counted.
	dbvh_body_pair *pairs;
	const size_t *pair_begin;
	/// A callback as in dbvh_scene_query, which counts configurations.
	bool ( *progress )( void *user, size_t done, size_t total );
	void *user;
	/// A limit on the work of the call; NULL: none. max_work holds for each pair of bodies in a configuration,
	/// max_total for the whole call: the configurations up to some index are finished then. See
	/// dbvh_configuration_result.status.
	const dbvh_budget *budget;
} dbvh_configurations_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_configurations_query dbvh_configurations_query_default( void );

typedef struct dbvh_configuration_result {
	dbvh_verdict verdict;
	/// A pair that collides, where the verdict is DBVH_INTERSECTING; with DBVH_FIND_ALL the lowest one.
	dbvh_body_pair first;
	size_t pair_count; ///< DBVH_FIND_ALL: number of pairs that collide, whether or not there was room; else 0 or 1
	size_t written_count;
	bool has_distance; ///< true if max_distance is above 0 and some pair is within it
	double distance;   ///< distance of the nearest pair; 0 where one collides
	dbvh_body_pair nearest;
	/// The reason why the configuration has no answer; else DBVH_OK. With BUDGET_SPENT and CANCELLED the other members
	/// have the pairs found until then, if the configuration was reached at all: pairs that do collide, perhaps not all
	/// of them, and a distance that another pair may be below; DBVH_DISJOINT is no answer then.
	dbvh_status status;
} dbvh_configuration_result;

/// Tells for each of many configurations of some bodies of a scene whether bodies collide, as motion planners ask for
/// robots: poses[i * body_count + k] is the pose of body k of the query in configuration i. The rules of the scene
/// hold, without their clearances and tolerances. The scene does not change.
///
/// Verdict, pairs and distance of results_out[i] are those of dbvh_scene_collide() and dbvh_scene_distance() with the
/// bodies at these poses, whatever the number of threads. `first` of DBVH_FIND_ANY is the same for every number of
/// threads, but depends on the configurations before it: pairs that collided last are checked first, since they are
/// likely to collide again.
///
/// A configuration with a pose that is refused leaves the others valid: its status says why, and the call returns the
/// status of the first such configuration, with its index in error->element. Cost: one box for each body, and
/// dbvh_collide() for pairs whose boxes overlap. Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY,
/// BUDGET_SPENT, CANCELLED (results of configurations that were not finished have that status).
DBVH_API dbvh_status dbvh_scene_collide_batch( dbvh_scene *scene, const dbvh_pose *poses, size_t configuration_count,
                                               const dbvh_configurations_query *query,
                                               dbvh_configuration_result *results_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Many motions

/// An edge of a roadmap: the motion from one configuration to another, by their indices. Bodies do not move in joint
/// space on it, see dbvh_scene_motion_batch().
typedef struct dbvh_edge {
	size_t from, to;
} dbvh_edge;

/// The query about each edge. Zero-initialised: whether any two bodies meet while each moves, by a screw of its own,
/// from each configuration to the next.
typedef struct dbvh_motions_query {
	/// DBVH_FIND_ANY: the first pair that is found in contact ends an edge, at whatever time. DBVH_FIND_CLOSEST: the
	/// first contact of all pairs.
	dbvh_find find;
	dbvh_policy policy;     ///< see dbvh_toi_query
	const uint32_t *bodies; ///< see dbvh_configurations_query
	size_t body_count;
	const dbvh_edge *edges; ///< NULL: edge i goes from configuration i to i + 1
	size_t edge_count;      ///< number of edges in `edges`
	/// For each body, in the order of the poses, its point that moves along a straight line, in the frame of its mesh:
	/// `centre` of dbvh_motion_between(). NULL: screw motions.
	const double ( *centres )[3];
	double tolerance; ///< see dbvh_toi_query
	/// A limit on the work of the call; NULL: none. max_work holds for each pair of bodies on an edge, as in
	/// dbvh_toi_query, max_total for the whole call: the edges up to some index are finished then.
	const dbvh_budget *budget;
	uint32_t thread_count; ///< 0: the library's choice; see base.h
	/// A callback as in dbvh_scene_query, which counts edges.
	bool ( *progress )( void *user, size_t done, size_t total );
	void *user;
} dbvh_motions_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_motions_query dbvh_motions_query_default( void );

typedef struct dbvh_edge_result {
	/// CLEAR: no pair of bodies that is checked meets on the edge, each body moving by a screw. Else the verdict of the
	/// pair of bodies that is named.
	dbvh_toi_verdict verdict;
	/// A time before which no two bodies meet: 1 where the edge is clear, else the least time of any pair. Where
	/// DBVH_FIND_ANY ended with a contact, the time of that pair alone: others may meet before it.
	double time;
	/// The least time at which bodies are known to intersect; INFINITY: none is known. It may be that of another pair,
	/// where the one that is named comes close without a contact, or spent its budget: the edge is not free then in
	/// either case.
	double upper;
	/// The pair that is named; of pairs at the same time the lowest; zero where the edge is clear.
	dbvh_body_pair bodies;
	/// The result of dbvh_time_of_impact() for the two, A being the lower; all zero where the edge is clear.
	dbvh_toi_result impact;
	/// The reason why the edge has no answer: BUDGET_SPENT where the verdict is UNDECIDED, the status of a pose that is
	/// refused, CANCELLED or BUDGET_SPENT where the edge was not reached (UNDECIDED from time 0 on); else DBVH_OK.
	dbvh_status status;
} dbvh_edge_result;

/// Tells for each of many edges between configurations of some bodies of a scene whether bodies meet on it, each body
/// moving by a screw of its own. The answer is about every time and not about samples; its limits are said below.
/// poses[i * body_count + k] is the pose of body k of the query in configuration i, of `configuration_count`.
/// results_out has an element for every edge: configuration_count - 1 of them (none for no configuration) where
/// query->edges is NULL. The rules of the scene hold as in dbvh_scene_collide_batch(); bodies that are not named stay
/// where they are. The scene does not change.
///
/// The motion. On an edge each body moves, independently, from its pose in one configuration to that in the other as
/// dbvh_motion_between() says, by a turn of at most half a circle; all at once, time 0 to 1. The certificate is about
/// that motion. Bodies that move in a straight line or about one axis really move so. A robot that moves in joint space
/// does not: the links behind a joint that turns move along other curves. In the middle between two configurations of a
/// Panda they are 0.03 mm off at 0.02 rad in each joint, 0.8 mm at 0.1 rad, 7 mm and at most 18 mm at 0.3 rad; it falls
/// with the square of the step. So CLEAR is no certificate for an edge of a planner in joint space
/// (dbvh_robot_edge_batch() is): give configurations so near to each other that the error is negligible, and cover the
/// rest with a clearance.
///
/// The answers. Each pair of bodies, of which one at least is named, has the answer of dbvh_time_of_impact(), and its
/// certificate. Pairs are discarded by boxes around the volumes that bodies sweep, which enclose these for every time,
/// rounding included. Results of DBVH_FIND_CLOSEST are those of asking every pair, whatever the number of threads.
/// Which contact DBVH_FIND_ANY ends with depends on the edges before it, as with dbvh_scene_collide_batch(), but not on
/// the number of threads.
///
/// An edge that fails leaves the others valid: its status says why, and the call returns the status of the first such
/// edge, with its index in error->element. Cost: some ten boxes for each body, and dbvh_time_of_impact() for pairs
/// whose boxes overlap at a time. Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY, BUDGET_SPENT,
/// CANCELLED.
DBVH_API dbvh_status dbvh_scene_motion_batch( dbvh_scene *scene, const dbvh_pose *poses, size_t configuration_count,
                                              const dbvh_motions_query *query, dbvh_edge_result *results_out,
                                              dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Points, rays and boxes against all bodies

typedef struct dbvh_scene_hit {
	uint32_t body; ///< the body that is hit; DBVH_NO_BODY: none is
	dbvh_ray_hit hit;
} dbvh_scene_hit;

/// Finds the first hit of a ray; of equal hits that on the lowest body. Like the two functions below it descends a tree
/// over the boxes of bodies: bodies that are not near the ray, the point or the box cost nothing. Errors:
/// INVALID_ARGUMENT, NOT_FINITE, OUT_OF_MEMORY; with dbvh_scene_set_budget(), whose max_work holds for each body and
/// max_total for all, also BUDGET_SPENT and CANCELLED, and the result is a hit that was found until then, perhaps not
/// the first.
DBVH_API dbvh_status dbvh_scene_raycast( dbvh_scene *scene, const dbvh_ray *ray, dbvh_scene_hit *hit_out,
                                         dbvh_error *error );

typedef struct dbvh_scene_closest_point_result {
	uint32_t body; ///< the closest body; DBVH_NO_BODY: none is within the limit
	dbvh_closest_point_result closest;
} dbvh_scene_closest_point_result;

/// Finds the point of any body that is closest to a given point; of bodies equally close the lowest. `query` may be
/// NULL; the max_work of its budget holds for each body, the max_total for all of them. Errors: INVALID_ARGUMENT,
/// NOT_FINITE, OUT_OF_MEMORY; with a budget also BUDGET_SPENT and CANCELLED, and the result is the closest point found
/// until then.
DBVH_API dbvh_status dbvh_scene_closest_point( dbvh_scene *scene, const double point[3],
                                               const dbvh_closest_point_query *query,
                                               dbvh_scene_closest_point_result *result_out, dbvh_error *error );

/// Lists the bodies with a surface that meets a box along the axes, or comes as near to it as their radius, ascending:
/// `bodies_out`, room for `capacity`, may be NULL; *count_out is their number. Errors: INVALID_ARGUMENT, NOT_FINITE,
/// OUT_OF_MEMORY; with dbvh_scene_set_budget() also BUDGET_SPENT and CANCELLED, and the result has the lowest of them.
DBVH_API dbvh_status dbvh_scene_overlap_aabb( dbvh_scene *scene, const dbvh_aabb *box, uint32_t *bodies_out,
                                              size_t capacity, size_t *count_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_SCENE_H
