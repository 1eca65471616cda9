// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Several files as one model: the bodies of all, each with a path of its own.

#pragma once

#include "model/model.h"

typedef struct scene_assembly {
	scene_model model;
	const char *const *files; // the caller's
	size_t file_count;
	uint32_t *file_of; // by body
} scene_assembly;

void scene_assembly_free( scene_assembly *assembly );
