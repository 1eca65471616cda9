// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Do two triangles of one mesh meet beyond the corners they share? See dualbvh/self.h for what that means.

#pragma once

#include "exact/tri_tri.h"

// Decides from doubles if they decide it: a filter with proven bounds for each number of shared corners.
dbvhi_answer dbvhi_self_intersect_filter( const double a[9], const double b[9] );

// Decides.
bool dbvhi_self_intersect_exact( const double a[9], const double b[9] );
