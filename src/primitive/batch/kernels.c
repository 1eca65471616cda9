// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernels of this folder, for each instruction set.

#include "primitive/batch/kernel.h"
#include "simd/isa.h"

DBVHI_KERNEL_TABLE( const dbvhi_lanes_kernels, dbvhi_lanes )
