// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// JSON files by jansson, where it is in.

#pragma once

#ifdef DUALBVH_WITH_JANSSON

#include "dualbvh/base.h"

#include <jansson.h>

// The object that the text is, which may begin with a byte order mark and end with zero bytes. Keys that stand twice in
// an object are refused, as is nesting beyond what jansson takes (2048), and zero characters in texts unless they are
// taken: what stands behind one is not seen then. NULL after filling in *error, with the line.
json_t *scene_json_load( const unsigned char *bytes, size_t count, bool takes_zeros, dbvh_error *error );

// A number that is whole, at least 0 and below 2^53, however it is written (7 or 7.0).
bool scene_json_is_count( const json_t *value, size_t *out );

#endif
