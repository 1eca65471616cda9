// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Poses in NumPy's arrays: n x 4 x 4 and n x 3 x 4 of matrices, n rows of the numbers that a line of text may have, or
// one pose alone.

#include "load/pose_intake.h"
#include "text/npy.h"
#include "text/reason.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Read the whole file; NULL after a sentence. Memory grows with the bytes that are there, not with what the header
// claims.
static unsigned char *read_bytes( const pose_intake *in, FILE *file, size_t *count ) {
	unsigned char *bytes = NULL;
	size_t room = 0;
	*count = 0;
	for ( ;; ) {
		if ( *count == room ) {
			room = room + room / 2 + 65536;
			unsigned char *grown = realloc( bytes, room );
			if ( grown == NULL ) {
				free( bytes );
				pose_refuse( in, "no memory for more than %zu bytes of it", *count );
				return NULL;
			}
			bytes = grown;
		}
		const size_t got = fread( bytes + *count, 1, room - *count, file );
		*count += got;
		if ( got == 0 )
			break;
	}
	if ( !ferror( file ) )
		return bytes;
	pose_refuse( in, "cannot be read: %s", reason_of( errno ) );
	free( bytes );
	return NULL;
}

// How many poses there are and how many numbers has each? False after a sentence.
static bool find_layout( const pose_intake *in, const npy_array *a, size_t *poses, size_t *numbers ) {
	const size_t *n = a->shape;
	const bool is_matrix = ( a->rank == 2 && n[1] == 4 && ( n[0] == 3 || n[0] == 4 ) );
	*poses = a->rank == 1 || is_matrix ? 1 : n[0];
	*numbers = is_matrix ? n[0] * 4 : a->rank == 1 ? n[0] : a->rank == 2 ? n[1] : 0;
	if ( a->rank == 3 && n[2] == 4 && ( n[1] == 3 || n[1] == 4 ) )
		*numbers = n[1] * 4;
	if ( *numbers == 7 || *numbers == 8 || *numbers == 12 || *numbers == 16 )
		return true;
	char shape[80] = "";
	for ( int i = 0; i < a->rank; ++i )
		snprintf( shape + strlen( shape ), sizeof shape - strlen( shape ), i > 0 ? " x %zu" : "%zu", n[i] );
	return pose_refuse( in,
	                    "the array is %s%s; poses are n x 4 x 4, n x 3 x 4, n x 12, n x 16, n x 7, n x 8 (with a time "
	                    "first), or one 4 x 4",
	                    shape, a->rank == 0 ? "a single number" : "" );
}

// Number j of pose i. Poses are the leading index, but for one alone; the rest goes by rows.
static double number_at( const npy_array *a, bool is_one, size_t i, size_t j ) {
	if ( a->rank == 3 )
		return npy_at( a, i, j / 4, j % 4 );
	if ( a->rank == 2 && is_one && a->shape[1] == 4 )
		return npy_at( a, j / 4, j % 4, 0 );
	return a->rank == 2 ? npy_at( a, i, j, 0 ) : npy_at( a, j, 0, 0 );
}

static bool take_all( pose_intake *in, const npy_array *a ) {
	size_t poses, numbers;
	if ( !find_layout( in, a, &poses, &numbers ) || ( in->format == POSES_AUTO && !pose_find_format( in, numbers ) ) ||
	     !pose_check_count( in, numbers ) )
		return false;
	in->is_array = true;
	for ( size_t i = 0; i < poses; ++i ) {
		double number[POSE_MOST_NUMBERS];
		for ( size_t j = 0; j < numbers; ++j ) {
			number[j] = number_at( a, poses == 1, i, j );
			if ( !isfinite( number[j] ) )
				return pose_refuse( in, "number %zu, %g, is not finite", j + 1, number[j] );
		}
		if ( !pose_take( in, number ) )
			return false;
	}
	return true;
}

bool pose_read_npy( pose_intake *in, FILE *file ) {
	size_t count;
	unsigned char *bytes = read_bytes( in, file, &count );
	if ( bytes == NULL )
		return false;
	npy_array array;
	dbvh_error error;
	bool good = npy_read( bytes, count, &array, &error );
	if ( !good )
		complain_of( in->name, &error );
	good = good && take_all( in, &array );
	free( bytes );
	return good;
}
