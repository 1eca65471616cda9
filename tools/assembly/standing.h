// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How the clashes of this run stand to those of an earlier one: new, worsened, improved, moved, renamed, accepted or
// unchanged; and why a clash of the earlier run is absent from this one.

#pragma once

#include "assembly/earlier.h"

// Tolerances within which a known clash is unchanged. Lengths in the unit of the scene; below 0: a part of the smaller
// body's size, SCENE_WORSE_PART or SCENE_MOVED_PART.
typedef struct scene_tolerance {
	double worse; // deeper, or nearer; and as much less deep, or farther, is improved
	double moved;
} scene_tolerance;
#define SCENE_WORSE_PART 1e-6
#define SCENE_MOVED_PART 0.1

// Matches the earlier run with this one, gives known clashes the ids that they had, and sets the standing of each and
// the list of absent ones. False where there is no memory.
bool scene_stand( scene_findings *findings, scene_earlier *earlier, const scene_tolerance *tolerance );

// Is the acceptance in force on `today`? A last day ("2026-12-31") that is over ends it.
bool scene_review_holds( const earlier_review *review, const char *today );

// The fingerprint of what the rules ask of two bodies, which explains a clash that is gone where it has changed. False
// where it is not known.
bool scene_terms( const scene_findings *findings, uint32_t a, uint32_t b, uint64_t *out );

// Why the earlier clash is absent, after scene_stand().
scene_absence scene_why_absent( const scene_findings *findings, const scene_earlier *earlier,
                                const earlier_clash *clash );
