// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The functions that the public headers declare: for tests whose tables must have all of them.

#pragma once

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef bool public_name_known( const char *name, size_t length );

// Every name that follows DBVH_API and comes before a parenthesis.
static inline size_t public_names_missing_in( const char *text, public_name_known *is_known ) {
	size_t missing = 0;
	while ( ( text = strstr( text, "\nDBVH_API " ) ) != NULL ) {
		text += 10;
		const char *name = strstr( text, "dbvh_" ), *end = strchr( text, '(' );
		// The type may be one of ours, too: the last name before the parenthesis.
		for ( const char *next = name; next != NULL && next < end; next = strstr( next + 1, "dbvh_" ) )
			name = next;
		size_t length = 0;
		while ( isalnum( (unsigned char)name[length] ) || name[length] == '_' )
			++length;
		if ( !is_known( name, length ) ) {
			printf( "not in the table: %.*s\n", (int)length, name );
			missing += 1;
		}
	}
	return missing;
}

// The same for all headers of a folder; SIZE_MAX if it has fewer than ten.
static inline size_t public_names_missing( const char *folder_name, public_name_known *is_known ) {
	static char text[1 << 20];
	DIR *const folder = opendir( folder_name );
	size_t headers = 0, missing = 0;
	for ( const struct dirent *e; folder != NULL && ( e = readdir( folder ) ) != NULL; ) {
		char path[1024];
		snprintf( path, sizeof path, "%s/%s", folder_name, e->d_name );
		FILE *const f = strstr( e->d_name, ".h" ) != NULL ? fopen( path, "rb" ) : NULL;
		if ( f == NULL )
			continue;
		text[fread( text, 1, sizeof text - 1, f )] = '\0';
		fclose( f );
		missing += public_names_missing_in( text, is_known );
		headers += 1;
	}
	if ( folder != NULL )
		closedir( folder );
	return headers >= 10 ? missing : SIZE_MAX;
}
