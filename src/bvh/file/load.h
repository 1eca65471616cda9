// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A tree from the bytes of a file, in place.

#pragma once

#include "bvh/file/format.h"

// What is looked at before a tree is handed out.
typedef struct dbvhi_load_checks {
	bool is_trusted; // the front alone: counts and places of sections
	uint32_t sample; // else also checksums and dbvhi_tree_check() with this
	uint32_t thread_count;
} dbvhi_load_checks;

// Brings bytes of a file to where they will lie; called by several threads at once. False where they do not come: the
// source knows why.
typedef bool dbvhi_supply( void *source, uint64_t at, void *bytes, size_t count );

// INVALID_ARGUMENT for options, which the caller knows by this name, with a check that is none.
dbvh_status dbvhi_load_options_check( const dbvh_tree_load_options *options, const char *name, dbvh_error *error );

// The file of `size` bytes that begins with these `count`, at least DBVHI_HEAD_LENGTH or all of them, has the right
// magic and a version that is read, and its head is whole and says that size. TRUNCATED, UNKNOWN_FORMAT, MALFORMED.
dbvh_status dbvhi_file_head( const uint8_t *bytes, size_t count, size_t size, dbvh_error *error );

// A tree whose arrays lie in `backing`, aligned to DBVHI_SECTION_ALIGNMENT, which becomes the tree's; after an error it
// is still the caller's. With a supply the bytes are brought there piece by piece, each checked while it is in the
// cache, and a machine of the other order turns them; without, they are there and only read, and such a machine
// refuses. TRUNCATED, UNKNOWN_FORMAT, MALFORMED, INVARIANT, LIMIT, OUT_OF_MEMORY; IO without a sentence where the
// supply ends.
dbvh_status dbvhi_file_tree( dbvhi_backing backing, dbvhi_supply *supply, void *source, dbvhi_load_checks checks,
                             const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );
