// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes under affine maps. A body has a rigid pose, so that what else the map does, scaling, shearing, mirroring, goes
// into a mesh of its own, which all bodies share that are scaled alike.

#pragma once

#include "scene/model.h"

// The mesh and the pose that show the mesh under the map x -> A x + t, given as the rows of [A|t]. If A is a rotation,
// as dbvh_pose_check() takes it, that is the mesh itself, and the map as it is given. Else A = R L, with the rotation R
// that is nearest to A, and L goes into the mesh, or one that was made before serves again: then R is what is left of
// A, within the tolerance of a pose. Mirrors turn triangles round, so that outsides stay outside. Where A is flat, R is
// the identity.
// Errors: NOT_FINITE (the map, or the mesh under it), LIMIT (copies of 2^26 triangles in one model), OUT_OF_MEMORY.
dbvh_status scene_transform( scene_model *model, uint32_t mesh, const double rows[12], uint32_t *mesh_out,
                             dbvh_pose *pose_out, dbvh_error *error );

// Everything that was added behind the mark, in another unit: factor times as large.
dbvh_status scene_scale_from( scene_model *model, const scene_mark *mark, double factor, dbvh_error *error );
