// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// XML as it comes: a handler is told of each element. Names come without their namespace's prefix, text between
// elements is skipped unless the handler wants it. No file needs entities of its own, and with them a few lines can
// expand to gigabytes: a declaration of one ends the reading, as does nesting deeper than 256.

#pragma once

#include "model/refuse.h"

typedef struct scene_xml scene_xml;

// Readers number the places where an element may be; 0 is outside of all elements.
typedef struct scene_xml_handler {
	// An element in one whose place is `outer`: returns the place of what is in it. `attributes` are name, value, name,
	// value, ..., NULL.
	int ( *begin )( void *user, scene_xml *xml, int outer, const char *element, const char *const *attributes );
	// The end of the element of which begin() returned `place`; may be NULL.
	void ( *end )( void *user, scene_xml *xml, int place );
	void *user;
	// A piece of the text in an element of that place; one text may come in several. May be NULL.
	void ( *text )( void *user, scene_xml *xml, int place, const char *text, size_t length );
} scene_xml_handler;

// Reads all of it. Errors: MALFORMED with the line, what the handler refused with, OUT_OF_MEMORY; UNKNOWN_FORMAT in
// a build without expat.
dbvh_status scene_xml_read( const unsigned char *bytes, size_t count, const scene_xml_handler *handler,
                            dbvh_error *error );

// For handlers: ends the reading with a sentence, at the line where it is. The first one counts.
void scene_xml_refuse( scene_xml *xml, dbvh_status status, const char *format, ... ) SCENE_PRINTF_LIKE( 3, 4 );
bool scene_xml_has_failed( const scene_xml *xml );

int64_t scene_xml_line( const scene_xml *xml );

// The value of an attribute; NULL where there is none.
const char *scene_xml_get( const char *const *attributes, const char *name );

// The name behind its prefix.
const char *scene_xml_local( const char *name );

// `count` finite numbers with blanks between them, and nothing else.
bool scene_xml_reals( const char *text, double *out, int count );
