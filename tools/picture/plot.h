// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A plot of the distance over poses, or over time, as SVG, without any other program.

#pragma once

#include "picture/picture.h"

#include <stdio.h>

// Plots a picture with frames. A band marks the frames where bodies clash.
void plot_write_svg( const picture *p, FILE *file );
