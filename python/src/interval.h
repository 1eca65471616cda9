// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Certified intervals: objects, and fields of records.

#pragma once

#include "arrays.h"
#include "dualbvh/interval.h"

namespace dualbvh_python {

/// A field of a record: two doubles, lower and upper.
inline nb::object interval_format() {
	return format( "f8", 2 );
}

} // namespace dualbvh_python
