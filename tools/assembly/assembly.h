// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Several files as one model: the bodies of all, each with a path of its own.

#pragma once

#include "formats/files.h"

typedef struct scene_assembly {
	scene_model model;
	const char *const *files; // the caller's
	size_t file_count;
	uint32_t *file_of; // by body
} scene_assembly;

// Reads all files, in the order given, and what an SRDF adds to the first one that has links (`srdf` NULL: none). Where
// files have a path in common, the paths of all their bodies get the file's name in front, as much of it as tells the
// files apart. Bodies are numbered by their paths in the end, so that nothing depends on the order of files.
// *failed_out is the file that an error is about. Whatever comes of it, the caller frees the assembly.
dbvh_status scene_assemble( const char *const *files, size_t file_count, const scene_read_options *options,
                            const char *srdf, scene_assembly *assembly, const char **failed_out, dbvh_error *error );
void scene_assembly_free( scene_assembly *assembly );

// Reads all of a file. The caller frees it. NULL after filling in *error.
unsigned char *scene_load_bytes( const char *path, size_t *count_out, dbvh_error *error );
