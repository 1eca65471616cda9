// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/png.h"

#include <stdlib.h>

static uint32_t adler_of( const unsigned char *at, size_t count ) {
	enum { MOST = 5552 }; // bytes until 32 bits are full
	uint32_t a = 1, b = 0;
	for ( size_t i = 0; i < count; ) {
		for ( const size_t end = count - i < MOST ? count : i + MOST; i < end; ++i ) {
			a += at[i];
			b += a;
		}
		a %= 65521;
		b %= 65521;
	}
	return b << 16 | a;
}

static void put_chunk( bytes *out, const char name[4], const bytes *data ) {
	bytes_u32_big( out, (uint32_t)data->count );
	const size_t from = out->count;
	bytes_put( out, name, 4 );
	bytes_put( out, data->at, data->count );
	if ( !out->has_failed )
		bytes_u32_big( out, bytes_crc32( out->at + from, out->count - from ) );
}

// Each row as the difference to the pixel on the left (filter 1), which packs better.
static void put_rows( const unsigned char *pixels, uint32_t width, uint32_t height, bytes *out ) {
	const size_t row = 3 * (size_t)width;
	unsigned char *made = malloc( row );
	out->has_failed |= made == NULL;
	for ( size_t y = 0; y < height && made != NULL; ++y ) {
		const unsigned char *at = pixels + y * row;
		bytes_byte( out, 1 );
		for ( size_t i = 0; i < row; ++i )
			made[i] = (unsigned char)( at[i] - ( i >= 3 ? at[i - 3] : 0 ) );
		bytes_put( out, made, row );
	}
	free( made );
}

bool png_make( const unsigned char *pixels, uint32_t width, uint32_t height, bytes *out ) {
	static const unsigned char signature[] = { 137, 'P', 'N', 'G', 13, 10, 26, 10 };
	bytes head = { 0 }, rows = { 0 }, packed = { 0 }, none = { 0 };
	bytes_u32_big( &head, width );
	bytes_u32_big( &head, height );
	bytes_put( &head, "\10\2\0\0\0", 5 ); // bits, colour, compression, filter, no interlace
	put_rows( pixels, width, height, &rows );
	bytes_put( &packed, "\x78\xDA", 2 ); // zlib (RFC 1950)
	const bool ok = !rows.has_failed && bytes_deflate( rows.at, rows.count, 6, &packed );
	if ( ok )
		bytes_u32_big( &packed, adler_of( rows.at, rows.count ) );
	bytes_put( out, signature, sizeof signature );
	put_chunk( out, "IHDR", &head );
	put_chunk( out, "IDAT", &packed );
	put_chunk( out, "IEND", &none );
	const bool good = ok && !head.has_failed && !packed.has_failed && !out->has_failed;
	bytes_free( &head );
	bytes_free( &rows );
	bytes_free( &packed );
	return good;
}
