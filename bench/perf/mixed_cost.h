// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The measured cost of the steps of the two traversals, beside the costs that the choice of ellipsoids assumes.

#pragma once

#include "dualbvh/collide.h"

#include <stdbool.h>

// One row of the table: what queries without ellipsoids did on average, and how long they took.
typedef struct mixed_row {
	double spheres, boxes, triangles; // counted as in bvh/ellipsoid/ellipsoids.h
	double us;
} mixed_row;

// Pairs of leaves that the packed form compares at these poses, which its counters do not say.
double mixed_leaf_tests( const dbvh_tree *tree, const dbvh_pose *poses, size_t count, dbvh_workspace *workspace );

// One test of two ellipsoids of a tree at these poses, in nanoseconds.
double mixed_ellipsoid_ns( const dbvh_tree *tree, const dbvh_pose *poses, size_t count );

// Fits what a query, a pair of spheres (of four by four), of boxes and of triangles (of leaves) costs to the rows, and
// prints it beside what the choice takes it to be.
void mixed_print_costs( const mixed_row *rows, size_t count, double ellipsoid_ns, bool packed );
