// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// STEP files for tests, written by OpenCASCADE.

#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// An assembly "stand" in millimetres: "plate", a box of 40 x 40 x 5 from the origin, and an assembly "pins" of two
// instances of "pin", a cylinder of radius 5 and height 20 on the origin: "upright" stands on the plate at (12, 20),
// "lying" lies along y through the plate, its axis at x = 30, z = 5.
bool step_write_stand( const char *path );

// One part, "ball and ring": a sphere and a torus beside each other, whose surfaces are curved both ways.
bool step_write_round( const char *path );

#ifdef __cplusplus
}
#endif
