// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define KERNEL quickcd_kernel_avx2
#include "kernels.inl"
