// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define DBVHI_SCALAR
#define DBVHI_KERNEL dbvhi_packed_kernel_scalar
#define DBVHI_TRIANGLES dbvhi_triangle_kernel_scalar
#define DBVHI_NEAREST dbvhi_nearest_kernel_scalar
#define DBVHI_MOTION dbvhi_motion_kernel_scalar
#define DBVHI_ELLIPSOIDS dbvhi_ellipsoid_kernel_scalar
#include "simd/kernels.h"

#include "simd/kernel.inl"
#include "simd/triangles.inl"

#include "simd/nearest.inl"
#include "simd/motion.inl"
#include "simd/ellipsoid.inl"
