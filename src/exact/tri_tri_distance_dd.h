// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The functions of exact/tri_tri_distance.h in pairs of doubles, for every instruction set.

#pragma once

#include "exact/tri_tri_distance.h"
#include "simd/isa.h"

typedef struct dbvhi_distance_dd {
	bool ( *no_nearer )( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double distance );
	bool ( *rounded_near )( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double *distance );
	bool ( *distance_near )( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double limit,
	                         dbvhi_witness *out );
	bool ( *find_place )( const dbvhi_posed_pair *pair, dbvhi_tri_tri_bounds *gap );
	bool ( *planes_init )( const dbvhi_posed_pair *pair, const dbvhi_tri_tri_bounds *gap, double distance,
	                       dbvhi_distance_planes *out );
	double ( *height_beyond )( const dbvhi_distance_planes *planes, const double triangle[9], bool moved );
} dbvhi_distance_dd;

extern const dbvhi_distance_dd *const dbvhi_distance_dd_table[DBVHI_ISA_COUNT];
