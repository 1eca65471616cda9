// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "bvh/file/format.h"

#include "base/hash.h"
#include "bvh/packed_block.h"

#include <stddef.h>

_Static_assert( sizeof( dbvhi_node ) == 192 && offsetof( dbvhi_node, first ) == 176, "22 doubles, four numbers" );
_Static_assert( sizeof( dbvhi_packed ) == 120 && offsetof( dbvhi_packed, centre ) == 56 &&
                    offsetof( dbvhi_packed, mark_offset ) == 104,
                "the head of a packed block has no holes" );
_Static_assert( sizeof( dbvhi_packed_ellipsoid ) == 152, "19 doubles" );
_Static_assert( sizeof( dbvhi_node_ellipsoid ) == 168 && offsetof( dbvhi_node_ellipsoid, aligned ) == 160 &&
                    offsetof( dbvhi_node_ellipsoid, packed ) == 162,
                "20 doubles, three flags, five bytes of 0" );

uint32_t dbvhi_section_element( dbvhi_section_kind kind ) {
	switch ( kind ) {
	case DBVHI_SECTION_ROOT:
	case DBVHI_SECTION_NODES:
		return sizeof( dbvhi_node );
	case DBVHI_SECTION_VERTICES:
	case DBVHI_SECTION_POINT_POSITION:
		return 3 * sizeof( double );
	case DBVHI_SECTION_CORNERS:
		return 9 * sizeof( double );
	case DBVHI_SECTION_BOUNDS:
	case DBVHI_SECTION_SHEET_BOUNDS:
		return 6 * sizeof( double );
	case DBVHI_SECTION_ELLIPSOIDS:
		return sizeof( dbvhi_node_ellipsoid );
	case DBVHI_SECTION_ELLIPSOID_WANTED:
		return sizeof( uint64_t );
	case DBVHI_SECTION_CORNER:
	case DBVHI_SECTION_POINT:
	case DBVHI_SECTION_EDGE:
		return 3 * sizeof( uint32_t );
	case DBVHI_SECTION_COMPONENTS:
		return DBVHI_COMPONENT_BYTES;
	case DBVHI_SECTION_PACKED:
	case DBVHI_SECTION_DEGENERATE:
	case DBVHI_SECTION_WINDING:
	case DBVHI_SECTION_EVEN:
		return 1;
	default:
		return sizeof( uint32_t );
	}
}

void dbvhi_sections_place( dbvhi_sections *s ) {
	s->section_count = 0;
	s->block_count = 0;
	for ( int kind = 1; kind < DBVHI_SECTION_END; ++kind ) {
		s->section_count += s->of[kind].count > 0;
		s->first_block[kind] = s->block_count;
		s->block_count += dbvhi_blocks_of( &s->of[kind] );
	}
	s->first_block[DBVHI_SECTION_END] = s->block_count;
	const uint64_t tables = DBVHI_ENTRY_BYTES * (uint64_t)s->section_count + 4 * s->block_count;
	s->front_bytes = dbvhi_align_section( DBVHI_HEAD_LENGTH + tables );
	uint64_t at = s->front_bytes;
	for ( int kind = 1; kind < DBVHI_SECTION_END; ++kind ) {
		if ( s->of[kind].count == 0 )
			continue;
		s->of[kind].offset = at;
		at = dbvhi_align_section( at + dbvhi_section_bytes( &s->of[kind] ) );
	}
	s->file_bytes = at;
}

dbvhi_file_block dbvhi_sections_block( const dbvhi_sections *s, uint64_t index ) {
	DBVHI_ASSERT( index < s->block_count );
	int kind = 1;
	while ( index >= s->first_block[kind + 1] )
		kind += 1;
	const uint64_t begin = ( index - s->first_block[kind] ) * DBVHI_CHECKSUM_BLOCK;
	const uint64_t left = dbvhi_section_bytes( &s->of[kind] ) - begin;
	return ( dbvhi_file_block ){ (dbvhi_section_kind)kind, begin,
	                             left < DBVHI_CHECKSUM_BLOCK ? (size_t)left : DBVHI_CHECKSUM_BLOCK };
}

void dbvhi_options_put( const dbvh_tree_options *o, uint8_t out[DBVHI_OPTION_BYTES] ) {
	memset( out, 0, DBVHI_OPTION_BYTES );
	out[DBVHI_OPTION_LEAF_SIZE] = (uint8_t)( o->leaf_size > 0 ? o->leaf_size : 1 );
	out[DBVHI_OPTION_SPHERE_FIT] = (uint8_t)o->sphere_fit;
	out[DBVHI_OPTION_BOX_FIT] = (uint8_t)o->box_fit;
	out[DBVHI_OPTION_SPLIT] = (uint8_t)o->split;
	out[DBVHI_OPTION_TOPOLOGY] = o->topology;
	out[DBVHI_OPTION_FILL] = (uint8_t)o->fill;
	out[DBVHI_OPTION_ELLIPSOIDS] = (uint8_t)o->ellipsoids;
	out[DBVHI_OPTION_FRAGMENTS] = (uint8_t)o->fragments;
	out[DBVHI_OPTION_QUALITY] = (uint8_t)o->quality;
	out[DBVHI_OPTION_REFERENCE] = o->reference;
}

bool dbvhi_options_get( const uint8_t bytes[DBVHI_OPTION_BYTES], dbvh_tree_options *out ) {
	static const uint8_t most[DBVHI_OPTION_BYTES] = { 64,
	                                                  DBVH_NODE_SPHERE_RITTER,
	                                                  DBVH_BOX_FIT_RAPID,
	                                                  DBVH_SPLIT_VARIANCE,
	                                                  1,
	                                                  DBVH_FILL_RULE_EVEN_ODD,
	                                                  DBVH_ELLIPSOIDS_ALL,
	                                                  DBVH_FRAGMENTS_NONE,
	                                                  DBVH_QUALITY_FAST,
	                                                  1 };
	for ( int i = 0; i < DBVHI_OPTION_BYTES; ++i ) {
		if ( bytes[i] > most[i] )
			return false;
	}
	*out = ( dbvh_tree_options ){ .leaf_size = bytes[DBVHI_OPTION_LEAF_SIZE],
	                              .sphere_fit = (dbvh_node_sphere)bytes[DBVHI_OPTION_SPHERE_FIT],
	                              .box_fit = (dbvh_box_fit)bytes[DBVHI_OPTION_BOX_FIT],
	                              .split = (dbvh_split)bytes[DBVHI_OPTION_SPLIT],
	                              .topology = bytes[DBVHI_OPTION_TOPOLOGY] != 0,
	                              .fill = (dbvh_fill_rule)bytes[DBVHI_OPTION_FILL],
	                              .ellipsoids = (dbvh_ellipsoids)bytes[DBVHI_OPTION_ELLIPSOIDS],
	                              .fragments = (dbvh_fragments)bytes[DBVHI_OPTION_FRAGMENTS],
	                              .quality = (dbvh_quality)bytes[DBVHI_OPTION_QUALITY],
	                              .reference = bytes[DBVHI_OPTION_REFERENCE] != 0 };
	return out->leaf_size > 0 && dbvhi_tree_options_check( out, NULL ) == DBVH_OK;
}

uint64_t dbvhi_options_hash( const uint8_t bytes[DBVHI_OPTION_BYTES] ) {
	uint64_t hash = DBVHI_HASH_SEED;
	for ( int i = 0; i < DBVHI_OPTION_BYTES; ++i )
		hash = dbvhi_hash_word( hash, bytes[i] );
	return hash;
}

// ------------------------------------------------------------------------------------------------
// The order of bytes

// Returns the length of the word at an offset of a section. In a packed block only the head has words of eight bytes;
// floats and numbers of four follow. Ellipsoids behind these would have other words; a tree with them is refused where
// bytes would have to be converted.
static size_t word_of( dbvhi_section_kind kind, uint64_t at ) {
	const size_t node = (size_t)( at % sizeof( dbvhi_node ) );
	switch ( kind ) {
	case DBVHI_SECTION_ROOT:
	case DBVHI_SECTION_NODES:
		return node < offsetof( dbvhi_node, first ) ? 8 : 4;
	case DBVHI_SECTION_VERTICES:
	case DBVHI_SECTION_POINT_POSITION:
	case DBVHI_SECTION_CORNERS:
	case DBVHI_SECTION_BOUNDS:
	case DBVHI_SECTION_SHEET_BOUNDS:
	case DBVHI_SECTION_ELLIPSOID_WANTED:
		return 8;
	case DBVHI_SECTION_ELLIPSOIDS:
		return at % sizeof( dbvhi_node_ellipsoid ) < offsetof( dbvhi_node_ellipsoid, aligned ) ? 8 : 1;
	case DBVHI_SECTION_COMPONENTS: // kept in file order in memory, too
	case DBVHI_SECTION_DEGENERATE:
	case DBVHI_SECTION_WINDING:
	case DBVHI_SECTION_EVEN:
		return 1;
	case DBVHI_SECTION_PACKED:
		return at < offsetof( dbvhi_packed, bytes ) ||
		               ( at >= offsetof( dbvhi_packed, node_count ) && at < offsetof( dbvhi_packed, sphere_offset ) ) ||
		               ( at >= offsetof( dbvhi_packed, ellipsoid_count ) &&
		                 at < offsetof( dbvhi_packed, mark_offset ) ) ||
		               at >= sizeof( dbvhi_packed )
		           ? 4
		           : 8;
	default:
		return 4;
	}
}

void dbvhi_section_swap( dbvhi_section_kind kind, uint64_t at, uint8_t *bytes, size_t count ) {
	if ( dbvhi_is_little_endian() )
		return;
	for ( size_t i = 0; i < count; ) {
		const size_t size = word_of( kind, at + i );
		for ( size_t k = 0; k < size / 2 && i + size <= count; ++k ) {
			const uint8_t other = bytes[i + k];
			bytes[i + k] = bytes[i + size - 1 - k];
			bytes[i + size - 1 - k] = other;
		}
		i += size;
	}
}
