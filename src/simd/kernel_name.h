// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// DBVHI_KERNEL_NAME( x ) names an exported symbol of a kernel body: x_avx2 in the file that cmake/Kernels.cmake makes
// for AVX2.

#pragma once

#ifndef DBVHI_ISA
#error "this is compiled once for each instruction set: see cmake/Kernels.cmake"
#endif

#define DBVHI_JOIN_2( a, b ) a##_##b
#define DBVHI_JOIN( a, b ) DBVHI_JOIN_2( a, b )
#define DBVHI_KERNEL_NAME( name ) DBVHI_JOIN( name, DBVHI_ISA )
