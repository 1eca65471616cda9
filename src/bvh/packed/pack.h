// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The packed form of a tree: the reference tree with four children a node and up to four triangles a leaf, in floats.

#pragma once

#include "bvh/packed/block.h"
#include "dualbvh/base.h"

struct dbvh_tree;

// The nodes of the reference tree that become the children of a packed node, which that node becomes. Up to four.
int dbvhi_packed_children( const struct dbvh_tree *tree, uint32_t node, uint32_t children_out[DBVHI_WIDTH] );

// Sets the bits of those nodes of the reference tree that are to be nodes of the packed form.
dbvh_status dbvhi_packed_nodes( const struct dbvh_tree *tree, uint64_t *bits );

// Packs a tree that has been built. Leaves *packed_out NULL, with DBVH_OK, where floats would not do: a mesh smaller
// than 2^-40 or larger than 2^40, or leaves of more than four triangles. Queries go by the reference tree then.
// The block does not depend on the number of threads.
dbvh_status dbvhi_pack( const struct dbvh_tree *tree, uint32_t thread_count, dbvhi_packed **packed_out );

// The power of two that makes 2^15 to 2^16 of the extent.
double dbvhi_packed_unit( double extent );

// What the header of a tree's packed form has to say, `extent` and `unit` apart, which come with the content: from the
// reference tree alone, which is sound. No nodes, where there is no packed form.
dbvh_status dbvhi_packed_plan( const struct dbvh_tree *tree, dbvhi_packed *plan );

// Checks the packed form of a tree against the reference tree, which is sound: nothing of the block is followed before
// it is known to be inside. Counts and layout, links, every triangle in one leaf, lanes without a child or a triangle,
// volumes that enclose, grids that are as near as they claim. `seen` is a zeroed byte a triangle. *rule_out is NULL if
// all is well, else the first broken rule. DBVH_OUT_OF_MEMORY, or DBVH_OK.
dbvh_status dbvhi_packed_check( const struct dbvh_tree *tree, unsigned char *seen, const char **rule_out );
