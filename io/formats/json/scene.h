// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The JSON scene while it is read (docs/scene-format.md). Functions that return bool fill in *error where they return
// false.

#pragma once

#ifdef DUALBVH_WITH_JANSSON

#include "formats/files.h"
#include "formats/json/keys.h"

// A file that is being read, and the one that includes it. It is the source of what it names.
typedef struct json_level {
	const struct json_level *outer; // NULL: no JSON scene includes this one
	const scene_source *source;     // source of this file
	const unsigned char *bytes;
	size_t count;
	int depth;
} json_level;

typedef struct json_scene {
	scene_model *model;
	dbvh_error *error; // never NULL
	const json_t *root;
	json_level level;
	double sag; // default for bodies that state none
} json_scene;

// "m", "mm", "millimetre", ... in metres.
bool json_unit_of( const json_keys *k, double *metres_out );

// A number of bodies.c: reads the arrays "include" and "bodies".
bool json_read_includes( json_scene *s );
bool json_read_bodies( json_scene *s );

// rules.c: "defaults", "rules", "ignore" and "states".
bool json_read_defaults( json_scene *s );
bool json_read_rules( json_scene *s );
bool json_read_ignores( json_scene *s );
bool json_read_states( json_scene *s );

#endif
