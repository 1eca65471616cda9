// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A mesh cut into parts.

#pragma once

#include "dualbvh/mesh.h"

#include <stdint.h>

// One mesh for each label from 0 to part_count - 1, each of which some triangle has. Triangles keep their order, and a
// part has only the vertices that it uses, in the order of use. Every entry of parts_out is set, to NULL on failure.
// O(n). Errors: OUT_OF_MEMORY.
dbvh_status scene_cut( const dbvh_mesh *mesh, const uint32_t *labels, size_t part_count, dbvh_mesh **parts_out,
                       dbvh_error *error );
