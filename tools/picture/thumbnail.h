// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Small pictures without a browser: a clash, its two bodies in their colours, the rest as ghosts, the contact thick;
// and a level of trees, volumes as ghosts.

#pragma once

#include "picture/bytes.h"
#include "picture/raster.h"
#include "picture/shapes.h"

enum { THUMBNAIL_WIDTH = 640, THUMBNAIL_HEIGHT = 480, THUMBNAIL_BUDGET = 300000, THUMBNAIL_LEVEL = 4 };

// Makes pictures of one scene, one after the other, in memory that all share.
typedef struct thumbnail_maker {
	const picture *p;
	const picture_shapes *shapes;
	double ( *balls )[4]; // around shapes, in their own frames: a middle and a radius
	raster raster;        // its `work` is that of all pictures so far
	unsigned char *pixels;
} thumbnail_maker;

// False where there is no memory; the maker can be ended then, too.
bool thumbnail_begin( thumbnail_maker *m, const picture *p, const picture_shapes *shapes );
void thumbnail_end( thumbnail_maker *m );

// A PNG of a clash; PICTURE_NONE: of all bodies. Nothing (and true) where a signal ended it. False
// where there is no memory.
bool thumbnail_make( thumbnail_maker *m, uint32_t clash, bytes *out );

// One of each kind of volumes on THUMBNAIL_LEVEL of the trees that the picture has; and one of each group, and of each
// clash without one, at most `most`, the worst first, into a folder, which is made where it is not there, until a
// signal comes. How many were written, or -1 after a sentence.
int thumbnails_write( const picture *p, const picture_shapes *shapes, const char *folder, size_t most );
