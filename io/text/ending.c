// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/ending.h"

#include "base/os.h"

#include <stdlib.h>
#include <string.h>

static const char *behind_last_slash( const char *name ) {
	const char *slash = dbvhi_os_last_separator( name );
	return slash != NULL ? slash + 1 : name;
}

bool scene_has_ending( const char *name, const char *lower ) {
	const char *point = strrchr( behind_last_slash( name ), '.' );
	if ( point == NULL )
		return false;
	for ( ++point; *point != '\0' && *lower != '\0'; ++point, ++lower )
		if ( ( *point >= 'A' && *point <= 'Z' ? *point - 'A' + 'a' : *point ) != *lower )
			return false;
	return *point == '\0' && *lower == '\0';
}

static char *copy( const char *text, size_t length ) {
	char *made = malloc( length + 1 );
	if ( made == NULL )
		return NULL;
	memcpy( made, text, length );
	made[length] = '\0';
	return made;
}

char *scene_stem( const char *name ) {
	const char *begin = behind_last_slash( name ), *point = strrchr( begin, '.' );
	return copy( begin, point != NULL && point > begin ? (size_t)( point - begin ) : strlen( begin ) );
}

char *scene_name_beside( const char *from, const char *name ) {
	const size_t folder = (size_t)( behind_last_slash( from ) - from ), length = strlen( name );
	if ( dbvhi_os_is_absolute( name ) || strstr( name, "://" ) != NULL )
		return copy( name, length );
	char *made = malloc( folder + length + 1 );
	if ( made == NULL )
		return NULL;
	memcpy( made, from, folder );
	memcpy( made + folder, name, length + 1 );
	return made;
}

// The text behind `name` and a colon; NULL where the sentence does not begin so.
static const char *behind( const char *sentence, const char *name, size_t length ) {
	const bool begins = strncmp( sentence, name, length ) == 0 && strncmp( sentence + length, ": ", 2 ) == 0;
	return begins ? sentence + length + 2 : NULL;
}

const char *scene_without_name( const char *file, const char *sentence ) {
	const char *base = behind_last_slash( file ), *point = strrchr( base, '.' );
	const size_t stem = point != NULL && point > base ? (size_t)( point - base ) : strlen( base );
	const char *rest = behind( sentence, file, strlen( file ) );
	if ( rest == NULL )
		rest = behind( sentence, base, strlen( base ) );
	if ( rest == NULL )
		rest = behind( sentence, base, stem );
	return rest != NULL ? rest : sentence;
}
