// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// 64-bit hashes of texts and numbers that are the same on every machine: ids of clashes, fingerprints of bodies and
// rules. No protection against forgery.

#pragma once

#include "dualbvh/dualbvh.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How a hash begins.
#define SCENE_HASH_START UINT64_C( 0x6475616c62766831 )

// Each returns the hash with one more value.
uint64_t scene_hash_count( uint64_t hash, uint64_t n );
uint64_t scene_hash_real( uint64_t hash, double x );         // the bits, -0 as 0
uint64_t scene_hash_text( uint64_t hash, const char *text ); // NULL is a text of its own
uint64_t scene_hash_pose( uint64_t hash, const dbvh_pose *pose );
uint64_t scene_hash_mesh( uint64_t hash, const dbvh_mesh *mesh );

enum { SCENE_HASH_ROOM = 17 };

// Sixteen hexadecimal digits. Returns `text`.
const char *scene_hash_print( uint64_t hash, char text[SCENE_HASH_ROOM] );

// Read sixteen hexadecimal digits of either case. False: it is something else.
bool scene_hash_read( const char *text, size_t length, uint64_t *out );
