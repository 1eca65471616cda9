// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/gltf/draco.h"

#include <cstring>
#include <draco/compression/decode.h>
#include <draco/core/decoder_buffer.h>
#include <draco/core/varint_decoding.h>
#include <draco/mesh/mesh.h>
#include <new>

namespace {

draco::DataType type_of( draco_number number ) {
	switch ( number ) {
	case DRACO_BYTE:
		return draco::DT_INT8;
	case DRACO_UBYTE:
		return draco::DT_UINT8;
	case DRACO_SHORT:
		return draco::DT_INT16;
	case DRACO_USHORT:
		return draco::DT_UINT16;
	default:
		return draco::DT_FLOAT32;
	}
}

// Reads the number of triangles from the head of the bytes (Draco Bitstream Specification 2.2, sections 3 and 5), of
// which a few can promise millions. Versions before 2.2 are not read.
bool find_triangle_count( const unsigned char *bytes, size_t size, uint32_t *count_out ) {
	constexpr size_t head = 11; // "DRACO", version, kind, method, flags
	constexpr unsigned char metadata_flag = 0x80;
	uint32_t vertices = 0;
	if ( size < head || std::memcmp( bytes, "DRACO", 5 ) != 0 || bytes[5] != 2 || bytes[6] != 2 || bytes[7] != 1 ||
	     ( bytes[10] & metadata_flag ) != 0 )
		return false;
	draco::DecoderBuffer buffer;
	buffer.Init( reinterpret_cast<const char *>( bytes ) + head, size - head );
	const bool is_sequential = bytes[8] == 0;
	if ( is_sequential )
		return draco::DecodeVarint( count_out, &buffer );
	unsigned char kind = 0;
	if ( !buffer.Decode( &kind ) || !draco::DecodeVarint( &vertices, &buffer ) )
		return false;
	return draco::DecodeVarint( count_out, &buffer );
}

draco_outcome copy_positions( const draco::Mesh &mesh, uint32_t attribute, const draco_arrays &out ) {
	const draco::PointAttribute *positions = mesh.GetAttributeByUniqueId( attribute );
	if ( positions == nullptr || positions->num_components() != 3 || positions->data_type() != type_of( out.number ) ||
	     mesh.num_points() != out.position_count )
		return DRACO_OTHERWISE;
	const size_t size = 3 * static_cast<size_t>( draco::DataTypeLength( positions->data_type() ) );
	auto *to = static_cast<unsigned char *>( out.positions );
	for ( uint32_t i = 0; i < mesh.num_points(); ++i ) {
		const draco::AttributeValueIndex at = positions->mapped_index( draco::PointIndex( i ) );
		if ( at.value() >= positions->size() )
			return DRACO_MALFORMED;
		std::memcpy( to + i * size, positions->GetAddress( at ), size );
	}
	return DRACO_DONE;
}

draco_outcome copy_corners( const draco::Mesh &mesh, const draco_arrays &out ) {
	if ( out.corner_count % 3 != 0 || mesh.num_faces() != out.corner_count / 3 )
		return DRACO_OTHERWISE;
	for ( uint32_t i = 0; i < mesh.num_faces(); ++i )
		for ( int k = 0; k < 3; ++k )
			out.corners[3 * static_cast<size_t>( i ) + static_cast<size_t>( k )] =
			    mesh.face( draco::FaceIndex( i ) )[static_cast<size_t>( k )].value();
	return DRACO_DONE;
}

draco_outcome unpack( const unsigned char *bytes, size_t size, uint32_t attribute, const draco_arrays &out ) {
	uint32_t triangles = 0;
	if ( !find_triangle_count( bytes, size, &triangles ) )
		return DRACO_MALFORMED;
	if ( triangles != out.corner_count / 3 )
		return DRACO_OTHERWISE;
	draco::DecoderBuffer buffer;
	draco::Decoder decoder;
	buffer.Init( reinterpret_cast<const char *>( bytes ), size );
	auto mesh = decoder.DecodeMeshFromBuffer( &buffer );
	if ( !mesh.ok() )
		return DRACO_MALFORMED;
	const draco_outcome outcome = copy_corners( *mesh.value(), out );
	return outcome == DRACO_DONE ? copy_positions( *mesh.value(), attribute, out ) : outcome;
}

} // namespace

extern "C" draco_outcome draco_unpack( const unsigned char *bytes, size_t size, uint32_t attribute,
                                       const draco_arrays *out ) {
	try {
		return unpack( bytes, size, attribute, *out );
	} catch ( const std::bad_alloc & ) {
		return DRACO_NO_MEMORY;
	} catch ( ... ) {
		return DRACO_MALFORMED;
	}
}
