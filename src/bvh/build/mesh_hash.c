// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The content hash of a mesh. Without vectors: what most sets make of products of 64 bits takes twice as long.

#include "bvh/build/builder.h"
#include "mesh/view.h"

DBVHI_INLINE uint64_t hash_part( const dbvh_mesh_view *view, size_t first, size_t end ) {
	uint64_t part = 0;
	for ( size_t i = first; i < end; ++i ) {
		uint32_t index[3];
		double p[9];
		dbvhi_view_triangle( view, i, index );
		for ( int corner = 0; corner < 3; ++corner )
			dbvhi_view_vertex( view, index[corner], p + 3 * corner );
		part += dbvhi_builder_hash_triangle( i, p );
	}
	return part;
}

uint64_t dbvhi_builder_hash_part( const dbvh_mesh_view *view, size_t first, size_t end ) {
	if ( !dbvhi_view_is_plain( view ) )
		return hash_part( view, first, end );
	const dbvh_mesh_view plain = dbvhi_view_plain( view );
	return hash_part( &plain, first, end );
}

uint64_t dbvhi_builder_hash_whole( uint64_t sum_of_parts, size_t count ) {
	return dbvhi_hash_word( sum_of_parts, count );
}
