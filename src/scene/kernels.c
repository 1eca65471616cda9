// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernels of this layer, for each instruction set.

#include "scene/broad_phase_kernel.h"
#include "scene/posed_roots.h"
#include "simd/isa.h"

DBVHI_KERNEL_TABLE( const dbvhi_box_pairs_kernels, dbvhi_box_pairs )
DBVHI_KERNEL_TABLE( const dbvhi_posed_roots_kernels, dbvhi_posed_roots )
