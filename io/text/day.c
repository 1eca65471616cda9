// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/day.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Read the digits of a pattern in which each '0' stands for a digit, and everything else for itself; a number for each
// run of digits. False: the text does not begin so.
static bool read_digits( const char *text, const char *pattern, int *numbers ) {
	int at = -1;
	for ( size_t i = 0; pattern[i] != '\0'; ++i ) {
		if ( pattern[i] != '0' ) {
			if ( text[i] != pattern[i] )
				return false;
			continue;
		}
		if ( !isdigit( (unsigned char)text[i] ) )
			return false;
		if ( i == 0 || pattern[i - 1] != '0' )
			numbers[++at] = 0;
		numbers[at] = 10 * numbers[at] + text[i] - '0';
	}
	return true;
}

static bool begins_with_day( const char *text, int numbers[3] ) {
	static const int lengths[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	if ( !read_digits( text, "0000-00-00", numbers ) || numbers[1] < 1 || numbers[1] > 12 )
		return false;
	return numbers[2] >= 1 && numbers[2] <= lengths[numbers[1] - 1];
}

bool scene_day_is_valid( const char *text ) {
	int numbers[3];
	return begins_with_day( text, numbers ) && text[10] == '\0';
}

// Days are counted from March on, so that the day of a leap year is the last of its year.
void scene_day_print( int64_t seconds, char text[11] ) {
	const int64_t days = seconds / 86400 + 719468, era = days / 146097;
	const int64_t of_era = days - era * 146097;
	const int64_t year = ( of_era - of_era / 1460 + of_era / 36524 - of_era / 146096 ) / 365;
	const int64_t of_year = of_era - ( 365 * year + year / 4 - year / 100 );
	const int64_t month = ( 5 * of_year + 2 ) / 153;
	const int day = (int)( of_year - ( 153 * month + 2 ) / 5 + 1 );
	const int number = (int)( month < 10 ? month + 3 : month - 9 );
	const int64_t full = year + era * 400 + ( number <= 2 );
	char whole[64];
	snprintf( whole, sizeof whole, "%04d-%02d-%02d", (int)full, number, day );
	// Days are compared as texts: whatever is later than all of them is the last one.
	memcpy( text, full <= 9999 ? whole : "9999-12-31", 10 );
	text[10] = '\0';
}

// The days from 1970 on; scene_day_print() the other way round.
static int64_t count_days( const int day[3] ) {
	const int64_t year = day[0] - ( day[1] <= 2 ), month = day[1] > 2 ? day[1] - 3 : day[1] + 9;
	const int64_t era = ( year + 400 ) / 400 - 1, of_era = year - era * 400;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + ( 153 * month + 2 ) / 5 + day[2] - 1 - 719468;
}

// Read the offset from UTC in minutes, at the end of a time.
static bool read_offset( const char *text, int *minutes_out ) {
	int parts[2];
	*minutes_out = 0;
	if ( *text == '\0' || strcmp( text, "Z" ) == 0 || strcmp( text, "z" ) == 0 )
		return true;
	if ( ( *text != '+' && *text != '-' ) || strlen( text ) != 6 || !read_digits( text + 1, "00:00", parts ) ||
	     parts[0] > 14 || parts[1] > 59 )
		return false;
	*minutes_out = ( *text == '-' ? -1 : 1 ) * ( 60 * parts[0] + parts[1] );
	return true;
}

bool scene_time_read( const char *text, int64_t *out ) {
	int day[3], clock[3], minutes;
	if ( !begins_with_day( text, day ) || text[10] != 'T' || !read_digits( text + 11, "00:00:00", clock ) ||
	     clock[0] > 24 || clock[1] > 59 || clock[2] > 60 )
		return false;
	const char *behind = text + 19;
	if ( *behind == '.' )
		behind += 1 + strspn( behind + 1, "0123456789" );
	if ( !read_offset( behind, &minutes ) )
		return false;
	*out = 86400 * count_days( day ) + 3600 * (int64_t)clock[0] + 60 * ( (int64_t)clock[1] - minutes ) + clock[2];
	return true;
}

const char *scene_time_print( int64_t seconds, char text[SCENE_TIME_ROOM] ) {
	const int64_t before = ( ( seconds % 86400 ) + 86400 ) % 86400; // seconds since midnight
	char day[11];
	scene_day_print( seconds - before, day );
	snprintf( text, SCENE_TIME_ROOM, "%.10sT%02d:%02d:%02dZ", day, (int)( before / 3600 ), (int)( before / 60 % 60 ),
	          (int)( before % 60 ) );
	return text;
}
