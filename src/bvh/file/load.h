// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A tree from the bytes of a file, in place.

#pragma once

#include "bvh/file/format.h"

// Checks made before a tree is handed out.
typedef struct dbvhi_load_checks {
	bool is_trusted; // check the front only: counts and offsets of sections
	uint32_t sample; // otherwise also checksums, and dbvhi_tree_check() with this sample
	uint32_t thread_count;
} dbvhi_load_checks;

// Reads bytes of a file to their final address; called by several threads at once. False on failure: the source knows
// why.
typedef bool dbvhi_supply( void *source, uint64_t at, void *bytes, size_t count );

// Checks load options; INVALID_ARGUMENT for an unknown check, naming the options `name`.
dbvh_status dbvhi_load_options_check( const dbvh_tree_load_options *options, const char *name, dbvh_error *error );

// Checks the head of a file of `size` bytes, of which the first `count` are given (at least DBVHI_HEAD_LENGTH, or all):
// magic, version, checksum and size. TRUNCATED, UNKNOWN_FORMAT, MALFORMED.
dbvh_status dbvhi_file_head( const uint8_t *bytes, size_t count, size_t size, dbvh_error *error );

// Makes a tree whose arrays lie in `backing`, aligned to DBVHI_SECTION_ALIGNMENT. The tree takes ownership; after an
// error `backing` is still the caller's. With a supply, bytes are read piece by piece, each checked while in the cache,
// and converted on a big-endian machine; without, they are present and only read, and a big-endian machine refuses.
// TRUNCATED, UNKNOWN_FORMAT, MALFORMED, INVARIANT, LIMIT, OUT_OF_MEMORY; IO without a sentence if the supply fails.
dbvh_status dbvhi_file_tree( dbvhi_backing backing, dbvhi_supply *supply, void *source, dbvhi_load_checks checks,
                             const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );
