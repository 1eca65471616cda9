// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Angles in radians and the rotations that they stand for. Sine and cosine are the project's own, because those of C
// libraries differ in the last bit: a robot stands in the same place, bit by bit, on every machine.

#pragma once

// Both are off by less than one unit in the last place for |angle| up to 2^20. Beyond, whole turns are taken off first,
// by the double that is nearest to one. NaN for what is not finite.
#define DBVHI_LARGEST_ANGLE 0x1p20
void dbvhi_sine_cosine( double angle, double *sine, double *cosine );

// The angle from -pi to pi with this sine and cosine, which may both be off by a common factor from 1/2 to 2. The error
// is below 2^-50.
double dbvhi_angle_of( double sine, double cosine );

// The angle without whole turns, from about -pi to pi. The error is below 2^-52 times |angle| + 8.
double dbvhi_without_turns( double angle );

// The rotation about an axis of length 1 by the angle with this sine and cosine (Rodrigues).
void dbvhi_rotation_about( const double axis[3], double sine, double cosine, double rot_out[3][3] );
