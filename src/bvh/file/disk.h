// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files of trees as the system has them: read whole, or mapped. IO with a sentence where the system refuses.

#pragma once

#include "base/replace.h"
#include "bvh/tree.h"
#include "dualbvh/tree_file.h"

#include <stdatomic.h>

// Is there anything of this name? Also where the system does not say.
bool dbvhi_disk_has( const char *path );

// Can nobody but this user and root put files into a folder, or take away those of this user? IO with a sentence.
dbvh_status dbvhi_disk_check_folder( const char *folder, dbvh_error *error );

// Whose files are read.
typedef enum dbvhi_disk_owner {
	DBVHI_DISK_ANYONE, // as the caller names them, links included
	DBVHI_DISK_OWN,    // no links, and nobody else can have written them: those of a cache
} dbvhi_disk_owner;

// Gives back bytes of the allocator, as dbvhi_backing.release does.
void dbvhi_release_memory( const dbvh_allocator *allocator, char *bytes, size_t size );

// A regular file that is being read.
typedef struct dbvhi_disk_source {
	int descriptor;
	size_t size;
	atomic_int why; // reading ended: errno, or ENODATA where the file did
} dbvhi_disk_source;

// Opens one that has the head of a tree.
dbvh_status dbvhi_disk_open( const char *path, dbvhi_disk_owner owner, dbvhi_disk_source *source_out,
                             dbvh_error *error );
// Reads a part of it to where that will lie: a dbvhi_supply.
bool dbvhi_disk_take( void *source, uint64_t at, void *bytes, size_t count );
// Closes it; puts what reading came to into words where that is why `status` is IO.
dbvh_status dbvhi_disk_close( dbvhi_disk_source *source, dbvh_status status, dbvh_error *error );

// A regular file in memory as it is on the disk, read-only, shared with everyone who maps it; all of it at once where
// all is going to be read.
dbvh_status dbvhi_disk_map( const char *path, dbvhi_disk_owner owner, bool all_at_once, dbvhi_backing *backing_out,
                            dbvh_error *error );

// dbvh_tree_save() with a choice of what is replaced.
dbvh_status dbvhi_tree_save_as( const dbvh_tree *tree, const char *path, dbvhi_replaced kind, dbvh_error *error );

// dbvh_tree_load(), or dbvh_tree_map() where `mapped`, with a choice of whose files are read.
dbvh_status dbvhi_tree_open( const char *path, dbvhi_disk_owner owner, bool mapped,
                             const dbvh_tree_load_options *options, const dbvh_allocator *allocator,
                             dbvh_tree **tree_out, dbvh_error *error );
