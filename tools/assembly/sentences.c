// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "assembly/sentences.h"

#include "assembly/ways.h"
#include "model/refuse.h"
#include "text/grow.h"
#include "text/measure.h"
#include "text/number.h"

#include <math.h>
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

static void say( char *text, size_t room, const char *format, ... ) SCENE_PRINTF_LIKE( 3, 4 );
static void say( char *text, size_t room, const char *format, ... ) {
	const size_t length = strlen( text );
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text + length, room - length, format, arguments );
	va_end( arguments );
}

char *scene_measures_text( const scene_findings *findings, const scene_clash *c ) {
	const scene_overlap *o = &c->overlap;
	const double metres = findings->assembly->model.metres;
	char number[MEASURE_ROOM], text[4 * MEASURE_ROOM] = "";
	if ( o->has_depth )
		say( text, sizeof text, ", %s deep", measure_text( o->depth, metres, 1, number ) );
	if ( scene_knows_volume( o ) && o->volume.upper > 0.0 )
		say( text, sizeof text, ", %s%s", *measure_unit( metres ) == '\0' ? "volume " : "",
		     measure_text( o->volume, metres, 3, number ) );
	if ( o->type != NULL && c->kind != DBVH_CLASH_KIND_DUPLICATE )
		say( text, sizeof text, ", %s", o->type );
	return print( "%s", text[0] != '\0' ? text + 2 : "" );
}

// "a and b overlap: 0.3 mm deep, 12.4 mm3, protrusion".
static char *with_measures( const scene_findings *f, const scene_clash *c, char *sentence ) {
	char *measures = scene_measures_text( f, c ), *made = NULL;
	if ( sentence != NULL && measures != NULL )
		made = *measures != '\0' ? print( "%s: %s", sentence, measures ) : print( "%s", sentence );
	free( sentence );
	free( measures );
	return made;
}

static void say_limit( char *text, size_t room, double limit, double metres, int power, const char *what ) {
	char number[MEASURE_ROOM];
	if ( limit > 0.0 )
		say( text, room, "%s%s%s", *text != '\0' ? " and " : "",
		     measure_text( ( dbvh_interval ){ limit, limit }, metres, power, number ), what );
}

// The limits of a fit: "0.05 mm deep and 3 mm3".
static char *limits_text( const scene_findings *f, const scene_overlap *o ) {
	const double metres = f->assembly->model.metres;
	char text[3 * MEASURE_ROOM] = "";
	say_limit( text, sizeof text, o->allowed_depth, metres, 1, " deep" );
	say_limit( text, sizeof text, o->allowed_volume, metres, 3, "" );
	return print( "%s", text );
}

// The sentence about a pair that fits, or whose fit cannot be told.
static char *fit_sentence( const scene_findings *f, const scene_clash *c ) {
	const char *a = scene_path( f, c->a ), *b = scene_path( f, c->b );
	char *limits = limits_text( f, &c->overlap ), *made = NULL;
	if ( limits != NULL )
		made = c->kind == DBVH_CLASH_KIND_FIT
		           ? print( "%s and %s fit, with %s allowed", a, b, limits )
		           : print( "whether %s and %s fit cannot be told, with %s allowed", a, b, limits );
	free( limits );
	return with_measures( f, c, made );
}

static char *touch_sentence( const scene_findings *f, const scene_clash *c ) {
	const char *a = scene_path( f, c->a ), *b = scene_path( f, c->b );
	char number[REAL_ROOM];
	if ( c->exact == DBVH_RELATION_OVERLAPPING )
		return with_measures(
		    f, c, print( "%s and %s touch, since they overlap by no more than is allowed for a touch", a, b ) );
	if ( c->exact == DBVH_RELATION_DISJOINT )
		return print( "%s and %s touch: they are %s apart, which is allowed for a touch", a, b,
		              length_text( c->distance, number ) );
	return print( "%s and %s touch", a, b );
}

// Say which body is in whose way. Where a pattern of the rule names both, the one with the lesser path is said to go:
// the other one comes as near to it.
static char *way_sentence( const scene_findings *f, const scene_clash *c ) {
	const scene_body *a = &f->assembly->model.bodies[c->a], *b = &f->assembly->model.bodies[c->b];
	const scene_way *way = &c->rule->way;
	const bool is_b = scene_way_goers( c->rule, a, b ) == 2;
	const char *goer = is_b ? b->path : a->path, *other = is_b ? a->path : b->path;
	char number[REAL_ROOM], whole[REAL_ROOM];
	if ( way->kind == SCENE_WAY_TURN )
		return print( "%s is in the swing of %s: free are %.4g of %.4g degrees", other, goer,
		              c->distance / c->clearance * fabs( way->angle ) * 57.295779513082323,
		              fabs( way->angle ) * 57.295779513082323 );
	return print( "%s is in the way of %s: free are %s of %s in the direction %.4g %.4g %.4g", other, goer,
	              length_text( c->distance, number ), length_text( c->clearance, whole ), way->axis[0], way->axis[1],
	              way->axis[2] );
}

static char *plain_sentence( const scene_findings *findings, const scene_clash *c ) {
	const char *a = scene_path( findings, c->a ), *b = scene_path( findings, c->b );
	char number[REAL_ROOM], other[REAL_ROOM];
	switch ( c->kind ) {
	case DBVH_CLASH_KIND_HARD:
		return with_measures( findings, c, print( "%s and %s overlap", a, b ) );
	case DBVH_CLASH_KIND_CONTAINMENT:
		return with_measures( findings, c,
		                      c->relation == DBVH_RELATION_B_IN_A ? print( "%s is inside %s", b, a )
		                                                          : print( "%s is inside %s", a, b ) );
	case DBVH_CLASH_KIND_DUPLICATE:
		return with_measures( findings, c, print( "%s and %s are the same body twice", a, b ) );
	case DBVH_CLASH_KIND_FIT:
		return fit_sentence( findings, c );
	case DBVH_CLASH_KIND_TOUCH:
		return touch_sentence( findings, c );
	case DBVH_CLASH_KIND_CLEARANCE:
		if ( c->rule != NULL && c->rule->way.kind != SCENE_WAY_NONE )
			return way_sentence( findings, c );
		return print( "%s and %s are %s apart, less than %s", a, b, length_text( c->distance, number ),
		              length_text( c->clearance, other ) );
	default:
		if ( c->relation != DBVH_RELATION_UNDECIDABLE )
			return fit_sentence( findings, c );
		return print(
		    "whether %s and %s overlap cannot be told: the surface of one is open where the other may be in it", a, b );
	}
}

char *scene_clash_sentence( const scene_findings *findings, const scene_clash *c ) {
	const scene_severity severity = scene_severity_of( c );
	char *plain = plain_sentence( findings, c );
	if ( plain == NULL || severity == SCENE_MAJOR || c->kind == DBVH_CLASH_KIND_FIT )
		return plain;
	char *made = print( "%s: %s", scene_severity_word( severity ), plain );
	free( plain );
	return made;
}
