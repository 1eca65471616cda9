// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define DBVHI_NEON
#define DBVHI_KERNEL dbvhi_packed_kernel_neon
#define DBVHI_TRIANGLES dbvhi_triangle_kernel_neon
#define DBVHI_NEAREST dbvhi_nearest_kernel_neon
#define DBVHI_MOTION dbvhi_motion_kernel_neon
#define DBVHI_ELLIPSOIDS dbvhi_ellipsoid_kernel_neon
#include "simd/kernels.h"

#include "simd/kernel.inl"
#include "simd/triangles.inl"

#include "simd/nearest.inl"
#include "simd/motion.inl"
#include "simd/ellipsoid.inl"
