// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A record of a .npy file of results: which fields it has, and where they are in a struct of the command's own.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum record_type {
	RECORD_BOOL,  // bool
	RECORD_CODE,  // uint8_t
	RECORD_COUNT, // uint64_t
	RECORD_INDEX, // int64_t, -1 for none
	RECORD_REAL,  // double, NaN for none
} record_type;

typedef struct record_field {
	const char *name;
	record_type type;
	int length; // numbers of an array, 1 for a number alone
	size_t at;  // in the struct
} record_field;

enum { RECORD_MOST_FIELDS = 24 };

typedef struct record {
	record_field fields[RECORD_MOST_FIELDS];
	int count;
} record;

void record_add( record *r, const char *name, record_type type, int length, size_t at );

// The header of a file of `count` of them; its length, which depends on the record alone, or 0 where there is no room.
enum { RECORD_HEADER_ROOM = 4096 };
size_t record_header( const record *r, uint64_t count, char out[RECORD_HEADER_ROOM] );

size_t record_size( const record *r ); // bytes in the file
void record_write( const record *r, const void *row, FILE *file );
