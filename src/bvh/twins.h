// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Triangles that a mesh has more than once: the same three corners in any order, -0 being 0. A tree keeps one of each,
// the lowest in file order, and the numbers of the others beside it, so that whatever is decided about them is decided
// once. Exports of bodies that were copied onto themselves would else cost every query the square of the number of
// copies.
//
// What a triangle of a tree stands for is a matter of everyone who counts: lists of pairs and hits name every twin, and
// rays through a mesh cross all of them.

#pragma once

#include "dualbvh/mesh.h"

typedef struct dbvhi_twins {
	size_t leaf_index_count, number_count; // triangles of the tree, and of the mesh
	uint32_t *begin;                       // leaf_index_count + 1: by place in leaf order, where its numbers begin
	uint32_t *number;                      // in file order, ascending for each place
} dbvhi_twins;

// Sets first_out[i] to the lowest triangle that is the same as i, for all `count` triangles of a checked view, and
// returns how many are their own. `table` is memory for four words a triangle, whatever is in it.
// Expected O(n); where hashes have been made to collide some are not found, which costs time later and no answer.
size_t dbvhi_twins_find( const dbvh_mesh_view *view, size_t count, uint64_t *table, uint32_t *first_out );

// From what dbvhi_twins_find() has set and the triangles that a tree holds, in leaf order; one that stands at several
// places is listed at the last. NULL if there is no memory.
dbvhi_twins *dbvhi_twins_create( const uint32_t *first, size_t number_count, const uint32_t *triangle,
                                 size_t leaf_index_count, const dbvh_allocator *allocator );

// NULL is allowed.
void dbvhi_twins_destroy( dbvhi_twins *twins, const dbvh_allocator *allocator );
size_t dbvhi_twins_bytes( const dbvhi_twins *twins );
