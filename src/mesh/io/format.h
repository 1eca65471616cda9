// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Which format a file is in, and reading it in pieces of any size.

#pragma once

#include "dualbvh/mesh.h"

// By the letters after the last point of the file's name, without regard to case; AUTO for an ending that is not known.
dbvh_mesh_format dbvhi_format_of_ending( const char *path );

// As dbvh_mesh_load() and dbvh_mesh_parse(), with so many bytes at a time (0: as they do), for tests: the results are
// the same for any number.
dbvh_status dbvhi_mesh_load_in_pieces( const char *path, dbvh_mesh_format format, size_t piece,
                                       const dbvh_allocator *allocator, dbvh_mesh **mesh_out, dbvh_error *error );
dbvh_status dbvhi_mesh_parse_in_pieces( const void *bytes, size_t byte_count, dbvh_mesh_format format, size_t piece,
                                        const dbvh_allocator *allocator, dbvh_mesh **mesh_out, dbvh_error *error );
