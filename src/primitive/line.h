// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Points of a line at given parameters, with the same roundings in single calls and batches.

#pragma once

#include "dualbvh/primitives.h"

// The point at hit_interval->enter, on the segment to `to`, or the ray along it.
void dbvhi_hit_interval_point( const double from[3], const double to[3], bool bounded,
                               dbvh_hit_interval *hit_interval );
// The point at hit->t.
void dbvhi_hit_point( const double from[3], const double to[3], bool bounded, dbvh_hit *hit );
