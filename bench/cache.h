// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Results that outlive the process: files that are either whole and for exactly this question, or as good as not there.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEEP_PATH = 700 };

// "<folder>/<name>" of the folder for what the benchmark keeps between runs: $XDG_CACHE_HOME/dualbvh, else one of the
// build. It is made if it is not there.
void keep_path( const char *name, char path[KEEP_PATH] );

// Makes a folder, if it is not there.
void keep_folder( const char *path );

// The running program, so that what one build has measured is not taken for another's.
uint64_t keep_program( void );

uint64_t keep_hash( uint64_t hash, const void *bytes, size_t size );
uint64_t keep_hash_text( uint64_t hash, const char *text );

// Reads `size` bytes; false where there is no such file, or it was written for another key or size, or is damaged.
bool keep_load( const char *path, uint64_t key, void *bytes, size_t size );

// Under another name first, so that nobody ever sees half a file. False where it cannot be written.
bool keep_store( const char *path, uint64_t key, const void *bytes, size_t size );
