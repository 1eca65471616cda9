// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include "bvh/tree.h"

// Checks a tree whose arrays have the lengths recorded in it, whatever their content. Counts, links, indices and
// finiteness are checked for all elements, in linear time; enclosure by volumes for every `sample`th triangle (1: all).
// INVARIANT with the first broken rule in the text, OUT_OF_MEMORY.
dbvh_status dbvhi_tree_check( const dbvh_tree *tree, uint32_t sample, dbvh_error *error );

// Checks that all leaf indices of a divided triangle have the same corners, for fragments known to be complete. `room`
// has a number for each leaf index. Returns the first broken rule, or NULL.
const char *dbvhi_check_divided( const dbvh_tree *tree, uint64_t *room );

// Checks that every triangle of the mesh is listed at one leaf index and that the first of each list is the one kept
// there. `seen` is a zeroed byte a triangle. Returns the first broken rule, or NULL.
const char *dbvhi_check_twins( const dbvh_tree *tree, unsigned char *seen );

// Checks the content hash, as far as the corners of all triangles are known. Returns the broken rule, or NULL.
const char *dbvhi_check_hash( const dbvh_tree *tree );
