// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Random ellipsoids and boxes by regime, and the oracle for pairs of them.

#pragma once

#include "dualbvh/ellipsoid.h"
#include "support/rng.h"

typedef struct volume_pair {
	dbvh_ellipsoid ellipsoid;
	dbvh_obb box;
} volume_pair;

enum { REGIME_COUNT = 8 };
extern const char *const regime_names[REGIME_COUNT];

// A pair of a regime; valid for dbvh_ellipsoid_obb_intersect().
volume_pair random_volumes( rng *r, int regime );

// The same for a given ellipsoid, in its unit.
dbvh_obb random_box_for( rng *r, int regime, const dbvh_ellipsoid *ellipsoid );

// Three unit directions at right angles, sometimes along the coordinate axes, sometimes left-handed.
void random_axes( rng *r, double out[3][3] );

typedef enum truth {
	TRUTH_APART,
	TRUTH_MEETING,
	TRUTH_NEAR_APART, // within the stated margin of touching
	TRUTH_NEAR_MEETING,
} truth;

// Oracle for a box: enumerates all 27 regions of the cube in extended precision and proves the answer, by a point of
// the box in the ellipsoid or by a plane between. A case that 64 bits cannot prove is repeated in 113; *wide counts
// those.
truth oracle_obb( const dbvh_ellipsoid *e, const dbvh_obb *b, unsigned long long *wide );

// Oracle for two ellipsoids: maximises the gap over directions in 113 bits. `margin`: how much the relative size of one
// may be off.
truth oracle_ellipsoids( const dbvh_ellipsoid *a, const dbvh_ellipsoid *b, double margin );
