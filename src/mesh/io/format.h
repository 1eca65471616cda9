// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Recognise the format of a file, and read it in pieces of any size.

#pragma once

#include "dualbvh/mesh.h"

// Recognise a format by the letters after the last point of the file's name, without regard to case; AUTO for an
// unknown ending.
dbvh_mesh_format dbvhi_format_of_ending( const char *path );

// Refuse a number that is no dbvh_mesh_format.
dbvh_status dbvhi_check_mesh_format( dbvh_mesh_format format, dbvh_error *error );

// Variants of dbvh_mesh_load() and dbvh_mesh_parse() for tests that read `piece` bytes at a time (0: the usual number).
// The results are the same for any number.
dbvh_status dbvhi_mesh_load_in_pieces( const char *path, dbvh_mesh_format format, size_t piece,
                                       const dbvh_allocator *allocator, dbvh_mesh **mesh_out, dbvh_error *error );
dbvh_status dbvhi_mesh_parse_in_pieces( const void *bytes, size_t byte_count, dbvh_mesh_format format, size_t piece,
                                        const dbvh_allocator *allocator, dbvh_mesh **mesh_out, dbvh_error *error );
