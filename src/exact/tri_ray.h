// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A triangle moved by a pose against a line (a segment or a ray) and against a point: filters in doubles with proven
// bounds, and the exact answers as quotients of integers.

#pragma once

#include "dualbvh/base.h"
#include "exact/number/ratio.h"
#include "exact/tri_tri.h"

typedef struct dbvhi_line {
	double from[3];
	double to[3];
	double step[3]; // `to` of a ray; of a segment to - from, rounded
	bool is_ray;
} dbvhi_line;

// An interval of line parameters that contains the true one.
typedef struct dbvhi_line_range {
	double low, high;
} dbvhi_line_range;

// Does the line meet the triangle with the rounded corners `image`, each coordinate off by at most `error`? Fills
// *range_out where the answer is DBVHI_INTERSECTING.
dbvhi_answer dbvhi_line_filter( const double image[9], const dbvhi_line *line, double error,
                                dbvhi_line_range *range_out );

// Decides; fills *t_out with the parameter of the first common point if there is one. `pose` NULL is the identity.
bool dbvhi_line_exact( const dbvh_pose *pose, const double corners[9], const dbvhi_line *line, dbvhi_ratio *t_out );

// The same for a line of which the filter has said that it intersects the triangle, with less than half of the work.
void dbvhi_line_parameter( const dbvh_pose *pose, const double corners[9], const dbvhi_line *line, dbvhi_ratio *t_out );

// The same parameter, rounded to the nearest double in pairs of doubles. Returns false where these leave that open.
bool dbvhi_line_parameter_near( const dbvh_pose *pose, const double corners[9], const dbvhi_line *line, double *t_out );

// The distance of a triangle, in [low, high]. `feature` says on what the nearest point lies for certain: the corners of
// which it is a positive combination, bit 0 to 2; 0 where that is not certain.
typedef struct dbvhi_point_range {
	double low, high;
	unsigned feature;
} dbvhi_point_range;

dbvhi_point_range dbvhi_point_filter( const double image[9], const double point[3], double error );
// The upper end of that alone, which takes less time.
double dbvhi_point_filter_high( const double image[9], const double point[3], double error );

// The square of the distance and the weights of the corners in the nearest point. `feature` as above may spare work.
void dbvhi_point_exact( const dbvh_pose *pose, const double corners[9], const double point[3], unsigned feature,
                        dbvhi_ratio *square_out, double weights_out[3] );
