// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Which vertices are the same point.

#pragma once

#include "dualbvh/mesh.h"

// Finds points among the different ones that have come before. Zero-initialise. It holds 6 to 12 bytes a point.
typedef struct dbvhi_welder {
	uint32_t *slots; // numbers of vertices; UINT32_MAX for none
	size_t capacity; // a power of two
	uint64_t seed;
} dbvhi_welder;

// Is there room for one point more than so many?
static inline bool dbvhi_welder_has_room( const dbvhi_welder *welder, size_t count ) {
	return count < welder->capacity / 3 * 2;
}

// Makes room for about as many points again as the view has vertices, which are all that came before. False where there
// is no memory; then it knows none.
bool dbvhi_welder_grow( dbvhi_welder *welder, const dbvh_mesh_view *view, const dbvh_allocator *allocator );

// The number of the vertex of the view at this point (-0 equals 0), or `number`, which it remembers, where there is
// none. There must be room.
uint32_t dbvhi_welder_find( dbvhi_welder *welder, const dbvh_mesh_view *view, const double p[3], uint32_t number );

void dbvhi_welder_free( dbvhi_welder *welder, const dbvh_allocator *allocator );

// Sets first_out[i], for every vertex of the view, to the lowest number of a vertex with the same coordinates (-0
// equals 0), which may be i itself. Returns how many different points there are, or 0 if there is no memory.
size_t dbvhi_weld( const dbvh_mesh_view *view, const dbvh_allocator *allocator, uint32_t *first_out );
