// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// From exact integers back to doubles.

#pragma once

#include "exact/big.h"

// The double nearest to numerator / denominator * 2^unit, ties to even; subnormals included, infinite beyond the
// largest. Zero is +0. The denominator is not 0.
double dbvhi_big_quotient( const dbvhi_big *numerator, const dbvhi_big *denominator, int unit );
