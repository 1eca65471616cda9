// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes compressed by Draco, for tests.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Compresses triangles. `bits` 0 keeps floats as they are; else positions are quantised to so many bits. Points that no
// triangle has may be lost, and the order of points and triangles may change. *id_out: the attribute of the positions.
// Returns the size, or 0 where the bytes do not fit.
size_t draco_write( const float *positions, size_t point_count, const uint32_t *corners, size_t triangle_count,
                    int bits, bool sequential, uint32_t *id_out, size_t *points_out, size_t *triangles_out,
                    unsigned char *bytes, size_t room );

#ifdef __cplusplus
}
#endif
