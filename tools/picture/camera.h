// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A camera that looks at a clash as the page does.

#pragma once

#include <cglm/types.h>
#include <stdbool.h>

typedef struct camera {
	double point[3]; // the camera looks at it
	double away;     // distance from the point
	mat3 view;       // cglm's: x to the right, y up, z towards the camera
	double scale;    // at depth 1, in halves of the picture's height
	double near;
} camera;

// Shows `size` around a point, from a direction of any length that is not vertical; z is up.
camera camera_at( const double point[3], double size, const double direction[3] );

// In the frame of the camera: to the right, up, and how deep. In doubles: the corners of a wall may be a million times
// as far away as what is shown of it.
void camera_see( const camera *c, const double x[3], double out[3] );

// Can something of a ball be seen in a picture that is `aspect` times as wide as it is high?
bool camera_may_see( const camera *c, double aspect, const double middle[3], double radius );
