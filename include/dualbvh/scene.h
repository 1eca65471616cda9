// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file scene.h
/// Many bodies: which of them clash, which is nearest, what does a ray hit?
///
/// A scene holds bodies. A body is a tree at a pose; many bodies may share a tree, which must outlive them. Bodies are
/// known by numbers that stay theirs until they are removed. A number that has become free is given to the next body
/// that is added, the lowest first: the same calls make the same numbers.
///
/// Which pairs are looked at. Two bodies are a pair if the group of each is in the mask of the other and the rules do
/// not allow the two to meet. Rules are looked up from the most particular to the most general: the rule of the pair,
/// else those of the two bodies, else the default rule of the scene. Bodies that are far apart cost nothing: of each
/// pair only the bounding boxes are compared, by a tree over all boxes (a broad phase) that leaves out exactly what
/// comparing each with each would leave out, wherever the scene lies. When bodies move it is mended, and when nothing
/// moved nothing is done. A tree that is refitted (dbvh_tree_refit()) has moved all bodies that it is the tree of.
///
/// Crowds. Where the boxes of n bodies overlap in more than 16 n + 65,536 pairs, there is no list of all of them: pairs
/// are listed in parts, in order, and those of a part are asked before the next is listed. So memory does not grow with
/// the number of pairs, a call that one pair is enough for ends with the first part that has one, and a budget ends the
/// listing. Sixteen boxes that overlap and make no pair are a step. Bringing the broad phase up to date is no step, but
/// is_cancelled is asked.
///
/// What the answers mean. Of each pair the answer is that of the function for two meshes: dbvh_collide(),
/// dbvh_relate(), dbvh_distance(), dbvh_contacts_find(), dbvh_time_of_impact(), without a tolerance but those that a
/// rule gives. Lists are sorted by the lower number of a pair, then the higher, and are the same for every number of
/// threads.
///
/// Thread safety: a scene belongs to one thread at a time, queries too, because they bring the broad phase up to date.
/// Trees are only read.

#ifndef DUALBVH_SCENE_H
#define DUALBVH_SCENE_H

#include "dualbvh/closest_point.h"
#include "dualbvh/collide.h"
#include "dualbvh/contact.h"
#include "dualbvh/distance.h"
#include "dualbvh/raycast.h"
#include "dualbvh/relation.h"
#include "dualbvh/toi.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bodies that are placed in one world: see above.
typedef struct dbvh_scene dbvh_scene;

/// No body has this number.
#define DBVH_NO_BODY UINT32_MAX

/// `allocator` NULL is the C library's. With one of the caller's own, questions whose memory grows as they go
/// (dbvh_scene_clashes()) stay on the calling thread. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY.
DBVH_API dbvh_status dbvh_scene_create( const dbvh_allocator *allocator, dbvh_scene **scene_out, dbvh_error *error );
DBVH_API void dbvh_scene_destroy( dbvh_scene *scene ); ///< NULL is allowed

// ------------------------------------------------------------------------------------------------
// Bodies

/// Zero-initialised: a body that is checked against all others, of which nothing is known.
typedef struct dbvh_body_options {
	uint32_t group; ///< the groups that it is in, a bit each; 0 stands for 1
	uint32_t mask;  ///< the groups that it is checked against; 0 stands for all
	/// How far its triangles may be from the surface that they stand for, at least 0. It is added to both tolerances of
	/// the rule of a pair, with what these do and do not do: bodies that lie against each other on one side are a touch
	/// within the sags of both. A pin in a bore, whose facets overlap all round, is not: no small move parts the two.
	double sag;
	void *user; ///< whatever the caller likes
} dbvh_body_options;

DBVH_API dbvh_body_options dbvh_body_options_default( void );

/// Adds a body: `tree` at `pose` (NULL: the identity). `options` may be NULL. O(1) amortised.
/// Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY, LIMIT (2^31 bodies); *body_out is DBVH_NO_BODY then.
DBVH_API dbvh_status dbvh_scene_add_body( dbvh_scene *scene, const dbvh_tree *tree, const dbvh_pose *pose,
                                          const dbvh_body_options *options, uint32_t *body_out, dbvh_error *error );

/// Removes a body, its rule and the rules of its pairs. INVALID_ARGUMENT if there is no such body.
DBVH_API dbvh_status dbvh_scene_remove_body( dbvh_scene *scene, uint32_t body, dbvh_error *error );

/// Moves a body. O(1); the work is done by the next query, and only for what has moved to another pose.
/// Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID; the body stays where it was then.
DBVH_API dbvh_status dbvh_scene_set_pose( dbvh_scene *scene, uint32_t body, const dbvh_pose *pose, dbvh_error *error );

/// Moves many bodies at once: bodies[i] to poses[i]; with `bodies` NULL, all bodies of the scene, in ascending order,
/// whose number `count` must be. If one is refused, its index is error->element, and no body moves.
DBVH_API dbvh_status dbvh_scene_set_poses( dbvh_scene *scene, const uint32_t *bodies, const dbvh_pose *poses,
                                           size_t count, dbvh_error *error );

/// What is known of a body. Any pointer may be NULL. Returns false, and writes nothing, if there is no such body.
DBVH_API bool dbvh_scene_get_body( const dbvh_scene *scene, uint32_t body, const dbvh_tree **tree_out,
                                   dbvh_pose *pose_out, dbvh_body_options *options_out );

DBVH_API size_t dbvh_scene_body_count( const dbvh_scene *scene ); ///< 0 for NULL

/// The lowest number of a body that is not below `from`; DBVH_NO_BODY if there is none. To visit all:
///
///     for ( uint32_t b = dbvh_scene_next_body( s, 0 ); b != DBVH_NO_BODY; b = dbvh_scene_next_body( s, b + 1 ) )
DBVH_API uint32_t dbvh_scene_next_body( const dbvh_scene *scene, uint32_t from );

// ------------------------------------------------------------------------------------------------
// Rules

/// What holds for a pair of bodies. Lengths are in the unit of the scene and at least 0. Zero-initialised: the two must
/// not meet, touching included.
typedef struct dbvh_pair_rule {
	bool may_collide; ///< the pair is never looked at
	bool may_touch;   ///< touching is no clash
	/// Bodies less than this apart clash; 0: none is asked for. At exactly this distance they keep it, where
	/// dbvh_check_clearance() counts them as within it.
	double clearance;
	/// As in dbvh_relate_query: bodies at most this far apart touch, and those that one move of the whole body by at
	/// most this parts do no more than touch. That is no measure of how deep the material overlaps at a place. The sags
	/// of both bodies are added to either.
	double touch_gap, touch_overlap;
} dbvh_pair_rule;

DBVH_API dbvh_pair_rule dbvh_pair_rule_default( void );

/// The rule for pairs that have no other; NULL: dbvh_pair_rule_default().
DBVH_API dbvh_status dbvh_scene_set_default_rule( dbvh_scene *scene, const dbvh_pair_rule *rule, dbvh_error *error );

/// The rule of a body, for its pairs that have none of their own; NULL removes it. Where both bodies of a pair have
/// one, the pair may collide, or touch, if either rule says so, and each length is the larger of the two.
DBVH_API dbvh_status dbvh_scene_set_body_rule( dbvh_scene *scene, uint32_t body, const dbvh_pair_rule *rule,
                                               dbvh_error *error );

/// The rule of a pair, which goes before all others; NULL removes it. O(1).
DBVH_API dbvh_status dbvh_scene_set_pair_rule( dbvh_scene *scene, uint32_t a, uint32_t b, const dbvh_pair_rule *rule,
                                               dbvh_error *error );

/// What holds for a pair in the end. Returns false if the two are never looked at: there is no such pair, their masks
/// leave it out, or they may collide. *rule_out (may be NULL) is the rule either way, all zero if there is no such
/// pair.
DBVH_API bool dbvh_scene_get_rule( const dbvh_scene *scene, uint32_t a, uint32_t b, dbvh_pair_rule *rule_out );

// ------------------------------------------------------------------------------------------------
// Queries

/// The budget of the questions about the scene as a whole that bring none of their own: those whose query has none, and
/// those without a query, dbvh_scene_pairs(), dbvh_scene_raycast() and dbvh_scene_overlap_aabb(). It is copied; what
/// its pointers lead to must be there until another one is set. NULL: no limit, as at first. INVALID_ARGUMENT without a
/// scene. O(1).
DBVH_API dbvh_status dbvh_scene_set_budget( dbvh_scene *scene, const dbvh_budget *budget, dbvh_error *error );

/// Two bodies, a < b.
typedef struct dbvh_body_pair {
	uint32_t a, b;
} dbvh_body_pair;

/// What queries share. Zero-initialised: is there any among all pairs, on as many threads as the library chooses.
typedef struct dbvh_scene_query {
	/// DBVH_FIND_ANY: the lowest pair that is found is enough. DBVH_FIND_ALL: every one.
	dbvh_find find;
	dbvh_policy policy;
	/// Only pairs of which one body is this; `has_body` false: all pairs.
	bool has_body;
	uint32_t body;
	uint32_t thread_count; ///< see base.h; a scene has many pieces of work: 0 leaves the choice to the library
	/// Told how many of the pairs whose boxes overlap are done, on the calling thread, now and then, also within a pair
	/// that takes long and while other threads are at work, and in the end; in a crowd (see above) of those that were
	/// listed so far. NULL: nobody is. False ends the call, with
	/// CANCELLED; what has been found by then is in the result. It must not touch the scene.
	bool ( *progress )( void *user, size_t done, size_t total );
	void *user;
	/// How much work the call may do; NULL: no limit. max_work is for each question about a pair (a clash may take two:
	/// the relation, and the distance), max_total for all pairs together, in their order. Where it ends early, the call
	/// returns DBVH_BUDGET_SPENT or DBVH_CANCELLED: what was found is found, and the pairs that have no answer are
	/// listed in `open`. With DBVH_FIND_ANY a pair that was found is the answer, and the call succeeds.
	const dbvh_budget *budget;
	/// Where pairs go that have no answer, because a budget or a callback ended theirs or they were not reached: the
	/// lowest ones first, as far as there is room. What is neither here nor found is clear. NULL: they are only
	/// counted.
	dbvh_body_pair *open;
	size_t open_capacity;
} dbvh_scene_query;

DBVH_API dbvh_scene_query dbvh_scene_query_default( void );

/// What queries share of their results.
typedef struct dbvh_scene_result {
	size_t
	    pair_count; ///< pairs of bodies whose boxes, grown by what the rules ask for, overlap, and that are looked at
	size_t done_count;    ///< how many of them have an answer: all, unless the call was ended early
	size_t found_count;   ///< how many were found, whether or not there was room
	size_t written_count; ///< how many are in the list of the caller: the lowest ones
	/// How many pairs have no answer, whether or not there was room for them in dbvh_scene_query.open; with
	/// DBVH_FIND_ANY of those before the one that was found.
	size_t open_count;
	size_t open_written; ///< how many are in that list
	/// There may be pairs behind those that are counted in all of the above: in a crowd (see above) the call ended
	/// before it had listed them. Nothing is known of pairs behind the last one that was listed.
	bool has_more;
} dbvh_scene_result;

/// Brings the broad phase up to date and lists the pairs of bodies that are looked at and whose boxes overlap:
/// `pairs_out`, room for `capacity`, may be NULL. Every query does the same first. O(n log n) where much has moved,
/// nothing where nothing has; in a crowd as many steps as a sixteenth of the pairs. Errors: INVALID_ARGUMENT,
/// OUT_OF_MEMORY; with dbvh_scene_set_budget() also BUDGET_SPENT and CANCELLED, and the result is what was listed until
/// then.
DBVH_API dbvh_status dbvh_scene_pairs( dbvh_scene *scene, dbvh_body_pair *pairs_out, size_t capacity,
                                       dbvh_scene_result *result_out, dbvh_error *error );

/// Two bodies whose surfaces meet.
typedef struct dbvh_scene_collision {
	uint32_t a, b;
	dbvh_pair first; ///< a triangle of each that meet; which ones depends on the policy and the instruction set
} dbvh_scene_collision;

/// Which bodies' surfaces meet: dbvh_collide() of every pair. `query` NULL: is there any? `collisions_out`, room for
/// `capacity`, may be NULL. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY; BUDGET_SPENT and CANCELLED with what was found so
/// far: see dbvh_scene_query.
DBVH_API dbvh_status dbvh_scene_collide( dbvh_scene *scene, const dbvh_scene_query *query,
                                         dbvh_scene_collision *collisions_out, size_t capacity,
                                         dbvh_scene_result *result_out, dbvh_error *error );

typedef enum dbvh_clash_kind {
	DBVH_CLASH_KIND_HARD,        ///< the bodies overlap; without topology: their surfaces meet
	DBVH_CLASH_KIND_CONTAINMENT, ///< one is inside the other
	DBVH_CLASH_KIND_DUPLICATE,   ///< they are the same
	DBVH_CLASH_KIND_TOUCH,       ///< they touch and no more, by the tolerances of their rule
	DBVH_CLASH_KIND_CLEARANCE,   ///< they are nearer than their clearance
	DBVH_CLASH_KIND_UNDECIDABLE, ///< one has an open surface that may hold the other: see dbvh_relate()
} dbvh_clash_kind;

/// The enumerator's name without its prefix, for example "HARD"; "?" for a number that is none.
DBVH_API const char *dbvh_clash_kind_name( dbvh_clash_kind kind );

typedef struct dbvh_clash {
	uint32_t a, b;
	dbvh_clash_kind kind;
	/// What dbvh_relate() says, with the tolerances of the rule and without. Without topology: OVERLAPPING where the
	/// surfaces meet, else DISJOINT.
	dbvh_relation relation, exact;
	double distance; ///< of the two, for DBVH_CLASH_KIND_CLEARANCE; else 0
	dbvh_pair first; ///< a triangle of each: that meet, or that are nearest to each other; 0 where surfaces are apart
	double point_a[3], point_b[3]; ///< of DBVH_CLASH_KIND_CLEARANCE: points at that distance
	double separation[3];          ///< of a touch by touch_overlap: see dbvh_relate_result
} dbvh_clash;

/// Every pair that its rule does not let pass. Trees without topology are judged by their surfaces alone. Bodies that
/// only touch are a clash unless their rule says that they may; less than the clearance apart they are one in any case.
/// Errors: as dbvh_scene_collide().
DBVH_API dbvh_status dbvh_scene_clashes( dbvh_scene *scene, const dbvh_scene_query *query, dbvh_clash *clashes_out,
                                         size_t capacity, dbvh_scene_result *result_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Distance

/// What is asked. Zero-initialised: the least distance of all pairs, on as many threads as the library chooses.
typedef struct dbvh_scene_distance_query {
	double limit; ///< look no farther: pairs beyond this length count as not found; 0 or INFINITY: no limit
	dbvh_policy policy;
	bool has_body; ///< as in dbvh_scene_query, as all that follows
	uint32_t body;
	uint32_t thread_count;
	bool ( *progress )( void *user, size_t done, size_t total );
	void *user;
	/// NULL: no limit. max_work is for each pair, max_total for all together. Where it ends early, the call returns
	/// DBVH_BUDGET_SPENT or DBVH_CANCELLED, and the result is the closest pair until then, if any, and how much closer
	/// another one may be. What that is depends on the number of threads: a pair that is close spares work on others.
	const dbvh_budget *budget;
} dbvh_scene_distance_query;

/// All zero. Any thread, constant time.
DBVH_API dbvh_scene_distance_query dbvh_scene_distance_query_default( void );

/// The two bodies of a scene that are closest to each other.
typedef struct dbvh_scene_distance_result {
	bool found;      ///< false: no two that are looked at are within the limit; all else is 0 then
	uint32_t a, b;   ///< of pairs at the same distance the lowest
	double distance; ///< as dbvh_distance() says, and all that follows
	dbvh_pair pair;
	double point_a[3], point_b[3], between[3];
	double at_least; ///< where the call was ended early: no two bodies are closer; else 0
} dbvh_scene_distance_result;

/// How close do bodies come to each other: the least distance of all pairs that are looked at. `query` may be NULL.
/// Errors: as dbvh_scene_collide(); INVALID_ARGUMENT also for a limit that is negative or NaN. With BUDGET_SPENT and
/// CANCELLED the result says what is known: see dbvh_scene_distance_query.budget.
DBVH_API dbvh_status dbvh_scene_distance( dbvh_scene *scene, const dbvh_scene_distance_query *query,
                                          dbvh_scene_distance_result *result_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// One pair
//
// Questions about two different bodies by their numbers, where they are, whatever masks and rules say of looking at
// them. For dbvh_collide() and dbvh_check_clearance() ask dbvh_scene_get_body() for tree and pose. Errors:
// INVALID_ARGUMENT (no scene, no such body, twice the same), and those of the function for two meshes.

/// dbvh_relate() of bodies a and b, with the touch tolerances of their rule and their sags, as dbvh_scene_clashes()
/// asks. `budget` NULL: no limit.
DBVH_API dbvh_status dbvh_scene_relate( dbvh_scene *scene, uint32_t a, uint32_t b, const dbvh_budget *budget,
                                        dbvh_relate_result *result_out, dbvh_error *error );

/// dbvh_distance() of bodies a and b. `query` may be NULL.
DBVH_API dbvh_status dbvh_scene_pair_distance( dbvh_scene *scene, uint32_t a, uint32_t b,
                                               const dbvh_distance_query *query, dbvh_distance_result *result_out,
                                               dbvh_error *error );

/// dbvh_contacts_find() of bodies a and b: where their surfaces meet. `query` may be NULL; `contacts` is emptied first,
/// and stays empty on error.
DBVH_API dbvh_status dbvh_scene_contacts( dbvh_scene *scene, uint32_t a, uint32_t b, const dbvh_contacts_query *query,
                                          dbvh_contacts *contacts, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Many configurations

/// What is asked of each configuration. Zero-initialised: is any pair of bodies in collision?
typedef struct dbvh_configurations_query {
	/// DBVH_FIND_ANY: the first pair that is found ends a configuration. DBVH_FIND_ALL: every pair that collides.
	dbvh_find find;
	dbvh_policy policy;
	/// The bodies that poses are given for, body_count different ones, in the order of the poses; NULL: all bodies of
	/// the scene, ascending (body_count 0, or their number). Bodies that are not named stay where the scene has them.
	const uint32_t *bodies;
	size_t body_count;
	/// Above 0: also the least distance of any pair that is looked at, as far as it is at most this (INFINITY: always).
	/// Pairs that collide are 0 apart. With it, DBVH_FIND_ANY still ends with the first collision.
	double max_distance;
	uint32_t thread_count; ///< 0: the library's choice; see base.h
	/// DBVH_FIND_ALL: where pairs go, ascending. Configuration i writes from pair_begin[i] up to, and without,
	/// pair_begin[i + 1], as in dbvh_collide_batch(). NULL: they are only counted.
	dbvh_body_pair *pairs;
	const size_t *pair_begin;
	bool ( *progress )( void *user, size_t done, size_t total ); ///< as in dbvh_scene_query, of configurations
	void *user;
	/// NULL: no limit. max_work is for each pair of bodies in a configuration, max_total for the whole call: what is
	/// finished are the configurations up to one. See dbvh_configuration_result.status.
	const dbvh_budget *budget;
} dbvh_configurations_query;

DBVH_API dbvh_configurations_query dbvh_configurations_query_default( void );

typedef struct dbvh_configuration_result {
	dbvh_verdict verdict;
	/// Where it is DBVH_INTERSECTING: a pair that collides; with DBVH_FIND_ALL the lowest one.
	dbvh_body_pair first;
	size_t pair_count; ///< DBVH_FIND_ALL: how many pairs collide, whether or not there was room; else 0 or 1
	size_t written_count;
	bool has_distance; ///< max_distance above 0: some pair is within it
	double distance;   ///< of the nearest pair; 0 where one collides
	dbvh_body_pair nearest;
	/// Why it has no answer; else DBVH_OK. With BUDGET_SPENT and CANCELLED all else says what was found until then, if
	/// the configuration was reached at all: pairs that do collide, perhaps not all of them, and a distance that others
	/// may be below; DBVH_DISJOINT is no answer then.
	dbvh_status status;
} dbvh_configuration_result;

/// Are bodies in collision, in each of many configurations of some bodies of a scene? What motion planners ask of a
/// robot: poses[i * body_count + k] is where body k of the query is in configuration i. The rules of the scene hold;
/// clearances and tolerances are not looked at. The scene stays as it is.
///
/// results_out[i] is, in verdict, pairs and distance, what dbvh_scene_collide() and dbvh_scene_distance() say once the
/// bodies are there, whatever the number of threads. `first` of DBVH_FIND_ANY is the same for every number of threads,
/// but depends on the configurations before it: pairs that collided last are asked first, since they are likely to
/// again.
///
/// A configuration with a pose that is refused spoils no other: its status says so, and the call returns the status of
/// the first such configuration, its index in error->element. Cost: one box for each body, and
/// dbvh_collide() for pairs whose boxes overlap. Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY,
/// BUDGET_SPENT, CANCELLED (results of configurations that were not finished have that status).
DBVH_API dbvh_status dbvh_scene_collide_batch( dbvh_scene *scene, const dbvh_pose *poses, size_t configuration_count,
                                               const dbvh_configurations_query *query,
                                               dbvh_configuration_result *results_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Many motions

/// The way from one configuration to another, by their indices; not that of joints, see dbvh_scene_motion_batch().
typedef struct dbvh_edge {
	size_t from, to;
} dbvh_edge;

/// What is asked of each edge. Zero-initialised: do any two bodies meet where each goes, by a screw of its own, from
/// each configuration to the next?
typedef struct dbvh_motions_query {
	/// DBVH_FIND_ANY: the first pair that is found in contact ends an edge, at whatever time. DBVH_FIND_CLOSEST: the
	/// first contact of all pairs.
	dbvh_find find;
	dbvh_policy policy;     ///< as in dbvh_toi_query
	const uint32_t *bodies; ///< as in dbvh_configurations_query
	size_t body_count;
	const dbvh_edge *edges; ///< NULL: edge i goes from configuration i to i + 1
	size_t edge_count;      ///< of `edges`
	/// For each body, in the order of the poses, the point of it that goes straight, in the frame of its mesh: `centre`
	/// of dbvh_motion_between(). NULL: screw motions.
	const double ( *centres )[3];
	double tolerance; ///< as in dbvh_toi_query
	/// max_work is what each pair of bodies may cost on an edge, as in dbvh_toi_query; max_total is for the whole call:
	/// what is finished are the edges up to one. NULL: no limit.
	const dbvh_budget *budget;
	uint32_t thread_count;                                       ///< 0: the library's choice; see base.h
	bool ( *progress )( void *user, size_t done, size_t total ); ///< as in dbvh_scene_query, of edges
	void *user;
} dbvh_motions_query;

/// All zero. Any thread, constant time.
DBVH_API dbvh_motions_query dbvh_motions_query_default( void );

typedef struct dbvh_edge_result {
	/// CLEAR: no two bodies that are looked at meet on the way, which is that of a screw for each. Else what holds for
	/// the pair of bodies that is named.
	dbvh_toi_verdict verdict;
	/// No two bodies meet before it: 1 where the edge is clear, else the least time of any pair; of a contact that
	/// DBVH_FIND_ANY ended with, the time of that pair alone, about which nothing is said of others.
	double time;
	/// The least time at which bodies are known to intersect; INFINITY: none is. It may be that of another pair, where
	/// the one that is named comes close without a contact, or ran out of budget: the edge is not free then either way.
	double upper;
	dbvh_body_pair bodies; ///< of pairs at the same time the lowest; zero where the edge is clear
	dbvh_toi_result
	    impact; ///< what dbvh_time_of_impact() says of the two, A being the lower; all zero where it is clear
	/// Why there is no answer: BUDGET_SPENT where the verdict is UNDECIDED, that of a pose that is refused, CANCELLED
	/// or BUDGET_SPENT where the edge was not reached (UNDECIDED from time 0 on); else DBVH_OK.
	dbvh_status status;
} dbvh_edge_result;

/// Do bodies meet on the way, edge by edge between many configurations of some bodies of a scene, each body going by a
/// screw of its own? Answered for every time and not for samples; see below for what it is not. poses[i * body_count +
/// k] is where body k of the query is in configuration i; `configuration_count` of them. results_out has one for every
/// edge: configuration_count - 1 of them (none for no configuration) where query->edges is NULL. The rules of the scene
/// hold as in dbvh_scene_collide_batch(); bodies that are not named stay where they are. The scene stays as it is.
///
/// The motion. On an edge each body goes, for itself, from its pose in one configuration to that in the other as
/// dbvh_motion_between() says, by a turn of at most half a circle; all at once, time 0 to 1. What the certificate is
/// about is that motion. It is the real one of bodies that move in a straight line or about one axis. It is not that of
/// a robot that moves in joint space: the links behind a joint that turns go along other curves. In the middle between
/// two configurations of a Panda they are 0.03 mm off at 0.02 rad in each joint, 0.8 mm at 0.1 rad, 7 mm and at most
/// 18 mm at 0.3 rad; it falls with the square of the step. So CLEAR says nothing certain about an edge of a planner:
/// give configurations so near to each other that what lies between does not matter, and leave the rest to a clearance.
///
/// The answers. Each pair of bodies, of which one at least is named, has the answer that dbvh_time_of_impact() gives,
/// and its certificate; which pairs need not be asked is told from boxes round what bodies sweep, which enclose it for
/// every time, rounding included. Results of DBVH_FIND_CLOSEST are those of asking every pair, whatever the number of
/// threads. Which contact DBVH_FIND_ANY ends with depends on the edges before it, as with dbvh_scene_collide_batch(),
/// but not on the number of threads.
///
/// An edge that fails spoils no other: its status says so, and the call returns the status of the first such edge, its
/// index in error->element. Cost: some ten boxes for each body, and dbvh_time_of_impact() for pairs whose boxes overlap
/// at a time. Errors: INVALID_ARGUMENT, NOT_FINITE, NOT_RIGID, OUT_OF_MEMORY, BUDGET_SPENT, CANCELLED.
DBVH_API dbvh_status dbvh_scene_motion_batch( dbvh_scene *scene, const dbvh_pose *poses, size_t configuration_count,
                                              const dbvh_motions_query *query, dbvh_edge_result *results_out,
                                              dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Points, rays and boxes against all bodies

typedef struct dbvh_scene_hit {
	uint32_t body; ///< DBVH_NO_BODY: none is hit
	dbvh_ray_hit hit;
} dbvh_scene_hit;

/// What does a ray hit first? Of equal hits that of the lowest body. As what follows, it goes down a tree over the
/// boxes of bodies: what is not near the ray, the point or the box costs nothing. Errors: INVALID_ARGUMENT, NOT_FINITE,
/// OUT_OF_MEMORY; with dbvh_scene_set_budget(), max_work being for each body and max_total for all, also BUDGET_SPENT
/// and CANCELLED, and the result is a hit that was found until then, perhaps not the first.
DBVH_API dbvh_status dbvh_scene_raycast( dbvh_scene *scene, const dbvh_ray *ray, dbvh_scene_hit *hit_out,
                                         dbvh_error *error );

typedef struct dbvh_scene_closest_point_result {
	uint32_t body; ///< DBVH_NO_BODY: none is within the limit
	dbvh_closest_point_result closest;
} dbvh_scene_closest_point_result;

/// The point of any body that is closest to a given one; of bodies equally close the lowest. `query` may be NULL; its
/// max_work is for each body that is asked, its max_total for all of them. Errors: INVALID_ARGUMENT, NOT_FINITE,
/// OUT_OF_MEMORY; with a budget also BUDGET_SPENT and CANCELLED, and the result is the closest point found until then.
DBVH_API dbvh_status dbvh_scene_closest_point( dbvh_scene *scene, const double point[3],
                                               const dbvh_closest_point_query *query,
                                               dbvh_scene_closest_point_result *result_out, dbvh_error *error );

/// The bodies with a surface that meets a box along the axes, ascending: `bodies_out`, room for `capacity`, may be
/// NULL; *count_out says how many there are. Errors: INVALID_ARGUMENT, NOT_FINITE, OUT_OF_MEMORY; with
/// dbvh_scene_set_budget() also BUDGET_SPENT and CANCELLED, and the result is the lowest of them.
DBVH_API dbvh_status dbvh_scene_overlap_aabb( dbvh_scene *scene, const dbvh_aabb *box, uint32_t *bodies_out,
                                              size_t capacity, size_t *count_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_SCENE_H
