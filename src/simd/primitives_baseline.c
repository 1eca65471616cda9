// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define DBVHI_LANES dbvhi_lanes_baseline
#include "simd/primitives.inl"
