// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file overlap.h
/// The overlap of two bodies: volume, surface area, centroid and bounding box of what they have in common, in all and
/// for each connected component, as certified intervals; the kind of each overlap; and the overlap as a closed mesh.
/// (*Boolean intersection*, *common volume*, *clash volume*.)
///
/// What is measured. A mesh stands for the solid that it encloses by the fill rule of its tree, as in relation.h; walls
/// inside a solid are no boundary. The overlap is the regularised intersection of the two solids: the closure of what
/// their interiors have in common. Where bodies only touch, it is empty. Faces that lie on each other belong to it once
/// where both solids are on the same side, and not at all where they are on different sides. Its *components* are the
/// connected parts of its interior: parts that meet in an edge or a corner alone are two.
///
/// Conventions, the same for every function of this file:
///
/// | quantity | convention |
/// |---|---|
/// | interval | contains the value for the exact solids at the exact relative pose of collide.h |
/// | volume, area | in the frame of the mesh that stays (collide.h): that of A but for the rounding of the poses |
/// | centroid, box, point, mesh | in the mesh frame of A |
/// | unit | the caller's, as measured in the mesh frame of A |
/// | triangle | its number in file order |
/// | faces of the mesh | anticlockwise seen from outside the overlap |
///
/// Exactness. Which triangles take part, how they are cut, which parts lie inside, which coincide, what is connected,
/// and the kinds: all this is decided by exact signs, without a tolerance, with one exception: which of several
/// components holds a cavity is decided in doubles where boxes do not tell, and is undecided where these are not clear.
/// Values are sums of rounded terms whose errors are bounded and added to the interval; where the interval is wider
/// than asked for, they are summed again in pairs of doubles. Answers are the same on every CPU and with every number
/// of threads; swapping A and B swaps what is said of them, and changes no volume or area.

#ifndef DUALBVH_OVERLAP_H
#define DUALBVH_OVERLAP_H

#include "dualbvh/collide.h"
#include "dualbvh/interval.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------
// What is found

/// The kind of an overlap, by the parts of one body's boundary that lie strictly inside the other (*patches*; faces
/// that coincide belong to no patch). The names are those of IfcClash, where *envelope* is one body in the other.
typedef enum dbvh_overlap_kind {
	DBVH_OVERLAP_KIND_NONE,        ///< no common point
	DBVH_OVERLAP_KIND_TOUCHING,    ///< common points, but no common volume
	DBVH_OVERLAP_KIND_PROTRUSION,  ///< one patch of each: one body enters the other, and does not come out again
	DBVH_OVERLAP_KIND_A_PIERCES_B, ///< two patches of B or more, one of A: A enters B and leaves it elsewhere
	DBVH_OVERLAP_KIND_B_PIERCES_A, ///< two patches of A or more, one of B
	DBVH_OVERLAP_KIND_MUTUAL,      ///< two patches of A or more, and of B: each pierces the other
	DBVH_OVERLAP_KIND_A_IN_B,      ///< no patch of B: the component is a part of A, all of which is in B
	DBVH_OVERLAP_KIND_B_IN_A,      ///< no patch of A
	DBVH_OVERLAP_KIND_DUPLICATE,   ///< no patch at all: all faces coincide
	DBVH_OVERLAP_KIND_UNDECIDED,   ///< see dbvh_overlap_reason
} dbvh_overlap_kind;

/// The enumerator's name without its prefix, for example "PROTRUSION"; "?" for a number that is none.
DBVH_API const char *dbvh_overlap_kind_name( dbvh_overlap_kind kind );

/// The reason why an overlap is not decided.
typedef enum dbvh_overlap_reason {
	DBVH_OVERLAP_REASON_DECIDED, ///< nothing is undecided
	/// A mesh has an open component that could matter: one that comes into the bounding box of the other mesh. `body`
	/// and `triangle` are the first triangle of it; dbvh_tree_open_loops() lists where it is open.
	DBVH_OVERLAP_REASON_OPEN,
	/// A mesh crosses or touches itself other than along common edges and at common corners: `triangle` and
	/// `other_triangle` of `body` do. dbvh_self_collide() lists all such pairs. Volume and centroid are narrow
	/// intervals all the same (see dbvh_overlap_find()); components, kind and mesh are unknown.
	DBVH_OVERLAP_REASON_SELF_INTERSECTION,
	DBVH_OVERLAP_REASON_BUDGET, ///< the budget was spent, or the call cancelled
	/// A closed surface that bounds the overlap, within the box of another one, encloses so little that pairs of
	/// doubles do not tell whether it is a cavity.
	DBVH_OVERLAP_REASON_ARITHMETIC
} dbvh_overlap_reason;

/// The enumerator's name without its prefix, for example "OPEN"; "?" for a number that is none.
DBVH_API const char *dbvh_overlap_reason_name( dbvh_overlap_reason reason );

/// Measures of an overlap or of one component of it. All zero where there is no volume.
typedef struct dbvh_overlap_measure {
	dbvh_interval volume;
	dbvh_interval area;        ///< area of the whole surface
	dbvh_interval centroid[3]; ///< centre of the volume
	dbvh_interval box_min[3];  ///< the lower corner of the bounding box
	dbvh_interval box_max[3];  ///< the upper corner
} dbvh_overlap_measure;

/// A connected component.
typedef struct dbvh_overlap_component {
	dbvh_overlap_measure measure;
	dbvh_overlap_kind kind;
	uint32_t patches_a; ///< connected parts of A's boundary that lie strictly inside B and bound this component
	uint32_t patches_b; ///< connected parts of B's boundary that lie strictly inside A
	uint32_t loops;     ///< connected parts of the curves on it where faces of A and of B meet
	uint32_t shells;    ///< closed surfaces that bound it: 1, and 1 for each cavity
	double point[3];    ///< a corner of it, rounded
	size_t first_face;  ///< its faces in the mesh, where that was asked for
	size_t face_count;
} dbvh_overlap_component;

typedef struct dbvh_overlap_result {
	dbvh_overlap_measure measure; ///< measures of all components together
	/// DUPLICATE, A_IN_B and B_IN_A where that holds of all of A and B (dbvh_relate() says EQUAL, A_IN_B, B_IN_A); else
	/// MUTUAL if some component is, or if A pierces B in one and B pierces A in another; else the piercing one that
	/// some component is; else PROTRUSION.
	dbvh_overlap_kind kind;
	dbvh_overlap_reason reason;
	/// The body (0: A, 1: B) and the place, where the reason is OPEN or SELF_INTERSECTION.
	uint32_t body, triangle, other_triangle;
	size_t component_count;
	size_t face_count;  ///< faces of the mesh, where that was asked for
	dbvh_status status; ///< dbvh_overlap_batch(): the reason why this pose has no answer; else DBVH_OK
} dbvh_overlap_result;

/// The triangle that a face of the overlap lies on. Of coincident ones, that of the mesh that stays.
typedef struct dbvh_overlap_source {
	uint32_t body; ///< 0: A, 1: B
	uint32_t triangle;
} dbvh_overlap_source;

/// The findings of the last call, in arrays that belong to a dbvh_overlap.
typedef struct dbvh_overlap_view {
	const dbvh_overlap_component *components; ///< in an order that is the same every time
	size_t component_count;
	const double *vertices; ///< 3 a vertex
	size_t vertex_count;
	const uint32_t *indices;            ///< 3 a face, component after component
	const dbvh_overlap_source *sources; ///< 1 a face
	size_t face_count;
} dbvh_overlap_view;

// ------------------------------------------------------------------------------------------------
// Finding it

/// Workspace and result of the queries below in one object. Make it once and use it for any number of pairs and poses:
/// it grows as needed and never shrinks. For one thread at a time. The object keeps what it has learned about the last
/// 64 trees (whether each intersects itself, which side of each triangle is solid, what is joined: 17 bytes
/// a triangle, 26 more for moments of parts of meshes of 2,048 triangles or more, and 10 more where
/// dbvh_local_depth_components() was asked), so that calls about the same trees do not look again; with the arrays of
/// the calls themselves it takes some 60 bytes a triangle. Trees may be destroyed before it.
typedef struct dbvh_overlap dbvh_overlap;

/// Makes an empty dbvh_overlap with memory of `allocator` (NULL: the C library's). Errors: INVALID_ARGUMENT,
/// OUT_OF_MEMORY; *overlap_out is NULL then. Any thread, constant time.
DBVH_API dbvh_status dbvh_overlap_create( const dbvh_allocator *allocator, dbvh_overlap **overlap_out,
                                          dbvh_error *error );

/// Frees an overlap. NULL is allowed.
DBVH_API void dbvh_overlap_destroy( dbvh_overlap *overlap );

/// Options of the queries. All zero: the defaults.
typedef struct dbvh_overlap_query {
	/// The width of volume.upper - volume.lower, of the whole, relative to its upper end, above which sums are made
	/// again in pairs of doubles. 0: 1e-9. Wider ones are still valid, where also pairs of doubles do not do.
	double relative_width;
	bool mesh; ///< make the mesh, too
	/// Open components are known to hold nothing (sheet metal, containers): they are left out, and nothing is undecided
	/// because of them.
	bool open_holds_nothing;
	uint32_t thread_count; ///< the most threads, as in dbvh_collide_query; no answer depends on it
	/// A limit on the work of the call; NULL: none. Where it ends the call early, the call returns DBVH_BUDGET_SPENT or
	/// DBVH_CANCELLED; the volume is then an interval that is still valid: from 0 to that of the smaller box.
	const dbvh_budget *budget;
} dbvh_overlap_query;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_overlap_query dbvh_overlap_query_default( void );

/// Finds the overlap of A at pose_a and B at pose_b. Poses as in dbvh_collide(). Both trees must have been built with
/// dbvh_tree_options.topology. `query` may be NULL. `overlap` is emptied first, and stays empty on error.
///
/// Closed components enclose, open ones do not (relation.h). Where an open component could matter the result is
/// UNDECIDED, with the reason OPEN; where a mesh passes through itself in or near the other body, with the reason
/// SELF_INTERSECTION. An UNDECIDED result has volume and area from 0 to an upper bound by boxes, and no components.
/// Nested shells, faces and edges that coincide, edges with four triangles, copies of triangles and bodies that are
/// inside out are no reason.
///
/// Where the reason is SELF_INTERSECTION, volume and centroid are found all the same, by the fill rules: shells that
/// overlap, touch or hold each other are united, or hollow where they overlap. The intervals contain the truth and
/// are some 10^-11 of the size of the larger body wide, so the relative width is that only where the overlap is not
/// thin; area and box are bounds. In each call a tree of both meshes is built and searched for pairs that cross, which
/// takes about three times as long as dbvh_tree_build() of both, and more where very many triangles cross. The build
/// is not interrupted: for some 2 microseconds a triangle is_cancelled is not called.
///
/// The mesh is closed by identity: every side of a face is a side of another face the other way round (at edges where
/// more than two faces meet, of as many), corners being equal by index. No face has a twin of no thickness beside it.
/// Vertices are exact points rounded once to the nearest double. What rounding does: faces may lose their area, turn
/// over or cross others by up to half a unit in the last place of a coordinate. The volume in the result is that of the
/// exact body; that of the rounded mesh differs from it by up to its area times such a unit.
///
/// Cost: between one and two times that of dbvh_contacts_find(), however many triangles are inside the other body; a
/// mesh, and volumes for which doubles are not narrow enough, cost time by these triangles, too. The first
/// call about a tree also looks whether it intersects itself, which costs what dbvh_self_collide() costs, of the
/// budget, too; dbvh_overlap_batch() and scenes are not charged for that. Errors:
/// those of dbvh_contacts_find(), INVALID_ARGUMENT and NOT_FINITE also for relative_width. Thread safety: trees are
/// only read; `overlap` must not be shared.
DBVH_API dbvh_status dbvh_overlap_find( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                        const dbvh_pose *pose_b, const dbvh_overlap_query *query, dbvh_overlap *overlap,
                                        dbvh_overlap_result *result_out, dbvh_error *error );

/// Returns what the last dbvh_overlap_find() found; all empty before the first call and after an error. Valid until the
/// next call with this overlap. Constant time.
DBVH_API dbvh_overlap_view dbvh_overlap_get( const dbvh_overlap *overlap );

/// Finds the overlap of A at one pose and B at each of many. results_out[i] is the result of dbvh_overlap_find( a,
/// pose_a, b, &poses_b[i], ... ), bit by bit, whatever the number of threads. No mesh and no components are kept:
/// `query->mesh` must be false.
///
/// `query` and `options` may be NULL. A pose that is refused leaves the other results valid: its own is all zero but
/// for `status`, and the call returns the status of the first such pose, with its index in error->element. Cost: that
/// of the queries, divided by the threads. Errors: as those of dbvh_relate_batch(). Thread safety: trees are only read.
DBVH_API dbvh_status dbvh_overlap_batch( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                         const dbvh_pose *poses_b, size_t pose_count, const dbvh_overlap_query *query,
                                         const dbvh_batch_options *options, dbvh_overlap_result *results_out,
                                         dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_OVERLAP_H
