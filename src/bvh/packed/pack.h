// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The packed form of a tree: the reference tree with four children a node and up to four triangles a leaf, in floats.

#pragma once

#include "bvh/packed/block.h"
#include "bvh/packed/pack_piece.h"
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

// May a mesh be packed whose coordinates and whose root's sphere are so large?
bool dbvhi_packed_holds( double largest, double radius );

// Where the pieces of a top begin, and from that the counts of a header.
void dbvhi_packed_place_pieces( dbvhi_packed *header, dbvhi_top *top );

// A block for a header with its counts, and where its arrays are; NULL if there is no memory. The header is not in it.
char *dbvhi_packed_allocate( dbvhi_packed *header, const dbvh_allocator *allocator, dbvhi_packed_arrays *arrays_out );

// Once the arrays are filled.
void dbvhi_packed_finish( dbvhi_packed *header, const dbvhi_top *top, char *block );

// The power of two that makes 2^15 to 2^16 of the extent.
double dbvhi_packed_unit( double extent );

// What the header of a tree's packed form has to say, `extent` and `unit` apart, which come with the content: from the
// reference tree alone, which is sound. No nodes, where there is no packed form.
dbvh_status dbvhi_packed_plan( const struct dbvh_tree *tree, dbvhi_packed *plan );

// The same without the reference tree: with the counts of the header itself, as far as they are possible.
dbvh_status dbvhi_packed_plan_alone( const struct dbvh_tree *tree, dbvhi_packed *plan );

// Checks the packed form of a tree against the reference tree, which is sound, or by itself where there is none:
// nothing of the block is followed before it is known to be inside. Counts and layout, links, every triangle in one
// leaf, lanes without a child or a triangle, volumes that enclose, grids that are as near as they claim. `seen` is a
// zeroed byte a triangle. What takes more than a look at each number is asked of every `sample`th leaf alone, and then
// the reference tree, if there is one, of nothing. *rule_out is NULL if all is well, else the first broken rule.
// DBVH_OUT_OF_MEMORY, or DBVH_OK.
dbvh_status dbvhi_packed_check( const struct dbvh_tree *tree, uint32_t sample, unsigned char *seen,
                                const char **rule_out );
