// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses of experiments by cglm, whose floats are made rotations in doubles: for poses that nobody reads the digits of.
// Those of the paper's scenarios are in doubles (poses.h, path.h): their counts are recorded.

#pragma once

#include "dualbvh/base.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Turns by so many degrees about an axis of any length but 0.
dbvh_pose turn_about( const double axis[3], double degrees );

// Turns about the axis and by the angle that next_number() gives next.
dbvh_pose turn_next( uint64_t *state );

#ifdef __cplusplus
}
#endif
