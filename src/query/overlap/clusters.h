// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Clusters of neighbouring triangles, and clusters of these, each with what it adds to the measures of a solid: so that
// a part of a mesh that is inside another body as a whole is not visited triangle by triangle.
//
// A cluster is connected through edges of two triangles (dbvhi_solid_sides.across). So one that no contact touches is
// inside, or outside, as a whole.

#pragma once

#include "base/alloc.h"
#include "bvh/tree.h"

// Sums over oriented triangles p q r about a point c, with a = q - p, b = r - p, n = a x b against the solid, and
// bounds of their errors. From these follow the sums about any other point (dbvhi_sums_shift()) and after any linear
// map (dbvhi_sums_turn()).
typedef struct dbvhi_sums {
	double n[3];    // n
	double v;       // (p - c) n: six times a volume
	double s[3][3]; // the sum of the corners relative to c, times n
	double f[3];    // (p - c) n times the sum of the corners relative to c: 24 times a first moment
	double area;    // |n| / 2
	double radius;  // the largest coordinate of a corner relative to c
	double square;  // |a| |b|, 1-norms; set in level 0 alone
	double flux;    // |n|, 1-norms
	double error_n, error_v, error_s, error_f, error_area; // of each component
} dbvhi_sums;

typedef struct dbvhi_cluster {
	dbvhi_sums sums;                 // in units of 2^exponent
	double centre[3];                // in these units
	double low[3], high[3];          // its box, in the mesh's unit
	uint32_t first, count;           // of its members: triangles in level 0, else clusters
	uint32_t first_side, side_count; // sides of triangles in its outline
	uint32_t level;
} dbvhi_cluster;

#define DBVHI_NO_CLUSTER UINT32_MAX

typedef struct dbvhi_clusters {
	dbvhi_cluster *clusters;
	size_t count, capacity;
	uint32_t *parent; // by cluster; DBVHI_NO_CLUSTER: none
	size_t parent_capacity;
	uint32_t *cluster_of; // by triangle: its cluster of level 0, or DBVHI_NO_CLUSTER
	size_t cluster_of_capacity;
	uint32_t *members;
	size_t member_count, member_capacity;
	uint32_t *sides;
	size_t side_count, side_capacity;
	int exponent;
} dbvhi_clusters;

// Build the clusters of a mesh of which side[] and across[] are known (solid_sides.h); none where there are few
// triangles. False if there is no memory.
bool dbvhi_clusters_build( dbvhi_clusters *c, const dbvh_tree *tree, const int8_t *side, const uint32_t *across,
                           const dbvh_allocator *allocator );
void dbvhi_clusters_free( dbvhi_clusters *c, const dbvh_allocator *allocator );

// Move the point about which the sums are: the new one minus the old one is -d, and d is known to within `off`.
void dbvhi_sums_shift( dbvhi_sums *s, const double d[3], double off );
// Add the sums of others about the same point.
void dbvhi_sums_add( dbvhi_sums *s, const dbvhi_sums *t );
// How far the linear map may be from preserving areas, relatively; 0 for the identity alone, infinity if that is much.
double dbvhi_turn_deviation( const double rot[3][3] );
// Apply a linear map of small deviation, and a change of the unit by `factor`, a power of two.
void dbvhi_sums_turn( dbvhi_sums *s, const double rot[3][3], double factor );
