// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define DBVHI_NEON
#define DBVHI_LANES dbvhi_lanes_neon
#include "simd/primitives.inl"
