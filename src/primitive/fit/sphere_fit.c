// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "primitive/fit/sphere_fit.h"

#include "primitive/fit/sphere_fit.inl"

dbvhi_sphere dbvhi_sphere_about( dbvhi_vec centre, dbvhi_point_set points ) {
	return sphere_about( centre, points );
}

dbvhi_sphere dbvhi_sphere_smallest( dbvhi_point_set points ) {
	return sphere_smallest( points );
}
