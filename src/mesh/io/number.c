// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "mesh/io/number.h"

#include "base/assert.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// No double and no midpoint of two neighbouring doubles has more significant digits than this; beyond it only matters
// whether anything but zeros follows (one sticky digit).
#define DIGITS_KEPT 780

// Exponents are clamped here, far beyond what the digits of any file could make up for.
#define EXPONENT_CLAMP INT64_C( 1000000000000000 )

static bool is_digit( char c ) {
	return c >= '0' && c <= '9';
}

static char lower( char c ) {
	return c >= 'A' && c <= 'Z' ? (char)( c - 'A' + 'a' ) : c;
}

static bool equals( const char *text, size_t length, const char *word ) {
	if ( length != strlen( word ) )
		return false;
	for ( size_t i = 0; i < length; ++i )
		if ( lower( text[i] ) != word[i] )
			return false;
	return true;
}

// Recognise how printf of various C libraries writes numbers that are not finite, after the sign.
static bool is_not_finite_text( const char *text, size_t length ) {
	if ( equals( text, length, "inf" ) || equals( text, length, "infinity" ) || equals( text, length, "nan" ) )
		return true;
	if ( length > 4 && equals( text, 4, "nan(" ) )
		return true;
	return length > 3 && equals( text, 3, "1.#" );
}

// A decimal taken apart: digits (with at most one point among them) times 10 to the power of `exponent`.
typedef struct decimal {
	const char *digits, *digits_end;
	int64_t exponent;    // counts from the last digit, as if there were no point
	uint64_t leading;    // the value of the digits if there are at most 19 significant ones
	int64_t significant; // their number, without leading zeros
	bool negative;
} decimal;

static bool read_exponent( const char *at, const char *end, int64_t *exponent ) {
	DBVHI_ASSERT( at <= end );
	bool negative = false;
	if ( at < end && ( *at == '+' || *at == '-' ) )
		negative = *at++ == '-';
	if ( at == end )
		return false;
	int64_t value = 0;
	for ( ; at < end; ++at ) {
		if ( !is_digit( *at ) )
			return false;
		if ( value < EXPONENT_CLAMP )
			value = 10 * value + ( *at - '0' );
	}
	*exponent += negative ? -value : value;
	return true;
}

static bool take_apart( const char *at, const char *end, decimal *d ) {
	DBVHI_ASSERT( at <= end );
	*d = ( decimal ){ .digits = at };
	bool any = false;
	for ( ; at < end && is_digit( *at ); ++at ) {
		any = true;
		if ( d->significant > 0 || *at != '0' )
			d->significant += 1;
		d->leading = 10 * d->leading + (uint64_t)( *at - '0' );
	}
	if ( at < end && *at == '.' ) {
		for ( ++at; at < end && is_digit( *at ); ++at ) {
			any = true;
			if ( d->significant > 0 || *at != '0' )
				d->significant += 1;
			d->leading = 10 * d->leading + (uint64_t)( *at - '0' );
			d->exponent -= 1;
		}
	}
	d->digits_end = at;
	if ( !any )
		return false;
	return at == end || ( ( *at == 'e' || *at == 'E' ) && read_exponent( at + 1, end, &d->exponent ) );
}

// Hands the digits to strtod as one whole number with an exponent. A text without a decimal point means the same in
// every locale, and so strtod's correct rounding can be had without one.
static double round_by_strtod( const decimal *d ) {
	char text[DIGITS_KEPT + 32];
	size_t length = 0;
	int64_t exponent = d->exponent, dropped = 0;
	bool sticky = false;
	for ( const char *at = d->digits; at < d->digits_end; ++at ) {
		if ( *at == '.' || ( length == 0 && *at == '0' ) )
			continue;
		if ( length < DIGITS_KEPT ) {
			text[length++] = *at;
		} else {
			dropped += 1;
			sticky = sticky || *at != '0';
		}
	}
	exponent += dropped;
	if ( sticky ) {
		text[length++] = '1';
		exponent -= 1;
	}
	const int64_t bound = 100000;
	exponent = exponent > bound ? bound : ( exponent < -bound ? -bound : exponent );
	snprintf( text + length, sizeof text - length, "e%d", (int)exponent );
	return strtod( text, NULL );
}

dbvhi_number_kind dbvhi_number_read( const char *text, size_t length, double *out ) {
	DBVHI_ASSERT( text != NULL && out != NULL );
	const char *at = text, *const end = text + length;
	bool negative = false;
	if ( at < end && ( *at == '+' || *at == '-' ) )
		negative = *at++ == '-';
	decimal d;
	if ( !take_apart( at, end, &d ) )
		return is_not_finite_text( at, (size_t)( end - at ) ) ? DBVHI_NUMBER_NOT_FINITE : DBVHI_NUMBER_BAD;
	static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
	                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	double value;
	// Both factors are exact here, and one operation rounds once (Clinger 1990). Not where doubles are computed wider.
	if ( d.significant == 0 )
		value = 0.0;
	else if ( FLT_EVAL_METHOD == 0 && d.significant <= 19 && d.leading <= UINT64_C( 1 ) << 53 && d.exponent >= -22 &&
	          d.exponent <= 22 )
		value = d.exponent < 0 ? (double)d.leading / powers[-d.exponent] : (double)d.leading * powers[d.exponent];
	else
		value = round_by_strtod( &d );
	if ( isinf( value ) )
		return DBVHI_NUMBER_NOT_FINITE;
	*out = negative ? -value : value;
	return DBVHI_NUMBER_FINITE;
}

bool dbvhi_integer_read( const char *text, size_t length, int64_t *out ) {
	DBVHI_ASSERT( text != NULL && out != NULL );
	const char *at = text, *const end = text + length;
	bool negative = false;
	if ( at < end && ( *at == '+' || *at == '-' ) )
		negative = *at++ == '-';
	if ( at == end )
		return false;
	int64_t value = 0;
	for ( ; at < end; ++at ) {
		if ( !is_digit( *at ) )
			return false;
		const int digit = *at - '0';
		value = value > ( INT64_MAX - digit ) / 10 ? INT64_MAX : 10 * value + digit;
	}
	*out = negative ? -value : value;
	return true;
}

// The significant digits of value rounded to `precision` of them, without point, and the exponent of the first.
static int digits_of( double value, int precision, char digits[24] ) {
	DBVHI_ASSERT( precision >= 1 && precision <= 17 );
	char text[64];
	snprintf( text, sizeof text, "%.*e", precision - 1, value );
	int count = 0, exponent = 0;
	for ( const char *at = text; *at != '\0'; ++at ) {
		// Whatever stands between the digits is the locale's point.
		if ( *at == 'e' ) {
			exponent = atoi( at + 1 );
			break;
		}
		if ( is_digit( *at ) )
			digits[count++] = *at;
	}
	while ( count > 1 && digits[count - 1] == '0' )
		count -= 1;
	digits[count] = '\0';
	return exponent;
}

static bool reads_back( const char *digits, int exponent, double value ) {
	char text[64];
	snprintf( text, sizeof text, "%se%d", digits, exponent - (int)strlen( digits ) + 1 );
	double back = 0.0;
	return dbvhi_number_read( text, strlen( text ), &back ) == DBVHI_NUMBER_FINITE && back == value;
}

// Below a power of two the doubles lie closer together than above it. There the nearest decimal can miss the interval
// of the value and the next one above be inside.
static bool next_digits( char digits[24] ) {
	size_t i = strlen( digits );
	while ( i > 0 && digits[i - 1] == '9' )
		digits[--i] = '0';
	if ( i == 0 )
		return false;
	digits[i - 1] += 1;
	return true;
}

static int shortest_digits( double value, char digits[24] ) {
	// A decimal of 15 digits survives the way into a normal double and back, so that a shorter text, where there is
	// one, is found at 15 with zeros at its end. Below the normal numbers every length has to be tried.
	int precision = value < DBL_MIN ? 1 : DBL_DIG;
	for ( ; precision < DBL_DECIMAL_DIG; ++precision ) {
		int exponent = digits_of( value, precision, digits );
		if ( reads_back( digits, exponent, value ) )
			return exponent;
		if ( next_digits( digits ) && reads_back( digits, exponent, value ) )
			return exponent;
	}
	return digits_of( value, DBL_DECIMAL_DIG, digits );
}

size_t dbvhi_number_write( double value, char out[DBVHI_NUMBER_ROOM] ) {
	char *at = out;
	if ( signbit( value ) )
		*at++ = '-';
	value = fabs( value );
	if ( value == 0.0 ) {
		*at++ = '0';
		*at = '\0';
		return (size_t)( at - out );
	}
	char digits[24];
	const int exponent = shortest_digits( value, digits );
	const int count = (int)strlen( digits );
	if ( exponent < -5 || exponent > 20 ) {
		*at++ = digits[0];
		if ( count > 1 ) {
			*at++ = '.';
			memcpy( at, digits + 1, (size_t)count - 1 );
			at += count - 1;
		}
		at += snprintf( at, 8, "e%d", exponent );
		return (size_t)( at - out );
	}
	if ( exponent < 0 ) {
		*at++ = '0';
		*at++ = '.';
		for ( int i = exponent + 1; i < 0; ++i )
			*at++ = '0';
		memcpy( at, digits, (size_t)count );
		at += count;
	} else {
		for ( int i = 0; i <= exponent || i < count; ++i ) {
			if ( i == exponent + 1 )
				*at++ = '.';
			*at++ = i < count ? digits[i] : '0';
		}
	}
	*at = '\0';
	return (size_t)( at - out );
}
