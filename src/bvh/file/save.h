// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Writing a tree as the bytes of a file.

#pragma once

#include "bvh/file/format.h"

// Consumes consecutive bytes; false stops the writing.
typedef bool dbvhi_sink( void *user, const void *bytes, size_t count );

// Collects the sections of a tree. LIMIT, OUT_OF_MEMORY; dbvhi_sections_free() is to be called in any case.
dbvh_status dbvhi_sections_of( const dbvh_tree *tree, dbvhi_sections *out, dbvh_error *error );
void dbvhi_sections_free( const dbvh_tree *tree, dbvhi_sections *s );

// Writes all bytes of the file to a sink: IO without a sentence if the sink stops, OUT_OF_MEMORY.
dbvh_status dbvhi_sections_write( const dbvh_tree *tree, const dbvhi_sections *s, dbvhi_sink *sink, void *user );
