// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How a known clash compares with what an earlier run has of it: its kind, its measures and its place, without regard
// to names and to what people have decided.

#pragma once

#include "assembly/earlier.h"
#include "assembly/standing.h"

typedef struct scene_comparison {
	scene_standing standing; // WORSENED, MOVED, IMPROVED or UNCHANGED
	bool is_same_pair; // both bodies have the same triangles, and stand to each other as they did: so the overlap is
	                   // the same
	bool is_sure; // an accepted clash is no worse than it was, and where it was: its measures and points say so, or the
	              // pair is the same
	bool has_measure; // both runs have the measure; the value is that of the earlier one
	bool is_volume; // the measure is the volume, since that is what has changed; else a depth, or the distance of a gap
	dbvh_interval measure;
	double moved; // how far the clash is from where it was; 0 where that is not known
} scene_comparison;

// Has a body that is still there the triangles that it had, in its own frame?
bool scene_has_same_shape( const scene_findings *findings, const earlier_body *body );
// Have both bodies of the earlier clash, and do they stand to each other as they did, so that the overlap is the same?
bool scene_is_same_pair( const scene_findings *findings, const scene_earlier *earlier, const earlier_clash *clash );

// `then` has become a clash of the findings.
scene_comparison scene_compare_clash( const scene_findings *findings, const scene_earlier *earlier,
                                      const earlier_clash *then, const scene_tolerance *tolerance );
