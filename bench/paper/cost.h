// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The cost of a single test of two triangles: C_p of equation (1).

#pragma once

#include "paper/measure.h"

// Seconds that one pair of triangles takes (moving the second, the filter, the exact decision where it is unsure), for
// pairs like those that a traversal tests: the nearest ones at the row's poses, as many as `tests` says for all of
// them, or a few thousand. 0 where there are no tests.
double cost_of_triangles( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const measure_row *row, uint64_t tests );
