// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "report/archive.h"

#include <string.h>
#include <time.h>

enum {
	MOST_ENTRIES = 65535,
	EFFORT = 3,
	VERSION = 20,  // of the reader that it needs: deflate, folders
	UNIX = 3 << 8, // system of the permissions in the directory
	STORED = 0,
	DEFLATED = 8
};

static void put_u16( bytes *out, uint32_t x ) {
	bytes_byte( out, x & 255 );
	bytes_byte( out, x >> 8 & 255 );
}

// The years are 1980 to 2107, two seconds a step.
static uint32_t dos_date( int64_t now ) {
	const time_t seconds = (time_t)now;
	struct tm t;
	if ( gmtime_r( &seconds, &t ) == NULL || t.tm_year < 80 )
		t = ( struct tm ){ .tm_year = 80, .tm_mday = 1 };
	if ( t.tm_year > 207 )
		t = ( struct tm ){ .tm_year = 207, .tm_mon = 11, .tm_mday = 31 };
	return (uint32_t)( t.tm_year - 80 ) << 25 | (uint32_t)( t.tm_mon + 1 ) << 21 | (uint32_t)t.tm_mday << 16 |
	       (uint32_t)t.tm_hour << 11 | (uint32_t)t.tm_min << 5 | (uint32_t)t.tm_sec / 2;
}

void archive_begin( archive *a, FILE *file, int64_t now ) {
	*a = ( archive ){ .file = file, .date = dos_date( now ) };
}

typedef struct entry {
	const char *name;
	uint32_t method, crc, size, packed_size;
} entry;

// Fields that the local header and the central directory share.
static void put_entry( const archive *a, const entry *e, bytes *out ) {
	put_u16( out, VERSION );
	put_u16( out, 0 ); // flags
	put_u16( out, e->method );
	bytes_u32( out, a->date );
	bytes_u32( out, e->crc );
	bytes_u32( out, e->packed_size );
	bytes_u32( out, e->size );
	put_u16( out, (uint32_t)strlen( e->name ) );
	put_u16( out, 0 ); // further fields
}

static void list( archive *a, const entry *e ) {
	bytes *out = &a->directory;
	const bool is_folder = e->name[strlen( e->name ) - 1] == '/';
	bytes_u32( out, 0x02014B50 );
	put_u16( out, UNIX | VERSION );
	put_entry( a, e, out );
	put_u16( out, 0 ); // comment
	put_u16( out, 0 ); // disk
	put_u16( out, 0 ); // no text
	bytes_u32( out, is_folder ? 040755u << 16 | 16 : 0100644u << 16 );
	bytes_u32( out, (uint32_t)a->size );
	bytes_put( out, e->name, strlen( e->name ) );
	++a->entry_count;
}

static void put( archive *a, const void *from, size_t count ) {
	if ( count > 0 )
		fwrite( from, 1, count, a->file );
	a->size += count;
}

void archive_add( archive *a, const char *name, const void *from, size_t count, bool is_packed ) {
	bytes head = { 0 }, packed = { 0 };
	const bool deflates = !is_packed && count > 0;
	a->has_failed |= count > UINT32_MAX || a->entry_count == MOST_ENTRIES;
	a->has_failed |= deflates && !a->has_failed && !bytes_deflate( from, count, EFFORT, &packed );
	const size_t size = deflates ? packed.count : count;
	a->has_failed |= a->size + size + strlen( name ) + a->directory.count + 256 > UINT32_MAX;
	if ( !a->has_failed ) {
		const entry e = { name, deflates ? DEFLATED : STORED, bytes_crc32( from, count ), (uint32_t)count,
		                  (uint32_t)size };
		bytes_u32( &head, 0x04034B50 );
		put_entry( a, &e, &head );
		bytes_put( &head, name, strlen( name ) );
		list( a, &e );
		a->has_failed |= head.has_failed || a->directory.has_failed;
	}
	if ( !a->has_failed ) {
		put( a, head.at, head.count );
		put( a, deflates ? packed.at : from, size );
	}
	bytes_free( &head );
	bytes_free( &packed );
}

bool archive_end( archive *a ) {
	bytes tail = { 0 };
	const uint64_t begin = a->size;
	put( a, a->directory.at, a->directory.count );
	bytes_u32( &tail, 0x06054B50 );
	bytes_u32( &tail, 0 ); // disks
	put_u16( &tail, a->entry_count );
	put_u16( &tail, a->entry_count );
	bytes_u32( &tail, (uint32_t)a->directory.count );
	bytes_u32( &tail, (uint32_t)begin );
	put_u16( &tail, 0 ); // comment
	put( a, tail.at, tail.count );
	const bool ok = !a->has_failed && !tail.has_failed && !a->directory.has_failed;
	bytes_free( &tail );
	bytes_free( &a->directory );
	return ok;
}
