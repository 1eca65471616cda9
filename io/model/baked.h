// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes with a linear map baked in: one mesh of a model for each geometry and map, however many bodies have it.

#pragma once

#include "model/model.h"

typedef struct scene_baked_entry {
	double linear[9];
	uint32_t geometry, mesh; // mesh: SCENE_NONE where the slot is free
} scene_baked_entry;

// All zero is an empty table.
typedef struct scene_baked {
	scene_baked_entry *slots;
	size_t slot_count, count; // slot_count is a power of two, or 0
} scene_baked;

void scene_baked_free( scene_baked *table );

// The number in `model` of the mesh that is geometry number `geometry`, under the linear map; `view` is that geometry,
// which is copied if the mesh is new, its triangles turned round where the map mirrors. SCENE_NONE after filling in
// *error: what dbvh_mesh_create() refuses, a map that takes a position out of the range of doubles, no memory.
uint32_t scene_baked_mesh( scene_baked *table, scene_model *model, uint32_t geometry, const dbvh_mesh_view *view,
                           const double linear[3][3], const char *name, dbvh_error *error );
