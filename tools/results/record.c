// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "results/record.h"

#include "text/npy.h"

#include <string.h>

static const struct {
	const char *descr;
	size_t size;
} types[] = { [RECORD_BOOL] = { "|b1", 1 },
              [RECORD_CODE] = { "|u1", 1 },
              [RECORD_COUNT] = { "<u8", 8 },
              [RECORD_INDEX] = { "<i8", 8 },
              [RECORD_REAL] = { "<f8", 8 } };

void record_add( record *r, const char *name, record_type type, int length, size_t at ) {
	if ( r->count < RECORD_MOST_FIELDS )
		r->fields[r->count++] = ( record_field ){ name, type, length, at };
}

size_t record_header( const record *r, uint64_t count, char out[RECORD_HEADER_ROOM] ) {
	char descr[RECORD_HEADER_ROOM] = "[";
	for ( int i = 0; i < r->count; ++i ) {
		const record_field *f = &r->fields[i];
		const size_t at = strlen( descr );
		char shape[24] = "";
		if ( f->length != 1 )
			snprintf( shape, sizeof shape, ", (%d,)", f->length );
		snprintf( descr + at, sizeof descr - at, "%s('%s', '%s'%s)%s", i > 0 ? " " : "", f->name, types[f->type].descr,
		          shape, i + 1 < r->count ? "," : "]" );
	}
	return npy_header( out, RECORD_HEADER_ROOM, descr, count );
}

size_t record_size( const record *r ) {
	size_t size = 0;
	for ( int i = 0; i < r->count; ++i )
		size += types[r->fields[i].type].size * (size_t)r->fields[i].length;
	return size;
}

static void write_number( record_type type, const void *from, FILE *file ) {
	uint64_t bits = 0;
	if ( type == RECORD_BOOL )
		bits = *(const bool *)from;
	else if ( type == RECORD_CODE )
		bits = *(const uint8_t *)from;
	else
		memcpy( &bits, from, sizeof bits );
	for ( size_t i = 0; i < types[type].size; ++i )
		putc( (int)( bits >> 8 * i & 0xFF ), file );
}

void record_write( const record *r, const void *row, FILE *file ) {
	for ( int i = 0; i < r->count; ++i ) {
		const record_field *f = &r->fields[i];
		const size_t step = f->type == RECORD_BOOL ? sizeof( bool ) : types[f->type].size;
		for ( int k = 0; k < f->length; ++k )
			write_number( f->type, (const char *)row + f->at + (size_t)k * step, file );
	}
}
