// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// One reader a format, each in its own file. A reader fills the builder from bytes that have no byte order mark, sets
// the builder's error where it refuses, and leaves it to its caller to refuse a mesh without triangles.

#pragma once

#include "mesh/builder.h"

dbvh_status dbvhi_read_stl( dbvhi_builder *mesh, const uint8_t *bytes, size_t count );
dbvh_status dbvhi_read_obj( dbvhi_builder *mesh, const uint8_t *bytes, size_t count );
dbvh_status dbvhi_read_ply( dbvhi_builder *mesh, const uint8_t *bytes, size_t count );
dbvh_status dbvhi_read_off( dbvhi_builder *mesh, const uint8_t *bytes, size_t count );

// Whether the size is that of a binary STL with the number of triangles that its header gives. No text file has this:
// its characters, read as that number, promise more than a hundred million triangles.
bool dbvhi_stl_size_fits( const uint8_t *bytes, size_t count );

// Whether a word is the keyword an OFF file begins with, in any of its variants.
bool dbvhi_off_keyword( const char *word, size_t length );
