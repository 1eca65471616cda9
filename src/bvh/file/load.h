// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A tree from the bytes of a file, in place.

#pragma once

#include "bvh/file/format.h"

// What is looked at before a tree is handed out.
typedef struct dbvhi_scrutiny {
	bool is_trusted; // the front alone: counts and places of sections
	uint32_t sample; // else also checksums and dbvhi_tree_check() with this
	uint32_t thread_count;
} dbvhi_scrutiny;

// The file of `size` bytes that begins with these `count`, at least DBVHI_HEAD_LENGTH or all of them, has the right
// magic and a version that is read, and its head is whole and says that size. TRUNCATED, UNKNOWN_FORMAT, MALFORMED.
dbvh_status dbvhi_file_head( const uint8_t *bytes, size_t count, size_t size, dbvh_error *error );

// A tree whose arrays lie in `backing`, aligned to DBVHI_SECTION_ALIGNMENT, which becomes the tree's; after an error it
// is still the caller's. `may_write`: a machine of the other order turns the bytes where they lie; else it refuses.
// TRUNCATED, UNKNOWN_FORMAT, MALFORMED, INVARIANT, LIMIT, OUT_OF_MEMORY.
dbvh_status dbvhi_file_tree( dbvhi_backing backing, bool may_write, dbvhi_scrutiny scrutiny,
                             const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );
