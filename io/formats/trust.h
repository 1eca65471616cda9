// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How far files of scenes are trusted. Zero-initialised: not at all, as files of strangers.

#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct scene_trust {
	bool allow_outside;   // files may name others that are outside of their folder and of packages
	uint32_t most_memory; // limit for meshes and bodies of a scene, in MiB; 0: the ceiling of model/ledger.h
} scene_trust;
