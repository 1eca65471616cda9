// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The names, the measure and the scale of a small picture, on top of it.

#pragma once

#include "picture/camera.h"
#include "picture/lettering.h"
#include "picture/picture.h"

// `clash` may be NULL: there is only a scale.
void legend_draw( const lettering *l, const picture *p, const picture_clash *clash, const camera *c );

// The longest of 1, 2 and 5 times a power of ten that is at most `most`, which is positive.
double legend_round_length( double most );
