// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How far a body may have gone between two poses.

#pragma once

#include "dualbvh/base.h"

// Bounds the distance of any point of a ball from one pose to the other. `deviation` is the sum of both poses'.
// INFINITY if the turn alone moves points farther than `longest_turn` times the radius.
double dbvhi_pose_way( const dbvh_pose *before, const dbvh_pose *after, double deviation, const double centre[3],
                       double radius, double longest_turn );
