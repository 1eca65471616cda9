// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The text of a review file, for tests.

#pragma once

#include "assembly/review.h"
#include "support/unit.h"

#include <stdio.h>

// Writes a review as a text with a zero byte behind it, in `room` bytes.
static inline void write_review( const scene_earlier *e, char *text, size_t room ) {
	FILE *file = tmpfile();
	assert_non_null( file );
	assert_true( scene_review_write( e, file ) );
	const long length = ftell( file );
	assert_true( length > 0 && (size_t)length < room );
	rewind( file );
	assert_int_equal( fread( text, 1, (size_t)length, file ), (size_t)length );
	text[length] = '\0';
	fclose( file );
}
