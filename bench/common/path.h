// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The flight of a hand through the inside of an aeroplane, after Klosowski et al. (1998): a smooth path that brushes
// seats and walls. Theirs was recorded with a data glove and is not public; this one is made from a seed.

#pragma once

#include "dualbvh/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// `count` poses along the cabin whose bounds are given (x to the tail, y to the right, z up). The same numbers for the
// same arguments, whatever the machine: only + - * / and square roots are used.
void path_fly( const double lower[3], const double upper[3], uint64_t seed, size_t count, dbvh_pose *poses_out );

#ifdef __cplusplus
}
#endif
