// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The exact distance between a corner, an edge or a face of one triangle and one of another. Its square is a quotient
// of integers, over a power of four, once coordinates are integers: with n the normal of the face, or the product of
// the edges, and w from one feature to the other
//
//     corner and face, two edges  (n w)^2 / n^2        corner and edge e  (w x e)^2 / e^2        corners  w^2 / 1
//
// if the foot of the perpendicular lies on the features, which signs of integers of the fourth degree decide. A
// quotient is compared with the square of a double by one multiplication.

#pragma once

#include "exact/number/ratio.h"
#include "exact/orient.h"

// Points are numbered as in dbvhi_points: 0 to 2 of the fixed triangle, 3 to 5 of the moved one. `a` and `b` are
// features of different triangles.
typedef struct dbvhi_feature {
	int kind; // how many corners: 2 two corners, 3 a corner and an edge, 4 a corner and a face, 5 two edges
	int a[3]; // the corner, or the first edge
	int b[3]; // the other corner, edge or face
} dbvhi_feature;

// The distance of two features, and the intermediate values from which the witness points are made.
typedef struct dbvhi_feature_distance {
	dbvhi_ratio squared;    // the distance, squared
	dbvhi_big_2 normal[3];  // kinds 4 and 5: n,
	dbvhi_big_3 height;     // and n w with w = a[0] - b[0]
	dbvhi_big_3 between[3]; // kinds 2 and 3: from a to b, over the denominator
	double parameter;       // kind 5: how far along the edge of a
} dbvhi_feature_distance;

// Measures. Returns false where the foot of the perpendicular is not on the features: others are nearer then.
bool dbvhi_feature_measure( dbvhi_points *points, const dbvhi_feature *f, dbvhi_feature_distance *out );

// The point of `a`, rounded, and the offset from there to the nearest of `b`, each component right to a few units in
// the last place. False where a component that is not 0 is so small that it has lost some of them, or all.
bool dbvhi_feature_way( const dbvhi_points *points, const dbvhi_feature *f, const dbvhi_feature_distance *d,
                        double at[3], double way[3] );

// Its corners, a bit each, of the fixed and the moved triangle.
void dbvhi_feature_corners( const dbvhi_feature *f, uint32_t *fixed, uint32_t *moved );
