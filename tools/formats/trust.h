// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How far files of scenes are trusted. Zero-initialised: not at all, as files of strangers.

#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct scene_trust {
	bool allow_outside;   // files may name others that are outside of their folder and of packages
	uint32_t most_memory; // limit for meshes and bodies of a scene, in MiB; 0: the ceiling of assembly/ledger.h
} scene_trust;

// Entries of an option table; `member` is a scene_trust of the settings.
#define SCENE_TRUST_ENTRIES( member )                                                                                  \
	{ "allow-outside", 0, NULL, ARG_TO( ARG_FLAG, member.allow_outside ),                                              \
	  "a scene may name files outside of its folder and its packages" },                                               \
	{                                                                                                                  \
		"most-memory", 0, "MIB", ARG_COUNT_TO( member.most_memory, 1, UINT32_MAX ),                                    \
		    "a scene may take so much for meshes and bodies (128, and 32 times the bytes of its files)"                \
	}
