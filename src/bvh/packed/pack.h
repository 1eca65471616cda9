// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Packing: the reference tree becomes four children a node and up to four triangles a leaf, in floats.

#pragma once

#include "bvh/packed/pack_piece.h"
#include "bvh/packed_block.h"
#include "dualbvh/base.h"

struct dbvh_tree;

// Lists the nodes of the reference tree that become children of the packed node made from `node`. Returns their number,
// up to four.
int dbvhi_packed_children( const struct dbvh_tree *tree, uint32_t node, uint32_t children_out[DBVHI_WIDTH] );

// Sets the bits of the nodes of the reference tree that become nodes of the packed form.
dbvh_status dbvhi_packed_nodes( const struct dbvh_tree *tree, uint64_t *bits );

// Packs a built tree. Leaves *packed_out NULL, with DBVH_OK, for leaves of more than four triangles, and for a mesh
// beyond DBVHI_PACKED_LARGEST. Queries then use the reference tree. The block does not depend on the number of threads.
dbvh_status dbvhi_pack( const struct dbvh_tree *tree, uint32_t thread_count, dbvhi_packed **packed_out );

// True if floats hold a mesh with this largest coordinate and this radius of the root's sphere in its own unit: sizes
// and positions whose squares are normal floats, with room for poses. All other meshes are packed in a unit of their
// own.
bool dbvhi_packed_holds( double largest, double radius );

// The largest coordinate of a mesh that is packed: beyond, sums of coordinates in the unit of the mesh may overflow.
#define DBVHI_PACKED_LARGEST 0x1p1000

// Returns the exponent of the unit of a scaled block. In that unit the largest coordinate is 2^37 to 2^38: no node has
// a radius above 2^40, and with the margin DBVHI_SCALED_LEAST none below 2^-6, so that dbvhi_packed_holds() is true.
static inline int dbvhi_packed_exponent( double largest ) {
	int exponent = 0;
	if ( largest > 0.0 )
		frexp( largest, &exponent );
	return exponent - DBVHI_SCALED_SIZE;
}

// Makes a header that of a scaled block, for a mesh with this largest coordinate.
void dbvhi_packed_set_scale( dbvhi_packed *header, double largest );

// Sets the centre of a header, and of the packer that fills the block, to one in the unit of the block, rounded so that
// it is a double in that of the mesh, too; and how the packer scales corners.
void dbvhi_packed_set_centre( dbvhi_packed *header, dbvhi_packer *p, const double centre[3] );

// Sets where each piece begins, and the counts of the header.
void dbvhi_packed_place_pieces( dbvhi_packed *header, dbvhi_top *top );

// Allocates the block for a header with its counts and locates its arrays; NULL if there is no memory. The caller
// copies the header.
char *dbvhi_packed_allocate( dbvhi_packed *header, const dbvh_allocator *allocator, dbvhi_packed_arrays *arrays_out );

// Completes the header once the arrays are filled.
void dbvhi_packed_finish( dbvhi_packed *header, const dbvhi_top *top, char *block );

// Returns the power of two that scales an extent to 2^15 .. 2^16.
double dbvhi_packed_unit( double extent );

// Computes the expected header of a tree's packed form, except `extent` and `unit`, which depend on its content: from a
// valid reference tree alone. node_count is 0 where there is no packed form.
dbvh_status dbvhi_packed_plan( const struct dbvh_tree *tree, dbvhi_packed *plan );

// dbvhi_packed_plan() without a reference tree: takes the counts of the block's own header, if they are possible.
dbvh_status dbvhi_packed_plan_alone( const struct dbvh_tree *tree, dbvhi_packed *plan );

// Checks the packed form against a valid reference tree, or by itself if there is none; nothing of the block is
// followed before it is known to be inside. Checked are counts and layout, links, that every triangle is in one leaf,
// unused lanes, enclosing volumes, and the accuracy of leaf corners. `seen` is a zeroed byte a triangle. Checks that
// take more than a look at each number are made for every `sample`th leaf only, and the reference tree is not consulted
// for `sample` > 1. *rule_out is the first broken rule, or NULL. DBVH_OUT_OF_MEMORY, or DBVH_OK.
dbvh_status dbvhi_packed_check( const struct dbvh_tree *tree, uint32_t sample, unsigned char *seen,
                                const char **rule_out );
