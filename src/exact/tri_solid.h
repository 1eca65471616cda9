// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Does a triangle that is moved by a pose meet a box, an ellipsoid or a plane? Doubles with running bounds of their
// errors, and integers where these do not tell the sign. (Spheres and capsules are points and segments with a reach:
// exact/tri_tri_distance.h.)

#pragma once

#include "dualbvh/base.h"

// 2 x = first + second + sum ti (plus[i] + minus[i]) axis[i], where |ti| <= 1 each (a box) or sum ti^2 <= 1 (an
// ellipsoid). Twice the point, since the middle and the extents of a box that is given by its corners are no doubles.
// The axes span the space; lengths are >= 0, those of an ellipsoid > 0.
typedef struct dbvhi_solid {
	double first[3], second[3];
	double axis[3][3];
	double plus[3], minus[3];
} dbvhi_solid;

// A triangle as the predicates take it.
typedef struct dbvhi_posed_triangle {
	const double *corners; // nine doubles, before the pose
	const double *image;   // after it, rounded
	const dbvh_pose *pose;
	double error; // bounds |rounded - exact| of each coordinate of the image
} dbvhi_posed_triangle;

// *exact_tests grows by 1 where doubles do not decide.
bool dbvhi_box_intersects_triangle( const dbvhi_solid *box, const dbvhi_posed_triangle *triangle,
                                    uint64_t *exact_tests );
bool dbvhi_ellipsoid_intersects_triangle( const dbvhi_solid *ellipsoid, const dbvhi_posed_triangle *triangle,
                                          uint64_t *exact_tests );
// All x with normal . x = offset, or at most the offset for a half-space; the normal is not 0.
bool dbvhi_plane_intersects_triangle( const double normal[3], double offset, bool is_half_space,
                                      const dbvhi_posed_triangle *triangle, uint64_t *exact_tests );
