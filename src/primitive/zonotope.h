// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Segments and boxes against each other, as one question: where a point is to the zonotope of their differences
// (core_zonotope.inl), and which points of the two are nearest, or deepest.

#pragma once

#include "primitive/signed_distance.h"

dbvhi_body dbvhi_body_of_segment( const double from[3], const double to[3] );
dbvhi_body dbvhi_body_of_aabb( const dbvh_aabb *aabb );
dbvhi_body dbvhi_body_of_obb( const dbvh_obb *obb );

// Axes that both have, to the bit, are one. Keeps pointers into the shapes.
void dbvhi_zonotope_of( dbvhi_zonotope *out, const dbvhi_body *a, const dbvhi_body *b );

// The gap of two bodies, the first grown by a radius. `exponent`: dbvhi_scale_of() all that is in them.
void dbvhi_bodies_gap( const dbvhi_body *a, const dbvhi_body *b, double radius, int exponent,
                       dbvh_signed_distance *signed_distance_out );
double dbvhi_bodies_distance( const dbvhi_body *a, const dbvhi_body *b, double radius, int exponent );

// About how far they are apart, scaled; keeps the point in the zonotope, and fills in the points without a fallback.
double dbvhi_zonotope_nearest( dbvhi_zonotope *zonotope, int exponent, dbvhi_near_points *points );

// A corner of a box: of axis i the end that bit i of the pattern tells. Scaled.
dbvhi_exact_point3 dbvhi_body_corner( const dbvhi_body *body, int pattern, int exponent );
