// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The one function of the Draco library (Galligan and others, Google 2016-) that is used, in C.

#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum draco_outcome {
	DRACO_DONE,
	DRACO_MALFORMED, // the library finds nothing sound
	DRACO_OTHERWISE, // other counts or another type of position than the caller was told
	DRACO_NO_MEMORY,
} draco_outcome;

typedef enum draco_number { DRACO_BYTE, DRACO_UBYTE, DRACO_SHORT, DRACO_USHORT, DRACO_FLOAT } draco_number;

// The arrays to be filled in. Their sizes are what the caller expects to find.
typedef struct draco_arrays {
	void *positions; // three numbers each
	draco_number number;
	size_t position_count;
	uint32_t *corners;
	size_t corner_count;
} draco_arrays;

// Decompresses a mesh; `attribute` is the unique id of its positions. A mesh that promises another number of triangles
// is refused before the library takes memory for them. No exception leaves.
draco_outcome draco_unpack( const unsigned char *bytes, size_t size, uint32_t attribute, const draco_arrays *out );

#ifdef __cplusplus
}
#endif
