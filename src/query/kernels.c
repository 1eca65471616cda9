// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernels of this layer, for each instruction set.

#include "query/collide/kernel.h"
#include "query/collide/packet.h"
#include "query/common/pair_queue.h"
#include "query/common/roots.h"
#include "query/distance/nearest_run.h"
#include "query/toi/kernel.h"
#include "simd/isa.h"

DBVHI_KERNEL_TABLE( dbvhi_collide_kernel, dbvhi_collide_kernel )
DBVHI_KERNEL_TABLE( dbvhi_distance_kernel, dbvhi_distance_kernel )
DBVHI_KERNEL_TABLE( dbvhi_collide_kernel, dbvhi_dive_kernel )
DBVHI_KERNEL_TABLE( dbvhi_triangle_kernel, dbvhi_fine_kernel )
DBVHI_KERNEL_TABLE( dbvhi_triangle_kernel, dbvhi_flat_kernel )
DBVHI_KERNEL_TABLE( dbvhi_packet_kernel, dbvhi_packet_kernel )
DBVHI_KERNEL_TABLE( dbvhi_roots_kernel, dbvhi_roots_kernel )
DBVHI_KERNEL_TABLE( dbvhi_small_kernel, dbvhi_small_kernel )
DBVHI_KERNEL_TABLE( dbvhi_sphere_kernel, dbvhi_sphere_kernel )
DBVHI_KERNEL_TABLE( dbvhi_toi_kernel, dbvhi_toi_kernel )
DBVHI_KERNEL_TABLE( dbvhi_triangle_kernel, dbvhi_triangle_kernel )
