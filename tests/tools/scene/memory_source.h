// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A source of files that are texts in a test.

#pragma once

#include "formats/files.h"

#include <stdio.h>
#include <string.h>

typedef struct memory_file {
	const char *name, *text;
} memory_file;

typedef struct memory_files {
	const memory_file *files;
	size_t count, opened, released;
} memory_files;

static inline bool memory_open( void *user, const char *name, unsigned char **bytes_out, size_t *count_out,
                                dbvh_error *error ) {
	memory_files *all = user;
	for ( size_t i = 0; i < all->count; ++i ) {
		if ( strcmp( all->files[i].name, name ) == 0 ) {
			*bytes_out = (unsigned char *)all->files[i].text;
			*count_out = strlen( all->files[i].text );
			++all->opened;
			return true;
		}
	}
	*error = ( dbvh_error ){ .status = DBVH_IO, .byte = -1, .element = -1 };
	snprintf( error->text, sizeof error->text, "'%.100s' is not there", name );
	return false;
}

static inline void memory_release( void *user, unsigned char *bytes, size_t count ) {
	(void)bytes, (void)count;
	++( (memory_files *)user )->released;
}

static inline scene_source memory_source( memory_files *files ) {
	return ( scene_source ){ .open = memory_open, .release = memory_release, .user = files, .name = "test" };
}

// A tetrahedron, the corner of the unit cube.
static const char tetrahedron_obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
