// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The kernels of this build, one a file kernel_*.c, each compiled with the flags of its instruction set.

#pragma once

#include "simd/ellipsoid.h"
#include "simd/motion.h"
#include "simd/packed.h"

int dbvhi_packed_kernel_scalar( dbvhi_packed_run *run );
int dbvhi_packed_kernel_baseline( dbvhi_packed_run *run ); // what every machine of the target has: SSE2, NEON
int dbvhi_packed_kernel_neon( dbvhi_packed_run *run );
int dbvhi_packed_kernel_avx2( dbvhi_packed_run *run );
int dbvhi_packed_kernel_avx512( dbvhi_packed_run *run );

void dbvhi_triangle_kernel_scalar( dbvhi_triangle_batch *batch );
void dbvhi_triangle_kernel_baseline( dbvhi_triangle_batch *batch );
void dbvhi_triangle_kernel_neon( dbvhi_triangle_batch *batch );
void dbvhi_triangle_kernel_avx2( dbvhi_triangle_batch *batch );
void dbvhi_triangle_kernel_avx512( dbvhi_triangle_batch *batch );

int dbvhi_nearest_kernel_scalar( dbvhi_nearest_run *run );
int dbvhi_nearest_kernel_baseline( dbvhi_nearest_run *run );
int dbvhi_nearest_kernel_neon( dbvhi_nearest_run *run );
int dbvhi_nearest_kernel_avx2( dbvhi_nearest_run *run );
int dbvhi_nearest_kernel_avx512( dbvhi_nearest_run *run );

int dbvhi_motion_kernel_scalar( dbvhi_motion_run *run );
int dbvhi_motion_kernel_baseline( dbvhi_motion_run *run );
int dbvhi_motion_kernel_neon( dbvhi_motion_run *run );
int dbvhi_motion_kernel_avx2( dbvhi_motion_run *run );
int dbvhi_motion_kernel_avx512( dbvhi_motion_run *run );

void dbvhi_ellipsoid_kernel_scalar( const dbvhi_ellipsoid_run *run );
void dbvhi_ellipsoid_kernel_baseline( const dbvhi_ellipsoid_run *run );
void dbvhi_ellipsoid_kernel_neon( const dbvhi_ellipsoid_run *run );
void dbvhi_ellipsoid_kernel_avx2( const dbvhi_ellipsoid_run *run );
void dbvhi_ellipsoid_kernel_avx512( const dbvhi_ellipsoid_run *run );
