// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The roots of eight bodies at their poses at once: what boxes.c computes for one, a lane each.

#pragma once

#include "dualbvh/base.h"
#include "simd/isa.h"

#include <stdint.h>

#define DBVHI_ROOT_LANES 8

// Root volumes of eight trees, before poses.
typedef struct dbvhi_root_lanes {
	double rot[3][3][DBVHI_ROOT_LANES], pos[3][DBVHI_ROOT_LANES], half[3][DBVHI_ROOT_LANES]; // the root's box
	double sphere[3][DBVHI_ROOT_LANES], reach[DBVHI_ROOT_LANES];                             // and its ball
	double largest[DBVHI_ROOT_LANES];                                                        // largest |coordinate|
	double radius[DBVHI_ROOT_LANES];                                                         // the body's own
} dbvhi_root_lanes;

typedef struct dbvhi_posed_lanes {
	double rot[3][3][DBVHI_ROOT_LANES], pos[3][DBVHI_ROOT_LANES]; // the poses
	// Numbers that dbvh_pose_check() judges by: `checked` is at most 1 if all is finite and not very far from a
	// rotation; `deviation` is the distance from a rotation.
	double checked[DBVHI_ROOT_LANES], deviation[DBVHI_ROOT_LANES], determinant[DBVHI_ROOT_LANES];
	double axis[3][3][DBVHI_ROOT_LANES], centre[3][DBVHI_ROOT_LANES], ball[3][DBVHI_ROOT_LANES]; // see dbvhi_posed_root
	double lower[3][DBVHI_ROOT_LANES], upper[3][DBVHI_ROOT_LANES]; // the box along the axes
	double margin[DBVHI_ROOT_LANES];
} dbvhi_posed_lanes;

typedef struct dbvhi_posed_roots_kernels {
	// Takes over `count` poses, at most eight. Lanes beyond are those of the first body. What comes next should not
	// come at once: numbers that were stored one by one are not there yet for a vector.
	void ( *gather )( const dbvh_pose *poses, size_t count, dbvhi_posed_lanes *out );
	// Poses the bodies, without margins.
	void ( *place )( const dbvhi_root_lanes *roots, dbvhi_posed_lanes *lanes );
	// Grows the boxes: by the radius, and `per_length` times radius, largest coordinate and `all`, beside the rounding.
	void ( *grow )( const dbvhi_root_lanes *roots, double per_length, double all, dbvhi_posed_lanes *lanes );
	// A bit for each lane of `lanes` whose box overlaps that of lane `at` of `of`.
	uint32_t ( *near )( const dbvhi_posed_lanes *of, int at, const dbvhi_posed_lanes *lanes );
} dbvhi_posed_roots_kernels;

// For each instruction set, by dbvhi_isa_level().
extern const dbvhi_posed_roots_kernels *const dbvhi_posed_roots_table[DBVHI_ISA_COUNT];
