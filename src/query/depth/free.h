// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Short translations that free one solid of another: every one found is proved, so the search may be heuristic.

#pragma once

#include "query/depth/solid.h"

typedef struct dbvhi_freeing {
	const dbvhi_solid_pair *pair;
	bool strict;       // free: without any common point; else without a common interior point
	double length;     // length of `shift`, rounded up; INFINITY: none is known
	double shift[3];   // the shortest translation of the moved mesh known to free, as the pose has it
	dbvh_pose pose;    // the pose of the moved mesh after it
	dbvhi_trial trial; // the last one; zero where a shift was too long to be tried
	dbvh_status status;
	double *point[2]; // placed points of both meshes
} dbvhi_freeing;

// Begin a search: dbvhi_freeing_end() is to be called whatever this returns. Errors: OUT_OF_MEMORY.
dbvh_status dbvhi_freeing_begin( dbvhi_freeing *f, const dbvhi_solid_pair *pair, bool strict );
void dbvhi_freeing_end( dbvhi_freeing *f );

// Try a shift. True if it frees and is shorter than any before: then it is the new best.
bool dbvhi_freeing_try( dbvhi_freeing *f, const double shift[3] );

// Try the shift by `length` along a direction of length 1, made longer by roundings until it frees or it is clear that
// more than rounding is wrong.
bool dbvhi_freeing_try_hull( dbvhi_freeing *f, const double way[3], double length );

// Search in many directions from nothing.
void dbvhi_freeing_search( dbvhi_freeing *f );

// Shorten the best shift and turn it a little, as long as that helps. `at_least` is a known lower bound.
void dbvhi_freeing_descend( dbvhi_freeing *f, double at_least );

// Try the translation nearest to `goal` beyond the planes that part the triangles that intersect at `from`, and some
// more where others do then. `to` (may be NULL) is a translation at which they are apart. True if a shorter free one is
// found, which is the new best.
bool dbvhi_freeing_project( dbvhi_freeing *f, const double from[3], const double *to, const double goal[3] );

// Search for shorter translations about the best by projecting the origin onto the free ones.
void dbvhi_freeing_slide( dbvhi_freeing *f );
