// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include "dualbvh/distance.h"

namespace dualbvh_python {

dbvh_distance_query distance_query( double relative_error, double absolute_error, double limit, dbvh_policy policy );

} // namespace dualbvh_python
