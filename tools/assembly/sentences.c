// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/sentences.h"

#include "assembly/refuse.h"
#include "text/grow.h"
#include "text/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dbvh_pair scene_clash_triangles( const scene_findings *findings, const scene_clash *clash ) {
	const scene_model *model = &findings->assembly->model;
	return ( dbvh_pair ){ scene_triangle_number( model, clash->a, clash->first.a ),
	                      scene_triangle_number( model, clash->b, clash->first.b ) };
}

const char *scene_file_of( const scene_findings *findings, uint32_t body ) {
	return findings->assembly->files[findings->assembly->file_of[body]];
}

static char *SCENE_PRINTF_LIKE( 1, 2 ) print( const char *format, ... ) {
	va_list arguments;
	va_start( arguments, format );
	char *text = scene_print( format, arguments );
	va_end( arguments );
	return text;
}

// Six digits are enough for people.
static const char *length_text( double x, char text[REAL_ROOM] ) {
	snprintf( text, REAL_ROOM, "%.6g", x );
	return text;
}

static char *touch_sentence( const char *a, const char *b, const scene_clash *c ) {
	char number[REAL_ROOM];
	if ( c->exact == DBVH_RELATION_OVERLAPPING )
		return print( "%s and %s touch: they overlap by no more than is allowed for a touch", a, b );
	if ( c->exact == DBVH_RELATION_DISJOINT )
		return print( "%s and %s touch: they are %s apart, which is allowed for a touch", a, b,
		              length_text( c->distance, number ) );
	return print( "%s and %s touch", a, b );
}

char *scene_clash_sentence( const scene_findings *findings, const scene_clash *c ) {
	const char *a = scene_path( findings, c->a ), *b = scene_path( findings, c->b );
	char number[REAL_ROOM], other[REAL_ROOM];
	switch ( c->kind ) {
	case DBVH_CLASH_KIND_HARD:
		return print( "%s and %s overlap by at most %s", a, b, length_text( c->depth, number ) );
	case DBVH_CLASH_KIND_CONTAINMENT:
		return c->relation == DBVH_RELATION_B_IN_A ? print( "%s is inside %s", b, a )
		                                           : print( "%s is inside %s", a, b );
	case DBVH_CLASH_KIND_DUPLICATE:
		return print( "%s and %s are the same body twice", a, b );
	case DBVH_CLASH_KIND_TOUCH:
		return touch_sentence( a, b, c );
	case DBVH_CLASH_KIND_CLEARANCE:
		return print( "%s and %s are %s apart, less than %s", a, b, length_text( c->distance, number ),
		              length_text( c->clearance, other ) );
	default:
		return print(
		    "whether %s and %s overlap cannot be told: the surface of one is open where the other may be in it", a, b );
	}
}
