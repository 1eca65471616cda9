// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// KHR_draco_mesh_compression: a primitive whose positions and corners are one compressed bufferView.

#include "formats/gltf/gltf.h"

#ifdef DUALBVH_WITH_JANSSON

#ifdef DUALBVH_WITH_DRACO

#include "formats/gltf/draco.h"

#include <stdlib.h>

static draco_number number_of( gltf_component component ) {
	switch ( component ) {
	case GLTF_BYTE:
		return DRACO_BYTE;
	case GLTF_UBYTE:
		return DRACO_UBYTE;
	case GLTF_SHORT:
		return DRACO_SHORT;
	case GLTF_USHORT:
		return DRACO_USHORT;
	default:
		return DRACO_FLOAT;
	}
}

// Finds the compressed bytes, and which attribute in them holds the positions.
static bool find_compressed( gltf *g, const json_t *extension, const char *user, gltf_view *view_out,
                             size_t *attribute_out ) {
	static const char what[] = "the compressed primitive of accessor";
	const json_t *attributes = json_object_get( extension, "attributes" );
	size_t view = SIZE_MAX;
	*attribute_out = SIZE_MAX;
	if ( !gltf_get_count( g, extension, what, 0, "bufferView", &view ) ||
	     !gltf_get_count( g, attributes, what, 0, "POSITION", attribute_out ) )
		return false;
	if ( view == SIZE_MAX || *attribute_out > UINT32_MAX )
		return gltf_refuse( g, DBVH_MALFORMED, "%s is compressed by Draco without a sound '%s'", user,
		                    view == SIZE_MAX ? "bufferView" : "POSITION" );
	return gltf_view_open( g, view, user, view_out );
}

static bool refuse( gltf *g, const char *user, draco_outcome outcome ) {
	if ( outcome == DRACO_NO_MEMORY )
		return gltf_refuse( g, DBVH_OUT_OF_MEMORY, "there is no memory for %s", user );
	return gltf_refuse( g, DBVH_MALFORMED, "%s: what Draco compressed %s", user,
	                    outcome == DRACO_MALFORMED ? "cannot be decompressed"
	                                               : "has other numbers of corners or positions, or of another type, "
	                                                 "than its accessors say" );
}

bool gltf_draco_decode( gltf *g, const json_t *extension, const char *user, gltf_accessor *positions,
                        gltf_accessor *corners ) {
	gltf_view view;
	size_t attribute;
	if ( !find_compressed( g, extension, user, &view, &attribute ) )
		return false;
	const size_t stride = 3 * gltf_size_of( positions->component );
	if ( positions->count > g->budget || corners->count > g->budget )
		return gltf_refuse( g, DBVH_LIMIT, "%s promises %zu corners, more than a file of this size should have", user,
		                    corners->count );
	// Corners first: they are words, and positions may be bytes.
	uint32_t *block = malloc( corners->count * sizeof *block + positions->count * stride );
	if ( block == NULL )
		return refuse( g, user, DRACO_NO_MEMORY );
	free( g->unpacked );
	g->unpacked = block;
	const draco_arrays arrays = { .positions = block + corners->count,
	                              .number = number_of( positions->component ),
	                              .position_count = positions->count,
	                              .corners = block,
	                              .corner_count = corners->count };
	const draco_outcome outcome = draco_unpack( view.bytes, view.count, (uint32_t)attribute, &arrays );
	if ( outcome != DRACO_DONE )
		return refuse( g, user, outcome );
	positions->bytes = arrays.positions;
	positions->stride = stride;
	corners->bytes = (const unsigned char *)block;
	corners->stride = sizeof *block;
	corners->component = GLTF_UINT;
	return true;
}

#else

bool gltf_draco_decode( gltf *g, const json_t *extension, const char *user, gltf_accessor *positions,
                        gltf_accessor *corners ) {
	(void)extension, (void)positions, (void)corners;
	return gltf_refuse(
	    g, DBVH_UNKNOWN_FORMAT,
	    "%s is compressed by Draco (KHR_draco_mesh_compression), and this dualbvh was built without its "
	    "library; 'gltf-transform copy IN.glb OUT.glb' makes a file without that",
	    user );
}

#endif

#else

typedef int gltf_draco_is_empty;

#endif
