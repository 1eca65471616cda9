// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Guesses of times of contact, in pairs of doubles; what is handed over is rounded by comparison (round.h).

#pragma once

#include "exact/number/dd.h"
#include "primitive/core.h"

#include <math.h>

// The largest double that is not greater, and the smallest that is not less.
DBVHI_INLINE double dbvhi_dd_down( dbvhi_dd x ) {
	return x.lo < 0.0 ? nextafter( x.hi, -INFINITY ) : x.hi;
}

DBVHI_INLINE double dbvhi_dd_up( dbvhi_dd x ) {
	return x.lo > 0.0 ? nextafter( x.hi, INFINITY ) : x.hi;
}

// When a point that starts at `from`, in pairs of doubles, and moves by `step` in one unit of time passes through the
// ball of a radius about the origin: about the first and the last time, or twice that of its nearest point where it
// misses the ball. `step` is not 0.
void dbvhi_ball_times( const dbvhi_dd from[3], const dbvhi_dd step[3], double radius, double *first_out,
                       double *last_out );

// About when a ball on a path is as high above the plane as its radius, and as low below. The path is not parallel to
// the plane. Only from, ahead and behind of it are read.
void dbvhi_plane_times( const dbvhi_path *path, const dbvh_plane *plane, double radius, double *first_out,
                        double *last_out );
