// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernels of this layer, for each instruction set.

#include "exact/tri_tri_distance_dd.h"
#include "simd/isa.h"

DBVHI_NARROW_KERNEL_TABLE( const dbvhi_distance_dd, dbvhi_distance_dd )
