// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The solids that a robot's description has in place of meshes, as closed meshes round the origin, the axis along z.
// A polyhedron for a round solid is circumscribed: it is nowhere inside the solid, so that no clash is missed, and at
// most *sag_out outside of it. Sizes are above 0.

#pragma once

#include "dualbvh/mesh.h"

typedef enum scene_solid_kind {
	SCENE_SOLID_BOX,      // size: sides along x, y, z
	SCENE_SOLID_SPHERE,   // radius
	SCENE_SOLID_CYLINDER, // radius, length
	SCENE_SOLID_CAPSULE,  // radius, length between the centres of its ends
} scene_solid_kind;

// Errors: NOT_FINITE (the size is near the end of the range of doubles), OUT_OF_MEMORY.
dbvh_status scene_solid( scene_solid_kind kind, const double size[3], dbvh_mesh **mesh_out, double *sag_out,
                         dbvh_error *error );
