// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define DBVHI_SCALAR
#define DBVHI_LANES dbvhi_lanes_scalar
#include "simd/primitives.inl"
