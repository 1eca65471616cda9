// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define KERNEL quickcd_kernel_baseline
#include "kernels.inl"
