// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The files in a zip archive that lies in memory. A few kilobytes can promise terabytes: all that is read of an archive
// together is at most 256 times as large as it is, and 16 MiB; the size of a file is looked at before it is read.

#pragma once

#include "dualbvh/base.h"

typedef struct scene_archive scene_archive;

// The bytes stay the caller's and must outlive the archive. Errors: MALFORMED, OUT_OF_MEMORY; UNKNOWN_FORMAT in a build
// without libzip.
dbvh_status scene_archive_open( const unsigned char *bytes, size_t count, scene_archive **archive_out,
                                dbvh_error *error );
void scene_archive_close( scene_archive *archive ); // NULL is allowed

// Is there a file of this name, in upper or lower case?
bool scene_archive_has( scene_archive *archive, const char *name );

// The number of files whose names end so.
size_t scene_archive_count( scene_archive *archive, const char *ending );

// Its bytes, to be freed. Errors: MALFORMED (it is not there, encrypted or damaged), LIMIT, OUT_OF_MEMORY.
dbvh_status scene_archive_read( scene_archive *archive, const char *name, unsigned char **bytes_out, size_t *count_out,
                                dbvh_error *error );
