// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The page: a frame that viewer/ builds, and in it a picture as JSON (schema dualbvh.picture/2) and packed arrays.

#pragma once

#include "picture/shapes.h"

#include <stdio.h>

// The frame: an HTML file with one mark where the picture belongs. It is looked for where DUALBVH_VIEWER says, where an
// installation puts it beside the program, and where scripts/viewer puts it. NULL after a sentence on stderr; to be
// freed.
char *page_frame_load( void );

// Writes a page. False where there is no memory, or the frame has no mark.
bool page_write( const picture *p, const picture_shapes *shapes, const char *frame, FILE *file );
