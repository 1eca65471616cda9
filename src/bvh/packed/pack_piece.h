// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Packing a subtree of binary nodes, wherever these are: four children a node, up to four triangles a leaf, in floats.
//
// A tree is packed in pieces of at most DBVHI_PIECE triangles, and the top above them. What the pieces are depends on
// the tree alone, so a piece can be packed, and its binary nodes forgotten, before the next one is built, on any
// thread.

#pragma once

#include "bvh/node.h"
#include "bvh/packed/layout.h"
#include "bvh/packed/leaf.h"

#include <stddef.h>

#define DBVHI_PIECE 2048
// A packed node of more than DBVHI_PIECE triangles does not replace a child of so few by its own two: such a child is
// part of a treelet, which is built as a whole.
#define DBVHI_PIECE_LEAST 256

// Where binary nodes and the corners of their triangles are, and what their positions are relative to.
typedef struct dbvhi_packer {
	const dbvhi_node *nodes;
	const double *corners; // of the triangles from `low` on; or NULL, and then these are of all
	const double *vertices;
	const uint32_t *corner;
	const uint32_t *fragment; // of the same triangles (bvh/fragment.h); NULL: all are whole
	double fragment_error;
	double widening; // of the volumes of nodes, as dbvhi_widen_node() does it; 0 where that is done
	uint32_t low;
	double centre[3];
	double root_radius;
} dbvhi_packer;

// A binary node on the way into the packed form.
typedef struct dbvhi_opening {
	uint32_t node;
	uint32_t steps; // from the root, which has 1
	dbvhi_frame frame;
} dbvhi_opening;

// A packed node to be filled.
typedef struct dbvhi_pending {
	uint32_t node;
	uint32_t depth;
	dbvhi_opening from;
} dbvhi_pending;

// The arrays of a packed block.
typedef struct dbvhi_packed_arrays {
	dbvhi_packed_spheres *spheres;
	dbvhi_packed_box *boxes; // DBVHI_WIDTH a node
	dbvhi_packed_leaf *leaves;
} dbvhi_packed_arrays;

// A subtree: its root, where it begins in the block, and how large it is there.
typedef struct dbvhi_piece {
	dbvhi_opening root;
	uint32_t first_node, first_leaf;
	uint32_t node_count, leaf_count;
	uint32_t depth;   // of its root in the block, which begins with 1
	uint32_t deepest; // packed nodes on the longest way down from its root, which counts
	double extent;    // no centre and no corner is farther from the packer's centre
} dbvhi_piece;

// What decides which child is replaced by its own two.
typedef struct dbvhi_openable {
	uint32_t total;
	double radius;
} dbvhi_openable;

// Which of the open children of a packed node of `total` triangles that is; -1 if none. The largest that can be; near
// the leaves the one of the fewest triangles.
int dbvhi_next_to_open( uint32_t total, const dbvhi_openable *open, int count );

// The nodes that become the children of a packed node: starting from the binary node itself, until there are four.
int dbvhi_open_children( const dbvhi_packer *p, uint32_t root, uint32_t out[DBVHI_WIDTH] );
int dbvhi_open_frames( const dbvhi_packer *p, const dbvhi_opening *root, dbvhi_opening out[DBVHI_WIDTH] );

// Sets the numbers of a piece from its root. `stack` has three entries for each level of binary nodes.
void dbvhi_count_piece( const dbvhi_packer *p, dbvhi_piece *piece, dbvhi_pending *stack );

// Called for each packed node.
typedef void dbvhi_packed_visitor( void *context, uint32_t packed_node, const dbvhi_opening *from );

// Fills a piece depth first, so that a node's descendants lie near it. *extent of the piece grows.
void dbvhi_fill_piece( const dbvhi_packer *p, dbvhi_piece *piece, const dbvhi_packed_arrays *out,
                       dbvhi_packed_visitor *visit, void *context, dbvhi_pending *stack );

// The packed nodes above the pieces; all of them, where the whole tree is no larger than a piece. Binary node 0 is the
// root.
typedef struct dbvhi_top {
	uint32_t node_count, leaf_count, piece_count;
	uint32_t deepest;
	double extent;
	dbvhi_piece *pieces; // in the order in which they are linked; NULL as long as they are only to be counted
} dbvhi_top;

// Sets the numbers, and of the pieces their roots' binary nodes and depths.
void dbvhi_count_top( const dbvhi_packer *p, dbvhi_top *top, dbvhi_pending *stack );

// The block begins with the top. Each piece's first_node is known; their roots get their frames.
void dbvhi_fill_top( const dbvhi_packer *p, dbvhi_top *top, const dbvhi_packed_arrays *out, dbvhi_packed_visitor *visit,
                     void *context, dbvhi_pending *stack );

// A node without children.
void dbvhi_clear_packed_node( dbvhi_packed_spheres *spheres, dbvhi_packed_box boxes[DBVHI_WIDTH] );

// A child of a packed node, from the binary node whose frame in the mesh is the product of `depth` steps.
void dbvhi_pack_child( const dbvhi_packer *p, const dbvhi_node *node, const dbvhi_frame *frame, uint32_t depth,
                       dbvhi_packed_spheres *out, dbvhi_packed_box *box, int lane, double *extent );

// Its axes, and the rotation that these have become.
void dbvhi_pack_turn( dbvhi_packed_box *box, const dbvhi_mat *axes, double rot_out[3][3] );

// What of that does not depend on the axes: `offset` from the sphere's centre, as it is stored, to the box's.
void dbvhi_pack_lengths( dbvhi_packed_spheres *out, dbvhi_packed_box *box, int lane, const double half[3],
                         const double offset[3], double radius );

// The corners of a leaf, of triangles next to each other in leaf order.
void dbvhi_gather_leaf( const dbvhi_packer *p, uint32_t first, uint32_t count, dbvhi_leaf_corners *out );

// The leaf that they make.
void dbvhi_pack_leaf( const dbvhi_leaf_isa *isa, const dbvhi_leaf_corners *corners, uint32_t first, uint32_t count,
                      dbvhi_packed_leaf *out, double *extent );
