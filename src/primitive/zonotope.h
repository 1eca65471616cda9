// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Segments and boxes against each other, as one question: where a point is to the zonotope of their differences
// (core_zonotope.inl), and which points of the two are nearest, or deepest.

#pragma once

#include "primitive/signed_distance.h"

enum { DBVHI_GENERATORS = 6 };

// A segment or a box, twice as large as it is: p + q and all sums of t ( more - less )( axis - back ), |t| <= 1. `back`
// may be NULL for the origin; where it is not, the axis has a length, and more - less is 1.
typedef struct dbvhi_body {
	const double *p, *q;
	const double *axis[3], *back[3];
	double more[3], less[3];
	int count;
} dbvhi_body;

typedef struct dbvhi_generator {
	const double *axis, *back;
	double of_a[2], of_b[2]; // half the width is of_a[0] - of_a[1] + of_b[0] - of_b[1]
} dbvhi_generator;

// All differences of a point of a and one of b.
typedef struct dbvhi_zonotope {
	const double *a[2], *b[2]; // twice the centre of each is the sum of these
	dbvhi_generator generator[DBVHI_GENERATORS];
	int count;
	bool has_point; // `t` is a point that may be the nearest, |t| <= 1
	dbvhi_dd t[DBVHI_GENERATORS];
} dbvhi_zonotope;

dbvhi_body dbvhi_body_of_segment( const double from[3], const double to[3] );
dbvhi_body dbvhi_body_of_aabb( const dbvh_aabb *aabb );
dbvhi_body dbvhi_body_of_obb( const dbvh_obb *obb );

// Axes that both have, to the bit, are one. Keeps pointers into the shapes.
void dbvhi_zonotope_of( dbvhi_zonotope *out, const dbvhi_body *a, const dbvhi_body *b );

// sign( distance - sum )
int dbvhi_zonotope_compared( const dbvhi_zonotope *zonotope, const dbvhi_sum *sum );
// sign( the length of the shortest way out - sum ), of bodies that meet.
int dbvhi_zonotope_depth_compared( const dbvhi_zonotope *zonotope, const dbvhi_sum *sum );
// Of a triangle that does not meet the box: sign( the least distance of a corner of the box from it - sum ).
int dbvhi_triangle_body_compared( const dbvh_triangle *triangle, const dbvhi_body *body, const dbvhi_sum *sum );

// The gap of two bodies, the first grown by a radius. `exponent`: dbvhi_scale_of() all that is in them.
void dbvhi_bodies_gap( const dbvhi_body *a, const dbvhi_body *b, double radius, int exponent,
                       dbvh_signed_distance *signed_distance_out );
double dbvhi_bodies_distance( const dbvhi_body *a, const dbvhi_body *b, double radius, int exponent );

// About how far they are apart, scaled; keeps the point in the zonotope, and fills in the points without a fallback.
double dbvhi_zonotope_nearest( dbvhi_zonotope *zonotope, int exponent, dbvhi_near_points *points );

// A corner of a box: of axis i the end that bit i of the pattern tells. Scaled.
dbvhi_exact_point3 dbvhi_body_corner( const dbvhi_body *body, int pattern, int exponent );
