// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include <nanobind/nanobind.h>

namespace dualbvh_python {

/// Over dbvh_toi_result.
nanobind::object toi_dtype();

} // namespace dualbvh_python
