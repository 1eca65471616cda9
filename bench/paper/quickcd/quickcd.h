// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// QuickCD, the k-DOP tree of Klosowski, Held, Mitchell, Sowizral and Zikan ("Efficient collision detection using
// bounding volume hierarchies of k-DOPs", 1998), as a baseline to measure against. Written anew from what the paper
// describes.
//
// As there: binary trees from the top down, split across the axis along which the triangles' centroids vary most, at
// their mean; leaf thresholds of 1 and 40; one tree stays (the environment), the other is moved (the flying one), and
// the environment is descended to its leaves before the flying tree is. The DOPs of the flying tree are made anew for
// each pose, when and only when a test needs one, once a query.
//
// Unlike there: two triangles at leaves are decided by the library's exact test, so that verdicts and pairs are the
// library's; volumes are floats rounded outwards, with no epsilon for the user to choose; and tests of slabs and
// rotations of vertices are vectors of whatever the machine has (the library's own choice, DBVH_ISA).

#pragma once

#include "dualbvh/collide.h"

#ifdef __cplusplus
extern "C" {
#endif

// How the DOP of a flying node is found after a rotation.
typedef enum quickcd_rotation {
	// From the corners that its DOP had before ("approximation"): loose, and cheap. A node whose convex hull has no
	// more
	// vertices than that takes those instead, which is tight and cheaper still.
	QUICKCD_APPROXIMATE,
	// From the vertices of its convex hull, by climbing along the hull's edges where there are many: tight.
	QUICKCD_HILL,
	// The root by climbing, all others approximately. As we remember the original's choice; no copy of it was at hand.
	QUICKCD_MIXED,
} quickcd_rotation;

// The node that is split if the DOPs of two nodes overlap.
typedef enum quickcd_rule {
	QUICKCD_ENVIRONMENT_FIRST, // the original's: all of the environment is gone through before the flying tree is
	QUICKCD_LARGER_FIRST,      // not the original's: the larger one, to see what the rule costs
} quickcd_rule;

typedef struct quickcd_options {
	int k;              // slabs count twice: 6, 14, 18, 24 or 26
	uint32_t leaf_size; // nodes of at most so many triangles are not divided: 1 and 40 in the original
	bool flying;        // whether quickcd_collide() may take it as the flying tree
	quickcd_rotation rotation;
	quickcd_rule rule; // rule for queries in which this is the flying tree
} quickcd_options;

typedef struct quickcd_tree quickcd_tree;

// NULL where the view is not valid, the options make no sense, or memory runs out. The triangles are copied.
quickcd_tree *quickcd_build( const dbvh_mesh_view *view, const quickcd_options *options );
void quickcd_free( quickcd_tree *tree ); // NULL is allowed

typedef struct quickcd_size {
	size_t nodes, depth, bytes;
	size_t points, hulls; // vertices that rotations go through, and nodes that climb
} quickcd_size;

quickcd_size quickcd_get_size( const quickcd_tree *tree );

// Scratch memory of queries, one a thread; grows on first use with a pair of trees.
typedef struct quickcd_work quickcd_work;

quickcd_work *quickcd_work_create( void ); // NULL where memory runs out
void quickcd_work_free( quickcd_work *work );

typedef struct quickcd_counters {
	uint64_t volume_tests;   // N_v: pairs of DOPs compared
	uint64_t triangle_tests; // N_p: pairs of triangles given to the exact test
	uint64_t reorientations; // N_u: DOPs of flying nodes made anew
	uint64_t triangle_boxes; // pairs of triangles in leaves of several, whose boxes were compared before
	uint64_t rotated_points; // vertices that went through the rotation, of those that were not climbed to
	uint64_t climbing_steps; // vertices looked at while climbing
} quickcd_counters;

typedef struct quickcd_result {
	dbvh_verdict verdict;
	size_t pair_count;      // DBVH_FIND_ALL: pairs that intersect; else 0 or 1
	const dbvh_pair *pairs; // the pairs, sorted by a (environment), then b (flying); valid until the next query
	quickcd_counters counters;
} quickcd_result;

// The answer of dbvh_collide( environment, NULL, flying, pose, ... ). The pose must pass dbvh_pose_check(), both trees
// must have the same k. Returns false if not, or if memory runs out. Trees are only read.
bool quickcd_collide( const quickcd_tree *environment, const quickcd_tree *flying, const dbvh_pose *pose,
                      dbvh_find find, quickcd_work *work, quickcd_result *out );

#ifdef __cplusplus
}
#endif
