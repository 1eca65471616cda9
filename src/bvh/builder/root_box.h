// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

struct dbvh_tree;

// Turns the box of tree->root to where it is smaller, flush with faces of the mesh that have directions in common.
// Nodes and the packed form stay as they are: queries test this box first, in doubles, and it separates parts that rest
// on each other if its faces are theirs.
void dbvhi_root_box_align( struct dbvh_tree *tree );
