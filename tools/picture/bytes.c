// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "picture/bytes.h"

#include <stdlib.h>
#include <string.h>
#ifdef DUALBVH_WITH_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif

void bytes_free( bytes *b ) {
	free( b->at );
	*b = ( bytes ){ 0 };
}

static bool reserve( bytes *b, size_t more ) {
	if ( b->has_failed || more > SIZE_MAX / 4 - b->count ) {
		b->has_failed = true;
		return false;
	}
	if ( b->count + more <= b->capacity )
		return true;
	size_t wanted = b->capacity < 4096 ? 4096 : 2 * b->capacity;
	while ( wanted < b->count + more )
		wanted *= 2;
	unsigned char *grown = realloc( b->at, wanted );
	b->has_failed = grown == NULL;
	if ( grown == NULL )
		return false;
	b->at = grown;
	b->capacity = wanted;
	return true;
}

void bytes_put( bytes *b, const void *from, size_t count ) {
	if ( count == 0 || !reserve( b, count ) )
		return;
	memcpy( b->at + b->count, from, count );
	b->count += count;
}

void bytes_byte( bytes *b, unsigned value ) {
	const unsigned char byte = (unsigned char)value;
	bytes_put( b, &byte, 1 );
}

void bytes_u32( bytes *b, uint32_t x ) {
	const unsigned char four[4] = { (unsigned char)x, (unsigned char)( x >> 8 ), (unsigned char)( x >> 16 ),
	                                (unsigned char)( x >> 24 ) };
	bytes_put( b, four, sizeof four );
}

void bytes_u32_big( bytes *b, uint32_t x ) {
	const unsigned char four[4] = { (unsigned char)( x >> 24 ), (unsigned char)( x >> 16 ), (unsigned char)( x >> 8 ),
	                                (unsigned char)x };
	bytes_put( b, four, sizeof four );
}

void bytes_f32( bytes *b, double x ) {
	const float f = (float)x;
	uint32_t bits;
	memcpy( &bits, &f, sizeof bits );
	bytes_u32( b, bits );
}

void bytes_f64( bytes *b, double x ) {
	uint64_t bits;
	memcpy( &bits, &x, sizeof bits );
	bytes_u32( b, (uint32_t)bits );
	bytes_u32( b, (uint32_t)( bits >> 32 ) );
}

void bytes_align( bytes *b, size_t to, unsigned with ) {
	while ( b->count % to != 0 && !b->has_failed )
		bytes_byte( b, with );
}

void bytes_varint( bytes *b, uint64_t x ) {
	for ( ; x >= 128; x >>= 7 )
		bytes_byte( b, (unsigned)( x & 127 ) | 128 );
	bytes_byte( b, (unsigned)x );
}

void bytes_varint_signed( bytes *b, int64_t x ) {
	bytes_varint( b, x >= 0 ? 2 * (uint64_t)x : 2 * (uint64_t)( -( x + 1 ) ) + 1 );
}

// ------------------------------------------------------------------------------------------------

uint32_t bytes_crc32( const void *from, size_t count ) {
	static const uint32_t of_nibble[16] = { 0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
	                                        0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
	                                        0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C };
	const unsigned char *at = from;
	uint32_t crc = UINT32_MAX;
	for ( size_t i = 0; i < count; ++i ) {
		crc = crc >> 4 ^ of_nibble[( crc ^ at[i] ) & 15];
		crc = crc >> 4 ^ of_nibble[( crc ^ (uint32_t)at[i] >> 4 ) & 15];
	}
	return ~crc;
}

#ifdef DUALBVH_WITH_ZLIB

// The smallest window (bits) that covers `count` bytes: zlib clears its tables for every stream.
static int window_of( size_t count ) {
	int bits = 9;
	while ( bits < 15 && (size_t)1 << bits < count )
		++bits;
	return bits;
}

bool bytes_deflate( const void *from, size_t count, int effort, bytes *out ) {
	z_stream z = { 0 };
	unsigned char room[65536];
	size_t left = count;
	int status = Z_OK;
	const int window = window_of( count );
	if ( deflateInit2( &z, effort, Z_DEFLATED, -window, window - 6, Z_DEFAULT_STRATEGY ) != Z_OK )
		return false;
	z.next_in = from;
	while ( status == Z_OK ) {
		if ( z.avail_in == 0 && left > 0 ) { // zlib counts in 32 bits
			z.avail_in = left < 1u << 30 ? (uInt)left : 1u << 30;
			left -= z.avail_in;
		}
		z.next_out = room;
		z.avail_out = sizeof room;
		status = deflate( &z, left > 0 ? Z_NO_FLUSH : Z_FINISH );
		bytes_put( out, room, sizeof room - z.avail_out );
	}
	deflateEnd( &z );
	return status == Z_STREAM_END && !out->has_failed;
}

#else

bool bytes_deflate( const void *from, size_t size, int effort, bytes *out ) {
	size_t at = 0;
	(void)effort;
	do {
		const size_t left = size - at, count = left < 65535 ? left : 65535;
		bytes_byte( out, count == left );
		bytes_byte( out, (unsigned)count & 255 );
		bytes_byte( out, (unsigned)count >> 8 );
		bytes_byte( out, ~(unsigned)count & 255 );
		bytes_byte( out, ~(unsigned)count >> 8 & 255 );
		bytes_put( out, (const unsigned char *)from + at, count );
		at += count;
	} while ( at < size );
	return !out->has_failed;
}

#endif

void bytes_write_base64( const bytes *b, FILE *file ) {
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for ( size_t i = 0; i < b->count; i += 3 ) {
		const size_t have = b->count - i;
		const uint32_t x = (uint32_t)b->at[i] << 16 | ( have > 1 ? (uint32_t)b->at[i + 1] << 8 : 0 ) |
		                   ( have > 2 ? (uint32_t)b->at[i + 2] : 0 );
		const char four[4] = { digits[x >> 18], digits[x >> 12 & 63], have > 1 ? digits[x >> 6 & 63] : '=',
		                       have > 2 ? digits[x & 63] : '=' };
		fwrite( four, 1, sizeof four, file );
	}
}
