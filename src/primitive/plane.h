// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Only the side of a plane, as in dbvh_level, without the distance. Checks what it is given.

#pragma once

#include "dualbvh/primitives.h"

dbvh_status dbvhi_sphere_plane_side( const dbvh_sphere *sphere, const dbvh_plane *plane, int *side_out );
dbvh_status dbvhi_aabb_plane_side( const dbvh_aabb *aabb, const dbvh_plane *plane, int *side_out );
