// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "draco_writer.h"

#include <cstring>
#include <draco/compression/encode.h>
#include <draco/mesh/mesh.h>

size_t draco_write( const float *positions, size_t point_count, const uint32_t *corners, size_t triangle_count,
                    int bits, bool sequential, uint32_t *id_out, size_t *points_out, size_t *triangles_out,
                    unsigned char *bytes, size_t room ) {
	draco::Mesh mesh;
	mesh.SetNumFaces( triangle_count );
	mesh.set_num_points( static_cast<uint32_t>( point_count ) );
	draco::GeometryAttribute attribute;
	attribute.Init( draco::GeometryAttribute::POSITION, nullptr, 3, draco::DT_FLOAT32, false, 3 * sizeof( float ), 0 );
	const int id = mesh.AddAttribute( attribute, true, static_cast<uint32_t>( point_count ) );
	for ( uint32_t i = 0; i < point_count; ++i )
		mesh.attribute( id )->SetAttributeValue( draco::AttributeValueIndex( i ), positions + 3 * i );
	for ( uint32_t i = 0; i < triangle_count; ++i )
		mesh.SetFace( draco::FaceIndex( i ),
		              { { draco::PointIndex( corners[3 * i] ), draco::PointIndex( corners[3 * i + 1] ),
		                  draco::PointIndex( corners[3 * i + 2] ) } } );
	draco::Encoder encoder;
	draco::EncoderBuffer buffer;
	encoder.SetEncodingMethod( sequential ? draco::MESH_SEQUENTIAL_ENCODING : draco::MESH_EDGEBREAKER_ENCODING );
	encoder.SetTrackEncodedProperties( true );
	if ( bits > 0 )
		encoder.SetAttributeQuantization( draco::GeometryAttribute::POSITION, bits );
	if ( !encoder.EncodeMeshToBuffer( mesh, &buffer ).ok() || buffer.size() > room )
		return 0;
	*id_out = mesh.attribute( id )->unique_id();
	*points_out = encoder.num_encoded_points();
	*triangles_out = encoder.num_encoded_faces();
	std::memcpy( bytes, buffer.data(), buffer.size() );
	return buffer.size();
}
