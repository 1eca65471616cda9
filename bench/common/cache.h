// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Results that outlive the process: files that are either whole and for exactly this question, or as good as not there.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_PATH_SIZE = 700 };

// "<folder>/<name>" of the folder for what the benchmark keeps between runs: $XDG_CACHE_HOME/dualbvh, else one of the
// build. It is made if it is not there.
void cache_path( const char *name, char path[CACHE_PATH_SIZE] );

// Makes a folder, if it is not there.
void cache_make_folder( const char *path );

// The running program, so that what one build has measured is not taken for another's.
uint64_t cache_program_hash( void );

uint64_t cache_hash( uint64_t hash, const void *bytes, size_t size );
uint64_t cache_hash_text( uint64_t hash, const char *text );

// Reads `size` bytes; false where there is no such file, or it was written for another key or size, or is damaged.
bool cache_load( const char *path, uint64_t key, void *bytes, size_t size );

// Write under another name first, so that nobody ever sees half a file. False if it cannot be written.
bool cache_store( const char *path, uint64_t key, const void *bytes, size_t size );
