// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A tree as the bytes of a file.

#pragma once

#include "bvh/file/format.h"

// Takes bytes, one after the other; false ends it.
typedef bool dbvhi_sink( void *user, const void *bytes, size_t count );

// The sections of a tree. LIMIT, OUT_OF_MEMORY; whatever it returns, dbvhi_sections_free() is to be called.
dbvh_status dbvhi_sections_of( const dbvh_tree *tree, dbvhi_sections *out, dbvh_error *error );
void dbvhi_sections_free( const dbvh_tree *tree, dbvhi_sections *s );

// Hands all bytes of the file to a sink: IO without a sentence where that does not take them, OUT_OF_MEMORY.
dbvh_status dbvhi_sections_write( const dbvh_tree *tree, const dbvhi_sections *s, dbvhi_sink *sink, void *user );
