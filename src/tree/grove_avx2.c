// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define GROWER dbvhi_grower_avx2
#define NAME "avx2"
#include "tree/grove.inl"
