// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Affine maps in files, of which a body can only have the rigid part: the rest is baked into its mesh.

#pragma once

#include "dualbvh/base.h"

// The rows of [L|t]: x -> L x + t.
typedef struct scene_affine {
	double row[3][4];
} scene_affine;

scene_affine scene_affine_identity( void );

// outer( inner( x ) ).
scene_affine scene_affine_compose( const scene_affine *outer, const scene_affine *inner );

// Splits a map into a linear part, which belongs into the mesh, and a pose that comes after it: up to the rounding of
// doubles, pose( baked x ) is the map. A map that dbvh_pose_check() takes is kept bit by bit, *is_rigid_out is true and
// `baked` the identity. Of others `baked` is the symmetric factor of the polar decomposition, mirrored through the
// origin if the map mirrors, and rounded to six decimals or so, so that maps that differ by a motion and by the
// rounding of floats get the same one, bit by bit; what is rounded off goes into the pose, which takes no harm from it.
// Maps that nearly flatten are baked as they are. False if the map flattens, or a number is not finite.
bool scene_split_affine( const double m[3][4], dbvh_pose *rigid_out, double baked_out[3][3], bool *is_rigid_out );
