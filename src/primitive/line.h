// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Where on a line its parameters are, alike for single calls and batches.

#pragma once

#include "dualbvh/primitives.h"

// The point at span->enter, on the segment to `to`, or the ray along it.
void dbvhi_span_point( const double from[3], const double to[3], bool bounded, dbvh_span *span );
// The point at crossing->t.
void dbvhi_crossing_point( const double from[3], const double to[3], bool bounded, dbvh_crossing *crossing );
