// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Nodes of the reference tree: an oriented box and a sphere around the same triangles.
//
// A box is placed relative to its parent's box, so that a traversal carries the relative pose of two boxes down both
// trees with one small product a step (Gottschalk, Lin and Manocha 1996). The frame of a node in the mesh is *defined*
// as the product of these steps from the root, computed in doubles by dbvhi_frame_step(); extents are measured and
// checked in that frame.

#pragma once

#include "math/power.h"
#include "math/vec.h"

#include <stdint.h>

typedef struct dbvhi_node {
	dbvhi_mat rot;            // columns: the box's axes in the parent's box frame (the root's: in the mesh)
	dbvhi_vec pos;            // the box's centre in the parent's box frame
	dbvhi_vec half;           // half extents, ascending (unordered for DBVH_BOX_FIT_RAPID)
	dbvhi_vec sphere_outside; // the sphere's centre in the parent's box frame
	dbvhi_vec sphere_inside;  // the same in this box's frame
	double radius;
	uint32_t first;      // the first of two children, next to each other; in a leaf, the first triangle
	uint32_t count;      // triangles in a leaf; 0 in an inner node
	uint32_t low, total; // first and number of its triangles, in leaf order
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

// Bounds the error that subnormal rounding causes in the frame of a node after `steps` steps, and in what is measured
// in it. A coordinate of a step has three products and a stored position, each off by half of the smallest double D: 2
// D, in all directions 3.5 D. A test that compares in such a frame has at most nine products more.
static inline double dbvhi_subnormal_margin( double steps ) {
	return ( 6.0 * steps + 32.0 ) * 0x1p-1074;
}

// Multiplies the lengths of a node by a power of two, and enlarges its volumes by `lost`.
static inline void dbvhi_node_scale( dbvhi_node *node, dbvhi_power by, double lost ) {
	for ( int k = 0; k < 3; ++k ) {
		node->pos.v[k] = dbvhi_times_power( by, node->pos.v[k] );
		node->half.v[k] = dbvhi_times_power( by, node->half.v[k] ) + lost;
		node->sphere_outside.v[k] = dbvhi_times_power( by, node->sphere_outside.v[k] );
		node->sphere_inside.v[k] = dbvhi_times_power( by, node->sphere_inside.v[k] );
	}
	node->radius = dbvhi_times_power( by, node->radius ) + lost;
}

// Returns the frame of the mesh, the parent of the root.
static inline dbvhi_frame dbvhi_frame_mesh( void ) {
	return ( dbvhi_frame ){ { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { { 0, 0, 0 } } };
}

// Returns the frame of a child from that of its parent.
static inline dbvhi_frame dbvhi_frame_step( const dbvhi_frame *parent, const dbvhi_node *child ) {
	return ( dbvhi_frame ){ dbvhi_mat_mul( &parent->axes, &child->rot ),
	                        dbvhi_add( parent->origin, dbvhi_mat_apply( &parent->axes, child->pos ) ) };
}

// Maps a point of a frame into the mesh.
static inline dbvhi_vec dbvhi_frame_point( const dbvhi_frame *frame, dbvhi_vec local ) {
	return dbvhi_add( frame->origin, dbvhi_mat_apply( &frame->axes, local ) );
}

// Bounds the error by which |axis . (point - origin)|, computed, may be below the truth, where `largest` bounds the
// components of the difference: each difference rounds once and the sum of three products at most three times more,
// relative to a sum of magnitudes of at most sqrt(3) * 1.01 * largest.
static inline double dbvhi_projection_error( double largest ) {
	return 10.0 * 0x1p-53 * largest + 0x1p-1000;
}
