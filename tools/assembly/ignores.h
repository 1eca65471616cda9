// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The list of clashes that somebody has reviewed and accepts. Every entry has a reason.
//
// As text: an entry a line, `#` begins a comment. An entry is the id of a clash, or two patterns as rules have them
// (quoted where they hold blanks), and then the reason:
//
//     3f2a9c0d11e47b58      press fit, agreed with the supplier
//     'engine/bolt*' 'engine/block*'   threads are not modelled
//
// As JSON: {"schema": "dualbvh.ignores/1", "ignores": [{"id": "...", "reason": "..."}, {"a": "...", "b": "...",
// "reason": "..."}]}.

#pragma once

#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scene_ignore {
	bool has_id;
	uint64_t id;
	char *a, *b; // patterns; NULL where has_id
	char *reason;
	const char *file; // the caller's
	int64_t line;     // 0 where that is not known
	size_t used;      // clashes that it has taken
} scene_ignore;

typedef struct scene_ignores {
	scene_ignore *entries;
	size_t count, capacity;
} scene_ignores;

// Adds the entries of a file. All zero is an empty list.
dbvh_status scene_ignores_read( scene_ignores *list, const char *file, dbvh_error *error );
// scene_ignores_read() for bytes in memory; `file` is their name.
dbvh_status scene_ignores_parse( scene_ignores *list, const char *file, const unsigned char *bytes, size_t count,
                                 dbvh_error *error );

// Adds the ignores of scene files; `file` is named as their source. False where there is no memory.
bool scene_ignores_take( scene_ignores *list, const scene_model *model, const char *file );
void scene_ignores_free( scene_ignores *list );

typedef struct scene_findings scene_findings;

// Says of every clash which entry ignores it, the first that fits, and of every entry how often it was used. False
// where there is no memory.
bool scene_ignores_apply( scene_ignores *list, scene_findings *findings );
