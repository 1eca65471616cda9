// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Twins: triangles with the same three corners in any order, -0 being 0. A tree keeps the lowest in file order and
// lists the others beside it, so that each decision is made once. Otherwise the export of bodies copied onto themselves
// would cost every query the square of the number of copies.
//
// note: results count twins: lists of pairs and hits name every twin, and a ray crosses all of them.

#pragma once

#include "dualbvh/mesh.h"

typedef struct dbvhi_twins {
	size_t leaf_index_count, number_count; // kept triangles, and triangles of the mesh
	uint32_t *begin;                       // leaf_index_count + 1 offsets into `number`, by leaf index
	uint32_t *number;                      // indices in file order, ascending for each leaf index
} dbvhi_twins;

// Sets first_out[i] to the lowest twin of i (or i), for all `count` triangles of a checked view, and returns the number
// of distinct triangles. `table` is uninitialised memory for four words a triangle. Expected O(n); if hashes were made
// to collide some twins are missed, which costs time later but changes no answer.
size_t dbvhi_twins_find( const dbvh_mesh_view *view, size_t count, uint64_t *table, uint32_t *first_out );

// Builds the lists from the result of dbvhi_twins_find() and the kept triangles in leaf order; a triangle with several
// leaf indices is listed at the last. NULL if there is no memory.
dbvhi_twins *dbvhi_twins_create( const uint32_t *first, size_t number_count, const uint32_t *triangle,
                                 size_t leaf_index_count, const dbvh_allocator *allocator );

// Frees the lists; NULL is allowed.
void dbvhi_twins_destroy( dbvhi_twins *twins, const dbvh_allocator *allocator );
size_t dbvhi_twins_bytes( const dbvhi_twins *twins );
