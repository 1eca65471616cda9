// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernels of this layer, for each instruction set.

#include "bvh/builder/fast.h"
#include "bvh/builder/mesh_hash.h"
#include "bvh/builder/refit.h"
#include "bvh/builder/treelet.h"
#include "bvh/packed/leaf.h"
#include "simd/isa.h"

DBVHI_KERNEL_TABLE( dbvhi_arrange_kernel, dbvhi_arrange )
DBVHI_KERNEL_TABLE( const dbvhi_builder_isa, dbvhi_builder )
DBVHI_KERNEL_TABLE( dbvhi_curve_kernel, dbvhi_curve )
DBVHI_KERNEL_TABLE( dbvhi_hash_kernel, dbvhi_hash )
DBVHI_KERNEL_TABLE( const dbvhi_leaf_isa, dbvhi_leaf )
DBVHI_KERNEL_TABLE( const dbvhi_refit_isa, dbvhi_refit )
