// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Is a point in a box? About poses taken literally.

#pragma once

#include "exact/exact_point.h"

// Is the point in the closed box from box[0..2] to box[3..5], which is given in the frame of its mesh? The pose is yet
// to be applied to the point if that is `moved`, and to the box if `box_moved`. Exact for all finite doubles and poses
// with a determinant above 0.
bool dbvhi_corner_in_box( dbvhi_corner point, const double box[6], bool box_moved, const dbvh_pose *pose );
