// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A node of the reference tree: an oriented box and a sphere round the same triangles.
//
// The box is placed relative to the box of its parent, so that a traversal carries the pose of one box seen from the
// other down both hierarchies with one small product a step (Gottschalk, Lin and Manocha 1996). The frame of a node in
// the mesh is *defined* as the product of these steps from the root, computed in doubles by dbvhi_frame_step(); that is
// the frame its extents are measured in and checked in.

#pragma once

#include "math/vec.h"

#include <stdint.h>

typedef struct dbvhi_node {
	dbvhi_mat rot;            // columns: the box's axes in the parent's box frame (the root's: in the mesh)
	dbvhi_vec pos;            // the box's centre there
	dbvhi_vec half;           // half extents, ascending: index 0 is the smallest (but for DBVH_BOX_FIT_RAPID)
	dbvhi_vec sphere_outside; // the sphere's centre in the parent's box frame
	dbvhi_vec sphere_inside;  // the same in this box's frame
	double radius;
	uint32_t first;      // the first of two children, next to each other; in a leaf, the first triangle
	uint32_t count;      // triangles in a leaf; 0 in an inner node
	uint32_t low, total; // its triangles, in leaf order
} dbvhi_node;

_Static_assert( sizeof( dbvhi_node ) == 192, "a node is three cache lines" );

static inline int dbvhi_node_is_leaf( const dbvhi_node *node ) {
	return node->count != 0;
}

// A box's frame in the mesh: x_mesh = axes * x_box + origin.
typedef struct dbvhi_frame {
	dbvhi_mat axes;
	dbvhi_vec origin;
} dbvhi_frame;

// How far the frame of a node may be off for what is lost among the subnormal numbers, and what is measured in it,
// after that many steps. A coordinate of a step has three products and a stored position, each off by half of the
// smallest double D: 2 D, in all directions 3.5 D. What a test compares in such a frame has at most nine products more.
static inline double dbvhi_subnormal_margin( double steps ) {
	return ( 6.0 * steps + 32.0 ) * 0x1p-1074;
}

// The mesh's own frame, the parent of the root.
static inline dbvhi_frame dbvhi_frame_mesh( void ) {
	return ( dbvhi_frame ){ { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { { 0, 0, 0 } } };
}

// The frame of a child from its parent's.
static inline dbvhi_frame dbvhi_frame_step( const dbvhi_frame *parent, const dbvhi_node *child ) {
	return ( dbvhi_frame ){ dbvhi_mat_mul( &parent->axes, &child->rot ),
	                        dbvhi_add( parent->origin, dbvhi_mat_apply( &parent->axes, child->pos ) ) };
}

// A point of the parent's frame in the mesh.
static inline dbvhi_vec dbvhi_frame_point( const dbvhi_frame *frame, dbvhi_vec local ) {
	return dbvhi_add( frame->origin, dbvhi_mat_apply( &frame->axes, local ) );
}
