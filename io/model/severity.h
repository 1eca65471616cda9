// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How bad a clash is, as the rule that it breaks says: apart from kind and depth, which are facts.

#pragma once

#include <stdbool.h>

typedef enum scene_severity {
	SCENE_NOTE, // is told, and counts only where somebody asks for it
	SCENE_MINOR,
	SCENE_MAJOR, // the default
	SCENE_CRITICAL,
	SCENE_SEVERITY_COUNT
} scene_severity;

// The words of options and rules, with commas.
#define SCENE_SEVERITY_WORDS "note, minor, major or critical"

const char *scene_severity_word( scene_severity severity );
// The severity that has this word. False: none has.
bool scene_severity_read( const char *word, scene_severity *out );
