// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Exact orientation of points given as doubles, and of such points after a pose.

#pragma once

#include "dualbvh/base.h"
#include "exact/number/big.h"

// The sign of det [b - a, c - a]: 1 counter-clockwise, -1 clockwise, 0 collinear. Exact for all finite doubles.
int dbvhi_orient2d_sign( const double a[2], const double b[2], const double c[2] );

// Six points: the corners of a triangle that stays (0 to 2) and of one that is moved by a pose (3 to 5), with the exact
// signs of their orientations. A sign is first sought in doubles, whose error is bounded; only where that does not
// decide are the coordinates made into integers, once.
typedef struct dbvhi_points {
	const double *fixed;   // nine doubles
	const double *moved;   // nine doubles, before the pose
	const dbvh_pose *pose; // frame of `fixed` from frame of `moved`
	double p[6][3];        // the points, rounded
	double error;          // |p - exact| of each moved coordinate is at most this
	int exact_axes;        // -1: not looked yet; else a bit a coordinate that no moved corner was rounded in
	int short_state;       // 0: not tried yet; 1: the coordinates below are there; -1: they do not fit
	int64_t whole[6][3];   // all coordinates relative to the first corner, over one unit, below 2^40
	bool integers_ready;
	int unit;                // once they are ready: the coordinates below are in units of 2^unit
	dbvhi_big_1 exact[6][3]; // all coordinates over one common unit
} dbvhi_points;

// `error` bounds the rounding of the moved corners, whose rounded images are given.
void dbvhi_points_init( dbvhi_points *points, const double fixed[9], const double moved[9], const double moved_image[9],
                        const dbvh_pose *pose, double error );

// Makes `exact` and `unit`, unless they are there already. The functions below do so where they need them.
void dbvhi_points_integers( dbvhi_points *points );

// The sign of det [a - d, b - d, c - d] of four of the points.
int dbvhi_points_orient3d( dbvhi_points *points, int a, int b, int c, int d );

// Bounds how far the determinant of two differences each of two coordinates of p is off, where differences are at most
// `size`; infinity where that is not known.
double dbvhi_points_error_of_2d( const dbvhi_points *points, double size );

// The sign of the orientation of three of the points after dropping coordinate `axis`; the other two keep their cyclic
// order (axis + 1, axis + 2).
int dbvhi_points_orient2d( dbvhi_points *points, int axis, int a, int b, int c );

// The sign of coordinate `axis` of a minus that of b.
int dbvhi_points_compare( dbvhi_points *points, int axis, int a, int b );

// The determinants themselves, over one unit for each function that cancels in quotients.
void dbvhi_points_det3( dbvhi_points *points, int a, int b, int c, int d, dbvhi_big_3 *out );
void dbvhi_points_det2( dbvhi_points *points, int axis, int a, int b, int c, dbvhi_big_2 *out );
void dbvhi_points_difference( dbvhi_points *points, int axis, int a, int b, dbvhi_big_1 *out );

// An axis to drop that leaves the triangle of three of the points with an area; -1 if it is degenerate. *turn_out (may
// be NULL): its orientation there.
int dbvhi_points_projection( dbvhi_points *points, int a, int b, int c, int *turn_out );
