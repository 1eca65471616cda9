// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Edge collapse by quadric errors (Garland and Heckbert 1997), which meshoptimizer does: it keeps the shape better than
// cells of a grid do, and open borders stay where they are.

#pragma once

#include "dualbvh/mesh.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reduces triangles of a mesh of doubles to about `target`, or fewer than asked for where its topology does not let it.
// Triangle i stays as it is where stays[i]; the size of the mesh is `diagonal`, from `lower` on. `indices` has room for
// all triangles. Returns the number of triangles left; SIZE_MAX where meshoptimizer is not built in, or there is no
// memory.
size_t collapse_edges( const dbvh_mesh_view *view, const bool *stays, size_t target, const double lower[3],
                       double diagonal, uint32_t *indices );
