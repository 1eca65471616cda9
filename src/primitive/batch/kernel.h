// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Many pairs of primitives at once: filters in doubles, a pair a lane. Columns are arrays of doubles.

#pragma once

#include "simd/isa.h"

#include <stddef.h>
#include <stdint.h>

enum {
	DBVHI_LANE_APART = 0, // against a plane: intersecting
	DBVHI_LANE_MEET = 1,  // against a plane: above it
	DBVHI_LANE_BELOW = 2,
	DBVHI_LANE_UNSURE = 3, // undecided or refused: the function for one pair is asked
};

// The most doubles that a vector has.
enum { DBVHI_MOST_LANES = 8 };

typedef struct dbvhi_lanes_run {
	const double *const *a, *const *b; // columns
	int a_is_one, b_is_one;            // one shape stands for all; its columns have each number DBVHI_MOST_LANES times
	size_t count;
	uint8_t *out; // one of the above for each pair
} dbvhi_lanes_run;

typedef void dbvhi_lanes_kernel( const dbvhi_lanes_run *run );

// The run of a query with one or two numbers for an answer, for `count` pairs from `first` on. A pair whose `state` is
// DBVHI_LANE_MEET has its number, or the lower of two, in `low`, and the higher in `high`. For other pairs `low` is 0,
// or unset in the lanes of an incomplete vector.
typedef struct dbvhi_measure_run {
	const double *const *a, *const *b;
	const double *const *a_by, *const *b_by; // columns of translations; NULL for none
	int a_is_one, b_is_one;
	size_t first, count;
	uint8_t *state;
	double *low, *high; // `high` may be NULL
} dbvhi_measure_run;

typedef void dbvhi_measure_kernel( const dbvhi_measure_run *run );

// One set of kernels for an instruction set. Columns in the order of the structs in dualbvh/primitives.h.
typedef struct dbvhi_lanes_kernels {
	dbvhi_lanes_kernel *sphere_sphere, *sphere_aabb, *aabb_aabb, *obb_obb, *sphere_triangle, *capsule_capsule,
	    *segment_sphere, *segment_aabb, *capsule_obb, *sphere_plane, *aabb_plane;
	dbvhi_measure_kernel *sphere_sphere_distance, *sphere_aabb_distance, *sphere_triangle_distance,
	    *capsule_capsule_distance, *ray_sphere_hit, *segment_sphere_hit, *ray_aabb_hit, *segment_aabb_hit,
	    *ray_triangle_hit, *segment_triangle_hit, *sphere_sphere_sweep, *aabb_aabb_sweep, *sphere_plane_sweep,
	    *sphere_triangle_sweep;
	// Sieves write `state` only: DBVHI_LANE_APART for pairs that certainly have no answer, DBVHI_LANE_UNSURE for
	// others.
	dbvhi_measure_kernel *ray_sphere_sieve, *segment_sphere_sieve, *ray_aabb_sieve, *segment_aabb_sieve,
	    *ray_triangle_sieve, *segment_triangle_sieve, *sphere_sphere_sieve, *aabb_aabb_sieve, *sphere_triangle_sieve;
} dbvhi_lanes_kernels;

// For each instruction set, by dbvhi_isa_level().
extern const dbvhi_lanes_kernels *const dbvhi_lanes_table[DBVHI_ISA_COUNT];
