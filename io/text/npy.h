// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// NumPy's .npy files, versions 1.0, 2.0 and 3.0 (numpy.lib.format): arrays of float64 and float32 are read, from bytes
// in memory; for arrays that are written in a stream there is the header. Nothing here prints.

#pragma once

#include "dualbvh/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NPY_MAX_RANK = 3 };

typedef struct npy_array {
	int rank;                   // 0 to NPY_MAX_RANK
	size_t shape[NPY_MAX_RANK]; // 1 behind the rank
	size_t count;               // product of the shape
	const unsigned char *data;  // in the bytes that were read
	bool is_float32, is_big_endian, is_fortran_order;
} npy_array;

// Do the bytes begin as a .npy file does? The first byte of any such file is NPY_FIRST_BYTE, which begins no text.
enum { NPY_FIRST_BYTE = 0x93 };
bool npy_is( const unsigned char *bytes, size_t count );

// Takes no memory: what *array says stays in the bytes. They must be as many as the header promises. False after
// filling in *error, which may be NULL: DBVH_MALFORMED, DBVH_TRUNCATED, or DBVH_UNKNOWN_FORMAT where the array is sound
// but of other numbers, or of more dimensions.
bool npy_read( const unsigned char *bytes, size_t count, npy_array *array, dbvh_error *error );

// The number at [i], [i, j] or [i, j, k], which must be within the shape; unused indices are 0. May be infinite or NaN.
double npy_at( const npy_array *array, size_t i, size_t j, size_t k );

// Writes the header of a one-dimensional array of `count` records and returns its length, a multiple of 64 that does
// not depend on the count: a file that grows can have its header written again. `descr` is Python, as in "'<f8'" or
// "[('x', '<f8'), ('n', '<u4')]". 0 where `room` is too small for it or the format.
size_t npy_header( char *out, size_t room, const char *descr, uint64_t count );
