// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Coordinates of the points that exact/tri_tri_features.h finds.

#pragma once

#include "exact/tri_tri_features.h"

// The point in the frame in which one of the triangles was given (`moved`: before the pose), each coordinate rounded
// once to the nearest double, ties to even; zero is +0. For one of the triangles it is a mean of its corners with
// determinants for weights, which no affine map changes, so no pose is inverted.
void dbvhi_cell_position( dbvhi_points *points, dbvhi_cell cell, bool in_moved, double position_out[3] );
