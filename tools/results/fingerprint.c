// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "results/fingerprint.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fingerprint_say( fingerprint *f, const char *what, const char *format, ... ) {
	const size_t at = strlen( f->text );
	char value[FINGERPRINT_ROOM];
	va_list arguments;
	va_start( arguments, format );
	const int wanted = vsnprintf( value, sizeof value, format, arguments );
	va_end( arguments );
	const int length = snprintf( f->text + at, sizeof f->text - at, "%s: %s\n", what, value );
	f->is_cut = f->is_cut || wanted < 0 || (size_t)wanted >= sizeof value || length < 0 ||
	            (size_t)length >= sizeof f->text - at;
}

// Eight bytes at a time, each mixed in by a multiplication whose high half is folded back.
static uint64_t hash( uint64_t h, const void *bytes, size_t count ) {
	const unsigned char *at = bytes;
	for ( ; count > 0; ) {
		uint64_t word = 0;
		const size_t n = count < 8 ? count : 8;
		memcpy( &word, at, n );
		h = ( h ^ word ) * UINT64_C( 0x9E3779B97F4A7C15 );
		h ^= h >> 29;
		at += n;
		count -= n;
	}
	return ( h ^ h >> 32 ) * UINT64_C( 0xD6E8FEB86659FD93 );
}

void fingerprint_bytes( fingerprint *f, const char *what, const void *bytes, size_t count ) {
	fingerprint_say( f, what, "%016" PRIx64, hash( count, bytes, count ) );
}

void fingerprint_mesh( fingerprint *f, const char *what, const dbvh_mesh *mesh ) {
	// What the library owns is packed: doubles, and triples of uint32_t.
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	const uint64_t h = hash( view.vertex_count, view.positions, view.vertex_count * 3 * sizeof( double ) );
	fingerprint_say( f, what, "%016" PRIx64 ", %zu triangles",
	                 hash( h, view.indices, view.triangle_count * 3 * sizeof( uint32_t ) ), view.triangle_count );
}
