// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Faces of parts that were put together lie on each other, or a hair apart: less than boxes with axes of 16 bits and
// the margin of floats can tell, so that a search goes down to the leaves everywhere on them. Here two leaves are told
// apart as wholes, by a plane in doubles, instead of their triangles pair by pair.

#pragma once

#include "query/common/mesh_pair.h"
#include "query/common/packed_run.h"

// Lets a run ask about pairs of leaves; the meshes have to stay where they are.
void dbvhi_packed_use_flat_leaves( dbvhi_packed_run *run, const dbvhi_mesh_pair *meshes );
