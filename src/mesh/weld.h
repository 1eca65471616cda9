// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A hash table that finds vertices with equal coordinates.

#pragma once

#include "base/hash.h"
#include "mesh/view.h"

#define DBVHI_WELDER_NONE UINT32_MAX
#define DBVHI_WELDER_AHEAD 48 // the most points of dbvhi_welder_prefetch()

// Finds points among the different ones that have come before. Zero-initialise. It holds 6 to 12 bytes a point.
typedef struct dbvhi_welder {
	uint32_t *slots; // numbers of vertices, or DBVHI_WELDER_NONE
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

// Makes room for so many points in a welder that knows none, so that it need not grow on the way there. False where
// there is no memory.
bool dbvhi_welder_reserve( dbvhi_welder *welder, size_t count, const dbvh_allocator *allocator );

// The first slot of the table to look for a point in.
static inline size_t dbvhi_welder_slot( const dbvhi_welder *welder, const double p[3] ) {
	uint64_t hash = welder->seed;
	for ( int k = 0; k < 3; ++k ) {
		const double plain = p[k] + 0.0; // makes 0 of -0
		uint64_t bits;
		memcpy( &bits, &plain, sizeof bits );
		hash = dbvhi_hash_word( hash, bits );
	}
	return (size_t)hash & ( welder->capacity - 1 );
}

// The number of the vertex of the view at this point (-0 equals 0), or `number`, which it remembers, where there is
// none. There must be room.
static inline uint32_t dbvhi_welder_find( dbvhi_welder *welder, const dbvh_mesh_view *view, const double p[3],
                                          uint32_t number ) {
	DBVHI_ASSERT( welder->capacity > 0 );
	size_t slot = dbvhi_welder_slot( welder, p );
	for ( ; welder->slots[slot] != DBVHI_WELDER_NONE; slot = ( slot + 1 ) & ( welder->capacity - 1 ) ) {
		double q[3];
		dbvhi_view_vertex( view, welder->slots[slot], q );
		if ( p[0] == q[0] && p[1] == q[1] && p[2] == q[2] )
			return welder->slots[slot];
	}
	welder->slots[slot] = number;
	return number;
}

// Prefetch what dbvhi_welder_find() will read for `count` points: first all slots, then the vertices that these name.
// In a table larger than the caches each of them would be waited for. A welder without a table is left alone.
static inline void dbvhi_welder_prefetch( const dbvhi_welder *welder, const dbvh_mesh_view *view,
                                          const double ( *points )[3], size_t count ) {
	size_t slots[DBVHI_WELDER_AHEAD];
	DBVHI_ASSERT( count <= DBVHI_WELDER_AHEAD );
	if ( welder->capacity == 0 )
		return;
	for ( size_t i = 0; i < count; ++i ) {
		slots[i] = dbvhi_welder_slot( welder, points[i] );
		__builtin_prefetch( &welder->slots[slots[i]] );
	}
	for ( size_t i = 0; i < count; ++i ) {
		const uint32_t vertex = welder->slots[slots[i]];
		if ( vertex != DBVHI_WELDER_NONE )
			__builtin_prefetch( (const double *)view->positions + 3 * (size_t)vertex );
	}
}

void dbvhi_welder_free( dbvhi_welder *welder, const dbvh_allocator *allocator );

// Sets first_out[i], for every vertex of the view, to the lowest number of a vertex with the same coordinates (-0
// equals 0), which may be i itself. Returns how many different points there are, or 0 if there is no memory.
size_t dbvhi_weld( const dbvh_mesh_view *view, const dbvh_allocator *allocator, uint32_t *first_out );
