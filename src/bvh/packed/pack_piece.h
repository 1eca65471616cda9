// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Packing a subtree of binary nodes: four children a node, up to four triangles a leaf, in floats.
//
// A tree is packed in pieces of at most DBVHI_PIECE triangles, and the top above them. The division into pieces depends
// on the tree alone, so that a piece can be packed on any thread, and its binary nodes discarded, before the next piece
// is built.

#pragma once

#include "bvh/node.h"
#include "bvh/packed/leaf.h"
#include "bvh/packed_layout.h"
#include "math/power.h"

#include <stdbool.h>
#include <stddef.h>

#define DBVHI_PIECE 2048
// DBVHI_PIECE_LEAST: a packed node of more than DBVHI_PIECE triangles does not open a child of so few, which is part of
// a treelet and built as a whole.
#define DBVHI_PIECE_LEAST 256

// Input of packing: binary nodes, the corners of their triangles, and the centre that positions become relative to.
typedef struct dbvhi_packer {
	const dbvhi_node *nodes;
	const double *corners; // corners of the triangles from leaf index `low` on; NULL: `vertices` and `corner` of all
	                       // triangles are used
	const double *vertices;
	const uint32_t *corner;
	const uint32_t *fragment; // paths of the same triangles (bvh/fragment.h); NULL: all are whole
	double fragment_error;
	double widening; // enlargement of node volumes still to be made, as by dbvhi_widen_node()
	uint32_t low;
	double centre[3];
	double root_radius;
	// The block has a unit of its own: corners are multiplied by `down`; nodes, errors and centre are in that unit
	// already.
	bool is_scaled;
	dbvhi_power down;
} dbvhi_packer;

// In a scaled block, the largest coordinate is at least half of 2^DBVHI_SCALED_SIZE and no volume smaller than
// DBVHI_SCALED_LEAST, 2^-44 of that: what positions in doubles may be off is more where a mesh is not about the origin.
#define DBVHI_SCALED_SIZE 38
#define DBVHI_SCALED_LEAST 0x1p-6

// A binary node that becomes a child of a packed node.
typedef struct dbvhi_opening {
	uint32_t node;
	uint32_t steps; // steps from the root, which has 1
	dbvhi_frame frame;
} dbvhi_opening;

// A packed node still to be filled.
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

// A subtree: its root, where it begins in the block, and its size there.
typedef struct dbvhi_piece {
	dbvhi_opening root;
	uint32_t first_node, first_leaf;
	uint32_t node_count, leaf_count;
	uint32_t depth;   // depth of its root in the block, which begins with 1
	uint32_t deepest; // packed nodes on the longest path from its root, including that
	double extent;    // no centre of a sphere and no corner is farther from the packer's centre
} dbvhi_piece;

// The criteria by which the next child to open is chosen.
typedef struct dbvhi_openable {
	uint32_t total;
	double radius;
} dbvhi_openable;

// Returns which child of a packed node of `total` triangles is replaced by its own two children; -1 if none. The
// largest that may be opened; near the leaves the one of the fewest triangles.
int dbvhi_next_to_open( uint32_t total, const dbvhi_openable *open, int count );

// Lists the binary nodes that become the children of a packed node: starting from the binary node itself, children are
// opened until there are four.
int dbvhi_open_children( const dbvhi_packer *p, uint32_t root, uint32_t out[DBVHI_WIDTH] );
int dbvhi_open_frames( const dbvhi_packer *p, const dbvhi_opening *root, dbvhi_opening out[DBVHI_WIDTH] );

// Counts the nodes and leaves of a piece from its root. `stack` has three entries for each level of binary nodes.
void dbvhi_count_piece( const dbvhi_packer *p, dbvhi_piece *piece, dbvhi_pending *stack );

// A callback for each packed node.
typedef void dbvhi_packed_visitor( void *context, uint32_t packed_node, const dbvhi_opening *from );

// Fills a piece depth first, so that descendants lie near their node. Raises piece->extent.
void dbvhi_fill_piece( const dbvhi_packer *p, dbvhi_piece *piece, const dbvhi_packed_arrays *out,
                       dbvhi_packed_visitor *visit, void *context, dbvhi_pending *stack );

// The packed nodes above the pieces; all of them if the tree is no larger than a piece. Binary node 0 is the root.
typedef struct dbvhi_top {
	uint32_t node_count, leaf_count, piece_count;
	uint32_t deepest;
	double extent;
	dbvhi_piece *pieces; // in the order of their links; NULL while counting
} dbvhi_top;

// Counts the top and its pieces; sets the root and the depth of each piece if `pieces` is not NULL.
void dbvhi_count_top( const dbvhi_packer *p, dbvhi_top *top, dbvhi_pending *stack );

// Fills the top, which begins the block. first_node of each piece must be set; piece roots get their frames.
void dbvhi_fill_top( const dbvhi_packer *p, dbvhi_top *top, const dbvhi_packed_arrays *out, dbvhi_packed_visitor *visit,
                     void *context, dbvhi_pending *stack );

// Clears a packed node: no children.
void dbvhi_clear_packed_node( dbvhi_packed_spheres *spheres, dbvhi_packed_box boxes[DBVHI_WIDTH] );

// Packs a child from a binary node whose frame in the mesh is the product of `depth` steps.
void dbvhi_pack_child( const dbvhi_packer *p, const dbvhi_node *node, const dbvhi_frame *frame, uint32_t depth,
                       dbvhi_packed_spheres *out, dbvhi_packed_box *box, int lane, double *extent );

// Packs the axes of a box, and returns the rotation as it is stored.
void dbvhi_pack_turn( dbvhi_packed_box *box, const dbvhi_mat *axes, double rot_out[3][3] );

// Packs the lengths of a box and its sphere's radius. `offset` leads from the stored centre of the sphere to that of
// the box.
void dbvhi_pack_lengths( dbvhi_packed_spheres *out, dbvhi_packed_box *box, int lane, const double half[3],
                         const double offset[3], double radius );

// Gathers the corners of a leaf: consecutive triangles in leaf order.
void dbvhi_gather_leaf( const dbvhi_packer *p, uint32_t first, uint32_t count, dbvhi_leaf_corners *out );

// Packs a leaf from its corners.
void dbvhi_pack_leaf( const dbvhi_leaf_isa *isa, const dbvhi_leaf_corners *corners, uint32_t first, uint32_t count,
                      dbvhi_packed_leaf *out, double *extent );
