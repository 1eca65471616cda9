// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "results/fingerprint.h"

#include "text/hash.h"

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

void fingerprint_hash( fingerprint *f, const char *what, uint64_t hash ) {
	char text[SCENE_HASH_ROOM];
	fingerprint_say( f, what, "%s", scene_hash_print( hash, text ) );
}

void fingerprint_mesh( fingerprint *f, const char *what, const dbvh_mesh *mesh ) {
	char text[SCENE_HASH_ROOM];
	fingerprint_say( f, what, "%s, %zu triangles", scene_hash_print( scene_hash_mesh( SCENE_HASH_START, mesh ), text ),
	                 dbvh_mesh_get_view( mesh ).triangle_count );
}
