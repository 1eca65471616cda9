// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Which kernel this machine runs. dispatch.c is the only file that knows about processors.

#pragma once

#include "simd/ellipsoid.h"
#include "simd/motion.h"
#include "simd/packed.h"
#include "simd/primitives.h"

#include <stddef.h>

typedef struct dbvhi_isa {
	const char *name;
	dbvhi_packed_kernel *packed;
	dbvhi_triangle_kernel *triangles;
	dbvhi_nearest_kernel *nearest;
	dbvhi_motion_kernel *motion;
	const dbvhi_lanes_kernels *lanes;
	dbvhi_ellipsoid_kernel *ellipsoids;
} dbvhi_isa;

// The kernels that this machine can run, the fastest first; *count_out says how many.
const dbvhi_isa *dbvhi_isa_available( size_t *count_out );

// The one in use: the fastest, or the one that the environment variable DBVH_ISA or dbvhi_isa_select() names.
const dbvhi_isa *dbvhi_isa_current( void );

// Chooses by name; NULL goes back to the default. Returns 0 if this machine has no such kernel.
int dbvhi_isa_select( const char *name );
