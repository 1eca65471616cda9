// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include "bvh/tree.h"

// Checks a tree whose arrays have the lengths that it says, whatever is in them. Counts, links, the places of
// triangles and that numbers are finite always, in linear time; that volumes enclose, for every `sample`th triangle
// (1: all). INVARIANT with the first broken rule in the text, OUT_OF_MEMORY.
dbvh_status dbvhi_tree_check( const dbvh_tree *tree, uint32_t sample, dbvh_error *error );
