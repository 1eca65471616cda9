// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distance, depth and witness points of two shapes with radii. The distance is rounded by comparison (round.h); nearest
// points are computed in pairs of doubles, after a power of two has made the largest magnitude one between 1/2 and 1.

#pragma once

#include "exact/dd.h"
#include "primitive/core.h"

#include <math.h>

// A point in pairs of doubles, scaled.
typedef struct dbvhi_spot3 {
	dbvhi_dd x[3];
} dbvhi_spot3;

typedef struct dbvhi_near_points {
	dbvhi_spot3 a, b;
	double fallback[3]; // a unit vector for `normal` where the points are one
} dbvhi_near_points;

// The exponent e for which 2^-e is the scale.
int dbvhi_scale_of( const double *const list[], const int counts[], int list_count );
dbvhi_spot3 dbvhi_spot3_at( const double x[3], int exponent );

// Points of shapes without radii, each a point of its shape up to 2^-90, that are nearest to each other up to about
// 2^-48: rounding is in the choice of two that are about as near.
dbvhi_spot3 dbvhi_nearest_on_segment( const dbvhi_spot3 *point, const dbvhi_spot3 *from, const dbvhi_spot3 *to );
dbvhi_spot3 dbvhi_nearest_on_triangle( const dbvhi_spot3 *point, const dbvhi_spot3 corner[3] );
void dbvhi_nearest_on_segments( const dbvhi_spot3 *a, const dbvhi_spot3 *a_end, const dbvhi_spot3 *b,
                                const dbvhi_spot3 *b_end, dbvhi_spot3 *on_a, dbvhi_spot3 *on_b );
double dbvhi_spot3_distance( const dbvhi_spot3 *a, const dbvhi_spot3 *b );

// A unit vector at right angles to `direction`, by the axis on which that is smallest; x where it is zero.
void dbvhi_perpendicular( const double direction[3], double out[3] );

// A unit vector at right angles to both, which may be parallel, or zero.
void dbvhi_across( const double x[3], const double y[3], double out[3] );
// The unit vector along x; returns false for 0.
bool dbvhi_unit( const double x[3], double out[3] );

// sign( distance without radii - sum )
typedef int dbvhi_compare( const void *context, const dbvhi_sum *sum );

// Fills *gap_out. `points` are scaled by 2^-exponent.
void dbvhi_gap_of( dbvhi_compare *compare, const void *context, double radius_a, double radius_b,
                   const dbvhi_near_points *points, int exponent, dbvh_gap *gap_out );

// Only the distance, near a guess.
double dbvhi_distance_of( dbvhi_compare *compare, const void *context, double radius_a, double radius_b, double guess );

// Only the depth of shapes that meet.
double dbvhi_depth_of( dbvhi_compare *compare, const void *context, double radius, double guess );
