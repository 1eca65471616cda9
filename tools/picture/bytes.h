// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Bytes that grow, and what they are packed into: little endian numbers, varints, deflate, base64.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Zero-initialise; bytes_free() frees it. `has_failed`: there was no memory for something, and what follows is lost.
typedef struct bytes {
	unsigned char *at;
	size_t count, capacity;
	bool has_failed;
} bytes;

void bytes_free( bytes *b );
void bytes_put( bytes *b, const void *from, size_t count );
void bytes_byte( bytes *b, unsigned value );
void bytes_u32( bytes *b, uint32_t x );
void bytes_u32_big( bytes *b, uint32_t x ); // big endian
void bytes_f32( bytes *b, double x );
void bytes_f64( bytes *b, double x );
void bytes_align( bytes *b, size_t to, unsigned with );

// Seven bits a byte, the lowest first; the top bit says that more follow (LEB128). Signed numbers are folded: 0, -1, 1,
// -2, ...
void bytes_varint( bytes *b, uint64_t x );
void bytes_varint_signed( bytes *b, int64_t x );

// The checksum of PNG and ZIP (ISO 3309).
uint32_t bytes_crc32( const void *from, size_t count );

// Raw deflate (RFC 1951). Effort is a level of zlib: 9 takes eight times as long as 6 for pictures, and saves 6 %.
// Without zlib the blocks are stored as they are, which is deflate, too. False without memory.
bool bytes_deflate( const void *from, size_t count, int effort, bytes *out );

void bytes_write_base64( const bytes *b, FILE *file );
