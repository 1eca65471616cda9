// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Angles in radians and the rotations that they stand for. Sine and cosine are the project's own, because those of C
// libraries differ in the last bit: a robot stands in the same place, bit by bit, on every machine.

#pragma once

// Both are off by less than one unit in the last place for |angle| up to 2^20. Beyond, whole turns are taken off first,
// by the double that is nearest to one. NaN for what is not finite.
void scene_sine_cosine( double angle, double *sine, double *cosine );

// The rotation by an angle about an axis of length 1 (Rodrigues).
void scene_rotation_about( const double axis[3], double angle, double rot_out[3][3] );

// The rotation by roll, pitch and yaw as URDF has them: about the fixed axes x, y, z, in this order.
void scene_rotation_rpy( const double rpy[3], double rot_out[3][3] );
