// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "formats/xml.h"

#include "model/refuse.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 256 };

const char *scene_xml_local( const char *name ) {
	const char *colon = strrchr( name, ':' );
	return colon != NULL ? colon + 1 : name;
}

const char *scene_xml_get( const char *const *attributes, const char *name ) {
	for ( const char *const *a = attributes; *a != NULL; a += 2 )
		if ( strcmp( a[0], name ) == 0 )
			return a[1];
	for ( const char *const *a = attributes; *a != NULL; a += 2 )
		if ( strcmp( scene_xml_local( a[0] ), name ) == 0 )
			return a[1];
	return NULL;
}

static const char blanks[] = " \t\r\n";

bool scene_xml_reals( const char *text, double *out, int count ) {
	for ( int i = 0; i < count; ++i ) {
		text += strspn( text, blanks );
		const size_t length = strcspn( text, blanks );
		char *end;
		// strtod also takes hexadecimal, which is a mistake here.
		if ( length == 0 || memchr( text, 'x', length ) != NULL || memchr( text, 'X', length ) != NULL )
			return false;
		out[i] = strtod( text, &end );
		if ( end != text + length || !isfinite( out[i] ) )
			return false;
		text = end;
	}
	return text[strspn( text, blanks )] == '\0';
}

#ifdef DUALBVH_WITH_EXPAT

#include <expat.h>

struct scene_xml {
	XML_Parser parser;
	const scene_xml_handler *handler;
	dbvh_error *error;
	int depth;
	int places[MOST_DEPTH + 1]; // place of the document, then of each open element
	bool failed;
};

// Expat 2.9 deprecates the function whose result has the size of a long.
static int64_t line_of( XML_Parser parser ) {
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
	return (int64_t)XML_GetCurrentLineNumber64( parser );
#else
	return (int64_t)XML_GetCurrentLineNumber( parser );
#endif
}

static void refuse( scene_xml *xml, dbvh_status status, const char *format, va_list arguments ) {
	if ( xml->failed )
		return;
	xml->failed = true;
	*xml->error = ( dbvh_error ){ .status = status, .line = line_of( xml->parser ), .byte = -1, .element = -1 };
	vsnprintf( xml->error->text, sizeof xml->error->text, format, arguments );
	XML_StopParser( xml->parser, XML_FALSE );
}

void scene_xml_refuse( scene_xml *xml, dbvh_status status, const char *format, ... ) {
	va_list arguments;
	va_start( arguments, format );
	refuse( xml, status, format, arguments );
	va_end( arguments );
}

bool scene_xml_has_failed( const scene_xml *xml ) {
	return xml->failed;
}

int64_t scene_xml_line( const scene_xml *xml ) {
	return line_of( xml->parser );
}

static void XMLCALL on_begin( void *user, const XML_Char *name, const XML_Char **attributes ) {
	scene_xml *xml = user;
	if ( xml->failed )
		return;
	if ( ++xml->depth > MOST_DEPTH )
		scene_xml_refuse( xml, DBVH_LIMIT, "elements are nested more than %d deep", MOST_DEPTH );
	else
		xml->places[xml->depth] = xml->handler->begin( xml->handler->user, xml, xml->places[xml->depth - 1],
		                                               scene_xml_local( name ), (const char *const *)attributes );
}

static void XMLCALL on_end( void *user, const XML_Char *name ) {
	(void)name;
	scene_xml *xml = user;
	if ( xml->failed )
		return;
	const int place = xml->places[xml->depth--];
	if ( xml->handler->end != NULL )
		xml->handler->end( xml->handler->user, xml, place );
}

static void XMLCALL on_text( void *user, const XML_Char *text, int length ) {
	scene_xml *xml = user;
	if ( !xml->failed )
		xml->handler->text( xml->handler->user, xml, xml->places[xml->depth], text, (size_t)length );
}

static void XMLCALL on_entity( void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                               const XML_Char *base, const XML_Char *system, const XML_Char *public,
                               const XML_Char *notation ) {
	(void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
	scene_xml_refuse( user, DBVH_MALFORMED, "the entity '%.60s' is declared here; such declarations are not taken",
	                  name );
}

static bool feed( scene_xml *xml, const unsigned char *bytes, size_t count ) {
	const size_t piece = (size_t)1 << 30; // the length of a piece is an int
	for ( ;; ) {
		const size_t now = count < piece ? count : piece;
		if ( XML_Parse( xml->parser, (const char *)bytes, (int)now, now == count ) != XML_STATUS_OK )
			return false;
		if ( now == count )
			return true;
		bytes += now;
		count -= now;
	}
}

dbvh_status scene_xml_read( const unsigned char *bytes, size_t count, const scene_xml_handler *handler,
                            dbvh_error *error ) {
	dbvh_error local;
	error = error != NULL ? error : &local;
	scene_xml xml = { .parser = XML_ParserCreate( NULL ), .handler = handler, .error = error };
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	if ( xml.parser == NULL )
		return scene_refuse_memory( error );
	XML_SetUserData( xml.parser, &xml );
	XML_SetElementHandler( xml.parser, on_begin, on_end );
	XML_SetEntityDeclHandler( xml.parser, on_entity );
	if ( handler->text != NULL )
		XML_SetCharacterDataHandler( xml.parser, on_text );
	if ( !feed( &xml, bytes, count ) && !xml.failed ) {
		const enum XML_Error code = XML_GetErrorCode( xml.parser );
		const bool memory = code == XML_ERROR_NO_MEMORY;
		const bool cut = code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN ||
		                 code == XML_ERROR_UNCLOSED_CDATA_SECTION;
		scene_xml_refuse( &xml,
		                  memory ? DBVH_OUT_OF_MEMORY
		                  : cut  ? DBVH_TRUNCATED
		                         : DBVH_MALFORMED,
		                  "this is not sound XML: %s", XML_ErrorString( code ) );
	}
	XML_ParserFree( xml.parser );
	return error->status;
}

#else

struct scene_xml {
	int nothing;
};

void scene_xml_refuse( scene_xml *xml, dbvh_status status, const char *format, ... ) {
	(void)xml, (void)status, (void)format;
}

bool scene_xml_has_failed( const scene_xml *xml ) {
	(void)xml;
	return true;
}

int64_t scene_xml_line( const scene_xml *xml ) {
	(void)xml;
	return 0;
}

dbvh_status scene_xml_read( const unsigned char *bytes, size_t count, const scene_xml_handler *handler,
                            dbvh_error *error ) {
	(void)bytes, (void)count, (void)handler;
	return scene_refuse_without( error, "expat", "XML: URDF, SRDF, 3MF and BCF" );
}

#endif
