// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes, poses, motions and shapes that are the same doubles on every machine: each coordinate is a whole number, or
// one quotient of two, so that neither a libm nor the contraction of a sum changes a bit.

#pragma once

#include "dualbvh/dualbvh.h"

#include <stdint.h>

// A generator of whole numbers (splitmix64).
typedef struct input_rng {
	uint64_t state;
} input_rng;

uint64_t input_u64( input_rng *r );

// A whole number from low to high, both included.
int64_t input_between( input_rng *r, int64_t low, int64_t high );

// A multiple of 1/`parts` in [-size, size].
double input_number( input_rng *r, int64_t size, int64_t parts );
void input_point( input_rng *r, int64_t size, int64_t parts, double out[3] );

enum { INPUT_VERTICES = 4096, INPUT_TRIANGLES = 4096 };

typedef struct input_mesh {
	double positions[INPUT_VERTICES][3];
	uint32_t indices[INPUT_TRIANGLES][3];
	size_t vertex_count, triangle_count;
	bool is_solid; // surfaces that do not cross themselves: dbvh_relate() is exact about these
} input_mesh;

// One of the kinds of meshes, of a size of about 1.
void input_make_mesh( input_rng *r, input_mesh *mesh );
dbvh_mesh_view input_view( const input_mesh *mesh );

// A turn of any angle, or by quarters (`on_grid`); the translation is a multiple of 1/8 on the grid, else of 1/997.
dbvh_pose input_pose( input_rng *r, bool on_grid, int64_t reach );

// A motion from a pose off the grid, a translation or a turn.
dbvh_motion input_motion( input_rng *r );

enum { INPUT_SHAPES = 7 };
void input_shapes( input_rng *r, bool on_grid, dbvh_shape shapes[INPUT_SHAPES] );
