// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Words for a clash: a sentence for people, and the names and triangle numbers of its files.

#pragma once

#include "assembly/findings.h"

// A plain sentence without a full stop, for example "lid and box overlap: 0.3 mm deep, 12.4 mm3, protrusion". The
// caller frees it. NULL where there is no memory.
char *scene_clash_sentence( const scene_findings *findings, const scene_clash *clash );

// The measures of it alone: "0.3 mm deep, 12.4 mm3, protrusion", as far as they are known. The caller frees it. NULL
// where there is no memory.
char *scene_measures_text( const scene_findings *findings, const scene_clash *clash );

// The triangles of a clash that meet or are nearest, by their numbers in their files.
dbvh_pair scene_clash_triangles( const scene_findings *findings, const scene_clash *clash );

// The file that a body came from.
const char *scene_file_of( const scene_findings *findings, uint32_t body );
