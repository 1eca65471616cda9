// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Text and bars on pictures of 8-bit RGB, in a small font of the program's own: the same pixels on every machine.

#pragma once

#include <stddef.h>

// The size of a letter with the room about it.
enum { LETTER_WIDTH = 12, LETTER_HEIGHT = 20 };

typedef struct lettering {
	unsigned char *pixels; // three bytes a pixel, row by row from the top
	int width, height;
} lettering;

// Fills a rectangle; what of it is outside of the picture is left out. `opacity` from 0 to 1.
void lettering_fill( const lettering *l, int x, int y, int width, int height, const unsigned char colour[3],
                     double opacity );

// Writes UTF-8 from its upper left corner on, in black; characters beyond ASCII are boxes. Of a text that is longer
// than `most` letters the middle is left out. Returns its width in pixels.
int lettering_write( const lettering *l, int x, int y, const char *text, size_t most );

// The width of lettering_write().
int lettering_width( const char *text, size_t most );
