// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files as the system has them: written whole or not at all, read whole, or mapped. IO with a sentence where the system
// refuses.

#pragma once

#include "bvh/file/replace.h"
#include "bvh/tree.h"

#include <stdatomic.h>

// Begins a file that replaces `path` once it is whole (bvh/file/replace.h).
dbvh_status dbvhi_disk_create( const char *path, dbvhi_replacement *file, dbvh_error *error );

// Appends to a dbvhi_replacement; false where not everything was taken: errno then says why.
bool dbvhi_disk_append( void *file, const void *bytes, size_t count );

// Puts the file in its place, once all of it has reached the disk. `is_whole` false, or a refusal: there is nothing
// new, and nothing of what was begun.
dbvh_status dbvhi_disk_finish( dbvhi_replacement *file, bool is_whole, dbvh_error *error );

// Is there anything of this name? Also where the system does not say.
bool dbvhi_disk_has( const char *path );

// Gives back bytes of the allocator, as dbvhi_backing.release does.
void dbvhi_release_memory( const dbvh_allocator *allocator, char *bytes, size_t size );

// A regular file that is being read.
typedef struct dbvhi_disk_source {
	int descriptor;
	size_t size;
	atomic_int why; // reading ended: errno, or ENODATA where the file did
} dbvhi_disk_source;

// Opens one that has the head of a tree.
dbvh_status dbvhi_disk_open( const char *path, dbvhi_disk_source *source_out, dbvh_error *error );
// Reads a part of it to where that will lie: a dbvhi_supply.
bool dbvhi_disk_take( void *source, uint64_t at, void *bytes, size_t count );
// Closes it; puts what reading came to into words where that is why `status` is IO.
dbvh_status dbvhi_disk_close( dbvhi_disk_source *source, dbvh_status status, dbvh_error *error );

// A regular file in memory as it is on the disk, read-only, shared with everyone who maps it; all of it at once where
// all is going to be read.
dbvh_status dbvhi_disk_map( const char *path, bool all_at_once, dbvhi_backing *backing_out, dbvh_error *error );
