// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A small writer of JSON. Commas, quotes and escapes are its business; a missing close is the caller's mistake.

#pragma once

#include "dualbvh/interval.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
	FILE *file;
	int depth;
	bool started[16]; // by depth: something stands there already
	bool after_key, broken;
} json;

void json_open( json *j, char bracket );  // '{' or '['
void json_close( json *j, char bracket ); // '}' or ']'
void json_key( json *j, const char *key );
void json_text( json *j, const char *text ); // bytes that are no UTF-8 become U+FFFD
void json_count( json *j, uint64_t n );
void json_number( json *j, double x ); // the fewest digits, up to 17, that read back; null for NaN and infinity
void json_reals( json *j, const double *x, int count );
void json_bool( json *j, bool b );
void json_break( json *j ); // a line end before what comes next, for people who look

// A key and its value.
void json_put_count( json *j, const char *key, uint64_t n );
void json_put_real( json *j, const char *key, double x );
void json_put_reals( json *j, const char *key, const double *x, int count );
void json_put_interval( json *j, const char *key, dbvh_interval x ); // an array of its two ends
void json_put_string( json *j, const char *key, const char *text );
void json_put_bool( json *j, const char *key, bool b );
