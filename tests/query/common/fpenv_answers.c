// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "fpenv_answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put( answers *out, uint64_t x ) {
	uint64_t *const hash = &out->list[out->count - 1].hash;
	*hash = ( *hash ^ x ) * UINT64_C( 0x9e3779b97f4a7c15 );
	*hash ^= *hash >> 29;
}

void put_doubles( answers *out, const double *x, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		uint64_t bits;
		memcpy( &bits, x + i, sizeof bits );
		put( out, bits );
	}
}

void put_bytes( answers *out, const void *bytes, size_t count ) {
	const unsigned char *p = bytes;
	put( out, count );
	for ( ; count >= 8; count -= 8, p += 8 ) {
		uint64_t eight;
		memcpy( &eight, p, sizeof eight );
		put( out, eight );
	}
	for ( size_t i = 0; i < count; ++i )
		put( out, p[i] );
}

void put_pose( answers *out, const dbvh_pose *pose ) {
	put_doubles( out, &pose->rot[0][0], 9 );
	put_doubles( out, pose->pos, 3 );
}

void open_answer( answers *out, const char *text, uint64_t status ) {
	if ( out->count == MOST_ANSWERS || ( out->is_restored != NULL && !out->is_restored() ) ) {
		fprintf( stderr, "%s: %s\n", text,
		         out->count == MOST_ANSWERS ? "too many answers" : "the mode is not restored" );
		exit( 1 );
	}
	out->list[out->count++] = ( answer ){ text, 1 };
	put( out, status );
}
