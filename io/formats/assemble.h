// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Several files read as one model.

#pragma once

#include "formats/files.h"
#include "model/assembly.h"

// Reads all files, in the order given, and what an SRDF adds to the first one that has links (`srdf` NULL: none). Where
// files have a path in common, the paths of all their bodies get the file's name in front, as much of it as tells the
// files apart. Bodies are numbered by their paths in the end, so that nothing depends on the order of files.
// *failed_out is the file that an error is about. Whatever comes of it, the caller frees the assembly.
dbvh_status scene_assemble( const char *const *files, size_t file_count, const scene_read_options *options,
                            const char *srdf, scene_assembly *assembly, const char **failed_out, dbvh_error *error );
