// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernels of this folder, for each instruction set.

#include "primitive/ellipsoid/ellipsoid_kernel.h"
#include "simd/isa.h"

DBVHI_KERNEL_TABLE( dbvhi_ellipsoid_kernel, dbvhi_ellipsoid_kernel )
