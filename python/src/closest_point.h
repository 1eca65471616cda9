// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include <nanobind/nanobind.h>

namespace dualbvh_python {

/// The dtype of dbvh_closest_point_result.
nanobind::object closest_point_dtype();

} // namespace dualbvh_python
