// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Which vertices are the same point.

#pragma once

#include "dualbvh/mesh.h"

// Sets first_out[i], for every vertex of the view, to the lowest number of a vertex with the same coordinates (-0
// equals 0), which may be i itself. Returns how many different points there are, or 0 if there is no memory.
size_t dbvhi_weld( const dbvh_mesh_view *view, const dbvh_allocator *allocator, uint32_t *first_out );
