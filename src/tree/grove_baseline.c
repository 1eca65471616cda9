// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#define GROWER dbvhi_grower_baseline
#define NAME "baseline"
#include "tree/grove.inl"
