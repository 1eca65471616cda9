// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/json.h"

#include "text/number.h"
#include "text/utf8.h"

#include <inttypes.h>
#include <math.h>

static void end_line( json *j ) {
	if ( j->broken )
		fputc( '\n', j->file );
	j->broken = false;
}

static void begin_value( json *j ) {
	if ( j->after_key )
		j->after_key = false;
	else if ( j->started[j->depth] )
		fputc( ',', j->file );
	j->started[j->depth] = true;
	end_line( j );
}

void json_open( json *j, char bracket ) {
	begin_value( j );
	fputc( bracket, j->file );
	j->started[++j->depth] = false;
}

void json_close( json *j, char bracket ) {
	end_line( j );
	--j->depth;
	fputc( bracket, j->file );
}

void json_break( json *j ) {
	j->broken = true; // written behind the comma that may follow
}

static void write_string( json *j, const char *text ) {
	const unsigned char *s = (const unsigned char *)text;
	fputc( '"', j->file );
	while ( *s != '\0' ) {
		uint32_t code;
		const int n = utf8_sequence( (const char *)s, &code );
		if ( n == 0 )
			fputs( "\\ufffd", j->file );
		else if ( *s == '"' || *s == '\\' )
			fprintf( j->file, "\\%c", *s );
		else if ( utf8_is_control( code ) ) // all of them below 2^16; terminals show JSON, too
			fprintf( j->file, "\\u%04x", (unsigned)code );
		else
			fwrite( s, 1, (size_t)n, j->file );
		s += n > 0 ? n : 1;
	}
	fputc( '"', j->file );
}

void json_key( json *j, const char *key ) {
	begin_value( j );
	write_string( j, key );
	fputc( ':', j->file );
	j->after_key = true;
}

void json_text( json *j, const char *text ) {
	begin_value( j );
	write_string( j, text );
}

void json_count( json *j, uint64_t n ) {
	begin_value( j );
	fprintf( j->file, "%" PRIu64, n );
}

void json_number( json *j, double x ) {
	begin_value( j );
	if ( !isfinite( x ) ) {
		fputs( "null", j->file );
		return;
	}
	char text[REAL_ROOM];
	fputs( real_text( x, text ), j->file );
}

void json_reals( json *j, const double *x, int count ) {
	json_open( j, '[' );
	for ( int i = 0; i < count; ++i )
		json_number( j, x[i] );
	json_close( j, ']' );
}

void json_put_count( json *j, const char *key, uint64_t n ) {
	json_key( j, key );
	json_count( j, n );
}

void json_put_real( json *j, const char *key, double x ) {
	json_key( j, key );
	json_number( j, x );
}

void json_put_reals( json *j, const char *key, const double *x, int count ) {
	json_key( j, key );
	json_reals( j, x, count );
}

void json_put_interval( json *j, const char *key, dbvh_interval x ) {
	const double ends[2] = { x.lower, x.upper };
	json_put_reals( j, key, ends, 2 );
}

void json_put_string( json *j, const char *key, const char *text ) {
	json_key( j, key );
	json_text( j, text );
}

void json_put_bool( json *j, const char *key, bool b ) {
	json_key( j, key );
	json_bool( j, b );
}

void json_bool( json *j, bool b ) {
	begin_value( j );
	fputs( b ? "true" : "false", j->file );
}
