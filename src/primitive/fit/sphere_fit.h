// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The smallest enclosing sphere of points.

#pragma once

#include "math/vec.h"
#include "primitive/fit/points.h"

typedef struct dbvhi_sphere {
	dbvhi_vec centre;
	double radius;
} dbvhi_sphere;

// Gaertner's pivoting form of Welzl's algorithm ("Fast and robust smallest enclosing balls", 1999): the farthest point
// joins the support set until none is outside. Robust on co-spherical, collinear, coplanar and duplicate points: a
// support set that is degenerate is passed over, and the search ends as soon as the radius no longer grows.
// Encloses every point: the radius is measured from the rounded centre and rounded up.
dbvhi_sphere dbvhi_sphere_smallest( dbvhi_point_set points );

// Ritter's ("An efficient bounding sphere", Graphics Gems, 1990): the sphere on the farther of the pairs that are
// extreme along the coordinate axes, grown by each point that is outside of it in turn. Depends on the order of the
// points.
dbvhi_sphere dbvhi_sphere_ritter( dbvhi_point_set points );

// The sphere round a given centre.
dbvhi_sphere dbvhi_sphere_about( dbvhi_vec centre, dbvhi_point_set points );
