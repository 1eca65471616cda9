// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/grow.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool scene_grow( void *array, size_t *capacity, size_t count, size_t size ) {
	if ( count < *capacity )
		return true;
	const size_t wanted = *capacity < 8 ? 8 : 2 * *capacity;
	void *memory;
	memcpy( &memory, array, sizeof memory );
	memory = wanted <= SIZE_MAX / size ? realloc( memory, wanted * size ) : NULL;
	if ( memory == NULL )
		return false;
	memcpy( array, &memory, sizeof memory );
	*capacity = wanted;
	return true;
}

char *scene_print( const char *format, va_list arguments ) {
	va_list again;
	va_copy( again, arguments );
	const int length = vsnprintf( NULL, 0, format, arguments );
	char *text = length >= 0 ? malloc( (size_t)length + 1 ) : NULL;
	if ( text != NULL )
		vsnprintf( text, (size_t)length + 1, format, again );
	va_end( again );
	return text;
}

char *scene_copy( const char *text ) {
	char *made = text != NULL ? malloc( strlen( text ) + 1 ) : NULL;
	return made != NULL ? strcpy( made, text ) : NULL;
}
