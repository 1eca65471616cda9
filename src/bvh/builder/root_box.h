// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

struct dbvh_tree;

// Turns the box of tree->root to where it is smaller, flush with the faces of the mesh if they have directions in
// common. Nodes and the packed form stay as they are: queries look at this box before anything else, in doubles, and
// parts that lie on each other are told apart by it if its faces are theirs.
void dbvhi_root_box_align( struct dbvh_tree *tree );
