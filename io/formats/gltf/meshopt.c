// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// EXT_meshopt_compression, which gltfpack writes: the decoders of meshoptimizer (Kapoulkine 2016-). They check what
// they read, and write no more than the view holds.

#include "formats/gltf/gltf.h"

#ifdef DUALBVH_WITH_JANSSON

#ifdef DUALBVH_WITH_MESHOPTIMIZER

#include <meshoptimizer.h>

// Filters are applied in place. Those of normals and tangents change no position, but a view may hold anything.
static bool apply_filter( const gltf_packed *p, void *decoded ) {
	const size_t count = p->count, stride = p->stride;
	switch ( p->filter ) {
	case GLTF_FILTER_NONE:
		return true;
	case GLTF_FILTER_EXPONENTIAL:
		meshopt_decodeFilterExp( decoded, count, stride );
		return true;
	case GLTF_FILTER_OCTAHEDRAL:
		if ( stride == 4 || stride == 8 )
			meshopt_decodeFilterOct( decoded, count, stride );
		return stride == 4 || stride == 8;
	case GLTF_FILTER_QUATERNION:
		if ( stride == 8 )
			meshopt_decodeFilterQuat( decoded, count, stride );
		return stride == 8;
	default:
		return false;
	}
}

bool gltf_meshopt_decode( gltf *g, size_t view, const char *extension, const gltf_packed *p, void *out ) {
	const int failure =
	    p->mode == GLTF_PACKED_ATTRIBUTES  ? meshopt_decodeVertexBuffer( out, p->count, p->stride, p->bytes, p->size )
	    : p->mode == GLTF_PACKED_TRIANGLES ? meshopt_decodeIndexBuffer( out, p->count, p->stride, p->bytes, p->size )
	                                       : meshopt_decodeIndexSequence( out, p->count, p->stride, p->bytes, p->size );
	if ( failure == -1 )
		return gltf_refuse( g, DBVH_UNKNOWN_FORMAT,
		                    "bufferView %zu (%s) is not in a version that this build's meshoptimizer knows", view,
		                    extension );
	if ( failure != 0 || !apply_filter( p, out ) )
		return gltf_refuse( g, DBVH_MALFORMED, "bufferView %zu (%s) cannot be decompressed", view, extension );
	return true;
}

#else

bool gltf_meshopt_decode( gltf *g, size_t view, const char *extension, const gltf_packed *p, void *out ) {
	(void)p, (void)out;
	return gltf_refuse( g, DBVH_UNKNOWN_FORMAT,
	                    "bufferView %zu is compressed (%s), and this dualbvh was built without meshoptimizer; "
	                    "'gltfpack -noq -kn -i IN.glb -o OUT.glb' makes a file without that",
	                    view, extension );
}

#endif

#else

typedef int gltf_meshopt_is_empty;

#endif
