// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files of the disk as a source for readers.

#pragma once

#include "scene/files.h"

// A source whose names stand beside `path`, as the reader of that file would open them; those of "package://name/..."
// stand in the folder that is given for the package, else in one of that name that holds the file itself, as robots'
// descriptions lie in their packages; "file:///..." is an absolute name. Any regular file may be named: it is the
// user's own file that names it. `options` may be NULL. The arguments must live as long as the source.
typedef struct scene_disk {
	const char *path;
	const scene_read_options *options;
} scene_disk;
scene_source scene_disk_source( scene_disk *disk );

// The whole of a file, which may be a pipe, at most 2^36 bytes. To be freed.
dbvh_status scene_disk_read( const char *path, unsigned char **bytes_out, size_t *count_out, dbvh_error *error );
