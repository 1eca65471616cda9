// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include <nanobind/nanobind.h>

namespace dualbvh_python {

/// The dtype of dbvh_toi_result.
nanobind::object toi_dtype();

} // namespace dualbvh_python
