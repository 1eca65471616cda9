// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file tree.h
/// The bounding volume hierarchy over one mesh that all queries take: the dual OBB-sphere tree of Chang, Wang and Kim
/// (2009, section 3.1). All functions are safe from any thread.

#ifndef DUALBVH_TREE_H
#define DUALBVH_TREE_H

#include "dualbvh/geometry.h"
#include "dualbvh/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque, immutable after the build, independent of the mesh it was built from. Share it between threads freely.
typedef struct dbvh_tree dbvh_tree;

/// How the sphere that encloses a node is chosen.
typedef enum dbvh_node_sphere {
	DBVH_NODE_SPHERE_SMALLEST,   ///< the smallest enclosing sphere of the node's vertices (the paper's choice)
	DBVH_NODE_SPHERE_BOX_CENTRE, ///< centred on the node's box (which the paper tried and rejected)
	DBVH_NODE_SPHERE_RITTER,     ///< Ritter's sphere (1990): two passes over the points, some 5 to 20 % too large
} dbvh_node_sphere;

/// How the axes of a node's box are chosen.
typedef enum dbvh_box_fit {
	DBVH_BOX_FIT_BEST,       ///< the default: the candidate with the least expected overlap (see docs/design/build.md)
	DBVH_BOX_FIT_COVARIANCE, ///< axes of the surface's covariance (Gottschalk, Lin and Manocha 1996)
	/// The boxes of the program RAPID, to repeat measurements made with it (docs/experiments/paper.md). The axes of the
	/// covariance are numbered by variance as far as that program sorts them, axis 2 having the largest, *not* by
	/// extent, so half[] need not ascend. The box of one triangle has axis 2 along its longest edge, axis 1 across that
	/// edge in the plane and axis 0 along the normal. DBVH_POLICY_DUAL on two such trees divides nodes by half[2], as
	/// RAPID does, and does not compare the spheres of the roots. Ellipsoids are refused with this fit.
	DBVH_BOX_FIT_RAPID,
} dbvh_box_fit;

/// How the triangles of a node are divided between its children.
typedef enum dbvh_split {
	DBVH_SPLIT_COST,     ///< the default: the division with the least expected cost of a query
	DBVH_SPLIT_MEAN,     ///< at the mean of the surface on the longest axis (Gottschalk et al. 1996, section 4)
	DBVH_SPLIT_VARIANCE, ///< at the mean of the surface along the direction of its largest variance, as RAPID does
} dbvh_split;

/// The choice of nodes that have an ellipsoid, too, for DBVH_POLICY_DEFAULT, DBVH_POLICY_MIXED and
/// DBVH_POLICY_ELLIPSOID (query.h). A collision query compares ellipsoids where both trees have some; dbvh_distance(),
/// dbvh_check_clearance() by the packed form and all other queries leave them out. Answers do not depend on them.
/// docs/design/ellipsoids.md has the measurements. Meshes with a radius below 2^-40 or a coordinate above 2^40 have
/// none, and neither have nodes smaller than 2^-28 of their mesh.
typedef enum dbvh_ellipsoids {
	DBVH_ELLIPSOIDS_NONE,  ///< the default
	DBVH_ELLIPSOIDS_MIXED, ///< nodes whose ellipsoid saves more than it costs in sample queries: often none, or the
	                       ///< root
	DBVH_ELLIPSOIDS_ALL, ///< all nodes of the reference tree, and the 255 largest of the packed form: for measurements
} dbvh_ellipsoids;

/// The rule by which the closed surfaces of a mesh enclose points (relation.h has the details). Both rules agree where
/// the surfaces neither overlap nor coincide and every cavity is oriented opposite to the shell around it.
typedef enum dbvh_fill_rule {
	/// The default: points with a winding number that is not 0 are enclosed. Bodies that overlap, or are there twice,
	/// are united.
	DBVH_FILL_RULE_NONZERO,
	/// Points are enclosed if a ray from them crosses an odd number of triangles. The intersection of two bodies is
	/// hollow; orientation does not matter.
	DBVH_FILL_RULE_EVEN_ODD,
} dbvh_fill_rule;

/// The division of long triangles, which CAD models and robots have, into fragments, so that each fragment lies in
/// nodes of its own size (after spatial splits: Stich, Friedrich and Dietrich 2009; Ernst and Greiner 2007). Exact
/// decisions are still about whole triangles, and no answer depends on fragments, except which pair or triangle
/// DBVH_FIND_ANY reports. Only trees of the default fits and splits, with leaves of one triangle, have fragments, at
/// most three for each triangle. A tree of DBVH_QUALITY_FAST has them only if CHOSEN or ALL asks for them and there are
/// long triangles; it is built like one of DBVH_QUALITY_BEST then. Meshes whose triangles are about as wide as long
/// have no fragments. Lists of all pairs, hits or triangles take 24 bytes of a workspace for each element with a
/// divided triangle, also for those beyond the caller's capacity: then the query may allocate. A refit of such a tree
/// (dbvh_tree_refit()) builds it anew. docs/design/fragments.md has the measurements.
typedef enum dbvh_fragments {
	/// The default: only the few triangles that are many times longer than the rest, like walls, cables and panels
	/// among small parts. The tree has at most a tenth more leaves, and takes no longer to build; queries of a hand in
	/// the cabin of an aeroplane are three to five times as fast.
	DBVH_FRAGMENTS_FEW,
	/// The long triangles whose division saves more than it costs in sample queries. Queries of robots and machine
	/// parts that are
	/// mostly clear of each other, or of a first contact, are up to 2.4 times as fast; distances may be slower.
	DBVH_FRAGMENTS_CHOSEN,
	DBVH_FRAGMENTS_ALL,  ///< all long triangles: for measurements
	DBVH_FRAGMENTS_NONE, ///< all triangles stay whole: for meshes that are refitted often
} dbvh_fragments;

/// The time of a build against the speed of queries. Answers do not depend on it.
typedef enum dbvh_quality {
	DBVH_QUALITY_BEST, ///< the default: the tree with the fastest queries
	/// For meshes that change too much for a refit (dbvh_tree_refit()): triangles along a space-filling curve
	/// (Hilbert), four to a leaf, boxes along their principal axes. A build is some four times faster, queries are two
	/// to four times slower (docs/design/build.md). box_fit, sphere_fit and split have no effect then. Where a
	/// reference tree is kept, this option itself has no effect.
	DBVH_QUALITY_FAST,
} dbvh_quality;

/// Options of a build. All zero: the defaults.
typedef struct dbvh_tree_options {
	uint32_t leaf_size; ///< the most triangles in a leaf of the reference tree, at most 64; 0 stands for 1
	dbvh_node_sphere sphere_fit;
	dbvh_box_fit box_fit;
	dbvh_split split;
	uint32_t thread_count; ///< 0: as many as OpenMP would use; at most 256 are; the tree does not depend on it
	/// Also keep the topology: the points, edges and connected components that triangles share (as dbvh_mesh_audit()
	/// joins them). Queries that need it return DBVH_NO_TOPOLOGY without it. Default false. Costs about 60 bytes a
	/// triangle and O(n log n) time on one thread; the rest of the tree is the same.
	bool topology;
	/// The rule by which the mesh encloses points, for the queries that need the topology. The rest of the tree is the
	/// same.
	dbvh_fill_rule fill;
	/// MIXED costs some 20 to 200 ms a tree, most of it for sample queries on one thread. ALL costs some 20
	/// microseconds a node more, on all threads, and up to 200 bytes a node. The rest of the tree is the same.
	dbvh_ellipsoids ellipsoids;
	/// CHOSEN builds up to seven trees, and takes some 15 to 200 ms for sample queries on one thread; ALL builds one.
	dbvh_fragments fragments;
	dbvh_quality quality;
	/// Also keep the reference tree (docs/design/tree.md), some 450 bytes a triangle. A tree without it consists of the
	/// packed form and the exact triangles, less than 128 bytes a triangle together, and queries need nothing else
	/// unless their policy asks for the reference tree: such a call is refused then (dbvh_policy in query.h), and so is
	/// dbvh_tree_get_nodes(). The reference tree is always kept with `topology`, `ellipsoids`, a leaf_size above 1, or
	/// fits and splits that are not the default, and for meshes with a coordinate above 2^1000. Answers do not depend
	/// on it. Default false.
	bool reference;
} dbvh_tree_options;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_tree_options dbvh_tree_options_default( void );

/// Builds a tree over every triangle of the view, degenerate ones included. Triangles with the same three corners, in
/// any order, are kept once; answers name each of them, also in lists of pairs and hits. `options` and `allocator` may
/// be NULL. The view is checked as by dbvh_mesh_view_check(), and its triangles are copied. The same input gives the
/// same tree, byte for byte, on any number of threads. Cost O(n log n). Coordinates may be of any size; where none
/// reaches 2^-1060, some thousands of the smallest double, volumes separate little, and a query may try all pairs.
/// Errors: those of dbvh_mesh_view_check(), INVALID_ARGUMENT, OUT_OF_MEMORY; *tree_out is NULL then.
DBVH_API dbvh_status dbvh_tree_build( const dbvh_mesh_view *view, const dbvh_tree_options *options,
                                      const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );

/// Moves the vertices of a tree: `view` has the triangles that the tree was built from, in the same order, each with
/// the same points, but these points may be elsewhere. The tree keeps its shape and the axes of its boxes; all volumes
/// are fitted anew, and every answer is as exact as that of a new tree. Large deformations, and rotations of parts,
/// make queries slower: build anew from time to time (docs/design/build.md has the measurements). Cost O(n log n) with
/// a small constant, some ten times cheaper than a build; on dbvh_tree_options.thread_count threads, on which the
/// result does not depend. Memory: some 20 bytes a triangle and 270 KiB a thread from the tree's allocator, given back.
/// A tree that keeps its reference tree (dbvh_tree_options.reference says which do), or has fragments
/// (dbvh_tree_options.fragments: by default where a few triangles are out of all proportion), is built anew with its
/// own options instead, in the time and the memory of a build, because the data of each node would have to change with
/// it. So is one whose radius is, or becomes, less than 2^-40 or more than 2^40, or a coordinate more than 2^40.
/// Errors: those of dbvh_mesh_view_check(); INVALID_ARGUMENT where the view has another number of triangles, and for a
/// tree that is not built anew also where corners that were one point no longer are, or triangles that were the same no
/// longer are; OUT_OF_MEMORY. After an error the tree is as it was. Thread safety: this writes; nobody may use the tree
/// at the same time.
DBVH_API dbvh_status dbvh_tree_refit( dbvh_tree *tree, const dbvh_mesh_view *view, dbvh_error *error );

/// Frees a tree. NULL is allowed.
DBVH_API void dbvh_tree_destroy( dbvh_tree *tree );

/// Checks every invariant of a tree: child links, each triangle in exactly one leaf, or each of its fragments, boxes
/// and spheres that enclose their triangles, extents in ascending order (but for DBVH_BOX_FIT_RAPID), axes that are
/// orthonormal, the recorded depth, the content hash, the topology, which is made anew, and the ellipsoids if there are
/// any. Returns
/// DBVH_OK, or DBVH_INVARIANT with the node in error->element and the first broken rule in the text, or
/// DBVH_OUT_OF_MEMORY: it takes a byte a triangle and more from the tree's allocator. Cost O(n log n).
DBVH_API dbvh_status dbvh_tree_validate( const dbvh_tree *tree, dbvh_error *error );

/// The size of a tree, and the volumes of its root.
typedef struct dbvh_tree_stats {
	size_t triangle_count; ///< triangles of the mesh
	size_t fragment_count; ///< triangles in the leaves: fewer than the mesh has where some are the same, more where
	                       ///< some are divided
	size_t node_count;     ///< nodes of the reference tree, kept or not; fewer where triangles are the same
	size_t leaf_count;
	uint32_t depth;          ///< nodes on the longest way from its root to a leaf
	size_t packed_bytes;     ///< memory of its packed form, volumes and triangle filter included; 0 where there is none
	size_t bytes;            ///< memory of the whole tree, the copy of the triangles included
	dbvh_sphere sphere;      ///< the root's sphere: with DBVH_NODE_SPHERE_SMALLEST, the smallest that encloses the mesh
	dbvh_obb box;            ///< the root's box; half[0] <= half[1] <= half[2], but for DBVH_BOX_FIT_RAPID
	uint64_t content_hash;   ///< hash of the triangles, in file order
	size_t ellipsoid_count;  ///< nodes with an ellipsoid
	size_t ellipsoid_chosen; ///< nodes whose ellipsoid the cost model wants for the reference tree
	size_t ellipsoid_packed; ///< nodes whose ellipsoid it wants for the packed form, which holds them
} dbvh_tree_stats;

/// Returns facts about a tree, in the frame of its mesh. Constant time.
DBVH_API dbvh_tree_stats dbvh_tree_get_stats( const dbvh_tree *tree );

// ------------------------------------------------------------------------------------------------
// Looking at a tree

/// No node, in dbvh_tree_node.
#define DBVH_NO_NODE UINT32_MAX

/// A node of the reference tree, in the frame of the mesh: for pictures and studies.
typedef struct dbvh_tree_node {
	uint32_t level;  ///< nodes above it: 0 for the root
	uint32_t parent; ///< index of its parent in the list; DBVH_NO_NODE for the root
	uint32_t child;  ///< index of the first of two children, the other one follows; DBVH_NO_NODE in a leaf, and
	                 ///< in a node whose children had no room in the list
	bool is_leaf;
	uint32_t first;          ///< its triangles are order[first] and so on
	uint32_t triangle_count; ///< triangles of the tree: duplicates count once, each fragment of a divided one counts
	dbvh_sphere sphere;      ///< the sphere that queries use, rounded
	dbvh_obb box;       ///< the box that queries use, rounded; half[0] <= half[1] <= half[2] but for DBVH_BOX_FIT_RAPID
	bool has_ellipsoid; ///< true where the node has an ellipsoid (dbvh_tree_options.ellipsoids)
	/// The node's ellipsoid; all zero where there is none. It encloses the node's triangles but for rounding: none of
	/// their points is farther from it than 2^-45 of the mesh's largest coordinate.
	dbvh_ellipsoid ellipsoid;
} dbvh_tree_node;

/// Lists the upper part of a tree, level by level from the root: up to `capacity` nodes, both children of a node or
/// none. *count_out (may be NULL) says how many were written; dbvh_tree_get_stats() how many there are. `order` (may be
/// NULL) gets up to order_capacity of dbvh_tree_stats.fragment_count numbers of triangles (in file order), in the order
/// of the leaves. Cost: a constant a node; takes no memory. Errors: INVALID_ARGUMENT, also where the tree keeps no
/// reference tree (dbvh_tree_options.reference); *count_out is 0 then. Thread safety: the tree is only read.
DBVH_API dbvh_status dbvh_tree_get_nodes( const dbvh_tree *tree, dbvh_tree_node *nodes, size_t capacity,
                                          uint32_t *order, size_t order_capacity, size_t *count_out,
                                          dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Where a mesh is open

/// Every component, for dbvh_tree_open_loops().
#define DBVH_ALL_COMPONENTS ( (size_t)-1 )

/// A loop of open edges, those with an odd number of triangles that have an area (copies aside, see relation.h), of a
/// component that is open. Every open edge is in one loop, and in the loop once.
typedef struct dbvh_open_loop {
	size_t component; ///< index of the component, as dbvh_mesh_audit() orders them
	/// Its points are points[first_point] and so on, each joined to the next, the last to the first.
	size_t first_point;
	size_t point_count; ///< number of points, which is that of edges
	dbvh_aabb bounds;   ///< in the frame of the mesh
	double centre[3];   ///< centre of the bounds, rounded
} dbvh_open_loop;

/// Lists the loops of open edges, where the surface of one component, or of all (DBVH_ALL_COMPONENTS), has holes or
/// ends: these keep dbvh_relate() and dbvh_locate_point() from telling what the mesh encloses. Up to loop_capacity
/// loops and point_capacity points are written, ordered by their lowest edge (edges by the points as triangles first
/// use them); the counts (may be NULL) say how many there are. A component that is closed has none. Loops that share a
/// point could be separated in several ways; the choice is always the same. Cost: O(n log n) in the open edges and O(n)
/// in the mesh; memory from the tree's allocator, given back before the return. Errors: INVALID_ARGUMENT (also no such
/// component), NO_TOPOLOGY, OUT_OF_MEMORY; both counts are 0 then. Thread safety: the tree is only read.
DBVH_API dbvh_status dbvh_tree_open_loops( const dbvh_tree *tree, size_t component, dbvh_open_loop *loops,
                                           size_t loop_capacity, double ( *points )[3], size_t point_capacity,
                                           size_t *loop_count_out, size_t *point_count_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_TREE_H
