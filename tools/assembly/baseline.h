// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// An earlier report (JSON, schema dualbvh.clashes/1) to compare with: which clashes are new, worse, elsewhere, renamed
// or unchanged, and which are absent, with the reason. No clash is called resolved.

#pragma once

#include "assembly/findings.h"

// Tolerances within which a known clash is unchanged. Lengths in the unit of the scene; below 0: a part of the smaller
// body's size, SCENE_WORSE_PART or SCENE_MOVED_PART.
typedef struct scene_tolerance {
	double worse; // deeper, or nearer
	double moved;
} scene_tolerance;
#define SCENE_WORSE_PART 1e-6
#define SCENE_MOVED_PART 0.1

// Reads the report and says of every clash how it stands to it. Errors: those of reading.
dbvh_status scene_compare( scene_findings *findings, const char *file, const scene_tolerance *tolerance,
                           dbvh_error *error );

// scene_compare() for bytes in memory.
dbvh_status scene_compare_bytes( scene_findings *findings, const unsigned char *bytes, size_t count,
                                 const scene_tolerance *tolerance, dbvh_error *error );
