// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// How far points reach, many at a time: what refitting a tree takes. Compiled for every instruction set; the results
// are the same in all of them.

#pragma once

#include "simd/isa.h"

#include <stddef.h>

typedef struct dbvhi_points {
	const double *x, *y, *z;
	size_t count;
} dbvhi_points;

typedef struct dbvhi_refit_isa {
	// Along three axes, the columns, from a point on. `low` and `high` grow.
	void ( *reach )( const dbvhi_points *points, const double axes[3][3], const double from[3], double low[3],
	                 double high[3] );
	// The larger of `most` and the square of the largest distance from a centre.
	double ( *farthest )( const dbvhi_points *points, const double centre[3], double most );
} dbvhi_refit_isa;

extern const dbvhi_refit_isa *const dbvhi_refit_table[DBVHI_ISA_COUNT];
