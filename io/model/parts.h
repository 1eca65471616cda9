// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A mesh cut into parts.

#pragma once

#include "dualbvh/mesh.h"

#include <stdint.h>

// One mesh for each label from 0 to part_count - 1, each of which some triangle has. Triangles keep their order, and a
// part has only the vertices that it uses, in the order of use. numbers_out has for each part which triangles of the
// mesh its triangles are; the caller frees them. Every entry of both is set, to NULL on failure. O(n). Errors:
// OUT_OF_MEMORY.
dbvh_status scene_cut( const dbvh_mesh *mesh, const uint32_t *labels, size_t part_count, dbvh_mesh **parts_out,
                       uint32_t **numbers_out, dbvh_error *error );

// Objects that continue each other get one label: those that share an edge (two positions) which is open in both, as
// the patches of one surface do. Labels are numbered anew, in the order of the least of those that became one, so that
// first_of[i] is the old label that i begins with; it has room for *count. O(n log n). Errors: OUT_OF_MEMORY.
dbvh_status scene_join_open( const dbvh_mesh *mesh, uint32_t *labels, size_t *count, uint32_t *first_of,
                             dbvh_error *error );
