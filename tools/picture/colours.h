// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Colours of everything that the command draws itself: those of the page in light (viewer/src/colours.ts), red, green
// and blue in sRGB, from 0 to 255. docs/design/pictures.md says why these.

#pragma once

#define COLOUR_A 0, 114, 178
#define COLOUR_B 230, 159, 0
#define COLOUR_REST 90, 98, 112
#define COLOUR_CONTACT 240, 228, 66
#define COLOUR_EDGE 0, 0, 0
#define COLOUR_OVERLAP 208, 32, 46
#define COLOUR_MARK 204, 121, 167 // distances, boxes and moves
#define COLOUR_BACKGROUND 244, 245, 247
#define COLOUR_GRID 201, 206, 216

// An initialiser of floats from 0 to 1.
#define COLOUR_FLOATS_OF( red, green, blue )                                                                           \
	{ ( red ) / 255.0f, ( green ) / 255.0f, ( blue ) / 255.0f }
#define COLOUR_FLOATS( colour ) COLOUR_FLOATS_OF( colour )
