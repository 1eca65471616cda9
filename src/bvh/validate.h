// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include "bvh/tree.h"

// Checks a tree whose arrays have the lengths that it says, whatever is in them. Counts, links, the places of
// triangles and that numbers are finite always, in linear time; that volumes enclose, for every `sample`th triangle
// (1: all). INVARIANT with the first broken rule in the text, OUT_OF_MEMORY.
dbvh_status dbvhi_tree_check( const dbvh_tree *tree, uint32_t sample, dbvh_error *error );

// The parts of that about the mesh; each returns the first broken rule, or NULL. Of a divided triangle, in a tree whose
// fragments are known to be whole: do all places name the same corners? `room` has a number for each place.
const char *dbvhi_check_divided( const dbvh_tree *tree, uint64_t *room );

// Is every triangle of the mesh listed at one place, the one that stands there first? `seen` is zero and has a byte for
// each.
const char *dbvhi_check_twins( const dbvh_tree *tree, unsigned char *seen );

// Is the content hash that of the triangles, as far as their corners are all there?
const char *dbvhi_check_hash( const dbvh_tree *tree );
