// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/npy.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const unsigned char magic[6] = { NPY_FIRST_BYTE, 'N', 'U', 'M', 'P', 'Y' };

enum {
	PREAMBLE = 10,         // magic, version and length of a header of version 1.0
	MOST_HEADER = 1 << 16, // no array of numbers has a longer one
	DESCR_SHOWN = 40,      // characters of a dtype in a sentence
};

// The dictionary in the header, while it is read.
typedef struct reader {
	const unsigned char *bytes; // whole file
	size_t at, end;             // in the dictionary
	npy_array *array;
	dbvh_error *error;
} reader;

#if defined( __GNUC__ )
__attribute__( ( format( printf, 3, 4 ) ) )
#endif
static bool
refuse( const reader *r, dbvh_status status, const char *format, ... ) {
	if ( r->error == NULL )
		return false;
	*r->error = ( dbvh_error ){ .status = status, .byte = (int64_t)r->at, .element = -1 };
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( r->error->text, sizeof r->error->text, format, arguments );
	va_end( arguments );
	return false;
}

static bool malformed( const reader *r ) {
	return refuse( r, DBVH_MALFORMED, "the .npy header is not what numpy.save writes" );
}

static size_t little_endian( const unsigned char *bytes, int count ) {
	size_t x = 0;
	for ( int i = count; i-- > 0; )
		x = x << 8 | bytes[i];
	return x;
}

bool npy_is( const unsigned char *bytes, size_t count ) {
	return count >= sizeof magic && memcmp( bytes, magic, sizeof magic ) == 0;
}

// ------------------------------------------------------------------------------------------------
// The dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }

static void skip_blanks( reader *r ) {
	while ( r->at < r->end && ( r->bytes[r->at] == ' ' || r->bytes[r->at] == '\n' ) )
		++r->at;
}

static char peek( reader *r ) {
	skip_blanks( r );
	return r->at < r->end ? (char)r->bytes[r->at] : '\0';
}

static bool take( reader *r, char c ) {
	if ( peek( r ) != c )
		return false;
	++r->at;
	return true;
}

static bool take_word( reader *r, const char *word ) {
	const size_t length = strlen( word );
	skip_blanks( r );
	if ( r->end - r->at < length || memcmp( r->bytes + r->at, word, length ) != 0 )
		return false;
	r->at += length;
	return true;
}

// A string without escapes; *text is not terminated.
static bool take_string( reader *r, const char **text, size_t *length ) {
	const char quote = peek( r );
	if ( quote != '\'' && quote != '"' )
		return false;
	const size_t begin = ++r->at;
	while ( r->at < r->end && (char)r->bytes[r->at] != quote && r->bytes[r->at] != '\\' )
		++r->at;
	if ( r->at == r->end || (char)r->bytes[r->at] != quote )
		return false;
	*text = (const char *)r->bytes + begin;
	*length = r->at++ - begin;
	return true;
}

static int shown( size_t length ) {
	return length < DESCR_SHOWN ? (int)length : DESCR_SHOWN;
}

// [('x', '<f8'), ...]: named in the sentence by its first field.
static bool refuse_structured( reader *r ) {
	const char *name;
	size_t length;
	if ( take( r, '[' ) && take( r, '(' ) && take_string( r, &name, &length ) )
		return refuse( r, DBVH_UNKNOWN_FORMAT,
		               "the array has a structured dtype, with a field '%.*s'; it must be of plain float64 or float32",
		               shown( length ), name );
	return malformed( r );
}

static bool read_descr( reader *r ) {
	if ( peek( r ) == '[' )
		return refuse_structured( r );
	const char *text;
	size_t length;
	if ( !take_string( r, &text, &length ) )
		return malformed( r );
	const bool is_known =
	    length == 3 && ( text[0] == '<' || text[0] == '>' ) && text[1] == 'f' && ( text[2] == '8' || text[2] == '4' );
	if ( !is_known )
		return refuse( r, DBVH_UNKNOWN_FORMAT, "the array is of dtype '%.*s'; it must be of float64 or float32",
		               shown( length ), text );
	r->array->is_big_endian = text[0] == '>';
	r->array->is_float32 = text[2] == '4';
	return true;
}

static bool read_order( reader *r ) {
	r->array->is_fortran_order = take_word( r, "True" );
	return r->array->is_fortran_order || take_word( r, "False" ) || malformed( r );
}

static bool read_length( reader *r, size_t *out ) {
	const char first = peek( r );
	if ( first < '0' || first > '9' )
		return malformed( r );
	for ( *out = 0; r->at < r->end && r->bytes[r->at] >= '0' && r->bytes[r->at] <= '9'; ++r->at ) {
		const size_t digit = r->bytes[r->at] - (size_t)'0';
		if ( *out > ( SIZE_MAX - digit ) / 10 )
			return refuse( r, DBVH_TRUNCATED, "the shape is larger than any file" );
		*out = *out * 10 + digit;
	}
	if ( r->at < r->end && r->bytes[r->at] == 'L' ) // a suffix of Python 2
		++r->at;
	return true;
}

static bool read_shape( reader *r ) {
	npy_array *a = r->array;
	bool comma = true; // behind the last length; one alone needs it
	if ( !take( r, '(' ) )
		return malformed( r );
	while ( !take( r, ')' ) ) {
		if ( !comma )
			return malformed( r );
		if ( a->rank == NPY_MAX_RANK )
			return refuse( r, DBVH_UNKNOWN_FORMAT, "the array has more than %d dimensions", NPY_MAX_RANK );
		if ( !read_length( r, &a->shape[a->rank++] ) )
			return false;
		comma = take( r, ',' );
	}
	return a->rank != 1 || comma || malformed( r );
}

static const struct {
	const char *name;
	bool ( *read )( reader * );
} keys[] = { { "descr", read_descr }, { "fortran_order", read_order }, { "shape", read_shape } };
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

static bool read_key( reader *r, unsigned *seen ) {
	const char *name;
	size_t length;
	if ( !take_string( r, &name, &length ) || !take( r, ':' ) )
		return malformed( r );
	for ( int i = 0; i < KEY_COUNT; ++i ) {
		if ( strlen( keys[i].name ) != length || memcmp( keys[i].name, name, length ) != 0 )
			continue;
		if ( ( *seen >> i & 1 ) != 0 )
			break;
		*seen |= 1u << i;
		return keys[i].read( r );
	}
	return malformed( r );
}

static bool read_dictionary( reader *r ) {
	unsigned seen = 0;
	bool comma = true;
	if ( !take( r, '{' ) )
		return malformed( r );
	while ( !take( r, '}' ) ) {
		if ( !comma )
			return malformed( r );
		if ( !read_key( r, &seen ) )
			return false;
		comma = take( r, ',' );
	}
	skip_blanks( r );
	return ( seen == ( 1u << KEY_COUNT ) - 1 && r->at == r->end ) || malformed( r );
}

// ------------------------------------------------------------------------------------------------
// The file

// Finds where the dictionary is.
static bool read_preamble( reader *r, size_t count ) {
	if ( !npy_is( r->bytes, count ) )
		return refuse( r, DBVH_UNKNOWN_FORMAT, "this is no .npy file" );
	if ( count < PREAMBLE )
		return refuse( r, DBVH_TRUNCATED, "the file ends in its header" );
	const unsigned char major = r->bytes[6], minor = r->bytes[7];
	if ( major < 1 || major > 3 || minor != 0 )
		return refuse( r, DBVH_UNKNOWN_FORMAT, "this is .npy version %d.%d; 1.0, 2.0 and 3.0 are known", major, minor );
	const int width = major == 1 ? 2 : 4;
	if ( count < 8 + (size_t)width )
		return refuse( r, DBVH_TRUNCATED, "the file ends in its header" );
	r->at = 8 + (size_t)width;
	const size_t length = little_endian( r->bytes + 8, width );
	if ( length > MOST_HEADER )
		return refuse( r, DBVH_MALFORMED, "the .npy header claims to have %zu bytes", length );
	if ( length > count - r->at )
		return refuse( r, DBVH_TRUNCATED, "the file ends in its header" );
	r->end = r->at + length;
	return true;
}

// Sets shape and count of the array to what the header says, if that is as much as there is.
static bool check_size( reader *r, size_t count ) {
	npy_array *a = r->array;
	const size_t width = a->is_float32 ? 4 : 8, there = count - r->end;
	bool is_empty = false, is_too_large = false;
	for ( int i = a->rank; i < NPY_MAX_RANK; ++i )
		a->shape[i] = 1;
	for ( int i = 0; i < NPY_MAX_RANK; ++i )
		is_empty = is_empty || a->shape[i] == 0;
	a->count = is_empty ? 0 : 1;
	for ( int i = 0; i < NPY_MAX_RANK && !is_empty && !is_too_large; ++i ) {
		is_too_large = a->shape[i] > SIZE_MAX / width / a->count;
		a->count *= is_too_large ? 1 : a->shape[i];
	}
	if ( is_too_large || a->count * width > there )
		return refuse( r, DBVH_TRUNCATED, "the shape promises more numbers than the %zu bytes behind the header",
		               there );
	if ( a->count * width < there )
		return refuse( r, DBVH_MALFORMED, "there are %zu bytes behind the array", there - a->count * width );
	a->data = r->bytes + r->end;
	return true;
}

bool npy_read( const unsigned char *bytes, size_t count, npy_array *array, dbvh_error *error ) {
	*array = ( npy_array ){ 0 };
	if ( error != NULL )
		*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	reader r = { .bytes = bytes, .array = array, .error = error };
	return read_preamble( &r, count ) && read_dictionary( &r ) && check_size( &r, count );
}

double npy_at( const npy_array *a, size_t i, size_t j, size_t k ) {
	const size_t at =
	    a->is_fortran_order ? i + a->shape[0] * ( j + a->shape[1] * k ) : ( i * a->shape[1] + j ) * a->shape[2] + k;
	const size_t width = a->is_float32 ? 4 : 8;
	const unsigned char *bytes = a->data + at * width;
	uint64_t bits = 0;
	for ( size_t b = 0; b < width; ++b )
		bits = bits << 8 | bytes[a->is_big_endian ? b : width - 1 - b];
	if ( a->is_float32 ) {
		const uint32_t half = (uint32_t)bits;
		float x;
		memcpy( &x, &half, sizeof x );
		return x;
	}
	double x;
	memcpy( &x, &bits, sizeof x );
	return x;
}

size_t npy_header( char *out, size_t room, const char *descr, uint64_t count ) {
	// The count has all the room that a count can need, as NumPy leaves it too.
	enum { MOST_DIGITS = 20 };
	char digits[MOST_DIGITS + 1];
	const int digit_count = snprintf( digits, sizeof digits, "%" PRIu64, count );
	const int length = snprintf( out, room, "%.6s%c%c--{'descr': %s, 'fortran_order': False, 'shape': (%s,), }%*s",
	                             (const char *)magic, 1, 0, descr, digits, MOST_DIGITS - digit_count, "" );
	if ( length < 0 )
		return 0;
	const size_t whole = ( (size_t)length + 1 + 63 ) / 64 * 64; // and the line end
	if ( whole > room || whole - PREAMBLE >= MOST_HEADER )
		return 0;
	memset( out + length, ' ', whole - (size_t)length );
	out[whole - 1] = '\n';
	out[8] = (char)( ( whole - PREAMBLE ) & 0xFF );
	out[9] = (char)( ( whole - PREAMBLE ) >> 8 );
	return whole;
}
