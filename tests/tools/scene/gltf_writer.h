// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Random glTF scenes for tests, as bytes and as what they say.

#pragma once

#include "support/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GLTF_MOST_MESHES = 4, GLTF_MOST_NODES = 16, GLTF_MOST_CORNERS = 60 };

// Positions as the file has them, and the corners of its triangles.
typedef struct gltf_test_mesh {
	float positions[GLTF_MOST_CORNERS][3];
	size_t position_count;
	uint32_t corners[GLTF_MOST_CORNERS * 3]; // three corners a triangle
	size_t triangle_count;
} gltf_test_mesh;

typedef struct gltf_test_node {
	char name[32]; // "": none
	int parent;    // -1: a root
	int mesh;      // -1: none
	long double local[3][4];
	bool is_rotation; // the local map is a rotation and a translation
} gltf_test_node;

typedef struct gltf_test_scene {
	gltf_test_mesh meshes[GLTF_MOST_MESHES];
	gltf_test_node nodes[GLTF_MOST_NODES];
	size_t mesh_count, node_count;
} gltf_test_scene;

typedef struct gltf_test_bytes {
	unsigned char *bytes;
	size_t count, room;
} gltf_test_bytes;

void gltf_test_put( gltf_test_bytes *out, const void *bytes, size_t count );
void gltf_test_print( gltf_test_bytes *out, const char *format, ... ) __attribute__( ( format( printf, 2, 3 ) ) );

// Fills in the scene and writes it as a GLB, with all that accessors, primitives and nodes may be.
void gltf_test_random( rng *r, gltf_test_scene *scene, gltf_test_bytes *glb_out );
