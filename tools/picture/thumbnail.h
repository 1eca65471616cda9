// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Small pictures without a browser: a clash, its two bodies in their colours, the rest as ghosts, the contact thick.

#pragma once

#include "picture/bytes.h"
#include "picture/shapes.h"

enum { THUMBNAIL_WIDTH = 640, THUMBNAIL_HEIGHT = 480, THUMBNAIL_BUDGET = 300000 };

// A PNG of a clash; PICTURE_NONE: of all bodies. False where there is no memory.
bool thumbnail_make( const picture *p, const picture_shapes *shapes, uint32_t clash, bytes *out );

// One of each group, and of each clash without one, at most `most`, the worst first, into a folder, which is made where
// it is not there. How many were written, or -1 after a sentence.
int thumbnails_write( const picture *p, const picture_shapes *shapes, const char *folder, size_t most );
