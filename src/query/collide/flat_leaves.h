// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Faces of parts in an assembly lie on each other, or a hair apart: less than boxes with axes of 16 bits and the margin
// of floats can separate, so that a search goes down to the leaves everywhere on them. This test separates two leaves
// as wholes, by a plane in doubles, instead of their triangles pair by pair.

#pragma once

#include "query/common/mesh_pair.h"
#include "query/common/packed_run.h"

// Let a run test pairs of leaves; the mesh pair must not move.
void dbvhi_packed_use_flat_leaves( dbvhi_packed_run *run, const dbvhi_mesh_pair *meshes );
