// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include <stddef.h>
#include <stdint.h>

// Says whether a reader took the bytes of a file; `user` is what was given to replay_folder().
typedef size_t replay_file( const void *user, const uint8_t *bytes, size_t count );

// Every file of tests/fuzz/corpus/<name>. Some must be taken and some refused: a corpus of one kind shows nothing.
void replay_folder( const char *name, replay_file *replay, const void *user );

// The bytes in memory of their own, exactly as long as they are, so that AddressSanitizer sees a read beyond the end.
// The caller frees it.
uint8_t *replay_exact( const uint8_t *bytes, size_t count );
