// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A small picture, drawn in software: solid triangles by their depth, ghosts that let through what is behind them,
// thick lines on top. docs/design/pictures.md says why it is our own.

#pragma once

#include "picture/camera.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct raster {
	int width, height; // in samples: twice as many in each direction as pixels
	float *depth;      // 1 over the depth; 0 where nothing is
	float *through;    // transmittance of the ghosts in front, by sample
	float *colour;     // three a sample, 0 to 1
	uint64_t work;     // steps so far: samples that were looked at, and RASTER_TRIANGLE for each triangle
} raster;

enum { RASTER_TRIANGLE = 32 };

typedef struct raster_style {
	float colour[3];
	float density; // opacity of a ghost; 0: solid
} raster_style;

// Room for width x height pixels. False where there is no memory.
bool raster_create( raster *r, int width, int height );
// A picture with one colour: what is drawn first.
void raster_clear( raster *r, const float background[3] );
void raster_free( raster *r );

// Three corners in the frame of the camera. All solid ones come before ghosts.
void raster_triangle( raster *r, const camera *c, const double corner[3][3], const raster_style *style );

// Ghosts become part of the picture, once, before what follows.
void raster_settle( raster *r, const float ghost_colour[3] );

// On top of all, some pixels wide; a polygon is convex, and half transparent.
void raster_line( raster *r, const camera *c, const double from[3], const double to[3], double width,
                  const float colour[3] );
void raster_polygon( raster *r, const camera *c, const double ( *corners )[3], size_t count, const float colour[3] );

// Three bytes a pixel, from the top; room for 3 width height.
void raster_pixels( const raster *r, unsigned char *out );
