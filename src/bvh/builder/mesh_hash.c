// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/builder/mesh_hash.h"

#include "base/assert.h"
#include "base/inline.h"
#include "mesh/view.h"

DBVHI_INLINE uint64_t hash_part( const dbvh_mesh_view *view, size_t first, size_t end ) {
	dbvhi_hash_kernel *const kernel = dbvhi_hash_table[dbvhi_isa_level()];
	dbvhi_hash_batch batch;
	uint64_t part = 0;
	for ( size_t next = first; next < end; next += DBVHI_HASH_BATCH ) {
		const size_t count = end - next < DBVHI_HASH_BATCH ? end - next : DBVHI_HASH_BATCH;
		for ( size_t i = 0; i < count; ++i ) {
			uint32_t index[3];
			batch.number[i] = (uint32_t)( next + i );
			dbvhi_view_triangle( view, next + i, index );
			for ( int corner = 0; corner < 3; ++corner )
				dbvhi_view_vertex( view, index[corner], batch.corners[i] + 3 * corner );
		}
		part += kernel( &batch, count );
	}
	return part;
}

uint64_t dbvhi_mesh_hash_part( const dbvh_mesh_view *view, size_t first, size_t end ) {
	DBVHI_ASSERT( first <= end );
	if ( !dbvhi_view_is_plain( view ) )
		return hash_part( view, first, end );
	const dbvh_mesh_view plain = dbvhi_view_plain( view );
	return hash_part( &plain, first, end );
}

uint64_t dbvhi_mesh_hash_whole( uint64_t sum_of_parts, size_t count ) {
	return dbvhi_hash_word( sum_of_parts, count );
}
