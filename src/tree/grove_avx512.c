// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define GROWER dbvhi_grower_avx512
#define NAME "avx512"
#include "tree/grove.inl"
