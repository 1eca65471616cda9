// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Tree files on disk: read whole, or mapped. IO with a sentence if the system refuses.

#pragma once

#include "base/replace.h"
#include "bvh/tree.h"
#include "dualbvh/tree_file.h"

#include <stdatomic.h>

// True if a file of this name exists, or the system does not say.
bool dbvhi_disk_has( const char *path );

// Checks that only this user and root can put files into a folder or remove this user's. IO with a sentence.
dbvh_status dbvhi_disk_check_folder( const char *folder, dbvh_error *error );

// Whose files are accepted.
typedef enum dbvhi_disk_owner {
	DBVHI_DISK_ANYONE, // any file that the caller names, links included
	DBVHI_DISK_OWN,    // no links, and writable by nobody else: files of a cache
} dbvhi_disk_owner;

// Frees bytes of the allocator; a dbvhi_backing.release.
void dbvhi_release_memory( const dbvh_allocator *allocator, char *bytes, size_t size );

// DBVHI_DISK_ENDED: the file ended before its size. No errno is negative.
#define DBVHI_DISK_ENDED ( -1 )

// A regular file that is being read.
typedef struct dbvhi_disk_source {
	int descriptor;
	size_t size;
	atomic_int why; // why reading failed: errno, or DBVHI_DISK_ENDED
} dbvhi_disk_source;

// Opens a file with the head of a tree.
dbvh_status dbvhi_disk_open( const char *path, dbvhi_disk_owner owner, dbvhi_disk_source *source_out,
                             dbvh_error *error );
// Reads a part of the file: a dbvhi_supply.
bool dbvhi_disk_take( void *source, uint64_t at, void *bytes, size_t count );
// Closes the file; if `status` is IO, sets the sentence for why reading failed.
dbvh_status dbvhi_disk_close( dbvhi_disk_source *source, dbvh_status status, dbvh_error *error );

// Maps a regular file read-only, shared with all who map it; with `all_at_once` it is read ahead.
dbvh_status dbvhi_disk_map( const char *path, dbvhi_disk_owner owner, bool all_at_once, dbvhi_backing *backing_out,
                            dbvh_error *error );

// dbvh_tree_save() with a choice of what is replaced.
dbvh_status dbvhi_tree_save_as( const dbvh_tree *tree, const char *path, dbvhi_replaced kind, dbvh_error *error );

// dbvh_tree_load(), or dbvh_tree_map() where `mapped`, with a choice of whose files are read.
dbvh_status dbvhi_tree_open( const char *path, dbvhi_disk_owner owner, bool mapped,
                             const dbvh_tree_load_options *options, const dbvh_allocator *allocator,
                             dbvh_tree **tree_out, dbvh_error *error );
