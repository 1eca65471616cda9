// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The first stage of a traversal alone, for what is divided outside of a kernel.

#include "query/common/node_stages.inl"

dbvhi_sphere_kernel DBVHI_KERNEL_NAME( dbvhi_sphere_kernel );

uint32_t DBVHI_KERNEL_NAME( dbvhi_sphere_kernel )( const dbvhi_packed_run *run, int32_t node_a, int32_t node_b ) {
	return overlapping_spheres( run, node_a, node_b ).lanes;
}
