// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/weld.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "mesh/view.h"

#define EMPTY UINT32_MAX

static uint64_t hash_point( uint64_t seed, const double p[3] ) {
	uint64_t hash = seed;
	for ( int k = 0; k < 3; ++k ) {
		const double plain = p[k] + 0.0; // makes 0 of -0
		uint64_t bits;
		memcpy( &bits, &plain, sizeof bits );
		hash = dbvhi_hash_word( hash, bits );
	}
	return hash;
}

size_t dbvhi_weld( const dbvh_mesh_view *view, const dbvh_allocator *allocator, uint32_t *first_out ) {
	size_t capacity = 16;
	while ( capacity < view->vertex_count + view->vertex_count / 2 )
		capacity *= 2;
	uint32_t *table = dbvhi_alloc( allocator, capacity, sizeof *table );
	if ( table == NULL )
		return 0;
	memset( table, 0xff, capacity * sizeof *table );
	// The place of the table is different from run to run, so that no file can be made to collide. It decides in which
	// slots the points lie, and nothing that is returned.
	const uint64_t seed = dbvhi_hash_mix( DBVHI_HASH_SEED + (uint64_t)(uintptr_t)table );
	size_t distinct = 0;
	for ( size_t i = 0; i < view->vertex_count; ++i ) {
		double p[3];
		dbvhi_view_vertex( view, i, p );
		size_t slot = (size_t)hash_point( seed, p ) & ( capacity - 1 );
		for ( ; table[slot] != EMPTY; slot = ( slot + 1 ) & ( capacity - 1 ) ) {
			double q[3];
			dbvhi_view_vertex( view, table[slot], q );
			if ( p[0] == q[0] && p[1] == q[1] && p[2] == q[2] )
				break;
		}
		if ( table[slot] == EMPTY ) {
			table[slot] = (uint32_t)i;
			distinct += 1;
		}
		first_out[i] = table[slot];
	}
	dbvhi_free( allocator, table, capacity, sizeof *table );
	return distinct;
}
